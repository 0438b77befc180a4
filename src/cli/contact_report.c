#include "cli/contact_report.h"

#include <stdlib.h>
#include <string.h>

/* Of the smallest body: overlap at the start that is reported; less is taken out unseen. */
static const double DEEP = 0.01;

typedef struct counts {
  int shapes, bodies; /* that can touch; bodies that move */
} counts;

static int compare_bodies(const void *a, const void *b) {
  const flg_touched *first = a, *second = b;
  const char *robots[2] = {first->robot == NULL ? "" : first->robot,
                           second->robot == NULL ? "" : second->robot};
  const int order = strcmp(robots[0], robots[1]);
  return order != 0 ? order : strcmp(first->body, second->body);
}

/* that have shapes, and are not the ground; 0 without memory */
static int count_bodies(const flg_subsystem *subsystem, int shapes) {
  flg_touched *list = malloc(((size_t)shapes + 1) * sizeof *list);
  int listed = 0, bodies = 0;
  if (list == NULL) return 0;
  for (int k = 0; k < shapes; k++) {
    list[listed] = subsystem->ops->touched(subsystem->self, k);
    listed += list[listed].shape->body != FLG_WORLD;
  }
  qsort(list, (size_t)listed, sizeof *list, compare_bodies);
  for (int k = 0; k < listed; k++) {
    bodies += k == 0 || compare_bodies(&list[k - 1], &list[k]) != 0;
  }
  free(list);
  return bodies;
}

static counts count_contacts(const flg_simulation *simulation) {
  counts all = {0};
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    const int shapes = flg_touched_count(subsystem);
    all.shapes += shapes;
    all.bodies += count_bodies(subsystem, shapes);
  }
  return all;
}

/* the deepest point of each pair of shapes that overlap; they follow each other in the list */
static int find_overlaps(const flg_simulation *simulation, flg_touching *list) {
  const int count = flg_touching_list(simulation, list);
  int kept = 0;
  for (int k = 0; k < count; k++) {
    flg_touching *last = kept > 0 ? &list[kept - 1] : NULL;
    if (list[k].contact->gap > -DEEP * list[k].size) continue;
    const bool same = last != NULL && last->subsystem == list[k].subsystem &&
                      memcmp(last->shapes, list[k].shapes, sizeof last->shapes) == 0;
    if (!same) {
      list[kept++] = list[k];
    } else if (list[k].contact->gap < last->contact->gap) {
      *last = list[k];
    }
  }
  return kept;
}

static flg_touching *take_list(const flg_simulation *simulation, int *count) {
  const size_t most = (size_t)flg_touching_most(simulation);
  flg_touching *list = calloc(most + 1, sizeof *list);
  *count = list == NULL ? 0 : find_overlaps(simulation, list);
  return list;
}

static const char *name_of_overlap(const flg_simulation *simulation, const flg_touching *overlap,
                                   int end, char text[FLG_TOUCHING_NAME]) {
  return flg_touching_name(simulation, overlap->subsystem, overlap->shapes[end], text);
}

void flg_contact_report_print(const flg_simulation *simulation, FILE *out) {
  const counts all = count_contacts(simulation);
  char a[FLG_TOUCHING_NAME], b[FLG_TOUCHING_NAME];
  int count;
  if (all.shapes == 0) return;
  flg_touching *list = take_list(simulation, &count);
  fprintf(out, "%d shapes can touch, on %d moving %s\n", all.shapes, all.bodies,
          all.bodies == 1 ? "body" : "bodies");
  for (int k = 0; k < count; k++) {
    fprintf(out, "overlap at the start: %s and %s, %.3g m deep\n",
            name_of_overlap(simulation, &list[k], 0, a),
            name_of_overlap(simulation, &list[k], 1, b), -list[k].contact->gap);
  }
  free(list);
}

void flg_contact_report_json(const flg_simulation *simulation, flg_json *json) {
  const counts all = count_contacts(simulation);
  char a[FLG_TOUCHING_NAME], b[FLG_TOUCHING_NAME];
  int count;
  if (all.shapes == 0) return;
  flg_touching *list = take_list(simulation, &count);
  flg_json_put(json, "contacts{ shapes:d bodies:d overlaps[", all.shapes, all.bodies);
  for (int k = 0; k < count; k++) {
    flg_json_put(json, "{ a:s b:s depth:g }", name_of_overlap(simulation, &list[k], 0, a),
                 name_of_overlap(simulation, &list[k], 1, b), -list[k].contact->gap);
  }
  flg_json_put(json, "] }");
  free(list);
}
