/* tree_ports.h - a compiled component in joint coordinates behind the interface of plug-ins: its
 * signals over time, its steps, ports and start. Text of generated files.
 *
 * It follows tree_step.h and joint_space.h, and what is generated for one machine (tree_library.c):
 *
 *     LOADS, TOTAL_MASS, LONGEST_STEP (that its springs are stable in), SAMPLE_SLACK
 *     find_factors            of the mass matrix without gears
 *     find_samples            what sampled blocks hold after their samples (signal_terms.h)
 *     find_told               numbers of signals that were chosen
 *     starts                  positions, velocities, states of signals, what sampled blocks hold
 *     source_blocks, sampled_blocks    functions of time; those that are sampled
 *     held_periods, held_sources       of sampled blocks; which of those functions, -1: none
 *     decay_matrices          A of continuous states
 *     load_turns (1: it turns with its body), load_numbers (6)
 *     port_names, signal_table, signal_frames (-1: a number), signal_places
 */
enum { HOLDS = 6, HELD_AT = MOTION + STATES, CLOCK_AT = HELD_AT + HOLDS * HELD };
enum { HOLDS_SAMPLE, HOLDS_VALUE, HOLDS_RATE, HOLDS_MEMORY };

typedef struct machine {
  joints at;
  double state[CLOCK_AT + 1]; /* as starts, then the time */
  double given[GIVEN];        /* gravity, loads */
  /* scratch: */
  double prepared_for; /* the step that decays are for [s] */
  flg_decay decays[AT_LEAST_ONE(DECAYS)];
  flg_tree_decay shown[AT_LEAST_ONE(DECAYS)];
  double sources[3][AT_LEAST_ONE(2 * SOURCES)];
  double held[AT_LEAST_ONE(2 * HELD)];
  double rest[AT_LEAST_ONE(STATES)], efforts[AT_LEAST_ONE(EFFORTS)], a[VELOCITIES];
  const double *impulses; /* on the ports, of a step ... */
  double h;               /* ... of this length */
} machine;

/* --- signals over time --------------------------------------------------------------------------
 */

static void find_sources(double time, double edge, double *to) {
  for (int k = 0; k < SOURCES; k++, to += 2) {
    to[0] = flg_source_value(&source_blocks[k], time, edge, &to[1]);
  }
}

/* value and rate of each, where generated functions look for them */
static void show_held(machine *of) {
  for (int k = 0; k < HELD; k++) {
    of->held[2 * k] = of->state[HELD_AT + HOLDS * k + HOLDS_VALUE];
    of->held[2 * k + 1] = of->state[HELD_AT + HOLDS * k + HOLDS_RATE];
  }
}

/* five numbers of a sampled block: signal_terms.h; returns whether it is due */
static int see_due(const machine *of, double time, int k, double *to) {
  const double period = held_periods[k], *held = of->state + HELD_AT + HOLDS * k;
  const double sample = floor(time / period + SAMPLE_SLACK);
  to[0] = sample != held[HOLDS_SAMPLE], to[1] = held[HOLDS_SAMPLE] < 0, to[2] = sample * period;
  to[3] = to[4] = 0;
  if (held_sources[k] >= 0) {
    to[3] =
        flg_source_value(&sampled_blocks[held_sources[k]], to[2], SAMPLE_SLACK * period, &to[4]);
  }
  return to[0] != 0;
}

/* sampled blocks that are due take their samples, all in the order of the data flow; the sines are
 * those of the state */
static void take_samples(machine *of, double time) {
  double due[AT_LEAST_ONE(5 * HELD)], memory[AT_LEAST_ONE(3 * HELD)];
  double found[AT_LEAST_ONE(5 * HELD)], sources[AT_LEAST_ONE(2 * SOURCES)];
  const double *q = of->state, *v = q + POSITIONS, clock[1] = {time};
  int any = 0;
  for (int k = 0; k < HELD; k++) {
    any = see_due(of, time, k, due + 5 * k) || any;
    const double *held = of->state + HELD_AT + HOLDS * k + HOLDS_MEMORY;
    for (int i = 0; i < 3; i++) memory[3 * k + i] = held[i];
  }
  show_held(of);
  if (!any) return;
  find_sources(time, FLG_ROUNDED_TIME * time, sources);
  find_samples(q, of->at.sines, of->at.cosines, v, of->state + MOTION, sources, of->held, clock,
               memory, due, found);
  for (int k = 0; k < HELD; k++) {
    double *held = of->state + HELD_AT + HOLDS * k;
    if (due[5 * k] != 0) held[HOLDS_SAMPLE] = floor(time / held_periods[k] + SAMPLE_SLACK);
    for (int i = 0; i < 5; i++) held[1 + i] = found[5 * k + i];
  }
  show_held(of);
}

