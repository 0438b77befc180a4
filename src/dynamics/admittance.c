/* The admittance of ports, J M^-1 J^T, from the articulated factors of M: unit forces on the ports
 * go from link to link towards the base, and every coordinate on the way yields to its share. */
#include "dynamics/scratch.h"
#include "math/dense.h"

/* Unit forces and moments at the port's origin, felt at its link's. */
static void start_way(const flg_dynamics *dynamics, const flg_mount *port, flg_port_way *way) {
  const flg_motion *motion = &dynamics->motions[port->link];
  const flg_vec3 back = flg_vec3_negate(flg_mat3_apply(&motion->rotation, port->pose.position));
  way->link = port->link;
  for (int c = 0; c < 6; c++) {
    double unit[6] = {0};
    unit[c] = 1;
    way->forces[c] = flg_spatial_shift_force(flg_spatial_load(unit), back);
  }
}

/* Links are numbered from the base: no way that has not come as far out can lead through it. */
static int furthest_link(const flg_port_way *ways, int count) {
  int furthest = FLG_WORLD;
  for (int p = 0; p < count; p++) {
    if (ways[p].link > furthest) furthest = ways[p].link;
  }
  return furthest;
}

/* D += yield * share share^T, of two ports or of one, where the lower triangle is enough. */
static void add_block(const flg_port_way *row, const flg_port_way *column, double yield, double *D,
                      size_t ld) {
  for (int j = 0; j < 6; j++, D += ld) {
    const double weight = yield * column->shares[j];
    for (int i = row == column ? j : 0; i < 6; i++) D[i] += row->shares[i] * weight;
  }
}

/* One coordinate yields to all ports further out. */
static void pass_coordinate(const flg_coordinate *coordinate, int link, flg_port_way *ways,
                            int count, double *D) {
  if (coordinate->yield == 0) return; /* locked */
  const size_t ld = 6 * (size_t)count;
  for (int p = 0; p < count; p++) {
    if (ways[p].link != link) continue;
    for (int c = 0; c < 6; c++) {
      const double share = flg_spatial_dot(coordinate->direction, ways[p].forces[c]);
      ways[p].shares[c] = share;
      ways[p].forces[c] =
          flg_spatial_add_scaled(ways[p].forces[c], -coordinate->yield * share, coordinate->load);
    }
    for (int o = 0; o <= p; o++) {
      if (ways[o].link != link) continue;
      add_block(&ways[p], &ways[o], coordinate->yield, D + 6 * (size_t)p + 6 * (size_t)o * ld, ld);
    }
  }
}

static void pass_link(const flg_dynamics *dynamics, int i, flg_port_way *ways, int count,
                      double *D) {
  const flg_link *link = &dynamics->robot->links[i];
  const flg_vec3 back = flg_vec3_negate(dynamics->motions[i].arm);
  for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
    pass_coordinate(&dynamics->coordinates[k], i, ways, count, D);
  }
  for (int p = 0; p < count; p++) {
    if (ways[p].link != i) continue;
    for (int c = 0; c < 6; c++) {
      ways[p].forces[c] = flg_spatial_shift_force(ways[p].forces[c], back);
    }
    ways[p].link = link->parent;
  }
}

void flg_dynamics_admittance(const flg_dynamics *dynamics, const flg_mount *ports, int port_count,
                             flg_port_way *ways, double *D) {
  const int n = 6 * port_count;
  for (size_t k = 0; k < (size_t)n * (size_t)n; k++) D[k] = 0;
  for (int p = 0; p < port_count; p++) start_way(dynamics, &ports[p], &ways[p]);
  for (;;) {
    const int link = furthest_link(ways, port_count);
    if (link == FLG_WORLD) break;
    pass_link(dynamics, link, ways, port_count, D);
  }
  flg_dense_mirror(n, D, n);
}
