/* Results of closing contacts: traces, and the report of the step. */
#include <string.h>

#include "contacts/contacts_inner.h"
#include "math/larger.h"

/* NULL: the coupling found no such contact */
const flg_expected_touch *flg_contacts_expected(const flg_contacts *c,
                                                const flg_touch_trace *touch) {
  for (int k = 0; k < c->expected_count; k++) {
    const flg_expected_touch *at = &c->expected[k];
    if (at->key == touch->key && at->shapes[0] == touch->shape_a && at->shapes[1] == touch->shape_b)
      return at;
  }
  return NULL;
}

/* Rows that hardly leave or hardly slide stand: rounding changes no state. */
static bool close_stands(unsigned char state) {
  return (state & FLG_ROW_POTENTIAL) || (state & FLG_ROW_POSITION) == FLG_ROW_ACTIVE;
}

static int close_state_of(const flg_touch_trace *trace, int rows) {
  if (!close_stands(trace->states[0])) return FLG_CONTACT_OPEN;
  for (int i = 1; i < rows; i++) {
    if (!close_stands(trace->states[i])) return FLG_CONTACT_SLIDING;
  }
  return FLG_CONTACT_STICKING;
}

void flg_contacts_store(flg_contacts *c, const int *members, int count) {
  c->traced = -1; /* until the memory has them */
  for (int k = 0; k < count; k++) {
    const flg_touch_rows *touch = &c->rows[members[k]];
    flg_touch_trace *trace = &c->traces[members[k]];
    const int row = c->touches[k].row;
    for (int i = 0; i < touch->rows; i++) {
      trace->impulses[i] = c->impulses[row + i];
      trace->states[i] = c->states[row + i];
    }
    trace->state = close_state_of(trace, touch->rows);
  }
}

void flg_contacts_start_report(flg_contacts *c) {
  c->report = (flg_contacts_report){.found = c->contact_count,
                                    .penetration = c->report.penetration,
                                    .switches = c->report.switches,
                                    .worst = -1};
}

void flg_contacts_report_island(flg_contacts *c, const flg_contact_law_report *island, int first,
                                int n, int *largest) {
  flg_contacts_report *report = &c->report;
  report->iterations += island->statistics.iterations;
  report->hits += island->hits;
  report->unsolved += !island->is_near;
  if (n > *largest) *largest = n, report->method = (int)island->statistics.method;
  if (flg_exceeds(island->statistics.residual, report->residual)) {
    report->residual = island->statistics.residual;
    report->worst = first < c->contact_count ? first : -1;
  }
}

void flg_contacts_report_states(flg_contacts *c) {
  for (int k = 0; k < c->contact_count; k++) {
    c->report.closed += c->traces[k].state != FLG_CONTACT_OPEN;
    c->report.sliding += c->traces[k].state == FLG_CONTACT_SLIDING;
  }
}

/* stops bounce by themselves: they have none */
void flg_contacts_note_struck(flg_contacts *c) {
  for (int k = 0; k < c->contact_count + c->stop_count; k++) {
    flg_touch_trace *trace = &c->traces[k];
    memset(trace->hits, 0, sizeof trace->hits);
    for (int j = 0; j < c->struck_count && k < c->contact_count; j++) {
      const flg_struck_touch *at = &c->struck[j];
      if (at->key != trace->key || at->shapes[0] != trace->shape_a ||
          at->shapes[1] != trace->shape_b)
        continue;
      for (int i = 0; i < 3; i++) trace->hits[i] += at->impulses[i];
    }
  }
}
