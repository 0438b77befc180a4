/* search.h - which limits are closed: principal pivoting around a solve.
 *
 * A limit (a friction, a stop, a spring with play) is a row that is closed in some of its modes and
 * open in others. A search solves with the modes as they are, changes all limits that break their
 * law (limit.h), and solves again. Where that makes no progress, or closed rows contradict each
 * other (a joint that sticks, thrown back by its stop), all closed rows yield a little, so that
 * each has an impulse of its own; and if changing all makes no progress then, the first one that
 * breaks its law changes alone, until fewer are wrong than ever before (Murty's least index, as by
 * Judice and Pires). That ends if bounds do not change; so a friction that was let slip alone only
 * sticks again under its bound in motion. At last rows are hard again, with the set as it was
 * found, unless that breaks a law: a contact that hard rows hold already would carry nothing.
 *
 * Hosts (assemblies, macro runs) supply the rows. Steps allocate nothing.
 */
#ifndef FLG_LIMITS_SEARCH_H
#define FLG_LIMITS_SEARCH_H

#include <stdbool.h>

#include "flange/status.h"

/* As a wanted mode: the row is closed, but others hold it elsewhere. */
enum { FLG_LIMIT_CONTRADICTS = 2 };

typedef struct flg_limit_ops {
  /* With the modes as they are. */
  flg_status (*solve)(void *host);
  /* After it: the mode of a limit, and the one that its law asks for. */
  int (*mode)(const void *host, int limit);
  int (*judge)(const void *host, int limit);
  /* is_alone: it is the only one that changes. */
  void (*change)(void *host, int limit, int mode, bool is_alone);
  /* From now on closed rows yield a little, or are hard again. */
  void (*yield)(void *host, bool yields);
} flg_limit_ops;

/* Step: as many limits as count. is_solved: all laws hold. Fails as solve does. */
flg_status flg_limits_search(const flg_limit_ops *ops, void *host, int count, bool *is_solved);

#endif
