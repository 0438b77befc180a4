#include "viewer/plot.h"

#include <math.h>
#include <string.h>

#include "viewer/plot_scale.h"
#include "viewer/svg.h"

enum {
  LEFT = 74,
  RIGHT = 18,
  TITLE = 34,
  LEGEND_LINE = 18,
  BELOW = 44, /* of the axis of x */
  GAP = 20,
  LETTER = 7,       /* about the width of one */
  TICK_WIDTH = 76,  /* along x, with room for its number */
  TICK_HEIGHT = 36, /* along y */
  CLASSES = 40
};

static const double SPANS = 3; /* of the reference that others may leave its range by */

/* curves of one axis: where its panel is, and what it shows */
typedef struct panel {
  const char *axis;
  flg_plot_scale x, y;
  int number;
  int column, row;
  bool is_lowest; /* of its column */
} panel;

typedef struct drawing {
  const flg_plot *plot;
  const flg_curve *curves;
  int count;
  int panel_count, row_count;
  double top; /* of the first row */
  FILE *out;
} drawing;

flg_plot flg_plot_default(void) {
  return (flg_plot){.title = "",
                    .x_label = "time [s]",
                    .columns = 1,
                    .width = 760,
                    .height = 220,
                    .x_range = {NAN, NAN},
                    .y_range = {NAN, NAN}};
}

/* --- panels ---------------------------------------------------------------------------------- */

static double value_at(const flg_curve *curve, int64_t k) {
  return curve->values[k * curve->stride];
}

static bool is_in(const flg_curve *curve, const char *axis) {
  return strcmp(curve->axis, axis) == 0;
}

/* the first curve of its axis makes the panel */
static bool opens_panel(const drawing *of, int index) {
  for (int c = 0; c < index; c++) {
    if (is_in(&of->curves[c], of->curves[index].axis)) return false;
  }
  return true;
}

static void widen_by(flg_plot_scale *scale, const flg_curve *curve) {
  for (int64_t k = 0; k < curve->count; k++) flg_plot_scale_widen(scale, value_at(curve, k));
}

/* no more than a few times as far as the reference goes */
static void limit_by(flg_plot_scale *scale, const flg_plot_scale *reference) {
  const double span = SPANS * (reference->high - reference->low);
  if (scale->is_log || !(span > 0)) return;
  scale->low = fmax(scale->low, reference->low - span);
  scale->high = fmin(scale->high, reference->high + span);
}

static flg_plot_scale x_scale(const drawing *of) {
  flg_plot_scale scale = flg_plot_scale_begin(of->plot->log_x);
  for (int c = 0; c < of->count; c++) {
    const flg_curve *curve = &of->curves[c];
    for (int64_t k = 0; k < curve->count; k++) flg_plot_scale_widen(&scale, curve->x[k]);
  }
  if (isfinite(of->plot->x_range[0])) scale.low = of->plot->x_range[0];
  if (isfinite(of->plot->x_range[1])) scale.high = of->plot->x_range[1];
  flg_plot_scale_settle(&scale, false);
  return scale;
}

static flg_plot_scale y_scale(const drawing *of, const char *axis) {
  const double *range = of->plot->y_range;
  flg_plot_scale scale = flg_plot_scale_begin(of->plot->log_y), reference = scale;
  for (int c = 0; c < of->count; c++) {
    if (!is_in(&of->curves[c], axis)) continue;
    widen_by(&scale, &of->curves[c]);
    if (of->curves[c].colour == FLG_CURVE_REFERENCE) widen_by(&reference, &of->curves[c]);
  }
  limit_by(&scale, &reference);
  flg_plot_scale_settle(&scale, true);
  if (isfinite(range[0])) scale.low = range[0];
  if (isfinite(range[1])) scale.high = range[1];
  if (!(scale.low < scale.high)) flg_plot_scale_settle(&scale, true);
  return scale;
}

/* --- legends --------------------------------------------------------------------------------- */

static const char *class_of(const flg_curve *curve, char text[CLASSES]) {
  if (curve->colour == FLG_CURVE_REFERENCE) return "line wide";
  snprintf(text, CLASSES, "line c%d%s", curve->colour % FLG_SVG_COLOURS,
           curve->is_dash ? " dash" : "");
  return text;
}

