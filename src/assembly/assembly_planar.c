/* Which assemblies move in a plane, and what they are there. */
#include "assembly/assembly_planar.h"

#include <math.h>

#include "math/larger.h"
#include "parts/bodies.h"

/* Directions and principal axes are judged to rounding: files give them with all digits, or the
 * mechanism is one in space. */
static const double PARALLEL = 1e-13;

typedef struct builder {
  flg_assembly *assembly;
  const flg_bodies *bodies;
  flg_planar *made;
  int *group;   /* (bodies + 1) of bodies that are held flat by each other, by union and find */
  flg_pose *at; /* (bodies) at the start */
  int *near;    /* of pairs on one body, times two */
  int near_count;
} builder;

static void find_poses(builder *b) {
  for (int k = 0; k < b->made->body_count; k++) {
    const double *q = b->assembly->state.q + b->bodies->parts.position + FLG_BODY_POSITIONS * k;
    const flg_quat turn = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
    b->at[k] = (flg_pose){flg_quat_to_matrix(turn), flg_vec3_load(q)};
  }
}

static void *planar_take(builder *b, int count, size_t element) {
  return flg_region_take(&b->assembly->model.region, (size_t)count, element);
}

/* --- directions ---------------------------------------------------------------------------------
 */

static bool is_along(const builder *b, flg_vec3 direction) {
  return flg_vec3_norm(flg_vec3_cross(direction, b->made->axis[2])) <= PARALLEL;
}

static bool is_across(const builder *b, flg_vec3 direction) {
  return fabs(flg_vec3_dot(direction, b->made->axis[2])) <= PARALLEL;
}

static flg_planar_point planar_flatten(const builder *b, flg_vec3 v) {
  return (flg_planar_point){flg_vec3_dot(b->made->axis[0], v), flg_vec3_dot(b->made->axis[1], v)};
}

/* the same, of a body: in its own axes where its angle is zero */
static flg_planar_point unturn(const builder *b, int body, flg_vec3 v) {
  if (body == b->made->body_count) return planar_flatten(b, v);
  const flg_quat zero = b->made->bodies[body].zero;
  const flg_vec3 own = flg_mat3_apply_transposed(&b->at[body].rotation, v);
  return planar_flatten(b, flg_quat_rotate(zero, own));
}

static flg_pose frame_of(const builder *b, const flg_part_anchor *anchor) {
  return anchor->on == NULL ? anchor->pose : flg_pose_compose(&b->at[anchor->part], &anchor->pose);
}

static int planar_body_of(const builder *b, const flg_part_anchor *anchor) {
  return anchor->on == NULL ? b->made->body_count : anchor->part;
}

/* axes of the world where they will do: numbers out of the plane are then zero to the last bit */
static void find_axes(builder *b, flg_vec3 n) {
  flg_vec3 *axis = b->made->axis;
  static const flg_vec3 world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int most = 0;
  const double parts[3] = {fabs(n.x), fabs(n.y), fabs(n.z)};
  for (int k = 1; k < 3; k++) {
    if (parts[k] > parts[most]) most = k;
  }
  axis[2] = flg_vec3_normalise(n);
  if (flg_vec3_norm(flg_vec3_cross(n, world[most])) <= PARALLEL) {
    b->made->is_aligned = true;
    for (int k = 0; k < 3; k++) {
      b->made->number[k] = (most + 1 + k) % 3;
      axis[k] = world[b->made->number[k]];
    }
    return;
  }
  axis[0] = flg_vec3_normalise(flg_vec3_cross(world[(most + 1) % 3], axis[2]));
  axis[1] = flg_vec3_cross(axis[2], axis[0]);
}

/* it turns about an axis, or lies flat on a plane */
static bool has_normal(const flg_row_set *row_set) {
  return row_set->kind == FLG_CONSTRAINT_REVOLUTE || row_set->kind == FLG_CONSTRAINT_PLANAR;
}

/* of the first joint that has one */
static bool find_normal(builder *b) {
  for (int k = 0; k < b->assembly->model.joint_count; k++) {
    const flg_row_set *row_set = &b->assembly->model.row_sets[k];
    if (!has_normal(row_set) || row_set->rows == 0) continue;
    const flg_pose frame = frame_of(b, &row_set->anchor[0]);
    find_axes(b, flg_mat3_column(&frame.rotation, 2));
    return true;
  }
  return false;
}

