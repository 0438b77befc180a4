#include "macro/macro_run.h"

#include <string.h>

#include "limits/search.h"
#include "macro/rest_model.h"
#include "math/dense.h"
#include "math/six.h"
#include "math/wide_vectors.h"

enum { PORT_ROWS = 6, AGREEMENTS = 4 /* times that forces are found again in a micro step */ };

/* to = a + factor b, over the rows of whole ports: six numbers at once */
FLG_WIDE_VECTORS
static void add_scaled(int rows, const double *a, double factor, const double *b, double *to) {
  for (int k = 0; k < rows; k += PORT_ROWS) {
    flg_six sum;
    flg_six_load(a + k, &sum);
    flg_six_add(factor, b + k, &sum);
    flg_six_store(&sum, to + k);
  }
}

/* velocities at the end of the micro step without interface forces */
static void predict(flg_interface_model *model, double h, const double *impulses, double *to) {
  add_scaled(model->rows, flg_interface_model_velocity(model), h, flg_interface_model_bias(model),
             to);
  if (impulses == NULL) return;
  flg_dense_apply(model->rows, model->rows, 1, flg_interface_model_admittance(model), model->rows,
                  impulses, to);
}

/* Velocities of touch ports on both sides, before the step: the contact law needs them for hits. */
static void gather_touch(const flg_macro_run *macro_run, flg_macro_contacts *contacts) {
  const double *const w[2] = {flg_interface_model_velocity(macro_run->own),
                              flg_interface_model_velocity(macro_run->rest)};
  for (int k = 0; k < contacts->near_count; k++) {
    const int row = PORT_ROWS * contacts->near[k], own = PORT_ROWS * contacts->own_ports;
    const double *from = row < own ? w[0] + row : w[1] + (row - own);
    memcpy(contacts->before + PORT_ROWS * k, from + PORT_ROWS * macro_run->joined_count,
           PORT_ROWS * sizeof *from);
  }
}

flg_status flg_macro_run_touch(flg_macro_run *macro_run, double h, flg_error *error) {
  gather_touch(macro_run, macro_run->contacts);
  return flg_macro_contacts_close(macro_run->contacts, h, error);
}

/* The model of the rest stays as it was at the start of the macro step while its frames turn: rows
 * that repeat others there look independent later, by the square of that turn, and would be closed
 * by forces without measure. They are left out in the whole macro step. Elements take no part: they
 * open and close. */
static flg_status leave_out_repeats(flg_macro_run *macro_run, const double *const matrix[2]) {
  flg_elimination *e = &macro_run->elimination;
  const int joints = macro_run->joint_rows, all = macro_run->row_count;
  for (int i = joints; i < all; i++) macro_run->reactions[i] = e->scale[i], e->scale[i] = 0;
  flg_status status = flg_elimination_select(e, FLG_PIVOTS_CHOOSE, matrix);
  for (int i = e->rank; i < all && status == FLG_OK; i++) {
    const int row = e->order[i];
    if (row < joints) macro_run->repeats[row] = true, e->scale[row] = 0;
  }
  for (int i = joints; i < all; i++) e->scale[i] = macro_run->reactions[i];
  return status == FLG_OK ? flg_elimination_select(e, FLG_PIVOTS_CHOOSE, matrix) : status;
}

/* A kick and the micro step after it have the same rows and E, and mostly the same D: once is
 * enough. A kick that waits has the model of its step. */
static flg_status macro_run_factor(flg_macro_run *macro_run, const double *const matrix[2]) {
  flg_elimination *e = &macro_run->elimination;
  const size_t n = (size_t)e->shape.rows[0];
  const bool is_other = macro_run->is_kicked && macro_run->waiting == NULL &&
                        flg_dense_renew(macro_run->factored, matrix[0], n * n);
  if (macro_run->is_factored && !is_other) return FLG_OK;
  /* the order of rows is cheaper than a choice, which is made only where this order fails */
  flg_status status = flg_elimination_select(e, FLG_PIVOTS_ALL, matrix);
  if (status == FLG_OK && !macro_run->has_chosen && e->rank < macro_run->row_count) {
    status = leave_out_repeats(macro_run, matrix);
  }
  macro_run->has_chosen = true;
  macro_run->is_factored = status == FLG_OK;
  return status;
}

