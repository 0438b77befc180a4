#include "contact/manifold.h"

static const double FACING = 0.996;   /* cosine: a face this near to the normal is touched as one */
static const double LOOKING = 0.7;    /* cosine: what moves may come to lie on a face this near */
static const double CLEARLY = 1e-9;   /* of the size: farther than the nearest points */
static const double PARALLEL = 0.005; /* sine: lines this near to parallel touch along them */
static const double SHARP_LINES = 1e-6; /* sine, where both are edges */
static const double SHARP = 1 - 1e-12;  /* cosine: the normal is that of the face */
static const double EQUAL_FACES = 1e-6; /* cosine: faces that look alike at each other */
/* of the size: gaps that differ by rounding alone; points in one place */
static const double SAME_GAP = 1e-13, SAME_PLACE = 1e-6;
/* of the size: a face that leans by less lies flat: laws of contact take corners for closed that
 * are so near */
static const double LIES_FLAT = 1e-8;
/* of the size: what is no farther outside is still inside. Corners on corners would have no point
 * otherwise; and equal boxes on each other keep their points while they tremble. */
static const double BORDER = 1e-6;

/* A corner of the polygon that is left of the incident feature. */
typedef struct clip_point {
  flg_vec3 point;
  int edge; /* that leaves it: of the incident feature, or -1 - edge of the reference */
  uint32_t reference, incident; /* codes */
} clip_point;

typedef struct clip {
  const flg_core *reference_core, *incident_core;
  const flg_feature *reference, *incident;
  double size;
  int count;
  clip_point points[2 * FLG_FEATURE_MOST];
} clip;

static uint32_t code(const flg_core *core, int type, int index) {
  if (core->kind == FLG_CORE_TRIANGLE) {
    return (uint32_t)(8 * core->number + (type == FLG_CODE_FACE ? 0 : type + index));
  }
  return (uint32_t)(8 * index + type);
}

void flg_manifold_add(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                      flg_contact_point point) {
  if (manifold->count == FLG_MANIFOLD_MOST) return;
  point.a = flg_vec3_add_scaled(point.a, a->radius, point.normal);
  point.b = flg_vec3_add_scaled(point.b, -b->radius, point.normal);
  point.gap -= a->radius + b->radius;
  manifold->points[manifold->count++] = point;
}

/* --- clipping -------------------------------------------------------------------------------- */

static void begin_clip(clip *c) {
  const flg_feature *f = c->incident;
  const uint32_t face = code(c->reference_core, FLG_CODE_FACE, c->reference->face);
  c->count = f->count;
  for (int k = 0; k < f->count; k++) {
    c->points[k] = (clip_point){f->points[k], k, face,
                                code(c->incident_core, FLG_CODE_VERTEX, f->vertices[k])};
  }
}

/* Where the edge that leaves `from` crosses edge `at` of the reference. */
static clip_point crossing(const clip *c, const clip_point *from, const clip_point *to, int at,
                           double height_from, double height_to) {
  const double t = fmax(0, fmin(1, height_from / (height_from - height_to)));
  const flg_vec3 along = flg_vec3_subtract(to->point, from->point);
  clip_point made = {.point = flg_vec3_add_scaled(from->point, t, along)};
  if (from->edge >= 0) {
    made.reference = code(c->reference_core, FLG_CODE_EDGE, c->reference->vertices[at]);
    made.incident = code(c->incident_core, FLG_CODE_EDGE, c->incident->vertices[from->edge]);
  } else {
    /* two edges of the reference: its corner, over the face of the incident */
    const int other = -1 - from->edge;
    const int corner = (other + 1) % c->reference->count == at ? at : other;
    made.reference = code(c->reference_core, FLG_CODE_VERTEX, c->reference->vertices[corner]);
    made.incident = code(c->incident_core, FLG_CODE_FACE, c->incident->face);
  }
  return made;
}

