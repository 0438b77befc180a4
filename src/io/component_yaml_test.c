#include "component_read.h"

#include "dynamics/constraint.h"
#include "files.h"
#include "io/file_source.h"
#include "text/yaml.h"

static flg_mistakes mistakes;
static flg_region region;
static flg_component component;

static void expect_no_mistake(void) {
  if (mistakes.count == 0) return;
  fail_msg("%s:%d:%d: %s", mistakes.list[0].file, mistakes.list[0].line, mistakes.list[0].column,
           mistakes.list[0].message);
}

static void start(void) {
  flg_region_release(&region);
  mistakes = (flg_mistakes){0};
}

static void read_file_at(const char *path, flg_pose pose) {
  start();
  const flg_component_use use = {.path = path, .pose = pose};
  component_read(&component, &use, NULL, &region, &mistakes);
  expect_no_mistake();
}

static void read_file(const char *path) {
  read_file_at(path, flg_pose_identity());
}

static void read_text(const char *text) {
  start();
  const flg_component_use use = {.path = "text.yaml", .pose = flg_pose_identity()};
  flg_node *root = flg_yaml_parse(&region, "text.yaml", text, strlen(text), &mistakes);
  assert_non_null(root);
  component_read(&component, &use, root, &region, &mistakes);
  expect_no_mistake();
}

/* --- what to look at ----------------------------------------------------------------------- */

static const flg_component_body *body_at(const char *path) {
  const int index = FLG_FIND(component.bodies, component.body_count, path);
  if (index < 0) fail_msg("no body %s", path);
  return &component.bodies[index];
}

static const flg_component_joint *joint_at(const char *path) {
  const int index = flg_component_find_joint(&component, path);
  if (index < 0) fail_msg("no joint %s", path);
  return &component.joints[index];
}

static const flg_component_frame *frame_at(const char *path) {
  const int index = FLG_FIND(component.frames, component.frame_count, path);
  if (index < 0) fail_msg("no frame %s", path);
  return &component.frames[index];
}

static const flg_component_spring *spring_at(const char *path) {
  for (int k = 0; k < component.spring_count; k++) {
    if (strcmp(component.springs[k].name, path) == 0) return &component.springs[k];
  }
  fail_msg("no spring %s", path);
  return NULL;
}

static int coordinate_at(const char *path, flg_coordinate_kind kind) {
  for (int k = 0; k < component.coordinate_count; k++) {
    const flg_component_coordinate *known = &component.coordinates[k];
    if (strcmp(known->name, path) == 0 && known->kind == kind) return k;
  }
  return -1;
}

static flg_pose world_pose(const flg_anchor *anchor) {
  assert_int_equal(anchor->robot, -1);
  if (anchor->body == FLG_WORLD) return anchor->pose;
  return flg_pose_compose(&component.bodies[anchor->body].pose, &anchor->pose);
}

#define assert_vector(actual, a, b, c)                       \
  do {                                                       \
    const flg_vec3 seen = (actual), meant = {(a), (b), (c)}; \
    assert_near(seen.x, meant.x, 1e-14);                     \
    assert_near(seen.y, meant.y, 1e-14);                     \
    assert_near(seen.z, meant.z, 1e-14);                     \
  } while (0)

/* by the rows that a run will hold at zero */
static double left_open(const flg_component_joint *joint) {
  const flg_moving_frame ends[2] = {{.pose = world_pose(&joint->end[0])},
                                    {.pose = world_pose(&joint->end[1])}};
  flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
  const int count = flg_constraint_evaluate(joint->kind, ends, rows);
  double most = 0;
  for (int k = 0; k < count; k++) most = flg_larger(most, fabs(rows[k].left));
  return most;
}

/* --- bodies -------------------------------------------------------------------------------- */

