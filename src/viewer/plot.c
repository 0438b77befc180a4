#include "viewer/plot.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "viewer/svg.h"

enum {
  WIDTH = 760,
  LEFT = 74,
  RIGHT = 18,
  TITLE = 34,
  PANEL = 220,
  LEGEND_LINE = 18,
  BELOW = 44, /* of the axis of time */
  GAP = 20,
  LETTER = 7 /* about the width of one */
};

typedef struct range {
  double low, high;
} range;

/* one unit: where its panel is, and what it shows */
typedef struct panel {
  const char *unit;
  range times, values;
  double top;    /* of the plot, below its legend */
  int thickness; /* lines of legend */
} panel;

static void widen(range *of, double value) {
  if (!isfinite(value)) return;
  of->low = fmin(of->low, value), of->high = fmax(of->high, value);
}

static double value_at(const flg_curve *curve, int64_t k) {
  return curve->values[k * curve->stride];
}

static bool is_in(const flg_curve *curve, const panel *of) {
  return strcmp(curve->unit, of->unit) == 0;
}

static double label_width(const flg_curve *curve) {
  return 44 + LETTER * (double)strlen(curve->label);
}

/* a margin, so that curves do not lie on the frame; a constant gets some room */
static range with_margin(range of) {
  if (!(of.low <= of.high)) return (range){0, 1};
  double margin = 0.05 * (of.high - of.low);
  if (margin == 0) margin = of.low == 0 ? 1 : 0.1 * fabs(of.low);
  return (range){of.low - margin, of.high + margin};
}

static panel panel_of(const flg_curve *curves, int count, const char *unit) {
  panel of = {.unit = unit, .times = {INFINITY, -INFINITY}, .values = {INFINITY, -INFINITY}};
  double x = 0;
  of.thickness = 1;
  for (int c = 0; c < count; c++) {
    for (int64_t k = 0; k < curves[c].count; k++) widen(&of.times, curves[c].times[k]);
    if (!is_in(&curves[c], &of)) continue;
    for (int64_t k = 0; k < curves[c].count; k++) widen(&of.values, value_at(&curves[c], k));
    if (x > 0 && x + label_width(&curves[c]) > WIDTH - LEFT - RIGHT) of.thickness++, x = 0;
    x += label_width(&curves[c]);
  }
  if (!(of.times.low < of.times.high)) of.times = with_margin(of.times);
  of.values = with_margin(of.values);
  return of;
}

static double x_at(const panel *of, double time) {
  return LEFT + (time - of->times.low) / (of->times.high - of->times.low) * (WIDTH - LEFT - RIGHT);
}

static double y_at(const panel *of, double value) {
  return of->top + (of->values.high - value) / (of->values.high - of->values.low) * PANEL;
}

static void draw_legend(const flg_curve *curves, int count, const panel *of, FILE *out) {
  double x = LEFT, y = of->top - LEGEND_LINE * of->thickness + 8;
  for (int c = 0; c < count; c++) {
    if (!is_in(&curves[c], of)) continue;
    if (x > LEFT && x + label_width(&curves[c]) > WIDTH - RIGHT) x = LEFT, y += LEGEND_LINE;
    char classes[40];
    snprintf(classes, sizeof classes, "line c%d%s", curves[c].colour % FLG_SVG_COLOURS,
             curves[c].is_dash ? " dash" : "");
    flg_svg_line(out, x, y - 4, x + 24, y - 4, classes);
    flg_svg_text(out, x + 30, y, "start", "small", 0, curves[c].label);
    x += label_width(&curves[c]);
  }
}

