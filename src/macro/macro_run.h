/* macro_run.h - one subsystem with the rest of the system, micro step by micro step.
 *
 *     own     w+ = w + h r + D L         reduced again at every micro step
 *     rest    u+ = u + h s + E K         frozen at the communication point (rest_model.h)
 *     G_own w+ + G_rest u+ + h G' v = 0  rows of the interfaces, B minus A
 *     L = G_own^T l,  K = G_rest^T l     found by eliminating the rows (eliminate.h)
 *
 * r and s are true accelerations of the ports (J a + J' v): so both sides mean the velocity of the
 * port at the end of the micro step, and no energy is injected as H tends to h. Where the subsystem
 * uses start rows (coupled.h), both mean J_k v+ instead, as its own joints do, and velocities are
 * projected between two micro steps, by kicks, as those of a monolithic run are at their end:
 *
 *     own     w+ = w + h (r - t) + D L
 *     rest    u+ = u + h (s - t_rest) + E K, and the term h G' v is not there
 *     then    w = J_(k+1) v+ + D P,  u = u+ + h t_rest + E Q,  G_own w + G_rest u = 0
 *
 * (without kicks the rest starts from u - h t_rest, and goes on with s). Where no force of the
 * subsystem depends on velocities (coasts, coupled.h), P is added to the push after it: w + D P is
 * known from the model, and the subsystem takes P and L in one call. A kick and the micro step
 * after it have the same rows and the same factors. Rows of a weld are in world axes where it is
 * the only interface (eliminate.h). The frames of the rest move with its velocity from their poses
 * at the communication point.
 *
 * Elements of interfaces (springs, frictions, stops) are rows of the same elimination
 * (macro_elements.h). Contacts on either side are closed together with the interfaces: rows of
 * touch ports are kept when the interface rows are eliminated (macro_contacts.h).
 *
 * Ports may also be driven: by known impulses, as recorded from a subsystem that has already run.
 */
#ifndef FLG_COUPLING_MACRO_RUN_H
#define FLG_COUPLING_MACRO_RUN_H

#include "base/region.h"
#include "interface/eliminate.h"
#include "macro/interface.h"
#include "macro/macro_contacts.h"
#include "macro/macro_elastic.h"
#include "macro/macro_elements.h"
#include "macro/rest_model.h"
#include "macro/touch_account.h"

/* One interface of the subsystem. */
enum { FLG_MACRO_ROWS = 6 };

/* Elastic forces of the rest at an end, as the papers have them: s = s_k - K (way since the
 * communication point) - C (u - u_k), K = D K_eff and C = D C_eff (flexible-rim, Eq. 13). */
typedef struct flg_macro_spring {
  bool is_on;
  double stiffness[FLG_MACRO_ROWS * FLG_MACRO_ROWS];
  double damping[FLG_MACRO_ROWS * FLG_MACRO_ROWS];
  double way[FLG_MACRO_ROWS], start[FLG_MACRO_ROWS], bias[FLG_MACRO_ROWS];
} flg_macro_spring;

typedef struct flg_macro_end {
  const flg_interface *interface;
  int own;                 /* the end of it on this subsystem, 0 or 1 */
  int port;                /* of this subsystem */
  bool is_driven;          /* by recorded impulses of the subsystem at the other end */
  flg_pose rest;           /* of the rest's frame; set it before each macro step */
  flg_macro_spring spring; /* of elastic links of the rest */
  flg_spatial miss;        /* pose feedback: added to the rest's velocity [m/s, rad/s] */
} flg_macro_end;

/* A rest that is one rigid body. */
typedef struct flg_rigid_rest {
  int port;                 /* of the rest, the first that is on it */
  double lightness;         /* 1/m */
  flg_sym3 inertia, yields; /* I about its centre of mass, in world axes, and its inverse */
  flg_vec3 *levers;         /* (ports of the rest) from its centre of mass */
} flg_rigid_rest;

