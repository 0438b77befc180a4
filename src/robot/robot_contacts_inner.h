/* robot_contacts_inner.h - what the files of robot_contacts share. */
#ifndef FLG_ROBOT_CONTACTS_INNER_H
#define FLG_ROBOT_CONTACTS_INNER_H

#include "base/region.h"
#include "contacts/touch_shapes.h"
#include "robot/robot_contacts.h"

/* The range of a joint in a model: whether an end pushes, and the speed that it leaves. */
typedef struct flg_joint_end {
  bool pushes;
  double speed;
} flg_joint_end;

struct flg_robot_touch {
  flg_contacts *contacts;
  flg_contacts_options options;
  flg_touch_shapes shapes; /* as in the scene: bodies are ports */
  int *shape_bodies;       /* (shapes) bodies of the model */
  flg_link_anchor *ports;  /* (port_count) links that can touch */
  int port_count;
  flg_joint_range *limits; /* (limit_count) */
  int limit_count;

  /* of a step: */
  flg_pose *poses;         /* (port_count) */
  flg_spatial *velocities; /* (port_count) */
  flg_touch_place *places; /* (port_count) */
  flg_link_anchor *active; /* (port_count) those with contacts */
  flg_port_way *ways;      /* (port_count) */
  flg_touch_stop *stops;   /* (2 limits) */
  bool *resting;           /* (limits) joints that are held at their end, for a while */
  flg_joint_end *ends;     /* (limits) as the next step was tried */
  bool knows_ends;         /* it was */
  int *stop_rows;          /* (limits) velocities that rows after the ports stand for */
  int active_count, stop_count, row_count;
  bool is_placed;             /* contacts of this step were found, and have their rows */
  flg_contacts_totals totals; /* then: those with this step, before it was tried */
  double *starts;             /* q and v to go back to (robot_stages.h) */
  double *free;               /* (velocities) v + h a, borrowed */
  double *response;           /* (velocities) */
  double *after;              /* (velocities) v with contacts and ends */
  double *admittance;         /* (6 ports + limits)^2 */
  double *shares;             /* (6 ports x velocities) */
  double *rows_before, *rows_free, *impulses, *moves; /* (6 ports + limits) */
  flg_region region;                                  /* holds it, and the state of the robot */
};

/* Step, after a kick that left touch->free: closes contacts and ends; contacts are looked for once
 * in a step. Then: v with their impulses. */
flg_status flg_robot_contacts_close(flg_robot_subsystem *robot, double time, double h,
                                    flg_error *error);
void flg_robot_contacts_after(flg_robot_subsystem *robot, double *after);

/* Rows that a step may have at most. */
static inline int flg_robot_touch_rows(const struct flg_robot_touch *touch) {
  return 6 * touch->port_count + touch->limit_count;
}

#endif
