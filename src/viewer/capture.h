/* capture.h - a run as a recording in memory (results/recording.h): signals, scene and contacts. */
#ifndef FLG_CAPTURE_H
#define FLG_CAPTURE_H

#include "flange/simulation.h"
#include "results/recording.h"

typedef struct flg_capture flg_capture;

/* Set-up: room for all rows of a simulation that has not begun, which stays where it is; takes the
 * first row. */
flg_status flg_capture_build(flg_capture **capture, flg_simulation *simulation, flg_error *error);
void flg_capture_release(flg_capture *capture); /* NULL is allowed */
/* After a macro step: takes a row. Rows with poses that are not finite are left out. */
void flg_capture_take(flg_capture *capture);
/* Set-up: what was taken so far; status as in results/results.h. It lives as long as the capture
 * does.
 */
flg_recording flg_capture_recording(const flg_capture *capture, const char *status);

#endif
