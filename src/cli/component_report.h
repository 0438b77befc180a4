/* component_report.h - an assembly in figures: what its joints leave free, and where they repeat or
 * contradict each other, by name. */
#ifndef FLG_COMPONENT_REPORT_H
#define FLG_COMPONENT_REPORT_H

#include "cli/model_report.h"
#include "component/assembly_freedom.h"
#include "text/json.h"

/* Adds bodies, joints, rows and rank of an assembly. */
void flg_component_figures_add(flg_model_figures *figures, flg_assembly *assembly);
/* Groups, bodies and joints of each, ports. */
void flg_component_print(const flg_component *component, FILE *out);
/* After the figures: redundant joints and those they repeat, bodies that nothing holds. */
void flg_component_notes_print(const flg_assembly *assembly, FILE *out);
/* The elements of the list `redundant`: {joint, rows, with}. */
void flg_component_redundant_json(const flg_assembly *assembly, flg_json *json);
/* Which bodies, and which joints of robots, were moved to close the joints of a subsystem that is
 * an assembly, and how far. */
void flg_component_moves_print(const flg_subsystem *part, FILE *out);

#endif