/* Keeps what is on the inner side of one edge of the reference (Sutherland and Hodgman). */
static void cut(clip *c, int at, flg_vec3 along) {
  const flg_feature *r = c->reference;
  const flg_vec3 p = r->points[at], q = r->points[(at + 1) % r->count];
  const flg_vec3 inward = flg_vec3_cross(along, flg_vec3_subtract(q, p));
  const int count = c->count, edges = count == 2 ? 1 : count;
  const double slack = -BORDER * c->size * flg_vec3_norm(inward);
  double heights[2 * FLG_FEATURE_MOST];
  clip_point old[2 * FLG_FEATURE_MOST];
  for (int k = 0; k < count; k++) {
    old[k] = c->points[k];
    heights[k] = flg_vec3_dot(inward, flg_vec3_subtract(old[k].point, p));
  }
  c->count = 0;
  for (int k = 0; k < count; k++) {
    const int next = (k + 1) % count;
    const bool inside = heights[k] >= slack;
    if (inside) c->points[c->count++] = old[k];
    if (k >= edges || inside == (heights[next] >= slack)) continue;
    clip_point made = crossing(c, &old[k], &old[next], at, heights[k], heights[next]);
    /* leaving, the border goes on along the reference; coming back, along the old edge */
    made.edge = inside && count > 2 ? -1 - at : old[k].edge;
    if (c->count < 2 * FLG_FEATURE_MOST) c->points[c->count++] = made;
  }
}

/* Adds a corner that is left, with its foot on the plane of the reference. */
static void add_clipped(flg_manifold *manifold, const clip *c, const clip_point *p, bool by_a,
                        flg_vec3 normal, double margin) {
  const flg_core *a = by_a ? c->reference_core : c->incident_core;
  const flg_core *b = by_a ? c->incident_core : c->reference_core;
  const flg_feature *r = c->reference;
  const double over = flg_vec3_dot(r->normal, flg_vec3_subtract(p->point, r->points[0])) /
                      flg_vec3_dot(r->normal, normal);
  const double gap = by_a ? over : -over;
  if (!(gap - a->radius - b->radius < margin)) return;
  const flg_vec3 foot = flg_vec3_add_scaled(p->point, -over, normal);
  const flg_contact_point point = {.a = by_a ? foot : p->point,
                                   .b = by_a ? p->point : foot,
                                   .normal = normal,
                                   .gap = gap,
                                   .key = by_a ? flg_contact_key(p->reference, p->incident)
                                               : flg_contact_key(p->incident, p->reference)};
  flg_manifold_add(manifold, a, b, point);
}

void flg_manifold_clip(flg_manifold *manifold, const flg_core *a, const flg_core *b, bool by_a,
                       const flg_feature *reference, const flg_feature *incident, flg_vec3 sight,
                       flg_vec3 normal, double margin) {
  clip c = {.reference_core = by_a ? a : b,
            .incident_core = by_a ? b : a,
            .reference = reference,
            .incident = incident,
            .size = fmax(a->size, b->size)};
  begin_clip(&c);
  for (int k = 0; k < reference->count && c.count > 0; k++) cut(&c, k, sight);
  for (int k = 0; k < c.count; k++) {
    add_clipped(manifold, &c, &c.points[k], by_a, normal, margin);
  }
}

/* --- lines ----------------------------------------------------------------------------------- */

static flg_vec3 on_line(const flg_feature *line, flg_vec3 u, double at) {
  const flg_vec3 v = flg_vec3_subtract(line->points[1], line->points[0]);
  const double along = flg_vec3_dot(v, u);
  const double t = (at - flg_vec3_dot(line->points[0], u)) / along;
  return flg_vec3_add_scaled(line->points[0], t, v);
}

/* The number of a line in keys: edges of polygons come after those of round shapes. */
static int line_number(const flg_feature *line, int end) {
  enum { EDGES = 1 << 20 };
  return line->face < 0 ? EDGES + 2 * line->vertices[0] + end : end;
}

/* Two lines beside each other: the two ends of where they are, along the direction between both
 * and in the middle between both, so that neither of them counts more. */
static void add_lines(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                      const flg_feature *fa, const flg_feature *fb, flg_vec3 normal,
                      double margin) {
  const flg_vec3 along_a = flg_vec3_normalise(flg_vec3_subtract(fa->points[1], fa->points[0]));
  const flg_vec3 along_b = flg_vec3_normalise(flg_vec3_subtract(fb->points[1], fb->points[0]));
  const bool sharp = a->radius == 0 && b->radius == 0 && fa->face < 0 && fb->face < 0;
  if (flg_vec3_norm(flg_vec3_cross(along_a, along_b)) > (sharp ? SHARP_LINES : PARALLEL)) return;
  const double same = flg_vec3_dot(along_a, along_b) < 0 ? -1 : 1;
  const flg_vec3 u = flg_vec3_normalise(flg_vec3_add_scaled(along_a, same, along_b));
  const double b0 = flg_vec3_dot(fb->points[0], u), b1 = flg_vec3_dot(fb->points[1], u);
  const double low = fmax(flg_vec3_dot(fa->points[0], u), fmin(b0, b1));
  const double high = fmin(flg_vec3_dot(fa->points[1], u), fmax(b0, b1));
  if (!(high > low)) return;
  for (int k = 0; k < 2; k++) {
    const double at = k == 0 ? low : high;
    const flg_vec3 p = on_line(fa, u, at), q = on_line(fb, u, at), across = flg_vec3_subtract(q, p);
    const double gap = flg_vec3_dot(normal, across);
    if (!(gap - a->radius - b->radius < margin)) continue;
    const flg_vec3 beside = flg_vec3_add_scaled(across, -gap, normal);
    if (sharp && flg_vec3_norm(beside) > SHARP_LINES * fmax(a->size, b->size)) continue;
    flg_contact_point point = {.normal = normal, .gap = gap};
    point.a = flg_vec3_add_scaled(p, 0.5, beside);
    point.b = flg_vec3_add_scaled(point.a, gap, normal);
    point.key = flg_contact_key(code(a, FLG_CODE_EDGE, line_number(fa, k)),
                                code(b, FLG_CODE_EDGE, line_number(fb, 0)));
    flg_manifold_add(manifold, a, b, point);
  }
}

