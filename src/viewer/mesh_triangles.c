#include "viewer/mesh_triangles.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/growing.h"
#include "base/number.h"

enum { STL_HEAD = 84, STL_TRIANGLE = 50, STL_NORMAL = 12, CORNERS = 9, FACE_MAX = 64 };

typedef struct triangle {
  float corners[CORNERS];
} triangle;

typedef struct builder {
  flg_growing list; /* of triangles */
  flg_region *region;
} builder;

static bool add(builder *build, const float *a, const float *b, const float *c) {
  if (build->list.count >= FLG_MESH_TRIANGLES_MAX) return false;
  triangle *added = flg_growing_add(&build->list, sizeof *added, build->region);
  if (added == NULL) return false;
  const float *const from[3] = {a, b, c};
  for (int k = 0; k < CORNERS; k++) {
    added->corners[k] = from[k / 3][k % 3];
    if (!isfinite(added->corners[k])) return false;
  }
  return true;
}

/* --- STL ------------------------------------------------------------------------------------- */

static uint32_t word_at(const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

/* some binary files begin with `solid`, as those of text do: only the length tells */
static bool is_binary(const char *text, size_t length) {
  if (length < STL_HEAD) return false;
  const uint64_t count = word_at(text + STL_HEAD - 4);
  return length == STL_HEAD + count * STL_TRIANGLE || strncmp(text, "solid", 5) != 0;
}

static bool read_binary(builder *build, const char *text, size_t length) {
  const size_t count = word_at(text + STL_HEAD - 4);
  if (count > (length - STL_HEAD) / STL_TRIANGLE) return false;
  for (size_t k = 0; k < count; k++) {
    float corners[CORNERS];
    for (size_t i = 0; i < CORNERS; i++) {
      const uint32_t word = word_at(text + STL_HEAD + k * STL_TRIANGLE + STL_NORMAL + 4 * i);
      memcpy(&corners[i], &word, sizeof corners[i]);
    }
    if (!add(build, corners, corners + 3, corners + 6)) return false;
  }
  return true;
}

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

/* the text after a word that a line begins with; NULL: it begins with another */
static const char *after_word(const char *line, const char *word) {
  const char *at = skip_blanks(line);
  const size_t length = strlen(word);
  if (strncmp(at, word, length) != 0 || (at[length] != ' ' && at[length] != '\t')) return NULL;
  return at + length;
}

static bool read_vertex(const char *at, float vertex[3]) {
  for (int axis = 0; axis < 3; axis++) {
    double value;
    at = flg_number_parse(skip_blanks(at), &value);
    if (at == NULL) return false;
    vertex[axis] = (float)value;
  }
  return true;
}

static const char *next_line(const char *at) {
  const char *end = strchr(at, '\n');
  return end == NULL ? NULL : end + 1;
}

static bool read_text(builder *build, const char *text) {
  float corners[CORNERS];
  int count = 0;
  for (const char *line = text; line != NULL; line = next_line(line)) {
    const char *at = after_word(line, "vertex");
    if (at == NULL) continue;
    if (!read_vertex(at, corners + 3 * count)) return false;
    count = (count + 1) % 3;
    if (count == 0 && !add(build, corners, corners + 3, corners + 6)) return false;
  }
  return true;
}

/* --- OBJ ------------------------------------------------------------------------------------- */

/* `3`, `3/1`, `3//2`, `-1`: the first number is the vertex, negative ones count from the end */
static bool read_face(const char *at, int vertex_count, int face[FACE_MAX], int *count) {
  *count = 0;
  for (at = skip_blanks(at); *at != '\0' && *at != '\n' && *at != '\r'; at = skip_blanks(at)) {
    char *end;
    const long number = strtol(at, &end, 10);
    const long index = number < 0 ? vertex_count + number : number - 1;
    if (end == at || index < 0 || index >= vertex_count || *count == FACE_MAX) return false;
    face[(*count)++] = (int)index;
    at = end + strcspn(end, " \t\r\n");
  }
  return *count >= 3;
}

typedef struct vertex {
  float at[3];
} vertex;

static bool read_obj(builder *build, const char *text) {
  flg_growing vertices = {0};
  for (const char *line = text; line != NULL; line = next_line(line)) {
    const char *at = after_word(line, "v"), *corners = after_word(line, "f");
    int face[FACE_MAX], count;
    if (at != NULL) {
      vertex *added = flg_growing_add(&vertices, sizeof *added, build->region);
      if (added == NULL || !read_vertex(at, added->at)) return false;
    } else if (corners != NULL && vertices.items != NULL &&
               read_face(corners, vertices.count, face, &count)) {
      const vertex *list = vertices.items;
      for (int k = 2; k < count; k++) {
        if (!add(build, list[face[0]].at, list[face[k - 1]].at, list[face[k]].at)) return false;
      }
    }
  }
  return true;
}

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), size = strlen(ending);
  return length >= size && strcasecmp(path + length - size, ending) == 0;
}

bool flg_triangles_parse(flg_triangles *triangles, const char *path, const char *text,
                         size_t length, flg_region *region) {
  builder build = {.region = region};
  bool is_read = false;
  if (ends_with(path, ".obj")) {
    is_read = read_obj(&build, text);
  } else if (ends_with(path, ".stl")) {
    is_read = is_binary(text, length) ? read_binary(&build, text, length) : read_text(&build, text);
  }
  if (!is_read || build.list.count == 0) return false;
  *triangles = (flg_triangles){build.list.items, build.list.count};
  return true;
}
