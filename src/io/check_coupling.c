#include "io/check_coupling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "cosim/simulation.h"

/* --- names --------------------------------------------------------------------------------------
 */

bool flg_is_scheme(const char *name, size_t length) {
  for (const char *const *known = flg_coupling_words; *known != NULL; known++) {
    if (strlen(*known) == length && strncmp(*known, name, length) == 0) return true;
  }
  return false;
}

const char *flg_check_scheme(const char *name, flg_place place, flg_mistakes *mistakes) {
  char hint[FLG_HINT_TEXT];
  for (const char *const *known = flg_coupling_words; *known != NULL; known++) {
    if (strcmp(*known, name) == 0) return *known;
  }
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place, "there is no coupling '%s'%s", name,
                  flg_closest_hint(name, flg_coupling_words, FLG_COUPLING_COUNT, hint));
  return NULL;
}

static void tell_no_subsystem(const flg_scenario *scenario, const flg_origin *name,
                              flg_mistakes *mistakes) {
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  flg_closest closest = flg_closest_while_listed(name->name, mistakes);
  char hint[FLG_HINT_TEXT];
  FLG_OFFER(&closest, keys, scenario->subsystems.count);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, name->place, "order: there is no subsystem '%s'%s",
                  name->name, flg_closest_text(&closest, hint));
}

/* each subsystem once */
static void check_order(const flg_scenario *scenario, const flg_texts *order,
                        flg_mistakes *mistakes) {
  const int before = mistakes->count;
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  flg_region scratch = {0};
  const flg_name_index names = FLG_INDEX(keys, scenario->subsystems.count, &scratch);
  flg_name_index seen = {0};
  for (int k = 0; k < order->count; k++) {
    const flg_origin *item = &order->items[k];
    if (FLG_SEEK(&names, keys, scenario->subsystems.count, item->name) < 0) {
      tell_no_subsystem(scenario, item, mistakes);
    }
    if (flg_name_index_add(&seen, item->name, k, &scratch) < 0) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, item->place, "order: '%s' stands there twice",
                    item->name);
  }
  if (scratch.failed) flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  flg_region_release(&scratch);
  if (order->count == 0 || mistakes->count > before) return;
  if (order->count == scenario->subsystems.count) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, order->items[0].place,
                  "order: name all %d subsystems; here are %d", scenario->subsystems.count,
                  order->count);
}

bool flg_check_compared(const flg_scenario *scenario, const flg_origin *entry,
                        flg_compared_coupling *coupling, flg_region *region,
                        flg_mistakes *mistakes) {
  const int before = mistakes->count;
  if (!flg_compared_coupling_read(coupling, entry->name, entry->place, region, mistakes)) {
    return false;
  }
  check_order(scenario, &coupling->keys.order, mistakes);
  return mistakes->count == before;
}

void flg_check_couplings(const flg_scenario *scenario, flg_region *region, flg_mistakes *mistakes) {
  const flg_texts *couplings = &scenario->compare.couplings;
  check_order(scenario, &scenario->coupling.order, mistakes);
  for (int k = 0; k < couplings->count; k++) {
    flg_compared_coupling unread;
    flg_check_compared(scenario, &couplings->items[k], &unread, region, mistakes);
  }
}

/* --- macro steps --------------------------------------------------------------------------------
 */

enum { TRIES = 100000 }; /* at macro steps that fit, in each direction */

double flg_check_reference_step(const flg_scenario *scenario, double shortest) {
  double step = scenario->compare.reference.step;
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  if (isnan(step)) step = scenario->coupling.step;
  if (!isnan(step)) return step;
  for (int k = 0; k < scenario->subsystems.count; k++) {
    step = fmin(step, keys[k].step); /* of a number and NaN, the number */
  }
  return isnan(step) ? shortest : step;
}

static bool divides(double step, double whole) {
  const double ratio = whole / step, nearest = nearbyint(ratio);
  return nearest >= 1 && fabs(ratio - nearest) <= 1e-9 * ratio;
}

/* of a subsystem in a comparison; NaN: whatever the macro step is */
static double micro_step(const flg_scenario *scenario, int subsystem) {
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  const bool same = scenario->compare.micro == FLG_MICRO_SAME;
  return same ? flg_check_reference_step(scenario, NAN) : keys[subsystem].step;
}

/* the first subsystem whose step does not divide it, -1: all do */
static int misfit(const flg_scenario *scenario, double macro) {
  for (int k = 0; k < scenario->subsystems.count; k++) {
    const double step = micro_step(scenario, k);
    if (!isnan(step) && !divides(step, macro)) return k;
  }
  return -1;
}

/* the next macro step from there, up or down, that all steps divide and that divides the time; NaN:
 * none is close */
static double next_fit(const flg_scenario *scenario, double macro, int way) {
  double unit = NAN;
  for (int k = 0; k < scenario->subsystems.count; k++) {
    unit = fmax(unit, micro_step(scenario, k));
  }
  const double first = way < 0 ? floor(macro / unit) : ceil(macro / unit);
  for (int k = 0; k < TRIES; k++) {
    const double next = (first + way * k) * unit;
    if (!(next > unit / 2 && next <= scenario->time.end * (1 + 1e-9))) return NAN;
    if (misfit(scenario, next) < 0 && divides(next, scenario->time.end)) return next;
  }
  return NAN;
}

/* "; the nearest that fit are 0.01 and 0.02 s" */
static const char *nearest_text(const flg_scenario *scenario, double macro, char *text,
                                size_t size) {
  const double below = next_fit(scenario, macro, -1), above = next_fit(scenario, macro, 1);
  const double only = isnan(below) ? above : below;
  text[0] = '\0';
  if (!isnan(below) && !isnan(above)) {
    snprintf(text, size, "; the nearest that fit are %.9g and %.9g s", below, above);
  } else if (!isnan(only)) {
    snprintf(text, size, "; the nearest that fits is %.9g s", only);
  }
  return text;
}

static void check_macro(const flg_scenario *scenario, double macro, flg_place place,
                        flg_mistakes *mistakes) {
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  const int subsystem = misfit(scenario, macro);
  char text[100];
  if (subsystem >= 0) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                    "a macro step of %.9g s is no whole number of steps of '%s', %.9g s each%s",
                    macro, keys[subsystem].origin.name, micro_step(scenario, subsystem),
                    nearest_text(scenario, macro, text, sizeof text));
  } else if (!divides(macro, scenario->time.end)) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                    "a macro step of %.9g s does not divide the time of %.9g s evenly%s", macro,
                    scenario->time.end, nearest_text(scenario, macro, text, sizeof text));
  }
}

void flg_check_macros(const flg_scenario *scenario, const double *macros, int count,
                      flg_place place, flg_mistakes *mistakes) {
  const double shortest = macros[count - 1];
  const int before = mistakes->count;
  for (int k = 0; k < count; k++) check_macro(scenario, macros[k], place, mistakes);
  if (mistakes->count > before) return;
  for (int k = 0; k < count; k++) {
    flg_steps_in(macros[k], shortest, "the shortest macro step", "another", place, mistakes);
  }
  flg_steps_in(shortest, flg_check_reference_step(scenario, shortest), "the reference's step",
               "the shortest macro step", place, mistakes);
}