typedef struct flg_macro_run {
  const flg_subsystem *subsystem;
  int port_count;   /* touch ports included */
  int joined_count; /* ports at which it is joined to others */
  int end_count;
  int joint_rows, row_count;       /* of ends that are not driven; those of elements follow */
  int steps, steps_most;           /* micro steps in a macro step; at most */
  const volatile int *stop;        /* not 0: it ends early; NULL: there is no such flag */
  flg_macro_end *ends;             /* (end_count) */
  flg_interface_model *own, *rest; /* over the ports, touch ports last */
  flg_macro_contacts *contacts;    /* NULL: no shape can touch; borrowed */
  flg_touch_account *account;      /* NULL: the subsystem itself cannot touch; borrowed */
  flg_macro_elements elements;     /* of the interfaces */
  flg_macro_elastic elastic;       /* states of the rest's model */
  flg_elimination elimination;
  bool rest_turns;     /* it is one rigid body, and its D turns with it */
  flg_rigid_rest body; /* ... then: */
  flg_yield own_yield; /* of a weld: of our first port in the first micro step (rest_model.h) ... */
  flg_yield rest_yield; /* ... and of the rest there */
  bool has_rows;        /* the kick before the micro step has written them */
  bool has_chosen;      /* `repeats` was found, at the start of the macro step: */
  bool *repeats;        /* (row_count) of interfaces alone */
  bool *left_out;       /* (row_count) those of them that the coupling has chosen; at first none */
  bool is_factored;     /* it has the factors of these rows and of: */
  double *factored;     /* (6 ports x 6 ports) D as it was factored last */
  int *kept;            /* (6 touch ports) rows that stay, own and rest */
  double *bias[2], *forces[2]; /* (rows) of own and rest */
  bool uses_start_rows;
  bool leaps;               /* all forces are in kicks, at the middle of steps (macro_leap.c) */
  bool is_literal;          /* ports mean J_k v+ without kicks, as in the papers */
  bool is_kicked;           /* velocities are projected between micro steps; it uses start rows */
  const double *waiting;    /* (6 ports) a kick that the next push includes; NULL: none */
  double *velocity_bias[2]; /* (6 ports) t of own and rest */
  size_t taken_count;       /* numbers that other subsystems give in a micro step: */
  double *taken;            /* (taken_count) driven, kicked, hit, hit_move and jump */
  double *driven;           /* (6 ports) known impulses of the micro step */
  double *kicked;           /* (6 ports) the same of the kick before it */
  double *pushed;           /* (6 ports) those of a push that includes both */
  double *reactions;        /* (rows) l; in mass form also its change by contact impulses */
  double *record;           /* (6 ports x steps) impulses on the ports */
  double *kicks;       /* (6 ports x steps) those before each micro step; none before the first */
  double *sum;         /* (6 ports) of both over the macro step */
  double *counter[2];  /* (rows of the rest x steps) the same of record and kicks on the rest */
  double *hit[2];      /* (rows of own and rest) impulses of hits, and of rows that they load */
  double *hit_move[2]; /* the same of displacements [N s^2] */
  double *jump[2];     /* (rows of the rest) of hits that drive others: velocities, displacements */
  double *hits, *hit_moves; /* (rows of the rest x steps) hit[1] and hit_move[1] of each step */
  double *own_hits[2];      /* (6 ports x steps) the same of hit[0] and hit_move[0] */
  bool has_hits;            /* in this macro step */
  bool closes_hits;         /* of own contacts and of the rest's together; else one by one */
  double *counter_sum;      /* (rows of the rest) */
  double *work;             /* (6 ports) work of the impulses, row by row [J] */
  int rank;                 /* of the rows, the lowest in the macro step */
  bool is_massive;          /* mass form: E is inverted, as the papers do (macro_mass.c) */
  bool has_mass;            /* it was found in this macro step */
  double *mass, *system;    /* (rows x rows) of it */
  double *mass_work;        /* (rows x (6 ports + rows)) */
  flg_region region;
} flg_macro_run;

/* Set-up: for a subsystem with its interfaces and its rest; driven (interfaces): true where
 * recorded impulses of the other end act, NULL: nowhere. Set `steps` to steps_most or less before a
 * run. Release with flg_macro_run_release. */
flg_status flg_macro_run_build(flg_macro_run *macro_run, const flg_subsystem *subsystem, int index,
                               const flg_interface *interfaces, int interface_count,
                               const bool *driven, const flg_rest_model *rest, int steps_most,
                               flg_error *error);
void flg_macro_run_release(flg_macro_run *macro_run);

