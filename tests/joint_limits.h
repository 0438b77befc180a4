/* joint_limits.h - frictions, stops and sums for components that are put together by hand. */
#ifndef FLG_TESTS_JOINT_LIMITS_H
#define FLG_TESTS_JOINT_LIMITS_H

#include "assembly/assembly_limits.h"
#include "assembly_views.h"
#include "parts.h"

static const char *const scheme_names[FLG_SCHEME_COUNT] = {"rattle", "rk4", "semi-implicit"};

typedef struct limits {
  flg_component_friction frictions[32];
  flg_component_stop stops[32];
} limits;

static inline limits *limits_new(parts *of) {
  limits *made = calloc(1, sizeof *made);
  of->component.frictions = made->frictions;
  of->component.stops = made->stops;
  return made;
}

static inline flg_component_friction *add_friction(parts *to, int coordinate, double coulomb) {
  flg_component *c = &to->component;
  c->frictions[c->friction_count] = (flg_component_friction){.name = "friction",
                                                             .group = FLG_TOP,
                                                             .coordinate = coordinate,
                                                             .coulomb = coulomb,
                                                             .stiction = coulomb};
  return &c->frictions[c->friction_count++];
}

static inline flg_component_stop *add_stop(parts *to, int coordinate, double lower, double upper) {
  flg_component *c = &to->component;
  c->stops[c->stop_count] = (flg_component_stop){
      .name = "stop", .group = FLG_TOP, .coordinate = coordinate, .lower = lower, .upper = upper};
  return &c->stops[c->stop_count++];
}

static inline int add_sum(parts *to, int first, double factor0, int second, double factor1) {
  flg_component *c = &to->component;
  c->coordinates[c->coordinate_count] = (flg_component_coordinate){.name = "sum",
                                                                   .group = FLG_TOP,
                                                                   .kind = FLG_COORDINATE_SUM,
                                                                   .of = {first, second},
                                                                   .factor = {factor0, factor1}};
  return c->coordinate_count++;
}

/* a body of 1 kg that slides along x; its coordinate is that of its joint */
static inline int add_block(parts *to, double mass, double speed) {
  const int body = add_body(to, mass, flg_sym3_diagonal(0.1), vec(0, 0, 0), flg_quat_identity());
  to->component.bodies[body].velocity.linear = vec(speed, 0, 0);
  return body;
}

/* a wheel about z; what is between `on` and it is its angle */
static inline int add_wheel(parts *to, int on, double inertia, flg_vec3 at) {
  const int body = add_body(to, 1, flg_sym3_diagonal(inertia), at, flg_quat_identity());
  add_joint(to, FLG_CONSTRAINT_REVOLUTE, on, body, at, vec(0, 0, 1));
  return body;
}

static inline int coordinate_of(const parts *of, int joint) {
  return of->component.joints[joint].coordinate[0];
}

static inline flg_assembly *assemble_by(parts *of, flg_scheme scheme, flg_vec3 gravity) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  options.gravity = gravity;
  return assemble(of, &options);
}

static inline void advance(flg_assembly *assembly, double h, int first, int count) {
  assert_int_equal(flg_assembly_advance(assembly, 0, h, first, count), FLG_OK);
  flg_assembly_refresh(assembly, 0);
}

#endif
