/* model_file.h - a model from a file of any form that is known. */
#ifndef FLG_MODEL_FILE_H
#define FLG_MODEL_FILE_H

#include "base/region.h"
#include "model/model.h"

/* Reads a model by the end of its name: .urdf, .xml (URDF), .yaml or .yml (native). Arrays and
 * texts lie in the region. All that is wrong goes to mistakes, also meshes for collision that are
 * missing; what is only to be seen may be missing. `asked_at` is where the file is asked for. */
void flg_model_read(flg_model *model, const char *path, flg_place asked_at, flg_region *region,
                    flg_mistakes *mistakes);
/* Whether a name ends as one of URDF or YAML does. */
bool flg_path_is_urdf(const char *path);
bool flg_path_is_yaml(const char *path);

#endif
