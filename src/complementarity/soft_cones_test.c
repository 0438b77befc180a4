/* Contacts on springs, solved in the freedoms of bodies: checked against Coulomb's law, contact by
 * contact. */
#include "complementarity/soft_cones.h"

#include "complementarity/test_friction.h"

enum { MOST_BODIES = 6, MOST_CONTACTS = 12, MOST = 3 * MOST_CONTACTS };

/* W in c.p is J M^-1 J^T of the bodies. */
typedef struct soft_problem {
  contact_problem c;
  int body[2 * MOST];
  double jacobian[12 * MOST], inverse_mass[36 * MOST_BODIES];
  flg_sparse_rows sparse;
  double yields[MOST], z0[MOST];
} soft_problem;

/* inverse masses: any that are positive */
static void make_bodies(random_source *source, int count, soft_problem *of) {
  for (int b = 0; b < count; b++) {
    double l[36], *m = of->inverse_mass + (ptrdiff_t)36 * b;
    fill_random(source, 36, l);
    for (int i = 0; i < 36; i++) {
      m[i] = i % 7 == 0;
      for (int k = 0; k < 6; k++) m[i] += l[i % 6 + 6 * k] * l[i / 6 + 6 * k];
    }
  }
  of->sparse = (flg_sparse_rows){.body_count = count,
                                 .body = of->body,
                                 .jacobian = of->jacobian,
                                 .inverse_mass = of->inverse_mass};
}

/* contacts between bodies, or with the ground, on either side */
static void make_rows(random_source *source, int bodies, int contacts, soft_problem *of) {
  fill_random(source, 36 * contacts, of->jacobian);
  for (int k = 0; k < contacts; k++) {
    const int a = random_integer(source, 0, bodies - 1);
    const int b = bodies == 1 || random_integer(source, 0, 1) ? -1 : (a + 1) % bodies;
    const int side = random_integer(source, 0, 1);
    for (int i = 3 * k; i < 3 * k + 3; i++) {
      of->body[2 * i + side] = a, of->body[2 * i + 1 - side] = b;
    }
  }
}

/* W = J M^-1 J^T of two rows */
static double between(const soft_problem *of, int i, int j) {
  double sum = 0;
  for (int a = 2 * i; a < 2 * i + 2; a++) {
    for (int b = 2 * j; b < 2 * j + 2; b++) {
      if (of->body[a] < 0 || of->body[a] != of->body[b]) continue;
      for (int k = 0; k < 36; k++)
        sum += of->jacobian[6 * a + k % 6] * of->inverse_mass[36 * of->body[a] + k] *
               of->jacobian[6 * b + k / 6];
    }
  }
  return sum;
}

/* bodies move with random velocities */
static void push_rows(random_source *source, soft_problem *of) {
  double velocity[6 * MOST_BODIES];
  fill_random(source, 6 * of->sparse.body_count, velocity);
  for (int i = 0; i < of->c.p.n; i++) {
    of->c.p.q[i] = 0;
    for (int k = 12 * i; k < 12 * (i + 1); k++) {
      const int body = of->body[k / 6];
      if (body >= 0) of->c.p.q[i] += of->jacobian[k] * velocity[6 * body + k % 6];
    }
  }
}

static void make_soft(random_source *source, int bodies, int contacts, double yield,
                      soft_problem *of) {
  const int n = 3 * contacts;
  make_contacts(source, contacts, 1, &of->c);
  make_bodies(source, bodies, of);
  make_rows(source, bodies, contacts, of);
  push_rows(source, of);
  for (int k = 0; k < n * n; k++) *entry(&of->c.p, k % n, k / n) = between(of, k % n, k / n);
  for (int i = 0; i < n; i++) {
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
    const int bodies = random_integer(&source, 1, MOST_BODIES);
    const int count = random_integer(&source, 1, MOST_CONTACTS);
    double z[MOST] = {0};
    make_soft(&source, bodies, count, pow(10, -1 - trial % 3), &of);
    assert_true(flg_soft_cones_load(&soft, 3 * count, &of.sparse, count, of.c.contacts));
    if (flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, FLG_SOFT_SOLVED, z) < 0) continue;
    solved++;
    for (int k = 0; k < count; k++)
      worst = flg_larger(worst, deviation_of(&of, z, k) / largest_push(&of));
  }
  printf("%d of %d solved, %.1g off\n", solved, trials, worst);
  assert_near(worst, 0, 1e-9);
  assert_true(10 * solved > 9 * trials);
}

