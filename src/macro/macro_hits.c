/* Hits in a macro run: an impact is felt at once by all that is joined.
 *
 *     P            impulses of contacts that bounce, found with the admittance of own and rest
 *                  together (macro_contacts.h, contact_law.h)
 *     F = P + G^T l,   G (D F_own, E F_rest) = 0    what interfaces do in answer
 *     own  v += W A^T F,  rest  u += E F            before forces of the micro step act
 *
 * and the same of displacements, -tau P, since a hit acts from the time tau of the step on only.
 * Were own contacts left to bounce in the step of their subsystem, they would turn around that
 * subsystem alone, and the answer of the interfaces would pull it back.
 *
 * In a sequence the first subsystem decides on the hits of all; the others take them over, on their
 * interfaces and on their touch ports. Hits also act at interfaces between those that have run and
 * the rest: the rest jumps by what these do to it (flg_rest_model_answer).
 */
#include <string.h>

#include "macro/macro_run.h"
#include "math/dense.h"

enum { PORT_ROWS = 6, LETTING_GO = 4 /* times that interfaces answer again */ };

static flg_interface_model *model_of_side(const flg_macro_run *macro_run, int side) {
  return side == 0 ? macro_run->own : macro_run->rest;
}

/* to = D x or E x */
static void macro_hits_respond(const flg_macro_run *macro_run, int side, const double *x,
                               double *to) {
  flg_interface_model *model = model_of_side(macro_run, side);
  memset(to, 0, (size_t)model->rows * sizeof *to);
  flg_dense_apply(model->rows, model->rows, 1, flg_interface_model_admittance(model), model->rows,
                  x, to);
}

/* to += a jump of the rest */
static void add_jump(const flg_macro_run *macro_run, const double *jump, double *to) {
  for (int k = 0; k < macro_run->rest->rows; k++) to[k] += jump[k];
}

/* x of both sides, and what interfaces do such that they stay closed; it spoils right-hand sides */
static flg_status answer_hit(flg_macro_run *macro_run, double *const x[2], const double *jump) {
  flg_elimination *e = &macro_run->elimination;
  const double *const bias[2] = {macro_run->bias[0], macro_run->bias[1]};
  double none = 0;
  if (macro_run->row_count == 0) return FLG_OK;
  for (int c = 0; c < 2; c++) macro_hits_respond(macro_run, c, x[c], macro_run->bias[c]);
  add_jump(macro_run, jump, macro_run->bias[1]);
  memset(e->gamma, 0, (size_t)macro_run->row_count * sizeof *e->gamma);
  flg_elimination_keep(e, (const int *const[2]){macro_run->kept, macro_run->kept}, (int[2]){0, 0},
                       (const double *const[2]){flg_interface_model_admittance(macro_run->own),
                                                flg_interface_model_admittance(macro_run->rest)},
                       &none);
  const flg_status status = flg_elimination_refresh(e, bias, &none);
  if (status != FLG_OK) return status;
  flg_elimination_back(e, NULL, macro_run->reactions, macro_run->forces);
  for (int c = 0; c < 2; c++) {
    const int rows = model_of_side(macro_run, c)->rows;
    for (int k = 0; k < rows; k++) x[c][k] += macro_run->forces[c][k];
  }
  return FLG_OK;
}

/* into the sums of the macro step, and for those that are driven by us */
static void record_hits(flg_macro_run *macro_run, int index) {
  const int n = PORT_ROWS * macro_run->joined_count, rows = macro_run->rest->rows;
  const double *w = flg_interface_model_velocity(macro_run->own);
  const size_t at = (size_t)index * (size_t)rows;
  macro_hits_respond(macro_run, 0, macro_run->hit[0], macro_run->bias[0]);
  for (int k = 0; k < n; k++) {
    macro_run->sum[k] += macro_run->hit[0][k];
    macro_run->work[k] += macro_run->hit[0][k] * (w[k] + macro_run->bias[0][k] / 2);
  }
  for (int k = 0; k < rows; k++) {
    macro_run->counter_sum[k] += macro_run->hit[1][k];
    macro_run->hits[at + (size_t)k] += macro_run->hit[1][k];
    macro_run->hit_moves[at + (size_t)k] += macro_run->hit_move[1][k];
  }
  const int ports = PORT_ROWS * macro_run->port_count;
  double *own[2] = {macro_run->own_hits[0] + (size_t)index * (size_t)ports,
                    macro_run->own_hits[1] + (size_t)index * (size_t)ports};
  for (int k = 0; k < ports; k++) {
    own[0][k] += macro_run->hit[0][k];
    own[1][k] += macro_run->hit_move[0][k];
  }
  macro_run->has_hits = true;
}

/* whether what sticks or pushes on our side stays as it is under the hits, with what answers */
static bool bears_hits(flg_macro_run *macro_run) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const bool elements = macro_run->row_count == 0 ||
                        flg_macro_elements_bear(&macro_run->elements, macro_run->reactions);
  const bool own =
      ops->bears == NULL || ops->bears(subsystem->self, macro_run->elements.h, macro_run->hit[0]);
  return elements && own;
}

