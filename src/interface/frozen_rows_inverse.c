/* Blocks of S^-1 from the factors of frozen rows, at the places where these have some (Takahashi,
 * Fagan and Chen 1973). With Z = S^-1, L^T Z = L^-1, and of a column j, from the last to the first,
 *
 *     Z_aj = - (sum over b of Z_ab L_bj) L_jj^-1      a, b: blocks below the diagonal
 *     Z_jj = L_jj^-T (L_jj^-1 - sum over a of L_aj^T Z_aj)
 *
 * Every Z_ab that this asks for has a place, as L_aj L_bj^T has one.
 */
#include <string.h>

#include "interface/frozen_rows_inner.h"

enum { MOST = FLG_FROZEN_ROWS_MAX };

/* a column of the factor, and where products of two of its entries go */
typedef struct column {
  const flg_frozen_block *of;
  const flg_frozen_entry *entries; /* (below) */
  const int *row, *target;         /* (below) places, (below * (below - 1) / 2) entries */
  int below;
} column;

/* Z_ab of two entries of a column, (i, j) */
static double between(const flg_frozen_rows *f, const column *c, int a, int b, int i, int j) {
  if (a == b) return f->diagonal[c->row[a]].numbers[i + j * MOST];
  const int first = a < b ? a : b, second = a < b ? b : a;
  const int pair = first * (2 * c->below - first - 1) / 2 + second - first - 1;
  const double *numbers = f->shares[c->target[pair]].numbers; /* its rows are those of the later */
  return a > b ? numbers[i + j * MOST] : numbers[j + i * MOST];
}

/* row i of sum over b of Z_ab L_bj */
static void gather(const flg_frozen_rows *f, const column *c, int a, int i, double *sum) {
  memset(sum, 0, MOST * sizeof *sum);
  for (int b = 0; b < c->below; b++) {
    const flg_frozen_block *later = c->entries[b].later;
    for (int k = 0; k < later->rows; k++) {
      const double share = between(f, c, a, b, i, k);
      for (int j = 0; j < c->of->rows; j++) {
        sum[j] += share * c->entries[b].numbers[k + j * later->room];
      }
    }
  }
}

static void invert_below(const flg_frozen_rows *f, const column *c, int a, double *to) {
  const int rows = c->of->rows;
  for (int i = 0; i < c->entries[a].later->rows; i++) {
    double sum[MOST];
    gather(f, c, a, i, sum);
    for (int j = 0; j < rows; j++) {
      double product = 0;
      for (int k = 0; k < rows; k++) product += sum[k] * c->of->inverse[k + j * c->of->room];
      to[i + j * MOST] = -product;
    }
  }
}

/* shares: of the column's entries */
static void invert_diagonal(const column *c, const flg_frozen_share *shares, double *to) {
  const int rows = c->of->rows, room = c->of->room;
  for (int j = 0; j < rows; j++) {
    double left[MOST];
    memcpy(left, c->of->inverse + j * room, (size_t)rows * sizeof *left);
    for (int a = 0; a < c->below; a++) {
      const flg_frozen_block *later = c->entries[a].later;
      for (int i = 0; i < rows; i++) {
        const double *L = c->entries[a].numbers + i * later->room;
        for (int k = 0; k < later->rows; k++) left[i] -= L[k] * shares[a].numbers[k + j * MOST];
      }
    }
    for (int i = 0; i < rows; i++) {
      double product = 0;
      for (int k = 0; k < rows; k++) product += c->of->upper[i + k * room] * left[k];
      to[i + j * MOST] = product;
    }
  }
}

void flg_frozen_rows_invert(flg_frozen_rows *rows) {
  const flg_sparse_pattern *pattern = &rows->pattern;
  const int *target = pattern->target + pattern->target_count;
  for (int p = rows->block_count - 1; p >= 0; p--) {
    const int first = pattern->first[p], below = pattern->below[p];
    target -= below * (below - 1) / 2;
    const column c = {&rows->blocks[p], rows->entries + first, pattern->row + first, target, below};
    for (int a = 0; a < below; a++) invert_below(rows, &c, a, rows->shares[first + a].numbers);
    invert_diagonal(&c, rows->shares + first, rows->diagonal[p].numbers);
  }
}

bool flg_frozen_rows_inverse(const flg_frozen_rows *rows, int joint, double *block) {
  const int place = rows->place[joint], count = rows->joints[joint].rows;
  if (place < 0 || rows->blocks[place].rows < count) return false;
  for (int j = 0; j < count; j++) {
    memcpy(block + j * count, rows->diagonal[place].numbers + j * MOST,
           (size_t)count * sizeof *block);
  }
  return true;
}
