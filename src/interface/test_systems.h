/* test_systems.h - random systems of rigid bodies, and their dense solution in long double.
 *
 *     M a = f + G^T l,  G a + C l = gamma      S l = gamma - G b,  S = G M^-1 G^T + C,  b = M^-1 f
 *
 * The reference knows which rows are redundant, because the system was made so, and leaves them
 * out.
 */
#ifndef FLG_INTERFACE_TEST_SYSTEMS_H
#define FLG_INTERFACE_TEST_SYSTEMS_H

#include "check.h"
#include "interface/plan.h"
#include "interface/test_body_model.h"

enum { JOINT_ROWS_MAX = 12 };

typedef struct test_joint {
  int rows, ends, body[FLG_JOINT_ENDS_MAX]; /* all but body[0] may be FLG_GROUND */
  double G[FLG_JOINT_ENDS_MAX][JOINT_ROWS_MAX][6], gamma[JOINT_ROWS_MAX];
  double compliance[JOINT_ROWS_MAX]; /* of a soft joint */
  int redundant[JOINT_ROWS_MAX];
} test_joint;

typedef struct test_system {
  int body_count, joint_count, joint_capacity, contact_count, outer_count, group_count;
  double (*H)[36], (*Z)[36], (*bias)[6];
  test_joint *joints;
  double (
      *contact)[6]; /* (contact_count of each body) contact rows of body i at i * contact_count */
  flg_graph_part *parts;
  flg_graph_joint *graph_joints;
  flg_graph_port *outers;
  int *group_parent; /* (body_count) room */
} test_system;

static inline void *checked(void *memory) {
  assert_non_null(memory);
  return memory;
}

static inline void fill_random(random_source *source, double *values, int count) {
  for (int i = 0; i < count; i++) values[i] = random_uniform(source, -1, 1);
}

/* A body as an axis-parallel or turned block, mass spread over `ratio`; inertia of about m l^2
 * / 12. */
static inline void random_body(random_source *source, double ratio, double H[36], double Z[36]) {
  const double mass = pow(ratio, random_uniform(source, -0.5, 0.5));
  flg_sym3 inertia = flg_sym3_diagonal(0.05 * mass);
  for (int k = 0; k < 3; k++) {
    double v[3];
    fill_random(source, v, 3);
    inertia = flg_sym3_add_scaled(inertia, 0.1 * mass, flg_sym3_outer(flg_vec3_load(v)));
  }
  assert_int_equal(body_model_admittance(mass, inertia, H), FLG_OK);
  assert_int_equal(body_model_root(mass, inertia, Z), FLG_OK);
}

static inline test_system *system_of(random_source *source, int bodies, double ratio) {
  const size_t n = (size_t)bodies;
  test_system *s = checked(calloc(1, sizeof *s));
  s->body_count = bodies;
  s->joint_capacity = 4 * bodies + 8;
  s->H = checked(calloc(n, sizeof *s->H));
  s->Z = checked(calloc(n, sizeof *s->Z));
  s->bias = checked(calloc(n, sizeof *s->bias));
  s->joints = checked(calloc((size_t)s->joint_capacity, sizeof *s->joints));
  s->parts = checked(calloc(n, sizeof *s->parts));
  s->graph_joints = checked(calloc((size_t)s->joint_capacity, sizeof *s->graph_joints));
  s->outers = checked(calloc(n, sizeof *s->outers));
  s->group_parent = checked(calloc(n, sizeof *s->group_parent));
  for (int i = 0; i < bodies; i++) {
    random_body(source, ratio, s->H[i], s->Z[i]);
    fill_random(source, s->bias[i], 6);
    s->parts[i] = (flg_graph_part){.ports = 1, .group = FLG_NO_GROUP};
  }
  return s;
}

static inline void system_drop(test_system *s) {
  free(s->H), free(s->Z), free(s->bias), free(s->joints), free(s->parts);
  free(s->graph_joints), free(s->outers), free(s->contact), free(s->group_parent), free(s);
}

