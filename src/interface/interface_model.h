/* interface_model.h - how a part answers to forces on its rows, as one flat block of memory.
 *
 *     a  = D x + r                  accelerations
 *     w+ = w + tau r + D L          velocities after the impulses L, in a step of tau
 *
 * x    forces on the rows, acting on the part    (n)      [N, N m]
 * a    accelerations of the rows                 (n)      [m/s^2, rad/s^2]
 * D    admittance, symmetric, semidefinite       (n x n)  [1/kg, 1/(kg m), 1/(kg m^2)]
 * r    accelerations without forces on the rows  (n)      [m/s^2, rad/s^2]
 * w    velocities of the rows                    (n)      [m/s, rad/s]
 *
 * D is never inverted: a D of rank 4 is a part that cannot move in two directions, nothing worse.
 *
 * The block holds no pointers. Its capacity is fixed when it is built, its number of rows may
 * change up to that, and what is in use lies in front.
 *
 *     | capacity rows | r | w | D (rows x rows, column-major, no gaps) | spare
 *
 * Set-up calls can fail and say why. Step calls neither allocate nor lock.
 */
#ifndef FLG_INTERFACE_INTERFACE_MODEL_H
#define FLG_INTERFACE_INTERFACE_MODEL_H

#include <stddef.h>

#include "flange/status.h"

enum { FLG_INTERFACE_ROWS_MAX = 4096 }; /* D then takes 128 MiB */

typedef struct flg_interface_model {
  int capacity;  /* rows there is room for */
  int rows;      /* n, in use; set with flg_interface_model_resize */
  double length; /* [m] of the system, where the rows say none (port_yield.h); 0: not known */
  double values[];
} flg_interface_model;

/* The arrays in a block; each may be written. */
static inline double *flg_interface_model_bias(flg_interface_model *model) { /* r (n) */
  return model->values;
}

static inline double *flg_interface_model_velocity(flg_interface_model *model) { /* w (n) */
  return model->values + model->capacity;
}

static inline double *flg_interface_model_admittance(flg_interface_model *model) { /* D (n x n) */
  return model->values + 2 * (size_t)model->capacity;
}

/* Set-up: bytes of a block with room for that many rows; 0 if capacity is out of range. */
size_t flg_interface_model_bytes(int capacity);
/* Set-up: a block in the caller's memory (aligned for doubles), all zero: `rows` rows of fixed
 * ground. FLG_ERR_RANGE if capacity or rows is; memory is then as it was. */
flg_status flg_interface_model_build(void *memory, int capacity, int rows,
                                     flg_interface_model **model, flg_error *error);
/* Set-up: rejects what no mechanical system has: values that are not finite, a pair of rows in
 * which D is asymmetric or indefinite. */
flg_status flg_interface_model_check(const flg_interface_model *model, flg_error *error);

/* Step: changes the number of rows; all arrays become zero. FLG_ERR_RANGE if there is no room. */
flg_status flg_interface_model_resize(flg_interface_model *model, int rows);

#endif
