/* SPDX-License-Identifier: Apache-2.0
 *
 * body.c - a plug-in for Flange: a rigid body that touches, a ball or a cube.
 *
 *     m v' = m g + f      I w' = t      q' = w q / 2
 *
 * Its port `centre` is its centre of mass, and its shape is on that port. Flange finds where the
 * shape touches; the contact impulses come to `step` as impulses on the port. So nothing here
 * speaks of contacts but the list of shapes. Build it with `make`, and see README.md.
 *
 * Parameters: mass (1 kg), size (radius of the ball or edge of the cube, 0.1 m), cube (1: it is
 * one, 0), friction (0.5), restitution (0), velocity and spin (at the start, 3 numbers each).
 */
#include <flange/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT = 0, TURN = 3, VELOCITY = 7, SPIN = 10, NUMBERS = 13 };

typedef struct body {
  double mass, inertia;
  double gravity[3];
  double state[NUMBERS]; /* position, quaternion (w, x, y, z), velocity, spin: all that changes */
  flg_plugin_shape shape;
} body;

/* --- making ------------------------------------------------------------------------------------
 */

/* what parameters are called, how many numbers they have, where they go */
typedef struct known {
  const char *name;
  int count;
  double *to;
} known;

static int take_parameter(const known *list, int count, const flg_plugin_parameter *parameter,
                          char *text) {
  for (int k = 0; k < count; k++) {
    if (strcmp(parameter->name, list[k].name) != 0) continue;
    if (parameter->count == list[k].count) {
      memcpy(list[k].to, parameter->values, (size_t)parameter->count * sizeof(double));
      return 0;
    }
    snprintf(text, FLG_PLUGIN_TEXT, "parameter '%s' has %d numbers, expected %d", parameter->name,
             parameter->count, list[k].count);
    return -1;
  }
  snprintf(
      text, FLG_PLUGIN_TEXT,
      "there is no parameter '%s'; there are mass, size, cube, friction, restitution, velocity "
      "and spin",
      parameter->name);
  return -1;
}

/* the quaternion of a rotation matrix, row by row */
static void find_turn(const double r[9], double turn[4]) {
  static const int next[] = {1, 2, 0};
  const double trace = r[0] + r[4] + r[8];
  int i = r[4] > r[0] ? 1 : 0;
  if (r[8] > r[4 * i]) i = 2;
  const int j = next[i], k = next[j];
  if (trace > 0) {
    const double s = 2 * sqrt(1 + trace);
    turn[0] = s / 4, turn[1] = (r[7] - r[5]) / s;
    turn[2] = (r[2] - r[6]) / s, turn[3] = (r[3] - r[1]) / s;
  } else {
    const double s = 2 * sqrt(1 + r[4 * i] - r[4 * j] - r[4 * k]);
    turn[0] = (r[3 * k + j] - r[3 * j + k]) / s, turn[1 + i] = s / 4;
    turn[1 + j] = (r[3 * j + i] + r[3 * i + j]) / s;
    turn[1 + k] = (r[3 * k + i] + r[3 * i + k]) / s;
  }
}

static void make_body(body *of, double size, double cube) {
  of->inertia = cube != 0 ? of->mass * size * size / 6 : 0.4 * of->mass * size * size;
  of->shape.size = sizeof of->shape;
  of->shape.name = "skin";
  of->shape.kind = cube != 0 ? FLG_PLUGIN_BOX : FLG_PLUGIN_SPHERE;
  of->shape.has_surface = 1;
  for (int i = 0; i < 3; i++) of->shape.lengths[i] = size;
}

static void *create(const flg_plugin_setup *setup, char *text) {
  body *of = calloc(1, sizeof *of);
  if (of == NULL) return NULL;
  double size = 0.1, cube = 0;
  of->mass = 1, of->shape.friction = 0.5;
  const known list[] = {{"mass", 1, &of->mass},
                        {"size", 1, &size},
                        {"cube", 1, &cube},
                        {"friction", 1, &of->shape.friction},
                        {"restitution", 1, &of->shape.restitution},
                        {"velocity", 3, of->state + VELOCITY},
                        {"spin", 3, of->state + SPIN}};
  int failed = 0;
  for (int k = 0; k < setup->parameter_count && failed == 0; k++) {
    failed = take_parameter(list, sizeof list / sizeof list[0], &setup->parameters[k], text);
  }
  if (failed == 0 && !(of->mass > 0 && size > 0)) {
    snprintf(text, FLG_PLUGIN_TEXT, "mass and size must be positive");
    failed = -1;
  }
  if (failed != 0) {
    free(of);
    return NULL;
  }
  make_body(of, size, cube);
  memcpy(of->gravity, setup->gravity, sizeof of->gravity);
  memcpy(of->state + AT, setup->position, 3 * sizeof(double));
  find_turn(setup->rotation, of->state + TURN);
  return of;
}

