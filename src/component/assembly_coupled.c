#include "component/assembly_coupled.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_inner_friction.h"
#include "assembly/assembly_signals.h"
#include "interface/rigid_block.h"
#include "math/six.h"
#include "math/wide_vectors.h"

/* of the effort of a friction that slips: what rounding leaves of the difference to one that sticks
 */
static const double AT_BOUND = 1e-6;

/* --- looking ------------------------------------------------------------------------------------
 */

static int assembly_outer_ports(const void *self) {
  const flg_assembly *assembly = self;
  return assembly->model.outer_port_count;
}

static flg_moving_frame assembly_frame(const void *self, int port) {
  const flg_assembly *assembly = self;
  const flg_outer_port *outer_port = &assembly->model.outer_ports[port];
  const bool is_seen = assembly->scratch.stamps.outer_port_rates == assembly->scratch.stamps.motion;
  return is_seen ? outer_port->at : flg_part_anchor_frame(&outer_port->anchor);
}

static bool assembly_samples_within(const void *self, double time) {
  const flg_assembly *assembly = self;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->samples_within != NULL && parts->ops->samples_within(parts, time)) return true;
  }
  return assembly->model.signals != NULL;
}

static int assembly_touch_ports(const void *self) {
  const flg_assembly *assembly = self;
  return assembly->model.touch == NULL ? 0 : assembly->model.touch->port_count;
}

static flg_status assembly_outer_contacts(void *self, double time_ahead, const flg_contact **list,
                                          int *count, flg_error *error) {
  flg_assembly *assembly = self;
  *count = 0;
  if (assembly->model.touch == NULL) return FLG_OK;
  const flg_status status = flg_assembly_touch_look(assembly, time_ahead);
  if (status != FLG_OK) return flg_fail(error, status, "%s", assembly->model.touch->error.message);
  *list = flg_contacts_list(assembly->model.touch->contacts, count);
  return FLG_OK;
}

/* --- the model ----------------------------------------------------------------------------------
 */

static bool is_zero(flg_vec3 arm) {
  return arm.x == 0 && arm.y == 0 && arm.z == 0;
}

/* H X^T: forces on a frame are felt at its port as [f; m + arm x f] */
FLG_SMALL void shift_columns(const double *H, int leading, flg_vec3 arm, flg_six columns[3]) {
  const double *x = H + 3 * leading, *y = x + leading, *z = y + leading;
  flg_six_add(arm.z, y, &columns[0]), flg_six_add(-arm.y, z, &columns[0]);
  flg_six_add(arm.x, z, &columns[1]), flg_six_add(-arm.z, x, &columns[1]);
  flg_six_add(arm.y, x, &columns[2]), flg_six_add(-arm.x, y, &columns[2]);
}

/* X H: motions of a port as its frame has them */
static void shift_rows(flg_vec3 arm, double *D, int n) {
  for (int j = 0; j < FLG_PORT_NUMBERS; j++, D += n) {
    flg_vec3_store(flg_vec3_add(flg_vec3_load(D), flg_vec3_cross(flg_vec3_load(D + 3), arm)), D);
  }
}

/* D (leading dimension n) between two frames: X_a H_ab X_b^T */
FLG_WIDE_VECTORS
static void coupled_write_block(const flg_assembly *assembly, const flg_outer_port *first,
                                const flg_outer_port *second, double *D, int n) {
  const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, first->root);
  const double *H = root.admittance + first->row + (size_t)second->row * (size_t)root.rows;
  flg_six columns[FLG_PORT_NUMBERS];
#pragma GCC unroll 6
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) flg_six_load(H + j * root.rows, &columns[j]);
  if (!is_zero(second->arm)) shift_columns(H, root.rows, second->arm, columns);
#pragma GCC unroll 6
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) flg_six_store(&columns[j], D + j * n);
  if (!is_zero(first->arm)) shift_rows(first->arm, D, n);
}

/* D is zero before */
static void write_admittance(const flg_assembly *assembly, double *D) {
  const int count = assembly->model.outer_port_count, n = FLG_PORT_NUMBERS * count;
  const flg_outer_port *outer_ports = assembly->model.outer_ports;
  for (int b = 0; b < count; b++) {
    for (int a = b; a < count; a++) {
      if (outer_ports[a].root != outer_ports[b].root || outer_ports[a].root < 0) continue;
      double *below = D + FLG_PORT_NUMBERS * (a + (size_t)b * (size_t)n);
      coupled_write_block(assembly, &outer_ports[a], &outer_ports[b], below, n);
      if (a == b) {
        flg_rigid_mirror_own(below, n);
      } else {
        flg_rigid_mirror(below, D + FLG_PORT_NUMBERS * (b + (size_t)a * (size_t)n), n);
      }
    }
  }
}

