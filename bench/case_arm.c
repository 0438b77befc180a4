/* case_arm - (a) the seven-joint arm: forward dynamics, mass matrix, inverse dynamics and a step of
 * 1 ms; compiled, and four and eight states at once, too. */
#include "compiled_arm.h"
#include "robot/robot_subsystem.h"

static const double STEP = 1e-3;

static void flange_inverse(void *tree) {
  const flange_tree *t = tree;
  flg_dynamics_forget(t->of->dynamics);
  flg_dynamics_inverse(t->of->dynamics, t->state.q, t->state.v, t->state.a, GRAVITY, NULL,
                       t->state.f);
}

/* all that mj_rne needs, and it */
static void mujoco_inverse(void *tree) {
  const mujoco_tree *t = tree;
  mj_kinematics(t->model, t->data);
  mj_comPos(t->model, t->data);
  mj_comVel(t->model, t->data);
  mj_rne(t->model, t->data, 1, t->data->qfrc_inverse);
}

static void race_inverse(flange_tree *ours) {
  mujoco_tree mujoco = mujoco_tree_of(ours);
  const racer racers[] = {{.name = "Flange", .run = flange_inverse, .of = ours, .mark = 0.2},
                          {.name = "MuJoCo", .run = mujoco_inverse, .of = &mujoco}};
  flange_forward(ours), mujoco_forward(&mujoco);
  flange_inverse(ours), mujoco_inverse(&mujoco);
  race_same("inverse dynamics", "MuJoCo", ours->state.f, mujoco.data->qfrc_inverse, ARM_LINKS,
            1e-8);
  race("a", "arm, inverse dynamics", racers, 2);
  mujoco_tree_release(&mujoco);
}

static double mass[ARM_LINKS * ARM_LINKS];

static void flange_mass(void *tree) {
  const flange_tree *t = tree;
  flg_dynamics_forget(t->of->dynamics);
  flg_dynamics_move(t->of->dynamics, t->state.q, t->state.v);
  flg_dynamics_mass(t->of->dynamics, mass);
}

/* all that mj_crb needs, and it */
static void mujoco_mass(void *tree) {
  const mujoco_tree *t = tree;
  mj_kinematics(t->model, t->data);
  mj_comPos(t->model, t->data);
  mj_crb(t->model, t->data);
}

static void race_mass(flange_tree *ours) {
  mujoco_tree mujoco = mujoco_tree_of(ours);
  double full[ARM_LINKS * ARM_LINKS];
  const racer racers[] = {{.name = "Flange", .run = flange_mass, .of = ours, .mark = 0.25},
                          {.name = "MuJoCo", .run = mujoco_mass, .of = &mujoco}};
  flange_mass(ours), mujoco_mass(&mujoco);
  mj_fullM(mujoco.model, full, mujoco.data->qM);
  race_same("mass matrix", "MuJoCo", mass, full, ARM_LINKS * ARM_LINKS, 1e-8);
  race("a", "arm, mass matrix", racers, 2);
  mujoco_tree_release(&mujoco);
}

static void race_accelerations(flange_tree *ours, compiled_arm *compiled) {
  require_same_lanes(compiled, ours);
  const racer more[] = {
      {.name = "Flange, compiled", .run = compiled_forward, .of = compiled, .mark = 0.15},
      {.name = "Flange, four at once", .run = compiled_forward_four, .of = compiled, .parts = FOUR},
      {.name = "Flange, eight at once",
       .run = compiled_forward_eight,
       .of = compiled,
       .parts = LANES}};
  race_forward("a", "arm, forward dynamics", ours, 0.25, more, 3);
}

/* Each batch starts from the same state: a passive arm that is left to itself for minutes takes up
 * speed. */
typedef struct stepped {
  flg_robot_subsystem robot;
  mujoco_tree mujoco;
  const tree_state *first;
} stepped;

static void flange_start(void *of) {
  stepped *s = of;
  memcpy(s->robot.q, s->first->q, ARM_LINKS * sizeof(double));
  memcpy(s->robot.v, s->first->v, ARM_LINKS * sizeof(double));
}

static void mujoco_start(void *of) {
  const stepped *s = of;
  memcpy(s->mujoco.data->qpos, s->first->q, ARM_LINKS * sizeof(double));
  memcpy(s->mujoco.data->qvel, s->first->v, ARM_LINKS * sizeof(double));
}

static void flange_step(void *of) {
  stepped *s = of;
  const flg_status status = flg_robot_subsystem_advance(&s->robot, 0, STEP, 0, 1, NULL);
  sample_require(status == FLG_OK, "a step failed");
}

static void mujoco_step(void *of) {
  const stepped *s = of;
  mj_step(s->mujoco.model, s->mujoco.data);
}

static void build_steps(stepped *s, flange_tree *ours) {
  static flg_mistakes mistakes;
  flg_error error = {0};
  const flg_robot_options options = {
      .name = "arm", .integrator = flg_integrator_default(), .gravity = GRAVITY};
  sample_require(
      flg_robot_subsystem_build(&s->robot, &ours->of->model, &options, &mistakes) == FLG_OK &&
          flg_robot_subsystem_equip(&s->robot, NULL, 0, NULL, 0, &error) == FLG_OK,
      "the arm cannot be built");
  memset(ours->state.f, 0, ARM_LINKS * sizeof(double));
  s->first = &ours->state;
  s->mujoco = mujoco_tree_of(ours);
  s->mujoco.model->opt.timestep = STEP;
}

/* free of forces, as in the other libraries */
static void require_same_step(compiled_arm *compiled, const flg_robot_subsystem *robot) {
  compiled_start(compiled);
  for (int k = 0; k < 100; k++) compiled_step(compiled);
  const double *state = compiled->subsystem.ops->state(compiled->subsystem.self).values;
  race_same("step", "the compiled arm", robot->q, state, ARM_LINKS, 1e-9);
}

static void race_step(flange_tree *ours, compiled_arm *compiled) {
  static stepped both;
  build_steps(&both, ours);
  flange_start(&both);
  for (int k = 0; k < 100; k++) flange_step(&both), mujoco_step(&both);
  race_same("step", "MuJoCo", both.robot.q, both.mujoco.data->qpos, ARM_LINKS, 1e-8);
  require_same_step(compiled, &both.robot);
  const racer racers[] = {{"Flange", flange_step, &both, flange_start, .mark = 0.35},
                          {"Flange, compiled", compiled_step, compiled, compiled_start, .mark = 0},
                          {"MuJoCo", mujoco_step, &both, mujoco_start, .mark = 0}};
  race("a", "arm, step", racers, 3);
  flg_robot_subsystem_release(&both.robot);
  mujoco_tree_release(&both.mujoco);
}

int main(void) {
  flange_tree ours = flange_tree_of(sample_arm());
  static compiled_arm compiled;
  compiled_arm_build(&compiled, &ours);
  race_accelerations(&ours, &compiled);
  race_mass(&ours);
  race_inverse(&ours);
  race_step(&ours, &compiled);
  flg_subsystem_release(&compiled.subsystem);
  free(ours.state.q);
  sample_release(ours.of);
  return 0;
}
