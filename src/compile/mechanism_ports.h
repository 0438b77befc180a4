/* mechanism_ports.h - a compiled mechanism behind the interface of plug-ins: models of its ports,
 * its start and its signals. Text of generated files. */
/* --- the model ----------------------------------------------------------------------------------
 */

/* [v + w x arm; w] of a body's motion at a port */
static void at_port(const double *y, const double arm[3], double to[6]) {
  double carried[3];
  cross(y + 3, arm, carried);
  for (int i = 0; i < 3; i++) to[i] = y[i] + carried[i], to[3 + i] = y[3 + i];
}

/* y += M^-1 A^T x of one port */
static void press(mechanism *of, int p, const double x[6], double *y) {
  const int on = port_bodies[p];
  double moment[3], spin[3];
  if (on < 0) return;
  cross(of->arms[p], x, moment);
  for (int i = 0; i < 3; i++) moment[i] += x[3 + i], y[6 * on + i] += x[i] / masses[on];
  apply(of->bodies[on].inverse, moment, spin);
  for (int i = 0; i < 3; i++) y[6 * on + 3 + i] += spin[i];
}

static void find_arms(mechanism *of, const double *q) {
  for (int p = 0; p < PORTS; p++) {
    double axes[9];
    const int on = port_bodies[p];
    place_frame(on < 0 ? 0 : q + 7 * on, on >= 0, port_poses[p], axes, of->arms[p]);
  }
}

/* y . M z */
static double weigh(const mechanism *of, const double *y, const double *z) {
  double sum = 0;
  for (int k = 0; k < BODIES; k++) {
    double own[3];
    apply(of->bodies[k].inertia, z + 6 * k + 3, own);
    sum += masses[k] * dot(y + 6 * k, z + 6 * k) + dot(y + 6 * k + 3, own);
  }
  return sum;
}

/* D = Y^T M Y with the answers Y = W A^T, because W M W = W: semidefinite also where joints block a
 * port, and only rounding is left. */
static void find_admittance(mechanism *of, double *D) {
  for (int c = 0; c < FORCES; c++) {
    double x[6] = {0}, *y = of->answers[c];
    x[c % 6] = 1;
    clear(y, 6 * BODIES);
    press(of, c / 6, x, y);
    hold(of, 0, y);
  }
  for (int r = 0; r < FORCES; r++) {
    for (int c = 0; c <= r; c++) {
      D[r + FORCES * c] = D[c + FORCES * r] = weigh(of, of->answers[r], of->answers[c]);
    }
  }
}

/* accelerations without forces on ports: M^-1 (f - w x I w), held with the biases or without */
static void find_accelerations(mechanism *of, double share, double *a) {
  for (int k = 0; k < BODIES; k++) {
    const body *b = &of->bodies[k];
    const double *v = velocity_of(of, k);
    double own[3], gyration[3];
    apply(b->inertia, v + 3, own);
    cross(v + 3, own, gyration);
    for (int i = 0; i < 3; i++) {
      a[6 * k + i] = b->force[i] / masses[k];
      gyration[i] = b->force[3 + i] - gyration[i];
    }
    apply(b->inverse, gyration, a + 6 * k + 3);
  }
  hold(of, share, a);
}

static void write_accelerations(mechanism *of, const double *a, int swings, double *to) {
  for (int p = 0; p < PORTS; p++) {
    const int on = port_bodies[p];
    double more[3];
    clear(to + 6 * p, 6);
    if (on < 0) continue;
    at_port(a + 6 * on, of->arms[p], to + 6 * p);
    swing(velocity_of(of, on) + 3, of->arms[p], more);
    for (int i = 0; swings && i < 3; i++) to[6 * p + i] += more[i];
  }
}

static void show_model(mechanism *of, flg_plugin_model *model) {
  double *D = model->admittance;
  show_vectors(of, FORCES, model->velocity);
  show_vectors(of, FORCES, model->bias);
  show_vectors(of, FORCES, model->turning);
  for (int turned = 0; of->is_elsewhere && turned < 2; turned++) { /* R (R D)^T, D is symmetric */
    for (int c = 0; c < FORCES; c++) show_vectors(of, FORCES, D + FORCES * c);
    for (int r = 0; r < FORCES; r++) {
      for (int c = 0; c < r; c++) {
        const double t = D[r + FORCES * c];
        D[r + FORCES * c] = D[c + FORCES * r], D[c + FORCES * r] = t;
      }
    }
  }
  for (int r = 0; of->is_elsewhere && r < FORCES; r++) {
    for (int c = 0; c < r; c++) D[c + FORCES * r] = D[r + FORCES * c];
  }
}