static inline test_joint *add_wide_joint(test_system *s, int ends, const int *body, int rows) {
  assert_true(s->joint_count < s->joint_capacity && rows <= JOINT_ROWS_MAX);
  flg_graph_joint *drawn = &s->graph_joints[s->joint_count];
  test_joint *joint = &s->joints[s->joint_count++];
  *drawn = (flg_graph_joint){.rows = rows, .ends = ends};
  *joint = (test_joint){.rows = rows, .ends = ends};
  for (int e = 0; e < ends; e++) drawn->end[e].part = joint->body[e] = body[e];
  return joint;
}

static inline test_joint *add_joint(test_system *s, int a, int b, int rows) {
  return add_wide_joint(s, 2, (const int[]){a, b}, rows);
}

static inline test_joint *add_random_wide_joint(random_source *source, test_system *s, int ends,
                                                const int *body, int rows) {
  test_joint *joint = add_wide_joint(s, ends, body, rows);
  for (int e = 0; e < ends; e++) {
    if (body[e] != FLG_GROUND) fill_random(source, &joint->G[e][0][0], 6 * rows);
  }
  fill_random(source, joint->gamma, rows);
  return joint;
}

static inline test_joint *add_random_joint(random_source *source, test_system *s, int a, int b,
                                           int rows) {
  return add_random_wide_joint(source, s, 2, (const int[]){a, b}, rows);
}

/* all rows of joint j are soft, by 10^-decades to 10^decades */
static inline void soften(random_source *source, test_system *s, int j, double decades) {
  s->graph_joints[j].soft = 1;
  for (int i = 0; i < s->joints[j].rows; i++) {
    s->joints[j].compliance[i] = pow(10, random_uniform(source, -decades, decades));
  }
}

/* one more row, a mix of those that are there */
static inline void add_redundant_row(random_source *source, test_joint *joint) {
  const int last = joint->rows++;
  joint->redundant[last] = 1;
  for (int i = 0; i < last; i++) {
    const double weight = random_uniform(source, -1, 1);
    for (int e = 0; e < joint->ends; e++) {
      for (int k = 0; k < 6; k++) joint->G[e][last][k] += weight * joint->G[e][i][k];
    }
    joint->gamma[last] += weight * joint->gamma[i];
  }
}

/* a row at the point `at` along e: [e, d x e], d the lever arm from the centre; or [0, e] */
static inline void point_row(flg_vec3 e, flg_vec3 arm, double sign, double row[6]) {
  flg_vec3_store(flg_vec3_scale(e, sign), row);
  flg_vec3_store(flg_vec3_scale(flg_vec3_cross(arm, e), sign), row + 3);
}

static inline void turn_row(flg_vec3 e, double sign, double row[6]) {
  row[0] = row[1] = row[2] = 0;
  flg_vec3_store(flg_vec3_scale(e, sign), row + 3);
}

static inline flg_vec3 random_vec3(random_source *source) {
  double v[3];
  fill_random(source, v, 3);
  return flg_vec3_load(v);
}

/* a hinge about `axis`, at the lever arms from both centres; 5 rows, a minus b */
static inline void set_revolute(test_joint *joint, flg_vec3 axis, const flg_vec3 arm[2]) {
  const flg_vec3 u = flg_vec3_perpendicular(axis);
  const flg_vec3 v = flg_vec3_normalise(flg_vec3_cross(axis, u));
  const flg_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int s = 0; s < (joint->body[1] == FLG_GROUND ? 1 : 2); s++) {
    const double sign = s == 0 ? 1 : -1;
    for (int i = 0; i < 3; i++) point_row(unit[i], arm[s], sign, joint->G[s][i]);
    turn_row(u, sign, joint->G[s][3]);
    turn_row(v, sign, joint->G[s][4]);
  }
}

/* --- systems ------------------------------------------------------------------------------------
 */

/* Each body hangs on an earlier one: the last (a chain) or any (a tree). */
static inline test_system *random_tree_system(random_source *source, int bodies, double ratio,
                                              int is_chain, int is_grounded, int redundant) {
  test_system *s = system_of(source, bodies, ratio);
  if (is_grounded) {
    add_random_joint(source, s, 0, FLG_GROUND, random_integer(source, 1, 5));
  }
  for (int i = 1; i < bodies; i++) {
    const int on = is_chain ? i - 1 : random_integer(source, 0, i - 1);
    test_joint *joint = add_random_joint(source, s, i, on, random_integer(source, 1, 5));
    for (int k = 0; k < redundant; k++) add_redundant_row(source, joint);
    s->graph_joints[s->joint_count - 1].rows = joint->rows;
  }
  return s;
}

