/* The communication point: interfaces and the contacts of all subsystems are closed together.
 *
 *     y+ = b + H x      velocities of the touch ports of all, interfaces closed through the join,
 *                       with what is given back to the sides of interfaces (reconcile)
 *     w+ = J y+         normals and tangents of contacts, x = J^T dL,  W = J H J^T
 *
 * in increments: with N, F the impulses that a contact has received in the macro step, what it
 * gets now, dn and df, obeys
 *
 *     N + dn >= 0,   |F + df| <= mu (N + dn),   0 <= w+ - w  ⟂  N + dn
 *
 * w as the subsystem's own steps left it: where nothing is to be given back, nothing happens. So
 * what was given too much is taken back, and friction absorbs what it could have absorbed all
 * along; a body that stands neither creeps nor sinks, however both sides of its interfaces shared
 * a load that is indeterminate. Contacts that slide at the end are taken to have slid that way all
 * along (F = mu N), and stop rather than turn around; open ones have received nothing, and may
 * close by what is done here alone.
 *
 * Where one subsystem alone touches, the others get the difference, and contacts take part in
 * displacements alone, as if they were open: exact steps project without contacts as well, but what
 * a macro step is off by must not push bodies into each other.
 *
 * Displacements are the same, with H/2 of these impulses: gaps that are closed stay closed, and
 * what sticks stays where it is.
 */
#include <math.h>
#include <string.h>

#include "coupling/coupling_inner.h"
#include "macro/weld_rows.h"
#include "math/dense.h"

enum {
  PORT_ROWS = 6,
  RELEASES = 4 /* times that stops let go */,
  ROUNDS = 30,
  AGAIN = 3 /* steps of Newton, after events and after macro steps */
};
static const double SOLVED = 1e-6; /* residual of contacts that is taken for solved */
static const double LONGER = 1e-9; /* of a step: one that is not the same, but for rounding */
static const double SUNK = 10;     /* slops that a body may be pushed into another */
/* Of the size, or in radians: interfaces that are closed after an event, as exact steps have them.
 */
static const double MET = 1e-11;

/* One contact at the communication point. */
struct flg_given {
  flg_contact_state state; /* in the last micro step */
  double impulses[3];      /* normal and tangents, N and F [N s] */
  double step;             /* h of its subsystem [s] */
};
typedef struct flg_given given;

/* --- set-up -------------------------------------------------------------------------------------
 */

static flg_graph_port contact_join_port_of(const flg_interface_end *end) {
  return (flg_graph_port){end->subsystem < 0 ? FLG_GROUND : end->subsystem, end->port};
}

/* rows between frames, then what interfaces carry; how many joints there are */
static int draw_joints(const flg_coupling *coupling, flg_graph_joint *joints) {
  int count = 0;
  for (int k = 0; k < coupling->system.interface_count; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k];
    const int first = interface->end[0].subsystem < 0 ? 1 : 0; /* the ground stands last */
    coupling->whole_joints[k] = interface->rows > 0 ? count : -1;
    if (interface->rows == 0) continue;
    joints[count++] = (flg_graph_joint){.rows = interface->rows,
                                        .weld = flg_interface_is_plain_weld(interface),
                                        .ends = 2,
                                        .end = {contact_join_port_of(&interface->end[first]),
                                                contact_join_port_of(&interface->end[1 - first])}};
  }
  return flg_coupling_elements_draw(coupling, coupling->elements.joints, count, joints);
}

/* all subsystems as parts, all interfaces as joints; touch ports stay open */
static flg_status build_plan(flg_coupling *coupling, int touch_count, flg_error *error) {
  const flg_coupled_system *system = &coupling->system;
  const size_t n = (size_t)system->subsystem_count, m = (size_t)system->interface_count;
  flg_region *region = &coupling->region;
  flg_graph_part *parts = flg_region_take(region, n, sizeof *parts);
  flg_graph_joint *joints = flg_region_take(region, 2 * m, sizeof *joints);
  flg_graph_port *outers = flg_region_take(region, (size_t)touch_count, sizeof *outers);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for interfaces");
  for (int k = 0; k < system->subsystem_count; k++) {
    const flg_subsystem *subsystem = &system->subsystems[k];
    const int ports = subsystem->ops->coupled->ports(subsystem->self);
    parts[k] = (flg_graph_part){.ports = ports, .group = FLG_NO_GROUP};
    const int touch = flg_touch_ports(subsystem), first = coupling->contact_join.first[k];
    for (int i = 0; i < touch && touch_count > 0; i++)
      outers[first + i] = (flg_graph_port){k, ports - touch + i};
  }
  const flg_graph graph = {.part_count = system->subsystem_count,
                           .joint_count = draw_joints(coupling, joints),
                           .outer_count = touch_count,
                           .parts = parts,
                           .joints = joints,
                           .outers = outers};
  return flg_plan_build(&coupling->whole, &graph, NULL, error);
}

