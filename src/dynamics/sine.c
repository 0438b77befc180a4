#include "dynamics/sine.h"

#include "math/wide_vectors.h"

FLG_WIDE_VECTORS void flg_sines(const double *restrict angles, int count, double *restrict sines,
                                double *restrict cosines) {
  for (int k = 0; k < count; k++) flg_sine_and_cosine(angles[k], &sines[k], &cosines[k]);
  for (int k = 0; k < count; k++) {
    if (fabs(angles[k]) <= FLG_SINE_LIMIT) continue;
    sines[k] = sin(angles[k]);
    cosines[k] = cos(angles[k]);
  }
}
