#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_coupled.h"
#include "assembly/assembly_objects.h"
#include "assembly/assembly_signals.h"
#include "assembly/coupled_part.h"
#include "assembly/robot_part.h"
#include "math/larger.h"
#include "parts/kinds.h"

/* --- memory -------------------------------------------------------------------------------------
 */

static void *take(flg_assembly *assembly, int count, size_t element) {
  return flg_region_take(&assembly->region, (size_t)count, element);
}

static double *take_numbers(flg_assembly *assembly, int count) {
  return take(assembly, count, sizeof(double));
}

/* --- parts --------------------------------------------------------------------------------------
 */

static void add_set(flg_assembly *assembly, flg_parts *parts) {
  if (parts == NULL || parts->count == 0) return;
  parts->mode = &assembly->mode;
  parts->first = assembly->part_count;
  parts->position = assembly->position_count, parts->velocity = assembly->velocity_count;
  assembly->part_count += parts->count;
  assembly->position_count += parts->position_count;
  assembly->velocity_count += parts->velocity_count;
  assembly->sets[assembly->set_count++] = parts;
}

static flg_vec3 gravity_of(const flg_assembly *assembly, const flg_component_body *body) {
  return isnan(body->gravity.x) ? assembly->options.gravity : body->gravity;
}

static bool is_of_kind(const flg_assembly *assembly, int index, int kind) {
  const flg_component_body *body = &assembly->component->bodies[index];
  const flg_parts *of = assembly->owners[index].of;
  return !body->fixed && of == NULL && flg_part_kind_of(body) == kind;
}

/* bodies of the component that are of that kind */
static void make_kind(flg_assembly *assembly, int index) {
  const flg_component *component = assembly->component;
  const flg_part_kind *kind = flg_part_kinds[index];
  int count = 0;
  for (int k = 0; k < component->body_count; k++) count += is_of_kind(assembly, k, index);
  if (count == 0) return;
  flg_parts *parts = kind->make(&assembly->region, count);
  if (parts == NULL) return;
  count = 0;
  for (int k = 0; k < component->body_count; k++) {
    const flg_component_body *body = &component->bodies[k];
    if (!is_of_kind(assembly, k, index)) continue;
    assembly->owners[k] = (flg_owner){.of = parts, .part = count};
    kind->add(parts, count++, body, gravity_of(assembly, body));
  }
  add_set(assembly, parts);
}

/* subsystems of other kinds; bodies that stand in for their ports are not of any other */
static flg_parts *make_inserts(flg_assembly *assembly) {
  const flg_assembly_options *options = &assembly->options;
  if (options->insert_count == 0) return NULL;
  flg_parts *parts =
      flg_coupled_parts_make(options->inserts, options->insert_count, &assembly->region);
  for (int k = 0; k < options->insert_count && parts != NULL; k++) {
    for (int i = 0; i < parts->ops->ports(parts, k); i++) {
      assembly->owners[options->inserts[k].first_body + i] =
          (flg_owner){.of = parts, .part = k, .body = i};
    }
  }
  return parts;
}

static void make_parts(flg_assembly *assembly, flg_robot_subsystem *robots) {
  const flg_component *component = assembly->component;
  int kinds = 0;
  while (flg_part_kinds[kinds] != NULL) kinds++;
  assembly->owners = take(assembly, component->body_count, sizeof *assembly->owners);
  assembly->sets = take(assembly, kinds + 2, sizeof *assembly->sets);
  if (assembly->region.failed) return;
  flg_parts *inserts = make_inserts(assembly);
  for (int k = 0; k < kinds && !assembly->region.failed; k++) make_kind(assembly, k);
  if (component->robot_count > 0) {
    assembly->robots = flg_robot_parts_make(component, robots, &assembly->region);
    add_set(assembly, assembly->robots);
  }
  add_set(assembly, inserts);
}

/* once all ports are known */
static void equip_parts(flg_assembly *assembly) {
  for (int k = 0; k < assembly->set_count; k++) {
    flg_parts *parts = assembly->sets[k];
    if (parts->ops->equip != NULL) parts->ops->equip(parts, &assembly->region);
    for (int i = 0; i < parts->count && parts->ops->held != NULL; i++) {
      int count;
      (void)parts->ops->held(parts, i, &count);
      assembly->held_count += count;
    }
  }
}

/* --- seats --------------------------------------------------------------------------------------
 */

