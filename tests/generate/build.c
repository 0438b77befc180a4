/* The same as the files say (write.c), by calls of flange/mechanism.h and flange/system.h. Names,
 * orders and numbers are those of the files, so that the same bits come out. */
#include "build.h"

#include <math.h>
#include <string.h>

#include "flange/flexible.h"
#include "flange/system.h"
#include "write.h"

enum { RECORDED = 5 * BODIES, LONGEST = 200 };

typedef struct work {
  const mechanism *machine;
  flg_definition *system, *part; /* the one at hand */
  int index;                     /* of the part */
  bool failed;
  flg_error error; /* of the first call that failed */
} work;

static void expect(work *w, flg_status status) {
  if (status != FLG_OK) w->failed = true;
}

static void set_vector(double to[3], flg_vec3 v) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

static void set_pose(double at[3], double turn[3], const flg_pose *pose,
                     const flg_pose *seen_from) {
  const flg_pose back = flg_pose_inverse(seen_from), relative = flg_pose_compose(&back, pose);
  set_vector(at, relative.position);
  flg_mat3_to_roll_pitch_yaw(&relative.rotation, turn);
}

/* --- bodies ---------------------------------------------------------------------------------- */

static void add_mass(work *w, int index, flg_body_options *to, double inertia[6]) {
  const solid *of = &w->machine->bodies[index];
  const flg_pose frame = frame_in_file(w->machine, index);
  const flg_mat3 turn = flg_mat3_multiply_transposed(&frame.rotation, &of->pose.rotation);
  const flg_sym3 i = flg_sym3_rotate(of->inertia, &turn);
  to->mass = of->mass;
  if (of->point) {
    to->point = FLG_ON;
    return;
  }
  set_vector(to->centre, flg_pose_apply_inverse(&frame, flg_pose_apply(&of->pose, of->centre)));
  const double all[6] = {i.xx, i.yy, i.zz, i.xy, i.xz, i.yz};
  memcpy(inertia, all, sizeof all);
  to->inertia = (flg_number_list){6, inertia};
}

static void add_beam(work *w, const solid *of, const char *name) {
  const double bending = of->modes;
  if (of->modes == 0) return;
  flg_flexible_options beam = flg_flexible_default();
  set_vector(beam.start, flg_vec3_negate(of->beam_half));
  set_vector(beam.end, of->beam_half);
  beam.section_diameter = of->beam_diameter, beam.young = of->young;
  beam.bending = (flg_number_list){1, &bending}, beam.twist = of->twists, beam.ends = "free-free";
  expect(w, flg_define_flexible(w->part, name, &beam, &w->error));
}

static void add_shape(work *w, int index, const char *name) {
  const mechanism *m = w->machine;
  const solid *of = &m->bodies[index];
  const char *const groups[] = {"floor"};
  if (!m->ground || of->shape == NO_SHAPE) return;
  const flg_pose frame = frame_in_file(m, index);
  flg_shape_options shape = flg_shape_default();
  shape.kind = SHAPES[of->shape];
  shape.lengths = (flg_number_list){of->shape == BOX ? 3 : of->shape == SPHERE ? 1 : 2, of->size};
  set_pose(shape.at, shape.turn, &of->pose, &frame);
  shape.friction = m->pile ? of->friction : m->friction;
  shape.restitution = m->pile ? of->restitution : m->restitution;
  if (!m->pile) shape.collides = (flg_text_list){1, groups};
  expect(w, flg_define_shape(w->part, name, &shape, &w->error));
}

static void add_bodies(work *w) {
  const mechanism *m = w->machine;
  const piece *home = &m->parts[w->index];
  for (int k = 0; k < m->body_count; k++) {
    const int index = m->body_order[k];
    const solid *of = &m->bodies[index];
    flg_body_options body = flg_body_default();
    double inertia[6];
    char name[16];
    if (of->part != w->index) continue;
    name_body(m, index, name);
    add_mass(w, index, &body, inertia);
    if (!home->robot) {
      set_pose(body.at, body.turn, &of->pose, &home->pose);
      set_vector(body.velocity, flg_mat3_apply_transposed(&home->pose.rotation, of->velocity));
      set_vector(body.angular_velocity, flg_mat3_apply_transposed(&home->pose.rotation, of->spin));
    }
    expect(w, flg_define_body(w->part, name, &body, &w->error));
    add_beam(w, of, name);
    add_shape(w, index, name);
  }
}

