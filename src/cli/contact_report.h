/* contact_report.h - what 'flange check' tells of contacts: pairs that can touch, and pairs that
 * overlap at the start.
 */
#ifndef FLG_CONTACT_REPORT_H
#define FLG_CONTACT_REPORT_H

#include "cosim/touching.h"
#include "text/json.h"

/* Nothing where nothing can touch. */
void flg_contact_report_print(const flg_simulation *simulation, FILE *out);
/* The key `contacts`: shapes, bodies, overlaps[] of {a, b, depth}. */
void flg_contact_report_json(const flg_simulation *simulation, flg_json *json);

#endif