flg_seat flg_assembly_seat(const flg_assembly *assembly, const flg_anchor *anchor) {
  if (anchor->robot >= 0) {
    flg_parts *robots = assembly->robots;
    return robots->ops->seat(robots, anchor->robot, anchor->body, &anchor->pose);
  }
  if (anchor->body == FLG_WORLD) return flg_seat_on_ground(&anchor->pose);
  const flg_owner *owner = &assembly->owners[anchor->body];
  if (owner->of != NULL) {
    return owner->of->ops->seat(owner->of, owner->part, owner->body, &anchor->pose);
  }
  const flg_pose pose =
      flg_pose_compose(&assembly->component->bodies[anchor->body].pose, &anchor->pose);
  return flg_seat_on_ground(&pose);
}

/* the port on the link, which is made if it is the first that is joined there */
static void open_port(flg_seat *seat) {
  if (seat->of != NULL) seat->port = seat->of->ops->open(seat->of, seat->part, seat->link);
}

static flg_seat no_seat(void) {
  const flg_pose pose = {0};
  return flg_seat_on_ground(&pose);
}

/* --- coordinates and joints ---------------------------------------------------------------------
 */

static void make_measures(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  assembly->measure_count = component->coordinate_count;
  assembly->measures = take(assembly, assembly->measure_count, sizeof(flg_measure));
  for (int k = 0; k < assembly->measure_count && assembly->measures != NULL; k++) {
    const flg_component_coordinate *from = &component->coordinates[k];
    flg_measure *measure = &assembly->measures[k];
    *measure = (flg_measure){.kind = from->kind, .angle = -1};
    if (from->kind == FLG_COORDINATE_ANGLE) measure->angle = assembly->angle_count++;
    for (int e = 0; e < 2; e++) {
      measure->seat[e] = no_seat();
      if (from->kind == FLG_COORDINATE_SUM) continue;
      measure->seat[e] = flg_assembly_seat(assembly, &from->end[e]);
    }
  }
}

static void make_joint(flg_assembly *assembly, int index) {
  const flg_component_joint *joint = &assembly->component->joints[index];
  flg_closing *closing = &assembly->closings[index];
  const flg_constraint_traits *traits = &flg_constraint_kinds[joint->kind];
  *closing =
      (flg_closing){.kind = joint->kind, .rows = traits->rows, .force = -1, .coordinate = {-1, -1}};
  for (int e = 0; e < 2; e++) {
    closing->seat[e] = no_seat();
    if (traits->holds != 0) closing->seat[e] = flg_assembly_seat(assembly, &joint->end[e]);
  }
  if (!traits->sums) return;
  /* the last row is one of coordinates; values at the start come in later */
  const int count = traits->couples ? 2 : traits->coordinate_count;
  for (int k = 0; k < count; k++) closing->coordinate[k] = joint->coordinate[k];
  flg_component_joint_factors(joint, closing->factor);
}

/* rows of an element that is one of the plan */
static void add_rows(flg_assembly *assembly, int index) {
  flg_running_force *own = &assembly->forces[index];
  own->closing = assembly->closing_count++;
  flg_closing *closing = &assembly->closings[own->closing];
  *closing = (flg_closing){.kind = FLG_CONSTRAINT_DISTANCE,
                           .rows = own->force.kind->rows,
                           .force = index,
                           .seat = {own->seat[0], own->seat[1]},
                           .coordinate = {-1, -1}};
  if (own->coordinate < 0) return;
  flg_limits_couple(assembly->component, own->coordinate, closing->coordinate, closing->factor);
}

static void make_force(flg_assembly *assembly, int index) {
  flg_running_force *own = &assembly->forces[index];
  own->force = flg_forces_at(assembly->component, index);
  own->coordinate = flg_force_coordinate(&own->force);
  own->closing = -1;
  own->seat[0] = own->seat[1] = no_seat();
  const flg_force_kind *kind = own->force.kind;
  for (int e = 0; e < kind->ends; e++) {
    own->seat[e] = flg_assembly_seat(assembly, &flg_force_ends(&own->force)[e]);
  }
  own->force.own = take_numbers(assembly, kind->own_count);
}

/* what prescribes its coordinate is a joint of that coordinate */
static void make_motions(flg_assembly *assembly) {
  for (int k = 0; k < assembly->force_count; k++) {
    if (flg_forces_at(assembly->component, k).kind->target == NULL) continue;
    flg_running_force *own = &assembly->forces[k];
    make_force(assembly, k);
    add_rows(assembly, k);
    assembly->motion_count++;
    assembly->rigid_count = own->closing + 1;
  }
}

