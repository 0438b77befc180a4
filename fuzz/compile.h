/* compile.h - what comes after a model has been read without mistakes. */
#ifndef FLG_FUZZ_COMPILE_H
#define FLG_FUZZ_COMPILE_H

#include "model/robot.h"

static inline void compile(const flg_model *model, flg_mistakes *mistakes) {
  flg_arena arena;
  if (flg_arena_build(&arena, flg_robot_bytes(model), NULL) != FLG_OK) return;
  flg_robot robot;
  flg_robot_build(&robot, model, &arena, mistakes);
  flg_arena_release(&arena);
}

#endif
