/* Numbers are written with all digits: what is read is what was drawn. */
#include "write.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *const KINDS[] = {"weld",          "revolute",  "prismatic", "cylindrical",
                             "screw",         "universal", "spherical", "planar",
                             "point-on-line", "distance",  "gear",      "rack"};
const char *const ROBOT_KINDS[] = {"fixed", "continuous", "prismatic", "cylindrical",
                                   "screw", "universal",  "ball",      "planar"};
const char *const SHAPES[] = {"", "box", "sphere", "capsule", "cylinder"};
static const char *const SCHEMES[] = {"monolithic", "sequential", "parallel"};
const char *const INTEGRATORS[] = {"auto", "rattle", "rk4", "semi-implicit"};
const char *const COORDINATES[] = {"", "absolute", "joint", "auto"};

static void put(text_file *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text_file *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(to->text + to->length, FILE_BYTES - to->length, format, list);
  va_end(list);
  assert(length >= 0 && to->length + (size_t)length < FILE_BYTES);
  to->length += (size_t)length;
}

static void put_vector(text_file *to, const char *key, flg_vec3 v) {
  put(to, "%s: [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z);
}

/* at and turn of a pose, seen from another frame */
static void put_pose(text_file *to, const flg_pose *pose, const flg_pose *seen_from) {
  const flg_pose back = flg_pose_inverse(seen_from), relative = flg_pose_compose(&back, pose);
  double angles[3];
  flg_mat3_to_roll_pitch_yaw(&relative.rotation, angles);
  put_vector(to, "at", relative.position);
  put(to, ", turn: [%.17g, %.17g, %.17g]", angles[0], angles[1], angles[2]);
}

const char *scheme_name(scheme of) {
  return SCHEMES[of];
}

/* --- names ----------------------------------------------------------------------------------- */

/* Another naming gives other letters, and so another order where names are sorted. */
void name_of(const mechanism *machine, char letter, int index, char text[16]) {
  const unsigned mixed = (unsigned)machine->naming * 2654435761u + (unsigned)index * 40503u;
  if (machine->naming == 0) {
    snprintf(text, 16, "%c%d", letter, index);
  } else {
    snprintf(text, 16, "%c%c%d", (int)('a' + (mixed >> 16) % 26), letter, index);
  }
}

void name_part(const mechanism *machine, int part, char text[16]) {
  name_of(machine, 's', part, text);
}

void name_body(const mechanism *machine, int index, char text[16]) {
  if (index == WORLD) {
    memcpy(text, "world", 6);
  } else {
    name_of(machine, 'b', index, text);
  }
}

/* --- frames ---------------------------------------------------------------------------------- */

/* the joint of a robot that carries a body; NULL: it floats */
const joint *carrier_of(const mechanism *machine, int index) {
  for (int k = 0; k < machine->joint_count; k++) {
    const joint *of = &machine->joints[k];
    if (!is_coupled(of->kind) && of->end[1] == index &&
        part_of_joint(machine, k) == machine->bodies[index].part) {
      return of;
    }
  }
  return NULL;
}

/* the frame that a body has in its file: in robots that of its joint */
flg_pose frame_in_file(const mechanism *machine, int index) {
  if (index == WORLD) return flg_pose_identity();
  const solid *of = &machine->bodies[index];
  const joint *carrier = machine->parts[of->part].robot ? carrier_of(machine, index) : NULL;
  return carrier == NULL ? of->pose : carrier->frame;
}

/* the base of a robot cannot move, and touches nothing */
static bool is_base(const mechanism *machine, int index) {
  if (index == WORLD) return true;
  const joint *carrier = carrier_of(machine, index);
  return machine->parts[machine->bodies[index].part].robot && carrier != NULL &&
         carrier->kind == WELD && is_base(machine, carrier->end[0]);
}

bool can_touch(const mechanism *machine, int body) {
  return machine->ground && machine->bodies[body].shape != NO_SHAPE && !is_base(machine, body);
}

/* --- bodies ---------------------------------------------------------------------------------- */

static void put_mass(const mechanism *machine, int index, text_file *to) {
  const solid *of = &machine->bodies[index];
  const flg_pose frame = frame_in_file(machine, index);
  const flg_mat3 turn = flg_mat3_multiply_transposed(&frame.rotation, &of->pose.rotation);
  const flg_sym3 i = flg_sym3_rotate(of->inertia, &turn);
  const flg_vec3 centre = flg_pose_apply(&of->pose, of->centre);
  put(to, "mass: %.17g, ", of->mass);
  if (of->point) {
    put(to, "point: true");
    return;
  }
  put_vector(to, "centre", flg_pose_apply_inverse(&frame, centre));
  put(to, ", inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", i.xx, i.yy, i.zz, i.xy, i.xz,
      i.yz);
}

/* round, so that it has no sides */
static void put_beam(const solid *of, text_file *to) {
  if (of->modes == 0) return;
  put(to, ",\n    flexible: {");
  put_vector(to, "start", flg_vec3_negate(of->beam_half));
  put(to, ", ");
  put_vector(to, "end", of->beam_half);
  put(to, ", section: {diameter: %.17g}, young: %.17g, bending: %d, twist: %d, ends: free-free}",
      of->beam_diameter, of->young, of->modes, of->twists);
}

static void put_shape(const mechanism *machine, int index, text_file *to) {
  const solid *of = &machine->bodies[index];
  if (!machine->ground || of->shape == NO_SHAPE) return;
  const flg_pose frame = frame_in_file(machine, index);
  put(to, ",\n    shapes: [{kind: %s, size: [%.17g", SHAPES[of->shape], of->size[0]);
  if (of->shape != SPHERE) put(to, ", %.17g", of->size[1]);
  if (of->shape == BOX) put(to, ", %.17g", of->size[2]);
  put(to, "], ");
  put_pose(to, &of->pose, &frame);
  if (machine->pile) {
    put(to, ", friction: %.17g, restitution: %.17g}]", of->friction, of->restitution);
    return;
  }
  put(to, ", friction: %.17g, restitution: %.17g, collides: [floor]}]", machine->friction,
      machine->restitution);
}

static void put_bodies(const mechanism *machine, int part, text_file *to) {
  const flg_pose *home = &machine->parts[part].pose;
  put(to, "bodies:\n");
  for (int k = 0; k < machine->body_count; k++) {
    const int index = machine->body_order[k];
    const solid *of = &machine->bodies[index];
    char name[16];
    if (of->part != part) continue;
    name_body(machine, index, name);
    put(to, "  %s: {", name);
    put_mass(machine, index, to);
    if (!machine->parts[part].robot) {
      put(to, ", ");
      put_pose(to, &of->pose, home);
      put(to, ",\n    ");
      put_vector(to, "velocity", flg_mat3_apply_transposed(&home->rotation, of->velocity));
      put(to, ", ");
      put_vector(to, "angular_velocity", flg_mat3_apply_transposed(&home->rotation, of->spin));
    }
    put_beam(of, to);
    put_shape(machine, index, to);
    put(to, "}\n");
  }
}

/* --- joints ---------------------------------------------------------------------------------- */

static void put_options(const joint *of, text_file *to) {
  const limits *l = &of->limits;
  if (of->kind == SCREW) put(to, ", pitch: %.17g", of->number);
  if (of->kind == GEAR) put(to, ", ratio: %.17g", of->number);
  if (of->kind == RACK) put(to, ", radius: %.17g", of->number);
  if (of->stiffness > 0) put(to, ", stiffness: %.17g", of->stiffness);
  if (of->damping > 0) put(to, ", damping: %.17g", of->damping);
  if (of->implicit) put(to, ", implicit: true");
  if (of->backlash > 0) put(to, ", backlash: %.17g", of->backlash);
  if (l->coulomb > 0) put(to, ", friction: {coulomb: %.17g", l->coulomb);
  if (l->coulomb > 0 && l->stiction > 0) put(to, ", stiction: %.17g", l->stiction);
  if (l->coulomb > 0 && l->stribeck > 0) put(to, ", stribeck: %.17g", l->stribeck);
  if (l->coulomb > 0 && l->viscous > 0) put(to, ", viscous: %.17g", l->viscous);
  if (l->coulomb > 0) put(to, "}");
  if (l->lower < l->upper) {
    put(to, ", stops: {lower: %.17g, upper: %.17g, restitution: %.17g}", l->lower, l->upper,
        l->restitution);
  }
}

void name_end(int index, int side, char text[16]) {
  snprintf(text, 16, "%c%d%c", 'e', index, side == 0 ? 'a' : 'z');
}

/* A distance is measured between markers, all others between bodies. */
static void put_inner_joint(const mechanism *machine, int index, text_file *to) {
  const joint *of = &machine->joints[index];
  char name[16], a[16], b[16];
  name_of(machine, 'j', index, name);
  put(to, "  %s: {kind: %s, ", name, KINDS[of->kind]);
  if (is_coupled(of->kind)) {
    name_of(machine, 'j', of->end[0], a), name_of(machine, 'j', of->end[1], b);
    put(to, "drive: %s, driven: %s", a, b);
  } else if (of->kind == DISTANCE) {
    name_end(index, 0, a), name_end(index, 1, b);
    put(to, "between: [%s, %s]", a, b);
  } else {
    name_body(machine, of->end[0], a), name_body(machine, of->end[1], b);
    put(to, "between: [%s, %s], ", a, b);
    put_pose(to, &of->frame, &machine->parts[part_of_joint(machine, index)].pose);
  }
  put_options(of, to);
  put(to, "}\n");
}

/* The joint of a robot that this one follows, by a gear between them; NULL: it is free. */
const joint *leader_of(const mechanism *machine, const joint *of, double *multiplier) {
  for (int k = 0; k < machine->joint_count && of != NULL; k++) {
    const joint *gear = &machine->joints[k];
    if (gear->kind != GEAR || &machine->joints[gear->end[1]] != of) continue;
    *multiplier = 1 / gear->number;
    return &machine->joints[gear->end[0]];
  }
  return NULL;
}

static void put_robot_joint(const mechanism *machine, int index, text_file *to) {
  const joint *carrier = carrier_of(machine, index);
  const solid *of = &machine->bodies[index];
  const flg_pose home = machine->parts[of->part].pose;
  char name[16], parent[16], child[16];
  name_of(machine, 'j', carrier == NULL ? 100 + index : (int)(carrier - machine->joints), name);
  name_body(machine, index, child);
  name_body(machine, carrier == NULL ? WORLD : carrier->end[0], parent);
  const flg_pose frame = carrier == NULL ? of->pose : carrier->frame;
  const flg_pose on =
      carrier == NULL || carrier->end[0] == WORLD ? home : frame_in_file(machine, carrier->end[0]);
  put(to, "  %s: {kind: %s, parent: %s, child: %s, ", name,
      carrier == NULL ? "floating" : ROBOT_KINDS[carrier->kind], parent, child);
  put_pose(to, &frame, &on);
  if (carrier != NULL && carrier->kind == SCREW) put(to, ", pitch: %.17g", carrier->number);
  double multiplier;
  const joint *leader = leader_of(machine, carrier, &multiplier);
  if (leader != NULL) {
    name_of(machine, 'j', (int)(leader - machine->joints), name);
    put(to, ", mimic: {joint: %s, multiplier: %.17g}", name, multiplier);
  }
  put(to, "}\n");
}

static void put_joints(const mechanism *machine, int part, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->body_count && machine->parts[part].robot; k++) {
    const int index = machine->body_order[k];
    if (machine->bodies[index].part != part) continue;
    if (count++ == 0) put(to, "joints:\n");
    put_robot_joint(machine, index, to);
  }
  for (int k = 0; k < machine->joint_count && !machine->parts[part].robot; k++) {
    const int index = machine->joint_order[k];
    if (part_of_joint(machine, index) != part) continue;
    if (count++ == 0) put(to, "joints:\n");
    put_inner_joint(machine, index, to);
  }
}

