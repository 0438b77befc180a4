#include "cosim/telemetry.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "cosim/simulation.h"
#include "coupling/coupling_inner.h"
#include "math/eigenvalues.h"
#include "math/larger.h"
#include "math/pivoted_cholesky.h"

enum { PORT_ROWS = 6, ROWS_MAX = FLG_CONSTRAINT_ROWS_MAX };
/* so often in a run, of all interfaces, rank and condition are found if they are not recorded */
enum { PROBES = 250 };

flg_telemetry flg_telemetry_begin(void) {
  return (flg_telemetry){
      .rank = NAN, .condition = NAN, .unique = 1, .rank_least = NAN, .condition_most = NAN};
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* the end whose side finds the forces: the other is driven by them, or on the ground */
static const flg_macro_run *macro_run_of(const flg_coupling *coupling,
                                         const flg_interface *interface,
                                         const flg_macro_end **end) {
  for (int e = 0; e < 2; e++) {
    const int subsystem = interface->end[e].subsystem;
    if (subsystem < 0) continue;
    const flg_macro_run *macro_run = &coupling->macro_runs[subsystem];
    for (int k = 0; k < macro_run->end_count; k++) {
      *end = &macro_run->ends[k];
      if ((*end)->interface == interface && !(*end)->is_driven) return macro_run;
    }
  }
  return NULL;
}

/* to += G D G^T over the six rows of a port, G and `to` (6 x 6) */
static void add_through(flg_interface_model *model, int port, const double *G, double *to) {
  const size_t ld = (size_t)model->rows;
  const double *D = flg_interface_model_admittance(model) + (size_t)(PORT_ROWS * port) * (ld + 1);
  for (size_t k = 0; k < PORT_ROWS; k++) {
    double column[ROWS_MAX] = {0}; /* of G D */
    for (size_t j = 0; j < PORT_ROWS; j++) {
      for (int i = 0; i < ROWS_MAX; i++) column[i] += G[i + ROWS_MAX * j] * D[j + k * ld];
    }
    for (size_t j = 0; j < ROWS_MAX; j++) {
      for (int i = 0; i < ROWS_MAX; i++) to[i + ROWS_MAX * j] += column[i] * G[j + ROWS_MAX * k];
    }
  }
}

/* the sides of rows as a matrix, with zeros below */
static void write_side_rows(const flg_constraint_row *rows, int count, int side, double *G) {
  memset(G, 0, ROWS_MAX * PORT_ROWS * sizeof *G);
  for (int i = 0; i < count; i++) {
    double numbers[PORT_ROWS];
    flg_spatial_store(rows[i].side[side], numbers);
    for (int j = 0; j < PORT_ROWS; j++) G[i + ROWS_MAX * j] = numbers[j];
  }
}

enum { NO_MODEL = -1 };

/* Set-up: the admittance S (rows x rows, column-major) of an interface's rows; returns how many
 * there are, or NO_MODEL if no side meets a model of the other. scale (rows): what pivots are
 * measured by. */
static int admittance_between(const flg_coupling *coupling, int interface, double *admittance,
                              double *scale) {
  const flg_interface *known = &coupling->system.interfaces[interface];
  const flg_macro_end *end = NULL;
  const flg_macro_run *macro_run = macro_run_of(coupling, known, &end);
  flg_constraint_row rows[ROWS_MAX];
  const int count = flg_interface_rows(known, coupling->system.subsystems, rows);
  if (macro_run == NULL) return NO_MODEL;
  flg_yield yield[2];
  yield[end->own] = flg_port_yield(macro_run->own, end->port);
  yield[1 - end->own] = flg_port_yield(macro_run->rest, end->port);
  double G[ROWS_MAX * PORT_ROWS], S[ROWS_MAX * ROWS_MAX] = {0};
  write_side_rows(rows, count, end->own, G);
  add_through(macro_run->own, end->port, G, S);
  write_side_rows(rows, count, 1 - end->own, G);
  add_through(macro_run->rest, end->port, G, S);
  for (int j = 0; j < count; j++) {
    scale[j] = flg_row_scale(&rows[j], yield);
    for (int i = 0; i < count; i++) admittance[i + j * count] = S[i + ROWS_MAX * j];
  }
  return count;
}

double flg_telemetry_condition(int rows, double *matrix) {
  double values[ROWS_MAX], least = INFINITY, most = 0;
  if (flg_eigenvalues_symmetric(rows, matrix, values) != FLG_OK) return NAN;
  for (int k = 0; k < rows; k++) {
    least = flg_smaller(least, values[k]);
    most = flg_larger(most, values[k]);
  }
  return least <= 0 ? (double)INFINITY : most / least; /* NaN of NaN */
}

static void take_rows(flg_telemetry *telemetry, const flg_coupling *coupling, int interface) {
  double S[ROWS_MAX * ROWS_MAX], L[ROWS_MAX * ROWS_MAX], scale[ROWS_MAX];
  int order[ROWS_MAX];
  const int rows = admittance_between(coupling, interface, S, scale);
  telemetry->rank = rows == NO_MODEL ? (double)NAN : 0, telemetry->condition = NAN;
  if (rows <= 0) return; /* a gear, or a distance, has none */
  const int rank =
      flg_pivoted_cholesky_factor(rows, S, rows, scale, FLG_PIVOT_TOLERANCE, order, L, rows);
  telemetry->rank = rank == FLG_PIVOT_FAILED ? (double)NAN : rank;
  telemetry->condition = rank < rows ? (double)INFINITY : flg_telemetry_condition(rows, S);
  if (rank < rows) telemetry->unique = 0;
}

void flg_telemetry_keep(flg_telemetry *telemetry) {
  flg_telemetry *to = telemetry;
  to->pose_error_most = flg_larger(to->pose_error_most, to->pose_error[0]);
  to->energy_residual_most = flg_larger(to->energy_residual_most, to->energy_residual);
  to->rank_least = fmin(to->rank_least, to->rank); /* of a number and NaN, the number */
  to->condition_most = fmax(to->condition_most, to->condition);
}

bool flg_telemetry_wants_rows(const flg_simulation *simulation, int interface) {
  const int64_t every = 1 + simulation->macro_steps * simulation->telemetry_count / PROBES;
  return simulation->clock.done % every == 0 || flg_simulation_ended(simulation) ||
         (simulation->asked[interface] & FLG_ASKED_ROWS) != 0;
}

void flg_telemetry_ask(flg_simulation *simulation, const double *values) {
  for (int k = 0; k < simulation->telemetry_count; k++) {
    const flg_telemetry *telemetry = &simulation->telemetry[k];
    if (values == telemetry->force) simulation->asked[k] |= FLG_ASKED_FORCE;
    const bool rows = values == &telemetry->rank || values == &telemetry->condition;
    if (rows) simulation->asked[k] |= FLG_ASKED_ROWS;
  }
}

void flg_telemetry_take(flg_telemetry *telemetry, const flg_simulation *simulation, int interface) {
  const flg_coupling *coupling = simulation->coupling;
  const flg_interface_report *report = flg_coupling_report(coupling, interface);
  flg_telemetry *to = telemetry;
  flg_spatial_store(report->force, to->force);
  to->pose_error[0] = report->pose_error, to->pose_error[1] = report->turn_error;
  to->energy_residual = report->energy;
  if (flg_telemetry_wants_rows(simulation, interface)) take_rows(to, coupling, interface);
  flg_telemetry_keep(to);
}

/* --- signals ------------------------------------------------------------------------------------
 */

static const char *const wrench[] = {"fx", "fy", "fz", "mx", "my", "mz"};
static const char *const apart[] = {"distance", "angle"};
/* what can be recorded of an interface, and where it stands in flg_telemetry */
static const struct {
  flg_quantity quantity;
  size_t offset;
} quantities[] = {
    {{"force", "", 6, wrench}, offsetof(flg_telemetry, force)},
    {{"pose_error", "", 2, apart}, offsetof(flg_telemetry, pose_error)},
    {{"energy_residual", "J", 1, NULL}, offsetof(flg_telemetry, energy_residual)},
    {{"rank", "", 1, NULL}, offsetof(flg_telemetry, rank)},
    {{"condition", "", 1, NULL}, offsetof(flg_telemetry, condition)},
};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

const flg_quantity *flg_telemetry_quantity(int index) {
  return index < QUANTITIES ? &quantities[index].quantity : NULL;
}

static flg_status no_interface(const char *name, size_t length, flg_place place,
                               const flg_simulation *simulation, flg_region *region,
                               flg_mistakes *mistakes) {
  const char *written = flg_region_text(region, name, length);
  if (written == NULL) return FLG_ERR_MEMORY;
  char hint[FLG_HINT_TEXT];
  flg_closest closest = flg_closest_while_listed(written, mistakes);
  FLG_OFFER(&closest, simulation->interface_names, simulation->interface_name_count);
  return flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                         "record: '%s': there is no interface '%s' in the scenario%s", name,
                         written, flg_closest_text(&closest, hint));
}

