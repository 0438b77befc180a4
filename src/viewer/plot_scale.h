/* plot_scale.h - one axis of a plot: from values to pixels, and its ticks. */
#ifndef FLG_PLOT_SCALE_H
#define FLG_PLOT_SCALE_H

#include <stdbool.h>
#include <stdint.h>

enum { FLG_PLOT_TICKS_MAX = 64 };

/* Values from low to high are at pixels from `from` to `to`. */
typedef struct flg_plot_scale {
  bool is_log;
  double low, high, from, to;
} flg_plot_scale;

/* An empty range, to be widened by values: those that cannot be drawn leave it as it is. */
flg_plot_scale flg_plot_scale_begin(bool is_log);
bool flg_plot_scale_has(const flg_plot_scale *scale, double value);
void flg_plot_scale_widen(flg_plot_scale *scale, double value);
/* After that: a range that is not empty. With a margin, so that curves do not lie on the frame; of
 * logarithmic ones whole decades, at most twelve. */
void flg_plot_scale_settle(flg_plot_scale *scale, bool has_margin);
/* The pixel of a value that it has, kept near the frame. */
double flg_plot_scale_at(const flg_plot_scale *scale, double value);
/* Round values, at most `most` (up to FLG_PLOT_TICKS_MAX), and their texts; returns how many. */
int flg_plot_scale_ticks(const flg_plot_scale *scale, int most, double *values, char (*texts)[32]);

#endif
