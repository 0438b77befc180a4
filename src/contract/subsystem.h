/* subsystem.h - the contract: the operations by which a simulation runs a subsystem of any kind.
 *
 * An implementation is a `static const` table of operations (ops) and an object of its own (self).
 * Clock, snapshots, signals and events work through the table alone. Entries marked optional may be
 * NULL. Every implementation passes tests/subsystem_contract_test.c: add yours to its table.
 *
 * Set-up calls may allocate and fail with a sentence. Step calls do not allocate, lock or print.
 * Their results depend on the state and the arguments alone, not on scratch memory.
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

/* An object of a subsystem that has a name: a body, a joint, a marker, a sensor, the energy. */
typedef struct flg_object {
  const char *path; /* "disc1", "gearbox/disc1", "gearbox/disc1/rim" */
  const flg_quantity *quantities;
  int quantity_count; /* 0: there is nothing to record of it: a fixed joint */
  bool is_alias;      /* a second name of an object that is listed by another name */
} flg_object;

/* Actions of events on a subsystem. */
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

/* Inputs that programs can write between steps (flange/access.h). */
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

/* How the energy of a subsystem may change, besides by work at its ports. */
typedef enum flg_energy_law {
  FLG_ENERGY_DRIVEN, /* in any way: motors, controllers, loads, prescribed motions; or unknown */
  FLG_ENERGY_SWINGS, /* it falls, but for steps in which stiff springs are stretched */
  FLG_ENERGY_FALLS,  /* dampers, frictions and contacts take energy */
  FLG_ENERGY_STAYS
} flg_energy_law;

enum { FLG_BLAME_TEXT = 120 };

/* A shape that can touch, and the body that it is on. */
typedef struct flg_touched {
  const flg_shape *shape;
  const char *robot; /* that the body is part of; NULL: the body is the subsystem's own */
  const char *body;  /* "world": the ground */
} flg_touched;

