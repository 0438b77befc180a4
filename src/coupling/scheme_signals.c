/* Signals: motion and forces of the last communication points, held over the macro step or
 * continued in a straight line. The first end of an interface takes the motion of the second and
 * gives it forces; the option `causality` turns this round.
 *
 * Of each place that takes forces the state holds the force on it, over the last macro step and
 * over the one before, and its motion at the last point.
 */
#include "coupling/coupling_inner.h"

enum { PORT_ROWS = 6 };

static int end_that_takes_motion(const flg_coupling *coupling, int index) {
  const flg_interface *interface = &coupling->system.interfaces[index];
  int owner = FLG_NO_OWNER;
  for (int k = 0; k < flg_interface_spots(interface); k++) {
    const int next = flg_interface_spot(interface, k)->subsystem;
    if (next >= 0 && (owner < 0 || coupling->options.reverse)) owner = next;
  }
  return owner;
}

/* A stop is hit against the other side as if that did not yield, and the other side gets the
 * whole impulse one macro step later: both bounce off with velocities that no masses have. */
static flg_status signals_check(const flg_coupled_system *system,
                                const flg_coupling_options *options, flg_error *error) {
  return flg_coupling_elements_refuse(system, options->scheme->name, 1u << FLG_ELEMENT_STOP, error);
}

/* the motion of a place at the communication point */
static const double *signals_motion_of(const flg_coupling *coupling, const flg_driven_spot *at) {
  return flg_interface_model_velocity(coupling->reduced[at->subsystem].model) +
         PORT_ROWS * at->port;
}

/* A subsystem that takes motion sees the other as something that moves without yielding. */
static void impose_motion(flg_coupling *coupling, int subsystem, bool extrapolates) {
  flg_macro_run *macro_run = &coupling->macro_runs[subsystem];
  flg_interface_model_resize(macro_run->rest, flg_rest_model_rows(coupling->rests[subsystem]));
  for (const int *k = coupling->spots_from[subsystem]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const double *before = flg_coupling_memory(coupling, at)->motion;
    const double *now = signals_motion_of(coupling, at);
    double *w = flg_interface_model_velocity(macro_run->rest) + at->row;
    double *r = flg_interface_model_bias(macro_run->rest) + at->row;
    for (int i = 0; i < PORT_ROWS; i++) {
      w[i] = now[i];
      if (extrapolates) r[i] = (now[i] - before[i]) / coupling->system.macro;
    }
  }
  flg_coupling_face_frames(coupling, subsystem);
}

static flg_status face_held(flg_coupling *coupling, int subsystem, flg_error *error) {
  (void)error;
  impose_motion(coupling, subsystem, false);
  return FLG_OK;
}

static flg_status face_continued(flg_coupling *coupling, int subsystem, flg_error *error) {
  (void)error;
  impose_motion(coupling, subsystem, flg_coupling_memories(coupling) > 1);
  return FLG_OK;
}

static void signals_remember(flg_coupling *coupling) {
  for (int k = 0; k < coupling->spot_count; k++) {
    const flg_driven_spot *at = &coupling->spots[k];
    const double *impulse = coupling->macro_runs[at->owner].counter_sum + at->row;
    flg_coupling_remember(coupling, at, impulse, signals_motion_of(coupling, at));
  }
  flg_coupling_count_memory(coupling);
}

/* what both have */
#define SIGNALS                                                                             \
  .form = FLG_COUPLING_ADMITTANCE, .reconciles = FLG_RECONCILE_NONE, .pose = FLG_POSE_NONE, \
  .fixed = FLG_FIXED_RECONCILE, .check = signals_check, .has_causality = true,              \
  .owner = end_that_takes_motion, .remember = signals_remember

const flg_coupling_scheme flg_coupling_hold = {
    .name = "hold",
    .help = "for comparison: motion and forces are held over the macro step",
    .face = face_held,
    .drive = flg_coupling_drive_held,
    SIGNALS};

const flg_coupling_scheme flg_coupling_extrapolate = {
    .name = "extrapolate",
    .help = "for comparison: as hold, continued in a straight line from the last two points",
    .face = face_continued,
    .drive = flg_coupling_drive_continued,
    SIGNALS};
