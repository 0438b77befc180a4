/* case_heaps - (f) a step of heaps of boxes, against MuJoCo, Bullet and ODE.
 *
 * Boxes of 8 to 12 cm, turned at random, fall onto a floor (friction 0.5, no restitution) and come
 * to rest, in steps of 1/240 s. A time is the mean over the first second (falling) or the fourth
 * (at rest) of a whole run; all take their steps in turns. Beside it stand the largest overlap
 * within that second, looked at in every fourth step, and how far any box moved in the last second:
 * all from the poses, by our geometry. Each peer has its usual solver: MuJoCo Newton on a soft
 * convex problem, Bullet 10 and ODE 20 sweeps. Before boxes touch, all have to fall alike.
 */
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "heap_peers.h"
#include "heaps.h"
#include "race.h"

enum { RATE = 240, SECONDS = 4, LOOK = 4, FREE_STEPS = 8, MOST_ROUNDS = 9 };
enum { MUJOCO_MOST = 300 }; /* its Jacobian has all rows times all velocities: gigabytes */

/* --- Flange ----------------------------------------------------------------------------------- */

static flg_assembly *assemble(parts *p) {
  flg_assembly *assembly = NULL;
  const flg_assembly_options options = touching_options();
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_assembly_build(&assembly, &p->component, NULL, &options, &mistakes);
  if (assembly == NULL) fprintf(stderr, "%s\n", mistakes.list[0].message), exit(1);
  return assembly;
}

/* boxes of a layer, in a row */
static int side_of(int count) {
  return count < 100 ? 2 : count < 1000 ? 5 : 10;
}

static void *flange_build(const heap_box *boxes, int count, double h) {
  (void)boxes, (void)h;
  return assemble(heap_of(count, side_of(count))); /* as the boxes are */
}

static void flange_step(void *world) {
  flg_error error = {0};
  if (flg_assembly_advance_or_say(world, 0, 1. / RATE, 0, 1, &error) != FLG_OK) {
    fprintf(stderr, "%s\n", error.message), exit(1);
  }
}

static void flange_look(const void *world, int box, double position[3], double turn[4]) {
  const flg_assembly *assembly = world;
  memcpy(position, assembly->state.q + 7 * box, 3 * sizeof *position);
  memcpy(turn, assembly->state.q + 7 * box + 3, 4 * sizeof *turn);
}

static void flange_release(void *world) {
  flg_assembly_release(world);
}

static const heap_peer heap_flange = {"Flange", flange_build, flange_step, flange_look,
                                      flange_release};

/* --- one run of all --------------------------------------------------------------------------- */

typedef struct runner {
  const heap_peer *peer;
  void *world;
  double *before; /* positions, three a box, when the last second began */
  double spent[2][MOST_ROUNDS], overlap[2], drift;
} runner;

typedef struct heap_race {
  int count, runner_count;
  heap_box *boxes;
  flg_assembly *judge; /* of the same boxes, which takes their poses to look at them */
  runner runners[RACE_MOST];
} heap_race;

static heap_box *boxes_of(const parts *p) {
  const flg_component *c = &p->component;
  heap_box *boxes = calloc((size_t)c->body_count, sizeof *boxes);
  if (boxes == NULL) abort();
  for (int k = 0; k < c->body_count; k++) {
    const flg_quat turn = flg_quat_from_matrix(&c->bodies[k].pose.rotation);
    boxes[k] = (heap_box){.mass = c->bodies[k].mass, .turn = {turn.w, turn.x, turn.y, turn.z}};
    memcpy(boxes[k].size, c->shapes[k + 1].size, sizeof boxes[k].size);
    flg_vec3_store(c->bodies[k].pose.position, boxes[k].position);
  }
  return boxes;
}

static double overlap(const heap_race *of, const runner *one) {
  for (int k = 0; k < of->count; k++) {
    one->peer->look(one->world, k, of->judge->state.q + 7 * k, of->judge->state.q + 7 * k + 3);
  }
  flg_assembly_refresh(of->judge, 0);
  return flg_contacts_report_view(of->judge->model.touch->contacts).penetration;
}

static void keep_positions(const heap_race *of, const runner *one, double *positions) {
  for (int k = 0; k < of->count; k++) {
    double turn[4];
    one->peer->look(one->world, k, positions + 3 * k, turn);
  }
}

