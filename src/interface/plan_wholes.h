/* plan_wholes.h - parts that are rigid bodies, and for now move as one with others: a plan whose
 * joints need no elimination.
 *
 * Where welds are all that holds parts, and each part is a rigid body with one port at its centre
 * of mass, those that are welded to each other are one body, of mass m and inertia I about its
 * centre of mass. With r_a from there to part a, and X_a = [1 -[r_a]x; 0 1],
 *
 *     D_ab = X_a diag(1/m, I^-1) X_b^T        between parts of one whole, 0 between others
 *     b_a  = X_a diag(1/m, I^-1) sum_k X_k^T M_k (b_k - c_k) + c_a,    c = [w x (w x r); 0]
 *
 * which is what eliminating the rows of the welds leads to, G a = -G' v, w the spin of the whole.
 */
#ifndef FLG_INTERFACE_PLAN_WHOLES_H
#define FLG_INTERFACE_PLAN_WHOLES_H

#include "interface/plan.h"
#include "math/mat3.h"
#include "math/spatial.h"

typedef struct flg_plan_member {
  int first;        /* the first part of the same whole, written before factor as the next four */
  double mass;      /* [kg] */
  flg_sym3 inertia; /* about its centre of mass, in world axes [kg m^2] */
  flg_sym3 inverse; /* its inverse */
  flg_vec3 centre;  /* of mass, in the world [m] */
  flg_vec3 spin;    /* w, where right-hand sides swing [rad/s] */
  flg_vec3 gravity; /* that acts on it [m/s^2] */
  flg_vec3 arm;     /* r, found by factor */
  int count;        /* in the first of a whole: how many parts it has, ... */
  double lightness; /* ... 1/m, I^-1 and I, and what the last refresh has found */
  flg_sym3 yields, resists;
  flg_spatial motion;
} flg_plan_member;

/* Joins members to wholes: mass, centre and inertia of each whole, and the arms of its members, as
 * factor needs them. */
void flg_plan_members_gather(flg_plan_member *members, int count);
/* True if this plan can be factored so: all rows of all parts are open at its roots, in admittance
 * form, six a part. */
int flg_plan_may_be_wholes(const flg_plan *plan);
/* Step: in place of flg_plan_factor_alone, from matrices of parts, and members (parts), which are
 * borrowed until the next factor. Only flg_plan_refresh and flg_plan_move may follow; right-hand
 * sides of joints are taken for those above. FLG_ERR_DIVERGED. */
flg_status flg_plan_factor_wholes(flg_plan *plan, flg_plan_member *members);
/* Step, before refresh: whether c counts, G a = -G' v. Else, and at first, G a = 0. */
void flg_plan_swing(flg_plan *plan, int swings);
/* True if the last factors are these. */
int flg_plan_is_of_wholes(const flg_plan *plan);

#endif
