#include "macro/macro_contacts.h"

#include <math.h>
#include <string.h>

#include "macro/rolling.h"
#include "math/dense.h"
#include "math/six.h"
#include "math/wide_vectors.h"

enum { PORT_ROWS = 6 };
static const double SOLVED = 1e-6;   /* residual of contacts that is taken for solved */
static const double BLOCKED = 1e-10; /* of what could yield: a row that joints hold */

/* --- set-up -------------------------------------------------------------------------------------
 */

static int lesser_count(int a, int b) {
  return a < b ? a : b;
}

/* At set-up: a step takes no memory, and more is a status. */
int flg_macro_contacts_capacity(const flg_macro_contacts_size *size) {
  const int ports = size->own_ports + size->rest_ports;
  const int of_ports = FLG_CONTACTS_A_PORT * lesser_count(ports, FLG_CONTACTS_MOST);
  const int usual = of_ports > FLG_CONTACTS_USUAL ? of_ports : FLG_CONTACTS_USUAL;
  const int most = lesser_count(size->most > 0 ? size->most : usual, FLG_CONTACTS_MOST);
  const int own = lesser_count(size->own_points, most);
  return own + lesser_count(size->rest_points, most - own);
}

/* W is rows x rows of all contacts that there is room for: the largest array by far. */
static flg_status macro_contacts_lay_out(flg_macro_contacts *made, int step_count,
                                         const flg_contact_law_options *law, flg_region *region,
                                         flg_error *error) {
  const size_t ports = (size_t)made->own_ports + (size_t)made->rest_ports, k = PORT_ROWS * ports;
  const size_t most = (size_t)made->capacity, rows = 3 * most;
  const size_t of_rest = (size_t)made->rest_capacity, steps = (size_t)step_count;
  made->near = flg_region_take(region, ports, sizeof *made->near);
  made->place = flg_region_take(region, ports, sizeof *made->place);
  made->list = flg_region_take(region, most, sizeof *made->list);
  made->touches = flg_region_take(region, most, sizeof *made->touches);
  made->expected = flg_region_take(region, most, sizeof *made->expected);
  made->recorded = flg_region_take(region, of_rest * steps, sizeof *made->recorded);
  made->struck = flg_region_take(region, most, sizeof *made->struck);
  made->rest_struck = flg_region_take(region, of_rest * steps, sizeof *made->rest_struck);
  made->states = flg_region_take(region, rows, sizeof *made->states);
  made->earlier = flg_region_take(region, rows, sizeof *made->earlier);
  made->sides = flg_region_take(region, rows, sizeof *made->sides);
  made->W = flg_region_take(region, rows * rows, sizeof(double));
  made->H = flg_region_take(region, k * k, sizeof(double));
  double **const vectors[] = {&made->answer, &made->b, &made->before, &made->x};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = flg_region_take(region, k, sizeof(double));
  }
  for (int i = 0; i < FLG_MACRO_ARRAYS; i++)
    made->rows[i] = flg_region_take(region, rows, sizeof(double));
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for contacts");
  return flg_contact_law_build(&made->law, (int)rows, law, region, error);
}

