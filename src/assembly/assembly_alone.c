/* Bodies that only welds of events hold, and on which nothing acts but gravity, forces on outer
 * ports and contacts: those that are welded are one rigid body, of mass m and inertia I about its
 * centre of mass, and models and steps are closed forms. With r_a from there to port a,
 *
 *     D_ab = X_a diag(1/m, I^-1) X_b^T,   X_a = [1 -[r_a]x; 0 1]        (interface/rigid_block.h)
 *     w_a' = X_a [g; I^-1 (n - w x I w)] + [w x (w x r_a); 0]           g, n: of gravity
 *
 * The plan says the same (assembly_wholes.c), and takes the steps in which contacts are not those
 * that a coupling expects. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "interface/rigid_block.h"
#include "math/wide_vectors.h"

void flg_alone_build(flg_assembly *assembly) {
  const size_t parts = (size_t)assembly->model.part_count;
  if (!assembly->scratch.are_wholes) return;
  flg_region *region = &assembly->model.region;
  assembly->scratch.alone = flg_region_take(region, parts, sizeof *assembly->scratch.alone);
  assembly->scratch.loads = flg_region_take(region, parts, sizeof *assembly->scratch.loads);
  assembly->scratch.pushes = flg_region_take(region, parts, sizeof *assembly->scratch.pushes);
}

static bool acts_nothing_else(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  return model->force_count + model->watch_count + model->motion_count + model->pressure_count ==
             0 &&
         model->signals == NULL && model->inputs.list.count == 0 && model->inputs.tried == NULL &&
         assembly->state.limits.count == 0 && assembly->scratch.inner.count == 0 &&
         (model->touch == NULL || model->touch->ends.count == 0);
}

bool flg_assembly_is_alone(flg_assembly *assembly) {
  return assembly->scratch.alone != NULL && acts_nothing_else(assembly) &&
         flg_assembly_is_of_wholes(assembly);
}

/* --- the bodies ---------------------------------------------------------------------------------
 */

static bool alone_are_known(const flg_assembly *assembly, const int *firsts) {
  const flg_stamps *stamps = &assembly->scratch.stamps;
  if (stamps->alone != stamps->q) return false;
  for (int k = 0; k < assembly->model.part_count; k++) {
    if (assembly->scratch.alone[k].first != firsts[k]) return false;
  }
  return true;
}

/* those at the q that parts are placed at; mass, inertia and load stand in the first of each */
const flg_plan_member *flg_alone_gather(flg_assembly *assembly) {
  flg_plan_member *alone = assembly->scratch.alone;
  flg_spatial *loads = assembly->scratch.loads;
  const flg_parts *parts = assembly->model.sets[0];
  const int *firsts = assembly->state.welds.wholes; /* they are alone by these */
  if (alone_are_known(assembly, firsts)) return alone;
  for (int k = 0; k < parts->count; k++) {
    alone[k].first = firsts[k];
    parts->ops->weigh(parts, k, &alone[k]);
    loads[k] = (flg_spatial){{0}, {0}};
  }
  flg_plan_members_gather(alone, parts->count);
  for (int k = 0; k < parts->count; k++) {
    const flg_vec3 weight = flg_vec3_scale(alone[k].gravity, alone[k].mass);
    flg_spatial *load = &loads[firsts[k]];
    load->linear = flg_vec3_add(load->linear, weight);
    load->angular = flg_vec3_add(load->angular, flg_vec3_cross(alone[k].arm, weight));
  }
  assembly->scratch.stamps.alone = assembly->scratch.stamps.q;
  assembly->scratch.stamps.alone_answers = 0;
  return alone;
}

/* from the centre of mass of its whole to an outer port */
static flg_vec3 alone_arm(const flg_plan_member *alone, const flg_outer_port *port) {
  return flg_vec3_add(alone[port->anchor.part].arm, port->arm);
}

