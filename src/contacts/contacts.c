#include "contacts/contacts_inner.h"

#include "math/larger.h"
#include "math/wide_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Contact points that there is room for: a box on a box has eight. Rows over which W is no longer
 * formed: it would take more memory, and more time, than a sweep over its blocks. */
enum { PER_SHAPE = 8, AND = 64, DENSE_LIMIT = 400 };
enum { LARGE_DIRECT = 60, EFFORT = 200000 };

/* A contact is looked at while its gap is less than what the speeds of both may close, plus: */
static const double SMALL = 1e-4;   /* of the largest size */
static const double STILL = 1e-12;  /* of the size: ways in a step that are none, far under SMALL */
static const double FALL = 2;       /* g h^2: what starts to fall in this step */
static const double GRAVITY = 9.81; /* [m/s^2] unless the host has another */

flg_contacts_options flg_contacts_default(void) {
  return (flg_contacts_options){.law = flg_contact_law_default(), .gravity = GRAVITY};
}

/* --- set-up ---------------------------------------------------------------------------------- */

static int capacity_of(const flg_contacts_options *options, const flg_scene_input *scene) {
  return options->capacity > 0 ? options->capacity : PER_SHAPE * scene->shape_count + AND;
}

/* Farthest point of a shape from the frame of its body: how far a turn moves it. Of endless ones
 * nothing is known. */
static double farthest_point(const flg_scene_shape *shape) {
  const flg_vec3 a = shape->shape->lower, b = shape->shape->upper;
  const flg_vec3 corner = {fmax(-a.x, b.x), fmax(-a.y, b.y), fmax(-a.z, b.z)};
  const double size =
      flg_vec3_norm(corner) + shape->shape->radius + flg_vec3_norm(shape->pose.position);
  return isfinite(size) ? size : 0;
}

static void find_body_sizes(flg_contacts *made, const flg_scene_input *scene) {
  for (int k = 0; k < scene->shape_count; k++) {
    const int body = scene->shapes[k].body;
    if (body >= 0)
      made->sizes[body] = flg_larger(made->sizes[body], farthest_point(&scene->shapes[k]));
  }
}

/* How far a shape reaches from its middle: the frame of a body depends on the coordinates chosen,
 * and must not say what is small. Single points have the size of their body. */
static void find_lengths(flg_contacts *made, const flg_scene_input *scene) {
  for (int k = 0; k < scene->shape_count; k++) {
    const flg_contact_shape *shape = scene->shapes[k].shape;
    const int body = scene->shapes[k].body;
    const flg_vec3 lengths = flg_vec3_subtract(shape->upper, shape->lower);
    const double own = 0.5 * flg_vec3_norm(lengths) + shape->radius;
    const double length = own > 0 || body < 0 ? own : made->sizes[body];
    made->lengths[k] = isfinite(length) ? length : 0;
  }
}

/* Where it is thinnest, which is how far it may come in a step without passing through another; of
 * endless shapes and of single points 0. */
static double width_of(const flg_contact_shape *shape) {
  const flg_vec3 lengths = flg_vec3_subtract(shape->upper, shape->lower);
  double least = INFINITY;
  if (lengths.x > 0) least = fmin(least, lengths.x);
  if (lengths.y > 0) least = fmin(least, lengths.y);
  if (lengths.z > 0) least = fmin(least, lengths.z);
  if (isinf(least)) least = 0;
  return isfinite(shape->radius) ? least + 2 * shape->radius : 0;
}

static void find_widths(flg_contacts *made, const flg_scene_input *scene) {
  made->least_width = INFINITY;
  for (int k = 0; k < scene->shape_count; k++) {
    const double width = width_of(scene->shapes[k].shape);
    made->widths[k] = width;
    if (scene->shapes[k].body < 0 || !(width > 0)) continue;
    made->least_width = fmin(made->least_width, width);
  }
}

/* The slop is a part of the smallest shape, so that it is not to be seen on any. */
static void find_slop_length(flg_contacts *made) {
  double least = HUGE_VAL;
  for (int k = 0; k < made->shape_count; k++) {
    if (made->lengths[k] > 0) least = fmin(least, made->lengths[k]);
  }
  if (isfinite(least)) made->options.law.length = least;
}

/* what may be a body of a large island */
static int unit_count(const flg_contacts *made) {
  return made->port_count + made->stop_capacity;
}

/* Large islands are iterated until they are near enough: what moves on has other impulses in the
 * next step, and what rests comes nearer in every one, until it is solved. */
