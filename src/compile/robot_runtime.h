/* robot_runtime.h - the part of a compiled robot that is the same for all: text of generated files.
 *
 * robot_ports.h follows it. It follows what is generated for one robot (robot_source.c):
 *
 *     POSITIONS, VELOCITIES, PORTS, FRAMES, FACTORS, SIGNALS, RUNGE_KUTTA, TOTAL_MASS
 *     before, first_factor    the tree of coordinates and where rows of L begin
 *     coordinate_kinds, pitches, dampings, frictions, creeps, lowers, uppers, starts
 *     balls                   first position and velocity of each quaternion
 *     MIMICS, followers       joints that follow others, v_i = by v_j: the numbers of both
 *     frame_ends              the last coordinate that moves a frame
 *     port_names, signal_table, signal_sources
 *     find_accelerations, find_many_accelerations (if HAS_MANY)
 *     find_factors, find_frames, find_axes, find_energy
 *
 * Frames are found in the axes of the model's ground; `turn` takes them to the world's, where the
 * scenario has put the robot.
 */
enum {
  PADDED = (POSITIONS + 3) / 4 * 4,
  ROWS = 6 * PORTS,
  FRAME_NUMBERS = 24, /* position 3, rotation 9 (columns), velocity 6, turning 6 */
  FRAME_VELOCITY = 12,
  FRAME_TURNING = 18,
  STATE = POSITIONS + VELOCITIES
};

typedef struct robot {
  double state[STATE];
  double efforts[VELOCITIES]; /* constant forces on the coordinates */
  double position[3], rotation[9], gravity[3];
  double world_gravity[3];
  int is_turned;
  double impulse_step;   /* step that impulses are part of, 0: none [s] */
  int meets_impulses;    /* what slips has had its friction, and does not resist them */
  int knows_slips;       /* which joints stick was found, else friction is a secant */
  int slips[VELOCITIES]; /* the way in which a joint slips in this step, 0: it sticks */
  /* scratch: */
  double angles[PADDED], sines[PADDED], cosines[PADDED];
  double forces[VELOCITIES], added[VELOCITIES];
  double a[VELOCITIES], yields[VELOCITIES], factors[AT_LEAST_ONE(FACTORS)];
  double axes[6 * VELOCITIES];
  double frames[AT_LEAST_ONE(FRAMES) * FRAME_NUMBERS];
  double shares[AT_LEAST_ONE(ROWS)][VELOCITIES];
  double answer[VELOCITIES], local[AT_LEAST_ONE(ROWS)];
  double stage[STATE], rates[STATE], sum[STATE];
  /* of joints that follow others: M^-1 G^T, L of G M^-1 G^T, forces, and those of rows of ports */
  double gears[AT_LEAST_ONE(MIMICS)][VELOCITIES];
  double gear_factor[AT_LEAST_ONE(MIMICS)][AT_LEAST_ONE(MIMICS)], gear_forces[AT_LEAST_ONE(MIMICS)];
  double gear_shares[AT_LEAST_ONE(ROWS)][AT_LEAST_ONE(MIMICS)];
  double lanes[3][LANES * POSITIONS]; /* of LANES states: positions, sines, cosines */
  many motion[4][VELOCITIES];         /* velocities, forces, nothing added, accelerations */
} robot;

/* --- small things -------------------------------------------------------------------------------
 */

static void find_sines(robot *of, const double *q) {
  for (int k = 0; k < POSITIONS; k++) of->angles[k] = q[k];
  for (int k = 0; k < PADDED; k++) {
    flg_sine_and_cosine(of->angles[k], &of->sines[k], &of->cosines[k]);
  }
  for (int k = 0; k < POSITIONS; k++) {
    if (fabs(q[k]) <= FLG_SINE_LIMIT) continue;
    of->sines[k] = sin(q[k]);
    of->cosines[k] = cos(q[k]);
  }
}

/* b = R a and b = R^T a of the robot's own turn */
static void turn(const robot *of, const double a[3], double b[3]) {
  const double *R = of->rotation, x = a[0], y = a[1], z = a[2];
  for (int i = 0; i < 3; i++) b[i] = R[i] * x + R[i + 3] * y + R[i + 6] * z;
}

