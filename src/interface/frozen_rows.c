#include "interface/frozen_rows.h"

#include <string.h>

#include "interface/frozen_rows_inner.h"

enum { ENDS = FLG_FROZEN_ENDS_MAX, MOST = FLG_FROZEN_ROWS_MAX, PORT = 6 };

/* --- set-up -------------------------------------------------------------------------------------
 */

typedef struct builder {
  flg_frozen_rows *made;
  flg_region *region; /* of what stays */
  flg_region work;
  int *joint_of; /* (blocks) */
  int *rows_of;  /* (blocks) */
  int *near;     /* pairs of blocks on one body, times two */
  int near_count;
} builder;

static int count_bits(unsigned bits) {
  int count = 0;
  for (; bits != 0; bits &= bits - 1) count++;
  return count;
}

static void *frozen_rows_take(builder *b, int count, size_t bytes) {
  return flg_region_take(b->region, (size_t)count, bytes);
}

static void *take_work(builder *b, int count, size_t bytes) {
  return flg_region_take(&b->work, (size_t)count, bytes);
}

/* blocks are joints with chosen rows */
static bool find_blocks(builder *b) {
  flg_frozen_rows *f = b->made;
  b->joint_of = take_work(b, f->joint_count, sizeof(int));
  b->rows_of = take_work(b, f->joint_count, sizeof(int));
  if (b->work.failed) return false;
  for (int k = 0; k < f->joint_count; k++) {
    const flg_frozen_joint *joint = &f->joints[k];
    /* Larger joints are left to the plan: kernels are unrolled for so many rows. */
    if (joint->rows > MOST) return false;
    const int chosen = count_bits(joint->chosen);
    f->count += joint->rows, f->rank += chosen;
    f->spare_joint_count += chosen < joint->rows;
    if (chosen > 0) b->joint_of[f->block_count] = k, b->rows_of[f->block_count++] = chosen;
  }
  f->spare_count = f->count - f->rank;
  return true;
}

static bool is_on(const flg_frozen_joint *joint, int end) {
  return joint->body[end] >= 0;
}

/* blocks of each body, as lists: of ends, block * ENDS + end */
typedef struct end_lists {
  int *head; /* (bodies) */
  int *next; /* (blocks * ENDS) */
} end_lists;

/* Where a body has more ends, some block is coupled with more others than a pattern takes: each has
 * ENDS of them at most. Pairs of thousands would take gigabytes to find that out. */
enum { MOST_ENDS = ENDS * (FLG_SPARSE_DEGREE_MAX + 1) };

/* with those that are on its bodies already; writes: to `near`, which is counted first; false: too
 * many */
/* Joints are coupled in S by bodies that they share. Lists of ends by body find all pairs in time
 * proportional to their number; a search over all pairs of joints would be quadratic. */
static bool pair_block(builder *b, int k, const end_lists *lists, bool writes) {
  const flg_frozen_joint *joint = &b->made->joints[b->joint_of[k]];
  for (int e = 0; e < joint->ends; e++) {
    if (!is_on(joint, e)) continue;
    int *head = &lists->head[joint->body[e]], ends = 1;
    for (int at = *head; at >= 0; at = lists->next[at]) {
      if (writes) b->near[2 * b->near_count] = at / ENDS, b->near[2 * b->near_count + 1] = k;
      b->near_count++;
      if (++ends > MOST_ENDS) return false;
    }
    lists->next[ENDS * k + e] = *head, *head = ENDS * k + e;
  }
  return true;
}

/* counted first, then written: memory is taken once */
static bool pair_blocks(builder *b, const end_lists *lists, bool writes) {
  for (int k = 0; k < b->made->body_count; k++) lists->head[k] = -1;
  b->near_count = 0;
  for (int k = 0; k < b->made->block_count; k++) {
    if (!pair_block(b, k, lists, writes)) return false;
  }
  return true;
}

static bool find_pairs(builder *b) {
  const end_lists lists = {take_work(b, b->made->body_count, sizeof(int)),
                           take_work(b, ENDS * b->made->block_count, sizeof(int))};
  if (b->work.failed || !pair_blocks(b, &lists, false)) return false;
  b->near = take_work(b, 2 * b->near_count, sizeof(int));
  return !b->work.failed && pair_blocks(b, &lists, true);
}