/* where the roots of the plan have the rows of touch ports */
static void contact_join_find_rows(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  for (int r = 0; r < flg_plan_root_count(coupling->whole); r++) {
    const flg_plan_root root = flg_plan_root_view(coupling->whole, r);
    for (int i = 0; i < root.rows; i += PORT_ROWS) {
      const int first = flg_joined_ports(&system->subsystems[root.part[i]]);
      const int port = coupling->contact_join.first[root.part[i]] + root.row[i] / PORT_ROWS - first;
      coupling->contact_join.root[port] = r, coupling->contact_join.row[port] = i;
    }
  }
}

flg_status flg_contact_join_build(flg_coupling *coupling, const flg_contact_law_options *law,
                                  flg_error *error) {
  flg_contact_join *contact_join = &coupling->contact_join;
  flg_region *region = &coupling->region;
  const size_t subsystems = (size_t)coupling->system.subsystem_count;
  int touching = 0;
  flg_macro_contacts_size size = {.most = coupling->options.contact_points};
  contact_join->first = flg_region_take(region, subsystems, sizeof *contact_join->first);
  for (size_t k = 0; k < subsystems && !region->failed; k++) {
    const int ports = flg_touch_ports(&coupling->system.subsystems[k]);
    contact_join->first[k] = size.rest_ports;
    size.rest_ports += ports;
    if (size.rest_points < FLG_CONTACTS_MOST) size.rest_points += coupling->contact_points[k];
    touching += ports > 0;
  }
  if (touching < 2) contact_join->room = SUNK * law->slop * law->length;
  const size_t ports_of_all = (size_t)size.rest_ports;
  contact_join->root = flg_region_take(region, ports_of_all, sizeof *contact_join->root);
  contact_join->row = flg_region_take(region, ports_of_all, sizeof *contact_join->row);
  contact_join->given = flg_region_take(region, (size_t)flg_macro_contacts_capacity(&size),
                                        sizeof *contact_join->given);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for contacts");
  flg_status status = build_plan(coupling, size.rest_ports, error);
  if (status != FLG_OK) return status;
  contact_join_find_rows(coupling);
  contact_join->has_boxes = law->friction == FLG_FRICTION_BOX;
  return flg_macro_contacts_build(&contact_join->contacts, &size, law, region, error);
}

/* --- interfaces ---------------------------------------------------------------------------------
 */

/* the plan of the whole, factored with the reduced models */
static flg_status contact_join_factor(flg_coupling *coupling, flg_error *error) {
  const flg_coupled_system *system = &coupling->system;
  for (int k = 0; k < system->subsystem_count; k++) {
    const flg_plan_part view = flg_plan_part_view(coupling->whole, k);
    const size_t n = (size_t)view.rows;
    memcpy(view.matrix, flg_interface_model_admittance(coupling->reduced[k].model),
           n * n * sizeof(double));
    memset(view.bias, 0, n * sizeof(double));
  }
  for (int k = 0; k < system->interface_count; k++) {
    if (coupling->whole_joints[k] < 0) continue;
    const flg_plan_joint view = flg_plan_joint_view(coupling->whole, coupling->whole_joints[k]);
    flg_interface_fill(&system->interfaces[k], system->subsystems, coupling->reduced, &view);
  }
  flg_coupling_elements_fill(coupling);
  const flg_status status = flg_plan_factor(coupling->whole, FLG_PIVOTS_ALL, NULL);
  return status == FLG_OK ? FLG_OK : flg_fail(error, status, "The interfaces are not finite.");
}

/* all subsystems reduced now, and factored */
static flg_status contact_join_prepare(flg_coupling *coupling, double time, flg_elements_pass pass,
                                       flg_error *error) {
  flg_coupling_elements_begin(coupling, pass);
  const flg_status status = flg_coupling_reduce(coupling, time, 0, error);
  return status == FLG_OK ? contact_join_factor(coupling, error) : status;
}

/* what is given back to a subsystem, of velocities or of positions */
static double *given_back(const flg_coupling *coupling, int subsystem, bool positions) {
  return (positions ? coupling->moves : coupling->shares)[subsystem];
}