/* A truss does not move, and a slide does not turn, but for rounding: couplings would take that for
 * motion. Each row is judged by X D_part X^T, its D if no joint held the part. */
static bool is_outer_blocked(const flg_outer_port *outer_port, const double *own, int n,
                             int first) {
  const flg_part_anchor *anchor = &outer_port->anchor;
  for (int i = first; i < first + 3; i++) {
    double unit[FLG_PORT_NUMBERS] = {0};
    unit[i] = 1;
    if (i < 3) flg_vec3_store(flg_vec3_cross(outer_port->arm, flg_vec3_load(unit)), unit + 3);
    const double free = anchor->of->ops->mobility(anchor->of, anchor->part, anchor->port, unit);
    if (!(own[(size_t)i * ((size_t)n + 1)] <= FLG_BLOCKED * free)) return false;
  }
  return true;
}

static void clear_blocked_outer(const flg_assembly *assembly, double *D) {
  if (flg_plan_is_of_wholes(assembly->scratch.plan)) return; /* they are free */
  const int count = assembly->model.outer_port_count, n = FLG_PORT_NUMBERS * count;
  for (int k = 0; k < count; k++) {
    const flg_outer_port *outer_port = &assembly->model.outer_ports[k];
    const double *own = D + (size_t)(FLG_PORT_NUMBERS * k) * ((size_t)n + 1);
    for (int i = 0; i < FLG_PORT_NUMBERS && outer_port->root >= 0; i += 3) {
      if (is_outer_blocked(outer_port, own, n, i)) flg_port_clear(n, D, FLG_PORT_NUMBERS * k + i);
    }
  }
}

/* once for all that ask with these factors */
static void copy_admittance(flg_assembly *assembly, double *D) {
  const size_t n = FLG_PORT_NUMBERS * (size_t)assembly->model.outer_port_count;
  if (assembly->scratch.answers == NULL) {
    write_admittance(assembly, D);
    clear_blocked_outer(assembly, D);
    return;
  }
  if (assembly->scratch.stamps.answers != assembly->scratch.factors.number) {
    memset(assembly->scratch.answers, 0, n * n * sizeof *D);
    write_admittance(assembly, assembly->scratch.answers);
    clear_blocked_outer(assembly, assembly->scratch.answers);
    assembly->scratch.stamps.alone_answers = 0;
  }
  assembly->scratch.stamps.answers = assembly->scratch.factors.number;
  memcpy(D, assembly->scratch.answers, n * n * sizeof *D);
}

/* the acceleration of the frame from that of the port: it swings about it */
static flg_spatial swing_about_port(flg_spatial acceleration, flg_vec3 spin, flg_vec3 arm) {
  flg_spatial moved = flg_spatial_shift_motion(acceleration, arm);
  moved.linear = flg_vec3_add(moved.linear, flg_vec3_cross(spin, flg_vec3_cross(spin, arm)));
  return moved;
}

/* of a frame, as the roots of the plan have it now; swings: and it moves about the port */
static flg_spatial acceleration_of(const flg_assembly *assembly, const flg_outer_port *outer_port,
                                   bool swings) {
  if (outer_port->root < 0) return (flg_spatial){{0}, {0}};
  const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, outer_port->root);
  const flg_vec3 spin = swings ? outer_port->at.velocity.angular : (flg_vec3){0};
  return swing_about_port(flg_spatial_load(root.bias + outer_port->row), spin, outer_port->arm);
}

static void write_velocities(const flg_assembly *assembly, double *w) {
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    flg_spatial_store(assembly->model.outer_ports[k].at.velocity, w + FLG_PORT_NUMBERS * k);
  }
}

static void coupled_write_accelerations(const flg_assembly *assembly, bool swings, double *r) {
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    flg_spatial_store(acceleration_of(assembly, &assembly->model.outer_ports[k], swings),
                      r + FLG_PORT_NUMBERS * k);
  }
}

