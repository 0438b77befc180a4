/* Frictions of gears, several of them at once, robots with them, and what every state must do. */
#include "allocations.h"
#include "joint_limits.h"

static const flg_vec3 WEIGHTLESS = {0, 0, 0};

/* --- efficiency ---------------------------------------------------------------------------------
 */

static const double RATIO = 5, J0 = 0.01, J1 = 0.5;

/* two wheels in gear, with a torque on each; the friction is on the first */
static parts *gearing(limits **lim, flg_carrier carrier, double efficiency, double T0, double T1) {
  parts *p = parts_new(8);
  *lim = limits_new(p);
  add_wheel(p, FLG_WORLD, J0, vec(0, 0, 0));
  add_wheel(p, FLG_WORLD, J1, vec(1, 0, 0));
  add_spring(p, 0, 0, 0, 0)->preload = T0;
  add_spring(p, 1, 0, 0, 0)->preload = T1;
  flg_component_friction *friction = add_friction(p, 0, 0);
  friction->efficiency = efficiency;
  friction->carrier = carrier;
  if (carrier == FLG_CARRIER_JOINT) friction->carrier_index = add_gear(p, 0, 1, 1, -RATIO);
  if (carrier == FLG_CARRIER_JOINT) return p;
  const int sum = add_sum(p, 0, 1, 1, -RATIO);
  if (carrier == FLG_CARRIER_STOP) add_stop(p, sum, -1e-4, 1e-4);
  if (carrier == FLG_CARRIER_SPRING) {
    add_spring(p, sum, 1e4, 3, 0);
    friction->carrier_index = 2;
  }
  return p;
}

static void gears_lose_power_in_both_directions(void **state) {
  (void)state;
  static const struct {
    double efficiency, T0, T1;
  } cases[] = {{0.8, 2, -3}, {0.8, -0.2, 4}, {0.3, 2, -1}, {0.95, -2, 6}};
  for (int c = 0; c < REPEATS(4); c++) {
    const double eta = cases[c].efficiency, T0 = cases[c].T0, T1 = cases[c].T1, n = RATIO;
    const bool forward = (T0 > 0) == (n * T0 + T1 > 0);
    /* J0 a0 = T0 + x / eta, or T0 + eta x; J1 a1 = T1 - n x; a0 = n a1 */
    const double share = forward ? 1 / eta : eta;
    const double a1 = (T1 * share + n * T0) / (J1 * share + n * n * J0);
    for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
      for (int carrier = FLG_CARRIER_JOINT; carrier <= FLG_CARRIER_STOP; carrier++) {
        limits *lim;
        parts *p = gearing(&lim, (flg_carrier)carrier, eta, T0, T1);
        flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
        const int steps = carrier == FLG_CARRIER_SPRING ? 5000 : 2500;
        const double h = 0.5 / steps;
        double before, after;
        advance(assembly, h, 0, steps); /* springs swing for a while */
        flg_assembly_coordinate(assembly, 1, &before);
        advance(assembly, h, steps, steps);
        flg_assembly_coordinate(assembly, 1, &after);
        printf("efficiency %g, carrier %d: %.9f (%.9f)\n", eta, carrier, (after - before) / 0.5,
               a1);
        assert_near((after - before) / 0.5, a1, 2e-6 * fabs(a1));
        flg_assembly_release(assembly);
        parts_drop(p), free(lim);
      }
    }
  }
}

/* a load of -5 N m on the driven side is 1 N m on the drive: it stays from 0.8 to 1/0.8 */
static void a_loaded_gear_stays_within_its_losses(void **state) {
  (void)state;
  static const double torques[4] = {0.79, 0.81, 1.24, 1.26};
  static const int moves[4] = {-1, 0, 0, 1};
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    for (int k = 0; k < 4; k++) {
      limits *lim;
      parts *p = gearing(&lim, FLG_CARRIER_JOINT, 0.8, torques[k], -5);
      flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
      advance(assembly, 1e-3, 0, 1000);
      double rate;
      const double angle = flg_assembly_coordinate(assembly, 0, &rate);
      assert_int_equal(flg_assembly_friction(assembly, 0).mode, moves[k]);
      if (moves[k] == 0) assert_true(fabs(rate) < 1e-12 && fabs(angle) < 1e-3);
      if (moves[k] != 0) assert_true(moves[k] * angle > 1e-2);
      flg_assembly_release(assembly);
      parts_drop(p), free(lim);
    }
  }
}

