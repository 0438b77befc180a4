/* Laws of contact on a few rows: bodies without rotation, against closed forms. */
#include "contacts/test_law.h"

/* --- one ball over the floor ------------------------------------------------------------------ */

typedef struct falling {
  double z, v;
} falling;

static const double GRAVITY = 9.81, BALL = 2; /* kg */

static void step_ball(bench *b, falling *ball, double restitution, double h) {
  b->touches[0] = (flg_touch){.rows = 1, .gap = ball->z, .restitution = restitution};
  b->admittance[0] = 1 / BALL;
  b->before[0] = ball->v, b->free[0] = ball->v - h * GRAVITY;
  bench_solve(b, 1, 1, h);
  assert_near(b->after[0], b->free[0] + b->impulses[0] / BALL, 1e-14);
  ball->v = b->after[0];
  ball->z += h * ball->v + b->moves[0] / BALL;
}

static double energy_of(const falling *ball) {
  return 0.5 * ball->v * ball->v + GRAVITY * ball->z;
}

/* When it lies still; fails if it ever has more energy than a step before. */
static double rest_time(double restitution, double h, double longest) {
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  falling ball = {.z = 1};
  double time = -1, energy = energy_of(&ball);
  for (int k = 1; k * h < longest && time < 0; k++) {
    step_ball(b, &ball, restitution, h);
    assert_true(energy_of(&ball) <= energy + 1e-13);
    assert_true(ball.z >= -1e-12);
    energy = energy_of(&ball);
    /* it need not come nearer than a hundredth of the slop */
    if (fabs(ball.v) < 1e-9 && fabs(ball.z) < 1e-8) time = k * h;
  }
  bench_drop(b);
  return time;
}

static void bouncing_ball_comes_to_rest_in_time(void **state) {
  (void)state;
  const double exact = sqrt(2 / GRAVITY) * 1.9 / 0.1;
  assert_near(exact, 8.578949, 1e-6);
  double last = HUGE_VAL;
  for (double h = 4e-3; h > 2e-4; h /= 2) {
    const double error = fabs(rest_time(0.9, h, 12) / exact - 1);
    assert_true(error < 10 * h); /* 1 % at 1 ms */
    assert_true(error < 0.6 * last);
    last = error;
  }
}

static void perfect_ball_never_gains_energy(void **state) {
  (void)state;
  assert_near(rest_time(1, 1e-3, 20), -1, 0);
}

/* In free flight before and after, the hit is exact wherever in the step it is. */
static void a_bounce_is_exact(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  const double h = 1e-3, e = 0.7;
  bench *b = bench_new(&options);
  for (int k = 0; k < 50; k++) {
    const double height = 0.2 + 1e-3 * k, fall = sqrt(2 * height / GRAVITY);
    const double speed = GRAVITY * fall, end = 0.4;
    falling ball = {height, 0.5 * h * GRAVITY}; /* the velocity of half a step before */
    for (int i = 0; i < 400; i++) step_ball(b, &ball, e, h);
    const double t = end - fall;
    assert_near(ball.z, e * speed * t - 0.5 * GRAVITY * t * t, 5e-14);
    assert_near(ball.v - 0.5 * h * GRAVITY, e * speed - GRAVITY * t, 5e-13);
  }
  bench_drop(b);
}

/* --- balls in a row --------------------------------------------------------------------------- */

enum { BALLS = 5 };

typedef struct cradle {
  double x[BALLS], v[BALLS], mass[BALLS]; /* of no size: they touch where they meet */
} cradle;

static void step_cradle(bench *b, cradle *c, double restitution, double h) {
  memset(b->admittance, 0, sizeof b->admittance);
  for (int i = 0; i + 1 < BALLS; i++) {
    b->touches[i] =
        (flg_touch){.row = i, .rows = 1, .gap = c->x[i + 1] - c->x[i], .restitution = restitution};
    b->before[i] = b->free[i] = c->v[i + 1] - c->v[i];
    for (int j = 0; j + 1 < BALLS; j++) {
      double *w = &b->admittance[i + (BALLS - 1) * j];
      if (i == j) *w = 1 / c->mass[i] + 1 / c->mass[i + 1];
      if (i == j + 1) *w = -1 / c->mass[i];
      if (j == i + 1) *w = -1 / c->mass[j];
    }
  }
  bench_solve(b, BALLS - 1, BALLS - 1, h);
  for (int i = 0; i < BALLS; i++) {
    const double push = (i > 0 ? b->impulses[i - 1] : 0) - (i + 1 < BALLS ? b->impulses[i] : 0);
    const double move = (i > 0 ? b->moves[i - 1] : 0) - (i + 1 < BALLS ? b->moves[i] : 0);
    c->v[i] += push / c->mass[i];
    c->x[i] += h * c->v[i] + move / c->mass[i];
  }
}

static double cradle_momentum(const cradle *c) {
  double sum = 0;
  for (int i = 0; i < BALLS; i++) sum += c->mass[i] * c->v[i];
  return sum;
}

static double cradle_energy(const cradle *c) {
  double sum = 0;
  for (int i = 0; i < BALLS; i++) sum += 0.5 * c->mass[i] * c->v[i] * c->v[i];
  return sum;
}

