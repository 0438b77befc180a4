/* interrupts.h - Ctrl-C: the first ends the work cleanly, the second at once. */
#ifndef FLG_INTERRUPTS_H
#define FLG_INTERRUPTS_H

/* Not 0 once the user has asked to stop: for loops to look at. */
extern volatile int flg_interrupted; /* an int, as sig_atomic_t is */

/* From now on Ctrl-C and SIGTERM set it. Calls that wait return early. */
void flg_interrupts_listen(void);

#endif
