/* structure_report.h - what of a component is computed as one, for people and programs. */
#ifndef FLG_STRUCTURE_REPORT_H
#define FLG_STRUCTURE_REPORT_H

#include <stdio.h>

#include "component/assembly_freedom.h"
#include "text/json.h"

/* True if bodies became one, joints are left out, or bodies are in joint coordinates. */
bool flg_structure_is_reduced(const flg_assembly *assembly);
/* Clusters, bodies that the ground holds, repeated joints, trees and cut joints; rows, rank and
 * flops, before: of the same component as the file has it. Also whether it moves in a plane. Prints
 * nothing if all is as in the file.
 */
void flg_structure_print(flg_assembly *assembly, flg_assembly *before, FILE *out);
/* The same as an object. */
void flg_structure_json(flg_assembly *assembly, flg_assembly *before, const char *subsystem,
                        flg_json *json);

#endif