static void make_soft(flg_assembly *assembly) {
  const bool staged = assembly->options.scheme == FLG_SCHEME_RK4;
  for (int k = 0; k < assembly->force_count; k++) {
    const flg_force_kind *kind = flg_forces_at(assembly->component, k).kind;
    if (kind->target != NULL) continue;
    make_force(assembly, k);
    const flg_force *force = &assembly->forces[k].force;
    if (kind->is_soft != NULL && kind->is_soft(force->of, staged)) add_rows(assembly, k);
  }
}

static int count_force_rows(const flg_component *component) {
  int count = 0;
  for (int k = 0; k < flg_forces_count(component); k++) {
    const flg_force force = flg_forces_at(component, k);
    count += force.kind->target != NULL ||
             (force.kind->is_soft != NULL && force.kind->is_soft(force.of, false));
  }
  return count;
}

static void mark_used(flg_assembly *assembly) {
  for (int k = 0; k < assembly->closing_count; k++) {
    for (int s = 0; s < 2; s++) {
      const int coordinate = assembly->closings[k].coordinate[s];
      if (coordinate >= 0) assembly->measures[coordinate].is_used = true;
    }
  }
  for (int k = 0; k < assembly->force_count; k++) {
    int of[2];
    double factor[2];
    if (assembly->forces[k].coordinate < 0) continue;
    flg_limits_couple(assembly->component, assembly->forces[k].coordinate, of, factor);
    for (int s = 0; s < 2; s++) {
      if (of[s] >= 0) assembly->measures[of[s]].is_used = true;
    }
  }
}

/* rows between frames come with displacements first; one of coordinates is a length if any is */
static void mark_displacements(const flg_assembly *assembly, flg_closing *closing) {
  for (int i = 0; i < closing->rows; i++) {
    bool is_one = i < flg_constraint_displacements(closing->kind);
    for (int s = 0; s < 2 && i == closing->rows - 1; s++) {
      if (closing->coordinate[s] < 0) continue;
      is_one = is_one || assembly->measures[closing->coordinate[s]].kind != FLG_COORDINATE_ANGLE;
    }
    if (is_one) closing->displacements |= 1u << i;
  }
}

static void make_closings(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  assembly->joint_count = component->joint_count;
  assembly->force_count = flg_forces_count(component);
  assembly->closings = take(assembly,
                            component->joint_count + assembly->options.weld_count +
                                count_force_rows(component) + flg_limits_count(component),
                            sizeof(flg_closing));
  assembly->forces = take(assembly, assembly->force_count, sizeof(flg_running_force));
  assembly->outlet_count = assembly->options.outlet_count;
  assembly->outlets = take(assembly, assembly->outlet_count, sizeof(flg_outlet));
  if (assembly->region.failed) return;
  for (int k = 0; k < component->joint_count; k++) make_joint(assembly, k);
  assembly->closing_count = component->joint_count;
  assembly->welds.seats = take(assembly, assembly->options.weld_count, sizeof(flg_seat));
  if (assembly->region.failed) return;
  flg_welds_make(assembly);
  make_motions(assembly);
  make_soft(assembly);
  flg_limits_make(assembly);
  mark_used(assembly);
  for (int k = 0; k < assembly->closing_count; k++) {
    mark_displacements(assembly, &assembly->closings[k]);
  }
  flg_signals_mark_used(assembly);
}

/* --- the plan -----------------------------------------------------------------------------------
 */

flg_graph_port flg_assembly_port(const flg_seat *seat) {
  if (seat->of == NULL) return (flg_graph_port){FLG_GROUND, 0};
  return (flg_graph_port){seat->of->first + seat->part, seat->port};
}

flg_parts *flg_assembly_set_of(const flg_assembly *assembly, int *part) {
  int set = assembly->set_count - 1;
  while (assembly->sets[set]->first > *part) set--;
  *part -= assembly->sets[set]->first;
  return assembly->sets[set];
}

/* which end of the joint a seat is; a new one if its port is not among them yet */
static int end_of(flg_seat *seat, flg_graph_joint *joint) {
  open_port(seat);
  const flg_graph_port port = flg_assembly_port(seat);
  if (port.part == FLG_GROUND) return -1;
  for (int e = 0; e < joint->ends; e++) {
    if (joint->end[e].part == port.part && joint->end[e].port == port.port) return e;
  }
  joint->end[joint->ends] = port;
  return joint->ends++;
}

