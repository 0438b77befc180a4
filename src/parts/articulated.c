#include "parts/articulated.h"

#include <math.h>
#include <string.h>

#include "interface/port_yield.h"
#include "math/dense.h"

static flg_articulated_part *articulated_at(const flg_parts *parts, int part) {
  return ((const flg_articulated_set *)parts)->ports[part];
}

/* --- set-up -------------------------------------------------------------------------------------
 */

int flg_articulated_open(flg_parts *parts, int index, int link) {
  flg_articulated_part *part = articulated_at(parts, index);
  for (int k = 0; k < part->port_count; k++) {
    if (part->ports[k].link == link) return k;
  }
  part->ports[part->port_count] = (flg_link_anchor){link, flg_pose_identity()};
  return part->port_count++;
}

int flg_articulated_ports(const flg_parts *parts, int part) {
  return articulated_at(parts, part)->port_count;
}

flg_part_slice flg_articulated_slice(const flg_parts *parts, int part) {
  return articulated_at(parts, part)->slice;
}

static double *articulated_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(double));
}

void flg_articulated_equip(flg_articulated_part *part, bool is_root, flg_region *region) {
  const int n = part->count, m = flg_articulated_rows(part);
  part->length = flg_robot_length(part->robot);
  part->jacobian = articulated_take(region, m * n);
  part->response = articulated_take(region, m * n);
  part->shares = articulated_take(region, m * n);
  part->unit = articulated_take(region, m);
  part->admittance = articulated_take(region, m * m);
  part->ways = flg_region_take(region, (size_t)part->port_count, sizeof(flg_port_way));
  if (!is_root) return;
  part->lower = articulated_take(region, m * m);
  part->order = flg_region_take(region, (size_t)m, sizeof(int));
}

/* --- where they are -----------------------------------------------------------------------------
 */

void flg_articulated_displace(flg_parts *parts, const double *q, const double *v, double h,
                              double *q_next) {
  for (int k = 0; k < parts->count; k++) {
    const flg_articulated_part *part = articulated_at(parts, k);
    flg_robot_integrate(part->robot, q + part->slice.position, v + part->slice.velocity, h,
                        q_next + part->slice.position);
  }
}

void flg_articulated_rate(const flg_parts *parts, const double *q, const double *v,
                          double *rate_q) {
  for (int k = 0; k < parts->count; k++) {
    const flg_articulated_part *part = articulated_at(parts, k);
    flg_robot_rate(part->robot, q + part->slice.position, v + part->slice.velocity,
                   rate_q + part->slice.position);
  }
}

void flg_articulated_normalise(const flg_parts *parts, double *q) {
  for (int k = 0; k < parts->count; k++) {
    const flg_articulated_part *part = articulated_at(parts, k);
    flg_robot_normalise(part->robot, q + part->slice.position);
  }
}

double flg_articulated_kinetic_energy(const flg_parts *parts, int part) {
  return flg_dynamics_kinetic_energy(articulated_at(parts, part)->dynamics);
}

flg_spatial flg_articulated_momentum(const flg_parts *parts, int part) {
  return flg_dynamics_momentum(articulated_at(parts, part)->dynamics);
}

/* --- in the plan --------------------------------------------------------------------------------
 */

/* J of all ports, one below the other; work (6 velocities) */
static void find_jacobian(const flg_articulated_part *part, double *work) {
  const int n = part->count, m = flg_articulated_rows(part);
  for (int k = 0; k < part->port_count; k++) {
    flg_dynamics_frame_jacobian(part->dynamics, &part->ports[k], work);
    for (int j = 0; j < n; j++) {
      memcpy(part->jacobian + (size_t)j * (size_t)m + FLG_PORT_NUMBERS * k,
             work + (size_t)j * FLG_PORT_NUMBERS, FLG_PORT_NUMBERS * sizeof(double));
    }
  }
}

/* D and M^-1 J^T, column by column: what unit forces do */
static void find_response(const flg_articulated_part *part) {
  const int n = part->count, m = flg_articulated_rows(part);
  flg_dynamics_admittance(part->dynamics, part->ports, part->port_count, part->ways,
                          part->admittance, part->shares);
  memset(part->unit, 0, (size_t)m * sizeof(double));
  for (int i = 0; i < m; i++) {
    part->unit[i] = 1;
    flg_dynamics_respond(part->dynamics, part->shares, part->port_count, part->unit,
                         part->response + (size_t)i * (size_t)n);
    part->unit[i] = 0;
  }
  if (part->mimics == NULL) return;
  flg_mimics_reduce(part->mimics, part->dynamics, m, part->response, part->admittance);
}

