/* The rest model of a subsystem at the start of a macro step. */
#include <string.h>

#include "coupling/coupling_inner.h"
#include "math/dense.h"

enum { PORT_ROWS = 6 };

bool flg_coupling_sees_all(const flg_coupling *coupling, int viewer, int other) {
  (void)coupling;
  return other != viewer;
}

/* S M, the block of a port: S = X^T K X, M = D^-1 */
static void facing_weigh(const flg_reduced *reduced, int port, const double *yields, double *to) {
  const size_t rows = (size_t)reduced->model->rows, first = PORT_ROWS * (size_t)port;
  double L[PORT_ROWS * PORT_ROWS], column[PORT_ROWS];
  for (size_t j = 0; j < PORT_ROWS; j++) {
    const double *D = flg_interface_model_admittance(reduced->model) + (first + j) * rows + first;
    memcpy(L + PORT_ROWS * j, D, PORT_ROWS * sizeof *L);
  }
  memset(to, 0, sizeof L);
  if (flg_dense_cholesky(PORT_ROWS, L, PORT_ROWS) < PORT_ROWS) return;
  for (size_t j = 0; j < PORT_ROWS; j++) { /* S M is the transpose of M S */
    memcpy(column, yields + (first + j) * rows + first, sizeof column);
    flg_dense_cholesky_solve(PORT_ROWS, L, PORT_ROWS, column);
    for (size_t i = 0; i < PORT_ROWS; i++) to[j + PORT_ROWS * i] = column[i];
  }
}

/* from one pose to another, in world axes */
static flg_spatial way_between(const flg_pose *from, const flg_pose *to) {
  const flg_mat3 turn = flg_mat3_multiply_transposed(&from->rotation, &to->rotation);
  const flg_vec3 angle = flg_quat_log(flg_quat_from_matrix(&turn));
  return (flg_spatial){flg_vec3_subtract(to->position, from->position),
                       flg_mat3_apply(&from->rotation, angle)};
}

/* as printed: the way since the start of the run, and all of the velocity */
static void string_literally(const flg_coupling *coupling, flg_macro_run *macro_run,
                             flg_macro_end *end) {
  const int other = 1 - end->own;
  const size_t interface = (size_t)(end->interface - coupling->system.interfaces);
  const flg_moving_frame now =
      flg_interface_frame(end->interface, other, coupling->system.subsystems);
  const flg_pose *start = &coupling->starts[2 * interface + (size_t)other];
  flg_spatial_store(way_between(start, &now.pose), end->spring.way);
  memset(end->spring.start, 0, sizeof end->spring.start);
  flg_macro_run_pull(macro_run, end, flg_interface_model_velocity(macro_run->rest), 0);
}

/* the springs of the rest at an end, as they are at the communication point */
static void string(flg_coupling *coupling, flg_macro_run *macro_run, flg_macro_end *end) {
  const flg_interface_end *other = &end->interface->end[1 - end->own];
  flg_macro_spring *spring = &end->spring;
  spring->is_on = false;
  if (other->subsystem < 0 || !coupling->reduced[other->subsystem].bends) return;
  const flg_reduced *reduced = &coupling->reduced[other->subsystem];
  const size_t at = PORT_ROWS * (size_t)end->port;
  spring->is_on = true;
  facing_weigh(reduced, other->port, reduced->spring, spring->stiffness);
  facing_weigh(reduced, other->port, reduced->damper, spring->damping);
  memset(spring->way, 0, sizeof spring->way);
  memcpy(spring->start, flg_interface_model_velocity(macro_run->rest) + at, sizeof spring->start);
  memcpy(spring->bias, flg_interface_model_bias(macro_run->rest) + at, sizeof spring->bias);
  if (coupling->options.elastic == FLG_ELASTIC_LITERAL) string_literally(coupling, macro_run, end);
}

void flg_coupling_face_frames(flg_coupling *coupling, int subsystem) {
  const bool is_on = coupling->options.pose == FLG_POSE_FEEDBACK;
  flg_macro_run *macro_run = &coupling->macro_runs[subsystem];
  flg_macro_elements_face(&macro_run->elements, coupling->system.subsystems,
                          coupling->elements.states);
  for (int k = 0; k < macro_run->end_count; k++) {
    flg_macro_end *end = &macro_run->ends[k];
    const flg_moving_frame own =
        flg_interface_frame(end->interface, end->own, coupling->system.subsystems);
    const flg_moving_frame rest =
        flg_interface_frame(end->interface, 1 - end->own, coupling->system.subsystems);
    end->rest = rest.pose;
    string(coupling, macro_run, end);
    end->miss = (flg_spatial){{0}, {0}};
    if (!is_on) continue;
    const flg_spatial miss = way_between(&own.pose, &rest.pose);
    end->miss = flg_spatial_scale(miss, coupling->options.feedback / coupling->system.macro);
  }
}

/* Those that leap close contacts in the middle of their steps. */
static void find_kicks(flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_macro_run *macro_run = &coupling->macro_runs[k];
    coupling->kicks[k] =
        macro_run->leaps ? 0.5 * coupling->system.macro / coupling->division.steps[k] : 0;
  }
}

flg_status flg_coupling_join_rest(flg_coupling *coupling, int subsystem, flg_error *error) {
  flg_macro_run *macro_run = &coupling->macro_runs[subsystem];
  double *velocity_bias =
      macro_run->uses_start_rows || macro_run->leaps ? macro_run->velocity_bias[1] : NULL;
  const flg_status status = flg_rest_model_join(coupling->rests[subsystem], coupling->reduced,
                                                velocity_bias, macro_run->rest);
  flg_rest_model_bend(coupling->rests[subsystem], coupling->reduced, &macro_run->elastic.block);
  flg_coupling_face_frames(coupling, subsystem);
  if (status != FLG_OK) {
    return flg_fail(error, status, "Subsystem '%s': the model of its rest is no longer finite",
                    coupling->system.subsystems[subsystem].name);
  }
  if (macro_run->contacts == NULL) return FLG_OK;
  find_kicks(coupling);
  flg_error reason;
  const flg_status found = flg_macro_contacts_face(
      macro_run->contacts, coupling->rests[subsystem], coupling->system.subsystems,
      coupling->system.macro, coupling->kicks, coupling->kicks[subsystem], &reason);
  return found == FLG_OK ? FLG_OK
                         : flg_coupling_blame(coupling, subsystem, found, reason.message, error);
}
