#include "compile/term_vectors.h"

/* Of vectors, x and y are made before z, by statements: C leaves open in which order the members of
 * an initialiser are evaluated, and nodes are numbered in the order in which generated code
 * computes them. */
flg_term3 flg_term3_constant(flg_terms *graph, flg_vec3 value) {
  const flg_term x = flg_terms_constant(graph, value.x), y = flg_terms_constant(graph, value.y);
  return (flg_term3){x, y, flg_terms_constant(graph, value.z)};
}

flg_term3 flg_term3_add(flg_terms *graph, flg_term3 a, flg_term3 b) {
  const flg_term x = flg_terms_add(graph, a.x, b.x), y = flg_terms_add(graph, a.y, b.y);
  return (flg_term3){x, y, flg_terms_add(graph, a.z, b.z)};
}

flg_term3 flg_term3_subtract(flg_terms *graph, flg_term3 a, flg_term3 b) {
  const flg_term x = flg_terms_subtract(graph, a.x, b.x), y = flg_terms_subtract(graph, a.y, b.y);
  return (flg_term3){x, y, flg_terms_subtract(graph, a.z, b.z)};
}

flg_term3 flg_term3_scale(flg_terms *graph, flg_term factor, flg_term3 a) {
  const flg_term x = flg_terms_multiply(graph, factor, a.x);
  const flg_term y = flg_terms_multiply(graph, factor, a.y);
  return (flg_term3){x, y, flg_terms_multiply(graph, factor, a.z)};
}

/* a b - c d */
static flg_term minor(flg_terms *graph, flg_term a, flg_term b, flg_term c, flg_term d) {
  const flg_term first = flg_terms_multiply(graph, a, b);
  return flg_terms_subtract(graph, first, flg_terms_multiply(graph, c, d));
}

flg_term3 flg_term3_cross(flg_terms *graph, flg_term3 a, flg_term3 b) {
  const flg_term x = minor(graph, a.y, b.z, a.z, b.y), y = minor(graph, a.z, b.x, a.x, b.z);
  return (flg_term3){x, y, minor(graph, a.x, b.y, a.y, b.x)};
}

flg_term flg_term3_dot(flg_terms *graph, flg_term3 a, flg_term3 b) {
  const flg_term x = flg_terms_multiply(graph, a.x, b.x), y = flg_terms_multiply(graph, a.y, b.y);
  const flg_term xy = flg_terms_add(graph, x, y);
  return flg_terms_add(graph, xy, flg_terms_multiply(graph, a.z, b.z));
}

/* --- matrices -----------------------------------------------------------------------------------
 */

/* Renames the entries: no operation is generated. */
static flg_term9 transposed(const flg_term9 *a) {
  const flg_term3 *c = a->column;
  return (flg_term9){
      {{c[0].x, c[1].x, c[2].x}, {c[0].y, c[1].y, c[2].y}, {c[0].z, c[1].z, c[2].z}}};
}

flg_term3 flg_term9_apply_transposed(flg_terms *graph, const flg_term9 *a, flg_term3 v) {
  const flg_term x = flg_term3_dot(graph, a->column[0], v);
  const flg_term y = flg_term3_dot(graph, a->column[1], v);
  return (flg_term3){x, y, flg_term3_dot(graph, a->column[2], v)};
}

flg_term3 flg_term9_apply(flg_terms *graph, const flg_term9 *a, flg_term3 v) {
  const flg_term9 rows = transposed(a);
  return flg_term9_apply_transposed(graph, &rows, v);
}

flg_term9 flg_term9_multiply(flg_terms *graph, const flg_term9 *a, const flg_term9 *b) {
  flg_term9 product;
  for (int k = 0; k < 3; k++) product.column[k] = flg_term9_apply(graph, a, b->column[k]);
  return product;
}

flg_term9 flg_term9_constant(flg_terms *graph, const flg_mat3 *value) {
  flg_term9 made;
  for (int k = 0; k < 3; k++) {
    made.column[k] = flg_term3_constant(graph, flg_mat3_column(value, k));
  }
  return made;
}