/* rates of a robot's joint that the velocities of its bodies are made of */
int rates_of(const mechanism *machine, int index, double rates[6]) {
  const joint *carrier = carrier_of(machine, index);
  const solid *of = &machine->bodies[index], still = {0};
  const solid *parent =
      carrier == NULL || carrier->end[0] == WORLD ? &still : &machine->bodies[carrier->end[0]];
  const flg_pose frame = carrier == NULL ? of->pose : carrier->frame;
  const flg_vec3 arm = flg_vec3_subtract(frame.position, of->pose.position);
  const flg_vec3 back = flg_vec3_subtract(frame.position, parent->pose.position);
  const flg_vec3 own = flg_vec3_add(of->velocity, flg_vec3_cross(of->spin, arm));
  const flg_vec3 theirs = flg_vec3_add(parent->velocity, flg_vec3_cross(parent->spin, back));
  const flg_vec3 v = flg_mat3_apply_transposed(&frame.rotation, flg_vec3_subtract(own, theirs));
  const flg_vec3 w =
      flg_mat3_apply_transposed(&frame.rotation, flg_vec3_subtract(of->spin, parent->spin));
  const double all[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
  static const int LISTS[8][4] = {{0},    {1, 5},    {1, 2},       {2, 2, 5},
                                  {1, 5}, {2, 5, 3}, {3, 3, 4, 5}, {3, 0, 1, 5}};
  if (carrier == NULL) return memcpy(rates, all, sizeof all), 6;
  const int *list = LISTS[carrier->kind];
  for (int k = 0; k < list[0]; k++) rates[k] = all[list[k + 1]];
  return list[0];
}

static void put_rates(const mechanism *machine, int part, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->body_count; k++) {
    double rates[6];
    char name[16];
    if (machine->bodies[k].part != part) continue;
    const int width = rates_of(machine, k, rates);
    const joint *carrier = carrier_of(machine, k);
    double multiplier;
    if (width == 0 || leader_of(machine, carrier, &multiplier) != NULL) continue;
    name_of(machine, 'j', carrier == NULL ? 100 + k : (int)(carrier - machine->joints), name);
    put(to, "%s%s: [", count++ == 0 ? ", initial_velocity: {" : ", ", name);
    for (int i = 0; i < width; i++) put(to, "%s%.17g", i > 0 ? ", " : "", rates[i]);
    put(to, "]");
  }
  if (count > 0) put(to, "}");
}

