#include "robot/robot_coupled.h"

#include <string.h>

#include "interface/port_yield.h"
#include "math/dense.h"

#include "robot/robot_contacts.h"
#include "robot/robot_ends.h"
#include "robot/robot_forces.h"
#include "robot/robot_friction.h"
#include "robot/robot_step.h"

enum { PORT_ROWS = 6 };

/* --- set-up -------------------------------------------------------------------------------------
 */

static int elastic_count(const void *self) {
  const flg_robot_subsystem *robot = self;
  int count = 0;
  for (int k = 0; k < robot->robot.flex_count; k++) count += robot->robot.flexes[k].body.modes;
  return count;
}

static void robot_coupled_lay_out(flg_robot_ports *made, const flg_robot_subsystem *robot) {
  const size_t ports = (size_t)made->count, rows = PORT_ROWS * ports;
  const size_t velocities = (size_t)robot->robot.velocity_count;
  const size_t bends = (size_t)elastic_count(robot);
  /* Only followers and flexible links need the answer of every velocity to every port force. */
  const size_t geared = robot->mimics.count > 0 || bends > 0 ? (rows + bends) * velocities : 0;
  flg_region *region = &made->region;
  made->length = flg_robot_length(&robot->robot);
  made->anchors = flg_region_take(region, ports, sizeof *made->anchors);
  made->forces = flg_region_take(region, rows, sizeof(double));
  made->on_links = flg_region_take(region, (size_t)robot->robot.link_count, sizeof *made->on_links);
  made->ways = flg_region_take(region, ports, sizeof *made->ways);
  made->free = flg_region_take(region, velocities, sizeof(double));
  made->admittance = flg_region_take(region, rows * rows, sizeof(double));
  made->shares = flg_region_take(region, rows * velocities, sizeof(double));
  made->answers = flg_region_take(region, geared, sizeof(double));
  made->drive = flg_region_take(region, velocities, sizeof(double));
  made->unit = flg_region_take(region, rows, sizeof(double));
  made->jacobian = flg_region_take(region, PORT_ROWS * velocities, sizeof(double));
  made->start = flg_region_take(region, (size_t)robot->robot.position_count, sizeof(double));
  made->before = flg_region_take(region, (size_t)robot->state_count, sizeof(double));
}

flg_status flg_robot_ports_build(flg_robot_subsystem *robot, const flg_link_anchor *anchors,
                                 int count, flg_error *error) {
  const flg_link_anchor *touching = NULL;
  /* Contacts act on ports of their own, after those of the interfaces. */
  const int touch_count = flg_robot_touch_ports(robot, &touching);
  flg_robot_ports made = {.count = count + touch_count, .touch_count = touch_count};
  robot_coupled_lay_out(&made, robot);
  const flg_status status = flg_region_check(&made.region, "the ports of a robot", error);
  if (status != FLG_OK) {
    flg_region_release(&made.region);
    return status;
  }
  for (int k = 0; k < count; k++) made.anchors[k] = anchors[k];
  for (int k = 0; k < touch_count; k++) made.anchors[count + k] = touching[k];
  robot->ports = made;
  return FLG_OK;
}

void flg_robot_ports_release(flg_robot_subsystem *robot) {
  flg_region_release(&robot->ports.region);
  robot->ports = (flg_robot_ports){0};
}

/* --- looking ------------------------------------------------------------------------------------
 */

static int robot_outer_ports(const void *self) {
  const flg_robot_subsystem *robot = self;
  return robot->ports.count;
}

static flg_moving_frame robot_frame(const void *self, int port) {
  const flg_robot_subsystem *robot = self;
  const flg_link_anchor *anchor = &robot->ports.anchors[port];
  return (flg_moving_frame){flg_dynamics_frame_pose(robot->dynamics, anchor),
                            flg_dynamics_frame_velocity(robot->dynamics, anchor)};
}

static flg_spatial robot_velocity(const void *self, int port) {
  const flg_robot_subsystem *robot = self;
  return flg_dynamics_frame_velocity(robot->dynamics, &robot->ports.anchors[port]);
}

