/* The mass matrix by composite bodies: what hangs on a coordinate, moved by it as one rigid body,
 * needs forces on all coordinates between there and the base. In lanes. */
#include <assert.h>
#include <string.h>

#include "dynamics/joint.h"
#include "dynamics/wide.h"
#include "math/dense.h"
#include "math/wide_vectors.h"

/* The forces of all coordinates further out lie component by component, so that four of them are
 * carried from link to link at once. Links are numbered depth first: these coordinates follow those
 * of the link without a gap. */

/* Component c of the forces from coordinate k on. */
FLG_SMALL double *component(const flg_dynamics *dynamics, int c, int k) {
  return dynamics->columns + (size_t)c * dynamics->column_stride + (size_t)k;
}

/* count lanes, at most all four */
FLG_SMALL void store_some(flg_four row, int count, double *to) {
  if (count >= 4) {
    *(flg_four *)to = row;
    return;
  }
  to[0] = row[0];
  if (count > 1) to[1] = row[1];
  if (count > 2) to[2] = row[2];
}

/* Elements below the diagonal of a coordinate j and of those from first to end, further out. */
FLG_SMALL void fill_row(const flg_dynamics *dynamics, int j, int first, int end, bool turns,
                        double *M) {
  const flg_spatial *S = &dynamics->coordinates[j].direction;
  const size_t stride = dynamics->column_stride;
  double *to = M + (size_t)dynamics->robot->velocity_count * (size_t)j;
  for (int k = first; k < end; k += 4) {
    const double *at = component(dynamics, 0, k);
    flg_four row = (flg_three_load(at + 3 * stride) * S->angular.x +
                    flg_three_load(at + 4 * stride) * S->angular.y) +
                   flg_three_load(at + 5 * stride) * S->angular.z;
    if (!turns) {
      row += (flg_three_load(at) * S->linear.x + flg_three_load(at + stride) * S->linear.y) +
             flg_three_load(at + 2 * stride) * S->linear.z;
    }
    store_some(row, end - k, to + k);
  }
}

/* The moment of force k about an origin r before. */
FLG_SMALL void shift_column(double *at, size_t stride, flg_vec3 r) {
  const double x = at[0], y = at[stride], z = at[2 * stride];
  at[3 * stride] += z * r.y - y * r.z;
  at[4 * stride] += x * r.z - z * r.x;
  at[5 * stride] += y * r.x - x * r.y;
}

FLG_SMALL void shift_four_columns(double *at, size_t stride, flg_vec3 r) {
  const flg_four x = flg_three_load(at), y = flg_three_load(at + stride),
                 z = flg_three_load(at + 2 * stride);
  *(flg_four *)(at + 3 * stride) += z * r.y - y * r.z;
  *(flg_four *)(at + 4 * stride) += x * r.z - z * r.x;
  *(flg_four *)(at + 5 * stride) += y * r.x - x * r.y;
}

/* The forces from first to end; behind the last coordinate of all is room for three more, behind
 * others are forces of other branches, which wait for their own parents. */
FLG_SMALL void shift_columns(const flg_dynamics *dynamics, int first, int end, flg_vec3 r) {
  const size_t stride = dynamics->column_stride;
  const int whole = end == dynamics->robot->velocity_count ? end : end - 3;
  int k = first;
  for (; k < whole; k += 4) shift_four_columns(component(dynamics, 0, k), stride, r);
  for (; k < end; k++) shift_column(component(dynamics, 0, k), stride, r);
}

/* A force is kept about the parent's origin, with those of before. */
FLG_SMALL void keep_column(const flg_dynamics *dynamics, int k, flg_wide_spatial force,
                           flg_three arm) {
  double *at = component(dynamics, 0, k);
  const size_t stride = dynamics->column_stride;
  flg_wide_shift_force(&force, arm);
  at[0] = force.linear[0], at[stride] = force.linear[1], at[2 * stride] = force.linear[2];
  at += 3 * stride;
  at[0] = force.angular[0], at[stride] = force.angular[1], at[2 * stride] = force.angular[2];
}

