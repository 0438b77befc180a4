/* Where the bodies of an assembly are, how they move, and what that means for its joints. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "base/for_each.h"
#include "dynamics/hinge_rows.h"
#include "dynamics/relative.h"
#include "math/dense.h"
#include "math/dense_small.h"
#include "math/larger.h"
#include "math/wide_vectors.h"

/* --- positions ----------------------------------------------------------------------------------
 */

void flg_assembly_displace(flg_assembly *assembly, const double *q, const double *v, double h,
                           double *q_next) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->displace(parts, q + parts->position, v + parts->velocity, h,
                         q_next + parts->position);
  }
}

void flg_assembly_rate(const flg_assembly *assembly, const double *q, const double *v,
                       double *rate) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    parts->ops->rate(parts, q + parts->position, v + parts->velocity, rate + parts->position);
  }
}

void flg_assembly_normalise(const flg_assembly *assembly, double *q) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->normalise != NULL) parts->ops->normalise(parts, q + parts->position);
  }
}

/* --- frames -------------------------------------------------------------------------------------
 */

/* what loops over bodies and joints need */
typedef struct placing {
  flg_assembly *assembly;
  const double *q, *v;
  bool rows;  /* G goes to the plan, too */
  bool left;  /* only g is wanted */
  bool still; /* rates and biases of rigid joints are not wanted */
  bool stage; /* nor are values that only joints need */
  bool parts; /* only parts are wanted */
  bool loads; /* parts and coordinates are, no joints */
  flg_part_placing how;
  bool are_placed; /* frames of rigid joints were placed there already */
  bool are_seen;   /* and so were gradients of angles, ... */
  bool are_valued; /* ... and their values */
} placing;

static flg_vec3 anchor_arm(const flg_part_anchor *anchor, const flg_moving_frame *frame) {
  return flg_vec3_subtract(frame->pose.position, flg_part_anchor_port(anchor));
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* The part of G' v that a frame away from its port brings along is s . (w x (w x arm)). */
static flg_vec3 motion_swing(const flg_moving_frame *frame, flg_vec3 arm) {
  const flg_vec3 spin = frame->velocity.angular;
  return flg_vec3_cross(spin, flg_vec3_cross(spin, arm));
}

/* one gradient into row i of G: a force on the frame, as seen by the port */
static void add_side(const flg_row_set *row_set, int i, int end, flg_spatial side, flg_vec3 arm,
                     double factor) {
  if (end < 0) return;
  const size_t leading = (size_t)row_set->view.leading;
  double *row = row_set->view.side[end] + i, at_port[6];
  flg_spatial_store(flg_spatial_shift_force(side, flg_vec3_negate(arm)), at_port);
  for (size_t j = 0; j < FLG_PORT_NUMBERS; j++) row[j * leading] += factor * at_port[j];
}

/* the same of an angle, which has no linear part */
static void add_turn(const flg_row_set *row_set, int i, int end, flg_vec3 turn, double factor) {
  if (end < 0) return;
  const size_t leading = (size_t)row_set->view.leading;
  double *row = row_set->view.side[end] + i + 3 * leading;
  row[0] += factor * turn.x, row[leading] += factor * turn.y, row[2 * leading] += factor * turn.z;
}

static void clear_rows(const flg_row_set *row_set) {
  const int leading = row_set->view.leading, rows = row_set->rows;
  for (int e = 0; e < row_set->ends; e++) {
    double *side = row_set->view.side[e];
    if (rows == 1) { /* of gears: one number a column is not worth the memset that loops become */
#pragma GCC unroll 6
      for (int j = 0; j < FLG_PORT_NUMBERS; j++) side[j * leading] = 0;
      continue;
    }
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) {
      memset(side + j * leading, 0, (size_t)rows * sizeof *side);
    }
  }
}

