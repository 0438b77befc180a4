#include "io/load_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "cosim/signal_list.h"
#include "cosim/simulation.h"
#include "io/check_coupling.h"
#include "text/quantity.h"

/* what is asked for, from the scenario or from the command line */
typedef struct wish {
  const char *path;
  const flg_comparison_choice *choice;
  flg_scenario scenario;
  flg_growing couplings; /* of flg_compared_coupling */
  flg_growing macros;    /* of double, from long to short */
  const char *record;    /* the override that names signals in place of patterns; NULL: none */
  flg_region *region;
  flg_mistakes *mistakes;
} wish;

/* --- lists --------------------------------------------------------------------------------------
 */

static void add_coupling(wish *want, const char *name, flg_place place) {
  const flg_origin entry = {name, place};
  flg_compared_coupling read;
  if (!flg_check_compared(&want->scenario, &entry, &read, want->region, want->mistakes)) return;
  flg_compared_coupling *to = flg_growing_add(&want->couplings, sizeof *to, want->region);
  if (to != NULL) *to = read;
}

static void add_macro(wish *want, double macro) {
  if (flg_growing_add(&want->macros, sizeof macro, want->region) == NULL) return;
  double *list = want->macros.items;
  int at = want->macros.count - 1;
  for (; at > 0 && list[at - 1] < macro; at--) list[at] = list[at - 1];
  list[at] = macro;
}

/* up to the comma that ends a word */
static size_t compare_word_length(const char *from) {
  return strcspn(from, ",");
}

/* The same of a coupling: commas in its options, as in order=hand,arm, do not end it. What comes
 * after one of these is a coupling if it is the name of a scheme. */
static size_t coupling_length(const char *from) {
  size_t length = compare_word_length(from);
  while (from[length] == ',' && memchr(from, '=', length) != NULL) {
    const char *next = from + length + 1;
    next += strspn(next, " ");
    if (flg_is_scheme(next, strcspn(next, ", "))) break;
    length = (size_t)(next - from) + compare_word_length(next);
  }
  return length;
}

/* calls `take` with each word of a list with commas */
static void split_list(wish *want, const char *list, size_t (*length_of)(const char *from),
                       void (*take)(wish *want, const char *word)) {
  for (const char *from = list;; from++) {
    from += strspn(from, " ");
    const size_t length = length_of(from);
    size_t end = length;
    while (end > 0 && from[end - 1] == ' ') end--;
    const char *word = flg_region_text(want->region, from, end);
    if (word == NULL) return;
    take(want, word);
    from += length;
    if (*from == '\0') return;
  }
}

static void take_coupling(wish *want, const char *word) {
  add_coupling(want, word, (flg_place){.file = "--coupling"});
}

static void take_macro(wish *want, const char *word) {
  double macro = NAN;
  const char *wrong = flg_quantity_parse(word, "s", &macro);
  if (wrong == NULL && macro > 0 && isfinite(macro)) {
    add_macro(want, macro);
    return;
  }
  flg_mistake_add(want->mistakes, FLG_ERR_INPUT, (flg_place){.file = "--macro"},
                  "'%s' is no macro step; expected seconds, greater than 0, as in 1/120,1/60",
                  word);
}

static void choose_couplings(wish *want) {
  const flg_texts *texts = &want->scenario.compare.couplings;
  if (want->choice->couplings != NULL) {
    split_list(want, want->choice->couplings, coupling_length, take_coupling);
    return;
  }
  for (int k = 0; k < texts->count; k++) {
    add_coupling(want, texts->items[k].name, texts->items[k].place);
  }
  if (texts->count > 0) return;
  add_coupling(want, flg_coupling_sequential.name, (flg_place){0});
  add_coupling(want, flg_coupling_parallel.name, (flg_place){0});
}

static void choose_macros(wish *want) {
  const flg_numbers *numbers = &want->scenario.compare.macro;
  if (want->choice->macros != NULL) {
    split_list(want, want->choice->macros, compare_word_length, take_macro);
    return;
  }
  for (int k = 0; k < numbers->count; k++) add_macro(want, numbers->values[k]);
  if (numbers->count == 0) add_macro(want, want->scenario.time.macro);
}

/* --- does it make sense -------------------------------------------------------------------------
 */

static void check_macros(const wish *want) {
  flg_place place = want->scenario.time.origin.place;
  if (want->scenario.compare.macro.count > 0) place = want->scenario.compare.origin.place;
  if (want->choice->macros != NULL) place = (flg_place){.file = "--macro"};
  flg_check_macros(&want->scenario, want->macros.items, want->macros.count, place, want->mistakes);
}

static void check_scenario(const wish *want) {
  const flg_scenario *scenario = &want->scenario;
  const flg_place place = {.file = want->path};
  if (scenario->interfaces.count == 0) {
    flg_mistake_add(want->mistakes, FLG_ERR_INPUT, place,
                    "the scenario has no interfaces: there is no coupling to compare");
  }
  if (scenario->record.count == 0) {
    flg_mistake_add(want->mistakes, FLG_ERR_INPUT, place,
                    "the scenario records nothing: there is nothing to compare; name signals under "
                    "'record'");
  }
}

