/* epa.c - how deep two convex cores overlap (the expanding polytope of van den Bergen).
 *
 * A polytope inside of B - A grows corner by corner where it comes nearest to the origin. Its
 * nearest face bounds the depth from below, the corner of B - A over that face from above; the best
 * upper bound is kept with its direction. It ends where the bounds meet, on polytopes exactly.
 */
#include "contact/simplex.h"

enum { CORNERS_MOST = 320, FACES_MOST = 2 * CORNERS_MOST, NONE = -1 };

static const double EXACT = 2e-14;  /* of the size: how near the bounds have to come */
static const double ROUND = 2e-13;  /* ... where a shape is round */
static const double ROUGH = 1e-11;  /* of the size: bounds farther apart call for more */
static const double ASIDE = 1e-6;   /* of the area: a foot no farther outside is still inside */
static const double SLIVER = 1e-12; /* area by the square of the longest edge: no direction */
static const double FLAT = 1e-13;   /* of the size: corners that are no farther do not add room */
static const double SEEN = 1e-15;   /* of the size: over a face by more than its rounding */
static const double ONE_FACE = 1 - 1e-9; /* cosine: triangles of the same face */
static const double LAST_TURN = 1e-10;   /* [rad] depths change by its square: under rounding */
static const double NO_SIZE = 1e-300;    /* points have none: no division by zero */

typedef struct face {
  int corners[3], neighbours[3]; /* neighbours[k] beyond the edge corners[k], corners[k+1] */
  flg_vec3 normal;               /* unit, outward; zero where the face has no area */
  double offset;                 /* from the origin; infinite where the face has no area */
  bool under;                    /* the foot of the origin is on it */
  bool alive, seen;
} face;

typedef struct edge {
  int from, to, beyond;
} edge;

typedef struct polytope {
  const flg_core *a, *b;
  double size, exact; /* exact: how near the bounds have to come */
  int corner_count, face_count, horizon_count, free_face;
  flg_corner corners[CORNERS_MOST];
  face faces[FACES_MOST];
  edge horizon[FACES_MOST];
  int stack[FACES_MOST], region[FACES_MOST], starts[CORNERS_MOST];
} polytope;

/* Twice the area between the foot of the origin and the edge against a corner. */
static double foot_weight(const polytope *p, const face *f, int corner) {
  const flg_vec3 q = p->corners[f->corners[(corner + 1) % 3]].w;
  const flg_vec3 r = p->corners[f->corners[(corner + 2) % 3]].w;
  return flg_vec3_dot(f->normal, flg_vec3_cross(q, r));
}

/* The face nearest to the origin has its foot. Faces without it are never asked: the small ones
 * among them know their planes only nearby. */
static bool has_foot(const polytope *p, const face *f, double area) {
  for (int k = 0; k < 3; k++) {
    if (!(foot_weight(p, f, k) >= -ASIDE * area)) return false;
  }
  return true;
}

static void set_face_plane(const polytope *p, face *f) {
  const flg_vec3 w = p->corners[f->corners[0]].w;
  const flg_vec3 u = flg_vec3_subtract(p->corners[f->corners[1]].w, w);
  const flg_vec3 v = flg_vec3_subtract(p->corners[f->corners[2]].w, w);
  const flg_vec3 n = flg_vec3_cross(u, v);
  const double area = flg_vec3_norm(n);
  const double longest2 = fmax(flg_vec3_dot(u, u), flg_vec3_dot(v, v));
  /* a sliver has no direction to speak of; it stays, but is never asked */
  f->under = false;
  if (!(area > SLIVER * longest2)) {
    f->normal = (flg_vec3){0, 0, 0};
    f->offset = HUGE_VAL;
    return;
  }
  f->normal = flg_vec3_scale(n, 1 / area);
  f->offset = flg_vec3_dot(f->normal, w);
  f->under = has_foot(p, f, area);
}

/* Faces that are gone are used again first; all of it lies on the stack, nothing is allocated. */
static int new_face(polytope *p, int i, int j, int k) {
  int index = p->free_face;
  if (index != NONE) {
    p->free_face = p->faces[index].neighbours[0];
  } else if (p->face_count < FACES_MOST) {
    index = p->face_count++;
  } else {
    return NONE;
  }
  face *f = &p->faces[index];
  *f = (face){.corners = {i, j, k}, .neighbours = {NONE, NONE, NONE}, .alive = true};
  set_face_plane(p, f);
  return index;
}

