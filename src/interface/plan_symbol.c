#include "interface/plan_symbol.h"

#include <limits.h>
#include <stdlib.h>

#include "interface/eliminate_inner.h"
#include "interface/interface_model.h"

/* --- the graph ---------------------------------------------------------------------------------
 */

/* A robot with many ports and contacts may have too many rows. Numbers of parts, ports and groups
 * are right by construction. */
flg_status flg_graph_check(const flg_graph *graph, flg_error *error) {
  /* Sizes of arrays are multiples of these counts: 64 leaves room for every one of them. */
  if (graph->part_count > INT_MAX / 64 || graph->joint_count > INT_MAX / 64) {
    return flg_fail(error, FLG_ERR_RANGE, "a graph of %d parts and %d joints", graph->part_count,
                    graph->joint_count);
  }
  for (int p = 0; p < graph->part_count; p++) {
    const flg_graph_part *part = &graph->parts[p];
    const int most = FLG_INTERFACE_ROWS_MAX;
    if (part->ports <= most / FLG_PORT_ROWS && part->contacts <= most &&
        FLG_PORT_ROWS * part->ports + part->contacts <= most)
      continue;
    return flg_fail(error, FLG_ERR_RANGE, "part %d has %d ports and %d contacts: over %d rows", p,
                    part->ports, part->contacts, most);
  }
  return FLG_OK;
}

/* --- slots -------------------------------------------------------------------------------------
 */

typedef struct builder {
  flg_plan_symbols *symbols;
  const flg_graph *graph;
  const flg_plan_options *options;
  const flg_plan_merge *merges;
  flg_region *region;
  int *list; /* (joints) those of one merge */
} builder;

static int *plan_symbol_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(int));
}

/* contacts of a part are one slot: they stay open to the root together */
static void number_slots(const flg_graph *graph, int *first_slot) {
  first_slot[0] = 0;
  for (int p = 0; p < graph->part_count; p++) {
    const flg_graph_part *part = &graph->parts[p];
    first_slot[p + 1] = first_slot[p] + part->ports + (part->contacts > 0);
  }
}

static void fill_slots(const builder *b) {
  for (int p = 0; p < b->graph->part_count; p++) {
    const flg_graph_part *part = &b->graph->parts[p];
    flg_plan_slot *slot = b->symbols->slots + b->symbols->first_slot[p];
    for (int k = 0; k < part->ports + (part->contacts > 0); k++) {
      const int row = FLG_PORT_ROWS * k, is_contact = k == part->ports;
      slot[k] = (flg_plan_slot){.part = p,
                                .row = row,
                                .rows = is_contact ? part->contacts : FLG_PORT_ROWS,
                                .is_open_always = is_contact,
                                .offset = row,
                                .holder = FLG_PLAN_NONE,
                                .toucher = FLG_PLAN_NONE};
    }
  }
  for (int k = 0; k < b->graph->outer_count; k++) {
    const flg_graph_port port = b->graph->outers[k];
    b->symbols->slots[b->symbols->first_slot[port.part] + port.port].is_open_always = 1;
  }
}

static int slot_of(const builder *b, flg_graph_port port) {
  return port.part == FLG_GROUND ? FLG_PLAN_NONE : b->symbols->first_slot[port.part] + port.port;
}

/* places know their slots, slots their joints */
static void link_joints(const builder *b) {
  const flg_graph *graph = b->graph;
  flg_plan_symbols *s = b->symbols;
  for (int j = 0; j < graph->joint_count; j++) {
    flg_plan_place *place = &s->places[j];
    place->merge = FLG_PLAN_NONE;
    place->ends = graph->joints[j].ends;
    for (int e = 0; e < place->ends; e++) {
      place->slot[e] = slot_of(b, graph->joints[j].end[e]);
      if (place->slot[e] != FLG_PLAN_NONE) s->slots[place->slot[e]].open++;
    }
  }
  s->first_joint[0] = 0;
  for (int k = 0; k < s->slot_count; k++) {
    s->first_joint[k + 1] = s->first_joint[k] + s->slots[k].open;
    /* column serves as a cursor here; merges give it its meaning later. */
    s->slots[k].column = s->first_joint[k]; /* where the next joint goes */
  }
  for (int j = 0; j < graph->joint_count; j++) {
    for (int e = 0; e < s->places[j].ends; e++) {
      const int slot = s->places[j].slot[e];
      if (slot != FLG_PLAN_NONE) s->joints[s->slots[slot].column++] = j;
    }
  }
}

/* --- merges ------------------------------------------------------------------------------------
 */

/* the slots of a node; for a part they follow each other */
typedef struct slot_list {
  int count, first;
  const int *list; /* NULL: first, first + 1, ... */
} slot_list;

