/* mechanism_runtime.h - the part of a compiled mechanism that is the same for all: text of
 * generated files.
 *
 * Rigid bodies in absolute coordinates, held by rows of joints, in steps of rattle as
 * assembly/assembly_rattle.c takes them:
 *
 *     p* = p + h/2 f(q) + G(q)^T l        q+ = q moved by p*, l such that g(q+) = 0
 *     p+ = p* + h/2 f(q+) + G(q+)^T m     m such that G(q+) v+ = 0
 *
 * S = G M^-1 G^T of the rows that were chosen when the library was made has a profile: row i of its
 * factor begins at column profile_first[i]. Where a pivot is small, rows nearly depend on each
 * other, and the step is taken again with rows that are chosen where it is (`general`): counted in
 * the state, and told by the signal `fallbacks`.
 *
 * It follows what is generated for one mechanism (mechanism_source.c):
 *
 *     BODIES, JOINTS, ROWS, CHOSEN, PROFILE, COUPLINGS, PORTS, LENGTH
 *     masses, inertias, inverses, own_gravity, gravities, start
 *     joints (table of struct joint), chosen, profile_first, profile_start, couplings
 *     port_bodies, port_poses, port_names
 */
enum {
  FORCES = 6 * PORTS,
  MOTION = 13 * BODIES,
  STATE = MOTION + 1, /* and how often a step was taken the general way */
  CORRECTIONS = 100,
  PROJECTIONS = 20
};

#define AT_LEAST_ONE(count) ((count) > 0 ? (count) : 1)
#define SOUND               1e-7 /* pivots of chosen rows, of their own admittance: less are not trusted */
#define DEPENDENT           1e-8 /* rows with smaller ones depend on others */
#define CLOSED \
  1e-12 /* of joints: displacements over LENGTH, and turns; as the interpreter has it */
#define BEARABLE 1e-11 /* what corrections may stop at */
#define NEAR     1e-6 /* least pivot near singular poses, where what is left counts by its inverse: */
#define BLURRED  1e-5  /* rows with less are left out at the start of a step the general way */
#define TIGHT    1e-15 /* there joints are closed to this, ... */
#define ROUNDED  2e-14 /* ... or this, where rounding allows no less */
#define SLOWEST  0.8   /* corrections of a step that leave more than this are given up */
#define SLOW     0.3   /* corrections at once that leave more: factors are renewed */

/* where a joint's frames are, seen from the bodies' centres */
typedef struct sight {
  double axes[2][9], arm[2][3], offset[3];
} sight;

typedef struct body {
  double rotation[9], inertia[6], inverse[6]; /* in world axes */
  double force[6];                            /* gravity and ports, on the centre of mass */
  double momentum[6];
} body;

typedef struct mechanism {
  double state[STATE];
  double gravity[BODIES][3];
  double ground[JOINTS][2][12]; /* frames of joints, those on the ground in the world */
  /* scratch: */
  body bodies[BODIES];
  sight sights[JOINTS];
  double rows[ROWS][2][6], yields[ROWS][2][6]; /* G and M^-1 G^T, of the first and second body */
  double left[ROWS], bias[ROWS], side[ROWS];   /* g, G' v, right-hand sides and impulses */
  double factor[AT_LEAST_ONE(PROFILE)], roots[AT_LEAST_ONE(CHOSEN)];
  int is_general, rank, order[ROWS];
  double least; /* pivot of the factor, of its row's own admittance */
  double dense[GENERAL_ROWS * GENERAL_ROWS], scale[ROWS], solution[AT_LEAST_ONE(CHOSEN) + ROWS];
  double next[7 * BODIES], velocity[6 * BODIES], moved[6 * BODIES];
  double frames[AT_LEAST_ONE(PORTS)][12], arms[AT_LEAST_ONE(PORTS)][3];
  double loads[AT_LEAST_ONE(FORCES)]; /* forces on ports */
  double column[AT_LEAST_ONE(FORCES)], answers[AT_LEAST_ONE(FORCES)][6 * BODIES];
} mechanism;

/* --- vectors ------------------------------------------------------------------------------------
 */

static void cross(const double a[3], const double b[3], double to[3]) {
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  const double z = a[0] * b[1] - a[1] * b[0];
  to[0] = x, to[1] = y, to[2] = z;
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* R a, R by columns */
static void rotate(const double R[9], const double a[3], double to[3]) {
  const double x = a[0], y = a[1], z = a[2];
  for (int i = 0; i < 3; i++) to[i] = R[i] * x + R[i + 3] * y + R[i + 6] * z;
}

static void rotate_back(const double R[9], const double a[3], double to[3]) {
  const double x = dot(R, a), y = dot(R + 3, a), z = dot(R + 6, a);
  to[0] = x, to[1] = y, to[2] = z;
}

/* S a, S as xx yy zz xy xz yz */
static void apply(const double S[6], const double a[3], double to[3]) {
  const double x = a[0], y = a[1], z = a[2];
  to[0] = S[0] * x + S[3] * y + S[4] * z;
  to[1] = S[3] * x + S[1] * y + S[5] * z;
  to[2] = S[4] * x + S[5] * y + S[2] * z;
}

/* R S R^T */
static void turn_tensor(const double S[6], const double R[9], double to[6]) {
  const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]}, z[3] = {R[2], R[5], R[8]};
  double sx[3], sy[3], sz[3];
  apply(S, x, sx), apply(S, y, sy), apply(S, z, sz);
  to[0] = dot(x, sx), to[1] = dot(y, sy), to[2] = dot(z, sz);
  to[3] = dot(x, sy), to[4] = dot(x, sz), to[5] = dot(y, sz);
}

