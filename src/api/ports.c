#include "flange/ports.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "api/api_inner.h"
#include "interface/eliminate_inner.h"
#include "math/dense.h"
#include "math/lapack.h"
#include "math/svd.h"

enum { PORT_ROWS = 6 };

/* --- models of a running simulation -------------------------------------------------------------
 */

/* all names lead into one subsystem; paths are those inside of it */
static flg_status find_ports_of_names(flg_simulation *simulation, const char *const *names,
                                      int count, flg_found_ports *found, const char **paths,
                                      flg_error *error) {
  for (int k = 0; k < count; k++) {
    const flg_subsystem *subsystem = NULL;
    flg_status status = flg_api_present(names[k], "names", error);
    if (status == FLG_OK) {
      status = flg_api_find_part(simulation, names[k], &subsystem, &paths[k], error);
    }
    if (status != FLG_OK) return status;
    if (k == 0) found->subsystem = subsystem;
    if (subsystem == found->subsystem) continue;
    return flg_fail(error, FLG_ERR_INPUT,
                    "'%s' and '%s' belong to subsystems that are not solved together: take a set "
                    "of ports for each",
                    names[0], names[k]);
  }
  return FLG_OK;
}

static flg_status open_ports(flg_simulation *simulation, const char *const *paths,
                             flg_found_ports *found, flg_error *error) {
  const flg_subsystem_ops *ops = found->subsystem->ops;
  const int rows = PORT_ROWS * found->count;
  if (ops->open_probe == NULL) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is of a kind (%s) that is not looked into",
                    found->subsystem->name, ops->kind);
  }
  const flg_status status =
      ops->open_probe(found->subsystem->self, paths, found->count, &found->probe, error);
  if (status != FLG_OK) return status;
  void *memory = flg_region_take(&simulation->region, flg_interface_model_bytes(rows), 1);
  if (memory == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a model");
  return flg_interface_model_build(memory, rows, rows, &found->model, error);
}

