/* One subsystem after the other. The impulses of those that have run drive the next: action equals
 * reaction exactly. */
#include <string.h>

#include "coupling/coupling_inner.h"
#include "math/dense.h"

enum { PORT_ROWS = 6 };

/* --- which subsystem finds which force ----------------------------------------------------------
 */

/* those that run before drive it */
static bool sees_later(const flg_coupling *coupling, int viewer, int other) {
  return flg_coupling_rank(coupling, other) > flg_coupling_rank(coupling, viewer);
}

static int first_to_run(const flg_coupling *coupling, int index) {
  const flg_interface *interface = &coupling->system.interfaces[index];
  int owner = FLG_NO_OWNER;
  for (int k = 0; k < flg_interface_spots(interface); k++) {
    const int next = flg_interface_spot(interface, k)->subsystem;
    if (next < 0) continue;
    if (owner < 0 || flg_coupling_rank(coupling, next) < flg_coupling_rank(coupling, owner)) {
      owner = next;
    }
  }
  return owner;
}

/* --- records ------------------------------------------------------------------------------------
 */

static void sequential_take(const double *from, double share, double *to) {
  for (int i = 0; i < PORT_ROWS; i++) to[i] += share * from[i];
}

/* The record of the other subsystem in the time of our micro step, at the row of its rest that
 * stands for us. Times are counted such that our step has as many as the other makes steps, and its
 * step as many as we make. A kick at the start of our step is one for us, too, if we take kicks. */
static void take_record(const flg_macro_run *from, int row, const flg_macro_run *by, int step,
                        double *impulses, double *kicks) {
  const int64_t ours = from->steps, theirs = by->steps, start = step * ours, end = start + ours;
  for (int64_t k = start / theirs; k * theirs < end; k++) {
    const size_t at = (size_t)k * (size_t)from->rest->rows + (size_t)row;
    const int64_t begun = k * theirs, done = begun + theirs;
    const int64_t common = (done < end ? done : end) - (begun > start ? begun : start);
    sequential_take(from->counter[0] + at, (double)common / (double)theirs, impulses);
    if (begun < start) continue;
    const bool is_kick = begun == start && by->is_kicked && !by->leaps;
    sequential_take(from->counter[1] + at, 1, is_kick ? kicks : impulses);
  }
}

/* When hits of a micro step act, in a macro step of length 1: at its start, or with its kick in the
 * middle. */
static double hit_time(const flg_macro_run *of, int64_t step) {
  return ((double)step + (of->leaps ? 0.5 : 0)) / of->steps;
}

/* Hits of the other that begin in our micro step, at six of its rows (of its rest, or own ones);
 * each is taken once. Where ours act earlier than the other's, they would move us for longer: that
 * is taken back. */
static void take_hits(const flg_coupling *coupling, const flg_macro_run *from, bool own, int row,
                      const flg_macro_run *by, int step, double *hits, double *moves) {
  const int64_t ours = from->steps, theirs = by->steps, start = step * ours, end = start + ours;
  const size_t rows = (size_t)(own ? PORT_ROWS * from->port_count : from->rest->rows);
  for (int64_t k = start / theirs; k * theirs < end; k++) {
    const size_t at = (size_t)k * rows + (size_t)row;
    if (k * theirs < start) continue;
    const double delay = (hit_time(from, k) - hit_time(by, step)) * coupling->system.macro;
    const double *found = (own ? from->own_hits[0] : from->hits) + at;
    sequential_take(found, 1, hits);
    sequential_take((own ? from->own_hits[1] : from->hit_moves) + at, 1, moves);
    sequential_take(found, -delay, moves);
  }
}

/* the place of a touch port among those of a macro run's rest; -1: it is not there */
static int sequential_place_of(const flg_coupling *coupling, int viewer, int subsystem,
                               int number) {
  const flg_rest_model *rest = coupling->rests[viewer];
  for (int k = 0; k < flg_rest_model_touch_ports(rest); k++) {
    int other, at;
    flg_rest_model_touch_port(rest, k, &other, &at);
    if (other == subsystem && at == number) return k;
  }
  return -1;
}

/* touch ports of a subsystem among those of a macro run's rest: from *first up to the answer */
static int touch_ports_of(const flg_coupling *coupling, int viewer, int subsystem, int *first) {
  const flg_rest_model *rest = coupling->rests[viewer];
  int last = *first = 0;
  for (int k = 0; k < flg_rest_model_touch_ports(rest); k++) {
    int other, number;
    flg_rest_model_touch_port(rest, k, &other, &number);
    if (other != subsystem) continue;
    if (last == 0) *first = k;
    last = k + 1;
  }
  return last;
}