/* Touch ports that are near something stay, since contacts are closed after the interfaces; all
 * others are left out, which keeps H small. Those of the own side stand first. */
static void keep_near(flg_macro_run *macro_run, const double *const matrix[2]) {
  flg_macro_contacts *contacts = macro_run->contacts;
  int count[2] = {0, 0}, *rows[2] = {macro_run->kept, macro_run->kept};
  for (int k = 0; k < contacts->near_count; k++) {
    const int port = contacts->near[k], side = port >= contacts->own_ports;
    const int first = port - (side ? contacts->own_ports : 0) + macro_run->joined_count;
    if (!side) rows[1] += PORT_ROWS;
    for (int i = 0; i < PORT_ROWS; i++) rows[side][count[side]++] = PORT_ROWS * first + i;
  }
  flg_elimination_keep(&macro_run->elimination, (const int *const[2]){rows[0], rows[1]}, count,
                       matrix, contacts->H);
}

/* Interfaces first, as rows of contacts see them; then contacts; then back to the interfaces. */
static flg_status eliminate_macro(flg_macro_run *macro_run, double h, flg_error *error) {
  flg_elimination *e = &macro_run->elimination;
  flg_macro_contacts *contacts = macro_run->contacts;
  const double *const bias[2] = {macro_run->bias[0], macro_run->bias[1]};
  const double *const matrix[2] = {flg_interface_model_admittance(macro_run->own),
                                   flg_interface_model_admittance(macro_run->rest)};
  double none = 0; /* no row is kept */
  flg_status status = macro_run_factor(macro_run, matrix);
  const bool touches = contacts != NULL && contacts->count > 0 && h > 0; /* else a kick */
  if (touches && status == FLG_OK) keep_near(macro_run, matrix);
  if (status == FLG_OK) status = flg_elimination_refresh(e, bias, touches ? contacts->b : &none);
  if (status != FLG_OK) return flg_fail(error, status, "its interfaces are no longer finite");
  if (touches) status = flg_macro_run_touch(macro_run, h, error);
  if (status != FLG_OK) return status;
  flg_elimination_back(e, touches ? contacts->x : NULL, macro_run->reactions, macro_run->forces);
  if (e->rank < macro_run->rank) macro_run->rank = e->rank;
  return FLG_OK;
}

static flg_elements_stage stage_of(flg_macro_run *macro_run) {
  return (flg_elements_stage){.subsystem = macro_run->subsystem,
                              .own = macro_run->own,
                              .rest = macro_run->rest,
                              .elimination = &macro_run->elimination,
                              .bias = {macro_run->bias[0], macro_run->bias[1]},
                              .forces = {macro_run->forces[0], macro_run->forces[1]},
                              .reactions = macro_run->reactions,
                              .turns = {macro_run->velocity_bias[0], macro_run->velocity_bias[1]}};
}

/* with the elements as they are now */
static flg_status macro_run_solve(flg_macro_run *macro_run, double h, flg_error *error) {
  flg_macro_elements *elements = &macro_run->elements;
  if (elements->count > 0) {
    const flg_elements_stage stage = stage_of(macro_run);
    if (macro_run->is_massive)
      flg_macro_run_write_rows(macro_run, h); /* it spoils right-hand sides */
    /* a spring that has become another one, or a row that opened, is another matrix */
    if (flg_macro_elements_aim(elements, &stage, h == 0)) {
      macro_run->is_factored = macro_run->has_mass = false;
    }
  }
  const flg_status status = macro_run->is_massive ? flg_macro_run_meet_mass(macro_run, h, error)
                                                  : eliminate_macro(macro_run, h, error);
  if (status == FLG_OK && elements->count > 0) {
    const flg_elements_stage stage = stage_of(macro_run);
    flg_macro_elements_see(elements, &stage, h == 0);
  }
  return status;
}

