#include "base/bell.h"

void flg_bell_build(flg_bell *bell) {
  /* with default attributes these do not fail */
  atomic_init(&bell->asleep, false);
  pthread_mutex_init(&bell->mutex, NULL);
  pthread_cond_init(&bell->rung, NULL);
}

void flg_bell_release(flg_bell *bell) {
  pthread_cond_destroy(&bell->rung);
  pthread_mutex_destroy(&bell->mutex);
}

/* Leaves the core to its other hardware thread, or saves power, for some tens of cycles. */
static inline void bell_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* No wake-up is lost: in the one order of sequentially consistent operations, either the ringer
 * changes the word before the sleeper looks at it, or the sleeper raises the flag before the
 * ringer looks at that; and then the ringer gets the mutex only once the sleeper waits. */
static void sleep_until_changed(flg_bell *bell, const atomic_int *word, int value) {
  pthread_mutex_lock(&bell->mutex);
  for (;;) {
    atomic_store(&bell->asleep, true);
    if (atomic_load(word) != value) break;
    pthread_cond_wait(&bell->rung, &bell->mutex);
  }
  pthread_mutex_unlock(&bell->mutex);
}

void flg_bell_wait(flg_bell *bell, const atomic_int *word, int value, int spins) {
  for (int spin = 0; spin < spins; spin++) {
    if (atomic_load_explicit(word, memory_order_acquire) != value) return;
    bell_relax();
  }
  sleep_until_changed(bell, word, value);
}

void flg_bell_ring(flg_bell *bell) {
  if (!atomic_load(&bell->asleep)) return;
  pthread_mutex_lock(&bell->mutex);
  atomic_store(&bell->asleep, false); /* so that the next ring need not lock */
  pthread_cond_broadcast(&bell->rung);
  pthread_mutex_unlock(&bell->mutex);
}
