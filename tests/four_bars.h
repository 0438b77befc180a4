/* four_bars.h - N four-bars side by side that share their cranks: A02 of the IFToMM library of
 * multibody benchmarks. */
#ifndef FLG_TESTS_FOUR_BARS_H
#define FLG_TESTS_FOUR_BARS_H

#include "assembly_views.h"
#include "component/assembly_freedom.h"
#include "parts.h"

/* all links 1 m and 1 kg, in the plane xy, upright; the tops move with 1 m/s to the right */
static inline parts *four_bars(int count) {
  const flg_vec3 Z = {0, 0, 1};
  parts *p = parts_new(2 * count + 2);
  for (int k = 0; k <= count; k++) {
    const int rod = add_rod(p, 1, vec(k, 0, 0), vec(k, 1, 0));
    p->component.bodies[rod].velocity = (flg_spatial){{0.5, 0, 0}, {0, 0, -1}};
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, rod, vec(k, 0, 0), Z);
  }
  for (int k = 0; k < count; k++) {
    const int rod = add_rod(p, 1, vec(k, 1, 0), vec(k + 1, 1, 0));
    p->component.bodies[rod].velocity = (flg_spatial){{1, 0, 0}, {0}};
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k, rod, vec(k, 1, 0), Z);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k + 1, rod, vec(k + 1, 1, 0), Z);
  }
  return p;
}

/* By symmetry all cranks turn alike: one degree of freedom, N + 1 cranks of m l^2 / 3 that lift
 * m l / 2, and N couplers of mass m that do not turn. angle[0] from upright, angle[1] its rate. */
static inline void turn_cranks(int count, double end, double angle[2]) {
  const double pull = 9.81 * ((count + 1) / 2.0 + count) / ((count + 1) / 3.0 + count);
  const int steps = 20000;
  const double h = end / steps;
  angle[0] = 0, angle[1] = 1;
  for (int k = 0; k < steps; k++) {
    double rate[4][2], at[2] = {angle[0], angle[1]};
    for (int i = 0; i < 4; i++) {
      const double share = i < 2 ? h / 2 : h;
      rate[i][0] = at[1], rate[i][1] = pull * sin(at[0]);
      for (int j = 0; j < 2; j++) at[j] = angle[j] + share * rate[i][j];
    }
    for (int j = 0; j < 2; j++) {
      angle[j] += h / 6 * (rate[0][j] + 2 * rate[1][j] + 2 * rate[2][j] + rate[3][j]);
    }
  }
}

typedef struct bars_case {
  int count;
  flg_scheme scheme;
  flg_elimination_form form;
  double step, tolerance;
} bars_case;

/* joints stay closed all along, also in the two poses a turn where all links lie in one line */
static inline void run_bars(const bars_case *with) {
  parts *p = four_bars(with->count);
  flg_assembly_options options = flg_assembly_default();
  options.gravity = vec(0, -9.81, 0);
  options.scheme = with->scheme, options.form = with->form;
  flg_assembly *assembly = assemble(p, &options);
  flg_freedom freedom;
  assert_int_equal(flg_assembly_freedom(assembly, &freedom), FLG_OK);
  assert_int_equal(freedom.velocities - freedom.rank, 1);
  const int steps = (int)lround(10 / with->step);
  for (int k = 0; k < steps; k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, with->step, k, 1), FLG_OK);
    flg_assembly_refresh(assembly, 0);
    const flg_closure closure = flg_assembly_closure(assembly);
    assert_true(closure.position < 1e-9);
    assert_true(closure.velocity < 1e-9);
  }
  double angle[2];
  turn_cranks(with->count, 10, angle);
  const flg_vec3 top = point_of(assembly, p, 0, vec(0, 1, 0));
  assert_near(top.x, sin(angle[0]), with->tolerance);
  assert_near(top.y, cos(angle[0]), with->tolerance);
  flg_assembly_release(assembly);
  parts_drop(p);
}

#endif
