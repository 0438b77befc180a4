#include "coupling/meeting.h"

#include <string.h>

#include "coupling/rest.h"
#include "limits/search.h"
#include "math/dense.h"
#include "math/six.h"
#include "math/wide_vectors.h"

enum { PORT_ROWS = 6, AGREEMENTS = 4 /* times that forces are found again in a micro step */ };

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
  flg_yield reach[2];
  reach[end->own] = flg_port_reach(meeting->own, end->port);
  reach[1 - end->own] = flg_port_reach(meeting->rest, end->port);
  const int count = flg_constraint_evaluate(end->interface->kind, frame, rows);
  for (int i = 0; i < count; i++, row++) {
    const flg_spatial own = rows[i].side[end->own], rest = rows[i].side[1 - end->own];
    write_side(e->G[0], meeting->row_count, row, end->port, own);
    write_side(e->G[1], meeting->row_count, row, end->port, rest);
    e->gamma[row] = -flg_spatial_dot(rest, end->miss);
    if (!meeting->looks_back && !meeting->is_literal) e->gamma[row] -= h * rows[i].bias;
    e->scale[row] = meeting->repeats[row] ? 0 : flg_row_scale(&rows[i], reach);
  }
  return row;
}

/* those of a weld, in axes of the world (eliminate.h) */
static void write_weld(flg_meeting *meeting, const flg_meeting_end *end, double h) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const flg_elimination *e = &meeting->elimination;
  const flg_moving_frame own = subsystem->ops->coupled->frame(subsystem->self, end->port);
  const flg_vec3 d = flg_vec3_subtract(own.pose.position, end->rest.position);
  const flg_mat3 lever = flg_mat3_skew(d);
  flg_spatial gamma = flg_spatial_shift_motion(end->miss, d);
  if (!meeting->looks_back && !meeting->is_literal) {
    const flg_spatial rest = flg_spatial_load(flg_interface_model_velocity(meeting->rest));
    const flg_vec3 parting = flg_vec3_subtract(own.velocity.linear, rest.linear);
    gamma.linear = flg_vec3_add_scaled(gamma.linear, h, flg_vec3_cross(rest.angular, parting));
  }
  flg_spatial_store(gamma, e->gamma);
  const flg_yield own_reach = flg_port_reach(meeting->own, 0), reach = meeting->rest_reach;
  const double square = flg_vec3_dot(d, d);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) e->G[1][i + (3 + j) * PORT_ROWS] = lever.m[i + 3 * j];
    e->scale[i] = own_reach.linear + reach.linear + square * reach.angular;
    e->scale[3 + i] = own_reach.angular + reach.angular;
  }
}

static void write_interfaces(flg_meeting *meeting, double h) {
  int row = 0;
  if (meeting->elimination.shape.weld && !meeting->is_massive) {
    write_weld(meeting, meeting->ends, h);
    return;
  }
  for (int k = 0; k < meeting->end_count; k++) {
    if (!meeting->ends[k].is_driven) row = write_rows(meeting, &meeting->ends[k], row, h);
  }
}

/* to = a + factor b, over the rows of whole ports */
FLG_WIDE_VECTORS
static void add_scaled(int rows, const double *a, double factor, const double *b, double *to) {
  for (int k = 0; k < rows; k += PORT_ROWS) {
    flg_six sum;
    flg_six_load(a + k, &sum);
    flg_six_add(factor, b + k, &sum);
    flg_six_store(&sum, to + k);
  }
}

/* velocities at the end of the micro step if nobody meets */
static void predict(flg_interface_model *model, double h, const double *impulses, double *to) {
  add_scaled(model->rows, flg_interface_model_velocity(model), h, flg_interface_model_bias(model),
             to);
  if (impulses == NULL) return;
  flg_dense_apply(model->rows, model->rows, 1, flg_interface_model_admittance(model), model->rows,
                  impulses, to);
}

/* velocities of touch ports on both sides */
static void gather_touch(const flg_meeting *meeting, flg_meeting_contacts *contacts) {
  const double *const w[2] = {flg_interface_model_velocity(meeting->own),
                              flg_interface_model_velocity(meeting->rest)};
  for (int k = 0; k < contacts->near_count; k++) {
    const int row = PORT_ROWS * contacts->near[k], own = PORT_ROWS * contacts->own_ports;
    const double *from = row < own ? w[0] + row : w[1] + (row - own);
    memcpy(contacts->before + PORT_ROWS * k, from + PORT_ROWS * meeting->joined_count,
           PORT_ROWS * sizeof *from);
  }
}

