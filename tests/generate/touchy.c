/* How far runs get apart whose numbers differ by next to nothing: what a hit, a stop or a stick
 * decides on the edge between two steps, rounding decides as well. */
#include <math.h>
#include <string.h>

#include "checks.h"
#include "math/larger.h"
#include "transform.h"

/* Of each number that is changed. Rounding of 1e-16 becomes 1e-10 where masses differ by 1e6, and
 * the largest amount meets edges that rounding meets after some growth. */
static const double AMOUNTS[] = {1e-12, 1e-10, 1e-8};
enum { AMOUNT_COUNT = sizeof AMOUNTS / sizeof *AMOUNTS, TRIES = 4, PERTURBING = 4 };
/* A change that grows to less than this times itself shows nothing. */
static const double GROWTH = 1e4;
/* What two runs with other rounding may be apart, of what the perturbed ones are. */
static const double SHARE_OF_PAIR = 10;

static double near(chance *from, double amount) {
  return 1 + random_uniform(from, -amount, amount);
}

static void move_free_bodies(mechanism *machine, chance *from, double amount) {
  bool held[BODIES] = {false};
  for (int k = 0; k < machine->joint_count; k++) {
    const joint *of = &machine->joints[k];
    for (int side = 0; side < 2 && !is_coupled(of->kind); side++)
      if (of->end[side] != WORLD) held[of->end[side]] = true;
  }
  for (int k = 0; k < machine->body_count; k++) {
    const flg_vec3 by = random_point(from, amount);
    flg_vec3 *at = &machine->bodies[k].pose.position;
    if (!held[k]) *at = flg_vec3_add(*at, by);
  }
}

/* A little turn about any axis. Of a face that lands, the tilt decides which corner is first. */
static flg_mat3 small_turn(chance *from, double amount) {
  return flg_quat_to_matrix(flg_quat_exp(random_point(from, amount)));
}

/* gravity, the floor and their tilts, speeds, masses, what pulls, where things end: joints fit as
 * before */
static void perturb(mechanism *machine, chance *from, double amount) {
  const double speed = near(from, amount);
  const flg_mat3 down = small_turn(from, amount), tilt = small_turn(from, amount);
  machine->gravity = flg_vec3_scale(machine->gravity, near(from, amount));
  machine->gravity = flg_mat3_apply(&down, machine->gravity);
  machine->floor.rotation = flg_mat3_multiply(&tilt, &machine->floor.rotation);
  machine->floor.position.z += random_uniform(from, -amount, amount);
  for (int k = 0; k < machine->body_count; k++) {
    solid *of = &machine->bodies[k];
    const double more = near(from, amount);
    of->mass *= more, of->inertia = flg_sym3_add_scaled(of->inertia, more - 1, of->inertia);
    of->velocity = flg_vec3_scale(of->velocity, speed);
    of->spin = flg_vec3_scale(of->spin, speed);
  }
  for (int k = 0; k < machine->joint_count; k++) {
    joint *of = &machine->joints[k];
    of->stiffness *= near(from, amount), of->limits.coulomb *= near(from, amount);
    of->limits.lower *= near(from, amount), of->limits.upper *= near(from, amount);
  }
  for (int k = 0; k < machine->spring_count; k++)
    machine->springs[k].stiffness *= near(from, amount);
  move_free_bodies(machine, from, amount);
}

double touchiness(const mechanism *machine, const outcome *plain, double enough) {
  static mechanism other;
  static outcome seen;
  const correspondence same = same_sights();
  chance from = chance_for(machine->seed, PERTURBING);
  double grown = 0;
  for (int k = 0; k < AMOUNT_COUNT * TRIES && !(grown >= enough); k++) {
    const double amount = AMOUNTS[k / TRIES];
    other = *machine;
    perturb(&other, &from, amount);
    run_mechanism(&other, (manner){0}, &seen);
    if (seen.rows != plain->rows || seen.status != plain->status) return HUGE_VAL;
    const double off = difference(machine, plain, &seen, &same, NULL);
    if (off > GROWTH * amount) grown = flg_larger(grown, off);
  }
  return grown;
}

verdict excuse(const mechanism *machine, const outcome *plain, verdict of) {
  if (of.judgement != FAILED || strict) return of;
  const double grown = touchiness(machine, plain, of.off / SHARE_OF_PAIR);
  if (of.off <= SHARE_OF_PAIR * grown) return by_rule("touchy", skipped("rounding grows as much"));
  const size_t length = strlen(of.text);
  snprintf(of.text + length, sizeof of.text - length, "; rounding makes at most %.2g", grown);
  return of;
}
