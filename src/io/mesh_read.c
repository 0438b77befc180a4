#include "io/mesh_read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "contact/hull.h"
#include "io/mesh_import.h"
#include "text/document.h"
#include "text/mesh_file.h"

enum { STL_HEAD = 84, STL_TRIANGLE = 50, STL_NORMAL = 12 };

typedef struct reader {
  const char *path;
  flg_region *region;
  flg_mistakes *mistakes;
  double (*list)[3]; /* (capacity) */
  size_t count, capacity;
  bool failed;
} reader;

static void fail_at_line(reader *read, int line, const char *message) {
  if (!read->failed) {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, (flg_place){read->path, line, line > 0}, "%s",
                    message);
  }
  read->failed = true;
}

static bool reserve(reader *read, size_t count) {
  read->list = flg_region_take(read->region, count, sizeof *read->list);
  read->capacity = count;
  if (read->list != NULL) return true;
  flg_mistake_add(read->mistakes, FLG_ERR_MEMORY, (flg_place){read->path, 0, 0},
                  "no memory left for the vertices of the mesh");
  read->failed = true;
  return false;
}

/* --- binary STL ------------------------------------------------------------------------------ */

static uint32_t word_at(const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static double float_at(const char *text) {
  const uint32_t word = word_at(text);
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

/* Some binary files begin with `solid`, as those of text do: only the length tells. */
static bool is_binary(const char *text, size_t length) {
  if (length < STL_HEAD) return false;
  const uint64_t triangles = word_at(text + STL_HEAD - 4);
  return length == STL_HEAD + triangles * STL_TRIANGLE || strncmp(text, "solid", 5) != 0;
}

static void read_binary(reader *read, const char *text, size_t length) {
  const size_t triangles = word_at(text + STL_HEAD - 4);
  if (length - STL_HEAD < triangles * STL_TRIANGLE) {
    fail_at_line(read, 0, "the file ends before its last triangle; is it all there?");
    return;
  }
  if (!reserve(read, 3 * triangles)) return;
  for (size_t k = 0; k < 3 * triangles; k++) {
    const char *at = text + STL_HEAD + k / 3 * STL_TRIANGLE + STL_NORMAL + k % 3 * 12;
    for (size_t axis = 0; axis < 3; axis++) read->list[k][axis] = float_at(at + 4 * axis);
  }
  read->count = 3 * triangles;
}

/* --- text ------------------------------------------------------------------------------------ */

const char *flg_mesh_next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end == NULL ? NULL : end + 1;
}

const char *flg_mesh_skip_blanks(const char *line) {
  while (*line == ' ' || *line == '\t') line++;
  return line;
}

static bool mesh_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

const char *flg_mesh_after_word(const char *line, const char *word) {
  const char *at = flg_mesh_skip_blanks(line);
  const size_t length = strlen(word);
  return strncmp(at, word, length) == 0 && mesh_is_blank(at[length]) ? at + length : NULL;
}

static void read_vertex(reader *read, const char *at, int line) {
  double *vertex = read->list[read->count];
  for (int axis = 0; axis < 3; axis++) {
    const char *end = flg_number_parse(flg_mesh_skip_blanks(at), &vertex[axis]);
    if (end == NULL || !mesh_is_blank(*end)) {
      fail_at_line(read, line, "a vertex needs three numbers x, y, z");
      return;
    }
    at = end;
  }
  read->count++;
}

/* the word that vertices begin with */
static void read_lines(reader *read, const char *text, const char *word) {
  size_t lines = 1;
  for (const char *at = text; *at != '\0'; at++) lines += *at == '\n';
  if (!reserve(read, lines)) return;
  int line = 1;
  for (const char *at = text; at != NULL && !read->failed; at = flg_mesh_next_line(at), line++) {
    const char *numbers = flg_mesh_after_word(at, word);
    if (numbers != NULL) read_vertex(read, numbers, line);
  }
}

/* --- vertices -------------------------------------------------------------------------------- */

static int compare_vertices(const void *a, const void *b) {
  const double *p = a, *q = b;
  int axis = 0;
  while (axis < 2 && p[axis] == q[axis]) axis++;
  return (p[axis] > q[axis]) - (p[axis] < q[axis]);
}

static void check_vertices(reader *read) {
  for (size_t k = 0; k < read->count && !read->failed; k++) {
    const double *p = read->list[k];
    if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) continue;
    fail_at_line(read, 0, "the mesh has a vertex that is not finite");
  }
  if (read->count == 0) {
    fail_at_line(read, 0, "no vertex is found in it; a mesh for contact is an STL or OBJ file");
  }
}

static void drop_duplicates(reader *read) {
  qsort(read->list, read->count, sizeof *read->list, compare_vertices);
  size_t kept = 0;
  for (size_t k = 0; k < read->count; k++) {
    if (kept > 0 && compare_vertices(read->list[kept - 1], read->list[k]) == 0) continue;
    memmove(read->list[kept++], read->list[k], sizeof *read->list);
  }
  read->count = kept;
  if (kept > FLG_HULL_POINTS_MAX) {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, (flg_place){read->path, 0, 0},
                    "the mesh has %zu vertices; at most %d are read", kept, FLG_HULL_POINTS_MAX);
    read->failed = true;
  }
}

