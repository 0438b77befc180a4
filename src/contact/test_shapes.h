/* test_shapes.h - random shapes and poses, and answers that owe nothing to the code under test.
 *
 * Everything rests on supports, written a second time here for whole shapes (radius included):
 *
 *     separation(n) = -h_A(n) - h_B(-n)
 *
 * No n sees more than the signed distance, and one sees just that. So for shapes that are apart a
 * direction and a pair of points of the same distance prove each other. For shapes that overlap
 * all directions are searched: all axes that polytopes have, and many others, with refinement.
 */
#ifndef FLG_CONTACT_TEST_SHAPES_H
#define FLG_CONTACT_TEST_SHAPES_H

#include "check.h"
#include "contact/distance.h"

enum { HULLS = 12, CLOUD = 20, SETS = 4, SET_POINTS = 6 };

typedef struct test_world {
  flg_region region;
  flg_hull hulls[HULLS];
  flg_vec3 sets[SETS][SET_POINTS];
  random_source source;
} test_world;

static inline flg_vec3 random_vector(random_source *source, double reach) {
  return (flg_vec3){random_uniform(source, -reach, reach), random_uniform(source, -reach, reach),
                    random_uniform(source, -reach, reach)};
}

static inline flg_vec3 random_direction(random_source *source) {
  for (;;) {
    const flg_vec3 v = random_vector(source, 1);
    const double length = flg_vec3_norm(v);
    if (length > 0.1 && length < 1) return flg_vec3_normalise(v);
  }
}

static inline flg_mat3 random_rotation(random_source *source) {
  const flg_quat q = {random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                      random_uniform(source, -1, 1), random_uniform(source, -1, 1)};
  return flg_quat_to_matrix(flg_quat_normalise(q));
}

/* Clouds, prisms and pyramids. */
static inline void random_cloud(random_source *source, int which, flg_vec3 cloud[CLOUD]) {
  for (int k = 0; k < CLOUD; k++) {
    cloud[k] = random_vector(source, 0.6);
    const double angle = 2.0943951023931953 * k; /* three times round */
    const int corners = 3 + which;
    const double turn = 6.283185307179586 * (k / 2) / corners;
    if (which % 3 == 1) {
      cloud[k] = (flg_vec3){0.5 * cos(turn), 0.5 * sin(turn), k % 2 ? 0.3 : -0.4};
    }
    if (which % 3 == 2) {
      cloud[k] =
          k == 0 ? (flg_vec3){0, 0, 0.7} : (flg_vec3){0.5 * cos(angle), 0.5 * sin(angle), -0.2};
    }
  }
}

static inline test_world *make_world(uint64_t seed) {
  test_world *world = calloc(1, sizeof *world);
  assert_non_null(world);
  world->source.state = seed;
  world->region = (flg_region){0};
  for (int k = 0; k < HULLS; k++) {
    flg_vec3 cloud[CLOUD];
    random_cloud(&world->source, k, cloud);
    assert_int_equal(flg_hull_build(&world->hulls[k], cloud, CLOUD, &world->region, NULL), FLG_OK);
  }
  for (int k = 0; k < SETS * SET_POINTS; k++) {
    world->sets[k / SET_POINTS][k % SET_POINTS] = random_vector(&world->source, 0.5);
  }
  return world;
}

static inline void drop_world(test_world *world) {
  flg_region_release(&world->region);
  free(world);
}

static inline double random_size(random_source *source) {
  const int which = random_integer(source, 0, 9);
  if (which == 0) return random_uniform(source, 0.005, 0.02);
  return which < 4 ? 0.25 * random_integer(source, 1, 4) : random_uniform(source, 0.1, 1);
}

static inline flg_contact_shape random_shape(test_world *world, flg_contact_kind kind) {
  random_source *source = &world->source;
  flg_contact_shape shape = {.kind = kind};
  flg_status status = FLG_OK;
  const double size = random_size(source), other = random_size(source);
  switch (kind) {
    case FLG_CONTACT_SPHERE:
      status = flg_contact_shape_sphere(&shape, size, NULL);
      break;
    case FLG_CONTACT_CAPSULE:
      status = flg_contact_shape_capsule(&shape, size, 2 * other, NULL);
      break;
    case FLG_CONTACT_BOX:
      status = flg_contact_shape_box(&shape, (flg_vec3){size, other, random_size(source)}, NULL);
      break;
    case FLG_CONTACT_CYLINDER:
      status = flg_contact_shape_cylinder(&shape, size, other, NULL);
      break;
    case FLG_CONTACT_CONVEX:
      flg_contact_shape_convex(&shape, &world->hulls[random_integer(source, 0, HULLS - 1)]);
      break;
    case FLG_CONTACT_POINTS:
      status = flg_contact_shape_points(&shape, world->sets[random_integer(source, 0, SETS - 1)],
                                        SET_POINTS, NULL);
      break;
    default:
      flg_contact_shape_plane(&shape);
  }
  assert_int_equal(status, FLG_OK);
  return shape;
}

