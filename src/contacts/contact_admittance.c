/* W = J D J^T of an island, from the rows of each two touches that share a block. */
#include <string.h>

#include "contacts/contacts_inner.h"
#include "math/dense.h"
#include "math/wide_vectors.h"

/* D J^T of one side, as the rows of another in the same block see it; [c][i] as in the side. Where
 * one of them has a single row, the rest is zero. */
typedef struct answer {
  int row, width; /* of the other side, -1: none yet */
  double rows[6][4];
} answer;

static inline void admittance_multiply(const double *d, int leading, const flg_touch_side *mine,
                                       int mine_width, int width, answer *made) {
  for (int r = 0; r < width; r++, d++) {
    double sum[4] = {0, 0, 0, 0};
    for (int c = 0; c < mine_width; c++) {
      for (int i = 0; i < 4; i++) sum[i] += d[c * leading] * mine->rows[c][i];
    }
    memcpy(made->rows[r], sum, sizeof sum);
  }
}

static inline void find_answer(const flg_touch_block *block, const flg_touch_side *mine, int row,
                               int width, answer *made) {
  const double *d = block->admittance + row + (size_t)mine->row * (size_t)block->rows;
  made->row = row, made->width = width;
  if (width == 6 && mine->width == 6) { /* in the compiler's sight, since most are so */
    admittance_multiply(d, block->rows, mine, 6, 6, made);
    return;
  }
  memset(made->rows, 0, sizeof made->rows);
  admittance_multiply(d, block->rows, mine, mine->width, width, made);
}

/* Adds J_other D J_mine^T to the part of W at w. */
static inline void admittance_add_part(const flg_touch_side *other, int other_rows,
                                       const answer *mine, int rows, double *w, int n) {
  for (int i = 0; i < rows; i++, w += n) {
    double sum[4] = {0, 0, 0, 0};
    for (int c = 0; c < 6; c++) {
      for (int r = 0; r < 4; r++) sum[r] += other->rows[c][r] * mine->rows[c][i];
    }
    for (int r = 0; r < other_rows; r++) w[r] += sum[r];
  }
}

/* The columns of W that belong to one side of member k, from its own rows down. */
FLG_WIDE_VECTORS
static void fill_columns(flg_contacts *c, const flg_touch_block *blocks, const int *members,
                         int count, int k, int s, int n) {
  const flg_touch_rows *mine = &c->rows[members[k]];
  const flg_touch_side *side = &mine->sides[s];
  double *w = c->admittance + (size_t)c->touches[k].row * (size_t)n;
  answer made = {.row = -1, .width = -1};
  for (int j = k; j < count; j++) {
    const flg_touch_rows *other = &c->rows[members[j]];
    for (int t = 0; t < 2; t++) {
      const flg_touch_side *there = &other->sides[t];
      if (there->block != side->block) continue;
      if (made.row != there->row || made.width != there->width)
        find_answer(&blocks[side->block], side, there->row, there->width, &made);
      admittance_add_part(there, other->rows, &made, mine->rows, w + c->touches[j].row, n);
    }
  }
}

/* --- one port -------------------------------------------------------------------------------- */

/* All rows of an island that is on one port, side by side: robots that touch with one link, bodies
 * on the ground. */
enum { ALONE_MOST = 32, LANES = 4 };
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct alone {
  const flg_touch_side *side;         /* of the first */
  double rows[6][ALONE_MOST + LANES]; /* J^T; lanes past n are zero */
} alone;

/* The side that moves, where only one of both does; else NULL */
static const flg_touch_side *moving_side(const flg_touch_rows *touch) {
  const flg_touch_side *sides = touch->sides;
  if ((sides[0].block < 0) == (sides[1].block < 0)) return NULL;
  return sides[0].block < 0 ? &sides[1] : &sides[0];
}

