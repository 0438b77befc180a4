#include "cli/contact_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "complementarity/complementarity.h"

enum { TEXT_BYTES = 64 << 10 };

static flg_status refuse_log(const flg_contact_log *log, flg_error *error) {
  return flg_fail(error, FLG_ERR_OUTPUT, "The table of contacts '%s' cannot be written: %s.",
                  log->path, strerror(errno));
}

/* The lines so far to the file, if they are as many bytes or more: whole lines. */
static flg_status contact_log_hand_over(flg_contact_log *log, size_t least, flg_error *error) {
  if (fflush(log->table) != 0) return refuse_log(log, error);
  if (log->text_bytes < least || log->text_bytes == 0) return FLG_OK;
  const flg_status status = flg_results_file_put(&log->on_disk, log->text, log->text_bytes, error);
  rewind(log->table);
  return status;
}

/* what is not HDF5 is a table, whatever it is called */
static bool is_table(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot == NULL || (strcasecmp(dot, ".h5") != 0 && strcasecmp(dot, ".hdf5") != 0);
}

static flg_status open_table(flg_contact_log *log, bool writes_over, flg_error *error) {
  static const char names[] =
      "time [s],a,b,point,x [m],y [m],z [m],nx,ny,nz,gap [m],press [N],fx [N],fy [N],fz [N],"
      "state\n";
  log->table = open_memstream(&log->text, &log->text_bytes);
  if (log->table == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a table of contacts.");
  }
  flg_status status =
      flg_results_file_open(&log->on_disk, log->path, "time [s],a,b,point", writes_over, error);
  if (status == FLG_OK) {
    fprintf(log->table, "%s", names);
    status = contact_log_hand_over(log, 0, error);
    if (status == FLG_OK) status = flg_results_file_publish(&log->on_disk, error);
    if (status != FLG_OK) (void)flg_results_file_close(&log->on_disk, false, NULL);
  }
  if (status == FLG_OK) return FLG_OK;
  fclose(log->table);
  free(log->text);
  log->table = NULL, log->text = NULL;
  return status;
}

/* --- as results --------------------------------------------------------------------------------
 */

