#include "math/rotation.h"

#include "math/exp_kernel.h"
#include "math/log_kernel.h"

flg_quat flg_quat_from_matrix(const flg_mat3 *rotation) {
  return flg_quat_from_matrix_kernel(rotation);
}

flg_quat flg_quat_from_axis_angle(flg_vec3 axis, double angle) {
  const double norm = flg_vec3_norm(axis);
  /* An axis without a direction turns nothing: NaN would spread through the whole pose. */
  if (norm == 0) return flg_quat_identity();
  const double sine = sin(angle / 2);
  return (flg_quat){cos(angle / 2), sine * (axis.x / norm), sine * (axis.y / norm),
                    sine * (axis.z / norm)};
}

flg_quat flg_quat_exp(flg_vec3 rotation_vector) {
  return flg_quat_exp_kernel(rotation_vector);
}

flg_vec3 flg_quat_log(flg_quat q) {
  return flg_quat_log_kernel(q);
}

/* Normalised at every step: products keep the length only to rounding, which adds up over steps. */
flg_quat flg_quat_integrate_world(flg_quat q, flg_vec3 angular_velocity, double h) {
  const flg_quat turn = flg_quat_exp(flg_vec3_scale(angular_velocity, h));
  return flg_quat_normalise(flg_quat_multiply(turn, q));
}

flg_quat flg_quat_integrate_body(flg_quat q, flg_vec3 angular_velocity, double h) {
  const flg_quat turn = flg_quat_exp(flg_vec3_scale(angular_velocity, h));
  return flg_quat_normalise(flg_quat_multiply(q, turn));
}

flg_mat3 flg_mat3_from_axis(flg_vec3 axis, double sine, double cosine) {
  const double x = axis.x, y = axis.y, z = axis.z, rest = 1 - cosine;
  const double xy = rest * x * y, xz = rest * x * z, yz = rest * y * z;
  return (flg_mat3){{cosine + rest * x * x, xy + sine * z, xz - sine * y, xy - sine * z,
                     cosine + rest * y * y, yz + sine * x, xz + sine * y, yz - sine * x,
                     cosine + rest * z * z}};
}

/* Without a branch at the poles but the sign of z (Duff et al. 2017): no cross product with an
 * arbitrary axis, which would be short where that axis is near. */
flg_mat3 flg_mat3_from_z_to(flg_vec3 axis) {
  const double sign = axis.z < 0 ? -1 : 1;
  const double x = sign * axis.x, y = sign * axis.y, rest = 1 / (1 + sign * axis.z);
  const flg_vec3 first = {1 - x * x * rest, -x * y * rest, -x};
  const flg_vec3 second = {-x * y * rest, 1 - y * y * rest, -y};
  return flg_mat3_from_columns(first, flg_vec3_scale(second, sign), axis);
}

flg_mat3 flg_mat3_from_roll_pitch_yaw(const double angles[3]) {
  const double sr = sin(angles[0]), cr = cos(angles[0]);
  const double sp = sin(angles[1]), cp = cos(angles[1]);
  const double sy = sin(angles[2]), cy = cos(angles[2]);
  return (flg_mat3){{cy * cp, sy * cp, -sp, cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr,
                     cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}};
}

void flg_mat3_to_roll_pitch_yaw(const flg_mat3 *rotation, double angles[3]) {
  const double *m = rotation->m;
  const double yaw = atan2(m[1], m[0]), sy = sin(yaw), cy = cos(yaw);
  angles[2] = yaw;
  angles[1] = atan2(-m[2], hypot(m[0], m[1]));
  /* roll from R with the yaw taken out, which is well defined even where yaw is not */
  angles[0] = atan2(sy * m[6] - cy * m[7], cy * m[4] - sy * m[3]);
}
