/* approach.c - distances with a closed form. */
#include "contact/core.h"

/* How n is chosen where two points coincide: anything, but always the same. */
static const flg_vec3 ANY_NORMAL = {0, 0, 1};

/* of the size: points that are nearer have no direction, but that of rounding */
static const double COINCIDE = 1e-13;
static const double PARALLEL = 1e-12; /* sine between axes: their cross product is rounding */

static flg_vec3 segment_end(const flg_core *segment, double at) {
  const flg_vec3 axis = flg_mat3_column(&segment->pose.rotation, 2);
  return flg_vec3_add_scaled(segment->pose.position, at, axis);
}

/* From the two nearest points; `otherwise` where rounding decides on their direction. */
static void from_points(flg_vec3 a, flg_vec3 b, flg_vec3 otherwise, double size,
                        flg_approach *approach) {
  const flg_vec3 d = flg_vec3_subtract(b, a);
  const double length = flg_vec3_norm(d);
  const bool clear = length > COINCIDE * size;
  approach->gap = clear ? length : 0;
  approach->normal = clear ? flg_vec3_scale(d, 1 / length) : otherwise;
  approach->a = a, approach->b = b;
}

/* Beside an axis the normal is known better than from the short vector between two points. */
static void use_perpendicular(flg_vec3 direction, flg_approach *approach) {
  const flg_vec3 n = flg_vec3_normalise(direction);
  const double cosine = flg_vec3_dot(n, approach->normal);
  if (approach->gap == 0 || fabs(cosine) < 0.999) return;
  approach->normal = cosine > 0 ? n : flg_vec3_negate(n);
}

static void approach_points(const flg_core *a, const flg_core *b, flg_approach *approach) {
  approach->vertex_a = approach->vertex_b = 0;
  from_points(a->pose.position, b->pose.position, ANY_NORMAL, 0, approach);
}

/* to an interval about 0 */
static double clamp(double x, double limit) {
  return x < -limit ? -limit : x > limit ? limit : x;
}

/* beside the segment, not at its ends: the normal is perpendicular to the axis, and known from it
 * exactly */
static void approach_point_segment(const flg_core *point, const flg_core *segment,
                                   flg_approach *approach) {
  const flg_vec3 axis = flg_mat3_column(&segment->pose.rotation, 2);
  const flg_vec3 p = point->pose.position;
  const flg_vec3 d = flg_vec3_subtract(p, segment->pose.position);
  const double along = flg_vec3_dot(d, axis), at = clamp(along, segment->half.z);
  approach->vertex_a = 0, approach->vertex_b = at > 0;
  from_points(p, segment_end(segment, at), flg_vec3_perpendicular(axis), segment->size, approach);
  if (at == along) use_perpendicular(flg_vec3_cross(flg_vec3_cross(axis, d), axis), approach);
}

/* Places s, t on the axes where they are nearest; c the cosine between them, d from A to B. */
static void nearest_on_lines(flg_vec3 u, flg_vec3 v, flg_vec3 d, double half_a, double half_b,
                             double *s, double *t) {
  const double c = flg_vec3_dot(u, v), du = flg_vec3_dot(d, u), dv = flg_vec3_dot(d, v);
  const flg_vec3 cross = flg_vec3_cross(u, v);
  const double sine2 = flg_vec3_dot(cross, cross);
  if (sine2 > PARALLEL * PARALLEL) {
    /* (d x v).(u x v) / |u x v|^2 keeps its digits where the axes are nearly parallel */
    *s = clamp(flg_vec3_dot(flg_vec3_cross(d, v), cross) / sine2, half_a);
  } else {
    /* parallel: the middle of where they run beside each other */
    const double reach = half_b * fabs(c);
    const double low = fmax(-half_a, du - reach), high = fmin(half_a, du + reach);
    *s = clamp(0.5 * (low + high), half_a);
  }
  *t = *s * c - dv;
  if (fabs(*t) > half_b) {
    *t = clamp(*t, half_b);
    *s = clamp(*t * c + du, half_a);
  }
}

/* Axes that cross give the normal as their product; that of nearly touching points would be
 * rounding. */
