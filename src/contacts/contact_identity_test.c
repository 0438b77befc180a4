/* Any number of shapes, materials, pairs that never touch and options changes the identity of
 * contacts; the same numbers at another place in memory do not. */
#include "contacts/contact_identity.h"

#include "check.h"

enum { SHAPES = 3, COLUMNS = 3, FIELD_ROWS = 4, CORNERS = 4, SET = 2, MATERIALS = 2, APART = 2 };
enum { MOST = 128 };

typedef struct world {
  double heights[COLUMNS * FIELD_ROWS];
  flg_vec3 corners[CORNERS], points[SET];
  flg_height_field field;
  flg_hull hull;
  flg_contact_shape forms[SHAPES];
  flg_scene_shape shapes[SHAPES];
  int apart[APART][2];
  flg_material pairs[MATERIALS * MATERIALS];
  flg_touch_shapes touch;
  flg_contacts_options options;
} world;

/* a field, a hull and a set of points */
static void fill_world(world *made) {
  random_source source = {5};
  *made = (world){.options = flg_contacts_default()};
  for (int k = 0; k < COLUMNS * FIELD_ROWS; k++) made->heights[k] = random_uniform(&source, 0, 1);
  for (int k = 0; k < 3 * CORNERS; k++)
    (&made->corners[k / 3].x)[k % 3] = random_uniform(&source, 0, 1);
  for (int k = 0; k < 3 * SET; k++) (&made->points[k / 3].x)[k % 3] = random_uniform(&source, 0, 1);
  made->field = (flg_height_field){.columns = COLUMNS,
                                   .rows = FIELD_ROWS,
                                   .spacing_x = 0.1,
                                   .spacing_y = 0.2,
                                   .heights = made->heights};
  made->hull = (flg_hull){.vertex_count = CORNERS, .vertices = made->corners};
  made->forms[0].field = &made->field, made->forms[1].hull = &made->hull;
  made->forms[2].points = made->points, made->forms[2].point_count = SET;
  for (int k = 0; k < SHAPES; k++) {
    made->forms[k].half = (flg_vec3){1, 2, 3}, made->forms[k].radius = 0.25;
    made->shapes[k] = flg_scene_shape_default(&made->forms[k], k);
  }
  for (int k = 0; k < MATERIALS * MATERIALS; k++)
    made->pairs[k] = (flg_material){0.1 * k + 0.1, 0.05 * k};
  for (int k = 0; k < 2 * APART; k++) made->apart[k / 2][k % 2] = k;
  made->touch.count = SHAPES, made->touch.shapes = made->shapes;
  made->touch.apart_count = APART, made->touch.apart = made->apart;
  made->touch.materials = (flg_material_table){MATERIALS, made->pairs};
}

static uint64_t identity_of(const world *of) {
  return flg_contact_identity(7, &of->touch, &of->options);
}

/* every real number that counts */
static int list_reals(world *of, double **list) {
  flg_contact_law_options *law = &of->options.law;
  double *const options[] = {&law->correction,
                             &law->slop,
                             &law->solver.tolerance,
                             &law->solver.pivot_tolerance,
                             &law->solver.potential_tolerance,
                             &of->field.spacing_x,
                             &of->field.spacing_y};
  int count = 0;
  for (int k = 0; k < 7; k++) list[count++] = options[k];
  for (int k = 0; k < COLUMNS * FIELD_ROWS; k++) list[count++] = &of->heights[k];
  for (int k = 0; k < 3 * CORNERS; k++) list[count++] = &of->corners[k / 3].x + k % 3;
  for (int k = 0; k < 3 * SET; k++) list[count++] = &of->points[k / 3].x + k % 3;
  for (int k = 0; k < SHAPES; k++) {
    list[count++] = &of->forms[k].radius;
    for (int i = 0; i < 3; i++) list[count++] = &of->forms[k].half.x + i;
    for (int i = 0; i < 3; i++) list[count++] = &of->shapes[k].pose.position.x + i;
    for (int i = 0; i < 9; i++) list[count++] = &of->shapes[k].pose.rotation.m[i];
  }
  for (int k = 0; k < MATERIALS * MATERIALS; k++) {
    list[count++] = &of->pairs[k].friction, list[count++] = &of->pairs[k].restitution;
  }
  assert_true(count <= MOST);
  return count;
}

static int list_integers(world *of, int **list) {
  flg_complementarity_options *solver = &of->options.law.solver;
  int *const options[] = {&of->options.capacity, &of->options.dense_limit, &solver->direct_limit,
                          &solver->iterations};
  int count = 0;
  for (int k = 0; k < 4; k++) list[count++] = options[k];
  for (int k = 0; k < SHAPES; k++) {
    list[count++] = &of->shapes[k].body, list[count++] = &of->shapes[k].material;
    list[count++] = &of->shapes[k].family;
  }
  for (int k = 0; k < 2 * APART; k++) list[count++] = &of->apart[k / 2][k % 2];
  return count;
}

static void any_number_changes_the_identity(void **state) {
  (void)state;
  static world one, other;
  double *reals[MOST];
  int *integers[MOST];
  fill_world(&one), fill_world(&other);
  const uint64_t identity = identity_of(&one);
  assert_true(identity == identity_of(&other));
  const int real_count = list_reals(&one, reals), integer_count = list_integers(&one, integers);
  for (int k = 0; k < real_count; k++) {
    const double kept = *reals[k];
    *reals[k] = nextafter(kept, 9);
    if (identity_of(&one) == identity) fail_msg("real number %d", k);
    *reals[k] = kept;
  }
  for (int k = 0; k < integer_count; k++) {
    ++*integers[k];
    if (identity_of(&one) == identity) fail_msg("integer %d", k);
    --*integers[k];
  }
  for (int k = 0; k < SHAPES; k++) {
    one.shapes[k].group ^= 4;
    assert_true(identity_of(&one) != identity);
    one.shapes[k].group ^= 4, one.shapes[k].collides ^= 4;
    assert_true(identity_of(&one) != identity);
    one.shapes[k].collides ^= 4;
    one.shapes[k].piece++;
    assert_true(identity_of(&one) != identity);
    one.shapes[k].piece--, one.shapes[k].owner++;
    assert_true(identity_of(&one) != identity);
    one.shapes[k].owner--;
  }
  int pair[1][2] = {{1, 2}};
  one.touch.pieces_apart = (flg_pair_set){pair, 1, 1};
  assert_true(identity_of(&one) != identity);
  one.touch.pieces_apart = (flg_pair_set){0};
  assert_true(identity == identity_of(&one));
}

/* A corner less, and a point more that has its place: the numbers in a row are the same. */
static void lists_are_hashed_with_their_lengths(void **state) {
  (void)state;
  static world one;
  fill_world(&one);
  for (int k = 0; k < SHAPES; k++) one.forms[k].hull = &one.hull;
  one.forms[1].points = one.corners + CORNERS - 1, one.forms[1].point_count = 1;
  one.hull.vertex_count = CORNERS - 1;
  const uint64_t split = identity_of(&one);
  one.forms[1].points = one.corners + CORNERS - 2, one.forms[1].point_count = 2;
  one.hull.vertex_count = CORNERS - 2;
  assert_true(split != identity_of(&one));
  one.touch.apart_count--;
  const uint64_t fewer = identity_of(&one);
  one.touch.count--;
  assert_true(fewer != identity_of(&one));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_changes_the_identity),
      cmocka_unit_test(lists_are_hashed_with_their_lengths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
