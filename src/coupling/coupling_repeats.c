/* Which rows of interfaces repeat others: one choice for all subsystems.
 *
 * Where rows repeat others, as in rings of hinges in a plane, forces of interfaces are not unique.
 * Each subsystem that runs at once with others finds forces of its own, and any of them moves it
 * alike. But at the communication point the forces of one side count at each interface: those of
 * one subsystem here and of another there are no solution together, unless all have left out the
 * same rows. So these are chosen once, from
 *
 *     S_ij = sum over subsystems  g_i^T D g_j     rows i, j of all interfaces
 *
 * by pivots (math/pivoted_cholesky.h).
 */
#include <string.h>

#include "coupling/coupling_inner.h"
#include "math/pivoted_cholesky.h"

/* S and its factor take 16 bytes a pair of rows, 256 MiB at most. The choice costs rows rank^2:
 * 0.09 s of 0.6 s of a macro step for 1083 rows of 100 bodies. */
enum { PORT_ROWS = 6, MOST_ROWS = FLG_INTERFACE_ROWS_MAX };
/* Of a scaled pivot. What repeats others leaves rounding, 1e-16 and some growth; masses that differ
 * by 1e5 leave 1e-8 of a row that does not. The subsystems have to keep what is chosen here. */
static const double REPEATED = 1e-9;

static int find_group(int *groups, int subsystem) {
  while (groups[subsystem] != subsystem) {
    groups[subsystem] = groups[groups[subsystem]]; /* halves the way of the next search */
    subsystem = groups[subsystem];
  }
  return subsystem;
}

/* An interface between two that are joined already closes a ring; the ground is one more. */
static bool makes_rings(const flg_coupled_system *system) {
  const int ground = system->subsystem_count;
  flg_region region = {0};
  int *groups = flg_region_take(&region, (size_t)ground + 1, sizeof *groups);
  bool has_ring = groups == NULL;
  for (int k = 0; k <= ground && groups != NULL; k++) groups[k] = k;
  for (int k = 0; k < system->interface_count && !has_ring; k++) {
    const flg_interface *interface = &system->interfaces[k];
    int group[2];
    for (int e = 0; e < 2; e++) {
      const int subsystem = interface->end[e].subsystem;
      group[e] = find_group(groups, subsystem < 0 ? ground : subsystem);
    }
    has_ring = interface->rows > 0 && group[0] == group[1];
    if (interface->rows > 0) groups[group[0]] = group[1];
  }
  flg_region_release(&region);
  return has_ring;
}

/* only what runs at once takes forces of several sides, and only rings repeat rows; or chains whose
 * subsystems do not yield in all directions */
static bool may_repeat(const flg_coupled_system *system, const flg_coupling_scheme *scheme) {
  return !scheme->runs_in_order && scheme->gives_back &&
         (system->interface_count >= system->subsystem_count || makes_rings(system));
}

static int rows_of_interfaces(const flg_coupled_system *system) {
  int count = 0;
  for (int k = 0; k < system->interface_count; k++) count += system->interfaces[k].rows;
  return count;
}

flg_status flg_coupling_repeats_check(const flg_coupled_system *system,
                                      const flg_coupling_scheme *scheme, flg_error *error) {
  const int count = rows_of_interfaces(system);
  if (count <= MOST_ROWS || !may_repeat(system, scheme)) return FLG_OK;
  return flg_fail(
      error, FLG_ERR_INPUT,
      "interfaces make rings and have %d rows: '%s' finds those that repeat others among "
      "%d at most; take 'scheme: sequential' or 'monolithic'",
      count, scheme->name, MOST_ROWS);
}

void flg_coupling_repeats_build(flg_coupling *coupling) {
  flg_repeated_rows *repeats = &coupling->repeated;
  const int count = rows_of_interfaces(&coupling->system);
  if (!may_repeat(&coupling->system, coupling->options.scheme)) return;
  const size_t n = (size_t)count;
  flg_region *region = &coupling->region;
  repeats->rows = flg_region_take(region, n, sizeof *repeats->rows);
  repeats->scale = flg_region_take(region, n, sizeof *repeats->scale);
  repeats->order = flg_region_take(region, n, sizeof *repeats->order);
  repeats->are_left = flg_region_take(region, n, sizeof *repeats->are_left);
  repeats->matrix = flg_region_take(region, n * n, sizeof *repeats->matrix);
  repeats->factor = flg_region_take(region, n * n, sizeof *repeats->factor);
  repeats->count = region->failed ? 0 : count;
}

