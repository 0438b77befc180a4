/* The schemes of coupling.h, one macro step each. The subsystems are reduced when they begin. */
#include <string.h>

#include "coupling/coupling_inner.h"
#include "math/dense.h"

enum { PORT_ROWS = 6 };

/* --- shared -------------------------------------------------------------------------------------
 */

/* Where the frames of the rest are; and beta e/H on its velocity, e from our frame to it. */
static void face(flg_coupling *coupling, int subsystem) {
  const bool is_on = coupling->options.pose == FLG_POSE_FEEDBACK;
  flg_meeting *meeting = &coupling->meetings[subsystem];
  flg_meeting_elements_face(&meeting->elements, coupling->system.subsystems,
                            coupling->elements.states);
  for (int k = 0; k < meeting->end_count; k++) {
    flg_meeting_end *end = &meeting->ends[k];
    const flg_moving_frame own =
        flg_interface_frame(end->interface, end->own, coupling->system.subsystems);
    const flg_moving_frame rest =
        flg_interface_frame(end->interface, 1 - end->own, coupling->system.subsystems);
    end->rest = rest.pose;
    end->miss = (flg_spatial){{0}, {0}};
    if (!is_on) continue;
    const flg_mat3 *axes = &own.pose.rotation;
    const flg_mat3 turn = flg_mat3_multiply_transposed(axes, &rest.pose.rotation); /* in our axes */
    const flg_spatial miss = {flg_vec3_subtract(rest.pose.position, own.pose.position),
                              flg_mat3_apply(axes, flg_quat_log(flg_quat_from_matrix(&turn)))};
    end->miss = flg_spatial_scale(miss, coupling->options.feedback / coupling->system.macro);
  }
}

static flg_status join_rest(flg_coupling *coupling, int subsystem, flg_error *error) {
  flg_meeting *meeting = &coupling->meetings[subsystem];
  double *turning = meeting->looks_back ? meeting->turning[1] : NULL;
  const flg_status status =
      flg_rest_join(coupling->rests[subsystem], coupling->reduced, turning, meeting->rest);
  face(coupling, subsystem);
  if (status != FLG_OK) {
    return flg_fail(error, status, "Subsystem '%s': the model of its rest is no longer finite",
                    coupling->system.subsystems[subsystem].name);
  }
  if (meeting->contacts == NULL) return FLG_OK;
  return flg_meeting_contacts_face(meeting->contacts, coupling->rests[subsystem],
                                   coupling->system.subsystems, coupling->system.macro, error);
}

/* --- all at once --------------------------------------------------------------------------------
 */

static void run_beside(void *context, int index) {
  flg_coupling_run(context, index, NULL);
}

flg_status flg_coupling_parallel(flg_coupling *coupling, flg_threads *threads, flg_error *error) {
  const int count = coupling->system.subsystem_count;
  for (int k = 0; k < count; k++) {
    const flg_status status = join_rest(coupling, k, error);
    if (status != FLG_OK) return status;
  }
  flg_threads_for(threads, count, run_beside, coupling);
  const flg_status status = flg_coupling_verdict(coupling, error);
  if (status != FLG_OK) return status;
  const flg_reconcile how = coupling->options.reconcile;
  if (how != FLG_RECONCILE_NONE) flg_closing_reconcile(coupling);
  flg_coupling_report_all(coupling);
  return flg_closing_finish(coupling, how == FLG_RECONCILE_BOTH, error);
}

/* --- one after the other ------------------------------------------------------------------------
 */

static void take(const double *from, double share, double *to) {
  for (int i = 0; i < PORT_ROWS; i++) to[i] += share * from[i];
}

static int index_of(const flg_coupling *coupling, const flg_meeting *meeting) {
  return (int)(meeting - coupling->meetings);
}

/* What the other recorded in the time of our micro step, at the row of its rest where we are. Times
 * are counted such that our step has as many as the other makes steps, and its step as many as we
 * make. A kick at the start of our step is one for us, too, if we take kicks. */
static void take_record(const flg_meeting *from, int row, const flg_meeting *by, int step,
                        double *impulses, double *kicks) {
  const int64_t ours = from->steps, theirs = by->steps, start = step * ours, end = start + ours;
  for (int64_t k = start / theirs; k * theirs < end; k++) {
    const size_t at = (size_t)k * (size_t)from->rest->rows + (size_t)row;
    const int64_t begun = k * theirs, done = begun + theirs;
    const int64_t common = (done < end ? done : end) - (begun > start ? begun : start);
    take(from->counter[0] + at, (double)common / (double)theirs, impulses);
    if (begun < start) continue;
    take(from->counter[1] + at, 1, begun == start && by->is_kicked ? kicks : impulses);
  }
}

