/* compare_report.h - a comparison for people, and for machines. */
#ifndef FLG_COMPARE_REPORT_H
#define FLG_COMPARE_REPORT_H

#include "cosim/compare.h"
#include "io/load_compare.h"
#include "text/json.h"

/* traces (runs + 1): of the runs in their order, then of the reference. On stdout. */
void flg_compare_print_tables(const flg_comparison *comparison, const flg_trace *traces);
void flg_compare_print_json(const flg_comparison *comparison, const flg_trace *traces);
/* The keys of --json, into an object that is open. */
void flg_compare_write_json(const flg_comparison *comparison, const flg_trace *traces,
                            flg_json *json);
/* The macro step as 1/60, where it is one over a whole number; returns text. */
enum { FLG_STEP_TEXT = 32 };
const char *flg_compare_step_text(double step, char text[FLG_STEP_TEXT]);

/* True if a run steps by a method of the same family as the reference. */
bool flg_compare_steps_alike(const flg_comparison *comparison, int run);

#endif