/* --- which frictions slip and which stops are closed (limits/search.h) --- */

typedef struct search {
  flg_macro_run *macro_run;
  double h;
  flg_error *error;
} search;

static flg_status solve_again(void *host) {
  const search *in = host;
  return macro_run_solve(in->macro_run, in->h, in->error);
}

static int mode_of_element(const void *host, int index) {
  return flg_macro_element_mode(&((const search *)host)->macro_run->elements.list[index]);
}

static int judge_element(const void *host, int index) {
  return flg_macro_elements_judge(&((const search *)host)->macro_run->elements, index);
}

static void change_element_mode(void *host, int index, int mode, bool is_alone) {
  flg_macro_elements_change(&((search *)host)->macro_run->elements, index, mode, is_alone);
}

static void yield_elements(void *host, bool yields) {
  ((search *)host)->macro_run->elements.yields = yields;
}

static flg_status close_limits(flg_macro_run *macro_run, double h, flg_error *error) {
  static const flg_limit_ops ops = {solve_again, mode_of_element, judge_element,
                                    change_element_mode, yield_elements};
  search in = {macro_run, h, error};
  bool is_solved;
  const flg_status status = flg_limits_search(&ops, &in, macro_run->elements.count, &is_solved);
  if (status != FLG_OK || is_solved) return status;
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "friction and stops of its interfaces cannot be solved together");
}

/* Positions stay between a kick (h = 0) and the micro step after it, and so do its rows. */
static flg_status macro_run_find_impulses(flg_macro_run *macro_run, double h, flg_error *error) {
  flg_macro_elements *elements = &macro_run->elements;
  if (!macro_run->has_rows) {
    flg_macro_run_write_rows(macro_run, macro_run->leaps ? h / 2 : h);
    macro_run->is_factored = false;
  }
  macro_run->has_rows = h == 0;
  if (elements->count > 0) {
    const flg_elements_stage stage = stage_of(macro_run);
    flg_macro_elements_place(elements, &stage);
  }
  if (macro_run->contacts != NULL && h > 0) {
    macro_run->contacts->keeps_all = macro_run->is_massive;
    const flg_status status =
        flg_macro_contacts_find(macro_run->contacts, macro_run->subsystem, h, error);
    if (status != FLG_OK) return status;
  }
  /* kicks take no time: frictions and stops stay as they are in them */
  const bool pivots = elements->has_limits && h > 0;
  return pivots ? close_limits(macro_run, h, error) : macro_run_solve(macro_run, h, error);
}

/* what goes on the ports: from the macro run, and what is known; it touches by itself. And what the
 * macro run does to the rest in turn. */
FLG_WIDE_VECTORS
void flg_macro_run_record(flg_macro_run *macro_run, const double *known, double *to,
                          double *counter) {
  const int n = PORT_ROWS * macro_run->joined_count;
  const double *w = flg_interface_model_velocity(macro_run->own), *forces = macro_run->forces[0];
  double *sum = macro_run->sum, *work = macro_run->work;
  for (int k = 0; k < n; k += PORT_ROWS) {
    flg_six impulse, total, product;
    flg_six_load(forces + k, &impulse), flg_six_load(sum + k, &total);
    flg_six_load(w + k, &product);
    if (known != NULL) flg_six_add(1, known + k, &impulse);
    flg_six_store(&impulse, to + k);
    flg_six_add(1, to + k, &total), flg_six_store(&total, sum + k);
    /* for the balance of energy at interfaces */
    product.four *= impulse.four, product.two *= impulse.two;
    flg_six_add(1, work + k, &product), flg_six_store(&product, work + k);
  }
  if (macro_run->row_count == 0) return; /* it does nothing to the rest */
  memcpy(counter, macro_run->forces[1], (size_t)macro_run->rest->rows * sizeof *counter);
  add_scaled(macro_run->rest->rows, macro_run->counter_sum, 1, counter, macro_run->counter_sum);
}

