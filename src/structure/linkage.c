#include "structure/linkage.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/larger.h"
#include "math/pivoted_qr.h"

enum { NUMBERS = 6, CLOSE_STEPS_MAX = 20 };

/* Rows of closed joints repeat each other to rounding, 1e-13; rows that are independent have pivots
 * of the angle to a singular pose. */
static const double INDEPENDENT = 1e-8;
/* The error that Newton's steps reach with rounding, in lengths of the linkage. */
static const double CLOSED = 1e-12;

/* Distances that are rounding of a position, in proportion to it. */
static const double ONE_POINT = 1e-9;

bool flg_linkage_counts(flg_constraint_kind kind) {
  return flg_constraint_kinds[kind].holds != 0 || kind == FLG_CONSTRAINT_DISTANCE;
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static int rows_of_kind(flg_constraint_kind kind) {
  return kind == FLG_CONSTRAINT_SCREW ? flg_constraint_kinds[FLG_CONSTRAINT_CYLINDRICAL].rows
                                      : flg_constraint_kinds[kind].rows;
}

static void measure_linkage(flg_linkage *linkage) {
  const int count = linkage->joint_count;
  for (int k = 0; k < 2 * count; k++) {
    linkage->centre = flg_vec3_add_scaled(linkage->centre, 0.5 / count,
                                          linkage->joints[k / 2].frame[k % 2].position);
  }
  for (int k = 0; k < 2 * count; k++) {
    const flg_vec3 at = linkage->joints[k / 2].frame[k % 2].position;
    linkage->length =
        flg_larger(linkage->length, flg_vec3_norm(flg_vec3_subtract(at, linkage->centre)));
  }
  /* all joints are in one point, but for rounding */
  if (linkage->length <= ONE_POINT * flg_vec3_norm(linkage->centre)) linkage->length = 1;
}

bool flg_linkage_make(flg_linkage *linkage, int piece_count, const flg_linkage_joint *joints,
                      int joint_count, flg_region *region) {
  *linkage = (flg_linkage){.piece_count = piece_count,
                           .joints = joints,
                           .joint_count = joint_count,
                           .velocities = NUMBERS * (piece_count - 1),
                           .rank_most = NUMBERS * (piece_count - 1)};
  for (int k = 0; k < joint_count; k++) linkage->rows += rows_of_kind(joints[k].kind);
  const size_t n = (size_t)linkage->velocities, m = (size_t)linkage->rows;
  linkage->moved = flg_region_take(region, (size_t)piece_count, sizeof *linkage->moved);
  linkage->A = flg_region_take(region, n * m, sizeof(double));
  linkage->left = flg_region_take(region, m, sizeof(double));
  linkage->tau = flg_region_take(region, n < m ? n : m, sizeof(double));
  linkage->change = flg_region_take(region, n, sizeof(double));
  linkage->order = flg_region_take(region, m, sizeof(int));
  linkage->work = flg_region_take(
      region, (size_t)flg_pivoted_qr_workspace(linkage->velocities, linkage->rows), sizeof(double));
  if (region->failed) return false;
  for (int k = 0; k < piece_count; k++) linkage->moved[k] = flg_pose_identity();
  measure_linkage(linkage);
  return true;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static int evaluate_joint(const flg_linkage_joint *joint, const flg_moving_frame end[2],
                          flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX]) {
  if (joint->kind != FLG_CONSTRAINT_DISTANCE) {
    return flg_constraint_evaluate(joint->kind, end, rows);
  }
  flg_coordinate_row row;
  flg_coordinate_evaluate(FLG_COORDINATE_DISTANCE, end, 0, &row);
  rows[0] =
      (flg_constraint_row){.left = row.value - joint->constant, .side = {row.side[0], row.side[1]}};
  return 1;
}

/* the gradient of a frame over the motion of its piece */
static void write_piece_side(const flg_linkage *linkage, flg_spatial side, flg_vec3 at,
                             double *to) {
  const flg_vec3 arm = flg_vec3_subtract(at, linkage->centre);
  const flg_spatial seen = {flg_vec3_scale(side.linear, linkage->length),
                            flg_vec3_add(side.angular, flg_vec3_cross(arm, side.linear))};
  double numbers[NUMBERS];
  flg_spatial_store(seen, numbers);
  for (int k = 0; k < NUMBERS; k++) to[k] += numbers[k];
}

static void normalise_row(int count, double *row, double *left) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += row[k] * row[k];
  const double weight = sum > 0 ? 1 / sqrt(sum) : 0;
  for (int k = 0; k < count; k++) row[k] *= weight;
  *left *= weight;
}

