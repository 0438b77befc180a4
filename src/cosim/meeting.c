#include "cosim/meeting.h"

#include <string.h>

#include "cosim/rest.h"
#include "math/dense.h"

enum { PORT_ROWS = 6 };

/* --- set-up -------------------------------------------------------------------------------------
 */

static int end_of(const flg_interface *interface, int subsystem) {
  for (int e = 0; e < 2; e++) {
    if (interface->end[e].subsystem == subsystem) return e;
  }
  return -1;
}

static void count(flg_meeting *meeting, int index, const flg_interface *interfaces,
                  int interface_count, const bool *driven) {
  for (int k = 0; k < interface_count; k++) {
    if (end_of(&interfaces[k], index) < 0) continue;
    meeting->end_count++;
    if (driven == NULL || !driven[k]) meeting->row_count += interfaces[k].rows;
  }
}

static void fill_ends(flg_meeting *meeting, int index, const flg_interface *interfaces,
                      int interface_count, const bool *driven) {
  flg_meeting_end *end = meeting->ends;
  for (int k = 0; k < interface_count; k++) {
    const int own = end_of(&interfaces[k], index);
    if (own < 0) continue;
    *end++ = (flg_meeting_end){.interface = &interfaces[k],
                               .own = own,
                               .port = interfaces[k].end[own].port,
                               .is_driven = driven != NULL && driven[k]};
  }
}

/* interfaces touch the ports of both that are joined, and the others stay */
static flg_elimination_shape shape_of(const flg_meeting *meeting, int rest_rows) {
  const int own_rows = PORT_ROWS * meeting->port_count, n = PORT_ROWS * meeting->joined_count;
  return (flg_elimination_shape){.constraints = meeting->row_count,
                                 .rows = {own_rows, rest_rows},
                                 .touched = {n, n},
                                 .kept = {own_rows - n, rest_rows - n},
                                 .form = FLG_FORM_ADMITTANCE,
                                 .tolerance = FLG_PIVOT_TOLERANCE};
}

/* what factors of an elimination depend on */
static size_t factored_numbers(const flg_elimination_shape *shape) {
  const size_t n = (size_t)shape->rows[0], other = (size_t)shape->rows[1];
  const size_t columns = (size_t)shape->touched[0] + (size_t)shape->touched[1];
  return n * n + other * other + (size_t)shape->constraints * (columns + 1);
}

/* The one list of arrays: with an arena it lays them out, without it only sums their bytes. */
static size_t take_arrays(flg_meeting *meeting, const flg_elimination_shape *shape,
                          flg_arena *arena) {
  const size_t n = (size_t)shape->rows[0], other = (size_t)shape->rows[1];
  const size_t kept = (size_t)shape->kept[0];
  const size_t steps = (size_t)meeting->steps_most, rows = (size_t)meeting->row_count;
  const struct {
    void *array;
    size_t count, element;
  } list[] = {{&meeting->ends, (size_t)meeting->end_count, sizeof *meeting->ends},
              {&meeting->factored, factored_numbers(shape), sizeof(double)},
              {&meeting->bias[0], n, sizeof(double)},
              {&meeting->bias[1], other, sizeof(double)},
              {&meeting->forces[0], n, sizeof(double)},
              {&meeting->forces[1], other, sizeof(double)},
              {&meeting->turning[0], n, sizeof(double)},
              {&meeting->turning[1], other, sizeof(double)},
              {&meeting->driven, n, sizeof(double)},
              {&meeting->kicked, n, sizeof(double)},
              {&meeting->reactions, rows * (1 + kept), sizeof(double)},
              {&meeting->record, n * steps, sizeof(double)},
              {&meeting->kicks, n * steps, sizeof(double)},
              {&meeting->sum, n, sizeof(double)},
              {&meeting->work, n, sizeof(double)},
              {&meeting->mass, rows * rows, sizeof(double)},
              {&meeting->system, rows * rows, sizeof(double)},
              {&meeting->mass_work, rows * (n + other + rows), sizeof(double)}};
  size_t bytes = 0;
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    bytes += flg_arena_bytes(list[k].count, list[k].element);
    if (arena == NULL) continue;
    void *piece = flg_arena_take(arena, list[k].count, list[k].element);
    memset(piece, 0, list[k].count * list[k].element);
    memcpy(list[k].array, &piece, sizeof piece);
  }
  return bytes;
}

