/* The arm of the papers: its two model files against the chain of elementary transforms, written
 * down here apart, and against Table I of flexible-rim. */
#include "check.h"
#include "dynamics/dynamics.h"
#include "io/model_file.h"

enum { JOINTS = 7 };

static const char *const PATHS[] = {"examples/ssrms/models/ssrms.urdf",
                                    "examples/ssrms/models/ssrms.yaml"};

typedef struct arm {
  flg_region region;
  flg_model model;
  flg_region compiled, running;
  flg_robot robot;
  flg_dynamics *dynamics;
} arm;

static arm *load(const char *path) {
  static flg_mistakes mistakes;
  arm *loaded = calloc(1, sizeof *loaded);
  mistakes = (flg_mistakes){0};
  flg_model_read(&loaded->model, path, (flg_reading){.inertia = FLG_INERTIA_AUTO}, (flg_place){0},
                 &loaded->region, &mistakes);
  if (mistakes.count > 0) fail_msg("%s: %s", path, mistakes.list[0].message);
  loaded->compiled = (flg_region){0};
  assert_int_equal(flg_robot_build(&loaded->robot, &loaded->model, &loaded->compiled, &mistakes),
                   FLG_OK);
  loaded->running = (flg_region){0};
  assert_int_equal(flg_dynamics_build(&loaded->dynamics, &loaded->robot, &loaded->running, NULL),
                   FLG_OK);
  return loaded;
}

static void release(arm *loaded) {
  flg_region_release(&loaded->running);
  flg_region_release(&loaded->compiled);
  flg_region_release(&loaded->region);
  free(loaded);
}

static flg_pose port_pose(const arm *of, const char *name) {
  const flg_frame *port = &of->model.frames[flg_model_frame(&of->model, name)];
  assert_true(port->port);
  const flg_link_anchor *anchor = &of->robot.anchors[port->body];
  const flg_link_anchor frame = {anchor->link, flg_pose_compose(&anchor->pose, &port->pose)};
  return flg_dynamics_frame_pose(of->dynamics, &frame);
}

/* --- the chain, by 4 x 4 matrices --------------------------------------------------------------
 */

typedef struct transform {
  double m[4][4];
} transform;

static transform times(transform a, transform b) {
  transform c = {0};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 4; k++) c.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  }
  return c;
}

static transform shift(double x, double y, double z) {
  return (transform){{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}, {0, 0, 0, 1}}};
}

static transform turn_x(double degrees) {
  const double a = degrees * acos(-1) / 180, c = cos(a), s = sin(a);
  return (transform){{{1, 0, 0, 0}, {0, c, -s, 0}, {0, s, c, 0}, {0, 0, 0, 1}}};
}