/* --- the first tetrahedron ------------------------------------------------------------------- */

static double distance_to_line(const polytope *p, flg_vec3 w) {
  const flg_vec3 along = flg_vec3_normalise(flg_vec3_subtract(p->corners[1].w, p->corners[0].w));
  return flg_vec3_norm(flg_vec3_cross(flg_vec3_subtract(w, p->corners[0].w), along));
}

static flg_vec3 base_normal(const polytope *p) {
  return flg_vec3_cross(flg_vec3_subtract(p->corners[1].w, p->corners[0].w),
                        flg_vec3_subtract(p->corners[2].w, p->corners[0].w));
}

/* How far a corner leaves what the first corners span. */
/* A simplex that the distance search left may be flat: its next corner is the one that adds
 * most. */
static double novelty(const polytope *p, flg_vec3 w) {
  if (p->corner_count == 1) return flg_vec3_norm(flg_vec3_subtract(w, p->corners[0].w));
  if (p->corner_count == 2) return distance_to_line(p, w);
  const flg_vec3 n = flg_vec3_normalise(base_normal(p));
  return fabs(flg_vec3_dot(n, flg_vec3_subtract(w, p->corners[0].w)));
}

static void try_direction(polytope *p, flg_vec3 direction, double *best, flg_corner *found) {
  for (int side = -1; side <= 1; side += 2) {
    const flg_corner c = flg_corner_in(p->a, p->b, flg_vec3_scale(direction, side), &p->corners[0]);
    const double far = novelty(p, c.w);
    if (far > *best) *best = far, *found = c;
  }
}

/* Corners until they span a tetrahedron, each as far from the span of the others as the axes, the
 * diagonals and the normal of the first three can find it. */
static bool complete(polytope *p) {
  static const flg_vec3 directions[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1},
                                        {1, -1, 1}, {1, 1, -1}, {-1, 1, 1}};
  while (p->corner_count < 4) {
    double best = 0;
    flg_corner found = {.vertex_a = 0};
    if (p->corner_count == 3) {
      try_direction(p, base_normal(p), &best, &found);
    } else {
      for (int k = 0; k < 7; k++) try_direction(p, directions[k], &best, &found);
    }
    if (!(best > FLAT * p->size)) return false;
    p->corners[p->corner_count++] = found;
  }
  return true;
}

static void join_face_edges(polytope *p, int s, int t) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (p->faces[s].corners[i] != p->faces[t].corners[(j + 1) % 3]) continue;
      if (p->faces[s].corners[(i + 1) % 3] != p->faces[t].corners[j]) continue;
      p->faces[s].neighbours[i] = t;
      p->faces[t].neighbours[j] = s;
    }
  }
}

/* normals look outwards, whichever way the first three corners run */
static bool start_polytope(polytope *p, const flg_simplex *simplex) {
  p->corner_count = simplex->count;
  for (int k = 0; k < simplex->count; k++) p->corners[k] = simplex->corners[k];
  if (p->corner_count == 4 && !(novelty(p, p->corners[3].w) > 0)) p->corner_count = 3;
  if (!complete(p)) return false;
  const flg_vec3 up = flg_vec3_subtract(p->corners[3].w, p->corners[0].w);
  const bool above = flg_vec3_dot(base_normal(p), up) > 0;
  const int i = 0, j = above ? 2 : 1, k = above ? 1 : 2, l = 3;
  const int all[4] = {new_face(p, i, j, k), new_face(p, j, i, l), new_face(p, k, j, l),
                      new_face(p, i, k, l)};
  for (int s = 0; s < 4; s++) {
    for (int t = s + 1; t < 4; t++) join_face_edges(p, all[s], all[t]);
  }
  return true;
}

/* --- growing --------------------------------------------------------------------------------- */

static int nearest_of(const polytope *p, bool any) {
  int best = NONE;
  double least = HUGE_VAL;
  for (int k = 0; k < p->face_count; k++) {
    const face *f = &p->faces[k];
    if (f->alive && (any || f->under) && f->offset < least) least = f->offset, best = k;
  }
  return best;
}

/* Faces with the foot of the origin first; without any, rounding has hidden it, and all are
 * asked. */