static void multiply_quaternions(const double *p, const double *q, double to[4]) {
  const double w = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  const double x = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
  const double y = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
  const double z = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
  to[0] = w, to[1] = x, to[2] = y, to[3] = z;
}

static void normalise(double *q) {
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= norm;
}

static void orient(const double *q, double R[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y + w * z), R[2] = 2 * (x * z - w * y);
  R[3] = 2 * (x * y - w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z + w * x);
  R[6] = 2 * (x * z + w * y), R[7] = 2 * (y * z - w * x), R[8] = 1 - 2 * (x * x + y * y);
}

static double largest(double a, double b) {
  return b > a || b != b ? b : a; /* NaN stays */
}

/* --- where everything is ------------------------------------------------------------------------
 */

static double *velocity_of(mechanism *of, int k) {
  return of->state + 7 * BODIES + 6 * k;
}

static void place_bodies(mechanism *of, const double *q) {
  for (int k = 0; k < BODIES; k++) {
    body *b = &of->bodies[k];
    orient(q + 7 * k + 3, b->rotation);
    turn_tensor(inertias[k], b->rotation, b->inertia);
    turn_tensor(inverses[k], b->rotation, b->inverse);
  }
}

/* a frame on a body: its axes, and from the centre of mass, or the world's origin, to it */
static void place_frame(const double *on, int is_moving, const double frame[12], double axes[9],
                        double arm[3]) {
  double R[9];
  if (!is_moving) {
    for (int i = 0; i < 9; i++) axes[i] = frame[3 + i];
    for (int i = 0; i < 3; i++) arm[i] = frame[i];
    return;
  }
  orient(on + 3, R);
  rotate(R, frame, arm);
  for (int j = 0; j < 3; j++) rotate(R, frame + 3 + 3 * j, axes + 3 * j);
}

static void see_joint(const mechanism *of, int index, const double *q, sight *to) {
  double at[2][3];
  for (int e = 0; e < 2; e++) {
    const int on = joints[index].body[e];
    const double *pose = on < 0 ? 0 : q + 7 * on;
    place_frame(pose, on >= 0, of->ground[index][e], to->axes[e], to->arm[e]);
    for (int i = 0; i < 3; i++) at[e][i] = to->arm[e][i] + (on < 0 ? 0 : pose[i]);
    for (int i = 0; i < 3 && on < 0; i++) to->arm[e][i] = 0;
  }
  for (int i = 0; i < 3; i++) to->offset[i] = at[1][i] - at[0][i];
}

/* which axes of A and B the rows of a joint are made of: displacements along a column of A, or of
 * the world; turns between a column of A and one of B */
typedef struct row_of {
  int is_turn, a, b; /* a = -1 - i: along axis i of the world */
} row_of;

static int list_rows(unsigned holds, row_of rows[6]) {
  int n = 0;
  if (holds & HOLDS_POINT) {
    for (int i = 0; i < 3; i++) rows[n++] = (row_of){0, -1 - i, 0};
  }
  if (holds & HOLDS_ACROSS) rows[n++] = (row_of){0, 0, 0}, rows[n++] = (row_of){0, 1, 0};
  if (holds & HOLDS_ALONG) rows[n++] = (row_of){0, 2, 0};
  if (holds & HOLDS_UPRIGHT) rows[n++] = (row_of){1, 0, 2}, rows[n++] = (row_of){1, 1, 2};
  if (holds & HOLDS_TWIST) rows[n++] = (row_of){1, 1, 0};
  if (holds & HOLDS_CROSS) rows[n++] = (row_of){1, 0, 1};
  return n;
}

static void axis_of(const sight *at, const row_of *row, double e[3]) {
  for (int i = 0; i < 3; i++) e[i] = row->a < 0 ? i == -1 - row->a : at->axes[0][3 * row->a + i];
}

static double left_of(const sight *at, const row_of *row) {
  double e[3];
  axis_of(at, row, e);
  return row->is_turn ? dot(e, at->axes[1] + 3 * row->b) : dot(e, at->offset);
}

