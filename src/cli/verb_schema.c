/* flange schema - the reference of all keys of scenario and model files. */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/verbs.h"
#include "io/model_yaml.h"
#include "io/scenario.h"
#include "io/schema_text.h"

static int run(const flg_arguments *arguments) {
  const char *which = arguments->positional_count == 0 ? "all" : arguments->positionals[0];
  const bool all = strcmp(which, "all") == 0, model = strcmp(which, "model") == 0;
  if (!all && !model && strcmp(which, "scenario") != 0) {
    fprintf(stderr, "flange schema: '%s' is not known; expected scenario, model or all\n", which);
    return EX_USAGE;
  }
  if (arguments->json) {
    flg_json json = flg_json_begin(stdout);
    if (!model) flg_schema_json(&flg_scenario_section, &json);
    if (all || model) flg_schema_json(&flg_model_section, &json);
    flg_json_end(&json);
    return EX_OK;
  }
  printf(
      "# Reference of keys\n\nNumbers are in SI units and may be fractions (`1/60`); angles are in "
      "radians unless written `45 deg`.\n\n");
  if (!model) flg_schema_markdown(&flg_scenario_section, stdout);
  if (all || model) flg_schema_markdown(&flg_model_section, stdout);
  return EX_OK;
}

const flg_verb flg_verb_schema = {
    .name = "schema",
    .summary = "print the reference of all keys of scenario and model files",
    .positional = "[scenario|model|all]",
    .most = 1,
    .description =
        "Prints every key that a file may have, with its type, unit, default and meaning, as\n"
        "Markdown or JSON. It is made from the tables that the reader itself uses.",
    .run = run,
};
