/* Many bodies in one island, joined by twos or to a robot: rows between groups of bodies. */
#include "joint_limits.h"
#include "sample.h"
#include "touching_runs.h"
#include "twins.h"

/* --- pairs of boxes -----------------------------------------------------------------------------
 */

/* two cubes side by side along x, hinged about y in the middle */
static void add_pair(parts *to, double side, flg_vec3 at, flg_quat turn) {
  const flg_mat3 axes = flg_quat_to_matrix(turn);
  const flg_vec3 half = flg_mat3_apply(&axes, vec(side / 2, 0, 0));
  const double mass = 1000 * side * side * side;
  const int a = add_box(to, mass, vec(side, side, side), flg_vec3_subtract(at, half), turn);
  const int b = add_box(to, mass, vec(side, side, side), flg_vec3_add(at, half), turn);
  add_joint(to, FLG_CONSTRAINT_REVOLUTE, a, b, at, flg_mat3_apply(&axes, vec(0, 1, 0)));
}

/* pairs dropped in layers of `side` by `side`, turned at random */
static parts *heap_of_pairs(int count, int side) {
  parts *p = parts_new(2 * count + 4);
  shapes_new(p, 2 * count + 8, 0.5, 0);
  add_floor(p);
  unsigned seed = 3;
  for (int k = 0; k < count; k++) {
    const int layer = k / (side * side), i = k % side, j = k / side % side;
    const flg_vec3 at = vec(0.3 * (i - side / 2.) + 0.02 * noise(&seed),
                            0.3 * (j - side / 2.) + 0.02 * noise(&seed), 0.2 + 0.25 * layer);
    add_pair(p, 0.1, at, flg_quat_exp(vec(noise(&seed), noise(&seed), 3 * noise(&seed))));
  }
  return p;
}

