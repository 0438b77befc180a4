/* compared_coupling.h - a coupling as a comparison names it: a scheme, and options in the words of
 * the coupling section, as in
 *
 *     sequential
 *     parallel contacts=smooth
 *     sequential order=hand,arm
 */
#ifndef FLG_COMPARED_COUPLING_H
#define FLG_COMPARED_COUPLING_H

#include "io/scenario.h"

typedef struct flg_compared_coupling {
  const char *text;       /* as it is shown */
  const char *scheme;     /* as it is known */
  flg_texts settings;     /* `coupling.key=value`, for flg_scenario_read */
  flg_coupling_keys keys; /* what the options say; others are as if absent */
} flg_compared_coupling;

/* False with mistakes, at the place of the text. In the region. */
bool flg_compared_coupling_read(flg_compared_coupling *coupling, const char *text, flg_place place,
                                flg_region *region, flg_mistakes *mistakes);

#endif
