/* assembly_inner.h - the structs of an assembly, and the functions that its sources share.
 *
 * Parts (parts/part.h) are in sets, one a kind: in the plan, in q and in v they come set by set.
 * Nothing here knows which kinds there are. Joints of the plan: those of the component, then the
 * welds of events, then the rows of force elements that the scheme takes implicitly, and one row
 * for each limit.
 */
#ifndef FLG_ASSEMBLY_INNER_H
#define FLG_ASSEMBLY_INNER_H

#include <math.h>
#include <stdint.h>

#include "assembly/assembly.h"
#include "assembly/assembly_limits.h"
#include "assembly/assembly_watch.h"
#include "assembly/assembly_welds.h"
#include "assembly/tree_code.h"
#include "base/growing.h"
#include "base/region.h"
#include "dynamics/joint_rows.h"
#include "forces/force.h"
#include "interface/plan.h"
#include "limits/inner_friction.h"
#include "parts/part.h"
#include "structure/trees.h"

/* The part that a body of the component, or of one of its robots, belongs to. */
typedef struct flg_owner {
  flg_parts *of; /* NULL: it is fixed, or joints fix it to the ground */
  int part, body;
} flg_owner;

/* A body that is part of a cluster, or of the ground, where joints fix it. */
typedef struct flg_member {
  int body;               /* of the component */
  flg_part_anchor centre; /* its centre of mass, and its axes */
} flg_member;

/* The stage of a step in which soft rows act (assembly_soft.c). */
typedef enum flg_soft_phase {
  FLG_PHASE_WHOLE,  /* a whole step */
  FLG_PHASE_COAST,  /* half a step without forces, before or after a kick */
  FLG_PHASE_FIRST,  /* the first half of a step of rattle */
  FLG_PHASE_SECOND, /* its second half */
  FLG_PHASE_MODEL   /* a model for couplings (coupled.h) */
} flg_soft_phase;

/* An angle that is a coordinate of a tree: zero + sign * q. */
typedef struct flg_tree_angle {
  int position, velocity; /* in q and v of the assembly, -1: it is none */
  double sign, zero;      /* zero: NaN until it is known */
} flg_tree_angle;

typedef struct flg_running_coordinate { /* a coordinate */
  flg_coordinate_kind kind;
  int angle;    /* its number in the state, -1: it has none */
  bool is_used; /* by a joint or a spring, in the middle of a step */
  bool
      is_read; /* its value is needed besides by joints, which need it only while they are closed */
  flg_part_anchor anchor[2];
  flg_coordinate_row row; /* scratch */
  flg_angle_sight sight;  /* scratch: further numbers for the rate of an angle */
  flg_vec3 arm[2];        /* scratch: from the ports to the frames */
  double arm_bias;        /* scratch: their share of the bias */
  double start_rate;      /* scratch: at the start of the step */
  double origin;          /* of a sum: what is subtracted */
  flg_tree_angle joint;   /* of an angle */
  bool is_marked;         /* scratch: there is a mark, ... */
  double marked;          /* ... of this angle of the state: ... */
  flg_vec3 mark;          /* ... where it leads x of the first frame, in axes of the first link */
} flg_running_coordinate;

/* A force element (forces/force.h), with the frames or the coordinate that it acts on. */
typedef struct flg_running_force {
  flg_force force;
  int coordinate;            /* -1: it is at frames of its own */
  int row_set;               /* its rows in the plan, -1: none */
  flg_part_anchor anchor[2]; /* (ends of the kind) */
} flg_running_force;

/* A joint, a weld, an implicit force element, or a limit, as rows of the plan. */
typedef struct flg_row_set {
  flg_constraint_kind kind;
  int rows, ends;
  unsigned displacements; /* bit i: row i is one, in metres */
  bool is_plain_joint;    /* it has rows between its two frames alone, no coordinate */
  bool is_plain_weld;     /* of two ports: its rows are in axes of the world (assembly_motion.c) */
  int force;              /* of the assembly, -1: none */
  flg_part_anchor anchor[2];
  flg_graph_port port[FLG_JOINT_ENDS_MAX]; /* (ends) where they are in the plan */
  int anchor_end[2];        /* which end of the plan's joint an anchor belongs to, -1: the ground */
  int coordinate[2];        /* of the last row, -1: none */
  double factor[2];         /* sum of factor * coordinate ... */
  double constant;          /* ... is this */
  int coordinate_end[2][2]; /* as anchor_end, of the coordinates' anchors */
  flg_plan_joint view;
  flg_vec3 arm[2];       /* of a plain weld: from the ports to the frames, scratch */
  flg_joint_sight sight; /* of a rigid joint that is no plain weld: its frames, scratch */
  int seen;              /* rows between them */
  flg_vec3 force_arm; /* from the port that its force is seen at (assembly_watch.h) to the frame of
                     its second end, where G was placed; scratch */
  double left[FLG_CONSTRAINT_ROWS_MAX]; /* g, scratch */
  double rate[FLG_CONSTRAINT_ROWS_MAX]; /* G v, scratch */
  double bias[FLG_CONSTRAINT_ROWS_MAX]; /* G' v, seen from the ports, scratch */
  bool is_even; /* a force element whose effort in a free step of rattle is the mean of both ends */
  double
      start[FLG_CONSTRAINT_ROWS_MAX]; /* its value and effort at the start of the free step, ... */
  double effort[FLG_CONSTRAINT_ROWS_MAX];
  double impulse[FLG_CONSTRAINT_ROWS_MAX]; /* ... impulse in its first half, ... */
  double mean[FLG_CONSTRAINT_ROWS_MAX];    /* ... mean rate, and what the row yields; scratch */
  double yield[FLG_CONSTRAINT_ROWS_MAX];
  flg_jet
      target; /* of a prescribed coordinate: its value now; its rate is subtracted from `rate` */
} flg_row_set;

