/* flange compare - couplings and macro steps against the exact solution. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "cli/compare_page.h"
#include "cli/compare_table.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/page.h"
#include "cli/progress.h"
#include "coupling/scheme.h"
#include "verbs/verbs.h"

/* from a scenario to its table */
typedef struct session {
  const flg_arguments *arguments;
  flg_comparison comparison;
  flg_trace *traces;      /* (runs + 1) the last is that of the reference */
  flg_capture **captures; /* (runs + 1) for the report; NULL: there is none */
  flg_threads *threads;
  flg_progress progress;
  double end;            /* of each run [s] */
  _Atomic double *times; /* (runs + 1) how far each has come [s] */
  atomic_flag is_shown;  /* some thread is showing the progress */
  flg_status status;
  flg_error error;
} session;

static const flg_compared *compared_at(const session *all, int index) {
  const flg_comparison *comparison = &all->comparison;
  return index == comparison->count ? &comparison->reference : &comparison->runs[index];
}

/* one run, seen by the thread that does it */
typedef struct job {
  session *all;
  int index;
} job;

static double time_of_all(const session *all) {
  double sum = 0;
  for (int k = 0; k <= all->comparison.count; k++) sum += atomic_load(&all->times[k]);
  return sum;
}

static bool tick(void *context, const flg_simulation *simulation) {
  const job *one = context;
  session *all = one->all;
  if (all->captures != NULL) flg_capture_take(all->captures[one->index]);
  atomic_store(&all->times[one->index], flg_simulation_time(simulation));
  if (!atomic_flag_test_and_set(&all->is_shown)) {
    flg_progress_show(&all->progress, time_of_all(all));
    atomic_flag_clear(&all->is_shown);
  }
  return flg_interrupted == 0;
}

/* the reference first: it takes longest */
static void run_one(void *context, int index) {
  session *all = context;
  job one = {all, all->comparison.count - index};
  flg_trace_run(&all->traces[one.index], compared_at(all, one.index)->simulation, tick, &one);
  atomic_store(&all->times[one.index], all->end);
}

static flg_status prepare_report(session *all) {
  const int count = all->comparison.count + 1;
  if (!flg_arguments_has(all->arguments, "report")) return FLG_OK;
  flg_status status = flg_page_check(&flg_tool_page, &all->error);
  if (status != FLG_OK) return status;
  all->captures = calloc((size_t)count, sizeof(flg_capture *));
  if (all->captures == NULL) {
    return flg_fail(&all->error, FLG_ERR_MEMORY, "There is no memory left.");
  }
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = flg_capture_build(&all->captures[k], compared_at(all, k)->simulation, &all->error);
  }
  return status;
}

static flg_status prepare_comparison(session *all) {
  const int count = all->comparison.count + 1;
  all->traces = calloc((size_t)count, sizeof *all->traces);
  all->times = calloc((size_t)count, sizeof *all->times);
  if (all->traces == NULL || all->times == NULL) {
    return flg_fail(&all->error, FLG_ERR_MEMORY, "There is no memory left.");
  }
  for (int k = 0; k < count; k++) {
    flg_simulation *simulation = compared_at(all, k)->simulation;
    const flg_status status = flg_trace_build(&all->traces[k], simulation, &all->error);
    if (status != FLG_OK) return status;
    flg_simulation_watch(simulation, &flg_interrupted);
  }
  all->end = flg_simulation_end(all->comparison.reference.simulation);
  const flg_status status = prepare_report(all);
  if (status != FLG_OK) return status;
  return flg_arguments_threads(all->arguments, 0, &all->threads, &all->error);
}

/* what ends a comparison: a run that diverges does not, unless it is the reference */
static flg_status judge_runs(session *all) {
  const int last = all->comparison.count;
  for (int k = last; k >= 0; k--) {
    const flg_trace *trace = &all->traces[k];
    if (trace->status == FLG_OK || (trace->status == FLG_ERR_DIVERGED && k < last)) continue;
    return flg_fail(&all->error, trace->status, "%s%s", k == last ? "The reference: " : "",
                    trace->error.message);
  }
  return FLG_OK;
}

/* tables say so themselves */
static void warn(const session *all) {
  for (int k = 0; k < all->comparison.count && all->arguments->json; k++) {
    if (flg_compare_steps_alike(&all->comparison, k)) continue;
    flg_log_write(
        &all->arguments->log, FLG_LOG_WARNING,
        "'%s' steps by %s, the reference by %s: errors hold those of the integrators, too",
        all->comparison.runs[k].coupling, all->comparison.runs[k].integrator,
        all->comparison.reference.integrator);
    return;
  }
}

