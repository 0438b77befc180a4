#include "viewer/mesh_triangles.h"

#include "check.h"

static flg_region region;
static flg_triangles triangles;

static int teardown(void **state) {
  (void)state;
  flg_region_release(&region);
  return 0;
}

static bool parse(const char *path, const char *text, size_t length) {
  return flg_triangles_parse(&triangles, path, text, length, &region);
}

static void text_and_binary_are_the_same(void **state) {
  (void)state;
  const char *text =
      "solid a\n facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 2 0.5\n"
      " endloop\n endfacet\nendsolid";
  const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0.5F};
  assert_true(parse("a.stl", text, strlen(text)));
  assert_int_equal(triangles.count, 1);
  assert_memory_equal(triangles.corners, corners, sizeof corners);
  char binary[134] = "solid";
  binary[80] = 1;
  memcpy(binary + 96, corners, sizeof corners);
  assert_true(parse("b.STL", binary, sizeof binary));
  assert_int_equal(triangles.count, 1);
  assert_memory_equal(triangles.corners, corners, sizeof corners);
}

static void faces_of_objects_are_cut_into_triangles(void **state) {
  (void)state;
  const char *text =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -1 -2 -3\nf 1 2 9\n"
      "f 1 2\n";
  assert_true(parse("a.obj", text, strlen(text)));
  assert_int_equal(triangles.count, 3);
  const float last[9] = {0, 1, 0, 1, 1, 0, 1, 0, 0};
  assert_memory_equal(triangles.corners + 18, last, sizeof last);
}

static void what_is_no_mesh_has_no_triangles(void **state) {
  (void)state;
  char cut[84] = "";
  cut[80] = 5;
  assert_false(parse("a.stl", cut, sizeof cut));
  assert_false(parse("a.stl", "solid\nvertex 1 x 2\n", 19));
  assert_false(parse("a.obj", "", 0));
  assert_false(parse("a.dae", "v 1 2 3\n", 8));
  memset(cut + 80, 0xff, 4);
  assert_false(parse("a.stl", cut, sizeof cut));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(text_and_binary_are_the_same, teardown),
      cmocka_unit_test_teardown(faces_of_objects_are_cut_into_triangles, teardown),
      cmocka_unit_test_teardown(what_is_no_mesh_has_no_triangles, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
