/* Signals in a step: how their continuous states advance, and what motors do meanwhile. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_signals.h"

/* hR/L below which the stages of rk4 know the impulse of a motor as well as the formula for it */
static const double SLOW = 0.01;

/* --- functions of h ----------------------------------------------------------------------------
 */

/* over the kick of the scheme, which is the step or its half: effort = preload - damping w+ */
static const double (*kick_of(const flg_assembly *assembly, const flg_running_motor *own))[4] {
  const flg_decay *decay = &assembly->model.signals->decays[own->decay];
  return assembly->scratch.kick < assembly->model.signals->h ? decay->half : decay->whole;
}

static double motors_damping_of(const flg_assembly *assembly, const flg_running_motor *own) {
  const flg_motor *motor = own->motor;
  if (own->row_set < 0) return 0;
  const double answer =
      own->state < 0 ? 1 / motor->resistance : kick_of(assembly, own)[2][0] / motor->inductance;
  return motor->torque_constant * motor->back_emf * answer;
}

static void motors_prepare(flg_assembly *assembly, double h) {
  flg_signals *signals = assembly->model.signals;
  for (int k = 0; k < signals->decay_count && signals->h != h; k++) {
    flg_decay_prepare(&signals->decays[k], h);
  }
  signals->h = h;
  for (int k = 0; k < signals->motor_count; k++) {
    signals->motors[k].law[1] = motors_damping_of(assembly, &signals->motors[k]);
  }
}

/* to += M x */
static void add_decay_product(const flg_decay *decay, const double M[4], const double *x,
                              double *to) {
  const int n = decay->count;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) to[decay->first + i] += M[i + j * n] * x[decay->first + j];
  }
}

/* s' = e^(hA) s + h phi_1 N, over the whole step or its half */
static void motors_drift(const flg_signals *signals, bool whole, const double *s,
                         const double *rest, double *to) {
  memset(to, 0, (size_t)signals->state_count * sizeof *to);
  for (int k = 0; k < signals->decay_count; k++) {
    const flg_decay *decay = &signals->decays[k];
    const double(*phi)[4] = whole ? decay->whole : decay->half;
    add_decay_product(decay, phi[0], s, to);
    add_decay_product(decay, phi[1], rest, to);
  }
}

/* --- Runge-Kutta -------------------------------------------------------------------------------
 */

/* the states of the next stage, or of the end of the step */
static void advance_motor_stage(flg_signals *signals) {
  double *const *rest = signals->rest, **stage = signals->stage, *twice = signals->stage[3];
  const int n = signals->state_count;
  switch (signals->now) {
    case 0:
    case 1:
      motors_drift(signals, false, signals->state, rest[signals->now], stage[signals->now + 1]);
      break;
    case 2:
      for (int i = 0; i < n; i++) twice[i] = 2 * rest[2][i] - rest[0][i];
      motors_drift(signals, false, stage[1], twice, stage[0]);
      memcpy(stage[3], stage[0], (size_t)n * sizeof **stage);
      break;
    default:
      memset(stage[0], 0, (size_t)n * sizeof **stage);
      for (int k = 0; k < signals->decay_count; k++) {
        const flg_decay *decay = &signals->decays[k];
        add_decay_product(decay, decay->whole[0], signals->state, stage[0]);
        add_decay_product(decay, decay->weight[0], rest[0], stage[0]);
        add_decay_product(decay, decay->weight[1], rest[1], stage[0]);
        add_decay_product(decay, decay->weight[1], rest[2], stage[0]);
        add_decay_product(decay, decay->weight[2], rest[3], stage[0]);
      }
      break;
  }
}

/* The current that a stage stands for. That of the last makes up the impulse of the step, which
 * follows from the integral of L i' = V - R i - ke w. */
static double stage_current(const flg_signals *signals, const flg_running_motor *own,
                            double current) {
  const int at = own->state;
  if (at < 0 || signals->now < 3) return current;
  const double decay = own->motor->resistance / own->motor->inductance, h = signals->h;
  if (!(decay * h > SLOW)) return current;
  double *const *rest = signals->rest;
  const double sum = (rest[0][at] + 2 * (rest[1][at] + rest[2][at]) + rest[3][at]) / 6;
  const double mean = (sum - (signals->stage[0][at] - signals->state[at]) / h) / decay;
  return 6 * mean - own->current_sum;
}

