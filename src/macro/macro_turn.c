/* A rest that is one rigid body: its model turns with it, and so do its gyroscopic terms.
 *
 * Over a port at d from the centre of mass, D = J M^-1 J^T has I^-1 as its block of moments, and
 * -[d]x I^-1 beside it: I, d and the mass are found there. In a micro step
 *
 *     d' = R d,   I' = R I R^T,   R = exp(h w)
 *     w' = I'^-1 I w                       angular momentum stays as it is
 *     t = (w' x d' - w x d, w' - w)/h      what velocities alone do to a port in the next step
 *
 * A subsystem that uses start rows adds t between its micro steps (macro_run.h); of others, the
 * bias of the rest changes with it.
 */
#include <string.h>

#include "interface/rigid_block.h"
#include "macro/macro_run.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { PORT_ROWS = 6 };

static flg_mat3 turn_block_at(flg_interface_model *model, int row, int column) {
  const size_t rows = (size_t)model->rows;
  const double *from = flg_interface_model_admittance(model) + row + (size_t)column * rows;
  flg_mat3 block;
  for (size_t c = 0; c < 3; c++) memcpy(block.m + 3 * c, from + c * rows, 3 * sizeof *from);
  return block;
}

/* d of a port: [d]x = -D_la I */
static flg_vec3 lever(flg_interface_model *model, int port, flg_sym3 inertia) {
  const flg_mat3 beside = turn_block_at(model, PORT_ROWS * port, PORT_ROWS * port + 3);
  const flg_mat3 full = flg_sym3_full(inertia), skew = flg_mat3_multiply(&beside, &full);
  return (flg_vec3){0.5 * (skew.m[7] - skew.m[5]), 0.5 * (skew.m[2] - skew.m[6]),
                    0.5 * (skew.m[3] - skew.m[1])};
}

/* false: no subsystem is joined to the port, and its rows are zero */
static bool is_there(const flg_macro_run *macro_run, int port) {
  const size_t row = PORT_ROWS * (size_t)port, rows = (size_t)macro_run->rest->rows;
  return flg_interface_model_admittance(macro_run->rest)[row * (rows + 1)] > 0;
}

static int count_ports(const flg_macro_run *macro_run) {
  return macro_run->rest->rows / PORT_ROWS;
}

/* w x (w x d) + a x d and a = -I^-1 (w x I w): t as it is at one time */
static flg_spatial swing_of_rest(const flg_rigid_rest *body, flg_vec3 spin, flg_vec3 d) {
  const flg_vec3 moment = flg_vec3_cross(flg_sym3_apply(body->inertia, spin), spin);
  const flg_vec3 a = flg_sym3_apply(body->yields, moment);
  const flg_vec3 round = flg_vec3_cross(spin, flg_vec3_cross(spin, d));
  return (flg_spatial){flg_vec3_add(round, flg_vec3_cross(a, d)), a};
}

/* (w' x d' - w x d, w' - w)/h: t of the step that turned it so, w' after it */
static flg_spatial change_of_turn(flg_vec3 spin, flg_vec3 d, flg_vec3 turned_spin, flg_vec3 turned,
                                  double h) {
  const flg_vec3 before = flg_vec3_cross(spin, d), after = flg_vec3_cross(turned_spin, turned);
  const flg_spatial by = {flg_vec3_subtract(after, before), flg_vec3_subtract(turned_spin, spin)};
  return flg_spatial_scale(by, 1 / h);
}

/* bias of a port += factor t */
static void add_to_bias(flg_macro_run *macro_run, int port, double factor, const double *t) {
  double *bias = flg_interface_model_bias(macro_run->rest) + PORT_ROWS * port;
  for (int i = 0; i < PORT_ROWS; i++) bias[i] += factor * t[i];
}

/* t of a port; where no call adds t between micro steps, the bias has it */
static void replace(flg_macro_run *macro_run, int port, flg_spatial by) {
  double *t = macro_run->velocity_bias[1] + PORT_ROWS * port;
  if (!macro_run->is_kicked) add_to_bias(macro_run, port, -1, t);
  flg_spatial_store(by, t);
  if (!macro_run->is_kicked) add_to_bias(macro_run, port, 1, t);
}

