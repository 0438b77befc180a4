/* frame_quantities.h - what can be recorded of a frame that moves, whatever carries it.
 *
 *     position            m      x y z of its origin
 *     orientation         -      its quaternion w x y z
 *     velocity            m/s    of its origin
 *     angular_velocity    rad/s
 *     contact_force       N      of bodies that can touch, by their host (contact_objects.h)
 */
#ifndef FLG_FRAME_QUANTITIES_H
#define FLG_FRAME_QUANTITIES_H

#include "contract/subsystem.h"
#include "dynamics/coordinate.h"

/* Frames have the first so many, bodies that can touch all of them. */
enum { FLG_FRAME_QUANTITIES = 4, FLG_CONTACT_FORCE = 4, FLG_TOUCHED_QUANTITIES = 5 };
extern const flg_quantity flg_frame_quantities[FLG_TOUCHED_QUANTITIES];

/* Step: a quantity of any frame by its number in that table. */
void flg_frame_read(const flg_moving_frame *frame, int quantity, double *values);

/* Of all bodies of a subsystem: linear momentum, and angular about the world's origin. */
enum { FLG_MOMENTUM_LINEAR, FLG_MOMENTUM_ANGULAR, FLG_MOMENTUM_QUANTITIES };
extern const flg_quantity flg_momentum_quantities[FLG_MOMENTUM_QUANTITIES];
void flg_momentum_read(flg_spatial momentum, int quantity, double *values);

#endif