/* rows of one joint from column `row` on; how many there are */
static int linkage_write_joint(flg_linkage *linkage, const flg_linkage_joint *joint, int row) {
  const int n = linkage->velocities;
  flg_moving_frame end[2] = {{.pose = joint->frame[0]}, {.pose = joint->frame[1]}};
  for (int s = 0; s < 2; s++) {
    end[s].pose = flg_pose_compose(&linkage->moved[joint->piece[s]], &joint->frame[s]);
  }
  flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
  const int count = evaluate_joint(joint, end, rows);
  for (int i = 0; i < count; i++) {
    double *to = linkage->A + (size_t)(row + i) * (size_t)n;
    memset(to, 0, (size_t)n * sizeof *to);
    for (int s = 0; s < 2; s++) {
      if (joint->piece[s] == 0) continue;
      write_piece_side(linkage, rows[i].side[s], end[s].pose.position,
                       to + NUMBERS * (joint->piece[s] - 1));
    }
    linkage->left[row + i] = rows[i].left;
    normalise_row(n, to, &linkage->left[row + i]);
  }
  return count;
}

static void write_linkage_rows(flg_linkage *linkage) {
  int row = 0;
  for (int k = 0; k < linkage->joint_count; k++) {
    row += linkage_write_joint(linkage, &linkage->joints[k], row);
  }
}

bool flg_linkage_factor(flg_linkage *linkage) {
  write_linkage_rows(linkage);
  linkage->rank =
      flg_pivoted_qr_factor(linkage->velocities, linkage->rows, linkage->A, linkage->velocities,
                            INDEPENDENT, linkage->tau, linkage->order, linkage->work);
  if (linkage->rank == FLG_QR_FAILED) return false;
  const size_t last = (size_t)linkage->rank - 1, diagonal = (size_t)linkage->velocities + 1;
  linkage->least = linkage->rank > 0 ? fabs(linkage->A[last * diagonal]) : 1;
  return true;
}

double flg_linkage_left(const flg_linkage *linkage) {
  double most = 0;
  for (int i = 0; i < linkage->rows; i++) most = flg_larger(most, fabs(linkage->left[i]));
  return most;
}

/* --- motions ------------------------------------------------------------------------------------
 */

/* the columns of Q beyond the rank */
void flg_linkage_motions(const flg_linkage *linkage, double *motions) {
  const int n = linkage->velocities, count = n - linkage->rank;
  memset(motions, 0, (size_t)n * (size_t)count * sizeof *motions);
  for (int k = 0; k < count; k++) motions[(size_t)k * (size_t)n + (size_t)(linkage->rank + k)] = 1;
  flg_pivoted_qr_apply(n, linkage->rank, linkage->A, n, linkage->tau, count, motions, n);
}

void flg_linkage_move(flg_linkage *linkage, const double *motion, double factor) {
  for (int p = 1; p < linkage->piece_count; p++) {
    const flg_spatial by = flg_spatial_scale(flg_spatial_load(motion + NUMBERS * (p - 1)), factor);
    const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(by.angular));
    const flg_vec3 shift = flg_vec3_add_scaled(linkage->centre, linkage->length, by.linear);
    const flg_pose change = {turn,
                             flg_vec3_subtract(shift, flg_mat3_apply(&turn, linkage->centre))};
    linkage->moved[p] = flg_pose_compose(&change, &linkage->moved[p]);
  }
}

/* the least motion that closes the rows that are independent, to first order */
static void approach_closed(flg_linkage *linkage) {
  const int n = linkage->velocities;
  const int rank = linkage->rank < linkage->rank_most ? linkage->rank : linkage->rank_most;
  memset(linkage->change, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < rank; i++) linkage->change[i] = -linkage->left[linkage->order[i]];
  flg_dense_solve_upper_transposed(rank, linkage->A, n, linkage->change);
  flg_pivoted_qr_apply(n, rank, linkage->A, n, linkage->tau, 1, linkage->change, n);
  flg_linkage_move(linkage, linkage->change, 1);
}

bool flg_linkage_close(flg_linkage *linkage) {
  for (int k = 0; k < CLOSE_STEPS_MAX; k++) {
    if (!flg_linkage_factor(linkage)) return false;
    const double left = flg_linkage_left(linkage);
    if (left <= CLOSED) return true;
    if (!(left < 1)) return false;
    approach_closed(linkage);
  }
  return false;
}
