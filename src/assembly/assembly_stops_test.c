/* Stops and backlash, against closed forms. */
#include "joint_limits.h"

static const flg_vec3 X = {1, 0, 0};
static const flg_vec3 WEIGHTLESS = {0, 0, 0};

/* a block over a stop at 0, at a height; down is -x */
static parts *ball(limits **lim, double height, double restitution) {
  parts *p = parts_new(4);
  *lim = limits_new(p);
  const int body = add_block(p, 1, 0);
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, body, vec(0, 0, 0), X);
  add_stop(p, 0, -height, INFINITY)->restitution = restitution;
  return p;
}

/* height over the stop at a time, after any number of bounces */
static double height_at(double t, double height, double g, double e, int *bounces) {
  double v = sqrt(2 * g * height), hit = v / g;
  *bounces = 0;
  if (t < hit) return height - g * t * t / 2;
  while (v > 1e-12) {
    v *= e;
    t -= hit;
    hit = 2 * v / g;
    ++*bounces;
    if (t < hit) return v * t - g * t * t / 2;
  }
  return 0;
}

static void a_ball_bounces(void **state) {
  (void)state;
  const double g = 9.81, height = 0.5, e = 0.8;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    double before = 0;
    for (int fine = 0; fine < 2; fine++) {
      const double h = fine ? 1e-5 : 1e-4;
      limits *lim;
      parts *p = ball(&lim, height, e);
      flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(-g, 0, 0));
      double worst = 0, deepest = 0;
      for (int k = 0; k < 20; k++) {
        const int steps = (int)lround(0.05 / h);
        for (int i = 0; i < 5; i++) {
          advance(assembly, h, k * steps + i * steps / 5, steps / 5);
          deepest = flg_smaller(deepest, flg_assembly_coordinate(assembly, 0, NULL) + height);
        }
        int bounces;
        const double exact = height_at(0.05 * (k + 1), height, g, e, &bounces);
        const double x = flg_assembly_coordinate(assembly, 0, NULL) + height;
        worst = flg_larger(worst, fabs(x - exact));
      }
      printf("%s h %g: off by %.2e m, %ld hits, deepest %g\n", scheme_names[scheme], h, worst,
             flg_assembly_stop(assembly, 0).switches, deepest);
      assert_true(worst < 20 * h && deepest > -1e-14);
      if (fine) assert_true(worst < 0.2 * before);
      before = worst;
      flg_assembly_release(assembly);
      parts_drop(p), free(lim);
    }
  }
}

static void a_ball_comes_to_rest_and_stays(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    for (int k = 0; k < 2; k++) {
      limits *lim;
      parts *p = ball(&lim, 0.1, k == 0 ? 0 : 0.5);
      flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(-9.81, 0, 0));
      advance(assembly, 1e-3, 0, 2000); /* it rests after 0.43 s */
      assert_int_equal(flg_assembly_stop(assembly, 0).mode, -1);
      const long switches = flg_assembly_stop(assembly, 0).switches;
      double rate, worst = 0;
      for (int i = 0; i < REPEATS(600); i++) { /* 10 minutes */
        advance(assembly, 1e-2, 200 + 100 * i, 100);
        worst = flg_larger(worst, fabs(flg_assembly_coordinate(assembly, 0, &rate) + 0.1));
        worst = flg_larger(worst, fabs(rate));
      }
      printf("%s rests to %g\n", scheme_names[scheme], worst);
      assert_true(worst < 1e-15);
      assert_near(flg_assembly_stop(assembly, 0).effort, 9.81, 1e-12);
      assert_int_equal(flg_assembly_stop(assembly, 0).switches, switches);
      flg_assembly_release(assembly);
      parts_drop(p), free(lim);
    }
  }
}

/* passed by 1 cm at the start: it is pushed out without a jump and without speed */
static void a_stop_that_is_passed_moves_out_slowly(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    limits *lim;
    parts *p = ball(&lim, -0.01, 0);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(-9.81, 0, 0));
    double depth = 0.01, rate;
    for (int k = 0; k < 200; k++) {
      advance(assembly, 1e-3, k, 1);
      const double now = 0.01 - flg_assembly_coordinate(assembly, 0, &rate);
      assert_true(now <= depth + 1e-5 && now >= 0.79 * depth - 1e-12 && fabs(rate) < 0.01);
      depth = now;
    }
    assert_true(fabs(depth) < 1e-12);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

/* Thrown up to a stop that does not throw back, it comes to the stop, and not less far by what
 * gravity would have given it on the way back. */
static void a_ball_that_slows_down_reaches_its_stop(void **state) {
  (void)state;
  const double ceiling = 0.1003, h = 1e-3;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = parts_new(4);
    limits *lim = limits_new(p);
    const int body = add_block(p, 1, 3);
    add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, body, vec(0, 0, 0), X);
    add_stop(p, 0, -INFINITY, ceiling)->restitution = 0;
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, vec(-9.81, 0, 0));
    double highest = 0, rate;
    for (int k = 0; k < 60; k++) {
      advance(assembly, h, k, 1);
      highest = flg_larger(highest, flg_assembly_coordinate(assembly, 0, &rate));
    }
    assert_near(highest, ceiling, 1e-14);
    assert_true(rate < 0);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

/* --- backlash -----------------------------------------------------------------------------------
 * A heavy wheel swings as a sine, a = A cos wt; a light one with friction follows it through a gear
 * of ratio 2 with backlash b: it plays.
 */

