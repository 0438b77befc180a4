/* planar_step.h - rattle in the plane, its step (planar_rows.h): text of generated files. */
/* --- right-hand sides ---------------------------------------------------------------------------
 */

IN_LINE two side_rate(const hold_side *rows, two line, double turn) {
  return rows->x * line[0] + rows->y * line[1] + rows->turn * turn;
}

/* t.d'' + 2 w (k x t).d' - w^2 t.d of a line */
static two hold_bias(const plane *of, int k, two swing) {
  const int *ends = pair_ends[k];
  const double *arm = of->arm[k];
  const double turn_a = TURN(of->from.turn, ends[0]), turn_b = TURN(of->from.turn, ends[1]);
  const hold_side *side = &of->side[pair_holds[k]][1];
  const two line = {side->x[0], side->y[0]};
  const two rate = (LINE(of->from.line, ends[1]) + turn_b * quarter(TWO(arm + 2))) -
                   (LINE(of->from.line, ends[0]) + turn_a * quarter(TWO(arm)));
  const two d = apart(&of->pose, ends, TWO(arm), TWO(arm + 2));
  const double wa = turn_a * turn_a;
  return (two){dot_two(line, swing - wa * d) + 2 * turn_a * cross_two(line, rate), 0};
}

/* G v of a pair */
IN_LINE two pair_rate(const plane *of, int k, const double *turns) {
  const int *ends = pair_ends[k];
  const two a = LINE(of->velocity.line, ends[0]), b = LINE(of->velocity.line, ends[1]);
  const double turn_a = TURN(turns, ends[0]), turn_b = TURN(turns, ends[1]);
  if (HOLDS > 0 && pair_holds[k] >= 0) {
    const hold_side *side = of->side[pair_holds[k]];
    return side_rate(&side[0], a, turn_a) + side_rate(&side[1], b, turn_b);
  }
  return (b - a) + (turn_b * TWO(of->lever[k] + 2) + turn_a * TWO(of->lever[k]));
}

/* right-hand sides: -share G' v, of the velocities at the start, less G v */
IN_LINE void ask_with_bias(plane *of, double share) {
  for (int k = 0; k < PAIRS; k++) {
    const int *ends = pair_ends[k];
    const double a = TURN(of->from.turn, ends[0]), b = TURN(of->from.turn, ends[1]);
    two bias = a * a * TWO(of->arm[k]) - b * b * TWO(of->arm[k] + 2);
    if (HOLDS > 0 && pair_holds[k] >= 0) bias = hold_bias(of, k, bias);
    ROW(of->impulse, ends[2]) = -share * bias - pair_rate(of, k, of->from.turn);
  }
}

IN_LINE void ask(plane *of) {
  for (int k = 0; k < PAIRS; k++) {
    ROW(of->impulse, pair_ends[k][2]) = -pair_rate(of, k, of->velocity.turn);
  }
}

IN_LINE void add_side(const hold_side *rows, two l, planar_motions *to, int body) {
  LINE(to->line, body) += (two){dot_two(rows->x, l), dot_two(rows->y, l)};
  TURN(to->turn, body) += dot_two(rows->turn, l);
}

/* momenta += G^T l */
IN_LINE void push_pairs(plane *of) {
  planar_motions *to = &of->momentum;
  for (int k = 0; k < PAIRS; k++) {
    const int *ends = pair_ends[k];
    const two l = ROW(of->impulse, ends[2]);
    if (HOLDS > 0 && pair_holds[k] >= 0) {
      add_side(&of->side[pair_holds[k]][0], l, to, ends[0]);
      add_side(&of->side[pair_holds[k]][1], l, to, ends[1]);
      continue;
    }
    const double turn_a = dot_two(TWO(of->lever[k]), l), turn_b = dot_two(TWO(of->lever[k] + 2), l);
    LINE(to->line, ends[0]) -= l, LINE(to->line, ends[1]) += l;
    TURN(to->turn, ends[0]) += turn_a, TURN(to->turn, ends[1]) += turn_b;
  }
}

/* --- the step -----------------------------------------------------------------------------------
 */

IN_LINE void take_velocities(plane *of) {
  for (int k = 0; k < 2 * ROOM; k++) {
    of->velocity.line[k] = of->inverse.line[k] * of->momentum.line[k];
  }
  for (int k = 0; k < ROOM; k++) of->velocity.turn[k] = of->inverse.turn[k] * of->momentum.turn[k];
}