/* how many rows of our own mean J_k v+ at the end of a micro step */
static int count_start_rows(const flg_macro_run *macro_run) {
  if (macro_run->uses_start_rows) return macro_run->own->rows;
  return macro_run->is_literal ? PORT_ROWS * macro_run->joined_count : 0;
}

/* own, now; r is less its velocity_bias if we use start rows; h = 0: velocities alone */
static flg_status reduce_own(flg_macro_run *macro_run, double time, double h, flg_error *error) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  if (macro_run->leaps && h > 0) {
    const flg_status status =
        ops->reduce_kick(subsystem->self, time, h, macro_run->own, macro_run->velocity_bias[0]);
    if (status == FLG_OK) return FLG_OK;
    return flg_fail(error, status, "%s", flg_subsystem_complaint(subsystem));
  }
  const bool at_once = macro_run->uses_start_rows && h > 0 && ops->reduce_plain != NULL;
  const bool is_ahead = h > 0 && count_start_rows(macro_run) == 0 && ops->reduce_step != NULL;
  flg_status status = (at_once    ? ops->reduce_plain
                       : is_ahead ? ops->reduce_step
                                  : ops->reduce)(subsystem->self, time, h, macro_run->own);
  const bool is_done = at_once || !(h > 0) || status != FLG_OK;
  const int count = is_done ? 0 : count_start_rows(macro_run);
  if (count > 0) {
    /* J_k v+ = w + h (r - t) + D L: rows of the start do not turn (coupled.h) */
    status = ops->velocity_bias(subsystem->self, macro_run->velocity_bias[0]);
    double *r = flg_interface_model_bias(macro_run->own);
    add_scaled(count, r, -1, macro_run->velocity_bias[0], r);
  }
  if (status == FLG_OK) return FLG_OK;
  return flg_fail(error, status, "%s", flg_subsystem_complaint(subsystem));
}

/* where all impulses are known, no model is needed */
static void read_velocities(flg_macro_run *macro_run) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  for (int k = 0; k < macro_run->joined_count; k++) {
    const flg_spatial velocity = ops->velocity != NULL ? ops->velocity(subsystem->self, k)
                                                       : ops->frame(subsystem->self, k).velocity;
    flg_spatial_store(velocity, flg_interface_model_velocity(macro_run->own) + PORT_ROWS * k);
  }
}

flg_status flg_macro_run_find_forces(flg_macro_run *macro_run, double time, double h,
                                     const double *known, flg_error *error) {
  if (macro_run->row_count == 0) {
    read_velocities(macro_run);
    return FLG_OK;
  }
  /* the model of a kick that waits is that of the step */
  const flg_status status =
      macro_run->waiting != NULL ? FLG_OK : reduce_own(macro_run, time, h, error);
  if (status != FLG_OK) return status;
  if (h > 0) flg_macro_elastic_bend(&macro_run->elastic, macro_run->rest);
  predict(macro_run->own, h, known, macro_run->bias[0]);
  predict(macro_run->rest, h, NULL, macro_run->bias[1]);
  if (macro_run->leaps) flg_macro_run_lean(macro_run, h);
  return macro_run_find_impulses(macro_run, h, error);
}

/* Before the first micro step of a subsystem that uses start rows: u of the rest has the same
 * meaning. */