static void clear_forces(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    assembly->model.outer_ports[k].force = (flg_spatial){{0}, {0}};
  }
}

static bool assembly_uses_start_rows(const void *self) {
  const flg_assembly *assembly = self;
  return assembly->model.options.scheme == FLG_SCHEME_SEMI_IMPLICIT;
}

/* Bodies that fly turn by themselves: nothing pushes them besides gravity and what is given. */
static bool coasts(const void *self) {
  const flg_assembly *assembly = self;
  const struct flg_assembly_model *model = &assembly->model;
  if (!flg_assembly_flies(assembly) || model->force_count > 0 || model->watch_count > 0 ||
      model->motion_count > 0 || model->signals != NULL || assembly->state.limits.count > 0)
    return false;
  for (int k = 0; k < model->set_count; k++) {
    if (!model->sets[k]->ops->floats || model->sets[k]->ops->fly == NULL) return false;
  }
  return true;
}

static void assembly_set_impulse_step(void *self, double h) {
  flg_assembly *assembly = self;
  assembly->scratch.impulse_step = assembly_uses_start_rows(self) ? h : 0;
  assembly->scratch.has_impulse_step = h > 0;
  for (int k = 0; k < assembly->state.limits.count; k++) assembly->state.limits.list[k].let_go = 0;
}

static flg_status coupled_factor(flg_assembly *assembly, bool is_known) {
  flg_status status = FLG_OK;
  if (!is_known || assembly->scratch.mode.is_damped) {
    status = flg_assembly_factor_motion(assembly, assembly->state.q);
  }
  assembly->scratch.mode.is_damped = false;
  return status;
}

/* Factors of impulses; parts have the damping of the step that they are part of in their mass. In
 * no time, forces that friction is bounded by have no impulse, and stops may let go: limits are
 * open. */
static flg_status factor_here(flg_assembly *assembly) {
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.mode.span = 0;
  assembly->state.limits.idle = !assembly->scratch.has_impulse_step,
  assembly->state.limits.joined = assembly->scratch.has_impulse_step;
  const bool is_known = flg_assembly_begin_plain(assembly);
  assembly->scratch.mode.is_damped =
      assembly->scratch.impulse_step > 0 && flg_assembly_resists(assembly);
  for (int k = 0; k < assembly->model.set_count && assembly->scratch.mode.is_damped; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->resist != NULL) parts->ops->resist(parts, assembly->scratch.impulse_step);
  }
  const flg_status status = coupled_factor(assembly, is_known);
  assembly->state.limits.idle = assembly->state.limits.joined = false;
  return status;
}

/* factors, accelerations of all without forces on ports; plain: without what velocities do */
static flg_status factor_for(flg_assembly *assembly, double time, double tau, bool plain) {
  bool is_known = false;
  const bool is_leaping = assembly->scratch.mode.is_coasting; /* its step has begun */
  if (!is_leaping) flg_assembly_sample(assembly, time, tau);
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.mode.span = tau;
  const bool kicks = assembly_uses_start_rows(assembly) || is_leaping;
  assembly->scratch.phase = kicks ? FLG_PHASE_WHOLE : FLG_PHASE_MODEL;
  assembly->state.limits.kick = 1; /* what slips pushes with forces here */
  if (plain) {
    is_known = flg_assembly_begin_plain(assembly);
  } else {
    flg_assembly_begin(assembly);
  }
  if (!is_leaping) flg_signals_begin(assembly, time, tau);
  const bool bends = flg_assembly_bends(assembly) && !is_leaping;
  if (bends) flg_assembly_bend(assembly, tau);
  if (is_leaping) flg_assembly_set_impulse_step(assembly, tau);
  flg_status status = flg_assembly_forces(assembly, time, assembly->state.q, assembly->state.v);
  /* parts then have the damping in their mass, as in the step to come */
  assembly->scratch.mode.is_damped = bends || (kicks && flg_assembly_resists(assembly));
  if (status == FLG_OK) status = coupled_factor(assembly, is_known);
  if (bends) flg_assembly_unbend(assembly);
  if (is_leaping) flg_assembly_set_impulse_step(assembly, 0);
  if (status != FLG_OK) return status;
  return plain ? flg_assembly_accelerate_roots_plain(assembly)
               : flg_assembly_accelerate_roots(assembly);
}

