/* Closes the islands, each by its own W = J D J^T (contact_admittance.c). */
#include <math.h>
#include <string.h>

#include "contacts/contacts_inner.h"
#include "interface/port_yield.h"
#include "math/larger.h"
#include "math/six.h"
#include "math/wide_vectors.h"

/* Of an island that is no heap, and of a system in which all islands are solved exactly, also while
 * they move. */
enum { FEW_BLOCKS = 4, FEW_IN_ALL = 8 };
static const double INEXACT = 1e-7; /* residuals that a few bodies are solved again for */
/* residuals of impulses that the step may go on with; they are reported as unsolved */
static const double USABLE = 1e-2, USABLE_ITERATED = 0.1;

/* --- rows ------------------------------------------------------------------------------------ */

/* Where the ports of contacts are among the blocks of this step. */
static void place_contacts(flg_contacts *c, const flg_touch_place *places) {
  if (places == NULL) places = c->places;
  for (int k = 0; k < c->contact_count; k++) {
    const int bodies[2] = {c->contacts[k].body_a, c->contacts[k].body_b};
    flg_touch_rows *rows = &c->rows[k];
    for (int s = 0; s < 2; s++) {
      flg_touch_side *side = &rows->sides[s];
      side->block = bodies[s] < 0 ? -1 : places[bodies[s]].block;
      side->row = side->block < 0 ? 0 : places[bodies[s]].row;
      side->width = 6;
    }
    rows->rows = c->contacts[k].friction > 0 ? 3 : 1;
    if ((rows->blocked & FLG_BLOCKED_NORMAL) != 0 ||
        (rows->sides[0].block < 0 && rows->sides[1].block < 0))
      rows->rows = 0;
  }
}

static void place_stops(flg_contacts *c, const flg_touch_stop *stops) {
  for (int k = 0; k < c->stop_count; k++) {
    const int touch = c->contact_count + k;
    c->rows[touch] = (flg_touch_rows){
        .rows = 1,
        .sides = {
            {.block = stops[k].block, .row = stops[k].row, .width = 1, .rows = {{stops[k].sign}}},
            {.block = -1}}};
    c->traces[touch] = (flg_touch_trace){.shape_a = -1, .shape_b = stops[k].number};
  }
  flg_contacts_recall(c, c->contact_count, c->contact_count + c->stop_count);
}

/* w of the rows of a touch, where u are the rows of blocks; all rows at once */
static inline void add_velocities(const flg_touch_rows *touch, const flg_touch_side *side,
                                  const double *u, double *w) {
  double n = 0, s = 0, t = 0;
  u += side->row;
  if (touch->rows == 1) {
    if (side->width == 6) { /* in the compiler's sight, since most are so */
#pragma GCC unroll 6
      for (int c = 0; c < 6; c++) n += side->rows[c][0] * u[c];
    } else {
      n = side->rows[0][0] * u[0];
    }
    w[0] += n;
    return;
  }
  for (int c = 0; c < side->width; c++) {
    const double *row = side->rows[c];
    n += row[0] * u[c], s += row[1] * u[c], t += row[2] * u[c];
  }
  w[0] += n, w[1] += s, w[2] += t;
}

static inline void add_touch_impulses(const flg_touch_rows *touch, const flg_touch_side *side,
                                      const double *impulses, double *u) {
  u += side->row;
  if (touch->rows == 1 && side->width == 6) {
#pragma GCC unroll 6
    for (int c = 0; c < 6; c++) u[c] += side->rows[c][0] * impulses[0];
    return;
  }
  if (touch->rows == 1) {
    u[0] += side->rows[0][0] * impulses[0];
    return;
  }
  const double n = impulses[0], s = impulses[1], t = impulses[2];
  for (int c = 0; c < side->width; c++) {
    const double *row = side->rows[c];
    u[c] += row[0] * n + row[1] * s + row[2] * t;
  }
}

static void clear_matrix_row(int n, double *a, int i) {
  for (int j = 0; j < n; j++) a[i + (size_t)j * (size_t)n] = a[j + (size_t)i * (size_t)n] = 0;
}

