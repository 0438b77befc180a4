#include "forces/force.h"

#include "base/entries.h"

#define KIND(word, key, help) &flg_##word##_kind,
const flg_force_kind *const flg_listed_kinds[FLG_LISTED_MAX] = {FLG_LISTED_FORCE_LIST(KIND) NULL};

/* The definitions of one kind in a component. */
typedef struct list {
  const flg_force_kind *kind; /* NULL: each says its own */
  const void *items;
  size_t bytes; /* of each */
  int count;
} list;

enum { LISTS = 7 };

/* Forces are numbered in this order, which is also that of their sums in a step, and with it of
 * bits. */
static void find_lists(const flg_component *c, list lists[LISTS]) {
  lists[0] = (list){&flg_spring_kind, c->springs, sizeof *c->springs, c->spring_count};
  lists[1] = (list){&flg_load_kind, c->loads, sizeof *c->loads, c->load_count};
  lists[2] = (list){&flg_motor_kind, c->motors, sizeof *c->motors, c->motor_count};
  lists[3] = (list){&flg_effort_kind, c->efforts, sizeof *c->efforts, c->effort_count};
  lists[4] = (list){&flg_friction_kind, c->frictions, sizeof *c->frictions, c->friction_count};
  lists[5] = (list){&flg_stop_kind, c->stops, sizeof *c->stops, c->stop_count};
  lists[6] = (list){NULL, c->elements, sizeof *c->elements, c->element_count};
}

static const void *item_of(const list *of, int index) {
  return (const char *)of->items + (size_t)index * of->bytes;
}

static const flg_force_kind *kind_of_force(const list *of, int index) {
  if (of->kind != NULL) return of->kind;
  return ((const flg_component_element *)item_of(of, index))->kind;
}

int flg_forces_count(const flg_component *component) {
  return flg_forces_first(component, NULL) + component->element_count;
}

flg_force flg_forces_at(const flg_component *component, int index) {
  list lists[LISTS], *of = lists;
  find_lists(component, lists);
  /* Forces have one numbering over all lists, so that states and rows need no list of their own. */
  while (index >= of->count) index -= of++->count;
  return (flg_force){.kind = kind_of_force(of, index), .of = item_of(of, index)};
}

/* The last list has no kind, so NULL stops there: the sum of all lists but that of elements. */
int flg_forces_first(const flg_component *component, const flg_force_kind *kind) {
  list lists[LISTS];
  int sum = 0;
  find_lists(component, lists);
  for (int k = 0; k < LISTS && lists[k].kind != kind; k++) sum += lists[k].count;
  return sum;
}

static const char *missing_force_entry(const flg_force_kind *kind) {
  const bool pushes = kind->ends == 1, is_between = kind->ends == 2;
  /* Motions have a target, frictions and stops a law of limits/: only the others need one here. */
  const bool has_effort = is_between || kind->is_soft != NULL || kind->energy != NULL;
  const flg_entry entries[] = {
      {"name", kind->name != NULL},
      {"check", kind->check != NULL},
      {"identity", kind->identity != NULL},
      {"rows", pushes || (kind->rows > 0 && kind->rows <= FLG_FORCE_ROWS_MAX)},
      {"own_count", kind->target == NULL || kind->own_count >= 2},
      {"push", !pushes || kind->push != NULL},
      {"measure", !is_between || kind->measure != NULL},
      {"law", !has_effort || kind->target != NULL || kind->law != NULL}};
  return FLG_ENTRIES_MISSING(entries);
}

static void check_one(const flg_component *component, const list *of, int index,
                      flg_mistakes *mistakes) {
  const flg_force_head *head = item_of(of, index);
  const flg_force_kind *kind = kind_of_force(of, index);
  const flg_checked own = {component, kind->name, {head->name, head->place}, mistakes};
  /* Kinds may be added by files: a missing entry is reported here, once, rather than tested in
   * steps.
   */
  const char *missing = missing_force_entry(kind);
  if (missing != NULL) {
    flg_mistake_add(mistakes, FLG_ERR_RANGE, head->place,
                    "force elements of the kind '%s' cannot be used: '%s' is missing",
                    kind->name == NULL ? "" : kind->name, missing);
    return;
  }
  kind->check(&own, head);
}

void flg_forces_check(const flg_component *component, flg_mistakes *mistakes) {
  list lists[LISTS];
  find_lists(component, lists);
  for (int k = 0; k < LISTS; k++) {
    const list *of = &lists[k];
    const char *what = of->kind == NULL ? "element" : of->kind->name;
    flg_part_check_names(what, of->items, of->bytes, of->count, mistakes);
    for (int i = 0; i < of->count; i++) check_one(component, of, i, mistakes);
  }
}
