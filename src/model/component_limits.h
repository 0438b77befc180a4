/* component_limits.h - what flg_component_check asks of sums, frictions and stops. Set-up only.
 *
 * Each looks at one of them and adds to the mistakes what it finds.
 */
#ifndef FLG_COMPONENT_LIMITS_H
#define FLG_COMPONENT_LIMITS_H

#include "model/component.h"

void flg_component_check_sum(const flg_component *component, int coordinate,
                             flg_mistakes *mistakes);
void flg_component_check_friction(const flg_component *component, int friction,
                                  flg_mistakes *mistakes);
void flg_component_check_stop(const flg_component *component, int stop, flg_mistakes *mistakes);

#endif