/* --- welds ------------------------------------------------------------------------------------
 * All of one port moves with all of the other. Of the rows that say so the simplest are in axes of
 * the world (interface/eliminate.h): with frames A and B that are held together, arms a and b from
 * the ports to them, and d = b - a,
 *
 *     v_A - v_B - w_B x d,   w_A - w_B            of       x_A - x_B - e x a,   e
 *
 * where e turns B into A, to first order. A is on the first model of the plan's elimination.
 */

static void leave_weld(const flg_pose *a, const flg_pose *b, flg_vec3 arm, double left[6]) {
  flg_vec3 turn = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    const flg_vec3 across =
        flg_vec3_cross(flg_mat3_column(&b->rotation, k), flg_mat3_column(&a->rotation, k));
    turn = flg_vec3_add_scaled(turn, 0.5, across);
  }
  const flg_vec3 apart = flg_vec3_subtract(a->position, b->position);
  flg_vec3_store(flg_vec3_subtract(apart, flg_vec3_cross(turn, arm)), left);
  flg_vec3_store(turn, left + 3);
}

/* 1 and -[1 -[d]x; 0 1] */
static void write_weld_rows(const flg_row_set *row_set, int first, flg_vec3 d) {
  const flg_plan_joint *view = &row_set->view;
  double *own = view->side[row_set->anchor_end[first]];
  double *other = view->side[row_set->anchor_end[1 - first]];
  const flg_mat3 lever = flg_mat3_skew(d);
  for (int i = 0; i < 3; i++) {
    own[i * (view->leading + 1)] = own[(i + 3) * (view->leading + 1)] = 1;
    other[i * (view->leading + 1)] = other[(i + 3) * (view->leading + 1)] = -1;
    for (int j = 0; j < 3; j++) other[i + (j + 3) * view->leading] = lever.m[i + 3 * j];
  }
}

/* which anchor is A */
static int first_of(const flg_row_set *row_set) {
  return row_set->anchor_end[0] == row_set->view.first ? 0 : 1;
}

/* what is left of it, and its arms */
static void hold_weld(const flg_assembly *assembly, int index) {
  flg_row_set *row_set = &assembly->model.row_sets[index];
  const int first = first_of(row_set);
  flg_pose pose[2];
  for (int s = 0; s < 2; s++) {
    const flg_part_anchor *anchor = flg_weld_anchor(assembly, index, s);
    pose[s] = flg_part_anchor_pose(anchor);
    row_set->arm[s] = flg_vec3_subtract(pose[s].position, flg_part_anchor_port(anchor));
  }
  leave_weld(&pose[first], &pose[1 - first], row_set->arm[first], row_set->left);
}

static int place_weld(const placing *at, int index) {
  const flg_assembly *assembly = at->assembly;
  flg_row_set *row_set = &at->assembly->model.row_sets[index];
  if (!at->are_placed) hold_weld(assembly, index);
  if (at->left) return row_set->rows;
  const int first = first_of(row_set);
  const flg_vec3 a = row_set->arm[first], b = row_set->arm[1 - first], d = flg_vec3_subtract(b, a);
  const flg_spatial v = row_set->anchor[first].on->velocity;
  const flg_spatial w = row_set->anchor[1 - first].on->velocity;
  const flg_spatial moved = flg_spatial_shift_motion(w, d);
  const flg_vec3 swings =
      flg_vec3_subtract(flg_vec3_cross(v.angular, a), flg_vec3_cross(w.angular, b));
  flg_spatial_store(flg_spatial_subtract(v, moved), row_set->rate);
  flg_spatial_store((flg_spatial){flg_vec3_cross(w.angular, swings), {0, 0, 0}}, row_set->bias);
  if (!at->rows) return row_set->rows;
  write_weld_rows(row_set, first, d);
  row_set->force_arm = row_set->arm[1];
  return row_set->rows;
}

static flg_joint_anchor motion_end_of(const flg_part_anchor *anchor) {
  return (flg_joint_anchor){anchor->on == NULL ? NULL : &anchor->on->pose, &anchor->pose};
}

