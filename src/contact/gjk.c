/* gjk.c - how far two convex cores are apart (Gilbert, Johnson and Keerthi).
 *
 * v, the point of the simplex nearest to the origin, bounds the distance from above; the corner of
 * B - A against v bounds it from below. The walk ends where the two bounds meet, where a corner
 * comes back, or where rounding lets v shrink no more. Polytopes end with their exact features.
 */
#include "contact/simplex.h"

enum { STEPS_MOST = 200, STALLS_MOST = 12 };

static const double ROUNDING = 1e-15;    /* of the size: how near the bounds have to come */
static const double ROUND = 1e-13;       /* ... where a shape is round, which ends by no corner */
static const double TOUCHING = 1e-11;    /* of the size: from here on the normal is found by EPA */
static const double SHORTER = 1 - 1e-14; /* of the distance: less of a gain is rounding */
static const double NO_SIZE = 1e-300;    /* points have none: no division by zero */

typedef struct walk {
  const flg_core *a, *b;
  double size, exact, cutoff;
  flg_simplex simplex;
  flg_vec3 nearest;
} walk;

typedef enum outcome { APART, BEYOND, OVERLAP } outcome;

static double pair_size(const flg_core *a, const flg_core *b) {
  return fmax(fmax(a->size, b->size), NO_SIZE);
}

static void begin_walk(walk *w) {
  flg_vec3 d = flg_vec3_subtract(flg_core_centre(w->b), flg_core_centre(w->a));
  if (!(flg_vec3_dot(d, d) > 0)) d = (flg_vec3){1, 0, 0};
  const flg_corner guess = {.vertex_a = 0};
  w->simplex = (flg_simplex){.count = 1, .weights = {1}};
  w->simplex.corners[0] = flg_corner_in(w->a, w->b, flg_vec3_negate(d), &guess);
  w->nearest = w->simplex.corners[0].w;
}

static bool is_corner_known(const flg_simplex *simplex, const flg_corner *corner) {
  for (int k = 0; k < simplex->count; k++) {
    if (flg_corner_equal(&simplex->corners[k], corner)) return true;
  }
  return false;
}

/* Near the end v does not shrink by more than rounding, while its direction still gets better: the
 * distance is flat there. So the walk goes on while either bound improves, and what is kept is the
 * v whose bounds are nearest to each other. */
static outcome descend_to_origin(walk *w) {
  flg_simplex simplex = w->simplex;
  flg_vec3 v = w->nearest;
  double shortest = HUGE_VAL, highest = -HUGE_VAL, closest = HUGE_VAL;
  for (int step = 0, stalled = 0; step < STEPS_MOST && stalled < STALLS_MOST; step++) {
    const double length = flg_vec3_norm(v);
    if (!(length > TOUCHING * w->size)) {
      w->simplex = simplex;
      return OVERLAP;
    }
    /* under the lower bound only the rounding of a thin triangle can bring it */
    if (length < highest - ROUNDING * w->size) return APART;
    const flg_corner corner = flg_corner_in(w->a, w->b, flg_vec3_negate(v), &simplex.corners[0]);
    const double lower = flg_vec3_dot(v, corner.w) / length;
    if (lower > w->cutoff) return BEYOND;
    const bool better = lower > highest || length < SHORTER * shortest;
    stalled = better ? 0 : stalled + 1;
    highest = fmax(highest, lower), shortest = fmin(shortest, length);
    if (length - lower < closest) closest = length - lower, w->simplex = simplex, w->nearest = v;
    if (length - lower <= w->exact * fmax(w->size, length)) return APART;
    if (is_corner_known(&simplex, &corner)) return APART;
    simplex.corners[simplex.count++] = corner;
    v = flg_simplex_reduce(&simplex);
    if (simplex.count == 4) {
      w->simplex = simplex;
      return OVERLAP;
    }
  }
  return APART;
}

static double seen_along(const walk *w, flg_vec3 n) {
  const flg_corner c = flg_corner_in(w->a, w->b, flg_vec3_negate(n), &w->simplex.corners[0]);
  return flg_vec3_dot(n, c.w);
}

/* The normal of a triangle is mostly sharper than the short vector that leads to it. */
static flg_vec3 normal_of(const walk *w, double length) {
  const flg_corner *c = w->simplex.corners;
  const flg_vec3 direct = flg_vec3_scale(w->nearest, 1 / length);
  if (w->simplex.count < 3) return direct;
  flg_vec3 n = flg_vec3_normalise(
      flg_vec3_cross(flg_vec3_subtract(c[1].w, c[0].w), flg_vec3_subtract(c[2].w, c[0].w)));
  if (flg_vec3_dot(n, direct) < 0) n = flg_vec3_negate(n);
  return seen_along(w, n) >= seen_along(w, direct) ? n : direct;
}

static void gjk_fill(const walk *w, flg_approach *approach) {
  const flg_simplex *s = &w->simplex;
  const double length = flg_vec3_norm(w->nearest);
  *approach =
      (flg_approach){.vertex_a = s->corners[0].vertex_a, .vertex_b = s->corners[0].vertex_b};
  for (int k = 0; k < s->count; k++) {
    approach->a = flg_vec3_add_scaled(approach->a, s->weights[k], s->corners[k].a);
  }
  approach->gap = length;
  approach->normal = normal_of(w, length);
  approach->b = flg_vec3_add_scaled(approach->a, length, approach->normal);
}

bool flg_approach_convex(const flg_core *a, const flg_core *b, double cutoff,
                         flg_approach *approach) {
  const bool round = a->kind == FLG_CORE_CYLINDER || b->kind == FLG_CORE_CYLINDER;
  walk w = {
      .a = a, .b = b, .size = pair_size(a, b), .exact = round ? ROUND : ROUNDING, .cutoff = cutoff};
  begin_walk(&w);
  const outcome found = descend_to_origin(&w);
  if (found == BEYOND) return false;
  if (found == OVERLAP) {
    flg_approach_overlap(a, b, &w.simplex, approach);
  } else {
    gjk_fill(&w, approach);
  }
  /* a point is where it is, to the last bit */
  if (a->kind == FLG_CORE_POINT) {
    approach->a = a->pose.position;
    approach->b = flg_vec3_add_scaled(approach->a, approach->gap, approach->normal);
  } else if (b->kind == FLG_CORE_POINT) {
    approach->b = b->pose.position;
    approach->a = flg_vec3_add_scaled(approach->b, -approach->gap, approach->normal);
  }
  return approach->gap <= cutoff;
}
