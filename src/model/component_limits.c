#include "model/component_limits.h"

#include "model/part_check.h"

/* What is being looked at, for the sentences. */
typedef struct part {
  const flg_component *component;
  const char *what;
  flg_part_head head;
  int group;
  flg_mistakes *mistakes;
} part;

static void tell(const part *own, const char *quantity, double value, const char *must) {
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is %g, but must be %s", quantity, own->what, own->head.name,
                  value, must);
}

static void check_not_negative(const part *own, const char *quantity, double value) {
  if (!(isfinite(value) && value >= 0)) tell(own, quantity, value, "zero or positive");
}

static void check_group(const part *own) {
  if (own->group >= FLG_TOP && own->group < own->component->group_count) return;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' belongs to inner component %d, which does not exist", own->what,
                  own->head.name, own->group);
}

static bool check_coordinate(const part *own, int index) {
  if (index >= 0 && index < own->component->coordinate_count) return true;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' needs a coordinate that the component does not have (number %d of %d)",
                  own->what, own->head.name, index, own->component->coordinate_count);
  return false;
}

/* --- sums --------------------------------------------------------------------------------------
 */

void flg_component_check_sum(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_coordinate *sum = &component->coordinates[index];
  const part own = {component, "sum", {sum->name, sum->place}, sum->group, mistakes};
  for (int k = 0; k < 2; k++) {
    if (!(isfinite(sum->factor[k]) && sum->factor[k] != 0)) {
      tell(&own, k == 0 ? "first factor" : "second factor", sum->factor[k],
           "a finite number other than zero");
    }
    if (!check_coordinate(&own, sum->of[k])) continue;
    if (component->coordinates[sum->of[k]].kind != FLG_COORDINATE_SUM) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, sum->place,
                    "sum '%s' is one of sums; it must be one of angles, slides and distances",
                    sum->name);
  }
}

/* --- frictions ---------------------------------------------------------------------------------
 */

static bool has_part(const flg_component *component, int coordinate, int wanted) {
  if (coordinate < 0 || coordinate >= component->coordinate_count) return false;
  const flg_component_coordinate *of = &component->coordinates[coordinate];
  if (coordinate == wanted) return true;
  return of->kind == FLG_COORDINATE_SUM && (of->of[0] == wanted || of->of[1] == wanted);
}

/* whether the carrier is there and works on the coordinate of the friction */
static bool carries(const flg_component *component, const flg_component_friction *friction) {
  const int index = friction->carrier_index, wanted = friction->coordinate;
  const flg_component *c = component;
  if (index < 0) return false;
  switch (friction->carrier) {
    case FLG_CARRIER_JOINT:
      return index < c->joint_count &&
             (c->joints[index].coordinate[0] == wanted || c->joints[index].coordinate[1] == wanted);
    case FLG_CARRIER_SPRING:
      return index < c->spring_count && has_part(c, c->springs[index].coordinate, wanted);
    case FLG_CARRIER_STOP:
      return index < c->stop_count && has_part(c, c->stops[index].coordinate, wanted);
    case FLG_CARRIER_NONE:
      break;
  }
  return false;
}

static void check_carrier(const part *own, const flg_component_friction *friction) {
  if (friction->carrier == FLG_CARRIER_NONE) return;
  if (!(friction->efficiency > 0 && friction->efficiency <= 1)) {
    tell(own, "efficiency", friction->efficiency, "over 0 and at most 1");
  }
  if (carries(own->component, friction)) return;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' is that of a gear which does not work on its coordinate", own->what,
                  own->head.name);
}

void flg_component_check_friction(const flg_component *component, int index,
                                  flg_mistakes *mistakes) {
  const flg_component_friction *friction = &component->frictions[index];
  const part own = {
      component, "friction", {friction->name, friction->place}, friction->group, mistakes};
  check_group(&own);
  check_not_negative(&own, "Coulomb effort", friction->coulomb);
  check_not_negative(&own, "stiction", friction->stiction);
  check_not_negative(&own, "Stribeck rate", friction->stribeck);
  check_not_negative(&own, "viscous damping", friction->viscous);
  if (friction->stiction < friction->coulomb) {
    tell(&own, "stiction", friction->stiction, "at least the Coulomb effort");
  }
  if (check_coordinate(&own, friction->coordinate)) check_carrier(&own, friction);
}

/* --- stops -------------------------------------------------------------------------------------
 */

void flg_component_check_stop(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_stop *stop = &component->stops[index];
  const part own = {component, "stop", {stop->name, stop->place}, stop->group, mistakes};
  check_group(&own);
  check_coordinate(&own, stop->coordinate);
  if (!(stop->restitution >= 0 && stop->restitution <= 1)) {
    tell(&own, "restitution", stop->restitution, "between 0 and 1");
  }
  if (!(stop->lower < stop->upper)) {
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, stop->place,
                    "stop '%s' is from %g to %g, but its lower end must be less than its upper one",
                    stop->name, stop->lower, stop->upper);
  } else if (isinf(stop->lower) && isinf(stop->upper)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, stop->place,
                    "stop '%s' stops nothing: neither end is given", stop->name);
  }
}