/* The most that the point of a normal yields in any direction: what its own answer is judged by
 * where it has no tangents. 0: a stop. */
static double most_yield_of(const flg_touch_block *blocks, const flg_touch_rows *touch) {
  double most = 0;
  for (int s = 0; s < 2; s++) {
    const flg_touch_side *side = &touch->sides[s];
    if (side->block < 0 || side->width < 6) continue;
    const flg_touch_block *block = &blocks[side->block];
    const double *own = block->admittance + (size_t)side->row * (size_t)(block->rows + 1);
    double square[2] = {0, 0}, yield[2] = {0, 0};
    for (int i = 0; i < 6; i++, own += block->rows + 1) {
      square[i / 3] += side->rows[i][0] * side->rows[i][0];
      yield[i / 3] = fmax(yield[i / 3], *own);
    }
    most += square[0] * yield[0] + square[1] * yield[1];
  }
  return most;
}

/* Normals without friction that joints hold, as of a plane mechanism that slides on the ground. */
static void leave_blocked_normal(flg_contacts *c, const flg_touch_block *blocks,
                                 const flg_touch_rows *touch, int n, int row) {
  const double own = c->admittance[(size_t)row * (size_t)(n + 1)];
  if (touch->rows != 1 || own > FLG_BLOCKED * most_yield_of(blocks, touch)) return;
  clear_matrix_row(n, c->admittance, row);
  flg_touch_hold(c, row, 0);
}

/* Rows that joints hold, as tangents across a plane mechanism, have but rounding in W, of either
 * sign: no impulse acts along them. */
static void leave_blocked_dense(flg_contacts *c, const flg_touch_block *blocks, const int *members,
                                int count, int n) {
  for (int k = 0; k < count; k++) {
    const flg_touch_rows *touch = &c->rows[members[k]];
    const int first = c->touches[k].row;
    if (touch->rows < 3) {
      leave_blocked_normal(c, blocks, touch, n, first);
      continue;
    }
    double own[3];
    for (int i = 0; i < 3; i++) own[i] = c->admittance[(size_t)(first + i) * (size_t)(n + 1)];
    for (unsigned blocked = flg_touch_blocked(touch, own), i = 0; blocked != 0;
         blocked >>= 1, i++) {
      if ((blocked & 1) == 0) continue;
      clear_matrix_row(n, c->admittance, first + (int)i);
      flg_touch_hold(c, first, (int)i);
    }
  }
}

/* --- one island ------------------------------------------------------------------------------ */

/* The smaller of two shapes that have a size; 0: none has. */
static double close_length_of(const flg_contacts *c, const flg_contact *contact) {
  const double a = c->lengths[contact->shape_a], b = c->lengths[contact->shape_b];
  const bool is_first = a > 0 && b > 0 ? a < b : a > b;
  return is_first ? a : b;
}

/* The number of the first contact of the same two shapes, from 1 on; 0 in heaps, which would not
 * come to rest where faces that lean carry with all of their points. */
static int pair_of(const flg_contacts *c, int k) {
  const flg_contact *contact = &c->contacts[k], *first = contact;
  if (flg_contacts_have_heaps(c)) return 0;
  while (first > c->contacts && first[-1].shape_a == contact->shape_a &&
         first[-1].shape_b == contact->shape_b)
    first--;
  return (int)(first - c->contacts) + 1;
}

void flg_contacts_set_touch(const flg_contacts *c, const flg_touch_stop *stops, int k,
                            flg_touch *to) {
  if (k >= c->contact_count) {
    const flg_touch_stop *stop = &stops[k - c->contact_count];
    to->gap = stop->gap, to->friction = 0, to->restitution = stop->restitution;
    to->length = stop->length, to->lands = false, to->pair = 0;
    return;
  }
  const flg_contact *contact = &c->contacts[k];
  to->gap = contact->gap, to->friction = contact->friction;
  to->restitution = c->are_still ? 0 : contact->restitution;
  to->length = close_length_of(c, contact);
  to->lands = contact->body_a < 0 || contact->body_b < 0;
  to->pair = pair_of(c, k);
}

