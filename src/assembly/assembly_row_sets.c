/* Joints, force elements and limits as rows, and the plan that they are eliminated by. */
#include <stdlib.h>
#include <string.h>

#include "assembly/assembly_build.h"
#include "assembly/assembly_signals.h"

static void *row_sets_take(flg_assembly *assembly, int count, size_t element) {
  return flg_region_take(&assembly->model.region, (size_t)count, element);
}

static double *row_sets_take_numbers(flg_assembly *assembly, int count) {
  return row_sets_take(assembly, count, sizeof(double));
}

/* the port on the link, which is made if it is the first that is joined there */
static void row_sets_open_port(flg_part_anchor *anchor) {
  if (anchor->of != NULL && anchor->of->ops->open != NULL) {
    anchor->port = anchor->of->ops->open(anchor->of, anchor->part, anchor->link);
  }
}

static flg_part_anchor no_anchor(void) {
  const flg_pose pose = {0};
  return flg_part_anchor_on_ground(&pose);
}

/* --- coordinates and joints ---------------------------------------------------------------------
 */

static void make_coordinates(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  assembly->model.coordinate_count = component->coordinate_count;
  assembly->model.coordinates =
      row_sets_take(assembly, assembly->model.coordinate_count, sizeof(flg_running_coordinate));
  for (int k = 0; k < assembly->model.coordinate_count && assembly->model.coordinates != NULL;
       k++) {
    const flg_component_coordinate *from = &component->coordinates[k];
    flg_running_coordinate *running = &assembly->model.coordinates[k];
    *running = (flg_running_coordinate){.kind = from->kind, .angle = -1, .joint = {.position = -1}};
    if (from->kind == FLG_COORDINATE_ANGLE) running->angle = assembly->model.angle_count++;
    for (int e = 0; e < 2; e++) {
      running->anchor[e] = no_anchor();
      if (from->kind == FLG_COORDINATE_SUM) continue;
      running->anchor[e] = flg_assembly_anchor(assembly, &from->end[e]);
    }
  }
}

/* A joint inside of a cluster or a tree keeps its anchors, since its force may be asked for, but
 * has no rows: the part itself fulfils it. */
static void make_joint(flg_assembly *assembly, int index) {
  const flg_component_joint *joint = &assembly->model.component->joints[index];
  flg_row_set *row_set = &assembly->model.row_sets[index];
  const flg_constraint_traits *traits = &flg_constraint_kinds[joint->kind];
  *row_set =
      (flg_row_set){.kind = joint->kind, .rows = traits->rows, .force = -1, .coordinate = {-1, -1}};
  for (int e = 0; e < 2; e++) {
    row_set->anchor[e] = no_anchor();
    if (traits->holds != 0) row_set->anchor[e] = flg_assembly_anchor(assembly, &joint->end[e]);
  }
  if (assembly->model.structure.roles[index] != FLG_JOINT_KEPT) {
    row_set->rows = 0;
    return;
  }
  if (!traits->sums) return;
  /* the last row is one of coordinates; values at the start come in later */
  const int count = traits->couples ? 2 : traits->coordinate_count;
  for (int k = 0; k < count; k++) row_set->coordinate[k] = joint->coordinate[k];
  flg_component_joint_factors(joint, row_set->factor);
}

/* rows of an element that is one of the plan */
static void add_rows(flg_assembly *assembly, int index) {
  flg_running_force *own = &assembly->model.forces[index];
  own->row_set = assembly->model.row_set_count++;
  flg_row_set *row_set = &assembly->model.row_sets[own->row_set];
  *row_set = (flg_row_set){.kind = FLG_CONSTRAINT_DISTANCE,
                           .rows = own->force.kind->rows,
                           .force = index,
                           .anchor = {own->anchor[0], own->anchor[1]},
                           .coordinate = {-1, -1}};
  row_set->is_even = own->force.kind->is_even != NULL && own->force.kind->is_even(own->force.of);
  assembly->model.even_count += row_set->is_even;
  if (own->coordinate < 0) return;
  flg_limits_couple(assembly->model.component, own->coordinate, row_set->coordinate,
                    row_set->factor);
}

