/* Pairs of shapes of an assembly that can touch: laid out once.
 *
 * Shapes are those of the component, which has those of its parts among them. What joints connect
 * are *nodes*: bodies of the component, then links of parts that have some, and what is fixed in
 * the worlds of these.
 * Nodes that are welded to each other are one. */
#include <stdlib.h>

#include "assembly/assembly_contacts.h"
#include "contacts/contact_identity.h"

enum { GROUND = -1 };

typedef struct making {
  flg_assembly *assembly;
  flg_assembly_touch *touch;
  flg_mistakes *mistakes;
  flg_region scratch;
  int *first_node; /* (owners) their links, then the one of their fixed bodies; or their own */
  int owner_count;
  int node_count;
  int *parents; /* (nodes) welded ones are trees */
  int *nodes;   /* (touch->shapes.count) of each shape, GROUND */
  int *movers;  /* (touch->shapes.count) the nodes that they move with; -1: none */
  int *ports;   /* (nodes) -1: none */
} making;

static void *touch_take(making *make, int count, size_t bytes) {
  return flg_region_take(&make->scratch, (size_t)count, bytes);
}

/* --- bodies that joints connect -----------------------------------------------------------------
 */

/* how many links the part of an owner has, 0: it is one */
static int links_of(flg_owner owner) {
  if (owner.of == NULL || owner.of->ops->links == NULL) return 0;
  return owner.of->ops->links(owner.of, owner.part);
}

static int touch_node(const making *make, const flg_anchor *at) {
  if (at->body == FLG_WORLD) return GROUND;
  const flg_assembly *assembly = make->assembly;
  const int count = links_of(flg_assembly_owner(assembly, at->robot, at->body));
  const int first = make->first_node[flg_assembly_owner_number(assembly, at->robot, at->body)];
  if (count == 0) return first;
  const flg_part_anchor part_anchor = flg_assembly_anchor(assembly, at);
  return first + (part_anchor.on == NULL ? count : part_anchor.link);
}

/* with paths halved on the way */
static int tree_of(const making *make, int node) {
  int *parents = make->parents;
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

static void make_nodes(making *make) {
  const flg_assembly *assembly = make->assembly;
  make->owner_count = assembly->model.owner_count;
  make->first_node = touch_take(make, make->owner_count, sizeof *make->first_node);
  for (int k = 0; k < make->owner_count && make->first_node != NULL; k++) {
    make->first_node[k] = make->node_count;
    make->node_count += links_of(assembly->model.owners[k]) + 1;
  }
  make->parents = touch_take(make, make->node_count, sizeof *make->parents);
  for (int k = 0; k < make->node_count && make->parents != NULL; k++) make->parents[k] = k;
}

static void weld(making *make, const flg_component_joint *joint) {
  if (joint->kind != FLG_CONSTRAINT_WELD) return;
  const int a = touch_node(make, &joint->end[0]), b = touch_node(make, &joint->end[1]);
  if (a == GROUND || b == GROUND) return;
  make->parents[tree_of(make, a)] = tree_of(make, b);
}

/* sections of a flexible link are one body */
static void weld_sections(making *make, int number) {
  const flg_owner owner = make->assembly->model.owners[number];
  const int count = links_of(owner), first = make->first_node[number];
  for (int k = 0; k < count; k++) {
    if (owner.of->ops->rides == NULL || !owner.of->ops->rides(owner.of, owner.part, k)) continue;
    const int parent = owner.of->ops->parent(owner.of, owner.part, k);
    make->parents[tree_of(make, first + k)] = tree_of(make, first + parent);
  }
}

/* trees are the pieces of the scene, from 1 on */
static int piece_of_node(const making *make, int node) {
  return node == GROUND ? 0 : tree_of(make, node) + 1;
}

static void touch_join(making *make, int a, int b) {
  if (a == GROUND || b == GROUND) return;
  flg_touch_shapes *shapes = &make->touch->shapes;
  flg_pair_set_add(&shapes->pieces_apart, piece_of_node(make, a), piece_of_node(make, b),
                   &shapes->region);
}

/* of a part whose links touch each other all but neighbours do */
static void join_links(making *make, int number) {
  const flg_owner owner = make->assembly->model.owners[number];
  const int count = links_of(owner), first = make->first_node[number];
  for (int k = 0; k < count; k++) {
    const int parent = owner.of->ops->parent(owner.of, owner.part, k);
    touch_join(make, first + k, first + (parent == FLG_WORLD ? count : parent));
  }
}

static void connect(making *make) {
  const flg_component *component = make->assembly->model.component;
  make_nodes(make);
  if (make->scratch.failed) return;
  for (int k = 0; k < make->owner_count; k++) weld_sections(make, k);
  for (int k = 0; k < component->joint_count; k++) weld(make, &component->joints[k]);
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (flg_constraint_kinds[joint->kind].couples) continue;
    touch_join(make, touch_node(make, &joint->end[0]), touch_node(make, &joint->end[1]));
  }
  for (int k = 0; k < make->owner_count; k++) join_links(make, k);
  flg_pair_set_sort(&make->touch->shapes.pieces_apart);
  make->scratch.failed |= make->touch->shapes.region.failed;
}

