/* assembly_limits.h - frictions and stops of an assembly: rows that are closed now and then.
 *
 * Each is one row of the plan on its coordinate c with rate w and impulse l. Closed it is a joint
 * like others, held at c = closed_at to the last digit; open it has compliance without end, and an
 * impulse that is given:
 *
 *     friction   closed: w = 0, |l| <= kick * stiction level        it sticks
 *                open:   l = - d kick * bound, d w >= 0             it slips, in direction d
 *     stop       closed: w = target, l pushes                       at its lower or upper end
 *                open:   l = 0, no end is passed in the step        apart
 *
 * Which rows are closed is found by a search around the solve (limits/search.h); the next step
 * starts from the set of this one. The plan is factored again when the set changes.
 *
 * A stop that is hit with restitution is closed for one solve, w+ = -e w-; its impulse is kept, and
 * it is apart again. Slower than what forces do in a step, nothing bounces: it lands. Landing uses
 * up the gap in the step, w = gap/h. A stop that is passed already is held where it is, and moved
 * out by a fifth of that a step, which leaves velocities alone.
 *
 * A hit in a subsystem that is joined to others moves these as well. The rate at which a stop
 * throws back stays while impulses from outside bring the velocities of all together at the end of
 * the step: the stop is closed for them, w+ = w. Projections onto the stop, then onto the stop and
 * the interfaces, are one onto both: the hit is that of the whole.
 *
 * Schemes: rattle solves with half the bounds in each of its two kicks, and holds closed rows in
 * the free step; semi-implicit does so in its one; rk4 pivots on the accelerations of its first
 * stage, keeps the set over the others, and looks at its end for what has reversed or been hit.
 *
 * State: three numbers a limit, last in the state of the assembly.
 */
#ifndef FLG_ASSEMBLY_LIMITS_H
#define FLG_ASSEMBLY_LIMITS_H

#include "assembly/assembly.h"
#include "interface/plan.h"
#include "limits/limit.h"

/* A friction: -1, 1: it slips that way, 0: it sticks. A stop: 0: apart, -1: at its lower, 1: at its
 * upper end. */
typedef struct flg_limit_state {
  double mode;
  double closed_at; /* c while it is closed */
  double load;      /* effort of the gear on c, for its losses; it follows the true one */
} flg_limit_state;

typedef struct flg_limit {
  int friction, stop; /* of the component, one of them -1 */
  int coordinate, row_set;
  bool damps;          /* a friction that never sticks */
  int carrier;         /* row set that hands on the load of a gear, -1: none, or ... */
  int carrier_force;   /* ... an explicit spring, by its force, -1: none */
  double carrier_part; /* effort on c of a unit effort there */
  int ends;
  flg_graph_port end[FLG_JOINT_ENDS_MAX];
  /* scratch */
  double rate;   /* of c in the last solve; or its acceleration */
  double target; /* rate of a closed row in the solve that goes on */
  double given;  /* impulse of a stop that was hit in it */
  double from;   /* c at the start of a step by code; impulses of its slip in both halves */
  double slipped[2];
  double effort;  /* mean of the last step */
  double added;   /* impulse of projections since then, which belong to that step [N s] */
  double impulse; /* in the step so far; and of the carrier */
  double carried;
  bool bounces; /* closed for one solve */
  bool arrives; /* a friction that came to rest at the end of the step */
  double late;  /* ... for which part of the step its rate had reversed */
  bool thrown;  /* a stop that has thrown back in this step */
  int let_go; /* a friction that impulses from outside made slip that way since set_impulse_step, or
                 0 */
  bool met;   /* a stop that was closed in this step: it hands on no load, but a blow */
  bool broken;    /* loose: once it slips it sticks again only under what holds it in motion */
  int start_mode; /* before the solve */
  int side;       /* that was met in this search, 0: none; how it was, stays so: */
  flg_stop_response met_as;
  long switches; /* since it was built */
} flg_limit;

typedef struct flg_limits {
  int count;
  int first; /* row set of the first of them */
  flg_limit *list;
  flg_limit_state *states;
  flg_limit_state *before; /* (count) scratch: states before a step that is tried */
  double *from, *travel;   /* (velocities) scratch */
  double kick;             /* over which bounds push [s]; 1 for accelerations */
  double noise;            /* of accelerations at the start of the step, by the unit of a limit */
  double step;             /* of rk4 [s] */
  bool idle;               /* all are open, without effort: set-up */
  bool joined;             /* impulses from outside are found that belong to this step: see below */
  bool yields;             /* closed rows yield a little */
  bool arriving;           /* positions are being closed after a step: what arrives is still open */
  long unsolved;           /* solves in which no set was found */
  long blows;              /* stops that were hit, faster than forces add in a step */
} flg_limits;

