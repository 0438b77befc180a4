/* signals.h - names such as arm/tool.position, resolved once and read at every macro step.
 *
 *     sub/body.position        m      x y z of the body's frame
 *     sub/body.orientation     -      its quaternion w x y z
 *     sub/body.velocity        m/s    of its origin
 *     sub/body.angular_velocity rad/s
 *     sub/body/marker.position, .orientation, .velocity, .angular_velocity: the same of a marker
 *                                                                          or port on the body
 *     sub/joint.position       rad or m, all coordinates of the joint
 *     sub/joint.velocity       rad/s or m/s
 *     sub/joint.effort         N m or N: what the controllers apply, within the joint's limits
 *     sub/energy               J      kinetic and potential
 *
 * A body goes before a joint of the same name.
 */
#ifndef FLG_SIGNALS_H
#define FLG_SIGNALS_H

#include "base/region.h"
#include "flange/signal.h"
#include "subsystem/robot_subsystem.h"

/* What a signal is of. */
typedef struct flg_recorded {
  const struct flg_quantity *quantity; /* which one, and how it is read */
  flg_robot_subsystem *subsystem;
  flg_mount frame; /* of a body or marker */
  int joint;       /* of the model, -1 if it is not of a joint */
} flg_recorded;

/* Set-up: finds what the name means; FLG_ERR_INPUT with a mistake that lists what there is. */
flg_status flg_recorded_find(flg_recorded *recorded, flg_signal *signal, const char *name,
                             flg_place place, flg_robot_subsystem *subsystems, int subsystem_count,
                             flg_region *region, flg_mistakes *mistakes);
/* Step: its values now (the signal's width); the subsystem is refreshed. */
void flg_recorded_read(const flg_recorded *recorded, double *values);

#endif
