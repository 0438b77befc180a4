/* judgement.c - signs at the end of a run that put its results in doubt: contacts that were not
 * solved, energy that nothing explains, interfaces that drifted, signals that grew of rounding.
 */
#include <math.h>

#include "cosim/simulation.h"
#include "math/larger.h"

/* of the impulses of contacts: more corrections of them put the results in doubt; 0.3 are found
 * where legs bounce, 1 where all subsystems wait for others */
static const double CORRECTED = 0.5;
/* of the same: a single hit that jams decides which way a body goes */
static const double JAMMED = 0.01;
/* of the kinetic energy: interfaces that do more work put the results in doubt */
static const double INTERFACE_WORK = 0.05;
/* of the size of the system, or rad: ends of interfaces that are as far apart are not joined */
static const double DRIFTED = 0.1;
/* of the kinetic energy: changes of energy that nothing explains put the results in doubt; steps of
 * Euler make the energy of springs swing by less */
static const double UNEXPLAINED = 0.5;
/* of the kinetic energy: changes of more than that are no motion of a system that steps as one */
static const double NO_MOTION = 3;
/* ... and of more than that are the rounding of a huge stiffness */
static const double ABSURD = 1e12;
/* [J] of one freedom at room temperature, a constant of nature rather than a size of the model:
 * what starts at rest has no energy of its own to compare with, and less than this is no motion.
 * Only a message depends on it. */
static const double THERMAL = 4e-21;
/* of the energy: a million steps may round by that */
static const double ROUNDED = 1e-10;
/* times the energy at the start: more of it comes of springs that the steps cannot follow */
static const double STIFF_GROWTH = 10;
/* log 1e8: rounding alone has grown over half of the digits, and what moves the mode has grown more
 */
static const double ROUNDING_LOST = 18.4;

/* Steps that were too long for springs from the start may have gone well all the same: springs that
 * let go, bodies that grew heavier. Energy tells. */
static flg_status judge_stiffness(const flg_simulation *simulation, flg_error *error) {
  const flg_energy *energy = &simulation->clock.energy;
  const double most = flg_larger(fabs(energy->least), fabs(energy->most));
  if (!simulation->is_stiff || !(most > STIFF_GROWTH * fabs(energy->initial))) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "Energy went from %.3g J to %.3g J with steps that are too long for springs or "
                  "controllers, as was warned before: take shorter steps, or do as the warning "
                  "says.",
                  energy->initial, energy->final);
}

/* Steps that were not stable for signals from the start have made everything of rounding. */
static flg_status judge_signals(const flg_simulation *simulation, flg_error *error) {
  if (!(simulation->growth * (double)simulation->clock.done > ROUNDING_LOST)) return FLG_OK;
  return flg_fail(
      error, FLG_ERR_UNSOLVED,
      "Steps are not stable for the gains of signals, as was warned before: errors grow "
      "by %.3g in a macro step. Do as the warning says.",
      exp(simulation->growth));
}

static flg_energy_law lesser(flg_energy_law a, flg_energy_law b) {
  return a < b ? a : b;
}

/* Locks and welds take energy; what is set, and springs that are enabled, may bring some. */
static flg_energy_law law_of_event(flg_action action) {
  const bool brings =
      action == FLG_ACTION_SET || action == FLG_ACTION_SET_VELOCITY || action == FLG_ACTION_ENABLE;
  return brings ? FLG_ENERGY_DRIVEN : FLG_ENERGY_FALLS;
}

/* of the whole; programs that open inputs may push, and couplings lose what their models miss */
static flg_energy_law system_energy_law(const flg_simulation *simulation) {
  flg_energy_law law = simulation->coupling == NULL ? FLG_ENERGY_STAYS : FLG_ENERGY_FALLS;
  if (simulation->input_width > 0) return FLG_ENERGY_DRIVEN;
  for (int k = 0; k < simulation->event_count; k++) {
    law = lesser(law, law_of_event(simulation->events[k].action));
  }
  for (int k = 0; k < simulation->subsystem_count; k++) {
    law = lesser(law, flg_subsystem_energy_law(&simulation->subsystems[k]));
  }
  return law;
}

