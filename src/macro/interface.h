/* interface.h - how two subsystems are joined: a joint between a port of one and a port of the
 * other, or the ground; and elements, such as springs, on its coordinates.
 *
 * Elements are rows of one coordinate c between frames (dynamics/coordinate.h), or of a sum of two:
 *
 *     rigid      c stays as it is at the start         distance, screw, gear, rack
 *     spring     effort by model/spring.h              stiffness, damping, elastic teeth; six of
 *                                                      them, on numbers of its own: a bushing
 *     friction   |effort| is bounded                   friction, efficiency (limits/limit.h)
 *     stop       lower <= c <= upper                   stops, hard teeth with play
 *
 * The frames of a joint are its two ends. Gears and racks have no joint: up to four frames, each
 * with a port of its own, which is an anchor like the ends of a joint.
 */
#ifndef FLG_COUPLING_INTERFACE_H
#define FLG_COUPLING_INTERFACE_H

#include "contract/subsystem.h"
#include "dynamics/constraint.h"

enum { FLG_INTERFACE_ANCHORS_MAX = 4 };

typedef struct flg_interface_end {
  int subsystem; /* of the simulation, -1: the ground */
  int port;      /* of it: each end has one of its own */
  flg_pose pose; /* of the frame on the ground */
} flg_interface_end;

typedef enum flg_element_kind {
  FLG_ELEMENT_RIGID,
  FLG_ELEMENT_SPRING,
  FLG_ELEMENT_FRICTION,
  FLG_ELEMENT_STOP
} flg_element_kind;

/* c = sum of factor * coordinate - origin */
typedef struct flg_element {
  flg_element_kind kind;
  int number;    /* among all elements of the system */
  int interface; /* that carries it */
  int count;     /* of coordinates, 1 or 2 */
  struct {
    flg_coordinate_kind kind;
    int anchor[2]; /* of the interface */
    double factor;
  } of[2];
  const struct flg_force_kind *framed; /* that measures c in place of coordinates, NULL: none ... */
  int row;                             /* ... and the number of c among those that it measures */
  bool is_sum;                         /* c counts from the start */
  double origin; /* rigid and sums: c at the start; set when the coupling starts */
  double rest;   /* of a spring; NaN: c at the start, which is set when the coupling starts */
  const flg_component_spring *spring;
  const flg_component_friction *friction;
  const flg_component_stop *stop;
  int carrier;         /* friction: the element that hands on the load of a gear, -1: none */
  double carrier_part; /* effort on c of a unit effort there */
} flg_element;

typedef struct flg_interface {
  const char *name;
  const char *word; /* what it is called: that of its kind, or "bushing" */
  flg_constraint_kind kind;
  int rows;                 /* between the frames of both ends (constraint.h); 0: gear, rack */
  flg_interface_end end[2]; /* A and B: rows are B minus A; of gear and rack both are the ground */
  int anchor_count; /* frames that elements act on: 2 (the ends), or those of a gear; or 0 */
  flg_interface_end anchors[FLG_INTERFACE_ANCHORS_MAX];
  flg_element *elements; /* (element_count) of its own */
  int element_count;
} flg_interface;

/* All places of an interface: anchors, or the ends of one that carries nothing. */
static inline int flg_interface_spots(const flg_interface *interface) {
  return interface->anchor_count > 0 ? interface->anchor_count : 2;
}

static inline const flg_interface_end *flg_interface_spot(const flg_interface *interface, int k) {
  return interface->anchor_count > 0 ? &interface->anchors[k] : &interface->end[k];
}

/* True if one of them is on the subsystem. */
static inline bool flg_interface_is_on(const flg_interface *interface, int subsystem) {
  for (int k = 0; k < flg_interface_spots(interface); k++) {
    if (flg_interface_spot(interface, k)->subsystem == subsystem) return true;
  }
  return false;
}

/* True if it joins frames of two ends: all but gears and racks. */
static inline bool flg_interface_has_ends(const flg_interface *interface) {
  return interface->end[0].subsystem >= 0 || interface->end[1].subsystem >= 0;
}

#endif