/* --- joints ---------------------------------------------------------------------------------- */

static void set_options(const joint *of, flg_joint_options *to) {
  const limits *l = &of->limits;
  if (of->kind == SCREW) to->pitch = of->number;
  if (of->kind == GEAR) to->ratio = of->number;
  if (of->kind == RACK) to->radius = of->number;
  if (of->stiffness > 0) to->stiffness = of->stiffness;
  if (of->damping > 0) to->damping = of->damping;
  if (of->implicit) to->implicit = FLG_ON;
  if (of->backlash > 0) to->backlash = of->backlash;
  if (l->coulomb > 0) to->friction_coulomb = l->coulomb;
  if (l->coulomb > 0 && l->stiction > 0) to->friction_stiction = l->stiction;
  if (l->coulomb > 0 && l->stribeck > 0) to->friction_stribeck = l->stribeck;
  if (l->coulomb > 0 && l->viscous > 0) to->friction_viscous = l->viscous;
  if (l->lower < l->upper) {
    to->stops_lower = l->lower, to->stops_upper = l->upper;
    to->stops_restitution = l->restitution;
  }
}

static void add_inner_joint(work *w, int index) {
  const mechanism *m = w->machine;
  const joint *of = &m->joints[index];
  flg_joint_options made = flg_joint_default();
  char name[16], a[16], b[16];
  const char *const first[] = {a}, *const second[] = {b};
  name_of(m, 'j', index, name);
  made.kind = KINDS[of->kind];
  if (is_coupled(of->kind)) {
    name_of(m, 'j', of->end[0], a), name_of(m, 'j', of->end[1], b);
    made.drive = (flg_text_list){1, first}, made.driven = (flg_text_list){1, second};
  } else if (of->kind == DISTANCE) {
    name_end(index, 0, a), name_end(index, 1, b);
    made.between[0] = a, made.between[1] = b;
  } else {
    name_body(m, of->end[0], a), name_body(m, of->end[1], b);
    made.between[0] = a, made.between[1] = b;
    set_pose(made.at, made.turn, &of->frame, &m->parts[w->index].pose);
  }
  set_options(of, &made);
  expect(w, flg_define_joint(w->part, name, &made, &w->error));
}

static void name_carrier(const mechanism *m, int body, char text[16]) {
  const joint *carrier = carrier_of(m, body);
  name_of(m, 'j', carrier == NULL ? 100 + body : (int)(carrier - m->joints), text);
}

static void add_robot_joint(work *w, int index) {
  const mechanism *m = w->machine;
  const joint *carrier = carrier_of(m, index);
  const solid *of = &m->bodies[index];
  flg_joint_options made = flg_joint_default();
  char name[16], parent[16], child[16], lead[16];
  double multiplier;
  name_carrier(m, index, name), name_body(m, index, child);
  name_body(m, carrier == NULL ? WORLD : carrier->end[0], parent);
  const flg_pose frame = carrier == NULL ? of->pose : carrier->frame;
  const bool on_world = carrier == NULL || carrier->end[0] == WORLD;
  const flg_pose on = on_world ? m->parts[of->part].pose : frame_in_file(m, carrier->end[0]);
  made.kind = carrier == NULL ? "floating" : ROBOT_KINDS[carrier->kind];
  made.parent = parent, made.child = child;
  set_pose(made.at, made.turn, &frame, &on);
  if (carrier != NULL && carrier->kind == SCREW) made.pitch = carrier->number;
  const joint *leader = leader_of(m, carrier, &multiplier);
  if (leader != NULL) {
    name_of(m, 'j', (int)(leader - m->joints), lead);
    made.mimic_joint = lead, made.mimic_multiplier = multiplier;
  }
  expect(w, flg_define_joint(w->part, name, &made, &w->error));
}

