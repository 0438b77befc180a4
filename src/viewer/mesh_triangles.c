#include "viewer/mesh_triangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "io/mesh_read.h"

enum { CORNERS = 9, FACE_MAX = 64 };

typedef struct triangle {
  float corners[CORNERS];
} triangle;

typedef struct builder {
  flg_growing list;       /* of triangles */
  const double *vertices; /* of the file, three numbers each */
  flg_region *region;
} builder;

static bool add_triangle(builder *build, int a, int b, int c) {
  if (build->list.count >= FLG_MESH_TRIANGLES_MAX) return false;
  triangle *added = flg_growing_add(&build->list, sizeof *added, build->region);
  if (added == NULL) return false;
  const int from[3] = {a, b, c};
  for (int k = 0; k < CORNERS; k++) {
    added->corners[k] = (float)build->vertices[3 * (size_t)from[k / 3] + k % 3];
    if (!isfinite(added->corners[k])) return false;
  }
  return true;
}

/* vertices of STL are corners, one triangle after the other */
static bool add_stl_corners(builder *build, int vertex_count) {
  for (int k = 0; k + 3 <= vertex_count; k += 3) {
    if (!add_triangle(build, k, k + 1, k + 2)) return false;
  }
  return true;
}

/* `3`, `3/1`, `3//2`, `-1`: the first number is the vertex, negative ones count from the end */
static bool read_face(const char *at, int vertex_count, int face[FACE_MAX], int *count) {
  *count = 0;
  for (at = flg_mesh_skip_blanks(at); *at != '\0' && *at != '\n' && *at != '\r';
       at = flg_mesh_skip_blanks(at)) {
    char *end;
    const long number = strtol(at, &end, 10);
    const long index = number < 0 ? vertex_count + number : number - 1;
    if (end == at || index < 0 || index >= vertex_count || *count == FACE_MAX) return false;
    face[(*count)++] = (int)index;
    at = end + strcspn(end, " \t\r\n");
  }
  return *count >= 3;
}

/* faces of OBJ name vertices that come before them */
static bool mesh_add_faces(builder *build, const char *text) {
  int before = 0;
  for (const char *line = text; line != NULL; line = flg_mesh_next_line(line)) {
    const char *corners = flg_mesh_after_word(line, "f");
    int face[FACE_MAX], count;
    before += flg_mesh_after_word(line, "v") != NULL;
    if (corners == NULL || !read_face(corners, before, face, &count)) continue;
    for (int k = 2; k < count; k++) {
      if (!add_triangle(build, face[0], face[k - 1], face[k])) return false;
    }
  }
  return true;
}

bool flg_triangles_parse(flg_triangles *triangles, const char *path, const char *text,
                         size_t length, flg_region *region) {
  flg_mistakes unsaid = {0};
  flg_mesh_vertices vertices;
  if (!flg_mesh_vertices_parse(&vertices, path, text, length, region, &unsaid)) return false;
  builder build = {.vertices = vertices.values, .region = region};
  const bool is_read = flg_mesh_is(path, ".obj") ? mesh_add_faces(&build, text)
                                                 : add_stl_corners(&build, vertices.count);
  if (!is_read || build.list.count == 0) return false;
  *triangles = (flg_triangles){build.list.items, build.list.count};
  return true;
}
