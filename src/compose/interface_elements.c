#include "compose/interface_elements.h"

#include <string.h>

#include "forces/force.h"
#include "forces/force_keys.h"

/* the one of that name that belongs to no subsystem, -1: there is none */
#define FIND_AT_TOP(function, list, total)                                                     \
  static int function(const flg_component *whole, const char *name) {                          \
    for (int k = 0; k < whole->total; k++) {                                                   \
      if (whole->list[k].group == FLG_TOP && strcmp(whole->list[k].name, name) == 0) return k; \
    }                                                                                          \
    return -1;                                                                                 \
  }
FIND_AT_TOP(joint_at_top, joints, joint_count)
FIND_AT_TOP(element_at_top, elements, element_count)
FIND_AT_TOP(spring_at_top, springs, spring_count)
FIND_AT_TOP(friction_at_top, frictions, friction_count)
FIND_AT_TOP(stop_at_top, stops, stop_count)

const flg_component_joint *flg_compose_interface_joint(const flg_component *whole,
                                                       const char *name) {
  const int index = joint_at_top(whole, name);
  return index < 0 ? NULL : &whole->joints[index];
}

const flg_component_element *flg_compose_interface_bushing(const flg_component *whole,
                                                           const char *name) {
  const int index = element_at_top(whole, name);
  return index < 0 ? NULL : &whole->elements[index];
}

/* of teeth that are a spring or a stop, their sum */
static const flg_component_coordinate *sum_at_top(const flg_component *whole, const char *name) {
  const int spring = spring_at_top(whole, name), stop = stop_at_top(whole, name);
  return &whole->coordinates[spring >= 0 ? whole->springs[spring].coordinate
                                         : whole->stops[stop].coordinate];
}

const int *flg_compose_interface_teeth(const flg_component *whole, const char *name) {
  const flg_component_joint *joint = flg_compose_interface_joint(whole, name);
  return joint != NULL ? joint->coordinate : sum_at_top(whole, name)->of;
}

/* what is measured, between which anchors; those of a gear stand in the order of its coordinates */
static void measure_element(const flg_component *whole, const flg_interface *interface,
                            const int coordinates[2], const double factors[2],
                            flg_element *element) {
  const bool is_gear = interface->anchor_count == FLG_INTERFACE_ANCHORS_MAX;
  for (int k = 0; k < 2 && coordinates[k] >= 0; k++) {
    const int first = is_gear ? 2 * k : 0;
    element->of[k].kind = whole->coordinates[coordinates[k]].kind;
    element->of[k].anchor[0] = first, element->of[k].anchor[1] = first + 1;
    element->of[k].factor = factors[k];
    element->count++;
  }
}

static void measure_coordinate(const flg_component *whole, const flg_interface *interface,
                               int coordinate, flg_element *element) {
  const flg_component_coordinate *from = &whole->coordinates[coordinate];
  element->is_sum = from->kind == FLG_COORDINATE_SUM;
  if (element->is_sum) {
    measure_element(whole, interface, from->of, from->factor, element);
  } else {
    measure_element(whole, interface, (const int[2]){coordinate, -1}, (const double[2]){1, 0},
                    element);
  }
}

/* the last row of joints that is one of coordinates */
static void add_rigid(const flg_component *whole, const flg_component_joint *joint,
                      flg_interface *interface) {
  if (!flg_constraint_kinds[joint->kind].sums) return;
  const bool is_distance = joint->kind == FLG_CONSTRAINT_DISTANCE;
  double factor[2];
  flg_component_joint_factors(joint, factor);
  flg_element *element = &interface->elements[interface->element_count++];
  *element = (flg_element){.kind = FLG_ELEMENT_RIGID, .is_sum = !is_distance};
  if (is_distance) element->origin = joint->constant;
  measure_element(whole, interface, joint->coordinate, factor, element);
}

/* the load of a gear, that its losses depend on: what holds its teeth stands first */
static void carry_gear_load(const flg_component *whole, flg_element *element) {
  const flg_component_friction *friction = element->friction;
  const flg_component_joint *joint = flg_compose_interface_joint(whole, friction->name);
  element->carrier = friction->carrier == FLG_CARRIER_NONE ? -1 : 0;
  if (element->carrier < 0) return;
  const int *of = flg_compose_interface_teeth(whole, friction->name);
  const double *factor = joint != NULL ? joint->factor : sum_at_top(whole, friction->name)->factor;
  element->carrier_part = of[0] == friction->coordinate ? factor[0] : factor[1];
}

/* a spring for each direction in which it does something */
static void add_bushing(const flg_component_element *bushing, flg_interface *interface,
                        flg_region *region) {
  const flg_bushing_keys *keys = bushing->keys;
  const flg_bushing_numbers *numbers = &keys->numbers;
  const int rows = flg_bushing_kind.rows;
  flg_component_spring *springs = flg_region_take(region, (size_t)rows, sizeof *springs);
  for (int k = 0; k < rows && springs != NULL; k++) {
    springs[k] = (flg_component_spring){.name = bushing->name,
                                        .place = bushing->place,
                                        .group = FLG_TOP,
                                        .coordinate = -1,
                                        .stiffness = numbers->stiffness[k / 3][k % 3],
                                        .damping = numbers->damping[k / 3][k % 3],
                                        .implicit = numbers->implicit};
    if (springs[k].stiffness == 0 && springs[k].damping == 0) continue;
    flg_element *element = &interface->elements[interface->element_count++];
    *element = (flg_element){.kind = FLG_ELEMENT_SPRING,
                             .spring = &springs[k],
                             .framed = &flg_bushing_kind,
                             .row = k,
                             .count = 1,
                             .of = {{.anchor = {0, 1}, .factor = 1}}};
  }
}

enum { ELEMENTS_MAX = 6 }; /* rigid, spring, friction and stop; or those of a bushing */

void flg_compose_elements(const flg_component *whole, flg_interface *interface,
                          flg_region *region) {
  const flg_component_joint *joint = flg_compose_interface_joint(whole, interface->name);
  const int spring = spring_at_top(whole, interface->name);
  const int stop = stop_at_top(whole, interface->name);
  const int friction = friction_at_top(whole, interface->name);
  interface->elements = flg_region_take(region, ELEMENTS_MAX, sizeof *interface->elements);
  if (interface->elements == NULL) return;
  const flg_component_element *bushing = flg_compose_interface_bushing(whole, interface->name);
  if (bushing != NULL) add_bushing(bushing, interface, region);
  if (joint != NULL) add_rigid(whole, joint, interface);
  if (spring >= 0) {
    flg_element *element = &interface->elements[interface->element_count++];
    *element = (flg_element){.kind = FLG_ELEMENT_SPRING, .spring = &whole->springs[spring]};
    measure_coordinate(whole, interface, whole->springs[spring].coordinate, element);
  }
  if (stop >= 0) {
    flg_element *element = &interface->elements[interface->element_count++];
    *element = (flg_element){.kind = FLG_ELEMENT_STOP, .stop = &whole->stops[stop]};
    measure_coordinate(whole, interface, whole->stops[stop].coordinate, element);
  }
  if (friction >= 0) {
    flg_element *element = &interface->elements[interface->element_count++];
    *element = (flg_element){.kind = FLG_ELEMENT_FRICTION, .friction = &whole->frictions[friction]};
    measure_coordinate(whole, interface, whole->frictions[friction].coordinate, element);
    carry_gear_load(whole, element);
  }
}