/* The velocity error that exact steps would have at an interface before they project: in a micro
 * step of semi-implicit Euler joints are closed with the rows of its start, so that velocities miss
 * by h (G t + G' v), and positions by h/2 of that. */
static void find_drift(const flg_coupling *coupling, const flg_interface *interface, int first,
                       bool positions, double drift[FLG_CONSTRAINT_ROWS_MAX]) {
  const double macro = coupling->system.macro;
  flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
  const int count = flg_interface_joint_rows(interface, coupling->system.subsystems, first, rows);
  double step = 0;
  for (int e = 0; e < 2; e++) {
    const flg_interface_end *end = &interface->end[e];
    if (end->subsystem < 0 || !coupling->macro_runs[end->subsystem].uses_start_rows) continue;
    const double h = macro / coupling->macro_runs[end->subsystem].steps;
    const double *t = coupling->reduced[end->subsystem].velocity_bias + PORT_ROWS * end->port;
    if (h > step) step = h;
    for (int i = 0; i < count; i++) {
      drift[i] += h * flg_spatial_dot(rows[i].side[e], flg_spatial_load(t));
    }
  }
  for (int i = 0; i < count; i++) {
    drift[i] += step * rows[i].bias;
    if (positions) drift[i] *= macro / 2;
  }
}

/* Right-hand sides from velocities, or from what is left of positions, with what is given back;
 * interfaces close whole, or but for what exact steps would leave. */
static flg_status contact_join_aim(flg_coupling *coupling, bool positions, bool whole) {
  const flg_coupled_system *system = &coupling->system;
  for (int k = 0; k < system->subsystem_count; k++) {
    const flg_plan_part view = flg_plan_part_view(coupling->whole, k);
    flg_interface_model *model = coupling->reduced[k].model;
    const double *w = flg_interface_model_velocity(model), *x = given_back(coupling, k, positions);
    for (int i = 0; i < view.rows; i++) view.bias[i] = positions ? 0 : w[i];
    if (flg_dense_is_zero(x, (size_t)view.rows)) continue;
    flg_dense_apply(view.rows, view.rows, 1, flg_interface_model_admittance(model), view.rows, x,
                    view.bias);
  }
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface *interface = &system->interfaces[k];
    if (coupling->whole_joints[k] < 0) continue;
    const flg_plan_joint view = flg_plan_joint_view(coupling->whole, coupling->whole_joints[k]);
    double left[FLG_CONSTRAINT_ROWS_MAX] = {0}, drift[FLG_CONSTRAINT_ROWS_MAX] = {0};
    if (positions) flg_interface_joint_measure(interface, system->subsystems, view.first, left);
    if (!whole) find_drift(coupling, interface, view.first, positions, drift);
    for (int i = 0; i < view.rows; i++) view.gamma[i] = drift[i] - left[i];
  }
  flg_coupling_elements_aim(coupling);
  return flg_plan_refresh(coupling->whole, NULL);
}

/* what joints and contacts do is given back, too */
static flg_status add_forces(flg_coupling *coupling, bool positions) {
  const flg_status status = flg_plan_solve(coupling->whole, NULL);
  for (int k = 0; k < coupling->system.subsystem_count && status == FLG_OK; k++) {
    const flg_plan_part view = flg_plan_part_view(coupling->whole, k);
    double *x = given_back(coupling, k, positions);
    for (int i = 0; i < view.rows; i++) x[i] += view.force[i];
  }
  return status;
}

/* into velocities or positions of all */
static flg_status give_back(flg_coupling *coupling, bool positions, flg_error *error) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    const double *x = given_back(coupling, k, positions);
    if (flg_dense_is_zero(x, PORT_ROWS * (size_t)coupling->macro_runs[k].port_count)) continue;
    if (!positions) flg_balance_add(coupling, k, x);
    const flg_status status = (positions ? ops->displace : ops->impulse)(subsystem->self, x);
    if (status == FLG_OK) continue;
    return flg_fail(error, status, "Subsystem '%s': %s", subsystem->name,
                    flg_subsystem_complaint(subsystem));
  }
  return FLG_OK;
}

/* until all elements keep their laws: those that do not are left out */
static flg_status solve_elements(flg_coupling *coupling, bool positions, flg_error *error) {
  flg_status status = contact_join_aim(coupling, positions, true);
  if (coupling->elements.count == 0) return status;
  if (status == FLG_OK) status = flg_plan_solve(coupling->whole, NULL);
  while (status == FLG_OK && flg_coupling_elements_revise(coupling)) {
    status = contact_join_factor(coupling, error);
    if (status == FLG_OK) status = contact_join_aim(coupling, positions, true);
    if (status == FLG_OK) status = flg_plan_solve(coupling->whole, NULL);
  }
  return status;
}

