#include "assembly/assembly_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contact_objects.h"
#include "math/larger.h"
#include "math/six.h"
#include "math/wide_vectors.h"

/* of the freedom of bodies without joints, less than this is none. Along tangents less is let pass:
 * friction that is not there is a smaller mistake than a normal that joints do not hold. */
static const double BLOCKED = 1e-9, BLOCKED_TANGENT = 1e-12;

/* --- looking for contacts -----------------------------------------------------------------------
 */

static const flg_outer_port *contacts_ports_of(const flg_assembly *assembly) {
  return assembly->model.outer_ports + assembly->model.options.outer_port_count;
}

static void place_touch_ports(const flg_assembly *assembly) {
  flg_assembly_touch *touch = assembly->model.touch;
  const flg_outer_port *ports = contacts_ports_of(assembly);
  for (int k = 0; k < touch->port_count; k++) {
    touch->poses[k] = ports[k].anchor.on->pose; /* the port itself */
    touch->velocities[k] = ports[k].anchor.on->velocity;
  }
}

static void take_before(const flg_assembly *assembly) {
  const flg_assembly_touch *touch = assembly->model.touch;
  for (int k = 0; k < touch->port_count; k++) {
    const flg_touch_place place = touch->places[k];
    flg_spatial_store(touch->velocities[k], touch->before + touch->starts[place.block] + place.row);
  }
}

void flg_assembly_touch_depart(flg_assembly *assembly) {
  flg_assembly_touch *touch = assembly->model.touch;
  if (touch == NULL) return;
  place_touch_ports(assembly);
  memcpy(touch->departures, touch->velocities, (size_t)touch->port_count * sizeof(flg_spatial));
}

static void find_leans(const flg_assembly *assembly) {
  const flg_assembly_touch *touch = assembly->model.touch;
  const bool is_leaning = assembly->scratch.leans && !flg_assembly_is_loose(assembly);
  for (int k = 0; is_leaning && k < touch->port_count; k++) {
    touch->leans[k] = flg_spatial_subtract(touch->velocities[k], touch->departures[k]);
  }
  flg_contacts_lean(touch->contacts, is_leaning ? touch->leans : NULL);
  flg_contacts_kick(touch->contacts, assembly->scratch.mode.is_coasting);
}

/* given forces take the place of contacts */
static bool can_touch(const flg_assembly *assembly) {
  return assembly->model.touch != NULL && assembly->model.pressure_count == 0 &&
         !assembly->model.touch->is_away;
}

/* --- contacts that joints hold ------------------------------------------------------------------
 */

/* D of a side, as the roots have it. */
typedef struct answer {
  const double *matrix; /* of its six rows and columns the first */
  int leading;
} answer;

FLG_WIDE_VECTORS
static double contacts_along(const double x[6], answer D, const double y[6]) {
  flg_six sum = {{0}, {0}};
#pragma GCC unroll 6
  for (int j = 0; j < 6; j++) flg_six_add(y[j], D.matrix + j * D.leading, &sum);
  return flg_six_dot(&sum, x);
}

static answer of_root(const flg_assembly *assembly, int row_port, int column_port) {
  const flg_touch_place *places = assembly->model.touch->places;
  const flg_touch_place a = places[row_port], b = places[column_port];
  const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, a.block);
  return (answer){root.admittance + a.row + (size_t)b.row * (size_t)root.rows, root.rows};
}

/* Joints hold both sides along a row of a contact: what is left of their freedom is rounding. */
static bool contacts_is_blocked(const flg_assembly *assembly, const flg_contact *contact, int index,
                                int i) {
  const flg_assembly_touch *touch = assembly->model.touch;
  const flg_outer_port *ports = contacts_ports_of(assembly);
  const int port[2] = {contact->body_a, contact->body_b};
  double row[2][6], free = 0, left = 0;
  for (int s = 0; s < 2; s++) {
    if (port[s] >= 0) flg_contacts_row(touch->contacts, index, s, i, row[s]);
  }
  for (int s = 0; s < 2; s++) {
    if (port[s] < 0) continue;
    const flg_part_anchor *anchor = &ports[port[s]].anchor;
    free += anchor->of->ops->mobility(anchor->of, anchor->part, anchor->port, row[s]);
    for (int t = 0; t < 2; t++) {
      if (port[t] < 0 || touch->places[port[s]].block != touch->places[port[t]].block) continue;
      left += contacts_along(row[s], of_root(assembly, port[s], port[t]), row[t]);
    }
  }
  return !(left > (i == 0 ? BLOCKED : BLOCKED_TANGENT) * free);
}

