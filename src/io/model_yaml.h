/* model_yaml.h - the native form of a model: bodies, joints, ports and markers in YAML. */
#ifndef FLG_MODEL_YAML_H
#define FLG_MODEL_YAML_H

#include "model/model.h"
#include "text/schema.h"

/* The keys of a model file. */
extern const flg_section flg_model_section;

/* Reads a model file. Its arrays and texts lie in the region; all that is wrong with the file and
 * with the model goes to mistakes. `asked_at` is where the file is asked for. */
void flg_model_read_yaml(flg_model *model, const char *path, flg_place asked_at, flg_region *region,
                         flg_mistakes *mistakes);
/* The same from a tree that was read before; `file` names it. */
void flg_model_from_node(flg_model *model, const char *file, const flg_node *root,
                         flg_region *region, flg_mistakes *mistakes);

#endif
