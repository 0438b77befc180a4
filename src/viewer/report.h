/* report.h - recordings and the page that shows them as one HTML file, which needs no network. */
#ifndef FLG_REPORT_H
#define FLG_REPORT_H

#include "viewer/page_data.h"

/* The page as it is built (src/viewer/page): its text has one place for data, FLG_PAGE_PLACE. */
typedef struct flg_page {
  const char *text;
  size_t size; /* 0: this build has none */
} flg_page;

#define FLG_PAGE_PLACE "<!--flange:data-->"

/* FLG_ERR_USAGE with what to do if the build has no page. */
flg_status flg_page_check(const flg_page *page, flg_error *error);
/* Writes the report. Whether all could be written is for the owner of `out` to see. */
flg_status flg_report_write(const flg_page *page, const flg_page_data *data, FILE *out,
                            flg_error *error);

#endif
