/* force_tables.h - springs, dampers, bushings and loads of a component, as tables of a generated
 * source (mechanism_forces.h), and the coordinates that they act on.
 */
#ifndef FLG_COMPILE_FORCE_TABLES_H
#define FLG_COMPILE_FORCE_TABLES_H

#include "compile/number_tables.h"
#include "flange/mistakes.h"

struct flg_assembly;
struct flg_component;

typedef struct flg_force_tables {
  struct flg_assembly *assembly;
  flg_region *region;
  int coordinate_count, angle_count, spring_count, load_count, bushing_count;
  int *coordinates; /* (coordinate_count) of the component, parts of sums before them */
  int *places;      /* (coordinates of the component) among these, -1: it is not needed */
  int signal_count; /* of chosen signals, which read bodies and elements */
  double longest;   /* step that the elements are explicit in [s]; INFINITY: any */
} flg_force_tables;

/* Set-up: elements that cannot be compiled are mistakes that name them. */
void flg_force_tables_check(const struct flg_component *component, flg_mistakes *mistakes);
/* Set-up, of an assembly whose joints are closed; no memory: region->failed. */
void flg_force_tables_build(flg_force_tables *of, struct flg_assembly *assembly,
                            flg_region *region);
/* A coordinate of the component that is needed besides: its place. */
int flg_force_tables_need(flg_force_tables *of, int coordinate);
/* True if the library has any force tables. */
bool flg_force_tables_are_needed(const flg_force_tables *of);
/* Sizes, tables and what reads them; numbers go to `numbers`, which is written after it, and the
 * text of mechanism_forces.h after that. */
void flg_force_tables_write(const flg_force_tables *of, flg_number_tables *numbers, FILE *out);

#endif
