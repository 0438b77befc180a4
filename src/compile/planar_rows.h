/* planar_rows.h - rattle in the plane: bodies, rows and the operations of their factors. Text of
 * generated files.
 *
 * Steps are those of src/assembly/assembly_planar_step.c, operation by operation, so that a run
 * ends with the same bits whichever of both takes them. What is gained lies in the order of the
 * numbers: turns of bodies are arrays, which compilers take four at a time, and factors are loops
 * over columns of equal shape (src/compile/pattern_source.h).
 *
 * It follows these tables of the structure; a body goes by 8 * number, a place in S by 16 * place,
 * an end of a pair by 16 * (2 * pair + end): bytes, so that addresses need no products.
 *
 *     FLAT_BODIES, ROOM          of bodies; rounded up to four, the ground comes after them
 *     PAIRS, HOLDS, ANGLES, ENTRIES, FILLS, OTHERS
 *     AXIS_X, AXIS_Y, AXIS_N     numbers of vectors in the plane, where it is aligned
 *     pair_ends[][3]             bodies A and B, and the place
 *     pair_holds[]               -1: two points meet; else the number of the hold
 *     hold_rows[][2]             whether it slides, whether it turns
 *     meet_sums[][3]             two pairs of points on a body: entry of S, later and earlier end;
 *                                those from MEET_FIRSTS on add to entries that are there
 *     hold_sums[][4]             the same with a hold: entry, later and earlier end, body
 *     pattern_fills[]            entries that only elimination makes
 *     other_bodies[], angle_bodies[][2]
 */
#include <float.h>

enum { ALL = ROOM + 4, GROUND = 8 * ROOM, CORRECTIONS_MAX = 20 };
/* as in the interpreter, which says why */
static const double PLANAR_SLOWEST = 0.8, PLANAR_CLOSED = 1e-12, PLANAR_SOUND = 1e-5,
                    PLANAR_FLAT = 1e-11, TURNED_MOST = 0.95;

/* Rows of a hold as one of its bodies sees them. */
typedef struct hold_side {
  two x, y, turn;
} hold_side;

/* Where bodies are: x and y; cosine and sine of the angle, and of half of it. */
typedef struct planar_poses {
  double at[2 * ALL], cosine[ALL], sine[ALL], half_cos[ALL], half_sin[ALL];
} planar_poses;

/* Velocities or momenta: x and y, turn. */
typedef struct planar_motions {
  double line[2 * ALL], turn[ALL];
} planar_motions;

typedef struct plane {
  /* the model; of lines for x and for y */
  planar_motions inertia, inverse;
  double gravity[2 * ALL], height[FLAT_BODIES], zero[4 * FLAT_BODIES];
  double sense[AT_LEAST_ONE(ANGLES)], axes[9], length, least;
  double point[PAIRS][8]; /* on A, a quarter of a turn ahead, the same on B */
  double yield[PAIRS][4], free[PAIRS];
  double sum_yield[AT_LEAST_ONE(MEET_SUMS)], sum_free[AT_LEAST_ONE(MEET_SUMS)][4];
  double line[AT_LEAST_ONE(HOLDS)][6];
  /* where the last step ended: that state, all of the plane, and the factors there */
  int is_known;
  double q[7 * FLAT_BODIES], v[6 * FLAT_BODIES];
  planar_poses pose;
  planar_motions from;
  double arm[PAIRS][4], lever[PAIRS][4]; /* from centres to points; rows of turns */
  hold_side side[AT_LEAST_ONE(HOLDS)][2];
  double floor[PAIRS][3];                                       /* by place */
  double diagonal[4 * PAIRS], entry[4 * AT_LEAST_ONE(ENTRIES)]; /* of S; then D^-1 and L */
  /* of a step */
  planar_motions velocity, momentum;
  planar_poses next;
  double turned[ALL], ahead[PAIRS][4], impulse[2 * PAIRS];
} plane;

#define TWO(place)  (*(two *)(place))
#define FOUR(place) (*(four *)(place))
/* of a body, by 8 * number; of a place in S, by 16 * place */
#define LINE(array, body) TWO((const char *)(array) + 2 * (long)(body))
#define TURN(array, body) (*(double *)((const char *)(array) + (long)(body)))
#define ROW(array, place) TWO((const char *)(array) + (long)(place))

/* --- vectors ------------------------------------------------------------------------------------
 */

IN_LINE two quarter(two p) {
  return (two){-p[1], p[0]};
}

IN_LINE double dot_two(two a, two b) {
  const two products = a * b;
  return products[0] + products[1];
}