/* of bodies that welds alone hold: a contact within one of them */
static bool contacts_is_inside(const flg_assembly *assembly, const flg_contact *contact) {
  const flg_outer_port *ports = contacts_ports_of(assembly);
  return contact->body_a >= 0 && contact->body_b >= 0 &&
         flg_wholes_are_one(assembly, ports[contact->body_a].anchor.part,
                            ports[contact->body_b].anchor.part);
}

static unsigned blocked_rows(const flg_assembly *assembly, const flg_contact *contact, int index) {
  if (flg_plan_is_of_wholes(assembly->scratch.plan)) {
    return contacts_is_inside(assembly, contact) ? FLG_BLOCKED_NORMAL : 0;
  }
  if (contacts_is_blocked(assembly, contact, index, 0)) return FLG_BLOCKED_NORMAL;
  if (!(contact->friction > 0)) return 0;
  return (contacts_is_blocked(assembly, contact, index, 1) ? FLG_BLOCKED_TANGENT1 : 0U) |
         (contacts_is_blocked(assembly, contact, index, 2) ? FLG_BLOCKED_TANGENT2 : 0U);
}

/* Some joint that is closed now can hold a body that touches, or a part holds itself. */
static bool can_joint_hold(const flg_assembly *assembly) {
  const flg_assembly_touch *touch = assembly->model.touch;
  const flg_welds *welds = &assembly->state.welds;
  if (!touch->is_joined || !touch->are_bodies || assembly->model.row_set_count > welds->count) {
    return touch->is_joined;
  }
  for (int k = 0; k < welds->count; k++) {
    if (welds->states[k].closed > 0) return true;
  }
  return false;
}

static void leave_blocked(flg_assembly *assembly) {
  int count;
  const flg_contact *list = flg_contacts_list(assembly->model.touch->contacts, &count);
  if (!can_joint_hold(assembly)) return;
  for (int k = 0; k < count; k++) {
    flg_contacts_block(assembly->model.touch->contacts, k, blocked_rows(assembly, &list[k], k));
  }
}

/* --- for each step ------------------------------------------------------------------------------
 */

/* In kicks it also counts what joints have done before. */
static bool looks_plainly(const flg_assembly *assembly) {
  return !assembly->scratch.leans && !assembly->scratch.mode.is_coasting;
}

/* A coupling has asked for the same where the step begins. */
static bool is_looked_at(const flg_assembly *assembly, double h) {
  const flg_assembly_touch *touch = assembly->model.touch;
  return touch->looked == assembly->scratch.stamps.motion && looks_plainly(assembly) &&
         touch->remembered == NULL && touch->ends.count == 0 &&
         flg_contacts_are_found(touch->contacts, h);
}

flg_status flg_assembly_touch_look(flg_assembly *assembly, double h) {
  flg_assembly_touch *touch = assembly->model.touch;
  if (!can_touch(assembly) || is_looked_at(assembly, h)) return FLG_OK;
  touch->looked = looks_plainly(assembly) ? assembly->scratch.stamps.motion : 0;
  touch->h = h;
  touch->error.message[0] = '\0';
  place_touch_ports(assembly);
  take_before(assembly);
  find_leans(assembly);
  flg_assembly_ends_begin(assembly);
  if (touch->remembered != NULL) {
    memcpy(touch->remembered, touch->memory,
           (size_t)flg_contacts_numbers(touch->contacts) * sizeof(double));
  }
  return flg_contacts_find(touch->contacts, touch->poses, touch->velocities, h, &touch->error);
}

/* from a kick to the next it is another half of a step */
flg_status flg_assembly_touch_near(flg_assembly *assembly, double h, bool *is_near) {
  flg_assembly_touch *touch = assembly->model.touch;
  *is_near = false;
  if (touch == NULL || assembly->model.pressure_count > 0) return FLG_OK;
  touch->is_away = false;
  *is_near = flg_assembly_is_loose(assembly);
  if (*is_near) return FLG_OK;
  flg_assembly_begin(assembly);
  const flg_status status = flg_assembly_touch_look(assembly, 2 * h);
  if (status != FLG_OK) return status;
  int count;
  (void)flg_contacts_list(touch->contacts, &count);
  *is_near = count > 0 || flg_assembly_ends_near(assembly);
  touch->is_away = !*is_near;
  /* what is remembered has opened */
  return *is_near ? FLG_OK : flg_contacts_close(touch->contacts, touch->blocks, NULL, NULL, 0, h);
}

