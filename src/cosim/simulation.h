/* simulation.h - the inside of flg_simulation: subsystems, their clock, and what is recorded.
 *
 * One macro step: every subsystem advances by its own micro steps, then energies and violations of
 * constraints are taken and the state is checked. Built by the reader of scenarios (io/load.c), or
 * by a test. What a subsystem is inside is not known here.
 */
#ifndef FLG_COSIM_SIMULATION_H
#define FLG_COSIM_SIMULATION_H

#include <stdatomic.h>

#include "base/name_index.h"
#include "base/notices.h"
#include "cosim/events.h"
#include "cosim/inputs.h"
#include "cosim/signals.h"
#include "cosim/telemetry.h"
#include "coupling/coupling.h"
#include "flange/simulation.h"

/* Objects of a subsystem by their paths; but for the region {0} until one is looked for. */
typedef struct flg_object_names {
  flg_region *region;   /* of the simulation, which holds what follows */
  flg_name_index first; /* the first object of a path */
  int *next;            /* (objects) the next of the same path, 0: none */
} flg_object_names;

/* The state of the clock, besides those of the subsystems: one flat block. */
typedef struct flg_simulation_clock {
  int64_t done;       /* macro steps so far */
  int64_t micro_done; /* micro steps of all subsystems */
  int64_t next_event; /* the first that has not happened */
  int64_t divided;    /* macro steps that were divided, and into how many at most */
  int64_t most_parts;
  flg_energy energy;
  double gained, kinetic; /* at interfaces of a coupling, and the most kinetic energy [J] */
  flg_constraint_errors constraints; /* largest at macro steps */
  flg_contact_outcome contacts;
} flg_simulation_clock;

/* How a subsystem came through its last macro step. */
typedef struct flg_advanced {
  flg_status status;
  int done; /* micro steps */
  flg_error error;
} flg_advanced;

struct flg_simulation {
  const char *name, *text;
  double macro;        /* [s] */
  int64_t macro_steps; /* in all */
  flg_simulation_clock clock;
  atomic_bool is_stepping;  /* a step is under way */
  const volatile int *stop; /* not 0: steps end early; NULL: there is no such flag */
  flg_threads *threads;     /* borrowed; NULL: the caller does all */
  int subsystem_count;
  flg_subsystem *subsystems;      /* (subsystem_count) */
  flg_object_names *object_names; /* (subsystem_count) */
  int *micro_steps;               /* (subsystem_count) of each in a macro step */
  flg_advanced *advanced;         /* (subsystem_count) scratch */
  int part_count;
  flg_part *parts; /* (part_count) the subsystems of the scenario, by name */
  flg_name_index part_names;
  int interface_count;
  flg_interface
      *interfaces;        /* (interface_count) between subsystems; those solved as one have none */
  flg_coupling *coupling; /* of the interfaces; NULL: each subsystem runs on its own */
  bool is_apart;          /* it is only looked at: interfaces stay open */
  int telemetry_count;    /* of all interfaces, or 0: nothing is known of them */
  flg_telemetry *telemetry; /* (telemetry_count) by interface_names */
  unsigned char *asked;     /* (telemetry_count) quantities that are recorded */
  int interface_name_count;
  const char **interface_names; /* (interface_name_count) also of those solved as one */
  flg_name_index interface_index;
  bool is_timed;    /* the time on the clock is taken of every macro step: */
  double wall_time; /* of the last one [s]; no part of the state */
  int event_count;
  flg_event *events; /* (event_count), by time */
  int signal_count, width;
  flg_signal *signals;    /* (signal_count) */
  flg_recorded *recorded; /* (signal_count) */
  flg_growing opened;     /* flg_opened_input: what a program writes ... */
  double *inputs;         /* (input_width) ... and what it wrote; NaN: nothing */
  int input_width;
  void *start;               /* the state at the start, without inputs */
  struct flg_access *access; /* handles of a program (api/); NULL: there are none */
  bool is_stiff;             /* steps are too long for springs: a notice says so */
  double growth;             /* ... for signals: logarithm of what a macro step makes of an error */
  flg_notices notices;       /* what the user should know of how it was made; in the region */
  flg_region region;         /* holds all of the above that is not in an region */
};

/* of a macro step: times are kept as step counts, no error adds up */
#define FLG_EVEN_TOLERANCE 1e-9

/* Set-up: how many steps of `step` make up `whole`; 0 with a mistake that names the nearest that do
 * if it is not a whole number. `what` and `of` name them in the message. */
int64_t flg_steps_in(double whole, double step, const char *what, const char *of, flg_place place,
                     flg_mistakes *mistakes);
/* Set-up: restores a state that came from a file. FLG_ERR_INPUT with the reason, and everything as
 * it was, if no run of this simulation can have left it: its clock, its counters or a number of a
 * subsystem. A notice says so if it does not fulfil the joints. */
flg_status flg_simulation_adopt(flg_simulation *simulation, const void *state, flg_error *error);
/* Step: flg_events_apply, but interfaces of what is only looked at stay open. */
flg_status flg_simulation_apply(flg_simulation *simulation, const flg_event *events, int count,
                                double time, flg_error *error);
/* Back to the state at the start, with no input given. */
void flg_simulation_rewind(flg_simulation *simulation);
/* The state as a block of bytes: what it takes, into it, and out of it. A restored simulation goes
 * on bit for bit as the saved one did. */
size_t flg_simulation_state_bytes(const flg_simulation *simulation);
void flg_simulation_save(const flg_simulation *simulation, void *state);
void flg_simulation_restore(flg_simulation *simulation, const void *state);
/* Set-up, at the end of it: keeps the state for flg_simulation_rewind. */
void flg_simulation_keep_start(flg_simulation *simulation);
/* Set-up: takes the energies of the initial state; after all else is there. */
void flg_simulation_start(flg_simulation *simulation);
/* Brings what is read of all subsystems up to date with the state. */
void flg_simulation_refresh(const flg_simulation *simulation);
/* After a step: of all subsystems that report it [J]. */
double flg_simulation_kinetic_energy(const flg_simulation *simulation);

#endif
