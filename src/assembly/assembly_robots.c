/* What others ask of those parts of an assembly that are robots. */
#include <string.h>

#include "assembly/assembly_actions.h"
#include "assembly/assembly_inner.h"
#include "robot/robot_actions.h"

int flg_assembly_find_robot(const flg_assembly *assembly, const char *name) {
  for (int k = 0; k < assembly->model.component->robot_count; k++) {
    if (strcmp(assembly->model.component->robots[k].name, name) == 0) return k;
  }
  return -1;
}

flg_robot_subsystem *flg_assembly_robot(const flg_assembly *assembly, int index) {
  const flg_owner owner = flg_assembly_owner(assembly, index, 0);
  return flg_subsystem_robot(owner.of->ops->subsystem(owner.of, owner.part));
}

bool flg_assembly_action_switches_controller(const flg_assembly *assembly, flg_action action,
                                             int target, int robot) {
  const flg_owner owner = flg_assembly_owner(assembly, robot, 0);
  const int owners = assembly->model.part_count + 1; /* one number for two: assembly_actions.c */
  return target % owners == owner.of->first + owner.part + 1 &&
         flg_robot_action_switches_controller(flg_assembly_robot(assembly, robot), action,
                                              target / owners);
}
