#include "model/component.h"

#include <string.h>

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
  for (int k = 0; k < component->body_count; k++) {
    if (strcmp(component->bodies[k].name, path) == 0) return k;
  }
  return -1;
}

int flg_component_find_joint(const flg_component *component, const char *path) {
  for (int k = 0; k < component->joint_count; k++) {
    if (strcmp(component->joints[k].name, path) == 0) return k;
  }
  return -1;
}

int flg_component_find_robot(const flg_component *component, const char *path) {
  for (int k = 0; k < component->robot_count; k++) {
    if (strcmp(component->robots[k].name, path) == 0) return k;
  }
  return -1;
}

int flg_component_find_frame(const flg_component *component, const char *path) {
  for (int k = 0; k < component->frame_count; k++) {
    if (strcmp(component->frames[k].name, path) == 0) return k;
  }
  return -1;
}
