/* Work of joints on the bodies of trees in a step, and how these turn. */
#include <math.h>

#include "parts/trees_inner.h"

/* a link as it moves with the velocities of the dynamics, and its force */
static flg_part_motion motion_of_link(const flg_tree_part *part, int i) {
  const flg_momentum_link *link = &part->links[i];
  const flg_spatial at = flg_dynamics_link_velocity(part->ports.dynamics, i);
  const flg_spatial velocity = flg_spatial_shift_motion(at, link->arm);
  return (flg_part_motion){
      velocity,
      {flg_vec3_scale(velocity.linear, link->mass), flg_sym3_apply(link->turned, velocity.angular)},
      flg_spatial_shift_force(part->forces[i], link->arm)};
}

static void move_tree(const flg_tree_part *part, const double *v) {
  flg_dynamics_move(part->ports.dynamics, part->q, v + part->ports.slice.velocity);
}

void flg_trees_depart(flg_parts *parts, const double *v) {
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    move_tree(part, v);
    for (int i = 0; i < part->robot.link_count; i++) part->left[i] = motion_of_link(part, i);
  }
}

void flg_trees_arrive(const flg_parts *parts, const double *v, double h, flg_part_work *work) {
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    move_tree(part, v);
    for (int i = 0; i < part->robot.link_count; i++) {
      const flg_part_motion end = motion_of_link(part, i);
      flg_part_work_add(work, part->links[i].mass, h, &part->left[i], &end);
    }
  }
}

void flg_trees_turn(flg_parts *parts, double time, double h, const double *before,
                    const double *v) {
  (void)before; /* of another pose: spins are kept */
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    if (part->ports.port_count == 0) continue; /* nothing holds it that may be nearly singular */
    move_tree(part, v);
    for (int i = 0; i < part->robot.link_count; i++) {
      const flg_vec3 spin = flg_dynamics_link_velocity(part->ports.dynamics, i).angular;
      const flg_vec3 change = flg_vec3_subtract(spin, part->spins[i]);
      part->spins[i] = spin;
      if (!isnan(change.x)) flg_spin_changes_add(&part->spin_changes[i], time, h, change, spin);
    }
  }
}

/* of the link that turned back most, for its own speed */
const flg_spin_changes *flg_trees_spin_changes(const flg_parts *parts, int part) {
  const flg_tree_part *of = flg_tree_of(parts, part);
  const flg_spin_changes *worst = &of->spin_changes[0];
  for (int i = 1; i < of->robot.link_count; i++) {
    const flg_spin_changes *own = &of->spin_changes[i];
    if (own->back * worst->most > worst->back * own->most) worst = own;
  }
  return worst;
}