/* Hits of the other that begin in our micro step, at six of its rows; each is taken once. */
static void take_hits(const flg_meeting *from, int row, const flg_meeting *by, int step,
                      double *hits, double *moves) {
  const int64_t ours = from->steps, theirs = by->steps, start = step * ours, end = start + ours;
  for (int64_t k = start / theirs; k * theirs < end; k++) {
    const size_t at = (size_t)k * (size_t)from->rest->rows + (size_t)row;
    if (k * theirs < start) continue;
    take(from->hits + at, 1, hits);
    take(from->hit_moves + at, 1, moves);
  }
}

/* the place of a touch port among those of a meeting's rest; -1: it is not there */
static int place_of(const flg_coupling *coupling, int viewer, int subsystem, int number) {
  const flg_rest *rest = coupling->rests[viewer];
  for (int k = 0; k < flg_rest_touch_ports(rest); k++) {
    int other, at;
    flg_rest_touch_port(rest, k, &other, &at);
    if (other == subsystem && at == number) return k;
  }
  return -1;
}

/* Hits that the first subsystem of the sequence has found, on our touch ports and on those of our
 * rest. */
static bool take_touched(const flg_coupling *coupling, const flg_meeting *meeting, int step) {
  const int index = index_of(coupling, meeting), decider = coupling->deciders[index];
  const flg_meeting *from = &coupling->meetings[decider];
  if (decider == index || !from->has_hits) return false;
  const flg_rest *rest = coupling->rests[decider];
  for (int k = 0; k < flg_rest_touch_ports(rest); k++) {
    int subsystem, number;
    flg_rest_touch_port(rest, k, &subsystem, &number);
    const int side = subsystem == index ? 0 : 1;
    const int place = side == 0 ? number : place_of(coupling, index, subsystem, number);
    if (place < 0) continue;
    const size_t to = PORT_ROWS * (size_t)(meeting->joined_count + place);
    take_hits(from, PORT_ROWS * (from->joined_count + k), meeting, step, meeting->hit[side] + to,
              meeting->hit_move[side] + to);
  }
  return true;
}

static bool has_numbers(const flg_meeting *meeting) {
  return !flg_dense_is_zero(meeting->hit[0], PORT_ROWS * (size_t)meeting->port_count) ||
         !flg_dense_is_zero(meeting->hit[1], (size_t)meeting->rest->rows);
}

static bool drive_by_record(void *context, const flg_meeting *meeting, int step) {
  const flg_coupling *coupling = context;
  bool has_hits = take_touched(coupling, meeting, step);
  for (const int *k = coupling->spots_on[index_of(coupling, meeting)]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const flg_meeting *owner = &coupling->meetings[at->owner];
    const size_t to = PORT_ROWS * (size_t)at->port;
    take_record(owner, at->row, meeting, step, meeting->driven + to, meeting->kicked + to);
    if (!owner->has_hits) continue;
    has_hits = true;
    take_hits(owner, at->row, meeting, step, meeting->hit[0] + to, meeting->hit_move[0] + to);
  }
  return has_hits && has_numbers(meeting);
}

/* adds the mean force of impulses on six rows of the rest, from a micro step on */
static void average(const flg_meeting *meeting, const double *record, int first, double macro,
                    double *to) {
  const int count = meeting->steps - first;
  for (int k = first; k < meeting->steps; k++) {
    const double share = (double)meeting->steps / count / macro;
    take(record + (size_t)k * (size_t)meeting->rest->rows, share, to);
  }
}

/* the mean of what a subsystem did to those that come later */
static void pass_on(flg_coupling *coupling, int subsystem) {
  const flg_meeting *meeting = &coupling->meetings[subsystem];
  const double macro = coupling->system.macro;
  for (const int *k = coupling->spots_from[subsystem]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const flg_reduced *reduced = &coupling->reduced[at->subsystem];
    const size_t to = PORT_ROWS * (size_t)at->port;
    average(meeting, meeting->counter[0] + at->row, 0, macro, reduced->driven + to);
    average(meeting, meeting->counter[1] + at->row, 1, macro, reduced->kicked + to);
    if (meeting->has_hits)
      average(meeting, meeting->hits + at->row, 0, macro, reduced->driven + to);
  }
}

/* Who is driven goes along with shorter steps of those that drive it while contacts are near: what
 * happens in one of them would come late, or spread over a longer one. */
static void sub_cycle(flg_coupling *coupling, int subsystem) {
  const flg_subsystem *of = &coupling->system.subsystems[subsystem];
  flg_meeting *meeting = &coupling->meetings[subsystem];
  meeting->steps = coupling->division.steps[subsystem];
  for (const int *k = coupling->spots_on[subsystem]; *k >= 0; k++) {
    const flg_meeting *driver = &coupling->meetings[coupling->spots[*k].owner];
    const bool is_near = driver->contacts != NULL && driver->contacts->count > 0;
    if (is_near && driver->steps > meeting->steps) meeting->steps = driver->steps;
  }
  if (of->ops->coupled->pace == NULL) return;
  of->ops->coupled->pace(of->self, coupling->system.macro / meeting->steps);
}