flg_status flg_macro_contacts_build(flg_macro_contacts **contacts,
                                    const flg_macro_contacts_size *size,
                                    const flg_contact_law_options *law, flg_region *region,
                                    flg_error *error) {
  if (size->own_ports + size->rest_ports == 0) return FLG_OK;
  flg_macro_contacts *made = flg_region_take(region, 1, sizeof *made);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for contacts");
  made->own_ports = size->own_ports, made->rest_ports = size->rest_ports;
  made->capacity = flg_macro_contacts_capacity(size);
  made->rest_capacity = lesser_count(size->rest_points, made->capacity);
  *contacts = made;
  return macro_contacts_lay_out(made, size->steps, law, region, error);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* A subsystem whose touch ports are numbered from `first` on, and the bodies of the contact that
 * was looked at last: those of the next are mostly the same. */
typedef struct owner {
  const flg_subsystem *of;
  const flg_contacts *contacts; /* NULL: it tells nothing of its last step */
  int first, ports;             /* ports: the first that touches, of the subsystem */
  int body[2];
  flg_moving_frame frame[2];
} owner;

/* no contact was looked at yet */
/* Contacts are listed by pairs of bodies: a frame is asked for once a body, not once a contact. */
static void look_at_contacts(owner *by, const flg_subsystem *of, int first) {
  by->of = of, by->first = first, by->ports = flg_joined_ports(of);
  by->contacts = of->ops->contacts == NULL ? NULL : of->ops->contacts(of->self);
  by->body[0] = by->body[1] = FLG_WORLD;
}

static void see_port(owner *by, int end, int body) {
  if (body == by->body[end]) return;
  by->body[end] = body;
  by->frame[end] = by->of->ops->coupled->frame(by->of->self, by->ports + body);
}

FLG_SMALL flg_vec3 arm_rate(const flg_macro_contact *contact, int end, flg_vec3 spin) {
  return flg_arm_rate(&contact->round[end], contact->side[end][0].linear, contact->arm[end], spin);
}

/* a contact of that subsystem */
static void met(owner *by, const flg_contact *contact, bool stays, flg_macro_contact *made) {
  const int body[2] = {contact->body_a, contact->body_b};
  const flg_vec3 point[2] = {contact->point_a, contact->point_b};
  made->rows = contact->friction > 0 ? 3 : 1;
  made->shapes[0] = contact->shape_a, made->shapes[1] = contact->shape_b, made->key = contact->key;
  made->gap = contact->gap, made->friction = contact->friction;
  made->restitution = contact->restitution;
  made->round[0] = contact->round_a, made->round[1] = contact->round_b;
  made->lead = made->pull = made->drift = 0;
  for (int e = 0; e < 2; e++) {
    made->port[e] = body[e] == FLG_WORLD ? -1 : by->first + body[e];
    if (body[e] == FLG_WORLD) continue;
    see_port(by, e, body[e]);
    const flg_vec3 origin = by->frame[e].pose.position;
    made->arm[e] = flg_vec3_subtract(point[e], origin);
    flg_contact_rows(contact, e, origin, made->rows, made->side[e]);
    if (!stays) continue; /* normals that turn need no pull */
    const flg_vec3 spin = by->frame[e].velocity.angular;
    made->pull +=
        flg_vec3_dot(made->side[e][0].linear, flg_vec3_cross(spin, arm_rate(made, e, spin)));
  }
}

/* The impulses of the subsystem's last step: both sides of an interface start from them, and so
 * find the same where a load can be shared in many ways. */
static void recall_contact(const owner *by, int index, flg_macro_contact *made) {
  made->state = FLG_CONTACT_OPEN;
  if (by->contacts == NULL) {
    memset(made->force, 0, sizeof made->force);
  } else {
    made->state = (flg_contact_state)flg_contacts_last_force(by->contacts, index, made->force);
  }
}

FLG_WIDE_VECTORS
static flg_status add_macro_contact(flg_macro_contacts *contacts, owner *by,
                                    const flg_contact *list, int index, flg_error *error) {
  if (contacts->count == contacts->capacity) {
    return flg_fail(error, FLG_ERR_CAPACITY,
                    "it and the subsystems that it meets have more contact points than the %d that "
                    "there is room for: raise 'capacity' of the coupling",
                    contacts->capacity);
  }
  flg_macro_contact *made = &contacts->list[contacts->count++];
  met(by, &list[index], contacts->kind != FLG_REST_NONSMOOTH, made);
  recall_contact(by, index, made);
  return FLG_OK;
}

/* what the rest's contact can do in this macro step; false: nothing */
static bool is_potential(const flg_macro_contacts *contacts, const flg_subsystem *of, int index) {
  return contacts->kind == FLG_REST_NONSMOOTH ||
         flg_contact_state_of(of, index) != FLG_CONTACT_OPEN;
}

/* Gaps that can close within the whole macro step: contacts of the rest are found once, and have to
 * last until its end, and as long after it as kicks look ahead. */
static flg_status face_one(flg_macro_contacts *contacts, const flg_subsystem *subsystems, int index,
                           int first, double ahead, double lead, flg_error *error) {
  const flg_subsystem *of = &subsystems[index];
  owner by;
  look_at_contacts(&by, of, first);
  const flg_contact *list;
  int count = 0;
  flg_status status = of->ops->coupled->contacts(of->self, ahead, &list, &count, error);
  for (int k = 0; k < count && status == FLG_OK; k++) {
    if (!is_potential(contacts, of, k)) continue;
    if (!flg_potential_has(contacts->potential, of, index, &list[k])) continue;
    status = add_macro_contact(contacts, &by, list, k, error);
    if (status == FLG_OK) contacts->list[contacts->count - 1].lead = lead;
  }
  return status;
}

/* ports that contacts are at, in their order, and where contacts find them */
/* Ports without a contact are left out: H is formed for the others alone, in each micro step. */
static void list_contact_ports(flg_macro_contacts *contacts) {
  const int ports = contacts->own_ports + contacts->rest_ports;
  int *place = contacts->place;
  for (int p = 0; p < ports; p++) place[p] = contacts->keeps_all && p < contacts->own_ports;
  for (int c = 0; c < contacts->count; c++) {
    for (int e = 0; e < 2; e++) {
      if (contacts->list[c].port[e] >= 0) place[contacts->list[c].port[e]] = 1;
    }
  }
  contacts->near_count = 0;
  for (int p = 0; p < ports; p++) {
    if (!place[p]) continue;
    place[p] = PORT_ROWS * contacts->near_count;
    contacts->near[contacts->near_count++] = p;
  }
  for (int c = 0; c < contacts->count; c++) {
    flg_macro_contact *contact = &contacts->list[c];
    for (int e = 0; e < 2; e++)
      contact->end[e] = contact->port[e] < 0 ? -1 : place[contact->port[e]];
  }
}

flg_status flg_macro_contacts_face(flg_macro_contacts *contacts, const flg_rest_model *rest,
                                   const flg_subsystem *subsystems, double macro,
                                   const double *kicks, double own, flg_error *error) {
  flg_status status = FLG_OK;
  contacts->count = 0;
  contacts->switches = 0, contacts->changed_inside = false;
  contacts->pushed = contacts->jammed = 0;
  for (int k = 0; k < contacts->rest_ports && status == FLG_OK; k++) {
    int subsystem, number;
    flg_rest_model_touch_port(rest, k, &subsystem, &number);
    if (number != 0) continue; /* once for all of its ports */
    const int first = contacts->own_ports + k;
    const double lead = kicks[subsystem] - own;
    status =
        face_one(contacts, subsystems, subsystem, first, macro + kicks[subsystem], lead, error);
  }
  contacts->rest_count = contacts->count;
  unsigned char *states = contacts->states;
  memset(states, FLG_ROW_NEW, 3 * (size_t)contacts->capacity * sizeof *states);
  for (int c = 0; c < contacts->count; states += contacts->list[c++].rows) {
    flg_macro_contacts_start(&contacts->list[c], states);
  }
  contacts->is_first = true;
  list_contact_ports(contacts); /* hits of a driver move them before the first find */
  return status;
}

/* By shapes and key. Where all are the same as in the micro step before, their laws need no new
 * start. */
static bool is_same_contact(const flg_macro_contact *met, const flg_contact *contact) {
  return met->key == contact->key && met->shapes[0] == contact->shape_a &&
         met->shapes[1] == contact->shape_b;
}

static flg_status find_own_contacts(flg_macro_contacts *contacts, const flg_subsystem *own,
                                    double h, flg_error *error) {
  const int before = contacts->count;
  contacts->count = contacts->rest_count;
  if (contacts->own_ports == 0) return FLG_OK;
  owner by;
  look_at_contacts(&by, own, 0);
  const flg_contact *list;
  int count = 0;
  flg_status status = own->ops->coupled->contacts(own->self, h, &list, &count, error);
  contacts->is_known = before == contacts->rest_count + count;
  for (int k = 0; k < count && status == FLG_OK; k++) {
    contacts->is_known =
        contacts->is_known && is_same_contact(&contacts->list[contacts->count], &list[k]);
    status = add_macro_contact(contacts, &by, list, k, error);
  }
  return status;
}

flg_status flg_macro_contacts_find(flg_macro_contacts *contacts, const flg_subsystem *own, double h,
                                   flg_error *error) {
  const flg_status status = find_own_contacts(contacts, own, h, error);
  if (status == FLG_OK) list_contact_ports(contacts);
  return status;
}

flg_status flg_macro_contacts_add(flg_macro_contacts *contacts, const flg_subsystem *of, int first,
                                  double h, flg_error *error) {
  owner by;
  look_at_contacts(&by, of, first);
  const flg_contact *list;
  int count = 0;
  flg_status status = of->ops->coupled->contacts(of->self, h, &list, &count, error);
  for (int k = 0; k < count && status == FLG_OK; k++)
    status = add_macro_contact(contacts, &by, list, k, error);
  if (status == FLG_OK) list_contact_ports(contacts);
  return status;
}

/* --- contact join
 * ------------------------------------------------------------------------------------
 */

/* J_row . y */
FLG_SMALL double along(const flg_macro_contact *contact, int row, const double *y) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    if (contact->end[e] < 0) continue;
    flg_six at_end;
    flg_six_load(y + contact->end[e], &at_end);
    sum += flg_six_dot(&at_end, flg_spatial_numbers(&contact->side[e][row]));
  }
  return sum;
}

