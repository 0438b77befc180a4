/* bell.h - waiting for a word to change: spin for a moment, then sleep until the bell is rung.
 *
 * A thread that changes the word does so with a sequentially consistent store, then rings. Ringing
 * takes a lock only if a thread sleeps.
 */
#ifndef FLG_BASE_BELL_H
#define FLG_BASE_BELL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct flg_bell {
  atomic_bool asleep; /* a thread may sleep that has not been woken yet; set under the mutex */
  pthread_mutex_t mutex;
  pthread_cond_t rung;
} flg_bell;

/* Set-up. */
void flg_bell_build(flg_bell *bell);
void flg_bell_release(flg_bell *bell);
/* Step: returns once *word is not `value`, with all that was written before the change. */
void flg_bell_wait(flg_bell *bell, const atomic_int *word, int value, int spins);
/* Step: wakes all threads that sleep, to look at their words again. */
void flg_bell_ring(flg_bell *bell);

#endif
