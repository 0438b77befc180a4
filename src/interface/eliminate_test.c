/* One elimination at a time: the example of docs/theory.md, both forms and both paths on random
 * models, and what is refused.
 */
#include "interface/eliminate.h"

#include "check.h"
#include "interface/eliminate_inner.h"
#include "interface/interface_model.h"

enum { MOST = 40 };

static flg_elimination build(flg_region *region, const flg_elimination_shape *shape,
                             const int *const touched[2], const int *const kept[2]) {
  flg_elimination e;
  *region = (flg_region){0};
  assert_int_equal(flg_elimination_build(&e, shape, touched, kept, region, NULL), FLG_OK);
  return e;
}

/* --- docs/theory.md ------------------------------------------------------------------------------
 */

/* Two carts of 1 kg and 3 kg, coupled: a_0 - a_1 = 0. Cart 0 is pulled with 8 N from inside. */
static void the_example_of_the_theory_page_is_right(void **state) {
  (void)state;
  const flg_elimination_shape shape = {.constraints = 1,
                                       .rows = {1, 1},
                                       .touched = {1, 1},
                                       .kept = {1, 1},
                                       .tolerance = FLG_PIVOT_TOLERANCE};
  const int row = 0;
  const int *const rows[2] = {&row, &row};
  flg_region region;
  flg_elimination e = build(&region, &shape, rows, rows);
  e.G[0][0] = 1, e.G[1][0] = -1, e.scale[0] = 1 + 1. / 3;
  const double H0 = 1, H1 = 1. / 3, b0 = 8, b1 = 0;
  double H[4], b[2], l, x0, x1;
  assert_int_equal(flg_elimination_factor(&e, FLG_PIVOTS_CHOOSE, (const double *[]){&H0, &H1}, H),
                   FLG_OK);
  assert_int_equal(flg_elimination_refresh(&e, (const double *[]){&b0, &b1}, b), FLG_OK);
  for (int k = 0; k < 4; k++) assert_near(H[k], 0.25, 1e-15); /* one mass of 4 kg: rank 1 */
  assert_near(b[0], 2, 1e-15);
  assert_near(b[1], 2, 1e-15);
  const double pull[2] = {0, 4};
  flg_elimination_back(&e, pull, &l, (double *[]){&x0, &x1});
  assert_near(l, -5, 1e-14); /* the coupling holds cart 0 back with 5 N */
  assert_near(H0 * x0 + b0, 3, 1e-14);
  assert_near(H1 * x1 + b1, 3, 1e-14);
  /* velocities 4 and 0 m/s, projected: the carts are coupled while moving, momentum stays */
  const double v0 = 4, v1 = 0, none[2] = {0, 0};
  assert_int_equal(flg_elimination_refresh(&e, (const double *[]){&v0, &v1}, b), FLG_OK);
  flg_elimination_back(&e, none, &l, (double *[]){&x0, &x1});
  assert_near(H0 * x0 + v0, 1, 1e-15);
  assert_near(H1 * x1 + v1, 1, 1e-15);
  /* a gap of 4 mm between them, closed in proportion to their admittances */
  const double still = 0;
  e.gamma[0] = -0.004;
  assert_int_equal(flg_elimination_refresh(&e, (const double *[]){&still, &still}, b), FLG_OK);
  flg_elimination_back(&e, none, &l, (double *[]){&x0, &x1});
  assert_near(H0 * x0, -0.003, 1e-17);
  assert_near(H1 * x1, 0.001, 1e-17);
  flg_region_release(&region);
}

/* The same carts roll with 8 and 0 m/s when a spring of 150 N/m is hung between them. A step of 0.1
 * s with the spring taken at its end: C = 1 / (h^2 k) = 2/3. */
