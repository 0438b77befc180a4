/* access.h - a running simulation read and written by name: outputs, inputs, triggers, contacts.
 *
 *     flg_input_find(simulation, "arm/joint2.effort", &push, &error);
 *     flg_output_find(simulation, "arm/joint2.position", &angle, &error);
 *     while (!flg_simulation_ended(simulation)) {
 *       flg_output_read(simulation, angle, &q, 1, &error);
 *       torque = -100 * q;
 *       flg_input_write(simulation, push, &torque, 1, &error);
 *       if (flg_simulation_step(simulation, &error) != FLG_OK) break;
 *     }
 *
 * A name is found once; the handle that comes of it is two numbers, to be copied at will. It is one of this simulation
 * alone, and lives as long as that.
 */
#ifndef FLG_ACCESS_H
#define FLG_ACCESS_H

#include <stdint.h>

#include "flange/simulation.h"

/* Handle of a quantity that is read. */
typedef struct flg_output {
  uint32_t simulation; /* serial number of the simulation; 0: it is no handle */
  int32_t number;      /* of the quantity there */
} flg_output;

/* Handle of something that is written between steps. */
typedef struct flg_input {
  uint32_t simulation; /* likewise */
  int32_t number;      /* of the input there */
} flg_input;

/* Handle of an event that is fired by hand. */
typedef struct flg_trigger {
  uint32_t simulation; /* likewise */
  int32_t number;      /* of the event there */
} flg_trigger;

/* --- outputs: anything that `record` of a scenario can name
 * Owns: the simulation. When: between steps. Fails: status, FLG_ERR_INPUT for names; NULL. */

/* Set-up: all quantities that there are, as `flange run --list-signals` shows them. @param[out] count how many; 0 on
 * failure */
FLG_API const flg_signal *flg_output_list(flg_simulation *simulation, int *count);
/* Set-up: finds a quantity, such as "arm/tool.position", "arm/energy" or "wrist.force". Forces of joints and of
 * interfaces are known from the next step on. */
FLG_API flg_status flg_output_find(flg_simulation *simulation, const char *name, flg_output *output, flg_error *error);
/* Its name, unit and width. */
FLG_API const flg_signal *flg_output_signal(const flg_simulation *simulation, flg_output output);
/* Reads it as it is now. @param values (count) @param count its width */
FLG_API flg_status flg_output_read(flg_simulation *simulation, flg_output output, double *values, int count,
                                   flg_error *error);
/* Reads several at once, the faster way. @param outputs (output_count) @param values (count) of one after the other
 * @param count sum of their widths */
FLG_API flg_status flg_output_read_many(flg_simulation *simulation, const flg_output *outputs, int output_count,
                                        double *values, int count, flg_error *error);

/* --- inputs: held until they are written again
 * Owns: the caller. When: between steps. Fails: status, FLG_ERR_INPUT for names, FLG_ERR_RANGE for numbers that are not
 * finite; 0. */

/* Set-up: finds an input.
 *
 * - sub/joint.effort: force or torque of a joint, on top of controllers [N m or N]; effort limits of robots do not
 *   bound it
 * - sub/controller.target: positions that a pd, computed-torque or feed-forward controller holds, at rest, one for each
 *   of its joints, in place of its trajectory
 * - sub/body.wrench: force and moment at the origin of a body, marker or port, in world axes [N, N m]
 * - sub/signal: value of a signal of a component, in place of the one that it computes
 *
 * Before it is written, an input does nothing. Inputs are part of the state (flange/state.h): open them before the
 * first state is taken. */
FLG_API flg_status flg_input_find(flg_simulation *simulation, const char *name, flg_input *input, flg_error *error);
FLG_API int flg_input_width(const flg_simulation *simulation, flg_input input); /* how many numbers it takes */
/* Writes it. @param values (count) @param count its width */
FLG_API flg_status flg_input_write(flg_simulation *simulation, flg_input input, const double *values, int count,
                                   flg_error *error);
/* Writes several at once, all or none. @param inputs (input_count) @param values (count) of one after the other @param
 * count sum of their widths */
FLG_API flg_status flg_input_write_many(flg_simulation *simulation, const flg_input *inputs, int input_count,
                                        const double *values, int count, flg_error *error);
/* The values that were written last; NaN: none were. @param values (count) @param count its width */
FLG_API flg_status flg_input_read(const flg_simulation *simulation, flg_input input, double *values, int count,
                                  flg_error *error);
/* Takes it back: as if it had never been written. */
FLG_API flg_status flg_input_clear(flg_simulation *simulation, flg_input input, flg_error *error);

/* --- triggers: events by hand
 * Owns: the caller. When: between steps. Fails: status, FLG_ERR_INPUT for names, FLG_ERR_RANGE for numbers that are not
 * finite. */

/* Set-up: finds an event. @param action "lock", "unlock", "enable", "disable", "set", "set_velocity", "weld" or
 * "release", as in `events` of a scenario @param target "sub/joint", "sub/controller", "sub/force", or "sub/name" of a
 * weld that the scenario has among its events, perhaps at a time that never comes @param count numbers that it sets: 0,
 * but for set and set_velocity */
FLG_API flg_status flg_trigger_find(flg_simulation *simulation, const char *action, const char *target, int count,
                                    flg_trigger *trigger, flg_error *error);
/* Makes it happen now. @param values (count), NULL if it sets none @param count as it was found with */
FLG_API flg_status flg_trigger_fire(flg_simulation *simulation, flg_trigger trigger, const double *values, int count,
                                    flg_error *error);

/* The state of a contact point. */
typedef enum flg_touch_state {
  FLG_TOUCH_OPEN,    /* near, and apart */
  FLG_TOUCH_SLIDING, /* closed, and sliding */
  FLG_TOUCH_STICKING /* closed, and held by friction */
} flg_touch_state;

/* One contact point between shapes A and B. */
typedef struct flg_touch_point {
  double position[3];    /* where, in the world [m] */
  double normal[3], gap; /* from A to B; negative: they overlap [m] */
  double force[3];       /* on B, mean over the last micro step [N] */
  double pressure;       /* its part along the normal [N] */
  flg_touch_state state; /* what it does */
  int shapes[2];         /* A and B, for flg_touch_shape */
} flg_touch_point;

/* Room for text of a shape. */
enum { FLG_SHAPE_TEXT = 160 };

/* --- contacts
 * Owns: the caller. When: between steps. Fails: status; 0. */

/* Set-up: how many contact points there can be at most; 0 if nothing can touch. Call it before the first
 * flg_touch_list: it takes the memory for that. */
FLG_API int flg_touch_most(flg_simulation *simulation);
/* All contact points that are near, at the last communication point. @param points (capacity) @param[out] count how
 * many were written @returns FLG_ERR_CAPACITY if there are more; the first ones are written then */
FLG_API flg_status flg_touch_list(const flg_simulation *simulation, flg_touch_point *points, int capacity, int *count,
                                  flg_error *error);
/* The shape, as "sub/body/shape", or "sub/body" if it has no name. @param shape of a contact point @param text is
 * filled; "" if there is no such shape */
FLG_API flg_status flg_touch_shape(const flg_simulation *simulation, int shape, char text[FLG_SHAPE_TEXT],
                                   flg_error *error);

#endif
