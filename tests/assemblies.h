/* assemblies.h - assemblies of several kinds as simulations of one subsystem, `a`. */
#ifndef FLG_TESTS_ASSEMBLIES_H
#define FLG_TESTS_ASSEMBLIES_H

#include "component/assembly_contract.h"
#include "component/assembly_start.h"
#include "cosim/simulation.h"
#include "parts.h"
#include "robot/robot_part.h"

/* ---- an arm of two links in the plane xy, both 1 m and 1 kg ---- */

#define ARM_LINK(link_name)                                                                       \
  {                                                                                               \
    .name = (link_name), .mass = 1, .centre = {0.5, 0, 0}, .inertia = { 0.01, 0.1, 0.1, 0, 0, 0 } \
  }
#define ARM_JOINT(joint_name, from, to, x)                                                         \
  {                                                                                                \
    .name = (joint_name), .kind = FLG_JOINT_REVOLUTE, .parent = (from), .child = (to),             \
    .origin = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {(x), 0, 0}}, .axis = {0, 0, 1}, .axis2 = {0, 1, 0}, \
    .damping = 0.05, .lower = -INFINITY, .upper = INFINITY, .effort_limit = INFINITY,              \
    .speed_limit = INFINITY, .mimic = {                                                            \
      .joint = -1                                                                                  \
    }                                                                                              \
  }

static inline const flg_model *arm_model(void) {
  static flg_body bodies[] = {ARM_LINK("upper"), ARM_LINK("lower")};
  static flg_joint joints[] = {ARM_JOINT("shoulder", FLG_WORLD, 0, 0), ARM_JOINT("elbow", 0, 1, 1)};
  static flg_frame frames[] = {{.name = "tool",
                                .body = 1,
                                .port = true,
                                .pose = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {1, 0, 0}}}};
  static const flg_model model = {.name = "arm",
                                  .file = "arm.yaml",
                                  .bodies = bodies,
                                  .joints = joints,
                                  .frames = frames,
                                  .body_count = 2,
                                  .joint_count = 2,
                                  .frame_count = 1};
  return &model;
}

static inline void equip_arm(flg_robot_subsystem *arm, flg_vec3 gravity,
                             flg_integrator_kind integrator) {
  static const int shoulder[] = {0};
  static const double times[] = {0, 1}, values[] = {0, 0.4}, kp[] = {20}, kd[] = {2};
  static const flg_controller controllers[] = {
      {.name = "pd",
       .kind = FLG_CONTROLLER_PD,
       .enabled = true,
       .sample = 0.012,
       .count = 1,
       .positions = shoulder,
       .velocities = shoulder,
       .curve = {FLG_CURVE_QUINTIC, 2, 1, times, values, NULL},
       .stiffness = kp,
       .damping = kd},
      {.name = "weight", .kind = FLG_CONTROLLER_GRAVITY}};
  static const flg_push pushes[] = {{.name = "wind",
                                     .frame = {1, {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}}},
                                     .force = {{3, 0, 0}, {0, 0, 0}}}};
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  const flg_robot_options options = {
      .name = "arm", .integrator = {.kind = integrator}, .gravity = gravity};
  assert_int_equal(flg_robot_subsystem_build(arm, arm_model(), &options, &mistakes), FLG_OK);
  assert_int_equal(flg_robot_subsystem_equip(arm, controllers, 2, pushes, 1, NULL), FLG_OK);
  arm->q[1] = -acos(-1) / 2;
}

/* ---- simulations ---- */

static inline void *keep(flg_region *region, const void *from, int count, size_t bytes) {
  void *to = flg_region_take(region, (size_t)count, bytes);
  assert_non_null(to);
  if (count > 0) memcpy(to, from, (size_t)count * bytes);
  return to;
}

/* a copy of the component that lives as long as the region */
static inline flg_component *keep_component(flg_region *region, const flg_component *from) {
  flg_component *c = keep(region, from, 1, sizeof *c);
  c->groups = keep(region, from->groups, from->group_count, sizeof *c->groups);
  c->bodies = keep(region, from->bodies, from->body_count, sizeof *c->bodies);
  c->robots = keep(region, from->robots, from->robot_count, sizeof *c->robots);
  c->coordinates = keep(region, from->coordinates, from->coordinate_count, sizeof *c->coordinates);
  c->joints = keep(region, from->joints, from->joint_count, sizeof *c->joints);
  c->springs = keep(region, from->springs, from->spring_count, sizeof *c->springs);
  c->loads = keep(region, from->loads, from->load_count, sizeof *c->loads);
  c->frames = keep(region, from->frames, from->frame_count, sizeof *c->frames);
  return c;
}

