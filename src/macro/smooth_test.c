/* Closed contacts as joints of a model: against the dense projection of the same rows, which are
 * written here from the speeds of the points that touch. */
#include "macro/smooth.h"

#include "check.h"
#include "contacts/contacts_inner.h"
#include "math/dense.h"

enum { PORT = 6, JOINED = 2, TOUCHING = 3, PORTS = JOINED + TOUCHING, N = PORT * PORTS };
enum { CONTACTS = 5, ROWS = 6 };

/* ends of the contacts, and what each is: rows are 3, 1, 0, 1 and 1 */
static const int ENDS[CONTACTS][2] = {{FLG_WORLD, 0}, {0, 1}, {2, FLG_WORLD}, {1, 2}, {2, 0}};
static const int STATES[CONTACTS] = {FLG_CONTACT_STICKING, FLG_CONTACT_SLIDING, FLG_CONTACT_OPEN,
                                     FLG_CONTACT_STICKING, FLG_CONTACT_SLIDING};
static const double FRICTIONS[CONTACTS] = {0.5, 0.5, 0.5, 0, 0.5};

typedef struct fake {
  flg_subsystem subsystem;
  flg_moving_frame frames[PORTS];
  flg_contact list[CONTACTS];
  flg_touch_trace traces[CONTACTS];
  flg_contacts contacts;
  double model[2 * N + N * N + 8]; /* memory of an interface model */
  flg_reduced reduced;
  double D[N * N], r[N], w[N], t[N], t_now[N]; /* as they were; t_now: in reduced */
} fake;

static int fake_ports(const void *self) {
  (void)self;
  return PORTS;
}

static int fake_touch_ports(const void *self) {
  (void)self;
  return TOUCHING;
}

static flg_moving_frame fake_frame(const void *self, int port) {
  return ((const fake *)self)->frames[port];
}

static flg_status fake_list(void *self, double ahead, const flg_contact **list, int *count,
                            flg_error *error) {
  (void)ahead, (void)error;
  *list = ((fake *)self)->list, *count = CONTACTS;
  return FLG_OK;
}

static flg_contacts *fake_contacts(const void *self) {
  return &((fake *)(uintptr_t)self)->contacts;
}

static const flg_coupled_ops coupled = {.ports = fake_ports,
                                        .touch_ports = fake_touch_ports,
                                        .frame = fake_frame,
                                        .contacts = fake_list};
static const flg_subsystem_ops ops = {
    .kind = "fake", .contacts = fake_contacts, .coupled = &coupled};

static flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -1, 1)};
}

/* some are edges, some balls, some round along one tangent */
static flg_contact random_contact(random_source *source, int c) {
  const flg_vec3 n = random_vector(source), other = random_vector(source);
  flg_contact made = {.body_a = ENDS[c][0], .body_b = ENDS[c][1], .friction = FRICTIONS[c]};
  made.normal = flg_vec3_scale(n, 1 / flg_vec3_norm(n));
  const flg_vec3 across = flg_vec3_cross(made.normal, other);
  made.tangent1 = flg_vec3_scale(across, 1 / flg_vec3_norm(across));
  made.tangent2 = flg_vec3_cross(made.normal, made.tangent1);
  made.point_a = random_vector(source), made.point_b = random_vector(source);
  made.gap = random_uniform(source, -1e-3, 1e-3), made.shape_a = 2 * c, made.shape_b = 2 * c + 1;
  if (c == 1 || c == 4) made.round_a.radius = 0.3;
  if (c == 4) made.round_a.along = made.tangent1;
  if (c == 3) made.round_b.radius = 0.2;
  return made;
}

static void fake_model(random_source *source, fake *made) {
  double root[N * N];
  flg_interface_model *model;
  assert_true(flg_interface_model_bytes(N) <= sizeof made->model);
  assert_int_equal(flg_interface_model_build(made->model, N, N, &model, NULL), FLG_OK);
  for (int i = 0; i < N * N; i++) root[i] = random_uniform(source, -1, 1);
  for (int i = 0; i < N * N; i++) {
    made->D[i] = i % N == i / N;
    for (int k = 0; k < N; k++) made->D[i] += root[i % N + k * N] * root[i / N + k * N] / N;
  }
  for (int i = 0; i < N; i++) {
    made->r[i] = random_uniform(source, -1, 1), made->w[i] = random_uniform(source, -1, 1);
    made->t[i] = random_uniform(source, -1, 1);
  }
  memcpy(flg_interface_model_admittance(model), made->D, sizeof made->D);
  memcpy(flg_interface_model_bias(model), made->r, sizeof made->r);
  memcpy(flg_interface_model_velocity(model), made->w, sizeof made->w);
  memcpy(made->t_now, made->t, sizeof made->t);
  made->reduced = (flg_reduced){.model = model, .velocity_bias = made->t_now};
}

