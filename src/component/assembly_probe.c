/* assembly_probe.c - how frames of an assembly answer to forces, at any frames and at any time:
 *
 *     a = D x + r        r: accelerations as all is, J a_0 + J' v
 *
 * Accelerations are linear in a force on a frame, joints and all, so that D has the columns
 * J (a_i - a_0), a_i with a force on row i. The force is made so large that its answer is as large
 * as a_0: what is subtracted then costs no digits. Outlets, which are part of the plan, are faster;
 * these frames need none. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_signals.h"
#include "component/assembly_inputs.h"
#include "math/larger.h"

flg_status flg_assembly_open_probe(void *self, const char *const *paths, int count, int *number,
                                   flg_error *error) {
  flg_assembly *assembly = self;
  flg_region *region = &assembly->model.region;
  flg_assembly_inputs *inputs = &assembly->model.inputs;
  const size_t rows = FLG_PORT_NUMBERS * (size_t)count;
  const size_t velocities = (size_t)assembly->model.velocity_count;
  flg_assembly_probe probe = {
      .count = count,
      .anchors = flg_region_take(region, (size_t)count, sizeof *probe.anchors),
      .responses = flg_region_take(region, (1 + rows) * velocities, sizeof(double))};
  for (int k = 0; k < count && !region->failed; k++) {
    const flg_status status =
        flg_assembly_find_anchor(assembly, paths[k], &probe.anchors[k], error);
    if (status != FLG_OK) return status;
  }
  flg_assembly_probe *made = NULL;
  if (!region->failed) made = flg_growing_add(&inputs->probes, sizeof *made, region);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a model");
  *made = probe;
  *number = inputs->probes.count - 1;
  return FLG_OK;
}

static double *response_of(const flg_assembly *assembly, const flg_assembly_probe *probe, int row) {
  return probe->responses + (size_t)(row + 1) * (size_t)assembly->model.velocity_count;
}

static flg_status probe_accelerate(flg_assembly *assembly, double time, double *a) {
  const flg_status status =
      flg_assembly_forces(assembly, time, assembly->state.q, assembly->state.v);
  return status == FLG_OK ? flg_assembly_accelerate(assembly, a) : status;
}

static double largest_magnitude(const double *values, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = flg_larger(most, fabs(values[k]));
  return most;
}

/* accelerations with a force of that size on a row, less those without it, for a unit of it */
static flg_status try_force(flg_assembly *assembly, double time, const flg_assembly_probe *probe,
                            int row, double size) {
  flg_assembly_inputs *inputs = &assembly->model.inputs;
  const double *still = response_of(assembly, probe, -1);
  double force[FLG_PORT_NUMBERS] = {0}, *to = response_of(assembly, probe, row);
  force[row % FLG_PORT_NUMBERS] = size;
  inputs->tried = &probe->anchors[row / FLG_PORT_NUMBERS];
  inputs->trial = flg_spatial_load(force);
  const flg_status status = probe_accelerate(assembly, time, to);
  inputs->tried = NULL;
  for (int k = 0; k < assembly->model.velocity_count; k++) to[k] = (to[k] - still[k]) / size;
  return status;
}

static flg_status probe_respond(flg_assembly *assembly, double time,
                                const flg_assembly_probe *probe, int row) {
  const int n = assembly->model.velocity_count;
  const double *still = response_of(assembly, probe, -1);
  const double *answer = response_of(assembly, probe, row);
  const flg_status status = try_force(assembly, time, probe, row, 1);
  const double yields = largest_magnitude(answer, n), moves = largest_magnitude(still, n);
  if (status != FLG_OK || !(yields > 0) || !(moves > yields)) return status;
  return try_force(assembly, time, probe, row, moves / yields);
}

/* positions, velocities and angles stand first in the state */
static size_t moving_bytes(const flg_assembly *assembly) {
  return (size_t)(assembly->state.force_states - assembly->state.numbers) * sizeof(double);
}

/* everything at the state, and the factors of a step of tau, as assembly_reduce of
 * assembly_coupled.c has them; limits are open */
