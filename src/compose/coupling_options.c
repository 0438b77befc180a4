#include "compose/coupling_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coupling/scheme.h"

/* An option: whether the scenario gives it, and whether a scheme uses it in this scenario. */
typedef struct option {
  const char *name;
  bool is_given, is_used;
  const char *besides; /* what uses it besides the schemes that are listed; NULL: nothing */
} option;

enum { OPTIONS = 14 };
typedef struct option_list {
  option of[OPTIONS];
} option_list;

static const char in_reference[] = "the reference of 'flange compare'";
static const char with_springs[] = "any with 'contacts: regularised'";

static option_list coupling_options_of(const flg_coupling_scheme *scheme,
                                       const flg_scenario *scenario) {
  const flg_coupling_keys *keys = &scenario->coupling;
  const bool has_models = scheme->sees != NULL, is_apart = !scheme->is_whole;
  const bool leaves_reconcile = is_apart && (scheme->fixed & FLG_FIXED_RECONCILE) == 0;
  const bool leaves_contacts = has_models && (scheme->fixed & FLG_FIXED_CONTACTS) == 0;
  const int pose = keys->pose == FLG_POSE_AUTO ? (int)scheme->pose : keys->pose;
  const bool feeds_back = is_apart && pose == FLG_POSE_FEEDBACK;
  const int contacts = leaves_contacts ? keys->contacts : (int)scheme->contacts;
  const bool has_springs = has_models && contacts == FLG_REST_REGULARISED;
  return (option_list){{
      {"form", keys->form != 0, has_models, NULL},
      {"reconcile", keys->reconcile != 0, leaves_reconcile, NULL},
      {"pose", keys->pose != 0, is_apart, NULL},
      {"feedback", !isnan(keys->feedback), feeds_back, "any but monolithic with 'pose: feedback'"},
      {"contacts", keys->contacts != 0, leaves_contacts, NULL},
      {"capacity", keys->capacity != 0, is_apart, NULL},
      {"elastic", keys->elastic != 0, has_models, NULL},
      {"potential", keys->potential.count > 0, has_models, NULL},
      {"causality", keys->causality != 0, scheme->has_causality, NULL},
      {"order", keys->order.count > 0, scheme->runs_in_order, NULL},
      {"stiffness", !isnan(keys->stiffness), has_springs, with_springs},
      {"damping", !isnan(keys->damping), has_springs, with_springs},
      {"step", !isnan(keys->step), scheme->is_whole, in_reference},
      {"integrator", keys->integrator != FLG_STEPPING_AUTO, scheme->is_whole, in_reference},
  }};
}

enum { USERS_TEXT = FLG_COUPLING_COUNT * (FLG_COUPLING_NAME + 2) + 60 };

static void add_user(char text[USERS_TEXT], const char *name) {
  const size_t length = strlen(text);
  snprintf(text + length, USERS_TEXT - length, "%s%s", length > 0 ? ", " : "", name);
}

/* what uses the option of that number, as a list of words */
static void list_users(int number, const flg_scenario *scenario, char text[USERS_TEXT]) {
  const char *besides = NULL;
  text[0] = 0;
  for (int k = 0; k < FLG_COUPLING_COUNT; k++) {
    const option_list options = coupling_options_of(flg_coupling_schemes[k], scenario);
    if (options.of[number].is_used) add_user(text, flg_coupling_schemes[k]->name);
    besides = options.of[number].besides;
  }
  if (besides != NULL) add_user(text, besides);
}

/* an absent section has its own name, not that of its key */
static bool has_reference(const flg_scenario *scenario) {
  const char *name = scenario->compare.origin.name;
  return name != NULL && strcmp(name, "compare") == 0;
}

/* nothing is coupled, whatever the section says */
static void tell_idle(const flg_loader *loader) {
  const flg_scenario *scenario = loader->scenario;
  const flg_coupling_scheme *scheme = flg_coupling_schemes[scenario->coupling.scheme];
  const option_list options = coupling_options_of(scheme, scenario);
  bool is_given = !scheme->is_whole;
  for (int k = 0; k < OPTIONS; k++) is_given = is_given || options.of[k].is_given;
  if (!is_given) return;
  flg_notice_add(loader->notices, "coupling",
                 "the scenario has no interfaces, so that nothing is coupled and all that the "
                 "section says is without effect");
}

void flg_compose_tell_unused(const flg_loader *loader) {
  const flg_scenario *scenario = loader->scenario;
  const flg_coupling_scheme *scheme = flg_coupling_schemes[scenario->coupling.scheme];
  if (scenario->interfaces.count == 0) {
    tell_idle(loader);
    return;
  }
  const option_list options = coupling_options_of(scheme, scenario);
  for (int k = 0; k < OPTIONS; k++) {
    const option *of = &options.of[k];
    char users[USERS_TEXT];
    if (!of->is_given || of->is_used) continue;
    if (of->besides == in_reference && has_reference(scenario)) continue;
    list_users(k, scenario, users);
    flg_notice_add(loader->notices, "coupling",
                   "scheme '%s' does not use '%s'; schemes that do: %s", scheme->name, of->name,
                   users);
  }
}

bool flg_compose_leaps(const flg_coupling_keys *keys) {
  const flg_coupling_scheme *scheme = flg_coupling_schemes[keys->scheme];
  const bool closes = keys->contacts == FLG_REST_NONSMOOTH || keys->contacts == FLG_REST_OPENING;
  return scheme->has_kicks && keys->form != FLG_COUPLING_MASS && closes &&
         keys->potential.count == 0;
}
