#include "viewer/ellipsoid_svg.h"

#include <math.h>

#include "viewer/svg.h"

enum { VIEWS = 3, SIZE = 260, MARGIN = 30, POINTS = 240, LEGEND = 18 };
static const double TURN = 6.283185307179586;
/* a direction that joints block is drawn this much longer than the largest mass that is */
static const double BEYOND = 1.3;

typedef struct view {
  const char *across, *up; /* names of its axes */
  flg_vec3 x, y;           /* in the world */
} view;

static const view views[VIEWS] = {{"x", "y", {1, 0, 0}, {0, 1, 0}},
                                  {"x", "z", {1, 0, 0}, {0, 0, 1}},
                                  {"y", "z", {0, 1, 0}, {0, 0, 1}}};

static flg_vec3 direction_in(const view *in, double angle) {
  return flg_vec3_add_scaled(flg_vec3_scale(in->x, cos(angle)), sin(angle), in->y);
}

/* the largest mass in any view, of those that are finite [kg] */
static double largest_mass(const flg_drawn_side *sides, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    for (int v = 0; v < VIEWS; v++) {
      for (int i = 0; i < POINTS; i++) {
        const flg_vec3 u = direction_in(&views[v], TURN * i / POINTS);
        const double mass = flg_side_mass(&sides[k].analysis, u);
        if (isfinite(mass)) most = fmax(most, mass);
      }
    }
  }
  return most > 0 ? most : 1;
}

static void draw_outline(const flg_drawn_side *side, const view *in, double most, int colour,
                         FILE *out) {
  const double scale = (SIZE / 2.0 - MARGIN) / (BEYOND * most);
  fprintf(out, "<path class=\"fill c%d\" d=\"", colour % FLG_SVG_COLOURS);
  for (int i = 0; i < POINTS; i++) {
    const double angle = TURN * i / POINTS;
    const double mass =
        fmin(flg_side_mass(&side->analysis, direction_in(in, angle)), BEYOND * most);
    fprintf(out, "%c%.2f %.2f ", i == 0 ? 'M' : 'L', SIZE / 2.0 + scale * mass * cos(angle),
            SIZE / 2.0 - scale * mass * sin(angle));
  }
  fprintf(out, "Z\"/>\n");
}

static void draw_view(const flg_drawn_side *sides, int count, int index, double most, FILE *out) {
  const view *in = &views[index];
  fprintf(out, "<g transform=\"translate(%d %d)\">\n", index * SIZE, LEGEND);
  fprintf(out,
          "<path class=\"faint\" d=\"M%d %d H%d M%d %d V%d\"/>\n"
          "<text x=\"%d\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\">%s</text>\n",
          MARGIN / 2, SIZE / 2, SIZE - MARGIN / 2, SIZE / 2, SIZE - MARGIN / 2, MARGIN / 2,
          SIZE - MARGIN / 2 + 2, SIZE / 2 + 4, in->across, SIZE / 2 + 4, MARGIN / 2, in->up);
  for (int k = 0; k < count; k++) {
    draw_outline(&sides[k], in, most, k, out);
  }
  fprintf(out, "</g>\n");
}

void flg_ellipsoid_svg(const flg_drawn_side *sides, int count, const char *title, FILE *out) {
  const double most = largest_mass(sides, count);
  flg_svg_begin(out, VIEWS * SIZE, SIZE + LEGEND * (2 + count), title);
  fprintf(out, "<text x=\"%d\" y=\"14\">effective mass of translation: ", MARGIN / 2);
  flg_svg_escape(out, title);
  fprintf(out, "</text>\n");
  for (int v = 0; v < VIEWS; v++) draw_view(sides, count, v, most, out);
  for (int k = 0; k < count; k++) {
    const double *masses = sides[k].analysis.masses;
    const int y = SIZE + LEGEND * (k + 2) - 4;
    char classes[16];
    snprintf(classes, sizeof classes, "line c%d", k % FLG_SVG_COLOURS);
    flg_svg_line(out, MARGIN / 2.0, y - 4, MARGIN / 2.0 + 14, y - 4, classes);
    fprintf(out, "<text x=\"%d\" y=\"%d\">", MARGIN / 2 + 18, y);
    flg_svg_escape(out, sides[k].name);
    fprintf(out, ": %.4g, %.4g, %.4g kg along its axes</text>\n", masses[0], masses[1], masses[2]);
  }
  flg_svg_end(out);
}
