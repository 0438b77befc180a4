/* The balance of energy at interfaces, by which a coupling knows that it has gone wrong.
 *
 * Rigid interfaces neither give energy nor take it: what they do to one side they take from the
 * other. In a macro step they gain
 *
 *     sum (x1.u1 + x2.u2) h    of the impulses on both ends, less the work of elements
 *     sum x.(w + D x/2)        of what the communication point gives to velocities of all
 *
 * at joined ports. What it gives to contacts is left out: legs that share a load in ways of their
 * own have friction that is given back there, and is no more than what it took in the macro step.
 *
 * Models that were frozen miss by some H^3 of it. Where the gain is a share of the kinetic energy,
 * the macro step does not resolve the motion, however well interfaces are closed at its end.
 *
 * Contacts, stops and frictions take energy when they close, and Euler steps lose some whenever
 * they project velocities: there only gains count, and losses make up for gains. Ends of joints
 * that robots hit inside a step change velocities at once, which the sums above take for gains:
 * couplings with such robots are not judged. Those with other robots are, by all steps together:
 * a step in which one lands gains for a while, and is not taken again.
 *
 * Schemes that leave velocities apart gain in every step; there it is only told that they gained
 * more than half of the kinetic energy in all.
 *
 * That is what interfaces do. What frozen models of bodies that bend or touch make up inside of
 * subsystems shows in the energy of the whole alone: where nothing in the system gives energy, it
 * can only fall (simulation.c judges that).
 */
#include <math.h>

#include "coupling/coupling_inner.h"
#include "math/larger.h"

enum { PORT_ROWS = 6 };

/* Of the most kinetic energy so far: a macro step that gains or loses more is too long. */
static const double RESOLVED = 0.002;
/* Of the usual energy: what moves with less kinetic energy is at rest, but for rounding. */
static const double AT_REST = 1e-9;

void flg_balance_build(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  flg_balance *balance = &coupling->balance;
  balance->is_known = system->interface_count > 0;
  balance->is_rough = coupling->options.reconcile != FLG_RECONCILE_BOTH;
  balance->divides = true;
  for (int k = 0; k < system->subsystem_count; k++) {
    const flg_subsystem *subsystem = &system->subsystems[k];
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    const flg_macro_run *macro_run = &coupling->macro_runs[k];
    balance->is_known = balance->is_known && subsystem->ops->kinetic_energy != NULL &&
                        (ops->has_ends == NULL || !ops->has_ends(subsystem->self));
    balance->divides = balance->divides && !ops->has_joint_coordinates;
    balance->is_lossy = balance->is_lossy || flg_touch_ports(subsystem) > 0 ||
                        macro_run->uses_start_rows || macro_run->is_literal ||
                        macro_run->elements.has_limits;
  }
}

void flg_balance_add(flg_coupling *coupling, int subsystem, const double *impulses) {
  flg_interface_model *model = coupling->reduced[subsystem].model;
  const double *w = flg_interface_model_velocity(model);
  const double *D = flg_interface_model_admittance(model);
  const int joined = PORT_ROWS * flg_joined_ports(&coupling->system.subsystems[subsystem]);
  double work = 0;
  for (int j = 0; j < joined; j++) {
    double answer = 0;
    for (int i = 0; i < model->rows; i++) {
      answer += D[i + (size_t)j * (size_t)model->rows] * impulses[i];
    }
    work += impulses[j] * (w[j] + answer / 2);
  }
  coupling->balance.gain += work;
}

bool flg_coupling_moves(const flg_coupling *coupling, double kinetic) {
  return kinetic > AT_REST * coupling->scale;
}

bool flg_balance_is_kept(const flg_coupling *coupling) {
  const flg_balance *balance = &coupling->balance;
  const double off = balance->is_lossy ? balance->gain : fabs(balance->gain);
  const double most = *balance->kinetic;
  const bool is_judged = balance->is_known && balance->divides && !balance->is_rough;
  return !is_judged || !flg_coupling_moves(coupling, most) || !(off > RESOLVED * most);
}

/* Stops inside of subsystems that were hit took what is lost. */
void flg_balance_forgive(flg_coupling *coupling) {
  coupling->balance.gain = flg_larger(coupling->balance.gain, 0);
}

double flg_coupling_gain(const flg_coupling *coupling, double sum, double kinetic) {
  const flg_balance *balance = &coupling->balance;
  if (!balance->is_known) return 0;
  *balance->kinetic = flg_larger(*balance->kinetic, kinetic);
  if (!flg_coupling_moves(coupling, *balance->kinetic)) return sum;
  sum += balance->gain;
  return (balance->is_lossy || balance->is_rough) && sum < 0 ? 0 : sum;
}

bool flg_coupling_is_rough(const flg_coupling *coupling) {
  return coupling->balance.is_rough;
}
