/* parts.h - the subsystems of a scenario by name, and where they are in what runs.
 *
 * Most are a subsystem of their own, with an empty prefix. Parts that are solved as one share a
 * subsystem, whose paths begin with the name of the part: there `arm/tool` is the object `tool` of
 * the part `arm`.
 */
#ifndef FLG_PARTS_H
#define FLG_PARTS_H

#include "base/region.h"
#include "contract/subsystem.h"
#include "flange/simulation.h"

typedef struct flg_part {
  const char *name;
  int subsystem;      /* of the simulation */
  const char *prefix; /* of its paths, without a slash at the end; "": they have none */
} flg_part;

/* Set-up: the part called by the first `length` letters of a name; NULL if there is none. */
const flg_part *flg_part_find(const flg_simulation *simulation, const char *name, size_t length);
/* Set-up: the end of a message on a name that is not there, as in base/closest.h. */
const char *flg_part_hint(const flg_simulation *simulation, const char *name,
                          const flg_mistakes *mistakes, char *text);
/* Set-up: the subsystem that it is in. */
flg_subsystem *flg_part_subsystem(const flg_simulation *simulation, const flg_part *part);
/* Set-up: the path of `rest` inside of that subsystem; NULL if there is no memory. */
const char *flg_part_path(const flg_part *part, const char *rest, flg_region *region);

#endif
