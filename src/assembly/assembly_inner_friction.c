#include "assembly/assembly_inner_friction.h"

#include <string.h>

/* --- set-up -------------------------------------------------------------------------------------
 */

static int find_in(const flg_parts *parts, int part, flg_inner_friction *list) {
  const int count = parts->ops->frictions(parts, part, list);
  const int velocity = parts->velocity + parts->ops->slice(parts, part).velocity;
  for (int k = 0; k < count && list != NULL; k++) list[k].velocity += velocity;
  return count;
}

/* list NULL: they are only counted */
static int find_inner_frictions(const flg_assembly *assembly, flg_inner_friction *list) {
  int count = 0;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count && parts->ops->frictions != NULL; i++) {
      count += find_in(parts, i, list == NULL ? NULL : list + count);
    }
  }
  return count;
}

void flg_inner_frictions_find(flg_assembly *assembly) {
  flg_inner_frictions *inner = &assembly->scratch.inner;
  flg_region *region = &assembly->model.region;
  const size_t count = (size_t)find_inner_frictions(assembly, NULL);
  if (count == 0) return;
  inner->list = flg_region_take(region, count, sizeof *inner->list);
  inner->modelled = flg_region_take(region, count, sizeof(double));
  inner->start = flg_region_take(region, (size_t)assembly->model.velocity_count, sizeof(double));
  if (!region->failed) inner->count = find_inner_frictions(assembly, inner->list);
}

/* --- modes --------------------------------------------------------------------------------------
 */

static void know(flg_assembly *assembly, bool are_known) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->know_frictions != NULL) parts->ops->know_frictions(parts, are_known);
  }
  assembly->scratch.inner.are_known = are_known;
}

void flg_inner_frictions_begin(flg_assembly *assembly, double time, double h) {
  flg_inner_frictions *inner = &assembly->scratch.inner;
  const double *v = assembly->state.v;
  if (inner->count == 0) return;
  const bool is_modelled = inner->is_modelled && inner->time == time;
  for (int k = 0; k < inner->count; k++) {
    const flg_inner_friction *friction = &inner->list[k];
    *friction->mode = is_modelled ? inner->modelled[k]
                                  : flg_inner_friction_start(friction, v[friction->velocity], h);
    *friction->held = 0;
  }
  memcpy(inner->start, v, (size_t)assembly->model.velocity_count * sizeof *v);
  inner->time = time, inner->h = h;
  know(assembly, true);
}

void flg_inner_frictions_end(flg_assembly *assembly) {
  if (assembly->scratch.inner.count > 0) know(assembly, false);
}

static void keep_modes(flg_inner_frictions *inner) {
  for (int k = 0; k < inner->count; k++) inner->modelled[k] = *inner->list[k].mode;
}

void flg_inner_frictions_model(flg_assembly *assembly, double time, double h) {
  flg_inner_frictions_begin(assembly, time, h);
  keep_modes(&assembly->scratch.inner);
  assembly->scratch.inner.is_modelled = true;
}

bool flg_inner_frictions_agree(flg_assembly *assembly) {
  flg_inner_frictions *inner = &assembly->scratch.inner;
  bool agree = true;
  for (int k = 0; k < inner->count; k++) {
    agree = agree && inner->modelled[k] == *inner->list[k].mode;
  }
  keep_modes(inner);
  return agree;
}

/* --- the search ---------------------------------------------------------------------------------
 */

int flg_inner_friction_wanted(const flg_assembly *assembly, int index, const double *after) {
  const flg_inner_frictions *inner = &assembly->scratch.inner;
  const flg_inner_friction *friction = &inner->list[index];
  return flg_inner_friction_judge(friction, inner->start[friction->velocity],
                                  after[friction->velocity], inner->h);
}

flg_status flg_inner_frictions_renew(flg_assembly *assembly, double *from) {
  const flg_inner_frictions *inner = &assembly->scratch.inner;
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->frictions == NULL) continue;
    const double *start = inner->start + parts->velocity;
    double *own = from + parts->velocity;
    const flg_status status =
        parts->ops->gather(parts, inner->time, assembly->state.q + parts->position, start);
    if (status != FLG_OK) return status;
    parts->ops->accelerate(parts, false, own);
    for (int i = 0; i < parts->velocity_count; i++) own[i] = start[i] + inner->h * own[i];
  }
  return FLG_OK;
}

void flg_inner_frictions_give_up(flg_assembly *assembly) {
  know(assembly, false);
}

/* Of what sticks, the share of h creep that is rounding. */
static const double STILL = 1e-5;

bool flg_inner_frictions_hold(flg_assembly *assembly, const double *v) {
  const flg_inner_frictions *inner = &assembly->scratch.inner;
  bool creeps = false;
  for (int k = 0; k < inner->count && inner->are_known; k++) {
    const flg_inner_friction *friction = &inner->list[k];
    const double rate = v[friction->velocity];
    if (*friction->mode != 0 || !(fabs(rate) > STILL * inner->h * friction->creep)) continue;
    *friction->held = flg_inner_friction_impulse(friction, rate, inner->h) / inner->h;
    creeps = true;
  }
  return creeps;
}

bool flg_inner_frictions_settle(const flg_assembly *assembly, const double *v, double *from) {
  const flg_inner_frictions *inner = &assembly->scratch.inner;
  bool any = false;
  for (int k = 0; k < inner->count && inner->are_known; k++) {
    if (*inner->list[k].mode != 0) continue;
    from[inner->list[k].velocity] -= v[inner->list[k].velocity];
    any = true;
  }
  return any;
}

void flg_inner_frictions_rest(const flg_assembly *assembly, double *v) {
  const flg_inner_frictions *inner = &assembly->scratch.inner;
  for (int k = 0; k < inner->count && inner->are_known; k++) {
    if (*inner->list[k].mode == 0) v[inner->list[k].velocity] = 0;
  }
}

bool flg_inner_frictions_reopen(flg_assembly *assembly, const double *v) {
  const flg_inner_frictions *inner = &assembly->scratch.inner;
  bool any = false;
  for (int k = 0; k < inner->count && inner->are_known; k++) {
    const flg_inner_friction *friction = &inner->list[k];
    if (*friction->mode != 0) continue;
    const double held = flg_inner_friction_impulse(friction, v[friction->velocity], inner->h);
    *friction->mode = flg_inner_friction_hold(friction, held, inner->h);
    any = any || *friction->mode != 0;
  }
  for (int k = 0; k < assembly->model.set_count && any; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->frictions != NULL) parts->ops->resist(parts, inner->h);
  }
  return any;
}
