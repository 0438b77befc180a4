/* Random mechanisms. Everything is drawn in one fixed order, so a seed always means the same. */
#include <math.h>
#include <string.h>

#include "chance.h"
#include "math/larger.h"
#include "mechanism.h"

enum { DRAW_BODIES = 1, DRAW_PARTS = 2 };

/* kinds of joints in trees, and of those that close loops, as often as they stand here */
static const joint_kind TREE_KINDS[] = {
    REVOLUTE,  REVOLUTE, REVOLUTE,  REVOLUTE,    REVOLUTE, PRISMATIC, PRISMATIC,     SPHERICAL,
    SPHERICAL, WELD,     UNIVERSAL, CYLINDRICAL, SCREW,    PLANAR,    POINT_ON_LINE, DISTANCE};
static const joint_kind LOOP_KINDS[] = {REVOLUTE, SPHERICAL,     SPHERICAL, DISTANCE,
                                        DISTANCE, POINT_ON_LINE, PLANAR,    CYLINDRICAL};
#define PICK(from, list) (list)[random_integer(from, 0, (int)(sizeof(list) / sizeof *(list)) - 1)]

typedef struct drawing {
  chance from;
  mechanism *to;
  bool flat;   /* hinges with one axis: loops that move, with redundant rows */
  bool moving; /* joints have rates at the start */
  flg_mat3 axes;
  double mass, ratio;
} drawing;

static flg_vec3 velocity_at(const solid *of, flg_vec3 point) {
  return flg_vec3_add(of->velocity,
                      flg_vec3_cross(of->spin, flg_vec3_subtract(point, of->pose.position)));
}

/* a solid that could be: no moment of inertia is over the sum of the others */
static flg_sym3 random_inertia(chance *from, double mass) {
  const double radius = random_uniform(from, 0.05, 0.3);
  double share[3], size = mass * radius * radius;
  for (int k = 0; k < 3; k++) share[k] = random_uniform(from, 0.1, 1);
  const flg_sym3 inertia = {.xx = size * (share[1] + share[2]),
                            .yy = size * (share[0] + share[2]),
                            .zz = size * (share[0] + share[1])};
  const flg_mat3 axes = random_axes(from);
  return flg_sym3_rotate(inertia, &axes);
}

static void draw_shape(drawing *d, solid *of) {
  of->shape =
      happens(&d->from, 0.7) ? (shape_kind)random_integer(&d->from, BOX, CYLINDER) : NO_SHAPE;
  for (int k = 0; k < 3; k++) of->size[k] = random_uniform(&d->from, 0.1, 0.3);
  if (!d->to->ground) of->shape = NO_SHAPE;
}

static void draw_body(drawing *d, int index) {
  mechanism *m = d->to;
  const solid *parent = index > 0 ? &m->bodies[random_integer(&d->from, 0, index - 1)] : NULL;
  if (index > 1 && happens(&d->from, 0.6)) parent = &m->bodies[index - 1];
  solid *of = &m->bodies[index];
  flg_vec3 away = random_point(&d->from, 0.5);
  if (d->flat) away = flg_mat3_apply(&d->axes, (flg_vec3){away.x, away.y, 0});
  away = flg_vec3_add_scaled(away, 0.2, flg_vec3_normalise(away));
  of->pose = (flg_pose){
      .position = flg_vec3_add(parent == NULL ? (flg_vec3){0, 0, 0} : parent->pose.position, away),
      .rotation = random_axes(&d->from)};
  of->mass = d->mass * log_uniform(&d->from, 1, d->ratio);
  of->centre = random_point(&d->from, 0.05);
  of->inertia = random_inertia(&d->from, of->mass);
  draw_shape(d, of);
}

/* a frame between two ends; the world's is near the body */
static flg_pose frame_between(drawing *d, int a, int b) {
  const solid *bodies = d->to->bodies;
  const flg_vec3 near = bodies[b].pose.position;
  const flg_vec3 from =
      a == WORLD ? flg_vec3_add(near, random_point(&d->from, 0.4)) : bodies[a].pose.position;
  flg_pose frame = random_pose(&d->from, 0.1);
  if (d->flat) frame.rotation = d->axes, frame.position = (flg_vec3){0, 0, 0};
  const flg_vec3 middle = flg_vec3_scale(flg_vec3_add(from, near), 0.5);
  frame.position = flg_vec3_add(frame.position, middle);
  return frame;
}

