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
  stand(&of->at, setup);
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
  double found[1];
  find_sines(&of->at, of->state);
  find_energy(of->state, of->at.sines, of->at.cosines, of->state + POSITIONS, of->at.gravity,
              found);
  return found[0] + carried_energy(&of->at, TOTAL_MASS);
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  robot *of = instance;
  look(&of->at, of->state, of->state + POSITIONS);
  place_frame(&of->at, port, to);
}

static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  robot *of = instance;
  const double *q = of->state, *v = of->state + POSITIONS;
  (void)time, (void)text;
  of->meets_impulses = !(tau > 0);
  accelerate(of, q, v, tau > 0 ? tau : of->impulse_step);
  of->meets_impulses = 0;
  write_model(&of->at, q, v, of->a, tau, model);
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
  look(&of->at, of->state, of->state + POSITIONS);
  find_columns(&of->at, of->state);
  find_factors(of->state, of->at.sines, of->at.cosines, of->added, of->at.yields, of->at.factors);
  find_gears(&of->at);
  respond(&of->at, taken_in(&of->at, x));
}

static void impulse(void *instance, const double *impulses) {
  robot *of = instance;
  yield_to(of, impulses);
  for (int k = 0; k < VELOCITIES; k++) of->state[POSITIONS + k] += of->at.answer[k];
}

static void displace(void *instance, const double *x) {
  robot *of = instance;
  yield_to(of, x);
  drift(of->state, of->at.answer, 1);
}

static const flg_plugin_signal *signals(void *instance, int *count) {
  (void)instance;
  *count = SIGNALS;
  return signal_table;
}

static void read(void *instance, int signal, double *values) {
  robot *of = instance;
  const int *source = signal_sources[signal]; /* what, index, width */
  const double *from = source[0] == POSITION_SIGNAL   ? of->state
                       : source[0] == VELOCITY_SIGNAL ? of->state + POSITIONS
                                                      : of->efforts;
  if (source[0] > EFFORT_SIGNAL) {
    look(&of->at, of->state, of->state + POSITIONS);
    read_frame(&of->at, source[1], source[0] - FRAME_POSITION_SIGNAL, values);
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
  for (int i = 0; i < 3; i++) g[i] = (many){0} + of->at.gravity[i];
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
  if (GEARS == 0 && count > 1) {
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