static void make_force(flg_assembly *assembly, int index) {
  flg_running_force *own = &assembly->model.forces[index];
  own->force = flg_forces_at(assembly->model.component, index);
  own->coordinate = flg_force_coordinate(&own->force);
  own->row_set = -1;
  own->anchor[0] = own->anchor[1] = no_anchor();
  const flg_force_kind *kind = own->force.kind;
  for (int e = 0; e < kind->ends; e++) {
    own->anchor[e] = flg_assembly_anchor(assembly, &flg_force_ends(&own->force)[e]);
  }
  own->force.own = row_sets_take_numbers(assembly, kind->own_count);
}

/* what prescribes its coordinate is a joint of that coordinate */
static void make_motions(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    if (flg_forces_at(assembly->model.component, k).kind->target == NULL) continue;
    flg_running_force *own = &assembly->model.forces[k];
    make_force(assembly, k);
    add_rows(assembly, k);
    assembly->model.motion_count++;
    assembly->model.rigid_count = own->row_set + 1;
  }
}

/* rows of the plan: by its own word, or because it is stiff for the step */
static bool row_sets_is_soft(const flg_assembly *assembly, const flg_force *force, int index,
                             bool staged) {
  if (force->kind->is_soft == NULL) return false;
  const bool *stiff = assembly->model.options.stiff;
  return force->kind->is_soft(force->of, staged) || (stiff != NULL && stiff[index]);
}

static void make_soft(flg_assembly *assembly) {
  const bool staged = assembly->model.options.scheme == FLG_SCHEME_RK4;
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_force_kind *kind = flg_forces_at(assembly->model.component, k).kind;
    if (kind->target != NULL) continue;
    make_force(assembly, k);
    const flg_force *force = &assembly->model.forces[k].force;
    if (row_sets_is_soft(assembly, force, k, staged)) add_rows(assembly, k);
  }
}

/* at most so many: rk4 takes some elements explicitly that other schemes have as rows */
static int count_force_rows(const flg_assembly *assembly) {
  int count = 0;
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_force force = flg_forces_at(assembly->model.component, k);
    count += force.kind->target != NULL || row_sets_is_soft(assembly, &force, k, false);
  }
  return count;
}

/* Which coordinates a step has to evaluate, and of which it needs the value besides the gradient:
 * coordinates that are only recorded cost no step anything. */
static void mark_used(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    const bool is_joint = k < assembly->model.rigid_count && assembly->model.row_sets[k].force < 0;
    for (int s = 0; s < 2; s++) {
      const int coordinate = assembly->model.row_sets[k].coordinate[s];
      if (coordinate < 0) continue;
      assembly->model.coordinates[coordinate].is_used = true;
      if (!is_joint) assembly->model.coordinates[coordinate].is_read = true;
    }
  }
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    if (assembly->model.coordinates[k].kind != FLG_COORDINATE_SUM) continue;
    const int *of = assembly->model.component->coordinates[k].of;
    for (int s = 0; s < 2; s++) assembly->model.coordinates[of[s]].is_read = true;
  }
  for (int k = 0; k < assembly->model.force_count; k++) {
    int of[2];
    double factor[2];
    if (assembly->model.forces[k].coordinate < 0) continue;
    flg_limits_couple(assembly->model.component, assembly->model.forces[k].coordinate, of, factor);
    for (int s = 0; s < 2; s++) {
      if (of[s] < 0) continue;
      assembly->model.coordinates[of[s]].is_used = assembly->model.coordinates[of[s]].is_read =
          true;
    }
  }
}

/* rows between frames come with displacements first; one of coordinates is a length if any is */
static void mark_displacements(const flg_assembly *assembly, flg_row_set *row_set) {
  for (int i = 0; i < row_set->rows; i++) {
    bool is_one = i < flg_constraint_displacements(row_set->kind);
    for (int s = 0; s < 2 && i == row_set->rows - 1; s++) {
      if (row_set->coordinate[s] < 0) continue;
      is_one = is_one ||
               assembly->model.coordinates[row_set->coordinate[s]].kind != FLG_COORDINATE_ANGLE;
    }
    if (is_one) row_set->displacements |= 1u << i;
  }
}

