/* polytope.h - a convex polytope of triangles that grows corner by corner: the faces that a new
 * corner sees are replaced by a cone to it. Hulls of points (hull.c) and the overlap of two cores
 * (epa.c) grow so. Inner to contact/. Planes of faces are the caller's to set.
 */
#ifndef FLG_CONTACT_POLYTOPE_H
#define FLG_CONTACT_POLYTOPE_H

#include <stdbool.h>

#include "math/vec3.h"

enum { FLG_NO_FACE = -1 };

typedef struct flg_face {
  int corners[3], neighbours[3]; /* neighbours[k] beyond the edge corners[k], corners[k+1] */
  flg_vec3 normal;               /* unit, outward */
  double offset;                 /* of its plane along the normal */
  int list;                      /* the caller's; of faces that are gone, the next of these */
  bool alive, seen;
  bool under; /* the caller's */
} flg_face;

typedef struct flg_horizon_edge {
  int from, to, beyond; /* the face on the far side */
} flg_horizon_edge;

/* Arrays are the caller's. A polytope of n corners has at most 2 n - 4 faces alive. */
typedef struct flg_polytope {
  flg_face *faces;
  int *stack, *region;       /* (faces) work space; faces that the new corner sees */
  flg_horizon_edge *horizon; /* (faces) around the region */
  int *starts;               /* (corners) the horizon edge, then the new face, from a corner on */
  int face_count, region_count, horizon_count;
  int free_face; /* FLG_NO_FACE at first */
} flg_polytope;

/* Faces that are gone are used again first. */
static inline int flg_polytope_add(flg_polytope *p, int i, int j, int k) {
  int index = p->free_face;
  if (index == FLG_NO_FACE) {
    index = p->face_count++;
  } else {
    p->free_face = p->faces[index].list;
  }
  p->faces[index] = (flg_face){.corners = {i, j, k},
                               .neighbours = {FLG_NO_FACE, FLG_NO_FACE, FLG_NO_FACE},
                               .list = FLG_NO_FACE,
                               .alive = true};
  return index;
}

/* neighbours run along a common edge in opposite directions */
static inline void flg_polytope_join(flg_face *faces, int s, int t) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (faces[s].corners[i] != faces[t].corners[(j + 1) % 3]) continue;
      if (faces[s].corners[(i + 1) % 3] != faces[t].corners[j]) continue;
      faces[s].neighbours[i] = t, faces[t].neighbours[j] = s;
    }
  }
}

/* The first four faces, 0 to 3: l is below the plane of i, j, k as these turn. */
static inline void flg_polytope_start(flg_polytope *p, int i, int j, int k, int l) {
  flg_polytope_add(p, i, j, k), flg_polytope_add(p, j, i, l);
  flg_polytope_add(p, k, j, l), flg_polytope_add(p, i, k, l);
  for (int s = 0; s < 4; s++) {
    for (int t = s + 1; t < 4; t++) flg_polytope_join(p->faces, s, t);
  }
}

/* The faces that a point is over by more than the tolerance, connected from the seed, which it is
 * over: region; and the edges around them. Rounding far away cannot open holes. */
static inline void flg_polytope_see(flg_polytope *p, int seed, flg_vec3 point, double tolerance) {
  int depth = 0;
  p->region_count = p->horizon_count = 0;
  p->stack[depth++] = seed;
  p->faces[seed].seen = true;
  while (depth > 0) {
    const int index = p->stack[--depth];
    p->region[p->region_count++] = index;
    for (int k = 0; k < 3; k++) {
      flg_face *beyond = &p->faces[p->faces[index].neighbours[k]];
      if (beyond->seen || !(flg_vec3_dot(beyond->normal, point) - beyond->offset > tolerance)) {
        continue;
      }
      beyond->seen = true;
      p->stack[depth++] = p->faces[index].neighbours[k];
    }
  }
  for (int j = 0; j < p->region_count; j++) {
    const flg_face *f = &p->faces[p->region[j]];
    for (int k = 0; k < 3; k++) {
      if (p->faces[f->neighbours[k]].seen) continue;
      p->horizon[p->horizon_count++] =
          (flg_horizon_edge){f->corners[k], f->corners[(k + 1) % 3], f->neighbours[k]};
    }
  }
}

/* True if the horizon is one loop that meets no corner twice: rounding among nearly coplanar faces
 * can make it otherwise. */
static inline bool flg_polytope_has_loop(flg_polytope *p) {
  for (int k = 0; k < p->horizon_count; k++) p->starts[p->horizon[k].from] = k;
  int at = 0, length = 0;
  do {
    at = p->starts[p->horizon[at].to];
    length++;
  } while (at != 0 && length <= p->horizon_count);
  return length == p->horizon_count;
}

static inline void flg_polytope_free(flg_polytope *p, int face) {
  p->faces[face].alive = p->faces[face].seen = false;
  p->faces[face].list = p->free_face;
  p->free_face = face;
}

/* A cone of faces from the horizon to a corner: as many as the horizon has edges, in stack. */
static inline void flg_polytope_raise(flg_polytope *p, int apex) {
  for (int k = 0; k < p->horizon_count; k++) {
    const flg_horizon_edge *edge = &p->horizon[k];
    const int index = flg_polytope_add(p, edge->from, edge->to, apex);
    flg_face *beyond = &p->faces[edge->beyond];
    p->faces[index].neighbours[0] = edge->beyond;
    for (int j = 0; j < 3; j++) {
      if (beyond->corners[j] == edge->to && beyond->corners[(j + 1) % 3] == edge->from) {
        beyond->neighbours[j] = index;
      }
    }
    p->starts[edge->from] = p->stack[k] = index;
  }
  for (int k = 0; k < p->horizon_count; k++) {
    const int after = p->starts[p->horizon[k].to];
    p->faces[p->stack[k]].neighbours[1] = after;
    p->faces[after].neighbours[2] = p->stack[k];
  }
}

#endif
