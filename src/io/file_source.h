/* file_source.h - models, components and tables from files on disk, each read once: the source of
 * compositions (define/source.h).
 */
#ifndef FLG_FILE_SOURCE_H
#define FLG_FILE_SOURCE_H

#include "base/notices.h"
#include "define/source.h"
#include "text/node.h"

typedef struct flg_file_source flg_file_source;

/* Set-up: what is read lies in the region, all that is wrong goes to mistakes, what models were
 * changed by when they were read to notices (may be NULL). NULL without memory. */
flg_file_source *flg_file_source_build(flg_region *region, flg_mistakes *mistakes,
                                       flg_notices *notices);
/* As a source, for as long as the files are not released. */
flg_source flg_file_source_view(flg_file_source *files);
/* The tree of a file that was read before, as if the file at `path` held it. */
void flg_file_source_put(flg_file_source *files, const char *path, const flg_node *root);
/* Frees the tables; the rest stays in the region. NULL is fine. */
void flg_file_source_release(flg_file_source *files);

#endif
