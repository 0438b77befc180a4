#define _XOPEN_SOURCE 700 /* realpath */
#include "text/mesh_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/document.h"

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static bool is_readable(const char *path) {
  return path != NULL && access(path, R_OK) == 0;
}

/* the absolute folder of a file, without a slash at its end; "" for the root, NULL if unknown */
static const char *folder_of(const char *file, char folder[PATH_MAX]) {
  char path[PATH_MAX];
  const char *slash = file == NULL ? NULL : strrchr(file, '/');
  const int written = slash == NULL
                          ? snprintf(path, sizeof path, ".")
                          : snprintf(path, sizeof path, "%.*s/.", (int)(slash - file), file);
  if (written < 0 || (size_t)written >= sizeof path || realpath(path, folder) == NULL) return NULL;
  if (strcmp(folder, "/") == 0) folder[0] = '\0';
  return folder;
}

/* --- packages -------------------------------------------------------------------------------- */

typedef struct search {
  const char *name; /* of the package, not terminated */
  int length;       /* of the name */
  const char *file; /* the path in the package */
  char path[PATH_MAX];
} search;

/* keeps `folder/between/file` if it can be read */
static bool try_path(search *look, const char *folder, size_t length, const char *between,
                     int between_length) {
  const int written = snprintf(look->path, sizeof look->path, "%.*s%.*s/%s", (int)length, folder,
                               between_length, between, look->file);
  return written > 0 && (size_t)written < sizeof look->path && is_readable(look->path);
}

static bool is_package(const search *look, const char *folder, size_t length) {
  const size_t name = (size_t)look->length;
  return length > name && strncmp(folder + length - name, look->name, name) == 0 &&
         folder[length - name - 1] == '/';
}

/* the file in a folder that holds the package, or is it */
static bool try_folder(search *look, const char *folder, size_t length) {
  /* the slash before the name is part of the text that the name stands in */
  if (try_path(look, folder, length, look->name - 1, look->length + 1)) return true;
  return is_package(look, folder, length) && try_path(look, folder, length, "", 0);
}

static bool try_list(search *look, const char *variable) {
  for (const char *folder = getenv(variable); folder != NULL;) {
    const size_t length = strcspn(folder, ":");
    if (length > 0 && try_folder(look, folder, length)) return true;
    folder = folder[length] == ':' ? folder + length + 1 : NULL;
  }
  return false;
}

static size_t without_last_part(const char *folder, size_t length) {
  while (length > 0 && folder[length - 1] != '/') length--;
  return length == 0 ? 0 : length - 1;
}

static bool try_above(search *look, const char *folder) {
  for (size_t length = strlen(folder);; length = without_last_part(folder, length)) {
    if (try_folder(look, folder, length)) return true;
    if (length == 0) return false;
  }
}

/* a package that was unpacked under another name */
static bool try_renamed(search *look, const char *folder) {
  for (size_t length = strlen(folder); length > 0; length = without_last_part(folder, length)) {
    if (try_path(look, folder, length, "", 0)) return true;
  }
  return false;
}

/* NULL if it is not found; start is what follows package:// */
static const char *find_in_package(flg_region *region, const char *from, const char *start) {
  search look = {.name = start, .length = (int)strcspn(start, "/")};
  if (look.length == 0 || start[look.length] == '\0') return NULL;
  look.file = start + look.length + 1;
  char room[PATH_MAX];
  const char *folder = folder_of(from, room);
  if ((folder != NULL && try_above(&look, folder)) || try_list(&look, "FLANGE_PACKAGE_PATH") ||
      try_list(&look, "ROS_PACKAGE_PATH") || (folder != NULL && try_renamed(&look, folder))) {
    return flg_region_text(region, look.path, strlen(look.path));
  }
  return NULL;
}

const char *flg_mesh_path(flg_region *region, const char *from, const char *name) {
  if (starts_with(name, "file://")) name += strlen("file://");
  const char *path = NULL;
  if (starts_with(name, "package://") || starts_with(name, "model://")) {
    const char *start = strstr(name, "://") + strlen("://");
    path = find_in_package(region, from, start + strspn(start, "/")); /* some write three */
  }
  return path == NULL ? flg_path_beside(region, from, name) : path;
}

/* --- names ----------------------------------------------------------------------------------- */

/* the absolute form of a path whose file may be missing, as long as its folder is there */
static const char *absolute(flg_region *region, const char *path) {
  char folder[PATH_MAX];
  if (folder_of(path, folder) == NULL) return NULL;
  const char *slash = strrchr(path, '/');
  return flg_region_format(region, "%s/%s", folder, slash == NULL ? path : slash + 1);
}

/* both absolute; the folder ends with a slash */
static const char *relative(flg_region *region, const char *folder, const char *path) {
  size_t same = 0;
  for (size_t k = 0; path[k] != '\0' && path[k] == folder[k]; k++) {
    if (path[k] == '/') same = k + 1;
  }
  if (same <= 1) return path; /* only the root is shared */
  const char *name = path + same;
  for (const char *up = strchr(folder + same, '/'); up != NULL && name != NULL;
       up = strchr(up + 1, '/')) {
    name = flg_region_format(region, "../%s", name);
  }
  return name;
}

const char *flg_mesh_name(flg_region *region, const char *from, const char *path) {
  char room[PATH_MAX];
  const bool is_address = strstr(path, "://") != NULL;
  const char *whole = is_address ? NULL : absolute(region, path);
  const char *folder = folder_of(from, room);
  if (folder != NULL) folder = flg_region_format(region, "%s/", folder);
  if (whole == NULL || folder == NULL) return flg_region_text(region, path, strlen(path));
  return relative(region, folder, whole);
}

/* --- checks ---------------------------------------------------------------------------------- */

bool flg_mesh_is_there(const flg_shape *shape) {
  return shape->kind != FLG_SHAPE_MESH || is_readable(shape->mesh);
}

void flg_meshes_check(const flg_model *model, bool collision, flg_mistakes *mistakes) {
  for (int k = 0; k < model->shape_count; k++) {
    const flg_shape *shape = &model->shapes[k];
    if (shape->collision != collision || flg_mesh_is_there(shape)) continue;
    const char *body = shape->body == FLG_WORLD ? "world" : model->bodies[shape->body].name;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, shape->place,
                    "the mesh '%s' that body '%s' %s is missing", shape->mesh, body,
                    collision ? "touches with" : "shows");
  }
}
