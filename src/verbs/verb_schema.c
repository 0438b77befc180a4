/* flange schema - the reference of all keys of files. */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "cli/console.h"
#include "io/component_keys.h"
#include "io/model_yaml.h"
#include "io/scenario.h"
#include "io/trajectory_keys.h"
#include "text/schema_text.h"
#include "verbs/verbs.h"

static const struct {
  const char *word;
  const flg_section *section;
} files[] = {{"scenario", &flg_scenario_section},
             {"model", &flg_model_section},
             {"component", &flg_component_section},
             {"trajectory", &flg_trajectory_section}};
enum { FILES = sizeof files / sizeof files[0] };

static bool is_schema_known(const char *which) {
  for (int k = 0; k < FILES; k++) {
    if (strcmp(which, files[k].word) == 0) return true;
  }
  return strcmp(which, "all") == 0;
}

static int asked_for(const char *which, const flg_section *sections[FILES]) {
  int count = 0;
  for (int k = 0; k < FILES; k++) {
    const bool wanted = strcmp(which, "all") == 0 || strcmp(which, files[k].word) == 0;
    if (wanted) sections[count++] = files[k].section;
  }
  return count;
}

static void print_schema_json(const flg_section *const *sections, int count) {
  flg_json json = flg_console_json("schema");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_schema_json(sections, count, &json);
  flg_json_end(&json);
}

static void print_markdown(const flg_section *const *sections, int count) {
  printf(
      "# Reference of keys\n\nFor those who write files: every key, its value, its default and "
      "what it "
      "means. `flange schema` prints this page.\n\nNumbers are in SI units and may be fractions "
      "(`1/60`); angles are in "
      "radians unless written `45 deg`.\n\n");
  flg_schema_markdown(sections, count, stdout);
}

static int run_schema(const flg_arguments *arguments) {
  const char *which = arguments->positional_count == 0 ? "all" : arguments->positionals[0];
  if (!is_schema_known(which)) {
    flg_error error;
    flg_fail(&error, FLG_ERR_USAGE,
             "'%s' is not known; expected scenario, model, component, trajectory or all", which);
    return flg_console_fail(arguments, &error);
  }
  const flg_section *sections[FILES];
  const int count = asked_for(which, sections);
  (arguments->json ? print_schema_json : print_markdown)(sections, count);
  return EX_OK;
}

const flg_verb flg_verb_schema = {
    .name = "schema",
    .summary = "print the reference of all keys of scenarios, models, components and targets",
    .positional = "[scenario|model|component|trajectory|all]",
    .most = 1,
    .description =
        "Prints every key that a file may have, with its type, unit, default and meaning, as\n"
        "Markdown or JSON. It is made from the tables that the reader itself uses.",
    .run = run_schema,
};