static void a_body_has_all_its_keys(void **state) {
  (void)state;
  read_text(
      "flange-component: 1\nname: one body\n"
      "bodies:\n"
      "  rod: {mass: 3, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3], centre: [0.1, 0.2, 0.3],\n"
      "        at: [1, 2, 3], turn: [0, 0, 90 deg], velocity: [4, 5, 6],\n"
      "        angular_velocity: [7, 8, 9], gravity: [0, 0, -1.62],\n"
      "        shapes: [{kind: sphere, size: 0.5, at: [0, 0, 1]}]}\n"
      "  ground: {fixed: true}\n");
  assert_string_equal(component.name, "one body");
  assert_int_equal(component.body_count, 2);
  assert_int_equal(component.group_count, 0);
  const flg_component_body *rod = body_at("rod");
  assert_int_equal(rod->group, FLG_TOP);
  assert_int_equal(rod->place.line, 4);
  assert_true(rod->mass == 3 && rod->inertia.zz == 2.5 && rod->inertia.yz == 0.3);
  assert_vector(rod->centre, 0.1, 0.2, 0.3);
  assert_vector(rod->pose.position, 1, 2, 3);
  assert_vector(flg_mat3_column(&rod->pose.rotation, 0), 0, 1, 0);
  assert_vector(rod->velocity.linear, 4, 5, 6);
  assert_vector(rod->velocity.angular, 7, 8, 9);
  assert_vector(rod->gravity, 0, 0, -1.62);
  assert_false(rod->fixed);
  assert_true(body_at("ground")->fixed);
  assert_true(isnan(body_at("ground")->gravity.x));
  assert_int_equal(component.shape_count, 1);
  assert_int_equal(component.shapes[0].body, 0);
  assert_vector(component.shapes[0].pose.position, 0, 0, 1);
}

/* --- joints -------------------------------------------------------------------------------- */

/* two bodies somewhere, in a component that is somewhere */
#define BODIES                                                                 \
  "flange-component: 1\n"                                                      \
  "bodies:\n"                                                                  \
  "  a: {mass: 1, inertia: [1, 1, 1], at: [1, 2, 3], turn: [0.1, 0.2, 0.3]}\n" \
  "  b: {mass: 1, inertia: [1, 1, 1], at: [-1, 0, 2], turn: [-0.7, 0.5, 2]}\n"

static flg_pose somewhere(void) {
  const double turn[3] = {0.4, -1, 0.9};
  return (flg_pose){flg_mat3_from_roll_pitch_yaw(turn), {5, -6, 7}};
}

static void every_joint_is_closed_at_the_start_wherever_its_component_is(void **state) {
  (void)state;
  for (int kind = 0; kind < FLG_CONSTRAINT_GEAR; kind++) {
    char text[1000];
    const char *word = flg_constraint_kind_name((flg_constraint_kind)kind);
    const bool apart = kind == FLG_CONSTRAINT_DISTANCE;
    snprintf(text, sizeof text, BODIES "joints:\n  j: {kind: %s, between: [a, b]%s%s%s}\n", word,
             apart ? "" : ", at: [0.3, 0.2, 0.1], turn: [1, 2, 3], axis: [1, -2, 2]",
             kind == FLG_CONSTRAINT_SCREW ? ", pitch: 0.01" : "",
             kind == FLG_CONSTRAINT_UNIVERSAL ? ", axis2: [2, 1, 0]" : "");
    start();
    test_folder folder = make_folder();
    read_file_at(make_file(&folder, "a.yaml", text), somewhere());
    remove_folder(&folder);
    const flg_component_joint *joint = joint_at("j");
    assert_int_equal(joint->kind, kind);
    assert_near(left_open(joint), 0, 1e-14);
    const int coordinates = flg_constraint_kinds[(flg_constraint_kind)kind].coordinate_count;
    assert_int_equal(component.coordinate_count, coordinates);
    assert_int_equal(joint->coordinate[0] >= 0, coordinates > 0);
    assert_int_equal(joint->coordinate[1] >= 0, coordinates > 1);
    if (apart) assert_near(joint->constant, 3, 1e-14); /* between (1, 2, 3) and (-1, 0, 2) */
    if (kind == FLG_CONSTRAINT_SCREW) assert_true(joint->constant == 0.01);
  }
}

