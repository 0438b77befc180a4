#include "compose/welds.h"

#include <string.h>

#include "compose/anchors.h"

/* --- pairs of names -----------------------------------------------------------------------------
 */

static bool is_same_pair(const flg_texts *a, const flg_texts *b) {
  const flg_origin *x = a->items, *y = b->items;
  return (strcmp(x[0].name, y[0].name) == 0 && strcmp(x[1].name, y[1].name) == 0) ||
         (strcmp(x[0].name, y[1].name) == 0 && strcmp(x[1].name, y[0].name) == 0);
}

/* what stands before the slash; 0: there is none */
static size_t subsystem_length(const char *path) {
  const char *slash = strchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash - path);
}

static bool is_in_one(const flg_texts *ends) {
  if (ends->count != 2) return false;
  const char *a = ends->items[0].name, *b = ends->items[1].name;
  const size_t length = subsystem_length(a);
  return length > 0 && length == subsystem_length(b) && strncmp(a, b, length) == 0;
}

/* the first event that welds these two; NULL: none does */
static const flg_event_keys *weld_first_of(const flg_loader *loader, const flg_texts *ends) {
  const flg_event_keys *events = loader->scenario->events.items;
  for (int k = 0; k < loader->scenario->events.count; k++) {
    if (is_in_one(&events[k].weld) && is_same_pair(&events[k].weld, ends)) return &events[k];
  }
  return NULL;
}

/* "hand/grip", or "hand/effector+box" */
static const char *name_of_event(const flg_loader *loader, const flg_event_keys *keys) {
  const char *first = keys->weld.items[0].name, *second = keys->weld.items[1].name;
  const size_t length = subsystem_length(first);
  if (keys->name == NULL) {
    return flg_region_format(loader->region, "%s+%s", first, second + length + 1);
  }
  return flg_region_format(loader->region, "%.*s/%s", (int)length, first, keys->name);
}

/* --- welds --------------------------------------------------------------------------------------
 */

static void find_or_tell(const flg_loader *loader, const flg_component *component,
                         const flg_origin *end, const char *path, flg_anchor *anchor) {
  if (flg_compose_anchor(component, path, anchor)) return;
  char hint[FLG_HINT_TEXT];
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, end->place,
                  "weld: there is no body, marker or port '%s'%s", path,
                  flg_compose_anchor_hint(component, path, loader->mistakes, hint));
}

/* without the subsystem where the component is that subsystem */
static const char *inside(const char *path, const char *subsystem) {
  return subsystem == NULL ? path : path + strlen(subsystem) + 1;
}

static bool weld_is_of(const flg_event_keys *keys, const char *subsystem) {
  if (subsystem == NULL) return true;
  const size_t length = subsystem_length(keys->weld.items[0].name);
  return strlen(subsystem) == length && strncmp(subsystem, keys->weld.items[0].name, length) == 0;
}

static bool weld_moves(const flg_component *component, const flg_anchor *end) {
  return end->robot >= 0 || (end->body != FLG_WORLD && !component->bodies[end->body].fixed);
}

static void add_weld(const flg_loader *loader, const flg_component *component,
                     const flg_event_keys *keys, const char *name, flg_weld *weld,
                     const char *subsystem) {
  weld->name = name;
  for (int e = 0; e < 2; e++) {
    const flg_origin *end = &keys->weld.items[e];
    find_or_tell(loader, component, end, inside(end->name, subsystem), &weld->end[e]);
  }
  const flg_anchor *end = weld->end;
  if (loader->mistakes->count > 0) return;
  if (end[0].robot == end[1].robot && end[0].body == end[1].body) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->weld.items[1].place,
                    "weld: '%s' and '%s' are on the same body", keys->weld.items[0].name,
                    keys->weld.items[1].name);
  } else if (!weld_moves(component, &end[0]) && !weld_moves(component, &end[1])) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->weld.items[1].place,
                    "weld: neither '%s' nor '%s' moves", keys->weld.items[0].name,
                    keys->weld.items[1].name);
  }
}

static bool is_taken(const flg_assembly_options *options, const char *name) {
  return FLG_FIND(options->welds, options->weld_count, name) >= 0;
}

void flg_compose_welds(const flg_loader *loader, const flg_component *component,
                       const char *subsystem, flg_assembly_options *options) {
  const flg_event_keys *events = loader->scenario->events.items;
  const int count = loader->scenario->events.count;
  flg_weld *welds = flg_region_take(loader->region, (size_t)count, sizeof *welds);
  options->welds = welds;
  for (int k = 0; k < count && welds != NULL; k++) {
    if (!is_in_one(&events[k].weld) || weld_first_of(loader, &events[k].weld) != &events[k])
      continue;
    if (!weld_is_of(&events[k], subsystem)) continue;
    const char *name = name_of_event(loader, &events[k]);
    if (name == NULL) return;
    name = inside(name, subsystem);
    if (is_taken(options, name)) {
      flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, events[k].origin.place,
                      "another weld is called '%s' already", name);
    }
    add_weld(loader, component, &events[k], name, &welds[options->weld_count++], subsystem);
  }
}

/* --- events -------------------------------------------------------------------------------------
 */

/* as an origin for the search of names; the place is that of the first end */
static const flg_origin *as_origin(const flg_loader *loader, const char *name, flg_place place) {
  flg_origin *origin = flg_region_take(loader->region, 1, sizeof *origin);
  if (origin == NULL || name == NULL) return NULL;
  *origin = (flg_origin){name, place};
  return origin;
}

static const flg_origin *refuse_pair(const flg_loader *loader, const flg_texts *ends) {
  const flg_origin *first = &ends->items[0], *second = &ends->items[1];
  if (subsystem_length(first->name) == 0 || subsystem_length(second->name) == 0) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, first->place,
                    "expected two bodies as subsystem/body, as in [hand/effector, hand/box]");
  } else {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, first->place,
                    "'%s' and '%s' are in different subsystems; only bodies of one subsystem can "
                    "be welded. Put them in one, or join the subsystems by an interface",
                    first->name, second->name);
  }
  return NULL;
}

static const flg_origin *find_by_name(const flg_loader *loader, const flg_origin *wanted) {
  const flg_event_keys *events = loader->scenario->events.items;
  for (int k = 0; k < loader->scenario->events.count; k++) {
    if (!is_in_one(&events[k].weld)) continue;
    const char *name = name_of_event(loader, weld_first_of(loader, &events[k].weld));
    if (name != NULL && strcmp(name, wanted->name) == 0) return wanted;
  }
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, wanted->place,
                  "no event welds '%s'; expected two bodies, or subsystem/name of a weld",
                  wanted->name);
  return NULL;
}

const flg_origin *flg_compose_weld_name(const flg_loader *loader, const flg_event_keys *keys,
                                        const flg_texts *ends) {
  const bool makes = ends == &keys->weld;
  const flg_place place = ends->items[0].place;
  if (ends->count == 1 && !makes) return find_by_name(loader, &ends->items[0]);
  if (ends->count != 2) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, place,
                    "expected two bodies, found %d names; give each pair an event of its own",
                    ends->count);
    return NULL;
  }
  if (!is_in_one(ends)) return refuse_pair(loader, ends);
  const flg_event_keys *first = weld_first_of(loader, ends);
  if (first != NULL) return as_origin(loader, name_of_event(loader, first), place);
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, place,
                  "no event welds '%s' and '%s': there is nothing to release", ends->items[0].name,
                  ends->items[1].name);
  return NULL;
}
