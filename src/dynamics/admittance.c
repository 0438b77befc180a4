/* The admittance of ports, J M^-1 J^T, from the articulated factors of M: unit forces on the ports
 * go from link to link towards the base, and every coordinate on the way yields to its share. */
#include <string.h>

#include "dynamics/flex.h"
#include "math/dense.h"
#include "math/six.h"
#include "math/wide_vectors.h"

/* Six unit forces, and two that are always 0: a number that goes to all of one vector goes to all
 * of the other as it is. */
typedef struct lanes {
  flg_four first, last;
} lanes;

FLG_SMALL void store_lanes(const lanes *from, double to[6]) {
  *(flg_four *)to = from->first;
  memcpy(to + 4, &from->last, 2 * sizeof *to);
}

/* Unit forces and moments at the port's origin, felt at its link's: about -offset they are
 * [f; m + offset x f]. Component by component, so that all six go through one instruction. */
static void start_way(const flg_dynamics *dynamics, const flg_link_anchor *port,
                      flg_port_way *way) {
  flg_flex_see(dynamics, port->link);
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
FLG_SMALL void take_shares(const flg_coordinate *coordinate, lanes f[6], lanes *share) {
  const flg_vec3 d = coordinate->direction.linear, t = coordinate->direction.angular;
  double load[6];
  flg_spatial_store(coordinate->load, load);
  share->first = (d.x * f[0].first + d.y * f[1].first + d.z * f[2].first) +
                 (t.x * f[3].first + t.y * f[4].first + t.z * f[5].first);
  share->last = (d.x * f[0].last + d.y * f[1].last + d.z * f[2].last) +
                (t.x * f[3].last + t.y * f[4].last + t.z * f[5].last);
  const double yield = -coordinate->yield;
  const lanes taken = {yield * share->first, yield * share->last};
#pragma GCC unroll 6
  for (int r = 0; r < 6; r++) {
    f[r].first += taken.first * load[r];
    f[r].last += taken.last * load[r];
  }
}

/* About the parent's origin, which is `arm` back: m + arm x f. */
FLG_SMALL void shift_forces(lanes f[6], flg_vec3 arm) {
  f[3].first += arm.y * f[2].first - arm.z * f[1].first;
  f[4].first += arm.z * f[0].first - arm.x * f[2].first;
  f[5].first += arm.x * f[1].first - arm.y * f[0].first;
  f[3].last += arm.y * f[2].last - arm.z * f[1].last;
  f[4].last += arm.z * f[0].last - arm.x * f[2].last;
  f[5].last += arm.x * f[1].last - arm.y * f[0].last;
}

FLG_SMALL void load_forces(const flg_port_way *way, lanes f[6]) {
#pragma GCC unroll 6
  for (int r = 0; r < 6; r++) {
    f[r].first = *(const flg_four *)way->forces[r];
    memset(&f[r].last, 0, sizeof f[r].last);
    memcpy(&f[r].last, way->forces[r] + 4, 2 * sizeof(double));
  }
}

FLG_SMALL void store_forces(const lanes f[6], flg_port_way *way) {
#pragma GCC unroll 6
  for (int r = 0; r < 6; r++) store_lanes(&f[r], way->forces[r]);
}

/* --- elastic coordinates ------------------------------------------------------------------------
 * Their shares are begun on the node, where the forces are those at its origin, and finished on the
 * flexible link, the last of them first; in between they wait among the shares, `step` apart.
 */

FLG_SMALL void load_lanes(const double from[6], lanes *to) {
  to->first = *(const flg_four *)from;
  memset(&to->last, 0, sizeof to->last);
  memcpy(&to->last, from + 4, 2 * sizeof *from);
}

FLG_SMALL void begin_elastic(const flg_dynamics *dynamics, int i, const lanes f[6], double *shares,
                             size_t step) {
  const flg_flex_node *node = &dynamics->robot->nodes[dynamics->robot->links[i].node];
  const flg_flex *flex = &dynamics->robot->flexes[node->flex];
  for (int k = 0; k < flex->body.modes; k++) {
    const double *d = flg_spatial_numbers(&dynamics->directions[node->first + k]);
    lanes share = {d[0] * f[0].first, d[0] * f[0].last};
    for (int r = 1; r < 6; r++) share.first += d[r] * f[r].first, share.last += d[r] * f[r].last;
    store_lanes(&share, shares + step * (size_t)(flex->velocity + k));
  }
}

FLG_SMALL void finish_elastic(const flg_dynamics *dynamics, int i, lanes f[6], double *shares,
                              size_t step) {
  const int at = dynamics->robot->links[i].flex;
  const flg_flex *flex = &dynamics->robot->flexes[at];
  const double *block = dynamics->flexes[at].block;
  const int n = flex->body.modes;
  for (int k = n - 1; k >= 0; k--) {
    const flg_coordinate *coordinate = &dynamics->coordinates[flex->velocity + k];
    const double *load = flg_spatial_numbers(&coordinate->load);
    lanes share, other;
    load_lanes(shares + step * (size_t)(flex->velocity + k), &share);
    share.first *= coordinate->yield, share.last *= coordinate->yield;
    for (int r = 0; r < 6; r++) {
      f[r].first -= share.first * load[r], f[r].last -= share.last * load[r];
    }
    for (int j = 0; j < k; j++) {
      double *waiting = shares + step * (size_t)(flex->velocity + j);
      load_lanes(waiting, &other);
      other.first -= share.first * block[k + n * j], other.last -= share.last * block[k + n * j];
      store_lanes(&other, waiting);
    }
  }
}

/* --- one port ----------------------------------------------------------------------------------
 */

/* Shares of all coordinates on the way to the base. */
FLG_WIDE_VECTORS static void find_shares(const flg_dynamics *dynamics, const flg_port_way *way,
                                         double *shares) {
  lanes f[6], share;
  load_forces(way, f);
  for (int i = way->link; i != FLG_WORLD; i = dynamics->robot->links[i].parent) {
    const flg_link *link = &dynamics->robot->links[i];
    if (link->flex >= 0) finish_elastic(dynamics, i, f, shares, 6);
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      const flg_coordinate *coordinate = &dynamics->coordinates[k];
      if (coordinate->yield == 0) continue; /* locked */
      take_shares(coordinate, f, &share);
      store_lanes(&share, shares + 6 * (size_t)k);
    }
    if (link->node >= 0) begin_elastic(dynamics, i, f, shares, 6);
    shift_forces(f, dynamics->motions[i].arm);
  }
}