static void find_ends(flg_assembly *assembly, int index, flg_graph_joint *joint) {
  flg_closing *closing = &assembly->closings[index];
  *joint = (flg_graph_joint){.rows = closing->rows, .soft = index >= assembly->rigid_count};
  for (int s = 0; s < 2; s++) {
    closing->seat_end[s] = end_of(&closing->seat[s], joint);
    if (closing->coordinate[s] < 0) continue;
    flg_measure *measure = &assembly->measures[closing->coordinate[s]];
    for (int e = 0; e < 2; e++) {
      closing->measure_end[s][e] = end_of(&measure->seat[e], joint);
    }
  }
  joint->weld = closing->is_plain_weld = closing->kind == FLG_CONSTRAINT_WELD &&
                                         closing->seat_end[0] >= 0 && closing->seat_end[1] >= 0 &&
                                         closing->seat_end[0] != closing->seat_end[1];
  closing->ends = joint->ends;
  memcpy(closing->port, joint->end, sizeof closing->port);
  if (joint->ends == 1) joint->end[joint->ends++] = (flg_graph_port){FLG_GROUND, 0};
  flg_limits_seat(assembly, index, joint);
}

static void fill_graph(const flg_assembly *assembly, flg_graph_part *graph, int *group_parent) {
  const flg_component *component = assembly->component;
  for (int k = 0; k < assembly->set_count; k++) {
    const flg_parts *parts = assembly->sets[k];
    for (int i = 0; i < parts->count; i++) {
      graph[parts->first + i] = (flg_graph_part){.ports = parts->ops->ports(parts, i),
                                                 .group = parts->ops->group(parts, i)};
    }
  }
  for (int k = 0; k < component->group_count; k++) group_parent[k] = component->groups[k].parent;
}

/* Rows are chosen where all joints are closed, so that pivots of redundant ones are rounding: the
 * admittance form can keep the others to within 1e-5 rad of a singular pose. */
static const double PIVOT_TOLERANCE = 1e-10;

/* the ports of outlets, each once; touch ports have their seats already */
static int open_outlets(flg_assembly *assembly, flg_graph_port *outers) {
  int count = 0;
  for (int k = 0; k < assembly->outlet_count; k++) {
    flg_outlet *outlet = &assembly->outlets[k];
    if (k < assembly->options.outlet_count) {
      outlet->seat = flg_assembly_seat(assembly, &assembly->options.outlets[k]);
    }
    outlet->root = -1;
    open_port(&outlet->seat);
    const flg_graph_port port = flg_assembly_port(&outlet->seat);
    bool is_new = port.part != FLG_GROUND;
    for (int i = 0; i < count; i++) {
      if (outers[i].part == port.part && outers[i].port == port.port) is_new = false;
    }
    if (is_new) outers[count++] = port;
  }
  return count;
}

static flg_status make_plan(flg_assembly *assembly, flg_error *error) {
  const int parts = assembly->part_count;
  flg_region region = {0};
  flg_graph_part *graph_parts = flg_region_take(&region, (size_t)parts, sizeof *graph_parts);
  flg_graph_joint *joints =
      flg_region_take(&region, (size_t)assembly->closing_count, sizeof *joints);
  int *parents =
      flg_region_take(&region, (size_t)assembly->component->group_count, sizeof *parents);
  flg_graph_port *outers = flg_region_take(&region, (size_t)assembly->outlet_count, sizeof *outers);
  if (region.failed) {
    flg_region_release(&region);
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for the joints");
  }
  for (int k = 0; k < assembly->closing_count; k++) {
    find_ends(assembly, k, &joints[k]);
  }
  const int outer_count = open_outlets(assembly, outers);
  fill_graph(assembly, graph_parts, parents);
  const flg_graph graph = {.part_count = parts,
                           .joint_count = assembly->closing_count,
                           .outer_count = outer_count,
                           .outers = outers,
                           .group_count = assembly->component->group_count,
                           .parts = graph_parts,
                           .joints = joints,
                           .group_parent = parents};
  flg_plan_options options = flg_plan_default();
  options.form = assembly->options.form;
  if (options.form == FLG_FORM_ADMITTANCE) options.tolerance = PIVOT_TOLERANCE;
  const flg_status status = flg_plan_build(&assembly->plan, &graph, &options, error);
  flg_region_release(&region);
  return status;
}

