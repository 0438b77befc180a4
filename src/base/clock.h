/* clock.h - the wall-clock time that a run takes. */
#ifndef FLG_CLOCK_H
#define FLG_CLOCK_H

/* Seconds on a clock that only goes forward, from some time in the past. */
double flg_clock(void);

#endif