static void prepare_decays(machine *of, double h) {
  if (of->prepared_for == h) return;
  for (int k = 0; k < DECAYS; k++) {
    flg_decay *decay = &of->decays[k];
    decay->first = decay_first[k], decay->count = decay_count[k];
    for (int i = 0; i < 4; i++) decay->A[i] = decay_matrices[k][i];
    flg_decay_prepare(decay, h);
    of->shown[k] = (flg_tree_decay){decay->whole[0], decay->half[0], decay->weight[0]};
  }
  of->prepared_for = h;
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* the factors of the mass matrix, and what gears do with them */
static void factor_machine(joints *of, const double *q, const double *sines,
                           const double *cosines) {
  find_factors(q, sines, cosines, of->yields, of->factors);
  find_gears(of);
}

/* a stage under forces on the ports, which are impulses / h */
static void push_stage(void *what, const double *q, const double *sines, const double *cosines,
                       const double *v, double *a) {
  machine *of = what;
  factor_machine(&of->at, q, sines, cosines);
  find_frames(q, sines, cosines, v, of->at.frames);
  find_axes(q, sines, cosines, of->at.axes);
  respond(&of->at, of->impulses);
  for (int k = 0; k < VELOCITIES; k++) a[k] += of->at.answer[k] / of->h;
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  machine *of = instance;
  double old[CLOCK_AT + 1];
  const int is_held_back = is_pushed(impulses);
  if (h > LONGEST_STEP) {
    snprintf(text, FLG_PLUGIN_TEXT,
             "steps of %.6g s are too long for its springs and dampers: take steps of at most %.3g "
             "s",
             h, LONGEST_STEP);
    return 1;
  }
  memcpy(old, of->state, sizeof old);
  find_sines(&of->at, of->state);
  take_samples(of, time);
  find_sources(time, FLG_SIGNAL_EDGE * h, of->sources[0]);
  find_sources(time + 0.5 * h, 0, of->sources[1]);
  find_sources(time + h, -FLG_SIGNAL_EDGE * h, of->sources[2]);
  prepare_decays(of, h);
  of->impulses = is_held_back ? taken_in(&of->at, impulses) : NULL, of->h = h;
  const flg_tree_call call = {.time = time,
                              .h = h,
                              .q = of->state,
                              .v = of->state + POSITIONS,
                              .states = of->state + MOTION,
                              .sources = {of->sources[0], of->sources[1], of->sources[2]},
                              .held = of->held,
                              .given = of->given,
                              .decays = of->shown,
                              .push = is_held_back ? push_stage : NULL,
                              .machine = of};
  if (tree_step(&call) != 0) {
    of->state[CLOCK_AT] = time + h;
    return 0;
  }
  memcpy(of->state, old, sizeof old);
  snprintf(text, FLG_PLUGIN_TEXT,
           "its motion or one of its signals is no longer a finite number: the step is too long "
           "for it, or a formula has no value");
  return 1;
}

/* --- ports --------------------------------------------------------------------------------------
 */

static void frame(void *instance, int port, flg_plugin_frame *to) {
  machine *of = instance;
  look(&of->at, of->state, of->state + POSITIONS);
  place_frame(&of->at, port, to);
}

/* accelerations without forces on the ports, as at the start of a step of tau */
static void accelerate(machine *of, double time, double tau) {
  const double *q = of->state, *v = q + POSITIONS, clock[1] = {time};
  double kept[AT_LEAST_ONE(HOLDS * HELD)];
  memcpy(kept, of->state + HELD_AT, HOLDS * HELD * sizeof *kept);
  find_sines(&of->at, q);
  take_samples(of, time);
  find_sources(time, FLG_SIGNAL_EDGE * tau, of->sources[0]);
  find_signals(q, of->at.sines, of->at.cosines, v, of->state + MOTION, of->sources[0], of->held,
               clock, of->rest, of->efforts);
  for (int k = 0; k < MOTORS; k++) of->efforts[k] *= motor_constants[k];
  find_accelerations(q, of->at.sines, of->at.cosines, v, of->efforts, of->given, of->a);
  memcpy(of->state + HELD_AT, kept, HOLDS * HELD * sizeof *kept);
}

static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  machine *of = instance;
  (void)text;
  accelerate(of, time, tau);
  factor_machine(&of->at, of->state, of->at.sines, of->at.cosines);
  write_model(&of->at, of->state, of->state + POSITIONS, of->a, tau, model);
  return 0;
}