/* --- which shapes can touch ---------------------------------------------------------------------
 */

static flg_touch_owner owner_of_part_shape(const making *make, int k) {
  const flg_shape *shape = &make->assembly->model.component->shapes[make->touch->shapes.sources[k]];
  return (flg_touch_owner){.robot = shape->robot - 1, .body = shape->body, .shape = shape->name};
}

/* where a shape is, before the scene has it */
static flg_anchor touch_anchor_of(const making *make, int k) {
  const flg_touch_owner owner = owner_of_part_shape(make, k);
  return (flg_anchor){owner.robot, owner.body, make->touch->shapes.shapes[k].pose};
}

/* from 1 on; 0: its bodies may touch each other, or it has no others */
static int owner_that_keeps_apart(const making *make, int k) {
  const flg_touch_owner at = owner_of_part_shape(make, k);
  const flg_owner owner = flg_assembly_owner(make->assembly, at.robot, at.body);
  if (owner.of == NULL || owner.of->ops->touches_itself == NULL) return 0;
  if (owner.of->ops->touches_itself(owner.of, owner.part)) return 0;
  return owner.of->first + owner.part + 1;
}

/* the node that a shape moves with; -1: it does not move */
static int touch_part_of(const making *make, int k) {
  const flg_assembly *assembly = make->assembly;
  const flg_anchor at = touch_anchor_of(make, k);
  if (make->nodes[k] == GROUND) return -1;
  if (flg_assembly_anchor(assembly, &at).on == NULL) return -1;
  if (at.robot >= 0) return make->nodes[k];
  return make
      ->first_node[assembly->model.structure.lead[at.body]]; /* of all bodies of its cluster */
}

static void find_nodes(making *make) {
  for (int k = 0; k < make->touch->shapes.count; k++) {
    const flg_anchor at = touch_anchor_of(make, k);
    make->nodes[k] = touch_node(make, &at);
  }
}

/* what joints and parts keep apart */
static void connect_shapes(making *make) {
  for (int k = 0; k < make->touch->shapes.count; k++) {
    flg_scene_shape *shape = &make->touch->shapes.shapes[k];
    shape->piece = piece_of_node(make, make->nodes[k]);
    if (make->nodes[k] != GROUND) shape->owner = owner_that_keeps_apart(make, k);
  }
}

/* --- ports and the scene ------------------------------------------------------------------------
 */

/* the touch port of the part, which is made for the first of its shapes */
static int touch_open_port(making *make, int part, const flg_part_anchor *part_anchor) {
  flg_assembly *assembly = make->assembly;
  if (make->ports[part] >= 0) return make->ports[part];
  flg_outer_port *outer_port = &assembly->model.outer_ports[assembly->model.outer_port_count++];
  *outer_port = (flg_outer_port){.anchor = *part_anchor, .root = -1};
  outer_port->anchor.pose = flg_pose_identity(); /* the port itself */
  return make->ports[part] = make->touch->port_count++;
}

/* into the frame of its port, or of the world */
static void place_part_shape(making *make, int k, flg_scene_shape *shape) {
  const flg_anchor anchor = touch_anchor_of(make, k);
  const flg_part_anchor part_anchor = flg_assembly_anchor(make->assembly, &anchor);
  const int part = touch_part_of(make, k);
  shape->pose = part_anchor.pose;
  shape->body = part < 0 ? FLG_WORLD : touch_open_port(make, part, &part_anchor);
}