static void a_joint_lies_where_its_file_says(void **state) {
  (void)state;
  read_text(BODIES
            "joints:\n  j: {kind: revolute, between: [a, world], at: [7, 8, 9], "
            "turn: [0, 0, 90 deg], axis: [2, 0, 0]}\n");
  const flg_component_joint *joint = joint_at("j");
  const flg_pose a = world_pose(&joint->end[0]), b = world_pose(&joint->end[1]);
  assert_vector(a.position, 7, 8, 9);
  assert_vector(b.position, 7, 8, 9);
  assert_vector(flg_mat3_column(&a.rotation, 2), 0, 1, 0);
  /* the turn from z to x takes x to -z */
  assert_vector(flg_mat3_column(&a.rotation, 0), 0, 0, -1);
  assert_int_equal(joint->end[0].body, 0);
  assert_int_equal(joint->end[1].body, FLG_WORLD);
}

static void a_body_takes_the_frame_that_the_other_end_brings(void **state) {
  (void)state;
  read_text(BODIES
            "markers: {eye: {body: a, at: [0, 0, 1], turn: [90 deg, 0, 0]}}\n"
            "joints:\n"
            "  taken: {kind: weld, between: [eye, b]}\n"
            "  given: {kind: spherical, between: [b, eye], at: [0, 0, 0]}\n");
  assert_near(left_open(joint_at("taken")), 0, 1e-14);
  const flg_pose eye = world_pose(&frame_at("eye")->anchor);
  const flg_pose a = world_pose(&joint_at("taken")->end[0]);
  assert_vector(a.position, eye.position.x, eye.position.y, eye.position.z);
  assert_vector(world_pose(&joint_at("given")->end[0]).position, 0, 0, 0);
  const flg_vec3 kept = world_pose(&joint_at("given")->end[1]).position;
  assert_vector(kept, eye.position.x, eye.position.y, eye.position.z);
}

static void frames_that_ends_bring_are_kept_and_turned_to_the_axis(void **state) {
  (void)state;
  read_text(BODIES
            "ports: {p: {body: a, at: [0, 0, 1], turn: [0, 0, 0.3]}}\n"
            "markers: {m: {body: b, at: [1, 0, 0]}}\n"
            "joints: {j: {kind: revolute, between: [p, m], axis: [0, 3, 0]}}\n");
  const flg_component_joint *joint = joint_at("j");
  assert_vector(joint->end[0].pose.position, 0, 0, 1);
  assert_vector(joint->end[1].pose.position, 1, 0, 0);
  assert_vector(flg_mat3_column(&joint->end[0].pose.rotation, 2), -sin(0.3), cos(0.3), 0);
  assert_vector(flg_mat3_column(&joint->end[1].pose.rotation, 2), 0, 1, 0);
}

static void the_cross_of_a_universal_joint_lies_on_its_axes(void **state) {
  (void)state;
  read_text(BODIES
            "joints: {j: {kind: universal, between: [a, b], at: [0, 0, 4], axis: [0, 1, 0], "
            "axis2: [0, 0, 2]}}\n");
  const flg_component_joint *joint = joint_at("j");
  const flg_pose a = world_pose(&joint->end[0]), b = world_pose(&joint->end[1]);
  assert_vector(flg_mat3_column(&a.rotation, 0), 0, 1, 0);
  assert_vector(flg_mat3_column(&b.rotation, 1), 0, 0, 1);
  assert_vector(a.position, 0, 0, 4);
}

static void joints_may_have_springs_of_their_own(void **state) {
  (void)state;
  read_text(BODIES
            "joints: {j: {kind: prismatic, between: [a, b], damping: 0.5},\n"
            "  k: {kind: revolute, between: [world, b], stiffness: 4, implicit: true}}\n");
  assert_int_equal(component.spring_count, 2);
  assert_true(spring_at("j")->damping == 0.5 && spring_at("j")->stiffness == 0);
  assert_true(spring_at("j")->rest == 0 && !spring_at("j")->implicit);
  assert_int_equal(spring_at("j")->coordinate, joint_at("j")->coordinate[0]);
  assert_true(spring_at("k")->stiffness == 4 && spring_at("k")->damping == 0);
  assert_true(isnan(spring_at("k")->rest) && spring_at("k")->implicit);
}

/* --- the files in tests/components --------------------------------------------------------- */