/* velocities and places of both sides, at once; interfaces have answered to the hits */
static flg_status apply_hits(flg_macro_run *macro_run, int index, flg_error *error) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  double *u = flg_interface_model_velocity(macro_run->rest);
  flg_status status = answer_hit(macro_run, macro_run->hit_move, macro_run->jump[1]);
  if (status != FLG_OK) return flg_fail(error, status, "its interfaces are no longer finite");
  record_hits(macro_run, index);
  macro_hits_respond(macro_run, 1, macro_run->hit[1], macro_run->bias[1]);
  add_jump(macro_run, macro_run->jump[0], macro_run->bias[1]);
  for (int k = 0; k < macro_run->rest->rows; k++) u[k] += macro_run->bias[1][k];
  macro_hits_respond(macro_run, 1, macro_run->hit_move[1], macro_run->bias[1]);
  add_jump(macro_run, macro_run->jump[1], macro_run->bias[1]);
  flg_macro_run_move_rest(macro_run, macro_run->bias[1], 1, false);
  status = ops->impulse(subsystem->self, macro_run->hit[0]);
  if (status == FLG_OK) status = ops->displace(subsystem->self, macro_run->hit_move[0]);
  macro_run->has_rows = macro_run->is_factored = false; /* it has moved */
  return status == FLG_OK ? FLG_OK : flg_fail(error, status, "its velocities are not finite");
}

static void note_hit_count(const flg_subsystem *subsystem, int count) {
  if (subsystem->ops->contacts == NULL || count == 0) return;
  flg_contacts *contacts = subsystem->ops->contacts(subsystem->self);
  if (contacts != NULL) flg_contacts_note_hits(contacts, count);
}

bool flg_macro_run_hit(flg_macro_run *macro_run, int index, bool is_last, flg_status *status,
                       flg_error *error) {
  flg_macro_contacts *contacts = macro_run->contacts;
  const int first = PORT_ROWS * macro_run->joined_count;
  for (int c = 0; c < 2; c++) {
    const size_t bytes = (size_t)model_of_side(macro_run, c)->rows * sizeof(double);
    memset(macro_run->hit[c], 0, bytes), memset(macro_run->hit_move[c], 0, bytes);
  }
  flg_macro_contacts_add_hits(contacts, FLG_MACRO_HITS, macro_run->hit[0] + first,
                              macro_run->hit[1] + first);
  flg_macro_contacts_add_hits(contacts, FLG_MACRO_MOVES, macro_run->hit_move[0] + first,
                              macro_run->hit_move[1] + first);
  *status = answer_hit(macro_run, macro_run->hit, macro_run->jump[0]);
  if (*status == FLG_OK && !bears_hits(macro_run) && !is_last) return false;
  note_hit_count(macro_run->subsystem, flg_macro_contacts_own_hits(contacts));
  flg_macro_contacts_note_hits(contacts, index);
  if (*status == FLG_OK) *status = apply_hits(macro_run, index, error);
  return true;
}

/* ports of our own that are hit */
static int count_hits(const flg_macro_run *macro_run) {
  int count = 0;
  for (int k = macro_run->joined_count; k < macro_run->port_count; k++) {
    count += !flg_dense_is_zero(macro_run->hit[0] + PORT_ROWS * k, PORT_ROWS);
  }
  return count;
}

/* models and factors for impulses */
static flg_status prepare_hits(flg_macro_run *macro_run, double time, flg_error *error) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  if (macro_run->row_count > 0) return flg_macro_run_find_forces(macro_run, time, 0, NULL, error);
  if (subsystem->ops->coupled->reduce(subsystem->self, time, 0, macro_run->own) == FLG_OK)
    return FLG_OK;
  return flg_fail(error, FLG_ERR_DIVERGED, "%s", flg_subsystem_complaint(subsystem));
}

/* what interfaces have answered is taken back */
static void take_back(flg_macro_run *macro_run) {
  for (int c = 0; c < 2 && macro_run->row_count > 0; c++) {
    const int rows = model_of_side(macro_run, c)->rows;
    for (int k = 0; k < rows; k++) macro_run->hit[c][k] -= macro_run->forces[c][k];
  }
}

/* A friction or stop that opens here may have been held in the model by which another
 * subsystem found the hit: then the step is taken again (coupling_divide.c). Or it was let go
 * there, and is here, too: interfaces answer again. */
flg_status flg_macro_run_take_hits(flg_macro_run *macro_run, double time, int index,
                                   flg_error *error) {
  note_hit_count(macro_run->subsystem, count_hits(macro_run));
  for (int left = LETTING_GO; left >= 0; left--) {
    flg_status status = prepare_hits(macro_run, time, error);
    if (status != FLG_OK) return status;
    status = answer_hit(macro_run, macro_run->hit, macro_run->jump[0]);
    if (status != FLG_OK) return flg_fail(error, status, "its interfaces are no longer finite");
    if (bears_hits(macro_run) || left == 0) break;
    macro_run->has_rows = macro_run->is_factored = false;
    take_back(macro_run);
  }
  return apply_hits(macro_run, index, error);
}
