#include "transform.h"

#include <math.h>

#include "math/larger.h"

correspondence same_sights(void) {
  return (correspondence){.turned = flg_pose_identity(), .units = {1, 1, 1}};
}

/* --- turned and moved ------------------------------------------------------------------------- */

static void turn_vector(const flg_pose *by, flg_vec3 *v) {
  *v = flg_mat3_apply(&by->rotation, *v);
}

static void turn_point(const flg_pose *by, flg_vec3 *p) {
  *p = flg_pose_apply(by, *p);
}

static void turn_pose(const flg_pose *by, flg_pose *pose) {
  *pose = flg_pose_compose(by, pose);
}

correspondence turn(mechanism *machine, const flg_pose *by) {
  correspondence made = same_sights();
  made.turned = *by;
  turn_vector(by, &machine->gravity);
  turn_pose(by, &machine->floor);
  for (int k = 0; k < machine->body_count; k++) {
    solid *of = &machine->bodies[k];
    turn_pose(by, &of->pose), turn_vector(by, &of->velocity), turn_vector(by, &of->spin);
  }
  for (int k = 0; k < machine->joint_count; k++) {
    turn_pose(by, &machine->joints[k].frame), turn_point(by, &machine->joints[k].far);
  }
  for (int k = 0; k < machine->spring_count; k++) {
    for (int side = 0; side < 2; side++) turn_point(by, &machine->springs[k].at[side]);
  }
  for (int k = 0; k < machine->bushing_count; k++) turn_pose(by, &machine->bushings[k].frame);
  for (int k = 0; k < machine->load_count; k++) {
    turn_vector(by, &machine->loads[k].force), turn_vector(by, &machine->loads[k].moment);
  }
  for (int k = 0; k < machine->part_count; k++) turn_pose(by, &machine->parts[k].pose);
  return made;
}

/* --- mirrored at the plane x = 0 ---------------------------------------------------------------
 */

static flg_vec3 mirrored(flg_vec3 v) {
  return (flg_vec3){-v.x, v.y, v.z};
}

/* of what turns: moments, angular velocities */
static flg_vec3 mirrored_turn(flg_vec3 v) {
  return (flg_vec3){v.x, -v.y, -v.z};
}

/* S R S: columns and rows of x change their signs */
static flg_mat3 mirrored_rotation(const flg_mat3 *r) {
  return flg_mat3_from_columns(flg_vec3_negate(mirrored(flg_mat3_column(r, 0))),
                               mirrored(flg_mat3_column(r, 1)), mirrored(flg_mat3_column(r, 2)));
}

static flg_pose mirrored_pose(const flg_pose *pose) {
  return (flg_pose){.position = mirrored(pose->position),
                    .rotation = mirrored_rotation(&pose->rotation)};
}

static void mirror_body(solid *of) {
  of->pose = mirrored_pose(&of->pose);
  of->centre = mirrored(of->centre);
  of->inertia.xy = -of->inertia.xy, of->inertia.xz = -of->inertia.xz;
  of->velocity = mirrored(of->velocity), of->spin = mirrored_turn(of->spin);
  of->beam_half = mirrored(of->beam_half);
}

static void reverse_stops(joint *of) {
  const double lower = of->limits.lower;
  of->limits.lower = -of->limits.upper, of->limits.upper = -lower;
}

static void reverse_motion(prescription *of) {
  of->rate = -of->rate, of->amplitude = -of->amplitude;
}

/* angles about the mirrored axis count the other way, slides do not */
static void mirror_joint(joint *of) {
  of->frame = mirrored_pose(&of->frame), of->far = mirrored(of->far);
  if (of->kind == SCREW || of->kind == RACK) of->number = -of->number;
  if (of->kind == REVOLUTE) reverse_stops(of);
}

