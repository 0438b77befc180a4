/* space_rows.h - rattle of rigid bodies in space: bodies, joints, and rows that were frozen. Text
 * of generated files.
 *
 * Steps are those of src/assembly/assembly_rattle.c with the frozen rows of
 * src/interface/frozen_rows.h, by the same kernels, so that a run ends with the same bits whichever
 * of both takes them. What is gained: kinds of joints and sizes of blocks are constants, numbers
 * that no joint asks for are not found, and nothing is looked up.
 *
 * It follows these tables of the structure:
 *
 *     SPACE_BODIES, SPACE_JOINTS, SPACE_ANGLES, SPACE_SPARES
 *     BLOCK_NUMBERS, ENTRY_NUMBERS   of blocks on the diagonal of S with their rows; below it
 *     joint_bodies[][2]              of the frames A and B, -1: the ground
 *     joint_blocks[]                 where the block of a joint begins, -1: it has none
 *     idle_blocks[], SPACE_IDLES     where blocks of one row begin that stays open
 *     space_angle_bodies[][2]              of the frames of an angle, -1: the ground
 */
/* A joint's structure; constants, wherever it is used. */
typedef struct joint_shape {
  unsigned holds, chosen;  /* its rows (FLG_HOLDS_x); bit i: row i is frozen, others are left out */
  int count, rows;         /* of all, of the chosen */
  int pushes, is_straight; /* as of flg_frozen_block */
  int sides, anchor[2];    /* bodies: whether at its frame A or B, 0 or 1 */
  int flat[2];             /* and whether they are flat */
} joint_shape;

/* as in the interpreter, which says why */
#define SPACE_CLOSED   1e-12
#define SPACE_SLOWEST  0.8
#define SPACE_SOUND    4e-5
#define SPACE_STEEPEST 1e-10
#define SPACE_AGREED   1e-9
enum { SPACE_CORRECTIONS_MAX = 100 };

typedef struct space_body {
  double mass;
  flg_sym3 own, own_inverse; /* inertia, in the body's axes */
  int is_axial;
  flg_axial resists, yields;
  flg_spatial weight; /* force on it */
  double normal[3];
  /* where it is: the inertia in world axes, and W of the frozen rows */
  flg_pose at;
  flg_sym3 inertia, inverse;
  double W[36];
  /* of a step */
  flg_spatial velocity, start, momentum;
  double bias[6], flat[6], force[6], motion[6];
  flg_spatial pushed, aimed; /* the force at the start; momentum before corrections */
} space_body;

typedef struct space_joint {
  flg_pose frame[2];
  flg_joint_sight sight;
  double left[6], bias[6];
  int spare; /* its first row that was left out, among those */
} space_joint;

typedef struct space_angle {
  flg_pose frame[2];
  double rate;                 /* at the start of the step */
  int is_marked;               /* there is a mark, ... */
  double marked, cosine, sine; /* ... of this angle of the state */
} space_angle;

typedef struct space {
  space_body bodies[SPACE_BODIES];
  space_joint joints[SPACE_JOINTS];
  space_angle angles[AT_LEAST_ONE(SPACE_ANGLES)];
  double length;
  int is_known; /* bodies, joints, rows and factors are those at: */
  double q[7 * SPACE_BODIES];
  double sound; /* what pivots of factors have to exceed */
  double open;  /* what is left of joints at the end of the first half of the step */
  double next[7 * SPACE_BODIES];
  flg_space_push *push; /* NULL: weights are the forces on bodies */
  void *context;
  double *impulses; /* of the caller, who asks for them */
  const int *asks;
  double ahead[6 * SPACE_BODIES], forces[6 * SPACE_BODIES]; /* of that */
  double blocks[AT_LEAST_ONE(BLOCK_NUMBERS)], entries[AT_LEAST_ONE(ENTRY_NUMBERS)];
  double spares[AT_LEAST_ONE(SPACE_SPARES)][2][6];
  int spare_bodies[AT_LEAST_ONE(SPACE_SPARES)][2]; /* of their sides, -1: none */
} space;