/* of the whole of which `first` is the first, at its centre of mass */
static flg_spatial alone_motion(const flg_plan_member *alone, int first, const double *v) {
  flg_spatial motion = flg_spatial_load(v + FLG_PORT_NUMBERS * first);
  motion.linear = flg_vec3_add(motion.linear, flg_vec3_cross(alone[first].arm, motion.angular));
  return motion;
}

/* what a force at the centre of mass does */
static flg_spatial alone_answer(const flg_plan_member *first, flg_spatial force) {
  return (flg_spatial){flg_vec3_scale(force.linear, first->lightness),
                       flg_sym3_apply(first->yields, force.angular)};
}

/* --- models -------------------------------------------------------------------------------------
 */

/* no port answers to forces on another body, or not at all */
static bool are_ports_on_one(const flg_assembly *assembly, const flg_plan_member *alone) {
  const flg_outer_port *ports = assembly->model.outer_ports;
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    if (ports[k].root < 0 || alone[ports[k].anchor.part].first != alone[ports[0].anchor.part].first)
      return false;
  }
  return true;
}

FLG_WIDE_VECTORS
static void write_alone_admittance(const flg_assembly *assembly, const flg_plan_member *alone,
                                   double *D) {
  const int count = assembly->model.outer_port_count, n = FLG_PORT_NUMBERS * count;
  const flg_outer_port *ports = assembly->model.outer_ports;
  if (!are_ports_on_one(assembly, alone)) memset(D, 0, (size_t)n * (size_t)n * sizeof *D);
  for (int b = 0; b < count; b++) {
    if (ports[b].root < 0) continue;
    const int first = alone[ports[b].anchor.part].first;
    double *own = D + (size_t)(FLG_PORT_NUMBERS * b) * (size_t)(n + 1);
    flg_three turns[FLG_RIGID_ROWS];
    const flg_vec3 arm = alone_arm(alone, &ports[b]);
    flg_rigid_turns(alone[first].yields, arm, turns);
    flg_rigid_block(arm, alone[first].lightness, turns, own, n);
    flg_rigid_mirror_own(own, n);
    for (int a = b + 1; a < count; a++) {
      if (ports[a].root < 0 || alone[ports[a].anchor.part].first != first) continue;
      double *below = own + (size_t)(FLG_PORT_NUMBERS * (a - b));
      flg_rigid_block(alone_arm(alone, &ports[a]), alone[first].lightness, turns, below, n);
      flg_rigid_mirror(below, own + (size_t)(FLG_PORT_NUMBERS * (a - b)) * (size_t)n, n);
    }
  }
}

void flg_alone_admittance(flg_assembly *assembly, const flg_plan_member *alone, double *D) {
  const size_t n = FLG_PORT_NUMBERS * (size_t)assembly->model.outer_port_count;
  double *answers = assembly->scratch.answers;
  flg_stamps *stamps = &assembly->scratch.stamps;
  if (answers == NULL) {
    write_alone_admittance(assembly, alone, D);
    return;
  }
  if (stamps->alone_answers != stamps->q) write_alone_admittance(assembly, alone, answers);
  stamps->alone_answers = stamps->q, stamps->answers = 0;
  memcpy(D, answers, n * n * sizeof *D);
}

void flg_alone_accelerate(flg_assembly *assembly, const flg_plan_member *alone, double *r) {
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    const flg_outer_port *port = &assembly->model.outer_ports[k];
    flg_spatial rate = {{0}, {0}};
    if (port->root >= 0) {
      const int first = alone[port->anchor.part].first;
      rate = alone_answer(&alone[first], assembly->scratch.loads[first]);
      rate = flg_spatial_shift_motion(rate, alone_arm(alone, port));
    }
    flg_spatial_store(rate, r + FLG_PORT_NUMBERS * k);
  }
}

