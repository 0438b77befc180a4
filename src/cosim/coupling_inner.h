/* coupling_inner.h - a coupling from inside: what coupling.c lays out and the schemes use. */
#ifndef FLG_COUPLING_INNER_H
#define FLG_COUPLING_INNER_H

#include "base/region.h"
#include "cosim/coupling.h"
#include "cosim/smooth.h"

struct flg_coupling {
  flg_coupled_system system;
  flg_coupling_options options; /* nothing is auto any more */
  flg_region region;
  int *order;                    /* (subsystems) */
  flg_reduced *reduced;          /* (subsystems) at the communication point */
  flg_rest **rests;              /* (subsystems) */
  flg_meeting *meetings;         /* (subsystems) */
  flg_smooth **smooths;          /* (subsystems) NULL: it cannot touch, or contacts stay open */
  flg_error *errors;             /* (subsystems) */
  flg_status *statuses;          /* (subsystems) */
  bool **driven;                 /* (subsystems) of (interfaces): the other side has run before */
  flg_plan *whole;               /* all subsystems and all interfaces */
  double **impulses;             /* (subsystems) of (6 ports) work space */
  flg_interface_report *reports; /* (interfaces) */
  double *state;                 /* motion and force of each end at the last two points */
  int state_count;
  double time;  /* of the macro step [s] */
  double scale; /* an energy that is usual [J] */
};

/* --- coupling.c --- */

/* All subsystems reduced now, for use over tau. */
flg_status flg_coupling_reduce(flg_coupling *coupling, double time, double tau, flg_error *error);
/* The plan of the whole, factored with the reduced models. */
flg_status flg_coupling_factor(flg_coupling *coupling, flg_error *error);
/* All of this: reduced, factored and projected. */
flg_status flg_coupling_meet(flg_coupling *coupling, double time, flg_error *error);
/* Impulses that bring velocities onto all interfaces, given to every subsystem; and the same of
 * positions. After factor. */
flg_status flg_coupling_project(flg_coupling *coupling, flg_error *error);
flg_status flg_coupling_resynchronise(flg_coupling *coupling, flg_error *error);
/* One subsystem over the macro step; its status and error are kept. */
void flg_coupling_run(flg_coupling *coupling, int subsystem, flg_meeting_drive *drive);
/* What happened at the interfaces; and what the projection of velocities, which came last, adds to
 * their forces. */
void flg_coupling_report_all(flg_coupling *coupling);
void flg_coupling_report_projection(flg_coupling *coupling);
flg_status flg_coupling_verdict(const flg_coupling *coupling, flg_error *error);

/* --- the schemes --- */

flg_status flg_coupling_parallel(flg_coupling *coupling, flg_threads *threads, flg_error *error);
flg_status flg_coupling_sequential(flg_coupling *coupling, flg_error *error);
flg_status flg_coupling_signals(flg_coupling *coupling, flg_threads *threads, flg_error *error);

#endif