/* the model of bodies that need no plan */
static flg_status reduce_alone(flg_assembly *assembly, double tau, bool plain,
                               flg_interface_model *model) {
  double *r = flg_interface_model_bias(model), sum = 0;
  const double *w = flg_interface_model_velocity(model), *D = flg_interface_model_admittance(model);
  flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
  flg_assembly_see_outer_ports(assembly);
  const flg_plan_member *alone = flg_alone_gather(assembly);
  flg_alone_admittance(assembly, alone, flg_interface_model_admittance(model));
  write_velocities(assembly, flg_interface_model_velocity(model));
  if (tau > 0) {
    flg_alone_accelerate(assembly, alone, r);
  } else {
    memset(r, 0, (size_t)model->rows * sizeof *r);
  }
  if (tau > 0 && !plain) flg_alone_swing(assembly, alone, r);
  for (int i = 0; i < model->rows; i++)
    sum += w[i] + r[i] + D[(size_t)i * (size_t)(model->rows + 1)];
  return isfinite(sum) ? FLG_OK : FLG_ERR_DIVERGED;
}

static flg_status reduce_for(flg_assembly *assembly, double time, double tau, bool plain,
                             flg_interface_model *model) {
  const int n = FLG_PORT_NUMBERS * assembly->model.outer_port_count;
  /* a model that is written whole needs no zeros, if it has had this size before */
  const bool is_alone = flg_assembly_is_alone(assembly), is_cleared = !is_alone || model->rows != n;
  flg_status status = is_cleared ? flg_interface_model_resize(model, n) : FLG_OK;
  if (status != FLG_OK) return status;
  clear_forces(assembly);
  if (is_alone) return reduce_alone(assembly, tau, plain, model);
  status = tau > 0 ? factor_for(assembly, time, tau, plain) : factor_here(assembly);
  if (status != FLG_OK) return status;
  flg_assembly_see_outer_ports(assembly);
  copy_admittance(assembly, flg_interface_model_admittance(model));
  write_velocities(assembly, flg_interface_model_velocity(model));
  if (tau > 0) coupled_write_accelerations(assembly, !plain, flg_interface_model_bias(model));
  return FLG_OK;
}

static flg_status assembly_reduce(void *self, double time, double tau, flg_interface_model *model) {
  return reduce_for(self, time, tau, false, model);
}

static bool leaps(const void *self) {
  const flg_assembly *assembly = self;
  return assembly->model.options.scheme == FLG_SCHEME_RATTLE && assembly->model.touch != NULL;
}

/* where it steps from, or where it kicks: gyroscopic forces belong to free motion there */
static flg_status assembly_model_step(flg_assembly *assembly, double time, double h, bool kicks,
                                      flg_interface_model *model) {
  assembly->scratch.mode.is_coasting = kicks;
  flg_inner_frictions_model(assembly, time, h);
  const flg_status status = reduce_for(assembly, time, h, true, model);
  flg_inner_frictions_end(assembly);
  assembly->scratch.mode.is_coasting = false;
  return status;
}

static flg_status assembly_reduce_plain(void *self, double time, double tau,
                                        flg_interface_model *model) {
  return assembly_model_step(self, time, tau, false, model);
}

/* accelerations of ports in free motion */
static flg_status find_free_motion(flg_assembly *assembly, double h, double *to) {
  clear_forces(assembly);
  assembly->scratch.kick = assembly->scratch.horizon = h;
  assembly->scratch.phase = FLG_PHASE_COAST;
  assembly->scratch.mode.is_forceless = true;
  flg_assembly_begin(assembly);
  flg_assembly_unload(assembly);
  flg_status status = flg_assembly_gather(assembly, 0, assembly->state.q, assembly->state.v);
  if (status == FLG_OK)
    status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = flg_assembly_accelerate_roots(assembly);
  assembly->scratch.mode.is_forceless = false;
  if (status != FLG_OK) return status;
  flg_assembly_see_outer_ports(assembly);
  coupled_write_accelerations(assembly, true, to);
  return FLG_OK;
}

static flg_status assembly_reduce_kick(void *self, double time, double h,
                                       flg_interface_model *model, double *velocity_bias) {
  const flg_status status = find_free_motion(self, h, velocity_bias);
  return status == FLG_OK ? assembly_model_step(self, time + h / 2, h, true, model) : status;
}

