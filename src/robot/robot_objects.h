/* robot_objects.h - the inside of robot_subsystem: what of a robot has a name, to be recorded.
 *
 *     body, body/marker    position, orientation, velocity, angular_velocity (frame_quantities.h)
 *     marker               the same of a marker or port, as components name them
 *     joint.position       rad or m, all coordinates of the joint
 *     joint.velocity       rad/s or m/s
 *     joint.effort         N m or N: what the controllers apply, within the joint's limits
 *     body/elastic.position, .velocity    coordinates of a flexible body, and their rates
 *     body/tip             as a marker: the end of a flexible body that is a beam
 *     energy               J, kinetic and potential
 *     contacts, body.contact_force, body/shape, body/shape/point    of robots that can touch
 *                          something (contact_objects.h)
 *
 * A body goes before a joint of the same name.
 */
#ifndef FLG_ROBOT_OBJECTS_H
#define FLG_ROBOT_OBJECTS_H

#include "base/region.h"
#include "contract/subsystem.h"
#include "dynamics/dynamics.h"

typedef struct flg_robot_objects {
  flg_object *list; /* (count) bodies, joints, markers, flexible bodies, energy, contacts, shapes
                       and points */
  int count;
  int momentum;                                                   /* its number */
  int first_joint, first_marker, first_elastic, energy, contacts; /* where they begin */
  flg_link_anchor *markers; /* where they are, tips after them */
  int (*touching)[2]; /* shapes of the scene, and the point, or -1, of each object after contacts */
  flg_region region;  /* holds all but what is touched */
} flg_robot_objects;

/* Set-up: on zeros; release the region. FLG_ERR_MEMORY. */
flg_status flg_robot_objects_build(flg_robot_objects *objects, const flg_model *model,
                                   const flg_robot *robot, flg_error *error);
struct flg_robot_subsystem;
/* Set-up, once, after contacts are built: what is known of them. Takes memory of their region. */
void flg_robot_objects_touch(struct flg_robot_subsystem *robot);
/* Set-up: with the world that the robot stands on, markers on it move by a pose. */
void flg_robot_objects_place(flg_robot_objects *objects, const flg_pose *pose);

/* Step: as in subsystem.h; self: a robot subsystem. */
void flg_robot_objects_read(const void *self, int object, int quantity, double *values);
/* Set-up: as in subsystem.h; those of joints and of elastic coordinates. */
const double *flg_robot_objects_locate(const void *self, int object, int quantity);

#endif
