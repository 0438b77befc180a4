#include "math/spatial.h"

#include "math/dense.h"
#include "math/test_matrices.h"

static flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -1, 1)};
}

static flg_spatial random_spatial(random_source *source) {
  const flg_vec3 linear = random_vector(source), angular = random_vector(source);
  return (flg_spatial){linear, angular};
}

static flg_pose random_pose(random_source *source) {
  const flg_quat q = flg_quat_from_axis_angle(random_vector(source), random_uniform(source, -3, 3));
  return (flg_pose){flg_quat_to_matrix(q), random_vector(source)};
}

static flg_inertia random_inertia(random_source *source) {
  const flg_sym3 spread =
      flg_sym3_add(flg_sym3_outer(random_vector(source)), flg_sym3_outer(random_vector(source)));
  const flg_sym3 central = flg_sym3_add(spread, flg_sym3_diagonal(1));
  return flg_inertia_from_centre(random_uniform(source, 0.5, 3), random_vector(source), central);
}

/* a rigid inertia with a direction partly taken out: no zero pattern left */
static flg_articulated random_articulated(random_source *source) {
  const flg_inertia rigid = random_inertia(source);
  const flg_articulated full = flg_articulated_from_inertia(&rigid);
  return flg_articulated_downdate(&full, random_spatial(source), 0.05);
}

/* ---- explicit 6 x 6 matrices, column-major ---- */

static void put_block(double to[36], int row, int column, flg_mat3 block) {
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) to[row + i + 6 * (column + j)] = block.m[i + 3 * j];
  }
}

/* motion from child to parent: [ R [p]x R ; 0 R ] */
static void transport_matrix(const flg_pose *pose, double to[36]) {
  const flg_mat3 skew = flg_mat3_skew(pose->position);
  memset(to, 0, 36 * sizeof(double));
  put_block(to, 0, 0, pose->rotation);
  put_block(to, 0, 3, flg_mat3_multiply(&skew, &pose->rotation));
  put_block(to, 3, 3, pose->rotation);
}

/* as a full matrix */
static void store_articulated(const flg_articulated *inertia, double to[36]) {
  const flg_mat3 M = flg_sym3_full(inertia->linear), I = flg_sym3_full(inertia->angular);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      to[i + 6 * j] = M.m[i + 3 * j];
      to[i + 3 + 6 * (j + 3)] = I.m[i + 3 * j];
      to[i + 6 * (j + 3)] = to[j + 3 + 6 * i] = inertia->coupling.m[i + 3 * j];
    }
  }
}

static void rigid_matrix(const flg_inertia *inertia, double to[36]) {
  const flg_articulated full = flg_articulated_from_inertia(inertia);
  store_articulated(&full, to);
}

static void assert_image(flg_spatial actual, const double a[36], int transposed, double factor,
                         flg_spatial x) {
  double input[6], expected[6] = {0}, stored[6];
  flg_spatial_store(x, input);
  flg_spatial_store(actual, stored);
  if (transposed) {
    flg_dense_apply_transposed(6, 6, factor, a, 6, input, expected);
  } else {
    flg_dense_apply(6, 6, factor, a, 6, input, expected);
  }
  assert_near(max_difference(stored, expected, 6), 0, 2e-14);
}

/* Y^T A Y */
static void congruence(const double a[36], const double y[36], double to[36]) {
  double right[36] = {0};
  memset(to, 0, 36 * sizeof(double));
  flg_dense_multiply(6, 6, 6, 1, a, 6, y, 6, right, 6);
  flg_dense_multiply_left_transposed(6, 6, 6, 1, y, 6, right, 6, to, 6);
}

/* ---- */

static void power_does_not_depend_on_the_frame(void **state) {
  (void)state;
  random_source source = {83};
  for (int k = 0; k < 1000; k++) {
    const flg_mat3 rotation = random_pose(&source).rotation;
    const flg_spatial motion = random_spatial(&source), force = random_spatial(&source);
    const double power = flg_spatial_dot(motion, force);
    assert_near(flg_spatial_dot(flg_spatial_rotate(motion, &rotation),
                                flg_spatial_rotate(force, &rotation)),
                power, 1e-14);
    assert_near(flg_spatial_dot(flg_spatial_rotate_transposed(motion, &rotation),
                                flg_spatial_rotate_transposed(force, &rotation)),
                power, 1e-14);
    const flg_vec3 offset = random_vector(&source);
    assert_near(flg_spatial_dot(flg_spatial_shift_motion(motion, offset),
                                flg_spatial_shift_force(force, offset)),
                power, 1e-14);
  }
}

