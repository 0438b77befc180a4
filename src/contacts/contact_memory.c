/* The memory of contacts from step to step, as numbers of their host's state:
 *
 *     count, closed, switches, h, iterations, residual, unsolved; then for each touch
 *     shape_a, shape_b, code_a, code_b, three impulses, states, three impulses of hits
 *
 * in the order of the contacts, which is sorted by shapes and key, then of the stops. A key has
 * more bits than a double has; its two codes of 28 bits have not. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "contacts/contacts_inner.h"
#include "math/larger.h"

enum { CODE_BITS = 28, STATE_BITS = 4 };

static uint64_t code_mask(void) {
  return (UINT64_C(1) << CODE_BITS) - 1;
}

/* States may come from files: what is no number of this kind becomes 0. */
static int whole(double number) {
  return number >= INT_MIN && number <= INT_MAX ? (int)number : 0;
}

static uint64_t read_key(const double *from) {
  return ((uint64_t)whole(from[2]) & code_mask()) << CODE_BITS |
         ((uint64_t)whole(from[3]) & code_mask());
}

/* what there is besides shapes and key */
static void read_trace(const double *from, flg_touch_trace *to) {
  unsigned states = (unsigned)whole(from[7]);
  for (int k = 0; k < 3; k++) {
    to->impulses[k] = from[4 + k], to->hits[k] = from[8 + k];
    to->states[k] = states & ((1U << STATE_BITS) - 1);
    states >>= STATE_BITS;
  }
  to->state = to->last = (int)(states & 3);
}

/* States of three rows and of the contact in one number: the state is a block of doubles. */
static void write_trace(const flg_touch_trace *trace, double *to) {
  unsigned states = (unsigned)trace->state;
  for (int k = 2; k >= 0; k--) states = states << STATE_BITS | trace->states[k];
  to[0] = trace->shape_a, to[1] = trace->shape_b;
  to[2] = (double)(trace->key >> CODE_BITS & code_mask());
  to[3] = (double)(trace->key & code_mask());
  for (int k = 0; k < 3; k++) to[4 + k] = trace->impulses[k], to[8 + k] = trace->hits[k];
  to[7] = states;
}

static bool memory_is_same(const double *old, const flg_touch_trace *mine) {
  return old[0] == mine->shape_a && old[1] == mine->shape_b &&
         old[2] == (double)(int64_t)(mine->key >> CODE_BITS & code_mask()) &&
         old[3] == (double)(int64_t)(mine->key & code_mask());
}

/* < 0: the old one comes first. Stops, whose first shape is -1, come last, by their numbers. */
static int memory_compare(const double *old, const flg_touch_trace *mine) {
  if (memory_is_same(old, mine)) return 0; /* most are */
  const unsigned first = (unsigned)whole(old[0]), my_first = (unsigned)mine->shape_a;
  if (first != my_first) return first < my_first ? -1 : 1;
  const int second = whole(old[1]);
  if (second != mine->shape_b) return second < mine->shape_b ? -1 : 1;
  const uint64_t key = read_key(old);
  return key < mine->key ? -1 : key > mine->key;
}

/* Memory is part of the host's state: checkpoints, comparisons and steps that are taken again
 * restore it. */
static const double *memory_place(const flg_contacts *contacts, int k) {
  return contacts->memory + FLG_MEMORY_HEAD + (size_t)k * FLG_MEMORY_TOUCH;
}

int flg_contacts_numbers(const flg_contacts *contacts) {
  return FLG_MEMORY_HEAD + FLG_MEMORY_TOUCH * contacts->touch_capacity;
}

void flg_contacts_remember(flg_contacts *contacts, double *memory) {
  contacts->memory = memory;
}

static int memory_count_of(const flg_contacts *contacts) {
  const int count = contacts->memory == NULL ? 0 : whole(contacts->memory[FLG_MEMORY_COUNT]);
  return count >= 0 && count <= contacts->touch_capacity ? count : 0;
}