/* What is asked for is left of p, and no Newton step is taken for more. */
static void fewer_digits_take_fewer_steps(void **state) {
  (void)state;
  random_source source = {5};
  static soft_problem of;
  static flg_soft_cones soft;
  int many = 0, few = 0;
  double worst = 0;
  for (int trial = 0; trial < REPEATS(300); trial++) {
    double exact[MOST] = {0}, near[MOST] = {0}, size = 0;
    make_soft(&source, MOST_BODIES, MOST_CONTACTS, 0.1, &of);
    assert_true(flg_soft_cones_load(&soft, MOST, &of.sparse, MOST_CONTACTS, of.c.contacts));
    const int all = flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, FLG_SOFT_SOLVED, exact);
    const int some = flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, 1e-4, near);
    if (all < 0 || some < 0) continue;
    assert_true(some <= all);
    many += all, few += some;
    for (int i = 0; i < MOST; i++) size = flg_larger(size, fabs(exact[i]));
    for (int i = 0; i < MOST; i++) worst = flg_larger(worst, fabs(exact[i] - near[i]) / size);
  }
  printf("%d steps, %d for fewer digits, which are %.1g off\n", many, few, worst);
  assert_true(few < many);
  assert_near(worst, 0, 8e-4);
}

/* From the answer to a push that is one percent less the same is found, in half of the steps. */
static void an_answer_near_by_saves_steps(void **state) {
  (void)state;
  random_source source = {6};
  static soft_problem of;
  static flg_soft_cones soft;
  int cold = 0, warm = 0, tried = 0;
  for (int trial = 0; trial < REPEATS(400); trial++) {
    double known[MOST] = {0}, fresh[MOST] = {0};
    make_soft(&source, MOST_BODIES, MOST_CONTACTS, 0.1, &of);
    assert_true(flg_soft_cones_load(&soft, MOST, &of.sparse, MOST_CONTACTS, of.c.contacts));
    if (flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, FLG_SOFT_SOLVED, known) < 0)
      continue;
    for (int i = 0; i < MOST; i++) of.c.p.q[i] *= 1.01;
    const int from_none =
        flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, FLG_SOFT_SOLVED, fresh);
    const int from_known =
        flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, FLG_SOFT_SOLVED, known);
    if (from_none < 0 || from_known < 0) continue;
    cold += from_none, warm += from_known, tried++;
    for (int i = 0; i < MOST; i++) assert_near(known[i], fresh[i], 5e-10);
  }
  printf("%d problems: %d steps, %d from an answer near by\n", tried, cold, warm);
  assert_true(tried > REPEATS(400) * 9 / 10 && 5 * warm < 3 * cold);
}

/* One normal on one mass: (1/m + Y) z = Y z0 - q; rows of their own push, and do not pull. */
static void a_row_of_its_own_is_a_spring(void **state) {
  (void)state;
  static flg_soft_cones soft;
  static soft_problem of;
  const double yields[2] = {0.1, 0.2}, z0[2] = {1, 0}, q[2] = {-3, 4};
  double z[2] = {0, 0};
  of = (soft_problem){.body = {0, -1, -1, 0}};
  of.jacobian[0] = of.jacobian[12 + 6 + 1] = 1;
  of.inverse_mass[0] = 0.5, of.inverse_mass[7] = 2;
  of.sparse = (flg_sparse_rows){1, of.body, of.jacobian, of.inverse_mass};
  assert_true(flg_soft_cones_load(&soft, 2, &of.sparse, 0, NULL));
  assert_true(flg_soft_cones_solve(&soft, q, yields, z0, FLG_SOFT_SOLVED, z) > 0);
  assert_near(z[0], 3.1 / 0.6, 1e-12);
  assert_near(z[1], 0, 0);
}

static void too_many_bodies_are_refused(void **state) {
  (void)state;
  static flg_soft_cones soft;
  static double masses[36 * (FLG_BLOCKS_BODIES + 1)];
  flg_sparse_rows sparse = {.body_count = FLG_BLOCKS_BODIES + 1, .inverse_mass = masses};
  assert_false(flg_soft_cones_load(&soft, 0, &sparse, 0, NULL));
  sparse.body_count--;
  assert_true(flg_soft_cones_load(&soft, 0, &sparse, 0, NULL));
  assert_false(flg_soft_cones_load(&soft, FLG_SOFT_MOST + 1, &sparse, 0, NULL));
  masses[0] = NAN;
  assert_false(flg_soft_cones_load(&soft, 0, &sparse, 0, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_that_yield_obey_coulomb),
      cmocka_unit_test(fewer_digits_take_fewer_steps),
      cmocka_unit_test(an_answer_near_by_saves_steps),
      cmocka_unit_test(a_row_of_its_own_is_a_spring),
      cmocka_unit_test(too_many_bodies_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