static void gears_couple_coordinates(void **state) {
  (void)state;
  read_file("tests/components/gearbox.yaml");
  const flg_component_joint *mesh = joint_at("mesh"), *pinion = joint_at("pinion");
  assert_true(mesh->factor[0] == 1 && mesh->factor[1] == 59);
  assert_int_equal(mesh->coordinate[0], coordinate_at("mesh.drive", FLG_COORDINATE_ANGLE));
  assert_int_equal(mesh->coordinate[1], joint_at("slow")->coordinate[0]);
  assert_true(pinion->factor[0] == 0.02 && pinion->factor[1] == -1);
  assert_int_equal(pinion->coordinate[0], coordinate_at("fast_angle", FLG_COORDINATE_ANGLE));
  assert_int_equal(pinion->coordinate[1], coordinate_at("pinion.driven", FLG_COORDINATE_SLIDE));
  const flg_component_coordinate *slide = &component.coordinates[pinion->coordinate[1]];
  const flg_pose along = world_pose(&slide->end[0]);
  assert_vector(flg_mat3_column(&along.rotation, 2), 1, 0, 0);
  assert_int_equal(slide->end[0].body, FLG_FIND(component.bodies, component.body_count, "housing"));
  assert_int_equal(slide->end[1].body, FLG_FIND(component.bodies, component.body_count, "bar"));
}

static void springs_and_efforts_act_on_coordinates(void **state) {
  (void)state;
  read_file("tests/components/gearbox.yaml");
  const flg_component_joint *lead = joint_at("lead");
  assert_int_equal(component.coordinates[lead->coordinate[0]].kind, FLG_COORDINATE_SLIDE);
  assert_int_equal(component.coordinates[lead->coordinate[1]].kind, FLG_COORDINATE_ANGLE);
  assert_int_equal(spring_at("stop")->coordinate, lead->coordinate[0]);
  assert_int_equal(spring_at("coil")->coordinate, lead->coordinate[1]);
  assert_true(spring_at("stop")->implicit && isnan(spring_at("stop")->rest));
  assert_true(spring_at("coil")->rest == 0.1 && spring_at("coil")->preload == -1);
  assert_int_equal(spring_at("drive")->coordinate, joint_at("shaft")->coordinate[0]);
  assert_true(spring_at("drive")->preload == 0.033 && spring_at("drive")->stiffness == 0);
  assert_int_equal(component.load_count, 1);
  const flg_component_load *push = &component.loads[0];
  assert_true(push->follows && !push->enabled);
  assert_vector(push->at.pose.position, 0.1, 0, 0);
  assert_vector(push->force.linear, 3, 0, 0);
  assert_vector(push->force.angular, 0, 0, 1);
  assert_int_equal(push->at.body, FLG_FIND(component.bodies, component.body_count, "bar"));
  assert_int_equal(coordinate_at("height", FLG_COORDINATE_SLIDE) >= 0, 1);
}

static void a_four_bar_closes(void **state) {
  (void)state;
  read_file_at("tests/components/four-bar.yaml", somewhere());
  assert_int_equal(component.body_count, 3);
  assert_int_equal(component.group_count, 3);
  assert_int_equal(component.joint_count, 4);
  for (int k = 0; k < component.joint_count; k++) {
    assert_int_equal(component.joints[k].group, FLG_TOP);
    assert_near(left_open(&component.joints[k]), 0, 1e-14);
  }
  assert_true(body_at("crank/rod")->mass == 2);
  assert_true(body_at("coupler/rod")->mass == 6);
  assert_near(spring_at("coil")->rest, 5 * 3.14159265358979323846 / 180, 1e-16);
  assert_true(spring_at("motor")->preload == 0.5);
  assert_true(spring_at("base")->damping == 0.1);
  const flg_pose pose = somewhere();
  const flg_vec3 ground = flg_pose_apply(&pose, (flg_vec3){1, 0, 0});
  assert_int_equal(frame_at("ground")->anchor.body, FLG_WORLD);
  assert_vector(frame_at("ground")->anchor.pose.position, ground.x, ground.y, ground.z);
}

