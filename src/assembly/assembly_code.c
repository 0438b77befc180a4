/* Steps by generated code: of rattle, and of rk4. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "assembly/assembly_signals.h"
#include "parts/bodies.h"

static bool is_pressed(const flg_assembly *assembly) {
  return assembly->model.pressure_count > 0 || assembly->model.inputs.list.count > 0;
}

bool flg_assembly_is_asked(const flg_assembly *assembly) {
  return assembly->model.watch_count > 0 || is_pressed(assembly);
}

/* --- rattle -------------------------------------------------------------------------------------
 */

static flg_status find_code_forces(flg_assembly *assembly, bool is_end, const double *q,
                                   const double *v) {
  const flg_step_code *code = &assembly->model.code;
  assembly->scratch.elapsed = is_end ? code->h : 0;
  assembly->scratch.phase = is_end ? FLG_PHASE_SECOND : FLG_PHASE_FIRST;
  flg_assembly_place_loads(assembly, q, v);
  if (is_end) {
    flg_signals_enter(assembly, 3);
    return flg_assembly_forces(assembly, code->time + code->h, q, v);
  }
  flg_assembly_start_rates(assembly);
  flg_signals_begin(assembly, code->time, code->h);
  return flg_assembly_forces(assembly, code->time, q, v);
}

flg_status flg_assembly_code_forces(flg_assembly *assembly, bool is_end, const double *q,
                                    const double *v) {
  assembly->model.code.is_asking = true;
  const flg_status status = find_code_forces(assembly, is_end, q, v);
  assembly->model.code.is_asking = false;
  flg_watch_pull(assembly, assembly->model.code.h / 2);
  return status;
}

/* positions, velocities and angles, which come first in the state */
static size_t moving_bytes(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  return (size_t)(model->position_count + model->velocity_count + model->angle_count) *
         sizeof(double);
}

static bool any_weld_holds(const flg_assembly *assembly) {
  const int first = assembly->state.welds.first;
  for (int k = 0; k < assembly->state.welds.count; k++) {
    if (flg_weld_holds(assembly, first + k)) return true;
  }
  return false;
}

/* the library's step, if no weld holds and nothing sticks or comes near an end in it */
static bool take_smooth_step(flg_assembly *assembly, double h, double work[4]) {
  const flg_step_code *code = &assembly->model.code;
  const bool is_kept = assembly->state.limits.count > 0 || assembly->model.watch_count > 0;
  if (any_weld_holds(assembly) || !flg_limits_depart(assembly)) return false;
  if (is_kept) memcpy(code->kept, assembly->state.numbers, moving_bytes(assembly));
  if (code->step(code->instance, h, assembly->state.q, assembly->state.v, assembly->state.angles,
                 work) == 0) {
    return false;
  }
  if (flg_limits_arrive_smoothly(assembly, h)) return true;
  memcpy(assembly->state.numbers, code->kept, moving_bytes(assembly));
  return false;
}

/* Watches look at the reactions of a half of the step, and at its last velocities, as if they were
 * of the plan's last solve. */
static void show_half(flg_assembly *assembly, int half) {
  const flg_step_code *code = &assembly->model.code;
  const flg_limits *limits = &assembly->state.limits;
  for (int k = 0; k < code->joint_count; k++) {
    assembly->model.row_sets[code->row_sets[k]].view.reactions =
        code->impulses + 12 * (size_t)k + 6 * (size_t)half;
  }
  for (int k = 0; k < limits->count; k++) {
    const flg_limit *limit = &limits->list[k];
    assembly->model.row_sets[limit->row_set].view.reactions = &limit->slipped[half];
  }
  for (int k = 0; k < assembly->model.part_count; k++) {
    assembly->scratch.views[k].motion = assembly->state.v + FLG_BODY_VELOCITIES * (size_t)k;
  }
}

static void show_plan(flg_assembly *assembly) {
  const flg_plan *plan = assembly->scratch.plan;
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    assembly->model.row_sets[k].view.reactions = flg_plan_joint_view(plan, k).reactions;
  }
  for (int k = 0; k < assembly->model.part_count; k++) {
    assembly->scratch.views[k].motion = flg_plan_part_view(plan, k).motion;
  }
}

/* Their sums: on rows where the step began, and where it ended. */
static void note_watches(flg_assembly *assembly) {
  const double *kept = assembly->model.code.kept;
  if (assembly->model.watch_count == 0) return;
  flg_assembly_place_rows(assembly, kept, kept + assembly->model.position_count);
  show_half(assembly, 0);
  flg_watch_note(assembly, 1, 1, 0);
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  show_half(assembly, 1);
  flg_watch_note(assembly, 1, 0, 1);
  show_plan(assembly);
}

