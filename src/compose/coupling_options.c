#include "compose/coupling_options.h"

#include <stdio.h>
#include <string.h>

#include "coupling/scheme.h"

/* An option: whether the scenario gives it, and whether a scheme uses it. */
typedef struct option {
  const char *name;
  bool (*is_given)(const flg_coupling_keys *keys);
  bool (*is_used)(const flg_coupling_scheme *scheme);
} option;

static bool gives_form(const flg_coupling_keys *keys) {
  return keys->form != 0;
}

static bool gives_reconcile(const flg_coupling_keys *keys) {
  return keys->reconcile != 0;
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

static bool has_models(const flg_coupling_scheme *scheme) {
  return scheme->sees != NULL;
}

static bool leaves_reconcile(const flg_coupling_scheme *scheme) {
  return !scheme->is_whole && (scheme->fixed & FLG_FIXED_RECONCILE) == 0;
}

static bool leaves_contacts(const flg_coupling_scheme *scheme) {
  return has_models(scheme) && (scheme->fixed & FLG_FIXED_CONTACTS) == 0;
}

static bool has_causality(const flg_coupling_scheme *scheme) {
  return scheme->has_causality;
}

static bool runs_in_order(const flg_coupling_scheme *scheme) {
  return scheme->runs_in_order;
}

static const option options[] = {{"form", gives_form, has_models},
                                 {"reconcile", gives_reconcile, leaves_reconcile},
                                 {"contacts", gives_contacts, leaves_contacts},
                                 {"elastic", gives_elastic, has_models},
                                 {"potential", gives_potential, has_models},
                                 {"causality", gives_causality, has_causality},
                                 {"order", gives_order, runs_in_order}};

/* the schemes that use it, as a list of words */
static void list_users(const option *of, char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int k = 0; k < FLG_COUPLING_COUNT && length + FLG_COUPLING_NAME + 2 < size; k++) {
    const flg_coupling_scheme *scheme = flg_coupling_schemes[k];
    if (!of->is_used(scheme)) continue;
    length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                               scheme->name);
  }
}

void flg_compose_tell_unused(const flg_loader *loader) {
  const flg_coupling_keys *keys = &loader->scenario->coupling;
  const flg_coupling_scheme *scheme = flg_coupling_schemes[keys->scheme];
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    char users[FLG_COUPLING_COUNT * (FLG_COUPLING_NAME + 2) + 1];
    if (!options[k].is_given(keys) || options[k].is_used(scheme)) continue;
    list_users(&options[k], users, sizeof users);
    flg_notice_add(loader->notices, "coupling",
                   "scheme '%s' does not use '%s'; schemes that do: %s", scheme->name,
                   options[k].name, users);
  }
}