correspondence mirror(mechanism *machine) {
  correspondence made = same_sights();
  made.mirrored = true;
  machine->gravity = mirrored(machine->gravity);
  machine->floor = mirrored_pose(&machine->floor);
  for (int k = 0; k < machine->body_count; k++) mirror_body(&machine->bodies[k]);
  for (int k = 0; k < machine->drive_count; k++) {
    actuator *of = &machine->drives[k];
    if (machine->joints[of->joint].kind == REVOLUTE) of->amplitude = -of->amplitude;
  }
  for (int k = 0; k < machine->motion_count; k++) {
    if (machine->joints[machine->motions[k].joint].kind == REVOLUTE)
      reverse_motion(&machine->motions[k]);
  }
  for (int k = 0; k < machine->bushing_count; k++)
    machine->bushings[k].frame = mirrored_pose(&machine->bushings[k].frame);
  for (int k = 0; k < machine->joint_count; k++) mirror_joint(&machine->joints[k]);
  for (int k = 0; k < machine->spring_count; k++) {
    for (int side = 0; side < 2; side++)
      machine->springs[k].at[side] = mirrored(machine->springs[k].at[side]);
  }
  for (int k = 0; k < machine->load_count; k++) {
    pull *of = &machine->loads[k];
    of->force = mirrored(of->force), of->moment = mirrored_turn(of->moment);
  }
  for (int k = 0; k < machine->part_count; k++) {
    machine->parts[k].pose = mirrored_pose(&machine->parts[k].pose);
  }
  return made;
}

/* --- other units -------------------------------------------------------------------------------
 */

static void scale_vector(flg_vec3 *v, double factor) {
  *v = flg_vec3_scale(*v, factor);
}

static void scale_body(solid *of, units by) {
  const double area = by.length * by.length;
  scale_vector(&of->pose.position, by.length), scale_vector(&of->centre, by.length);
  scale_vector(&of->velocity, by.length / by.time), scale_vector(&of->spin, 1 / by.time);
  of->mass *= by.mass;
  of->inertia = flg_sym3_add_scaled((flg_sym3){0}, by.mass * area, of->inertia);
  for (int k = 0; k < 3; k++) of->size[k] *= by.length;
  scale_vector(&of->beam_half, by.length);
  of->beam_diameter *= by.length, of->young *= by.mass / (by.length * by.time * by.time);
}

static void scale_bushing(bushing *of, units by) {
  scale_vector(&of->frame.position, by.length);
  for (int k = 0; k < 6; k++) {
    const double arm = k < 3 ? 1 : by.length * by.length;
    of->stiffness[k] *= arm * by.mass / (by.time * by.time);
    of->damping[k] *= arm * by.mass / by.time;
  }
}

static void scale_motion(prescription *of, joint_kind on, units by) {
  const double way = on == REVOLUTE ? 1 : by.length;
  of->rate *= way / by.time, of->amplitude *= way, of->frequency /= by.time;
}

static void scale_joint(joint *of, units by) {
  const bool turns = of->kind == REVOLUTE || of->kind == GEAR;
  const double way = turns ? 1 : by.length; /* unit of its coordinate */
  const double effort = by.mass * by.length * by.length / (by.time * by.time) / way;
  scale_vector(&of->frame.position, by.length), scale_vector(&of->far, by.length);
  if (of->kind == SCREW || of->kind == RACK) of->number *= by.length;
  of->stiffness *= effort / way, of->damping *= effort / way * by.time;
  of->limits.coulomb *= effort, of->limits.stiction *= effort;
  of->limits.stribeck *= way / by.time, of->limits.viscous *= effort / way * by.time;
  of->limits.lower *= way, of->limits.upper *= way, of->backlash *= way;
}

static void scale_drive(actuator *of, joint_kind on, units by) {
  const double way = on == REVOLUTE ? 1 : by.length;
  const double power = by.mass * by.length * by.length / (by.time * by.time * by.time);
  const double effort = power * by.time / way, current = sqrt(power);
  of->amplitude *= of->motor ? current : effort;
  of->frequency /= by.time, of->constant *= effort / current, of->inductance *= by.time;
}

