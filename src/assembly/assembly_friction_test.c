/* Joints that stick and slip, against closed forms and event-exact solutions. */
#include "joint_limits.h"

static const flg_vec3 X = {1, 0, 0};
static const flg_vec3 WEIGHTLESS = {0, 0, 0};

/* a lever about z, its centre 0.3 m out, under gravity: 1 kg * 9.81 * 0.3 = 2.943 N m */
static parts *lever(limits **lim) {
  parts *p = parts_new(4);
  *lim = limits_new(p);
  const int body = add_body(p, 1, flg_sym3_diagonal(0.02), vec(0.3, 0, 0), flg_quat_identity());
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, body, vec(0, 0, 0), vec(0, 0, 1));
  return p;
}

static void a_loaded_joint_that_sticks_does_not_creep(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    limits *lim;
    parts *p = lever(&lim);
    add_friction(p, 0, 3);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(0, -9.81, 0));
    double worst = 0;
    for (int k = 0; k < REPEATS(600); k++) { /* 10 minutes */
      advance(assembly, 0.01, 100 * k, 100);
      worst = flg_larger(worst, fabs(flg_assembly_coordinate(assembly, 0, NULL)));
    }
    printf("%s creeps %g rad in ten minutes, effort %.12g\n", scheme_names[scheme], worst,
           flg_assembly_friction(assembly, 0).effort);
    assert_true(worst < 1e-9);
    assert_near(flg_assembly_friction(assembly, 0).effort, 2.943, 1e-12);
    assert_int_equal(flg_assembly_friction(assembly, 0).switches, 0);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

static void breakaway_is_at_the_bound(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    for (int k = 0; k < 2; k++) {
      limits *lim;
      parts *p = lever(&lim);
      add_friction(p, 0, 2)->stiction = 2.943 * (1 + (k == 0 ? 1e-9 : -1e-9));
      flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(0, -9.81, 0));
      advance(assembly, 1e-3, 0, 10);
      const int mode = flg_assembly_friction(assembly, 0).mode;
      assert_int_equal(mode, k == 0 ? 0 : -1);
      flg_assembly_release(assembly);
      parts_drop(p), free(lim);
    }
  }
}

/* x(t) of a block that is braked: m v' = -F - d v */
static void a_block_brakes_and_stays(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    for (int viscous = 0; viscous < 2; viscous++) {
      double before = 0;
      for (int fine = 0; fine < 2; fine++) {
        parts *p = parts_new(4);
        limits *lim = limits_new(p);
        const double m = 2, v0 = 1.5, F = 3, d = 4 * viscous, h = fine ? 2.5e-4 : 5e-4;
        const int body = add_block(p, m, v0);
        add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, body, vec(0, 0, 0), X);
        add_friction(p, 0, F)->viscous = d;
        flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
        advance(assembly, h, 0, (int)lround(2 / h));
        double rate;
        const double x = flg_assembly_coordinate(assembly, 0, &rate);
        const double way =
            viscous ? m * v0 / d - m * F / (d * d) * log(1 + d * v0 / F) : m * v0 * v0 / (2 * F);
        printf("%s stops after %.8f m (%.8f)\n", scheme_names[scheme], x, way);
        assert_true(fabs(rate) < 1e-15);
        assert_near(x, way, 1e-3);
        if (fine) assert_true(fabs(x - way) < 0.6 * before + 2e-7);
        before = fabs(x - way);
        assert_int_equal(flg_assembly_friction(assembly, 0).switches, 1);
        flg_assembly_release(assembly);
        parts_drop(p), free(lim);
      }
    }
  }
}

/* A blow turns a sliding block around within one step: friction takes F h of it, and no more. */
static void a_blow_within_a_step_turns_what_slides(void **state) {
  (void)state;
  const double m = 2, v0 = 1, F = 1, blow = -10, h = 1e-3; /* blow: momentum [kg m/s] */
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = parts_new(4);
    limits *lim = limits_new(p);
    const int body = add_block(p, m, v0);
    add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, body, vec(0, 0, 0), X);
    add_friction(p, 0, F);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(blow / (m * h), 0, 0));
    advance(assembly, h, 0, 1);
    double rate;
    flg_assembly_coordinate(assembly, 0, &rate);
    printf("%s: %.6f m/s after the blow (%.6f without friction)\n", scheme_names[scheme], rate,
           v0 + blow / m);
    assert_near(rate, v0 + blow / m, F * h / m * (1 + 1e-9));
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