static bool admittance_is_alone(const flg_contacts *c, const int *members, int count, int n,
                                alone *made) {
  if (n > ALONE_MOST) return false;
  made->side = moving_side(&c->rows[members[0]]);
  for (int k = 0; k < count; k++) {
    const flg_touch_side *side = moving_side(&c->rows[members[k]]), *first = made->side;
    if (side == NULL || side->width != 6 || side->row != first->row) return false;
    /* what is too much of it the next one overwrites */
    const int row = c->touches[k].row;
    for (int r = 0; r < 6; r++) memcpy(made->rows[r] + row, side->rows[r], LANES * sizeof(double));
  }
  for (int r = 0; r < 6; r++) {
    for (int i = n; i % LANES != 0; i++) made->rows[r][i] = 0;
  }
  return true;
}

/* W = J (D J^T), the lower triangle, and the other as its image */
FLG_WIDE_VECTORS
static void fill_alone(const alone *of, const flg_touch_block *block, int n, double *w) {
  const int all = (n + LANES - 1) / LANES, leading = block->rows;
  const double *d = block->admittance + (size_t)of->side->row * (size_t)(leading + 1);
  double answers[6][ALONE_MOST], column[ALONE_MOST] = {0};
  for (int r = 0; r < 6; r++) {
    for (int k = 0; k < all; k++) {
      quad sum = {0};
      for (int c = 0; c < 6; c++) sum += ((const quad *)of->rows[c])[k] * d[r + c * leading];
      ((quad *)answers[r])[k] = sum;
    }
  }
  for (int j = 0; j < n; j++) {
    for (int k = j / LANES; k < all; k++) {
      quad sum = {0};
      for (int r = 0; r < 6; r++) sum += ((const quad *)of->rows[r])[k] * answers[r][j];
      ((quad *)column)[k] = sum;
    }
    for (int i = j; i < n; i++) {
      w[i + (size_t)j * (size_t)n] = w[j + (size_t)i * (size_t)n] = column[i];
    }
  }
}

/* --- any island ------------------------------------------------------------------------------ */

static void fill_any(flg_contacts *contacts, const flg_touch_block *blocks, const int *members,
                     int count, int n) {
  memset(contacts->admittance, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int k = 0; k < count; k++) {
    for (int s = 0; s < 2; s++) {
      if (contacts->rows[members[k]].sides[s].block >= 0)
        fill_columns(contacts, blocks, members, count, k, s, n);
    }
  }
  flg_dense_mirror(n, contacts->admittance, n);
}

void flg_contacts_fill(flg_contacts *contacts, const flg_touch_block *blocks, const int *members,
                       int count, int n) {
  alone of;
  if (admittance_is_alone(contacts, members, count, n, &of)) {
    fill_alone(&of, &blocks[of.side->block], n, contacts->admittance);
  } else {
    fill_any(contacts, blocks, members, count, n);
  }
}

/* --- rows between bodies --------------------------------------------------------------------- */

/* The port, or the stop, that a side of touch k is of. */
static int admittance_unit_of(const flg_contacts *c, int k, int s) {
  if (k >= c->contact_count) return c->port_count + k - c->contact_count;
  return s == 0 ? c->contacts[k].body_a : c->contacts[k].body_b;
}

/* Of what joints hold D has but rounding: neither symmetric nor of one sign. */
static void copy_own(const flg_touch_block *block, const flg_touch_side *side, double *mass) {
  const size_t n = (size_t)block->rows;
  const double *D = block->admittance + (size_t)side->row * (n + 1);
  memset(mass, 0, 36 * sizeof *mass);
  for (size_t j = 0; j < (size_t)side->width; j++) {
    for (size_t i = 0; i < (size_t)side->width; i++) {
      const bool moves = D[i * (n + 1)] > 0 && D[j * (n + 1)] > 0;
      mass[i + 6 * j] = moves ? 0.5 * (D[i + j * n] + D[j + i * n]) : 0;
    }
  }
}

