/* study.h - errors and times of couplings, and how the sides of an interface answer to forces.
 *
 *     flg_study *study;
 *     if (flg_study_load(&study, "wrist.yaml", "sequential,parallel", "1/120,1/60", NULL, 0,
 *                        &mistakes) != FLG_OK) ...
 *     flg_study_run(study, NULL, &error);
 *     flg_study_difference(study, 0, "arm/tool.position", &difference, &error);
 *
 * A study is a scenario, run once as the reference, exactly (monolithic), and once with each coupling and macro step:
 * as `flange compare`.
 */
#ifndef FLG_STUDY_H
#define FLG_STUDY_H

#include "flange/define.h"

/* Couplings and macro steps against the exact solution. */
typedef struct flg_study flg_study;

/* --- studies
 * Owns: the caller, who releases the study. When: set-up. Fails: status, FLG_ERR_INPUT and FLG_ERR_MISSING for files.
 */

/* Loads all of its runs. @param couplings list with commas, as of `flange compare --coupling`; NULL: those of the
 * scenario @param macros likewise @param overrides (override_count) as of flg_simulation_load */
FLG_API flg_status flg_study_load(flg_study **study, const char *path, const char *couplings, const char *macros,
                                  const char *const *overrides, int override_count, flg_mistakes *mistakes);
/* The same of a system in code. */
FLG_API flg_status flg_study_build(flg_study **study, const flg_definition *definition, const char *couplings,
                                   const char *macros, const char *const *overrides, int override_count,
                                   flg_mistakes *mistakes);
FLG_API void flg_study_release(flg_study *study); /* frees it; NULL is allowed */
/* As flg_simulation_watch, for all of its runs; NULL: no longer. */
FLG_API void flg_study_watch(flg_study *study, const volatile int *stop);
/* Runs all, several at once with threads (borrowed; NULL: one after the other). Once. A run that diverges is no
 * failure, unless it is the reference. FLG_ERR_INTERRUPTED by flg_study_watch. */
FLG_API flg_status flg_study_run(flg_study *study, flg_threads *threads, flg_error *error);

/* One run of a study. */
typedef struct flg_study_outcome {
  const char *coupling;     /* its scheme and options */
  double macro;             /* macro step [s] */
  const char *integrator;   /* by which it steps; of each subsystem where they differ */
  flg_status status;        /* FLG_OK or FLG_ERR_DIVERGED */
  double diverged_at, wall; /* [s], NaN if it did not; seconds that it took */
} flg_study_outcome;

/* How far a signal is from that of the reference, at communication points up to divergence. */
typedef struct flg_difference {
  double max, rms, final; /* largest, root of the mean square, last; NaN: there is no such point */
} flg_difference;

/* --- results
 * Owns: the study. When: always, but while it runs. Fails: status, FLG_ERR_INPUT for names; NULL, 0. */

FLG_API int flg_study_count(const flg_study *study); /* runs, the reference not counted */
/* The outcome of a run; -1: of the reference. */
FLG_API flg_status flg_study_look(const flg_study *study, int run, flg_study_outcome *outcome, flg_error *error);
/* Its simulation, at its end; -1: that of the reference. */
FLG_API flg_simulation *flg_study_simulation(flg_study *study, int run);
/* How far a signal is from the reference. FLG_ERR_INPUT if it is not recorded, or describes the run itself. */
FLG_API flg_status flg_study_difference(const flg_study *study, int run, const char *signal, flg_difference *difference,
                                        flg_error *error);

/* How one side of an interface answers: as `flange analyze`. Rows are [linear; angular] in world axes; matrices are row
 * by row. */
typedef struct flg_side {
  size_t size;                        /* sizeof(flg_side) */
  const char *subsystem;              /* its name */
  double position[3];                 /* of the port [m] */
  double admittance[36], singular[6]; /* D, and its singular values */
  int rank;                           /* of D */
  double condition;                   /* infinite where the rank is below 6 */
  double mass[36];                    /* D^-1; NaN where the rank is below 6 */
  double stiffness[36], damping[36];  /* effective ones of elastic links; NaN without */
  double masses[3], axes[9]; /* of translation along the axes (a row each), smallest first, may be infinite [kg] */
  int closed_contacts;       /* of the subsystem */
} flg_side;

/* --- sides of an interface
 * Owns: the caller the simulation, the simulation texts. When: set-up. Fails: status, FLG_ERR_INPUT for names and
 * files. */

/* A scenario to be looked at, not to be run: as flg_simulation_load, but interfaces stay open whatever the coupling is,
 * and controllers do nothing. */
FLG_API flg_status flg_simulation_load_apart(flg_simulation **simulation, const char *path,
                                             const char *const *overrides, int override_count, flg_mistakes *mistakes);
/* A side as it is now. Of simulations whose subsystems are not solved as one. @param interface its name; NULL: the only
 * one @param end 0 or 1 @param smooth closed contacts are joints; else they are left open @param side its size is set
 * before. FLG_ERR_INPUT if that end is the world */
FLG_API flg_status flg_side_look(flg_simulation *simulation, const char *interface, int end, bool smooth,
                                 flg_side *side, flg_error *error);

#endif
