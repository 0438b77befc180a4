/* case_lcp - (e) linear complementarity problems of 4 to 128 rows against Siconos and ODE.
 *
 * Full rank: A = B B^T + 0.001 I with B (n x n) and q uniform in -1..1: about half of the rows end
 * up active. Degenerate: rank n/2, every other row a copy, a solvable q. Every solver starts from
 * nothing; `Flange, warm` starts from the states of a neighbouring problem, q changed by 1 %, as
 * from one time step to the next. A call solves 20 problems; the time is that of one. A problem
 * counts as solved where its residual, calculated by us, is under 1e-8; a peer that leaves one
 * unsolved is compared with no one.
 */
#define FLG_TEST_LARGEST 128
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

#include "complementarity/test_problems.h"
#include "ode_lcp.h"
#include "race.h"

enum { PROBLEMS = 20 };
static const double SOLVED = 1e-8;

static random_problem problems[PROBLEMS];
static int rows;

static int count_solved(double (*z)[LARGEST]) {
  int solved = 0;
  for (int k = 0; k < PROBLEMS; k++) solved += residual_of(&problems[k], z[k], 0) < SOLVED;
  return solved;
}

/* What a solver may spoil, laid out before the clock runs: all of them find it in the cache. */
static struct {
  double a[LARGEST * LARGEST], load[2 * LARGEST], bounds[2 * LARGEST];
} copies[PROBLEMS];

static void lay_out_matrices(void) {
  for (int k = 0; k < PROBLEMS; k++) {
    memcpy(copies[k].a, problems[k].a, (size_t)rows * (size_t)rows * sizeof(double));
  }
}

/* --- Flange ----------------------------------------------------------------------------------- */

typedef struct flange_solver {
  flg_complementarity *solver;
  bool is_warm;
  unsigned char before[PROBLEMS][LARGEST], states[PROBLEMS][LARGEST];
  double z[PROBLEMS][LARGEST];
} flange_solver;

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

static void find_states(flange_solver *of) {
  random_source source = {5};
  for (int k = 0; k < PROBLEMS; k++) {
    double q[LARGEST], z[LARGEST], w[LARGEST];
    make_neighbour(&source, &problems[k], q);
    const flg_complementarity_matrix matrix = matrix_of_problem(&problems[k]);
    memset(of->before[k], 0, sizeof of->before[k]);
    flg_complementarity_linear(of->solver, &matrix, q, of->before[k], z, w, NULL);
  }
}

static void flange_start(void *of) {
  flange_solver *f = of;
  lay_out_matrices();
  if (f->is_warm) memcpy(f->states, f->before, sizeof f->states);
}

static void flange_solve(void *of) {
  flange_solver *f = of;
  double w[LARGEST];
  for (int k = 0; k < PROBLEMS; k++) {
    flg_complementarity_matrix matrix = matrix_of_problem(&problems[k]);
    matrix.dense = copies[k].a;
    flg_complementarity_linear(f->solver, &matrix, problems[k].q, f->is_warm ? f->states[k] : NULL,
                               f->z[k], w, NULL);
  }
}

/* --- peers ------------------------------------------------------------------------------------ */

typedef void (*siconos_solver)(LinearComplementarityProblem *, double *, double *, int *,
                               SolverOptions *);

typedef struct peer {
  const char *name;
  int identity;
  siconos_solver siconos; /* NULL: ODE */
  SolverOptions *options;
  ode_solver ode;
  NumericsMatrix *matrices[PROBLEMS];
  double z[PROBLEMS][LARGEST];
} peer;

static void lay_out(void *of) {
  peer *p = of;
  memset(p->z, 0, sizeof p->z);
  lay_out_matrices();
  for (int k = 0; k < PROBLEMS; k++) {
    for (int j = 0; j < rows; j++) {
      copies[k].load[2 * j] = -problems[k].q[j], copies[k].load[2 * j + 1] = 0;
      copies[k].bounds[2 * j] = 0, copies[k].bounds[2 * j + 1] = HUGE_VAL;
    }
  }
}

static void ode_solve(void *of) {
  static double space[4 * LARGEST * LARGEST + 64 * LARGEST];
  const peer *p = of;
  for (int k = 0; k < PROBLEMS; k++) {
    ode_memory memory = {space, space, space + sizeof space / sizeof *space, space, NULL};
    p->ode(&memory, (unsigned)rows, copies[k].a, copies[k].load, NULL, 0, copies[k].bounds, NULL);
  }
}

