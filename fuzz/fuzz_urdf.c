/* Any bytes are a robot, or mistakes with their places: never a crash or a hang. A robot that was
 * read can be compiled, and written as YAML that reads back to as many bodies and joints. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "io/model_write.h"
#include "io/model_yaml.h"
#include "io/urdf.h"
#include "text/xml.h"
#include "text/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void write_and_read_back(const flg_model *model, flg_region *region,
                                flg_mistakes *mistakes) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  require(out != NULL && flg_model_write_yaml(model, out, NULL, NULL) == FLG_OK, "not written");
  fclose(out);
  const flg_node *root = flg_yaml_parse(region, "text", text, length, mistakes);
  flg_model back = {0};
  if (root != NULL) flg_model_from_node(&back, "text", false, root, region, mistakes);
  const int same = back.body_count == model->body_count && back.joint_count == model->joint_count &&
                   back.shape_count == model->shape_count && back.frame_count == model->frame_count;
  if (!region->failed && (mistakes->count > 0 || !same)) {
    fprintf(stderr, "%s\n%s\n", text, mistakes->count > 0 ? mistakes->list[0].message : "");
    require(0, "does not read back");
  }
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_region region = {.limit = 64 << 20};
  const flg_element *root = flg_xml_parse(&region, "input", (const char *)data, size, &mistakes);
  require(root != NULL || mistakes.count > 0, "no robot and no mistake");
  if (root != NULL) {
    flg_model model;
    flg_model_from_element(&model, "input", (flg_reading){.inertia = FLG_INERTIA_REPAIR}, root,
                           &region, &mistakes);
    if (mistakes.count == 0) {
      write_and_read_back(&model, &region, &mistakes);
      compile(&model, &mistakes);
    }
  }
  flg_region_release(&region);
  return 0;
}
