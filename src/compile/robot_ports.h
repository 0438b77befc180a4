/* robot_ports.h - a compiled robot behind the interface of plug-ins: its start, its ports, signals
 * and many states at once. Text of generated files. */
static const flg_plugin_parameter *parameter(const flg_plugin_setup *setup, const char *name) {
  for (int k = 0; k < setup->parameter_count; k++) {
    if (strcmp(setup->parameters[k].name, name) == 0) return &setup->parameters[k];
  }
  return NULL;
}

/* numbers of a parameter, if it is given; not 0: it has another count */
static int take_numbers(const flg_plugin_setup *setup, const char *name, int count, double *to,
                        char *text) {
  const flg_plugin_parameter *given = parameter(setup, name);
  if (given == NULL) return 0;
  if (given->count != count) {
    snprintf(text, FLG_PLUGIN_TEXT, "parameter '%s' has %d numbers, and %d are needed", name,
             given->count, count);
    return 1;
  }
  for (int k = 0; k < count; k++) to[k] = given->values[k];
  return 0;
}

static int is_known(const char *name) {
  return strcmp(name, "positions") == 0 || strcmp(name, "velocities") == 0 ||
         strcmp(name, "efforts") == 0;
}

static int take_parameters(robot *of, const flg_plugin_setup *setup, char *text) {
  for (int k = 0; k < setup->parameter_count; k++) {
    if (is_known(setup->parameters[k].name)) continue;
    snprintf(text, FLG_PLUGIN_TEXT,
             "there is no parameter '%.80s'; there are positions (%d), velocities (%d) and efforts "
             "(%d)",
             setup->parameters[k].name, POSITIONS, VELOCITIES, VELOCITIES);
    return 1;
  }
  return take_numbers(setup, "positions", POSITIONS, of->state, text) ||
         take_numbers(setup, "velocities", VELOCITIES, of->state + POSITIONS, text) ||
         take_numbers(setup, "efforts", VELOCITIES, of->efforts, text);
}

static void *create(const flg_plugin_setup *setup, char *text) {
  robot *of = calloc(1, sizeof *of);
  if (of == NULL) {
    snprintf(text, FLG_PLUGIN_TEXT, "there is no memory for it");
    return NULL;
  }
  for (int k = 0; k < POSITIONS; k++) of->state[k] = starts[k];
  for (int i = 0; i < 3; i++) {
    of->position[i] = setup->position[i];
    of->world_gravity[i] = setup->gravity[i];
    for (int j = 0; j < 3; j++) {
      of->rotation[i + 3 * j] = setup->rotation[SETUP_ENTRY(i, j)];
      if (of->rotation[i + 3 * j] != (i == j)) of->is_turned = 1;
    }
  }
  turn_back(of, of->world_gravity, of->gravity);
  if (take_parameters(of, setup, text) == 0) {
    normalise(of->state);
    follow(of);
    return of;
  }
  free(of);
  return NULL;
}

static flg_plugin_state state(void *instance) {
  robot *of = instance;
  return (flg_plugin_state){of->state, STATE, STATE};
}

static double energy(void *instance) {
  robot *of = instance;
  double found[1], carried = 0;
  find_sines(of, of->state);
  find_energy(of->state, of->sines, of->cosines, of->state + POSITIONS, of->gravity, found);
  for (int i = 0; i < 3; i++) carried += of->world_gravity[i] * of->position[i];
  return found[0] - TOTAL_MASS * carried;
}

static void place_frame(const robot *of, int index, flg_plugin_frame *to) {
  const double *from = of->frames + FRAME_NUMBERS * index;
  turn(of, from, to->position);
  for (int i = 0; i < 3; i++) to->position[i] += of->position[i];
  for (int j = 0; j < 3; j++) {
    double axis[3];
    turn(of, from + 3 + 3 * j, axis);
    for (int i = 0; i < 3; i++) to->rotation[SETUP_ENTRY(i, j)] = axis[i];
  }
  turn(of, from + FRAME_VELOCITY, to->velocity);
  turn(of, from + FRAME_VELOCITY + 3, to->velocity + 3);
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  robot *of = instance;
  look(of);
  place_frame(of, port, to);
}

