/* compare_page.h - a comparison as a page: all runs laid over each other (viewer/report.h). */
#ifndef FLG_COMPARE_PAGE_H
#define FLG_COMPARE_PAGE_H

#include "cli/compare_report.h"
#include "viewer/capture.h"

/* captures and traces (runs + 1): of the runs in their order, then of the reference. */
flg_status flg_compare_write_page(const flg_comparison *comparison, const flg_trace *traces,
                                  flg_capture *const *captures, const char *path, flg_error *error);

#endif