static int nearest_face(const polytope *p) {
  const int best = nearest_of(p, false);
  return best != NONE ? best : nearest_of(p, true);
}

static bool sees(const polytope *p, const face *f, flg_vec3 w) {
  return flg_vec3_dot(f->normal, w) - f->offset > SEEN * p->size;
}

/* Grown from one face: what is seen is connected, and rounding far away cannot open holes. */
static int find_visible_faces(polytope *p, int seed, flg_vec3 w) {
  int count = 0, depth = 0;
  p->horizon_count = 0;
  p->stack[depth++] = seed;
  p->faces[seed].seen = true;
  while (depth > 0) {
    const int index = p->stack[--depth];
    p->region[count++] = index;
    for (int k = 0; k < 3; k++) {
      const int beyond = p->faces[index].neighbours[k];
      if (p->faces[beyond].seen || !sees(p, &p->faces[beyond], w)) continue;
      p->faces[beyond].seen = true;
      p->stack[depth++] = beyond;
    }
  }
  for (int j = 0; j < count; j++) {
    const face *f = &p->faces[p->region[j]];
    for (int k = 0; k < 3; k++) {
      if (p->faces[f->neighbours[k]].seen) continue;
      p->horizon[p->horizon_count++] =
          (edge){f->corners[k], f->corners[(k + 1) % 3], f->neighbours[k]};
    }
  }
  return count;
}

static bool is_polytope_loop(polytope *p) {
  for (int k = 0; k < p->horizon_count; k++) p->starts[p->horizon[k].from] = k;
  int at = 0, length = 0;
  do {
    at = p->starts[p->horizon[at].to];
    length++;
  } while (at != 0 && length <= p->horizon_count);
  return length == p->horizon_count;
}

static void free_region(polytope *p, int count) {
  for (int k = 0; k < count; k++) {
    face *f = &p->faces[p->region[k]];
    f->alive = f->seen = false;
    f->neighbours[0] = p->free_face;
    p->free_face = p->region[k];
  }
}

static void raise_face_cone(polytope *p, int apex) {
  for (int k = 0; k < p->horizon_count; k++) {
    const edge *e = &p->horizon[k];
    const int index = new_face(p, e->from, e->to, apex);
    face *beyond = &p->faces[e->beyond];
    p->faces[index].neighbours[0] = e->beyond;
    for (int j = 0; j < 3; j++) {
      if (beyond->corners[j] == e->to && beyond->corners[(j + 1) % 3] == e->from) {
        beyond->neighbours[j] = index;
      }
    }
    p->starts[e->from] = index;
    p->stack[k] = index;
  }
  for (int k = 0; k < p->horizon_count; k++) {
    const int after = p->starts[p->horizon[k].to];
    p->faces[p->stack[k]].neighbours[1] = after;
    p->faces[after].neighbours[2] = p->stack[k];
  }
}

/* False where there is no room, or rounding has spoilt the horizon. */
static bool expand(polytope *p, int seed, const flg_corner *corner) {
  if (p->corner_count == CORNERS_MOST) return false;
  const int count = find_visible_faces(p, seed, corner->w);
  /* a polytope of n corners has at most 2 n - 4 faces, so that the faces suffice */
  if (!is_polytope_loop(p)) return false;
  p->corners[p->corner_count++] = *corner;
  free_region(p, count);
  raise_face_cone(p, p->corner_count - 1);
  return true;
}

/* --- the answer ------------------------------------------------------------------------------ */

/* Weights of the face's corners at the foot of the origin, none of them negative. */
static void foot_weights(const polytope *p, const face *f, double weights[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    weights[k] = fmax(0, foot_weight(p, f, k));
    sum += weights[k];
  }
  for (int k = 0; k < 3; k++) weights[k] = sum > 0 ? weights[k] / sum : 1.0 / 3;
}

/* A face of B - A may be several triangles; the foot is inside of one of them. */
static const face *face_with_foot(const polytope *p, const face *f) {
  double best = -HUGE_VAL;
  const face *found = f;
  if (f->under) return f;
  for (int k = 0; k < p->face_count; k++) {
    const face *g = &p->faces[k];
    if (!g->alive || !(fabs(g->offset - f->offset) <= 10 * p->exact)) continue;
    if (flg_vec3_dot(g->normal, f->normal) < ONE_FACE) continue;
    double least = HUGE_VAL, sum = 0;
    for (int j = 0; j < 3; j++) {
      const double weight = foot_weight(p, g, j);
      least = fmin(least, weight), sum += weight;
    }
    if (sum > 0 && least / sum > best) best = least / sum, found = g;
  }
  return found;
}