static joint *add_joint(drawing *d, joint_kind kind, int a, int b) {
  joint *made = &d->to->joints[d->to->joint_count++];
  *made = (joint){.kind = kind, .end = {a, b}, .frame = frame_between(d, a, b)};
  const flg_vec3 off = flg_vec3_add(random_point(&d->from, 0.1), (flg_vec3){0.15, 0, 0});
  made->far =
      kind == DISTANCE ? flg_vec3_add(d->to->bodies[b].pose.position, off) : made->frame.position;
  made->number = random_uniform(&d->from, -0.1, 0.1);
  return made;
}

/* gives the second end the twist of the first, and what the joint leaves free */
static void draw_rates(drawing *d, const joint *of) {
  const solid still = {0}, *parent = of->end[0] == WORLD ? &still : &d->to->bodies[of->end[0]];
  solid *child = &d->to->bodies[of->end[1]];
  const flg_vec3 x = flg_mat3_column(&of->frame.rotation, 0),
                 y = flg_mat3_column(&of->frame.rotation, 1);
  const flg_vec3 z = flg_mat3_column(&of->frame.rotation, 2);
  double rate[3], slide[3];
  for (int k = 0; k < 3; k++) {
    rate[k] = random_uniform(&d->from, -3, 3), slide[k] = random_uniform(&d->from, -1, 1);
    if (!d->moving) rate[k] = slide[k] = 0;
  }
  const joint_kind kind = of->kind;
  const bool all = kind == SPHERICAL || kind == POINT_ON_LINE || kind == DISTANCE;
  flg_vec3 spin = {0, 0, 0}, shift = {0, 0, 0};
  if (all || kind == UNIVERSAL) spin = flg_vec3_add_scaled(spin, rate[0], x);
  if (all) spin = flg_vec3_add_scaled(spin, rate[1], y);
  if (kind != WELD && kind != PRISMATIC) spin = flg_vec3_add_scaled(spin, rate[2], z);
  if (kind == PLANAR)
    shift = flg_vec3_add(flg_vec3_scale(x, slide[0]), flg_vec3_scale(y, slide[1]));
  if (kind == PRISMATIC || kind == CYLINDRICAL || kind == POINT_ON_LINE)
    shift = flg_vec3_scale(z, slide[2]);
  if (kind == SCREW) shift = flg_vec3_scale(z, of->number * rate[2]);
  child->spin = flg_vec3_add(parent->spin, spin);
  const flg_vec3 arm = flg_vec3_subtract(child->pose.position, of->far);
  child->velocity = flg_vec3_add(flg_vec3_add(velocity_at(parent, of->far), shift),
                                 flg_vec3_cross(child->spin, arm));
}

static void draw_tree(drawing *d, bool grounded) {
  mechanism *m = d->to;
  for (int k = 0; k < m->body_count; k++) {
    draw_body(d, k);
    const int chain =
        happens(&d->from, 0.6) ? k - 1 : random_integer(&d->from, 0, k > 0 ? k - 1 : 0);
    const bool free = k == 0 ? !grounded : happens(&d->from, 0.06);
    const joint_kind kind = d->flat ? REVOLUTE : PICK(&d->from, TREE_KINDS);
    if (!free) {
      draw_rates(d, add_joint(d, kind, k == 0 ? WORLD : chain, k));
    } else if (d->moving) {
      m->bodies[k].velocity = random_point(&d->from, 1),
      m->bodies[k].spin = random_point(&d->from, 3);
    }
  }
}

static bool are_joined(const mechanism *m, int a, int b) {
  for (int k = 0; k < m->joint_count; k++) {
    const int *end = m->joints[k].end;
    if ((end[0] == a && end[1] == b) || (end[0] == b && end[1] == a)) return true;
  }
  return false;
}

