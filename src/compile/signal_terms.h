/* signal_terms.h - signals of a component in terms of a graph: what assembly/assembly_signals.c
 * evaluates, at one moment.
 *
 *     rest     N of each continuous state, s' = A s + N
 *     flows    currents of motors, then efforts
 */
#ifndef FLG_COMPILE_SIGNAL_TERMS_H
#define FLG_COMPILE_SIGNAL_TERMS_H

#include "assembly/assembly_signals.h"
#include "compile/graph.h"

/* Arrays that they are given, by their numbers in the graph. */
typedef struct flg_signal_inputs {
  int states;  /* s */
  int sources; /* functions of time, in the order of the blocks that are such: value and rate each
                */
  int held;    /* blocks that are sampled, in their order: value and rate each */
  int clock;   /* one number: the time */
  int memory;  /* of what is sampled: three numbers each */
  int due;     /* of the same, five each: 1 or 0, whether it is due; whether for the first time;
                  the time of its sample; value and rate then, if it is a source */
} flg_signal_inputs;

typedef struct flg_signal_terms {
  flg_term *values;    /* all signals, as flg_signals has them */
  flg_term *rest;      /* (state_count) */
  flg_term *flows;     /* (motors + efforts) */
  int *sources, *held; /* blocks of the component in these arrays */
  int source_count, held_count;
} flg_signal_terms;

/* value, rate: of all coordinates; < 0: not known, and refused where a signal reads it. False: a
 * signal cannot be said in terms, or no memory (region->failed). */
bool flg_signal_terms_build(flg_signal_terms *signals, flg_terms *graph,
                            const flg_assembly *assembly, const flg_term *value,
                            const flg_term *rate, const flg_signal_inputs *inputs,
                            flg_region *region);
/* After that: what sampled blocks hold once those that are due have taken their samples, each
 * seeing what those before it hold now: value, rate, memory (5 each). NULL likewise. */
flg_term *flg_signal_samples_build(const flg_signal_terms *signals, flg_terms *graph,
                                   const flg_assembly *assembly, const flg_term *value,
                                   const flg_term *rate, const flg_signal_inputs *inputs,
                                   flg_region *region);

#endif