static void fill_fake(random_source *source, fake *made) {
  *made = (fake){.subsystem = {"fake", &ops, made}};
  for (int p = 0; p < PORTS; p++) {
    made->frames[p].pose = flg_pose_identity();
    made->frames[p].pose.position = random_vector(source);
    made->frames[p].velocity = (flg_spatial){random_vector(source), random_vector(source)};
  }
  for (int c = 0; c < CONTACTS; c++) {
    made->list[c] = random_contact(source, c);
    made->traces[c].state = STATES[c];
  }
  made->contacts.capacity = CONTACTS;
  made->contacts.contacts = made->list, made->contacts.traces = made->traces;
  fake_model(source, made);
}

/* J (ROWS x N): how fast point B leaves point A along a direction, half way between them; and what
 * of it comes by velocities alone, J' v: a ball touches below its centre, which goes on about the
 * port, and an edge about itself. `spared`: a contact without rows. How many rows there are. */
static int write_rows(const fake *of, int spared, double *J, double *bends, double *gaps) {
  int rows = 0;
  memset(J, 0, sizeof(double) * ROWS * N);
  for (int c = 0; c < CONTACTS; c++) {
    const flg_contact *contact = &of->list[c];
    const flg_vec3 directions[3] = {contact->normal, contact->tangent1, contact->tangent2};
    const int count = STATES[c] == FLG_CONTACT_OPEN || c == spared            ? 0
                      : STATES[c] == FLG_CONTACT_STICKING && FRICTIONS[c] > 0 ? 3
                                                                              : 1;
    for (int i = 0; i < count; i++, rows++) {
      const flg_vec3 d = directions[i];
      bends[rows] = 0, gaps[rows] = i == 0 ? contact->gap : 0;
      for (int e = 0; e < 2; e++) {
        if (ENDS[c][e] == FLG_WORLD) continue;
        const flg_moving_frame *frame = &of->frames[JOINED + ENDS[c][e]];
        const double sign = e == 0 ? -1 : 1;
        const flg_vec3 spin = frame->velocity.angular;
        const flg_vec3 arm =
            flg_vec3_subtract(e == 0 ? contact->point_a : contact->point_b, frame->pose.position);
        const flg_vec3 between = flg_vec3_add(contact->point_a, contact->point_b);
        const flg_vec3 moment = flg_vec3_cross(
            flg_vec3_add_scaled(flg_vec3_negate(frame->pose.position), 0.5, between), d);
        const double row[PORT] = {d.x, d.y, d.z, moment.x, moment.y, moment.z};
        for (int j = 0; j < PORT; j++)
          J[rows + ROWS * (PORT * (JOINED + ENDS[c][e]) + j)] = sign * row[j];
        const flg_round *round = e == 0 ? &contact->round_a : &contact->round_b;
        flg_vec3 rate = flg_vec3_cross(spin, arm);
        const flg_vec3 inwards = flg_vec3_scale(contact->normal, sign * round->radius);
        const flg_vec3 roll = flg_vec3_cross(spin, inwards); /* of the centre, by the point */
        const bool is_ball = flg_vec3_norm(round->along) == 0;
        rate = flg_vec3_add(
            rate, is_ball ? roll : flg_vec3_scale(round->along, flg_vec3_dot(round->along, roll)));
        bends[rows] += sign * flg_vec3_dot(d, flg_vec3_cross(spin, rate));
      }
    }
  }
  return rows;
}