static void take_views(flg_assembly *assembly) {
  flg_assembly_outlets_find(assembly);
  assembly->views = take(assembly, assembly->part_count, sizeof(flg_plan_part));
  if (assembly->views == NULL) return;
  for (int k = 0; k < assembly->part_count; k++) {
    assembly->views[k] = flg_plan_part_view(assembly->plan, k);
  }
  for (int k = 0; k < assembly->set_count; k++) {
    assembly->sets[k]->views = assembly->views + assembly->sets[k]->first;
  }
  for (int k = 0; k < assembly->closing_count; k++) {
    assembly->closings[k].view = flg_plan_joint_view(assembly->plan, k);
  }
}

/* --- state --------------------------------------------------------------------------------------
 */

static int count_force_states(const flg_assembly *assembly) {
  int count = 0;
  for (int k = 0; k < assembly->force_count; k++) {
    count += assembly->forces[k].force.kind->state_count;
  }
  return count;
}

/* returns what comes after them */
static double *place_force_states(const flg_assembly *assembly) {
  double *state = assembly->force_states;
  for (int k = 0; k < assembly->force_count; k++) {
    assembly->forces[k].force.state = state;
    state += assembly->forces[k].force.kind->state_count;
  }
  return state;
}

static void lay_out_state(flg_assembly *assembly) {
  const int nq = assembly->position_count, nv = assembly->velocity_count;
  assembly->state_count = nq + nv + assembly->angle_count + count_force_states(assembly);
  for (int k = 0; k < assembly->set_count; k++) {
    assembly->state_count += assembly->sets[k]->other_count;
  }
  flg_signals_lay_out(assembly);
  if (assembly->signals != NULL) {
    assembly->state_count += assembly->signals->state_count + assembly->signals->held_count;
  }
  const int limits = assembly->limits.count * (int)(sizeof(flg_limit_state) / sizeof(double));
  const int welds = assembly->welds.count * (int)(sizeof(flg_weld_state) / sizeof(double));
  const int contacts = flg_assembly_touch_numbers(assembly);
  assembly->state_count += welds + limits + contacts;
  assembly->state = take_numbers(assembly, assembly->state_count);
  double **const pieces[] = {&assembly->stage_q, &assembly->sum_q, &assembly->rate_q,
                             &assembly->factors.q, &assembly->placed_q};
  double **const speeds[] = {&assembly->stage_v, &assembly->sum_v, &assembly->rate_v,
                             &assembly->change, &assembly->placed_v};
  for (size_t k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
    *pieces[k] = take_numbers(assembly, nq);
  }
  for (size_t k = 0; k < sizeof speeds / sizeof speeds[0]; k++) {
    *speeds[k] = take_numbers(assembly, nv);
  }
  assembly->factors.held = take_numbers(assembly, assembly->held_count);
  assembly->factors.welds = take(assembly, assembly->welds.count, sizeof(flg_weld_state));
  assembly->welds.placed = take(assembly, assembly->welds.count, sizeof(flg_weld_state));
  assembly->before = take_numbers(assembly, nq + nv + assembly->angle_count);
  assembly->q = assembly->state;
  assembly->v = assembly->q + nq;
  assembly->angles = assembly->v + nv;
  assembly->force_states = assembly->angles + assembly->angle_count;
  if (assembly->region.failed) return;
  double *memory = assembly->state + assembly->state_count - contacts;
  assembly->limits.states = (flg_limit_state *)(memory - limits);
  assembly->welds.states = (flg_weld_state *)(memory - limits - welds);
  flg_assembly_touch_remember(assembly, memory);
}

/* what is measured from the start: phases of gears and screws, sums, lengths of relaxed springs */
static void take_start(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  for (int k = 0; k < assembly->measure_count; k++) {
    flg_measure *measure = &assembly->measures[k];
    if (measure->kind != FLG_COORDINATE_SUM) continue;
    measure->origin = measure->row.value;
    measure->row.value = 0;
  }
  for (int k = 0; k < assembly->joint_count; k++) {
    flg_closing *closing = &assembly->closings[k];
    closing->constant = component->joints[k].constant;
    if (closing->kind == FLG_CONSTRAINT_DISTANCE) continue; /* files say it */
    closing->constant = 0;
    for (int s = 0; s < 2; s++) {
      if (closing->coordinate[s] < 0) continue;
      closing->constant +=
          closing->factor[s] * assembly->measures[closing->coordinate[s]].row.value;
    }
  }
  flg_assembly_start_forces(assembly);
}

