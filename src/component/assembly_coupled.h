/* assembly_coupled.h - ports of an assembly: frames at which it is joined to others. Their rows
 * stay open up to the root of the plan: what is left there, moved to the frames, is the model. */
#ifndef FLG_ASSEMBLY_COUPLED_H
#define FLG_ASSEMBLY_COUPLED_H

#include "assembly/assembly_inner.h"
#include "contract/coupled.h"

extern const flg_coupled_ops flg_assembly_coupled_ops;

#endif
