/* plot.h - signals over time as SVG: axes, units, legend; a panel for each unit.
 *
 * More points than pixels are drawn by the least and the most of each pixel: peaks stay.
 */
#ifndef FLG_PLOT_H
#define FLG_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct flg_curve {
  const char *label;
  const char *unit; /* "": none */
  const double *times, *values;
  int64_t count;
  int stride;   /* from one value to the next */
  bool is_dash; /* drawn broken: of a second run */
  int colour;   /* number, in the order of the legend */
} flg_curve;

/* Draws all curves. Values that are not finite leave a gap. */
void flg_plot_write(const flg_curve *curves, int count, const char *title, FILE *out);

#endif