/* what the memory has of a stop, or NULL */
static const double *memory_of_stop(const flg_contacts *contacts, int number) {
  for (int k = memory_count_of(contacts) - 1; k >= 0; k--) {
    const double *old = memory_place(contacts, k);
    if (whole(old[0]) != -1) return NULL; /* stops come last */
    if (whole(old[1]) == number) return old;
  }
  return NULL;
}

bool flg_contacts_stop_pushed(const flg_contacts *contacts, int number) {
  const double *old = memory_of_stop(contacts, number);
  return old != NULL && old[4] > 0;
}

bool flg_contacts_is_new(const double *memory) {
  return memory[FLG_MEMORY_STEP] == 0 && memory[FLG_MEMORY_COUNT] == 0;
}

bool flg_contacts_add_stop(const flg_contacts *contacts, int number, double *memory) {
  const double *stop = memory_of_stop(contacts, number);
  const int count = whole(memory[FLG_MEMORY_COUNT]);
  if (stop == NULL || !(stop[4] > 0) || count >= contacts->touch_capacity) return false;
  memcpy(memory + FLG_MEMORY_HEAD + (size_t)count * FLG_MEMORY_TOUCH, stop,
         FLG_MEMORY_TOUCH * sizeof *memory);
  memory[FLG_MEMORY_COUNT] += 1, memory[FLG_MEMORY_CLOSED] += 1;
  return true;
}

static size_t bytes_in_use(const flg_contacts *contacts) {
  if (contacts->memory == NULL) return 0;
  const int numbers = FLG_MEMORY_HEAD + FLG_MEMORY_TOUCH * memory_count_of(contacts);
  return (size_t)numbers * sizeof(double);
}

void flg_contacts_keep_memory(flg_contacts *contacts) {
  const size_t bytes = bytes_in_use(contacts);
  if (bytes > 0) memcpy(contacts->recalled, contacts->memory, bytes);
}

bool flg_contacts_is_memory_kept(const flg_contacts *contacts) {
  const size_t bytes = bytes_in_use(contacts);
  return bytes == 0 || memcmp(contacts->recalled, contacts->memory, bytes) == 0;
}

void flg_contacts_recall(flg_contacts *contacts, int first, int end) {
  const int count = memory_count_of(contacts);
  int k = 0;
  for (int j = first; j < end; j++) {
    flg_touch_trace *mine = &contacts->traces[j];
    for (; k < count; k++) {
      const double *old = memory_place(contacts, k);
      const int order = memory_compare(old, mine);
      if (order > 0) break;
      if (order == 0) read_trace(old, mine);
    }
  }
}

static bool is_trace_of(const flg_touch_trace *trace, const flg_contact *contact) {
  return trace->key == contact->key && trace->shape_a == contact->shape_a &&
         trace->shape_b == contact->shape_b;
}

/* The order of the memory, in which each is found again; two that are the same are not. */
static bool comes_after(const flg_touch_trace *trace, const flg_touch_trace *before) {
  if (trace->shape_a != before->shape_a) return trace->shape_a > before->shape_a;
  if (trace->shape_b != before->shape_b) return trace->shape_b > before->shape_b;
  return trace->key > before->key;
}

static int count_in_order(const flg_contacts *contacts) {
  for (int k = 1; k < contacts->contact_count; k++) {
    if (!comes_after(&contacts->traces[k], &contacts->traces[k - 1])) return -1;
  }
  return contacts->contact_count;
}

bool flg_contacts_go_on(flg_contacts *contacts) {
  const int count = contacts->contact_count;
  if (contacts->traced != count || !flg_contacts_is_memory_kept(contacts)) return false;
  for (int k = 0; k < count; k++) {
    if (!is_trace_of(&contacts->traces[k], &contacts->contacts[k])) return false;
  }
  for (int k = 0; k < count; k++) contacts->traces[k].last = contacts->traces[k].state;
  return true;
}

