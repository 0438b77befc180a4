#include "structure/structure.h"

#include <math.h>
#include <stdlib.h>

#include "base/pair_set.h"
#include "forces/force.h"
#include "math/larger.h"
#include "structure/pieces.h"

/* Velocities of bodies of a cluster that differ by more than rounding from those of one body are
 * projected at the start, which is reported; in proportion to the fastest of all bodies. */
static const double SAME_SPEED = 1e-9;

typedef struct speeds {
  double linear, spin; /* [m/s], [rad/s] */
} speeds;

typedef struct finding {
  const flg_structure_question *question;
  const flg_component *component;
  flg_pieces pieces;
  speeds fastest;
  bool *is_kept; /* (nodes) its piece is left as it is; by the node that stands for it */
} finding;

/* --- pieces that stay as they are ---------------------------------------------------------------
 */

/* marked by the node that stands for the piece: all of its bodies are found through it */
static void keep_piece(const finding *f, int node) {
  if (node >= 0) f->is_kept[flg_pieces_of(&f->pieces, node)] = true;
}

/* a node may be -1 */
static void keep_nodes_apart(const finding *f, int a, int b) {
  if (a < 0 || b < 0) return;
  if (flg_pieces_of(&f->pieces, a) == flg_pieces_of(&f->pieces, b)) keep_piece(f, a);
}

/* A spring inside of one rigid piece would have a constant length: its bodies stay apart, as
 * written. */
static void keep_ends_apart(const finding *f, const flg_anchor end[2]) {
  keep_nodes_apart(f, flg_pieces_node(&f->pieces, &end[0]), flg_pieces_node(&f->pieces, &end[1]));
}

static void keep_coordinate(const finding *f, int coordinate) {
  const flg_component_coordinate *of = &f->component->coordinates[coordinate];
  if (of->kind != FLG_COORDINATE_SUM) {
    keep_ends_apart(f, of->end);
    return;
  }
  for (int k = 0; k < 2; k++) {
    keep_ends_apart(f, f->component->coordinates[of->of[k]].end);
  }
}

/* what a force element works on has to stay something that moves */
static void keep_forces(const finding *f) {
  for (int k = 0; k < flg_forces_count(f->component); k++) {
    const flg_force force = flg_forces_at(f->component, k);
    const int coordinate = flg_force_coordinate(&force);
    if (coordinate >= 0) keep_coordinate(f, coordinate);
    if (force.kind->ends == 2) keep_ends_apart(f, flg_force_ends(&force));
  }
}

static bool is_asked(const finding *f, int joint) {
  return f->question->is_asked != NULL && f->question->is_asked[joint];
}

static void keep_joints(const finding *f) {
  for (int k = 0; k < f->component->joint_count; k++) {
    const flg_component_joint *joint = &f->component->joints[k];
    const int a = flg_pieces_node(&f->pieces, &joint->end[0]);
    const int b = flg_pieces_node(&f->pieces, &joint->end[1]);
    if (!flg_linkage_counts(joint->kind) || a < 0 || b < 0) continue;
    if (is_asked(f, k) || flg_pieces_joint_is_open(&f->pieces, k)) keep_nodes_apart(f, a, b);
  }
}

static flg_vec3 gravity_of(const finding *f, const flg_component_body *body) {
  return isnan(body->gravity.x) ? f->question->gravity : body->gravity;
}

