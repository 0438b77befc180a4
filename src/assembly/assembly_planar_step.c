/* Rattle in the plane (assembly_rattle.c has the equations). Bodies turn about a principal axis, so
 * that the turn of a step has a closed form, sin(angle) = h L / I. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "assembly/assembly_planar.h"
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

static void aim_pose(flg_planar_pose *pose) {
  pose->cos = pose->half_cos * pose->half_cos - pose->half_sin * pose->half_sin;
  pose->sin = 2 * pose->half_cos * pose->half_sin;
}

/* a vector in the axes of the plane */
static flg_vec3 see(const flg_planar *p, const double v[3]) {
  if (p->aligned == 2) return (flg_vec3){v[0], v[1], v[2]};
  if (p->aligned == 1) return (flg_vec3){v[2], v[0], v[1]};
  if (p->aligned == 0) return (flg_vec3){v[1], v[2], v[0]};
  const flg_vec3 of = flg_vec3_load(v);
  return (flg_vec3){flg_vec3_dot(p->axis[0], of), flg_vec3_dot(p->axis[1], of),
                    flg_vec3_dot(p->axis[2], of)};
}

static void show(const flg_planar *p, flg_vec3 v, double to[3]) {
  if (p->aligned == 2) {
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
  } else if (p->aligned == 1) {
    to[2] = v.x, to[0] = v.y, to[1] = v.z;
  } else if (p->aligned == 0) {
    to[1] = v.x, to[2] = v.y, to[0] = v.z;
  } else {
    const flg_vec3 flat = flg_vec3_add_scaled(flg_vec3_scale(p->axis[0], v.x), v.y, p->axis[1]);
    flg_vec3_store(flg_vec3_add_scaled(flat, v.z, p->axis[2]), to);
  }
}

/* turn = (cos, n sin) of half the angle, times that of angle zero */
static void load_pose(const flg_planar *p, const double *q, flg_planar_body *body, flatness *seen) {
  flg_quat turn = {q[3], q[4], q[5], q[6]};
  if (!body->is_plain) turn = flg_quat_multiply(turn, flg_quat_conjugate(body->zero));
  const double vector[3] = {turn.x, turn.y, turn.z};
  const flg_vec3 at = see(p, q), about = see(p, vector);
  body->pose.at = (flg_point){at.x, at.y};
  body->pose.half_cos = turn.w, body->pose.half_sin = about.z;
  aim_pose(&body->pose);
  seen->tilt += about.x * about.x + about.y * about.y;
  seen->height += (at.z - body->height) * (at.z - body->height);
}

static void load_velocity(const flg_planar *p, const double *v, flg_planar_body *body,
                          flatness *seen) {
  const flg_vec3 speed = see(p, v), spin = see(p, v + 3);
  body->from = body->velocity = (flg_planar_motion){speed.x, speed.y, spin.z};
  seen->speed += speed.x * speed.x + speed.y * speed.y + spin.z * spin.z;
  seen->lift += speed.z * speed.z + spin.x * spin.x + spin.y * spin.y;
}

/* whether it is flat */
static bool load(const flg_planar *p, const flg_assembly *assembly) {
  flatness seen = {0};
  for (int k = 0; k < p->body_count; k++) {
    load_pose(p, assembly->state.q + FLG_BODY_POSITIONS * k, &p->bodies[k], &seen);
    load_velocity(p, assembly->state.v + FLG_BODY_VELOCITIES * k, &p->bodies[k], &seen);
  }
  const double most = FLAT * FLAT, length = assembly->model.length;
  return seen.lift <= most * seen.speed && seen.tilt <= most * p->body_count &&
         seen.height <= most * length * length && seen.speed <= DBL_MAX;
}

static void store_body(const flg_planar *p, const flg_planar_body *body, double *q, double *v) {
  const flg_planar_pose *at = &body->next;
  double about[3];
  show(p, (flg_vec3){0, 0, at->half_sin}, about);
  flg_quat turn = {at->half_cos, about[0], about[1], about[2]};
  if (!body->is_plain) turn = flg_quat_multiply(turn, body->zero);
  show(p, (flg_vec3){at->at.x, at->at.y, body->height}, q);
  q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
  show(p, (flg_vec3){body->velocity.x, body->velocity.y, 0}, v);
  show(p, (flg_vec3){0, 0, body->velocity.turn}, v + 3);
}

