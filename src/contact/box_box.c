/* box_box.c - two boxes by the 15 axes that can separate them.
 *
 * Where all of them see an overlap, the one that sees the least is the answer: one of the 6 face
 * normals, or of the 9 common perpendiculars of edges. Where one sees a distance over the cutoff,
 * nothing more needs to be known. Between the two, GJK has the exact distance.
 *
 * Boxes that touch with parallel edges, or with corners, are seen alike by several axes and by all
 * directions between these: a roof on a roof has the faces of both. The normal is then the mean of
 * these axes, whichever of the boxes comes first.
 */
#include "contact/core.h"

typedef struct axes {
  const double *half_a, *half_b;
  double r[3][3], magnitude[3][3]; /* axes of B in A's: r[i][j] = a_i . b_j */
  double at_a[3], at_b[3];         /* from A to B, in the axes of each */
} axes;

/* The largest separation, along unit vectors of A's frame. */
typedef struct best_axis {
  double gap;
  int first, second; /* of A, of B; -1: a face normal of the other */
  double sign;
} best_axis;

enum { AXES = 15 };

typedef struct seen_axes {
  int count;
  best_axis all[AXES], best;
} seen_axes;

/* Of the size: boxes that are no farther apart, or in each other, touch. Which features are nearest
 * is rounding there. */
static const double TOUCHING = 1e-8;
/* ... and a little in each other, axes that see exactly the same count alike, too. */
static const double SHALLOW = 1e-3, TIE = 1e-13;
/* Of the size: how much less than GJK an axis may see and still be the normal, apart and where
 * boxes touch, since nearest points have few digits left there. */
static const double WHOLE = 1e-12, NEAREST = 1e-11;
static const double ALIKE = 1 - 1e-9; /* cosine: the same axis */
static const double PARALLEL = 1e-9;  /* sine between edges */

static void prepare_axes(axes *x, const flg_core *a, const flg_core *b, const double half_a[3],
                         const double half_b[3]) {
  const flg_mat3 r = flg_mat3_multiply_transposed(&a->pose.rotation, &b->pose.rotation);
  const flg_vec3 d = flg_vec3_subtract(b->pose.position, a->pose.position);
  flg_vec3_store(flg_mat3_apply_transposed(&a->pose.rotation, d), x->at_a);
  flg_vec3_store(flg_mat3_apply_transposed(&b->pose.rotation, d), x->at_b);
  x->half_a = half_a, x->half_b = half_b;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      x->r[i][j] = r.m[i + 3 * j];
      x->magnitude[i][j] = fabs(x->r[i][j]);
    }
  }
}

static void offer_axis(seen_axes *seen, double along, double reach, double preference, int first,
                       int second) {
  const best_axis axis = {fabs(along) - reach, first, second, along < 0 ? -1 : 1};
  seen->all[seen->count++] = axis;
  if (axis.gap > seen->best.gap + preference) seen->best = axis;
}

/* Ties go to the faces of A, then of B: faces are where several points touch. */
static void search_axes(const axes *x, double tie, seen_axes *seen) {
  const double *p = x->half_a, *q = x->half_b;
  seen->count = 0;
  seen->best = (best_axis){-HUGE_VAL, -1, -1, 1};
  for (int i = 0; i < 3; i++) {
    const double *m = x->magnitude[i];
    offer_axis(seen, x->at_a[i], p[i] + q[0] * m[0] + q[1] * m[1] + q[2] * m[2], tie, i, -1);
  }
  for (int j = 0; j < 3; j++) {
    const double reach =
        p[0] * x->magnitude[0][j] + p[1] * x->magnitude[1][j] + p[2] * x->magnitude[2][j] + q[j];
    offer_axis(seen, x->at_b[j], reach, tie, -1, j);
  }
  for (int i = 0; i < 3; i++) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; j++) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double length = sqrt(x->r[i1][j] * x->r[i1][j] + x->r[i2][j] * x->r[i2][j]);
      if (length < PARALLEL) continue; /* parallel edges: the faces know */
      const double along = x->at_a[i2] * x->r[i1][j] - x->at_a[i1] * x->r[i2][j];
      const double reach = p[i1] * x->magnitude[i2][j] + p[i2] * x->magnitude[i1][j] +
                           q[j1] * x->magnitude[i][j2] + q[j2] * x->magnitude[i][j1];
      offer_axis(seen, along / length, reach / length, tie, i, j);
    }
  }
}

static flg_vec3 axis_of_boxes(const best_axis *best, const flg_core *a, const flg_core *b) {
  flg_vec3 n;
  if (best->second < 0) {
    n = flg_mat3_column(&a->pose.rotation, best->first);
  } else if (best->first < 0) {
    n = flg_mat3_column(&b->pose.rotation, best->second);
  } else {
    n = flg_vec3_normalise(flg_vec3_cross(flg_mat3_column(&a->pose.rotation, best->first),
                                          flg_mat3_column(&b->pose.rotation, best->second)));
  }
  return flg_vec3_scale(n, best->sign);
}

/* The mean of all directions that see no less than the best but for rounding; each counts once.
 * False where there is but one. */