/* Joints first, then welds and prescribed coordinates, so that rigid rows are one range; soft rows
 * and limits follow. */
void flg_assembly_make_row_sets(flg_assembly *assembly) {
  make_coordinates(assembly);
  if (assembly->model.region.failed) return;
  const flg_component *component = assembly->model.component;
  assembly->model.joint_count = component->joint_count;
  assembly->model.force_count = flg_forces_count(component);
  assembly->model.row_sets =
      row_sets_take(assembly,
                    component->joint_count + assembly->model.options.weld_count +
                        count_force_rows(assembly) + flg_limits_count(component),
                    sizeof(flg_row_set));
  assembly->model.forces =
      row_sets_take(assembly, assembly->model.force_count, sizeof(flg_running_force));
  assembly->model.outer_port_count = assembly->model.options.outer_port_count;
  assembly->model.outer_ports =
      row_sets_take(assembly, assembly->model.outer_port_count, sizeof(flg_outer_port));
  if (assembly->model.region.failed) return;
  for (int k = 0; k < component->joint_count; k++) make_joint(assembly, k);
  flg_assembly_mark_tree_angles(assembly);
  assembly->model.row_set_count = component->joint_count;
  assembly->state.welds.anchors =
      row_sets_take(assembly, assembly->model.options.weld_count, sizeof(flg_part_anchor));
  if (assembly->model.region.failed) return;
  flg_welds_make(assembly);
  make_motions(assembly);
  make_soft(assembly);
  flg_limits_make(assembly);
  mark_used(assembly);
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    mark_displacements(assembly, &assembly->model.row_sets[k]);
  }
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    const int rows = assembly->model.row_sets[k].rows;
    assembly->model.row_count += rows;
    if (k < assembly->model.rigid_count) assembly->model.rigid_rows += rows;
  }
  flg_signals_mark_used(assembly);
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    if (assembly->model.coordinates[k].is_used) assembly->model.used_count++;
  }
}

/* --- the plan -----------------------------------------------------------------------------------
 */

/* where an anchor is in the plan; its port is open */
static flg_graph_port row_sets_port_of(const flg_part_anchor *anchor) {
  if (anchor->of == NULL) return (flg_graph_port){FLG_GROUND, 0};
  return (flg_graph_port){anchor->of->first + anchor->part, anchor->port};
}

flg_parts *flg_assembly_set_of(const flg_assembly *assembly, int *part) {
  int set = assembly->model.set_count - 1;
  while (assembly->model.sets[set]->first > *part) set--;
  *part -= assembly->model.sets[set]->first;
  return assembly->model.sets[set];
}

/* which end of the joint an anchor is; a new one if its port is not among them yet */
static int row_sets_end_of(flg_part_anchor *anchor, flg_graph_joint *joint) {
  row_sets_open_port(anchor);
  const flg_graph_port port = row_sets_port_of(anchor);
  if (port.part == FLG_GROUND) return -1;
  for (int e = 0; e < joint->ends; e++) {
    if (joint->end[e].part == port.part && joint->end[e].port == port.port) return e;
  }
  joint->end[joint->ends] = port;
  return joint->ends++;
}