/* D, a sum over the same coordinates; from the diagonal on, columns are mirrored. */
FLG_WIDE_VECTORS static void sum_shares(const flg_dynamics *dynamics, int from,
                                        const double *shares, double *D) {
  flg_six sum[6] = {{{0}, {0}}}, share;
  for (int i = from; i != FLG_WORLD; i = dynamics->robot->links[i].parent) {
    const flg_link *link = &dynamics->robot->links[i];
    const int last = link->velocity + link->velocity_count + link->elastic_count - 1;
    for (int k = last; k >= link->velocity; k--) {
      const double yield = dynamics->coordinates[k].yield, *own = shares + 6 * (size_t)k;
      flg_six_load(own, &share);
#pragma GCC unroll 6
      for (int j = 0; j < 6; j++) {
        if (j < 4) sum[j].four += share.four * (yield * own[j]);
        sum[j].two += share.two * (yield * own[j]);
      }
    }
  }
#pragma GCC unroll 6
  for (int j = 0; j < 6; j++) flg_six_store(&sum[j], D + 6 * (size_t)j);
  for (int j = 1; j < 6; j++) {
    for (int i = 0; i < j; i++) D[i + 6 * j] = D[j + 6 * i];
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
    lanes f[6], share;
    load_forces(&ways[p], f);
    take_shares(coordinate, f, &share);
    store_forces(f, &ways[p]);
    store_lanes(&share, ways[p].shares);
    if (shares != NULL) memcpy(shares + 6 * (size_t)p, ways[p].shares, 6 * sizeof *shares);
    for (int o = 0; o <= p; o++) {
      if (ways[o].link != link) continue;
      add_block(&ways[p], &ways[o], coordinate->yield, D + 6 * (size_t)p + 6 * (size_t)o * ld, ld);
    }
  }
}

FLG_WIDE_VECTORS static void shift_way(flg_port_way *way, flg_vec3 arm) {
  lanes f[6];
  load_forces(way, f);
  shift_forces(f, arm);
  store_forces(f, way);
}

/* All ports further out yield to the elastic coordinates of a flexible link. */
FLG_WIDE_VECTORS static void pass_elastic(const flg_dynamics *dynamics, int i, flg_port_way *ways,
                                          int count, double *D, double *shares) {
  const flg_flex *flex = &dynamics->robot->flexes[dynamics->robot->links[i].flex];
  const size_t ld = 6 * (size_t)count;
  for (int p = 0; p < count; p++) {
    if (ways[p].link != i) continue;
    lanes f[6];
    load_forces(&ways[p], f);
    finish_elastic(dynamics, i, f, shares + 6 * (size_t)p, ld);
    store_forces(f, &ways[p]);
  }
  for (int k = flex->velocity; k < flex->velocity + flex->body.modes; k++) {
    for (int p = 0; p < count; p++) {
      if (ways[p].link != i) continue;
      memcpy(ways[p].shares, shares + ld * (size_t)k + 6 * (size_t)p, 6 * sizeof *shares);
      for (int o = 0; o <= p; o++) {
        if (ways[o].link != i) continue;
        add_block(&ways[p], &ways[o], dynamics->coordinates[k].yield,
                  D + 6 * (size_t)p + 6 * (size_t)o * ld, ld);
      }
    }
  }
}

FLG_WIDE_VECTORS static void pass_link(const flg_dynamics *dynamics, int i, flg_port_way *ways,
                                       int count, double *D, double *shares) {
  const flg_link *link = &dynamics->robot->links[i];
  if (link->flex >= 0) pass_elastic(dynamics, i, ways, count, D, shares);
  for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
    double *own = shares == NULL ? NULL : shares + 6 * (size_t)count * (size_t)k;
    pass_coordinate(&dynamics->coordinates[k], i, ways, count, D, own);
  }
  for (int p = 0; p < count; p++) {
    if (ways[p].link != i) continue;
    if (link->node >= 0) {
      lanes f[6];
      load_forces(&ways[p], f);
      begin_elastic(dynamics, i, f, shares + 6 * (size_t)p, 6 * (size_t)count);
    }
    shift_way(&ways[p], dynamics->motions[i].arm);
    ways[p].link = link->parent;
  }
}

void flg_dynamics_admittance(const flg_dynamics *dynamics, const flg_link_anchor *ports,
                             int port_count, flg_port_way *ways, double *D, double *shares) {
  const int n = 6 * port_count;
  const size_t share_count = (size_t)n * (size_t)dynamics->robot->velocity_count;
  if (shares != NULL) memset(shares, 0, share_count * sizeof *shares);
  for (int p = 0; p < port_count; p++) start_way(dynamics, &ports[p], &ways[p]);
  if (port_count == 1 && shares != NULL) {
    find_shares(dynamics, ways, shares);
    sum_shares(dynamics, ways->link, shares, D);
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