/* --- several frictions in a loop ----------------------------------------------------------------
 * Six hinges around a loop have three degrees of freedom: rows of frictions depend on each other.
 * w = D l + r from a loop without friction, |l_i| <= b_i by Gauss and Seidel.
 */

enum { HINGES = 6 };

static parts *loop(limits **lim) {
  parts *p = parts_new(16);
  *lim = limits_new(p);
  static const double corner[HINGES][2] = {{0, 0},     {-0.4, 0.9}, {0.2, 1.7},
                                           {1.3, 1.6}, {1.9, 0.8},  {1.2, 0}};
  for (int k = 0; k < HINGES - 1; k++) {
    add_rod(p, 1 + 0.3 * k, vec(corner[k][0], corner[k][1], 0),
            vec(corner[k + 1][0], corner[k + 1][1], 0));
  }
  for (int k = 0; k < HINGES; k++) {
    const int before = k == 0 ? FLG_WORLD : k - 1, after = k == HINGES - 1 ? FLG_WORLD : k;
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, before, after, vec(corner[k][0], corner[k][1], 0),
              vec(0, 0, 1));
    add_spring(p, k, 0, 0, 0);
  }
  return p;
}

/* rates of all hinges after one step */
static void step_loop(parts *p, const double *efforts, double h, double *rates, long *switches) {
  for (int k = 0; k < HINGES; k++) p->component.springs[k].preload = efforts[k];
  flg_assembly *assembly = assemble_by(p, FLG_SCHEME_SEMI_IMPLICIT, WEIGHTLESS);
  flg_error error;
  assert_int_equal(flg_assembly_close(assembly, &error), FLG_OK);
  advance(assembly, h, 0, 1);
  for (int k = 0; k < HINGES; k++) flg_assembly_coordinate(assembly, k, &rates[k]);
  long unsolved;
  *switches += flg_assembly_switches(assembly, &unsolved);
  assert_int_equal(unsolved, 0);
  flg_assembly_release(assembly);
}

static void solve_box(double D[HINGES][HINGES], const double *r, const double *b, double *l) {
  memset(l, 0, HINGES * sizeof *l);
  for (int sweep = 0; sweep < 40000; sweep++) {
    for (int i = 0; i < HINGES; i++) {
      double w = r[i];
      for (int j = 0; j < HINGES; j++) w += D[i][j] * l[j];
      l[i] = fmin(fmax(l[i] - w / D[i][i], -b[i]), b[i]);
    }
  }
}

static void frictions_of_a_loop_are_those_of_the_dense_problem(void **state) {
  (void)state;
  limits *lim;
  parts *p = loop(&lim);
  const double h = 1e-6;
  double D[HINGES][HINGES], r[HINGES], worst = 0;
  long switches = 0, none = 0;
  for (int k = 0; k < HINGES; k++) {
    double unit[HINGES] = {0}, rates[HINGES];
    unit[k] = 1;
    step_loop(p, unit, h, rates, &none);
    for (int i = 0; i < HINGES; i++) D[i][k] = rates[i] / h;
  }
  srand(7);
  for (int trial = 0; trial < REPEATS(300); trial++) {
    double efforts[HINGES], bounds[HINGES], l[HINGES], rates[HINGES];
    for (int k = 0; k < HINGES; k++) {
      efforts[k] = 1e3 * (rand() / (double)RAND_MAX - 0.5);
      bounds[k] = 3e2 * rand() / (double)RAND_MAX;
    }
    p->component.friction_count = 0;
    for (int i = 0; i < HINGES; i++) {
      r[i] = 0;
      for (int k = 0; k < HINGES; k++) r[i] += D[i][k] * efforts[k];
    }
    solve_box(D, r, bounds, l);
    for (int k = 0; k < HINGES; k++) add_friction(p, k, bounds[k]);
    step_loop(p, efforts, h, rates, &switches);
    for (int i = 0; i < HINGES; i++) {
      double w = r[i];
      for (int k = 0; k < HINGES; k++) w += D[i][k] * l[k];
      worst = flg_larger(worst, fabs(rates[i] / h - w));
      assert_near(rates[i] / h, w, 1e-5);
    }
    p->component.friction_count = 0;
  }
  printf("rates off by %.1e (of about 1e3), %ld switches\n", worst, switches);
  parts_drop(p), free(lim);
}

