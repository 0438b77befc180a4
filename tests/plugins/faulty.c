/* A free mass with one port, and one thing wrong with it: which, says FAULT when it is compiled.
 * With FAULT 0 nothing is; it neither can be moved at once nor has signals. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flange/plugin.h"

enum {
  NOTHING,
  OTHER_VERSION,
  NO_SYMBOL,
  NO_TABLE,
  NO_STEP,
  HALF_MOVED,
  NO_STATE,
  NOT_FINITE,
  ASYMMETRIC,
  NO_ROTATION,
  MODEL_FAILS,
  LATE_MODEL,
  LATE_STEP,
  LATE_STATE,
  OLDER_TABLE,
  LATE_REASON,
  SHAPES_ALONE,
  SHAPE_ON_NO_PORT,
  SHAPE_OF_NO_KIND,
  SHAPE_OF_NO_SIZE,
  SHAPE_NOT_TURNED,
  SHAPE_OF_CHEESE,
  SHAPE_FLAT,
  LATE_ENERGY,
  LATE_SIGNAL,
  LATE_FRAME,
  LATE_ROUNDING,
  LATE_SIGN
};

enum { HAS_SHAPE = FAULT > SHAPES_ALONE &&FAULT <= SHAPE_FLAT };
static const double MASS = 2;
typedef struct mass {
  double state[6];
} mass;

static void *create(const flg_plugin_setup *setup, char *text) {
  mass *made = calloc(1, sizeof *made);
  (void)text;
  if (made != NULL) memcpy(made->state, setup->position, sizeof setup->position);
  if (made != NULL && FAULT == NOT_FINITE) made->state[3] = NAN;
  return made;
}

static flg_plugin_state state(void *instance) {
  mass *of = instance;
  return (flg_plugin_state){of->state, FAULT == NO_STATE ? 0 : 6, 6};
}

/* of all instances: time is past 0.1 s */
static int is_late;

static double energy(void *instance) {
  const double *v = ((mass *)instance)->state + 3;
  if (FAULT == LATE_ENERGY && is_late) return NAN;
  return MASS * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  mass *of = instance;
  is_late = time > 0.1;
  if (FAULT == LATE_ROUNDING && is_late) fesetround(FE_UPWARD);
  for (int i = 0; i < 3; i++) {
    of->state[3 + i] += impulses[i] / MASS;
    of->state[i] += h * of->state[3 + i];
  }
  if (FAULT == LATE_STATE && time > 0.1) of->state[0] = INFINITY;
  if (FAULT != LATE_STEP || time <= 0.1) return 0;
  snprintf(text, FLG_PLUGIN_TEXT, "the mass is tired");
  return 1;
}

static const char *const *ports(void *instance, int *count) {
  static const char *const names[] = {"port"};
  (void)instance;
  *count = 1;
  return names;
}

static void frame(void *instance, int port, flg_plugin_frame *to) {
  const mass *of = instance;
  (void)port;
  memcpy(to->position, of->state, 3 * sizeof(double));
  memcpy(to->velocity, of->state + 3, 3 * sizeof(double));
  if (FAULT == LATE_FRAME && is_late) to->position[1] = INFINITY;
  for (int i = 0; i < 3; i++) to->rotation[4 * i] = FAULT == NO_ROTATION ? 2 : 1;
}

static int reduce(void *instance, double time, double tau, flg_plugin_model *model, char *text) {
  const mass *of = instance;
  (void)tau;
  for (int i = 0; i < 3; i++) {
    model->admittance[7 * i] = 1 / MASS;
    model->velocity[i] = of->state[3 + i];
  }
  if (FAULT == ASYMMETRIC) model->admittance[1] = 0.1;
  if (FAULT == LATE_MODEL && time > 0.1) model->bias[0] = NAN;
  if (FAULT == LATE_SIGN && time > 0.1) model->admittance[7] = -1 / MASS;
  if (FAULT != MODEL_FAILS && (FAULT != LATE_REASON || time <= 0.1)) return 0;
  snprintf(text, FLG_PLUGIN_TEXT, "it does not know itself");
  return 1;
}

static const flg_plugin_shape *shapes(void *instance, int *count) {
  static const flg_plugin_shape shape = {.size = FAULT == SHAPE_OF_NO_SIZE ? 4 : sizeof shape,
                                         .kind = FAULT == SHAPE_OF_NO_KIND ? 9 : FLG_PLUGIN_SPHERE,
                                         .port = FAULT == SHAPE_ON_NO_PORT ? 1 : 0,
                                         .rotation = {FAULT == SHAPE_NOT_TURNED ? 1 : 0},
                                         .material = FAULT == SHAPE_OF_CHEESE ? "cheese" : NULL,
                                         .lengths = {FAULT == SHAPE_FLAT ? -1 : 0.5}};
  (void)instance;
  *count = 1;
  return &shape;
}

static const flg_plugin_signal *signals(void *instance, int *count) {
  static const flg_plugin_signal list[] = {{"speed", NULL, "m/s", 1}, {"load", "heat", "W", 2}};
  (void)instance;
  *count = 2;
  return list;
}

static void read_signal(void *instance, int signal, double *values) {
  (void)instance;
  values[0] = 1;
  if (signal == 1) values[1] = is_late ? NAN : 2;
}

static void move(void *instance, const double *numbers) {
  (void)instance, (void)numbers;
}

#if FAULT == 2 /* NO_SYMBOL, which the preprocessor does not know */
const flg_plugin *another_name(void);
const flg_plugin *another_name(void) {
#else
const flg_plugin *flg_plugin_v1(void) {
#endif
  static const flg_plugin_subsystem subsystem = {
      /* one that was made before there were impulses */
      .size = FAULT == OLDER_TABLE ? offsetof(flg_plugin_subsystem, impulse) : sizeof subsystem,
      .create = create,
      .destroy = free,
      .state = state,
      .energy = energy,
      .step = FAULT == NO_STEP ? NULL : step,
      .ports = ports,
      .frame = frame,
      .reduce = reduce,
      .impulse = FAULT == HALF_MOVED || FAULT == OLDER_TABLE || HAS_SHAPE ? move : NULL,
      .displace = HAS_SHAPE ? move : NULL,
      .signals = FAULT == LATE_SIGNAL ? signals : NULL,
      .read = FAULT == LATE_SIGNAL ? read_signal : NULL,
      .shapes = FAULT == SHAPES_ALONE || HAS_SHAPE ? shapes : NULL};
  static const flg_plugin plugin = {.abi = FAULT == OTHER_VERSION ? 7 : FLG_PLUGIN_ABI,
                                    .size = sizeof plugin,
                                    .name = "faulty",
                                    .subsystem = &subsystem};
  return FAULT == NO_TABLE ? NULL : &plugin;
}
