/* kinds.h - which kind of part a body of a component is.
 *
 * Kinds are tried in their order; the first that takes a body has it. To add one: a file with its
 * flg_part_ops and its flg_part_kind, and a line in kinds.c.
 */
#ifndef FLG_PART_KINDS_H
#define FLG_PART_KINDS_H

#include "parts/part.h"

typedef struct flg_part_kind {
  bool (*takes)(const flg_component_body *body);
  /* A set for so many parts, or NULL without memory; then part after part of it. */
  flg_parts *(*make)(flg_region *region, int count);
  void (*add)(flg_parts *parts, int part, const flg_component_body *body, flg_vec3 gravity);
} flg_part_kind;

extern const flg_part_kind *const flg_part_kinds[]; /* ends with NULL */

extern const flg_part_kind flg_points_kind, flg_bodies_kind;

/* The kind of a body that moves: its number. */
int flg_part_kind_of(const flg_component_body *body);
/* Set-up: FLG_ERR_RANGE, naming kind and entry, if a required entry of the table is missing. */
flg_status flg_part_ops_check(const flg_part_ops *ops, flg_error *error);

#endif
