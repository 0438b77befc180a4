#include "parts/kinds.h"

/* the last takes what others leave */
const flg_part_kind *const flg_part_kinds[] = {&flg_points_kind, &flg_bodies_kind, NULL};

int flg_part_kind_of(const flg_component_body *body) {
  int kind = 0;
  while (flg_part_kinds[kind + 1] != NULL && !flg_part_kinds[kind]->takes(body)) kind++;
  return kind;
}
