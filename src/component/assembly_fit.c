#include "component/assembly_fit.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "component/assembly_freedom.h"
#include "math/dense.h"
#include "math/larger.h"
#include "math/pivoted_qr.h"

enum { FRAME_NUMBERS = 6, POSES_MAX = 40, CLOSE_STEPS_MAX = 20, FIT_STEPS_MAX = 40, LEGS = 12 };
/* Rows of length 1 of which less is left are redundant: rounding to 4 decimals leaves 1e-4. */
static const double INDEPENDENT = 3e-3;
/* Frames that would have to change by more than this (rad, and m over the length) are no rounded
 * ones: rows that are independent, though by little at the start, were taken for redundant. */
static const double FAR = 6e-3;
/* Poses where less is left of the others do not count: they are close to singular ones. */
static const double CLEAR = 0.05;
/* Rows are closed and agree up to rounding; ... */
static const double CLOSED = 2e-15, AGREED = 1e-12;
/* ... what is left by more than this is no misfit, but rows that are independent elsewhere. */
static const double MISFIT_MOST = 0.02;
/* Rows that agree in all poses are sums of the others, up to what agreement is worth; of rows that
 * are independent, though by little, more remains. */
static const double DEPENDENT = 1e-6;
/* Rows of poses that are so near have nearly the same factors. */
static const double NEAR = 5e-3;
/* of the largest number of a direction, of a sum of rows, of what improves a fit: rounding */
static const double NO_DIRECTION = 1e-6, NO_SHARE = 1e-14, LEAST_FIT = 1e-13;
/* how far a pose is from the one before, in the largest of its numbers */
static const double STRIDE = 0.25;

typedef struct fitting {
  flg_assembly *assembly;
  int rows, velocities, frames; /* rows of joints; frames: two a joint */
  double length;
  double *still;              /* (velocities) zeros */
  double *A, *tau, *work;     /* (velocities x rows) G^T, rows of length 1, factored */
  int *order;                 /* (rows) */
  double *left, *weight;      /* (rows) g of the same rows, and what G was multiplied by */
  double *sum, *move, *right; /* work space: (rows), (velocities), the larger of both */
  int *first;                 /* (joints) its first row */
  int rank, most;             /* here; of all poses so far */
  double remains;             /* of rows that are redundant, less the others; of all poses */
  int pose_count;
  double *poses, *q;         /* (POSES_MAX x positions), (positions) */
  double *start_pose;        /* (positions) */
  flg_constraint_row *sides; /* (rows) how g changes with the frames, at the frames */
  int equation_count, equations_most;
  double *E, *aim;         /* (6 frames x equations), (equations) */
  double *change;          /* (6 frames) */
  flg_part_anchor *before; /* (frames) */
} fitting;

/* --- rows at a pose -----------------------------------------------------------------------------
 */

static bool is_fit_linear(const fitting *fit, int velocity) {
  const flg_assembly *assembly = fit->assembly;
  int set = assembly->model.set_count - 1;
  while (assembly->model.sets[set]->velocity > velocity) set--;
  const flg_parts *parts = assembly->model.sets[set];
  return parts->ops->is_linear != NULL && parts->ops->is_linear(parts, velocity - parts->velocity);
}

/* of displacements over the length, and of turns */
static void write_fit_rows(fitting *fit) {
  const flg_assembly *assembly = fit->assembly;
  int row = 0;
  for (int k = 0; k < assembly->model.joint_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    fit->first[k] = row;
    for (int i = 0; i < row_set->rows; i++, row++) {
      double *to = fit->A + (size_t)row * (size_t)fit->velocities, sum = 0;
      const double unit = (row_set->displacements >> i & 1) != 0 ? 1 / fit->length : 1;
      flg_assembly_write_row(assembly, row_set, i, to);
      for (int j = 0; j < fit->velocities; j++) {
        to[j] *= is_fit_linear(fit, j) ? unit * fit->length : unit;
        sum += to[j] * to[j];
      }
      const double weight = sum > 0 ? 1 / sqrt(sum) : 0;
      for (int j = 0; j < fit->velocities; j++) to[j] *= weight;
      fit->weight[row] = weight * unit;
      fit->left[row] = weight * unit * row_set->left[i];
    }
  }
}

