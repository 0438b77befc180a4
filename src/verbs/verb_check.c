/* flange check - what a model or a scenario is made of, and all that is wrong with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/component_report.h"
#include "cli/console.h"
#include "cli/contact_report.h"
#include "cli/memory_watch.h"
#include "cli/model_report.h"
#include "cli/plugin_report.h"
#include "cli/structure_report.h"
#include "component/assembly_contract.h"
#include "compose/assemblies.h"
#include "cosim/signal_list.h"
#include "cosim/simulation.h"
#include "io/load.h"
#include "io/model_file.h"
#include "model/robot.h"
#include "plugin/plugin_subsystem.h"
#include "robot/robot_subsystem.h"
#include "text/document.h"
#include "text/mesh_file.h"
#include "text/quantity.h"
#include "verbs/verbs.h"

/* one file, read as far as its mistakes allow */
typedef struct inspection {
  const char *path, *name;
  flg_region region;
  flg_model model;            /* if it is one */
  flg_simulation *simulation; /* NULL: it is a model, or has mistakes */
  flg_simulation *plain;      /* the same, with all as in the file, or another name for it */
  flg_simulation *whole; /* the same again, solved as one, or another name for it: what is free */
  const char *settings[FLG_ARGUMENTS_MAX + 1]; /* keys that are changed */
  int setting_count;
  bool alone;                /* it is a component, and the simulation only stands around it */
  bool lists_signals;        /* what can be recorded is reported, and nothing else */
  flg_growing signals;       /* flg_signal, then */
  bool assemble;             /* open joints are closed, and how is reported */
  flg_reading reading;       /* of the file of a robot */
  double armature;           /* of joints without one */
  flg_model_figures figures; /* zeros if it could not be read */
  flg_mistakes mistakes;
  flg_mistakes warnings; /* meshes that are only to be seen and are missing */
} inspection;

static void take_model(inspection *of, const flg_model *model) {
  flg_model_figures_add(&of->figures, model);
  flg_meshes_check(model, true, &of->warnings);
  flg_meshes_check(model, false, &of->warnings);
}

/* --- reading --------------------------------------------------------------------------------- */

/* loops, several parents and links without mass show when the robot is built */
static void inspect_model(inspection *of) {
  flg_model_read(&of->model, of->path, of->reading, (flg_place){0}, &of->region, &of->mistakes);
  flg_model_give_armature(&of->model, of->armature);
  of->name = of->model.name;
  if (of->mistakes.count > 0) return;
  flg_robot robot;
  flg_robot_build(&robot, &of->model, &of->region, &of->mistakes);
  for (int k = 0; k < of->model.notice_count; k++) {
    flg_mistake_add(&of->warnings, FLG_ERR_INPUT, (flg_place){0}, "%s", of->model.notices[k]);
  }
  take_model(of, &of->model);
}

/* Another view of the same file: what is wrong with it was reported, but for a lack of memory. */
static bool load_other(inspection *of, flg_simulation **other, int setting_count,
                       const flg_load_options *options) {
  flg_mistakes mistakes = {0};
  const flg_status status =
      flg_simulation_load_as(other, of->path, of->settings, setting_count, *options, &mistakes);
  if (status == FLG_ERR_MEMORY) {
    flg_mistake_add(&of->mistakes, status, (flg_place){.file = of->path}, "no memory left");
  }
  return status == FLG_OK;
}

/* Subsystems that are coupled are free as far as their interfaces let them. With a plug-in they
 * cannot be solved as one: then each is reported on its own. */
static void inspect_whole(inspection *of, flg_load_options options) {
  options.compose.unreduced = options.compose.other_scheme = true;
  of->whole = of->plain;
  if (of->simulation->coupling == NULL) return;
  of->settings[of->setting_count] = "coupling.scheme=monolithic";
  load_other(of, &of->whole, of->setting_count + 1, &options);
}

/* Figures are those of the file. */
static void inspect_plain(inspection *of, flg_load_options options) {
  bool is_reduced = false;
  for (int k = 0; k < of->simulation->subsystem_count; k++) {
    const flg_assembly *assembly = flg_subsystem_assembly(&of->simulation->subsystems[k]);
    if (assembly != NULL) is_reduced |= flg_structure_is_reduced(assembly);
  }
  of->plain = of->simulation;
  options.compose.unreduced = true;
  if (!is_reduced) return;
  flg_simulation *plain;
  if (load_other(of, &plain, of->setting_count, &options)) of->plain = plain;
}

/* what is changed at the start: of the whole, if there is one; of the coupling that the scenario
 * asks for, the options that it does not use */