/* --- what else is in a component -------------------------------------------------------------- */

/* frames on bodies that distances and springs act on, and those that are looked at */
static void put_markers(const mechanism *machine, int part, text_file *to) {
  put(to, "markers:\n");
  for (int k = 0; k < machine->body_count; k++) {
    char name[16];
    if (machine->bodies[k].part != part) continue;
    const flg_pose frame = frame_in_file(machine, k);
    name_body(machine, k, name);
    put(to, "  m%s: {body: %s, ", name, name);
    put_pose(to, &machine->bodies[k].pose, &frame);
    put(to, "}\n");
  }
  for (int k = 0; k < machine->joint_count; k++) {
    const joint *of = &machine->joints[k];
    if (of->kind != DISTANCE || part_of_joint(machine, k) != part) continue;
    for (int side = 0; side < 2; side++) {
      char name[16], on[16];
      name_end(k, side, name), name_body(machine, of->end[side], on);
      const flg_pose frame = of->end[side] == WORLD ? machine->parts[part].pose
                                                    : frame_in_file(machine, of->end[side]);
      put(to, "  %s: {body: %s, ", name, on);
      put_vector(to, "at",
                 flg_pose_apply_inverse(&frame, side == 0 ? of->frame.position : of->far));
      put(to, "}\n");
    }
  }
  for (int k = 0; k < machine->spring_count; k++) {
    const spring *of = &machine->springs[k];
    if (machine->bodies[of->end[1]].part != part) continue;
    for (int side = 0; side < 2; side++) {
      char on[16];
      name_body(machine, of->end[side], on);
      const flg_pose frame = of->end[side] == WORLD ? machine->parts[part].pose
                                                    : frame_in_file(machine, of->end[side]);
      put(to, "  q%d%c: {body: %s, ", k, side == 0 ? 'a' : 'z', on);
      put_vector(to, "at", flg_pose_apply_inverse(&frame, of->at[side]));
      put(to, "}\n");
    }
  }
}

