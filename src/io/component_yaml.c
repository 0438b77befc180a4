#include "io/component_yaml.h"

static void read_component(flg_component *component, const flg_component_use *use,
                           const flg_node *root, flg_region *region, flg_mistakes *mistakes) {
  *component = (flg_component){.name = use->path, .file = use->path};
  flg_component_builder *build =
      flg_component_builder_begin(use->path, use->path, region, mistakes);
  if (build == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, use->asked_at, "no memory left to read '%s'",
                    use->path);
    return;
  }
  flg_component_builder_fill_node(build, use, root);
  if (use->around != NULL) flg_component_builder_surround(build, use->around);
  flg_component_builder_finish(build, component);
}

void flg_component_read(flg_component *component, const flg_component_use *use, flg_region *region,
                        flg_mistakes *mistakes) {
  read_component(component, use, NULL, region, mistakes);
}

void flg_component_from_node(flg_component *component, const flg_component_use *use,
                             const flg_node *root, flg_region *region, flg_mistakes *mistakes) {
  read_component(component, use, root, region, mistakes);
}