static const flg_spatial *velocity_of(const flg_part_anchor *anchor) {
  static const flg_spatial none;
  return anchor->on == NULL ? &none : &anchor->on->velocity;
}

/* from the port that its force is seen at to the frame of its second end */
static flg_vec3 force_arm_of(const flg_row_set *row_set, const flg_vec3 arm[2], flg_vec3 offset) {
  return row_set->anchor_end[1] >= 0 ? arm[1] : flg_vec3_add(arm[0], offset);
}

static bool is_hinge(const flg_row_set *row_set) {
  return flg_constraint_kinds[row_set->kind].holds == FLG_HINGE;
}

/* rows between the frames of a rigid joint; of hinges in line, which most joints are */
FLG_SMALL int place_joint(const placing *at, flg_row_set *row_set, const flg_part_anchor *a,
                          const flg_part_anchor *b, bool is_hinge) {
  flg_joint_sight *sight = &row_set->sight;
  if (!at->are_placed) {
    const flg_joint_anchor end[2] = {motion_end_of(a), motion_end_of(b)};
    row_set->seen = FLG_HINGE_ROWS;
    if (is_hinge) {
      flg_hinge_see(end, sight, row_set->left);
    } else {
      row_set->seen = flg_joint_rows_see(row_set->kind, end, sight, row_set->left);
    }
  }
  if (at->rows) {
    const int leading = row_set->view.leading;
    double *side[2];
    for (int s = 0; s < 2; s++) {
      side[s] = row_set->anchor_end[s] < 0 ? NULL : row_set->view.side[row_set->anchor_end[s]];
    }
    if (is_hinge) {
      flg_hinge_write(sight, side, leading);
    } else {
      flg_joint_rows_write(row_set->kind, sight, side, leading);
    }
    row_set->force_arm = force_arm_of(row_set, sight->arm, sight->offset);
  }
  if (at->left || at->still) return row_set->seen;
  const flg_spatial *first = velocity_of(a), *second = velocity_of(b);
  if (is_hinge) {
    flg_hinge_drift(sight, row_set->left, first, second, row_set->rate, row_set->bias);
  } else {
    flg_joint_rows_drift(row_set->kind, sight, row_set->left, (flg_spatial[]){*first, *second},
                         row_set->rate, row_set->bias);
  }
  return row_set->seen;
}

/* rows between the frames of a force element */
static void place_force_element(const placing *at, flg_row_set *row_set) {
  const flg_assembly *assembly = at->assembly;
  flg_moving_frame frame[2];
  flg_vec3 arm[2], swings[2];
  for (int s = 0; s < 2; s++) {
    frame[s] = flg_part_anchor_frame(&row_set->anchor[s]);
    arm[s] = anchor_arm(&row_set->anchor[s], &frame[s]);
    swings[s] = motion_swing(&frame[s], arm[s]);
  }
  if (at->rows) row_set->force_arm = force_arm_of(row_set, arm, flg_relative_offset(frame));
  flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
  assembly->model.forces[row_set->force].force.kind->measure(frame, rows);
  for (int i = 0; i < row_set->rows; i++) {
    row_set->left[i] = rows[i].left;
    row_set->rate[i] = rows[i].rate;
    row_set->bias[i] = rows[i].bias;
    for (int s = 0; s < 2; s++) {
      row_set->bias[i] += flg_vec3_dot(rows[i].side[s].linear, swings[s]);
      if (at->rows) add_side(row_set, i, row_set->anchor_end[s], rows[i].side[s], arm[s], 1);
    }
  }
}

