/* bench_step - one whole step of the seven-joint arm, against MuJoCo's mj_step, in one process.
 *
 * Both integrate by semi-implicit Euler with the same step from the same state; that they end up in
 * the same place is checked first. Times are the smallest of many batches.
 */
#include "mjcf.h"
#include "robot/robot_subsystem.h"
#include "stopwatch.h"

static const double STEP = 1e-3;
static const flg_vec3 GRAVITY = {0, 0, -9.81};

typedef struct pair {
  flg_robot_subsystem ours;
  mjModel *model;
  mjData *data;
} pair;

static void place(pair *p) {
  for (int k = 0; k < ARM_LINKS; k++) {
    p->ours.q[k] = p->data->qpos[k] = 0.3 * (k + 1);
    p->ours.v[k] = p->data->qvel[k] = 0.2 * (3 - k);
  }
  p->data->time = 0;
}

static void our_step(pair *p) {
  flg_robot_subsystem_advance(&p->ours, 0, STEP, 0, 1, NULL);
}

static void their_step(pair *p) {
  mj_step(p->model, p->data);
}

static double time_of(void (*step)(pair *), pair *p, int batches, int steps) {
  double best = INFINITY;
  for (int k = 0; k < batches; k++) {
    place(p);
    const double start = now();
    for (int j = 0; j < steps; j++) step(p);
    best = flg_smaller(best, (now() - start) / steps);
  }
  return best;
}

static double difference_after(pair *p, int steps) {
  place(p);
  for (int k = 0; k < steps; k++) our_step(p), their_step(p);
  double largest = 0;
  for (int k = 0; k < ARM_LINKS; k++) {
    largest = flg_larger(largest, fabs(p->ours.q[k] - p->data->qpos[k]));
  }
  return largest;
}

int main(void) {
  static pair p;
  static flg_mistakes mistakes;
  flg_error error = {0};
  sample *arm = sample_arm();
  const flg_robot_options options = {
      .name = "arm", .integrator = flg_integrator_default(), .gravity = GRAVITY};
  if (flg_robot_subsystem_build(&p.ours, &arm->model, &options, &mistakes) != FLG_OK ||
      flg_robot_subsystem_equip(&p.ours, NULL, 0, NULL, 0, &error) != FLG_OK) {
    return 1;
  }
  p.model = mjcf_model(arm, GRAVITY);
  p.data = mj_makeData(p.model);
  p.model->opt.timestep = STEP;
  const double difference = difference_after(&p, 100);
  printf("after 100 steps the joints differ by %.2g rad\n", difference);
  if (!(difference < 1e-9)) return 1;
  const double ours = time_of(our_step, &p, 200, 500), theirs = time_of(their_step, &p, 200, 500);
  printf("a step of the arm: flange %.3f us, mj_step %.3f us, ratio %.2f\n", 1e6 * ours,
         1e6 * theirs, ours / theirs);
  flg_robot_subsystem_release(&p.ours);
  mj_deleteData(p.data);
  mj_deleteModel(p.model);
  sample_release(arm);
  return 0;
}
