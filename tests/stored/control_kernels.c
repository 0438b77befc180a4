/* Ways of the tool of a seven-joint arm, and searches for poses, of which arms cannot reach all. */
#include "check.h"
#include "control/tool_path.h"
#include "sample.h"
#include "stored/kernels.h"

enum { JOINTS = ARM_LINKS, REACHES = 12, LEGS = 4, MOMENTS = 30 };
static const double Q0[JOINTS] = {-1.4245, 1.5466, -0.3685, -1.6337, -1.1393, -1.5466, 1.7171};
static const int POSITIONS[JOINTS] = {0, 1, 2, 3, 4, 5, 6};

static flg_vec3 draw_vector(random_source *source, double size) {
  return (flg_vec3){random_uniform(source, -size, size), random_uniform(source, -size, size),
                    random_uniform(source, -size, size)};
}

static void add_reach(digest *to, const double *q, const flg_reach *reach) {
  add_numbers(to, PLACES, JOINTS, q);
  add_number(to, DIGEST_KINDS, reach->position), add_number(to, DIGEST_KINDS, reach->turn);
  add_count(to, reach->steps), add_count(to, reach->limit);
}

/* targets near where the tool is, and some that are out of reach; some joints have limits */
static void run_reaches(random_source *source, digest *to) {
  sample *s = sample_arm_model();
  bool locked[JOINTS] = {false};
  for (int k = 0; k < JOINTS && random_integer(source, 0, 1) == 0; k++) {
    s->model.joints[k].lower = Q0[k] - 0.4, s->model.joints[k].upper = Q0[k] + 0.6;
  }
  locked[random_integer(source, 0, JOINTS - 1)] = random_integer(source, 0, 1);
  sample_finish(s);
  const flg_reach_options options = {.frame = s->robot.anchors[JOINTS - 1],
                                     .position_only = random_integer(source, 0, 1),
                                     .locked = locked};
  flg_region region = {0};
  flg_inverse_kinematics *kinematics = NULL;
  assert_int_equal(flg_inverse_kinematics_build(&kinematics, &s->model, &s->robot, s->dynamics,
                                                &options, &region, NULL),
                   FLG_OK);
  for (int k = 0; k < REACHES; k++) {
    double q[JOINTS];
    flg_reach reach = {0};
    memcpy(q, Q0, sizeof q);
    flg_pose target = flg_inverse_kinematics_pose(kinematics, q);
    const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(draw_vector(source, 0.4)));
    target.rotation = flg_mat3_multiply(&turn, &target.rotation);
    target.position = flg_vec3_add(target.position, draw_vector(source, k % 4 == 3 ? 20 : 2));
    add_count(to, flg_inverse_kinematics_solve(kinematics, &target, q, &reach));
    add_reach(to, q, &reach);
  }
  flg_region_release(&region), sample_release(s);
}

/* lines, arcs and legs of joints, one after the other */
static void run_paths(random_source *source, digest *to) {
  sample *s = sample_arm();
  double q[JOINTS], from[JOINTS], targets[JOINTS];
  flg_leg legs[LEGS];
  flg_region region = {0};
  for (int k = 0; k < JOINTS; k++) targets[k] = Q0[k] + random_uniform(source, -0.2, 0.2);
  for (int k = 0; k < LEGS; k++) {
    legs[k] = (flg_leg){.kind = (flg_leg_kind)random_integer(source, FLG_LEG_LINE, FLG_LEG_JOINTS),
                        .arrival = 1 + k,
                        .moves = random_integer(source, 0, 3) > 0,
                        .turns = random_integer(source, 0, 1),
                        .relative = true,
                        .position = draw_vector(source, 1),
                        .rotation = flg_quat_to_matrix(flg_quat_exp(draw_vector(source, 0.3))),
                        .pivot = draw_vector(source, 5),
                        .axis = draw_vector(source, 1),
                        .angle = random_uniform(source, -0.2, 0.2),
                        .targets = targets};
  }
  flg_tool_path path = {.name = "hand",
                        .legs = legs,
                        .leg_count = LEGS,
                        .model = &s->model,
                        .robot = &s->robot,
                        .count = JOINTS,
                        .positions = POSITIONS,
                        .from = from};
  const flg_reach_options options = {.frame = s->robot.anchors[JOINTS - 1]};
  assert_int_equal(flg_inverse_kinematics_build(&path.kinematics, &s->model, &s->robot, s->dynamics,
                                                &options, &region, NULL),
                   FLG_OK);
  memcpy(q, Q0, sizeof q);
  flg_tool_path_begin(&path, q);
  for (int k = 1; k <= MOMENTS; k++) {
    flg_error error;
    add_count(to, flg_tool_path_go(&path, k * (LEGS + 0.2) / MOMENTS, q, &error));
    add_reach(to, q, &path.worst);
    add_pose(to, &path.here), add_number(to, OTHERS, path.begun), add_count(to, path.leg);
  }
  flg_region_release(&region), sample_release(s);
}

const kernel control_kernels[] = {
    {"reaches", run_reaches, 6}, {"paths", run_paths, 6}, {NULL, NULL, 0}};
