/* assembly_watch.h - what some joints of an assembly do, step by step: forces for signals and
 * users.
 *
 * The reactions l of each solve are impulses on the rows G that it was made with; seen on the
 * second end, at its frame and in world axes, they add up over the micro steps of a macro step:
 *
 *     rattle         both kicks, and all that closes the free step between them
 *     rk4            h/6, h/3, h/3, h/6 times the forces of the stages
 *     semi-implicit  the kick
 *     all but rattle, in the mass norm: the projection of velocities at the end of a step, without
 *                    which a semi-implicit step would have no centripetal forces
 *
 * Springs, friction and stops of the joint itself belong to its force, whether they are rows of the
 * plan or forces of a stage. The momentum that others gain is then all accounted for. The Euclidean
 * norm projects by what is no force of the joint, and leaves it out.
 */
#ifndef FLG_ASSEMBLY_WATCH_H
#define FLG_ASSEMBLY_WATCH_H

#include "assembly/assembly.h"

typedef struct flg_watched {
  flg_spatial impulse; /* on the second end since step 0 of the last advance [N s, N m s] */
  double work;         /* l . G v: what both sides together gained by it [J] */
  double apart[2];     /* what is left of its rows: displacements [m], turns [rad] */
} flg_watched;

typedef struct flg_watched_rows {
  int rows, rank;     /* of S = G W G^T, all other joints closed; rank < rows: some are redundant */
  double inverse[36]; /* S^-1 (rows x rows) where rank = rows */
  bool is_unique[6];  /* the force along that axis, the moment about it */
} flg_watched_rows;

/* Set-up: joints of the component that are watched from now on, numbered from 0; once. -1: a gear
 * with play or elastic teeth, which is no joint: it has no rows, and its impulse is NaN;
 * flg_watch_of_element: an element between two frames, which has no rows either. FLG_ERR_MEMORY. */
flg_status flg_assembly_watch(flg_assembly *assembly, const int *joints, int count);
/* The number that stands for a force element of the component (forces/force.h). */
static inline int flg_watch_of_element(int force) {
  return -2 - force;
}
/* Set-up: the force of a joint of the component that will be read. FLG_ERR_MEMORY. */
flg_status flg_assembly_ask_force(flg_assembly *assembly, int joint);
/* After refresh: its mean over the last macro step, on the second end at its frame, in world axes
 * [N, N m]; 0 before the first step. NaN: redundant rows leave it open. */
void flg_assembly_joint_force(const flg_assembly *assembly, int joint, double force[6]);
/* After refresh. A gear or a rack has no frame: its impulse is NaN. */
flg_watched flg_assembly_watched(const flg_assembly *assembly, int index);
/* After a step: whether any rows of the assembly were redundant at its end. */
bool flg_assembly_is_redundant(const flg_assembly *assembly);
/* Step, between steps: the rows of watched joints where they are, one after the other. The state
 * stays as it is. */
flg_status flg_assembly_watch_rows(flg_assembly *assembly);
/* After it: how many joints can be looked at, all or FLG_LIMIT_PROBES. */
int flg_assembly_watched_most(const flg_assembly *assembly);
/* Watched joints whose forces are asked for. */
int flg_assembly_asked_forces(const flg_assembly *assembly);
flg_status flg_assembly_watched_rows(flg_assembly *assembly, int index, flg_watched_rows *rows);

/* --- for the schemes --- */

/* Finds which forces that were asked for are unique. */
void flg_watch_refresh(flg_assembly *assembly);
/* Nothing has happened yet. */
void flg_watch_begin(flg_assembly *assembly);
/* Adds share times the reactions of the last solve. Their work is taken with the rates that the
 * rows had when they were placed, and those that the solve made, in these parts. */
void flg_watch_note(flg_assembly *assembly, double share, double placed, double made);
/* Adds what springs pull with that are forces, where they were placed last, over that time. */
void flg_watch_pull(flg_assembly *assembly, double time);
/* Takes a note of where it is, and goes back there. */
void flg_watch_remember(flg_assembly *assembly);
void flg_watch_recall(flg_assembly *assembly);

#endif