static bool robot_uses_start_rows(const void *self) {
  const flg_robot_subsystem *robot = self;
  return flg_integrator_uses_start_rows(robot->integrator);
}

static void robot_set_impulse_step(void *self, double h) {
  flg_robot_subsystem *robot = self;
  robot->ports.impulse_step = h;
}

/* --- the model ----------------------------------------------------------------------------------
 */

/* into answers: how all velocities answer to a unit of each force on the ports */
static void answer_units(flg_robot_subsystem *robot) {
  flg_robot_ports *at = &robot->ports;
  const int rows = PORT_ROWS * at->count;
  memset(at->unit, 0, (size_t)rows * sizeof(double));
  for (int i = 0; i < rows; i++) {
    double *answer = at->answers + (size_t)i * (size_t)robot->robot.velocity_count;
    at->unit[i] = 1;
    flg_dynamics_respond(robot->dynamics, at->shares, at->count, at->unit, answer);
    at->unit[i] = 0;
  }
}

/* joints that follow others move with them */
static void yield_with_mimics(flg_robot_subsystem *robot) {
  flg_robot_ports *at = &robot->ports;
  const int rows = PORT_ROWS * at->count;
  answer_units(robot);
  flg_mimics_reduce(&robot->mimics, robot->dynamics, rows, at->answers, at->admittance);
}

/* How the ports yield with the factors that are there: found once for each. */
/* A macro step asks for the same model several times: as long as the factors are the same, D is,
 * too. */
static void find_port_yield(flg_robot_subsystem *robot) {
  flg_robot_ports *at = &robot->ports;
  const uint64_t number = flg_dynamics_factor_number(robot->dynamics);
  if (number == at->factor_number) return;
  at->factor_number = number;
  flg_dynamics_admittance(robot->dynamics, at->anchors, at->count, at->ways, at->admittance,
                          at->shares);
  if (robot->mimics.count > 0) yield_with_mimics(robot);
  /* A port on a hinge axis yields by rounding alone: exact zeros keep pivots from being judged
   * by it. */
  flg_port_clear_arms(PORT_ROWS * at->count, at->admittance, at->length);
}

/* where everything is, and the factors of impulses; steps of several stages resist nothing at once
 */
static void robot_coupled_place(flg_robot_subsystem *robot) {
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  flg_robot_set_impulse_step(robot, robot->ports.impulse_step);
  /* With start rows, damping and friction are part of the mass over the impulse step; otherwise
   * damping alone. */
  const double span = robot->implicit;
  if (span > 0 && robot_uses_start_rows(robot)) {
    robot->has_loose = flg_robot_friction_is_loose(robot);
    robot->has_open = true;
    flg_robot_resist(robot, robot->v, robot->v);
    robot->has_loose = robot->has_open = false;
  } else {
    robot->implicit = 0;
    flg_robot_share_elastic(robot);
    flg_robot_damp(robot, span);
  }
  flg_dynamics_factor(robot->dynamics, robot->added);
}

/* forces and accelerations without forces on ports, with the factors that go with them; tau = 0:
 * only those of impulses */
static void prepare_reduction(flg_robot_subsystem *robot, double time, double tau) {
  robot->ports.is_pushed = false;
  flg_robot_set_impulse_step(robot, tau);
  robot->implicit = tau;
  if (tau > 0) {
    /* Controllers decide now: the model must hold the torque that the coming steps will apply. */
    flg_robot_sample(robot, time);
    robot->foresight = tau;
    /* A held flexible link does not swing on within tau, so its forces are those of now. */
    const bool is_free = robot->elastic_hold == FLG_ELASTIC_FREE;
    robot->elastic_lead = is_free ? flg_integrator_lead(robot->integrator, tau) : 0;
    flg_robot_acceleration(robot, time, robot->q, robot->v, robot->v, robot->ports.free);
    robot->foresight = robot->elastic_lead = 0;
  } else {
    robot_coupled_place(robot);
  }
}

