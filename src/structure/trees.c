#include "structure/trees.h"

#include "forces/force.h"
#include "structure/pieces.h"
#include "structure/tree_rows.h"

typedef struct finding {
  const flg_trees_question *question;
  const flg_component *component;
  flg_structure *structure;
  flg_trees *trees;
  flg_pieces pieces;     /* for poses of joints */
  flg_piece_graph graph; /* of all joints with rows between two bodies, or a body and the ground */
  bool *is_prescribed;   /* (coordinates) by a motion: there is nothing left to compute */
  bool *can_move;        /* (edges) the joint can have coordinates */
  bool *is_bridge;       /* (edges) no loop goes over it */
  int *first_edge;       /* (nodes + 1) of each node in `edges` */
  int *edges;            /* (2 * edges) */
  bool *has_rows;        /* (nodes) something besides joints is joined to it by rows */
  int *loops;            /* (nodes) edges that loops go over and that have rows so far */
  int *tree;             /* (nodes) -1: none so far */
  int *queue, taken, queued;
  bool is_open;    /* a joint is, at the start */
  bool folds;      /* gears have no rows, and all that stands on the ground is one tree */
  int *tree_ports; /* (trees) by what is known so far */
} finding;

/* --- joints and bodies --------------------------------------------------------------------------
 */

/* a node: 0 is the ground, 1 + k the cluster that body k leads; -1: no rigid body */
static int node_at(const finding *f, const flg_anchor *at) {
  if (flg_pieces_node(&f->pieces, at) < 0) return -1;
  return at->body == FLG_WORLD ? FLG_PIECE_GROUND : f->structure->lead[at->body] + 1;
}

static bool has_coordinates(flg_constraint_kind kind) {
  switch (kind) {
    case FLG_CONSTRAINT_REVOLUTE:
    case FLG_CONSTRAINT_PRISMATIC:
    case FLG_CONSTRAINT_CYLINDRICAL:
    case FLG_CONSTRAINT_SPHERICAL:
    case FLG_CONSTRAINT_UNIVERSAL:
    case FLG_CONSTRAINT_PLANAR:
    case FLG_CONSTRAINT_SCREW:
      return true;
    default:
      return false;
  }
}

static bool find_prescribed(finding *f, flg_region *region) {
  const flg_component *component = f->component;
  const size_t count = (size_t)component->coordinate_count;
  f->is_prescribed = flg_region_take(region, count, sizeof *f->is_prescribed);
  if (region->failed) return false;
  for (int k = 0; k < component->element_count; k++) {
    const flg_component_element *element = &component->elements[k];
    if (element->kind->target == NULL || element->coordinate < 0) continue;
    f->is_prescribed[element->coordinate] = true;
  }
  return true;
}

/* Prescribed coordinates have a target instead of an equation: their joints stay rows. */
static bool can_move(const finding *f, int joint) {
  const bool *is_asked = f->question->is_asked;
  const flg_component_joint *of = &f->component->joints[joint];
  for (int s = 0; s < 2; s++) {
    if (of->coordinate[s] >= 0 && f->is_prescribed[of->coordinate[s]]) return false;
  }
  return has_coordinates(of->kind) && (is_asked == NULL || !is_asked[joint]);
}

static bool make_graph(finding *f, flg_region *region) {
  const flg_component *component = f->component;
  const size_t count = (size_t)component->joint_count;
  f->graph = (flg_piece_graph){.edges = flg_region_take(region, count, sizeof *f->graph.edges),
                               .joints = flg_region_take(region, count, sizeof *f->graph.joints)};
  f->can_move = flg_region_take(region, count, sizeof *f->can_move);
  if (region->failed) return false;
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (f->structure->roles[k] != FLG_JOINT_KEPT || !flg_linkage_counts(joint->kind)) continue;
    const int a = node_at(f, &joint->end[0]), b = node_at(f, &joint->end[1]);
    if (a < 0 && b >= 0) f->has_rows[b] = true;
    if (b < 0 && a >= 0) f->has_rows[a] = true;
    if (a < 0 || b < 0 || a == b) continue;
    if (flg_pieces_joint_is_open(&f->pieces, k)) f->is_open = true;
    f->can_move[f->graph.count] = can_move(f, k);
    f->graph.joints[f->graph.count] = k;
    f->graph.edges[f->graph.count++] = (flg_edge){{a, b}};
  }
  return true;
}

