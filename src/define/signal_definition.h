/* signal_definition.h - what a file of a component says of its signals, and of what they drive.
 *
 * Members are NaN, NULL or 0 where the file says nothing.
 */
#ifndef FLG_SIGNAL_DEFINITION_H
#define FLG_SIGNAL_DEFINITION_H

#include "base/given.h"

typedef struct flg_signal_point_keys {
  flg_origin origin;
  double at, value;
} flg_signal_point_keys;

typedef struct flg_signal_keys {
  flg_origin origin;
  int kind; /* flg_block_kind */
  flg_origin value, input, target, feed_forward;
  double at, until, from, to, slope;
  double amplitude, frequency, phase, offset;
  const char *file, *column;
  flg_items points;  /* of flg_signal_point_keys */
  int interpolation; /* flg_curve_kind */
  double kp, ki, kd, filter;
  int windup; /* flg_windup */
  double tracking;
  double time_constant, damping;
  int order;
  double initial;
  flg_numbers limit;
  double sample;
} flg_signal_keys;

typedef struct flg_input_keys {
  flg_origin origin;
  double value;
} flg_input_keys;

#endif
