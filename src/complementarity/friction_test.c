#include "complementarity/test_friction.h"

/* Gaussian elimination with partial pivoting; 0 if singular */
static int solve_general(int n, double m[ENUMERATED][ENUMERATED], double *x) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) best = fabs(m[i][k]) > fabs(m[best][k]) ? i : best;
    if (fabs(m[best][k]) < 1e-10) return 0;
    for (int j = 0; j < n; j++) {
      const double keep = m[k][j];
      m[k][j] = m[best][j], m[best][j] = keep;
    }
    const double keep = x[k];
    x[k] = x[best], x[best] = keep;
    for (int i = k + 1; i < n; i++) {
      const double factor = m[i][k] / m[k][k];
      for (int j = k; j < n; j++) m[i][j] -= factor * m[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= m[k][j] * x[j];
    x[k] /= m[k][k];
  }
  return 1;
}

/* the contact that row i is a tangent of, or -1 */
static int contact_of(const contact_problem *c, int i) {
  for (int k = 0; k < c->count; k++) {
    if (c->contacts[k].tangent[0] == i || c->contacts[k].tangent[1] == i) return k;
  }
  return -1;
}

/* smallest residual of all choices of who opens, sticks and slides: equations A z + q = 0 on active
 * rows, z = 0 on open normals, z = +-mu z_n on sliding tangents */
static double enumerate_box(contact_problem *c) {
  const int n = c->p.n;
  long codes = 1;
  double best = HUGE_VAL;
  for (int i = 0; i < n; i++) codes *= contact_of(c, i) < 0 ? 2 : 3;
  for (long code = 0; code < codes; code++) {
    double m[ENUMERATED][ENUMERATED] = {{0}}, x[ENUMERATED] = {0};
    long digits = code;
    for (int i = 0; i < n; i++) {
      const int k = contact_of(c, i), base = k < 0 ? 2 : 3, digit = (int)(digits % base);
      digits /= base;
      if (digit == 1) {
        for (int j = 0; j < n; j++) m[i][j] = *entry(&c->p, i, j);
        x[i] = -c->p.q[i];
      } else {
        m[i][i] = 1;
        if (k >= 0) m[i][c->contacts[k].normal] = (digit - 1) * c->contacts[k].coefficient;
      }
    }
    if (!solve_general(n, m, x)) continue;
    bound_tangents(c, x);
    const double residual = residual_of(&c->p, x, 1);
    if (residual < best) best = residual; /* a search */
  }
  return best;
}

/* leaves out the second tangents: contacts in a plane */
static void flatten(contact_problem *c) {
  static contact_problem whole;
  whole = *c;
  c->p.n = 2 * c->count;
  for (int i = 0; i < c->p.n; i++) {
    const int row = i / 2 * 3 + i % 2;
    c->p.q[i] = whole.p.q[row], c->p.lower[i] = 0, c->p.upper[i] = HUGE_VAL;
    for (int j = 0; j < c->p.n; j++) {
      *entry(&c->p, i, j) = *entry(&whole.p, row, j / 2 * 3 + j % 2);
    }
  }
  for (int k = 0; k < c->count; k++) {
    c->contacts[k] = (flg_friction_contact){2 * k, {2 * k + 1, -1}, whole.contacts[k].coefficient};
  }
}

/* 1 if enumeration finds a solution; then the solver does */
static int finds_what_enumeration_does(friction_solver solve, flg_complementarity *solver,
                                       contact_problem *c) {
  double z[ENUMERATED], w[ENUMERATED];
  const flg_complementarity_matrix matrix = matrix_of_problem(&c->p);
  const flg_status status = solve(solver, &matrix, c->p.q, c->count, c->contacts, NULL, z, w, NULL);
  bound_tangents(c, z);
  const double residual = residual_of(&c->p, z, 0);
  if (enumerate_box(c) > 1e-9) return 0;
  assert_int_equal(status, FLG_OK);
  assert_true(residual < 1e-9);
  return 1;
}