/* --- supports -------------------------------------------------------------------------------- */

static inline flg_vec3 own_support(const flg_contact_shape *s, flg_vec3 d) {
  const double across = sqrt(d.x * d.x + d.y * d.y), length = flg_vec3_norm(d);
  switch (s->kind) {
    case FLG_CONTACT_SPHERE:
      return flg_vec3_scale(d, s->radius / length);
    case FLG_CONTACT_CAPSULE:
      return flg_vec3_add_scaled((flg_vec3){0, 0, copysign(s->half.z, d.z)}, s->radius / length, d);
    case FLG_CONTACT_BOX:
      return (flg_vec3){copysign(s->half.x, d.x), copysign(s->half.y, d.y),
                        copysign(s->half.z, d.z)};
    case FLG_CONTACT_CYLINDER:
      return (flg_vec3){across > 0 ? s->half.x * d.x / across : 0,
                        across > 0 ? s->half.x * d.y / across : 0, copysign(s->half.z, d.z)};
    default:
      break;
  }
  const flg_vec3 *points = s->kind == FLG_CONTACT_POINTS ? s->points : s->hull->vertices;
  const int count = s->kind == FLG_CONTACT_POINTS ? s->point_count : s->hull->vertex_count;
  int best = 0;
  double most = flg_vec3_dot(points[0], d);
  for (int k = 1; k < count; k++) {
    const double height = flg_vec3_dot(points[k], d);
    if (height > most) most = height, best = k; /* a search */
  }
  return points[best];
}

/* h(n) of the shape where it is */
static inline double height_in(const flg_contact_shape *s, const flg_pose *pose, flg_vec3 n) {
  const flg_vec3 d = flg_mat3_apply_transposed(&pose->rotation, n);
  return flg_vec3_dot(own_support(s, d), d) + flg_vec3_dot(pose->position, n);
}

typedef struct test_pair {
  flg_contact_shape a, b;
  flg_pose pose_a, pose_b;
} test_pair;

static inline double separation(const test_pair *p, flg_vec3 n) {
  return -height_in(&p->a, &p->pose_a, n) - height_in(&p->b, &p->pose_b, flg_vec3_negate(n));
}

/* --- poses ----------------------------------------------------------------------------------- */

typedef enum pose_kind {
  ANYHOW,     /* both turned at random, gap from -0.2 to 0.2 */
  ALIGNED,    /* quarter turns */
  TOUCHING,   /* quarter turns, gap 0 along an axis */
  NEARLY,     /* turned by 1e-10 .. 1e-3 from aligned, gap -1e-3 .. 1e-3 */
  EIGHTHS,    /* turns by 45 degrees: edges on edges, corners on faces */
  DEEP,       /* nearly concentric */
  CONCENTRIC, /* exactly so */
  CORNERS,    /* the extreme points of both in one place, or 1e-9 apart */
  SHIFTED,    /* aligned and touching, then slid along the face */
  POSE_KINDS
} pose_kind;

static inline flg_mat3 grid_rotation(random_source *source, double unit) {
  flg_mat3 r = flg_mat3_identity();
  for (int k = 0; k < 3; k++) {
    const flg_vec3 axis = {k == 0, k == 1, k == 2};
    const double angle = unit * random_integer(source, 0, 7);
    double c = cos(angle), s = sin(angle);
    if (fabs(c) < 1e-12) c = 0;
    if (fabs(s) < 1e-12) s = 0;
    const flg_mat3 turn = flg_mat3_from_axis(axis, s, c);
    r = flg_mat3_multiply(&turn, &r);
  }
  return r;
}