static bool are_same(flg_vec3 a, flg_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* of the body's point at the origin of the world */
static flg_spatial motion_of_body(const flg_component_body *body) {
  return flg_spatial_shift_motion(body->velocity, flg_vec3_negate(body->pose.position));
}

/* the largest of all bodies */
static speeds fastest_body(const flg_component *component) {
  speeds most = {0, 0};
  for (int k = 0; k < component->body_count; k++) {
    const flg_component_body *body = &component->bodies[k];
    const double spin = flg_vec3_norm(body->velocity.angular);
    most.spin = flg_larger(most.spin, spin);
    most.linear = flg_larger(most.linear, flg_vec3_norm(body->velocity.linear) +
                                              spin * flg_vec3_norm(body->pose.position));
  }
  return most;
}

static bool move_as_one(const finding *f, const flg_component_body *a,
                        const flg_component_body *b) {
  const flg_spatial apart = flg_spatial_subtract(motion_of_body(a), motion_of_body(b));
  return flg_vec3_norm(apart.angular) <= SAME_SPEED * f->fastest.spin &&
         flg_vec3_norm(apart.linear) <= SAME_SPEED * f->fastest.linear;
}

/* one body has one gravity, and one velocity at the start */
static void keep_bodies(const finding *f) {
  static const flg_component_body still = {.pose = {.rotation = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}}};
  for (int k = 0; k < f->component->body_count; k++) {
    const flg_component_body *body = &f->component->bodies[k];
    const int piece = flg_pieces_of(&f->pieces, k + 1);
    const flg_component_body *lead =
        piece == FLG_PIECE_GROUND ? &still : &f->component->bodies[piece - 1];
    if (body->fixed || lead == body) continue;
    const bool falls_alike =
        piece == FLG_PIECE_GROUND || are_same(gravity_of(f, lead), gravity_of(f, body));
    if (!falls_alike || !move_as_one(f, lead, body)) keep_piece(f, k + 1);
  }
}

/* --- shapes -------------------------------------------------------------------------------------
 * Two bodies that became one no longer touch each other. Welded ones do not in any case, nor those
 * that a joint connects (assembly/assembly_touch.c).
 */

/* pieces of welds alone */
static bool find_welded(const finding *f, flg_pieces *welded, flg_region *region) {
  if (!flg_pieces_make(welded, f->component, region)) return false;
  for (int k = 0; k < f->component->joint_count; k++) {
    const flg_component_joint *joint = &f->component->joints[k];
    const int a = flg_pieces_node(&f->pieces, &joint->end[0]);
    const int b = flg_pieces_node(&f->pieces, &joint->end[1]);
    if (joint->kind == FLG_CONSTRAINT_WELD && a > 0 && b > 0) flg_pieces_unite(welded, a, b);
  }
  return true;
}

static flg_pair_set find_joined(const finding *f, const flg_pieces *welded, flg_region *region) {
  flg_pair_set joined = {0};
  for (int k = 0; k < f->component->joint_count; k++) {
    const flg_component_joint *joint = &f->component->joints[k];
    if (flg_constraint_kinds[joint->kind].couples) continue;
    const int first = flg_pieces_node(welded, &joint->end[0]);
    const int second = flg_pieces_node(welded, &joint->end[1]);
    if (first < 0 || second < 0) continue;
    flg_pair_set_add(&joined, flg_pieces_of(welded, first), flg_pieces_of(welded, second), region);
  }
  flg_pair_set_sort(&joined);
  return joined;
}

static int shape_node(const finding *f, const flg_shape *shape) {
  if (!shape->collision || shape->robot > 0 || shape->body == FLG_WORLD) return -1;
  const flg_anchor at = {.robot = -1, .body = shape->body};
  return f->component->bodies[shape->body].fixed ? -1 : flg_pieces_node(&f->pieces, &at);
}

/* pieces with the trees of welds in them that have shapes; sorted */
typedef struct shape_tree {
  int piece, tree;
} shape_tree;

static int compare_trees(const void *a, const void *b) {
  const shape_tree *first = a, *second = b;
  if (first->piece != second->piece) return first->piece < second->piece ? -1 : 1;
  return (first->tree > second->tree) - (first->tree < second->tree);
}

static int list_trees(const finding *f, const flg_pieces *welded, shape_tree *trees) {
  int count = 0, kept = 0;
  for (int k = 0; k < f->component->shape_count; k++) {
    const int node = shape_node(f, &f->component->shapes[k]);
    if (node < 0) continue;
    trees[count++] = (shape_tree){flg_pieces_of(&f->pieces, node), flg_pieces_of(welded, node)};
  }
  if (count > 0) qsort(trees, (size_t)count, sizeof *trees, compare_trees);
  for (int k = 0; k < count; k++) {
    if (kept == 0 || compare_trees(&trees[kept - 1], &trees[k]) != 0) trees[kept++] = trees[k];
  }
  return kept;
}

