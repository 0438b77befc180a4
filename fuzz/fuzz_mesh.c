/* Any bytes are the vertices of a mesh, or a mistake: never a crash or a hang. The first byte says
 * whether it is STL or OBJ. What was read is finite, sorted, and each vertex is there once. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static int compare(const double *p, const double *q) {
  int axis = 0;
  while (axis < 2 && p[axis] == q[axis]) axis++;
  return (p[axis] > q[axis]) - (p[axis] < q[axis]);
}

static void check(const flg_mesh_vertices *vertices) {
  require(vertices->count > 0, "no vertex and no mistake");
  for (int k = 0; k < 3 * vertices->count; k++) {
    require(isfinite(vertices->values[k]), "a vertex that is not finite");
  }
  for (int k = 1; k < vertices->count; k++) {
    const double *at = vertices->values + 3 * (size_t)k;
    require(compare(at - 3, at) < 0, "vertices are not in their order");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  if (size == 0) return 0;
  char *text = malloc(size);
  require(text != NULL, "no memory");
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  flg_region region = {.limit = 64 << 20};
  flg_mesh_vertices vertices;
  const char *path = data[0] == 'o' ? "input.obj" : "input.stl";
  if (flg_mesh_parse(&vertices, path, text, size - 1, &region, &mistakes)) {
    check(&vertices);
  } else {
    require(mistakes.count == 1, "no vertices and no mistake");
  }
  free(text);
  flg_region_release(&region);
  return 0;
}
