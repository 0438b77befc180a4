/* flange convert - writes a model in the native form. */
#include <stdio.h>
#include <sysexits.h>

#include "cli/console.h"
#include "cli/output_file.h"
#include "io/model_file.h"
#include "io/model_write.h"
#include "verbs/verbs.h"

static void print_convert_json(const flg_model *model, const char *output) {
  flg_json json = flg_console_json("convert");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "name:s output:s bodies:d joints:d", model->name, output, model->body_count,
               model->joint_count);
  flg_json_end(&json);
}

static int convert_write_model(const flg_arguments *arguments, const flg_model *model) {
  const char *output = flg_arguments_value(arguments, "output");
  flg_error error;
  if (flg_output_is_standard(output)) {
    const flg_status status = flg_model_write_yaml(model, stdout, NULL, &error);
    return status == FLG_OK ? EX_OK : flg_console_fail(arguments, &error);
  }
  if (flg_model_save_yaml(model, output, &error) != FLG_OK) {
    return flg_console_fail(arguments, &error);
  }
  if (arguments->json) {
    print_convert_json(model, output);
  } else {
    flg_output_tell("model", output);
  }
  return EX_OK;
}

static int run_convert(const flg_arguments *arguments) {
  static flg_mistakes mistakes;
  if (arguments->json && flg_output_is_standard(flg_arguments_value(arguments, "output"))) {
    flg_error error;
    flg_fail(&error, FLG_ERR_USAGE, "--json needs -o FILE: the model itself is not JSON");
    return flg_console_fail(arguments, &error);
  }
  flg_region region = {0};
  flg_model model;
  flg_model_read(&model, arguments->positionals[0], (flg_reading){.inertia = FLG_INERTIA_AUTO},
                 (flg_place){0}, &region, &mistakes);
  int code = EX_OK;
  if (mistakes.count > 0) {
    code = flg_console_refuse(arguments, &mistakes);
  } else {
    code = convert_write_model(arguments, &model);
  }
  flg_region_release(&region);
  return code;
}

static const flg_option options[] = {
    {"output", 'o', "FILE", "Write to FILE.yaml instead of standard output, which is also '-'"},
};

const flg_verb flg_verb_convert = {
    .name = "convert",
    .summary = "write a model in the native form (YAML)",
    .positional = "MODEL",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Reads a model (.urdf, .yaml) and writes it as YAML, which reads back to the same model.\n"
        "Ports, markers and the joints that URDF lacks can then be added by hand. Meshes are "
        "named\n"
        "as seen from the new file.\n\n"
        "example: flange convert robot.urdf -o robot.yaml",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_convert,
};