/* --- what every state must do -------------------------------------------------------------------
 */

/* a loop that swings, with frictions of all kinds, a stop, and an implicit spring */
static parts *busy_loop(limits **lim) {
  parts *p = loop(lim);
  for (int k = 0; k < 5; k++) {
    flg_component_friction *friction = add_friction(p, k, 0.3 + 0.1 * k);
    friction->stiction = 1.5 * friction->coulomb;
    friction->stribeck = k % 2 ? 0.1 : 0;
    friction->viscous = k == 3 ? 0.05 : 0;
  }
  add_stop(p, 1, -0.2, 0.25)->restitution = 0.6;
  add_stop(p, 3, -0.3, 0.1);
  p->component.springs[5].stiffness = 30;
  return p;
}

static void a_state_that_is_restored_goes_the_same_way(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    limits *lim;
    parts *p = busy_loop(&lim);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(0, -9.81, 0));
    int count;
    double *now = flg_assembly_state(assembly, &count), kept[512], after[512];
    assert_true(count <= 512);
    for (int round = 0; round < REPEATS(40); round++) {
      memcpy(kept, now, (size_t)count * sizeof *now);
      advance(assembly, 1e-3, 0, 50);
      memcpy(after, now, (size_t)count * sizeof *now);
      memcpy(now, kept, (size_t)count * sizeof *now);
      flg_assembly_refresh(assembly, 0);
      advance(assembly, 1e-3, 0, 50);
      assert_memory_equal(now, after, (size_t)count * sizeof *now);
    }
    long unsolved;
    const long switches = flg_assembly_switches(assembly, &unsolved);
    const flg_closure closure = flg_assembly_closure(assembly);
    printf("%s: %ld switches, %ld unsolved, closed to %g\n", scheme_names[scheme], switches,
           unsolved, closure.position);
    assert_true(switches > REPEATS(20) && unsolved == 0 && closure.position < 1e-11);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    limits *lim;
    parts *p = busy_loop(&lim);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(0, -9.81, 0));
    allocations_begin();
    const flg_status status = flg_assembly_advance(assembly, 0, 1e-3, 0, 1000);
    assert_int_equal(allocations_end(), 0);
    assert_int_equal(status, FLG_OK);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

/* angles of the busy loop after 0.5 s, and how many limits switched */
static long run_loop(const flg_assembly_options *options, double h, double *angles) {
  limits *lim;
  parts *p = busy_loop(&lim);
  flg_assembly *assembly = assemble(p, options);
  advance(assembly, h, 0, (int)lround(0.5 / h));
  for (int i = 0; i < HINGES; i++) angles[i] = flg_assembly_coordinate(assembly, i, NULL);
  long unsolved;
  const long switches = flg_assembly_switches(assembly, &unsolved);
  assert_int_equal(unsolved, 0);
  flg_assembly_release(assembly);
  parts_drop(p), free(lim);
  return switches;
}

static double apart(const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < HINGES; i++) most = flg_larger(most, fabs(a[i] - b[i]));
  return most;
}

static flg_assembly_options busy_options(flg_scheme scheme) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  options.gravity = vec(0, -9.81, 0);
  return options;
}