static void put_springs(const mechanism *machine, int part, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->spring_count; k++) {
    const spring *of = &machine->springs[k];
    if (machine->bodies[of->end[1]].part != part) continue;
    if (count++ == 0) put(to, "springs:\n");
    put(to, "  k%d: {between: [q%da, q%dz], stiffness: %.17g, damping: %.17g", k, k, k,
        of->stiffness, of->damping);
    if (!isnan(of->length)) put(to, ", length: %.17g", of->length);
    put(to, "%s}\n", of->implicit ? ", implicit: true" : "");
  }
}

static void put_six(text_file *to, const char *along, const char *about, const double of[6]) {
  put(to, ", %s: [%.17g, %.17g, %.17g], %s: [%.17g, %.17g, %.17g]", along, of[0], of[1], of[2],
      about, of[3], of[4], of[5]);
}

static void put_bushings(const mechanism *machine, int part, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->bushing_count; k++) {
    const bushing *of = &machine->bushings[k];
    char a[16], b[16];
    if (part_of_bushing(machine, k) != part) continue;
    name_body(machine, of->end[0], a), name_body(machine, of->end[1], b);
    put(to, "%s  h%d: {between: [%s, %s], ", count++ == 0 ? "bushings:\n" : "", k, a, b);
    put_pose(to, &of->frame, &machine->parts[part].pose);
    put_six(to, "stiffness", "angular_stiffness", of->stiffness);
    put_six(to, "damping", "angular_damping", of->damping);
    put(to, "%s}\n", of->implicit ? ", implicit: true" : "");
  }
}