static void siconos_solve(void *of) {
  peer *p = of;
  for (int k = 0; k < PROBLEMS; k++) {
    int info = 0;
    double w[LARGEST] = {0};
    LinearComplementarityProblem problem = {rows, p->matrices[k], problems[k].q};
    p->siconos(&problem, p->z[k], w, &info, p->options);
  }
}

static void open_peer(peer *p) {
  if (p->siconos == NULL) return;
  p->options = solver_options_create(p->identity);
  p->options->dparam[0] = 1e-10, p->options->iparam[0] = 50 * rows;
  for (int k = 0; k < PROBLEMS; k++) {
    p->matrices[k] = NM_create_from_data(NM_DENSE, rows, rows, copies[k].a);
  }
}

static void close_peer(peer *p) {
  if (p->siconos == NULL) return;
  for (int k = 0; k < PROBLEMS; k++) {
    p->matrices[k]->matrix0 = NULL;
    NM_clear(p->matrices[k]);
    free(p->matrices[k]);
  }
  solver_options_delete(p->options);
}

/* --- races ------------------------------------------------------------------------------------ */

static racer enter(const char *name, void (*run)(void *), void (*start)(void *), void *of,
                   double (*z)[LARGEST]) {
  racer entered = {name, run, of, start, .parts = PROBLEMS};
  start(of), run(of);
  for (int k = 0; k < PROBLEMS && run == ode_solve; k++) {
    for (int i = 0; i < rows; i++) z[k][i] = copies[k].load[2 * i + 1];
  }
  const int solved = count_solved(z);
  entered.fails = solved < PROBLEMS;
  snprintf(entered.remark, sizeof entered.remark, "%d of %d solved", solved, PROBLEMS);
  return entered;
}

static void race_problems(flg_complementarity *solver, ode_solver ode, problem_kind kind, int n) {
  static flange_solver cold, warm;
  static peer peers[] = {{.name = "ODE Dantzig"},
                         {"Siconos Lemke", SICONOS_LCP_LEMKE, lcp_lexicolemke},
                         {"Siconos Murty", SICONOS_LCP_MURTY, lcp_pivot}};
  char work[80];
  random_source source = {(uint64_t)n};
  racer racers[RACE_MOST];
  int count = 0;
  rows = n;
  for (int k = 0; k < PROBLEMS; k++) make_problem(&source, kind, n, &problems[k]);
  cold.solver = warm.solver = solver, warm.is_warm = true;
  find_states(&warm);
  racers[count++] = enter("Flange", flange_solve, flange_start, &cold, cold.z);
  racers[0].mark = n >= 8 ? 0.35 : 0;
  racers[count++] = enter("Flange, warm", flange_solve, flange_start, &warm, warm.z);
  for (int k = 0; k < 3; k++) {
    peer *p = &peers[k];
    p->ode = ode;
    if (p->siconos == NULL && ode == NULL) continue;
    open_peer(p);
    racers[count++] =
        enter(p->name, p->siconos == NULL ? ode_solve : siconos_solve, lay_out, p, p->z);
  }
  /* the clock of the process takes a third of a microsecond to read */
  const race_terms terms = {n <= 16 ? 301 : n <= 64 ? 31 : 5, 1, n <= 16 ? now : worked};
  snprintf(work, sizeof work, "LCP of %d rows, %s", n,
           kind == FULL_RANK ? "full rank" : "rank n/2");
  race_by(&terms, "e", work, racers, count);
  for (int k = 0; k < 3; k++) close_peer(&peers[k]);
}

int main(void) {
  static const int sizes[] = {4, 8, 16, 32, 64, 128};
  static const problem_kind kinds[] = {FULL_RANK, DUPLICATED_ROWS};
  race_silence_peers();
  const flg_complementarity_options options = flg_complementarity_default();
  const ode_solver ode = find_ode();
  test_solver made = solver_for(LARGEST, &options);
  for (int k = 0; k < 12; k++) race_problems(made.solver, ode, kinds[k / 6], sizes[k % 6]);
  drop_solver(&made);
  return 0;
}
