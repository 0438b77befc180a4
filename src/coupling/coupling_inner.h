/* coupling_inner.h - the struct of a coupling, and the functions that its sources and the schemes
 * share. */
#ifndef FLG_COUPLING_INNER_H
#define FLG_COUPLING_INNER_H

#include "base/region.h"
#include "coupling/coupling.h"
#include "coupling/coupling_elements.h"
#include "macro/smooth.h"

/* Normal impulses of contacts, over the run [sqrt J]: of micro steps, and corrections of these; how
 * many communication points had corrections that are larger; the same impulses [N s], of all
 * micro steps and of those in which contacts jam. */
enum {
  FLG_JOIN_GIVEN,
  FLG_JOIN_CORRECTED,
  FLG_JOIN_POINTS,
  FLG_JOIN_PUSHED,
  FLG_JOIN_JAMMED,
  FLG_JOIN_SUMS
};

/* Contacts of all subsystems, closed together with the interfaces (coupling_contact_join.c). */
typedef struct flg_contact_join {
  flg_macro_contacts *contacts; /* NULL: no shape can touch */
  int *first;                   /* (subsystems) the number of its first touch port among all */
  int *root, *row;              /* (touch ports) where the plan of the whole has their rows */
  struct flg_given *given;      /* (contacts) */
  double room;                  /* of closed gaps, where one subsystem alone can touch; or 0 [m] */
  bool has_boxes;               /* friction is bounded by boxes, not by cones */
  double *sums;                 /* (FLG_JOIN_SUMS) in the state */
} flg_contact_join;
/* Energy that interfaces add or lose (coupling_balance.c). */
typedef struct flg_balance {
  bool is_known;   /* kinetic energies are known */
  bool has_ends;   /* of joints of a robot */
  bool is_rough;   /* velocities are not closed: gains are large, and judged by their sum alone */
  bool divides;    /* macro steps that gain or lose are taken again in parts */
  bool is_lossy;   /* contacts, frictions or Euler steps take energy: only gains count */
  double gain;     /* of the macro step, or of all its parts [J] */
  double *kinetic; /* in the state: the most kinetic energy so far [J] */
} flg_balance;
/* Macro steps that are taken again in parts (coupling_divide.c). */
typedef struct flg_division {
  bool is_on;
  bool spreads;               /* the last part was whole, but for hits in it */
  bool is_decided;            /* hits of this part are those that one subsystem finds */
  double macro;               /* H of the scenario [s] */
  double open;                /* of interfaces before it, where it is taken in parts; or 0 */
  int most, parts;            /* the most parts that a macro step has; those of the last one */
  int *steps;                 /* (subsystems) micro steps in a macro step now */
  double **states[2];         /* (subsystems) saved before the macro step, and before its part */
  double *own[2];             /* the same of the state of the coupling */
  double *speeds;             /* (2 interfaces) [m/s, rad/s] before the macro step */
  double *past;               /* (subsystems) joints past their ends before it, of the range */
  long *blows;                /* (subsystems) hits of their own stops before it */
  flg_interface_report *sums; /* (interfaces) over its parts */
} flg_division;
/* A place of an interface that its owner drives: the owner finds the forces. */
typedef struct flg_driven_spot {
  int interface, number;
  int owner;
  int subsystem, port;
  int row; /* of the owner's rest, the first of six */
} flg_driven_spot;

/* The numbers that the state keeps for a place of an interface: mean forces on it in the last macro
 * step and in the one before [N, N m], its motion at the last communication point [m/s, rad/s]. */
typedef struct flg_place_memory {
  double force[6], earlier[6], motion[6];
} flg_place_memory;
enum { FLG_SIGNAL_NUMBERS = 18 * FLG_INTERFACE_ANCHORS_MAX }; /* of one interface */

/* A row of an interface, as it acts on both ends. */
typedef struct flg_repeated_row {
  flg_spatial side[2];
  int interface;
} flg_repeated_row;

/* coupling_repeats.c */
typedef struct flg_repeated_rows {
  int count; /* of all interfaces; 0: each macro run chooses the rows that it leaves out */
  flg_repeated_row *rows;
  double *scale;
  double *matrix, *factor; /* (count x count) */
  int *order;
  bool *are_left; /* (count) rows that repeat others */
} flg_repeated_rows;

