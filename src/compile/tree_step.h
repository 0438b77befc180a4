/* tree_step.h - steps of rk4 in joint coordinates: text of generated files.
 *
 * It follows what is generated for one machine (tree_source.c):
 *
 *     POSITIONS, VELOCITIES, STATES, MOTORS, EFFORTS, DECAYS, SOURCES, HELD, GIVEN, BALLS
 *     straight_positions      of each velocity the position that it is the rate of, -1: of a ball
 *     balls                   first position and velocity of each quaternion
 *     decay_first, decay_count
 *     motor_states (-1: none), motor_rates (R/L), motor_constants (kt)
 *     find_signals            rest and flows from positions, velocities, states and time
 *     find_accelerations
 *
 * Stages and their weights are those of assembly/assembly_step.c, those of signals
 * assembly/assembly_motors.c.
 */
enum { TREE_PADDED = (POSITIONS + 3) / 4 * 4 };

/* hR/L below which the stages know the impulse of a motor as well as the formula for it */
static const double SLOW = 0.01;

typedef struct tree_stages {
  double q[TREE_PADDED], v[AT_LEAST_ONE(VELOCITIES)];
  double sines[TREE_PADDED], cosines[TREE_PADDED];
  double rate_q[AT_LEAST_ONE(POSITIONS)], a[AT_LEAST_ONE(VELOCITIES)];
  double sum_q[AT_LEAST_ONE(POSITIONS)], sum_v[AT_LEAST_ONE(VELOCITIES)];
  double rest[4][AT_LEAST_ONE(STATES)], states[4][AT_LEAST_ONE(STATES)];
  double flows[AT_LEAST_ONE(EFFORTS)];   /* currents of motors, then efforts */
  double efforts[AT_LEAST_ONE(EFFORTS)]; /* of motors, then the same */
  double currents[AT_LEAST_ONE(MOTORS)]; /* weighted, of the stages before */
} tree_stages;

static void find_tree_sines(tree_stages *of) {
  for (int k = 0; k < TREE_PADDED; k++) {
    flg_sine_and_cosine(of->q[k], &of->sines[k], &of->cosines[k]);
  }
  for (int k = 0; k < POSITIONS; k++) {
    if (fabs(of->q[k]) <= FLG_SINE_LIMIT) continue;
    of->sines[k] = sin(of->q[k]);
    of->cosines[k] = cos(of->q[k]);
  }
}

/* dq/dt, quaternions as plain numbers */
static void find_tree_rates(tree_stages *of) {
  for (int k = 0; k < VELOCITIES; k++) {
    if (straight_positions[k] >= 0) of->rate_q[straight_positions[k]] = of->v[k];
  }
  for (int b = 0; b < BALLS; b++) {
    const double *w = of->v + balls[b][1];
    const double half[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
    multiply_quaternions(of->q + balls[b][0], half, of->rate_q + balls[b][0]);
  }
}

/* to += M x of a decay */
static void add_decay(int k, const double *M, const double *x, double *to) {
  const int n = decay_count[k], first = decay_first[k];
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) to[first + i] += M[i + j * n] * x[first + j];
  }
}

/* the states of the next stage, or of the end of the step, which are those of stage 0 */
static void advance_signals(tree_stages *of, const flg_tree_call *call, int stage) {
  double *to = of->states[(stage + 1) % 4], last[AT_LEAST_ONE(STATES)];
  const double *from = stage == 2 ? of->states[1] : call->states;
  for (int i = 0; i < STATES; i++) {
    to[i] = 0;
    last[i] = stage == 2 ? 2 * of->rest[2][i] - of->rest[0][i] : of->rest[stage][i];
  }
  for (int k = 0; k < DECAYS; k++) {
    const flg_tree_decay *decay = &call->decays[k];
    add_decay(k, stage < 3 ? decay->half : decay->whole, from, to);
    if (stage < 3) {
      add_decay(k, decay->half + 4, last, to);
      continue;
    }
    add_decay(k, decay->weight, of->rest[0], to);
    add_decay(k, decay->weight + 4, of->rest[1], to);
    add_decay(k, decay->weight + 4, of->rest[2], to);
    add_decay(k, decay->weight + 8, of->rest[3], to);
  }
}

