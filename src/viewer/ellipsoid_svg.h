/* ellipsoid_svg.h - belted ellipsoids of effective mass as a picture: three views, overlaid. */
#ifndef FLG_ELLIPSOID_SVG_H
#define FLG_ELLIPSOID_SVG_H

#include <stdio.h>

#include "cosim/analysis.h"

typedef struct flg_drawn_side {
  const char *name;
  flg_side_analysis analysis;
} flg_drawn_side;

void flg_ellipsoid_svg(const flg_drawn_side *sides, int count, const char *title, FILE *out);

#endif