/* to += scale J_row^T */
FLG_SMALL void spread(const flg_macro_contact *contact, int row, double scale, double *to) {
  for (int e = 0; e < 2; e++) {
    if (contact->end[e] < 0) continue;
    flg_six sum;
    flg_six_load(to + contact->end[e], &sum);
    flg_six_add(scale, flg_spatial_numbers(&contact->side[e][row]), &sum);
    flg_six_store(&sum, to + contact->end[e]);
  }
}

FLG_WIDE_VECTORS
void flg_macro_contacts_spread(const flg_macro_contacts *contacts) {
  const double *impulses = contacts->rows[FLG_MACRO_IMPULSES];
  memset(contacts->x, 0, PORT_ROWS * (size_t)contacts->near_count * sizeof(double));
  for (int c = 0; c < contacts->count; c++) {
    const flg_macro_contact *contact = &contacts->list[c];
    for (int i = 0; i < contact->rows; i++) spread(contact, i, *impulses++, contacts->x);
  }
}

/* By port of the subsystem, not by place in y: sums run over micro steps with other contacts
 * near. */
void flg_macro_contacts_add_hits(const flg_macro_contacts *contacts, int array, double *own,
                                 double *rest) {
  const double *numbers = contacts->rows[array];
  for (int c = 0; c < contacts->count; c++) {
    const flg_macro_contact *contact = &contacts->list[c];
    for (int i = 0; i < contact->rows; i++, numbers++) {
      for (int e = 0; e < 2; e++) {
        const int port = contact->port[e], other = port - contacts->own_ports;
        if (port < 0 || *numbers == 0) continue;
        double *to = other < 0 ? own + PORT_ROWS * port : rest + PORT_ROWS * other;
        flg_six sum;
        flg_six_load(to, &sum);
        flg_six_add(*numbers, flg_spatial_numbers(&contact->side[e][i]), &sum);
        flg_six_store(&sum, to);
      }
    }
  }
}