/* J a + J' v: of the last forward, unless joints that follow others have other accelerations */
static void robot_coupled_accelerate(const flg_robot_subsystem *robot,
                                     const flg_link_anchor *anchor, double *to) {
  if (robot->mimics.count == 0) {
    flg_spatial_store(flg_dynamics_frame_acceleration(robot->dynamics, anchor), to);
    return;
  }
  flg_spatial_store(flg_dynamics_frame_bias(robot->dynamics, anchor), to);
  flg_dynamics_frame_jacobian(robot->dynamics, anchor, robot->ports.jacobian);
  flg_dense_apply(PORT_ROWS, robot->robot.velocity_count, 1, robot->ports.jacobian, PORT_ROWS,
                  robot->ports.free, to);
}

/* r = J a + J' v, D = J (M + added)^-1 J^T, and w, into the first rows of a model */
static void write_ports(flg_robot_subsystem *robot, flg_interface_model *model, double tau) {
  const size_t rows = PORT_ROWS * (size_t)robot->ports.count, all = (size_t)model->rows;
  double *D = flg_interface_model_admittance(model);
  double *r = flg_interface_model_bias(model), *w = flg_interface_model_velocity(model);
  /* Column by column: the model may have further rows, of elastic coordinates. */
  for (size_t j = 0; j < rows; j++) {
    memcpy(D + all * j, robot->ports.admittance + rows * j, rows * sizeof *D);
  }
  for (int k = 0; k < robot->ports.count; k++) {
    const flg_link_anchor *anchor = &robot->ports.anchors[k];
    flg_spatial_store(flg_dynamics_frame_velocity(robot->dynamics, anchor), w + PORT_ROWS * k);
    if (tau > 0) robot_coupled_accelerate(robot, anchor, r + PORT_ROWS * k);
  }
}

/* r += J (v_e - v)/h, v_e the velocities that ends leave; the last part of a model */
/* As an acceleration over the step: the model has one bias, and an end that stops a joint within h
 * acts like a force of that size. The state is put back: a model may change nothing. */
static void add_stops(flg_robot_subsystem *robot, double h, double *r) {
  const int n = robot->robot.velocity_count;
  double *change = robot->ports.free;
  memcpy(robot->ports.before, robot->v, (size_t)n * sizeof(double));
  if (!flg_robot_stop_at_ends(robot)) return;
  for (int k = 0; k < n; k++) change[k] = (robot->v[k] - robot->ports.before[k]) / h;
  memcpy(robot->v, robot->ports.before, (size_t)n * sizeof(double));
  for (int k = 0; k < robot->ports.count; k++) {
    double by[PORT_ROWS];
    flg_spatial_store(flg_dynamics_frame_motion(robot->dynamics, &robot->ports.anchors[k], change),
                      by);
    for (int i = 0; i < PORT_ROWS; i++) r[PORT_ROWS * k + i] += by[i];
  }
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
}

static flg_status reduce_here(flg_robot_subsystem *robot, double time, double tau,
                              flg_interface_model *model) {
  const flg_status status = flg_interface_model_resize(model, PORT_ROWS * robot->ports.count);
  if (status != FLG_OK) return status;
  /* Joints that rest on an end are locked in the model, and free again after it. */
  flg_robot_hold_ends(robot);
  prepare_reduction(robot, time, tau);
  find_port_yield(robot);
  write_ports(robot, model, tau);
  if (tau > 0) add_stops(robot, tau, flg_interface_model_bias(model));
  flg_robot_let_go_of_ends(robot);
  return FLG_OK;
}

static flg_status robot_reduce(void *self, double time, double tau, flg_interface_model *model) {
  flg_robot_subsystem *robot = self;
  /* Joints that the coming step will set loose are loose in the model too. */
  if (tau > 0) flg_robot_friction_foresee(robot, time, tau);
  const flg_status status = reduce_here(robot, time, tau, model);
  robot->has_loose = false;
  return status;
}