flg_status flg_meeting_touch(flg_meeting *meeting, double h, flg_error *error) {
  gather_touch(meeting, meeting->contacts);
  return flg_meeting_contacts_close(meeting->contacts, h, error);
}

/* The model of the rest stays as it was at the start of the macro step while its frames turn: rows
 * that repeat others there look independent later, by the square of that turn, and would be closed
 * by forces without measure. They are left out in the whole macro step. Elements take no part: they
 * open and close. */
static flg_status leave_out_repeats(flg_meeting *meeting, const double *const matrix[2]) {
  flg_elimination *e = &meeting->elimination;
  const int joints = meeting->joint_rows, all = meeting->row_count;
  for (int i = joints; i < all; i++) meeting->reactions[i] = e->scale[i], e->scale[i] = 0;
  flg_status status = flg_elimination_select(e, FLG_PIVOTS_CHOOSE, matrix);
  for (int i = e->rank; i < all && status == FLG_OK; i++) {
    const int row = e->order[i];
    if (row < joints) meeting->repeats[row] = true, e->scale[row] = 0;
  }
  for (int i = joints; i < all; i++) e->scale[i] = meeting->reactions[i];
  return status == FLG_OK ? flg_elimination_select(e, FLG_PIVOTS_CHOOSE, matrix) : status;
}

/* A kick and the micro step after it have the same rows and E, and mostly the same D: once is
 * enough. */
static flg_status factor(flg_meeting *meeting, const double *const matrix[2]) {
  flg_elimination *e = &meeting->elimination;
  const size_t n = (size_t)e->shape.rows[0];
  const bool is_other = meeting->is_kicked && flg_dense_renew(meeting->factored, matrix[0], n * n);
  if (meeting->is_factored && !is_other) return FLG_OK;
  flg_status status = flg_elimination_select(e, FLG_PIVOTS_ALL, matrix);
  if (status == FLG_OK && !meeting->has_chosen && e->rank < meeting->row_count) {
    status = leave_out_repeats(meeting, matrix);
  }
  meeting->has_chosen = true;
  meeting->is_factored = status == FLG_OK;
  return status;
}

/* Touch ports that are near something stay; those of the own side stand first. */
static void keep_near(flg_meeting *meeting, const double *const matrix[2]) {
  flg_meeting_contacts *contacts = meeting->contacts;
  int count[2] = {0, 0}, *rows[2] = {meeting->kept, meeting->kept};
  for (int k = 0; k < contacts->near_count; k++) {
    const int port = contacts->near[k], side = port >= contacts->own_ports;
    const int first = port - (side ? contacts->own_ports : 0) + meeting->joined_count;
    if (!side) rows[1] += PORT_ROWS;
    for (int i = 0; i < PORT_ROWS; i++) rows[side][count[side]++] = PORT_ROWS * first + i;
  }
  flg_elimination_keep(&meeting->elimination, (const int *const[2]){rows[0], rows[1]}, count,
                       matrix, contacts->H);
}

static flg_status eliminate(flg_meeting *meeting, double h, flg_error *error) {
  flg_elimination *e = &meeting->elimination;
  flg_meeting_contacts *contacts = meeting->contacts;
  const double *const bias[2] = {meeting->bias[0], meeting->bias[1]};
  const double *const matrix[2] = {flg_interface_model_admittance(meeting->own),
                                   flg_interface_model_admittance(meeting->rest)};
  double none = 0; /* no row is kept */
  flg_status status = factor(meeting, matrix);
  const bool touches = contacts != NULL && contacts->count > 0 && h > 0; /* else a kick */
  if (touches && status == FLG_OK) keep_near(meeting, matrix);
  if (status == FLG_OK) status = flg_elimination_refresh(e, bias, touches ? contacts->b : &none);
  if (status != FLG_OK) return flg_fail(error, status, "its interfaces are no longer finite");
  if (touches) status = flg_meeting_touch(meeting, h, error);
  if (status != FLG_OK) return status;
  flg_elimination_back(e, touches ? contacts->x : NULL, meeting->reactions, meeting->forces);
  if (e->rank < meeting->rank) meeting->rank = e->rank;
  return FLG_OK;
}