static bool mean_axis(const seen_axes *seen, const flg_core *a, const flg_core *b, double rounding,
                      flg_vec3 *mean) {
  flg_vec3 found[AXES], sum = {0, 0, 0};
  int count = 0;
  for (int k = 0; k < seen->count; k++) {
    if (!(seen->all[k].gap >= seen->best.gap - rounding)) continue;
    const flg_vec3 n = axis_of_boxes(&seen->all[k], a, b);
    bool is_new = true;
    for (int j = 0; j < count && is_new; j++) is_new = flg_vec3_dot(found[j], n) < ALIKE;
    if (!is_new) continue;
    found[count++] = n;
    sum = flg_vec3_add(sum, n);
  }
  if (count < 2) return false;
  *mean = flg_vec3_normalise(sum);
  return true;
}

static flg_vec3 edge_middle(const flg_core *box, flg_vec3 corner, int axis) {
  const double half[3] = {box->half.x, box->half.y, box->half.z};
  const flg_vec3 u = flg_mat3_column(&box->pose.rotation, axis);
  const flg_vec3 d = flg_vec3_subtract(corner, box->pose.position);
  return flg_vec3_add_scaled(corner, flg_vec3_dot(d, u) > 0 ? -half[axis] : half[axis], u);
}

/* The place on A's edge that is nearest to B's. */
static flg_vec3 edge_crossing(const flg_core *a, const flg_core *b, const best_axis *best,
                              flg_vec3 corner_a, flg_vec3 corner_b) {
  const flg_vec3 p = edge_middle(a, corner_a, best->first);
  const flg_vec3 q = edge_middle(b, corner_b, best->second);
  const flg_vec3 u = flg_mat3_column(&a->pose.rotation, best->first);
  const flg_vec3 v = flg_mat3_column(&b->pose.rotation, best->second);
  const flg_vec3 cross = flg_vec3_cross(u, v), d = flg_vec3_subtract(q, p);
  const double s = flg_vec3_dot(flg_vec3_cross(d, v), cross) / flg_vec3_dot(cross, cross);
  return flg_vec3_add_scaled(p, s, u);
}

static void box_box_fill(const flg_core *a, const flg_core *b, const best_axis *best,
                         flg_approach *approach) {
  const flg_vec3 n = axis_of_boxes(best, a, b);
  *approach = (flg_approach){.gap = best->gap, .normal = n};
  const flg_vec3 p = flg_core_support(a, n, &approach->vertex_a);
  const flg_vec3 q = flg_core_support(b, flg_vec3_negate(n), &approach->vertex_b);
  if (best->second < 0) {
    approach->a = flg_vec3_add_scaled(q, -best->gap, n);
  } else if (best->first < 0) {
    approach->a = p;
  } else {
    approach->a = edge_crossing(a, b, best, p, q);
  }
  approach->b = flg_vec3_add_scaled(approach->a, best->gap, n);
}

static double distance_to(const flg_core *box, flg_vec3 point) {
  const flg_core at = flg_core_point(point, 0);
  flg_approach approach;
  flg_approach_point_box(&at, box, &approach);
  return approach.gap;
}

/* Boxes that touch: with the mean normal, where the corner of one is on the other. */
static void take_mean(const seen_axes *seen, const flg_core *a, const flg_core *b, double touching,
                      flg_approach *approach) {
  flg_vec3 mean;
  if (!mean_axis(seen, a, b, touching, &mean)) return;
  const flg_vec3 p = flg_core_support(a, mean, &approach->vertex_a);
  const flg_vec3 q = flg_core_support(b, flg_vec3_negate(mean), &approach->vertex_b);
  const bool by_a = fabs(distance_to(b, p)) <= fabs(distance_to(a, q));
  approach->normal = mean;
  approach->gap = fmax(approach->gap, flg_vec3_dot(mean, flg_vec3_subtract(q, p)));
  approach->a = by_a ? p : flg_vec3_add_scaled(q, -approach->gap, mean);
  approach->b = flg_vec3_add_scaled(approach->a, approach->gap, mean);
}

bool flg_approach_boxes(const flg_core *a, const flg_core *b, double cutoff,
                        flg_approach *approach) {
  const double half_a[3] = {a->half.x, a->half.y, a->half.z};
  const double half_b[3] = {b->half.x, b->half.y, b->half.z};
  const double size = fmax(a->size, b->size), touching = TOUCHING * size;
  axes x;
  seen_axes seen;
  prepare_axes(&x, a, b, half_a, half_b);
  search_axes(&x, TIE * size, &seen);
  const double gap = seen.best.gap;
  const bool apart = gap > NEAREST * size;
  if (gap > cutoff) return false;
  if (apart && !flg_approach_convex(a, b, cutoff, approach)) return false;
  /* an axis that sees the whole distance is its normal, exactly; points that are 1e-11 apart know
   * it to five digits only */
  const double unseen = (gap > touching ? WHOLE : NEAREST) * size;
  if (!apart || !(approach->gap > gap + unseen)) box_box_fill(a, b, &seen.best, approach);
  if (fabs(approach->gap) <= touching) {
    take_mean(&seen, a, b, touching, approach);
  } else if (approach->gap < 0 && approach->gap > -SHALLOW * size) {
    take_mean(&seen, a, b, TIE * size, approach);
  }
  return true;
}