static void drive_stage(flg_signals *signals, flg_running_motor *own, double current) {
  static const double weights[4] = {1, 2, 2, 1};
  if (signals->now == 0) own->current_sum = 0;
  own->law[0] = own->motor->torque_constant * stage_current(signals, own, current);
  own->current_sum += weights[signals->now] * current;
}

/* --- rattle and semi-implicit ------------------------------------------------------------------
 */

/* the first kick, or the only one */
static void drive_first(const flg_assembly *assembly, flg_running_motor *own, double voltage,
                        double current) {
  const flg_motor *motor = own->motor;
  double mean = voltage / motor->resistance;
  own->start_current = current;
  if (own->state >= 0) {
    const double(*phi)[4] = kick_of(assembly, own);
    mean = phi[1][0] / assembly->scratch.kick * current + phi[2][0] / motor->inductance * voltage;
  }
  own->law[0] = motor->torque_constant * mean;
  own->impulse = assembly->scratch.kick * own->law[0];
}

/* the second kick brings the impulse to that of the whole step */
static void drive_second(const flg_assembly *assembly, flg_running_motor *own, double current) {
  const flg_signals *signals = assembly->model.signals;
  double whole = signals->h * (own->start_current + current) / 2;
  if (own->state >= 0) {
    const flg_decay *decay = &signals->decays[own->decay];
    const double(*phi)[4] = decay->whole;
    const double before = signals->rest[0][own->state], after = signals->rest[3][own->state];
    whole = phi[1][0] * own->start_current +
            signals->h * (phi[2][0] * before + phi[3][0] * (after - before));
  }
  const double left = own->motor->torque_constant * whole - own->impulse;
  own->law[0] =
      left / assembly->scratch.kick + own->law[1] * flg_signals_speed(assembly, own->motor);
}

void flg_signals_kick(flg_assembly *assembly, bool first) {
  const flg_signals *signals = assembly->model.signals;
  for (int k = 0; signals != NULL && k < signals->motor_count; k++) {
    flg_running_motor *own = &signals->motors[k];
    if (own->row_set < 0) continue;
    const flg_row_set *row_set = &assembly->model.row_sets[own->row_set];
    own->impulse = row_set->view.reactions[0] + (first ? 0 : own->impulse);
  }
}

/* --- a step ------------------------------------------------------------------------------------
 */

void flg_signals_begin(flg_assembly *assembly, double time, double h) {
  flg_signals *signals = assembly->model.signals;
  if (signals == NULL) return;
  motors_prepare(assembly, h);
  signals->lost = -1;
  flg_signals_sample(assembly, time);
  signals->now = 0;
}

void flg_signals_enter(flg_assembly *assembly, int stage) {
  if (assembly->model.signals != NULL) assembly->model.signals->now = stage;
}

static void motors_drive(flg_assembly *assembly, int index) {
  flg_signals *signals = assembly->model.signals;
  flg_running_motor *own = &signals->motors[index];
  const double *value = signals->values + signals->first_motor + 3 * index;
  const bool is_middle = signals->now == FLG_SIGNALS_MIDDLE;
  if (assembly->model.options.scheme == FLG_SCHEME_RK4) {
    drive_stage(signals, own, value[0]);
  } else if (signals->now == 0 || is_middle) {
    const bool is_state = is_middle && own->state >= 0;
    drive_first(assembly, own, value[2], is_state ? signals->state[own->state] : value[0]);
  } else {
    drive_second(assembly, own, value[0]);
  }
}

double flg_signals_edge(int stage, double h) {
  static const double edges[4] = {1, 0, 0, -1};
  return FLG_SIGNAL_EDGE * edges[stage] * h;
}

