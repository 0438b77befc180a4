#include "compose/compiled.h"

#include "compile/compiled_robot.h"

/* the scenario, or the command line, asks for it */
static bool wants_compiled(const flg_loader *loader, const flg_subsystem_keys *keys) {
  return keys->compiled || loader->compiles;
}

void flg_compose_tell_interpreted(const flg_loader *loader, const flg_subsystem_keys *keys,
                                  const char *why) {
  if (!wants_compiled(loader, keys)) return;
  flg_notice_add(loader->notices, keys->origin.name, "it is interpreted, not compiled: %s", why);
}

/* the first of what is in the way, with its place in the user's file */
static void tell(const flg_loader *loader, const flg_subsystem_keys *keys,
                 const flg_mistakes *mistakes) {
  char text[sizeof(flg_mistake)];
  flg_mistake_text(&mistakes->list[0], text, sizeof text);
  if (mistakes->count == 1) {
    flg_compose_tell_interpreted(loader, keys, text);
    return;
  }
  flg_notice_add(loader->notices, keys->origin.name,
                 "it is interpreted, not compiled: %s (and %d more)", text, mistakes->count - 1);
}

void flg_compose_compiled_robot(const flg_loader *loader, const flg_subsystem_keys *keys,
                                flg_robot_subsystem *robot) {
  flg_mistakes mistakes = {0};
  const flg_compiler_options compiler = {.command = NULL};
  if (!wants_compiled(loader, keys)) return;
  if (flg_compiled_robot_equip(robot, &compiler, loader->region, loader->notices, &mistakes) ==
      FLG_OK) {
    return;
  }
  if (mistakes.status == FLG_ERR_MEMORY) {
    flg_mistake_add(loader->mistakes, FLG_ERR_MEMORY, keys->origin.place, "%s",
                    mistakes.list[0].message);
    return;
  }
  tell(loader, keys, &mistakes);
}