/* True if stops inside of subsystems are closed. */
static bool has_closed_stops(const flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    if (ops->releases != NULL && ops->releases(subsystem->self, NULL)) return true;
  }
  return false;
}

/* True if some of them would pull under what the interfaces do: these are open from now on. */
static bool release_stops(flg_coupling *coupling) {
  bool any = false;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    const flg_plan_part view = flg_plan_part_view(coupling->whole, k);
    if (ops->releases == NULL) continue;
    double *x = coupling->macro_runs[k].hit[0]; /* nothing is hit between steps */
    for (int i = 0; i < view.rows; i++) x[i] = coupling->shares[k][i] + view.force[i];
    any = ops->releases(subsystem->self, x) || any;
  }
  return any;
}

/* Models have stops closed that were so at the end of the step. A hit in one subsystem may tear
 * another one off its stop: impulses that held it there would throw it. */
static flg_status let_go_of_stops(flg_coupling *coupling, flg_error *error) {
  const double time = coupling->time + coupling->system.macro;
  flg_status status = FLG_OK;
  for (int k = 0; k < RELEASES && status == FLG_OK && has_closed_stops(coupling); k++) {
    status = flg_plan_solve(coupling->whole, NULL);
    if (status != FLG_OK || !release_stops(coupling)) return status;
    status = contact_join_prepare(coupling, time, FLG_PASS_MOTION, error);
    if (status == FLG_OK) status = solve_elements(coupling, false, error);
  }
  return status;
}

static flg_status close_interfaces(flg_coupling *coupling, bool positions, flg_error *error) {
  flg_status status = solve_elements(coupling, positions, error);
  if (status == FLG_OK && !positions) status = let_go_of_stops(coupling, error);
  if (status == FLG_OK) status = add_forces(coupling, positions);
  if (status == FLG_OK) return give_back(coupling, positions, error);
  return flg_fail(error, status, "The interfaces cannot be closed.");
}

void flg_contact_join_begin(flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    memset(coupling->shares[k], 0,
           PORT_ROWS * (size_t)coupling->macro_runs[k].port_count * sizeof(double));
  }
}

/* one step of Newton's method towards closed interfaces */
static flg_status close_positions(flg_coupling *coupling, double time, flg_elements_pass pass,
                                  flg_error *error) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    memset(coupling->moves[k], 0,
           PORT_ROWS * (size_t)coupling->macro_runs[k].port_count * sizeof(double));
  }
  const flg_status status = contact_join_prepare(coupling, time, pass, error);
  return status == FLG_OK ? close_interfaces(coupling, true, error) : status;
}

flg_status flg_contact_join_close(flg_coupling *coupling, double time, flg_error *error) {
  flg_status status = contact_join_prepare(coupling, time, FLG_PASS_EVENT, error);
  for (int k = 0; k < ROUNDS && status == FLG_OK && !(flg_coupling_opening(coupling) < MET); k++) {
    status = close_positions(coupling, time, FLG_PASS_EVENT, error);
  }
  if (status != FLG_OK || flg_coupling_opening(coupling) < MET) return status;
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "The event at t = %.6g s sets joints such that the interfaces of coupling '%s' "
                  "cannot be closed.",
                  time, coupling->options.scheme->name);
}

flg_status flg_contact_join_settle(flg_coupling *coupling, double time, flg_error *error) {
  flg_contact_join_begin(coupling);
  const flg_status status = contact_join_prepare(coupling, time, FLG_PASS_EVENT, error);
  return status == FLG_OK ? close_interfaces(coupling, false, error) : status;
}

/* --- contacts -----------------------------------------------------------------------------------
 */

/* the direction of a row, as it pushes the second of both bodies */
static flg_vec3 direction(const flg_macro_contact *contact, int row) {
  if (contact->port[1] >= 0) return contact->side[1][row].linear;
  return flg_vec3_negate(contact->side[0][row].linear);
}

/* N and F of a contact; friction is within what the normal allows */
static void contact_join_recall(const flg_touch_account *account, const flg_macro_contact *contact,
                                bool is_box, double room, given *to) {
  const flg_touch_entry *entry = flg_touch_account_find(account, contact->shapes, contact->key);
  to->state = entry == NULL || room > 0 ? FLG_CONTACT_OPEN : entry->state;
  memset(to->impulses, 0, sizeof to->impulses);
  if (to->state == FLG_CONTACT_OPEN || !(entry->normal > 0)) return;
  const double most = contact->friction * entry->normal;
  double *F = to->impulses + 1;
  to->impulses[0] = entry->normal;
  for (int i = 0; i < contact->rows - 1; i++) {
    F[i] = flg_vec3_dot(entry->friction, direction(contact, 1 + i));
  }
  const double size = is_box ? fmax(fabs(F[0]), fabs(F[1])) : hypot(F[0], F[1]);
  if (!(size > most)) return;
  F[0] *= most / size, F[1] *= most / size;
}

