/* assembly_objects.h - the inside of assemblies: what of one has a name, to be recorded.
 *
 *     body.position, .orientation, .velocity, .angular_velocity   as in frame_quantities.h
 *     component/marker, body/marker                               the same of a marker or port
 *     joint.position, .velocity    its coordinates [m or rad, by s]; slide and angle if it has two
 *     spring.position, .velocity, .effort    its coordinate, and what it pushes with [N or N m]
 *     element.force, .moment       of one between two frames: on its second end, at its frame, in
 *                    world axes; and what its kind measures (forces/)
 *     sensor.position, .velocity   its coordinate
 *     robot/...                    all that the robot has (robot_objects.h); robot/marker, too
 *     signal                       its value
 *     motor.current, .torque, .voltage, effort.effort
 *     energy                       kinetic and potential, springs included [J]
 *     contacts, body.contact_force as in contact_objects.h, where something can touch; of bodies
 *                    of robots, too
 *     body/shape.force, .gap, .state, .points    of a named shape that can touch: x y z of all
 *                    contacts on it [N], mean over the last step; smallest gap [m], 1 m where
 *                    nothing is near; 0 open, 1 sliding, 2 sticking; points that are near
 *     body/shape/point.force, .gap, .state       of a named point of a set
 *
 * Names are paths through the component. Of several objects with one path the first in this order
 * is meant. Reactions are not offered: where joints are redundant they are not unique.
 */
#ifndef FLG_ASSEMBLY_OBJECTS_H
#define FLG_ASSEMBLY_OBJECTS_H

#include "assembly/assembly_inner.h"

/* Where the values of an object come from. */
typedef enum flg_source_kind {
  FLG_SOURCE_FRAME,       /* of the anchor */
  FLG_SOURCE_COORDINATES, /* first, second */
  FLG_SOURCE_SPRING,      /* first */
  FLG_SOURCE_FRAMED,      /* force element `first`, between two frames */
  FLG_SOURCE_PART,        /* object `second` of part `first` of the plan */
  FLG_SOURCE_SIGNAL,      /* from number `first` of flg_assembly_signal_view */
  FLG_SOURCE_CONTACTS,    /* all of them */
  FLG_SOURCE_SHAPE,       /* number `first` of those that can touch; its point `second`, or -1 */
  FLG_SOURCE_JOINT,       /* first */
  FLG_SOURCE_MOMENTUM,    /* as energy */
  FLG_SOURCE_ENERGY       /* of the group `first` and all inside of it */
} flg_source_kind;

typedef struct flg_source {
  flg_source_kind kind;
  int first, second;
  flg_part_anchor anchor;
} flg_source;

typedef struct flg_assembly_objects {
  flg_object *list;    /* (count) */
  flg_source *sources; /* (count) */
  int count;
} flg_assembly_objects;

/* Set-up: into the region of the assembly, when all else of it is there. */
flg_status flg_assembly_objects_build(flg_assembly *assembly, flg_error *error);
/* Step: as in subsystem.h; self: an assembly. */
void flg_assembly_objects_read(const void *self, int object, int quantity, double *values);
/* Set-up: the same; the quantity will be read. FLG_ERR_MEMORY. */
flg_status flg_assembly_objects_ask(void *self, int object, int quantity);

#endif