static int robot_loosen(void *self, const double *after, double *before) {
  (void)after; /* it is the state */
  flg_robot_subsystem *robot = self;
  return flg_robot_friction_loosen(robot, before + robot->robot.position_count) +
         flg_robot_foresee_ends(robot, before);
}

/* J_m a + (J_m v - J v)/h + J' v/2, m the middle of the step, where leapfrog has its forces: with
 * J v and D_m what push makes of the ports, but for what J' v changes within h/2. */
static void accelerate_midway(const flg_robot_subsystem *robot, int port, double h, const double *w,
                              double *r) {
  const flg_link_anchor *anchor = &robot->ports.anchors[port];
  double velocity[PORT_ROWS], turn[PORT_ROWS];
  robot_coupled_accelerate(robot, anchor, r);
  flg_spatial_store(flg_dynamics_frame_velocity(robot->dynamics, anchor), velocity);
  flg_spatial_store(flg_dynamics_frame_bias(robot->dynamics, anchor), turn);
  for (int i = 0; i < PORT_ROWS; i++) r[i] += (velocity[i] - w[i]) / h - 0.5 * turn[i];
}

/* reduce as if it were at the middle of the step; then it is back */
static flg_status reduce_midway(flg_robot_subsystem *robot, double time, double h, double lead,
                                flg_interface_model *model) {
  const size_t bytes = (size_t)robot->robot.position_count * sizeof(double);
  const flg_status status = flg_interface_model_resize(model, PORT_ROWS * robot->ports.count);
  if (status != FLG_OK) return status;
  double *r = flg_interface_model_bias(model), *w = flg_interface_model_velocity(model);
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  for (int k = 0; k < robot->ports.count; k++) {
    flg_spatial_store(flg_dynamics_frame_velocity(robot->dynamics, &robot->ports.anchors[k]),
                      w + PORT_ROWS * k);
  }
  flg_robot_hold_ends(robot);
  flg_robot_set_impulse_step(robot, h);
  robot->ports.is_pushed = false;
  robot->implicit = h;
  flg_robot_sample(robot, time);
  /* Leapfrog has its forces at the middle of the step: admittances there leave no error of first
   * order. */
  memcpy(robot->ports.start, robot->q, bytes);
  flg_robot_integrate(&robot->robot, robot->q, robot->v, lead, robot->q);
  flg_robot_acceleration(robot, time + lead, robot->q, robot->v, robot->v, robot->ports.free);
  find_port_yield(robot);
  memcpy(flg_interface_model_admittance(model), robot->ports.admittance,
         (size_t)model->rows * (size_t)model->rows * sizeof(double));
  for (int k = 0; k < robot->ports.count; k++) {
    accelerate_midway(robot, k, h, w + PORT_ROWS * k, r + PORT_ROWS * k);
  }
  add_stops(robot, h, r);
  flg_robot_let_go_of_ends(robot);
  memcpy(robot->q, robot->ports.start, bytes);
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  return FLG_OK;
}

static flg_status reduce_step(void *self, double time, double h, flg_interface_model *model) {
  flg_robot_subsystem *robot = self;
  const double lead = flg_integrator_lead(robot->integrator, h);
  flg_robot_friction_model(robot, time, h);
  const flg_status status =
      lead == 0 ? reduce_here(robot, time, h, model) : reduce_midway(robot, time, h, lead, model);
  robot->knows_slips = false;
  return status;
}

static flg_status robot_velocity_bias(void *self, double *to) {
  const flg_robot_subsystem *robot = self;
  flg_dynamics_kinematics(robot->dynamics, robot->q, robot->v);
  for (int k = 0; k < robot->ports.count; k++) {
    flg_spatial_store(flg_dynamics_frame_bias(robot->dynamics, &robot->ports.anchors[k]),
                      to + PORT_ROWS * k);
  }
  return FLG_OK;
}