/* up to 9 rows; known impulses among them, which wedge */
static void box_friction_finds_a_solution_where_enumeration_does(void **state) {
  (void)state;
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {31};
  int found = 0;
  for (int k = 0; k < 400; k++) {
    const int count = k % 20 == 0 ? 3 : k % 4 == 0 ? 2 : 1;
    const int freedom = random_integer(&source, 2, 3 * count + 1);
    const int known = k % 2 == 1 || k % 40 == 0;
    if (!known) make_contacts(&source, count, freedom, &c);
    if (known) make_known_contacts(&source, count, freedom, 0, &c);
    found += finds_what_enumeration_does(flg_complementarity_box, made.solver, &c);
  }
  assert_true(found > 300);
  drop_solver(&made);
}

/* up to 10 rows; in a plane the cone is a box of one tangent */
static void contacts_in_a_plane_are_solved_where_enumeration_does(void **state) {
  (void)state;
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  const friction_solver solvers[] = {flg_complementarity_box, flg_complementarity_cone};
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {35};
  int found = 0;
  for (int k = 0; k < 400; k++) {
    const int count = k % 20 == 0 ? 5 : random_integer(&source, 1, 3);
    make_contacts(&source, count, random_integer(&source, 2, 2 * count + 1), &c);
    flatten(&c);
    found += finds_what_enumeration_does(solvers[k % 2], made.solver, &c);
  }
  assert_true(found > 300);
  drop_solver(&made);
}

static void all_box_friction_is_solved(void **state) {
  (void)state;
  solve_random_contacts(0, 4000, 32);
}

static void all_cone_friction_is_solved(void **state) {
  (void)state;
  solve_random_contacts(1, 4000, 33);
}

/* two contacts on one line, pressed together by what pushes them: nothing resists, and a lax
 * tolerance does not make an answer of impulses without end */
static void friction_without_a_solution_is_told(void **state) {
  (void)state;
  const friction_solver solvers[] = {flg_complementarity_box, flg_complementarity_cone};
  double a[36] = {0};
  for (int i = 0; i < 6; i++) {
    a[7 * i] = 1;
    a[6 * i + (i + 3) % 6] = i % 3 == 0 ? -1 : 1;
  }
  const flg_complementarity_matrix matrix = {.n = 6, .dense = a, .leading = 6};
  const flg_friction_contact contacts[] = {{0, {1, 2}, 0.5}, {3, {4, 5}, 0.5}};
  const double q[6] = {-1, 0.1, 0, -1, 0.1, 0};
  for (int s = 0; s < 8; s++) {
    double z[6], w[6];
    flg_complementarity_options options = flg_complementarity_default();
    options.tolerance = pow(10, -5 - 2 * (s / 2));
    test_solver made = solver_for(6, &options);
    const flg_status status =
        solvers[s % 2](made.solver, &matrix, q, 2, contacts, NULL, z, w, NULL);
    assert_int_equal(status, FLG_ERR_PHYSICS);
    drop_solver(&made);
  }
}

/* mass m on a plane, impulse of gravity g m h, pushed along the plane by p: sticks up to mu g m h
 */
static void block_on_a_plane_sticks_and_slides(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3, &options);
  const double a[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  const flg_complementarity_matrix matrix = {.n = 3, .dense = a, .leading = 3};
  const flg_friction_contact contact = {0, {1, 2}, 0.5};
  for (int k = 0; k < 20; k++) {
    const double push = 0.1 * k, angle = 0.3 * k, px = push * cos(angle), py = push * sin(angle);
    const double q[3] = {-1, 0.5 * px, 0.5 * py}; /* m = 2, g m h = 2: the limit is 1 */
    double z[3], w[3];
    unsigned char states[3] = {0};
    assert_int_equal(
        flg_complementarity_cone(made.solver, &matrix, q, 1, &contact, states, z, w, NULL), FLG_OK);
    const double part = push > 1 ? 1 / push : 1;
    assert_near(z[0], 2, 1e-9);
    assert_near(z[1], -part * px, 1e-13);
    assert_near(z[2], -part * py, 1e-13);
    assert_int_equal((states[1] & FLG_ROW_POSITION) == FLG_ROW_ACTIVE, push < 1 - 1e-9);
  }
  drop_solver(&made);
}

/* Bodies on more points than they need, most of them at rest: what stuck the last time is solved at
 * once where it sticks again, and the law holds in any case. */