/* the row of coordinates: sum of factor * coordinate = constant */
static void place_coupling(const placing *at, flg_row_set *row_set, int i) {
  const flg_assembly *assembly = at->assembly;
  row_set->left[i] = -row_set->constant, row_set->rate[i] = row_set->bias[i] = 0;
  for (int k = 0; k < 2; k++) {
    if (row_set->coordinate[k] < 0) continue;
    const flg_running_coordinate *running = &assembly->model.coordinates[row_set->coordinate[k]];
    const double factor = row_set->factor[k];
    row_set->left[i] += factor * running->row.value;
    row_set->rate[i] += factor * running->row.rate;
    row_set->bias[i] += factor * (running->row.bias + running->arm_bias);
    for (int s = 0; s < 2 && at->rows; s++) {
      const int end = row_set->coordinate_end[k][s];
      if (running->kind == FLG_COORDINATE_ANGLE) {
        add_turn(row_set, i, end, running->row.side[s].angular, factor);
      } else {
        add_side(row_set, i, end, running->row.side[s], running->arm[s], factor);
      }
    }
  }
}

static bool is_motion(const flg_assembly *assembly, int row_set) {
  return row_set < assembly->model.rigid_count &&
         row_set >= assembly->model.rigid_count - assembly->model.motion_count;
}

static flg_jet target_at(const flg_assembly *assembly, const flg_force *force, double time) {
  return force->kind->target(force, assembly->model.component, time);
}

/* Steps with a kick have free motion at constant rates before and after it, and the new rate in the
 * kick, where what touches the driven body takes it over: none is left that would part them. */
static flg_jet target_of_kick(const flg_assembly *assembly, const flg_force *force, double time) {
  const double start = assembly->scratch.kick_start, h = assembly->scratch.kick_step;
  const flg_jet from = target_at(assembly, force, start);
  const double middle = from.value + h / 2 * from.rate;
  const bool is_before = assembly->scratch.clock == start || assembly->scratch.kick == 0;
  if (is_before) return (flg_jet){from.value + (time - start) * from.rate, from.rate, 0};
  const flg_jet to = target_at(assembly, force, start + h);
  const double rate = 2 * (to.value - middle) / h;
  if (assembly->scratch.phase != FLG_PHASE_COAST)
    return (flg_jet){middle, rate, (rate - from.rate) / h};
  const bool is_end = assembly->scratch.elapsed > 0;
  return (flg_jet){is_end ? to.value : middle, is_end ? to.rate : rate, 0};
}

/* a coordinate that follows a function of time */
static void place_motion(const placing *at, flg_row_set *row_set) {
  const flg_assembly *assembly = at->assembly;
  const flg_running_force *own = &assembly->model.forces[row_set->force];
  const double time = assembly->scratch.clock + assembly->scratch.elapsed;
  row_set->target = isnan(assembly->scratch.kick_start)
                        ? target_at(assembly, &own->force, time)
                        : target_of_kick(assembly, &own->force, time);
  row_set->constant = row_set->target.value + assembly->model.coordinates[own->coordinate].origin;
  place_coupling(at, row_set, 0);
  row_set->rate[0] -= row_set->target.rate;
}

/* nothing is asked for: with rows of zeros the plan leaves them out */
static int place_open(flg_row_set *row_set) {
  for (int i = 0; i < row_set->rows; i++) {
    row_set->left[i] = row_set->rate[i] = row_set->bias[i] = 0;
  }
  return row_set->rows;
}

/* those that are more than a joint between its two frames */
static void place_others(const placing *at, int index) {
  flg_row_set *row_set = &at->assembly->model.row_sets[index];
  int count = 0;
  if (index >= at->assembly->state.limits.first) {
    row_set->constant = flg_limit_constant(at->assembly, index);
  }
  const bool holds = flg_weld_holds(at->assembly, index);
  const bool is_joint = index < at->assembly->model.rigid_count && row_set->force < 0;
  if (at->rows) clear_rows(row_set);
  if (!holds) {
    count = place_open(row_set);
  } else if (is_joint) {
    count = row_set->is_plain_weld
                ? place_weld(at, index)
                : place_joint(at, row_set, flg_weld_anchor(at->assembly, index, 0),
                              flg_weld_anchor(at->assembly, index, 1), false);
  }
  if (is_motion(at->assembly, index)) {
    place_motion(at, row_set);
  } else if (row_set->coordinate[0] >= 0) {
    place_coupling(at, row_set, count);
  } else if (row_set->force >= 0 && !at->left) {
    place_force_element(at, row_set);
  }
}

