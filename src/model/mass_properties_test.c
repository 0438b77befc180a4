#include "model/mass_properties.h"

#include "check.h"
#include "random.h"

static void assert_inertia(flg_sym3 found, flg_sym3 expected, double size) {
  const double f[6] = {found.xx, found.yy, found.zz, found.xy, found.xz, found.yz};
  const double e[6] = {expected.xx, expected.yy, expected.zz,
                       expected.xy, expected.xz, expected.yz};
  for (int k = 0; k < 6; k++) assert_near(f[k], e[k], 1e-13 * size);
}

/* corners of a box of these lengths, normals outwards */
static void box_triangles(const double size[3], flg_vec3 at, double corners[12 * 9]) {
  static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int f = 0; f < 6; f++) {
    const int order[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 6; k++) {
      const int corner = faces[f][order[k]];
      double *to = corners + 18 * f + 3 * k;
      to[0] = at.x + ((corner & 1) - 0.5) * size[0];
      to[1] = at.y + ((corner >> 1 & 1) - 0.5) * size[1];
      to[2] = at.z + ((corner >> 2 & 1) - 0.5) * size[2];
    }
  }
}

static void a_box_of_triangles_is_a_box(void **state) {
  (void)state;
  const double size[3] = {0.2, 0.5, 1.5};
  const flg_vec3 at = {30, -20, 10};
  double corners[12 * 9];
  box_triangles(size, at, corners);
  const flg_shape shape = {
      .kind = FLG_SHAPE_BOX, .size = {0.2, 0.5, 1.5}, .pose = {flg_mat3_identity(), at}};
  flg_mass_properties box, mesh;
  assert_true(flg_mass_of_shape(&shape, 700, &box));
  assert_true(flg_mass_of_triangles(corners, 12, 700, &mesh));
  assert_near(box.mass, 105, 1e-12);
  assert_near(mesh.mass, box.mass, 1e-11);
  assert_inertia(mesh.inertia, box.inertia, 100);
  assert_near(box.inertia.xx, 105 * (0.25 + 2.25) / 12, 1e-12);
  for (int k = 0; k < 12 * 9; k += 9) { /* inside out */
    for (int i = 0; i < 3; i++) {
      const double other = corners[k + i];
      corners[k + i] = corners[k + 3 + i], corners[k + 3 + i] = other;
    }
  }
  assert_true(flg_mass_of_triangles(corners, 12, 700, &mesh));
  assert_near(mesh.mass, box.mass, 1e-11);
  assert_inertia(mesh.inertia, box.inertia, 100);
}

static void sheets_have_no_mass(void **state) {
  (void)state;
  const double triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  flg_mass_properties unused;
  assert_false(flg_mass_of_triangles(triangle, 1, 1000, &unused));
  assert_false(flg_mass_of_triangles(NULL, 0, 1000, &unused));
}

/* a capsule is a cylinder and two half spheres: against sums over slices */
static void a_capsule_is_the_sum_of_its_slices(void **state) {
  (void)state;
  const double a = 0.3, l = 0.7, step = 1e-5;
  const flg_shape shape = {.kind = FLG_SHAPE_CAPSULE, .size = {a, l}, .pose = flg_pose_identity()};
  flg_mass_properties whole;
  double mass = 0, along = 0, across = 0;
  for (double z = -l / 2 - a + step / 2; z < l / 2 + a; z += step) {
    const double out = fmax(0, fabs(z) - l / 2), square = a * a - out * out;
    const double slice = 2 * 3.14159265358979323846 / 2 * square * step;
    mass += slice, along += slice * square / 2, across += slice * (square / 4 + z * z);
  }
  assert_true(flg_mass_of_shape(&shape, 1, &whole));
  assert_near(whole.mass, mass, 1.5e-10);
  assert_near(whole.inertia.zz, along, 1e-13);
  assert_near(whole.inertia.xx, across, 7e-11);
}

static void halves_make_a_whole(void **state) {
  (void)state;
  flg_mass_properties sum = {0}, one, whole;
  const flg_shape large = {.kind = FLG_SHAPE_BOX, .size = {1, 2, 4}, .pose = flg_pose_identity()};
  for (int k = 0; k < 2; k++) {
    flg_shape half = large;
    half.size[2] = 2, half.pose.position.z = 2 * k - 1;
    assert_true(flg_mass_of_shape(&half, 3, &one));
    sum = flg_mass_sum(&sum, &one);
  }
  assert_true(flg_mass_of_shape(&large, 3, &whole));
  assert_near(sum.mass, whole.mass, 1e-13);
  assert_inertia(sum.inertia, whole.inertia, 50);
}

static void bodies_keep_their_inertia_and_others_get_the_nearest(void **state) {
  (void)state;
  const flg_sym3 good = {.xx = 1, .yy = 2, .zz = 2.5, .xy = 0.1, .xz = -0.2, .yz = 0.3};
  assert_inertia(flg_inertia_nearest(good), good, 5);
  assert_inertia(flg_inertia_nearest((flg_sym3){.zz = 3}),
                 (flg_sym3){.xx = 1.5, .yy = 1.5, .zz = 3}, 5);
  random_source from = {7};
  for (int k = 0; k < 1000; k++) {
    flg_sym3 any;
    double *numbers = (double *)&any, moment[3];
    for (int i = 0; i < 6; i++) numbers[i] = random_uniform(&from, -1, 1);
    flg_sym3_eigenvalues(flg_inertia_nearest(any), moment);
    assert_true(moment[0] >= -1e-14 && moment[0] + moment[1] >= moment[2] - 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_of_triangles_is_a_box),
      cmocka_unit_test(sheets_have_no_mass),
      cmocka_unit_test(a_capsule_is_the_sum_of_its_slices),
      cmocka_unit_test(halves_make_a_whole),
      cmocka_unit_test(bodies_keep_their_inertia_and_others_get_the_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
