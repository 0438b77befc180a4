#include "cosim/meeting_contacts.h"

#include <math.h>
#include <string.h>

enum { PORT_ROWS = 6, ROWS_MAX = 3 * FLG_MEETING_CONTACTS_MAX };
static const double HELD = 1e-10; /* of what could yield: a row that joints hold */
enum { BEFORE, FREE, IMPULSES, MOVES, AFTER };

int flg_meeting_contacts_rows(const flg_meeting_contacts *contacts) {
  return contacts == NULL ? 0 : PORT_ROWS * (contacts->own_ports + contacts->rest_ports);
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static flg_status lay_out(flg_meeting_contacts *made, const flg_contact_law_options *law,
                          flg_region *region, flg_error *error) {
  const size_t k = (size_t)flg_meeting_contacts_rows(made);
  made->list = flg_region_take(region, FLG_MEETING_CONTACTS_MAX, sizeof *made->list);
  made->touches = flg_region_take(region, FLG_MEETING_CONTACTS_MAX, sizeof *made->touches);
  made->states = flg_region_take(region, ROWS_MAX, sizeof *made->states);
  made->W = flg_region_take(region, (size_t)ROWS_MAX * ROWS_MAX, sizeof(double));
  made->H = flg_region_take(region, k * k, sizeof(double));
  double **const vectors[] = {&made->answer, &made->b, &made->before, &made->x};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = flg_region_take(region, k, sizeof(double));
  }
  for (int i = 0; i < 5; i++) made->rows[i] = flg_region_take(region, ROWS_MAX, sizeof(double));
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for contacts");
  const flg_status status =
      flg_arena_build(&made->arena, flg_contact_law_bytes(ROWS_MAX, law), error);
  if (status != FLG_OK) return status;
  return flg_contact_law_build(&made->law, ROWS_MAX, law, &made->arena, error);
}

flg_status flg_meeting_contacts_build(flg_meeting_contacts **contacts, const flg_subsystem *own,
                                      const flg_rest *rest, const flg_contact_law_options *law,
                                      flg_region *region, flg_error *error) {
  const int own_ports = flg_touch_ports(own), rest_ports = flg_rest_touch_ports(rest);
  if (own_ports + rest_ports == 0) return FLG_OK;
  flg_meeting_contacts *made = flg_region_take(region, 1, sizeof *made);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for contacts");
  made->own_ports = own_ports, made->rest_ports = rest_ports;
  *contacts = made;
  return lay_out(made, law, region, error);
}

