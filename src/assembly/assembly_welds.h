/* assembly_welds.h - welds that events make and undo: joints that are there now and then.
 *
 * A weld has the six rows of a joint of that kind between two frames A and B. Closed, it holds B
 * where B was when it was closed: at A X, X the pose of B in A then. Open, its rows are zero, and
 * the plan leaves them out (interface/eliminate.h: rows with scale 0 are never selected). So parts
 * that will be welded are close to each other in the plan from the start, and a weld that repeats
 * what others fix is like any redundant joint.
 *
 * Closing one leaves positions as they are and takes velocities to the nearest that all joints
 * allow, in the mass norm: two bodies that stick together. Opening one changes neither.
 *
 * State: eight numbers a weld, before those of limits.
 */
#ifndef FLG_ASSEMBLY_WELDS_H
#define FLG_ASSEMBLY_WELDS_H

#include "assembly/assembly.h"

struct flg_part_anchor;

typedef struct flg_weld_state {
  double closed;      /* 1, else 0 */
  double position[3]; /* of X [m], 0 while it is open */
  double turn[4];     /* of X: quaternion w x y z */
} flg_weld_state;

typedef struct flg_welds {
  int count;
  int first; /* row set of the first of them */
  flg_weld_state *states;
  flg_weld_state *placed; /* as they were when joints were placed last, scratch */
  struct flg_part_anchor
      *anchors;             /* (count) A X of them then, A of those that were open; scratch */
  flg_weld_state *grouped;  /* as they were when the next were found, scratch */
  bool is_grouped, are_all; /* ... if they were; welds are all that holds parts */
  int *wholes;              /* (parts) the first of those that a part is welded to; scratch */
} flg_welds;

/* --- set-up, for assembly_build.c --- */

/* Adds their row sets to those of the assembly. */
void flg_welds_make(flg_assembly *assembly);

/* --- rows, for assembly_motion.c, assembly_solve.c and assembly_freedom.c --- */

/* Of any row set: false only for a weld that is open. */
bool flg_weld_holds(const flg_assembly *assembly, int row_set);
/* Before joints are placed: moves their ends to where they are now. True if any has moved. */
bool flg_welds_sit(flg_assembly *assembly);
/* Where an end (0, 1) of any row set sits: A of a weld that is closed includes X. */
const struct flg_part_anchor *flg_weld_anchor(const flg_assembly *assembly, int row_set, int end);
int flg_welds_open_rows(const flg_assembly *assembly);
/* True if welds are as they were when they were saved there. */
bool flg_welds_are_kept(const flg_assembly *assembly, const flg_weld_state *kept);
void flg_welds_keep(const flg_assembly *assembly, flg_weld_state *kept);

/* Where welds of events are all that holds parts, and parts are bodies that fly: of each part the
 * first of those that it is one rigid body with. NULL: some part is held otherwise. Joints of this
 * kind are taken out before (structure/), or stay as the user wants them. */
const int *flg_welds_firsts(flg_assembly *assembly);
/* The same; NULL also where none is welded. */
const int *flg_welds_wholes(flg_assembly *assembly);
/* True if none is welded. */
bool flg_welds_are_open(const flg_assembly *assembly);

/* --- events --- */

/* Set-up: the weld of a name, or -1. */
int flg_weld_find(const flg_assembly *assembly, const char *name);
/* Step: at the present relative pose; nothing happens if it is closed already. */
void flg_weld_close(flg_assembly *assembly, int weld);
void flg_weld_open(flg_assembly *assembly, int weld);

#endif
