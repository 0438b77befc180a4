/* coupling_chains.h - planar chains, stars and rings of pinned subsystems, each of three rods, as
 * files.
 *
 * Rods of 0.2 m hang on each other from the origin, straight, 1 rad below the horizontal; damping
 * 0.02 N m s/rad in joints inside a subsystem, none at interfaces.
 */
#ifndef FLG_TESTS_COUPLING_CHAINS_H
#define FLG_TESTS_COUPLING_CHAINS_H

#include "files.h"

typedef enum chain_layout { CHAIN_LINE, CHAIN_STAR, CHAIN_RING } chain_layout;

typedef struct chain_spec {
  int count;            /* of subsystems; 4 in a star, 3 in a ring */
  const double *masses; /* (count) of a rod [kg] */
  bool is_robots;       /* joint coordinates; else components */
  chain_layout layout;
  bool touches; /* the end of each last rod is a point that can touch */
} chain_spec;

enum { CHAIN_TEXT = 16384 };

static inline void write_rod_body(char *to, const char *name, double mass, bool at_centre,
                                  int place, bool touches) {
  char where[64] = "", shape[80] = "";
  if (touches && place == 2) {
    snprintf(shape, sizeof shape, ", shapes: [{kind: points, values: [%g, 0, 0]}]",
             at_centre ? 0.1 : 0.2);
  }
  if (at_centre) snprintf(where, sizeof where, "at: [%g, 0, 0], ", 0.2 * place + 0.1);
  sprintf(to + strlen(to),
          "  %s: {%smass: %.17g, centre: [%g, 0, 0], inertia: [%.17g, %.17g, %.17g]%s}\n", name,
          where, mass, at_centre ? 0 : 0.1, mass * 0.04 / 12, mass * 0.04 / 12, mass * 0.04 / 12,
          shape);
}

static inline void write_robot_rods(char *to, double mass, bool is_first, bool touches) {
  sprintf(to, "flange-model: 1\nname: three rods\nbodies:\n");
  for (int k = 0; k < 3; k++)
    write_rod_body(to, (const char *[]){"a", "b", "c"}[k], mass, false, k, touches);
  sprintf(to + strlen(to),
          "joints:\n  base: {kind: %s, child: a%s}\n"
          "  ab: {kind: revolute, parent: a, child: b, at: [0.2, 0, 0], damping: 0.02}\n"
          "  bc: {kind: revolute, parent: b, child: c, at: [0.2, 0, 0], damping: 0.02}\n"
          "ports:\n  start: {body: a}\n  end: {body: c, at: [0.2, 0, 0]}\n  middle: {body: b, at: "
          "[0.1, 0, 0]}\n"
          "markers: {tip: {body: c, at: [0.2, 0, 0]}, mid: {body: a, at: [0.1, 0, 0]}}\n",
          is_first ? "revolute" : "planar", is_first ? ", damping: 0.02" : "");
}

static inline void write_component_rods(char *to, double mass, bool is_first, bool touches) {
  sprintf(to, "flange-component: 1\nname: three rods\nbodies:\n");
  for (int k = 0; k < 3; k++)
    write_rod_body(to, (const char *[]){"a", "b", "c"}[k], mass, true, k, touches);
  sprintf(to + strlen(to),
          "joints:\n%s"
          "  ab: {kind: revolute, between: [a, b], at: [0.2, 0, 0], damping: 0.02}\n"
          "  bc: {kind: revolute, between: [b, c], at: [0.4, 0, 0], damping: 0.02}\n"
          "ports:\n  start: {body: a, at: [-0.1, 0, 0]}\n  end: {body: c, at: [0.1, 0, 0]}\n  "
          "middle: {body: b}\n"
          "markers: {tip: {body: c, at: [0.1, 0, 0]}, mid: {body: a}}\n",
          is_first ? "  base: {kind: revolute, between: [world, a], damping: 0.02}\n" : "");
}

/* where a subsystem starts, and in which direction it lies */
typedef struct chain_place {
  double x, y, angle;
} chain_place;

static inline chain_place place_in_chain(const chain_spec *spec, int k) {
  const double third = 2 * acos(-1) / 3, side = 0.6;
  switch (spec->layout) {
    case CHAIN_STAR: /* all on the first: two at its end, one in its middle */
      if (k == 0) return (chain_place){0, 0, -1};
      if (k == 2) return (chain_place){side / 2 * cos(1), -side / 2 * sin(1), -0.2};
      return (chain_place){side * cos(1), -side * sin(1), k == 1 ? -1 : -2};
    case CHAIN_RING: /* a triangle */
      if (k == 0) return (chain_place){0, 0, -1};
      if (k == 1) return (chain_place){side * cos(1), -side * sin(1), -1 - third};
      return (chain_place){side * (cos(1) + cos(1 + third)), -side * (sin(1) + sin(1 + third)),
                           -1 - 2 * third};
    case CHAIN_LINE:
    default:
      return (chain_place){side * k * cos(1), -side * k * sin(1), -1};
  }
}

static inline void write_pins(char *to, const chain_spec *spec) {
  sprintf(to + strlen(to), "interfaces:\n");
  for (int k = 1; k < spec->count; k++) {
    const bool is_star = spec->layout == CHAIN_STAR;
    sprintf(to + strlen(to), "  pin%d: {between: [s%d/%s, s%d/start], joint: revolute}\n", k,
            is_star ? 0 : k - 1, is_star && k == 2 ? "middle" : "end", k);
  }
  if (spec->layout != CHAIN_RING) return;
  sprintf(to + strlen(to), "  pin0: {between: [s%d/end, s0/start], joint: revolute}\n",
          spec->count - 1);
}

/* Models and the scenario `chain.yaml` into the folder; returns its path. The tip is recorded. */
static inline const char *make_chain(test_folder *folder, const chain_spec *spec) {
  static char model[CHAIN_TEXT], scenario[CHAIN_TEXT];
  sprintf(scenario,
          "flange: 1\nname: chain\ngravity: [0, -9.81, 0]\ntime: {end: 3, macro: 0.005}\n"
          "subsystems:\n");
  for (int k = 0; k < spec->count; k++) {
    char name[32];
    const chain_place at = place_in_chain(spec, k);
    snprintf(name, sizeof name, "rods%d.yaml", k);
    (spec->is_robots ? write_robot_rods : write_component_rods)(model, spec->masses[k], k == 0,
                                                                spec->touches);
    make_file(folder, name, model);
    sprintf(scenario + strlen(scenario),
            "  s%d: {model: %s, at: [%.17g, %.17g, 0], turn: [0, 0, %.17g], step: 0.0005, "
            "integrator: semi-implicit}\n",
            k, name, at.x, at.y, at.angle);
  }
  write_pins(scenario, spec);
  sprintf(scenario + strlen(scenario), "record: [s%d/%s.position]\n", spec->count - 1,
          spec->layout == CHAIN_RING ? "a/mid" : "c/tip");
  return make_file(folder, "chain.yaml", scenario);
}

#endif
