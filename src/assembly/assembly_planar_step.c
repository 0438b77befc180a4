/* Rattle in the plane (assembly_rattle.c has the equations). Bodies turn about a principal axis, so
 * that the turn of a step has a closed form, sin(angle) = h L / I. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "assembly/assembly_planar.h"
#include "math/larger.h"
#include "math/wide_vectors.h"
#include "parts/bodies.h"

enum { CORRECTIONS_MAX = 20 };
/* Corrections that leave more than this of the error are given up (assembly_rattle.c). */
static const double SLOWEST = 0.8;
/* Joints are closed when less than this is left of them (assembly_solve.c). */
static const double CLOSED = 1e-12;
/* Rows are independent, by what is left of their pivots: ten times the least that assembly_solve.c
 * does not call near singular. */
static const double SOUND = 1e-5;
/* A state is flat up to this, of its own size. */
static const double FLAT = 1e-11;
/* Sines of steps: over this, spins are not resolved. */
static const double TURNED_MOST = 0.95;

/* --- from and to the state ----------------------------------------------------------------------
 */

/* squares of what is in the plane, and out of it */
typedef struct flatness {
  double speed, lift, tilt, height;
} flatness;

FLG_SMALL void aim_pose(flg_planar_pose *pose) {
  pose->cos = pose->half_cos * pose->half_cos - pose->half_sin * pose->half_sin;
  pose->sin = 2 * pose->half_cos * pose->half_sin;
}

/* a vector in the axes of the plane */
static flg_vec3 planar_step_see(const flg_planar *p, const double v[3]) {
  const flg_vec3 of = flg_vec3_load(v);
  return (flg_vec3){flg_vec3_dot(p->axis[0], of), flg_vec3_dot(p->axis[1], of),
                    flg_vec3_dot(p->axis[2], of)};
}

static void show(const flg_planar *p, flg_vec3 v, double to[3]) {
  const flg_vec3 flat = flg_vec3_add_scaled(flg_vec3_scale(p->axis[0], v.x), v.y, p->axis[1]);
  flg_vec3_store(flg_vec3_add_scaled(flat, v.z, p->axis[2]), to);
}

FLG_SMALL void planar_step_take(const flg_planar_body *body, flg_vec3 at, double half_cos,
                                flg_vec3 about, flg_planar_pose *pose, flatness *seen) {
  const double off = at.z - body->height;
  *pose = (flg_planar_pose){{at.x, at.y}, half_cos, about.z, 0, 0};
  aim_pose(pose);
  seen->tilt += about.x * about.x + about.y * about.y;
  seen->height += off * off;
}

FLG_SMALL void take_motion(flg_planar_body *body, flg_vec3 speed, flg_vec3 spin, flatness *seen) {
  body->from = body->velocity = (flg_planar_motion){{speed.x, speed.y}, spin.z};
  seen->speed += speed.x * speed.x + speed.y * speed.y + spin.z * spin.z;
  seen->lift += speed.z * speed.z + spin.x * spin.x + spin.y * spin.y;
}

/* turn = (cos, n sin) of half the angle, times that of angle zero */
static void load_pose(const flg_planar *p, const flg_planar_body *body, const double *q,
                      flg_planar_pose *pose, flatness *seen) {
  flg_quat turn = {q[3], q[4], q[5], q[6]};
  if (!body->is_plain) turn = flg_quat_multiply(turn, flg_quat_conjugate(body->zero));
  const double about[3] = {turn.x, turn.y, turn.z};
  planar_step_take(body, planar_step_see(p, q), turn.w, planar_step_see(p, about), pose, seen);
}

/* the same where axes are those of the world */
FLG_SMALL void load_plain(const flg_planar *p, const double *q, const double *v,
                          flg_planar_body *body, flatness *seen) {
  const int x = p->number[0], y = p->number[1], n = p->number[2];
  planar_step_take(body, (flg_vec3){q[x], q[y], q[n]}, q[3],
                   (flg_vec3){q[4 + x], q[4 + y], q[4 + n]}, &body->pose, seen);
  take_motion(body, (flg_vec3){v[x], v[y], v[n]}, (flg_vec3){v[3 + x], v[3 + y], v[3 + n]}, seen);
}

