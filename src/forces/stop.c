/* Ends of the way of a coordinate (limits/limit.h). */
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

static const flg_field stops_fields[] = {
    FLG_KEY(flg_stops_keys, lower, NUMBER,
            "least value of its coordinate, rad or m; none if absent"),
    FLG_KEY(flg_stops_keys, upper, NUMBER,
            "greatest value of its coordinate, rad or m; none if absent"),
    FLG_KEY(flg_stops_keys, restitution, NUMBER, "rate after a hit by rate before",
            .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1, .fallback = "0"),
};
const flg_section flg_stops_section = FLG_SECTION(
    "stops", flg_stops_keys, stops_fields, "Ends of the way of a joint.", "{lower: -1, upper: 1}");

static void stop_check(const flg_checked *own, const void *of) {
  const flg_component_stop *stop = of;
  if (!(stop->lower < stop->upper)) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, stop->place,
                    "stop '%s' is from %g to %g, but its lower end must be less than its upper one",
                    stop->name, stop->lower, stop->upper);
    /* Lower and upper are infinite where the file does not give them. */
  } else if (isinf(stop->lower) && isinf(stop->upper)) {
    flg_checked_tell(own, "stops nothing: neither end is given");
  }
}

static uint64_t stop_identity(const flg_force *force, uint64_t hash) {
  const flg_component_stop *stop = force->of;
  return flg_identity(hash, "i rrr", stop->coordinate, stop->lower, stop->upper, stop->restitution);
}

const flg_force_kind flg_stop_kind = {.name = "stop",
                                      .coordinate = offsetof(flg_component_stop, coordinate),
                                      .rows = 1,
                                      .check = stop_check,
                                      .identity = stop_identity};