static inline void place(test_pair *p, pose_kind kind, random_source *source) {
  static const double quarter = 1.5707963267948966;
  flg_vec3 n = random_direction(source);
  double gap = random_uniform(source, -0.2, 0.2);
  p->pose_a = p->pose_b = flg_pose_identity();
  if (kind == ANYHOW || kind == DEEP || kind == CONCENTRIC) {
    p->pose_a.rotation = random_rotation(source);
    p->pose_b.rotation = random_rotation(source);
  }
  if (kind == ALIGNED || kind == TOUCHING || kind == NEARLY || kind == SHIFTED) {
    p->pose_b.rotation = grid_rotation(source, quarter);
    n = flg_mat3_column(&p->pose_b.rotation, random_integer(source, 0, 2));
  }
  if (kind == EIGHTHS || kind == CORNERS) p->pose_b.rotation = grid_rotation(source, 0.5 * quarter);
  if (kind == EIGHTHS) n = flg_mat3_column(&p->pose_b.rotation, random_integer(source, 0, 2));
  if (kind == TOUCHING || kind == SHIFTED) gap = 0;
  if (kind == NEARLY) {
    const double tiny = pow(10, random_uniform(source, -10, -3));
    const flg_quat turn = flg_quat_exp(flg_vec3_scale(random_direction(source), tiny));
    const flg_mat3 r = flg_quat_to_matrix(turn);
    p->pose_b.rotation = flg_mat3_multiply(&r, &p->pose_b.rotation);
    gap = random_uniform(source, -1e-3, 1e-3);
  }
  if (kind == CORNERS) gap = random_integer(source, 0, 1) ? 0 : random_uniform(source, -1e-9, 1e-9);
  if (p->a.kind == FLG_CONTACT_PLANE) n = flg_mat3_column(&p->pose_a.rotation, 2);
  if (kind == DEEP || kind == CONCENTRIC) {
    p->pose_b.position = random_vector(source, kind == DEEP ? 0.05 : 0);
  } else if (p->a.kind == FLG_CONTACT_PLANE) {
    const double low = height_in(&p->b, &p->pose_b, flg_vec3_negate(n));
    p->pose_b.position = flg_vec3_scale(n, gap + low);
  } else {
    p->pose_b.position = flg_vec3_scale(n, gap - separation(p, n));
  }
  if (kind == CORNERS && p->a.kind != FLG_CONTACT_PLANE) {
    const flg_vec3 d = flg_mat3_apply_transposed(&p->pose_b.rotation, flg_vec3_negate(n));
    const flg_vec3 b = flg_mat3_apply(&p->pose_b.rotation, own_support(&p->b, d));
    p->pose_b.position = flg_vec3_subtract(own_support(&p->a, n), b);
    p->pose_b.position = flg_vec3_add_scaled(p->pose_b.position, gap, n);
  }
  if (kind == SHIFTED) {
    const flg_vec3 t = flg_vec3_perpendicular(n);
    p->pose_b.position =
        flg_vec3_add_scaled(p->pose_b.position, 0.25 * random_integer(source, 0, 4), t);
  }
  /* all of it elsewhere, so that nothing depends on the origin */
  if (kind == ANYHOW) {
    const flg_vec3 away = random_vector(source, 3);
    p->pose_a.position = away;
    p->pose_b.position = flg_vec3_add(p->pose_b.position, away);
  }
}

/* --- membership ------------------------------------------------------------------------------ */

/* How far a point is outside of a shape, at least; under 0 inside. */
static inline double outside_by(const flg_contact_shape *s, const flg_pose *pose, flg_vec3 world) {
  const flg_vec3 p = flg_pose_apply_inverse(pose, world);
  const double across = sqrt(p.x * p.x + p.y * p.y);
  double most = -HUGE_VAL;
  switch (s->kind) {
    case FLG_CONTACT_SPHERE:
      return flg_vec3_norm(p) - s->radius;
    case FLG_CONTACT_CAPSULE: {
      const double z = p.z - flg_larger(-s->half.z, flg_smaller(s->half.z, p.z));
      return sqrt(across * across + z * z) - s->radius;
    }
    case FLG_CONTACT_BOX:
      return flg_larger(fabs(p.x) - s->half.x,
                        flg_larger(fabs(p.y) - s->half.y, fabs(p.z) - s->half.z));
    case FLG_CONTACT_CYLINDER:
      return flg_larger(across - s->half.x, fabs(p.z) - s->half.z);
    case FLG_CONTACT_CONVEX:
      for (int f = 0; f < s->hull->face_count; f++) {
        most = flg_larger(most, flg_vec3_dot(s->hull->normals[f], p) - s->hull->offsets[f]);
      }
      return most;
    default:
      return p.z;
  }
}

/* --- all directions -------------------------------------------------------------------------- */

enum { AXES_MOST = 64 };

typedef struct axis_list {
  int face_count, edge_count;
  flg_vec3 faces[AXES_MOST], edges[2 * AXES_MOST]; /* in world axes */
} axis_list;