/* whether it is flat */
FLG_WIDE_VECTORS
static bool planar_step_load(const flg_planar *p, const flg_assembly *assembly) {
  flatness seen = {0};
  const double *q = assembly->state.q, *v = assembly->state.v;
  flg_planar_body *body = p->bodies, *end = body + p->body_count;
  for (; body < end; body++, q += FLG_BODY_POSITIONS, v += FLG_BODY_VELOCITIES) {
    if (body->is_plain) {
      load_plain(p, q, v, body, &seen);
    } else {
      load_pose(p, body, q, &body->pose, &seen);
      take_motion(body, planar_step_see(p, v), planar_step_see(p, v + 3), &seen);
    }
  }
  const double most = FLAT * FLAT, length = assembly->model.length;
  return seen.lift <= most * seen.speed && seen.tilt <= most * p->body_count &&
         seen.height <= most * length * length && seen.speed <= DBL_MAX;
}

static void store_pose(const flg_planar *p, const flg_planar_body *body, double *q) {
  const flg_planar_pose *at = &body->next;
  double about[3];
  show(p, (flg_vec3){0, 0, at->half_sin}, about);
  flg_quat turn = {at->half_cos, about[0], about[1], about[2]};
  if (!body->is_plain) turn = flg_quat_multiply(turn, body->zero);
  show(p, (flg_vec3){at->at[0], at->at[1], body->height}, q);
  q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
}

static void store_motion(const flg_planar *p, const flg_planar_body *body, double *v) {
  show(p, (flg_vec3){body->velocity.line[0], body->velocity.line[1], 0}, v);
  show(p, (flg_vec3){0, 0, body->velocity.turn}, v + 3);
}

FLG_SMALL void store_plain(const flg_planar *p, const flg_planar_body *body, double *q, double *v) {
  const int x = p->number[0], y = p->number[1], n = p->number[2];
  q[x] = body->next.at[0], q[y] = body->next.at[1], q[n] = body->height;
  q[3] = body->next.half_cos, q[4 + x] = q[4 + y] = 0, q[4 + n] = body->next.half_sin;
  v[x] = body->velocity.line[0], v[y] = body->velocity.line[1], v[n] = 0;
  v[3 + x] = v[3 + y] = 0, v[3 + n] = body->velocity.turn;
}