static void row_sets_find_ends(flg_assembly *assembly, int index, flg_graph_joint *joint) {
  flg_row_set *row_set = &assembly->model.row_sets[index];
  const bool is_rigid = index < assembly->model.rigid_count && row_set->force < 0;
  *joint = (flg_graph_joint){.rows = row_set->rows,
                             .soft = index >= assembly->model.rigid_count,
                             .turns = is_rigid ? ~row_set->displacements : 0};
  if (row_set->rows == 0) return;
  for (int s = 0; s < 2; s++) {
    row_set->anchor_end[s] = row_sets_end_of(&row_set->anchor[s], joint);
    if (row_set->coordinate[s] < 0) continue;
    flg_running_coordinate *running = &assembly->model.coordinates[row_set->coordinate[s]];
    for (int e = 0; e < 2; e++) {
      row_set->coordinate_end[s][e] = row_sets_end_of(&running->anchor[e], joint);
    }
  }
  /* the plan has faster paths for a weld between two parts, and for rows at right angles */
  joint->weld = row_set->is_plain_weld =
      row_set->kind == FLG_CONSTRAINT_WELD && row_set->anchor_end[0] >= 0 &&
      row_set->anchor_end[1] >= 0 && row_set->anchor_end[0] != row_set->anchor_end[1];
  joint->straight = is_rigid && index < assembly->model.joint_count && row_set->coordinate[0] < 0 &&
                    row_set->anchor_end[0] != row_set->anchor_end[1];
  row_set->ends = joint->ends;
  memcpy(row_set->port, joint->end, sizeof row_set->port);
  /* a joint to the ground has two ends for the plan, too; its rows have one side alone */
  if (joint->ends == 1) joint->end[joint->ends++] = (flg_graph_port){FLG_GROUND, 0};
  flg_limits_place(assembly, index, joint);
}

static void fill_graph(const flg_assembly *assembly, flg_graph_part *graph, int *group_parent) {
  const flg_component *component = assembly->model.component;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count; i++) {
      const flg_part_ops *ops = parts->ops;
      graph[parts->first + i] =
          (flg_graph_part){.ports = ops->ports == NULL ? 1 : ops->ports(parts, i),
                           .group = ops->label(parts, i).group};
    }
  }
  for (int k = 0; k < component->group_count; k++) group_parent[k] = component->groups[k].parent;
}

/* Rows are chosen where all joints are closed, so that pivots of redundant ones are rounding: the
 * admittance form can keep the others to within 1e-5 rad of a singular pose. */
static const double PIVOT_TOLERANCE = 1e-10;
/* A beam that hardly bends between two of its joints leaves less of their rows, in every pose. */
static const double BENT_TOLERANCE = 1e-11;

static double tolerance_of(const flg_component *component) {
  for (int k = 0; k < component->robot_count; k++) {
    if (component->robots[k].is_body) return BENT_TOLERANCE;
  }
  return PIVOT_TOLERANCE;
}

/* the ports of outer ports, each once; touch ports have their anchors already */
static int open_outer_ports(flg_assembly *assembly, flg_graph_port *outers) {
  int count = 0;
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    flg_outer_port *outer_port = &assembly->model.outer_ports[k];
    if (k < assembly->model.options.outer_port_count) {
      outer_port->anchor = flg_assembly_anchor(assembly, &assembly->model.options.outer_ports[k]);
    }
    outer_port->root = -1;
    row_sets_open_port(&outer_port->anchor);
    const flg_graph_port port = row_sets_port_of(&outer_port->anchor);
    bool is_new = port.part != FLG_GROUND;
    for (int i = 0; i < count; i++) {
      if (outers[i].part == port.part && outers[i].port == port.port) is_new = false;
    }
    if (is_new) outers[count++] = port;
  }
  return count;
}

flg_status flg_assembly_make_plan(flg_assembly *assembly, flg_error *error) {
  const int parts = assembly->model.part_count;
  flg_region region = {0};
  flg_graph_part *graph_parts = flg_region_take(&region, (size_t)parts, sizeof *graph_parts);
  flg_graph_joint *joints =
      flg_region_take(&region, (size_t)assembly->model.row_set_count, sizeof *joints);
  int *parents =
      flg_region_take(&region, (size_t)assembly->model.component->group_count, sizeof *parents);
  flg_graph_port *outers =
      flg_region_take(&region, (size_t)assembly->model.outer_port_count, sizeof *outers);
  if (region.failed) {
    flg_region_release(&region);
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for the joints");
  }
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    row_sets_find_ends(assembly, k, &joints[k]);
  }
  const int outer_count = open_outer_ports(assembly, outers);
  fill_graph(assembly, graph_parts, parents);
  const flg_graph graph = {.part_count = parts,
                           .joint_count = assembly->model.row_set_count,
                           .outer_count = outer_count,
                           .outers = outers,
                           .group_count = assembly->model.component->group_count,
                           .parts = graph_parts,
                           .joints = joints,
                           .group_parent = parents};
  flg_plan_options options = flg_plan_default();
  options.form = assembly->model.options.form;
  if (options.form == FLG_FORM_ADMITTANCE)
    options.tolerance = tolerance_of(assembly->model.component);
  const flg_status status = flg_plan_build(&assembly->scratch.plan, &graph, &options, error);
  flg_region_release(&region);
  return status;
}

