/* What one run must keep, whatever it is compared with. */
#include <math.h>

#include "checks.h"
#include "math/larger.h"
#include "transform.h"

/* of the momentum's own size: sums of rounding over some 50 steps, times ratios of masses */
static const double MOMENTUM = 1e-7;
/* of the size of the system, or of its speeds: joints are closed to rounding */
static const double CLOSED = 1e-7;
/* of the energies that go to and fro; steps of order 1 and 2 err by their own */
static const double ENERGY = 0.02;
/* of what a step goes: stops that are passed are gone back to along the joints, which keeps angular
 * momentum to the square of that */
static const double PASSED_BY = 1e-3;
/* of the size in all of the time: slower than this is rounding */
static const double STANDS = 1e-9;
/* of the energy itself: what its sum is rounded by */
static const double ROUNDED = 1e-12;
/* of the size: joints are closed to 1e-12 each, and weights rise and fall by what some of them are
 * open */
static const double RAISED = 1e-11;
/* of the largest residual that the solver itself takes for solved */
static const double RESIDUAL = 1e-6;
/* of the largest contact force: what the residual leaves, of islands whose masses differ */
static const double FORCES = 1e-5;
/* of a body's weight: less is nothing */
static const double LEAST_FORCE = 1e-6;

/* linear momentum, and angular about the origin; sizes of what they are sums of */
typedef struct momenta {
  flg_vec3 linear, angular;
  double linear_size, angular_size;
} momenta;

static momenta momenta_of(const mechanism *machine, const outcome *run, int row) {
  momenta sum = {0};
  for (int k = 0; k < machine->body_count; k++) {
    const solid *of = &machine->bodies[k];
    const sight *s = &run->seen[row][k];
    const flg_vec3 arm = flg_mat3_apply(&s->rotation, of->centre);
    const flg_vec3 v = flg_vec3_add(s->velocity, flg_vec3_cross(s->spin, arm));
    const flg_vec3 p = flg_vec3_scale(v, of->mass), at = flg_vec3_add(s->position, arm);
    const flg_vec3 w = flg_mat3_apply_transposed(&s->rotation, s->spin);
    const flg_vec3 own = flg_mat3_apply(&s->rotation, flg_sym3_apply(of->inertia, w));
    sum.linear = flg_vec3_add(sum.linear, p);
    sum.angular = flg_vec3_add(sum.angular, flg_vec3_add(own, flg_vec3_cross(at, p)));
    sum.linear_size += flg_vec3_norm(p);
    sum.angular_size += flg_vec3_norm(own) + flg_vec3_norm(at) * flg_vec3_norm(p);
  }
  return sum;
}

static bool is_free(const experiment *trial) {
  const mechanism *m = trial->machine;
  for (int k = 0; k < m->spring_count; k++) {
    if (m->springs[k].end[0] == WORLD) return false;
  }
  for (int k = 0; k < m->bushing_count; k++) {
    if (m->bushings[k].end[0] == WORLD) return false;
  }
  /* what bends has momentum that is not seen */
  return !(trial->features & (HAS_GROUND_JOINT | HAS_CONTACT | HAS_EVENT | HAS_LOAD | HAS_BEAM));
}

/* of what the momentum consists of, the largest share that appeared; two numbers: linear, angular
 */
static void appeared(const mechanism *machine, const outcome *run, double share[2]) {
  const momenta start = momenta_of(machine, run, 0);
  const extent typical = extent_of(machine, run); /* what rests has the momentum of rounding */
  double mass = 0, off[2] = {0, 0};
  for (int k = 0; k < machine->body_count; k++) mass += machine->bodies[k].mass;
  double size[2] = {mass * typical.speed, mass * typical.speed * typical.length};
  for (int row = 1; row < run->rows; row++) {
    const double time = row * machine->micro * machine->step;
    const momenta now = momenta_of(machine, run, row);
    const flg_vec3 expected = flg_vec3_add_scaled(start.linear, mass * time, machine->gravity);
    off[0] = flg_larger(off[0], flg_vec3_norm(flg_vec3_subtract(now.linear, expected)));
    off[1] = flg_larger(off[1], flg_vec3_norm(flg_vec3_subtract(now.angular, start.angular)));
    size[0] = flg_larger(size[0], now.linear_size), size[1] = flg_larger(size[1], now.angular_size);
  }
  for (int i = 0; i < 2; i++) share[i] = off[i] / size[i];
}

