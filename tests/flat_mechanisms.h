/* flat_mechanisms.h - random mechanisms of bodies and joints that move in a plane, for tests. */
#ifndef FLG_TESTS_FLAT_MECHANISMS_H
#define FLG_TESTS_FLAT_MECHANISMS_H

#include "assembly_views.h"
#include "pieces.h"
#include "random.h"

/* x and y of a plane in space, and its normal */
typedef struct flat_plane {
  flg_vec3 x, y, n;
} flat_plane;

static inline flg_vec3 random_vector(random_source *source) {
  return vec(random_uniform(source, -1, 1), random_uniform(source, -1, 1),
             random_uniform(source, -1, 1));
}

static inline flat_plane random_flat_plane(random_source *source) {
  static const flg_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int kind = random_integer(source, 0, 4);
  const flg_vec3 n = kind < 3 ? axes[kind] : flg_vec3_normalise(random_vector(source));
  const flg_vec3 x = flg_vec3_normalise(flg_vec3_perpendicular(n));
  return (flat_plane){x, flg_vec3_cross(n, x), n};
}

static inline flg_vec3 flat_at(const flat_plane *in, double x, double y, double height) {
  return flg_vec3_add_scaled(flg_vec3_add_scaled(flg_vec3_scale(in->x, x), y, in->y), height,
                             in->n);
}

static inline flg_vec3 random_point(random_source *source, const flat_plane *in, double height) {
  return flat_at(in, random_uniform(source, -1, 1), random_uniform(source, -1, 1), height);
}

static inline flg_vec3 random_direction(random_source *source, const flat_plane *in) {
  const double angle = random_uniform(source, -3, 3);
  return flat_at(in, cos(angle), sin(angle), 0);
}

/* axes of its own: n is one of its principal axes */
static inline int add_flat_body(parts *p, random_source *source, const flat_plane *in) {
  const flg_vec3 a = random_direction(source, in), b = flg_vec3_cross(in->n, a);
  const int first = random_integer(source, 0, 2);
  flg_vec3 axes[3];
  axes[first] = in->n, axes[(first + 1) % 3] = a, axes[(first + 2) % 3] = b;
  const flg_mat3 rotation = flg_mat3_from_columns(axes[0], axes[1], axes[2]);
  const flg_sym3 inertia = {random_uniform(source, 0.1, 0.3),
                            random_uniform(source, 0.2, 0.3),
                            random_uniform(source, 0.2, 0.35),
                            0,
                            0,
                            0};
  const flg_vec3 centre = random_point(source, in, random_uniform(source, -1, 1));
  const int body = add_body(
      p, random_uniform(source, 0.5, 2), inertia, centre,
      random_integer(source, 0, 1) == 0 ? flg_quat_from_matrix(&rotation) : flg_quat_identity());
  flg_component_body *made = &p->component.bodies[body];
  if (flg_vec3_norm(flg_mat3_column(&made->pose.rotation, 0)) > 0) {
    /* where its axes are those of the world, its inertia is turned */
    const flg_mat3 back = flg_mat3_transpose(&made->pose.rotation);
    const flg_mat3 own = flg_mat3_multiply(&back, &rotation);
    made->inertia = flg_sym3_rotate(inertia, &own);
  }
  made->velocity = (flg_spatial){random_point(source, in, 0),
                                 flg_vec3_scale(in->n, random_uniform(source, -3, 3))};
  return body;
}

/* joints that hold flat: about n, along a line in the plane, and welds */
static inline void add_flat_joint(parts *p, random_source *source, const flat_plane *in, int a,
                                  int b) {
  const flg_vec3 point = random_point(source, in, random_uniform(source, -1, 1));
  const double sense = random_integer(source, 0, 1) == 0 ? 1 : -1;
  switch (random_integer(source, 0, 7)) {
    case 0:
    case 1:
      add_joint(p, FLG_CONSTRAINT_PRISMATIC, a, b, point, random_direction(source, in));
      break;
    case 2:
      add_joint(p, FLG_CONSTRAINT_PLANAR, a, b, point, in->n);
      break;
    case 3:
      add_joint(p, FLG_CONSTRAINT_WELD, a, b, point, in->n);
      break;
    default:
      add_joint(p, FLG_CONSTRAINT_REVOLUTE, a, b, point, flg_vec3_scale(in->n, sense));
      break;
  }
}

/* one row in the plane, or two, that need not hold flat */
static inline void add_loop(parts *p, random_source *source, const flat_plane *in, int a, int b) {
  const flg_vec3 point = random_point(source, in, 0), along = random_direction(source, in);
  static const flg_constraint_kind kinds[] = {FLG_CONSTRAINT_POINT_ON_LINE, FLG_CONSTRAINT_REVOLUTE,
                                              FLG_CONSTRAINT_PLANAR, FLG_CONSTRAINT_SPHERICAL,
                                              FLG_CONSTRAINT_CYLINDRICAL};
  const flg_constraint_kind kind = kinds[random_integer(source, 0, 4)];
  add_joint(p, kind, a, b, point, kind == FLG_CONSTRAINT_REVOLUTE ? in->n : along);
}

static inline parts *random_flat_mechanism(random_source *source, const flat_plane *in) {
  const int bodies = random_integer(source, 1, 8);
  parts *p = parts_new(2 * bodies + 2);
  for (int k = 0; k < bodies; k++) {
    add_flat_body(p, source, in);
    add_flat_joint(p, source, in, k == 0 ? FLG_WORLD : random_integer(source, -1, k - 1), k);
  }
  if (bodies > 4) add_loop(p, source, in, random_integer(source, -1, bodies - 2), bodies - 1);
  return p;
}

#endif
