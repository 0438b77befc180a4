/* Rows between bodies: A = J M^-1 J^T + diag(softness), never formed for large problems.
 *
 * J_i and M^-1 J_i^T of a row lie side by side, with zeros for the ground, which has a place of its
 * own in u: a product with A costs 24 multiplications a row, without a branch. Where bodies form
 * groups, a row pushes all others of its group besides, by the parts of D between them. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/six.h"
#include "math/wide_vectors.h"

enum { FREEDOM = 6, ROW = 24, HALF = 12 };

static const double ASYMMETRY = 1e-9; /* of M^-1, by its diagonal */

static int mass_is_sound(const double *m) {
  double poison = 0;
  for (int k = 0; k < FREEDOM * FREEDOM; k++) poison += 0 * m[k];
  if (poison != 0) return 0;
  for (int j = 0; j < FREEDOM; j++) {
    if (m[7 * j] < 0) return 0;
    for (int i = 0; i < j; i++) {
      const double difference = m[i + 6 * j] - m[j + 6 * i];
      if (difference * difference > ASYMMETRY * ASYMMETRY * m[7 * i] * m[7 * j]) return 0;
    }
  }
  return 1;
}

static int sparse_sizes_are_sound(const flg_complementarity *solver,
                                  const flg_complementarity_matrix *matrix) {
  const flg_sparse_rows *sparse = matrix->sparse;
  if (sparse->body_count < 0 || sparse->body_count > solver->options.bodies) return 0;
  for (int b = 0; b < sparse->body_count; b++) {
    if (!mass_is_sound(sparse->inverse_mass + (size_t)36 * (size_t)b)) return 0;
  }
  for (int i = 0; i < matrix->n; i++) {
    const int a = sparse->body[2 * i], b = sparse->body[2 * i + 1];
    if (a < -1 || a >= sparse->body_count || b < -1 || b >= sparse->body_count) return 0;
    if (a == b && a >= 0) return 0;
    if (sparse->softness != NULL && !(sparse->softness[i] >= 0 && sparse->softness[i] < HUGE_VAL))
      return 0;
  }
  return 1;
}

/* where freedom k of the first or second body of a row is in its half of a block */
static int sparse_place(int side, int k) {
  return k < 4 ? 4 * side + k : 4 + 2 * side + k;
}

/* six numbers of the first or second body into their places */
FLG_SMALL void place_in_half(const double from[FREEDOM], int side, double *half) {
  memcpy(half + (ptrdiff_t)4 * side, from, 4 * sizeof(double));
  memcpy(half + (ptrdiff_t)8 + 2 * side, from + 4, 2 * sizeof(double));
}

/* J of one body and M^-1 J^T; returns 0 * their sum */
FLG_SMALL double load_answer(const double *j, const double *m, int side, double *block) {
  flg_six sum = {{0}, {0}};
  double answer[FREEDOM], poison = 0;
  for (int k = 0; k < FREEDOM; k++) flg_six_add(j[k], m + (ptrdiff_t)FREEDOM * k, &sum);
  flg_six_store(&sum, answer);
  for (int i = 0; i < FREEDOM; i++) poison += 0 * answer[i];
  place_in_half(j, side, block), place_in_half(answer, side, block + HALF);
  return poison;
}

/* of all rows; returns 0 * their sum */
FLG_WIDE_VECTORS
static double load_answers(const flg_sparse_rows *sparse, int n, double *blocks) {
  double poison = 0;
  for (int k = 0; k < 2 * n; k++) {
    const int body = sparse->body[k];
    if (body < 0) continue;
    poison += load_answer(sparse->jacobian + (size_t)FREEDOM * (size_t)k,
                          sparse->inverse_mass + (size_t)36 * (size_t)body, k % 2,
                          blocks + (size_t)ROW * (size_t)(k / 2));
  }
  return poison;
}

