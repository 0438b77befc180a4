/* joint.h - what the kinds of joints do: the one place in dynamics/ that knows them.
 *
 * A joint starts from its joint_frame, the joint's frame on the parent with z along its axis, and
 * puts the link's inner frame somewhere else:  R = joint_frame * turn,  origin = joint_frame's
 * origin + travel.
 */
#ifndef FLG_DYNAMICS_JOINT_H
#define FLG_DYNAMICS_JOINT_H

#include "dynamics/scratch.h"

typedef struct flg_joint_motion {
  flg_mat3 rotation;  /* R, of the link */
  flg_vec3 travel;    /* of its origin, in world axes */
  flg_spatial speed;  /* S v: u and w of scratch.h */
  flg_vec3 intrinsic; /* angular acceleration that S adds by turning on its own */
} flg_joint_motion;

/* The link's own coordinates; sines and cosines of all its positions, whether angles or not. */
typedef struct flg_joint_state {
  const double *q, *v, *sines, *cosines;
} flg_joint_state;

/* A Rz(angle), a turn about the matrix's own z: the last column stays. */
static inline flg_mat3 flg_joint_turn_about_z(const flg_mat3 *a, double s, double c) {
  const double *m = a->m;
  return (flg_mat3){{c * m[0] + s * m[3], c * m[1] + s * m[4], c * m[2] + s * m[5],
                     c * m[3] - s * m[0], c * m[4] - s * m[1], c * m[5] - s * m[2], m[6], m[7],
                     m[8]}};
}

/* Revolute and continuous joints, which robots mostly have: worth kernels of their own. */
static inline bool flg_joint_is_turn(flg_joint_kind kind) {
  return kind == FLG_JOINT_REVOLUTE || kind == FLG_JOINT_CONTINUOUS;
}

/* Step: the motion of a kind that is no turn in the given state, and the directions of the link's
 * coordinates. */
flg_joint_motion flg_joint_move(const flg_link *link, const flg_mat3 *joint_frame,
                                const flg_joint_state *at, flg_coordinate *coordinates);

#endif
