/* The dynamics of every kind of joint against a derivation that shares nothing with them: bodies
 * are put where the model says, the motion is differentiated numerically, and the principle of
 * virtual power is applied with full matrices,
 *
 *     f_k = sum over bodies  dc/dv_k . m (c'' - g)  +  dw/dv_k . (I w)'
 *
 * c the centre of mass, w the angular velocity. Differences of sixth order: errors near 1e-11.
 */
#include "random_tree.h"

static const flg_vec3 GRAVITY = {1, -2, -9.81};

/* --- where bodies are --------------------------------------------------------------------------
 */

static flg_mat3 turn(flg_vec3 axis, double angle) {
  return flg_mat3_from_axis(axis, sin(angle), cos(angle));
}

static flg_mat3 quaternion_turn(const double *q) {
  return flg_quat_to_matrix((flg_quat){q[0], q[1], q[2], q[3]});
}

/* The child's frame in the joint's frame. The two axes along which a planar joint slides are the
 * robot's choice, and are asked for. */
static flg_pose displacement(const sample *s, int index, const double *q) {
  const flg_joint *joint = &s->model.joints[index];
  const flg_mat3 inner = flg_mat3_transpose(&s->robot.anchors[joint->child].pose.rotation);
  const flg_vec3 axis = joint->axis;
  flg_pose pose = flg_pose_identity();
  flg_mat3 second;
  switch (joint->kind) {
    case FLG_JOINT_FIXED:
    case FLG_JOINT_KIND_COUNT:
      break;
    case FLG_JOINT_REVOLUTE:
    case FLG_JOINT_CONTINUOUS:
      pose.rotation = turn(axis, q[0]);
      break;
    case FLG_JOINT_PRISMATIC:
      pose.position = flg_vec3_scale(axis, q[0]);
      break;
    case FLG_JOINT_CYLINDRICAL:
      pose = (flg_pose){turn(axis, q[1]), flg_vec3_scale(axis, q[0])};
      break;
    case FLG_JOINT_SCREW:
      pose = (flg_pose){turn(axis, q[0]), flg_vec3_scale(axis, joint->pitch * q[0])};
      break;
    case FLG_JOINT_UNIVERSAL:
      pose.rotation = turn(axis, q[0]);
      second = turn(joint->axis2, q[1]);
      pose.rotation = flg_mat3_multiply(&pose.rotation, &second);
      break;
    case FLG_JOINT_PLANAR:
      pose.rotation = turn(axis, q[2]);
      pose.position = flg_vec3_add_scaled(flg_vec3_scale(flg_mat3_column(&inner, 0), q[0]), q[1],
                                          flg_mat3_column(&inner, 1));
      break;
    case FLG_JOINT_BALL:
      pose.rotation = quaternion_turn(q);
      break;
    case FLG_JOINT_FLOATING:
      pose = (flg_pose){quaternion_turn(q + 3), flg_vec3_load(q)};
      break;
  }
  return pose;
}

/* Bodies of random trees come after their parents. */
static void place_bodies(const sample *s, const double *q, flg_pose *poses) {
  for (int b = 0; b < s->model.body_count; b++) {
    const flg_joint *joint = &s->model.joints[b];
    const int link = s->robot.joint_links[b];
    const flg_pose ground = flg_pose_identity();
    const flg_pose *parent = joint->parent == FLG_WORLD ? &ground : &poses[joint->parent];
    const flg_pose joint_frame = flg_pose_compose(parent, &joint->origin);
    const flg_pose moved = displacement(s, b, link < 0 ? q : q + s->robot.links[link].position);
    poses[b] = flg_pose_compose(&joint_frame, &moved);
  }
}

/* --- differences -------------------------------------------------------------------------------
 */

enum { POINTS = 6 };
static const double TIMES[POINTS] = {-3, -2, -1, 1, 2, 3};
static const double FIRST[POINTS] = {-1. / 60, 9. / 60, -45. / 60, 45. / 60, -9. / 60, 1. / 60};

/* centre of mass and attitude of all bodies along v t + a t^2/2 from q */
typedef struct snapshot {
  flg_vec3 centre[SCENE_BODIES];
  flg_mat3 rotation[SCENE_BODIES];
} snapshot;

static snapshot snapshot_at(const scene *x, const double *v, const double *a, double t) {
  double q[SCENE_SIZE], way[SCENE_SIZE];
  flg_pose poses[SCENE_BODIES];
  snapshot shot = {0};
  for (int k = 0; k < x->n; k++) way[k] = t * v[k] + t * t / 2 * a[k];
  flg_robot_integrate(&x->s->robot, x->q, way, 1, q);
  place_bodies(x->s, q, poses);
  for (int b = 0; b < x->s->model.body_count; b++) {
    shot.centre[b] = flg_pose_apply(&poses[b], x->s->model.bodies[b].centre);
    shot.rotation[b] = poses[b].rotation;
  }
  return shot;
}

typedef struct velocities {
  flg_vec3 centre[SCENE_BODIES], angular[SCENE_BODIES], spin[SCENE_BODIES]; /* spin: I w */
} velocities;