static flg_status prepare_probe(flg_assembly *assembly, double time, double tau) {
  memcpy(assembly->scratch.before, assembly->state.numbers, moving_bytes(assembly));
  flg_assembly_sample(assembly, time, tau);
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.mode.span = tau;
  assembly->state.limits.idle = true;
  flg_assembly_begin(assembly);
  flg_signals_begin(assembly, time, tau);
  const bool bends = flg_assembly_bends(assembly);
  if (bends) flg_assembly_bend(assembly, tau);
  flg_status status = flg_assembly_forces(assembly, time, assembly->state.q, assembly->state.v);
  const bool kicks = assembly->model.options.scheme == FLG_SCHEME_SEMI_IMPLICIT;
  assembly->scratch.mode.is_damped = bends || (kicks && flg_assembly_resists(assembly));
  if (status == FLG_OK) {
    status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  }
  return status;
}

static void finish_probe(flg_assembly *assembly) {
  assembly->scratch.mode.is_damped = false;
  flg_assembly_unbend(assembly);
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.mode.span = 0;
  assembly->state.limits.idle = false;
  /* angles were found again, and may have other last digits */
  memcpy(assembly->state.numbers, assembly->scratch.before, moving_bytes(assembly));
}

/* J' v of a frame */
static flg_spatial drift_of(const flg_part_anchor *anchor) {
  if (anchor->of == NULL) return (flg_spatial){{0}, {0}};
  if (anchor->of->ops->drift != NULL) return anchor->of->ops->drift(anchor->of, anchor);
  const flg_vec3 spin = anchor->on->velocity.angular;
  const flg_vec3 arm = flg_mat3_apply(&anchor->on->pose.rotation, anchor->pose.position);
  return (flg_spatial){flg_vec3_cross(spin, flg_vec3_cross(spin, arm)), {0}};
}

/* J y of all frames, by placing the parts as if y were their velocities */
static void see_probed_frames(flg_assembly *assembly, const flg_assembly_probe *probe,
                              const double *y, double *to) {
  flg_assembly_place_parts(assembly, assembly->state.q, y);
  for (int k = 0; k < probe->count; k++) {
    flg_spatial_store(flg_part_anchor_frame(&probe->anchors[k]).velocity,
                      to + FLG_PORT_NUMBERS * k);
  }
}

/* symmetric to the last bit; a row that yields by rounding, to the wrong side, does not yield */
static void settle_admittance(double *D, size_t rows) {
  for (size_t j = 0; j < rows; j++) {
    for (size_t i = 0; i < j; i++) {
      D[i + j * rows] = D[j + i * rows] = 0.5 * (D[i + j * rows] + D[j + i * rows]);
    }
  }
  for (size_t j = 0; j < rows; j++) {
    if (D[j + j * rows] > 0) continue;
    for (size_t i = 0; i < rows; i++) D[i + j * rows] = D[j + i * rows] = 0;
  }
}

static void write_probe(flg_assembly *assembly, const flg_assembly_probe *probe,
                        flg_interface_model *model) {
  const int rows = FLG_PORT_NUMBERS * probe->count;
  double *D = flg_interface_model_admittance(model), *r = flg_interface_model_bias(model);
  double *w = flg_interface_model_velocity(model);
  see_probed_frames(assembly, probe, assembly->state.v, w);
  double *drift = D; /* until D is written */
  for (int k = 0; k < probe->count; k++) {
    flg_spatial_store(drift_of(&probe->anchors[k]), drift + FLG_PORT_NUMBERS * k);
  }
  see_probed_frames(assembly, probe, response_of(assembly, probe, -1), r);
  for (int i = 0; i < rows; i++) r[i] += drift[i];
  for (int j = 0; j < rows; j++) {
    see_probed_frames(assembly, probe, response_of(assembly, probe, j),
                      D + (size_t)j * (size_t)rows);
  }
  settle_admittance(D, (size_t)rows);
}

flg_status flg_assembly_look(void *self, int number, double time, double tau,
                             flg_interface_model *model) {
  flg_assembly *assembly = self;
  const flg_assembly_probe *probe =
      (const flg_assembly_probe *)assembly->model.inputs.probes.items + number;
  const int rows = FLG_PORT_NUMBERS * probe->count;
  flg_status status = flg_interface_model_resize(model, rows);
  if (status == FLG_OK) status = prepare_probe(assembly, time, tau);
  if (status == FLG_OK) status = probe_accelerate(assembly, time, response_of(assembly, probe, -1));
  for (int i = 0; i < rows && status == FLG_OK; i++) {
    status = probe_respond(assembly, time, probe, i);
  }
  if (status == FLG_OK) write_probe(assembly, probe, model);
  finish_probe(assembly);
  return status;
}