static double output_of(double t, double amplitude, double w, double b) {
  const double half = 3.14159265358979323846 / w;
  const double in = amplitude * cos(w * t) / 2, most = amplitude / 2;
  const int swings = (int)floor(t / half);
  double out; /* where it was left at the last turn of the input */
  if (swings == 0) return fmin(most, in + b / 2);
  out = swings % 2 == 1 ? -most + b / 2 : most - b / 2;
  return swings % 2 == 1 ? fmax(out, in - b / 2) : fmin(out, in + b / 2);
}

static void backlash_plays(void **state) {
  (void)state;
  const double amplitude = 1, inertia = 1e3, w = 2, b = 0.2;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = parts_new(8);
    limits *lim = limits_new(p);
    add_wheel(p, FLG_WORLD, inertia, vec(0, 0, 0));
    add_wheel(p, FLG_WORLD, 1e-2, vec(1, 0, 0));
    add_spring(p, 0, inertia * w * w, 0, -amplitude); /* starts at its end: angle 0 */
    add_friction(p, 1, 0.5);
    const int sum =
        add_sum(p, 0, 1, 1, -2); /* in the angle of the drive: twice that of the driven */
    add_stop(p, sum, -b, b);
    flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
    const double h = 1e-3, start = amplitude / 2;
    double worst = 0;
    for (int k = 0; k < 8000; k++) {
      advance(assembly, h, k, 1);
      const double out = flg_assembly_coordinate(assembly, 1, NULL) + start;
      worst = flg_larger(worst, fabs(out - output_of((k + 1) * h, amplitude, w, b)));
      const double apart = flg_assembly_coordinate(assembly, sum, NULL);
      assert_true(fabs(apart) < b + 1e-9);
    }
    long unsolved;
    const long switches = flg_assembly_switches(assembly, &unsolved);
    printf("%s plays to %.2e rad, %ld switches\n", scheme_names[scheme], worst, switches);
    assert_true(worst < 2e-3 && unsolved == 0);
    flg_assembly_release(assembly);
    parts_drop(p), free(lim);
  }
}

/* with stiffness: a spring with slack; a wheel on it swings freely, then against the spring */
static void slack_lets_a_spring_go(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    for (int implicit = 0; implicit < 2; implicit++) {
      if (implicit && scheme == FLG_SCHEME_RK4) continue;
      parts *p = parts_new(4);
      limits *lim = limits_new(p);
      const double inertia = 0.1, k = 40, slack = 0.3, speed = 2, w = sqrt(k / inertia);
      const int body = add_wheel(p, FLG_WORLD, inertia, vec(0, 0, 0));
      p->component.bodies[body].velocity.angular = vec(0, 0, speed);
      flg_component_spring *spring = add_spring(p, 0, k, 0, 0);
      spring->slack = slack, spring->implicit = implicit != 0;
      flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
      const double period = 4 * slack / speed + 2 * pi / w, h = period / 10000;
      advance(assembly, h, 0, 10000);
      double rate;
      const double x = flg_assembly_coordinate(assembly, 0, &rate);
      printf("%s %g %g\n", scheme_names[scheme], x, rate - speed);
      assert_near(x, 0, implicit ? 1e-2 : 1e-6);
      assert_near(rate, speed, implicit ? 2e-2 : 1e-6);
      flg_assembly_release(assembly);
      parts_drop(p), free(lim);
    }
  }
}

/* Without losses the energy of a wheel that plays between springs is what it had in the middle of
 * the play, where the spring stores nothing. */
static void play_stores_no_energy(void **state) {
  (void)state;
  const double inertia = 0.1, k = 40, slack = 0.3, speed = 2, preload = 0.5;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    for (int pulled = 0; pulled < 2; pulled++) {
      parts *p = parts_new(4);
      limits *lim = limits_new(p);
      const int body = add_wheel(p, FLG_WORLD, inertia, vec(0, 0, 0));
      p->component.bodies[body].velocity.angular = vec(0, 0, pulled ? -speed : speed);
      flg_component_spring *spring = add_spring(p, 0, k, 0, 0);
      spring->slack = slack, spring->preload = pulled * preload;
      flg_assembly *assembly = assemble_by(p, (flg_scheme)scheme, WEIGHTLESS);
      const double before = inertia * speed * speed / 2;
      assert_near(flg_assembly_energy(assembly), before, 1e-12);
      bool stretches = false;
      for (int n = 0; n < 1000; n++) {
        advance(assembly, 1e-3, n, 1);
        const double c = flg_assembly_coordinate(assembly, 0, NULL);
        stretches |= fabs(c) > slack + 0.05;
        assert_near(flg_assembly_energy(assembly), before,
                    scheme == FLG_SCHEME_SEMI_IMPLICIT ? 3e-2 * before : 1e-3 * before);
      }
      assert_true(stretches);
      flg_assembly_release(assembly);
      parts_drop(p), free(lim);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces),
      cmocka_unit_test(a_ball_comes_to_rest_and_stays),
      cmocka_unit_test(a_stop_that_is_passed_moves_out_slowly),
      cmocka_unit_test(a_ball_that_slows_down_reaches_its_stop),
      cmocka_unit_test(backlash_plays),
      cmocka_unit_test(slack_lets_a_spring_go),
      cmocka_unit_test(play_stores_no_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
