/* Bodies that only welds hold: steps and models in closed forms (assembly/assembly_alone.c) against
 * those of the plan, at the
 * states of a run. */
#include "assembly/assembly_inner.h"
#include "component/assembly_contract.h"
#include "cosim/simulation.h"
#include "scenarios.h"

/* An arm pulls a plate that is welded to a crate on the ground after a while; a ball lies loose. */
static const char scenario[] =
    "flange: 1\n"
    "time: {end: 0.5, macro: 1/100}\n"
    "subsystems:\n"
    "  arm: {model: arm.yaml, step: 1/%d, integrator: semi-implicit,\n"
    "    initial_velocity: {hinge: 0.8}}\n"
    "  hand: {model: hand.yaml, step: 1/%d, integrator: semi-implicit, parameters: {rub: %g}}\n"
    "interfaces: {wrist: {between: [%s], joint: weld}}\n"
    "events: [{at: 0.1, weld: [hand/plate, hand/crate]}, {at: 0.3, release: [hand/plate, "
    "hand/crate]}]\n"
    "coupling: {scheme: sequential}\n"
    "record: [hand/crate.position]\n";

/* the ground and the arm hold the crate in no direction at once: forces are unique */
static const char arm_file[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  lift: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  post: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  rod: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
    "  wrist: {mass: 0.5, inertia: [0.02, 0.02, 0.03]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, child: lift, axis: [0, 0, 1]}\n"
    "  hinge: {kind: revolute, parent: lift, child: post, axis: [0, 0, 1]}\n"
    "  tilt: {kind: revolute, parent: post, child: rod, axis: [0, 1, 0]}\n"
    "  roll: {kind: revolute, parent: rod, child: wrist, at: [1, 0, 0], axis: [1, 0, 0]}\n"
    "ports: {tip: {body: wrist}}\n";

static const char hand_file[] =
    "flange-component: 1\n"
    "parameters: {rub: 0}\n"
    "bodies:\n"
    "  plate: {mass: 1, at: [1.1, 0, 0], inertia: [0.1, 0.2, 0.15], gravity: [0, 0, 0],\n"
    "    velocity: [0, 0.88, 0], angular_velocity: [0, 0, 0.8]}\n"
    "  crate: {mass: 3, at: [0.8, 0.9, -0.2], inertia: [0.2, 0.3, 0.4],\n"
    "    shapes: [{kind: box, size: [0.5, 0.6, 0.4], friction: =rub}]}\n"
    "  ball: {mass: 0.5, at: [-3, 0, 0.3], inertia: [0.1, 0.1, 0.1], velocity: [0.3, 0, 0],\n"
    "    shapes: [{kind: sphere, size: [0.1], friction: =rub}]}\n"
    "  ground: {fixed: true, at: [0, 0, -0.4], shapes: [{kind: plane, friction: =rub}]}\n"
    "ports: {mount: {body: plate, at: [-0.1, 0, 0]}}\n";

/* what is compared of an assembly at a state: the model with both accelerations, and what follows
 * from pushes */
enum { ROWS = 18, STATES = 2000 };
typedef struct answers {
  int rows, states;
  double D[ROWS * ROWS], w[ROWS], r[ROWS], plain[ROWS], t[ROWS];
  double pushed[STATES], kicked[STATES], moved[STATES];
} answers;

typedef struct subject {
  const flg_subsystem *hand;
  flg_assembly *assembly;
  flg_plan_member *alone;
  flg_subsystem_state state;
  double start[STATES];
  flg_interface_model *model;
} subject;

static void take_state(const subject *of, double *to) {
  memcpy(to, of->state.values, (size_t)of->state.count * sizeof *to);
}

static void go_back(const subject *of) {
  memcpy(of->state.values, of->start, (size_t)of->state.count * sizeof *of->start);
}

static const double h = 1e-3;

static void copy_rows(const double *from, int count, double *to) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

static void model_of(const subject *of, answers *to) {
  const flg_coupled_ops *ops = of->hand->ops->coupled;
  void *self = of->hand->self;
  assert_int_equal(ops->reduce(self, 0, h, of->model), FLG_OK);
  const int n = to->rows = of->model->rows;
  copy_rows(flg_interface_model_admittance(of->model), n * n, to->D);
  copy_rows(flg_interface_model_velocity(of->model), n, to->w);
  copy_rows(flg_interface_model_bias(of->model), n, to->r);
  assert_int_equal(ops->velocity_bias(self, to->t), FLG_OK);
  assert_int_equal(ops->reduce_plain(self, 0, h, of->model), FLG_OK);
  copy_rows(flg_interface_model_bias(of->model), n, to->plain);
}

/* Contacts of the last step, as a coupling would expect them. */
static int list_expected(const flg_contacts *contacts, flg_expected_touch *list) {
  int count;
  const flg_contact *found = flg_contacts_list(contacts, &count);
  for (int k = 0; k < count; k++) {
    const flg_contact_view view = flg_contacts_view(contacts, k);
    list[k] =
        (flg_expected_touch){.shapes = {found[k].shape_a, found[k].shape_b}, .key = found[k].key};
    for (int i = 0; i < 3; i++) list[k].impulses[i] = h * view.force[i];
    const bool is_closed = view.state != FLG_CONTACT_OPEN;
    list[k].states[0] = is_closed ? FLG_ROW_ACTIVE : FLG_ROW_LOWER;
  }
  return count;
}

/* by the closed forms, or by the plan; contacts of the first push are those of the second */
static void answer(subject *of, bool by_plan, answers *to, flg_expected_touch *expected,
                   int *expected_count) {
  static const double pushes[ROWS] = {0.3, -0.2, 0.1, 0.05, 0.04, -0.03, 0.1, -0.1, 0.02};
  const flg_coupled_ops *ops = of->hand->ops->coupled;
  void *self = of->hand->self;
  flg_contacts *contacts = of->hand->ops->contacts(self);
  flg_error error = {0};
  of->assembly->scratch.alone = by_plan ? NULL : of->alone;
  assert_int_equal(flg_assembly_is_alone(of->assembly), !by_plan);
  to->states = of->state.count;
  go_back(of), of->hand->ops->refresh(self, 0);
  model_of(of, to);
  flg_contacts_expect(contacts, expected, by_plan ? 0 : *expected_count);
  assert_int_equal(ops->push(self, 0, h, 0, pushes, &error), FLG_OK);
  if (by_plan) *expected_count = list_expected(contacts, expected);
  flg_contacts_expect(contacts, NULL, 0);
  take_state(of, to->pushed);
  go_back(of), of->hand->ops->refresh(self, 0);
  assert_int_equal(ops->impulse(self, pushes), FLG_OK);
  take_state(of, to->kicked);
  go_back(of), of->hand->ops->refresh(self, 0);
  assert_int_equal(ops->displace(self, pushes), FLG_OK);
  take_state(of, to->moved);
}

/* the largest difference, of the largest number */
static double difference(const double *a, const double *b, int count) {
  double most = 0, size = 0;
  for (int k = 0; k < count; k++) {
    most = flg_larger(most, fabs(a[k] - b[k]));
    size = flg_larger(size, fabs(b[k]));
  }
  return size > 0 ? most / size : most;
}

static void compare(const answers *a, const answers *b, double bodies) {
  const int n = b->rows;
  assert_int_equal(a->rows, n);
  assert_near(difference(a->D, b->D, n * n), 0, 1e-15);
  assert_near(difference(a->w, b->w, n), 0, 1e-15);
  assert_near(difference(a->r, b->r, n), 0, 1e-14);
  assert_near(difference(a->plain, b->plain, n), 0, 1e-14);
  assert_near(difference(a->t, b->t, n), 0, 1e-13);
  /* contacts of the plan are solved, those of the closed forms are what it has found */
  assert_near(difference(a->pushed, b->pushed, (int)bodies), 0, 1e-11);
  assert_near(difference(a->kicked, b->kicked, (int)bodies), 0, 1e-14);
  assert_near(difference(a->moved, b->moved, (int)bodies), 0, 1e-14);
}

static flg_simulation *load(const char *between, double rub) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  char text[2000];
  snprintf(text, sizeof text, scenario, 1000, 1000, rub, between);
  test_folder folder = make_folder();
  make_file(&folder, "arm.yaml", arm_file), make_file(&folder, "hand.yaml", hand_file);
  const char *path = make_file(&folder, "scenario.yaml", text);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  return simulation;
}

