#include "macro/rest_model.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/region.h"
#include "macro/weld_rows.h"
#include "math/dense.h"
#include "math/larger.h"

enum { PORT_ROWS = 6, ABSENT = -1 };

/* Ports that do not yield at all have D = 0 (flg_port_clear): their rows are compared with anything
 * over 0, whatever its unit. */
static const double NO_YIELD = 1e-200;

/* where a row block of the viewer finds its opposite */
typedef struct facing {
  int part, port; /* of the plan; ABSENT: the ground, or a subsystem that is left out */
  int other;      /* subsystem */
  int root, row;  /* of the plan */
} facing;

struct flg_rest_model {
  flg_rest_scope scope;
  flg_region region;
  flg_plan *plan; /* NULL: the rest is empty */
  int part_count, joint_count;
  int port_count;    /* of the viewer, without touch ports */
  int touch_count;   /* touch ports of the others that are kept */
  int anchor_count;  /* anchors of elements that are kept */
  int elastic_count; /* ports of elastic coordinates */
  int *anchor_faces; /* (4 interfaces) the face of each anchor, or ABSENT */
  int *part_of;      /* (subsystems) its part of the plan, or ABSENT */
  int *joints;       /* (joints) interfaces */
  facing *faces;     /* (ports, touch ports, anchors, elastic ports) */
};

int flg_touch_ports(const flg_subsystem *subsystem) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  return ops->touch_ports != NULL ? ops->touch_ports(subsystem->self) : 0;
}

int flg_joined_ports(const flg_subsystem *subsystem) {
  return subsystem->ops->coupled->ports(subsystem->self) - flg_touch_ports(subsystem);
}

/* One rigid subsystem that nothing holds is a body: macro runs turn its inertia along
 * (macro_turn.c) instead of freezing D for the macro step. */
bool flg_rest_model_is_rigid(const flg_rest_model *rest) {
  if (rest->part_count != 1 || rest->joint_count > 0) return false; /* the ground may hold it */
  for (int k = 0; k < rest->scope.subsystem_count; k++) {
    const flg_subsystem *subsystem = &rest->scope.subsystems[k];
    if (rest->part_of[k] < 0) continue;
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    const bool is_free = rest->scope.keeps_touch || flg_touch_ports(subsystem) == 0;
    return is_free && ops->is_rigid != NULL && ops->is_rigid(subsystem->self);
  }
  return false;
}

static int face_count(const flg_rest_model *rest) {
  return rest->port_count + rest->touch_count + rest->anchor_count + rest->elastic_count;
}

/* --- rows of interfaces -------------------------------------------------------------------------
 */

flg_moving_frame flg_interface_frame(const flg_interface *interface, int end,
                                     const flg_subsystem *subsystems) {
  const flg_interface_end *at = &interface->end[end];
  if (at->subsystem < 0) return (flg_moving_frame){.pose = at->pose};
  const flg_subsystem *subsystem = &subsystems[at->subsystem];
  return subsystem->ops->coupled->frame(subsystem->self, at->port);
}

int flg_interface_rows(const flg_interface *interface, const flg_subsystem *subsystems,
                       flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX]) {
  flg_moving_frame frame[2];
  for (int e = 0; e < 2; e++) frame[e] = flg_interface_frame(interface, e, subsystems);
  return flg_constraint_evaluate(interface->kind, frame, rows);
}

static int left_of(const flg_interface *interface, const flg_subsystem *subsystems,
                   double left[FLG_CONSTRAINT_ROWS_MAX]) {
  const flg_pose pose[2] = {flg_interface_frame(interface, 0, subsystems).pose,
                            flg_interface_frame(interface, 1, subsystems).pose};
  return flg_constraint_measure(interface->kind, pose, left);
}

/* Displacements [m] and angles [rad] apart: one norm of both would depend on the unit of length. */
void flg_interface_openings(const flg_interface *interface, const flg_subsystem *subsystems,
                            double open[2]) {
  double left[FLG_CONSTRAINT_ROWS_MAX], squares[2] = {0, 0};
  const int count = left_of(interface, subsystems, left);
  const int displacements = flg_constraint_displacements(interface->kind);
  for (int i = 0; i < count; i++) squares[i >= displacements] += left[i] * left[i];
  for (int i = 0; i < 2; i++) open[i] = sqrt(squares[i]);
}

