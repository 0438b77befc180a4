#include "io/model_file.h"

#include <string.h>
#include <strings.h>

#include "io/mesh_file.h"
#include "io/model_yaml.h"
#include "io/urdf.h"

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), size = strlen(ending);
  return length > size && strcasecmp(path + length - size, ending) == 0;
}

bool flg_path_is_urdf(const char *path) {
  return ends_with(path, ".urdf") || ends_with(path, ".xml");
}

bool flg_path_is_yaml(const char *path) {
  return ends_with(path, ".yaml") || ends_with(path, ".yml") || strcmp(path, "<stdin>") == 0;
}

void flg_model_read(flg_model *model, const char *path, flg_place asked_at, flg_region *region,
                    flg_mistakes *mistakes) {
  const int before = mistakes->count;
  if (flg_path_is_urdf(path)) {
    flg_model_read_urdf(model, path, asked_at, region, mistakes);
  } else if (flg_path_is_yaml(path)) {
    flg_model_read_yaml(model, path, asked_at, region, mistakes);
  } else {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, asked_at,
                    "'%s' is not a model file by its name; expected .urdf or .yaml at its end",
                    path);
  }
  if (mistakes->count == before) flg_meshes_check(model, true, mistakes);
}