FLG_WIDE_VECTORS
static void place_row_set(void *context, int number) {
  const placing *at = context;
  const int index = at->assembly->model.placed[number];
  flg_row_set *row_set = &at->assembly->model.row_sets[index];
  if (!row_set->is_plain_joint) {
    place_others(at, index);
  } else if (is_hinge(row_set)) {
    place_joint(at, row_set, &row_set->anchor[0], &row_set->anchor[1], true);
  } else {
    place_joint(at, row_set, &row_set->anchor[0], &row_set->anchor[1], false);
  }
}

/* an angle that no step reads, and that q tells, once it is known where it was */
static bool is_of_tree(const flg_running_coordinate *running) {
  return running->joint.position >= 0 && !running->is_used && !isnan(running->joint.zero);
}

static double angle_of_tree(const flg_assembly *assembly, const flg_tree_angle *joint) {
  return joint->zero + joint->sign * assembly->state.q[joint->position];
}

/* where the angle of a coordinate is looked for: at the start of a step the rate is that of another
 * step, finite or not */
static double motion_near_of(const flg_assembly *assembly, const flg_running_coordinate *running) {
  if (running->angle < 0) return 0;
  if (is_of_tree(running)) return angle_of_tree(assembly, &running->joint);
  const double angle = assembly->state.angles[running->angle], elapsed = assembly->scratch.elapsed;
  return elapsed > 0 ? angle + elapsed * running->start_rate : angle;
}

/* Of angles only axes and spins count: no row of theirs has a linear part, wherever its port is. */
FLG_WIDE_VECTORS
static void see_angle(flg_running_coordinate *running) {
  const flg_part_anchor *anchor = running->anchor;
  flg_mat3 a = anchor[0].pose.rotation, b = anchor[1].pose.rotation;
  if (anchor[0].on != NULL) a = flg_mat3_multiply(&anchor[0].on->pose.rotation, &a);
  if (anchor[1].on != NULL) { /* its x is all that is looked at */
    flg_vec3_store(flg_mat3_apply(&anchor[1].on->pose.rotation, flg_mat3_column(&b, 0)), b.m);
  }
  flg_coordinate_see_angle(&a, &b, &running->row, &running->sight);
  running->arm[0] = running->arm[1] = (flg_vec3){0, 0, 0};
  running->arm_bias = 0;
}

/* x of the second frame in axes of the first */
static flg_vec3 motion_face(const flg_running_coordinate *running) {
  const flg_part_anchor *anchor = running->anchor;
  flg_vec3 x = flg_mat3_column(&anchor[1].pose.rotation, 0);
  if (anchor[1].on != NULL) x = flg_mat3_apply(&anchor[1].on->pose.rotation, x);
  if (anchor[0].on != NULL) x = flg_mat3_apply_transposed(&anchor[0].on->pose.rotation, x);
  return flg_mat3_apply_transposed(&anchor[0].pose.rotation, x);
}

/* The value of an angle and nothing else. All callers find it by these operations: a resumed run
 * reads angles in another order, and must get the same bits. */
static void find_value(const flg_assembly *assembly, flg_running_coordinate *running) {
  const flg_vec3 x = motion_face(running);
  running->row.value = flg_coordinate_unwrap(atan2(x.y, x.x), motion_near_of(assembly, running));
}

static flg_vec3 spin_at(const flg_part_anchor *anchor) {
  return anchor->on == NULL ? (flg_vec3){0, 0, 0} : anchor->on->velocity.angular;
}

/* its gradient is that of this place */
static void turn_angle(flg_running_coordinate *running) {
  flg_coordinate_turn_angle(&running->sight, spin_at(&running->anchor[0]),
                            spin_at(&running->anchor[1]), &running->row);
}

