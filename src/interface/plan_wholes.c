#include "interface/plan_wholes.h"

#include <string.h>

#include "interface/eliminate_inner.h"
#include "interface/plan_inner.h"
#include "interface/rigid_block.h"
#include "math/wide_vectors.h"

int flg_plan_may_be_wholes(const flg_plan *plan) {
  if (!plan->is_whole || plan->options.form != FLG_FORM_ADMITTANCE) return 0;
  for (int k = 0; k < plan->part_count; k++) {
    if (plan->models[k].rows != FLG_PORT_ROWS) return 0;
  }
  return 1;
}

int flg_plan_is_of_wholes(const flg_plan *plan) {
  return plan->members != NULL;
}

/* --- factors ------------------------------------------------------------------------------------
 */

/* the parallel axis theorem: m (r.r 1 - r r^T) for the offset r */
/* I of a member about the common centre of mass */
static flg_sym3 inertia_in_whole(const flg_plan_member *member) {
  const flg_vec3 arm = member->arm;
  const flg_sym3 off =
      flg_sym3_add_scaled(flg_sym3_diagonal(flg_vec3_dot(arm, arm)), -1, flg_sym3_outer(arm));
  return flg_sym3_add_scaled(member->inertia, member->mass, off);
}

static int wholes_is_alone(const flg_plan_member *members, int part) {
  return members[members[part].first].count == 1;
}

/* sums in the first of each whole; of its motion those of mass times place */
/* Three passes: masses and centres, then inertias about the common centre, which has to be known
 * for that, then inverses. A part alone keeps its own matrix, to the last bit. */
FLG_WIDE_VECTORS
void flg_plan_members_gather(flg_plan_member *members, int count) {
  for (int k = 0; k < count; k++) {
    members[k].count = 0, members[k].lightness = 0, members[k].resists = flg_sym3_diagonal(0);
    members[k].motion.linear = members[k].arm = (flg_vec3){0, 0, 0};
  }
  for (int k = 0; k < count; k++) {
    flg_plan_member *whole = &members[members[k].first];
    whole->count++, whole->lightness += members[k].mass;
    whole->motion.linear =
        flg_vec3_add_scaled(whole->motion.linear, members[k].mass, members[k].centre);
  }
  for (int k = 0; k < count; k++) {
    flg_plan_member *whole = &members[members[k].first];
    if (whole->count == 1) continue;
    const flg_vec3 centre = flg_vec3_scale(whole->motion.linear, 1 / whole->lightness);
    members[k].arm = flg_vec3_subtract(members[k].centre, centre);
    whole->resists = flg_sym3_add(whole->resists, inertia_in_whole(&members[k]));
  }
  for (int k = 0; k < count; k++) {
    if (members[k].count == 0) continue;
    const int is_alone = members[k].count == 1;
    if (is_alone) members[k].resists = members[k].inertia;
    members[k].lightness = 1 / members[k].lightness;
    members[k].yields = is_alone ? members[k].inverse : flg_sym3_inverse(members[k].resists);
  }
}

static void wholes_copy_part(const flg_plan_model *part, double *D, int n) {
  for (int j = 0; j < FLG_PORT_ROWS; j++) {
    memcpy(D + j * n, part->matrix + j * FLG_PORT_ROWS, FLG_PORT_ROWS * sizeof *D);
  }
}

/* columns of the port at row j, and the rows that mirror them */
FLG_WIDE_VECTORS
static void wholes_write_columns(const flg_plan *plan, const flg_plan_top *root, int j) {
  const flg_plan_member *members = plan->members;
  const int n = plan->models[root->node].rows, b = root->part[j], first = members[b].first;
  double *own = root->admittance + (size_t)j * (size_t)(n + 1);
  if (wholes_is_alone(members, b)) {
    wholes_copy_part(&plan->models[b], own, n);
    return;
  }
  const double lightness = members[first].lightness;
  flg_three turns[FLG_PORT_ROWS];
  flg_rigid_turns(members[first].yields, members[b].arm, turns);
  flg_rigid_block(members[b].arm, lightness, turns, own, n);
  flg_rigid_mirror_own(own, n);
  for (int i = j + FLG_PORT_ROWS; i < n; i += FLG_PORT_ROWS) {
    const int a = root->part[i];
    if (members[a].first != first) continue;
    double *below = own + i - j;
    flg_rigid_block(members[a].arm, lightness, turns, below, n);
    flg_rigid_mirror(below, own + (size_t)(i - j) * (size_t)n, n);
  }
}

