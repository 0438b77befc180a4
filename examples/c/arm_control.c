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
  flg_output motion[2 * JOINTS]; /* positions, then velocities */
  flg_input effort[JOINTS];
  flg_trigger off;
  double start[2 * JOINTS], read[2 * JOINTS], torque[JOINTS], worst = 0;
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
    if (find(simulation, k, &motion[k], &motion[JOINTS + k], &effort[k]) != FLG_OK) return fail();
  }
  if (flg_output_read_many(simulation, motion, 2 * JOINTS, start, 2 * JOINTS, &error) != FLG_OK) {
    return fail();
  }
  while (!flg_simulation_ended(simulation)) {
    const double time = flg_simulation_time(simulation);
    flg_status status =
        flg_output_read_many(simulation, motion, 2 * JOINTS, read, 2 * JOINTS, &error);
    for (int k = 0; k < JOINTS; k++) {
      /* slowly by 0.1 rad and back */
      const double wanted = start[k] + 0.1 * sin(0.5 * time) * sin(0.5 * time);
      torque[k] = inertia[k] * (9 * (wanted - read[k]) - 6 * read[JOINTS + k]);
      worst = fmax(worst, fabs(wanted - read[k]));
    }
    if (status == FLG_OK) {
      status = flg_input_write_many(simulation, effort, JOINTS, torque, JOINTS, &error);
    }
    if (status == FLG_OK) status = flg_simulation_step(simulation, &error);
    if (status != FLG_OK) return fail();
  }
  printf("after %g s: no joint was further than %.3f rad from where it was to be\n",
         flg_simulation_time(simulation), worst);
  flg_simulation_release(simulation);
  return worst < 0.2 ? 0 : 1;
}