static slot_list slots_of(const builder *b, int node) {
  const int parts = b->graph->part_count;
  if (node == FLG_PLAN_NONE) return (slot_list){0};
  if (node < parts) {
    const int *first = b->symbols->first_slot + node;
    return (slot_list){.count = first[1] - first[0], .first = first[0]};
  }
  const flg_plan_symbol *symbol = &b->symbols->merges[node - parts];
  return (slot_list){.count = symbol->slot_count, .list = symbol->slots};
}

static int slot_at(const slot_list *slots, int k) {
  return slots->list == NULL ? slots->first + k : slots->list[k];
}

/* All slots now come in by this merge; returns how many joints they have, and sums their rows. */
/* Marks instead of searches: whether an end is inside of a merge is one comparison with its
 * holder. */
static long claim_slots(const builder *b, const slot_list *slots, int side, int merge, int *rows) {
  long joints = 0;
  *rows = 0;
  for (int k = 0; k < slots->count; k++) {
    const int at = slot_at(slots, k);
    flg_plan_slot *slot = &b->symbols->slots[at];
    slot->side = side, slot->holder = merge;
    *rows += slot->rows;
    joints += b->symbols->first_joint[at + 1] - b->symbols->first_joint[at];
  }
  return joints;
}

static int is_place_inside(const builder *b, const flg_plan_place *place, int merge) {
  for (int e = 0; e < place->ends; e++) {
    if (place->slot[e] == FLG_PLAN_NONE) continue;
    if (b->symbols->slots[place->slot[e]].holder != merge) return 0;
  }
  return place->merge == FLG_PLAN_NONE;
}