static void add_joints(work *w) {
  const mechanism *m = w->machine;
  const bool robot = m->parts[w->index].robot;
  for (int k = 0; k < m->body_count && robot; k++) {
    const int index = m->body_order[k];
    if (m->bodies[index].part == w->index) add_robot_joint(w, index);
  }
  for (int k = 0; k < m->joint_count && !robot; k++) {
    const int index = m->joint_order[k];
    if (part_of_joint(m, index) == w->index) add_inner_joint(w, index);
  }
}

/* --- frames ---------------------------------------------------------------------------------- */

typedef flg_status define_frame(flg_definition *definition, const char *name,
                                const flg_frame_options *options, flg_error *error);

static void add_frame(work *w, define_frame *define, const char *name, int body,
                      const flg_pose *pose) {
  const flg_pose frame = frame_in_file(w->machine, body);
  flg_frame_options made = flg_frame_default();
  char on[16];
  name_body(w->machine, body, on);
  made.body = on;
  set_pose(made.at, made.turn, pose, &frame);
  expect(w, define(w->part, name, &made, &w->error));
}

/* a point on a body or on the world, as the part sees it */
static void add_point(work *w, const char *name, int body, flg_vec3 point) {
  const flg_pose frame =
      body == WORLD ? w->machine->parts[w->index].pose : frame_in_file(w->machine, body);
  flg_frame_options made = flg_frame_default();
  char on[16];
  name_body(w->machine, body, on);
  made.body = on;
  set_vector(made.at, flg_pose_apply_inverse(&frame, point));
  expect(w, flg_define_marker(w->part, name, &made, &w->error));
}

static void add_markers(work *w) {
  const mechanism *m = w->machine;
  char body[16], name[20];
  for (int k = 0; k < m->body_count; k++) {
    if (m->bodies[k].part != w->index) continue;
    name_body(m, k, body);
    snprintf(name, sizeof name, "m%s", body);
    add_frame(w, flg_define_marker, name, k, &m->bodies[k].pose);
  }
  for (int k = 0; k < m->joint_count; k++) {
    const joint *of = &m->joints[k];
    if (of->kind != DISTANCE || part_of_joint(m, k) != w->index) continue;
    for (int side = 0; side < 2; side++) {
      name_end(k, side, body);
      add_point(w, body, of->end[side], side == 0 ? of->frame.position : of->far);
    }
  }
  for (int k = 0; k < m->spring_count; k++) {
    if (m->bodies[m->springs[k].end[1]].part != w->index) continue;
    for (int side = 0; side < 2; side++) {
      snprintf(name, sizeof name, "q%d%c", k, side == 0 ? 'a' : 'z');
      add_point(w, name, m->springs[k].end[side], m->springs[k].at[side]);
    }
  }
}

static void add_ports(work *w) {
  const mechanism *m = w->machine;
  for (int k = 0; k < m->joint_count; k++) {
    const joint *of = &m->joints[k];
    if (is_coupled(of->kind) || part_of_joint(m, k) >= 0) continue;
    for (int side = 0; side < 2; side++) {
      const int end = of->end[side];
      char name[16];
      if (end == WORLD || m->bodies[end].part != w->index) continue;
      flg_pose at = of->frame;
      if (side == 1) at.position = of->far;
      name_end(k, side, name);
      add_frame(w, flg_define_port, name, end, &at);
    }
  }
  for (int k = 0; k < m->bushing_count; k++) {
    const bushing *of = &m->bushings[k];
    for (int side = 0; side < 2 && part_of_bushing(m, k) < 0; side++) {
      char name[16];
      if (m->bodies[of->end[side]].part != w->index) continue;
      snprintf(name, sizeof name, "h%d%c", k, side == 0 ? 'a' : 'z');
      add_frame(w, flg_define_port, name, of->end[side], &of->frame);
    }
  }
}

/* --- what else is in a component ------------------------------------------------------------- */

static void add_springs(work *w) {
  const mechanism *m = w->machine;
  for (int k = 0; k < m->spring_count; k++) {
    const spring *of = &m->springs[k];
    flg_spring_options made = flg_spring_default();
    char name[16], a[16], b[16];
    if (m->bodies[of->end[1]].part != w->index) continue;
    snprintf(name, sizeof name, "k%d", k);
    snprintf(a, sizeof a, "q%da", k), snprintf(b, sizeof b, "q%dz", k);
    made.between[0] = a, made.between[1] = b;
    made.stiffness = of->stiffness, made.damping = of->damping, made.length = of->length;
    if (of->implicit) made.implicit = FLG_ON;
    expect(w, flg_define_spring(w->part, name, &made, &w->error));
  }
}

