/* spring.h - the law of springs on a coordinate: the one place that knows it.
 *
 *     stretch   s = 0 within the slack, else away less the slack        away = c - rest
 *     effort    preload - stiffness s - damping dc/dt, the last only where the spring acts
 *     energy    stiffness s^2 / 2 - preload c
 *
 * A spring without slack always acts; one with slack only past it.
 */
#ifndef FLG_SPRING_H
#define FLG_SPRING_H

#include <stdbool.h>

#include "model/component.h"

/* [m or rad] */
static inline double flg_spring_stretch(const flg_component_spring *spring, double away) {
  const double slack = spring->slack;
  return away > slack ? away - slack : away < -slack ? away + slack : 0;
}

static inline bool flg_spring_acts(const flg_component_spring *spring, double away) {
  return !(spring->slack > 0) || flg_spring_stretch(spring, away) != 0;
}

/* [N or N m] */
static inline double flg_spring_effort(const flg_component_spring *spring, double away,
                                       double rate) {
  const double damping = flg_spring_acts(spring, away) ? spring->damping : 0;
  return spring->preload - spring->stiffness * flg_spring_stretch(spring, away) - damping * rate;
}

/* [J]; value: c itself, for the preload */
static inline double flg_spring_energy(const flg_component_spring *spring, double away,
                                       double value) {
  const double stretch = flg_spring_stretch(spring, away);
  return spring->stiffness * stretch * stretch / 2 - spring->preload * value;
}

#endif
