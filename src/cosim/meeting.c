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

static flg_elimination_shape shape_of(const flg_meeting *meeting) {
  const int n = PORT_ROWS * meeting->port_count;
  return (flg_elimination_shape){.constraints = meeting->row_count,
                                 .rows = {n, n},
                                 .touched = {n, n},
                                 .form = FLG_FORM_ADMITTANCE,
                                 .tolerance = FLG_PIVOT_TOLERANCE};
}

/* The one list of arrays: with an arena it lays them out, without it only sums their bytes. */
static size_t take_arrays(flg_meeting *meeting, flg_arena *arena) {
  const size_t n = PORT_ROWS * (size_t)meeting->port_count;
  const size_t steps = (size_t)meeting->steps, rows = (size_t)meeting->row_count;
  const struct {
    void *array;
    size_t count, element;
  } list[] = {{&meeting->ends, (size_t)meeting->end_count, sizeof *meeting->ends},
              {&meeting->bias[0], n, sizeof(double)},
              {&meeting->bias[1], n, sizeof(double)},
              {&meeting->forces[0], n, sizeof(double)},
              {&meeting->forces[1], n, sizeof(double)},
              {&meeting->turning, n, sizeof(double)},
              {&meeting->driven, n, sizeof(double)},
              {&meeting->reactions, rows, sizeof(double)},
              {&meeting->record, n * steps, sizeof(double)},
              {&meeting->sum, n, sizeof(double)},
              {&meeting->work, n, sizeof(double)},
              {&meeting->mass, rows * rows, sizeof(double)},
              {&meeting->system, rows * rows, sizeof(double)},
              {&meeting->mass_work, rows * (n + rows), sizeof(double)}};
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

static flg_status build_models(flg_meeting *meeting, flg_error *error) {
  const int n = PORT_ROWS * meeting->port_count;
  const size_t bytes = flg_interface_model_bytes(n);
  flg_interface_model **const models[2] = {&meeting->own, &meeting->rest};
  for (int k = 0; k < 2; k++) {
    void *memory = flg_arena_take(&meeting->arena, bytes, 1);
    const flg_status status = flg_interface_model_build(memory, n, n, models[k], error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

static flg_status build_elimination(flg_meeting *meeting, flg_error *error) {
  const flg_elimination_shape shape = shape_of(meeting);
  const int n = shape.rows[0];
  int *rows = flg_arena_take(&meeting->arena, (size_t)n, sizeof *rows);
  for (int k = 0; k < n; k++) rows[k] = k;
  const int *const touched[2] = {rows, rows}, *const kept[2] = {rows, rows};
  return flg_elimination_build(&meeting->elimination, &shape, touched, kept, &meeting->arena,
                               error);
}

flg_status flg_meeting_build(flg_meeting *meeting, const flg_subsystem *subsystem, int index,
                             const flg_interface *interfaces, int interface_count,
                             const bool *driven, int steps, flg_error *error) {
  *meeting = (flg_meeting){.subsystem = subsystem, .steps = steps};
  meeting->port_count = subsystem->ops->coupled->ports(subsystem->self);
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  meeting->looks_back =
      ops->looks_back != NULL && ops->turning != NULL && ops->looks_back(subsystem->self);
  count(meeting, index, interfaces, interface_count, driven);
  const flg_elimination_shape shape = shape_of(meeting);
  const size_t n = (size_t)shape.rows[0];
  const size_t bytes = take_arrays(meeting, NULL) + flg_elimination_bytes(&shape) +
                       2 * flg_arena_bytes(flg_interface_model_bytes((int)n), 1) +
                       flg_arena_bytes(n, sizeof(int));
  flg_status status = flg_arena_build(&meeting->arena, bytes, error);
  if (status != FLG_OK) return status;
  take_arrays(meeting, &meeting->arena);
  fill_ends(meeting, index, interfaces, interface_count, driven);
  status = build_models(meeting, error);
  if (status == FLG_OK) status = build_elimination(meeting, error);
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
    if (!meeting->looks_back) e->gamma[row] -= h * rows[i].bias;
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

static flg_status meet(flg_meeting *meeting, double h) {
  flg_elimination *e = &meeting->elimination;
  const double *const matrix[2] = {flg_interface_model_admittance(meeting->own),
                                   flg_interface_model_admittance(meeting->rest)};
  const double *const bias[2] = {meeting->bias[0], meeting->bias[1]};
  double kept = 0; /* no row is */
  int row = 0;
  if (meeting->row_count == 0) return FLG_OK; /* all is known */
  for (int k = 0; k < meeting->end_count; k++) {
    if (!meeting->ends[k].is_driven) row = write_rows(meeting, &meeting->ends[k], row, h);
  }
  if (meeting->is_massive) return flg_meeting_meet_mass(meeting);
  flg_status status = flg_elimination_factor(e, FLG_PIVOTS_CHOOSE, matrix, &kept);
  if (status == FLG_OK) status = flg_elimination_refresh(e, bias, &kept);
  if (status == FLG_OK) {
    flg_elimination_back(e, &kept, meeting->reactions, meeting->forces);
    if (e->rank < meeting->rank) meeting->rank = e->rank;
  }
  return status;
}

/* what goes on the ports: from the meeting, and what is known */
static void record(flg_meeting *meeting, int step) {
  const int n = PORT_ROWS * meeting->port_count;
  double *to = meeting->record + (size_t)step * (size_t)n;
  const double *w = flg_interface_model_velocity(meeting->own);
  for (int k = 0; k < n; k++) {
    to[k] = meeting->forces[0][k] + meeting->driven[k];
    meeting->sum[k] += to[k];
    meeting->work[k] += to[k] * w[k];
  }
}

/* own, now; r is less its turning if we look back */
static flg_status reduce_own(flg_meeting *meeting, double time, double h) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  flg_status status = ops->reduce(subsystem->self, time, h, meeting->own);
  if (status != FLG_OK || !meeting->looks_back) return status;
  status = ops->turning(subsystem->self, meeting->turning);
  double *r = flg_interface_model_bias(meeting->own);
  for (int k = 0; k < meeting->own->rows; k++) r[k] -= meeting->turning[k];
  return status;
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
}

static flg_status say_why(const flg_meeting *meeting, flg_status status, flg_error *error) {
  if (meeting->is_massive) {
    return flg_fail(error, status,
                    "the rest has no effective mass at its interfaces: its admittance is singular "
                    "or no longer finite; 'form: admittance' does without");
  }
  return flg_fail(error, status, "its interfaces are no longer finite");
}

static flg_status step(flg_meeting *meeting, double time, double h, int index,
                       flg_meeting_drive *drive, void *context, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const int n = PORT_ROWS * meeting->port_count;
  flg_status status = reduce_own(meeting, time + index * h, h);
  if (status != FLG_OK) return flg_fail(error, status, "%s", flg_subsystem_complaint(subsystem));
  memset(meeting->driven, 0, (size_t)n * sizeof(double));
  if (drive != NULL) {
    drive(context, meeting, (double)index / meeting->steps, (double)(index + 1) / meeting->steps,
          meeting->driven);
  }
  predict(meeting->own, h, meeting->driven, meeting->bias[0]);
  predict(meeting->rest, h, NULL, meeting->bias[1]);
  status = meet(meeting, h);
  if (status != FLG_OK) return say_why(meeting, status, error);
  record(meeting, index);
  advance_rest(meeting, h);
  return subsystem->ops->coupled->push(subsystem->self, time, h, index,
                                       meeting->record + (size_t)index * (size_t)n, error);
}

flg_status flg_meeting_run(flg_meeting *meeting, double time, double h, flg_meeting_drive *drive,
                           void *context, flg_error *error) {
  const size_t bytes = PORT_ROWS * (size_t)meeting->port_count * sizeof(double);
  memset(meeting->sum, 0, bytes);
  memset(meeting->work, 0, bytes);
  meeting->rank = meeting->row_count;
  meeting->has_mass = false;
  for (int k = 0; k < meeting->steps; k++) {
    const flg_status status = step(meeting, time, h, k, drive, context, error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}
