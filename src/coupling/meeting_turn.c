/* A rest that is one rigid body: its model turns with it, and so do its gyroscopic terms.
 *
 * Over a port at d from the centre of mass, D = J M^-1 J^T has I^-1 as its block of moments, and
 * -[d]x I^-1 beside it: both I and d are found there. In a micro step
 *
 *     D = R D R^T,   R = exp(h w)
 *     w' = I'^-1 I w                       angular momentum stays as it is
 *     t = (w' x d' - w x d, w' - w)/h      what velocities alone do to a port in the next step
 *
 * A subsystem that looks back adds t between its micro steps (meeting.h); of others, the bias of
 * the rest changes with it.
 */
#include <string.h>

#include "coupling/meeting.h"

enum { PORT_ROWS = 6 };

static flg_mat3 block_at(flg_interface_model *model, int row, int column) {
  const size_t rows = (size_t)model->rows;
  const double *from = flg_interface_model_admittance(model) + row + (size_t)column * rows;
  flg_mat3 block;
  for (size_t c = 0; c < 3; c++) memcpy(block.m + 3 * c, from + c * rows, 3 * sizeof *from);
  return block;
}

/* D = R D R^T, block by block */
static void turn_model(flg_interface_model *model, const flg_mat3 *turn) {
  const flg_mat3 back = flg_mat3_transpose(turn);
  const int rows = model->rows;
  double *D = flg_interface_model_admittance(model);
  for (int j = 0; j < rows; j += 3) {
    for (int i = 0; i < rows; i += 3) {
      flg_mat3 block = block_at(model, i, j);
      block = flg_mat3_multiply(turn, &block);
      block = flg_mat3_multiply(&block, &back);
      for (int c = 0; c < 3; c++)
        memcpy(D + i + (size_t)(j + c) * (size_t)rows, block.m + 3 * c, 3 * sizeof *D);
    }
  }
}

/* of a symmetric matrix, by its minors; all zero if it has none */
static flg_sym3 invert(flg_sym3 s) {
  const flg_sym3 minors = {s.yy * s.zz - s.yz * s.yz, s.xx * s.zz - s.xz * s.xz,
                           s.xx * s.yy - s.xy * s.xy, s.xz * s.yz - s.xy * s.zz,
                           s.xy * s.yz - s.xz * s.yy, s.xy * s.xz - s.yz * s.xx};
  const double volume = s.xx * minors.xx + s.xy * minors.xy + s.xz * minors.xz;
  const flg_sym3 none = {0};
  return volume > 0 ? flg_sym3_add_scaled(none, 1 / volume, minors) : none;
}

/* d of a port: [d]x = -D_la I */
static flg_vec3 lever(flg_interface_model *model, int port, flg_sym3 inertia) {
  const flg_mat3 beside = block_at(model, PORT_ROWS * port, PORT_ROWS * port + 3);
  const flg_mat3 full = flg_sym3_full(inertia), skew = flg_mat3_multiply(&beside, &full);
  return (flg_vec3){0.5 * (skew.m[7] - skew.m[5]), 0.5 * (skew.m[2] - skew.m[6]),
                    0.5 * (skew.m[3] - skew.m[1])};
}

/* false: the port faces nobody, and its rows are zero */
static bool is_there(const flg_meeting *meeting, int port) {
  const size_t row = PORT_ROWS * (size_t)port, rows = (size_t)meeting->rest->rows;
  return flg_interface_model_admittance(meeting->rest)[row * (rows + 1)] > 0;
}

static flg_mat3 yields_of(const flg_meeting *meeting) {
  const int row = PORT_ROWS * meeting->ends[0].port + 3;
  return block_at(meeting->rest, row, row);
}

/* w x (w x d) + a x d and a = -I^-1 (w x I w): t as it is at one time */
static flg_spatial swing(const flg_meeting *meeting, flg_vec3 spin, flg_vec3 d) {
  const flg_mat3 yields = yields_of(meeting);
  const flg_vec3 moment = flg_vec3_cross(flg_sym3_apply(meeting->inertia, spin), spin);
  const flg_vec3 a = flg_mat3_apply(&yields, moment);
  const flg_vec3 round = flg_vec3_cross(spin, flg_vec3_cross(spin, d));
  return (flg_spatial){flg_vec3_add(round, flg_vec3_cross(a, d)), a};
}

/* (w' x d' - w x d, w' - w)/h: t of the step that turned it so, w' after it */
static flg_spatial change(flg_vec3 spin, flg_vec3 d, flg_vec3 turned_spin, flg_vec3 turned,
                          double h) {
  const flg_vec3 before = flg_vec3_cross(spin, d), after = flg_vec3_cross(turned_spin, turned);
  const flg_spatial by = {flg_vec3_subtract(after, before), flg_vec3_subtract(turned_spin, spin)};
  return flg_spatial_scale(by, 1 / h);
}

/* bias of a port += factor t */
static void add_to_bias(flg_meeting *meeting, int port, double factor, const double *t) {
  double *bias = flg_interface_model_bias(meeting->rest) + PORT_ROWS * port;
  for (int i = 0; i < PORT_ROWS; i++) bias[i] += factor * t[i];
}

/* t of a port; where nobody adds it between micro steps, the bias has it */
static void replace(flg_meeting *meeting, int port, flg_spatial by) {
  double *t = meeting->turning[1] + PORT_ROWS * port;
  if (!meeting->is_kicked) add_to_bias(meeting, port, -1, t);
  flg_spatial_store(by, t);
  if (!meeting->is_kicked) add_to_bias(meeting, port, 1, t);
}

static flg_vec3 spin_of(const flg_meeting *meeting, const double *u) {
  return flg_spatial_load(u + PORT_ROWS * meeting->ends[0].port).angular;
}

void flg_meeting_turn_begin(flg_meeting *meeting) {
  const flg_vec3 spin = spin_of(meeting, flg_interface_model_velocity(meeting->rest));
  const flg_mat3 yields = yields_of(meeting);
  meeting->inertia = invert(flg_sym3_from_lower(&yields));
  for (int k = 0; k < meeting->rest->rows / PORT_ROWS; k++) {
    meeting->levers[k] = lever(meeting->rest, k, meeting->inertia);
    if (!is_there(meeting, k)) continue;
    double *t = meeting->turning[1] + PORT_ROWS * k;
    if (meeting->is_kicked) add_to_bias(meeting, k, 1, t); /* some leave gyroscopic terms there */
    flg_spatial_store(swing(meeting, spin, meeting->levers[k]), t);
    if (meeting->is_kicked) add_to_bias(meeting, k, -1, t);
  }
}

void flg_meeting_turn(flg_meeting *meeting, const double *u, double h, bool is_step) {
  const flg_vec3 spin = spin_of(meeting, u), momentum = flg_sym3_apply(meeting->inertia, spin);
  const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(flg_vec3_scale(spin, h)));
  turn_model(meeting->rest, &turn);
  meeting->inertia = flg_sym3_rotate(meeting->inertia, &turn);
  const flg_mat3 yields = yields_of(meeting);
  const flg_vec3 turned_spin = flg_mat3_apply(&yields, momentum);
  for (int k = 0; k < meeting->rest->rows / PORT_ROWS; k++) {
    const flg_vec3 d = meeting->levers[k], turned = flg_mat3_apply(&turn, d);
    meeting->levers[k] = turned;
    if (!is_step || !is_there(meeting, k)) continue;
    replace(meeting, k,
            meeting->is_kicked ? change(spin, d, turned_spin, turned, h)
                               : swing(meeting, spin, turned));
  }
}