static void destroy(void *instance) {
  free(instance);
}

static flg_plugin_state state(void *instance) {
  body *of = instance;
  return (flg_plugin_state){.values = of->state, .count = NUMBERS, .motion = NUMBERS};
}

/* --- mechanics ---------------------------------------------------------------------------------
 */

static double energy(void *instance) {
  const body *of = instance;
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double v = of->state[VELOCITY + i], w = of->state[SPIN + i];
    sum += of->mass * (v * v / 2 - of->gravity[i] * of->state[AT + i]) + of->inertia * w * w / 2;
  }
  return sum;
}

/* turns it by a vector: its direction is the axis, its length the angle */
static void turn_by(body *of, const double by[3]) {
  double *q = of->state + TURN, length = 0;
  const double angle = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
  const double c = cos(angle / 2), s = angle > 0 ? sin(angle / 2) / angle : 0.5;
  const double x = s * by[0], y = s * by[1], z = s * by[2];
  const double turned[4] = {
      c * q[0] - x * q[1] - y * q[2] - z * q[3], c * q[1] + x * q[0] + y * q[3] - z * q[2],
      c * q[2] - x * q[3] + y * q[0] + z * q[1], c * q[3] + x * q[2] - y * q[1] + z * q[0]};
  for (int i = 0; i < 4; i++) length += turned[i] * turned[i];
  for (int i = 0; i < 4; i++) q[i] = turned[i] / sqrt(length);
}

static void impulse(void *instance, const double *impulses) {
  body *of = instance;
  for (int i = 0; i < 3; i++) {
    of->state[VELOCITY + i] += impulses[i] / of->mass;
    of->state[SPIN + i] += impulses[3 + i] / of->inertia;
  }
}

static void displace(void *instance, const double *x) {
  body *of = instance;
  const double by[3] = {x[3] / of->inertia, x[4] / of->inertia, x[5] / of->inertia};
  for (int i = 0; i < 3; i++) of->state[AT + i] += x[i] / of->mass;
  turn_by(of, by);
}

/* Semi-implicit Euler: velocities first, then positions with the new ones. */
static int step(void *instance, double time, double h, const double *impulses, char *text) {
  body *of = instance;
  double by[3];
  (void)time, (void)text;
  impulse(of, impulses);
  for (int i = 0; i < 3; i++) {
    of->state[VELOCITY + i] += h * of->gravity[i];
    of->state[AT + i] += h * of->state[VELOCITY + i];
    by[i] = h * of->state[SPIN + i];
  }
  turn_by(of, by);
  return 0;
}

/* --- the port and its shape --------------------------------------------------------------------
 */

static const char *const *ports(void *instance, int *count) {
  static const char *const names[] = {"centre"};
  (void)instance;
  *count = 1;
  return names;
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  const body *of = instance;
  const double *q = of->state + TURN, w = q[0], x = q[1], y = q[2], z = q[3];
  const double rotation[9] = {
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
      2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  (void)port;
  memcpy(to->position, of->state + AT, sizeof to->position);
  memcpy(to->rotation, rotation, sizeof to->rotation);
  memcpy(to->velocity, of->state + VELOCITY, sizeof to->velocity);
}

static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  const body *of = instance;
  (void)time, (void)tau, (void)text;
  for (int i = 0; i < 3; i++) {
    model->admittance[i + FLG_PLUGIN_PORT_ROWS * i] = 1 / of->mass;
    model->admittance[3 + i + FLG_PLUGIN_PORT_ROWS * (3 + i)] = 1 / of->inertia;
    model->bias[i] = of->gravity[i];
  }
  memcpy(model->velocity, of->state + VELOCITY, FLG_PLUGIN_PORT_ROWS * sizeof(double));
  return 0;
}

static const flg_plugin_shape *shapes(void *instance, int *count) {
  const body *of = instance;
  *count = 1;
  return &of->shape;
}

/* --- the tables --------------------------------------------------------------------------------
 */

const flg_plugin *flg_plugin_v1(void) {
  static const flg_plugin_subsystem subsystem = {.size = sizeof subsystem,
                                                 .flags = FLG_PLUGIN_RIGID,
                                                 .create = create,
                                                 .destroy = destroy,
                                                 .state = state,
                                                 .energy = energy,
                                                 .step = step,
                                                 .ports = ports,
                                                 .frame = frame,
                                                 .reduce = reduce,
                                                 .impulse = impulse,
                                                 .displace = displace,
                                                 .shapes = shapes};
  static const flg_plugin plugin = {.abi = FLG_PLUGIN_ABI,
                                    .size = sizeof plugin,
                                    .name = "body",
                                    .version = "1.0",
                                    .subsystem = &subsystem};
  return &plugin;
}
