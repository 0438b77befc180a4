/* Dense algebra of small matrices, with and without full rank, and turns. Larger ones go to
 * OpenBLAS, whose bits depend on the processor. */
#include "math/axial.h"
#include "math/dense.h"
#include "math/eigenvalues.h"
#include "math/exponential.h"
#include "math/pivoted_cholesky.h"
#include "math/pivoted_qr.h"
#include "math/rotation.h"
#include "stored/kernels.h"

enum { MOST = 20, PLACES_OF = MOST * MOST, TURNS = 200 };

static void fill(random_source *source, int count, double *x) {
  for (int k = 0; k < count; k++) x[k] = random_uniform(source, -1, 1);
}

/* V^T V of any rank */
static void fill_gram(random_source *source, int n, int rank, double *a) {
  double v[PLACES_OF];
  fill(source, rank * n, v);
  memset(a, 0, sizeof *a * (size_t)(n * n));
  flg_dense_multiply_left_transposed(n, n, rank, 1, v, rank, v, rank, a, n);
}

static void run_products(random_source *source, digest *to) {
  for (int k = 0; k < 60; k++) {
    double a[PLACES_OF], b[PLACES_OF], c[PLACES_OF], x[MOST], y[MOST];
    const int m = random_integer(source, 1, MOST), n = random_integer(source, 1, MOST);
    const int inner = random_integer(source, 1, MOST);
    int given[MOST], count = 0;
    fill(source, PLACES_OF, a), fill(source, PLACES_OF, b), fill(source, PLACES_OF, c);
    fill(source, MOST, x), fill(source, MOST, y);
    flg_dense_multiply(m, n, inner, 0.7, a, MOST, b, MOST, c, MOST);
    flg_dense_multiply_left_transposed(m, n, inner, -0.3, a, MOST, b, MOST, c, MOST);
    flg_dense_multiply_right_transposed(m, n, inner, 1, a, MOST, b, MOST, c, MOST);
    flg_dense_apply(m, n, -1, a, MOST, x, y), flg_dense_apply_transposed(n, m, 0.5, b, MOST, x, y);
    for (int i = 0; i < n; i += 1 + i % 3) given[count++] = i;
    flg_dense_apply_some(m, count, given, a, MOST, x, y);
    flg_dense_downdate_outer(m, inner, a, MOST, b, MOST);
    flg_dense_mirror(m, a, MOST);
    add_numbers(to, OTHERS, PLACES_OF, a), add_numbers(to, OTHERS, PLACES_OF, b);
    add_numbers(to, OTHERS, PLACES_OF, c), add_numbers(to, OTHERS, MOST, y);
  }
}

static void run_factors(random_source *source, digest *to) {
  for (int k = 0; k < 60; k++) {
    double s[PLACES_OF], l[PLACES_OF] = {0}, x[MOST], work[40 * MOST], tau[MOST], scale[MOST];
    int order[MOST];
    const int n = random_integer(source, 1, MOST);
    const int rank = k % 2 == 0 ? n : random_integer(source, 1, n);
    fill_gram(source, n, rank, s), fill(source, MOST, x);
    for (int i = 0; i < n; i++) scale[i] = k % 5 == 1 && i == 0 ? 0 : s[i * (n + 1)];
    const int found = flg_pivoted_cholesky_factor(n, s, n, scale, FLG_PIVOT_TOLERANCE, order, l, n);
    add_count(to, found);
    for (int i = 0; i < n; i++) add_count(to, order[i]);
    if (found > 0)
      add_count(
          to, flg_pivoted_cholesky_refactor(found, order, s, n, scale, FLG_PIVOT_TOLERANCE, l, n));
    add_numbers(to, OTHERS, n * n, l);
    memcpy(l, s, sizeof l);
    for (int i = 0; i < n; i++) l[i * (n + 1)] += 0.1;
    memcpy(s, l, sizeof s);
    add_count(to, flg_dense_cholesky(n, l, n));
    flg_dense_cholesky_solve(n, l, n, x);
    flg_dense_solve_upper(n, s, n, x), flg_dense_solve_upper_transposed(n, s, n, x);
    add_count(to, flg_dense_ldlt(n, s, n, work));
    flg_dense_ldlt_solve(n, s, n, x);
    add_numbers(to, OTHERS, n, x), add_numbers(to, OTHERS, n * n, s);
    const int rows = random_integer(source, 1, MOST);
    fill(source, PLACES_OF, s), fill(source, MOST, x), fill(source, MOST, tau);
    if (k % 3 == 0 && n > 1) memcpy(s + rows, s, sizeof *s * (size_t)rows); /* twice the same */
    const int known = flg_pivoted_qr_factor(rows, n, s, rows, 1e-10, tau, order, work);
    add_count(to, known);
    flg_pivoted_qr_solve(rows, n, known, s, rows, tau, order, x, scale);
    add_numbers(to, OTHERS, rows * n, s), add_numbers(to, OTHERS, n, scale);
  }
}

