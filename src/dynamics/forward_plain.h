/* forward_plain.h - the passes of forward dynamics in plain numbers, for links of any kind. Inner
 * header of dynamics/; Step calls. */
#ifndef FLG_DYNAMICS_FORWARD_PLAIN_H
#define FLG_DYNAMICS_FORWARD_PLAIN_H

#include "dynamics/scratch.h"

/* Factors of M + diag(added), from the tips to the base. */
void flg_forward_plain_factor(flg_dynamics *dynamics, const double *added);
/* After it: what drives the coordinates, from the tips to the base. */
void flg_forward_plain_gather(flg_dynamics *dynamics, const double *f, const flg_spatial *external);
/* After both: accelerations, from the base to the tips. */
void flg_forward_plain_spread(flg_dynamics *dynamics, double *a);

#endif
