/* threads.h - a pool of threads for the loops of a step.
 *
 *     flg_threads *threads;
 *     flg_threads_build(&threads, 0, &error);
 *     flg_simulation_share(simulation, threads);
 *
 * Results are bitwise the same for any number of threads: each index of a loop is handed to the body exactly once, by
 * any of the threads, and a body writes only what belongs to its own index.
 *
 * There may be several pools; each serves one caller at a time. A call from inside a body runs in the thread that makes
 * it, whichever pool it names.
 */
#ifndef FLG_THREADS_H
#define FLG_THREADS_H

#include "flange/status.h"

/* threads of a pool, at most */
enum { FLG_THREADS_MAX = 256 };

/* A pool of threads. */
typedef struct flg_threads flg_threads;
/* The body of a parallel loop, for one index. */
typedef void flg_threads_body(void *context, int index);

/* --- pools
 * Owns: the caller, who releases the pool. When: set-up. Fails: status. */

/* A pool of count threads, the caller included; 0: one for each core. With 1, everything runs in the caller. The
 * threads take no signals but their own faults, and keep the floating-point mode (rounding, flush to zero) of the
 * thread that builds them. */
FLG_API flg_status flg_threads_build(flg_threads **threads, int count, flg_error *error);
FLG_API void flg_threads_release(flg_threads *threads);    /* ends the threads, frees the pool; NULL is allowed */
FLG_API int flg_threads_count(const flg_threads *threads); /* the caller included; 1 for NULL */

/* body(context, index) for each index, all of which have returned then. When: always; it allocates nothing, and locks
 * only to wake threads. threads may be NULL: everything runs in the caller. */
FLG_API void flg_threads_for(flg_threads *threads, int count, flg_threads_body *body, void *context);

#endif