/* x - D J^T (J D J^T + soft)^-1 (J x + to) */
static void project(const fake *of, int rows, const double *J, double soft, const double *x,
                    const double *to, double *projected) {
  double S[ROWS * ROWS], DJ[N * ROWS] = {0}, l[ROWS];
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < N; k++) {
      for (int j = 0; j < N; j++) DJ[k + N * i] += of->D[k + N * j] * J[i + ROWS * j];
    }
  }
  for (int i = 0; i < rows; i++) {
    l[i] = to[i];
    for (int k = 0; k < N; k++) l[i] += J[i + ROWS * k] * x[k];
    for (int j = 0; j < rows; j++) {
      S[i + rows * j] = i == j ? soft : 0;
      for (int k = 0; k < N; k++) S[i + rows * j] += J[i + ROWS * k] * DJ[k + N * j];
    }
  }
  assert_int_equal(flg_dense_cholesky(rows, S, rows), rows);
  flg_dense_cholesky_solve(rows, S, rows, l);
  for (int k = 0; k < N; k++) {
    projected[k] = x[k];
    for (int i = 0; i < rows; i++) projected[k] -= DJ[k + N * i] * l[i];
  }
}

/* Of all that is written; spared: a contact that stays open in the model, -1: none. */
static void compare_with_projection(fake *made, flg_softness softness, int spared) {
  const double none[ROWS] = {0}, h = softness.step, tolerance = 1e-12;
  const double K = softness.stiffness, spring = h * (h * K + softness.damping);
  const double soft = K > 0 ? 1 / spring : 0, back = K > 0 ? K / spring : 0;
  double J[ROWS * N], bends[ROWS], gaps[ROWS], expected[N], plain[N], column[N];
  const int rows = write_rows(made, spared, J, bends, gaps);
  const double *D = flg_interface_model_admittance(made->reduced.model);
  for (int j = 0; j < N; j++) {
    project(made, rows, J, soft, made->D + (ptrdiff_t)N * j, none, column);
    assert_near(max_difference(column, D + (ptrdiff_t)N * j, N), 0, tolerance);
  }
  project(made, rows, J, soft, made->w, none, expected);
  assert_near(max_difference(expected, flg_interface_model_velocity(made->reduced.model), N), 0,
              tolerance);
  for (int i = 0; i < rows; i++) gaps[i] *= back;
  for (int k = 0; k < N; k++) column[k] = made->r[k] - made->t[k];
  project(made, rows, J, soft, column, gaps, plain);
  for (int i = 0; i < rows; i++) bends[i] += gaps[i];
  project(made, rows, J, soft, made->r, bends, expected);
  const double *r = flg_interface_model_bias(made->reduced.model);
  assert_near(max_difference(expected, r, N), 0, tolerance);
  for (int k = 0; k < N; k++) expected[k] -= plain[k];
  assert_near(max_difference(expected, made->t_now, N), 0, tolerance);
}

static void try_models(flg_softness softness, int spared, const flg_smooth_scope *scope) {
  random_source source = {7};
  for (int trial = 0; trial < 20; trial++) {
    static fake made;
    flg_smooth *smooth = NULL;
    fill_fake(&source, &made);
    assert_int_equal(flg_smooth_build(&smooth, &made.subsystem, *scope, softness, NULL), FLG_OK);
    assert_int_equal(flg_smooth_apply(smooth, &made.subsystem, &made.reduced, NULL), FLG_OK);
    compare_with_projection(&made, softness, spared);
    flg_smooth_release(smooth);
  }
}

static void closed_contacts_are_projected_away(void **state) {
  (void)state;
  try_models((flg_softness){0, 0, 1e-3}, -1, &(flg_smooth_scope){0});
}

static void regularised_ones_yield_and_take_gaps_back(void **state) {
  (void)state;
  try_models((flg_softness){2e5, 300, 1e-3}, -1, &(flg_smooth_scope){0});
  try_models((flg_softness){2e5, 0, 1e-2}, -1, &(flg_smooth_scope){0});
}

/* contact 3, by one shape or the other; items of other subsystems change nothing */
static void potential_ones_stay_open(void **state) {
  (void)state;
  for (int end = 0; end < 2; end++) {
    flg_potential_item items[2] = {{4, 2 * 3 + end, -1}, {5, 1, -1}};
    const flg_potential open = {2, items};
    try_models((flg_softness){0, 0, 1e-3}, 3, &(flg_smooth_scope){4, &open});
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_contacts_are_projected_away),
      cmocka_unit_test(regularised_ones_yield_and_take_gaps_back),
      cmocka_unit_test(potential_ones_stay_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
