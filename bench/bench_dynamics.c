/* bench_dynamics - the dynamics of a robot against MuJoCo's, in one process, and how its cost
 * grows.
 *
 * Times are the smallest of many batches. The same accelerations, forces and masses are checked
 * first: a fast wrong answer is no answer.
 */
#include "mass_matrix.h"
#include "mjcf.h"
#include "stopwatch.h"

static const flg_vec3 GRAVITY = {0, 0, -9.81};

/* --- one robot, both libraries ------------------------------------------------------------------
 */

typedef struct pair {
  sample *ours;
  mjModel *model;
  mjData *data;
  double q[ARM_LINKS], v[ARM_LINKS], f[ARM_LINKS], a[ARM_LINKS], M[ARM_LINKS * ARM_LINKS];
} pair;

typedef void work(pair *p);

static void our_forward(pair *p) {
  flg_dynamics_forward(p->ours->dynamics, p->q, p->v, p->f, GRAVITY, NULL, NULL, p->a);
}

static void their_forward(pair *p) {
  mj_forward(p->model, p->data);
}

static void our_inverse(pair *p) {
  flg_dynamics_inverse(p->ours->dynamics, p->q, p->v, p->a, GRAVITY, NULL, p->f);
}

/* all that mj_rne needs, and it */
static void their_inverse(pair *p) {
  mj_kinematics(p->model, p->data);
  mj_comPos(p->model, p->data);
  mj_comVel(p->model, p->data);
  mj_rne(p->model, p->data, 1, p->data->qfrc_inverse);
}

static void our_mass(pair *p) {
  flg_dynamics_kinematics(p->ours->dynamics, p->q, p->v);
  mass_matrix(p->ours->dynamics, p->M);
}

/* all that mj_crb needs, and it */
static void their_mass(pair *p) {
  mj_kinematics(p->model, p->data);
  mj_comPos(p->model, p->data);
  mj_crb(p->model, p->data);
}

static void their_rne_alone(pair *p) {
  mj_rne(p->model, p->data, 1, p->data->qfrc_inverse);
}

static void their_crb_alone(pair *p) {
  mj_crb(p->model, p->data);
}

/* seconds a call */
static double time_of(work *call, pair *p, int batches, int calls) {
  double best = INFINITY;
  for (int k = 0; k < batches; k++) {
    const double start = now();
    for (int j = 0; j < calls; j++) call(p);
    best = flg_smaller(best, (now() - start) / calls);
  }
  return best;
}

/* largest difference, relative to the largest value */
static double deviation(const double *ours, const double *theirs, int count) {
  double difference = 0, scale = 0;
  for (int k = 0; k < count; k++) {
    difference = flg_larger(difference, fabs(ours[k] - theirs[k]));
    scale = flg_larger(scale, fabs(theirs[k]));
  }
  return difference / scale;
}

static void compare(const char *name, work *ours, work *theirs, pair *p) {
  double own = INFINITY, other = INFINITY;
  for (int k = 0; k < 5; k++) { /* in turns, so that both meet the same weather */
    own = flg_smaller(own, time_of(ours, p, 100, 1000));
    other = flg_smaller(other, time_of(theirs, p, 100, 1000));
  }
  printf("%-22s %8.3f us %8.3f us   ratio %.3f\n", name, 1e6 * own, 1e6 * other, own / other);
}

static void set_state(pair *p) {
  for (int k = 0; k < ARM_LINKS; k++) {
    p->q[k] = 0.3 + 0.2 * k;
    p->v[k] = 0.5 - 0.1 * k;
    p->f[k] = 100 * (k - 3);
    if (p->data == NULL) continue;
    p->data->qpos[k] = p->q[k];
    p->data->qvel[k] = p->v[k];
    p->data->qfrc_applied[k] = p->f[k];
  }
}

static void check_results(pair *p) {
  double full[ARM_LINKS * ARM_LINKS];
  our_forward(p);
  their_forward(p);
  printf("accelerations agree to %.1e", deviation(p->a, p->data->qacc, ARM_LINKS));
  our_mass(p);
  mj_fullM(p->model, full, p->data->qM);
  printf(", masses to %.1e", deviation(p->M, full, ARM_LINKS * ARM_LINKS));
  our_inverse(p);
  their_inverse(p);
  printf(", forces to %.1e\n", deviation(p->f, p->data->qfrc_inverse, ARM_LINKS));
}