static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  mechanism *of = instance;
  (void)time;
  if (!factor_here(of, of->state)) {
    snprintf(text, FLG_PLUGIN_TEXT, "its joints have no model at this pose");
    return 1;
  }
  find_arms(of, of->state);
  for (int p = 0; p < PORTS; p++) {
    if (port_bodies[p] < 0) continue;
    at_port(velocity_of(of, port_bodies[p]), of->arms[p], model->velocity + 6 * p);
  }
  find_admittance(of, model->admittance);
  push(of, of->state, of->state + 7 * BODIES, 0, 0);
  find_biases(of, of->state + 7 * BODIES);
  find_accelerations(of, 1, of->velocity);
  write_accelerations(of, of->velocity, 1, model->turning);
  for (int k = 0; tau > 0 && k < FORCES; k++) model->bias[k] = model->turning[k];
  find_accelerations(of, 0, of->velocity);
  write_accelerations(of, of->velocity, 0, of->column);
  for (int k = 0; k < FORCES; k++) model->turning[k] -= of->column[k];
  show_model(of, model);
  return 0;
}

/* velocity = W A^T x */
static void yield_to(mechanism *of, const double *x) {
  (void)factor_here(of, of->state);
  find_arms(of, of->state);
  see_vectors(of, x, of->column);
  clear(of->velocity, 6 * BODIES);
  for (int p = 0; p < PORTS; p++) press(of, p, of->column + 6 * p, of->velocity);
  hold(of, 0, of->velocity);
}

static void impulse(void *instance, const double *impulses) {
  mechanism *of = instance;
  yield_to(of, impulses);
  for (int k = 0; k < 6 * BODIES; k++) of->state[7 * BODIES + k] += of->velocity[k];
}

/* positions move, then joints are closed with the factors of before while that leads on; velocities
 * stay as they are */
static void displace(void *instance, const double *x) {
  mechanism *of = instance;
  double before = INFINITY;
  yield_to(of, x);
  for (int k = 0; k < PROJECTIONS; k++) {
    move_bodies(of->state, of->velocity);
    const double most = measure(of, of->state);
    if (most <= CLOSED || (most > SLOW * before && most <= BEARABLE)) return;
    if (most > SLOW * before) (void)factor_here(of, of->state);
    before = most;
    for (int i = 0; i < ROWS; i++) of->side[i] = -of->left[i];
    solve(of);
    clear(of->velocity, 6 * BODIES);
    spread(of, of->yields, of->velocity);
  }
}

/* --- the table ----------------------------------------------------------------------------------
 */

/* where it is seen from: a vector in the world is turn times what it is here */
static void stand(mechanism *of, const flg_plugin_setup *setup) {
  for (int i = 0; i < 3; i++) {
    of->is_elsewhere = of->is_elsewhere || setup->position[i] != 0;
    for (int j = 0; j < 3; j++) {
      of->turn[i + 3 * j] = setup->rotation[SETUP_ENTRY(i, j)];
      of->is_elsewhere = of->is_elsewhere || of->turn[i + 3 * j] != (i == j);
    }
    of->place[i] = setup->position[i];
  }
}

static double distance_of(const mechanism *of, const double at[3]) {
  double moved[3];
  rotate(of->turn, at, moved);
  for (int i = 0; i < 3; i++) moved[i] += of->place[i];
  return sqrt(dot(moved, moved));
}

/* how far bodies and joints are from the origin of the world: what rounding is a part of */
static double length_of(const mechanism *of) {
  double most = ARM;
  if (!of->is_elsewhere) return LENGTH;
  for (int k = 0; k < BODIES; k++) most = largest(most, distance_of(of, start[k]));
  for (int k = 0; k < 2 * JOINTS; k++) {
    if (joints[k / 2].body[k % 2] >= 0) continue;
    most = largest(most, distance_of(of, joints[k / 2].frame[k % 2]));
  }
  return most;
}