/* g of all joints; the largest, displacements over LENGTH */
static double measure(mechanism *of, const double *q) {
  double most = 0;
  for (int j = 0; j < JOINTS; j++) {
    row_of rows[6];
    sight at;
    const int count = list_rows(joints[j].holds, rows);
    see_joint(of, j, q, &at);
    for (int i = 0; i < count; i++) {
      const double g = left_of(&at, &rows[i]);
      of->left[joints[j].first + i] = g;
      most = largest(most, rows[i].is_turn ? fabs(g) : fabs(g) / LENGTH);
    }
  }
  return most;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* A row as the centres of both bodies see it. With e fixed in A, a displacement also pushes A by
 * the moment of the gap; along axes of the world it does not. */
static void write_row(const sight *at, const row_of *row, double G[2][6]) {
  double e[3], reach[3];
  axis_of(at, row, e);
  if (row->is_turn) {
    for (int i = 0; i < 3; i++) G[0][i] = G[1][i] = 0;
    cross(at->axes[1] + 3 * row->b, e, G[1] + 3);
    for (int i = 0; i < 3; i++) G[0][3 + i] = -G[1][3 + i];
    return;
  }
  for (int i = 0; i < 3; i++) {
    G[0][i] = -e[i], G[1][i] = e[i];
    reach[i] = at->arm[0][i] + (row->a < 0 ? 0 : at->offset[i]);
  }
  cross(e, reach, G[0] + 3);
  cross(at->arm[1], e, G[1] + 3);
}

static void yield_row(const mechanism *of, int joint, double G[2][6], double Y[2][6]) {
  for (int e = 0; e < 2; e++) {
    const int on = joints[joint].body[e];
    for (int i = 0; i < 6; i++) Y[e][i] = 0;
    if (on < 0) continue;
    for (int i = 0; i < 3; i++) Y[e][i] = G[e][i] / masses[on];
    apply(of->bodies[on].inverse, G[e] + 3, Y[e] + 3);
  }
}

/* at q, where bodies are placed: rows and how bodies yield to them */
static void place_rows(mechanism *of, const double *q) {
  for (int j = 0; j < JOINTS; j++) {
    row_of rows[6];
    const int count = list_rows(joints[j].holds, rows), first = joints[j].first;
    see_joint(of, j, q, &of->sights[j]);
    for (int i = 0; i < count; i++) {
      write_row(&of->sights[j], &rows[i], of->rows[first + i]);
      yield_row(of, j, of->rows[first + i], of->yields[first + i]);
      of->left[first + i] = left_of(&of->sights[j], &rows[i]);
    }
  }
}

static const double nothing[6];

/* velocity of a joint's end, the ground's is zero */
static const double *speed_at(const double *v, int joint, int end) {
  return joints[joint].body[end] < 0 ? nothing : v + 6 * joints[joint].body[end];
}

/* w x (w x arm) */
static void swing(const double w[3], const double arm[3], double to[3]) {
  double once[3];
  cross(w, arm, once);
  cross(w, once, to);
}

/* G' v of a displacement: e.(w_A x (w_A x d - 2 u)), and what the arms add */
static double displacement_bias(const sight *at, const row_of *row, const double *va,
                                const double *vb) {
  const double *wa = va + 3, *wb = vb + 3;
  double e[3], own[3], other[3], arms[2][3], turning[3], bias = 0;
  axis_of(at, row, e);
  swing(wa, at->arm[0], own);
  swing(wb, at->arm[1], other);
  for (int i = 0; i < 3; i++) bias += e[i] * (other[i] - own[i]);
  if (row->a < 0) return bias;
  cross(wa, at->arm[0], arms[0]);
  cross(wb, at->arm[1], arms[1]);
  cross(wa, at->offset, turning);
  for (int i = 0; i < 3; i++) {
    turning[i] -= 2 * ((vb[i] + arms[1][i]) - (va[i] + arms[0][i]));
  }
  cross(wa, turning, own);
  return bias + dot(e, own);
}

/* of axes: n.(w x w_A) + (w.a)(w.b) - w.w g */
static double turn_bias(const sight *at, const row_of *row, const double *va, const double *vb) {
  double a[3], n[3], w[3], gyration[3];
  const double *b = at->axes[1] + 3 * row->b;
  axis_of(at, row, a);
  cross(b, a, n);
  for (int i = 0; i < 3; i++) w[i] = vb[3 + i] - va[3 + i];
  cross(w, va + 3, gyration);
  return dot(n, gyration) + dot(w, a) * dot(w, b) - dot(w, w) * dot(a, b);
}

static void find_biases(mechanism *of, const double *v) {
  for (int j = 0; j < JOINTS; j++) {
    row_of rows[6];
    const int count = list_rows(joints[j].holds, rows);
    const double *va = speed_at(v, j, 0), *vb = speed_at(v, j, 1);
    for (int i = 0; i < count; i++) {
      of->bias[joints[j].first + i] =
          (rows[i].is_turn ? turn_bias : displacement_bias)(&of->sights[j], &rows[i], va, vb);
    }
  }
}

static double product(const double a[6], const double b[6]) {
  return dot(a, b) + dot(a + 3, b + 3);
}

/* G v of a row */
static double rate_of(const mechanism *of, int joint, int row, const double *v) {
  return product(of->rows[row][0], speed_at(v, joint, 0)) +
         product(of->rows[row][1], speed_at(v, joint, 1));
}

/* G_i M^-1 G_j^T of two rows */
static double couple(const mechanism *of, int i, int j) {
  const int a = row_joints[i], b = row_joints[j];
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    for (int f = 0; f < 2; f++) {
      if (joints[a].body[e] < 0 || joints[a].body[e] != joints[b].body[f]) continue;
      sum += product(of->rows[i][e], of->yields[j][f]);
    }
  }
  return sum;
}

/* --- factors ------------------------------------------------------------------------------------
 */

