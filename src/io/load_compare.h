/* load_compare.h - the simulations of a comparison: a scenario, once for every coupling and macro
 * step, and once as the reference.
 *
 * The reference steps as the runs do, unless the scenario chooses its integrator: errors shall be
 * those of couplings. Where it cannot, or where subsystems step in different ways,
 * flg_compared.integrator tells. Leapfrog of robots and rattle of components are one family.
 */
#ifndef FLG_LOAD_COMPARE_H
#define FLG_LOAD_COMPARE_H

#include "base/region.h"
#include "io/load.h"

/* One run. */
typedef struct flg_compared {
  const char *coupling;   /* its scheme, and options, as compared_coupling.h has them */
  double macro;           /* [s] */
  const char *integrator; /* by which it steps; of each subsystem where they differ */
  const char *family;     /* of all these, rattle for leapfrog; NULL: they are of several */
  flg_simulation *simulation;
} flg_compared;

typedef struct flg_comparison {
  int count;
  flg_compared *runs; /* (count) coupling by coupling, macro steps from long to short */
  flg_compared reference;
  double step; /* of the reference [s] */
  flg_region region;
} flg_comparison;

/* Choices of the command line, which replace those of the scenario. */
typedef struct flg_comparison_choice {
  const char *couplings, *macros; /* lists with commas; NULL: as the scenario says */
  const char *const *overrides;   /* (override_count) `key=value` for all */
  int override_count;
  flg_load_options source; /* of the scenario, where it is no file */
} flg_comparison_choice;

/* Set-up: loads all of them. On failure *comparison is empty. Release with
 * flg_comparison_release. */
flg_status flg_comparison_load(flg_comparison *comparison, const char *path,
                               const flg_comparison_choice *choice, flg_mistakes *mistakes);
void flg_comparison_release(flg_comparison *comparison);

#endif
