#include "text/mesh_file.h"

#include <sys/stat.h>

#include "files.h"
#include "io/model_file.h"

/* a package `arm` with a mesh and a model, deep in a folder of its own, and a package elsewhere */
typedef struct tree {
  test_folder folder;
  char path[9][160];
  int count;
} tree;

static const char *at(const tree *in, const char *name) {
  static char path[160];
  snprintf(path, sizeof path, "%s/%s", in->folder.path, name);
  return path;
}

static tree make_tree(void) {
  tree made = {.folder = make_folder()};
  const char *folders[] = {"arm", "arm/meshes", "arm/urdf", "other", "other/hand", "other/hand/m"};
  for (int k = 0; k < 6; k++) {
    snprintf(made.path[made.count], sizeof made.path[0], "%s", at(&made, folders[k]));
    assert_int_equal(mkdir(made.path[made.count++], 0777), 0);
  }
  make_file(&made.folder, "arm/meshes/a.stl", "solid");
  make_file(&made.folder, "other/hand/m/h.stl", "solid");
  return made;
}

static void remove_tree(tree *made) {
  for (int k = 0; k < made->folder.count; k++) unlink(made->folder.names[k]);
  made->folder.count = 0;
  while (made->count > 0) assert_int_equal(rmdir(made->path[--made->count]), 0);
  remove_folder(&made->folder);
}

static void assert_path(const tree *in, const char *name, const char *expected) {
  flg_region region = {0};
  char from[128];
  snprintf(from, sizeof from, "%s/arm/urdf/arm.urdf", in->folder.path);
  const char *path = flg_mesh_path(&region, from, name);
  assert_string_equal(path, expected[0] == '/' ? at(in, expected + 1) : expected);
  flg_region_release(&region);
}

static void packages_are_found_above_the_file(void **state) {
  (void)state;
  tree made = make_tree();
  assert_path(&made, "package://arm/meshes/a.stl", "/arm/meshes/a.stl");
  assert_path(&made, "model://arm/meshes/a.stl", "/arm/meshes/a.stl");
  assert_path(&made, "package:///arm/meshes/a.stl", "/arm/meshes/a.stl");
  /* a package that was unpacked under another name */
  assert_path(&made, "package://arm_description/meshes/a.stl", "/arm/meshes/a.stl");
  remove_tree(&made);
}

static void packages_are_found_in_the_environment(void **state) {
  (void)state;
  tree made = make_tree();
  const char *const variables[] = {"FLANGE_PACKAGE_PATH", "ROS_PACKAGE_PATH"};
  assert_path(&made, "package://hand/m/h.stl", "package://hand/m/h.stl");
  for (int k = 0; k < 2; k++) {
    char list[256];
    snprintf(list, sizeof list, "/no/such/folder::%s/other", made.folder.path);
    setenv(variables[k], list, 1);
    assert_path(&made, "package://hand/m/h.stl", "/other/hand/m/h.stl");
    snprintf(list, sizeof list, "%s/other/hand", made.folder.path);
    setenv(variables[k], list, 1);
    assert_path(&made, "package://hand/m/h.stl", "/other/hand/m/h.stl");
    unsetenv(variables[k]);
  }
  remove_tree(&made);
}

static void other_names_are_taken_as_they_are(void **state) {
  (void)state;
  tree made = make_tree();
  assert_path(&made, "a.stl", "/arm/urdf/a.stl");
  assert_path(&made, "../meshes/a.stl", "/arm/urdf/../meshes/a.stl");
  assert_path(&made, "package://arm/meshes/none.stl", "package://arm/meshes/none.stl");
  assert_path(&made, "package://arm", "package://arm");
  assert_path(&made, "package:///a.stl", "package:///a.stl");
  assert_path(&made, "http://example.org/a.stl", "http://example.org/a.stl");
  flg_region region = {0};
  assert_string_equal(flg_mesh_path(&region, "x.urdf", "file:///a/b.stl"), "/a/b.stl");
  assert_string_equal(flg_mesh_path(&region, "x.urdf", "a.stl"), "a.stl");
  flg_region_release(&region);
  remove_tree(&made);
}

