/* What is known of contacts in closed form, on every host: bodies of a component, robots with a
 * floating base, robots in joint coordinates, and robots that are part of a component. All come
 * from files. */
#include <math.h>
#include <stdarg.h>

#include "scenarios.h"

static const double G = 9.81;

/* --- hosts --------------------------------------------------------------------------------------
 */

typedef enum host { BODIES, FLOATING, JOINTS, INSIDE, HOSTS } host;
static const char *const host_names[HOSTS] = {"bodies of a component", "robot with a floating base",
                                              "robot in joint coordinates", "robot in a component"};

enum { CRADLE = 5, MOST = 10, NUMBERS = 9, TEXT = 8192 };

typedef struct ball {
  double mass;
  double size[3]; /* of a box; 0 but the first: radius of a sphere */
  double at[3], velocity[3];
} ball;

typedef struct scene {
  double friction, restitution;
  const char *law; /* cone or box */
  double gravity[3];
  bool ground;
  int count;
  ball balls[MOST];
  double h, end;
} scene;

static scene scene_new(double friction, double restitution) {
  return (scene){.friction = friction,
                 .restitution = restitution,
                 .law = "cone",
                 .gravity = {0, 0, -G},
                 .ground = true,
                 .h = 1e-3};
}

static ball *add_ball(scene *to, double mass, double radius, double x, double y, double z) {
  ball *made = &to->balls[to->count++];
  *made = (ball){.mass = mass, .size = {radius}, .at = {x, y, z}};
  return made;
}

/* --- files --------------------------------------------------------------------------------------
 */

__attribute__((format(printf, 2, 3))) static void put(char *text, const char *format, ...) {
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, TEXT - used, format, list);
  va_end(list);
  assert_true(strlen(text) < TEXT - 1);
}

static void put_body(char *text, const scene *of, int k) {
  const ball *b = &of->balls[k];
  const double *s = b->size, m = b->mass / 12;
  const bool is_box = s[1] > 0;
  const double round = 0.4 * b->mass * s[0] * s[0];
  put(text, "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], shapes: [{kind: ", k, b->mass,
      is_box ? m * (s[1] * s[1] + s[2] * s[2]) : round,
      is_box ? m * (s[0] * s[0] + s[2] * s[2]) : round,
      is_box ? m * (s[0] * s[0] + s[1] * s[1]) : round);
  if (is_box) put(text, "box, size: [%.17g, %.17g, %.17g]", s[0], s[1], s[2]);
  if (!is_box) put(text, "sphere, size: %.17g", s[0]);
  put(text, ", friction: %.17g, restitution: %.17g}]", of->friction, of->restitution);
}

static void put_component(char *text, const scene *of) {
  put(text, "flange-component: 1\nbodies:\n");
  for (int k = 0; k < of->count; k++) {
    const double *at = of->balls[k].at, *v = of->balls[k].velocity;
    put_body(text, of, k);
    put(text, ", at: [%.17g, %.17g, %.17g], velocity: [%.17g, %.17g, %.17g]}\n", at[0], at[1],
        at[2], v[0], v[1], v[2]);
  }
}

/* three slides and a ball joint, with nothing between them; or one joint for all */
static void put_joints(char *text, int k, bool chain) {
  if (!chain) {
    put(text, "  j%d: {kind: floating, child: b%d}\n", k, k);
    return;
  }
  put(text,
      "  x%d: {kind: prismatic, child: cx%d, axis: [1, 0, 0]}\n"
      "  y%d: {kind: prismatic, parent: cx%d, child: cy%d, axis: [0, 1, 0]}\n"
      "  z%d: {kind: prismatic, parent: cy%d, child: cz%d, axis: [0, 0, 1]}\n"
      "  j%d: {kind: ball, parent: cz%d, child: b%d}\n",
      k, k, k, k, k, k, k, k, k, k, k);
}

static void put_robot(char *text, const scene *of, bool chain) {
  put(text, "flange-model: 1\nbodies:\n");
  for (int k = 0; k < of->count; k++) {
    put_body(text, of, k);
    put(text, "}\n");
    if (chain) put(text, "  cx%d: {mass: 0}\n  cy%d: {mass: 0}\n  cz%d: {mass: 0}\n", k, k, k);
  }
  put(text, "joints:\n");
  for (int k = 0; k < of->count; k++) put_joints(text, k, chain);
}

