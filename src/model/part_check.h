/* part_check.h - what is asked of the parts of robots and of components alike. Set-up only.
 *
 * Each adds to the mistakes what it finds, with the part's place and name.
 */
#ifndef FLG_PART_CHECK_H
#define FLG_PART_CHECK_H

#include <stddef.h>

#include "model/model.h"

/* How every part with a name begins: bodies, joints, frames, springs, ... */
typedef struct flg_part_head {
  const char *name;
  flg_place place;
} flg_part_head;

static inline bool flg_part_is_finite(flg_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/* A proper rotation and a finite position. */
bool flg_part_is_place(const flg_pose *pose);

/* Parts of one kind, called `what`, must have names, all different. Linear in their count.
 * parts (count) of part_bytes each, which begin as flg_part_head does. */
void flg_part_check_names(const char *what, const void *parts, size_t part_bytes, int count,
                          flg_mistakes *mistakes);
/* Inertias must be finite, not negative, and keep the triangle inequality. On success *moment holds
 * the principal moments in ascending order. */
bool flg_part_check_inertia(const flg_part_head *body, flg_sym3 inertia, double moment[3],
                            flg_mistakes *mistakes);
/* On one of body_count bodies or the ground, with a place and sizes. */
void flg_part_check_shape(const flg_shape *shape, int body_count, flg_mistakes *mistakes);

#endif
