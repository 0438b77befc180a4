/* ladder.h - ladders of unequal four-bars: cranks on the ground, their tops joined by couplers.
 * Rows are redundant. */
#ifndef FLG_BENCH_LADDER_H
#define FLG_BENCH_LADDER_H

#include "pieces.h"

static inline flg_vec3 foot(int k) {
  return vec(k + 0.2 * sin(k), 0, 0);
}

static inline flg_vec3 top(int k) {
  return vec(k + 0.2 * sin(k), 1 + 0.1 * sin(1.7 * k), 0);
}

static inline parts *ladder(int count) {
  const flg_vec3 Z = {0, 0, 1};
  parts *p = parts_new(2 * count + 2);
  for (int k = 0; k <= count; k++) {
    const int rod = add_rod(p, 1 + 0.3 * sin(k), foot(k), top(k));
    p->component.bodies[rod].velocity = (flg_spatial){{0.05, 0, 0}, {0, 0, -0.1 / top(k).y}};
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, rod, foot(k), Z);
  }
  for (int k = 0; k < count; k++) {
    const int rod = add_rod(p, 1 + 0.3 * cos(k), top(k), top(k + 1));
    p->component.bodies[rod].velocity = (flg_spatial){.linear = {0.1, 0, 0}};
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k, rod, top(k), Z);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k + 1, rod, top(k + 1), Z);
  }
  return p;
}

#endif
