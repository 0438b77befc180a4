/* Set-up of a macro run: which rows its interfaces and contacts have, and memory for all of them.
 */
#include "macro/macro_run.h"
#include "macro/rest_model.h"

enum { PORT_ROWS = 6 };

/* a macro run sees its own end; interfaces of others are part of the rest model */
static int end_of_interface(const flg_interface *interface, int subsystem) {
  for (int e = 0; e < 2; e++) {
    if (interface->end[e].subsystem == subsystem) return e;
  }
  return -1;
}

/* A driven end has a port, but no rows: its forces are known impulses. */
static void count_interfaces(flg_macro_run *macro_run, int index, const flg_interface *interfaces,
                             int interface_count, const bool *driven) {
  for (int k = 0; k < interface_count; k++) {
    if (end_of_interface(&interfaces[k], index) < 0) continue;
    macro_run->end_count++;
    if (driven == NULL || !driven[k]) macro_run->joint_rows += interfaces[k].rows;
  }
}

static void fill_ends(flg_macro_run *macro_run, int index, const flg_interface *interfaces,
                      int interface_count, const bool *driven) {
  flg_macro_end *end = macro_run->ends;
  for (int k = 0; k < interface_count; k++) {
    const int own = end_of_interface(&interfaces[k], index);
    if (own < 0) continue;
    *end++ = (flg_macro_end){.interface = &interfaces[k],
                             .own = own,
                             .port = interfaces[k].end[own].port,
                             .is_driven = driven != NULL && driven[k]};
  }
}

/* interfaces touch the ports of both that are joined, and the anchors of elements; touch ports
 * stay; six rows of one interface are a weld */
static flg_elimination_shape macro_shape(const flg_macro_run *macro_run,
                                         const flg_rest_model *rest) {
  const bool has_elements = macro_run->elements.count > 0;
  const bool is_alone = macro_run->end_count == 1 && macro_run->joined_count == 1 && !has_elements;
  const int own_rows = PORT_ROWS * macro_run->port_count, n = PORT_ROWS * macro_run->joined_count;
  const int rest_rows = flg_rest_model_rows(rest),
            touch = PORT_ROWS * flg_rest_model_touch_ports(rest);
  const int elastic = flg_rest_model_elastic_rows(rest);
  return (flg_elimination_shape){.constraints = macro_run->row_count,
                                 .rows = {own_rows, rest_rows},
                                 .touched = {n, rest_rows - touch - elastic},
                                 .kept = {own_rows - n, touch},
                                 .soft = has_elements,
                                 .weld = is_alone && macro_run->row_count == PORT_ROWS,
                                 .form = FLG_FORM_ADMITTANCE,
                                 .tolerance = FLG_PIVOT_TOLERANCE};
}

/* What other subsystems do in a micro step is one array, which is cleared at once. */
static void lay_out_taken(flg_macro_run *macro_run, size_t own, size_t rest, flg_region *region) {
  double *next = flg_region_take(region, 4 * (own + rest), sizeof(double));
  if (next == NULL) return;
  macro_run->taken = next, macro_run->taken_count = 4 * (own + rest);
  macro_run->driven = next, next += own;
  macro_run->kicked = next, next += own;
  macro_run->hit[0] = next, next += own;
  macro_run->hit_move[0] = next, next += own;
  macro_run->hit[1] = next, next += rest;
  macro_run->hit_move[1] = next, next += rest;
  macro_run->jump[0] = next, next += rest;
  macro_run->jump[1] = next;
}

/* All that a macro step needs is taken here, for the largest number of micro steps: steps allocate
 * nothing. Records hold impulses of each micro step, because the subsystems driven by them run
 * afterwards. */
static void macro_build_lay_out(flg_macro_run *macro_run, const flg_elimination_shape *shape,
                                flg_region *region) {
  const size_t n = (size_t)shape->rows[0], other = (size_t)shape->rows[1];
  const size_t kept = (size_t)shape->kept[0];
  const size_t steps = (size_t)macro_run->steps_most, rows = (size_t)macro_run->row_count;
  macro_run->ends = flg_region_take(region, (size_t)macro_run->end_count, sizeof *macro_run->ends);
  macro_run->factored = flg_region_take(region, n * n, sizeof(double));
  macro_run->bias[0] = flg_region_take(region, n, sizeof(double));
  macro_run->bias[1] = flg_region_take(region, other, sizeof(double));
  macro_run->forces[0] = flg_region_take(region, n, sizeof(double));
  macro_run->forces[1] = flg_region_take(region, other, sizeof(double));
  macro_run->velocity_bias[0] = flg_region_take(region, n, sizeof(double));
  macro_run->velocity_bias[1] = flg_region_take(region, other, sizeof(double));
  lay_out_taken(macro_run, n, other, region);
  macro_run->pushed = flg_region_take(region, n, sizeof(double));
  macro_run->reactions = flg_region_take(region, rows * (1 + kept), sizeof(double));
  macro_run->repeats = flg_region_take(region, rows, sizeof *macro_run->repeats);
  macro_run->left_out = flg_region_take(region, rows, sizeof *macro_run->left_out);
  macro_run->record = flg_region_take(region, n * steps, sizeof(double));
  macro_run->kicks = flg_region_take(region, n * steps, sizeof(double));
  macro_run->sum = flg_region_take(region, n, sizeof(double));
  macro_run->counter[0] = flg_region_take(region, other * steps, sizeof(double));
  macro_run->counter[1] = flg_region_take(region, other * steps, sizeof(double));
  for (int k = 0; k < 2; k++) {
    macro_run->own_hits[k] = flg_region_take(region, n * steps, sizeof(double));
  }
  macro_run->hits = flg_region_take(region, other * steps, sizeof(double));
  macro_run->hit_moves = flg_region_take(region, other * steps, sizeof(double));
  macro_run->counter_sum = flg_region_take(region, other, sizeof(double));
  macro_run->work = flg_region_take(region, n, sizeof(double));
  macro_run->body.levers =
      flg_region_take(region, other / PORT_ROWS, sizeof *macro_run->body.levers);
  macro_run->kept = flg_region_take(region, kept + (size_t)shape->kept[1], sizeof(int));
  macro_run->mass = flg_region_take(region, rows * rows, sizeof(double));
  macro_run->system = flg_region_take(region, rows * rows, sizeof(double));
  macro_run->mass_work = flg_region_take(region, rows * (n + other + rows), sizeof(double));
}

