/* assembly_contract.h - an assembly behind the contract of subsystem.h. */
#ifndef FLG_ASSEMBLY_CONTRACT_H
#define FLG_ASSEMBLY_CONTRACT_H

#include "assembly/assembly.h"

/* Set-up: an assembly behind the contract; it is released as a subsystem from then on. */
flg_status flg_assembly_register(flg_assembly *assembly, const char *name, flg_subsystem *subsystem,
                                 flg_error *error);
/* The assembly that it is, or NULL if it is something else. */
flg_assembly *flg_subsystem_assembly(const flg_subsystem *subsystem);

#endif
