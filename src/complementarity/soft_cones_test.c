/* Contacts on springs, solved in the freedoms of bodies: checked against Coulomb's law, contact by
 * contact. */
#include "complementarity/soft_cones.h"

#include "complementarity/test_friction.h"

enum { MOST = FLG_SOFT_DENSE };

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
    if (flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, z) < 0) continue;
    solved++;
    for (int k = 0; k < count; k++)
      worst = flg_larger(worst, deviation_of(&of, z, k) / largest_push(&of));
  }
  printf("%d of %d solved, %.1g off\n", solved, trials, worst);
  assert_near(worst, 0, 1e-9);
  assert_true(10 * solved > 9 * trials);
}

enum { BODIES = 3, HEAP_CONTACTS = 8 };

typedef struct heap_rows {
  int body[6 * HEAP_CONTACTS];
  double jacobian[36 * HEAP_CONTACTS], inverse_mass[36 * BODIES];
  flg_sparse_rows sparse;
} heap_rows;

/* Contacts between bodies, or with the ground, whose inverse masses are any that are positive. */
static void make_heap(random_source *source, heap_rows *of) {
  fill_random(source, 36 * HEAP_CONTACTS, of->jacobian);
  for (int b = 0; b < BODIES; b++) {
    double l[36], *m = of->inverse_mass + (ptrdiff_t)36 * b;
    fill_random(source, 36, l);
    for (int i = 0; i < 36; i++) {
      m[i] = i % 7 == 0;
      for (int k = 0; k < 6; k++) m[i] += l[i % 6 + 6 * k] * l[i / 6 + 6 * k];
    }
  }
  for (int k = 0; k < HEAP_CONTACTS; k++) {
    const int a = random_integer(source, 0, BODIES - 1);
    const int b = random_integer(source, 0, 1) ? -1 : (a + 1) % BODIES;
    for (int i = 3 * k; i < 3 * k + 3; i++) of->body[2 * i] = a, of->body[2 * i + 1] = b;
  }
  of->sparse = (flg_sparse_rows){.body_count = BODIES,
                                 .body = of->body,
                                 .jacobian = of->jacobian,
                                 .inverse_mass = of->inverse_mass};
}

/* W = J M^-1 J^T of two rows */
static double between(const heap_rows *of, int i, int j) {
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

/* the same answer, whether W or the bodies are told */
static void bodies_are_as_good_as_their_matrix(void **state) {
  (void)state;
  enum { ROWS = 3 * HEAP_CONTACTS };
  random_source source = {5};
  static soft_problem of;
  static heap_rows heap;
  static flg_soft_cones soft;
  double worst = 0;
  for (int trial = 0; trial < REPEATS(300); trial++) {
    double by_matrix[ROWS] = {0}, by_bodies[ROWS] = {0}, size = 0;
    make_soft(&source, HEAP_CONTACTS, 1, 1, &of);
    make_heap(&source, &heap);
    for (int k = 0; k < ROWS * ROWS; k++)
      *entry(&of.c.p, k % ROWS, k / ROWS) = between(&heap, k % ROWS, k / ROWS);
    for (int i = 0; i < ROWS; i++) of.yields[i] = 0.03 * *entry(&of.c.p, i / 3 * 3, i / 3 * 3);
    const flg_friction_contact *contacts = of.c.contacts;
    assert_true(flg_soft_cones_load(&soft, ROWS, of.c.p.a, ROWS, HEAP_CONTACTS, contacts));
    if (flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, by_matrix) < 0) continue;
    assert_true(flg_soft_cones_load_bodies(&soft, ROWS, &heap.sparse, HEAP_CONTACTS, contacts));
    assert_int_equal(soft.rank, 6 * BODIES);
    assert_true(flg_soft_cones_solve(&soft, of.c.p.q, of.yields, of.z0, by_bodies) >= 0);
    for (int i = 0; i < ROWS; i++) size = flg_larger(size, fabs(by_matrix[i]));
    for (int i = 0; i < ROWS; i++)
      worst = flg_larger(worst, fabs(by_matrix[i] - by_bodies[i]) / fmax(size, 1e-9));
  }
  printf("impulses are %.1g apart\n", worst);
  assert_near(worst, 0, 3e-13);
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
      cmocka_unit_test(bodies_are_as_good_as_their_matrix),
      cmocka_unit_test(a_row_of_its_own_is_a_spring),
      cmocka_unit_test(too_many_rows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