static flg_contact_law_options for_large(const flg_contacts *made) {
  flg_contact_law_options law = made->options.law;
  law.solver.bodies = unit_count(made);
  law.solver.direct_limit = LARGE_DIRECT;
  law.solver.enough = FLG_CONTACT_MOVING, law.solver.effort = EFFORT;
  law.hurries = true;
  return law;
}

/* Pairs are counted before points: a pair that is near may have none. */
static flg_scene_input with_room(const flg_scene_input *scene, int capacity) {
  flg_scene_input input = *scene;
  const int pairs = PER_SHAPE * scene->shape_count + AND;
  if (input.pair_capacity == 0) input.pair_capacity = pairs > capacity ? pairs : capacity;
  return input;
}

static bool has_sparse(const flg_contacts *made) {
  return made->most_rows > made->dense_rows || flg_contacts_have_heaps(made);
}

/* Islands without joints, which may be heaps. */
static flg_contact_law_options for_small(const flg_contacts *made) {
  flg_contact_law_options law = made->options.law;
  law.hurries = flg_contacts_have_heaps(made);
  return law;
}

static void contacts_lay_out(flg_contacts *made) {
  const size_t ports = (size_t)made->port_count, blocks = (size_t)made->block_count;
  const size_t touches = (size_t)made->touch_capacity;
  const size_t n = (size_t)made->most_rows, dense = (size_t)made->dense_rows;
  flg_region *region = &made->region;
  made->places = flg_region_take(region, ports, sizeof *made->places);
  made->sizes = flg_region_take(region, ports, sizeof(double));
  made->lengths = flg_region_take(region, (size_t)made->shape_count, sizeof(double));
  made->widths = flg_region_take(region, (size_t)made->shape_count, sizeof(double));
  made->ways = flg_region_take(region, ports, sizeof *made->ways);
  made->touched = flg_region_take(region, ports, 1);
  made->poses = flg_region_take(region, ports, sizeof *made->poses);
  made->rows = flg_region_take(region, touches, sizeof *made->rows);
  made->traces = flg_region_take(region, touches, sizeof *made->traces);
  made->recalled =
      flg_region_take(region, (size_t)flg_contacts_numbers(made), sizeof *made->recalled);
  made->islands.parents = flg_region_take(region, blocks, sizeof(int));
  made->islands.numbers = flg_region_take(region, blocks, sizeof(int));
  made->islands.first = flg_region_take(region, blocks, sizeof(int));
  made->islands.bodies = flg_region_take(region, (size_t)unit_count(made), sizeof(int));
  made->islands.starts = flg_region_take(region, touches + 1, sizeof(int));
  made->islands.members = flg_region_take(region, touches, sizeof(int));
  made->touches = flg_region_take(region, touches, sizeof *made->touches);
  made->bends = flg_region_take(region, touches, sizeof(double));
  made->admittance = flg_region_take_scratch(region, dense * dense, sizeof(double));
  double **const numbers[] = {&made->before, &made->free, &made->impulses, &made->moves,
                              &made->after};
  for (int k = 0; k < 5; k++) *numbers[k] = flg_region_take(region, n, sizeof(double));
  made->states = flg_region_take(region, n, 1);
  if (!has_sparse(made)) return;
  made->bodies = flg_region_take(region, 2 * n, sizeof(int));
  made->jacobian = flg_region_take(region, 12 * n, sizeof(double));
  made->inverse_masses = flg_region_take(region, 36 * (size_t)unit_count(made), sizeof(double));
  made->links = flg_region_take(region, (size_t)unit_count(made), sizeof *made->links);
}

static flg_status build_laws(flg_contacts *made, flg_error *error) {
  const flg_contact_law_options law = for_small(made), *patient = &made->options.law;
  flg_status status =
      flg_contact_law_build(&made->law, made->dense_rows, &law, &made->region, error);
  made->patient_law = made->law;
  if (status == FLG_OK && flg_contacts_have_heaps(made)) {
    status =
        flg_contact_law_build(&made->patient_law, made->dense_rows, patient, &made->region, error);
  }
  if (status != FLG_OK || !has_sparse(made)) return status;
  const flg_contact_law_options large = for_large(made);
  return flg_contact_law_build(&made->sparse_law, made->most_rows, &large, &made->region, error);
}

static flg_status build_in_region(flg_contacts *made, const flg_scene_input *scene,
                                  flg_error *error) {
  flg_status status = FLG_OK;
  if (scene->shape_count > 0) { /* without shapes there are stops alone */
    status = flg_contact_scene_build(&made->scene, scene, &made->region, error);
  }
  if (status != FLG_OK) return status;
  contacts_lay_out(made);
  if (made->region.failed) return flg_region_check(&made->region, "contacts", error);
  find_body_sizes(made, scene);
  find_lengths(made, scene);
  find_widths(made, scene);
  find_slop_length(made);
  return build_laws(made, error);
}