static void draw_loops(drawing *d) {
  const int count = random_integer(&d->from, 1, 2);
  for (int k = 0; k < count; k++) {
    const int b = random_integer(&d->from, 1, d->to->body_count - 1);
    const int a = random_integer(&d->from, WORLD, b - 1);
    const joint_kind kind = d->flat ? REVOLUTE : PICK(&d->from, LOOP_KINDS);
    if (are_joined(d->to, a, b)) continue;
    add_joint(d, kind, a, b);
  }
}

static double least_inertia(const mechanism *m, const joint *of) {
  double least = HUGE_VAL;
  for (int side = 0; side < 2; side++) {
    double values[3];
    if (of->end[side] == WORLD) continue;
    const solid *end = &m->bodies[of->end[side]];
    flg_sym3_eigenvalues(end->inertia, values);
    for (int k = 0; k < 3; k++) least = flg_smaller(least, values[k]);
    if (of->kind == PRISMATIC) least = end->mass;
  }
  return least;
}

/* what acts on coordinates, in proportion to what moves there: no explicit spring is too stiff */
static void draw_coordinate(drawing *d, joint *of) {
  const double inertia = least_inertia(d->to, of), w = log_uniform(&d->from, 1, 30);
  const double effort = inertia * log_uniform(&d->from, 1, 30);
  const bool springy = happens(&d->from, 0.2), rough = happens(&d->from, 0.15),
             ends = happens(&d->from, 0.15);
  const double damped = random_uniform(&d->from, 0, 0.5), low = random_uniform(&d->from, 0, 0.2);
  const double high = random_uniform(&d->from, 0, 0.2), back = random_uniform(&d->from, 0, 1);
  const bool implicit = happens(&d->from, 0.3), extra = happens(&d->from, 0.5),
             bounces = happens(&d->from, 0.4);
  if (springy)
    of->stiffness = inertia * w * w, of->damping = inertia * w * damped, of->implicit = implicit;
  if (rough) of->limits.coulomb = effort;
  if (rough && extra) {
    of->limits.stiction = 1.3 * effort, of->limits.stribeck = 0.1,
    of->limits.viscous = 0.1 * inertia;
  }
  if (ends)
    of->limits.lower = -low, of->limits.upper = high, of->limits.restitution = bounces ? back : 0;
}

static void draw_springs(drawing *d) {
  mechanism *m = d->to;
  const int count = random_integer(&d->from, 1, 2);
  for (int k = 0; k < count; k++) {
    const int b = random_integer(&d->from, 0, m->body_count - 1);
    const int a = random_integer(&d->from, WORLD, b - 1);
    spring *made = &m->springs[m->spring_count++];
    const double mass = a == WORLD ? m->bodies[b].mass : fmin(m->bodies[a].mass, m->bodies[b].mass);
    const double w = log_uniform(&d->from, 1, 30);
    *made = (spring){.end = {a, b}, .stiffness = mass * w * w, .length = NAN};
    made->at[1] = flg_vec3_add(m->bodies[b].pose.position, random_point(&d->from, 0.1));
    made->at[0] = flg_vec3_add(made->at[1], random_point(&d->from, 0.5));
    if (a != WORLD)
      made->at[0] = flg_vec3_add(m->bodies[a].pose.position, random_point(&d->from, 0.1));
    made->damping = mass * w * random_uniform(&d->from, 0, 0.3),
    made->implicit = happens(&d->from, 0.3);
    if (happens(&d->from, 0.5)) made->length = random_uniform(&d->from, 0.1, 1);
    if (flg_vec3_norm(flg_vec3_subtract(made->at[0], made->at[1])) < 0.05) m->spring_count--;
  }
}

static int random_coordinate(drawing *d, joint_kind kind) {
  const int first = random_integer(&d->from, 0, d->to->joint_count - 1);
  for (int k = 0; k < d->to->joint_count; k++) {
    const int index = (first + k) % d->to->joint_count;
    if (d->to->joints[index].kind == kind) return index;
  }
  return -1;
}

