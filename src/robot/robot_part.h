/* robot_part.h - robots as parts of an assembly (parts/part.h): in joint coordinates, reduced to
 * the links that something is joined to by their own recursion. */
#ifndef FLG_ROBOT_PART_H
#define FLG_ROBOT_PART_H

#include "parts/part.h"
#include "robot/robot_subsystem.h"

/* Set-up: one robot for each of a component's, equipped, as parts of its assembly. They are moved
 * to where the component has them, and released with the set, not their memory. */
flg_part_guests flg_robot_guests(flg_robot_subsystem *robots);

#endif