/* r = J a + J' v, w and J' v of all ports */
static void find_rows(const robot *of, double tau, flg_plugin_model *model) {
  for (int p = 0; p < PORTS; p++) {
    const double *from = of->frames + FRAME_NUMBERS * p;
    for (int i = 0; i < 6; i++) {
      model->velocity[6 * p + i] = from[FRAME_VELOCITY + i];
      model->turning[6 * p + i] = from[FRAME_TURNING + i];
      model->bias[6 * p + i] = tau > 0 ? from[FRAME_TURNING + i] : 0;
    }
    for (int k = frame_ends[p]; tau > 0 && k >= 0; k = before[k]) {
      double column[6];
      column_of(of, k, from, column);
      for (int i = 0; i < 6; i++) model->bias[6 * p + i] += column[i] * of->a[k];
    }
  }
}

static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  robot *of = instance;
  const double *q = of->state, *v = of->state + POSITIONS;
  (void)time, (void)text;
  of->meets_impulses = !(tau > 0);
  accelerate(of, q, v, tau > 0 ? tau : of->impulse_step);
  of->meets_impulses = 0;
  find_frames(q, of->sines, of->cosines, v, of->frames);
  find_columns(of);
  find_rows(of, tau, model);
  find_admittance(of, model->admittance);
  turn_rows(of, model->velocity);
  turn_rows(of, model->turning);
  turn_rows(of, model->bias);
  turn_admittance(of, model->admittance);
  return 0;
}

/* of which step impulses are a part; steps of several stages resist nothing at once */
static void set_impulse_step(void *instance, double h) {
  robot *of = instance;
  of->impulse_step = RUNGE_KUTTA ? 0 : h;
}

/* answer = (M + added)^-1 J^T x at once */
static void yield_to(robot *of, const double *x) {
  of->meets_impulses = 1;
  resist(of, of->state + POSITIONS, of->impulse_step);
  of->meets_impulses = 0;
  look(of);
  find_columns(of);
  find_factors(of->state, of->sines, of->cosines, of->added, of->yields, of->factors);
  find_gears(of);
  respond(of, taken_in(of, x));
}

static void impulse(void *instance, const double *impulses) {
  robot *of = instance;
  yield_to(of, impulses);
  for (int k = 0; k < VELOCITIES; k++) of->state[POSITIONS + k] += of->answer[k];
}

static void displace(void *instance, const double *x) {
  robot *of = instance;
  yield_to(of, x);
  drift(of->state, of->answer, 1);
}

static const flg_plugin_signal *signals(void *instance, int *count) {
  (void)instance;
  *count = SIGNALS;
  return signal_table;
}

/* Each of the four candidates is 4 q times one component of q: the longest is taken. */
static void find_quaternion(const flg_plugin_frame *at, double to[4]) {
#define R(i, j) at->rotation[SETUP_ENTRY(i, j)]
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  const double x = R(2, 1) - R(1, 2), y = R(0, 2) - R(2, 0), z = R(1, 0) - R(0, 1);
  const double xy = R(1, 0) + R(0, 1), xz = R(2, 0) + R(0, 2), yz = R(2, 1) + R(1, 2);
  if (trace >= R(0, 0) && trace >= R(1, 1) && trace >= R(2, 2)) {
    to[0] = 1 + trace, to[1] = x, to[2] = y, to[3] = z;
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    to[0] = x, to[1] = 1 + R(0, 0) - R(1, 1) - R(2, 2), to[2] = xy, to[3] = xz;
  } else if (R(1, 1) >= R(2, 2)) {
    to[0] = y, to[1] = xy, to[2] = 1 + R(1, 1) - R(0, 0) - R(2, 2), to[3] = yz;
  } else {
    to[0] = z, to[1] = xz, to[2] = yz, to[3] = 1 + R(2, 2) - R(0, 0) - R(1, 1);
  }
#undef R
  const double norm = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3]);
  for (int i = 0; i < 4; i++) to[i] /= norm;
}

static void read_frame(robot *of, int index, int quantity, double *values) {
  flg_plugin_frame at;
  look(of);
  place_frame(of, index, &at);
  if (quantity == FRAME_ORIENTATION_SIGNAL) {
    find_quaternion(&at, values);
    return;
  }
  const double *from = quantity == FRAME_POSITION_SIGNAL   ? at.position
                       : quantity == FRAME_VELOCITY_SIGNAL ? at.velocity
                                                           : at.velocity + 3;
  for (int i = 0; i < 3; i++) values[i] = from[i];
}