/* the chosen rows, by their profile; 0: a pivot is too small */
static int factor_chosen(mechanism *of) {
  of->least = 1;
  for (int k = 0; k < PROFILE; k++) of->factor[k] = 0;
  for (int k = 0; k < COUPLINGS; k++) {
    const int *at = couplings[k]; /* place in the factor, two rows, sides of them */
    of->factor[at[0]] += product(of->rows[at[1]][at[3]], of->yields[at[2]][at[4]]);
  }
  for (int i = 0; i < CHOSEN; i++) {
    double *row = of->factor + profile_start[i] - profile_first[i];
    const double own = row[i];
    for (int j = profile_first[i]; j < i; j++) {
      const double *other = of->factor + profile_start[j] - profile_first[j];
      const int from = profile_first[i] > profile_first[j] ? profile_first[i] : profile_first[j];
      double sum = row[j];
      for (int k = from; k < j; k++) sum -= row[k] * other[k];
      row[j] = sum * of->roots[j];
      row[i] -= row[j] * row[j];
    }
    if (!(row[i] > SOUND * own)) return 0;
    if (row[i] < of->least * own) of->least = row[i] / own;
    of->roots[i] = 1 / sqrt(row[i]);
  }
  return 1;
}

static void solve_chosen(mechanism *of) {
  double *x = of->solution;
  for (int i = 0; i < CHOSEN; i++) {
    const double *row = of->factor + profile_start[i] - profile_first[i];
    double sum = of->side[chosen[i]];
    for (int k = profile_first[i]; k < i; k++) sum -= row[k] * x[k];
    x[i] = sum * of->roots[i];
  }
  for (int i = CHOSEN - 1; i >= 0; i--) {
    const double *row = of->factor + profile_start[i] - profile_first[i];
    x[i] *= of->roots[i];
    for (int k = profile_first[i]; k < i; k++) x[k] -= row[k] * x[i];
  }
  for (int i = 0; i < ROWS; i++) of->side[i] = 0;
  for (int i = 0; i < CHOSEN; i++) of->side[chosen[i]] = x[i];
}

/* all rows, the largest pivot first, scaled by how bodies yield to them alone */
static int factor_general(mechanism *of, double tolerance) {
  double *L = of->dense;
  of->least = 1;
  if (GENERAL_ROWS < ROWS) return 0;
  for (int i = 0; i < ROWS; i++) of->scale[i] = 1 / sqrt(couple(of, i, i)), of->order[i] = i;
  for (int j = 0; j < ROWS; j++) {
    for (int i = j; i < ROWS; i++) {
      L[i + ROWS * j] = couple(of, i, j) * of->scale[i] * of->scale[j];
    }
  }
  for (of->rank = 0; of->rank < ROWS; of->rank++) {
    const int k = of->rank;
    int best = k;
    for (int i = k + 1; i < ROWS; i++) {
      if (L[i + ROWS * i] > L[best + ROWS * best]) best = i;
    }
    if (!(L[best + ROWS * best] > tolerance)) break;
    if (L[best + ROWS * best] < of->least) of->least = L[best + ROWS * best];
    if (best != k) { /* rows and columns change places, in the lower triangle */
      const int old = of->order[k];
      of->order[k] = of->order[best], of->order[best] = old;
      for (int c = 0; c < k; c++) {
        const double t = L[k + ROWS * c];
        L[k + ROWS * c] = L[best + ROWS * c], L[best + ROWS * c] = t;
      }
      for (int c = k + 1; c < best; c++) {
        const double t = L[c + ROWS * k];
        L[c + ROWS * k] = L[best + ROWS * c], L[best + ROWS * c] = t;
      }
      for (int c = best + 1; c < ROWS; c++) {
        const double t = L[c + ROWS * k];
        L[c + ROWS * k] = L[c + ROWS * best], L[c + ROWS * best] = t;
      }
      const double t = L[k + ROWS * k];
      L[k + ROWS * k] = L[best + ROWS * best], L[best + ROWS * best] = t;
    }
    L[k + ROWS * k] = sqrt(L[k + ROWS * k]);
    for (int i = k + 1; i < ROWS; i++) L[i + ROWS * k] /= L[k + ROWS * k];
    for (int j = k + 1; j < ROWS; j++) {
      for (int i = j; i < ROWS; i++) L[i + ROWS * j] -= L[i + ROWS * k] * L[j + ROWS * k];
    }
  }
  return 1;
}

static void solve_general(mechanism *of) {
  const double *L = of->dense;
  double *x = of->solution;
  for (int i = 0; i < of->rank; i++) {
    double sum = of->side[of->order[i]] * of->scale[of->order[i]];
    for (int k = 0; k < i; k++) sum -= L[i + ROWS * k] * x[k];
    x[i] = sum / L[i + ROWS * i];
  }
  for (int i = of->rank - 1; i >= 0; i--) {
    for (int k = i + 1; k < of->rank; k++) x[i] -= L[k + ROWS * i] * x[k];
    x[i] /= L[i + ROWS * i];
  }
  for (int i = 0; i < ROWS; i++) of->side[i] = 0;
  for (int i = 0; i < of->rank; i++) of->side[of->order[i]] = x[i] * of->scale[of->order[i]];
}

static int factor(mechanism *of) {
  return of->is_general ? factor_general(of, DEPENDENT) : factor_chosen(of);
}

