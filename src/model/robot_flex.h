/* robot_flex.h - the inside of robot.c: flexible links and their nodes. */
#ifndef FLG_ROBOT_FLEX_H
#define FLG_ROBOT_FLEX_H

#include "model/robot.h"

/* Beams mostly have two modes in each of two planes: for those, loops are of constant length. */
enum { FLG_BEAM_MODES = 4 };

/* Set-up: the most nodes that a model can need, and the arrays of flexes and nodes. */
size_t flg_robot_node_limit(const flg_model *model);
void flg_robot_flex_lay_out(flg_robot *robot, const flg_model *model, flg_region *region);
/* Set-up: elastic coordinates for the newest link, if its body is flexible. */
void flg_robot_make_flexible(flg_robot *robot, const flg_model *model, int body);
/* Set-up: where a frame on a body goes, with a node of its own if the body is flexible and has none
 * there yet. */
flg_link_anchor flg_robot_add_anchor(flg_robot *robot, const flg_model *model, int body,
                                     const flg_pose *pose);
/* Set-up: nodes for frames and shapes on flexible bodies, and for the ends of beams. */
void flg_robot_add_frames(flg_robot *robot, const flg_model *model);

#endif
