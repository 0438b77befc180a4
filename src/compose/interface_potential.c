#include "compose/interface_potential.h"

#include <stdio.h>
#include <string.h>

#include "cosim/touching.h"

enum { KNOWN_TEXT = 200 };

/* a name that is looked for among all shapes */
typedef struct search {
  const flg_simulation *simulation;
  const char *name;
  flg_potential *found;
  char known[KNOWN_TEXT]; /* all names, as far as there is room */
} search;

/* what follows after the slash if text goes on from start, "" if it ends there; NULL: neither */
static const char *continues(const char *text, const char *start) {
  const size_t length = strlen(start);
  if (strncmp(text, start, length) != 0) return NULL;
  if (text[length] == '\0') return text + length;
  return text[length] == '/' ? text + length + 1 : NULL;
}

static int find_point(const flg_shape *shape, const char *name) {
  const int count = shape->kind == FLG_SHAPE_POINTS ? shape->value_count / 3 : 0;
  for (int k = 0; k < count && shape->point_names != NULL; k++) {
    if (shape->point_names[k] != NULL && strcmp(shape->point_names[k], name) == 0) return k;
  }
  return -1;
}

static void remember_name(char known[KNOWN_TEXT], const char *name) {
  const size_t length = strlen(known);
  snprintf(known + length, KNOWN_TEXT - length, "%s%s", length > 0 ? ", " : "", name);
}

static void look_at_potential(search *for_it, int subsystem, int shape) {
  const flg_subsystem *of = &for_it->simulation->subsystems[subsystem];
  char text[FLG_TOUCHING_NAME];
  const char *name = flg_touching_name(for_it->simulation, subsystem, shape, text);
  flg_potential_item item = {subsystem, shape, -1};
  remember_name(for_it->known, name);
  const char *point = continues(for_it->name, name);
  if (continues(name, for_it->name) == NULL) {
    if (point == NULL) return;
    item.point = find_point(of->ops->touched(of->self, shape).shape, point);
    if (item.point < 0) return;
  }
  for_it->found->items[for_it->found->count++] = item;
}

static void look_through(search *for_it) {
  for (int k = 0; k < for_it->simulation->subsystem_count; k++) {
    const int count = flg_touched_count(&for_it->simulation->subsystems[k]);
    for (int shape = 0; shape < count; shape++) look_at_potential(for_it, k, shape);
  }
}

static flg_potential *make_room(const flg_simulation *simulation, int names, flg_region *region) {
  flg_potential *made = flg_region_take(region, 1, sizeof *made);
  size_t shapes = 0;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    shapes += (size_t)flg_touched_count(&simulation->subsystems[k]);
  }
  flg_potential_item *items = flg_region_take(region, shapes * (size_t)names, sizeof *items);
  if (made == NULL || items == NULL) return NULL;
  *made = (flg_potential){0, items};
  return made;
}

const flg_potential *flg_compose_potential(const flg_loader *loader,
                                           const flg_simulation *simulation) {
  const flg_texts *names = &loader->scenario->coupling.potential;
  const int contacts = loader->scenario->coupling.contacts;
  if (names->count == 0) return NULL;
  if (contacts == FLG_REST_SMOOTH || contacts == FLG_REST_REGULARISED) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, names->items[0].place,
                    "potential: with 'contacts: %s' no contact changes inside of a macro step; "
                    "leave one of the two out",
                    contacts == FLG_REST_SMOOTH ? "smooth" : "regularised");
    return NULL;
  }
  flg_potential *made = make_room(simulation, names->count, loader->region);
  for (int k = 0; k < names->count && made != NULL; k++) {
    const flg_origin *item = &names->items[k];
    search for_it = {simulation, item->name, made, ""};
    const int before = made->count;
    look_through(&for_it);
    if (made->count > before) continue;
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, item->place,
                    "potential: no body, shape or point '%s' can touch; %s%s", item->name,
                    for_it.known[0] == '\0' ? "nothing" : "these can: ",
                    for_it.known[0] == '\0' ? " can" : for_it.known);
  }
  return made;
}
