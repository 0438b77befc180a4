/* geared_models.h - machines without loops, with gears, springs, motors and signals, as texts. */
#ifndef FLG_TESTS_GEARED_MODELS_H
#define FLG_TESTS_GEARED_MODELS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct geared_model {
  const char *name, *text, *record; /* record: of subsystem s */
  int freedoms;
  bool compiles;
  const char *events; /* of the scenario; NULL: none */
} geared_model;

/* a pinion drives a wheel with a weight on its rim, and a rack that runs against a spring */
#define RACK_AND_WHEEL                                                                      \
  "flange-component: 1\n"                                                                   \
  "bodies:\n"                                                                               \
  "  pinion: {mass: 1, inertia: [0.02, 0.03, 0.02], at: [0, 0, 0]}\n"                       \
  "  wheel: {mass: 3, inertia: [0.2, 0.4, 0.2], at: [0.5, 0, 0], centre: [0.1, 0, 0.05]}\n" \
  "  bar: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0.5, 0]}\n"                           \
  "joints:\n"                                                                               \
  "  fast: {kind: revolute, between: [world, pinion], at: [0, 0, 0], axis: [0, 1, 0]}\n"    \
  "  slow: {kind: revolute, between: [wheel, world], at: [0.5, 0, 0], axis: [0, 1, 0]}\n"   \
  "  guide: {kind: prismatic, between: [world, bar], at: [0, 0.5, 0], axis: [1, 0, 0]}\n"   \
  "  teeth: {kind: gear, drive: fast, driven: slow, ratio: -3}\n"                           \
  "  track: {kind: rack, drive: fast, driven: guide, radius: 0.1}\n"                        \
  "springs: {coil: {on: guide, stiffness: 300, damping: 2, rest: 0.03, preload: 1}}\n"

/* two suns on one axis with a planet gear between them: the sum of their turns is twice that of the
 * carrier, which swings on an arm */
#define DIFFERENTIAL                                                                           \
  "flange-component: 1\n"                                                                      \
  "bodies:\n"                                                                                  \
  "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], at: [0.5, 0, 0], centre: [0.1, 0.05, 0]}\n"     \
  "  carrier: {mass: 1, inertia: [0.02, 0.05, 0.04], at: [1, 0, 0], centre: [0.05, 0, 0.1]}\n" \
  "  left: {mass: 0.5, inertia: [0.01, 0.02, 0.01], at: [1, -0.2, 0], centre: [0.1, 0, 0]}\n"  \
  "  right: {mass: 0.7, inertia: [0.02, 0.03, 0.02], at: [1, 0.2, 0], centre: [0, 0, 0.1]}\n"  \
  "joints:\n"                                                                                  \
  "  swing: {kind: revolute, between: [world, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"         \
  "  cage: {kind: revolute, between: [arm, carrier], at: [1, 0, 0], axis: [0, 1, 0]}\n"        \
  "  sun1: {kind: revolute, between: [carrier, left], at: [1, -0.2, 0], axis: [0, 1, 0]}\n"    \
  "  sun2: {kind: revolute, between: [right, arm], at: [1, 0.2, 0], axis: [0, -1, 0]}\n"       \
  "  planet: {kind: gear, drive: sun1, driven: turn2, ratio: -1}\n"                            \
  "sensors: {turn2: {measure: angle, between: [carrier, right], axis: [0, 1, 0]}}\n"           \
  "forces: {push: {body: left, at: [0.2, 0, 0], force: [0, 0, 3]}}\n"                          \
  "springs: {twist: {on: swing, stiffness: 5, damping: 0.1}}\n"

/* a nut that a motor turns lifts its load; a controller holds it */
#define LIFT                                                                                       \
  "flange-component: 1\n"                                                                          \
  "bodies:\n"                                                                                      \
  "  rotor: {mass: 0.3, inertia: [1e-3, 1e-3, 2e-3], at: [0, 0, 0]}\n"                             \
  "  nut: {mass: 0.5, inertia: [2e-3, 2e-3, 3e-3], at: [0.2, 0, 0]}\n"                             \
  "  load: {mass: 4, inertia: [0.05, 0.05, 0.05], at: [0.5, 0, 0]}\n"                              \
  "joints:\n"                                                                                      \
  "  shaft: {kind: revolute, between: [world, rotor], at: [0, 0, 0], axis: [0, 0, 1]}\n"           \
  "  thread: {kind: screw, between: [world, nut], at: [0.2, 0, 0], axis: [0, 0, 1], pitch: "       \
  "0.01}\n"                                                                                        \
  "  rail: {kind: cylindrical, between: [world, load], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"        \
  "  belt: {kind: gear, drive: shaft, driven: thread, ratio: 2}\n"                                 \
  "springs: {rope: {between: [nut, load], stiffness: 900, damping: 8}}\n"                          \
  "motors:\n"                                                                                      \
  "  coil: {on: shaft, voltage: u, resistance: 0.8, inductance: 3e-3, torque_constant: 0.2, "      \
  "limit: 24}\n"                                                                                   \
  "efforts: {brake: {on: rail.angle, effort: -0.2*tanh(5*rail.angle.velocity) + w}}\n"             \
  "signals:\n"                                                                                     \
  "  goal: {kind: quintic, points: [{at: 0, value: 0}, {at: 0.3, value: 4}]}\n"                    \
  "  w: {kind: sine, amplitude: 0.1, frequency: 3}\n"                                              \
  "  smooth: {kind: filter, input: shaft.velocity, time_constant: 0.01, order: 2, damping: 0.7}\n" \
  "  u: {kind: pid, input: shaft, target: goal, kp: 30, ki: 5, kd: 0.4, filter: "                  \
  "2e-3,\n"                                                                                        \
  "      feed_forward: 0.1*smooth, limit: [-20, 20]}\n"

