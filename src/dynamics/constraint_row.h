/* constraint_row.h - one row of a joint or of a force element between two frames. Also text of
 * generated files (compile/). */
#ifndef FLG_DYNAMICS_CONSTRAINT_ROW_H
#define FLG_DYNAMICS_CONSTRAINT_ROW_H

#include "dynamics/relative.h"

typedef struct flg_constraint_row {
  double left;         /* g: 0 where the joint is closed */
  double rate;         /* dg/dt */
  flg_spatial side[2]; /* s_A, s_B */
  double bias;
} flg_constraint_row;

#endif
