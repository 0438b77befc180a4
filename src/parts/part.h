/* part.h - what an assembly joins: rigid bodies, robots, subsystems of other kinds.
 *
 * Parts of one kind are one *set*: an object with a table of operations (ops) that serves all of
 * them, so that rigid bodies stay arrays and a call is one for all of them. An assembly holds some
 * sets and knows nothing else of its parts.
 *
 * A set has a slice of the positions q and of the velocities v of the assembly, and parts of the
 * plan (interface/plan.h), each with ports of six rows [linear; angular] in world axes:
 *
 *     w  = J(q) v                 velocities of the ports
 *     y+ = y + W J^T x            velocities or accelerations y under x on the ports
 *     D  = J W J^T                admittance; W: inverse mass
 *     a  = J y + J' v             accelerations of the ports, if those of the part are y
 *
 * Frames on a part are *anchors*. An anchor stands on a *link*: a moving frame of the part that
 * `place` fills, always at the same address. A port is at the origin of a link.
 *
 * Arguments q, v and others are the slices of the set, not those of the assembly. All step calls
 * refer to the pose of the last `place`. They allocate, lock and print nothing. Every kind passes
 * tests/part_contract_test.c. Entries marked optional may be NULL.
 */
#ifndef FLG_PART_H
#define FLG_PART_H

#include "base/region.h"
#include "dynamics/coordinate.h"
#include "flange/threads.h"
#include "interface/plan_wholes.h"
#include "interface/port_yield.h"
#include "parts/part_work.h"

enum { FLG_PORT_NUMBERS = 6 };

/* How an assembly steps (assembly/assembly.h). */
typedef enum flg_scheme {
  FLG_SCHEME_RATTLE,
  FLG_SCHEME_RK4,
  FLG_SCHEME_SEMI_IMPLICIT,
  FLG_SCHEME_COUNT
} flg_scheme;

typedef struct flg_parts flg_parts;

/* A frame on a part or on the ground. */
typedef struct flg_part_anchor {
  const flg_moving_frame *on; /* the link that it is fixed to; NULL: the ground */
  flg_parts *of;              /* NULL: the ground */
  int part;                   /* in the set */
  int link;                   /* of the part */
  int port;                   /* of the part, on that link; -1: none is open */
  flg_pose pose;              /* in the link's frame; on the ground in the world */
} flg_part_anchor;

static inline flg_part_anchor flg_part_anchor_on_ground(const flg_pose *pose) {
  return (flg_part_anchor){.port = -1, .pose = *pose};
}

/* Step: where an anchor is and how it moves. */
static inline flg_pose flg_part_anchor_pose(const flg_part_anchor *anchor) {
  return anchor->on == NULL ? anchor->pose : flg_pose_compose(&anchor->on->pose, &anchor->pose);
}

static inline flg_moving_frame flg_part_anchor_frame(const flg_part_anchor *anchor) {
  if (anchor->on == NULL) return (flg_moving_frame){.pose = anchor->pose};
  const flg_vec3 arm = flg_mat3_apply(&anchor->on->pose.rotation, anchor->pose.position);
  return (flg_moving_frame){flg_pose_compose(&anchor->on->pose, &anchor->pose),
                            flg_spatial_shift_motion(anchor->on->velocity, arm)};
}

/* Step: where its port is; that of the ground is the frame itself. */
static inline flg_vec3 flg_part_anchor_port(const flg_part_anchor *anchor) {
  return anchor->on == NULL ? anchor->pose.position : anchor->on->pose.position;
}

/* The mode of the assembly: it sets this, and its sets of parts read it. */
typedef struct flg_part_mode {
  flg_threads *threads; /* NULL: none */
  bool is_root;         /* the plan takes Z with Z Z^T = D in place of D */
  bool is_unit;         /* ... and that of a mass of 1 kg (Euclidean projection) ... */
  double arm;           /* ... whose inertia is the square of this [m]; 0: is 1, too */
  bool is_damped;       /* masses include the damping of the step, M + h C */
  bool is_coasting;     /* gyroscopic forces belong to free steps, and are left out here ... */
  bool is_forceless;    /* ... and so are all other forces */
  double span;          /* the step that D and forces are for, 0: none [s] */
  double bends;         /* the step h whose stiffness masses include, M + h^2 K; 0: none [s] */
  double lead;          /* elastic forces are those after this time [s] */
  const double *mean;   /* mean velocities of the step, as far as they are known: by them masses
                           turn, and before 0 also `lead` and damping; NULL: v */
  const flg_plan_member *members; /* (parts of the only set) which fly as one, where they were
                                     placed last; NULL: each flies by itself */
} flg_part_mode;