/* with so many times the steps; those of couplings are communication points, too */
static double appeared_with(experiment *trial, const mechanism *of, int which, int times) {
  const bool is_coupled = trial->features & HAS_COSIMULATION;
  double share[2];
  trial->other = *of, trial->has_other = true;
  trial->other.step /= times;
  *(is_coupled ? &trial->other.macro : &trial->other.micro) *= times;
  run_mechanism(&trial->other, (manner){0}, &trial->seen);
  appeared(&trial->other, &trial->seen, share);
  return share[which];
}

/* What appeared of one of both with a quarter of the step. How far a stop is passed is chance: it
 * is less than a step goes, but need not shrink with the next one, so that of an eighth is tried,
 * too.
 */
static double appeared_finer(experiment *trial, const mechanism *of, int which) {
  const double quarter = appeared_with(trial, of, which, 4);
  if (!(trial->features & HAS_STOPS)) return quarter;
  return flg_smaller(quarter, appeared_with(trial, of, which, 8));
}

/* Half of what appeared, or next to nothing of how far a step goes that passes a stop. */
static double most_finer(const experiment *trial, double share) {
  const extent typical = extent_of(trial->machine, trial->plain);
  const double passed = trial->machine->step * typical.speed / typical.length;
  return flg_larger(0.5 * share, trial->features & HAS_STOPS ? PASSED_BY * passed : 0);
}

/* Without ground, linear momentum changes by what gravity brings, in any step. Steps in joint
 * coordinates keep it to their order alone: there a quarter of the step must halve what appears. */
verdict check_momentum(experiment *trial) {
  double share[2];
  if (!is_free(trial)) return skipped("held, touched or pulled");
  appeared(trial->machine, trial->plain, share);
  if (share[0] <= MOMENTUM || !(trial->features & HAS_ROBOT))
    return judge_bound(share[0], MOMENTUM, "of the momentum appeared");
  const double finer = appeared_finer(trial, trial->machine, 0), most = most_finer(trial, share[0]);
  if (finer <= most) return passed(finer, most);
  return failed(finer, most, "%.3g of the momentum appeared, %.3g with a quarter of the step",
                share[0], finer);
}

/* Angular momentum as well, if nothing falls; what steps err by goes with the step. */
verdict check_spin(experiment *trial) {
  double share[2];
  const bool falls = flg_vec3_norm(trial->machine->gravity) > 0;
  if (!is_free(trial)) return skipped("held, touched or pulled");
  if (falls) {
    trial->other = *trial->machine, trial->has_other = true;
    trial->other.gravity = (flg_vec3){0, 0, 0};
    run_mechanism(&trial->other, (manner){0}, &trial->seen);
  }
  const mechanism floats = falls ? trial->other : *trial->machine;
  appeared(&floats, falls ? &trial->seen : trial->plain, share);
  if (share[1] <= MOMENTUM) return passed(share[1], MOMENTUM);
  const double finer = appeared_finer(trial, &floats, 1), most = most_finer(trial, share[1]);
  if (finer <= most) return passed(finer, most);
  return failed(finer, most,
                "%.3g of the angular momentum appeared, %.3g with a quarter of the step", share[1],
                finer);
}

static double kinetic_of(const mechanism *machine, const outcome *run, int row) {
  double sum = 0;
  for (int k = 0; k < machine->body_count; k++) {
    const solid *of = &machine->bodies[k];
    const sight *s = &run->seen[row][k];
    const flg_vec3 arm = flg_mat3_apply(&s->rotation, of->centre);
    const flg_vec3 v = flg_vec3_add(s->velocity, flg_vec3_cross(s->spin, arm));
    const flg_vec3 w = flg_mat3_apply_transposed(&s->rotation, s->spin);
    sum +=
        0.5 * of->mass * flg_vec3_dot(v, v) + 0.5 * flg_vec3_dot(w, flg_sym3_apply(of->inertia, w));
  }
  return sum;
}

/* Growth over the least energy so far, by the largest kinetic energy; what stands has rounding for
 * speeds, and the energy of that is no measure. */
