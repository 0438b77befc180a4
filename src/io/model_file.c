#include "io/model_file.h"

#include <string.h>
#include <strings.h>

#include "io/model_yaml.h"
#include "io/urdf.h"

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), size = strlen(ending);
  return length > size && strcasecmp(path + length - size, ending) == 0;
}

static bool is_urdf(const char *path) {
  return ends_with(path, ".urdf") || ends_with(path, ".xml");
}

bool flg_path_is_yaml(const char *path) {
  return ends_with(path, ".yaml") || ends_with(path, ".yml") || strcmp(path, "<stdin>") == 0;
}

void flg_model_read(flg_model *model, const char *path, flg_reading reading, flg_place asked_at,
                    flg_region *region, flg_mistakes *mistakes) {
  if (is_urdf(path)) {
    flg_model_read_urdf(model, path, reading, asked_at, region, mistakes);
  } else if (!flg_path_is_yaml(path)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, asked_at,
                    "'%s' is not a model file by its name; expected .urdf or .yaml at its end",
                    path);
  } else if (flg_model_rule_fits(reading, path, asked_at, mistakes)) {
    flg_model_read_yaml(model, path, reading, asked_at, region, mistakes);
  }
}

bool flg_model_rule_fits(flg_reading reading, const char *path, flg_place asked_at,
                         flg_mistakes *mistakes) {
  const flg_inertia_rule inertia = reading.inertia;
  if (inertia == FLG_INERTIA_AUTO || inertia == FLG_INERTIA_STRICT) return true;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, asked_at,
                  "inertia: %s is for URDF files; '%s' says its inertias itself",
                  flg_inertia_words[inertia], path);
  return false;
}