static int compare_couplings(session *all) {
  all->status = prepare_comparison(all);
  if (all->status == FLG_OK) {
    const int count = all->comparison.count + 1;
    const bool machine = flg_arguments_has(all->arguments, "machine-progress");
    flg_interrupts_listen();
    all->progress = flg_progress_begin(count * all->end, machine);
    flg_threads_for(all->threads, count, run_one, all);
    flg_progress_end(&all->progress, time_of_all(all));
    all->status = judge_runs(all);
  }
  const char *report = flg_arguments_value(all->arguments, "report");
  if (all->status == FLG_OK && report != NULL) {
    all->status =
        flg_compare_write_page(&all->comparison, all->traces, all->captures, report, &all->error);
  }
  const char *table = flg_arguments_value(all->arguments, "table");
  if (all->status == FLG_OK && table != NULL) {
    all->status = flg_compare_write_table(&all->comparison, all->traces, table, &all->error);
  }
  if (all->status != FLG_OK) {
    return flg_console_fail(all->arguments, &all->error);
  }
  warn(all);
  if (all->arguments->json) {
    flg_compare_print_json(&all->comparison, all->traces);
  } else {
    flg_compare_print_tables(&all->comparison, all->traces);
    if (report != NULL) printf("\nreport: %s\n", report);
    if (table != NULL) printf("\ntable: %s\n", table);
  }
  return EX_OK;
}

static void release_comparison(session *all) {
  for (int k = 0; k <= all->comparison.count && all->traces != NULL; k++) {
    flg_trace_release(&all->traces[k]);
    if (all->captures != NULL) flg_capture_release(all->captures[k]);
  }
  free(all->captures);
  free(all->traces);
  free(all->times);
  flg_threads_release(all->threads);
  flg_comparison_release(&all->comparison);
}

static int run_compare(const flg_arguments *arguments) {
  static flg_mistakes mistakes;
  session all = {.arguments = arguments, .is_shown = ATOMIC_FLAG_INIT};
  const char *overrides[FLG_ARGUMENTS_MAX];
  const flg_comparison_choice choice = {
      .couplings = flg_arguments_value(arguments, "coupling"),
      .macros = flg_arguments_value(arguments, "macro"),
      .overrides = overrides,
      .override_count = flg_arguments_values(arguments, "set", overrides)};
  if (flg_comparison_load(&all.comparison, arguments->positionals[0], &choice, &mistakes) !=
      FLG_OK) {
    return flg_console_refuse(arguments, &mistakes);
  }
  const int code = compare_couplings(&all);
  release_comparison(&all);
  return code;
}

static const flg_option options[] = {
    {"coupling", 'c', "A,B,..", "Schemes to run (default: those of the scenario)",
     flg_coupling_words},
    {"macro", 'm', "H1,H2,..", "Macro steps to run each with, as in 1/120,1/60"},
    {"set", 's', "KEY=VALUE", "Change a key of the scenario; may be repeated"},
    {"report", 0, "FILE", "Write a page to FILE.html: all runs over each other, and in space"},
    {"table", 0, "FILE", "Write the largest errors over macro steps to FILE.csv, for flange plot"},
    {"threads", 0, "N", "Run N at once, 0: one on each core (default); 1 for true wall times"},
    {"machine-progress", 0, NULL, "Print '@progress FRACTION TIME END SECONDS_TO_GO' lines"},
};

const flg_verb flg_verb_compare = {
    .name = "compare",
    .summary = "measure couplings against the exact solution",
    .positional = "SCENARIO",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Runs the scenario once as a whole, exactly (monolithic), and once with each coupling and\n"
        "macro step; then prints by how much what is recorded differs at communication points: "
        "the\n"
        "largest error, the root of the mean square, and that at the end, as Euclidean norms. "
        "With\n"
        "several macro steps it prints the observed order of convergence. A run that diverges is\n"
        "judged up to then. The scenario's section 'compare' says what is run by default, and "
        "with\n"
        "which step the reference. '-' as SCENARIO is standard input.\n\n"
        "Each coupling may be followed by options of the scenario's section 'coupling', as in\n"
        "'parallel contacts=smooth' or 'sequential order=hand,arm'; 'flange schema scenario' says\n"
        "what each does. A macro step is a whole number of each subsystem's steps,\n"
        "and all are whole numbers of the shortest.\n\n"
        "Events happen at the first communication point at or after their time: with other macro\n"
        "steps they may come later than in the reference, which has the shortest.\n\n"
        "example: flange compare wrist.yaml --coupling parallel,sequential --macro 1/120,1/60\n"
        "         flange compare capture.yaml --coupling 'parallel contacts=smooth,parallel'",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_compare,
};