/* reduce for its own step of h, r less the turn of rows */
static flg_status robot_reduce_plain(void *self, double time, double h,
                                     flg_interface_model *model) {
  flg_robot_subsystem *robot = self;
  double *r = flg_interface_model_bias(model), *turn = robot->ports.unit;
  flg_robot_friction_model(robot, time, h);
  flg_status status = reduce_here(robot, time, h, model);
  robot->knows_slips = false;
  if (status == FLG_OK) status = robot_velocity_bias(self, turn);
  for (int i = 0; i < model->rows && status == FLG_OK; i++) r[i] -= turn[i];
  return status;
}

/* Its forces are in a kick at the middle of steps, where they meet contacts that others may feel.
 */
static bool robot_leaps(const void *self) {
  const flg_robot_subsystem *robot = self;
  return robot->options.integrator.kind == FLG_INTEGRATOR_LEAPFROG && robot->ports.touch_count > 0;
}

static flg_status robot_coupled_leap(void *self, double time, double h, int index,
                                     flg_error *error) {
  flg_robot_subsystem *robot = self;
  flg_robot_set_impulse_step(robot, h);
  flg_robot_sample(robot, time + index * h);
  const flg_status status = flg_robot_leap(robot, time + index * h, h, error);
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  return status;
}

static flg_status robot_reduce_kick(void *self, double time, double h, flg_interface_model *model,
                                    double *velocity_bias) {
  flg_robot_subsystem *robot = self;
  double *r = flg_interface_model_bias(model);
  const flg_status status = flg_interface_model_resize(model, PORT_ROWS * robot->ports.count);
  if (status != FLG_OK) return status;
  flg_robot_friction_model(robot, time, h);
  flg_robot_hold_ends(robot);
  robot->ports.is_pushed = false;
  flg_robot_set_impulse_step(robot, h);
  robot->implicit = h;
  flg_robot_acceleration(robot, time + h / 2, robot->q, robot->v, robot->v, robot->ports.free);
  find_port_yield(robot);
  write_ports(robot, model, h);
  add_stops(robot, h, r);
  flg_robot_let_go_of_ends(robot);
  robot->knows_slips = false;
  robot_velocity_bias(self, velocity_bias);
  for (int i = 0; i < model->rows; i++) r[i] -= velocity_bias[i];
  return FLG_OK;
}

/* sum += X^T S X over the elastic coordinates of a link, X (velocities x rows) */
static void add_yield(const flg_robot_subsystem *robot, const flg_flex *flex, const double *S,
                      double *sum) {
  const int n = flex->body.modes, rows = PORT_ROWS * robot->ports.count;
  const size_t stride = (size_t)robot->robot.velocity_count;
  for (int j = 0; j < rows; j++) {
    const double *b = robot->ports.answers + (size_t)j * stride + flex->velocity;
    for (int i = 0; i < rows; i++) {
      const double *a = robot->ports.answers + (size_t)i * stride + flex->velocity;
      for (int c = 0; c < n; c++) {
        for (int r = 0; r < n; r++) sum[i + rows * j] += a[r] * S[r + n * c] * b[c];
      }
    }
  }
}

/* answers of all velocities to unit forces on the ports, joints that mimic others included */
static void answer_ports(flg_robot_subsystem *robot) {
  const int rows = PORT_ROWS * robot->ports.count, stride = robot->robot.velocity_count;
  find_port_yield(robot);
  answer_units(robot);
  for (int i = 0; i < rows; i++) {
    flg_mimics_project(&robot->mimics, robot->dynamics, robot->ports.answers + i * stride);
  }
}

static bool elastic(void *self, double *stiffness, double *damping) {
  flg_robot_subsystem *robot = self;
  flg_robot_ports *at = &robot->ports;
  const size_t rows = PORT_ROWS * (size_t)at->count;
  if (robot->robot.flex_count == 0) return false;
  /* Without room the question is only whether there are elastic coordinates at all. */
  if (stiffness == NULL) return true;
  answer_ports(robot);
  memset(stiffness, 0, rows * rows * sizeof *stiffness);
  memset(damping, 0, rows * rows * sizeof *damping);
  for (int k = 0; k < robot->robot.flex_count; k++) {
    const flg_flex *flex = &robot->robot.flexes[k];
    add_yield(robot, flex, flex->body.stiffness, stiffness);
    add_yield(robot, flex, flex->body.damping, damping);
  }
  return true;
}