/* ten micro steps in each macro step of 0.04 s; drops the parts */
static inline flg_simulation *simulate(parts *p, flg_assembly_options options) {
  static flg_mistakes mistakes;
  flg_simulation *simulation = calloc(1, sizeof *simulation);
  assert_non_null(simulation);
  flg_region *region = &simulation->region;
  *simulation = (flg_simulation){.name = "a", .text = "", .macro = 0.04, .macro_steps = 25};
  simulation->subsystem_count = simulation->part_count = 1;
  simulation->subsystems = flg_region_take(region, 1, sizeof *simulation->subsystems);
  simulation->advanced = flg_region_take(region, 1, sizeof *simulation->advanced);
  simulation->micro_steps = flg_region_take(region, 1, sizeof *simulation->micro_steps);
  simulation->parts = flg_region_take(region, 1, sizeof *simulation->parts);
  simulation->object_names = flg_region_take(region, 1, sizeof *simulation->object_names);
  simulation->object_names->region = region;
  simulation->micro_steps[0] = 10;
  simulation->parts[0] = (flg_part){"a", 0, ""};
  simulation->part_names = FLG_INDEX(simulation->parts, 1, region);
  flg_component *component = keep_component(region, &p->component);
  flg_robot_subsystem *robots =
      flg_region_take(region, (size_t)component->robot_count, sizeof *robots);
  for (int k = 0; k < component->robot_count; k++)
    equip_arm(&robots[k], options.gravity, FLG_INTEGRATOR_RK4);
  parts_drop(p);
  flg_assembly *assembly = NULL;
  mistakes = (flg_mistakes){0};
  options.name = "a";
  const flg_part_guests guests = flg_robot_guests(robots);
  flg_assembly_build(&assembly, component, &guests, &options, &mistakes);
  if (assembly == NULL) fail_msg("%s", mistakes.list[0].message);
  flg_error error = {0};
  if (flg_assembly_close(assembly, &error) != FLG_OK) fail_msg("%s", error.message);
  assert_int_equal(flg_assembly_freeze(assembly), FLG_OK);
  assert_int_equal(flg_assembly_register(assembly, "a", &simulation->subsystems[0], &error),
                   FLG_OK);
  flg_simulation_start(simulation);
  return simulation;
}

static inline flg_assembly *assembly_of(const flg_simulation *simulation) {
  return flg_subsystem_assembly(&simulation->subsystems[0]);
}

static inline flg_assembly_options options_of(flg_scheme scheme) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  options.gravity = vec(0, -9.81, 0);
  return options;
}

static inline void name_body(parts *p, int body, const char *name) {
  p->component.bodies[body].name = name;
}

static inline void name_joint(parts *p, int joint, const char *name) {
  p->component.joints[joint].name = name;
}

static inline void add_load(parts *p, const char *name, int body, flg_vec3 force, bool follows) {
  const flg_pose middle = {flg_mat3_identity(), p->component.bodies[body].pose.position};
  p->component.loads[p->component.load_count++] =
      (flg_component_load){.name = name,
                           .group = FLG_TOP,
                           .at = anchor_at(p, body, &middle),
                           .follows = follows,
                           .enabled = follows,
                           .force = {force, {0, 0, 0}}};
}

/* ---- the four-bar of the IFToMM library: all links 1 m and 1 kg, moving to the right ---- */

static inline parts *four_bar(void) {
  static const flg_vec3 z = {0, 0, 1};
  parts *p = parts_new(8);
  const int left = add_rod(p, 1, vec(0, 0, 0), vec(0, 1, 0));
  const int right = add_rod(p, 1, vec(1, 0, 0), vec(1, 1, 0));
  const int top = add_rod(p, 1, vec(0, 1, 0), vec(1, 1, 0));
  name_body(p, left, "left"), name_body(p, right, "right"), name_body(p, top, "top");
  for (int k = 0; k < 2; k++) {
    p->component.bodies[k].velocity = (flg_spatial){{0.5, 0, 0}, {0, 0, -1}};
  }
  p->component.bodies[top].velocity = (flg_spatial){{1, 0, 0}, {0, 0, 0}};
  name_joint(p, add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, left, vec(0, 0, 0), z), "crank");
  name_joint(p, add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, right, vec(1, 0, 0), z), "rocker");
  name_joint(p, add_joint(p, FLG_CONSTRAINT_REVOLUTE, left, top, vec(0, 1, 0), z), "knee");
  name_joint(p, add_joint(p, FLG_CONSTRAINT_REVOLUTE, right, top, vec(1, 1, 0), z), "corner");
  add_load(p, "wind", top, vec(2, 0, 0), false);
  return p;
}

/* ---- the arm, turned and moved, closed into a loop by two rods: five bars ---- */