/* edges by their nodes */
static bool sort_edges(finding *f, flg_region *region) {
  const int nodes = f->pieces.node_count;
  f->first_edge = flg_region_take(region, (size_t)nodes + 1, sizeof *f->first_edge);
  f->edges = flg_region_take(region, 2 * (size_t)f->graph.count, sizeof *f->edges);
  int *next = flg_region_take(region, (size_t)nodes, sizeof *next);
  if (region->failed) return false;
  for (int k = 0; k < 2 * f->graph.count; k++) {
    f->first_edge[f->graph.edges[k / 2].node[k % 2] + 1]++;
  }
  for (int k = 0; k < nodes; k++) {
    f->first_edge[k + 1] += f->first_edge[k];
    next[k] = f->first_edge[k];
  }
  for (int k = 0; k < 2 * f->graph.count; k++) {
    f->edges[next[f->graph.edges[k / 2].node[k % 2]]++] = k / 2;
  }
  return true;
}

/* A block of one edge is a bridge: cutting it would part the mechanism, so no loop goes over it. */
static bool find_bridges(finding *f, flg_region *region) {
  flg_blocks blocks;
  f->is_bridge = flg_region_take(region, (size_t)f->graph.count, sizeof *f->is_bridge);
  if (region->failed ||
      !flg_blocks_find(&blocks, f->pieces.node_count, f->graph.edges, f->graph.count, region)) {
    return false;
  }
  for (int k = 0; k < blocks.count; k++) {
    const int first = blocks.first[k];
    if (blocks.first[k + 1] == first + 1) f->is_bridge[blocks.edges[first]] = true;
  }
  return true;
}

/* --- what else has rows -------------------------------------------------------------------------
 */

static void mark_ends(const finding *f, const flg_anchor end[2]) {
  for (int k = 0; k < 2; k++) {
    const int node = node_at(f, &end[k]);
    if (node >= 0) f->has_rows[node] = true;
  }
}

static void mark_coordinate(const finding *f, int coordinate) {
  const flg_component_coordinate *of = &f->component->coordinates[coordinate];
  if (of->kind != FLG_COORDINATE_SUM) {
    mark_ends(f, of->end);
    return;
  }
  for (int k = 0; k < 2; k++) mark_ends(f, f->component->coordinates[of->of[k]].end);
}

/* forces push on links, which costs next to nothing, unless they are rows of the plan */
/* see assembly_row_sets.c: the same question, asked before there are row sets */
static bool is_row(const finding *f, const flg_force *force) {
  const flg_force_kind *kind = force->kind;
  return kind == &flg_friction_kind || kind == &flg_stop_kind || kind->target != NULL ||
         (kind->is_soft != NULL && kind->is_soft(force->of, f->question->is_staged));
}

static void mark_forces(const finding *f) {
  for (int k = 0; k < flg_forces_count(f->component); k++) {
    const flg_force force = flg_forces_at(f->component, k);
    if (!is_row(f, &force)) continue;
    const int coordinate = flg_force_coordinate(&force);
    if (coordinate >= 0) mark_coordinate(f, coordinate);
    if (force.kind->ends == 2) mark_ends(f, flg_force_ends(&force));
  }
}

/* Whatever has rows needs a port on its body. A tree's admittance grows with the square of its
 * ports, so trees end where they would have many. */