/* r, less the accelerations with joints that ask for G a = 0 */
static flg_status assembly_velocity_bias(void *self, double *to) {
  flg_assembly *assembly = self;
  flg_assembly_see_outer_ports(assembly);
  if (flg_assembly_is_alone(assembly)) {
    memset(to, 0, FLG_PORT_NUMBERS * (size_t)assembly->model.outer_port_count * sizeof *to);
    flg_alone_swing(assembly, flg_alone_gather(assembly), to);
    return FLG_OK;
  }
  coupled_write_accelerations(assembly, true, to);
  const flg_status status = flg_assembly_accelerate_roots_plain(assembly);
  for (int k = 0; k < assembly->model.outer_port_count && status == FLG_OK; k++) {
    double plain[FLG_PORT_NUMBERS];
    flg_spatial_store(acceleration_of(assembly, &assembly->model.outer_ports[k], false), plain);
    for (int i = 0; i < FLG_PORT_NUMBERS; i++) to[FLG_PORT_NUMBERS * k + i] -= plain[i];
  }
  return status;
}

static void coupled_set_forces(flg_assembly *assembly, double h, const double *impulses) {
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    const flg_spatial impulse = flg_spatial_load(impulses + FLG_PORT_NUMBERS * k);
    assembly->model.outer_ports[k].force = flg_spatial_scale(impulse, 1 / h);
  }
}

static flg_status assembly_coupled_leap(void *self, double time, double h, int index,
                                        flg_error *error) {
  const flg_status status = flg_assembly_leap_or_say(self, time, h, index, error);
  flg_assembly *assembly = self;
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  return status;
}

static flg_status coupled_push(void *self, double time, double h, int index, const double *impulses,
                               flg_error *error) {
  flg_assembly *assembly = self;
  coupled_set_forces(assembly, h, impulses);
  const flg_status status = leaps(self)
                                ? flg_assembly_land_or_say(assembly, time, h, index, error)
                                : flg_assembly_advance_or_say(assembly, time, h, index, 1, error);
  clear_forces(assembly);
  assembly->scratch.inner.is_modelled = false;
  flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
  return status;
}

/* True if a friction that slips in the model sticks in the step, with the effort that it has when
 * it slips: both move alike. So it is where interfaces hold the coordinate: whether it slips or
 * sticks then is a matter of rounding. */
static bool sticks_at_bound(const flg_assembly *assembly, int index, const flg_limit_state *model,
                            double h) {
  const flg_limit *limit = &assembly->state.limits.list[index];
  if (limit->stop >= 0 || model->mode == 0 || assembly->state.limits.states[index].mode != 0)
    return false;
  const int way = model->mode > 0 ? 1 : -1;
  const flg_component_friction *friction = &assembly->model.component->frictions[limit->friction];
  const double bound = h * flg_friction_bound_in_motion(friction, model->load, way, 0);
  const double impulse = assembly->model.row_sets[limit->row_set].view.reactions[0];
  return fabs(impulse + way * bound) <= AT_BOUND * bound;
}

/* Frictions that stick, slip or turn in the step otherwise than in the model are so from now on. */
static bool adopt(flg_assembly *assembly, const flg_limit_state *model, double h) {
  const flg_limits *limits = &assembly->state.limits;
  bool agrees = true;
  for (int k = 0; k < limits->count; k++) {
    const bool is_stop = limits->list[k].stop >= 0;
    const bool is_other = limits->states[k].mode != model[k].mode;
    if (is_stop && !(is_other && limits->states[k].mode == 0)) limits->states[k] = model[k];
    if (sticks_at_bound(assembly, k, &model[k], h)) limits->states[k] = model[k];
    agrees = agrees && limits->states[k].mode == model[k].mode;
  }
  return agrees;
}

static bool assembly_agrees(void *self, double time, double h, int index, const double *impulses) {
  flg_assembly *assembly = self;
  const flg_limits *limits = &assembly->state.limits;
  if (!assembly_uses_start_rows(self) && !leaps(self)) return true;
  if (limits->count == 0 && assembly->scratch.inner.count == 0) return true;
  flg_contacts *touching = assembly->model.touch == NULL ? NULL : assembly->model.touch->contacts;
  flg_contacts_totals totals = {0};
  if (touching != NULL) totals = flg_contacts_take_totals(touching);
  memcpy(limits->before, limits->states, (size_t)limits->count * sizeof *limits->states);
  coupled_set_forces(assembly, h, impulses);
  const flg_status status =
      (leaps(self) ? flg_assembly_try_kick : flg_assembly_try_push)(assembly, time + index * h, h);
  clear_forces(assembly);
  if (touching != NULL) flg_contacts_put_totals(touching, totals);
  if (status == FLG_OK) {
    const bool limits_agree = adopt(assembly, limits->before, h);
    return flg_inner_frictions_agree(assembly) && limits_agree;
  }
  memcpy(limits->states, limits->before, (size_t)limits->count * sizeof *limits->states);
  return true; /* the step will say */
}

