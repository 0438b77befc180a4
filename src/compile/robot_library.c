#include "compile/robot_library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static flg_status fail(flg_mistakes *mistakes, flg_status status, const char *what,
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

/* --- the source ---------------------------------------------------------------------------------
 */

/* where the source goes: a folder of the user's, or one of its own that is removed */
typedef struct workshop {
  char folder[2048], source[4096];
  bool is_kept;
} workshop;

static flg_status open_workshop(const flg_robot_library *library, workshop *shop,
                                flg_mistakes *mistakes) {
  char stem[256];
  stem_of(library->output, stem, sizeof stem);
  shop->is_kept = library->keep_source != NULL;
  if (shop->is_kept) {
    snprintf(shop->folder, sizeof shop->folder, "%s", library->keep_source);
  } else {
    const char *place = getenv("TMPDIR");
    snprintf(shop->folder, sizeof shop->folder, "%s/flange-compile-XXXXXX",
             place != NULL && place[0] != '\0' ? place : "/tmp");
    if (mkdtemp(shop->folder) == NULL) {
      return fail(mistakes, FLG_ERR_OUTPUT, "no temporary folder can be made at", shop->folder);
    }
  }
  snprintf(shop->source, sizeof shop->source, "%s/%s.c", shop->folder, stem);
  return FLG_OK;
}

static void close_workshop(const workshop *shop) {
  if (shop->is_kept) return;
  unlink(shop->source);
  rmdir(shop->folder);
}

static flg_status write_source(const flg_robot_source *source, const char *path,
                               flg_source_size *size, flg_mistakes *mistakes) {
  FILE *out = fopen(path, "w");
  if (out == NULL) return fail(mistakes, FLG_ERR_OUTPUT, "the source cannot be written to", path);
  const flg_status status = flg_robot_source_write(source, out, size, mistakes);
  const bool is_short = ferror(out) != 0;
  if ((fclose(out) != 0 || is_short) && status == FLG_OK) {
    return fail(mistakes, FLG_ERR_OUTPUT, "the source cannot be written to", path);
  }
  return status;
}

/* --- the whole ----------------------------------------------------------------------------------
 */

static flg_status make(const flg_robot_library *library, const flg_robot_source *source,
                       flg_robot_library_made *made, flg_mistakes *mistakes) {
  workshop shop;
  flg_error error;
  flg_status status = open_workshop(library, &shop, mistakes);
  if (status != FLG_OK) return status;
  status = write_source(source, shop.source, &made->size, mistakes);
  if (status == FLG_OK) {
    status = flg_compiler_run(&library->compiler, shop.source, library->output, &error);
    if (status != FLG_OK) {
      flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
    }
  }
  if (shop.is_kept) snprintf(made->source, sizeof made->source, "%s", shop.source);
  close_workshop(&shop);
  return status;
}

static void count(const flg_robot_source *source, flg_robot_library_made *made) {
  made->velocities = source->robot->velocity_count;
  made->signals = source->signal_count;
  for (int k = 0; k < source->model->frame_count; k++) made->ports += source->model->frames[k].port;
}

flg_status flg_robot_library_build(const flg_robot_library *library, flg_robot_library_made *made,
                                   flg_mistakes *mistakes) {
  flg_robot robot;
  flg_arena arena;
  flg_error error;
  flg_robot_source source = library->source;
  char name[256];
  *made = (flg_robot_library_made){0};
  stem_of(library->output, name, sizeof name);
  if (source.name == NULL) source.name = name;
  flg_status status = flg_arena_build(&arena, flg_robot_bytes(source.model), &error);
  if (status != FLG_OK) {
    return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
  }
  status = flg_robot_build(&robot, source.model, &arena, mistakes);
  source.robot = &robot;
  if (status == FLG_OK) {
    count(&source, made);
    status = make(library, &source, made, mistakes);
  }
  flg_arena_release(&arena);
  return status;
}