static const char *quote(const making *make, int k) {
  return owner_of_part_shape(make, k).body == FLG_WORLD ? "" : "'";
}

static const char *touch_name_of(const making *make, int k) {
  const flg_touch_owner owner = owner_of_part_shape(make, k);
  const char *part;
  if (owner.body == FLG_WORLD) return "the ground";
  return flg_assembly_body_name(make->assembly, owner.robot, owner.body, &part);
}

/* A part may refuse rattle; joined to others outside, so may couplings. */
static bool can_rattle(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    const char *reason;
    for (int i = 0; i < parts->count && parts->ops->refused_schemes != NULL; i++) {
      if (parts->ops->refused_schemes(parts, i, &reason) >> FLG_SCHEME_RATTLE & 1) return false;
    }
  }
  const flg_assembly_options *options = &assembly->model.options;
  return options->outer_port_count == 0 || !options->adapts || options->leaps;
}

/* whether its scheme can close contacts and keep to ends of joints; semi-implicit where another may
 * take its place */
static bool settle_touch_scheme(flg_assembly *assembly) {
  flg_assembly_options *options = &assembly->model.options;
  if (options->scheme == FLG_SCHEME_RATTLE && can_rattle(assembly)) return true;
  if (options->adapts) options->scheme = FLG_SCHEME_SEMI_IMPLICIT;
  return options->scheme == FLG_SCHEME_SEMI_IMPLICIT;
}

static flg_status refuse_scheme(const making *make, int i, int j) {
  return flg_mistake_add(
      make->mistakes, FLG_ERR_INPUT,
      make->assembly->model.component->shapes[make->touch->shapes.sources[i]].place,
      "%s%s%s can touch %s%s%s, and contacts need 'integrator: %s'; write that, "
      "or let their shapes not collide",
      quote(make, i), touch_name_of(make, i), quote(make, i), quote(make, j),
      touch_name_of(make, j), quote(make, j),
      can_rattle(make->assembly) ? "rattle' or 'semi-implicit" : "semi-implicit");
}

/* all that are kept can touch something */
static flg_status check_touch_scheme(const making *make) {
  const flg_touch_shapes *shapes = &make->touch->shapes;
  if (shapes->count == 0 || settle_touch_scheme(make->assembly)) return FLG_OK;
  return refuse_scheme(make, 0, flg_touch_shapes_partner(shapes, make->movers, 0));
}