IN_LINE double cross_two(two a, two b) {
  return dot_two(quarter(a), b);
}

/* a vector of a body; ahead: a quarter of a turn ahead */
IN_LINE two turn_two(const planar_poses *poses, int body, two p, two ahead) {
  return TURN(poses->cosine, body) * p + TURN(poses->sine, body) * ahead;
}

IN_LINE two turn_vector(const planar_poses *poses, int body, const double *p) {
  return turn_two(poses, body, TWO(p), quarter(TWO(p)));
}

/* from the point of A to that of B */
IN_LINE two apart(const planar_poses *poses, const int *ends, two arm_a, two arm_b) {
  return (LINE(poses->at, ends[1]) + arm_b) - (LINE(poses->at, ends[0]) + arm_a);
}

/* arms of all pairs */
static void find_flat_arms(const plane *of, const planar_poses *poses, double (*arms)[4]) {
  for (int k = 0; k < PAIRS; k++) {
    const double *point = of->point[k];
    TWO(arms[k]) = turn_two(poses, pair_ends[k][0], TWO(point), TWO(point + 2));
    TWO(arms[k] + 2) = turn_two(poses, pair_ends[k][1], TWO(point + 4), TWO(point + 6));
  }
}

/* --- from the state -----------------------------------------------------------------------------
 */

/* squares of what is in the plane, and out of it */
typedef struct flatness {
  double speed, lift, tilt, height;
} flatness;

static void see_flat(const plane *of, const double *v, double to[3]) {
  for (int i = 0; i < 3; i++) {
    const double *axis = of->axes + 3 * i;
    to[i] = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
  }
}

static void show_flat(const plane *of, const double v[3], double to[3]) {
  const double *x = of->axes, *y = x + 3, *n = x + 6;
  for (int i = 0; i < 3; i++) to[i] = v[0] * x[i] + v[1] * y[i] + v[2] * n[i];
}

static void take_pose(const plane *of, int body, const double at[3], double half_cos,
                      const double about[3], planar_poses *poses, flatness *seen) {
  const double off = at[2] - of->height[body], half_sin = about[2];
  poses->at[2 * body] = at[0], poses->at[2 * body + 1] = at[1];
  poses->half_cos[body] = half_cos, poses->half_sin[body] = half_sin;
  poses->cosine[body] = half_cos * half_cos - half_sin * half_sin;
  poses->sine[body] = 2 * half_cos * half_sin;
  seen->tilt += about[0] * about[0] + about[1] * about[1];
  seen->height += off * off;
}

static void take_motion(plane *of, int body, const double speed[3], const double spin[3],
                        flatness *seen) {
  of->from.line[2 * body] = speed[0], of->from.line[2 * body + 1] = speed[1];
  of->from.turn[body] = spin[2];
  seen->speed += speed[0] * speed[0] + speed[1] * speed[1] + spin[2] * spin[2];
  seen->lift += speed[2] * speed[2] + spin[0] * spin[0] + spin[1] * spin[1];
}

/* of a body whose angle counts from its turn at the start */
static void load_other(const plane *of, int body, const double *q, planar_poses *poses,
                       flatness *seen) {
  const double *zero = of->zero + 4 * body, back[4] = {zero[0], -zero[1], -zero[2], -zero[3]};
  double turn[4], at[3], about[3];
  multiply_quaternions(q + 3, back, turn);
  see_flat(of, q, at);
  see_flat(of, turn + 1, about);
  take_pose(of, body, at, turn[0], about, poses, seen);
}

static void load_other_motion(plane *of, int body, const double *v, flatness *seen) {
  double speed[3], spin[3];
  see_flat(of, v, speed);
  see_flat(of, v + 3, spin);
  take_motion(of, body, speed, spin, seen);
}

static void load_plain(plane *of, int body, const double *q, const double *v, flatness *seen) {
  const int x = AXIS_X, y = AXIS_Y, n = AXIS_N;
  const double at[3] = {q[x], q[y], q[n]}, about[3] = {q[4 + x], q[4 + y], q[4 + n]};
  const double speed[3] = {v[x], v[y], v[n]}, spin[3] = {v[3 + x], v[3 + y], v[3 + n]};
  take_pose(of, body, at, q[3], about, &of->pose, seen);
  take_motion(of, body, speed, spin, seen);
}

