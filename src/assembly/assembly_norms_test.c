/* Projections in both norms and accelerations, against dense answers. */
#include "assembly/assembly_inner.h"
#include "leaves.h"
#include "long_runs.h"
#include "math/dense.h"
#include "math/svd.h"
#include "parts/bodies.h"

/* --- a dense view of an assembly ----------------------------------------------------------------
 */

typedef struct dense {
  int n, m;  /* velocities, rows */
  double *G; /* (m x n) */
  double *W; /* M^-1 (n x n), or 1 */
} dense;

static double *numbers(int count) {
  double *made = calloc((size_t)count + 1, sizeof *made);
  assert_non_null(made);
  return made;
}

/* A^+ (n x m) of A (m x n) */
static double *pseudo_inverse(int m, int n, const double *A) {
  const int k = m < n ? m : n;
  double *copy = numbers(m * n), *s = numbers(k), *u = numbers(m * k), *vt = numbers(k * n);
  double *work = numbers(flg_svd_workspace(m, n)), *made = numbers(n * m);
  memcpy(copy, A, (size_t)(m * n) * sizeof *copy);
  assert_int_equal(flg_svd_factor(m, n, copy, m, s, u, m, vt, k, work), FLG_OK);
  for (int r = 0; r < k && s[r] > 1e-9 * s[0]; r++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) made[i + j * n] += vt[r + i * k] * u[j + r * m] / s[r];
    }
  }
  free(copy), free(s), free(u), free(vt), free(work);
  return made;
}

/* what the velocities v do to the rows of all joints at q */
static void rates_at(flg_assembly *assembly, const double *q, const double *v, double *rates) {
  flg_assembly_place(assembly, q, v);
  for (int k = 0; k < assembly->model.joint_count; k++) {
    for (int i = 0; i < assembly->model.row_sets[k].rows; i++)
      *rates++ = assembly->model.row_sets[k].rate[i];
  }
}

static void add_body_mass(const flg_assembly *assembly, int index, double *M) {
  const int n = assembly->model.velocity_count, at = FLG_BODY_VELOCITIES * index;
  const flg_mat3 inertia =
      flg_sym3_full(flg_bodies_of(assembly->model.sets[0])->motions[index].inertia);
  for (int i = 0; i < 3; i++) {
    M[(at + i) * (n + 1)] = flg_bodies_of(assembly->model.sets[0])->rigid_bodies[index].mass;
    for (int j = 0; j < 3; j++) M[at + 3 + i + (at + 3 + j) * n] = inertia.m[i + 3 * j];
  }
}

static void add_robot_mass(const flg_assembly *assembly, int index, double *M) {
  const flg_parts *robots = flg_assembly_owner(assembly, index, 0).of;
  const flg_part_slice slice = robots->ops->slice(robots, index);
  const int first = robots->velocity + slice.velocity, count = slice.velocity_count;
  double *own = numbers(count * count);
  flg_dynamics_mass(flg_subsystem_robot(flg_assembly_guest(assembly, index))->dynamics, own);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      M[first + i + (first + j) * assembly->model.velocity_count] = own[i + j * count];
    }
  }
  free(own);
}

static dense dense_of(flg_assembly *assembly, bool euclidean) {
  dense of = {.n = assembly->model.velocity_count};
  for (int k = 0; k < assembly->model.joint_count; k++) of.m += assembly->model.row_sets[k].rows;
  of.G = numbers(of.m * of.n);
  double *unit = numbers(of.n), *M = numbers(of.n * of.n);
  for (int j = 0; j < of.n; j++) {
    unit[j] = 1;
    rates_at(assembly, assembly->state.q, unit, of.G + j * of.m);
    unit[j] = 0;
  }
  for (int k = 0; k < assembly->model.component->body_count; k++) add_body_mass(assembly, k, M);
  for (int k = 0; k < assembly->model.component->robot_count; k++) add_robot_mass(assembly, k, M);
  if (euclidean) memset(M, 0, (size_t)(of.n * of.n) * sizeof *M);
  for (int i = 0; i < of.n && euclidean; i++) M[i * (of.n + 1)] = 1;
  of.W = pseudo_inverse(of.n, of.n, M);
  free(unit), free(M);
  return of;
}

static void drop_dense(dense of) {
  free(of.G), free(of.W);
}

