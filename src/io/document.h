/* document.h - a YAML file with its includes and the user's overrides, ready to be checked.
 *
 * `include: other.yaml` (or a list) in the top map of a file adds what the other file holds: maps
 * are merged key by key, and what the including file says itself goes before what it includes.
 * Paths are relative to the file that names them.
 */
#ifndef FLG_DOCUMENT_H
#define FLG_DOCUMENT_H

#include "io/node.h"

enum { FLG_INCLUDE_MAX_DEPTH = 16 };

/* Reads a whole file of at most `most` bytes into the region (terminated); NULL with a mistake that
 * says why: missing, a folder, too large, no memory. `asked_at` is where the file is asked for. */
const char *flg_file_read(flg_region *region, const char *path, size_t most, flg_place asked_at,
                          size_t *length, flg_mistakes *mistakes);
/* `path` as seen from the folder of the file `from`; absolute paths and addresses (package://...)
 * stay as they are. */
const char *flg_path_beside(flg_region *region, const char *from, const char *path);

/* The merged tree of a file, or NULL. overrides (count may be 0) are `key.key=value` texts. */
flg_node *flg_document_read(flg_region *region, const char *path, flg_place asked_at,
                            const char *const *overrides, int override_count,
                            flg_mistakes *mistakes);
/* Puts one `key.key=value` into a tree; the value is YAML. */
void flg_document_override(flg_region *region, flg_node *root, const char *assignment,
                           flg_mistakes *mistakes);

#endif