/* W is formed up to so many rows of an island */
static flg_assembly *touching_with(parts *p, int dense_limit, flg_robot_subsystem *robot) {
  flg_assembly_options options = touching_options();
  flg_contacts_options contacts = flg_contacts_default();
  contacts.dense_limit = dense_limit;
  options.contacts = &contacts;
  flg_assembly *assembly = NULL;
  flg_mistakes mistakes = {0};
  const flg_part_guests guests = flg_robot_guests(robot);
  flg_assembly_build(&assembly, &p->component, &guests, &options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  return assembly;
}

static void step(flg_assembly *assembly, int k) {
  flg_error error = {0};
  if (flg_assembly_advance_or_say(assembly, 0, 1. / 240, k, 1, &error) != FLG_OK) {
    fail_msg("step %d: %s", k, error.message);
  }
}

/* whether a shape of a robot pushes a body that is joined to another */
static bool robot_pushes(const flg_assembly *assembly) {
  const flg_touch_owner *owners = assembly->model.touch->owners;
  int count;
  const flg_contact *list = flg_contacts_list(assembly->model.touch->contacts, &count);
  for (int k = 0; k < count; k++) {
    const flg_touch_owner *a = &owners[list[k].shape_a], *b = &owners[list[k].shape_b];
    if ((a->robot < 0) == (b->robot < 0) || a->body < 0 || b->body < 0) continue;
    if (flg_contacts_view(assembly->model.touch->contacts, k).state != FLG_CONTACT_OPEN)
      return true;
  }
  return false;
}

static double apart(const flg_assembly *a, const flg_assembly *b) {
  double worst = 0;
  for (int i = 0; i < a->model.velocity_count; i++) {
    worst = flg_larger(worst, fabs(a->state.v[i] - b->state.v[i]));
  }
  return worst;
}

/* Friction may have several solutions. That of `other` is one of them if a step from `start`
 * (state) that begins with its impulses ends there, too. Returns how far it ends from there. */
static double ends_apart(flg_assembly *dense, const flg_assembly *other, const double *start,
                         int k) {
  int count;
  double *numbers = flg_assembly_state(dense, &count);
  const size_t bytes = (size_t)count * sizeof *numbers;
  double *kept = malloc(bytes);
  assert_non_null(kept);
  memcpy(kept, numbers, bytes);
  memcpy(numbers, start, bytes);
  memcpy(dense->model.touch->memory, other->model.touch->memory,
         (size_t)flg_contacts_numbers(dense->model.touch->contacts) * sizeof *numbers);
  step(dense, k);
  const double worst = apart(dense, other);
  memcpy(numbers, kept, bytes);
  free(kept);
  return worst;
}

/* The same steps with W and without it: each starts where the one with W is. Steps that both have
 * solved are the same, or are two solutions. In how many of them the robot pushes a pair. */
static int compare(parts *p, flg_robot_subsystem *robots, int steps, double off) {
  flg_assembly *dense = touching_with(p, 4000, robots);
  flg_assembly *sparse = touching_with(p, 12, robots == NULL ? NULL : robots + 1);
  int count, most = 0, solved = 0, pushed = 0, several = 0;
  double *from = flg_assembly_state(dense, &count), *to = flg_assembly_state(sparse, &count);
  double worst = 0;
  double *start = malloc((size_t)count * sizeof *start);
  assert_non_null(start);
  for (int k = 0; k < steps; k++) {
    memcpy(to, from, (size_t)count * sizeof *to);
    memcpy(start, from, (size_t)count * sizeof *to);
    step(dense, k), step(sparse, k);
    if (flg_larger(report_of(dense).residual, report_of(sparse).residual) > 1e-10) continue;
    const double differs = apart(dense, sparse);
    const bool is_other = differs >= off;
    several += is_other;
    worst = flg_larger(worst, is_other ? ends_apart(dense, sparse, start, k) : differs);
    if (report_of(dense).found > most) most = report_of(dense).found; /* whole */
    solved++;
    pushed += robot_pushes(dense);
  }
  free(start);
  printf("%d of %d steps solved, with up to %d contacts: off by %.1e m/s, %d with two solutions\n",
         solved, steps, most, worst, several);
  assert_true(worst < off && 20 * several < solved);
  assert_true(most > 20 && 10 * solved > steps);
  flg_assembly_release(dense), flg_assembly_release(sparse);
  return pushed;
}

static void pairs_fall_as_with_a_dense_matrix(void **state) {
  (void)state;
  for (int rough = 0; rough < 2; rough++) {
    parts *p = heap_of_pairs(12, 2);
    p->component.surfaces.surfaces[0].friction = rough ? 0.5 : 0;
    assert_int_equal(compare(p, NULL, 150, rough ? 1e-5 : 1e-6), 0);
    shapes_drop(p), parts_drop(p);
  }
}

/* a plank lies on all towers: one island */
static void towers_of_pairs_stand(void **state) {
  (void)state;
  enum { TOWERS = 10, HEIGHT = 5, BODIES = 2 * TOWERS * HEIGHT + 1 };
  parts *p = parts_new(BODIES);
  shapes_new(p, BODIES + 1, 0.5, 0);
  add_floor(p);
  for (int k = 0; k < TOWERS * HEIGHT; k++) {
    const double y = 0.15 * (k % TOWERS), z = 0.05 + 0.1 * (int)(k / TOWERS);
    add_pair(p, 0.1, vec(0, y, z), flg_quat_identity());
  }
  add_box(p, 5, vec(0.2, 1.5, 0.05), vec(0, 0.675, 0.1 * HEIGHT + 0.025), flg_quat_identity());
  flg_assembly *assembly = touching(p);
  double worst = 0;
  for (int k = 0; k < 2; k++) run_for(assembly, 240, k, 1);
  for (int k = 0; k < BODIES; k++) {
    const flg_vec3 off = flg_vec3_subtract(flg_vec3_load(assembly->state.q + 7 * k),
                                           p->component.bodies[k].pose.position);
    worst = flg_larger(worst, flg_vec3_norm(off));
  }
  const flg_contacts_report report = report_of(assembly);
  printf("towers: %d contacts, they move by %.1e m, overlap %.1e m, residual %.1e\n", report.found,
         worst, report.penetration, report.residual);
  assert_true(3 * report.found > 400); /* more than W is formed for */
  assert_true(worst < 1e-3 && report.penetration < 1e-3);
  drop(assembly, p);
}

static void a_heap_of_pairs_comes_to_rest(void **state) {
  (void)state;
  parts *p = heap_of_pairs(27, 3);
  flg_assembly *assembly = touching_with(p, 200, NULL);
  const way_to_rest way = run_to_rest(assembly, 3, "27 pairs");
  assert_true(3 * way.contacts > 200 && way.overlap < 4e-3);
  drop(assembly, p);
}

/* --- a robot among boxes ------------------------------------------------------------------------
 */

/* an arm of three links with a ball at each end, whose joints end, over a floor */
static sample *arm_model(flg_shape *shapes) {
  sample *s = sample_build(3);
  for (int k = 0; k < 3; k++) {
    sample_add(s, k - 1, FLG_JOINT_REVOLUTE,
               k == 0 ? sample_shift(-0.6, -0.15, 0.35) : sample_shift(0.3, 0, 0));
    s->model.joints[k].axis = vec(0, 1, 0);
    s->model.joints[k].lower = -0.5, s->model.joints[k].upper = 0.9;
    s->model.joints[k].damping = 0.2;
    s->model.bodies[k].centre = vec(0.15, 0, 0);
    s->model.bodies[k].inertia = (flg_sym3){2e-3, 1e-2, 1e-2, 0, 0, 0};
    shapes[k] = (flg_shape){.body = k,
                            .robot = 1,
                            .collision = true,
                            .kind = FLG_SHAPE_SPHERE,
                            .size = {0.06, 1, 1},
                            .pose = sample_shift(0.3, 0, 0),
                            .surface = 1};
  }
  return s;
}

/* two of the same, since an assembly takes its robot */
typedef struct robots {
  sample *model;
  flg_shape shapes[3];
  flg_robot_subsystem list[2];
} robots;

static robots *robots_new(parts *in) {
  robots *made = calloc(1, sizeof *made);
  made->model = arm_model(made->shapes);
  const flg_robot_options options = {
      .name = "arm", .gravity = vec(0, 0, -9.81), .integrator = flg_integrator_default()};
  for (int k = 0; k < 2; k++) {
    flg_mistakes mistakes = {0};
    flg_error error;
    flg_robot_subsystem_build(&made->list[k], &made->model->model, &options, &mistakes);
    assert_int_equal(mistakes.count, 0);
    assert_int_equal(flg_robot_subsystem_equip(&made->list[k], NULL, 0, NULL, 0, &error), FLG_OK);
  }
  flg_component *c = &in->component;
  c->robots[c->robot_count++] = (flg_component_robot){
      .name = "arm", .group = FLG_TOP, .model = &made->model->model, .pose = flg_pose_identity()};
  for (int k = 0; k < 3; k++) c->shapes[c->shape_count++] = made->shapes[k];
  return made;
}

static void robots_drop(robots *of) {
  for (int k = 0; k < 2; k++) flg_robot_subsystem_release(&of->list[k]);
  sample_release(of->model), free(of);
}

/* its joints end while boxes fall on it: rows of links and of joints in one group */
static void a_robot_among_pairs_moves_as_with_a_dense_matrix(void **state) {
  (void)state;
  int pushed = 0;
  for (int rough = 0; rough < 2; rough++) {
    parts *p = heap_of_pairs(12, 2);
    robots *arms = robots_new(p);
    p->component.surfaces.surfaces[0].friction = rough ? 0.5 : 0;
    pushed += compare(p, arms->list, 120, rough ? 1e-5 : 1e-6);
    shapes_drop(p), parts_drop(p), robots_drop(arms);
  }
  assert_true(pushed > 0);
}

static void a_heap_with_a_robot_comes_to_rest(void **state) {
  (void)state;
  parts *p = heap_of_pairs(27, 3);
  robots *arms = robots_new(p);
  flg_assembly *assembly = touching_with(p, 200, arms->list);
  const way_to_rest way = run_to_rest(assembly, 3, "27 pairs and an arm");
  assert_true(3 * way.contacts > 200 && way.overlap < 4e-3);
  drop(assembly, p), robots_drop(arms);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_fall_as_with_a_dense_matrix),
      cmocka_unit_test(towers_of_pairs_stand),
      cmocka_unit_test(a_heap_of_pairs_comes_to_rest),
      cmocka_unit_test(a_robot_among_pairs_moves_as_with_a_dense_matrix),
      cmocka_unit_test(a_heap_with_a_robot_comes_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
