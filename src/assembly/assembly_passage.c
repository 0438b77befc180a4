/* Steps that do not resolve a motion: rigid joints did work in them.
 *
 * Their work in a step (parts/bodies_flight.c) is of order h^3, or the step is too long.
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

/* what else works on parts is not told apart from joints */
static bool is_judged(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->set_count; k++) {
    if (assembly->sets[k]->ops->depart == NULL) return false;
  }
  return assembly->touch == NULL && assembly->rigid_count > 0 && assembly->motion_count == 0 &&
         assembly->closing_count == assembly->rigid_count && assembly->outlet_count == 0;
}

void flg_assembly_depart(flg_assembly *assembly) {
  if (!is_judged(assembly)) return;
  for (int k = 0; k < assembly->set_count; k++) {
    flg_parts *parts = assembly->sets[k];
    parts->ops->depart(parts, assembly->v + parts->velocity);
  }
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

double flg_assembly_joint_work(const flg_assembly *assembly) {
  const flg_passages *passages = &assembly->passages;
  if (!passages->is_noted || !(passages->kinetic > 0)) return 0;
  return fmax(passages->most, fabs(passages->sum)) / passages->kinetic;
}

void flg_assembly_arrive(flg_assembly *assembly, double time, double h) {
  if (!is_judged(assembly)) return;
  flg_part_work work = {0};
  for (int k = 0; k < assembly->set_count; k++) {
    const flg_parts *parts = assembly->sets[k];
    parts->ops->arrive(parts, assembly->v + parts->velocity, h, &work);
  }
  flg_passages *passages = &assembly->passages;
  /* what forces make of a rest in one step: below it there is only rounding */
  const double least = work.least * (h * h / 8), most = fmax(work.before, work.after);
  passages->kinetic = fmax(passages->kinetic, fmax(most, least));
  const double scale = fmax(most, fmax(least, AT_REST * passages->kinetic));
  if (scale > 0) note(passages, time, work.joints, scale);
}
