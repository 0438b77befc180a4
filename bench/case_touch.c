/* case_touch - (b) a step of 1 ms of the seven-joint arm whose tool is welded to a box that rests
 * on the ground, with and without friction, against MuJoCo.
 *
 * A tool (cylinder of 0.5 m and 50 kg) at the end of link 7, on the middle of the upper side of a
 * box of 2 x 4 x 1 m and 20 kg, whose four lower corners touch. There is no gravity but on the box,
 * as forces of the joints that do the same at the start. Both integrate by semi-implicit Euler with
 * the same step from the same state. MuJoCo's contacts are soft: that both stay in the same place
 * is checked first, as far as that allows.
 */
#include "mjcf.h"
#include "race.h"
#include "robot/robot_contacts.h"

static const double STEP = 1e-3;
static const flg_vec3 NO_GRAVITY = {0, 0, 0};
static const double START[ARM_LINKS] = {-1.4245, 1.5466,  -0.3685, -1.6337,
                                        -1.1393, -1.5466, 1.7171};
enum { TOOL = ARM_LINKS, BOX, BODIES };

typedef struct pair {
  sample *s;
  flg_shape shapes[2];
  flg_surface surface;
  flg_robot_subsystem ours;
  mjModel *model;
  mjData *data;
  double forces[ARM_LINKS];
} pair;

/* --- the model ---------------------------------------------------------------------------------
 */

/* the arm again, with room for two more bodies */
static sample *arm_with_room(void) {
  sample *arm = sample_arm(), *s = sample_build(BODIES);
  for (int k = 0; k < ARM_LINKS; k++) {
    const flg_joint *joint = &arm->model.joints[k];
    const int body = sample_add(s, joint->parent, joint->kind, joint->origin);
    const char *name = s->model.bodies[body].name;
    s->model.bodies[body] = arm->model.bodies[k];
    s->model.bodies[body].name = name;
  }
  sample_release(arm);
  return s;
}

/* where the end of link 7 is at the start */
static flg_pose tool_pose(void) {
  sample *arm = sample_arm();
  const double zero[ARM_LINKS] = {0};
  flg_dynamics_kinematics(arm->dynamics, START, zero);
  const flg_pose pose = flg_dynamics_frame_pose(arm->dynamics, &arm->robot.anchors[ARM_LINKS - 1]);
  const flg_pose end = sample_shift(0, 0, 0.38);
  sample_release(arm);
  return flg_pose_compose(&pose, &end);
}

static void add_tool(sample *s) {
  const int tool = sample_add(s, ARM_LINKS - 1, FLG_JOINT_FIXED, sample_shift(0, 0, 0.38));
  const double across = 50 * (3 * 0.15 * 0.15 + 0.5 * 0.5) / 12, along = 50 * 0.15 * 0.15 / 2;
  s->model.bodies[tool].mass = 50;
  s->model.bodies[tool].centre = (flg_vec3){0, 0, 0.25};
  s->model.bodies[tool].inertia = (flg_sym3){across, across, along, 0, 0, 0};
}

/* level, whatever the tool's attitude is; returns the height of its lower side */
static double add_box(sample *s) {
  const flg_pose tool = tool_pose(), length = sample_shift(0, 0, 0.5);
  const flg_pose end = flg_pose_compose(&tool, &length);
  const flg_pose centre = {flg_mat3_identity(),
                           {end.position.x, end.position.y, end.position.z - 0.5}};
  const flg_pose back = flg_pose_inverse(&tool);
  const int box = sample_add(s, TOOL, FLG_JOINT_FIXED, flg_pose_compose(&back, &centre));
  const double m = 20. / 12;
  s->model.bodies[box].mass = 20;
  s->model.bodies[box].inertia = (flg_sym3){m * (16 + 1), m * (4 + 1), m * (4 + 16), 0, 0, 0};
  return end.position.z - 1;
}

static void make_model(pair *p, double friction) {
  p->s = arm_with_room();
  add_tool(p->s);
  const double height = add_box(p->s);
  p->surface = (flg_surface){.name = "all", .friction = friction};
  p->s->model.surfaces = (flg_surfaces){.surfaces = &p->surface, .surface_count = 1};
  p->shapes[0] = (flg_shape){.body = FLG_WORLD, .kind = FLG_SHAPE_PLANE};
  p->shapes[0].pose = sample_shift(0, 0, height);
  p->shapes[1] = (flg_shape){.body = BOX, .kind = FLG_SHAPE_BOX, .size = {2, 4, 1}};
  p->shapes[1].pose = flg_pose_identity();
  for (int k = 0; k < 2; k++) p->shapes[k].collision = true, p->shapes[k].surface = 1;
  p->s->model.shapes = p->shapes;
  p->s->model.shape_count = 2;
  sample_finish(p->s);
}

