/* signal_kernels.h - how continuous states of signals advance in a step of rk4: steps of the
 * interpreter, and a text of generated files. The equations are those of assembly_signals.h.
 */
#ifndef FLG_ASSEMBLY_SIGNAL_KERNELS_H
#define FLG_ASSEMBLY_SIGNAL_KERNELS_H

#include "math/exponential.h"

/* of the step: how far before its end, and after its start, a jump belongs to its neighbour */
#define FLG_SIGNAL_EDGE 1e-3
/* of the time: a product of steps and their number is off by units in the last place, and still
 * meets the jump of a source; inside of steps the edge says what does */
#define FLG_ROUNDED_TIME 1e-12

/* One or two continuous states, with what a step of h needs of their A. */
typedef struct flg_decay {
  int first, count;
  double A[4];
  double whole[FLG_PHI_COUNT][4]; /* phi_k(hA), the last three times h */
  double half[FLG_PHI_COUNT][4];  /* phi_k(hA/2), the last three times h/2 */
  double weight[3][4];            /* of ETDRK4: N_0, N_1 + N_2, N_3 */
} flg_decay;

static inline void flg_decay_prepare(flg_decay *decay, double h) {
  const int n = decay->count;
  double Z[4];
  for (int i = 0; i < 4; i++) Z[i] = h * decay->A[i];
  flg_phi(n, Z, decay->whole);
  for (int i = 0; i < 4; i++) Z[i] /= 2;
  flg_phi(n, Z, decay->half);
  for (int i = 0; i < n * n; i++) {
    for (int k = 1; k < FLG_PHI_COUNT; k++) decay->whole[k][i] *= h, decay->half[k][i] *= h / 2;
    const double a = decay->whole[1][i], b = decay->whole[2][i], c = decay->whole[3][i];
    decay->weight[0][i] = a - 3 * b + 4 * c;
    decay->weight[1][i] = 2 * (b - 2 * c);
    decay->weight[2][i] = 4 * c - b;
  }
}

#endif
