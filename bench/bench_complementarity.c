/* bench_complementarity - linear complementarity problems against Siconos, in one process.
 *
 * A = B B^T + 0.001 I with B (n x n) and q uniform in -1..1: about half of the rows end up active.
 * Cold: every solver starts from nothing. Warm: ours starts from the states of a neighbouring
 * problem, q changed by 1 %, as from one time step to the next. Degenerate: rank n/2 with
 * duplicated rows and a solvable q; there the number of problems that were solved counts. Times are
 * the smallest of many batches over 20 problems, since other programs share the machine. A problem
 * counts as solved where the residual, calculated by us, is under 1e-8.
 */
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <unistd.h>

#include "complementarity/test_problems.h"
#include "stopwatch.h"

enum { PROBLEMS = 20 };

static random_problem problems[PROBLEMS];
static FILE *report; /* where our lines go; the peers' own lines go nowhere */

static int open_report(void) {
  report = fdopen(dup(STDOUT_FILENO), "w");
  return report != NULL && freopen("/dev/null", "w", stdout) != NULL &&
         freopen("/dev/null", "w", stderr) != NULL;
}

typedef void (*peer_solver)(LinearComplementarityProblem *, double *, double *, int *,
                            SolverOptions *);
typedef struct peer {
  const char *name;
  int identity;
  peer_solver solve;
} peer;

static const peer peers[] = {{"Siconos Lemke", SICONOS_LCP_LEMKE, lcp_lexicolemke},
                             {"Siconos Murty", SICONOS_LCP_MURTY, lcp_pivot},
                             {"Siconos Newton min", SICONOS_LCP_NEWTONMIN, lcp_newton_min},
                             {"Siconos PGS", SICONOS_LCP_PGS, lcp_pgs}};
enum { PEERS = sizeof peers / sizeof peers[0] };

typedef struct outcome {
  double seconds; /* a problem */
  int solved;
} outcome;

static int batches_for(int n) {
  return n <= 16 ? 3000 : 24000 / n;
}

static outcome measure_peer(const peer *p, int n, int batches) {
  outcome result = {HUGE_VAL, 0};
  SolverOptions *options = solver_options_create(p->identity);
  static double m[LARGEST * LARGEST];
  NumericsMatrix *matrix = NM_create_from_data(0, n, n, m);
  options->dparam[0] = 1e-10, options->iparam[0] = 1000 * n;
  for (int b = 0; b < batches; b++) {
    double spent = 0;
    int solved = 0;
    for (int k = 0; k < PROBLEMS; k++) {
      double z[LARGEST] = {0}, w[LARGEST] = {0};
      LinearComplementarityProblem lcp = {n, matrix, problems[k].q};
      int info = 0;
      memcpy(m, problems[k].a, (size_t)n * (size_t)n * sizeof *m);
      const double start = now();
      p->solve(&lcp, z, w, &info, options);
      spent += now() - start;
      solved += residual_of(&problems[k], z, 0) < 1e-8;
    }
    result.seconds = fmin(result.seconds, spent / PROBLEMS);
    result.solved = solved;
    if (spent > 0.1) break;
  }
  matrix->matrix0 = NULL;
  NM_clear(matrix);
  free(matrix);
  solver_options_delete(options);
  return result;
}

/* warm: states come from the same problem with another q */
static outcome measure_ours(flg_complementarity *solver, int n, int batches, int warm) {
  outcome result = {HUGE_VAL, 0};
  static unsigned char before[PROBLEMS][LARGEST];
  random_source source = {5};
  for (int k = 0; k < PROBLEMS && warm; k++) {
    double q[LARGEST], z[LARGEST], w[LARGEST];
    for (int i = 0; i < n; i++) q[i] = problems[k].q[i] * random_uniform(&source, 0.99, 1.01);
    const flg_complementarity_matrix matrix = matrix_of_problem(&problems[k]);
    memset(before[k], 0, sizeof before[k]);
    flg_complementarity_linear(solver, &matrix, q, before[k], z, w, NULL);
  }
  for (int b = 0; b < batches; b++) {
    static double z[PROBLEMS][LARGEST], w[LARGEST];
    static unsigned char states[PROBLEMS][LARGEST];
    if (warm) memcpy(states, before, sizeof states);
    const double start = now();
    for (int k = 0; k < PROBLEMS; k++) {
      const flg_complementarity_matrix matrix = matrix_of_problem(&problems[k]);
      flg_complementarity_linear(solver, &matrix, problems[k].q, warm ? states[k] : NULL, z[k], w,
                                 NULL);
    }
    result.seconds = fmin(result.seconds, (now() - start) / PROBLEMS);
    result.solved = 0;
    for (int k = 0; k < PROBLEMS && b == batches - 1; k++) {
      result.solved += residual_of(&problems[k], z[k], 0) < 1e-8;
    }
  }
  return result;
}

static void show(const char *name, outcome result) {
  fprintf(report, "  %-20s %9.3f us   %2d of %d solved\n", name, 1e6 * result.seconds,
          result.solved, PROBLEMS);
}

static void run(flg_complementarity *solver, problem_kind kind, int n) {
  random_source source = {(uint64_t)n};
  double fastest = HUGE_VAL;
  for (int k = 0; k < PROBLEMS; k++) make_problem(&source, kind, n, &problems[k]);
  fprintf(report, "\nn = %d, %s\n", n,
          kind == FULL_RANK ? "full rank" : "rank n/2 with duplicated rows");
  const outcome cold = measure_ours(solver, n, batches_for(n), 0);
  const outcome warm = measure_ours(solver, n, batches_for(n), 1);
  show("Flange, cold", cold);
  show("Flange, warm", warm);
  for (int k = 0; k < PEERS; k++) {
    const outcome theirs = measure_peer(&peers[k], n, batches_for(n) / 4);
    show(peers[k].name, theirs);
    if (theirs.solved == PROBLEMS) fastest = fmin(fastest, theirs.seconds);
  }
  if (fastest < HUGE_VAL) {
    fprintf(report,
            "  of the fastest peer that solves them: cold %.2f (mark 0.5), warm %.2f (mark 0.2)\n",
            cold.seconds / fastest, warm.seconds / fastest);
  }
}

int main(void) {
  static const int sizes[] = {8, 16, 32, 64};
  if (!open_report()) return 1;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(LARGEST, &options);
  for (int k = 0; k < 4; k++) run(made.solver, FULL_RANK, sizes[k]);
  for (int k = 0; k < 4; k++) run(made.solver, DUPLICATED_ROWS, sizes[k]);
  drop_solver(&made);
  return fclose(report) == 0 ? 0 : 1;
}