/* --- bodies -------------------------------------------------------------------------------------
 */

/* what is turned about n alone counts its angle from the axes of the world */
static bool is_turned_about(flg_vec3 n, flg_quat turn) {
  return flg_vec3_norm(flg_vec3_cross((flg_vec3){turn.x, turn.y, turn.z}, n)) == 0;
}

static bool planar_add_body(builder *b, int index) {
  const flg_rigid_body *rigid_body = &b->bodies->rigid_bodies[index];
  const double *q = b->assembly->state.q + b->bodies->parts.position + FLG_BODY_POSITIONS * index;
  const flg_quat turn = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
  const flg_vec3 n = b->made->axis[2];
  const flg_pose *at = &b->at[index];
  const flg_sym3 inertia = flg_sym3_rotate(rigid_body->inertia, &at->rotation);
  const flg_vec3 spun = flg_sym3_apply(inertia, n);
  const double about = flg_vec3_dot(n, spun), all = inertia.xx + inertia.yy + inertia.zz;
  if (!(flg_vec3_norm(flg_vec3_cross(n, spun)) <= PARALLEL * all)) return false;
  const bool is_plain = b->made->is_aligned && is_turned_about(n, turn);
  b->made->bodies[index] = (flg_planar_body){.mass = rigid_body->mass,
                                             .inertia = about,
                                             .inverse_mass = 1 / rigid_body->mass,
                                             .inverse_inertia = 1 / about,
                                             .gravity = planar_flatten(b, rigid_body->gravity),
                                             .height = flg_vec3_dot(n, at->position),
                                             .is_plain = is_plain,
                                             .zero = is_plain ? flg_quat_identity() : turn};
  const flg_planar_point fall = b->made->bodies[index].gravity;
  b->made->least += 4 * rigid_body->mass * (fall[0] * fall[0] + fall[1] * fall[1]);
  return true;
}

/* --- joints -------------------------------------------------------------------------------------
 */

static int leader(const builder *b, int body) {
  int *group = b->group;
  while (group[body] != body) body = group[body] = group[group[body]];
  return body;
}

static void hold_flat(builder *b, int one, int other) {
  const int low = leader(b, one), high = leader(b, other);
  if (low != high) b->group[low < high ? low : high] = low < high ? high : low; /* ground is last */
}

/* A joint in the plane: its rows there, and whether it blocks all motions out of the plane. */
typedef struct reduction {
  bool is_known, is_flat;
  bool meets, slides, turns;
  flg_vec3 across;
} reduction;

/* with its axis along n */
static reduction reduce_upright(unsigned holds) {
  return (reduction){.is_known = true,
                     .meets = (holds & (FLG_HOLDS_ACROSS | FLG_HOLDS_POINT)) != 0,
                     .turns = (holds & FLG_HOLDS_TWIST) != 0,
                     .is_flat = (holds & FLG_HOLDS_ALONG) != 0 && (holds & FLG_HOLDS_UPRIGHT) != 0};
}

/* with its axis z in the plane */
static reduction reduce_lying(unsigned holds, flg_vec3 n, flg_vec3 z) {
  const bool is_line = (holds & FLG_HOLDS_ACROSS) != 0, is_wall = (holds & FLG_HOLDS_ALONG) != 0;
  const bool turns = (holds & FLG_HOLDS_UPRIGHT) != 0;
  return (reduction){.is_known = true,
                     .meets = is_line && is_wall,
                     .slides = is_line != is_wall,
                     .turns = turns,
                     .across = is_line ? flg_vec3_cross(n, z) : z,
                     .is_flat = is_line && turns && (holds & FLG_HOLDS_TWIST) != 0};
}

static reduction reduce_joint(const builder *b, const flg_row_set *row_set, const flg_pose at[2]) {
  const reduction no = {.is_known = false};
  const flg_constraint_traits *traits = &flg_constraint_kinds[row_set->kind];
  if (traits->sums || traits->holds == 0 || (traits->holds & FLG_HOLDS_CROSS) != 0) return no;
  if (traits->holds == FLG_HOLDS_POINT) return reduce_upright(traits->holds);
  const flg_vec3 z = flg_mat3_column(&at[0].rotation, 2),
                 other = flg_mat3_column(&at[1].rotation, 2);
  const bool needs_other = (traits->holds & (FLG_HOLDS_UPRIGHT | FLG_HOLDS_TWIST)) != 0;
  if (is_along(b, z)) {
    return needs_other && !is_along(b, other) ? no : reduce_upright(traits->holds);
  }
  if (!is_across(b, z)) return no;
  return needs_other && !is_across(b, other) ? no
                                             : reduce_lying(traits->holds, b->made->axis[2], z);
}

