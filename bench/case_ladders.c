/* case_ladders - (d) a step of 1 ms of ladders of N unequal four-bars, against MuJoCo, with the
 * largest gap of the joints after 0.1 s.
 *
 * Flange takes absolute coordinates and closes joints to rounding (`rattle`); `Flange, in space`
 * does not use that the ladder moves in a plane. In MuJoCo couplers hang on the crank before them
 * and are connected to the next one by an equality, which is soft. Both start from the same poses
 * and velocities; cranks have to turn alike over 50 steps, as far as that softness allows.
 */
#include <mujoco/mujoco.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "component/assembly_start.h"
#include "ladder.h"
#include "race.h"

static const double STEP = 1e-3;
enum { CHECKED = 50, WATCHED = 100 };
static const double SAME = 1e-2; /* of the largest turn: schemes of first and second order */

static void give_up(const char *what) {
  fprintf(stderr, "case_ladders: %s\n", what);
  exit(1);
}

/* --- Flange ----------------------------------------------------------------------------------- */

typedef struct flange_ladder {
  parts *p;
  flg_assembly *assembly;
  double *first; /* the state at the start */
} flange_ladder;

static flange_ladder flange_ladder_of(int count, bool reduces) {
  static flg_mistakes mistakes;
  flange_ladder made = {.p = ladder(count)};
  flg_assembly_options options = flg_assembly_default();
  options.gravity = vec(0, -9.81, 0);
  options.scheme = FLG_SCHEME_RATTLE, options.reduces = reduces;
  if (flg_assembly_build(&made.assembly, &made.p->component, NULL, &options, &mistakes) != FLG_OK) {
    give_up(mistakes.list[0].message);
  }
  if (flg_assembly_settle(made.assembly) != FLG_OK) give_up("velocities do not fit the joints");
  if (flg_assembly_freeze(made.assembly) != FLG_OK) give_up("no memory");
  int numbers;
  const double *state = flg_assembly_state(made.assembly, &numbers);
  made.first = malloc((size_t)numbers * sizeof *made.first);
  if (made.first == NULL) give_up("no memory");
  memcpy(made.first, state, (size_t)numbers * sizeof *state);
  return made;
}

static void flange_start(void *of) {
  const flange_ladder *f = of;
  int numbers;
  double *state = flg_assembly_state(f->assembly, &numbers);
  memcpy(state, f->first, (size_t)numbers * sizeof *state);
  flg_assembly_refresh(f->assembly, 0);
}

static void flange_step(void *of) {
  const flange_ladder *f = of;
  if (flg_assembly_advance(f->assembly, 0, STEP, 0, 1) != FLG_OK) give_up("a step failed");
}

static void flange_release(flange_ladder *of) {
  flg_assembly_release(of->assembly);
  parts_drop(of->p);
  free(of->first);
}

static double flange_gap(flange_ladder *of) {
  flange_start(of);
  for (int k = 0; k < WATCHED; k++) flange_step(of);
  flg_assembly_refresh(of->assembly, 0);
  return flg_assembly_closure(of->assembly).position;
}

/* by how much crank k turned, about z */
static double flange_turn(const flange_ladder *of, int k) {
  const double *q = of->assembly->state.q + 7 * k + 3, *p = of->first + 7 * k + 3;
  return 2 * (atan2(q[3], q[0]) - atan2(p[3], p[0]));
}

/* --- MuJoCo ----------------------------------------------------------------------------------- */

typedef struct mujoco_ladder {
  int count;
  mjModel *model;
  mjData *data;
} mujoco_ladder;

static char *describe_ladder(int count) {
  const size_t room = 1200 * ((size_t)count + 2);
  char *text = malloc(room);
  size_t at = 0;
  if (text == NULL) give_up("no memory");
#define PUT(...) at += (size_t)snprintf(text + at, room - at, __VA_ARGS__)
  PUT("<mujoco><size njmax='%d'/><option timestep='0.001' gravity='0 -9.81 0'/><worldbody>",
      3 * count + 100);
  for (int k = 0; k <= count; k++) {
    const double m = 1 + 0.3 * sin(k), l = top(k).y, I = m * l * l / 12;
    PUT("<body name='c%d' pos='%.17g 0 0'><joint type='hinge' axis='0 0 1'/>"
        "<inertial pos='0 %.17g 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
        k, foot(k).x, l / 2, m, I, 0.001 * I, I);
    if (k < count) {
      const flg_vec3 way = flg_vec3_subtract(top(k + 1), top(k));
      const double mass = 1 + 0.3 * cos(k), J = mass * flg_vec3_dot(way, way) / 12;
      PUT("<body name='k%d' pos='0 %.17g 0'><joint type='hinge' axis='0 0 1'/>"
          "<inertial pos='%.17g %.17g 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/></body>",
          k, l, way.x / 2, way.y / 2, mass, J, J, J);
    }
    PUT("</body>");
  }
  PUT("</worldbody><equality>");
  for (int k = 0; k < count; k++) {
    PUT("<connect body1='c%d' body2='k%d' anchor='0 %.17g 0'/>", k + 1, k, top(k + 1).y);
  }
  PUT("</equality></mujoco>");
#undef PUT
  return text;
}