static void approach_segments(const flg_core *a, const flg_core *b, flg_approach *approach) {
  const flg_vec3 u = flg_mat3_column(&a->pose.rotation, 2);
  const flg_vec3 v = flg_mat3_column(&b->pose.rotation, 2);
  const flg_vec3 d = flg_vec3_subtract(b->pose.position, a->pose.position);
  double s, t;
  nearest_on_lines(u, v, d, a->half.z, b->half.z, &s, &t);
  const flg_vec3 cross = flg_vec3_cross(u, v);
  const bool crossing = flg_vec3_norm(cross) > PARALLEL;
  const flg_vec3 normal = crossing ? flg_vec3_normalise(cross) : flg_vec3_perpendicular(u);
  approach->vertex_a = s > 0, approach->vertex_b = t > 0;
  from_points(segment_end(a, s), segment_end(b, t), normal, fmax(a->size, b->size), approach);
  if (crossing && fabs(s) < a->half.z && fabs(t) < b->half.z) use_perpendicular(cross, approach);
}

/* n outward from the solid B, where it is nearest to the point: the normal of the pair is -n. */
static void from_solid(const flg_core *solid, flg_vec3 point, flg_vec3 local, flg_vec3 outward,
                       double gap, flg_approach *approach) {
  const flg_vec3 n = flg_mat3_apply(&solid->pose.rotation, outward);
  approach->gap = gap;
  approach->normal = flg_vec3_negate(n);
  approach->a = point;
  approach->b = flg_pose_apply(&solid->pose, local);
  approach->vertex_a = approach->vertex_b = 0;
}

static double with_sign(double magnitude, double sign) {
  return sign < 0 ? -magnitude : magnitude;
}

/* From inside of a box the nearest face, with ties in the order z, y, x. */
static void leave_box(flg_vec3 p, flg_vec3 half, flg_vec3 *on, flg_vec3 *outward, double *gap) {
  const double x = fabs(p.x) - half.x, y = fabs(p.y) - half.y, z = fabs(p.z) - half.z;
  *on = p;
  *outward = (flg_vec3){0, 0, 0};
  if (z >= x && z >= y) {
    *gap = z, outward->z = with_sign(1, p.z), on->z = with_sign(half.z, p.z);
  } else if (y >= x) {
    *gap = y, outward->y = with_sign(1, p.y), on->y = with_sign(half.y, p.y);
  } else {
    *gap = x, outward->x = with_sign(1, p.x), on->x = with_sign(half.x, p.x);
  }
}

/* Outside: to the nearest point of the box. Inside there is none, and the nearest face is left
 * by. */
void flg_approach_point_box(const flg_core *point, const flg_core *box, flg_approach *approach) {
  const flg_vec3 p = flg_pose_apply_inverse(&box->pose, point->pose.position);
  flg_vec3 on = {clamp(p.x, box->half.x), clamp(p.y, box->half.y), clamp(p.z, box->half.z)};
  flg_vec3 outward = flg_vec3_subtract(p, on);
  double gap = flg_vec3_norm(outward);
  if (gap > 0) {
    outward = flg_vec3_scale(outward, 1 / gap);
  } else {
    leave_box(p, box->half, &on, &outward, &gap);
  }
  from_solid(box, point->pose.position, on, outward, gap, approach);
}

static void approach_point_cylinder(const flg_core *point, const flg_core *cylinder,
                                    flg_approach *approach) {
  const flg_vec3 p = flg_pose_apply_inverse(&cylinder->pose, point->pose.position);
  const double radius = cylinder->half.x, half = cylinder->half.z;
  const double r = sqrt(p.x * p.x + p.y * p.y);
  const flg_vec3 radial = r > 0 ? (flg_vec3){p.x / r, p.y / r, 0} : (flg_vec3){1, 0, 0};
  const flg_vec3 axial = {0, 0, with_sign(1, p.z)};
  const double side = r - radius, cap = fabs(p.z) - half;
  double gap = side > cap ? side : cap;
  flg_vec3 outward = side > cap ? radial : axial;
  if (side > 0 && cap > 0) {
    gap = sqrt(side * side + cap * cap);
    outward = flg_vec3_add(flg_vec3_scale(radial, side / gap), flg_vec3_scale(axial, cap / gap));
  }
  from_solid(cylinder, point->pose.position, flg_vec3_add_scaled(p, -gap, outward), outward, gap,
             approach);
}

