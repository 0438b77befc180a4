/* assembly_build.h - the steps of building an assembly, in their order; the region tells if memory
 * is short. */
#ifndef FLG_ASSEMBLY_BUILD_H
#define FLG_ASSEMBLY_BUILD_H

#include "assembly/assembly_inner.h"

/* --- assembly_parts.c --- */

/* Sets of parts, and which set has which body of the component. */
void flg_assembly_make_parts(flg_assembly *assembly, const flg_part_guests *guests);
/* Settles the scheme. Mistakes: schemes, force elements and joints that parts cannot do. */
flg_status flg_assembly_check_parts(flg_assembly *assembly, flg_mistakes *mistakes);
/* Once all ports are known. */
void flg_assembly_equip_parts(flg_assembly *assembly);

/* --- assembly_members.c --- */

/* Bodies that become one, and joints that are left out; all on their own unless options reduce. */
void flg_assembly_find_structure(flg_assembly *assembly);
/* The body of a part: one of the component, or all of a cluster under the name of its first, in the
 * frame of that one. */
const flg_component_body *flg_assembly_whole_body(const flg_assembly *assembly, int lead);
flg_vec3 flg_assembly_gravity(const flg_assembly *assembly, const flg_component_body *body);
/* Once all parts are there: bodies of clusters and trees. */
void flg_assembly_anchor_members(flg_assembly *assembly);
/* The innermost group around both. */
int flg_assembly_common_group(const flg_component *component, int a, int b);
/* The pose of an anchor in the frame of the body of its part. */
flg_pose flg_assembly_pose_in_part(const flg_assembly *assembly, const flg_anchor *anchor);

/* --- assembly_groups.c --- */

/* Once all parts, members and forces are there: what lies inside of each group. */
void flg_assembly_sort_groups(flg_assembly *assembly);

/* --- assembly_trees.c --- */

/* After the structure: bodies that are computed in joint coordinates; none unless options say so.
 */
void flg_assembly_find_trees(flg_assembly *assembly);
/* Angles that are coordinates of trees, once there are measures. */
void flg_assembly_mark_tree_angles(flg_assembly *assembly);
/* ... and at the start, where the angles of the state are known. */
void flg_assembly_start_tree_angles(flg_assembly *assembly);
/* Their parts, which own their bodies; NULL: there are none. */
flg_parts *flg_assembly_make_trees(flg_assembly *assembly);

/* --- assembly_row_sets.c --- */

/* Coordinates; joints, welds, force elements and limits as rows. */
void flg_assembly_make_row_sets(flg_assembly *assembly);
flg_status flg_assembly_make_plan(flg_assembly *assembly, flg_error *error);
void flg_assembly_take_views(flg_assembly *assembly);

#endif
