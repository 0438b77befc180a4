/* macro_elastic.h - elastic coordinates of the rest as states of its model.
 *
 * A model of a flexible subsystem has its elastic coordinates e as further rows (coupled.h), with D
 * and r as if nothing bent. The subsystem that uses the model advances e with its own micro steps:
 *
 *     f = -K (e + lead e') - C e'        on the elastic rows, at the start of a micro step
 *     D~ = D - D_e (S^-1 + D_ee)^-1 D_e^T,   S = share C + h^2/4 K
 *     u+ = u + h (s~ + D~_e f) + D~ L,   e+ = e + h e'+
 *
 * which is the step of elastic links themselves: share = h and lead = 0 if we use start rows, else
 * h/2. S = L L^T; D~ = D - W W^T with W = D_e L R^-T, R R^T = 1 + L^T D_ee L: S may be as small as
 * it likes, and is never inverted.
 */
#ifndef FLG_COUPLING_MACRO_ELASTIC_H
#define FLG_COUPLING_MACRO_ELASTIC_H

#include "base/region.h"
#include "macro/rest_model.h"

typedef struct flg_macro_elastic {
  int rows;                 /* elastic rows, the last of the rest; 0: it does not bend */
  int all;                  /* rows of the rest */
  double lead;              /* [s] */
  flg_elastic_block block;  /* K, C and e of these rows; set it before each macro step */
  double *factor, *system;  /* (rows x rows) L and R */
  double *through;          /* (all x rows) W */
  double *plain;            /* (all) s~, without elastic forces */
  double *forces, *numbers; /* (rows) f, work space */
} flg_macro_elastic;

/* Set-up: without memory the region has failed. */
void flg_macro_elastic_build(flg_macro_elastic *elastic, const flg_rest_model *rest,
                             flg_region *region);

/* Where in a micro step elastic forces are found: at its start, for its middle, or at a kick there,
 * where e has gone on by half a step. */
typedef enum flg_elastic_rule {
  FLG_ELASTIC_FROM_START,
  FLG_ELASTIC_MIDWAY,
  FLG_ELASTIC_AT_KICK
} flg_elastic_rule;
/* Step, before the first micro step of h: D~, s~, and t~ of what velocities alone do (NULL: none).
 * FLG_ERR_DIVERGED if D is not finite. */
flg_status flg_macro_elastic_begin(flg_macro_elastic *elastic, double h, flg_elastic_rule rule,
                                   flg_interface_model *rest, double *velocity_bias);
/* Step: s of this micro step. */
void flg_macro_elastic_bend(flg_macro_elastic *elastic, flg_interface_model *rest);
/* Step: e += h e', e' among the velocities of all rows. */
void flg_macro_elastic_move(flg_macro_elastic *elastic, const double *u, double h);

#endif