void flg_signals_drive(flg_assembly *assembly, double time) {
  flg_signals *signals = assembly->model.signals;
  if (signals == NULL) return;
  const bool is_rk4 = assembly->model.options.scheme == FLG_SCHEME_RK4;
  const int now = signals->now;
  const double *s = now == 0 ? signals->state : signals->stage[is_rk4 ? now : 1];
  flg_signals_evaluate(assembly, time, flg_signals_edge(now, signals->h), s, signals->rest[now]);
  if (is_rk4) {
    advance_motor_stage(signals);
  } else if (now == 0) {
    motors_drift(signals, true, signals->state, signals->rest[0], signals->stage[1]);
  } else if (now == FLG_SIGNALS_MIDDLE) {
    motors_drift(signals, true, signals->state, signals->rest[1], signals->stage[2]);
  }
  for (int k = 0; k < signals->motor_count; k++) motors_drive(assembly, k);
  const int first = flg_forces_first(assembly->model.component, &flg_effort_kind);
  for (int k = 0; k < signals->effort_count; k++) {
    assembly->model.forces[first + k].force.own[0] = signals->values[signals->first_effort + k];
  }
}

void flg_signals_set_off(flg_assembly *assembly, double time) {
  flg_signals *signals = assembly->model.signals;
  if (signals == NULL) return;
  flg_signals_evaluate(assembly, time, FLG_SIGNAL_EDGE * signals->h, signals->state,
                       signals->rest[0]);
  motors_drift(signals, false, signals->state, signals->rest[0], signals->stage[1]);
  signals->now = FLG_SIGNALS_MIDDLE;
}

/* currents of kicks follow from the impulses that motors had: these know the mean speed */
static void correct_kicked_currents(const flg_assembly *assembly, double *end) {
  const flg_signals *signals = assembly->model.signals;
  for (int k = 0; k < signals->motor_count; k++) {
    const flg_running_motor *own = &signals->motors[k];
    if (own->state < 0 || own->row_set < 0) continue;
    const double speed = (own->law[0] - own->impulse / signals->h) / own->law[1];
    const double voltage = signals->values[signals->first_motor + 3 * k + 2];
    const double rest = (voltage - own->motor->back_emf * speed) / own->motor->inductance;
    end[own->state] +=
        signals->decays[own->decay].whole[1][0] * (rest - signals->rest[1][own->state]);
  }
}

/* currents of semi-implicit steps follow from the speeds at the end */
static void correct_currents(const flg_assembly *assembly, double *end) {
  const flg_signals *signals = assembly->model.signals;
  for (int k = 0; k < signals->motor_count; k++) {
    const flg_running_motor *own = &signals->motors[k];
    const flg_motor *motor = own->motor;
    if (own->state < 0) continue;
    const double voltage = signals->values[signals->first_motor + 3 * k + 2];
    const double speed = flg_signals_speed(assembly, motor);
    const double rest = (voltage - motor->back_emf * speed) / motor->inductance;
    end[own->state] +=
        signals->decays[own->decay].whole[1][0] * (rest - signals->rest[0][own->state]);
  }
}

/* by how much N has changed in a step of rattle */
static void correct_states(const flg_signals *signals, double *end) {
  double *change = signals->stage[2];
  for (int i = 0; i < signals->state_count; i++) {
    change[i] = signals->rest[3][i] - signals->rest[0][i];
  }
  for (int k = 0; k < signals->decay_count; k++) {
    add_decay_product(&signals->decays[k], signals->decays[k].whole[2], change, end);
  }
}

/* the states at the end of the step */
static const double *find_end(flg_assembly *assembly) {
  const flg_signals *signals = assembly->model.signals;
  const flg_scheme scheme = assembly->model.options.scheme;
  const bool is_kick = scheme == FLG_SCHEME_RATTLE && signals->now != 3;
  double *end = signals->stage[scheme == FLG_SCHEME_RK4 ? 0 : is_kick ? 2 : 1];
  if (scheme == FLG_SCHEME_SEMI_IMPLICIT) correct_currents(assembly, end);
  if (is_kick) {
    correct_kicked_currents(assembly, end);
  } else if (scheme == FLG_SCHEME_RATTLE) {
    correct_states(signals, end);
  }
  return end;
}

flg_status flg_signals_end(flg_assembly *assembly) {
  flg_signals *signals = assembly->model.signals;
  if (signals == NULL) return FLG_OK;
  const double *end = find_end(assembly);
  for (int i = 0; i < signals->state_count; i++) {
    signals->state[i] = end[i];
    if (signals->lost < 0 && !isfinite(end[i])) signals->lost = i;
  }
  return signals->lost < 0 ? FLG_OK : FLG_ERR_DIVERGED;
}
