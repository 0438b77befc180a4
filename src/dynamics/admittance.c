/* The admittance of ports, J M^-1 J^T, from the articulated factors of M: unit forces on the ports
 * go from link to link towards the base, and every coordinate on the way yields to its share. */
#include <string.h>

#include "dynamics/scratch.h"
#include "math/dense.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

/* Six unit forces, and two lanes that are always 0, in two vectors. */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Unit forces and moments at the port's origin, felt at its link's: about -offset they are
 * [f; m + offset x f]. Component by component, so that all six go through one instruction. */
static void start_way(const flg_dynamics *dynamics, const flg_mount *port, flg_port_way *way) {
  const flg_motion *motion = &dynamics->motions[port->link];
  const flg_vec3 offset = flg_mat3_apply(&motion->rotation, port->pose.position);
  const double turned[3][3] = {
      {0, -offset.z, offset.y}, {offset.z, 0, -offset.x}, {-offset.y, offset.x, 0}};
  *way = (flg_port_way){.link = port->link};
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      way->forces[r][c] = way->forces[r + 3][c + 3] = r == c;
      way->forces[r + 3][c] = turned[r][c];
    }
  }
}

/* The share of the coordinate in each force, and the forces without it. */
FLG_SMALL void take_shares(const flg_coordinate *coordinate, quad f[6][2], quad share[2]) {
  double d[6], load[6];
  flg_spatial_store(coordinate->direction, d);
  flg_spatial_store(coordinate->load, load);
  for (int c = 0; c < 2; c++) {
    share[c] = (d[0] * f[0][c] + d[1] * f[1][c] + d[2] * f[2][c]) +
               (d[3] * f[3][c] + d[4] * f[4][c] + d[5] * f[5][c]);
    const quad weight = -coordinate->yield * share[c];
    for (int r = 0; r < 6; r++) f[r][c] += weight * load[r];
  }
}

/* About the parent's origin, which is `arm` back: m + arm x f. */
FLG_SMALL void shift_forces(quad f[6][2], flg_vec3 arm) {
  for (int c = 0; c < 2; c++) {
    f[3][c] += arm.y * f[2][c] - arm.z * f[1][c];
    f[4][c] += arm.z * f[0][c] - arm.x * f[2][c];
    f[5][c] += arm.x * f[1][c] - arm.y * f[0][c];
  }
}

/* --- one port ----------------------------------------------------------------------------------
 */

/* All the way to the base, D on the stack. */
FLG_WIDE_VECTORS static void pass_alone(const flg_dynamics *dynamics, const flg_port_way *way,
                                        double *D, double *shares) {
  quad f[6][2], share[2], sum[6][2] = {{{0}}};
  memcpy(f, way->forces, sizeof f);
  for (int i = way->link; i != FLG_WORLD; i = dynamics->robot->links[i].parent) {
    const flg_link *link = &dynamics->robot->links[i];
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      const flg_coordinate *coordinate = &dynamics->coordinates[k];
      if (coordinate->yield == 0) continue; /* locked */
      take_shares(coordinate, f, share);
      /* cppcheck-suppress bufferAccessOutOfBounds ; it takes a vector for one number */
      if (shares != NULL) memcpy(shares + 6 * (size_t)k, share, 6 * sizeof *shares);
      for (int j = 0; j < 6; j++) {
        const double weight = coordinate->yield * share[j / 4][j % 4];
        for (int c = 0; c < 2; c++) sum[j][c] += share[c] * weight;
      }
    }
    shift_forces(f, dynamics->motions[i].arm);
  }
  for (int j = 0; j < 6; j++) {
    for (int i = j; i < 6; i++) D[i + 6 * j] = D[j + 6 * i] = sum[j][i / 4][i % 4];
  }
}

/* --- several -----------------------------------------------------------------------------------
 */

/* Links are numbered from the base: no way that has not come as far out can lead through it. */
static int furthest_link(const flg_port_way *ways, int count) {
  int furthest = FLG_WORLD;
  for (int p = 0; p < count; p++) {
    if (ways[p].link > furthest) furthest = ways[p].link;
  }
  return furthest;
}

/* D += yield * share share^T, of two ports or of one, where the lower triangle is meant. */
FLG_SMALL void add_block(const flg_port_way *row, const flg_port_way *column, double yield,
                         double *D, size_t ld) {
  for (int j = 0; j < 6; j++, D += ld) {
    const double weight = yield * column->shares[j];
    for (int i = 0; i < 6; i++) D[i] += row->shares[i] * weight;
  }
}

/* One coordinate yields to all ports further out. */
FLG_WIDE_VECTORS static void pass_coordinate(const flg_coordinate *coordinate, int link,
                                             flg_port_way *ways, int count, double *D,
                                             double *shares) {
  if (coordinate->yield == 0) return; /* locked */
  const size_t ld = 6 * (size_t)count;
  for (int p = 0; p < count; p++) {
    if (ways[p].link != link) continue;
    take_shares(coordinate, (quad(*)[2])ways[p].forces, (quad *)ways[p].shares);
    if (shares != NULL) memcpy(shares + 6 * (size_t)p, ways[p].shares, 6 * sizeof *shares);
    for (int o = 0; o <= p; o++) {
      if (ways[o].link != link) continue;
      add_block(&ways[p], &ways[o], coordinate->yield, D + 6 * (size_t)p + 6 * (size_t)o * ld, ld);
    }
  }
}

static void pass_link(const flg_dynamics *dynamics, int i, flg_port_way *ways, int count, double *D,
                      double *shares) {
  const flg_link *link = &dynamics->robot->links[i];
  for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
    double *own = shares == NULL ? NULL : shares + 6 * (size_t)count * (size_t)k;
    pass_coordinate(&dynamics->coordinates[k], i, ways, count, D, own);
  }
  for (int p = 0; p < count; p++) {
    if (ways[p].link != i) continue;
    shift_forces((quad(*)[2])ways[p].forces, dynamics->motions[i].arm);
    ways[p].link = link->parent;
  }
}

void flg_dynamics_admittance_shares(const flg_dynamics *dynamics, const flg_mount *ports,
                                    int port_count, flg_port_way *ways, double *D, double *shares) {
  const int n = 6 * port_count;
  const size_t share_count = (size_t)n * (size_t)dynamics->robot->velocity_count;
  if (shares != NULL) memset(shares, 0, share_count * sizeof *shares);
  for (int p = 0; p < port_count; p++) start_way(dynamics, &ports[p], &ways[p]);
  if (port_count == 1) {
    pass_alone(dynamics, ways, D, shares);
    return;
  }
  for (size_t k = 0; k < (size_t)n * (size_t)n; k++) D[k] = 0;
  for (;;) {
    const int link = furthest_link(ways, port_count);
    if (link == FLG_WORLD) break;
    pass_link(dynamics, link, ways, port_count, D, shares);
  }
  flg_dense_mirror(n, D, n);
}

void flg_dynamics_admittance(const flg_dynamics *dynamics, const flg_mount *ports, int port_count,
                             flg_port_way *ways, double *D) {
  flg_dynamics_admittance_shares(dynamics, ports, port_count, ways, D, NULL);
}