/* The line of a feature that lies farthest in the direction and across to it: an edge of a polygon
 * (with face -1), or the feature itself. */
static bool farthest_line(const flg_feature *feature, flg_vec3 direction, flg_feature *line) {
  double top = -HUGE_VAL, farthest = -HUGE_VAL;
  line->count = 0;
  if (feature->count == 2) *line = *feature;
  for (int k = 0; k < feature->count; k++)
    top = fmax(top, flg_vec3_dot(feature->points[k], direction));
  for (int k = 0; k < feature->count && feature->count > 2; k++) {
    const int next = (k + 1) % feature->count;
    const flg_vec3 p = feature->points[k], q = feature->points[next];
    const double low = flg_vec3_dot(p, direction), high = flg_vec3_dot(q, direction);
    const double length = flg_vec3_norm(flg_vec3_subtract(q, p));
    if (!(fmin(low, high) >= top - PARALLEL * length) || !(low + high > farthest)) continue;
    farthest = low + high;
    const bool ahead = feature->vertices[k] < feature->vertices[next];
    line->count = 2, line->face = -1;
    line->points[0] = ahead ? p : q, line->points[1] = ahead ? q : p;
    line->vertices[0] = feature->vertices[ahead ? k : next];
    line->vertices[1] = feature->vertices[ahead ? next : k];
  }
  return line->count == 2;
}

/* Edges and lines of round shapes along each other. */
static void add_edges(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                      const flg_feature *fa, const flg_feature *fb, flg_vec3 normal,
                      double margin) {
  flg_feature line_a, line_b;
  if (!farthest_line(fa, normal, &line_a) || !farthest_line(fb, flg_vec3_negate(normal), &line_b))
    return;
  add_lines(manifold, a, b, &line_a, &line_b, normal, margin);
}

/* --- all together ---------------------------------------------------------------------------- */

static double facing(const flg_feature *feature, flg_vec3 direction) {
  return feature->count < 3 ? -1 : flg_vec3_dot(feature->normal, direction);
}

static bool is_round(const flg_core *core) {
  return core->kind == FLG_CORE_POINT;
}

void flg_manifold_add_nearest(flg_manifold *manifold, int first, const flg_core *a,
                              const flg_core *b, const flg_approach *approach, double margin) {
  const double gap = approach->gap - a->radius - b->radius;
  const double slack = SAME_GAP * fmax(a->size, b->size);
  if (!(gap < margin)) return;
  for (int k = first; k < manifold->count; k++) {
    if (manifold->points[k].gap <= gap + slack) return;
  }
  const flg_contact_point point = {
      .a = approach->a,
      .b = approach->b,
      .normal = approach->normal,
      .gap = approach->gap,
      .key = flg_contact_key((uint32_t)(8 * a->number + FLG_CODE_NEAREST),
                             (uint32_t)(8 * b->number + FLG_CODE_NEAREST))};
  flg_manifold_add(manifold, a, b, point);
}

/* How far apart the cores are along n. */
static double separation(const flg_core *a, const flg_core *b, flg_vec3 n,
                         const flg_approach *guess) {
  int vertex_a = guess->vertex_a, vertex_b = guess->vertex_b;
  const flg_vec3 p = flg_core_support(a, n, &vertex_a);
  const flg_vec3 q = flg_core_support(b, flg_vec3_negate(n), &vertex_b);
  return flg_vec3_dot(n, flg_vec3_subtract(q, p));
}