/* 0: the state is not flat */
static int load_flat(plane *of, const double *q, const double *v) {
  flatness seen = {0, 0, 0, 0};
  for (int k = 0, other = 0; k < FLAT_BODIES; k++, q += 7, v += 6) {
    if (other < OTHERS && other_bodies[other] == k) {
      load_other(of, k, q, &of->pose, &seen);
      load_other_motion(of, k, v, &seen);
      other++;
    } else {
      load_plain(of, k, q, v, &seen);
    }
  }
  const double most = PLANAR_FLAT * PLANAR_FLAT;
  return seen.lift <= most * seen.speed && seen.tilt <= most * FLAT_BODIES &&
         seen.height <= most * of->length * of->length && seen.speed <= DBL_MAX;
}

/* velocities of others come back from the state with its rounding */
static void reload_others(plane *of, const double *v) {
  flatness unread = {0, 0, 0, 0};
  for (int k = 0; k < OTHERS; k++) {
    load_other_motion(of, other_bodies[k], v + 6 * other_bodies[k], &unread);
  }
}

/* --- rows and S ---------------------------------------------------------------------------------
 */

/* The least pivots that rows of a block need; infinite if they depend on each other. */
IN_LINE void set_floor(double *floor, double first, double mixed, double second) {
  const double own = first * second, is_sound = own - mixed * mixed > PLANAR_SOUND * own;
  floor[0] = is_sound ? PLANAR_SOUND * first : INFINITY;
  floor[1] = PLANAR_SOUND * mixed, floor[2] = PLANAR_SOUND * second;
}

/* Products with 1 and -1 are exact. */
IN_LINE void place_points(plane *of, int k) {
  const four arm = FOUR(of->arm[k]);
  const four lever = (four){arm[1], arm[0], arm[3], arm[2]} * (four){1, -1, -1, 1};
  const four levers = FOUR(of->yield[k]) * lever;
  const four own = levers * lever, mixed = levers * (arm * (four){-1, 1, 1, -1});
  const two sum = of->free[k] + ((two){own[0], own[1]} + (two){own[2], own[3]});
  double *d = (double *)((char *)of->diagonal + 2 * (long)pair_ends[k][2]);
  FOUR(of->lever[k]) = lever;
  d[0] = sum[0], d[1] = mixed[0] + mixed[2], d[3] = sum[1];
  set_floor(of->floor[pair_ends[k][2] / 16], sum[0], d[1], sum[1]);
}

IN_LINE two multiply_row(const plane *of, int body, const hold_side *rows, const hold_side *other,
                         int row) {
  return LINE(of->inverse.line, body)[0] * (rows->x * other->x[row] + rows->y * other->y[row]) +
         TURN(of->inverse.turn, body) * other->turn[row] * rows->turn;
}

static void place_hold(plane *of, int k, const planar_poses *poses) {
  const int *ends = pair_ends[k], hold = pair_holds[k];
  const int slides = hold_rows[hold][0], turns = hold_rows[hold][1];
  const double *arm = of->arm[k];
  double *diagonal = (double *)((char *)of->diagonal + 2 * (long)ends[2]);
  hold_side *side = of->side[hold];
  const two d = apart(poses, ends, TWO(arm), TWO(arm + 2));
  two line = {0, 0};
  if (slides) line = turn_vector(poses, ends[0], of->line[hold]);
  const double turn = turns ? 1 : 0;
  two first = {slides ? 0 : 1, 0}, second = {0, turns ? 0 : 1};
  side[0] = (hold_side){{-line[0], 0}, {-line[1], 0}, {-cross_two(TWO(arm) + d, line), -turn}};
  side[1] = (hold_side){{line[0], 0}, {line[1], 0}, {cross_two(TWO(arm + 2), line), turn}};
  for (int e = 0; e < 2; e++) {
    first += multiply_row(of, ends[e], &side[e], &side[e], 0);
    second += multiply_row(of, ends[e], &side[e], &side[e], 1);
  }
  diagonal[0] = first[0], diagonal[1] = first[1], diagonal[3] = second[1];
  set_floor(of->floor[ends[2] / 16], first[0], first[1], second[1]);
}

/* rows, and the diagonal of S; arms are known */
WIDE_VECTORS
static void place_pairs(plane *of, const planar_poses *poses) {
  for (int k = 0; k < PAIRS; k++) {
    if (HOLDS == 0 || pair_holds[k] < 0) {
      place_points(of, k);
    } else {
      place_hold(of, k, poses);
    }
  }
}