void flg_meeting_contacts_release(flg_meeting_contacts *contacts) {
  if (contacts != NULL) flg_arena_release(&contacts->arena);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* a contact of a subsystem whose touch ports stand at `first` (rows of y) */
static flg_met_contact met(const flg_subsystem *of, const flg_contact *contact, int first) {
  const flg_coupled_ops *ops = of->ops->coupled;
  const int ports = flg_joined_ports(of);
  const int body[2] = {contact->body_a, contact->body_b};
  flg_met_contact made = {.rows = contact->friction > 0 ? 3 : 1,
                          .gap = contact->gap,
                          .friction = contact->friction,
                          .restitution = contact->restitution};
  const flg_vec3 point[2] = {contact->point_a, contact->point_b};
  flg_moving_frame frame[2] = {{.pose = flg_pose_identity()}, {.pose = flg_pose_identity()}};
  for (int e = 0; e < 2; e++) {
    const bool moves = body[e] != FLG_WORLD;
    made.end[e] = moves ? first + PORT_ROWS * body[e] : -1;
    if (moves) frame[e] = ops->frame(of->self, ports + body[e]);
    made.arm[e] = flg_vec3_subtract(point[e], frame[e].pose.position);
  }
  flg_contact_rows(contact, &frame[0].pose, &frame[1].pose, made.side[0], made.side[1]);
  for (int e = 0; e < 2; e++) {
    const flg_vec3 spin = frame[e].velocity.angular;
    made.pull += flg_vec3_dot(made.side[e][0].linear,
                              flg_vec3_cross(spin, flg_vec3_cross(spin, made.arm[e])));
  }
  return made;
}

static flg_status add(flg_meeting_contacts *contacts, const flg_subsystem *of, flg_met_contact made,
                      flg_error *error) {
  if (contacts->count == FLG_MEETING_CONTACTS_MAX) {
    return flg_fail(error, FLG_ERR_CAPACITY,
                    "subsystem '%s' has more contact points than the %d that a coupling can take",
                    of->name, FLG_MEETING_CONTACTS_MAX);
  }
  contacts->list[contacts->count++] = made;
  return FLG_OK;
}

/* what the rest's contact can do in this macro step; false: nothing */
static bool is_potential(const flg_meeting_contacts *contacts, const flg_subsystem *of, int index) {
  if (contacts->kind == FLG_REST_NONSMOOTH) return true;
  const flg_coupled_ops *ops = of->ops->coupled;
  return ops->contact_state != NULL && ops->contact_state(of->self, index) != FLG_CONTACT_OPEN;
}

static flg_status face_one(flg_meeting_contacts *contacts, const flg_subsystem *subsystems,
                           int index, int first, double macro, flg_error *error) {
  const flg_subsystem *of = &subsystems[index];
  const flg_contact *list;
  int count = 0;
  flg_status status = of->ops->coupled->contacts(of->self, macro, &list, &count, error);
  for (int k = 0; k < count && status == FLG_OK; k++) {
    if (!is_potential(contacts, of, k)) continue;
    if (!flg_potential_has(contacts->potential, of, index, &list[k])) continue;
    status = add(contacts, of, met(of, &list[k], first), error);
  }
  return status;
}

flg_status flg_meeting_contacts_face(flg_meeting_contacts *contacts, const flg_rest *rest,
                                     const flg_subsystem *subsystems, double macro,
                                     flg_error *error) {
  flg_status status = FLG_OK;
  contacts->count = 0;
  contacts->switches = 0, contacts->changed_inside = false;
  for (int k = 0; k < contacts->rest_ports && status == FLG_OK; k++) {
    int subsystem, number;
    flg_rest_touch_port(rest, k, &subsystem, &number);
    if (number != 0) continue; /* once for all of its ports */
    const int first = PORT_ROWS * (contacts->own_ports + k);
    status = face_one(contacts, subsystems, subsystem, first, macro, error);
  }
  contacts->rest_count = contacts->count;
  memset(contacts->states, 0, ROWS_MAX * sizeof *contacts->states);
  return status;
}

flg_status flg_meeting_contacts_find(flg_meeting_contacts *contacts, const flg_subsystem *own,
                                     double h, flg_error *error) {
  contacts->count = contacts->rest_count;
  if (contacts->own_ports == 0) return FLG_OK;
  const flg_contact *list;
  int count = 0;
  flg_status status = own->ops->coupled->contacts(own->self, h, &list, &count, error);
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = add(contacts, own, met(own, &list[k], 0), error);
  }
  return status;
}

/* --- closing ------------------------------------------------------------------------------------
 */

/* J_row . y */
static double along(const flg_met_contact *contact, int row, const double *y) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    if (contact->end[e] < 0) continue;
    sum += flg_spatial_dot(contact->side[e][row], flg_spatial_load(y + contact->end[e]));
  }
  return sum;
}

/* to += scale J_row^T */
static void spread(const flg_met_contact *contact, int row, double scale, double *to) {
  for (int e = 0; e < 2; e++) {
    if (contact->end[e] < 0) continue;
    double numbers[PORT_ROWS];
    flg_spatial_store(contact->side[e][row], numbers);
    for (int i = 0; i < PORT_ROWS; i++) to[contact->end[e] + i] += scale * numbers[i];
  }
}