/* rows, what is left of them, and their factor */
static bool look_at_pose(fitting *fit, const double *q) {
  flg_assembly *assembly = fit->assembly;
  flg_assembly_place_rows(assembly, q, fit->still);
  if (flg_assembly_has_jacobians(assembly) &&
      flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE) != FLG_OK) {
    return false;
  }
  write_fit_rows(fit);
  fit->rank = flg_pivoted_qr_factor(fit->velocities, fit->rows, fit->A, fit->velocities,
                                    INDEPENDENT, fit->tau, fit->order, fit->work);
  return fit->rank != FLG_QR_FAILED;
}

/* what remains of the first row that was taken for redundant, less the others */
static double remainder_of(const fitting *fit) {
  const size_t next = (size_t)fit->rank, size = (size_t)fit->velocities;
  if (fit->rank >= fit->rows || fit->rank >= fit->velocities) return 0;
  return fabs(fit->A[next * size + next]);
}

static double widest_change(const fitting *fit) {
  double most = 0;
  for (int i = 0; i < fit->rows; i++) most = flg_larger(most, fabs(fit->left[i]));
  return most;
}

/* --- poses --------------------------------------------------------------------------------------
 */

/* q moved by numbers without units */
static void fit_displace(fitting *fit, double *q, double *move) {
  for (int j = 0; j < fit->velocities; j++) move[j] *= is_fit_linear(fit, j) ? fit->length : 1;
  flg_assembly_displace(fit->assembly, q, move, 1, q);
}

/* what is left of the rows that were found to be independent */
static double left_of_chosen(const fitting *fit) {
  double most = 0;
  for (int i = 0; i < fit->rank; i++) most = flg_larger(most, fabs(fit->left[fit->order[i]]));
  return most;
}

/* the least move that closes them */
static void approach_joints(fitting *fit, double *q) {
  memset(fit->right, 0, (size_t)fit->velocities * sizeof(double));
  for (int i = 0; i < fit->rank; i++) fit->right[i] = -fit->left[fit->order[i]];
  flg_dense_solve_upper_transposed(fit->rank, fit->A, fit->velocities, fit->right);
  flg_pivoted_qr_apply(fit->velocities, fit->rank, fit->A, fit->velocities, fit->tau, 1, fit->right,
                       fit->velocities);
  fit_displace(fit, q, fit->right);
}

/* g again, for rows and factors of a pose nearby */
static void look_again(fitting *fit, const double *q) {
  flg_assembly *assembly = fit->assembly;
  flg_assembly_place_left(assembly, q);
  for (int k = 0; k < assembly->model.joint_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    const int first = fit->first[k];
    for (int i = 0; i < row_set->rows; i++) {
      fit->left[first + i] = fit->weight[first + i] * row_set->left[i];
    }
  }
}

/* q onto rows that are independent there; factored and seen at the end. Once it is near, the rows
 * stay those that were chosen: others contradict them. */
static bool close_pose(fitting *fit, double *q) {
  double before = INFINITY;
  bool is_near = false;
  for (int k = 0; k < CLOSE_STEPS_MAX; k++) {
    if (is_near) {
      look_again(fit, q);
    } else if (!look_at_pose(fit, q)) {
      return false;
    }
    const double most = left_of_chosen(fit);
    if (!(most < 1)) return false;
    if (most <= CLOSED || (most < AGREED && most >= before / 2)) return look_at_pose(fit, q);
    is_near = is_near || most < NEAR;
    before = most;
    approach_joints(fit, q);
  }
  return false;
}