void flg_assembly_touch_recall(flg_assembly *assembly) {
  flg_assembly_touch *touch = assembly->model.touch;
  if (touch == NULL) return;
  place_touch_ports(assembly);
  /* where there are too many, the next step says so */
  (void)flg_contacts_find(touch->contacts, touch->poses, touch->velocities,
                          flg_contacts_last_step(touch->contacts), NULL);
}

/* --- closing them at the roots ------------------------------------------------------------------
 */

static const char *contacts_body_name(const flg_assembly *assembly, int shape) {
  const flg_touch_owner *owner = &assembly->model.touch->owners[shape];
  const char *part;
  if (owner->body == FLG_WORLD) return "the ground";
  return flg_assembly_body_name(assembly, owner->robot, owner->body, &part);
}

flg_status flg_assembly_touch_guard(flg_assembly *assembly, double h) {
  flg_assembly_touch *touch = assembly->model.touch;
  if (!can_touch(assembly)) return FLG_OK;
  if (flg_assembly_is_loose(assembly)) flg_assembly_begin(assembly);
  place_touch_ports(assembly);
  if (!flg_contacts_hurry(touch->contacts, touch->velocities, h)) return FLG_OK;
  const flg_status status = flg_assembly_touch_look(assembly, h);
  if (status != FLG_OK) return status;
  int count;
  const flg_contact *list = flg_contacts_list(touch->contacts, &count);
  const int passed = flg_contacts_passed(touch->contacts, touch->velocities, h);
  if (passed < 0) return FLG_OK;
  return flg_fail(&touch->error, FLG_ERR_UNSOLVED,
                  "'%s' and '%s' are so fast that they would pass each other within half a step, "
                  "before contacts are looked for. Take 'integrator: semi-implicit', or a smaller "
                  "step",
                  contacts_body_name(assembly, list[passed].shape_a),
                  contacts_body_name(assembly, list[passed].shape_b));
}

/* that no impulses close them is for lack of digits: bodies and shapes were checked */
static flg_status explain_contacts(const flg_assembly *assembly, flg_status status) {
  flg_assembly_touch *touch = assembly->model.touch;
  if (status == FLG_ERR_PHYSICS) status = FLG_ERR_UNSOLVED;
  const flg_contacts_report report = flg_contacts_report_view(touch->contacts);
  int count;
  const flg_contact *list = flg_contacts_list(touch->contacts, &count);
  if (report.worst < 0 || report.worst >= count) {
    return flg_fail(&touch->error, status, "the contacts cannot be closed; try a smaller step");
  }
  return flg_fail(&touch->error, status,
                  "the contact of '%s' with '%s' cannot be closed: a residual of %.3g is left. Try "
                  "a smaller step",
                  contacts_body_name(assembly, list[report.worst].shape_a),
                  contacts_body_name(assembly, list[report.worst].shape_b), report.residual);
}

/* contacts are remembered as in the last solve of a step, and changes count against its start */
static void forget_last_solve(flg_assembly_touch *touch) {
  if (touch->remembered == NULL) return;
  memcpy(touch->memory, touch->remembered,
         (size_t)flg_contacts_numbers(touch->contacts) * sizeof(double));
}

void flg_assembly_touch_prepare(flg_assembly *assembly) {
  forget_last_solve(assembly->model.touch);
  leave_blocked(assembly);
}

flg_status flg_assembly_touch_close(flg_assembly *assembly, const flg_touch_block *blocks,
                                    const flg_touch_stop *stops, int stop_count) {
  flg_assembly_touch *touch = assembly->model.touch;
  const flg_status status =
      flg_contacts_close(touch->contacts, blocks, NULL, stops, stop_count, touch->h);
  return status == FLG_OK ? FLG_OK : explain_contacts(assembly, status);
}

flg_status flg_assembly_close_contacts(flg_assembly *assembly, const double *none) {
  (void)none;
  flg_assembly_touch_prepare(assembly);
  return flg_assembly_touch_close(assembly, assembly->model.touch->blocks, NULL, 0);
}