static void turn_back(const robot *of, const double a[3], double b[3]) {
  const double *R = of->rotation, x = a[0], y = a[1], z = a[2];
  for (int i = 0; i < 3; i++) b[i] = R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* --- forces and accelerations -------------------------------------------------------------------
 */

/* of the creep of secants: that of what sticks, as in robot_friction.c */
static const double STICKS = 3e-5;

/* dry friction over an implicit step: c of -c v */
static double secant(const robot *of, const double *v, double h, int k) {
  if (!(h > 0 && frictions[k] > 0)) return 0;
  if (of->knows_slips) return of->slips[k] != 0 ? 0 : frictions[k] / (h * STICKS * creeps[k]);
  if (of->meets_impulses && fabs(v[k]) > h * creeps[k]) return 0;
  return frictions[k] / larger(fabs(v[k]), h * creeps[k]);
}

/* Damping, and over an implicit step h friction, as -c v: (M + h c) a = f - c v. */
static void resist(robot *of, const double *v, double h) {
  for (int k = 0; k < VELOCITIES; k++) {
    const double c = dampings[k] + secant(of, v, h, k);
    const double push = of->knows_slips ? of->slips[k] * frictions[k] : 0;
    of->forces[k] = of->efforts[k] - push - c * v[k];
    of->added[k] = h * c;
  }
}

/* x = (M + added)^-1 x by the factors that are there */
static void solve(const robot *of, double *x) {
  for (int k = VELOCITIES - 1; k >= 0; k--) {
    const double *row = of->factors + first_factor[k];
    for (int i = before[k]; i >= 0; i = before[i]) x[i] -= *row++ * x[k];
  }
  for (int k = 0; k < VELOCITIES; k++) {
    const double *row = of->factors + first_factor[k];
    x[k] *= of->yields[k];
    for (int i = before[k]; i >= 0; i = before[i]) x[k] -= *row++ * x[i];
  }
}

/* --- joints that follow others: v_i = m v_j -----------------------------------------------------
 * Rows G v = 0 are closed by forces between both joints, x -= M^-1 G^T (G M^-1 G^T)^-1 G x. */

static double gear_row(int r, const double *x) {
  return x[followers[r].of[0]] - followers[r].by * x[followers[r].of[1]];
}

/* b = L^-1 b, and b = L^-T b */
static void gear_down(const robot *of, double *b) {
  for (int r = 0; r < MIMICS; r++) {
    for (int k = 0; k < r; k++) b[r] -= of->gear_factor[r][k] * b[k];
    b[r] /= of->gear_factor[r][r];
  }
}

static void gear_up(const robot *of, double *b) {
  for (int r = MIMICS - 1; r >= 0; r--) {
    for (int k = r + 1; k < MIMICS; k++) b[r] -= of->gear_factor[k][r] * b[k];
    b[r] /= of->gear_factor[r][r];
  }
}

/* with the factors of the mass matrix that are there */
static void find_gears(robot *of) {
  for (int r = 0; r < MIMICS; r++) {
    double *x = of->gears[r];
    for (int k = 0; k < VELOCITIES; k++) x[k] = 0;
    x[followers[r].of[0]] += 1;
    x[followers[r].of[1]] -= followers[r].by;
    solve(of, x);
  }
  for (int r = 0; r < MIMICS; r++) {
    double *row = of->gear_factor[r];
    for (int c = 0; c <= r; c++) {
      double sum = gear_row(r, of->gears[c]);
      for (int k = 0; k < c; k++) sum -= row[k] * of->gear_factor[c][k];
      row[c] = c < r ? sum / of->gear_factor[c][c] : sqrt(sum);
    }
  }
}

static void gear(robot *of, double *x) {
  double *forces = of->gear_forces;
  for (int r = 0; r < MIMICS; r++) forces[r] = gear_row(r, x);
  gear_down(of, forces);
  gear_up(of, forces);
  for (int r = 0; r < MIMICS; r++) {
    for (int k = 0; k < VELOCITIES; k++) x[k] -= forces[r] * of->gears[r][k];
  }
}

/* followers where their leaders say */
static void follow(robot *of) {
  double *v = of->state + POSITIONS;
  for (int r = 0; r < MIMICS; r++) {
    const int *at = followers[r].at;
    of->state[at[0]] = followers[r].by * of->state[at[1]] + followers[r].off;
    v[followers[r].of[0]] = followers[r].by * v[followers[r].of[1]];
  }
}

static void accelerate_resisted(void *instance, const double *q, const double *v, const double *f,
                                const double *added, double *a) {
  robot *of = instance;
  find_sines(of, q);
  find_accelerations(q, of->sines, of->cosines, v, f, added, of->gravity, a, of->yields,
                     of->factors);
  if (MIMICS == 0) return;
  find_gears(of);
  gear(of, a);
}

static void accelerate(robot *of, const double *q, const double *v, double h) {
  resist(of, v, h);
  accelerate_resisted(of, q, v, of->forces, of->added, of->a);
}

/* --- frames and ports ---------------------------------------------------------------------------
 */

static void look(robot *of) {
  const double *q = of->state, *v = of->state + POSITIONS;
  find_sines(of, q);
  find_frames(q, of->sines, of->cosines, v, of->frames);
}

/* how coordinate k moves a frame at p: [linear; angular] */
static void column_of(const robot *of, int k, const double p[3], double to[6]) {
  const double *e = of->axes + 6 * k, *o = e + 3;
  const double x = p[0] - o[0], y = p[1] - o[1], z = p[2] - o[2];
  for (int i = 0; i < 6; i++) to[i] = 0;
  if (coordinate_kinds[k] != 0) { /* a slide */
    for (int i = 0; i < 3; i++) to[i] = e[i];
    return;
  }
  to[0] = e[1] * z - e[2] * y + pitches[k] * e[0];
  to[1] = e[2] * x - e[0] * z + pitches[k] * e[1];
  to[2] = e[0] * y - e[1] * x + pitches[k] * e[2];
  for (int i = 0; i < 3; i++) to[3 + i] = e[i];
}

static void find_columns(robot *of) {
  find_axes(of->state, of->sines, of->cosines, of->axes);
}

/* answer = (M + added)^-1 J^T x, x on the ports in the axes of the ground */
static void respond(robot *of, const double *x) {
  for (int k = 0; k < VELOCITIES; k++) of->answer[k] = 0;
  for (int p = 0; p < PORTS; p++) {
    for (int k = frame_ends[p]; k >= 0; k = before[k]) {
      double column[6];
      column_of(of, k, of->frames + FRAME_NUMBERS * p, column);
      for (int i = 0; i < 6; i++) of->answer[k] += column[i] * x[6 * p + i];
    }
  }
  solve(of, of->answer);
  gear(of, of->answer);
}

/* impulses on the ports in the axes of the ground */
static const double *taken_in(robot *of, const double *impulses) {
  if (!of->is_turned) return impulses;
  for (int k = 0; k < 2 * PORTS; k++) turn_back(of, impulses + 3 * k, of->local + 3 * k);
  return of->local;
}

static int is_pushed(const double *impulses) {
  for (int k = 0; k < ROWS; k++) {
    if (impulses[k] != 0) return 1;
  }
  return 0;
}

/* shares of each row in each coordinate: L^-T J^T */
static void find_shares(robot *of, int port) {
  double(*share)[VELOCITIES] = of->shares + 6 * port;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < VELOCITIES; k++) share[i][k] = 0;
  }
  for (int k = frame_ends[port]; k >= 0; k = before[k]) {
    double column[6];
    column_of(of, k, of->frames + FRAME_NUMBERS * port, column);
    for (int i = 0; i < 6; i++) share[i][k] = column[i];
  }
  for (int k = frame_ends[port]; k >= 0; k = before[k]) {
    const double *row = of->factors + first_factor[k];
    for (int i = before[k]; i >= 0; i = before[i], row++) {
      for (int j = 0; j < 6; j++) share[j][i] -= *row * share[j][k];
    }
  }
}

