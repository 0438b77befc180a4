#include "limits/search.h"

#include <limits.h>

/* solves without progress before rows change one at a time; in all so many, and so many a row */
enum { PATIENCE = 5, SOLVES_MIN = 100, SOLVES_A_ROW = 30 };

typedef struct search {
  const flg_limit_ops *ops;
  void *host;
  int count;
} search;

/* all that break their law, or only the first of them; how many there were */
/* Changing all at once is block principal pivoting: few solves, but it may cycle. One at a time,
 * always the first, returns to no set where rows are independent (Murty 1974). */
static int revise(const search *in, bool only_first) {
  int wrong = 0;
  for (int k = 0; k < in->count; k++) {
    const int wanted = in->ops->judge(in->host, k);
    /* Rows that others hold elsewhere have no impulse of their own: no single mode is wrong. */
    if (wanted == FLG_LIMIT_CONTRADICTS) return in->count + 1;
    if (wanted == in->ops->mode(in->host, k)) continue;
    if (wrong == 0 || !only_first) in->ops->change(in->host, k, wanted, only_first);
    wrong++;
  }
  return wrong;
}

/* is_patient: goes on with one at a time; wrong: how many are left */
static flg_status search_pivot(const search *in, bool is_patient, int *wrong) {
  const int most = SOLVES_MIN + SOLVES_A_ROW * in->count;
  int best = INT_MAX, patience = PATIENCE;
  for (int k = 0; k < most && (is_patient || patience > 0); k++) {
    const flg_status status = in->ops->solve(in->host);
    if (status != FLG_OK) return status;
    *wrong = revise(in, patience == 0);
    if (*wrong == 0) return FLG_OK;
    if (*wrong < best) {
      best = *wrong, patience = PATIENCE;
    } else if (patience > 0) {
      patience--;
    }
  }
  return FLG_OK;
}

static bool keeps_laws(const search *in) {
  for (int k = 0; k < in->count; k++) {
    if (in->ops->judge(in->host, k) != in->ops->mode(in->host, k)) return false;
  }
  return true;
}

/* With the set as it was found. Hard rows leave nothing to what they hold already, such as a
 * contact under a joint that sticks: where this breaks a law, rows go on yielding. */
static flg_status solve_hard(const search *in, bool is_solved) {
  in->ops->yield(in->host, false);
  flg_status status = in->ops->solve(in->host);
  if (status != FLG_OK || !is_solved || keeps_laws(in)) return status;
  in->ops->yield(in->host, true);
  status = in->ops->solve(in->host);
  in->ops->yield(in->host, false);
  return status;
}

flg_status flg_limits_search(const flg_limit_ops *ops, void *host, int count, bool *is_solved) {
  const search in = {ops, host, count};
  int wrong = 0;
  *is_solved = true;
  flg_status status = search_pivot(&in, false, &wrong);
  /* Redundant rows share impulses in many ways, and laws that look at single impulses find no set.
   * With a little compliance the shares are unique. */
  if (status != FLG_OK || wrong == 0) return status;
  ops->yield(host, true);
  status = search_pivot(&in, true, &wrong);
  *is_solved = wrong == 0;
  if (status == FLG_OK) return solve_hard(&in, *is_solved);
  ops->yield(host, false);
  return status;
}
