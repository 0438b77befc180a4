/* What seeds over a million have besides: point masses, bushings, flexible bodies, prescribed
 * motions, joints of robots that follow others, box friction, Poisson's impacts. Drawn by a source
 * of their own: a seed of up to a million means what it always did. */
#include <math.h>

#include "chance.h"
#include "mechanism.h"

enum { DRAW_WIDE = 5, FIRST_WIDE = 1000001, FIRST_SOFTLY_CUT = 8000001 };

bool is_wide(uint64_t seed) {
  return seed >= FIRST_WIDE;
}

bool is_softly_cut(uint64_t seed) {
  return seed >= FIRST_SOFTLY_CUT;
}

/* a point mass on a rod, at rest relative to what it hangs on */
static void add_point(mechanism *m, chance *from) {
  const int on = random_integer(from, 0, m->body_count - 1);
  const flg_vec3 end = random_point(from, 0.1), away = random_point(from, 0.4);
  const double ratio = log_uniform(from, 0.1, 10);
  if (m->body_count == BODIES || m->joint_count == JOINTS || m->bodies[on].point) return;
  const solid *parent = &m->bodies[on];
  const flg_vec3 at = flg_vec3_add(parent->pose.position, end);
  const flg_vec3 out = flg_vec3_add_scaled(away, 0.2, flg_vec3_normalise(away));
  const flg_vec3 arm = flg_vec3_add(end, out);
  solid *made = &m->bodies[m->body_count];
  *made = (solid){.mass = parent->mass * ratio, .point = true};
  made->pose = flg_pose_identity();
  made->pose.position = flg_vec3_add(parent->pose.position, arm);
  made->velocity = flg_vec3_add(parent->velocity, flg_vec3_cross(parent->spin, arm));
  joint *rod = &m->joints[m->joint_count++];
  *rod = (joint){.kind = DISTANCE, .end = {on, m->body_count++}};
  rod->frame = flg_pose_identity(), rod->frame.position = at;
  rod->far = made->pose.position;
}

/* relaxed at the start, as soft as springs are drawn */
static void add_bushing(mechanism *m, chance *from) {
  const int b = random_integer(from, 0, m->body_count - 1), a = random_integer(from, WORLD, b - 1);
  const flg_pose off = random_pose(from, 0.2);
  const double w = log_uniform(from, 1, 30), damped = random_uniform(from, 0, 0.3);
  const bool implicit = happens(from, 0.3);
  double share[6];
  for (int k = 0; k < 6; k++) share[k] = happens(from, 0.2) ? 0 : random_uniform(from, 0.1, 1);
  if (m->bodies[b].point || (a != WORLD && m->bodies[a].point)) return;
  const double mass = a == WORLD ? m->bodies[b].mass : fmin(m->bodies[a].mass, m->bodies[b].mass);
  bushing *made = &m->bushings[m->bushing_count++];
  *made = (bushing){.end = {a, b}, .frame = off, .implicit = implicit};
  made->frame.position = flg_vec3_add(off.position, m->bodies[b].pose.position);
  for (int k = 0; k < 6; k++) {
    /* the radius of gyration of what turns is 0.05 m or more */
    const double inertia = mass * (k < 3 ? 1 : 0.0025);
    made->stiffness[k] = share[k] * inertia * w * w;
    made->damping[k] = share[k] * inertia * w * damped;
  }
}

/* a round beam through the middle of a body, which swings with w */
static void bend(mechanism *m, chance *from) {
  static const double pi = 3.14159265358979323846;
  solid *of = &m->bodies[random_integer(from, 0, m->body_count - 1)];
  const flg_vec3 axis = flg_vec3_normalise(random_point(from, 1));
  const double length = random_uniform(from, 0.3, 0.8), w = log_uniform(from, 20, 200);
  const double diameter = random_uniform(from, 0.01, 0.03), area = diameter * diameter;
  if (of->point) return;
  of->beam_half = flg_vec3_scale(axis, 0.5 * length), of->beam_diameter = diameter;
  const double stiffness = w * w / (22.37 * 22.37) * of->mass * length * length * length;
  of->young = stiffness * 64 / (pi * area * area);
  of->modes = random_integer(from, 1, 2), of->twists = happens(from, 0.3);
}

/* the rate of a joint's coordinate at the start */
static double rate_of(const mechanism *m, const joint *of) {
  const flg_vec3 z = flg_mat3_column(&of->frame.rotation, 2);
  flg_vec3 speed[2] = {{0, 0, 0}, {0, 0, 0}}, spin[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int s = 0; s < 2; s++) {
    if (of->end[s] == WORLD) continue;
    const solid *end = &m->bodies[of->end[s]];
    const flg_vec3 arm = flg_vec3_subtract(of->frame.position, end->pose.position);
    spin[s] = end->spin, speed[s] = flg_vec3_add(end->velocity, flg_vec3_cross(end->spin, arm));
  }
  const flg_vec3 *seen = of->kind == REVOLUTE ? spin : speed;
  return flg_vec3_dot(z, flg_vec3_subtract(seen[1], seen[0]));
}

static bool is_used(const mechanism *m, int index) {
  for (int k = 0; k < m->drive_count; k++)
    if (m->drives[k].joint == index) return true;
  for (int k = 0; k < m->joint_count; k++) {
    const joint *of = &m->joints[k];
    if (is_coupled(of->kind) && (of->end[0] == index || of->end[1] == index)) return true;
  }
  return false;
}

/* goes on from the rate of the start; what is moved so has neither stops nor friction */
static void move_joint(mechanism *m, chance *from) {
  const int index = m->joint_count > 0 ? random_integer(from, 0, m->joint_count - 1) : 0;
  const double amplitude = random_uniform(from, -0.05, 0.05), w = log_uniform(from, 3, 30);
  joint *of = &m->joints[index];
  if (m->joint_count == 0 || !has_coordinate(of->kind) || is_used(m, index)) return;
  of->limits = (limits){0};
  m->motions[m->motion_count++] = (prescription){
      .joint = index, .rate = rate_of(m, of), .amplitude = amplitude, .frequency = w};
}

void draw_wide(mechanism *machine, bool loops) {
  chance from = chance_for(machine->seed, DRAW_WIDE);
  if (!is_wide(machine->seed)) return;
  const bool points = happens(&from, 0.25), bushed = happens(&from, 0.3),
             bent = happens(&from, 0.3), moved = happens(&from, 0.25) && !loops;
  machine->box_friction = happens(&from, 0.3), machine->poisson = happens(&from, 0.3);
  machine->follows = happens(&from, 0.7);
  if (machine->pile) return;
  if (points) add_point(machine, &from);
  if (bushed) add_bushing(machine, &from);
  if (bent) bend(machine, &from);
  if (moved) move_joint(machine, &from);
}