/* of each row: L^-1 G M^-1 J^T, where it drives joints that follow others */
static void find_gear_shares(robot *of) {
  for (int r = 0; r < ROWS && MIMICS > 0; r++) {
    double *x = of->answer;
    for (int k = 0; k < VELOCITIES; k++) x[k] = 0;
    for (int k = frame_ends[r / 6]; k >= 0; k = before[k]) {
      double column[6];
      column_of(of, k, of->frames + FRAME_NUMBERS * (r / 6), column);
      x[k] = column[r % 6];
    }
    solve(of, x);
    for (int i = 0; i < MIMICS; i++) of->gear_shares[r][i] = gear_row(i, x);
    gear_down(of, of->gear_shares[r]);
  }
}

/* D, the lower triangle first */
static void find_admittance(robot *of, double *D) {
  find_gear_shares(of);
  for (int p = 0; p < PORTS; p++) find_shares(of, p);
  for (int r = 0; r < ROWS; r++) {
    for (int c = 0; c <= r; c++) {
      double sum = 0;
      for (int k = frame_ends[r / 6]; k >= 0; k = before[k]) {
        sum += of->yields[k] * of->shares[r][k] * of->shares[c][k];
      }
      for (int i = 0; i < MIMICS; i++) sum -= of->gear_shares[r][i] * of->gear_shares[c][i];
      D[r + ROWS * c] = sum;
    }
  }
  for (int r = 0; r < ROWS; r++) {
    for (int c = r + 1; c < ROWS; c++) D[r + ROWS * c] = D[c + ROWS * r];
  }
}

