#include "contact/contact_scene.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/for_each.h"

enum { BATCH = 16, SHAPES_PER_BATCH = 64, SCENE_MOST = 1 << 26, FLAT_MOST = 24, FEW = 24 };

struct flg_contact_scene {
  flg_scene_shape *shapes; /* (shape_count) */
  const flg_material_table *materials;
  const flg_pair_set *pieces_apart;
  uint64_t *apart; /* pairs of shapes, sorted */
  int shape_count, apart_count, body_count;
  int pair_capacity, contact_capacity, slot_capacity;
  flg_threads *threads;
  flg_broad_phase phase;
  flg_pose *poses;          /* (shape_count) in the world */
  flg_bounds *bounds;       /* (shape_count) with half of the margin, and their reach */
  flg_pair *pairs;          /* (pair_capacity) */
  int *starts, *counts;     /* (pair_capacity + 1), (pair_capacity) of the slots of pairs */
  flg_contact_point *slots; /* (slot_capacity) */
  flg_contact *contacts;    /* (contact_capacity) */
  int pair_count, contact_count;
  bool is_flat;               /* all pairs are points above fixed planes: always near ... */
  bool has_room;              /* ... and all their points fit */
  const flg_pose *body_poses; /* of the step */
  const flg_spatial *moves;   /* of the step, or NULL */
  flg_vec3 *ways;             /* (shape_count) how far the middle of each goes */
  double *turns;              /* (shape_count) how far any point of it besides */
  double *travels;            /* (body_count) how far each may come, pushed by what it meets */
  bool is_pushed;             /* bounds have that in them, too */
  double margin;
};

flg_scene_shape flg_scene_shape_default(const flg_contact_shape *shape, int body) {
  return (flg_scene_shape){.shape = shape,
                           .body = body,
                           .pose = flg_pose_identity(),
                           .group = 1,
                           .collides = UINT32_MAX};
}

/* --- set-up ---------------------------------------------------------------------------------- */

typedef struct sizes {
  size_t shapes, bodies, apart, pairs, contacts, slots;
} sizes;

/* Pairs of spheres have one point, those of boxes eight: as many more of the former fit. */
static long listed_pairs(const flg_scene_input *input, long pairs) {
  const long all = (long)input->shape_count * (input->shape_count - 1) / 2;
  return all < pairs * FLG_CONTACT_POINTS_MAX ? all : pairs * FLG_CONTACT_POINTS_MAX;
}

/* Each pair has room for its points; sets have more, and are near to eight others at most. */
static long slots_for(const flg_scene_input *input, long pairs) {
  long slots = pairs * FLG_CONTACT_POINTS_MAX;
  for (int k = 0; k < input->shape_count; k++) slots += 8L * input->shapes[k].shape->point_count;
  return slots;
}

/* Where the caller gives no capacity: eight pairs a shape and four points a pair. More than that is
 * FLG_ERR_CAPACITY in a step, not memory. */
static bool find_scene_sizes(const flg_scene_input *input, sizes *size) {
  if (input->shape_count < 1 || input->shape_count > FLG_BROAD_PHASE_MAX) return false;
  const long pairs = input->pair_capacity > 0 ? input->pair_capacity : 8L * input->shape_count + 64;
  const long contacts = input->contact_capacity > 0 ? input->contact_capacity : 4 * pairs + 64;
  const long slots = slots_for(input, pairs);
  if (pairs > SCENE_MOST || contacts > SCENE_MOST || slots > SCENE_MOST) return false;
  *size = (sizes){.shapes = (size_t)input->shape_count,
                  .bodies = (size_t)input->body_count,
                  .apart = (size_t)input->shapes_apart_count,
                  .pairs = (size_t)listed_pairs(input, pairs),
                  .contacts = (size_t)contacts,
                  .slots = (size_t)slots};
  return true;
}