static void give_start_rows_to_rest(flg_macro_run *macro_run, double h) {
  double *s = flg_interface_model_bias(macro_run->rest);
  double *u = flg_interface_model_velocity(macro_run->rest);
  const double *t = macro_run->velocity_bias[1];
  for (int k = 0; k < macro_run->rest->rows; k++) {
    /* kicks give h t back after each micro step; without them it is taken once, at the start */
    if (macro_run->is_kicked) {
      s[k] -= t[k];
    } else {
      u[k] -= h * t[k];
    }
  }
}

/* v += D x of the forces on one port */
FLG_WIDE_VECTORS
static void push_port(flg_interface_model *model, const double *x, int port) {
  const int n = model->rows, first = PORT_ROWS * port;
  const double *D = flg_interface_model_admittance(model) + (size_t)first * (size_t)n;
  double *v = flg_interface_model_velocity(model);
  for (int k = 0; k < n; k += PORT_ROWS) {
    flg_six sum;
    flg_six_load(v + k, &sum);
#pragma GCC unroll 6
    for (int j = 0; j < PORT_ROWS; j++)
      flg_six_add(x[first + j], D + k + (size_t)j * (size_t)n, &sum);
    flg_six_store(&sum, v + k);
  }
}

/* u += E K of a port of the rest */
static void push_rest(const flg_macro_run *macro_run, int port) {
  push_port(macro_run->rest, macro_run->forces[1], port);
}

/* anchors of elements that are opposite to no port of ours */
static void push_anchors(const flg_macro_run *macro_run) {
  const flg_macro_elements *elements = &macro_run->elements;
  for (int k = 0; k < elements->interface_count; k++) {
    const flg_macro_interface *met = &elements->interfaces[k];
    for (int i = 0; i < met->interface->anchor_count; i++) {
      const int row = met->anchors[i].row;
      if (row >= PORT_ROWS * macro_run->joined_count) push_rest(macro_run, row / PORT_ROWS);
    }
  }
}

/* u += h s + E K of the rest: ports at which we are joined are pushed, and in a step those that
 * something is near */
void flg_macro_run_push_rest(flg_macro_run *macro_run, double h) {
  const flg_macro_contacts *contacts = macro_run->contacts;
  double *u = flg_interface_model_velocity(macro_run->rest);
  if (macro_run->row_count == 0) return; /* no row reads the rest */
  if (h > 0) add_scaled(macro_run->rest->rows, u, h, flg_interface_model_bias(macro_run->rest), u);
  for (int k = 0; k < macro_run->joined_count; k++) push_rest(macro_run, k);
  push_anchors(macro_run);
  for (int k = 0; h > 0 && contacts != NULL && k < contacts->near_count; k++) {
    const int port = contacts->near[k] - contacts->own_ports;
    if (port >= 0) push_rest(macro_run, macro_run->joined_count + port);
  }
}

/* A kick may wait for its step where it changes nothing of its model but velocities. */
static bool may_wait(const flg_macro_run *macro_run) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  return macro_run->row_count > 0 && macro_run->elements.count == 0 && !macro_run->is_massive &&
         ops->coasts != NULL && ops->coasts(subsystem->self);
}

/* w += D P */
static void note_kick(const flg_macro_run *macro_run, const double *impulses) {
  for (int k = 0; k < macro_run->joined_count; k++) push_port(macro_run->own, impulses, k);
}

/* hits act on velocities: the kick that waits does so before them */
static flg_status end_wait(flg_macro_run *macro_run, flg_error *error) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const double *impulses = macro_run->waiting;
  macro_run->waiting = NULL;
  const flg_status status =
      impulses == NULL ? FLG_OK : subsystem->ops->coupled->impulse(subsystem->self, impulses);
  return status == FLG_OK ? FLG_OK : flg_fail(error, status, "its velocities are not finite");
}

