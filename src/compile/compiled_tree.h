/* compiled_tree.h - a component in joint coordinates whose steps of rk4 are those of a library that
 * is generated for it (tree_source.h): bodies on joints without loops, gears on parallel axes,
 * springs, loads, motors, efforts and signals.
 */
#ifndef FLG_COMPILE_COMPILED_TREE_H
#define FLG_COMPILE_COMPILED_TREE_H

#include "assembly/assembly_inner.h"
#include "base/notices.h"
#include "compile/compiler.h"

/* Set-up: as flg_compiled_mechanism_equip. */
flg_status flg_compiled_tree_equip(flg_assembly *assembly, double step,
                                   const flg_compiler_options *compiler, flg_region *region,
                                   flg_notices *notices, flg_mistakes *mistakes);

#endif