static void bench_arm(void) {
  pair p = {.ours = sample_arm()};
  p.model = mjcf_model(p.ours, GRAVITY);
  p.data = mj_makeData(p.model);
  sample_require(p.data != NULL && p.model->nv == ARM_LINKS, "MuJoCo built another arm");
  set_state(&p);
  check_results(&p);
  printf("%-22s %11s %11s\n", "seven-joint arm", "flange", "MuJoCo");
  compare("forward", our_forward, their_forward, &p);
  compare("inverse", our_inverse, their_inverse, &p);
  compare("  mj_rne alone", our_inverse, their_rne_alone, &p);
  compare("mass matrix", our_mass, their_mass, &p);
  compare("  mj_crb alone", our_mass, their_crb_alone, &p);
  mj_deleteData(p.data);
  mj_deleteModel(p.model);
  sample_release(p.ours);
}

/* --- chains -------------------------------------------------------------------------------------
 */

typedef struct chain_time {
  int links;
  double build, forward; /* [s] */
} chain_time;

static sample *chain_of(int links) {
  sample *s = sample_build(links);
  for (int k = 0; k < links; k++) {
    const int body = sample_add(s, k - 1, FLG_JOINT_REVOLUTE, sample_shift(0.1, 0, 0));
    if (k % 2) s->model.joints[body].axis = (flg_vec3){0, 1, 0};
    sample_cylinder(&s->model.bodies[body], (flg_vec3){0.1, 0, 0});
  }
  return s;
}

static double build_time(sample *s) {
  double best = INFINITY;
  flg_arena arena;
  sample_require(flg_arena_build(&arena, flg_robot_bytes(&s->model), NULL) == FLG_OK, "arena");
  for (int k = 0; k < 10; k++) {
    const double start = now();
    flg_robot robot;
    flg_mistakes mistakes = {0};
    flg_model_check(&s->model, &mistakes);
    flg_robot_build(&robot, &s->model, &arena, &mistakes);
    best = flg_smaller(best, now() - start);
    flg_arena_rewind(&arena, 0);
  }
  flg_arena_release(&arena);
  return best;
}

static chain_time time_chain(int links) {
  sample *s = chain_of(links);
  chain_time t = {.links = links, .build = build_time(s), .forward = INFINITY};
  sample_finish(s);
  double *x = calloc(4 * (size_t)links, sizeof *x);
  sample_require(x != NULL, "no memory");
  for (int k = 0; k < links; k++) x[k] = 0.1 * sin(k);
  for (int k = 0; k < 20 + 1000000 / links; k++) {
    const double start = now();
    flg_dynamics_forward(s->dynamics, x, x + links, x + 2 * links, GRAVITY, NULL, NULL,
                         x + 3 * links);
    t.forward = flg_smaller(t.forward, now() - start);
  }
  free(x);
  sample_release(s);
  return t;
}

/* slope of log time over log links, least squares */
static double exponent(const chain_time *times, int count, int of_build) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int k = 0; k < count; k++) {
    const double a = log(times[k].links), b = log(of_build ? times[k].build : times[k].forward);
    x += a / count, y += b / count, xx += a * a / count, xy += a * b / count;
  }
  return (xy - x * y) / (xx - x * x);
}

static void bench_chains(void) {
  const int sizes[] = {100, 200, 500, 1000, 2000, 5000, 10000, 100000};
  enum { COUNT = sizeof sizes / sizeof sizes[0] };
  chain_time times[COUNT];
  printf("\n%-10s %14s %14s\n", "chain", "forward/link", "build/link");
  for (int k = 0; k < COUNT; k++) {
    times[k] = time_chain(sizes[k]);
    printf("%-10d %11.4f us %11.4f us\n", sizes[k], 1e6 * times[k].forward / sizes[k],
           1e6 * times[k].build / sizes[k]);
  }
  printf("exponent from 100 to 10000 links: forward %.3f, build %.3f\n",
         exponent(times, COUNT - 1, 0), exponent(times, COUNT - 1, 1));
}

/* With an argument, that many forward calls of ours and nothing else, to be counted by callgrind.
 */
int main(int count, char **arguments) {
  if (count > 1) {
    pair p = {.ours = sample_arm()};
    set_state(&p);
    for (long k = strtol(arguments[1], NULL, 10); k > 0; k--) our_forward(&p);
    sample_release(p.ours);
    return 0;
  }
  bench_arm();
  bench_chains();
  return 0;
}
