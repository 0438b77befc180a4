#include "compile/library.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/replaced_file.h"

static flg_status library_fail(flg_mistakes *mistakes, flg_status status, const char *what,
                               const char *path) {
  return flg_mistake_add(mistakes, status, (flg_place){0}, "%s '%s': %s", what, path,
                         strerror(errno));
}

/* the last part of a path, without its ending */
static void stem_of(const char *path, char *text, size_t capacity) {
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  snprintf(text, capacity, "%s", name);
  char *dot = strrchr(text, '.');
  if (dot != NULL && dot != text) *dot = '\0';
}

/* where the source goes: a folder of the user's, or one of its own that is removed */
typedef struct workshop {
  char folder[2048], source[FLG_SOURCE_PATH], stem[256];
  bool is_kept;
} workshop;

/* mkdtemp makes a folder that no other user can enter: the source cannot be exchanged between
 * its writing and its compilation. */
static flg_status open_workshop(const flg_library *library, workshop *shop,
                                flg_mistakes *mistakes) {
  stem_of(library->output, shop->stem, sizeof shop->stem);
  shop->is_kept = library->keep_source != NULL;
  if (shop->is_kept) {
    snprintf(shop->folder, sizeof shop->folder, "%s", library->keep_source);
  } else {
    const char *place = getenv("TMPDIR");
    snprintf(shop->folder, sizeof shop->folder, "%s/flange-compile-XXXXXX",
             place != NULL && place[0] != '\0' ? place : "/tmp");
    if (mkdtemp(shop->folder) == NULL) {
      return library_fail(mistakes, FLG_ERR_OUTPUT, "no temporary folder can be made at",
                          shop->folder);
    }
  }
  snprintf(shop->source, sizeof shop->source, "%s/%s.c", shop->folder, shop->stem);
  return FLG_OK;
}

static void close_workshop(const workshop *shop) {
  if (shop->is_kept) return;
  unlink(shop->source);
  rmdir(shop->folder);
}

static flg_status library_write_source(const flg_library *library, const workshop *shop,
                                       flg_source_writer *write, void *context,
                                       flg_mistakes *mistakes) {
  static const char written[] = "/* written by flange compile */\n";
  flg_error error;
  if (!flg_file_may_replace(shop->source, (flg_file_kind){"source of 'flange compile'", written},
                            &error)) {
    return flg_mistake_add(mistakes, FLG_ERR_OUTPUT, (flg_place){0}, "%s", error.message);
  }
  FILE *out = fopen(shop->source, "w");
  if (out == NULL) {
    return library_fail(mistakes, FLG_ERR_OUTPUT, "the source cannot be written to", shop->source);
  }
  fputs(written, out);
  const flg_status status =
      write(context, library->name == NULL ? shop->stem : library->name, out, mistakes);
  /* Both are asked: a full disk can show at a write or not before the file is closed. */
  const bool is_short = ferror(out) != 0;
  if ((fclose(out) != 0 || is_short) && status == FLG_OK) {
    return library_fail(mistakes, FLG_ERR_OUTPUT, "the source cannot be written to", shop->source);
  }
  return status;
}

flg_status flg_library_make(const flg_library *library, flg_source_writer *write, void *context,
                            char kept[FLG_SOURCE_PATH], flg_mistakes *mistakes) {
  workshop shop;
  flg_error error;
  kept[0] = '\0';
  flg_status status = open_workshop(library, &shop, mistakes);
  if (status != FLG_OK) return status;
  status = library_write_source(library, &shop, write, context, mistakes);
  if (status == FLG_OK) {
    status =
        flg_compiler_run(&library->compiler, shop.source, library->output, library->key, &error);
    if (status != FLG_OK) flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
  }
  /* also if the compiler failed: that is when users want to read the source */
  if (shop.is_kept) snprintf(kept, FLG_SOURCE_PATH, "%s", shop.source);
  close_workshop(&shop);
  return status;
}
