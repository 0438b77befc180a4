#include "compose/welds.h"

#include <string.h>

#include "compose/anchors.h"

/* --- pairs of names -----------------------------------------------------------------------------
 */

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

/* both names as one, the same in either order; NULL: no memory */
static const char *pair_of(const flg_texts *ends, flg_region *region) {
  const char *a = ends->items[0].name, *b = ends->items[1].name;
  const bool is_turned = strcmp(a, b) > 0;
  const char *first = is_turned ? b : a, *second = is_turned ? a : b;
  return flg_region_format(region, "%zu %s %s", strlen(first), first, second);
}

/* "hand/grip", or "hand/effector+box" */
static const char *name_of_event(const flg_event_keys *keys, flg_region *region) {
  const char *first = keys->weld.items[0].name, *second = keys->weld.items[1].name;
  const size_t length = subsystem_length(first);
  if (keys->name == NULL) {
    return flg_region_format(region, "%s+%s", first, second + length + 1);
  }
  return flg_region_format(region, "%.*s/%s", (int)length, first, keys->name);
}

/* --- the list ----------------------------------------------------------------------------------
 */

/* behind the others of its subsystem */
static void append_weld(flg_weld_list *list, int number, flg_region *region) {
  flg_listed_weld *welds = list->welds.items;
  const char *path = welds[number].event->weld.items[0].name;
  const char *subsystem = flg_region_text(region, path, subsystem_length(path));
  if (subsystem == NULL) return;
  const int first = flg_name_index_add(&list->subsystems, subsystem, number, region);
  if (first >= 0) welds[welds[first].last].next = number;
  welds[first >= 0 ? first : number].last = number;
}

static void list_weld(flg_weld_list *list, const flg_event_keys *event, flg_region *region) {
  const int number = list->welds.count;
  const char *pair = pair_of(&event->weld, region);
  if (pair == NULL || flg_name_index_add(&list->pairs, pair, number, region) >= 0) return;
  const char *name = name_of_event(event, region);
  flg_listed_weld *weld = flg_growing_add(&list->welds, sizeof *weld, region);
  if (weld == NULL || name == NULL) return;
  *weld = (flg_listed_weld){.event = event, .name = name, .next = FLG_NAME_UNKNOWN};
  flg_name_index_add(&list->names, name, number, region);
  append_weld(list, number, region);
}

flg_weld_list flg_compose_list_welds(const flg_scenario *scenario, flg_region *region) {
  const flg_event_keys *events = scenario->events.items;
  flg_weld_list list = {.welds = {0}};
  for (int k = 0; k < scenario->events.count && !region->failed; k++) {
    if (is_in_one(&events[k].weld)) list_weld(&list, &events[k], region);
  }
  return list;
}

/* the weld of these two; NULL: no event welds them */
static const flg_listed_weld *weld_of(const flg_loader *loader, const flg_texts *ends) {
  const flg_weld_list *list = loader->welds;
  const char *pair = list == NULL ? NULL : pair_of(ends, loader->region);
  const int number = pair == NULL ? -1 : flg_name_index_find(&list->pairs, pair);
  return number < 0 ? NULL : (const flg_listed_weld *)list->welds.items + number;
}

/* --- welds --------------------------------------------------------------------------------------
 */

static void find_or_tell(const flg_loader *loader, const flg_anchors *anchors,
                         const flg_origin *end, const char *path, flg_anchor *anchor) {
  if (flg_anchors_find(anchors, path, anchor)) return;
  char hint[FLG_HINT_TEXT];
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, end->place,
                  "weld: there is no body, marker or port '%s'%s", path,
                  flg_anchors_hint(anchors, path, loader->mistakes, hint));
}

/* without the subsystem where the component is that subsystem */
static const char *inside(const char *path, const char *subsystem) {
  return subsystem == NULL ? path : path + strlen(subsystem) + 1;
}

static bool weld_moves(const flg_component *component, const flg_anchor *end) {
  return end->robot >= 0 || (end->body != FLG_WORLD && !component->bodies[end->body].fixed);
}

static void add_weld(const flg_loader *loader, const flg_anchors *anchors,
                     const flg_event_keys *keys, flg_weld *weld, const char *subsystem) {
  for (int e = 0; e < 2; e++) {
    const flg_origin *end = &keys->weld.items[e];
    find_or_tell(loader, anchors, end, inside(end->name, subsystem), &weld->end[e]);
  }
  const flg_anchor *end = weld->end;
  if (loader->mistakes->count > 0) return;
  if (end[0].robot == end[1].robot && end[0].body == end[1].body) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->weld.items[1].place,
                    "weld: '%s' and '%s' are on the same body", keys->weld.items[0].name,
                    keys->weld.items[1].name);
  } else if (!weld_moves(anchors->component, &end[0]) && !weld_moves(anchors->component, &end[1])) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->weld.items[1].place,
                    "weld: neither '%s' nor '%s' moves", keys->weld.items[0].name,
                    keys->weld.items[1].name);
  }
}

/* those of one subsystem, or all of them */
static void add_welds(const flg_loader *loader, const flg_anchors *anchors, const char *subsystem,
                      flg_assembly_options *options) {
  const flg_listed_weld *listed = loader->welds->welds.items;
  flg_growing welds = {0}; /* of flg_weld */
  int at = subsystem == NULL ? 0 : flg_name_index_find(&loader->welds->subsystems, subsystem);
  while (at >= 0 && at < loader->welds->welds.count) {
    flg_weld *weld = flg_growing_add(&welds, sizeof *weld, loader->region);
    if (weld == NULL) return;
    weld->name = inside(listed[at].name, subsystem);
    if (flg_name_index_find(&loader->welds->names, listed[at].name) != at) {
      flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, listed[at].event->origin.place,
                      "another weld is called '%s' already", weld->name);
    }
    add_weld(loader, anchors, listed[at].event, weld, subsystem);
    at = subsystem == NULL ? at + 1 : listed[at].next;
  }
  options->welds = welds.items;
  options->weld_count = welds.count;
  options->weld_names = FLG_INDEX(options->welds, welds.count, loader->region);
}

void flg_compose_welds(const flg_loader *loader, const flg_component *component,
                       const char *subsystem, flg_assembly_options *options) {
  if (loader->welds == NULL || loader->welds->welds.count == 0) return;
  if (subsystem != NULL && flg_name_index_find(&loader->welds->subsystems, subsystem) < 0) return;
  flg_region scratch = {0};
  const flg_anchors anchors = flg_anchors_of(component, &scratch);
  if (scratch.failed) {
    flg_mistake_add(loader->mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  } else {
    add_welds(loader, &anchors, subsystem, options);
  }
  flg_region_release(&scratch);
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
  if (loader->welds != NULL && flg_name_index_find(&loader->welds->names, wanted->name) >= 0) {
    return wanted;
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
  const flg_listed_weld *weld = weld_of(loader, ends);
  if (weld != NULL) return as_origin(loader, weld->name, place);
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, place,
                  "no event welds '%s' and '%s': there is nothing to release", ends->items[0].name,
                  ends->items[1].name);
  return NULL;
}
