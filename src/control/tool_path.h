/* tool_path.h - a way for a frame of a robot, leg by leg, as positions of the joints over time.
 *
 *     line     the origin goes straight, the axes turn the shortest way (about one fixed axis)
 *     arc      the frame turns as one piece about a line in the world
 *     joints   every joint goes by itself
 *
 * Each leg starts where the last one ended and goes from rest to rest, by s(t) = x^3 (10 - 15 x +
 * 6 x^2), x the share of its time. Positions on lines and arcs come from inverse kinematics, each
 * from the one before. Times must not decrease from call to call; every arrival is met.
 */
#ifndef FLG_TOOL_PATH_H
#define FLG_TOOL_PATH_H

#include "control/inverse_kinematics.h"

typedef enum flg_leg_kind { FLG_LEG_LINE, FLG_LEG_ARC, FLG_LEG_JOINTS } flg_leg_kind;

typedef struct flg_leg {
  flg_leg_kind kind;
  double arrival;        /* [s], increasing; the first starts at 0 and may arrive there, too */
  bool moves, turns;     /* line: whether position and rotation are given; else they are kept */
  bool relative;         /* line: both are seen from where the path starts, in world axes */
  flg_vec3 position;     /* line: [m] */
  flg_mat3 rotation;     /* line */
  flg_vec3 pivot, axis;  /* arc: a point of the line [m], its direction */
  double angle;          /* arc: [rad] */
  const double *targets; /* joints: (count of the path), rad or m */
} flg_leg;

typedef struct flg_tool_path {
  const char *name; /* of the frame, in messages */
  const flg_leg *legs;
  int leg_count;
  const flg_model *model;
  const flg_robot *robot;
  flg_inverse_kinematics *kinematics;
  int count;            /* joints that legs of joints move */
  const int *positions; /* (count) in q */
  double *from;         /* (positions of the robot) where the leg began; scratch of the caller */
  int leg;              /* under way */
  double begun;         /* when it did [s] */
  flg_pose start, here; /* of the frame: when the path began, when the leg did */
  flg_reach worst;      /* largest errors so far */
} flg_tool_path;

/* Step: begins at q, at time 0. All but leg, begun, start, here and worst is set by the caller. */
void flg_tool_path_begin(flg_tool_path *path, const double *q);
/* Step: where the joints are at a time, from where they were at the time before, in place.
 * FLG_ERR_RANGE, with the time and by how much, if the frame cannot get there. */
flg_status flg_tool_path_go(flg_tool_path *path, double time, double *q, flg_error *error);

#endif