static void evaluate_coordinate(const flg_assembly *assembly, flg_running_coordinate *running) {
  if (running->kind == FLG_COORDINATE_ANGLE) {
    find_value(assembly, running);
    see_angle(running);
    turn_angle(running);
    return;
  }
  flg_moving_frame frame[2];
  for (int s = 0; s < 2; s++) {
    frame[s] = flg_part_anchor_frame(&running->anchor[s]);
    running->arm[s] = anchor_arm(&running->anchor[s], &frame[s]);
  }
  flg_coordinate_evaluate(running->kind, frame, motion_near_of(assembly, running), &running->row);
  running->arm_bias = 0;
  for (int s = 0; s < 2; s++) {
    running->arm_bias +=
        flg_vec3_dot(running->row.side[s].linear, motion_swing(&frame[s], running->arm[s]));
  }
}

/* Where only g is wanted, no rate of an angle is read but by limits. What is known of this place
 * stays. */
static void place_angle(const placing *at, flg_running_coordinate *running) {
  const bool is_value_enough = at->left && at->assembly->state.limits.count == 0;
  if (at->are_valued) { /* the state may count other turns at the same place */
    const double near = motion_near_of(at->assembly, running);
    running->row.value = flg_coordinate_unwrap(running->row.value, near);
  } else if (running->is_read || !at->stage) {
    find_value(at->assembly, running);
  }
  if (is_value_enough) return;
  if (!at->are_seen) see_angle(running);
  turn_angle(running);
}

static void place_coordinate(void *context, int index) {
  const placing *at = context;
  flg_running_coordinate *running = &at->assembly->model.coordinates[index];
  if (!running->is_used || running->kind == FLG_COORDINATE_SUM) return;
  if (running->kind == FLG_COORDINATE_ANGLE) {
    place_angle(at, running);
  } else {
    evaluate_coordinate(at->assembly, running);
  }
}

static void place_sum(const flg_assembly *assembly, int index) {
  flg_running_coordinate *running = &assembly->model.coordinates[index];
  const flg_component_coordinate *sum = &assembly->model.component->coordinates[index];
  running->row.value = -running->origin, running->row.rate = 0;
  for (int s = 0; s < 2; s++) {
    const flg_coordinate_row *row = &assembly->model.coordinates[sum->of[s]].row;
    running->row.value += sum->factor[s] * row->value;
    running->row.rate += sum->factor[s] * row->rate;
  }
}

/* when those that they are sums of are placed; others are sums when they are read */
static void place_sums(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    if (assembly->model.coordinates[k].kind == FLG_COORDINATE_SUM) place_sum(assembly, k);
  }
}

static void bring_up(const flg_assembly *assembly, flg_running_coordinate *running) {
  if (!running->is_used) evaluate_coordinate(assembly, running);
}

const flg_coordinate_row *flg_assembly_read(const flg_assembly *assembly, int coordinate) {
  flg_running_coordinate *running = &assembly->model.coordinates[coordinate];
  if (running->kind == FLG_COORDINATE_SUM) {
    const flg_component_coordinate *sum = &assembly->model.component->coordinates[coordinate];
    for (int s = 0; s < 2; s++) bring_up(assembly, &assembly->model.coordinates[sum->of[s]]);
    place_sum(assembly, coordinate);
  } else {
    bring_up(assembly, running);
  }
  return &running->row;
}

/* All stands as it was placed last, and nothing else is asked for. Angles and limits depend on more
 * than q and v. */
static bool motion_is_seen(const placing *at, bool is_still) {
  const flg_assembly *assembly = at->assembly;
  return is_still && assembly->scratch.stamps.joints == assembly->scratch.stamps.motion &&
         !at->rows && !at->left && assembly->model.used_count == 0 &&
         assembly->state.limits.count == 0 &&
         flg_welds_are_kept(assembly, assembly->state.welds.placed);
}