typedef struct flg_subsystem_ops {
  const char *kind; /* "robot", for messages */

  /* Step: of the micro steps of h from time on, those from number `first`, count of them.
   * FLG_ERR_DIVERGED with the reason, a sentence that goes on after "Subsystem 'x': ". */
  flg_status (*advance)(void *self, double time, double h, int first, int count, flg_error *error);
  /* Step: recomputes the values that energy, constraints and signals read from the state. Positions
   * and velocities stay as they are. A controller may take the sample that is due at this time,
   * which the next step would take otherwise: advance gives the same bits with and without it. */
  void (*refresh)(void *self, double time);
  /* Kinetic plus potential, after refresh [J]. */
  double (*energy)(const void *self);
  flg_subsystem_state (*state)(const void *self);
  /* A hash of everything that a run depends on besides its state, chained to seed (base/hash.h). */
  uint64_t (*identity)(const void *self, uint64_t seed);
  /* Set-up: all objects that have a name; the same table every time. Of two objects with one path,
   * the path means the first that has a quantity. */
  const flg_object *(*objects)(const void *self, int *count);
  /* Step: a quantity of an object, by their numbers in the tables, after refresh. */
  void (*read)(const void *self, int object, int quantity, double *values);
  /* Optional. Set-up: the address of the values of a quantity, which are copied from there in place
   * of calls of read; NULL: they have to be computed. */
  const double *(*locate)(const void *self, int object, int quantity);
  /* Optional. Set-up: announces a quantity that will be read; it may cost time in each step. */
  flg_status (*ask)(void *self, int object, int quantity);
  /* Frees what self holds, once, also if it was not built to the end. */
  void (*release)(void *self);

  /* The events that it knows: bits 1u << FLG_ACTION_x. If there are any, aim and act are there. */
  unsigned actions;
  /* Set-up: finds the object of an action by its path; target is its number for act. value_count:
   * the number of values that the event sets, else 0. FLG_ERR_INPUT with a sentence. */
  flg_status (*aim)(const void *self, flg_action action, const char *path, int value_count,
                    int *target, flg_error *error);
  /* Step: carries out the action; the state fulfils all joints afterwards. values as in aim. */
  void (*act)(void *self, flg_action action, int target, const double *values);
  /* Optional. Step: pins the joint of FLG_ACTION_SET with that target (-1: all): what closes other
   * joints leaves its values as they are; or takes pins out. Locks are no pins. Returns whether
   * that changes anything. Pins do not outlast the events of one time, and take no steps. */
  bool (*pin)(void *self, int target, bool pinned);

  /* Optional, with write_input. Set-up: finds an input by its path; its number for write_input, and
   * the number of its values. FLG_ERR_INPUT with a sentence. */
  flg_status (*open_input)(void *self, flg_input_kind kind, const char *path, int *number,
                           int *width, flg_error *error);
  /* Between steps: the values act until they are written again; NULL: as if they had never been
   * written. A controller that sampled at `time` samples again; NaN: none does. */
  void (*write_input)(void *self, int number, double time, const double *values);
  /* Optional, with probe. Set-up: a set of frames (count); its number for probe. */
  flg_status (*open_probe)(void *self, const char *const *paths, int count, int *number,
                           flg_error *error);
  /* Between steps: the model of these frames for use over tau > 0, as reduce of coupled.h makes it
   * of ports; 6 rows a frame. Contacts, stops and frictions are open in it. Refresh after it. */
  flg_status (*probe)(void *self, int number, double time, double tau, flg_interface_model *model);

  /* Optional. The name of its integrator, such as "rattle"; NULL: it is not known. */
  const char *(*integrator)(const void *self);
  /* Optional. A sentence that says why the steps so far are doubtful; NULL: they are not. */
  const char *(*warning)(const void *self);
  /* Optional. FLG_ERR_UNSOLVED with a sentence if its steps so far did not resolve a motion: the
   * results are in doubt. */
  flg_status (*judge)(const void *self, flg_error *error);
  /* Optional. Kinetic energy that steps so far have lost without a force that explains it [J]. */
  double (*wear)(const void *self);
  /* Optional. Step, after refresh or a step that failed: FLG_ERR_DIVERGED if a number that it
   * computes from a finite state (a signal, a force, an energy) is NaN or infinite. The sentence
   * names the object that computed it and goes on after "Subsystem 'x': ". */
  flg_status (*check)(const void *self, double time, flg_error *error);
  /* Optional. Kinetic energy alone, after refresh [J]; NULL: it is not known. */
  double (*kinetic_energy)(const void *self);
  /* Optional. Its energy law without events and inputs; NULL: FLG_ENERGY_DRIVEN. */
  flg_energy_law (*energy_law)(const void *self);
  /* Optional. Step: violations now, after refresh. NULL: there are no constraints. */
  flg_constraint_errors (*constraints)(const void *self);
  /* Optional. Names the first object that diverged, such as "body 'disc1'"; "" if unknown. */
  void (*blame)(const void *self, char text[FLG_BLAME_TEXT]);
  /* Optional. Set-up: threads for use inside of its steps, NULL: none; borrowed. A subsystem with
   * this entry advances alone, others at the same time. Results are bitwise the same for any number
   * of threads. */
  void (*share)(void *self, flg_threads *threads);
  /* Optional. Set-up: a flag that a signal handler may set. A micro step that may take long reads
   * it, and ends with FLG_ERR_INTERRUPTED if it is not 0; NULL: there is no such flag. */
  void (*watch)(void *self, const volatile int *stop);
  /* Optional. Its contacts; after refresh they have the forces of the step that led to the state.
   * NULL: it has no shape that can touch. */
  flg_contacts *(*contacts)(const void *self);
  /* With contacts: a shape of their scene. */
  flg_touched (*touched)(const void *self, int shape);
  /* Optional. The operations on its ports; NULL: it cannot be joined to others. */
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
/* Its energy law; FLG_ENERGY_DRIVEN if it has no such entry. */
flg_energy_law flg_subsystem_energy_law(const flg_subsystem *subsystem);
/* The number of shapes in the scene of its contacts. */
int flg_touched_count(const flg_subsystem *subsystem);
/* Step, after coupled.contacts: the state that one of them had in the last step. */
static inline flg_contact_state flg_contact_state_of(const flg_subsystem *subsystem, int contact) {
  const flg_contacts *contacts = subsystem->ops->contacts(subsystem->self);
  return (flg_contact_state)flg_contacts_view(contacts, contact).state;
}
/* Why its reduce failed: its complaint, or that its model is no longer finite. */
const char *flg_subsystem_complaint(const flg_subsystem *subsystem);
/* Set-up: aim, or FLG_ERR_INPUT with a sentence if it does not know the action. */
flg_status flg_subsystem_aim(const flg_subsystem *subsystem, flg_action action, const char *path,
                             int value_count, int *target, flg_error *error);

#endif