/* along a run in which bodies are welded, touch the ground, and are let go */
static void along_a_run(const char *between, double rub, char *memory, size_t bytes) {
  static subject of;
  static answers plan, alone;
  static flg_expected_touch expected[100];
  flg_simulation *simulation = load(between, rub);
  of.hand = &simulation->subsystems[1];
  of.assembly = flg_subsystem_assembly(of.hand), of.alone = of.assembly->scratch.alone;
  of.state = of.hand->ops->state(of.hand->self);
  assert_true(of.state.count <= STATES && of.alone != NULL);
  assert_true(flg_interface_model_bytes(ROWS) <= bytes);
  assert_int_equal(flg_interface_model_build(memory, ROWS, ROWS, &of.model, NULL), FLG_OK);
  for (int step = 0; step < 50; step++) {
    int count = 0;
    take_state(&of, of.start);
    answer(&of, true, &plan, expected, &count);
    answer(&of, false, &alone, expected, &count);
    compare(&alone, &plan, of.assembly->model.position_count + of.assembly->model.velocity_count);
    go_back(&of), of.hand->ops->refresh(of.hand->self, 0);
    assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
  }
  flg_simulation_release(simulation);
}

static void closed_forms_are_those_of_the_plan(void **state) {
  (void)state;
  static char memory[1 << 16] __attribute__((aligned(16)));
  along_a_run("arm/tip, hand/mount", 0, memory, sizeof memory);
  along_a_run("hand/mount, arm/tip", 0, memory, sizeof memory);
  along_a_run("arm/tip, hand/mount", 0.3, memory, sizeof memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms_are_those_of_the_plan)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
