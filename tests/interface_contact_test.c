/* Contact rows stay open through all joins: an LCP on what comes out at the root, and the way back,
 * give what the LCP of the whole system gives. Both are solved by trying every set of closed
 * contacts.
 */
#include "interface/test_systems.h"

enum { MOST = 12 };

/* x (n) with A x = b by elimination with row exchanges; 0 if A is singular */
static int solve_full(int n, double A[MOST][MOST], double b[MOST]) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
    if (fabs(A[best][k]) < 1e-12) return 0;
    for (int j = 0; j < n; j++) {
      const double swapped = A[k][j];
      A[k][j] = A[best][j], A[best][j] = swapped;
    }
    const double swapped = b[k];
    b[k] = b[best], b[best] = swapped;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return 1;
}

static int try_closed(int n, const double *D, const double *r, unsigned closed, double *x) {
  double A[MOST][MOST], b[MOST];
  int rows[MOST], m = 0;
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    if (closed >> i & 1) rows[m++] = i;
  }
  for (int i = 0; i < m; i++) {
    b[i] = -r[rows[i]];
    for (int j = 0; j < m; j++) A[i][j] = D[rows[i] + n * rows[j]];
  }
  if (!solve_full(m, A, b)) return 0;
  for (int i = 0; i < m; i++) {
    if (b[i] < 0) return 0;
    x[rows[i]] = b[i];
  }
  for (int i = 0; i < n; i++) {
    double w = r[i];
    for (int j = 0; j < n; j++) w += D[i + n * j] * x[j];
    if (w < -1e-10) return 0;
  }
  return 1;
}

/* 0 <= x  and  D x + r >= 0, one of them zero (nonsmooth-rim, Eq. 19) */
static flg_status enumerate_lcp(int n, const double *D, const double *r, double *x) {
  assert_true(n <= MOST);
  for (unsigned closed = 0; closed < 1U << n; closed++) {
    if (try_closed(n, D, r, closed, x)) return FLG_OK;
  }
  return FLG_ERR_DIVERGED;
}

/* the LCP of each root, then the solve; returns how many rows they have */
static int solve_with_contacts(flg_plan *plan) {
  int rows = 0;
  for (int k = 0; k < flg_plan_root_count(plan); k++) {
    const flg_plan_root root = flg_plan_root_view(plan, k);
    rows += root.rows;
    assert_int_equal(enumerate_lcp(root.rows, root.admittance, root.bias, root.force), FLG_OK);
  }
  assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
  return rows;
}

/* every third body has two contact rows */
static test_system *system_with_contacts(random_source *source, int bodies, int *contacts) {
  test_system *s = random_tree_system(source, bodies, 10, random_integer(source, 0, 1), 1, 0);
  s->contact_count = 2;
  s->contact = checked(calloc(2 * (size_t)bodies, sizeof *s->contact));
  *contacts = 0;
  for (int i = 2; i < bodies; i += 3) {
    s->parts[i].contacts = 2;
    fill_random(source, s->contact[2 * i], 12);
    *contacts += 2;
  }
  return s;
}

/* row c of the contacts: which body, and its 6 numbers */
static const double *contact_row(const test_system *s, int c, int *body) {
  *body = 2 + 3 * (c / 2);
  return s->contact[2 * *body + c % 2];
}

static double along(const double *row, const double *a) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += row[k] * a[k];
  return sum;
}

/* D and r over all contact rows, each column from the accelerations under a unit force */
static void dense_contacts(const test_system *s, const dense_system *d, int contacts, double *D,
                           double *r) {
  double *x = checked(calloc((size_t)d->n, sizeof *x)),
         *a = checked(malloc((size_t)d->n * sizeof *a));
  int body;
  dense_motion(d, NULL, a);
  for (int i = 0; i < contacts; i++) {
    const double *row = contact_row(s, i, &body);
    r[i] = along(row, a + 6 * body);
  }
  for (int j = 0; j < contacts; j++) {
    const double *row = contact_row(s, j, &body);
    for (int k = 0; k < 6; k++) x[6 * body + k] = row[k];
    dense_motion(d, x, a);
    for (int k = 0; k < 6; k++) x[6 * body + k] = 0;
    for (int i = 0; i < contacts; i++) {
      row = contact_row(s, i, &body);
      D[i + contacts * j] = along(row, a + 6 * body) - r[i];
    }
  }
  free(x), free(a);
}

static void motion_under_contacts(const test_system *s, const dense_system *d, int contacts,
                                  const double *n, double *a) {
  double *x = checked(calloc((size_t)d->n, sizeof *x));
  int body;
  for (int i = 0; i < contacts; i++) {
    const double *row = contact_row(s, i, &body);
    for (int k = 0; k < 6; k++) x[6 * body + k] += n[i] * row[k];
  }
  dense_motion(d, x, a);
  free(x);
}

static double error_with_contacts(test_system *s, int contacts, flg_plan_order order,
                                  flg_elimination_form form) {
  dense_system d = dense_of(s);
  double D[MOST * MOST], r[MOST], n[MOST];
  double *a = checked(malloc((size_t)d.n * sizeof *a));
  dense_contacts(s, &d, contacts, D, r);
  assert_int_equal(enumerate_lcp(contacts, D, r, n), FLG_OK);
  motion_under_contacts(s, &d, contacts, n, a);
  flg_plan *plan = plan_of(s, order, form, 1e-8);
  fill_plan(plan, s, form);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  assert_int_equal(solve_with_contacts(plan), contacts);
  const double error = motion_error(plan, s, a);
  flg_plan_release(plan);
  dense_drop(&d);
  free(a);
  return error;
}

static void the_lcp_at_the_root_is_that_of_the_whole_system(void **state) {
  (void)state;
  random_source source = {31};
  double worst = 0;
  for (int trial = 0; trial < 24; trial++) {
    int contacts;
    test_system *s = system_with_contacts(&source, random_integer(&source, 5, 13), &contacts);
    const double error = error_with_contacts(s, contacts, (flg_plan_order)(trial % 2),
                                             (flg_elimination_form)(trial / 2 % 2));
    worst = flg_larger(worst, error);
    system_drop(s);
  }
  print_message("           %.1e\n", worst);
  assert_true(worst < 1e-11);
}

static void forces_at_a_root_that_are_not_finite_end_the_solve(void **state) {
  (void)state;
  random_source source = {32};
  int contacts;
  test_system *s = system_with_contacts(&source, 5, &contacts);
  flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, 1e-8);
  fill_plan(plan, s, FLG_FORM_ADMITTANCE);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  const flg_plan_root root = flg_plan_root_view(plan, 0);
  double *bias = checked(malloc((size_t)root.rows * sizeof *bias));
  memcpy(bias, root.bias, (size_t)root.rows * sizeof *bias);
  root.force[0] = NAN;
  assert_int_equal(flg_plan_solve(plan, NULL), FLG_ERR_DIVERGED);
  assert_int_equal(solve_with_contacts(plan), contacts);
  assert_int_equal(root.part[0], 2);
  assert_true(root.row[0] == 6 && root.row[1] == 7);
  free(bias);
  flg_plan_release(plan);
  system_drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_lcp_at_the_root_is_that_of_the_whole_system),
      cmocka_unit_test(forces_at_a_root_that_are_not_finite_end_the_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