static void put_motions(const mechanism *machine, int part, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->motion_count; k++) {
    const prescription *of = &machine->motions[k];
    char name[16];
    if (part_of_joint(machine, of->joint) != part) continue;
    name_of(machine, 'j', of->joint, name);
    put(to, "%s  o%d: {on: %s, follows: \"%.17g*time + %.17g*(1 - cos(%.17g*time))\"}\n",
        count++ == 0 ? "motions:\n" : "", k, name, of->rate, of->amplitude, of->frequency);
  }
}

static void put_drives(const mechanism *machine, int part, bool motors, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->drive_count; k++) {
    const actuator *of = &machine->drives[k];
    char name[16];
    if (part_of_joint(machine, of->joint) != part || of->motor != motors) continue;
    name_of(machine, 'j', of->joint, name);
    if (count++ == 0) put(to, motors ? "motors:\n" : "efforts:\n");
    put(to, "  d%d: {on: %s, %s: \"%.17g*sin(%.17g*time + %.17g)\"", k, name,
        motors ? "voltage" : "effort", of->amplitude, of->frequency * 6.283185307179586, of->phase);
    if (motors)
      put(to, ", resistance: %.17g, inductance: %.17g, torque_constant: %.17g", of->resistance,
          of->inductance, of->constant);
    put(to, "}\n");
  }
}

static void put_load(const mechanism *machine, int index, text_file *to) {
  const pull *of = &machine->loads[index];
  const flg_pose frame = frame_in_file(machine, of->body);
  char name[16];
  name_body(machine, of->body, name);
  put(to, "f%d: {body: %s, ", index, name);
  put_vector(to, "at", flg_pose_apply_inverse(&frame, machine->bodies[of->body].pose.position));
  put(to, ", ");
  put_vector(to, "force", of->force);
  put(to, ", ");
  put_vector(to, "moment", of->moment);
  put(to, ", enabled: %s}", of->enabled ? "true" : "false");
}

static void put_loads(const mechanism *machine, int part, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->load_count; k++) {
    if (machine->bodies[machine->loads[k].body].part != part) continue;
    put(to, count++ == 0 ? "forces:\n  " : "  ");
    put_load(machine, k, to);
    put(to, "\n");
  }
}

