/* plan_probe.h - how the rows of one joint answer while all other joints stay closed.
 *
 *     S = G W G^T         W: inverse mass under all joints but this one
 *
 * From the factors that a plan has: with gamma = e_k on row k of the joint, and nothing else that
 * moves, the reactions of the joint are column k of S^-1.
 *
 * Where rows are redundant there are reactions n that do nothing, W G^T n = 0, and reactions are
 * known but for them. A row j that was left out is a sum of others; by what it moves along when
 * row k does, it has n_j with the part R_jk in row k of this joint:
 *
 *     R_jk = g_j y(k) - gamma_j(k)        loose = sum over j of (R_j / sqrt(scale_j))^2, as a
 * matrix
 *
 * so that rank S = rows - rank loose, and a combination c . l of its reactions is unique where
 * c . loose c = 0.
 */
#ifndef FLG_INTERFACE_PLAN_PROBE_H
#define FLG_INTERFACE_PLAN_PROBE_H

#include "interface/plan.h"

enum { FLG_PROBE_ROWS_MAX = 6 };

typedef struct flg_plan_probe {
  int rows, rank; /* of the joint; of S */
  double
      inverse[FLG_PROBE_ROWS_MAX * FLG_PROBE_ROWS_MAX];  /* S^-1 (rows x rows) where rank = rows */
  double loose[FLG_PROBE_ROWS_MAX * FLG_PROBE_ROWS_MAX]; /* (rows x rows), 0 where rank = rows */
  double scale[FLG_PROBE_ROWS_MAX]; /* (rows) what each could yield if nothing blocked it */
} flg_plan_probe;

/* Numbers of work space that a probe needs. */
int flg_plan_probe_work(const flg_plan *plan);
/* Step, after flg_plan_factor with rows chosen at a state that fulfils all joints: before the
 * probes, which follow each other. Where no row is redundant, all of them take n log n. */
flg_status flg_plan_probe_begin(flg_plan *plan, flg_threads *threads);
/* After it: true if a probe takes no time to speak of; else up to a solve of the whole for each
 * row.
 */
bool flg_plan_probe_is_short(const flg_plan *plan);
/* Step: probes a joint of at most FLG_PROBE_ROWS_MAX rows. length: of the system [m], by which
 * turns and displacements are compared. Biases, right-hand sides and solutions of the plan are then
 * those of the probe; its factors are as they were. FLG_ERR_DIVERGED. */
flg_status flg_plan_probe_joint(flg_plan *plan, int joint, double length, flg_plan_probe *probe,
                                double *work, flg_threads *threads);
/* True if c . l of its reactions is the same in all solutions; scale: that of the rows it is made
 * of. */
int flg_plan_probe_is_unique(const flg_plan_probe *probe, const double *c, double scale);

#endif
