/* Contacts on springs, solved in the freedoms of bodies: checked against Coulomb's law, contact by
 * contact. */
#include "complementarity/soft_cones.h"

#include "complementarity/test_friction.h"

enum { MOST = FLG_SOFT_MOST };

typedef struct soft_problem {
  contact_problem c;
  double yields[MOST], z0[MOST];
} soft_problem;

static void make_soft(random_source *source, int count, int freedom, double yield,
                      soft_problem *of) {
  make_contacts(source, count, freedom, &of->c);
  for (int i = 0; i < of->c.p.n; i++) {
    of->yields[i] = yield * *entry(&of->c.p, i / 3 * 3, i / 3 * 3);
    of->z0[i] = random_uniform(source, -0.1, 0.1);
  }
}

/* w = W z + q + Y (z - z0) */
static double velocity_of(soft_problem *of, const double *z, int row) {
  double w = of->c.p.q[row] + of->yields[row] * (z[row] - of->z0[row]);
  for (int j = 0; j < of->c.p.n; j++) w += *entry(&of->c.p, row, j) * z[j];
  return w;
}

/* how far a contact is from opening, sticking or sliding against its slip, by the largest |q| */
static double deviation_of(soft_problem *of, const double *z, int k) {
  const double mu = of->c.contacts[k].coefficient, n = z[3 * k], x = z[3 * k + 1], y = z[3 * k + 2];
  const double w = velocity_of(of, z, 3 * k), u = velocity_of(of, z, 3 * k + 1),
               v = velocity_of(of, z, 3 * k + 2);
  const double own = *entry(&of->c.p, 3 * k, 3 * k), length = hypot(x, y), slip = hypot(u, v);
  double worst = n > 0 ? fabs(w) : fmax(0, -w);
  worst = flg_larger(worst, fmax(0, -n) * own);
  worst = flg_larger(worst, fmax(0, length - mu * n) * own);
  const bool is_inside = length < mu * n * (1 - 1e-9);
  if (n > 0) worst = flg_larger(worst, is_inside ? slip : fabs(x * v - y * u) / (length + 1e-300));
  if (n > 0 && !is_inside) worst = flg_larger(worst, fmax(0, x * u + y * v) / (length + 1e-300));
  return worst;
}

static double largest_push(const soft_problem *of) {
  double most = 0;
  for (int i = 0; i < of->c.p.n; i++) most = flg_larger(most, fabs(of->c.p.q[i]));
  return most;
}

/* Compliances of springs: a tenth to a thousandth of what contacts yield by themselves. */
static void contacts_that_yield_obey_coulomb(void **state) {
  (void)state;
  random_source source = {3};
  static soft_problem of;
  static flg_soft_cones soft;
  int solved = 0, trials = 0;
  double worst = 0;
  for (int trial = 0; trial < REPEATS(3000); trial++, trials++) {
    const int count = random_integer(&source, 1, MOST / 3);
    double z[MOST] = {0};
    make_soft(&source, count, random_integer(&source, 1, 12), pow(10, -1 - trial % 3), &of);
    assert_true(flg_soft_cones_load(&soft, of.c.p.n, of.c.p.a, of.c.p.n, count, of.c.contacts));
    if (flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, z) < 0 &&
        flg_soft_cones_seek(&soft, of.c.p.q, of.yields, of.z0, z) < 0)
      continue;
    solved++;
    for (int k = 0; k < count; k++)
      worst = flg_larger(worst, deviation_of(&of, z, k) / largest_push(&of));
  }
  printf("%d of %d solved, %.1g off\n", solved, trials, worst);
  assert_near(worst, 0, 1e-9);
  assert_true(10 * solved > 9 * trials);
}

/* One normal on one mass: (1/m + Y) z = Y z0 - q; rows of their own push, and do not pull. */
static void a_row_of_its_own_is_a_spring(void **state) {
  (void)state;
  static flg_soft_cones soft;
  const double w[4] = {0.5, 0, 0, 2}, yields[2] = {0.1, 0.2}, z0[2] = {1, 0}, q[2] = {-3, 4};
  double z[2] = {0, 0};
  assert_true(flg_soft_cones_load(&soft, 2, w, 2, 0, NULL));
  assert_true(flg_soft_cones_solve(&soft, q, yields, z0, z) > 0);
  assert_near(z[0], 3.1 / 0.6, 1e-12);
  assert_near(z[1], 0, 0);
}

static void too_many_rows_are_refused(void **state) {
  (void)state;
  static flg_soft_cones soft;
  static double w[(MOST + 1) * (MOST + 1)];
  assert_false(flg_soft_cones_load(&soft, MOST + 1, w, MOST + 1, 0, NULL));
  w[0] = NAN;
  assert_false(flg_soft_cones_load(&soft, 1, w, 1, 0, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_that_yield_obey_coulomb),
      cmocka_unit_test(a_row_of_its_own_is_a_spring),
      cmocka_unit_test(too_many_rows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