static void mark_rows(const finding *f) {
  const flg_component *component = f->component;
  mark_forces(f);
  for (int k = 0; k < component->joint_count && !f->folds; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (!flg_constraint_kinds[joint->kind].couples) continue;
    for (int s = 0; s < 2; s++) mark_coordinate(f, joint->coordinate[s]);
  }
  for (int k = 0; k < component->shape_count; k++) {
    const flg_shape *shape = &component->shapes[k];
    if (!shape->collision || shape->robot > 0 || shape->body == FLG_WORLD) continue;
    const flg_anchor at = {.robot = -1, .body = shape->body};
    const int node = node_at(f, &at);
    if (node >= 0) f->has_rows[node] = true;
  }
  for (int k = 0; k < component->body_count && f->question->has_port != NULL; k++) {
    const flg_anchor at = {.robot = -1, .body = k};
    const int node = f->question->has_port[k] ? node_at(f, &at) : -1;
    if (node >= 0) f->has_rows[node] = true;
  }
  for (int k = 0; k < f->graph.count; k++) {
    for (int s = 0; s < 2 && !f->is_bridge[k]; s++) f->loops[f->graph.edges[k].node[s]]++;
  }
}

/* --- growth -------------------------------------------------------------------------------------
 */

static bool is_port_node(const finding *f, int node) {
  return f->has_rows[node] || f->loops[node] > 0;
}

static void add_link(finding *f, int tree, int node, int parent, int edge) {
  f->tree[node] = tree;
  f->queue[f->queued++] = node;
  const int joint = edge < 0 ? FLG_NO_JOINT : f->graph.joints[edge];
  f->trees->links[f->queued - 1] = (flg_tree_link){node - 1, parent - 1, joint};
  for (int s = 0; s < 2 && edge >= 0 && !f->is_bridge[edge]; s++) {
    f->loops[f->graph.edges[edge].node[s]]--;
  }
}

static int other_node_of_edge(const finding *f, int edge, int node) {
  const int *ends = f->graph.edges[edge].node;
  return ends[0] == node ? ends[1] : ends[0];
}

/* ports that the tree of a node would have with what an edge leads to */
/* An edge that becomes a joint of the tree is no row any more: both ends may lose their port by
 * it. */
static int ports_with(const finding *f, int node, int edge) {
  const int other = other_node_of_edge(f, edge, node), loops = f->is_bridge[edge] ? 0 : 1;
  const bool stays = f->has_rows[node] || f->loops[node] > loops;
  const bool comes = f->has_rows[other] || f->loops[other] > loops;
  return f->tree_ports[f->tree[node]] - is_port_node(f, node) + stays + comes;
}

/* Breadth first: trees grow evenly, and bodies near the ground come first. */
static void grow_trees(finding *f) {
  while (f->taken < f->queued) {
    const int node = f->queue[f->taken++], tree = f->tree[node];
    for (int k = f->first_edge[node]; k < f->first_edge[node + 1]; k++) {
      const int edge = f->edges[k], other = other_node_of_edge(f, edge, node);
      if (other == FLG_PIECE_GROUND || f->tree[other] >= 0 || !f->can_move[edge]) continue;
      const int ports = ports_with(f, node, edge);
      if (ports > FLG_TREE_PORTS_MAX && ports > f->tree_ports[tree]) continue;
      f->tree_ports[tree] = ports;
      add_link(f, tree, other, node, edge);
    }
  }
}

static int new_tree(finding *f, int node, int edge) {
  const int tree = f->trees->count++;
  add_link(f, tree, node, FLG_PIECE_GROUND, edge);
  f->tree_ports[tree] = is_port_node(f, node);
  return tree;
}

static void root_on_ground(finding *f, int node, int edge) {
  if (!f->folds || f->trees->count == 0) {
    new_tree(f, node, edge);
    return;
  }
  add_link(f, 0, node, FLG_PIECE_GROUND, edge);
  f->tree_ports[0] += is_port_node(f, node);
}

static bool is_node_free(const finding *f, int node) {
  const flg_component_body *body = &f->component->bodies[node - 1];
  return f->tree[node] < 0 && f->structure->lead[node - 1] == node - 1 && !body->is_point &&
         !body->is_port;
}