/* Rows out of the plane are closed at the start: nothing else will close them. Of those along n. */
static bool is_level(const builder *b, const flg_pose at[2]) {
  const flg_vec3 apart = flg_vec3_subtract(at[1].position, at[0].position);
  const double most = PARALLEL * b->assembly->model.length;
  return fabs(flg_vec3_dot(b->made->axis[2], apart)) <= most;
}

static bool holds_height(const flg_row_set *row_set, bool is_upright) {
  const unsigned holds = flg_constraint_kinds[row_set->kind].holds;
  return (holds & (FLG_HOLDS_POINT | (is_upright ? FLG_HOLDS_ALONG : FLG_HOLDS_ACROSS))) != 0;
}

/* a point of a body from its centre; of the ground from the origin */
static flg_planar_point point_on(const builder *b, int body, flg_vec3 at) {
  if (body == b->made->body_count) return planar_flatten(b, at);
  return unturn(b, body, flg_vec3_subtract(at, b->at[body].position));
}

static flg_planar_pair *add_pair(builder *b, flg_planar_kind kind, const int body[2],
                                 const flg_pose at[2]) {
  flg_planar_pair *pair = &b->made->pairs[b->made->pair_count++];
  *pair = (flg_planar_pair){.kind = kind, .body = {body[0], body[1]}};
  for (int e = 0; e < 2; e++) {
    const double sign = kind != FLG_PLANAR_MEET ? 0 : e == 0 ? -1 : 1;
    pair->point[e] = point_on(b, body[e], at[e].position);
    pair->side[e] = (flg_planar_side){.x = {sign, 0}, .y = {0, sign}};
  }
  return pair;
}

static void add_hold(builder *b, const reduction *to, const int body[2], const flg_pose at[2],
                     int axis) {
  flg_planar_pair *pair = add_pair(b, FLG_PLANAR_HOLD, body, at);
  pair->slides = to->slides, pair->turns = to->turns;
  pair->across = unturn(b, body[0], to->across);
  for (int e = 0; e < 2; e++) {
    pair->facing[e] = unturn(b, body[e], flg_mat3_column(&at[e].rotation, axis));
  }
}

static bool planar_add_joint(builder *b, int index) {
  const flg_row_set *row_set = &b->assembly->model.row_sets[index];
  if (row_set->rows == 0) return true; /* it is left out */
  const flg_pose at[2] = {frame_of(b, &row_set->anchor[0]), frame_of(b, &row_set->anchor[1])};
  const int body[2] = {planar_body_of(b, &row_set->anchor[0]),
                       planar_body_of(b, &row_set->anchor[1])};
  const reduction to = reduce_joint(b, row_set, at);
  const bool is_upright = is_along(b, flg_mat3_column(&at[0].rotation, 2));
  if (!to.is_known || body[0] == body[1]) return false;
  if (holds_height(row_set, is_upright) && !is_level(b, at)) return false;
  if (to.meets) add_pair(b, FLG_PLANAR_MEET, body, at);
  if (to.slides || to.turns) add_hold(b, &to, body, at, is_upright ? 0 : 2);
  if (to.is_flat) hold_flat(b, body[0], body[1]);
  b->made->rows += 2 * to.meets + to.slides + to.turns;
  return true;
}

/* --- S ------------------------------------------------------------------------------------------
 */

/* pairs on each body, in lists: ends are pair * 2 + end */
typedef struct end_lists {
  int *first, *end; /* (bodies + 2), (pairs) times two */
} end_lists;

