/* compare_table.h - the largest errors of a comparison over macro steps, as a table for flange
 * plot.
 *
 *     macro step [s],hand/box/U.position.sequential [m],hand/box/U.position.parallel [m]
 *     0.008333333333333333,3.5e-5,6.8e-4
 *
 * NaN where a run diverged, or was not made.
 */
#ifndef FLG_COMPARE_TABLE_H
#define FLG_COMPARE_TABLE_H

#include "cli/compare_report.h"

/* traces (runs + 1): of the runs in their order, then of the reference. */
flg_status flg_compare_write_table(const flg_comparison *comparison, const flg_trace *traces,
                                   const char *path, flg_error *error);

#endif