static inline parts *five_bar(void) {
  static const flg_vec3 z = {0, 0, 1};
  static flg_component_frame tip = {.name = "tip", .group = FLG_TOP, .anchor = {.robot = -1}};
  const double quarter = acos(-1) / 2;
  parts *p = parts_new(8);
  p->component.robots[p->component.robot_count++] = (flg_component_robot){
      .name = "arm",
      .group = FLG_TOP,
      .model = arm_model(),
      .pose = {flg_quat_to_matrix(flg_quat_from_axis_angle(z, quarter)), {0.3, 0, 0}}};
  const int near = add_rod(p, 1, vec(1.3, 1, 0), vec(2, 1.2, 0));
  const int far = add_rod(p, 1, vec(2, 1.2, 0), vec(2, 0, 0));
  name_body(p, near, "near"), name_body(p, far, "far");
  p->component.bodies[far].velocity = (flg_spatial){{-0.3, 0, 0}, {0, 0, 0.5}};
  const int grip = add_joint(p, FLG_CONSTRAINT_REVOLUTE, near, near, vec(1.3, 1, 0), z);
  const flg_pose tool = frame_along(vec(1, 0, 0), z); /* the lower link is along x */
  flg_component_joint *joint = &p->component.joints[grip];
  joint->end[0] = (flg_anchor){.robot = 0, .body = 1, .pose = tool};
  p->component.coordinates[joint->coordinate[0]].end[0] = joint->end[0];
  name_joint(p, grip, "grip");
  name_joint(p, add_joint(p, FLG_CONSTRAINT_REVOLUTE, near, far, vec(2, 1.2, 0), z), "knee");
  name_joint(p, add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, far, vec(2, 0, 0), z), "foot");
  tip.anchor.body = far, tip.anchor.pose = (flg_pose){flg_mat3_identity(), {0, 0.6, 0}};
  p->component.frames = &tip, p->component.frame_count = 1;
  add_load(p, "gust", near, vec(0, 1, 0), true);
  return p;
}

/* ---- two geared wheels, a nut on a screw, a slider on a rod; springs of all sorts ---- */

static inline parts *gearbox(void) {
  static const flg_vec3 z = {0, 0, 1};
  const flg_quat as_is = flg_quat_identity();
  const flg_sym3 inertia = {0.3, 0.2, 0.4, 0, 0, 0};
  parts *p = parts_new(8);
  const int big = add_body(p, 2, inertia, vec(0, 0, 0), as_is);
  const int small = add_body(p, 1, inertia, vec(1.5, 0, 0), as_is);
  const int nut = add_body(p, 1, inertia, vec(0, 2, 0), as_is);
  const int ring = add_body(p, 0.5, inertia, vec(3, 0, 0), as_is);
  name_body(p, big, "big"), name_body(p, small, "small"), name_body(p, nut, "nut");
  name_body(p, ring, "ring");
  p->component.bodies[big].velocity.angular = vec(0, 0, 3);
  p->component.bodies[ring].velocity = (flg_spatial){{0, 0, 1}, {0, 0, 2}};
  const int first = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, big, vec(0, 0, 0), z);
  const int second = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, small, vec(1.5, 0, 0), z);
  const int screw = add_joint(p, FLG_CONSTRAINT_SCREW, FLG_WORLD, nut, vec(0, 2, 0), z);
  const int rod = add_joint(p, FLG_CONSTRAINT_CYLINDRICAL, FLG_WORLD, ring, vec(3, 0, 0), z);
  flg_component_joint *joints = p->component.joints;
  joints[screw].constant = 0.1;
  name_joint(p, first, "first"), name_joint(p, second, "second"), name_joint(p, screw, "screw");
  name_joint(p, rod, "rod");
  name_joint(p, add_gear(p, joints[first].coordinate[0], 1, joints[second].coordinate[0], 2),
             "teeth");
  flg_component_spring *strut =
      add_strut(p, big, vec(0.5, 0, 0), nut, vec(0, 1.5, 0), 40, 0.5, NAN);
  strut->name = "strut", strut->implicit = true;
  p->component.coordinates[strut->coordinate].name = "strut";
  flg_component_spring *coil = add_spring(p, joints[second].coordinate[0], 3, 0.1, 0.2);
  coil->name = "coil", coil->preload = 0.3;
  flg_component_spring *stiff = add_spring(p, joints[rod].coordinate[0], 1e6, 10, 0);
  stiff->name = "stiff", stiff->implicit = true;
  const flg_pose here = {flg_mat3_identity(), vec(3, 0, 0)},
                 there = {flg_mat3_identity(), vec(0, 0, 0)};
  const int gauge = add_coordinate(p, FLG_COORDINATE_DISTANCE, anchor_at(p, ring, &here),
                                   anchor_at(p, big, &there));
  p->component.coordinates[gauge].name = "gauge";
  add_load(p, "wind", nut, vec(0, 0, 5), false);
  add_load(p, "jet", ring, vec(0.1, 0, 0.2), true);
  return p;
}

#endif