static void take_notices(inspection *of) {
  static const char coupling[] = "coupling: ";
  const flg_simulation *from = of->whole == NULL ? of->simulation : of->whole;
  const char *text;
  for (int k = 0; (text = flg_simulation_notice(of->simulation, k)) != NULL; k++) {
    if (from == of->simulation || strncmp(text, coupling, sizeof coupling - 1) != 0) continue;
    flg_mistake_add(&of->warnings, FLG_ERR_INPUT, (flg_place){.file = of->path}, "%s", text);
  }
  for (int k = 0; (text = flg_simulation_notice(from, k)) != NULL; k++) {
    flg_mistake_add(&of->warnings, FLG_ERR_INPUT, (flg_place){.file = of->path}, "%s", text);
  }
}

static void inspect_scenario(inspection *of) {
  of->alone = flg_file_is_component(of->path, &of->region, &of->mistakes);
  const flg_load_options options = {.compose = {.assemble = of->assemble, .stepless = of->alone},
                                    .compare = true,
                                    .component = true};
  if (flg_simulation_load_as(&of->simulation, of->path, of->settings, of->setting_count, options,
                             &of->mistakes) != FLG_OK) {
    return;
  }
  of->name = of->simulation->name;
  inspect_plain(of, options);
  inspect_whole(of, options);
  take_notices(of);
  if (of->lists_signals) of->signals = flg_signal_list(of->simulation, &of->region);
  if (of->region.failed) {
    flg_mistake_add(&of->mistakes, FLG_ERR_MEMORY, (flg_place){.file = of->path}, "no memory left");
  }
  for (int k = 0; k < of->whole->subsystem_count; k++) {
    const flg_subsystem *subsystem = &of->whole->subsystems[k];
    const flg_robot_subsystem *robot = flg_subsystem_robot(subsystem);
    flg_assembly *assembly = flg_subsystem_assembly(subsystem);
    if (robot != NULL) take_model(of, robot->model);
    if (assembly != NULL) flg_component_figures_add(&of->figures, assembly);
    if (of->alone) of->name = flg_assembly_component(assembly)->name;
  }
}

/* a scenario says so in its key `flange`, a component in `flange-component`; a mistake only where
 * there is no memory to look, others are reported by what reads the file as its kind */
static void check_version(inspection *of, const flg_node *root) {
  for (const flg_node *child = root->first; child != NULL; child = child->next) {
    if (strncmp(child->key, "flange", strlen("flange")) == 0) return;
  }
  flg_mistake_add(&of->mistakes, FLG_ERR_INPUT, root->place,
                  "the file has no key of its format; it begins with 'flange: 1' if it is a "
                  "scenario, 'flange-component: 1' if a component, 'flange-model: 1' if the model "
                  "of a robot");
}

static bool is_model(inspection *of) {
  if (!flg_path_is_yaml(of->path)) return true;
  flg_mistakes unread = {0};
  const flg_node *root = flg_document_read(&of->region, of->path, (flg_place){0}, NULL, 0, &unread);
  if (of->region.failed || (unread.count > 0 && unread.status == FLG_ERR_MEMORY)) {
    flg_mistake_add(&of->mistakes, FLG_ERR_MEMORY, (flg_place){.file = of->path}, "no memory left");
  }
  if (root == NULL || root->kind != FLG_NODE_MAP) return of->setting_count == 0;
  check_version(of, root);
  return flg_node_find(root, "flange") == NULL && flg_node_find(root, "flange-component") == NULL;
}

/* what is written after --set changes a scenario, and nothing else */
static void refuse_settings(inspection *of) {
  if (of->setting_count == 0) return;
  flg_mistake_add(&of->mistakes, FLG_ERR_USAGE, (flg_place){.file = of->path},
                  "--set changes keys of scenarios; this is a model");
}

/* --- telling --------------------------------------------------------------------------------- */

static void print_figures(const flg_model_figures *figures, flg_json *json) {
  const struct {
    const char *key;
    double value;
  } rows[] = {{"bodies", figures->bodies},
              {"joints", figures->joints},
              {"mass", figures->mass},
              {"velocities", figures->velocities},
              {"constraint_rows", figures->constraint_rows},
              {"rank", figures->rank},
              {"dof", figures->velocities - figures->rank}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    flg_json_put(json, "*:g", rows[k].key, rows[k].value);
  }
}