static end_lists list_ends(const builder *b, flg_region *work) {
  const flg_planar *p = b->made;
  end_lists lists = {flg_region_take(work, (size_t)p->body_count + 2, sizeof(int)),
                     flg_region_take(work, 2 * (size_t)p->pair_count, sizeof(int))};
  int *next = flg_region_take(work, (size_t)p->body_count + 1, sizeof(int));
  if (work->failed) return lists;
  for (int k = 0; k < 2 * p->pair_count; k++) lists.first[p->pairs[k / 2].body[k % 2] + 1]++;
  for (int k = 0; k <= p->body_count; k++) {
    next[k] = lists.first[k];
    lists.first[k + 1] += lists.first[k];
  }
  for (int k = 0; k < 2 * p->pair_count; k++) lists.end[next[p->pairs[k / 2].body[k % 2]]++] = k;
  return lists;
}

/* pairs on one body are coupled by it; the ground couples none. False: too many */
static bool list_coupled_pairs(builder *b, const end_lists *lists, flg_region *work) {
  long count = 0;
  for (int k = 0; k < b->made->body_count; k++) {
    const long own = lists->first[k + 1] - lists->first[k];
    if (own > FLG_SPARSE_DEGREE_MAX) return false;
    count += own * (own - 1) / 2;
  }
  b->near_count = (int)count;
  b->near = flg_region_take(work, 2 * (size_t)count, sizeof(int));
  b->made->couplings = planar_take(b, b->near_count, sizeof(flg_planar_coupling));
  if (work->failed || b->made->couplings == NULL) return false;
  int *to = b->near;
  for (int k = 0; k < b->made->body_count; k++) {
    for (int i = lists->first[k]; i < lists->first[k + 1]; i++) {
      for (int j = lists->first[k]; j < i; j++) *to++ = lists->end[i], *to++ = lists->end[j];
    }
  }
  return true;
}

static double planar_sign_of(const flg_planar *p, int one, int other) {
  const bool meet = p->pairs[one / 2].kind == FLG_PLANAR_MEET;
  if (!meet || p->pairs[other / 2].kind != FLG_PLANAR_MEET) return 0;
  return one % 2 == other % 2 ? 1 : -1;
}

/* each entry is written by the first coupling that it has, or as zeros */
static bool planar_couple(builder *b, flg_region *work) {
  flg_planar *p = b->made;
  bool *is_written = flg_region_take(work, (size_t)p->S.pattern.entry_count, sizeof *is_written);
  p->fills = planar_take(b, p->S.pattern.entry_count, sizeof(int));
  if (work->failed || b->assembly->model.region.failed) return false;
  for (int k = 0; k < b->near_count; k++) {
    const int one = b->near[2 * k], other = b->near[2 * k + 1];
    if (one / 2 == other / 2) continue;
    const bool is_later = p->pairs[one / 2].place > p->pairs[other / 2].place;
    const int later = is_later ? one : other, earlier = is_later ? other : one;
    const int entry = flg_sparse_pattern_find(&p->S.pattern, p->pairs[later / 2].place,
                                              p->pairs[earlier / 2].place);
    p->couplings[p->coupling_count++] =
        (flg_planar_coupling){.entry = (flg_planar_point *)p->S.entry + 2 * (size_t)entry,
                              .body = p->pairs[one / 2].on[one % 2],
                              .later = &p->pairs[later / 2].side[later % 2],
                              .earlier = &p->pairs[earlier / 2].side[earlier % 2],
                              .sign = planar_sign_of(p, later, earlier),
                              .adds = is_written[entry]};
    is_written[entry] = true;
  }
  for (int k = 0; k < p->S.pattern.entry_count; k++) {
    if (!is_written[k]) p->fills[p->fill_count++] = k;
  }
  return true;
}

static bool build_matrix(builder *b, flg_region *work) {
  flg_planar *p = b->made;
  const end_lists lists = list_ends(b, work);
  if (work->failed || !list_coupled_pairs(b, &lists, work)) return false;
  int *pairs = flg_region_take(work, 2 * (size_t)b->near_count, sizeof(int));
  for (int k = 0; k < 2 * b->near_count && pairs != NULL; k++) pairs[k] = b->near[k] / 2;
  if (work->failed || !flg_sparse_pairs_build(&p->S, p->pair_count, b->near_count, pairs,
                                              &b->assembly->model.region)) {
    return false;
  }
  p->impulses = planar_take(b, p->pair_count, sizeof *p->impulses);
  p->factored_q = planar_take(b, b->assembly->model.position_count, sizeof(double));
  if (b->assembly->model.region.failed) return false;
  for (int k = 0; k < p->pair_count; k++) {
    flg_planar_pair *pair = &p->pairs[k];
    pair->place = p->S.pattern.place[k];
    pair->impulse = &p->impulses[pair->place];
    pair->diagonal = p->S.diagonal + 3 * (size_t)pair->place;
    for (int e = 0; e < 2; e++) pair->on[e] = &p->bodies[pair->body[e]];
  }
  return planar_couple(b, work);
}

