/* epa.c - how deep two convex cores overlap (the expanding polytope of van den Bergen).
 *
 * A polytope inside of B - A grows corner by corner where it comes nearest to the origin. Its
 * nearest face bounds the depth from below, the corner of B - A over that face from above; the best
 * upper bound is kept with its direction. It ends where the bounds meet, on polytopes exactly.
 */
#include "contact/polytope.h"
#include "contact/simplex.h"

enum { CORNERS_MOST = 320, FACES_MOST = 2 * CORNERS_MOST };

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

/* Faces without an area have no normal, and are infinitely far; under: the foot of the origin is on
 * the face. */
typedef struct polytope {
  const flg_core *a, *b;
  double size, exact; /* exact: how near the bounds have to come */
  int corner_count;
  flg_corner corners[CORNERS_MOST];
  flg_polytope grown; /* in what follows: all of it lies on the stack */
  flg_face faces[FACES_MOST];
  flg_horizon_edge horizon[FACES_MOST];
  int stack[FACES_MOST], region[FACES_MOST], starts[CORNERS_MOST];
} polytope;

/* Twice the area between the foot of the origin and the edge against a corner. */
static double foot_weight(const polytope *p, const flg_face *f, int corner) {
  const flg_vec3 q = p->corners[f->corners[(corner + 1) % 3]].w;
  const flg_vec3 r = p->corners[f->corners[(corner + 2) % 3]].w;
  return flg_vec3_dot(f->normal, flg_vec3_cross(q, r));
}

/* The face nearest to the origin has its foot. Faces without it are never asked: the small ones
 * among them know their planes only nearby. */
static bool has_foot(const polytope *p, const flg_face *f, double area) {
  for (int k = 0; k < 3; k++) {
    if (!(foot_weight(p, f, k) >= -ASIDE * area)) return false;
  }
  return true;
}

static void set_face_plane(const polytope *p, flg_face *f) {
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

/* normals look outwards, whichever way the first three corners run */
static bool start_polytope(polytope *p, const flg_simplex *simplex) {
  p->corner_count = simplex->count;
  for (int k = 0; k < simplex->count; k++) p->corners[k] = simplex->corners[k];
  if (p->corner_count == 4 && !(novelty(p, p->corners[3].w) > 0)) p->corner_count = 3;
  if (!complete(p)) return false;
  const flg_vec3 up = flg_vec3_subtract(p->corners[3].w, p->corners[0].w);
  const bool above = flg_vec3_dot(base_normal(p), up) > 0;
  flg_polytope_start(&p->grown, 0, above ? 2 : 1, above ? 1 : 2, 3);
  for (int k = 0; k < 4; k++) set_face_plane(p, &p->faces[k]);
  return true;
}

/* --- growing --------------------------------------------------------------------------------- */

static int nearest_of(const polytope *p, bool any) {
  int best = FLG_NO_FACE;
  double least = HUGE_VAL;
  for (int k = 0; k < p->grown.face_count; k++) {
    const flg_face *f = &p->faces[k];
    if (f->alive && (any || f->under) && f->offset < least) least = f->offset, best = k;
  }
  return best;
}

/* Faces with the foot of the origin first; without any, rounding has hidden it, and all are
 * asked. */
static int nearest_face(const polytope *p) {
  const int best = nearest_of(p, false);
  return best != FLG_NO_FACE ? best : nearest_of(p, true);
}

static bool sees(const polytope *p, const flg_face *f, flg_vec3 w) {
  return flg_vec3_dot(f->normal, w) - f->offset > SEEN * p->size;
}

/* False where there is no room, or rounding has spoilt the horizon. */
static bool expand(polytope *p, int seed, const flg_corner *corner) {
  flg_polytope *grown = &p->grown;
  if (p->corner_count == CORNERS_MOST) return false;
  flg_polytope_see(grown, seed, corner->w, SEEN * p->size);
  if (!flg_polytope_has_loop(grown)) return false;
  p->corners[p->corner_count] = *corner;
  for (int k = 0; k < grown->region_count; k++) flg_polytope_free(grown, grown->region[k]);
  flg_polytope_raise(grown, p->corner_count++);
  for (int k = 0; k < grown->horizon_count; k++) set_face_plane(p, &p->faces[grown->stack[k]]);
  return true;
}

/* --- the answer ------------------------------------------------------------------------------ */

/* Weights of the face's corners at the foot of the origin, none of them negative. */
static void foot_weights(const polytope *p, const flg_face *f, double weights[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    weights[k] = fmax(0, foot_weight(p, f, k));
    sum += weights[k];
  }
  for (int k = 0; k < 3; k++) weights[k] = sum > 0 ? weights[k] / sum : 1.0 / 3;
}

/* A face of B - A may be several triangles; the foot is inside of one of them. */
static const flg_face *face_with_foot(const polytope *p, const flg_face *f) {
  double best = -HUGE_VAL;
  const flg_face *found = f;
  if (f->under) return f;
  for (int k = 0; k < p->grown.face_count; k++) {
    const flg_face *g = &p->faces[k];
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

static void epa_fill(const polytope *p, const flg_face *f, double depth, flg_approach *approach) {
  double weights[3];
  const flg_face *under = face_with_foot(p, f);
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
static void polish_depth(const polytope *p, flg_face *best, double *depth) {
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
  p.grown = (flg_polytope){.faces = p.faces,
                           .stack = p.stack,
                           .region = p.region,
                           .horizon = p.horizon,
                           .starts = p.starts,
                           .free_face = FLG_NO_FACE};
  if (!start_polytope(&p, simplex)) {
    fill_flat(&p, approach);
    return;
  }
  double depth = HUGE_VAL, least = 0;
  flg_face best = p.faces[0];
  for (int nearest = nearest_face(&p); nearest != FLG_NO_FACE; nearest = nearest_face(&p)) {
    const flg_face *f = &p.faces[nearest];
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