static flg_status make_scene(making *make) {
  flg_assembly *assembly = make->assembly;
  flg_assembly_touch *touch = make->touch;
  flg_region *region = &assembly->model.region;
  make->movers = touch_take(make, touch->shapes.count, sizeof *make->movers);
  if (make->scratch.failed) return FLG_OK;
  for (int k = 0; k < touch->shapes.count; k++) make->movers[k] = touch_part_of(make, k);
  connect_shapes(make);
  flg_touch_shapes_keep(&touch->shapes, make->movers, region);
  if (region->failed) return FLG_OK;
  const flg_status status = check_touch_scheme(make);
  if (status != FLG_OK || touch->shapes.count == 0) return status;
  find_nodes(make);
  make->ports = touch_take(make, make->node_count, sizeof *make->ports);
  touch->owners = flg_region_take(region, (size_t)touch->shapes.count, sizeof *touch->owners);
  touch->on = flg_region_take(region, (size_t)touch->shapes.count, sizeof *touch->on);
  /* ports after the outer ports that there are */
  const size_t most = (size_t)assembly->model.options.outer_port_count + (size_t)make->node_count;
  flg_outer_port *outer_ports = flg_region_take(region, most, sizeof *outer_ports);
  if (make->scratch.failed || region->failed) return FLG_OK;
  assembly->model.outer_ports = outer_ports;
  for (int k = 0; k < make->node_count; k++) make->ports[k] = -1;
  for (int k = 0; k < touch->shapes.count; k++) {
    touch->owners[k] = owner_of_part_shape(make, k);
    place_part_shape(make, k, &touch->shapes.shapes[k]);
  }
  assembly->model.touch = touch;
  flg_assembly_touch_sort(assembly);
  return FLG_OK;
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static bool any_collide(const flg_shape *shapes, int count) {
  for (int k = 0; k < count; k++) {
    if (flg_shape_can_touch(&shapes[k])) return true;
  }
  return false;
}

static flg_status touch_find(making *make) {
  flg_assembly_touch *touch = make->touch;
  const flg_component *component = make->assembly->model.component;
  if (!any_collide(component->shapes, component->shape_count)) return FLG_OK;
  const flg_status status =
      flg_touch_shapes_build(&touch->shapes, component->shapes, component->shape_count,
                             &component->surfaces, make->mistakes);
  if (status != FLG_OK) return status;
  connect(make);
  make->nodes = touch_take(make, touch->shapes.count, sizeof *make->nodes);
  if (make->scratch.failed) return FLG_OK;
  find_nodes(make);
  return make_scene(make);
}

static void refuse_ends(const making *make) {
  const flg_joint_end *end = &make->touch->ends.list[0];
  flg_mistake_add(
      make->mistakes, FLG_ERR_INPUT, end->range.place,
      "joint '%s' of '%s' has limits, which do not hold with 'integrator: rk4' among joints that "
      "close: take %ssemi-implicit, or write 'limits: ignored'",
      end->range.name, end->of->ops->label(end->of, end->part).name,
      can_rattle(make->assembly) ? "rattle or " : "");
}

/* Ends of joints inside of parts, in steps that can keep to them. */
static flg_status touch_find_ends(making *make) {
  flg_assembly *assembly = make->assembly;
  flg_assembly_ends *ends = &make->touch->ends;
  const int before = make->mistakes->count;
  const flg_assembly_options before_them = assembly->model.options;
  const bool can_keep = settle_touch_scheme(assembly);
  flg_assembly_ends_find(assembly, ends, make->mistakes);
  if (!can_keep && ends->count > 0 && make->mistakes->count == before) refuse_ends(make);
  if (ends->count > 0) {
    assembly->model.touch = make->touch;
  } else if (assembly->model.touch == NULL) {
    assembly->model.options = before_them; /* nothing asks for another scheme */
  }
  return make->mistakes->count > before ? FLG_ERR_INPUT : FLG_OK;
}

flg_status flg_assembly_touch_find(flg_assembly *assembly, flg_mistakes *mistakes) {
  flg_assembly_touch *touch = flg_region_take(&assembly->model.region, 1, sizeof *touch);
  making make = {.assembly = assembly, .touch = touch, .mistakes = mistakes};
  if (touch == NULL) return FLG_OK; /* the region tells */
  touch->options = assembly->model.options.contacts == NULL ? flg_contacts_default()
                                                            : *assembly->model.options.contacts;
  flg_status status = touch_find(&make);
  assembly->model.region.failed |= make.scratch.failed;
  if (assembly->model.touch == NULL) flg_touch_shapes_release(&touch->shapes);
  if (status == FLG_OK) status = touch_find_ends(&make);
  flg_region_release(&make.scratch);
  return status;
}

static void *take_here(flg_assembly *assembly, int count, size_t bytes) {
  return flg_region_take(&assembly->model.region, (size_t)count, bytes);
}

static void mark_joined(const flg_assembly *assembly, bool *joined) {
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    for (int e = 0; e < assembly->model.row_sets[k].ends; e++) {
      joined[assembly->model.row_sets[k].port[e].part] = true;
    }
  }
}

/* whether a part that is held by itself, or by joints, has a touch port; joined (parts) */
static void find_holds(const flg_assembly *assembly, bool *joined) {
  flg_assembly_touch *touch = assembly->model.touch;
  const flg_outer_port *ports =
      assembly->model.outer_ports + assembly->model.options.outer_port_count;
  mark_joined(assembly, joined);
  touch->are_bodies = true, touch->is_joined = false;
  for (int k = 0; k < touch->port_count; k++) {
    const flg_part_anchor *part_anchor = &ports[k].anchor;
    const bool floats = part_anchor->of->ops->floats;
    touch->are_bodies = touch->are_bodies && floats;
    touch->is_joined =
        touch->is_joined || !floats || joined[part_anchor->of->first + part_anchor->part];
  }
}