/* Hits that the first subsystem of the sequence has found on our contacts, for their record. */
static void take_struck(const flg_coupling *coupling, const flg_macro_run *macro_run, int decider,
                        int step) {
  const flg_macro_run *from = &coupling->macro_runs[decider];
  const int64_t ours = from->steps, theirs = macro_run->steps, start = step * ours;
  int first;
  if (macro_run->contacts == NULL || from->contacts == NULL) return;
  const int index = flg_coupling_index(coupling, macro_run);
  const int last = touch_ports_of(coupling, decider, index, &first);
  for (int64_t k = (start + theirs - 1) / theirs; k * theirs < start + ours; k++) {
    flg_macro_contacts_take_hits(macro_run->contacts, from->contacts, (int)k, first, last);
  }
}

/* Hits on touch ports of the decider itself, where our rest has them: it has not in a sequence. */
static void take_hits_of_decider(const flg_coupling *coupling, const flg_macro_run *from,
                                 int decider, const flg_macro_run *macro_run, int step) {
  const int index = flg_coupling_index(coupling, macro_run);
  for (int k = from->joined_count; k < from->port_count; k++) {
    const int place = sequential_place_of(coupling, index, decider, k - from->joined_count);
    if (place < 0) continue;
    const size_t to = PORT_ROWS * (size_t)(macro_run->joined_count + place);
    take_hits(coupling, from, true, PORT_ROWS * k, macro_run, step, macro_run->hit[1] + to,
              macro_run->hit_move[1] + to);
  }
}

bool flg_coupling_take_decided(const flg_coupling *coupling, const flg_macro_run *macro_run,
                               int step) {
  const int index = flg_coupling_index(coupling, macro_run), decider = coupling->deciders[index];
  const flg_macro_run *from = &coupling->macro_runs[decider];
  if (decider == index || !from->has_hits) return false;
  const flg_rest_model *rest = coupling->rests[decider];
  for (int k = 0; k < flg_rest_model_touch_ports(rest); k++) {
    int subsystem, number;
    flg_rest_model_touch_port(rest, k, &subsystem, &number);
    const int side = subsystem == index ? 0 : 1;
    const int place = side == 0 ? number : sequential_place_of(coupling, index, subsystem, number);
    if (place < 0) continue;
    const size_t to = PORT_ROWS * (size_t)(macro_run->joined_count + place);
    take_hits(coupling, from, false, PORT_ROWS * (from->joined_count + k), macro_run, step,
              macro_run->hit[side] + to, macro_run->hit_move[side] + to);
  }
  take_hits_of_decider(coupling, from, decider, macro_run, step);
  take_struck(coupling, macro_run, decider, step);
  return true;
}

static bool has_numbers(const flg_macro_run *macro_run) {
  return !flg_dense_is_zero(macro_run->hit[0], PORT_ROWS * (size_t)macro_run->port_count) ||
         !flg_dense_is_zero(macro_run->hit[1], (size_t)macro_run->rest->rows) ||
         !flg_dense_is_zero(macro_run->jump[0], (size_t)macro_run->rest->rows);
}

/* Hits that those before us have found, at places where they drive subsystems of our rest: what the
 * rest does under them, by velocities or by displacements. It is felt at once, as our own hits are;
 * forces alone would come after them. */
static bool find_jump(flg_coupling *coupling, flg_macro_run *macro_run, int index, int step,
                      bool by_moves) {
  const int rank = flg_coupling_rank(coupling, index);
  double *const *impulses = coupling->moves; /* work space until the communication point */
  bool any = false;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_reduced *of = &coupling->reduced[k];
    memset(impulses[k], 0, (size_t)of->model->rows * sizeof(double));
  }
  for (int k = 0; k < coupling->spot_count; k++) {
    const flg_driven_spot *at = &coupling->spots[k];
    if (at->owner < 0 || flg_coupling_rank(coupling, at->owner) >= rank) continue;
    const flg_macro_run *owner = &coupling->macro_runs[at->owner];
    if (flg_coupling_rank(coupling, at->subsystem) <= rank || !owner->has_hits) continue;
    double unused[PORT_ROWS] = {0};
    double *to = impulses[at->subsystem] + PORT_ROWS * (size_t)at->port;
    take_hits(coupling, owner, false, at->row, macro_run, step, by_moves ? unused : to,
              by_moves ? to : unused);
    any = true;
  }
  return any && flg_rest_model_answer(coupling->rests[index], coupling->reduced, impulses,
                                      macro_run->jump[by_moves]) == FLG_OK;
}

/* Stops of interfaces that those before us have met: the first of them decides. */
static void take_stops(const flg_coupling *coupling, flg_macro_run *macro_run, int index) {
  const int rank = flg_coupling_rank(coupling, index);
  for (int k = 0; k < rank && macro_run->elements.count > 0; k++) {
    const flg_macro_run *from = &coupling->macro_runs[coupling->order[k]];
    flg_macro_elements_take_hits(&macro_run->elements, macro_run->steps, &from->elements,
                                 from->steps);
  }
}

/* Contacts of a subsystem that closes no interface by itself are expected as the last one before it
 * has found them, whose forces drive it. */
