/* pool.h - the inside of flg_threads: one job at a time, for all threads that are free.
 *
 * A job hands out its pieces itself, by tickets. The caller opens it, works like all others, and
 * closes it when the tickets are gone; it then waits only for threads that came in. A worker that
 * is asleep or was put off its core delays no other.
 */
#ifndef FLG_BASE_POOL_H
#define FLG_BASE_POOL_H

#include "base/bell.h"
#include "flange/threads.h"

enum { FLG_CACHE_LINE = 64 };

/* Takes tickets and works them off until there are none; called once by each thread that comes in.
 */
typedef void flg_pool_work(void *job);

struct flg_threads {
  int count;           /* threads, the caller included */
  int spins;           /* looks at a word before sleeping */
  flg_pool_work *work; /* the open job; NULL sends the workers home */
  void *job;
  flg_bell opened, left, ready; /* rung on a new job, on the last leaving, on work inside a job */
  atomic_bool taken;            /* a caller is being served */
  _Alignas(FLG_CACHE_LINE) atomic_int generation; /* odd while a job is open */
  _Alignas(FLG_CACHE_LINE) atomic_int inside;     /* workers that are, or look, inside */
  pthread_t workers[];                            /* (count - 1) */
};

/* Step: true if calls on this pool are to run in the calling thread. */
bool flg_pool_is_inline(const flg_threads *threads);
/* Step: opens the job, works, and returns when all threads that came in have left. */
void flg_pool_run(flg_threads *threads, flg_pool_work *work, void *job);

#endif
