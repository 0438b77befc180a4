#include "compose/compiled.h"

#include "compile/compiled_mechanism.h"
#include "compile/compiled_robot.h"

/* the scenario, or the command line, asks for it */
static bool wants_compiled(const flg_loader *loader, const flg_subsystem_keys *keys) {
  return keys->compiled || loader->compiles;
}

/* the first of what is in the way, with its place in the user's file */
static void tell_obstacle(const flg_loader *loader, const flg_subsystem_keys *keys,
                          const flg_mistakes *mistakes) {
  char text[sizeof(flg_mistake)];
  flg_mistake_text(&mistakes->list[0], text, sizeof text);
  if (mistakes->count == 1) {
    flg_notice_add(loader->notices, keys->origin.name, "it is interpreted, not compiled: %s", text);
    return;
  }
  flg_notice_add(loader->notices, keys->origin.name,
                 "it is interpreted, not compiled: %s (and %d more)", text, mistakes->count - 1);
}

/* what was in the way: a notice, but for memory */
static void tell_failure(const flg_loader *loader, const flg_subsystem_keys *keys,
                         const flg_mistakes *mistakes) {
  if (mistakes->status == FLG_ERR_MEMORY) {
    flg_mistake_add(loader->mistakes, FLG_ERR_MEMORY, keys->origin.place, "%s",
                    mistakes->list[0].message);
    return;
  }
  tell_obstacle(loader, keys, mistakes);
}

void flg_compose_compiled_robot(const flg_loader *loader, const flg_subsystem_keys *keys,
                                flg_robot_subsystem *robot) {
  flg_mistakes mistakes = {0};
  const flg_compiler_options compiler = {.command = NULL};
  if (!wants_compiled(loader, keys)) return;
  if (flg_compiled_robot_equip(robot, &compiler, loader->region, loader->notices, &mistakes) !=
      FLG_OK) {
    tell_failure(loader, keys, &mistakes);
  }
}

void flg_compose_compiled_component(const flg_loader *loader, const flg_subsystem_keys *keys,
                                    flg_assembly *assembly, double step) {
  flg_mistakes mistakes = {0};
  const flg_compiler_options compiler = {.command = NULL};
  const flg_subsystem_keys *list = keys != NULL ? keys : loader->scenario->subsystems.items;
  const int count = keys != NULL ? 1 : loader->scenario->subsystems.count;
  int wanted = 0;
  for (int k = 0; k < count; k++) wanted += wants_compiled(loader, &list[k]);
  if (wanted == 0) return;
  if (flg_compiled_mechanism_equip(assembly, step, &compiler, loader->region, loader->notices,
                                   &mistakes) == FLG_OK) {
    return;
  }
  for (int k = 0; k < count; k++) {
    if (wants_compiled(loader, &list[k])) tell_failure(loader, &list[k], &mistakes);
  }
}
