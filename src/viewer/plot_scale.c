#include "viewer/plot_scale.h"

#include <math.h>
#include <stdio.h>

#include "viewer/svg.h"

static const double MARGIN = 0.05;     /* of the range */
static const double DECADES_MAX = 12;  /* below the largest value: the rest is rounding */
static const double PIXELS_FAR = 1000; /* beyond the frame: farther is not drawn anyway */

flg_plot_scale flg_plot_scale_begin(bool is_log) {
  return (flg_plot_scale){.is_log = is_log, .low = INFINITY, .high = -INFINITY};
}

bool flg_plot_scale_has(const flg_plot_scale *scale, double value) {
  return isfinite(value) && (!scale->is_log || value > 0);
}

void flg_plot_scale_widen(flg_plot_scale *scale, double value) {
  if (!flg_plot_scale_has(scale, value)) return;
  scale->low = fmin(scale->low, value), scale->high = fmax(scale->high, value);
}

static void settle_log(flg_plot_scale *scale, bool has_margin) {
  if (!(scale->low <= scale->high)) scale->low = 0.1, scale->high = 1;
  if (has_margin) {
    scale->low = fmax(scale->low, scale->high * pow(10, -DECADES_MAX));
    scale->low = pow(10, floor(log10(scale->low) + 1e-9));
    scale->high = pow(10, ceil(log10(scale->high) - 1e-9));
  }
  if (scale->low == scale->high) scale->low /= 3, scale->high *= 3;
}

/* what is constant but for rounding gets some room */
void flg_plot_scale_settle(flg_plot_scale *scale, bool has_margin) {
  if (scale->is_log) {
    settle_log(scale, has_margin);
    return;
  }
  if (!(scale->low <= scale->high)) scale->low = 0, scale->high = 1;
  const double size = fmax(fabs(scale->low), fabs(scale->high)), width = scale->high - scale->low;
  const bool is_constant = width <= 1e-12 * size;
  if (!is_constant && !has_margin) return;
  const double margin = !is_constant ? MARGIN * width : size > 0 ? 0.1 * size : 1;
  scale->low -= margin, scale->high += margin;
}

double flg_plot_scale_at(const flg_plot_scale *scale, double value) {
  const double part = scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                                    : (value - scale->low) / (scale->high - scale->low);
  const double at = scale->from + part * (scale->to - scale->from);
  const double least = fmin(scale->from, scale->to) - PIXELS_FAR,
               most = fmax(scale->from, scale->to) + PIXELS_FAR;
  return fmin(fmax(at, least), most);
}

/* 1, 2 and 5 of each decade, or powers of ten if there are too many */
static int ticks_log(const flg_plot_scale *scale, int most, double *values, char (*texts)[32]) {
  static const double steps[] = {1, 2, 5};
  const int first = (int)floor(log10(scale->low) + 1e-9),
            last = (int)ceil(log10(scale->high) - 1e-9);
  const bool is_fine = 3 * (last - first) <= most;
  const int every = is_fine ? 1 : 1 + (last - first) / (most > 1 ? most : 1);
  int count = 0;
  for (int power = first; power <= last; power += every) {
    for (int k = 0; k < (is_fine ? 3 : 1) && count < FLG_PLOT_TICKS_MAX; k++) {
      const double value = steps[k] * pow(10, power);
      if (value < scale->low * (1 - 1e-9) || value > scale->high * (1 + 1e-9)) continue;
      values[count] = value;
      if (first >= -3 && last < 5) {
        snprintf(texts[count++], 32, "%g", value);
      } else {
        snprintf(texts[count++], 32, "%ge%d", steps[k], power);
      }
    }
  }
  return count;
}

int flg_plot_scale_ticks(const flg_plot_scale *scale, int most, double *values, char (*texts)[32]) {
  if (scale->is_log) return ticks_log(scale, most, values, texts);
  const flg_ticks ticks = flg_ticks_over(scale->low, scale->high, most);
  const int count = ticks.count < FLG_PLOT_TICKS_MAX ? ticks.count : FLG_PLOT_TICKS_MAX;
  for (int k = 0; k < count; k++) {
    values[k] = ticks.first + k * ticks.step;
    (void)flg_ticks_text(&ticks, k, texts[k]);
  }
  return count;
}