static void assert_name(const tree *in, const char *from, const char *path, const char *expected) {
  flg_region region = {0};
  char file[128];
  snprintf(file, sizeof file, "%s/%s", in->folder.path, from);
  const char *name = flg_mesh_name(&region, file, path[0] == '/' ? at(in, path + 1) : path);
  assert_string_equal(name, expected);
  flg_region_release(&region);
}

static void names_lead_from_one_file_to_the_other(void **state) {
  (void)state;
  tree made = make_tree();
  assert_name(&made, "arm/arm.yaml", "/arm/meshes/a.stl", "meshes/a.stl");
  assert_name(&made, "arm/meshes/arm.yaml", "/arm/meshes/a.stl", "a.stl");
  assert_name(&made, "arm/urdf/arm.yaml", "/arm/meshes/a.stl", "../meshes/a.stl");
  assert_name(&made, "other/hand/m/arm.yaml", "/arm/urdf/../meshes/a.stl",
              "../../../arm/meshes/a.stl");
  assert_name(&made, "arm/arm.yaml", "package://x/a.stl", "package://x/a.stl");
  flg_region region = {0};
  assert_string_equal(flg_mesh_name(&region, "/tmp/x.yaml", "/usr/a.stl"), "/usr/a.stl");
  assert_string_equal(flg_mesh_name(&region, NULL, "a.stl"), "a.stl");
  flg_region_release(&region);
  remove_tree(&made);
}

static flg_mistakes read_with_mesh(const char *shape) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  test_folder folder = make_folder();
  char text[400];
  snprintf(text, sizeof text,
           "<robot name='r'><link name='a'><%s><geometry>\n<mesh filename='none.stl'/>"
           "</geometry></%s></link></robot>",
           shape, shape);
  flg_region region = {0};
  flg_model model;
  flg_model_read(&model, make_file(&folder, "a.urdf", text),
                 (flg_reading){.inertia = FLG_INERTIA_AUTO}, (flg_place){0}, &region, &mistakes);
  assert_int_equal(mistakes.count, 0); /* reading is one thing, touching another */
  flg_meshes_check(&model, strcmp(shape, "collision") == 0, &mistakes);
  flg_region_release(&region);
  remove_folder(&folder);
  return mistakes;
}

static void missing_meshes_are_told_with_their_line(void **state) {
  (void)state;
  flg_mistakes mistakes = read_with_mesh("collision");
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(mistakes.list[0].line, 2);
  assert_non_null(strstr(mistakes.list[0].message, "none.stl' that body 'a' touches with"));
  mistakes = read_with_mesh("visual");
  assert_int_equal(mistakes.list[0].line, 2);
  assert_non_null(strstr(mistakes.list[0].message, "none.stl' that body 'a' shows"));
}

static void files_of_unknown_kind_are_refused(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  flg_region region = {0};
  flg_model model;
  flg_model_read(&model, "arm.sdf", (flg_reading){.inertia = FLG_INERTIA_AUTO},
                 (flg_place){"s.yaml", 3, 4}, &region, &mistakes);
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(mistakes.list[0].line, 3);
  assert_non_null(strstr(mistakes.list[0].message, "expected .urdf or .yaml"));
  assert_true(flg_path_is_yaml("a.yml") && !flg_path_is_yaml(".yml"));
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packages_are_found_above_the_file),
      cmocka_unit_test(packages_are_found_in_the_environment),
      cmocka_unit_test(other_names_are_taken_as_they_are),
      cmocka_unit_test(names_lead_from_one_file_to_the_other),
      cmocka_unit_test(missing_meshes_are_told_with_their_line),
      cmocka_unit_test(files_of_unknown_kind_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
