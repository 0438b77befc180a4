#include "flange/threads.h"

#include <assert.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/pool.h"

/* A few microseconds: steps follow each other about as fast. With more threads than cores,
 * spinning keeps from work those one waits for. */
enum { SPINS = 200, SPINS_CROWDED = 10 };
enum { CHUNKS_A_THREAD = 16 };

static _Thread_local bool inside_body; /* of any pool */

bool flg_pool_is_inline(const flg_threads *threads) {
  return threads == NULL || threads->count == 1 || inside_body;
}

static void leave_job(flg_threads *threads) {
  if (atomic_fetch_sub(&threads->inside, 1) == 1) flg_bell_ring(&threads->left);
}

/* Comes in, unless the job was closed before this thread was seen inside. */
static bool enter_job(flg_threads *threads, int generation) {
  atomic_fetch_add(&threads->inside, 1);
  if (atomic_load(&threads->generation) == generation) return true;
  leave_job(threads);
  return false;
}

static void *worker_main(void *argument) {
  flg_threads *threads = argument;
  inside_body = true;
  for (int seen = 0;;) {
    flg_bell_wait(&threads->opened, &threads->generation, seen, threads->spins);
    seen = atomic_load(&threads->generation);
    const bool open = seen % 2 != 0;
    if (!open || !enter_job(threads, seen)) continue;
    if (threads->work == NULL) return NULL;
    threads->work(threads->job);
    leave_job(threads);
  }
}

static void open_job(flg_threads *threads, flg_pool_work *work, void *job) {
  threads->work = work;
  threads->job = job;
  atomic_fetch_add(&threads->generation, 1);
  flg_bell_ring(&threads->opened);
}

static void close_job(flg_threads *threads) {
  atomic_fetch_add(&threads->generation, 1);
  for (int inside; (inside = atomic_load(&threads->inside)) != 0;) {
    flg_bell_wait(&threads->left, &threads->inside, inside, threads->spins);
  }
}

void flg_pool_run(flg_threads *threads, flg_pool_work *work, void *job) {
  const bool taken = atomic_exchange(&threads->taken, true);
  assert(!taken && "a pool serves one caller at a time");
  (void)taken;
  open_job(threads, work, job);
  inside_body = true;
  work(job);
  inside_body = false;
  close_job(threads);
  atomic_store(&threads->taken, false);
}

/* Chunks are claimed, not assigned: bodies are subsystems or components of very different cost,
 * and nothing depends on the thread that runs them. Several chunks a thread even the cost out;
 * contiguous ones keep neighbouring results in one cache. The ticket is apart from what all read.
 */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
typedef struct for_job {
  flg_threads_body *body;
  void *context;
  int count, chunks;
  _Alignas(FLG_CACHE_LINE) atomic_int ticket; /* the next chunk */
} for_job;

static void for_work(void *argument) {
  for_job *job = argument;
  const int64_t count = job->count, chunks = job->chunks;
  for (;;) {
    const int64_t chunk = atomic_fetch_add_explicit(&job->ticket, 1, memory_order_relaxed);
    if (chunk >= chunks) return;
    const int end = (int)((chunk + 1) * count / chunks);
    for (int k = (int)(chunk * count / chunks); k < end; k++) job->body(job->context, k);
  }
}

void flg_threads_for(flg_threads *threads, int count, flg_threads_body *body, void *context) {
  if (body == NULL) return;
  if (count <= 1 || flg_pool_is_inline(threads)) {
    for (int k = 0; k < count; k++) body(context, k);
    return;
  }
  const int most = CHUNKS_A_THREAD * threads->count;
  for_job job = {.body = body, .context = context, .count = count};
  job.chunks = count < most ? count : most;
  flg_pool_run(threads, for_work, &job);
}

int flg_threads_count(const flg_threads *threads) {
  return threads == NULL ? 1 : threads->count;
}

static int core_count(void) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores < 1) return 1;
  return cores < FLG_THREADS_MAX ? (int)cores : FLG_THREADS_MAX;
}

static flg_threads *allocate(int count) {
  const size_t bytes = sizeof(flg_threads) + (size_t)count * sizeof(pthread_t);
  const size_t line = FLG_CACHE_LINE;
  flg_threads *threads = aligned_alloc(line, (bytes + line - 1) / line * line);
  if (threads == NULL) return NULL;
  threads->count = count;
  threads->spins = count > core_count() ? SPINS_CROWDED : SPINS;
  atomic_init(&threads->taken, false);
  atomic_init(&threads->generation, 0);
  atomic_init(&threads->inside, 0);
  flg_bell_build(&threads->opened);
  flg_bell_build(&threads->left);
  flg_bell_build(&threads->ready);
  return threads;
}

/* Sends `started` workers home by a job that is never closed, so that none can miss it. */
static void release_started(flg_threads *threads, int started) {
  open_job(threads, NULL, NULL);
  for (int k = 0; k < started; k++) pthread_join(threads->workers[k], NULL);
  flg_bell_release(&threads->opened);
  flg_bell_release(&threads->left);
  flg_bell_release(&threads->ready);
  free(threads);
}

/* All but the faults that a thread raises itself. */
static sigset_t foreign_signals(void) {
  static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  sigset_t signals;
  sigfillset(&signals);
  for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) sigdelset(&signals, faults[k]);
  return signals;
}

/* The number of workers that could be started. They inherit the mask of signals: handling those
 * is the business of the user's threads. */
static int start_workers(flg_threads *threads) {
  const sigset_t blocked = foreign_signals();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  int started = 0;
  while (started < threads->count - 1 &&
         pthread_create(&threads->workers[started], NULL, worker_main, threads) == 0) {
    started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

flg_status flg_threads_build(flg_threads **threads, int count, flg_error *error) {
  if (threads == NULL) return flg_fail(error, FLG_ERR_USAGE, "There is no place for a pool.");
  if (count < 0 || count > FLG_THREADS_MAX) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "A pool has 1 to %d threads, or 0 for one on each core; %d is neither.",
                    FLG_THREADS_MAX, count);
  }
  flg_threads *pool = allocate(count == 0 ? core_count() : count);
  if (pool == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "The system has no memory left for a pool of threads.");
  }
  const int started = start_workers(pool);
  if (started < pool->count - 1) {
    const int wanted = pool->count;
    release_started(pool, started);
    return flg_fail(error, FLG_ERR_MEMORY,
                    "The system started only %d of %d threads; ask for fewer, or raise its limits "
                    "on processes and memory.",
                    started + 1, wanted);
  }
  *threads = pool;
  return FLG_OK;
}

void flg_threads_release(flg_threads *threads) {
  if (threads != NULL) release_started(threads, threads->count - 1);
}