static void find_counts(flg_contacts *made, const flg_scene_input *scene, int block_count,
                        int stop_capacity, const flg_contacts_options *options) {
  made->options = *options;
  made->shape_count = scene->shape_count;
  made->port_count = scene->body_count, made->block_count = block_count;
  made->capacity = capacity_of(options, scene), made->stop_capacity = stop_capacity;
  made->touch_capacity = made->capacity + stop_capacity;
  const int rows = 3 * made->capacity + stop_capacity;
  const int limit = options->dense_limit > 0 ? options->dense_limit : DENSE_LIMIT;
  made->most_rows = rows < FLG_COMPLEMENTARITY_MAX ? rows : FLG_COMPLEMENTARITY_MAX;
  made->dense_rows = rows < limit ? rows : limit;
}

flg_status flg_contacts_build(flg_contacts **contacts, const flg_scene_input *scene,
                              const flg_touch_place *places, int block_count, int stop_capacity,
                              const flg_contacts_options *options, flg_error *error) {
  flg_contacts *made = calloc(1, sizeof *made);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for contacts.");
  find_counts(made, scene, block_count, stop_capacity, options);
  const flg_scene_input input = with_room(scene, made->capacity);
  flg_status status = build_in_region(made, &input, error);
  if (status != FLG_OK) {
    flg_contacts_release(made);
    return status;
  }
  if (made->port_count > 0)
    memcpy(made->places, places, (size_t)made->port_count * sizeof *made->places);
  *contacts = made;
  return FLG_OK;
}

void flg_contacts_release(flg_contacts *contacts) {
  if (contacts == NULL) return;
  flg_region_release(&contacts->region);
  free(contacts);
}

int flg_contacts_shape_count(const flg_contacts *contacts) {
  return contacts->shape_count;
}

const flg_contact_law_options *flg_contacts_law(const flg_contacts *contacts) {
  return &contacts->options.law;
}

void flg_contacts_share(flg_contacts *contacts, flg_threads *threads) {
  if (contacts->scene != NULL) flg_contact_scene_share(contacts->scene, threads);
}

/* --- finding --------------------------------------------------------------------------------- */

/* How far a port goes and turns in the step. Of what stands there is rounding alone, which is no
 * way. */
static flg_spatial way_of_port(const flg_contacts *c, int port, const flg_spatial *velocity) {
  const flg_spatial way = flg_spatial_scale(*velocity, c->h);
  const double size = c->sizes[port];
  const double all = flg_vec3_norm(way.linear) + size * flg_vec3_norm(way.angular);
  return all <= STILL * size ? (flg_spatial){{0, 0, 0}, {0, 0, 0}} : way;
}

