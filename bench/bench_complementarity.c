/* bench_complementarity - linear complementarity problems against Siconos and ODE, in one process.
 *
 * Full rank: A = B B^T + 0.001 I with B (n x n) and q uniform in -1..1: about half of the rows end
 * up active. Degenerate: rank n/2, every other row a copy, a solvable q; there the number of
 * problems that were solved counts. Cold: every solver starts from nothing. Warm: ours starts from
 * the states of a neighbouring problem, q changed by 1 %, as from one time step to the next. Times
 * are the smallest of many batches over 20 problems, since other programs share the machine. A
 * problem counts as solved where the residual, calculated by us, is under 1e-8.
 */
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <dlfcn.h>
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

typedef struct outcome {
  double seconds; /* a problem */
  int solved;
} outcome;

static int batches_for(int n) {
  return n <= 16 ? 3000 : 24000 / n;
}

/* What a peer may spoil, laid out before the clock runs. Rows of ODE are a multiple of 4 long and
 * hold pairs of b = -q and x, of the lower and the upper bound. */
typedef struct copy {
  double a[LARGEST * LARGEST], z[LARGEST], w[LARGEST];
  double load[2 * LARGEST], bounds[2 * LARGEST];
  NumericsMatrix *matrix;
} copy;

static copy copies[PROBLEMS];

static void lay_out_copy(int n, int leading, int k) {
  copy *c = &copies[k];
  for (int j = 0; j < n; j++) {
    memcpy(c->a + j * leading, problems[k].a + j * n, (size_t)n * sizeof(double));
    c->z[j] = c->w[j] = 0;
    c->load[2 * j] = -problems[k].q[j], c->load[2 * j + 1] = 0;
    c->bounds[2 * j] = 0, c->bounds[2 * j + 1] = HUGE_VAL;
  }
}

typedef void (*siconos_solver)(LinearComplementarityProblem *, double *, double *, int *,
                               SolverOptions *);
typedef struct peer {
  const char *name;
  int identity;
  siconos_solver siconos; /* NULL: ODE */
} peer;

static const peer peers[] = {{"Siconos Lemke", SICONOS_LCP_LEMKE, lcp_lexicolemke},
                             {"Siconos Murty", SICONOS_LCP_MURTY, lcp_pivot},
                             {"Siconos Newton min", SICONOS_LCP_NEWTONMIN, lcp_newton_min},
                             {"Siconos PGS", SICONOS_LCP_PGS, lcp_pgs},
                             {"ODE Dantzig", 0, NULL}};
enum { PEERS = sizeof peers / sizeof peers[0] };

/* ODE's solver is not in its headers, but its library lets it be found. Memory: next and first free
 * byte, end, begin, manager. */
typedef struct ode_memory {
  void *next, *first, *end, *begin;
  const void *manager;
} ode_memory;
typedef void (*ode_solver)(ode_memory *, unsigned, double *, double *, double *, unsigned, double *,
                           int *);

static ode_solver find_ode(void) {
  ode_solver solve = NULL;
  void *library = dlopen("libode.so.8", RTLD_NOW);
  void *symbol = library == NULL
                     ? NULL
                     : dlsym(library, "_Z10dxSolveLCPP22dxWorldProcessMemArenajPdS1_S1_jS1_Pi");
  memcpy(&solve, &symbol, sizeof solve);
  return solve;
}

static void solve_with_ode(ode_solver solve, int n, copy *c) {
  static double space[4 * LARGEST * LARGEST + 64 * LARGEST];
  ode_memory memory = {space, space, space + sizeof space / sizeof *space, space, NULL};
  solve(&memory, (unsigned)n, c->a, c->load, NULL, 0, c->bounds, NULL);
}

static void solve_with_siconos(const peer *p, int n, SolverOptions *options, int k) {
  int info = 0;
  LinearComplementarityProblem problem = {n, copies[k].matrix, problems[k].q};
  p->siconos(&problem, copies[k].z, copies[k].w, &info, options);
}

static int count_solved(const peer *p, int n) {
  int solved = 0;
  for (int k = 0; k < PROBLEMS; k++) {
    for (int i = 0; i < n && p->siconos == NULL; i++) copies[k].z[i] = copies[k].load[2 * i + 1];
    solved += residual_of(&problems[k], copies[k].z, 0) < 1e-8;
  }
  return solved;
}