/* a direction that no row is against, of which the largest number is the stride */
static bool set_out(fitting *fit, double *direction) {
  double most = 0;
  flg_pivoted_qr_apply_transposed(fit->velocities, fit->rank, fit->A, fit->velocities, fit->tau, 1,
                                  direction, fit->velocities);
  memset(direction, 0, (size_t)fit->rank * sizeof(double));
  flg_pivoted_qr_apply(fit->velocities, fit->rank, fit->A, fit->velocities, fit->tau, 1, direction,
                       fit->velocities);
  for (int j = 0; j < fit->velocities; j++) most = flg_larger(most, fabs(direction[j]));
  if (!(most > NO_DIRECTION)) return false;
  for (int j = 0; j < fit->velocities; j++) direction[j] *= STRIDE / most;
  return true;
}

/* numbers between -1 and 1 that follow each other without order, the same in every run */
static double chance(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1;
}

/* it is far from poses where rows are redundant that are not so elsewhere */
static bool is_clear_of_others(const fitting *fit) {
  const size_t last = (size_t)(fit->rank - 1);
  return fit->rank > 0 &&
         fabs(fit->A[last * (size_t)fit->velocities + last]) > CLEAR * fabs(fit->A[0]);
}

static void keep_pose(fitting *fit, const double *q) {
  const size_t count = (size_t)fit->assembly->model.position_count;
  if (fit->pose_count == POSES_MAX || fit->rank < fit->most || !is_clear_of_others(fit)) return;
  if (fit->rank > fit->most) fit->most = fit->rank, fit->pose_count = 0;
  memcpy(fit->poses + count * (size_t)fit->pose_count++, q, count * sizeof *q);
}

/* Poses along a free motion from the start, as far as it goes. */
static void walk_poses(fitting *fit, unsigned seed, double sign, int legs) {
  const size_t count = (size_t)fit->assembly->model.position_count;
  double *q = fit->q, *way = fit->move;
  memcpy(q, fit->start_pose, count * sizeof *q);
  for (int j = 0; j < fit->velocities; j++) way[j] = sign * chance(&seed);
  if (!close_pose(fit, q)) return;
  for (int leg = 0; leg < legs && set_out(fit, way); leg++) {
    memcpy(fit->right, way, (size_t)fit->velocities * sizeof(double));
    fit_displace(fit, q, fit->right);
    if (!close_pose(fit, q)) return;
    keep_pose(fit, q);
  }
}

/* --- frames -------------------------------------------------------------------------------------
 */

/* of a weld whose rows are in axes of the world (assembly_motion.c) */
static void see_plain_weld(const flg_row_set *row_set, flg_constraint_row *rows) {
  const int first = row_set->anchor_end[0] == row_set->view.first ? 0 : 1;
  static const flg_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    const flg_spatial way = {axes[i], flg_vec3_cross(axes[i], row_set->arm[first])};
    const flg_spatial turn = {{0, 0, 0}, axes[i]};
    rows[i].side[first] = way, rows[i].side[1 - first] = flg_spatial_scale(way, -1);
    rows[i + 3].side[first] = turn, rows[i + 3].side[1 - first] = flg_spatial_scale(turn, -1);
  }
}

/* dg of all rows by the frames of their joints, in world axes, and the frames' own axes */
static void see_frames(fitting *fit) {
  const flg_assembly *assembly = fit->assembly;
  for (int k = 0; k < assembly->model.joint_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    flg_constraint_row *rows = fit->sides + fit->first[k], found[FLG_CONSTRAINT_ROWS_MAX];
    const flg_moving_frame end[2] = {flg_part_anchor_frame(&row_set->anchor[0]),
                                     flg_part_anchor_frame(&row_set->anchor[1])};
    memset(found, 0, sizeof found);
    if (row_set->is_plain_weld) {
      see_plain_weld(row_set, found);
    } else {
      flg_constraint_evaluate(row_set->kind, end, found);
    }
    for (int i = 0; i < row_set->rows; i++) {
      rows[i] = found[i];
      for (int s = 0; s < 2; s++) {
        const flg_mat3 *axes = &end[s].pose.rotation;
        rows[i].side[s].linear = flg_mat3_apply_transposed(axes, found[i].side[s].linear);
        rows[i].side[s].angular = flg_mat3_apply_transposed(axes, found[i].side[s].angular);
      }
    }
  }
}