/* --- by which method it steps ---------------------------------------------------------------- */

/* "rattle", or "arm: semi-implicit, hand: rattle" */
static const char *integrators_of(const flg_simulation *simulation, flg_region *region) {
  const char *first = flg_simulation_integrator(simulation, 0), *text = "";
  bool is_one = true;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const char *word = flg_simulation_integrator(simulation, k);
    is_one &= strcmp(word, first) == 0;
    text = flg_region_format(region, "%s%s%s: %s", text == NULL ? "" : text, k == 0 ? "" : ", ",
                             simulation->subsystems[k].name, word);
  }
  return is_one ? first : text;
}

/* leapfrog is what rattle is without joints to close */
static const char *family_at(const flg_simulation *simulation, int index) {
  const char *word = flg_simulation_integrator(simulation, index);
  return strcmp(word, "leapfrog") == 0 ? "rattle" : word;
}

/* NULL: subsystems are of several families */
static const char *family_of(const flg_simulation *simulation) {
  const char *family = family_at(simulation, 0);
  for (int k = 1; k < simulation->subsystem_count; k++) {
    if (strcmp(family_at(simulation, k), family) != 0) return NULL;
  }
  return family;
}

/* that all runs step by; NULL: they differ */
static const char *agreed_family(const flg_comparison *of) {
  const char *agreed = of->count == 0 ? NULL : of->runs[0].family;
  for (int k = 1; k < of->count && agreed != NULL; k++) {
    const char *family = of->runs[k].family;
    if (family == NULL || strcmp(family, agreed) != 0) agreed = NULL;
  }
  return agreed;
}

/* --- loading ------------------------------------------------------------------------------------
 */

/* a list of overrides that grows */
typedef struct changes {
  flg_growing list; /* of const char * */
  flg_region *region;
} changes;

static void add_compared_change(changes *to, const char *text) {
  const char **place = flg_growing_add(&to->list, sizeof *place, to->region);
  if (place != NULL) *place = text;
}

static void change_number(changes *to, const char *key, double value) {
  add_compared_change(to, flg_region_format(to->region, "%s=%.17g", key, value));
}

static changes begin_changes(const wish *want, const flg_compared *run, const char *scheme) {
  changes all = {.region = want->region};
  for (int k = 0; k < want->choice->override_count; k++)
    add_compared_change(&all, want->choice->overrides[k]);
  add_compared_change(&all, flg_region_format(all.region, "coupling.scheme=%s", scheme));
  change_number(&all, "time.macro", run->macro);
  if (want->record != NULL) add_compared_change(&all, want->record);
  return all;
}

