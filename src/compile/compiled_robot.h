/* compiled_robot.h - a robot whose steps take their accelerations from generated code.
 *
 * The robot stays what it is: controllers, events, joint ends, contacts, signals and couplings are
 * those of the model. In its steps forward dynamics is called in a library that was generated for
 * this model (robot_source.h) and lies in the user's cache (cache.h). Where a joint is locked, and
 * where models of interfaces are made, the interpreter (dynamics/) does it.
 *
 * Before a library is used it is compared with the interpreter, at the start and in a second pose:
 * accelerations may differ by 1e-10 of the largest.
 */
#ifndef FLG_COMPILE_COMPILED_ROBOT_H
#define FLG_COMPILE_COMPILED_ROBOT_H

#include "base/notices.h"
#include "compile/compiler.h"
#include "flange/mistakes.h"
#include "robot/robot_subsystem.h"

/* Set-up: of a robot that is placed and at its start. The library goes with the region. What stands
 * in the way (a part that cannot be compiled, no compiler, a library that computes something else)
 * goes to mistakes, and the robot is as before. notices may be NULL. */
flg_status flg_compiled_robot_equip(flg_robot_subsystem *robot,
                                    const flg_compiler_options *compiler, flg_region *region,
                                    flg_notices *notices, flg_mistakes *mistakes);

#endif