/* --- set-up, for assembly_build.c --- */

int flg_limits_count(const flg_component *component);
/* Adds their row sets to those of the assembly; coordinates of a row set, sums resolved. */
void flg_limits_make(flg_assembly *assembly);
void flg_limits_couple(const flg_component *component, int coordinate, int of[2], double factor[2]);
void flg_limits_place(flg_assembly *assembly, int row_set, const flg_graph_joint *joint);
/* After place: what moves slips, what rests sticks; stops are apart. */
void flg_limits_start(flg_assembly *assembly);

/* --- rows, for assembly_motion.c and assembly_solve.c; row sets from limits.first on --- */

bool flg_limit_is_closed(const flg_assembly *assembly, int row_set);
/* Sum of coordinates at which the row of that row set is closed. */
double flg_limit_constant(const flg_assembly *assembly, int row_set);
double flg_limit_compliance(const flg_assembly *assembly, int row_set);
/* Right-hand side; law: with the efforts of what slips; ahead: of accelerations whose row resists
 * the rate at the end of that time, 0: of rates [s]. */
double flg_limit_side(const flg_assembly *assembly, int row_set, double left, double bias, bool law,
                      double ahead);

/* --- steps, for the schemes: as without limits where there are none --- */

/* Before a step: stops that are passed move out. */
flg_status flg_limits_begin(flg_assembly *assembly);
/* As flg_assembly_solve with the laws of springs and limits, after factor at q: impulses over the
 * kick of the assembly. bias: share of G' v in the rates; duration: time for which they will last.
 */
flg_status flg_limits_push(flg_assembly *assembly, const double *q, double bias, double duration,
                           double *v);
/* As flg_assembly_accelerate, at the first stage of a step. */
flg_status flg_limits_accelerate(flg_assembly *assembly, const double *q, double *a);
/* After a step of h without pushes, at the state: frictions whose rate has reversed stick, stops
 * that were passed are hit.
 */
flg_status flg_limits_land(flg_assembly *assembly, double h);
/* When positions are closed: frictions that have just come to rest are held there, stops that were
 * hit are free. True if there were any. */
bool flg_limits_arrive(flg_assembly *assembly);
/* After note and a projection of velocities that belongs to the same step of h: stops that would
 * pull, and frictions whose bound both together exceed, open again. True if any opened: the
 * projection has to be made again. */
bool flg_limits_reopen(flg_assembly *assembly, double h);
/* The same after half a step without forces, which follows a kick of h: closed rows hold in it, and
 * in the half before the kick as much. */
bool flg_limits_part(flg_assembly *assembly, double h);
/* After flg_limits_reopen has found no row to open: adds the projection to the step. */
void flg_limits_add(flg_assembly *assembly);
/* After a projection of velocities at the end of a step of h without pushes: frictions that came to
 * rest in it, and whose bound is exceeded, slip the other way. True if any does: the projection has
 * to be made again. rest_again, after that: true if some come to rest after all, and it has to be
 * made once more. */
bool flg_limits_turn(flg_assembly *assembly, double h);
bool flg_limits_rest_again(flg_assembly *assembly);
void flg_limits_forget_turns(flg_assembly *assembly); /* when it is over */
/* As reopen after a solve of impulses that act at once in such a step. */
bool flg_limits_bear(flg_assembly *assembly, double h);
/* After a solve under impulses that come to those of a step of h: opens stops that would pull.
 * True if there are any. */
bool flg_limits_release(flg_assembly *assembly, double h);
/* True if a stop is closed. */
bool flg_limits_push_back(const flg_assembly *assembly);
/* Adds up the impulses of a step, solve by solve; the last one gives the efforts over that time. */
void flg_limits_collect(flg_assembly *assembly);
void flg_limits_forget(flg_assembly *assembly); /* the step begins again */
void flg_limits_note(flg_assembly *assembly, double time);

/* --- steps by generated code, which has no rows for limits (assembly_smooth.c) --- */

/* Set-up: frictions are forces while they slip. */
bool flg_limits_are_forces(const flg_component *component);
/* At the start of a step: nothing sticks, no stop is touched. */
bool flg_limits_depart(flg_assembly *assembly);
/* The effort of what slips, after place; it is noted. */
double flg_limit_slip(flg_assembly *assembly, int index);
/* At the end of a step of h, at the state: true if a step with rows would have closed none, by far.
 * Efforts are then those of the step. */
bool flg_limits_arrive_smoothly(flg_assembly *assembly, double h);

#endif