static void list_signal_names(const inspection *of, flg_json *json) {
  const flg_signal *signals = of->signals.items;
  flg_json_put(json, "signals[");
  for (int k = 0; k < of->signals.count; k++) {
    const flg_signal *signal = &signals[k];
    flg_json_put(json, "{ name:s unit:s width:d }", signal->name, signal->unit, signal->width);
  }
  flg_json_put(json, "]");
}

static void structure_json(const inspection *of, flg_json *json) {
  flg_json_put(json, "structure[");
  for (int k = 0; k < of->simulation->subsystem_count; k++) {
    flg_assembly *assembly = flg_subsystem_assembly(&of->simulation->subsystems[k]);
    flg_assembly *before = flg_subsystem_assembly(&of->plain->subsystems[k]);
    if (assembly == NULL || before == NULL) continue;
    flg_structure_json(assembly, before, of->simulation->subsystems[k].name, json);
  }
  flg_json_put(json, "]");
}

static void print_check_json(const inspection *of) {
  char first[FLG_MISTAKE_TEXT];
  const bool is_good = of->mistakes.count == 0;
  if (!is_good) flg_mistake_text(&of->mistakes.list[0], first, sizeof first);
  flg_json json = flg_console_json("check");
  flg_console_outcome_json(&json, is_good ? FLG_OK : of->mistakes.status, is_good ? NULL : first);
  flg_json_put(&json, "name:s", of->name);
  print_figures(&of->figures, &json);
  flg_json_put(&json, "redundant[");
  for (int k = 0; of->whole != NULL && k < of->whole->subsystem_count; k++) {
    const flg_assembly *assembly = flg_subsystem_assembly(&of->whole->subsystems[k]);
    if (assembly != NULL) flg_component_redundant_json(assembly, &json);
  }
  flg_json_put(&json, "]");
  if (of->simulation != NULL) structure_json(of, &json);
  if (of->simulation != NULL) flg_contact_report_json(of->simulation, &json);
  if (of->lists_signals && of->simulation != NULL) list_signal_names(of, &json);
  flg_console_mistakes_list(&of->mistakes, "errors", &json);
  flg_console_mistakes_list(&of->warnings, "warnings", &json);
  flg_json_end(&json);
}

static void print_model(const flg_model *model) {
  flg_error error;
  if (flg_model_tree_print(model, stdout, &error) != FLG_OK) printf("%s\n", error.message);
}

/* the file that it comes from */
static const char *check_file_of(const flg_subsystem *part) {
  const flg_robot_subsystem *robot = flg_subsystem_robot(part);
  const flg_assembly *assembly = flg_subsystem_assembly(part);
  const flg_plugged_subsystem *plugin = flg_subsystem_plugin(part);
  if (robot != NULL) return robot->model->file;
  if (plugin != NULL) return flg_plugged_subsystem_path(plugin);
  return assembly == NULL ? part->ops->kind : flg_assembly_component(assembly)->file;
}

/* "subsystem arm: arm.urdf", or "subsystems arm, hand as one" */
static void print_heading(const flg_simulation *simulation, const flg_subsystem *part) {
  if (simulation->part_count == simulation->subsystem_count) {
    printf("\nsubsystem %s: %s", part->name, check_file_of(part));
    return;
  }
  for (int k = 0; k < simulation->part_count; k++) {
    printf("%s%s", k == 0 ? "\nsubsystems " : ", ", simulation->parts[k].name);
  }
  printf(" as one");
}

static void print_parts(const flg_subsystem *part) {
  const flg_robot_subsystem *robot = flg_subsystem_robot(part);
  const flg_assembly *assembly = flg_subsystem_assembly(part);
  if (robot != NULL) print_model(robot->model);
  if (assembly != NULL) flg_component_print(flg_assembly_component(assembly), stdout);
  const flg_assembly_options *options = assembly == NULL ? NULL : flg_assembly_settings(assembly);
  for (int k = 0; options != NULL && k < options->insert_count; k++) {
    flg_plugin_print(options->inserts[k].subsystem, stdout);
  }
  flg_plugin_print(part, stdout);
}

static const char *end_text(const flg_simulation *simulation, const flg_interface_end *end) {
  return end->subsystem < 0 ? "world" : simulation->subsystems[end->subsystem].name;
}

/* the ends; of a gear, what drives and what is driven */
static void check_find_sides(const flg_interface *interface, const flg_interface_end *sides[2]) {
  const bool has_ends = flg_interface_has_ends(interface);
  for (int e = 0; e < 2; e++) {
    sides[e] = has_ends ? &interface->end[e] : &interface->anchors[2 * e];
    if (!has_ends && sides[e]->subsystem < 0) sides[e] = &interface->anchors[2 * e + 1];
  }
}

