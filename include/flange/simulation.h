/* simulation.h - a scenario, loaded and ready to run.
 *
 *     flg_simulation *simulation;
 *     flg_mistakes mistakes = {0};
 *     if (flg_simulation_load(&simulation, "pendulum.yaml", NULL, 0, &mistakes) != FLG_OK) ...
 *     while (!flg_simulation_ended(simulation) &&
 *            flg_simulation_step(simulation, &error) == FLG_OK) {
 *       flg_simulation_record(simulation, values);
 *     }
 *     flg_simulation_release(simulation);
 *
 * A step allocates nothing, locks nothing and prints nothing.
 */
#ifndef FLG_SIMULATION_H
#define FLG_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flange/mistakes.h"
#include "flange/signal.h"
#include "flange/status.h"
#include "flange/threads.h"

/* A system that runs. */
typedef struct flg_simulation flg_simulation;

/* Energy at macro steps, kinetic and potential [J]. */
typedef struct flg_energy {
  double initial, final, least, most; /* at the start; now; so far */
} flg_energy;

/* --- life
 * Owns: the caller, who releases the simulation. When: set-up. Fails: status, FLG_ERR_INPUT and FLG_ERR_MISSING for
 * files, with all mistakes at once. */

/* Reads a scenario and all that it names. overrides (override_count, may be 0) are texts `key.key=value`. */
FLG_API flg_status flg_simulation_load(flg_simulation **simulation, const char *path, const char *const *overrides,
                                       int override_count, flg_mistakes *mistakes);
/* The same of a scenario in memory. path: the file that it stands for, which need not exist: paths in the text are
 * relative to its folder, and messages name it; NULL: "text", in the working folder. */
FLG_API flg_status flg_simulation_load_text(flg_simulation **simulation, const char *text, const char *path,
                                            const char *const *overrides, int override_count, flg_mistakes *mistakes);
/* Frees it; NULL is allowed. Does nothing while it steps. */
FLG_API void flg_simulation_release(flg_simulation *simulation);

/* --- names, options and results so far
 * Owns: the simulation. When: between steps. Fails: NULL, 0, NaN or false, for NULL and for an index out of range. */

FLG_API const char *flg_simulation_name(const flg_simulation *simulation);     /* in the scenario, for people */
FLG_API const char *flg_simulation_text(const flg_simulation *simulation);     /* the file, as results store it */
FLG_API const char *flg_simulation_coupling(const flg_simulation *simulation); /* "monolithic", "sequential", ... */
FLG_API double flg_simulation_time(const flg_simulation *simulation);          /* now [s] */
FLG_API double flg_simulation_end(const flg_simulation *simulation);           /* time at the end [s] */
FLG_API bool flg_simulation_ended(const flg_simulation *simulation);           /* that time has come; steps may go on */
FLG_API double flg_simulation_macro(const flg_simulation *simulation);         /* macro step [s] */
FLG_API int64_t flg_simulation_macro_steps(const flg_simulation *simulation);  /* done so far */
FLG_API int64_t flg_simulation_micro_steps(const flg_simulation *simulation);  /* of all subsystems together */
FLG_API flg_energy flg_simulation_energy(const flg_simulation *simulation);    /* so far */
/* How many parts step by themselves: a subsystem, or all that are solved as one. */
FLG_API int flg_simulation_stepper_count(const flg_simulation *simulation);
/* The name of one of them; index from 0 to count - 1. */
FLG_API const char *flg_simulation_stepper(const flg_simulation *simulation, int index);
/* The method of its steps, such as "rattle"; "unknown": of a plug-in. */
FLG_API const char *flg_simulation_integrator(const flg_simulation *simulation, int index);
/* Sentences on changes that were made to start it, such as frames of joints and velocities that did not fit; index from
 * 0 on, NULL: there are no more. */
FLG_API const char *flg_simulation_notice(const flg_simulation *simulation, int index);
/* Macro steps that a coupling had to divide, since it lost an interface or failed in them; most: into how many at most,
 * 1: none was. */