static void sums_go_by_components(void **state) {
  (void)state;
  const double ones[6] = {1, 2, 3, 4, 5, 6};
  const flg_spatial a = flg_spatial_load(ones), b = flg_spatial_scale(a, 10);
  double to[6];
  flg_spatial_store(flg_spatial_subtract(flg_spatial_add(a, b), flg_spatial_scale(a, 1)), to);
  for (int k = 0; k < 6; k++) assert_true(to[k] == 10 * ones[k]);
  flg_spatial_store(flg_spatial_add_scaled(a, 2, b), to);
  for (int k = 0; k < 6; k++) assert_true(to[k] == 21 * ones[k]);
}

static void energy_is_that_of_the_centre_of_mass_plus_the_spin(void **state) {
  (void)state;
  random_source source = {84};
  for (int k = 0; k < 1000; k++) {
    const double mass = random_uniform(&source, 0.1, 2);
    const flg_vec3 centre = random_vector(&source);
    const flg_sym3 central =
        flg_sym3_add(flg_sym3_outer(random_vector(&source)), flg_sym3_diagonal(1));
    const flg_inertia inertia = flg_inertia_from_centre(mass, centre, central);
    const flg_spatial motion = random_spatial(&source);
    const flg_spatial there = flg_spatial_shift_motion(motion, centre);
    const double expected =
        0.5 * mass * flg_vec3_dot(there.linear, there.linear) +
        0.5 * flg_vec3_dot(motion.angular, flg_sym3_apply(central, motion.angular));
    assert_near(flg_inertia_energy(&inertia, motion), expected, 1e-14);
  }
}

static void rigid_inertia_agrees_with_its_matrix(void **state) {
  (void)state;
  random_source source = {85};
  for (int k = 0; k < 1000; k++) {
    const flg_inertia a = random_inertia(&source), b = random_inertia(&source);
    const flg_inertia sum = flg_inertia_add(&a, &b);
    const flg_spatial motion = random_spatial(&source);
    double matrix_a[36], matrix_b[36], matrix_sum[36];
    rigid_matrix(&a, matrix_a);
    rigid_matrix(&b, matrix_b);
    rigid_matrix(&sum, matrix_sum);
    assert_image(flg_inertia_apply(&a, motion), matrix_a, 0, 1, motion);
    for (int i = 0; i < 36; i++) matrix_a[i] += matrix_b[i];
    assert_near(max_difference(matrix_sum, matrix_a, 36), 0, 0);
  }
}

static void moving_a_rigid_inertia_is_a_congruence(void **state) {
  (void)state;
  random_source source = {86};
  for (int k = 0; k < 1000; k++) {
    const flg_inertia inertia = random_inertia(&source);
    const flg_pose pose = random_pose(&source), inverse = flg_pose_inverse(&pose);
    const flg_inertia moved = flg_inertia_to_parent(&inertia, &pose);
    double child[36], to_child[36], expected[36], parent[36];
    rigid_matrix(&inertia, child);
    transport_matrix(&inverse, to_child);
    congruence(child, to_child, expected);
    rigid_matrix(&moved, parent);
    assert_near(max_difference(parent, expected, 36), 0, 2e-14);
  }
}

static void articulated_inertia_agrees_with_its_matrix(void **state) {
  (void)state;
  random_source source = {88};
  for (int k = 0; k < 1000; k++) {
    const flg_articulated inertia = random_articulated(&source);
    const flg_spatial motion = random_spatial(&source);
    double full[36];
    store_articulated(&inertia, full);
    assert_image(flg_articulated_apply(&inertia, motion), full, 0, 1, motion);
    for (int j = 0; j < 6; j++) {
      for (int i = 0; i < j; i++) assert_true(full[i + 6 * j] == full[j + 6 * i]);
    }
  }
}

static void downdate_takes_out_the_joint_direction(void **state) {
  (void)state;
  random_source source = {89};
  for (int k = 0; k < 1000; k++) {
    const flg_articulated full = random_articulated(&source);
    const flg_spatial joint = random_spatial(&source), u = flg_articulated_apply(&full, joint);
    const double factor = 1 / flg_spatial_dot(joint, u);
    const flg_articulated left = flg_articulated_downdate(&full, u, factor);
    const flg_spatial force = flg_articulated_apply(&left, joint);
    assert_near(flg_spatial_dot(force, force), 0, 1e-26);
    double before[36], after[36], direction[6];
    store_articulated(&full, before);
    store_articulated(&left, after);
    flg_spatial_store(u, direction);
    flg_dense_multiply_right_transposed(6, 6, 1, -factor, direction, 6, direction, 6, before, 6);
    assert_near(max_difference(before, after, 36), 0, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(power_does_not_depend_on_the_frame),
      cmocka_unit_test(sums_go_by_components),
      cmocka_unit_test(energy_is_that_of_the_centre_of_mass_plus_the_spin),
      cmocka_unit_test(rigid_inertia_agrees_with_its_matrix),
      cmocka_unit_test(moving_a_rigid_inertia_is_a_congruence),
      cmocka_unit_test(articulated_inertia_agrees_with_its_matrix),
      cmocka_unit_test(downdate_takes_out_the_joint_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
