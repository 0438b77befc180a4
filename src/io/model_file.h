/* model_file.h - a model from a file of any form that is known. */
#ifndef FLG_MODEL_FILE_H
#define FLG_MODEL_FILE_H

#include "base/region.h"
#include "model/mass_properties.h"

/* Reads a model by the end of its name: .urdf, .xml (URDF), .yaml or .yml (native). Arrays and
 * texts lie in the region. All that is wrong goes to mistakes; meshes are not looked for.
 * `asked_at` is where the file is asked for. Rules for inertias are for URDF alone: the native form
 * is strict, and any other rule but FLG_INERTIA_AUTO a mistake. */
void flg_model_read(flg_model *model, const char *path, flg_reading reading, flg_place asked_at,
                    flg_region *region, flg_mistakes *mistakes);
/* True if a rule can be kept with a file of the native form; a mistake if not. */
bool flg_model_rule_fits(flg_reading reading, const char *path, flg_place asked_at,
                         flg_mistakes *mistakes);
/* True if a name ends as one of URDF or YAML does. */
bool flg_path_is_yaml(const char *path);

#endif