static void draw_gear(drawing *d) {
  const joint_kind kind = happens(&d->from, 0.6) ? GEAR : RACK;
  const int turning = random_coordinate(d, REVOLUTE);
  const int other = random_coordinate(d, kind == GEAR ? REVOLUTE : PRISMATIC);
  const double ratio = log_uniform(&d->from, 0.3, 3) * (happens(&d->from, 0.5) ? 1 : -1);
  const bool play = happens(&d->from, 0.3), soft = happens(&d->from, 0.3);
  if (turning < 0 || other < 0 || turning == other) return;
  const double inertia = fmin(least_inertia(d->to, &d->to->joints[turning]),
                              least_inertia(d->to, &d->to->joints[other]));
  joint *made = &d->to->joints[d->to->joint_count++];
  *made =
      (joint){.kind = kind, .end = {turning, other}, .number = kind == GEAR ? ratio : 0.1 * ratio};
  if (play) made->backlash = 0.01;
  if (soft) made->stiffness = 100 * inertia, made->damping = inertia;
}

static void draw_drive(drawing *d) {
  const int at = random_coordinate(d, happens(&d->from, 0.7) ? REVOLUTE : PRISMATIC);
  const bool motor = happens(&d->from, 0.5);
  const double w = log_uniform(&d->from, 1, 30), phase = random_uniform(&d->from, 0, 3);
  const double frequency = random_uniform(&d->from, 0.2, 3);
  if (at < 0) return;
  const double inertia = least_inertia(d->to, &d->to->joints[at]);
  const double constant = sqrt(inertia); /* with 1 Ohm the motor's time constant is 1 s */
  d->to->drives[d->to->drive_count++] = (actuator){.joint = at,
                                                   .motor = motor,
                                                   .amplitude = w * (motor ? constant : inertia),
                                                   .frequency = frequency,
                                                   .phase = phase,
                                                   .resistance = 1,
                                                   .inductance = happens(&d->from, 0.5) ? 0.01 : 0,
                                                   .constant = constant};
}

static void draw_load(drawing *d) {
  mechanism *m = d->to;
  const int at = random_integer(&d->from, 0, m->body_count - 1);
  const double mass = m->bodies[at].mass;
  pull *made = &m->loads[m->load_count++];
  *made = (pull){.body = at,
                 .force = flg_vec3_scale(random_point(&d->from, 5), mass),
                 .moment = flg_vec3_scale(random_point(&d->from, 0.02), mass),
                 .enabled = happens(&d->from, 0.5)};
  if (happens(&d->from, 0.5) && m->event_count < EVENTS) {
    m->events[m->event_count++] = (happening){.kind = made->enabled ? DISABLE : ENABLE,
                                              .step = random_integer(&d->from, 0, m->macro - 1),
                                              .of = {m->load_count - 1, -1}};
  }
}

static void draw_weld(drawing *d) {
  mechanism *m = d->to;
  const int a = random_integer(&d->from, 0, m->body_count - 1),
            b = random_integer(&d->from, 0, m->body_count - 1);
  const int at = random_integer(&d->from, 0, m->macro - 1);
  if (a == b || m->event_count + 2 > EVENTS) return;
  m->events[m->event_count++] = (happening){.kind = JOIN, .step = at, .of = {a, b}};
  if (at + 2 < m->macro)
    m->events[m->event_count++] = (happening){.kind = LET_GO, .step = at + 2, .of = {a, b}};
}

/* how far below its origin a shape can reach, at most */
static double reach_of(const solid *of) {
  const double *s = of->size;
  switch (of->shape) {
    case NO_SHAPE:
      return 0;
    case BOX: {
      const flg_mat3 *r = &of->pose.rotation;
      return 0.5 * (fabs(flg_mat3_column(r, 0).z) * s[0] + fabs(flg_mat3_column(r, 1).z) * s[1] +
                    fabs(flg_mat3_column(r, 2).z) * s[2]);
    }
    case SPHERE:
      return s[0];
    case CAPSULE:
      return s[0] + 0.5 * fabs(flg_mat3_column(&of->pose.rotation, 2).z) * s[1];
    case CYLINDER: {
      const double up = fabs(flg_mat3_column(&of->pose.rotation, 2).z);
      return s[0] * sqrt(fmax(0, 1 - up * up)) + 0.5 * up * s[1];
    }
  }
  return 0;
}

