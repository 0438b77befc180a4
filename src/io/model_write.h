/* model_write.h - writes a model in the native form, from which it reads back as it was.
 *
 * Keys that would hold their defaults are left out, short things stand on one line, and numbers
 * have as many digits as they need to read back to the same bits; so have angles, but for the last
 * bit or two of the rotation that they make.
 */
#ifndef FLG_MODEL_WRITE_H
#define FLG_MODEL_WRITE_H

#include <stdio.h>

#include "model/model.h"

/* Writes to an open stream. Meshes are named as seen from the folder of `path`, the file that the
 * text will be in; NULL: from the current folder. FLG_ERR_OUTPUT if the stream fails. */
flg_status flg_model_write_yaml(const flg_model *model, FILE *out, const char *path,
                                flg_error *error);
/* Writes a file, which must be called .yaml or .yml; what is there is replaced. */
flg_status flg_model_save_yaml(const flg_model *model, const char *path, flg_error *error);

#endif
