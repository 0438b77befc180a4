/* robot_inputs.h - what a program writes to a robot between steps: efforts on joints, targets of
 * controllers, wrenches on frames. All stay as they are until they are written again.
 *
 *     effort    of a joint: added to what controllers do, without limits (velocities of the joint)
 *     target    of a controller with a trajectory: positions to hold in place of it (its joints)
 *     wrench    of a body, marker or port: force and moment at its origin, in world axes (6)
 */
#ifndef FLG_ROBOT_INPUTS_H
#define FLG_ROBOT_INPUTS_H

#include "base/growing.h"
#include "contract/subsystem.h"
#include "control/controller.h"

struct flg_robot_subsystem;

/* Something that was opened. */
typedef struct flg_robot_input {
  flg_input_kind kind;
  int index;             /* of the controller, or of the first velocity of the joint */
  flg_link_anchor frame; /* of a wrench ... */
  double *values;        /* (width) of a target or wrench */
  int width;
  bool is_given; /* it was written, and not taken back */
} flg_robot_input;

typedef struct flg_robot_inputs {
  flg_growing list;   /* flg_robot_input */
  flg_growing probes; /* flg_robot_ports: frames that are looked at together */
  double *efforts;    /* (velocities) sum of all efforts; NULL: none was opened */
  bool is_stale;      /* ... and one was written since it was summed */
  int wrench_count;   /* that are given */
  flg_region region;
} flg_robot_inputs;

/* As in subsystem.h; self: a robot subsystem. */
flg_status flg_robot_open_input(void *self, flg_input_kind kind, const char *path, int *number,
                                int *width, flg_error *error);
void flg_robot_write_input(void *self, int number, double time, const double *values);
flg_status flg_robot_open_probe(void *self, const char *const *paths, int count, int *number,
                                flg_error *error);
flg_status flg_robot_probe(void *self, int number, double time, double tau,
                           flg_interface_model *model);

/* Step: the controller as it is to be computed: with a target in place of its trajectory, if one
 * is given. made: where it may be put together. */
const flg_controller *flg_robot_aimed(const struct flg_robot_subsystem *subsystem, int index,
                                      flg_controller *made);
/* Step, after the robot is placed: adds all wrenches to f (velocities). */
void flg_robot_add_wrenches(const struct flg_robot_subsystem *subsystem, double *f);
/* Step: the sum of all efforts (velocities); NULL: there are none. */
const double *flg_robot_efforts(struct flg_robot_subsystem *subsystem);
void flg_robot_inputs_release(struct flg_robot_subsystem *subsystem);

#endif
