#include "cli/compare_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/console.h"

enum { CELL = FLG_STEP_TEXT };

/* a signal, and where it stands in a row */
typedef struct column {
  const flg_signal *signal;
  int first;
} column;

/* Goes on to the next signal that can be compared. Starts at index 0 of {0}. */
static bool next_column(const flg_comparison *comparison, int *index, int *first, column *to) {
  const flg_simulation *reference = comparison->reference.simulation;
  const flg_signal *signals = flg_simulation_signals(reference);
  while (*index < flg_simulation_signal_count(reference)) {
    const int k = (*index)++;
    *to = (column){&signals[k], *first};
    *first += signals[k].width;
    if (flg_compare_is_told(&signals[k])) return true;
  }
  return false;
}

/* 1/60 for what is one over a whole number */
const char *flg_compare_step_text(double step, char text[FLG_STEP_TEXT]) {
  const double over = nearbyint(1 / step);
  const bool is_fraction = over > 1 && over < 1e6 && fabs(over * step - 1) < 1e-12;
  snprintf(text, CELL, is_fraction ? "1/%.0f" : "%.6g", is_fraction ? over : step);
  return text;
}

/* --- for people ---------------------------------------------------------------------------------
 */

static int coupling_width(const flg_comparison *comparison) {
  int width = (int)strlen("coupling");
  for (int k = 0; k < comparison->count; k++) {
    const int length = (int)strlen(comparison->runs[k].coupling);
    if (length > width) width = length;
  }
  return width;
}

static const char *time_text(double time, char text[CELL]) {
  if (isnan(time)) return "-";
  snprintf(text, CELL, "%.4g", time);
  return text;
}

/* of a run that diverged the error is larger than it was until then */
static const char *error_text(double error, bool diverged, char text[CELL]) {
  if (isnan(error)) return "-";
  snprintf(text, CELL, "%s%.3g", diverged ? ">" : "", error);
  return text;
}

/* the order from the run before it, if that is the same coupling with a longer macro step */
static double compare_order_of(const flg_comparison *comparison, const flg_trace *traces,
                               const column *of, int index) {
  const flg_trace *reference = &traces[comparison->count];
  const flg_compared *run = &comparison->runs[index];
  if (index == 0 || strcmp(run[-1].coupling, run->coupling) != 0) return NAN;
  if (!isnan(flg_compare_diverged_at(&traces[index - 1], reference))) return NAN;
  const double before =
      flg_compare_signal(&traces[index - 1], reference, of->signal, of->first).max;
  const double now = flg_compare_signal(&traces[index], reference, of->signal, of->first).max;
  return flg_compare_order(before, now, run[-1].macro, run->macro);
}

/* what stands in the last column: the order, or how little of the run the errors are of */
static const char *note_of(const flg_comparison *comparison, const flg_trace *traces,
                           const column *of, int index, char text[CELL]) {
  const double diverged = flg_compare_diverged_at(&traces[index], &traces[comparison->count]);
  const double order = compare_order_of(comparison, traces, of, index);
  text[0] = '\0';
  if (!isnan(diverged)) {
    snprintf(text, CELL, "  diverged before %.4g s", diverged);
  } else if (!isnan(order)) {
    snprintf(text, CELL, "  %5.2f", order);
  }
  return text;
}

static void print_signal(const flg_comparison *comparison, const flg_trace *traces,
                         const column *of, int width) {
  const char *unit = of->signal->unit == NULL ? "" : of->signal->unit;
  printf("\n%s%s%s%s\n", of->signal->name, unit[0] == '\0' ? "" : " [", unit,
         unit[0] == '\0' ? "" : "]");
  printf("  %-*s  %10s  %10s  %10s  %10s  %5s\n", width, "coupling", "macro [s]", "max", "rms",
         "final", "order");
  for (int k = 0; k < comparison->count; k++) {
    const flg_compared *run = &comparison->runs[k];
    const flg_deviation error =
        flg_compare_signal(&traces[k], &traces[comparison->count], of->signal, of->first);
    char macro[CELL], note[CELL];
    const bool diverged = !isnan(flg_compare_diverged_at(&traces[k], &traces[comparison->count]));
    char cells[3][CELL];
    printf("  %-*s  %10s  %10s  %10s  %10s%s\n", width, run->coupling,
           flg_compare_step_text(run->macro, macro), error_text(error.max, diverged, cells[0]),
           error_text(error.rms, diverged, cells[1]), error_text(error.final, diverged, cells[2]),
           note_of(comparison, traces, of, k, note));
  }
}

static void print_run(const flg_comparison *comparison, const flg_trace *traces, int index,
                      int width) {
  const flg_compared *run = &comparison->runs[index];
  const double end = flg_simulation_time(run->simulation);
  char macro[CELL], at[CELL];
  const double diverged = flg_compare_diverged_at(&traces[index], &traces[comparison->count]);
  printf("  %-*s  %10s  %12s  %10.3g  %10.3g", width, run->coupling,
         flg_compare_step_text(run->macro, macro), time_text(diverged, at), traces[index].wall,
         end / traces[index].wall);
  for (int k = 0; k < flg_simulation_interface_count(run->simulation); k++) {
    const flg_interface_outcome outcome = flg_simulation_interface(run->simulation, k);
    printf("  %s %.2g", outcome.name, outcome.energy_residual);
  }
  printf("\n");
}

bool flg_compare_steps_alike(const flg_comparison *comparison, int run) {
  const char *family = comparison->runs[run].family, *other = comparison->reference.family;
  return family != NULL && other != NULL && strcmp(family, other) == 0;
}