/* --- blocks -------------------------------------------------------------------------------------
 * A block has, for `room` rows: G and G W of two sides, the diagonal block of S, L^-1, L^-T, and x.
 */

IN_LINE int rows_at(int rows, int side) {
  return 6 * flg_frozen_room(rows) * side;
}

IN_LINE int levers_at(int rows, int side) {
  return 6 * flg_frozen_room(rows) * (2 + side);
}

IN_LINE int diagonal_at(int rows) {
  return 24 * flg_frozen_room(rows);
}

IN_LINE int lower_at(int rows) {
  return diagonal_at(rows) + flg_frozen_room(rows) * rows;
}

IN_LINE int upper_at(int rows) {
  return diagonal_at(rows) + 2 * flg_frozen_room(rows) * rows;
}

IN_LINE int x_at(int rows) {
  return diagonal_at(rows) + 3 * flg_frozen_room(rows) * rows;
}

/* --- where everything is ------------------------------------------------------------------------
 */

static void orient_space(space_body *body, const double *q) {
  const flg_quat turn = {q[3], q[4], q[5], q[6]};
  body->at.rotation = flg_quat_to_matrix(flg_quat_normalise(turn));
  body->at.position = flg_vec3_load(q);
}

static void weigh_space(space_body *body) {
  const flg_mat3 *rotation = &body->at.rotation;
  if (body->is_axial) {
    const flg_vec3 axis = flg_mat3_apply(rotation, body->resists.axis);
    body->inertia = flg_axial_along(&body->resists, axis);
    body->inverse = flg_axial_along(&body->yields, axis);
  } else {
    body->inertia = flg_sym3_rotate(body->own, rotation);
    body->inverse = flg_sym3_rotate(body->own_inverse, rotation);
  }
  const flg_mat3 full = flg_sym3_full(body->inverse);
  for (int j = 0; j < 3; j++) flg_vec3_store(flg_mat3_column(&full, j), body->W + 21 + 6 * j);
}

IN_LINE int is_on(joint_shape s, int anchor) {
  return (s.sides > 0 && s.anchor[0] == anchor) || (s.sides > 1 && s.anchor[1] == anchor);
}

/* the largest of a displacement and of a turn; NaN stays in the sum */
typedef struct space_gap {
  double apart, turned, sum;
} space_gap;

IN_LINE int displacements_of(unsigned holds) {
  if (holds & FLG_HOLDS_POINT) return 3;
  return (holds & FLG_HOLDS_ACROSS ? 2 : 0) + (holds & FLG_HOLDS_ALONG ? 1 : 0);
}

IN_LINE void add_gap(const double *left, joint_shape s, space_gap *to) {
#pragma GCC unroll 6
  for (int i = 0; i < s.count; i++) {
    const double size = fabs(left[i]);
    double *most = i < displacements_of(s.holds) ? &to->apart : &to->turned;
    *most = size > *most ? size : *most;
    to->sum += size;
  }
}

/* its frames, and what is left of it */
IN_LINE void see_space_joint(space *of, int k, joint_shape s, space_gap *most) {
  space_joint *joint = &of->joints[k];
  flg_joint_anchor end[2];
  for (int a = 0; a < 2; a++) {
    end[a] = (flg_joint_anchor){is_on(s, a) ? &of->bodies[joint_bodies[k][a]].at : NULL,
                                &joint->frame[a]};
  }
  (void)flg_joint_see(s.holds, end, &joint->sight, joint->left);
  add_gap(joint->left, s, most);
}