static void the_spring_of_the_theory_page_is_right(void **state) {
  (void)state;
  const double H0 = 1, H1 = 1. / 3, Z1 = sqrt(1. / 3), b0 = 8, b1 = 0, none[2] = {0, 0};
  const double expected[4] = {1. / 2, 1. / 6, 1. / 6, 5. / 18};
  for (int form = 0; form < 2; form++) {
    const flg_elimination_shape shape = {.constraints = 1,
                                         .rows = {1, 1},
                                         .touched = {1, 1},
                                         .kept = {1, 1},
                                         .soft = 1,
                                         .form = form,
                                         .tolerance = FLG_PIVOT_TOLERANCE};
    const int row = 0;
    const int *const rows[2] = {&row, &row};
    flg_region region;
    flg_elimination e = build(&region, &shape, rows, rows);
    assert_true(e.compliance[0] == 0);
    e.G[0][0] = 1, e.G[1][0] = -1, e.compliance[0] = 1 / (0.1 * 0.1 * 150), e.scale[0] = 2;
    double out[4], b[2], l, x0, x1;
    const double *const matrix[2] = {&H0, form == FLG_FORM_ROOT ? &Z1 : &H1};
    assert_int_equal(flg_elimination_factor(&e, FLG_PIVOTS_CHOOSE, matrix, out), FLG_OK);
    assert_int_equal(flg_elimination_refresh(&e, (const double *[]){&b0, &b1}, b), FLG_OK);
    for (int k = 0; k < 4; k++) {
      const double H = form == FLG_FORM_ROOT
                           ? out[k % 2] * out[k / 2] + out[k % 2 + 2] * out[k / 2 + 2]
                           : out[k];
      assert_near(H, expected[k], 1e-15);
    }
    flg_elimination_back(&e, none, &l, (double *[]){&x0, &x1});
    assert_near(l, -4, 1e-14);
    assert_near(b[0], 4, 1e-14);
    assert_near(b[1], 4. / 3, 1e-14);
    assert_near(H0 * x0 + b0, 4, 1e-14);
    assert_near(-0.1 * 150 * 0.1 * (b[0] - b[1]), l, 1e-14); /* - h k times the new stretch */
    flg_region_release(&region);
  }
}

/* --- random models -------------------------------------------------------------------------------
 */

typedef struct random_case {
  flg_elimination_shape shape;
  int touched[2][MOST], kept[2][MOST];
  double H[2][MOST * MOST], Z[2][MOST * MOST], b[2][MOST];
} random_case;

/* semidefinite: Z with empty columns */
static void random_model(random_source *source, random_case *r, int c, int n) {
  const int rank = random_integer(source, n / 2 + 1, n);
  for (int k = 0; k < n * n; k++) r->Z[c][k] = k < rank * n ? random_uniform(source, -1, 1) : 0;
  for (int j = 0; j < n; j++) {
    r->b[c][j] = random_uniform(source, -1, 1);
    for (int i = j; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += r->Z[c][i + k * n] * r->Z[c][j + k * n];
      r->H[c][i + j * n] = r->H[c][j + i * n] = sum;
    }
  }
}

/* whole ports in a random order; `odd` adds a row that belongs to none */
static void random_rows(random_source *source, random_case *r, int c, int ports, int odd) {
  const int n = 6 * ports + odd;
  r->shape.rows[c] = n;
  r->shape.touched[c] = 6 * random_integer(source, 1, ports);
  r->shape.kept[c] = 6 * random_integer(source, 0, ports) + odd;
  const int first = random_integer(source, 0, ports - 1);
  for (int i = 0; i < n; i++) {
    const int port = (first + i / 6) % ports;
    r->touched[c][i] = i < 6 * ports ? 6 * port + i % 6 : i;
    r->kept[c][i] = i == r->shape.kept[c] - 1 && odd ? n - 1 : i;
  }
}

static void random_problem(random_source *source, random_case *r, int odd) {
  *r = (random_case){.shape = {.constraints = random_integer(source, 1, 6), .tolerance = 1e-8}};
  const int models = random_integer(source, 1, 2);
  for (int c = 0; c < models; c++) {
    random_rows(source, r, c, random_integer(source, 1, 3), odd);
    random_model(source, r, c, r->shape.rows[c]);
  }
}

static flg_elimination build_case(flg_region *region, const random_case *r, random_source rows) {
  flg_elimination e = build(region, &r->shape, (const int *[]){r->touched[0], r->touched[1]},
                            (const int *[]){r->kept[0], r->kept[1]});
  const int m = r->shape.constraints;
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k < m * r->shape.touched[c]; k++) e.G[c][k] = random_uniform(&rows, -1, 1);
  }
  for (int i = 0; i < m; i++) {
    e.gamma[i] = random_uniform(&rows, -1, 1), e.scale[i] = 1;
    if (r->shape.soft) e.compliance[i] = i % 3 == 0 ? 0 : pow(10, random_uniform(&rows, -3, 3));
  }
  return e;
}

/* Whatever x acts on the kept rows: constraints hold, and the kept rows move as H_out, b_out say.
 */