int flg_macro_contacts_own_hits(const flg_macro_contacts *contacts) {
  int count = 0;
  for (int c = contacts->rest_count; c < contacts->count; c++) {
    count += contacts->rows[FLG_MACRO_HITS][contacts->touches[c].row] > 0;
  }
  return count;
}

/* H J_row^T, port by port */
/* Only ports that contacts are at are part of H: k is 6 times their number, not of all touch
 * ports. */
FLG_SMALL void macro_contacts_respond(const flg_macro_contacts *contacts,
                                      const flg_macro_contact *contact, int row, double *to) {
  const int k = PORT_ROWS * contacts->near_count;
  for (int i = 0; i < k; i += PORT_ROWS) {
    flg_six sum = {{0}, {0}};
    for (int e = 0; e < 2; e++) {
      if (contact->end[e] < 0) continue;
      const double *block = contacts->H + i + (size_t)contact->end[e] * (size_t)k;
      double numbers[PORT_ROWS];
      flg_spatial_store(contact->side[e][row], numbers);
#pragma GCC unroll 6
      for (int j = 0; j < PORT_ROWS; j++) flg_six_add(numbers[j], block + j * k, &sum);
    }
    flg_six_store(&sum, to + i);
  }
}

static bool is_on_ground(const flg_macro_contact *contact) {
  return contact->end[0] < 0 || contact->end[1] < 0;
}

/* contact c is at another point of the shapes of the contact before it */
static bool is_of_last_pair(const flg_macro_contact *list, int c) {
  const flg_macro_contact *of = &list[c], *last = of - 1;
  return c > 0 && of->shapes[0] == last->shapes[0] && of->shapes[1] == last->shapes[1] &&
         of->end[0] == last->end[0] && of->end[1] == last->end[1];
}

/* how far the gap closes until its subsystem has its own kick */
FLG_SMALL double lead_of(const flg_macro_contact *contact, const double *before) {
  return contact->lead == 0 ? 0 : contact->lead * along(contact, 0, before);
}

FLG_WIDE_VECTORS
/* Contacts of the rest come first, and in modes other than nonsmooth they are closed rows without a
 * gap: they may open, but have nothing left to close. */