static int list_island_touches(flg_contacts *c, const flg_touch_stop *stops, const int *members,
                               int count, bool lands) {
  int rows = 0;
  for (int k = 0; k < count; k++) {
    flg_contacts_set_touch(c, stops, members[k], &c->touches[k]);
    c->touches[k].lands = c->touches[k].lands && lands;
    c->touches[k].row = rows, c->touches[k].rows = c->rows[members[k]].rows;
    rows += c->touches[k].rows;
  }
  return rows;
}

void flg_contacts_expect(flg_contacts *contacts, const flg_expected_touch *list, int count) {
  contacts->expected = list, contacts->expected_count = count;
}

void flg_contacts_kick(flg_contacts *contacts, bool is_kick) {
  contacts->is_kick = is_kick;
}

void flg_contacts_lean(flg_contacts *contacts, const flg_spatial *leans) {
  contacts->leans = leans;
}

/* A kick between two halves of free motion: the mean of velocities from kick to kick. Where a hit
 * stops a contact that was open, free motion after it is another one than before it. Friction is
 * against the velocity at the kick itself: its rows are left alone. */
static void lean_contact(flg_contacts *c, int index, int row) {
  const int ports[2] = {c->contacts[index].body_a, c->contacts[index].body_b};
  double change = 0, lean[6];
  for (int s = 0; s < 2; s++) {
    const flg_touch_side *side = &c->rows[index].sides[s];
    if (side->block < 0) continue;
    flg_spatial_store(c->leans[ports[s]], lean);
    for (int i = 0; i < 6; i++) change += side->rows[i][0] * lean[i];
  }
  c->before[row] -= change, c->free[row] += change;
}

/* True if the coupling expects all touches. */
static bool close_load(flg_contacts *c, const flg_touch_block *blocks, const int *members,
                       int count, int n) {
  bool are_expected = c->expected_count > 0;
  memset(c->before, 0, (size_t)n * sizeof(double));
  memset(c->free, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < count; k++) {
    const flg_touch_rows *touch = &c->rows[members[k]];
    const flg_touch_trace *trace = &c->traces[members[k]];
    const int row = c->touches[k].row;
    for (int s = 0; s < 2; s++) {
      const flg_touch_side *side = &touch->sides[s];
      if (side->block < 0) continue;
      add_velocities(touch, side, blocks[side->block].before, c->before + row);
      add_velocities(touch, side, blocks[side->block].free, c->free + row);
    }
    if (c->leans != NULL && members[k] < c->contact_count && trace->state != FLG_CONTACT_OPEN) {
      lean_contact(c, members[k], row);
    }
    const flg_expected_touch *expected = flg_contacts_expected(c, trace);
    are_expected = are_expected && expected != NULL;
    for (int i = 0; i < touch->rows; i++) {
      c->impulses[row + i] = expected == NULL ? trace->impulses[i] : expected->impulses[i];
      c->states[row + i] = expected == NULL ? trace->states[i] : expected->states[i];
    }
  }
  return are_expected;
}

static void close_push(const flg_contacts *c, const flg_touch_block *blocks, const int *members,
                       int count) {
  for (int k = 0; k < count; k++) {
    const flg_touch_rows *touch = &c->rows[members[k]];
    const double *impulses = c->impulses + c->touches[k].row;
    for (int s = 0; s < 2; s++) {
      const flg_touch_side *side = &touch->sides[s];
      if (side->block >= 0) add_touch_impulses(touch, side, impulses, blocks[side->block].impulses);
    }
  }
}

/* what was stored before is overwritten */
static void store_moves(const flg_contacts *c, const flg_touch_block *blocks, const int *members,
                        int count) {
  for (int k = 0; k < 2 * count; k++) {
    const int block = c->rows[members[k / 2]].sides[k % 2].block;
    if (block >= 0) memset(blocks[block].moves, 0, (size_t)blocks[block].rows * sizeof(double));
  }
  for (int k = 0; k < count; k++) {
    const flg_touch_rows *touch = &c->rows[members[k]];
    for (int s = 0; s < 2; s++) {
      const flg_touch_side *side = &touch->sides[s];
      if (side->block >= 0)
        add_touch_impulses(touch, side, c->moves + c->touches[k].row, blocks[side->block].moves);
    }
  }
}

