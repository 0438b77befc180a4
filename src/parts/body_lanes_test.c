/* Bodies four at once have the bits of those one at a time. */
#include "parts/body_lanes.h"

#include "check.h"

enum { ROUNDS = 500, ALL = FLG_LANES };

typedef struct four_bodies {
  flg_rigid_body bodies[ALL];
  flg_rigid_motion motions[ALL];
  double q[ALL * FLG_BODY_POSITIONS];
} four_bodies;

static flg_vec3 random_vector(random_source *source, double size) {
  const double x = random_uniform(source, -size, size), y = random_uniform(source, -size, size);
  return (flg_vec3){x, y, random_uniform(source, -size, size)};
}

/* rods of any length, at rest, slow and fast: they need different numbers of steps */
static four_bodies random_bodies(random_source *source) {
  static const double FASTEST[] = {0, 1e-6, 0.1, 10, 300};
  four_bodies of = {0};
  for (int k = 0; k < ALL; k++) {
    flg_rigid_body *body = &of.bodies[k];
    const flg_axial resists = {random_uniform(source, 0.1, 2), random_uniform(source, -0.09, 3),
                               flg_vec3_normalise(random_vector(source, 1))};
    body->mass = random_uniform(source, 0.1, 5);
    body->is_axial = true, body->resists = resists, body->yields = flg_axial_inverse(&resists);
    body->inertia = flg_axial_along(&resists, resists.axis);
    body->inverse = flg_axial_along(&body->yields, resists.axis);
    const double fastest = FASTEST[random_integer(source, 0, 4)];
    of.motions[k].momentum =
        (flg_spatial){random_vector(source, 1), random_vector(source, fastest)};
    double *q = of.q + k * FLG_BODY_POSITIONS;
    flg_vec3_store(random_vector(source, 3), q);
    for (int i = 3; i < FLG_BODY_POSITIONS; i++) q[i] = random_uniform(source, -1, 1);
    const flg_quat turn = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
  }
  return of;
}

static void bodies_fly_as_each_alone(void **state) {
  (void)state;
  random_source source = {1};
  int far = 0;
  for (int k = 0; k < ROUNDS; k++) {
    const four_bodies of = random_bodies(&source);
    const double h = 1e-3;
    double alone[ALL * FLG_BODY_POSITIONS] = {0}, lanes[ALL * FLG_BODY_POSITIONS] = {0};
    bool all = true;
    for (int i = 0; i < ALL; i++) {
      const flg_rigid_body *body = &of.bodies[i];
      const int at = FLG_BODY_POSITIONS * i;
      all = flg_body_fly(body->mass, body->inertia, body->inverse, of.motions[i].momentum, h,
                         of.q + at, alone + at) &&
            all;
    }
    assert_int_equal(flg_body_fly_lanes(of.bodies, of.motions, h, of.q, lanes), all);
    if (all) assert_memory_equal(lanes, alone, sizeof alone);
    far += !all;
  }
  assert_in_range(far, 1, ROUNDS / 2); /* some turn too far */
}

static void bodies_are_placed_as_each_alone(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < ROUNDS; k++) {
    four_bodies of = random_bodies(&source);
    assert_true(flg_body_place_lanes(of.bodies, of.q, of.motions));
    for (int i = 0; i < ALL; i++) {
      const double *q = of.q + i * FLG_BODY_POSITIONS;
      const flg_mat3 turn =
          flg_quat_to_matrix(flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]}));
      const flg_vec3 axis = flg_mat3_apply(&turn, of.bodies[i].resists.axis);
      const flg_sym3 inertia = flg_axial_along(&of.bodies[i].resists, axis);
      const flg_sym3 inverse = flg_axial_along(&of.bodies[i].yields, axis);
      assert_memory_equal(&of.motions[i].at.pose.rotation, &turn, sizeof turn);
      assert_memory_equal(&of.motions[i].at.pose.position, q, sizeof(flg_vec3));
      assert_memory_equal(&of.motions[i].inertia, &inertia, sizeof inertia);
      assert_memory_equal(&of.motions[i].inverse, &inverse, sizeof inverse);
    }
  }
}

static void a_body_without_direction_is_left_to_the_plain_way(void **state) {
  (void)state;
  random_source source = {3};
  four_bodies of = random_bodies(&source);
  for (int i = 3; i < FLG_BODY_POSITIONS; i++) of.q[2 * FLG_BODY_POSITIONS + i] = 0;
  assert_false(flg_body_place_lanes(of.bodies, of.q, of.motions));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_fly_as_each_alone),
      cmocka_unit_test(bodies_are_placed_as_each_alone),
      cmocka_unit_test(a_body_without_direction_is_left_to_the_plain_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
