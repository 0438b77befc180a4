#include "assembly/assembly_welds.h"

#include <string.h>

#include "assembly/assembly_inner.h"

/* --- set-up -------------------------------------------------------------------------------------
 */

void flg_welds_make(flg_assembly *assembly) {
  flg_welds *welds = &assembly->state.welds;
  welds->first = assembly->model.row_set_count;
  welds->count = assembly->model.options.weld_count;
  for (int k = 0; k < welds->count; k++) {
    const flg_weld *weld = &assembly->model.options.welds[k];
    flg_row_set *row_set = &assembly->model.row_sets[assembly->model.row_set_count++];
    *row_set = (flg_row_set){.kind = FLG_CONSTRAINT_WELD,
                             .rows = flg_constraint_kinds[FLG_CONSTRAINT_WELD].rows,
                             .force = -1,
                             .coordinate = {-1, -1}};
    for (int e = 0; e < 2; e++) row_set->anchor[e] = flg_assembly_anchor(assembly, &weld->end[e]);
    welds->anchors[k] = row_set->anchor[0];
  }
  assembly->model.rigid_count = assembly->model.row_set_count;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* NULL: that row set is no weld */
static const flg_weld_state *welds_state_of(const flg_assembly *assembly, int row_set) {
  const int weld = row_set - assembly->state.welds.first;
  return weld < 0 || weld >= assembly->state.welds.count ? NULL
                                                         : &assembly->state.welds.states[weld];
}

bool flg_weld_holds(const flg_assembly *assembly, int row_set) {
  const flg_weld_state *state = welds_state_of(assembly, row_set);
  return state == NULL || state->closed > 0;
}

const flg_part_anchor *flg_weld_anchor(const flg_assembly *assembly, int row_set, int end) {
  const int weld = row_set - assembly->state.welds.first;
  if (end != 0 || weld < 0 || weld >= assembly->state.welds.count) {
    return &assembly->model.row_sets[row_set].anchor[end];
  }
  return &assembly->state.welds.anchors[weld];
}

static void sit(flg_assembly *assembly, int weld) {
  const flg_weld_state *state = &assembly->state.welds.states[weld];
  flg_part_anchor *anchor = &assembly->state.welds.anchors[weld];
  *anchor = assembly->model.row_sets[assembly->state.welds.first + weld].anchor[0];
  if (!(state->closed > 0)) return;
  const double *turn = state->turn;
  const flg_pose relative = {
      flg_quat_to_matrix(flg_quat_normalise((flg_quat){turn[0], turn[1], turn[2], turn[3]})),
      flg_vec3_load(state->position)};
  anchor->pose = flg_pose_compose(&anchor->pose, &relative);
}

bool flg_welds_sit(flg_assembly *assembly) {
  flg_welds *welds = &assembly->state.welds;
  if (flg_welds_are_kept(assembly, welds->placed)) return false;
  for (int k = 0; k < welds->count; k++) sit(assembly, k);
  flg_welds_keep(assembly, welds->placed);
  return true;
}

int flg_welds_open_rows(const flg_assembly *assembly) {
  int rows = 0;
  for (int k = assembly->state.welds.first;
       k < assembly->state.welds.first + assembly->state.welds.count; k++) {
    rows += flg_weld_holds(assembly, k) ? 0 : assembly->model.row_sets[k].rows;
  }
  return rows;
}

static size_t state_bytes(const flg_assembly *assembly) {
  return (size_t)assembly->state.welds.count * sizeof *assembly->state.welds.states;
}

bool flg_welds_are_kept(const flg_assembly *assembly, const flg_weld_state *kept) {
  const flg_welds *welds = &assembly->state.welds;
  return welds->count == 0 || memcmp(kept, welds->states, state_bytes(assembly)) == 0;
}

void flg_welds_keep(const flg_assembly *assembly, flg_weld_state *kept) {
  const flg_welds *welds = &assembly->state.welds;
  if (welds->count > 0) memcpy(kept, welds->states, state_bytes(assembly));
}

/* --- wholes -------------------------------------------------------------------------------------
 */

/* a weld of an event between two bodies of the only set, or one that is open */
static bool joins_bodies(const flg_assembly *assembly, int index) {
  const flg_row_set *row_set = &assembly->model.row_sets[index];
  if (welds_state_of(assembly, index) == NULL) return false;
  if (!flg_weld_holds(assembly, index)) return true;
  return row_set->anchor[0].on != NULL && row_set->anchor[1].on != NULL;
}

static bool may_fly_as_one(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  if (model->set_count != 1 || model->watch_count > 0) return false;
  if (model->sets[0]->ops->fly == NULL || model->sets[0]->ops->shift == NULL) return false;
  for (int k = 0; k < model->row_set_count; k++) {
    if (!joins_bodies(assembly, k)) return false;
  }
  return true;
}

/* parts of one whole have the number of the first of them */
static void join_wholes(int *wholes, int count, int a, int b) {
  const int first = wholes[a] < wholes[b] ? wholes[a] : wholes[b];
  const int other = wholes[a] < wholes[b] ? wholes[b] : wholes[a];
  for (int k = 0; k < count; k++) {
    if (wholes[k] == other) wholes[k] = first;
  }
}

static void welds_group(flg_assembly *assembly) {
  int *wholes = assembly->state.welds.wholes;
  const int count = assembly->model.part_count;
  for (int k = 0; k < count; k++) wholes[k] = k;
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    if (!flg_weld_holds(assembly, k)) continue;
    join_wholes(wholes, count, row_set->anchor[0].part, row_set->anchor[1].part);
  }
}

const int *flg_welds_firsts(flg_assembly *assembly) {
  flg_welds *welds = &assembly->state.welds;
  if (!welds->is_grouped || !flg_welds_are_kept(assembly, welds->grouped)) {
    welds->are_all = assembly->model.row_set_count > 0 && may_fly_as_one(assembly);
    if (welds->are_all) welds_group(assembly);
    flg_welds_keep(assembly, welds->grouped);
    welds->is_grouped = true;
  }
  return welds->are_all ? welds->wholes : NULL;
}

bool flg_welds_are_open(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->state.welds.count; k++) {
    if (assembly->state.welds.states[k].closed > 0) return false;
  }
  return true;
}

const int *flg_welds_wholes(flg_assembly *assembly) {
  return flg_welds_are_open(assembly) ? NULL : flg_welds_firsts(assembly);
}

/* --- events -------------------------------------------------------------------------------------
 */

int flg_weld_find(const flg_assembly *assembly, const char *name) {
  const flg_assembly_options *options = &assembly->model.options;
  return FLG_SEEK(&options->weld_names, options->welds, assembly->state.welds.count, name);
}

void flg_weld_close(flg_assembly *assembly, int weld) {
  flg_weld_state *state = &assembly->state.welds.states[weld];
  if (state->closed > 0) return;
  const flg_row_set *row_set = &assembly->model.row_sets[assembly->state.welds.first + weld];
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  const flg_pose first = flg_part_anchor_frame(&row_set->anchor[0]).pose;
  const flg_pose second = flg_part_anchor_frame(&row_set->anchor[1]).pose;
  const flg_pose back = flg_pose_inverse(&first), relative = flg_pose_compose(&back, &second);
  const flg_quat turn = flg_quat_from_matrix(&relative.rotation);
  *state = (flg_weld_state){.closed = 1, .turn = {turn.w, turn.x, turn.y, turn.z}};
  flg_vec3_store(relative.position, state->position);
  flg_assembly_settle(assembly);
}

void flg_weld_open(flg_assembly *assembly, int weld) {
  assembly->state.welds.states[weld] = (flg_weld_state){0};
}