static inline axis_list axes_of(const flg_contact_shape *s, const flg_pose *pose) {
  axis_list list = {.face_count = 3, .edge_count = 3};
  for (int k = 0; k < 3; k++) {
    list.faces[k] = list.edges[k] = flg_mat3_column(&pose->rotation, k);
  }
  if (s->kind != FLG_CONTACT_CONVEX) return list;
  list.face_count = list.edge_count = 0;
  for (int f = 0; f < s->hull->face_count; f++) {
    const int start = s->hull->face_start[f], end = s->hull->face_start[f + 1];
    assert_true(list.face_count < AXES_MOST);
    list.faces[list.face_count++] = flg_mat3_apply(&pose->rotation, s->hull->normals[f]);
    for (int k = start; k < end; k++) {
      const int i = s->hull->face_vertices[k];
      const int j = s->hull->face_vertices[k + 1 < end ? k + 1 : start];
      if (i > j) continue;
      assert_true(list.edge_count < 2 * AXES_MOST);
      const flg_vec3 e = flg_vec3_subtract(s->hull->vertices[j], s->hull->vertices[i]);
      list.edges[list.edge_count++] = flg_mat3_apply(&pose->rotation, e);
    }
  }
  return list;
}

static inline void offer_axis(const test_pair *p, flg_vec3 n, double *best, flg_vec3 *found) {
  const double length = flg_vec3_norm(n);
  if (length < 1e-9) return;
  for (int side = -1; side <= 1; side += 2) {
    const flg_vec3 unit = flg_vec3_scale(n, side / length);
    const double s = separation(p, unit);
    if (s > *best) *best = s, *found = unit; /* a search */
  }
}

/* Uphill on the sphere of directions, by steps that get smaller. */
static inline double climb(const test_pair *p, flg_vec3 n, double step, double stop) {
  double best = separation(p, n);
  while (step > stop) {
    const flg_vec3 t = flg_vec3_perpendicular(n), u = flg_vec3_cross(n, t);
    bool better = false;
    for (int k = 0; k < 5; k++) {
      const double angle = 1.2566370614359172 * k;
      const flg_vec3 d = flg_vec3_add(flg_vec3_scale(t, cos(angle)), flg_vec3_scale(u, sin(angle)));
      const flg_vec3 m = flg_vec3_normalise(flg_vec3_add_scaled(n, step, d));
      const double s = separation(p, m);
      if (s > best) {
        best = s, n = m, better = true;
        break;
      }
    }
    if (!better) step *= 0.5;
  }
  return best;
}

static inline bool is_polytope(const flg_contact_shape *s) {
  return s->kind == FLG_CONTACT_BOX || s->kind == FLG_CONTACT_CONVEX;
}

/* The largest separation of all axes of the two, and of directions all around. */
static inline double search_all(const test_pair *p) {
  const axis_list a = axes_of(&p->a, &p->pose_a), b = axes_of(&p->b, &p->pose_b);
  double best = -HUGE_VAL;
  flg_vec3 found = {0, 0, 1};
  for (int k = 0; k < a.face_count; k++) offer_axis(p, a.faces[k], &best, &found);
  for (int k = 0; k < b.face_count; k++) offer_axis(p, b.faces[k], &best, &found);
  for (int i = 0; i < a.edge_count; i++) {
    for (int j = 0; j < b.edge_count; j++) {
      offer_axis(p, flg_vec3_cross(a.edges[i], b.edges[j]), &best, &found);
    }
  }
  if (is_polytope(&p->a) && is_polytope(&p->b)) return best;
  offer_axis(p, flg_vec3_subtract(p->pose_b.position, p->pose_a.position), &best, &found);
  flg_vec3 starts[4] = {found, found, found, found};
  double heights[4] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  const int count = 200;
  for (int k = 0; k < count; k++) {
    const double z = 1 - 2 * (k + 0.5) / count, angle = 2.399963229728653 * k;
    const double r = sqrt(1 - z * z);
    const flg_vec3 n = {r * cos(angle), r * sin(angle), z};
    const double s = separation(p, n);
    int worst = 0;
    for (int j = 1; j < 4; j++) worst = heights[j] < heights[worst] ? j : worst;
    if (s > heights[worst]) heights[worst] = s, starts[worst] = n; /* a search */
  }
  best = flg_larger(best, climb(p, found, 0.1, 1e-6));
  for (int j = 0; j < 4; j++) best = flg_larger(best, climb(p, starts[j], 0.1, 1e-6));
  return best;
}

#endif
