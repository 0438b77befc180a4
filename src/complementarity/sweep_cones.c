/* Sweeps over cones whose rows lie side by side: normal and tangents of the same two bodies.
 *
 * All of a contact is seen and pushed at once, four numbers at a time, and its momentum added as it
 * is visited. A contact that is open and stays so costs its normal only. */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/dense_small.h"
#include "math/larger.h"
#include "math/wide_vectors.h"

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

enum { ROW = 24 / 4, HALF = 12 / 4 }; /* quads */

static int is_block(const flg_rows *rows, const flg_friction_contact *contact) {
  const int n = contact->normal, *s = rows->slots + 2 * n;
  if (contact->tangent[0] != n + 1 || contact->tangent[1] != n + 2) return 0;
  if (!(rows->reference[n] > 0)) return 0;
  return s[0] == s[2] && s[0] == s[4] && s[1] == s[3] && s[1] == s[5];
}

int flg_cones_are_in_blocks(const flg_rows *rows, const flg_friction *friction) {
  if (rows->blocks == NULL || rows->softness != NULL || rows->links != NULL) return 0;
  if (!friction->is_cone || rows->n != 3 * friction->count) return 0;
  for (int k = 0; k < friction->count; k++) {
    if (!is_block(rows, &friction->contacts[k])) return 0;
  }
  return 1;
}

/* velocities of the two bodies of a contact, as blocks have them */
FLG_SMALL void load_two_bodies(const flg_rows *rows, int n, quad u[3]) {
  const double *x = rows->u + rows->slots[2 * n], *y = rows->u + rows->slots[2 * n + 1];
  u[0] = *(const quad *)x, u[1] = *(const quad *)y;
  u[2] = __builtin_shufflevector(*(const two *)(x + 4), *(const two *)(y + 4), 0, 1, 2, 3);
}

FLG_SMALL void store_two_bodies(const flg_rows *rows, int n, const quad u[3]) {
  double *x = rows->u + rows->slots[2 * n], *y = rows->u + rows->slots[2 * n + 1];
  *(quad *)x = u[0], *(quad *)y = u[1];
  *(two *)(x + 4) = __builtin_shufflevector(u[2], u[2], 0, 1);
  *(two *)(y + 4) = __builtin_shufflevector(u[2], u[2], 2, 3);
}