static double growth_of(const mechanism *machine, const outcome *run) {
  const extent typical = extent_of(machine, run);
  const double time = (run->rows > 1 ? run->rows - 1 : 1) * machine->micro * machine->step;
  const double slowest = STANDS * typical.length / time;
  double least = run->energy[0], grown = 0, kinetic = 0, mass = 0;
  for (int k = 0; k < machine->body_count; k++) mass += machine->bodies[k].mass;
  kinetic = 0.5 * mass * slowest * slowest;
  const double raised = RAISED * typical.length * mass * flg_vec3_norm(machine->gravity);
  for (int row = 0; row < run->rows; row++) {
    kinetic = flg_larger(kinetic, kinetic_of(machine, run, row));
    const double rounded = ROUNDED * fabs(run->energy[row]);
    kinetic = flg_larger(kinetic, rounded);
    grown = flg_larger(grown, run->energy[row] - least - raised - rounded);
    least = flg_smaller(least, run->energy[row]);
  }
  return grown / kinetic;
}

/* growth with a quarter of the step that the other run had, or the first one */
static double growth_finer(experiment *trial) {
  if (!trial->has_other) trial->other = *trial->machine, trial->has_other = true;
  trial->other.step /= 4, trial->other.macro *= 4;
  for (int k = 0; k < trial->other.event_count; k++) trial->other.events[k].step *= 4;
  run_mechanism(&trial->other, (manner){0}, &trial->seen);
  return growth_of(&trial->other, &trial->seen);
}

/* Energy does not grow without a source. Where it does, quarters of the step must cure it: of order
 * 1 it goes to and fro by what a step errs, and where in a step hits fall moves that. */
verdict check_energy(experiment *trial) {
  if (trial->features & (HAS_DRIVE | HAS_LOAD | HAS_MOTION)) return skipped("driven");
  const double grown = growth_of(trial->machine, trial->plain);
  if (grown <= ENERGY) return passed(grown, ENERGY);
  const double less = growth_finer(trial);
  if (less <= 0.5 * grown) return passed(less, ENERGY);
  const double least = growth_finer(trial);
  if (least <= 0.25 * grown) return passed(least, ENERGY);
  return failed(least, ENERGY,
                "energy grows by %.3g of the kinetic energy, %.3g with a quarter of the step, %.3g "
                "with a quarter of that",
                grown, less, least);
}

verdict check_closure(experiment *trial) {
  const outcome *run = trial->plain;
  const mechanism *of = trial->machine;
  if (run->status != FLG_OK) return told(run->message);
  const extent size = extent_of(of, run);
  const double time = of->macro * of->micro * of->step;
  const bool stands = run->slipping <= STANDS * size.length / time;
  const double slips = stands ? 0 : run->slipping / size.speed;
  const double open = flg_larger(run->open / size.length, slips);
  return judge_bound(open, CLOSED, "joints are open, or slip, by this share of the size");
}

/* how deep a shape is below the floor */
static double depth_of(const mechanism *machine, const solid *of, const sight *s) {
  const flg_vec3 up = flg_mat3_column(&machine->floor.rotation, 2);
  const double height = flg_vec3_dot(up, flg_vec3_subtract(s->position, machine->floor.position));
  double along[3], reach = 0;
  for (int k = 0; k < 3; k++) along[k] = fabs(flg_vec3_dot(up, flg_mat3_column(&s->rotation, k)));
  switch (of->shape) {
    case NO_SHAPE:
      return 0;
    case BOX:
      for (int k = 0; k < 3; k++) reach += 0.5 * of->size[k] * along[k];
      break;
    case SPHERE:
      reach = of->size[0];
      break;
    case CAPSULE:
      reach = of->size[0] + 0.5 * of->size[1] * along[2];
      break;
    case CYLINDER:
      reach = of->size[0] * sqrt(fmax(0, 1 - along[2] * along[2])) + 0.5 * of->size[1] * along[2];
      break;
  }
  return reach - height;
}

/* farther from the floor than it gets in two steps, whatever threw it back */
static bool is_apart(const mechanism *machine, const solid *of, const sight *s) {
  const double reach = of->size[0] + of->size[1] + of->size[2];
  const double speed = flg_vec3_norm(s->velocity) + reach * flg_vec3_norm(s->spin);
  const double away = 2 * machine->step * (speed + 20 * machine->step) + 1e-4 * reach;
  return depth_of(machine, of, s) < -away;
}