static void sequential_take_contacts(const flg_coupling *coupling, flg_macro_run *macro_run,
                                     int index, int step) {
  if (macro_run->contacts == NULL || macro_run->contacts->own_ports == 0 ||
      macro_run->row_count > 0)
    return;
  for (int k = flg_coupling_rank(coupling, index) - 1; k >= 0; k--) {
    const flg_macro_run *from = &coupling->macro_runs[coupling->order[k]];
    if (from->contacts == NULL || from->row_count == 0) continue;
    int first;
    const int last = touch_ports_of(coupling, coupling->order[k], index, &first);
    const int theirs = (int)((int64_t)step * from->steps / macro_run->steps);
    const double times = (double)macro_run->steps / from->steps;
    if (flg_macro_contacts_take(macro_run->contacts, from->contacts, theirs, first, last, times))
      return;
  }
}

static bool drive_by_record(void *context, const flg_macro_run *macro_run, int step) {
  flg_coupling *coupling = context;
  const int index = flg_coupling_index(coupling, macro_run);
  take_stops(coupling, &coupling->macro_runs[index], index);
  sequential_take_contacts(coupling, &coupling->macro_runs[index], index, step);
  bool has_hits = flg_coupling_take_decided(coupling, macro_run, step);
  for (const int *k = coupling->spots_on[index]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const flg_macro_run *owner = &coupling->macro_runs[at->owner];
    const size_t to = PORT_ROWS * (size_t)at->port;
    take_record(owner, at->row, macro_run, step, macro_run->driven + to, macro_run->kicked + to);
    if (!owner->has_hits) continue;
    has_hits = true;
    take_hits(coupling, owner, false, at->row, macro_run, step, macro_run->hit[0] + to,
              macro_run->hit_move[0] + to);
  }
  for (int by_moves = 0; by_moves < 2 && macro_run->row_count > 0; by_moves++) {
    has_hits = find_jump(coupling, &coupling->macro_runs[index], index, step, by_moves) || has_hits;
  }
  return has_hits && has_numbers(macro_run);
}

/* adds the mean force of impulses on six rows of the rest, from a micro step on */
static void average(const flg_macro_run *macro_run, const double *record, int first, double macro,
                    double *to) {
  const int count = macro_run->steps - first;
  for (int k = first; k < macro_run->steps; k++) {
    const double share = (double)macro_run->steps / count / macro;
    sequential_take(record + (size_t)k * (size_t)macro_run->rest->rows, share, to);
  }
}

/* the mean of what a subsystem did to those that come later */
static void pass_on(flg_coupling *coupling, int subsystem) {
  const flg_macro_run *macro_run = &coupling->macro_runs[subsystem];
  const double macro = coupling->system.macro;
  for (const int *k = coupling->spots_from[subsystem]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const flg_reduced *reduced = &coupling->reduced[at->subsystem];
    const size_t to = PORT_ROWS * (size_t)at->port;
    average(macro_run, macro_run->counter[0] + at->row, 0, macro, reduced->driven + to);
    average(macro_run, macro_run->counter[1] + at->row, 1, macro, reduced->kicked + to);
  }
}

/* A driven subsystem takes its driver's shorter step while contacts are near: what
 * happens in one of them would come late, or spread over a longer one. */
static void sub_cycle(flg_coupling *coupling, int subsystem) {
  flg_macro_run *macro_run = &coupling->macro_runs[subsystem];
  macro_run->steps = coupling->division.steps[subsystem];
  for (const int *k = coupling->spots_on[subsystem]; *k >= 0; k++) {
    const flg_macro_run *driver = &coupling->macro_runs[coupling->spots[*k].owner];
    const bool is_near = driver->contacts != NULL && driver->contacts->count > 0;
    if (is_near && driver->steps > macro_run->steps) macro_run->steps = driver->steps;
  }
  flg_coupling_set_impulse_step_of(coupling, subsystem, macro_run->steps);
}

static flg_status sequential_face(flg_coupling *coupling, int subsystem, flg_error *error) {
  const flg_status status = flg_coupling_join_rest(coupling, subsystem, error);
  if (status == FLG_OK) sub_cycle(coupling, subsystem);
  return status;
}

const flg_coupling_scheme flg_coupling_sequential = {
    .name = "sequential",
    .help =
        "subsystems advance one after the other; each meets the joined model of those that "
        "follow, and is driven by the impulses of those before",
    .runs_in_order = true,
    .has_kicks = true,
    .is_divided = true,
    .form = FLG_COUPLING_ADMITTANCE,
    .reconciles = FLG_RECONCILE_BOTH,
    .pose = FLG_POSE_RESYNCHRONISE,
    .fixed = FLG_FIXED_RECONCILE,
    .sees = sees_later,
    .owner = first_to_run,
    .face = sequential_face,
    .drive = drive_by_record,
    .pass = pass_on};
