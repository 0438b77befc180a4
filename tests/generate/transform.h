/* transform.h - mechanisms that must move alike, and how what is seen of them corresponds. */
#ifndef FLG_GENERATE_TRANSFORM_H
#define FLG_GENERATE_TRANSFORM_H

#include "chance.h"
#include "mechanism.h"
#include "run.h"

/* Units: numbers that lengths, masses and times are multiplied with. */
typedef struct units {
  double length, mass, time;
} units;

/* What has been done to a mechanism; `identity` leaves sights as they are. */
typedef struct correspondence {
  bool mirrored;
  flg_pose turned;
  units units;
} correspondence;

correspondence same_sights(void);
/* Each changes the mechanism, and tells what becomes of its sights. */
correspondence turn(mechanism *machine, const flg_pose *by);
correspondence mirror(mechanism *machine);
correspondence scale(mechanism *machine, units by);
/* Other names, other orders of bodies and joints in files, ends of joints swapped. */
correspondence rename_all(mechanism *machine, chance *from);
/* Another order of subsystems. */
correspondence reorder(mechanism *machine, chance *from);

sight map_sight(const correspondence *by, const sight *seen);

/* Largest difference of two runs over all rows that both have, as a share of the size and of the
 * speeds of the first; NaN if anything is. Row and body of it into where (2), unless NULL. */
double difference(const mechanism *machine, const outcome *first, const outcome *second,
                  const correspondence *by, int where[2]);
/* The same where hits come earlier or later in one of both, since what hits is apart: times may
 * differ as much as places and velocities, by `share` of the run, or of the time in which the
 * fastest body moves by the size if that is less, and by a row at least. Velocities are compared
 * with the nearest of the second in that time, and may be off for half of it. */
double difference_but_for_timing(const mechanism *machine, const outcome *first,
                                 const outcome *second, const correspondence *by, double share,
                                 int where[2]);

/* Lengths and speeds that are typical of a run. */
typedef struct extent {
  double length, speed;
} extent;
extent extent_of(const mechanism *machine, const outcome *run);

#endif