/* Contacts that were open have friction from the next step on: a correction that jams them would
 * have impulses far over those of the whole step. */
static bool rubs_back(const given *at) {
  return at->state != FLG_CONTACT_OPEN;
}

/* contacts of all subsystems that are closed, or may close within a micro step */
static flg_status find_contacts(flg_coupling *coupling, flg_error *error) {
  const flg_coupled_system *system = &coupling->system;
  flg_macro_contacts *contacts = coupling->contact_join.contacts;
  contacts->count = 0;
  for (int k = 0; k < system->subsystem_count; k++) {
    const flg_macro_run *macro_run = &coupling->macro_runs[k];
    const int from = contacts->count;
    const double h = system->macro / macro_run->steps;
    if (flg_touch_ports(&system->subsystems[k]) == 0) continue;
    flg_error reason;
    const flg_status status = flg_macro_contacts_add(contacts, &system->subsystems[k],
                                                     coupling->contact_join.first[k], h, &reason);
    if (status != FLG_OK) return flg_coupling_blame(coupling, k, status, reason.message, error);
    for (int c = from; c < contacts->count; c++) {
      coupling->contact_join.given[c].step = h;
      contact_join_recall(macro_run->account, &contacts->list[c], coupling->contact_join.has_boxes,
                          coupling->contact_join.room, &coupling->contact_join.given[c]);
      if (!rubs_back(&coupling->contact_join.given[c])) contacts->list[c].rows = 1;
    }
  }
  return FLG_OK;
}

/* H and b of the ports that are near, from the roots; and their velocities as they are */
static void contact_join_gather(flg_coupling *coupling) {
  flg_macro_contacts *contacts = coupling->contact_join.contacts;
  const flg_contact_join *contact_join = &coupling->contact_join;
  const size_t k = PORT_ROWS * (size_t)contacts->near_count;
  memset(contacts->H, 0, k * k * sizeof(double));
  for (int b = 0; b < contacts->near_count; b++) {
    const int port = contacts->near[b];
    const flg_plan_root root = flg_plan_root_view(coupling->whole, contact_join->root[port]);
    memcpy(contacts->b + PORT_ROWS * b, root.bias + contact_join->row[port],
           PORT_ROWS * sizeof(double));
    const int row = root.row[contact_join->row[port]], part = root.part[contact_join->row[port]];
    memcpy(contacts->before + PORT_ROWS * b,
           flg_interface_model_velocity(coupling->reduced[part].model) + row,
           PORT_ROWS * sizeof(double));
    for (int a = 0; a < contacts->near_count; a++) {
      const int other = contacts->near[a];
      if (contact_join->root[other] != contact_join->root[port]) continue;
      for (int j = 0; j < PORT_ROWS; j++) {
        const size_t column = (size_t)contact_join->row[port] + (size_t)j;
        memcpy(contacts->H + PORT_ROWS * (size_t)a + (size_t)(PORT_ROWS * b + j) * k,
               root.admittance + contact_join->row[other] + column * (size_t)root.rows,
               PORT_ROWS * sizeof(double));
      }
    }
  }
}

/* The reference of the rows of a contact: w where it sticks, 0 where it slides. Of displacements,
 * time times that is the way that it has slid. */
static void measure_from(const flg_macro_contact *contact, const given *at, bool positions,
                         double time, double room, const double *w, double *from) {
  const double gap = room + (contact->gap > 0 ? contact->gap : 0);
  from[0] = positions ? 0 : w[0];
  if (at->state == FLG_CONTACT_OPEN) from[0] = positions ? -gap : fmin(w[0], -gap / at->step);
  for (int i = 1; i < contact->rows; i++) {
    if (at->state == FLG_CONTACT_STICKING) {
      from[i] = positions ? 0 : w[i];
    } else {
      from[i] = positions ? -time * w[i] : 0;
    }
  }
}

/* friction of at most so much against the sliding w */
static void contact_join_rub(double most, const double w[2], bool is_box, double impulses[2]) {
  const double speed = hypot(w[0], w[1]);
  for (int i = 0; i < 2 && speed > 0; i++) {
    impulses[i] = is_box ? -copysign(w[i] != 0 ? most : 0, w[i]) : -most * w[i] / speed;
  }
}

