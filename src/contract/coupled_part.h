/* coupled_part.h - subsystems of any kind, such as plug-ins, as parts of an assembly
 * (parts/part.h), by the operations on their ports (contract/coupled.h).
 *
 *     q  the subsystem's state, all of it: only the subsystem knows what the numbers mean
 *     v  velocities w of its ports, 6 each, so that J = 1
 *
 * It takes semi-implicit steps of h. With reduce for tau = h,
 *
 *     w+ = w + h (r - t) + D L      t only of those that use start rows
 *
 * is solved with all joints at once. The impulses L are those of its own step (push), after which
 * its ports have their new places. Positions are closed by displace, velocities by impulse, both
 * with D of tau = 0.
 */
#ifndef FLG_COUPLED_PART_H
#define FLG_COUPLED_PART_H

#include "contract/subsystem.h"
#include "parts/part.h"

/* A subsystem of another kind, with outer ports on its ports (contract/coupled.h), as a part.
 * Bodies of the component from `first_body` on stand in for these, one each. */
typedef struct flg_subsystem_insert {
  const flg_subsystem *subsystem; /* released with the assembly */
  flg_place place;
  int first_body, group;
} flg_subsystem_insert;

/* Set-up: a set of subsystems that have ports; NULL without memory, or where one has no ports. They
 * are released with it. */
flg_parts *flg_coupled_parts_make(const flg_subsystem_insert *inserts, int count,
                                  flg_region *region);

#endif
