/* checked.h - what every part of a component is asked, and how it is told. Set-up only.
 *
 * Each call adds to the mistakes what it finds, with the part's kind, name and place; those that
 * return a truth say whether all was right.
 */
#ifndef FLG_CHECKED_H
#define FLG_CHECKED_H

#include "model/component.h"
#include "model/part_check.h"

/* The part that is being looked at. */
typedef struct flg_checked {
  const flg_component *component;
  const char *what; /* "joint", "spring", ... */
  flg_part_head head;
  flg_mistakes *mistakes;
} flg_checked;

/* "WHAT 'NAME' SENTENCE" */
void flg_checked_tell(const flg_checked *own, const char *sentence);
/* "the QUANTITY of WHAT 'NAME' is VALUE, but must be MUST" */
void flg_checked_tell_number(const flg_checked *own, const char *quantity, double value,
                             const char *must);
void flg_checked_finite(const flg_checked *own, const char *quantity, double value);
void flg_checked_not_negative(const flg_checked *own, const char *quantity, double value);
void flg_checked_positive(const flg_checked *own, const char *quantity, double value);
void flg_checked_vector(const flg_checked *own, const char *quantity, flg_vec3 value);
void flg_checked_pose(const flg_checked *own, const char *quantity, const flg_pose *pose);
/* An inner component that exists, or FLG_TOP. */
void flg_checked_group(const flg_checked *own, int group);
/* A coordinate that the component has. */
bool flg_checked_coordinate(const flg_checked *own, int index);
/* On a body of the component or of one of its robots, or on the ground. */
bool flg_checked_anchor(const flg_checked *own, const char *frame, const flg_anchor *anchor);
/* Between two ends of which at least one moves, and not with the other; ends that are on nothing
 * were told before. */
void flg_checked_ends(const flg_checked *own, const flg_anchor end[2]);

#endif
