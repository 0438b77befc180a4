/* block.h - signals inside a component: sources, formulas, controllers, filters; and what they
 * drive: motors and efforts.
 *
 * A signal is a number that changes while the system runs. Inputs of blocks, motors and efforts are
 * formulas (formula.h) whose variables are signals.
 *
 *     constant, step, ramp, sine, table, quintic      functions of time, with their rates
 *     formula   any expression of signals
 *     pid       u = kp e + ki int e + kd de/dt + feed_forward      e = target - input
 *     filter    T x' + x = u, or T^2 x'' + 2 damping T x' + x = u
 *     input     what the user of the component connects
 *
 * A block with a sample period is computed at multiples of it and held in between:
 *     pid       I_(k+1) = I_k + T ki e_k; d_k = (F d_(k-1) + kd (e_k - e_(k-1))) / (F + T), F: its
 *               filter, T: the period; e_(-1) = e_0
 *     filter    as if its input had been held at what is now since the sample before
 * Within limits: `clamping` stops the integral while it drives the output further beyond a limit,
 * `back-calculation` adds (limited - unlimited) / tracking to its rate.
 *
 * A motor on a coordinate c, its current i:
 *     L i' = V - R i - ke c'        effort = kt i         (L = 0: i = (V - ke c') / R)
 * A positive effort makes the coordinate grow.
 */
#ifndef FLG_BLOCK_H
#define FLG_BLOCK_H

#include "flange/mistakes.h"
#include "model/curve.h"
#include "model/formula.h"

/* X(enum, name in files); the last one is no kind in files. */
#define FLG_BLOCK_KIND_LIST(X)      \
  X(FLG_BLOCK_CONSTANT, "constant") \
  X(FLG_BLOCK_STEP, "step")         \
  X(FLG_BLOCK_RAMP, "ramp")         \
  X(FLG_BLOCK_SINE, "sine")         \
  X(FLG_BLOCK_TABLE, "table")       \
  X(FLG_BLOCK_QUINTIC, "quintic")   \
  X(FLG_BLOCK_FORMULA, "formula")   \
  X(FLG_BLOCK_PID, "pid")           \
  X(FLG_BLOCK_FILTER, "filter")     \
  X(FLG_BLOCK_INPUT, "input")

#define FLG_BLOCK_KIND_ENUM(kind, name) kind,
typedef enum flg_block_kind {
  FLG_BLOCK_KIND_LIST(FLG_BLOCK_KIND_ENUM) FLG_BLOCK_KIND_COUNT
} flg_block_kind;

typedef enum flg_windup { FLG_WINDUP_CLAMPING, FLG_WINDUP_BACK_CALCULATION } flg_windup;

/* Numbers that a kind does not use are of no consequence. */
typedef struct flg_block {
  const char *name; /* path */
  flg_place place;
  int group;
  flg_block_kind kind;
  double at, until;                           /* step, ramp [s]; until may be infinite */
  double from, to, slope;                     /* constant: from */
  double amplitude, frequency, phase, offset; /* sine; [Hz], [rad] */
  flg_curve curve;                            /* table, quintic: of width 1 */
  flg_formula input;                          /* formula: its value; else what goes in */
  flg_formula target, feed_forward;           /* pid; no steps: 0 */
  double kp, ki, kd;
  double derivative_filter; /* [s]; 0: none */
  flg_windup windup;
  double tracking;      /* [s] */
  double time_constant; /* filter [s] */
  int order;            /* of the filter: 1 or 2 */
  double damping;       /* of the filter of order 2 */
  double initial;       /* at the start: value of a filter, integral of a pid */
  double limit[2];      /* formula, pid; may be infinite */
  double sample;        /* [s]; 0: continuous */
} flg_block;

typedef struct flg_motor {
  const char *name;
  flg_place place;
  int group;
  int coordinate;
  flg_formula voltage;    /* [V] */
  double limit[2];        /* of the voltage */
  double resistance;      /* R [Ohm] */
  double inductance;      /* L [H] */
  double torque_constant; /* kt [N m/A or N/A] */
  double back_emf;        /* ke [V s/rad or V s/m] */
  double current;         /* at the start [A] */
} flg_motor;

/* An ideal source of effort on a coordinate. */
typedef struct flg_effort {
  const char *name;
  flg_place place;
  int group;
  int coordinate;
  flg_formula effort; /* [N m or N] */
  double limit[2];
} flg_effort;

typedef enum flg_variable_kind {
  FLG_VARIABLE_TIME,
  FLG_VARIABLE_POSITION, /* of a coordinate */
  FLG_VARIABLE_VELOCITY,
  FLG_VARIABLE_VALUE, /* of a block */
  FLG_VARIABLE_RATE,
  FLG_VARIABLE_CURRENT, /* of a motor */
  FLG_VARIABLE_TORQUE,
  FLG_VARIABLE_VOLTAGE,
  FLG_VARIABLE_EFFORT, /* of an effort */
  FLG_VARIABLE_KIND_COUNT
} flg_variable_kind;

typedef struct flg_variable {
  flg_variable_kind kind;
  int index; /* of the coordinate, block, ... */
} flg_variable;

/* A signal as a variable of formulas, and back. */
int flg_variable_pack(flg_variable signal);
flg_variable flg_variable_unpack(int variable);

const char *flg_block_kind_name(flg_block_kind kind);
/* A source: its value, and its rate if not NULL, at a time. Where it jumps, `edge` decides: at
 * time + edge it has jumped. */
bool flg_block_is_source(const flg_block *block);
double flg_block_source(const flg_block *block, double time, double edge, double *rate);

struct flg_component;

/* The variable that is the rate of a formula: FLG_RATE_ZERO if it is constant, FLG_RATE_UNKNOWN if
 * there is none. Velocities of coordinates; rates of sources, of filters, and of inputs that are
 * connected to such. */
enum { FLG_RATE_ZERO = -1, FLG_RATE_UNKNOWN = -2 };
int flg_formula_rate(const struct flg_component *component, const flg_formula *formula);
/* The same of a variable that is the rate of an input: that of what is connected to it. All others
 * are their own. */
int flg_variable_source(const struct flg_component *component, int variable);

/* A formula as a function of time, with its first two derivatives: of `time`, of sources, and of
 * formulas of these. */
flg_jet flg_formula_over_time(const struct flg_component *component, const flg_formula *formula,
                              double time);
/* The first signal in it that is no such function, or that jumps: what it is, for a sentence; NULL:
 * there is none. The text may lie in `text`. */
const char *flg_formula_not_of_time(const struct flg_component *component,
                                    const flg_formula *formula, char text[FLG_FORMULA_MESSAGE]);

/* Nodes of the data flow: blocks, then motors, then efforts. */
int flg_signal_node_count(const struct flg_component *component);
/* An order in which each node comes after those that it needs. What is sampled, too, where that is
 * possible; in a circle of samples the first in the file begins, and sees what the others held.
 * Currents of motors with inductance and values of filters are states, and need nothing. order:
 * (nodes). False with a mistake that names a circle, or if the region has failed. */
bool flg_signal_sort(const struct flg_component *component, int *order, flg_region *region,
                     flg_mistakes *mistakes);
/* All that blocks, motors and efforts of a component cannot be. */
void flg_component_check_signals(const struct flg_component *component, flg_mistakes *mistakes);

#endif