/* Takes the exact normal of a face for one that was found by walking, if it sees no less. */
static void sharpen(const flg_core *a, const flg_core *b, flg_vec3 n, double facing, double *seen,
                    flg_approach *approach) {
  if (facing < SHARP) return;
  if (*seen == -HUGE_VAL) *seen = separation(a, b, approach->normal, approach);
  const double sees = separation(a, b, n, approach);
  if (sees < *seen) return;
  *seen = sees;
  approach->gap = sees, approach->normal = n;
  approach->b = flg_vec3_add_scaled(approach->a, sees, n);
}

static void drop_under(flg_manifold *manifold, int first, double least) {
  int count = first;
  for (int k = first; k < manifold->count; k++) {
    if (manifold->points[k].gap > least) manifold->points[count++] = manifold->points[k];
  }
  manifold->count = count;
}

/* Clips one face by the edges of the other. */
static void add_faces(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                      const flg_feature *fa, const flg_feature *fb, bool by_a, flg_vec3 normal,
                      double margin) {
  const flg_feature *reference = by_a ? fa : fb, *incident = by_a ? fb : fa;
  const flg_vec3 sight = by_a ? normal : flg_vec3_negate(normal);
  flg_manifold_clip(manifold, a, b, by_a, reference, incident, sight, normal, margin);
}

/* The nearest points are those of edges, and corners may come down on a face all the same before
 * the step ends: their gaps are along the normal of the face. */
static void add_ahead(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                      const flg_feature *fa, const flg_feature *fb, bool by_a, double nearest,
                      double margin) {
  const int first = manifold->count;
  const flg_vec3 normal = by_a ? fa->normal : flg_vec3_negate(fb->normal);
  if (a->radius > 0 || b->radius > 0 || fa->count < 3 || fb->count < 3) return;
  add_faces(manifold, a, b, fa, fb, by_a, normal, margin);
  drop_under(manifold, first, fmax(0, nearest) + CLEARLY * fmax(a->size, b->size));
}

static void add_features(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                         flg_approach *approach, double margin) {
  flg_feature fa, fb;
  const flg_vec3 n = approach->normal, against = flg_vec3_negate(n);
  flg_core_feature(a, n, &fa);
  flg_core_feature(b, against, &fb);
  const double facing_a = facing(&fa, n), facing_b = facing(&fb, against);
  double seen = -HUGE_VAL;
  sharpen(a, b, flg_vec3_negate(fb.normal), facing_b, &seen, approach);
  sharpen(a, b, fa.normal, facing_a, &seen, approach);
  /* nearly equal ones go to A, so that rounding does not change the reference */
  const bool by_a = facing_a >= facing_b - EQUAL_FACES;
  const double better = by_a ? facing_a : facing_b;
  if (better >= FACING) {
    add_faces(manifold, a, b, &fa, &fb, by_a, approach->normal, margin);
    return;
  }
  add_edges(manifold, a, b, &fa, &fb, approach->normal, margin);
  if (better >= LOOKING) add_ahead(manifold, a, b, &fa, &fb, by_a, approach->gap, margin);
}

/* No point is deeper than the deepest: along a normal that is off by rounding one could seem so. */
static void limit_depths(flg_manifold *manifold, int first, double least) {
  for (int k = first; k < manifold->count; k++) {
    flg_contact_point *p = &manifold->points[k];
    if (!(p->gap < least)) continue;
    p->gap = least;
    p->b = flg_vec3_add_scaled(p->a, least, p->normal);
  }
}

void flg_manifold_build(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                        const flg_approach *approach, double margin) {
  const int first = manifold->count;
  flg_approach nearest = *approach;
  if (!is_round(a) && !is_round(b)) add_features(manifold, a, b, &nearest, margin);
  limit_depths(manifold, first, nearest.gap - a->radius - b->radius);
  flg_manifold_add_nearest(manifold, first, a, b, &nearest, margin);
}

/* --- thinning out ---------------------------------------------------------------------------- */

static double distance2(const flg_contact_point *p, const flg_contact_point *q) {
  const flg_vec3 d = flg_vec3_subtract(p->a, q->a);
  return flg_vec3_dot(d, d);
}

static int deepest(const flg_manifold *manifold) {
  int best = 0;
  for (int k = 1; k < manifold->count; k++) {
    if (manifold->points[k].gap < manifold->points[best].gap) best = k;
  }
  return best;
}

/* Features last from step to step; the nearest point wanders. So the spread is chosen among
 * features, where there are enough of them. */
static bool is_lasting(const flg_contact_point *point) {
  return (point->key & 7) != FLG_CODE_NEAREST;
}