/* the floor lies under the lowest shape */
static void draw_floor(drawing *d) {
  mechanism *m = d->to;
  double lowest = HUGE_VAL;
  for (int k = 0; k < m->body_count; k++) {
    if (m->bodies[k].shape == NO_SHAPE) continue;
    lowest = flg_smaller(lowest, m->bodies[k].pose.position.z - reach_of(&m->bodies[k]));
  }
  const double gap = happens(&d->from, 0.3) ? 0 : random_uniform(&d->from, 0, 0.02);
  m->floor = flg_pose_identity();
  m->floor.position = (flg_vec3){0, 0, lowest - gap};
  m->friction = happens(&d->from, 0.2) ? 0 : random_uniform(&d->from, 0.1, 1);
  m->restitution = happens(&d->from, 0.3) ? random_uniform(&d->from, 0, 1) : 0;
  m->ground = lowest < HUGE_VAL;
}

static void draw_times(drawing *d) {
  mechanism *m = d->to;
  static const double STEPS[] = {1. / 2000, 1. / 1000, 1. / 1000, 1. / 500, 1. / 250};
  static const integrator KINDS[] = {AUTO, AUTO, RATTLE, RK4, SEMI_IMPLICIT};
  m->step = PICK(&d->from, STEPS);
  m->micro = 1 << random_integer(&d->from, 0, 3);
  m->macro = 48 / m->micro;
  m->integrator = PICK(&d->from, KINDS);
  m->scheme = (scheme)random_integer(&d->from, MONOLITHIC, PARALLEL);
}

/* what comes on top of bodies and joints; ties are what cannot be cut apart */
static void draw_extras(drawing *d, bool loops) {
  mechanism *m = d->to;
  const bool springs = happens(&d->from, 0.25), gear = happens(&d->from, 0.2),
             driven = happens(&d->from, 0.2);
  const bool loaded = happens(&d->from, 0.25), welded = happens(&d->from, 0.1),
             soft = happens(&d->from, 0.5);
  for (int k = 0; k < m->joint_count && soft; k++) {
    if (has_coordinate(m->joints[k].kind)) draw_coordinate(d, &m->joints[k]);
  }
  if (springs) draw_springs(d);
  if (gear && m->joint_count > 1 && !d->moving && !loops) draw_gear(d);
  if (driven && m->joint_count > 0) draw_drive(d);
  if (loaded) draw_load(d);
  if (welded) draw_weld(d);
}

void draw_mechanism(mechanism *machine, uint64_t seed) {
  static const double RATIOS[] = {1, 1, 10, 10, 1000, 1e6};
  drawing d = {.from = chance_for(seed, DRAW_BODIES), .to = machine};
  if (draw_pile(machine, seed)) {
    draw_wide(machine, false);
    return;
  }
  memset(machine, 0, sizeof *machine);
  machine->seed = seed;
  draw_times(&d);
  machine->body_count =
      happens(&d.from, 0.5) ? random_integer(&d.from, 1, 4) : random_integer(&d.from, 1, BODIES);
  const bool grounded = happens(&d.from, 0.6),
             loops = happens(&d.from, 0.3) && machine->body_count > 2;
  d.flat = loops && happens(&d.from, 0.4);
  d.axes = random_axes(&d.from);
  d.mass = log_uniform(&d.from, 0.01, 100), d.ratio = PICK(&d.from, RATIOS);
  d.moving = !loops && happens(&d.from, 0.6);
  machine->ground = happens(&d.from, 0.25);
  const bool down = machine->ground || happens(&d.from, 0.4), none = happens(&d.from, 0.15);
  const flg_vec3 any = flg_vec3_scale(flg_vec3_normalise(random_point(&d.from, 1)), 9.81);
  machine->gravity = down ? (flg_vec3){0, 0, -9.81} : none ? (flg_vec3){0, 0, 0} : any;
  draw_tree(&d, grounded);
  if (loops) draw_loops(&d);
  draw_extras(&d, loops);
  if (machine->ground) draw_floor(&d);
  if (!machine->ground) {
    for (int k = 0; k < machine->body_count; k++) machine->bodies[k].shape = NO_SHAPE;
  }
  draw_wide(machine, loops);
  for (int k = 0; k < BODIES; k++) machine->body_order[k] = k;
  for (int k = 0; k < JOINTS; k++) machine->joint_order[k] = k;
  for (int k = 0; k < PARTS; k++) machine->part_order[k] = k;
  draw_parts(machine, happens(&d.from, 0.35) ? 1 : random_integer(&d.from, 2, PARTS), seed);
}