/* own is reduced in every micro step, rest is joined once a macro step and then frozen */
static flg_status build_models(flg_macro_run *macro_run, const flg_elimination_shape *shape,
                               flg_error *error) {
  flg_interface_model **const models[2] = {&macro_run->own, &macro_run->rest};
  for (int k = 0; k < 2; k++) {
    const int n = shape->rows[k];
    void *memory = flg_region_take(&macro_run->region, flg_interface_model_bytes(n), 1);
    flg_status status = flg_region_check(&macro_run->region, "a model", error);
    if (status == FLG_OK) status = flg_interface_model_build(memory, n, n, models[k], error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

/* rows of own and rest: those that are touched, then those that stay; not elastic ones */
/* Joined ports first, then anchors, then touch ports: in the order of the rest model's faces. */
static int list_kept_rows(const flg_elimination_shape *shape, int joined, int side, int *rows) {
  const int n = shape->touched[side] + shape->kept[side],
            last = PORT_ROWS * joined + shape->kept[side];
  int count = 0;
  for (int k = 0; k < n; k++) {
    if (k < PORT_ROWS * joined || k >= last) rows[count++] = k;
  }
  for (int k = PORT_ROWS * joined; k < last; k++) rows[count++] = k;
  return count;
}

static flg_status build_elimination(flg_macro_run *macro_run, const flg_elimination_shape *shape,
                                    flg_error *error) {
  const size_t n = (size_t)shape->rows[0] + (size_t)shape->rows[1];
  int *own = flg_region_take(&macro_run->region, n, sizeof *own);
  if (own == NULL) return flg_region_check(&macro_run->region, "a macro step", error);
  int *rest = own + list_kept_rows(shape, macro_run->joined_count, 0, own);
  list_kept_rows(shape, macro_run->joined_count, 1, rest);
  const int *const touched[2] = {own, rest};
  const int *const kept[2] = {own + shape->touched[0], rest + shape->touched[1]};
  flg_elimination *e = &macro_run->elimination;
  const flg_status status =
      flg_elimination_build(e, shape, touched, kept, &macro_run->region, error);
  /* rows of a weld in world axes at its ports are own minus rest, in every step: written once */
  for (int k = 0; k < PORT_ROWS && status == FLG_OK && shape->weld; k++) {
    e->G[0][k * (PORT_ROWS + 1)] = 1, e->G[1][k * (PORT_ROWS + 1)] = -1;
  }
  return status;
}

flg_status flg_macro_run_build(flg_macro_run *macro_run, const flg_subsystem *subsystem, int index,
                               const flg_interface *interfaces, int interface_count,
                               const bool *driven, const flg_rest_model *rest, int steps_most,
                               flg_error *error) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  *macro_run =
      (flg_macro_run){.subsystem = subsystem, .steps = steps_most, .steps_most = steps_most};
  macro_run->port_count = ops->ports(subsystem->self);
  macro_run->joined_count = flg_joined_ports(subsystem);
  macro_run->uses_start_rows = ops->uses_start_rows != NULL && ops->velocity_bias != NULL &&
                               ops->uses_start_rows(subsystem->self);
  macro_run->leaps = ops->leaps != NULL && ops->leaps(subsystem->self);
  count_interfaces(macro_run, index, interfaces, interface_count, driven);
  const int own_rows = PORT_ROWS * macro_run->port_count;
  /* twice: without a region it only counts elements, whose number the sizes of all depend on */
  flg_macro_elements *elements = &macro_run->elements;
  flg_macro_elements_build(elements, index, interfaces, interface_count, driven, rest,
                           macro_run->joint_rows, own_rows, steps_most, NULL);
  macro_run->row_count = macro_run->joint_rows + elements->count;
  const flg_elimination_shape shape = macro_shape(macro_run, rest);
  flg_region *region = &macro_run->region;
  macro_build_lay_out(macro_run, &shape, region);
  flg_macro_elastic_build(&macro_run->elastic, rest, region);
  if (!region->failed) {
    fill_ends(macro_run, index, interfaces, interface_count, driven);
    flg_macro_elements_build(elements, index, interfaces, interface_count, driven, rest,
                             macro_run->joint_rows, own_rows, steps_most, region);
  }
  flg_status status = flg_region_check(region, "a macro step", error);
  if (status == FLG_OK) status = build_models(macro_run, &shape, error);
  if (status == FLG_OK) status = build_elimination(macro_run, &shape, error);
  if (status != FLG_OK) flg_macro_run_release(macro_run);
  return status;
}

void flg_macro_run_release(flg_macro_run *macro_run) {
  flg_region_release(&macro_run->region);
  *macro_run = (flg_macro_run){0};
}
