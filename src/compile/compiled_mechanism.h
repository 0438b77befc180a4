/* compiled_mechanism.h - a component whose steps of rattle are taken by generated code.
 *
 * The component stays what it is: events, signals, ports, contacts and singular poses are the
 * interpreter's. Steps that it takes in the plane (assembly/assembly_planar.h), or in space with
 * frozen rows (interface/frozen_rows.h), are taken by a library that was generated for its
 * structure (planar_source.h, space_source.h) and lies in the user's cache (cache.h). The library
 * does the interpreter's operations in the interpreter's order, so that the bits of a run are the
 * same.
 *
 * Before a library is used it is compared with the interpreter over a few steps from the start.
 */
#ifndef FLG_COMPILE_COMPILED_MECHANISM_H
#define FLG_COMPILE_COMPILED_MECHANISM_H

#include "assembly/assembly.h"
#include "base/notices.h"
#include "compile/compiler.h"
#include "flange/mistakes.h"

/* Set-up: of an assembly that is closed and at its start; step: the one that it will take [s]. The
 * library goes with the region, which must outlive the assembly. What stands in the way goes to
 * mistakes, and the assembly is as before. notices may be NULL. */
flg_status flg_compiled_mechanism_equip(flg_assembly *assembly, double step,
                                        const flg_compiler_options *compiler, flg_region *region,
                                        flg_notices *notices, flg_mistakes *mistakes);

/* Steps that generated code has taken, and steps that the interpreter took all the same. False: all
 * are interpreted. */
bool flg_compiled_mechanism_steps(const flg_assembly *assembly, int64_t *taken, int64_t *declined);

#endif
