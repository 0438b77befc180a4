#include "cli/contact_results.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const xyz[] = {"x", "y", "z"};
static const flg_signal signals[] = {
    {"a", NULL, 1, NULL},      {"b", NULL, 1, NULL},     {"point", NULL, 1, NULL},
    {"position", "m", 3, xyz}, {"normal", NULL, 3, xyz}, {"gap", "m", 1, NULL},
    {"press", "N", 1, NULL},   {"force", "N", 3, xyz},   {"state", NULL, 1, NULL},
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* "0 sled/sled/hull", and so on; numbers go through all subsystems */
static char *write_legend(const flg_contact_results *results, const flg_simulation *simulation) {
  size_t size = 1, used = 0;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    size += (size_t)flg_touched_count(&simulation->subsystems[k]) * (FLG_TOUCHING_NAME + 16);
  }
  char *legend = calloc(size, 1);
  for (int k = 0; k < simulation->subsystem_count && legend != NULL; k++) {
    for (int i = 0; i < flg_touched_count(&simulation->subsystems[k]); i++) {
      char name[FLG_TOUCHING_NAME];
      used += (size_t)snprintf(legend + used, size - used, "%d %s\n", results->first[k] + i,
                               flg_touching_name(simulation, k, i, name));
    }
  }
  return legend;
}

static bool number_shapes(flg_contact_results *results, const flg_simulation *simulation) {
  int count = 0;
  results->first = calloc((size_t)simulation->subsystem_count + 1, sizeof *results->first);
  for (int k = 0; k < simulation->subsystem_count && results->first != NULL; k++) {
    results->first[k] = count;
    count += flg_touched_count(&simulation->subsystems[k]);
  }
  return results->first != NULL;
}

flg_status flg_contact_results_open(flg_contact_results *results, const flg_simulation *simulation,
                                    const char *path, bool writes_over, flg_error *error) {
  *results = (flg_contact_results){0};
  char *legend = number_shapes(results, simulation) ? write_legend(results, simulation) : NULL;
  if (legend == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for contacts.");
  const flg_results_header header = {.name = flg_simulation_name(simulation),
                                     .legend = legend,
                                     .signals = signals,
                                     .signal_count = SIGNALS,
                                     .writes_over = writes_over};
  const flg_status status = flg_results_open(&results->file, path, &header, error);
  free(legend);
  return status;
}

flg_status flg_contact_results_write(flg_contact_results *results, double time,
                                     const flg_touching *point, flg_error *error) {
  const flg_contact *contact = point->contact;
  const flg_vec3 at = flg_vec3_scale(flg_vec3_add(contact->point_a, contact->point_b), 0.5);
  const flg_vec3 n = contact->normal, f = point->force;
  const int first = results->first[point->subsystem];
  const double values[] = {first + point->shapes[0],
                           first + point->shapes[1],
                           point->number,
                           at.x,
                           at.y,
                           at.z,
                           n.x,
                           n.y,
                           n.z,
                           contact->gap,
                           point->press,
                           f.x,
                           f.y,
                           f.z,
                           point->state};
  return flg_results_write(results->file, time, values, error);
}

flg_status flg_contact_results_close(flg_contact_results *results, const char *status,
                                     flg_error *error) {
  free(results->first);
  results->first = NULL;
  flg_results *file = results->file;
  results->file = NULL;
  return flg_results_close(file, status, error);
}