static int rows_of_interface(const flg_interface *interface) {
  int rows = interface->rows;
  for (int k = 0; k < interface->element_count; k++) {
    rows += interface->elements[k].kind == FLG_ELEMENT_RIGID;
  }
  return rows;
}

static void print_checked_interfaces(const flg_simulation *simulation) {
  if (simulation->coupling == NULL) return;
  printf("\ninterfaces, %s\n", flg_simulation_coupling(simulation));
  for (int k = 0; k < simulation->interface_count; k++) {
    const flg_interface *interface = &simulation->interfaces[k];
    const flg_interface_end *sides[2];
    const int rows = rows_of_interface(interface);
    check_find_sides(interface, sides);
    printf("  %s: %s with %s, %s, %d row%s\n", interface->name, end_text(simulation, sides[0]),
           end_text(simulation, sides[1]), interface->word, rows, flg_plural(rows));
  }
}

static void print_scenario(const flg_simulation *simulation) {
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const int steps = simulation->micro_steps[k];
    print_heading(simulation, &simulation->subsystems[k]);
    printf(", %d micro step%s a macro step, integrator %s\n", steps, flg_plural(steps),
           flg_simulation_integrator(simulation, k));
    print_parts(&simulation->subsystems[k]);
  }
  print_checked_interfaces(simulation);
  printf("\n%lld macro step%s of %.6g s, %d signal%s recorded\n",
         (long long)simulation->macro_steps, flg_plural(simulation->macro_steps), simulation->macro,
         simulation->signal_count, flg_plural(simulation->signal_count));
}

/* what stands below the figures */
static void print_notes(const inspection *of) {
  for (int k = 0; of->whole != NULL && k < of->whole->subsystem_count; k++) {
    const flg_assembly *assembly = flg_subsystem_assembly(&of->whole->subsystems[k]);
    if (assembly == NULL) continue;
    flg_component_notes_print(assembly, stdout);
    if (of->assemble) flg_component_moves_print(&of->whole->subsystems[k], stdout);
  }
}

static void print_structure(const inspection *of) {
  for (int k = 0; of->simulation != NULL && k < of->simulation->subsystem_count; k++) {
    flg_assembly *assembly = flg_subsystem_assembly(&of->simulation->subsystems[k]);
    flg_assembly *before = flg_subsystem_assembly(&of->plain->subsystems[k]);
    if (assembly != NULL && before != NULL) flg_structure_print(assembly, before, stdout);
  }
}

static void check_print_signals(const inspection *of) {
  const flg_signal *signals = of->signals.items;
  const int count = of->signals.count;
  int width = 0;
  for (int k = 0; k < count; k++) {
    const int length = (int)strlen(signals[k].name);
    if (length > width) width = length;
  }
  for (int k = 0; k < count; k++) {
    printf("%-*s  %d number%s", width, signals[k].name, signals[k].width,
           flg_plural(signals[k].width));
    if (signals[k].components != NULL) {
      for (int j = 0; j < signals[k].width; j++) {
        printf("%s%s", j == 0 ? ": " : " ", signals[k].components[j]);
      }
    }
    printf("%s%s%s\n", signals[k].unit[0] == '\0' ? "" : " [", signals[k].unit,
           signals[k].unit[0] == '\0' ? "" : "]");
  }
}

static void print_check_text(const inspection *of) {
  if (of->mistakes.count > 0) return;
  if (of->lists_signals) {
    check_print_signals(of);
    return;
  }
  printf("%s: no mistakes\n", of->name);
  if (of->alone) {
    print_parts(&of->simulation->subsystems[0]);
  } else if (of->simulation != NULL) {
    print_scenario(of->simulation);
  } else {
    print_model(&of->model);
  }
  flg_model_figures_print(&of->figures, stdout);
  print_notes(of);
  print_structure(of);
  if (of->simulation != NULL) flg_contact_report_print(of->simulation, stdout);
}

static void check_print_warnings(const inspection *of) {
  char text[FLG_MISTAKE_TEXT];
  for (int k = 0; k < of->warnings.count && k < FLG_MISTAKES_LISTED; k++) {
    flg_mistake_text(&of->warnings.list[k], text, sizeof text);
    fprintf(stderr, "warning: %s\n", text);
  }
}

