/* Dry and viscous friction of a coordinate, and the losses of gears (limits/limit.h). */
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

static const flg_field friction_fields[] = {
    FLG_KEY(flg_friction_keys, coulomb, NUMBER, "effort against motion, N m or N; 0 if absent",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_friction_keys, stiction, NUMBER,
            "what it holds at rest, N m or N; as `coulomb` if absent",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(
        flg_friction_keys, stribeck, NUMBER,
        "rate w_s over which stiction is lost, as exp(-(w/w_s)^2), rad/s or m/s; at once if absent",
        .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_friction_keys, viscous, NUMBER, "damping, N m s/rad or N s/m; 0 if absent",
            .range = FLG_RANGE_NOT_NEGATIVE),
};
const flg_section flg_friction_section =
    FLG_SECTION("friction", flg_friction_keys, friction_fields,
                "Friction of a joint, which sticks: it does not creep under load.",
                "{coulomb: 0.5, viscous: 0.1}");

/* A spring or stop on a sum of coordinates works on both of them. */
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

static void check_carrier(const flg_checked *own, const flg_component_friction *friction) {
  /* Friction of its own has no carrier; that of a gear depends on the load that the carrier
   * holds. */
  if (friction->carrier == FLG_CARRIER_NONE) return;
  if (!(friction->efficiency > 0 && friction->efficiency <= 1)) {
    flg_checked_tell_number(own, "efficiency", friction->efficiency, "over 0 and at most 1");
  }
  if (carries(own->component, friction)) return;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' is that of a gear which does not work on its coordinate", own->what,
                  own->head.name);
}

static void friction_check(const flg_checked *own, const void *of) {
  const flg_component_friction *friction = of;
  flg_checked_not_negative(own, "Coulomb effort", friction->coulomb);
  flg_checked_not_negative(own, "stiction", friction->stiction);
  flg_checked_not_negative(own, "Stribeck rate", friction->stribeck);
  flg_checked_not_negative(own, "viscous damping", friction->viscous);
  /* Less at rest than in motion has no solution: the coordinate could neither stick nor slip. */
  if (friction->stiction < friction->coulomb) {
    flg_checked_tell_number(own, "stiction", friction->stiction, "at least the Coulomb effort");
  }
  if (flg_checked_coordinate(own, friction->coordinate)) check_carrier(own, friction);
}

static uint64_t friction_identity(const flg_force *force, uint64_t hash) {
  const flg_component_friction *friction = force->of;
  const int numbers[] = {friction->coordinate, (int)friction->carrier, friction->carrier_index};
  const double reals[] = {friction->coulomb, friction->stiction, friction->stribeck,
                          friction->viscous, friction->efficiency};
  hash = flg_identity_integers(hash, numbers, FLG_COUNT(numbers));
  return flg_identity_reals(hash, reals, FLG_COUNT(reals));
}

const flg_force_kind flg_friction_kind = {
    .name = "friction",
    .coordinate = offsetof(flg_component_friction, coordinate),
    .rows = 1,
    .check = friction_check,
    .identity = friction_identity};
