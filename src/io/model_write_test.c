#include "io/model_write.h"

#include "files.h"
#include "io/model_file.h"
#include "random_tree.h"
#include "same_model.h"

enum { EXTRAS = 40 };

static flg_mistakes mistakes;

static flg_model read_file(flg_region *region, const char *path) {
  mistakes = (flg_mistakes){0};
  flg_model model;
  flg_model_read(&model, path, (flg_reading){.inertia = FLG_INERTIA_AUTO}, (flg_place){0}, region,
                 &mistakes);
  if (mistakes.count > 0) {
    fail_msg("%s:%d: %s", path, mistakes.list[0].line, mistakes.list[0].message);
  }
  return model;
}

/* the model, written to a file and read again */
static flg_model through_a_file(flg_region *region, test_folder *folder, const flg_model *model) {
  if (folder->count == 0) make_file(folder, "model.yaml", "");
  const char *path = folder->names[folder->count - 1];
  flg_error error;
  if (flg_model_save_yaml(model, path, &error) != FLG_OK) fail_msg("%s", error.message);
  return read_file(region, path);
}

static double rarely(random_source *source, double otherwise) {
  return random_integer(source, 0, 2) == 0 ? random_uniform(source, 0, 100) : otherwise;
}

static void random_joint(random_source *source, flg_model *model, int index) {
  flg_joint *joint = &model->joints[index];
  joint->damping = rarely(source, 0);
  joint->friction = rarely(source, 0);
  joint->upper = rarely(source, INFINITY);
  joint->lower = -rarely(source, INFINITY);
  joint->effort_limit = rarely(source, INFINITY);
  joint->speed_limit = rarely(source, INFINITY);
  const int leader = random_integer(source, 0, model->joint_count - 1);
  const flg_joint *followed = &model->joints[leader];
  if (leader == index || followed->mimic.joint >= 0) return;
  if (flg_joint_kind_positions(followed->kind) != 1) return;
  if (flg_joint_kind_positions(joint->kind) != 1) return;
  for (int k = 0; k < model->joint_count; k++) {
    if (model->joints[k].mimic.joint == index) return;
  }
  joint->mimic = (flg_mimic){leader, random_uniform(source, -2, 2), rarely(source, 0)};
}

/* the shapes of a body stand together, in files as in models */
static int random_shapes(random_source *source, flg_shape *shapes, int count) {
  static const char *const names[] = {NULL, "case", "left: side", "1e3", "B\xc3\xbcgel \"2\""};
  static const char *const meshes[] = {"/tmp/flange/a.stl", "package://nowhere/b c.stl"};
  for (int k = 0; k < count; k++) {
    const flg_shape_kind kind = (flg_shape_kind)random_integer(source, 0, FLG_SHAPE_KIND_COUNT - 1);
    shapes[k] = (flg_shape){.name = names[random_integer(source, 0, 4)],
                            .kind = kind,
                            .size = {1, 1, 1},
                            .collision = kind != FLG_SHAPE_MESH && random_integer(source, 0, 1),
                            .pose = random_pose(source),
                            .colour = {NAN, NAN, NAN, NAN}};
    if (kind == FLG_SHAPE_MESH) shapes[k].mesh = meshes[random_integer(source, 0, 1)];
    for (int j = 0; j < flg_shape_kind_sizes(kind); j++) shapes[k].size[j] = rarely(source, 1);
    static const double values[] = {0.1, -2, 3, 4.5, 1e-3, 6};
    if (kind == FLG_SHAPE_POINTS) shapes[k].values = values, shapes[k].value_count = 3;
    if (kind == FLG_SHAPE_HEIGHT_FIELD) {
      shapes[k].values = values, shapes[k].value_count = 6, shapes[k].columns = 3;
    }
    const bool coloured = random_integer(source, 0, 1);
    for (int j = 0; j < 4 && coloured; j++) shapes[k].colour[j] = random_uniform(source, 0, 1);
  }
  return count;
}

