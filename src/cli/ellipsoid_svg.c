#include "cli/ellipsoid_svg.h"

#include <math.h>

enum { VIEWS = 3, SIZE = 260, MARGIN = 30, POINTS = 240, LEGEND = 18 };
static const double TURN = 6.283185307179586;
/* a direction that does not give way is drawn this much longer than the largest mass that is */
static const double BEYOND = 1.3;

static const char *const colours[] = {"#1f6fb4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

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
static double largest(const flg_drawn_side *sides, int count) {
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

static void draw_outline(const flg_drawn_side *side, const view *in, double most,
                         const char *colour, FILE *out) {
  const double scale = (SIZE / 2.0 - MARGIN) / (BEYOND * most);
  fprintf(out, "<path fill=\"%s\" fill-opacity=\"0.12\" stroke=\"%s\" stroke-width=\"1.5\" d=\"",
          colour, colour);
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
          "<path stroke=\"#999\" stroke-width=\"0.7\" d=\"M%d %d H%d M%d %d V%d\"/>\n"
          "<text x=\"%d\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\">%s</text>\n",
          MARGIN / 2, SIZE / 2, SIZE - MARGIN / 2, SIZE / 2, SIZE - MARGIN / 2, MARGIN / 2,
          SIZE - MARGIN / 2 + 2, SIZE / 2 + 4, in->across, SIZE / 2 + 4, MARGIN / 2, in->up);
  for (int k = 0; k < count; k++) {
    draw_outline(&sides[k], in, most, colours[k % COLOURS], out);
  }
  fprintf(out, "</g>\n");
}

static void write_text(const char *text, FILE *out) {
  for (; *text != '\0'; text++) {
    switch (*text) {
      case '<':
        fputs("&lt;", out);
        break;
      case '&':
        fputs("&amp;", out);
        break;
      default:
        fputc(*text, out);
        break;
    }
  }
}

void flg_ellipsoid_svg(const flg_drawn_side *sides, int count, const char *title, FILE *out) {
  const double most = largest(sides, count);
  const int height = SIZE + LEGEND * (2 + count);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
          "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
          VIEWS * SIZE, height, VIEWS * SIZE, height);
  write_text(title, out);
  fprintf(out,
          "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
          "<text x=\"%d\" y=\"14\">effective mass of translation: ",
          MARGIN / 2);
  write_text(title, out);
  fprintf(out, "</text>\n");
  for (int v = 0; v < VIEWS; v++) draw_view(sides, count, v, most, out);
  for (int k = 0; k < count; k++) {
    const double *masses = sides[k].analysis.masses;
    const int y = SIZE + LEGEND * (k + 2) - 4;
    fprintf(
        out,
        "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">",
        MARGIN / 2, y - 10, colours[k % COLOURS], MARGIN / 2 + 18, y);
    write_text(sides[k].name, out);
    fprintf(out, ": %.4g, %.4g, %.4g kg along its axes</text>\n", masses[0], masses[1], masses[2]);
  }
  fprintf(out, "</svg>\n");
}