flg_status flg_ports_find(flg_simulation *simulation, const char *const *names, int count,
                          flg_ports *ports, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK ||
      flg_api_present(names, "names", error) != FLG_OK ||
      flg_api_present(ports, "ports", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  if (count < 1 || count > FLG_INTERFACE_ROWS_MAX / PORT_ROWS) {
    return flg_fail(error, FLG_ERR_USAGE, "A set has 1 to %d ports, not %d.",
                    FLG_INTERFACE_ROWS_MAX / PORT_ROWS, count);
  }
  struct flg_access *access = flg_access_of(simulation);
  flg_found_ports found = {.count = count};
  const char **paths = flg_region_take(&simulation->region, (size_t)count, sizeof *paths);
  flg_found_ports *made = NULL;
  if (access == NULL || paths == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for ports");
  }
  flg_status status = find_ports_of_names(simulation, names, count, &found, paths, error);
  if (status == FLG_OK) status = open_ports(simulation, paths, &found, error);
  if (status != FLG_OK) return status;
  made = flg_growing_add(&access->ports, sizeof *made, &simulation->region);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for ports");
  *made = found;
  *ports = (flg_ports){access->serial, access->ports.count - 1};
  return FLG_OK;
}

static const flg_found_ports *find_ports(const flg_simulation *simulation, flg_ports ports,
                                         flg_error *error) {
  if (flg_api_present(simulation, "simulation", error) != FLG_OK) return NULL;
  const struct flg_access *access = simulation->access;
  if (!flg_api_handle(access, ports.simulation, ports.number,
                      access == NULL ? 0 : access->ports.count, "set of ports", error)) {
    return NULL;
  }
  return (const flg_found_ports *)access->ports.items + ports.number;
}

int flg_ports_rows(const flg_simulation *simulation, flg_ports ports) {
  const flg_found_ports *found = find_ports(simulation, ports, NULL);
  return found == NULL ? 0 : PORT_ROWS * found->count;
}

static void copy_port_rows(double *to, const double *from, int rows) {
  if (to != NULL) memcpy(to, from, (size_t)rows * sizeof *to);
}

flg_status flg_ports_reduce(flg_simulation *simulation, flg_ports ports, double tau, int rows,
                            double *admittance, double *bias, double *velocity, flg_error *error) {
  if (flg_api_idle(simulation, error) != FLG_OK) return FLG_ERR_USAGE;
  const flg_found_ports *found = find_ports(simulation, ports, error);
  if (found == NULL ||
      flg_api_width(rows, PORT_ROWS * found->count, "rows of the ports", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  if (!(tau > 0) || !isfinite(tau)) {
    return flg_fail(error, FLG_ERR_USAGE, "A model is for a time over 0, not %g s.", tau);
  }
  const flg_subsystem *subsystem = found->subsystem;
  const double time = flg_simulation_time(simulation);
  const flg_status status =
      subsystem->ops->probe(subsystem->self, found->probe, time, tau, found->model);
  subsystem->ops->refresh(subsystem->self, time);
  if (status != FLG_OK) {
    return flg_fail(error, status, "The model of '%s' is not finite.", subsystem->name);
  }
  copy_port_rows(admittance, flg_interface_model_admittance(found->model), rows * rows);
  copy_port_rows(bias, flg_interface_model_bias(found->model), rows);
  copy_port_rows(velocity, flg_interface_model_velocity(found->model), rows);
  return FLG_OK;
}

/* --- what an admittance says --------------------------------------------------------------------
 */

/* singular values below this part of the largest are zero: a locked direction is 1e-16 of it */
static const double ZERO = 1e-12;

static bool is_port_size(int rows) {
  return rows > 0 && rows <= FLG_INTERFACE_ROWS_MAX;
}

size_t flg_admittance_numbers(int rows) {
  if (!is_port_size(rows)) return 0;
  return (size_t)rows * (size_t)rows + (size_t)rows + (size_t)flg_svd_workspace(rows, rows);
}

static flg_status check_matrix(int rows, const double *admittance, const double *work,
                               flg_error *error) {
  if (flg_api_present(admittance, "admittance", error) != FLG_OK ||
      flg_api_present(work, "work", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  if (is_port_size(rows)) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE, "A model has 1 to %d rows, not %d.", FLG_INTERFACE_ROWS_MAX,
                  rows);
}

flg_status flg_admittance_measure(int rows, const double *admittance, double *work,
                                  flg_admittance_figures *figures, flg_error *error) {
  flg_status status = check_matrix(rows, admittance, work, error);
  if (status == FLG_OK) status = flg_api_present(figures, "figures", error);
  if (status == FLG_OK) status = flg_lapack_open(error);
  if (status != FLG_OK) return status;
  const size_t square = (size_t)rows * (size_t)rows;
  double *singular = work + square;
  memcpy(work, admittance, square * sizeof *work);
  status = flg_svd_factor(rows, rows, work, rows, singular, NULL, 1, NULL, 1, singular + rows);
  if (status != FLG_OK) return flg_fail(error, status, "The admittance is not finite.");
  figures->rank = flg_svd_rank(rows, singular, ZERO);
  figures->most = singular[0];
  figures->condition = figures->rank < rows ? (double)INFINITY : flg_svd_condition(rows, singular);
  return FLG_OK;
}

flg_status flg_admittance_mass(int rows, const double *admittance, double *work, double *mass,
                               flg_error *error) {
  flg_admittance_figures figures = {0};
  flg_status status = flg_api_present(mass, "mass", error);
  if (status == FLG_OK) status = flg_admittance_measure(rows, admittance, work, &figures, error);
  if (status != FLG_OK) return status;
  memcpy(work, admittance, (size_t)rows * (size_t)rows * sizeof *work);
  if (figures.rank < rows || !flg_dense_cholesky(rows, work, rows)) {
    return flg_fail(error, FLG_ERR_PHYSICS,
                    "An admittance of rank %d with %d rows has no effective mass: it is infinite "
                    "in some direction.",
                    figures.rank, rows);
  }
  for (int j = 0; j < rows; j++) {
    double *column = mass + (size_t)j * (size_t)rows;
    memset(column, 0, (size_t)rows * sizeof *column);
    column[j] = 1;
    flg_dense_cholesky_solve(rows, work, rows, column);
  }
  return FLG_OK;
}

double flg_admittance_along(int rows, const double *admittance, const double *direction) {
  if (admittance == NULL || direction == NULL || !is_port_size(rows)) return NAN;
  double sum = 0, square = 0, most = 0;
  for (int i = 0; i < rows; i++) {
    square += direction[i] * direction[i];
    most = fmax(most, admittance[i * rows + i]);
    for (int j = 0; j < rows; j++) sum += direction[i] * admittance[i * rows + j] * direction[j];
  }
  if (!(square > 0)) return NAN;
  return sum > ZERO * most * square ? square / sum : (double)INFINITY;
}

/* --- eliminate and join --------------------------------------------------------------------------
 */

/* what lies at the head of the caller's memory */
typedef struct elimination {
  uint64_t magic;
  size_t bytes;
  int rows, constraints, kept;
  int *position;                      /* (kept) where a kept row comes out of the elimination */
  double *forces, *admittance, *bias; /* (kept), (kept x kept), (kept) in its order */
  double *side[2];                    /* (rows of each) forces */
  double *reactions;                  /* (constraints) */
  flg_elimination inner;
} elimination;

enum { BOUNDARY = _Alignof(max_align_t) };
static const uint64_t MAGIC = UINT64_C(0x666c675f656c696d);

void flg_stack_clear(flg_stack *stack, size_t size) {
  const flg_stack empty = {.size = size, .tolerance = FLG_PIVOT_TOLERANCE};
  if (stack != NULL) memcpy(stack, &empty, size < sizeof empty ? size : sizeof empty);
}

/* as much of it as both sides know */
static flg_stack stack_of(const flg_stack *stack) {
  flg_stack known;
  flg_stack_clear(&known, sizeof known);
  memcpy(&known, stack, stack->size < sizeof known ? stack->size : sizeof known);
  return known;
}

static flg_elimination_shape stack_shape(const flg_stack *stack) {
  flg_elimination_shape shape = {.constraints = stack->constraints,
                                 .rows = {stack->rows[0], stack->rows[1]},
                                 .touched = {stack->rows[0], stack->rows[1]},
                                 .form = FLG_FORM_ADMITTANCE,
                                 .tolerance = stack->tolerance};
  for (int k = 0; k < stack->kept; k++) shape.kept[stack->keep[k] >= stack->rows[0]]++;
  return shape;
}

static flg_status check_port_sizes(const flg_stack *stack, flg_error *error) {
  const int n = stack->rows[0] + stack->rows[1];
  if (stack->size < offsetof(flg_stack, tolerance) || !is_port_size(stack->rows[0]) ||
      stack->rows[1] < 0 || n > FLG_INTERFACE_ROWS_MAX || stack->constraints < 0 ||
      stack->constraints > FLG_INTERFACE_ROWS_MAX || stack->kept < 0 || stack->kept > n ||
      !(stack->tolerance > 0 && stack->tolerance < 1)) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "A stack begins as flg_stack_default, with 1 to %d rows in all, and keeps no "
                    "more than it has.",
                    FLG_INTERFACE_ROWS_MAX);
  }
  if ((stack->constraints > 0 && stack->matrix == NULL && stack->pairs == NULL) ||
      (stack->kept > 0 && stack->keep == NULL) || stack->admittance[0] == NULL ||
      (stack->rows[1] > 0 && stack->admittance[1] == NULL)) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "A stack lacks an array: admittance, keep, and matrix or pairs.");
  }
  return FLG_OK;
}