/* into the ring of its block, after the first of it */
static void join_ring(flg_contacts *c, const flg_touch_block *block, const flg_touch_side *side,
                      int body) {
  int *first = &c->islands.first[side->block];
  c->links[body] = (flg_sparse_link){body, side->row, side->width, block->admittance, block->rows};
  if (*first < 0) {
    *first = body;
    return;
  }
  c->links[body].next = c->links[*first].next;
  c->links[*first].next = body;
  c->sparse.links = c->links;
}

/* The number of a side's port or stop among the bodies, which are numbered as they come. */
static int admittance_body_of(flg_contacts *c, const flg_touch_block *blocks, int k, int s) {
  const flg_touch_side *side = &c->rows[k].sides[s];
  if (side->block < 0) return -1;
  int *number = &c->islands.bodies[admittance_unit_of(c, k, s)];
  if (*number >= 0) return *number;
  *number = c->sparse.body_count++;
  copy_own(&blocks[side->block], side, c->inverse_masses + (size_t)36 * (size_t)*number);
  join_ring(c, &blocks[side->block], side, *number);
  return *number;
}

static void fill_side(flg_contacts *c, const flg_touch_side *side, int body, int row, int rows,
                      int s) {
  for (int i = 0; i < rows; i++) {
    double *j = c->jacobian + (size_t)12 * (size_t)(row + i) + 6 * s;
    c->bodies[2 * (row + i) + s] = body;
    for (int k = 0; k < 6; k++) j[k] = side->rows[k][i];
  }
}

static double own_answer_of_row(const flg_contacts *c, int row) {
  const double *j = c->jacobian + (size_t)12 * (size_t)row;
  const int *body = c->bodies + (size_t)2 * (size_t)row;
  double sum = 0;
  for (int s = 0; s < 2; s++) {
    for (int t = 0; t < 2; t++) {
      if (body[s] < 0 || body[t] < 0) continue;
      sum += flg_sparse_between(c->links, body[s], j + 6 * s, body[t], j + 6 * t);
    }
  }
  return sum;
}

/* as in dense islands: no impulses along rows that joints hold */
static void leave_blocked_sparse(flg_contacts *c, const int *members, int count) {
  for (int k = 0; k < count; k++) {
    const flg_touch_rows *touch = &c->rows[members[k]];
    if (touch->rows < 3 || (c->sparse.links == NULL && touch->blocked == 0)) continue;
    const int first = c->touches[k].row;
    double own[3];
    for (int i = 0; i < 3; i++) own[i] = own_answer_of_row(c, first + i);
    for (unsigned blocked = flg_touch_blocked(touch, own), i = 0; blocked != 0;
         blocked >>= 1, i++) {
      if ((blocked & 1) == 0) continue;
      int *body = c->bodies + 2 * (size_t)(first + (int)i);
      body[0] = body[1] = -1;
      flg_touch_hold(c, first, (int)i);
    }
  }
}

static void forget_bodies(flg_contacts *c, const int *members, int count) {
  for (int k = 0; k < count; k++) {
    for (int s = 0; s < 2; s++) {
      const int block = c->rows[members[k]].sides[s].block;
      if (block < 0) continue;
      c->islands.first[block] = -1;
      c->islands.bodies[admittance_unit_of(c, members[k], s)] = -1;
    }
  }
}

void flg_contacts_fill_sparse(flg_contacts *contacts, const flg_touch_block *blocks,
                              const int *members, int count) {
  contacts->sparse = (flg_sparse_rows){.body = contacts->bodies,
                                       .jacobian = contacts->jacobian,
                                       .inverse_mass = contacts->inverse_masses};
  forget_bodies(contacts, members, count);
  for (int k = 0; k < count; k++) {
    const flg_touch_rows *touch = &contacts->rows[members[k]];
    for (int s = 0; s < 2; s++) {
      const int body = admittance_body_of(contacts, blocks, members[k], s);
      fill_side(contacts, &touch->sides[s], body, contacts->touches[k].row, touch->rows, s);
    }
  }
  leave_blocked_sparse(contacts, members, count);
}