FLG_API int64_t flg_simulation_divided_steps(const flg_simulation *simulation, int *most);
/* The largest violation of constraints so far, at macro steps: position [m or rad], velocity [m/s or rad/s]. False,
 * with zeros, if nothing in the simulation has constraints. */
FLG_API bool flg_simulation_constraints(const flg_simulation *simulation, double *position, double *velocity);

/* Counts of contact events, over all micro steps so far. */
typedef struct flg_contact_outcome {
  int64_t switches;             /* contacts that opened, closed, stuck or slid; a hit is two */
  int64_t inside_macro_step;    /* macro steps in which some did after the first micro step */
  int64_t hits;                 /* of contacts with restitution */
  int64_t iterations;           /* of the solver */
  int64_t unsolved;             /* islands whose residual stayed over its tolerance */
  int64_t method;               /* of the largest island of the last step */
  double residual, penetration; /* largest, a pure number; deepest [m] */
} flg_contact_outcome;
/* False, with zeros, if nothing in the simulation can touch. */
FLG_API bool flg_simulation_contacts(const flg_simulation *simulation, flg_contact_outcome *outcome);

/* How the coupling did at an interface, over all macro steps so far. */
typedef struct flg_interface_outcome {
  const char *name;       /* of the interface */
  double pose_drift;      /* largest distance of its ends before they were brought together [m] */
  double energy_residual; /* most that vanished or appeared there in a macro step [J] */
  double rank;            /* lowest of its rows' admittance; NaN before the first step */
  double condition;       /* highest of it; infinite where rows are redundant */
  bool is_unique;         /* its forces are; false: redundant rows left some of them open */
} flg_interface_outcome;
/* Interfaces that something is known of: those of the scenario. */
FLG_API int flg_simulation_interface_count(const flg_simulation *simulation);
/* One of them; index from 0 to count - 1. */
FLG_API flg_interface_outcome flg_simulation_interface(const flg_simulation *simulation, int interface);

FLG_API int flg_simulation_signal_count(const flg_simulation *simulation);          /* that the scenario records */
FLG_API const flg_signal *flg_simulation_signals(const flg_simulation *simulation); /* (count) these */
FLG_API int flg_simulation_width(const flg_simulation *simulation);                 /* numbers that all of them take */

/* --- stepping
 * Owns: the caller; *stop and threads are used until others are given. When: between steps. Fails: status. */

/* Set-up: steps look at *stop every now and then, which a signal handler may set: once it is not 0 they end early, with
 * FLG_ERR_INTERRUPTED and a state that lies inside a macro step. */
FLG_API void flg_simulation_watch(flg_simulation *simulation, const volatile int *stop);
/* Set-up: steps are shared among threads; NULL: all is done by the caller, as at first. Results are bitwise the same
 * for any number of them. */
FLG_API void flg_simulation_share(flg_simulation *simulation, flg_threads *threads);
/* Advances by one macro step. FLG_ERR_DIVERGED, with the time and the subsystem, if a number is no longer finite; the
 * state is then that of the failed step. */
FLG_API flg_status flg_simulation_step(flg_simulation *simulation, flg_error *error);
/* The values of all signals now (flg_simulation_width numbers). */
FLG_API void flg_simulation_record(flg_simulation *simulation, double *values);
/* Of a run that came to its end: FLG_ERR_UNSOLVED, with a sentence that names the unsolved problem, if its results are
 * in doubt: contacts were not solved to the tolerance, or rigid joints did work, in steps that do not resolve a
 * singular pose that the mechanism passes. */
FLG_API flg_status flg_simulation_judge(const flg_simulation *simulation, flg_error *error);
/* A hash of the state, 64 bits; 0 for NULL. */
FLG_API uint64_t flg_simulation_hash(const flg_simulation *simulation);
/* A hash of the system, 64 bits: only states of an equal one may be restored; 0 for NULL. */
FLG_API uint64_t flg_simulation_identity(const flg_simulation *simulation);

#endif
