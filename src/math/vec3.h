/* vec3.h - vectors of three, passed by value.
 *
 * Lengths are formed as sqrt(v.v): components between 1e-150 and 1e150 keep full precision.
 * Nothing here fails; NaN in, NaN out.
 */
#ifndef FLG_MATH_VEC3_H
#define FLG_MATH_VEC3_H

#include <math.h>

typedef struct flg_vec3 {
  double x, y, z;
} flg_vec3;

static inline flg_vec3 flg_vec3_load(const double from[3]) {
  return (flg_vec3){from[0], from[1], from[2]};
}

static inline void flg_vec3_store(flg_vec3 a, double to[3]) {
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}

static inline flg_vec3 flg_vec3_add(flg_vec3 a, flg_vec3 b) {
  return (flg_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline flg_vec3 flg_vec3_subtract(flg_vec3 a, flg_vec3 b) {
  return (flg_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline flg_vec3 flg_vec3_scale(flg_vec3 a, double factor) {
  return (flg_vec3){factor * a.x, factor * a.y, factor * a.z};
}

/* a + factor b */
static inline flg_vec3 flg_vec3_add_scaled(flg_vec3 a, double factor, flg_vec3 b) {
  return (flg_vec3){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

static inline flg_vec3 flg_vec3_negate(flg_vec3 a) {
  return (flg_vec3){-a.x, -a.y, -a.z};
}

static inline double flg_vec3_dot(flg_vec3 a, flg_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline flg_vec3 flg_vec3_cross(flg_vec3 a, flg_vec3 b) {
  return (flg_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double flg_vec3_norm(flg_vec3 a) {
  return sqrt(flg_vec3_dot(a, a));
}

/* a / |a|; the zero vector stays zero. */
static inline flg_vec3 flg_vec3_normalise(flg_vec3 a) {
  const double norm = flg_vec3_norm(a);
  return norm == 0 ? a : (flg_vec3){a.x / norm, a.y / norm, a.z / norm};
}

/* A unit vector perpendicular to a; x if a is zero. Crosses a with the axis it leans on least. */
static inline flg_vec3 flg_vec3_perpendicular(flg_vec3 a) {
  const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
  if (x == 0 && y == 0 && z == 0) return (flg_vec3){1, 0, 0};
  if (x <= y && x <= z) return flg_vec3_normalise((flg_vec3){0, a.z, -a.y});
  if (y <= z) return flg_vec3_normalise((flg_vec3){-a.z, 0, a.x});
  return flg_vec3_normalise((flg_vec3){a.y, -a.x, 0});
}

#endif