static void epa_fill(const polytope *p, const face *f, double depth, flg_approach *approach) {
  double weights[3];
  const face *under = face_with_foot(p, f);
  foot_weights(p, under, weights);
  flg_vec3 middle = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    const flg_corner *c = &p->corners[under->corners[k]];
    middle = flg_vec3_add_scaled(middle, 0.5 * weights[k], flg_vec3_add(c->a, c->b));
  }
  const flg_corner *first = &p->corners[f->corners[0]];
  const flg_vec3 n = flg_vec3_negate(f->normal);
  *approach = (flg_approach){
      .gap = -depth, .normal = n, .vertex_a = first->vertex_a, .vertex_b = first->vertex_b};
  approach->a = flg_vec3_add_scaled(middle, 0.5 * depth, n);
  approach->b = flg_vec3_add_scaled(middle, -0.5 * depth, n);
}

/* Where round shapes have used up all corners: downhill on the directions, from the best one, by
 * steps that get smaller. */
static void polish_depth(const polytope *p, face *best, double *depth) {
  flg_corner corner = flg_corner_in(p->a, p->b, best->normal, &p->corners[0]);
  for (double step = 0.05; step > LAST_TURN;) {
    const flg_vec3 t = flg_vec3_perpendicular(best->normal);
    const flg_vec3 u = flg_vec3_cross(best->normal, t);
    bool better = false;
    for (int k = 0; k < 4 && !better; k++) {
      const flg_vec3 side = flg_vec3_scale(k < 2 ? t : u, k % 2 ? -step : step);
      const flg_vec3 n = flg_vec3_normalise(flg_vec3_add(best->normal, side));
      corner = flg_corner_in(p->a, p->b, n, &corner);
      better = flg_vec3_dot(n, corner.w) < *depth;
      if (better) *depth = flg_vec3_dot(n, corner.w), best->normal = n;
    }
    if (!better) step *= 0.5;
  }
}

/* B - A has no volume where neither has: then the origin lies in its plane or on its line. */
static void fill_flat(const polytope *p, flg_approach *approach) {
  const flg_corner *c = p->corners;
  flg_vec3 n = {0, 0, 1};
  if (p->corner_count == 3) n = flg_vec3_normalise(base_normal(p));
  if (p->corner_count == 2) n = flg_vec3_perpendicular(flg_vec3_subtract(c[1].w, c[0].w));
  *approach = (flg_approach){.gap = 0, .normal = n, .a = c[0].a, .b = c[0].a};
}

void flg_approach_overlap(const flg_core *a, const flg_core *b, const flg_simplex *simplex,
                          flg_approach *approach) {
  polytope p;
  p.a = a, p.b = b;
  p.size = fmax(fmax(a->size, b->size), NO_SIZE);
  const bool round = a->kind == FLG_CORE_CYLINDER || b->kind == FLG_CORE_CYLINDER;
  p.exact = (round ? ROUND : EXACT) * p.size;
  p.face_count = 0, p.free_face = NONE;
  if (!start_polytope(&p, simplex)) {
    fill_flat(&p, approach);
    return;
  }
  double depth = HUGE_VAL, least = 0;
  face best = p.faces[0];
  for (int nearest = nearest_face(&p); nearest != NONE; nearest = nearest_face(&p)) {
    const face *f = &p.faces[nearest];
    least = f->offset;
    const flg_corner corner = flg_corner_in(a, b, f->normal, &p.corners[f->corners[0]]);
    const double most = flg_vec3_dot(f->normal, corner.w);
    /* of equal ones the last: the foot is on it, while older ones may have been outgrown */
    if (most <= depth + p.exact) best = *f;
    depth = fmin(depth, most);
    if (most - least <= p.exact || !sees(&p, f, corner.w)) break;
    if (!expand(&p, nearest, &corner)) break;
  }
  if (depth - least > ROUGH * p.size) polish_depth(&p, &best, &depth);
  epa_fill(&p, &best, depth, approach);
}
