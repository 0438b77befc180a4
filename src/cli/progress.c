#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

static const double INTERVAL = 0.1; /* s on the clock between two showings */
enum { BAR_WIDTH = 30 };

flg_progress flg_progress_begin(double end, bool machine) {
  const flg_progress_style style = machine                 ? FLG_PROGRESS_MACHINE
                                   : isatty(STDERR_FILENO) ? FLG_PROGRESS_BAR
                                                           : FLG_PROGRESS_NONE;
  const double now = flg_clock();
  return (flg_progress){.style = style, .end = end, .started = now, .shown = now};
}

static void draw_bar(double fraction, double time, double end, double speed, double left) {
  char bar[BAR_WIDTH + 1];
  for (int k = 0; k < BAR_WIDTH; k++) bar[k] = k < (int)(fraction * BAR_WIDTH) ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  fprintf(stderr, "\r[%s] %3.0f %%  %.4g of %.4g s  %.3g x real time  %.0f s to go \033[K", bar,
          100 * fraction, time, end, speed, left);
}

static void draw_progress(flg_progress *progress, double time) {
  const double spent = progress->shown - progress->started, fraction = time / progress->end;
  const double left = fraction > 0 ? spent * (1 - fraction) / fraction : 0;
  if (progress->style == FLG_PROGRESS_MACHINE) {
    fprintf(stderr, "@progress %.6f %.9g %.9g %.1f\n", fraction, time, progress->end, left);
  } else {
    draw_bar(fraction, time, progress->end, spent > 0 ? time / spent : 0, left);
    progress->drawn = true;
  }
}

void flg_progress_show(flg_progress *progress, double time) {
  if (progress->style == FLG_PROGRESS_NONE) return;
  const double now = flg_clock();
  if (now - progress->shown < INTERVAL) return;
  progress->shown = now;
  draw_progress(progress, time);
}

void flg_progress_end(flg_progress *progress, double time) {
  if (progress->style == FLG_PROGRESS_NONE) return;
  progress->shown = flg_clock();
  draw_progress(progress, time);
  if (progress->drawn) fprintf(stderr, "\n");
}
