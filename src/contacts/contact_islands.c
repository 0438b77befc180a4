/* Contacts that share no moving block are solved apart. */
#include "contacts/contacts_inner.h"

static int islands_root_of(int *parents, int block) {
  while (parents[block] != block) block = parents[block] = parents[parents[block]];
  return block;
}

/* The block with the smaller number is the root: the order does not depend on anything else. */
static void unite_blocks(int *parents, int a, int b) {
  a = islands_root_of(parents, a), b = islands_root_of(parents, b);
  if (a < b) {
    parents[b] = a;
  } else {
    parents[a] = b;
  }
}

/* either side: both are of one island, or one of them does not move */
static int block_of(const flg_touch_rows *touch) {
  return touch->sides[0].block >= 0 ? touch->sides[0].block : touch->sides[1].block;
}

/* Numbers islands in the order of their first touches, and counts their touches in starts. */
static void number_islands(flg_contacts *c, int touch_count) {
  flg_islands *islands = &c->islands;
  islands->count = 0;
  for (int b = 0; b < c->block_count; b++) islands->numbers[b] = -1;
  for (int k = 0; k < touch_count; k++) {
    if (c->rows[k].rows == 0) continue;
    const int root = islands_root_of(islands->parents, block_of(&c->rows[k]));
    if (islands->numbers[root] < 0) {
      islands->numbers[root] = islands->count++;
      islands->starts[islands->count] = 0;
    }
    islands->starts[islands->numbers[root] + 1]++;
  }
}

void flg_islands_find(flg_contacts *contacts) {
  flg_islands *islands = &contacts->islands;
  const int touch_count = contacts->contact_count + contacts->stop_count;
  for (int b = 0; b < contacts->block_count; b++) islands->parents[b] = b;
  for (int k = 0; k < touch_count; k++) {
    const flg_touch_side *sides = contacts->rows[k].sides;
    if (sides[0].block >= 0 && sides[1].block >= 0)
      unite_blocks(islands->parents, sides[0].block, sides[1].block);
  }
  islands->starts[0] = 0;
  number_islands(contacts, touch_count);
  for (int k = 0; k < islands->count; k++) islands->starts[k + 1] += islands->starts[k];
  const int all = islands->starts[islands->count];
  /* from the last to the first: each island's end moves down to its start */
  for (int k = touch_count - 1; k >= 0; k--) {
    if (contacts->rows[k].rows == 0) continue;
    const int root = islands_root_of(islands->parents, block_of(&contacts->rows[k]));
    islands->members[--islands->starts[islands->numbers[root] + 1]] = k;
  }
  for (int k = 0; k < islands->count; k++) islands->starts[k] = islands->starts[k + 1];
  islands->starts[islands->count] = all;
}
