/* Robots against MuJoCo: mass matrix, bias, forward and inverse dynamics of random trees. */
#include "random_tree.h"

#include "mjcf.h"

enum { TREES = REPEATS(1000), BODIES = 40, SIZE = 7 * BODIES };

static const flg_vec3 GRAVITY = {1, -2, -9.81};
static const flg_joint_kind SHARED_KINDS[] = {
    FLG_JOINT_REVOLUTE,    FLG_JOINT_CONTINUOUS, FLG_JOINT_PRISMATIC,
    FLG_JOINT_CYLINDRICAL, FLG_JOINT_UNIVERSAL,  FLG_JOINT_PLANAR,
    FLG_JOINT_BALL,        FLG_JOINT_FLOATING,   FLG_JOINT_FIXED};
enum { SHARED_KIND_COUNT = sizeof SHARED_KINDS / sizeof SHARED_KINDS[0] };

typedef struct both {
  sample *s;
  mjModel *model;
  mjData *data;
  int n;
  double q[SIZE], v[SIZE], f[SIZE], a[SIZE];
} both;

/* Every third tree floats on a joint that MuJoCo has, too. */
static void free_the_base(sample *s) {
  s->model.joints[0].kind = FLG_JOINT_FLOATING;
  s->model.joints[0].armature = 0;
  s->model.joints[0].origin = flg_pose_identity();
}

static both random_both(random_source *source, int number) {
  both x = {0};
  const int bodies = random_integer(source, 2, BODIES);
  x.s = random_tree(source, bodies, SHARED_KINDS, SHARED_KIND_COUNT);
  if (number % 3 == 0) {
    free_the_base(x.s);
    flg_region_release(&x.s->region);
    sample_finish(x.s);
  }
  x.model = mjcf_model(x.s, GRAVITY);
  x.data = mj_makeData(x.model);
  x.n = x.s->robot.velocity_count;
  assert_true(x.model->nv == x.n && x.model->nq == x.s->robot.position_count);
  random_position(source, &x.s->robot, x.q);
  random_numbers(source, 2, x.v, x.n);
  random_numbers(source, 50, x.f, x.n);
  random_numbers(source, 5, x.a, x.n);
  memcpy(x.data->qpos, x.q, (size_t)x.s->robot.position_count * sizeof(double));
  memcpy(x.data->qvel, x.v, (size_t)x.n * sizeof(double));
  memcpy(x.data->qfrc_applied, x.f, (size_t)x.n * sizeof(double));
  return x;
}

static void release(both *x) {
  mj_deleteData(x->data);
  mj_deleteModel(x->model);
  sample_release(x->s);
}

static void compare_forward(both *x) {
  static double M[SIZE * SIZE], masses[SIZE * SIZE];
  const double none[SIZE] = {0};
  double a[SIZE], bias[SIZE];
  flg_dynamics *d = x->s->dynamics;
  mj_forward(x->model, x->data);
  flg_dynamics_forward(d, x->q, x->v, x->f, GRAVITY, NULL, NULL, a);
  /* the condition of M takes four digits of accelerations; all else is rounding of sums */
  assert_near(relative_difference(a, x->data->qacc, x->n), 0, 1e-10);
  flg_dynamics_mass(d, M);
  mj_fullM(x->model, masses, x->data->qM);
  assert_near(relative_difference(M, masses, x->n * x->n), 0, 3e-14);
  flg_dynamics_inverse(d, x->q, x->v, none, GRAVITY, NULL, bias);
  assert_near(relative_difference(bias, x->data->qfrc_bias, x->n), 0, 5e-14);
}

static void compare_inverse(both *x) {
  double f[SIZE];
  memcpy(x->data->qacc, x->a, (size_t)x->n * sizeof(double));
  mj_inverse(x->model, x->data);
  flg_dynamics_inverse(x->s->dynamics, x->q, x->v, x->a, GRAVITY, NULL, f);
  assert_near(relative_difference(f, x->data->qfrc_inverse, x->n), 0, 1e-13);
}

/* MuJoCo's body 0 is the world, and fixed bodies stay bodies: both count in depth-first order */
static void random_trees_agree_with_mujoco(void **state) {
  (void)state;
  random_source source = {1};
  int compared = 0;
  for (int k = 0; k < TREES; k++) {
    both x = random_both(&source, k);
    if (x.n > 0) {
      compare_forward(&x);
      compare_inverse(&x);
      compared++;
    }
    release(&x);
  }
  assert_true(compared > TREES * 99 / 100);
}

static void arm_agrees_with_mujoco(void **state) {
  (void)state;
  both x = {.s = sample_arm(), .n = ARM_LINKS};
  x.model = mjcf_model(x.s, GRAVITY);
  x.data = mj_makeData(x.model);
  for (int k = 0; k < ARM_LINKS; k++) {
    x.data->qpos[k] = x.q[k] = 0.3 + 0.2 * k;
    x.data->qvel[k] = x.v[k] = 0.5 - 0.1 * k;
    x.data->qfrc_applied[k] = x.f[k] = 100 * (k - 3);
    x.a[k] = 0.1 * k;
  }
  compare_forward(&x);
  compare_inverse(&x);
  release(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_agree_with_mujoco),
      cmocka_unit_test(arm_agrees_with_mujoco),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