/* --- arcs ------------------------------------------------------------------------------------ */

/* D x of the angular rows of a port */
static flg_vec3 turned_by(const flg_touch_block *block, int row, const double *x) {
  double turn[3] = {0, 0, 0};
  for (int j = 0; j < block->rows; j++) {
    const double *column = block->admittance + (size_t)j * (size_t)block->rows + row + 3;
    for (int i = 0; i < 3; i++) turn[i] += column[i] * x[j];
  }
  return flg_vec3_load(turn);
}

/* How much farther a contact is opened by its point's way on an arc, than straight on. */
static double bend_of(const flg_contacts *c, const flg_touch_block *blocks, int index, int s) {
  const flg_contact *contact = &c->contacts[index];
  const flg_touch_side *side = &c->rows[index].sides[s];
  if (side->block < 0) return 0;
  const flg_touch_block *block = &blocks[side->block];
  const flg_vec3 free = flg_vec3_load(block->free + side->row + 3);
  const flg_vec3 spin = flg_vec3_add(free, turned_by(block, side->row, block->impulses));
  const flg_vec3 turn = flg_vec3_scale(spin, c->h);
  const flg_vec3 moved = turned_by(block, side->row, block->moves);
  const flg_vec3 point = flg_vec3_scale(flg_vec3_add(contact->point_a, contact->point_b), 0.5);
  const int port = s == 0 ? contact->body_a : contact->body_b;
  const flg_vec3 arm = flg_vec3_subtract(point, c->poses[port].position);
  const flg_vec3 straight = flg_vec3_add(arm, flg_vec3_cross(flg_vec3_add(turn, moved), arm));
  const flg_vec3 on_arc =
      flg_quat_rotate(flg_quat_exp(moved), flg_quat_rotate(flg_quat_exp(turn), arm));
  const flg_vec3 bend = flg_vec3_subtract(on_arc, straight);
  return (s == 0 ? -1 : 1) * flg_vec3_dot(contact->normal, bend);
}

/* True if arcs matter: something was hit, or turns by so much that it is seen. */
bool flg_contacts_are_bent(const flg_contacts *c, const int *members, int count, int hits) {
  for (int k = 0; k < count; k++) {
    if (members[k] >= c->contact_count) continue;
    const flg_contact *contact = &c->contacts[members[k]];
    const int ports[2] = {contact->body_a, contact->body_b};
    for (int s = 0; s < 2; s++) {
      if (ports[s] < 0) continue;
      const flg_vec3 turn = c->ways[ports[s]].angular;
      if (hits > 0 || flg_vec3_dot(turn, turn) > c->options.law.slop) return true;
    }
  }
  return false;
}

static const double *find_bends(flg_contacts *c, const flg_touch_block *blocks, const int *members,
                                int count, int hits) {
  if (!flg_contacts_are_bent(c, members, count, hits)) return NULL;
  for (int k = 0; k < count; k++) {
    c->bends[k] = 0;
    if (members[k] >= c->contact_count) continue;
    for (int s = 0; s < 2; s++) c->bends[k] += bend_of(c, blocks, members[k], s);
  }
  return c->bends;
}

/* --- the law of an island --------------------------------------------------------------------- */

/* No joint holds two bodies together. */
static bool is_loose(const flg_contacts *c, const flg_touch_block *blocks, const int *members,
                     int count) {
  for (int k = 0; k < 2 * count; k++) {
    const int block = c->rows[members[k / 2]].sides[k % 2].block;
    if (block >= 0 && blocks[block].rows != 6) return false;
  }
  return true;
}

static bool is_usable(const flg_complementarity_statistics *statistics) {
  const bool iterated = statistics->method == FLG_METHOD_ITERATIVE;
  return statistics->residual < (iterated ? USABLE_ITERATED : USABLE);
}

