/* robot_library.h - from a model of a robot, or a component, to a shared library. */
#ifndef FLG_COMPILE_ROBOT_LIBRARY_H
#define FLG_COMPILE_ROBOT_LIBRARY_H

#include "compile/library.h"
#include "compile/mechanism_source.h"
#include "compile/robot_source.h"

typedef struct flg_robot_library {
  flg_robot_source source; /* but for robot and name, which are made of its model and the library */
  flg_library library;
} flg_robot_library;

/* Facts about the library that was made. */
typedef struct flg_robot_library_made {
  flg_source_size size;
  int velocities, ports, signals;
  char source[FLG_SOURCE_PATH]; /* path of the source that was kept, or "" */
} flg_robot_library_made;

/* Set-up: all that is wrong, with the model or on the way, goes to mistakes. */
flg_status flg_robot_library_build(const flg_robot_library *library, flg_robot_library_made *made,
                                   flg_mistakes *mistakes);

typedef struct flg_mechanism_library_made {
  flg_mechanism_size size;
  char source[FLG_SOURCE_PATH];
} flg_mechanism_library_made;

/* Set-up: the same of a component; the source's name is that of the library. */
flg_status flg_mechanism_library_build(const flg_mechanism_source *source,
                                       const flg_library *library, flg_mechanism_library_made *made,
                                       flg_mistakes *mistakes);

#endif
