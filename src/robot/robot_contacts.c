/* Steps of a robot that touches something, or whose joints end. */
#include "robot/robot_contacts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "robot/robot_contacts_inner.h"
#include "robot/robot_friction.h"
#include "robot/robot_step.h"

enum { PORT_ROWS = 6 };

typedef struct flg_robot_touch touching;

/* --- links and joints near contacts -------------------------------------------------------------
 */

static void read_ports(const flg_robot_subsystem *robot) {
  touching *touch = robot->touch;
  for (int k = 0; k < touch->port_count; k++) {
    touch->poses[k] = flg_dynamics_link_pose(robot->dynamics, touch->ports[k].link);
    touch->velocities[k] = flg_dynamics_link_velocity(robot->dynamics, touch->ports[k].link);
  }
}

flg_status flg_robot_contacts_find(flg_robot_subsystem *robot, double time_ahead,
                                   flg_error *error) {
  const touching *touch = robot->touch;
  read_ports(robot);
  return flg_contacts_find(touch->contacts, touch->poses, touch->velocities, time_ahead, error);
}

void flg_robot_contacts_recall(flg_robot_subsystem *robot) {
  /* where there are too many, the next step says so */
  (void)flg_robot_contacts_find(robot, flg_contacts_last_step(robot->touch->contacts), NULL);
}

static void place_robot_ports(touching *touch) {
  /* Only links that touch get rows: D of a humanoid with one foot on the ground has six, not two
   * hundred. */
  touch->active_count = 0;
  for (int k = 0; k < touch->port_count; k++) {
    touch->places[k] = (flg_touch_place){.block = -1};
    if (!flg_contacts_touches(touch->contacts, k)) continue;
    touch->places[k] = (flg_touch_place){0, PORT_ROWS * touch->active_count};
    touch->active[touch->active_count++] = touch->ports[k];
  }
}

/* rows of stops come after those of ports; both ends of a joint share its row */
static void find_stops(const flg_robot_subsystem *robot, touching *touch, double h) {
  touch->stop_count = 0;
  touch->row_count = PORT_ROWS * touch->active_count;
  for (int k = 0; k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    const int i = limit->velocity;
    /* A locked joint cannot reach its end, and its row of D would be zero. */
    if (isinf(robot->locked[i])) continue;
    const double travel = flg_joint_range_travel(limit, h, robot->v[i], touch->free[i]);
    const flg_touch_stop at = {.row = touch->row_count, .number = 2 * limit->joint};
    const int count = flg_joint_range_stops(limit, robot->q[limit->position], travel, &at,
                                            touch->stops + touch->stop_count);
    if (count == 0) continue;
    touch->stop_count += count;
    touch->stop_rows[touch->row_count++ - PORT_ROWS * touch->active_count] = i;
  }
  assert(touch->row_count <= flg_robot_touch_rows(touch));
}

/* --- how they answer ----------------------------------------------------------------------------
 */

static int first_stop_row(const touching *touch) {
  return PORT_ROWS * touch->active_count;
}

/* links alone, and no joint follows another: ways of unit forces to the base are known */
static bool has_shares(const flg_robot_subsystem *robot, const touching *touch) {
  return touch->row_count == first_stop_row(touch) && robot->mimics.count == 0;
}

/* (M + added)^-1 J^T x, joints that follow others with them, into response */
static void robot_contacts_respond(flg_robot_subsystem *robot, touching *touch, const double *x) {
  double *f = touch->response;
  if (has_shares(robot, touch)) {
    flg_dynamics_respond(robot->dynamics, touch->shares, touch->active_count, x, f);
    return;
  }
  memset(f, 0, (size_t)robot->robot.velocity_count * sizeof *f);
  for (int k = 0; k < touch->active_count; k++) {
    flg_dynamics_frame_force(robot->dynamics, &touch->active[k], flg_spatial_load(x + 6 * k), f);
  }
  for (int r = first_stop_row(touch); r < touch->row_count; r++) {
    f[touch->stop_rows[r - first_stop_row(touch)]] += x[r];
  }
  flg_dynamics_solve(robot->dynamics, f, f);
  flg_mimics_project(&robot->mimics, robot->dynamics, f);
}

/* J x */
static void row_motion(const flg_robot_subsystem *robot, const touching *touch, const double *x,
                       double *rows) {
  for (int k = 0; k < touch->active_count; k++) {
    flg_spatial_store(flg_dynamics_frame_motion(robot->dynamics, &touch->active[k], x),
                      rows + PORT_ROWS * k);
  }
  for (int r = first_stop_row(touch); r < touch->row_count; r++) {
    rows[r] = x[touch->stop_rows[r - first_stop_row(touch)]];
  }
}