/* H J_row^T */
static void respond(const flg_meeting_contacts *contacts, const flg_met_contact *contact, int row,
                    double *to) {
  const int k = flg_meeting_contacts_rows(contacts);
  memset(to, 0, (size_t)k * sizeof *to);
  for (int e = 0; e < 2; e++) {
    if (contact->end[e] < 0) continue;
    double numbers[PORT_ROWS];
    flg_spatial_store(contact->side[e][row], numbers);
    for (int j = 0; j < PORT_ROWS; j++) {
      const double *column = contacts->H + (size_t)(contact->end[e] + j) * (size_t)k;
      for (int i = 0; i < k; i++) to[i] += numbers[j] * column[i];
    }
  }
}

static int list_touches(flg_meeting_contacts *contacts, double h) {
  int row = 0;
  for (int c = 0; c < contacts->count; c++) {
    const flg_met_contact *contact = &contacts->list[c];
    const bool at_rest = c < contacts->rest_count && contacts->kind != FLG_REST_NONSMOOTH;
    contacts->touches[c] = (flg_touch){.row = row,
                                       .rows = contact->rows,
                                       .gap = at_rest ? 0 : contact->gap,
                                       .friction = contact->friction,
                                       .restitution = at_rest ? 0 : contact->restitution};
    for (int i = 0; i < contact->rows; i++) {
      contacts->rows[BEFORE][row + i] = along(contact, i, contacts->before);
      contacts->rows[FREE][row + i] = along(contact, i, contacts->b);
      contacts->rows[IMPULSES][row + i] = 0;
    }
    if (at_rest) contacts->rows[FREE][row] += contact->drift + h * contact->pull;
    row += contact->rows;
  }
  return row;
}

/* the column of W that belongs to a row of contact c, down to the contact's own rows; and its image
 */
static void form_column(const flg_meeting_contacts *contacts, int c, int column, int rows) {
  for (int d = 0; d <= c; d++) {
    for (int j = 0; j < contacts->list[d].rows; j++) {
      const int row = contacts->touches[d].row + j;
      const double value = along(&contacts->list[d], j, contacts->answer);
      contacts->W[row + (size_t)column * (size_t)rows] = value;
      contacts->W[column + (size_t)row * (size_t)rows] = value;
    }
  }
}

static void form_W(const flg_meeting_contacts *contacts, int rows) {
  for (int c = 0; c < contacts->count; c++) {
    for (int i = 0; i < contacts->list[c].rows; i++) {
      respond(contacts, &contacts->list[c], i, contacts->answer);
      form_column(contacts, c, contacts->touches[c].row + i, rows);
    }
  }
}

/* what the ends of a contact yield, in the direction that yields most */
static double most_yield(const flg_meeting_contacts *contacts, const flg_met_contact *contact) {
  const size_t k = (size_t)flg_meeting_contacts_rows(contacts);
  double most = 0;
  for (int e = 0; e < 2; e++) {
    for (int i = 0; i < PORT_ROWS && contact->end[e] >= 0; i++) {
      most = fmax(most, contacts->H[(size_t)(contact->end[e] + i) * (k + 1)]);
    }
  }
  return most;
}

/* Normals that joints hold, such as closed contacts have become (smooth.h), can neither push nor
 * leave; what their rows have is rounding. They are as rows of their own that leave. */
static void free_held(flg_meeting_contacts *contacts, int rows) {
  for (int c = 0; c < contacts->count; c++) {
    const int first = contacts->touches[c].row;
    const double yield = contacts->W[(size_t)first * (size_t)(rows + 1)];
    if (yield > HELD * most_yield(contacts, &contacts->list[c])) continue;
    for (int row = first; row < first + contacts->list[c].rows; row++) {
      for (int i = 0; i < rows; i++) {
        contacts->W[row + (size_t)i * (size_t)rows] = 0;
        contacts->W[i + (size_t)row * (size_t)rows] = 0;
      }
      contacts->W[(size_t)row * (size_t)(rows + 1)] = 1;
      contacts->rows[FREE][row] = contacts->rows[BEFORE][row] = 0;
    }
  }
}