/* a chain on axes of all directions, a ball at its end, with springs between far bodies */
#define CHAIN                                                                                   \
  "flange-component: 1\n"                                                                       \
  "bodies:\n"                                                                                   \
  "  a: {mass: 1, inertia: [0.1, 0.2, 0.15], at: [0.5, 0, 0], centre: [0.1, 0, 0.02]}\n"        \
  "  b: {mass: 2, inertia: [0.1, 0.1, 0.12], at: [1, 0.3, 0], turn: [0.3, 0.2, 0.1]}\n"         \
  "  c: {mass: 1, inertia: [0.05, 0.1, 0.07], at: [1.5, 0, 0.4]}\n"                             \
  "joints:\n"                                                                                   \
  "  first: {kind: revolute, between: [world, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"            \
  "  second: {kind: universal, between: [a, b], at: [1, 0, 0], axis: [1, 0, 0], axis2: [0, 0, " \
  "1]}\n"                                                                                       \
  "  third: {kind: spherical, between: [b, c], at: [1.2, 0, 0.2]}\n"                            \
  "springs:\n"                                                                                  \
  "  stay: {between: [world, c], stiffness: 30, damping: 0.5, length: 1.2}\n"

/* the same on a pad, which is not compiled */
#define CHAIN_ON_PAD                                                                 \
  CHAIN                                                                              \
  "bushings: {pad: {between: [a, b], stiffness: [50, 60, 70], damping: [1, 1, 1],\n" \
  "  angular_stiffness: [2, 3, 4], angular_damping: [0.1, 0.1, 0.1]}}\n"

/* two pendulums with a loose spring between them, sampled controllers, a load that an event
 * switches and one that turns along */
#define SAMPLED                                                                                    \
  "flange-component: 1\n"                                                                          \
  "bodies:\n"                                                                                      \
  "  one: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.2, 0, -0.5]}\n"                               \
  "  two: {mass: 2, inertia: [0.2, 0.1, 0.2], at: [1, 0.1, -0.5]}\n"                               \
  "joints:\n"                                                                                      \
  "  left: {kind: revolute, between: [world, one], at: [0, 0, 0], axis: [0, 1, 0]}\n"              \
  "  right: {kind: revolute, between: [two, world], at: [1, 0, 0], axis: [0.1, 1, 0]}\n"           \
  "  slider: {kind: gear, drive: left, driven: lean, ratio: 1, stiffness: 40, damping: 0.3, "      \
  "backlash: 0.05}\n"                                                                              \
  "sensors: {lean: {measure: angle, between: [two, world], at: [1, 0, 0], axis: [0.1, 1, 0]}}\n"   \
  "forces:\n"                                                                                      \
  "  gust: {body: one, at: [0.1, 0, 0], force: [3, 1, 0], enabled: false}\n"                       \
  "  jet: {body: two, at: [0, 0.1, -0.2], force: [0, 0, 2], moment: [0, 0.1, 0], axes: body}\n"    \
  "efforts: {hold: {on: right, effort: u + 0.3*kick, limit: [-3, 3]}}\n"                           \
  "signals:\n"                                                                                     \
  "  kick: {kind: step, at: 0.1003, from: 0, to: 1}\n"                                             \
  "  way: {kind: table, points: [{at: 0, value: 0}, {at: 0.2, value: 1}, {at: 0.5, value: -1}]}\n" \
  "  slow: {kind: filter, input: 'min(way, 0.8, kick + 0.5)*right.velocity', time_constant: "      \
  "0.05, sample: 0.02}\n"                                                                          \
  "  u: {kind: pid, input: right, target: '0.2*way + abs(mod(slow, 0.3))^1.5', kp: 20, ki: 30, "   \
  "kd: 2, sample: 0.005, limit: [-4, 4]}\n"

static const geared_model GEARED_MODELS[] = {
    {"rack and wheel", RACK_AND_WHEEL,
     "[s/fast.position, s/fast.velocity, s/guide.position, s/wheel.position, s/energy]", 1, true},
    {"differential", DIFFERENTIAL,
     "[s/swing.position, s/cage.position, s/sun1.position, s/sun2.position, s/energy]", 3, true},
    {"lift", LIFT, "[s/shaft.position, s/rail.position, s/coil.current, s/u, s/energy]", 3, true},
    {"chain", CHAIN, "[s/first.position, s/c.position, s/c.velocity, s/energy]", 6, true},
    {"chain on a pad", CHAIN_ON_PAD, "[s/first.position, s/c.position, s/c.velocity, s/energy]", 6,
     false},
    {"sampled", SAMPLED, "[s/left.position, s/right.velocity, s/u, s/slow, s/energy]", 2, true,
     "events: [{at: 0.1, enable: s/gust}, {at: 0.3, disable: s/gust}]\n"},
};
enum { GEARED_MODEL_COUNT = sizeof GEARED_MODELS / sizeof *GEARED_MODELS, GEARED_VALUES = 16 };

/* keys: more of the subsystem's */
static inline void geared_scenario(const geared_model *model, int rate, const char *keys,
                                   char text[800]) {
  snprintf(text, 800,
           "flange: 1\ngravity: [1, 0.5, -9.81]\ntime: {end: 0.5, macro: 1/100}\n"
           "subsystems: {s: {model: model.yaml, step: 1/%d, integrator: rk4%s}}\nrecord: %s\n%s",
           rate, keys, model->record, model->events == NULL ? "" : model->events);
}

#endif