static flg_status check_lists(const flg_stack *stack, flg_error *error) {
  const int n = stack->rows[0] + stack->rows[1];
  for (int k = 0; k < stack->kept; k++) {
    bool is_new = stack->keep[k] >= 0 && stack->keep[k] < n;
    for (int i = 0; i < k; i++) is_new = is_new && stack->keep[i] != stack->keep[k];
    if (is_new) continue;
    return flg_fail(error, FLG_ERR_USAGE, "Row %d cannot be kept: it is no row, or kept twice.",
                    stack->keep[k]);
  }
  for (int k = 0; k < stack->constraints && stack->matrix == NULL; k++) {
    bool fits = true;
    for (int e = 0; e < 2; e++) {
      fits = fits && stack->pairs[k][e] >= 0 && stack->pairs[k][e] < stack->rows[e];
    }
    if (fits) continue;
    return flg_fail(error, FLG_ERR_USAGE, "Rows %d and %d are no pair: models have %d and %d.",
                    stack->pairs[k][0], stack->pairs[k][1], stack->rows[0], stack->rows[1]);
  }
  return FLG_OK;
}

static flg_status check_port_stack(const flg_stack *stack, flg_error *error) {
  const flg_status status = check_port_sizes(stack, error);
  return status == FLG_OK ? check_lists(stack, error) : status;
}

