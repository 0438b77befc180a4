#include "macro/element.h"

#include <string.h>

#include "forces/force.h"
#include "math/identity.h"
#include "model/spring.h"

/* A bushing has six rows from one pair of frames; each element stands for one of them. */
static void evaluate_framed(const flg_element *element, const flg_moving_frame *frames,
                            flg_element_row *row) {
  flg_constraint_row rows[FLG_FORCE_ROWS_MAX];
  element->framed->measure(frames, rows);
  const flg_constraint_row *own = &rows[element->row];
  row->value = row->part[0] = own->left;
  row->rate = row->part_rate[0] = own->rate;
  row->bias = own->bias;
  memcpy(row->side, own->side, sizeof own->side);
}

void flg_element_evaluate(const flg_element *element, const flg_moving_frame *frames,
                          const double near[2], flg_element_row *row) {
  /* Sides are added up below: an anchor that two coordinates share gets both. */
  memset(row, 0, sizeof *row);
  if (element->framed != NULL) {
    evaluate_framed(element, frames, row);
    return;
  }
  row->value = -element->origin;
  for (int k = 0; k < element->count; k++) {
    const int *anchor = element->of[k].anchor;
    const double factor = element->of[k].factor;
    const flg_moving_frame end[2] = {frames[anchor[0]], frames[anchor[1]]};
    flg_coordinate_row at;
    flg_coordinate_evaluate(element->of[k].kind, end, near[k], &at);
    row->part[k] = at.value, row->part_rate[k] = at.rate;
    row->value += factor * at.value;
    row->rate += factor * at.rate;
    row->bias += factor * at.bias;
    for (int s = 0; s < 2; s++) {
      row->side[anchor[s]] = flg_spatial_add_scaled(row->side[anchor[s]], factor, at.side[s]);
    }
  }
}

flg_moving_frame flg_interface_anchor_frame(const flg_interface_end *anchor,
                                            const flg_subsystem *subsystems) {
  if (anchor->subsystem < 0) return (flg_moving_frame){.pose = anchor->pose};
  const flg_subsystem *subsystem = &subsystems[anchor->subsystem];
  return subsystem->ops->coupled->frame(subsystem->self, anchor->port);
}

void flg_element_measure(const flg_element *element, const flg_interface *interface,
                         const flg_subsystem *subsystems, const double near[2],
                         flg_element_row *row) {
  flg_moving_frame frames[FLG_INTERFACE_ANCHORS_MAX];
  for (int k = 0; k < interface->anchor_count; k++) {
    frames[k] = flg_interface_anchor_frame(&interface->anchors[k], subsystems);
  }
  flg_element_evaluate(element, frames, near, row);
}

/* A closed element is a row of the elimination, any other one a force. */
bool flg_element_is_closed(const flg_element *element, int mode) {
  switch (element->kind) {
    case FLG_ELEMENT_RIGID:
      return true;
    case FLG_ELEMENT_FRICTION:
      return mode == 0 && flg_friction_sticks(element->friction);
    /* Modes of stops say at which end it is; of frictions, which way it slips, 0: it sticks. */
    case FLG_ELEMENT_STOP:
      return mode != 0;
    case FLG_ELEMENT_SPRING:
    default:
      return false;
  }
}

int flg_element_judge(const flg_element *element, const flg_limit_seen *seen) {
  if (element->kind == FLG_ELEMENT_STOP) return flg_stop_judge(element->stop, seen);
  if (element->kind == FLG_ELEMENT_FRICTION) return flg_friction_judge(element->friction, seen);
  return seen->mode;
}

double flg_element_energy(const flg_element *element, double value) {
  if (element->kind != FLG_ELEMENT_SPRING) return 0;
  return flg_spring_energy(element->spring, value - element->rest, value);
}

uint64_t flg_element_identity(const flg_element *element, uint64_t seed) {
  double rest = element->rest;
  /* The same hashes as inside components: an element does not change by moving to an interface. */
  const flg_force forces[] = {{&flg_spring_kind, element->spring, &rest, NULL},
                              {&flg_friction_kind, element->friction, NULL, NULL},
                              {&flg_stop_kind, element->stop, NULL, NULL}};
  seed = flg_identity(seed, "iii", (int)element->kind, element->count, (int)element->is_sum);
  if (element->framed != NULL) seed = flg_identity(seed, "i", element->row);
  for (int k = 0; k < element->count; k++) {
    seed = flg_identity(seed, "iIr", (int)element->of[k].kind, element->of[k].anchor, 2,
                        element->of[k].factor);
  }
  for (size_t k = 0; k < sizeof forces / sizeof forces[0]; k++) {
    if (forces[k].of != NULL) seed = forces[k].kind->identity(&forces[k], seed);
  }
  return seed;
}
