/* compile.h - what comes after a model has been read without mistakes. */
#ifndef FLG_FUZZ_COMPILE_H
#define FLG_FUZZ_COMPILE_H

#include "model/robot.h"

static inline void compile(const flg_model *model, flg_mistakes *mistakes) {
  flg_region region = {0};
  flg_robot robot;
  flg_robot_build(&robot, model, &region, mistakes);
  flg_region_release(&region);
}

#endif
