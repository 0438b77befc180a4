/* Rows of interfaces between a subsystem and its rest, as the elimination has them. */
#include "macro/macro_run.h"

enum { PORT_ROWS = 6 };

static void write_interface_side(double *G, int leading, int row, int port, flg_spatial side) {
  double numbers[PORT_ROWS];
  flg_spatial_store(side, numbers);
  for (int j = 0; j < PORT_ROWS; j++) {
    G[row + (size_t)(PORT_ROWS * port + j) * (size_t)leading] = numbers[j];
  }
}

/* The rows of one interface. */
static int write_interface_rows(flg_macro_run *macro_run, const flg_macro_end *end, int row,
                                double h) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  flg_elimination *e = &macro_run->elimination;
  flg_moving_frame frame[2];
  flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
  frame[end->own] = subsystem->ops->coupled->frame(subsystem->self, end->port);
  frame[1 - end->own] = (flg_moving_frame){
      end->rest,
      flg_spatial_load(flg_interface_model_velocity(macro_run->rest) + PORT_ROWS * end->port)};
  flg_yield yield[2];
  yield[end->own] = flg_port_yield(macro_run->own, end->port);
  yield[1 - end->own] = flg_port_yield(macro_run->rest, end->port);
  const int count = flg_constraint_evaluate(end->interface->kind, frame, rows);
  for (int i = 0; i < count; i++, row++) {
    const flg_spatial own = rows[i].side[end->own], rest = rows[i].side[1 - end->own];
    write_interface_side(e->G[0], macro_run->row_count, row, end->port, own);
    write_interface_side(e->G[1], macro_run->row_count, row, end->port, rest);
    e->gamma[row] = -flg_spatial_dot(rest, end->miss);
    /* both sides mean the velocity at the end of the step: rows turn by G' v until then */
    if (!macro_run->uses_start_rows && !macro_run->is_literal) e->gamma[row] -= h * rows[i].bias;
    /* scale 0 leaves a row out, whatever its pivot looks like in this micro step */
    e->scale[row] = macro_run->repeats[row] ? 0 : flg_row_scale(&rows[i], yield);
  }
  return row;
}

/* those of a weld, in axes of the world (eliminate.h) */
static void write_interface_weld(flg_macro_run *macro_run, const flg_macro_end *end, double h) {
  const flg_subsystem *subsystem = macro_run->subsystem;
  const flg_elimination *e = &macro_run->elimination;
  const flg_moving_frame own = subsystem->ops->coupled->frame(subsystem->self, end->port);
  const flg_vec3 d = flg_vec3_subtract(own.pose.position, end->rest.position);
  const flg_mat3 lever = flg_mat3_skew(d);
  flg_spatial gamma = flg_spatial_shift_motion(end->miss, d);
  if (!macro_run->uses_start_rows && !macro_run->is_literal) {
    const flg_spatial rest = flg_spatial_load(flg_interface_model_velocity(macro_run->rest));
    const flg_vec3 parting = flg_vec3_subtract(own.velocity.linear, rest.linear);
    gamma.linear = flg_vec3_add_scaled(gamma.linear, h, flg_vec3_cross(rest.angular, parting));
  }
  flg_spatial_store(gamma, e->gamma);
  /* pivots are judged by the yields of the start of the macro step */
  if (!macro_run->has_chosen) macro_run->own_yield = flg_port_yield(macro_run->own, 0);
  const flg_yield own_yield = macro_run->own_yield, yield = macro_run->rest_yield;
  const double square = flg_vec3_dot(d, d);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) e->G[1][i + (3 + j) * PORT_ROWS] = lever.m[i + 3 * j];
    e->scale[i] = own_yield.linear + yield.linear + square * yield.angular;
    e->scale[3 + i] = own_yield.angular + yield.angular;
  }
}

void flg_macro_run_write_rows(flg_macro_run *macro_run, double h) {
  int row = 0;
  if (macro_run->elimination.shape.weld && !macro_run->is_massive) {
    write_interface_weld(macro_run, macro_run->ends, h);
    return;
  }
  for (int k = 0; k < macro_run->end_count; k++) {
    if (!macro_run->ends[k].is_driven)
      row = write_interface_rows(macro_run, &macro_run->ends[k], row, h);
  }
}
