#include "cli/contact_report.h"

#include <stdlib.h>
#include <string.h>

/* Of the smallest body: overlap at the start that is reported; less is taken out unseen. */
static const double DEEP = 0.01;

typedef struct counts {
  int shapes, bodies; /* that can touch; bodies that move */
} counts;

static bool is_same_body(const flg_touched *a, const flg_touched *b) {
  const bool same_robot = a->robot == b->robot;
  return same_robot && strcmp(a->body, b->body) == 0;
}

/* whether its body has no shape before it */
static bool is_first_of_body(const flg_subsystem *subsystem, int shape) {
  const flg_touched on = subsystem->ops->touched(subsystem->self, shape);
  if (on.shape->body == FLG_WORLD) return false;
  for (int k = shape - 1; k >= 0; k--) {
    const flg_touched other = subsystem->ops->touched(subsystem->self, k);
    if (is_same_body(&on, &other)) return false;
  }
  return true;
}

static counts count_contacts(const flg_simulation *simulation) {
  counts all = {0};
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    const int shapes = flg_touched_count(subsystem);
    all.shapes += shapes;
    for (int j = 0; j < shapes; j++) all.bodies += is_first_of_body(subsystem, j);
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
