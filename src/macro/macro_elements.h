/* macro_elements.h - what interfaces carry, as rows of a macro run: springs, friction, stops,
 * gears.
 *
 * Each element is one more row that is eliminated with those of the joints (eliminate.h). Of its
 * coordinate c, with rate w before and w+ after the micro step of h, and impulse l:
 *
 *     rigid      w+ = 0
 *     spring     l = - h k (s + h (a w + b w+)) - h d (g w + (1 - g) w+),  s: stretch at c
 *     friction   sticks: w+ = 0, |l| <= h bound;  or slips: l is given, and viscous friction is
 * soft stop       closed: w+ = target, l pushes;   or apart: l = 0
 *
 * c goes on by h w+ in subsystems that use start rows (macro_run.h), else by h (w + w+)/2. Springs
 * are taken such that they neither gain nor lose energy by the step where they are soft, and as the
 * implicit rule has them where they are stiff: with z = h^2 k / m, m the mass that the row feels,
 * and f = z / (z + 4), looking back a = 0, b = f; else a = (1 - f)/4, b = (1 - f)/4 + f. Damping
 * likewise, with z = (h d / m)^2 and z / (z + 1). With `implicit: true` damping is implicit, f is
 * z / (z + 1), with play 1, and looking back a = -(1 - f)/4, b = (1 - f)/4 + f, as in components.
 *
 * Which frictions slip and which stops are closed is found by a search around the solve, as in
 * assemblies (limits/search.h); the laws are those of model/spring.h and limits/limit.h. A spring
 * with play does not pull.
 *
 * Elements between others are rows of the macro run, too: only the viewer's own coupling
 * takes their impulses for true.
 */
#ifndef FLG_COUPLING_MACRO_ELEMENTS_H
#define FLG_COUPLING_MACRO_ELEMENTS_H

#include "base/region.h"
#include "interface/eliminate.h"
#include "limits/limit.h"
#include "macro/element.h"
#include "macro/rest_model.h"

/* The memory of an element between macro steps. */
typedef struct flg_element_state {
  double near[2]; /* values of its coordinates, which unwrap angles */
  double mode;    /* friction: -1, 1: it slips that way, 0: it sticks; stop: -1, 1: at its lower or
                     upper end, 0: apart */
  double load;    /* of a gear, on which its losses depend */
} flg_element_state;

/* Where an anchor is: on a port of our own, on rows of the rest, or on the ground. */
typedef struct flg_macro_anchor {
  int port, row;          /* -1: not there */
  flg_moving_frame frame; /* of the rest: it moves with its velocity, as joints do */
} flg_macro_anchor;

typedef struct flg_macro_interface {
  const flg_interface *interface;
  int index;
  flg_macro_anchor anchors[FLG_INTERFACE_ANCHORS_MAX];
} flg_macro_interface;

/* How a stop was met in a micro step; side 0: it was not. */
typedef struct flg_macro_hit {
  int side;
  flg_stop_response as;
} flg_macro_hit;

typedef struct flg_macro_element {
  const flg_element *element;
  int interface; /* of those that are met */
  int row;       /* of the elimination */
  flg_element_state state;
  double value;              /* c */
  double rate, after;        /* w and w+ of the last solve */
  double bias;               /* what w+ is more than G y+ */
  double yield;              /* what the row yields: 1/m */
  bool is_displacement;      /* c is one [m], else an angle */
  double push, resist;       /* of a spring or a friction that slips: l = push - resist w+ */
  double aim;                /* w+ of a closed row */
  double impulse, sum, work; /* of the last solve; of the macro step [N s, J] */
  bool is_slack;             /* a spring with play that would pull */
  bool bounces;              /* a stop that is closed for this step alone */
  bool was_hit;              /* a stop that was reached in this macro step */
  bool is_broken;            /* a friction that was let slip on its own: only motion holds it */
  flg_macro_hit hit, given;  /* in this micro step; as a subsystem that has run before found it */
  flg_macro_hit *hits;       /* (micro steps) of the macro step */
} flg_macro_element;

