/* A rest that is one rigid body, by its dense equations: D over ports at random places, what
 * velocities do to them by differences in time of a body that turns freely. */
#include "check.h"
#include "macro/macro_run.h"
#include "math/larger.h"
#include "random_tree.h"

enum { PORTS = 3, ROWS = 6 * PORTS, TRIES = 200 };

typedef struct rigid_body {
  double mass;
  flg_mat3 inertia, yields; /* in world axes */
  flg_vec3 levers[PORTS], spin;
} rigid_body;

typedef struct world {
  rigid_body body;
  int absent; /* the port that nothing is joined to, or -1 */
  double t[ROWS], bias[ROWS];
  flg_vec3 levers[PORTS];
  flg_macro_run macro_run;
} world;

/* --- the body, dense ------------------------------------------------------------------------- */

static flg_mat3 skew(flg_vec3 d) {
  return (flg_mat3){{0, d.z, -d.y, -d.z, 0, d.x, d.y, -d.x, 0}}; /* by columns */
}

static flg_mat3 about(const flg_mat3 *R, const flg_mat3 *matrix) {
  const flg_mat3 left = flg_mat3_multiply(R, matrix);
  flg_mat3 transposed;
  for (int i = 0; i < 9; i++) transposed.m[i] = R->m[i % 3 * 3 + i / 3];
  return flg_mat3_multiply(&left, &transposed);
}

/* Rodrigues */
static flg_mat3 turn_by(flg_vec3 way) {
  const double angle = flg_vec3_norm(way);
  if (angle == 0) return flg_mat3_identity();
  const flg_mat3 k = skew(flg_vec3_scale(way, 1 / angle)), kk = flg_mat3_multiply(&k, &k);
  flg_mat3 R = flg_mat3_identity();
  for (int i = 0; i < 9; i++) R.m[i] += sin(angle) * k.m[i] + (1 - cos(angle)) * kk.m[i];
  return R;
}

static rigid_body turned(const rigid_body *from, flg_vec3 way) {
  const flg_mat3 R = turn_by(way);
  rigid_body to = *from;
  to.inertia = about(&R, &from->inertia), to.yields = about(&R, &from->yields);
  for (int k = 0; k < PORTS; k++) to.levers[k] = flg_mat3_apply(&R, from->levers[k]);
  return to;
}

/* that turns for a time without a moment: the same angular momentum */
static rigid_body freely(const rigid_body *from, double time) {
  rigid_body to = turned(from, flg_vec3_scale(from->spin, time));
  to.spin = flg_mat3_apply(&to.yields, flg_mat3_apply(&from->inertia, from->spin));
  return to;
}

/* of port a at the unit push i on port b: velocity of the centre, spin, and what the lever makes of
 * it */
static flg_spatial answer(const rigid_body *of, int a, int b, int i) {
  double unit[6] = {0};
  unit[i] = 1;
  const flg_spatial push = flg_spatial_load(unit);
  const flg_vec3 moment = flg_vec3_add(push.angular, flg_vec3_cross(of->levers[b], push.linear));
  const flg_vec3 spin = flg_mat3_apply(&of->yields, moment);
  const flg_vec3 centre = flg_vec3_scale(push.linear, 1 / of->mass);
  return (flg_spatial){flg_vec3_add(centre, flg_vec3_cross(spin, of->levers[a])), spin};
}

/* velocity of a port, its centre at rest */
static flg_spatial velocity_of(const rigid_body *of, int port) {
  return (flg_spatial){flg_vec3_cross(of->spin, of->levers[port]), of->spin};
}

/* by differences over 2 h, or over h forwards */
static flg_spatial change_of(const rigid_body *of, int port, double from, double to) {
  const rigid_body before = freely(of, from), after = freely(of, to);
  const flg_spatial way =
      flg_spatial_subtract(velocity_of(&after, port), velocity_of(&before, port));
  return flg_spatial_scale(way, 1 / (to - from));
}

/* --- its model ------------------------------------------------------------------------------- */

static bool is_there(const world *of, int port) {
  return port != of->absent;
}

static double fault_of_admittance(const world *of, const rigid_body *body) {
  const double *D = flg_interface_model_admittance(of->macro_run.rest);
  double worst = 0;
  for (int column = 0; column < ROWS; column++) {
    for (int a = 0; a < PORTS; a++) {
      double exact[6] = {0};
      const int b = column / 6;
      if (is_there(of, a) && is_there(of, b))
        flg_spatial_store(answer(body, a, b, column % 6), exact);
      for (int i = 0; i < 6; i++)
        worst = flg_larger(worst, fabs(D[6 * a + i + ROWS * column] - exact[i]));
    }
  }
  return worst;
}

static void write_model(world *of) {
  flg_interface_model *rest = of->macro_run.rest;
  double *D = flg_interface_model_admittance(rest), *w = flg_interface_model_velocity(rest);
  memset(D, 0, ROWS * ROWS * sizeof *D);
  memset(w, 0, ROWS * sizeof *w);
  for (int k = 0; k < ROWS * PORTS; k++) {
    const int column = k / PORTS, a = k % PORTS;
    if (is_there(of, a) && is_there(of, column / 6))
      flg_spatial_store(answer(&of->body, a, column / 6, column % 6), D + 6 * a + ROWS * column);
  }
  for (int k = 0; k < PORTS; k++) {
    if (is_there(of, k)) flg_spatial_store(velocity_of(&of->body, k), w + 6 * k);
  }
  memcpy(flg_interface_model_bias(rest), of->bias, sizeof of->bias);
}

