/* Forces on the parts of an assembly, besides those of its joints. */
#include "assembly/assembly_inner.h"
#include "assembly/assembly_signals.h"

/* a force at a frame, in world axes */
static void forces_push(const flg_part_anchor *anchor, flg_spatial force) {
  if (anchor->of != NULL) anchor->of->ops->push(anchor->of, anchor, force);
}

/* --- force elements -----------------------------------------------------------------------------
 */

/* numbers that it works on; rows of an element between frames */
static int forces_measure(const flg_assembly *assembly, const flg_running_force *own,
                          flg_constraint_row *rows, double *value, double *rate) {
  const int count = own->force.kind->rows;
  if (own->coordinate >= 0) {
    const flg_coordinate_row *row = &assembly->model.coordinates[own->coordinate].row;
    value[0] = row->value, rate[0] = row->rate;
    return count;
  }
  /* a load: it has a frame and no number */
  if (count == 0) return 0;
  const flg_moving_frame end[2] = {flg_part_anchor_frame(&own->anchor[0]),
                                   flg_part_anchor_frame(&own->anchor[1])};
  own->force.kind->measure(end, rows);
  for (int i = 0; i < count; i++) value[i] = rows[i].left, rate[i] = rows[i].rate;
  return count;
}

int flg_assembly_law(const flg_assembly *assembly, int index, flg_law *law, double *value,
                     double *rate) {
  const flg_running_force *own = &assembly->model.forces[index];
  flg_constraint_row rows[FLG_FORCE_ROWS_MAX];
  const int count = forces_measure(assembly, own, rows, value, rate);
  own->force.kind->law(&own->force, value, law);
  return count;
}

double flg_assembly_effort(const flg_assembly *assembly, int index) {
  double value, rate;
  flg_law law;
  const flg_force *force = &assembly->model.forces[index].force;
  if (force->kind->target != NULL) { /* mean of the macro step */
    return assembly->scratch.watched_time > 0 ? force->own[0] / assembly->scratch.watched_time : 0;
  }
  flg_assembly_law(assembly, index, &law, &value, &rate);
  return law.effort - law.damping * rate;
}

double flg_assembly_force_energy(const flg_assembly *assembly, int index) {
  const flg_running_force *own = &assembly->model.forces[index];
  flg_constraint_row rows[FLG_FORCE_ROWS_MAX];
  double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX];
  /* dampers and loads have no energy */
  if (own->force.kind->energy == NULL) return 0;
  forces_measure(assembly, own, rows, value, rate);
  return own->force.kind->energy(&own->force, value);
}

void flg_assembly_start_forces(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    flg_constraint_row rows[FLG_FORCE_ROWS_MAX];
    double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX];
    if (own->force.kind->start == NULL) continue;
    forces_measure(assembly, own, rows, value, rate);
    own->force.kind->start(&own->force, value);
  }
}

static void pull_one(flg_assembly *assembly, int coordinate, double effort) {
  const flg_running_coordinate *running = &assembly->model.coordinates[coordinate];
  for (int s = 0; s < 2; s++) {
    forces_push(&running->anchor[s], flg_spatial_scale(running->row.side[s], effort));
  }
}

/* adds an effort on a coordinate; a sum hands it on */
static void pull_coordinate(flg_assembly *assembly, int coordinate, double effort) {
  int of[2];
  double factor[2];
  flg_limits_couple(assembly->model.component, coordinate, of, factor);
  for (int s = 0; s < 2; s++) {
    if (of[s] >= 0) pull_one(assembly, of[s], factor[s] * effort);
  }
}

/* efforts on its rows, as forces on the two ends of an element, at their frames */
/* Rows are over both frames: one effort is an equal and opposite pair by construction. */
static void sum_rows(const flg_constraint_row *rows, const double *effort, int count,
                     flg_spatial force[2]) {
  for (int s = 0; s < 2; s++) {
    force[s] = (flg_spatial){{0}, {0}};
    for (int i = 0; i < count; i++) {
      force[s] = flg_spatial_add_scaled(force[s], effort[i], rows[i].side[s]);
    }
  }
}

static void find_between(const flg_assembly *assembly, const flg_running_force *own, double *value,
                         flg_spatial force[2]) {
  flg_constraint_row rows[FLG_FORCE_ROWS_MAX];
  double rate[FLG_FORCE_ROWS_MAX], effort[FLG_FORCE_ROWS_MAX];
  flg_law law[FLG_FORCE_ROWS_MAX];
  const int count = forces_measure(assembly, own, rows, value, rate);
  own->force.kind->law(&own->force, value, law);
  for (int i = 0; i < count; i++) effort[i] = law[i].effort - law[i].damping * rate[i];
  sum_rows(rows, effort, count, force);
}