static void take_scene_memory(flg_contact_scene *s, const sizes *n, flg_region *region) {
  s->shapes = flg_region_take(region, n->shapes, sizeof *s->shapes);
  s->apart = flg_region_take(region, n->apart, sizeof *s->apart);
  s->poses = flg_region_take(region, n->shapes, sizeof *s->poses);
  s->bounds = flg_region_take(region, n->shapes, sizeof *s->bounds);
  s->ways = flg_region_take(region, n->shapes, sizeof *s->ways);
  s->turns = flg_region_take(region, n->shapes, sizeof *s->turns);
  s->travels = flg_region_take(region, n->bodies, sizeof *s->travels);
  s->pairs = flg_region_take(region, n->pairs, sizeof *s->pairs);
  s->starts = flg_region_take(region, n->pairs + 1, sizeof *s->starts);
  s->counts = flg_region_take(region, n->pairs, sizeof *s->counts);
  s->slots = flg_region_take(region, n->slots, sizeof *s->slots);
  s->contacts = flg_region_take(region, n->contacts, sizeof *s->contacts);
}

static flg_status contact_scene_check(const flg_scene_input *input, sizes *size, flg_error *error) {
  if (find_scene_sizes(input, size)) return FLG_OK;
  return flg_fail(error, FLG_ERR_RANGE,
                  "A scene of %d shapes with room for %d pairs and %d contacts is out of range.",
                  input->shape_count, input->pair_capacity, input->contact_capacity);
}