static void assert_solves(flg_elimination *e, const random_case *r, const double *H_out,
                          const double *b_out, random_source *source) {
  const int k = flg_shape_kept(&e->shape), m = e->shape.constraints;
  double x_keep[2 * MOST], l[6], x[2][MOST], y[2][MOST], residual[6];
  for (int i = 0; i < k; i++) x_keep[i] = random_uniform(source, -1, 1);
  flg_elimination_back(e, x_keep, l, (double *[]){x[0], x[1]});
  for (int i = 0; i < m; i++) {
    residual[i] = (e->shape.soft ? e->compliance[i] * l[i] : 0) - e->gamma[i];
  }
  for (int c = 0; c < 2; c++) {
    const int n = e->shape.rows[c];
    for (int i = 0; i < n; i++) {
      y[c][i] = r->b[c][i];
      for (int j = 0; j < n; j++) y[c][i] += r->H[c][i + j * n] * x[c][j];
    }
    for (int j = 0; j < e->shape.touched[c]; j++) {
      for (int i = 0; i < m; i++) residual[i] += e->G[c][i + j * m] * y[c][e->touched[c][j]];
    }
  }
  for (int i = 0; i < m && e->rank == m; i++) assert_near(residual[i], 0, 2e-10);
  for (int c = 0, i = 0; c < 2; c++) {
    for (int j = 0; j < e->shape.kept[c]; j++, i++) {
      double expected = b_out[i];
      for (int s = 0; s < k; s++) expected += H_out[i + s * k] * x_keep[s];
      assert_near(y[c][e->kept[c][j]], expected, 1e-10);
    }
  }
}

static void run_case(random_case *r, random_source rows, int form, int is_small, double *H_out,
                     double *b_out, random_source *source) {
  flg_region region;
  r->shape.form = form;
  flg_elimination e = build_case(&region, r, rows);
  assert_int_equal(e.small, is_small);
  const double *const matrix[2][2] = {{r->H[0], r->H[1]}, {r->Z[0], r->Z[1]}};
  double out[4 * MOST * MOST];
  assert_int_equal(flg_elimination_factor(&e, FLG_PIVOTS_CHOOSE, matrix[form], out), FLG_OK);
  assert_int_equal(flg_elimination_refresh(&e, (const double *[]){r->b[0], r->b[1]}, b_out),
                   FLG_OK);
  const int k = flg_shape_kept(&e.shape);
  for (int i = 0; i < k * k; i++) {
    H_out[i] = form == FLG_FORM_ROOT ? 0 : out[i];
    for (int s = 0; s < k && form == FLG_FORM_ROOT; s++) {
      H_out[i] += out[i % k + s * k] * out[i / k + s * k];
    }
    if (form == FLG_FORM_ADMITTANCE) assert_true(out[i] == out[i / k + i % k * k]);
  }
  assert_solves(&e, r, H_out, b_out, source);
  flg_region_release(&region);
}

/* Whole ports take the small path, one more row the other; the root form has its own. A third of
 * the cases has soft rows. */
static void all_ways_to_eliminate_agree(void **state) {
  (void)state;
  random_source source = {51};
  static random_case r;
  static double H[2][4 * MOST * MOST], b[2][2 * MOST];
  for (int trial = 0; trial < 300; trial++) {
    const int odd = trial % 2;
    random_problem(&source, &r, odd);
    r.shape.soft = trial % 3 == 2;
    const random_source rows = {random_bits(&source)};
    run_case(&r, rows, FLG_FORM_ADMITTANCE, !odd, H[0], b[0], &source);
    run_case(&r, rows, FLG_FORM_ROOT, 0, H[1], b[1], &source);
    const int k = flg_shape_kept(&r.shape);
    assert_true(max_difference(H[0], H[1], k * k) < 1e-10);
    assert_true(max_difference(b[0], b[1], k) < 1e-9);
  }
}

/* --- welds, and in two parts ---------------------------------------------------------------------
 */

/* a port of each; `is_blocked`: neither can move along x, and the ports are at one point */
static void random_weld(random_source *source, random_case *r, int is_blocked) {
  *r = (random_case){.shape = {.constraints = 6, .weld = 1, .tolerance = 1e-8}};
  for (int c = 0; c < 2; c++) {
    random_rows(source, r, c, random_integer(source, 1, 3), 0);
    random_model(source, r, c, r->shape.rows[c]);
    r->shape.touched[c] = 6;
    for (int k = 0; k < r->shape.rows[c] && is_blocked; k++) {
      const int n = r->shape.rows[c], row = r->touched[c][0];
      r->H[c][row + k * n] = r->H[c][k + row * n] = 0;
      r->b[c][row] = 0;
    }
  }
}

static void write_weld(flg_elimination *e, random_source *source, int is_blocked) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = is_blocked ? 0 : random_uniform(source, -1, 1);
  for (int i = 0; i < 36; i++) e->G[0][i] = i % 7 == 0, e->G[1][i] = -e->G[0][i];
  for (int i = 0; i < 3; i++) {
    e->G[1][i + 6 * (3 + (i + 1) % 3)] = -d[(i + 2) % 3]; /* [d]x */
    e->G[1][i + 6 * (3 + (i + 2) % 3)] = d[(i + 1) % 3];
  }
  for (int i = 0; i < 6; i++) e->gamma[i] = is_blocked ? 0 : random_uniform(source, -1, 1);
}

