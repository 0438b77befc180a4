#include <math.h>

#include "flatten/component_build.h"

/* NaN, which is not given, is neither zero nor positive */
static double limit_or_zero(double value) {
  return isnan(value) ? 0 : value;
}

/* --- joints -------------------------------------------------------------------------------- */

bool flg_friction_is_given(const flg_friction_keys *keys) {
  return !isnan(keys->coulomb) || !isnan(keys->stiction) || !isnan(keys->stribeck) ||
         !isnan(keys->viscous);
}

bool flg_stops_are_given(const flg_stops_keys *keys) {
  return !isnan(keys->lower) || !isnan(keys->upper);
}

static void add_friction(flg_component_builder *build, const flg_component_friction *friction) {
  flg_component_friction *added =
      flg_build_add(build, &build->frictions, sizeof *added, "frictions", friction->place);
  if (added != NULL) *added = *friction;
}

/* its number, or -1 */
static int add_stop(flg_component_builder *build, const flg_component_stop *stop) {
  flg_component_stop *added =
      flg_build_add(build, &build->stops, sizeof *added, "stops", stop->place);
  if (added == NULL) return -1;
  *added = *stop;
  return build->stops.count - 1;
}

void flg_build_joint_limits(flg_component_builder *build, const flg_scope *scope,
                            const flg_component_joint_keys *keys, const char *path,
                            int coordinate) {
  const flg_friction_keys *friction = &keys->friction;
  const flg_stops_keys *stops = &keys->stops;
  if (friction->coulomb > 0 || friction->stiction > 0 || friction->viscous > 0) {
    const double coulomb = limit_or_zero(friction->coulomb);
    add_friction(build, &(flg_component_friction){
                            .name = path,
                            .place = keys->origin.place,
                            .group = scope->group,
                            .coordinate = coordinate,
                            .coulomb = coulomb,
                            .stiction = isnan(friction->stiction) ? coulomb : friction->stiction,
                            .stribeck = limit_or_zero(friction->stribeck),
                            .viscous = limit_or_zero(friction->viscous)});
  }
  if (flg_stops_are_given(stops)) {
    add_stop(build,
             &(flg_component_stop){.name = path,
                                   .place = keys->origin.place,
                                   .group = scope->group,
                                   .coordinate = coordinate,
                                   .lower = isnan(stops->lower) ? -(double)INFINITY : stops->lower,
                                   .upper = isnan(stops->upper) ? (double)INFINITY : stops->upper,
                                   .restitution = limit_or_zero(stops->restitution)});
  }
}

/* --- gears and racks ----------------------------------------------------------------------- */

bool flg_gear_is_loose(const flg_component_joint_keys *keys) {
  return flg_constraint_kinds[keys->kind].couples && (keys->backlash > 0 || keys->stiffness > 0);
}

bool flg_build_check_teeth(const flg_component_builder *build,
                           const flg_component_joint_keys *keys) {
  if (!flg_constraint_kinds[keys->kind].couples) return true;
  const bool springy = keys->stiffness > 0;
  const char *wrong = NULL;
  if (keys->damping > 0 && !springy) {
    wrong = "key 'damping' needs 'stiffness': stiff teeth have nothing to damp";
  } else if (keys->restitution > 0 && (!(keys->backlash > 0) || springy)) {
    wrong = "key 'restitution' is for a 'backlash' without 'stiffness'";
  }
  if (wrong == NULL) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place, "'%s': %s", keys->origin.name,
                  wrong);
  return false;
}

/* the sum as a coordinate, under the name of the gear */
static int add_sum(flg_component_builder *build, const flg_scope *scope,
                   const flg_component_joint_keys *keys, const char *path,
                   const flg_component_coordinate *sum) {
  const flg_anchor nowhere = {-1, FLG_WORLD, flg_pose_identity()};
  const int index = flg_build_coordinate(build, scope, &keys->origin, path, FLG_COORDINATE_SUM,
                                         (const flg_anchor[2]){nowhere, nowhere});
  if (index < 0) return -1;
  flg_component_coordinate *added = &((flg_component_coordinate *)build->coordinates.items)[index];
  for (int k = 0; k < 2; k++) added->of[k] = sum->of[k], added->factor[k] = sum->factor[k];
  const int number = flg_name_index_find(&build->by_mover, path);
  if (number >= 0) ((flg_component_mover *)build->movers.items)[number].coordinate[0] = index;
  return index;
}

/* a spring, with play or without, or hard ends of the play; what it is and its number */
static int add_teeth(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_joint_keys *keys, const char *path, int sum,
                     flg_carrier *carrier) {
  const double play = limit_or_zero(keys->backlash);
  if (!(keys->stiffness > 0)) {
    *carrier = FLG_CARRIER_STOP;
    return add_stop(build, &(flg_component_stop){.name = path,
                                                 .place = keys->origin.place,
                                                 .group = scope->group,
                                                 .coordinate = sum,
                                                 .lower = -play / 2,
                                                 .upper = play / 2,
                                                 .restitution = limit_or_zero(keys->restitution)});
  }
  *carrier = FLG_CARRIER_SPRING;
  return flg_build_add_spring(build,
                              &(flg_component_spring){.name = path,
                                                      .place = keys->origin.place,
                                                      .group = scope->group,
                                                      .coordinate = sum,
                                                      .stiffness = keys->stiffness,
                                                      .damping = limit_or_zero(keys->damping),
                                                      .slack = play / 2,
                                                      .implicit = keys->implicit});
}

void flg_build_teeth(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_joint_keys *keys, int joint,
                     const flg_component_coordinate *sum) {
  const char *path = flg_build_path(build, scope, keys->origin.name);
  flg_carrier carrier = FLG_CARRIER_JOINT;
  int index = joint;
  if (joint == FLG_LOOSE_GEAR) {
    const int coordinate = add_sum(build, scope, keys, path, sum);
    if (coordinate < 0) return;
    index = add_teeth(build, scope, keys, path, coordinate, &carrier);
  }
  if (isnan(keys->efficiency) || keys->efficiency == 1 || index < 0) return;
  add_friction(build, &(flg_component_friction){.name = path,
                                                .place = keys->origin.place,
                                                .group = scope->group,
                                                .coordinate = sum->of[0],
                                                .efficiency = keys->efficiency,
                                                .carrier = carrier,
                                                .carrier_index = index});
}