correspondence scale(mechanism *machine, units by) {
  correspondence made = same_sights();
  const double force = by.mass * by.length / (by.time * by.time);
  made.units = by;
  machine->step *= by.time;
  scale_vector(&machine->gravity, by.length / (by.time * by.time));
  scale_vector(&machine->floor.position, by.length);
  for (int k = 0; k < machine->body_count; k++) scale_body(&machine->bodies[k], by);
  for (int k = 0; k < machine->drive_count; k++) {
    scale_drive(&machine->drives[k], machine->joints[machine->drives[k].joint].kind, by);
  }
  for (int k = 0; k < machine->bushing_count; k++) scale_bushing(&machine->bushings[k], by);
  for (int k = 0; k < machine->motion_count; k++)
    scale_motion(&machine->motions[k], machine->joints[machine->motions[k].joint].kind, by);
  for (int k = 0; k < machine->joint_count; k++) scale_joint(&machine->joints[k], by);
  for (int k = 0; k < machine->spring_count; k++) {
    spring *of = &machine->springs[k];
    for (int side = 0; side < 2; side++) scale_vector(&of->at[side], by.length);
    of->stiffness *= by.mass / (by.time * by.time), of->damping *= by.mass / by.time,
        of->length *= by.length;
  }
  for (int k = 0; k < machine->load_count; k++) {
    scale_vector(&machine->loads[k].force, force),
        scale_vector(&machine->loads[k].moment, force * by.length);
  }
  for (int k = 0; k < machine->part_count; k++)
    scale_vector(&machine->parts[k].pose.position, by.length);
  return made;
}

/* --- other names and orders ---------------------------------------------------------------------
 */

static void shuffle_order(chance *from, int *order, int count) {
  for (int k = count - 1; k > 0; k--) {
    const int other = random_integer(from, 0, k), kept = order[k];
    order[k] = order[other], order[other] = kept;
  }
}

/* what counts along the joint's coordinate counts the other way */
static void reverse_users(mechanism *machine, int index) {
  for (int k = 0; k < machine->motion_count; k++)
    if (machine->motions[k].joint == index) reverse_motion(&machine->motions[k]);
  for (int k = 0; k < machine->drive_count; k++) {
    if (machine->drives[k].joint == index)
      machine->drives[k].amplitude = -machine->drives[k].amplitude;
  }
  for (int k = 0; k < machine->joint_count; k++) {
    joint *of = &machine->joints[k];
    if (!is_coupled(of->kind)) continue;
    for (int side = 0; side < 2; side++) {
      if (of->end[side] == index) of->number = -of->number;
    }
  }
}

static void swap_ends(mechanism *machine, int index) {
  joint *of = &machine->joints[index];
  const flg_mat3 axes = of->frame.rotation;
  const flg_vec3 far = of->far;
  const int first = of->end[0];
  of->end[0] = of->end[1], of->end[1] = first;
  of->far = of->frame.position, of->frame.position = far;
  if (of->kind == UNIVERSAL) { /* the first axis is that of the first end */
    of->frame.rotation =
        flg_mat3_from_columns(flg_mat3_column(&axes, 2), flg_vec3_negate(flg_mat3_column(&axes, 1)),
                              flg_mat3_column(&axes, 0));
  }
  reverse_stops(of);
  reverse_users(machine, index);
}

/* A line belongs to the first end, and robots know parents and children. */
static bool can_swap(const mechanism *machine, int index) {
  const joint *of = &machine->joints[index];
  const int part = part_of_joint(machine, index);
  return !is_coupled(of->kind) && of->kind != POINT_ON_LINE &&
         (part < 0 || !machine->parts[part].robot);
}

correspondence rename_all(mechanism *machine, chance *from) {
  machine->naming = random_integer(from, 1, 1000);
  shuffle_order(from, machine->body_order, machine->body_count);
  shuffle_order(from, machine->joint_order, machine->joint_count);
  for (int k = 0; k < machine->joint_count; k++) {
    if (happens(from, 0.5) && can_swap(machine, k)) swap_ends(machine, k);
  }
  return same_sights();
}

correspondence reorder(mechanism *machine, chance *from) {
  shuffle_order(from, machine->part_order, machine->part_count);
  return same_sights();
}

/* --- sights -------------------------------------------------------------------------------------
 */

sight map_sight(const correspondence *by, const sight *seen) {
  sight s = *seen;
  if (by->mirrored) {
    s = (sight){.position = mirrored(s.position),
                .velocity = mirrored(s.velocity),
                .spin = mirrored_turn(s.spin),
                .rotation = mirrored_rotation(&s.rotation)};
  }
  scale_vector(&s.position, by->units.length), scale_vector(&s.spin, 1 / by->units.time);
  scale_vector(&s.velocity, by->units.length / by->units.time);
  return (sight){.position = flg_pose_apply(&by->turned, s.position),
                 .velocity = flg_mat3_apply(&by->turned.rotation, s.velocity),
                 .spin = flg_mat3_apply(&by->turned.rotation, s.spin),
                 .rotation = flg_mat3_multiply(&by->turned.rotation, &s.rotation)};
}