/* G' v of the chosen rows */
IN_LINE void drift_joint(space *of, int k, joint_shape s) {
  space_joint *joint = &of->joints[k];
  flg_spatial velocity[2];
  double rate[6], bias[6];
  for (int a = 0; a < 2; a++) {
    velocity[a] = (flg_spatial){{0, 0, 0}, {0, 0, 0}};
    if (is_on(s, a)) velocity[a] = of->bodies[joint_bodies[k][a]].velocity;
  }
  flg_joint_drift(s.holds, &joint->sight, joint->left, velocity, rate, bias);
#pragma GCC unroll 6
  for (int i = 0; i < s.count; i++) {
    if (s.chosen >> i & 1) joint->bias[i] = bias[i];
  }
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* rows of a side: the chosen ones to its block, the others to the spares */
IN_LINE void sort_rows(space *of, int k, joint_shape s, int side, const double *full) {
  const int leading = s.count + s.count % 2, room = flg_frozen_room(s.rows);
  double *G = of->blocks + joint_blocks[k] + rows_at(s.rows, side);
  int chosen = 0, spare = of->joints[k].spare;
#pragma GCC unroll 6
  for (int i = 0; i < s.count; i++) {
    const int is_chosen = s.chosen >> i & 1;
#pragma GCC unroll 6
    for (int j = 0; j < 6; j++) {
      if (is_chosen) {
        G[chosen + j * room] = full[i + j * leading];
      } else {
        of->spares[spare][side][j] = full[i + j * leading];
      }
    }
    chosen += is_chosen, spare += !is_chosen;
  }
}

/* Rows that were left out are looked at after a solve: if they are violated, they were not
 * redundant. */
IN_LINE void list_joint_spares(space *of, int k, joint_shape s, int *count) {
  of->joints[k].spare = *count;
  for (int i = s.rows; i < s.count; i++) {
    int *on = of->spare_bodies[(*count)++];
    for (int e = 0; e < 2; e++) on[e] = e < s.sides ? joint_bodies[k][s.anchor[e]] : -1;
  }
}

IN_LINE void write_joint(space *of, int k, joint_shape s) {
  const int leading = s.count + s.count % 2;
  double *side[2] = {NULL, NULL}, full[2][36];
  for (int e = 0; e < s.sides; e++) {
    side[s.anchor[e]] =
        s.rows == s.count ? of->blocks + joint_blocks[k] + rows_at(s.rows, e) : full[e];
  }
  flg_joint_write(s.holds, &of->joints[k].sight, side, leading);
  for (int e = 0; e < s.sides && s.rows < s.count; e++) sort_rows(of, k, s, e, full[e]);
}

/* G W of both sides, and the diagonal block of S; x gets its diagonal */
IN_LINE void weigh_joint(space *of, int k, joint_shape s) {
  const int room = flg_frozen_room(s.rows);
  double *block = of->blocks + joint_blocks[k], *S = block + diagonal_at(s.rows);
  if (s.rows == 0) return;
#pragma GCC unroll 2
  for (int e = 0; e < s.sides; e++) {
    const space_body *body = &of->bodies[joint_bodies[k][s.anchor[e]]];
    double *G = block + rows_at(s.rows, e), *lever = block + levers_at(s.rows, e);
    const int is_plain = s.is_straight && !s.flat[e];
    flg_frozen_weigh(s.rows, body->W, G, lever);
    if (s.flat[e]) flg_frozen_flatten_side(s.rows, body->normal, lever);
    flg_frozen_multiply(s.rows, room, G, lever, is_plain ? 0 : s.pushes, e > 0, S);
    for (int i = 0; i < s.pushes && is_plain; i++) S[i * (room + 1)] += body->W[0];
  }
#pragma GCC unroll 6
  for (int i = 0; i < s.rows; i++) block[x_at(s.rows) + i] = S[i * (room + 1)];
}

/* two joints on one body: a table of entry, rows of the later, levers of the earlier */
IN_LINE void couple_blocks(space *of, const int (*at)[3], int count, int rows, int room, int pushes,
                           int adds) {
  for (int k = 0; k < count; k++) {
    flg_frozen_multiply(rows, room, of->blocks + at[k][1], of->blocks + at[k][2], pushes, adds,
                        of->entries + at[k][0]);
  }
}

/* Before a factorisation, and before a solve: rows that stay open are coupled with none. */
static void open_idle_blocks(space *of) {
  for (int k = 0; k < SPACE_IDLES; k++) {
    double *block = of->blocks + idle_blocks[k];
    block[diagonal_at(1)] = block[x_at(1)] = 1;
  }
}

static void rest_idle_blocks(space *of) {
  for (int k = 0; k < SPACE_IDLES; k++) of->blocks[idle_blocks[k] + x_at(1)] = 0;
}

/* What rows are to do: their biases, or what is left of them, by a share; or to be at rest. */
enum { AIM_BIAS, AIM_LEFT, AIM_REST };

/* x = gamma - G b, b: velocities without joints; what is left is closed from rest */
IN_LINE void aim_joint(space *of, int k, joint_shape s, int aim, double share) {
  const space_joint *joint = &of->joints[k];
  const int room = flg_frozen_room(s.rows);
  double *block = of->blocks + joint_blocks[k], wanted[6] = {0};
  flg_column sum;
  if (s.rows == 0) return;
#pragma GCC unroll 6
  for (int i = 0, at = 0; i < s.count; i++) {
    if ((s.chosen >> i & 1) == 0) continue;
    if (aim != AIM_REST) wanted[at] = -share * (aim == AIM_BIAS ? joint->bias : joint->left)[i];
    at++;
  }
  flg_column_load(room, wanted, &sum);
#pragma GCC unroll 2
  for (int e = 0; e < s.sides && aim != AIM_LEFT; e++) {
    const space_body *body = &of->bodies[joint_bodies[k][s.anchor[e]]];
    flg_frozen_subtract_rate(room, s.flat[e] ? body->flat : body->bias, block + rows_at(s.rows, e),
                             &sum);
  }
  flg_column_store(room, &sum, block + x_at(s.rows));
}

/* adds its reactions of the last solve */
IN_LINE void note_joint(space *of, int k, joint_shape s, int half) {
  const double *x = of->blocks + joint_blocks[k] + x_at(s.rows);
  double *to = of->impulses + 12 * k + 6 * half;
  if (s.rows == 0) return;
#pragma GCC unroll 6
  for (int i = 0, at = 0; i < s.count; i++) {
    if (s.chosen >> i & 1) to[i] += x[at++];
  }
}

/* --- operations on blocks: b of the one that goes, E of an entry --------------------------------
 */

IN_LINE int factor_block(int rows, double *b, double sound) {
  double least = 1;
  bool is_sound = true;
  flg_frozen_factor_block(rows, b + diagonal_at(rows), b + x_at(rows), sound, b + lower_at(rows),
                          b + upper_at(rows), &least, &is_sound);
  return is_sound;
}

IN_LINE void take_off_block(int rows, int other, const double *b, double *E, double *later) {
  const int room = flg_frozen_room(other);
  flg_frozen_divide(rows, room, b + upper_at(rows), E);
  flg_frozen_downdate(rows, room, E, E, room, other, later + diagonal_at(other));
}

/* of two entries, of blocks with `other` and `count` rows */
IN_LINE void take_off_entry(int rows, int other, int count, const double *V, const double *U,
                            double *to) {
  flg_frozen_downdate(rows, flg_frozen_room(other), V, U, flg_frozen_room(count), count, to);
}

IN_LINE void forward_block(int rows, double *b) {
  flg_frozen_multiply_triangle(rows, b + lower_at(rows), b + x_at(rows));
}

IN_LINE void hand_on(int rows, int other, const double *E, const double *b, double *later) {
  flg_frozen_take_on(rows, flg_frozen_room(other), E, b + x_at(rows), later + x_at(other));
}

IN_LINE void take_back(int rows, int other, const double *E, double *b, const double *later) {
  flg_frozen_take_back(rows, flg_frozen_room(other), E, later + x_at(other), b + x_at(rows));
}

/* x, and forces on its bodies */
IN_LINE void end_block(int rows, int sides, double *b, const int *on, space_body *bodies) {
  const int room = flg_frozen_room(rows);
  flg_column l;
  flg_frozen_multiply_triangle(rows, b + upper_at(rows), b + x_at(rows));
  flg_column_load(room, b + x_at(rows), &l);
#pragma GCC unroll 2
  for (int e = 0; e < sides; e++) {
    flg_frozen_push(room, b + rows_at(rows, e), &l, bodies[on[e]].force);
  }
}
