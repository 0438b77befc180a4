/* robot_source.h - C source of a robot as a plug-in (flange/plugin.h): one file, complete.
 *
 * It holds the interface's header, functions that are generated for this robot (forward_terms.h,
 * frame_terms.h), tables, and robot_runtime.h, the part that all robots share. Names of bodies and
 * joints are not in it, but for ports and the signals that are chosen.
 */
#ifndef FLG_COMPILE_ROBOT_SOURCE_H
#define FLG_COMPILE_ROBOT_SOURCE_H

#include <stdio.h>

#include "flange/mistakes.h"
#include "model/robot.h"

typedef enum flg_compiled_integrator {
  FLG_COMPILED_SEMI_IMPLICIT,
  FLG_COMPILED_RK4
} flg_compiled_integrator;

typedef struct flg_robot_source {
  const flg_model *model;
  const flg_robot *robot;     /* compiled from the model, not placed */
  const char *name;           /* of the library, for people */
  const double *start;        /* (positions), NULL: as near to 0 as the ranges of joints allow */
  const char *const *signals; /* (signal_count) `joint.position`, `body/marker.velocity`, ... */
  int signal_count;
  flg_compiled_integrator integrator;
  bool ignores_limits; /* joints go on where their range ends */
  bool is_bare;        /* accelerations of one state alone: no ports, no many states at once */
} flg_robot_source;

/* How much was written. */
typedef struct flg_source_size {
  int forward, all; /* statements of forward dynamics, of all that is generated */
} flg_source_size;

/* Writes the source. What cannot be compiled (flexible links), and signals that do not
 * exist, are mistakes. */
flg_status flg_robot_source_write(const flg_robot_source *source, FILE *out, flg_source_size *size,
                                  flg_mistakes *mistakes);

#endif