static int ascending(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Joints with all ends inside, found from one side: the one with fewer joints, so that a hub is not
 * searched for each of its spokes. (With all ends on the other side it would be closed already.) */
static void close_joints(const builder *b, const slot_list *slots, int merge) {
  flg_plan_symbol *symbol = &b->symbols->merges[merge];
  int count = 0;
  for (int k = 0; k < slots->count; k++) {
    const int at = slot_at(slots, k);
    for (int i = b->symbols->first_joint[at]; i < b->symbols->first_joint[at + 1]; i++) {
      flg_plan_place *place = &b->symbols->places[b->symbols->joints[i]];
      if (!is_place_inside(b, place, merge)) continue;
      place->merge = merge;
      b->list[count++] = b->symbols->joints[i];
    }
  }
  /* In the order of the graph: which side was searched must not change the bits. */
  qsort(b->list, (size_t)count, sizeof(int), ascending);
  int *joints = plan_symbol_take(b->region, count);
  for (int k = 0; k < count && joints != NULL; k++) joints[k] = b->list[k];
  symbol->joints = joints;
  symbol->joint_count = joints == NULL ? 0 : count;
}

/* Gives each closed joint its rows and columns of G. */
static void place_closed_joints(const builder *b, int merge) {
  flg_plan_symbol *symbol = &b->symbols->merges[merge];
  for (int k = 0; k < symbol->joint_count; k++) {
    flg_plan_place *place = &b->symbols->places[symbol->joints[k]];
    const flg_graph_joint *joint = &b->graph->joints[symbol->joints[k]];
    place->row = symbol->shape.constraints;
    symbol->shape.constraints += joint->rows;
    if (joint->soft) symbol->shape.soft = 1;
    for (int e = 0; e < place->ends; e++) {
      if (place->slot[e] == FLG_PLAN_NONE) continue;
      flg_plan_slot *slot = &b->symbols->slots[place->slot[e]];
      /* A slot that several joints touch has its columns of G once. */
      if (slot->toucher != merge) {
        slot->toucher = merge;
        slot->column = symbol->shape.touched[slot->side];
        symbol->shape.touched[slot->side] += slot->rows;
      }
      slot->open--;
      place->side[e] = slot->side, place->column[e] = slot->column;
    }
  }
}

/* a joint that is alone, between a port of one piece and a port of the other */
static int is_weld_alone(const builder *b, const flg_plan_symbol *symbol) {
  if (symbol->joint_count != 1 || !b->graph->joints[symbol->joints[0]].weld) return 0;
  return symbol->shape.constraints == FLG_PORT_ROWS && symbol->shape.touched[0] == FLG_PORT_ROWS &&
         symbol->shape.touched[1] == FLG_PORT_ROWS;
}

/* Rows of a port stay open as long as a joint on it is not closed; those of outer ports and
 * contacts always. */
static int is_kept(const flg_plan_slot *slot) {
  return slot->is_open_always || slot->open > 0;
}

/* the lists of rows of one side, while slots still know where they stand in the child */
static void list_side_rows(const builder *b, const slot_list *slots, int side, int merge) {
  flg_plan_symbol *symbol = &b->symbols->merges[merge];
  int *touched = plan_symbol_take(b->region, symbol->shape.touched[side]);
  int *kept = plan_symbol_take(b->region, symbol->shape.kept[side]);
  if (b->region->failed) return;
  symbol->touched[side] = touched, symbol->kept[side] = kept;
  for (int k = 0; k < slots->count; k++) {
    const flg_plan_slot *slot = &b->symbols->slots[slot_at(slots, k)];
    for (int i = 0; i < slot->rows; i++) {
      if (slot->toucher == merge) touched[slot->column + i] = slot->offset + i;
      if (is_kept(slot)) *kept++ = slot->offset + i;
    }
  }
}

static void count_kept(const builder *b, const slot_list *slots, int side, int merge) {
  flg_plan_symbol *symbol = &b->symbols->merges[merge];
  for (int k = 0; k < slots->count; k++) {
    const flg_plan_slot *slot = &b->symbols->slots[slot_at(slots, k)];
    if (!is_kept(slot)) continue;
    symbol->shape.kept[side] += slot->rows;
    symbol->slot_count++;
  }
}

/* the slots that stay open, now where they stand in the result */
static void hand_on_slots(const builder *b, const slot_list sides[2], int merge) {
  flg_plan_symbol *symbol = &b->symbols->merges[merge];
  int *list = plan_symbol_take(b->region, symbol->slot_count), row = 0;
  if (list == NULL) return;
  symbol->slots = list;
  for (int c = 0; c < 2; c++) {
    for (int k = 0; k < sides[c].count; k++) {
      const int at = slot_at(&sides[c], k);
      flg_plan_slot *slot = &b->symbols->slots[at];
      if (!is_kept(slot)) continue;
      slot->offset = row;
      row += slot->rows;
      *list++ = at;
    }
  }
}

/* Closed rows have to be known before kept ones: closing a joint may free its slots. */
static void build_merge(const builder *b, int merge) {
  flg_plan_symbol *symbol = &b->symbols->merges[merge];
  const int *child = b->merges[merge].child;
  const slot_list sides[2] = {slots_of(b, child[0]), slots_of(b, child[1])};
  symbol->shape.form = b->options->form;
  symbol->shape.tolerance = b->options->tolerance;
  long joints[2];
  for (int c = 0; c < 2; c++) {
    joints[c] = claim_slots(b, &sides[c], c, merge, &symbol->shape.rows[c]);
  }
  /* a reduction has one side only */
  const int is_join = child[1] != FLG_PLAN_NONE;
  close_joints(b, &sides[is_join && joints[1] < joints[0]], merge);
  place_closed_joints(b, merge);
  symbol->shape.weld = is_weld_alone(b, symbol);
  for (int c = 0; c < 2; c++) {
    count_kept(b, &sides[c], c, merge);
    list_side_rows(b, &sides[c], c, merge);
  }
  if (b->region->failed) return;
  symbol->small = flg_elimination_is_small(&symbol->shape, symbol->touched, symbol->kept);
  hand_on_slots(b, sides, merge);
}

static int count_ends(const flg_graph *graph) {
  int count = 0;
  for (int j = 0; j < graph->joint_count; j++) count += graph->joints[j].ends;
  return count;
}

int flg_plan_symbols_build(flg_plan_symbols *symbols, const flg_graph *graph,
                           const flg_plan_options *options, const flg_plan_merge *merges,
                           int merge_count, flg_region *region) {
  const builder b = {symbols, graph,  options,
                     merges,  region, plan_symbol_take(region, graph->joint_count)};
  symbols->first_slot = plan_symbol_take(region, graph->part_count + 1);
  if (region->failed) return 0;
  number_slots(graph, symbols->first_slot);
  symbols->slot_count = symbols->first_slot[graph->part_count];
  symbols->slots = flg_region_take(region, (size_t)symbols->slot_count, sizeof(flg_plan_slot));
  symbols->first_joint = plan_symbol_take(region, symbols->slot_count + 1);
  symbols->joints = plan_symbol_take(region, count_ends(graph));
  symbols->merges = flg_region_take(region, (size_t)merge_count, sizeof(flg_plan_symbol));
  symbols->places = flg_region_take(region, (size_t)graph->joint_count, sizeof(flg_plan_place));
  if (region->failed) return 0;
  fill_slots(&b);
  link_joints(&b);
  for (int merge = 0; merge < merge_count && !region->failed; merge++) build_merge(&b, merge);
  return !region->failed;
}