/* A frame that is joined to others outside of the assembly, or one that is there to touch. */
typedef struct flg_outer_port {
  flg_part_anchor anchor;
  int root, row;       /* of the plan, and its first row there; -1: it does not move */
  flg_moving_frame at; /* where it is, scratch */
  flg_vec3 arm;        /* from its port in the plan to the frame, scratch */
  flg_spatial force;   /* that acts on it, scratch */
} flg_outer_port;

/* A joint whose force is recorded, with the sums of the macro step; scratch. */
typedef struct flg_watch_sum {
  flg_spatial impulse;
  double work;
} flg_watch_sum;

typedef struct flg_watch {
  int joint;       /* -1: an elastic or loose gear, which has no rows of its own */
  int force;       /* element that works on its coordinate, not as rows, -1: none */
  int closed[3];   /* row sets of its implicit element, its friction and its stop, -1: none */
  bool is_between; /* an element between two frames, no joint: as `force`, or closed[0] */
  bool is_asked;   /* by its name, to be recorded */
  bool is_open[6]; /* redundant rows leave that number open */
  flg_watch_sum sum, remembered;
} flg_watch;

/* A force from outside on a frame. */
typedef struct flg_pressure {
  flg_part_anchor anchor;
  flg_vec3 force; /* in world axes */
} flg_pressure;

/* An input that a program has opened, and writes between steps (assembly_inputs.h). */
typedef struct flg_assembly_input {
  flg_input_kind kind;
  const flg_subsystem *guest; /* whose input `index` it is; NULL: the assembly's own */
  int index;                  /* of the block of a signal */
  int coordinate[2];          /* of an effort; -1: there is none */
  flg_part_anchor anchor;     /* of a wrench */
  double *values;             /* (width) */
  int width;
  bool is_given; /* it was written, and not taken back */
} flg_assembly_input;

typedef struct flg_assembly_inputs {
  flg_growing list;   /* flg_assembly_input */
  flg_growing probes; /* flg_assembly_probe */
  const flg_part_anchor *tried;
  flg_spatial trial; /* a force on that anchor, while a probe looks; tried NULL: none */
} flg_assembly_inputs;

enum { FLG_NOTICE_TEXT = 400 };

/* Steps in which joints did work, which rigid joints never do. Near a singular pose velocities of a
 * mechanism change within less than a step, and the step does not resolve that. */
typedef struct flg_passages {
  double kinetic;      /* the largest kinetic energy so far [J] */
  double sum, most;    /* work of joints in all steps, and its largest value so far [J] */
  double worn;         /* kinetic energy that semi-implicit steps lost where joints turn [J] */
  int count;           /* of such steps */
  double first, worst; /* time of the first [s]; the largest share of the kinetic energy */
  bool is_noted;       /* there was such a step, or they add up */
  bool changed;        /* since the text was written */
  double slip, speed;  /* the fastest that a joint slips, and that one moves, at the refresh at
                          which the former is the largest share of the latter [m/s] */
  double counted;      /* the fastest that one slips there whose rows all count [m/s] */
  double open;         /* the widest that a joint that slips is open [m or rad] */
  int slipping;        /* the joint that slips the fastest */
  char text[FLG_NOTICE_TEXT]; /* the warning for the user; "": none */
} flg_passages;

/* Which caches are valid. Two counters grow whenever positions or velocities change; each cache
 * keeps the count that it was computed at as its stamp, and is valid while the counter has that
 * value. 0: it is not valid. */
typedef struct flg_stamps {
  unsigned long q;                /* counter: positions that parts are placed at, placed_q ... */
  unsigned long motion;           /* counter: ... with velocities, placed_v */
  unsigned long weighed;          /* of q: masses */
  unsigned long welds;            /* of q: frames of rigid joints, arms of welds */
  unsigned long angles;           /* of q: gradients of all angles that are used, ... */
  unsigned long angle_values;     /* ... and their values */
  unsigned long outer_ports;      /* of q: frames of outer ports; ... */
  unsigned long outer_port_rates; /* of motion: ... their velocities */
  unsigned long joints;           /* of motion: joints, coordinates, rates and all */
  unsigned long answers;          /* of factors.number: D of outer ports, or ... */
  unsigned long alone_answers;    /* ... of q, where they are not of the plan */
  unsigned long alone;            /* of q: bodies that are welded, as one */
} flg_stamps;

