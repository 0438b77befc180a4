/* controller.h - what drives the joints of a robot.
 *
 *     table             f = curve(t)
 *     pd                f = kp (q_d - q) + kd (v_d - v)
 *     computed-torque   f = M (a_d + kp (q_d - q) + kd (v_d - v)) + c      kp = w^2, kd = 2 z w
 *     feed-forward      f = M_s a_d + c_s + M_h (kp (q_d - q) + kd (v_d - v))   kp, kd the same
 *     force             f = J^T F      drives push with F at a point of a body
 *     gravity           f = what holds the robot at rest where it is
 *     plugin            f = what a library of the user says (flange/plugin.h)
 *
 * A feed-forward controller lets a stiff robot follow, M_s a_d + c_s at q_d and v_d with links that
 * do not bend, and turns its drives back by what they feel at once, M_h: the inertia of the driven
 * joints while all else yields, ((M^-1)_dd)^-1. Of a flexible robot that is a small part of M.
 *
 * A controller has a sample period of its own: it computes at multiples of it and holds its forces
 * in between, whatever the steps are. Period 0: it computes whenever forces are asked for.
 */
#ifndef FLG_CONTROLLER_H
#define FLG_CONTROLLER_H

#include "dynamics/dynamics.h"
#include "model/curve.h"
#include "plugin/plugin_controller.h"

#define FLG_CONTROLLER_LIST(X)                  \
  X(FLG_CONTROLLER_TABLE, "table")              \
  X(FLG_CONTROLLER_PD, "pd")                    \
  X(FLG_CONTROLLER_COMPUTED, "computed-torque") \
  X(FLG_CONTROLLER_GRAVITY, "gravity")          \
  X(FLG_CONTROLLER_PLUGIN, "plugin")            \
  X(FLG_CONTROLLER_FEED, "feed-forward")        \
  X(FLG_CONTROLLER_FORCE, "force")

#define FLG_CONTROLLER_ENUM(kind, name) kind,
typedef enum flg_controller_kind {
  FLG_CONTROLLER_LIST(FLG_CONTROLLER_ENUM) FLG_CONTROLLER_KIND_COUNT
} flg_controller_kind;

/* The load of a robot besides its own links, as its controller knows it. */
typedef struct flg_payload {
  flg_link_anchor frame; /* at its centre of mass */
  double mass;           /* 0: there is none [kg] */
  flg_sym3 inertia;      /* about the centre, in the frame's axes [kg m^2] */
} flg_payload;

/* Const while stepping; arrays are borrowed. */
typedef struct flg_controller {
  const char *name;
  flg_controller_kind kind;
  bool enabled;            /* at the start */
  double sample;           /* [s], 0: continuous */
  int count;               /* coordinates that it drives */
  const int *positions;    /* (count) in q; each belongs to a joint with one coordinate */
  const int *velocities;   /* (count) in v */
  flg_curve curve;         /* width count: forces of a table, positions of a trajectory */
  const double *stiffness; /* (count) kp [N m/rad or N/m; computed-torque: 1/s^2] */
  const double *damping;   /* (count) kd [N m s/rad or N s/m; computed-torque: 1/s] */
  flg_link_anchor point;   /* of force: where it pushes ... */
  flg_spatial push;        /* ... and with what, in world axes [N], [N m] */
  flg_payload payload;     /* of the kinds that know the robot's dynamics */
  const flg_plugged_controller *plugin; /* of the kind plugin */
} flg_controller;

/* Numbers of scratch that an evaluation of any of these controllers needs. */
size_t flg_controller_scratch(const flg_robot *robot, const flg_controller *controllers, int count);
/* Step: adds its forces at a time and state to f (velocities). Uses the scratch of the dynamics. */
void flg_controller_evaluate(const flg_controller *controller, flg_dynamics *dynamics,
                             const flg_robot *robot, flg_vec3 gravity, double time, const double *q,
                             const double *v, double *scratch, double *f);

#endif
