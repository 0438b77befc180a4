/* assembly_freedom.h - what the joints of an assembly leave free, and how they get in each other's
 * way: for checks of a model, not for stepping. All calls are set-up.
 */
#ifndef FLG_ASSEMBLY_FREEDOM_H
#define FLG_ASSEMBLY_FREEDOM_H

#include "assembly/assembly.h"
#include "base/region.h"

/* Degrees of freedom and rank of the joints, in the pose of the last refresh. */
typedef struct flg_freedom {
  int velocities; /* of bodies and robots, without locked ones */
  int rows;       /* of all joints */
  int rank;       /* of them independent */
} flg_freedom;
flg_status flg_assembly_freedom(flg_assembly *assembly, flg_freedom *freedom);

/* The structure of the component, found before it was laid out (structure/structure.h). */
const struct flg_structure *flg_assembly_structure(const flg_assembly *assembly);
/* Bodies that are in joint coordinates (structure/trees.h). */
const struct flg_trees *flg_assembly_trees(const flg_assembly *assembly);
/* True if frames of joints were moved at the start (assembly_start.h). */
bool flg_assembly_was_fitted(const flg_assembly *assembly);
/* Multiplications and additions of a step, about: one factorisation of all joints, in the plane if
 * it moves in one, and what its parts do. */
double flg_assembly_flops(const flg_assembly *assembly);
/* True if joints, force elements or limits have rows in its plan. */
bool flg_assembly_has_rows(const flg_assembly *assembly);

/* After flg_assembly_freedom: for each joint with redundant rows, the other joints that already fix
 * what these ask for: other rows of which they are sums. */
typedef struct flg_redundancy {
  int joint, rows;   /* rows that are redundant */
  const int *others; /* (other_count) joints, in their order */
  int other_count;   /* 0: its robot cannot move that way */
  bool is_unknown;   /* the others were not looked for: there are too many rows */
} flg_redundancy;

typedef struct flg_redundancies {
  flg_redundancy *list;
  int count;
  flg_region region; /* release it */
} flg_redundancies;

flg_status flg_assembly_redundancies(const flg_assembly *assembly, flg_redundancies *found);

/* Marks the moving bodies that nothing holds: no joint or spring leads from them to the ground,
 * to a fixed body or to a robot. loose (bodies of the component). Returns how many. */
int flg_assembly_loose(const flg_assembly *assembly, bool *loose, flg_region *region);

struct flg_row_set;
/* Set-up, after place_rows (and factor, if there are robots): row i of a joint over all velocities.
 */
void flg_assembly_write_row(const flg_assembly *assembly, const struct flg_row_set *row_set, int i,
                            double *to);

#endif
