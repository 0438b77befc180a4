/* flange compile - a robot or a component as a shared library of its own. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "assembly/assembly.h"
#include "base/replaced_file.h"
#include "cli/console.h"
#include "compile/robot_library.h"
#include "component/assembly_contract.h"
#include "cosim/simulation.h"
#include "io/load.h"
#include "io/model_file.h"
#include "verbs/verbs.h"

/* one of several words; its number, or -1 with a sentence */
static int choose_word(const flg_arguments *arguments, const char *option, const char *const *words,
                       flg_error *error) {
  const char *given = flg_arguments_value(arguments, option);
  if (given == NULL) return 0;
  for (int k = 0; words[k] != NULL; k++) {
    if (strcmp(given, words[k]) == 0) return k;
  }
  flg_fail(error, FLG_ERR_USAGE, "--%s takes %s or %s, not '%s'", option, words[0], words[1],
           given);
  return -1;
}

static flg_status take_options(const flg_arguments *arguments, const char **signals,
                               flg_robot_library *library, flg_error *error) {
  static const char *const integrators[] = {"semi-implicit", "rk4", NULL};
  static const char *const limits[] = {"watch", "ignore", NULL};
  const int integrator = choose_word(arguments, "integrator", integrators, error);
  const int limit = choose_word(arguments, "limits", limits, error);
  if (integrator < 0 || limit < 0) return FLG_ERR_USAGE;
  library->library.output = flg_arguments_value(arguments, "output");
  if (library->library.output == NULL) {
    return flg_fail(error, FLG_ERR_USAGE, "the library needs a name: -o part.so");
  }
  const flg_file_kind kind = {"library", "\177ELF"};
  if (!flg_file_may_replace(library->library.output, kind, error)) return FLG_ERR_OUTPUT;
  library->library.keep_source = flg_arguments_value(arguments, "keep-source");
  library->library.compiler.march = flg_arguments_value(arguments, "march");
  library->library.name = flg_arguments_value(arguments, "name");
  library->source.integrator = integrator == 1 ? FLG_COMPILED_RK4 : FLG_COMPILED_SEMI_IMPLICIT;
  library->source.ignores_limits = limit == 1;
  library->source.signals = signals;
  library->source.signal_count = flg_arguments_values(arguments, "signal", signals);
  return FLG_OK;
}

static double bytes_of_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? (double)info.st_size : 0;
}

/* what was made, of a robot or of a component */
typedef struct outcome {
  bool is_component;
  flg_robot_library_made robot;
  flg_mechanism_library_made mechanism;
} outcome;

static const char *source_of(const outcome *made) {
  return made->is_component ? made->mechanism.source : made->robot.source;
}

static void print_compile_json(const flg_library *library, const outcome *made) {
  flg_json json = flg_console_json("compile");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "output:s compiler:s", library->output,
               flg_compiler_command(&library->compiler));
  if (made->is_component) {
    flg_json_put(&json,
                 "bodies:d joints:d rows:d independent_rows:d profile:d planar:b "
                 "coordinates:d signals:d",
                 made->mechanism.size.bodies, made->mechanism.size.joints,
                 made->mechanism.size.rows, made->mechanism.size.chosen,
                 made->mechanism.size.profile, made->mechanism.size.is_planar,
                 made->mechanism.size.coordinates, made->mechanism.size.signals);
  } else {
    flg_json_put(&json, "velocities:d ports:d signals:d forward_operations:d operations:d",
                 made->robot.velocities, made->robot.ports, made->robot.signals,
                 made->robot.size.forward, made->robot.size.all);
  }
  flg_json_put(&json, "bytes:g", bytes_of_file(library->output));
  if (source_of(made)[0] != '\0') flg_json_put(&json, "source:s", source_of(made));
  flg_json_end(&json);
}

static void print_compile_text(const flg_library *library, const outcome *made) {
  printf("library: %s, %.0f bytes\n", library->output, bytes_of_file(library->output));
  if (made->is_component) {
    const flg_mechanism_size *size = &made->mechanism.size;
    if (size->coordinates > 0) {
      printf("bodies: %d, joints: %d, coordinates: %d\n", size->bodies, size->joints,
             size->coordinates);
    } else {
      printf("bodies: %d, joints: %d, rows: %d, %d of them independent\n", size->bodies,
             size->joints, size->rows, size->chosen);
    }
    if (size->signals > 0) printf("signals: %d\n", size->signals);
    if (size->is_planar) printf("it moves in a plane\n");
  } else {
    printf("coordinates: %d, ports: %d, signals: %d\n", made->robot.velocities, made->robot.ports,
           made->robot.signals);
    printf("forward dynamics: %d operations\n", made->robot.size.forward);
  }
  if (source_of(made)[0] != '\0') printf("source: %s\n", source_of(made));
}

