/* scratch.h - the inside of flg_dynamics: what the algorithms leave for each other.
 *
 * One motion for each link and one coordinate for each velocity; motions[-1] is the ground. Inner
 * header of dynamics/.
 *
 * With r from the parent's origin to the link's, w_p the parent's angular velocity, S the
 * coordinates' directions, u = S_lin v and w = S_ang v:
 *
 *     velocity      linear = linear_p + w_p x r + u             angular = w_p + w
 *     acceleration  linear = linear_p + alpha_p x r + S_lin a + drift_lin
 *                   angular = alpha_p + S_ang a + drift_ang
 *     drift         linear = w_p x (w_p x r) + 2 w_p x u        angular = w_p x w + intrinsic
 *
 * intrinsic: what the joint's own directions add by turning against each other (universal joint).
 */
#ifndef FLG_DYNAMICS_SCRATCH_H
#define FLG_DYNAMICS_SCRATCH_H

#include <stdint.h>

#include "dynamics/coordinate.h"
#include "dynamics/dynamics.h"
#include "math/three.h"

/* Everything in world axes, at the link's origin. */
typedef struct flg_motion {
  union {
    struct {
      flg_mat3 rotation; /* R, of the inner frame */
      flg_vec3 position; /* of the origin */
      flg_spatial velocity;
    };
    flg_moving_frame frame; /* all three */
  };
  flg_vec3 arm;             /* r, from the parent's origin */
  flg_spatial drift;        /* acceleration that velocities add to the parent's */
  flg_spatial acceleration; /* less gravity */
} flg_motion;

/* One velocity. The articulated inertia A is that of its link and all that hangs on it, as it
 * resists while coordinates further out move freely. */
typedef struct flg_coordinate {
  flg_spatial direction; /* S: motion of the link for a unit velocity */
  flg_spatial load;      /* U = A S */
  double yield;          /* 1/(S.U + added), 0 if locked */
  double drive;          /* force left for it: f - S.p */
} flg_coordinate;

/* Motions, forces and articulated inertias of rigid robots in lanes (wide.h). */
typedef struct flg_wide_spatial {
  flg_three linear, angular;
} flg_wide_spatial;

typedef struct flg_wide_articulated {
  flg_three_sym linear;
  flg_three_mat coupling;
  flg_three_sym angular;
} flg_wide_articulated;

typedef struct flg_wide_handle {
  flg_wide_articulated inertia;
  flg_wide_spatial force;
} flg_wide_handle;

/* The inertia of a link, or of all that hangs on it as one rigid body, without its mass. */
typedef struct flg_wide_inertia {
  flg_three moment;
  flg_three_sym rotation;
} flg_wide_inertia;

typedef struct flg_wide_composite {
  double mass;
  flg_wide_inertia inertia;
} flg_wide_composite;

/* Results that links hand to their parent: an articulated inertia and the force p that goes with
 * it, force = A acceleration + p; or, for the mass matrix, all of a branch as one rigid body. */
typedef union flg_handle {
  flg_spatial force;
  flg_wide_handle wide;
  flg_wide_composite branch;
} flg_handle;

/* A link when it was factored: itself, and with all that hangs on it, free. Of rigid
 * robots three numbers of each vector, h and I of the link first, and one that loads read. */
enum { FLG_WIDE_FREE = 3 * 3, FLG_WIDE_FACTORED = FLG_WIDE_FREE + 3 * 7 + 1 };
typedef union flg_factored_link {
  struct {
    flg_inertia own;
    flg_articulated free;
  };
  double wide[FLG_WIDE_FACTORED];
} flg_factored_link;

/* A flexible link (model/modal.h). Its elastic coordinates are coordinates as well, which do not
 * move the link's own frame: their directions are zero there. They are eliminated first, the last
 * of them before the others; `block` then couples each with those before it. */
typedef struct flg_flex_motion {
  flg_inertia own;          /* of the deformed link, in world axes */
  flg_spatial bias;         /* force of velocities on the frame, in world axes, less the spin */
  flg_spatial *momentum;    /* (modes) t_k(e), c_k(e) in world axes */
  flg_vec3 *travel, *swing; /* (modes) the same in the link's axes */
  flg_vec3 *sums;           /* (modes) work space */
  flg_sym3 *inertias;       /* (modes) derivatives of I by e, in the link's axes */
  double *pull;             /* (modes) forces of velocities on elastic coordinates */
  double *block;            /* (modes x modes) lower triangle: factors */
  double *force;            /* (modes) what is left for the coordinates, in passes */
} flg_flex_motion;

