/* Badly scaled contacts: stacks of cubes whose masses are far apart, in closed form, and random
 * contacts against Coulomb's law written a second time. */
#include "complementarity/test_friction.h"

enum { BOXES = 5, CORNERS = 4, MOST = 3 * CORNERS * BOXES };

static const double G = 9.81, H = 1. / 60, SIDE = 0.2;

/* cubes on each other on the ground; rows normal, x, y of four corners under each */
typedef struct stack {
  int count, n;
  double a[MOST * MOST], q[MOST];
  flg_friction_contact contacts[CORNERS * BOXES];
} stack;

/* row `axis` (0: up) of a corner, for a body whose centre is `up` over it: [linear; angular] */
static void fill_row(int corner, int axis, double up, double row[6]) {
  const double r[3] = {corner & 1 ? SIDE / 2 : -SIDE / 2, corner & 2 ? SIDE / 2 : -SIDE / 2, up};
  const double d[3] = {axis == 1, axis == 2, axis == 0};
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    row[i] = d[i], row[3 + i] = r[j] * d[k] - r[k] * d[j];
  }
}

/* J of a row over both bodies; -1: the ground */
static void rows_of(int row, int body[2], double j[2][6]) {
  const int contact = row / 3, layer = contact / CORNERS;
  body[0] = layer, body[1] = layer - 1;
  fill_row(contact % CORNERS, row % 3, -SIDE / 2, j[0]);
  fill_row(contact % CORNERS, row % 3, SIDE / 2, j[1]);
  for (int k = 0; k < 6; k++) j[1][k] *= -1;
}

/* speed: of all boxes along x before the step */
static stack make_stack(int count, const double *masses, double friction, double speed) {
  static stack made;
  made = (stack){.count = count, .n = 3 * CORNERS * count};
  for (int r = 0; r < made.n; r++) {
    int body[2], other[2];
    double j[2][6], o[2][6];
    rows_of(r, body, j);
    for (int c = 0; c < made.n; c++) {
      rows_of(c, other, o);
      double sum = 0;
      for (int x = 0; x < 4; x++) {
        if (body[x / 2] < 0 || body[x / 2] != other[x % 2]) continue;
        const double m = masses[body[x / 2]], inertia = m * SIDE * SIDE / 6;
        for (int k = 0; k < 6; k++) sum += j[x / 2][k] * o[x % 2][k] / (k < 3 ? m : inertia);
      }
      made.a[r + made.n * c] = sum;
    }
    for (int x = 0; x < 2; x++) {
      if (body[x] >= 0) made.q[r] += j[x][0] * speed - j[x][2] * G * H;
    }
    if (r % 3 == 0) made.contacts[r / 3] = (flg_friction_contact){r, {r + 1, r + 2}, friction};
  }
  return made;
}

/* impulses carry the weights and nothing moves, but for what slides along x */
static void check_stack(flg_complementarity *solver, int count, const double *masses,
                        double friction, double accuracy) {
  const stack s = make_stack(count, masses, friction, 0);
  double z[MOST], w[MOST];
  flg_complementarity_statistics told;
  const flg_complementarity_matrix matrix = {.n = s.n, .dense = s.a, .leading = s.n};
  const flg_status status = flg_complementarity_interior(solver, &matrix, s.q, CORNERS * count,
                                                         s.contacts, NULL, z, w, &told);
  assert_int_equal(status, FLG_OK);
  for (int k = 0; k < count; k++) {
    double weight = 0, carried = 0;
    for (int j = k; j < count; j++) weight += masses[j] * G * H;
    for (int j = 0; j < CORNERS; j++) carried += z[3 * (CORNERS * k + j)];
    assert_near(carried / weight, 1, accuracy);
  }
  for (int i = 0; i < s.n; i++) assert_near(w[i], 0, accuracy * G * H);
  assert_true(told.speed <= accuracy * G * H && told.excess <= 1e-10 * G * H);
}

/* in both orders, with and without friction; rounding of A z grows with the ratio */
static void stacks_of_any_masses_are_carried(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(MOST, &options);
  for (double ratio = 1; ratio < 2e9; ratio *= 10) {
    const double accuracy = 1e-10 + 2e-13 * ratio;
    for (int count = 2; count <= BOXES; count++) {
      double masses[BOXES];
      for (int j = 0; j < BOXES; j++) masses[j] = j % 2 == 0 ? 1 : ratio;
      check_stack(made.solver, count, masses, 0.5, accuracy);
      check_stack(made.solver, count, masses, 0, accuracy);
      for (int j = 0; j < BOXES; j++) masses[j] = j % 2 == 0 ? 1 : 1 / ratio;
      check_stack(made.solver, count, masses, 0.5, accuracy);
      check_stack(made.solver, count, masses, 0, accuracy);
    }
  }
  drop_solver(&made);
}

