/* test_matrices.h - random matrices for the tests of this folder, with guards around them.
 *
 * A matrix has spare rows between its columns, filled with a mark that assert_guarded looks for,
 * and ends where its allocation ends, so that AddressSanitizer sees every step too far.
 */
#ifndef FLG_MATH_TEST_MATRICES_H
#define FLG_MATH_TEST_MATRICES_H

#include <float.h>
#include <stdlib.h>

#include "check.h"

static const double GUARD = 12345.678;

typedef struct matrix {
  int rows, columns, ld;
  double *data;
} matrix;

static inline double *element(matrix a, int i, int j) {
  return a.data + i + (size_t)j * a.ld;
}

static inline matrix matrix_of(int rows, int columns, int spare) {
  matrix a = {rows, columns, rows + spare > 0 ? rows + spare : 1, NULL};
  a.data = malloc(((size_t)a.ld * columns + 1) * sizeof(double));
  assert_non_null(a.data);
  for (size_t k = 0; k <= (size_t)a.ld * columns; k++) a.data[k] = GUARD;
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) *element(a, i, j) = 0;
  }
  return a;
}

static inline matrix copy_of(matrix a) {
  matrix b = a;
  const size_t bytes = ((size_t)a.ld * a.columns + 1) * sizeof(double);
  b.data = malloc(bytes);
  assert_non_null(b.data);
  memcpy(b.data, a.data, bytes);
  return b;
}

static inline void assert_guarded(matrix a) {
  for (int j = 0; j < a.columns; j++) {
    for (int i = a.rows; i < a.ld; i++) assert_true(*element(a, i, j) == GUARD);
  }
  assert_true(a.data[(size_t)a.ld * a.columns] == GUARD);
}

/* checks the guards, then frees */
static inline void drop(matrix a) {
  assert_guarded(a);
  free(a.data);
}

static inline matrix random_matrix(random_source *source, int rows, int columns) {
  matrix a = matrix_of(rows, columns, random_integer(source, 0, 3));
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) *element(a, i, j) = random_uniform(source, -1, 1);
  }
  return a;
}

/* B B^T of a random B (n x rank): semidefinite, of that rank; both triangles filled */
static inline matrix random_semidefinite(random_source *source, int n, int rank) {
  matrix b = random_matrix(source, n, rank), a = matrix_of(n, n, random_integer(source, 0, 3));
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < rank; k++) sum += *element(b, i, k) * *element(b, j, k);
      *element(a, i, j) = *element(a, j, i) = sum;
    }
  }
  drop(b);
  return a;
}

/* well conditioned: n + B B^T */
static inline matrix random_definite(random_source *source, int n) {
  matrix a = random_semidefinite(source, n, n);
  for (int i = 0; i < n; i++) *element(a, i, i) += n;
  return a;
}

/* rows and columns i times the same random power of ten, 1e-6 to 1e6 */
static inline void scale_badly(random_source *source, matrix a) {
  for (int i = 0; i < a.rows; i++) {
    const double factor = pow(10, random_uniform(source, -6, 6));
    for (int j = 0; j < a.columns; j++) *element(a, i, j) *= factor;
    for (int j = 0; j < a.rows && i < a.columns; j++) *element(a, j, i) *= factor;
  }
}

static inline double matrix_difference(matrix a, matrix b) {
  double largest = 0;
  for (int j = 0; j < a.columns; j++) {
    const double difference = max_difference(element(a, 0, j), element(b, 0, j), a.rows);
    largest = flg_larger(largest, difference);
  }
  return largest;
}

static inline int matrix_is_same(matrix a, matrix b) {
  for (int j = 0; j < a.columns; j++) {
    const size_t bytes = (size_t)a.rows * sizeof(double);
    if (bytes != 0 && memcmp(element(a, 0, j), element(b, 0, j), bytes) != 0) return 0;
  }
  return 1;
}

/* mostly small, sometimes up to 64 */
static inline int random_size(random_source *source) {
  return random_integer(source, 0, 3) > 0 ? random_integer(source, 0, 14)
                                          : random_integer(source, 15, 64);
}

#endif