static void draw_body(random_source *source, rigid_body *body) {
  const double i[3] = {random_uniform(source, 1, 2), random_uniform(source, 2, 3),
                       random_uniform(source, 1.5, 2.5)};
  const flg_mat3 R = random_rotation(source);
  const flg_mat3 own = {{i[0], 0, 0, 0, i[1], 0, 0, 0, i[2]}};
  const flg_mat3 inverse = {{1 / i[0], 0, 0, 0, 1 / i[1], 0, 0, 0, 1 / i[2]}};
  body->mass = random_uniform(source, 0.5, 4);
  body->inertia = about(&R, &own), body->yields = about(&R, &inverse);
  body->spin = random_vector(source, 2);
  for (int k = 0; k < PORTS; k++) body->levers[k] = random_vector(source, 1);
}

static world *world_new(random_source *source, bool is_kicked, int absent) {
  world *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->absent = absent;
  draw_body(source, &made->body);
  random_numbers(source, 1, made->t, ROWS);
  random_numbers(source, 1, made->bias, ROWS);
  flg_macro_run *run = &made->macro_run;
  run->is_kicked = is_kicked;
  run->body.levers = made->levers;
  run->velocity_bias[1] = made->t;
  void *memory = malloc(flg_interface_model_bytes(ROWS));
  assert_int_equal(flg_interface_model_build(memory, ROWS, ROWS, &run->rest, NULL), FLG_OK);
  write_model(made);
  return made;
}

static void world_drop(world *of) {
  free(of->macro_run.rest);
  free(of);
}

static double distance(const double *a, const double *b, int count) {
  double worst = 0;
  for (int k = 0; k < count; k++) worst = flg_larger(worst, fabs(a[k] - b[k]));
  return worst;
}

/* --- cases ----------------------------------------------------------------------------------- */

/* t leaves the bias where calls add it between micro steps; before, the bias did not have what t
 * was */
static void the_body_is_found_from_its_admittance(void **state) {
  (void)state;
  random_source source = {11};
  for (int k = 0; k < TRIES; k++) {
    world *of = world_new(&source, k % 2, k % 5 == 4 ? -1 : k % 5 % PORTS);
    const flg_mat3 *yields = &of->body.yields;
    double before[ROWS];
    memcpy(before, of->t, sizeof before);
    flg_macro_run_turn_begin(&of->macro_run);
    const flg_rigid_rest *found = &of->macro_run.body;
    assert_int_equal(found->port, of->absent == 0);
    assert_near(found->lightness, 1 / of->body.mass, 2e-15);
    assert_near(found->yields.xx, yields->m[0], 1e-15);
    assert_near(found->yields.yz, yields->m[5], 1e-15);
    assert_near(found->inertia.zz, of->body.inertia.m[8], 2e-14);
    assert_near(found->inertia.xy, of->body.inertia.m[1], 2e-14);
    const double *bias = flg_interface_model_bias(of->macro_run.rest);
    for (int port = 0; port < PORTS; port++) {
      double exact[6] = {0};
      const int row = 6 * port;
      if (!is_there(of, port)) {
        assert_true(distance(bias + row, of->bias + row, 6) == 0);
        assert_true(distance(of->t + row, before + row, 6) == 0);
        continue;
      }
      const flg_vec3 apart = flg_vec3_subtract(of->levers[port], of->body.levers[port]);
      assert_near(flg_vec3_norm(apart), 0, 2e-15);
      flg_spatial_store(change_of(&of->body, port, -1e-5, 1e-5), exact);
      assert_near(distance(of->t + row, exact, 6), 0, 5e-9);
      for (int i = 0; i < 6 && k % 2; i++) before[row + i] += of->bias[row + i] - of->t[row + i];
      assert_near(distance(bias + row, k % 2 ? before + row : of->bias + row, 6), 0, 1e-14);
    }
    world_drop(of);
  }
}

static void the_model_turns_with_the_body(void **state) {
  (void)state;
  random_source source = {12};
  const double h = 0.1;
  for (int k = 0; k < TRIES; k++) {
    const bool is_kicked = k % 2, is_step = k % 3;
    world *of = world_new(&source, is_kicked, k % 5 == 4 ? -1 : k % 5 % PORTS);
    double before[ROWS], bias[ROWS], u[ROWS];
    flg_macro_run_turn_begin(&of->macro_run);
    memcpy(before, of->t, sizeof before);
    memcpy(bias, flg_interface_model_bias(of->macro_run.rest), sizeof bias);
    memcpy(u, flg_interface_model_velocity(of->macro_run.rest), sizeof u);
    flg_macro_run_turn(&of->macro_run, u, h, is_step);
    const rigid_body after = turned(&of->body, flg_vec3_scale(of->body.spin, h));
    assert_near(fault_of_admittance(of, &after), 0, 4e-15);
    for (int port = 0; port < PORTS; port++) {
      double exact[6];
      const int row = 6 * port;
      memcpy(exact, before + row, sizeof exact);
      if (is_step && is_there(of, port)) {
        flg_spatial_store(
            is_kicked ? change_of(&of->body, port, 0, h) : change_of(&after, port, -1e-5, 1e-5),
            exact);
      }
      assert_near(distance(of->t + row, exact, 6), 0, is_kicked ? 2e-14 : 5e-9);
      /* the bias follows t where nothing else adds it */
      const double *now = flg_interface_model_bias(of->macro_run.rest) + row;
      for (int i = 0; i < 6; i++) {
        const double by = is_kicked ? 0 : of->t[row + i] - before[row + i];
        assert_near(now[i], bias[row + i] + by, 1e-14);
      }
    }
    world_drop(of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_body_is_found_from_its_admittance),
      cmocka_unit_test(the_model_turns_with_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
