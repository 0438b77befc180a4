/* coordinate.h - one number between two frames: a distance, a slide or an angle; and how it moves.
 *
 *     c = c(A, B)      dc/dt = s_A . V_A + s_B . V_B      d2c/dt2 = s_A . a_A + s_B . a_B + bias
 *
 * V, a: velocities and (ordinary) accelerations [linear; angular] of the frames' origins, in world
 * axes; s: the gradients, which are also the forces on both frames of a unit effort on c.
 * Kinds: model/component.h. Step calls: nothing is allocated, nothing fails. Where a gradient does
 * not exist (distance 0, x of B along z of A) some finite one is given.
 */
#ifndef FLG_COORDINATE_H
#define FLG_COORDINATE_H

#include "dynamics/coordinate_kernels.h"
#include "model/component.h"

/* An angle plus full turns, as close to `near` as they bring it. */
double flg_coordinate_unwrap(double angle, double near);
/* An angle comes out as the one nearest to `near`: what was true a step before unwraps it. */
void flg_coordinate_evaluate(flg_coordinate_kind kind, const flg_moving_frame end[2], double near,
                             flg_coordinate_row *row);

/* evaluate of an angle but for its value, in two parts: its gradient; rate and bias, of frames that
 * turn with the spins w_A and w_B. */
void flg_coordinate_see_angle(const flg_mat3 *a, const flg_mat3 *b, flg_coordinate_row *row,
                              flg_angle_sight *sight);
void flg_coordinate_turn_angle(const flg_angle_sight *sight, flg_vec3 w_a, flg_vec3 w_b,
                               flg_coordinate_row *row);

#endif