static void store(const flg_planar *p, flg_assembly *assembly) {
  for (int k = 0; k < p->body_count; k++) {
    p->bodies[k].sine = asin(p->bodies[k].sine);
    store_body(p, &p->bodies[k], assembly->state.q + FLG_BODY_POSITIONS * k,
               assembly->state.v + FLG_BODY_VELOCITIES * k);
  }
  double *angles = assembly->state.angles;
  for (int k = 0; k < p->angle_count; k++) {
    const int *of = p->angle_bodies + 2 * k;
    angles[k] += p->angle_sense[k] * (p->bodies[of[1]].sine - p->bodies[of[0]].sine);
  }
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static flg_point turn(const flg_planar_pose *pose, flg_point p) {
  return (flg_point){pose->cos * p.x - pose->sin * p.y, pose->sin * p.x + pose->cos * p.y};
}

static double cross(flg_point a, flg_point b) {
  return a.x * b.y - a.y * b.x;
}

static double dot(flg_point a, flg_point b) {
  return a.x * b.x + a.y * b.y;
}

/* from the point of A to that of B */
static flg_point apart(const flg_planar_pose *a, const flg_planar_pose *b, flg_point arm_a,
                       flg_point arm_b) {
  return (flg_point){(b->at.x + arm_b.x) - (a->at.x + arm_a.x),
                     (b->at.y + arm_b.y) - (a->at.y + arm_a.y)};
}

static double larger(double a, double b) {
  return b <= a ? a : b; /* NaN stays */
}

/* what is left of a pair at the end of the flight; the largest of displacements over the length,
 * and of turns */
static double measure(const flg_planar *p, const flg_planar_pair *pair, double length, double *to) {
  const flg_planar_pose *a = &p->bodies[pair->body[0]].next, *b = &p->bodies[pair->body[1]].next;
  const flg_point d = apart(a, b, turn(a, pair->point[0]), turn(b, pair->point[1]));
  if (pair->kind == FLG_PLANAR_MEET) {
    to[0] = d.x, to[1] = d.y;
    return larger(fabs(d.x), fabs(d.y)) / length;
  }
  to[0] = pair->slides ? dot(turn(a, pair->across), d) : 0;
  to[1] = pair->turns ? cross(turn(a, pair->facing[0]), turn(b, pair->facing[1])) : 0;
  return larger(fabs(to[0]) / length, fabs(to[1]));
}

static double measure_all(const flg_planar *p, double length) {
  double most = 0;
  for (int k = 0; k < p->pair_count; k++) {
    const flg_planar_pair *pair = &p->pairs[k];
    most = larger(most, measure(p, pair, length, p->impulse + 2 * pair->place));
  }
  return most;
}

/* two points: all of one row is in x, and of the other in y, but for turns */
static void place_meeting(const flg_planar *p, flg_planar_pair *pair) {
  const flg_planar_body *a = &p->bodies[pair->body[0]], *b = &p->bodies[pair->body[1]];
  double *d = p->S.diagonal + 3 * pair->place;
  const flg_point one = pair->arm[0], other = pair->arm[1];
  const double free = a->inverse_mass + b->inverse_mass;
  const flg_point lever[2] = {{a->inverse_inertia * one.x, a->inverse_inertia * one.y},
                              {b->inverse_inertia * other.x, b->inverse_inertia * other.y}};
  pair->side[0].row[0] = (flg_planar_motion){-1, 0, one.y};
  pair->side[0].row[1] = (flg_planar_motion){0, -1, -one.x};
  pair->side[1].row[0] = (flg_planar_motion){1, 0, -other.y};
  pair->side[1].row[1] = (flg_planar_motion){0, 1, other.x};
  d[0] = free + lever[0].y * one.y + lever[1].y * other.y;
  d[1] = -(lever[0].x * one.y + lever[1].x * other.y);
  d[2] = free + lever[0].x * one.x + lever[1].x * other.x;
}

/* r . M^-1 s of a body */
static double product(const flg_planar_body *body, const flg_planar_motion *r,
                      const flg_planar_motion *s) {
  return body->inverse_mass * (r->x * s->x + r->y * s->y) +
         body->inverse_inertia * r->turn * s->turn;
}

/* A point of B on a line of A, t.d with t turning with A: a turn of A moves it by -t.(k x (a + d)).
 * Rows that are not there have a 1 on the diagonal. */
static void place_hold(const flg_planar *p, flg_planar_pair *pair, const flg_planar_pose *a,
                       const flg_planar_pose *b) {
  const flg_point d = apart(a, b, pair->arm[0], pair->arm[1]), line = turn(a, pair->across);
  const flg_point reach = {pair->arm[0].x + d.x, pair->arm[0].y + d.y};
  double *diagonal = p->S.diagonal + 3 * pair->place;
  const flg_planar_motion none = {0, 0, 0};
  pair->side[0].row[0] = pair->side[1].row[0] = none;
  pair->side[0].row[1] = (flg_planar_motion){0, 0, pair->turns ? -1 : 0};
  pair->side[1].row[1] = (flg_planar_motion){0, 0, pair->turns ? 1 : 0};
  if (pair->slides) {
    pair->side[0].row[0] = (flg_planar_motion){-line.x, -line.y, -cross(reach, line)};
    pair->side[1].row[0] = (flg_planar_motion){line.x, line.y, cross(pair->arm[1], line)};
  }
  diagonal[0] = pair->slides ? 0 : 1, diagonal[1] = 0, diagonal[2] = pair->turns ? 0 : 1;
  for (int e = 0; e < 2; e++) {
    const flg_planar_body *body = &p->bodies[pair->body[e]];
    const flg_planar_motion *row = pair->side[e].row;
    diagonal[0] += product(body, &row[0], &row[0]);
    diagonal[1] += product(body, &row[0], &row[1]);
    diagonal[2] += product(body, &row[1], &row[1]);
  }
}

/* rows, and the diagonal of S */
static void place_pairs(const flg_planar *p, bool is_next) {
  for (int k = 0; k < p->pair_count; k++) {
    flg_planar_pair *pair = &p->pairs[k];
    const flg_planar_body *a = &p->bodies[pair->body[0]], *b = &p->bodies[pair->body[1]];
    const flg_planar_pose *at[2] = {is_next ? &a->next : &a->pose, is_next ? &b->next : &b->pose};
    pair->arm[0] = turn(at[0], pair->point[0]), pair->arm[1] = turn(at[1], pair->point[1]);
    if (pair->kind == FLG_PLANAR_MEET) {
      place_meeting(p, pair);
    } else {
      place_hold(p, pair, at[0], at[1]);
    }
  }
}

/* --- factors ------------------------------------------------------------------------------------
 */

/* G M^-1 G^T of two pairs on a body */
static void multiply(const flg_planar_body *body, const flg_planar_side *later,
                     const flg_planar_side *earlier, double to[4]) {
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      to[2 * i + j] = product(body, &later->row[i], &earlier->row[j]);
    }
  }
}

