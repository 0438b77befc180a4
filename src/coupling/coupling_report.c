/* Reports of interfaces in a macro step, and the check for divergence. */
#include <math.h>

#include "coupling/coupling_inner.h"
#include "interface/port_yield.h"
#include "math/larger.h"

enum { PORT_ROWS = 6 };

/* over so many times the usual energy nothing is left but to stop */
static const double RUNAWAY = 1e3;
/* macro steps in which the fastest motions that they resolve pass the length of their model */
static const double CROSSING = 2;
/* times the length of the whole: a model is not longer, or what it yields to turns is rounding */
static const double LONGEST = 1e5;

const flg_interface_report *flg_coupling_report(const flg_coupling *coupling, int interface) {
  return &coupling->reports[interface];
}

const flg_interface *flg_coupling_worst(const flg_coupling *coupling) {
  int found = 0;
  for (int k = 1; k < coupling->system.interface_count; k++) {
    const double most = coupling->reports[found].pose_error;
    if (flg_exceeds(coupling->reports[k].pose_error, most)) found = k;
  }
  return &coupling->system.interfaces[found];
}

/* --- reports ------------------------------------------------------------------------------------
 */

/* on the second end, by H; after reconciliation both sides have the same */
static flg_spatial interface_force(const flg_coupling *coupling, const flg_interface *interface) {
  const flg_interface_end *first = &interface->end[0], *second = &interface->end[1];
  if (!flg_interface_has_ends(interface)) { /* a gear has no frame */
    return (flg_spatial){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
  }
  flg_spatial impulse;
  if (second->subsystem >= 0) {
    const int by = second->subsystem, row = PORT_ROWS * second->port;
    impulse = flg_spatial_add(flg_spatial_load(coupling->macro_runs[by].sum + row),
                              flg_spatial_load(coupling->shares[by] + row));
  } else {
    impulse = flg_spatial_load(coupling->macro_runs[first->subsystem].counter_sum +
                               PORT_ROWS * first->port);
  }
  return flg_spatial_scale(impulse, 1 / coupling->system.macro);
}

static void report(flg_coupling *coupling, int index) {
  const flg_interface *interface = &coupling->system.interfaces[index];
  flg_interface_report *to = &coupling->reports[index];
  *to = (flg_interface_report){.force = interface_force(coupling, interface)};
  double energy = -flg_coupling_elements_work(coupling, index);
  for (int e = 0; e < flg_interface_spots(interface); e++) {
    const flg_interface_end *end = flg_interface_spot(interface, e);
    if (end->subsystem < 0) continue;
    const flg_macro_run *macro_run = &coupling->macro_runs[end->subsystem];
    for (int i = 0; i < PORT_ROWS; i++) energy += macro_run->work[PORT_ROWS * end->port + i];
  }
  double open[2];
  flg_interface_openings(interface, coupling->system.subsystems, open);
  to->pose_error = open[0], to->turn_error = open[1];
  to->energy = fabs(energy);
  coupling->balance.gain += energy;
}

/* impulses of the whole on the second end; what acts on the first is the opposite, elsewhere */
static flg_spatial projection_of(const flg_coupling *coupling, const flg_interface *interface) {
  const int told = interface->end[1].subsystem < 0 ? 0 : 1;
  const flg_interface_end *end = &interface->end[told];
  const double *force = flg_plan_part_view(coupling->whole, end->subsystem).force;
  const flg_spatial impulse = flg_spatial_load(force + PORT_ROWS * end->port);
  if (told == 1) return impulse;
  const flg_subsystem *subsystems = coupling->system.subsystems;
  const flg_vec3 apart =
      flg_vec3_subtract(flg_interface_frame(interface, 1, subsystems).pose.position,
                        flg_interface_frame(interface, 0, subsystems).pose.position);
  return flg_spatial_shift_force(flg_spatial_scale(impulse, -1), apart);
}

void flg_coupling_report_projection(flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.interface_count; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k];
    if (!flg_interface_has_ends(interface)) continue;
    flg_spatial *force = &coupling->reports[k].force;
    *force = flg_spatial_add_scaled(*force, 1 / coupling->system.macro,
                                    projection_of(coupling, interface));
  }
}

