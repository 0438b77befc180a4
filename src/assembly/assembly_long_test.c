/* Many steps: joints stay closed, energy and momentum stay where they belong. */
#include "long_runs.h"

static void a_four_bar_stays_closed_and_keeps_its_energy(void **state) {
  (void)state;
  run_four_bar(REPEATS(50000));
}

/* It starts at rest, swings, and is back whenever its crank stops and turns to the same side: then
 * the energy is that of the start. In between it is off by up to 0.04 J, at the end as at first. */
static void the_energy_of_a_four_bar_comes_back(void **state) {
  (void)state;
  parts *p = four_bar();
  const flg_assembly_options options = long_options(FLG_SCHEME_RATTLE);
  flg_assembly *assembly = assemble(p, &options);
  const int crank = p->component.joints[0].coordinate[0];
  const double start = flg_assembly_energy(assembly);
  double before = 0, most[3] = {0};
  int returns = 0, side = 0;
  for (int k = 0; k < 3000; k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, 1e-2, k, 1), FLG_OK);
    flg_assembly_refresh(assembly, 0);
    double rate;
    flg_assembly_coordinate(assembly, crank, &rate);
    const double off = flg_assembly_energy(assembly) - start;
    if (k == 0) side = rate > 0 ? 1 : -1;
    if (rate * side > 0 && before * side < 0) {
      assert_near(off, 0, 2e-7);
      returns++;
    }
    before = rate;
    most[k / 1000] = flg_larger(most[k / 1000], fabs(off));
  }
  assert_true(returns > 5);
  assert_true(most[0] < 0.05 && most[2] < 1.01 * most[0]);
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* --- a free body --------------------------------------------------------------------------------
 */

static void a_tumbling_body_keeps_momentum_and_energy(void **state) {
  (void)state;
  parts *p = tumbler();
  const flg_assembly_options options = long_options(FLG_SCHEME_RATTLE);
  flg_assembly *assembly = assemble(p, &options);
  const flg_vec3 start = tumbler_momentum(assembly);
  const double energy = flg_assembly_energy(assembly);
  double drift = 0, most[3] = {0};
  const int steps = REPEATS(99999);
  for (int k = 0; k < steps; k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, 1e-2, k, 1), FLG_OK);
    flg_assembly_refresh(assembly, 0);
    const flg_vec3 now = tumbler_momentum(assembly);
    drift = flg_larger(drift, flg_vec3_norm(flg_vec3_subtract(now, start)));
    most[3 * k / steps] =
        flg_larger(most[3 * k / steps], fabs(flg_assembly_energy(assembly) - energy));
  }
  assert_true(drift < 1e-12);
  assert_true(most[0] < 1e-12 && most[1] < 1e-12 && most[2] < 1e-12); /* the map keeps it, too */
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* I w' = I w x w in body axes, R' = R [w]x, by Runge-Kutta in small steps */
typedef struct spinning {
  flg_quat turn;
  flg_vec3 spin;
} spinning;

static spinning add_rates(spinning at, double h, spinning rate) {
  return (spinning){{at.turn.w + h * rate.turn.w, at.turn.x + h * rate.turn.x,
                     at.turn.y + h * rate.turn.y, at.turn.z + h * rate.turn.z},
                    flg_vec3_add_scaled(at.spin, h, rate.spin)};
}

static spinning rates_of(spinning at) {
  const flg_vec3 I = {0.3, 0.5, 0.7}, w = at.spin;
  const flg_quat half = {0, w.x / 2, w.y / 2, w.z / 2};
  return (spinning){flg_quat_multiply(at.turn, half),
                    {(I.y - I.z) / I.x * w.y * w.z, (I.z - I.x) / I.y * w.z * w.x,
                     (I.x - I.y) / I.z * w.x * w.y}};
}

static spinning spin_by_euler(double end) {
  spinning at = {flg_quat_identity(), {0.05, 2, 0.1}};
  const int steps = 20000;
  const double h = end / steps;
  for (int k = 0; k < steps; k++) {
    const spinning a = rates_of(at), b = rates_of(add_rates(at, h / 2, a));
    const spinning c = rates_of(add_rates(at, h / 2, b)), d = rates_of(add_rates(at, h, c));
    at = add_rates(add_rates(add_rates(add_rates(at, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
  }
  return at;
}

static double tumbling_error(flg_scheme scheme, double end, double h) {
  parts *p = tumbler();
  const flg_assembly_options options = long_options(scheme);
  flg_assembly *assembly = assemble(p, &options);
  assert_int_equal(flg_assembly_advance(assembly, 0, h, 0, (int)lround(end / h)), FLG_OK);
  flg_assembly_refresh(assembly, end);
  const flg_anchor anchor = {-1, 0, flg_pose_identity()};
  const flg_pose pose = flg_assembly_pose(assembly, &anchor);
  const flg_mat3 expected = flg_quat_to_matrix(flg_quat_normalise(spin_by_euler(end).turn));
  flg_assembly_release(assembly);
  parts_drop(p);
  return max_difference((const double *)&pose.rotation, (const double *)&expected, 9);
}

static void a_tumbling_body_turns_as_euler_says(void **state) {
  (void)state;
  const double coarse = tumbling_error(FLG_SCHEME_RATTLE, 5, 1e-2);
  const double fine = tumbling_error(FLG_SCHEME_RATTLE, 5, 5e-3);
  assert_true(fine < 1e-3);
  assert_near(log2(coarse / fine), 2, 1.5e-3);
  assert_true(tumbling_error(FLG_SCHEME_RK4, 5, 1e-3) < 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_four_bar_stays_closed_and_keeps_its_energy),
      cmocka_unit_test(the_energy_of_a_four_bar_comes_back),
      cmocka_unit_test(a_tumbling_body_keeps_momentum_and_energy),
      cmocka_unit_test(a_tumbling_body_turns_as_euler_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
