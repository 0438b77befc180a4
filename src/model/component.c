#include "model/component.h"

/* A row of a joint is a sum factor[0] a + factor[1] b of its coordinates. Gears and racks have both
 * factors from the file; of a screw, slide - pitch angle = 0; a distance has one coordinate. */
void flg_component_joint_factors(const flg_component_joint *joint, double factor[2]) {
  const flg_constraint_traits *traits = &flg_constraint_kinds[joint->kind];
  factor[0] = traits->couples ? joint->factor[0] : 1;
  factor[1] = traits->couples                 ? joint->factor[1]
              : traits->coordinate_count == 2 ? -joint->constant
                                              : 0;
}

void flg_component_index(flg_component *component, flg_region *region) {
  component->robot_names = FLG_INDEX(component->robots, component->robot_count, region);
  component->joint_names = FLG_INDEX(component->joints, component->joint_count, region);
  component->load_names = FLG_INDEX(component->loads, component->load_count, region);
}

int flg_component_find_joint(const flg_component *component, const char *path) {
  return FLG_SEEK(&component->joint_names, component->joints, component->joint_count, path);
}

int flg_component_find_robot(const flg_component *component, const char *path) {
  return FLG_SEEK(&component->robot_names, component->robots, component->robot_count, path);
}

int flg_component_find_load(const flg_component *component, const char *path) {
  return FLG_SEEK(&component->load_names, component->loads, component->load_count, path);
}