static mujoco_ladder mujoco_ladder_of(int count) {
  static mjVFS files;
  char error[500] = "", *text = describe_ladder(count);
  mj_defaultVFS(&files);
  if (mj_makeEmptyFileVFS(&files, "ladder.xml", (int)strlen(text)) != 0) give_up("no file");
  memcpy(files.filedata[mj_findFileVFS(&files, "ladder.xml")], text, strlen(text));
  mujoco_ladder made = {count, mj_loadXML("ladder.xml", &files, error, sizeof error), NULL};
  mj_deleteVFS(&files);
  free(text);
  if (made.model == NULL) give_up(error);
  made.data = mj_makeData(made.model);
  return made;
}

/* positions of crank k: 2 k, of the coupler on it 2 k + 1 */
static void mujoco_start(void *of) {
  const mujoco_ladder *m = of;
  mj_resetData(m->model, m->data);
  for (int k = 0; k <= m->count; k++) {
    m->data->qvel[2 * k] = -0.1 / top(k).y;
    if (k < m->count) m->data->qvel[2 * k + 1] = 0.1 / top(k).y;
  }
}

static void mujoco_step(void *of) {
  const mujoco_ladder *m = of;
  mj_step(m->model, m->data);
}

static double mujoco_gap(mujoco_ladder *of) {
  double gap = 0;
  mujoco_start(of);
  for (int k = 0; k < WATCHED; k++) mujoco_step(of);
  for (int i = 0; i < of->data->nefc; i++) gap = flg_larger(gap, fabs(of->data->efc_pos[i]));
  return gap;
}

/* --- races ------------------------------------------------------------------------------------ */

static void require_same_motion(flange_ladder *flange, mujoco_ladder *mujoco) {
  double *turns = calloc(2 * ((size_t)mujoco->count + 1), sizeof *turns);
  if (turns == NULL) give_up("no memory");
  double *theirs = turns + mujoco->count + 1;
  flange_start(flange), mujoco_start(mujoco);
  for (int k = 0; k < CHECKED; k++) flange_step(flange), mujoco_step(mujoco);
  for (int k = 0; k <= mujoco->count; k++) {
    turns[k] = flange_turn(flange, k), theirs[k] = mujoco->data->qpos[2 * k];
  }
  race_same("ladder", "MuJoCo", turns, theirs, mujoco->count + 1, SAME);
  free(turns);
}

static void note_gap(racer *one, double gap) {
  snprintf(one->remark, sizeof one->remark, "gap %.1e m", gap);
}

static void race_ladder(int count) {
  char work[80];
  flange_ladder flat = flange_ladder_of(count, true), spatial = flange_ladder_of(count, false);
  mujoco_ladder mujoco = mujoco_ladder_of(count);
  require_same_motion(&flat, &mujoco), require_same_motion(&spatial, &mujoco);
  racer racers[] = {{"Flange", flange_step, &flat, flange_start, .mark = count == 40 ? 0.3 : 0},
                    {"Flange, in space", flange_step, &spatial, flange_start, .mark = 0},
                    {"MuJoCo", mujoco_step, &mujoco, mujoco_start, .mark = 0}};
  note_gap(&racers[0], flange_gap(&flat)), note_gap(&racers[1], flange_gap(&spatial));
  note_gap(&racers[2], mujoco_gap(&mujoco));
  race_terms terms = race_default();
  terms.calls = WATCHED;
  if (count > 100) terms.rounds = 5;
  snprintf(work, sizeof work, "ladder of %d four-bars, step", count);
  race_by(&terms, "d", work, racers, 3);
  flange_release(&flat), flange_release(&spatial);
  mj_deleteData(mujoco.data), mj_deleteModel(mujoco.model);
}

int main(void) {
  static const int counts[] = {1, 10, 40, 400};
  for (int k = 0; k < 4; k++) race_ladder(counts[k]);
  return 0;
}