/* of all parts; INFINITY: anywhere */
static double farthest(const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < assembly->set_count; k++) {
    const flg_parts *parts = assembly->sets[k];
    most = flg_larger(most, parts->ops->extent(parts, assembly->q + parts->position));
  }
  return most;
}

static double extent_of(const flg_assembly *assembly) {
  double most = 1;
  for (int k = 0; k < assembly->set_count; k++) {
    const flg_parts *parts = assembly->sets[k];
    const double own = parts->ops->extent(parts, assembly->q + parts->position);
    if (!isinf(own)) most = flg_larger(most, own);
  }
  return most;
}

/* How far joints are from the origin and from centres of mass, up to the extent. */
static double length_of(const flg_assembly *assembly) {
  double most = farthest(assembly);
  for (int k = 0; k < assembly->rigid_count; k++) {
    for (int s = 0; s < 2; s++) {
      most = fmax(most, flg_vec3_norm(assembly->closings[k].seat[s].pose.position));
    }
  }
  return most > 0 && most < assembly->extent ? most : assembly->extent;
}

static void start(flg_assembly *assembly) {
  double *rest = place_force_states(assembly);
  for (int k = 0; k < assembly->set_count; k++) {
    flg_parts *parts = assembly->sets[k];
    parts->ops->start(parts, assembly->q + parts->position, assembly->v + parts->velocity, rest);
    rest += parts->other_count;
  }
  assembly->extent = extent_of(assembly);
  assembly->length = length_of(assembly);
  flg_assembly_place(assembly, assembly->q, assembly->v);
  flg_assembly_keep_angles(assembly);
  take_start(assembly);
  flg_assembly_place(assembly, assembly->q, assembly->v);
  flg_signals_start(assembly, rest);
  flg_limits_start(assembly);
}

/* --- build --------------------------------------------------------------------------------------
 */

flg_assembly_options flg_assembly_default(void) {
  return (flg_assembly_options){.name = "assembly"};
}

/* what a scheme cannot do with a force element */
static void check_forces(const flg_assembly *assembly, flg_mistakes *mistakes) {
  const flg_component *component = assembly->component;
  const bool is_explicit = assembly->options.scheme == FLG_SCHEME_RK4;
  for (int k = 0; k < flg_forces_count(component) && is_explicit; k++) {
    const flg_force force = flg_forces_at(component, k);
    if (force.kind->is_soft == NULL || !force.kind->is_soft(force.of, true)) continue;
    const flg_force_head *head = flg_force_head_of(&force);
    flg_mistake_add(mistakes, FLG_ERR_INPUT, head->place,
                    "%s '%s' is implicit, which rk4 cannot do; use rattle or semi-implicit",
                    force.kind->name, head->name);
  }
}

/* all steps are semi-implicit where a part asks for that, unless the user asked for others */
static void check_scheme(flg_assembly *assembly, const flg_parts *parts, int part,
                         flg_mistakes *mistakes) {
  const char *reason = "";
  const unsigned refused = parts->ops->refused_schemes(parts, part, &reason);
  if ((refused >> assembly->options.scheme & 1) == 0) return;
  if (assembly->options.adapts) {
    assembly->options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
    return;
  }
  flg_mistake_add(mistakes, FLG_ERR_INPUT, parts->ops->place_in_file(parts, part),
                  "%s '%s' %s; use the integrator semi-implicit", parts->ops->kind,
                  parts->ops->name(parts, part), reason);
}

/* --- parts that do not turn --------------------------------------------------------------------
 */

/* a part that has no axes at an end of a joint or a coordinate that needs them */
static void refuse_axes(const flg_assembly *assembly, const flg_anchor *end, const char *what,
                        const char *name, flg_place place, flg_mistakes *mistakes) {
  if (end->robot >= 0 || end->body == FLG_WORLD) return;
  const flg_owner *owner = &assembly->owners[end->body];
  if (owner->of == NULL || !owner->of->ops->has_no_axes) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "%s '%s' needs axes that turn with %s '%s', which has none; it takes part in "
                  "spherical joints, distances, and as the second end of point-on-line",
                  what, name, owner->of->ops->kind, owner->of->ops->name(owner->of, owner->part));
}