static void read(void *instance, int signal, double *values) {
  robot *of = instance;
  const int *source = signal_sources[signal]; /* what, index, width */
  const double *from = source[0] == POSITION_SIGNAL   ? of->state
                       : source[0] == VELOCITY_SIGNAL ? of->state + POSITIONS
                                                      : of->efforts;
  if (source[0] > EFFORT_SIGNAL) {
    read_frame(of, source[1], source[0], values);
    return;
  }
  for (int i = 0; i < source[2]; i++) values[i] = from[source[1] + i];
}

static void coordinates(void *instance, int *positions, int *velocities) {
  (void)instance;
  *positions = POSITIONS, *velocities = VELOCITIES;
}

#if HAS_MANY
/* into lane l; what is left over repeats the last state */
static void load_lane(robot *of, int l, const double *q, const double *v, const double *f) {
  for (int k = 0; k < POSITIONS; k++) of->lanes[0][LANES * k + l] = q[k];
  for (int k = 0; k < VELOCITIES; k++) of->motion[0][k][l] = v[k], of->motion[1][k][l] = f[k];
}

static void find_lane_sines(robot *of) {
  const double *q = of->lanes[0];
  for (int k = 0; k < LANES * POSITIONS; k++) {
    flg_sine_and_cosine(q[k], &of->lanes[1][k], &of->lanes[2][k]);
  }
  for (int k = 0; k < LANES * POSITIONS; k++) {
    if (fabs(q[k]) <= FLG_SINE_LIMIT) continue;
    of->lanes[1][k] = sin(q[k]), of->lanes[2][k] = cos(q[k]);
  }
}

static void accelerate_lanes(robot *of, int count, const double *q, const double *v,
                             const double *f, double *a) {
  many g[3];
  for (int i = 0; i < 3; i++) g[i] = (many){0} + of->gravity[i];
  for (int k = 0; k < VELOCITIES; k++) of->motion[2][k] = (many){0};
  for (int first = 0; first < count; first += LANES) {
    for (int l = 0; l < LANES; l++) {
      const int at = first + l < count ? first + l : count - 1;
      load_lane(of, l, q + (size_t)at * POSITIONS, v + (size_t)at * VELOCITIES,
                f + (size_t)at * VELOCITIES);
    }
    find_lane_sines(of);
    find_many_accelerations((const many *)of->lanes[0], (const many *)of->lanes[1],
                            (const many *)of->lanes[2], of->motion[0], of->motion[1], of->motion[2],
                            g, of->motion[3]);
    for (int l = 0; l < LANES && first + l < count; l++) {
      double *to = a + (size_t)(first + l) * VELOCITIES;
      for (int k = 0; k < VELOCITIES; k++) to[k] = of->motion[3][k][l];
    }
  }
}
#endif

/* One by one: with joints that follow others, since what closes them is not generated, and single
 * states, which would fill all lanes with themselves. */
static void accelerate_each(robot *of, int count, const double *q, const double *v, const double *f,
                            double *a) {
  for (int k = 0; k < VELOCITIES; k++) of->added[k] = 0;
  for (int s = 0; s < count; s++, q += POSITIONS, v += VELOCITIES, f += VELOCITIES) {
    accelerate_resisted(of, q, v, f, of->added, a + (size_t)s * VELOCITIES);
  }
}

static void accelerate_many(void *instance, int count, const double *q, const double *v,
                            const double *f, double *a) {
  robot *of = instance;
#if HAS_MANY
  if (MIMICS == 0 && count > 1) {
    accelerate_lanes(of, count, q, v, f, a);
    return;
  }
#endif
  accelerate_each(of, count, q, v, f, a);
}

/* for plugin_table.h */
#define TABLE_FLAGS (RUNGE_KUTTA ? 0 : FLG_PLUGIN_LOOKS_BACK)
#define TABLE_MORE                                                                                 \
  .set_impulse_step = set_impulse_step, .coordinates = coordinates, .accelerate = accelerate_many, \
  .accelerate_resisted = accelerate_resisted