static void hold_elastic(void *self, flg_elastic_hold how) {
  flg_robot_subsystem *robot = self;
  robot->elastic_hold = how;
}

/* the same to unit forces on elastic coordinates; they follow those of the ports */
static void answer_elastic(flg_robot_subsystem *robot) {
  const size_t stride = (size_t)robot->robot.velocity_count;
  double *answer = robot->ports.answers + PORT_ROWS * (size_t)robot->ports.count * stride;
  memset(robot->ports.drive, 0, stride * sizeof(double));
  for (int k = 0; k < robot->robot.flex_count; k++) {
    const flg_flex *flex = &robot->robot.flexes[k];
    for (int i = 0; i < flex->body.modes; i++, answer += stride) {
      robot->ports.drive[flex->velocity + i] = 1;
      flg_dynamics_solve(robot->dynamics, robot->ports.drive, answer);
      flg_mimics_project(&robot->mimics, robot->dynamics, answer);
      robot->ports.drive[flex->velocity + i] = 0;
    }
  }
}

/* rows of an elastic coordinate: velocity number `velocity` of all, row number `row` */
static void write_elastic_row(const flg_robot_subsystem *robot, int velocity, int row,
                              flg_interface_model *model) {
  const int rows = model->rows;
  double *D = flg_interface_model_admittance(model);
  for (int j = 0; j <= row; j++) {
    const double yields =
        robot->ports.answers[(size_t)j * (size_t)robot->robot.velocity_count + (size_t)velocity];
    D[row + (size_t)j * (size_t)rows] = D[j + (size_t)row * (size_t)rows] = yields;
  }
  flg_interface_model_bias(model)[row] = robot->ports.free[velocity];
  flg_interface_model_velocity(model)[row] = robot->v[velocity];
}

/* K, C and e of all flexible links, and rows of the model */
static void write_elastic(const flg_robot_subsystem *robot, flg_interface_model *model,
                          const flg_elastic_block *block) {
  const size_t count = (size_t)elastic_count(robot);
  size_t first = 0;
  memset(block->stiffness, 0, count * count * sizeof(double));
  memset(block->damping, 0, count * count * sizeof(double));
  for (int k = 0; k < robot->robot.flex_count; k++) {
    const flg_flex *flex = &robot->robot.flexes[k];
    const size_t n = (size_t)flex->body.modes;
    for (size_t j = 0; j < n; j++) {
      const size_t to = first + (first + j) * count;
      memcpy(block->stiffness + to, flex->body.stiffness + n * j, n * sizeof(double));
      memcpy(block->damping + to, flex->body.damping + n * j, n * sizeof(double));
      block->deflections[first + j] = robot->q[(size_t)flex->position + j];
      write_elastic_row(robot, flex->velocity + (int)j,
                        PORT_ROWS * robot->ports.count + (int)(first + j), model);
    }
    first += n;
  }
}

static void clear(flg_interface_model *model) {
  const size_t n = (size_t)model->rows;
  memset(flg_interface_model_admittance(model), 0, n * n * sizeof(double));
  memset(flg_interface_model_bias(model), 0, n * sizeof(double));
  memset(flg_interface_model_velocity(model), 0, n * sizeof(double));
}

static flg_status reduce_elastic(void *self, double time, double tau, flg_interface_model *model,
                                 const flg_elastic_block *block) {
  flg_robot_subsystem *robot = self;
  const int ports = robot->ports.count, elastic_ports = flg_elastic_ports(elastic_count(self));
  const flg_status status = flg_interface_model_resize(model, PORT_ROWS * (ports + elastic_ports));
  if (status != FLG_OK) return status;
  clear(model);
  /* Elastic forces are left out: the caller has K and C and forms them in each micro step. */
  robot->elastic_hold = FLG_ELASTIC_LEFT;
  flg_robot_hold_ends(robot);
  prepare_reduction(robot, time, tau);
  find_port_yield(robot);
  write_ports(robot, model, tau); /* accelerations do not outlive what follows */
  answer_ports(robot);
  answer_elastic(robot);
  flg_robot_let_go_of_ends(robot);
  robot->elastic_hold = FLG_ELASTIC_FREE;
  write_elastic(robot, model, block);
  return FLG_OK;
}

