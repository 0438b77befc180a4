/* SPDX-License-Identifier: Apache-2.0
 *
 * mass_spring.c - a plug-in for Flange: a chain of point masses with springs between them.
 *
 *     m a_i = m g + f_(i,i+1) - f_(i-1,i)      f = (k (l - l_0) + c dl/dt) along the spring
 *
 * Its port `head` is the first mass. Build it with `make`, and see README.md.
 *
 * Parameters: masses (how many, 4), mass (of each, 1 kg), stiffness (100 N/m), damping (0 N s/m),
 * length (of each spring at rest, 1 m). The chain starts at rest, straight down the z axis of where
 * the scenario puts it.
 */
#include <flange/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100, LETTERS = 16 };

typedef struct chain {
  int count;
  double mass, stiffness, damping, length;
  double gravity[3];
  double state[6 * MOST];  /* positions, then velocities: all that changes */
  double forces[3 * MOST]; /* scratch */
  char names[MOST][LETTERS];
  flg_plugin_signal signals[2 * MOST];
} chain;

static double *position(chain *of, int mass) {
  return of->state + 3 * mass;
}

static double *velocity(chain *of, int mass) {
  return of->state + 3 * of->count + 3 * mass;
}

/* --- making ------------------------------------------------------------------------------------
 */

static int take_parameter(chain *of, const flg_plugin_parameter *parameter, char *text) {
  const double value = parameter->count == 1 ? parameter->values[0] : NAN;
  const int positive = value > 0 && isfinite(value), not_negative = value >= 0 && isfinite(value);
  int fine = positive;
  if (strcmp(parameter->name, "masses") == 0) {
    fine = value >= 1 && value <= MOST && value == floor(value);
    of->count = fine ? (int)value : 1;
  } else if (strcmp(parameter->name, "mass") == 0) {
    of->mass = value;
  } else if (strcmp(parameter->name, "length") == 0) {
    of->length = value;
  } else if (strcmp(parameter->name, "stiffness") == 0) {
    of->stiffness = value, fine = not_negative;
  } else if (strcmp(parameter->name, "damping") == 0) {
    of->damping = value, fine = not_negative;
  } else {
    snprintf(text, FLG_PLUGIN_TEXT,
             "there is no parameter '%s'; there are masses, mass, stiffness, damping and length",
             parameter->name);
    return -1;
  }
  if (fine) return 0;
  snprintf(text, FLG_PLUGIN_TEXT, "parameter '%s' is out of range", parameter->name);
  return -1;
}

static void *create(const flg_plugin_setup *setup, char *text) {
  chain *of = calloc(1, sizeof *of);
  if (of == NULL) return NULL;
  of->count = 4, of->mass = 1, of->stiffness = 100, of->length = 1;
  memcpy(of->gravity, setup->gravity, sizeof of->gravity);
  for (int k = 0; k < setup->parameter_count; k++) {
    if (take_parameter(of, &setup->parameters[k], text) == 0) continue;
    free(of);
    return NULL;
  }
  for (int k = 0; k < of->count; k++) {
    for (int i = 0; i < 3; i++) {
      const double z = setup->rotation[3 * i + 2]; /* the third column is the z axis */
      position(of, k)[i] = setup->position[i] - k * of->length * z;
    }
    snprintf(of->names[k], LETTERS, "mass%d", k);
    of->signals[2 * k] = (flg_plugin_signal){of->names[k], "position", "m", 3};
    of->signals[2 * k + 1] = (flg_plugin_signal){of->names[k], "velocity", "m/s", 3};
  }
  return of;
}

static void destroy(void *instance) {
  free(instance);
}

static flg_plugin_state state(void *instance) {
  chain *of = instance;
  return (flg_plugin_state){.values = of->state, .count = 6 * of->count, .motion = 6 * of->count};
}

/* --- mechanics ---------------------------------------------------------------------------------
 */

/* from mass k to the next; returns the length */
static double direction(chain *of, int k, double unit[3]) {
  const double *a = position(of, k), *b = position(of, k + 1);
  for (int i = 0; i < 3; i++) unit[i] = b[i] - a[i];
  const double length = sqrt(unit[0] * unit[0] + unit[1] * unit[1] + unit[2] * unit[2]);
  for (int i = 0; i < 3 && length > 0; i++) unit[i] /= length;
  return length;
}