/* parts, as far as they are not there; whether they are as they were */
static bool place_parts(placing *at) {
  flg_assembly *assembly = at->assembly;
  const bool same_q =
      !flg_dense_renew(assembly->scratch.placed_q, at->q, (size_t)assembly->model.position_count);
  const bool same_v =
      !flg_dense_renew(assembly->scratch.placed_v, at->v, (size_t)assembly->model.velocity_count);
  /* rattle has momenta, and asks for inertias wherever bodies are */
  const bool is_light = at->left && assembly->model.options.scheme != FLG_SCHEME_RATTLE;
  flg_stamps *stamps = &assembly->scratch.stamps;
  at->how.is_still = same_q && stamps->q > 0;
  at->how.is_same = at->how.is_still && same_v;
  if (!at->how.is_still) stamps->q++;
  if (!at->how.is_same) stamps->motion++;
  at->how.weighs = !is_light && stamps->weighed != stamps->q;
  if (at->how.weighs) stamps->weighed = stamps->q;
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->place(parts, at->q + parts->position, at->v + parts->velocity, at->how);
  }
  return at->how.is_same;
}

static void place_joint_rows(placing *at) {
  flg_assembly *assembly = at->assembly;
  flg_threads *threads = assembly->model.options.threads;
  if (flg_welds_sit(assembly)) at->are_placed = false;
  if (at->rows) flg_assembly_note_rows(assembly, at->q);
  if (assembly->model.used_count + assembly->model.row_count == 0) return;
  flg_stamps *stamps = &assembly->scratch.stamps;
  at->are_seen = stamps->angles == stamps->q, at->are_valued = stamps->angle_values == stamps->q;
  if (assembly->model.used_count > 0)
    flg_for_each(threads, assembly->model.coordinate_count, place_coordinate, at);
  if (!at->left) stamps->angles = stamps->q;
  if (!at->stage) stamps->angle_values = stamps->q;
  place_sums(assembly);
  if (!at->loads) flg_for_each(threads, assembly->model.placed_count, place_row_set, at);
}

static void motion_place(placing at) {
  flg_assembly *assembly = at.assembly;
  const bool is_same = place_parts(&at);
  flg_stamps *stamps = &assembly->scratch.stamps;
  at.are_placed = stamps->welds == stamps->q;
  if (!at.parts && !at.loads) stamps->welds = stamps->q;
  if (motion_is_seen(&at, is_same)) return;
  stamps->joints = at.left || at.still || at.parts || at.loads ? 0 : stamps->motion;
  if (!at.parts) place_joint_rows(&at);
}

void flg_assembly_place(flg_assembly *assembly, const double *q, const double *v) {
  motion_place((placing){assembly, q, v});
}

void flg_assembly_place_rows(flg_assembly *assembly, const double *q, const double *v) {
  motion_place((placing){assembly, q, v, .rows = true});
}

void flg_assembly_place_stage(flg_assembly *assembly, const double *q, const double *v) {
  motion_place((placing){assembly, q, v, .rows = true, .stage = true});
}

void flg_assembly_place_still(flg_assembly *assembly, const double *q, const double *v) {
  motion_place((placing){assembly, q, v, .rows = true, .still = assembly->model.watch_count == 0});
}

/* parts are placed there, with their masses: nothing would change */
static bool are_parts_there(const flg_assembly *assembly, const double *q, const double *v) {
  const struct flg_assembly_scratch *at = &assembly->scratch;
  const size_t positions = (size_t)assembly->model.position_count;
  const size_t velocities = (size_t)assembly->model.velocity_count;
  return at->stamps.q > 0 && at->stamps.weighed == at->stamps.q &&
         memcmp(at->placed_q, q, positions * sizeof *q) == 0 &&
         memcmp(at->placed_v, v, velocities * sizeof *v) == 0;
}

void flg_assembly_place_parts(flg_assembly *assembly, const double *q, const double *v) {
  if (assembly->scratch.alone != NULL && are_parts_there(assembly, q, v)) return;
  motion_place((placing){assembly, q, v, .parts = true});
}

