/* coupling.h - runs subsystems that interfaces join, macro step by macro step.
 *
 * At a communication point every subsystem is reduced once to its ports, and each is given the
 * joined model of the rest (rest_model.h); then each advances with its own micro steps
 * (macro_run.h). A scheme (scheme.h) says how: a table of operations, in a file of its own.
 *
 * Poses at an interface drift apart by little in a macro step. They are brought together at
 * communication points (resynchronise, by the exact join), or fed back, beta e/H on the rest's
 * velocity; not both.
 */
#ifndef FLG_COUPLING_H
#define FLG_COUPLING_H

#include "coupling/scheme.h"
#include "macro/macro_run.h"
#include "macro/rest_model.h"

/* How models of the rest take elastic forces of flexible links. */
typedef enum flg_elastic_model {
  FLG_ELASTIC_MODAL,    /* of elastic coordinates that are states of the model (coupled.h) */
  FLG_ELASTIC_IMPLICIT, /* by (M + tau C + tau^2/4 K)^-1: those at the end of the macro step */
  FLG_ELASTIC_CONSTANT, /* as they are at the communication point (flexible-rim, Eq. 9) */
  FLG_ELASTIC_PAPER,    /* and K_eff, C_eff besides (Eq. 13) */
  FLG_ELASTIC_LITERAL   /* K_eff, C_eff alone, as printed: d_i and u_i count from the start of the
                           run,   and d_a and u_a stay as they were there */
} flg_elastic_model;

typedef struct flg_coupling_options {
  const flg_coupling_scheme *scheme; /* borrowed */
  flg_coupling_form form;
  flg_reconcile reconcile;
  flg_pose_sync pose;
  double feedback;                /* beta */
  flg_rest_contacts contacts;     /* how those of the rest may change inside of a macro step */
  flg_elastic_model elastic;      /* forces of elastic links in models of the rest */
  const flg_potential *potential; /* nonsmooth, opening: which of them; NULL: all; borrowed */
  double stiffness, damping;      /* regularised: K, D [N/m], [N s/m] */
  bool reverse;                   /* hold, extrapolate: the second end takes motion */
  const int *order;               /* (subsystems) of sequential; NULL: as models go stale */
  int contact_points; /* room for contacts of subsystems that meet; 0: by their shapes */
} flg_coupling_options;

/* Report of an interface in the last macro step. */
typedef struct flg_interface_report {
  flg_spatial force; /* mean, on the second end [N], [N m] */
  double pose_error; /* what is left of its displacements at its end, before it was closed [m] */
  double turn_error; /* the same of turns [rad] */
  double energy;     /* |sum (x1.u1 + x2.u2) h|, less the work of elements: energy that the coupling
                        added or lost [J] */
} flg_interface_report;

typedef struct flg_coupling flg_coupling;

typedef struct flg_coupled_system {
  const flg_subsystem *subsystems;
  const int *micro_steps; /* (subsystems) */
  int subsystem_count;
  const flg_interface *interfaces;
  int interface_count;
  double macro; /* H [s] */
} flg_coupled_system;

/* Set-up: arrays of the system are borrowed. FLG_ERR_INPUT names the subsystem that cannot be
 * coupled. Release with flg_coupling_release. */
flg_status flg_coupling_build(flg_coupling **coupling, const flg_coupled_system *system,
                              const flg_coupling_options *options, flg_error *error);
void flg_coupling_release(flg_coupling *coupling); /* NULL is allowed */

/* Step: one macro step from time on; threads (NULL: none) where subsystems run at once.
 * FLG_ERR_DIVERGED with the subsystem or the interface, and the reason. */
flg_status flg_coupling_step(flg_coupling *coupling, double time, flg_threads *threads,
                             flg_error *error);
/* Set-up: steps look at *stop before each micro step, and end with FLG_ERR_INTERRUPTED where it is
 * not 0; NULL: there is no such flag. */
void flg_coupling_watch(flg_coupling *coupling, const volatile int *stop);
/* After a macro step: into how many it was divided, since the scheme lost an interface or failed in
 * one; 1: it was not. */
int flg_coupling_parts(const flg_coupling *coupling);
/* After a macro step, with the kinetic energy at its end [J]: returns a sum of earlier steps plus
 * the energy that interfaces added in this one [J]. Losses reduce the sum, down to 0 where contacts
 * or Euler steps explain them. 0 if kinetic energies are not known. */
double flg_coupling_gain(const flg_coupling *coupling, double sum, double kinetic);
/* True if it does not close velocities of interfaces, so that they gain energy in every step. */
bool flg_coupling_is_rough(const flg_coupling *coupling);
/* Of the normal impulses of contacts that several subsystems can touch at, over the run and in the
 * norm of their admittance: the share that was found at communication points, 0..1, or 0 where that
 * is so at a few points only. Micro steps find all but what models miss, unless subsystems take
 * different contacts for closed. */
double flg_coupling_corrected_share(const flg_coupling *coupling);
/* How far the interface that is open farthest is so now, of the size of the system or in radians.
 */
double flg_coupling_opening(const flg_coupling *coupling);
/* The name of that interface. */
const char *flg_coupling_widest(const flg_coupling *coupling);
/* Of the same normal impulses [N s] the share of micro steps in which friction jams contacts
 * (macro/contact_jams.c), 0..1: which of these push is not unique. */
double flg_coupling_jammed_share(const flg_coupling *coupling);
/* True if a kinetic energy [J] is more than rounding. */
bool flg_coupling_moves(const flg_coupling *coupling, double kinetic);
/* Step, after events at this time: closes the interfaces if something was moved, and projects the
 * velocities of all subsystems onto them, in the mass norm. FLG_ERR_DIVERGED where they stay open.
 */
flg_status flg_coupling_settle(flg_coupling *coupling, double time, bool moved, flg_error *error);
/* Set-up, with all subsystems at their start: finds the usual energy of the system: the energy at
 * the start, and the kinetic energy of ports that pass the length of their model in two macro
 * steps. */
void flg_coupling_start(flg_coupling *coupling);
/* That energy [J]; 0 before the start. */
double flg_coupling_usual_energy(const flg_coupling *coupling);
/* Step, after a macro step: FLG_ERR_DIVERGED, with the time and the interface whose ends are
 * farthest apart, if the energy of the whole is not finite or over a thousand times the usual. */
flg_status flg_coupling_judge(const flg_coupling *coupling, double time, double energy,
                              flg_error *error);
/* The energy in springs of interfaces now [J]. */
double flg_coupling_energy(const flg_coupling *coupling);
/* A hash of everything that its steps depend on besides its state, chained to seed. */
uint64_t flg_coupling_identity(const flg_coupling *coupling, uint64_t seed);
const flg_coupling_options *flg_coupling_settings(const flg_coupling *coupling);
/* Its state: the numbers that it keeps from macro step to macro step, for snapshots. */
double *flg_coupling_state(const flg_coupling *coupling, int *count);
const flg_interface_report *flg_coupling_report(const flg_coupling *coupling, int interface);

#endif