/* every 3 rows and 3 columns into the world's axes, symmetric to the last bit */
static void turn_admittance(const robot *of, double *D) {
  if (!of->is_turned) return;
  for (int c = 0; c < ROWS; c++) {
    for (int k = 0; k < 2 * PORTS; k++) turn(of, D + ROWS * c + 3 * k, D + ROWS * c + 3 * k);
  }
  for (int r = 0; r < ROWS; r++) {
    for (int k = 0; k < 2 * PORTS; k++) {
      double row[3], turned[3];
      for (int i = 0; i < 3; i++) row[i] = D[r + ROWS * (3 * k + i)];
      turn(of, row, turned);
      for (int i = 0; i < 3; i++) D[r + ROWS * (3 * k + i)] = turned[i];
    }
  }
  for (int r = 0; r < ROWS; r++) {
    for (int c = r + 1; c < ROWS; c++) D[r + ROWS * c] = D[c + ROWS * r];
  }
}

/* 3-vectors of ports into the world's axes */
static void turn_rows(const robot *of, double *rows) {
  for (int k = 0; of->is_turned && k < 2 * PORTS; k++) turn(of, rows + 3 * k, rows + 3 * k);
}

/* --- positions ----------------------------------------------------------------------------------
 */

static void normalise(double *q) {
  for (int b = 0; b < BALLS; b++) {
    double *e = q + balls[b][0];
    const double norm = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int i = 0; i < 4; i++) e[i] = norm == 0 ? i == 0 : e[i] / norm;
  }
}

/* of the rotation vector h w: series where it is small */
static void exponential(const double *w, double h, double to[4]) {
  const double x = h * w[0], y = h * w[1], z = h * w[2], square = x * x + y * y + z * z;
  double factor, cosine;
  if (square < 1e-2) {
    const double s = square / 4;
    factor = 0.5 - s * (1. / 12) * (1 - s * (1. / 20) * (1 - s * (1. / 42) * (1 - s * (1. / 72))));
    cosine = 1 - s * (1. / 2) * (1 - s * (1. / 12) * (1 - s * (1. / 30) * (1 - s * (1. / 56))));
  } else {
    const double angle = sqrt(square);
    factor = sin(angle / 2) / angle, cosine = cos(angle / 2);
  }
  to[0] = cosine, to[1] = factor * x, to[2] = factor * y, to[3] = factor * z;
}

/* q = q (+) h v */
static void drift(double *q, const double *v, double h) {
  for (int k = 0; k < VELOCITIES; k++) {
    if (straight_positions[k] >= 0) q[straight_positions[k]] += h * v[k];
  }
  for (int b = 0; b < BALLS; b++) {
    double by[4];
    exponential(v + balls[b][1], h, by);
    multiply_quaternions(q + balls[b][0], by, q + balls[b][0]);
  }
  normalise(q);
}