/* impulses of all rows from right-hand sides, both in side */
static void solve(mechanism *of) {
  if (of->is_general) {
    solve_general(of);
  } else {
    solve_chosen(of);
  }
}

/* y += G^T l, or M^-1 G^T l with the yields */
static void spread(const mechanism *of, double (*rows)[2][6], double *y) {
  for (int i = 0; i < ROWS; i++) {
    const double l = of->side[i];
    if (l == 0) continue;
    for (int e = 0; e < 2; e++) {
      const int on = joints[row_joints[i]].body[e];
      for (int k = 0; on >= 0 && k < 6; k++) y[6 * on + k] += l * rows[i][e][k];
    }
  }
}

/* y closed by the rows: G y = -share of the biases */
static void hold(mechanism *of, double share, double *y) {
  for (int i = 0; i < ROWS; i++) {
    of->side[i] = -rate_of(of, row_joints[i], i, y) - (share == 0 ? 0 : share * of->bias[i]);
  }
  solve(of);
  spread(of, of->yields, y);
}

/* factors where it is: of the chosen rows, else of rows that are chosen here; 0: neither */
static int factor_here(mechanism *of, const double *q) {
  place_bodies(of, q);
  place_rows(of, q);
  of->is_general = 0;
  if (factor(of)) return 1;
  of->is_general = 1;
  return factor(of);
}

/* --- forces -------------------------------------------------------------------------------------
 */

/* gravity, and forces on ports in world axes */
static void push(mechanism *of, const double *q, int is_pushed) {
  for (int k = 0; k < BODIES; k++) {
    for (int i = 0; i < 3; i++) {
      of->bodies[k].force[i] = masses[k] * of->gravity[k][i], of->bodies[k].force[3 + i] = 0;
    }
  }
  for (int p = 0; is_pushed && p < PORTS; p++) {
    double arm[3], axes[9], moment[3];
    if (port_bodies[p] < 0) continue;
    place_frame(q + 7 * port_bodies[p], 1, port_poses[p], axes, arm);
    cross(arm, of->loads + 6 * p, moment);
    for (int i = 0; i < 3; i++) {
      of->bodies[port_bodies[p]].force[i] += of->loads[6 * p + i];
      of->bodies[port_bodies[p]].force[3 + i] += of->loads[6 * p + 3 + i] + moment[i];
    }
  }
}

/* I^-1 p, refined: the rounding of I^-1 is the same in every step, and momentum would drift by it
 */
static void spin_of(const body *b, const double *p, double w[3]) {
  double back[3], more[3];
  apply(b->inverse, p, w);
  apply(b->inertia, w, back);
  for (int i = 0; i < 3; i++) back[i] = p[i] - back[i];
  apply(b->inverse, back, more);
  for (int i = 0; i < 3; i++) w[i] += more[i];
}

/* --- rattle -------------------------------------------------------------------------------------
 */

/* M^-1 r by Cramer's rule, M by columns */
static void solve3(double m[3][3], const double r[3], double to[3]) {
  double bc[3], ca[3], ab[3];
  cross(m[1], m[2], bc), cross(m[2], m[0], ca), cross(m[0], m[1], ab);
  const double scale = 1 / dot(m[0], bc);
  to[0] = scale * dot(r, bc), to[1] = scale * dot(r, ca), to[2] = scale * dot(r, ab);
}

/* the unit quaternion (s, u) with moment = 2 (s I u + u x I u), by Newton's method; 0: it turns too
 * far (parts/bodies_free_step.c) */
