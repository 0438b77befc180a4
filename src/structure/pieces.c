#include "structure/pieces.h"

#include <math.h>
#include <stdlib.h>

#include "math/larger.h"

/* Of 1 rad, and of the length of the component: joints that are further open than files round are
 * left to the closing of joints at the start. */
static const double CLOSED = 1e-10;

/* the largest distance in any pose of the component: positions are rounded by it */
static double length_of_component(const flg_component *component) {
  double length = 0;
  for (int k = 0; k < component->body_count; k++) {
    length = flg_larger(length, flg_vec3_norm(component->bodies[k].pose.position));
  }
  for (int k = 0; k < 2 * component->joint_count; k++) {
    const flg_anchor *end = &component->joints[k / 2].end[k % 2];
    length = flg_larger(length, flg_vec3_norm(end->pose.position));
  }
  return length;
}

/* Node 0 is the ground; bodies that are fixed belong to it from the start. */
bool flg_pieces_make(flg_pieces *pieces, const flg_component *component, flg_region *region) {
  *pieces = (flg_pieces){.component = component,
                         .node_count = component->body_count + 1,
                         .length = length_of_component(component)};
  pieces->parent = flg_region_take(region, (size_t)pieces->node_count, sizeof *pieces->parent);
  pieces->number = flg_region_take(region, (size_t)pieces->node_count, sizeof *pieces->number);
  if (region->failed) return false;
  for (int k = 0; k < pieces->node_count; k++) pieces->number[k] = -1;
  for (int k = 0; k < component->body_count; k++) {
    pieces->parent[k + 1] = component->bodies[k].fixed ? FLG_PIECE_GROUND : k + 1;
  }
  return true;
}

int flg_pieces_node(const flg_pieces *pieces, const flg_anchor *anchor) {
  /* Links of robots, points and bodies with ports keep their own motion: they are never merged. */
  if (anchor->robot >= 0) return -1;
  if (anchor->body == FLG_WORLD) return FLG_PIECE_GROUND;
  const flg_component_body *body = &pieces->component->bodies[anchor->body];
  return body->is_point || body->is_port ? -1 : anchor->body + 1;
}

/* Union and find, with paths halved on the way. */
int flg_pieces_of(const flg_pieces *pieces, int node) {
  while (pieces->parent[node] != node) {
    node = pieces->parent[node] = pieces->parent[pieces->parent[node]];
  }
  return node;
}

bool flg_pieces_unite(flg_pieces *pieces, int a, int b) {
  a = flg_pieces_of(pieces, a), b = flg_pieces_of(pieces, b);
  /* The smaller number leads: the ground, number 0, leads whatever is fixed to it. */
  pieces->parent[a < b ? b : a] = a < b ? a : b;
  return a != b;
}

bool flg_pieces_graph(const flg_pieces *pieces, flg_piece_graph *graph, flg_region *region) {
  const flg_component *component = pieces->component;
  const size_t count = (size_t)component->joint_count;
  *graph = (flg_piece_graph){.edges = flg_region_take(region, count, sizeof *graph->edges),
                             .joints = flg_region_take(region, count, sizeof *graph->joints)};
  if (region->failed) return false;
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (!flg_linkage_counts(joint->kind)) continue;
    if (pieces->is_asked != NULL && pieces->is_asked[k]) continue;
    flg_edge edge = {
        {flg_pieces_node(pieces, &joint->end[0]), flg_pieces_node(pieces, &joint->end[1])}};
    if (edge.node[0] < 0 || edge.node[1] < 0) continue;
    for (int s = 0; s < 2; s++) edge.node[s] = flg_pieces_of(pieces, edge.node[s]);
    if (edge.node[0] == edge.node[1]) continue;
    graph->joints[graph->count] = k;
    graph->edges[graph->count++] = edge;
  }
  return true;
}

typedef struct sorted_edge {
  int node[2], edge;
} sorted_edge;

static bool are_between_same(const sorted_edge *a, const sorted_edge *b) {
  return a->node[0] == b->node[0] && a->node[1] == b->node[1];
}

/* By nodes, then by number: qsort is not stable, and the order decides on bits. */
static int compare_edges(const void *a, const void *b) {
  const sorted_edge *first = a, *second = b;
  for (int k = 0; k < 2; k++) {
    if (first->node[k] != second->node[k]) return first->node[k] < second->node[k] ? -1 : 1;
  }
  return (first->edge > second->edge) - (first->edge < second->edge);
}

bool flg_pieces_pairs(const flg_piece_graph *graph, flg_blocks *pairs, flg_region *region) {
  const size_t count = (size_t)graph->count;
  sorted_edge *sorted = flg_region_take(region, count, sizeof *sorted);
  *pairs = (flg_blocks){.first = flg_region_take(region, count + 1, sizeof *pairs->first),
                        .edges = flg_region_take(region, count, sizeof *pairs->edges)};
  if (region->failed) return false;
  for (int k = 0; k < graph->count; k++) {
    const int *node = graph->edges[k].node;
    /* Joints between the same two pieces count as a pair whichever end comes first in the file. */
    const int is_turned = node[0] > node[1];
    sorted[k] = (sorted_edge){{node[is_turned], node[1 - is_turned]}, k};
  }
  if (count > 0) qsort(sorted, count, sizeof *sorted, compare_edges);
  for (int k = 0; k < graph->count; k++) {
    pairs->edges[k] = sorted[k].edge;
    if (k > 0 && are_between_same(&sorted[k - 1], &sorted[k])) continue;
    pairs->first[pairs->count++] = k;
  }
  pairs->first[pairs->count] = graph->count;
  return true;
}

/* frames in the world at the start, where the pieces are compared */
flg_linkage_joint flg_pieces_joint(const flg_pieces *pieces, int joint, const int piece[2]) {
  const flg_component_joint *source = &pieces->component->joints[joint];
  flg_linkage_joint made = {
      .kind = source->kind, .constant = source->constant, .piece = {piece[0], piece[1]}};
  for (int s = 0; s < 2; s++) {
    const flg_anchor *end = &source->end[s];
    made.frame[s] = end->body == FLG_WORLD
                        ? end->pose
                        : flg_pose_compose(&pieces->component->bodies[end->body].pose, &end->pose);
  }
  return made;
}

bool flg_pieces_joint_is_open(const flg_pieces *pieces, int index) {
  const int none[2] = {0, 0};
  const flg_linkage_joint joint = flg_pieces_joint(pieces, index, none);
  double left[FLG_CONSTRAINT_ROWS_MAX];
  const int count = flg_constraint_measure(joint.kind, joint.frame, left);
  const int displacements = flg_constraint_displacements(joint.kind);
  const double near = CLOSED * pieces->length;
  for (int k = 0; k < count; k++) {
    if (!(fabs(left[k]) <= (k < displacements ? near : CLOSED))) return true;
  }
  /* The measured rows do not know the length of a distance: it is compared here. */
  const flg_vec3 between = flg_vec3_subtract(joint.frame[1].position, joint.frame[0].position);
  return joint.kind == FLG_CONSTRAINT_DISTANCE &&
         !(fabs(flg_vec3_norm(between) - joint.constant) <= near);
}