/* of one ball, by the names of its joints; rest: what a floating joint has besides */
static void put_three(char *text, int k, const double *values, bool chain, const char *rest) {
  if (chain) {
    put(text, "x%d: %.17g, y%d: %.17g, z%d: %.17g, ", k, values[0], k, values[1], k, values[2]);
  } else {
    put(text, "j%d: [%.17g, %.17g, %.17g, %s], ", k, values[0], values[1], values[2], rest);
  }
}

static void put_start(char *text, const scene *of, bool chain) {
  put(text, "self_collision: true, initial: {");
  for (int k = 0; k < of->count; k++) put_three(text, k, of->balls[k].at, chain, "1, 0, 0, 0");
  put(text, "}, initial_velocity: {");
  for (int k = 0; k < of->count; k++) put_three(text, k, of->balls[k].velocity, chain, "0, 0, 0");
  put(text, "}");
}

static void put_scenario(char *text, const scene *of, host on) {
  const double *g = of->gravity;
  put(text, "flange: 1\ngravity: [%.17g, %.17g, %.17g]\ntime: {end: %.17g, macro: %.17g}\n", g[0],
      g[1], g[2], of->end, of->h);
  put(text, "contacts: {friction: %s}\n", of->law);
  if (of->ground) {
    put(text, "ground: {shapes: [{kind: plane, friction: %.17g, restitution: %.17g}]}\n",
        of->friction, of->restitution);
  }
  put(text, "subsystems: {a: {model: model.yaml, step: %.17g, ", of->h);
  if (on == FLOATING || on == JOINTS) put_start(text, of, on == JOINTS);
  put(text, "}}\nrecord: [");
  for (int k = 0; k < of->count; k++) {
    char path[32];
    snprintf(path, sizeof path, "a/%sb%d", on == INSIDE ? "r/" : "", k);
    put(text, "%s.position, %s.velocity, %s.angular_velocity, ", path, path, path);
  }
  put(text, "a/energy]\n");
}

static flg_simulation *load(const scene *of, host on) {
  static flg_mistakes mistakes;
  static char scenario[TEXT], model[TEXT], robot[TEXT];
  scenario[0] = model[0] = robot[0] = '\0';
  mistakes = (flg_mistakes){0};
  put_scenario(scenario, of, on);
  if (on == BODIES) put_component(model, of);
  if (on == FLOATING || on == JOINTS) put_robot(model, of, on == JOINTS);
  if (on == INSIDE) {
    put_robot(robot, of, false);
    put(model, "flange-component: 1\nrobots: {r: {model: robot.yaml, ");
    put_start(model, of, false);
    put(model, "}}\n");
  }
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml", model);
  make_file(&folder, "robot.yaml", robot);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, make_file(&folder, "scenario.yaml", scenario), NULL, 0,
                      &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) {
    fail_msg("%s, %s:%d: %s", host_names[on], mistakes.list[0].file, mistakes.list[0].line,
             mistakes.list[0].message);
  }
  return simulation;
}

/* --- runs ---------------------------------------------------------------------------------------
 */

typedef struct run {
  flg_simulation *simulation;
  int count;
  double values[NUMBERS * MOST + 1];
} run;

static run run_new(const scene *of, host on) {
  run made = {.simulation = load(of, on), .count = of->count};
  flg_simulation_record(made.simulation, made.values);
  return made;
}