static bool is_same_vector(flg_vec3 a, flg_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Ways of all ports; whether they are finite, and whether they are those of the last find. */
static bool find_port_motion(flg_contacts *c, const flg_spatial *velocities, bool *are_same) {
  double sum = 0;
  *are_same = true;
  for (int k = 0; k < c->port_count; k++) {
    const flg_spatial way = way_of_port(c, k, &velocities[k]), before = c->ways[k];
    *are_same = *are_same && is_same_vector(way.linear, before.linear) &&
                is_same_vector(way.angular, before.angular);
    c->ways[k] = way;
    sum += flg_vec3_norm(way.linear) + flg_vec3_norm(way.angular);
  }
  return isfinite(sum);
}

/* Gaps that count as near although nothing moves: bodies at rest, and those that start to fall. */
static double small_gap(const flg_contacts *c, double size) {
  return SMALL * size + FALL * c->options.gravity * c->h * c->h;
}

static double largest_size(const flg_contacts *c) {
  double size = 0;
  for (int k = 0; k < c->port_count; k++) size = flg_larger(size, c->sizes[k]);
  return size;
}

static flg_status overflow(const flg_contacts *c, int contacts, flg_error *error) {
  return flg_fail(error, FLG_ERR_CAPACITY,
                  "There are %d contact points, and room for %d: raise the capacity of contacts to "
                  "%d or more.",
                  contacts, c->capacity, contacts > 2 * c->capacity ? contacts : 2 * c->capacity);
}

/* Pairs that are near may have more points than there is room for: capacity is for pairs that have
 * FLG_CONTACT_POINTS_MAX. */
static flg_status too_near(const flg_contacts *c, int pairs, int points, flg_error *error) {
  const int enough = (points - 1) / FLG_CONTACT_POINTS_MAX + 1;
  return flg_fail(error, FLG_ERR_CAPACITY,
                  "There are %d pairs of shapes near each other, which may have %d contact points; "
                  "there is not room for that many: raise the capacity of contacts to %d or more.",
                  pairs, points, enough > 2 * c->capacity ? enough : 2 * c->capacity);
}

static flg_status contacts_keep(flg_contacts *c, const flg_contact *found, int count,
                                flg_error *error) {
  if (count > c->capacity) return overflow(c, count, error);
  c->contacts = found, c->contact_count = count;
  return FLG_OK;
}

static void start_traces(flg_contacts *c) {
  if (flg_contacts_go_on(c)) return;
  c->traced = -1;
  memset(c->touched, 0, (size_t)c->port_count);
  for (int k = 0; k < c->contact_count; k++) {
    const flg_contact *contact = &c->contacts[k];
    c->traces[k] = (flg_touch_trace){
        .shape_a = contact->shape_a, .shape_b = contact->shape_b, .key = contact->key};
    if (contact->body_a >= 0) c->touched[contact->body_a] = 1;
    if (contact->body_b >= 0) c->touched[contact->body_b] = 1;
  }
  flg_contacts_recall(c, 0, c->contact_count);
  flg_contacts_keep_memory(c);
}

static void report_found(flg_contacts *c) {
  c->report = (flg_contacts_report){.found = c->contact_count, .worst = -1};
  for (int k = 0; k < c->contact_count; k++)
    c->report.penetration = flg_larger(c->report.penetration, -c->contacts[k].gap);
  flg_contacts_report_memory(c);
}

static flg_status detect(flg_contacts *c, const flg_pose *poses, flg_error *error) {
  const flg_contact *found;
  int count, pairs;
  if (c->scene == NULL) return FLG_OK;
  const double margin = small_gap(c, largest_size(c));
  const flg_status status =
      flg_contact_scene_detect(c->scene, poses, c->ways, margin, &found, &count);
  if (status == FLG_OK) return contacts_keep(c, found, count, error);
  if (status != FLG_ERR_CAPACITY) return status;
  return flg_contact_scene_needs(c->scene, &pairs, &count) ? overflow(c, count, error)
                                                           : too_near(c, pairs, count, error);
}

bool flg_contacts_hurry(const flg_contacts *contacts, const flg_spatial *velocities, double h) {
  for (int k = 0; k < contacts->port_count; k++) {
    const double speed = flg_vec3_norm(velocities[k].linear) +
                         contacts->sizes[k] * flg_vec3_norm(velocities[k].angular);
    if (h * speed > contacts->least_width) return true;
  }
  return false;
}

/* rate of its gap: positive when it opens [m/s] */
static double contacts_rate_of(const flg_contacts *c, int index, const flg_spatial *velocities) {
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const int port = side == 0 ? c->contacts[index].body_a : c->contacts[index].body_b;
    double row[6], velocity[6];
    if (port < 0) continue;
    flg_contacts_row(c, index, side, 0, row);
    flg_spatial_store(velocities[port], velocity);
    for (int i = 0; i < 6; i++) sum += row[i] * velocity[i];
  }
  return sum;
}

int flg_contacts_passed(const flg_contacts *contacts, const flg_spatial *velocities, double h) {
  for (int k = 0; k < contacts->contact_count; k++) {
    const flg_contact *contact = &contacts->contacts[k];
    const double width = contacts->widths[contact->shape_a] + contacts->widths[contact->shape_b];
    const double gap = fmax(contact->gap, 0); /* what overlaps already is moved apart */
    /* beyond the middle of each other they would be pushed on, not back */
    if (width > 0 && gap + h * contacts_rate_of(contacts, k, velocities) < -0.5 * width) return k;
  }
  return -1;
}

static void store_rows(const flg_contact *contact, const flg_pose *poses, int s,
                       flg_touch_side *side) {
  const int body = s == 0 ? contact->body_a : contact->body_b;
  const int count = contact->friction > 0 ? 3 : 1;
  if (body < 0) return; /* its rows are not read */
  memset(side->rows, 0, sizeof side->rows);
  flg_spatial rows[3];
  flg_contact_rows(contact, s, poses[body].position, count, rows);
  for (int i = 0; i < count; i++) {
    side->rows[0][i] = rows[i].linear.x, side->rows[3][i] = rows[i].angular.x;
    side->rows[1][i] = rows[i].linear.y, side->rows[4][i] = rows[i].angular.y;
    side->rows[2][i] = rows[i].linear.z, side->rows[5][i] = rows[i].angular.z;
  }
}