/* From the ground first: a chain that hangs on it needs no floating joint. */
static void grow_all(finding *f) {
  for (int k = f->first_edge[FLG_PIECE_GROUND]; k < f->first_edge[FLG_PIECE_GROUND + 1]; k++) {
    const int edge = f->edges[k], node = other_node_of_edge(f, edge, FLG_PIECE_GROUND);
    if (f->can_move[edge] && is_node_free(f, node)) root_on_ground(f, node, edge);
  }
  grow_trees(f);
  for (int node = 1; node < f->pieces.node_count; node++) {
    if (!is_node_free(f, node)) continue;
    new_tree(f, node, -1);
    grow_trees(f);
  }
}

/* --- the result ---------------------------------------------------------------------------------
 */

/* one body that floats is better off as it is */
static bool is_link_alone(const flg_tree_link *first, int count) {
  return count == 1 && first->joint == FLG_NO_JOINT;
}

/* links tree by tree, in the order in which they were found, so that parents stay before children
 */
static bool collect_links(finding *f, flg_region *scratch) {
  flg_trees *trees = f->trees;
  const size_t count = (size_t)trees->count, links = (size_t)f->queued;
  int *first = flg_region_take(scratch, count + 1, sizeof *first);
  flg_tree_link *sorted = flg_region_take(scratch, links, sizeof *sorted);
  if (scratch->failed) return false;
  for (int k = 0; k < f->queued; k++) first[f->tree[f->queue[k]] + 1]++;
  for (int k = 0; k < trees->count; k++) first[k + 1] += first[k];
  int *next = f->tree_ports; /* no longer needed */
  for (int k = 0; k < trees->count; k++) next[k] = first[k];
  for (int k = 0; k < f->queued; k++) sorted[next[f->tree[f->queue[k]]]++] = trees->links[k];
  int kept = 0, written = 0;
  for (int k = 0; k < trees->count; k++) {
    const int size = first[k + 1] - first[k];
    if (is_link_alone(&sorted[first[k]], size)) continue;
    trees->first[kept] = written;
    for (int i = 0; i < size; i++) {
      const flg_tree_link link = sorted[first[k] + i];
      trees->of_body[link.body] = kept;
      trees->links[written++] = link;
      if (link.joint == FLG_NO_JOINT) continue;
      f->structure->roles[link.joint] = FLG_JOINT_MOVES;
      trees->joint_count++;
    }
    kept++;
  }
  trees->count = kept;
  trees->first[kept] = written;
  return true;
}

static bool trees_find(finding *f, flg_region *scratch) {
  if (!flg_pieces_make(&f->pieces, f->component, scratch)) return false;
  const size_t nodes = (size_t)f->pieces.node_count;
  f->has_rows = flg_region_take(scratch, nodes, sizeof *f->has_rows);
  f->loops = flg_region_take(scratch, nodes, sizeof *f->loops);
  f->tree = flg_region_take(scratch, nodes, sizeof *f->tree);
  f->queue = flg_region_take(scratch, nodes, sizeof *f->queue);
  f->tree_ports = flg_region_take(scratch, nodes, sizeof *f->tree_ports);
  if (scratch->failed || !find_prescribed(f, scratch) || !make_graph(f, scratch) ||
      !sort_edges(f, scratch) || !find_bridges(f, scratch)) {
    return false;
  }
  for (int k = 0; k < f->pieces.node_count; k++) f->tree[k] = -1;
  mark_rows(f);
  if (!f->is_open) grow_all(f);
  return collect_links(f, scratch);
}

/* --- gears --------------------------------------------------------------------------------------
 */

static bool is_gear(const finding *f, int joint) {
  return flg_constraint_kinds[f->component->joints[joint].kind].couples &&
         f->structure->roles[joint] == FLG_JOINT_KEPT;
}