/* a step asks for D twice; of more outer ports it is written twice */
enum { OUTER_PORTS_KEPT = 8 };

/* an open port by where its rows are; several may be at one place */
typedef struct open_port {
  int part, row, index;
} open_port;

static int compare_places(const void *a, const void *b) {
  const open_port *first = a, *second = b;
  if (first->part != second->part) return first->part < second->part ? -1 : 1;
  return (first->row > second->row) - (first->row < second->row);
}

/* open (outer_port_count), sorted */
static void find_in_root(flg_assembly *assembly, int index, const open_port *open) {
  const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, index);
  const int count = assembly->model.outer_port_count;
  for (int i = 0; i < root.rows; i += FLG_PORT_NUMBERS) {
    const open_port key = {.part = root.part[i], .row = root.row[i]};
    const open_port *at = bsearch(&key, open, (size_t)count, sizeof *open, compare_places);
    while (at != NULL && at > open && compare_places(at - 1, &key) == 0) at--;
    for (; at != NULL && at < open + count && compare_places(at, &key) == 0; at++) {
      assembly->model.outer_ports[at->index].root = index;
      assembly->model.outer_ports[at->index].row = i;
    }
  }
}

/* where the open ports came to lie in the roots of the plan */
static void find_outer_ports(flg_assembly *assembly) {
  const size_t count = (size_t)assembly->model.outer_port_count, n = FLG_PORT_NUMBERS * count;
  if (assembly->model.outer_port_count <= OUTER_PORTS_KEPT) {
    assembly->scratch.answers = flg_region_take(&assembly->model.region, n * n, sizeof(double));
  }
  flg_region scratch = {0};
  open_port *open = flg_region_take(&scratch, count, sizeof *open);
  assembly->model.region.failed |= scratch.failed;
  for (size_t k = 0; k < count && open != NULL; k++) {
    const flg_graph_port port = row_sets_port_of(&assembly->model.outer_ports[k].anchor);
    open[k] = (open_port){port.part, FLG_PORT_NUMBERS * port.port, (int)k};
  }
  if (count > 0 && open != NULL) {
    qsort(open, count, sizeof *open, compare_places);
    for (int k = 0; k < flg_plan_root_count(assembly->scratch.plan); k++) {
      find_in_root(assembly, k, open);
    }
  }
  flg_region_release(&scratch);
}

/* joints within clusters and trees have none */
static void list_placed(flg_assembly *assembly) {
  assembly->model.placed = row_sets_take(assembly, assembly->model.row_set_count, sizeof(int));
  for (int k = 0; k < assembly->model.row_set_count && assembly->model.placed != NULL; k++) {
    if (assembly->model.row_sets[k].rows == 0) continue;
    assembly->model.placed[assembly->model.placed_count++] = k;
  }
}

void flg_assembly_take_views(flg_assembly *assembly) {
  find_outer_ports(assembly);
  list_placed(assembly);
  assembly->scratch.views =
      row_sets_take(assembly, assembly->model.part_count, sizeof(flg_plan_part));
  if (assembly->scratch.views == NULL) return;
  for (int k = 0; k < assembly->model.part_count; k++) {
    assembly->scratch.views[k] = flg_plan_part_view(assembly->scratch.plan, k);
  }
  for (int k = 0; k < assembly->model.set_count; k++) {
    assembly->model.sets[k]->views = assembly->scratch.views + assembly->model.sets[k]->first;
  }
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    flg_row_set *row_set = &assembly->model.row_sets[k];
    row_set->view = flg_plan_joint_view(assembly->scratch.plan, k);
    row_set->is_plain_joint =
        k < assembly->model.joint_count && !row_set->is_plain_weld && row_set->coordinate[0] < 0;
  }
}
