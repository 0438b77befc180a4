#include "contact/simplex.h"

#include <string.h>

/* A support of B - A: the farthest of B along the direction, less the farthest of A against it. The
 * guess is the corner of the last call: hulls are searched from there. */
flg_corner flg_corner_in(const flg_core *a, const flg_core *b, flg_vec3 direction,
                         const flg_corner *guess) {
  flg_corner corner = {.vertex_a = guess->vertex_a, .vertex_b = guess->vertex_b};
  corner.a = flg_core_support(a, flg_vec3_negate(direction), &corner.vertex_a);
  corner.b = flg_core_support(b, direction, &corner.vertex_b);
  corner.w = flg_vec3_subtract(corner.b, corner.a);
  return corner;
}

bool flg_corner_equal(const flg_corner *p, const flg_corner *q) {
  return p->w.x == q->w.x && p->w.y == q->w.y && p->w.z == q->w.z;
}

/* A part of the simplex with the origin over its inside. */
typedef struct part {
  double distance2;
  int count, corners[4];
  double weights[4];
  flg_vec3 point;
} part;

/* ties keep the part that was tried first: a corner before edges and faces */
static void take_better(part *best, const part *candidate) {
  if (candidate->distance2 < best->distance2) *best = *candidate;
}

static void try_corner(const flg_vec3 *w, int i, part *best) {
  const part candidate = {.distance2 = flg_vec3_dot(w[i], w[i]),
                          .count = 1,
                          .corners = {i},
                          .weights = {1},
                          .point = w[i]};
  take_better(best, &candidate);
}

/* Only where the origin is over the inside: at the ends, corners are nearer. */
static void try_edge(const flg_vec3 *w, int i, int j, part *best) {
  const flg_vec3 edge = flg_vec3_subtract(w[j], w[i]);
  const double length2 = flg_vec3_dot(edge, edge), at = -flg_vec3_dot(w[i], edge);
  if (!(at > 0 && at < length2)) return;
  const double t = at / length2;
  part candidate = {.count = 2, .corners = {i, j}, .weights = {1 - t, t}};
  /* from the nearer end, which loses fewer digits */
  candidate.point =
      t < 0.5 ? flg_vec3_add_scaled(w[i], t, edge) : flg_vec3_add_scaled(w[j], t - 1, edge);
  candidate.distance2 = flg_vec3_dot(candidate.point, candidate.point);
  take_better(best, &candidate);
}

/* Barycentric coordinates by areas. Degenerate triangles have none, and their edges are tried
 * anyway. */
static void try_face(const flg_vec3 *w, int i, int j, int k, part *best) {
  const flg_vec3 u = flg_vec3_subtract(w[j], w[i]), v = flg_vec3_subtract(w[k], w[i]);
  const flg_vec3 n = flg_vec3_cross(u, v);
  const double area2 = flg_vec3_dot(n, n);
  if (!(area2 > 0)) return;
  const double q = flg_vec3_dot(n, flg_vec3_cross(flg_vec3_negate(w[i]), v));
  const double r = flg_vec3_dot(n, flg_vec3_cross(u, flg_vec3_negate(w[i])));
  const double p = area2 - q - r;
  if (!(p > 0 && q > 0 && r > 0)) return;
  part candidate = {.count = 3, .corners = {i, j, k}, .weights = {p / area2, q / area2, r / area2}};
  candidate.point = flg_vec3_scale(n, flg_vec3_dot(n, w[i]) / area2);
  candidate.distance2 = flg_vec3_dot(candidate.point, candidate.point);
  take_better(best, &candidate);
}

/* six times that of a tetrahedron with the origin */
static double volume(flg_vec3 p, flg_vec3 q, flg_vec3 r) {
  return flg_vec3_dot(p, flg_vec3_cross(q, r));
}

/* All four volumes have the sign of their sum: the origin is inside. A flat tetrahedron has a sum
 * of zero, and is not. */
static bool encloses_origin(flg_simplex *simplex) {
  const flg_corner *c = simplex->corners;
  const double v[4] = {volume(c[1].w, c[2].w, c[3].w), -volume(c[0].w, c[2].w, c[3].w),
                       volume(c[0].w, c[1].w, c[3].w), -volume(c[0].w, c[1].w, c[2].w)};
  const double sum = v[0] + v[1] + v[2] + v[3];
  for (int k = 0; k < 4; k++) {
    if (!(v[k] * sum > 0)) return false;
  }
  for (int k = 0; k < 4; k++) simplex->weights[k] = v[k] / sum;
  return true;
}

/* Only parts that hold the last corner: it was added because it is nearer to the origin than all
 * others (GJK; Gilbert, Johnson and Keerthi 1988). */
flg_vec3 flg_simplex_reduce(flg_simplex *simplex) {
  if (simplex->count == 4 && encloses_origin(simplex)) return (flg_vec3){0, 0, 0};
  const int last = simplex->count - 1;
  flg_vec3 w[4];
  for (int k = 0; k <= last; k++) w[k] = simplex->corners[k].w;
  part best = {.distance2 = HUGE_VAL};
  try_corner(w, last, &best);
  for (int i = 0; i < last; i++) {
    try_edge(w, i, last, &best);
    for (int j = i + 1; j < last; j++) try_face(w, i, j, last, &best);
  }
  flg_simplex kept = {.count = best.count};
  for (int k = 0; k < best.count; k++) {
    kept.corners[k] = simplex->corners[best.corners[k]];
    kept.weights[k] = best.weights[k];
  }
  *simplex = kept;
  return best.point;
}
