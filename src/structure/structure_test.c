/* Rigid clusters and repeated joints of components that are put together by hand. */
#include "structure/structure.h"

#include "parts.h"
#include "structure/blocks.h"

static flg_structure find_with(const parts *p, const bool *is_asked, flg_region *region) {
  const flg_structure_question question = {
      .component = &p->component, .gravity = {0, 0, -9.81}, .is_asked = is_asked};
  flg_structure found;
  assert_int_equal(flg_structure_find(&question, &found, region), FLG_OK);
  return found;
}

static int cube(parts *p, double x, double y, double z) {
  return add_body(p, 1, flg_sym3_diagonal(0.1), vec(x, y, z), flg_quat_identity());
}

/* --- blocks -------------------------------------------------------------------------------------
 */

static void a_loop_is_one_block_and_a_bridge_another(void **state) {
  (void)state;
  static const flg_edge edges[] = {{{0, 1}}, {{1, 2}}, {{2, 0}}, {{2, 3}}, {{3, 4}}, {{4, 3}}};
  flg_region region = {0};
  flg_blocks blocks;
  assert_true(flg_blocks_find(&blocks, 6, edges, 6, &region));
  assert_int_equal(blocks.count, 3);
  int sizes[4] = {0};
  for (int k = 0; k < blocks.count; k++) sizes[blocks.first[k + 1] - blocks.first[k]]++;
  assert_int_equal(sizes[1], 1); /* the bridge from 2 to 3 */
  assert_int_equal(sizes[2], 1); /* two edges between 3 and 4 */
  assert_int_equal(sizes[3], 1);
  flg_region_release(&region);
}

/* --- clusters -----------------------------------------------------------------------------------
 */

/* three planes on three planes, in any order and on either side */
static void three_planes_on_three_planes_are_a_weld(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    parts *p = parts_new(8);
    flg_region region = {0};
    const int a = cube(p, 0, 0, 0), b = cube(p, 1, 0.2, 0.1);
    for (int i = 0; i < 3; i++) {
      const int axis = (k + i * (k < 3 ? 1 : 2)) % 3;
      add_joint(p, FLG_CONSTRAINT_PLANAR, k % 2 ? a : b, k % 2 ? b : a, vec(0.5, 0.1 * i, 0),
                vec(axis == 0, axis == 1, axis == 2));
    }
    const flg_structure found = find_with(p, NULL, &region);
    assert_int_equal(found.lead[b], a);
    assert_int_equal(found.cluster_count, 1);
    assert_int_equal(found.inner_count, 3);
    p->component.joint_count = 2; /* two of them let b slide */
    assert_int_equal(find_with(p, NULL, &region).merged_count, 0);
    flg_region_release(&region);
    parts_drop(p);
  }
}

/* a crank, a rod and a slider, with the crank at that angle */
static parts *slider_crank(double angle) {
  parts *p = parts_new(16);
  const double r = 0.3, length = 1;
  const flg_vec3 pin = vec(r * cos(angle), r * sin(angle), 0);
  const flg_vec3 at = vec(pin.x + sqrt(length * length - pin.y * pin.y), 0, 0);
  const int crank = cube(p, pin.x / 2, pin.y / 2, 0);
  const int rod = cube(p, (pin.x + at.x) / 2, pin.y / 2, 0), slider = cube(p, at.x, 0, 0);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, crank, vec(0, 0, 0), vec(0, 0, 1));
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, crank, rod, pin, vec(0, 0, 1));
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, rod, slider, at, vec(0, 0, 1));
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, slider, at, vec(1, 0, 0));
  return p;
}

/* at 0 and at pi the slider stands still for an instant, which is not for good */
static void a_slider_in_dead_centre_is_not_part_of_the_ground(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    parts *p = slider_crank(k * acos(-1) / 4);
    flg_region region = {0};
    assert_int_equal(find_with(p, NULL, &region).merged_count, 0);
    flg_region_release(&region);
    parts_drop(p);
  }
}

/* three bars in a plane, hinged at the corners; the fourth bar of a square makes it move */
static void a_triangle_of_bars_is_rigid_and_a_square_is_not(void **state) {
  (void)state;
  for (int corners = 3; corners <= 4; corners++) {
    parts *p = parts_new(16);
    flg_region region = {0};
    flg_vec3 at[4];
    for (int k = 0; k < corners; k++) {
      const double angle = 2 * acos(-1) * k / corners + 0.1;
      at[k] = vec(cos(angle), sin(angle), 0.3);
    }
    for (int k = 0; k < corners; k++) add_rod(p, 1, at[k], at[(k + 1) % corners]);
    for (int k = 0; k < corners; k++) {
      add_joint(p, FLG_CONSTRAINT_REVOLUTE, (k + corners - 1) % corners, k, at[k], vec(0, 0, 1));
    }
    const flg_structure found = find_with(p, NULL, &region);
    assert_int_equal(found.merged_count, corners == 3 ? 2 : 0);
    flg_region_release(&region);
    parts_drop(p);
  }
}