/* The factors of the plan, and a copy of all inputs that they were computed from
 * (assembly_solve.c). They are used again where the inputs are bitwise the same. */
typedef struct flg_factors {
  unsigned long number; /* counter of the factors that were made */
  bool last;            /* ... may be used again: rows and masses are those of a state */
  double *q;            /* (positions) */
  double *locked;       /* (locked_count) numbers of parts besides q */
  flg_weld_state *welds;
  double kick, horizon, bends;
  int phase;
  double tolerance; /* pivots below that of their rows' scale are left out; 0: as in any step */
  double least;     /* pivot, in proportion to its row's scale */
  bool is_chosen;   /* rows are chosen for q, or are those that would be */
  bool is_steep;    /* by frozen rows, close to a singular pose (flg_plan_factor_steep) */
} flg_factors;

/* Steps of rattle by generated code (compile/compiled_mechanism.h), which does what
 * assembly_planar_step.c, or assembly_rattle.c with frozen rows, does: bit for bit, where neither
 * limits nor shapes have rows in the plan. work: of joints, kinetic energy before and after, and
 * `least` (flg_part_work). */
typedef struct flg_step_code {
  int (*step)(void *instance, double h, double *q, double *v, double *angles,
              double work[4]); /* NULL: there is none; 0: it declines, the state is as it was */
  void *instance;
  bool is_pushed;         /* it asks for forces (flg_assembly_code_forces); the assembly keeps
                             angles, and signals */
  bool is_asking;         /* ... now: what slips is among them */
  double *kept;           /* (positions, velocities, angles) before the step */
  const double *impulses; /* (joints) x 2 x 6: of both halves of the step, for watches ... */
  const int *row_sets;    /* (joints) ... of these; NULL: watches need steps of the interpreter */
  int joint_count;
  double time, h;          /* of the step */
  int64_t taken, declined; /* steps that it has taken, and steps of the assembly that it has not */
} flg_step_code;

/* An angle of the state that is a sum of coordinates of a tree. */
typedef struct flg_stage_angle {
  int angle;
  bool is_exact; /* else the state has it within half a turn */
  double zero;
  int count;
  const int *positions;  /* (count) of q */
  const double *factors; /* (count) */
} flg_stage_angle;

/* Steps of rk4 by generated code (compile/compiled_tree.h), for trees without rows: what
 * flg_assembly_rk4 does, but for rounding. Counts are those of flg_step_code. */
typedef struct flg_stage_code {
  int (*step)(const flg_tree_call *call);
  int source_count, held_count, switch_count, angle_count;
  const int *sources, *held, *switches;             /* blocks of the signals; forces */
  double *source_numbers, *held_numbers, *switched; /* (3 x 2 sources), (2 held), (switches) */
  flg_tree_decay *decays;                           /* (decays of the signals) */
  const flg_stage_angle *angles;                    /* (angle_count) that steps keep */
} flg_stage_code;

/* Model: the same once it is built, but for events that name its welds, and for the fields of its
 * lists that are called scratch. */
struct flg_assembly_model {
  flg_assembly_options options;
  const flg_component *component;
  flg_region region; /* holds all that follows, state and scratch, too */
  int set_count, part_count, coordinate_count, row_set_count, force_count;
  int used_count;   /* coordinates that are used (is_used) */
  int joint_count;  /* of the row sets, those that are joints come first ... */
  int rigid_count;  /* ... then welds, then prescribed coordinates: rows without compliance */
  int row_count;    /* of all row sets, ... */
  int rigid_rows;   /* ... and of these */
  int motion_count; /* of the latter, which stand last among them */
  int even_count;   /* force elements that are even */
  int position_count, velocity_count, angle_count, state_count;
  int locked_count;  /* numbers of all parts that factors depend on besides q */
  flg_parts **sets;  /* (set_count) those that have parts */
  int owner_count;   /* bodies of the component, then its robots */
  flg_owner *owners; /* (owner_count) */
  flg_structure structure;
  flg_trees trees;             /* none: all counts are 0 */
  flg_component_body **wholes; /* (bodies) of clusters, by their first; NULL: there are none */
  int member_count;
  flg_member *members; /* (member_count) bodies of clusters and trees, and what the ground holds */
  bool *is_cluster;    /* (parts) it is made of several members; NULL: none is */
  struct flg_assembly_groups *groups; /* what lies inside of them; NULL: there are none */
  flg_running_coordinate *coordinates;
  flg_row_set *row_sets;
  int placed_count;                 /* of the row sets, those that have rows: */
  int *placed;                      /* (placed_count) in their order */
  flg_running_force *forces;        /* (force_count) as flg_forces_at has them */
  struct flg_signals *signals;      /* NULL: there are none */
  int outer_port_count;             /* those of the options, then touch ports */
  flg_outer_port *outer_ports;      /* (outer_port_count) */
  struct flg_assembly_touch *touch; /* NULL: nothing can touch (assembly_contacts.h) */
  struct flg_assembly_objects *objects;
  flg_assembly_inputs inputs;
  struct flg_planar *planar; /* NULL: it moves in space (assembly_planar.h) */
  flg_step_code code;
  flg_stage_code *stages; /* NULL: there is none */
  int watch_count, watch_room;
  flg_watch *watches; /* (watch_count, room for watch_room) */
  int *asked; /* (joints) 1 + the watch of its force that is asked for, 0: none; NULL: none */
  int pressure_count;
  flg_pressure *pressures; /* (pressure_count) */
  double length;           /* of the system [m]: rounding and displacements are judged by it */
  flg_yield yield;         /* of a body in the middle of all, by the logarithms of their masses */
  bool was_fitted;         /* frames of joints were moved at the start (assembly_start.h) */
  double start_energy;     /* kinetic, of the velocities of the file where joints were closed [J] */
};

