#include "io/component_yaml.h"

#include "io/file_source.h"

static void read_component(flg_component *component, const flg_component_use *use,
                           const flg_node *root, flg_region *region, flg_mistakes *mistakes) {
  *component = (flg_component){.name = use->path, .file = use->path};
  flg_file_source *files = flg_file_source_build(region, mistakes, NULL);
  flg_component_builder *build = NULL;
  if (files != NULL) {
    build = flg_component_builder_begin(use->path, use->path, flg_file_source_view(files), region,
                                        mistakes);
  }
  if (build == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, use->asked_at, "no memory left to read '%s'",
                    use->path);
    return;
  }
  if (root != NULL) flg_file_source_put(files, use->path, root);
  flg_component_builder_fill(build, use);
  if (use->around != NULL) flg_component_builder_surround(build, use->around);
  flg_component_builder_finish(build, component);
  flg_file_source_release(files);
}

void flg_component_read(flg_component *component, const flg_component_use *use, flg_region *region,
                        flg_mistakes *mistakes) {
  read_component(component, use, NULL, region, mistakes);
}

void flg_component_from_node(flg_component *component, const flg_component_use *use,
                             const flg_node *root, flg_region *region, flg_mistakes *mistakes) {
  read_component(component, use, root, region, mistakes);
}
