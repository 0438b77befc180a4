/* progress.h - how far a long work has come: a bar on a terminal, or lines for a machine. */
#ifndef FLG_PROGRESS_H
#define FLG_PROGRESS_H

#include <stdbool.h>

typedef enum flg_progress_style {
  FLG_PROGRESS_NONE,
  FLG_PROGRESS_BAR,    /* redrawn in place on stderr */
  FLG_PROGRESS_MACHINE /* `@progress FRACTION TIME END SECONDS_TO_GO` lines on stderr */
} flg_progress_style;

typedef struct flg_progress {
  flg_progress_style style;
  double end;     /* of the simulated time [s] */
  double started; /* on the clock [s] */
  double shown;   /* when it was last shown */
  bool drawn;     /* a bar stands on the line */
} flg_progress;

/* A bar if stderr is a terminal, machine lines if asked for, else nothing. */
flg_progress flg_progress_begin(double end, bool machine);
/* Shows it if the last time was long enough ago; cheap otherwise. */
void flg_progress_show(flg_progress *progress, double time);
/* Shows the last state and leaves the line. */
void flg_progress_end(flg_progress *progress, double time);

#endif