static int list_macro_touches(flg_macro_contacts *contacts, double h) {
  int row = 0;
  for (int c = 0; c < contacts->count; c++) {
    const flg_macro_contact *contact = &contacts->list[c];
    const bool at_rest = c < contacts->rest_count && contacts->kind != FLG_REST_NONSMOOTH;
    contacts->touches[c] = (flg_touch){
        .row = row,
        .rows = contact->rows,
        .gap = at_rest ? 0 : contact->gap + lead_of(contact, contacts->before),
        .friction = contact->friction,
        .restitution = at_rest || contacts->is_still ? 0 : contact->restitution,
        .lands = !at_rest && !contacts->is_still && is_on_ground(contact),
        .pair = is_of_last_pair(contacts->list, c) ? contacts->touches[c - 1].pair : c + 1};
    for (int i = 0; i < contact->rows; i++) {
      contacts->rows[FLG_MACRO_BEFORE][row + i] = along(contact, i, contacts->before);
      contacts->rows[FLG_MACRO_FREE][row + i] = along(contact, i, contacts->b);
      contacts->rows[FLG_MACRO_IMPULSES][row + i] = h * contact->force[i];
    }
    if (at_rest) contacts->rows[FLG_MACRO_FREE][row] += contact->drift + h * contact->pull;
    row += contact->rows;
  }
  return row;
}

/* the column of W that belongs to a row of contact c, down to the contact's own rows; and its image
 */
/* upper triangle and image at once: symmetric to the last bit */
FLG_SMALL void form_column(const flg_macro_contacts *contacts, int c, int column, int rows) {
  double *down = contacts->W + (size_t)column * (size_t)rows, *across = contacts->W + column;
  for (const flg_macro_contact *contact = contacts->list; contact <= contacts->list + c;
       contact++) {
    for (int j = 0; j < contact->rows; j++, across += rows) {
      *across = *down++ = along(contact, j, contacts->answer);
    }
  }
}

/* W where all contacts are at one port: each has one end, and J is dense */
FLG_WIDE_VECTORS
/* One body on the ground, a frequent case: no sums over ports. */
static void form_W_at_one(const flg_macro_contacts *contacts) {
  const double **J = contacts->sides;
  int rows = 0;
  for (int c = 0; c < contacts->count; c++) {
    const flg_macro_contact *contact = &contacts->list[c];
    const flg_spatial *side = contact->side[contact->end[0] < 0];
    for (int i = 0; i < contact->rows; i++) J[rows++] = flg_spatial_numbers(&side[i]);
  }
  for (int j = 0; j < rows; j++) {
    flg_six answer = {{0}, {0}}; /* H J_j^T */
#pragma GCC unroll 6
    for (int i = 0; i < PORT_ROWS; i++) flg_six_add(J[j][i], contacts->H + i * PORT_ROWS, &answer);
    for (int i = 0; i <= j; i++) {
      const double value = flg_six_dot(&answer, J[i]);
      contacts->W[i + j * rows] = contacts->W[j + i * rows] = value;
    }
  }
}

FLG_WIDE_VECTORS
static void form_W(const flg_macro_contacts *contacts, int rows) {
  for (int c = 0; c < contacts->count; c++) {
    for (int i = 0; i < contacts->list[c].rows; i++) {
      macro_contacts_respond(contacts, &contacts->list[c], i, contacts->answer);
      form_column(contacts, c, contacts->touches[c].row + i, rows);
    }
  }
}

/* what the points of a contact yield at most: bodies that shift, and turn about their ports [1/kg]
 */
/* Of shifts and of turns times the arm: how far the point of a contact moves, in one unit. */
static double most_yield(const flg_macro_contacts *contacts, const flg_macro_contact *contact) {
  const size_t k = PORT_ROWS * (size_t)contacts->near_count;
  double most = 0;
  for (int e = 0; e < 2; e++) {
    if (contact->end[e] < 0) continue;
    const double square = flg_vec3_dot(contact->arm[e], contact->arm[e]);
    for (int i = 0; i < PORT_ROWS; i++) {
      const double yield = contacts->H[(size_t)(contact->end[e] + i) * (k + 1)];
      const double moved = i < 3 ? yield : square * yield;
      if (moved > most) most = moved;
    }
  }
  return most;
}

static void clear_contact_row(flg_macro_contacts *contacts, int rows, int row) {
  for (int i = 0; i < rows; i++) {
    contacts->W[row + (size_t)i * (size_t)rows] = 0;
    contacts->W[i + (size_t)row * (size_t)rows] = 0;
  }
}