/* of one piece: two that no joint connects can touch, as all can the ground. With more trees than
 * joints can connect there are such two. */
static bool can_touch_inside(const shape_tree *trees, int count, const flg_pair_set *joined) {
  if (trees->piece == FLG_PIECE_GROUND) return true;
  if ((long)count * (count - 1) / 2 > joined->count) return true;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) {
      if (!flg_pair_set_has(joined, trees[i].tree, trees[j].tree)) return true;
    }
  }
  return false;
}

static void keep_shapes(const finding *f, flg_region *region) {
  flg_pieces welded;
  if (f->component->shape_count == 0 || !find_welded(f, &welded, region)) return;
  const flg_pair_set joined = find_joined(f, &welded, region);
  shape_tree *trees = flg_region_take(region, (size_t)f->component->shape_count, sizeof *trees);
  if (region->failed) return;
  const int count = list_trees(f, &welded, trees);
  for (int first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && trees[end].piece == trees[first].piece;) end++;
    if (can_touch_inside(trees + first, end - first, &joined))
      f->is_kept[trees[first].piece] = true;
  }
}

/* --- the result ---------------------------------------------------------------------------------
 */

static int body_node(const finding *f, int body) {
  const flg_anchor at = {.robot = -1, .body = body};
  return flg_pieces_node(&f->pieces, &at);
}

static void keep_all_pieces(const finding *f, flg_region *region) {
  keep_forces(f);
  keep_joints(f);
  keep_bodies(f);
  keep_shapes(f, region);
  for (int k = 0; k < f->question->apart_count; k++) {
    const int *pair = f->question->apart[k];
    keep_nodes_apart(f, body_node(f, pair[0]), body_node(f, pair[1]));
  }
}

static void name_leads(const finding *f, flg_structure *structure, int *sizes) {
  for (int k = 0; k < f->component->body_count; k++) {
    const int piece = flg_pieces_of(&f->pieces, k + 1);
    structure->lead[k] = f->is_kept[piece] ? k : piece - 1;
    if (f->component->bodies[k].fixed) structure->lead[k] = FLG_WORLD;
    if (f->component->bodies[k].fixed || structure->lead[k] == k) continue;
    structure->merged_count++;
    if (structure->lead[k] != FLG_WORLD && sizes[structure->lead[k]]++ == 0) {
      structure->cluster_count++;
    }
  }
}

/* what an anchor is on in the end; -2: no piece */
static int lead_of(const finding *f, const flg_structure *structure, const flg_anchor *at) {
  if (flg_pieces_node(&f->pieces, at) < 0) return -2;
  return at->body == FLG_WORLD ? FLG_WORLD : structure->lead[at->body];
}

static bool is_within_piece(const finding *f, const flg_structure *structure,
                            const flg_anchor end[2]) {
  const int a = lead_of(f, structure, &end[0]);
  return a != -2 && a == lead_of(f, structure, &end[1]);
}

static bool is_inner(const finding *f, const flg_structure *structure,
                     const flg_component_joint *joint) {
  if (!flg_constraint_kinds[joint->kind].couples) return is_within_piece(f, structure, joint->end);
  const flg_component_coordinate *list = f->component->coordinates;
  return is_within_piece(f, structure, list[joint->coordinate[0]].end) &&
         is_within_piece(f, structure, list[joint->coordinate[1]].end);
}

static void find_inner(const finding *f, flg_structure *structure) {
  for (int k = 0; k < f->component->joint_count && structure->merged_count > 0; k++) {
    if (!is_inner(f, structure, &f->component->joints[k])) continue;
    structure->roles[k] = FLG_JOINT_INNER;
    structure->inner_count++;
  }
}

