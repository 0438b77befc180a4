/* mechanism_rows.h - bodies of a compiled mechanism and rows of its joints: text of generated
 * files, the first of the parts that all mechanisms share.
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
 * It follows mechanism_tables.h and what is generated for one mechanism (mechanism_source.c):
 *
 *     BODIES, JOINTS, ROWS, CHOSEN, PROFILE, COUPLINGS, PORTS, LENGTH (of the system, where it
 *     stands as its model does), ARM (the largest from a centre of mass to a joint)
 *     masses, inertias, inverses, gravities (and whether they are the body's own), start
 *     joint_holds, joint_chosen (bit i: row i of the joint is), joint_a, joint_b (bodies, -1: the
 *     ground), joint_frames
 *     port_bodies, port_poses, port_names
 *     MOVES_IN_A_PLANE; 1: and planar_rows.h, planar_step.h, mechanism_plane.h
 *     HAS_ELEMENTS; 1: and LONGEST_STEP (for its springs [s]), mechanism_forces.h; else
 * ELEMENT_ANGLES is 0 HAS_FROZEN_ROWS; 1: and STEEP_BELOW (flg_plan_steep), space_rows.h,
 * space_step.h, and before steps mechanism_space.h
 */
enum {
  FORCES = 6 * PORTS,
  MOTION = 13 * BODIES,
  TURNS = MOTION + 1, /* behind how often a step was taken the general way: angles */
  STATE = TURNS + ELEMENT_ANGLES,
  CORRECTIONS = 100,
  PROJECTIONS = 40
};

/* pivots of chosen rows, of their own admittance: less are not trusted. Rows that can be chosen
 * again are, as soon as in the interpreter (interface/plan_frozen.c). */
#define SOUND     (GENERAL_ROWS < ROWS ? 1e-7 : 4e-5)
#define DEPENDENT 1e-8 /* rows with smaller ones depend on others */
#define CLOSED \
  1e-12 /* of joints: displacements over the length, and turns; as the interpreter has it */
#define BEARABLE      1e-11 /* what corrections may stop at */
#define NEAR          1e-6 /* least pivot near singular poses, where what is left counts by its inverse: */
#define TIGHT         1e-15 /* there joints are closed to this, ... */
#define ROUNDED       2e-14 /* ... or this, where rounding allows no less */
#define NEARLY_CLOSED 1e-9  /* ... or this, where nothing leads on, in large systems */
#define FAINT         1e-6 /* joints that are open by more make redundant rows look independent, ... */
#define CLEAR         100 /* ... with pivots of about so many times its square */
#define RENEWED       0.2 /* projections that leave more: factors are renewed */
#define SLOWEST       0.8 /* corrections of a step that leave more than this are given up */
#define SLOW          0.3 /* corrections at once that leave more: factors are renewed */

/* where a joint's frames are, seen from the bodies' centres */
typedef struct sight {
  double axes[2][9], arm[2][3], offset[3];
} sight;

typedef struct body {
  double rotation[9], inertia[6], inverse[6]; /* in world axes */
  double force[6];                            /* gravity and ports, on the centre of mass */
  double momentum[6];
  double start[6], aimed[6]; /* momenta at the start, and before corrections */
} body;

typedef struct mechanism {
  double state[STATE];
  double gravity[BODIES][3];
  int is_elsewhere;         /* from its model, as the scenario puts it: */
  double turn[9], place[3]; /* from its axes to those of the world; of its origin there */
  double length;            /* of the system */
  /* scratch: */
  body bodies[BODIES];
  sight sights[AT_LEAST_ONE(JOINTS)];
  double rows[AT_LEAST_ONE(ROWS)][2][6],
      yields[AT_LEAST_ONE(ROWS)][2][6]; /* G and M^-1 G^T, of the first and second body */
  double left[AT_LEAST_ONE(ROWS)], bias[AT_LEAST_ONE(ROWS)],
      side[AT_LEAST_ONE(ROWS)]; /* g, G' v, right-hand sides and impulses */
  double factor[AT_LEAST_ONE(PROFILE)], roots[AT_LEAST_ONE(CHOSEN)];
  int is_general, rank, order[AT_LEAST_ONE(ROWS)];
  double least; /* pivot of the factor, of its row's own admittance */
  double dense[AT_LEAST_ONE(GENERAL_ROWS * GENERAL_ROWS)], scale[AT_LEAST_ONE(ROWS)],
      solution[AT_LEAST_ONE(CHOSEN) + ROWS];
  int is_known; /* bodies, rows and factors of the chosen rows are those at: */
  double known[7 * BODIES];
  double next[7 * BODIES], velocity[6 * BODIES], moved[6 * BODIES];
  double arms[AT_LEAST_ONE(PORTS)][3];
  double loads[AT_LEAST_ONE(FORCES)]; /* forces on ports, in its axes */
  double ahead[6 * BODIES];           /* velocities at the end, for forces that depend on them */
#if HAS_ELEMENTS
  elements elements;
#endif
  double column[AT_LEAST_ONE(FORCES)], answers[AT_LEAST_ONE(FORCES)][6 * BODIES];
#if HAS_FROZEN_ROWS
  space in_space;
#endif
#if MOVES_IN_A_PLANE
  plane flat; /* steps without forces on ports are tried there first */
#endif
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

static void see_joint(int index, const double *q, sight *to) {
  double at[2][3];
  for (int e = 0; e < 2; e++) {
    const int on = joints[index].body[e];
    const double *pose = on < 0 ? 0 : q + 7 * on;
    place_frame(pose, on >= 0, joints[index].frame[e], to->axes[e], to->arm[e]);
    for (int i = 0; i < 3; i++) at[e][i] = to->arm[e][i] + (on < 0 ? 0 : pose[i]);
    for (int i = 0; i < 3 && on < 0; i++) to->arm[e][i] = 0;
  }
  for (int i = 0; i < 3; i++) to->offset[i] = at[1][i] - at[0][i];
}

static void axis_of(const sight *at, const row_of *row, double e[3]) {
  for (int i = 0; i < 3; i++) e[i] = row->a < 0 ? i == -1 - row->a : at->axes[0][3 * row->a + i];
}

static double left_of(const sight *at, const row_of *row) {
  double e[3];
  axis_of(at, row, e);
  return row->is_turn ? dot(e, at->axes[1] + 3 * row->b) : dot(e, at->offset);
}

/* g of all joints; the largest, displacements over the length */
static double measure(mechanism *of, const double *q) {
  double most = 0;
  for (int j = 0; j < JOINTS; j++) {
    row_of rows[6];
    sight at;
    const int count = list_rows(joints[j].holds, rows);
    see_joint(j, q, &at);
    for (int i = 0; i < count; i++) {
      const double g = left_of(&at, &rows[i]);
      of->left[joints[j].first + i] = g;
      most = largest(most, rows[i].is_turn ? fabs(g) : fabs(g) / of->length);
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
    see_joint(j, q, &of->sights[j]);
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
