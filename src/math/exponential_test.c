#include "math/exponential.h"

#include <complex.h>

#include "check.h"

/* phi_k(z) = (phi_(k-1)(z) - 1/(k-1)!) / z far from zero, a series near it */
static double complex phi_of(int k, double complex z) {
  if (cabs(z) > 1) {
    static const double factorial[] = {1, 1, 2};
    return k == 0 ? cexp(z) : (phi_of(k - 1, z) - 1 / factorial[k - 1]) / z;
  }
  double complex sum = 0, term = 1;
  for (int j = 1; j <= k; j++) term /= j;
  for (int j = 0; j < 30; j++, term *= z / (j + k)) sum += term;
  return sum;
}

static void numbers_have_the_values_of_their_definition(void **state) {
  (void)state;
  for (double z = 1e-12; z < 1e13; z *= 1.7) {
    double phi[FLG_PHI_COUNT][4];
    flg_phi(1, (const double[]){-z}, phi);
    for (int k = 0; k < FLG_PHI_COUNT; k++) {
      const double expected = creal(phi_of(k, -z));
      assert_near(phi[k][0], expected, 3e-14 * fabs(expected) * flg_larger(1, k == 0 ? z : 1));
    }
  }
  double phi[FLG_PHI_COUNT][4];
  flg_phi(1, (const double[]){0}, phi);
  assert_true(phi[0][0] == 1 && phi[1][0] == 1 && phi[2][0] == 0.5);
  assert_near(phi[3][0], 1. / 6, 1e-16);
}

/* a damped oscillator: f(Z) = (f(a) (Z - b) - f(b) (Z - a)) / (a - b) with its two eigenvalues */
static void oscillators_have_the_values_of_their_eigenvalues(void **state) {
  (void)state;
  static const double dampings[] = {0, 0.1, 0.7, 0.99, 1.5, 4};
  for (int d = 0; d < 6; d++) {
    for (double s = 1e-3; s < 1e4; s *= 3) {
      const double zeta = dampings[d], Z[4] = {0, -s, s, -2 * zeta * s};
      const double complex root = csqrt(zeta * zeta - 1);
      const double complex a = s * (-zeta + root), b = s * (-zeta - root);
      double phi[FLG_PHI_COUNT][4];
      flg_phi(2, Z, phi);
      for (int k = 0; k < FLG_PHI_COUNT; k++) {
        const double complex fa = phi_of(k, a), fb = phi_of(k, b), slope = (fa - fb) / (a - b);
        const double scale = flg_larger(cabs(fa), cabs(fb)) * flg_larger(1, s);
        for (int i = 0; i < 4; i++) {
          const double complex one = i == 0 || i == 3 ? fa - slope * a : 0;
          assert_near(phi[k][i], creal(one + slope * Z[i]), 1e-12 * scale);
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_the_values_of_their_definition),
      cmocka_unit_test(oscillators_have_the_values_of_their_eigenvalues),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
