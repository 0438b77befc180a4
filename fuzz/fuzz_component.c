/* Any bytes are a component, or mistakes with their places: never a crash or a hang. It may use a
 * component and a robot that are there. What was read without mistakes has ends that exist. */
#include <stddef.h>

#include "../tests/component_read.h"
#include "files.h"
#include "text/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses some bytes of its own on a few syntax errors */
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml.so";
}

static const char inner[] =
    "flange-component: 1\nparameters: {length: ~, mass: =length^2}\n"
    "bodies: {rod: {mass: =mass, inertia: [=mass, =mass, =mass], at: [=length/2, 0, 0]}}\n"
    "ports: {left: {body: rod, at: [=-length/2, 0, 0]}, right: {body: rod}}\n";
static const char model[] =
    "flange-model: 1\nbodies: {link: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {j: {kind: revolute, child: link}}\n"
    "markers: {tip: {body: link, at: [1, 0, 0]}}\n";
static const char *input;

static void make_files(void) {
  write_file(name_file("inner.yaml"), inner, sizeof inner - 1);
  write_file(name_file("model.yaml"), model, sizeof model - 1);
  input = name_file("input.yaml");
}

static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void check_coordinates(const flg_component *component) {
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    const flg_constraint_traits *traits = &flg_constraint_kinds[joint->kind];
    const int count = traits->couples ? 2 : traits->coordinate_count;
    for (int j = 0; j < 2; j++) {
      require((joint->coordinate[j] >= 0) == (j < count), "a joint with too few coordinates");
      require(joint->coordinate[j] < component->coordinate_count, "a coordinate too far");
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static flg_mistakes mistakes;
  if (input == NULL) make_files();
  mistakes = (flg_mistakes){0};
  flg_region region = {.limit = 64 << 20};
  flg_node *root = flg_yaml_parse(&region, input, (const char *)data, size, &mistakes);
  if (root != NULL) {
    mistakes = (flg_mistakes){0};
    flg_component component;
    const flg_component_use use = {.path = input, .pose = flg_pose_identity()};
    component_read(&component, &use, root, &region, &mistakes);
    if (mistakes.count == 0) check_coordinates(&component);
  }
  flg_region_release(&region);
  return 0;
}