static void check_cradle(double gap, int moving) {
  const flg_contact_law_options options = flg_contact_law_default();
  const double h = 1e-2, speed = 1.3;
  bench *b = bench_new(&options);
  cradle c = {.x = {0}};
  for (int i = 0; i < BALLS; i++) {
    c.mass[i] = 0.3, c.v[i] = i < moving ? speed : 0;
    c.x[i] = i < moving ? -0.0871 + 1e-3 * i : gap * i;
  }
  const double momentum = cradle_momentum(&c), energy = cradle_energy(&c);
  for (int k = 0; k < 30; k++) {
    step_cradle(b, &c, 1, h);
    assert_near(cradle_momentum(&c), momentum, 1e-12);
    assert_near(cradle_energy(&c), energy, 2e-14);
    for (int i = 0; i + 1 < BALLS; i++) assert_true(c.x[i + 1] - c.x[i] > -1e-12);
  }
  for (int i = 0; i < BALLS; i++) assert_near(c.v[i], i < BALLS - moving ? 0 : speed, 4e-14);
  /* as if it had passed through the others */
  const double all = 30 * h * speed;
  assert_near(c.x[BALLS - 1], -0.0871 + 1e-3 * (moving - 1) + all, 2e-14);
  bench_drop(b);
}

static void a_cradle_hands_on_the_speed(void **state) {
  (void)state;
  check_cradle(0, 1);
  check_cradle(0, 2);
}

static void a_cradle_with_gaps_hands_on_the_speed(void **state) {
  (void)state;
  check_cradle(1e-3, 1);
  check_cradle(1e-3, 2);
  check_cradle(7e-3, 1);
}

static void collisions_keep_momentum_and_lose_energy(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  random_source source = {1};
  for (int trial = 0; trial < REPEATS(2000); trial++) {
    cradle c = {.x = {0}};
    const double restitution = trial % 3 == 0 ? 1 : random_uniform(&source, 0, 1);
    for (int i = 0; i < BALLS; i++) {
      c.mass[i] = exp(random_uniform(&source, -3, 3));
      c.v[i] = random_uniform(&source, -1, 1);
      c.x[i] = i == 0 ? 0 : c.x[i - 1] + random_uniform(&source, 0, 0.02);
    }
    const double momentum = cradle_momentum(&c);
    double energy = cradle_energy(&c);
    for (int k = 0; k < 10; k++) {
      step_cradle(b, &c, restitution, 0.01);
      assert_near(cradle_momentum(&c), momentum, 1e-12);
      assert_true(cradle_energy(&c) <= energy * (1 + 1e-12));
      energy = cradle_energy(&c);
    }
    /* after many hits in one step, some of it is left to the position pass */
    for (int i = 0; i + 1 < BALLS; i++) assert_true(c.x[i + 1] - c.x[i] > -1e-3);
  }
  bench_drop(b);
}

/* Two balls fall together and meet at 2 cm/s; the lower one is far above the ground, or the ground
 * is not listed at all. */
static void touches_out_of_reach_change_nothing(void **state) {
  (void)state;
  const double h = 0.01, speed = 0.02;
  const flg_contact_law_options options = flg_contact_law_default();
  for (int count = 1; count <= 2; count++) {
    bench *b = bench_new(&options);
    b->touches[0] = (flg_touch){.row = 0, .rows = 1, .restitution = 1};
    b->touches[1] = (flg_touch){.row = 1, .rows = 1, .restitution = 1, .gap = 1};
    const double admittance[2][4] = {{2}, {2, -1, -1, 1}};
    memcpy(b->admittance, admittance[count - 1], sizeof admittance[0]);
    b->before[0] = b->free[0] = -speed, b->before[1] = 0, b->free[1] = -h * GRAVITY;
    bench_solve(b, count, count, h);
    assert_near(b->impulses[0], speed, 1e-14);
    assert_near(b->after[0], speed, 1e-14);
    bench_drop(b);
  }
}

/* --- friction --------------------------------------------------------------------------------- */

/* A point on a slope, tangents turned by an angle: the speed that it has after a step. */
static double speed_on_slope(bench *b, double slope, double turn, double friction) {
  const double h = 1e-2, down = h * GRAVITY * sin(slope);
  memset(b->admittance, 0, sizeof b->admittance);
  for (int i = 0; i < 3; i++) b->admittance[4 * i] = 1 / BALL, b->before[i] = 0;
  b->free[0] = -h * GRAVITY * cos(slope);
  b->free[1] = down * cos(turn), b->free[2] = down * sin(turn);
  b->touches[0] = (flg_touch){.rows = 3, .friction = friction};
  memset(b->states, 0, sizeof b->states);
  bench_solve(b, 1, 3, h);
  return hypot(b->after[1], b->after[2]);
}

