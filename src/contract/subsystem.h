/* subsystem.h - the contract: what a part that runs can do, whatever it is inside.
 *
 * An implementation is a `static const` table of operations (ops) and an object of its own (self).
 * Clock, snapshots, signals and events work through the table alone. Entries marked optional may be
 * NULL. Every implementation passes tests/subsystem_contract_test.c: add yours to its table.
 *
 * Set-up calls may allocate and fail with a sentence. Step calls do not allocate, lock or print,
 * and depend on nothing but the state and the arguments: what is in scratch memory does not matter.
 */
#ifndef FLG_SUBSYSTEM_H
#define FLG_SUBSYSTEM_H

#include <stdint.h>

#include "contract/coupled.h"
#include "flange/status.h"
#include "flange/threads.h"

/* All that changes from step to step: one flat block without pointers, always at the same place. A
 * snapshot is a memcpy out of it and back. */
typedef struct flg_subsystem_state {
  double *values; /* (count) */
  int count;
  int motion; /* the first so many are positions and velocities: not finite means diverged */
} flg_subsystem_state;

/* Something of an object that can be recorded. */
typedef struct flg_quantity {
  const char *word; /* "position"; NULL: the object is the quantity, as in sub/energy */
  const char *unit; /* "m"; "" if it has none or several */
  int width;        /* numbers */
  const char *const *components; /* (width) their names; NULL: they are numbered */
} flg_quantity;

/* A body, a joint, a marker, a sensor, the energy: what has a name inside of a subsystem. */
typedef struct flg_object {
  const char *path; /* "disc1", "gearbox/disc1", "gearbox/disc1/rim" */
  const flg_quantity *quantities;
  int quantity_count; /* 0: it is there, but has nothing to record: a fixed joint */
  bool is_alias;      /* a second name of an object that is listed by another */
} flg_object;

/* What events do to a subsystem. */
typedef enum flg_action {
  FLG_ACTION_LOCK, /* a joint */
  FLG_ACTION_UNLOCK,
  FLG_ACTION_ENABLE, /* a controller or a force */
  FLG_ACTION_DISABLE,
  FLG_ACTION_SET,          /* positions of a joint */
  FLG_ACTION_SET_VELOCITY, /* velocities of a joint */
  FLG_ACTION_WELD,         /* two frames, where they are */
  FLG_ACTION_RELEASE,
  FLG_ACTION_COUNT
} flg_action;

/* What programs write between steps (flange/access.h). */
typedef enum flg_input_kind {
  FLG_INPUT_EFFORT, /* of a joint, on top of what drives it [N m or N] */
  FLG_INPUT_TARGET, /* positions that a controller holds in place of its trajectory */
  FLG_INPUT_WRENCH, /* force and moment at the origin of a frame, in world axes [N], [N m] */
  FLG_INPUT_SIGNAL, /* value of a signal, in place of what it computes */
  FLG_INPUT_KIND_COUNT
} flg_input_kind;

/* By how much constraints are violated. */
typedef struct flg_constraint_errors {
  double position; /* largest [m or rad] */
  double velocity; /* largest [m/s or rad/s] */
} flg_constraint_errors;

/* What may become of the energy of a subsystem, but for work at its ports. */
typedef enum flg_energy_law {
  FLG_ENERGY_DRIVEN, /* anything: motors, controllers, loads, prescribed motions; or not known */
  FLG_ENERGY_SWINGS, /* as the next, but steps leave stiff springs stretched for a while */
  FLG_ENERGY_FALLS,  /* dampers, frictions, contacts take of it */
  FLG_ENERGY_STAYS
} flg_energy_law;

enum { FLG_BLAME_TEXT = 120 };

/* A shape that can touch, and what it is on. */
typedef struct flg_touched {
  const flg_shape *shape;
  const char *robot; /* that the body is part of; NULL: the subsystem's own */
  const char *body;  /* "world": the ground */
} flg_touched;