static double distance_of(flg_vec3 a, flg_vec3 b) {
  return flg_vec3_norm(flg_vec3_subtract(a, b));
}

extent extent_of(const mechanism *machine, const outcome *run) {
  extent found = {0.3, 0};
  for (int k = 0; k < machine->body_count; k++) {
    for (int row = 0; row < run->rows; row++) {
      const sight *s = &run->seen[row][k];
      const double turning = 0.3 * flg_vec3_norm(s->spin);
      found.length = flg_larger(found.length, distance_of(s->position, run->seen[0][0].position));
      found.speed = flg_larger(found.speed, flg_vec3_norm(s->velocity) + turning);
    }
  }
  const double time = (run->rows > 1 ? run->rows - 1 : 1) * machine->micro * machine->step;
  found.speed =
      flg_larger(found.speed, 1e-3 * found.length / time); /* what rests is off by rounding */
  return found;
}

static double velocity_off(const sight *a, const sight *b, double length, double speed) {
  return flg_larger(distance_of(a->velocity, b->velocity) / speed,
                    distance_of(a->spin, b->spin) * length / speed);
}

/* Of a row and a body: how far velocities are from the nearest of the second in the rows around. */
static double nearest_velocity(const outcome *first, const outcome *second,
                               const correspondence *by, const extent *size, int around, int row,
                               int body) {
  const sight a = map_sight(by, &first->seen[row][body]);
  const int rows = first->rows < second->rows ? first->rows : second->rows;
  double off = velocity_off(&a, &second->seen[row][body], size->length, size->speed);
  for (int other = row - around; other <= row + around; other++) {
    if (other < 0 || other >= rows) continue;
    off = flg_smaller(off, velocity_off(&a, &second->seen[other][body], size->length, size->speed));
  }
  return off;
}

static double place_off(const sight *a, const sight *b, double length) {
  double off = distance_of(a->position, b->position) / length;
  for (int i = 0; i < 9; i++) off = flg_larger(off, fabs(a->rotation.m[i] - b->rotation.m[i]));
  return off;
}

/* Velocities may be off for half of the rows around: where two hits follow each other, what is
 * between them may be a row in one of both alone. */
static double difference_within(const mechanism *machine, const outcome *first,
                                const outcome *second, const correspondence *by, int around,
                                int where[2]) {
  const extent of = extent_of(machine, first);
  const extent size = {of.length * by->units.length, of.speed * by->units.length / by->units.time};
  const int rows = first->rows < second->rows ? first->rows : second->rows;
  double worst = 0;
  for (int row = 0; row < rows; row++) {
    for (int k = 0; k < machine->body_count; k++) {
      double off = nearest_velocity(first, second, by, &size, around, row, k);
      for (int other = row - around / 2; other <= row + around / 2; other++) {
        if (other == row || other < 0 || other >= rows) continue;
        off = flg_smaller(off, nearest_velocity(first, second, by, &size, around, other, k));
      }
      const sight a = map_sight(by, &first->seen[row][k]);
      off = flg_larger(off, place_off(&a, &second->seen[row][k], size.length));
      if (flg_exceeds(off, worst) && where != NULL) where[0] = row, where[1] = k;
      worst = flg_larger(worst, off);
    }
  }
  return worst;
}

double difference(const mechanism *machine, const outcome *first, const outcome *second,
                  const correspondence *by, int where[2]) {
  return difference_within(machine, first, second, by, 0, where);
}

double difference_but_for_timing(const mechanism *machine, const outcome *first,
                                 const outcome *second, const correspondence *by, double share,
                                 int where[2]) {
  const extent size = extent_of(machine, first);
  const double whole = first->rows * first->macro, way = size.length / size.speed;
  const double time = share * flg_smaller(whole, way);
  const int around = (int)flg_larger(1, floor(time / first->macro));
  return difference_within(machine, first, second, by, around, where);
}