/* the problem in N + dn and F + df; how many rows it has */
static int pose(flg_coupling *coupling, bool positions, double time) {
  flg_macro_contacts *contacts = coupling->contact_join.contacts;
  double *q = contacts->rows[FLG_MACRO_FREE], *L = contacts->rows[FLG_MACRO_IMPULSES];
  const int rows = flg_macro_contacts_form(contacts, 1);
  for (int c = 0; c < contacts->count; c++) {
    given *at = &coupling->contact_join.given[c];
    flg_touch *touch = &contacts->touches[c];
    const int row = touch->row;
    const double *w = contacts->rows[FLG_MACRO_BEFORE] + row;
    double from[3] = {0};
    touch->gap = touch->restitution = 0, touch->lands = false;
    measure_from(&contacts->list[c], at, positions, time, coupling->contact_join.room, w, from);
    if (at->state == FLG_CONTACT_SLIDING && touch->rows > 1) {
      contact_join_rub(touch->friction * at->impulses[0], w + 1, coupling->contact_join.has_boxes,
                       at->impulses + 1);
    }
    for (int i = 0; i < touch->rows; i++) {
      q[row + i] -= from[i];
      L[row + i] = time * at->impulses[i];
    }
    contacts->list[c].state = at->state;
    flg_macro_contacts_start(&contacts->list[c], contacts->states + row);
  }
  flg_dense_apply(rows, rows, -1, contacts->W, rows, L, q);
  return rows;
}

/* L of all rows, and how many these are; whether they are as good as solved */
static bool solve_law(flg_coupling *coupling, bool positions, double time, size_t *count,
                      flg_contact_law_report *report) {
  flg_macro_contacts *contacts = coupling->contact_join.contacts;
  const int rows = pose(coupling, positions, time);
  *count = (size_t)rows;
  flg_touch_problem problem = flg_macro_contacts_problem(contacts, rows, 1);
  problem.stays = true;
  const flg_status status = flg_contact_law_solve(contacts->law, &problem, report);
  return status == FLG_OK || (status == FLG_ERR_DIVERGED && report->statistics.residual < SOLVED);
}

/* Corrections along normals alone: friction keeps what it had. Where bodies jam, friction that is
 * corrected as well has no solution. */
static void leave_friction(flg_macro_contacts *contacts) {
  for (int c = 0; c < contacts->count; c++) contacts->list[c].rows = 1;
}

/* The normals of x in the norm of W, sqrt(x W x): shares of a load that points of a face exchange
 * do nothing, and count nothing. */
static double size_of_normals(const flg_macro_contacts *contacts, const double *x, size_t rows) {
  double sum = 0;
  for (int c = 0; c < contacts->count; c++) {
    const size_t column = (size_t)contacts->touches[c].row;
    for (int d = 0; d < contacts->count; d++) {
      const size_t row = (size_t)contacts->touches[d].row;
      sum += x[row] * contacts->W[row + column * rows] * x[column];
    }
  }
  return sum > 0 ? sqrt(sum) : 0;
}

/* Before impulses of micro steps are taken off: how much of the normals is new. */
static void add_to_sums(flg_coupling *coupling, size_t rows) {
  const flg_macro_contacts *contacts = coupling->contact_join.contacts;
  const double *L = contacts->rows[FLG_MACRO_IMPULSES];
  double *found = contacts->rows[FLG_MACRO_HITS], *new = contacts->rows[FLG_MACRO_MOVES];
  double *sums = coupling->contact_join.sums;
  for (int c = 0; c < contacts->count; c++) {
    const int row = contacts->touches[c].row;
    found[row] = coupling->contact_join.given[c].impulses[0];
    new[row] = L[row] - found[row];
  }
  const double given_now = size_of_normals(contacts, found, rows);
  const double corrected = size_of_normals(contacts, new, rows);
  sums[FLG_JOIN_GIVEN] += given_now, sums[FLG_JOIN_CORRECTED] += corrected;
  if (corrected > given_now) sums[FLG_JOIN_POINTS]++;
}

/* A hit or two may fall on communication points, and be all that there is. */
enum { MANY_POINTS = 10 };

double flg_coupling_corrected_share(const flg_coupling *coupling) {
  const double *sums = coupling->contact_join.sums;
  const double all = sums[FLG_JOIN_GIVEN] + sums[FLG_JOIN_CORRECTED];
  return sums[FLG_JOIN_POINTS] >= MANY_POINTS && all > 0 ? sums[FLG_JOIN_CORRECTED] / all : 0;
}