/* the rows of all interfaces, and what they are measured by */
static void gather_interface_rows(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  flg_repeated_rows *repeats = &coupling->repeated;
  int row = 0;
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface *interface = &system->interfaces[k];
    flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
    flg_yield yield[2] = {{0, 0}, {0, 0}};
    for (int e = 0; e < 2; e++) {
      const flg_interface_end *end = &interface->end[e];
      if (end->subsystem >= 0)
        yield[e] = flg_port_yield(coupling->reduced[end->subsystem].model, end->port);
    }
    const int count =
        interface->rows > 0 ? flg_interface_rows(interface, system->subsystems, rows) : 0;
    for (int i = 0; i < count; i++, row++) {
      repeats->rows[row] = (flg_repeated_row){{rows[i].side[0], rows[i].side[1]}, k};
      repeats->scale[row] = flg_row_scale(&rows[i], yield);
    }
  }
}

/* g^T D g of one side of each of two rows; 0: they are on different subsystems */
static double answer_of(const flg_coupling *coupling, const flg_repeated_row *a, int side_a,
                        const flg_repeated_row *b, int side_b) {
  const flg_interface_end *at_a = &coupling->system.interfaces[a->interface].end[side_a];
  const flg_interface_end *at_b = &coupling->system.interfaces[b->interface].end[side_b];
  if (at_a->subsystem < 0 || at_a->subsystem != at_b->subsystem) return 0;
  flg_interface_model *model = coupling->reduced[at_a->subsystem].model;
  const double *D = flg_interface_model_admittance(model);
  double g[PORT_ROWS], f[PORT_ROWS], sum = 0;
  flg_spatial_store(a->side[side_a], g), flg_spatial_store(b->side[side_b], f);
  for (int j = 0; j < PORT_ROWS; j++) {
    const double *column = D + (size_t)(PORT_ROWS * at_b->port + j) * (size_t)model->rows +
                           (size_t)(PORT_ROWS * at_a->port);
    for (int i = 0; i < PORT_ROWS; i++) sum += g[i] * column[i] * f[j];
  }
  return sum;
}

static void repeats_fill(const flg_coupling *coupling) {
  const flg_repeated_rows *repeats = &coupling->repeated;
  const size_t n = (size_t)repeats->count;
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < 4; k++)
        sum += answer_of(coupling, &repeats->rows[i], k / 2, &repeats->rows[j], k % 2);
      repeats->matrix[i + n * j] = repeats->matrix[j + n * i] = sum;
    }
  }
}

/* those of the interfaces of one subsystem, in its order */
static void hand_out(const flg_coupling *coupling, flg_macro_run *macro_run) {
  const flg_repeated_rows *repeats = &coupling->repeated;
  int row = 0;
  for (int k = 0; k < macro_run->end_count; k++) {
    const flg_macro_end *end = &macro_run->ends[k];
    const int index = (int)(end->interface - coupling->system.interfaces);
    if (end->is_driven) continue;
    for (int i = 0; i < repeats->count; i++) {
      if (repeats->rows[i].interface == index) macro_run->left_out[row++] = repeats->are_left[i];
    }
  }
}

void flg_coupling_repeats_choose(flg_coupling *coupling) {
  flg_repeated_rows *repeats = &coupling->repeated;
  const int n = repeats->count;
  if (n == 0) return;
  gather_interface_rows(coupling);
  repeats_fill(coupling);
  const int rank = flg_pivoted_cholesky_factor(n, repeats->matrix, n, repeats->scale, REPEATED,
                                               repeats->order, repeats->factor, n);
  memset(repeats->are_left, 0, (size_t)n * sizeof *repeats->are_left);
  for (int i = rank; i >= 0 && i < n; i++) repeats->are_left[repeats->order[i]] = true;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    hand_out(coupling, &coupling->macro_runs[k]);
    coupling->macro_runs[k].elimination.shape.tolerance = REPEATED;
  }
}