/* --- joints that repeat others ------------------------------------------------------------------
 */

static bool may_be_left_out(const finding *f, int joint) {
  for (int k = 0; k < f->component->friction_count; k++) {
    const flg_component_friction *friction = &f->component->frictions[k];
    if (friction->carrier == FLG_CARRIER_JOINT && friction->carrier_index == joint) return false;
  }
  return f->component->joints[joint].kind != FLG_CONSTRAINT_SCREW; /* it has more rows */
}

/* edges of two pieces: those that stay come first */
static void leave_out_edges(finding *f, const flg_piece_graph *graph, int *edges, int count,
                            flg_structure *structure) {
  int kept = 1;
  for (int k = 1; k < count; k++) {
    const int joint = graph->joints[edges[k]];
    edges[kept] = edges[k];
    const bool repeats =
        may_be_left_out(f, joint) && flg_pieces_repeats(&f->pieces, graph, edges, kept + 1);
    if (repeats) structure->roles[joint] = FLG_JOINT_REPEATED, structure->repeated_count++;
    if (!repeats) kept++;
  }
}

static bool find_repeated(finding *f, flg_structure *structure, flg_region *region) {
  flg_piece_graph graph;
  flg_blocks pairs;
  for (int k = 0; k < f->component->joint_count; k++) {
    if (is_asked(f, k)) return true;
  }
  if (!flg_pieces_make(&f->pieces, f->component, region)) return false;
  for (int k = 0; k < f->component->body_count; k++) {
    flg_pieces_unite(&f->pieces, k + 1, structure->lead[k] + 1);
  }
  if (!flg_pieces_graph(&f->pieces, &graph, region)) return false;
  if (!flg_pieces_pairs(&graph, &pairs, region)) return false;
  for (int k = 0; k < pairs.count; k++) {
    const int first = pairs.first[k], count = pairs.first[k + 1] - first;
    if (count > 1) leave_out_edges(f, &graph, pairs.edges + first, count, structure);
  }
  return !f->pieces.failed;
}

/* --- all ----------------------------------------------------------------------------------------
 */

flg_status flg_structure_plain(const flg_component *component, flg_structure *structure,
                               flg_region *region) {
  const size_t bodies = (size_t)component->body_count, joints = (size_t)component->joint_count;
  *structure = (flg_structure){.lead = flg_region_take(region, bodies, sizeof *structure->lead),
                               .roles = flg_region_take(region, joints, sizeof *structure->roles)};
  if (region->failed) return FLG_ERR_MEMORY;
  for (int k = 0; k < component->body_count; k++) {
    structure->lead[k] = component->bodies[k].fixed ? FLG_WORLD : k;
  }
  return FLG_OK;
}

static bool structure_find(finding *f, flg_structure *structure, flg_region *scratch) {
  if (!flg_pieces_make(&f->pieces, f->component, scratch)) return false;
  const size_t nodes = (size_t)f->pieces.node_count;
  f->pieces.is_asked = f->question->is_asked;
  f->is_kept = flg_region_take(scratch, nodes, sizeof *f->is_kept);
  int *sizes = flg_region_take(scratch, nodes, sizeof *sizes);
  if (scratch->failed || !flg_pieces_find_rigid(&f->pieces)) return false;
  f->fastest = fastest_body(f->component);
  keep_all_pieces(f, scratch);
  name_leads(f, structure, sizes);
  find_inner(f, structure);
  return find_repeated(f, structure, scratch) && !scratch->failed;
}

flg_status flg_structure_find(const flg_structure_question *question, flg_structure *structure,
                              flg_region *region) {
  flg_region scratch = {0};
  finding f = {.question = question, .component = question->component};
  flg_status status = flg_structure_plain(question->component, structure, region);
  if (status == FLG_OK && !structure_find(&f, structure, &scratch)) status = FLG_ERR_MEMORY;
  flg_region_release(&scratch);
  return status;
}