void flg_contact_join_note_jams(flg_coupling *coupling) {
  double *sums = coupling->contact_join.sums;
  if (coupling->contact_join.contacts == NULL || coupling->contact_join.room > 0) return;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_macro_contacts *contacts = coupling->macro_runs[k].contacts;
    if (contacts == NULL) continue;
    sums[FLG_JOIN_PUSHED] += contacts->pushed, sums[FLG_JOIN_JAMMED] += contacts->jammed;
  }
}

double flg_coupling_jammed_share(const flg_coupling *coupling) {
  const double *sums = coupling->contact_join.sums;
  return sums[FLG_JOIN_PUSHED] > 0 ? sums[FLG_JOIN_JAMMED] / sums[FLG_JOIN_PUSHED] : 0;
}

static flg_status solve_contacts(flg_coupling *coupling, bool positions, flg_error *error) {
  flg_macro_contacts *contacts = coupling->contact_join.contacts;
  const double time = positions ? coupling->system.macro / 2 : 1;
  double *L = contacts->rows[FLG_MACRO_IMPULSES];
  flg_contact_law_report report;
  size_t rows = 0;
  bool is_solved = solve_law(coupling, positions, time, &rows, &report);
  if (!is_solved) {
    leave_friction(contacts);
    is_solved = solve_law(coupling, positions, time, &rows, &report);
  }
  if (!is_solved) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "Coupling '%s' failed at t = %.6g s: contacts and interfaces cannot be closed "
                    "together (%s, residual %.2g)",
                    coupling->options.scheme->name, coupling->time + coupling->system.macro,
                    flg_complementarity_outcome_text(report.statistics.outcome),
                    report.statistics.residual);
  }
  if (!positions) add_to_sums(coupling, rows);
  for (int c = 0; c < contacts->count; c++) {
    const int row = contacts->touches[c].row;
    for (int i = 0; i < contacts->touches[c].rows; i++) {
      L[row + i] -= time * coupling->contact_join.given[c].impulses[i];
    }
  }
  flg_macro_contacts_spread(contacts);
  return FLG_OK;
}

/* Impulses that are given back act on interfaces and contacts at once. */
static flg_status share_given_back(flg_coupling *coupling, bool positions, flg_error *error) {
  const flg_contact_join *contact_join = &coupling->contact_join;
  flg_macro_contacts *contacts = contact_join->contacts;
  if (contacts == NULL || (contact_join->room > 0 && !positions)) return FLG_OK;
  flg_status status = find_contacts(coupling, error);
  if (status != FLG_OK || contacts->count == 0) return status;
  status = contact_join_aim(coupling, positions, false);
  if (status != FLG_OK) return flg_fail(error, status, "The interfaces cannot be closed.");
  contact_join_gather(coupling);
  status = solve_contacts(coupling, positions, error);
  if (status != FLG_OK) return status;
  for (int k = 0; k < contacts->near_count; k++) {
    const int port = contacts->near[k];
    const flg_plan_root root = flg_plan_root_view(coupling->whole, contact_join->root[port]);
    memcpy(root.force + contact_join->row[port], contacts->x + PORT_ROWS * k,
           PORT_ROWS * sizeof(double));
  }
  status = add_forces(coupling, positions);
  if (status == FLG_OK) return FLG_OK;
  return flg_fail(error, status, "The interfaces cannot be closed.");
}

static flg_status bring_together(flg_coupling *coupling, bool positions, flg_error *error) {
  const flg_elements_pass pass = positions ? FLG_PASS_POSITION : FLG_PASS_MOTION;
  flg_status status =
      contact_join_prepare(coupling, coupling->time + coupling->system.macro, pass, error);
  if (status == FLG_OK) status = share_given_back(coupling, positions, error);
  return status == FLG_OK ? close_interfaces(coupling, positions, error) : status;
}

/* --- what is given back -------------------------------------------------------------------------
 */

/* The subsystem whose impulses at an interface count: one that can touch, or else the first of the
 * scenario. All others get the difference. */
static int counting_side(const flg_coupling *coupling, const flg_interface *interface) {
  int found = -1;
  bool touches = false;
  for (int k = 0; k < flg_interface_spots(interface); k++) {
    const int next = flg_interface_spot(interface, k)->subsystem;
    if (next < 0) continue;
    const bool next_touches = flg_touch_ports(&coupling->system.subsystems[next]) > 0;
    const bool is_earlier = next_touches == touches && next < found;
    if (found >= 0 && !is_earlier && (touches || !next_touches)) continue;
    found = next, touches = next_touches;
  }
  return found;
}