/* of UTF-8 */
static double text_width(const char *text) {
  double count = 0;
  for (; *text != '\0'; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
  return LETTER * count;
}

static double label_width(const flg_curve *curve) {
  return 44 + text_width(curve->label);
}

/* one that is too long begins at the edge, and is squeezed if that does not do */
static void draw_title(const flg_plot *plot, FILE *out) {
  const double width = 1.15 * text_width(plot->title), room = plot->width - RIGHT;
  const double left = width > room - LEFT ? RIGHT : LEFT;
  fprintf(out, "<text x=\"%.1f\" y=\"20.0\" text-anchor=\"start\" class=\"title\"", left);
  if (width > room - RIGHT) {
    fprintf(out, " textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\"", room - RIGHT);
  }
  fputc('>', out);
  flg_svg_escape(out, plot->title);
  fputs("</text>\n", out);
}

/* Draws it, unless out is NULL; returns how many lines it takes. */
static int draw_legend(const drawing *of, const char *axis, double left, double right, double y,
                       FILE *out) {
  double x = left;
  int lines = 1;
  for (int c = 0; c < of->count; c++) {
    const flg_curve *curve = &of->curves[c];
    if (!is_in(curve, axis)) continue;
    if (x > left && x + label_width(curve) > right) x = left, y += LEGEND_LINE, lines++;
    char classes[CLASSES];
    if (out != NULL) {
      flg_svg_line(out, x, y - 4, x + 24, y - 4, class_of(curve, classes));
      flg_svg_text(out, x + 30, y, "start", "small", 0, curve->label);
    }
    x += label_width(curve);
  }
  return lines;
}

/* --- layout ---------------------------------------------------------------------------------- */

static double column_width(const drawing *of) {
  return of->plot->width / of->plot->columns;
}

static int legend_lines(const drawing *of, const char *axis, bool is_whole) {
  const double width = is_whole ? of->plot->width : column_width(of);
  return draw_legend(of, axis, LEFT, width - RIGHT, 0, NULL);
}

/* of the legends of all panels in a row */
static int lines_in_row(const drawing *of, int row) {
  int most = 0, number = 0;
  for (int c = 0; c < of->count && !of->plot->is_shared; c++) {
    if (!opens_panel(of, c)) continue;
    const int lines = legend_lines(of, of->curves[c].axis, false);
    if (number++ / of->plot->columns == row && lines > most) most = lines;
  }
  return most;
}

static double row_top(const drawing *of, int row) {
  const double between = of->plot->columns > 1 ? BELOW : GAP; /* each has its numbers along x */
  double top = of->top;
  for (int k = 0; k < row; k++) {
    top += LEGEND_LINE * lines_in_row(of, k) + of->plot->height + between;
  }
  return top + LEGEND_LINE * lines_in_row(of, row);
}

static panel panel_of(const drawing *of, const char *axis, int number) {
  const int columns = of->plot->columns;
  panel made = {.axis = axis,
                .x = x_scale(of),
                .y = y_scale(of, axis),
                .number = number,
                .column = number % columns,
                .row = number / columns,
                .is_lowest = number + columns >= of->panel_count};
  const double left = made.column * column_width(of);
  made.x.from = left + LEFT, made.x.to = left + column_width(of) - RIGHT;
  made.y.to = row_top(of, made.row), made.y.from = made.y.to + of->plot->height;
  return made;
}

/* --- drawing --------------------------------------------------------------------------------- */

static void draw_axes(const drawing *of, const panel *in) {
  double values[FLG_PLOT_TICKS_MAX];
  char texts[FLG_PLOT_TICKS_MAX][32];
  FILE *out = of->out;
  const double left = in->x.from, right = in->x.to, bottom = in->y.from, top = in->y.to;
  int count = flg_plot_scale_ticks(&in->y, (int)(of->plot->height / TICK_HEIGHT), values, texts);
  for (int k = 0; k < count; k++) {
    const double y = flg_plot_scale_at(&in->y, values[k]);
    flg_svg_line(out, left, y, right, y, "faint");
    flg_svg_text(out, left - 8, y + 4, "end", "small", 0, texts[k]);
  }
  const bool has_numbers = in->is_lowest || of->plot->columns > 1;
  count = flg_plot_scale_ticks(&in->x, (int)((right - left) / TICK_WIDTH), values, texts);
  for (int k = 0; k < count; k++) {
    const double x = flg_plot_scale_at(&in->x, values[k]);
    flg_svg_line(out, x, top, x, bottom, "faint");
    if (has_numbers) flg_svg_text(out, x, bottom + 18, "middle", "small", 0, texts[k]);
  }
  fprintf(out, "<path class=\"ink\" d=\"M%.1f %.1f V%.1f H%.1f\"/>\n", left, top, bottom, right);
  flg_svg_text(out, left - LEFT + 18, (top + bottom) / 2, "middle", "", -90, in->axis);
  if (in->is_lowest) {
    flg_svg_text(out, (left + right) / 2, bottom + 36, "middle", "", 0, of->plot->x_label);
  }
}

/* a pixel of a curve: where it comes in, its extremes, where it goes out */
typedef struct pen {
  FILE *out;
  const panel *in;
  bool is_down;
  int64_t pixel;
  double first, least, most, last;
} pen;

static void draw_point(pen *with, double x, double value) {
  fprintf(with->out, "%c%.1f %.1f ", with->is_down ? 'L' : 'M', x,
          flg_plot_scale_at(&with->in->y, value));
  with->is_down = true;
}

static void draw_pixel(pen *with) {
  if (with->pixel < 0) return;
  const double x = (double)with->pixel / 2;
  draw_point(with, x, with->first);
  if (with->least < fmin(with->first, with->last)) draw_point(with, x, with->least);
  if (with->most > fmax(with->first, with->last)) draw_point(with, x, with->most);
  if (with->last != with->first) draw_point(with, x, with->last);
  with->pixel = -1;
}

static bool is_seen(const panel *in, double x, double value) {
  return flg_plot_scale_has(&in->y, value) && flg_plot_scale_has(&in->x, x);
}

static void add_curve_point(pen *with, double x, double value) {
  if (!is_seen(with->in, x, value)) {
    draw_pixel(with);
    with->is_down = false;
    return;
  }
  const int64_t pixel = llround(fmax(0, 2 * flg_plot_scale_at(&with->in->x, x)));
  if (pixel != with->pixel) {
    draw_pixel(with);
    with->pixel = pixel, with->first = with->least = with->most = value;
  }
  with->last = value;
  with->least = fmin(with->least, value), with->most = fmax(with->most, value);
}

/* where the next value is a gap, a value alone would not be seen */
static bool is_value_alone(const flg_curve *curve, const panel *in, int64_t k) {
  const bool before = k > 0 && is_seen(in, curve->x[k - 1], value_at(curve, k - 1));
  const bool after = k + 1 < curve->count && is_seen(in, curve->x[k + 1], value_at(curve, k + 1));
  return !before && !after;
}

static void draw_dots(const drawing *of, const flg_curve *curve, const panel *in) {
  char classes[CLASSES];
  for (int64_t k = 0; k < curve->count; k++) {
    if (!is_seen(in, curve->x[k], value_at(curve, k))) continue;
    if (!of->plot->has_points && !is_value_alone(curve, in, k)) continue;
    fprintf(of->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.7\"/>\n",
            class_of(curve, classes), flg_plot_scale_at(&in->x, curve->x[k]),
            flg_plot_scale_at(&in->y, value_at(curve, k)));
  }
}

static void draw_curve(const drawing *of, const flg_curve *curve, const panel *in) {
  pen with = {.out = of->out, .in = in, .pixel = -1};
  char classes[CLASSES];
  fprintf(of->out, "<path class=\"%s\" d=\"", class_of(curve, classes));
  for (int64_t k = 0; k < curve->count; k++)
    add_curve_point(&with, curve->x[k], value_at(curve, k));
  draw_pixel(&with);
  fputs("\"/>\n", of->out);
  draw_dots(of, curve, in);
}

static void draw_panel(const drawing *of, const panel *in) {
  draw_axes(of, in);
  if (!of->plot->is_shared) {
    const double top = in->y.to - LEGEND_LINE * lines_in_row(of, in->row) + 8;
    (void)draw_legend(of, in->axis, in->x.from, in->x.to, top, of->out);
  }
  fprintf(of->out,
          "<clipPath id=\"p%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
          "</clipPath>\n<g clip-path=\"url(#p%d)\">\n",
          in->number, in->x.from - 2, in->y.to - 2, in->x.to - in->x.from + 4,
          in->y.from - in->y.to + 4, in->number);
  for (int pass = 0; pass < 2; pass++) { /* references first */
    for (int c = 0; c < of->count; c++) {
      const bool is_reference = of->curves[c].colour == FLG_CURVE_REFERENCE;
      if (is_in(&of->curves[c], in->axis) && is_reference == (pass == 0)) {
        draw_curve(of, &of->curves[c], in);
      }
    }
  }
  fputs("</g>\n", of->out);
}

void flg_plot_write(const flg_plot *plot, const flg_curve *curves, int count, FILE *out) {
  drawing of = {.plot = plot, .curves = curves, .count = count, .top = TITLE, .out = out};
  for (int c = 0; c < count; c++) of.panel_count += opens_panel(&of, c);
  of.row_count = (of.panel_count + plot->columns - 1) / plot->columns;
  if (plot->is_shared && count > 0) {
    of.top += LEGEND_LINE * legend_lines(&of, curves[0].axis, true);
  }
  const double height =
      count == 0 ? TITLE : row_top(&of, of.row_count - 1) + plot->height + GAP + BELOW;
  flg_svg_begin(out, plot->width, height, plot->title);
  draw_title(plot, out);
  if (plot->is_shared && count > 0) {
    draw_legend(&of, curves[0].axis, LEFT, plot->width - RIGHT, TITLE + 8, out);
  }
  for (int c = 0, number = 0; c < count; c++) {
    if (!opens_panel(&of, c)) continue;
    const panel in = panel_of(&of, curves[c].axis, number++);
    draw_panel(&of, &in);
  }
  flg_svg_end(out);
}
