#include <stdio.h>
#include <string.h>

#include "math/larger.h"
#include "mechanism.h"

static const char *const NAMES[FEATURES] = {
    "loop",     "robot",      "contact", "bounce",   "friction",   "stops",        "spring",
    "implicit", "drive",      "gear",    "backlash", "event",      "load",         "interface",
    "soft-cut", "many-touch", "co-sim",  "parallel", "mass-ratio", "ground-joint", "euler",
    "auto",     "cut-loop",   "weld",    "rim",      "slide",      "pile",         "point",
    "bushing",  "beam",       "motion",
};

static int root_of(const int *group, int k) {
  while (group[k] != k) k = group[k];
  return k;
}

/* true if they were apart */
static bool unite(int *group, int a, int b) {
  const int p = root_of(group, a), q = root_of(group, b);
  group[p] = q;
  return p != q;
}

int part_of_joint(const mechanism *machine, int index) {
  const joint *of = &machine->joints[index];
  if (of->between_parts) return -1;
  if (is_coupled(of->kind)) {
    const int drive = part_of_joint(machine, of->end[0]),
              driven = part_of_joint(machine, of->end[1]);
    return drive == driven ? drive : -1;
  }
  const int a = of->end[0] == WORLD ? -1 : machine->bodies[of->end[0]].part;
  const int b = of->end[1] == WORLD ? -1 : machine->bodies[of->end[1]].part;
  return a < 0 ? b : b < 0 || a == b ? a : -1;
}

int part_of_bushing(const mechanism *machine, int index) {
  const int *end = machine->bushings[index].end;
  const int part = machine->bodies[end[1]].part;
  return end[0] == WORLD || machine->bodies[end[0]].part == part ? part : -1;
}

/* loops among bodies and the world (the last node); those that an interface closes */
static unsigned loops_of(const mechanism *machine) {
  int group[BODIES + 1];
  unsigned found = 0;
  for (int k = 0; k <= machine->body_count; k++) group[k] = k;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < machine->joint_count; k++) {
      const joint *of = &machine->joints[k];
      const bool cut = part_of_joint(machine, k) < 0;
      if (is_coupled(of->kind) || cut != (pass == 1)) continue;
      const int a = of->end[0] == WORLD ? machine->body_count : of->end[0];
      const int b = of->end[1] == WORLD ? machine->body_count : of->end[1];
      if (!unite(group, a, b)) found |= HAS_LOOP | (cut ? HAS_CUT_LOOP : 0);
    }
  }
  return found;
}

static unsigned of_joint(const mechanism *machine, int index) {
  const joint *of = &machine->joints[index];
  unsigned found = 0;
  const bool slows = of->limits.coulomb > 0 || of->limits.viscous > 0;
  const bool stops = of->limits.lower < of->limits.upper;
  if (slows) found |= HAS_FRICTION;
  if (stops) found |= HAS_STOPS;
  if (stops && of->limits.restitution > 0) found |= HAS_BOUNCE;
  if (of->stiffness > 0 || of->damping > 0) found |= HAS_SPRING | (of->implicit ? HAS_IMPLICIT : 0);
  if (is_coupled(of->kind)) found |= HAS_GEAR;
  if (of->backlash > 0) found |= HAS_BACKLASH;
  if (part_of_joint(machine, index) < 0) {
    const bool slides = of->kind == PRISMATIC || of->kind == CYLINDRICAL || of->kind == SCREW ||
                        of->kind == PLANAR || of->kind == POINT_ON_LINE || of->kind == DISTANCE;
    found |= HAS_PARTS | (slides ? HAS_SLIDE : 0);
    if (slows || stops || of->stiffness > 0 || of->damping > 0) found |= HAS_SOFT_CUT;
  }
  if (!is_coupled(of->kind) && (of->end[0] == WORLD || of->end[1] == WORLD)) {
    found |= HAS_GROUND_JOINT;
  }
  return found;
}

static unsigned of_bodies(const mechanism *machine) {
  unsigned found = 0;
  double least = HUGE_VAL, most = 0;
  int touching = -1;
  for (int k = 0; k < machine->body_count; k++) {
    const solid *of = &machine->bodies[k];
    least = flg_smaller(least, of->mass), most = flg_larger(most, of->mass);
    found |= (of->point ? HAS_POINT : 0) | (of->modes > 0 ? HAS_BEAM : 0);
    if (!machine->ground || of->shape == NO_SHAPE) continue;
    if (touching >= 0 && touching != of->part) found |= HAS_MANY_TOUCH;
    touching = of->part;
    const double restitution = machine->restitution + of->restitution;
    found |= HAS_CONTACT | (restitution > 0 ? HAS_BOUNCE : 0) | (machine->pile ? HAS_PILE : 0);
    found |= of->shape == CYLINDER ? HAS_RIM : 0;
  }
  return found | (most > 1000 * least ? HAS_RATIO : 0);
}

unsigned features_of(const mechanism *machine) {
  unsigned found = loops_of(machine) | of_bodies(machine);
  for (int k = 0; k < machine->joint_count; k++) found |= of_joint(machine, k);
  for (int k = 0; k < machine->part_count; k++) found |= machine->parts[k].robot ? HAS_ROBOT : 0;
  for (int k = 0; k < machine->spring_count; k++) {
    found |= HAS_SPRING | (machine->springs[k].implicit ? HAS_IMPLICIT : 0);
  }
  for (int k = 0; k < machine->bushing_count; k++) {
    found |= HAS_BUSHING | (machine->bushings[k].implicit ? HAS_IMPLICIT : 0);
    if (part_of_bushing(machine, k) < 0) found |= HAS_PARTS | HAS_SOFT_CUT;
  }
  if (machine->motion_count > 0) found |= HAS_MOTION;
  if (machine->drive_count > 0) found |= HAS_DRIVE;
  if (machine->load_count > 0) found |= HAS_LOAD;
  for (int k = 0; k < machine->event_count; k++) {
    found |= HAS_EVENT | (machine->events[k].kind == JOIN ? HAS_WELD : 0);
  }
  if ((found & HAS_PARTS) && machine->scheme != MONOLITHIC) found |= HAS_COSIMULATION;
  if ((found & HAS_PARTS) && machine->scheme == PARALLEL) found |= HAS_PARALLEL;
  if (machine->integrator == SEMI_IMPLICIT) found |= HAS_SEMI_IMPLICIT;
  if (machine->integrator == AUTO) found |= HAS_AUTO;
  return found;
}

void feature_names(unsigned features, char text[400]) {
  int length = 0;
  text[0] = 0;
  for (int k = 0; k < FEATURES; k++) {
    if (!(features & 1u << k)) continue;
    length +=
        snprintf(text + length, (size_t)(400 - length), "%s%s", length > 0 ? " " : "", NAMES[k]);
  }
}
