/* clock.h - what a run takes of the time of those who wait for it. */
#ifndef FLG_CLOCK_H
#define FLG_CLOCK_H

/* Seconds on a clock that only goes forward, from some time in the past. */
double flg_clock(void);

#endif
