/* assembly_start.h - what had to be changed to bring an assembly onto its joints at the start.
 *
 *     frames      of joints that repeat each other and do not agree (assembly_fit.h)
 *     velocities  of bodies, projected onto the joints in the mass norm
 *
 * Both are noted as sentences for the user, or refused.
 */
#ifndef FLG_ASSEMBLY_START_H
#define FLG_ASSEMBLY_START_H

#include "base/notices.h"
#include "component/assembly_fit.h"

/* A joint of a robot whose start velocity was changed. */
typedef struct flg_joint_change {
  const char *name; /* NULL: there is none */
  double said, now; /* its velocity [rad/s or m/s] */
} flg_joint_change;

typedef struct flg_start_options {
  double geometry;        /* by how much frames may be changed: rad, and m over the length */
  bool strict;            /* neither frames nor velocities may be changed by more than rounding */
  flg_notices *notices;   /* what is changed is reported here; NULL: it is not */
  flg_joint_change joint; /* of all robots, the one that changed most */
} flg_start_options;

/* Set-up, before joints are closed. FLG_ERR_INPUT with a sentence. */
flg_status flg_assembly_start_frames(flg_assembly *assembly, const flg_start_options *options,
                                     flg_error *error);
/* Set-up, after it. FLG_ERR_INPUT with a sentence. */
flg_status flg_assembly_start_velocities(flg_assembly *assembly, const flg_start_options *options,
                                         flg_error *error);

/* Set-up: stiff (force elements of the component) becomes true for those for which explicit steps
 * of h would not be stable, or nearly, where the assembly is: an assembly of the same component is
 * then built with them (flg_assembly_options). None in rk4. Tells those beyond the limit. *any:
 * there are some. FLG_ERR_MEMORY. */
flg_status flg_assembly_find_stiff(flg_assembly *assembly, double h, bool *stiff, bool *any,
                                   flg_notices *notices);

/* Set-up: warns of explicit springs and dampers for which steps of h are longer than `slack` times
 * what is stable, where the assembly is. FLG_ERR_MEMORY. */
flg_status flg_assembly_tell_stiffness(flg_assembly *assembly, double h, double slack,
                                       flg_notices *notices);

/* Set-up: the longest step of rk4 that is stable with the springs and dampers of an assembly, where
 * it is [s]; INFINITY: any. NaN without memory. */
double flg_assembly_longest_stage_step(flg_assembly *assembly);

/* Set-up: warns of signals whose gains make steps of h / slack unstable, where the assembly is
 * (assembly_stability.c). *grown: the logarithm of the largest growth in such a step, 0: it is
 * stable, or only as unstable as the motion. FLG_ERR_MEMORY. */
flg_status flg_assembly_tell_signals(flg_assembly *assembly, double h, double slack,
                                     flg_notices *notices, double *grown);

/* Set-up, after close: rows of joints are chosen for all steps to come, where that saves work.
 * Steps check the choice, and choose for themselves where it does not hold. FLG_ERR_MEMORY. */
flg_status flg_assembly_freeze(flg_assembly *assembly);

#endif