/* a shaft in two bearings, of which one is enough; a bearing on another axis is not the same */
static void a_second_bearing_repeats_the_first(void **state) {
  (void)state;
  parts *p = parts_new(16);
  flg_region region = {0};
  const int shaft = cube(p, 0, 0, 0);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, shaft, vec(0, 0, -1), vec(0, 0, 1));
  add_joint(p, FLG_CONSTRAINT_CYLINDRICAL, shaft, FLG_WORLD, vec(0, 0, 1), vec(0, 0, -1));
  flg_structure found = find_with(p, NULL, &region);
  assert_int_equal(found.roles[0], FLG_JOINT_KEPT);
  assert_int_equal(found.roles[1], FLG_JOINT_REPEATED);
  const bool is_asked[] = {true, false};
  assert_int_equal(find_with(p, is_asked, &region).repeated_count, 0);
  p->component.joints[1].end[1].pose.position.x += 0.1;
  p->component.joints[1].end[0].pose.position.x += 0.1; /* now they hold the shaft */
  found = find_with(p, NULL, &region);
  assert_int_equal(found.lead[shaft], FLG_WORLD);
  flg_region_release(&region);
  parts_drop(p);
}

/* --- what prevents it ---------------------------------------------------------------------------
 */

static int merged(const parts *p, const bool *is_asked) {
  flg_region region = {0};
  const int count = find_with(p, is_asked, &region).merged_count;
  flg_region_release(&region);
  return count;
}

static void bodies_stay_apart_where_one_would_not_be_the_same(void **state) {
  (void)state;
  parts *p = parts_new(8);
  const int a = cube(p, 0, 0, 0), b = cube(p, 1, 0, 0);
  add_joint(p, FLG_CONSTRAINT_WELD, a, b, vec(0.5, 0, 0), vec(0, 0, 1));
  flg_component_body *body = &p->component.bodies[b];
  assert_int_equal(merged(p, NULL), 1);
  const bool is_asked[] = {true};
  assert_int_equal(merged(p, is_asked), 0); /* the force of the weld is recorded */
  body->gravity = vec(0, 0, 0);
  assert_int_equal(merged(p, NULL), 0);
  body->gravity = vec(0, 0, -9.81); /* the same that the other has */
  assert_int_equal(merged(p, NULL), 1);
  body->velocity.linear = vec(0, 1, 0);
  assert_int_equal(merged(p, NULL), 0);
  body->velocity.angular = p->component.bodies[a].velocity.angular = vec(0, 0, 1);
  assert_int_equal(merged(p, NULL), 1); /* both turn about a */
  body->pose.position.x += 1e-6;
  assert_int_equal(merged(p, NULL), 0); /* the weld is open */
  body->pose.position.x -= 1e-6;
  const flg_pose here = {flg_mat3_identity(), {0.5, 0, 0}};
  const int angle =
      add_coordinate(p, FLG_COORDINATE_ANGLE, anchor_at(p, a, &here), anchor_at(p, b, &here));
  assert_int_equal(merged(p, NULL), 1); /* a sensor */
  add_spring(p, angle, 1, 0, 0);
  assert_int_equal(merged(p, NULL), 0);
  parts_drop(p);
}

/* joints in one point, far from the origin, where positions are rounded */
static void a_weld_far_from_the_origin_is_found(void **state) {
  (void)state;
  for (int k = 0; k < 40; k++) {
    parts *p = parts_new(8);
    const double far = pow(10, k / 10);
    const flg_quat turn = flg_quat_exp(vec(0.3 * k, 1 - 0.1 * k, 0.7));
    const int a = add_body(p, 1, flg_sym3_diagonal(1), vec(far, 0.1 * k, 0.3), turn);
    const int b = cube(p, far + 1.0 / 3, 0.1 * k, 0.7);
    add_joint(p, FLG_CONSTRAINT_WELD, a, b, vec(far + 0.1 * k, 0.3, 0.1), vec(1, 0.2 * k, 0.3));
    assert_int_equal(merged(p, NULL), 1);
    parts_drop(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_is_one_block_and_a_bridge_another),
      cmocka_unit_test(three_planes_on_three_planes_are_a_weld),
      cmocka_unit_test(a_slider_in_dead_centre_is_not_part_of_the_ground),
      cmocka_unit_test(a_triangle_of_bars_is_rigid_and_a_square_is_not),
      cmocka_unit_test(a_second_bearing_repeats_the_first),
      cmocka_unit_test(bodies_stay_apart_where_one_would_not_be_the_same),
      cmocka_unit_test(a_weld_far_from_the_origin_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
