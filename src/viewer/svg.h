/* svg.h - pictures as SVG: what they share. Colours follow the reader's choice of light or dark.
 *
 * Classes: ink, faint and paper; c0 .. c7 colours of curves; line, dash, wide, fill; title, small.
 * Text is escaped; what is not allowed in XML becomes '?'.
 */
#ifndef FLG_SVG_H
#define FLG_SVG_H

#include <stdio.h>

enum { FLG_SVG_COLOURS = 8 };

void flg_svg_begin(FILE *out, double width, double height, const char *title);
void flg_svg_end(FILE *out);
/* anchor: "start", "middle" or "end"; turn: degrees about (x, y). */
void flg_svg_text(FILE *out, double x, double y, const char *anchor, const char *classes,
                  double turn, const char *text);
void flg_svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *classes);
/* Text alone, escaped. */
void flg_svg_escape(FILE *out, const char *text);

/* Round numbers over a range, at most `most` of them: the first, their distance; returns how many.
 * A range without width is given one. */
typedef struct flg_ticks {
  double first, step;
  int count;
} flg_ticks;
flg_ticks flg_ticks_over(double low, double high, int most);
/* The value of a tick as text, without digits that its step does not need. */
const char *flg_ticks_text(const flg_ticks *ticks, int index, char text[32]);

#endif
