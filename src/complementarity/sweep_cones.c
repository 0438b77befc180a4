/* Sweeps over cones whose rows lie side by side: normal and tangents of the same two bodies.
 *
 * All of a contact is seen and pushed at once, four numbers at a time. A contact that is open and
 * stays so costs its normal only. */
#include <math.h>

#include "complementarity/solver.h"
#include "math/wide_vectors.h"

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

enum { ROW = 24 / 4, HALF = 12 / 4 }; /* quads */

static int is_block(const flg_rows *rows, const flg_friction_contact *contact) {
  const int n = contact->normal, *s = rows->slots + 2 * n;
  if (contact->tangent[0] != n + 1 || contact->tangent[1] != n + 2) return 0;
  if (!(rows->reference[n] > 0)) return 0;
  return s[0] == s[2] && s[0] == s[4] && s[1] == s[3] && s[1] == s[5];
}

int flg_cones_are_in_blocks(const flg_rows *rows, const flg_friction *friction) {
  if (rows->blocks == NULL || rows->softness != NULL || rows->links != NULL) return 0;
  if (!friction->is_cone) return 0;
  for (int k = 0; k < friction->count; k++) {
    if (!is_block(rows, &friction->contacts[k])) return 0;
  }
  return 1;
}

/* u: velocities of two bodies, as blocks have them */
static inline double along_block(const quad *j, const quad u[3]) {
  const quad sum = j[0] * u[0] + j[1] * u[1] + j[2] * u[2];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* the tangents after the normal moved by change[0]: on the disk */
static inline void relax_tangents(const double *own, const double w[3], double radius,
                                  const double *z, double change[3]) {
  const double x = z[1] - own[3] * (w[1] + own[1] * change[0]);
  const double y = z[2] - own[3] * (w[2] + own[2] * change[0]);
  const double length2 = x * x + y * y;
  const double shrink = length2 > radius * radius ? radius / sqrt(length2) : 1;
  change[1] = shrink * x - z[1], change[2] = shrink * y - z[2];
}

static inline void sweep_cones_push(const quad *j, const double change[3], quad u[3]) {
  const quad *b = j + HALF;
  for (int k = 0; k < 3; k++) {
    u[k] += b[k] * change[0] + b[ROW + k] * change[1] + b[2 * ROW + k] * change[2];
  }
}

static inline void relax_cone(const flg_rows *rows, double mu, const double *own, int n,
                              double *z) {
  const quad *j = (const quad *)(rows->blocks + (size_t)24 * (size_t)n);
  double *x = rows->u + rows->slots[2 * n], *y = rows->u + rows->slots[2 * n + 1];
  double rest[4] = {x[4], x[5], y[4], y[5]};
  quad u[3] = {*(quad *)x, *(quad *)y, *(quad *)rest};
  double w[3] = {rows->q[n] + along_block(j, u)}, change[3];
  const double normal = fmax(0, z[0] - own[0] * w[0]);
  if (normal == 0 && z[0] == 0 && z[1] == 0 && z[2] == 0) return;
  w[1] = rows->q[n + 1] + along_block(j + ROW, u),
  w[2] = rows->q[n + 2] + along_block(j + 2 * ROW, u);
  change[0] = normal - z[0];
  relax_tangents(own, w, mu * normal, z, change);
  for (int i = 0; i < 3; i++) z[i] += change[i];
  sweep_cones_push(j, change, u);
  *(quad *)x = u[0], *(quad *)y = u[1], *(quad *)rest = u[2];
  x[4] = rest[0], x[5] = rest[1], y[4] = rest[2], y[5] = rest[3];
}

FLG_WIDE_VECTORS
void flg_sweep_cones(const flg_complementarity *solver, const flg_rows *rows,
                     const flg_friction *friction, double *z) {
  for (int k = 0; k < friction->count; k++) {
    const flg_friction_contact *contact = &friction->contacts[k];
    const int n = contact->normal;
    relax_cone(rows, contact->coefficient, solver->curvature + 4 * k, n, z + n);
  }
}