static transform turn_z(double angle) {
  const double c = cos(angle), s = sin(angle);
  return (transform){{{c, -s, 0, 0}, {s, c, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

/* the chain that examples/ssrms/models/ssrms.yaml names, up to the last translation */
static transform chain(const double q[JOINTS], double last) {
  const transform parts[] = {shift(0, 0, .38),  turn_z(q[0]), turn_x(90),        shift(0, 0, .635),
                             turn_z(q[1]),      turn_x(90),   shift(0, 0, .504), turn_z(q[2]),
                             shift(6.85, 0, 0), turn_z(q[3]), shift(6.85, 0, 0), turn_z(q[4]),
                             shift(0, 0, .504), turn_x(90),   turn_z(q[5]),      shift(0, 0, .635),
                             turn_x(-90),       turn_z(q[6]), shift(0, 0, last)};
  transform product = parts[0];
  for (size_t k = 1; k < sizeof parts / sizeof parts[0]; k++) product = times(product, parts[k]);
  return product;
}

static void assert_pose(flg_pose actual, transform expected) {
  const double position[3] = {actual.position.x, actual.position.y, actual.position.z};
  for (int i = 0; i < 3; i++) {
    assert_near(position[i], expected.m[i][3], 1e-13);
    for (int j = 0; j < 3; j++) {
      assert_near(actual.rotation.m[i + 3 * j], expected.m[i][j], 1e-14);
    }
  }
}

static void ports_are_where_the_chain_of_transforms_puts_them(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < 2; k++) {
    arm *of = load(PATHS[k]);
    assert_int_equal(of->robot.velocity_count, JOINTS);
    for (int n = 0; n < 100; n++) {
      double q[JOINTS] = {0}, v[JOINTS] = {0};
      for (int j = 0; j < JOINTS && n > 0; j++) q[j] = random_uniform(&source, -3, 3);
      flg_dynamics_kinematics(of->dynamics, q, v);
      assert_pose(port_pose(of, "tool"), chain(q, .38));
      assert_pose(port_pose(of, "centre"), chain(q, .19));
    }
    release(of);
  }
}

static void the_joints_come_in_their_order(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    arm *of = load(PATHS[k]);
    for (int j = 0; j < JOINTS; j++) {
      char name[24];
      snprintf(name, sizeof name, "joint%d", j + 1);
      assert_int_equal(of->robot.joint_links[flg_model_joint(&of->model, name)], j);
    }
    release(of);
  }
}

/* Table I prints lengths to a centimetre and masses to 0.1 kg. */
static void masses_and_lengths_are_those_of_table_1(void **state) {
  (void)state;
  const double lengths[] = {0.38, 0.64, 0.50, 6.85, 6.85, 0.50, 0.64, 0.38};
  const double masses[] = {72.5, 121.2, 96.2, 1307.3, 1307.3, 96.2, 121.2, 72.5};
  for (int k = 0; k < 2; k++) {
    arm *of = load(PATHS[k]);
    for (int j = 0; j <= JOINTS; j++) {
      const flg_body *body = &of->model.bodies[j];
      const flg_shape *shape = &of->model.shapes[j];
      assert_near(body->mass, masses[j], 0.05);
      assert_near(body->mass, 2700 * acos(-1) * 0.15 * 0.15 * shape->size[1], 1e-10);
      assert_int_equal(shape->body, j);
      assert_near(shape->size[1], lengths[j], 0.00501);
      assert_near(2 * flg_vec3_norm(body->centre), shape->size[1], 1e-15);
    }
    release(of);
  }
}

/* of a solid cylinder about its centre; its axis is that of the shape and leads to the next joint
 */
static void links_are_cylinders_from_their_joint_to_the_next(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    arm *of = load(PATHS[k]);
    for (int j = 0; j <= JOINTS; j++) {
      const flg_body *body = &of->model.bodies[j];
      const flg_shape *shape = &of->model.shapes[j];
      const double m = body->mass, r = 0.15, L = shape->size[1];
      const flg_vec3 axis = flg_mat3_column(&shape->pose.rotation, 2);
      const flg_vec3 end = flg_vec3_scale(body->centre, 2), to = flg_vec3_scale(axis, L);
      assert_near(flg_vec3_norm(flg_vec3_subtract(to, end)), 0, 1e-14);
      assert_near(flg_vec3_dot(axis, flg_sym3_apply(body->inertia, axis)), m * r * r / 2, 1e-10);
      const double trace = body->inertia.xx + body->inertia.yy + body->inertia.zz;
      assert_near(trace, m * r * r / 2 + m * (3 * r * r + L * L) / 6, 1e-10);
      if (j == JOINTS) continue;
      char name[24];
      snprintf(name, sizeof name, "joint%d", j + 1);
      const flg_joint *next = &of->model.joints[flg_model_joint(&of->model, name)];
      assert_int_equal(next->parent, j);
      assert_near(flg_vec3_norm(flg_vec3_subtract(next->origin.position, end)), 0, 1e-15);
    }
    release(of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ports_are_where_the_chain_of_transforms_puts_them),
      cmocka_unit_test(the_joints_come_in_their_order),
      cmocka_unit_test(masses_and_lengths_are_those_of_table_1),
      cmocka_unit_test(links_are_cylinders_from_their_joint_to_the_next),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