/* --- coordinates --------------------------------------------------------------------------------
 */

/* angles of the state follow the turns of their bodies; all are about n, if any */
static bool add_angles(builder *b) {
  flg_planar *p = b->made;
  const flg_assembly *assembly = b->assembly;
  p->angle_count = assembly->model.angle_count;
  p->angle_bodies = planar_take(b, 2 * p->angle_count, sizeof(int));
  p->angle_sense = planar_take(b, p->angle_count, sizeof(double));
  if (assembly->model.region.failed) return false;
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    const flg_running_coordinate *running = &assembly->model.coordinates[k];
    if (running->angle < 0) continue;
    const flg_pose frame = frame_of(b, &running->anchor[0]);
    const flg_vec3 z = flg_mat3_column(&frame.rotation, 2);
    if (!is_along(b, z) && !is_across(b, z)) return false;
    for (int e = 0; e < 2; e++) {
      p->angle_bodies[2 * running->angle + e] = planar_body_of(b, &running->anchor[e]);
    }
    p->angle_sense[running->angle] = is_along(b, z) ? flg_vec3_dot(z, p->axis[2]) : 0;
  }
  return true;
}

/* --- bodies that are held flat, whatever others do ----------------------------------------------
 */

static bool is_principal(const builder *b, int index) {
  if (index == b->made->body_count) return true; /* the ground */
  const flg_sym3 inertia =
      flg_sym3_rotate(b->bodies->rigid_bodies[index].inertia, &b->at[index].rotation);
  const flg_vec3 spun = flg_sym3_apply(inertia, b->made->axis[2]);
  const double all = inertia.xx + inertia.yy + inertia.zz;
  return flg_vec3_norm(flg_vec3_cross(b->made->axis[2], spun)) <= PARALLEL * all;
}

/* by joints that hold two bodies flat against each other */
static void flatten_ends(builder *b, const flg_row_set *row_set) {
  if (row_set->rows == 0 || row_set->force >= 0) return;
  const flg_pose at[2] = {frame_of(b, &row_set->anchor[0]), frame_of(b, &row_set->anchor[1])};
  const int body[2] = {planar_body_of(b, &row_set->anchor[0]),
                       planar_body_of(b, &row_set->anchor[1])};
  const reduction to = reduce_joint(b, row_set, at);
  if (!to.is_known || !to.is_flat || body[0] == body[1] || !is_level(b, at)) return;
  if (is_principal(b, body[0]) && is_principal(b, body[1])) hold_flat(b, body[0], body[1]);
}

/* how many bodies are flat for the axis that there is */
static int count_flat(builder *b) {
  const int bodies = b->made->body_count;
  int count = 0;
  for (int k = 0; k <= bodies; k++) b->group[k] = k;
  for (int k = 0; k < b->assembly->model.joint_count; k++) {
    flatten_ends(b, &b->assembly->model.row_sets[k]);
  }
  for (int k = 0; k < bodies; k++) count += leader(b, k) == bodies;
  return count;
}

/* the axis of a joint that most bodies are flat for, among the first few */
static int find_flattest(builder *b, flg_vec3 *best) {
  enum { TRIES = 8 };
  flg_vec3 tried[TRIES];
  int most = 0, tries = 0;
  for (int k = 0; k < b->assembly->model.joint_count && tries < TRIES; k++) {
    const flg_row_set *row_set = &b->assembly->model.row_sets[k];
    if (row_set->rows == 0 || row_set->force >= 0 || !has_normal(row_set)) continue;
    const flg_pose frame = frame_of(b, &row_set->anchor[0]);
    const flg_vec3 n = flg_mat3_column(&frame.rotation, 2);
    bool is_new = true;
    for (int i = 0; i < tries; i++) {
      if (flg_vec3_norm(flg_vec3_cross(n, tried[i])) <= PARALLEL) is_new = false;
    }
    if (!is_new) continue;
    tried[tries++] = n;
    find_axes(b, n);
    const int count = count_flat(b);
    if (count > most) most = count, *best = n;
  }
  return most;
}