static bool has_ends(const void *self) {
  return flg_robot_has_ends(self);
}

static double robot_past_ends(const void *self, const char **joint) {
  return flg_robot_past_ends(self, joint);
}

static bool robot_samples_within(const void *self, double time) {
  return flg_robot_samples_within(self, time);
}

static int robot_touch_ports(const void *self) {
  const flg_robot_subsystem *robot = self;
  return robot->ports.touch_count;
}

static flg_status robot_outer_contacts(void *self, double time_ahead, const flg_contact **list,
                                       int *count, flg_error *error) {
  flg_robot_subsystem *robot = self;
  *count = 0;
  if (robot->ports.touch_count == 0) return FLG_OK;
  const flg_status status = flg_robot_contacts_find(robot, time_ahead, error);
  if (status == FLG_OK) *list = flg_contacts_list(flg_robot_contacts_view(robot), count);
  return status;
}

static flg_status make_step(flg_robot_subsystem *robot, double time, double h, int index,
                            const double *impulses, flg_error *error) {
  for (int k = 0; k < PORT_ROWS * robot->ports.count; k++) {
    /* Forces are constant over the micro step: all stages of the integrator see the same. */
    robot->ports.forces[k] = impulses[k] / h;
  }
  robot->ports.is_pushed = true;
  const flg_status status = robot_leaps(robot)
                                ? flg_robot_land(robot, time + index * h, h, error)
                                : flg_robot_subsystem_advance(robot, time, h, index, 1, error);
  robot->ports.is_pushed = false;
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  return status;
}

static flg_status robot_coupled_push(void *self, double time, double h, int index,
                                     const double *impulses, flg_error *error) {
  flg_robot_subsystem *robot = self;
  robot->has_slips = flg_robot_friction_is_modelled(robot, time + index * h);
  const flg_status status = make_step(robot, time, h, index, impulses, error);
  flg_robot_forget_ends(robot);
  robot->has_slips = robot->has_secants = false;
  return status;
}

/* a step that is taken back; one that fails tells so when it is made */
static bool robot_agrees(void *self, double time, double h, int index, const double *impulses) {
  flg_robot_subsystem *robot = self;
  const size_t bytes = (size_t)robot->state_count * sizeof(double);
  const bool is_near_end = flg_robot_is_near_end(robot, h);
  flg_contacts *ends = flg_robot_contacts_view(robot);
  flg_contacts_totals totals = {0};
  robot->has_slips = flg_robot_friction_is_modelled(robot, time + index * h);
  robot->has_secants = !robot->has_slips;
  /* Only ends and sticking joints can contradict the model: without them no step is tried. */
  if (!is_near_end && !robot->has_slips) return true;
  /* A step that is tried and taken back must not be counted in the statistics. */
  if (ends != NULL) totals = flg_contacts_take_totals(ends);
  if (is_near_end) flg_robot_note_ends(robot);
  memcpy(robot->ports.before, robot->state, bytes);
  robot->is_tried = true;
  const flg_status status = make_step(robot, time, h, index, impulses, NULL);
  robot->is_tried = false;
  bool differs = status == FLG_OK && is_near_end && flg_robot_ends_differ(robot, h);
  if (status == FLG_OK && flg_robot_friction_differs(robot)) differs = true;
  memcpy(robot->state, robot->ports.before, bytes);
  if (ends != NULL) flg_contacts_put_totals(ends, totals);
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  return !differs;
}

/* --- at once ------------------------------------------------------------------------------------
 */