/* As a row of its own that leaves, instead of taking it out: rows keep their places, and the solver
 * sees a contact that is open. */
static void free_contact_row(flg_macro_contacts *contacts, int rows, int row) {
  clear_contact_row(contacts, rows, row);
  contacts->W[(size_t)row * (size_t)(rows + 1)] = 1;
  contacts->rows[FLG_MACRO_FREE][row] = contacts->rows[FLG_MACRO_BEFORE][row] = 0;
}

/* Normals that joints hold, such as closed contacts have become (smooth.h), can neither push nor
 * leave; what their rows have is rounding. Their contacts are left alone, and so are tangents that
 * joints hold. */
static void free_blocked(flg_macro_contacts *contacts, int rows) {
  double most = 0;
  for (int c = 0; c < contacts->count; c++) {
    const flg_macro_contact *contact = &contacts->list[c];
    const int first = contacts->touches[c].row;
    const bool same = c > 0 && memcmp(contact->end, contact[-1].end, sizeof contact->end) == 0;
    if (!same) most = most_yield(contacts, contact);
    bool is_blocked = false;
    for (int row = first; row < first + contact->rows; row++) {
      const bool is_stiff = contacts->W[(size_t)row * (size_t)(rows + 1)] <= BLOCKED * most;
      is_blocked = is_blocked || (is_stiff && row == first);
      if (!is_blocked && is_stiff &&
          flg_touch_slides_along(contacts->rows[FLG_MACRO_FREE] + first, row - first)) {
        clear_contact_row(contacts, rows, row); /* it keeps its speed, which friction is against */
      } else if (is_blocked || is_stiff) {
        free_contact_row(contacts, rows, row);
      }
    }
  }
}

/* contacts of the rest that are not what they were in the micro step before */
static void count_switches(flg_macro_contacts *contacts, const unsigned char *before) {
  const bool is_first = contacts->is_first;
  contacts->is_first = false;
  if (is_first) return;
  for (int c = 0; c < contacts->rest_count; c++) {
    const int row = contacts->touches[c].row;
    const int was = before[row] & FLG_ROW_POSITION, is = contacts->states[row] & FLG_ROW_POSITION;
    if (was == is) continue;
    contacts->switches++;
    contacts->changed_inside = true;
  }
}

/* Its subsystem finds a hit of the rest at another time of the step than we do, from when on it
 * moves us. */
static void shift_hits(flg_macro_contacts *contacts) {
  for (int c = 0; c < contacts->rest_count; c++) {
    const flg_macro_contact *contact = &contacts->list[c];
    const double *hits = contacts->rows[FLG_MACRO_HITS] + contacts->touches[c].row;
    double *moves = contacts->rows[FLG_MACRO_MOVES] + contacts->touches[c].row;
    for (int i = 0; i < contact->rows; i++) moves[i] -= contact->lead * hits[i];
  }
}

/* A warm start: from what the contact was in the last step. */
void flg_macro_contacts_start(const flg_macro_contact *contact, unsigned char *states) {
  const bool is_open = contact->state == FLG_CONTACT_OPEN;
  for (int i = 0; i < contact->rows; i++) states[i] = is_open ? FLG_ROW_NEW : FLG_ROW_ACTIVE;
  for (int i = 1; i < contact->rows && contact->state == FLG_CONTACT_SLIDING; i++) {
    states[i] = FLG_ROW_LOWER;
  }
}

/* contacts of the rest go on from micro step to micro step */
static void remember_contacts(flg_macro_contacts *contacts, double h) {
  for (int c = 0; c < contacts->rest_count; c++) {
    flg_macro_contact *contact = &contacts->list[c];
    const double *impulses = contacts->rows[FLG_MACRO_IMPULSES] + contacts->touches[c].row;
    for (int i = 0; i < contact->rows; i++) contact->force[i] = impulses[i] / h;
  }
}

int flg_macro_contacts_form(flg_macro_contacts *contacts, double h) {
  const int rows = list_macro_touches(contacts, h);
  if (contacts->near_count == 1) {
    form_W_at_one(contacts);
  } else {
    form_W(contacts, rows);
  }
  free_blocked(contacts, rows);
  return rows;
}