static int random_frames(random_source *source, flg_frame *frames, int bodies) {
  static const char *const names[] = {"tool", "yes", "a b", "-", "tip", "#", "the \\ end", "{x}"};
  const int count = random_integer(source, 0, 8), ports = random_integer(source, 0, count);
  for (int k = 0; k < count; k++) {
    frames[k] = (flg_frame){.name = names[k],
                            .body = random_integer(source, FLG_WORLD, bodies - 1),
                            .port = k < ports,
                            .pose = random_pose(source)};
  }
  return count;
}

static void random_models_read_back_as_they_were(void **state) {
  (void)state;
  random_source source = {7};
  test_folder folder = make_folder();
  for (int n = 0; n < 200; n++) {
    sample *s = random_tree(&source, random_integer(&source, 1, 12), ALL_KINDS, ALL_KIND_COUNT);
    flg_model *model = &s->model;
    flg_shape shapes[EXTRAS];
    flg_frame frames[8];
    model->shapes = shapes;
    model->frames = frames;
    for (int k = 0; k < model->joint_count; k++) random_joint(&source, model, k);
    for (int body = FLG_WORLD; body < model->body_count; body++) {
      const int count = random_integer(&source, 0, 2), first = model->shape_count;
      model->shape_count += random_shapes(&source, shapes + first, count);
      for (int k = first; k < model->shape_count; k++) shapes[k].body = body;
    }
    model->frame_count = random_frames(&source, frames, model->body_count);
    model->name = n % 2 ? "sample: one" : "two";
    flg_region region = {0};
    const flg_model back = through_a_file(&region, &folder, model);
    assert_same_model(&back, model);
    flg_region_release(&region);
    sample_release(s);
  }
  remove_folder(&folder);
}

static void the_examples_read_back_as_they_were(void **state) {
  (void)state;
  const char *const paths[] = {
      "examples/pendulum/models/double-pendulum.yaml", "examples/ssrms/models/ssrms.urdf",
      "examples/ssrms/models/ssrms.yaml", "fuzz/corpus/urdf/everything.urdf"};
  test_folder folder = make_folder();
  for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
    flg_region region = {0};
    const flg_model model = read_file(&region, paths[k]);
    const flg_model back = through_a_file(&region, &folder, &model);
    assert_same_model(&back, &model);
    flg_region_release(&region);
  }
  remove_folder(&folder);
}

/* a file that was written, as text */
static const char *text_of(flg_region *region, const flg_model *model) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_int_equal(flg_model_write_yaml(model, out, NULL, NULL), FLG_OK);
  fclose(out);
  const char *copy = flg_region_text(region, text, length);
  free(text);
  return copy;
}

static void only_what_is_not_a_default_is_written(void **state) {
  (void)state;
  sample *s = sample_build(3);
  sample_add(s, FLG_WORLD, FLG_JOINT_REVOLUTE, sample_shift(0, 0, 0));
  sample_add(s, 0, FLG_JOINT_PRISMATIC, sample_shift(0.5, 0, 0));
  sample_add(s, 1, FLG_JOINT_REVOLUTE, sample_turn_x(acos(-1) / 2));
  for (int k = 0; k < 3; k++) s->model.joints[k].axis2 = (flg_vec3){1, 0, 0};
  s->model.joints[2].upper = acos(-1);
  s->model.joints[1].lower = -0.25;
  s->model.bodies[1].inertia.xy = 0.1;
  s->model.bodies[2].mass = 0.1;
  flg_region region = {0};
  assert_string_equal(text_of(&region, &s->model),
                      "flange-model: 1\n"
                      "\n"
                      "bodies:\n"
                      "  b0: {mass: 1, inertia: [1, 1, 1]}\n"
                      "  b1: {mass: 1, inertia: [1, 1, 1, 0.1, 0, 0]}\n"
                      "  b2: {mass: 0.1, inertia: [1, 1, 1]}\n"
                      "\n"
                      "joints:\n"
                      "  j0: {kind: revolute, child: b0}\n"
                      "  j1: {kind: prismatic, parent: b0, child: b1, at: [0.5, 0, 0], "
                      "limits: {lower: -0.25}}\n"
                      "  j2: {kind: revolute, parent: b1, child: b2, turn: [90 deg, 0, 0], "
                      "limits: {upper: 180 deg}}\n");
  flg_region_release(&region);
  sample_release(s);
}