static void viscous_friction_alone_decays(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = parts_new(4);
    limits *lim = limits_new(p);
    const int body = add_block(p, 2, 1);
    add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, body, vec(0, 0, 0), X);
    add_friction(p, 0, 0)->viscous = 3;
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
    advance(assembly, 1e-4, 0, 10000);
    double rate;
    flg_assembly_coordinate(assembly, 0, &rate);
    assert_near(rate, exp(-1.5), scheme == FLG_SCHEME_RK4 ? 1e-12 : 1e-4);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

/* --- a block on a belt ------------------------------------------------------------------------
 * The belt is a block of its own that runs at a constant speed, being heavy.
 */

typedef struct belt {
  double mass, stiffness, speed, coulomb, stiction, stribeck;
} belt;

static double friction_at(const belt *b, double slip) {
  const double more = b->stiction - b->coulomb, s = slip / b->stribeck;
  return b->coulomb + (b->stribeck > 0 ? more * exp(-s * s) : 0);
}

/* acceleration of the block while it slips back on the belt */
static double slide(const belt *b, double x, double v) {
  return (friction_at(b, b->speed - v) - b->stiffness * x) / b->mass;
}

static void runge_kutta(const belt *b, double h, double *x, double *v) {
  const double a1 = slide(b, *x, *v), v2 = *v + h / 2 * a1;
  const double a2 = slide(b, *x + h / 2 * *v, v2), v3 = *v + h / 2 * a2;
  const double a3 = slide(b, *x + h / 2 * v2, v3), v4 = *v + h * a3;
  const double a4 = slide(b, *x + h * v3, v4);
  *x += h / 6 * (*v + 2 * v2 + 2 * v3 + v4);
  *v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
}

/* from breakaway to breakaway: it slides until it has the speed of the belt again, found by
 * bisection in the last step, then it is carried */
static double period_exact(const belt *b) {
  double x = b->stiction / b->stiffness, v = b->speed, t = 0, h = 1e-5;
  if (b->stribeck > 0) v *= 1 - 1e-9; /* a fixed point: it has to leave it */
  double x1 = x, v1 = v;
  for (long k = 0; k < 10000000; k++) {
    x1 = x, v1 = v;
    runge_kutta(b, h, &x1, &v1);
    if (v1 > b->speed && t > 100 * h) break;
    x = x1, v = v1, t += h;
  }
  double low = 0, high = h;
  for (int k = 0; k < 60; k++) {
    const double middle = (low + high) / 2;
    x1 = x, v1 = v;
    runge_kutta(b, middle, &x1, &v1);
    *(v1 > b->speed ? &high : &low) = middle;
  }
  return t + low + (b->stiction / b->stiffness - x1) / b->speed;
}

/* time between the last two breakaways, interpolated by the carried way */
static double period_run(const belt *b, flg_scheme scheme, double h, double *most) {
  parts *p = parts_new(4);
  limits *lim = limits_new(p);
  const int block = add_block(p, b->mass, b->speed), running = add_block(p, 1e9, b->speed);
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, block, vec(0, 0, 0), X);
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, running, vec(0, 0, 0), X);
  add_joint(p, FLG_CONSTRAINT_POINT_ON_LINE, running, block, vec(0, 0, 0), X);
  add_spring(p, 0, b->stiffness, 0, 0);
  flg_component_friction *friction = add_friction(p, coordinate_of(p, 2), b->coulomb);
  friction->stiction = b->stiction, friction->stribeck = b->stribeck;
  flg_assembly *assembly = assemble_by(p, scheme, WEIGHTLESS);
  int mode = flg_assembly_friction(assembly, 0).mode, count = 0;
  double times[40];
  *most = 0;
  for (int k = 0; k * h < 40 && count < 4; k++) {
    advance(assembly, h, k, 1);
    const int now = flg_assembly_friction(assembly, 0).mode;
    double slip;
    flg_assembly_coordinate(assembly, friction->coordinate, &slip);
    const double x = flg_assembly_coordinate(assembly, 0, NULL);
    if (now == 0) *most = flg_larger(*most, fabs(slip));
    if (mode != 0 && now == 0) { /* caught: from here on it is carried */
      times[count++] = (k + 1) * h + (b->stiction / b->stiffness - x) / b->speed;
    }
    mode = now;
  }
  flg_assembly_release(assembly);
  parts_drop(p), free(lim);
  assert_true(count >= 4);
  return (times[3] - times[1]) / 2;
}