flg_touch_problem flg_macro_contacts_problem(const flg_macro_contacts *contacts, int rows,
                                             double h) {
  return (flg_touch_problem){.touch_count = contacts->count,
                             .row_count = rows,
                             .touches = contacts->touches,
                             .admittance = contacts->W,
                             .before = contacts->rows[FLG_MACRO_BEFORE],
                             .free = contacts->rows[FLG_MACRO_FREE],
                             .h = h,
                             .states = contacts->states,
                             .impulses = contacts->rows[FLG_MACRO_IMPULSES],
                             .hits = contacts->rows[FLG_MACRO_HITS],
                             .moves = contacts->rows[FLG_MACRO_MOVES],
                             .is_kick = contacts->is_kick};
}

flg_status flg_macro_contacts_close(flg_macro_contacts *contacts, double h, flg_error *error) {
  unsigned char *before = contacts->earlier;
  contacts->has_hits = false;
  if (contacts->count == 0) {
    flg_macro_contacts_spread(contacts);
    return FLG_OK;
  }
  const int rows = flg_macro_contacts_form(contacts, h);
  memcpy(before, contacts->states, (size_t)rows);
  for (int c = contacts->rest_count; c < contacts->count && !contacts->is_known; c++) {
    flg_macro_contacts_start(&contacts->list[c], contacts->states + contacts->touches[c].row);
  }
  const flg_touch_problem problem = flg_macro_contacts_problem(contacts, rows, h);
  flg_contact_law_report report;
  const flg_status status = flg_contact_law_solve(contacts->law, &problem, &report);
  contacts->has_hits = report.reflections > 0;
  if (contacts->has_hits) shift_hits(contacts);
  if (status != FLG_OK && !(report.statistics.residual < SOLVED)) {
    return flg_fail(error, status, "the contacts at its interfaces cannot be solved (%s)",
                    flg_complementarity_outcome_text(report.statistics.outcome));
  }
  count_switches(contacts, before);
  remember_contacts(contacts, h);
  flg_macro_contacts_note_jams(contacts, rows, h);
  flg_macro_contacts_spread(contacts);
  return FLG_OK;
}

/* --- for subsystems that close the same contacts later ------------------------------------------
 */

static void note_solved(const flg_macro_contacts *contacts, int index, flg_expected_touch *to) {
  const flg_macro_contact *contact = &contacts->list[index];
  const double *impulses = contacts->rows[FLG_MACRO_IMPULSES] + contacts->touches[index].row;
  const unsigned char *states = contacts->states + contacts->touches[index].row;
  to->shapes[0] = contact->shapes[0], to->shapes[1] = contact->shapes[1], to->key = contact->key;
  for (int i = 0; i < 3; i++) {
    to->impulses[i] = i < contact->rows ? impulses[i] : 0;
    to->states[i] = i < contact->rows ? states[i] : 0;
  }
}

void flg_macro_contacts_record(flg_macro_contacts *contacts, int step) {
  flg_expected_touch *to = contacts->recorded + (size_t)step * (size_t)contacts->rest_capacity;
  contacts->expected_count = 0;
  for (int c = 0; c < contacts->count; c++) {
    const bool is_own = c >= contacts->rest_count;
    note_solved(contacts, c, is_own ? &contacts->expected[contacts->expected_count++] : &to[c]);
  }
}

/* the touch port of the rest that a contact of it is at */
static int rest_port(const flg_macro_contacts *contacts, int index) {
  const int *port = contacts->list[index].port;
  return (port[0] >= 0 ? port[0] : port[1]) - contacts->own_ports;
}

bool flg_macro_contacts_take(flg_macro_contacts *contacts, const flg_macro_contacts *from, int step,
                             int first, int last, double times) {
  const flg_expected_touch *record = from->recorded + (size_t)step * (size_t)from->rest_capacity;
  contacts->expected_count = 0;
  for (int c = 0; c < from->rest_count; c++) {
    const int at = rest_port(from, c);
    if (at < first || at >= last) continue;
    flg_expected_touch *to = &contacts->expected[contacts->expected_count++];
    *to = record[c];
    for (int i = 0; i < 3; i++) to->impulses[i] /= times;
  }
  return contacts->expected_count > 0;
}

/* --- hits, for the record -----------------------------------------------------------------------
 */

void flg_macro_contacts_forget_hits(flg_macro_contacts *contacts, int steps) {
  contacts->struck_count = 0;
  memset(contacts->rest_struck, 0,
         (size_t)contacts->rest_capacity * (size_t)steps * sizeof *contacts->rest_struck);
}

/* By shapes and key: one that is hit again in the same micro step has one entry, so that there are
 * no more than there are contacts. */
