/* Any number that a robot's motion depends on changes its identity; the same numbers at another
 * place in memory do not, nor what is scratch or a start. */
#include "robot/robot_identity.h"

#include "check.h"
#include "robot/robot_subsystem.h"

enum {
  LINKS = 3,
  MODES = 2,
  NODES = 2,
  JOINTS = 2,
  CONTROLLERS = 3,
  DRIVEN = 2,
  KNOTS = 3,
  PUSHES = 2
};
enum { MOST = 512 };

typedef struct world {
  flg_link links[LINKS];
  flg_flex flex;
  double modal[3][MODES * MODES];
  flg_vec3 travel[MODES], swing[MODES];
  flg_sym3 inertias[MODES], pairs[MODES * MODES];
  flg_flex_node nodes[NODES];
  flg_spatial shapes[NODES][MODES];
  flg_model model;
  flg_joint joints[JOINTS];
  flg_controller controllers[CONTROLLERS];
  int velocities[CONTROLLERS][DRIVEN];
  double times[CONTROLLERS][KNOTS], values[CONTROLLERS][KNOTS * DRIVEN];
  double stiffness[CONTROLLERS][DRIVEN], damping[CONTROLLERS][DRIVEN];
  flg_push pushes[PUSHES];
  flg_robot_subsystem robot;
} world;

/* --- lists ----------------------------------------------------------------------------------- */

typedef struct numbers {
  double *reals[MOST];
  int *integers[MOST];
  int real_count, integer_count;
} numbers;

static void list_reals(numbers *list, void *first, size_t bytes) {
  double *values = first;
  for (size_t k = 0; k < bytes / sizeof *values; k++) {
    assert_true(list->real_count < MOST);
    list->reals[list->real_count++] = &values[k];
  }
}

static void list_integers(numbers *list, int *first, int count) {
  for (int k = 0; k < count; k++) list->integers[list->integer_count++] = &first[k];
}

static void list_frame(numbers *list, flg_link_anchor *frame) {
  list_integers(list, &frame->link, 1);
  list_reals(list, &frame->pose, sizeof frame->pose);
}

static void list_links(numbers *list, world *of) {
  for (int k = 0; k < LINKS; k++) {
    flg_link *link = &of->links[k];
    list_reals(list, &link->placement, sizeof link->placement);
    list_reals(list, &link->axis2, sizeof link->axis2);
    list_reals(list, &link->pitch, 3 * sizeof link->pitch); /* damping, armature */
    list_reals(list, &link->inertia, sizeof link->inertia);
    list_integers(list, &link->parent, 1);
    list_integers(list, &link->position, 2); /* velocity */
  }
}

static void list_flexes(numbers *list, world *of) {
  list_reals(list, of->modal, sizeof of->modal);
  list_reals(list, of->travel, sizeof of->travel);
  list_reals(list, of->swing, sizeof of->swing);
  list_reals(list, of->inertias, sizeof of->inertias);
  list_reals(list, of->pairs, sizeof of->pairs);
  list_reals(list, of->shapes, sizeof of->shapes);
  list_integers(list, &of->flex.link, 3); /* position, velocity */
  for (int k = 0; k < NODES; k++) {
    list_reals(list, &of->nodes[k].station, sizeof of->nodes[k].station);
    list_integers(list, &of->nodes[k].link, 1);
  }
}

static void list_joints(numbers *list, world *of) {
  for (int k = 0; k < JOINTS; k++) {
    flg_joint *joint = &of->joints[k];
    double *const reals[] = {&joint->friction, &joint->effort_limit, &joint->mimic.multiplier,
                             &joint->mimic.offset};
    for (int i = 0; i < 4; i++) list_reals(list, reals[i], sizeof(double));
    list_integers(list, &joint->mimic.joint, 1);
  }
}

static void list_controllers(numbers *list, world *of) {
  list_reals(list, of->times, sizeof of->times);
  list_reals(list, of->values, sizeof of->values);
  list_reals(list, of->stiffness, sizeof of->stiffness);
  list_reals(list, of->damping, sizeof of->damping);
  list_integers(list, of->velocities[0], CONTROLLERS * DRIVEN);
  for (int k = 0; k < CONTROLLERS; k++) {
    list_reals(list, &of->controllers[k].sample, sizeof(double));
    if (of->controllers[k].kind == FLG_CONTROLLER_FORCE) {
      list_frame(list, &of->controllers[k].point);
      list_reals(list, &of->controllers[k].push, sizeof of->controllers[k].push);
    }
    if (of->controllers[k].payload.mass > 0) {
      flg_payload *payload = &of->controllers[k].payload;
      list_frame(list, &payload->frame);
      list_reals(list, &payload->mass, sizeof payload->mass);
      list_reals(list, &payload->inertia, sizeof payload->inertia);
    }
  }
}

static void list_all(numbers *list, world *of) {
  flg_robot_options *options = &of->robot.options;
  *list = (numbers){.real_count = 0};
  list_links(list, of), list_flexes(list, of), list_joints(list, of), list_controllers(list, of);
  for (int k = 0; k < PUSHES; k++) {
    list_frame(list, &of->pushes[k].frame);
    list_reals(list, &of->pushes[k].force, sizeof of->pushes[k].force);
  }
  list_reals(list, &options->gravity, sizeof options->gravity);
  list_reals(list, &options->integrator.relative, sizeof(double));
  list_reals(list, &options->integrator.absolute, sizeof(double));
}

/* --- the robot ------------------------------------------------------------------------------- */

