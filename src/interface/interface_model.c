#include "interface/interface_model.h"

#include <math.h>
#include <string.h>

static const double PAIR_TOLERANCE = 1e-10; /* of sqrt(D_ii D_jj): independent of units */

/* the arrays of a block that is only read */
typedef struct view {
  const double *D, *r, *w;
} view;

static view view_of(const flg_interface_model *model) {
  const size_t capacity = (size_t)model->capacity;
  const double *values = model->values;
  return (view){.r = values, .w = values + capacity, .D = values + 2 * capacity};
}

/* Room for r and w of all rows, for D of those that there are: D lies last, and its columns are as
 * long as the model has rows, so that a small model is one short piece of memory. */
static size_t bytes_of_rows(int capacity, int rows) {
  const size_t room = (size_t)capacity, n = (size_t)rows;
  return sizeof(flg_interface_model) + (2 * room + n * n) * sizeof(double);
}

size_t flg_interface_model_bytes(int capacity) {
  if (capacity < 0 || capacity > FLG_INTERFACE_ROWS_MAX) return 0;
  return bytes_of_rows(capacity, capacity);
}

flg_status flg_interface_model_build(void *memory, int capacity, int rows,
                                     flg_interface_model **model, flg_error *error) {
  const size_t bytes = flg_interface_model_bytes(capacity);
  if (bytes == 0) {
    return flg_fail(error, FLG_ERR_RANGE, "an interface model for %d rows, not 0..%d", capacity,
                    FLG_INTERFACE_ROWS_MAX);
  }
  if (rows < 0 || rows > capacity) {
    return flg_fail(error, FLG_ERR_RANGE, "an interface model of %d rows with room for %d", rows,
                    capacity);
  }
  memset(memory, 0, bytes);
  *model = memory;
  (*model)->capacity = capacity;
  (*model)->rows = rows;
  return FLG_OK;
}

flg_status flg_interface_model_resize(flg_interface_model *model, int rows) {
  if (rows < 0 || rows > model->capacity) return FLG_ERR_RANGE;
  model->rows = rows;
  /* All zero, so that nothing of a model of another size is left where rows are not written. */
  memset(model->values, 0, bytes_of_rows(model->capacity, rows) - sizeof *model);
  return FLG_OK;
}

/* comparisons are written so that NaN makes them false */
static int pair_is_physical(double D_ii, double D_jj, double D_ij, double D_ji) {
  const double scale = sqrt(D_ii) * sqrt(D_jj), slack = PAIR_TOLERANCE * scale;
  return isfinite(scale) && fabs(D_ij - D_ji) <= slack && fabs(D_ij) <= scale + slack;
}

/* Every pair is judged by its two diagonal entries, as |D_ij|^2 <= D_ii D_jj holds in every
 * positive semidefinite matrix. This finds wrong signs, swapped entries and lost symmetry in one
 * pass; a proof would need a factorisation. */
static flg_status check_row(const view *v, int n, int j, flg_error *error) {
  if (!isfinite(v->r[j])) return flg_fail(error, FLG_ERR_PHYSICS, "r[%d] is %g", j, v->r[j]);
  if (!isfinite(v->w[j])) return flg_fail(error, FLG_ERR_PHYSICS, "w[%d] is %g", j, v->w[j]);
  for (int i = 0; i <= j; i++) {
    const double D_ij = v->D[i + (size_t)j * n], D_ji = v->D[j + (size_t)i * n];
    if (pair_is_physical(v->D[i + (size_t)i * n], v->D[j + (size_t)j * n], D_ij, D_ji)) continue;
    return flg_fail(error, FLG_ERR_PHYSICS, "D[%d,%d] cannot be %g", i, j, D_ij);
  }
  return FLG_OK;
}

/* Sizes before numbers: a plug-in's model with a wrong count of rows would be read out of
 * bounds. */
flg_status flg_interface_model_check(const flg_interface_model *model, flg_error *error) {
  if (flg_interface_model_bytes(model->capacity) == 0 || model->rows < 0 ||
      model->rows > model->capacity) {
    return flg_fail(error, FLG_ERR_RANGE, "an interface model of %d rows with room for %d",
                    model->rows, model->capacity);
  }
  const view v = view_of(model);
  flg_status status = FLG_OK;
  for (int j = 0; j < model->rows && status == FLG_OK; j++) {
    status = check_row(&v, model->rows, j, error);
  }
  return status;
}