/* A mechanism, or a few, on the ground and on each other: no heap. */
static bool is_few(const flg_contacts *c, const int *members, int count) {
  int blocks[FEW_BLOCKS], found = 0;
  for (int k = 0; k < 2 * count; k++) {
    const int block = c->rows[members[k / 2]].sides[k % 2].block;
    int i = 0;
    while (i < found && blocks[i] != block) i++;
    if (block < 0 || i < found) continue;
    if (found == FEW_BLOCKS) return false;
    blocks[found++] = block;
  }
  return true;
}

/* The law that fits n rows, with their W. */
static flg_contact_law *choose_law(flg_contacts *c, const flg_touch_block *blocks,
                                   const int *members, flg_touch_problem *problem) {
  const int count = problem->touch_count, n = problem->row_count;
  /* bodies without joints that rub on each other: there it is rows that are swept fast */
  const bool loose = is_loose(c, blocks, members, count);
  const bool is_heap = c->sparse_law != NULL && n > count && loose;
  if (n > c->dense_rows || (n > FLG_CONTACT_MANY && is_heap)) {
    flg_contacts_fill_sparse(c, blocks, members, count);
    problem->sparse = &c->sparse;
    return c->sparse_law;
  }
  flg_contacts_fill(c, blocks, members, count, n);
  leave_blocked_dense(c, blocks, members, count, n);
  problem->admittance = c->admittance;
  if (problem->in_heap) {
    flg_contacts_fill_sparse(c, blocks, members, count);
    problem->sparse = &c->sparse;
  }
  return loose || !is_few(c, members, count) ? c->law : c->patient_law;
}

/* Again from the start: heaps of masses that are far apart cannot be iterated. */
static flg_status solve_patiently(flg_contacts *c, const flg_touch_block *blocks,
                                  const int *members, flg_touch_problem *problem,
                                  flg_contact_law_report *report) {
  const int count = problem->touch_count, n = problem->row_count;
  close_load(c, blocks, members, count, n);
  flg_contacts_fill(c, blocks, members, count, n);
  leave_blocked_dense(c, blocks, members, count, n);
  problem->admittance = c->admittance;
  const flg_status status = flg_contact_law_solve(c->patient_law, problem, report);
  return status == FLG_ERR_DIVERGED && is_usable(&report->statistics) ? FLG_OK : status;
}

/* Of what forces add in a step: what is faster has other impulses in the next. */
static const double STIRS = 0.1;

static bool moves_on(const flg_contacts *c, const flg_touch_problem *problem) {
  double before = 0, push = 0;
  for (int i = 0; i < problem->row_count; i++) {
    before = flg_larger(before, fabs(c->before[i]));
    push = flg_larger(push, fabs(c->free[i] - c->before[i]));
  }
  return before > STIRS * push;
}

/* Iterations leave something while a heap moves. What consists of a few bodies need not, unless it
 * is a piece of a larger heap, for which springs were tried. */
static bool is_inexact(const flg_contacts *c, const flg_contact_law *law, const int *members,
                       const flg_touch_problem *problem, const flg_contact_law_report *report) {
  const flg_complementarity_statistics *left = &report->statistics;
  const bool is_rounding = !(left->excess > 0);
  return law == c->sparse_law && left->residual > INEXACT && !is_rounding &&
         is_few(c, members, problem->touch_count) && !problem->in_heap;
}

/* --- impulses that the coupling has found ------------------------------------------------------
 */

/* D x of the six rows of a port, x: the impulses on its block */
FLG_SMALL void answer_at(const flg_touch_block *block, int row, double *answer) {
  flg_six sum = {{0}, {0}};
  for (int j = 0; j < block->rows; j++) {
    if (block->impulses[j] == 0) continue;
    flg_six_add(block->impulses[j], block->admittance + row + (size_t)j * (size_t)block->rows,
                &sum);
  }
  flg_six_store(&sum, answer);
}

