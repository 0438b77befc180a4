/* robot_identity.h - the inside of robot_subsystem: 64 bits of all that its runs depend on. */
#ifndef FLG_ROBOT_IDENTITY_H
#define FLG_ROBOT_IDENTITY_H

#include "robot/robot_subsystem.h"

/* The seed chained with name, options, model, controllers and forces. self: a robot subsystem. */
uint64_t flg_robot_identity(const void *self, uint64_t seed);

#endif