static void files_that_cannot_be_written_are_told(void **state) {
  (void)state;
  sample *s = sample_build(1);
  sample_add(s, FLG_WORLD, FLG_JOINT_REVOLUTE, sample_shift(0, 0, 0));
  flg_error error;
  assert_int_equal(flg_model_save_yaml(&s->model, "/tmp/a.urdf", &error), FLG_ERR_USAGE);
  assert_int_equal(flg_model_save_yaml(&s->model, "/no/such/folder/a.yaml", &error),
                   FLG_ERR_OUTPUT);
  assert_non_null(strstr(error.message, "No such file"));
  FILE *full = fopen("/dev/full", "w");
  assert_int_equal(flg_model_write_yaml(&s->model, full, NULL, &error), FLG_ERR_OUTPUT);
  fclose(full);
  sample_release(s);
}

/* beams and nodes are written as the keys that they came from, and read back to the same modes */
static void flexible_bodies_read_back_as_they_were(void **state) {
  (void)state;
  static const char text[] =
      "flange-model: 1\n"
      "bodies:\n"
      "  a: {mass: 12, centre: [1, 0, 0], inertia: [0.1, 4.1, 4.1],\n"
      "      flexible: {start: [0.1, 0, 0], end: [2.1, 0, 0], side: [0, 1, 1], young: 70e9,\n"
      "        bending: [2, 1], twist: 1, axial: 1, rayleigh: [0.1, 1e-5], stiffening: false,\n"
      "        pieces: [{length: 1, section: {kind: tube, diameter: 0.1, wall: 0.01}},\n"
      "          {length: 1, section: {kind: given, area: 1e-3, along_y: 1e-7, along_z: 2e-7},\n"
      "           young: 2e11, density: 1000}], shapes: [{motion: twist, polynomial: [0, 0, "
      "1]}]}}\n"
      "  b: {flexible: {end: [0, 0, 1], section: {kind: rectangle, size: [0.1, 0.2]}, young: 1e9,\n"
      "        density: 3000, bending: 1, ends: pinned-pinned, damping: 0.1, rotary: true}}\n"
      "  c: {flexible: {nodes: [{at: [0, 0, 0], mass: 0.5, shapes: [0, 0, 0, 0, 0, 0]},\n"
      "        {at: [1, 0, 0], mass: 0.5, shapes: [0, 1, 0, 0, 0, 1.4]},\n"
      "        {at: [1, 1, 0], mass: 1, shapes: [0, 0, 0, 0, 0, 0]}], stiffness: [1200],\n"
      "        mass: [0.6]}}\n"
      "joints:\n"
      "  j: {kind: floating, child: a}\n"
      "  k: {kind: revolute, parent: a, child: b, at: [2.1, 0, 0]}\n"
      "  l: {kind: revolute, parent: b, child: c, at: [0, 0, 1]}\n";
  flg_region region = {0};
  test_folder folder = make_folder();
  const flg_model model = read_file(&region, make_file(&folder, "by-hand.yaml", text));
  make_file(&folder, "model.yaml", "");
  const flg_model again = through_a_file(&region, &folder, &model);
  for (int k = 0; k < model.body_count; k++) {
    const flg_modal_body *one = model.bodies[k].flexible, *two = again.bodies[k].flexible;
    assert_same_body(&again.bodies[k], &model.bodies[k]);
    assert_int_equal(one->modes, two->modes);
    const size_t bytes = (size_t)one->modes * (size_t)one->modes * sizeof(double);
    assert_memory_equal(one->mass, two->mass, bytes);
    assert_memory_equal(one->stiffness, two->stiffness, bytes);
    assert_memory_equal(one->damping, two->damping, bytes);
    assert_int_equal(one->stiffens, two->stiffens);
  }
  remove_folder(&folder);
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flexible_bodies_read_back_as_they_were),
      cmocka_unit_test(random_models_read_back_as_they_were),
      cmocka_unit_test(the_examples_read_back_as_they_were),
      cmocka_unit_test(only_what_is_not_a_default_is_written),
      cmocka_unit_test(files_that_cannot_be_written_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
