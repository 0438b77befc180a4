/* telemetry.h - what is known of each interface of a coupled run, and can be recorded.
 *
 *     wrist.force            mean over the macro step, on the second end, at its frame and in world
 *                            axes: force [N], moment [N m]
 *     wrist.pose_error       distance [m] and angle [rad] of the two ends when the step ended,
 *                            before they were brought together
 *     wrist.energy_residual  |sum (x1.u1 + x2.u2) h| over the macro step: what the coupling let
 *                            vanish or appear [J]
 *     wrist.rank             of S = G (D_own + D_rest) G^T, the admittance of the interface's rows
 *     wrist.condition        of S in SI units; infinite where rows are redundant
 *     macro.wall_time        what the last macro step took [s]; taken only if it is recorded
 *
 * S is seen from the side that finds the forces, with its model in the last micro step and that of
 * the rest: where motion is imposed (hold, extrapolate) the rest does not yield, D_rest = 0.
 *
 * With the scheme monolithic interfaces are joints of one assembly (assembly/assembly_watch.h):
 * forces are the sums of their reactions, and S is that of their rows while all other joints stay
 * closed. Reactions of redundant rows are not unique: components of the force that they reach are
 * NaN; they are looked for if forces are recorded.
 *
 * Rank and condition are found at every macro step if they are recorded, else some 250 times in a
 * run: solved as one, S takes six solves an interface where some rows are redundant.
 */
#ifndef FLG_TELEMETRY_H
#define FLG_TELEMETRY_H

#include "base/region.h"
#include "coupling/coupling.h"
#include "flange/signal.h"
#include "flange/simulation.h"

/* Of one interface: numbers only, so that snapshots hold it. */
typedef struct flg_telemetry {
  /* in the last macro step */
  double force[6];
  double pose_error[2];
  double energy_residual;
  double rank, condition; /* where they were last found */
  double unique;          /* 1; 0 since redundant rows left some of the force open */
  /* of the run so far */
  double pose_error_most; /* of the distance [m] */
  double energy_residual_most;
  double rank_least, condition_most;
} flg_telemetry;

/* Before the first macro step: nothing is known of rows, and nothing has happened. */
flg_telemetry flg_telemetry_begin(void);
/* Step: after flg_coupling_step, of one interface. */
void flg_telemetry_take(flg_telemetry *telemetry, const flg_simulation *simulation, int interface);
/* Set-up: the interfaces of a simulation whose only subsystem has them as joints are watched. */
flg_status flg_telemetry_watch(flg_simulation *simulation);
/* Quantities of an interface that are recorded. */
enum { FLG_ASKED_FORCE = 1, FLG_ASKED_ROWS = 2 };
/* Set-up: these values, as flg_telemetry_find gave them, are recorded. */
void flg_telemetry_ask(flg_simulation *simulation, const double *values);
/* Step: whether rank and condition of an interface are to be found after this macro step. */
bool flg_telemetry_wants_rows(const flg_simulation *simulation, int interface);
/* Step: of all of them, after its steps. */
void flg_telemetry_take_whole(flg_simulation *simulation);
/* Step: the extremes of the run, after what is known of the last macro step. */
void flg_telemetry_keep(flg_telemetry *telemetry);

/* Step: largest over smallest eigenvalue of a symmetric semidefinite matrix of up to 6 rows, which
 * is destroyed. */
double flg_telemetry_condition(int rows, double *matrix);

/* The signal of the clock: what the last macro step took [s]. */
#define FLG_WALL_TIME "macro.wall_time"
/* A quantity of an interface that can be recorded; NULL after the last. */
const flg_quantity *flg_telemetry_quantity(int index);

/* Set-up: where the values of `name` will stand (the signal's width of them; NULL: they are not
 * known in this simulation). FLG_ERR_INPUT with a mistake if there is no such signal. */
flg_status flg_telemetry_find(const double **values, flg_signal *signal, const char *name,
                              flg_place place, const flg_simulation *simulation, flg_region *region,
                              flg_mistakes *mistakes);

#endif
