#include "base/name_index.h"

#include <string.h>

#include "base/given.h"

enum { FIRST_CAPACITY = 8 };

static int side_of(const flg_name_node *fork, const char *name, size_t length) {
  const unsigned char letter = fork->byte < length ? (unsigned char)name[fork->byte] : 0;
  return (letter & fork->mask) != 0;
}

/* The node whose name shares most with this one. Below a fork beyond the end of the name all names
 * share the same with it, and any of them will do: its own. */
static int nearest_to(const flg_name_index *index, const char *name, size_t length) {
  int at = index->root;
  while (at >= 0 && index->nodes[at].byte <= length) {
    at = index->nodes[at].child[side_of(&index->nodes[at], name, length)];
  }
  return at >= 0 ? at : ~at;
}

static bool make_room(flg_name_index *index, flg_region *region) {
  if (index->count < index->capacity) return true;
  const int capacity = index->capacity == 0 ? FIRST_CAPACITY : 2 * index->capacity;
  flg_name_node *nodes = flg_region_take(region, (size_t)capacity, sizeof *nodes);
  if (nodes == NULL) return false;
  if (index->count > 0) memcpy(nodes, index->nodes, (size_t)index->count * sizeof *nodes);
  index->nodes = nodes;
  index->capacity = capacity;
  return true;
}

static unsigned char highest_bit(unsigned int bits) {
  while ((bits & (bits - 1)) != 0) bits &= bits - 1;
  return (unsigned char)bits;
}

static bool is_above(const flg_name_node *fork, const flg_name_node *other) {
  return fork->byte < other->byte || (fork->byte == other->byte && fork->mask > other->mask);
}

/* puts the fork of the last node where its name leaves the way of others */
static void fork_off(flg_name_index *index, size_t length) {
  flg_name_node *nodes = index->nodes, *node = &nodes[index->count];
  int *at = &index->root;
  while (*at >= 0 && is_above(&nodes[*at], node)) {
    at = &nodes[*at].child[side_of(&nodes[*at], node->name, length)];
  }
  const int side = side_of(node, node->name, length);
  node->child[side] = ~index->count;
  node->child[1 - side] = *at;
  *at = index->count;
}

int flg_name_index_add(flg_name_index *index, const char *name, int number, flg_region *region) {
  if (!make_room(index, region)) return FLG_NAME_UNKNOWN;
  flg_name_node *node = &index->nodes[index->count];
  *node = (flg_name_node){.name = name, .number = number};
  if (index->count == 0) {
    index->root = ~0;
  } else {
    const size_t length = strlen(name);
    const flg_name_node *nearest = &index->nodes[nearest_to(index, name, length)];
    if (strcmp(nearest->name, name) == 0) return nearest->number;
    while (name[node->byte] == nearest->name[node->byte]) node->byte++;
    node->mask =
        highest_bit((unsigned char)name[node->byte] ^ (unsigned char)nearest->name[node->byte]);
    fork_off(index, length);
  }
  index->count++;
  return FLG_NAME_UNKNOWN;
}

int flg_name_index_find(const flg_name_index *index, const char *name) {
  return flg_name_index_find_begin(index, name, strlen(name));
}

int flg_name_index_find_begin(const flg_name_index *index, const char *text, size_t length) {
  if (index->count == 0) return FLG_NAME_UNKNOWN;
  const flg_name_node *nearest = &index->nodes[nearest_to(index, text, length)];
  const bool is_same = strncmp(nearest->name, text, length) == 0 && nearest->name[length] == '\0';
  return is_same ? nearest->number : FLG_NAME_UNKNOWN;
}

flg_name_index flg_name_index_of(const void *items, size_t bytes, int count, flg_region *region) {
  flg_name_index index = {0};
  const char *at = items, *name;
  /* items of a region without memory may not be there */
  for (int k = 0; k < count && items != NULL && !region->failed; k++, at += bytes) {
    memcpy(&name, at, sizeof name);
    flg_name_index_add(&index, name, k, region);
  }
  return index;
}

int flg_name_index_seek(const flg_name_index *index, const void *items, size_t bytes, int count,
                        const char *name) {
  return index->count == count ? flg_name_index_find(index, name)
                               : flg_find_named(items, bytes, count, name);
}