/* q has unit length: diagonals are 1 - 2 (b^2 + c^2), two squares instead of four. */
flg_term9 flg_term9_from_quaternion(flg_terms *graph, const flg_term q[4]) {
  const flg_term two = flg_terms_constant(graph, 2), one = flg_terms_constant(graph, 1);
  flg_term t[4][4]; /* 2 q_i q_j */
  for (int i = 0; i < 4; i++) {
    for (int j = i; j < 4; j++) {
      const flg_term doubled = flg_terms_multiply(graph, two, q[i]);
      t[i][j] = flg_terms_multiply(graph, doubled, q[j]);
    }
  }
  flg_term9 R;
  flg_term diagonal[3];
  for (int k = 0; k < 3; k++) {
    const int a = k == 0 ? 2 : 1, b = k == 2 ? 2 : 3;
    diagonal[k] = flg_terms_subtract(graph, one, flg_terms_add(graph, t[a][a], t[b][b]));
  }
  R.column[0] = (flg_term3){diagonal[0], flg_terms_add(graph, t[1][2], t[0][3]),
                            flg_terms_subtract(graph, t[1][3], t[0][2])};
  R.column[1] = (flg_term3){flg_terms_subtract(graph, t[1][2], t[0][3]), diagonal[1],
                            flg_terms_add(graph, t[2][3], t[0][1])};
  R.column[2] = (flg_term3){flg_terms_add(graph, t[1][3], t[0][2]),
                            flg_terms_subtract(graph, t[2][3], t[0][1]), diagonal[2]};
  return R;
}

/* --- inertias -----------------------------------------------------------------------------------
 */

flg_term_inertia flg_term_inertia_constant(flg_terms *graph, const flg_inertia *value) {
  const flg_sym3 *I = &value->rotation;
  return (flg_term_inertia){.mass = flg_terms_constant(graph, value->mass),
                            .moment = flg_term3_constant(graph, value->moment),
                            .xx = flg_terms_constant(graph, I->xx),
                            .yy = flg_terms_constant(graph, I->yy),
                            .zz = flg_terms_constant(graph, I->zz),
                            .xy = flg_terms_constant(graph, I->xy),
                            .xz = flg_terms_constant(graph, I->xz),
                            .yz = flg_terms_constant(graph, I->yz)};
}

flg_term_inertia flg_term_inertia_add(flg_terms *graph, const flg_term_inertia *a,
                                      const flg_term_inertia *b) {
  return (flg_term_inertia){.mass = flg_terms_add(graph, a->mass, b->mass),
                            .moment = flg_term3_add(graph, a->moment, b->moment),
                            .xx = flg_terms_add(graph, a->xx, b->xx),
                            .yy = flg_terms_add(graph, a->yy, b->yy),
                            .zz = flg_terms_add(graph, a->zz, b->zz),
                            .xy = flg_terms_add(graph, a->xy, b->xy),
                            .xz = flg_terms_add(graph, a->xz, b->xz),
                            .yz = flg_terms_add(graph, a->yz, b->yz)};
}

flg_term3 flg_term_inertia_spin(flg_terms *graph, const flg_term_inertia *a, flg_term3 w) {
  const flg_term9 I = {{{a->xx, a->xy, a->xz}, {a->xy, a->yy, a->yz}, {a->xz, a->yz, a->zz}}};
  return flg_term9_apply_transposed(graph, &I, w);
}

/* Two rows of R give five elements, the trace gives the sixth. */
flg_term_inertia flg_term_inertia_rotate(flg_terms *graph, const flg_term_inertia *a,
                                         const flg_term9 *R) {
  const flg_term9 rows = transposed(R);
  const flg_term3 x = rows.column[0], y = rows.column[1], z = rows.column[2];
  const flg_term3 sx = flg_term_inertia_spin(graph, a, x), sy = flg_term_inertia_spin(graph, a, y);
  flg_term_inertia made = {.mass = a->mass, .moment = flg_term9_apply(graph, R, a->moment)};
  made.xx = flg_term3_dot(graph, x, sx);
  made.yy = flg_term3_dot(graph, y, sy);
  const flg_term trace = flg_terms_add(graph, flg_terms_add(graph, a->xx, a->yy), a->zz);
  made.zz = flg_terms_subtract(graph, trace, flg_terms_add(graph, made.xx, made.yy));
  made.xy = flg_term3_dot(graph, x, sy);
  made.xz = flg_term3_dot(graph, z, sx);
  made.yz = flg_term3_dot(graph, z, sy);
  return made;
}