/* one sum tells: 0 times NaN or infinity is NaN */
static int are_members_finite(const flg_plan *plan) {
  double sum = 0;
  for (int k = 0; k < plan->part_count; k++) {
    const flg_plan_member *member = &plan->members[k];
    sum += member->arm.x + member->arm.y + member->arm.z;
    if (member->count == 1) {
      for (int i = 0; i < FLG_PORT_ROWS; i++) sum += plan->models[k].matrix[i * 7];
    } else if (member->count > 1) {
      const flg_sym3 J = member->yields;
      sum += member->lightness + J.xx + J.yy + J.zz + J.xy + J.xz + J.yz;
    }
  }
  return 0 * sum == 0;
}

flg_status flg_plan_factor_wholes(flg_plan *plan, flg_plan_member *members) {
  plan->members = members, plan->is_frozen = 0;
  flg_plan_members_gather(members, plan->part_count);
  if (!are_members_finite(plan)) return FLG_ERR_DIVERGED;
  for (int k = 0; k < plan->root_count; k++) {
    const flg_plan_top *root = &plan->roots[k];
    const int n = plan->models[root->node].rows;
    /* parts of other wholes at the same root are not coupled */
    memset(root->admittance, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0; j < n; j += FLG_PORT_ROWS) wholes_write_columns(plan, root, j);
  }
  return FLG_OK;
}

/* --- right-hand sides ---------------------------------------------------------------------------
 */

static flg_vec3 centripetal(const flg_plan_member *member) {
  return flg_vec3_cross(member->spin, flg_vec3_cross(member->spin, member->arm));
}

void flg_plan_swing(flg_plan *plan, int swings) {
  plan->swings = swings;
}

/* momenta of what members would do on their own, then the motion of all of them together */
static void wholes_move(const flg_plan *plan) {
  flg_plan_member *members = plan->members;
  for (int k = 0; k < plan->part_count; k++) {
    flg_plan_member *own = &members[k];
    if (wholes_is_alone(members, k)) continue;
    if (own->first == k) own->motion = (flg_spatial){{0}, {0}};
    flg_spatial *sum = &members[own->first].motion;
    const flg_spatial b = flg_spatial_load(plan->models[k].bias);
    const flg_vec3 own_b = plan->swings ? flg_vec3_subtract(b.linear, centripetal(own)) : b.linear;
    const flg_vec3 push = flg_vec3_scale(own_b, own->mass);
    sum->linear = flg_vec3_add(sum->linear, push);
    sum->angular = flg_vec3_add(sum->angular, flg_sym3_apply(own->inertia, b.angular));
    sum->angular = flg_vec3_add(sum->angular, flg_vec3_cross(own->arm, push));
  }
  for (int k = 0; k < plan->part_count; k++) {
    flg_plan_member *whole = &members[k];
    if (whole->count < 2) continue;
    whole->motion.linear = flg_vec3_scale(whole->motion.linear, whole->lightness);
    whole->motion.angular = flg_sym3_apply(whole->yields, whole->motion.angular);
  }
}

static void wholes_write_bias(const flg_plan *plan, int part, double *to) {
  const flg_plan_member *members = plan->members, *own = &members[part];
  if (wholes_is_alone(members, part)) {
    memcpy(to, plan->models[part].bias, FLG_PORT_ROWS * sizeof *to);
    return;
  }
  flg_spatial motion = flg_spatial_shift_motion(members[own->first].motion, own->arm);
  if (plan->swings) motion.linear = flg_vec3_add(motion.linear, centripetal(own));
  flg_spatial_store(motion, to);
}

flg_status flg_plan_refresh_wholes(flg_plan *plan) {
  int is_finite = 1;
  wholes_move(plan);
  for (int k = 0; k < plan->root_count; k++) {
    const flg_plan_top *root = &plan->roots[k];
    const flg_plan_model *model = &plan->models[root->node];
    for (int i = 0; i < model->rows; i += FLG_PORT_ROWS) {
      wholes_write_bias(plan, root->part[i], model->bias + i);
    }
    is_finite = is_finite && flg_are_finite((size_t)model->rows, model->bias);
    memset(model->force, 0, (size_t)model->rows * sizeof(double));
  }
  return is_finite ? FLG_OK : FLG_ERR_DIVERGED;
}