bool flg_mesh_is(const char *path, const char *ending) {
  const size_t length = strlen(path), size = strlen(ending);
  return length >= size && strcasecmp(path + length - size, ending) == 0;
}

static void parse_mesh(reader *read, const char *text, size_t length) {
  if (flg_mesh_is(read->path, ".obj")) {
    read_lines(read, text, "v");
  } else if (!flg_mesh_is(read->path, ".stl")) {
    fail_at_line(read, 0, "expected an .stl or .obj file");
  } else if (is_binary(text, length)) {
    read_binary(read, text, length);
  } else {
    read_lines(read, text, "vertex");
  }
  if (!read->failed) check_vertices(read);
}

static bool mesh_hand_over(const reader *read, flg_mesh_vertices *vertices) {
  if (!read->failed) *vertices = (flg_mesh_vertices){read->list[0], (int)read->count};
  return !read->failed;
}

bool flg_mesh_vertices_parse(flg_mesh_vertices *vertices, const char *path, const char *text,
                             size_t length, flg_region *region, flg_mistakes *mistakes) {
  reader read = {.path = path, .region = region, .mistakes = mistakes};
  parse_mesh(&read, text, length);
  return mesh_hand_over(&read, vertices);
}

bool flg_mesh_parse(flg_mesh_vertices *vertices, const char *path, const char *text, size_t length,
                    flg_region *region, flg_mistakes *mistakes) {
  reader read = {.path = path, .region = region, .mistakes = mistakes};
  parse_mesh(&read, text, length);
  if (!read.failed) drop_duplicates(&read);
  return mesh_hand_over(&read, vertices);
}

/* --- shapes ---------------------------------------------------------------------------------- */

static bool is_read(const flg_shape *shape) {
  return shape->collision && shape->kind == FLG_SHAPE_MESH && shape->mesh != NULL;
}

/* a shape before it that has what it needs; NULL: none */
static const flg_shape *same_as(const flg_shape *shapes, int at) {
  for (int k = 0; k < at; k++) {
    if (!is_read(&shapes[k]) || strcmp(shapes[k].mesh, shapes[at].mesh) != 0) continue;
    const double *a = shapes[k].size, *b = shapes[at].size;
    if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) return &shapes[k];
  }
  return NULL;
}

static bool mesh_is_ours(const char *path) {
  return flg_mesh_is(path, ".stl") || flg_mesh_is(path, ".obj");
}

static bool parse_file(flg_mesh_vertices *vertices, const flg_shape *shape, flg_region *region,
                       flg_mistakes *mistakes) {
  size_t length;
  const char *text =
      flg_file_read(region, shape->mesh, FLG_LIMIT_MESH, shape->place, &length, mistakes);
  return text != NULL && flg_mesh_parse(vertices, shape->mesh, text, length, region, mistakes);
}

/* other formats, by a library */
static bool import_file(flg_mesh_vertices *vertices, const flg_shape *shape, flg_region *region,
                        flg_mistakes *mistakes) {
  flg_mesh_triangles triangles;
  flg_error error;
  const flg_status status = flg_mesh_import(&triangles, shape->mesh, region, &error);
  if (status != FLG_OK) {
    flg_mistake_add(mistakes, status, shape->place, "%s", error.message);
    return false;
  }
  reader read = {.path = shape->mesh,
                 .region = region,
                 .mistakes = mistakes,
                 .list = (double(*)[3])triangles.corners,
                 .count = 3 * triangles.count};
  check_vertices(&read);
  if (!read.failed) drop_duplicates(&read);
  return mesh_hand_over(&read, vertices);
}

static void mesh_read_shape(flg_shape *shape, flg_region *region, flg_mistakes *mistakes) {
  flg_mesh_vertices vertices = {0};
  if (!flg_mesh_is_there(shape)) {
    flg_mistake_add(mistakes, FLG_ERR_MISSING, shape->place,
                    "the mesh '%s' is missing, and something can touch it", shape->mesh);
    return;
  }
  if (!(mesh_is_ours(shape->mesh) ? parse_file : import_file)(&vertices, shape, region, mistakes))
    return;
  for (int k = 0; k < vertices.count; k++) {
    for (int axis = 0; axis < 3; axis++) vertices.values[3 * k + axis] *= shape->size[axis];
  }
  shape->values = vertices.values, shape->value_count = 3 * vertices.count;
}

void flg_meshes_read(flg_shape *shapes, int count, flg_region *region, flg_mistakes *mistakes) {
  for (int k = 0; k < count; k++) {
    if (!is_read(&shapes[k]) || shapes[k].values != NULL) continue;
    const flg_shape *same = same_as(shapes, k);
    if (same == NULL) {
      mesh_read_shape(&shapes[k], region, mistakes);
    } else {
      shapes[k].values = same->values, shapes[k].value_count = same->value_count;
    }
  }
}