/* y + W G^T (G W G^T)^+ (gamma - G y), gamma NULL: 0 */
static void dense_solve(const dense *of, const double *gamma, double *y) {
  const int n = of->n, m = of->m;
  double *WG = numbers(n * m), *S = numbers(m * m), *left = numbers(m), *l = numbers(m);
  flg_dense_multiply_right_transposed(n, m, n, 1, of->W, n, of->G, m, WG, n);
  flg_dense_multiply(m, m, n, 1, of->G, m, WG, n, S, m);
  if (gamma != NULL) memcpy(left, gamma, (size_t)m * sizeof *left);
  flg_dense_apply(m, n, -1, of->G, m, y, left);
  double *inverse = pseudo_inverse(m, m, S);
  flg_dense_apply(m, m, 1, inverse, m, left, l);
  flg_dense_apply(n, m, 1, WG, n, l, y);
  free(WG), free(S), free(left), free(l), free(inverse);
}

/* --- mechanisms ---------------------------------------------------------------------------------
 */

/* two robots and a body in two loops */
static leaves *tangle(random_source *source) {
  leaves *of = leaves_new();
  const leaf_end body = {-1, add_free(source, of)};
  add_leaf(source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_UNIVERSAL, 3, -1);
  add_leaf(source, of, FLG_JOINT_FLOATING, FLG_JOINT_REVOLUTE, 3, -1);
  join_leaves(of, FLG_CONSTRAINT_REVOLUTE, (leaf_end){0, 2}, body, end_pose(of, body));
  join_leaves(of, FLG_CONSTRAINT_SPHERICAL, body, (leaf_end){1, 2}, end_pose(of, body));
  join_leaves(of, FLG_CONSTRAINT_POINT_ON_LINE, ON_WORLD, (leaf_end){1, 0}, random_pose(source));
  return of;
}

static flg_assembly_options norm_options(flg_norm norm, flg_elimination_form form) {
  flg_assembly_options options = rk4_options();
  options.norm = norm, options.form = form;
  return options;
}

/* --- velocities that jump -----------------------------------------------------------------------
 */

/* off the joints by a random jump, and back by the end of a step */
static void project_jump(flg_assembly *assembly, flg_norm norm, random_source *source) {
  const dense of = dense_of(assembly, norm == FLG_NORM_EUCLIDEAN);
  double *expected = numbers(of.n);
  for (int k = 0; k < of.n; k++) assembly->state.v[k] += random_uniform(source, -1, 1);
  memcpy(expected, assembly->state.v, (size_t)of.n * sizeof *expected);
  dense_solve(&of, NULL, expected);
  flg_assembly_begin(assembly);
  assert_int_equal(flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE), FLG_OK);
  assert_int_equal(flg_assembly_finish(assembly, 0), FLG_OK);
  assert_near(max_difference(assembly->state.v, expected, of.n), 0, 1e-10);
  free(expected);
  drop_dense(of);
}

static void velocities_are_projected_in_the_norm_that_was_asked_for(void **state) {
  (void)state;
  random_source source = {31};
  for (int i = 0; i < 4; i++) {
    const flg_norm norm = i % 2 == 0 ? FLG_NORM_MASS : FLG_NORM_EUCLIDEAN;
    const flg_elimination_form form = i < 2 ? FLG_FORM_ADMITTANCE : FLG_FORM_ROOT;
    const flg_assembly_options options = norm_options(norm, form);
    parts *p = four_bar(); /* with redundant rows */
    flg_assembly *assembly = assemble(p, &options);
    project_jump(assembly, norm, &source);
    flg_assembly_release(assembly);
    parts_drop(p);
    for (int apart = 0; apart < 2; apart++) {
      leaves *of = tangle(&source);
      assembly = assemble_leaves(of, &options, apart == 1);
      project_jump(assembly, norm, &source);
      flg_assembly_release(assembly);
      leaves_drop(of);
    }
  }
}

static void settling_projects_in_the_mass_norm(void **state) {
  (void)state;
  random_source source = {32};
  const flg_assembly_options options = norm_options(FLG_NORM_MASS, FLG_FORM_ADMITTANCE);
  leaves *of = tangle(&source);
  flg_assembly *assembly = assemble_leaves(of, &options, false);
  const dense view = dense_of(assembly, false);
  double *expected = numbers(view.n);
  for (int k = 0; k < view.n; k++) assembly->state.v[k] += random_uniform(&source, -1, 1);
  memcpy(expected, assembly->state.v, (size_t)view.n * sizeof *expected);
  dense_solve(&view, NULL, expected);
  assert_int_equal(flg_assembly_settle(assembly), FLG_OK);
  assert_near(max_difference(assembly->state.v, expected, view.n), 0, 2e-12);
  free(expected);
  drop_dense(view);
  flg_assembly_release(assembly);
  leaves_drop(of);
}

