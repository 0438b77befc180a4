/* robot_signals.h - the signals that a user has chosen for a compiled robot. */
#ifndef FLG_COMPILE_ROBOT_SIGNALS_H
#define FLG_COMPILE_ROBOT_SIGNALS_H

#include "base/region.h"
#include "compile/robot_source.h"

/* Of joints, then of frames: as generated sources number them. */
typedef enum flg_signal_what {
  FLG_SIGNAL_POSITION,
  FLG_SIGNAL_VELOCITY,
  FLG_SIGNAL_EFFORT,
  FLG_SIGNAL_FRAME_POSITION,
  FLG_SIGNAL_FRAME_ORIENTATION,
  FLG_SIGNAL_FRAME_VELOCITY,
  FLG_SIGNAL_FRAME_SPIN
} flg_signal_what;

typedef struct flg_robot_signal {
  const char *path, *quantity, *unit;
  flg_signal_what what;
  int index; /* of joints: first number in q or v; of frames: its number */
  int width;
} flg_robot_signal;

typedef struct flg_robot_signals {
  flg_robot_signal *list; /* (count) those of one path follow each other */
  int count;
  flg_link_anchor *frames; /* (frame_count) on links of the robot */
  int frame_count;
} flg_robot_signals;

/* Those of source->signals; a mistake for each that does not exist. */
void flg_robot_signals_find(flg_robot_signals *signals, const flg_robot_source *source,
                            flg_region *region, flg_mistakes *mistakes);

#endif