/* in the part at hand, or -1: between subsystems */
static void add_bushings(work *w, flg_definition *to, int part) {
  const mechanism *m = w->machine;
  for (int k = 0; k < m->bushing_count; k++) {
    const bushing *of = &m->bushings[k];
    flg_bushing_options made = flg_bushing_default();
    char name[16], ends[2][40], on[16];
    if (part_of_bushing(m, k) != part) continue;
    for (int side = 0; side < 2; side++) {
      if (part < 0) {
        name_part(m, m->bodies[of->end[side]].part, on);
        snprintf(ends[side], sizeof ends[side], "%s/h%d%c", on, k, side == 0 ? 'a' : 'z');
      } else {
        name_body(m, of->end[side], on);
        snprintf(ends[side], sizeof ends[side], "%s", on);
      }
      made.between[side] = ends[side];
    }
    if (part >= 0) set_pose(made.at, made.turn, &of->frame, &m->parts[part].pose);
    memcpy(made.stiffness, of->stiffness, sizeof made.stiffness);
    memcpy(made.angular_stiffness, of->stiffness + 3, sizeof made.angular_stiffness);
    memcpy(made.damping, of->damping, sizeof made.damping);
    memcpy(made.angular_damping, of->damping + 3, sizeof made.angular_damping);
    if (of->implicit) made.implicit = FLG_ON;
    snprintf(name, sizeof name, "h%d", k);
    expect(w, flg_define_bushing(to, name, &made, &w->error));
  }
}

static void add_motions(work *w) {
  const mechanism *m = w->machine;
  for (int k = 0; k < m->motion_count; k++) {
    const prescription *of = &m->motions[k];
    flg_effort_options made = flg_effort_default();
    char name[16], on[16], formula[LONGEST];
    if (part_of_joint(m, of->joint) != w->index) continue;
    name_of(m, 'j', of->joint, on);
    snprintf(name, sizeof name, "o%d", k);
    snprintf(formula, sizeof formula, "%.17g*time + %.17g*(1 - cos(%.17g*time))", of->rate,
             of->amplitude, of->frequency);
    made.on = on, made.follows = formula;
    expect(w, flg_define_motion(w->part, name, &made, &w->error));
  }
}

static void add_drive(work *w, int index) {
  const actuator *of = &w->machine->drives[index];
  char name[16], on[16], formula[LONGEST];
  name_of(w->machine, 'j', of->joint, on);
  snprintf(name, sizeof name, "d%d", index);
  snprintf(formula, sizeof formula, "%.17g*sin(%.17g*time + %.17g)", of->amplitude,
           of->frequency * 6.283185307179586, of->phase);
  if (of->motor) {
    flg_motor_options made = flg_motor_default();
    made.on = on, made.voltage = formula;
    made.resistance = of->resistance, made.inductance = of->inductance;
    made.torque_constant = of->constant;
    expect(w, flg_define_motor(w->part, name, &made, &w->error));
  } else {
    flg_effort_options made = flg_effort_default();
    made.on = on, made.effort = formula;
    expect(w, flg_define_effort(w->part, name, &made, &w->error));
  }
}

static void add_drives(work *w) {
  for (int pass = 0; pass < 2; pass++) { /* motors first */
    for (int k = 0; k < w->machine->drive_count; k++) {
      const actuator *of = &w->machine->drives[k];
      if (part_of_joint(w->machine, of->joint) == w->index && of->motor == (pass == 0))
        add_drive(w, k);
    }
  }
}

/* of the part at hand: into it, or into the system, for a robot */
static void add_loads(work *w, flg_definition *to, const char *prefix) {
  const mechanism *m = w->machine;
  for (int k = 0; k < m->load_count; k++) {
    const pull *of = &m->loads[k];
    flg_force_options made = flg_force_default();
    char name[40], on[16];
    if (m->bodies[of->body].part != w->index) continue;
    const flg_pose frame = frame_in_file(m, of->body);
    name_body(m, of->body, on);
    snprintf(name, sizeof name, "%sf%d", prefix, k);
    made.body = on, made.enabled = of->enabled ? FLG_ON : FLG_OFF;
    set_vector(made.at, flg_pose_apply_inverse(&frame, m->bodies[of->body].pose.position));
    set_vector(made.force, of->force), set_vector(made.moment, of->moment);
    expect(w, flg_define_force(to, name, &made, &w->error));
  }
}