/* The head on the next boundary, then numbers, then indices. */
static size_t stack_bytes(const flg_stack *stack) {
  const flg_elimination_shape shape = stack_shape(stack);
  const flg_elimination_sizes inner = flg_elimination_measure(&shape, 0);
  const size_t k = (size_t)stack->kept, n = (size_t)stack->rows[0] + (size_t)stack->rows[1];
  const size_t numbers =
      (2 + k) * k + n + (size_t)stack->constraints + inner.inputs + inner.factors;
  return BOUNDARY + sizeof(elimination) + numbers * sizeof(double) +
         (2 * k + n + inner.indices) * sizeof(int);
}

size_t flg_eliminate_bytes(const flg_stack *stack) {
  if (stack == NULL) return 0;
  const flg_stack known = stack_of(stack);
  return check_port_stack(&known, NULL) == FLG_OK ? stack_bytes(&known) : 0;
}

static elimination *port_head_of(void *memory) {
  const size_t over = (uintptr_t)memory % BOUNDARY;
  return (elimination *)(void *)((unsigned char *)memory + (over == 0 ? 0 : BOUNDARY - over));
}

static double *next_numbers(double **at, size_t count) {
  double *piece = *at;
  *at += count;
  return piece;
}

static elimination *ports_lay_out(const flg_stack *stack, void *memory, size_t bytes) {
  const flg_elimination_shape shape = stack_shape(stack);
  const flg_elimination_sizes inner = flg_elimination_measure(&shape, 0);
  const size_t k = (size_t)stack->kept, n = (size_t)stack->rows[0] + (size_t)stack->rows[1];
  memset(memory, 0, bytes);
  elimination *own = port_head_of(memory);
  *own = (elimination){.magic = MAGIC,
                       .bytes = bytes,
                       .rows = (int)n,
                       .constraints = stack->constraints,
                       .kept = stack->kept};
  double *numbers = (double *)(void *)(own + 1);
  own->forces = next_numbers(&numbers, k);
  own->bias = next_numbers(&numbers, k);
  own->admittance = next_numbers(&numbers, k * k);
  own->side[0] = next_numbers(&numbers, n);
  own->side[1] = own->side[0] + stack->rows[0];
  own->reactions = next_numbers(&numbers, (size_t)stack->constraints);
  double *inputs = next_numbers(&numbers, inner.inputs);
  double *factors = next_numbers(&numbers, inner.factors);
  own->position = (int *)(void *)numbers;
  int *touched = own->position + k, *kept = touched + n;
  int at[2] = {0, shape.kept[0]};
  for (int i = 0; i < stack->kept; i++) {
    const int side = stack->keep[i] >= stack->rows[0];
    own->position[i] = at[side];
    kept[at[side]++] = stack->keep[i] - side * stack->rows[0];
  }
  for (int i = 0; i < (int)n; i++) touched[i] = i < stack->rows[0] ? i : i - stack->rows[0];
  const int *const touches[2] = {touched, touched + stack->rows[0]};
  const int *const keeps[2] = {kept, kept + shape.kept[0]};
  flg_elimination_attach(&own->inner, &shape, flg_elimination_is_small(&shape, touches, keeps),
                         touches, keeps, kept + k, inputs, factors);
  return own;
}