/* The members that sets of all kinds begin with. */
struct flg_parts {
  const struct flg_part_ops *ops;
  const flg_part_mode *mode;
  int count;              /* of parts */
  int first;              /* number of the first one in the plan */
  int position, velocity; /* where its slices start in q and v of the assembly */
  int position_count, velocity_count, other_count; /* other: numbers of the state besides */
  flg_plan_part *views;                            /* (count) of the plan */
};

/* Changes since the last call of `place`. */
typedef struct flg_part_placing {
  bool is_still; /* q is that of the last call ... */
  bool is_same;  /* ... and so is v */
  bool weighs;   /* masses at q will be needed, and have not been computed */
} flg_part_placing;

/* Numbers of one part, in the slices of its set. */
typedef struct flg_part_slice {
  int position, position_count, velocity, velocity_count;
} flg_part_slice;

/* How the spin of a part changes from step to step. In a motion that steps resolve, changes have
 * the same sign for several steps; in one that they do not, the next step takes a change back. */
typedef struct flg_spin_changes {
  flg_vec3 last[2]; /* its changes in the last two steps [rad/s] */
  double most;      /* largest spin so far [rad/s] */
  double back;      /* largest change in a step that one of the next two took back [rad/s] ... */
  double angle, at; /* ... times the step [rad], and when that was [s] */
} flg_spin_changes;

/* Step: of h, ended at time, that changed the spin by so much. */
void flg_spin_changes_add(flg_spin_changes *changes, double time, double h, flg_vec3 change,
                          flg_vec3 spin);

/* The operations of a kind in steps of rattle (assembly_rattle.c), with momenta in place of
 * velocities. flg_plain_free_step is for kinds without momenta of their own. */
typedef struct flg_part_free_step {
  /* Half a step under the free accelerations; v_mean: velocities that joints are closed with. */
  void (*set_off)(flg_parts *parts, double h, const double *v, double *v_mean);
  /* Adds the forces on the ports to the momenta, as impulses; change: what they add to velocities,
   * NULL: v_mean has it already. */
  void (*push)(flg_parts *parts, const double *change, double *v_mean);
  /* Keeps the momenta, which look_ahead starts from. */
  void (*remember)(flg_parts *parts);
  /* q_next after h; the part that turned too far for it, -1: none. */
  int (*fly)(flg_parts *parts, double h, const double *q, const double *v_mean, double *q_next);
  /* Corrects v_mean after positions at the end of the free step were moved by `moved`. */
  void (*follow)(flg_parts *parts, const double *moved, double h, double *v_mean);
  /* Extrapolates to the end of the step: the momenta change again by as much as they have since
   * `remember`; ahead: v_mean with these. */
  void (*look_ahead)(const flg_parts *parts, const double *v, double *ahead);
  /* The other half of the step. */
  void (*arrive)(flg_parts *parts, double h, const double *v_mean, double *v);
} flg_part_free_step;

extern const flg_part_free_step flg_plain_free_step;

struct flg_subsystem;
struct flg_joint_range;
struct flg_inner_friction;

/* The name of a part, its place in a file, and its group of the component. */
typedef struct flg_part_label {
  const char *name;
  flg_place place;
  int group;
} flg_part_label;

