#include "cosim/touching.h"

#include <stdio.h>

#include "contract/contact_objects.h"

static const flg_contacts *contacts_of(const flg_subsystem *subsystem) {
  return subsystem->ops->contacts == NULL ? NULL : subsystem->ops->contacts(subsystem->self);
}

int flg_touching_most(const flg_simulation *simulation) {
  int most = 0;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_contacts *contacts = contacts_of(&simulation->subsystems[k]);
    if (contacts != NULL) most += flg_contacts_capacity(contacts);
  }
  return most;
}

/* which point of a set it is; the sets of a pair are one at most */
static void name_point(const flg_subsystem *subsystem, flg_touching *touching) {
  touching->number = -1;
  for (int e = 0; e < 2; e++) {
    const flg_shape *shape = subsystem->ops->touched(subsystem->self, touching->shapes[e]).shape;
    const int number = flg_contact_point_number(shape, touching->key, e);
    if (number < 0) continue;
    touching->number = number;
    if (shape->point_names != NULL) touching->point = shape->point_names[number];
  }
}

static flg_touching touching_at(const flg_simulation *simulation, int index,
                                const flg_contacts *contacts, int k) {
  const flg_contact_view view = flg_contacts_view(contacts, k);
  const flg_contact *contact = view.contact;
  flg_touching touching = {.subsystem = index,
                           .shapes = {contact->shape_a, contact->shape_b},
                           .key = contact->key,
                           .contact = contact,
                           .state = view.state,
                           .press = view.force[0],
                           .force = flg_contact_force(&view),
                           .size = flg_contacts_law(contacts)->length};
  name_point(&simulation->subsystems[index], &touching);
  return touching;
}

int flg_touching_list(const flg_simulation *simulation, flg_touching *list) {
  int total = 0;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_contacts *contacts = contacts_of(&simulation->subsystems[k]);
    int count = 0;
    if (contacts != NULL) (void)flg_contacts_list(contacts, &count);
    for (int j = 0; j < count; j++) list[total++] = touching_at(simulation, k, contacts, j);
  }
  return total;
}

/* the name that paths of a subsystem begin with; NULL: they have it already */
static const char *prefix_of(const flg_simulation *simulation, int subsystem) {
  for (int k = 0; k < simulation->part_count; k++) {
    const flg_part *part = &simulation->parts[k];
    if (part->subsystem == subsystem && part->prefix[0] == '\0') return part->name;
  }
  return NULL;
}

const char *flg_touching_name(const flg_simulation *simulation, int subsystem, int shape,
                              char text[FLG_TOUCHING_NAME]) {
  const flg_subsystem *of = &simulation->subsystems[subsystem];
  const flg_touched on = of->ops->touched(of->self, shape);
  const char *prefix = prefix_of(simulation, subsystem);
  snprintf(text, FLG_TOUCHING_NAME, "%s%s%s%s%s%s%s", prefix == NULL ? "" : prefix,
           prefix == NULL ? "" : "/", on.robot == NULL ? "" : on.robot, on.robot == NULL ? "" : "/",
           on.body, on.shape->name == NULL ? "" : "/",
           on.shape->name == NULL ? "" : on.shape->name);
  return text;
}

const char *flg_touching_state_name(int state) {
  return state == FLG_CONTACT_OPEN ? "open" : state == FLG_CONTACT_SLIDING ? "sliding" : "sticking";
}

/* --- changes --------------------------------------------------------------------------------- */

void flg_touching_look(flg_touching_watch *watch, const flg_simulation *simulation) {
  flg_touching *spare = watch->before;
  watch->before = watch->now, watch->before_count = watch->now_count;
  watch->now = spare;
  watch->now_count = flg_touching_list(simulation, watch->now);
  watch->next_before = watch->next_now = 0;
  watch->time = flg_simulation_time(simulation);
}

/* lists are in the order of subsystems, shapes and keys; < 0: a comes first */
static int compare_touchings(const flg_touching *a, const flg_touching *b) {
  if (a->subsystem != b->subsystem) return a->subsystem < b->subsystem ? -1 : 1;
  for (int e = 0; e < 2; e++) {
    if (a->shapes[e] != b->shapes[e]) return a->shapes[e] < b->shapes[e] ? -1 : 1;
  }
  return a->key < b->key ? -1 : a->key > b->key;
}

static const char *name_of_change(int before, int now) {
  if (before == now) return NULL;
  if (now == FLG_CONTACT_OPEN) return "opened";
  if (before == FLG_CONTACT_OPEN) return "closed";
  return now == FLG_CONTACT_SLIDING ? "slides" : "sticks";
}

bool flg_touching_next(flg_touching_watch *watch, flg_touching_event *event) {
  while (watch->next_before < watch->before_count || watch->next_now < watch->now_count) {
    const flg_touching *old = &watch->before[watch->next_before];
    const flg_touching *new = &watch->now[watch->next_now];
    const bool old_left = watch->next_before < watch->before_count;
    const bool new_left = watch->next_now < watch->now_count;
    const int order = !old_left ? 1 : !new_left ? -1 : compare_touchings(old, new);
    const int before = order <= 0 ? old->state : FLG_CONTACT_OPEN;
    const int now = order >= 0 ? new->state : FLG_CONTACT_OPEN;
    watch->next_before += order <= 0;
    watch->next_now += order >= 0;
    *event =
        (flg_touching_event){watch->time, order >= 0 ? *new : *old, name_of_change(before, now)};
    if (order < 0) event->now.contact = NULL;
    if (event->what != NULL) return true;
  }
  return false;
}