/* where bushings between subsystems act */
static void put_soft_ports(const mechanism *machine, int part, bool is_first, text_file *to) {
  for (int k = 0; k < machine->bushing_count; k++) {
    const bushing *of = &machine->bushings[k];
    for (int side = 0; side < 2 && part_of_bushing(machine, k) < 0; side++) {
      char on[16];
      if (machine->bodies[of->end[side]].part != part) continue;
      const flg_pose frame = frame_in_file(machine, of->end[side]);
      name_body(machine, of->end[side], on);
      put(to, "%s  h%d%c: {body: %s, ", is_first ? "ports:\n" : "", k, side == 0 ? 'a' : 'z', on);
      put_pose(to, &of->frame, &frame);
      put(to, "}\n");
      is_first = false;
    }
  }
}

static void put_ports(const mechanism *machine, int part, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->joint_count; k++) {
    const joint *of = &machine->joints[k];
    if (is_coupled(of->kind) || part_of_joint(machine, k) >= 0) continue;
    for (int side = 0; side < 2; side++) {
      char name[16], on[16];
      const int end = of->end[side];
      if (end == WORLD || machine->bodies[end].part != part) continue;
      flg_pose at = of->frame;
      const flg_pose frame = frame_in_file(machine, end);
      if (side == 1) at.position = of->far;
      name_end(k, side, name), name_body(machine, end, on);
      if (count++ == 0) put(to, "ports:\n");
      put(to, "  %s: {body: %s, ", name, on);
      put_pose(to, &at, &frame);
      put(to, "}\n");
    }
  }
  put_soft_ports(machine, part, count == 0, to);
}

static void write_part(const mechanism *machine, int part, text_file *to) {
  const bool robot = machine->parts[part].robot;
  put(to, robot ? "flange-model: 1\n" : "flange-component: 1\n");
  put_bodies(machine, part, to);
  put_joints(machine, part, to);
  put_markers(machine, part, to);
  put_ports(machine, part, to);
  if (robot) return;
  put_springs(machine, part, to);
  put_bushings(machine, part, to);
  put_motions(machine, part, to);
  put_drives(machine, part, true, to);
  put_drives(machine, part, false, to);
  put_loads(machine, part, to);
}

/* --- the scenario ---------------------------------------------------------------------------- */

static void put_subsystems(const mechanism *machine, text_file *to) {
  put(to, "subsystems:\n");
  for (int k = 0; k < machine->part_count; k++) {
    const int part = machine->part_order[k];
    const flg_pose world = flg_pose_identity();
    char name[16];
    int count = 0;
    name_part(machine, part, name);
    put(to, "  %s: {model: p%d.yaml, step: %.17g, integrator: %s, ", name, part, machine->step,
        INTEGRATORS[machine->integrator]);
    if (machine->unreduced) put(to, "reduce: none, ");
    if (machine->coordinates != BY_DEFAULT && !machine->parts[part].robot)
      put(to, "coordinates: %s, ", COORDINATES[machine->coordinates]);
    put_pose(to, &machine->parts[part].pose, &world);
    if (machine->parts[part].robot) {
      put_rates(machine, part, to);
      for (int i = 0; i < machine->load_count; i++) {
        if (machine->bodies[machine->loads[i].body].part != part) continue;
        put(to, count++ == 0 ? ",\n    forces: {" : ", ");
        put_load(machine, i, to);
      }
      if (count > 0) put(to, "}");
    }
    put(to, "}\n");
  }
}

static void put_soft_interfaces(const mechanism *machine, bool is_first, text_file *to) {
  for (int k = 0; k < machine->bushing_count; k++) {
    const bushing *of = &machine->bushings[k];
    char a[16], b[16];
    if (part_of_bushing(machine, k) >= 0) continue;
    name_part(machine, machine->bodies[of->end[0]].part, a);
    name_part(machine, machine->bodies[of->end[1]].part, b);
    put(to, "%s  h%d: {between: [%s/h%da, %s/h%dz], bushing: {implicit: %s",
        is_first ? "interfaces:\n" : "", k, a, k, b, k, of->implicit ? "true" : "false");
    put_six(to, "stiffness", "angular_stiffness", of->stiffness);
    put_six(to, "damping", "angular_damping", of->damping);
    put(to, "}}\n");
    is_first = false;
  }
}

