/* exponential.h - the functions of a small matrix that exponential integrators need.
 *
 *     phi_0(Z) = e^Z        phi_(k+1)(Z) = sum Z^j / (j + k + 1)!        Z phi_(k+1) = phi_k - 1/k!
 *
 * With them y' = A y + b0 + b1 t + b2 t^2 / 2 is solved exactly:
 *     y(h) = phi_0(hA) y + h phi_1(hA) b0 + h^2 phi_2(hA) b1 + h^3 phi_3(hA) b2
 */
#ifndef FLG_EXPONENTIAL_H
#define FLG_EXPONENTIAL_H

enum { FLG_PHI_COUNT = 4, FLG_PHI_SIZE_MAX = 2 };

/* phi_0 .. phi_3 of Z (n x n, column-major), n at most FLG_PHI_SIZE_MAX, each (n x n). Accurate for
 * any Z whose eigenvalues have no positive real parts: near zero, and at -1e12. */
void flg_phi(int n, const double *Z,
             double phi[FLG_PHI_COUNT][FLG_PHI_SIZE_MAX * FLG_PHI_SIZE_MAX]);

#endif