/* the same of two meetings: their displacements are along the same axes */
static void multiply_meetings(const flg_planar_body *body, const flg_planar_side *later,
                              const flg_planar_side *earlier, double to[4]) {
  const double free = later->row[0].x * earlier->row[0].x * body->inverse_mass;
  const double first = body->inverse_inertia * later->row[0].turn;
  const double second = body->inverse_inertia * later->row[1].turn;
  to[0] = free + first * earlier->row[0].turn;
  to[1] = first * earlier->row[1].turn;
  to[2] = second * earlier->row[0].turn;
  to[3] = free + second * earlier->row[1].turn;
}

static void couple_pairs(const flg_planar *p) {
  for (int k = 0; k < p->coupling_count; k++) {
    const flg_planar_coupling *of = &p->couplings[k];
    const flg_planar_pair *later = &p->pairs[of->later], *earlier = &p->pairs[of->earlier];
    const flg_planar_side *one = &later->side[of->later_end];
    const flg_planar_side *other = &earlier->side[of->earlier_end];
    double *entry = p->S.entry + 4 * of->entry, share[4];
    if (later->kind == FLG_PLANAR_MEET && earlier->kind == FLG_PLANAR_MEET) {
      multiply_meetings(&p->bodies[of->body], one, other, share);
    } else {
      multiply(&p->bodies[of->body], one, other, share);
    }
    for (int i = 0; i < 4; i++) entry[i] = of->adds ? entry[i] + share[i] : share[i];
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

static size_t bytes_of(const flg_assembly *assembly) {
  return (size_t)assembly->model.position_count * sizeof(double);
}

static void keep_factors(flg_planar *p, const flg_assembly *assembly) {
  memcpy(p->factored_q, assembly->state.q, bytes_of(assembly));
  p->is_factored = true;
}

/* the factors of the last step serve if it ended here */
static bool factor_start(flg_planar *p, const flg_assembly *assembly) {
  if (p->is_factored && memcmp(p->factored_q, assembly->state.q, bytes_of(assembly)) == 0) {
    return true;
  }
  if (!factor_at(p, false)) return false;
  keep_factors(p, assembly);
  return true;
}

/* --- right-hand sides ---------------------------------------------------------------------------
 */

/* velocity of the point of B less that of A */
static flg_point part_rate(const flg_planar_pair *pair, const flg_planar_motion *a,
                           const flg_planar_motion *b) {
  return (flg_point){(b->x - b->turn * pair->arm[1].y) - (a->x - a->turn * pair->arm[0].y),
                     (b->y + b->turn * pair->arm[1].x) - (a->y + a->turn * pair->arm[0].x)};
}

/* (G' v) of a pair: of a line t.d'' + 2 w (k x t).d' - w^2 t.d */
static flg_point bias_of(const flg_planar_pair *pair, const flg_planar_body *a,
                         const flg_planar_body *b) {
  const double wa = a->velocity.turn * a->velocity.turn, wb = b->velocity.turn * b->velocity.turn;
  const flg_point swing = {wa * pair->arm[0].x - wb * pair->arm[1].x,
                           wa * pair->arm[0].y - wb * pair->arm[1].y};
  if (pair->kind == FLG_PLANAR_MEET) return swing;
  const flg_point line = {pair->side[1].row[0].x, pair->side[1].row[0].y};
  const flg_point rate = part_rate(pair, &a->velocity, &b->velocity);
  const flg_point d = apart(&a->pose, &b->pose, pair->arm[0], pair->arm[1]);
  return (flg_point){
      dot(line, swing) + 2 * a->velocity.turn * cross(line, rate) - wa * dot(line, d), 0};
}

static double rate_of(const flg_planar_motion *row, const flg_planar_motion *v) {
  return row->x * v->x + row->y * v->y + row->turn * v->turn;
}

/* G v of a pair */
static flg_point rates_of(const flg_planar_pair *pair, const flg_planar_motion *a,
                          const flg_planar_motion *b) {
  if (pair->kind == FLG_PLANAR_MEET) return part_rate(pair, a, b);
  return (flg_point){rate_of(&pair->side[0].row[0], a) + rate_of(&pair->side[1].row[0], b),
                     rate_of(&pair->side[0].row[1], a) + rate_of(&pair->side[1].row[1], b)};
}

/* -share G' v - G u: u, velocities that momenta have */
static void aim(const flg_planar *p, double share) {
  for (int k = 0; k < p->pair_count; k++) {
    const flg_planar_pair *pair = &p->pairs[k];
    const flg_planar_body *a = &p->bodies[pair->body[0]], *b = &p->bodies[pair->body[1]];
    const flg_point bias = bias_of(pair, a, b);
    const flg_planar_motion u = {a->inverse_mass * a->momentum.x, a->inverse_mass * a->momentum.y,
                                 a->inverse_inertia * a->momentum.turn};
    const flg_planar_motion w = {b->inverse_mass * b->momentum.x, b->inverse_mass * b->momentum.y,
                                 b->inverse_inertia * b->momentum.turn};
    const flg_point rate = rates_of(pair, &u, &w);
    double *to = p->impulse + 2 * pair->place;
    to[0] = -share * bias.x - rate.x, to[1] = -share * bias.y - rate.y;
  }
}

static void aim_at_rest(const flg_planar *p) {
  for (int k = 0; k < p->pair_count; k++) {
    const flg_planar_pair *pair = &p->pairs[k];
    const flg_point rate =
        rates_of(pair, &p->bodies[pair->body[0]].velocity, &p->bodies[pair->body[1]].velocity);
    p->impulse[2 * pair->place] = -rate.x, p->impulse[2 * pair->place + 1] = -rate.y;
  }
}

static void add_row(const flg_planar_motion *row, double factor, flg_planar_motion *to) {
  to->x += factor * row->x, to->y += factor * row->y, to->turn += factor * row->turn;
}

/* solves for the impulses that the right-hand sides ask for; momenta += G^T l */
static void push(const flg_planar *p) {
  flg_sparse_pairs_solve(&p->S, p->impulse);
  for (int k = 0; k < p->pair_count; k++) {
    const flg_planar_pair *pair = &p->pairs[k];
    flg_planar_motion *a = &p->bodies[pair->body[0]].momentum;
    flg_planar_motion *b = &p->bodies[pair->body[1]].momentum;
    const double *l = p->impulse + 2 * pair->place;
    if (pair->kind == FLG_PLANAR_MEET) {
      const flg_point force = {l[0], l[1]};
      a->x -= force.x, a->y -= force.y, a->turn -= cross(pair->arm[0], force);
      b->x += force.x, b->y += force.y, b->turn += cross(pair->arm[1], force);
      continue;
    }
    for (int i = 0; i < 2; i++) {
      add_row(&pair->side[0].row[i], l[i], a);
      add_row(&pair->side[1].row[i], l[i], b);
    }
  }
}

/* --- the step -----------------------------------------------------------------------------------
 */

/* the first impulses, with the factors of the start */
static void set_off(const flg_planar *p, double h) {
  for (int k = 0; k < p->body_count; k++) {
    flg_planar_body *body = &p->bodies[k];
    const double m = body->mass;
    body->momentum = (flg_planar_motion){m * (body->velocity.x + h / 2 * body->gravity.x),
                                         m * (body->velocity.y + h / 2 * body->gravity.y),
                                         body->inertia * body->velocity.turn};
  }
  aim(p, h / 2);
  push(p);
}

/* half angles of the turn, and what rounding made of their length */
static bool fly_one(flg_planar_body *body, double h) {
  const double sine = h * body->momentum.turn * body->inverse_inertia;
  if (!(fabs(sine) <= TURNED_MOST)) return false;
  const double cosine = sqrt(1 - sine * sine), c = sqrt((1 + cosine) / 2), s = sine / (2 * c);
  const double at_c = body->pose.half_cos, at_s = body->pose.half_sin;
  const double to_c = at_c * c - at_s * s, to_s = at_s * c + at_c * s;
  const double scale = 1.5 - 0.5 * (to_c * to_c + to_s * to_s), way = h * body->inverse_mass;
  body->next.half_cos = scale * to_c, body->next.half_sin = scale * to_s;
  body->next.at.x = body->pose.at.x + way * body->momentum.x;
  body->next.at.y = body->pose.at.y + way * body->momentum.y;
  body->sine = sine;
  aim_pose(&body->next);
  return true;
}

static bool fly(const flg_planar *p, double h) {
  for (int k = 0; k < p->body_count; k++) {
    if (!fly_one(&p->bodies[k], h)) return false;
  }
  return true;
}

/* impulses at the start such that the flight ends on all joints */
static bool close_flight(const flg_planar *p, double length, double h) {
  double before = INFINITY;
  for (int k = 0; k < CORRECTIONS_MAX; k++) {
    if (!fly(p, h)) return false;
    const double left = measure_all(p, length);
    if (left <= CLOSED) return true;
    if (!(left < SLOWEST * before)) return false;
    before = left;
    for (int i = 0; i < 2 * p->pair_count; i++) p->impulse[i] *= -1 / h;
    push(p);
  }
  return false;
}

static void take_velocities(const flg_planar *p) {
  for (int k = 0; k < p->body_count; k++) {
    flg_planar_body *body = &p->bodies[k];
    const flg_planar_motion m = body->momentum;
    body->velocity = (flg_planar_motion){body->inverse_mass * m.x, body->inverse_mass * m.y,
                                         body->inverse_inertia * m.turn};
  }
}

/* the second half, with the factors of the end */
static void arrive(const flg_planar *p, double h) {
  for (int k = 0; k < p->body_count; k++) {
    flg_planar_body *body = &p->bodies[k];
    body->momentum.x += body->mass * (h / 2) * body->gravity.x;
    body->momentum.y += body->mass * (h / 2) * body->gravity.y;
  }
  take_velocities(p);
  aim_at_rest(p);
  push(p);
  take_velocities(p);
}

/* of joints in this step, as parts/bodies_flight.c has it */
static flg_part_work work_of(const flg_planar *p, double h) {
  flg_part_work work = {0};
  for (int k = 0; k < p->body_count; k++) {
    const flg_planar_body *body = &p->bodies[k];
    const double m = body->mass, inertia = body->inertia;
    const flg_planar_motion v = body->from, w = body->velocity;
    const flg_point fall = body->gravity;
    work.joints +=
        m / 2 * ((w.x - v.x - h * fall.x) * (v.x + w.x) + (w.y - v.y - h * fall.y) * (v.y + w.y)) +
        inertia / 2 * (w.turn - v.turn) * (v.turn + w.turn);
    work.least += 4 * m * (fall.x * fall.x + fall.y * fall.y);
    work.before += (m * (v.x * v.x + v.y * v.y) + inertia * v.turn * v.turn) / 2;
    work.after += (m * (w.x * w.x + w.y * w.y) + inertia * w.turn * w.turn) / 2;
  }
  return work;
}

bool flg_planar_step(flg_assembly *assembly, double time, double h) {
  flg_planar *p = assembly->model.planar;
  if (p == NULL || assembly->model.watch_count > 0 || assembly->model.pressure_count > 0) {
    return false;
  }
  if (!load(p, assembly) || !factor_start(p, assembly)) return false;
  set_off(p, h);
  if (!close_flight(p, assembly->model.length, h) || !factor_at(p, true)) return false;
  arrive(p, h);
  const flg_part_work work = work_of(p, h);
  if (!(work.after <= DBL_MAX)) return false;
  store(p, assembly);
  keep_factors(p, assembly);
  flg_assembly_note_work(assembly, &work, time, h);
  return true;
}