static flg_elements_stage stage_of(flg_meeting *meeting) {
  return (flg_elements_stage){.subsystem = meeting->subsystem,
                              .own = meeting->own,
                              .rest = meeting->rest,
                              .elimination = &meeting->elimination,
                              .bias = {meeting->bias[0], meeting->bias[1]},
                              .forces = {meeting->forces[0], meeting->forces[1]},
                              .reactions = meeting->reactions};
}

/* with the elements as they are now */
static flg_status solve(flg_meeting *meeting, double h, flg_error *error) {
  flg_meeting_elements *elements = &meeting->elements;
  if (elements->count > 0) {
    const flg_elements_stage stage = stage_of(meeting);
    if (meeting->is_massive) write_interfaces(meeting, h); /* it spoils right-hand sides */
    if (flg_meeting_elements_aim(elements, &stage, h == 0)) {
      meeting->is_factored = meeting->has_mass = false;
    }
  }
  const flg_status status =
      meeting->is_massive ? flg_meeting_meet_mass(meeting, h, error) : eliminate(meeting, h, error);
  if (status == FLG_OK && elements->count > 0) {
    const flg_elements_stage stage = stage_of(meeting);
    flg_meeting_elements_see(elements, &stage, h == 0);
  }
  return status;
}

/* --- which frictions slip and which stops are closed (limits/search.h) --- */

typedef struct search {
  flg_meeting *meeting;
  double h;
  flg_error *error;
} search;

static flg_status solve_again(void *host) {
  const search *in = host;
  return solve(in->meeting, in->h, in->error);
}

static int mode_of(const void *host, int index) {
  return flg_met_element_mode(&((const search *)host)->meeting->elements.list[index]);
}

static int judge(const void *host, int index) {
  return flg_meeting_elements_judge(&((const search *)host)->meeting->elements, index);
}

static void change(void *host, int index, int mode, bool is_alone) {
  flg_meeting_elements_change(&((search *)host)->meeting->elements, index, mode, is_alone);
}

static void yield(void *host, bool yields) {
  ((search *)host)->meeting->elements.yields = yields;
}

static flg_status close_limits(flg_meeting *meeting, double h, flg_error *error) {
  static const flg_limit_ops ops = {solve_again, mode_of, judge, change, yield};
  search in = {meeting, h, error};
  bool is_solved;
  const flg_status status = flg_limits_search(&ops, &in, meeting->elements.count, &is_solved);
  if (status != FLG_OK || is_solved) return status;
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "friction and stops of its interfaces cannot be solved together");
}

/* Nobody moves between a kick (h = 0) and the micro step after it: its rows stay. */
static flg_status meet(flg_meeting *meeting, double h, flg_error *error) {
  flg_meeting_elements *elements = &meeting->elements;
  if (!meeting->has_rows) {
    write_interfaces(meeting, h);
    meeting->is_factored = false;
  }
  meeting->has_rows = h == 0;
  if (elements->count > 0) {
    const flg_elements_stage stage = stage_of(meeting);
    flg_meeting_elements_place(elements, &stage);
  }
  if (meeting->contacts != NULL && h > 0) {
    meeting->contacts->keeps_all = meeting->is_massive;
    const flg_status status =
        flg_meeting_contacts_find(meeting->contacts, meeting->subsystem, h, error);
    if (status != FLG_OK) return status;
  }
  const bool pivots = elements->has_limits && h > 0;
  return pivots ? close_limits(meeting, h, error) : solve(meeting, h, error);
}

/* what goes on the ports: from the meeting, and what is known; it touches by itself. And what the
 * meeting does to the rest in turn. */