/* Coordinates of link i among each other, and their forces. */
FLG_SMALL void fill_own(const flg_dynamics *dynamics, int i, double mass,
                        const flg_wide_inertia *composite, double *M) {
  const flg_link *link = &dynamics->robot->links[i];
  const size_t n = (size_t)dynamics->robot->velocity_count;
  const flg_three arm = flg_three_load(&dynamics->motions[i].arm.x);
  for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
    const flg_wide_spatial S = flg_wide_load(&dynamics->coordinates[k].direction);
    const flg_wide_spatial force = flg_wide_momentum(composite, mass, &S);
    for (int j = link->velocity; j <= k; j++) {
      const flg_wide_spatial other = flg_wide_load(&dynamics->coordinates[j].direction);
      M[(size_t)k + n * (size_t)j] = flg_wide_dot(&other, &force);
    }
    M[(n + 1) * (size_t)k] += link->armature;
    keep_column(dynamics, k, force, arm);
  }
}

/* The same of a turn, a direction [0; axis]. */
FLG_SMALL void fill_turn(const flg_dynamics *dynamics, int i, const flg_wide_inertia *composite,
                         double *M) {
  const flg_link *link = &dynamics->robot->links[i];
  const int k = link->velocity;
  const flg_three axis = flg_three_load(&dynamics->coordinates[k].direction.angular.x);
  const flg_wide_spatial force = {flg_three_cross(axis, composite->moment),
                                  flg_three_sym_apply(&composite->rotation, axis)};
  M[((size_t)dynamics->robot->velocity_count + 1) * (size_t)k] =
      flg_three_sum(axis * force.angular) + link->armature;
  keep_column(dynamics, k, force, flg_three_load(&dynamics->motions[i].arm.x));
}

/* The link's own forces come last: behind them vectors of four would read them at once. */
FLG_SMALL void fill_link(const flg_dynamics *dynamics, int i, double mass,
                         const flg_wide_inertia *composite, double *M) {
  const flg_link *link = &dynamics->robot->links[i];
  const int first = link->velocity + link->velocity_count, end = dynamics->branch_ends[i];
  const bool turns = flg_joint_is_turn(link->kind);
  if (turns) {
    fill_row(dynamics, link->velocity, first, end, true, M);
  } else {
    for (int j = link->velocity; j < first; j++) fill_row(dynamics, j, first, end, false, M);
  }
  if (link->parent != FLG_WORLD) shift_columns(dynamics, first, end, dynamics->motions[i].arm);
  if (turns) {
    fill_turn(dynamics, i, composite, M);
  } else {
    fill_own(dynamics, i, mass, composite, M);
  }
}

FLG_SMALL void join_wide(flg_wide_inertia *sum, const flg_wide_inertia *more) {
  sum->moment += more->moment;
  sum->rotation.diagonal += more->rotation.diagonal;
  sum->rotation.next += more->rotation.next;
}

/* The same inertia about an origin r before: with k = 2 h + m r,
 *     h' = h + m r        I' = I + r.k 1 - (r k^T + k r^T)/2 */
FLG_SMALL void shift_wide(flg_wide_inertia *of, double mass, flg_three r) {
  const flg_three h = of->moment + r * mass, k = of->moment + h, product = r * k;
  of->moment = h;
  of->rotation.diagonal += flg_three_next(product) + flg_three_last(product);
  of->rotation.next -= (r * flg_three_next(k) + k * flg_three_next(r)) * 0.5;
}

/* The composite of an only child stays in registers; others are gathered in slots. */
FLG_WIDE_VECTORS static void fill_wide(flg_dynamics *dynamics, double *M) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  flg_wide_composite nothing, sum;
  memset(&nothing, 0, sizeof nothing);
  sum = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].branch = nothing;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    if (slots[i] != FLG_CHAIN_SLOT)
      sum = slots[i] < 0 ? nothing : dynamics->handles[slots[i]].branch;
    const flg_wide_inertia own = flg_wide_inertia_of_link(link, &dynamics->motions[i]);
    sum.mass += link->inertia.mass;
    join_wide(&sum.inertia, &own);
    fill_link(dynamics, i, sum.mass, &sum.inertia, M);
    if (link->parent == FLG_WORLD) continue;
    shift_wide(&sum.inertia, sum.mass, flg_three_load(&dynamics->motions[i].arm.x));
    if (slots[link->parent] == FLG_CHAIN_SLOT) continue;
    flg_wide_composite *upper = &dynamics->handles[slots[link->parent]].branch;
    upper->mass += sum.mass;
    join_wide(&upper->inertia, &sum.inertia);
  }
  flg_dense_mirror(robot->velocity_count, M, robot->velocity_count);
}

void flg_dynamics_mass(flg_dynamics *dynamics, double *M) {
  const size_t n = (size_t)dynamics->robot->velocity_count;
  assert(dynamics->robot->flex_count == 0);
  memset(M, 0, n * n * sizeof *M);
  fill_wide(dynamics, M);
}