struct flg_coupling {
  flg_coupled_system system;
  flg_coupling_options options; /* each `auto` is replaced by what it means */
  flg_region region;
  int *order;                /* (subsystems) */
  int *elastic_ports;        /* (subsystems) of elastic coordinates in its model */
  int *contact_points;       /* (subsystems) that its shapes can have at one time */
  flg_reduced *reduced;      /* (subsystems) at the communication point */
  flg_rest_model **rests;    /* (subsystems) */
  flg_macro_run *macro_runs; /* (subsystems) */
  double *kicks;             /* (subsystems) when they close contacts in a micro step [s] */
  flg_smooth **smooths;      /* (subsystems) NULL: it cannot touch, or contacts stay open */
  flg_error *errors;         /* (subsystems) */
  flg_status *statuses;      /* (subsystems) */
  int *deciders;             /* (subsystems) the one whose macro run finds hits of its contacts; at
                                once: where division.is_decided */
  bool **driven;             /* (subsystems) of (interfaces): the other side has run before */
  int spot_count;
  flg_driven_spot *spots; /* (spot_count) by interfaces */
  int **spots_on;         /* (subsystems) of numbers of spots, then -1: where others drive it */
  int **spots_from;       /* (subsystems) the same of those that it drives */
  flg_plan *whole;        /* all subsystems and all interfaces */
  int *whole_joints;      /* (interfaces) their joint of it, -1: none */
  flg_coupling_elements elements;
  double **shares;               /* (subsystems) of (6 ports) that reconciliation gives back */
  double **moves;                /* (subsystems) of (6 ports) work space */
  flg_division division;         /* of macro steps that are too long */
  flg_repeated_rows repeated;    /* rows of interfaces that are left out */
  flg_balance balance;           /* of energy at interfaces */
  flg_contact_join contact_join; /* contacts of all, at communication points */
  flg_interface_report *reports; /* (interfaces) */
  flg_pose *starts;              /* (2 interfaces) where their ends are at the start of the run */
  double *state;                 /* motion and force of each spot at the last two points; then
                                    flg_element_state of each element; sums of the contact
                                    join; the most kinetic energy */
  int state_count;
  double time;  /* of the macro step [s] */
  double scale; /* the usual energy (coupling.h) [J] */
};

/* --- coupling.c --- */

/* Reduces all subsystems as they are now, for use over tau. */
flg_status flg_coupling_reduce(flg_coupling *coupling, double time, double tau, flg_error *error);
/* Why a subsystem failed in this macro step, as a sentence; returns the status. */
flg_status flg_coupling_blame(const flg_coupling *coupling, int subsystem, flg_status status,
                              const char *reason, flg_error *error);
/* True if an interface joins both subsystems. */
bool flg_coupling_are_joined(const flg_coupled_system *system, int a, int b);
/* The place of a subsystem in the order in which they run. */
int flg_coupling_rank(const flg_coupling *coupling, int subsystem);
/* From now on impulses and displacements belong to the macro step (is_step), in which dampers
 * resist them, or take no time; the same of a subsystem that takes so many micro steps (0: no
 * time). */
void flg_coupling_set_impulse_step(const flg_coupling *coupling, bool is_step);
void flg_coupling_set_impulse_step_of(const flg_coupling *coupling, int subsystem, int steps);
/* The number of the subsystem that a macro run is of. */
int flg_coupling_index(const flg_coupling *coupling, const flg_macro_run *macro_run);

/* --- coupling_repeats.c --- */

/* Set-up: FLG_ERR_INPUT where interfaces in rings have too many rows for it. */
flg_status flg_coupling_repeats_check(const flg_coupled_system *system,
                                      const flg_coupling_scheme *scheme, flg_error *error);
/* Set-up; a region that fails says so itself. */
void flg_coupling_repeats_build(flg_coupling *coupling);
/* Step, after all subsystems were reduced: rows that repeat others are the same for all. */
void flg_coupling_repeats_choose(flg_coupling *coupling);

/* --- coupling_report.c --- */

/* Fills the reports of all interfaces; and adds to their forces those of the projection of
 * velocities, which comes last. */
void flg_coupling_report_all(flg_coupling *coupling);
void flg_coupling_report_projection(flg_coupling *coupling);
/* The interface whose ends are farthest apart. */
const flg_interface *flg_coupling_worst(const flg_coupling *coupling);

/* --- coupling_facing.c: parts of schemes --- */

/* `sees` of scheme.h: all others. */
bool flg_coupling_sees_all(const flg_coupling *coupling, int viewer, int other);
/* `face` of scheme.h: the joined model of all that it sees. */
flg_status flg_coupling_join_rest(flg_coupling *coupling, int subsystem, flg_error *error);
/* Sets the poses of the rest's frames, and the pose feedback beta e/H on its velocity, e from the
 * subsystem's own frame to that of the rest. */