static void put_interfaces(const mechanism *machine, text_file *to) {
  int count = 0;
  for (int k = 0; k < machine->joint_count; k++) {
    const int index = machine->joint_order[k];
    const joint *of = &machine->joints[index];
    if (is_coupled(of->kind) || part_of_joint(machine, index) >= 0) continue;
    if (count++ == 0) put(to, "interfaces:\n");
    put(to, "  i%d: {joint: %s, between: [", index, KINDS[of->kind]);
    for (int side = 0; side < 2; side++) {
      char port[16], part[16];
      name_end(index, side, port);
      if (of->end[side] == WORLD) {
        put(to, "world%s", side == 0 ? ", " : "]");
        continue;
      }
      name_part(machine, machine->bodies[of->end[side]].part, part);
      put(to, "%s/%s%s", part, port, side == 0 ? ", " : "]");
    }
    put_options(of, to);
    put(to, "}\n");
  }
  put_soft_interfaces(machine, count == 0, to);
}

static void put_event(const mechanism *machine, const happening *of, text_file *to) {
  char part[16], a[16], b[16];
  put(to, "  - {at: %.17g, ", of->step * machine->micro * machine->step);
  if (of->kind == ENABLE || of->kind == DISABLE) {
    name_part(machine, machine->bodies[machine->loads[of->of[0]].body].part, part);
    put(to, "%s: %s/f%d}\n", of->kind == ENABLE ? "enable" : "disable", part, of->of[0]);
    return;
  }
  name_part(machine, machine->bodies[of->of[0]].part, part);
  name_body(machine, of->of[0], a), name_body(machine, of->of[1], b);
  put(to, "%s: [%s/%s, %s/%s]}\n", of->kind == JOIN ? "weld" : "release", part, a, part, b);
}

static void put_ground(const mechanism *machine, text_file *to) {
  const flg_pose world = flg_pose_identity();
  if (!machine->ground) return;
  put(to, "ground: {shapes: [{kind: plane, group: floor, friction: %.17g, restitution: %.17g, ",
      machine->friction, machine->restitution);
  put_pose(to, &machine->floor, &world);
  put(to, "}]}\n");
  if (machine->box_friction || machine->poisson)
    put(to, "contacts: {friction: %s, restitution: %s}\n", machine->box_friction ? "box" : "cone",
        machine->poisson ? "poisson" : "newton");
}

static void put_record(const mechanism *machine, text_file *to) {
  static const char *const QUANTITIES[] = {"position", "orientation", "velocity",
                                           "angular_velocity"};
  put(to, "record:\n");
  for (int k = 0; k < machine->body_count; k++) {
    char part[16], name[16];
    name_part(machine, machine->bodies[k].part, part), name_body(machine, k, name);
    for (int i = 0; i < 4; i++) put(to, "  - %s/%s/m%s.%s\n", part, name, name, QUANTITIES[i]);
  }
  for (int k = 0; k < machine->body_count; k++) {
    char part[16], name[16];
    if (!can_touch(machine, k)) continue;
    name_part(machine, machine->bodies[k].part, part), name_body(machine, k, name);
    put(to, "  - %s/%s.contact_force\n", part, name);
  }
}

/* --- names of signals --------------------------------------------------------------------------
 */

typedef struct name_list {
  int count;
  char (*names)[SIGNAL_BYTES];
} name_list;