/* `ends` different bodies, the first one `last` or before it; one of the others may be the ground
 */
static inline void random_ends(random_source *source, int last, int ends, int *body) {
  for (int e = 0; e < ends; e++) {
    int is_new;
    do {
      is_new = 1;
      body[e] = random_integer(source, e == 0 ? 0 : FLG_GROUND, last);
      for (int k = 0; k < e; k++) is_new &= body[k] != body[e];
    } while (!is_new);
  }
}

/* gears and the like: one row each over three or four bodies, every second one twice */
static inline void add_random_gears(random_source *source, test_system *s, int count) {
  for (int k = 0; k < count; k++) {
    const int ends = random_integer(source, 3, 4);
    int body[FLG_JOINT_ENDS_MAX];
    random_ends(source, s->body_count - 1, ends, body);
    test_joint *joint = add_random_wide_joint(source, s, ends, body, 1);
    if (k % 2 == 1) add_redundant_row(source, joint);
    s->graph_joints[s->joint_count - 1].rows = joint->rows;
  }
}

/* Joints of three and four ends hold everything together; no others. */
static inline test_system *random_wide_system(random_source *source, int bodies, double ratio) {
  test_system *s = system_of(source, bodies, ratio);
  for (int i = 2; i < bodies; i += 2) {
    int body[FLG_JOINT_ENDS_MAX] = {i, i - 1};
    random_ends(source, i - 2, 2, body + 2);
    const int ends = body[3] == FLG_GROUND ? 3 : random_integer(source, 3, 4);
    add_random_wide_joint(source, s, ends, body, random_integer(source, 1, 5));
  }
  return s;
}

/* groups in groups, and some parts in none */
static inline void add_random_groups(random_source *source, test_system *s, int count) {
  s->group_count = count;
  for (int g = 0; g < count; g++) {
    s->group_parent[g] = random_integer(source, FLG_NO_GROUP, g - 1);
  }
  for (int i = 0; i < s->body_count; i++) {
    s->parts[i].group = random_integer(source, FLG_NO_GROUP, count - 1);
  }
}

static inline flg_graph graph_of(const test_system *s) {
  return (flg_graph){.part_count = s->body_count,
                     .joint_count = s->joint_count,
                     .outer_count = s->outer_count,
                     .group_count = s->group_count,
                     .parts = s->parts,
                     .joints = s->graph_joints,
                     .outers = s->outers,
                     .group_parent = s->group_parent};
}

static inline flg_plan *plan_of(const test_system *s, flg_plan_order order,
                                flg_elimination_form form, double tolerance) {
  const flg_graph graph = graph_of(s);
  const flg_plan_options options = {order, form, tolerance};
  flg_plan *plan = NULL;
  flg_error error = {0};
  if (flg_plan_build(&plan, &graph, &options, &error) != FLG_OK) fail_msg("%s", error.message);
  return plan;
}

/* J = [1; contact rows] (n x 6) */
static inline double port_jacobian(const test_system *s, int body, int i, int k) {
  return i < 6 ? i == k : s->contact[body * s->contact_count + i - 6][k];
}

/* H of part i is J H J^T; in root form Z is J Z, with empty columns behind */
static inline void fill_part(void *context, int part, const flg_plan_part *view) {
  const test_system *s = context;
  const int n = view->rows;
  if (n == 6) {
    memcpy(view->matrix, s->H[part], sizeof s->H[part]);
    memcpy(view->bias, s->bias[part], sizeof s->bias[part]);
    return;
  }
  for (int i = 0; i < n; i++) {
    view->bias[i] = 0;
    for (int k = 0; k < 6; k++) view->bias[i] += port_jacobian(s, part, i, k) * s->bias[part][k];
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) {
        for (int l = 0; l < 6; l++) {
          sum += port_jacobian(s, part, i < j ? i : j, k) * s->H[part][k + 6 * l] *
                 port_jacobian(s, part, i < j ? j : i, l);
        }
      }
      view->matrix[i + n * j] = sum;
    }
  }
}