static void draw_axes(const panel *of, bool is_last, FILE *out) {
  const flg_ticks up = flg_ticks_over(of->values.low, of->values.high, 6);
  const flg_ticks along = flg_ticks_over(of->times.low, of->times.high, 9);
  const double bottom = of->top + PANEL, right = WIDTH - RIGHT;
  char text[32], unit[80];
  for (int k = 0; k < up.count; k++) {
    const double y = y_at(of, up.first + k * up.step);
    flg_svg_line(out, LEFT, y, right, y, "faint");
    flg_svg_text(out, LEFT - 8, y + 4, "end", "small", 0, flg_ticks_text(&up, k, text));
  }
  for (int k = 0; k < along.count; k++) {
    const double x = x_at(of, along.first + k * along.step);
    flg_svg_line(out, x, of->top, x, bottom, "faint");
    if (!is_last) continue;
    flg_svg_text(out, x, bottom + 18, "middle", "small", 0, flg_ticks_text(&along, k, text));
  }
  fprintf(out, "<path class=\"ink\" d=\"M%d %.1f V%.1f H%.1f\"/>\n", LEFT, of->top, bottom, right);
  snprintf(unit, sizeof unit, "%s", of->unit[0] == '\0' ? "no unit" : of->unit);
  flg_svg_text(out, 18, of->top + PANEL / 2.0, "middle", "", -90, unit);
  if (is_last) flg_svg_text(out, (LEFT + right) / 2, bottom + 36, "middle", "", 0, "time [s]");
}

/* a pixel of a curve: where it comes in, its extremes, where it goes out */
typedef struct pen {
  FILE *out;
  const panel *of;
  bool is_down;
  int64_t pixel;
  double first, least, most, last;
} pen;

static void draw_point(pen *with, double x, double y) {
  fprintf(with->out, "%c%.1f %.1f ", with->is_down ? 'L' : 'M', x, y);
  with->is_down = true;
}

static void draw_pixel(pen *with) {
  if (with->pixel < 0) return;
  const double x = (double)with->pixel / 2;
  draw_point(with, x, y_at(with->of, with->first));
  if (with->least < fmin(with->first, with->last)) {
    draw_point(with, x, y_at(with->of, with->least));
  }
  if (with->most > fmax(with->first, with->last)) draw_point(with, x, y_at(with->of, with->most));
  if (with->last != with->first) draw_point(with, x, y_at(with->of, with->last));
  with->pixel = -1;
}

static void add_point(pen *with, double time, double value) {
  if (!isfinite(value)) {
    draw_pixel(with);
    with->is_down = false;
    return;
  }
  const int64_t pixel = llround(2 * x_at(with->of, time));
  if (pixel != with->pixel) {
    draw_pixel(with);
    with->pixel = pixel, with->first = with->least = with->most = value;
  }
  with->last = value;
  with->least = fmin(with->least, value), with->most = fmax(with->most, value);
}

static void draw_curve(const flg_curve *curve, const panel *of, FILE *out) {
  pen with = {.out = out, .of = of, .pixel = -1};
  fprintf(out, "<path class=\"line c%d%s\" d=\"", curve->colour % FLG_SVG_COLOURS,
          curve->is_dash ? " dash" : "");
  for (int64_t k = 0; k < curve->count; k++) add_point(&with, curve->times[k], value_at(curve, k));
  draw_pixel(&with);
  fputs("\"/>\n", out);
}

/* the first curve of its unit makes the panel */
static bool opens_panel(const flg_curve *curves, int index) {
  for (int c = 0; c < index; c++) {
    if (strcmp(curves[c].unit, curves[index].unit) == 0) return false;
  }
  return true;
}

static int last_panel(const flg_curve *curves, int count) {
  int last = 0;
  for (int c = 0; c < count; c++) last = opens_panel(curves, c) ? c : last;
  return last;
}

static double height_of(const flg_curve *curves, int count) {
  double height = TITLE + BELOW;
  for (int c = 0; c < count; c++) {
    if (!opens_panel(curves, c)) continue;
    height += PANEL + GAP + LEGEND_LINE * panel_of(curves, count, curves[c].unit).thickness;
  }
  return height;
}

void flg_plot_write(const flg_curve *curves, int count, const char *title, FILE *out) {
  const int last = last_panel(curves, count);
  double top = TITLE;
  flg_svg_begin(out, WIDTH, height_of(curves, count), title);
  flg_svg_text(out, LEFT, 20, "start", "title", 0, title);
  for (int c = 0; c < count; c++) {
    if (!opens_panel(curves, c)) continue;
    panel of = panel_of(curves, count, curves[c].unit);
    of.top = top + LEGEND_LINE * of.thickness;
    draw_axes(&of, c == last, out);
    draw_legend(curves, count, &of, out);
    for (int k = 0; k < count; k++) {
      if (is_in(&curves[k], &of)) draw_curve(&curves[k], &of, out);
    }
    top = of.top + PANEL + GAP;
  }
  flg_svg_end(out);
}
