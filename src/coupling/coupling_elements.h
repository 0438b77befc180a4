/* coupling_elements.h - what interfaces carry, at communication points.
 *
 * Inside of a macro step each macro run has its own rows of springs, friction and stops
 * (macro_elements.h). At its end, when positions and velocities of the whole are brought onto
 * the interfaces, they are rows of that join, too:
 *
 *     rigid             as joints
 *     springs           soft rows that ask for the coordinate and the rate that the macro run had:
 * as stiffness grows they tend to joints, and soft ones do nothing sticks, closed    as joints,
 * while what they add to the impulse of the macro step is within their law: a stop does not pull,
 * friction keeps its bound. A stop that was passed is moved out, what this macro step has passed at
 * once, else a fifth slips, apart      nothing
 *
 * At events, which take no time, springs, frictions and stops do nothing, as in components: stops
 * are hit in the step after.
 */
#ifndef FLG_COUPLING_ELEMENTS_H
#define FLG_COUPLING_ELEMENTS_H

#include "interface/plan.h"
#include "macro/macro_elements.h"

typedef enum flg_elements_pass {
  FLG_PASS_EVENT,   /* velocities; no time passes */
  FLG_PASS_MOTION,  /* velocities at the end of a macro step */
  FLG_PASS_POSITION /* positions there */
} flg_elements_pass;

typedef struct flg_coupling_elements {
  int count;
  flg_element **list; /* (count) by their numbers */
  flg_elements_pass pass;
  int *joints;                   /* (interfaces) their joint of the plan of the whole, -1: none */
  const flg_macro_element **met; /* (count) of the macro run that tells; NULL: of none */
  flg_element_state *states;     /* (count) in the state of the coupling */
  double *values;                /* (count) c where all are, when the plan was filled */
  bool *are_left;                /* (count) closed ones that would break their law */
} flg_coupling_elements;

struct flg_coupling;
struct flg_coupled_system;

/* Set-up, of a scheme that cannot solve such elements (bits 1u << FLG_ELEMENT_x): FLG_ERR_INPUT
 * with the first interface that carries one. */
flg_status flg_coupling_elements_refuse(const struct flg_coupled_system *system, const char *scheme,
                                        unsigned kinds, flg_error *error);
/* Set-up: joints of the plan, after those of interfaces; returns how many there are then. */
int flg_coupling_elements_draw(const struct flg_coupling *coupling, int *joints, int count,
                               flg_graph_joint *drawn);
/* Set-up, when macro runs are there: which macro run tells what an element has done. */
void flg_coupling_elements_find(struct flg_coupling *coupling);
/* Set-up, with all subsystems at their start: where springs rest, what sticks. */
void flg_coupling_elements_start(struct flg_coupling *coupling);
/* Step, after an event: what moves slips, what rests sticks; stops are apart. */
void flg_coupling_elements_restart(struct flg_coupling *coupling);
/* Step: begins a pass; all that is closed takes part. */
void flg_coupling_elements_begin(struct flg_coupling *coupling, flg_elements_pass pass);
/* Step, before the plan is factored: rows, compliance; and right-hand sides. */
void flg_coupling_elements_fill(struct flg_coupling *coupling);
void flg_coupling_elements_aim(struct flg_coupling *coupling);
/* Step, after a solve: leaves out what breaks its law; whether there was any. */
bool flg_coupling_elements_revise(struct flg_coupling *coupling);
/* Step, at the end of a macro step: what is remembered. */
void flg_coupling_elements_keep(struct flg_coupling *coupling);
/* Work that the elements of an interface have taken in the macro step [J]. */
double flg_coupling_elements_work(const struct flg_coupling *coupling, int interface);

#endif
