/* A plan whose joints are solved at once, by rows that were chosen at set-up. */
#include <string.h>

#include "interface/eliminate_inner.h"
#include "interface/plan_inner.h"
#include "math/larger.h"

/* Rows are independent, by what is left of their pivots: long before rounding counts, and before
 * a pose is close to singular. At 1e-5 forty four-bars lose 2e-5 of their energy on the way. */
static const double SOUND = 4e-5;
/* A pose is close to a singular one where the least pivot is this of what it was in the pose that
 * rows were chosen in: of light bodies between heavy ones it is small in every pose. */
static const double NEARER = 0.01;
/* Close to a singular pose no other rows are any better: below this, forces are rounding. */
static const double STEEPEST = 1e-10;
/* Rows that were left out follow from the others but for rounding, a thousand times that where
 * others are close to dependent, and what positions are closed to. */
static const double AGREED = 1e-9;

/* --- set-up -------------------------------------------------------------------------------------
 */

static int is_flat(const double *normals, int part) {
  if (normals == NULL) return 0;
  const double *n = normals + 3 * (size_t)part;
  return n[0] != 0 || n[1] != 0 || n[2] != 0;
}

static int is_body_model(const flg_plan_model *model) {
  const double *W = model->matrix;
  for (int j = 0; j < 3; j++) {
    if (W[j * (FLG_PORT_ROWS + 1)] != W[0]) return 0;
    for (int i = j + 1; i < FLG_PORT_ROWS; i++) {
      if (W[i + j * FLG_PORT_ROWS] != 0 || W[j + i * FLG_PORT_ROWS] != 0) return 0;
    }
  }
  return 1;
}

/* bodies, and nothing that stays open; of flat ones D may be that of the plane */
static int can_freeze(const flg_plan *plan, const double *normals) {
  if (plan->options.form != FLG_FORM_ADMITTANCE || plan->is_frozen) return 0;
  for (int k = 0; k < plan->part_count; k++) {
    if (plan->models[k].rows != FLG_PORT_ROWS) return 0;
    if (!is_flat(normals, k) && !is_body_model(&plan->models[k])) return 0;
  }
  for (int k = 0; k < plan->root_count; k++) {
    if (plan->models[plan->roots[k].node].rows > 0) return 0;
  }
  return 1;
}

/* All soft rows take part: with no stiffness and no damping they resist nothing. */
static unsigned choice_of(const flg_plan *plan, int joint) {
  unsigned chosen = 0;
  const flg_plan_placed *placed = &plan->joints[joint];
  for (int i = 0; i < placed->rows && i < 32; i++) {
    if (placed->compliance != NULL || !flg_plan_is_redundant(plan, joint, i)) chosen |= 1u << i;
  }
  return chosen;
}

static flg_frozen_joint frozen_joint_at(const flg_plan *plan, int joint) {
  const flg_plan_placed *placed = &plan->joints[joint];
  const flg_plan_joint view = flg_plan_joint_view(plan, joint);
  flg_frozen_joint made = {.rows = view.rows,
                           .ends = view.rows > 0 ? placed->ends : 0,
                           .gamma = view.gamma,
                           .compliance = view.compliance,
                           .turns = placed->turns,
                           .straight = placed->straight != 0,
                           .chosen = view.rows > 0 ? choice_of(plan, joint) : 0};
  if (view.rows > 0) made.reactions = plan->nodes[placed->node].reactions + placed->row;
  for (int e = 0; e < made.ends; e++) {
    made.body[e] = view.side[e] == NULL ? FLG_GROUND : placed->part[e];
  }
  return made;
}

static flg_frozen_rows *freeze_plan(flg_plan *plan, const double *normals, flg_region *work) {
  flg_frozen_body *bodies = flg_region_take(work, (size_t)plan->part_count, sizeof *bodies);
  flg_frozen_joint *joints = flg_region_take(work, (size_t)plan->joint_count, sizeof *joints);
  plan->chosen = flg_region_take(&plan->frozen_region, (size_t)plan->joint_count, sizeof(unsigned));
  if (work->failed || plan->frozen_region.failed) return NULL;
  for (int k = 0; k < plan->part_count; k++) {
    const flg_plan_model *model = &plan->models[k];
    bodies[k] = (flg_frozen_body){model->matrix, model->bias, model->force, plan->motion[k]};
    if (is_flat(normals, k)) memcpy(bodies[k].normal, normals + 3 * (size_t)k, 3 * sizeof(double));
  }
  for (int k = 0; k < plan->joint_count; k++) {
    joints[k] = frozen_joint_at(plan, k);
    plan->chosen[k] = joints[k].chosen;
  }
  return flg_frozen_rows_build(bodies, plan->part_count, joints, plan->joint_count,
                               &plan->frozen_region);
}