/* Supplies the impulses on driven ports: adds those of a micro step to `driven`, those of the kick
 * before it to `kicked`, and hits of other subsystems to `hit` and `hit_move`, on own ports and on
 * the touch ports of the rest, and to `jump` what hits at all other ports do to the rest. True if
 * there are hits. */
typedef bool flg_macro_drive(void *context, const flg_macro_run *macro_run, int step);
/* Step: all micro steps of h from time on. drive may be NULL. */
flg_status flg_macro_run_steps(flg_macro_run *macro_run, double time, double h,
                               flg_macro_drive *drive, void *context, flg_error *error);

/* Steps, parts of a run. meet_mass: forces in mass form, from rows and biases; FLG_ERR_DIVERGED if
 * the rest has no effective mass at all. touch: impulses of contacts, from b and H of the touch
 * ports near them. */
flg_status flg_macro_run_meet_mass(flg_macro_run *macro_run, double h, flg_error *error);
flg_status flg_macro_run_touch(flg_macro_run *macro_run, double h, flg_error *error);
/* The bias of the rest at an end with springs, after it has moved by h times the velocities u. */
void flg_macro_run_pull(flg_macro_run *macro_run, flg_macro_end *end, const double *u, double h);
/* The frames and gaps of the rest, moved by h times the velocities u (rows of the rest): in a micro
 * step, or by displacements u (h = 1). */
void flg_macro_run_move_rest(flg_macro_run *macro_run, const double *u, double h, bool is_step);
/* Forces of the interfaces: of a micro step of h under known impulses, or of a kick (h = 0). */
flg_status flg_macro_run_find_forces(flg_macro_run *macro_run, double time, double h,
                                     const double *known, flg_error *error);

/* --- macro_rows.c --- */

/* Rows of all interfaces that are not driven, of a micro step of h, or of a kick (h = 0). */
void flg_macro_run_write_rows(flg_macro_run *macro_run, double h);

/* Parts of micro step `index`:
 *     take_drive    impulses and hits of other subsystems
 *     find_agreed   forces; found again where other joint ends push than the model had
 *     record        impulses on the ports, and the opposite ones on the rest
 *     push_rest     u += h s + E K of the rest */
flg_status flg_macro_run_take_drive(flg_macro_run *macro_run, double time, int index,
                                    flg_macro_drive *drive, void *context, flg_error *error);
flg_status flg_macro_run_find_agreed(flg_macro_run *macro_run, double time, double h, int index,
                                     const double *driven, double *to, flg_error *error);
void flg_macro_run_record(flg_macro_run *macro_run, const double *known, double *to,
                          double *counter);
void flg_macro_run_push_rest(flg_macro_run *macro_run, double h);
/* Before push: hands the impulses of own contacts to the subsystem as a start; after it: takes them
 * back. */
void flg_macro_run_expect(const flg_macro_run *macro_run, int index);
void flg_macro_run_expect_nothing(const flg_macro_run *macro_run);

/* --- macro_leap.c --- */

/* Step, after velocities at the end of a kick were predicted: those of interfaces are meant at the
 * end of the step. */
void flg_macro_run_lean(flg_macro_run *macro_run, double h);
/* Step: micro step `index` of h, with its kick in the middle. */
flg_status flg_macro_run_leap(flg_macro_run *macro_run, double time, double h, int index,
                              flg_macro_drive *drive, void *context, flg_error *error);

/* --- macro_turn.c --- */

/* Before the first micro step: inertia and levers of a rest that turns. */
void flg_macro_run_turn_begin(flg_macro_run *macro_run);
/* D, levers and, after a step, t of a rest that has turned by h times the velocities u. */
void flg_macro_run_turn(flg_macro_run *macro_run, const double *u, double h, bool is_step);

/* --- macro_hits.c --- */

/* Hits of this micro step, once contacts are closed: impulses on both sides at once. Frictions and
 * stops on this side that the hits overload are opened. Then it returns false, and the hits have to
 * be found again, unless is_last. */
bool flg_macro_run_hit(flg_macro_run *macro_run, int index, bool is_last, flg_status *status,
                       flg_error *error);
/* Hits of other subsystems, as `drive` has written them. */
flg_status flg_macro_run_take_hits(flg_macro_run *macro_run, double time, int index,
                                   flg_error *error);

#endif