double flg_interfaces_extent(const flg_interface *interfaces, int count,
                             const flg_subsystem *subsystems) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    const flg_moving_frame at = flg_interface_frame(&interfaces[k], 1, subsystems);
    most = flg_larger(most, flg_vec3_norm(at.pose.position));
  }
  return most;
}

double flg_model_length(flg_interface_model *model, double whole) {
  return flg_port_yield_length(model->rows, flg_interface_model_admittance(model), whole);
}

/* Angular yields over the square of the model's length: rows of both kinds get a scale of their own
 * unit. */
flg_yield flg_port_yield(flg_interface_model *model, int port) {
  const double *D = flg_interface_model_admittance(model);
  flg_yield own = flg_port_yield_of(model->rows, D, port, model->length);
  const double square = own.angular > 0 ? own.linear / own.angular : 1;
  own.linear = fmax(own.linear, NO_YIELD);
  return (flg_yield){own.linear, own.linear / square};
}

double flg_side_scale(flg_spatial side, flg_yield yield) {
  return flg_vec3_dot(side.linear, side.linear) * yield.linear +
         flg_vec3_dot(side.angular, side.angular) * yield.angular;
}

double flg_row_scale(const flg_constraint_row *row, const flg_yield yield[2]) {
  return flg_side_scale(row->side[0], yield[0]) + flg_side_scale(row->side[1], yield[1]);
}

int flg_interface_joint_rows(const flg_interface *interface, const flg_subsystem *subsystems,
                             int first, flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX]) {
  if (!flg_interface_is_plain_weld(interface))
    return flg_interface_rows(interface, subsystems, rows);
  const flg_moving_frame frame[2] = {flg_interface_frame(interface, 0, subsystems),
                                     flg_interface_frame(interface, 1, subsystems)};
  flg_weld_rows(frame, first, rows);
  return FLG_WELD_ROWS;
}

int flg_interface_joint_measure(const flg_interface *interface, const flg_subsystem *subsystems,
                                int first, double left[FLG_CONSTRAINT_ROWS_MAX]) {
  if (!flg_interface_is_plain_weld(interface)) return left_of(interface, subsystems, left);
  const flg_pose pose[2] = {flg_interface_frame(interface, 0, subsystems).pose,
                            flg_interface_frame(interface, 1, subsystems).pose};
  flg_weld_measure(pose, first, left);
  return FLG_WELD_ROWS;
}