static inline void fill_part_root(void *context, int part, const flg_plan_part *view) {
  const test_system *s = context;
  const int n = view->rows;
  if (n == 6) {
    memcpy(view->matrix, s->Z[part], sizeof s->Z[part]);
    memcpy(view->bias, s->bias[part], sizeof s->bias[part]);
    return;
  }
  for (int i = 0; i < n; i++) {
    view->bias[i] = 0;
    for (int k = 0; k < 6; k++) view->bias[i] += port_jacobian(s, part, i, k) * s->bias[part][k];
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < 6 && j < 6; k++) {
        sum += port_jacobian(s, part, i, k) * s->Z[part][k + 6 * j];
      }
      view->matrix[i + n * j] = sum;
    }
  }
}

static inline void fill_joint(void *context, int index, const flg_plan_joint *view) {
  const test_joint *joint = &((const test_system *)context)->joints[index];
  for (int i = 0; i < joint->rows; i++) {
    view->gamma[i] = joint->gamma[i];
    if (view->compliance != NULL) view->compliance[i] = joint->compliance[i];
    for (int e = 0; e < FLG_JOINT_ENDS_MAX; e++) {
      for (int k = 0; k < 6 && view->side[e] != NULL; k++) {
        view->side[e][i + k * view->leading] = joint->G[e][i][k];
      }
    }
  }
}

/* fills everything, and the scale */
static inline void fill_plan(flg_plan *plan, test_system *s, flg_elimination_form form) {
  for (int i = 0; i < s->body_count; i++) {
    const flg_plan_part view = flg_plan_part_view(plan, i);
    (form == FLG_FORM_ROOT ? fill_part_root : fill_part)(s, i, &view);
  }
  for (int j = 0; j < s->joint_count; j++) {
    const flg_plan_joint view = flg_plan_joint_view(plan, j);
    fill_joint(s, j, &view);
  }
  flg_plan_scale(plan, NULL);
}

/* --- the dense solution -------------------------------------------------------------------------
 */

typedef struct dense_system {
  int n, m;         /* velocities, independent rows */
  long double *G;   /* (m x n) row-major */
  long double *P;   /* (m x n) G M^-1 */
  long double *L;   /* (m x m) of S */
  long double *rhs; /* (m) gamma - G b */
  long double *C;   /* (m) compliance */
  const test_system *s;
} dense_system;

static inline void dense_rows(const test_system *s, dense_system *d) {
  int row = 0;
  for (int j = 0; j < s->joint_count; j++) {
    const test_joint *joint = &s->joints[j];
    for (int i = 0; i < joint->rows; i++) {
      if (joint->redundant[i]) continue;
      d->rhs[row] = (long double)joint->gamma[i];
      d->C[row] = (long double)joint->compliance[i];
      for (int e = 0; e < joint->ends; e++) {
        const int body = joint->body[e];
        if (body == FLG_GROUND) continue;
        for (int k = 0; k < 6; k++) {
          const long double g = (long double)joint->G[e][i][k];
          d->G[row * d->n + 6 * body + k] = g;
          d->rhs[row] -= g * (long double)s->bias[body][k];
        }
      }
      row++;
    }
  }
}

static inline void dense_solve(const dense_system *d, long double *x) {
  for (int i = 0; i < d->m; i++) {
    for (int k = 0; k < i; k++) x[i] -= d->L[i * d->m + k] * x[k];
    x[i] /= d->L[i * d->m + i];
  }
  for (int i = d->m - 1; i >= 0; i--) {
    for (int k = i + 1; k < d->m; k++) x[i] -= d->L[k * d->m + i] * x[k];
    x[i] /= d->L[i * d->m + i];
  }
}

/* S = L L^T; bodies are 6 x 6 blocks, rows touch a few of them */
static inline void dense_factor(dense_system *d) {
  const int n = d->n, m = d->m;
  for (int r = 0; r < m; r++) {
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 6; k++) {
        const int at = i - i % 6 + k;
        const long double g = d->G[r * n + at];
        if (g != 0) d->P[r * n + i] += g * (long double)d->s->H[i / 6][i % 6 + 6 * k];
      }
    }
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++) {
      long double sum = i == j ? d->C[i] : 0;
      for (int k = 0; k < n; k++) {
        if (d->G[j * n + k] != 0) sum += d->P[i * n + k] * d->G[j * n + k];
      }
      for (int k = 0; k < j; k++) sum -= d->L[i * m + k] * d->L[j * m + k];
      d->L[i * m + j] = i == j ? sqrtl(sum) : sum / d->L[j * m + j];
    }
    assert_true(d->L[i * m + i] > 0);
  }
}