/* dq/dt, quaternions as plain numbers */
static void find_rates(const double *q, const double *v, double *rates) {
  for (int k = 0; k < VELOCITIES; k++) {
    if (straight_positions[k] >= 0) rates[straight_positions[k]] = v[k];
  }
  for (int b = 0; b < BALLS; b++) {
    const double *w = v + balls[b][1], half[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
    multiply_quaternions(q + balls[b][0], half, rates + balls[b][0]);
  }
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* accelerations under forces on the ports, which are impulses / h */
static void accelerate_pushed(robot *of, const double *state, const double *impulses, double h,
                              double implicit) {
  accelerate(of, state, state + POSITIONS, implicit);
  if (impulses == NULL) return;
  find_frames(state, of->sines, of->cosines, state + POSITIONS, of->frames);
  find_axes(state, of->sines, of->cosines, of->axes);
  respond(of, impulses);
  for (int k = 0; k < VELOCITIES; k++) of->a[k] += of->answer[k] / h;
}

/* What friction asks of a joint that would have the speed w: one that sticks holds up to its bound,
 * one that slips does not turn round. */
static int way_of(const robot *of, double w, double h, int k) {
  if (!(frictions[k] > 0)) return 0;
  if (of->slips[k] != 0) return of->slips[k] * w < 0 ? 0 : of->slips[k];
  return fabs(w) <= h * STICKS * creeps[k] ? 0 : w > 0 ? 1 : -1;
}

/* how many joints break their law; all of them change over, or the first alone */
static int revise(robot *of, double h, int only_first) {
  const double *v = of->state + POSITIONS;
  int wrong = 0;
  for (int k = 0; k < VELOCITIES; k++) {
    const int way = way_of(of, v[k] + h * of->a[k], h, k);
    if (way == of->slips[k]) continue;
    if (wrong++ == 0 || !only_first) of->slips[k] = way;
  }
  return wrong;
}

/* accelerations of a robot by itself, with friction that sticks; of one on which none was found
 * those of secants */
static void accelerate_rubbing(robot *of, double h) {
  enum { PATIENCE = 8, SOLVES = 100 + 30 * VELOCITIES };
  const double *v = of->state + POSITIONS;
  int wrong = 1;
  for (int k = 0; k < VELOCITIES; k++) {
    const int rests = !(frictions[k] > 0) || fabs(v[k]) <= h * STICKS * creeps[k];
    of->slips[k] = rests ? 0 : v[k] > 0 ? 1 : -1;
  }
  of->knows_slips = 1;
  for (int n = 0; n < SOLVES && wrong > 0; n++) {
    accelerate(of, of->state, v, h);
    wrong = revise(of, h, n >= PATIENCE);
  }
  of->knows_slips = 0;
  if (wrong > 0) accelerate(of, of->state, v, h);
  for (int k = 0; k < VELOCITIES && wrong == 0; k++) {
    if (frictions[k] > 0 && of->slips[k] == 0) of->a[k] = -v[k] / h;
  }
}

static int rubs(void) {
  for (int k = 0; k < VELOCITIES; k++) {
    if (frictions[k] > 0) return 1;
  }
  return 0;
}

/* v+ = v + h a, q+ = q (+) h v+ */
static void kick(robot *of, double h, const double *impulses) {
  double *q = of->state, *v = of->state + POSITIONS;
  if (rubs() && impulses == NULL && of->impulse_step == 0) {
    accelerate_rubbing(of, h);
  } else {
    accelerate_pushed(of, of->state, impulses, h, h);
  }
  for (int k = 0; k < VELOCITIES; k++) v[k] += h * of->a[k];
  drift(q, v, h);
}

static void runge_kutta(robot *of, double h, const double *impulses) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double *rates = of->rates;
  for (int k = 0; k < STATE; k++) of->stage[k] = of->sum[k] = of->state[k];
  for (int s = 0; s < 4; s++) {
    for (int k = 0; s > 0 && k < STATE; k++) {
      of->stage[k] = of->state[k] + node[s] * h * rates[k];
    }
    if (s > 0) normalise(of->stage);
    accelerate_pushed(of, of->stage, impulses, h, 0);
    find_rates(of->stage, of->stage + POSITIONS, rates);
    for (int k = 0; k < VELOCITIES; k++) rates[POSITIONS + k] = of->a[k];
    for (int k = 0; k < STATE; k++) of->sum[k] += weight[s] * h * rates[k];
  }
  for (int k = 0; k < STATE; k++) of->state[k] = of->sum[k];
  normalise(of->state);
}

/* a coordinate that has passed an end of its range in the last step, or -1 */
static int passed_end(const robot *of, const double *old) {
  for (int k = 0; k < VELOCITIES; k++) {
    const int p = straight_positions[k];
    if (p < 0) continue;
    const double now = of->state[p];
    if ((now > uppers[k] && now > old[p]) || (now < lowers[k] && now < old[p])) return k;
  }
  return -1;
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  robot *of = instance;
  double old[STATE];
  const double *push = is_pushed(impulses) ? taken_in(of, impulses) : NULL;
  (void)time;
  for (int k = 0; k < STATE; k++) old[k] = of->state[k];
#if RUNGE_KUTTA
  runge_kutta(of, h, push);
#else
  kick(of, h, push);
#endif
  const int passed = passed_end(of, old);
  if (passed < 0) return 0;
  for (int k = 0; k < STATE; k++) of->state[k] = old[k];
  snprintf(text, FLG_PLUGIN_TEXT,
           "coordinate %d has reached an end of its range, which compiled robots do not close; run "
           "the model itself, or compile it with '--limits ignore'",
           passed + 1);
  return 1;
}
