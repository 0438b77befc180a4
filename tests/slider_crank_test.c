/* The flexible slider-crank of the IVP test set (Simeon 1998): a rod that bends by two sines and
 * stretches by two parabolas, driven by a crank at 150 rad/s. The rod is a flexible link; the
 * slider is a point at its end that stays on a line. */
#include "check.h"
#include "math/dense.h"
#include "model/beam.h"
#include "plain_mass.h"
#include "sample.h"

enum { N = 6, ROWS = 2, SIZE = N + ROWS }; /* crank, rod, four elastic coordinates */

static const double SPEED = 150;

typedef struct mechanism {
  sample *s;
  flg_region region;
  flg_modal_body rod;
  flg_link_anchor end;
} mechanism;

static const double MIDDLE[3] = {0, 4, -4}, END[3] = {0, -1, 2};

static mechanism *mechanism_new(void) {
  mechanism *made = calloc(1, sizeof *made);
  const flg_beam_piece piece = {.length = .3,
                                .section = flg_beam_rectangle(.008, .008),
                                .young = 2e11,
                                .shear = 8e10,
                                .density = 7870};
  const flg_beam_mode modes[4] = {{FLG_BEAM_ALONG_Y, FLG_BEAM_PINNED_PINNED, 1, NULL, 0},
                                  {FLG_BEAM_ALONG_Y, FLG_BEAM_PINNED_PINNED, 2, NULL, 0},
                                  {FLG_BEAM_AXIAL, FLG_BEAM_POLYNOMIAL, 0, MIDDLE, 3},
                                  {FLG_BEAM_AXIAL, FLG_BEAM_POLYNOMIAL, 0, END, 3}};
  const flg_beam beam = {.end = {.3, 0, 0},
                         .side = {0, 1, 0},
                         .pieces = &piece,
                         .piece_count = 1,
                         .own = modes,
                         .own_count = 4};
  assert_int_equal(flg_beam_build(&beam, &made->rod, &made->region), FLG_OK);
  assert_near(made->rod.rigid.mass, .151104, 1e-14);
  assert_near(made->rod.rigid.rotation.zz, .0045339259, 1e-10);
  made->s = sample_build(3);
  const int crank = sample_add(made->s, FLG_WORLD, FLG_JOINT_REVOLUTE, sample_shift(0, 0, 0));
  const int rod = sample_add(made->s, crank, FLG_JOINT_REVOLUTE, sample_shift(.15, 0, 0));
  const int slider = sample_add(made->s, rod, FLG_JOINT_FIXED, sample_shift(.3, 0, 0));
  flg_body *bodies = made->s->model.bodies;
  bodies[crank].mass = .36, bodies[crank].inertia = (flg_sym3){.002727, .002727, .002727, 0, 0, 0};
  bodies[rod].mass = made->rod.rigid.mass;
  bodies[rod].centre = (flg_vec3){.15, 0, 0};
  const double across = made->rod.rigid.rotation.zz - .151104 * .0225;
  bodies[rod].inertia = (flg_sym3){made->rod.rigid.rotation.xx, across, across, 0, 0, 0};
  bodies[rod].flexible = &made->rod;
  bodies[slider].mass = .075552, bodies[slider].inertia = (flg_sym3){0};
  sample_finish(made->s);
  const flg_pose end = sample_shift(.3, 0, 0);
  made->end = flg_robot_anchor(&made->s->robot, rod, &end, NULL);
  return made;
}

static void mechanism_drop(mechanism *of) {
  sample_release(of->s);
  flg_region_release(&of->region);
  free(of);
}

/* x = [a; forces of the crank's drive and of the slider's line]: M a + c - J^T l = f, J a = -J' v
 */
