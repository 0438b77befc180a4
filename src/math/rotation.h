/* rotation.h - rotations as unit quaternions and as matrices, and poses.
 *
 *     v_world = q v_body q*  =  R v_body          q = (cos(angle/2), axis sin(angle/2))
 *
 * q and -q are the same rotation; neither sign is preferred and none is forced.
 * Composition reads from right to left: (p q) turns by q first. Angles are in radians.
 * Nothing here fails or allocates; NaN in, NaN out.
 */
#ifndef FLG_MATH_ROTATION_H
#define FLG_MATH_ROTATION_H

#include "math/mat3.h"

typedef struct flg_quat {
  double w, x, y, z;
} flg_quat;

/* Where a frame is: a point p of the frame is at  position + rotation p  of the parent. */
typedef struct flg_pose {
  flg_mat3 rotation;
  flg_vec3 position;
} flg_pose;

static inline flg_quat flg_quat_identity(void) {
  return (flg_quat){1, 0, 0, 0};
}

static inline flg_quat flg_quat_multiply(flg_quat p, flg_quat q) {
  return (flg_quat){
      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
      p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

/* The inverse of a unit quaternion. */
static inline flg_quat flg_quat_conjugate(flg_quat q) {
  return (flg_quat){q.w, -q.x, -q.y, -q.z};
}

/* q / |q|; zero becomes the identity. */
static inline flg_quat flg_quat_normalise(flg_quat q) {
  const double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (norm == 0) return flg_quat_identity();
  return (flg_quat){q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

/* q v q*, for a unit quaternion. */
static inline flg_vec3 flg_quat_rotate(flg_quat q, flg_vec3 v) {
  const flg_vec3 u = {q.x, q.y, q.z};
  const flg_vec3 t = flg_vec3_scale(flg_vec3_cross(u, v), 2);
  return flg_vec3_add(flg_vec3_add_scaled(v, q.w, t), flg_vec3_cross(u, t));
}
/* R of a unit quaternion. */
static inline flg_mat3 flg_quat_to_matrix(flg_quat q) {
  const double xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z;
  const double xy = 2 * q.x * q.y, xz = 2 * q.x * q.z, yz = 2 * q.y * q.z;
  const double wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
  return (flg_mat3){{1 - (yy + zz), xy + wz, xz - wy, xy - wz, 1 - (xx + zz), yz + wx, xz + wy,
                     yz - wx, 1 - (xx + yy)}};
}

/* A unit quaternion of R, accurate for every angle, half turns included. */
flg_quat flg_quat_from_matrix(const flg_mat3 *rotation);
/* Turn by angle about axis, of any length but zero; a zero axis gives the identity. */
flg_quat flg_quat_from_axis_angle(flg_vec3 axis, double angle);

/* The rotation by the angle |r| about r, accurate for tiny and for huge angles. */
flg_quat flg_quat_exp(flg_vec3 rotation_vector);
/* The shortest r with exp(r) = +-q, |r| <= pi; q need not be normalised. */
flg_vec3 flg_quat_log(flg_quat q);
/* exp(h w) q: the attitude after the time h of a constant angular velocity w in world axes. */
flg_quat flg_quat_integrate_world(flg_quat q, flg_vec3 angular_velocity, double h);
/* q exp(h w): the same, w in body axes. */
flg_quat flg_quat_integrate_body(flg_quat q, flg_vec3 angular_velocity, double h);

/* R = c 1 + s [a]x + (1 - c) a a^T, the turn about the unit vector a with sine s and cosine c. */
flg_mat3 flg_mat3_from_axis(flg_vec3 axis, double sine, double cosine);
/* The turn that takes z to the unit vector a: the smallest if a.z >= 0, otherwise the smallest one
 * from -z to a after a half turn about x. */
flg_mat3 flg_mat3_from_z_to(flg_vec3 axis);
/* R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF: turns about the fixed axes x, then y, then z.
 * angles = {roll, pitch, yaw}. */
flg_mat3 flg_mat3_from_roll_pitch_yaw(const double angles[3]);
/* Angles that give R back, also at pitch = +-pi/2 where only yaw -+ roll counts (there yaw is 0
 * if R is exact). pitch in [-pi/2, pi/2], roll and yaw in [-pi, pi]. */
void flg_mat3_to_roll_pitch_yaw(const flg_mat3 *rotation, double angles[3]);

/* The angle, up to whole turns, that is nearest to `near`. */
static inline double flg_angle_unwrap(double angle, double near) {
  const double whole = 6.28318530717958647693;
  return angle + whole * rint((near - angle) / whole);
}

static inline flg_pose flg_pose_identity(void) {
  return (flg_pose){.rotation = flg_mat3_identity()};
}

/* The point of the frame, seen in the parent: position + R point. */
static inline flg_vec3 flg_pose_apply(const flg_pose *pose, flg_vec3 point) {
  return flg_vec3_add(pose->position, flg_mat3_apply(&pose->rotation, point));
}

/* The point of the parent, seen in the frame: R^T (point - position). */
static inline flg_vec3 flg_pose_apply_inverse(const flg_pose *pose, flg_vec3 point) {
  return flg_mat3_apply_transposed(&pose->rotation, flg_vec3_subtract(point, pose->position));
}

/* Pose of the inner frame in the parent of the outer one. */
static inline flg_pose flg_pose_compose(const flg_pose *outer, const flg_pose *inner) {
  return (flg_pose){.rotation = flg_mat3_multiply(&outer->rotation, &inner->rotation),
                    .position = flg_pose_apply(outer, inner->position)};
}

static inline flg_pose flg_pose_inverse(const flg_pose *pose) {
  return (flg_pose){
      .rotation = flg_mat3_transpose(&pose->rotation),
      .position = flg_vec3_negate(flg_mat3_apply_transposed(&pose->rotation, pose->position))};
}

#endif
