/* Steps that do not resolve a motion: rigid joints did work in them.
 *
 *     x = p+ - p - h (f + f+) / 2         impulse of the joints on a body
 *     E = sum of x . (v + v+) / 2         their work: of order h^3, or the step is too long
 *
 * A four-bar whose lengths differ little from those of a change point turns over there within a
 * time that may be shorter than a step. Its energy is then wrong, whatever the integrator.
 */
#include <math.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_inner.h"

/* A step in which joints do more of the kinetic energy does not resolve the motion: one of a
 * rotation by 0.2 rad does 1e-3 of it. */
static const double RESOLVED = 0.01;
/* Where less of the kinetic energy is left than there was before, this share of that counts. */
static const double AT_REST = 1e-3;

/* The same of many steps, of which each does less, as a share of the most kinetic energy. */
static const double DRIFTED = 0.02;

/* what else works on bodies is not told apart from joints */
static bool is_judged(const flg_assembly *assembly) {
  return assembly->robot_count == 0 && assembly->touch == NULL && assembly->rigid_count > 0 &&
         assembly->closing_count == assembly->rigid_count && assembly->outlet_count == 0;
}

static flg_spatial velocity_of(const flg_assembly *assembly, int index) {
  return flg_spatial_load(assembly->v + FLG_BODY_VELOCITIES * index);
}

static flg_spatial momentum_of(const flg_assembly *assembly, int index) {
  const flg_spatial velocity = velocity_of(assembly, index);
  return (flg_spatial){flg_vec3_scale(velocity.linear, assembly->solids[index].mass),
                       flg_sym3_apply(assembly->motions[index].inertia, velocity.angular)};
}

void flg_assembly_depart(flg_assembly *assembly) {
  if (!is_judged(assembly)) return;
  for (int k = 0; k < assembly->solid_count; k++) {
    flg_solid_motion *motion = &assembly->motions[k];
    motion->start = momentum_of(assembly, k);
    motion->left = velocity_of(assembly, k);
    motion->pushed = motion->force;
  }
}

static double product(flg_spatial a, flg_spatial b) {
  return flg_vec3_dot(a.linear, b.linear) + flg_vec3_dot(a.angular, b.angular);
}

static void note(flg_passages *passages, double time, double work, double scale) {
  const double share = fabs(work) / scale;
  passages->sum += work;
  if (share > RESOLVED) passages->count++, passages->worst = fmax(passages->worst, share);
  const bool drifts = fabs(passages->sum) > DRIFTED * passages->kinetic;
  if (drifts) passages->most = fmax(passages->most, fabs(passages->sum));
  if (!(drifts || share > RESOLVED)) return;
  if (!passages->is_noted) passages->first = time;
  passages->is_noted = true;
  passages->changed = true;
}

void flg_assembly_arrive(flg_assembly *assembly, double time, double h) {
  if (!is_judged(assembly)) return;
  double work = 0, before = 0, after = 0, least = 0;
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_solid_motion *motion = &assembly->motions[k];
    const flg_spatial now = momentum_of(assembly, k), velocity = velocity_of(assembly, k);
    const flg_spatial forces = flg_spatial_add(motion->pushed, motion->force);
    const flg_spatial impulse =
        flg_spatial_add_scaled(flg_spatial_subtract(now, motion->start), -h / 2, forces);
    work += product(impulse, flg_spatial_add(motion->left, velocity)) / 2;
    least += flg_vec3_dot(forces.linear, forces.linear) / assembly->solids[k].mass;
    before += product(motion->start, motion->left) / 2;
    after += product(now, velocity) / 2;
  }
  flg_passages *passages = &assembly->passages;
  least *= h * h / 8; /* what forces make of a rest in one step: below it there is only rounding */
  passages->kinetic = fmax(passages->kinetic, fmax(fmax(before, after), least));
  const double scale = fmax(fmax(before, after), fmax(least, AT_REST * passages->kinetic));
  if (scale > 0) note(passages, time, work, scale);
}