/* State: one block of numbers (assembly.h), and pointers to what is in it. */
struct flg_assembly_state {
  double *numbers; /* (state_count) */
  double *q, *v, *angles, *force_states;
  flg_welds welds;   /* their modes are in the block, the rest follows from these */
  flg_limits limits; /* the same */
};

/* Dry frictions of joints inside of parts (assembly_inner_friction.h). */
typedef struct flg_inner_frictions {
  int count;
  flg_inner_friction *list; /* (count) velocities are those of the assembly */
  double *start;            /* (velocities) at the start of the step */
  double time, h;           /* of the step */
  bool are_known;           /* their modes; else they are damping */
  bool is_modelled;         /* a model of the step that starts then had modes, and these were: */
  double *modelled;         /* (count) */
} flg_inner_frictions;

/* Scratch: recomputed. */
struct flg_assembly_scratch {
  flg_plan *plan;
  flg_plan_part *views; /* (parts) */
  flg_part_mode mode;
  flg_stamps stamps;
  double *placed_q; /* (positions) of the stamps */
  double *placed_v; /* (velocities) */
  flg_factors factors;
  flg_plan_member
      *members;           /* (parts) where welds of events hold bodies; NULL: there are none ... */
  bool are_wholes;        /* ... and nothing else does: factors are of these, in steps */
  flg_plan_member *alone; /* (parts) the same where no plan is asked (assembly_alone.c) ... */
  flg_spatial *loads;     /* (parts) ... and gravity on each of these wholes, by its first ... */
  flg_spatial *pushes;    /* (parts) ... with what else pushes it */
  bool has_flat;          /* frozen rows leave out those that hold bodies flat */
  double *answers;        /* D of the outer ports; NULL: they are too many */
  double *stage_q, *stage_v, *sum_q, *sum_v, *rate_q, *rate_v; /* of schemes */
  double *start_v;        /* (velocities) at the start of the step */
  double *change;         /* (velocities) work space of the projection */
  double *before;         /* (positions, velocities, angles) before an event, to undo it */
  double *kept;           /* (state) saved while a kick is tried; rattle alone ... */
  flg_limit *kept_limits; /* (limits) ... and these with it */
  double *probe_work;     /* of the plan, if there are watches */
  double watched_time;    /* that their impulses are from [s] */
  double impulse_step;    /* step that impulses from outside are part of, 0: none [s] */
  bool has_impulse_step;  /* ... or they are part of a step that does not need to know */
  double kick, horizon;   /* duration of the force of implicit elements, and how far ahead their
                             coordinate is taken [s]; 0: they do not act */
  flg_soft_phase phase;   /* the stage of the step in which they act */
  bool leans;     /* contacts of a kick have mean velocities from kick to kick (contacts.h) */
  bool is_first;  /* the current step is the first since a communication point */
  double elapsed; /* since the angles of the state were computed [s] */
  double clock;   /* the time of that [s] */
  double kick_start, kick_step; /* of the step that has a kick [s]; NaN: there is none */
  const char *spun; /* name of a part that turned too far in a step of rattle, NULL: none */
  flg_passages passages;
  flg_inner_frictions inner;
};

struct flg_assembly {
  struct flg_assembly_model model;
  struct flg_assembly_state state;
  struct flg_assembly_scratch scratch;
};

/* Compliance of row i that takes no part, or has a given impulse [1/kg or 1/(kg m^2)]: many times
 * what bodies yield. The root form has it as a square root beside rows of that order: with more it
 * would lose their digits. */
static inline double flg_assembly_slack(const flg_assembly *assembly, const flg_row_set *row_set,
                                        int i) {
  const flg_part_mode *mode = &assembly->scratch.mode;
  const double unit_turn = mode->arm > 0 ? 1 / (mode->arm * mode->arm) : 1;
  const flg_yield yield = mode->is_unit ? (flg_yield){1, unit_turn} : assembly->model.yield;
  const double times = assembly->model.options.form == FLG_FORM_ROOT ? 1e13 : 1e30;
  return times * ((row_set->displacements >> i & 1) != 0 ? yield.linear : yield.angular);
}

/* --- assembly_motion.c: poses, velocities and rows --- */

