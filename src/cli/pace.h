/* pace.h - keeps a run in step with the clock on the wall, and measures the delays.
 *
 * Macro step k is due at start + k * period. A step that is done earlier waits until then; one that
 * is done later is an overrun, and the next ones catch up.
 */
#ifndef FLG_PACE_H
#define FLG_PACE_H

#include <stdint.h>

enum { FLG_PACE_BINS = 1024 };

typedef struct flg_pace {
  double period;               /* of a macro step on the clock [s] */
  double start;                /* on the clock [s] */
  double begun;                /* when the work of this macro step began */
  int64_t steps;               /* done */
  int64_t overruns;            /* of them */
  int64_t waits;               /* the others */
  double jitter;               /* largest by which a wait ended too late [s] */
  double margin_min;           /* smallest share of the period that was free */
  double margin_sum;           /* of all steps */
  int64_t bins[FLG_PACE_BINS]; /* of waits, by how late they ended: 16 to a factor of 2 */
} flg_pace;

flg_pace flg_pace_begin(double period);
/* After a macro step: waits until it is due. Returns early if the user asks to stop. */
void flg_pace_wait(flg_pace *pace);
/* By how much a share (0 to 1) of the waits ended too late at most [s], to 4 percent. */
double flg_pace_jitter(const flg_pace *pace, double share);

#endif