/* --- compiling -------------------------------------------------------------------------------- */

static void compile_robot(const char *path, const flg_robot_library *options, outcome *made,
                          flg_mistakes *mistakes) {
  flg_region region = {0};
  flg_robot_library library = *options;
  flg_model model;
  flg_model_read(&model, path, (flg_reading){.inertia = FLG_INERTIA_AUTO}, (flg_place){0}, &region,
                 mistakes);
  library.source.model = &model;
  if (mistakes->count == 0) flg_robot_library_build(&library, &made->robot, mistakes);
  flg_region_release(&region);
}

/* Components step by rattle, or by rk4 in joint coordinates. */
static bool fits_component(const flg_arguments *arguments, flg_mistakes *mistakes) {
  const char *integrator = flg_arguments_value(arguments, "integrator");
  const bool has_limits = flg_arguments_has(arguments, "limits");
  if (has_limits || (integrator != NULL && strcmp(integrator, "rk4") != 0)) {
    flg_mistake_add(mistakes, FLG_ERR_USAGE, (flg_place){0},
                    has_limits
                        ? "--limits is for robots; compiled components have no ends of joints"
                        : "compiled components step by rattle, or with '--integrator rk4'");
    return false;
  }
  return true;
}

static void compile_component(const char *path, const flg_robot_library *given, outcome *made,
                              flg_mistakes *mistakes) {
  flg_simulation *simulation = NULL;
  const flg_load_options options = {.component = true};
  if (flg_simulation_load_as(&simulation, path, NULL, 0, options, mistakes) != FLG_OK) return;
  const flg_assembly *assembly = flg_subsystem_assembly(&simulation->subsystems[0]);
  const flg_mechanism_source source = {.component = flg_assembly_component(assembly),
                                       .signals = given->source.signals,
                                       .signal_count = given->source.signal_count,
                                       .is_staged = given->source.integrator == FLG_COMPILED_RK4};
  flg_mechanism_library_build(&source, &given->library, &made->mechanism, mistakes);
  flg_simulation_release(simulation);
}

static bool is_component(const char *path, flg_mistakes *mistakes) {
  flg_region region = {0};
  const bool found = flg_path_is_yaml(path) && flg_file_is_component(path, &region, mistakes);
  flg_region_release(&region);
  return found;
}

static int run_compile(const flg_arguments *arguments) {
  static flg_mistakes mistakes;
  static outcome made;
  const char *signals[FLG_ARGUMENTS_MAX], *path = arguments->positionals[0];
  flg_robot_library library = {.library = {.output = NULL}};
  flg_error error;
  if (take_options(arguments, signals, &library, &error) != FLG_OK) {
    return flg_console_fail(arguments, &error);
  }
  made.is_component = is_component(path, &mistakes);
  if (!made.is_component) {
    compile_robot(path, &library, &made, &mistakes);
  } else if (fits_component(arguments, &mistakes)) {
    compile_component(path, &library, &made, &mistakes);
  }
  if (mistakes.count > 0) return flg_console_refuse(arguments, &mistakes);
  (arguments->json ? print_compile_json : print_compile_text)(&library.library, &made);
  return EX_OK;
}

static const flg_option options[] = {
    {"output", 'o', "FILE", "Write the shared library to FILE"},
    {"signal", 's', "NAME", "Let NAME be recorded, as in elbow.position; may be repeated"},
    {"integrator", 0, "NAME",
     "Step by semi-implicit (default) or rk4; components step by rattle, or by rk4"},
    {"limits", 0, "WORD",
     "At the end of a joint's range: watch (default) stops the run, ignore goes on"},
    {"name", 0, "TEXT", "Name of the library, for people; otherwise that of FILE"},
    {"march", 0, "CPU", "Compile for a processor: native, x86-64-v3, ...; otherwise for any"},
    {"keep-source", 0, "DIR", "Leave the generated C source in the folder DIR"},
};

const flg_verb flg_verb_compile = {
    .name = "compile",
    .summary = "make a shared library of a robot or component: a plug-in, fast and closed",
    .positional = "MODEL",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Generates C for a robot (.urdf, .yaml), or for a component of rigid bodies, joints,\n"
        "springs, dampers, bushings and constant forces (with '--integrator rk4' also motors,\n"
        "gears and signals, without loops), and calls the system's compiler (CC, or cc). The\n"
        "library is a plug-in: scenarios name it as 'plugin: ./arm.so' in place of a model, and\n"
        "programs use it with flange/plugin.h alone. It contains no names but those of ports and\n"
        "of the signals that are chosen, and needs nothing but libm.\n\n"
        "example: flange compile arm.urdf -o arm.so --signal elbow.position",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_compile,
};