void flg_interface_fill(const flg_interface *interface, const flg_subsystem *subsystems,
                        const flg_reduced *reduced, const flg_plan_joint *view) {
  flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
  flg_yield yield[2] = {{0, 0}, {0, 0}};
  for (int e = 0; e < 2; e++) {
    const flg_interface_end *end = &interface->end[e];
    if (end->subsystem >= 0) yield[e] = flg_port_yield(reduced[end->subsystem].model, end->port);
  }
  /* gamma = -bias: closed rows have no acceleration left but what velocities make of them */
  const int count = flg_interface_joint_rows(interface, subsystems, view->first, rows);
  int sides[2] = {0, 1}; /* the ground stands last in the plan */
  if (interface->end[0].subsystem < 0) sides[0] = 1, sides[1] = 0;
  for (int i = 0; i < count; i++) {
    view->gamma[i] = -rows[i].bias;
    view->scale[i] = flg_row_scale(&rows[i], yield);
    for (int s = 0; s < 2; s++) {
      if (view->side[s] == NULL) continue;
      double numbers[PORT_ROWS];
      flg_spatial_store(rows[i].side[sides[s]], numbers);
      for (int j = 0; j < PORT_ROWS; j++) view->side[s][i + j * view->leading] = numbers[j];
    }
  }
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static bool is_end_inside(const flg_rest_model *rest, const flg_interface_end *end) {
  return end->subsystem < 0 || rest->part_of[end->subsystem] != ABSENT;
}

static flg_graph_port port_at(const flg_rest_model *rest, const flg_interface_end *end) {
  if (end->subsystem < 0) return (flg_graph_port){FLG_GROUND, 0};
  return (flg_graph_port){rest->part_of[end->subsystem], end->port};
}

/* interfaces between those inside become joints, those with the viewer its faces */
/* Interfaces between two others are eliminated in the rest model. Those with the viewer stay open:
 * they are what the macro run closes in every micro step. */
static void sort_interfaces(flg_rest_model *rest, flg_graph_joint *joints, flg_graph_port *outers,
                            int *outer_count) {
  const flg_rest_scope *scope = &rest->scope;
  for (int k = 0; k < scope->interface_count; k++) {
    const flg_interface_end *end = scope->interfaces[k].end;
    for (int e = 0; e < 2; e++) {
      if (end[e].subsystem != scope->viewer) continue;
      facing *face = &rest->faces[end[e].port];
      const flg_interface_end *opposite = &end[1 - e];
      if (opposite->subsystem < 0 || !is_end_inside(rest, opposite)) continue;
      const flg_graph_port port = port_at(rest, opposite);
      *face = (facing){.part = port.part, .port = port.port, .other = opposite->subsystem};
      outers[(*outer_count)++] = port;
    }
    const bool is_joint =
        scope->is_joined && is_end_inside(rest, &end[0]) && is_end_inside(rest, &end[1]);
    if (!is_joint || scope->interfaces[k].rows == 0) continue;
    const int first = end[0].subsystem < 0 ? 1 : 0; /* the ground stands last */
    rest->joints[rest->joint_count] = k;
    joints[rest->joint_count++] =
        (flg_graph_joint){.rows = scope->interfaces[k].rows,
                          .weld = flg_interface_is_plain_weld(&scope->interfaces[k]),
                          .ends = 2,
                          .end = {port_at(rest, &end[first]), port_at(rest, &end[1 - first])}};
  }
}

/* Elements between the others are not eliminated: their anchors stay open, like touch ports. Those
 * of a joint with the viewer are opposite to its ports already. */
/* Springs and stops between others may change inside of the macro step, so they cannot be part of a
 * model that is frozen for it. */
static bool keeps_anchors(const flg_rest_scope *scope, const flg_interface *interface) {
  if (interface->element_count == 0) return false;
  if (flg_interface_is_on(interface, scope->viewer)) return !flg_interface_has_ends(interface);
  for (int k = 0; k < interface->anchor_count; k++) {
    const int subsystem = interface->anchors[k].subsystem;
    if (subsystem >= 0 && !scope->others[subsystem]) return false;
  }
  return scope->is_joined;
}

static bool is_kept_anchor(const flg_rest_scope *scope, const flg_interface *interface,
                           int anchor) {
  const int subsystem = interface->anchors[anchor].subsystem;
  return subsystem >= 0 && subsystem != scope->viewer && keeps_anchors(scope, interface);
}

static int count_anchors(const flg_rest_scope *scope) {
  int count = 0;
  for (int k = 0; k < scope->interface_count; k++) {
    const flg_interface *interface = &scope->interfaces[k];
    for (int i = 0; i < interface->anchor_count; i++) count += is_kept_anchor(scope, interface, i);
  }
  return count;
}

/* an anchor on a subsystem that is not of the rest has rows of zeros */
static void keep_anchors(flg_rest_model *rest, flg_graph_port *outers, int *outer_count) {
  const flg_rest_scope *scope = &rest->scope;
  int index = rest->port_count + rest->touch_count;
  for (int k = 0; k < scope->interface_count; k++) {
    const flg_interface *interface = &scope->interfaces[k];
    int *faces = rest->anchor_faces + FLG_INTERFACE_ANCHORS_MAX * k;
    for (int i = 0; i < FLG_INTERFACE_ANCHORS_MAX; i++) faces[i] = ABSENT;
    for (int i = 0; i < interface->anchor_count; i++) {
      if (!is_kept_anchor(scope, interface, i)) continue;
      const flg_interface_end *anchor = &interface->anchors[i];
      facing *face = &rest->faces[faces[i] = index++];
      *face = (facing){.part = rest->part_of[anchor->subsystem],
                       .port = anchor->port,
                       .other = anchor->subsystem};
      if (face->part == ABSENT) continue;
      outers[(*outer_count)++] = (flg_graph_port){face->part, face->port};
    }
  }
}

int flg_rest_model_anchor_row(const flg_rest_model *rest, int interface, int anchor) {
  const flg_interface *of = &rest->scope.interfaces[interface];
  const int face = rest->anchor_faces[FLG_INTERFACE_ANCHORS_MAX * interface + anchor];
  if (face != ABSENT) return PORT_ROWS * face;
  if (!flg_interface_has_ends(of) || of->anchors[anchor].subsystem < 0) return -1;
  const flg_interface_end *opposite = &of->end[1 - anchor];
  return opposite->subsystem == rest->scope.viewer ? PORT_ROWS * opposite->port : -1;
}

/* Where each face stands in the models that come out of the plan is searched once, at set-up. */
static void find_roots(flg_rest_model *rest) {
  for (int r = 0; r < flg_plan_root_count(rest->plan); r++) {
    const flg_plan_root root = flg_plan_root_view(rest->plan, r);
    for (int k = 0; k < face_count(rest); k++) {
      facing *face = &rest->faces[k];
      for (int i = 0; i < root.rows && face->part != ABSENT; i += PORT_ROWS) {
        if (root.part[i] != face->part || root.row[i] != PORT_ROWS * face->port) continue;
        face->root = r, face->row = i;
      }
    }
  }
}

static int ports_of(const flg_rest_model *rest, int subsystem) {
  const flg_subsystem *of = &rest->scope.subsystems[subsystem];
  return of->ops->coupled->ports(of->self);
}

/* touch ports of the others stay open, too */
static void keep_touch(flg_rest_model *rest, flg_graph_port *outers, int *outer_count) {
  const flg_rest_scope *scope = &rest->scope;
  facing *face = rest->faces + rest->port_count;
  for (int k = 0; k < scope->subsystem_count && scope->keeps_touch; k++) {
    if (rest->part_of[k] == ABSENT) continue;
    const int first = flg_joined_ports(&scope->subsystems[k]);
    for (int i = 0; i < flg_touch_ports(&scope->subsystems[k]); i++, face++) {
      *face = (facing){.part = rest->part_of[k], .port = first + i, .other = k};
      outers[(*outer_count)++] = (flg_graph_port){face->part, face->port};
    }
  }
}

static int elastic_ports(const flg_rest_scope *scope, int subsystem) {
  return scope->others[subsystem] ? scope->elastic_ports[subsystem] : 0;
}

static void keep_elastic(flg_rest_model *rest, flg_graph_port *outers, int *outer_count) {
  const flg_rest_scope *scope = &rest->scope;
  facing *face = rest->faces + (face_count(rest) - rest->elastic_count);
  for (int k = 0; k < scope->subsystem_count; k++) {
    for (int i = 0; i < elastic_ports(scope, k); i++, face++) {
      *face = (facing){.part = rest->part_of[k], .port = ports_of(rest, k) + i, .other = k};
      outers[(*outer_count)++] = (flg_graph_port){face->part, face->port};
    }
  }
}

static int count_touch(const flg_rest_scope *scope) {
  int count = 0;
  for (int k = 0; k < scope->subsystem_count && scope->keeps_touch; k++) {
    if (scope->others[k]) count += flg_touch_ports(&scope->subsystems[k]);
  }
  return count;
}

static flg_status rest_model_lay_out(flg_rest_model *rest, flg_error *error) {
  const flg_rest_scope *scope = &rest->scope;
  const size_t subsystems = (size_t)scope->subsystem_count;
  const size_t interfaces = (size_t)scope->interface_count;
  flg_region *region = &rest->region;
  rest->port_count = flg_joined_ports(&scope->subsystems[scope->viewer]);
  rest->touch_count = count_touch(scope);
  rest->anchor_count = count_anchors(scope);
  for (int k = 0; k < scope->subsystem_count; k++) rest->elastic_count += elastic_ports(scope, k);
  rest->anchor_faces =
      flg_region_take(region, FLG_INTERFACE_ANCHORS_MAX * interfaces, sizeof *rest->anchor_faces);
  rest->part_of = flg_region_take(region, subsystems, sizeof *rest->part_of);
  rest->joints = flg_region_take(region, interfaces, sizeof *rest->joints);
  rest->faces = flg_region_take(region, (size_t)face_count(rest), sizeof *rest->faces);
  flg_graph_part *parts = flg_region_take(region, subsystems, sizeof *parts);
  flg_graph_joint *joints = flg_region_take(region, interfaces, sizeof *joints);
  flg_graph_port *outers = flg_region_take(
      region, (size_t)face_count(rest) + 2 * (size_t)scope->interface_count, sizeof *outers);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for interfaces");
  for (int k = 0; k < face_count(rest); k++) rest->faces[k].part = ABSENT;
  for (int k = 0; k < scope->subsystem_count; k++) {
    rest->part_of[k] = scope->others[k] ? rest->part_count : ABSENT;
    if (!scope->others[k]) continue;
    parts[rest->part_count++] = (flg_graph_part){
        .ports = ports_of(rest, k) + elastic_ports(scope, k), .group = FLG_NO_GROUP};
  }
  int outer_count = 0;
  sort_interfaces(rest, joints, outers, &outer_count);
  keep_touch(rest, outers, &outer_count);
  keep_anchors(rest, outers, &outer_count);
  keep_elastic(rest, outers, &outer_count);
  const flg_graph graph = {.part_count = rest->part_count,
                           .joint_count = rest->joint_count,
                           .outer_count = outer_count,
                           .parts = parts,
                           .joints = joints,
                           .outers = outers};
  const flg_status status = flg_plan_build(&rest->plan, &graph, NULL, error);
  if (status == FLG_OK) find_roots(rest);
  return status;
}

flg_status flg_rest_model_build(flg_rest_model **rest, const flg_rest_scope *scope,
                                flg_error *error) {
  flg_rest_model *made = calloc(1, sizeof *made);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for interfaces");
  made->scope = *scope;
  const flg_status status = rest_model_lay_out(made, error);
  if (status == FLG_OK) {
    *rest = made;
  } else {
    flg_rest_model_release(made);
  }
  return status;
}

void flg_rest_model_release(flg_rest_model *rest) {
  if (rest == NULL) return;
  flg_plan_release(rest->plan);
  flg_region_release(&rest->region);
  free(rest);
}

size_t flg_rest_model_bytes(const flg_rest_model *rest) {
  return rest->plan == NULL ? 0 : flg_plan_bytes(rest->plan);
}

int flg_rest_model_touch_ports(const flg_rest_model *rest) {
  return rest->touch_count;
}

void flg_rest_model_touch_port(const flg_rest_model *rest, int index, int *subsystem, int *number) {
  const facing *face = &rest->faces[rest->port_count + index];
  *subsystem = face->other;
  *number = face->port - flg_joined_ports(&rest->scope.subsystems[face->other]);
}

int flg_rest_model_rows(const flg_rest_model *rest) {
  return PORT_ROWS * face_count(rest);
}

int flg_rest_model_elastic_rows(const flg_rest_model *rest) {
  return PORT_ROWS * rest->elastic_count;
}

/* --- step ---------------------------------------------------------------------------------------
 */

static void add_answer(flg_interface_model *model, const double *forces, double *to) {
  const int n = model->rows;
  if (flg_dense_is_zero(forces, (size_t)n)) return;
  flg_dense_apply(n, n, 1, flg_interface_model_admittance(model), n, forces, to);
}

/* b = r and what known forces add to it */
static void fill_bias(const flg_rest_model *rest, int subsystem, const flg_reduced *reduced) {
  const flg_plan_part view = flg_plan_part_view(rest->plan, rest->part_of[subsystem]);
  const double *r = flg_interface_model_bias(reduced->model);
  memcpy(view.bias, r, (size_t)view.rows * sizeof *r);
  add_answer(reduced->model, reduced->driven, view.bias);
}

/* Models of all others, and rows of the joints between them, into the plan. */
static void rest_model_fill(const flg_rest_model *rest, const flg_reduced *reduced) {
  const flg_rest_scope *scope = &rest->scope;
  for (int k = 0; k < scope->subsystem_count; k++) {
    if (rest->part_of[k] == ABSENT) continue;
    const flg_plan_part view = flg_plan_part_view(rest->plan, rest->part_of[k]);
    const size_t n = (size_t)view.rows;
    fill_bias(rest, k, &reduced[k]);
    add_answer(reduced[k].model, reduced[k].kicked, view.bias);
    if (rest->joint_count == 0) continue; /* its D is looked at where it stands */
    memcpy(view.matrix, flg_interface_model_admittance(reduced[k].model), n * n * sizeof(double));
  }
  for (int k = 0; k < rest->joint_count; k++) {
    const flg_plan_joint view = flg_plan_joint_view(rest->plan, k);
    flg_interface_fill(&scope->interfaces[rest->joints[k]], scope->subsystems, reduced, &view);
  }
}

/* The model of the others at a face: a root of the plan, or a part where no interface joins them.
 */
typedef struct sight {
  int piece; /* root or part */
  int row;   /* in it: */
  int rows;
  const double *admittance, *bias;
} sight;

static sight sight_at(const flg_rest_model *rest, const facing *face, const flg_reduced *reduced) {
  if (rest->joint_count == 0) {
    flg_interface_model *model = reduced[face->other].model;
    return (sight){face->part, PORT_ROWS * face->port, model->rows,
                   flg_interface_model_admittance(model),
                   flg_plan_part_view(rest->plan, face->part).bias};
  }
  const flg_plan_root root = flg_plan_root_view(rest->plan, face->root);
  return (sight){face->root, face->row, root.rows, root.admittance, root.bias};
}

/* the columns of the rest that belong to a port of the viewer */
static void copy_columns(const flg_rest_model *rest, int port, const flg_reduced *reduced,
                         flg_interface_model *model) {
  const sight at = sight_at(rest, &rest->faces[port], reduced);
  double *D = flg_interface_model_admittance(model);
  for (int a = 0; a < face_count(rest); a++) {
    if (rest->faces[a].part == ABSENT) continue;
    const sight other = sight_at(rest, &rest->faces[a], reduced);
    if (other.piece != at.piece) continue;
    for (int j = 0; j < PORT_ROWS; j++) {
      memcpy(D + PORT_ROWS * a + (size_t)(PORT_ROWS * port + j) * (size_t)model->rows,
             at.admittance + other.row + (size_t)(at.row + j) * (size_t)at.rows,
             PORT_ROWS * sizeof *D);
    }
  }
}

/* rounding alone is left of three rows of the port, by those of its subsystem before interfaces */
static bool is_facing_blocked(const facing *face, const flg_reduced *reduced, const double *own,
                              int n, int first) {
  flg_interface_model *model = reduced[face->other].model;
  const double *free = flg_interface_model_admittance(model);
  for (int i = first; i < first + 3; i++) {
    const size_t row = (size_t)PORT_ROWS * (size_t)face->port + (size_t)i;
    const double most = FLG_BLOCKED * free[row * ((size_t)model->rows + 1)];
    if (!(own[(size_t)i * ((size_t)n + 1)] <= most)) return false;
  }
  return true;
}

/* Others that interfaces join may hold each other: what is left of their D is then rounding. */
static void clear_blocked_rest(const flg_rest_model *rest, const flg_reduced *reduced,
                               flg_interface_model *model) {
  double *D = flg_interface_model_admittance(model);
  const int n = model->rows;
  for (int k = 0; k < face_count(rest) && rest->joint_count > 0; k++) {
    const facing *face = &rest->faces[k];
    const double *own = D + (size_t)(PORT_ROWS * k) * ((size_t)n + 1);
    for (int i = 0; i < PORT_ROWS && face->part != ABSENT; i += 3) {
      if (is_facing_blocked(face, reduced, own, n, i)) flg_port_clear(n, D, PORT_ROWS * k + i);
    }
  }
}

static void copy_motion(const flg_rest_model *rest, int port, const flg_reduced *reduced,
                        flg_interface_model *model) {
  const facing *face = &rest->faces[port];
  const sight at = sight_at(rest, face, reduced);
  const double *w = flg_interface_model_velocity(reduced[face->other].model);
  memcpy(flg_interface_model_bias(model) + PORT_ROWS * port, at.bias + at.row,
         PORT_ROWS * sizeof(double));
  memcpy(flg_interface_model_velocity(model) + PORT_ROWS * port, w + PORT_ROWS * face->port,
         PORT_ROWS * sizeof(double));
}

/* a block of n rows into one of `all`, from row `at` on */
static void copy_block(size_t n, const double *from, size_t at, size_t all, double *to) {
  for (size_t j = 0; j < n; j++) memcpy(to + at + (at + j) * all, from + n * j, n * sizeof *to);
}

void flg_rest_model_bend(const flg_rest_model *rest, const flg_reduced *reduced,
                         const flg_elastic_block *to) {
  const size_t all = (size_t)flg_rest_model_elastic_rows(rest);
  size_t at = 0;
  if (all == 0) return;
  memset(to->stiffness, 0, all * all * sizeof(double));
  memset(to->damping, 0, all * all * sizeof(double));
  memset(to->deflections, 0, all * sizeof(double));
  for (size_t k = 0; k < all; k++) to->stiffness[k * (all + 1)] = 1;
  for (int k = 0; k < rest->scope.subsystem_count; k++) {
    const flg_reduced *of = &reduced[k];
    const int ports = elastic_ports(&rest->scope, k);
    if (ports == 0) continue;
    copy_block((size_t)of->elastic_count, of->elastic.stiffness, at, all, to->stiffness);
    copy_block((size_t)of->elastic_count, of->elastic.damping, at, all, to->damping);
    memcpy(to->deflections + at, of->elastic.deflections,
           (size_t)of->elastic_count * sizeof(double));
    at += PORT_ROWS * (size_t)ports;
  }
}

/* rows of joints without terms of velocities */
static void clear_gammas(const flg_rest_model *rest) {
  for (int k = 0; k < rest->joint_count; k++) {
    const flg_plan_joint view = flg_plan_joint_view(rest->plan, k);
    memset(view.gamma, 0, (size_t)view.rows * sizeof *view.gamma);
  }
}

/* the velocity bias: r less the r of velocities that are zero */
static flg_status rest_velocity_bias(flg_rest_model *rest, const flg_reduced *reduced,
                                     flg_interface_model *model, double *velocity_bias) {
  for (int k = 0; k < rest->scope.subsystem_count; k++) {
    if (rest->part_of[k] == ABSENT) continue;
    const flg_plan_part view = flg_plan_part_view(rest->plan, rest->part_of[k]);
    fill_bias(rest, k, &reduced[k]);
    for (int i = 0; i < view.rows; i++) view.bias[i] -= reduced[k].velocity_bias[i];
  }
  clear_gammas(rest);
  const flg_status status = rest->joint_count > 0 ? flg_plan_refresh(rest->plan, NULL) : FLG_OK;
  memcpy(velocity_bias, flg_interface_model_bias(model),
         (size_t)model->rows * sizeof *velocity_bias);
  for (int k = 0; k < face_count(rest) && status == FLG_OK; k++) {
    if (rest->faces[k].part == ABSENT) continue;
    const sight at = sight_at(rest, &rest->faces[k], reduced);
    for (int i = 0; i < PORT_ROWS; i++) velocity_bias[PORT_ROWS * k + i] -= at.bias[at.row + i];
  }
  return status;
}

flg_status flg_rest_model_join(flg_rest_model *rest, const flg_reduced *reduced,
                               double *velocity_bias, flg_interface_model *model) {
  flg_status status = flg_interface_model_resize(model, flg_rest_model_rows(rest));
  if (status != FLG_OK) return status;
  rest_model_fill(rest, reduced);
  if (rest->joint_count > 0) status = flg_plan_factor(rest->plan, FLG_PIVOTS_ALL, NULL);
  for (int k = 0; k < face_count(rest) && status == FLG_OK; k++) {
    if (rest->faces[k].part == ABSENT) continue;
    copy_motion(rest, k, reduced, model);
    copy_columns(rest, k, reduced, model);
  }
  if (status == FLG_OK) clear_blocked_rest(rest, reduced, model);
  return status == FLG_OK && velocity_bias != NULL
             ? rest_velocity_bias(rest, reduced, model, velocity_bias)
             : status;
}

flg_status flg_rest_model_answer(flg_rest_model *rest, const flg_reduced *reduced,
                                 double *const *impulses, double *to) {
  for (int k = 0; k < rest->scope.subsystem_count; k++) {
    if (rest->part_of[k] == ABSENT) continue;
    const flg_plan_part view = flg_plan_part_view(rest->plan, rest->part_of[k]);
    memset(view.bias, 0, (size_t)view.rows * sizeof *view.bias);
    add_answer(reduced[k].model, impulses[k], view.bias);
  }
  clear_gammas(rest);
  const flg_status status = rest->joint_count > 0 ? flg_plan_refresh(rest->plan, NULL) : FLG_OK;
  memset(to, 0, (size_t)flg_rest_model_rows(rest) * sizeof *to);
  for (int k = 0; k < face_count(rest) && status == FLG_OK; k++) {
    if (rest->faces[k].part == ABSENT) continue;
    const sight at = sight_at(rest, &rest->faces[k], reduced);
    memcpy(to + PORT_ROWS * k, at.bias + at.row, PORT_ROWS * sizeof *to);
  }
  return status;
}