/* For what the scratch has been filled: bit for bit the same is not computed again. Positions come
 * first: with others, nothing is known. */
typedef struct flg_dynamics_known {
  bool motions;              /* poses, velocities, drifts and directions, for q and v ... */
  bool biases;               /* ... and what kinematics add to them */
  bool pulls;                /* ... and forces of velocities on flexible links */
  bool factors;              /* factored links, loads and yields, for q and added */
  bool answers;              /* accelerations of all links and a, for all that and f and gravity */
  double *q;                 /* (positions) */
  double *v;                 /* (velocities) */
  double *added;             /* (velocities) */
  double *f, *a;             /* (velocities) */
  flg_elastic_share elastic; /* of the factors */
} flg_dynamics_known;

/* Slots gather what the children of a link hand to it. */
struct flg_dynamics {
  const flg_robot *robot;
  bool is_plain; /* energy and inverse dynamics in plain numbers: of flexible robots */
  flg_dynamics_known known;
  uint64_t factor_number;      /* of times that factors were computed */
  flg_vec3 gravity;            /* of the last accelerations */
  flg_motion *motions;         /* (links), and the ground at [-1] */
  flg_coordinate *coordinates; /* (velocities) */
  flg_spatial *biases;         /* (links), [-1]: accelerations while a is zero, Jdot v */
  flg_spatial *responses;      /* (links), [-1]: J a of the last solve */
  flg_handle *handles;         /* (slots) articulated inertias and forces */
  flg_factored_link *factored; /* (links) */
  double *sines, *cosines;     /* (positions) */
  int *slots;                  /* (links) the slot of a link, -1: it has no children */
  int *branch_ends;            /* (links) the coordinate behind the last that hangs on a link */
  double *columns;             /* (6 x column_stride) of the mass matrix, work space */
  size_t column_stride;        /* velocities, and four that vectors read and write */
  int slot_count;
  flg_flex_motion *flexes;   /* (flexes of the robot) */
  flg_spatial *directions;   /* (directions of all nodes) motion of the node for a unit rate */
  flg_vec3 *bends;           /* (nodes) g (flex.h) in world axes */
  bool *sleeps;              /* (links) idle nodes whose place was not read yet; NULL: no nodes */
  flg_elastic_share elastic; /* what the next factors add for elastic coordinates */
  bool is_indefinite;        /* the mass matrix of the last factors */
};

/* Parts of a sum: slot 0 is shared by all links with one child, and taken up before it is written
 * again; the others start from zero. */
enum { FLG_CHAIN_SLOT = 0 };

/* The acceleration of a link whose coordinates do not accelerate. */
static inline flg_spatial flg_motion_carried(const flg_motion *own, flg_spatial parent) {
  return flg_spatial_add(flg_spatial_shift_motion(parent, own->arm), own->drift);
}

/* The force that drives a coordinate under the generalised force f and the force p on its link;
 * returns the force on the parent. */
static inline flg_spatial flg_coordinate_drive(flg_coordinate *coordinate, double f,
                                               flg_spatial p) {
  coordinate->drive = f - flg_spatial_dot(coordinate->direction, p);
  return flg_spatial_add_scaled(p, coordinate->yield * coordinate->drive, coordinate->load);
}

/* The same for a direction [0; axis]. */
static inline flg_spatial flg_coordinate_drive_turn(flg_coordinate *coordinate, double f,
                                                    flg_spatial p) {
  coordinate->drive = f - flg_vec3_dot(coordinate->direction.angular, p.angular);
  return flg_spatial_add_scaled(p, coordinate->yield * coordinate->drive, coordinate->load);
}

/* Hands a force on link i to its parent, which is not the ground. */
static inline void flg_dynamics_hand_force(flg_dynamics *dynamics, int i, flg_spatial force) {
  const int slot = dynamics->slots[dynamics->robot->links[i].parent];
  const flg_vec3 back = flg_vec3_negate(dynamics->motions[i].arm);
  const flg_spatial felt = flg_spatial_shift_force(force, back);
  flg_spatial *parent = &dynamics->handles[slot].force;
  *parent = slot == FLG_CHAIN_SLOT ? felt : flg_spatial_add(*parent, felt);
}

/* Gravity is felt as if the ground accelerated upwards. */
static inline void flg_dynamics_set_gravity(flg_dynamics *dynamics, flg_vec3 gravity) {
  dynamics->gravity = gravity;
  dynamics->motions[FLG_WORLD].acceleration.linear = flg_vec3_negate(gravity);
}

#endif