/* Joint j for all ports by its length, where inertias have an arm; locked ones do not move. */
static void measure_joint(const flg_articulated_part *part, double arm, int j) {
  const int m = flg_articulated_rows(part);
  double *column = part->jacobian + (size_t)j * (size_t)m, sum = 0;
  for (int i = 0; i < m; i++) {
    const double unit = i % FLG_PORT_NUMBERS < 3 ? 1 : arm;
    sum += column[i] * unit * column[i] * unit;
  }
  const bool is_locked = part->locked != NULL && isinf(part->locked[j]);
  const double part_of = sum > 0 && !is_locked ? 1 / sqrt(sum) : 0;
  for (int i = 0; i < m; i++) column[i] *= part_of;
}

/* the same of a mass of 1 */
static void find_response_of_unit(const flg_articulated_part *part, double arm) {
  const int n = part->count, m = flg_articulated_rows(part);
  for (int j = 0; j < n && arm > 0; j++) measure_joint(part, arm, j);
  for (int i = 0; i < m; i++) {
    double *column = part->response + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) column[j] = part->jacobian[i + (size_t)j * (size_t)m];
  }
  memset(part->admittance, 0, (size_t)m * (size_t)m * sizeof(double));
  flg_dense_multiply_right_transposed(m, m, n, 1, part->jacobian, m, part->jacobian, m,
                                      part->admittance, m);
}

void flg_articulated_fill(const flg_articulated_part *part, const flg_part_mode *mode,
                          const flg_plan_part *view) {
  const size_t m = (size_t)flg_articulated_rows(part);
  find_jacobian(part, part->response);
  /* joints that follow others are measured by masses in any case */
  if (mode->is_unit && (part->mimics == NULL || part->mimics->count == 0)) {
    find_response_of_unit(part, mode->arm);
  } else {
    find_response(part);
  }
  flg_port_clear_arms((int)m, part->admittance, part->length);
  if (mode->is_root) {
    flg_part_root((int)m, part->admittance, part->order, part->lower, view->matrix);
  } else {
    memcpy(view->matrix, part->admittance, m * m * sizeof(double));
  }
}

/* what the plan sees besides J y, where rows turn with the bodies they are on: J' v */
static void add_velocity_bias(const flg_articulated_part *part, double share, double *bias) {
  for (int k = 0; k < part->port_count; k++) {
    double bias_share[FLG_PORT_NUMBERS];
    flg_spatial_store(flg_dynamics_frame_bias(part->dynamics, &part->ports[k]), bias_share);
    for (int i = 0; i < FLG_PORT_NUMBERS; i++)
      bias[FLG_PORT_NUMBERS * k + i] += share * bias_share[i];
  }
}

/* J y + share J' v to the bias of the view; y NULL: zeros */
static void see_articulated(const flg_articulated_part *part, const double *y, double share,
                            const flg_plan_part *view) {
  const int m = flg_articulated_rows(part);
  memset(view->bias, 0, (size_t)m * sizeof(double));
  if (y != NULL) {
    flg_dense_apply(m, part->count, 1, part->jacobian, m, y + part->slice.velocity, view->bias);
  }
  if (share != 0) add_velocity_bias(part, share, view->bias);
}

void flg_articulated_see(const flg_parts *parts, const double *y, double bias_share) {
  for (int k = 0; k < parts->count; k++)
    see_articulated(articulated_at(parts, k), y, bias_share, &parts->views[k]);
}

/* y += M^-1 J^T x, x the forces in the view */
void flg_articulated_collect(const flg_parts *parts, const double *from, double *y) {
  const size_t bytes = (size_t)parts->velocity_count * sizeof *y;
  if (from == NULL) {
    memset(y, 0, bytes);
  } else {
    memmove(y, from, bytes);
  }
  for (int k = 0; k < parts->count; k++) {
    const flg_articulated_part *part = articulated_at(parts, k);
    flg_dense_apply(part->count, flg_articulated_rows(part), 1, part->response, part->count,
                    parts->views[k].force, y + part->slice.velocity);
  }
}

void flg_articulated_pull_back(const flg_parts *parts, int index, int port, const double x[6],
                               double *to) {
  const flg_articulated_part *part = articulated_at(parts, index);
  const size_t m = (size_t)flg_articulated_rows(part);
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
    const double *row = part->jacobian + FLG_PORT_NUMBERS * port + j;
    for (int k = 0; k < part->count; k++) to[part->slice.velocity + k] += x[j] * row[(size_t)k * m];
  }
}

double flg_articulated_mobility(const flg_parts *parts, int part, int port, const double x[6]) {
  const flg_articulated_part *of = articulated_at(parts, part);
  return flg_part_mobility(flg_articulated_rows(of), of->admittance, port, x);
}

flg_yield flg_articulated_yield(const flg_parts *parts, int part, int port) {
  const flg_articulated_part *of = articulated_at(parts, part);
  return flg_port_yield_of(flg_articulated_rows(of), of->admittance, port, of->length);
}
