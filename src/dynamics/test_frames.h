/* test_frames.h - pairs of frames that move, for tests of what lies between them. */
#ifndef FLG_DYNAMICS_TEST_FRAMES_H
#define FLG_DYNAMICS_TEST_FRAMES_H

#include "dynamics/coordinate.h"

#include "check.h"

static const double PI = 3.14159265358979323846;

/* Two frames, and their accelerations, which stay. */
typedef struct test_motion {
  flg_moving_frame start[2];
  flg_spatial acceleration[2];
} test_motion;

static inline flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -1, 1)};
}

static inline flg_spatial random_spatial(random_source *source) {
  const flg_vec3 linear = random_vector(source);
  return (flg_spatial){linear, random_vector(source)};
}

static inline flg_mat3 random_rotation(random_source *source) {
  const flg_vec3 axis = random_vector(source);
  return flg_quat_to_matrix(flg_quat_from_axis_angle(axis, random_uniform(source, -PI, PI)));
}

static inline flg_pose random_pose(random_source *source) {
  const flg_vec3 position = random_vector(source);
  return (flg_pose){random_rotation(source), position};
}

static inline test_motion random_motion(random_source *source) {
  test_motion motion;
  for (int k = 0; k < 2; k++) {
    motion.start[k] = (flg_moving_frame){.pose = random_pose(source)};
    motion.start[k].velocity = random_spatial(source);
    motion.acceleration[k] = random_spatial(source);
  }
  return motion;
}

/* The frames at another time. The angular velocity is w + alpha t; the attitude that belongs to it
 * is exp(w t + alpha t^2/2 - w x alpha t^3/12), to the fifth order in t (Magnus). */
static inline void motion_at(const test_motion *motion, double t, flg_moving_frame end[2]) {
  for (int k = 0; k < 2; k++) {
    const flg_moving_frame *start = &motion->start[k];
    const flg_spatial v = start->velocity, a = motion->acceleration[k];
    const flg_spatial moved = flg_spatial_add_scaled(flg_spatial_scale(v, t), t * t / 2, a);
    const flg_vec3 turned =
        flg_vec3_add_scaled(moved.angular, -t * t * t / 12, flg_vec3_cross(v.angular, a.angular));
    const flg_mat3 rotation = flg_quat_to_matrix(flg_quat_exp(turned));
    end[k].pose.position = flg_vec3_add(start->pose.position, moved.linear);
    end[k].pose.rotation = flg_mat3_multiply(&rotation, &start->pose.rotation);
    end[k].velocity = flg_spatial_add_scaled(v, t, a);
  }
}

/* s_A . x_A + s_B . x_B */
static inline double dot_sides(const flg_spatial side[2], flg_spatial a, flg_spatial b) {
  return flg_spatial_dot(side[0], a) + flg_spatial_dot(side[1], b);
}

/* Force and moment of both sides about the origin of the world. */
static inline flg_spatial sum_of_sides(const flg_moving_frame end[2], const flg_spatial side[2]) {
  flg_spatial sum = {0};
  for (int k = 0; k < 2; k++) {
    const flg_vec3 back = flg_vec3_negate(end[k].pose.position);
    sum = flg_spatial_add(sum, flg_spatial_shift_force(side[k], back));
  }
  return sum;
}

static inline double largest_of(flg_spatial a) {
  double values[6];
  const double zeros[6] = {0};
  flg_spatial_store(a, values);
  return max_difference(values, zeros, 6);
}

/* f' from f(-2h), f(-h), f(h), f(2h): exact to h^4. */
static inline double difference(const double f[4], double h) {
  return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

#endif