/* Two numbers in one word, the smaller first. */
static uint64_t pair_word(int a, int b) {
  return (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
}

static int compare_words(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static void keep_shapes_apart(flg_contact_scene *s, const flg_scene_input *input) {
  for (int k = 0; k < s->apart_count; k++) {
    s->apart[k] = pair_word(input->shapes_apart[k][0], input->shapes_apart[k][1]);
  }
  if (s->apart_count > 0) {
    qsort(s->apart, (size_t)s->apart_count, sizeof *s->apart, compare_words);
  }
}

static bool is_listed(const flg_contact_scene *s, int a, int b) {
  const uint64_t *words = s->apart, word = pair_word(a, b);
  int low = 0, high = s->apart_count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (words[middle] < word) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < s->apart_count && words[low] == word;
}

static bool is_ground(const flg_scene_shape *shape) {
  return shape->shape->kind == FLG_CONTACT_PLANE || shape->shape->kind == FLG_CONTACT_HEIGHT_FIELD;
}

static bool is_set(const flg_scene_shape *shape) {
  return shape->shape->kind == FLG_CONTACT_POINTS;
}

/* Joints keep what they connect from touching, and parts their own bodies. */
static bool are_connected(const flg_contact_scene *s, const flg_scene_shape *p,
                          const flg_scene_shape *q) {
  if (p->owner != 0 && p->owner == q->owner) return true;
  if (p->piece == 0 || q->piece == 0) return false;
  return p->piece == q->piece ||
         (s->pieces_apart != NULL && flg_pair_set_has(s->pieces_apart, p->piece, q->piece));
}

/* Cheapest first: most pairs are refused by body or group. Grounds do not meet grounds, nor point
 * sets each other. */
static bool may_touch(const void *context, int a, int b) {
  const flg_contact_scene *s = context;
  const flg_scene_shape *p = &s->shapes[a], *q = &s->shapes[b];
  if (p->body == q->body || p->family != q->family) return false;
  if ((p->group & q->collides) == 0 || (q->group & p->collides) == 0) return false;
  return !(is_ground(p) && is_ground(q)) && !(is_set(p) && is_set(q)) && !are_connected(s, p, q) &&
         !is_listed(s, a, b);
}

static bool is_floor(const flg_scene_shape *shape) {
  return shape->shape->kind == FLG_CONTACT_PLANE && shape->body == FLG_WORLD;
}

static bool is_above_floor(const flg_contact_scene *s, int a, int b) {
  const flg_scene_shape *p = &s->shapes[a], *q = &s->shapes[b];
  return (is_floor(p) && is_set(q)) || (is_set(p) && is_floor(q));
}

/* Set-up: the pairs of a scene where points touch fixed planes and nothing else. Their distance
 * costs less than to find out whether they are near. */
static bool list_flat(flg_contact_scene *s) {
  s->pair_count = 0;
  for (int a = 0; a < s->shape_count; a++) {
    for (int b = a + 1; b < s->shape_count; b++) {
      if (!may_touch(s, a, b)) continue;
      if (!is_above_floor(s, a, b) || s->pair_count == s->pair_capacity) return false;
      s->pairs[s->pair_count++] = (flg_pair){a, b};
    }
  }
  return true;
}

/* Where the points of each pair go; false where they do not all fit. */
/* Each pair gets its own slots before points are searched: pairs can then be worked on by any
 * thread, and contacts come out in the order of pairs. */
static bool lay_out_slots(flg_contact_scene *s) {
  const int listed = s->pair_count < s->pair_capacity ? s->pair_count : s->pair_capacity;
  long start = 0;
  for (int k = 0; k < listed; k++) {
    const flg_pair *pair = &s->pairs[k];
    s->starts[k] = (int)start;
    start += flg_contact_points_most(s->shapes[pair->a].shape, s->shapes[pair->b].shape);
  }
  /* pairs that did not fit count with the most that they could have, for the message */
  start += (long)(s->pair_count - listed) * FLG_CONTACT_POINTS_MAX;
  s->contact_count = start > INT_MAX ? INT_MAX : (int)start;
  return start <= s->slot_capacity;
}

int flg_contact_scene_most(const flg_contact_scene *scene, int limit) {
  long points = 0;
  for (int a = 0; a < scene->shape_count; a++) {
    for (int b = a + 1; b < scene->shape_count && points < limit; b++) {
      if (!may_touch(scene, a, b)) continue;
      points += flg_contact_points_most(scene->shapes[a].shape, scene->shapes[b].shape);
    }
  }
  return points < limit ? (int)points : limit;
}

/* Shapes are copied: the caller's array need not last. What they point to (hulls, fields) has
 * to. */
flg_status flg_contact_scene_build(flg_contact_scene **scene, const flg_scene_input *input,
                                   flg_region *region, flg_error *error) {
  sizes n = {0};
  const flg_status status = contact_scene_check(input, &n, error);
  if (status != FLG_OK) return status;
  flg_contact_scene *s = flg_region_take(region, 1, sizeof *s);
  if (s == NULL) return flg_region_check(region, "shapes", error);
  *s = (flg_contact_scene){.materials = input->materials,
                           .pieces_apart = input->pieces_apart,
                           .shape_count = input->shape_count,
                           .apart_count = input->shapes_apart_count,
                           .body_count = input->body_count,
                           .pair_capacity = (int)n.pairs,
                           .contact_capacity = (int)n.contacts,
                           .slot_capacity = (int)n.slots,
                           .threads = input->threads};
  take_scene_memory(s, &n, region);
  if (region->failed) return flg_region_check(region, "shapes", error);
  memcpy(s->shapes, input->shapes, n.shapes * sizeof *s->shapes);
  keep_shapes_apart(s, input);
  s->is_flat = input->shape_count <= FLAT_MOST && list_flat(s);
  s->has_room = s->is_flat && lay_out_slots(s);
  for (int k = 0; k < s->shape_count; k++) s->poses[k] = s->shapes[k].pose;
  *scene = s;
  const flg_status built = flg_broad_phase_build(&s->phase, input->shape_count, region, error);
  s->phase.endless_apart = true; /* grounds do not meet grounds */
  return built;
}

/* --- where they are --------------------------------------------------------------------------- */

/* The way of its middle, straight on, and what its points turn by and its middle leaves that way
 * by. Of endless shapes it is the way of their frame. */
static void find_way(flg_contact_scene *s, int k) {
  const flg_scene_shape *of = &s->shapes[k];
  s->ways[k] = (flg_vec3){0, 0, 0}, s->turns[k] = 0;
  if (s->moves == NULL || of->body == FLG_WORLD) return;
  const flg_spatial *move = &s->moves[of->body];
  const flg_vec3 half = flg_vec3_scale(flg_vec3_subtract(of->shape->upper, of->shape->lower), 0.5);
  const double reach = flg_vec3_norm(half) + of->shape->radius;
  flg_vec3 arm = flg_vec3_subtract(s->poses[k].position, s->body_poses[of->body].position);
  if (isfinite(reach)) {
    const flg_vec3 middle = flg_vec3_add(of->shape->lower, half);
    arm = flg_vec3_add(arm, flg_mat3_apply(&s->poses[k].rotation, middle));
    s->turns[k] = reach * flg_vec3_norm(move->angular);
  }
  s->ways[k] = flg_vec3_add(move->linear, flg_vec3_cross(move->angular, arm));
  s->turns[k] += 0.5 * flg_vec3_norm(flg_vec3_cross(move->angular, s->ways[k]));
}

/* How far two shapes come nearer, without others. */
/* Against each other: two bodies that move together come no nearer, however fast they are. */
static double approach_of(const flg_contact_scene *s, int a, int b) {
  const flg_vec3 against = flg_vec3_subtract(s->ways[a], s->ways[b]);
  return flg_vec3_norm(against) + s->turns[a] + s->turns[b];
}

static double pushed_travel_of(const flg_contact_scene *s, int shape) {
  const int body = s->shapes[shape].body;
  return s->moves == NULL || body == FLG_WORLD ? 0 : s->travels[body];
}

/* How much larger the bounds of a shape are made: by all that it may come. */
static double around(const flg_contact_scene *s, int shape) {
  const double own = flg_vec3_norm(s->ways[shape]) + s->turns[shape];
  return 0.5 * s->margin + own + (s->is_pushed ? pushed_travel_of(s, shape) : 0);
}

static double apart(double lower_a, double upper_a, double lower_b, double upper_b, double both) {
  return fmax(0, fmax(lower_a - upper_b, lower_b - upper_a) + both);
}

/* Shapes that move alike keep their distance. */
static bool may_meet(const flg_contact_scene *s, int a, int b) {
  const flg_bounds *p = &s->bounds[a], *q = &s->bounds[b];
  const double both = around(s, a) + around(s, b);
  const flg_vec3 gap = {apart(p->lower.x, p->upper.x, q->lower.x, q->upper.x, both),
                        apart(p->lower.y, p->upper.y, q->lower.y, q->upper.y, both),
                        apart(p->lower.z, p->upper.z, q->lower.z, q->upper.z, both)};
  const double pushed = s->is_pushed ? pushed_travel_of(s, a) + pushed_travel_of(s, b) : 0;
  return !(flg_vec3_norm(gap) > s->margin + fmax(approach_of(s, a, b), pushed));
}

static bool is_wanted(const void *context, int a, int b) {
  const flg_contact_scene *s = context;
  return may_touch(s, a, b) && (s->moves == NULL || may_meet(s, a, b));
}

static void grow_bounds(flg_bounds *box, double by) {
  box->lower = flg_vec3_subtract(box->lower, (flg_vec3){by, by, by});
  box->upper = flg_vec3_add(box->upper, (flg_vec3){by, by, by});
}

/* In batches of fixed size, whatever the number of threads: each shape is written by one of
 * them. */
static void place_shapes(void *context, int batch) {
  flg_contact_scene *s = context;
  const int first = batch * SHAPES_PER_BATCH, end = first + SHAPES_PER_BATCH;
  for (int k = first; k < end && k < s->shape_count; k++) {
    const flg_scene_shape *shape = &s->shapes[k];
    if (s->is_flat && shape->body == FLG_WORLD) continue; /* as it was at first */
    s->poses[k] = shape->body == FLG_WORLD
                      ? shape->pose
                      : flg_pose_compose(&s->body_poses[shape->body], &shape->pose);
    find_way(s, k);
    if (s->is_flat) continue;
    flg_bounds *box = &s->bounds[k];
    flg_contact_shape_bounds(shape->shape, &s->poses[k], &box->lower, &box->upper);
    grow_bounds(box, around(s, k));
  }
}

/* --- points ---------------------------------------------------------------------------------- */

static bool is_plane(const flg_contact_scene *s, int shape) {
  return s->shapes[shape].shape->kind == FLG_CONTACT_PLANE;
}

/* A plane says quickly that most of what its endless box covers is far above it: its bounds, with
 * all that it may come, do not reach down to it. */
static bool is_far_above(const flg_contact_scene *s, int plane, int other) {
  if (!is_plane(s, plane)) return false;
  const flg_vec3 n = flg_mat3_column(&s->poses[plane].rotation, 2);
  const flg_bounds *box = &s->bounds[other];
  const flg_vec3 low = {n.x > 0 ? box->lower.x : box->upper.x,
                        n.y > 0 ? box->lower.y : box->upper.y,
                        n.z > 0 ? box->lower.z : box->upper.z};
  const flg_vec3 d = flg_vec3_subtract(low, s->poses[plane].position);
  return flg_vec3_dot(n, d) > s->margin + around(s, plane);
}

static void push_shape(flg_contact_scene *s, int shape, double by) {
  const int body = s->shapes[shape].body;
  if (body != FLG_WORLD) s->travels[body] = fmax(s->travels[body], by);
}

static flg_material material_of(const flg_contact_scene *s, int a, int b) {
  return flg_material_between(s->materials, s->shapes[a].material, s->shapes[b].material);
}

/* A body that bounces off centre has corners that are faster afterwards: a rod that is hit at its
 * end, four times as fast at the other one where e = 1. */
static double faster(const flg_contact_scene *s, int a, int b) {
  return 1 + 2 * material_of(s, a, b).restitution;
}

/* as the larger of what either does: which of both was hit is not known yet */
static void push_pair(flg_contact_scene *s, int a, int b) {
  const double by = approach_of(s, a, b) * faster(s, a, b);
  push_shape(s, a, by), push_shape(s, b, by);
}

/* A shape that is hit by a fast one may be as fast before the step ends. */
static void push_neighbours(flg_contact_scene *s) {
  if (s->moves == NULL || s->body_count == 0) return;
  memset(s->travels, 0, (size_t)s->body_count * sizeof *s->travels);
  for (int k = 0; k < s->pair_count; k++) {
    const int a = s->pairs[k].a, b = s->pairs[k].b;
    if (!s->is_flat && (is_far_above(s, a, b) || is_far_above(s, b, a))) continue;
    push_pair(s, a, b);
  }
}

static double margin_of(const flg_contact_scene *s, int a, int b) {
  return s->margin + pushed_travel_of(s, a) + pushed_travel_of(s, b);
}

/* Of the size: a shape that may come so far in a step needs all its corners as contact points. */
static const double FAR = 0.02;

static double size_of_shape(const flg_contact_shape *shape) {
  return flg_vec3_norm(flg_vec3_subtract(shape->upper, shape->lower)) + shape->radius;
}

static bool comes_fast(const flg_contact_scene *s, int a, int b) {
  const double size = fmin(size_of_shape(s->shapes[a].shape), size_of_shape(s->shapes[b].shape));
  return pushed_travel_of(s, a) + pushed_travel_of(s, b) > FAR * size;
}

/* A face that bounces does so at each of its corners, and with fewer of them another way. */
static bool bounces(const flg_contact_scene *s, int a, int b) {
  return material_of(s, a, b).restitution > 0;
}

static void find_points_of(flg_contact_scene *s, int pair, bool all_corners) {
  const int a = s->pairs[pair].a, b = s->pairs[pair].b;
  const int spread = all_corners ? FLG_CONTACT_SPREAD_MAX : FLG_CONTACT_SPREAD;
  s->counts[pair] = flg_contact_distance_spread(
      s->shapes[a].shape, &s->poses[a], s->shapes[b].shape, &s->poses[b], margin_of(s, a, b),
      spread, s->slots + s->starts[pair]);
}

/* far above a plane, nothing is searched: its bounds cover half of the world */
static void find_points(void *context, int batch) {
  flg_contact_scene *s = context;
  const int first = batch * BATCH, end = first + BATCH;
  for (int k = first; k < end && k < s->pair_count; k++) {
    const int a = s->pairs[k].a, b = s->pairs[k].b;
    s->counts[k] = 0;
    if (!s->is_flat && (is_far_above(s, a, b) || is_far_above(s, b, a))) continue;
    /* sets have all their points above planes */
    const bool all_corners =
        !s->is_flat && (bounces(s, a, b) || (s->shape_count > FEW && comes_fast(s, a, b)));
    find_points_of(s, k, all_corners);
  }
}

static double nearest(const flg_contact_scene *s, int pair) {
  double least = HUGE_VAL;
  const flg_contact_point *points = s->slots + s->starts[pair];
  for (int j = 0; j < s->counts[pair]; j++) {
    if (points[j].gap < least) least = points[j].gap;
  }
  return least;
}

/* what the second, smaller margin no longer covers */
static void drop_far(flg_contact_scene *s, int pair, double margin) {
  flg_contact_point *points = s->slots + s->starts[pair];
  int count = 0;
  for (int j = 0; j < s->counts[pair]; j++) {
    if (points[j].gap <= margin) points[count++] = points[j];
  }
  s->counts[pair] = count;
}

/* True if a pair stays too far apart to touch. Overlaps of bounds depend on axes, but contacts must
 * not: the distance decides, and such pairs push no other. In heaps, that is done for planes alone.
 */
static bool is_unmet(const flg_contact_scene *s, int pair) {
  const int a = s->pairs[pair].a, b = s->pairs[pair].b;
  const bool is_asked = s->shape_count <= FEW || is_plane(s, a) || is_plane(s, b);
  return is_asked && nearest(s, pair) > s->margin + approach_of(s, a, b);
}

/* Then the points are those that were looked for: shapes push each other as they did before. */
static bool do_all_meet(const flg_contact_scene *s) {
  for (int k = 0; k < s->pair_count; k++) {
    if (is_unmet(s, k)) return false;
  }
  return true;
}

/* Shapes far above a plane stay there; others may be pushed at each other. */
static void settle_points(flg_contact_scene *s) {
  if (s->moves == NULL || s->body_count == 0) return;
  if (s->is_flat && do_all_meet(s)) return;
  memset(s->travels, 0, (size_t)s->body_count * sizeof *s->travels);
  for (int k = 0; k < s->pair_count; k++) {
    const int a = s->pairs[k].a, b = s->pairs[k].b;
    if (!is_unmet(s, k)) {
      push_pair(s, a, b);
    } else if (is_plane(s, a) || is_plane(s, b)) {
      s->counts[k] = 0;
    }
  }
  for (int k = 0; k < s->pair_count; k++) {
    const int a = s->pairs[k].a, b = s->pairs[k].b, found = s->counts[k];
    drop_far(s, k, margin_of(s, a, b));
    if (s->counts[k] == 0 || s->shape_count > FEW || s->is_flat) continue;
    /* of points that spread, others stay where those that are far now never were; and whether a
     * pair is fast is known now */
    const bool is_fast = !bounces(s, a, b) && comes_fast(s, a, b);
    const bool is_thinned = found >= FLG_CONTACT_SPREAD && s->counts[k] < found;
    if (is_fast || is_thinned) find_points_of(s, k, is_fast || bounces(s, a, b));
  }
}

static bool is_cylinder(const flg_scene_shape *shape) {
  return shape->shape->kind == FLG_CONTACT_CYLINDER;
}

static const double FLAT = 0.1; /* sine of axis and normal: a cylinder on its face */
/* Cylinders are round about their axis, also at their rims, but not where they lie on a face. */
static flg_round round_of(const flg_contact_scene *s, int shape, flg_vec3 point, flg_vec3 normal) {
  const flg_contact_shape *of = s->shapes[shape].shape;
  if (!is_cylinder(&s->shapes[shape])) return (flg_round){.radius = of->radius};
  const flg_vec3 axis = flg_mat3_column(&s->poses[shape].rotation, 2);
  const flg_vec3 along = flg_vec3_cross(axis, normal);
  const double sine = flg_vec3_norm(along);
  if (sine < FLAT) return (flg_round){.radius = 0};
  const flg_vec3 arm = flg_vec3_subtract(point, s->poses[shape].position);
  return (flg_round){.radius = flg_vec3_norm(flg_vec3_cross(axis, arm)) / sine,
                     .along = flg_vec3_scale(along, 1 / sine)};
}

static bool is_same_normal(const flg_contact *before, flg_vec3 n) {
  return before->normal.x == n.x && before->normal.y == n.y && before->normal.z == n.z;
}

/* What all points of a pair have. */
static void set_pair(const flg_contact_scene *s, const flg_pair *pair, flg_contact *to) {
  const flg_scene_shape *a = &s->shapes[pair->a], *b = &s->shapes[pair->b];
  const flg_material m = flg_material_between(s->materials, a->material, b->material);
  to->body_a = a->body, to->body_b = b->body;
  to->shape_a = pair->a, to->shape_b = pair->b;
  to->friction = m.friction, to->restitution = m.restitution;
}

/* Points of one pair often have the same normal, and then the same tangents; before: the last point
 * of the pair, NULL: this is the first. */
static void set_contact(const flg_contact_scene *s, const flg_pair *pair,
                        const flg_contact_point *point, const flg_contact *before,
                        flg_contact *to) {
  const flg_vec3 n = point->normal;
  const bool is_alike = before != NULL && is_same_normal(before, n);
  if (before != NULL) {
    *to = *before;
  } else {
    set_pair(s, pair, to);
  }
  to->point_a = point->a, to->point_b = point->b;
  to->normal = n, to->gap = point->gap;
  to->key = point->key;
  if (!is_alike || is_cylinder(&s->shapes[pair->a]))
    to->round_a = round_of(s, pair->a, point->a, n);
  if (!is_alike || is_cylinder(&s->shapes[pair->b]))
    to->round_b = round_of(s, pair->b, point->b, n);
  if (!is_alike) flg_contact_tangents(n, &to->tangent1, &to->tangent2);
}

/* Counted before anything is written: where they do not fit, the list of before stays whole. */
static flg_status gather_points(flg_contact_scene *s) {
  s->contact_count = 0;
  for (int k = 0; k < s->pair_count; k++) s->contact_count += s->counts[k];
  if (s->contact_count > s->contact_capacity) return FLG_ERR_CAPACITY;
  flg_contact *next = s->contacts;
  for (int k = 0; k < s->pair_count; k++) {
    for (int j = 0; j < s->counts[k]; j++, next++) {
      const flg_contact *before = j > 0 ? next - 1 : NULL;
      set_contact(s, &s->pairs[k], &s->slots[s->starts[k] + j], before, next);
    }
  }
  return FLG_OK;
}

static int batches(int count, int of) {
  return (count + of - 1) / of;
}

void flg_contact_scene_share(flg_contact_scene *scene, flg_threads *threads) {
  scene->threads = threads;
}

static flg_status find_pairs(flg_contact_scene *s) {
  if (s->is_flat) return FLG_OK;
  return flg_broad_phase_pairs(&s->phase, s->bounds, s->shape_count, is_wanted, s, s->pairs,
                               s->pair_capacity, &s->pair_count);
}

/* Bounds have in them what shapes may be pushed, too: with those of their own ways alone, which
 * pairs that come near each other only so are found would be up to the axes. Heaps have no time for
 * that. */
static flg_status find_pushed_pairs(flg_contact_scene *s) {
  double most = 0;
  if (s->is_flat || s->shape_count > FEW || s->moves == NULL) return FLG_OK;
  for (int k = 0; k < s->shape_count; k++) {
    const double by = pushed_travel_of(s, k);
    grow_bounds(&s->bounds[k], by);
    most = fmax(most, by);
  }
  s->is_pushed = most > 0;
  return s->is_pushed ? find_pairs(s) : FLG_OK;
}

flg_status flg_contact_scene_detect(flg_contact_scene *scene, const flg_pose *poses,
                                    const flg_spatial *moves, double margin,
                                    const flg_contact **contacts, int *count) {
  *contacts = scene->contacts;
  *count = 0;
  if (!(margin >= 0) || !isfinite(margin)) return FLG_ERR_RANGE;
  scene->body_poses = poses, scene->moves = moves, scene->margin = margin;
  scene->is_pushed = false;
  flg_for_each(scene->threads, batches(scene->shape_count, SHAPES_PER_BATCH), place_shapes, scene);
  flg_status status = find_pairs(scene);
  if (status == FLG_OK) {
    push_neighbours(scene);
    status = find_pushed_pairs(scene);
  }
  if (!scene->is_flat) scene->has_room = lay_out_slots(scene);
  if (!scene->has_room || status != FLG_OK) return FLG_ERR_CAPACITY;
  flg_for_each(scene->threads, batches(scene->pair_count, BATCH), find_points, scene);
  settle_points(scene);
  status = gather_points(scene);
  if (status == FLG_OK) *count = scene->contact_count;
  return status;
}

/* --- clearances ------------------------------------------------------------------------------ */

static double least_gap(const flg_contact_point *points, int count, double most) {
  for (int k = 0; k < count; k++) most = fmin(most, points[k].gap);
  return most;
}

/* Ground is searched triangle by triangle, in a window as wide as the margin: that is doubled until
 * something is in it, so that a shape near a large field does not visit all of it. */
static double gap_to_field(const flg_contact_shape *shape, const flg_pose *pose,
                           const flg_scene_shape *field, const flg_pose *field_pose, double most,
                           flg_contact_point *points) {
  double margin = fmin(most, size_of_shape(shape) + field->shape->field->spacing_x);
  for (;;) {
    const int count = flg_contact_distance(shape, pose, field->shape, field_pose, margin, points);
    if (count > 0 || margin >= most) return least_gap(points, count, most);
    margin = fmin(2 * margin, most);
  }
}

double flg_contact_scene_gap(flg_contact_scene *scene, int shape, int point, double most) {
  flg_contact_shape own = *scene->shapes[shape].shape;
  const flg_pose *pose = &scene->poses[shape];
  if (point >= 0) own.points += point, own.point_count = 1;
  for (int k = 0; k < scene->shape_count; k++) {
    const flg_scene_shape *other = &scene->shapes[k];
    if (k == shape || !may_touch(scene, shape, k)) continue;
    if (other->shape->kind == FLG_CONTACT_HEIGHT_FIELD) {
      most = gap_to_field(&own, pose, other, &scene->poses[k], most, scene->slots);
    } else if (own.kind == FLG_CONTACT_HEIGHT_FIELD) {
      most = gap_to_field(other->shape, &scene->poses[k], &scene->shapes[shape], pose, most,
                          scene->slots);
    } else {
      const int count =
          flg_contact_distance(&own, pose, other->shape, &scene->poses[k], most, scene->slots);
      most = least_gap(scene->slots, count, most);
    }
  }
  return most;
}

bool flg_contact_scene_needs(const flg_contact_scene *scene, int *pairs, int *contacts) {
  *pairs = scene->pair_count;
  *contacts = scene->contact_count;
  return scene->pair_count <= scene->pair_capacity && scene->contact_count <= scene->slot_capacity;
}
