/* spatial.h - motions, forces and inertias of rigid bodies as 6-vectors and 6 x 6 matrices.
 *
 * Order everywhere: [linear; angular].
 *     motion   linear: velocity of the body's point at the frame's origin   angular: its spin
 *     force    linear: the force          angular: its moment about the frame's origin
 *     power    motion . force
 *
 * A pose (R, p) is that of a child frame in a parent frame. `to_parent` takes what is written in
 * the child frame at its origin to the parent's axes and origin, `to_child` the other way.
 *
 *     rigid inertia         [ m 1     -[h]x ]        articulated inertia    [ M    H ]
 *     (10 numbers)          [ [h]x     I    ]        (21 numbers)           [ H^T  I ]
 *
 * h = mass * centre of mass, I about the frame's origin.
 * Nothing here fails or allocates; NaN in, NaN out.
 */
#ifndef FLG_MATH_SPATIAL_H
#define FLG_MATH_SPATIAL_H

#include "math/rotation.h"

typedef struct flg_spatial {
  flg_vec3 linear, angular;
} flg_spatial;

typedef struct flg_inertia {
  double mass;       /* m                    [kg] */
  flg_vec3 moment;   /* h = m * com          [kg m] */
  flg_sym3 rotation; /* I, about the origin  [kg m^2] */
} flg_inertia;

typedef struct flg_articulated {
  flg_sym3 linear;   /* M  [kg] */
  flg_mat3 coupling; /* H  [kg m], force due to angular acceleration */
  flg_sym3 angular;  /* I  [kg m^2] */
} flg_articulated;

static inline flg_spatial flg_spatial_load(const double from[6]) {
  return (flg_spatial){flg_vec3_load(from), flg_vec3_load(from + 3)};
}

static inline void flg_spatial_store(flg_spatial a, double to[6]) {
  flg_vec3_store(a.linear, to);
  flg_vec3_store(a.angular, to + 3);
}

/* The six numbers where they are, without a copy. */
static inline const double *flg_spatial_numbers(const flg_spatial *a) {
  _Static_assert(sizeof(flg_spatial) == 6 * sizeof(double), "six numbers without gaps");
  return (const double *)a;
}

static inline flg_spatial flg_spatial_add(flg_spatial a, flg_spatial b) {
  return (flg_spatial){flg_vec3_add(a.linear, b.linear), flg_vec3_add(a.angular, b.angular)};
}

static inline flg_spatial flg_spatial_subtract(flg_spatial a, flg_spatial b) {
  return (flg_spatial){flg_vec3_subtract(a.linear, b.linear),
                       flg_vec3_subtract(a.angular, b.angular)};
}

static inline flg_spatial flg_spatial_scale(flg_spatial a, double factor) {
  return (flg_spatial){flg_vec3_scale(a.linear, factor), flg_vec3_scale(a.angular, factor)};
}

/* a + factor b */
static inline flg_spatial flg_spatial_add_scaled(flg_spatial a, double factor, flg_spatial b) {
  return (flg_spatial){flg_vec3_add_scaled(a.linear, factor, b.linear),
                       flg_vec3_add_scaled(a.angular, factor, b.angular)};
}

static inline double flg_spatial_dot(flg_spatial a, flg_spatial b) {
  return flg_vec3_dot(a.linear, b.linear) + flg_vec3_dot(a.angular, b.angular);
}

/* The same motion seen at the point offset, same axes: linear + angular x offset. */
static inline flg_spatial flg_spatial_shift_motion(flg_spatial motion, flg_vec3 offset) {
  return (flg_spatial){flg_vec3_add(motion.linear, flg_vec3_cross(motion.angular, offset)),
                       motion.angular};
}

/* The same force about the point offset, same axes: angular - offset x linear. */
static inline flg_spatial flg_spatial_shift_force(flg_spatial force, flg_vec3 offset) {
  return (flg_spatial){force.linear,
                       flg_vec3_subtract(force.angular, flg_vec3_cross(offset, force.linear))};
}

/* Other axes, same origin: R linear, R angular. */
static inline flg_spatial flg_spatial_rotate(flg_spatial a, const flg_mat3 *rotation) {
  return (flg_spatial){flg_mat3_apply(rotation, a.linear), flg_mat3_apply(rotation, a.angular)};
}

/* R^T linear, R^T angular. */
static inline flg_spatial flg_spatial_rotate_transposed(flg_spatial a, const flg_mat3 *rotation) {
  return (flg_spatial){flg_mat3_apply_transposed(rotation, a.linear),
                       flg_mat3_apply_transposed(rotation, a.angular)};
}

/* From the mass, the centre of mass in the frame, and the inertia about the centre of mass. */
flg_inertia flg_inertia_from_centre(double mass, flg_vec3 centre, flg_sym3 central);
/* Both bodies as one; same frame. */
flg_inertia flg_inertia_add(const flg_inertia *a, const flg_inertia *b);
/* Momentum of a motion: force from acceleration. */
flg_spatial flg_inertia_apply(const flg_inertia *inertia, flg_spatial motion);
/* 1/2 motion . inertia motion */
double flg_inertia_energy(const flg_inertia *inertia, flg_spatial motion);
/* The inertia of the child frame, written in the parent frame. */
flg_inertia flg_inertia_to_parent(const flg_inertia *inertia, const flg_pose *pose);

flg_articulated flg_articulated_from_inertia(const flg_inertia *inertia);
flg_spatial flg_articulated_apply(const flg_articulated *inertia, flg_spatial motion);
/* inertia - factor u u^T; removes a joint direction with u = inertia s, factor = 1/(s.u). */
flg_articulated flg_articulated_downdate(const flg_articulated *inertia, flg_spatial u,
                                         double factor);

#endif
