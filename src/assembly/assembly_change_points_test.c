/* Linkages that pass poses where their branches of motion cross keep their energy, as well as the
 * order of the scheme allows: 1 to 5 crossings a second, steps that end anywhere near them. */
#include "change_points.h"
#include "math/larger.h"

static const double PI = 3.14159265358979323846;

typedef struct passage {
  linkage of;
  flg_scheme scheme;
  flg_elimination_form form;
  double size, mass;
  flg_pose at;
  double gravity; /* in lengths of the linkage [1/s^2] */
  double step, end;
} passage;

static flg_assembly *begin(const passage *with, parts *p) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = with->scheme, options.form = with->form;
  options.gravity = flg_mat3_apply(&with->at.rotation, vec(0, -with->gravity * with->size, 0));
  flg_assembly *assembly = assemble(p, &options);
  flg_error error;
  assert_int_equal(flg_assembly_close(assembly, &error), FLG_OK);
  flg_assembly_refresh(assembly, 0);
  return assembly;
}

/* what there is to exchange: kinetic energy, and all masses lifted by a length */
static double energy_scale(const passage *with, const flg_assembly *assembly, const parts *p) {
  double mass = 0;
  for (int k = 0; k < p->component.body_count; k++) mass += p->component.bodies[k].mass;
  return flg_assembly_kinetic_energy(assembly) + mass * with->gravity * with->size * with->size;
}

/* largest change of energy in a run, over that scale; *tip: where the first crank ends */
static double energy_change(const passage *with, flg_vec3 *tip) {
  parts *p = linkage_parts(&with->of, with->size, with->mass, with->at);
  flg_assembly *assembly = begin(with, p);
  const double scale = energy_scale(with, assembly, p), start = flg_assembly_energy(assembly);
  const int steps = (int)lround(with->end / with->step);
  double most = 0;
  for (int k = 0; k < steps; k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, with->step, k, 1), FLG_OK);
    flg_assembly_refresh(assembly, 0);
    most = flg_larger(most, fabs(flg_assembly_energy(assembly) - start) / scale);
    assert_true(flg_assembly_closure(assembly).position < 1e-11 * fmax(with->size, 1));
  }
  const flg_anchor crank = {-1, 0, flg_pose_identity()};
  if (tip != NULL) *tip = flg_assembly_pose(assembly, &crank).position;
  flg_assembly_release(assembly);
  parts_drop(p);
  return most;
}

/* 2nd and 4th order; landing in a crossing itself costs what rounding blurs there */
static double bound_of(flg_scheme scheme, double rate, double step) {
  const double turn = rate * step;
  return scheme == FLG_SCHEME_RATTLE ? 12 * turn * turn : 60 * pow(turn, 4) + 2e-8;
}

static void check(const passage *with) {
  const double rate = fabs(with->of.rate) + sqrt(with->gravity);
  const double most = energy_change(with, NULL), bound = bound_of(with->scheme, rate, with->step);
  if (most <= bound) return;
  fail_msg(
      "linkage %d (%d), angle %.17g, rate %.17g, scheme %d, form %d, size %g, mass %g, "
      "gravity %g, step 1/%g: energy changes by %.3g, more than %.3g",
      (int)with->of.kind, with->of.count, with->of.angle, with->of.rate, (int)with->scheme,
      (int)with->form, with->size, with->mass, with->gravity, 1 / with->step, most, bound);
}

static passage upright(linkage_kind kind, int count, flg_scheme scheme, double steps) {
  return (passage){.of = {kind, count, PI / 2, 6},
                   .scheme = scheme,
                   .size = 1,
                   .mass = 1,
                   .at = flg_pose_identity(),
                   .gravity = 9.81,
                   .step = 1 / steps,
                   .end = 1.5};
}

