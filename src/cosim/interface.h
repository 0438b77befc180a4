/* interface.h - where two subsystems are joined: a joint between a port of one and a port of the
 * other, or the ground.
 */
#ifndef FLG_COSIM_INTERFACE_H
#define FLG_COSIM_INTERFACE_H

#include "dynamics/constraint.h"
#include "subsystem/subsystem.h"

typedef struct flg_interface_end {
  int subsystem; /* of the simulation, -1: the ground */
  int port;      /* of it: each end has one of its own */
  flg_pose pose; /* of the frame on the ground */
} flg_interface_end;

typedef struct flg_interface {
  const char *name;
  flg_constraint_kind kind; /* weld to point-on-line: those with frames alone */
  int rows;
  flg_interface_end end[2]; /* A and B: rows are B minus A */
} flg_interface;

#endif