/* D, made for ports alone, gets as many columns as there are rows; the last column first */
static void widen(double *D, int from, int to) {
  for (int j = from - 1; j > 0; j--) {
    memmove(D + (size_t)j * (size_t)to, D + (size_t)j * (size_t)from, (size_t)from * sizeof *D);
  }
}

/* The columns from `first` on, one solve each. The answer of all rows lies in moves meanwhile. */
static void add_answer_columns(flg_robot_subsystem *robot, touching *touch, int first) {
  const int n = touch->row_count;
  double *D = touch->admittance, *unit = touch->impulses, *answer = touch->moves;
  memset(unit, 0, (size_t)n * sizeof *unit);
  for (int j = first; j < n; j++) {
    unit[j] = 1;
    robot_contacts_respond(robot, touch, unit);
    row_motion(robot, touch, touch->response, answer);
    unit[j] = 0;
    /* Columns are found in turn, so D is symmetric by construction, to the last bit. */
    for (int i = 0; i <= j; i++) D[i + j * n] = D[j + i * n] = answer[i];
  }
}

/* D = J (M + added)^-1 J^T, by the factors that forward dynamics left; generated code leaves none.
 * Joints that follow others take part in it by their forces: then every column is an answer. */
static void find_admittance(flg_robot_subsystem *robot, touching *touch) {
  const int ports = first_stop_row(touch);
  /* Factors are asked for only where a row needs them: most steps touch nothing. */
  if (robot->accelerator.accelerate != NULL && touch->row_count > 0) {
    flg_dynamics_factor(robot->dynamics, robot->added);
  }
  if (robot->mimics.count > 0) {
    add_answer_columns(robot, touch, 0);
    return;
  }
  flg_dynamics_admittance(robot->dynamics, touch->active, touch->active_count, touch->ways,
                          touch->admittance, has_shares(robot, touch) ? touch->shares : NULL);
  if (touch->row_count == ports) return;
  widen(touch->admittance, ports, touch->row_count);
  add_answer_columns(robot, touch, ports);
}

/* --- the step -----------------------------------------------------------------------------------
 */

/* J v: kinematics have it */
static void find_before(const flg_robot_subsystem *robot, const touching *touch) {
  double *rows = touch->rows_before;
  for (int k = 0; k < touch->active_count; k++, rows += PORT_ROWS) {
    flg_spatial_store(flg_dynamics_link_velocity(robot->dynamics, touch->active[k].link), rows);
  }
  for (int r = 0; r < touch->row_count - first_stop_row(touch); r++) {
    rows[r] = robot->v[touch->stop_rows[r]];
  }
}

static flg_status close_contacts(flg_robot_subsystem *robot, touching *touch, double h) {
  find_admittance(robot, touch);
  find_before(robot, touch);
  row_motion(robot, touch, touch->free, touch->rows_free);
  const flg_touch_block block = {.rows = touch->row_count,
                                 .admittance = touch->admittance,
                                 .before = touch->rows_before,
                                 .free = touch->rows_free,
                                 .impulses = touch->impulses,
                                 .moves = touch->moves};
  return flg_contacts_close(touch->contacts, &block, touch->places, touch->stops, touch->stop_count,
                            h);
}

void flg_robot_contacts_after(flg_robot_subsystem *robot, double *after) {
  touching *touch = robot->touch;
  const int n = robot->robot.velocity_count;
  memcpy(after, touch->free, (size_t)n * sizeof *after);
  if (touch->row_count == 0) return;
  robot_contacts_respond(robot, touch, touch->impulses);
  for (int k = 0; k < n; k++) after[k] += touch->response[k];
}

/* v = v + h a + (M + added)^-1 J^T L, q = q (+) (left v + (M + added)^-1 J^T x); left: of the step
 * after the kick */
static void move_by_impulses(flg_robot_subsystem *robot, touching *touch, double left) {
  const int n = robot->robot.velocity_count;
  double *v = robot->v, *answer = touch->response;
  flg_robot_contacts_after(robot, v);
  /* Joints that stick are set to rest exactly: impulses leave them rounding, which would creep. */
  flg_robot_friction_rest(robot, v);
  if (touch->row_count == 0 || !flg_contacts_moves(touch->contacts)) {
    flg_robot_integrate(&robot->robot, robot->q, v, left, robot->q);
    return;
  }
  robot_contacts_respond(robot, touch, touch->moves);
  for (int k = 0; k < n; k++) answer[k] += left * v[k];
  flg_robot_integrate(&robot->robot, robot->q, answer, 1, robot->q);
}

