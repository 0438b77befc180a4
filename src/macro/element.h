/* element.h - an element of an interface at given frames: its coordinate, rate and gradients.
 *
 *     c = sum f_i c_i - origin      dc/dt = sum s_k . V_k over the anchors      bias as
 * coordinate.h
 */
#ifndef FLG_COUPLING_ELEMENT_H
#define FLG_COUPLING_ELEMENT_H

#include <stdint.h>

#include "limits/limit.h"
#include "macro/interface.h"

typedef struct flg_element_row {
  double value, rate, bias;
  double part[2], part_rate[2]; /* of the coordinates themselves, turns counted */
  flg_spatial side[FLG_INTERFACE_ANCHORS_MAX];
} flg_element_row;

/* Step: frames of the anchors of its interface; near (2): values that unwrap angles. */
void flg_element_evaluate(const flg_element *element, const flg_moving_frame *frames,
                          const double near[2], flg_element_row *row);
/* The same where all subsystems are now. */
void flg_element_measure(const flg_element *element, const flg_interface *interface,
                         const flg_subsystem *subsystems, const double near[2],
                         flg_element_row *row);
/* True if its row is closed in a mode (limit.h): it is rigid, sticks or touches. */
bool flg_element_is_closed(const flg_element *element, int mode);
/* The mode that the law of a friction or a stop asks for after a solve; others keep theirs. */
int flg_element_judge(const flg_element *element, const flg_limit_seen *seen);
/* The energy stored at that value [J]: springs alone. */
double flg_element_energy(const flg_element *element, double value);
/* The seed chained with all that it depends on. */
uint64_t flg_element_identity(const flg_element *element, uint64_t seed);
/* Of the anchor on the ground, else where the port is and how it moves. */
flg_moving_frame flg_interface_anchor_frame(const flg_interface_end *anchor,
                                            const flg_subsystem *subsystems);

#endif