/* the tree whose coordinates a gear couples by constant factors, -1: there is none */
static int tree_of_gear(const finding *f, int joint, double *slide, double *turn) {
  const flg_trees *trees = f->trees;
  const flg_component_joint *of = &f->component->joints[joint];
  int tree = -1;
  double factor[2];
  flg_component_joint_factors(of, factor);
  for (int i = 0; i < trees->first[trees->count]; i++) slide[i] = turn[i] = 0;
  for (int s = 0; s < 2; s++) {
    if (!flg_tree_row_add(trees, f->structure, f->component, of->coordinate[s], factor[s], slide,
                          turn)) {
      return -1;
    }
  }
  for (int i = 0; i < trees->first[trees->count]; i++) {
    if (slide[i] == 0 && turn[i] == 0) continue;
    const int other = trees->of_body[trees->links[i].body];
    if (tree >= 0 && other != tree) return -1;
    tree = other;
  }
  return tree;
}

static bool has_tree_ports(const finding *f, int tree) {
  const flg_trees *trees = f->trees;
  for (int i = trees->first[tree]; i < trees->first[tree + 1]; i++) {
    if (is_port_node(f, trees->links[i].body + 1)) return true;
  }
  return false;
}

/* False: one has to keep its row, and so do all, or there are too many, or what stands on the
 * ground has ports: it is not to be one tree. */
static bool fold_gears(const finding *f, flg_region *scratch) {
  flg_trees *trees = f->trees;
  if (trees->count == 0 || has_tree_ports(f, 0)) return false;
  const size_t links = (size_t)trees->first[trees->count];
  double *slide = flg_region_take(scratch, links, sizeof *slide);
  double *turn = flg_region_take(scratch, links, sizeof *turn);
  if (scratch->failed) return false;
  trees->folded_tree = -1;
  for (int k = 0; k < f->component->joint_count; k++) {
    if (!is_gear(f, k)) continue;
    const bool is_asked = f->question->is_asked != NULL && f->question->is_asked[k];
    const int tree = is_asked ? -1 : tree_of_gear(f, k, slide, turn);
    if (tree < 0 || (trees->folded_tree >= 0 && tree != trees->folded_tree)) return false;
    if (has_tree_ports(f, tree)) return false;
    trees->folded_tree = tree;
    if (++trees->folded_count > FLG_TREE_GEARS_MAX) return false;
  }
  for (int k = 0; k < f->component->joint_count; k++) {
    if (is_gear(f, k)) f->structure->roles[k] = FLG_JOINT_FOLDED;
  }
  return true;
}

/* as before anything was found */
static void forget_trees(finding *f) {
  for (int k = 0; k < f->component->joint_count; k++) {
    if (f->structure->roles[k] == FLG_JOINT_MOVES) f->structure->roles[k] = FLG_JOINT_KEPT;
  }
  for (int k = 0; k < f->component->body_count; k++) f->trees->of_body[k] = -1;
  f->trees->count = f->trees->joint_count = f->trees->folded_count = 0;
}

flg_status flg_trees_find(const flg_trees_question *question, flg_structure *structure,
                          flg_trees *trees, flg_region *region) {
  const size_t bodies = (size_t)question->component->body_count;
  flg_region scratch = {0};
  *trees = (flg_trees){.first = flg_region_take(region, bodies + 1, sizeof *trees->first),
                       .links = flg_region_take(region, bodies, sizeof *trees->links),
                       .of_body = flg_region_take(region, bodies, sizeof *trees->of_body)};
  if (region->failed) return FLG_ERR_MEMORY;
  for (size_t k = 0; k < bodies; k++) trees->of_body[k] = -1;
  const finding plain = {.question = question,
                         .component = question->component,
                         .structure = structure,
                         .trees = trees};
  finding f = plain;
  f.folds = question->is_staged;
  bool found = trees_find(&f, &scratch);
  if (found && f.folds && !fold_gears(&f, &scratch)) {
    flg_region_release(&scratch);
    scratch = (flg_region){0};
    f = plain;
    forget_trees(&f);
    found = trees_find(&f, &scratch);
  }
  flg_region_release(&scratch);
  return found ? FLG_OK : FLG_ERR_MEMORY;
}