/* Between two micro steps: the interfaces are closed by the velocities as they are now. */
static flg_status kick_macro(flg_macro_run *macro_run, double time, double h, int index,
                             const double *known, flg_error *error) {
  const int n = PORT_ROWS * macro_run->port_count;
  double *u = flg_interface_model_velocity(macro_run->rest);
  /* what the step without t has left out of the rest's velocity */
  if (macro_run->row_count > 0)
    add_scaled(macro_run->rest->rows, u, h, macro_run->velocity_bias[1], u);
  double *to = macro_run->kicks + (size_t)index * (size_t)n;
  double *counter = macro_run->counter[1] + (size_t)index * (size_t)macro_run->rest->rows;
  flg_status status = FLG_OK;
  if (may_wait(macro_run)) {
    status = reduce_own(macro_run, time, h, error);
    macro_run->waiting = to;
  }
  if (status == FLG_OK) status = flg_macro_run_find_forces(macro_run, time, 0, known, error);
  if (status != FLG_OK) return status;
  flg_macro_elements_note(&macro_run->elements, true);
  flg_macro_run_record(macro_run, known, to, counter);
  flg_macro_run_push_rest(macro_run, 0);
  if (macro_run->waiting != NULL) {
    note_kick(macro_run, to);
    return FLG_OK;
  }
  macro_run->waiting = to;
  return end_wait(macro_run, error);
}

void flg_macro_run_pull(flg_macro_run *macro_run, flg_macro_end *end, const double *u, double h) {
  flg_macro_spring *spring = &end->spring;
  double *bias = flg_interface_model_bias(macro_run->rest) + PORT_ROWS * end->port;
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

void flg_macro_run_move_rest(flg_macro_run *macro_run, const double *u, double h, bool is_step) {
  if (macro_run->row_count == 0) return; /* only driven: no row reads the rest */
  flg_macro_elements_advance(&macro_run->elements, u, h);
  flg_macro_elastic_move(&macro_run->elastic, u, h);
  if (macro_run->rest_turns) flg_macro_run_turn(macro_run, u, h, is_step);
  for (int k = 0; k < macro_run->end_count; k++) {
    flg_macro_end *end = &macro_run->ends[k];
    if (end->spring.is_on) flg_macro_run_pull(macro_run, end, u, h);
    const flg_spatial velocity = flg_spatial_load(u + PORT_ROWS * end->port);
    end->rest.position = flg_vec3_add_scaled(end->rest.position, h, velocity.linear);
    if (macro_run->elimination.shape.weld && !macro_run->is_massive)
      continue; /* it needs no axes */
    const flg_quat by = flg_quat_exp(flg_vec3_scale(velocity.angular, h));
    const flg_mat3 turn = flg_quat_to_matrix(by);
    end->rest.rotation = flg_mat3_multiply(&turn, &end->rest.rotation);
  }
  if (macro_run->contacts == NULL) return;
  flg_macro_contacts_advance(macro_run->contacts, u + PORT_ROWS * macro_run->joined_count, h);
}

/* Impulses of other subsystems in this micro step. */
flg_status flg_macro_run_take_drive(flg_macro_run *macro_run, double time, int index,
                                    flg_macro_drive *drive, void *context, flg_error *error) {
  memset(macro_run->taken, 0, macro_run->taken_count * sizeof(double));
  const bool has_hits = drive(context, macro_run, index);
  return has_hits ? flg_macro_run_take_hits(macro_run, time, index, error) : FLG_OK;
}

/* Forces of a micro step; hits in it come first, and then nothing bounces. */
static flg_status find_micro_forces(flg_macro_run *macro_run, double time, double h, int index,
                                    const double *driven, flg_error *error) {
  flg_macro_contacts *contacts = macro_run->contacts;
  flg_status status = FLG_OK;
  for (int left = AGREEMENTS; left >= 0; left--) {
    status = flg_macro_run_find_forces(macro_run, time, h, driven, error);
    const bool hits = macro_run->row_count > 0 && contacts != NULL && contacts->has_hits;
    if (status != FLG_OK || !hits || !macro_run->closes_hits) return status;
    status = end_wait(macro_run, error);
    if (status != FLG_OK) return status;
    if (flg_macro_run_hit(macro_run, index, left == 0, &status, error)) break;
  }
  /* hits have acted: the forces of the step find velocities that already part */
  contacts->is_still = true;
  if (status == FLG_OK) status = flg_macro_run_find_forces(macro_run, time, h, driven, error);
  contacts->is_still = false;
  return status;
}

/* The same again where other ends of joints push than the model had. */
flg_status flg_macro_run_find_agreed(flg_macro_run *macro_run, double time, double h, int index,
                                     const double *driven, double *to, flg_error *error) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const double now = time + index * h;
  flg_status status = find_micro_forces(macro_run, now, h, index, driven, error);
  for (int k = 0; k < AGREEMENTS && ops->agrees != NULL && macro_run->row_count > 0; k++) {
    if (status != FLG_OK) return status;
    for (int i = 0; i < PORT_ROWS * macro_run->joined_count; i++) {
      to[i] = macro_run->forces[0][i] + (driven == NULL ? 0 : driven[i]);
    }
    if (ops->agrees(subsystem->self, time, h, index, to)) break;
    status = find_micro_forces(macro_run, now, h, index, driven, error);
  }
  return status;
}