/* The current that a stage stands for: that of the last makes up the impulse of the step. */
static double find_current(const tree_stages *of, const flg_tree_call *call, int k, int stage) {
  const int at = motor_states[k];
  if (at < 0 || stage < 3 || !(motor_rates[k] * call->h > SLOW)) return of->flows[k];
  const double sum =
      (of->rest[0][at] + 2 * (of->rest[1][at] + of->rest[2][at]) + of->rest[3][at]) / 6;
  const double mean = (sum - (of->states[0][at] - call->states[at]) / call->h) / motor_rates[k];
  return 6 * mean - of->currents[k];
}

static void drive_tree(tree_stages *of, const flg_tree_call *call, int stage) {
  static const double weights[4] = {1, 2, 2, 1};
  for (int k = 0; k < MOTORS; k++) {
    if (stage == 0) of->currents[k] = 0;
    of->efforts[k] = motor_constants[k] * find_current(of, call, k, stage);
    of->currents[k] += weights[stage] * of->flows[k];
  }
  for (int k = MOTORS; k < EFFORTS; k++) of->efforts[k] = of->flows[k];
}

/* rates at a stage */
static void evaluate_tree(tree_stages *of, const flg_tree_call *call, int stage) {
  static const int nodes[4] = {0, 1, 1, 2};
  const double clock[1] = {call->time + nodes[stage] * 0.5 * call->h};
  find_tree_sines(of);
  if (STATES + EFFORTS > 0) {
    find_signals(of->q, of->sines, of->cosines, of->v,
                 stage == 0 ? call->states : of->states[stage], call->sources[nodes[stage]],
                 call->held, clock, of->rest[stage], of->flows);
    advance_signals(of, call, stage);
    drive_tree(of, call, stage);
  }
  find_accelerations(of->q, of->sines, of->cosines, of->v, of->efforts, call->given, of->a);
  if (call->push != NULL) {
    call->push(call->machine, of->q, of->sines, of->cosines, of->v, of->a);
  }
  find_tree_rates(of);
}

static void normalise_tree(double *q) {
  for (int b = 0; b < BALLS; b++) {
    double *own = q + balls[b][0];
    const double norm = sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2] + own[3] * own[3]);
    for (int k = 0; k < 4; k++) own[k] /= norm;
  }
}

static void advance_tree(tree_stages *of, const flg_tree_call *call, double weight, double share) {
  for (int k = 0; k < POSITIONS; k++) {
    of->sum_q[k] += weight * of->rate_q[k];
    of->q[k] = call->q[k] + share * of->rate_q[k];
  }
  for (int k = 0; k < VELOCITIES; k++) {
    of->sum_v[k] += weight * of->a[k];
    of->v[k] = call->v[k] + share * of->a[k];
  }
}

static int tree_is_finite(const tree_stages *of) {
  double sum = 0;
  for (int k = 0; k < POSITIONS; k++) sum += 0 * of->sum_q[k];
  for (int k = 0; k < VELOCITIES; k++) sum += 0 * of->sum_v[k];
  for (int k = 0; k < STATES; k++) sum += 0 * of->states[0][k];
  return sum == 0;
}

static int tree_step(const flg_tree_call *call) {
  static const double weights[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, next[4] = {0.5, 0.5, 1, 0};
  tree_stages of;
  for (int k = 0; k < TREE_PADDED; k++) of.q[k] = k < POSITIONS ? call->q[k] : 0;
  for (int k = 0; k < VELOCITIES; k++) of.v[k] = call->v[k], of.sum_v[k] = 0;
  for (int k = 0; k < POSITIONS; k++) of.sum_q[k] = 0;
  for (int stage = 0; stage < 4; stage++) {
    evaluate_tree(&of, call, stage);
    advance_tree(&of, call, call->h * weights[stage], call->h * next[stage]);
  }
  if (!tree_is_finite(&of)) return 0;
  for (int k = 0; k < POSITIONS; k++) call->q[k] += of.sum_q[k];
  for (int k = 0; k < VELOCITIES; k++) call->v[k] += of.sum_v[k];
  for (int k = 0; k < STATES; k++) call->states[k] = of.states[0][k];
  normalise_tree(call->q);
  return 1;
}