/* a share of the kinetic energy that puts results in doubt, and that motion can have made */
static bool is_in_doubt(double change, double kinetic) {
  return change > UNEXPLAINED * kinetic && change < NO_MOTION * kinetic;
}

/* rounding of energies, or of what is at rest */
static bool is_rounding(const flg_simulation *simulation, double energy) {
  const double whole = fabs(simulation->clock.energy.initial);
  return !(fabs(energy) > fmax(THERMAL, ROUNDED * whole));
}

/* Where nothing drives a system its energy cannot rise, and not fall either where nothing takes of
 * it, however well joints are closed. Potential energy alone may rise: shapes that overlap at the
 * start are lifted apart, and stiff springs stretched for a step, so that the end counts. */
static flg_status judge_motion(const flg_simulation *simulation, flg_error *error) {
  const flg_energy *energy = &simulation->clock.energy;
  const double kinetic = simulation->clock.kinetic;
  if (simulation->coupling != NULL) return FLG_OK; /* judge_coupled_motion does it */
  const flg_energy_law law = system_energy_law(simulation);
  const double rise = energy->final - energy->initial, fall = -rise;
  if (is_rounding(simulation, rise)) return FLG_OK;
  /* beyond all digits nothing is lifted: it is the rounding of a huge stiffness */
  const double all = fmax(kinetic, THERMAL) + fabs(energy->initial);
  const bool is_absurd = kinetic > 0 && rise > ABSURD * all;
  const bool rises = law > FLG_ENERGY_SWINGS && (is_in_doubt(rise, kinetic) || is_absurd);
  const bool falls = law == FLG_ENERGY_STAYS && is_in_doubt(fall, kinetic);
  if (!rises && !falls) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "Energy %s from %.3g J to %.3g J, by %.2g of the kinetic energy, though nothing "
                  "%s it: steps are too long for the motion. Check the results, or take shorter "
                  "ones.",
                  rises ? "rose" : "fell", energy->initial, energy->final, fabs(rise) / kinetic,
                  rises ? "adds to" : "takes of");
}

/* Judges the energy that steps lose, also where dampers and contacts dissipate. Couplings repeat
 * steps. */
static flg_status judge_wear(const flg_simulation *simulation, flg_error *error) {
  const double kinetic = simulation->clock.kinetic;
  if (simulation->coupling != NULL || system_energy_law(simulation) == FLG_ENERGY_DRIVEN)
    return FLG_OK;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *of = &simulation->subsystems[k];
    const double wear = of->ops->wear == NULL ? 0 : of->ops->wear(of->self);
    if (is_rounding(simulation, wear) || !(wear > UNEXPLAINED * kinetic)) continue;
    return flg_fail(error, FLG_ERR_UNSOLVED,
                    "Semi-implicit steps of '%s' took %.3g J where its joints turn, %.2g of the "
                    "kinetic energy: they are too long for the motion. Take shorter ones, or "
                    "'integrator: rattle', which keeps energy.",
                    of->name, wear, wear / kinetic);
  }
  return FLG_OK;
}

static flg_status judge_interfaces(const flg_simulation *simulation, flg_error *error) {
  const flg_simulation_clock *clock = &simulation->clock;
  const flg_coupling *coupling = simulation->coupling;
  const bool is_rough = coupling != NULL && flg_coupling_is_rough(coupling);
  const double most = is_rough ? UNEXPLAINED : INTERFACE_WORK;
  if (!(fabs(clock->gained) > most * clock->kinetic)) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "Interfaces of coupling '%s' %s %.3g J, %.3g of the kinetic energy: its macro "
                  "steps are too long for the motion. Check the results, or take shorter ones.",
                  flg_simulation_coupling(simulation), clock->gained > 0 ? "gave" : "took",
                  fabs(clock->gained), fabs(clock->gained) / clock->kinetic);
}

/* With friction, the contacts of several subsystems may have several answers. Where each subsystem
 * takes those of others for closed, and none its own, communication points alone hold bodies up,
 * and know no friction. */
