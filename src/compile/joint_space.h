/* joint_space.h - a machine in joint coordinates: its coordinates, its frames, and how its ports
 * yield; the same for robots and components. Text of generated files.
 *
 * It follows what is generated for one machine (joint_source.c):
 *
 *     POSITIONS, VELOCITIES, PORTS, FRAMES, FACTORS, BALLS, GEARS
 *     before, first_factor    the tree of coordinates and where rows of L begin
 *     coordinate_kinds, pitches, straight_positions
 *     balls                   first position and velocity of each quaternion
 *     gear_followers, gear_first, gear_leaders, gear_multipliers
 *                             coordinates that follow others, v_i = sum of m v_j
 *     frame_ends              the last coordinate that moves a frame
 *     find_frames, find_axes
 *
 * Frames are found in the axes of the model's ground; `turn` takes them to the world's, where the
 * scenario has put the machine.
 */
enum {
  PADDED = (POSITIONS + 3) / 4 * 4,
  ROWS = 6 * PORTS,
  FRAME_NUMBERS = 24, /* position 3, rotation 9 (columns), velocity 6, turning 6 */
  FRAME_VELOCITY = 12,
  FRAME_TURNING = 18,
  MOTION = POSITIONS + VELOCITIES
};

typedef struct joints {
  double position[3], rotation[9], gravity[3];
  double world_gravity[3];
  int is_turned;
  /* scratch: */
  double angles[PADDED], sines[PADDED], cosines[PADDED];
  double yields[VELOCITIES], factors[AT_LEAST_ONE(FACTORS)];
  double axes[6 * VELOCITIES];
  double frames[AT_LEAST_ONE(FRAMES) * FRAME_NUMBERS];
  double shares[AT_LEAST_ONE(ROWS)][VELOCITIES];
  double answer[VELOCITIES], local[AT_LEAST_ONE(ROWS)];
  /* of coordinates that follow others: M^-1 G^T, L of G M^-1 G^T, forces, and those of ports */
  double gears[AT_LEAST_ONE(GEARS)][VELOCITIES];
  double gear_factor[AT_LEAST_ONE(GEARS)][AT_LEAST_ONE(GEARS)], gear_forces[AT_LEAST_ONE(GEARS)];
  double gear_shares[AT_LEAST_ONE(ROWS)][AT_LEAST_ONE(GEARS)];
} joints;

/* --- where it stands ----------------------------------------------------------------------------
 */

