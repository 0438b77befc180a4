/* Hits in a meeting: an impact is felt at once by all that is joined.
 *
 *     P            impulses of contacts that bounce, found with the admittance of own and rest
 *                  together (meeting_contacts.h, contact_law.h)
 *     F = P + G^T l,   G (D F_own, E F_rest) = 0    what interfaces do in answer
 *     own  v += W A^T F,  rest  u += E F            before forces of the micro step act
 *
 * and the same of displacements, -tau P, since a hit acts from the time tau of the step on only.
 * Were own contacts left to bounce in the step of their subsystem, they would turn around that
 * subsystem alone, and the answer of the interfaces would pull it back.
 *
 * In a sequence the first subsystem decides on the hits of all; the others take them over, on their
 * interfaces and on their touch ports.
 */
#include <string.h>

#include "coupling/meeting.h"
#include "math/dense.h"

enum { PORT_ROWS = 6, LETTING_GO = 4 /* times that interfaces answer again */ };

static flg_interface_model *model_of(const flg_meeting *meeting, int side) {
  return side == 0 ? meeting->own : meeting->rest;
}

/* to = D x or E x */
static void respond(const flg_meeting *meeting, int side, const double *x, double *to) {
  flg_interface_model *model = model_of(meeting, side);
  memset(to, 0, (size_t)model->rows * sizeof *to);
  flg_dense_apply(model->rows, model->rows, 1, flg_interface_model_admittance(model), model->rows,
                  x, to);
}

/* x of both sides, and what interfaces do such that they stay closed; it spoils right-hand sides */
static flg_status answer(flg_meeting *meeting, double *const x[2]) {
  flg_elimination *e = &meeting->elimination;
  const double *const bias[2] = {meeting->bias[0], meeting->bias[1]};
  double none = 0;
  if (meeting->row_count == 0) return FLG_OK;
  for (int c = 0; c < 2; c++) respond(meeting, c, x[c], meeting->bias[c]);
  memset(e->gamma, 0, (size_t)meeting->row_count * sizeof *e->gamma);
  flg_elimination_keep(e, (const int *const[2]){meeting->kept, meeting->kept}, (int[2]){0, 0},
                       (const double *const[2]){flg_interface_model_admittance(meeting->own),
                                                flg_interface_model_admittance(meeting->rest)},
                       &none);
  const flg_status status = flg_elimination_refresh(e, bias, &none);
  if (status != FLG_OK) return status;
  flg_elimination_back(e, NULL, meeting->reactions, meeting->forces);
  for (int c = 0; c < 2; c++) {
    const int rows = model_of(meeting, c)->rows;
    for (int k = 0; k < rows; k++) x[c][k] += meeting->forces[c][k];
  }
  return FLG_OK;
}

/* into the sums of the macro step, and for those that are driven by us */
static void record(flg_meeting *meeting, int index) {
  const int n = PORT_ROWS * meeting->joined_count, rows = meeting->rest->rows;
  const double *w = flg_interface_model_velocity(meeting->own);
  const size_t at = (size_t)index * (size_t)rows;
  respond(meeting, 0, meeting->hit[0], meeting->bias[0]);
  for (int k = 0; k < n; k++) {
    meeting->sum[k] += meeting->hit[0][k];
    meeting->work[k] += meeting->hit[0][k] * (w[k] + meeting->bias[0][k] / 2);
  }
  for (int k = 0; k < rows; k++) {
    meeting->counter_sum[k] += meeting->hit[1][k];
    meeting->hits[at + (size_t)k] += meeting->hit[1][k];
    meeting->hit_moves[at + (size_t)k] += meeting->hit_move[1][k];
  }
  meeting->has_hits = true;
}

/* whether what sticks or pushes on our side stays as it is under the hits, with what answers */
static bool bears(flg_meeting *meeting) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const bool elements =
      meeting->row_count == 0 || flg_meeting_elements_bear(&meeting->elements, meeting->reactions);
  const bool own =
      ops->bears == NULL || ops->bears(subsystem->self, meeting->elements.h, meeting->hit[0]);
  return elements && own;
}