static flg_status judge_corrections(const flg_simulation *simulation, flg_error *error) {
  const flg_coupling *coupling = simulation->coupling;
  const double share = coupling == NULL ? 0 : flg_coupling_corrected_share(coupling);
  if (!(share > CORRECTED)) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "With coupling '%s', %.0f %% of all contact impulses were found at communication "
                  "points: subsystems do not agree which of their contacts push. Check the "
                  "results, or take 'scheme: sequential' or 'monolithic'.",
                  flg_simulation_coupling(simulation), 100 * share);
}

/* Schemes that bring no poses together let interfaces drift, but not out of each other's reach:
 * a side that yields a billion times as much as the other is none that a model can hold. */
static flg_status judge_openings(const flg_simulation *simulation, flg_error *error) {
  const flg_coupling *coupling = simulation->coupling;
  const double open = coupling == NULL ? 0 : flg_coupling_opening(coupling);
  if (!(open > DRIFTED)) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "With coupling '%s' interface '%s' is open at the end, by %.3g of the size of "
                  "the system or rad. Take shorter macro steps, or 'scheme: monolithic'.",
                  flg_simulation_coupling(simulation), flg_coupling_widest(coupling), open);
}

/* Each subsystem decides with models of the others which of the contacts that friction jams push.
 */
static flg_status judge_jams(const flg_simulation *simulation, flg_error *error) {
  const flg_coupling *coupling = simulation->coupling;
  const double share = coupling == NULL ? 0 : flg_coupling_jammed_share(coupling);
  if (!(share > JAMMED)) return FLG_OK;
  return flg_fail(
      error, FLG_ERR_UNSOLVED,
      "With coupling '%s', %.2g %% of all contact impulses act while friction jams what "
      "slides: the laws of contact have several solutions then, and subsystems may take "
      "another than the whole. Compare with 'scheme: monolithic', or lower the friction "
      "of what is dragged.",
      flg_simulation_coupling(simulation), 100 * share);
}

/* Energy that frozen models add counts at any time, and potential energy, too. */
static flg_status judge_coupled_motion(const flg_simulation *simulation, flg_error *error) {
  const flg_energy *energy = &simulation->clock.energy;
  const flg_coupling *coupling = simulation->coupling;
  const double kinetic = simulation->clock.kinetic;
  const double rise = flg_larger(energy->most - energy->initial, energy->final - energy->least);
  if (coupling == NULL || !(rise > UNEXPLAINED * kinetic)) return FLG_OK;
  if (!flg_coupling_moves(coupling, kinetic)) return FLG_OK; /* rounding */
  if (system_energy_law(simulation) == FLG_ENERGY_DRIVEN) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "With coupling '%s' the energy of the whole grew by %.3g J, %.3g of the kinetic "
                  "energy, though nothing in it gives energy. Take shorter macro steps, or another "
                  "scheme.",
                  flg_simulation_coupling(simulation), rise, rise / kinetic);
}

flg_status flg_simulation_judge(const flg_simulation *simulation, flg_error *error) {
  if (simulation == NULL) return flg_fail(error, FLG_ERR_USAGE, "The simulation is NULL.");
  flg_contact_outcome outcome;
  if (flg_simulation_contacts(simulation, &outcome) && outcome.unsolved > 0) {
    return flg_fail(error, FLG_ERR_UNSOLVED,
                    "%ld contact problems were not solved to the tolerance, the residual is at "
                    "most %.2g: check the results, or take a shorter step.",
                    (long)outcome.unsolved, outcome.residual);
  }
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *of = &simulation->subsystems[k];
    const flg_status status = of->ops->judge == NULL ? FLG_OK : of->ops->judge(of->self, error);
    if (status != FLG_OK) return status;
  }
  flg_status status = judge_stiffness(simulation, error);
  if (status == FLG_OK) status = judge_signals(simulation, error);
  if (status == FLG_OK) status = judge_corrections(simulation, error);
  if (status == FLG_OK) status = judge_jams(simulation, error);
  if (status == FLG_OK) status = judge_interfaces(simulation, error);
  if (status == FLG_OK) status = judge_coupled_motion(simulation, error);
  if (status == FLG_OK) status = judge_openings(simulation, error);
  if (status == FLG_OK) status = judge_motion(simulation, error);
  return status == FLG_OK ? judge_wear(simulation, error) : status;
}
