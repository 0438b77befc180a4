/* adaptive.h - an embedded Runge-Kutta method of order 6 (Verner) with error control, on SUNDIALS
 * (ARKODE).
 *
 * For reference solutions. It starts again in every step, with a first step of its own choice: the
 * result depends on (t, q, v) and h alone. SUNDIALS allocates at set-up, and not in a step.
 */
#ifndef FLG_ADAPTIVE_H
#define FLG_ADAPTIVE_H

#include "dynamics/integrator.h"

typedef struct flg_adaptive flg_adaptive;

flg_status flg_adaptive_build(flg_adaptive **adaptive, const flg_integrator_options *options,
                              const flg_integrated *system, flg_error *error);
void flg_adaptive_release(flg_adaptive *adaptive); /* NULL is allowed */
/* FLG_ERR_DIVERGED if the tolerances cannot be met, FLG_ERR_CAPACITY if that takes more than
 * FLG_ADAPTIVE_STEPS steps of its own; q and v are then where it got stuck. */
flg_status flg_adaptive_step(flg_adaptive *adaptive, double time, double h, double *q, double *v);
/* Set-up: steps look at *stop, and end with FLG_ERR_INTERRUPTED where it is not 0. */
void flg_adaptive_watch(flg_adaptive *adaptive, const volatile int *stop);

#endif
