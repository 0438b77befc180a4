/* The mass matrix by composite bodies. */
#include "dynamics/scratch.h"

static inline flg_inertia inertia_in_world(const flg_link *link, const flg_motion *motion) {
  return (flg_inertia){.mass = link->inertia.mass,
                       .moment = flg_mat3_apply(&motion->rotation, link->inertia.moment),
                       .rotation = flg_sym3_rotate(link->inertia.rotation, &motion->rotation)};
}

static inline flg_inertia add(const flg_inertia *a, const flg_inertia *b) {
  return (flg_inertia){.mass = a->mass + b->mass,
                       .moment = flg_vec3_add(a->moment, b->moment),
                       .rotation = flg_sym3_add(a->rotation, b->rotation)};
}

/* The same inertia about an origin r before: with k = 2 h + m r,
 *     h' = h + m r        I' = I + r.k 1 - (r k^T + k r^T)/2 */
static inline flg_inertia shift(const flg_inertia *inertia, flg_vec3 r) {
  const double m = inertia->mass;
  const flg_vec3 h = inertia->moment, k = flg_vec3_add_scaled(flg_vec3_add(h, h), m, r);
  const double x = r.x * k.x, y = r.y * k.y, z = r.z * k.z;
  const flg_sym3 I = inertia->rotation;
  return (flg_inertia){
      .mass = m,
      .moment = flg_vec3_add_scaled(h, m, r),
      .rotation = {I.xx + (y + z), I.yy + (x + z), I.zz + (x + y),
                   I.xy - 0.5 * (r.x * k.y + r.y * k.x), I.xz - 0.5 * (r.x * k.z + r.z * k.x),
                   I.yz - 0.5 * (r.y * k.z + r.z * k.y)}};
}

static inline flg_spatial apply(const flg_inertia *inertia, flg_spatial motion) {
  const flg_vec3 h = inertia->moment;
  return (flg_spatial){flg_vec3_subtract(flg_vec3_scale(motion.linear, inertia->mass),
                                         flg_vec3_cross(h, motion.angular)),
                       flg_vec3_add(flg_vec3_cross(h, motion.linear),
                                    flg_sym3_apply(inertia->rotation, motion.angular))};
}

/* Column of coordinate k of a link: the force that moves the branch, felt by all ancestors. */
static void fill_column(const flg_dynamics *dynamics, int i, int k, flg_spatial force, double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  for (int last = k; i != FLG_WORLD;) {
    const flg_link *link = &robot->links[i];
    for (int j = link->velocity; j <= last; j++) {
      const double element = flg_spatial_dot(dynamics->coordinates[j].direction, force);
      M[(size_t)j + n * (size_t)k] = M[(size_t)k + n * (size_t)j] = element;
    }
    force = flg_spatial_shift_force(force, flg_vec3_negate(dynamics->motions[i].arm));
    i = link->parent;
    if (i != FLG_WORLD) last = robot->links[i].velocity + robot->links[i].velocity_count - 1;
  }
}

void flg_dynamics_mass_matrix(flg_dynamics *dynamics, double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  for (size_t k = 0; k < n * n; k++) M[k] = 0;
  for (int k = 0; k < dynamics->slot_count; k++) dynamics->composites[k] = (flg_inertia){0};
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int slot = dynamics->slots[i];
    flg_inertia composite = inertia_in_world(link, &dynamics->motions[i]);
    if (slot >= 0) composite = add(&composite, &dynamics->composites[slot]);
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      fill_column(dynamics, i, k, apply(&composite, dynamics->coordinates[k].direction), M);
    }
    if (link->parent == FLG_WORLD) continue;
    flg_inertia *parent = &dynamics->composites[dynamics->slots[link->parent]];
    const flg_inertia felt = shift(&composite, dynamics->motions[i].arm);
    *parent = dynamics->slots[link->parent] == 0 ? felt : add(parent, &felt);
  }
}
