/* scene_meshes.c - files of meshes, read once each, as text for the scene. */
#include <string.h>

#include "io/mesh_read.h"
#include "text/document.h"
#include "viewer/base64.h"
#include "viewer/mesh_triangles.h"
#include "viewer/scene_inner.h"

/* base64 of the triangles of a file, "" if they cannot be drawn; the file is read elsewhere and
 * forgotten */
static const char *encode(flg_scene *scene, const char *path) {
  static const flg_place nowhere = {0};
  flg_region reading = {0};
  flg_mistakes unsaid = {0};
  flg_triangles triangles;
  size_t length;
  const char *coded = "";
  const char *text = flg_file_read(&reading, path, FLG_LIMIT_MESH, nowhere, &length, &unsaid);
  if (text != NULL && flg_triangles_parse(&triangles, path, text, length, &reading)) {
    const size_t bytes = 9 * (size_t)triangles.count * sizeof(float);
    char *room = flg_region_take(&scene->region, flg_base64_length(bytes) + 1, 1);
    if (room != NULL) {
      flg_base64_encode(triangles.corners, bytes, room);
      coded = room;
    }
  }
  flg_region_release(&reading);
  return coded;
}

int flg_scene_find_mesh(flg_scene *scene, const flg_shape *shape) {
  if (shape->mesh == NULL) return -1;
  for (int k = 0; k < scene->meshes.count; k++) {
    const flg_scene_mesh *known = (const flg_scene_mesh *)scene->meshes.items + k;
    if (strcmp(known->path, shape->mesh) == 0) return known->triangles[0] == '\0' ? -1 : k;
  }
  const char *triangles = encode(scene, shape->mesh);
  flg_scene_mesh *added = flg_growing_add(&scene->meshes, sizeof *added, &scene->region);
  if (added == NULL) return -1;
  *added = (flg_scene_mesh){shape->mesh, triangles};
  return triangles[0] == '\0' ? -1 : scene->meshes.count - 1;
}