static void accelerate(mechanism *of, const double *q, const double *v, double *a) {
  flg_dynamics *d = of->s->dynamics;
  double M[N * N], c[N], zero[N] = {0}, J[6 * N], A[SIZE * SIZE] = {0}, b[SIZE];
  flg_dynamics_inverse(d, q, v, zero, (flg_vec3){0, 0, 0}, NULL, c);
  flg_dynamics_kinematics(d, q, v);
  plain_mass(d, M);
  flg_dynamics_frame_jacobian(d, &of->end, J);
  for (int k = 0; k < N; k++) b[k] = -c[k];
  flg_robot_elastic_force(&of->s->robot, q, v, b);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) A[i + SIZE * j] = M[i + N * j];
    A[i + SIZE * N] = A[N + SIZE * i] = i == 0;
    A[i + SIZE * (N + 1)] = A[N + 1 + SIZE * i] = J[1 + 6 * i];
  }
  b[N] = 0;
  b[N + 1] = -flg_dynamics_frame_bias(d, &of->end).linear.y;
  for (int k = 0; k < SIZE; k++) { /* Gauss with pivots */
    int pivot = k;
    for (int i = k + 1; i < SIZE; i++) {
      if (fabs(A[i + SIZE * k]) > fabs(A[pivot + SIZE * k])) pivot = i;
    }
    for (int j = 0; j < SIZE; j++) {
      const double kept = A[k + SIZE * j];
      A[k + SIZE * j] = A[pivot + SIZE * j], A[pivot + SIZE * j] = kept;
    }
    const double kept = b[k];
    b[k] = b[pivot], b[pivot] = kept;
    for (int i = k + 1; i < SIZE; i++) {
      const double factor = A[i + SIZE * k] / A[k + SIZE * k];
      for (int j = k; j < SIZE; j++) A[i + SIZE * j] -= factor * A[k + SIZE * j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = SIZE - 1; k >= 0; k--) {
    for (int j = k + 1; j < SIZE; j++) b[k] -= A[k + SIZE * j] * b[j];
    b[k] /= A[k + SIZE * k];
  }
  memcpy(a, b, N * sizeof *a);
}

/* The crank where it is driven, the rod so that the slider is on its line. */
static void put_back(mechanism *of, double time, double *q, double *v) {
  double J[6 * N];
  const double before = q[0];
  q[0] = SPEED * time, v[0] = SPEED;
  q[1] -= q[0] - before;
  for (int k = 0; k < 5; k++) {
    flg_dynamics_kinematics(of->s->dynamics, q, v);
    flg_dynamics_frame_jacobian(of->s->dynamics, &of->end, J);
    q[1] -= flg_dynamics_frame_pose(of->s->dynamics, &of->end).position.y / J[7];
  }
  flg_dynamics_kinematics(of->s->dynamics, q, v);
  flg_dynamics_frame_jacobian(of->s->dynamics, &of->end, J);
  v[1] -= flg_dynamics_frame_velocity(of->s->dynamics, &of->end).linear.y / J[7];
}

static void step(mechanism *of, double time, double h, double *q, double *v) {
  static const double node[4] = {0, .5, .5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double qs[N], vs[N], a[N], q_sum[N], v_sum[N], rate[N] = {0};
  memset(a, 0, sizeof a);
  memcpy(q_sum, q, sizeof q_sum), memcpy(v_sum, v, sizeof v_sum);
  for (int s = 0; s < 4; s++) {
    for (int k = 0; k < N; k++) {
      qs[k] = q[k] + node[s] * h * rate[k];
      vs[k] = v[k] + node[s] * h * a[k];
    }
    memcpy(rate, vs, sizeof rate);
    accelerate(of, qs, vs, a);
    for (int k = 0; k < N; k++) {
      q_sum[k] += weight[s] * h * rate[k];
      v_sum[k] += weight[s] * h * a[k];
    }
  }
  memcpy(q, q_sum, sizeof q_sum), memcpy(v, v_sum, sizeof v_sum);
  put_back(of, time + h, q, v);
}

static void ends_where_the_test_set_says(void **state) {
  (void)state;
  mechanism *of = mechanism_new();
  double q[N] = {0, 0, 0, 0, 1.03339863e-5, 1.69327969e-5};
  double v[N] = {SPEED, -74.995767 - SPEED, .444896105, .00463434, -1.78591e-6, -2.689387e-6};
  assert_int_equal(of->s->robot.velocity_count, N);
  put_back(of, 0, q, v);
  assert_near(flg_dynamics_frame_pose(of->s->dynamics, &of->end).position.x, .450016933, 1e-9);
  assert_near(v[0] + v[1], -74.995767, 3e-7);
  const double h = 5e-6;
  for (int k = 0; k < 20000; k++) step(of, k * h, h, q, v);
  flg_dynamics_kinematics(of->s->dynamics, q, v);
  const double slider = flg_dynamics_frame_pose(of->s->dynamics, &of->end).position.x;
  print_message("rod %.7f rad, slider %.7f m, bending %.4g and %.4g m\n", q[0] + q[1], slider, q[2],
                q[3]);
  assert_near(q[0] + q[1], -.3311734988, 7e-7);
  assert_near(slider, .1697373328, 7e-7);
  assert_near(q[2], 1.893e-4, 4e-4 * 1.893e-4);
  assert_near(q[3], 2.376e-5, 8e-4 * 2.376e-5);
  mechanism_drop(of);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ends_where_the_test_set_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