static void lay_out_frozen_block(builder *b, flg_frozen_block *made,
                                 const flg_frozen_joint *joint) {
  *made = (flg_frozen_block){.joint = joint, .is_straight = joint->straight};
  for (int i = 0; i < joint->rows; i++) {
    if ((joint->chosen >> i & 1) == 0) continue;
    made->row[made->rows++] = i;
    if ((joint->turns >> i & 1) == 0) made->pushes = made->rows;
  }
  /* Columns start at even places: vectors of two numbers then load aligned. */
  made->room = made->rows + made->rows % 2;
  made->diagonal = frozen_rows_take(b, made->room * made->rows, sizeof(double));
  made->inverse = frozen_rows_take(b, made->room * made->rows, sizeof(double));
  made->upper = frozen_rows_take(b, made->room * made->rows, sizeof(double));
  made->x = frozen_rows_take(b, made->room, sizeof(double));
  /* Where all rows were chosen, the caller writes G in place and nothing is copied. */
  const bool is_whole = made->rows == joint->rows;
  for (int e = 0; e < joint->ends; e++) {
    if (!is_on(joint, e)) continue;
    made->side[made->side_count++] = (flg_frozen_side){
        .body = joint->body[e],
        .from = is_whole ? NULL : joint->side[e],
        .G = is_whole ? joint->side[e] : frozen_rows_take(b, PORT * made->room, sizeof(double)),
        .lever = frozen_rows_take(b, PORT * made->room, sizeof(double))};
  }
}

/* rows of joints, where the caller writes them */
static void lay_out_joints(builder *b) {
  for (int k = 0; k < b->made->joint_count; k++) {
    flg_frozen_joint *joint = &b->made->joints[k];
    joint->leading = joint->rows + joint->rows % 2;
    for (int e = 0; e < joint->ends; e++) {
      joint->side[e] =
          is_on(joint, e) ? frozen_rows_take(b, PORT * joint->leading, sizeof(double)) : NULL;
    }
  }
}

static bool lay_out_blocks(builder *b) {
  flg_frozen_rows *f = b->made;
  f->blocks = frozen_rows_take(b, f->block_count, sizeof *f->blocks);
  f->entries = frozen_rows_take(b, f->pattern.entry_count, sizeof *f->entries);
  int *at = take_work(b, f->block_count, sizeof(int));
  if (b->region->failed || b->work.failed) return false;
  /* Blocks lie in the order in which they are eliminated: factors run through memory from start
   * to end. */
  for (int k = 0; k < f->block_count; k++) at[f->pattern.place[k]] = k;
  lay_out_joints(b);
  for (int p = 0; p < f->block_count; p++) {
    lay_out_frozen_block(b, &f->blocks[p], &f->joints[b->joint_of[at[p]]]);
  }
  for (int p = 0; p < f->block_count; p++) {
    for (int e = f->pattern.first[p]; e < f->pattern.first[p + 1]; e++) {
      flg_frozen_block *later = &f->blocks[f->pattern.row[e]];
      f->entries[e] = (flg_frozen_entry){
          frozen_rows_take(b, later->room * f->blocks[p].rows, sizeof(double)), later};
    }
  }
  return !b->region->failed;
}

static const flg_frozen_side *side_on(const flg_frozen_block *of, int body) {
  for (int s = 0; s < of->side_count; s++) {
    if (of->side[s].body == body) return &of->side[s];
  }
  return NULL;
}

/* all bodies that two blocks share */
static void couple_blocks(flg_frozen_rows *f, int one, int other, bool *is_written) {
  const int low = one < other ? one : other, high = one < other ? other : one;
  const flg_frozen_block *earlier = &f->blocks[low], *later = &f->blocks[high];
  const int at = flg_sparse_pattern_find(&f->pattern, low, high);
  /* Two joints on the same two bodies are listed as near twice, and coupled once. */
  if (is_written[at]) return;
  for (int s = 0; s < earlier->side_count; s++) {
    const flg_frozen_side *there = side_on(later, earlier->side[s].body);
    if (there == NULL) continue;
    f->couplings[f->coupling_count++] = (flg_frozen_coupling){.entry = f->entries[at].numbers,
                                                              .later = there,
                                                              .earlier = &earlier->side[s],
                                                              .room = later->room,
                                                              .rows = earlier->rows,
                                                              .pushes = earlier->pushes,
                                                              .adds = is_written[at]};
    is_written[at] = true;
  }
}

/* Which products make which entry of S is listed once; a step runs through the list. The first
 * product of an entry writes it, others add to it, so that S needs no clearing but for fill-in. */
static bool couple_all(builder *b) {
  flg_frozen_rows *f = b->made;
  const int entries = f->pattern.entry_count;
  bool *is_written = take_work(b, entries, sizeof *is_written);
  f->couplings = frozen_rows_take(b, b->near_count, sizeof *f->couplings);
  f->fills = frozen_rows_take(b, entries, sizeof *f->fills);
  f->fill_sizes = frozen_rows_take(b, entries, sizeof *f->fill_sizes);
  if (b->work.failed || b->region->failed) return false;
  const int *place = f->pattern.place;
  for (int k = 0; k < b->near_count; k++) {
    couple_blocks(f, place[b->near[2 * k]], place[b->near[2 * k + 1]], is_written);
  }
  for (int p = 0; p < f->block_count; p++) {
    for (int e = f->pattern.first[p]; e < f->pattern.first[p + 1]; e++) {
      /* Blocks that no body couples are fill-in: they start from zero in each factor. */
      if (is_written[e]) continue;
      f->fill_sizes[f->fill_count] = (size_t)f->entries[e].later->room * (size_t)f->blocks[p].rows;
      f->fills[f->fill_count++] = f->entries[e].numbers;
    }
  }
  return true;
}