/* (M + added)^-1 J^T x, locked joints at rest, into free */
static void robot_coupled_respond(flg_robot_subsystem *robot, const double *x) {
  const flg_robot_ports *at = &robot->ports;
  /* Rigid robots answer in one recursion; flexible ones need the shares of their nodes. */
  if (robot->robot.flex_count == 0) {
    flg_dynamics_respond_rigid(robot->dynamics, at->anchors, at->count, x, at->free);
    return;
  }
  find_port_yield(robot);
  flg_dynamics_respond(robot->dynamics, at->shares, at->count, x, at->free);
}

const flg_spatial *flg_robot_ports_on_links(flg_robot_subsystem *robot) {
  const flg_robot_ports *at = &robot->ports;
  for (int k = 0; k < at->count; k++) {
    const int link = at->anchors[k].link;
    if (link != FLG_WORLD) at->on_links[link] = (flg_spatial){{0}, {0}};
  }
  for (int k = 0; k < at->count; k++) {
    const int link = at->anchors[k].link;
    if (link == FLG_WORLD) continue;
    const flg_spatial force = flg_spatial_load(at->forces + PORT_ROWS * k);
    at->on_links[link] = flg_spatial_add(
        at->on_links[link], flg_dynamics_link_force(robot->dynamics, &at->anchors[k], force));
  }
  return at->on_links;
}

void flg_robot_ports_add_answer(flg_robot_subsystem *robot, double *a) {
  robot_coupled_respond(robot, robot->ports.forces);
  for (int k = 0; k < robot->robot.velocity_count; k++) a[k] += robot->ports.free[k];
}

/* the same at once, with joints that rest on their end, and those that mimic others */
static void yield_to(flg_robot_subsystem *robot, const double *x) {
  flg_robot_hold_ends(robot);
  robot_coupled_place(robot);
  robot_coupled_respond(robot, x);
  flg_robot_let_go_of_ends(robot);
  flg_mimics_project(&robot->mimics, robot->dynamics, robot->ports.free);
}

/* Frictions hold no more of impulses than they can in the step that these are part of. */
static flg_status robot_impulse(void *self, const double *impulses) {
  flg_robot_subsystem *robot = self;
  flg_robot_friction_close_all(robot);
  yield_to(robot, impulses);
  /* Each pass frees at least one joint for good, so it ends after as many as there are. */
  while (flg_robot_friction_gives_way(robot, robot->ports.free)) yield_to(robot, impulses);
  flg_robot_friction_note(robot, robot->ports.free);
  flg_robot_friction_close_all(robot);
  for (int k = 0; k < robot->robot.velocity_count; k++) robot->v[k] += robot->ports.free[k];
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  return FLG_OK;
}

static flg_status robot_coupled_displace(void *self, const double *x) {
  flg_robot_subsystem *robot = self;
  yield_to(robot, x);
  flg_robot_integrate(&robot->robot, robot->q, robot->ports.free, 1, robot->q);
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  return FLG_OK;
}

const flg_coupled_ops flg_robot_coupled_ops = {.ports = robot_outer_ports,
                                               .frame = robot_frame,
                                               .velocity = robot_velocity,
                                               .reduce = robot_reduce,
                                               .reduce_step = reduce_step,
                                               .reduce_plain = robot_reduce_plain,
                                               .velocity_bias = robot_velocity_bias,
                                               .elastic = elastic,
                                               .hold_elastic = hold_elastic,
                                               .elastic_count = elastic_count,
                                               .reduce_elastic = reduce_elastic,
                                               .leaps = robot_leaps,
                                               .leap = robot_coupled_leap,
                                               .reduce_kick = robot_reduce_kick,
                                               .uses_start_rows = robot_uses_start_rows,
                                               .samples_within = robot_samples_within,
                                               .has_joint_coordinates = true,
                                               .has_ends = has_ends,
                                               .past_ends = robot_past_ends,
                                               .touch_ports = robot_touch_ports,
                                               .contacts = robot_outer_contacts,
                                               .push = robot_coupled_push,
                                               .agrees = robot_agrees,
                                               .loosen = robot_loosen,
                                               .set_impulse_step = robot_set_impulse_step,
                                               .impulse = robot_impulse,
                                               .displace = robot_coupled_displace};