static int find_turn(const double *I, const double *inverse, const double moment[3],
                     double turn[4]) {
  const double full[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
  double u[3], before = INFINITY;
  apply(inverse, moment, u);
  for (int i = 0; i < 3; i++) u[i] *= 0.5;
  for (int k = 0; k < 30; k++) {
    const double rest = 1 - dot(u, u);
    if (!(rest > 0.01)) return 0;
    const double s = sqrt(rest);
    double Iu[3], sum[3], columns[3][3], step[3];
    apply(I, u, Iu);
    cross(u, Iu, sum);
    for (int i = 0; i < 3; i++) sum[i] = 0.5 * moment[i] - (sum[i] + s * Iu[i]);
    const double error = sqrt(dot(sum, sum));
    turn[0] = s, turn[1] = u[0], turn[2] = u[1], turn[3] = u[2];
    if (error == 0 || (k > 1 && error >= 0.5 * before)) return 1;
    before = error;
    for (int j = 0; j < 3; j++) {
      const double unit[3] = {j == 0, j == 1, j == 2};
      double first[3], second[3];
      cross(u, full[j], first);
      cross(Iu, unit, second);
      for (int i = 0; i < 3; i++) {
        columns[j][i] = first[i] - second[i] + s * full[j][i] - u[j] / s * Iu[i];
      }
    }
    solve3(columns, sum, step);
    for (int i = 0; i < 3; i++) u[i] += step[i];
  }
  return 1;
}

/* q+ by the momenta; 0: a body turns too far */
static int fly(mechanism *of, double h) {
  for (int k = 0; k < BODIES; k++) {
    const body *b = &of->bodies[k];
    const double *q = of->state + 7 * k;
    double R[9], moment[3], turn[4], *to = of->next + 7 * k;
    orient(q + 3, R);
    rotate_back(R, b->momentum + 3, moment);
    for (int i = 0; i < 3; i++) moment[i] *= h;
    if (!find_turn(inertias[k], inverses[k], moment, turn)) return 0;
    for (int i = 0; i < 3; i++) to[i] = q[i] + h / masses[k] * b->momentum[i];
    multiply_quaternions(q + 3, turn, to + 3);
    normalise(to + 3);
  }
  return 1;
}

/* momenta += G^T l */
static void add_impulses(mechanism *of) {
  double *sum = of->moved;
  for (int k = 0; k < 6 * BODIES; k++) sum[k] = 0;
  spread(of, of->rows, sum);
  for (int k = 0; k < BODIES; k++) {
    for (int i = 0; i < 6; i++) of->bodies[k].momentum[i] += sum[6 * k + i];
  }
}

/* momenta after the first push, and the impulses that joints answer with */
static void set_off(mechanism *of, double h) {
  for (int k = 0; k < BODIES; k++) {
    body *b = &of->bodies[k];
    const double *v = velocity_of(of, k);
    double own[3], gyration[3], mean[3];
    apply(b->inertia, v + 3, own);
    cross(v + 3, own, gyration);
    for (int i = 0; i < 3; i++) {
      b->momentum[i] = masses[k] * v[i] + h / 2 * b->force[i];
      b->momentum[3 + i] = own[i] + h / 2 * b->force[3 + i];
      mean[i] = b->momentum[3 + i] - h / 2 * gyration[i];
      of->velocity[6 * k + i] = b->momentum[i] / masses[k];
    }
    apply(b->inverse, mean, of->velocity + 6 * k + 3);
  }
  find_biases(of, of->state + 7 * BODIES);
  for (int i = 0; i < ROWS; i++) {
    of->side[i] = -rate_of(of, row_joints[i], i, of->velocity) - h / 2 * of->bias[i];
  }
  solve(of);
  add_impulses(of);
}

/* Moves positions at the end of the flight onto the joints, with factors of there; momenta follow.
 * 0: they do not close. */
static int project(mechanism *of, double h) {
  for (int k = 0; k < PROJECTIONS; k++) {
    double *by = of->moved;
    if (measure(of, of->next) <= CLOSED) return 1;
    place_bodies(of, of->next);
    place_rows(of, of->next);
    if (!factor_general(of, DEPENDENT)) return 0;
    for (int i = 0; i < ROWS; i++) of->side[i] = -of->left[i];
    solve_general(of);
    for (int i = 0; i < 6 * BODIES; i++) by[i] = 0;
    spread(of, of->yields, by);
    for (int b = 0; b < BODIES; b++) {
      double *q = of->next + 7 * b, half[4] = {1, 0, 0, 0}, turned[3];
      apply(of->bodies[b].inertia, by + 6 * b + 3, turned);
      for (int i = 0; i < 3; i++) {
        of->bodies[b].momentum[i] += masses[b] / h * by[6 * b + i];
        of->bodies[b].momentum[3 + i] += turned[i] / h;
        q[i] += by[6 * b + i], half[1 + i] = 0.5 * by[6 * b + 3 + i];
      }
      multiply_quaternions(half, q + 3, q + 3);
      normalise(q + 3);
    }
  }
  return measure(of, of->next) <= BEARABLE;
}

/* impulses at the start such that the flight ends on all joints */
static int close_flight(mechanism *of, double h) {
  const int is_near = of->least < NEAR;
  const double enough = is_near ? TIGHT : CLOSED, bearable = is_near ? ROUNDED : BEARABLE;
  const double slow = is_near ? SLOW : SLOWEST;
  double before = INFINITY;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!fly(of, h)) return 0;
    const double most = measure(of, of->next);
    if (most <= enough) return 1;
    if (!(most < slow * before)) {
      if (most <= bearable) return 1;
      return of->is_general ? project(of, h) : 0;
    }
    before = most;
    for (int i = 0; i < ROWS; i++) of->side[i] = -of->left[i] / h;
    solve(of);
    add_impulses(of);
  }
  return 0;
}

/* the second half, with the factors of the end */
static int arrive(mechanism *of, double h, int is_pushed) {
  double *v = of->velocity;
  place_bodies(of, of->next);
  place_rows(of, of->next);
  if (!factor(of)) return 0;
  push(of, of->next, is_pushed);
  for (int k = 0; k < BODIES; k++) {
    body *b = &of->bodies[k];
    for (int i = 0; i < 6; i++) b->momentum[i] += h / 2 * b->force[i];
    for (int i = 0; i < 3; i++) v[6 * k + i] = b->momentum[i] / masses[k];
    spin_of(b, b->momentum + 3, v + 6 * k + 3);
  }
  hold(of, 0, v);
  return 1;
}

/* Close to a singular pose the step begins without the rows that are nearly redundant there: what
 * they ask for is rounding over their pivot, and their directions have turned by the end of the
 * flight, where positions are projected onto all joints. */
static int fly_on_few(mechanism *of, double h) {
  if (!factor_general(of, BLURRED)) return 0;
  set_off(of, h);
  return fly(of, h) && project(of, h);
}