/* Bullet counts in floats */
static void require_same_fall(const heap_race *of) {
  for (int i = 1; i < of->runner_count; i++) {
    keep_positions(of, &of->runners[0], of->runners[0].before);
    keep_positions(of, &of->runners[i], of->runners[i].before);
    race_same("free fall", of->runners[i].peer->name, of->runners[0].before, of->runners[i].before,
              3 * of->count, 1e-6);
  }
}

static double largest_move(const heap_race *of, const runner *one) {
  double drift = 0;
  for (int k = 0; k < of->count; k++) {
    double at[3], turn[4];
    one->peer->look(one->world, k, at, turn);
    const flg_vec3 way = flg_vec3_subtract(flg_vec3_load(at), flg_vec3_load(one->before + 3 * k));
    drift = flg_larger(drift, flg_vec3_norm(way));
  }
  return drift;
}

static void take_step(heap_race *of, int step, int phase, int round) {
  for (int i = 0; i < of->runner_count; i++) {
    runner *one = &of->runners[i];
    const double start = worked();
    one->peer->step(one->world);
    if (phase < 0) continue;
    one->spent[phase][round] += (worked() - start) / RATE;
    if (step % LOOK == LOOK - 1 && round == 0) {
      one->overlap[phase] = flg_larger(one->overlap[phase], overlap(of, one));
    }
  }
}

static void run_round(heap_race *of, int round) {
  for (int i = 0; i < of->runner_count; i++) {
    runner *one = &of->runners[i];
    one->world = one->peer->build(of->boxes, of->count, 1. / RATE);
    one->spent[0][round] = one->spent[1][round] = 0;
  }
  for (int step = 0; step < RATE * SECONDS; step++) {
    const int second = step / RATE;
    if (step == FREE_STEPS) require_same_fall(of);
    if (step == RATE * (SECONDS - 1)) {
      for (int i = 0; i < of->runner_count; i++) {
        keep_positions(of, &of->runners[i], of->runners[i].before);
      }
    }
    take_step(of, step, second == 0 ? 0 : second == SECONDS - 1 ? 1 : -1, round);
  }
  for (int i = 0; i < of->runner_count; i++) {
    of->runners[i].drift = largest_move(of, &of->runners[i]);
    of->runners[i].peer->release(of->runners[i].world);
  }
}

/* --- races ------------------------------------------------------------------------------------ */

static void tell(heap_race *of, int phase, int rounds) {
  char work[80];
  snprintf(work, sizeof work, "heap of %d, %s", of->count, phase == 0 ? "falling" : "at rest");
  for (int i = 0; i < of->runner_count; i++) {
    runner *one = &of->runners[i];
    racer entered = {.name = one->peer->name, .remark = ""};
    if (i == 0) {
      const bool is_large = of->count > MUJOCO_MOST;
      entered.mark = is_large ? 2 : 1, entered.against = is_large ? "Bullet" : "MuJoCo";
    }
    const int used =
        snprintf(entered.remark, sizeof entered.remark, "overlap %.1e m", one->overlap[phase]);
    if (phase == 1) {
      snprintf(entered.remark + used, sizeof entered.remark - (size_t)used, ", moved %.1e m",
               one->drift);
    }
    race_tell("f", work, &entered, one->spent[phase], rounds);
  }
}

static void race_heap(int count, int rounds) {
  static const heap_peer *const peers[] = {&heap_flange, &heap_mujoco, &heap_bullet, &heap_ode};
  parts *p = heap_of(count, side_of(count));
  static heap_race of;
  of = (heap_race){.count = count, .boxes = boxes_of(p), .judge = assemble(p)};
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
    if (peers[i] == &heap_mujoco && count > MUJOCO_MOST) continue;
    runner *one = &of.runners[of.runner_count++];
    one->peer = peers[i];
    one->before = calloc(3 * (size_t)count, sizeof(double));
    if (one->before == NULL) abort();
  }
  for (int round = 0; round < rounds; round++) run_round(&of, round);
  for (int phase = 0; phase < 2; phase++) tell(&of, phase, rounds);
  for (int i = 0; i < of.runner_count; i++) free(of.runners[i].before);
  free(of.boxes);
  flg_assembly_release(of.judge);
  shapes_drop(p), parts_drop(p);
}

int main(int count, char **arguments) {
  const bool is_long = count > 1 && strcmp(arguments[1], "--long") == 0;
  race_heap(10, 9);
  race_heap(100, is_long ? 5 : 3);
  race_heap(1000, is_long ? 3 : 1);
  return 0;
}