static flg_status check_axes(const flg_assembly *assembly, flg_mistakes *mistakes) {
  const flg_component *component = assembly->component;
  const int before = mistakes->count;
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    for (int e = 0; e < 2; e++) {
      if ((flg_constraint_kinds[joint->kind].axes >> e & 1) == 0) continue;
      refuse_axes(assembly, &joint->end[e], "joint", joint->name, joint->place, mistakes);
    }
  }
  if (mistakes->count > before) return FLG_ERR_INPUT; /* their coordinates say the same */
  for (int k = 0; k < component->coordinate_count; k++) {
    const flg_component_coordinate *of = &component->coordinates[k];
    for (int e = 0; e < 2; e++) {
      const bool slides = of->kind == FLG_COORDINATE_SLIDE && e == 0;
      if (!slides && of->kind != FLG_COORDINATE_ANGLE) continue;
      refuse_axes(assembly, &of->end[e], "coordinate", of->name, of->place, mistakes);
    }
  }
  return mistakes->count > before ? FLG_ERR_INPUT : FLG_OK;
}

static flg_status settle_scheme(flg_assembly *assembly, flg_mistakes *mistakes) {
  const int before = mistakes->count;
  for (int k = 0; k < assembly->set_count; k++) {
    const flg_parts *parts = assembly->sets[k];
    for (int i = 0; i < parts->count && parts->ops->refused_schemes != NULL; i++) {
      check_scheme(assembly, parts, i, mistakes);
    }
  }
  check_forces(assembly, mistakes);
  return mistakes->count > before ? FLG_ERR_INPUT : FLG_OK;
}

static flg_status lay_out(flg_assembly *assembly, flg_robot_subsystem *robots,
                          flg_mistakes *mistakes, flg_error *error) {
  make_parts(assembly, robots);
  flg_status status = FLG_OK;
  if (!assembly->region.failed) status = settle_scheme(assembly, mistakes);
  if (!assembly->region.failed && status == FLG_OK) status = check_axes(assembly, mistakes);
  if (status != FLG_OK) return status;
  if (!assembly->region.failed) make_measures(assembly);
  if (!assembly->region.failed) make_closings(assembly);
  if (!assembly->region.failed) status = flg_assembly_touch_find(assembly, mistakes);
  if (status == FLG_OK && !assembly->region.failed) status = make_plan(assembly, error);
  if (status != FLG_OK) return status;
  if (!assembly->region.failed) {
    equip_parts(assembly);
    take_views(assembly);
    status = flg_assembly_touch_build(assembly, error);
    if (status != FLG_OK) return status;
    lay_out_state(assembly);
  }
  if (assembly->region.failed) {
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for %d bodies",
                    assembly->component->body_count);
  }
  start(assembly);
  return flg_assembly_objects_build(assembly, error);
}

flg_status flg_assembly_build(flg_assembly **assembly, const flg_component *component,
                              flg_robot_subsystem *robots, const flg_assembly_options *options,
                              flg_mistakes *mistakes) {
  const int before = mistakes->count;
  flg_region region = {0};
  flg_assembly *made = flg_region_take(&region, 1, sizeof *made);
  flg_error error = {0};
  flg_status status = FLG_ERR_MEMORY;
  if (made != NULL) {
    *made = (flg_assembly){
        .options = *options,
        .component = component,
        .region = region,
        .mode = {.threads = options->threads, .is_root = options->form == FLG_FORM_ROOT}};
    status = lay_out(made, robots, mistakes, &error);
    if (status == FLG_OK) {
      *assembly = made;
      return FLG_OK;
    }
    region = made->region;
    flg_assembly_touch_release(made);
    flg_plan_release(made->plan);
  }
  if (mistakes->count == before) { /* mistakes say what is wrong, if there are any */
    flg_mistake_add(mistakes, status, (flg_place){.file = component->file}, "%s", error.message);
  }
  flg_region_release(&region);
  return status;
}

void flg_assembly_release(flg_assembly *assembly) {
  if (assembly == NULL) return;
  for (int k = 0; k < assembly->set_count; k++) {
    flg_parts *parts = assembly->sets[k];
    if (parts->ops->release != NULL) parts->ops->release(parts);
  }
  flg_assembly_touch_release(assembly);
  flg_plan_release(assembly->plan);
  flg_region region = assembly->region;
  flg_region_release(&region);
}