static void a_block_slips_above_the_angle_of_friction(void **state) {
  (void)state;
  for (int box = 0; box < 2; box++) {
    flg_contact_law_options options = flg_contact_law_default();
    options.friction = box ? FLG_FRICTION_BOX : FLG_FRICTION_CONE;
    bench *b = bench_new(&options);
    for (double slope = 0.1; slope < 1.2; slope += 0.1) {
      const double turn = box ? 0 : 3 * slope, mu = tan(slope), down = 1e-2 * GRAVITY * cos(slope);
      assert_near(speed_on_slope(b, slope, turn, mu + 1e-6), 0, 1e-12);
      assert_near(speed_on_slope(b, slope, turn, mu - 1e-6), 1e-6 * down, 1e-14);
    }
    bench_drop(b);
  }
}

/* --- positions -------------------------------------------------------------------------------- */

static void a_fifth_of_an_overlap_is_taken_out(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  falling ball = {.z = -1e-3};
  for (int k = 0; k < 100; k++) {
    const double before = ball.z + options.slop;
    step_ball(b, &ball, 0, 1e-3);
    assert_near(ball.z + options.slop, 0.8 * before, 1e-15);
    assert_near(ball.v, 0, 1e-14);
    assert_true(ball.z <= 0);
  }
  bench_drop(b);
}

/* Balls that overlap are pushed apart, not into the third one. */
static void nobody_is_lifted_into_another(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  cradle c = {.x = {0, -1e-3, 0, 0, 1e-5}, .mass = {1, 1, 1, 1, 1}};
  for (int k = 0; k < 20; k++) {
    const double before = c.x[1] - c.x[0] + options.slop;
    step_cradle(b, &c, 0, 1e-2);
    assert_near(c.x[1] - c.x[0] + options.slop, 0.8 * before, 1e-14);
    for (int i = 1; i + 1 < BALLS; i++) assert_true(c.x[i + 1] - c.x[i] > -1e-10);
    assert_near(cradle_energy(&c), 0, 1e-30);
  }
  bench_drop(b);
}

/* --- what is not quite solved ------------------------------------------------------------------
 */

/* W = V V^T of more rows than freedoms, and approaching points with friction on them */
static void draw_pile(random_source *source, bench *b, int points) {
  enum { FREEDOMS = 6 };
  const int n = 3 * points;
  double v[ROWS_MAX][FREEDOMS];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < FREEDOMS; k++) v[i][k] = random_uniform(source, -1, 1);
    b->before[i] = 0, b->impulses[i] = 0, b->states[i] = 0;
  }
  for (int i = 0; i < n; i++) {
    b->free[i] = 0;
    for (int k = 0; k < FREEDOMS; k++) b->free[i] -= v[i][k] * (k + 1);
    for (int j = 0; j < n; j++) {
      b->admittance[i + n * j] = 0;
      for (int k = 0; k < FREEDOMS; k++) b->admittance[i + n * j] += v[i][k] * v[j][k];
    }
  }
  for (int k = 0; k < points; k++) {
    b->touches[k] = (flg_touch){.row = 3 * k, .rows = 3, .friction = 0.7};
  }
}

/* Sweeps that are cut short leave impulses that push what moves away already. All of them are made
 * smaller by one number then, so that they do no work at the speeds they end with: no energy comes
 * from what is not solved. */
static void impulses_of_few_sweeps_do_no_work(void **state) {
  (void)state;
  flg_contact_law_options options = flg_contact_law_default();
  options.solver.method = FLG_METHOD_ITERATIVE;
  options.solver.direct_limit = 0, options.solver.iterations = 2;
  options.solver.tolerance = 1e-15, options.hurries = true;
  bench *b = bench_new(&options);
  random_source source = {5};
  int unsolved = 0;
  for (int trial = 0; trial < REPEATS(500); trial++) {
    const int points = random_integer(&source, 3, 12), rows = 3 * points;
    double work = 0, push = 0;
    draw_pile(&source, b, points);
    b->problem.touch_count = points, b->problem.row_count = rows, b->problem.h = 1e-3;
    flg_contact_law_solve(b->law, &b->problem, &b->report);
    for (int i = 0; i < rows; i++) {
      work += b->impulses[i] * b->after[i], push += fabs(b->impulses[i] * b->free[i]);
    }
    unsolved += b->report.statistics.residual > 1e-6;
    if (!(work <= 1e-12 * push)) fail_msg("trial %d: work of %g, where %g acts", trial, work, push);
  }
  assert_true(5 * unsolved > REPEATS(500)); /* it does come to that */
  bench_drop(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bouncing_ball_comes_to_rest_in_time),
      cmocka_unit_test(perfect_ball_never_gains_energy),
      cmocka_unit_test(a_bounce_is_exact),
      cmocka_unit_test(a_cradle_hands_on_the_speed),
      cmocka_unit_test(a_cradle_with_gaps_hands_on_the_speed),
      cmocka_unit_test(collisions_keep_momentum_and_lose_energy),
      cmocka_unit_test(touches_out_of_reach_change_nothing),
      cmocka_unit_test(a_block_slips_above_the_angle_of_friction),
      cmocka_unit_test(a_fifth_of_an_overlap_is_taken_out),
      cmocka_unit_test(nobody_is_lifted_into_another),
      cmocka_unit_test(impulses_of_few_sweeps_do_no_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
