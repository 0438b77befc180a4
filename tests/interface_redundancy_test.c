/* Which rows are redundant: duplicates, rows that others block already, welds made of planes,
 * overconstrained loops; and how many digits are left close to singular poses, in both forms.
 */
#include "interface/test_systems.h"

enum { POSES = 10000 };

static const flg_vec3 ZERO = {0, 0, 0};

static int rank_of(test_system *s, flg_plan_order order, flg_elimination_form form) {
  flg_plan *plan = plan_of(s, order, form, 1e-8);
  fill_plan(plan, s, form);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  const int rank = flg_plan_totals_view(plan).rank;
  flg_plan_release(plan);
  return rank;
}

/* the same graph in other poses needs no other plan; NULL at first */
static int rank_again(flg_plan **plan, test_system *s, flg_plan_order order,
                      flg_elimination_form form) {
  if (*plan == NULL) *plan = plan_of(s, order, form, 1e-8);
  fill_plan(*plan, s, form);
  assert_int_equal(flg_plan_factor(*plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  return flg_plan_totals_view(*plan).rank;
}

static flg_mat3 random_axes(random_source *source) {
  const flg_vec3 z = flg_vec3_normalise(random_vec3(source));
  const flg_vec3 x = flg_vec3_normalise(flg_vec3_cross(z, random_vec3(source)));
  return flg_mat3_from_columns(x, flg_vec3_cross(z, x), z);
}

static void duplicated_rows_count_once(void **state) {
  (void)state;
  random_source source = {11};
  for (int trial = 0; trial < 200; trial++) {
    test_system *s = system_of(&source, 2, 10);
    test_joint *joint = add_random_joint(&source, s, 1, 0, 3);
    const double factor = pow(10, random_uniform(&source, -3, 3));
    /* once exactly, once scaled, once nearly: off by rounding, and by 1e-9 */
    for (int k = 0; k < 3; k++) {
      const int row = joint->rows++;
      for (int e = 0; e < 2; e++) {
        for (int i = 0; i < 6; i++) {
          joint->G[e][row][i] = joint->G[e][k][i] * (k == 1 ? factor : 1) +
                                (k == 2 ? random_uniform(&source, -1e-9, 1e-9) : 0);
        }
      }
    }
    s->graph_joints[0].rows = joint->rows;
    for (int form = 0; form < 2; form++) {
      assert_int_equal(rank_of(s, FLG_PLAN_BALANCED, (flg_elimination_form)form), 3);
    }
    system_drop(s);
  }
}

/* Rows that differ by 1e-3 are two rows. */
static void close_rows_are_not_redundant(void **state) {
  (void)state;
  random_source source = {12};
  for (int trial = 0; trial < 200; trial++) {
    test_system *s = system_of(&source, 2, 10);
    test_joint *joint = add_random_joint(&source, s, 1, 0, 2);
    for (int i = 0; i < 6; i++) {
      joint->G[0][1][i] = joint->G[0][0][i] + 1e-3 * random_uniform(&source, -1, 1);
      joint->G[1][1][i] = joint->G[1][0][i] + 1e-3 * random_uniform(&source, -1, 1);
    }
    assert_int_equal(rank_of(s, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE), 2);
    system_drop(s);
  }
}

/* The pivot of such a row is rounding, by its own measure as good as any other. */
static void a_row_that_a_child_blocks_already_is_dropped(void **state) {
  (void)state;
  random_source source = {13};
  for (int trial = 0; trial < 500; trial++) {
    test_system *s = system_of(&source, 2, 1000);
    test_joint *ground = add_random_joint(&source, s, 0, FLG_GROUND, 6);
    add_random_joint(&source, s, 1, FLG_GROUND, 6);
    test_joint *between = add_random_joint(&source, s, 1, 0, 4);
    (void)ground, (void)between;
    for (int form = 0; form < 2; form++) {
      assert_int_equal(rank_of(s, FLG_PLAN_BALANCED, (flg_elimination_form)form), 12);
    }
    system_drop(s);
  }
}

/* plane on plane: one direction, and no turning about two axes (vsd-components, section 5) */
static void add_plane(test_joint *joint, flg_vec3 normal, flg_vec3 arm0, flg_vec3 arm1) {
  const flg_vec3 u = flg_vec3_perpendicular(normal), v = flg_vec3_cross(normal, u);
  const int row = joint->rows;
  joint->rows += 3;
  for (int e = 0; e < 2; e++) {
    const double sign = e == 0 ? 1 : -1;
    point_row(normal, e == 0 ? arm0 : arm1, sign, joint->G[e][row]);
    turn_row(u, sign, joint->G[e][row + 1]);
    turn_row(v, sign, joint->G[e][row + 2]);
  }
}

static void a_weld_from_three_planes_has_six_rows_of_nine(void **state) {
  (void)state;
  random_source source = {14};
  flg_plan *plans[2] = {NULL, NULL};
  for (int pose = 0; pose < POSES; pose++) {
    const flg_mat3 axes = random_axes(&source);
    test_system *s = system_of(&source, 2, 10);
    test_joint *joint = add_joint(s, 1, 0, 0);
    const flg_vec3 between = random_vec3(&source);
    for (int k = 0; k < 3; k++) {
      const flg_vec3 arm = random_vec3(&source);
      add_plane(joint, flg_mat3_column(&axes, k), arm, flg_vec3_add(arm, between));
    }
    s->graph_joints[0].rows = joint->rows;
    assert_int_equal(joint->rows, 9);
    for (int form = 0; form < 2; form++) {
      assert_int_equal(rank_again(&plans[form], s, FLG_PLAN_BALANCED, (flg_elimination_form)form),
                       6);
    }
    system_drop(s);
  }
  for (int form = 0; form < 2; form++) flg_plan_release(plans[form]);
}

/* --- four bars ----------------------------------------------------------------------------------
 */

typedef struct four_bar {
  flg_vec3 pivot[4]; /* ground, crank and coupler, coupler and rocker, ground */
  flg_vec3 axis;
} four_bar;

/* crank, coupler, rocker between two points of the ground; 0 if the lengths do not close */
static int close_four_bar(const double length[3], double base, double angle, const flg_mat3 *axes,
                          four_bar *bars) {
  const double x = length[0] * cos(angle), y = length[0] * sin(angle);
  const double dx = base - x, dy = -y, d = sqrt(dx * dx + dy * dy);
  const double along = (d * d + length[1] * length[1] - length[2] * length[2]) / (2 * d);
  const double square = length[1] * length[1] - along * along;
  if (square <= 0.01) return 0; /* clear of singular poses */
  const double across = sqrt(square);
  const double point[4][2] = {
      {0, 0},
      {x, y},
      {x + (along * dx - across * dy) / d, y + (along * dy + across * dx) / d},
      {base, 0}};
  for (int k = 0; k < 4; k++) {
    bars->pivot[k] = flg_mat3_apply(axes, (flg_vec3){point[k][0], point[k][1], 0});
  }
  bars->axis = flg_mat3_column(axes, 2);
  return 1;
}

/* three moving bodies, four hinges: 20 rows for 18 velocities, and still it moves */
static test_system *system_of_bars(random_source *source, const four_bar *bars, flg_vec3 offset) {
  test_system *s = system_of(source, 3, 10);
  flg_vec3 centre[3];
  for (int k = 0; k < 3; k++) {
    const flg_vec3 middle = flg_vec3_add(bars->pivot[k], bars->pivot[k + 1]);
    centre[k] = flg_vec3_add(flg_vec3_scale(middle, 0.5), flg_vec3_scale(offset, k));
  }
  const int ends[4][2] = {{0, FLG_GROUND}, {1, 0}, {2, 1}, {2, FLG_GROUND}};
  for (int k = 0; k < 4; k++) {
    test_joint *joint = add_joint(s, ends[k][0], ends[k][1], 5);
    const flg_vec3 arm[2] = {
        flg_vec3_subtract(bars->pivot[k], centre[ends[k][0]]),
        ends[k][1] < 0 ? ZERO : flg_vec3_subtract(bars->pivot[k], centre[ends[k][1]])};
    set_revolute(joint, bars->axis, arm);
  }
  return s;
}

static void a_planar_loop_in_space_has_three_redundant_rows(void **state) {
  (void)state;
  random_source source = {15};
  flg_plan *plans[4] = {NULL, NULL, NULL, NULL};
  int done = 0;
  while (done < POSES) {
    double length[3];
    for (int k = 0; k < 3; k++) length[k] = random_uniform(&source, 0.5, 1.5);
    const flg_mat3 axes = random_axes(&source);
    four_bar bars;
    if (!close_four_bar(length, random_uniform(&source, 0.5, 1.5), random_uniform(&source, -3, 3),
                        &axes, &bars)) {
      continue;
    }
    test_system *s = system_of_bars(&source, &bars, flg_vec3_scale(random_vec3(&source), 0.1));
    for (int k = 0; k < 4; k++) {
      assert_int_equal(
          rank_again(&plans[k], s, (flg_plan_order)(k / 2), (flg_elimination_form)(k % 2)), 17);
    }
    system_drop(s);
    done++;
  }
  for (int k = 0; k < 4; k++) flg_plan_release(plans[k]);
}

/* --- close to singular poses ---------------------------------------------------------------------
 * Quadruple precision: S squares the distance to the singular pose, and long double would not do.
 */

__extension__ typedef __float128 quad;

enum { DOF = 18, LOOP_ROWS = 17 };

/* unpivoted L D L^T of S, in place */
static void quad_factor(quad S[LOOP_ROWS][LOOP_ROWS]) {
  for (int j = 0; j < LOOP_ROWS; j++) {
    for (int i = j + 1; i < LOOP_ROWS; i++) {
      const quad factor = S[i][j] / S[j][j];
      for (int k = j + 1; k <= i; k++) S[i][k] -= factor * S[k][j];
    }
    for (int i = j + 1; i < LOOP_ROWS; i++) S[i][j] /= S[j][j];
  }
}

static void quad_solve(quad S[LOOP_ROWS][LOOP_ROWS], quad x[LOOP_ROWS]) {
  for (int i = 0; i < LOOP_ROWS; i++) {
    for (int k = 0; k < i; k++) x[i] -= S[i][k] * x[k];
  }
  for (int i = LOOP_ROWS - 1; i >= 0; i--) {
    x[i] /= S[i][i];
    for (int k = i + 1; k < LOOP_ROWS; k++) x[i] -= S[k][i] * x[k];
  }
}

static void quad_motion(const test_system *s, double a[DOF]) {
  quad G[LOOP_ROWS][DOF] = {{0}}, P[LOOP_ROWS][DOF] = {{0}}, S[LOOP_ROWS][LOOP_ROWS] = {{0}};
  quad l[LOOP_ROWS];
  int row = 0;
  for (int j = 0; j < s->joint_count; j++) {
    for (int i = 0; i < s->joints[j].rows; i++) {
      if (s->joints[j].redundant[i]) continue;
      l[row] = (quad)s->joints[j].gamma[i];
      for (int e = 0; e < 2; e++) {
        const int body = s->joints[j].body[e];
        for (int k = 0; k < 6 && body >= 0; k++) {
          G[row][6 * body + k] = (quad)s->joints[j].G[e][i][k];
          l[row] -= G[row][6 * body + k] * (quad)s->bias[body][k];
        }
      }
      row++;
    }
  }
  assert_int_equal(row, LOOP_ROWS);
  for (int r = 0; r < LOOP_ROWS; r++) {
    for (int i = 0; i < DOF; i++) {
      for (int k = 0; k < 6; k++) P[r][i] += (quad)s->H[i / 6][i % 6 + 6 * k] * G[r][i - i % 6 + k];
    }
    for (int c = 0; c <= r; c++) {
      for (int i = 0; i < DOF; i++) S[r][c] += P[r][i] * G[c][i];
    }
  }
  quad_factor(S);
  quad_solve(S, l);
  for (int i = 0; i < DOF; i++) {
    quad sum = (quad)s->bias[i / 6][i % 6];
    for (int r = 0; r < LOOP_ROWS; r++) sum += P[r][i] * l[r];
    a[i] = (double)sum;
  }
}

/* A parallelogram, `angle` from flat. In the plane x, y its redundant rows are so to the last bit.
 */
static test_system *flat_parallelogram(random_source *source, double angle) {
  const flg_vec3 crank = {cos(angle), sin(angle), 0};
  const four_bar bars = {
      .pivot = {ZERO, crank, flg_vec3_add(crank, (flg_vec3){1.5, 0, 0}), {1.5, 0, 0}},
      .axis = {0, 0, 1}};
  test_system *s = system_of_bars(source, &bars, ZERO);
  double wish[DOF];
  fill_random(source, wish, DOF);
  for (int j = 0; j < 4; j++) { /* right-hand sides that can be met with moderate accelerations */
    for (int i = 0; i < 5; i++) {
      for (int e = 0; e < 2; e++) {
        const int body = s->joints[j].body[e];
        for (int k = 0; k < 6 && body >= 0; k++) {
          s->joints[j].gamma[i] += s->joints[j].G[e][i][k] * wish[6 * body + k];
        }
      }
    }
  }
  for (int i = 2; i < 5; i++) s->joints[3].redundant[i] = 1; /* z, and turning about x and y */
  return s;
}

static double error_of_form(test_system *s, flg_elimination_form form, double tolerance,
                            const double a[DOF]) {
  flg_plan *plan = plan_of(s, FLG_PLAN_BALANCED, form, tolerance);
  fill_plan(plan, s, form);
  assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
  assert_int_equal(flg_plan_totals_view(plan).rank, LOOP_ROWS);
  assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
  const double error = motion_error(plan, s, a);
  flg_plan_release(plan);
  return error;
}

static void close_to_a_singular_pose_the_root_form_keeps_more_digits(void **state) {
  (void)state;
  const double angles[] = {1e-4, 1e-5, 1e-6};
  for (int k = 0; k < 3; k++) {
    random_source source = {20};
    double worst[2] = {0, 0};
    for (int trial = 0; trial < 50; trial++) {
      test_system *s = flat_parallelogram(&source, angles[k]);
      double a[DOF];
      quad_motion(s, a);
      worst[0] = flg_larger(worst[0], error_of_form(s, FLG_FORM_ADMITTANCE, 1e-14, a));
      worst[1] = flg_larger(worst[1], error_of_form(s, FLG_FORM_ROOT, 1e-8, a));
      system_drop(s);
    }
    print_message("           %.0e rad from flat: admittance %.1e, root %.1e\n", angles[k],
                  worst[0], worst[1]);
    assert_true(worst[1] < 1e-14 / angles[k] && worst[0] < 1e-13 / (angles[k] * angles[k]));
    assert_true(worst[1] < 1e-3 * worst[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(duplicated_rows_count_once),
      cmocka_unit_test(close_rows_are_not_redundant),
      cmocka_unit_test(a_row_that_a_child_blocks_already_is_dropped),
      cmocka_unit_test(a_weld_from_three_planes_has_six_rows_of_nine),
      cmocka_unit_test(a_planar_loop_in_space_has_three_redundant_rows),
      cmocka_unit_test(close_to_a_singular_pose_the_root_form_keeps_more_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
