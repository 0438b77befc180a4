/* rest_model.h - the model of all other subsystems, joined, at the ports of one of them.
 *
 * At a communication point every subsystem is reduced once, `w+ = w + tau r + D L` over its ports.
 * The rest of subsystem i is the join of the models of others over the interfaces between them,
 * seen at the ports that face i: row by row opposite to the ports of i. Where the ground is
 * opposite, all rows are zero: it does not move.
 *
 * The touch ports of others (coupled.h) follow as further rows, so that their contacts can open and
 * close during the macro step (macro_contacts.h).
 *
 * Elements of interfaces (interface.h) are closed in every micro step, too: the anchors of those
 * between others follow as the last rows. So do all other anchors of a gear with the viewer.
 *
 * The subsystems of the rest are chosen when it is built: all others; or only some, whose
 * interfaces with those left out are open, or driven by known impulses.
 */
#ifndef FLG_COUPLING_REST_H
#define FLG_COUPLING_REST_H

#include "interface/plan.h"
#include "interface/port_yield.h"
#include "macro/interface.h"

/* The model of a subsystem at a communication point, and what acts on it in the macro step. */
typedef struct flg_reduced {
  flg_interface_model *model; /* over its ports */
  bool is_seen;               /* part of a rest model: else it is for its own micro step alone */
  double *velocity_bias; /* (6 ports) the part of r that comes of velocities alone (coupled.h) */
  double *driven;        /* (6 ports) mean forces on ports that others drive, else 0 [N, N m] */
  int elastic_count;     /* elastic coordinates that follow the ports as rows of the model; */
  flg_elastic_block elastic; /* of them */
  bool bends;                /* paper: X^T K X and X^T C X of it (coupled.h) are in: */
  double *spring, *damper;   /* (6 ports x 6 ports) */
  double *kicked;            /* (6 ports) the same of impulses between micro steps (macro_run.h) */
} flg_reduced;

typedef struct flg_rest_model flg_rest_model;

typedef struct flg_rest_scope {
  const flg_subsystem *subsystems;
  int subsystem_count;
  const flg_interface *interfaces;
  int interface_count;
  int viewer;         /* i */
  const bool *others; /* (subsystems) those of its rest; never i */
  bool is_joined;     /* false: interfaces among the others are ignored (neighbours alone) */
  bool keeps_touch;   /* rows of touch ports of the others follow those of the viewer's ports */
  const int *elastic_ports; /* (subsystems) that models have (coupled.h): they stand last */
} flg_rest_scope;

/* Set-up. The arrays of the scope are borrowed. Release with flg_rest_model_release. */
flg_status flg_rest_model_build(flg_rest_model **rest, const flg_rest_scope *scope,
                                flg_error *error);
void flg_rest_model_release(flg_rest_model *rest); /* NULL is allowed */
/* Memory of its plan, most of which is first touched in steps. */
size_t flg_rest_model_bytes(const flg_rest_model *rest);

/* How many touch ports of the others are kept; subsystem and number (counted from its first touch
 * port) of each. Their rows follow those of the viewer's ports. */
int flg_rest_model_touch_ports(const flg_rest_model *rest);
void flg_rest_model_touch_port(const flg_rest_model *rest, int index, int *subsystem, int *number);
/* The first of the six rows at which the rest has an anchor of an interface's elements, -1: it has
 * none. */
int flg_rest_model_anchor_row(const flg_rest_model *rest, int interface, int anchor);
/* True if the rest is one rigid body, whose contacts are not part of its model: its D turns with
 * it.
 */
bool flg_rest_model_is_rigid(const flg_rest_model *rest);
/* Rows of the model of the rest. */
int flg_rest_model_rows(const flg_rest_model *rest);
/* The number of its last rows that are elastic coordinates. Step: K, C and e of these rows; rows
 * that fill up a port of six have a stiffness of 1, and no force. */
int flg_rest_model_elastic_rows(const flg_rest_model *rest);
void flg_rest_model_bend(const flg_rest_model *rest, const flg_reduced *reduced,
                         const flg_elastic_block *to);
/* Ports of a subsystem at which it is joined to others; and those at which it can touch. */
int flg_joined_ports(const flg_subsystem *subsystem);
int flg_touch_ports(const flg_subsystem *subsystem);

/* Step: from all reduced models (subsystems) and frames as they are now: D, r and w of the rest
 * over the ports of the viewer, in its order; rows that face no subsystem of the rest are zero. For
 * a viewer that uses start rows (coupled.h; else NULL), velocity_bias (6 ports): the part of r that
 * comes of velocities alone, and of impulses between micro steps. */
flg_status flg_rest_model_join(flg_rest_model *rest, const flg_reduced *reduced,
                               double *velocity_bias, flg_interface_model *model);

/* Step, after flg_rest_model_join with the same models: what impulses on the subsystems of the rest
 * (subsystems) of (6 ports) do to the velocities of its rows, those of the model. */
flg_status flg_rest_model_answer(flg_rest_model *rest, const flg_reduced *reduced,
                                 double *const *impulses, double *to);

/* Step: the rows of an interface at the frames of both ends now. */
int flg_interface_rows(const flg_interface *interface, const flg_subsystem *subsystems,
                       flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX]);
/* Step: these, and what is left of them, as a joint of a plan has them: those of a weld between two
 * subsystems are in axes of the world (weld_rows.h), `first` the end that is of the first model
 * (flg_plan_joint). */
int flg_interface_joint_rows(const flg_interface *interface, const flg_subsystem *subsystems,
                             int first, flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX]);
int flg_interface_joint_measure(const flg_interface *interface, const flg_subsystem *subsystems,
                                int first, double left[FLG_CONSTRAINT_ROWS_MAX]);
/* Step: how far its ends are apart, over all rows of displacements [m] and of turns [rad]. */
void flg_interface_openings(const flg_interface *interface, const flg_subsystem *subsystems,
                            double open[2]);
/* Step: the farthest that any of them is from the origin [m]; 0: all are there. */
double flg_interfaces_extent(const flg_interface *interfaces, int count,
                             const flg_subsystem *subsystems);
/* The frame of one end. */
flg_moving_frame flg_interface_frame(const flg_interface *interface, int end,
                                     const flg_subsystem *subsystems);
/* The yield of a port of a model (port_yield.h); over 0 also where the port does not move. */
flg_yield flg_port_yield(flg_interface_model *model, int port);
/* The length of a model (port_yield.h) [m]; 0 if it does not turn, or turns alone. whole: that of
 * the system [m]. */
double flg_model_length(flg_interface_model *model, double whole);
/* The scale of a row, by which its pivot is judged: from the yield of one end, and of both. */
double flg_side_scale(flg_spatial side, flg_yield yield);
double flg_row_scale(const flg_constraint_row *row, const flg_yield yield[2]);
/* Step: writes the rows of an interface into a joint of a plan: G, their scale, and gamma = -G'v,
 * as accelerations need it. */
void flg_interface_fill(const flg_interface *interface, const flg_subsystem *subsystems,
                        const flg_reduced *reduced, const flg_plan_joint *view);

#endif
