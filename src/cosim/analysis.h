/* analysis.h - one side of an interface, seen from outside: how easily it moves.
 *
 *     a = D x + r        over the port, all other ports free
 *
 * rank and condition of D (6 x 6, SI units) and of its blocks for translation and rotation by
 * singular values; the effective mass D^-1 where it exists; and the effective mass of translation
 * in a direction u, 1/(u . D_tt u): drawn as a radius it is the belted ellipsoid (Khatib 1995).
 *
 * Where links bend, K_eff and C_eff say with which forces elastic and damping forces of the links
 * answer to a displacement and a velocity of the port, while all else yields to them:
 *
 *     K_eff = B^T K B,  C_eff = B^T C B      B = M^-1 A^T (A M^-1 A^T)^-1      (flexible-rim, Eq.
 * 11, 12)
 *
 * Closed contacts are left out, as in models that leave them open (nonsmooth); or they are joints,
 * as in smooth ones (smooth.h).
 */
#ifndef FLG_ANALYSIS_H
#define FLG_ANALYSIS_H

#include "macro/interface.h"

enum { FLG_ANALYSIS_ROWS = 6 };

typedef struct flg_side_analysis {
  double admittance[36]; /* D, column-major */
  double singular[6];    /* values of D */
  int rank, rank_linear, rank_angular;
  double condition; /* infinite where the rank is not full; of the blocks: */
  double condition_linear, condition_angular;
  double effective_mass[36];         /* D^-1, where the rank is full */
  bool bends;                        /* it has elastic links: */
  double stiffness[36], damping[36]; /* K_eff, C_eff, where the rank is full */
  double masses[3];                  /* of translation along the axes, smallest first, may be
                                        infinite [kg] */
  flg_vec3 axes[3];                  /* in world axes */
  flg_vec3 place;                    /* of the port [m] */
  int closed;                        /* contacts of the subsystem */
} flg_side_analysis;

/* Set-up: of an end of an interface, at the state that its subsystem has; it is refreshed.
 * is_smooth: closed contacts are joints. FLG_ERR_DIVERGED if a number is not finite,
 * FLG_ERR_MEMORY, FLG_ERR_CAPACITY. */
flg_status flg_side_analyse(const flg_interface *interface, int end,
                            const flg_subsystem *subsystems, bool is_smooth,
                            flg_side_analysis *analysis, flg_error *error);
/* The effective mass of translation in a direction, infinite if joints block it [kg]. */
double flg_side_mass(const flg_side_analysis *analysis, flg_vec3 direction);

#endif
