/* touching.h - all contacts of a simulation at a communication point, with the names of what
 * touches, and what changes from one such point to the next.
 */
#ifndef FLG_TOUCHING_H
#define FLG_TOUCHING_H

#include "cosim/simulation.h"

enum { FLG_TOUCHING_NAME = 160 };

/* One contact point; B is pushed. */
typedef struct flg_touching {
  int subsystem;
  int shapes[2]; /* of the scene of the subsystem: A, B */
  uint64_t key;
  const flg_contact *contact;
  const char *point; /* its name, of a set of points; NULL: it has none */
  int number;        /* in the set, from 0 on; -1: of no set */
  int state;         /* flg_contact_state */
  double press;      /* along the normal [N] */
  flg_vec3 force;    /* on B, mean over the last micro step [N] */
  double size;       /* of the smallest body of the subsystem that can touch [m] */
} flg_touching;

/* Set-up: how many there may be at most. */
int flg_touching_most(const flg_simulation *simulation);
/* Step: all that are near, into list; returns how many. */
int flg_touching_list(const flg_simulation *simulation, flg_touching *list);
/* `sub/body/shape`, or `sub/body` of a shape without a name; returns text. */
const char *flg_touching_name(const flg_simulation *simulation, int subsystem, int shape,
                              char text[FLG_TOUCHING_NAME]);
/* "open", "sliding" or "sticking". */
const char *flg_touching_state_name(int state);

/* An event of a contact point. */
typedef struct flg_touching_event {
  double time;      /* of the communication point [s] */
  flg_touching now; /* contact: NULL if it is no longer near */
  const char *what; /* opened, closed, slides, sticks */
} flg_touching_event;

/* Compares communication points. Both lists have room for flg_touching_most. */
typedef struct flg_touching_watch {
  flg_touching *before, *now;
  int before_count, now_count;
  int next_before, next_now; /* of the current comparison */
  double time;
} flg_touching_watch;

/* Step: takes the contacts at this point; then next, until it is false. */
void flg_touching_look(flg_touching_watch *watch, const flg_simulation *simulation);
bool flg_touching_next(flg_touching_watch *watch, flg_touching_event *event);

#endif
