/* source_kernels.h - signals that are functions of time (block.h): the interpreter's, and a text of
 * generated files, which have those fields of a block alone.
 */
#ifndef FLG_SOURCE_KERNELS_H
#define FLG_SOURCE_KERNELS_H

#include <math.h>

#include "model/block.h"

static inline double flg_source_ramp(const flg_block *block, double time, double edge,
                                     double *rate) {
  const double now = time + edge;
  *rate = now >= block->at && now < block->until ? block->slope : 0;
  /* The value is continuous, only the rate jumps: so edge decides the rate and not the value. */
  const double since = fmin(time, block->until) - block->at;
  return block->from + block->slope * fmax(since, 0);
}

static inline double flg_source_sine(const flg_block *block, double time, double *rate) {
  const double omega = 2 * 3.14159265358979323846 * block->frequency;
  const double angle = omega * time + block->phase;
  *rate = block->amplitude * omega * cos(angle);
  return block->offset + block->amplitude * sin(angle);
}

/* values of held curves jump, and so do the slopes of straight lines */
static inline double flg_source_along(const flg_curve *curve, double time, double edge,
                                      double *rate) {
  double value = 0, unused;
  const int held = curve->kind == FLG_CURVE_HELD;
  flg_curve_evaluate(curve, held ? time + edge : time, &value, rate, NULL);
  if (curve->kind == FLG_CURVE_LINEAR) flg_curve_evaluate(curve, time + edge, &unused, rate, NULL);
  return value;
}

static inline double flg_source_value(const flg_block *block, double time, double edge,
                                      double *rate) {
  *rate = 0;
  switch (block->kind) {
    case FLG_BLOCK_CONSTANT:
      return block->from;
    case FLG_BLOCK_STEP:
      return time + edge >= block->at ? block->to : block->from;
    case FLG_BLOCK_RAMP:
      return flg_source_ramp(block, time, edge, rate);
    case FLG_BLOCK_SINE:
      return flg_source_sine(block, time, rate);
    default:
      return flg_source_along(&block->curve, time, edge, rate);
  }
}

#endif