static void load_compared(const wish *want, const changes *all, flg_compared *run) {
  if (want->region->failed) {
    flg_mistake_add(want->mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  if (want->mistakes->count > 0) return;
  if (flg_simulation_load_as(&run->simulation, want->path, all->list.items, all->list.count,
                             want->choice->source, want->mistakes) == FLG_OK) {
    run->integrator = integrators_of(run->simulation, want->region);
    run->family = family_of(run->simulation);
  }
}

static changes begin_reference(const wish *want, const flg_comparison *to, const char *word) {
  changes all = begin_changes(want, &to->reference, to->reference.coupling);
  change_number(&all, "coupling.step", to->step);
  if (word != NULL)
    add_compared_change(&all, flg_region_format(all.region, "coupling.integrator=%s", word));
  return all;
}

/* In its own way first; then, where no file has chosen that, as the runs step. What is then
 * refused, such as contacts that a method cannot take, leaves the first. */
static void load_reference(const wish *want, flg_comparison *to) {
  const flg_reference_keys *keys = &want->scenario.compare.reference;
  const double *macros = want->macros.items, shortest = macros[want->macros.count - 1];
  const bool is_chosen = keys->integrator != FLG_STEPPING_AUTO;
  to->reference = (flg_compared){flg_coupling_monolithic.name, shortest, NULL, NULL, NULL};
  changes all = begin_reference(want, to, is_chosen ? flg_stepping_words[keys->integrator] : NULL);
  load_compared(want, &all, &to->reference);
  const char *agreed = agreed_family(to), *own = to->reference.family;
  if (is_chosen || want->scenario.coupling.integrator != FLG_STEPPING_AUTO || agreed == NULL ||
      own == NULL || strcmp(agreed, own) == 0) {
    return;
  }
  flg_mistakes refused = {0};
  wish again = *want;
  again.mistakes = &refused;
  flg_compared alike = to->reference;
  all = begin_reference(&again, to, agreed);
  load_compared(&again, &all, &alike);
  if (refused.count > 0) return;
  flg_simulation_release(to->reference.simulation);
  to->reference = alike;
}

static void load_run(const wish *want, const flg_compared_coupling *coupling, double step,
                     flg_compared *run) {
  const flg_subsystem_keys *keys = want->scenario.subsystems.items;
  changes all = begin_changes(want, run, coupling->scheme);
  for (int k = 0; k < coupling->settings.count; k++)
    add_compared_change(&all, coupling->settings.items[k].name);
  for (int k = 0; k < want->scenario.subsystems.count; k++) {
    if (want->scenario.compare.micro != FLG_MICRO_SAME) break;
    const char *key = flg_region_format(all.region, "subsystems.%s.step", keys[k].origin.name);
    if (key != NULL) change_number(&all, key, step);
  }
  load_compared(want, &all, run);
}

/* --- what is recorded ------------------------------------------------------------------------ */

static bool has_pattern(const flg_texts *record) {
  for (int k = 0; k < record->count; k++) {
    if (flg_signal_is_pattern(record->items[k].name)) return true;
  }
  return false;
}

static bool records(const flg_simulation *simulation, const char *name) {
  return FLG_FIND(simulation->signals, simulation->signal_count, name) >= 0;
}

/* "record=['a', 'b', ]" of what both record; NULL without memory */
static const char *common(const flg_simulation *a, const flg_simulation *b, flg_region *region) {
  size_t bytes = sizeof "record=[]";
  for (int k = 0; k < a->signal_count; k++) bytes += strlen(a->signals[k].name) + sizeof "'', ";
  char *text = flg_region_take(region, bytes, 1);
  if (text == NULL) return NULL;
  char *end = stpcpy(text, "record=[");
  for (int k = 0; k < a->signal_count; k++) {
    const char *name = a->signals[k].name;
    if (records(b, name)) end = stpcpy(stpcpy(stpcpy(end, "'"), name), "', ");
  }
  stpcpy(end, "]");
  return text;
}

/* A pattern stands for what there is both as one and apart, where a joint may be part of an
 * interface. */
static void resolve_patterns(wish *want) {
  const flg_compared_coupling *coupling = want->couplings.items;
  if (!has_pattern(&want->scenario.record)) return;
  flg_compared one = {.macro = *(const double *)want->macros.items}, apart = one;
  const changes as_one = begin_changes(want, &one, flg_coupling_monolithic.name);
  const changes coupled = begin_changes(want, &apart, coupling->scheme);
  load_compared(want, &as_one, &one);
  load_compared(want, &coupled, &apart);
  if (one.simulation != NULL && apart.simulation != NULL) {
    want->record = common(one.simulation, apart.simulation, want->region);
  }
  flg_simulation_release(one.simulation);
  flg_simulation_release(apart.simulation);
}

static void load_all(const wish *want, flg_comparison *to) {
  const flg_compared_coupling *couplings = want->couplings.items;
  const double *macros = want->macros.items;
  const int count = want->couplings.count * want->macros.count;
  to->runs = flg_region_take(want->region, (size_t)count, sizeof *to->runs);
  to->step = flg_check_reference_step(&want->scenario, macros[want->macros.count - 1]);
  if (to->runs == NULL) return;
  for (int k = 0; k < count && want->mistakes->count == 0; k++) {
    flg_compared *run = &to->runs[to->count++];
    const flg_compared_coupling *coupling = &couplings[k / want->macros.count];
    *run = (flg_compared){coupling->text, macros[k % want->macros.count], NULL, NULL, NULL};
    load_run(want, coupling, to->step, run);
  }
  if (want->mistakes->count == 0) load_reference(want, to);
}

flg_status flg_comparison_load(flg_comparison *comparison, const char *path,
                               const flg_comparison_choice *choice, flg_mistakes *mistakes) {
  *comparison = (flg_comparison){0};
  wish want = {.path = path, .choice = choice, .region = &comparison->region, .mistakes = mistakes};
  flg_scenario_load_as(&want.scenario, path, choice->overrides, choice->override_count,
                       &choice->source, want.region, mistakes);
  if (mistakes->count == 0) check_scenario(&want);
  if (mistakes->count == 0) choose_couplings(&want);
  if (mistakes->count == 0) choose_macros(&want);
  if (mistakes->count == 0 && !want.region->failed) check_macros(&want);
  if (mistakes->count == 0 && !want.region->failed) resolve_patterns(&want);
  if (mistakes->count == 0 && !want.region->failed) load_all(&want, comparison);
  if (want.region->failed && mistakes->count == 0) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = path}, "no memory left");
  }
  if (mistakes->count == 0) return FLG_OK;
  flg_comparison_release(comparison);
  return mistakes->status;
}

void flg_comparison_release(flg_comparison *comparison) {
  for (int k = 0; k < comparison->count; k++)
    flg_simulation_release(comparison->runs[k].simulation);
  flg_simulation_release(comparison->reference.simulation);
  flg_region_release(&comparison->region);
  *comparison = (flg_comparison){0};
}
