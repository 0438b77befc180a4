/* frame_quantities.h - what can be recorded of a frame that moves, whatever carries it.
 *
 *     position            m      x y z of its origin
 *     orientation         -      its quaternion w x y z
 *     velocity            m/s    of its origin
 *     angular_velocity    rad/s
 */
#ifndef FLG_FRAME_QUANTITIES_H
#define FLG_FRAME_QUANTITIES_H

#include "dynamics/coordinate.h"
#include "subsystem/subsystem.h"

enum { FLG_FRAME_QUANTITIES = 4 };
extern const flg_quantity flg_frame_quantities[FLG_FRAME_QUANTITIES];

/* Step: a quantity by its number in that table. */
void flg_frame_read(const flg_moving_frame *frame, int quantity, double *values);

#endif