void flg_coupling_face_frames(flg_coupling *coupling, int subsystem);

/* --- coupling_memory.c: parts of schemes --- */

/* `drive` of scheme.h: by the forces of the last macro step, held or continued in a straight line
 * from the one before. */
flg_macro_drive flg_coupling_drive_held, flg_coupling_drive_continued;
flg_place_memory *flg_coupling_memory(const flg_coupling *coupling, const flg_driven_spot *at);
/* Writes the impulse of the macro step and the motion, (6) each. */
void flg_coupling_remember(flg_coupling *coupling, const flg_driven_spot *at, const double *impulse,
                           const double *motion);
/* The number of macro steps that are kept in the memory; and one more. */
double flg_coupling_memories(const flg_coupling *coupling);
void flg_coupling_count_memory(flg_coupling *coupling);

/* One macro step of system.macro, as it is now. */
flg_status flg_coupling_step_once(flg_coupling *coupling, double time, flg_threads *threads,
                                  flg_error *error);

/* --- coupling_divide.c --- */

/* Set-up, of a coupling that is laid out; region.failed says if there was no memory. */
void flg_division_build(flg_coupling *coupling);
/* Step: of the whole [m]. The farthest that two interfaces are apart, or the radius of gyration
 * behind one; else how far the one interface is from the origin; 1 where no distance is known. */
double flg_coupling_length(const flg_coupling *coupling);
/* Step, after reports are made: the first interface that stays open though it was to be closed, or
 * NULL; *left: how far it is open. */
const flg_interface *flg_coupling_find_open(const flg_coupling *coupling, double *left);

/* --- coupling_report.c --- */

/* Step, after models were reduced: the length by which ports of the whole yield to displacements
 * and to turns [m]; that of flg_coupling_length where they yield to one of the two alone. */
double flg_coupling_yield_length(const flg_coupling *coupling);

/* --- coupling_balance.c --- */

/* Set-up, of a coupling that is laid out. */
void flg_balance_build(flg_coupling *coupling);
/* Adds the work at joined ports of impulses (6 ports) on a subsystem as it is reduced now. */
void flg_balance_add(flg_coupling *coupling, int subsystem, const double *impulses);
/* True if the macro step resolved the motion; also if the gain is NaN, which other checks find. */
bool flg_balance_is_kept(const flg_coupling *coupling);
/* After a macro step, or a part: losses are those of stops that were hit inside of subsystems. */
void flg_balance_forgive(flg_coupling *coupling);

/* --- scheme_sequential.c --- */

/* Hits in a micro step that the decider has found, on the subsystem's touch ports and on those of
 * its rest, are added to its macro run. False: there are none. */
bool flg_coupling_take_decided(const flg_coupling *coupling, const flg_macro_run *macro_run,
                               int step);

/* --- coupling_spots.c --- */

/* The first of the six rows that a place of an interface has in the rest of `viewer`. */
int flg_coupling_spot_row(const flg_coupling *coupling, int viewer, int interface, int spot);
/* Set-up, when rests are there: lists of places. */
flg_status flg_coupling_spots_build(flg_coupling *coupling, flg_error *error);

/* --- coupling_contact_join.c --- */

/* Set-up: the plan of the whole, and room for contacts that follow the law. */
flg_status flg_contact_join_build(flg_coupling *coupling, const flg_contact_law_options *law,
                                  flg_error *error);

/* At the start of a macro step: sets the impulses that are given back to zero. */
void flg_contact_join_begin(flg_coupling *coupling);
/* After an event that has moved something: closes positions at all interfaces, in the mass norm.
 * FLG_ERR_DIVERGED where that cannot be done. */
flg_status flg_contact_join_close(flg_coupling *coupling, double time, flg_error *error);
/* Projects velocities onto all interfaces, in the mass norm; contacts do not take part. */
flg_status flg_contact_join_settle(flg_coupling *coupling, double time, flg_error *error);
/* At the end of a macro step: impulses that the two sides of an interface have applied do not
 * cancel. Finds which side gets the difference, and how much of it. */
void flg_contact_join_reconcile(flg_coupling *coupling);
/* Applies these impulses; closes positions if the options say so, and then velocities with the rows
 * of these positions, as at the end of monolithic steps. */
flg_status flg_contact_join_finish(flg_coupling *coupling, bool velocities, flg_error *error);
/* Step, before that: what the macro runs pushed and jammed, if several subsystems can touch. */
void flg_contact_join_note_jams(flg_coupling *coupling);

#endif