static const char *name_of_touching_body(const flg_robot_subsystem *robot, int shape) {
  const int body = robot->touch->shape_bodies[shape];
  return body == FLG_WORLD ? "the ground" : robot->model->bodies[body].name;
}

/* the pair that it is about, where it is one */
static flg_status blame_pair(const flg_robot_subsystem *robot, double time, flg_status status,
                             flg_error *error) {
  const touching *touch = robot->touch;
  const flg_contacts_report report = flg_contacts_report_view(touch->contacts);
  int count;
  const flg_contact *list = flg_contacts_list(touch->contacts, &count);
  /* Rows beyond the contacts belong to ends of joints. */
  if (report.worst < 0 || report.worst >= count) {
    return flg_fail(error, status,
                    "the limits of its joints cannot be kept at t = %.6g s (residual %.2g)", time,
                    report.residual);
  }
  return flg_fail(error, status,
                  "contacts cannot be closed at t = %.6g s, between '%s' and '%s' (residual %.2g)",
                  time, name_of_touching_body(robot, list[report.worst].shape_a),
                  name_of_touching_body(robot, list[report.worst].shape_b), report.residual);
}

flg_status flg_robot_contacts_guard(flg_robot_subsystem *robot, double time, double h,
                                    flg_error *error) {
  const touching *touch = robot->touch;
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  read_ports(robot);
  /* Cheap question first: only fast bodies can pass each other between two looks. */
  if (!flg_contacts_hurry(touch->contacts, touch->velocities, h)) return FLG_OK;
  const flg_status status = flg_robot_contacts_find(robot, h, error);
  if (status != FLG_OK) return status;
  int count;
  const flg_contact *list = flg_contacts_list(touch->contacts, &count);
  const int passed = flg_contacts_passed(touch->contacts, touch->velocities, h);
  if (passed < 0) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "'%s' and '%s' are so fast that they would pass each other within half a step "
                  "after t = %.6g s, "
                  "before contacts are looked for. Take 'integrator: semi-implicit', or a smaller "
                  "step",
                  name_of_touching_body(robot, list[passed].shape_a),
                  name_of_touching_body(robot, list[passed].shape_b), time);
}

/* what is near is the same in all tries of a step, of which the last one counts */
static flg_status look_for_contacts(flg_robot_subsystem *robot, touching *touch, double h,
                                    flg_error *error) {
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  if (touch->is_placed) {
    flg_contacts_put_totals(touch->contacts, touch->totals);
    return FLG_OK;
  }
  const flg_status status = flg_robot_contacts_find(robot, h, error);
  if (status != FLG_OK) return status;
  place_robot_ports(touch);
  touch->is_placed = true;
  touch->totals = flg_contacts_take_totals(touch->contacts);
  flg_contacts_put_totals(touch->contacts, touch->totals);
  touch->totals.steps++;
  return FLG_OK;
}

flg_status flg_robot_contacts_close(flg_robot_subsystem *robot, double time, double h,
                                    flg_error *error) {
  touching *touch = robot->touch;
  flg_status status = look_for_contacts(robot, touch, h, error);
  if (status != FLG_OK) return status;
  find_stops(robot, touch, h);
  status = close_contacts(robot, touch, h);
  return status == FLG_OK ? FLG_OK : blame_pair(robot, time, status, error);
}

/* contacts as they are at the kick, which is all that their rules for a step of h know of it */
flg_status flg_robot_contacts_kick(flg_robot_subsystem *robot, double time, double h, double left,
                                   double *free, flg_error *error) {
  touching *touch = robot->touch;
  touch->free = free;
  touch->is_placed = false;
  const flg_status status = flg_robot_friction_close(robot, time, h, free, error);
  if (status == FLG_OK) move_by_impulses(robot, touch, left);
  return status;
}

bool flg_robot_contacts_hit(const flg_robot_subsystem *robot) {
  return flg_contacts_report_view(robot->touch->contacts).hits > 0;
}

bool flg_robot_contacts_push(const flg_robot_subsystem *robot) {
  const touching *touch = robot->touch;
  if (touch->row_count == 0) return false;
  for (int k = 0; k < touch->row_count; k++) {
    if (touch->impulses[k] != 0) return true;
  }
  return flg_contacts_moves(touch->contacts);
}