/* modes of limits stand in the state */
static int assembly_loosen(void *self, const double *after, double *before) {
  const flg_assembly *assembly = self;
  const flg_limits *limits = &assembly->state.limits;
  const ptrdiff_t at = (const double *)(const void *)limits->states - assembly->state.numbers;
  const size_t numbers = sizeof(flg_limit_state) / sizeof(double);
  int count = 0;
  for (int k = 0; k < limits->count; k++) {
    flg_limit_state was, is;
    memcpy(&was, before + at + (ptrdiff_t)(numbers * (size_t)k), sizeof was);
    memcpy(&is, after + at + (ptrdiff_t)(numbers * (size_t)k), sizeof is);
    const bool is_stop = limits->list[k].stop >= 0;
    if (!is_stop && is.mode == 0) is.mode = limits->list[k].let_go; /* it sticks again by now */
    if (is_stop ? !(was.mode != 0 && is.mode == 0) : !(was.mode == 0 && is.mode != 0)) continue;
    if (limits->list[k].damps) continue;
    was.mode = is.mode;
    memcpy(before + at + (ptrdiff_t)(numbers * (size_t)k), &was, sizeof was);
    count++;
  }
  return count;
}

static long assembly_blows(const void *self) {
  return ((const flg_assembly *)self)->state.limits.blows;
}

/* --- at once ------------------------------------------------------------------------------------
 */

/* forces on the frames, as the roots of the plan see them */
static flg_status push_roots(flg_assembly *assembly, const double *x) {
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    const flg_outer_port *outer_port = &assembly->model.outer_ports[k];
    if (outer_port->root < 0) continue;
    const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, outer_port->root);
    double at_port[FLG_PORT_NUMBERS];
    flg_spatial_store(flg_spatial_shift_force(flg_spatial_load(x + FLG_PORT_NUMBERS * k),
                                              flg_vec3_negate(outer_port->arm)),
                      at_port);
    for (int i = 0; i < FLG_PORT_NUMBERS; i++) root.force[outer_port->row + i] += at_port[i];
  }
  return FLG_OK;
}

/* velocities under impulses, from those that there were */
static flg_status solve_impulse(flg_assembly *assembly, const double *from,
                                const double *impulses) {
  if (flg_assembly_is_alone(assembly)) {
    flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
    return flg_alone_push(assembly, from, impulses, assembly->state.v);
  }
  flg_status status = factor_here(assembly);
  if (status != FLG_OK) return status;
  flg_assembly_see_outer_ports(assembly);
  assembly->state.limits.idle = !assembly->scratch.has_impulse_step,
  assembly->state.limits.joined = assembly->scratch.has_impulse_step;
  status = flg_assembly_solve_under(assembly, from, (flg_aim){.rate = 1}, push_roots, impulses,
                                    assembly->state.v);
  assembly->state.limits.idle = assembly->state.limits.joined = false;
  return status;
}

/* Impulses that project velocities onto interfaces are those by which they turn what is joined: a
 * part of the step, in which frictions hold no more than they can, and stops do not pull. */
static flg_status solve_and_judge(flg_assembly *assembly, const double *impulses) {
  double *from = assembly->state.limits.from;
  const bool judges = assembly->scratch.impulse_step > 0 && assembly->state.limits.count > 0;
  if (!judges) return solve_impulse(assembly, assembly->state.v, impulses);
  memcpy(from, assembly->state.v, (size_t)assembly->model.velocity_count * sizeof *from);
  flg_status status = solve_impulse(assembly, from, impulses);
  while (status == FLG_OK && flg_limits_reopen(assembly, assembly->scratch.impulse_step)) {
    status = solve_impulse(assembly, from, impulses);
  }
  if (status == FLG_OK) flg_limits_add(assembly);
  return status;
}