/* A contact that is gone was open in the end. */
static int count_changes(const flg_contacts *contacts, int touch_count, int *closed) {
  int changes = 0, gone = whole(contacts->memory[FLG_MEMORY_CLOSED]);
  *closed = 0;
  for (int k = 0; k < touch_count; k++) {
    const flg_touch_trace *trace = &contacts->traces[k];
    changes += trace->state != trace->last;
    gone -= trace->last != FLG_CONTACT_OPEN;
    *closed += trace->state != FLG_CONTACT_OPEN;
    /* a hit in flight closes and opens within the step */
    const bool is_open = trace->state == FLG_CONTACT_OPEN && trace->last == FLG_CONTACT_OPEN;
    if (is_open && trace->impulses[0] > 0) changes += 2;
  }
  return changes + gone;
}

void flg_contacts_report_memory(flg_contacts *contacts) {
  const double *head = contacts->memory;
  flg_contacts_report *report = &contacts->report;
  for (int k = 0; k < contacts->contact_count; k++) {
    report->closed += contacts->traces[k].state != FLG_CONTACT_OPEN;
    report->sliding += contacts->traces[k].state == FLG_CONTACT_SLIDING;
  }
  if (head == NULL) return;
  report->switches = whole(head[FLG_MEMORY_SWITCHES]);
  report->iterations = whole(head[FLG_MEMORY_ITERATIONS]);
  report->residual = head[FLG_MEMORY_RESIDUAL];
  report->unsolved = whole(head[FLG_MEMORY_UNSOLVED]);
}

double flg_contacts_last_step(const flg_contacts *contacts) {
  return contacts->memory == NULL ? contacts->h : contacts->memory[FLG_MEMORY_STEP];
}

/* A step that is solved several times counts once; what changed may then count too often. */
static void add_up(flg_contacts *contacts) {
  const flg_contacts_report *report = &contacts->report;
  flg_contacts_totals *totals = &contacts->totals;
  if (!contacts->is_counted) totals->steps++;
  contacts->is_counted = true;
  totals->iterations += report->iterations;
  totals->unsolved += report->unsolved;
  totals->hits += report->hits;
  totals->changes += report->changes;
  totals->inside |= totals->steps > 1 && report->changes > 0;
  totals->method = report->method;
  totals->residual = flg_larger(totals->residual, report->residual);
  totals->penetration = flg_larger(totals->penetration, report->penetration);
}

void flg_contacts_leave_hits(flg_contacts *contacts) {
  contacts->are_still = true;
}

void flg_contacts_note_hits(flg_contacts *contacts, int count) {
  contacts->totals.hits += count;
  contacts->totals.changes += 2L * count;
}

flg_contacts_totals flg_contacts_take_totals(flg_contacts *contacts) {
  const flg_contacts_totals totals = contacts->totals;
  contacts->totals = (flg_contacts_totals){0};
  return totals;
}

void flg_contacts_put_totals(flg_contacts *contacts, flg_contacts_totals totals) {
  contacts->totals = totals;
}

void flg_contacts_keep(flg_contacts *contacts) {
  const int touch_count = contacts->contact_count + contacts->stop_count;
  flg_contacts_report *report = &contacts->report;
  if (contacts->memory == NULL) return;
  int closed;
  report->changes = count_changes(contacts, touch_count, &closed);
  double *head = contacts->memory;
  report->switches = whole(head[FLG_MEMORY_SWITCHES]) + report->changes;
  add_up(contacts);
  head[FLG_MEMORY_COUNT] = touch_count;
  head[FLG_MEMORY_SWITCHES] = (double)report->switches;
  head[FLG_MEMORY_CLOSED] = closed;
  head[FLG_MEMORY_STEP] = contacts->h;
  head[FLG_MEMORY_ITERATIONS] = report->iterations;
  head[FLG_MEMORY_RESIDUAL] = report->residual;
  head[FLG_MEMORY_UNSOLVED] = report->unsolved;
  for (int k = 0; k < touch_count; k++) {
    write_trace(&contacts->traces[k],
                contacts->memory + FLG_MEMORY_HEAD + (size_t)k * FLG_MEMORY_TOUCH);
  }
  flg_contacts_keep_memory(contacts);
  contacts->traced = count_in_order(contacts);
}