/* contacts of the rest that are not what they were in the micro step before */
static void count_switches(flg_meeting_contacts *contacts, const unsigned char *before) {
  for (int c = 0; c < contacts->rest_count; c++) {
    const int row = contacts->touches[c].row;
    const int was = before[row] & FLG_ROW_POSITION, is = contacts->states[row] & FLG_ROW_POSITION;
    if (was == FLG_ROW_NEW || was == is) continue;
    contacts->switches++;
    contacts->changed_inside = true;
  }
}

flg_status flg_meeting_contacts_close(flg_meeting_contacts *contacts, double h, flg_error *error) {
  unsigned char before[ROWS_MAX];
  memset(contacts->x, 0, (size_t)flg_meeting_contacts_rows(contacts) * sizeof(double));
  if (contacts->count == 0) return FLG_OK;
  const int rows = list_touches(contacts, h);
  form_W(contacts, rows);
  free_held(contacts, rows);
  memcpy(before, contacts->states, sizeof before);
  for (int c = contacts->rest_count; c < contacts->count; c++) { /* may be others than before */
    memset(contacts->states + contacts->touches[c].row, FLG_ROW_NEW,
           (size_t)contacts->list[c].rows);
  }
  const flg_touch_problem problem = {.touch_count = contacts->count,
                                     .row_count = rows,
                                     .touches = contacts->touches,
                                     .admittance = contacts->W,
                                     .before = contacts->rows[BEFORE],
                                     .free = contacts->rows[FREE],
                                     .h = h,
                                     .states = contacts->states,
                                     .impulses = contacts->rows[IMPULSES],
                                     .moves = contacts->rows[MOVES],
                                     .after = contacts->rows[AFTER]};
  flg_contact_law_report report;
  const flg_status status = flg_contact_law_solve(contacts->law, &problem, &report);
  if (status != FLG_OK && !(report.statistics.residual < 1e-6)) {
    return flg_fail(error, status, "the contacts at its interfaces cannot be solved (%s)",
                    flg_complementarity_outcome_text(report.statistics.outcome));
  }
  count_switches(contacts, before);
  for (int c = 0; c < contacts->count; c++) {
    for (int i = 0; i < contacts->list[c].rows; i++) {
      spread(&contacts->list[c], i, contacts->rows[IMPULSES][contacts->touches[c].row + i],
             contacts->x);
    }
  }
  return FLG_OK;
}

/* the point that touches turns with its body */
static void turn(flg_met_contact *contact, int end, flg_vec3 spin, double h) {
  flg_vec3 *arm = &contact->arm[end];
  *arm = flg_vec3_add_scaled(*arm, h, flg_vec3_cross(spin, *arm));
  for (int i = 0; i < contact->rows; i++) {
    flg_spatial *side = &contact->side[end][i];
    side->angular = flg_vec3_cross(*arm, side->linear);
  }
}

void flg_meeting_contacts_advance(flg_meeting_contacts *contacts, const double *velocities,
                                  double h) {
  double *y = contacts->answer;
  memcpy(y + PORT_ROWS * contacts->own_ports, velocities,
         PORT_ROWS * (size_t)contacts->rest_ports * sizeof *y);
  for (int c = 0; c < contacts->rest_count; c++) {
    flg_met_contact *contact = &contacts->list[c];
    contact->gap += h * (along(contact, 0, y) + contact->drift);
    if (contacts->kind != FLG_REST_NONSMOOTH) contact->drift += h * contact->pull;
    for (int e = 0; e < 2; e++) {
      if (contact->end[e] < 0 || contacts->kind != FLG_REST_NONSMOOTH) continue;
      turn(contact, e, flg_spatial_load(y + contact->end[e]).angular, h);
    }
  }
}
