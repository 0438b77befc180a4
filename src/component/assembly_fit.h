/* assembly_fit.h - the nearest geometry in which joints that repeat each other agree.
 *
 * A door on three hinges moves only if their axes are one line. Of a file with rounded numbers they
 * are not: rows that repeat others then contradict them, everywhere but at the start. With p the
 * frames of all joints on both sides, N_k^T G_k = 0 the redundant combinations of rows in a pose k,
 * and P = dg/dp,
 *
 *     |dp| least with N_k^T (P_k dp + g_k) = 0 in all poses k
 *
 * is a step of Gauss and Newton towards frames that agree in all these poses, changed by as little
 * as possible. Poses are taken along free motions from the start, each with all rows closed that
 * are independent there. New poses then tell whether the frames agree everywhere.
 *
 * Lengths are measured by the arms of the joints, so that metres and radians weigh alike.
 */
#ifndef FLG_ASSEMBLY_FIT_H
#define FLG_ASSEMBLY_FIT_H

#include "assembly/assembly.h"

typedef struct flg_fit {
  double moved,
      turned;    /* the most that a frame was changed by [m, rad]; 0: they agree as they are */
  int joint;     /* whose frame was changed most, -1: none */
  double length; /* that metres were divided by to compare them with radians */
} flg_fit;

/* Set-up, at positions that all joints are closed at. Changes frames of joints if they contradict
 * each other, and the change stays below `tolerance` (rad, and m over the length). FLG_ERR_INPUT:
 * it would not; frames are as they were. Where no such geometry is found, or only one that is too
 * far away for rounded numbers, or the system is large (FLG_FIT_ROWS_MAX), nothing is changed.
 * Positions are as before: close them again. */
enum { FLG_FIT_ROWS_MAX = 300 };
flg_status flg_assembly_fit(flg_assembly *assembly, double tolerance, flg_fit *fit,
                            flg_error *error);

#endif
