/* case_cosim - (g) co-simulated examples: how many times faster than real time a whole run is, and
 * where the time of a macro step goes. No peer couples subsystems by reduced models, so these rows
 * stand alone.
 *
 *     reduce     interface models of subsystems
 *     join       models of all others, as seen from one
 *     advance    micro steps of subsystems, and impulses on them
 *     solve      all the rest: forces at interfaces and contacts, records, figures of closure
 */
#include "macro/rest_model.h"
#include "scenarios.h"

/* --- where the time goes ------------------------------------------------------------------------
 * Subsystems are given tables of functions that take the time; joins are wrapped by the linker.
 */

typedef enum piece { REDUCE, JOIN, ADVANCE, SOLVE, PIECES } piece;
static double spent[PIECES];
static long calls[PIECES];
static int depth; /* of measured calls: the outermost counts */

typedef struct watched {
  void *self;
  const flg_subsystem_ops *ops;
  flg_subsystem_ops own;
  flg_coupled_ops coupled;
} watched;
enum { MOST = 8 };
static watched subsystems[MOST];

static const watched *find(const void *self) {
  for (int k = 0; k < MOST; k++) {
    if (subsystems[k].self == self) return &subsystems[k];
  }
  abort();
}

static double enter(void) {
  return depth++ == 0 ? worked() : 0;
}

static void leave(piece what, double since) {
  if (--depth == 0) spent[what] += worked() - since, calls[what]++;
}

#define MEASURED(what, call)      \
  const double since = enter();   \
  const flg_status status = call; \
  leave(what, since);             \
  return status

static flg_status reduce(void *self, double time, double tau, flg_interface_model *model) {
  MEASURED(REDUCE, find(self)->ops->coupled->reduce(self, time, tau, model));
}

static flg_status reduce_plain(void *self, double time, double tau, flg_interface_model *model) {
  MEASURED(REDUCE, find(self)->ops->coupled->reduce_plain(self, time, tau, model));
}

static flg_status velocity_bias(void *self, double *bias) {
  MEASURED(REDUCE, find(self)->ops->coupled->velocity_bias(self, bias));
}

static flg_status reduce_step(void *self, double time, double h, flg_interface_model *model) {
  MEASURED(REDUCE, find(self)->ops->coupled->reduce_step(self, time, h, model));
}

static flg_status push(void *self, double time, double h, int index, const double *impulses,
                       flg_error *error) {
  MEASURED(ADVANCE, find(self)->ops->coupled->push(self, time, h, index, impulses, error));
}

static flg_status impulse(void *self, const double *impulses) {
  MEASURED(ADVANCE, find(self)->ops->coupled->impulse(self, impulses));
}

static flg_status displace(void *self, const double *x) {
  MEASURED(ADVANCE, find(self)->ops->coupled->displace(self, x));
}

static flg_status advance(void *self, double time, double h, int first, int count,
                          flg_error *error) {
  MEASURED(ADVANCE, find(self)->ops->advance(self, time, h, first, count, error));
}

flg_status __real_flg_rest_model_join(flg_rest_model *rest, const flg_reduced *reduced,
                                      double *velocity_bias, flg_interface_model *model);
flg_status __wrap_flg_rest_model_join(flg_rest_model *rest, const flg_reduced *reduced,
                                      double *velocity_bias, flg_interface_model *model);
flg_status __wrap_flg_rest_model_join(flg_rest_model *rest, const flg_reduced *reduced,
                                      double *velocities, flg_interface_model *model) {
  MEASURED(JOIN, __real_flg_rest_model_join(rest, reduced, velocities, model));
}

static void watch(flg_subsystem *subsystem, watched *by) {
  *by = (watched){subsystem->self, subsystem->ops, *subsystem->ops, *subsystem->ops->coupled};
  by->own.advance = advance;
  by->coupled.reduce = reduce, by->coupled.push = push;
  by->coupled.impulse = impulse, by->coupled.displace = displace;
  if (by->coupled.reduce_plain != NULL) by->coupled.reduce_plain = reduce_plain;
  if (by->coupled.velocity_bias != NULL) by->coupled.velocity_bias = velocity_bias;
  if (by->coupled.reduce_step != NULL) by->coupled.reduce_step = reduce_step;
  by->own.coupled = &by->coupled;
  subsystem->ops = &by->own;
}

static double cost_of_clock(void) {
  enum { READS = 100000 };
  const double start = worked();
  for (int k = 0; k < READS; k++) (void)worked();
  return (worked() - start) / READS;
}

/* Shares of the fastest of several runs. Watching costs time, which is taken off: one reading of
 * the clock within a measured call, and another one outside of it. */
static void find_shares(const char *path, double shares[PIECES]) {
  scenario of = scenario_load(path);
  double least = INFINITY;
  const double cost = cost_of_clock();
  for (int k = 0; k < of.simulation->subsystem_count; k++) {
    watch(&of.simulation->subsystems[k], &subsystems[k]);
  }
  for (int round = 0; round < 15; round++) {
    memset(spent, 0, sizeof spent), memset(calls, 0, sizeof calls);
    scenario_start(&of);
    const double start = worked();
    scenario_run(&of);
    double whole = worked() - start;
    if (!(whole < least)) continue;
    least = whole, shares[SOLVE] = 1;
    for (int k = 0; k < SOLVE; k++) whole -= 2 * cost * (double)calls[k];
    for (int k = 0; k < SOLVE; k++) {
      shares[k] = (spent[k] - cost * (double)calls[k]) / whole;
      shares[SOLVE] -= shares[k];
    }
  }
  for (int k = 0; k < of.simulation->subsystem_count; k++) {
    of.simulation->subsystems[k].ops = subsystems[k].ops;
  }
  scenario_release(&of);
}

/* --- whole runs --------------------------------------------------------------------------------
 */

static void tell_run(const char *name, const char *path, double mark) {
  static const char *const names[PIECES] = {"reduce", "join", "advance", "solve"};
  scenario of = scenario_load(path);
  const racer one = {.run = scenario_run, .of = &of, .start = scenario_start};
  double least = INFINITY, shares[PIECES];
  char work[100];
  for (int round = 0; round < 15; round++) {
    least = flg_smaller(least, race_batch(&one, 1, worked));
  }
  snprintf(work, sizeof work, "%s, whole run", name);
  race_figure("g", work, "Flange", "times real time", of.steps * of.simulation->macro / least, mark,
              "");
  find_shares(path, shares);
  for (int k = 0; k < PIECES; k++) {
    snprintf(work, sizeof work, "%s, macro step: %s", name, names[k]);
    race_figure("g", work, "Flange", "us", 1e6 * shares[k] * least / of.steps, 0, "");
  }
  scenario_release(&of);
}

int main(void) {
  static const struct {
    const char *name, *path;
    double mark;
  } runs[] = {{"capture", "examples/capture/capture.yaml", 1000},
              {"wall push, flexible arm", "examples/wall-push/manoeuvre1-flexible.yaml", 500},
              {"wall push, rigid arm", "examples/wall-push/manoeuvre1-rigid.yaml", 0},
              {"wrist", "examples/wrist/wrist.yaml", 0}};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    tell_run(runs[k].name, runs[k].path, runs[k].mark);
  }
  return 0;
}