static void a_block_on_a_belt_sticks_and_slips(void **state) {
  (void)state;
  static const belt belts[2] = {{1, 50, 0.1, 2, 3, 0}, {1, 50, 0.1, 2, 3, 0.2}};
  for (int k = 0; k < 2; k++) {
    const belt *b = &belts[k];
    double exact = period_exact(b);
    if (k == 0) { /* closed form */
      const double w = sqrt(b->stiffness / b->mass);
      const double gap = (b->stiction - b->coulomb) / b->stiffness;
      const double carried = 2 * gap / b->speed;
      const double slid = (2 * 3.14159265358979323846 - 2 * atan2(gap * w, b->speed)) / w;
      printf("closed form %.8f, events %.8f\n", carried + slid, exact);
      assert_near(carried + slid, exact, 1e-11);
    }
    for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
      double slips, before = 0;
      for (int fine = 0; fine < 2; fine++) {
        const double h = fine ? 1e-4 : 1e-3;
        const double period = period_run(b, (flg_scheme)scheme, h, &slips);
        const double error = fabs(period / exact - 1);
        printf("%s h %g: %.8f (%.8f) %.2e, slips by %.2e\n", scheme_names[scheme], h, period, exact,
               error, slips);
        if (fine) assert_true(error < 1e-3 && error < 0.5 * before + 1e-5);
        assert_true(slips < 1e-15);
        before = error;
      }
    }
  }
}

/* under Coulomb friction alone the belt only carries the block to its rest, x = F/k */
static void coulomb_friction_alone_does_not_chatter(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = parts_new(4);
    limits *lim = limits_new(p);
    const double k = 50, F = 2, speed = 0.1, w = sqrt(k), h = 1e-4;
    const int block = add_block(p, 1, 0), running = add_block(p, 1e9, speed);
    add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, block, vec(0, 0, 0), X);
    add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, running, vec(0, 0, 0), X);
    add_joint(p, FLG_CONSTRAINT_POINT_ON_LINE, running, block, vec(0, 0, 0), X);
    add_spring(p, 0, k, 0, 0);
    add_friction(p, coordinate_of(p, 2), F);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
    /* it starts at rest at 0: x = F/k (1 - cos wt) until its speed is that of the belt, is
     * carried to F/k, and swings about that with the speed of the belt */
    const double caught = asin(speed * w * k / (F * k)) / w;
    const double there = F / k * (1 - cos(w * caught));
    const double freed = caught + (F / k - there) / speed;
    advance(assembly, h, 0, (int)lround(2 / h));
    const double x = flg_assembly_coordinate(assembly, 0, NULL);
    const double exact = F / k + speed / w * sin(w * (2 - freed));
    printf("%s %.8f %.8f\n", scheme_names[scheme], x, exact);
    assert_near(x, exact, 7e-6);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loaded_joint_that_sticks_does_not_creep),
      cmocka_unit_test(breakaway_is_at_the_bound),
      cmocka_unit_test(a_block_brakes_and_stays),
      cmocka_unit_test(a_blow_within_a_step_turns_what_slides),
      cmocka_unit_test(viscous_friction_alone_decays),
      cmocka_unit_test(a_block_on_a_belt_sticks_and_slips),
      cmocka_unit_test(coulomb_friction_alone_does_not_chatter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
