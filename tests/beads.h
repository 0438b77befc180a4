/* beads.h - a subsystem that is no robot, for tests of the contract: two beads that should stay on
 * rings of radius 1, but fly straight on, since nothing holds them.
 *
 *     p(t) = (1, v t)      position error |p| - 1,   velocity error p.v / |p|,   energy v^2 / 2
 *
 * Its objects are left/bead, right/bead and energy; events can only set their velocities.
 */
#ifndef FLG_TESTS_BEADS_H
#define FLG_TESTS_BEADS_H

#include "base/hash.h"
#include "cosim/simulation.h"
#include "files.h"

enum { BEAD_X, BEAD_Y, BEAD_VX, BEAD_VY, BEAD_NUMBERS };

typedef struct beads {
  double state[2 * BEAD_NUMBERS];
  flg_threads *threads;
  struct beads_steps {
    double h;
    int count;
  } steps; /* scratch */
  int releases;
} beads;

static inline void beads_advance_one(void *self, int bead) {
  beads *b = self;
  double *s = b->state + bead * BEAD_NUMBERS;
  for (int k = 0; k < b->steps.count; k++) {
    s[BEAD_X] += b->steps.h * s[BEAD_VX];
    s[BEAD_Y] += b->steps.h * s[BEAD_VY];
  }
}

static inline flg_status beads_advance(void *self, double time, double h, int first, int count,
                                       flg_error *error) {
  beads *b = self;
  (void)first;
  if (b->state[BEAD_VX] < 0) {
    return flg_fail(error, FLG_ERR_DIVERGED, "a bead turned back after t = %g s.", time);
  }
  b->steps = (struct beads_steps){h, count};
  flg_threads_for(b->threads, 2, beads_advance_one, b);
  return FLG_OK;
}

static inline void beads_refresh(void *self, double time) {
  (void)self, (void)time;
}

static inline double beads_energy(const void *self) {
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    const double *s = ((const beads *)self)->state + k * BEAD_NUMBERS;
    sum += 0.5 * (s[BEAD_VX] * s[BEAD_VX] + s[BEAD_VY] * s[BEAD_VY]);
  }
  return sum;
}

static inline flg_subsystem_state beads_state(const void *self) {
  const int count = 2 * BEAD_NUMBERS;
  return (flg_subsystem_state){((beads *)(uintptr_t)self)->state, count, count};
}

static inline uint64_t beads_identity(const void *self, uint64_t seed) {
  (void)self;
  return flg_hash(seed, "beads", 5);
}

static inline const flg_object *beads_objects(const void *self, int *count) {
  static const char *const xy[] = {"x", "y"};
  static const flg_quantity bead[] = {{"position", "m", 2, xy}, {"velocity", "m/s", 2, xy}};
  static const flg_quantity energy = {NULL, "J", 1, NULL};
  static const flg_object objects[] = {
      {"left/bead", bead, 2}, {"right/bead", bead, 2}, {"energy", &energy, 1}};
  (void)self;
  *count = 3;
  return objects;
}

static inline void beads_read(const void *self, int object, int quantity, double *values) {
  const beads *b = self;
  if (object == 2) {
    values[0] = beads_energy(self);
    return;
  }
  memcpy(values, b->state + object * BEAD_NUMBERS + 2 * quantity, 2 * sizeof *values);
}

static inline void beads_release(void *self) {
  ((beads *)self)->releases++;
}

static inline flg_status beads_aim(const void *self, flg_action action, const char *path,
                                   int value_count, int *target, flg_error *error) {
  (void)self, (void)action;
  *target = strcmp(path, "right/bead") == 0;
  if (strcmp(path, "left/bead") != 0 && *target == 0) {
    return flg_fail(error, FLG_ERR_INPUT, "there is no bead '%s'", path);
  }
  if (value_count == 2) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT, "a bead has 2 velocities, found %d", value_count);
}

static inline void beads_act(void *self, flg_action action, int target, const double *values) {
  (void)action;
  memcpy(((beads *)self)->state + target * BEAD_NUMBERS + BEAD_VX, values, 2 * sizeof *values);
}

static inline flg_constraint_errors beads_constraints(const void *self) {
  flg_constraint_errors largest = {0};
  for (int k = 0; k < 2; k++) {
    const double *s = ((const beads *)self)->state + k * BEAD_NUMBERS;
    const double r = hypot(s[BEAD_X], s[BEAD_Y]);
    const double along = (s[BEAD_X] * s[BEAD_VX] + s[BEAD_Y] * s[BEAD_VY]) / r;
    largest.position = flg_larger(largest.position, fabs(r - 1));
    largest.velocity = flg_larger(largest.velocity, fabs(along));
  }
  return largest;
}

static inline void beads_blame(const void *self, char text[FLG_BLAME_TEXT]) {
  const beads *b = self;
  for (int k = 0; k < 2 * BEAD_NUMBERS; k++) {
    if (isfinite(b->state[k])) continue;
    snprintf(text, FLG_BLAME_TEXT, "bead '%s'", k < BEAD_NUMBERS ? "left" : "right");
    return;
  }
}

static inline void beads_share(void *self, flg_threads *threads) {
  ((beads *)self)->threads = threads;
}

static const flg_subsystem_ops beads_ops = {.kind = "beads",
                                            .advance = beads_advance,
                                            .refresh = beads_refresh,
                                            .energy = beads_energy,
                                            .state = beads_state,
                                            .identity = beads_identity,
                                            .objects = beads_objects,
                                            .read = beads_read,
                                            .release = beads_release,
                                            .actions = 1u << FLG_ACTION_SET_VELOCITY,
                                            .aim = beads_aim,
                                            .act = beads_act,
                                            .constraints = beads_constraints,
                                            .blame = beads_blame,
                                            .share = beads_share};

/* A simulation of it, built by hand: ten micro steps in each macro step of 0.1 s. The parts of its
 * scenario are called left and right, and both live in the one subsystem. */
static inline flg_simulation *make_beads(double left, double right) {
  flg_simulation *simulation = calloc(1, sizeof *simulation);
  assert_non_null(simulation);
  flg_region *region = &simulation->region;
  *simulation = (flg_simulation){.name = "beads", .text = "", .macro = 0.1, .macro_steps = 10};
  simulation->subsystem_count = 1, simulation->part_count = 2;
  simulation->subsystems = flg_region_take(region, 1, sizeof *simulation->subsystems);
  simulation->advanced = flg_region_take(region, 1, sizeof *simulation->advanced);
  simulation->micro_steps = flg_region_take(region, 1, sizeof *simulation->micro_steps);
  simulation->parts = flg_region_take(region, 2, sizeof *simulation->parts);
  simulation->object_names = flg_region_take(region, 1, sizeof *simulation->object_names);
  beads *self = flg_region_take(region, 1, sizeof *self);
  assert_false(region->failed);
  *self = (beads){.state = {1, 0, 0, left, 1, 0, 0, right}};
  simulation->object_names->region = region;
  simulation->micro_steps[0] = 10;
  simulation->parts[0] = (flg_part){"left", 0, "left"};
  simulation->parts[1] = (flg_part){"right", 0, "right"};
  simulation->part_names = FLG_INDEX(simulation->parts, 2, region);
  const flg_status status =
      flg_subsystem_build(&simulation->subsystems[0], "beads", &beads_ops, self, NULL);
  assert_int_equal(status, FLG_OK);
  flg_simulation_start(simulation);
  return simulation;
}

#endif
