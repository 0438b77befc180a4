#include "coupling/scheme.h"

#include "base/entries.h"

#define SCHEME_TABLE(scheme) &flg_coupling_##scheme,
const flg_coupling_scheme *const flg_coupling_schemes[FLG_COUPLING_COUNT] = {
    FLG_COUPLING_LIST(SCHEME_TABLE)};

#define SCHEME_NAME(scheme) flg_coupling_##scheme.name,
const char *const flg_coupling_words[FLG_COUPLING_COUNT + 1] = {FLG_COUPLING_LIST(SCHEME_NAME)
                                                                    NULL};

#define SCHEME_HELP(scheme) flg_coupling_##scheme.help,
const char *const flg_coupling_helps[FLG_COUPLING_COUNT + 1] = {FLG_COUPLING_LIST(SCHEME_HELP)
                                                                    NULL};

static const char *scheme_missing_entry(const flg_coupling_scheme *scheme) {
  const flg_entry entries[] = {
      {"name", scheme->name[0] != '\0'},
      {"help", scheme->help[0] != '\0'},
      {"face", scheme->is_whole || scheme->face != NULL},
      {"form", scheme->is_whole || scheme->form != FLG_COUPLING_AUTO_FORM},
      {"reconciles", scheme->is_whole || scheme->reconciles != FLG_RECONCILE_AUTO},
      {"pose", scheme->is_whole || scheme->pose != FLG_POSE_AUTO},
      {"drive", scheme->owner == NULL || scheme->drive != NULL},
      {"owner", scheme->drive == NULL || scheme->owner != NULL},
      {"runs_in_order", scheme->pass == NULL || scheme->runs_in_order},
      {"gives_back", scheme->reconcile == NULL || scheme->gives_back}};
  return FLG_ENTRIES_MISSING(entries);
}

flg_status flg_coupling_scheme_check(const flg_coupling_scheme *scheme, flg_error *error) {
  const char *missing = scheme_missing_entry(scheme);
  if (missing == NULL) return FLG_OK;
  return flg_fail(error, FLG_ERR_RANGE, "Coupling '%s' cannot be used: '%s' is missing in it.",
                  scheme->name, missing);
}