/* --- accelerations ------------------------------------------------------------------------------
 */

/* - G' v by central differences along the motion */
static void turning_of(flg_assembly *assembly, int rows, double *gamma) {
  const double h = 1e-5;
  double *q = numbers(assembly->model.position_count), *before = numbers(rows),
         *after = numbers(rows);
  flg_assembly_displace(assembly, assembly->state.q, assembly->state.v, h, q);
  rates_at(assembly, q, assembly->state.v, after);
  flg_assembly_displace(assembly, assembly->state.q, assembly->state.v, -h, q);
  rates_at(assembly, q, assembly->state.v, before);
  for (int k = 0; k < rows; k++) gamma[k] = -(after[k] - before[k]) / (2 * h);
  free(q), free(before), free(after);
}

static void check_accelerations(flg_assembly *assembly) {
  const dense view = dense_of(assembly, false);
  double *a = numbers(view.n), *expected = numbers(view.n), *gamma = numbers(view.m);
  turning_of(assembly, view.m, gamma);
  flg_assembly_begin(assembly);
  assert_int_equal(flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE), FLG_OK);
  flg_assembly_forces(assembly, 0, assembly->state.q, assembly->state.v);
  flg_assembly_accelerate_free(assembly, expected);
  dense_solve(&view, gamma, expected);
  assert_int_equal(flg_assembly_accelerate(assembly, a), FLG_OK);
  assert_near(relative_difference(a, expected, view.n), 0, 6e-11);
  free(a), free(expected), free(gamma);
  drop_dense(view);
}

static void accelerations_solve_the_dense_system(void **state) {
  (void)state;
  random_source source = {33};
  for (int i = 0; i < REPEATS(4); i++) {
    const flg_elimination_form form = i % 2 == 0 ? FLG_FORM_ADMITTANCE : FLG_FORM_ROOT;
    const flg_assembly_options options = norm_options(FLG_NORM_MASS, form);
    leaves *of = tangle(&source);
    tie_leaves(of, (leaf_end){0, 1}, (leaf_end){1, 1}, 100, false);
    flg_assembly *assembly = assemble_leaves(of, &options, false);
    check_accelerations(assembly);
    flg_assembly_release(assembly);
    leaves_drop(of);
  }
}

/* --- every step ---------------------------------------------------------------------------------
 */

static void step_closed(flg_assembly *assembly, int steps, double h) {
  for (int k = 0; k < steps; k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, h, k, 1), FLG_OK);
    flg_assembly_refresh(assembly, 0);
    const flg_closure closure = flg_assembly_closure(assembly);
    assert_true(closure.position < 2e-12 * assembly->model.length);
    assert_true(closure.velocity < 1e-12);
  }
}

static void both_norms_close_every_step_to_rounding(void **state) {
  (void)state;
  random_source source = {34};
  for (int i = 0; i < 4; i++) {
    flg_assembly_options options =
        norm_options(i % 2 == 0 ? FLG_NORM_MASS : FLG_NORM_EUCLIDEAN, FLG_FORM_ADMITTANCE);
    options.scheme = i < 2 ? FLG_SCHEME_RK4 : FLG_SCHEME_SEMI_IMPLICIT;
    parts *p = four_bar();
    flg_assembly *assembly = assemble(p, &options);
    step_closed(assembly, REPEATS(1000), 1e-3);
    flg_assembly_release(assembly);
    parts_drop(p);
    leaves *of = tangle(&source);
    assembly = assemble_leaves(of, &options, false);
    step_closed(assembly, REPEATS(300), 1e-3);
    flg_assembly_release(assembly);
    leaves_drop(of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_are_projected_in_the_norm_that_was_asked_for),
      cmocka_unit_test(settling_projects_in_the_mass_norm),
      cmocka_unit_test(accelerations_solve_the_dense_system),
      cmocka_unit_test(both_norms_close_every_step_to_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
