/* Dry and viscous friction of a coordinate, and the losses of gears (limits/limit.h). */
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

static const flg_field friction_fields[] = {
    FLG_KEY(flg_friction_keys, coulomb, NUMBER, "effort against motion, N m or N; 0 if absent",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_friction_keys, stiction, NUMBER,
            "the largest effort that it holds at rest, N m or N; as `coulomb` if absent",
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

static void friction_check(const flg_checked *own, const void *of) {
  const flg_component_friction *friction = of;
  /* Less at rest than in motion has no solution: the coordinate could neither stick nor slip. */
  if (friction->stiction < friction->coulomb) {
    flg_checked_tell_number(own, "stiction", friction->stiction, "at least the Coulomb effort");
  }
}

static uint64_t friction_identity(const flg_force *force, uint64_t hash) {
  const flg_component_friction *friction = force->of;
  return flg_identity(hash, "iii rrrrr", friction->coordinate, (int)friction->carrier,
                      friction->carrier_index, friction->coulomb, friction->stiction,
                      friction->stribeck, friction->viscous, friction->efficiency);
}

const flg_force_kind flg_friction_kind = {
    .name = "friction",
    .coordinate = offsetof(flg_component_friction, coordinate),
    .rows = 1,
    .check = friction_check,
    .identity = friction_identity};
