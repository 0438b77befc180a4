/* assembly_ends.h - the inside of assemblies: where the joints of their robots end.
 *
 * Limits are what they are of a robot on its own (joint_range.h): stops, closed together with the
 * contacts of the assembly. Their rows are no rows of the plan: those of a step are found when they
 * are needed. With the unit vectors e of the joints that may reach an end, of a robot with mass M,
 *
 *     free      y of a solve without contacts
 *     D e       y of a solve that starts from M^-1 e and asks for nothing, one a joint; what it
 *               leaves at the roots of the plan are the rows of touch ports
 *     at last   a solve that starts from v + M^-1 e L, with the contacts' impulses on the roots
 *
 * Steps that come near to no end are bitwise what they are without limits. One that a contact
 * drives towards an end is solved again with it.
 *
 * Like contacts, limits are for semi-implicit and rattle; with rk4 they are refused.
 */
#ifndef FLG_ASSEMBLY_ENDS_H
#define FLG_ASSEMBLY_ENDS_H

#include "assembly/assembly_inner.h"
#include "limits/joint_range.h"

/* A joint inside of a part that ends. */
typedef struct flg_joint_end {
  flg_joint_range range; /* position, velocity: in q and v of the assembly */
  const flg_parts *of;
  int part, root;   /* in the set; the root of the plan that the part is in */
  int first, count; /* velocities of the part, in v of the assembly */
  double *response; /* (count) W e, scratch of a step that is near */
  /* of a step */
  double before;        /* its velocity at the start */
  double fastest;       /* and the largest of those that it was found to have at the end */
  int row;              /* in the block of its root, -1: it is not near */
  double impulse, move; /* of the law */
} flg_joint_end;

typedef struct flg_assembly_ends {
  int count;
  flg_joint_end *list;
  flg_touch_stop *stops; /* (2 count) of a step */
  int stop_count;
  bool are_met;            /* the last solve was one with stops */
  flg_touch_block *blocks; /* (roots) with the rows of joints after those of ports */
  double **admittances;    /* (roots) for these; NULL: of roots without ends */
  double *free, *impulses; /* (rows of all blocks) */
  double *from, *answer;   /* (velocities) */
} flg_assembly_ends;

/* --- set-up --- */

/* Before the plan: joints that end, and the mistakes of robots that start outside. */
void flg_assembly_ends_find(flg_assembly *assembly, flg_assembly_ends *ends,
                            flg_mistakes *mistakes);
/* With the plan: the roots that they are in, and how many of them are in one. */
void flg_assembly_place_ends(flg_assembly *assembly);
int flg_assembly_ends_in(const flg_assembly_ends *ends, int root);
/* After the blocks of the contacts, which have room for them. */
void flg_assembly_ends_lay_out(flg_assembly *assembly);
uint64_t flg_assembly_ends_identity(const flg_assembly_ends *ends, uint64_t seed);

/* --- steps, for assembly_contacts.c --- */

/* At the start. */
void flg_assembly_ends_begin(flg_assembly *assembly);
/* After it: whether any may be reached by the velocities that there are. */
bool flg_assembly_ends_near(flg_assembly *assembly);
/* As flg_assembly_solve, under contacts and stops. */
flg_status flg_assembly_solve_ending(flg_assembly *assembly, const double *from, flg_aim aim,
                                     double *y);
/* After it: what the moves of stops do to robots, or NULL (velocities). */
const double *flg_assembly_ends_moves(flg_assembly *assembly);

#endif