/* Contacts of our own are part of the forces at interfaces: they are to come out the same when the
 * subsystem closes them by itself. */
static flg_contacts *contacts_of_own(const flg_macro_run *macro_run) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  if (subsystem->ops->contacts == NULL || macro_run->contacts == NULL) return NULL;
  return subsystem->ops->contacts(subsystem->self);
}

void flg_macro_run_expect(const flg_macro_run *macro_run, int index) {
  flg_macro_contacts *contacts = macro_run->contacts;
  flg_contacts *own = contacts_of_own(macro_run);
  if (contacts != NULL && macro_run->row_count > 0) flg_macro_contacts_record(contacts, index);
  if (own == NULL) return;
  flg_contacts_expect(own, contacts->expected, contacts->expected_count);
  flg_contacts_strike(own, contacts->struck, contacts->struck_count);
}

void flg_macro_run_expect_nothing(const flg_macro_run *macro_run) {
  flg_contacts *own = contacts_of_own(macro_run);
  if (own != NULL) flg_contacts_expect(own, NULL, 0), flg_contacts_strike(own, NULL, 0);
}

static flg_status macro_run_push(flg_macro_run *macro_run, double time, double h, int index,
                                 const double *to, flg_error *error) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const int n = PORT_ROWS * macro_run->port_count;
  const double *waiting = macro_run->waiting;
  flg_macro_run_expect(macro_run, index);
  if (waiting != NULL) add_scaled(n, to, 1, waiting, macro_run->pushed);
  const flg_status status = subsystem->ops->coupled->push(
      subsystem->self, time, h, index, waiting == NULL ? to : macro_run->pushed, error);
  macro_run->waiting = NULL;
  flg_macro_run_expect_nothing(macro_run);
  return status;
}

static flg_status macro_run_step(flg_macro_run *macro_run, double time, double h, int index,
                                 flg_macro_drive *drive, void *context, flg_error *error) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const int n = PORT_ROWS * macro_run->port_count;
  const double now = time + index * h;
  double *to = macro_run->record + (size_t)index * (size_t)n;
  double *counter = macro_run->counter[0] + (size_t)index * (size_t)macro_run->rest->rows;
  flg_status status = FLG_OK;
  if (macro_run->contacts != NULL) {
    macro_run->contacts->expected_count = macro_run->contacts->struck_count = 0;
  }
  flg_macro_elements_begin(&macro_run->elements, index);
  if (drive != NULL)
    status = flg_macro_run_take_drive(macro_run, now, index, drive, context, error);
  if (status != FLG_OK) return status;
  const double *driven = drive != NULL ? macro_run->driven : NULL;
  const double *kicked = drive != NULL ? macro_run->kicked : NULL;
  if (macro_run->is_kicked && index > 0)
    status = kick_macro(macro_run, now, h, index, kicked, error);
  if (status == FLG_OK)
    status = flg_macro_run_find_agreed(macro_run, time, h, index, driven, to, error);
  if (status != FLG_OK) return status;
  flg_macro_elements_note(&macro_run->elements, false);
  flg_macro_run_record(macro_run, driven, to, counter);
  /* the rest goes on by its model, the subsystem by its own step */
  flg_macro_run_push_rest(macro_run, h);
  flg_macro_run_move_rest(macro_run, flg_interface_model_velocity(macro_run->rest), h, true);
  status = macro_run_push(macro_run, time, h, index, to, error);
  if (status != FLG_OK) return status;
  flg_touch_account_add(macro_run->account, subsystem, h);
  return FLG_OK;
}