/* Rows that were left out. After a solve they tell whether the choice still holds
 * (frozen_rows.h). */
static bool list_spares(builder *b) {
  flg_frozen_rows *f = b->made;
  f->spares = frozen_rows_take(b, f->spare_joint_count, sizeof *f->spares);
  if (b->region->failed) return false;
  flg_frozen_spare *next = f->spares;
  for (int k = 0; k < f->joint_count; k++) {
    const flg_frozen_joint *joint = &f->joints[k];
    flg_frozen_spare of = {.joint = joint};
    for (int i = 0; i < joint->rows; i++) {
      if ((joint->chosen >> i & 1) == 0) of.row[of.count++] = i;
    }
    if (of.count > 0) *next++ = of;
  }
  return true;
}

/* last: what steps need lies together */
static bool lay_out_inverse(builder *b) {
  flg_frozen_rows *f = b->made;
  f->place = frozen_rows_take(b, f->joint_count, sizeof *f->place);
  f->diagonal = frozen_rows_take(b, f->block_count, sizeof *f->diagonal);
  f->shares = frozen_rows_take(b, f->pattern.entry_count, sizeof *f->shares);
  if (b->region->failed) return false;
  for (int k = 0; k < f->joint_count; k++) f->place[k] = -1;
  for (int k = 0; k < f->block_count; k++) f->place[b->joint_of[k]] = f->pattern.place[k];
  return true;
}

/* By it flg_plan_freeze chooses between frozen rows and the walks of the plan. */
static double flops_of(const flg_frozen_rows *f) {
  double sum = 0;
  for (int k = 0; k < f->coupling_count; k++) {
    sum += 2.0 * PORT * f->couplings[k].room * f->couplings[k].rows;
  }
  for (int p = 0; p < f->block_count; p++) {
    const flg_frozen_block *of = &f->blocks[p];
    const double m = of->rows, sides = of->side_count;
    double below = 0;
    for (int e = f->pattern.first[p]; e < f->pattern.first[p + 1]; e++) {
      below += f->entries[e].later->rows;
    }
    sum += sides * (18 * m + 2 * PORT * m * m) + 2 * m * m * m / 3; /* levers, diagonal, L, L^-1 */
    sum += below * m * m + below * (below + 1) * m;
    sum += 4 * sides * PORT * m + 2 * m * m + 4 * below * m; /* a solve */
  }
  return sum;
}

static bool lay_out_bodies(builder *b) {
  if (b->made->bodies == NULL) return false;
  for (int k = 0; k < b->made->body_count; k++) {
    flg_frozen_body *body = &b->made->bodies[k];
    const double *n = body->normal;
    const bool is_flat = n[0] != 0 || n[1] != 0 || n[2] != 0;
    body->flat = is_flat ? frozen_rows_take(b, PORT, sizeof(double)) : NULL;
  }
  return !b->region->failed;
}

/* the pattern before the blocks, which lie in its order */
static bool build_frozen_rows(builder *b) {
  flg_frozen_rows *f = b->made;
  return lay_out_bodies(b) && find_blocks(b) && find_pairs(b) &&
         flg_sparse_pattern_build(&f->pattern, f->block_count, b->rows_of, b->near_count, b->near,
                                  b->region) &&
         lay_out_blocks(b) && couple_all(b) && list_spares(b) && lay_out_inverse(b);
}

static void *copied_array(flg_region *region, const void *from, int count, size_t bytes) {
  void *copy = flg_region_take(region, (size_t)count, bytes);
  if (copy != NULL && count > 0) memcpy(copy, from, (size_t)count * bytes);
  return copy;
}

flg_frozen_rows *flg_frozen_rows_build(const flg_frozen_body *bodies, int body_count,
                                       const flg_frozen_joint *joints, int joint_count,
                                       flg_region *region) {
  builder b = {.region = region, .made = flg_region_take(region, 1, sizeof *b.made)};
  if (b.made == NULL) return NULL;
  *b.made = (flg_frozen_rows){.body_count = body_count,
                              .joint_count = joint_count,
                              .bodies = copied_array(region, bodies, body_count, sizeof *bodies),
                              .joints = copied_array(region, joints, joint_count, sizeof *joints),
                              .least = 1};
  const bool is_built = !region->failed && build_frozen_rows(&b);
  if (b.work.failed) region->failed = true;
  flg_region_release(&b.work);
  if (!is_built) return NULL;
  b.made->flops = flops_of(b.made);
  return b.made;
}
