/* assembly_inner_friction.h - dry frictions of joints inside of parts (limits/inner_friction.h):
 * modes of the search of assembly_pivot.c, in semi-implicit steps, and in models of such a step.
 * Outside of both, parts take the friction as damping.
 */
#ifndef FLG_ASSEMBLY_INNER_FRICTION_H
#define FLG_ASSEMBLY_INNER_FRICTION_H

#include "assembly/assembly_inner.h"

/* Set-up, after parts were equipped. */
void flg_inner_frictions_find(flg_assembly *assembly);

/* Step: before forces of a step of h from time on are gathered, and when it is over. Modes start as
 * the model of that step had them, else by the velocities. */
void flg_inner_frictions_begin(flg_assembly *assembly, double time, double h);
void flg_inner_frictions_end(flg_assembly *assembly);
/* Step: around a model of that step. */
void flg_inner_frictions_model(flg_assembly *assembly, double time, double h);
/* Step, in the search of a step of h: the mode that the law asks for. */
int flg_inner_friction_wanted(const flg_assembly *assembly, int index, const double *after);
/* After modes were changed: from = v + h a, of all parts that have some; before factor. */
flg_status flg_inner_frictions_renew(flg_assembly *assembly, double *from);
/* Without a set that keeps all laws: friction is damping, in this step. */
void flg_inner_frictions_give_up(flg_assembly *assembly);
/* After a solve that led to v: whether what sticks creeps. It is held by that much more from now
 * on: after renew it creeps less. */
bool flg_inner_frictions_hold(flg_assembly *assembly, const double *v);
/* After the search, from `from` to v: takes the remaining rates of sticking frictions from `from`.
 * True if any sticks: after another solve bodies joined to it are at rest with it. */
bool flg_inner_frictions_settle(const flg_assembly *assembly, const double *v, double *from);
/* After that, and after projections: what sticks is at rest; without what is left of v. */
void flg_inner_frictions_rest(const flg_assembly *assembly, double *v);
/* As flg_limits_reopen, after a projection that started from rest. */
bool flg_inner_frictions_reopen(flg_assembly *assembly, const double *v);
/* After a step was tried: whether its modes are those of the model; the next models have them. */
bool flg_inner_frictions_agree(flg_assembly *assembly);

#endif
