#include "dynamics/dynamics.h"

#include "dynamics/scratch.h"
#include "random_tree.h"

static const flg_vec3 GRAVITY = {1, -2, -9.81};

/* positions and velocities after the time t of constant accelerations, and the kinematics there */
static void move_to(const scene *x, const double *a, double t) {
  double q[SCENE_SIZE], v[SCENE_SIZE], middle[SCENE_SIZE];
  for (int k = 0; k < x->n; k++) {
    v[k] = x->v[k] + t * a[k];
    middle[k] = x->v[k] + t / 2 * a[k];
  }
  flg_robot_integrate(&x->s->robot, x->q, middle, t, q);
  flg_dynamics_kinematics(x->s->dynamics, q, v);
}

/* a step in which the scene moves by about a thousandth */
static double step_of(const scene *x, const double *a) {
  return 1e-3 / (1 + sqrt(largest_of(a, x->n)));
}

/* What is measured along the path, and its rate by differences of fourth order. */
typedef void measure(const flg_dynamics *dynamics, double *values);

static void rate_of(const scene *x, const double *a, measure *get, int count, double *rate) {
  const double h = step_of(x, a), times[4] = {-2 * h, -h, h, 2 * h};
  const double weights[4] = {1 / (12 * h), -8 / (12 * h), 8 / (12 * h), -1 / (12 * h)};
  for (int j = 0; j < count; j++) rate[j] = 0;
  for (int k = 0; k < 4; k++) {
    double values[6];
    move_to(x, a, times[k]);
    get(x->s->dynamics, values);
    for (int j = 0; j < count; j++) rate[j] += weights[k] * values[j];
  }
}

static void get_energy(const flg_dynamics *dynamics, double *values) {
  values[0] =
      flg_dynamics_kinetic_energy(dynamics) + flg_dynamics_potential_energy(dynamics, GRAVITY);
}

static void get_momentum(const flg_dynamics *dynamics, double *values) {
  flg_spatial_store(flg_dynamics_momentum(dynamics), values);
}

static double mass_of(const flg_dynamics *dynamics) {
  double mass = 0;
  for (int k = 0; k < dynamics->robot->link_count; k++) {
    mass += dynamics->robot->links[k].inertia.mass;
  }
  return mass;
}

/* by the energy in a field of 1 m/s^2 along each axis */
static void get_centre(const flg_dynamics *dynamics, double *values) {
  const flg_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    values[i] = -flg_dynamics_potential_energy(dynamics, axes[i]) / mass_of(dynamics);
  }
}

static void energy_grows_by_the_power_of_the_forces(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    double a[SCENE_SIZE], power = 0, rate;
    flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, GRAVITY, NULL, NULL, a);
    for (int j = 0; j < x.n; j++) power += x.f[j] * x.v[j];
    rate_of(&x, a, get_energy, 1, &rate);
    /* kinetic and potential energy flow into each other much faster than into their sum */
    const double flow = 1e3 * (1 + largest_of(a, x.n));
    assert_near(rate, power, 2e-11 * flow);
    sample_release(x.s);
  }
}

/* trees on one floating joint: nothing but gravity acts from outside */
static scene random_free_scene(random_source *source) {
  for (;;) {
    scene x = random_moving_scene(source);
    sample *s = x.s;
    int roots = 0;
    for (int i = 0; i < s->robot.link_count; i++) roots += s->robot.links[i].parent == FLG_WORLD;
    if (roots == 1 && s->robot.links[0].kind == FLG_JOINT_FLOATING) return x;
    sample_release(s);
  }
}

static void momentum_changes_by_gravity_alone(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 100; k++) {
    scene x = random_free_scene(&source);
    for (int j = 0; j < 6; j++) x.f[j] = 0; /* joint forces inside, none on the base */
    double a[SCENE_SIZE];
    flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, GRAVITY, NULL, NULL, a);
    flg_dynamics *d = x.s->dynamics;
    double rate[6], expected[6], centre[3];
    get_centre(d, centre);
    const flg_vec3 weight = flg_vec3_scale(GRAVITY, mass_of(d));
    const flg_vec3 moment = flg_vec3_cross(flg_vec3_load(centre), weight);
    flg_spatial_store((flg_spatial){weight, moment}, expected);
    rate_of(&x, a, get_momentum, 6, rate);
    assert_near(max_difference(rate, expected, 6), 0, 6e-10 * (1 + largest_of(a, x.n)));
    sample_release(x.s);
  }
}

static void momentum_is_mass_times_velocity_of_the_centre(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    const double none[SCENE_SIZE] = {0};
    double velocity[3], momentum[6];
    rate_of(&x, none, get_centre, 3, velocity);
    move_to(&x, none, 0);
    get_momentum(x.s->dynamics, momentum);
    const double mass = mass_of(x.s->dynamics);
    for (int j = 0; j < 3; j++) assert_near(momentum[j], mass * velocity[j], 1e-9 * mass);
    sample_release(x.s);
  }
}

/* The arm swinging freely for a second by a fourth-order method, which is then the only source of
 * error: half the step leaves a sixteenth of it. */
typedef struct swing {
  sample *s;
  int n;
} swing;

static void rates(const swing *x, const double *state, double *rate) {
  const double f[ARM_LINKS] = {0};
  memcpy(rate, state + x->n, (size_t)x->n * sizeof(double));
  flg_dynamics_forward(x->s->dynamics, state, state + x->n, f, GRAVITY, NULL, NULL, rate + x->n);
}

static void step_rk4(const swing *x, double h, double *state) {
  enum { SIZE = 2 * ARM_LINKS };
  double k[4][SIZE], probe[SIZE];
  const double reach[4] = {0, h / 2, h / 2, h};
  for (int stage = 0; stage < 4; stage++) {
    for (int j = 0; j < SIZE; j++) {
      probe[j] = state[j] + (stage == 0 ? 0 : reach[stage] * k[stage - 1][j]);
    }
    rates(x, probe, k[stage]);
  }
  for (int j = 0; j < SIZE; j++) {
    state[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
}

static double swing_energy(const swing *x, const double *state) {
  flg_dynamics_kinematics(x->s->dynamics, state, state + x->n);
  return flg_dynamics_kinetic_energy(x->s->dynamics) +
         flg_dynamics_potential_energy(x->s->dynamics, GRAVITY);
}

static void swinging_arm_keeps_its_energy_to_fourth_order(void **state) {
  (void)state;
  const swing x = {sample_arm(), ARM_LINKS};
  double drift[2];
  for (int run = 0; run < 2; run++) {
    const double start[2 * ARM_LINKS] = {0.1, 0.5, 0.3, -0.4, 0.2, 0.3, 0.1,
                                         0.1, 0.2, 0.1, 0.05, 0.1, 0.2, 0.1};
    double now[2 * ARM_LINKS];
    memcpy(now, start, sizeof now);
    const double before = swing_energy(&x, now);
    const int steps = run == 0 ? 50 : 100;
    for (int k = 0; k < steps; k++) step_rk4(&x, 1.0 / steps, now);
    drift[run] = fabs(swing_energy(&x, now) - before) / fabs(before);
  }
  assert_true(drift[0] < 1e-6 && drift[1] < drift[0] / 12);
  sample_release(x.s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_grows_by_the_power_of_the_forces),
      cmocka_unit_test(momentum_changes_by_gravity_alone),
      cmocka_unit_test(momentum_is_mass_times_velocity_of_the_centre),
      cmocka_unit_test(swinging_arm_keeps_its_energy_to_fourth_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
