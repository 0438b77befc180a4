/* robot.h - a model without loops, compiled into flat arrays to compute on in joint coordinates.
 *
 * Links are sorted so that a parent comes before its children. Bodies behind fixed joints are part
 * of the link that carries them. Every link has an inner frame at its joint, turned so that the
 * joint's axis is z: kernels know one axis only. `anchors` says where a body's own frame is.
 *
 * The turn that takes z to the axis a is the smallest one if a.z >= 0, otherwise the smallest from
 * -z to a after a half turn about x. A planar joint slides along the x and y that result: for the
 * axis z along x and y, for y along x and -z, for x along -z and y. Ball and floating joints have
 * no axis, and nothing is turned.
 *
 * A mimic joint is a joint like any other here: the code that steps the robot makes it follow.
 *
 * A flexible body is a link of its own, also behind a fixed joint: elastic coordinates follow those
 * of its joint in q and v. What is attached to it rides on a *node*, a link without coordinates
 * whose frame, at rest in the axes of the flexible link, moves with a section of the beam.
 *
 * The robot is const while stepping. Any number of coordinates belongs to a link: offsets and
 * counts are stored, never assumed.
 */
#ifndef FLG_ROBOT_H
#define FLG_ROBOT_H

#include "base/region.h"
#include "model/model.h"

typedef struct flg_link {
  int parent; /* link, FLG_WORLD for the first of a tree */
  int joint;  /* of the model */
  flg_joint_kind kind;
  int position;           /* its first coordinate in q */
  int velocity;           /* its first coordinate in v */
  int velocity_count;     /* how many its joint has in v */
  int displacement_count; /* of these the first: displacements, the others turn */
  int elastic_count;      /* elastic coordinates, after those of its joint in q and in v */
  int flex;               /* of the robot's flexes, -1: rigid */
  int node;               /* of the robot's nodes, -1: it has a joint */
  flg_pose placement;  /* its joint's frame, z along the axis, in the parent link's inner frame */
  flg_vec3 axis2;      /* of a universal joint, perpendicular part and all, in the joint's frame */
  double pitch;        /* of a screw [m/rad] */
  double damping;      /* on each velocity */
  double armature;     /* rotor inertia: part of the diagonal of M */
  flg_inertia inertia; /* of all its bodies, in its inner frame */
  double branch_mass;  /* of this link and of all that it carries */
  double branch_inertia; /* the most that these can have about the link's origin, slides at 0 */
} flg_link;

/* Dry friction is regularised: a joint that sticks under a load creeps, in a step of h, at h times
 * this at most [rad/s^2, m/s^2]: 1e-5 of friction over all that the joint can move. */
double flg_robot_creep(const flg_link *link, int velocity, double friction);

/* Where a body of the model is: on which link, and its frame in that link's inner frame. */
typedef struct flg_link_anchor {
  int link; /* FLG_WORLD: it does not move */
  flg_pose pose;
} flg_link_anchor;

/* A flexible link: its body in the axes of the link's inner frame. */
typedef struct flg_flex {
  int link;
  int position, velocity; /* its first elastic coordinate in q and v */
  flg_modal_body body;
  flg_vec3 *spin_pairs; /* (modes x modes) c_kj - c_jk: how rates act on each other in a spin */
} flg_flex;

/* A frame that rides on a flexible link. */
typedef struct flg_flex_node {
  int link;            /* that it is */
  int flex;            /* that it rides on */
  int first;           /* its first direction, one for each mode, among those of all nodes */
  flg_vec3 station;    /* where it rests, in the inner frame of the flexible link */
  flg_spatial *shapes; /* (modes) displacement and turn for a coordinate of 1 */
  flg_vec3 *pairs;     /* (modes x modes) second-order shapes */
} flg_flex_node;

typedef struct flg_robot {
  int link_count;
  int position_count; /* numbers in q */
  int velocity_count; /* numbers in v */
  int body_count;
  int joint_count;
  flg_link *links;          /* (link_count) */
  flg_link_anchor *anchors; /* (body_count), by body of the model */
  int *joint_links;     /* (joint_count) the link that a joint of the model moves, -1 if fixed */
  flg_flex *flexes;     /* (flex_count) */
  flg_flex_node *nodes; /* (node_count) */
  int flex_count, node_count;
  int direction_count; /* of all nodes */
} flg_robot;

/* Set-up: compiles a model that flg_model_check found no fault with. Loops, several parents, bodies
 * on nothing, branches without mass and ends without inertia against their joint's motion are
 * mistakes, each told with its place. Linear in the model's size. */
flg_status flg_robot_build(flg_robot *robot, const flg_model *model, flg_region *region,
                           flg_mistakes *mistakes);
/* Set-up: where a frame on a body is, given in the body's frame: on its link, or on the node of a
 * flexible body that lies nearest. Nodes are where joints, frames and shapes of the model are, and
 * at the end of a beam; `gap` is how far from its own place the frame's node is [m]; may be NULL.
 */
flg_link_anchor flg_robot_anchor(const flg_robot *robot, int body, const flg_pose *pose,
                                 double *gap);
/* The length of the robot stretched out, by which displacements are small: the distances of its
 * joints from each other, and the most of a centre of mass from its joint [m]; 1 if all are 0. */
double flg_robot_length(const flg_robot *robot);
/* Step: f -= K e + C u of flexible links, with elastic coordinates in q and their rates in v. */
void flg_robot_elastic_force(const flg_robot *robot, const double *q, const double *v, double *f);
/* Step: f -= factor K u alone. */
void flg_robot_stiffness_force(const flg_robot *robot, double factor, const double *v, double *f);
/* Step: the energy that flexible links store [J]. */
double flg_robot_elastic_energy(const flg_robot *robot, const double *q);
double flg_flex_energy(const flg_flex *flex, const double *q);
/* Set-up: moves the world that the robot stands on by a pose: its first links, and bodies that are
 * fixed to the ground. */
void flg_robot_place(flg_robot *robot, const flg_pose *pose);
/* The position at which every joint is at zero: zeros and unit quaternions. */
void flg_robot_zero(const flg_robot *robot, double *q);
/* q = q (+) h v: quaternions turn by the exact rotation and are renormalised. q may be advanced in
 * place (q_next == q). */
void flg_robot_integrate(const flg_robot *robot, const double *q, const double *v, double h,
                         double *q_next);
/* dq/dt of positions that change with the velocities v, quaternions as four plain numbers. */
void flg_robot_rate(const flg_robot *robot, const double *q, const double *v, double *rate);
/* Makes the quaternions in q unit quaternions again. */
void flg_robot_normalise(const flg_robot *robot, double *q);

#endif