static void record(flg_meeting *meeting, const double *known, double *to, double *counter) {
  const int n = PORT_ROWS * meeting->joined_count;
  const double *w = flg_interface_model_velocity(meeting->own), *forces = meeting->forces[0];
  double *sum = meeting->sum, *work = meeting->work;
  for (int k = 0; k < n; k++) {
    const double impulse = forces[k] + (known == NULL ? 0 : known[k]);
    to[k] = impulse, sum[k] += impulse, work[k] += impulse * w[k];
  }
  for (int k = 0; k < meeting->rest->rows; k++) {
    counter[k] = meeting->forces[1][k];
    meeting->counter_sum[k] += counter[k];
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
  const bool at_once = meeting->looks_back && h > 0 && ops->reduce_plain != NULL;
  const bool is_ahead = h > 0 && rows_that_look_back(meeting) == 0 && ops->reduce_step != NULL;
  flg_status status = (at_once    ? ops->reduce_plain
                       : is_ahead ? ops->reduce_step
                                  : ops->reduce)(subsystem->self, time, h, meeting->own);
  const bool is_done = at_once || !(h > 0) || status != FLG_OK;
  const int count = is_done ? 0 : rows_that_look_back(meeting);
  if (count > 0) {
    status = ops->turning(subsystem->self, meeting->turning[0]);
    double *r = flg_interface_model_bias(meeting->own);
    add_scaled(count, r, -1, meeting->turning[0], r);
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

flg_status flg_meeting_find_forces(flg_meeting *meeting, double time, double h, const double *known,
                                   flg_error *error) {
  if (meeting->row_count == 0) {
    read_velocities(meeting);
    return FLG_OK;
  }
  const flg_status status = reduce_own(meeting, time, h, error);
  if (status != FLG_OK) return status;
  if (h > 0) flg_meeting_elastic_bend(&meeting->elastic, meeting->rest);
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

/* u += E K of the forces on one port of the rest */
FLG_WIDE_VECTORS
static void push_rest(const flg_meeting *meeting, int port) {
  flg_interface_model *rest = meeting->rest;
  const int n = rest->rows, first = PORT_ROWS * port;
  const double *K = meeting->forces[1] + first;
  const double *E = flg_interface_model_admittance(rest) + (size_t)first * (size_t)n;
  double *u = flg_interface_model_velocity(rest);
  for (int k = 0; k < n; k += PORT_ROWS) {
    flg_six sum;
    flg_six_load(u + k, &sum);
#pragma GCC unroll 6
    for (int j = 0; j < PORT_ROWS; j++) flg_six_add(K[j], E + k + (size_t)j * (size_t)n, &sum);
    flg_six_store(&sum, u + k);
  }
}

/* anchors of elements that are opposite to no port of ours */
static void push_anchors(const flg_meeting *meeting) {
  const flg_meeting_elements *elements = &meeting->elements;
  for (int k = 0; k < elements->interface_count; k++) {
    const flg_met_interface *met = &elements->interfaces[k];
    for (int i = 0; i < met->interface->anchor_count; i++) {
      const int row = met->anchors[i].row;
      if (row >= PORT_ROWS * meeting->joined_count) push_rest(meeting, row / PORT_ROWS);
    }
  }
}

/* u += h s + E K of the rest: ports at which we are joined are pushed, and in a step those that
 * something is near */
static void advance_velocities(flg_meeting *meeting, double h) {
  const flg_meeting_contacts *contacts = meeting->contacts;
  double *u = flg_interface_model_velocity(meeting->rest);
  if (h > 0) add_scaled(meeting->rest->rows, u, h, flg_interface_model_bias(meeting->rest), u);
  for (int k = 0; k < meeting->joined_count; k++) push_rest(meeting, k);
  push_anchors(meeting);
  for (int k = 0; h > 0 && contacts != NULL && k < contacts->near_count; k++) {
    const int port = contacts->near[k] - contacts->own_ports;
    if (port >= 0) push_rest(meeting, meeting->joined_count + port);
  }
}

/* Between two micro steps: velocities as they are now meet. */
static flg_status kick(flg_meeting *meeting, double time, double h, int index, const double *known,
                       flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const int n = PORT_ROWS * meeting->port_count;
  double *u = flg_interface_model_velocity(meeting->rest);
  add_scaled(meeting->rest->rows, u, h, meeting->turning[1], u);
  double *to = meeting->kicks + (size_t)index * (size_t)n;
  double *counter = meeting->counter[1] + (size_t)index * (size_t)meeting->rest->rows;
  flg_status status = flg_meeting_find_forces(meeting, time, 0, known, error);
  if (status != FLG_OK) return status;
  flg_meeting_elements_note(&meeting->elements, true);
  record(meeting, known, to, counter);
  advance_velocities(meeting, 0);
  status = subsystem->ops->coupled->impulse(subsystem->self, to);
  return status == FLG_OK ? FLG_OK : flg_fail(error, status, "its velocities are not finite");
}

void flg_meeting_pull(flg_meeting *meeting, flg_meeting_end *end, const double *u, double h) {
  flg_meeting_spring *spring = &end->spring;
  double *bias = flg_interface_model_bias(meeting->rest) + PORT_ROWS * end->port;
  double change[PORT_ROWS];
  u += PORT_ROWS * end->port;
  memcpy(bias, spring->bias, sizeof spring->bias);
  for (int i = 0; i < PORT_ROWS; i++) {
    spring->way[i] += h * u[i];
    change[i] = u[i] - spring->start[i];
  }
  flg_dense_apply(PORT_ROWS, PORT_ROWS, -1, spring->stiffness, PORT_ROWS, spring->way, bias);
  flg_dense_apply(PORT_ROWS, PORT_ROWS, -1, spring->damping, PORT_ROWS, change, bias);
}

void flg_meeting_move_rest(flg_meeting *meeting, const double *u, double h, bool is_step) {
  flg_meeting_elements_advance(&meeting->elements, u, h);
  flg_meeting_elastic_move(&meeting->elastic, u, h);
  if (meeting->rest_turns) flg_meeting_turn(meeting, u, h, is_step);
  for (int k = 0; k < meeting->end_count; k++) {
    flg_meeting_end *end = &meeting->ends[k];
    if (end->spring.is_on) flg_meeting_pull(meeting, end, u, h);
    const flg_spatial velocity = flg_spatial_load(u + PORT_ROWS * end->port);
    end->rest.position = flg_vec3_add_scaled(end->rest.position, h, velocity.linear);
    if (meeting->elimination.shape.weld && !meeting->is_massive) continue; /* it needs no axes */
    const flg_quat by = flg_quat_exp(flg_vec3_scale(velocity.angular, h));
    const flg_mat3 turn = flg_quat_to_matrix(by);
    end->rest.rotation = flg_mat3_multiply(&turn, &end->rest.rotation);
  }
  if (meeting->contacts == NULL || meeting->row_count == 0) return; /* nobody asks for gaps */
  flg_meeting_contacts_advance(meeting->contacts, u + PORT_ROWS * meeting->joined_count, h);
}

/* What others do in this micro step. */
static flg_status take_drive(flg_meeting *meeting, double time, int index, flg_meeting_drive *drive,
                             void *context, flg_error *error) {
  const size_t own = PORT_ROWS * (size_t)meeting->port_count, rest = (size_t)meeting->rest->rows;
  memset(meeting->driven, 0, own * sizeof(double));
  memset(meeting->kicked, 0, own * sizeof(double));
  for (int c = 0; c < 2; c++) {
    memset(meeting->hit[c], 0, (c == 0 ? own : rest) * sizeof(double));
    memset(meeting->hit_move[c], 0, (c == 0 ? own : rest) * sizeof(double));
  }
  const bool has_hits = drive(context, meeting, index);
  return has_hits ? flg_meeting_take_hits(meeting, time, index, error) : FLG_OK;
}

/* Forces of a micro step; hits in it come first, and then nothing bounces. */
static flg_status find_all(flg_meeting *meeting, double time, double h, int index,
                           const double *driven, flg_error *error) {
  flg_meeting_contacts *contacts = meeting->contacts;
  flg_status status = FLG_OK;
  for (int left = AGREEMENTS; left >= 0; left--) {
    status = flg_meeting_find_forces(meeting, time, h, driven, error);
    const bool hits = meeting->row_count > 0 && contacts != NULL && contacts->has_hits;
    if (status != FLG_OK || !hits || !meeting->closes_hits) return status;
    if (flg_meeting_hit(meeting, index, left == 0, &status, error)) break;
  }
  contacts->is_still = true;
  if (status == FLG_OK) status = flg_meeting_find_forces(meeting, time, h, driven, error);
  contacts->is_still = false;
  return status;
}

/* The same again where other ends of joints push than the model had. */
static flg_status find_agreed(flg_meeting *meeting, double time, double h, int index,
                              const double *driven, double *to, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const double now = time + index * h;
  flg_status status = find_all(meeting, now, h, index, driven, error);
  for (int k = 0; k < AGREEMENTS && ops->agrees != NULL && meeting->row_count > 0; k++) {
    if (status != FLG_OK) return status;
    for (int i = 0; i < PORT_ROWS * meeting->joined_count; i++) {
      to[i] = meeting->forces[0][i] + (driven == NULL ? 0 : driven[i]);
    }
    if (ops->agrees(subsystem->self, time, h, index, to)) break;
    status = find_all(meeting, now, h, index, driven, error);
  }
  return status;
}

/* Contacts of our own are part of the forces at interfaces: they are to come out the same when the
 * subsystem closes them by itself. */
static flg_status push(flg_meeting *meeting, double time, double h, int index, const double *to,
                       flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  flg_meeting_contacts *contacts = meeting->contacts;
  flg_contacts *own = subsystem->ops->contacts == NULL || contacts == NULL
                          ? NULL
                          : subsystem->ops->contacts(subsystem->self);
  if (contacts != NULL && meeting->row_count > 0) flg_meeting_contacts_record(contacts, index);
  if (own != NULL) flg_contacts_expect(own, contacts->expected, contacts->expected_count);
  const flg_status status =
      subsystem->ops->coupled->push(subsystem->self, time, h, index, to, error);
  if (own != NULL) flg_contacts_expect(own, NULL, 0);
  return status;
}

static flg_status step(flg_meeting *meeting, double time, double h, int index,
                       flg_meeting_drive *drive, void *context, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const int n = PORT_ROWS * meeting->port_count;
  const double now = time + index * h;
  double *to = meeting->record + (size_t)index * (size_t)n;
  double *counter = meeting->counter[0] + (size_t)index * (size_t)meeting->rest->rows;
  flg_status status = FLG_OK;
  if (meeting->contacts != NULL) meeting->contacts->expected_count = 0;
  flg_meeting_elements_begin(&meeting->elements, index);
  if (drive != NULL) status = take_drive(meeting, now, index, drive, context, error);
  if (status != FLG_OK) return status;
  const double *driven = drive != NULL ? meeting->driven : NULL;
  const double *kicked = drive != NULL ? meeting->kicked : NULL;
  if (meeting->is_kicked && index > 0) status = kick(meeting, now, h, index, kicked, error);
  if (status == FLG_OK) status = find_agreed(meeting, time, h, index, driven, to, error);
  if (status != FLG_OK) return status;
  flg_meeting_elements_note(&meeting->elements, false);
  record(meeting, driven, to, counter);
  advance_velocities(meeting, h);
  flg_meeting_move_rest(meeting, flg_interface_model_velocity(meeting->rest), h, true);
  status = push(meeting, time, h, index, to, error);
  if (status != FLG_OK) return status;
  flg_touch_account_add(meeting->account, subsystem, h);
  return FLG_OK;
}

flg_status flg_meeting_run(flg_meeting *meeting, double time, double h, flg_meeting_drive *drive,
                           void *context, flg_error *error) {
  const size_t bytes = PORT_ROWS * (size_t)meeting->port_count * sizeof(double);
  memset(meeting->sum, 0, bytes);
  memset(meeting->work, 0, bytes);
  flg_touch_account_clear(meeting->account);
  memset(meeting->counter_sum, 0, (size_t)meeting->rest->rows * sizeof(double));
  if (meeting->has_hits) {
    const size_t records = (size_t)meeting->rest->rows * (size_t)meeting->steps_most;
    memset(meeting->hits, 0, records * sizeof(double));
    memset(meeting->hit_moves, 0, records * sizeof(double));
    meeting->has_hits = false;
  }
  meeting->elements.h = h;
  meeting->elements.looks_back = meeting->looks_back || meeting->is_literal;
  meeting->rank = meeting->row_count;
  meeting->has_mass = meeting->has_rows = meeting->has_chosen = false;
  memset(meeting->repeats, 0, (size_t)meeting->row_count * sizeof *meeting->repeats);
  if (meeting->looks_back) look_back(meeting, h);
  if (meeting->rest_turns) flg_meeting_turn_begin(meeting);
  const flg_status bent =
      flg_meeting_elastic_begin(&meeting->elastic, h, meeting->looks_back, meeting->rest,
                                meeting->looks_back ? meeting->turning[1] : NULL);
  if (bent != FLG_OK) return flg_fail(error, bent, "the model of its rest is no longer finite");
  if (meeting->elimination.shape.weld) meeting->rest_reach = flg_port_reach(meeting->rest, 0);
  for (int k = 0; k < meeting->steps; k++) {
    if (meeting->stop != NULL && *meeting->stop != 0) {
      return flg_fail(error, FLG_ERR_INTERRUPTED, "it was stopped");
    }
    const flg_status status = step(meeting, time, h, k, drive, context, error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}