static void forms_and_norms_agree(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    double angles[3][HINGES];
    flg_assembly_options options = busy_options((flg_scheme)scheme);
    run_loop(&options, 2e-4, angles[0]);
    options.form = FLG_FORM_ROOT;
    run_loop(&options, 2e-4, angles[1]);
    options.form = FLG_FORM_ADMITTANCE, options.norm = FLG_NORM_EUCLIDEAN;
    run_loop(&options, 2e-4, angles[2]);
    printf("%s: forms %.1e, norms %.1e rad apart\n", scheme_names[scheme],
           apart(angles[1], angles[0]), apart(angles[2], angles[0]));
    assert_true(apart(angles[1], angles[0]) < 1e-6);
    assert_true(apart(angles[2], angles[0]) < (scheme == FLG_SCHEME_SEMI_IMPLICIT ? 5e-3 : 1e-3));
  }
}

/* three ways to look for the sets, one motion */
static void schemes_agree(void **state) {
  (void)state;
  double angles[FLG_SCHEME_COUNT][HINGES];
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    const flg_assembly_options options = busy_options((flg_scheme)scheme);
    const long switches = run_loop(&options, 0.5 / REPEATS(25000), angles[scheme]);
    printf("%s: %ld switches, %.1e rad from the first\n", scheme_names[scheme], switches,
           apart(angles[scheme], angles[0]));
    assert_true(apart(angles[scheme], angles[0]) < 1e-2);
  }
}

/* a chain with a friction and a stop at each hinge; it whips, and in longer steps how far past a
 * stop is a matter of rounding */
static void long_chains_find_their_sets(void **state) {
  (void)state;
  enum { LINKS = 16 };
  static const double H = 5e-4;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = parts_new(LINKS + 1);
    limits *lim = limits_new(p);
    for (int k = 0; k < LINKS; k++) {
      add_rod(p, 1, vec(0.2 * k, 0, 0), vec(0.2 * (k + 1), 0, 0));
      add_joint(p, FLG_CONSTRAINT_REVOLUTE, k - 1, k, vec(0.2 * k, 0, 0), vec(0, 0, 1));
      add_friction(p, k, 0.1)->stiction = 0.13;
      add_stop(p, k, -0.2, 0.2)->restitution = k % 3 == 0 ? 0.4 : 0;
    }
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(0, -9.81, 0));
    double worst = 0, fastest = 0;
    for (int k = 0; k < REPEATS(4000); k++) {
      advance(assembly, H, k, 1);
      for (int i = 0; i < LINKS; i++) {
        double rate;
        worst = flg_larger(worst, fabs(flg_assembly_coordinate(assembly, i, &rate)) - 0.2);
        fastest = flg_larger(fastest, fabs(rate));
      }
    }
    long unsolved;
    const long switches = flg_assembly_switches(assembly, &unsolved);
    printf("%s: %ld switches, %ld unsolved, %g rad past, up to %g rad/s\n", scheme_names[scheme],
           switches, unsolved, worst, fastest);
    assert_true(worst < 2 * H * fastest); /* as far as in two steps */
    assert_int_equal(unsolved, 0);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

/* friction takes energy, stops take energy: nothing but gravity gives it back */
static void energy_only_falls(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    limits *lim;
    parts *p = busy_loop(&lim);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(0, -9.81, 0));
    double before = flg_assembly_energy(assembly);
    for (int k = 0; k < 600; k++) {
      advance(assembly, 5e-4, 10 * k, 10);
      const double now = flg_assembly_energy(assembly);
      assert_true(now < before + 2e-3);
      before = now;
    }
    advance(assembly, 1e-3, 3000, 20000);
    const flg_closure closure = flg_assembly_closure(assembly);
    double most = 0;
    for (int k = 0; k < HINGES; k++) {
      double rate;
      flg_assembly_coordinate(assembly, k, &rate);
      most = flg_larger(most, fabs(rate));
    }
    printf("%s: rests, %g rad/s, closed to %g\n", scheme_names[scheme], most, closure.position);
    assert_true(most < 1e-12);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gears_lose_power_in_both_directions),
      cmocka_unit_test(a_loaded_gear_stays_within_its_losses),
      cmocka_unit_test(frictions_of_a_loop_are_those_of_the_dense_problem),
      cmocka_unit_test(a_state_that_is_restored_goes_the_same_way),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(forms_and_norms_agree),
      cmocka_unit_test(schemes_agree),
      cmocka_unit_test(long_chains_find_their_sets),
      cmocka_unit_test(energy_only_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
