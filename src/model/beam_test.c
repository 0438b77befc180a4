#include "model/beam.h"

#include "check.h"

/* A boom of the arm: a solid cylinder of 0.3 m diameter, 6.85 m long, of aluminium. */
static flg_beam_piece boom_piece(void) {
  return (flg_beam_piece){.length = 6.85,
                          .section = flg_beam_circle(0.3),
                          .young = 69e9,
                          .shear = 26e9,
                          .density = 2700};
}

static flg_beam boom(const flg_beam_piece *pieces, int count, flg_beam_ends ends) {
  double length = 0;
  for (int k = 0; k < count; k++) length += pieces[k].length;
  return (flg_beam){.end = {length, 0, 0},
                    .side = {0, 1, 0},
                    .pieces = pieces,
                    .piece_count = count,
                    .ends = ends};
}

static flg_modal_body built(const flg_beam *beam, flg_region *region) {
  flg_modal_body body;
  assert_int_equal(flg_beam_build(beam, &body, region), FLG_OK);
  return body;
}

static void frequencies_of_bending_are_those_of_the_closed_forms(void **state) {
  (void)state;
  /* Blevins, Formulas for Natural Frequency and Mode Shape: b of cos b cosh b = -1, and 1 */
  static const double roots[3][4] = {
      {1.87510406871196, 4.69409113297417, 7.85475743823761, 10.9955407348755},
      {3.14159265358979, 6.28318530717959, 9.42477796076938, 12.5663706143592},
      {4.73004074486270, 7.85320462409584, 10.9956078380017, 14.1371654912575}};
  const flg_beam_piece piece = boom_piece();
  for (int ends = 0; ends < 3; ends++) {
    flg_region region = {0};
    flg_beam beam = boom(&piece, 1, (flg_beam_ends)ends);
    beam.counts[FLG_BEAM_ALONG_Y] = 4;
    const flg_modal_body body = built(&beam, &region);
    double found[4];
    assert_int_equal(flg_modal_frequencies(&body, found, &region), FLG_OK);
    const double unit = sqrt(piece.young * piece.section.along_y /
                             (piece.density * piece.section.area * pow(piece.length, 4)));
    for (int k = 0; k < 4; k++) {
      assert_near(found[k], roots[ends][k] * roots[ends][k] * unit, 5e-13 * found[k]);
    }
    flg_region_release(&region);
  }
}

/* Rayleigh, The Theory of Sound: a sine of a pinned beam slows down by sqrt(1 + (k r)^2) */
static void sections_that_resist_turning_slow_a_pinned_beam_down(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_beam_piece piece = boom_piece();
  flg_beam beam = boom(&piece, 1, FLG_BEAM_PINNED_PINNED);
  beam.counts[FLG_BEAM_ALONG_Y] = 3;
  const flg_modal_body slim = built(&beam, &region);
  beam.rotary = true;
  const flg_modal_body thick = built(&beam, &region);
  double without[3], with[3];
  assert_int_equal(flg_modal_frequencies(&slim, without, &region), FLG_OK);
  assert_int_equal(flg_modal_frequencies(&thick, with, &region), FLG_OK);
  for (int k = 0; k < 3; k++) {
    const double wave = (k + 1) * acos(-1) / 6.85, radius = 0.075;
    assert_near(with[k] * sqrt(1 + wave * wave * radius * radius), without[k], 1e-13 * without[k]);
  }
  flg_region_release(&region);
}

static void booms_of_the_arm_have_their_published_frequencies(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_beam_piece piece = boom_piece();
  flg_beam beam = boom(&piece, 1, FLG_BEAM_CLAMPED_FREE);
  beam.counts[FLG_BEAM_ALONG_Y] = beam.counts[FLG_BEAM_ALONG_Z] = 2;
  const flg_modal_body body = built(&beam, &region);
  double found[4];
  assert_int_equal(flg_modal_frequencies(&body, found, &region), FLG_OK);
  assert_near(found[0], 28.41, 1e-3);
  assert_near(found[1], 28.41, 1e-3);
  assert_near(found[2], 178.04, 0.005);
  assert_near(found[3], 178.04, 0.005);
  flg_region_release(&region);
}

static void frequencies_of_rods_are_those_of_waves_in_them(void **state) {
  (void)state;
  const flg_beam_piece piece = boom_piece();
  const double waves[2] = {sqrt(piece.shear / piece.density), sqrt(piece.young / piece.density)};
  static const double quarters[3][2] = {{1, 3}, {2, 4}, {2, 4}};
  for (int ends = 0; ends < 3; ends++) {
    for (int axial = 0; axial < 2; axial++) {
      flg_region region = {0};
      flg_beam beam = boom(&piece, 1, (flg_beam_ends)ends);
      beam.counts[axial ? FLG_BEAM_AXIAL : FLG_BEAM_TWIST] = 2;
      const flg_modal_body body = built(&beam, &region);
      double found[2];
      assert_int_equal(flg_modal_frequencies(&body, found, &region), FLG_OK);
      for (int k = 0; k < 2; k++) {
        const double expected = quarters[ends][k] * acos(-1) / 2 * waves[axial] / piece.length;
        assert_near(found[k], expected, 1e-13 * expected);
      }
      flg_region_release(&region);
    }
  }
}

