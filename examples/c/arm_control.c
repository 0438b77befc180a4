/* arm_control.c - the space station arm under a controller in the program's own loop.
 *
 *     ./arm_control [scenario]      default: examples/ssrms/poses.yaml
 *
 * Reads positions and velocities of all joints, writes efforts, and steps: computed in the loop, a
 * PD controller moves the arm a little and back. */
#include <flange/access.h>
#include <math.h>
#include <stdio.h>

enum { JOINTS = 7 };

/* about what each joint has to turn [kg m^2] */
static const double inertia[JOINTS] = {8000, 8000, 8000, 2000, 40, 20, 1};

static flg_error error;

static int fail(void) {
  fprintf(stderr, "%s\n", error.message);
  return 1;
}

static flg_status find(flg_simulation *simulation, int joint, flg_output *position,
                       flg_output *velocity, flg_input *effort) {
  char name[40];
  snprintf(name, sizeof name, "arm/joint%d.position", joint + 1);
  flg_status status = flg_output_find(simulation, name, position, &error);
  snprintf(name, sizeof name, "arm/joint%d.velocity", joint + 1);
  if (status == FLG_OK) status = flg_output_find(simulation, name, velocity, &error);
  snprintf(name, sizeof name, "arm/joint%d.effort", joint + 1);
  if (status == FLG_OK) status = flg_input_find(simulation, name, effort, &error);
  return status;
}

int main(int count, char **words) {
  const char *path = count > 1 ? words[1] : "examples/ssrms/poses.yaml";
  flg_simulation *simulation = NULL;
  flg_mistakes mistakes;
  flg_output position[JOINTS], velocity[JOINTS];
  flg_input effort[JOINTS];
  flg_trigger off;
  double start[JOINTS], worst = 0;
  if (flg_simulation_load(&simulation, path, NULL, 0, &mistakes) != FLG_OK) {
    flg_mistakes_error(&mistakes, &error);
    return fail();
  }
  /* the scenario has a controller of its own: it is switched off */
  if (flg_trigger_find(simulation, "disable", "arm/joints", 0, &off, &error) != FLG_OK ||
      flg_trigger_fire(simulation, off, NULL, 0, &error) != FLG_OK) {
    return fail();
  }
  for (int k = 0; k < JOINTS; k++) {
    if (find(simulation, k, &position[k], &velocity[k], &effort[k]) != FLG_OK ||
        flg_output_read(simulation, position[k], &start[k], 1, &error) != FLG_OK) {
      return fail();
    }
  }
  while (!flg_simulation_ended(simulation)) {
    const double time = flg_simulation_time(simulation);
    for (int k = 0; k < JOINTS; k++) {
      double q, v, torque;
      if (flg_output_read(simulation, position[k], &q, 1, &error) != FLG_OK ||
          flg_output_read(simulation, velocity[k], &v, 1, &error) != FLG_OK) {
        return fail();
      }
      /* slowly by 0.1 rad and back */
      const double wanted = start[k] + 0.1 * sin(0.5 * time) * sin(0.5 * time);
      torque = inertia[k] * (9 * (wanted - q) - 6 * v);
      worst = fmax(worst, fabs(wanted - q));
      if (flg_input_write(simulation, effort[k], &torque, 1, &error) != FLG_OK) return fail();
    }
    if (flg_simulation_step(simulation, &error) != FLG_OK) return fail();
  }
  printf("after %g s: no joint was further than %.3f rad from where it was to be\n",
         flg_simulation_time(simulation), worst);
  flg_simulation_release(simulation);
  return worst < 0.2 ? 0 : 1;
}