flg_status flg_plan_freeze(flg_plan *plan, const double *normals) {
  if (!can_freeze(plan, normals)) return FLG_OK;
  flg_region work = {0};
  plan->judged = 0;
  plan->frozen_rank = flg_plan_totals_view(plan).rank;
  plan->steep = flg_smaller(SOUND, NEARER * flg_plan_least(plan));
  flg_region_release(&plan->frozen_region);
  plan->frozen = NULL;
  flg_frozen_rows *made = freeze_plan(plan, normals, &work);
  const int has_failed = work.failed || plan->frozen_region.failed;
  flg_region_release(&work);
  if (made != NULL && flg_frozen_rows_flops(made) < plan->flops) {
    plan->frozen = made;
  } else {
    flg_region_release(&plan->frozen_region);
  }
  return has_failed ? FLG_ERR_MEMORY : FLG_OK;
}

/* --- step ---------------------------------------------------------------------------------------
 */

static void copy_joint_side(const flg_frozen_joint *joint, const double *from, int leading,
                            double *to) {
  for (int j = 0; j < FLG_PORT_ROWS; j++) {
    for (int i = 0; i < joint->rows; i++) to[i + j * leading] = from[i + j * joint->leading];
  }
}

void flg_plan_take_rows(flg_plan *plan) {
  if (plan->frozen == NULL) return;
  for (int k = 0; k < plan->joint_count; k++) {
    const flg_plan_placed *placed = &plan->joints[k];
    const flg_frozen_joint *joint = flg_frozen_rows_joint(plan->frozen, k);
    for (int e = 0; e < joint->ends; e++) {
      if (joint->side[e] == NULL) continue;
      const int leading = plan->nodes[placed->node].elimination.shape.constraints;
      copy_joint_side(joint, joint->side[e], leading, placed->side[e]);
    }
  }
}

int flg_plan_factor_frozen(flg_plan *plan) {
  plan->members = NULL;
  plan->is_frozen = plan->frozen != NULL && flg_frozen_rows_factor(plan->frozen, SOUND);
  return plan->is_frozen;
}

int flg_plan_factor_steep(flg_plan *plan) {
  if (plan->frozen == NULL) return 0;
  const int is_singular = flg_plan_totals_view(plan).rank < plan->frozen_rank;
  if (!is_singular && flg_plan_least(plan) >= plan->steep) return 0;
  plan->is_frozen = flg_frozen_rows_factor(plan->frozen, STEEPEST);
  return plan->is_frozen;
}

double flg_plan_steep(const flg_plan *plan) {
  return plan->steep;
}

int flg_plan_is_frozen(const flg_plan *plan) {
  return plan->is_frozen;
}

void flg_plan_judge(flg_plan *plan, double length) {
  plan->judged = length;
}

/* what the frozen rows were not enough for, by rows that are chosen now */
static flg_status solve_with_chosen_rows(flg_plan *plan, flg_threads *threads) {
  flg_plan_scale(plan, threads);
  flg_status status = flg_plan_factor_alone(plan, FLG_PIVOTS_CHOOSE, threads);
  if (status == FLG_OK) status = flg_plan_refresh(plan, threads);
  return status == FLG_OK ? flg_plan_solve(plan, threads) : status;
}

flg_status flg_plan_solve_frozen(flg_plan *plan, flg_threads *threads) {
  if (!flg_frozen_rows_solve(plan->frozen)) return FLG_ERR_DIVERGED;
  if (plan->judged == 0 || flg_frozen_rows_agree(plan->frozen, AGREED, plan->judged)) return FLG_OK;
  return solve_with_chosen_rows(plan, threads);
}
