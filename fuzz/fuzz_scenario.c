/* Any bytes are a scenario and a model, or mistakes with their places: never a crash or a hang. */
#include <stddef.h>
#include <stdint.h>

#include "compile.h"
#include "io/model_yaml.h"
#include "io/scenario.h"
#include "text/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses some bytes of its own on a few syntax errors */
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml.so";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_region region = {.limit = 64 << 20};
  const flg_node *root = flg_yaml_parse(&region, "input", (const char *)data, size, &mistakes);
  if (root != NULL) {
    flg_scenario scenario;
    flg_schema_read(&flg_scenario_section, root, &scenario, &region, &mistakes);
    mistakes = (flg_mistakes){0};
    flg_model model;
    flg_model_from_node(&model, "input", false, root, &region, &mistakes);
    if (mistakes.count == 0) compile(&model, &mistakes);
  }
  flg_region_release(&region);
  return 0;
}