void flg_alone_swing(flg_assembly *assembly, const flg_plan_member *alone, double *t) {
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    const flg_outer_port *port = &assembly->model.outer_ports[k];
    if (port->root < 0) continue;
    flg_spatial rate = {{0}, {0}};
    const flg_plan_member *whole = &alone[alone[port->anchor.part].first];
    const flg_vec3 spin = port->at.velocity.angular, arm = alone_arm(alone, port);
    const flg_vec3 moment = flg_vec3_cross(flg_sym3_apply(whole->resists, spin), spin);
    rate.angular = flg_sym3_apply(whole->yields, moment);
    rate = flg_spatial_shift_motion(rate, arm);
    rate.linear = flg_vec3_add(rate.linear, flg_vec3_cross(spin, flg_vec3_cross(spin, arm)));
    double *to = t + FLG_PORT_NUMBERS * k;
    flg_spatial_store(flg_spatial_add(flg_spatial_load(to), rate), to);
  }
}

/* --- pushes -------------------------------------------------------------------------------------
 */

/* a force on an outer port, among those at the centres of mass */
static void alone_add_force(const flg_plan_member *alone, const flg_outer_port *port,
                            flg_spatial force, flg_spatial *sums) {
  if (port->root < 0) return;
  flg_spatial *sum = &sums[alone[port->anchor.part].first];
  const flg_vec3 back = flg_vec3_negate(alone_arm(alone, port));
  *sum = flg_spatial_add(*sum, flg_spatial_shift_force(force, back));
}

/* the motion of a whole, of which `first` is the first, by that of its centre of mass */
static void alone_spread(const flg_plan_member *alone, int count, int first, flg_spatial motion,
                         double *y) {
  for (int k = first; k < count; k++) {
    if (alone[k].first != first) continue;
    flg_spatial_store(flg_spatial_shift_motion(motion, alone[k].arm), y + FLG_PORT_NUMBERS * k);
  }
}

/* y = from + times the answers to sums */
FLG_WIDE_VECTORS
static void alone_move(const flg_assembly *assembly, const flg_plan_member *alone,
                       const double *from, double times, const flg_spatial *sums, double *y) {
  const int count = assembly->model.part_count;
  for (int k = 0; k < count; k++) {
    if (alone[k].first != k) continue;
    const flg_spatial before =
        from == NULL ? (flg_spatial){{0}, {0}} : alone_motion(alone, k, from);
    const flg_spatial change = alone_answer(&alone[k], sums[k]);
    alone_spread(alone, count, k, flg_spatial_add_scaled(before, times, change), y);
  }
}

static bool are_velocities_finite(const flg_assembly *assembly, const double *v) {
  double sum = 0;
  for (int k = 0; k < assembly->model.velocity_count; k++) sum += v[k];
  return isfinite(sum);
}

flg_status flg_alone_push(flg_assembly *assembly, const double *from, const double *x, double *y) {
  flg_assembly_see_outer_ports(assembly);
  const flg_plan_member *alone = flg_alone_gather(assembly);
  flg_spatial *sums = assembly->scratch.pushes;
  for (int k = 0; k < assembly->model.part_count; k++) sums[k] = (flg_spatial){{0}, {0}};
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    alone_add_force(alone, &assembly->model.outer_ports[k],
                    flg_spatial_load(x + FLG_PORT_NUMBERS * k), sums);
  }
  alone_move(assembly, alone, from, 1, sums, y);
  return are_velocities_finite(assembly, y) ? FLG_OK : FLG_ERR_DIVERGED;
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* v at the end of the step, without contacts */
static void alone_fall(const flg_assembly *assembly, const flg_plan_member *alone, double h,
                       double *v) {
  flg_spatial *sums = assembly->scratch.pushes;
  for (int k = 0; k < assembly->model.part_count; k++) sums[k] = assembly->scratch.loads[k];
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    const flg_outer_port *port = &assembly->model.outer_ports[k];
    alone_add_force(alone, port, port->force, sums);
  }
  alone_move(assembly, alone, assembly->state.v, h, sums, v);
}

/* D of an outer port, where a model was asked for at this state */
static const double *known_admittance(const flg_assembly *assembly, int port) {
  const flg_stamps *stamps = &assembly->scratch.stamps;
  const size_t n = FLG_PORT_NUMBERS * (size_t)assembly->model.outer_port_count;
  if (assembly->scratch.answers == NULL || stamps->alone_answers != stamps->q) return NULL;
  return assembly->scratch.answers + FLG_PORT_NUMBERS * (size_t)port * (n + 1);
}