/* at the time t: c', w from R' R^T, and I w */
static velocities velocities_at(const scene *x, const double *v, const double *a, double t) {
  const double h = 2e-3;
  const snapshot now = snapshot_at(x, v, a, t);
  velocities found = {0};
  flg_mat3 rate[SCENE_BODIES] = {0};
  for (int p = 0; p < POINTS; p++) {
    const snapshot shot = snapshot_at(x, v, a, t + h * TIMES[p]);
    for (int b = 0; b < x->s->model.body_count; b++) {
      found.centre[b] = flg_vec3_add_scaled(found.centre[b], FIRST[p] / h, shot.centre[b]);
      rate[b] = flg_mat3_add_scaled(&rate[b], FIRST[p] / h, &shot.rotation[b]);
    }
  }
  for (int b = 0; b < x->s->model.body_count; b++) {
    const flg_mat3 back = flg_mat3_transpose(&now.rotation[b]);
    const flg_mat3 skew = flg_mat3_multiply(&rate[b], &back);
    const flg_sym3 I = flg_sym3_rotate(x->s->model.bodies[b].inertia, &now.rotation[b]);
    found.angular[b] = (flg_vec3){(skew.m[5] - skew.m[7]) / 2, (skew.m[6] - skew.m[2]) / 2,
                                  (skew.m[1] - skew.m[3]) / 2};
    found.spin[b] = flg_sym3_apply(I, found.angular[b]);
  }
  return found;
}

/* c'' and (I w)' at the time 0 */
static velocities rates_of(const scene *x) {
  const double h = 1e-2;
  velocities rate = {0};
  for (int p = 0; p < POINTS; p++) {
    const velocities there = velocities_at(x, x->v, x->a, h * TIMES[p]);
    for (int b = 0; b < x->s->model.body_count; b++) {
      rate.centre[b] = flg_vec3_add_scaled(rate.centre[b], FIRST[p] / h, there.centre[b]);
      rate.spin[b] = flg_vec3_add_scaled(rate.spin[b], FIRST[p] / h, there.spin[b]);
    }
  }
  return rate;
}

/* --- forces ------------------------------------------------------------------------------------
 */

static velocities unit_velocities(const scene *x, int k) {
  const double none[SCENE_SIZE] = {0};
  double unit[SCENE_SIZE] = {0};
  unit[k] = 1;
  return velocities_at(x, unit, none, 0);
}

/* of the rotor that a coordinate turns */
static double rotor_of(const scene *x, int k) {
  const flg_robot *robot = &x->s->robot;
  int link = 0;
  while (k >= robot->links[link].velocity + robot->links[link].velocity_count) link++;
  return robot->links[link].armature;
}

static void forces_of(const scene *x, double *f) {
  const velocities rate = rates_of(x);
  for (int k = 0; k < x->n; k++) {
    const velocities unit = unit_velocities(x, k);
    f[k] = rotor_of(x, k) * x->a[k];
    for (int b = 0; b < x->s->model.body_count; b++) {
      const flg_vec3 inertial = flg_vec3_subtract(rate.centre[b], GRAVITY);
      f[k] += x->s->model.bodies[b].mass * flg_vec3_dot(unit.centre[b], inertial) +
              flg_vec3_dot(unit.angular[b], rate.spin[b]);
    }
  }
}

static void masses_of(const scene *x, double *M) {
  velocities *unit = calloc((size_t)x->n, sizeof *unit);
  assert_non_null(unit);
  for (int k = 0; k < x->n; k++) unit[k] = unit_velocities(x, k);
  for (int k = 0; k < x->n * x->n; k++) {
    const velocities *row = &unit[k % x->n], *column = &unit[k / x->n];
    M[k] = k % x->n == k / x->n ? rotor_of(x, k / x->n) : 0;
    for (int b = 0; b < x->s->model.body_count; b++) {
      M[k] += x->s->model.bodies[b].mass * flg_vec3_dot(row->centre[b], column->centre[b]) +
              flg_vec3_dot(row->angular[b], column->spin[b]);
    }
  }
  free(unit);
}

static void compare(random_source *source, const flg_joint_kind *kinds, int kind_count) {
  scene x = random_scene(source, kinds, kind_count);
  if (x.n > 0) {
    double f[SCENE_SIZE], expected[SCENE_SIZE];
    double M[SCENE_SIZE * SCENE_SIZE], masses[SCENE_SIZE * SCENE_SIZE];
    flg_dynamics_inverse(x.s->dynamics, x.q, x.v, x.a, GRAVITY, NULL, f);
    forces_of(&x, expected);
    assert_near(relative_difference(f, expected, x.n), 0, 1e-7);
    flg_dynamics_mass(x.s->dynamics, M);
    masses_of(&x, masses);
    assert_near(relative_difference(M, masses, x.n * x.n), 0, 1e-10);
  }
  sample_release(x.s);
}

static void every_kind_alone_follows_virtual_power(void **state) {
  (void)state;
  random_source source = {1};
  for (int kind = 0; kind < ALL_KIND_COUNT; kind++) {
    for (int k = 0; k < 20; k++) compare(&source, &ALL_KINDS[kind], 1);
  }
}

static void trees_of_all_kinds_follow_virtual_power(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 300; k++) compare(&source, ALL_KINDS, ALL_KIND_COUNT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_alone_follows_virtual_power),
      cmocka_unit_test(trees_of_all_kinds_follow_virtual_power),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
