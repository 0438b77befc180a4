/* model_yaml.h - the native form of a model: bodies, joints, ports and markers in YAML. */
#ifndef FLG_MODEL_YAML_H
#define FLG_MODEL_YAML_H

#include "model/mass_properties.h"
#include "text/schema.h"

/* The keys of a model file. */
extern const flg_section flg_model_section;

/* Reads a model file, whose rule for inertias fits (model_file.h). Its arrays and texts lie in the
 * region; all that is wrong with the file and with the model goes to mistakes. `asked_at` is where
 * the file is asked for. */
void flg_model_read_yaml(flg_model *model, const char *path, flg_reading reading,
                         flg_place asked_at, flg_region *region, flg_mistakes *mistakes);
/* The same from a tree that was read before; `file` names it; floats: as of
 * flg_reading. */
void flg_model_from_node(flg_model *model, const char *file, bool floats, const flg_node *root,
                         flg_region *region, flg_mistakes *mistakes);

#endif