static outcome measure_peer(const peer *p, ode_solver ode, int n, int batches) {
  outcome result = {HUGE_VAL, 0};
  SolverOptions *options = p->siconos == NULL ? NULL : solver_options_create(p->identity);
  if (options != NULL) options->dparam[0] = 1e-10, options->iparam[0] = 1000 * n;
  for (int k = 0; k < PROBLEMS; k++) {
    copies[k].matrix = NM_create_from_data(NM_DENSE, n, n, copies[k].a);
  }
  for (int b = 0; b < batches; b++) {
    for (int k = 0; k < PROBLEMS; k++) lay_out_copy(n, n, k); /* n is a multiple of 4 */
    const double start = now();
    for (int k = 0; k < PROBLEMS; k++) {
      if (options == NULL) {
        solve_with_ode(ode, n, &copies[k]);
      } else {
        solve_with_siconos(p, n, options, k);
      }
    }
    const double spent = now() - start;
    result.seconds = flg_smaller(result.seconds, spent / PROBLEMS);
    if (b == 0) result.solved = count_solved(p, n);
    if (spent > 0.1) break;
  }
  for (int k = 0; k < PROBLEMS; k++) {
    copies[k].matrix->matrix0 = NULL;
    NM_clear(copies[k].matrix);
    free(copies[k].matrix);
  }
  if (options != NULL) solver_options_delete(options);
  return result;
}

/* a neighbour of q that has a solution where q has: by 1 % of each, or of each row's share */
static void make_neighbour(random_source *source, random_problem *p, double *q) {
  for (int i = 0; i < p->n; i++) {
    q[i] = p->q[i];
    if (p->kind == FULL_RANK) q[i] *= random_uniform(source, 0.99, 1.01);
  }
  for (int j = 0; j < p->n && p->kind != FULL_RANK; j++) {
    const double share = random_uniform(source, 0, 0.02);
    for (int i = 0; i < p->n; i++) q[i] -= share * *entry(p, i, j);
  }
}

/* warm: states come from the same problem with another q */
static outcome measure_ours(flg_complementarity *solver, int batches, int warm) {
  outcome result = {HUGE_VAL, 0};
  static unsigned char before[PROBLEMS][LARGEST];
  random_source source = {5};
  for (int k = 0; k < PROBLEMS && warm; k++) {
    double q[LARGEST], z[LARGEST], w[LARGEST];
    make_neighbour(&source, &problems[k], q);
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
    result.seconds = flg_smaller(result.seconds, (now() - start) / PROBLEMS);
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

static void run(flg_complementarity *solver, ode_solver ode, problem_kind kind, int n) {
  random_source source = {(uint64_t)n};
  double fastest = HUGE_VAL;
  for (int k = 0; k < PROBLEMS; k++) make_problem(&source, kind, n, &problems[k]);
  fprintf(report, "\nn = %d, %s\n", n,
          kind == FULL_RANK ? "full rank" : "rank n/2 with duplicated rows");
  const outcome cold = measure_ours(solver, batches_for(n), 0);
  const outcome warm = measure_ours(solver, batches_for(n), 1);
  show("Flange, cold", cold);
  show("Flange, warm", warm);
  for (int k = 0; k < PEERS; k++) {
    if (peers[k].siconos == NULL && ode == NULL) continue;
    const outcome theirs = measure_peer(&peers[k], ode, n, batches_for(n) / 4);
    show(peers[k].name, theirs);
    if (theirs.solved == PROBLEMS) fastest = flg_smaller(fastest, theirs.seconds);
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
  const ode_solver ode = find_ode();
  test_solver made = solver_for(LARGEST, &options);
  if (ode == NULL) fprintf(report, "ODE is left out: no dxSolveLCP in a libode.so.8\n");
  for (int k = 0; k < 4; k++) run(made.solver, ode, FULL_RANK, sizes[k]);
  for (int k = 0; k < 4; k++) run(made.solver, ode, DUPLICATED_ROWS, sizes[k]);
  drop_solver(&made);
  return fclose(report) == 0 ? 0 : 1;
}
