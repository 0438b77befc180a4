/* checked.h - what every part of a component is asked, and how it is reported. Set-up only. Single
 * numbers have been checked by the tables of keys (base/fields.h), and numbers of parts are right
 * by construction (flatten/): what is left is what several keys say together.
 *
 * Each call adds to the mistakes what it finds, with the part's kind, name and place.
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
void flg_checked_positive(const flg_checked *own, const char *quantity, double value);
/* The lower one comes first. */
void flg_checked_limit(const flg_checked *own, const double limit[2]);
void flg_checked_vector(const flg_checked *own, const char *quantity, flg_vec3 value);
void flg_checked_pose(const flg_checked *own, const char *quantity, const flg_pose *pose);
/* Of the frames of two ends. */
void flg_checked_poses(const flg_checked *own, const flg_anchor end[2]);
/* Between two ends of which at least one moves, and not with the other. */
void flg_checked_ends(const flg_checked *own, const flg_anchor end[2]);

#endif