/* H_out and b_out of the last `count` ports that stay, beside those of all, which come first */
static void assert_keeps_less(flg_elimination *e, const random_case *r, const double *H,
                              const double *b, random_source *source) {
  const int k = r->shape.kept[0] + r->shape.kept[1];
  const int dropped[2] = {6 * random_integer(source, 0, r->shape.kept[0] / 6),
                          6 * random_integer(source, 0, r->shape.kept[1] / 6)};
  const int count[2] = {r->shape.kept[0] - dropped[0], r->shape.kept[1] - dropped[1]};
  const int less = count[0] + count[1];
  const int *const kept[2] = {r->kept[0] + dropped[0], r->kept[1] + dropped[1]};
  double part[4 * MOST * MOST], b_part[2 * MOST];
  flg_elimination_keep(e, kept, count, (const double *[]){r->H[0], r->H[1]}, part);
  assert_int_equal(flg_elimination_refresh(e, (const double *[]){r->b[0], r->b[1]}, b_part),
                   FLG_OK);
  for (int j = 0; j < less; j++) {
    const int column = j + dropped[0] + (j < count[0] ? 0 : dropped[1]);
    assert_near(b_part[j], b[column], 1e-12);
    for (int i = 0; i < less; i++) {
      const int row = i + dropped[0] + (i < count[0] ? 0 : dropped[1]);
      assert_near(part[i + j * less], H[row + column * k], 1e-12);
      assert_true(part[i + j * less] == part[j + i * less]);
    }
  }
  assert_solves(e, r, part, b_part, source);
}

/* A weld without products, and the same rows as any others, all at once and in two parts. In a
 * third of the cases a row is redundant: what is left of it does not matter. */
static void welds_and_parts_agree_with_the_whole(void **state) {
  (void)state;
  random_source source = {52};
  static random_case r;
  static double H[4 * MOST * MOST], b[2 * MOST];
  for (int trial = 0; trial < 300; trial++) {
    const int is_blocked = trial % 3 == 2;
    random_weld(&source, &r, is_blocked);
    r.shape.weld = trial % 2;
    const double *const matrix[2] = {r.H[0], r.H[1]};
    flg_region region;
    flg_elimination e = build_case(&region, &r, source);
    write_weld(&e, &source, is_blocked);
    assert_int_equal(flg_elimination_factor(&e, FLG_PIVOTS_CHOOSE, matrix, H), FLG_OK);
    assert_int_equal(e.rank, is_blocked ? 5 : 6);
    assert_int_equal(flg_elimination_refresh(&e, (const double *[]){r.b[0], r.b[1]}, b), FLG_OK);
    assert_solves(&e, &r, H, b, &source);
    assert_int_equal(flg_elimination_select(&e, FLG_PIVOTS_ALL, matrix), FLG_OK);
    assert_int_equal(e.rechosen, is_blocked);
    assert_keeps_less(&e, &r, H, b, &source);
    flg_region_release(&region);
  }
}

/* --- what is refused -----------------------------------------------------------------------------
 */

static void builds_fail_cleanly(void **state) {
  (void)state;
  const flg_elimination_shape good = {
      .constraints = 1, .rows = {2, 0}, .touched = {2, 0}, .kept = {1, 0}, .tolerance = 1e-8};
  const int rows[2] = {0, 1};
  const int *const list[2] = {rows, rows};
  flg_elimination e = {.rank = -7};
  flg_error error = {0};
  flg_region region = {.limit = 64};
  assert_int_equal(flg_elimination_build(&e, &good, list, list, &region, &error), FLG_ERR_MEMORY);
  for (int k = 0; k < 2; k++) {
    flg_elimination_shape shape = good;
    *(k == 0 ? &shape.constraints : &shape.rows[0]) = FLG_INTERFACE_ROWS_MAX + 1;
    assert_int_equal(flg_elimination_build(&e, &shape, list, list, &region, &error), FLG_ERR_RANGE);
  }
  assert_true(e.rank == -7 && error.message[0] != '\0');
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_theory_page_is_right),
      cmocka_unit_test(the_spring_of_the_theory_page_is_right),
      cmocka_unit_test(all_ways_to_eliminate_agree),
      cmocka_unit_test(welds_and_parts_agree_with_the_whole),
      cmocka_unit_test(builds_fail_cleanly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