/* --- cutting --------------------------------------------------------------------------------- */

typedef struct cutting {
  mechanism *machine;
  int part[BODIES];
} cutting;

static void put_together(cutting *c, int a, int b) {
  if (a == WORLD || b == WORLD || c->part[a] == c->part[b]) return;
  const int from = c->part[b], to = c->part[a];
  for (int k = 0; k < c->machine->body_count; k++) {
    if (c->part[k] == from) c->part[k] = to;
  }
}

/* what files can say only of one subsystem: springs, welds, and what acts on coordinates */
static void keep_ties(cutting *c) {
  const mechanism *m = c->machine;
  for (int k = 0; k < m->spring_count; k++)
    put_together(c, m->springs[k].end[0], m->springs[k].end[1]);
  for (int k = 0; k < m->event_count; k++) {
    if (m->events[k].kind == JOIN) put_together(c, m->events[k].of[0], m->events[k].of[1]);
  }
  for (int k = 0; k < m->bushing_count && !is_softly_cut(m->seed); k++)
    put_together(c, m->bushings[k].end[0], m->bushings[k].end[1]);
  for (int k = 0; k < m->drive_count + m->motion_count; k++) {
    const int index =
        k < m->drive_count ? m->drives[k].joint : m->motions[k - m->drive_count].joint;
    put_together(c, m->joints[index].end[0], m->joints[index].end[1]);
  }
  for (int k = 0; k < m->joint_count; k++) {
    if (!is_coupled(m->joints[k].kind)) continue;
    const joint *a = &m->joints[m->joints[k].end[0]], *b = &m->joints[m->joints[k].end[1]];
    const int one = a->end[1], other = b->end[1];
    put_together(c, a->end[0], a->end[1]), put_together(c, b->end[0], b->end[1]);
    put_together(c, one, other);
  }
}

static bool is_tied(const mechanism *m, int index) {
  for (int k = 0; k < m->motion_count; k++) {
    if (m->motions[k].joint == index) return true;
  }
  for (int k = 0; k < m->drive_count; k++) {
    if (m->drives[k].joint == index) return true;
  }
  for (int k = 0; k < m->joint_count; k++) {
    if (is_coupled(m->joints[k].kind) &&
        (m->joints[k].end[0] == index || m->joints[k].end[1] == index))
      return true;
  }
  return false;
}

/* parts are numbered as they come */
static void number_parts(cutting *c) {
  mechanism *m = c->machine;
  int next = 0, number[BODIES];
  for (int k = 0; k < BODIES; k++) number[k] = -1;
  for (int k = 0; k < m->body_count; k++) {
    if (number[c->part[k]] < 0) number[c->part[k]] = next++;
    m->bodies[k].part = number[c->part[k]];
  }
  m->part_count = next;
}

/* Leaves what the program refuses with a reason: contacts need steps of their own, Runge-Kutta has
 * no implicit springs, robots no rattle, and only what is solved as one has distances and screws
 * between subsystems. */