/* xx' = xx - u, yy' = yy + u, u = s^2 (xx - yy) + 2 s c xy; xy' = s c (xx - yy) + (1 - 2 s^2) xy */
flg_term_inertia flg_term_inertia_turn(flg_terms *graph, const flg_term_inertia *a, flg_term sine,
                                       flg_term cosine) {
  const flg_term one = flg_terms_constant(graph, 1), two = flg_terms_constant(graph, 2);
  const flg_term ss = flg_terms_multiply(graph, sine, sine);
  const flg_term sc = flg_terms_multiply(graph, sine, cosine);
  const flg_term cosine2 = flg_terms_subtract(graph, one, flg_terms_multiply(graph, two, ss));
  const flg_term difference = flg_terms_subtract(graph, a->xx, a->yy);
  const flg_term doubled = flg_terms_multiply(graph, flg_terms_multiply(graph, two, sc), a->xy);
  const flg_term u = flg_terms_add(graph, flg_terms_multiply(graph, ss, difference), doubled);
  const flg_term3 h = a->moment;
  flg_term_inertia made = {.mass = a->mass, .zz = a->zz};
  made.xx = flg_terms_subtract(graph, a->xx, u);
  made.yy = flg_terms_add(graph, a->yy, u);
  made.xy = flg_terms_add(graph, flg_terms_multiply(graph, sc, difference),
                          flg_terms_multiply(graph, cosine2, a->xy));
  made.xz = minor(graph, cosine, a->xz, sine, a->yz);
  made.yz = flg_terms_add(graph, flg_terms_multiply(graph, sine, a->xz),
                          flg_terms_multiply(graph, cosine, a->yz));
  made.moment.x = minor(graph, cosine, h.x, sine, h.y);
  made.moment.y = flg_terms_add(graph, flg_terms_multiply(graph, sine, h.x),
                                flg_terms_multiply(graph, cosine, h.y));
  made.moment.z = h.z;
  return made;
}

/* a - (p_i h'_j + p_j h_i) */
static flg_term crossed(flg_terms *graph, flg_term a, flg_term pi, flg_term hj, flg_term pj,
                        flg_term hi) {
  const flg_term first = flg_terms_multiply(graph, pi, hj);
  const flg_term both = flg_terms_add(graph, first, flg_terms_multiply(graph, pj, hi));
  return flg_terms_subtract(graph, a, both);
}

/* With h' = h + m p and k = h + h': the diagonal gains p.k less its own share, (i, j) loses
 * p_i h'_j + p_j h_i. */
flg_term_inertia flg_term_inertia_shift(flg_terms *graph, const flg_term_inertia *a, flg_term3 p) {
  const flg_term3 h = a->moment;
  const flg_term3 moved = flg_term3_add(graph, h, flg_term3_scale(graph, a->mass, p));
  const flg_term3 k = flg_term3_add(graph, h, moved);
  const flg_term x = flg_terms_multiply(graph, p.x, k.x), y = flg_terms_multiply(graph, p.y, k.y);
  const flg_term z = flg_terms_multiply(graph, p.z, k.z);
  flg_term_inertia made = {.mass = a->mass, .moment = moved};
  made.xx = flg_terms_add(graph, a->xx, flg_terms_add(graph, y, z));
  made.yy = flg_terms_add(graph, a->yy, flg_terms_add(graph, x, z));
  made.zz = flg_terms_add(graph, a->zz, flg_terms_add(graph, x, y));
  made.xy = crossed(graph, a->xy, p.x, moved.y, p.y, h.x);
  made.xz = crossed(graph, a->xz, p.x, moved.z, p.z, h.x);
  made.yz = crossed(graph, a->yz, p.y, moved.z, p.z, h.y);
  return made;
}