typedef struct flg_subsystem_ops {
  const char *kind; /* "robot", for messages */

  /* Step: of the micro steps of h from time on, those from number `first`, count of them.
   * FLG_ERR_DIVERGED with the reason, a sentence that goes on after "Subsystem 'x': ". */
  flg_status (*advance)(void *self, double time, double h, int first, int count, flg_error *error);
  /* Step: brings what energy, constraints and signals read up to date with the state. Positions and
   * velocities stay as they are; a controller may take the sample that is due at this time, which
   * the next step would take all the same: an advance gives the same bits with and without it. */
  void (*refresh)(void *self, double time);
  /* Kinetic plus potential, after refresh [J]. */
  double (*energy)(const void *self);
  flg_subsystem_state (*state)(const void *self);
  /* The seed chained with all that a run depends on besides its state (base/hash.h). */
  uint64_t (*identity)(const void *self, uint64_t seed);
  /* Set-up: everything that has a name; the same table every time. Of two objects with one path the
   * first that has a quantity is meant. */
  const flg_object *(*objects)(const void *self, int *count);
  /* Step: a quantity of an object, by their numbers in the tables, after refresh. */
  void (*read)(const void *self, int object, int quantity, double *values);
  /* Optional. Set-up: where the values of a quantity always stand, to be copied from there in place
   * of read; NULL: it has to be computed. */
  const double *(*locate)(const void *self, int object, int quantity);
  /* Optional. Set-up: a quantity that will be read; it may cost something in each step. */
  flg_status (*ask)(void *self, int object, int quantity);
  /* Frees what self holds, once, also if it was not built to the end. */
  void (*release)(void *self);

  /* What events can do: bits 1u << FLG_ACTION_x. If there are any, aim and act are there. */
  unsigned actions;
  /* Set-up: what a path means for an action, as a number for act. value_count: how many values an
   * event sets, else 0. FLG_ERR_INPUT with a sentence. */
  flg_status (*aim)(const void *self, flg_action action, const char *path, int value_count,
                    int *target, flg_error *error);
  /* Step: makes it happen; the state is a legal one afterwards. values as in aim. */
  void (*act)(void *self, flg_action action, int target, const double *values);

  /* Optional, with write_input. Set-up: what a path means for an input, as a number for
   * write_input, and how many values it takes. FLG_ERR_INPUT with a sentence. */
  flg_status (*open_input)(void *self, flg_input_kind kind, const char *path, int *number,
                           int *width, flg_error *error);
  /* Between steps: holds until it is written again; NULL: as if it had never been written. A
   * controller that sampled at this time does so again; NaN: none does. */
  void (*write_input)(void *self, int number, double time, const double *values);
  /* Optional, with probe. Set-up: frames (count) to look at, as a number for probe. */
  flg_status (*open_probe)(void *self, const char *const *paths, int count, int *number,
                           flg_error *error);
  /* Between steps: how these frames answer to forces over tau > 0, as reduce of coupled.h says it
   * of ports; 6 rows a frame. Contacts, stops and frictions are left open. Refresh after it. */
  flg_status (*probe)(void *self, int number, double time, double tau, flg_interface_model *model);

  /* Optional. The method of its steps, such as "rattle"; NULL: it is not known. */
  const char *(*integrator)(const void *self);
  /* Optional. A sentence on what is doubtful of the steps so far; NULL: nothing is. */
  const char *(*warning)(const void *self);
  /* Optional. FLG_ERR_UNSOLVED with a sentence if its steps so far did not resolve a motion: the
   * results are in doubt. */
  flg_status (*judge)(const void *self, flg_error *error);
  /* Optional. Kinetic energy that steps so far took without a force that explains it [J]. */
  double (*wear)(const void *self);
  /* Optional. Step, after refresh or a step that failed: FLG_ERR_DIVERGED if a number that it
   * computes from a finite state (a signal, a force, an energy) is NaN or infinite. The sentence
   * names the object that computed it and goes on after "Subsystem 'x': ". */
  flg_status (*check)(const void *self, double time, flg_error *error);
  /* Optional. Kinetic energy alone, after refresh [J]; NULL: it is not known. */
  double (*kinetic_energy)(const void *self);
  /* Optional. Without events and inputs; NULL: it is driven. */
  flg_energy_law (*energy_law)(const void *self);
  /* Optional. Step: violations now, after refresh. NULL: there are no constraints. */
  flg_constraint_errors (*constraints)(const void *self);
  /* Optional. What of it diverged, such as "body 'disc1'"; "" if it cannot tell. */
  void (*blame)(const void *self, char text[FLG_BLAME_TEXT]);
  /* Optional. Set-up: threads for the inside of its steps, NULL: none; borrowed. Whoever has this
   * advances alone, others side by side. Results are bitwise the same for any number. */
  void (*share)(void *self, flg_threads *threads);
  /* Optional. Set-up: a micro step that may take long looks at *stop, which a signal handler may
   * set, and ends with FLG_ERR_INTERRUPTED where it is not 0; NULL: there is no such flag. */
  void (*watch)(void *self, const volatile int *stop);
  /* Optional. Its contacts, after refresh with the forces of the step that led to the state; NULL:
   * nothing of it can touch. */
  flg_contacts *(*contacts)(const void *self);
  /* With contacts: a shape of their scene. */
  flg_touched (*touched)(const void *self, int shape);
  /* Optional. What it takes to be joined to others; NULL: it stands alone. */
  const flg_coupled_ops *coupled;
} flg_subsystem_ops;

typedef struct flg_subsystem {
  const char *name; /* in messages, borrowed */
  const flg_subsystem_ops *ops;
  void *self;
} flg_subsystem;

/* Set-up: registers an implementation. FLG_ERR_RANGE, naming it, if a required entry is missing. */
flg_status flg_subsystem_build(flg_subsystem *subsystem, const char *name,
                               const flg_subsystem_ops *ops, void *self, flg_error *error);
/* Releases self; again, or on one that was never built, it does nothing. */
void flg_subsystem_release(flg_subsystem *subsystem);
/* What may become of its energy: that of its entry, or driven where it has none. */
flg_energy_law flg_subsystem_energy_law(const flg_subsystem *subsystem);
/* How many shapes the scene of its contacts has. */
int flg_touched_count(const flg_subsystem *subsystem);
/* Step, after coupled.contacts: what one of them was in the last step. */
static inline flg_contact_state flg_contact_state_of(const flg_subsystem *subsystem, int contact) {
  const flg_contacts *contacts = subsystem->ops->contacts(subsystem->self);
  return (flg_contact_state)flg_contacts_view(contacts, contact).state;
}
/* Why its reduce failed: what it says, or that its model is no longer finite. */
const char *flg_subsystem_complaint(const flg_subsystem *subsystem);
/* Set-up: aim, or FLG_ERR_INPUT with a sentence if it cannot do such a thing. */
flg_status flg_subsystem_aim(const flg_subsystem *subsystem, flg_action action, const char *path,
                             int value_count, int *target, flg_error *error);

#endif
