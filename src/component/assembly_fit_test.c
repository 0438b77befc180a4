/* Frames of joints that repeat each other, against a straight line fitted to them. */
#include "component/assembly_fit.h"

#include "assembly/assembly_inner.h"
#include "parts.h"

enum { HINGES = 4 };

/* hinges of a door nearly on one line along z, by little off it and tilted */
typedef struct door {
  double height[HINGES], off[2][HINGES], tilt[2][HINGES]; /* [m], [rad], towards x and y */
} door;

static door random_door(random_source *source, double size) {
  door made;
  for (int k = 0; k < HINGES; k++) {
    made.height[k] = 0.7 * k + random_uniform(source, 0, 0.3);
    for (int i = 0; i < 2; i++) {
      made.off[i][k] = size * random_uniform(source, -1, 1);
      made.tilt[i][k] = size * random_uniform(source, -1, 1);
    }
  }
  return made;
}

static flg_assembly *hang(const door *of, parts **made) {
  parts *p = *made = parts_new(HINGES);
  add_body(p, 2, (flg_sym3){0.3, 0.4, 0.5, 0, 0, 0}, vec(0.4, 0.1, 1), flg_quat_identity());
  for (int k = 0; k < HINGES; k++) {
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 0,
              vec(of->off[0][k], of->off[1][k], of->height[k]),
              vec(of->tilt[0][k], of->tilt[1][k], 1));
  }
  const flg_assembly_options options = flg_assembly_default();
  return assemble(p, &options);
}

/* The line x = a + b z for which (a + b z - x)^2 / length^2 + (b - tilt)^2, summed over hinges, is
 * least; each side of the joints has it. */
static void fit_line(const door *of, int i, double length, double *a, double *b) {
  double n = HINGES / (length * length), z = 0, zz = HINGES, x = 0, xz = 0;
  for (int k = 0; k < HINGES; k++) {
    const double weight = 1 / (length * length), height = of->height[k], at = of->off[i][k];
    z += weight * height, zz += weight * height * height;
    x += weight * at, xz += weight * height * at + of->tilt[i][k];
  }
  *b = (n * xz - z * x) / (n * zz - z * z);
  *a = (x - z * *b) / n;
}

/* all frames, on both sides, are on the line and along it */
static void check_frames(const flg_assembly *assembly, const door *of, double length, double size) {
  double a[2], b[2];
  for (int i = 0; i < 2; i++) fit_line(of, i, length, &a[i], &b[i]);
  for (int k = 0; k < HINGES; k++) {
    for (int s = 0; s < 2; s++) {
      const flg_part_anchor *anchor = &assembly->model.row_sets[k].anchor[s];
      flg_vec3 at = anchor->pose.position;
      if (anchor->on != NULL) at = flg_vec3_add(at, vec(0.4, 0.1, 1));
      const flg_vec3 axis = flg_mat3_column(&anchor->pose.rotation, 2);
      const double second = size * size; /* the line is of first order in `size` */
      assert_near(at.x, a[0] + b[0] * of->height[k], 2 * second);
      assert_near(at.y, a[1] + b[1] * of->height[k], 2 * second);
      assert_near(at.z, of->height[k], 4 * second);
      assert_near(axis.x, b[0], 0.3 * second);
      assert_near(axis.y, b[1], 0.3 * second);
    }
  }
}

static void hinges_of_a_door_move_to_the_nearest_line(void **state) {
  (void)state;
  random_source source = {1};
  for (int repeat = 0; repeat < 40; repeat++) {
    const double size = pow(10, -3.5 - repeat % 4);
    const door of = random_door(&source, size);
    parts *p;
    flg_assembly *assembly = hang(&of, &p);
    flg_fit fit = {0};
    flg_error error;
    if (flg_assembly_fit(assembly, 0.1, &fit, &error) != FLG_OK) fail_msg("%s", error.message);
    assert_in_range(fit.joint, 0, HINGES - 1);
    check_frames(assembly, &of, fit.length, size);
    double moved = 0, turned = 0;
    for (int k = 0; k < HINGES; k++) {
      double off[2], tilt[2];
      for (int i = 0; i < 2; i++) {
        double a, b;
        fit_line(&of, i, fit.length, &a, &b);
        off[i] = a + b * of.height[k] - of.off[i][k], tilt[i] = b - of.tilt[i][k];
      }
      moved = flg_larger(moved, hypot(off[0], off[1]));
      turned = flg_larger(turned, hypot(tilt[0], tilt[1]));
    }
    assert_near(fit.moved, moved, 2 * size * size);
    assert_near(fit.turned, turned, 0.3 * size * size);
    flg_assembly_release(assembly);
    parts_drop(p);
  }
}

static void changes_over_the_tolerance_are_refused_and_undone(void **state) {
  (void)state;
  random_source source = {2};
  const door of = random_door(&source, 1e-3);
  parts *p;
  flg_assembly *assembly = hang(&of, &p);
  flg_part_anchor before[HINGES][2];
  for (int k = 0; k < HINGES; k++) {
    memcpy(before[k], assembly->model.row_sets[k].anchor, sizeof before[k]);
  }
  flg_fit fit;
  flg_error error;
  assert_int_equal(flg_assembly_fit(assembly, 1e-5, &fit, &error), FLG_ERR_INPUT);
  for (int k = 0; k < HINGES; k++) {
    for (int s = 0; s < 2; s++) {
      assert_memory_equal(&assembly->model.row_sets[k].anchor[s].pose, &before[k][s].pose,
                          sizeof before[k][s].pose);
    }
  }
  flg_assembly_release(assembly);
  parts_drop(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hinges_of_a_door_move_to_the_nearest_line),
      cmocka_unit_test(changes_over_the_tolerance_are_refused_and_undone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
