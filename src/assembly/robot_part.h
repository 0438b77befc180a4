/* robot_part.h - robots as parts of an assembly (parts/part.h): in joint coordinates, reduced to
 * the links that something is joined to by their own recursion. */
#ifndef FLG_ROBOT_PART_H
#define FLG_ROBOT_PART_H

#include "parts/part.h"
#include "robot/robot_subsystem.h"

/* A robot: all that the plan needs of it, dense. */
typedef struct flg_robot_part {
  const flg_component_robot *source;
  flg_robot_subsystem *robot;
  flg_subsystem subsystem;
  flg_part_slice slice;
  int count; /* velocities */
  int port_count;
  flg_mount *ports;   /* (ports) links that something is joined to */
  double *jacobian;   /* J (6 ports x count) */
  double *response;   /* M^-1 J^T (count x 6 ports), at the last factor */
  double *shares;     /* (6 ports x count) and ... */
  double *unit;       /* ... (6 ports) work space of it */
  double *admittance; /* J M^-1 J^T (6 ports x 6 ports) */
  double *lower;      /* (6 ports x 6 ports) and ... */
  int *order;         /* ... (6 ports) work space of its root, in root form */
  double *free;       /* (count) accelerations without joints */
  double *load;       /* (count) generalised forces of springs and loads */
  double *change;     /* (count) work space */
  flg_port_way *ways; /* (ports) */
} flg_robot_part;

/* Set-up: a set of the robots of a component, which are moved to where it has them; NULL without
 * memory. They are released with it, not their memory. */
flg_parts *flg_robot_parts_make(const flg_component *component, flg_robot_subsystem *robots,
                                flg_region *region);
/* One of a set of this kind. */
flg_robot_part *flg_robot_part_of(const flg_parts *parts, int part);

#endif