/* Poses and velocities of parts, coordinates that joints, springs or signals work on, and what is
 * left of joints, at q and v. */
void flg_assembly_place(flg_assembly *assembly, const double *q, const double *v);
/* The same, and the rows G of all joints into the plan. */
void flg_assembly_place_rows(flg_assembly *assembly, const double *q, const double *v);
/* The same of a stage that is not closed: values that only joints need, and g of these, are not
 * known after it. */
void flg_assembly_place_stage(flg_assembly *assembly, const double *q, const double *v);
/* The same without rates and biases of rigid joints, which watches need. */
void flg_assembly_place_still(flg_assembly *assembly, const double *q, const double *v);
/* Parts, and nothing else: what is left of joints is not known after it. */
void flg_assembly_place_parts(flg_assembly *assembly, const double *q, const double *v);
/* Parts and coordinates: what forces are found by. What is left of joints is not known after it. */
void flg_assembly_place_loads(flg_assembly *assembly, const double *q, const double *v);
/* Parts, and what is left of joints: g and nothing else. */
void flg_assembly_place_left(flg_assembly *assembly, const double *q);
/* Largest |g| of the last place: of displacements over the length of the system, and of turns. */
double flg_assembly_left(const flg_assembly *assembly);
flg_part_anchor flg_assembly_anchor(const flg_assembly *assembly, const flg_anchor *anchor);
/* The number of a body or robot among the owners, not of the ground; and its entry. */
int flg_assembly_owner_number(const flg_assembly *assembly, int robot, int body);
flg_owner flg_assembly_owner(const flg_assembly *assembly, int robot, int body);
/* The name of such a body, "world": the ground; *part: of the part whose own it is, or NULL. */
const char *flg_assembly_body_name(const flg_assembly *assembly, int robot, int body,
                                   const char **part);
/* The set of a part of the plan; *part: its number there. */
flg_parts *flg_assembly_set_of(const flg_assembly *assembly, int *part);
/* q_next = q (+) h v; rates of q as plain numbers; unit quaternions. */
void flg_assembly_displace(flg_assembly *assembly, const double *q, const double *v, double h,
                           double *q_next);
void flg_assembly_rate(const flg_assembly *assembly, const double *q, const double *v,
                       double *rate);
void flg_assembly_normalise(const flg_assembly *assembly, double *q);
/* A coordinate where parts are placed, whether a step works on it or not. */
const flg_coordinate_row *flg_assembly_read(const flg_assembly *assembly, int coordinate);
/* The angles of the last place become the state's. */
void flg_assembly_keep_angles(flg_assembly *assembly);
/* At the start of a step: rates that angles are foreseen by; angles that steps read. */
void flg_assembly_start_rates(flg_assembly *assembly);

/* --- assembly_members.c: bodies of clusters, after place --- */

double flg_assembly_member_energy(const flg_assembly *assembly, int member);
/* Angular: about the origin. */
flg_spatial flg_assembly_member_momentum(const flg_assembly *assembly, int member);
/* Set-up: the part of a body has q and v of that body in a larger assembly, where it is on its own;
 * those of the cluster that it leads follow. */
void flg_assembly_recentre(flg_assembly *assembly, int body, const flg_assembly *larger, int there);

/* --- assembly_trees.c: bodies in joint coordinates --- */

/* lead: the first body of its cluster */
static inline bool flg_assembly_is_in_tree(const flg_assembly *assembly, int lead) {
  return assembly->model.trees.count > 0 && assembly->model.trees.of_body[lead] >= 0;
}
/* Set-up: adds the factors by which velocities of trees make the rate of a coordinate, times
 * `factor`, to the row (velocities). work: two numbers a link of all trees. False: they are not
 * constant. */
bool flg_assembly_tree_row(const flg_assembly *assembly, int coordinate, double factor,
                           double *work, double *row);
/* Kinetic energy of velocities of the file that did not fit the joints of trees [J]. */
double flg_assembly_lost_in_trees(const flg_assembly *assembly);
/* Set-up: a body has the pose and the velocity of one in a larger assembly; when all have: q and v
 * of the trees. */
void flg_assembly_put_in_tree(flg_assembly *assembly, int body, const flg_assembly *larger,
                              int there);
void flg_assembly_follow_trees(flg_assembly *assembly);

/* --- assembly_forces.c: what pushes, after place at the same q and v --- */

/* The law of an element, and values and rates of its rows, where it is placed; returns its rows. */
int flg_assembly_law(const flg_assembly *assembly, int force, flg_law *law, double *value,
                     double *rate);
/* Effort of an element on its coordinate. */
double flg_assembly_effort(const flg_assembly *assembly, int force);
/* Of an element between two frames: force on its second end, at its frame, and its numbers. */
flg_spatial flg_assembly_force_between(const flg_assembly *assembly, int force, double *value);
/* Set-up: where coordinates are as at the start. */
void flg_assembly_start_forces(flg_assembly *assembly);
double flg_assembly_force_energy(const flg_assembly *assembly, int force);
flg_status flg_assembly_forces(flg_assembly *assembly, double time, const double *q,
                               const double *v);
