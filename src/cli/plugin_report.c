#include "cli/plugin_report.h"

#include "plugin/plugin_subsystem.h"

static void print_ports(const flg_plugged_subsystem *plugin, FILE *to) {
  int count;
  const char *const *names = flg_plugged_subsystem_ports(plugin, &count);
  fprintf(to, "ports:%s", count == 0 ? " none, it stands alone" : "");
  for (int k = 0; k < count; k++) fprintf(to, "%s %s", k == 0 ? "" : ",", names[k]);
  const bool yields = count == 0 || flg_plugged_subsystem_yields(plugin);
  fprintf(to, "%s\n", yields ? "" : " (it cannot be moved at once: no impulse, no displace)");
}

/* "mass0.position (3) m" */
static void print_signals(const flg_subsystem *subsystem, FILE *to) {
  int count;
  const flg_object *objects = subsystem->ops->objects(subsystem->self, &count);
  fprintf(to, "signals:");
  for (int k = 0; k < count; k++) {
    for (int j = 0; j < objects[k].quantity_count; j++) {
      const flg_quantity *quantity = &objects[k].quantities[j];
      fprintf(to, "%s %s%s%s", k + j == 0 ? "" : ",", objects[k].path,
              quantity->word == NULL ? "" : ".", quantity->word == NULL ? "" : quantity->word);
      if (quantity->width > 1) fprintf(to, " (%d)", quantity->width);
      if (quantity->unit[0] != '\0') fprintf(to, " %s", quantity->unit);
    }
  }
  fprintf(to, "\n");
}

void flg_plugin_print(const flg_subsystem *subsystem, FILE *to) {
  const flg_plugged_subsystem *plugin = flg_subsystem_plugin(subsystem);
  if (plugin == NULL) return;
  const flg_plugin_library *library = flg_plugged_subsystem_library(plugin);
  const flg_subsystem_state state = subsystem->ops->state(subsystem->self);
  fprintf(to, "plug-in %s%s%s, %d numbers of state\n", library->name,
          library->version[0] == '\0' ? "" : " ", library->version, state.count);
  print_ports(plugin, to);
  print_signals(subsystem, to);
}