static inline dense_system dense_of(const test_system *s) {
  dense_system d = {.n = 6 * s->body_count, .s = s};
  for (int j = 0; j < s->joint_count; j++) {
    for (int i = 0; i < s->joints[j].rows; i++) d.m += !s->joints[j].redundant[i];
  }
  const size_t n = (size_t)d.n, m = (size_t)d.m + 1;
  d.G = checked(calloc(n * m, sizeof *d.G));
  d.P = checked(calloc(n * m, sizeof *d.P));
  d.L = checked(calloc(m * m, sizeof *d.L));
  d.rhs = checked(calloc(m, sizeof *d.rhs));
  d.C = checked(calloc(m, sizeof *d.C));
  dense_rows(s, &d);
  dense_factor(&d);
  return d;
}

static inline void dense_drop(dense_system *d) {
  free(d->G), free(d->P), free(d->L), free(d->rhs), free(d->C);
}

/* accelerations (n) of all bodies under forces x (n; NULL: none) besides the bias */
static inline void dense_motion(const dense_system *d, const double *x, double *a) {
  long double *l = checked(malloc(((size_t)d->m + 1) * sizeof *l));
  for (int r = 0; r < d->m; r++) {
    l[r] = d->rhs[r];
    for (int i = 0; i < d->n && x != NULL; i++) l[r] -= d->P[r * d->n + i] * (long double)x[i];
  }
  dense_solve(d, l);
  for (int i = 0; i < d->n; i++) {
    long double sum = (long double)d->s->bias[i / 6][i % 6];
    for (int r = 0; r < d->m; r++) sum += d->P[r * d->n + i] * l[r];
    for (int k = 0; k < 6 && x != NULL; k++) {
      sum += (long double)d->s->H[i / 6][i % 6 + 6 * k] * (long double)x[i - i % 6 + k];
    }
    a[i] = (double)sum;
  }
  free(l);
}

/* --- comparisons --------------------------------------------------------------------------------
 */

/* largest difference of the bodies' accelerations, by the largest of them */
static inline double motion_error(const flg_plan *plan, const test_system *s, const double *a) {
  double largest = 0, error = 0;
  for (int i = 0; i < s->body_count; i++) {
    const flg_plan_part view = flg_plan_part_view(plan, i);
    for (int k = 0; k < 6; k++) {
      largest = flg_larger(largest, fabs(a[6 * i + k]));
      const double difference = fabs(view.motion[k] - a[6 * i + k]);
      error = flg_larger(error, difference);
    }
  }
  return error / largest;
}

static inline int independent_rows(const test_system *s) {
  int count = 0;
  for (int j = 0; j < s->joint_count; j++) {
    for (int i = 0; i < s->joints[j].rows; i++) count += !s->joints[j].redundant[i];
  }
  return count;
}

/* worst error over plans in both orders and forms */
static inline double worst_error(test_system *s, const double *a) {
  double worst = 0;
  for (int order = 0; order < 2; order++) {
    for (int form = 0; form < 2; form++) {
      flg_plan *plan = plan_of(s, (flg_plan_order)order, (flg_elimination_form)form, 1e-8);
      fill_plan(plan, s, (flg_elimination_form)form);
      assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
      assert_int_equal(flg_plan_solve(plan, NULL), FLG_OK);
      assert_int_equal(flg_plan_totals_view(plan).rank, independent_rows(s));
      const double error = motion_error(plan, s, a);
      worst = flg_larger(worst, error);
      flg_plan_release(plan);
    }
  }
  return worst;
}

static inline double compare_with_dense(test_system *s) {
  dense_system d = dense_of(s);
  double *a = checked(malloc((size_t)d.n * sizeof(double)));
  dense_motion(&d, NULL, a);
  const double error = worst_error(s, a);
  free(a);
  dense_drop(&d);
  return error;
}

#endif