flg_status flg_macro_run_steps(flg_macro_run *macro_run, double time, double h,
                               flg_macro_drive *drive, void *context, flg_error *error) {
  const size_t bytes = PORT_ROWS * (size_t)macro_run->port_count * sizeof(double);
  memset(macro_run->sum, 0, bytes);
  memset(macro_run->work, 0, bytes);
  flg_touch_account_clear(macro_run->account);
  memset(macro_run->counter_sum, 0, (size_t)macro_run->rest->rows * sizeof(double));
  /* records of hits are long, and mostly empty: cleared only where the last macro step had some */
  if (macro_run->has_hits) {
    const size_t records = (size_t)macro_run->rest->rows * (size_t)macro_run->steps_most;
    memset(macro_run->hits, 0, records * sizeof(double));
    memset(macro_run->hit_moves, 0, records * sizeof(double));
    for (int c = 0; c < 2; c++) {
      memset(macro_run->own_hits[c], 0, bytes * (size_t)macro_run->steps_most);
    }
    if (macro_run->contacts != NULL) {
      flg_macro_contacts_forget_hits(macro_run->contacts, macro_run->steps_most);
    }
    macro_run->has_hits = false;
  }
  macro_run->elements.h = h;
  macro_run->elements.uses_start_rows = macro_run->uses_start_rows || macro_run->is_literal;
  macro_run->elements.leaps = macro_run->leaps;
  if (macro_run->contacts != NULL) macro_run->contacts->is_kick = macro_run->leaps;
  macro_run->rank = macro_run->row_count;
  macro_run->has_mass = macro_run->has_rows = macro_run->has_chosen = false;
  macro_run->waiting = NULL;
  memcpy(macro_run->repeats, macro_run->left_out,
         (size_t)macro_run->row_count * sizeof *macro_run->repeats);
  if (macro_run->uses_start_rows || macro_run->leaps) give_start_rows_to_rest(macro_run, h);
  if (macro_run->rest_turns) flg_macro_run_turn_begin(macro_run);
  const flg_elastic_rule rule = macro_run->leaps             ? FLG_ELASTIC_AT_KICK
                                : macro_run->uses_start_rows ? FLG_ELASTIC_FROM_START
                                                             : FLG_ELASTIC_MIDWAY;
  const flg_status bent =
      flg_macro_elastic_begin(&macro_run->elastic, h, rule, macro_run->rest,
                              macro_run->is_kicked ? macro_run->velocity_bias[1] : NULL);
  if (bent != FLG_OK) return flg_fail(error, bent, "the model of its rest is no longer finite");
  if (macro_run->elimination.shape.weld) macro_run->rest_yield = flg_port_yield(macro_run->rest, 0);
  for (int k = 0; k < macro_run->steps; k++) {
    if (macro_run->stop != NULL && *macro_run->stop != 0) {
      return flg_fail(error, FLG_ERR_INTERRUPTED, "it was stopped");
    }
    const flg_status status = (macro_run->leaps ? flg_macro_run_leap : macro_run_step)(
        macro_run, time, h, k, drive, context, error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}