/* the first impulses, with the factors of the start */
WIDE_VECTORS
static void set_off_flat(plane *of, double h) {
  const double share = h / 2;
  for (int k = 0; k < 2 * ROOM; k++) {
    of->velocity.line[k] = of->from.line[k] + share * of->gravity[k];
    of->momentum.line[k] = of->inertia.line[k] * of->velocity.line[k];
  }
  for (int k = 0; k < ROOM; k++) of->momentum.turn[k] = of->inertia.turn[k] * of->from.turn[k];
  ask_with_bias(of, share);
  solve_flat(of);
  push_pairs(of);
}

/* half angles of the turn, and what rounding made of their length */
IN_LINE void fly_flat(plane *of, double h) {
  const planar_poses *pose = &of->pose;
  planar_poses *next = &of->next;
  for (int k = 0; k < ROOM; k++) {
    const double sine = h * of->momentum.turn[k] * of->inverse.turn[k];
    const double cosine = sqrt(1 - sine * sine), c = sqrt((1 + cosine) / 2), s = sine / (2 * c);
    const double x = c * pose->half_cos[k] + s * -pose->half_sin[k];
    const double y = c * pose->half_sin[k] + s * pose->half_cos[k];
    const double scale = 1.5 - 0.5 * (x * x + y * y), half_cos = scale * x, half_sin = scale * y;
    of->turned[k] = sine;
    next->half_cos[k] = half_cos, next->half_sin[k] = half_sin;
    next->cosine[k] = half_cos * half_cos - half_sin * half_sin;
    next->sine[k] = 2 * half_cos * half_sin;
  }
  for (int k = 0; k < 2 * ROOM; k++) {
    next->at[k] = pose->at[k] + h * of->inverse.line[k] * of->momentum.line[k];
  }
}

/* 0: a body turned too far */
IN_LINE int is_resolved(const plane *of) {
  int count = 0;
  for (int k = 0; k < ROOM; k++) count += fabs(of->turned[k]) <= TURNED_MOST;
  return count == ROOM;
}