void flg_assembly_place_loads(flg_assembly *assembly, const double *q, const double *v) {
  motion_place((placing){assembly, q, v, .loads = true});
}

void flg_assembly_place_left(flg_assembly *assembly, const double *q) {
  motion_place((placing){assembly, q, assembly->state.v, .left = true});
}

/* --- angles -------------------------------------------------------------------------------------
 * The state holds the exact angle of coordinates that steps read. Of others it holds one within
 * half a turn of it: a reader takes the angle of the frames, and the turn nearest to the state's.
 * The state is updated when the two are too far apart. Angles of trees follow from q.
 */

/* rate about z of the first frame */
FLG_SMALL double motion_spin_of(const flg_running_coordinate *running) {
  const flg_part_anchor *anchor = running->anchor;
  flg_vec3 spin = {0, 0, 0}, z = flg_mat3_column(&anchor[0].pose.rotation, 2);
  if (anchor[1].on != NULL) spin = anchor[1].on->velocity.angular;
  if (anchor[0].on != NULL) {
    spin = flg_vec3_subtract(spin, anchor[0].on->velocity.angular);
    z = flg_mat3_apply(&anchor[0].on->pose.rotation, z);
  }
  return flg_vec3_dot(z, spin);
}

static void mark_angle(flg_running_coordinate *running, double angle) {
  const flg_mat3 *frame = &running->anchor[0].pose.rotation;
  running->mark = flg_vec3_add(flg_vec3_scale(flg_mat3_column(frame, 0), cos(angle)),
                               flg_vec3_scale(flg_mat3_column(frame, 1), sin(angle)));
  running->marked = angle, running->is_marked = true;
}

/* a direction of the link that an anchor is on, in world axes */
FLG_SMALL flg_vec3 motion_turn(const flg_part_anchor *anchor, flg_vec3 v) {
  return anchor->on == NULL ? v : flg_mat3_apply(&anchor->on->pose.rotation, v);
}

FLG_SMALL void follow_angle(const flg_assembly *assembly, flg_running_coordinate *running) {
  static const double CLOSE = 0.5, SLOW = 1; /* cosine of what it is behind; turn in a step [rad] */
  double *angle = &assembly->state.angles[running->angle];
  const flg_part_anchor *anchor = running->anchor;
  if (running->marked != *angle || !running->is_marked) mark_angle(running, *angle);
  const double elapsed = assembly->scratch.elapsed;
  const bool is_slow = elapsed == 0 || fabs(elapsed * running->start_rate) < SLOW;
  const flg_vec3 mark = motion_turn(&anchor[0], running->mark);
  const flg_vec3 now = motion_turn(&anchor[1], flg_mat3_column(&anchor[1].pose.rotation, 0));
  if (is_slow && flg_vec3_dot(now, mark) > CLOSE) return;
  const flg_vec3 x = motion_face(running);
  *angle = flg_coordinate_unwrap(atan2(x.y, x.x), motion_near_of(assembly, running));
}

FLG_WIDE_VECTORS
void flg_assembly_keep_angles(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    flg_running_coordinate *running = &assembly->model.coordinates[k];
    if (running->angle < 0 || is_of_tree(running)) continue;
    if (running->is_used) {
      assembly->state.angles[running->angle] = running->row.value;
    } else {
      follow_angle(assembly, running);
    }
  }
  assembly->scratch.elapsed = 0;
}

FLG_WIDE_VECTORS
void flg_assembly_start_rates(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    flg_running_coordinate *running = &assembly->model.coordinates[k];
    if (is_of_tree(running)) continue;
    const bool is_read = running->is_used || running->angle < 0;
    const flg_tree_angle *joint = &running->joint;
    running->start_rate = is_read                ? running->row.rate
                          : joint->position >= 0 ? joint->sign * assembly->state.v[joint->velocity]
                                                 : motion_spin_of(running);
    if (running->is_used && running->angle >= 0) {
      assembly->state.angles[running->angle] = running->row.value;
    }
  }
}
