#include "io/mesh_read.h"

#include "files.h"
#include "io/mesh_import.h"
#include "model/mass_properties.h"

static flg_region region;
static flg_mistakes mistakes;

static int setup(void **state) {
  (void)state;
  mistakes.count = 0;
  return 0;
}

static int teardown(void **state) {
  (void)state;
  flg_region_release(&region);
  return 0;
}

static bool parse(flg_mesh_vertices *vertices, const char *path, const char *text) {
  return flg_mesh_parse(vertices, path, text, strlen(text), &region, &mistakes);
}

static void assert_message(int line, const char *part) {
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(mistakes.list[0].line, line);
  if (strstr(mistakes.list[0].message, part) == NULL) fail_msg("%s", mistakes.list[0].message);
}

/* a triangle of the binary format, three floats after another */
static size_t put_triangle(char *to, const float corners[9]) {
  memset(to, 0, 12);
  memcpy(to + 12, corners, 9 * sizeof *corners);
  memset(to + 48, 0, 2);
  return 50;
}

static void vertices_of_text_are_kept_once(void **state) {
  (void)state;
  const char *text =
      "solid a\n facet normal 0 0 1\n  outer loop\n   vertex 1 0 0\n   vertex 0 1e0 0\r\n"
      "\tvertex 0 0 -2.5\n  endloop\n endfacet\n facet normal 0 0 1\n  outer loop\n"
      "   vertex 1 0 0\n   vertex 0 1 0\n   vertex 0 0 3\n  endloop\n endfacet\nendsolid a";
  flg_mesh_vertices vertices;
  assert_true(parse(&vertices, "a.STL", text));
  assert_int_equal(vertices.count, 4);
  const double expected[12] = {0, 0, -2.5, 0, 0, 3, 0, 1, 0, 1, 0, 0};
  assert_true(max_difference(vertices.values, expected, 12) == 0);
}

static void binary_files_may_begin_with_solid(void **state) {
  (void)state;
  char file[84 + 100] = "solid made by a program";
  const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 0, 0, 0, 0.5F}};
  file[80] = 2;
  put_triangle(file + 84, corners[0]);
  put_triangle(file + 134, corners[1]);
  flg_mesh_vertices vertices;
  assert_true(flg_mesh_parse(&vertices, "b.stl", file, sizeof file, &region, &mistakes));
  assert_int_equal(vertices.count, 4);
  assert_true(vertices.values[5] == 0.5);
  file[0] = 'S';
  file[80] = 3;
  assert_false(flg_mesh_parse(&vertices, "b.stl", file, sizeof file, &region, &mistakes));
  assert_message(0, "ends before");
}

static void objects_have_their_vertices_alone(void **state) {
  (void)state;
  const char *text = "# a comment\nv 1 2 3\nvn 0 0 1\nvt 0 0\nv 4 5 6 1.0\nf 1 2 1\n";
  flg_mesh_vertices vertices;
  assert_true(parse(&vertices, "c.obj", text));
  assert_int_equal(vertices.count, 2);
  assert_true(vertices.values[5] == 6);
}

static void mistakes_say_where(void **state) {
  (void)state;
  flg_mesh_vertices vertices;
  assert_false(parse(&vertices, "d.obj", "v 1 2 3\nv 1 2 x\n"));
  assert_message(2, "three numbers");
  mistakes.count = 0;
  assert_false(parse(&vertices, "d.stl", "solid\nvertex 1 2\n"));
  assert_message(2, "three numbers");
  mistakes.count = 0;
  assert_false(parse(&vertices, "d.stl", ""));
  assert_message(0, "no vertex");
  mistakes.count = 0;
  assert_false(parse(&vertices, "d.dae", "<xml/>"));
  assert_message(0, "expected an .stl or .obj file");
  mistakes.count = 0;
  assert_false(parse(&vertices, "d.obj", "v 1e999 0 0\n"));
  assert_message(0, "not finite");
}

static void shapes_share_what_was_read(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "a.obj", "v 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\n");
  flg_shape shapes[4];
  for (int k = 0; k < 4; k++) {
    shapes[k] = (flg_shape){
        .kind = FLG_SHAPE_MESH, .mesh = path, .collision = k != 3, .size = {k == 1 ? 2 : 1, 1, 3}};
  }
  flg_meshes_read(shapes, 4, &region, &mistakes);
  remove_folder(&folder);
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(shapes[0].value_count, 12);
  assert_true(shapes[0].values[5] == 3 && shapes[0].values[9] == 1);
  assert_true(shapes[1].values[9] == 2);
  assert_ptr_equal(shapes[2].values, shapes[0].values);
  assert_null(shapes[3].values);
}

#ifdef FLANGE_ASSIMP
/* a tetrahedron in COLLADA, in centimetres and with y up: metres, and axes as written */
static const char collada[] =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
    "version='1.4.1'><asset><unit meter='0.01' name='centimeter'/><up_axis>Y_UP</up_axis></asset>"
    "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='12'>"
    "0 0 0 100 0 0 0 200 0 0 0 300</float_array><technique_common><accessor source='#a' count='4' "
    "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' "
    "type='float'/></accessor></technique_common></source><vertices id='v'><input "
    "semantic='POSITION' source='#p'/></vertices><triangles count='4'><input semantic='VERTEX' "
    "source='#v' offset='0'/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry>"
    "</library_geometries><library_visual_scenes><visual_scene id='s'><node id='n'>"
    "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>";

static void other_formats_are_read_by_a_library(void **state) {
  (void)state;
  test_folder folder = make_folder();
  flg_shape shape = {.kind = FLG_SHAPE_MESH, .collision = true, .size = {1, 1, 1}};
  shape.mesh = make_file(&folder, "a.dae", collada);
  flg_meshes_read(&shape, 1, &region, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(shape.value_count, 12);
  double most[3] = {0};
  for (int k = 0; k < 12; k++) most[k % 3] = fmax(most[k % 3], shape.values[k]);
  for (int k = 0; k < 3; k++) assert_near(most[k], k + 1, 1e-15);
  flg_mesh_triangles mesh;
  flg_mass_properties whole;
  assert_int_equal(flg_mesh_import(&mesh, shape.mesh, &region, NULL), FLG_OK);
  assert_true(flg_mass_of_triangles(mesh.corners, mesh.count, 1, &whole));
  assert_near(whole.mass, 1, 1e-14); /* a sixth of 1 x 2 x 3 */
  shape.mesh = make_file(&folder, "b.dae", "no mesh"), shape.values = NULL;
  flg_meshes_read(&shape, 1, &region, &mistakes);
  assert_message(0, "cannot be read");
  remove_folder(&folder);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(vertices_of_text_are_kept_once, setup, teardown),
      cmocka_unit_test_setup_teardown(binary_files_may_begin_with_solid, setup, teardown),
      cmocka_unit_test_setup_teardown(objects_have_their_vertices_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(mistakes_say_where, setup, teardown),
#ifdef FLANGE_ASSIMP
      cmocka_unit_test_setup_teardown(other_formats_are_read_by_a_library, setup, teardown),
#endif
      cmocka_unit_test_setup_teardown(shapes_share_what_was_read, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