/* After place and unload: each element that is no row of the plan, and not left out (elements),
 * pushes with -r dc/dt alone, r the sum of its stiffness and damping, each times a factor. taken
 * (elements): the power that each takes from the motion. */
void flg_assembly_push_resistance(flg_assembly *assembly, double stiffness, double damping,
                                  const bool *left_out, double *taken);
/* Its first and last: forces as at first; all are pushed, accelerations follow. */
void flg_assembly_unload(flg_assembly *assembly);
flg_status flg_assembly_gather(flg_assembly *assembly, double time, const double *q,
                               const double *v);

/* --- assembly_soft.c: implicit force elements as soft rows --- */

/* Compliances of the rows of an element, after its parts were filled, and the right-hand side of
 * row i, in the phase of the scheme. */
void flg_soft_soften(const flg_assembly *assembly, flg_row_set *row_set, const flg_law *law);
double flg_soft_side(const flg_assembly *assembly, const flg_row_set *row_set, const flg_law *law,
                     int i);
/* Around a free step of rattle: where even elements depart from; the impulses of the last solve;
 * what they lack at the free step's end, as right-hand sides; the largest displacement that this is
 * worth (as flg_assembly_left; 0: no more than rounding); where they arrive. */
void flg_soft_depart(flg_assembly *assembly);
void flg_soft_collect(flg_assembly *assembly, bool is_first);
void flg_soft_close(const flg_assembly *assembly, const flg_row_set *row_set);
double flg_soft_left(const flg_assembly *assembly);
void flg_soft_arrive(flg_assembly *assembly);

/* --- assembly_solve.c: the plan at work --- */

/* Right-hand sides of joints: rows come out as G y = -left * g - bias * (G' v) + rate * f' + rise *
 * f'', the last two of coordinates that follow a function f of time: velocities ask for f', and
 * accelerations for f''. Implicit springs follow
 * their law, or yield to what joints do to them: from rest, or from the rate that they have. */
typedef enum flg_softness {
  FLG_SOFT_REST,
  FLG_SOFT_RATE,
  FLG_SOFT_LAW,
  FLG_SOFT_FORCE,  /* the law, where y are accelerations */
  FLG_SOFT_CLOSE,  /* what even ones lack of their impulse; others rest */
  FLG_SOFT_NOTHING /* no row asks for anything, rigid or soft: y is what `from` makes of it */
} flg_softness;

typedef struct flg_aim {
  double left, bias;
  flg_softness soft;
  double rate, rise;
} flg_aim;

/* After place_rows at q: parts and joints factored. Pivots that are chosen belong to a q that
 * fulfils all joints; they are not computed again where they are known for that q. */
flg_status flg_assembly_factor(flg_assembly *assembly, const double *q, flg_pivots pivots);
/* The same by rows that are chosen there, also where others are frozen (assembly_freeze.c). */
flg_status flg_assembly_factor_anew(flg_assembly *assembly, const double *q);
/* Masses of some parts depend on the step. */
bool flg_assembly_resists(const flg_assembly *assembly);
/* True if a part has damping that stops its body in less than a step. */
bool flg_assembly_stops(const flg_assembly *assembly, double h);
/* Some parts have elastic forces, and the scheme is one that takes them implicitly by masses of the
 * step: M + h^2/4 K. */
bool flg_assembly_bends(const flg_assembly *assembly);
/* Forces and masses of a step of h from now on: M + h^2/4 K + h/2 C, elastic forces those of its
 * middle. The masses that there are, and forces of now. */
void flg_assembly_bend(flg_assembly *assembly, double h);
void flg_assembly_unbend(flg_assembly *assembly);
/* Parts yield to damping over the kick: stiff ones at its end. */
void flg_assembly_set_impulse_step(flg_assembly *assembly, double h);
/* Some parts have a J that is not 1: it is known after factor. */
bool flg_assembly_has_jacobians(const flg_assembly *assembly);
/* Nearly redundant rows take no part in the next factors: pivots below that; 0: all do. */
void flg_assembly_tolerate(flg_assembly *assembly, double tolerance);
/* Rows of q are written to the plan: factors of another q are no longer those of its rows. */
void flg_assembly_note_rows(flg_assembly *assembly, const double *q);
/* Set-up: a joint sits elsewhere now. */
void flg_assembly_note_anchors(flg_assembly *assembly);
/* The plan has the rows and the factors of q, as factor left them. */
bool flg_assembly_knows_factors(const flg_assembly *assembly, const double *q);
/* Factors for steps and models alone, which need no rows where assembly_wholes.c has them; whether
 * they are there already. */
flg_status flg_assembly_factor_motion(flg_assembly *assembly, const double *q);
bool flg_assembly_knows_motion(const flg_assembly *assembly, const double *q);
/* With the factors that there are: y from y without joints (velocities; NULL: zeros). What joints
 * do to bodies stands in the views, to be read there. y and from may be the same. */
