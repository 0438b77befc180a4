/* page_data.h - recordings as the page reads them (docs/view.md): one JSON object that says what
 * there is, and pieces of numbers, float64 with the lowest byte first.
 *
 * In a report the pieces are in the page, whole, and large recordings are thinned out to keep it
 * small: every n-th row of signals, every m-th of poses. A server hands out rows as they are asked
 * for.
 */
#ifndef FLG_PAGE_DATA_H
#define FLG_PAGE_DATA_H

#include <stdio.h>

#include "results/recording.h"

typedef struct flg_page_data {
  const flg_recording *recordings; /* (count) the first is the one that is looked at */
  const char *const *labels;       /* (count) what each is called; NULL: by coupling and file */
  int count;
  const char *comparison; /* JSON of `compare`, NULL: none */
  bool is_served;
} flg_page_data;

/* How a recording is thinned out in a report: rows 0, every, 2 every, .. are there. */
typedef struct flg_page_thinning {
  int64_t signals, poses; /* poses: a multiple of signals */
} flg_page_thinning;

enum { FLG_PAGE_REPORT_BYTES = 24 << 20 }; /* of signals, and again of poses, in all */

flg_page_thinning flg_page_thin(const flg_page_data *data, const flg_recording *recording);
/* Rows that are left. */
static inline int64_t flg_page_kept(int64_t rows, int64_t every) {
  return (rows + every - 1) / every;
}
bool flg_page_is_pose(const flg_signal *signal);
/* The JSON object; no '<' is in it, so that it can stand in a page. */
flg_status flg_page_data_write(const flg_page_data *data, FILE *out, flg_error *error);

#endif