static void contacts_that_stick_again_are_solved_at_once(void **state) {
  (void)state;
  static contact_problem c;
  flg_complementarity_options options = flg_complementarity_default();
  options.iterations = 20; /* those that are wedged have no solution to look for */
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {35};
  int at_once = 0, all = 0;
  for (int k = 0; k < REPEATS(1000); k++) {
    const int count = random_integer(&source, 1, 10);
    double z[LARGEST], w[LARGEST];
    unsigned char states[LARGEST] = {0};
    make_known_contacts(&source, count, random_integer(&source, 3, 9), 1, &c);
    for (int i = 0; i < count; i++) c.contacts[i].coefficient += 1;
    const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    for (int step = 0; step < 4; step++, all++) {
      flg_complementarity_statistics statistics;
      const double size = step < 3 ? 1e-3 : 1;
      for (int i = 0; i < c.p.n; i++) {
        c.p.q[i] *= 1 + size * (step > 0 ? random_uniform(&source, 0, 1) : 0);
      }
      const flg_status status = flg_complementarity_cone(made.solver, &matrix, c.p.q, count,
                                                         c.contacts, states, z, w, &statistics);
      if (status != FLG_OK) break; /* q left the motions of the bodies: wedged */
      if (statistics.method == FLG_METHOD_SMALL) assert_true(coulomb_violation(&c, z) < 1e-8);
      at_once += statistics.method == FLG_METHOD_SMALL;
    }
  }
  print_message("%d of %d at once\n", at_once, all);
  assert_true(at_once > all / 20);
  drop_solver(&made);
}

static void last_states_and_impulses_start_the_next_friction_solve(void **state) {
  (void)state;
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  const friction_solver solvers[] = {flg_complementarity_box, flg_complementarity_cone};
  for (int s = 0; s < 2; s++) {
    random_source source = {34};
    int cold = 0, warm = 0;
    for (int k = 0; k < 50; k++) {
      double z[LARGEST], w[LARGEST];
      unsigned char states[LARGEST] = {0};
      flg_complementarity_statistics statistics;
      make_contacts(&source, 8, 24, &c);
      const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
      assert_int_equal(
          solvers[s](made.solver, &matrix, c.p.q, 8, c.contacts, states, z, w, &statistics),
          FLG_OK);
      cold += statistics.iterations;
      for (int i = 0; i < c.p.n; i++) c.p.q[i] *= 1 + 1e-6 * i;
      assert_int_equal(
          solvers[s](made.solver, &matrix, c.p.q, 8, c.contacts, states, z, w, &statistics),
          FLG_OK);
      warm += statistics.iterations;
    }
    assert_true(warm < cold);
  }
  drop_solver(&made);
}

/* what a contact in z and w does, by Coulomb's law; NEW where it is too near to a change to tell */
static void places_of_contact(const flg_friction_contact *contact, const double *z, const double *w,
                              unsigned char place[3]) {
  const int n = contact->normal, t = contact->tangent[0], u = contact->tangent[1];
  const double part = hypot(z[t], z[u]) / (contact->coefficient * z[n]);
  place[0] = z[n] > 1e-3 ? FLG_ROW_ACTIVE : w[n] > 1e-3 ? FLG_ROW_LOWER : FLG_ROW_NEW;
  for (int j = 1; j < 3; j++) {
    const int row = contact->tangent[j - 1];
    place[j] = FLG_ROW_NEW;
    if (place[0] != FLG_ROW_ACTIVE || !(contact->coefficient > 1e-3)) continue;
    if (part < 0.99) place[j] = FLG_ROW_ACTIVE;
    if (hypot(w[t], w[u]) < 1e-3 || fabs(z[row]) < 1e-3 * contact->coefficient * z[n]) continue;
    place[j] = z[row] > 0 ? FLG_ROW_UPPER : FLG_ROW_LOWER;
  }
}