/* adds share times a row to an equation */
static void add_to_equation(const fitting *fit, int joint, int row, double share,
                            double *equation) {
  for (int s = 0; s < 2; s++) {
    const flg_spatial side = fit->sides[row].side[s];
    double *to = equation + FRAME_NUMBERS * (2 * joint + s), numbers[FRAME_NUMBERS];
    flg_spatial_store(side, numbers);
    for (int i = 0; i < FRAME_NUMBERS; i++) {
      to[i] += share * fit->weight[row] * numbers[i] * (i < 3 ? fit->length : 1);
    }
  }
}

static int joint_of_row(const fitting *fit, int row) {
  int joint = 0;
  while (joint + 1 < fit->assembly->model.joint_count && fit->first[joint + 1] <= row) joint++;
  return joint;
}

/* Row order[at] less the sum of independent rows that it is: N^T (P dp + g) = 0. */
static void add_equation(fitting *fit, int at) {
  const size_t size = FRAME_NUMBERS * (size_t)fit->frames;
  const int row = fit->order[at];
  if (fit->equation_count == fit->equations_most || fit->weight[row] == 0) return;
  double *equation = fit->E + size * (size_t)fit->equation_count, sum = 0;
  memset(equation, 0, size * sizeof *equation);
  const double *column = fit->A + (size_t)at * (size_t)fit->velocities;
  memcpy(fit->sum, column, (size_t)fit->rank * sizeof(double));
  flg_dense_solve_upper(fit->rank, fit->A, fit->velocities, fit->sum);
  add_to_equation(fit, joint_of_row(fit, row), row, 1, equation);
  double aim = -fit->left[row];
  for (int i = 0; i < fit->rank; i++) {
    const int other = fit->order[i];
    if (fabs(fit->sum[i]) < NO_SHARE) continue;
    add_to_equation(fit, joint_of_row(fit, other), other, -fit->sum[i], equation);
    aim += fit->sum[i] * fit->left[other];
  }
  for (size_t i = 0; i < size; i++) sum += equation[i] * equation[i];
  if (!(sum > 0)) return;
  for (size_t i = 0; i < size; i++) equation[i] /= sqrt(sum);
  fit->aim[fit->equation_count++] = aim / sqrt(sum);
}

/* the equations of all poses, which are closed again; what is left, NaN: a pose is lost */
static double gather_equations(fitting *fit) {
  const size_t count = (size_t)fit->assembly->model.position_count;
  double most = 0;
  fit->equation_count = 0, fit->remains = 0;
  for (int k = 0; k < fit->pose_count; k++) {
    double *q = fit->poses + count * (size_t)k;
    if (!close_pose(fit, q) || fit->rank != fit->most) return NAN;
    most = flg_larger(most, widest_change(fit));
    fit->remains = flg_larger(fit->remains, remainder_of(fit));
    see_frames(fit);
    for (int i = fit->rank; i < fit->rows; i++) add_equation(fit, i);
  }
  return most;
}

static void turn_anchor(flg_part_anchor *anchor, const double *change, double length) {
  const flg_vec3 way = flg_vec3_scale(flg_vec3_load(change), length);
  const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(flg_vec3_load(change + 3)));
  anchor->pose.position =
      flg_vec3_add(anchor->pose.position, flg_mat3_apply(&anchor->pose.rotation, way));
  anchor->pose.rotation = flg_mat3_multiply(&anchor->pose.rotation, &turn);
  const flg_quat unit = flg_quat_normalise(flg_quat_from_matrix(&anchor->pose.rotation));
  anchor->pose.rotation = flg_quat_to_matrix(unit);
}