/* answer = M^-1 J^T x at once */
static void yield_to(machine *of, const double *x) {
  look(&of->at, of->state, of->state + POSITIONS);
  find_columns(&of->at, of->state);
  factor_machine(&of->at, of->state, of->at.sines, of->at.cosines);
  respond(&of->at, taken_in(&of->at, x));
}

static void impulse(void *instance, const double *impulses) {
  machine *of = instance;
  yield_to(of, impulses);
  for (int k = 0; k < VELOCITIES; k++) of->state[POSITIONS + k] += of->at.answer[k];
}

static void displace(void *instance, const double *x) {
  machine *of = instance;
  yield_to(of, x);
  drift(of->state, of->at.answer, 1);
}

/* --- the start, and what it tells ---------------------------------------------------------------
 */

static void *create(const flg_plugin_setup *setup, char *text) {
  if (setup->parameter_count > 0) {
    snprintf(text, FLG_PLUGIN_TEXT, "there is no parameter '%.80s'; a compiled component has none",
             setup->parameters[0].name);
    return NULL;
  }
  machine *of = calloc(1, sizeof *of);
  if (of == NULL) {
    snprintf(text, FLG_PLUGIN_TEXT, "there is no memory for it");
    return NULL;
  }
  stand(&of->at, setup);
  for (int k = 0; k < CLOCK_AT; k++) of->state[k] = starts[k];
  for (int i = 0; i < 3; i++) of->given[i] = of->at.gravity[i];
  for (int k = 0; k < 2 * LOADS; k++) {
    double *to = of->given + 3 + 3 * k;
    for (int i = 0; i < 3; i++) to[i] = load_numbers[3 * k + i];
    if (!load_turns[k / 2]) turn_back(&of->at, to, to);
  }
  return of;
}

static flg_plugin_state state(void *instance) {
  machine *of = instance;
  return (flg_plugin_state){of->state, CLOCK_AT + 1, MOTION};
}

static double energy(void *instance) {
  machine *of = instance;
  double found[1];
  find_sines(&of->at, of->state);
  find_energy(of->state, of->at.sines, of->at.cosines, of->state + POSITIONS, of->at.gravity,
              found);
  return found[0] + carried_energy(&of->at, TOTAL_MASS);
}

static const flg_plugin_signal *signals(void *instance, int *count) {
  (void)instance;
  *count = SIGNALS;
  return signal_table;
}

static void read(void *instance, int signal, double *values) {
  machine *of = instance;
  const double *q = of->state, *v = q + POSITIONS, time = of->state[CLOCK_AT], clock[1] = {time};
  double told[AT_LEAST_ONE(TOLD)];
  look(&of->at, q, v);
  if (signal_frames[signal] >= 0) {
    read_frame(&of->at, PORTS + signal_frames[signal], signal_places[signal], values);
    return;
  }
  show_held(of);
  find_sources(time, FLG_ROUNDED_TIME * time, of->sources[0]);
  find_told(q, of->at.sines, of->at.cosines, v, of->state + MOTION, of->sources[0], of->held, clock,
            told);
  for (int i = 0; i < signal_table[signal].width; i++) values[i] = told[signal_places[signal] + i];
}

/* for plugin_table.h */
#define TABLE_FLAGS 0
#define TABLE_MORE