/* The change of v by an impulse on an outer port (velocities); adds: to what is there. */
static void alone_strike(const flg_assembly *assembly, const flg_plan_member *alone, int index,
                         flg_spatial impulse, bool adds, double *v) {
  const flg_outer_port *port = &assembly->model.outer_ports[index];
  const int first = alone[port->anchor.part].first;
  const flg_vec3 back = flg_vec3_negate(alone_arm(alone, port));
  flg_spatial motion = alone_answer(&alone[first], flg_spatial_shift_force(impulse, back));
  if (adds) motion = flg_spatial_add(motion, alone_motion(alone, first, v));
  alone_spread(alone, assembly->model.part_count, first, motion, v);
}

/* v under contacts, where they are those that a coupling expects; moved (velocities): how they
 * displace bodies, or false in *moves */
static bool alone_touch(flg_assembly *assembly, const flg_plan_member *alone, double *v,
                        double *moved, bool *moves) {
  const flg_assembly_touch *touch = assembly->model.touch;
  flg_foreseen_port at = {.leading = FLG_PORT_NUMBERS * assembly->model.outer_port_count};
  flg_spatial impulse, shift;
  int index;
  *moves = false;
  if (!flg_contacts_foresee(touch->contacts, &index, &impulse)) return false;
  const int port = assembly->model.options.outer_port_count + index;
  if (index >= 0) {
    const double *own = v + FLG_PORT_NUMBERS * assembly->model.outer_ports[port].anchor.part;
    at.before = touch->velocities[index], at.free = flg_spatial_load(own);
    at.admittance = known_admittance(assembly, port);
    alone_strike(assembly, alone, port, impulse, true, v);
    at.after = flg_spatial_load(own);
  }
  if (!flg_contacts_confirm(touch->contacts, index, &at, &shift)) return false;
  *moves = flg_contacts_moves(touch->contacts);
  if (!*moves) return true;
  memset(moved, 0, (size_t)assembly->model.velocity_count * sizeof *moved);
  alone_strike(assembly, alone, port, shift, false, moved);
  return true;
}

/* Welds of bodies that fly as one stay closed but for rounding, which is taken out once a macro
 * step. */
static flg_status alone_finish(flg_assembly *assembly, double h) {
  if (assembly->scratch.is_first) return flg_assembly_finish(assembly, h);
  assembly->scratch.elapsed = assembly->scratch.mode.span = 0;
  assembly->scratch.mode.members = NULL;
  return FLG_OK;
}

bool flg_alone_step(flg_assembly *assembly, double time, double h, flg_status *status) {
  double *q = assembly->state.q, *v = assembly->scratch.stage_v, *moved = assembly->scratch.change;
  bool moves;
  if (!flg_assembly_is_alone(assembly)) return false;
  flg_assembly_place_parts(assembly, q, assembly->state.v);
  *status = flg_assembly_touch_look(assembly, h);
  if (*status != FLG_OK) return true;
  flg_assembly_see_outer_ports(assembly);
  const flg_plan_member *alone = flg_alone_gather(assembly);
  alone_fall(assembly, alone, h, v);
  if (!are_velocities_finite(assembly, v) || !alone_touch(assembly, alone, v, moved, &moves))
    return false;
  if (moves) *status = flg_assembly_forces(assembly, time, q, assembly->state.v);
  memcpy(assembly->state.v, v, (size_t)assembly->model.velocity_count * sizeof *v);
  assembly->scratch.mode.members = flg_welds_are_open(assembly) ? NULL : alone;
  if (*status == FLG_OK) *status = flg_assembly_fly(assembly, h, q, assembly->state.v);
  if (moves && *status == FLG_OK) flg_assembly_shift(assembly, moved, q, assembly->state.v);
  if (*status == FLG_OK) *status = alone_finish(assembly, h);
  return true;
}