/* false with a sentence if there is no such rule */
static bool choose_inertia(inspection *of, const char *word, flg_error *error) {
  if (word == NULL) return true;
  for (int k = 0; flg_inertia_words[k] != NULL; k++) {
    of->reading.inertia = (flg_inertia_rule)k;
    if (strcmp(flg_inertia_words[k], word) == 0) return true;
  }
  flg_fail(error, FLG_ERR_USAGE,
           "--inertia '%s' is no rule; expected strict, repair, trust or from-shapes", word);
  return false;
}

static bool check_read_armature(inspection *of, const char *text, flg_error *error) {
  if (text == NULL) return true;
  const char *wrong = flg_quantity_parse(text, NULL, &of->armature);
  if (wrong == NULL && of->armature >= 0 && isfinite(of->armature)) return true;
  flg_fail(error, FLG_ERR_USAGE, "--armature '%s' is no number of 0 or more", text);
  return false;
}

/* Signals of a model are those of a scenario around it. */
static void inspect(inspection *of) {
  const bool model = is_model(of);
  if (of->mistakes.count > 0) return;
  if (model) {
    refuse_settings(of);
    inspect_model(of);
  } else {
    inspect_scenario(of);
  }
  if (!model || !of->lists_signals || of->mistakes.count > 0) return;
  flg_mistake_add(&of->mistakes, FLG_ERR_USAGE, (flg_place){.file = of->path},
                  "--signals lists what a scenario can record, and this is a model; 'flange new' "
                  "writes a scenario to begin with");
}

static int run_check(const flg_arguments *arguments) {
  static inspection of;
  of.name = of.path = arguments->positionals[0];
  of.assemble = flg_arguments_has(arguments, "assemble");
  flg_error error;
  if (!choose_inertia(&of, flg_arguments_value(arguments, "inertia"), &error)) {
    return flg_console_fail(arguments, &error);
  }
  of.reading.floats = flg_arguments_has(arguments, "floating");
  if (!check_read_armature(&of, flg_arguments_value(arguments, "armature"), &error)) {
    return flg_console_fail(arguments, &error);
  }
  of.lists_signals = flg_arguments_has(arguments, "signals");
  of.setting_count = flg_arguments_values(arguments, "set", of.settings);
  inspect(&of);
  if (of.mistakes.count == 0) flg_memory_need();
  if (arguments->json) {
    print_check_json(&of);
  } else {
    print_check_text(&of);
  }
  flg_console_mistakes(&of.mistakes);
  check_print_warnings(&of);
  if (of.whole != of.plain) flg_simulation_release(of.whole);
  if (of.plain != of.simulation) flg_simulation_release(of.plain);
  flg_simulation_release(of.simulation);
  flg_region_release(&of.region);
  return of.mistakes.count == 0 ? EX_OK : flg_console_mistakes_code(&of.mistakes);
}

static const flg_option options[] = {
    {"signals", 0, NULL, "List all signals that a scenario or component can record"},
    {"set", 's', "KEY=VALUE", "Change a key of the scenario, as in time.end=5; may be repeated"},
    {"assemble", 0, NULL, "Close joints that are open at the start, and print what moved"},
    {"floating", 0, NULL, "Of a robot: as with 'base: floating' in a scenario"},
    {"armature", 0, "NUMBER", "Of a robot: rotor inertia of joints that have none, kg m^2 or kg"},
    {"inertia", 0, "RULE", "Of a URDF file: strict, repair (default), trust or from-shapes"},
};

const flg_verb flg_verb_check = {
    .name = "check",
    .summary = "print the contents of a model or scenario, and its mistakes",
    .positional = "FILE",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Reads a model (.urdf, .yaml), a component (.yaml with the key 'flange-component') or a\n"
        "scenario (.yaml with the key 'flange') with all that it names, and prints every mistake\n"
        "with file, line and column. If there are none, it prints what there is: bodies, joints\n"
        "and masses, and the degrees of freedom. '-' as FILE is standard input.\n\n"
        "Subsystems that are coupled are counted as they are when they are solved as one: with "
        "the\n"
        "rows of their interfaces. Where one is a plug-in, each is counted on its own. Of "
        "plug-ins\n"
        "it prints their ports and signals.\n\n"
        "With --signals it prints instead every signal that can stand under 'record', with its\n"
        "numbers and unit.\n\n"
        "Of components it prints which joints are redundant, and with which others; which bodies\n"
        "nothing holds; and which joints are open at the start, by how much and where: these are\n"
        "mistakes, unless --assemble closes them.\n\n"
        "Warnings name what was changed to make sense of a URDF file, and which meshes are "
        "missing.\n"
        "Those are mistakes only where something can touch them.\n\n"
        "example: flange check examples/ssrms/models/ssrms.urdf",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_check,
};
