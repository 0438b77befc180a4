/* assembly_identity.h - the inside of assemblies: 64 bits of all that its runs depend on. */
#ifndef FLG_ASSEMBLY_IDENTITY_H
#define FLG_ASSEMBLY_IDENTITY_H

#include "assembly/assembly.h"

/* The seed chained with name, options, component and robots. Where moving bodies start counts only
 * in what was measured there: phases of gears, lengths of springs, the length of all.
 * self: an assembly. */
uint64_t flg_assembly_identity(const void *self, uint64_t seed);

#endif