static void states_tell_how_contacts_part_stick_and_slide(void **state) {
  (void)state;
  static contact_problem c;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  random_source source = {36};
  int told = 0, all = 0;
  for (int k = 0; k < REPEATS(500); k++) {
    const int count = random_integer(&source, 1, 6);
    double z[LARGEST], w[LARGEST];
    unsigned char states[LARGEST] = {0};
    make_known_contacts(&source, count, 3 * count + 3, 1, &c);
    const flg_complementarity_matrix matrix = matrix_of_problem(&c.p);
    assert_int_equal(flg_complementarity_cone(made.solver, &matrix, c.p.q, count, c.contacts,
                                              states, z, w, NULL),
                     FLG_OK);
    for (int i = 0; i < count; i++) {
      unsigned char place[3];
      places_of_contact(&c.contacts[i], z, w, place);
      for (int j = 0; j < 3; j++, all++) {
        const int row = j == 0 ? c.contacts[i].normal : c.contacts[i].tangent[j - 1];
        told += place[j] != FLG_ROW_NEW;
        if (place[j] != FLG_ROW_NEW) assert_int_equal(states[row] & FLG_ROW_POSITION, place[j]);
      }
    }
  }
  assert_true(told > all / 2);
  drop_solver(&made);
}

static void contacts_that_make_no_sense_are_refused(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3, &options);
  const double a[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0};
  const flg_complementarity_matrix matrix = {.n = 3, .dense = a, .leading = 3};
  const flg_friction_contact bad[] = {{0, {1, 2}, -1}, {0, {1, 2}, (double)NAN}, {3, {1, 2}, 1},
                                      {0, {0, 1}, 1},  {0, {1, 1}, 1},           {-1, {1, 2}, 1},
                                      {0, {-1, 2}, 1}, {0, {1, 2}, HUGE_VAL}};
  double z[3] = {7, 7, 7}, w[3];
  for (int k = 0; k < 8; k++) {
    assert_int_equal(flg_complementarity_box(made.solver, &matrix, q, 1, &bad[k], NULL, z, w, NULL),
                     FLG_ERR_RANGE);
    assert_int_equal(
        flg_complementarity_cone(made.solver, &matrix, q, 1, &bad[k], NULL, z, w, NULL),
        FLG_ERR_RANGE);
  }
  assert_true(z[0] == 7 && z[2] == 7);
  drop_solver(&made);
}

/* A rod whose end scrapes: pushing along the normal draws it back along the tangent, so that with
 * mu over 1/2 friction alone can press the end down. It opens by itself; (0.1, -0.1, 0) solves,
 * too. */
static void contacts_that_part_by_themselves_part_whatever_held_them_before(void **state) {
  (void)state;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(3, &options);
  const double a[9] = {1, 2, 0, 2, 5, 0, 0, 0, 1}, q[3] = {0.1, 1, 0};
  const flg_complementarity_matrix matrix = {.n = 3, .dense = a, .leading = 3};
  const flg_friction_contact contact = {0, {1, 2}, 1};
  for (int box = 0; box < 2; box++) {
    unsigned char states[3] = {FLG_ROW_ACTIVE, FLG_ROW_LOWER, FLG_ROW_ACTIVE};
    double z[3] = {0.1, -0.1, 0}, w[3];
    const flg_status status =
        box ? flg_complementarity_box(made.solver, &matrix, q, 1, &contact, states, z, w, NULL)
            : flg_complementarity_cone(made.solver, &matrix, q, 1, &contact, states, z, w, NULL);
    assert_int_equal(status, FLG_OK);
    for (int i = 0; i < 3; i++) assert_true(z[i] == 0 && w[i] == q[i]);
    assert_int_equal(states[0] & FLG_ROW_POSITION, FLG_ROW_LOWER);
  }
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_friction_finds_a_solution_where_enumeration_does),
      cmocka_unit_test(contacts_in_a_plane_are_solved_where_enumeration_does),
      cmocka_unit_test(all_box_friction_is_solved),
      cmocka_unit_test(all_cone_friction_is_solved),
      cmocka_unit_test(contacts_that_stick_again_are_solved_at_once),
      cmocka_unit_test(friction_without_a_solution_is_told),
      cmocka_unit_test(block_on_a_plane_sticks_and_slides),
      cmocka_unit_test(last_states_and_impulses_start_the_next_friction_solve),
      cmocka_unit_test(contacts_that_part_by_themselves_part_whatever_held_them_before),
      cmocka_unit_test(states_tell_how_contacts_part_stick_and_slide),
      cmocka_unit_test(contacts_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