static const char *const xyz[] = {"x", "y", "z"};
static const flg_signal signals[] = {
    {"a", NULL, 1, NULL},      {"b", NULL, 1, NULL},     {"point", NULL, 1, NULL},
    {"position", "m", 3, xyz}, {"normal", NULL, 3, xyz}, {"gap", "m", 1, NULL},
    {"press", "N", 1, NULL},   {"force", "N", 3, xyz},   {"state", NULL, 1, NULL},
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

/* "0 sled/sled/hull", and so on; numbers go through all subsystems */
static char *write_legend(const flg_contact_log *log) {
  size_t size = 1, used = 0;
  for (int k = 0; k < log->simulation->subsystem_count; k++) {
    size += (size_t)flg_touched_count(&log->simulation->subsystems[k]) * (FLG_TOUCHING_NAME + 16);
  }
  char *legend = calloc(size, 1);
  for (int k = 0; k < log->simulation->subsystem_count && legend != NULL; k++) {
    for (int i = 0; i < flg_touched_count(&log->simulation->subsystems[k]); i++) {
      char name[FLG_TOUCHING_NAME];
      used += (size_t)snprintf(legend + used, size - used, "%d %s\n", log->first_shapes[k] + i,
                               flg_touching_name(log->simulation, k, i, name));
    }
  }
  return legend;
}

static bool number_shapes(flg_contact_log *log) {
  int count = 0;
  log->first_shapes =
      calloc((size_t)log->simulation->subsystem_count + 1, sizeof *log->first_shapes);
  for (int k = 0; k < log->simulation->subsystem_count && log->first_shapes != NULL; k++) {
    log->first_shapes[k] = count;
    count += flg_touched_count(&log->simulation->subsystems[k]);
  }
  return log->first_shapes != NULL;
}

static flg_status open_contact_results(flg_contact_log *log, bool writes_over, flg_error *error) {
  char *legend = number_shapes(log) ? write_legend(log) : NULL;
  if (legend == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for contacts.");
  const flg_results_header header = {.name = flg_simulation_name(log->simulation),
                                     .legend = legend,
                                     .signals = signals,
                                     .signal_count = SIGNALS,
                                     .writes_over = writes_over};
  const flg_status status = flg_results_open(&log->results, log->path, &header, error);
  free(legend);
  return status;
}

flg_status flg_contact_log_open(flg_contact_log *log, const flg_simulation *simulation,
                                const char *path, bool writes_over, const flg_log *to,
                                flg_error *error) {
  const size_t most = (size_t)flg_touching_most(simulation);
  *log = (flg_contact_log){.simulation = simulation, .log = to, .path = path};
  log->watch.before = calloc(most + 1, sizeof *log->watch.before);
  log->watch.now = calloc(most + 1, sizeof *log->watch.now);
  if (log->watch.before == NULL || log->watch.now == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for %zu contacts.", most);
  }
  if (path == NULL) return FLG_OK;
  return is_table(path) ? open_table(log, writes_over, error)
                        : open_contact_results(log, writes_over, error);
}

/* --- the table ------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text) {
  if (strpbrk(text, ",\"\n") == NULL) {
    fprintf(out, ",%s", text);
    return;
  }
  fprintf(out, ",\"");
  for (; *text != '\0'; text++) fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
  fprintf(out, "\"");
}

static void put_numbers(FILE *out, const double *values, int count) {
  char text[FLG_NUMBER_TEXT];
  for (int k = 0; k < count; k++) fprintf(out, ",%s", flg_number_write(values[k] + 0, text));
}

/* what both kinds of tables have of a point: position, normal, gap, press, force */
enum { NUMBERS = 11 };

static void find_numbers(const flg_touching *row, double to[NUMBERS]) {
  const flg_contact *contact = row->contact;
  flg_vec3_store(flg_vec3_scale(flg_vec3_add(contact->point_a, contact->point_b), 0.5), to);
  flg_vec3_store(contact->normal, to + 3);
  to[6] = contact->gap, to[7] = row->press;
  flg_vec3_store(row->force, to + 8);
}

static void put_row(const flg_contact_log *log, double time, const flg_touching *row) {
  char text[FLG_TOUCHING_NAME], number[FLG_NUMBER_TEXT] = "";
  double values[NUMBERS];
  find_numbers(row, values);
  fprintf(log->table, "%s", flg_number_write(time, number));
  for (int e = 0; e < 2; e++) {
    put_text(log->table, flg_touching_name(log->simulation, row->subsystem, row->shapes[e], text));
  }
  snprintf(number, sizeof number, "%d", row->number);
  put_text(log->table, row->point != NULL ? row->point : row->number < 0 ? "" : number);
  put_numbers(log->table, values, NUMBERS);
  fprintf(log->table, ",%s\n", flg_touching_state_name(row->state));
}

/* --- changes --------------------------------------------------------------------------------- */

static void note_event(flg_contact_log *log, const flg_touching_event *event) {
  char a[FLG_TOUCHING_NAME], b[FLG_TOUCHING_NAME];
  const flg_touching *now = &event->now;
  if (log->event_count < FLG_CONTACT_EVENTS) {
    log->events[log->event_count] =
        (struct flg_contact_note){.time = event->time,
                                  .subsystem = now->subsystem,
                                  .shapes = {now->shapes[0], now->shapes[1]},
                                  .what = event->what,
                                  .point = now->point};
  }
  log->event_count++;
  flg_log_write(log->log, FLG_LOG_INFO, "t = %.6g s: contact of %s and %s%s%s %s", event->time,
                flg_touching_name(log->simulation, now->subsystem, now->shapes[0], a),
                flg_touching_name(log->simulation, now->subsystem, now->shapes[1], b),
                now->point == NULL ? "" : " at ", now->point == NULL ? "" : now->point,
                event->what);
}

static flg_status write_points(flg_contact_log *log, flg_error *error) {
  flg_status status = FLG_OK;
  for (int k = 0; k < log->watch.now_count && status == FLG_OK; k++) {
    const flg_touching *point = &log->watch.now[k];
    const int first = log->first_shapes[point->subsystem];
    double values[NUMBERS + 4] = {first + point->shapes[0], first + point->shapes[1],
                                  point->number};
    find_numbers(point, values + 3);
    values[NUMBERS + 3] = point->state;
    status = flg_results_write(log->results, log->watch.time, values, error);
  }
  return status;
}

flg_status flg_contact_log_take(flg_contact_log *log, flg_error *error) {
  flg_touching_event event;
  flg_touching_look(&log->watch, log->simulation);
  while (flg_touching_next(&log->watch, &event)) note_event(log, &event);
  if (log->results != NULL) return write_points(log, error);
  if (log->table == NULL) return FLG_OK;
  for (int k = 0; k < log->watch.now_count; k++) {
    put_row(log, log->watch.time, &log->watch.now[k]);
  }
  return ferror(log->table) ? refuse_log(log, error)
                            : contact_log_hand_over(log, TEXT_BYTES, error);
}

/* with the status as its last line, as in results */
static flg_status close_table(flg_contact_log *log, const char *status, flg_error *error) {
  flg_status outcome = FLG_OK;
  if (status != NULL) {
    fprintf(log->table, "# status: %s\n", status);
    outcome = ferror(log->table) ? refuse_log(log, error) : contact_log_hand_over(log, 0, error);
  }
  fclose(log->table);
  free(log->text);
  log->table = NULL, log->text = NULL;
  const bool ends = status != NULL && outcome == FLG_OK;
  const flg_status ended =
      flg_results_file_close(&log->on_disk, ends, outcome == FLG_OK ? error : NULL);
  return outcome == FLG_OK ? ended : outcome;
}

flg_status flg_contact_log_close(flg_contact_log *log, const char *status, flg_error *error) {
  free(log->watch.before);
  free(log->watch.now);
  log->watch = (flg_touching_watch){0};
  if (log->table != NULL) return close_table(log, status, error);
  free(log->first_shapes);
  flg_results *file = log->results;
  log->first_shapes = NULL, log->results = NULL;
  return flg_results_close(file, status, error);
}

/* --- the end --------------------------------------------------------------------------------- */

static void print_event(const flg_contact_log *log, const struct flg_contact_note *event,
                        flg_json *json) {
  char a[FLG_TOUCHING_NAME], b[FLG_TOUCHING_NAME];
  flg_json_put(json, "{ time:g what:s a:s b:s", event->time, event->what,
               flg_touching_name(log->simulation, event->subsystem, event->shapes[0], a),
               flg_touching_name(log->simulation, event->subsystem, event->shapes[1], b));
  if (event->point != NULL) flg_json_put(json, "point:s", event->point);
  flg_json_put(json, "}");
}

void flg_contact_log_json(const flg_contact_log *log, flg_json *json) {
  flg_contact_outcome outcome;
  if (!flg_simulation_contacts(log->simulation, &outcome)) return;
  flg_json_put(json,
               "contacts{ switches:g inside_macro_step:g hits:g penetration_max:g iterations:g "
               "residual_max:g unsolved:g method:s event_count:g events[",
               (double)outcome.switches, (double)outcome.inside_macro_step, (double)outcome.hits,
               outcome.penetration, (double)outcome.iterations, outcome.residual,
               (double)outcome.unsolved,
               flg_complementarity_method_name((flg_complementarity_method)outcome.method),
               (double)log->event_count);
  for (int k = 0; k < log->event_count && k < FLG_CONTACT_EVENTS; k++) {
    print_event(log, &log->events[k], json);
  }
  flg_json_put(json, "] }");
}

void flg_contact_log_text(const flg_contact_log *log, bool complete) {
  flg_contact_outcome outcome;
  if (!flg_simulation_contacts(log->simulation, &outcome)) return;
  printf("contacts: %ld changes, at most %.2g m deep; %s\n", (long)outcome.switches,
         outcome.penetration,
         outcome.unsolved > 0 ? "some not solved to the tolerance"
         : complete           ? "all solved"
                              : "all solved until then");
  if (outcome.unsolved > 0) {
    printf("  %ld not solved, residual at most %.2g\n", (long)outcome.unsolved, outcome.residual);
  }
}