static void run_values(random_source *source, digest *to) {
  for (int k = 0; k < 60; k++) {
    double a[PLACES_OF], values[FLG_EIGENVALUES_MAX], Z[4];
    double phi[FLG_PHI_COUNT][FLG_PHI_SIZE_MAX * FLG_PHI_SIZE_MAX];
    const int n = random_integer(source, 1, FLG_EIGENVALUES_MAX);
    fill_gram(source, n, random_integer(source, 1, n), a);
    add_count(to, flg_eigenvalues_symmetric(n, a, values));
    add_numbers(to, OTHERS, n, values);
    fill(source, 4, Z);
    const double size = pow(10, random_uniform(source, -6, 2));
    for (int i = 0; i < 4; i++) Z[i] *= size;
    flg_phi(2, Z, phi);
    for (int i = 0; i < FLG_PHI_COUNT; i++) add_numbers(to, OTHERS, 4, phi[i]);
  }
}

static flg_vec3 draw_vector(random_source *source) {
  double v[3];
  fill(source, 3, v);
  return flg_vec3_load(v);
}

/* small and large ones, and half turns */
static void run_turns(random_source *source, digest *to) {
  for (int k = 0; k < TURNS; k++) {
    const double size = k % 4 == 0 ? pow(10, random_uniform(source, -12, 0)) : 4;
    const flg_vec3 way = flg_vec3_scale(draw_vector(source), size), spin = draw_vector(source);
    flg_quat q = flg_quat_exp(way);
    if (k % 7 == 0) q = flg_quat_from_axis_angle(way, 3.1415926535897931);
    const flg_mat3 matrix = flg_quat_to_matrix(q);
    const flg_quat all[] = {q, flg_quat_from_matrix(&matrix),
                            flg_quat_integrate_world(q, spin, 0.1 * size),
                            flg_quat_integrate_body(q, spin, 0.1 * size)};
    for (int i = 0; i < 4; i++)
      add_numbers(to, PLACES, 4, (const double[]){all[i].w, all[i].x, all[i].y, all[i].z});
    add_vector(to, PLACES, flg_quat_log(q)), add_vector(to, PLACES, flg_vec3_perpendicular(way));
    flg_axial axial = {0};
    const flg_vec3 n = flg_vec3_normalise(spin);
    flg_sym3 s = flg_sym3_add_scaled(flg_sym3_diagonal(1 + size), 0.5, flg_sym3_outer(n));
    if (k % 3 == 0) s.xy += 0.01;
    add_count(to, flg_axial_find(s, &axial));
    add_number(to, OTHERS, axial.across), add_number(to, OTHERS, axial.more);
    add_vector(to, OTHERS, axial.axis);
  }
}

const kernel math_kernels[] = {{"products", run_products, 2},
                               {"factors", run_factors, 4},
                               {"values", run_values, 2},
                               {"turns", run_turns, 2},
                               {NULL, NULL, 0}};
