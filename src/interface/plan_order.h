/* plan_order.h - in which order the parts of a graph are joined. Set-up only.
 *
 * Nodes: 0 .. part_count - 1 are the parts, part_count + e is merge e. Merges come children first.
 */
#ifndef FLG_INTERFACE_PLAN_ORDER_H
#define FLG_INTERFACE_PLAN_ORDER_H

#include "base/region.h"
#include "interface/plan.h"

enum { FLG_PLAN_NONE = -1 };

typedef struct flg_plan_merge {
  int child[2]; /* nodes; child[1] is FLG_PLAN_NONE for a reduction */
} flg_plan_merge;

/* At most one reduction a part, and one join less than parts: room for 2 part_count merges. Every
 * part ends below a merge. Returns the number of merges, or -1 if the region has no memory. */
int flg_plan_order_merges(const flg_graph *graph, flg_plan_order order, flg_region *region,
                          flg_plan_merge *merges);

#endif