static void find_forces(chain *of) {
  for (int k = 0; k < of->count; k++) {
    for (int i = 0; i < 3; i++) of->forces[3 * k + i] = of->mass * of->gravity[i];
  }
  for (int k = 0; k + 1 < of->count; k++) {
    double unit[3], rate = 0;
    const double length = direction(of, k, unit);
    for (int i = 0; i < 3; i++) rate += unit[i] * (velocity(of, k + 1)[i] - velocity(of, k)[i]);
    const double tension = of->stiffness * (length - of->length) + of->damping * rate;
    for (int i = 0; i < 3; i++) {
      of->forces[3 * k + i] += tension * unit[i];
      of->forces[3 * (k + 1) + i] -= tension * unit[i];
    }
  }
}

static double energy(void *instance) {
  chain *of = instance;
  double sum = 0;
  for (int k = 0; k < of->count; k++) {
    for (int i = 0; i < 3; i++) {
      const double v = velocity(of, k)[i];
      sum += of->mass * (v * v / 2 - of->gravity[i] * position(of, k)[i]);
    }
  }
  for (int k = 0; k + 1 < of->count; k++) {
    double unit[3];
    const double stretch = direction(of, k, unit) - of->length;
    sum += of->stiffness * stretch * stretch / 2;
  }
  return sum;
}

/* Semi-implicit Euler: velocities first, then positions with the new ones. The first mass also gets
 * the impulse on the port, so its velocity is the one that `reduce` foretells. */
static int step(void *instance, double time, double h, const double *impulses, char *text) {
  chain *of = instance;
  (void)time, (void)text;
  find_forces(of);
  for (int i = 0; i < 3; i++) velocity(of, 0)[i] += impulses[i] / of->mass;
  for (int k = 0; k < 3 * of->count; k++) {
    velocity(of, 0)[k] += h * of->forces[k] / of->mass;
    position(of, 0)[k] += h * velocity(of, 0)[k];
  }
  return 0;
}

/* --- the port ----------------------------------------------------------------------------------
 */

static const char *const *ports(void *instance, int *count) {
  static const char *const names[] = {"head"};
  (void)instance;
  *count = 1;
  return names;
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  chain *of = instance;
  const double unturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  (void)port;
  memcpy(to->position, position(of, 0), sizeof to->position);
  memcpy(to->rotation, unturned, sizeof to->rotation);
  memset(to->velocity, 0, sizeof to->velocity);
  memcpy(to->velocity, velocity(of, 0), 3 * sizeof(double));
}

/* A point answers to forces by 1/m in all directions, and not at all to moments: the rows of
 * rotation stay zero, so the admittance is singular, which is allowed: join it by a spherical
 * joint. */
static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  chain *of = instance;
  (void)time, (void)tau, (void)text;
  find_forces(of);
  for (int i = 0; i < 3; i++) {
    model->admittance[i + FLG_PLUGIN_PORT_ROWS * i] = 1 / of->mass;
    model->bias[i] = of->forces[i] / of->mass;
    model->velocity[i] = velocity(of, 0)[i];
  }
  return 0;
}

static void impulse(void *instance, const double *impulses) {
  chain *of = instance;
  for (int i = 0; i < 3; i++) velocity(of, 0)[i] += impulses[i] / of->mass;
}

static void displace(void *instance, const double *x) {
  chain *of = instance;
  for (int i = 0; i < 3; i++) position(of, 0)[i] += x[i] / of->mass;
}

/* --- what can be recorded ----------------------------------------------------------------------
 */

static const flg_plugin_signal *signals(void *instance, int *count) {
  chain *of = instance;
  *count = 2 * of->count;
  return of->signals;
}

static void read_signal(void *instance, int signal, double *values) {
  chain *of = instance;
  const double *from = signal % 2 == 0 ? position(of, signal / 2) : velocity(of, signal / 2);
  memcpy(values, from, 3 * sizeof *values);
}

/* --- the tables --------------------------------------------------------------------------------
 */

const flg_plugin *flg_plugin_v1(void) {
  static const flg_plugin_subsystem subsystem = {.size = sizeof subsystem,
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
                                                 .signals = signals,
                                                 .read = read_signal};
  static const flg_plugin plugin = {.abi = FLG_PLUGIN_ABI,
                                    .size = sizeof plugin,
                                    .name = "mass-spring",
                                    .version = "1.0",
                                    .subsystem = &subsystem};
  return &plugin;
}