static void pieces_of_one_section_are_one_beam(void **state) {
  (void)state;
  flg_region region = {0};
  flg_beam_piece pieces[3] = {boom_piece(), boom_piece(), boom_piece()};
  pieces[0].length = 1.2, pieces[1].length = 3, pieces[2].length = 2.65;
  flg_beam beam = boom(pieces, 3, FLG_BEAM_CLAMPED_FREE);
  beam.counts[FLG_BEAM_ALONG_Z] = 3;
  const flg_modal_body body = built(&beam, &region);
  const flg_beam_piece piece = boom_piece();
  flg_beam whole = boom(&piece, 1, FLG_BEAM_CLAMPED_FREE);
  whole.counts[FLG_BEAM_ALONG_Z] = 3;
  const flg_modal_body expected = built(&whole, &region);
  for (int k = 0; k < 9; k++) {
    assert_near(body.mass[k], expected.mass[k], 1e-13 * expected.mass[0]);
    assert_near(body.stiffness[k], expected.stiffness[k], 3e-13 * expected.stiffness[8]);
  }
  flg_region_release(&region);
}

/* Two halves, the outer one with a quarter of the bending stiffness and half of the mass. Smooth
 * functions have no jump of curvature where they meet: forty of them come nearer to it. */
static void frequencies_of_a_stepped_beam_come_from_above(void **state) {
  (void)state;
  flg_region region = {0};
  flg_beam_piece pieces[2] = {boom_piece(), boom_piece()};
  pieces[0].length = pieces[1].length = 3.425;
  pieces[1].section = flg_beam_circle(0.3 / sqrt(2));
  flg_beam beam = boom(pieces, 2, FLG_BEAM_CLAMPED_FREE);
  beam.counts[FLG_BEAM_ALONG_Y] = 2;
  const flg_modal_body body = built(&beam, &region);
  double found[2], finer[40];
  assert_int_equal(flg_modal_frequencies(&body, found, &region), FLG_OK);
  beam.counts[FLG_BEAM_ALONG_Y] = 40;
  const flg_modal_body fine = built(&beam, &region);
  assert_int_equal(flg_modal_frequencies(&fine, finer, &region), FLG_OK);
  for (int k = 0; k < 2; k++) {
    assert_true(found[k] >= finer[k] * (1 - 1e-12));
    assert_near(found[k], finer[k], 0.01 * finer[k]);
  }
  flg_region_release(&region);
}

static void rigid_inertia_is_that_of_a_cylinder(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_beam_piece piece = boom_piece();
  flg_beam beam = boom(&piece, 1, FLG_BEAM_CLAMPED_FREE);
  beam.counts[FLG_BEAM_ALONG_Y] = 1;
  const flg_modal_body body = built(&beam, &region);
  const double mass = 2700 * acos(-1) * 0.0225 * 6.85;
  assert_near(body.rigid.mass, mass, 1e-13 * mass);
  assert_near(body.rigid.moment.x, mass * 3.425, 1e-13 * mass);
  assert_near(body.rigid.rotation.xx, mass * 0.0225 / 2, 1e-13 * mass);
  const double across = mass * (0.0225 / 4 + 6.85 * 6.85 / 3);
  assert_near(body.rigid.rotation.yy, across, 1e-14 * across);
  assert_near(body.rigid.rotation.zz, across, 1e-14 * across);
  flg_region_release(&region);
}

/* P L^3/(3 E I); the first n modes give the sum of 12/b^4: 97.1 %, 99.6 %, 99.9 % */
static void a_tip_force_bends_by_the_closed_form(void **state) {
  (void)state;
  const flg_beam_piece piece = boom_piece();
  for (int modes = 1; modes <= 4; modes++) {
    flg_region region = {0};
    flg_beam beam = boom(&piece, 1, FLG_BEAM_CLAMPED_FREE);
    beam.counts[FLG_BEAM_ALONG_Y] = modes;
    const flg_modal_body body = built(&beam, &region);
    flg_spatial shapes[4];
    flg_vec3 pairs[16];
    flg_modal_shapes(&body, (flg_vec3){6.85, 0, 0}, shapes, pairs);
    double deflection = 0;
    for (int k = 0; k < modes; k++) { /* K is diagonal */
      deflection += shapes[k].linear.y * shapes[k].linear.y / body.stiffness[k + modes * k];
    }
    const double expected = pow(6.85, 3) / (3 * piece.young * piece.section.along_y);
    assert_near(deflection, expected, (modes == 1 ? 0.03 : 0.01) * expected);
    assert_true(deflection < expected);
    flg_region_release(&region);
  }
}

