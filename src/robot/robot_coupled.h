/* robot_coupled.h - ports of a robot: frames on its links at which it is joined to others. */
#ifndef FLG_ROBOT_COUPLED_H
#define FLG_ROBOT_COUPLED_H

#include "contract/coupled.h"
#include "robot/robot_subsystem.h"

extern const flg_coupled_ops flg_robot_coupled_ops;

/* Set-up: opens ports on a robot that is equipped. The anchors are copied; those of links that can
 * touch (robot_contacts.h, which must be built before) follow as touch ports. */
flg_status flg_robot_ports_build(flg_robot_subsystem *robot, const flg_link_anchor *anchors,
                                 int count, flg_error *error);
void flg_robot_ports_release(flg_robot_subsystem *robot);

/* Step, with forces on ports of links that do not bend: the same forces on links (links), at their
 * origins, as forward dynamics takes them, where the dynamics have moved to. */
const flg_spatial *flg_robot_ports_on_links(flg_robot_subsystem *robot);
/* The same of all links, with the factors of forward dynamics: a += (M + diag(added))^-1 J^T
 * f, f the forces that act on the ports. */
void flg_robot_ports_add_answer(flg_robot_subsystem *robot, double *a);

#endif