flg_status flg_coupling_sequential(flg_coupling *coupling, flg_error *error) {
  flg_status status = FLG_OK;
  for (int k = 0; k < coupling->system.subsystem_count && status == FLG_OK; k++) {
    const int subsystem = coupling->order[k];
    status = join_rest(coupling, subsystem, error);
    if (status != FLG_OK) return status;
    sub_cycle(coupling, subsystem);
    flg_coupling_run(coupling, subsystem, drive_by_record);
    status = flg_coupling_verdict(coupling, error);
    pass_on(coupling, subsystem);
  }
  flg_coupling_report_all(coupling);
  return status == FLG_OK ? flg_closing_finish(coupling, true, error) : status;
}

/* --- signals ------------------------------------------------------------------------------------
 * Of each place that takes forces the state holds the force on it, over the last macro step and
 * over the one before, and its motion at the last point.
 */

enum { LAST_FORCE = 0, EARLIER_FORCE = PORT_ROWS, LAST_MOTION = 2 * PORT_ROWS };

static double *memory_of(const flg_coupling *coupling, const flg_driven_spot *at) {
  return coupling->state + 1 + FLG_SIGNAL_NUMBERS * at->interface + 3 * PORT_ROWS * at->number;
}

static bool extrapolates(const flg_coupling *coupling) {
  return coupling->options.scheme == FLG_COUPLING_EXTRAPOLATE && coupling->state[0] > 1;
}

/* the force has kicks and hits */
static bool drive_by_signal(void *context, const flg_meeting *meeting, int step) {
  const flg_coupling *coupling = context;
  const double part = 1. / meeting->steps;
  for (const int *k = coupling->spots_on[index_of(coupling, meeting)]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const double *memory = memory_of(coupling, at);
    const double ahead = extrapolates(coupling) ? (step + 0.5) * part + 0.5 : 0;
    for (int i = 0; i < PORT_ROWS; i++) {
      const double force =
          memory[LAST_FORCE + i] + ahead * (memory[LAST_FORCE + i] - memory[EARLIER_FORCE + i]);
      meeting->driven[PORT_ROWS * at->port + i] += force * part * coupling->system.macro;
    }
  }
  return false;
}

static void run_by_signal(void *context, int index) {
  flg_coupling_run(context, index, drive_by_signal);
}

static const double *motion_of(const flg_coupling *coupling, const flg_driven_spot *at) {
  return flg_interface_model_velocity(coupling->reduced[at->subsystem].model) +
         PORT_ROWS * at->port;
}

/* whoever takes motion sees the other as something that moves without yielding */
static void impose_motion(flg_coupling *coupling, int subsystem) {
  flg_meeting *meeting = &coupling->meetings[subsystem];
  flg_interface_model_resize(meeting->rest, flg_rest_rows(coupling->rests[subsystem]));
  for (const int *k = coupling->spots_from[subsystem]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const double *memory = memory_of(coupling, at), *now = motion_of(coupling, at);
    double *w = flg_interface_model_velocity(meeting->rest) + at->row;
    double *r = flg_interface_model_bias(meeting->rest) + at->row;
    for (int i = 0; i < PORT_ROWS; i++) {
      w[i] = now[i];
      if (extrapolates(coupling))
        r[i] = (now[i] - memory[LAST_MOTION + i]) / coupling->system.macro;
    }
  }
}

static void remember(flg_coupling *coupling, int subsystem) {
  const flg_meeting *meeting = &coupling->meetings[subsystem];
  for (const int *k = coupling->spots_from[subsystem]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    double *memory = memory_of(coupling, at);
    const double *now = motion_of(coupling, at);
    for (int i = 0; i < PORT_ROWS; i++) {
      memory[EARLIER_FORCE + i] = memory[LAST_FORCE + i];
      memory[LAST_FORCE + i] = meeting->counter_sum[at->row + i] / coupling->system.macro;
      memory[LAST_MOTION + i] = now[i];
    }
  }
}

flg_status flg_coupling_signals(flg_coupling *coupling, flg_threads *threads, flg_error *error) {
  const int count = coupling->system.subsystem_count;
  for (int k = 0; k < count; k++) {
    impose_motion(coupling, k);
    face(coupling, k);
  }
  flg_threads_for(threads, count, run_by_signal, coupling);
  const flg_status status = flg_coupling_verdict(coupling, error);
  for (int k = 0; k < count && status == FLG_OK; k++) remember(coupling, k);
  coupling->state[0]++;
  flg_coupling_report_all(coupling);
  return status == FLG_OK ? flg_closing_finish(coupling, false, error) : status;
}