typedef struct flg_macro_elements {
  int interface_count, count; /* there may be none */
  int first;                  /* row of the first */
  int step;                   /* number of the micro step */
  flg_macro_interface *interfaces;
  flg_macro_element *list;
  double h;        /* of a micro step */
  double length;   /* of both models [m]; 0 if none of them turns */
  double noise[2]; /* rates of displacements and of angles that are rounding, of the last solve */
  bool uses_start_rows; /* see above */
  bool leaps;           /* rows are those of kicks in the middle of steps (macro_leap.c) */
  bool has_limits;      /* some may change over */
  bool yields;          /* closed ones are a little soft, so that each has its own impulse */
  bool took_hits;       /* in this macro step, of a subsystem that has run before */
  double *motion[2];    /* (rows of own and rest) after a solve */
} flg_macro_elements;

/* Set-up. Which elements are rows of a macro run: those of interfaces of the viewer that are not
 * driven (interfaces; NULL: none is), and those between others of the rest if there is any row.
 * They follow joint_rows rows of joints. Without a region only counts are set; with one, after
 * that, all is laid out. */
void flg_macro_elements_build(flg_macro_elements *elements, int viewer,
                              const flg_interface *interfaces, int interface_count,
                              const bool *driven, const flg_rest_model *rest, int joint_rows,
                              int own_rows, int steps_most, flg_region *region);
/* Step, at the communication point: where all are. states: (elements of the system) */
void flg_macro_elements_face(flg_macro_elements *elements, const flg_subsystem *subsystems,
                             const flg_element_state *states);

/* Step: micro step number `index` begins. Then, if the first subsystem of a sequence has met stops
 * in the time of this step, of which we make as many as `steps` in the macro step: each is met as
 * that one did, because forces that it found drive us. */
void flg_macro_elements_begin(flg_macro_elements *elements, int index);
void flg_macro_elements_take_hits(flg_macro_elements *elements, int steps,
                                  const flg_macro_elements *from, int from_steps);

/* The inputs of rows: both models, and the elimination. */
typedef struct flg_elements_stage {
  const flg_subsystem *subsystem;
  flg_interface_model *own, *rest;
  flg_elimination *elimination;
  const double *bias[2];   /* velocities at the end, without interface forces */
  const double *forces[2]; /* of the last solve */
  const double *reactions;
  const double *turns[2]; /* accelerations of free motion, where steps leap */
} flg_elements_stage;

/* Step: frames, rates and rows G. Then, as often as a set of limits is tried, right-hand sides and
 * compliance: of a micro step, or of a kick, in which springs only yield. True if a compliance
 * has changed since the last time. */
void flg_macro_elements_place(flg_macro_elements *elements, const flg_elements_stage *stage);
bool flg_macro_elements_aim(flg_macro_elements *elements, const flg_elements_stage *stage,
                            bool is_kick);
/* Step, after a solve: rates and impulses; then, for a search (limits/search.h), the mode that an
 * element has, the one that its law asks for, and a change. */
void flg_macro_elements_see(flg_macro_elements *elements, const flg_elements_stage *stage,
                            bool is_kick);
int flg_macro_element_mode(const flg_macro_element *met);
int flg_macro_elements_judge(const flg_macro_elements *elements, int index);
void flg_macro_elements_change(flg_macro_elements *elements, int index, int mode, bool is_alone);
/* Step, after a solve of impulses that act at once: whether closed elements keep their laws. Those
 * that do not are let go. */
bool flg_macro_elements_bear(flg_macro_elements *elements, const double *reactions);
/* Step, after the last solve of a micro step or a kick: impulses add up, coordinates go on. */
void flg_macro_elements_note(flg_macro_elements *elements, bool is_kick);
/* Step: frames on the rest go on with its velocities. */
void flg_macro_elements_advance(flg_macro_elements *elements, const double *u, double h);
/* The met element of that number in the system; NULL: it is none of this macro run. */
const flg_macro_element *flg_macro_elements_find(const flg_macro_elements *elements,
                                                 const flg_element *element);

#endif