/* what it takes from the motion [W]; those with play as where they act */
static double forces_resist(flg_assembly *assembly, const flg_running_force *own, double stiffness,
                            double damping) {
  flg_constraint_row rows[FLG_FORCE_ROWS_MAX];
  double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX], effort[FLG_FORCE_ROWS_MAX] = {0};
  flg_law law[FLG_FORCE_ROWS_MAX];
  flg_spatial force[2];
  double taken = 0;
  const int count = forces_measure(assembly, own, rows, value, rate);
  /* far outside of any play: stiffness and damping as they are where the element acts */
  for (int i = 0; i < count; i++) value[i] = INFINITY;
  own->force.kind->law(&own->force, value, law);
  for (int i = 0; i < count; i++) {
    effort[i] = -(stiffness * law[i].stiffness + damping * law[i].damping) * rate[i];
    taken -= effort[i] * rate[i];
  }
  if (own->coordinate >= 0) {
    pull_coordinate(assembly, own->coordinate, effort[0]);
    return taken;
  }
  sum_rows(rows, effort, count, force);
  for (int s = 0; s < 2; s++) forces_push(&own->anchor[s], force[s]);
  return taken;
}

void flg_assembly_push_resistance(flg_assembly *assembly, double stiffness, double damping,
                                  const bool *left_out, double *taken) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    taken[k] = 0;
    if (own->row_set >= 0 || own->force.kind->law == NULL || left_out[k]) continue;
    taken[k] = forces_resist(assembly, own, stiffness, damping);
  }
}

flg_spatial flg_assembly_force_between(const flg_assembly *assembly, int index, double *value) {
  flg_spatial force[2];
  find_between(assembly, &assembly->model.forces[index], value, force);
  return force[1];
}

/* those that are no rows of the plan */
static void push_elements(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    const flg_force_kind *kind = own->force.kind;
    if (own->row_set >= 0) continue;
    if (own->coordinate >= 0) {
      if (kind->law == NULL) continue; /* a limit */
      pull_coordinate(assembly, own->coordinate, flg_assembly_effort(assembly, k));
    } else if (kind->ends == 2) {
      double value[FLG_FORCE_ROWS_MAX];
      flg_spatial force[2];
      find_between(assembly, own, value, force);
      for (int s = 0; s < 2; s++) forces_push(&own->anchor[s], force[s]);
    } else {
      const flg_pose frame = flg_part_anchor_frame(&own->anchor[0]).pose;
      forces_push(&own->anchor[0], kind->push(&own->force, &frame));
    }
  }
}

/* what slips, in steps without rows for it */
static void push_slipping(flg_assembly *assembly) {
  const flg_limits *limits = &assembly->state.limits;
  for (int k = 0; k < limits->count && assembly->model.code.is_asking; k++) {
    if (limits->list[k].stop >= 0) continue;
    pull_coordinate(assembly, limits->list[k].coordinate, flg_limit_slip(assembly, k));
  }
}

static void push_inputs(flg_assembly *assembly) {
  const flg_assembly_inputs *inputs = &assembly->model.inputs;
  const flg_assembly_input *list = inputs->list.items;
  for (int k = 0; k < inputs->list.count; k++) {
    if (!list[k].is_given || list[k].guest != NULL) continue;
    if (list[k].kind == FLG_INPUT_WRENCH)
      forces_push(&list[k].anchor, flg_spatial_load(list[k].values));
    for (int i = 0; i < 2 && list[k].coordinate[i] >= 0; i++) {
      pull_coordinate(assembly, list[k].coordinate[i], list[k].values[i]);
    }
  }
  if (inputs->tried != NULL) forces_push(inputs->tried, inputs->trial);
}

void flg_assembly_unload(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++)
    assembly->model.sets[k]->ops->load(assembly->model.sets[k]);
}

flg_status flg_assembly_gather(flg_assembly *assembly, double time, const double *q,
                               const double *v) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->gather == NULL) continue;
    const flg_status status =
        parts->ops->gather(parts, time, q + parts->position, v + parts->velocity);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

/* Signals before elements, as motors push with what signals ask for. Parts come last: they add up
 * all that was pushed on them (gather), in one order, for the same bits. */
flg_status flg_assembly_forces(flg_assembly *assembly, double time, const double *q,
                               const double *v) {
  flg_assembly_unload(assembly);
  flg_signals_drive(assembly, time);
  push_elements(assembly);
  push_slipping(assembly);
  push_inputs(assembly);
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    forces_push(&assembly->model.outer_ports[k].anchor, assembly->model.outer_ports[k].force);
  }
  for (int k = 0; k < assembly->model.pressure_count; k++) {
    forces_push(&assembly->model.pressures[k].anchor,
                (flg_spatial){.linear = assembly->model.pressures[k].force});
  }
  return flg_assembly_gather(assembly, time, q, v);
}