static int find_lasting(const flg_manifold *manifold, int most, bool *eligible) {
  int count = 0;
  for (int k = 0; k < manifold->count; k++) count += is_lasting(&manifold->points[k]);
  for (int k = 0; k < manifold->count; k++) {
    eligible[k] = count < most || is_lasting(&manifold->points[k]);
  }
  return count < most ? manifold->count : count;
}

/* The point farthest from the middle comes first. It has to win clearly, so that rounding does not
 * choose another one in the next step. */
static int outermost(const flg_manifold *manifold, const bool *eligible, int count) {
  flg_contact_point middle = {.gap = 0};
  for (int k = 0; k < manifold->count; k++) {
    if (eligible[k]) middle.a = flg_vec3_add_scaled(middle.a, 1.0 / count, manifold->points[k].a);
  }
  int best = -1;
  double most = -1;
  for (int k = 0; k < manifold->count; k++) {
    const double far = distance2(&middle, &manifold->points[k]);
    if (eligible[k] && far > 1.001 * most) most = far, best = k;
  }
  return best;
}

/* The point that is farthest from those that were chosen; -1 where all are at one of them. */
static int farthest(const flg_manifold *manifold, const bool *eligible, int chosen, double *nearest,
                    double size) {
  double most = SAME_PLACE * SAME_PLACE * size * size;
  int best = -1;
  for (int k = 0; k < manifold->count; k++) {
    nearest[k] = fmin(nearest[k], distance2(&manifold->points[k], &manifold->points[chosen]));
    if (eligible[k] && nearest[k] > 1.001 * most) most = nearest[k], best = k;
  }
  return best;
}

/* Keeps the points of an ascending choice. */
static void keep_points(flg_manifold *manifold, const bool *chosen) {
  int count = 0;
  for (int k = 0; k < manifold->count; k++) {
    if (chosen[k]) manifold->points[count++] = manifold->points[k];
  }
  manifold->count = count;
}

/* The lowest point of a face that lies flat would wander around its rim, and carry: its gap goes to
 * the nearest of the chosen points along the same normal. False: there is none. */
static bool lower_nearest(flg_manifold *manifold, const bool *chosen, int lowest) {
  const flg_contact_point *from = &manifold->points[lowest];
  flg_contact_point *to = NULL;
  for (int k = 0; k < manifold->count; k++) {
    flg_contact_point *point = &manifold->points[k];
    if (!chosen[k] || !(flg_vec3_dot(point->normal, from->normal) >= SHARP)) continue;
    if (to == NULL || distance2(from, point) < distance2(from, to)) to = point;
  }
  if (to == NULL) return false;
  to->gap = from->gap;
  to->b = flg_vec3_add_scaled(to->a, to->gap, to->normal);
  return true;
}

void flg_manifold_thin(flg_manifold *manifold, int most, double size, bool has_faces) {
  if (manifold->count <= most) return;
  double nearest[FLG_MANIFOLD_MOST];
  bool chosen[FLG_MANIFOLD_MOST] = {false}, eligible[FLG_MANIFOLD_MOST];
  const int count = find_lasting(manifold, most, eligible);
  for (int k = 0; k < manifold->count; k++) nearest[k] = HUGE_VAL;
  double reached = HUGE_VAL;
  int next = outermost(manifold, eligible, count);
  for (int k = 0; k < most && next >= 0; k++) {
    chosen[next] = true;
    reached = fmin(reached, manifold->points[next].gap);
    next = farthest(manifold, eligible, next, nearest, size);
  }
  const int lowest = deepest(manifold);
  /* two rectangles have eight corners in common at most: all of them, where the deepest is one, so
   * that it is not their order that leaves one out */
  if (most == FLG_CONTACT_SPREAD_MAX && count == most + 1 && next >= 0) {
    const double all = fmin(reached, manifold->points[next].gap);
    chosen[next] = all - manifold->points[lowest].gap <= SAME_GAP * size;
    if (chosen[next]) reached = all;
  }
  const double deeper = reached - manifold->points[lowest].gap;
  if (deeper > SAME_GAP * size) {
    const bool is_flat = has_faces && deeper <= LIES_FLAT * size;
    chosen[lowest] = !is_flat || !lower_nearest(manifold, chosen, lowest);
  }
  keep_points(manifold, chosen);
}

void flg_manifold_sort(flg_manifold *manifold) {
  for (int k = 1; k < manifold->count; k++) {
    const flg_contact_point point = manifold->points[k];
    int at = k;
    for (; at > 0 && manifold->points[at - 1].key > point.key; at--) {
      manifold->points[at] = manifold->points[at - 1];
    }
    manifold->points[at] = point;
  }
}
