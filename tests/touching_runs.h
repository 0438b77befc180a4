/* touching_runs.h - what comes to rest and stays there, for as long as one likes. */
#ifndef FLG_TESTS_TOUCHING_RUNS_H
#define FLG_TESTS_TOUCHING_RUNS_H

#include "assembly/assembly_contacts.h"
#include "heaps.h"
#include "parts.h"

static inline flg_assembly *touching(parts *p) {
  const flg_assembly_options options = touching_options();
  return assemble(p, &options);
}

static inline flg_contacts_report report_of(const flg_assembly *assembly) {
  return flg_contacts_report_view(assembly->model.touch->contacts);
}

static inline void drop(flg_assembly *assembly, parts *p) {
  flg_assembly_release(assembly);
  shapes_drop(p), parts_drop(p);
}

static inline void run_for(flg_assembly *assembly, int rate, int first, int seconds) {
  flg_error error = {0};
  const flg_status status =
      flg_assembly_advance_or_say(assembly, 0, 1. / rate, rate * first, rate * seconds, &error);
  if (status != FLG_OK) fail_msg("%s", error.message);
  flg_assembly_refresh(assembly, first + seconds);
}

/* a box of 10 x 20 x 30 cm over a floor */
static inline parts *box_over_floor(double gap, double friction, double restitution) {
  parts *p = parts_new(2);
  shapes_new(p, 4, friction, restitution);
  add_floor(p);
  add_box(p, 2, vec(0.1, 0.2, 0.3), vec(0, 0, 0.15 + gap), flg_quat_identity());
  return p;
}

/* a box at rest, in steps of 1/60 s: how far it drifts [m] */
static inline double run_box(int seconds) {
  parts *p = box_over_floor(0, 0.5, 0);
  flg_assembly *assembly = touching(p);
  const double start[7] = {0, 0, 0.15, 1};
  double worst = 0;
  for (int k = 0; k < seconds; k++) {
    run_for(assembly, 60, k, 1);
    for (int i = 0; i < 7; i++) worst = flg_larger(worst, fabs(assembly->state.q[i] - start[i]));
  }
  printf("a box drifts by %.2e m in %d s\n", worst, seconds);
  assert_int_equal(report_of(assembly).closed, 4);
  assert_int_equal(report_of(assembly).switches, 4);
  assert_near(flg_assembly_contact_force(assembly, flg_assembly_owner(assembly, -1, 0)).z, 2 * 9.81,
              2e-11);
  drop(assembly, p);
  return worst;
}

/* how far any box of a tower moves [m] */
static inline double run_tower(int seconds) {
  enum { HEIGHT = 10 };
  parts *p = tower_of(HEIGHT);
  flg_assembly *assembly = touching(p);
  double worst = 0;
  for (int k = 0; k < seconds; k++) {
    run_for(assembly, 240, k, 1);
    for (int i = 0; i < HEIGHT; i++) {
      const flg_vec3 at = flg_vec3_load(assembly->state.q + 7 * i);
      worst = flg_larger(worst, flg_vec3_norm(flg_vec3_subtract(at, vec(0, 0, 0.05 + 0.1 * i))));
    }
  }
  printf("a tower moves by %.2e m in %d s\n", worst, seconds);
  for (int i = 0; i < HEIGHT; i++) { /* of both neighbours */
    assert_near(flg_assembly_contact_force(assembly, flg_assembly_owner(assembly, -1, i)).z, 9.81,
                2e-9);
  }
  drop(assembly, p);
  return worst;
}

static inline double overlap_after_a_step(flg_assembly *assembly) {
  flg_error error = {0};
  if (flg_assembly_advance_or_say(assembly, 0, 1. / 240, 0, 1, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
  flg_assembly_refresh(assembly, 0);
  return report_of(assembly).penetration;
}

/* What there was on the way, at the end of any step. */
typedef struct way_to_rest {
  int contacts;   /* the most */
  double overlap; /* the deepest [m] */
} way_to_rest;

/* Energy does not grow while it comes to rest. */
static inline way_to_rest run_to_rest(flg_assembly *assembly, int seconds, const char *what) {
  way_to_rest way = {0, 0};
  double energy = INFINITY;
  for (int k = 0; k < seconds; k++) {
    for (int step = 0; step < 240; step++) {
      way.overlap = flg_larger(way.overlap, overlap_after_a_step(assembly));
      const int found = report_of(assembly).found;
      way.contacts = found > way.contacts ? found : way.contacts;
    }
    const double now = flg_assembly_energy(assembly);
    assert_true(now < energy + 1e-3);
    energy = now;
  }
  const double kinetic = flg_assembly_kinetic_energy(assembly);
  printf("%s: kinetic energy %.2e J after %d s, overlap %.2e m, %.2e m on the way\n", what, kinetic,
         seconds, report_of(assembly).penetration, way.overlap);
  assert_true(kinetic < 1e-4 && report_of(assembly).penetration < 1e-3);
  return way;
}

/* Steps an assembly; a step that fails fails the test with its reason. */
static inline void advance_or_fail(flg_assembly *assembly, double h, int steps) {
  flg_error error = {0};
  if (flg_assembly_advance_or_say(assembly, 0, h, 0, steps, &error) != FLG_OK)
    fail_msg("%s", error.message);
  flg_assembly_refresh(assembly, steps * h);
}

/* the deepest overlap on the way [m] */
static inline double run_heap(int count, int side, int seconds) {
  parts *p = heap_of(count, side);
  flg_assembly *assembly = touching(p);
  char what[32];
  snprintf(what, sizeof what, "%d boxes", count);
  const way_to_rest way = run_to_rest(assembly, seconds, what);
  drop(assembly, p);
  return way.overlap;
}

#endif