static flg_vec3 spin_of_rest(const flg_macro_run *macro_run, const double *u) {
  return flg_spatial_load(u + PORT_ROWS * macro_run->body.port).angular;
}

/* 1/m, I^-1 and I from the block of the first port that it is at */
static void find_body(flg_macro_run *macro_run) {
  flg_rigid_rest *body = &macro_run->body;
  int port = 0;
  while (port + 1 < count_ports(macro_run) && !is_there(macro_run, port)) port++;
  body->port = port;
  const int row = PORT_ROWS * port;
  const flg_mat3 yields = turn_block_at(macro_run->rest, row + 3, row + 3);
  const flg_mat3 shifts = turn_block_at(macro_run->rest, row, row);
  body->yields = flg_sym3_from_lower(&yields);
  body->inertia = flg_sym3_inverse(body->yields);
  const flg_vec3 d = lever(macro_run->rest, port, body->inertia), across = {0, d.z, -d.y};
  body->lightness = shifts.m[0] - flg_vec3_dot(across, flg_sym3_apply(body->yields, across));
}

void flg_macro_run_turn_begin(flg_macro_run *macro_run) {
  flg_rigid_rest *body = &macro_run->body;
  find_body(macro_run);
  const flg_vec3 spin = spin_of_rest(macro_run, flg_interface_model_velocity(macro_run->rest));
  for (int k = 0; k < count_ports(macro_run); k++) {
    body->levers[k] = lever(macro_run->rest, k, body->inertia);
    if (!is_there(macro_run, k)) continue;
    double *t = macro_run->velocity_bias[1] + PORT_ROWS * k;
    if (macro_run->is_kicked)
      add_to_bias(macro_run, k, 1, t); /* some leave gyroscopic terms there */
    flg_spatial_store(swing_of_rest(body, spin, body->levers[k]), t);
    if (macro_run->is_kicked) add_to_bias(macro_run, k, -1, t);
  }
}

FLG_SMALL void write_all(flg_macro_run *macro_run) {
  const flg_rigid_rest *body = &macro_run->body;
  const int n = macro_run->rest->rows;
  double *D = flg_interface_model_admittance(macro_run->rest);
  for (int b = 0; b < count_ports(macro_run); b++) {
    if (!is_there(macro_run, b)) continue;
    flg_three turns[PORT_ROWS];
    flg_rigid_turns(body->yields, body->levers[b], turns);
    for (int a = 0; a < count_ports(macro_run); a++) {
      if (!is_there(macro_run, a)) continue;
      flg_rigid_block(body->levers[a], body->lightness, turns,
                      D + PORT_ROWS * a + (size_t)(PORT_ROWS * b) * (size_t)n, n);
    }
  }
}

FLG_WIDE_VECTORS
void flg_macro_run_turn(flg_macro_run *macro_run, const double *u, double h, bool is_step) {
  flg_rigid_rest *body = &macro_run->body;
  const flg_vec3 spin = spin_of_rest(macro_run, u), momentum = flg_sym3_apply(body->inertia, spin);
  const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(flg_vec3_scale(spin, h)));
  body->yields = flg_sym3_rotate(body->yields, &turn);
  body->inertia = flg_sym3_rotate(body->inertia, &turn);
  const flg_vec3 turned_spin = flg_sym3_apply(body->yields, momentum);
  for (int k = 0; k < count_ports(macro_run); k++) {
    const flg_vec3 d = body->levers[k], turned = flg_mat3_apply(&turn, d);
    body->levers[k] = turned;
    if (!is_step || !is_there(macro_run, k)) continue;
    replace(macro_run, k,
            macro_run->is_kicked ? change_of_turn(spin, d, turned_spin, turned, h)
                                 : swing_of_rest(body, spin, turned));
  }
  write_all(macro_run);
}