static flg_struck_touch *struck_before(const flg_macro_contacts *contacts, const int shapes[2],
                                       uint64_t key) {
  for (int k = 0; k < contacts->struck_count; k++) {
    flg_struck_touch *of = &contacts->struck[k];
    if (of->key == key && of->shapes[0] == shapes[0] && of->shapes[1] == shapes[1]) return of;
  }
  return NULL;
}

/* NULL: contacts that were hit have gone, and others have come in their place. */
static flg_struck_touch *struck_entry(flg_macro_contacts *contacts, const int shapes[2],
                                      uint64_t key) {
  flg_struck_touch *of = struck_before(contacts, shapes, key);
  if (of != NULL || contacts->struck_count == contacts->capacity) return of;
  of = &contacts->struck[contacts->struck_count++];
  *of = (flg_struck_touch){.shapes = {shapes[0], shapes[1]}, .key = key};
  return of;
}

void flg_macro_contacts_note_hits(flg_macro_contacts *contacts, int step) {
  flg_struck_touch *rest = contacts->rest_struck + (size_t)step * (size_t)contacts->rest_capacity;
  for (int c = 0; c < contacts->count; c++) {
    const flg_macro_contact *contact = &contacts->list[c];
    const double *hits = contacts->rows[FLG_MACRO_HITS] + contacts->touches[c].row;
    const bool is_own = c >= contacts->rest_count;
    if (flg_dense_is_zero(hits, (size_t)contact->rows)) continue;
    flg_struck_touch *to =
        is_own ? struck_entry(contacts, contact->shapes, contact->key) : &rest[c];
    if (to == NULL) continue;
    to->shapes[0] = contact->shapes[0], to->shapes[1] = contact->shapes[1];
    to->key = contact->key;
    for (int i = 0; i < contact->rows; i++) to->impulses[i] += hits[i];
  }
}

void flg_macro_contacts_take_hits(flg_macro_contacts *contacts, const flg_macro_contacts *from,
                                  int step, int first, int last) {
  const flg_struck_touch *struck = from->rest_struck + (size_t)step * (size_t)from->rest_capacity;
  for (int c = 0; c < from->rest_count; c++) {
    const int at = rest_port(from, c);
    if (at < first || at >= last || flg_dense_is_zero(struck[c].impulses, 3)) continue;
    flg_struck_touch *to = struck_entry(contacts, struck[c].shapes, struck[c].key);
    for (int i = 0; i < 3 && to != NULL; i++) to->impulses[i] += struck[c].impulses[i];
  }
}

/* the point that touches turns with its body, or rolls; what is round along a line turns about the
 * normal */
FLG_SMALL void turn(flg_macro_contact *contact, int end, flg_vec3 spin, double h) {
  flg_vec3 *arm = &contact->arm[end];
  *arm = flg_vec3_add_scaled(*arm, h, arm_rate(contact, end, spin));
  flg_vec3 *along = &contact->round[end].along;
  const flg_vec3 normal = contact->side[end][0].linear;
  const double yaw = h * flg_vec3_dot(spin, normal);
  *along = flg_vec3_add_scaled(flg_vec3_scale(*along, cos(yaw)), sin(yaw),
                               flg_vec3_cross(normal, *along));
  for (int i = 0; i < contact->rows; i++) {
    flg_spatial *side = &contact->side[end][i];
    side->angular = flg_vec3_cross(*arm, side->linear);
  }
}

FLG_WIDE_VECTORS
void flg_macro_contacts_advance(flg_macro_contacts *contacts, const double *velocities, double h) {
  double *y = contacts->answer;
  for (int k = 0; k < contacts->near_count; k++) {
    const int port = contacts->near[k] - contacts->own_ports;
    if (port >= 0) memcpy(y + PORT_ROWS * k, velocities + PORT_ROWS * port, PORT_ROWS * sizeof *y);
  }
  for (int c = 0; c < contacts->rest_count; c++) {
    flg_macro_contact *contact = &contacts->list[c];
    contact->gap += h * (along(contact, 0, y) + contact->drift);
    if (contacts->kind != FLG_REST_NONSMOOTH) contact->drift += h * contact->pull;
    for (int e = 0; e < 2; e++) {
      if (contact->end[e] < 0 || contacts->kind != FLG_REST_NONSMOOTH) continue;
      turn(contact, e, flg_spatial_load(y + contact->end[e]).angular, h);
    }
  }
}