static void add_part(work *w, int index) {
  const bool robot = w->machine->parts[index].robot;
  char name[24];
  snprintf(name, sizeof name, "p%d.yaml", index);
  w->index = index, w->part = NULL;
  expect(w, flg_definition_build(&w->part, robot ? FLG_DEFINE_ROBOT : FLG_DEFINE_COMPONENT, name,
                                 &w->error));
  if (w->part == NULL) return;
  add_bodies(w), add_joints(w), add_markers(w), add_ports(w);
  if (!robot) {
    add_springs(w), add_bushings(w, w->part, index), add_motions(w), add_drives(w);
    add_loads(w, w->part, "");
  }
  expect(w, flg_define_part(w->system, w->part, &w->error));
  flg_definition_release(w->part);
}

/* --- the system ------------------------------------------------------------------------------ */

static void add_subsystem(work *w, int part) {
  const mechanism *m = w->machine;
  const flg_pose world = flg_pose_identity();
  flg_subsystem_options made = flg_subsystem_default();
  flg_named rates[BODIES];
  double values[BODIES][6], multiplier;
  char name[16], model[24], joints[BODIES][16], prefix[24];
  int count = 0;
  name_part(m, part, name);
  snprintf(model, sizeof model, "p%d.yaml", part);
  made.model = model, made.step = m->step, made.integrator = INTEGRATORS[m->integrator];
  if (m->unreduced) made.reduce = "none";
  if (m->coordinates != BY_DEFAULT && !m->parts[part].robot)
    made.coordinates = COORDINATES[m->coordinates];
  set_pose(made.at, made.turn, &m->parts[part].pose, &world);
  for (int k = 0; k < m->body_count && m->parts[part].robot; k++) {
    if (m->bodies[k].part != part) continue;
    const int width = rates_of(m, k, values[count]);
    if (width == 0 || leader_of(m, carrier_of(m, k), &multiplier) != NULL) continue;
    name_carrier(m, k, joints[count]);
    rates[count] = (flg_named){.name = joints[count], .numbers = {width, values[count]}};
    count++;
  }
  made.initial_velocity = (flg_named_list){count, rates};
  expect(w, flg_define_subsystem(w->system, name, &made, &w->error));
  snprintf(prefix, sizeof prefix, "%s/", name);
  w->index = part;
  if (m->parts[part].robot) add_loads(w, w->system, prefix);
}

static void add_interfaces(work *w) {
  const mechanism *m = w->machine;
  for (int k = 0; k < m->joint_count; k++) {
    const int index = m->joint_order[k];
    const joint *of = &m->joints[index];
    flg_joint_options made = flg_joint_default();
    char name[16], ends[2][40];
    if (is_coupled(of->kind) || part_of_joint(m, index) >= 0) continue;
    for (int side = 0; side < 2; side++) {
      char port[16], part[16];
      made.between[side] = "world";
      if (of->end[side] == WORLD) continue;
      name_end(index, side, port), name_part(m, m->bodies[of->end[side]].part, part);
      snprintf(ends[side], sizeof ends[side], "%s/%s", part, port);
      made.between[side] = ends[side];
    }
    made.kind = KINDS[of->kind];
    set_options(of, &made);
    snprintf(name, sizeof name, "i%d", index);
    expect(w, flg_define_interface(w->system, name, &made, &w->error));
  }
  add_bushings(w, w->system, -1);
}

