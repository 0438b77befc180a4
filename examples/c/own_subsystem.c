/* own_subsystem.c - a subsystem of the program itself, joined to the space station arm.
 *
 *     ./own_subsystem [model of the arm]      default: examples/ssrms/models/ssrms.urdf
 *
 * A ball of 50 kg, as seven functions (flange/plugin.h), hangs on the tool by a spherical joint.
 * Both are solved as one; the ball stays at the tool. */
#include <flange/access.h>
#include <flange/system.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MASS = 50; /* [kg] */
/* where the arm has its tool at the start: `flange check` tells */
static const double TOOL[] = {3.0168709786164554, 5.329434132548484, 2.509565950243336};

static void *create(const flg_plugin_setup *setup, char *text) {
  double *ball = calloc(6, sizeof *ball); /* position, velocity */
  if (ball == NULL) snprintf(text, FLG_PLUGIN_TEXT, "no memory");
  if (ball != NULL) memcpy(ball, setup->position, 3 * sizeof *ball);
  return ball;
}

static flg_plugin_state state(void *ball) {
  return (flg_plugin_state){ball, 6, 6};
}

static double energy(void *ball) {
  const double *v = (double *)ball + 3;
  return MASS * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  double *x = instance, *v = x + 3;
  (void)time, (void)text;
  for (int k = 0; k < 3; k++) v[k] += impulses[k] / MASS, x[k] += h * v[k];
  return 0;
}

static const char *const *ports(void *ball, int *count) {
  static const char *const names[] = {"centre"};
  (void)ball;
  *count = 1;
  return names;
}

static void frame(void *ball, int port, flg_plugin_frame *at) {
  (void)port;
  memset(at, 0, sizeof *at);
  memcpy(at->position, ball, sizeof at->position);
  memcpy(at->velocity, (double *)ball + 3, 3 * sizeof(double));
  for (int k = 0; k < 3; k++) at->rotation[4 * k] = 1;
}

/* D is 1/m; a point has no rotation to give */
static int reduce(void *ball, double time, double tau, flg_plugin_model *model, char *text) {
  (void)time, (void)tau, (void)text;
  for (int k = 0; k < 3; k++) {
    model->admittance[7 * k] = 1 / MASS;
    model->velocity[k] = ((double *)ball)[3 + k];
  }
  return 0;
}

/* in the order of the table; the designator says that what follows, now or later, stays NULL */
static const flg_plugin_subsystem ball = {sizeof ball, 0,    create, free,  state,
                                          energy,      step, ports,  frame, .reduce = reduce};
static const flg_plugin table = {
    .abi = FLG_PLUGIN_ABI, .size = sizeof table, .name = "ball", .subsystem = &ball};

int main(int count, char **words) {
  static const char system[] =
      "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 2, macro: 1/60}\n"
      "subsystems: {arm: {model: %s, initial: {joint2: 1, joint4: -2}, step: 1/600,\n"
      "    initial_velocity: {joint1: 0.2, joint3: -0.1}, integrator: semi-implicit},\n"
      "  ball: {plugin: ball, at: [%.17g, %.17g, %.17g], step: 1/600}}\n"
      "interfaces: {hook: {between: [arm/tool, ball/centre], joint: spherical}}\n"
      "record: [arm/tool.position, ball/centre.position]\n";
  char text[2000];
  double at[6];
  flg_simulation *simulation = NULL;
  flg_mistakes mistakes;
  flg_error error;
  snprintf(text, sizeof text, system, count > 1 ? words[1] : "examples/ssrms/models/ssrms.urdf",
           TOOL[0], TOOL[1], TOOL[2]);
  if (flg_plugin_provide("ball", &table, &error) != FLG_OK ||
      flg_simulation_load_text(&simulation, text, NULL, NULL, 0, &mistakes) != FLG_OK) {
    fprintf(stderr, "%s\n", mistakes.list[0].message);
    return 1;
  }
  while (!flg_simulation_ended(simulation) && flg_simulation_step(simulation, &error) == FLG_OK) {}
  flg_simulation_record(simulation, at);
  const double gap = hypot(hypot(at[0] - at[3], at[1] - at[4]), at[2] - at[5]);
  printf("after %g s the ball is at (%.3f, %.3f, %.3f), %.1e m from the tool\n",
         flg_simulation_time(simulation), at[3], at[4], at[5], gap);
  flg_simulation_release(simulation);
  return gap < 1e-6 ? 0 : 1;
}
