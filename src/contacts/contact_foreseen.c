/* Contacts of one port with the ground, as a coupling has found them: closed without blocks, in the
 * places of close_agrees and lift_agreed in contact_close.c. */
#include <string.h>

#include "contacts/contacts_inner.h"
#include "math/six.h"
#include "math/wide_vectors.h"

/* the port of a contact with the ground; -1: two bodies touch */
static int port_on_ground(const flg_contact *contact) {
  if (contact->body_a >= 0 && contact->body_b >= 0) return -1;
  return contact->body_a >= 0 ? contact->body_a : contact->body_b;
}

/* the rows of the port */
static const flg_touch_side *side_on_ground(const flg_contacts *c, int k) {
  return &c->rows[k].sides[c->contacts[k].body_a >= 0 ? 0 : 1];
}

/* the row of a normal */
FLG_SMALL void normal_of(const flg_touch_side *side, double row[6]) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; i++) row[i] = side->rows[i][0];
}

FLG_WIDE_VECTORS
bool flg_contacts_foresee(const flg_contacts *contacts, int *port, flg_spatial *impulse) {
  flg_six sum = {{0}, {0}};
  double row[6];
  *port = -1;
  if (contacts->leans != NULL) return false;
  for (int k = 0; k < contacts->contact_count; k++) {
    const int on = port_on_ground(&contacts->contacts[k]);
    const flg_expected_touch *expected = flg_contacts_expected(contacts, &contacts->traces[k]);
    if (on < 0 || (k > 0 && on != *port) || expected == NULL) return false;
    if (contacts->contacts[k].friction > 0 || contacts->places[on].block < 0) return false;
    *port = on;
    normal_of(side_on_ground(contacts, k), row);
    flg_six_add(expected->impulses[0], row, &sum);
  }
  flg_six_store(&sum, row);
  *impulse = flg_spatial_load(row);
  return true;
}

FLG_WIDE_VECTORS
static void load_foreseen(flg_contacts *c, const flg_foreseen_port *at) {
  flg_six before, free, after;
  double row[6];
  flg_six_load(flg_spatial_numbers(&at->before), &before);
  flg_six_load(flg_spatial_numbers(&at->free), &free);
  flg_six_load(flg_spatial_numbers(&at->after), &after);
  for (int k = 0; k < c->contact_count; k++) {
    const flg_expected_touch *expected = flg_contacts_expected(c, &c->traces[k]);
    flg_contacts_set_touch(c, NULL, k, &c->touches[k]);
    c->touches[k].row = k, c->touches[k].rows = c->rows[k].rows = 1;
    c->islands.members[k] = k;
    normal_of(side_on_ground(c, k), row);
    c->before[k] = flg_six_dot(&before, row), c->free[k] = flg_six_dot(&free, row);
    c->after[k] = flg_six_dot(&after, row);
    c->impulses[k] = expected->impulses[0], c->states[k] = expected->states[0];
  }
}

/* W = J D J^T, symmetric to the last bit, as the fastest solver has to have it */
FLG_WIDE_VECTORS
static void fill_foreseen(flg_contacts *c, const flg_foreseen_port *at) {
  const size_t n = (size_t)c->contact_count;
  double row[6];
  for (size_t j = 0; j < n; j++) {
    const flg_touch_side *side = side_on_ground(c, (int)j);
    flg_six answer = {{0}, {0}};
#pragma GCC unroll 6
    for (int k = 0; k < 6; k++) {
      flg_six_add(side->rows[k][0], at->admittance + k * at->leading, &answer);
    }
    for (size_t i = 0; i <= j; i++) {
      normal_of(side_on_ground(c, (int)i), row);
      c->admittance[i + j * n] = c->admittance[j + i * n] = flg_six_dot(&answer, row);
    }
  }
}

/* what overlaps is moved out, as lift_agreed does */
FLG_WIDE_VECTORS
static bool lift_foreseen(flg_contacts *c, const flg_foreseen_port *at, flg_touch_problem *problem,
                          flg_contact_law_report *report, flg_spatial *moves) {
  flg_six sum = {{0}, {0}};
  double row[6];
  if (!flg_contact_law_overlaps(c->law, problem)) return true;
  if (at->admittance == NULL || c->contact_count > c->dense_rows) return false;
  memset(problem->moves, 0, (size_t)c->contact_count * sizeof *problem->moves);
  fill_foreseen(c, at);
  problem->admittance = c->admittance;
  if (!flg_contact_law_lift(c->patient_law, problem, report)) return true;
  for (int k = 0; k < c->contact_count; k++) {
    normal_of(side_on_ground(c, k), row);
    flg_six_add(problem->moves[k], row, &sum);
  }
  flg_six_store(&sum, row);
  *moves = flg_spatial_load(row);
  return true;
}

/* as close_agrees */
static bool accept_foreseen(flg_contacts *c, const flg_foreseen_port *at,
                            flg_contact_law_report *report, flg_spatial *moves) {
  const int count = c->contact_count;
  flg_touch_problem problem = flg_contacts_problem(c, count, count);
  return !flg_contacts_are_bent(c, c->islands.members, count, 0) &&
         flg_contact_law_accepts(c->law, &problem, report) &&
         lift_foreseen(c, at, &problem, report, moves);
}

bool flg_contacts_confirm(flg_contacts *contacts, int port, const flg_foreseen_port *at,
                          flg_spatial *moves) {
  flg_contact_law_report report = {0};
  int largest = 0;
  *moves = (flg_spatial){{0}, {0}};
  if (port >= 0) {
    load_foreseen(contacts, at);
    if (!accept_foreseen(contacts, at, &report, moves)) return false;
  }
  contacts->is_fresh = false, contacts->moved = report.moves;
  flg_contacts_start_report(contacts);
  if (port >= 0) {
    flg_contacts_report_island(contacts, &report, 0, contacts->contact_count, &largest);
    flg_contacts_store(contacts, contacts->islands.members, contacts->contact_count);
  }
  flg_contacts_report_states(contacts);
  flg_contacts_note_struck(contacts);
  flg_contacts_keep(contacts);
  return true;
}
