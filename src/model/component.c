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

int flg_component_find_body(const flg_component *component, const char *path) {
  return FLG_FIND(component->bodies, component->body_count, path);
}

int flg_component_find_joint(const flg_component *component, const char *path) {
  return FLG_FIND(component->joints, component->joint_count, path);
}

int flg_component_find_robot(const flg_component *component, const char *path) {
  return FLG_FIND(component->robots, component->robot_count, path);
}

int flg_component_find_frame(const flg_component *component, const char *path) {
  return FLG_FIND(component->frames, component->frame_count, path);
}