/* the first of each coupling: macro steps do not change how it steps */
static void compare_print_integrators(const flg_comparison *comparison) {
  for (int k = 0; k < comparison->count; k++) {
    const flg_compared *run = &comparison->runs[k];
    if (flg_compare_steps_alike(comparison, k)) continue;
    if (k > 0 && strcmp(run[-1].coupling, run->coupling) == 0) continue;
    printf(
        "\n%s steps by %s, the reference by %s: errors hold those of the integrators, too. "
        "'integrator' of the subsystems, or of compare.reference, makes them alike\n",
        run->coupling, run->integrator, comparison->reference.integrator);
  }
}

static void print_left_out(const flg_comparison *comparison) {
  const flg_simulation *reference = comparison->reference.simulation;
  for (int k = 0; k < flg_simulation_signal_count(reference); k++) {
    const flg_signal *signal = &flg_simulation_signals(reference)[k];
    if (flg_compare_is_told(signal)) continue;
    printf("\nnot compared: %s, which describes each run by itself\n", signal->name);
  }
}

void flg_compare_print_tables(const flg_comparison *comparison, const flg_trace *traces) {
  const flg_simulation *reference = comparison->reference.simulation;
  const flg_trace *exact = &traces[comparison->count];
  const int width = coupling_width(comparison);
  const double end = flg_simulation_end(reference);
  char step[CELL];
  printf(
      "%s: %.6g s; errors against %s with steps of %s s (%s), %.3g s on the clock, %.3g times "
      "real time\n",
      flg_simulation_name(reference), end, comparison->reference.coupling,
      flg_compare_step_text(comparison->step, step), comparison->reference.integrator, exact->wall,
      end / exact->wall);
  column of;
  int index = 0, first = 0;
  while (next_column(comparison, &index, &first, &of)) {
    print_signal(comparison, traces, &of, width);
  }
  printf("\nruns\n  %-*s  %10s  %12s  %10s  %10s  %s\n", width, "coupling", "macro [s]",
         "diverged [s]", "wall [s]", "real time", "energy residual [J]");
  for (int k = 0; k < comparison->count; k++) print_run(comparison, traces, k, width);
  compare_print_integrators(comparison);
  print_left_out(comparison);
}

/* --- for machines -------------------------------------------------------------------------------
 */

static void print_errors(const flg_comparison *comparison, const flg_trace *traces, int index,
                         flg_json *json) {
  column of;
  int next = 0, first = 0;
  flg_json_put(json, "errors{");
  while (next_column(comparison, &next, &first, &of)) {
    const flg_deviation error =
        flg_compare_signal(&traces[index], &traces[comparison->count], of.signal, of.first);
    flg_json_put(json, "*{ max:g rms:g final:g }", of.signal->name, error.max, error.rms,
                 error.final);
  }
  flg_json_put(json, "}");
}

static void print_speed(const flg_compared *run, const flg_trace *trace, flg_json *json) {
  flg_json_put(json, "wall_seconds:g real_time_factor:g", trace->wall,
               flg_simulation_time(run->simulation) / trace->wall);
}

static void print_compared_interfaces(const flg_simulation *simulation, flg_json *json) {
  flg_json_put(json, "interfaces{");
  for (int k = 0; k < flg_simulation_interface_count(simulation); k++) {
    const flg_interface_outcome outcome = flg_simulation_interface(simulation, k);
    flg_json_put(json, "*{ energy_residual_max:g }", outcome.name, outcome.energy_residual);
  }
  flg_json_put(json, "}");
}

/* a run can go astray and still be finite */
static void print_run_outcome(const flg_trace *trace, const flg_trace *reference, flg_json *json) {
  const double diverged = flg_compare_diverged_at(trace, reference);
  const char *error = isnan(diverged)                     ? NULL
                      : trace->status == FLG_ERR_DIVERGED ? trace->error.message
                                                          : "The energy ran away.";
  flg_console_outcome_json(json, isnan(diverged) ? FLG_OK : FLG_ERR_DIVERGED, error);
  flg_json_put(json, "diverged_at:g", diverged);
}

void flg_compare_write_json(const flg_comparison *comparison, const flg_trace *traces,
                            flg_json *json) {
  const flg_trace *reference = &traces[comparison->count];
  flg_console_outcome_json(json, FLG_OK, NULL);
  flg_json_put(json, "reference{ coupling:s macro:g step:g integrator:s",
               comparison->reference.coupling, comparison->reference.macro, comparison->step,
               comparison->reference.integrator);
  print_speed(&comparison->reference, reference, json);
  flg_json_put(json, "} runs[");
  for (int k = 0; k < comparison->count; k++) {
    flg_json_put(json, "{ coupling:s macro:g integrator:s same_integrator:b",
                 comparison->runs[k].coupling, comparison->runs[k].macro,
                 comparison->runs[k].integrator, flg_compare_steps_alike(comparison, k));
    print_run_outcome(&traces[k], reference, json);
    print_errors(comparison, traces, k, json);
    print_compared_interfaces(comparison->runs[k].simulation, json);
    print_speed(&comparison->runs[k], &traces[k], json);
    flg_json_put(json, "}");
  }
  flg_json_put(json, "]");
}

void flg_compare_print_json(const flg_comparison *comparison, const flg_trace *traces) {
  flg_json json = flg_console_json("compare");
  flg_compare_write_json(comparison, traces, &json);
  flg_json_end(&json);
}
