/* master.c - a co-simulation master of one's own: a rod on a hinge and a bell, two subsystems that
 * step by themselves, joined by a ball joint that only this program knows of.
 * At each step both tell how their ends answer to forces, D and r. flg_eliminate joins the models
 * and finds the force in the joint; both are stepped under it. That is all that a coupling does. */
#include <flange/access.h>
#include <flange/define.h>
#include <flange/ports.h>
#include <math.h>
#include <stdio.h>

enum { SIDES = 2, ROWS = 6, JOINED = 3 };
static const char *const models[SIDES] = {
    "flange-model: 1\nbodies: {rod: {mass: 1, centre: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}}\n"
    "joints: {hinge: {kind: revolute, child: rod, axis: [0, 1, 0]}}\n"
    "markers: {end: {body: rod, at: [1, 0, 0]}}\n",
    "flange-model: 1\n"
    "bodies: {bell: {mass: 0.5, centre: [0, 0, -0.3], inertia: [0.01, 0.01, 0.01]}}\n"
    "joints: {sky: {kind: floating, child: bell, at: [1, 0, 0]}}\nmarkers: {end: {body: bell}}\n"};
static const char whole[] =
    "flange: 1\ntime: {end: 2, macro: 1/500}\n"
    "subsystems: {rod: {model: rod, integrator: semi-implicit},\n"
    "  bell: {model: bell, integrator: semi-implicit}}\n";

typedef struct side {
  flg_ports end;
  flg_input force;
  flg_output place;
  double D[ROWS * ROWS], r[ROWS], w[ROWS], at[JOINED];
} side;
static flg_error error;
static flg_mistakes mistakes;

/* all that is wrong shows when the simulation is built */
static flg_simulation *build(void) {
  flg_simulation *simulation = NULL;
  flg_definition *system = NULL, *part = NULL;
  flg_definition_read(&system, FLG_DEFINE_SYSTEM, "two", whole, &mistakes);
  for (int s = 0; s < SIDES; s++) {
    flg_definition_read(&part, FLG_DEFINE_ROBOT, s == 0 ? "rod" : "bell", models[s], &mistakes);
    flg_define_part(system, part, &error);
    flg_definition_release(part);
  }
  if (flg_definition_simulate(system, NULL, 0, &simulation, &mistakes))
    puts(mistakes.list->message);
  flg_definition_release(system);
  return simulation;
}

static flg_status find(flg_simulation *simulation, int s, side *of) {
  static const char *const ends[SIDES] = {"rod/end", "bell/end"};
  static const char *const forces[SIDES] = {"rod/end.wrench", "bell/end.wrench"};
  static const char *const places[SIDES] = {"rod/end.position", "bell/end.position"};
  if (flg_ports_find(simulation, &ends[s], 1, &of->end, &error)) return error.status;
  if (flg_input_find(simulation, forces[s], &of->force, &error)) return error.status;
  return flg_output_find(simulation, places[s], &of->place, &error);
}

/* the force on the first side under which both ends move alike at the end of the step */
static flg_status join(const side *sides, double h, double force[JOINED]) {
  static const int pairs[JOINED][2] = {{0, 0}, {1, 1}, {2, 2}};
  double memory[2000] = {0}, bias[SIDES][ROWS], gap[JOINED], none[1];
  flg_stack stack = flg_stack_default();
  for (int s = 0; s < SIDES; s++) {
    for (int i = 0; i < ROWS; i++) bias[s][i] = sides[s].r[i] + sides[s].w[i] / h;
    stack.rows[s] = ROWS, stack.admittance[s] = sides[s].D, stack.bias[s] = bias[s];
  }
  for (int i = 0; i < JOINED; i++) gap[i] = 0.3 * (sides[1].at[i] - sides[0].at[i]) / (h * h);
  stack.constraints = JOINED, stack.pairs = pairs, stack.target = gap;
  const size_t bytes = flg_eliminate_bytes(&stack);
  flg_eliminate(&stack, memory, bytes, none, none, NULL, &error);
  return flg_eliminate_back(memory, NULL, force, NULL, &error);
}

int main(void) {
  static side sides[SIDES];
  flg_simulation *both = build();
  double widest = 0, force[JOINED];
  if (both == NULL || find(both, 0, &sides[0]) != FLG_OK || find(both, 1, &sides[1])) return 1;
  while (!flg_simulation_ended(both)) {
    const double h = flg_simulation_macro(both);
    for (int s = 0; s < SIDES; s++) {
      flg_input_clear(both, sides[s].force, &error); /* D and r are without the other side */
      flg_ports_reduce(both, sides[s].end, h, ROWS, sides[s].D, sides[s].r, sides[s].w, &error);
      flg_output_read(both, sides[s].place, sides[s].at, JOINED, &error);
    }
    if (join(sides, h, force) != FLG_OK) return 1;
    for (int s = 0; s < SIDES; s++) {
      double wrench[ROWS] = {0};
      for (int i = 0; i < JOINED; i++) wrench[i] = s == 0 ? force[i] : -force[i];
      flg_input_write(both, sides[s].force, wrench, ROWS, &error);
    }
    if (flg_simulation_step(both, &error) != FLG_OK) return 1;
    widest = fmax(widest, fabs(sides[0].at[2] - sides[1].at[2]));
  }
  printf("after 2 s the bell is %.3f m low; the joint was open by %.1e m at most\n",
         -sides[1].at[2], widest);
  flg_simulation_release(both);
  return widest < 1e-3 ? 0 : 1;
}