/* blocks are the roots of the plan */
static void touch_lay_out(flg_assembly *assembly) {
  flg_assembly_touch *touch = assembly->model.touch;
  const int roots = flg_plan_root_count(assembly->scratch.plan);
  const flg_outer_port *ports =
      assembly->model.outer_ports + assembly->model.options.outer_port_count;
  touch->blocks = take_here(assembly, roots, sizeof *touch->blocks);
  touch->starts = take_here(assembly, roots, sizeof *touch->starts);
  touch->places = take_here(assembly, touch->port_count, sizeof *touch->places);
  touch->poses = take_here(assembly, touch->port_count, sizeof *touch->poses);
  touch->velocities = take_here(assembly, touch->port_count, sizeof *touch->velocities);
  touch->departures = take_here(assembly, touch->port_count, sizeof *touch->departures);
  touch->leans = take_here(assembly, touch->port_count, sizeof *touch->leans);
  if (assembly->model.region.failed) return;
  flg_assembly_place_ends(assembly);
  for (int k = 0; k < roots; k++) {
    touch->starts[k] = touch->row_count;
    touch->row_count += flg_plan_root_view(assembly->scratch.plan, k).rows;
    touch->row_count += flg_assembly_ends_in(&touch->ends, k);
  }
  touch->before = take_here(assembly, touch->row_count, sizeof(double));
  touch->moves = take_here(assembly, touch->row_count, sizeof(double));
  bool *joined = take_here(assembly, assembly->model.part_count, sizeof *joined);
  if (assembly->model.region.failed) return;
  find_holds(assembly, joined);
  for (int k = 0; k < roots; k++) {
    const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, k);
    touch->blocks[k] = (flg_touch_block){.rows = root.rows,
                                         .admittance = root.admittance,
                                         .before = touch->before + touch->starts[k],
                                         .free = root.bias,
                                         .impulses = root.force,
                                         .moves = touch->moves + touch->starts[k]};
  }
  for (int k = 0; k < touch->port_count; k++) {
    touch->places[k] = (flg_touch_place){ports[k].root, ports[k].row};
  }
  flg_assembly_ends_lay_out(assembly);
}

flg_status flg_assembly_touch_build(flg_assembly *assembly, flg_error *error) {
  flg_assembly_touch *touch = assembly->model.touch;
  if (touch == NULL) return FLG_OK;
  touch_lay_out(assembly);
  if (assembly->model.region.failed) return FLG_OK;
  const flg_scene_input input =
      flg_touch_shapes_scene(&touch->shapes, touch->port_count, assembly->model.options.threads);
  touch->options.gravity = flg_vec3_norm(assembly->model.options.gravity);
  if (touch->port_count == 0) touch->options.capacity = 1; /* for limits alone */
  const flg_status status = flg_contacts_build(&touch->contacts, &input, touch->places,
                                               flg_plan_root_count(assembly->scratch.plan),
                                               2 * touch->ends.count, &touch->options, error);
  if (status != FLG_OK) return status;
  touch->options.law = *flg_contacts_law(touch->contacts);
  if (assembly->state.limits.count + touch->ends.count == 0) return FLG_OK;
  touch->remembered =
      take_here(assembly, flg_contacts_numbers(touch->contacts), sizeof *touch->remembered);
  return FLG_OK;
}

int flg_assembly_touch_numbers(const flg_assembly *assembly) {
  return assembly->model.touch == NULL ? 0 : flg_contacts_numbers(assembly->model.touch->contacts);
}

void flg_assembly_touch_remember(flg_assembly *assembly, double *memory) {
  if (assembly->model.touch == NULL) return;
  assembly->model.touch->memory = memory;
  flg_contacts_remember(assembly->model.touch->contacts, memory);
}

void flg_assembly_touch_release(flg_assembly *assembly) {
  if (assembly->model.touch == NULL) return;
  flg_contacts_release(assembly->model.touch->contacts);
  flg_touch_shapes_release(&assembly->model.touch->shapes);
}

uint64_t flg_assembly_touch_identity(const flg_assembly *assembly, uint64_t seed) {
  const flg_assembly_touch *touch = assembly->model.touch;
  if (touch == NULL) return seed;
  const uint64_t hash = flg_contact_identity(seed, &touch->shapes, &touch->options);
  return flg_assembly_ends_identity(&touch->ends, hash);
}