static void settle(mechanism *machine) {
  unsigned found = 0;
  for (int k = 0; k < machine->part_count; k++) found |= machine->parts[k].robot ? HAS_ROBOT : 0;
  for (int k = 0; k < machine->joint_count; k++) {
    const joint *of = &machine->joints[k];
    const bool whole = of->kind == DISTANCE || of->kind == SCREW;
    if (whole && part_of_joint(machine, k) < 0) machine->scheme = MONOLITHIC;
    found |= of->implicit ? HAS_IMPLICIT : 0;
  }
  for (int k = 0; k < machine->spring_count; k++)
    found |= machine->springs[k].implicit ? HAS_IMPLICIT : 0;
  for (int k = 0; k < machine->bushing_count; k++)
    found |= machine->bushings[k].implicit ? HAS_IMPLICIT : 0;
  if (machine->ground && machine->integrator != AUTO) machine->integrator = SEMI_IMPLICIT;
  if ((found & HAS_ROBOT) && machine->integrator == RATTLE) machine->integrator = RK4;
  if ((found & HAS_IMPLICIT) && machine->integrator == RK4) machine->integrator = SEMI_IMPLICIT;
}

/* a gear that a robot has as a joint that follows another; not one that follows itself follows */
static bool can_follow(const mechanism *machine, const joint *of) {
  int followers = 0;
  for (int k = 0; k < machine->joint_count; k++) followers += is_coupled(machine->joints[k].kind);
  return machine->follows && of->kind == GEAR && followers == 1 && of->stiffness == 0 &&
         of->backlash == 0;
}

/* what components alone have */
static bool has_elements(const mechanism *machine, int part) {
  for (int k = 0; k < machine->bushing_count; k++)
    if (part_of_bushing(machine, k) == part) return true;
  for (int k = 0; k < machine->motion_count; k++)
    if (part_of_joint(machine, machine->motions[k].joint) == part) return true;
  for (int k = 0; k < machine->body_count; k++) {
    const solid *of = &machine->bodies[k];
    if (of->part == part && (of->point || of->modes > 0)) return true;
  }
  return false;
}

bool can_be_robot(const mechanism *machine, int part) {
  int carriers[BODIES] = {0};
  if (has_elements(machine, part)) return false;
  for (int k = 0; k < machine->joint_count; k++) {
    const joint *of = &machine->joints[k];
    if (part_of_joint(machine, k) != part || can_follow(machine, of)) continue;
    const bool plain = of->stiffness == 0 && of->damping == 0 && of->limits.coulomb == 0 &&
                       of->limits.lower == of->limits.upper;
    const bool known = of->kind <= PLANAR;
    if (!plain || !known || of->end[1] == WORLD || ++carriers[of->end[1]] > 1) return false;
  }
  for (int k = 0; k < machine->spring_count; k++) {
    if (machine->bodies[machine->springs[k].end[1]].part == part) return false;
  }
  for (int k = 0; k < machine->drive_count; k++) {
    if (part_of_joint(machine, machine->drives[k].joint) == part) return false;
  }
  for (int k = 0; k < machine->event_count; k++) {
    const happening *of = &machine->events[k];
    if (of->kind == JOIN && machine->bodies[of->of[0]].part == part) return false;
  }
  return true;
}

void draw_parts(mechanism *machine, int parts, uint64_t seed) {
  chance from = chance_for(seed, DRAW_PARTS);
  cutting c = {.machine = machine};
  const bool anywhere = happens(&from, 0.5), robots = happens(&from, 0.5);
  int used = 1;
  for (int k = 1; k < machine->body_count; k++) {
    const bool fresh = used < parts && happens(&from, 0.6);
    c.part[k] = fresh ? used++ : random_integer(&from, 0, used - 1);
  }
  keep_ties(&c);
  number_parts(&c);
  for (int k = 0; k < machine->joint_count; k++) {
    joint *of = &machine->joints[k];
    const bool outside = happens(&from, 0.2);
    of->between_parts = machine->part_count > 1 && outside && !is_coupled(of->kind) &&
                        of->end[0] == WORLD && of->kind != DISTANCE && !is_tied(machine, k);
  }
  for (int k = 0; k < PARTS; k++) {
    const flg_pose pose = random_pose(&from, 1);
    machine->parts[k].pose = anywhere ? pose : flg_pose_identity();
    machine->parts[k].robot =
        happens(&from, 0.5) && robots && k < machine->part_count && can_be_robot(machine, k);
  }
  settle(machine);
}