IN_LINE two larger_two(two a, two b) {
  return (two){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}

IN_LINE two size_of(two d) {
  return (two){fabs(d[0]), fabs(d[1])};
}

static two hold_left(const plane *of, int k, two d) {
  const int hold = pair_holds[k], *ends = pair_ends[k];
  const double *line = of->line[hold];
  two left = {0, 0};
  if (hold_rows[hold][0]) left[0] = dot_two(turn_vector(&of->next, ends[0], line), d);
  if (hold_rows[hold][1]) {
    left[1] = cross_two(turn_vector(&of->next, ends[0], line + 2),
                        turn_vector(&of->next, ends[1], line + 4));
  }
  return left;
}

/* What is left of pairs at the end of the free step; the largest of displacements over the length,
 * and of turns. NaN stays in the sum. */
IN_LINE double measure_pairs(plane *of) {
  two most = {0, 0}, turned = {0, 0}, sum = {0, 0};
  for (int k = 0; k < PAIRS; k++) {
    const int *ends = pair_ends[k];
    const double *point = of->point[k];
    const two arm_a = turn_two(&of->next, ends[0], TWO(point), TWO(point + 2));
    const two arm_b = turn_two(&of->next, ends[1], TWO(point + 4), TWO(point + 6));
    two d = apart(&of->next, ends, arm_a, arm_b);
    TWO(of->ahead[k]) = arm_a, TWO(of->ahead[k] + 2) = arm_b;
    if (HOLDS > 0 && pair_holds[k] >= 0) {
      d = hold_left(of, k, d);
      turned = larger_two(size_of(d), turned);
    } else {
      most = larger_two(size_of(d), most);
    }
    ROW(of->impulse, ends[2]) = d;
    sum += d;
  }
  double way = most[0] > most[1] ? most[0] : most[1];
  if (turned[0] > way) way = turned[0];
  way /= of->length;
  if (turned[1] > way) way = turned[1];
  return way + 0 * (sum[0] + sum[1]);
}

/* impulses at the start such that the free step ends on all joints */
WIDE_VECTORS
static int close_flat(plane *of, double h) {
  double before = INFINITY;
  for (int k = 0; k < CORRECTIONS_MAX; k++) {
    fly_flat(of, h);
    if (!is_resolved(of)) return 0;
    const double left = measure_pairs(of);
    if (left <= PLANAR_CLOSED) return 1;
    if (!(left < PLANAR_SLOWEST * before)) return 0;
    before = left;
    for (int i = 0; i < 2 * PAIRS; i++) of->impulse[i] *= -1 / h;
    solve_flat(of);
    push_pairs(of);
  }
  return 0;
}

/* The end of the step becomes what the next step reads of the state: the same but of others. */
static void settle_others(plane *of) {
  for (int k = 0; k < OTHERS; k++) {
    const int body = other_bodies[k];
    const double sine[3] = {0, 0, of->next.half_sin[body]};
    const double at[3] = {of->next.at[2 * body], of->next.at[2 * body + 1], of->height[body]};
    double turn[4] = {of->next.half_cos[body]}, *q = of->q + 7 * body;
    flatness unread = {0, 0, 0, 0};
    show_flat(of, sine, turn + 1);
    multiply_quaternions(turn, of->zero + 4 * body, q + 3);
    show_flat(of, at, q);
    load_other(of, body, q, &of->next, &unread);
  }
  if (OTHERS > 0) find_flat_arms(of, &of->next, of->ahead);
}

/* the second half, with the factors of the end */
WIDE_VECTORS
static void arrive_flat(plane *of, double h) {
  const double share = h / 2;
  for (int k = 0; k < 2 * ROOM; k++) {
    of->momentum.line[k] += share * of->inertia.line[k] * of->gravity[k];
  }
  take_velocities(of);
  ask(of);
  solve_flat(of);
  push_pairs(of);
  take_velocities(of);
}

/* Of joints in this step, and the kinetic energies at its ends; 0: not finite. Products first, as
 * arrays, then their sums in order. */
WIDE_VECTORS
static int find_work(const plane *of, double h, double work[3]) {
  const planar_motions *v = &of->from, *w = &of->velocity;
  double gained[2 * ROOM], from[2 * ROOM], to[2 * ROOM], start[ROOM], end[ROOM], half[ROOM];
  double joints = 0, before = 0, after = 0;
  for (int k = 0; k < 2 * ROOM; k++) {
    gained[k] = (w->line[k] - v->line[k] - h * of->gravity[k]) * (v->line[k] + w->line[k]);
    from[k] = v->line[k] * v->line[k], to[k] = w->line[k] * w->line[k];
  }
  for (int k = 0; k < ROOM; k++) {
    half[k] = of->inertia.turn[k] / 2;
    start[k] = half[k] * v->turn[k] * v->turn[k], end[k] = half[k] * w->turn[k] * w->turn[k];
  }
  for (int k = 0; k < FLAT_BODIES; k++) {
    const double m = of->inertia.line[2 * k] / 2;
    joints += m * (gained[2 * k] + gained[2 * k + 1]) + end[k] - start[k];
    before += m * (from[2 * k] + from[2 * k + 1]) + start[k];
    after += m * (to[2 * k] + to[2 * k + 1]) + end[k];
  }
  work[0] = joints, work[1] = before, work[2] = after;
  return after <= DBL_MAX;
}

/* --- to the state -------------------------------------------------------------------------------
 */

/* velocities of others, in axes of the world */
static void store_others(plane *of) {
  for (int k = 0; k < OTHERS; k++) {
    const int body = other_bodies[k];
    const double *w = of->velocity.line + 2 * body;
    const double speed[3] = {w[0], w[1], 0}, spin[3] = {0, 0, of->velocity.turn[body]};
    show_flat(of, speed, of->v + 6 * body);
    show_flat(of, spin, of->v + 6 * body + 3);
  }
}

/* numbers out of the plane are there from the start */
WIDE_VECTORS
static void store_plain(plane *of) {
  for (int k = 0, other = 0; k < FLAT_BODIES; k++) {
    double *q = of->q + 7 * k, *v = of->v + 6 * k;
    if (other < OTHERS && other_bodies[other] == k) {
      other++;
      continue;
    }
    q[AXIS_X] = of->next.at[2 * k], q[AXIS_Y] = of->next.at[2 * k + 1];
    q[3] = of->next.half_cos[k], q[4 + AXIS_N] = of->next.half_sin[k];
    v[AXIS_X] = of->velocity.line[2 * k], v[AXIS_Y] = of->velocity.line[2 * k + 1];
    v[3 + AXIS_N] = of->velocity.turn[k];
  }
}

static void store_flat(plane *of, double *q, double *v, double *angles) {
  store_others(of);
  store_plain(of);
  memcpy(q, of->q, sizeof of->q);
  memcpy(v, of->v, sizeof of->v);
  of->pose = of->next;
  of->from = of->velocity;
  for (int k = 0; k < FLAT_BODIES && ANGLES > 0; k++) of->turned[k] = asin(of->turned[k]);
  for (int k = 0; k < ANGLES; k++) {
    const int *on = angle_bodies[k];
    angles[k] += of->sense[k] * (TURN(of->turned, on[1]) - TURN(of->turned, on[0]));
  }
}

/* rows and factors at the start; 0: the state is not flat, or rows depend on others */
static int begin_flat(plane *of, const double *q, const double *v) {
  if (of->is_known && memcmp(of->q, q, sizeof of->q) == 0 && memcmp(of->v, v, sizeof of->v) == 0) {
    reload_others(of, v);
    return 1;
  }
  if (!load_flat(of, q, v)) return 0;
  find_flat_arms(of, &of->pose, of->arm);
  place_pairs(of, &of->pose);
  couple_pairs(of);
  return factor_flat(of);
}

static int planar_step(void *instance, double h, double *q, double *v, double *angles,
                       double work[4]) {
  plane *of = instance;
  const int has_begun = begin_flat(of, q, v);
  of->is_known = 0;
  if (!has_begun) return 0;
  set_off_flat(of, h);
  if (!close_flat(of, h)) return 0;
  settle_others(of);
  memcpy(of->arm, of->ahead, sizeof of->arm);
  place_pairs(of, &of->next);
  couple_pairs(of);
  if (!factor_flat(of)) return 0;
  arrive_flat(of, h);
  if (!find_work(of, h, work)) return 0;
  work[3] = of->least;
  store_flat(of, q, v, angles);
  of->is_known = 1;
  return 1;
}

/* --- instances ----------------------------------------------------------------------------------
 */

static void fill_bodies(plane *of, const flg_planar_numbers *from) {
  for (int k = 0; k < FLAT_BODIES; k++) {
    for (int i = 0; i < 2; i++) {
      of->inertia.line[2 * k + i] = from->masses[k];
      of->inverse.line[2 * k + i] = from->inverse_masses[k];
    }
    of->inertia.turn[k] = from->inertias[k], of->inverse.turn[k] = from->inverse_inertias[k];
    of->q[7 * k + AXIS_N] = from->heights[k];
  }
  memcpy(of->gravity, from->gravities, 2 * FLAT_BODIES * sizeof(double));
  memcpy(of->height, from->heights, sizeof of->height);
  memcpy(of->zero, from->zeros, sizeof of->zero);
  memcpy(of->sense, from->senses, ANGLES * sizeof *of->sense);
  of->pose.cosine[ROOM] = of->next.cosine[ROOM] = 1;
}

static void fill_pairs(plane *of, const flg_planar_numbers *from) {
  memcpy(of->line, from->lines, HOLDS * sizeof *of->line);
  for (int k = 0; k < PAIRS; k++) {
    for (int e = 0; e < 2; e++) {
      const double *point = from->points + 4 * k + 2 * e;
      const int body = pair_ends[k][e];
      TWO(of->point[k] + 4 * e) = TWO(point);
      TWO(of->point[k] + 4 * e + 2) = quarter(TWO(point));
      of->yield[k][2 * e] = of->yield[k][2 * e + 1] = TURN(of->inverse.turn, body);
      of->free[k] += LINE(of->inverse.line, body)[0];
    }
  }
  for (int k = 0; k < MEET_SUMS; k++) {
    /* rows are those of B less those of A: ends of one kind move alike */
    const int end = meet_sums[k][1] / 16, is_alike = end % 2 == meet_sums[k][2] / 16 % 2;
    const int body = pair_ends[end / 2][end % 2];
    const double free = LINE(of->inverse.line, body)[0];
    of->sum_yield[k] = TURN(of->inverse.turn, body);
    of->sum_free[k][0] = of->sum_free[k][3] = is_alike ? free : -free;
  }
}

/* of: zeros so far */
static void planar_fill(plane *of, const flg_planar_numbers *numbers) {
  memcpy(of->axes, numbers->axes, sizeof of->axes);
  of->length = numbers->length, of->least = numbers->least;
  fill_bodies(of, numbers);
  fill_pairs(of, numbers);
}