/* w+ = f + J (D x) */
FLG_WIDE_VECTORS
static void find_after_closing(const flg_contacts *c, const flg_touch_block *blocks,
                               const int *members, int count) {
  const flg_touch_side *seen = NULL; /* the rows that D x is known of: many are on one port */
  double answer[6] = {0};
  for (int k = 0; k < count; k++) {
    c->after[k] = c->free[k];
    for (int s = 0; s < 2; s++) {
      const flg_touch_side *side = &c->rows[members[k]].sides[s];
      if (side->block < 0) continue;
      const bool is_seen = seen != NULL && seen->block == side->block && seen->row == side->row;
      if (!is_seen) answer_at(&blocks[side->block], side->row, answer);
      seen = side;
      for (int i = 0; i < 6; i++) c->after[k] += side->rows[i][0] * answer[i];
    }
  }
}

static void clear_impulses(const flg_contacts *c, const flg_touch_block *blocks, const int *members,
                           int count) {
  for (int k = 0; k < 2 * count; k++) {
    const int block = c->rows[members[k / 2]].sides[k % 2].block;
    if (block >= 0) memset(blocks[block].impulses, 0, (size_t)blocks[block].rows * sizeof(double));
  }
}

/* The coupling has closed the same contacts together with the interfaces: where its impulses are
 * the answer here, too, they are taken as they are. Of contacts alone, that have one row each. */
static bool close_agrees(flg_contacts *c, const flg_touch_block *blocks, const int *members,
                         const flg_touch_problem *problem, flg_contact_law_report *report) {
  const int count = problem->touch_count;
  if (problem->row_count != count || members[count - 1] >= c->contact_count) return false;
  close_push(c, blocks, members, count);
  find_after_closing(c, blocks, members, count);
  if (!flg_contact_law_accepts(c->law, problem, report)) {
    clear_impulses(c, blocks, members, count);
    return false;
  }
  flg_contacts_store(c, members, count);
  return true;
}

/* W is needed only where something is to be moved */
static void lift_agreed(flg_contacts *c, const flg_touch_block *blocks, const int *members,
                        flg_touch_problem *problem, flg_contact_law_report *report) {
  const int count = problem->touch_count;
  problem->bends = find_bends(c, blocks, members, count, 0);
  if (!flg_contact_law_overlaps(c->law, problem)) return;
  memset(problem->moves, 0, (size_t)problem->row_count * sizeof(double));
  flg_contact_law *law = choose_law(c, blocks, members, problem);
  if (flg_contact_law_lift(law, problem, report)) store_moves(c, blocks, members, count);
}

/* --- one island: its impulses are found here, or given by a coupling ---------------------------
 */

/* Impulses, then positions, which depend on how far bodies turn under them. */
static flg_status push_and_lift(flg_contacts *c, const flg_touch_block *blocks, const int *members,
                                flg_touch_problem *problem, flg_contact_law_report *report) {
  const int count = problem->touch_count;
  const bool are_expected = close_load(c, blocks, members, count, problem->row_count);
  if (are_expected && close_agrees(c, blocks, members, problem, report)) {
    lift_agreed(c, blocks, members, problem, report);
    return FLG_OK;
  }
  problem->in_heap =
      c->block_count > FEW_IN_ALL && !problem->stays && is_loose(c, blocks, members, count);
  problem->moves_on = problem->in_heap && moves_on(c, problem);
  flg_contact_law *law = choose_law(c, blocks, members, problem);
  flg_status status = flg_contact_law_solve(law, problem, report);
  if (status == FLG_ERR_DIVERGED && is_usable(&report->statistics)) status = FLG_OK;
  const bool again = status == FLG_ERR_DIVERGED ? law != c->patient_law
                                                : is_inexact(c, law, members, problem, report);
  if (again && problem->row_count <= c->dense_rows) {
    law = c->patient_law;
    status = solve_patiently(c, blocks, members, problem, report);
  }
  if (status != FLG_OK) return status;
  close_push(c, blocks, members, count);
  flg_contacts_store(c, members, count);
  if (report->moves) store_moves(c, blocks, members, count);
  problem->bends = find_bends(c, blocks, members, count, report->hits);
  if (flg_contact_law_lift(law, problem, report)) store_moves(c, blocks, members, count);
  return FLG_OK;
}