static void add_name(name_list *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_name(name_list *to, const char *format, ...) {
  va_list list;
  if (to->count == SIGNAL_NAMES) return;
  va_start(list, format);
  vsnprintf(to->names[to->count++], SIGNAL_BYTES, format, list);
  va_end(list);
}

static void list_body(const mechanism *machine, int index, name_list *to) {
  static const char *const QUANTITIES[] = {"position",         "orientation",   "velocity",
                                           "angular_velocity", "contact_force", "momentum"};
  char part[16], name[16];
  name_part(machine, machine->bodies[index].part, part), name_body(machine, index, name);
  for (int i = 0; i < 6; i++) add_name(to, "%s/%s.%s", part, name, QUANTITIES[i]);
  for (int i = 0; i < 4; i++) {
    add_name(to, "%s/%s/m%s.%s", part, name, name, QUANTITIES[i]);
    add_name(to, "%s/m%s.%s", part, name, QUANTITIES[i]); /* a marker without its body */
  }
}

static void list_joint(const mechanism *machine, int index, name_list *to) {
  static const char *const QUANTITIES[] = {"position", "velocity", "effort", "force", "moment"};
  static const char *const ENDS[] = {"force", "pose_error", "energy_residual", "rank", "condition"};
  const joint *of = &machine->joints[index];
  const int home = part_of_joint(machine, index);
  char part[16], name[16];
  name_of(machine, 'j', index, name);
  if (home >= 0) {
    name_part(machine, home, part);
    for (int i = 0; i < 5; i++) add_name(to, "%s/%s.%s", part, name, QUANTITIES[i]);
  } else if (!is_coupled(of->kind)) {
    for (int i = 0; i < 5; i++) add_name(to, "i%d.%s", index, ENDS[i]);
    for (int side = 0; side < 2; side++) {
      if (of->end[side] == WORLD) continue;
      name_part(machine, machine->bodies[of->end[side]].part, part);
      name_end(index, side, name);
      add_name(to, "%s/%s.position", part, name); /* a port */
    }
  }
}

int list_signals(const mechanism *machine, char names[SIGNAL_NAMES][SIGNAL_BYTES]) {
  static const char *const SUMS[] = {"energy", "contacts.count", "contacts.residual", "momentum"};
  name_list list = {.names = names};
  char part[16];
  for (int k = 0; k < machine->part_count; k++) {
    name_part(machine, k, part);
    for (int i = 0; i < 4; i++) add_name(&list, "%s/%s", part, SUMS[i]);
  }
  add_name(&list, "macro.wall_time"), add_name(&list, "nothing.position");
  for (int k = 0; k < machine->joint_count; k++) list_joint(machine, k, &list);
  for (int k = 0; k < machine->body_count; k++) list_body(machine, k, &list);
  return list.count;
}

static void write_scenario(const mechanism *machine, text_file *to) {
  const double macro = machine->micro * machine->step;
  put(to, "# seed %llu\nflange: 1\n", (unsigned long long)machine->seed);
  put_vector(to, "gravity", machine->gravity);
  put(to, "\ntime: {end: %.17g, macro: %.17g}\n", machine->macro * macro, macro);
  put_ground(machine, to);
  put_subsystems(machine, to);
  put_interfaces(machine, to);
  put(to, "coupling: {scheme: %s, integrator: %s}\n", SCHEMES[machine->scheme],
      INTEGRATORS[machine->integrator]);
  for (int k = 0; k < machine->event_count; k++) {
    if (k == 0) put(to, "events:\n");
    put_event(machine, &machine->events[k], to);
  }
  put_record(machine, to);
}

void write_files(const mechanism *machine, text_files *to) {
  to->count = 1 + machine->part_count;
  for (int k = 0; k < to->count; k++) {
    text_file *file = &to->list[k];
    file->length = 0;
    if (k == 0) {
      snprintf(file->name, sizeof file->name, "scenario.yaml");
      write_scenario(machine, file);
    } else {
      snprintf(file->name, sizeof file->name, "p%d.yaml", k - 1);
      write_part(machine, k - 1, file);
    }
  }
}

void print_files(const text_files *files, FILE *to) {
  for (int k = 0; k < files->count; k++) {
    fprintf(to, "# --- %s\n%s", files->list[k].name, files->list[k].text);
  }
}

bool keep_files(const text_files *files, const char *folder) {
  bool fine = true;
  char path[300];
  for (int k = files->count - 1; k < PARTS; k++) { /* of another mechanism */
    snprintf(path, sizeof path, "%s/p%d.yaml", folder, k);
    remove(path);
  }
  for (int k = 0; k < files->count && fine; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, files->list[k].name);
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    fine = fwrite(files->list[k].text, 1, files->list[k].length, file) == files->list[k].length;
    fine = fclose(file) == 0 && fine;
  }
  return fine;
}