static bool is_same_anchor(const flg_part_anchor *a, const flg_part_anchor *b) {
  bool same = a->of == b->of && a->part == b->part && a->link == b->link;
  for (int k = 0; k < 9; k++) same &= a->pose.rotation.m[k] == b->pose.rotation.m[k];
  return same && a->pose.position.x == b->pose.position.x &&
         a->pose.position.y == b->pose.position.y && a->pose.position.z == b->pose.position.z;
}

/* a frame of a joint, and of the coordinates that are measured between its frames */
static void set_anchor(const fitting *fit, int joint, int side, flg_part_anchor anchor) {
  flg_assembly *assembly = fit->assembly;
  flg_row_set *row_set = &assembly->model.row_sets[joint];
  const flg_component_joint *source = &assembly->model.component->joints[joint];
  for (int c = 0; c < 2; c++) {
    if (source->coordinate[c] < 0) continue;
    flg_part_anchor *own = assembly->model.coordinates[source->coordinate[c]].anchor;
    if (is_same_anchor(&own[side], &row_set->anchor[side])) own[side] = anchor;
  }
  row_set->anchor[side] = anchor;
  flg_assembly_note_anchors(assembly);
}

/* the least change of frames that all equations ask for; tolerance: of pivots */
static bool improve(fitting *fit, double tolerance, double *work, double *tau, int *order) {
  const int size = FRAME_NUMBERS * fit->frames;
  const int rank =
      flg_pivoted_qr_factor(size, fit->equation_count, fit->E, size, tolerance, tau, order, work);
  if (rank <= 0) return false;
  memset(fit->change, 0, (size_t)size * sizeof(double));
  for (int i = 0; i < rank; i++) fit->change[i] = fit->aim[order[i]];
  flg_dense_solve_upper_transposed(rank, fit->E, size, fit->change);
  flg_pivoted_qr_apply(size, rank, fit->E, size, tau, 1, fit->change, size);
  for (int k = 0; k < fit->frames; k++) {
    flg_part_anchor anchor = fit->assembly->model.row_sets[k / 2].anchor[k % 2];
    turn_anchor(&anchor, fit->change + FRAME_NUMBERS * k, fit->length);
    set_anchor(fit, k / 2, k % 2, anchor);
  }
  return true;
}

/* --- the search ---------------------------------------------------------------------------------
 */

/* Frames that agree in all poses that there are. Equations that poses repeat have pivots as small
 * as what is left: the tolerance follows it. */
static bool agree(fitting *fit, double *work, double *tau, int *order) {
  double before = INFINITY;
  for (int k = 0; k < FIT_STEPS_MAX; k++) {
    const double left = gather_equations(fit);
    if (!(left < MISFIT_MOST)) return false;
    if (left <= CLOSED || (left <= AGREED && left > before / 2)) return true;
    before = left;
    const double tolerance = fmin(fmax(10 * left, LEAST_FIT), 0.01);
    if (!improve(fit, tolerance, work, tau, order)) return false;
  }
  return false;
}

/* what is left in new poses; the poses are kept for another search */
static double test(fitting *fit, unsigned seed, int legs) {
  const int from = fit->pose_count, most = fit->most;
  const size_t count = (size_t)fit->assembly->model.position_count;
  double left = 0;
  walk_poses(fit, seed, 1, legs);
  walk_poses(fit, seed, -1, legs);
  for (int k = fit->most == most ? from : 0; k < fit->pose_count; k++) {
    if (!close_pose(fit, fit->poses + count * (size_t)k)) return NAN;
    if (fit->rank == fit->most) left = flg_larger(left, widest_change(fit));
  }
  return left;
}

