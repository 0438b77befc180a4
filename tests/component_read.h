/* component_read.h - one component file, or a tree of one, laid flat as scenarios have it done. */
#ifndef COMPONENT_READ_H
#define COMPONENT_READ_H

#include "flatten/component_builder.h"
#include "io/file_source.h"
#include "text/node.h"

/* root: a tree that was read before, which use->path names; NULL: the file is read. Arrays and
 * texts lie in the region; all that is wrong goes to mistakes. */
static inline void component_read(flg_component *component, const flg_component_use *use,
                                  const flg_node *root, flg_region *region,
                                  flg_mistakes *mistakes) {
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

#endif
