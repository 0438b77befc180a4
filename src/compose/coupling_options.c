#include "compose/coupling_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "coupling/scheme.h"

/* An option: whether the scenario gives it, and whether a scheme uses it in this scenario. */
typedef struct option {
  const char *name;
  bool (*is_given)(const flg_coupling_keys *keys);
  bool (*is_used)(const flg_coupling_scheme *scheme, const flg_scenario *scenario);
  const char *besides; /* what uses it besides the schemes that are listed; NULL: nothing */
} option;

static bool gives_form(const flg_coupling_keys *keys) {
  return keys->form != 0;
}

static bool gives_reconcile(const flg_coupling_keys *keys) {
  return keys->reconcile != 0;
}

static bool gives_pose(const flg_coupling_keys *keys) {
  return keys->pose != 0;
}

static bool gives_feedback(const flg_coupling_keys *keys) {
  return !isnan(keys->feedback);
}

static bool gives_contacts(const flg_coupling_keys *keys) {
  return keys->contacts != 0;
}

static bool gives_elastic(const flg_coupling_keys *keys) {
  return keys->elastic != 0;
}

static bool gives_causality(const flg_coupling_keys *keys) {
  return keys->causality != 0;
}

static bool gives_order(const flg_coupling_keys *keys) {
  return keys->order.count > 0;
}

static bool gives_potential(const flg_coupling_keys *keys) {
  return keys->potential.count > 0;
}

static bool gives_stiffness(const flg_coupling_keys *keys) {
  return !isnan(keys->stiffness);
}

static bool gives_damping(const flg_coupling_keys *keys) {
  return !isnan(keys->damping);
}

static bool gives_step(const flg_coupling_keys *keys) {
  return !isnan(keys->step);
}

static bool gives_integrator(const flg_coupling_keys *keys) {
  return keys->integrator != FLG_STEPPING_AUTO;
}

static bool has_models(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  (void)scenario;
  return scheme->sees != NULL;
}

static bool leaves_reconcile(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  (void)scenario;
  return !scheme->is_whole && (scheme->fixed & FLG_FIXED_RECONCILE) == 0;
}

static bool is_apart(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  (void)scenario;
  return !scheme->is_whole;
}

static bool feeds_back(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  const int pose = scenario->coupling.pose;
  return !scheme->is_whole &&
         (pose == FLG_POSE_AUTO ? scheme->pose == FLG_POSE_FEEDBACK : pose == FLG_POSE_FEEDBACK);
}

static bool leaves_contacts(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  return has_models(scheme, scenario) && (scheme->fixed & FLG_FIXED_CONTACTS) == 0;
}

static bool is_regularised(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  const bool is_left = leaves_contacts(scheme, scenario);
  const int contacts = is_left ? scenario->coupling.contacts : (int)scheme->contacts;
  return has_models(scheme, scenario) && contacts == FLG_REST_REGULARISED;
}

static bool has_causality(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  (void)scenario;
  return scheme->has_causality;
}

static bool runs_in_order(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  (void)scenario;
  return scheme->runs_in_order;
}

static bool is_whole(const flg_coupling_scheme *scheme, const flg_scenario *scenario) {
  (void)scenario;
  return scheme->is_whole;
}

static const char in_reference[] = "the reference of 'flange compare'";
static const char with_springs[] = "any with 'contacts: regularised'";
static const option options[] = {
    {"form", gives_form, has_models, NULL},
    {"reconcile", gives_reconcile, leaves_reconcile, NULL},
    {"pose", gives_pose, is_apart, NULL},
    {"feedback", gives_feedback, feeds_back, "any but monolithic with 'pose: feedback'"},
    {"contacts", gives_contacts, leaves_contacts, NULL},
    {"elastic", gives_elastic, has_models, NULL},
    {"potential", gives_potential, has_models, NULL},
    {"causality", gives_causality, has_causality, NULL},
    {"order", gives_order, runs_in_order, NULL},
    {"stiffness", gives_stiffness, is_regularised, with_springs},
    {"damping", gives_damping, is_regularised, with_springs},
    {"step", gives_step, is_whole, in_reference},
    {"integrator", gives_integrator, is_whole, in_reference}};

enum { USERS_TEXT = FLG_COUPLING_COUNT * (FLG_COUPLING_NAME + 2) + 60 };

static void add_user(char text[USERS_TEXT], const char *name) {
  const size_t length = strlen(text);
  snprintf(text + length, USERS_TEXT - length, "%s%s", length > 0 ? ", " : "", name);
}

/* what uses it, as a list of words */
static void list_users(const option *of, const flg_scenario *scenario, char text[USERS_TEXT]) {
  text[0] = 0;
  for (int k = 0; k < FLG_COUPLING_COUNT; k++) {
    const flg_coupling_scheme *scheme = flg_coupling_schemes[k];
    if (of->is_used(scheme, scenario)) add_user(text, scheme->name);
  }
  if (of->besides != NULL) add_user(text, of->besides);
}

/* an absent section has its own name, not that of its key */
static bool has_reference(const flg_scenario *scenario) {
  const char *name = scenario->compare.origin.name;
  return name != NULL && strcmp(name, "compare") == 0;
}

/* nothing is coupled, whatever the section says */
static void tell_idle(const flg_loader *loader) {
  const flg_coupling_keys *keys = &loader->scenario->coupling;
  bool is_given = !flg_coupling_schemes[keys->scheme]->is_whole;
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    is_given = is_given || options[k].is_given(keys);
  }
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
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    const option *of = &options[k];
    char users[USERS_TEXT];
    if (!of->is_given(&scenario->coupling) || of->is_used(scheme, scenario)) continue;
    if (of->besides == in_reference && has_reference(scenario)) continue;
    list_users(of, scenario, users);
    flg_notice_add(loader->notices, "coupling",
                   "scheme '%s' does not use '%s'; schemes that do: %s", scheme->name, of->name,
                   users);
  }
}