/* what it takes to look at a pose */
static bool assembly_fit_lay_out(fitting *fit, flg_region *region) {
  const flg_assembly *assembly = fit->assembly;
  const size_t n = (size_t)fit->velocities, m = (size_t)fit->rows;
  fit->still = flg_region_take(region, n, sizeof(double));
  fit->A = flg_region_take(region, n * m, sizeof(double));
  fit->tau = flg_region_take(region, n + m, sizeof(double));
  fit->work =
      flg_region_take(region, (size_t)flg_pivoted_qr_workspace((int)n, (int)m), sizeof(double));
  fit->order = flg_region_take(region, m, sizeof(int));
  fit->left = flg_region_take(region, m, sizeof(double));
  fit->weight = flg_region_take(region, m, sizeof(double));
  fit->sum = flg_region_take(region, n + m, sizeof(double));
  fit->move = flg_region_take(region, n, sizeof(double));
  fit->right = flg_region_take(region, n + m, sizeof(double));
  fit->first = flg_region_take(region, (size_t)assembly->model.joint_count, sizeof(int));
  return !region->failed;
}

/* what it takes to collect poses and equations */
static bool lay_out_poses(fitting *fit, flg_region *region) {
  const size_t m = (size_t)fit->rows, frames = (size_t)fit->frames, size = FRAME_NUMBERS * frames;
  const size_t q = (size_t)fit->assembly->model.position_count;
  fit->equations_most = POSES_MAX * (fit->rows - fit->rank);
  const size_t equations = (size_t)fit->equations_most;
  fit->poses = flg_region_take(region, POSES_MAX * q, sizeof(double));
  fit->q = flg_region_take(region, q, sizeof(double));
  fit->start_pose = flg_region_take(region, q, sizeof(double));
  fit->sides = flg_region_take(region, m, sizeof *fit->sides);
  fit->E = flg_region_take(region, size * equations, sizeof(double));
  fit->aim = flg_region_take(region, equations, sizeof(double));
  fit->change = flg_region_take(region, size, sizeof(double));
  fit->before = flg_region_take(region, frames, sizeof *fit->before);
  return !region->failed;
}

/* the largest arm from a moving part to a frame of a joint */
static double largest_arm(const flg_assembly *assembly) {
  double most = 0;
  for (int k = 0; k < assembly->model.joint_count; k++) {
    for (int s = 0; s < 2; s++) {
      const flg_part_anchor *anchor = &assembly->model.row_sets[k].anchor[s];
      if (anchor->on == NULL) continue;
      most = flg_larger(most, flg_vec3_norm(anchor->pose.position));
    }
  }
  return most > 0 ? most : assembly->model.length;
}

static double angle_between_turns(const flg_mat3 *a, const flg_mat3 *b) {
  const flg_mat3 turned = flg_mat3_multiply_transposed(a, b);
  return flg_vec3_norm(flg_quat_log(flg_quat_from_matrix(&turned)));
}

static void measure_fit(const fitting *fit, flg_fit *found) {
  double most = 0;
  found->length = fit->length;
  for (int k = 0; k < fit->frames; k++) {
    const flg_pose *now = &fit->assembly->model.row_sets[k / 2].anchor[k % 2].pose;
    const flg_pose *then = &fit->before[k].pose;
    const double moved = flg_vec3_norm(flg_vec3_subtract(now->position, then->position));
    const double turned = angle_between_turns(&now->rotation, &then->rotation);
    found->moved = fmax(found->moved, moved), found->turned = fmax(found->turned, turned);
    const double change = fmax(moved / fit->length, turned);
    if (change > most) most = change, found->joint = k / 2;
  }
}

static void restore_frames(const fitting *fit) {
  for (int k = 0; k < fit->frames; k++) set_anchor(fit, k / 2, k % 2, fit->before[k]);
}