static void start_body(mechanism *of, const flg_plugin_setup *setup, int k) {
  double *g = of->gravity[k];
  for (int i = 0; i < 7; i++) of->state[7 * k + i] = start[k][i];
  for (int i = 0; i < 6; i++) velocity_of(of, k)[i] = start[k][7 + i];
  for (int i = 0; i < 3; i++) g[i] = gravities[k][3] != 0 ? gravities[k][i] : setup->gravity[i];
  if (of->is_elsewhere) rotate_back(of->turn, g, g);
}

#if HAS_ELEMENTS
/* loads are in axes of the world, or turn with their bodies; angles are those of the start */
static void start_elements(mechanism *of) {
  for (int k = 0; k < LOADS; k++) {
    double force[6];
    for (int i = 0; i < 6; i++) force[i] = load_numbers[k][12 + i];
    for (int i = 0; i < 6 && of->is_elsewhere && !load_turns[k]; i += 3) {
      rotate_back(of->turn, force + i, force + i);
    }
    of->elements.loads[k] = flg_spatial_load(force);
  }
  for (int k = 0; k < ELEMENT_ANGLES; k++) of->state[TURNS + k] = start_angles_of_elements[k];
}
#endif

static void *create(const flg_plugin_setup *setup, char *text) {
  if (setup->parameter_count > 0) {
    snprintf(text, FLG_PLUGIN_TEXT, "there is no parameter '%.80s'; a compiled mechanism has none",
             setup->parameters[0].name);
    return NULL;
  }
  mechanism *of = calloc(1, sizeof *of);
  if (of == NULL) {
    snprintf(text, FLG_PLUGIN_TEXT, "there is no memory for it");
    return NULL;
  }
  stand(of, setup);
  of->length = length_of(of);
  for (int k = 0; k < BODIES; k++) start_body(of, setup, k);
#if HAS_FROZEN_ROWS
  start_space(of);
#endif
#if MOVES_IN_A_PLANE
  start_plane(&of->flat, of->gravity, of->length);
#endif
#if HAS_ELEMENTS
  start_elements(of);
#endif
  return of;
}

static flg_plugin_state state(void *instance) {
  mechanism *of = instance;
  return (flg_plugin_state){of->state, STATE, MOTION};
}

static double energy(void *instance) {
  mechanism *of = instance;
  double sum = 0, origin[3];
  rotate_back(of->turn, of->place, origin);
  of->is_known = of->is_known && memcmp(of->known, of->state, sizeof of->known) == 0;
  place_bodies(of, of->state);
  for (int k = 0; k < BODIES; k++) {
    const double *v = velocity_of(of, k), *q = of->state + 7 * k;
    double own[3], at[3];
    apply(of->bodies[k].inertia, v + 3, own);
    for (int i = 0; i < 3; i++) at[i] = q[i] + origin[i];
    sum += 0.5 * (masses[k] * dot(v, v) + dot(v + 3, own)) - masses[k] * dot(of->gravity[k], at);
  }
#if HAS_ELEMENTS
  see_elements(&of->elements, of->state, of->state + 7 * BODIES, of->state + TURNS, 0);
  sum += energy_of_elements(&of->elements);
#endif
  return sum;
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  mechanism *of = instance;
  const int on = port_bodies[port];
  const double *pose = on < 0 ? nothing : of->state + 7 * on;
  double axes[9], arm[3];
  place_frame(pose, on >= 0, port_poses[port], axes, arm);
  for (int i = 0; i < 3; i++) to->position[i] = arm[i] + (on < 0 ? 0 : pose[i]);
  for (int i = 0; i < 6; i++) to->velocity[i] = 0;
  if (on >= 0) at_port(velocity_of(of, on), arm, to->velocity);
  show_vectors(of, 3, to->position);
  show_vectors(of, 6, to->velocity);
  show_vectors(of, 9, axes);
  for (int i = 0; i < 3; i++) {
    to->position[i] += of->place[i];
    for (int j = 0; j < 3; j++) to->rotation[SETUP_ENTRY(i, j)] = axes[i + 3 * j];
  }
}