flg_status flg_assembly_solve_touching(flg_assembly *assembly, const double *from, flg_aim aim,
                                       double *y) {
  if (!can_touch(assembly)) return flg_assembly_solve(assembly, from, aim, y);
  if (assembly->model.touch->ends.count > 0)
    return flg_assembly_solve_ending(assembly, from, aim, y);
  return flg_assembly_solve_under(assembly, from, aim, flg_assembly_close_contacts, NULL, y);
}

static flg_status push_moves(flg_assembly *assembly, const double *none) {
  (void)none;
  const flg_assembly_touch *touch = assembly->model.touch;
  for (int k = 0; k < flg_plan_root_count(assembly->scratch.plan); k++) {
    const flg_touch_block *block = &touch->blocks[k];
    if (block->rows == 0) continue;
    memcpy(block->impulses, block->moves, (size_t)block->rows * sizeof(double));
  }
  return FLG_OK;
}

flg_status flg_assembly_touch_move(flg_assembly *assembly, double *q, double *v) {
  const flg_assembly_touch *touch = assembly->model.touch;
  double *moved = assembly->scratch.change;
  if (!can_touch(assembly) || !flg_contacts_moves(touch->contacts)) return FLG_OK;
  const flg_aim aim = {.left = 1}; /* joints are closed: they stay so */
  const double *from = flg_assembly_ends_moves(assembly);
  const flg_status status = flg_assembly_solve_under(assembly, from, aim, push_moves, NULL, moved);
  if (status != FLG_OK) return status;
  if (flg_assembly_flies(assembly)) {
    flg_assembly_shift(assembly, moved, q, v);
  } else {
    flg_assembly_displace(assembly, q, moved, 1, q);
  }
  return FLG_OK;
}

/* --- looking ------------------------------------------------------------------------------------
 */

/* of a shape of the scene; point: the number of one of a set of points, or -1: all of the shape */
static flg_touch_view view_of_touch(const flg_assembly *assembly, int shape, int point) {
  const flg_assembly_touch *touch = assembly->model.touch;
  const flg_shape *source = &assembly->model.component->shapes[touch->shapes.sources[shape]];
  return flg_contacts_touch(touch->contacts, shape, source, point);
}

static int compare_owners(flg_owner a, flg_owner b) {
  const int first[3] = {a.of == NULL ? -1 : a.of->first, a.part, a.body};
  const int second[3] = {b.of == NULL ? -1 : b.of->first, b.part, b.body};
  for (int k = 0; k < 3; k++) {
    if (first[k] != second[k]) return first[k] < second[k] ? -1 : 1;
  }
  return 0;
}

static int compare_on(const void *a, const void *b) {
  const flg_touch_on *first = a, *second = b;
  const int order = compare_owners(first->owner, second->owner);
  return order != 0 ? order : (first->shape > second->shape) - (first->shape < second->shape);
}

void flg_assembly_touch_sort(flg_assembly *assembly) {
  flg_assembly_touch *touch = assembly->model.touch;
  for (int k = 0; k < touch->shapes.count; k++) {
    const flg_touch_owner *at = &touch->owners[k];
    touch->on[k] = (flg_touch_on){flg_assembly_owner(assembly, at->robot, at->body), k};
  }
  qsort(touch->on, (size_t)touch->shapes.count, sizeof *touch->on, compare_on);
}

/* the first place in the order of those on the body, or behind it */
static int first_on(const flg_assembly_touch *touch, flg_owner body) {
  int low = 0, high = touch->shapes.count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (compare_owners(touch->on[middle].owner, body) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool contacts_is_on(const flg_assembly_touch *touch, int place, flg_owner body) {
  return place < touch->shapes.count && compare_owners(touch->on[place].owner, body) == 0;
}

/* shapes of the body, one by one: they do not touch each other */
flg_vec3 flg_assembly_contact_force(const flg_assembly *assembly, flg_owner body) {
  const flg_assembly_touch *touch = assembly->model.touch;
  flg_vec3 sum = {0, 0, 0};
  for (int k = first_on(touch, body); contacts_is_on(touch, k, body); k++) {
    sum = flg_vec3_add(sum, view_of_touch(assembly, touch->on[k].shape, -1).force);
  }
  return sum;
}

bool flg_assembly_touches(const flg_assembly *assembly, flg_owner body) {
  const flg_assembly_touch *touch = assembly->model.touch;
  return touch != NULL && contacts_is_on(touch, first_on(touch, body), body);
}
