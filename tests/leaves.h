/* leaves.h - robots in joint coordinates, with free bodies and joints between them, as parts of an
 * assembly; and the same mechanism wholly in absolute coordinates. */
#ifndef FLG_TESTS_LEAVES_H
#define FLG_TESTS_LEAVES_H

#include "twins.h"

enum { LEAVES_MAX = 2, LEAVES_JOINTS = 8 };

typedef struct leaves {
  int count;
  sample *models[LEAVES_MAX];
  flg_robot_subsystem robots[LEAVES_MAX];
  int first[LEAVES_MAX]; /* bodies of their twins */
  parts *joined;         /* with robots */
  parts *apart;          /* with bodies only */
  int free_count;        /* bodies that both have: the first ones */
} leaves;

static inline leaves *leaves_new(void) {
  leaves *made = calloc(1, sizeof *made);
  made->joined = parts_new(4 * LEAVES_JOINTS), made->apart = parts_new(4 * LEAVES_JOINTS);
  return made;
}

static inline void leaves_drop(leaves *of) {
  for (int k = 0; k < of->count; k++) {
    flg_robot_subsystem_release(&of->robots[k]);
    sample_release(of->models[k]);
  }
  parts_drop(of->joined);
  parts_drop(of->apart);
  free(of);
}

/* a body in both, at a pose and moving; before all robots */
static inline int add_free(random_source *source, leaves *to) {
  flg_body body = {0};
  random_body(source, &body);
  const flg_pose pose = random_pose(source);
  const flg_spatial velocity = {random_vector(source, 1), random_vector(source, 1)};
  parts *both[2] = {to->joined, to->apart};
  for (int k = 0; k < 2; k++) {
    const int made = add_body(both[k], body.mass, body.inertia, pose.position, flg_quat_identity());
    flg_component_body *moving = &both[k]->component.bodies[made];
    moving->pose = pose, moving->centre = body.centre, moving->velocity = velocity;
  }
  return to->free_count++;
}

/* the joint as it stands is a weld from now on */
static inline void weld_twin(parts *of, int index) {
  flg_component_joint *joint = &of->component.joints[index];
  const flg_pose frame =
      flg_pose_compose(&of->component.bodies[joint->end[1].body].pose, &joint->end[1].pose);
  joint->kind = FLG_CONSTRAINT_WELD;
  joint->end[0] = anchor_at(of, joint->end[0].body, &frame);
}

/* a robot of a chain of joints of one kind, the first of another; with a locked joint, or -1 */
static inline int add_leaf(random_source *source, leaves *to, flg_joint_kind base,
                           flg_joint_kind kind, int joints, int locked) {
  const int index = to->count++;
  sample *s = to->models[index] = sample_build(joints);
  for (int k = 0; k < joints; k++) {
    const int body = sample_add(s, k - 1, k == 0 ? base : kind, random_pose(source));
    s->model.joints[body].axis = random_direction(source);
    s->model.joints[body].axis2 = random_direction(source);
    random_body(source, &s->model.bodies[body]);
  }
  square_axes(&s->model);
  flg_robot_subsystem *robot = &to->robots[index];
  build_robot(robot, &s->model);
  shake_robot(source, robot);
  if (locked >= 0) flg_robot_subsystem_lock(robot, locked, true);
  flg_robot_subsystem_refresh(robot, 0);
  flg_component *component = &to->joined->component;
  component->robots[component->robot_count++] = (flg_component_robot){
      .name = "robot", .group = FLG_TOP, .model = &s->model, .pose = flg_pose_identity()};
  const int joint = to->apart->component.joint_count;
  to->first[index] = add_twin(to->apart, robot);
  if (locked >= 0) weld_twin(to->apart, joint + locked);
  return index;
}

/* a body of a robot, a free one (robot -1), or the world */
typedef struct leaf_end {
  int robot, body;
} leaf_end;

static const leaf_end ON_WORLD = {-1, FLG_WORLD};

static inline flg_pose end_pose(const leaves *of, leaf_end end) {
  if (end.robot < 0) return of->joined->component.bodies[end.body].pose;
  const flg_robot_subsystem *robot = &of->robots[end.robot];
  return flg_dynamics_frame_pose(robot->dynamics, &robot->robot.anchors[end.body]);
}

/* a frame in the world, fixed to both ends where they are; in both mechanisms */
static inline flg_anchor leaf_anchor(const leaves *of, leaf_end end, const flg_pose *frame,
                                     bool apart) {
  flg_anchor anchor = {end.robot, end.body, *frame};
  if (end.body == FLG_WORLD) return anchor;
  const flg_pose pose = end_pose(of, end), inverse = flg_pose_inverse(&pose);
  anchor.pose = flg_pose_compose(&inverse, frame);
  if (apart && end.robot >= 0) {
    anchor.robot = -1, anchor.body = of->first[end.robot] + end.body;
  }
  return anchor;
}

static inline void join_leaves(leaves *of, flg_constraint_kind kind, leaf_end a, leaf_end b,
                               flg_pose frame) {
  parts *both[2] = {of->joined, of->apart};
  for (int k = 0; k < 2; k++) {
    flg_component *component = &both[k]->component;
    flg_component_joint *joint = &component->joints[component->joint_count++];
    *joint = (flg_component_joint){
        .name = "loop",
        .group = FLG_TOP,
        .kind = kind,
        .end = {leaf_anchor(of, a, &frame, k == 1), leaf_anchor(of, b, &frame, k == 1)}};
    add_own_coordinates(both[k], joint);
  }
}

/* a spring and damper between the origins of the ends */
static inline void tie_leaves(leaves *of, leaf_end a, leaf_end b, double stiffness, bool implicit) {
  const flg_pose at_a = a.body == FLG_WORLD ? flg_pose_identity() : end_pose(of, a);
  const flg_pose at_b = end_pose(of, b);
  parts *both[2] = {of->joined, of->apart};
  for (int k = 0; k < 2; k++) {
    const int distance =
        add_coordinate(both[k], FLG_COORDINATE_DISTANCE, leaf_anchor(of, a, &at_a, k == 1),
                       leaf_anchor(of, b, &at_b, k == 1));
    add_spring(both[k], distance, stiffness, 0.1 * stiffness, NAN)->implicit = implicit;
  }
}

static inline flg_assembly *assemble_leaves(leaves *of, const flg_assembly_options *options,
                                            bool apart) {
  flg_assembly *assembly = NULL;
  flg_mistakes mistakes = {0};
  const parts *p = apart ? of->apart : of->joined;
  const flg_part_guests guests = flg_robot_guests(of->robots);
  flg_assembly_build(&assembly, &p->component, &guests, options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(flg_assembly_settle(assembly), FLG_OK);
  return assembly;
}

/* largest difference of all poses; after refresh of both */
static inline double leaves_difference(const leaves *of, const flg_assembly *joined,
                                       const flg_assembly *apart) {
  double most = 0;
  for (int k = 0; k < of->free_count; k++) {
    most = flg_larger(most, pose_difference(body_pose(joined, -1, k), body_pose(apart, -1, k)));
  }
  for (int r = 0; r < of->count; r++) {
    for (int k = 0; k < of->models[r]->model.body_count; k++) {
      most = flg_larger(
          most, pose_difference(body_pose(joined, r, k), body_pose(apart, -1, of->first[r] + k)));
    }
  }
  return most;
}

#endif
