/* plot.h - curves as SVG: axes, units, legend; panels one under the other, or in columns.
 *
 * More points than pixels are drawn by the least and the most of each pixel: peaks stay. Curves
 * that leave the range of a panel are cut off at its frame.
 */
#ifndef FLG_PLOT_H
#define FLG_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { FLG_CURVE_REFERENCE = -1 }; /* as colour: wide and pale, below the others */

typedef struct flg_curve {
  const char *label;
  const char *axis; /* of y, with its unit: curves with the same one share a panel */
  const double *x, *values;
  int64_t count;
  int stride;   /* from one value to the next */
  int colour;   /* number, in the order of the legend */
  bool is_dash; /* drawn broken: of a second run */
} flg_curve;

typedef struct flg_plot {
  const char *title;
  const char *x_label;
  int columns;          /* of panels, 1 or more */
  double width, height; /* of the picture, of a panel [px] */
  bool log_x, log_y;
  bool has_points; /* values are marked, besides the lines between them */
  bool is_shared;  /* one legend stands for all panels, which have the same curves */
  /* NaN: as the values have it. Without a range of y, a panel with a reference shows no more than
   * three times its span on either side: curves that run away do not flatten it. */
  double x_range[2], y_range[2];
} flg_plot;

/* Over time, one column, 760 x 220, no title, not logarithmic. */
flg_plot flg_plot_default(void);
/* Draws all curves. Values that are not finite leave a gap; on logarithmic axes so do those that
 * are not positive. */
void flg_plot_write(const flg_plot *plot, const flg_curve *curves, int count, FILE *out);

#endif
