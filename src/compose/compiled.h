/* compiled.h - subsystems with 'compiled: true', and all of them with 'flange run --compile'.
 *
 * It is a wish for speed: what cannot be compiled is interpreted, with the same results but for
 * rounding, and a notice names it. */
#ifndef FLG_COMPOSE_COMPILED_H
#define FLG_COMPOSE_COMPILED_H

#include "assembly/assembly.h"
#include "compose/robots.h"

/* Accelerations of a robot that stands on its own, and is placed. */
void flg_compose_compiled_robot(const flg_loader *loader, const flg_subsystem_keys *keys,
                                flg_robot_subsystem *robot);
/* Steps of a component by itself, or of all that is solved as one; step: its micro step [s]. keys:
 * of the subsystem; NULL: of all. */
void flg_compose_compiled_component(const flg_loader *loader, const flg_subsystem_keys *keys,
                                    flg_assembly *assembly, double step);

#endif
