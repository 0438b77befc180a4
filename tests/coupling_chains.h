/* coupling_chains.h - planar chains of pinned subsystems, each of three rods, as files.
 *
 * Rods of 0.2 m hang on each other from the origin, straight, 1 rad below the horizontal; damping
 * 0.02 N m s/rad in joints inside a subsystem, none at interfaces.
 */
#ifndef FLG_TESTS_COUPLING_CHAINS_H
#define FLG_TESTS_COUPLING_CHAINS_H

#include "files.h"

typedef struct chain_spec {
  int count;            /* of subsystems */
  const double *masses; /* (count) of a rod [kg] */
  bool is_robots;       /* joint coordinates; else components */
  const char *extra;    /* more keys of subsystems, or "" */
} chain_spec;

enum { CHAIN_TEXT = 16384 };

static inline void write_rod_body(char *to, const char *name, double mass, bool at_centre,
                                  int place) {
  char where[64] = "";
  if (at_centre) snprintf(where, sizeof where, "at: [%g, 0, 0], ", 0.2 * place + 0.1);
  sprintf(to + strlen(to),
          "  %s: {%smass: %.17g, centre: [%g, 0, 0], inertia: [%.17g, %.17g, %.17g]}\n", name,
          where, mass, at_centre ? 0 : 0.1, mass * 0.04 / 12, mass * 0.04 / 12, mass * 0.04 / 12);
}

static inline void write_robot_rods(char *to, double mass, bool is_first) {
  sprintf(to, "flange-model: 1\nname: three rods\nbodies:\n");
  for (int k = 0; k < 3; k++)
    write_rod_body(to, (const char *[]){"a", "b", "c"}[k], mass, false, k);
  sprintf(to + strlen(to),
          "joints:\n  base: {kind: %s, child: a%s}\n"
          "  ab: {kind: revolute, parent: a, child: b, at: [0.2, 0, 0], damping: 0.02}\n"
          "  bc: {kind: revolute, parent: b, child: c, at: [0.2, 0, 0], damping: 0.02}\n"
          "ports:\n  start: {body: a}\n  end: {body: c, at: [0.2, 0, 0]}\n  middle: {body: b, at: "
          "[0.1, 0, 0]}\n"
          "markers: {tip: {body: c, at: [0.2, 0, 0]}}\n",
          is_first ? "revolute" : "planar", is_first ? ", damping: 0.02" : "");
}

static inline void write_component_rods(char *to, double mass, bool is_first) {
  sprintf(to, "flange-component: 1\nname: three rods\nbodies:\n");
  for (int k = 0; k < 3; k++) write_rod_body(to, (const char *[]){"a", "b", "c"}[k], mass, true, k);
  sprintf(to + strlen(to),
          "joints:\n%s"
          "  ab: {kind: revolute, between: [a, b], at: [0.2, 0, 0], damping: 0.02}\n"
          "  bc: {kind: revolute, between: [b, c], at: [0.4, 0, 0], damping: 0.02}\n"
          "ports:\n  start: {body: a, at: [-0.1, 0, 0]}\n  end: {body: c, at: [0.1, 0, 0]}\n  "
          "middle: {body: b}\n"
          "markers: {tip: {body: c, at: [0.1, 0, 0]}}\n",
          is_first ? "  base: {kind: revolute, between: [world, a], damping: 0.02}\n" : "");
}

/* Models and the scenario `chain.yaml` into the folder; returns its path. */
static inline const char *make_chain(test_folder *folder, const chain_spec *spec) {
  static char model[CHAIN_TEXT], scenario[CHAIN_TEXT];
  sprintf(scenario,
          "flange: 1\nname: chain\ngravity: [0, -9.81, 0]\ntime: {end: 3, macro: 0.005}\n"
          "subsystems:\n");
  for (int k = 0; k < spec->count; k++) {
    char name[32];
    snprintf(name, sizeof name, "rods%d.yaml", k);
    (spec->is_robots ? write_robot_rods : write_component_rods)(model, spec->masses[k], k == 0);
    make_file(folder, name, model);
    sprintf(scenario + strlen(scenario),
            "  s%d: {model: %s, at: [%.17g, %.17g, 0], turn: [0, 0, -1], step: 0.0005, "
            "integrator: semi-implicit%s}\n",
            k, name, 0.6 * k * cos(1), -0.6 * k * sin(1), spec->extra);
  }
  sprintf(scenario + strlen(scenario), "interfaces:\n");
  for (int k = 1; k < spec->count; k++) {
    sprintf(scenario + strlen(scenario),
            "  pin%d: {between: [s%d/end, s%d/start], joint: revolute}\n", k, k - 1, k);
  }
  sprintf(scenario + strlen(scenario), "record: [s%d/c/tip.position]\n", spec->count - 1);
  return make_file(folder, "chain.yaml", scenario);
}

#endif