flg_status flg_assembly_solve(flg_assembly *assembly, const double *from, flg_aim aim, double *y);
/* The same, with forces on the roots of the plan that `push` writes. */
typedef flg_status flg_root_push(flg_assembly *assembly, const double *x);
flg_status flg_assembly_solve_under(flg_assembly *assembly, const double *from, flg_aim aim,
                                    flg_root_push *push, const double *x, double *y);
/* After forces and factor: accelerations up to the roots of the plan, where they stand. */
flg_status flg_assembly_accelerate_roots(flg_assembly *assembly);
/* The same, without what velocities do: joints ask for G a = 0, ports of robots have J a. */
flg_status flg_assembly_accelerate_roots_plain(flg_assembly *assembly);
/* After forces and factor: accelerations under all joints. */
flg_status flg_assembly_accelerate(flg_assembly *assembly, double *a);
/* After forces: accelerations as if there were no joints; without gyroscopic moments of bodies
 * where they fly (assembly_contacts.h). */
void flg_assembly_accelerate_free(const flg_assembly *assembly, double *a);
/* Moves q until all joints are closed, with factors from nearby; g is placed at the end. moved, if
 * not NULL, gets the sum of all displacements (velocities). */
flg_status flg_assembly_project(flg_assembly *assembly, double *q, const double *v, double *moved);
/* True if the factors that there are have a pivot next to nothing: joints all but repeat there. */
bool flg_assembly_is_near_singular(const flg_assembly *assembly);
/* The error of joints (flg_assembly_left) up to which they count as closed: with the factors that
 * there are, and where corrections do not lead on. */
double flg_assembly_enough(const flg_assembly *assembly);
double flg_assembly_bearable(const flg_assembly *assembly);

/* Controllers of robots take the samples that are due; damping counts over h if the scheme says so.
 */
void flg_assembly_sample(flg_assembly *assembly, double time, double h);
/* Micro step number `index` of h from time on in two parts, of rattle that kicks: up to the kick,
 * where others push at ports, and from there on. */
flg_status flg_assembly_leap(flg_assembly *assembly, double time, double h, int index);
flg_status flg_assembly_land(flg_assembly *assembly, double time, double h, int index);
/* --- assembly_wholes.c: bodies that only welds of events hold --- */

/* Set-up: whether there can be such factors. */
void flg_wholes_build(flg_assembly *assembly);
/* Factors for motion are such factors now. */
bool flg_assembly_is_of_wholes(flg_assembly *assembly);
/* Step, where they are: the factors; right-hand sides, swings: with what velocities do. */
flg_status flg_wholes_factor(flg_assembly *assembly);
void flg_wholes_aim(flg_assembly *assembly, bool swings);
/* Step, where parts are placed: bodies that fly as one; NULL: each flies by itself. */
const flg_plan_member *flg_wholes_members(flg_assembly *assembly);
/* With such factors: a and b (parts) are one body. */
static inline bool flg_wholes_are_one(const flg_assembly *assembly, int a, int b) {
  return assembly->scratch.members[a].first == assembly->scratch.members[b].first;
}

/* --- assembly_outer_ports.c --- */

/* Step: places all outer ports at the q and v of parts, once for all that ask there. */
void flg_assembly_see_outer_ports(flg_assembly *assembly);

/* --- assembly_alone.c: the same without the plan, where nothing acts on them but gravity, outer
 * ports and contacts --- */

/* Set-up. */
void flg_alone_build(flg_assembly *assembly);
/* Step: whether all that follows may be called now. */
bool flg_assembly_is_alone(flg_assembly *assembly);
/* Step, where parts are placed: the bodies, until parts are placed elsewhere. */
const flg_plan_member *flg_alone_gather(flg_assembly *assembly);
/* Step, of these, where outer ports are seen: D (all rows of outer ports); their
 * accelerations without forces on them and velocities; what velocities add to these. */
void flg_alone_admittance(flg_assembly *assembly, const flg_plan_member *alone, double *D);
void flg_alone_accelerate(flg_assembly *assembly, const flg_plan_member *alone, double *r);
void flg_alone_swing(flg_assembly *assembly, const flg_plan_member *alone, double *t);
/* Step: y = from + W A^T x, from (velocities; NULL: 0), x (rows of outer ports), y (velocities).
 * FLG_ERR_DIVERGED. */
flg_status flg_alone_push(flg_assembly *assembly, const double *from, const double *x, double *y);
/* Step: one of semi-implicit Euler under the forces on outer ports. False: it has to be taken by
 * the plan, and the state is as it was: contacts are not those that a coupling expects. */
bool flg_alone_step(flg_assembly *assembly, double time, double h, flg_status *status);

/* --- assembly_failures.c: why a step failed --- */

/* flg_assembly_advance, with a sentence if it fails. */
flg_status flg_assembly_advance_or_say(flg_assembly *assembly, double time, double h, int first,
                                       int count, flg_error *error);
/* The same of both parts of a micro step. */
flg_status flg_assembly_leap_or_say(flg_assembly *assembly, double time, double h, int index,
                                    flg_error *error);