int flg_sparse_load(flg_complementarity *solver, const flg_complementarity_matrix *matrix,
                    flg_rows *rows) {
  const flg_sparse_rows *sparse = matrix->sparse;
  if (!sparse_sizes_are_sound(solver, matrix)) return 0;
  rows->blocks = solver->blocks, rows->slots = solver->slots, rows->u = solver->motion;
  rows->motions = FREEDOM * (sparse->body_count + 1), rows->softness = sparse->softness;
  rows->u_before = rows->u + rows->motions, rows->u_direction = rows->u_before + rows->motions;
  rows->links = sparse->links;
  memset(solver->blocks, 0, (size_t)ROW * (size_t)rows->n * sizeof(double));
  for (int k = 0; k < 2 * rows->n; k++) {
    const int body = sparse->body[k];
    solver->slots[k] = FREEDOM * (body < 0 ? sparse->body_count : body);
  }
  return load_answers(sparse, rows->n, solver->blocks) == 0;
}

/* --- groups ---------------------------------------------------------------------------------- */

/* u += D f over a few rows and columns, in the compiler's sight where there are six of each */
static inline void add_block_product(const double *D, int leading, int rows, int columns,
                                     const double *f, double *u) {
  double sum[FREEDOM] = {0};
  for (int j = 0; j < columns; j++, D += leading) {
    for (int i = 0; i < rows; i++) sum[i] += D[i] * f[j];
  }
  for (int i = 0; i < rows; i++) u[i] += sum[i];
}

void flg_sparse_follow(const flg_sparse_link *links, int body, const double *f, double *u) {
  const flg_sparse_link *from = &links[body];
  for (int other = from->next; other != body; other = links[other].next) {
    const flg_sparse_link *to = &links[other];
    const double *D = to->D + to->row + (size_t)from->row * (size_t)from->leading;
    if (to->width == FREEDOM && from->width == FREEDOM) {
      add_block_product(D, from->leading, FREEDOM, FREEDOM, f, u + FREEDOM * other);
    } else {
      add_block_product(D, from->leading, to->width, from->width, f, u + FREEDOM * other);
    }
  }
}

double flg_sparse_between(const flg_sparse_link *links, int seen, const double *e, int pushed,
                          const double *f) {
  const flg_sparse_link *from = &links[pushed], *to = &links[seen];
  if (from->D != to->D) return 0;
  const double *D = to->D + to->row + (size_t)from->row * (size_t)from->leading;
  double sum = 0;
  for (int j = 0; j < from->width; j++, D += from->leading) {
    for (int i = 0; i < to->width; i++) sum += e[i] * D[i] * f[j];
  }
  return sum;
}

/* J of row i and one of its bodies, times a number */
static void copy_row_side(const flg_rows *rows, int i, int side, double times, double to[FREEDOM]) {
  const double *j = rows->blocks + (size_t)ROW * (size_t)i;
  for (int k = 0; k < FREEDOM; k++) to[k] = times * j[sparse_place(side, k)];
}

void flg_sparse_push_groups(const flg_rows *rows, int i, double change) {
  const int ground = rows->motions - FREEDOM;
  for (int s = 0; s < 2; s++) {
    const int slot = rows->slots[2 * i + s];
    if (slot == ground || rows->links[slot / FREEDOM].next == slot / FREEDOM) continue;
    double f[FREEDOM];
    copy_row_side(rows, i, s, change, f);
    flg_sparse_follow(rows->links, slot / FREEDOM, f, rows->u);
  }
}

/* --- elements -------------------------------------------------------------------------------- */

/* of bodies that are not the same */
static double across(const flg_rows *rows, int i, int a, int j, int b) {
  const int ground = rows->motions - FREEDOM;
  const int seen = rows->slots[2 * i + a], pushed = rows->slots[2 * j + b];
  if (rows->links == NULL || seen == ground || pushed == ground) return 0;
  double e[FREEDOM], f[FREEDOM];
  copy_row_side(rows, i, a, 1, e), copy_row_side(rows, j, b, 1, f);
  return flg_sparse_between(rows->links, seen / FREEDOM, e, pushed / FREEDOM, f);
}

