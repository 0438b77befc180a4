#include "viewer/svg.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

static const char style[] =
    "text { font: 12px system-ui, sans-serif; fill: #222222; }\n"
    ".title { font-weight: 600; font-size: 13px; } .small { font-size: 11px; }\n"
    ".line { fill: none; stroke-width: 1.6; stroke-linejoin: round; }\n"
    ".wide { stroke: #9aa0a8; stroke-width: 5; stroke-opacity: 0.5; }\n"
    ".dash { stroke-dasharray: 6 4; } .fill { fill: #888888; fill-opacity: 0.14; stroke-width: "
    "1.5; }\n"
    ".paper { fill: #ffffff; } .ink { fill: none; stroke: #222222; }\n"
    ".faint { fill: none; stroke: #d5d8dc; }\n"
    ".c0 { stroke: #1f6fb4; } .c1 { stroke: #d1560f; } .c2 { stroke: #1b7f4d; }\n"
    ".c3 { stroke: #7a57b5; } .c4 { stroke: #c02f7b; } .c5 { stroke: #8a6a00; }\n"
    ".c6 { stroke: #0e8a96; } .c7 { stroke: #6b6f76; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #e6e6e6; } .paper { fill: #15181c; } .ink { stroke: #e6e6e6; }\n"
    ".faint { stroke: #3a4048; }\n"
    ".c0 { stroke: #6db3f2; } .c1 { stroke: #ff9d5c; } .c2 { stroke: #5fd39a; }\n"
    ".c3 { stroke: #b79bf0; } .c4 { stroke: #ff8ac4; } .c5 { stroke: #e3b341; }\n"
    ".c6 { stroke: #56cfdb; } .c7 { stroke: #aab0b8; }\n"
    "}\n";

void flg_svg_escape(FILE *out, const char *text) {
  const char *end = text + strlen(text);
  while (text < end) {
    const int length = flg_utf8_length(text, end);
    const unsigned char c = (unsigned char)*text;
    if (c == '<') {
      fputs("&lt;", out);
    } else if (c == '&') {
      fputs("&amp;", out);
    } else if (length == 0 || (c < 0x20 && c != '\t' && c != '\n')) {
      fputc('?', out);
    } else {
      (void)fwrite(text, 1, (size_t)length, out);
    }
    text += length == 0 ? 1 : length;
  }
}

void flg_svg_begin(FILE *out, double width, double height, const char *title) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g "
          "%g\">\n<title>",
          width, height, width, height);
  flg_svg_escape(out, title);
  fprintf(out,
          "</title>\n<style>\n%s</style>\n<rect class=\"paper\" width=\"%g\" height=\"%g\"/>\n",
          style, width, height);
}

void flg_svg_end(FILE *out) {
  fputs("</svg>\n", out);
}

void flg_svg_text(FILE *out, double x, double y, const char *anchor, const char *classes,
                  double turn, const char *text) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\"", x, y, anchor,
          classes);
  if (turn != 0) fprintf(out, " transform=\"rotate(%g %.1f %.1f)\"", turn, x, y);
  fputc('>', out);
  flg_svg_escape(out, text);
  fputs("</text>\n", out);
}

void flg_svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *classes) {
  fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1f L%.1f %.1f\"/>\n", classes, x1, y1, x2, y2);
}

flg_ticks flg_ticks_over(double low, double high, int most) {
  const double width = high > low ? high - low : fmax(fabs(low), 1) * 1e-3;
  const double rough = width / fmax(most, 1), power = pow(10, floor(log10(rough)));
  const double part = rough / power;
  flg_ticks ticks = {.step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10)};
  ticks.first = ceil(low / ticks.step - 1e-9) * ticks.step;
  ticks.count = (int)floor((low + width - ticks.first) / ticks.step + 1e-9) + 1;
  return ticks;
}

const char *flg_ticks_text(const flg_ticks *ticks, int index, char text[32]) {
  const double value = ticks->first + index * ticks->step;
  const double largest = fmax(fabs(ticks->first), fabs(ticks->first + ticks->count * ticks->step));
  const int digits = (int)fmax(0, -floor(log10(ticks->step) + 1e-9));
  if (largest >= 1e5 || digits > 5) {
    snprintf(text, 32, "%.*g", 1 + (int)fmax(0, ceil(log10(largest / ticks->step))), value);
  } else {
    snprintf(text, 32, "%.*f", digits, fabs(value) < ticks->step / 2 ? 0.0 : value);
  }
  return text;
}