static void components_nest_with_their_poses_and_parameters(void **state) {
  (void)state;
  read_file("tests/components/cells.yaml");
  assert_string_equal(component.name, "two cells");
  /* depth first, own bodies first */
  static const char *const bodies[] = {"ball",
                                       "left/crank/rod",
                                       "left/coupler/rod",
                                       "left/rocker/rod",
                                       "right/crank/rod",
                                       "right/coupler/rod",
                                       "right/rocker/rod"};
  assert_int_equal(component.body_count, 7);
  for (int k = 0; k < 7; k++) assert_string_equal(component.bodies[k].name, bodies[k]);
  static const char *const groups[] = {"left",  "left/crank",  "left/coupler",  "left/rocker",
                                       "right", "right/crank", "right/coupler", "right/rocker"};
  static const int parents[] = {FLG_TOP, 0, 0, 0, FLG_TOP, 4, 4, 4};
  assert_int_equal(component.group_count, 8);
  for (int k = 0; k < 8; k++) {
    assert_string_equal(component.groups[k].name, groups[k]);
    assert_int_equal(component.groups[k].parent, parents[k]);
  }
  /* joints of inner components are closed first */
  assert_int_equal(component.joint_count, 10);
  assert_string_equal(component.joints[0].name, "left/base");
  assert_int_equal(component.joints[0].group, 0);
  assert_int_equal(component.joints[7].group, 4);
  assert_string_equal(component.joints[8].name, "strut");
  assert_int_equal(component.joints[8].group, FLG_TOP);
  for (int k = 0; k < 8; k++) assert_near(left_open(&component.joints[k]), 0, 1e-14);
  /* by hand: the right one is turned by 90 deg about z, at (0, 3, 0), twice as large */
  assert_true(body_at("right/coupler/rod")->mass == 12);
  assert_vector(body_at("right/coupler/rod")->pose.position, 0, 5, 2);
  assert_vector(flg_mat3_column(&body_at("right/coupler/rod")->pose.rotation, 0), 0, 1, 0);
  assert_vector(body_at("right/rocker/rod")->pose.position, 0, 7, 1);
  assert_vector(flg_mat3_column(&body_at("right/rocker/rod")->pose.rotation, 0), 0, 0, 1);
  assert_near(body_at("right/rocker/rod")->inertia.yy, 4 * (4 + 0.01) / 12, 1e-15);
}

static void ports_are_handed_on(void **state) {
  (void)state;
  read_file("tests/components/cells.yaml");
  const flg_component_frame *top = frame_at("top"), *inner = frame_at("left/coupler/left");
  assert_true(top->port);
  assert_int_equal(top->group, FLG_TOP);
  assert_int_equal(frame_at("left/top")->group, 0);
  assert_memory_equal(&top->anchor, &inner->anchor, sizeof inner->anchor);
  assert_vector(world_pose(&top->anchor).position, 0, 0, 1);
  /* from (0, 0, 1) to (0, 3, 2) */
  assert_near(joint_at("strut")->constant, sqrt(10), 1e-15);
  /* the ground of the right one, at half its width */
  const flg_pose hook = world_pose(&joint_at("hook")->end[1]);
  assert_int_equal(joint_at("hook")->end[1].body, FLG_WORLD);
  assert_vector(hook.position, 0, 5, 0);
  assert_vector(world_pose(&joint_at("hook")->end[0]).position, 1, 0, 0);
  const flg_component_spring *rope = spring_at("rope");
  assert_true(rope->stiffness == 100 && rope->damping == 2 && rope->rest == 0.5 && rope->implicit);
  assert_int_equal(rope->coordinate, coordinate_at("rope", FLG_COORDINATE_DISTANCE));
}

static void velocities_turn_with_their_component(void **state) {
  (void)state;
  const double turn[3] = {0, 0, acos(0)};
  read_file_at("tests/components/cells.yaml",
               (flg_pose){flg_mat3_from_roll_pitch_yaw(turn), {0, 0, 0}});
  assert_vector(body_at("ball")->velocity.linear, 0, 1, 0);
  assert_vector(body_at("ball")->pose.position, -3, 0, 1);
}

/* --- robots -------------------------------------------------------------------------------- */

#define PENDULUM "examples/pendulum/models/double-pendulum.yaml"