/* the others miss what it applied, turned round, less what they have applied themselves */
static void reconcile(flg_coupling *coupling, int index) {
  const flg_interface *interface = &coupling->system.interfaces[index];
  const int true_one = counting_side(coupling, interface);
  for (int k = 0; k < flg_interface_spots(interface); k++) {
    const flg_interface_end *spot = flg_interface_spot(interface, k);
    if (spot->subsystem < 0 || spot->subsystem == true_one) continue;
    const int row = flg_coupling_spot_row(coupling, true_one, index, k);
    const double *due = coupling->macro_runs[true_one].counter_sum + row;
    const double *has = coupling->macro_runs[spot->subsystem].sum + PORT_ROWS * spot->port;
    double *to = coupling->shares[spot->subsystem] + PORT_ROWS * spot->port;
    for (int i = 0; i < PORT_ROWS; i++) to[i] += due[i] - has[i];
  }
}

void flg_contact_join_reconcile(flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.interface_count; k++) reconcile(coupling, k);
}

static int most_joined_steps(const flg_coupling *coupling) {
  int most = 1;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    if (coupling->macro_runs[k].steps > most) most = coupling->macro_runs[k].steps;
  }
  return most;
}

/* Steps that use start rows move by the velocities of their end: under a constant force by h/2 of
 * its impulse too far. Longer ones part from shorter ones by the half of what they are longer: that
 * is taken back, so that not both sides are moved by what one of them does. */
static void shorten_steps(flg_coupling *coupling) {
  const double macro = coupling->system.macro, shortest = macro / most_joined_steps(coupling);
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_macro_run *macro_run = &coupling->macro_runs[k];
    const double excess = macro / macro_run->steps - shortest;
    if (!macro_run->uses_start_rows || !(excess > LONGER * shortest)) continue;
    for (int i = 0; i < PORT_ROWS * macro_run->port_count; i++) {
      coupling->moves[k][i] -= 0.5 * excess * macro_run->sum[i];
    }
  }
}

/* Displacements that missed impulses would have caused. Models are true at the communication point,
 * so that the first micro step misses nothing. Then they go stale: step j = 1 .. N - 1 misses an
 * impulse that grows with the time at which the subsystem has its forces, and is moved by what is
 * left of H. The sum is the displacement over all that is missed:
 *
 *     start rows   grows as j         moves by h (N - j)         sum: (H + h)/3
 *     others       grows as j + 1/2   moves by h (N - j - 1/2)   sum: H/3 - h/(2 (N + 1))
 *
 * The recorded times of the impulses would need no such rule. But contacts that open and close
 * within H then make others do so at the communication point: the box of the capture task ends
 * 1.5 cm off. */
static void find_moves(flg_coupling *coupling) {
  const double macro = coupling->system.macro;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_macro_run *macro_run = &coupling->macro_runs[k];
    const double step = macro / macro_run->steps;
    const double lead = macro_run->uses_start_rows ? step : -1.5 * step / (macro_run->steps + 1);
    for (int i = 0; i < PORT_ROWS * macro_run->port_count; i++) {
      coupling->moves[k][i] = coupling->shares[k][i] * (macro + lead) / 3;
    }
  }
}

/* A stop that was passed in the step moves a hinge back by much, and joints to first order alone.
 */
static flg_status close_what_is_open(flg_coupling *coupling, flg_error *error) {
  const double time = coupling->time + coupling->system.macro;
  flg_status status = FLG_OK;
  double left;
  for (int k = 0; k < AGAIN && status == FLG_OK; k++) {
    if (flg_coupling_find_open(coupling, &left) == NULL) return FLG_OK;
    status = close_positions(coupling, time, FLG_PASS_POSITION, error);
  }
  return status;
}

flg_status flg_contact_join_finish(flg_coupling *coupling, bool velocities, flg_error *error) {
  find_moves(coupling);
  const bool is_brought = coupling->options.pose == FLG_POSE_RESYNCHRONISE;
  if (is_brought) shorten_steps(coupling);
  flg_status status =
      is_brought ? bring_together(coupling, true, error) : give_back(coupling, true, error);
  if (status == FLG_OK && is_brought) status = close_what_is_open(coupling, error);
  if (status != FLG_OK) return status;
  status = velocities ? bring_together(coupling, false, error) : give_back(coupling, false, error);
  if (status == FLG_OK && velocities) flg_coupling_report_projection(coupling);
  return status;
}