typedef struct flg_part_ops {
  const char *kind;  /* "body", for messages */
  bool floats;       /* a part is free in space: it has no joint to the ground of its own */
  bool has_no_axes;  /* it does not turn: joints and coordinates that need its axes are refused */
  bool has_jacobian; /* J is not 1: it is known after fill, and velocities need forces on ports */

  /* --- set-up --- */

  /* A frame on body number `body` of a part. */
  flg_part_anchor (*anchor)(flg_parts *parts, int part, int body, flg_pose pose);
  /* The number of the port on a link, which is made if there is none. Optional: a part has one. */
  int (*open)(flg_parts *parts, int part, int link);
  int (*ports)(const flg_parts *parts, int part);
  /* Once all ports are known: memory for them. Optional. */
  void (*equip)(flg_parts *parts, flg_region *region);
  /* Writes the initial state to q and v; other: the set's further numbers of the state, whose
   * address it keeps. */
  void (*start)(flg_parts *parts, double *q, double *v, double *other);
  flg_part_slice (*slice)(const flg_parts *parts, int part);
  flg_part_label (*label)(const flg_parts *parts, int part);
  /* How far parts are from the origin [m]; INFINITY: anywhere. */
  double (*extent)(const flg_parts *parts, const double *q);
  /* True if a velocity is one of displacement. Optional: none is. */
  bool (*is_linear)(const flg_parts *parts, int velocity);
  /* Bit 1 << k: it cannot take steps of scheme k; reason: a sentence for the user. Optional: it can
   * take steps of all schemes. */
  unsigned (*refused_schemes)(const flg_parts *parts, int part, const char **reason);
  /* Optional. The subsystem that a part is: it has objects, events and an identity. */
  const struct flg_subsystem *(*subsystem)(const flg_parts *parts, int part);
  void (*release)(flg_parts *parts); /* optional */

  /* --- links that shapes are on; optional: a part is one link --- */

  int (*links)(const flg_parts *parts, int part);
  /* The link before it, and the one of a body; -1: the ground. */
  int (*parent)(const flg_parts *parts, int part, int link);
  /* Optional. True if a link is a section of its parent, as in a flexible body: they do not touch
   * each other. */
  bool (*rides)(const flg_parts *parts, int part, int link);
  bool (*touches_itself)(const flg_parts *parts, int part);
  /* Of a part that has bodies of its own, which are its first objects: the name of one, NULL: there
   * are no more. */
  const char *(*body_name)(const flg_parts *parts, int part, int body);
  /* True if it is one body, which has the name of the part. */
  bool (*is_body)(const flg_parts *parts, int part);

  /* --- poses --- */

  void (*place)(flg_parts *parts, const double *q, const double *v, flg_part_placing how);
  /* q_next = q (+) h v, after a solve that made v; q' of v as plain numbers; unit quaternions. */
  void (*displace)(flg_parts *parts, const double *q, const double *v, double h, double *q_next);
  /* Optional: parts without it are not moved to poses on trial. */
  void (*rate)(const flg_parts *parts, const double *q, const double *v, double *rate);
  void (*normalise)(const flg_parts *parts, double *q); /* optional */

  /* --- forces --- */

  /* Sets forces to gravity, or to none. push adds one at an anchor, in world axes at its frame. */
  void (*load)(flg_parts *parts);
  void (*push)(flg_parts *parts, const flg_part_anchor *anchor, flg_spatial force);
  /* Optional. After all calls of push: adds the part's own forces, such as those of controllers.
   * FLG_ERR_DIVERGED. */
  flg_status (*gather)(flg_parts *parts, double time, const double *q, const double *v);
  /* Accelerations without joints; flies: gyroscopic moments are left to free steps. */
  void (*accelerate)(const flg_parts *parts, bool flies, double *a);

  /* --- in the plan --- */

  /* D to the views, or as the mode says. FLG_ERR_DIVERGED. */
  flg_status (*fill)(flg_parts *parts);
  /* J y + bias_share J' v to the biases of the views; y NULL: zeros. */
  void (*see)(const flg_parts *parts, const double *y, double bias_share);
  /* y = from + W J^T x, x the forces in the views; from NULL: zeros. */
  void (*collect)(const flg_parts *parts, const double *from, double *y);
  /* Optional. J' v of a frame at its origin, after place; NULL: its link has v as its velocity. */
  flg_spatial (*drift)(const flg_parts *parts, const flg_part_anchor *anchor);
  /* to += J^T x of a port. */
  void (*pull_back)(const flg_parts *parts, int part, int port, const double x[6], double *to);
  /* x . D x of a port. */
  double (*mobility)(const flg_parts *parts, int part, int port, const double x[6]);
  /* Optional. The most that a port yields in any direction. D is rounding in directions that the
   * part's own joints block: pivots of rows are judged by this yield, too. */
  flg_yield (*yield)(const flg_parts *parts, int part, int port);
  /* Optional. y = W y of one part. */
  void (*respond)(const flg_parts *parts, int part, double *y);
  /* Optional. Numbers that D depends on besides q; they are infinite where a velocity is locked. */
  const double *(*locked)(const flg_parts *parts, int part, int *count);
  /* Optional. True if D depends on the step, by damping. */
  bool (*resists)(const flg_parts *parts);
  /* Optional. True if it has elastic forces that are too stiff for explicit steps. */
  bool (*bends)(const flg_parts *parts);
  /* Optional. True if it has a damping that stops its coordinate in less than a step h. */
  bool (*stops)(const flg_parts *parts, double h);

  /* --- energy --- */

  double (*energy)(const flg_parts *parts, int part);
  double (*kinetic_energy)(const flg_parts *parts, int part);
  /* Optional. Without it the momentum is not known. Angular: about the origin. */
  flg_spatial (*momentum)(const flg_parts *parts, int part);

  /* --- steps --- */

  /* Rattle; NULL: such steps are refused. */
  const flg_part_free_step *free_step;
  /* Optional, in place of displace: q = q (+) h v of a step, and v at its end; shift moves q by a
   * correction `by` afterwards. */
  void (*fly)(flg_parts *parts, double h, double *q, double *v);
  void (*shift)(flg_parts *parts, const double *by, double *q, double *v);
  /* Optional, of rigid bodies: mass, inertia, place and spin of one. */
  void (*weigh)(const flg_parts *parts, int part, flg_plan_member *to);
  /* Optional, in place of both: a step of its own under the forces of the last solve, as impulses;
   * writes q and v at its end. */
  flg_status (*advance)(flg_parts *parts, double h, double *q, double *v);
  /* Optional, of kinds whose q contains velocities, too. After q was displaced: the velocities v of
   * the same motion there. */
  void (*carry)(flg_parts *parts, const double *q, double *v);
  /* Optional, of the same kinds. The part takes over v of the last solve for velocities, and writes
   * the q and v that it then has. */
  flg_status (*take_velocities)(flg_parts *parts, double *q, double *v);
  /* Optional. The work of joints in a step, from velocities at its start (depart) and at its end
   * (arrive). */
  void (*depart)(flg_parts *parts, const double *v);
  void (*arrive)(const flg_parts *parts, const double *v, double h, flg_part_work *work);
  /* Optional. A step of h that ended at time led from the velocities before to v. */
  void (*turn)(flg_parts *parts, double time, double h, const double *before, const double *v);
  /* With turn: the changes of one part. */
  const flg_spin_changes *(*spin_changes)(const flg_parts *parts, int part);
  /* Optional. Controllers sample at time; damping acts over h from now on. */
  void (*sample)(flg_parts *parts, double time, double h);
  /* Optional. From now on damping acts over h, the duration of a kick, on mean velocities. */
  void (*set_impulse_step)(flg_parts *parts, double h);
  /* Optional. Adds the damping of a step h at the present velocities to the masses. */
  void (*resist)(flg_parts *parts, double h);
  /* Optional. True if a controller samples within that time. */
  bool (*samples_within)(const flg_parts *parts, double time);
  /* Optional. Recomputes the quantities that can be read from the state. */
  void (*refresh)(flg_parts *parts, double time);
  /* Optional. settle: after q and v were written, makes them fulfil the part's own joints.
   * resample: after an event, lets controllers compute again. */
  void (*settle)(flg_parts *parts);
  void (*resample)(flg_parts *parts);
  /* Optional. Why a call failed, a sentence that goes on after "Subsystem 'x': "; "": it did not.
   */
  const char *(*complaint)(const flg_parts *parts);
  /* Optional. Ranges of joints (limits/joint_range.h), found (joints); returns their number.
   * ends_most: the most that there may be. */
  int (*ends)(const flg_parts *parts, int part, struct flg_joint_range *found,
              flg_mistakes *mistakes);
  int (*ends_most)(const flg_parts *parts, int part);
  /* Optional. Dry frictions of joints (limits/inner_friction.h), found: NULL, or room for them;
   * returns their number. Velocities are those of the part. know_frictions: forces and masses go by
   * their modes from now on, or take them as damping. */
  int (*frictions)(const flg_parts *parts, int part, struct flg_inner_friction *found);
  void (*know_frictions)(flg_parts *parts, bool are_known);
} flg_part_ops;

/* Makes the set of all parts of a component that a higher folder implements (its robots), in their
 * order there; NULL without memory. */
typedef struct flg_part_guests {
  flg_parts *(*make)(const flg_component *component, void *list, flg_region *region);
  void *list;
} flg_part_guests;

/* True if a part is one body, which has the name of the part. */
static inline bool flg_parts_is_body(const flg_parts *set, int part) {
  return set->ops->is_body != NULL && set->ops->is_body(set, part);
}

/* --- for kinds that have D of a part as a matrix (n x n), n = 6 ports --- */

/* Z with Z Z^T = D, by Cholesky with pivoting. order (n), lower (n x n): work space. */
void flg_part_root(int n, const double *D, int *order, double *lower, double *Z);
/* x . D x of a port. */
double flg_part_mobility(int n, const double *D, int port, const double x[6]);

#endif