/* velocities and places of both sides, at once; interfaces have answered to the hits */
static flg_status apply(flg_meeting *meeting, int index, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  double *u = flg_interface_model_velocity(meeting->rest);
  flg_status status = answer(meeting, meeting->hit_move);
  if (status != FLG_OK) return flg_fail(error, status, "its interfaces are no longer finite");
  record(meeting, index);
  respond(meeting, 1, meeting->hit[1], meeting->bias[1]);
  for (int k = 0; k < meeting->rest->rows; k++) u[k] += meeting->bias[1][k];
  respond(meeting, 1, meeting->hit_move[1], meeting->bias[1]);
  flg_meeting_move_rest(meeting, meeting->bias[1], 1, false);
  status = ops->impulse(subsystem->self, meeting->hit[0]);
  if (status == FLG_OK) status = ops->displace(subsystem->self, meeting->hit_move[0]);
  meeting->has_rows = meeting->is_factored = false; /* it has moved */
  return status == FLG_OK ? FLG_OK : flg_fail(error, status, "its velocities are not finite");
}

static void note(const flg_subsystem *subsystem, int count) {
  if (subsystem->ops->contacts == NULL || count == 0) return;
  flg_contacts *contacts = subsystem->ops->contacts(subsystem->self);
  if (contacts != NULL) flg_contacts_note_hits(contacts, count);
}

bool flg_meeting_hit(flg_meeting *meeting, int index, bool is_last, flg_status *status,
                     flg_error *error) {
  const flg_meeting_contacts *contacts = meeting->contacts;
  const int first = PORT_ROWS * meeting->joined_count;
  for (int c = 0; c < 2; c++) {
    const size_t bytes = (size_t)model_of(meeting, c)->rows * sizeof(double);
    memset(meeting->hit[c], 0, bytes), memset(meeting->hit_move[c], 0, bytes);
  }
  flg_meeting_contacts_add_hits(contacts, FLG_MET_HITS, meeting->hit[0] + first,
                                meeting->hit[1] + first);
  flg_meeting_contacts_add_hits(contacts, FLG_MET_MOVES, meeting->hit_move[0] + first,
                                meeting->hit_move[1] + first);
  *status = answer(meeting, meeting->hit);
  if (*status == FLG_OK && !bears(meeting) && !is_last) return false;
  note(meeting->subsystem, flg_meeting_contacts_own_hits(contacts));
  if (*status == FLG_OK) *status = apply(meeting, index, error);
  return true;
}

/* ports of our own that are hit */
static int count_hits(const flg_meeting *meeting) {
  int count = 0;
  for (int k = meeting->joined_count; k < meeting->port_count; k++) {
    count += !flg_dense_is_zero(meeting->hit[0] + PORT_ROWS * k, PORT_ROWS);
  }
  return count;
}

/* models and factors for impulses */
static flg_status prepare(flg_meeting *meeting, double time, flg_error *error) {
  const flg_subsystem *subsystem = meeting->subsystem;
  if (meeting->row_count > 0) return flg_meeting_find_forces(meeting, time, 0, NULL, error);
  if (subsystem->ops->coupled->reduce(subsystem->self, time, 0, meeting->own) == FLG_OK)
    return FLG_OK;
  return flg_fail(error, FLG_ERR_DIVERGED, "%s", flg_subsystem_complaint(subsystem));
}

/* what interfaces have answered is taken back */
static void take_back(flg_meeting *meeting) {
  for (int c = 0; c < 2 && meeting->row_count > 0; c++) {
    const int rows = model_of(meeting, c)->rows;
    for (int k = 0; k < rows; k++) meeting->hit[c][k] -= meeting->forces[c][k];
  }
}

/* A friction or stop that opens here may have been held in the model by which another
 * subsystem found the hit: then the step is taken again (coupling_divide.c). Or it was let go
 * there, and is here, too: interfaces answer again. */
flg_status flg_meeting_take_hits(flg_meeting *meeting, double time, int index, flg_error *error) {
  note(meeting->subsystem, count_hits(meeting));
  for (int left = LETTING_GO; left >= 0; left--) {
    flg_status status = prepare(meeting, time, error);
    if (status != FLG_OK) return status;
    status = answer(meeting, meeting->hit);
    if (status != FLG_OK) return flg_fail(error, status, "its interfaces are no longer finite");
    if (bears(meeting) || left == 0) break;
    meeting->has_rows = meeting->is_factored = false;
    take_back(meeting);
  }
  return apply(meeting, index, error);
}