static void robots_are_parts_with_a_start(void **state) {
  (void)state;
  read_file("tests/components/cells.yaml");
  assert_int_equal(component.robot_count, 1);
  const flg_component_robot *robot = &component.robots[0];
  assert_string_equal(robot->name, "pendulum");
  assert_vector(robot->pose.position, 0, 5, 0);
  assert_int_equal(robot->model->joint_count, 2);
  assert_int_equal(robot->setup->robot.initial.count, 1);
  const flg_component_coordinate *gap =
      &component.coordinates[coordinate_at("gap", FLG_COORDINATE_DISTANCE)];
  assert_int_equal(gap->end[1].robot, 0);
  assert_int_equal(gap->end[1].body, 0);
}

/* shoulder at 90 deg: the upper bar hangs down; elbow at -90 deg: the lower one lies along x */
static void joints_meet_robots_where_they_start(void **state) {
  (void)state;
  read_text(
      "flange-component: 1\n"
      "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "robots: {arm: {model: " PENDULUM
      ", at: [10, 0, 0], turn: [0, 0, 90 deg],\n"
      "               initial: {shoulder: 90 deg, elbow: -90 deg}, initial_velocity: {elbow: 2}}}\n"
      "ports: {tip: {of: arm/tip}, flange: {of: arm/lower}}\n"
      "markers: {middle: {body: arm/lower, at: [0.5, 0, 0]}}\n"
      "joints:\n"
      "  body: {kind: weld, between: [b, arm/lower], at: [10, 1, -1]}\n"
      "  tip: {kind: spherical, between: [tip, b]}\n"
      "  far: {kind: distance, between: [b, arm/tip]}\n");
  const flg_component_joint *body = joint_at("body");
  assert_int_equal(body->end[1].robot, 0);
  assert_int_equal(body->end[1].body, 1);
  /* the lower bar starts at (10, 0, -1), along y */
  assert_vector(body->end[1].pose.position, 1, 0, 0);
  assert_vector(flg_mat3_column(&body->end[1].pose.rotation, 1), 1, 0, 0);
  const flg_component_joint *tip = joint_at("tip");
  assert_vector(tip->end[0].pose.position, 1, 0, 0);
  assert_vector(world_pose(&tip->end[1]).position, 10, 1, -1);
  assert_near(joint_at("far")->constant, sqrt(100 + 1 + 1), 1e-14);
  assert_vector(frame_at("middle")->anchor.pose.position, 0.5, 0, 0);
  assert_int_equal(frame_at("flange")->anchor.body, 1);
  assert_int_equal(component.robots[0].setup->robot.initial_velocity.count, 1);
}

/* --- parameters and files ------------------------------------------------------------------ */

static void parameters_come_from_outside(void **state) {
  (void)state;
  start();
  double two = 2;
  flg_value length = {.origin = {.name = "length"}, .numbers = {1, &two}};
  const flg_component_use use = {
      .path = "tests/components/rod.yaml", .pose = flg_pose_identity(), .parameters = {1, &length}};
  component_read(&component, &use, NULL, &region, &mistakes);
  expect_no_mistake();
  assert_true(body_at("rod")->mass == 4);
  assert_near(body_at("rod")->inertia.xx, 4 * 0.01 / 6, 1e-17);
  assert_vector(body_at("rod")->pose.position, 1, 0, 0);
  assert_true(component.shapes[0].size[0] == 2 && component.shapes[0].size[1] == 0.1);
}

static void a_file_is_read_once_however_often_it_is_used(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "ball.yaml",
            "flange-component: 1\nparameters: {m: 1}\n"
            "bodies: {ball: {mass: =m, inertia: [1, 1, 1]}}\n");
  char text[20000] = "flange-component: 1\ncomponents:\n";
  for (int k = 0; k < 200; k++) {
    char line[120];
    snprintf(line, sizeof line, "  c%d: {file: ball.yaml, at: [%d, 0, 0], parameters: {m: %d}}\n",
             k, k, 1 + k / 100);
    strcat(text, line);
  }
  const char *path = make_file(&folder, "many.yaml", text);
  read_file(path);
  assert_int_equal(component.body_count, 200);
  assert_true(component.bodies[99].mass == 1 && component.bodies[100].mass == 2);
  assert_vector(component.bodies[150].pose.position, 150, 0, 0);
  assert_ptr_equal(component.bodies[0].place.file, component.bodies[199].place.file);
  remove_folder(&folder);
}

/* a weld without ends, as if no key were given */
static flg_component_joint_keys bare_weld(void) {
  return (flg_component_joint_keys){
      .kind = FLG_CONSTRAINT_WELD,
      .pair = {.placement = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}, .axis = {0, 0, 1}},
      .axis2 = {1, 0, 0},
      .driven_axis = {NAN, NAN, NAN},
      .pitch = NAN,
      .bushing = {.numbers = {{{NAN, NAN, NAN}, {NAN, NAN, NAN}},
                              {{NAN, NAN, NAN}, {NAN, NAN, NAN}}}},
      .length = NAN,
      .ratio = NAN,
      .radius = NAN,
      .stiffness = NAN,
      .damping = NAN,
      .friction = {.coulomb = NAN, .stiction = NAN, .stribeck = NAN, .viscous = NAN},
      .stops = {.lower = NAN, .upper = NAN},
      .backlash = NAN,
      .restitution = NAN,
      .efficiency = NAN};
}