/* one of both ways; the state changes only if it succeeds */
static int try_step(mechanism *of, double h, int is_pushed) {
  place_bodies(of, of->state);
  place_rows(of, of->state);
  if (!factor(of)) return 0;
  push(of, of->state, is_pushed);
  if (of->is_general && of->least < BLURRED) {
    if (!fly_on_few(of, h)) return 0;
  } else {
    set_off(of, h);
    if (!close_flight(of, h)) return 0;
  }
  if (!arrive(of, h, is_pushed)) return 0;
  for (int k = 0; k < 7 * BODIES; k++) of->state[k] = of->next[k];
  for (int k = 0; k < 6 * BODIES; k++) of->state[7 * BODIES + k] = of->velocity[k];
  return 1;
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  mechanism *of = instance;
  int is_pushed = 0;
  (void)time;
  for (int k = 0; k < FORCES; k++) {
    of->loads[k] = impulses[k] / h;
    is_pushed = is_pushed || impulses[k] != 0;
  }
  of->is_general = 0;
  if (try_step(of, h, is_pushed)) return 0;
  of->is_general = 1;
  of->state[MOTION]++;
  if (try_step(of, h, is_pushed)) return 0;
  snprintf(
      text, FLG_PLUGIN_TEXT,
      "its joints cannot be closed in a step of %.6g s: it is at a singular pose, or the step is "
      "too long; run the model itself",
      h);
  return 1;
}

/* --- the model ----------------------------------------------------------------------------------
 */

/* [v + w x arm; w] of a body's motion at a port */
static void at_port(const double *y, const double arm[3], double to[6]) {
  double carried[3];
  cross(y + 3, arm, carried);
  for (int i = 0; i < 3; i++) to[i] = y[i] + carried[i], to[3 + i] = y[3 + i];
}

static void clear(double *y, int count) {
  for (int k = 0; k < count; k++) y[k] = 0;
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
    place_frame(on < 0 ? 0 : q + 7 * on, on >= 0, of->frames[p], axes, of->arms[p]);
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
  push(of, of->state, 0);
  find_biases(of, of->state + 7 * BODIES);
  find_accelerations(of, 1, of->velocity);
  write_accelerations(of, of->velocity, 1, model->turning);
  for (int k = 0; tau > 0 && k < FORCES; k++) model->bias[k] = model->turning[k];
  find_accelerations(of, 0, of->velocity);
  write_accelerations(of, of->velocity, 0, of->column);
  for (int k = 0; k < FORCES; k++) model->turning[k] -= of->column[k];
  return 0;
}

/* velocity = W A^T x */
static void yield_to(mechanism *of, const double *x) {
  (void)factor_here(of, of->state);
  find_arms(of, of->state);
  clear(of->velocity, 6 * BODIES);
  for (int p = 0; p < PORTS; p++) press(of, p, x + 6 * p, of->velocity);
  hold(of, 0, of->velocity);
}

static void impulse(void *instance, const double *impulses) {
  mechanism *of = instance;
  yield_to(of, impulses);
  for (int k = 0; k < 6 * BODIES; k++) of->state[7 * BODIES + k] += of->velocity[k];
}

/* the exact turn by a rotation vector, in world axes */
static void turn_by(double *q, const double *w) {
  const double square = dot(w, w), angle = sqrt(square);
  const double factor = angle < 1e-3 ? 0.5 - square / 48 : sin(angle / 2) / angle;
  const double by[4] = {angle < 1e-3 ? 1 - square / 8 : cos(angle / 2), factor * w[0],
                        factor * w[1], factor * w[2]};
  multiply_quaternions(by, q, q);
  normalise(q);
}

/* positions move, then joints are closed with the factors of before while that leads on; velocities
 * stay as they are */