static void contacts_find_rows(flg_contacts *c, const flg_pose *poses) {
  for (int k = 0; k < c->contact_count; k++) {
    for (int s = 0; s < 2; s++) store_rows(&c->contacts[k], poses, s, &c->rows[k].sides[s]);
  }
}

/* what stands where it stood when it was last looked at, and goes as far, has the same contacts */
static bool is_found(flg_contacts *c, const flg_pose *poses, bool are_same, double h) {
  const size_t ports = (size_t)c->port_count;
  if (ports > 0 && c->is_found && c->found_h == h && are_same &&
      memcmp(c->poses, poses, ports * sizeof *poses) == 0) {
    return true;
  }
  c->is_found = false;
  c->contact_count = 0;
  c->found_h = h;
  if (ports > 0) memcpy(c->poses, poses, ports * sizeof *poses);
  return false;
}

static flg_status contacts_look(flg_contacts *c, const flg_pose *poses, flg_error *error) {
  const flg_status status = detect(c, poses, error);
  if (status != FLG_OK) return status;
  contacts_find_rows(c, poses);
  c->is_found = true;
  return FLG_OK;
}

bool flg_contacts_are_found(const flg_contacts *contacts, double h) {
  return contacts->is_found && contacts->is_fresh && contacts->found_h == h &&
         flg_contacts_is_memory_kept(contacts);
}

FLG_WIDE_VECTORS
flg_status flg_contacts_find(flg_contacts *contacts, const flg_pose *poses,
                             const flg_spatial *velocities, double h, flg_error *error) {
  bool are_same;
  contacts->stop_count = 0;
  contacts->is_counted = false;
  contacts->h = h;
  const bool are_finite = find_port_motion(contacts, velocities, &are_same);
  const bool is_known = is_found(contacts, poses, are_finite && are_same, h);
  if (!are_finite)
    return flg_fail(error, FLG_ERR_DIVERGED, "A body that can touch has no finite speed.");
  if (is_known && flg_contacts_are_found(contacts, h)) return FLG_OK;
  const flg_status status = is_known ? FLG_OK : contacts_look(contacts, poses, error);
  if (status != FLG_OK) return status;
  for (int k = 0; k < contacts->contact_count; k++) contacts->rows[k].blocked = 0;
  start_traces(contacts);
  report_found(contacts);
  contacts->is_fresh = true;
  return FLG_OK;
}

/* --- views ----------------------------------------------------------------------------------- */

const flg_contact *flg_contacts_list(const flg_contacts *contacts, int *count) {
  *count = contacts->contact_count;
  return contacts->contacts;
}

int flg_contacts_capacity(const flg_contacts *contacts) {
  return contacts->capacity;
}

int flg_contacts_most(const flg_contacts *contacts) {
  if (contacts->scene == NULL) return contacts->capacity;
  return flg_contact_scene_most(contacts->scene, contacts->capacity);
}

double flg_contacts_gap(const flg_contacts *contacts, int shape, int point, double most) {
  return contacts->scene == NULL ? most
                                 : flg_contact_scene_gap(contacts->scene, shape, point, most);
}

bool flg_contacts_touches(const flg_contacts *contacts, int port) {
  return contacts->touched[port];
}

void flg_contacts_block(flg_contacts *contacts, int index, unsigned blocked) {
  contacts->rows[index].blocked = blocked;
  contacts->is_fresh = false;
}

void flg_contacts_row(const flg_contacts *contacts, int index, int side, int row, double to[6]) {
  for (int c = 0; c < 6; c++) to[c] = contacts->rows[index].sides[side].rows[c][row];
}

bool flg_contacts_moves(const flg_contacts *contacts) {
  return contacts->moved;
}

int flg_contacts_last_force(const flg_contacts *contacts, int index, double force[3]) {
  const flg_touch_trace *trace = &contacts->traces[index];
  const double h = flg_contacts_last_step(contacts);
  for (int i = 0; i < 3; i++) force[i] = h > 0 ? trace->impulses[i] / h : 0;
  return trace->state;
}

flg_contact_view flg_contacts_view(const flg_contacts *contacts, int index) {
  const flg_touch_trace *trace = &contacts->traces[index];
  flg_contact_view view = {.contact = &contacts->contacts[index]};
  const double h = flg_contacts_last_step(contacts);
  view.state = flg_contacts_last_force(contacts, index, view.force);
  for (int i = 0; i < 3 && h > 0; i++) view.hit[i] = trace->hits[i] / h;
  return view;
}

flg_contacts_report flg_contacts_report_view(const flg_contacts *contacts) {
  return contacts->report;
}