FLG_SMALL double along_block(const quad *j, const quad u[3]) {
  const quad sum = j[0] * u[0] + j[1] * u[1] + j[2] * u[2];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

FLG_SMALL const quad *cone_block(const flg_rows *rows, int n) {
  return (const quad *)(rows->blocks + (size_t)24 * (size_t)n);
}

/* --- a sweep ---------------------------------------------------------------------------------- */

/* the tangents after the normal moved by change[0]: on the disk */
FLG_SMALL void relax_tangents(const double *own, const double w[3], double radius, const double *z,
                              double change[3]) {
  const double x = z[1] - own[3] * (w[1] + own[1] * change[0]);
  const double y = z[2] - own[3] * (w[2] + own[2] * change[0]);
  const double length2 = x * x + y * y;
  const double shrink = length2 > radius * radius ? radius / sqrt(length2) : 1;
  change[1] = shrink * x - z[1], change[2] = shrink * y - z[2];
}

FLG_SMALL void sweep_cones_push(const quad *j, const double change[3], quad u[3]) {
  const quad *b = j + HALF;
  for (int k = 0; k < 3; k++) {
    u[k] += b[k] * change[0] + b[ROW + k] * change[1] + b[2 * ROW + k] * change[2];
  }
}

/* from z to change; 0: it is open and stays so */
FLG_SMALL int relax_cone(const flg_rows *rows, double mu, const double *own, int n, const double *z,
                         double change[3]) {
  const quad *j = cone_block(rows, n);
  quad u[3];
  load_two_bodies(rows, n, u);
  double w[3] = {rows->q[n] + along_block(j, u)};
  const double normal = fmax(0, z[0] - own[0] * w[0]);
  if (normal == 0 && z[0] == 0 && z[1] == 0 && z[2] == 0) return 0;
  w[1] = rows->q[n + 1] + along_block(j + ROW, u),
  w[2] = rows->q[n + 2] + along_block(j + 2 * ROW, u);
  change[0] = normal - z[0];
  relax_tangents(own, w, mu * normal, z, change);
  sweep_cones_push(j, change, u);
  store_two_bodies(rows, n, u);
  return 1;
}

/* z goes on by its momentum, of which the bodies have theirs, and is relaxed from there */
FLG_SMALL double move_cone(const flg_rows *rows, double mu, const double *own, int n, double beta,
                           double *z, double *direction, double *last) {
  double change[3], sum = 0;
  for (int i = 0; i < 3; i++) {
    const double momentum = beta * direction[i];
    z[i] += momentum, direction[i] = momentum + last[i], last[i] = 0;
  }
  if (!relax_cone(rows, mu, own, n, z, change)) return 0;
  for (int i = 0; i < 3; i++) {
    const double scaled = change[i] * rows->root[n + i];
    z[i] += change[i], last[i] = change[i], sum += scaled * scaled;
  }
  return sum;
}

FLG_WIDE_VECTORS
double flg_sweep_cones(const flg_complementarity *solver, const flg_rows *rows,
                       const flg_friction *friction, double beta, double *z) {
  double sum = 0;
  for (int k = 0; k < friction->count; k++) {
    const flg_friction_contact *contact = &friction->contacts[k];
    const int n = contact->normal;
    sum += move_cone(rows, contact->coefficient, solver->curvature + 4 * k, n, beta, z + n,
                     solver->step + n, solver->trial + n);
  }
  return sum;
}

/* --- from the start, and what is left
 * ----------------------------------------------------------------------------- */

FLG_WIDE_VECTORS
void flg_cones_gather(const flg_rows *rows, const flg_friction *friction, const double *z) {
  memset(rows->u, 0, (size_t)rows->motions * sizeof *rows->u);
  for (int k = 0; k < friction->count; k++) {
    const int n = friction->contacts[k].normal;
    quad u[3];
    if (z[n] == 0 && z[n + 1] == 0 && z[n + 2] == 0) continue;
    load_two_bodies(rows, n, u);
    sweep_cones_push(cone_block(rows, n), z + n, u);
    store_two_bodies(rows, n, u);
  }
}

/* w of a contact, and by how much it would change in a step along -w and back onto its cone */
FLG_SMALL void cone_deviates(const flg_rows *rows, double mu, int n, const double *z, double *w,
                             double change[3]) {
  const quad *j = cone_block(rows, n);
  double y[3];
  quad u[3];
  load_two_bodies(rows, n, u);
  for (int i = 0; i < 3; i++) {
    w[i] = rows->q[n + i] + along_block(j + (ptrdiff_t)ROW * i, u);
    y[i] = z[i] - rows->s[n + i] * rows->s[n + i] * w[i];
  }
  const double radius = z[0] > 0 ? mu * z[0] : 0, length2 = y[1] * y[1] + y[2] * y[2];
  const double shrink = length2 > radius * radius ? radius / sqrt(length2) : 1;
  change[0] = fmax(0, y[0]) - z[0];
  change[1] = shrink * y[1] - z[1], change[2] = shrink * y[2] - z[2];
}

FLG_WIDE_VECTORS
double flg_cones_measure(const flg_rows *rows, const flg_friction *friction, const double *z,
                         double *w, flg_speeds *speeds) {
  const double rounding = flg_rows_rounding(rows, z);
  const double sigma = flg_rows_magnitude(rows, z);
  double largest = 0;
  *speeds = (flg_speeds){0, 0};
  for (int k = 0; k < friction->count; k++) {
    const flg_friction_contact *contact = &friction->contacts[k];
    const int n = contact->normal;
    double change[3];
    cone_deviates(rows, contact->coefficient, n, z + n, w + n, change);
    for (int i = 0; i < 3; i++) {
      const double off = fabs(change[i]) * rows->root[n + i], speed = off * rows->root[n + i];
      largest = flg_larger(largest, off), speeds->all = flg_larger(speeds->all, speed);
      speeds->beyond = flg_larger(speeds->beyond, off <= rounding ? 0 : speed);
    }
  }
  const double residual = sigma > 0 ? largest / sigma : largest;
  return residual == residual ? residual : HUGE_VAL; /* NaN would pass comparisons */
}