/* G M^-1 G^T of two pairs of points on a body, by columns */
IN_LINE void couple_points(plane *of, int k, int adds) {
  const int *at = meet_sums[k];
  double *entry = of->entry + at[0];
  const two levers = of->sum_yield[k] * ROW(of->lever, at[1]), other = ROW(of->lever, at[2]);
  four sum = (four){levers[0], levers[1], levers[0], levers[1]} *
                 (four){other[0], other[0], other[1], other[1]} +
             FOUR(of->sum_free[k]);
  if (adds) sum += FOUR(entry);
  FOUR(entry) = sum;
}

/* an end of a pair as a hold has it */
static hold_side side_of(const plane *of, int at) {
  const int pair = at / 32, end = at / 16 % 2, hold = pair_holds[pair];
  if (hold >= 0) return of->side[hold][end];
  const double sign = end == 0 ? -1 : 1;
  return (hold_side){{sign, 0}, {0, sign}, ROW(of->lever, at)};
}

static void couple_hold(plane *of, int k, int adds) {
  const int *at = hold_sums[k];
  const hold_side one = side_of(of, at[1]), other = side_of(of, at[2]);
  double *entry = of->entry + at[0];
  two first = multiply_row(of, at[3], &one, &other, 0);
  two second = multiply_row(of, at[3], &one, &other, 1);
  if (adds) first += TWO(entry), second += TWO(entry + 2);
  TWO(entry) = first, TWO(entry + 2) = second;
}

WIDE_VECTORS
static void couple_pairs(plane *of) {
  for (int k = 0; k < FILLS; k++) memset(of->entry + pattern_fills[k], 0, 4 * sizeof(double));
  for (int k = 0; k < MEET_FIRSTS; k++) couple_points(of, k, 0);
  for (int k = MEET_FIRSTS; k < MEET_SUMS; k++) couple_points(of, k, 1);
  for (int k = 0; k < HOLD_FIRSTS; k++) couple_hold(of, k, 0);
  for (int k = HOLD_FIRSTS; k < HOLD_SUMS; k++) couple_hold(of, k, 1);
}

/* --- L D L^T ------------------------------------------------------------------------------------
 * Operations on blocks of two rows, by columns (src/interface/sparse_pairs.c). The functions
 * factor_flat and solve_flat are made of them.
 */

/* D^-1 in the place of D; 0: rows are too close to dependent. sum: of pivots, infinite if one is.
 */
IN_LINE int invert(const double *floor, double *d, double *sum) {
  const double first = d[0], more = d[0] - floor[0], mixed = d[1] - floor[1];
  if (!(more > 0 && more * (d[3] - floor[2]) > mixed * mixed)) return 0;
  const double above = 1 / first, share = d[1] * above, second = d[3] - d[1] * share;
  if (!(second > 0)) return 0;
  *sum += first + second;
  d[3] = 1 / second, d[1] = d[2] = -share * d[3], d[0] = above - share * d[1];
  return 1;
}

/* to -= x w^T */
IN_LINE void subtract_product(const double *x, two w0, two w1, double *to) {
  const four x0 = {x[0], x[1], x[0], x[1]}, x1 = {x[2], x[3], x[2], x[3]};
  FOUR(to) -= x0 * (four){w0[0], w0[0], w0[1], w0[1]} + x1 * (four){w1[0], w1[0], w1[1], w1[1]};
}

/* x becomes w = x D^-1, and to -= x w^T, of which the upper triangle is not read */
IN_LINE void reduce_entry(const double *d, double *x, double *to) {
  const two x0 = TWO(x), x1 = TWO(x + 2);
  const two w0 = x0 * d[0] + x1 * d[1], w1 = x0 * d[1] + x1 * d[3];
  subtract_product(x, w0, w1, to);
  TWO(x) = w0, TWO(x + 2) = w1;
}

IN_LINE void reduce_product(const double *x, const double *w, double *to) {
  subtract_product(x, TWO(w), TWO(w + 2), to);
}

IN_LINE void go_forward(const double *entry, const double *y, double *to) {
  TWO(to) -= TWO(entry) * y[0] + TWO(entry + 2) * y[1];
}

/* of both rows */
typedef struct two_sums {
  two one, other;
} two_sums;

IN_LINE two_sums start_back(const double *d, const double *y) {
  return (two_sums){TWO(d) * TWO(y), TWO(d + 2) * TWO(y)};
}

IN_LINE void go_back(const double *entry, const double *known, two_sums *sums) {
  sums->one -= TWO(entry) * TWO(known);
  sums->other -= TWO(entry + 2) * TWO(known);
}

IN_LINE void end_back(const two_sums *sums, double *to) {
  TWO(to) = (two){sums->one[0], sums->other[0]} + (two){sums->one[1], sums->other[1]};
}