/* Frames that agree everywhere, as far as new poses tell; whether they were found. */
static bool search_frames(fitting *fit, flg_region *region) {
  const int size = FRAME_NUMBERS * fit->frames, equations = fit->equations_most;
  double *work =
      flg_region_take(region, (size_t)flg_pivoted_qr_workspace(size, equations), sizeof *work);
  double *tau = flg_region_take(region, (size_t)size + (size_t)equations, sizeof *tau);
  int *order = flg_region_take(region, (size_t)equations, sizeof *order);
  if (region->failed) return false;
  walk_poses(fit, 2, 1, LEGS);
  walk_poses(fit, 2, -1, LEGS);
  for (unsigned seed = 3; seed < 6; seed++) {
    if (!agree(fit, work, tau, order)) return false;
    if (fit->pose_count == POSES_MAX) fit->pose_count = POSES_MAX - 4;
    const double left = test(fit, seed, 2);
    if (left <= AGREED) return fit->remains <= DEPENDENT;
    if (!(left < MISFIT_MOST)) return false;
  }
  return false;
}

static bool frames_contradict(fitting *fit) {
  const double left = test(fit, 1, 1);
  return fit->pose_count > 0 && left > AGREED && left < MISFIT_MOST;
}

static flg_status fit_frames(fitting *fit, double tolerance, flg_region *region, flg_fit *found,
                             flg_error *error) {
  flg_assembly *assembly = fit->assembly;
  if (!assembly_fit_lay_out(fit, region)) return FLG_ERR_MEMORY;
  if (!look_at_pose(fit, assembly->state.q) || fit->rank == fit->rows) return FLG_OK;
  if (!lay_out_poses(fit, region)) return FLG_ERR_MEMORY;
  memcpy(fit->start_pose, assembly->state.q,
         (size_t)assembly->model.position_count * sizeof(double));
  for (int k = 0; k < fit->frames; k++)
    fit->before[k] = assembly->model.row_sets[k / 2].anchor[k % 2];
  if (!frames_contradict(fit)) return FLG_OK;
  if (!search_frames(fit, region)) {
    restore_frames(fit);
    return FLG_OK;
  }
  measure_fit(fit, found);
  const double change = fmax(found->moved / found->length, found->turned);
  if (change <= tolerance) return FLG_OK;
  restore_frames(fit);
  if (change > FAR) {
    *found = (flg_fit){.joint = -1};
    return FLG_OK;
  }
  return flg_fail(
      error, FLG_ERR_INPUT,
      "joints of '%s' repeat each other and their geometry does not agree: frames would "
      "have to change by %.3g m and %.3g rad, that of joint '%s' most; give more digits "
      "or raise 'geometry_tolerance' (%.3g: rad, and m per %.3g m)",
      assembly->model.options.name, found->moved, found->turned,
      flg_assembly_joint_name(assembly, found->joint), tolerance, found->length);
}

flg_status flg_assembly_fit(flg_assembly *assembly, double tolerance, flg_fit *found,
                            flg_error *error) {
  *found = (flg_fit){.joint = -1};
  for (int k = 0; k < assembly->model.set_count; k++) {
    if (assembly->model.sets[k]->ops->rate == NULL) return FLG_OK;
  }
  fitting fit = {.assembly = assembly,
                 .velocities = assembly->model.velocity_count,
                 .frames = 2 * assembly->model.joint_count,
                 .length = largest_arm(assembly)};
  for (int k = 0; k < assembly->model.joint_count; k++)
    fit.rows += assembly->model.row_sets[k].rows;
  if (fit.rows == 0 || fit.rows > FLG_FIT_ROWS_MAX || fit.velocities > FLG_FIT_ROWS_MAX) {
    return FLG_OK;
  }
  flg_region region = {0};
  assembly->state.limits.idle = true;
  flg_status status = fit_frames(&fit, tolerance, &region, found, error);
  assembly->state.limits.idle = false;
  flg_region_release(&region);
  if (status != FLG_OK) *found = (flg_fit){.joint = -1};
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  return status == FLG_ERR_MEMORY ? flg_fail(error, status, "there is no memory left") : status;
}