static void add_events(work *w) {
  const mechanism *m = w->machine;
  for (int k = 0; k < m->event_count; k++) {
    const happening *of = &m->events[k];
    flg_event_options made = flg_event_default();
    char part[16], a[16], b[16], first[40], second[40];
    const char *const both[] = {first, second};
    made.at = of->step * m->micro * m->step;
    if (of->kind == ENABLE || of->kind == DISABLE) {
      name_part(m, m->bodies[m->loads[of->of[0]].body].part, part);
      snprintf(first, sizeof first, "%s/f%d", part, of->of[0]);
      *(of->kind == ENABLE ? &made.enable : &made.disable) = (flg_text_list){1, both};
    } else {
      name_part(m, m->bodies[of->of[0]].part, part);
      name_body(m, of->of[0], a), name_body(m, of->of[1], b);
      snprintf(first, sizeof first, "%s/%s", part, a);
      snprintf(second, sizeof second, "%s/%s", part, b);
      if (of->kind == JOIN) made.weld[0] = first, made.weld[1] = second;
      if (of->kind == LET_GO) made.release = (flg_text_list){2, both};
    }
    expect(w, flg_define_event(w->system, &made, &w->error));
  }
}

static void add_ground(work *w) {
  const mechanism *m = w->machine;
  const flg_pose world = flg_pose_identity();
  if (!m->ground) return;
  flg_shape_options plane = flg_shape_default();
  plane.kind = "plane", plane.group = "floor";
  plane.friction = m->friction, plane.restitution = m->restitution;
  set_pose(plane.at, plane.turn, &m->floor, &world);
  expect(w, flg_define_shape(w->system, NULL, &plane, &w->error));
  if (!m->box_friction && !m->poisson) return;
  flg_touch_options touch = flg_touch_default();
  touch.friction = m->box_friction ? "box" : "cone";
  touch.restitution = m->poisson ? "poisson" : "newton";
  expect(w, flg_define_contacts(w->system, NULL, &touch, &w->error));
}

static void add_whole(work *w) {
  static const char *const QUANTITIES[] = {"position", "orientation", "velocity",
                                           "angular_velocity"};
  static char names[RECORDED][SIGNAL_BYTES];
  const mechanism *m = w->machine;
  const char *record[RECORDED];
  flg_system_options made = flg_system_default();
  char part[16], name[16];
  int count = 0;
  for (int k = 0; k < m->body_count; k++) {
    name_part(m, m->bodies[k].part, part), name_body(m, k, name);
    for (int i = 0; i < 4; i++)
      snprintf(names[count++], SIGNAL_BYTES, "%s/%s/m%s.%s", part, name, name, QUANTITIES[i]);
  }
  for (int k = 0; k < m->body_count; k++) {
    if (!can_touch(m, k)) continue;
    name_part(m, m->bodies[k].part, part), name_body(m, k, name);
    snprintf(names[count++], SIGNAL_BYTES, "%s/%s.contact_force", part, name);
  }
  for (int k = 0; k < count; k++) record[k] = names[k];
  set_vector(made.gravity, m->gravity);
  made.macro = m->micro * m->step, made.end = m->macro * made.macro;
  made.record = (flg_text_list){count, record};
  expect(w, flg_define_system(w->system, &made, &w->error));
}

static void add_coupling(work *w) {
  flg_scheme_options made = flg_scheme_default();
  made.scheme = scheme_name(w->machine->scheme);
  made.integrator = INTEGRATORS[w->machine->integrator];
  expect(w, flg_define_coupling(w->system, &made, &w->error));
}

flg_status build_by_calls(const mechanism *machine, flg_simulation **simulation,
                          flg_mistakes *mistakes) {
  work w = {.machine = machine};
  *mistakes = (flg_mistakes){0};
  expect(&w, flg_definition_build(&w.system, FLG_DEFINE_SYSTEM, "scenario.yaml", &w.error));
  if (w.system == NULL) return FLG_ERR_MEMORY;
  add_whole(&w), add_ground(&w);
  for (int k = 0; k < machine->part_count; k++) add_part(&w, k);
  for (int k = 0; k < machine->part_count; k++) add_subsystem(&w, machine->part_order[k]);
  add_interfaces(&w), add_coupling(&w), add_events(&w);
  flg_status status = FLG_ERR_USAGE;
  if (w.failed) {
    mistakes->count = 1, mistakes->status = status;
    snprintf(mistakes->list[0].message, sizeof mistakes->list[0].message, "%.200s",
             w.error.message);
  } else {
    status = flg_definition_simulate(w.system, NULL, 0, simulation, mistakes);
  }
  flg_definition_release(w.system);
  return status;
}