/* energy never grows */
static bool run_step(run *of) {
  flg_error error = {0};
  const double before = of->values[NUMBERS * of->count];
  if (flg_simulation_ended(of->simulation)) return false;
  if (flg_simulation_step(of->simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  flg_simulation_record(of->simulation, of->values);
  assert_true(of->values[NUMBERS * of->count] <= before + 1e-12 * (1 + fabs(before)));
  return true;
}

static const double *position(const run *of, int k) {
  return of->values + NUMBERS * k;
}

static const double *velocity(const run *of, int k) {
  return of->values + NUMBERS * k + 3;
}

static const double *spin(const run *of, int k) {
  return of->values + NUMBERS * k + 6;
}

/* --- closed forms -------------------------------------------------------------------------------
 */

/* when it last went up */
static double time_to_rest(host on, double h) {
  scene of = scene_new(0.3, 0.9);
  add_ball(&of, 1, 0.1, 0, 0, 1.1);
  of.h = h, of.end = 10;
  run of_ball = run_new(&of, on);
  double last = 0;
  while (run_step(&of_ball)) {
    if (velocity(&of_ball, 0)[2] > 1e-9) last = flg_simulation_time(of_ball.simulation);
  }
  assert_near(position(&of_ball, 0)[2], 0.1, 1e-8);
  flg_simulation_release(of_ball.simulation);
  return last;
}

static void a_ball_bounces_until_it_rests(void **state) {
  (void)state;
  const double rest = sqrt(2 / G) * (1 + 0.9) / (1 - 0.9);
  for (int on = 0; on < HOSTS; on++) {
    const double coarse = time_to_rest((host)on, 1. / 250), fine = time_to_rest((host)on, 1e-3);
    printf("%s: at rest after %.4f, %.4f s of %.4f\n", host_names[on], coarse, fine, rest);
    assert_near(fine, rest, 0.01 * rest);
    assert_true(fabs(fine - rest) < fabs(coarse - rest));
  }
}

static void a_sliding_sphere_rolls_in_the_end(void **state) {
  (void)state;
  const double mu = 0.2, speed = 2, radius = 0.1, roll = 2 * speed / (7 * mu * G);
  for (int on = 0; on < HOSTS; on++) {
    scene of = scene_new(mu, 0);
    ball *b = add_ball(&of, 1.5, radius, 0, 0, radius);
    b->velocity[0] = 0.6 * speed, b->velocity[1] = 0.8 * speed;
    of.end = 0.6;
    run ball_run = run_new(&of, (host)on);
    double slid = 0;
    while (run_step(&ball_run)) {
      const double slip = velocity(&ball_run, 0)[0] - radius * spin(&ball_run, 0)[1];
      if (fabs(slip) > 1e-9) slid = flg_simulation_time(ball_run.simulation);
    }
    assert_near(slid, roll, 1.5 * of.h);
    assert_near(velocity(&ball_run, 0)[0], 5. / 7 * 0.6 * speed, 1e-12);
    assert_near(velocity(&ball_run, 0)[1], 5. / 7 * 0.8 * speed, 1e-12);
    flg_simulation_release(ball_run.simulation);
  }
}

static double way_on_slope(host on, double slope, double friction, const char *law) {
  scene of = scene_new(friction, 0);
  ball *b = add_ball(&of, 3, 0, 0, 0, 0.05);
  b->size[0] = 0.4, b->size[1] = 0.3, b->size[2] = 0.1;
  of.gravity[0] = G * sin(slope), of.gravity[2] = -G * cos(slope);
  of.law = law, of.end = 1;
  run box = run_new(&of, on);
  while (run_step(&box)) continue;
  const double way = position(&box, 0)[0];
  flg_simulation_release(box.simulation);
  return way;
}

static void a_block_slips_above_the_angle_of_friction(void **state) {
  (void)state;
  for (int on = 0; on < HOSTS; on++) {
    for (int law = 0; law < 2; law++) {
      const char *name = law == 0 ? "cone" : "box";
      const double slope = 0.3, mu = tan(slope);
      assert_near(way_on_slope((host)on, slope, mu + 1e-6, name), 0, 1e-13);
      const double way = 0.5 * 1e-6 * G * cos(slope) * 1.001; /* of 1000 semi-implicit steps */
      assert_near(way_on_slope((host)on, slope, mu - 1e-6, name), way, 1e-8);
    }
  }
}

static void a_box_at_rest_stays(void **state) {
  (void)state;
  for (int on = 0; on < HOSTS; on++) {
    scene of = scene_new(0.5, 0);
    ball *b = add_ball(&of, 2, 0, 0, 0, 0.15);
    b->size[0] = 0.1, b->size[1] = 0.2, b->size[2] = 0.3;
    of.h = 1. / 60, of.end = 60;
    run box = run_new(&of, (host)on);
    double worst = 0;
    while (run_step(&box)) {
      const double *at = position(&box, 0);
      worst = flg_larger(worst, flg_larger(hypot(at[0], at[1]), fabs(at[2] - 0.15)));
    }
    printf("%s: a box drifts by %.1e m in a minute\n", host_names[on], worst);
    assert_true(worst < 1e-9);
    flg_simulation_release(box.simulation);
  }
}

/* Newton's cradle: five balls that touch hand on the speed of the first to the last */
static void a_row_of_balls_hands_on_speed(void **state) {
  (void)state;
  for (int on = 0; on < HOSTS; on++) {
    scene of = scene_new(0, 1);
    for (int k = 0; k < CRADLE; k++) add_ball(&of, 1, 0.1, k == 0 ? -0.15 : 0.2 * k, 0, 0);
    of.balls[0].velocity[0] = 2;
    of.gravity[2] = 0, of.ground = false, of.end = 0.3;
    run row = run_new(&of, (host)on);
    while (run_step(&row)) continue;
    for (int k = 0; k < CRADLE; k++)
      assert_near(velocity(&row, k)[0], k == CRADLE - 1 ? 2 : 0, 1e-9);
    flg_simulation_release(row.simulation);
  }
}

/* Balls along an axis; the first of them come in with `speed`, and meet the others after so many
 * steps, give or take `early`. */
typedef struct row {
  int count, moving, axis, steps;
  double masses[MOST], speed, early;
} row;

static scene scene_of_row(const row *of, double h) {
  scene made = scene_new(0.5, 1);
  made.gravity[2] = 0, made.ground = false;
  made.h = h, made.end = h * (of->steps + 5);
  for (int k = 0; k < of->count; k++) {
    ball *b = add_ball(&made, of->masses[k], 0.05, 0, 0, 0);
    const bool moves = k < of->moving;
    b->at[of->axis] = 0.1 * k - (moves ? of->steps * h * of->speed - of->early : 0);
    b->velocity[of->axis] = moves ? of->speed : 0;
  }
  return made;
}

static void check_row(const row *of, host on, double h) {
  const scene made = scene_of_row(of, h);
  run balls = run_new(&made, on);
  const double energy = balls.values[NUMBERS * of->count];
  while (run_step(&balls)) continue;
  assert_near(balls.values[NUMBERS * of->count], energy, 1e-12 * energy);
  bool equal = true;
  for (int k = 0; k < of->count; k++) equal = equal && of->masses[k] == of->masses[0];
  for (int k = 0; k < of->count && equal; k++) {
    const double last = k < of->count - of->moving ? 0 : of->speed;
    assert_near(velocity(&balls, k)[of->axis], last, 1e-12);
  }
  flg_simulation_release(balls.simulation);
}

/* just before, on and just after the end of a step */
static void rows_keep_their_energy_wherever_the_hit_falls(void **state) {
  (void)state;
  static const double early[] = {0, 1e-17, -1e-17, 3e-16, -3e-16, 1e-12, -1e-12, 1e-7, 1e-3};
  random_source source = {4};
  for (int n = 2; n <= MOST; n++) {
    for (int k = 0; k < 9; k++) {
      row of = {.count = n,
                .moving = 1 + k % 2 * (n > 3),
                .axis = (n + k) % 3,
                .steps = k % 4 == 3 ? 1 : 20,
                .speed = k % 5 == 4 ? 0.3 : 1,
                .early = early[k]};
      for (int i = 0; i < n; i++) of.masses[i] = 1;
      check_row(&of, (host)(k % 3 == 0 ? n % HOSTS : BODIES), 1. / 200);
      for (int i = 0; i < n; i++) of.masses[i] = exp(random_uniform(&source, -1, 1));
      check_row(&of, BODIES, k % 2 ? 1. / 240 : 1. / 50);
    }
  }
}

static void put_momentum(const scene *of, const run *at, double sum[3]) {
  for (int i = 0; i < 3; i++) sum[i] = 0;
  for (int k = 0; k < of->count; k++) {
    for (int i = 0; i < 3; i++) sum[i] += of->balls[k].mass * velocity(at, k)[i];
  }
}

static void collisions_keep_momentum(void **state) {
  (void)state;
  for (int on = 0; on < HOSTS; on++) {
    for (int trial = 0; trial < 3; trial++) {
      scene of = scene_new(0.4, 0.5 * trial);
      for (int k = 0; k < CRADLE; k++) {
        ball *b = add_ball(&of, 0.5 + 0.3 * k, 0.1, cos(k), sin(k), 0.05 * k);
        for (int i = 0; i < 3; i++) b->velocity[i] = -b->at[i] * (1 + 0.1 * k);
      }
      of.gravity[2] = 0, of.ground = false, of.end = 2;
      run cloud = run_new(&of, (host)on);
      double before[3], after[3];
      const double energy = cloud.values[NUMBERS * of.count];
      put_momentum(&of, &cloud, before);
      while (run_step(&cloud)) continue;
      put_momentum(&of, &cloud, after);
      for (int i = 0; i < 3; i++) assert_near(after[i], before[i], 1e-12);
      assert_true(cloud.values[NUMBERS * of.count] < energy); /* they met, and rubbed */
      flg_simulation_release(cloud.simulation);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces_until_it_rests),
      cmocka_unit_test(a_sliding_sphere_rolls_in_the_end),
      cmocka_unit_test(a_block_slips_above_the_angle_of_friction),
      cmocka_unit_test(a_box_at_rest_stays),
      cmocka_unit_test(a_row_of_balls_hands_on_speed),
      cmocka_unit_test(rows_keep_their_energy_wherever_the_hit_falls),
      cmocka_unit_test(collisions_keep_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