void flg_coupling_report_all(flg_coupling *coupling) {
  coupling->balance.gain = 0;
  for (int k = 0; k < coupling->system.interface_count; k++) report(coupling, k);
}

/* --- divergence ---------------------------------------------------------------------------------
 */

/* From the largest yields of all ports, to displacements and to turns: what rounding leaves to a
 * slide, or to a hinge at its port, is less than what others yield. Where nothing turns, or nothing
 * is displaced, interfaces are some way apart. */
double flg_coupling_yield_length(const flg_coupling *coupling) {
  double most[2] = {0, 0};
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    flg_interface_model *model = coupling->reduced[k].model;
    const double *D = flg_interface_model_admittance(model);
    for (int i = 0; i < model->rows; i++) {
      double *to = &most[i % PORT_ROWS / 3];
      *to = flg_larger(*to, D[(size_t)i * ((size_t)model->rows + 1)]);
    }
  }
  const bool is_known = most[0] > 0 && most[1] > 0;
  return is_known ? sqrt(most[0] / most[1]) : flg_coupling_length(coupling);
}

/* Half the largest effective mass of a port, along the mean direction, times the square of a speed:
 * that of a port which passes the length of its model in CROSSING macro steps. Faster motions are
 * not resolved by the macro step, and a system that starts at rest has no other speed of its own.
 * A port that only turns, as a wheel on its axle, turns by a radian in that time.
 */
static double energy_at_ports(const flg_coupling *coupling, int subsystem, double whole) {
  flg_interface_model *model = coupling->reduced[subsystem].model;
  const double *D = flg_interface_model_admittance(model), own = flg_model_length(model, whole);
  const bool is_own = own < LONGEST * whole && own > whole / LONGEST;
  const double length = is_own ? own : whole, rate = 1 / (CROSSING * coupling->system.macro);
  double most = 0;
  for (int k = 0; k < model->rows; k += PORT_ROWS) {
    double yield = 0, turn = 0;
    for (int i = k; i < k + 3; i++) {
      yield += D[i + (size_t)i * (size_t)model->rows] / 3;
      turn += D[i + 3 + (size_t)(i + 3) * (size_t)model->rows] / 3;
    }
    if (yield > FLG_BLOCKED * turn * length * length) {
      most = flg_larger(most, 0.5 * rate * rate * length * length / yield);
    } else if (turn > 0) {
      most = flg_larger(most, 0.5 * rate * rate / turn);
    }
  }
  return most;
}

void flg_coupling_start(flg_coupling *coupling) {
  flg_error error;
  coupling->scale = 0;
  flg_coupling_elements_start(coupling);
  for (int k = 0; k < 2 * coupling->system.interface_count; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k / 2];
    coupling->starts[k] = flg_interface_frame(interface, k % 2, coupling->system.subsystems).pose;
  }
  flg_coupling_set_impulse_step(coupling, false);
  if (flg_coupling_reduce(coupling, 0, 0, &error) != FLG_OK) return; /* the first step will say */
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    coupling->scale += fabs(subsystem->ops->energy(subsystem->self)) +
                       energy_at_ports(coupling, k, flg_coupling_yield_length(coupling));
  }
  coupling->scale += fabs(flg_coupling_energy(coupling));
}

double flg_coupling_usual_energy(const flg_coupling *coupling) {
  return coupling->scale;
}

flg_status flg_coupling_judge(const flg_coupling *coupling, double time, double energy,
                              flg_error *error) {
  if (coupling->system.interface_count == 0 || fabs(energy) <= RUNAWAY * coupling->scale) {
    return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "Coupling '%s' diverged at t = %.6g s, at interface '%s': the energy is %.3g J, "
                  "where %.3g J are usual. Try a smaller macro step, or another scheme.",
                  coupling->options.scheme->name, time, flg_coupling_worst(coupling)->name, energy,
                  coupling->scale);
}