int flg_planar_find_flat(flg_assembly *assembly, flg_vec3 *normals, flg_region *work) {
  builder b = {.assembly = assembly, .bodies = flg_bodies_of(assembly->model.sets[0])};
  const int bodies = b.bodies->parts.count;
  b.made = flg_region_take(work, 1, sizeof *b.made);
  b.group = flg_region_take(work, (size_t)bodies + 1, sizeof(int));
  b.at = flg_region_take(work, (size_t)bodies, sizeof *b.at);
  if (work->failed) return 0;
  b.made->body_count = bodies;
  find_poses(&b);
  flg_vec3 best = {0, 0, 0};
  if (find_flattest(&b, &best) == 0) return 0;
  find_axes(&b, best);
  const int count = count_flat(&b);
  for (int k = 0; k < bodies; k++) {
    normals[k] = leader(&b, k) == bodies ? b.made->axis[2] : (flg_vec3){0, 0, 0};
  }
  return count;
}

/* --- build --------------------------------------------------------------------------------------
 */

/* bodies and rigid joints, and nothing else */
static bool planar_is_plain(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  return model->options.scheme == FLG_SCHEME_RATTLE && model->options.form == FLG_FORM_ADMITTANCE &&
         model->set_count == 1 && model->sets[0]->ops->free_step == &flg_bodies_free_step &&
         model->joint_count > 0 && model->row_set_count == model->joint_count &&
         model->force_count == 0 && model->signals == NULL &&
         model->options.outer_port_count == 0 && assembly->state.limits.count == 0;
}

static bool planar_lay_out(builder *b, flg_region *work) {
  flg_planar *p = b->made;
  const int bodies = b->bodies->parts.count, joints = b->assembly->model.joint_count;
  p->body_count = bodies;
  p->bodies = planar_take(b, bodies + 1, sizeof *p->bodies);
  p->pairs = planar_take(b, 2 * joints, sizeof *p->pairs);
  b->group = flg_region_take(work, (size_t)bodies + 1, sizeof(int));
  b->at = flg_region_take(work, (size_t)bodies, sizeof *b->at);
  if (work->failed || b->assembly->model.region.failed) return false;
  for (int k = 0; k <= bodies; k++) b->group[k] = k;
  const flg_planar_pose origin = {.half_cos = 1, .cos = 1};
  p->bodies[bodies] = (flg_planar_body){.pose = origin, .next = origin};
  return true;
}

static bool is_held_flat(const builder *b) {
  for (int k = 0; k < b->made->body_count; k++) {
    if (leader(b, k) != b->made->body_count) return false;
  }
  return true;
}

static bool planar_build(builder *b, flg_region *work) {
  if (!planar_lay_out(b, work)) return false;
  find_poses(b); /* the normal needs them, and bodies the normal */
  if (!find_normal(b)) return false;
  for (int k = 0; k < b->made->body_count; k++) {
    if (!planar_add_body(b, k)) return false;
  }
  for (int k = 0; k < b->assembly->model.joint_count; k++) {
    if (!planar_add_joint(b, k)) return false;
  }
  return is_held_flat(b) && build_matrix(b, work) && add_angles(b);
}

flg_planar *flg_planar_build(flg_assembly *assembly) {
  if (!assembly->model.options.reduces || !planar_is_plain(assembly)) return NULL;
  builder b = {.assembly = assembly, .bodies = flg_bodies_of(assembly->model.sets[0])};
  b.made = planar_take(&b, 1, sizeof *b.made);
  if (b.made == NULL) return NULL;
  flg_region work = {0};
  const bool is_built = planar_build(&b, &work);
  if (work.failed) assembly->model.region.failed = true;
  flg_region_release(&work);
  return is_built ? b.made : NULL;
}

flg_planar_facts flg_planar_find_facts(const flg_assembly *assembly) {
  const flg_planar *planar = assembly->model.planar;
  flg_planar_facts facts = {.is_planar = planar != NULL};
  if (planar == NULL) return facts;
  facts.rows = planar->rows, facts.flops = flg_sparse_pairs_flops(&planar->S);
  for (int k = 0; k < assembly->model.joint_count; k++) {
    facts.left_out += assembly->model.row_sets[k].rows;
  }
  facts.left_out -= planar->rows;
  return facts;
}
