/* outside.c - what a program of somebody else may do with the installed headers and library.
 *
 * Prints the version, then `ok`; tests/outside/check compares. Add a line for each public header.
 */
#include <stdio.h>
#include <string.h>

#include "flange/access.h"
#include "flange/flexible.h"
#include "flange/ports.h"
#include "flange/recordings.h"
#include "flange/simulation.h"
#include "flange/state.h"
#include "flange/status.h"
#include "flange/study.h"
#include "flange/system.h"
#include "flange/threads.h"
#include "flange/version.h"

static int failure_says_why(void) {
  flg_error error = {0};
  const flg_status status = flg_fail(&error, FLG_ERR_RANGE, "The mass %g is negative.", -1.0);
  return status == FLG_ERR_RANGE && strcmp(error.message, "The mass -1 is negative.") == 0;
}

/* A body of 2 kg yields to a force by 1/2 kg, and a wrench on it is an input. */
static int model_in_code_runs(void) {
  static const double inertia[] = {0.1, 0.1, 0.1};
  const char *const port = "a/box";
  flg_definition *box = NULL, *system = NULL;
  flg_simulation *simulation = NULL;
  flg_body_options body = flg_body_default();
  flg_subsystem_options subsystem = flg_subsystem_default();
  flg_system_options whole = flg_system_default();
  flg_input wrench;
  flg_ports ports;
  double D[36] = {0}, push[6] = {1, 0, 0, 0, 0, 0};
  body.mass = 2, body.inertia.count = 3, body.inertia.values = inertia;
  subsystem.model = "box", whole.end = 1;
  int good = flg_definition_build(&box, FLG_DEFINE_COMPONENT, "box", NULL) == FLG_OK &&
             flg_define_body(box, "box", &body, NULL) == FLG_OK &&
             flg_definition_build(&system, FLG_DEFINE_SYSTEM, "s", NULL) == FLG_OK &&
             flg_define_part(system, box, NULL) == FLG_OK &&
             flg_define_system(system, &whole, NULL) == FLG_OK &&
             flg_define_subsystem(system, "a", &subsystem, NULL) == FLG_OK &&
             flg_definition_simulate(system, NULL, 0, &simulation, NULL) == FLG_OK &&
             flg_input_find(simulation, "a/box.wrench", &wrench, NULL) == FLG_OK &&
             flg_input_write(simulation, wrench, push, 6, NULL) == FLG_OK &&
             flg_simulation_step(simulation, NULL) == FLG_OK &&
             flg_ports_find(simulation, &port, 1, &ports, NULL) == FLG_OK &&
             flg_ports_reduce(simulation, ports, 1e-3, 6, D, NULL, NULL, NULL) == FLG_OK;
  good = good && D[0] > 0.499999 && D[0] < 0.500001;
  flg_simulation_release(simulation);
  flg_definition_release(system);
  flg_definition_release(box);
  return good;
}

static void square(void *context, int index) {
  ((int *)context)[index] = index * index;
}

static int threads_share_a_loop(void) {
  int squares[100] = {0};
  flg_threads *threads = NULL;
  flg_error error = {0};
  if (flg_threads_build(&threads, 2, &error) != FLG_OK) return 0;
  flg_threads_for(threads, 100, square, squares);
  flg_threads_release(threads);
  int sum = 0;
  for (int k = 0; k < 100; k++) sum += squares[k];
  return sum == 328350;
}

/* The installed example: a pendulum that is back where it started after 3 s would be a wonder. */
static int simulation_runs(const char *path) {
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  flg_error error = {0};
  if (flg_simulation_load(&simulation, path, NULL, 0, &mistakes) != FLG_OK) return 0;
  const uint64_t start = flg_simulation_hash(simulation);
  while (!flg_simulation_ended(simulation) && flg_simulation_step(simulation, &error) == FLG_OK) {}
  const int moved = flg_simulation_ended(simulation) && flg_simulation_hash(simulation) != start;
  flg_simulation_release(simulation);
  return moved;
}

int main(int count, char **words) {
  if (count < 2 || !simulation_runs(words[1])) return 2;
  if (!failure_says_why() || !model_in_code_runs() || !threads_share_a_loop()) return 1;
  printf("%s\nok\n", FLG_VERSION);
  return 0;
}