static void a_beam_drawn_in_keeps_its_length(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_beam_piece piece = boom_piece();
  flg_beam beam = boom(&piece, 1, FLG_BEAM_CLAMPED_FREE);
  beam.counts[FLG_BEAM_ALONG_Y] = 2;
  beam.stiffens = true;
  const flg_modal_body body = built(&beam, &region);
  flg_spatial shapes[2];
  flg_vec3 pairs[4];
  /* the arc length of the bent axis to third order: small steps along it */
  const double e[2] = {1e-3, -4e-4};
  double arc = 0;
  flg_vec3 last = {0, 0, 0};
  for (int i = 0; i <= 2000; i++) {
    const flg_vec3 s = {6.85 * i / 2000, 0, 0};
    flg_modal_shapes(&body, s, shapes, pairs);
    flg_vec3 at = s;
    for (int k = 0; k < 2; k++) {
      at = flg_vec3_add_scaled(at, e[k], shapes[k].linear);
      for (int j = 0; j < 2; j++) at = flg_vec3_add_scaled(at, e[k] * e[j] / 2, pairs[k + 2 * j]);
    }
    if (i > 0) arc += flg_vec3_norm(flg_vec3_subtract(at, last));
    last = at;
  }
  assert_near(arc, 6.85, 1e-12);
  flg_region_release(&region);
}

static void damping_is_the_share_of_critical_of_every_mode(void **state) {
  (void)state;
  flg_region region = {0};
  const double own[2][3] = {{0, 0, 1}, {0, 0, 0.5}};
  const double cubic[4] = {0, 0, 0, 1};
  const flg_beam_mode modes[2] = {{FLG_BEAM_ALONG_Y, FLG_BEAM_POLYNOMIAL, 0, own[0], 3},
                                  {FLG_BEAM_ALONG_Y, FLG_BEAM_POLYNOMIAL, 0, cubic, 4}};
  const flg_beam_piece piece = boom_piece();
  flg_beam beam = boom(&piece, 1, FLG_BEAM_CLAMPED_FREE);
  beam.own = modes, beam.own_count = 2;
  flg_modal_body body = built(&beam, &region);
  assert_int_equal(flg_modal_damp(&body, 0.02, &region), FLG_OK);
  /* C M^-1 C = 4 share^2 K for damping in every mode by the same share */
  const double *M = body.mass, *C = body.damping, *K = body.stiffness;
  const double determinant = M[0] * M[3] - M[1] * M[2];
  const double inverse[4] = {M[3] / determinant, -M[1] / determinant, -M[2] / determinant,
                             M[0] / determinant};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      double sum = 0;
      for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) sum += C[i + 2 * a] * inverse[a + 2 * b] * C[b + 2 * j];
      }
      assert_near(sum, 4 * 0.0004 * K[i + 2 * j], 1e-15 * K[3]);
    }
  }
  flg_region_release(&region);
}

static void modes_that_say_the_same_twice_are_refused(void **state) {
  (void)state;
  flg_region region = {0};
  const double quadratic[3] = {0, 0, 1}, half[3] = {0, 0, 0.5};
  const flg_beam_mode modes[2] = {{FLG_BEAM_ALONG_Y, FLG_BEAM_POLYNOMIAL, 0, quadratic, 3},
                                  {FLG_BEAM_ALONG_Y, FLG_BEAM_POLYNOMIAL, 0, half, 3}};
  const flg_beam_piece piece = boom_piece();
  flg_beam beam = boom(&piece, 1, FLG_BEAM_CLAMPED_FREE);
  beam.own = modes, beam.own_count = 2;
  flg_modal_body body;
  assert_int_equal(flg_beam_build(&beam, &body, &region), FLG_ERR_PHYSICS);
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frequencies_of_bending_are_those_of_the_closed_forms),
      cmocka_unit_test(sections_that_resist_turning_slow_a_pinned_beam_down),
      cmocka_unit_test(booms_of_the_arm_have_their_published_frequencies),
      cmocka_unit_test(frequencies_of_rods_are_those_of_waves_in_them),
      cmocka_unit_test(pieces_of_one_section_are_one_beam),
      cmocka_unit_test(frequencies_of_a_stepped_beam_come_from_above),
      cmocka_unit_test(rigid_inertia_is_that_of_a_cylinder),
      cmocka_unit_test(a_tip_force_bends_by_the_closed_form),
      cmocka_unit_test(a_beam_drawn_in_keeps_its_length),
      cmocka_unit_test(damping_is_the_share_of_critical_of_every_mode),
      cmocka_unit_test(modes_that_say_the_same_twice_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