static flg_status no_quantity(const char *name, const char *word, flg_place place,
                              flg_mistakes *mistakes) {
  char hint[FLG_HINT_TEXT];
  flg_closest closest = flg_closest_begin(word);
  for (int k = 0; k < QUANTITIES; k++) flg_closest_offer(&closest, quantities[k].quantity.word);
  const char *rest = "; expected force, pose_error, energy_residual, rank or condition";
  if (closest.word != NULL) rest = flg_closest_text(&closest, hint);
  return flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                         "record: '%s': there is no quantity '%s' of an interface%s", name, word,
                         rest);
}

flg_status flg_telemetry_find(const double **values, flg_signal *signal, const char *name,
                              flg_place place, const flg_simulation *simulation, flg_region *region,
                              flg_mistakes *mistakes) {
  const char *dot = strchr(name, '.');
  const size_t length = (size_t)(dot - name);
  if (strcmp(name, FLG_WALL_TIME) == 0) {
    *signal = (flg_signal){name, "s", 1, NULL};
    *values = &simulation->wall_time;
    return FLG_OK;
  }
  const int known = flg_name_index_find_begin(&simulation->interface_index, name, length);
  if (known < 0) return no_interface(name, length, place, simulation, region, mistakes);
  for (int k = 0; k < QUANTITIES; k++) {
    const flg_quantity *quantity = &quantities[k].quantity;
    if (strcmp(quantity->word, dot + 1) != 0) continue;
    const flg_telemetry *from =
        known < simulation->telemetry_count ? &simulation->telemetry[known] : NULL;
    *signal = (flg_signal){name, quantity->unit, quantity->width, quantity->components};
    *values = from == NULL ? NULL : (const double *)from + quantities[k].offset / sizeof(double);
    return FLG_OK;
  }
  return no_quantity(name, dot + 1, place, mistakes);
}