static void fill_controllers(world *made) {
  static const char *const names[CONTROLLERS] = {"pushes", "carries", "table"};
  static const flg_controller_kind kinds[CONTROLLERS] = {
      FLG_CONTROLLER_FORCE, FLG_CONTROLLER_COMPUTED, FLG_CONTROLLER_TABLE};
  for (int k = 0; k < CONTROLLERS; k++) {
    made->controllers[k] = (flg_controller){.name = names[k],
                                            .kind = kinds[k],
                                            .count = DRIVEN,
                                            .velocities = made->velocities[k],
                                            .curve = {.knots = KNOTS,
                                                      .width = DRIVEN,
                                                      .times = made->times[k],
                                                      .values = made->values[k]},
                                            .stiffness = made->stiffness[k],
                                            .damping = made->damping[k]};
  }
  made->controllers[1].payload.mass = 1;
}

static void fill_world(world *made) {
  random_source source = {3};
  numbers list;
  *made = (world){.model = {.joint_count = JOINTS, .joints = made->joints},
                  .robot = {.options = {.name = "arm"},
                            .model = &made->model,
                            .robot = {.link_count = LINKS,
                                      .links = made->links,
                                      .flex_count = 1,
                                      .flexes = &made->flex,
                                      .node_count = NODES,
                                      .nodes = made->nodes},
                            .controllers = made->controllers,
                            .controller_count = CONTROLLERS,
                            .pushes = made->pushes,
                            .push_count = PUSHES}};
  made->flex.body = (flg_modal_body){.modes = MODES,
                                     .mass = made->modal[0],
                                     .stiffness = made->modal[1],
                                     .damping = made->modal[2],
                                     .travel = made->travel,
                                     .swing = made->swing,
                                     .inertias = made->inertias,
                                     .inertia_pairs = made->pairs};
  for (int k = 0; k < NODES; k++) made->nodes[k].shapes = made->shapes[k];
  for (int k = 0; k < JOINTS; k++) made->joints[k].name = k ? "elbow" : "shoulder";
  for (int k = 0; k < PUSHES; k++) made->pushes[k].name = k ? "left" : "right";
  fill_controllers(made);
  list_all(&list, made);
  for (int k = 0; k < list.real_count; k++) *list.reals[k] = random_uniform(&source, 0.5, 2);
  for (int k = 0; k < list.integer_count; k++) *list.integers[k] = random_integer(&source, 0, 9);
}

static uint64_t identity_of(const world *of) {
  return flg_robot_identity(&of->robot, 7);
}

static void any_number_changes_the_identity(void **state) {
  (void)state;
  static world one, other;
  numbers list;
  fill_world(&one), fill_world(&other);
  const uint64_t identity = identity_of(&one);
  assert_true(identity == identity_of(&other));
  assert_true(identity != flg_robot_identity(&one.robot, 8));
  list_all(&list, &one);
  for (int k = 0; k < list.real_count; k++) {
    const double kept = *list.reals[k];
    *list.reals[k] = nextafter(kept, 9);
    if (identity_of(&one) == identity) fail_msg("real number %d", k);
    *list.reals[k] = kept;
  }
  for (int k = 0; k < list.integer_count; k++) {
    ++*list.integers[k];
    if (identity_of(&one) == identity) fail_msg("integer %d", k);
    --*list.integers[k];
  }
  assert_true(identity == identity_of(&one));
}

static void kinds_names_and_counts_change_the_identity(void **state) {
  (void)state;
  static world one;
  enum { CHANGES = 14 };
  fill_world(&one);
  const uint64_t identity = identity_of(&one);
  for (int k = 0; k < CHANGES; k++) {
    fill_world(&one);
    if (k == 0) one.robot.options.name = "leg";
    if (k == 1) one.robot.options.integrator.kind = FLG_INTEGRATOR_RK4;
    if (k == 2) one.links[1].kind = FLG_JOINT_PRISMATIC;
    if (k == 3) one.flex.body.stiffens = true;
    if (k == 4) one.joints[1].name = "wrist";
    if (k == 5) one.controllers[1].name = "holds";
    if (k == 6) one.controllers[2].kind = FLG_CONTROLLER_PD;
    if (k == 7) one.controllers[2].curve.kind = FLG_CURVE_LINEAR;
    if (k == 8) one.pushes[0].name = "up";
    if (k == 9) one.robot.push_count--;
    if (k == 10) one.robot.controller_count--;
    if (k == 11) one.model.joint_count--;
    if (k == 12) one.robot.robot.node_count--;
    if (k == 13) one.robot.robot.link_count--;
    if (identity_of(&one) == identity) fail_msg("change %d", k);
  }
}

/* a frame of no payload, the push of what pushes not, what is enabled at the start */
static void what_does_not_count_leaves_the_identity(void **state) {
  (void)state;
  static world one;
  fill_world(&one);
  const uint64_t identity = identity_of(&one);
  one.controllers[0].payload.frame.link = 5, one.controllers[0].payload.inertia.xx = 3;
  one.controllers[2].push.linear.x = 4, one.controllers[2].point.link = 2;
  one.controllers[1].enabled = one.pushes[1].enabled = true;
  one.links[0].branch_mass = 7;
  one.robot.implicit = 0.1;
  assert_true(identity == identity_of(&one));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_changes_the_identity),
      cmocka_unit_test(kinds_names_and_counts_change_the_identity),
      cmocka_unit_test(what_does_not_count_leaves_the_identity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