/* The point of a triangle nearest to p (Ericson, Real-Time Collision Detection, 5.1.5). */
static flg_vec3 nearest_on_triangle(flg_vec3 p, const flg_vec3 c[3]) {
  const flg_vec3 ab = flg_vec3_subtract(c[1], c[0]), ac = flg_vec3_subtract(c[2], c[0]);
  const flg_vec3 ap = flg_vec3_subtract(p, c[0]), bp = flg_vec3_subtract(p, c[1]);
  const flg_vec3 cp = flg_vec3_subtract(p, c[2]);
  const double d1 = flg_vec3_dot(ab, ap), d2 = flg_vec3_dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return c[0];
  const double d3 = flg_vec3_dot(ab, bp), d4 = flg_vec3_dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return c[1];
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return flg_vec3_add_scaled(c[0], d1 / (d1 - d3), ab);
  const double d5 = flg_vec3_dot(ab, cp), d6 = flg_vec3_dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c[2];
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return flg_vec3_add_scaled(c[0], d2 / (d2 - d6), ac);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return flg_vec3_add_scaled(c[1], w, flg_vec3_subtract(c[2], c[1]));
  }
  /* over the inside: along the normal, which keeps the digits of small heights */
  const flg_vec3 n = flg_vec3_normalise(flg_vec3_cross(ab, ac));
  return flg_vec3_add_scaled(p, -flg_vec3_dot(n, ap), n);
}

static void approach_point_triangle(const flg_core *point, const flg_core *triangle,
                                    flg_approach *approach) {
  const flg_vec3 *c = triangle->corners, p = point->pose.position;
  const flg_vec3 n = flg_vec3_normalise(
      flg_vec3_cross(flg_vec3_subtract(c[1], c[0]), flg_vec3_subtract(c[2], c[0])));
  approach->vertex_a = approach->vertex_b = 0;
  from_points(p, nearest_on_triangle(p, c), flg_vec3_negate(n), triangle->size, approach);
}

/* --- the table ------------------------------------------------------------------------------- */

static void turn_approach_around(flg_approach *approach) {
  const flg_vec3 a = approach->a;
  const int vertex = approach->vertex_a;
  approach->a = approach->b, approach->b = a;
  approach->vertex_a = approach->vertex_b, approach->vertex_b = vertex;
  approach->normal = flg_vec3_negate(approach->normal);
}

static bool approach_point(const flg_core *point, const flg_core *other, double cutoff,
                           flg_approach *approach) {
  switch (other->kind) {
    case FLG_CORE_POINT:
      approach_points(point, other, approach);
      break;
    case FLG_CORE_SEGMENT:
      approach_point_segment(point, other, approach);
      break;
    case FLG_CORE_TRIANGLE:
      approach_point_triangle(point, other, approach);
      break;
    case FLG_CORE_BOX:
      flg_approach_point_box(point, other, approach);
      break;
    case FLG_CORE_CYLINDER:
      approach_point_cylinder(point, other, approach);
      break;
    default:
      return flg_approach_convex(point, other, cutoff, approach);
  }
  return approach->gap <= cutoff;
}

bool flg_approach_cores(const flg_core *a, const flg_core *b, double cutoff,
                        flg_approach *approach) {
  if (a->kind == FLG_CORE_POINT) return approach_point(a, b, cutoff, approach);
  if (b->kind == FLG_CORE_POINT) {
    const bool near = approach_point(b, a, cutoff, approach);
    if (near) turn_approach_around(approach);
    return near;
  }
  if (a->kind == FLG_CORE_SEGMENT && b->kind == FLG_CORE_SEGMENT) {
    approach_segments(a, b, approach);
    return approach->gap <= cutoff;
  }
  if (a->kind == FLG_CORE_BOX && b->kind == FLG_CORE_BOX) {
    return flg_approach_boxes(a, b, cutoff, approach);
  }
  return flg_approach_convex(a, b, cutoff, approach);
}