/* Heaps stop in two steps where they land: hits would take most of the time. */
static bool can_island_land(const flg_contacts *c, const flg_touch_block *blocks,
                            const int *members, int count) {
  if (c->are_still) return false;
  if (!flg_contacts_have_heaps(c)) return true;
  return is_few(c, members, count) && !is_loose(c, blocks, members, count);
}

static flg_status close_island(flg_contacts *c, const flg_touch_block *blocks,
                               const flg_touch_stop *stops, int island, int *largest) {
  const int *members = c->islands.members + c->islands.starts[island];
  const int count = c->islands.starts[island + 1] - c->islands.starts[island];
  const bool lands = can_island_land(c, blocks, members, count);
  const int n = list_island_touches(c, stops, members, count, lands);
  flg_contact_law_report report = {.statistics.residual = HUGE_VAL};
  flg_touch_problem problem = flg_contacts_problem(c, count, n);
  problem.is_kick = c->is_kick, problem.stays = c->expected_count > 0;
  if (n > c->most_rows) return FLG_ERR_CAPACITY;
  const flg_status status = push_and_lift(c, blocks, members, &problem, &report);
  flg_contacts_report_island(c, &report, members[0], n, largest);
  c->moved = c->moved || (status == FLG_OK && report.moves);
  return status;
}

/* --- all of them ----------------------------------------------------------------------------- */

static void clear_blocks(const flg_contacts *c, const flg_touch_block *blocks) {
  for (int b = 0; b < c->block_count; b++) {
    const size_t bytes = (size_t)blocks[b].rows * sizeof(double);
    if (bytes == 0) continue;
    memset(blocks[b].impulses, 0, bytes);
    memset(blocks[b].moves, 0, bytes);
  }
}

/* the rate at which a contact opens that joints hold along its normal: impulses do not change it */
static double blocked_rate(const flg_contacts *c, const flg_touch_block *blocks, int k) {
  flg_touch_rows touch = c->rows[k];
  double rate = 0;
  touch.rows = 1;
  for (int s = 0; s < 2; s++) {
    const flg_touch_side *side = &touch.sides[s];
    if (side->block >= 0) add_velocities(&touch, side, blocks[side->block].free, &rate);
  }
  return rate;
}

/* Prescribed motions may drive into each other what joints hold: no impulse can keep them apart. */
static void report_blocked(flg_contacts *c, const flg_touch_block *blocks) {
  for (int k = 0; k < c->contact_count; k++) {
    if ((c->rows[k].blocked & FLG_BLOCKED_NORMAL) == 0) continue;
    const flg_contact_law_options *law = &c->options.law;
    const double length = close_length_of(c, &c->contacts[k]);
    const double slop = law->slop * (length > 0 ? length : law->length);
    const double way = c->h * blocked_rate(c, blocks, k);
    if (!(way < -slop && c->contacts[k].gap + way < -slop)) continue;
    c->report.unsolved++;
    c->report.residual = flg_larger(c->report.residual, 1), c->report.worst = k;
  }
}

void flg_contacts_strike(flg_contacts *contacts, const flg_struck_touch *list, int count) {
  contacts->struck = list, contacts->struck_count = count;
}

flg_status flg_contacts_close(flg_contacts *contacts, const flg_touch_block *blocks,
                              const flg_touch_place *places, const flg_touch_stop *stops,
                              int stop_count, double h) {
  int largest = 0;
  if (stop_count > contacts->stop_capacity) return FLG_ERR_CAPACITY;
  contacts->is_fresh = false;
  contacts->stop_count = stop_count, contacts->h = h, contacts->moved = false;
  flg_contacts_start_report(contacts);
  clear_blocks(contacts, blocks);
  place_contacts(contacts, places);
  place_stops(contacts, stops);
  flg_islands_find(contacts);
  for (int k = 0; k < contacts->islands.count; k++) {
    const flg_status status = close_island(contacts, blocks, stops, k, &largest);
    if (status != FLG_OK) return status;
  }
  report_blocked(contacts, blocks);
  flg_contacts_report_states(contacts);
  flg_contacts_note_struck(contacts);
  flg_contacts_keep(contacts);
  return FLG_OK;
}