static void displace(void *instance, const double *x) {
  mechanism *of = instance;
  double before = INFINITY;
  yield_to(of, x);
  for (int k = 0; k < PROJECTIONS; k++) {
    for (int b = 0; b < BODIES; b++) {
      for (int i = 0; i < 3; i++) of->state[7 * b + i] += of->velocity[6 * b + i];
      turn_by(of->state + 7 * b + 3, of->velocity + 6 * b + 3);
    }
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

/* a pose of the model's ground, where the scenario has put it */
static void move_pose(const flg_plugin_setup *setup, const double from[12], double to[12]) {
  double R[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[i + 3 * j] = setup->rotation[SETUP_ENTRY(i, j)];
  }
  rotate(R, from, to);
  for (int i = 0; i < 3; i++) to[i] += setup->position[i];
  for (int j = 0; j < 3; j++) rotate(R, from + 3 + 3 * j, to + 3 + 3 * j);
}

static void find_quaternion(const double R[9], double q[4]) {
  const double trace = R[0] + R[4] + R[8];
  if (trace >= R[0] && trace >= R[4] && trace >= R[8]) {
    q[0] = 1 + trace, q[1] = R[5] - R[7], q[2] = R[6] - R[2], q[3] = R[1] - R[3];
  } else if (R[0] >= R[4] && R[0] >= R[8]) {
    q[0] = R[5] - R[7], q[1] = 1 + R[0] - R[4] - R[8], q[2] = R[1] + R[3], q[3] = R[2] + R[6];
  } else if (R[4] >= R[8]) {
    q[0] = R[6] - R[2], q[1] = R[1] + R[3], q[2] = 1 + R[4] - R[0] - R[8], q[3] = R[5] + R[7];
  } else {
    q[0] = R[1] - R[3], q[1] = R[2] + R[6], q[2] = R[5] + R[7], q[3] = 1 + R[8] - R[0] - R[4];
  }
  normalise(q);
}

static int is_elsewhere(const flg_plugin_setup *setup) {
  for (int i = 0; i < 3; i++) {
    if (setup->position[i] != 0) return 1;
    for (int j = 0; j < 3; j++) {
      if (setup->rotation[SETUP_ENTRY(i, j)] != (i == j)) return 1;
    }
  }
  return 0;
}

static void start_body(mechanism *of, const flg_plugin_setup *setup, int k) {
  double *q = of->state + 7 * k, *v = velocity_of(of, k), pose[12], moved[12];
  for (int i = 0; i < 7; i++) q[i] = start[13 * k + i];
  for (int i = 0; i < 6; i++) v[i] = start[13 * k + 7 + i];
  for (int i = 0; i < 3; i++) {
    of->gravity[k][i] = own_gravity[k] ? gravities[k][i] : setup->gravity[i];
  }
  if (!is_elsewhere(setup)) return;
  for (int i = 0; i < 3; i++) pose[i] = q[i];
  orient(q + 3, pose + 3);
  move_pose(setup, pose, moved);
  for (int i = 0; i < 3; i++) q[i] = moved[i];
  find_quaternion(moved + 3, q + 3);
  for (int h = 0; h < 6; h += 3) {
    double turned[12] = {0}, from[12] = {v[h], v[h + 1], v[h + 2]};
    move_pose(setup, from, turned);
    for (int i = 0; i < 3; i++) v[h + i] = turned[i] - setup->position[i];
  }
}

static void start_frames(mechanism *of, const flg_plugin_setup *setup) {
  for (int j = 0; j < JOINTS; j++) {
    for (int e = 0; e < 2; e++) {
      for (int i = 0; i < 12; i++) of->ground[j][e][i] = joints[j].frame[e][i];
      if (joints[j].body[e] >= 0 || !is_elsewhere(setup)) continue;
      move_pose(setup, joints[j].frame[e], of->ground[j][e]);
    }
  }
  for (int p = 0; p < PORTS; p++) {
    for (int i = 0; i < 12; i++) of->frames[p][i] = port_poses[p][i];
    if (port_bodies[p] < 0 && is_elsewhere(setup)) move_pose(setup, port_poses[p], of->frames[p]);
  }
}

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
  for (int k = 0; k < BODIES; k++) start_body(of, setup, k);
  start_frames(of, setup);
  return of;
}

static void destroy(void *instance) {
  free(instance);
}

static flg_plugin_state state(void *instance) {
  mechanism *of = instance;
  return (flg_plugin_state){of->state, STATE, MOTION};
}

static double energy(void *instance) {
  mechanism *of = instance;
  double sum = 0;
  place_bodies(of, of->state);
  for (int k = 0; k < BODIES; k++) {
    const double *v = velocity_of(of, k), *q = of->state + 7 * k;
    double own[3];
    apply(of->bodies[k].inertia, v + 3, own);
    sum += 0.5 * (masses[k] * dot(v, v) + dot(v + 3, own)) - masses[k] * dot(of->gravity[k], q);
  }
  return sum;
}

static const char *const *ports(void *instance, int *count) {
  (void)instance;
  *count = PORTS;
  return port_names;
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  mechanism *of = instance;
  const int on = port_bodies[port];
  const double *pose = on < 0 ? nothing : of->state + 7 * on;
  double axes[9], arm[3];
  place_frame(pose, on >= 0, of->frames[port], axes, arm);
  for (int i = 0; i < 3; i++) {
    to->position[i] = arm[i] + (on < 0 ? 0 : pose[i]);
    for (int j = 0; j < 3; j++) to->rotation[SETUP_ENTRY(i, j)] = axes[i + 3 * j];
  }
  for (int i = 0; i < 6; i++) to->velocity[i] = 0;
  if (on >= 0) at_port(velocity_of(of, on), arm, to->velocity);
}

static const flg_plugin_signal signal_table[] = {{"fallbacks", NULL, "", 1}};

static const flg_plugin_signal *signals(void *instance, int *count) {
  (void)instance;
  *count = 1;
  return signal_table;
}

static void read(void *instance, int signal, double *values) {
  const mechanism *of = instance;
  (void)signal;
  values[0] = of->state[MOTION];
}

static const flg_plugin_subsystem subsystem = {.size = sizeof subsystem,
                                               .create = create,
                                               .destroy = destroy,
                                               .state = state,
                                               .energy = energy,
                                               .step = step,
                                               .ports = ports,
                                               .frame = frame,
                                               .reduce = reduce,
                                               .impulse = impulse,
                                               .displace = displace,
                                               .signals = signals,
                                               .read = read};

static const flg_plugin library = {.abi = FLG_PLUGIN_ABI,
                                   .size = sizeof library,
                                   .name = LIBRARY_NAME,
                                   .version = LIBRARY_VERSION,
                                   .subsystem = &subsystem};

FLG_PLUGIN_EXPORT const flg_plugin *flg_plugin_v1(void) {
  return &library;
}
