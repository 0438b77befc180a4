/* robot_objects.h - the inside of robot_subsystem: what of a robot has a name, to be recorded.
 *
 *     body          position, orientation, velocity, angular_velocity   of its frame, world axes
 *     joint         position, velocity, effort                          all its coordinates
 *     body/marker   as a body                                           also ports
 *     energy
 */
#ifndef FLG_ROBOT_OBJECTS_H
#define FLG_ROBOT_OBJECTS_H

#include "dynamics/dynamics.h"
#include "subsystem/subsystem.h"

typedef struct flg_robot_objects {
  flg_object *list; /* (count) bodies, joints, markers, energy */
  int count;
  int first_joint, first_marker; /* where they begin */
  flg_mount *markers;            /* where they are */
} flg_robot_objects;

/* Set-up: bytes that a build takes from the arena. */
size_t flg_robot_objects_bytes(const flg_model *model);
void flg_robot_objects_build(flg_robot_objects *objects, const flg_model *model,
                             const flg_robot *robot, flg_arena *arena);

struct flg_robot_subsystem;
/* Step: as in subsystem.h. */
void flg_robot_objects_read(const struct flg_robot_subsystem *subsystem, int object, int quantity,
                            double *values);

#endif