/* a heavy cube on a light one, sliding together: the light one is not left behind */
static void what_slides_together_is_slowed_down_together(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(MOST, &options);
  for (double ratio = 1; ratio < 2e6; ratio *= 10) {
    const double masses[2] = {1, ratio}, mu = 0.1;
    const stack s = make_stack(2, masses, mu, 1);
    double z[MOST], w[MOST];
    flg_complementarity_statistics told;
    const flg_complementarity_matrix matrix = {.n = s.n, .dense = s.a, .leading = s.n};
    flg_complementarity_interior(made.solver, &matrix, s.q, 2 * CORNERS, s.contacts, NULL, z, w,
                                 &told);
    const double accuracy = 2e-9 + 3e-14 * ratio;
    for (int k = 0; k < 2 * CORNERS; k++) {
      const double speed = k < CORNERS ? 1 - mu * G * H : 0; /* over the ground, over the other */
      assert_near(w[3 * k + 1], speed, accuracy);
      assert_near(w[3 * k], 0, accuracy / 30);
    }
  }
  drop_solver(&made);
}

/* Most random contacts, also those that wedge, are solved, and whatever is called solved fulfils
 * Coulomb's law; what is left over is told rightly. */
static void random_contacts_are_solved_or_told(void **state) {
  (void)state;
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {77};
  const int all = REPEATS(2000);
  int solved = 0;
  for (int k = 0; k < all; k++) {
    double z[LARGEST], w[LARGEST];
    flg_complementarity_statistics told;
    make_friction(&source, 1, k, &c);
    const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    const flg_status status = flg_complementarity_interior(made.solver, &matrix, c.p.q, c.count,
                                                           c.contacts, NULL, z, w, &told);
    const double violation = coulomb_violation(&c, z);
    if (status == FLG_OK) assert_true(violation < 1e-8);
    assert_true(violation < 1e-8 || told.residual > 1e-10);
    solved += status == FLG_OK;
  }
  assert_true(solved > 0.85 * all);
  drop_solver(&made);
}

/* row and column of A, and q, by a factor */
static void scale_row(random_problem *p, int row, double factor) {
  for (int j = 0; j < p->n; j++) {
    *entry(p, row, j) *= factor;
    *entry(p, j, row) *= factor;
  }
  p->q[row] *= factor;
}

/* The admittance of contacts of jointed bodies differs between the two tangents. */
static void tangents_may_give_way_unequally(void **state) {
  (void)state;
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {78};
  const int all = REPEATS(500);
  int solved = 0;
  for (int k = 0; k < all; k++) {
    double z[LARGEST], w[LARGEST];
    make_friction(&source, 1, k, &c);
    for (int j = 0; j < c.count; j++) scale_row(&c.p, c.contacts[j].tangent[k % 2], 0.1);
    const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    solved += flg_complementarity_interior(made.solver, &matrix, c.p.q, c.count, c.contacts, NULL,
                                           z, w, NULL) == FLG_OK;
  }
  assert_true(solved > 0.89 * all);
  drop_solver(&made);
}

static void what_cannot_be_solved_this_way_is_refused(void **state) {
  (void)state;
  flg_complementarity_options options = flg_complementarity_default();
  options.method = FLG_METHOD_ITERATIVE;
  test_solver made = solver_for(MOST, &options);
  const double masses[1] = {1};
  const stack s = make_stack(1, masses, 0.5, 0);
  double z[MOST], w[MOST];
  const flg_complementarity_matrix matrix = {.n = s.n, .dense = s.a, .leading = s.n};
  assert_int_equal(flg_complementarity_interior(made.solver, &matrix, s.q, CORNERS, s.contacts,
                                                NULL, z, w, NULL),
                   FLG_ERR_RANGE);
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stacks_of_any_masses_are_carried),
      cmocka_unit_test(what_slides_together_is_slowed_down_together),
      cmocka_unit_test(random_contacts_are_solved_or_told),
      cmocka_unit_test(tangents_may_give_way_unequally),
      cmocka_unit_test(what_cannot_be_solved_this_way_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
