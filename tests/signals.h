/* signals.h - assemblies from a component in YAML, for tests of signals. */
#ifndef FLG_TESTS_SIGNALS_H
#define FLG_TESTS_SIGNALS_H

#include "assembly/assembly.h"
#include "assembly_views.h"
#include "check.h"
#include "component_read.h"
#include "text/yaml.h"

#define CART                                        \
  "flange-component: 1\n"                           \
  "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n" \
  "joints: {rail: {kind: prismatic, between: [world, cart]}}\n"

static const char *const SCHEMES[FLG_SCHEME_COUNT] = {"rattle", "rk4", "semi-implicit"};

typedef struct plant {
  flg_region region;
  flg_component component;
  flg_mistakes mistakes;
  flg_assembly *assembly;
  int steps;
  double h;
} plant;

static inline void plant_read(plant *of, const char *text) {
  *of = (plant){0};
  const flg_component_use use = {.path = "text.yaml", .pose = flg_pose_identity()};
  flg_node *root = flg_yaml_parse(&of->region, "text.yaml", text, strlen(text), &of->mistakes);
  if (root != NULL) {
    component_read(&of->component, &use, root, &of->region, &of->mistakes);
  }
}

static inline void plant_expect_good(const plant *of) {
  if (of->mistakes.count == 0) return;
  fail_msg("%d:%d: %s", of->mistakes.list[0].line, of->mistakes.list[0].column,
           of->mistakes.list[0].message);
}

static inline void plant_read_file(plant *of, const char *path) {
  *of = (plant){0};
  const flg_component_use use = {.path = path, .pose = flg_pose_identity()};
  component_read(&of->component, &use, NULL, &of->region, &of->mistakes);
}

static inline void plant_start(plant *of, flg_scheme scheme, double h) {
  plant_expect_good(of);
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  options.gravity = (flg_vec3){0, -9.81, 0};
  flg_assembly_build(&of->assembly, &of->component, NULL, &options, &of->mistakes);
  plant_expect_good(of);
  of->h = h;
}

static inline void plant_build(plant *of, const char *text, flg_scheme scheme, double h) {
  plant_read(of, text);
  plant_start(of, scheme, h);
}

static inline void plant_run(plant *of, int steps) {
  assert_int_equal(flg_assembly_advance(of->assembly, 0, of->h, of->steps, steps), FLG_OK);
  of->steps += steps;
  flg_assembly_refresh(of->assembly, of->steps * of->h);
}

static inline void plant_run_until(plant *of, double time) {
  plant_run(of, (int)lround(time / of->h) - of->steps);
}

/* by `name.quantity`, value if not said; joint positions and rates are coordinates */
static inline double plant_signal(const plant *of, const char *name) {
  char path[200];
  for (int k = 0; k < flg_assembly_signal_count(of->assembly); k++) {
    const flg_assembly_signal signal = flg_assembly_signal_view(of->assembly, k);
    snprintf(path, sizeof path, "%s.%s", signal.name, signal.quantity);
    if (strcmp(path, name) == 0 || strcmp(signal.name, name) == 0) return signal.value;
  }
  fail_msg("no signal %s", name);
  return NAN;
}

static inline double plant_rate(const plant *of, int coordinate) {
  double rate;
  flg_assembly_coordinate(of->assembly, coordinate, &rate);
  return rate;
}

static inline double plant_position(const plant *of, int coordinate) {
  return flg_assembly_coordinate(of->assembly, coordinate, NULL);
}

static inline void plant_drop(plant *of) {
  flg_assembly_release(of->assembly);
  flg_region_release(&of->region);
}

#endif
