#include "limits/inner_friction.h"

#include "base/tolerances.h"
#include "limits/limit.h"

int flg_inner_friction_start(const flg_inner_friction *friction, double rate, double h) {
  const bool sticks = !(friction->bound > 0) || fabs(rate) <= h * friction->creep;
  return sticks ? 0 : rate > 0 ? 1 : -1;
}

double flg_inner_friction_impulse(const flg_inner_friction *friction, double after, double h) {
  return h * *friction->held - friction->bound * after / friction->creep;
}

/* the law of limit.h; friction at rest is that in motion */
static int judge_inner_friction(const flg_inner_friction *friction, const flg_limit_seen *seen) {
  const flg_component_friction law = {.coulomb = friction->bound, .stiction = friction->bound};
  return flg_friction_judge(&law, seen);
}

int flg_inner_friction_hold(const flg_inner_friction *friction, double impulse, double h) {
  const flg_limit_seen seen = {
      .impulse = impulse, .kick = h, .rounding = {0, FLG_RATE_ROUNDING * h * friction->bound}};
  return judge_inner_friction(friction, &seen);
}

int flg_inner_friction_judge(const flg_inner_friction *friction, double before, double after,
                             double h) {
  const int mode = (int)*friction->mode;
  if (mode == 0)
    return flg_inner_friction_hold(friction, flg_inner_friction_impulse(friction, after, h), h);
  const flg_limit_seen seen = {.mode = mode,
                               .before = before,
                               .after = after,
                               .rounding = {FLG_RATE_ROUNDING * fabs(before)}};
  return judge_inner_friction(friction, &seen);
}