/* of what the library has done */
static flg_status end_step_by_code(flg_assembly *assembly, const double done[4]) {
  flg_step_code *code = &assembly->model.code;
  const flg_part_work work = {
      .joints = done[0], .before = done[1], .after = done[2], .least = done[3]};
  code->taken++;
  if (code->is_pushed || assembly->state.limits.count > 0) flg_assembly_keep_angles(assembly);
  note_watches(assembly);
  flg_assembly_note_work(assembly, &work, code->time, code->h);
  return code->is_pushed ? flg_signals_end(assembly) : FLG_OK;
}

bool flg_assembly_step_by_code(flg_assembly *assembly, double time, double h, flg_status *status) {
  flg_step_code *code = &assembly->model.code;
  double done[4];
  if (code->step == NULL || is_pressed(assembly)) return false;
  if (assembly->model.watch_count > 0 && code->row_sets == NULL) return false;
  code->time = time, code->h = h;
  assembly->scratch.kick = h / 2, assembly->scratch.horizon = h;
  flg_watch_remember(assembly);
  if (!take_smooth_step(assembly, h, done)) {
    flg_watch_recall(assembly);
    return false;
  }
  *status = end_step_by_code(assembly, done);
  return true;
}

/* --- rk4 ----------------------------------------------------------------------------------------
 */

/* what depends on time alone, at the start of the step, in its middle and at its end */
static void find_sources(const flg_assembly *assembly, double time, double h) {
  static const int stages[3] = {0, 1, 3};
  const flg_stage_code *code = assembly->model.stages;
  const flg_signals *signals = assembly->model.signals;
  double *to = code->source_numbers;
  for (int i = 0; i < 3; i++) {
    const double edge = flg_signals_edge(stages[i], h);
    for (int k = 0; k < code->source_count; k++, to += 2) {
      const flg_block *block = signals->blocks[code->sources[k]].block;
      to[0] = flg_block_source(block, time + 0.5 * i * h, edge, &to[1]);
    }
  }
}

/* signals as they are before the stages, and what a step of h needs of them */
static void begin_code(flg_assembly *assembly, double time, double h) {
  const flg_stage_code *code = assembly->model.stages;
  const flg_signals *signals = assembly->model.signals;
  if (code->held_count > 0) flg_assembly_begin(assembly); /* samples look at coordinates */
  flg_signals_begin(assembly, time, h);
  find_sources(assembly, time, h);
  for (int k = 0; k < code->held_count; k++) {
    flg_signals_held(signals, code->held[k], code->held_numbers + 2 * (size_t)k);
  }
}

/* as flg_assembly_keep_angles */
static void keep_code_angles(flg_assembly *assembly) {
  static const double NEAR_ANGLE = 1; /* [rad] well within half a turn */
  const flg_stage_code *code = assembly->model.stages;
  for (int k = 0; k < code->angle_count; k++) {
    const flg_stage_angle *angle = &code->angles[k];
    double sum = angle->zero;
    for (int i = 0; i < angle->count; i++) {
      sum += angle->factors[i] * assembly->state.q[angle->positions[i]];
    }
    double *kept = &assembly->state.angles[angle->angle];
    if (angle->is_exact || !(fabs(sum - *kept) < NEAR_ANGLE)) *kept = sum;
  }
}

static bool take_stages(flg_assembly *assembly, double time, double h) {
  const flg_stage_code *code = assembly->model.stages;
  const flg_signals *signals = assembly->model.signals;
  if (flg_assembly_is_asked(assembly)) return false;
  if (signals != NULL) begin_code(assembly, time, h);
  for (int k = 0; k < code->switch_count; k++) {
    code->switched[k] = assembly->model.forces[code->switches[k]].force.state[0] != 0;
  }
  const size_t sources = 2 * (size_t)code->source_count;
  const flg_tree_call call = {.time = time,
                              .h = h,
                              .q = assembly->state.q,
                              .v = assembly->state.v,
                              .states = signals == NULL ? NULL : signals->state,
                              .sources = {code->source_numbers, code->source_numbers + sources,
                                          code->source_numbers + 2 * sources},
                              .held = code->held_numbers,
                              .given = code->switched,
                              .decays = code->decays};
  return code->step(&call) != 0;
}

bool flg_assembly_stages_by_code(flg_assembly *assembly, double time, double h) {
  const flg_signals *signals = assembly->model.signals;
  if (assembly->model.stages == NULL) return false;
  if (signals != NULL && signals->is_unlimited) return false; /* it is tried, not made */
  const bool is_taken = take_stages(assembly, time, h);
  if (is_taken) keep_code_angles(assembly);
  *(is_taken ? &assembly->model.code.taken : &assembly->model.code.declined) += 1;
  return is_taken;
}
