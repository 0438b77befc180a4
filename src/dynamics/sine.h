/* sine.h - sines and cosines of many angles at once.
 *
 * Within 1.1 units in the last place, and the same bits on every machine, which libm's are not: it
 * takes other ways where the processor has fused multiply-add. Here two angles go through one
 * vector, in two thirds of libm's time.
 */
#ifndef FLG_DYNAMICS_SINE_H
#define FLG_DYNAMICS_SINE_H

#include "dynamics/sine_kernel.h"

/* Step: sines and cosines (count) of angles (count) [rad]; no overlap. */
void flg_sines(const double *angles, int count, double *sines, double *cosines);

#endif