static void find_sines(joints *of, const double *q) {
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

/* b = R a and b = R^T a of the machine's own turn */
static void turn(const joints *of, const double a[3], double b[3]) {
  const double *R = of->rotation, x = a[0], y = a[1], z = a[2];
  for (int i = 0; i < 3; i++) b[i] = R[i] * x + R[i + 3] * y + R[i + 6] * z;
}

static void turn_back(const joints *of, const double a[3], double b[3]) {
  const double *R = of->rotation, x = a[0], y = a[1], z = a[2];
  for (int i = 0; i < 3; i++) b[i] = R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z;
}

static void stand(joints *of, const flg_plugin_setup *setup) {
  for (int i = 0; i < 3; i++) {
    of->position[i] = setup->position[i];
    of->world_gravity[i] = setup->gravity[i];
    for (int j = 0; j < 3; j++) {
      of->rotation[i + 3 * j] = setup->rotation[SETUP_ENTRY(i, j)];
      if (of->rotation[i + 3 * j] != (i == j)) of->is_turned = 1;
    }
  }
  turn_back(of, of->world_gravity, of->gravity);
}

/* x = (M + added)^-1 x by the factors that are there */
static void solve(const joints *of, double *x) {
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

/* --- coordinates that follow others -------------------------------------------------------------
 * Rows G v = 0 are closed by forces between both joints, x -= M^-1 G^T (G M^-1 G^T)^-1 G x. */

static double gear_row(int r, const double *x) {
  double sum = x[gear_followers[r]];
  for (int k = gear_first[r]; k < gear_first[r + 1]; k++) {
    sum -= gear_multipliers[k] * x[gear_leaders[k]];
  }
  return sum;
}

/* b = L^-1 b, and b = L^-T b */
static void gear_down(const joints *of, double *b) {
  for (int r = 0; r < GEARS; r++) {
    for (int k = 0; k < r; k++) b[r] -= of->gear_factor[r][k] * b[k];
    b[r] /= of->gear_factor[r][r];
  }
}

static void gear_up(const joints *of, double *b) {
  for (int r = GEARS - 1; r >= 0; r--) {
    for (int k = r + 1; k < GEARS; k++) b[r] -= of->gear_factor[k][r] * b[k];
    b[r] /= of->gear_factor[r][r];
  }
}

/* with the factors of the mass matrix that are there */
static void find_gears(joints *of) {
  for (int r = 0; r < GEARS; r++) {
    double *x = of->gears[r];
    for (int k = 0; k < VELOCITIES; k++) x[k] = 0;
    x[gear_followers[r]] += 1;
    for (int k = gear_first[r]; k < gear_first[r + 1]; k++)
      x[gear_leaders[k]] -= gear_multipliers[k];
    solve(of, x);
  }
  for (int r = 0; r < GEARS; r++) {
    double *row = of->gear_factor[r];
    for (int c = 0; c <= r; c++) {
      double sum = gear_row(r, of->gears[c]);
      for (int k = 0; k < c; k++) sum -= row[k] * of->gear_factor[c][k];
      row[c] = c < r ? sum / of->gear_factor[c][c] : sqrt(sum);
    }
  }
}

static void gear(joints *of, double *x) {
  double *forces = of->gear_forces;
  for (int r = 0; r < GEARS; r++) forces[r] = gear_row(r, x);
  gear_down(of, forces);
  gear_up(of, forces);
  for (int r = 0; r < GEARS; r++) {
    for (int k = 0; k < VELOCITIES; k++) x[k] -= forces[r] * of->gears[r][k];
  }
}

/* --- frames and ports ---------------------------------------------------------------------------
 */

static void look(joints *of, const double *q, const double *v) {
  find_sines(of, q);
  find_frames(q, of->sines, of->cosines, v, of->frames);
}

/* how coordinate k moves a frame at p: [linear; angular] */
static void column_of(const joints *of, int k, const double p[3], double to[6]) {
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

static void find_columns(joints *of, const double *q) {
  find_axes(q, of->sines, of->cosines, of->axes);
}

/* answer = (M + added)^-1 J^T x, x on the ports in the axes of the ground */
static void respond(joints *of, const double *x) {
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
static const double *taken_in(joints *of, const double *impulses) {
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
static void find_shares(joints *of, int port) {
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
static void find_gear_shares(joints *of) {
  for (int r = 0; r < ROWS && GEARS > 0; r++) {
    double *x = of->answer;
    for (int k = 0; k < VELOCITIES; k++) x[k] = 0;
    for (int k = frame_ends[r / 6]; k >= 0; k = before[k]) {
      double column[6];
      column_of(of, k, of->frames + FRAME_NUMBERS * (r / 6), column);
      x[k] = column[r % 6];
    }
    solve(of, x);
    for (int i = 0; i < GEARS; i++) of->gear_shares[r][i] = gear_row(i, x);
    gear_down(of, of->gear_shares[r]);
  }
}

/* D, the lower triangle first */
static void find_admittance(joints *of, double *D) {
  find_gear_shares(of);
  for (int p = 0; p < PORTS; p++) find_shares(of, p);
  for (int r = 0; r < ROWS; r++) {
    for (int c = 0; c <= r; c++) {
      double sum = 0;
      for (int k = frame_ends[r / 6]; k >= 0; k = before[k]) {
        sum += of->yields[k] * of->shares[r][k] * of->shares[c][k];
      }
      for (int i = 0; i < GEARS; i++) sum -= of->gear_shares[r][i] * of->gear_shares[c][i];
      D[r + ROWS * c] = sum;
    }
  }
  for (int r = 0; r < ROWS; r++) {
    for (int c = r + 1; c < ROWS; c++) D[r + ROWS * c] = D[c + ROWS * r];
  }
}

/* every 3 rows and 3 columns into the world's axes, symmetric to the last bit */
static void turn_admittance(const joints *of, double *D) {
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
static void turn_rows(const joints *of, double *rows) {
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

static void place_frame(const joints *of, int index, flg_plugin_frame *to) {
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

/* r = J a + J' v, w and J' v of all ports */
static void find_rows(const joints *of, const double *a, double tau, flg_plugin_model *model) {
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
      for (int i = 0; i < 6; i++) model->bias[6 * p + i] += column[i] * a[k];
    }
  }
}

/* what reduce hands out; the factors and accelerations a without forces on ports are known */
static void write_model(joints *of, const double *q, const double *v, const double *a, double tau,
                        flg_plugin_model *model) {
  find_frames(q, of->sines, of->cosines, v, of->frames);
  find_columns(of, q);
  find_rows(of, a, tau, model);
  find_admittance(of, model->admittance);
  turn_rows(of, model->velocity);
  turn_rows(of, model->turning);
  turn_rows(of, model->bias);
  turn_admittance(of, model->admittance);
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

/* one of these of frame `index`; its frames are found */
enum { READ_POSITION, READ_ORIENTATION, READ_VELOCITY, READ_SPIN };
static void read_frame(const joints *of, int index, int quantity, double *values) {
  flg_plugin_frame at;
  place_frame(of, index, &at);
  if (quantity == READ_ORIENTATION) {
    find_quaternion(&at, values);
    return;
  }
  const double *from = quantity == READ_POSITION   ? at.position
                       : quantity == READ_VELOCITY ? at.velocity
                                                   : at.velocity + 3;
  for (int i = 0; i < 3; i++) values[i] = from[i];
}

/* potential energy of gravity: of what it was moved by, times its mass */
static double carried_energy(const joints *of, double mass) {
  double carried = 0;
  for (int i = 0; i < 3; i++) carried += of->world_gravity[i] * of->position[i];
  return -mass * carried;
}
