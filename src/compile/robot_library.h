/* robot_library.h - from a model of a robot to a shared library. */
#ifndef FLG_COMPILE_ROBOT_LIBRARY_H
#define FLG_COMPILE_ROBOT_LIBRARY_H

#include "compile/compiler.h"
#include "compile/robot_source.h"

typedef struct flg_robot_library {
  flg_robot_source source; /* but for the robot, which is made of its model */
  flg_compiler_options compiler;
  const char *output;      /* the library to write */
  const char *keep_source; /* folder that the generated source is left in; NULL: it is removed */
} flg_robot_library;

/* What was made. */
typedef struct flg_robot_library_made {
  flg_source_size size;
  int velocities, ports, signals;
  char source[4096]; /* path of the source that was kept, or "" */
} flg_robot_library_made;

/* Set-up: all that is wrong, with the model or on the way, goes to mistakes. */
flg_status flg_robot_library_build(const flg_robot_library *library, flg_robot_library_made *made,
                                   flg_mistakes *mistakes);

#endif
