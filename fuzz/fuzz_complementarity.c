/* Any bytes as a matrix, rows between bodies, bounds and contacts: a status after a capped number
 * of iterations, and what is called solved is finite and has a small residual. Bytes are taken as
 * raw numbers (NaN, infinity, denormals) or as small integers, which meet more ties. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "complementarity/complementarity.h"

enum { LARGEST = 24, BODIES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
  const uint8_t *data;
  size_t left;
} bytes;

typedef struct input {
  int n, symmetric, raw, squared;
  double a[LARGEST * LARGEST], q[LARGEST], lower[LARGEST], upper[LARGEST];
} input;

static void demand(int holds) {
  if (!holds) abort();
}

static uint8_t next_byte(bytes *b) {
  if (b->left == 0) return 0;
  b->left--;
  return *b->data++;
}

static double next_number(bytes *b, int raw) {
  if (!raw) return (double)((int)next_byte(b) - 128) / 16;
  uint64_t bits = 0;
  double value;
  for (int k = 0; k < 8; k++) bits = bits << 8 | next_byte(b);
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double bound_of(uint8_t code, double value, double without) {
  return code % 4 == 0 ? without : code % 4 == 1 ? 0 : value;
}

/* B^T B of the matrix that was read: semidefinite */
static void square(input *in) {
  static double b[LARGEST * LARGEST];
  const int n = in->n;
  memcpy(b, in->a, sizeof b);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      in->a[i + j * n] = 0;
      for (int k = 0; k < n; k++) in->a[i + j * n] += b[k + i * n] * b[k + j * n];
    }
  }
}

static void read_input(bytes *b, input *in) {
  const uint8_t flags = next_byte(b);
  in->n = next_byte(b) % (LARGEST + 1);
  in->raw = flags & 1, in->symmetric = flags & 2, in->squared = flags & 4;
  for (int j = 0; j < in->n; j++) {
    for (int i = 0; i < in->n; i++) {
      const double value = in->symmetric && i < j ? in->a[j + i * in->n] : next_number(b, in->raw);
      in->a[i + j * in->n] = value;
    }
  }
  for (int i = 0; i < in->n; i++) {
    const uint8_t code = next_byte(b);
    in->q[i] = next_number(b, in->raw);
    const double value = next_number(b, in->raw);
    in->lower[i] = bound_of(code, value, -HUGE_VAL);
    in->upper[i] = bound_of(code >> 2, value + next_byte(b), HUGE_VAL);
  }
  if (in->squared) square(in);
}

static void check(flg_status status, int n, const double *z, const double *w,
                  const flg_complementarity_statistics *statistics) {
  demand(status == FLG_OK || status == FLG_ERR_RANGE || status == FLG_ERR_PHYSICS ||
         status == FLG_ERR_DIVERGED);
  demand((status == FLG_OK) == (statistics->outcome == FLG_OUTCOME_SOLVED));
  for (int i = 0; i < n && status == FLG_OK; i++) demand(isfinite(z[i]) && isfinite(w[i]));
  demand(status != FLG_OK || statistics->residual <= 1e-10);
}

/* the same numbers as rows between bodies: Jacobians from the matrix, masses from its columns */
static flg_sparse_rows read_rows(bytes *b, const input *in) {
  static int body[2 * LARGEST];
  static double jacobian[12 * LARGEST], inverse_mass[36 * BODIES];
  const size_t count = (size_t)(in->n * in->n);
  for (int k = 0; k < 2 * in->n; k++) body[k] = next_byte(b) % (BODIES + 2) - 1;
  for (size_t k = 0; k < (size_t)(12 * in->n); k++) jacobian[k] = in->a[k % count];
  for (size_t k = 0; k < 36 * BODIES; k++) {
    inverse_mass[k] = in->symmetric ? k % 36 % 7 == 0 : in->n > 0 ? in->a[k % count] : 1;
  }
  return (flg_sparse_rows){BODIES, body, jacobian, inverse_mass, in->raw ? in->q : NULL};
}

static int list_contacts(const input *in, flg_friction_contact *contacts) {
  int count = 0;
  for (; 3 * count + 2 < in->n; count++) {
    contacts[count] = (flg_friction_contact){
        3 * count, {3 * count + 1, 3 * count + 2}, fabs(in->q[3 * count + 1])};
  }
  return count;
}

static void solve_friction(flg_complementarity *solver, const input *in,
                           const flg_complementarity_matrix *matrix, unsigned char *states,
                           double *z, double *w) {
  flg_friction_contact contacts[LARGEST / 3 + 1];
  flg_complementarity_statistics statistics;
  const int count = list_contacts(in, contacts);
  flg_status status =
      flg_complementarity_box(solver, matrix, in->q, count, contacts, states, z, w, &statistics);
  check(status, in->n, z, w, &statistics);
  status =
      flg_complementarity_cone(solver, matrix, in->q, count, contacts, states, z, w, &statistics);
  check(status, in->n, z, w, &statistics);
}

static void solve_all(flg_complementarity *solver, const input *in, const flg_sparse_rows *rows) {
  const flg_complementarity_matrix matrix = {.n = in->n, .dense = in->a, .leading = in->n};
  double z[LARGEST] = {0}, w[LARGEST] = {0};
  unsigned char states[LARGEST] = {0};
  flg_complementarity_statistics statistics;
  flg_status status = flg_complementarity_linear(solver, &matrix, in->q, states, z, w, &statistics);
  check(status, in->n, z, w, &statistics);
  status = flg_complementarity_mixed(solver, &matrix, in->q, in->lower, in->upper, states, z, w,
                                     &statistics);
  check(status, in->n, z, w, &statistics);
  const flg_complementarity_matrix sparse = {.n = in->n, .sparse = rows};
  status = flg_complementarity_mixed(solver, &sparse, in->q, in->lower, in->upper, states, z, w,
                                     &statistics);
  check(status, in->n, z, w, &statistics);
  solve_friction(solver, in, &matrix, states, z, w);
  solve_friction(solver, in, &sparse, states, z, w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static input in;
  bytes b = {data, size};
  flg_complementarity_options options = flg_complementarity_default();
  options.method = (flg_complementarity_method)(next_byte(&b) % (FLG_METHOD_ITERATIVE + 1));
  options.iterations = 60, options.bodies = BODIES;
  read_input(&b, &in);
  const flg_sparse_rows rows = read_rows(&b, &in);
  flg_region region = {0};
  flg_complementarity *solver = NULL;
  demand(flg_complementarity_build(&solver, LARGEST, &options, &region, NULL) == FLG_OK);
  solve_all(solver, &in, &rows);
  flg_region_release(&region);
  return 0;
}
