/* interface_model.h - how a part answers to forces on its rows, as one flat block of memory.
 *
 *     a  = D x + r                  accelerations
 *     w+ = w + tau r + D L          velocities after the impulses L, in a step of tau
 *     gap+ = gap + tau w+           contact rows only
 *
 * x    forces on the rows, acting on the part    (n)      [N, N m]
 * a    accelerations of the rows                 (n)      [m/s^2, rad/s^2]
 * D    admittance, symmetric, semidefinite       (n x n)  [1/kg, 1/(kg m), 1/(kg m^2)]
 * r    accelerations while nobody pushes         (n)      [m/s^2, rad/s^2]
 * w    velocities of the rows                    (n)      [m/s, rad/s]
 * gap  distances of contact rows, else 0         (n)      [m]
 *
 * D is never inverted: a D of rank 4 is a part that cannot move in two directions, nothing worse.
 *
 * The block holds no pointers. Its capacity is fixed when it is built, its number of rows may
 * change up to that, and what is in use lies in front: the first flg_interface_model_used bytes can
 * be sent to another thread, rank or program as they are.
 *
 *     | capacity rows | r | w | gap | kinds | D (rows x rows, column-major, no gaps) | spare
 *
 * Set-up calls can fail and say why. Step calls neither allocate nor lock.
 */
#ifndef FLG_INTERFACE_INTERFACE_MODEL_H
#define FLG_INTERFACE_INTERFACE_MODEL_H

#include <stddef.h>

#include "flange/status.h"

enum { FLG_INTERFACE_ROWS_MAX = 4096 }; /* D then takes 128 MiB */

/* Rows differ only in who closes them. */
typedef enum flg_row_kind {
  FLG_ROW_INTERFACE,  /* joined to another part, or left open */
  FLG_ROW_CONSTRAINT, /* closed by a = gamma */
  FLG_ROW_CONTACT     /* closed by complementarity, and open until then */
} flg_row_kind;

typedef struct flg_interface_model {
  int capacity; /* rows there is room for */
  int rows;     /* n, in use; set with flg_interface_model_resize */
  double values[];
} flg_interface_model;

/* The arrays in a block; each may be written. */
static inline double *flg_interface_model_bias(flg_interface_model *model) { /* r (n) */
  return model->values;
}

static inline double *flg_interface_model_velocity(flg_interface_model *model) { /* w (n) */
  return model->values + model->capacity;
}

static inline double *flg_interface_model_gap(flg_interface_model *model) { /* (n) */
  return model->values + 2 * (size_t)model->capacity;
}

static inline unsigned char *flg_interface_model_kind(flg_interface_model *model) { /* (n) */
  return (unsigned char *)(model->values + 3 * (size_t)model->capacity);
}

static inline double *flg_interface_model_admittance(flg_interface_model *model) { /* D (n x n) */
  const size_t capacity = (size_t)model->capacity;
  return model->values + 3 * capacity + (capacity + sizeof(double) - 1) / sizeof(double);
}

/* Set-up: bytes of a block with room for that many rows; 0 if capacity is out of range. */
size_t flg_interface_model_bytes(int capacity);
/* Set-up: a block in the caller's memory (aligned for doubles), all zero: `rows` rows of fixed
 * ground. FLG_ERR_RANGE if capacity or rows is; memory is then as it was. */
flg_status flg_interface_model_build(void *memory, int capacity, int rows,
                                     flg_interface_model **model, flg_error *error);
/* Set-up: rejects what no mechanical system has: values that are not finite, a pair of rows in
 * which D is asymmetric or indefinite, a kind that does not exist. */
flg_status flg_interface_model_check(const flg_interface_model *model, flg_error *error);

/* Step: changes the number of rows; all arrays become zero. FLG_ERR_RANGE if there is no room. */
flg_status flg_interface_model_resize(flg_interface_model *model, int rows);
/* Bytes in use, from the start of the block. */
size_t flg_interface_model_used(const flg_interface_model *model);
/* Step: capacities may differ; FLG_ERR_RANGE, and nothing changed, if there is no room. */
flg_status flg_interface_model_copy(flg_interface_model *to, const flg_interface_model *from);
/* Step: a = D x + r. The arrays must not overlap. */
void flg_interface_model_accelerate(const flg_interface_model *model, const double *x, double *a);
/* Step: w and gap after the impulses L (n; NULL: none) in a step of tau. */
void flg_interface_model_advance(flg_interface_model *model, double tau, const double *impulses);

#endif