static double port_entry_of(const flg_stack *stack, int row, int column) {
  const int n = stack->rows[0] + stack->rows[1];
  if (stack->matrix != NULL) return stack->matrix[(size_t)row * (size_t)n + (size_t)column];
  if (column == stack->pairs[row][0]) return 1;
  return column == stack->rows[0] + stack->pairs[row][1] ? -1 : 0;
}

/* G column by column, gamma, and the most that a row could figures if nothing blocked it:
 * (sum |g_j| sqrt(D_jj))^2 */
static void ports_fill(const flg_stack *stack, flg_elimination *inner) {
  for (int i = 0; i < stack->constraints; i++) {
    double most = 0;
    for (int side = 0; side < 2; side++) {
      const int rows = stack->rows[side], first = side * stack->rows[0];
      for (int j = 0; j < rows; j++) {
        const double g = port_entry_of(stack, i, first + j);
        inner->G[side][i + (size_t)j * (size_t)stack->constraints] = g;
        most += fabs(g) * sqrt(fmax(0, stack->admittance[side][(size_t)j * (size_t)(rows + 1)]));
      }
    }
    inner->scale[i] = most * most;
    inner->gamma[i] = stack->target == NULL ? 0 : stack->target[i];
  }
}

static flg_status solve_stack(const flg_stack *stack, elimination *own, flg_error *error) {
  static const double none[1] = {0};
  const double *matrix[2] = {stack->admittance[0], stack->admittance[1]};
  const double *bias[2];
  for (int side = 0; side < 2; side++) {
    bias[side] = stack->bias[side] != NULL ? stack->bias[side] : own->side[side];
    if (stack->rows[side] == 0) matrix[side] = bias[side] = none;
  }
  flg_status status =
      flg_elimination_factor(&own->inner, FLG_PIVOTS_CHOOSE, matrix, own->admittance);
  if (status == FLG_OK) status = flg_elimination_refresh(&own->inner, bias, own->bias);
  if (status == FLG_OK) return FLG_OK;
  return flg_fail(error, status, "A number of these models is not finite.");
}

flg_status flg_eliminate(const flg_stack *stack, void *memory, size_t bytes, double *admittance,
                         double *bias, int *rank, flg_error *error) {
  if (flg_api_present(stack, "stack", error) != FLG_OK ||
      flg_api_present(memory, "memory", error) != FLG_OK ||
      flg_api_present(admittance, "admittance", error) != FLG_OK ||
      flg_api_present(bias, "bias", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  const flg_stack known = stack_of(stack);
  flg_status status = check_port_stack(&known, error);
  if (status != FLG_OK) return status;
  if (bytes != stack_bytes(&known)) {
    return flg_fail(error, FLG_ERR_USAGE, "This elimination takes %zu bytes of memory, not %zu.",
                    stack_bytes(&known), bytes);
  }
  elimination *own = ports_lay_out(&known, memory, bytes);
  ports_fill(&known, &own->inner);
  status = solve_stack(&known, own, error);
  if (status != FLG_OK) return status;
  const size_t k = (size_t)known.kept;
  for (size_t i = 0; i < k; i++) {
    const size_t from = (size_t)own->position[i];
    bias[i] = own->bias[from];
    for (size_t j = 0; j < k; j++) {
      admittance[i * k + j] = own->admittance[from + k * (size_t)own->position[j]];
    }
  }
  if (rank != NULL) *rank = own->inner.rank;
  return FLG_OK;
}

flg_status flg_eliminate_back(void *memory, const double *forces, double *reactions, double *all,
                              flg_error *error) {
  if (flg_api_present(memory, "memory", error) != FLG_OK) return FLG_ERR_USAGE;
  elimination *own = port_head_of(memory);
  if (own->magic != MAGIC) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "This memory holds no elimination: call flg_eliminate before.");
  }
  for (int i = 0; i < own->kept; i++) {
    own->forces[own->position[i]] = forces == NULL ? 0 : forces[i];
  }
  flg_elimination_back(&own->inner, own->forces, own->reactions, own->side);
  if (reactions != NULL) {
    memcpy(reactions, own->reactions, (size_t)own->constraints * sizeof *reactions);
  }
  if (all != NULL) memcpy(all, own->side[0], (size_t)own->rows * sizeof *all);
  return FLG_OK;
}
