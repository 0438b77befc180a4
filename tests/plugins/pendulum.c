/* A pendulum about y whose port, at its tip, turns with it: what a robot of one joint would answer
 * that steps by semi-implicit Euler. 2 kg at 1 m, inertia 3 kg m^2 about the hinge, 0.7 rad at the
 * start, at rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flange/plugin.h"

enum { ROWS = FLG_PLUGIN_PORT_ROWS };
static const double MASS = 2, INERTIA = 3;

typedef struct pendulum {
  double state[2]; /* angle, rate */
  double gravity[3];
} pendulum;

/* J, and J' per rate */
static void find_rows(const pendulum *of, double rows[ROWS], double turns[ROWS]) {
  const double s = sin(of->state[0]), c = cos(of->state[0]);
  const double now[ROWS] = {-c, 0, s, 0, 1, 0}, change[ROWS] = {s, 0, c, 0, 0, 0};
  memcpy(rows, now, sizeof now);
  memcpy(turns, change, sizeof change);
}

static double acceleration(const pendulum *of) {
  double rows[ROWS], turns[ROWS], moment = 0;
  find_rows(of, rows, turns);
  for (int i = 0; i < 3; i++) moment += MASS * of->gravity[i] * rows[i];
  return moment / INERTIA;
}

static double answer(const pendulum *of, const double *forces) {
  double rows[ROWS], turns[ROWS], moment = 0;
  find_rows(of, rows, turns);
  for (int i = 0; i < ROWS; i++) moment += forces[i] * rows[i];
  return moment / INERTIA;
}

static void *create(const flg_plugin_setup *setup, char *text) {
  pendulum *of = calloc(1, sizeof *of);
  (void)text;
  if (of == NULL) return NULL;
  of->state[0] = 0.7;
  memcpy(of->gravity, setup->gravity, sizeof of->gravity);
  return of;
}

static flg_plugin_state state(void *instance) {
  return (flg_plugin_state){((pendulum *)instance)->state, 2, 2};
}

static double energy(void *instance) {
  const pendulum *of = instance;
  const double s = sin(of->state[0]), c = cos(of->state[0]);
  return INERTIA * of->state[1] * of->state[1] / 2 +
         MASS * (of->gravity[0] * s + of->gravity[2] * c);
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  pendulum *of = instance;
  (void)time, (void)text;
  of->state[1] += h * acceleration(of) + answer(of, impulses);
  of->state[0] += h * of->state[1];
  return 0;
}

static const char *const *ports(void *instance, int *count) {
  static const char *const names[] = {"tip"};
  (void)instance;
  *count = 1;
  return names;
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  const pendulum *of = instance;
  double rows[ROWS], turns[ROWS];
  const double s = sin(of->state[0]), c = cos(of->state[0]);
  const double position[3] = {-s, 0, -c}, rotation[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
  (void)port;
  find_rows(of, rows, turns);
  memcpy(to->position, position, sizeof position);
  memcpy(to->rotation, rotation, sizeof rotation);
  for (int i = 0; i < ROWS; i++) to->velocity[i] = rows[i] * of->state[1];
}

static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  const pendulum *of = instance;
  double rows[ROWS], turns[ROWS];
  (void)time, (void)tau, (void)text;
  find_rows(of, rows, turns);
  for (int i = 0; i < ROWS; i++) {
    model->turning[i] = turns[i] * of->state[1] * of->state[1];
    model->bias[i] = rows[i] * acceleration(of) + model->turning[i];
    model->velocity[i] = rows[i] * of->state[1];
    for (int j = 0; j < ROWS; j++) model->admittance[i + ROWS * j] = rows[i] * rows[j] / INERTIA;
  }
  return 0;
}

static void impulse(void *instance, const double *impulses) {
  pendulum *of = instance;
  of->state[1] += answer(of, impulses);
}

static void displace(void *instance, const double *x) {
  pendulum *of = instance;
  of->state[0] += answer(of, x);
}

const flg_plugin *flg_plugin_v1(void) {
  static const flg_plugin_subsystem subsystem = {.size = sizeof subsystem,
                                                 .flags = FLG_PLUGIN_LOOKS_BACK,
                                                 .create = create,
                                                 .destroy = free,
                                                 .state = state,
                                                 .energy = energy,
                                                 .step = step,
                                                 .ports = ports,
                                                 .frame = frame,
                                                 .reduce = reduce,
                                                 .impulse = impulse,
                                                 .displace = displace};
  static const flg_plugin plugin = {
      .abi = FLG_PLUGIN_ABI, .size = sizeof plugin, .name = "pendulum", .subsystem = &subsystem};
  return &plugin;
}