/* of M^-1 J_j^T as row i sees it, through the bodies that they share */
static double shared(const flg_rows *rows, int i, int j) {
  const double *seen = rows->blocks + (size_t)ROW * (size_t)i;
  const double *moved = rows->blocks + (size_t)ROW * (size_t)j + HALF;
  const int *mine = rows->slots + (ptrdiff_t)2 * i, *other = rows->slots + (ptrdiff_t)2 * j;
  double sum = 0;
  if (rows->links == NULL && mine[0] == other[0] && mine[1] == other[1]) {
#pragma GCC unroll 12
    for (int c = 0; c < 2 * FREEDOM; c++) { /* of the first body, then of the second */
      const int k = sparse_place(c / FREEDOM, c % FREEDOM);
      sum += seen[k] * moved[k];
    }
    return sum;
  }
#pragma GCC unroll 2
  for (int a = 0; a < 2; a++) {
#pragma GCC unroll 2
    for (int b = 0; b < 2; b++) {
      if (mine[a] != other[b]) {
        sum += across(rows, i, a, j, b);
        continue;
      }
#pragma GCC unroll 6
      for (int k = 0; k < FREEDOM; k++) sum += seen[sparse_place(a, k)] * moved[sparse_place(b, k)];
    }
  }
  return sum;
}

double flg_rows_element(const flg_rows *rows, int i, int j) {
  if (rows->a != NULL) return rows->a[(size_t)i + (size_t)j * (size_t)rows->lda];
  return shared(rows, i, j) + (i == j && rows->softness != NULL ? rows->softness[i] : 0);
}

void flg_sparse_form(const flg_rows *rows, double *a) {
  const size_t n = (size_t)rows->n;
  for (int j = 0; j < rows->n; j++) {
    for (int i = j; i < rows->n; i++) {
      a[(size_t)i + (size_t)j * n] = a[(size_t)j + (size_t)i * n] = flg_rows_element(rows, i, j);
    }
  }
}

/* flg_sparse_push in vectors, with the same bits */
FLG_SMALL void push_wide(const flg_rows *rows, int i, double change) {
  const double *b = rows->blocks + (size_t)24 * (size_t)i + 12;
  double *x = rows->u + rows->slots[2 * i], *y = rows->u + rows->slots[2 * i + 1];
  *(flg_four *)x += *(const flg_four *)b * change;
  *(flg_four *)y += *(const flg_four *)(b + 4) * change;
  *(flg_two *)(x + 4) += *(const flg_two *)(b + 8) * change;
  *(flg_two *)(y + 4) += *(const flg_two *)(b + 10) * change;
  if (rows->links != NULL) flg_sparse_push_groups(rows, i, change);
}

/* flg_sparse_see, the sums of both bodies side by side */
FLG_SMALL double see_wide(const flg_rows *rows, int i, double z) {
  const double *j = rows->blocks + (size_t)24 * (size_t)i;
  const double *x = rows->u + rows->slots[2 * i], *y = rows->u + rows->slots[2 * i + 1];
  const flg_four p = *(const flg_four *)j * *(const flg_four *)x;
  const flg_four r = *(const flg_four *)(j + 4) * *(const flg_four *)y;
  const flg_two s = *(const flg_two *)(j + 8) * *(const flg_two *)(x + 4);
  const flg_two t = *(const flg_two *)(j + 10) * *(const flg_two *)(y + 4);
  flg_two sum = {rows->q[i], rows->softness == NULL ? 0 : rows->softness[i] * z};
  sum += (flg_two){p[0], r[0]}, sum += (flg_two){p[1], r[1]};
  sum += (flg_two){p[2], r[2]}, sum += (flg_two){p[3], r[3]};
  sum += (flg_two){s[0], t[0]}, sum += (flg_two){s[1], t[1]};
  return sum[0] + sum[1];
}

FLG_WIDE_VECTORS
void flg_sparse_gather(const flg_rows *rows, const double *z) {
  memset(rows->u, 0, (size_t)rows->motions * sizeof *rows->u);
  for (int i = 0; i < rows->n; i++) {
    if (z[i] != 0) push_wide(rows, i, z[i]);
  }
}

FLG_WIDE_VECTORS
void flg_sparse_apply(const flg_rows *rows, const double *z, double *w) {
  flg_sparse_gather(rows, z);
  for (int i = 0; i < rows->n; i++) w[i] = see_wide(rows, i, z[i]);
}