/* --- the builder --------------------------------------------------------------------------- */

static void a_system_is_built_from_files_and_joints(void **state) {
  (void)state;
  start();
  flg_component_builder *build = flg_component_builder_begin(
      "system", "scenario.yaml",
      flg_file_source_view(flg_file_source_build(&region, &mistakes, NULL)), &region, &mistakes);
  const flg_component_use use = {.path = "tests/components/four-bar.yaml", .pose = somewhere()};
  const flg_component_robot_keys arm = {.origin = {.name = "arm"}, .model = PENDULUM};
  flg_component_builder_add_file(build, &(flg_origin){.name = "cell"}, &use);
  flg_component_builder_add_robot(build, &arm);
  flg_origin ends[] = {{.name = "arm/tip"}, {.name = "cell/top"}};
  flg_component_joint_keys weld = bare_weld();
  weld.origin.name = "wrist";
  weld.pair.between = (flg_texts){2, ends};
  flg_component_builder_add_joint(build, &weld);
  flg_component_builder_finish(build, &component);
  expect_no_mistake();
  assert_string_equal(component.name, "system");
  assert_string_equal(component.file, "scenario.yaml");
  assert_int_equal(component.group_count, 4);
  assert_string_equal(component.bodies[0].name, "cell/crank/rod");
  const flg_component_joint *joint = joint_at("wrist");
  assert_int_equal(joint->group, FLG_TOP);
  assert_int_equal(joint->end[0].robot, 0);
  const flg_pose pose = somewhere();
  const flg_vec3 top = flg_pose_apply(&pose, (flg_vec3){0, 0, 1});
  assert_vector(world_pose(&joint->end[1]).position, top.x, top.y, top.z);
}

static int release(void **state) {
  (void)state;
  flg_region_release(&region);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_has_all_its_keys),
      cmocka_unit_test(every_joint_is_closed_at_the_start_wherever_its_component_is),
      cmocka_unit_test(a_joint_lies_where_its_file_says),
      cmocka_unit_test(a_body_takes_the_frame_that_the_other_end_brings),
      cmocka_unit_test(frames_that_ends_bring_are_kept_and_turned_to_the_axis),
      cmocka_unit_test(the_cross_of_a_universal_joint_lies_on_its_axes),
      cmocka_unit_test(joints_may_have_springs_of_their_own),
      cmocka_unit_test(gears_couple_coordinates),
      cmocka_unit_test(springs_and_efforts_act_on_coordinates),
      cmocka_unit_test(a_four_bar_closes),
      cmocka_unit_test(components_nest_with_their_poses_and_parameters),
      cmocka_unit_test(ports_are_handed_on),
      cmocka_unit_test(velocities_turn_with_their_component),
      cmocka_unit_test(robots_are_parts_with_a_start),
      cmocka_unit_test(joints_meet_robots_where_they_start),
      cmocka_unit_test(parameters_come_from_outside),
      cmocka_unit_test(a_file_is_read_once_however_often_it_is_used),
      cmocka_unit_test(a_system_is_built_from_files_and_joints),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