/* forces of the joints that do what the weight of the box does */
static void find_forces(pair *p) {
  flg_link_anchor box = p->s->robot.anchors[BOX];
  const double zero[ARM_LINKS] = {0};
  flg_dynamics_kinematics(p->s->dynamics, START, zero);
  memset(p->forces, 0, sizeof p->forces);
  flg_dynamics_frame_force(p->s->dynamics, &box, (flg_spatial){{0, 0, -20 * 9.81}, {0, 0, 0}},
                           p->forces);
}

/* --- both at work ------------------------------------------------------------------------------
 */

static void flange_start(void *of) {
  pair *p = of;
  memset(p->ours.state, 0, (size_t)p->ours.state_count * sizeof *p->ours.state);
  memcpy(p->ours.q, START, sizeof START);
}

static void mujoco_start(void *of) {
  const pair *p = of;
  mj_resetData(p->model, p->data);
  memcpy(p->data->qpos, START, sizeof START);
  memcpy(p->data->qfrc_applied, p->forces, sizeof p->forces);
}

static void build(pair *p, double friction) {
  static flg_mistakes mistakes;
  const flg_robot_options options = {
      .name = "arm", .integrator = flg_integrator_default(), .gravity = NO_GRAVITY};
  make_model(p, friction);
  find_forces(p);
  flg_robot_subsystem_build(&p->ours, &p->s->model, &options, &mistakes);
  sample_require(flg_robot_subsystem_equip(&p->ours, NULL, 0, NULL, 0, NULL) == FLG_OK, "equip");
  memcpy(p->ours.q, START, sizeof START);
  flg_robot_contacts_build(&p->ours, NULL, &mistakes);
  sample_require(mistakes.count == 0, mistakes.list[0].message);
  p->ours.applied = p->forces;
  p->model = mjcf_model(p->s, NO_GRAVITY);
  p->model->opt.timestep = STEP;
  p->data = mj_makeData(p->model);
}

static void release(pair *p) {
  flg_robot_subsystem_release(&p->ours);
  mj_deleteData(p->data);
  mj_deleteModel(p->model);
  p->s->model.shapes = NULL;
  sample_release(p->s);
}

static void flange_step(void *of) {
  pair *p = of;
  flg_error error;
  const flg_status status = flg_robot_subsystem_advance(&p->ours, 0, STEP, 0, 1, &error);
  sample_require(status == FLG_OK, error.message);
}

static void mujoco_step(void *of) {
  const pair *p = of;
  mj_step(p->model, p->data);
}

static void require_same_place(pair *p, const char *work) {
  flange_start(p), mujoco_start(p);
  for (int k = 0; k < 100; k++) flange_step(p), mujoco_step(p);
  race_same(work, "MuJoCo", p->ours.q, p->data->qpos, ARM_LINKS, 1e-4);
  sample_require(
      flg_contacts_report_view(flg_robot_contacts_view(&p->ours)).closed == 4 && p->data->ncon == 4,
      "the box does not rest on four corners");
}

static void race_touch(const char *work, double friction) {
  static pair p;
  p = (pair){0};
  build(&p, friction);
  require_same_place(&p, work);
  racer racers[] = {{"Flange", flange_step, &p, flange_start, .mark = 0.33},
                    {"MuJoCo", mujoco_step, &p, mujoco_start, .mark = 0}};
  double theirs = 0;
  for (int k = 0; k < p.data->ncon; k++) theirs = flg_larger(theirs, -p.data->contact[k].dist);
  snprintf(racers[0].remark, sizeof racers[0].remark, "overlap %.1e m",
           flg_contacts_report_view(flg_robot_contacts_view(&p.ours)).penetration);
  snprintf(racers[1].remark, sizeof racers[1].remark, "overlap %.1e m", theirs);
  race("b", work, racers, 2);
  release(&p);
}

int main(void) {
  race_touch("arm with a box on the ground, step", 0);
  race_touch("arm with a box on the ground, friction, step", 0.5);
  return 0;
}