static flg_status assembly_impulse(void *self, const double *impulses) {
  flg_assembly *assembly = self;
  flg_status status = solve_and_judge(assembly, impulses);
  /* what joints and motions do about them is part of their forces */
  if (status == FLG_OK && assembly->scratch.has_impulse_step) flg_watch_note(assembly, 1, 0.5, 0.5);
  if (status == FLG_OK) status = flg_assembly_take_velocities(assembly);
  flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
  if (status == FLG_OK && !assembly->scratch.has_impulse_step && assembly->state.limits.count > 0) {
    flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
    flg_limits_start(assembly); /* what sticks or slips from now on */
  }
  return status;
}

static bool assembly_bears(void *self, double h, const double *impulses) {
  flg_assembly *assembly = self;
  if (assembly->state.limits.count == 0 || factor_here(assembly) != FLG_OK) return true;
  flg_assembly_see_outer_ports(assembly);
  assembly->state.limits.joined = true;
  const flg_status status = flg_assembly_solve_under(
      assembly, NULL, (flg_aim){.rate = 1}, push_roots, impulses, assembly->scratch.stage_v);
  assembly->state.limits.joined = false;
  return status != FLG_OK || flg_limits_bear(assembly, h);
}

static bool assembly_releases(void *self, const double *impulses) {
  flg_assembly *assembly = self;
  const double h = assembly->scratch.impulse_step;
  if (!(h > 0) || !flg_limits_push_back(assembly)) return false;
  if (impulses == NULL) return true;
  if (factor_here(assembly) != FLG_OK) return false;
  flg_assembly_see_outer_ports(assembly);
  assembly->state.limits.joined = true;
  const flg_status status =
      flg_assembly_solve_under(assembly, assembly->state.v, (flg_aim){.rate = 1}, push_roots,
                               impulses, assembly->scratch.stage_v);
  assembly->state.limits.joined = false;
  return status == FLG_OK && flg_limits_release(assembly, h);
}

static flg_status solve_displacement(flg_assembly *assembly, const double *x, double *moved) {
  if (flg_assembly_is_alone(assembly)) {
    flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
    return flg_alone_push(assembly, NULL, x, moved);
  }
  const flg_status status = factor_here(assembly);
  if (status != FLG_OK) return status;
  flg_assembly_see_outer_ports(assembly);
  return flg_assembly_solve_under(assembly, NULL, (flg_aim){0}, push_roots, x, moved);
}

static flg_status coupled_displace(void *self, const double *x) {
  flg_assembly *assembly = self;
  double *moved = assembly->scratch.stage_v;
  const flg_status found = solve_displacement(assembly, x, moved);
  if (found != FLG_OK) return found;
  flg_assembly_displace(assembly, assembly->state.q, moved, 1, assembly->state.q);
  const flg_status status =
      flg_assembly_project(assembly, assembly->state.q, assembly->state.v, NULL);
  flg_assembly_carry(assembly);
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  flg_assembly_keep_angles(assembly);
  return status;
}

static bool is_rigid(const void *self) {
  const flg_assembly *assembly = self;
  return assembly->model.part_count == 1 && assembly->model.force_count == 0 &&
         flg_assembly_is_loose(assembly);
}

const flg_coupled_ops flg_assembly_coupled_ops = {.ports = assembly_outer_ports,
                                                  .frame = assembly_frame,
                                                  .reduce = assembly_reduce,
                                                  .reduce_plain = assembly_reduce_plain,
                                                  .velocity_bias = assembly_velocity_bias,
                                                  .uses_start_rows = assembly_uses_start_rows,
                                                  .leaps = leaps,
                                                  .leap = assembly_coupled_leap,
                                                  .reduce_kick = assembly_reduce_kick,
                                                  .coasts = coasts,
                                                  .is_rigid = is_rigid,
                                                  .samples_within = assembly_samples_within,
                                                  .touch_ports = assembly_touch_ports,
                                                  .contacts = assembly_outer_contacts,
                                                  .push = coupled_push,
                                                  .agrees = assembly_agrees,
                                                  .loosen = assembly_loosen,
                                                  .blows = assembly_blows,
                                                  .bears = assembly_bears,
                                                  .releases = assembly_releases,
                                                  .set_impulse_step = assembly_set_impulse_step,
                                                  .impulse = assembly_impulse,
                                                  .displace = coupled_displace};
