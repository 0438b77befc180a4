/* Energy and momentum of what lies inside of an inner component. Groups get numbers by which those
 * inside of one follow it, so that what lies inside is one stretch of a sorted list. */
#include "assembly/assembly_build.h"

/* Parts of each set, then members of clusters and trees, then forces. */
struct flg_assembly_groups {
  int *number, *size; /* (groups) ... and how many groups each is with those inside of it */
  int **items;        /* (lists) sorted by the numbers of their groups */
  int **start;        /* (lists) (groups + 1) where those of each number begin */
};

/* What is counted in a group: item items[k], or k where there is no list. */
typedef struct stretch {
  const int *items;
  int count;
} stretch;

enum { NOT_COUNTED = FLG_TOP - 1, OTHER_LISTS = 2 };

/* --- the lists --- */

static int member_list(const flg_assembly *assembly) {
  return assembly->model.set_count;
}

static int list_count(const flg_assembly *assembly) {
  return assembly->model.set_count + OTHER_LISTS;
}

static int item_count(const flg_assembly *assembly, int list) {
  if (list < assembly->model.set_count) return assembly->model.sets[list]->count;
  return list == member_list(assembly) ? assembly->model.member_count : assembly->model.force_count;
}

/* of a cluster each member counts by itself */
static int group_of_part(const flg_assembly *assembly, const flg_parts *parts, int part) {
  const bool *is_cluster = assembly->model.is_cluster;
  if (is_cluster != NULL && is_cluster[parts->first + part]) return NOT_COUNTED;
  return parts->ops->label(parts, part).group;
}

static int group_of(const flg_assembly *assembly, int list, int item) {
  const struct flg_assembly_model *model = &assembly->model;
  if (list < model->set_count) return group_of_part(assembly, model->sets[list], item);
  if (list == member_list(assembly)) {
    return model->component->bodies[model->members[item].body].group;
  }
  return flg_force_head_of(&model->forces[item].force)->group;
}

/* --- set-up --- */

/* A group has a smaller index than those inside of it. */
static void number_groups(const flg_component *component, struct flg_assembly_groups *groups,
                          int *next) {
  int top = 0;
  for (int k = component->group_count - 1; k >= 0; k--) {
    const int parent = component->groups[k].parent;
    groups->size[k]++;
    if (parent != FLG_TOP) groups->size[parent] += groups->size[k];
  }
  for (int k = 0; k < component->group_count; k++) {
    const int parent = component->groups[k].parent;
    int *from = parent == FLG_TOP ? &top : &next[parent];
    groups->number[k] = *from;
    *from += groups->size[k];
    next[k] = groups->number[k] + 1;
  }
}

/* in the order of their indices in each group; `start` is one ahead while it counts */
static void sort_items(const flg_assembly *assembly, const struct flg_assembly_groups *groups,
                       int list) {
  int *start = groups->start[list];
  const int count = item_count(assembly, list);
  for (int k = 0; k < count; k++) {
    const int group = group_of(assembly, list, k);
    if (group >= 0) start[groups->number[group] + 2]++;
  }
  for (int k = 0; k < assembly->model.component->group_count; k++) start[k + 1] += start[k];
  for (int k = 0; k < count; k++) {
    const int group = group_of(assembly, list, k);
    if (group >= 0) groups->items[list][start[groups->number[group] + 1]++] = k;
  }
}

void flg_assembly_sort_groups(flg_assembly *assembly) {
  flg_region *region = &assembly->model.region;
  const size_t count = (size_t)assembly->model.component->group_count;
  const size_t lists = (size_t)list_count(assembly);
  if (count == 0) return;
  struct flg_assembly_groups *groups = flg_region_take(region, 1, sizeof *groups);
  int *next = flg_region_take(region, count, sizeof *next);
  if (groups == NULL) return;
  groups->number = flg_region_take(region, count, sizeof(int));
  groups->size = flg_region_take(region, count, sizeof(int));
  groups->items = flg_region_take(region, lists, sizeof(int *));
  groups->start = flg_region_take(region, lists, sizeof(int *));
  for (size_t k = 0; k < lists && !region->failed; k++) {
    groups->items[k] = flg_region_take(region, (size_t)item_count(assembly, (int)k), sizeof(int));
    groups->start[k] = flg_region_take(region, count + 2, sizeof(int));
  }
  if (region->failed) return;
  number_groups(assembly->model.component, groups, next);
  for (size_t k = 0; k < lists; k++) sort_items(assembly, groups, (int)k);
  assembly->model.groups = groups;
}

/* --- looking --- */

static stretch find_stretch(const flg_assembly *assembly, int list, int group) {
  const struct flg_assembly_groups *groups = assembly->model.groups;
  if (group == FLG_TOP) return (stretch){NULL, item_count(assembly, list)};
  const int *start = groups->start[list] + groups->number[group];
  return (stretch){groups->items[list] + *start, start[groups->size[group]] - *start};
}

static double energy_of(const flg_assembly *assembly, int list, int item) {
  const struct flg_assembly_model *model = &assembly->model;
  if (list < model->set_count) return model->sets[list]->ops->energy(model->sets[list], item);
  if (list == member_list(assembly)) return flg_assembly_member_energy(assembly, item);
  return flg_assembly_force_energy(assembly, item);
}

static flg_spatial momentum_of(const flg_assembly *assembly, int list, int item) {
  const struct flg_assembly_model *model = &assembly->model;
  if (list < model->set_count) return model->sets[list]->ops->momentum(model->sets[list], item);
  return flg_assembly_member_momentum(assembly, item);
}

double flg_assembly_group_energy(const flg_assembly *assembly, int group) {
  double sum = 0;
  for (int list = 0; list < list_count(assembly); list++) {
    const stretch inside = find_stretch(assembly, list, group);
    for (int k = 0; k < inside.count; k++) {
      const int item = inside.items == NULL ? k : inside.items[k];
      if (group_of(assembly, list, item) != NOT_COUNTED) sum += energy_of(assembly, list, item);
    }
  }
  return sum;
}

flg_spatial flg_assembly_group_momentum(const flg_assembly *assembly, int group) {
  flg_spatial sum = {{0, 0, 0}, {0, 0, 0}};
  for (int list = 0; list <= member_list(assembly); list++) {
    const stretch inside = find_stretch(assembly, list, group);
    for (int k = 0; k < inside.count; k++) {
      const int item = inside.items == NULL ? k : inside.items[k];
      if (group_of(assembly, list, item) == NOT_COUNTED) continue;
      sum = flg_spatial_add(sum, momentum_of(assembly, list, item));
    }
  }
  return sum;
}