flg_status flg_assembly_land_or_say(flg_assembly *assembly, double time, double h, int index,
                                    flg_error *error);
/* As check and blame of contract/subsystem.h. */
flg_status flg_assembly_check(const flg_assembly *assembly, double time, flg_error *error);
void flg_assembly_blame(const flg_assembly *assembly, char text[FLG_BLAME_TEXT]);
const char *flg_assembly_complaint(const flg_assembly *assembly);
bool flg_assembly_find_lost(const flg_assembly *assembly, char text[FLG_BLAME_TEXT]);

/* --- assembly_code.c --- */

/* Reactions are read, or something besides gravity pushes: steps are those of assembly_rattle.c. */
bool flg_assembly_is_asked(const flg_assembly *assembly);
/* Step: a step of rattle by generated code. False if it is not for it; the state is then as it was,
 * but for samples of signals that are due. *status: FLG_ERR_DIVERGED if signals did. */
bool flg_assembly_step_by_code(flg_assembly *assembly, double time, double h, flg_status *status);
/* Forces on parts at the start of that step or at its end, for velocities v: as in
 * assembly_rattle.c. */
flg_status flg_assembly_code_forces(flg_assembly *assembly, bool is_end, const double *q,
                                    const double *v);
/* Step: the same of rk4. */
bool flg_assembly_stages_by_code(flg_assembly *assembly, double time, double h);

/* --- the schemes: one step of h from time --- */

/* q was displaced: v of the same motion there, of parts that know it by q. */
void flg_assembly_carry(flg_assembly *assembly);
/* v of the last solve are those of the parts now: some make more of it (parts/part.h). */
flg_status flg_assembly_take_velocities(flg_assembly *assembly);
/* Velocities onto the joints where they are; implicit springs yield. */
flg_status flg_assembly_project_velocities(flg_assembly *assembly);
/* Where all begin: everything placed at the state, rows and all; angles are those of the state. */
void flg_assembly_begin(flg_assembly *assembly);
/* The same without rates of rigid joints, and without what is left of them. True if
 * the factors are those that there are. */
bool flg_assembly_begin_plain(flg_assembly *assembly);
/* A step that turns out to come from a singular pose, by pivots of less than this, begins again
 * without the rows of its least pivot and of all up to so many times that: what such rows ask for
 * is rounding over their pivots. */
#define FLG_SINGULAR 1e-9
static inline double flg_assembly_singular(double least) {
  return fmin(100 * least, FLG_SINGULAR);
}
/* At the start of a step, after forces; at its end, velocities on the joints, forces those of the
 * end: tells whether joints did work (assembly_passage.c). */
void flg_assembly_depart(flg_assembly *assembly);
void flg_assembly_arrive(flg_assembly *assembly, double time, double h);
/* The work of joints in a step, of steps that know it. */
void flg_assembly_note_work(flg_assembly *assembly, const flg_part_work *work, double time,
                            double h);
/* Around a step: how parts turn in it (assembly_passage.c). */
void flg_assembly_keep_speeds(flg_assembly *assembly);
/* A step of which nothing is noted. */
flg_status flg_assembly_try(flg_assembly *assembly, double time, double h);
void flg_assembly_note_turns(flg_assembly *assembly, double h);
/* Step, at rates that are placed: how fast rows of joints slip that were left out. */
void flg_assembly_note_slip(flg_assembly *assembly);
/* Such steps become a notice. */
void flg_assembly_tell_passages(flg_assembly *assembly);
/* At the end of a step, its velocities projected: kinetic energy before that [J]. */
void flg_assembly_note_wear(flg_assembly *assembly, double before);
/* How all end: positions are closed and velocities brought onto the joints there. */
flg_status flg_assembly_finish(flg_assembly *assembly, double h);
flg_status flg_assembly_rattle(flg_assembly *assembly, double time, double h);
/* Rattle without forces, after begin and factor: q and v after a time h, placed and factored there,
 * where there are joints or robots. */
flg_status flg_assembly_coast(flg_assembly *assembly, double h);
/* Rattle in steps with contacts: coast, kick, coast. And its parts: up to the kick, and from there
 * on, of a step that began at that time. */
flg_status flg_assembly_kick(flg_assembly *assembly, double time, double h);
flg_status flg_assembly_to_kick(flg_assembly *assembly, double time, double h);
flg_status flg_assembly_from_kick(flg_assembly *assembly, double time, double h);
/* There are no joints, nor parts that are held by themselves. */
bool flg_assembly_is_loose(const flg_assembly *assembly);
flg_status flg_assembly_rk4(flg_assembly *assembly, double time, double h);
flg_status flg_assembly_semi_implicit(flg_assembly *assembly, double time, double h);
/* The first half of that step, which finds the modes of limits: they are as in the step then. All
 * else of the state stays. */
flg_status flg_assembly_try_push(flg_assembly *assembly, double time, double h);
/* The same of a kick, of a step that began at that time and is where it kicks. */
flg_status flg_assembly_try_kick(flg_assembly *assembly, double time, double h);

#endif