/* A box lets friction be larger along its diagonals. */
static double widest_of(const mechanism *machine) {
  return machine->box_friction ? sqrt(2) : 1;
}

/* Forces obey the laws that the summary says they obey: they push, within the cone (or box) of
 * friction, and act on nothing that is away from the floor. Of the largest on the same body. */
static double lawless(const mechanism *machine, const outcome *run, int body) {
  const flg_vec3 up = flg_mat3_column(&machine->floor.rotation, 2);
  const solid *of = &machine->bodies[body];
  const double widest = widest_of(machine) * machine->friction;
  /* a hit that leaves nothing to carry leaves rounding */
  double largest = LEAST_FORCE * of->mass * flg_vec3_norm(machine->gravity), off = 0;
  for (int row = 1; row < run->rows; row++) {
    const flg_vec3 force = run->touch[row][body];
    const double push = flg_vec3_dot(force, up), all = flg_vec3_norm(force);
    const double along = flg_vec3_norm(flg_vec3_add_scaled(force, -push, up));
    largest = flg_larger(largest, all);
    off = flg_larger(off, flg_larger(-push, along - widest * push));
    if (is_apart(machine, of, &run->seen[row][body])) off = flg_larger(off, all);
  }
  return off > 0 ? off / largest : off;
}

/* Bodies of a pile push each other as much as they are pushed: what is left of all forces is the
 * floor's. Surfaces have the geometric mean of their frictions. */
static double lawless_pile(const mechanism *machine, const outcome *run) {
  const flg_vec3 up = flg_mat3_column(&machine->floor.rotation, 2);
  double largest = 0, off = 0, widest = 0;
  for (int k = 0; k < machine->body_count; k++) {
    const solid *of = &machine->bodies[k];
    widest = flg_larger(widest, widest_of(machine) * sqrt(machine->friction * of->friction));
    largest += LEAST_FORCE * of->mass * flg_vec3_norm(machine->gravity);
  }
  for (int row = 1; row < run->rows; row++) {
    flg_vec3 force = {0, 0, 0};
    for (int k = 0; k < machine->body_count; k++) {
      force = flg_vec3_add(force, run->touch[row][k]);
      largest = flg_larger(largest, flg_vec3_norm(run->touch[row][k]));
    }
    const double push = flg_vec3_dot(force, up);
    const double along = flg_vec3_norm(flg_vec3_add_scaled(force, -push, up));
    off = flg_larger(off, flg_larger(-push, along - widest * push));
  }
  return off > 0 ? off / largest : off;
}

static verdict check_forces(const mechanism *machine, const outcome *run) {
  double off = machine->pile ? lawless_pile(machine, run) : 0;
  for (int k = 0; k < machine->body_count && !machine->pile; k++)
    off = flg_larger(off, lawless(machine, run, k));
  return judge_bound(off, FORCES,
                     "of the largest contact force pulls, exceeds friction or acts from afar");
}

/* What the summary says against what is seen: where all is solved nothing sinks deeper than it
 * falls in two steps. */
verdict check_contacts(experiment *trial) {
  const mechanism *m = trial->machine;
  const outcome *run = trial->plain;
  if (!(trial->features & HAS_CONTACT)) return skipped("nothing touches");
  if (run->contacts.unsolved > 0) return skipped("it says that something was not solved");
  if (!(run->contacts.residual <= RESIDUAL)) {
    return failed(run->contacts.residual, RESIDUAL, "all solved, with a residual of %.3g",
                  run->contacts.residual);
  }
  double deepest = 0;
  for (int row = 0; row < run->rows; row++) {
    for (int k = 0; k < m->body_count; k++) {
      deepest = flg_larger(deepest, depth_of(m, &m->bodies[k], &run->seen[row][k]));
    }
  }
  const extent size = extent_of(m, run);
  const double allowed = 2 * m->step * (size.speed + 20 * m->step) + 1e-4 * size.length;
  const verdict deep = judge_bound(deepest, allowed, "m deep in the floor, and all solved");
  return deep.judgement == FAILED ? deep : check_forces(m, run);
}
