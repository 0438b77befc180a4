/* assembly_signals.h - what runs in an assembly besides mechanics: sources, controllers, filters,
 * and the motors and efforts that they drive (model/block.h).
 *
 * Continuous states s have a linear part A, diagonal but for filters of order 2, and the rest N:
 *     s' = A s + N(t, q, v, s)
 * of a motor A = -R/L, N = (V - ke w)/L. All schemes take e^(hA) exactly, so that no A bounds the
 * step (functions phi of math/exponential.h):
 *     rk4            ETDRK4 (Cox and Matthews 2002), in the stages of the mechanics; classical
 *                    Runge-Kutta where hA is small. The last stage of a motor has the effort with
 *                    which the step has the impulse kt int i dt = kt (int N dt - (i+ - i)) / (R/L)
 *     rattle         s* = e^(hA) s + h phi_1 N_0, s+ = s* + h phi_2 (N_1 - N_0): order 2
 *     rattle, kicks  (steps in which something may touch, assembly_kick.c) s* = e^(hA/2) s + h/2
 *                    phi_1(hA/2) N_0, s+ = e^(hA) s + h phi_1 N* with N* in the middle: order 2
 *     semi-implicit  s+ = e^(hA) s + h phi_1 N: order 1
 * In the last three a motor is a soft row of the plan, implicit in its speed w+ at the end of a
 * kick: effort = kt (phi_1 i + tau/L phi_2 (V - ke w+)),     phi of tau A with tau the kick: the
 * mean of its current, had it been turning with w+ since the start. A step that has but one kick
 * has V of its middle and the mean of both ends in place of w+ (assembly_soft.c), and the current
 * at its end from the same mean. The second kick of rattle brings the impulse of the whole step to
 * kt (h phi_1 i + h^2 phi_2 N_0 + h^2 phi_3 (N_1 - N_0)), order 2.
 *
 * In kicks, signals that need velocities have the mean of those before it and after it.
 *
 * What is sampled is computed at the start of the first step at or after its sample, and held.
 * Where sources jump at the end of a step, that step still sees what was before.
 *
 * State: s, then for each sampled block the number of its sample, value, rate, and three more.
 */
#ifndef FLG_ASSEMBLY_SIGNALS_H
#define FLG_ASSEMBLY_SIGNALS_H

#include "assembly/assembly_inner.h"
#include "assembly/signal_kernels.h"

enum { FLG_HELD_NUMBERS = 6 };

/* A block as it runs: formulas with signals by their numbers. */
typedef struct flg_running_block {
  const flg_block *block;
  flg_formula input, target, feed_forward;
  int rate[2];         /* pid: signals that are the rates of input and target, -1: zero */
  int integral;        /* pid: its state, -1: none */
  int derivative;      /* pid: state of its filter, -1: none */
  int state;           /* filter: its first state, -1: none */
  double *held;        /* sampled: its part of the state, else NULL */
  const double *given; /* a program's value in place of its own; NULL: none */
  flg_decay decay;     /* filter, sampled: over a period */
} flg_running_block;

typedef struct flg_running_motor {
  const flg_motor *motor;
  flg_formula voltage;
  int state, decay;     /* of its current, -1: it has no inductance */
  int row_set;          /* its row in the plan, -1: none */
  double *law;          /* of its force: effort, and damping by w+ if it is a row */
  double start_current; /* rattle: at the start of the step */
  double impulse;       /* rattle: of the first kick */
  double current_sum;   /* rk4: weighted, of the stages before */
} flg_running_motor;

typedef struct flg_signals {
  int node_count, block_count, motor_count, effort_count;
  int *order; /* (nodes) */
  flg_running_block *blocks;
  flg_running_motor *motors;
  flg_formula *efforts;
  int first_block, first_motor, first_effort; /* in values */
  double *values;                             /* all signals, now */
  int state_count, held_count;
  double *state; /* s; then what is held */
  flg_decay *decays;
  int decay_count;
  double *rest[4];   /* N at each stage */
  double *stage[4];  /* s at each stage; rk4, [0]: at the end of the step; else [1] */
  double h;          /* for which the decays are prepared */
  int now;           /* stage */
  bool feels_rates;  /* what is not sampled needs velocities, besides motors that are rows */
  bool is_unlimited; /* nothing is cut to its range: steps are tried, not made */
  int lost;          /* the first state that is no longer finite, -1: none */
  int undefined;     /* the first node that had no value, -1: none; kept: steps go on after it */
  double undefined_at;
} flg_signals;

/* --- assembly_signals_build.c --- */

/* Set-up: coordinates that are looked at within a step. */
void flg_signals_mark_used(flg_assembly *assembly);
/* Set-up: counts numbers of the state, and takes memory; a component without signals has none. */
void flg_signals_lay_out(flg_assembly *assembly);

/* --- assembly_signals.c: values --- */

/* Set-up: once the state has its place, and everything is placed: states at the start. NULL: where
 * it was before. */
void flg_signals_start(flg_assembly *assembly, double *state);
/* Values of all signals, after place; s: continuous states. Where sources jump, see block.h. */
void flg_signals_evaluate(flg_assembly *assembly, double time, double edge, const double *s,
                          double *rest);
void flg_signals_sample(flg_assembly *assembly, double time);
/* After place: values at the state, to look at. */
void flg_signals_look(flg_assembly *assembly, double time);
/* After a step that failed: what has a state that is no longer finite; NULL: none. */
const char *flg_signals_lost(const flg_assembly *assembly);
/* The first signal, motor or effort whose formula had no value (sqrt(-1)), and when,
 * though all that was measured was finite; NULL: none. */
const char *flg_signals_undefined(const flg_assembly *assembly, double *time);
double flg_signals_speed(const flg_assembly *assembly, const flg_motor *motor);

/* --- assembly_motors.c: steps. Without signals, all do nothing --- */

/* How far from the time of a stage of rk4 a jump belongs to its neighbour (model/block.h). */
double flg_signals_edge(int stage, double h);
/* Value and rate that a sampled block holds. */
void flg_signals_held(const flg_signals *signals, int block, double held[2]);
/* The start of a step, after place: samples what is due. */
void flg_signals_begin(flg_assembly *assembly, double time, double h);
/* rk4: the stage that comes; else 0 at the start of a step, 3 at its end, and in steps that are
 * kicks the middle. */
enum { FLG_SIGNALS_MIDDLE = 1 };
void flg_signals_enter(flg_assembly *assembly, int stage);
/* Before the forces: evaluates, and gives motors and efforts their laws. */
void flg_signals_drive(flg_assembly *assembly, double time);
/* Kicks, after begin: states to the middle of the step, which is entered. */
void flg_signals_set_off(flg_assembly *assembly, double time);
/* rattle, after each solve for the first kick: what motors did; first: what they did before is
 * taken back. */
void flg_signals_kick(flg_assembly *assembly, bool first);
/* The end of a step. FLG_ERR_DIVERGED: a state is not finite. */
flg_status flg_signals_end(flg_assembly *assembly);

#endif
