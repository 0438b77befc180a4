/* document.h - a YAML file with its includes and the user's overrides, ready to be checked.
 *
 * `include: other.yaml` (or a list) in the top map of a file adds what the other file holds: maps
 * are merged key by key, and what the including file says itself goes before what it includes.
 * Paths are relative to the file that names them.
 */
#ifndef FLG_DOCUMENT_H
#define FLG_DOCUMENT_H

#include "base/input_limits.h"
#include "text/node.h"

enum { FLG_INCLUDE_MAX_DEPTH = 16 };

/* Reads a whole file of at most so many MiB into the region (terminated); NULL with a mistake that
 * says why: missing, a folder or a pipe, too large, no memory. `asked_at` is where the file is
 * asked for. */
const char *flg_file_read(flg_region *region, const char *path, flg_input_limit limit,
                          flg_place asked_at, size_t *length, flg_mistakes *mistakes);
/* Set-up, once, before anything is read: `text` is what flg_file_read finds under `path`, however
 * often, as if it were a file in the working folder. Standard input is read so. Not copied. */
void flg_file_provide(const char *path, const char *text, size_t length);

/* `path` as seen from the folder of the file `from`; absolute paths and addresses (package://...)
 * stay as they are. */
const char *flg_path_beside(flg_region *region, const char *from, const char *path);

/* An override as a line for the user: `--set key=value`, or as it is with its own option. */
const char *flg_override_text(flg_region *region, const char *assignment);
/* Puts overrides into a tree. */
void flg_document_override(flg_region *region, flg_node *root, const char *const *overrides,
                           int override_count, flg_mistakes *mistakes);
/* The merged tree of a text that stands for a file at `path`, or NULL. */
flg_node *flg_document_parse(flg_region *region, const char *path, const char *text, size_t length,
                             const char *const *overrides, int override_count,
                             flg_mistakes *mistakes);
/* The merged tree of a file, or NULL. overrides (count may be 0) are `key.key=value` texts. */
flg_node *flg_document_read(flg_region *region, const char *path, flg_place asked_at,
                            const char *const *overrides, int override_count,
                            flg_mistakes *mistakes);

#endif