static flg_status build_models(flg_meeting *meeting, const flg_elimination_shape *shape,
                               flg_error *error) {
  flg_interface_model **const models[2] = {&meeting->own, &meeting->rest};
  for (int k = 0; k < 2; k++) {
    const int n = shape->rows[k];
    void *memory = flg_arena_take(&meeting->arena, flg_interface_model_bytes(n), 1);
    const flg_status status = flg_interface_model_build(memory, n, n, models[k], error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

static flg_status build_elimination(flg_meeting *meeting, const flg_elimination_shape *shape,
                                    flg_error *error) {
  const int most = shape->rows[0] > shape->rows[1] ? shape->rows[0] : shape->rows[1];
  int *rows = flg_arena_take(&meeting->arena, (size_t)most, sizeof *rows);
  for (int k = 0; k < most; k++) rows[k] = k;
  const int n = shape->touched[0];
  const int *const touched[2] = {rows, rows}, *const kept[2] = {rows + n, rows + n};
  return flg_elimination_build(&meeting->elimination, shape, touched, kept, &meeting->arena, error);
}

static size_t bytes_of(flg_meeting *meeting, const flg_elimination_shape *shape) {
  const int *n = shape->rows;
  return take_arrays(meeting, shape, NULL) + flg_elimination_bytes(shape) +
         flg_arena_bytes(flg_interface_model_bytes(n[0]), 1) +
         flg_arena_bytes(flg_interface_model_bytes(n[1]), 1) +
         flg_arena_bytes((size_t)(n[0] > n[1] ? n[0] : n[1]), sizeof(int));
}

flg_status flg_meeting_build(flg_meeting *meeting, const flg_subsystem *subsystem, int index,
                             const flg_interface *interfaces, int interface_count,
                             const bool *driven, const flg_rest *rest, int steps_most,
                             flg_error *error) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  *meeting = (flg_meeting){.subsystem = subsystem, .steps = steps_most, .steps_most = steps_most};
  meeting->port_count = ops->ports(subsystem->self);
  meeting->joined_count = flg_joined_ports(subsystem);
  meeting->looks_back =
      ops->looks_back != NULL && ops->turning != NULL && ops->looks_back(subsystem->self);
  count(meeting, index, interfaces, interface_count, driven);
  const flg_elimination_shape shape = shape_of(meeting, flg_rest_rows(rest));
  flg_status status = flg_arena_build(&meeting->arena, bytes_of(meeting, &shape), error);
  if (status != FLG_OK) return status;
  take_arrays(meeting, &shape, &meeting->arena);
  fill_ends(meeting, index, interfaces, interface_count, driven);
  status = build_models(meeting, &shape, error);
  if (status == FLG_OK) status = build_elimination(meeting, &shape, error);
  if (status != FLG_OK) flg_meeting_release(meeting);
  return status;
}

void flg_meeting_release(flg_meeting *meeting) {
  flg_arena_release(&meeting->arena);
  *meeting = (flg_meeting){0};
}

/* --- a micro step -------------------------------------------------------------------------------
 */

static void write_side(double *G, int leading, int row, int port, flg_spatial side) {
  double numbers[PORT_ROWS];
  flg_spatial_store(side, numbers);
  for (int j = 0; j < PORT_ROWS; j++) {
    G[row + (size_t)(PORT_ROWS * port + j) * (size_t)leading] = numbers[j];
  }
}

/* The rows of one interface. */
static int write_rows(flg_meeting *meeting, const flg_meeting_end *end, int row, double h) {
  const flg_subsystem *subsystem = meeting->subsystem;
  flg_elimination *e = &meeting->elimination;
  flg_moving_frame frame[2];
  flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
  frame[end->own] = subsystem->ops->coupled->frame(subsystem->self, end->port);
  frame[1 - end->own] = (flg_moving_frame){
      end->rest,
      flg_spatial_load(flg_interface_model_velocity(meeting->rest) + PORT_ROWS * end->port)};
  double reach[2];
  reach[end->own] = flg_port_reach(meeting->own, end->port);
  reach[1 - end->own] = flg_port_reach(meeting->rest, end->port);
  const int count = flg_constraint_evaluate(end->interface->kind, frame, rows);
  for (int i = 0; i < count; i++, row++) {
    const flg_spatial own = rows[i].side[end->own], rest = rows[i].side[1 - end->own];
    write_side(e->G[0], meeting->row_count, row, end->port, own);
    write_side(e->G[1], meeting->row_count, row, end->port, rest);
    e->gamma[row] = -flg_spatial_dot(rest, end->miss);
    if (!meeting->looks_back && !meeting->is_literal) e->gamma[row] -= h * rows[i].bias;
    e->scale[row] = flg_row_scale(&rows[i], reach);
  }
  return row;
}

/* velocities at the end of the micro step if nobody meets */
static void predict(flg_interface_model *model, double h, const double *impulses, double *to) {
  const double *r = flg_interface_model_bias(model), *w = flg_interface_model_velocity(model);
  for (int k = 0; k < model->rows; k++) to[k] = w[k] + h * r[k];
  if (impulses == NULL) return;
  flg_dense_apply(model->rows, model->rows, 1, flg_interface_model_admittance(model), model->rows,
                  impulses, to);
}

/* velocities of touch ports on both sides */
static void gather_touch(const flg_meeting *meeting, double *to) {
  const int n = meeting->elimination.shape.touched[0], *kept = meeting->elimination.shape.kept;
  memcpy(to, flg_interface_model_velocity(meeting->own) + n, (size_t)kept[0] * sizeof *to);
  memcpy(to + kept[0], flg_interface_model_velocity(meeting->rest) + n,
         (size_t)kept[1] * sizeof *to);
}

flg_status flg_meeting_touch(flg_meeting *meeting, double h, flg_error *error) {
  flg_meeting_contacts *contacts = meeting->contacts;
  flg_status status = flg_meeting_contacts_find(contacts, meeting->subsystem, h, error);
  if (status != FLG_OK) return status;
  gather_touch(meeting, contacts->before);
  return flg_meeting_contacts_close(contacts, h, error);
}

/* the next so many of what is kept */
static bool renew(const double *from, size_t count, double **kept) {
  double *to = *kept;
  *kept += count;
  return flg_dense_renew(to, from, count);
}

/* A kick and the micro step after it mostly have the same D, E and rows: once is enough. */
static flg_status factor(flg_meeting *meeting, double *H) {
  flg_elimination *e = &meeting->elimination;
  const size_t m = (size_t)e->shape.constraints;
  const double *const matrix[2] = {flg_interface_model_admittance(meeting->own),
                                   flg_interface_model_admittance(meeting->rest)};
  double *kept = meeting->factored;
  bool is_new = !meeting->is_factored;
  for (int c = 0; c < 2; c++) {
    is_new |= renew(matrix[c], (size_t)e->shape.rows[c] * (size_t)e->shape.rows[c], &kept);
    is_new |= renew(e->G[c], m * (size_t)e->shape.touched[c], &kept);
  }
  is_new |= renew(e->scale, m, &kept);
  if (!is_new) return FLG_OK;
  const flg_status status = flg_elimination_factor(e, FLG_PIVOTS_CHOOSE, matrix, H);
  meeting->is_factored = status == FLG_OK;
  return status;
}

static flg_status eliminate(flg_meeting *meeting, double h, flg_error *error) {
  flg_elimination *e = &meeting->elimination;
  flg_meeting_contacts *contacts = meeting->contacts;
  const double *const bias[2] = {meeting->bias[0], meeting->bias[1]};
  double none = 0; /* no row is kept */
  double *b = contacts == NULL ? &none : contacts->b, *x = contacts == NULL ? &none : contacts->x;
  flg_status status = factor(meeting, contacts == NULL ? &none : contacts->H);
  if (status == FLG_OK) status = flg_elimination_refresh(e, bias, b);
  if (status != FLG_OK) return flg_fail(error, status, "its interfaces are no longer finite");
  if (contacts != NULL) memset(x, 0, (size_t)flg_meeting_contacts_rows(contacts) * sizeof *x);
  if (contacts != NULL && h > 0) status = flg_meeting_touch(meeting, h, error); /* else a kick */
  if (status != FLG_OK) return status;
  flg_elimination_back(e, x, meeting->reactions, meeting->forces);
  if (e->rank < meeting->rank) meeting->rank = e->rank;
  return FLG_OK;
}

static flg_status meet(flg_meeting *meeting, double h, flg_error *error) {
  int row = 0;
  for (int k = 0; k < meeting->end_count; k++) {
    if (!meeting->ends[k].is_driven) row = write_rows(meeting, &meeting->ends[k], row, h);
  }
  return meeting->is_massive ? flg_meeting_meet_mass(meeting, h, error)
                             : eliminate(meeting, h, error);
}

/* what goes on the ports: from the meeting, and what is known */
static void record(flg_meeting *meeting, const double *known, double *to) {
  const int n = PORT_ROWS * meeting->port_count, joined = PORT_ROWS * meeting->joined_count;
  const double *w = flg_interface_model_velocity(meeting->own);
  for (int k = 0; k < n; k++) {
    to[k] = k < joined ? meeting->forces[0][k] + known[k] : 0; /* it touches by itself */
    meeting->sum[k] += to[k];
    meeting->work[k] += to[k] * w[k];
  }
}

/* how many rows of our own mean J_k v+ at the end of a micro step */
static int rows_that_look_back(const flg_meeting *meeting) {
  if (meeting->looks_back) return meeting->own->rows;
  return meeting->is_literal ? PORT_ROWS * meeting->joined_count : 0;
}

/* own, now; r is less its turning if we look back; h = 0: velocities alone */
static flg_status reduce_own(flg_meeting *meeting, double time, double h, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  flg_status status = ops->reduce(subsystem->self, time, h, meeting->own);
  const int count = status == FLG_OK && h > 0 ? rows_that_look_back(meeting) : 0;
  if (count > 0) {
    status = ops->turning(subsystem->self, meeting->turning[0]);
    double *r = flg_interface_model_bias(meeting->own);
    for (int k = 0; k < count; k++) r[k] -= meeting->turning[0][k];
  }
  if (status == FLG_OK) return FLG_OK;
  return flg_fail(error, status, "%s", flg_subsystem_complaint(subsystem));
}

/* where all that acts is known, nobody needs a model */
static void read_velocities(flg_meeting *meeting) {
  const flg_subsystem *subsystem = meeting->subsystem;
  for (int k = 0; k < meeting->joined_count; k++) {
    flg_spatial_store(subsystem->ops->coupled->frame(subsystem->self, k).velocity,
                      flg_interface_model_velocity(meeting->own) + PORT_ROWS * k);
  }
}

/* forces of the interfaces: of a micro step of h under known impulses, or of a kick (h = 0) */
static flg_status find_forces(flg_meeting *meeting, double time, double h, const double *known,
                              flg_error *error) {
  if (meeting->row_count == 0) {
    read_velocities(meeting);
    return FLG_OK;
  }
  const flg_status status = reduce_own(meeting, time, h, error);
  if (status != FLG_OK) return status;
  predict(meeting->own, h, known, meeting->bias[0]);
  predict(meeting->rest, h, NULL, meeting->bias[1]);
  return meet(meeting, h, error);
}

/* Before the first micro step of a subsystem that looks back: the rest means the same by u. */
static void look_back(flg_meeting *meeting, double h) {
  double *s = flg_interface_model_bias(meeting->rest);
  double *u = flg_interface_model_velocity(meeting->rest);
  const double *t = meeting->turning[1];
  for (int k = 0; k < meeting->rest->rows; k++) {
    if (meeting->is_kicked) {
      s[k] -= t[k];
    } else {
      u[k] -= h * t[k];
    }
  }
}

/* Between two micro steps: velocities as they are now meet. */
static flg_status kick(flg_meeting *meeting, double time, double h, int index, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const int n = PORT_ROWS * meeting->port_count;
  double *u = flg_interface_model_velocity(meeting->rest);
  for (int k = 0; k < meeting->rest->rows; k++) u[k] += h * meeting->turning[1][k];
  double *to = meeting->kicks + (size_t)index * (size_t)n;
  flg_status status = find_forces(meeting, time, 0, meeting->kicked, error);
  if (status != FLG_OK) return status;
  record(meeting, meeting->kicked, to);
  flg_interface_model_advance(meeting->rest, 0, meeting->forces[1]);
  status = subsystem->ops->coupled->impulse(subsystem->self, to);
  return status == FLG_OK ? FLG_OK : flg_fail(error, status, "its velocities are not finite");
}

/* velocities of the rest, and its frames by them */
static void advance_rest(flg_meeting *meeting, double h) {
  flg_interface_model_advance(meeting->rest, h, meeting->forces[1]);
  for (int k = 0; k < meeting->end_count; k++) {
    flg_meeting_end *end = &meeting->ends[k];
    const double *w = flg_interface_model_velocity(meeting->rest) + PORT_ROWS * end->port;
    const flg_spatial velocity = flg_spatial_load(w);
    end->rest.position = flg_vec3_add_scaled(end->rest.position, h, velocity.linear);
    const flg_quat by = flg_quat_exp(flg_vec3_scale(velocity.angular, h));
    const flg_mat3 turn = flg_quat_to_matrix(by);
    end->rest.rotation = flg_mat3_multiply(&turn, &end->rest.rotation);
  }
  if (meeting->contacts == NULL) return;
  const double *touch = flg_interface_model_velocity(meeting->rest);
  flg_meeting_contacts_advance(meeting->contacts, touch + PORT_ROWS * meeting->joined_count, h);
}

static flg_status step(flg_meeting *meeting, double time, double h, int index,
                       flg_meeting_drive *drive, void *context, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const int n = PORT_ROWS * meeting->port_count;
  double *to = meeting->record + (size_t)index * (size_t)n;
  memset(meeting->driven, 0, (size_t)n * sizeof(double));
  memset(meeting->kicked, 0, (size_t)n * sizeof(double));
  if (drive != NULL) drive(context, meeting, index, meeting->driven, meeting->kicked);
  flg_status status = FLG_OK;
  if (meeting->is_kicked && index > 0) status = kick(meeting, time + index * h, h, index, error);
  if (status != FLG_OK) return status;
  status = find_forces(meeting, time + index * h, h, meeting->driven, error);
  if (status != FLG_OK) return status;
  record(meeting, meeting->driven, to);
  advance_rest(meeting, h);
  return subsystem->ops->coupled->push(subsystem->self, time, h, index, to, error);
}

flg_status flg_meeting_run(flg_meeting *meeting, double time, double h, flg_meeting_drive *drive,
                           void *context, flg_error *error) {
  const size_t bytes = PORT_ROWS * (size_t)meeting->port_count * sizeof(double);
  memset(meeting->sum, 0, bytes);
  memset(meeting->work, 0, bytes);
  meeting->rank = meeting->row_count;
  meeting->has_mass = false;
  if (meeting->looks_back) look_back(meeting, h);
  for (int k = 0; k < meeting->steps; k++) {
    const flg_status status = step(meeting, time, h, k, drive, context, error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}