FLG_WIDE_VECTORS
static void planar_step_store(const flg_planar *p, flg_assembly *assembly) {
  double *q = assembly->state.q, *v = assembly->state.v, *angles = assembly->state.angles;
  flg_planar_body *body = p->bodies, *end = body + p->body_count;
  for (; body < end; body++, q += FLG_BODY_POSITIONS, v += FLG_BODY_VELOCITIES) {
    if (p->angle_count > 0) body->turned = asin(body->turned);
    if (body->is_plain) {
      store_plain(p, body, q, v);
    } else {
      memcpy(q, p->factored_q + (q - assembly->state.q), FLG_BODY_POSITIONS * sizeof *q);
      store_motion(p, body, v);
    }
  }
  for (int k = 0; k < p->angle_count; k++) {
    const int *of = p->angle_bodies + 2 * k;
    angles[k] += p->angle_sense[k] * (p->bodies[of[1]].turned - p->bodies[of[0]].turned);
  }
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* k x p, a quarter of a turn */
FLG_SMALL flg_planar_point quarter(flg_planar_point p) {
  return (flg_planar_point){-p[1], p[0]};
}

FLG_SMALL flg_planar_point planar_step_turn(const flg_planar_pose *pose, flg_planar_point p) {
  return pose->cos * p + pose->sin * quarter(p);
}

FLG_SMALL double planar_step_dot(flg_planar_point a, flg_planar_point b) {
  const flg_planar_point products = a * b;
  return products[0] + products[1];
}

FLG_SMALL double cross(flg_planar_point a, flg_planar_point b) {
  return planar_step_dot(quarter(a), b);
}

/* from the point of A to that of B */
FLG_SMALL flg_planar_point apart(const flg_planar_pose *a, const flg_planar_pose *b,
                                 flg_planar_point arm_a, flg_planar_point arm_b) {
  return (b->at + arm_b) - (a->at + arm_a);
}

/* what is left of a pair at the end of the free step; the largest of displacements over the length,
 * and of turns */
FLG_SMALL double left_of(flg_planar_pair *pair, double length) {
  const flg_planar_pose *a = &pair->on[0]->next, *b = &pair->on[1]->next;
  const flg_planar_point arm[2] = {planar_step_turn(a, pair->point[0]),
                                   planar_step_turn(b, pair->point[1])};
  const flg_planar_point d = apart(a, b, arm[0], arm[1]);
  pair->ahead[0] = arm[0], pair->ahead[1] = arm[1];
  *pair->impulse = d;
  if (pair->kind == FLG_PLANAR_MEET) return flg_larger(fabs(d[0]), fabs(d[1])) / length;
  const double off = pair->slides ? planar_step_dot(planar_step_turn(a, pair->across), d) : 0;
  const double turned = pair->turns ? cross(planar_step_turn(a, pair->facing[0]),
                                            planar_step_turn(b, pair->facing[1]))
                                    : 0;
  *pair->impulse = (flg_planar_point){off, turned};
  return flg_larger(fabs(off) / length, fabs(turned));
}

FLG_SMALL double measure_all(const flg_planar *p, double length) {
  flg_planar_pair *pair = p->pairs, *end = pair + p->pair_count;
  double most = 0;
  for (; pair < end; pair++) most = flg_larger(most, left_of(pair, length));
  return most;
}

/* The end of the step becomes what the next step will read of the state: factors of the end serve
 * it then with the bits of those that a resumed run makes. Along axes of the world it is that; for
 * others the state is kept in factored_q until the step stands. */
static void planar_step_settle(flg_planar *p) {
  double *q = p->factored_q;
  bool is_other = false;
  p->is_factored = false;
  for (int k = 0; k < p->body_count; k++, q += FLG_BODY_POSITIONS) {
    flg_planar_body *body = &p->bodies[k];
    flatness unread = {0};
    if (body->is_plain) continue;
    store_pose(p, body, q);
    load_pose(p, body, q, &body->next, &unread);
    is_other = true;
  }
  for (int k = 0; k < p->pair_count && is_other; k++) {
    flg_planar_pair *pair = &p->pairs[k];
    for (int e = 0; e < 2; e++)
      pair->ahead[e] = planar_step_turn(&pair->on[e]->next, pair->point[e]);
  }
}

/* two points: each row is along x or y, but for turns */
FLG_SMALL void place_coincidence(flg_planar_pair *pair) {
  const flg_planar_body *a = pair->on[0], *b = pair->on[1];
  double *d = pair->diagonal;
  const flg_planar_point one = -quarter(pair->arm[0]), other = quarter(pair->arm[1]);
  const flg_planar_point levers[2] = {a->inverse_inertia * one, b->inverse_inertia * other};
  const flg_planar_point own = levers[0] * one + levers[1] * other;
  const double free = a->inverse_mass + b->inverse_mass;
  pair->side[0].turn = one, pair->side[1].turn = other;
  d[0] = free + own[0], d[2] = free + own[1];
  d[1] = levers[0][0] * one[1] + levers[1][0] * other[1];
}

/* rows times M^-1 times another's row, of a body */
FLG_SMALL flg_planar_point multiply_row(const flg_planar_body *body, const flg_planar_side *rows,
                                        const flg_planar_side *other, int row) {
  return body->inverse_mass * (rows->x * other->x[row] + rows->y * other->y[row]) +
         body->inverse_inertia * other->turn[row] * rows->turn;
}

/* A point of B on a line of A, t.d with t turning with A: a turn of A moves it by -t.(k x (a + d)).
 * Rows that are not there have a 1 on the diagonal. */
FLG_SMALL void place_hold(flg_planar_pair *pair, const flg_planar_pose *a,
                          const flg_planar_pose *b) {
  const flg_planar_point d = apart(a, b, pair->arm[0], pair->arm[1]);
  const flg_planar_point line =
      pair->slides ? planar_step_turn(a, pair->across) : (flg_planar_point){0, 0};
  const double turns = pair->turns ? 1 : 0;
  flg_planar_point first = {pair->slides ? 0 : 1, 0}, second = {0, pair->turns ? 0 : 1};
  pair->side[0] =
      (flg_planar_side){{-line[0], 0}, {-line[1], 0}, {-cross(pair->arm[0] + d, line), -turns}};
  pair->side[1] = (flg_planar_side){{line[0], 0}, {line[1], 0}, {cross(pair->arm[1], line), turns}};
  for (int e = 0; e < 2; e++) {
    const flg_planar_body *body = pair->on[e];
    first += multiply_row(body, &pair->side[e], &pair->side[e], 0);
    second += multiply_row(body, &pair->side[e], &pair->side[e], 1);
  }
  pair->diagonal[0] = first[0], pair->diagonal[1] = first[1], pair->diagonal[2] = second[1];
}

/* rows, and the diagonal of S */
FLG_WIDE_VECTORS
static void place_pairs(const flg_planar *p, bool is_next) {
  flg_planar_pair *pair = p->pairs, *end = pair + p->pair_count;
  for (; pair < end; pair++) {
    const flg_planar_body *a = pair->on[0], *b = pair->on[1];
    pair->arm[0] = is_next ? pair->ahead[0] : planar_step_turn(&a->pose, pair->point[0]);
    pair->arm[1] = is_next ? pair->ahead[1] : planar_step_turn(&b->pose, pair->point[1]);
    if (pair->kind == FLG_PLANAR_MEET) {
      place_coincidence(pair);
    } else {
      place_hold(pair, is_next ? &a->next : &a->pose, is_next ? &b->next : &b->pose);
    }
  }
}

/* --- factors ------------------------------------------------------------------------------------
 */

/* G M^-1 G^T of two pairs on a body, by columns */
FLG_WIDE_VECTORS
static void couple_pairs(const flg_planar *p) {
  const flg_planar_coupling *of = p->couplings, *end = of + p->coupling_count;
  for (; of < end; of++) {
    const flg_planar_body *body = of->body;
    const flg_planar_side *one = of->later, *other = of->earlier;
    flg_planar_point *entry = of->entry, column[2];
    if (of->sign != 0) { /* of two meetings: their displacements are along the same axes */
      const flg_planar_point levers = body->inverse_inertia * one->turn;
      const double free = of->sign * body->inverse_mass;
      column[0] = levers * other->turn[0] + (flg_planar_point){free, 0};
      column[1] = levers * other->turn[1] + (flg_planar_point){0, free};
    } else {
      column[0] = multiply_row(body, one, other, 0), column[1] = multiply_row(body, one, other, 1);
    }
    if (of->adds) column[0] += entry[0], column[1] += entry[1];
    entry[0] = column[0], entry[1] = column[1];
  }
}

/* rows and factors at the start of the step, or at its end; whether rows are independent */
static bool factor_at(flg_planar *p, bool is_next) {
  p->is_factored = false;
  place_pairs(p, is_next);
  for (int k = 0; k < p->fill_count; k++) {
    memset(p->S.entry + 4 * p->fills[k], 0, 4 * sizeof(double));
  }
  couple_pairs(p);
  return flg_sparse_pairs_factor(&p->S, SOUND);
}

static size_t planar_step_bytes_of(const flg_assembly *assembly) {
  return (size_t)assembly->model.position_count * sizeof(double);
}

static void planar_step_keep_factors(flg_planar *p, const flg_assembly *assembly) {
  memcpy(p->factored_q, assembly->state.q, planar_step_bytes_of(assembly));
  p->is_factored = true;
}

/* the factors of the last step serve if it ended here */
static bool factor_planar_start(flg_planar *p, const flg_assembly *assembly) {
  if (p->is_factored &&
      memcmp(p->factored_q, assembly->state.q, planar_step_bytes_of(assembly)) == 0) {
    return true;
  }
  if (!factor_at(p, false)) return false;
  planar_step_keep_factors(p, assembly);
  return true;
}

/* --- right-hand sides ---------------------------------------------------------------------------
 */

/* velocity of the point of B less that of A, where they meet */
FLG_SMALL flg_planar_point part_rate(const flg_planar_pair *pair, const flg_planar_motion *a,
                                     const flg_planar_motion *b) {
  return (b->line - a->line) + (b->turn * pair->side[1].turn + a->turn * pair->side[0].turn);
}

/* (G' v) of a pair: of a line t.d'' + 2 w (k x t).d' - w^2 t.d */
FLG_SMALL flg_planar_point bias_of(const flg_planar_pair *pair, const flg_planar_body *a,
                                   const flg_planar_body *b) {
  const double wa = a->velocity.turn * a->velocity.turn, wb = b->velocity.turn * b->velocity.turn;
  const flg_planar_point swing = wa * pair->arm[0] - wb * pair->arm[1];
  if (pair->kind == FLG_PLANAR_MEET) return swing;
  const flg_planar_point line = {pair->side[1].x[0], pair->side[1].y[0]};
  const flg_planar_point rate = (b->velocity.line + b->velocity.turn * quarter(pair->arm[1])) -
                                (a->velocity.line + a->velocity.turn * quarter(pair->arm[0]));
  const flg_planar_point d = apart(&a->pose, &b->pose, pair->arm[0], pair->arm[1]);
  return (flg_planar_point){
      planar_step_dot(line, swing - wa * d) + 2 * a->velocity.turn * cross(line, rate), 0};
}

FLG_SMALL flg_planar_point planar_step_rate_of(const flg_planar_side *rows,
                                               const flg_planar_motion *v) {
  return rows->x * v->line[0] + rows->y * v->line[1] + rows->turn * v->turn;
}

/* G v of a pair */
FLG_SMALL flg_planar_point rates_of(const flg_planar_pair *pair, const flg_planar_motion *a,
                                    const flg_planar_motion *b) {
  if (pair->kind == FLG_PLANAR_MEET) return part_rate(pair, a, b);
  return planar_step_rate_of(&pair->side[0], a) + planar_step_rate_of(&pair->side[1], b);
}

/* right-hand sides -share G' v, by the velocities at the start */
FLG_WIDE_VECTORS
static void aim_by_bias(const flg_planar *p, double share) {
  const flg_planar_pair *pair = p->pairs, *end = pair + p->pair_count;
  for (; pair < end; pair++) *pair->impulse = -share * bias_of(pair, pair->on[0], pair->on[1]);
}

FLG_SMALL void add_rows(const flg_planar_side *rows, flg_planar_point l, flg_planar_motion *to) {
  to->line += (flg_planar_point){planar_step_dot(rows->x, l), planar_step_dot(rows->y, l)};
  to->turn += planar_step_dot(rows->turn, l);
}

/* solves for the impulses that the right-hand sides ask for; momenta += G^T l */
FLG_WIDE_VECTORS
static void planar_step_push(const flg_planar *p) {
  const flg_planar_pair *pair = p->pairs, *end = pair + p->pair_count;
  flg_sparse_pairs_solve(&p->S, (double *)p->impulses);
  for (; pair < end; pair++) {
    flg_planar_motion *a = &pair->on[0]->momentum, *b = &pair->on[1]->momentum;
    const flg_planar_point l = *pair->impulse;
    if (pair->kind == FLG_PLANAR_MEET) {
      a->line -= l, a->turn += planar_step_dot(pair->side[0].turn, l);
      b->line += l, b->turn += planar_step_dot(pair->side[1].turn, l);
    } else {
      add_rows(&pair->side[0], l, a);
      add_rows(&pair->side[1], l, b);
    }
  }
}

/* less G v of the velocities that momenta have: then impulses, and momenta += G^T l */
FLG_WIDE_VECTORS
static void push_to(const flg_planar *p, bool is_biased) {
  const flg_planar_pair *pair = p->pairs, *end = pair + p->pair_count;
  for (; pair < end; pair++) {
    const flg_planar_point rates = rates_of(pair, &pair->on[0]->velocity, &pair->on[1]->velocity);
    if (is_biased) {
      *pair->impulse -= rates;
    } else {
      *pair->impulse = -rates;
    }
  }
  planar_step_push(p);
}

/* --- the step -----------------------------------------------------------------------------------
 */

FLG_WIDE_VECTORS
static void take_velocities(const flg_planar *p) {
  for (flg_planar_body *body = p->bodies, *end = body + p->body_count; body < end; body++) {
    body->velocity = (flg_planar_motion){body->inverse_mass * body->momentum.line,
                                         body->inverse_inertia * body->momentum.turn};
  }
}

/* the first impulses, with the factors of the start */
FLG_WIDE_VECTORS
static void planar_step_set_off(const flg_planar *p, double h) {
  aim_by_bias(p, h / 2);
  for (flg_planar_body *body = p->bodies, *end = body + p->body_count; body < end; body++) {
    body->velocity.line += h / 2 * body->gravity;
    body->momentum =
        (flg_planar_motion){body->mass * body->velocity.line, body->inertia * body->velocity.turn};
  }
  push_to(p, true);
}

/* half angles of the turn, and what rounding made of their length */
FLG_SMALL bool fly_one(flg_planar_body *body, double h) {
  const double sine = h * body->momentum.turn * body->inverse_inertia;
  if (!(fabs(sine) <= TURNED_MOST)) return false;
  const double cosine = sqrt(1 - sine * sine), c = sqrt((1 + cosine) / 2), s = sine / (2 * c);
  const flg_planar_point half = {body->pose.half_cos, body->pose.half_sin};
  const flg_planar_point to = c * half + s * quarter(half);
  const flg_planar_point scaled = (1.5 - 0.5 * planar_step_dot(to, to)) * to;
  body->next.half_cos = scaled[0], body->next.half_sin = scaled[1];
  body->next.at = body->pose.at + h * body->inverse_mass * body->momentum.line;
  body->turned = sine;
  aim_pose(&body->next);
  return true;
}

FLG_SMALL bool planar_step_fly(const flg_planar *p, double h) {
  for (flg_planar_body *body = p->bodies, *end = body + p->body_count; body < end; body++) {
    if (!fly_one(body, h)) return false;
  }
  return true;
}

/* impulses at the start such that the free step ends on all joints */
FLG_WIDE_VECTORS
static bool close_planar_step(const flg_planar *p, double length, double h) {
  double before = INFINITY;
  for (int k = 0; k < CORRECTIONS_MAX; k++) {
    if (!planar_step_fly(p, h)) return false;
    const double left = measure_all(p, length);
    if (left <= CLOSED) return true;
    if (!(left < SLOWEST * before)) return false;
    before = left;
    for (int i = 0; i < p->pair_count; i++) p->impulses[i] *= -1 / h;
    planar_step_push(p);
  }
  return false;
}

/* the second half, with the factors of the end */
FLG_WIDE_VECTORS
static void planar_step_arrive(const flg_planar *p, double h) {
  for (flg_planar_body *body = p->bodies, *end = body + p->body_count; body < end; body++) {
    body->momentum.line += h / 2 * body->mass * body->gravity;
  }
  take_velocities(p);
  push_to(p, false);
  take_velocities(p);
}

/* of joints in this step, as parts/bodies_free_step.c has it */
FLG_WIDE_VECTORS
static flg_part_work planar_step_work_of(const flg_planar *p, double h) {
  flg_part_work work = {.least = p->least};
  for (const flg_planar_body *body = p->bodies, *end = body + p->body_count; body < end; body++) {
    const flg_planar_motion v = body->from, w = body->velocity;
    const double m = body->mass / 2, inertia = body->inertia / 2;
    const double before = inertia * v.turn * v.turn, after = inertia * w.turn * w.turn;
    work.joints +=
        m * planar_step_dot(w.line - v.line - h * body->gravity, v.line + w.line) + after - before;
    work.before += m * planar_step_dot(v.line, v.line) + before;
    work.after += m * planar_step_dot(w.line, w.line) + after;
  }
  return work;
}

bool flg_planar_interpret(flg_assembly *assembly, double h, flg_part_work *work) {
  flg_planar *p = assembly->model.planar;
  if (!planar_step_load(p, assembly) || !factor_planar_start(p, assembly)) return false;
  planar_step_set_off(p, h);
  if (!close_planar_step(p, assembly->model.length, h)) return false;
  planar_step_settle(p);
  if (!factor_at(p, true)) return false;
  planar_step_arrive(p, h);
  *work = planar_step_work_of(p, h);
  if (!(work->after <= DBL_MAX)) return false;
  planar_step_store(p, assembly);
  planar_step_keep_factors(p, assembly);
  return true;
}

bool flg_planar_step(flg_assembly *assembly, double time, double h) {
  flg_part_work work;
  if (assembly->model.planar == NULL || assembly->model.code.step != NULL ||
      flg_assembly_is_asked(assembly) || !flg_planar_interpret(assembly, h, &work)) {
    return false;
  }
  flg_assembly_note_work(assembly, &work, time, h);
  return true;
}