static void energy_stays_where_branches_cross(void **state) {
  (void)state;
  static const double steps[2][4] = {{200, 800, 1250, 2000}, {200, 317, 1250, 2000}};
  const int count = REPEATS(4);
  for (int kind = 0; kind < LINKAGE_KINDS; kind++) {
    for (int k = 0; k < 2 * count; k++) {
      const int of = k / 2;
      const flg_scheme scheme = k % 2 == 0 ? FLG_SCHEME_RATTLE : FLG_SCHEME_RK4;
      passage with = upright((linkage_kind)kind, 2, scheme, steps[k % 2][of]);
      if (kind == SLIDER_CRANK) with.of.angle = 0;
      with.of.rate = 4 + of;
      check(&with);
    }
  }
}

static flg_pose random_place(random_source *source, double size) {
  double n[7];
  for (int k = 0; k < 7; k++) n[k] = random_uniform(source, -1, 1);
  const flg_quat turn = flg_quat_normalise((flg_quat){n[0], n[1], n[2], n[3]});
  return (flg_pose){flg_quat_to_matrix(turn), flg_vec3_scale(vec(n[4], n[5], n[6]), size)};
}

static void energy_stays_at_any_size_and_mass_and_in_any_plane(void **state) {
  (void)state;
  for (int k = 0; k < REPEATS(21); k++) {
    random_source source = {(uint64_t)k};
    passage with = upright((linkage_kind)(k % LINKAGE_KINDS), random_integer(&source, 1, 5),
                           k % 2 == 0 ? FLG_SCHEME_RATTLE : FLG_SCHEME_RK4,
                           pow(10, random_uniform(&source, 2.5, 3.5)));
    with.of.angle = random_uniform(&source, 0.3, 2.8);
    with.of.rate = random_uniform(&source, 3, 8);
    with.size = pow(10, random_uniform(&source, -3, 3));
    with.mass = pow(10, random_uniform(&source, -3, 3));
    with.at = random_place(&source, with.size);
    if (k % 3 == 0) with.gravity = 0;
    with.end = 1;
    check(&with);
  }
}

/* at the crossing: the velocities at the start say which branch is meant */
static void a_run_may_begin_where_branches_cross(void **state) {
  (void)state;
  const double angles[2] = {PI / 2, 0};
  const linkage_kind kinds[2] = {SLIDER_CRANK, LADDER};
  for (int k = 0; k < 8; k++) {
    passage with = upright(kinds[k % 2], 1 + k % 3, k < 4 ? FLG_SCHEME_RATTLE : FLG_SCHEME_RK4,
                           k % 4 < 2 ? 1000 : 640);
    with.of.angle = angles[k % 2];
    with.end = 1;
    const double turn = 10 * with.step;
    assert_true(energy_change(&with, NULL) < 12 * turn * turn);
  }
}

/* it keeps rows nearer to the crossing, where their impulses grow */
static void the_root_form_runs_where_the_other_does(void **state) {
  (void)state;
  static const double steps[] = {1000, 800, 500, 1250};
  for (int k = 0; k < REPEATS(8); k++) {
    const flg_scheme scheme = k % 2 == 0 ? FLG_SCHEME_RATTLE : FLG_SCHEME_RK4;
    passage with = upright(k % 4 < 2 ? CHANGE_POINT : LADDER, 2, scheme, steps[k / 2]);
    with.of.rate = 8, with.gravity = 0, with.end = 2;
    flg_vec3 tip[2];
    for (int form = 0; form < 2; form++) {
      with.form = form == 0 ? FLG_FORM_ADMITTANCE : FLG_FORM_ROOT;
      assert_true(energy_change(&with, &tip[form]) < bound_of(scheme, 8, with.step));
    }
    assert_true(flg_vec3_norm(flg_vec3_subtract(tip[0], tip[1])) < 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_stays_where_branches_cross),
      cmocka_unit_test(energy_stays_at_any_size_and_mass_and_in_any_plane),
      cmocka_unit_test(a_run_may_begin_where_branches_cross),
      cmocka_unit_test(the_root_form_runs_where_the_other_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
