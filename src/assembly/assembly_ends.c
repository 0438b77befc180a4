#include "assembly/assembly_ends.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"

/* Of the freedom that a joint has in its robot, less than this is none. */
static const double HELD = 1e-9;

/* --- set-up -------------------------------------------------------------------------------------
 */

/* Numbers of a part become numbers of the assembly: positions and velocities of all parts lie in
 * one array. */
static void add_ends(flg_assembly *assembly, flg_assembly_ends *ends, const flg_parts *parts,
                     int part, flg_joint_range *found, flg_mistakes *mistakes) {
  const flg_part_slice slice = parts->ops->slice(parts, part);
  const int position = parts->position + slice.position;
  const int velocity = parts->velocity + slice.velocity, length = slice.velocity_count;
  const int count = parts->ops->ends(parts, part, found, mistakes);
  for (int k = 0; k < count; k++) {
    flg_joint_end *end = &ends->list[ends->count++];
    *end = (flg_joint_end){.range = found[k],
                           .of = parts,
                           .part = part,
                           .first = velocity,
                           .count = length,
                           .row = -1};
    end->range.position += position, end->range.velocity += velocity;
    end->response = flg_region_take(&assembly->model.region, (size_t)length, sizeof *end->response);
  }
}

static int count_most_ends(const flg_parts *parts) {
  int count = 0;
  for (int k = 0; k < parts->count && parts->ops->ends != NULL; k++) {
    count += parts->ops->ends_most(parts, k);
  }
  return count;
}

void flg_assembly_ends_find(flg_assembly *assembly, flg_assembly_ends *ends,
                            flg_mistakes *mistakes) {
  flg_region scratch = {0};
  size_t joints = 0;
  for (int k = 0; k < assembly->model.set_count; k++)
    joints += (size_t)count_most_ends(assembly->model.sets[k]);
  if (joints == 0) return;
  flg_joint_range *found = flg_region_take(&scratch, joints, sizeof *found);
  ends->list = flg_region_take(&assembly->model.region, joints, sizeof *ends->list);
  for (int k = 0; k < assembly->model.set_count && found != NULL && ends->list != NULL; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count && parts->ops->ends != NULL; i++) {
      add_ends(assembly, ends, parts, i, found, mistakes);
    }
  }
  assembly->model.region.failed |= scratch.failed;
  flg_region_release(&scratch);
}

void flg_assembly_place_ends(flg_assembly *assembly) {
  flg_assembly_ends *ends = &assembly->model.touch->ends;
  for (int k = 0; k < ends->count; k++) {
    flg_joint_end *end = &ends->list[k];
    end->root = flg_plan_root_of(assembly->scratch.plan, end->of->first + end->part);
  }
}

int flg_assembly_ends_in(const flg_assembly_ends *ends, int root) {
  int count = 0;
  for (int k = 0; k < ends->count; k++) count += ends->list[k].root == root;
  return count;
}

/* A root without ends uses the matrix of contacts; one with ends needs room for their rows beside
 * it. */
static void lay_out_end_block(flg_assembly *assembly, int root) {
  const flg_assembly_touch *touch = assembly->model.touch;
  const flg_assembly_ends *ends = &touch->ends;
  const int inside = flg_assembly_ends_in(ends, root), start = touch->starts[root];
  const size_t rows = (size_t)touch->blocks[root].rows + (size_t)inside;
  flg_touch_block *block = &ends->blocks[root];
  *block = touch->blocks[root];
  block->free = ends->free + start, block->impulses = ends->impulses + start;
  if (inside == 0) return;
  ends->admittances[root] = flg_region_take(&assembly->model.region, rows * rows, sizeof(double));
  block->admittance = ends->admittances[root];
}

void flg_assembly_ends_lay_out(flg_assembly *assembly) {
  const flg_assembly_touch *touch = assembly->model.touch;
  flg_assembly_ends *ends = &assembly->model.touch->ends;
  flg_region *region = &assembly->model.region;
  const size_t roots = (size_t)flg_plan_root_count(assembly->scratch.plan);
  const size_t rows = (size_t)touch->row_count, velocities = (size_t)assembly->model.velocity_count;
  if (ends->count == 0) return;
  ends->stops = flg_region_take(region, 2 * (size_t)ends->count, sizeof *ends->stops);
  ends->blocks = flg_region_take(region, roots, sizeof *ends->blocks);
  ends->admittances = flg_region_take(region, roots, sizeof *ends->admittances);
  ends->free = flg_region_take(region, rows, sizeof(double));
  ends->impulses = flg_region_take(region, rows, sizeof(double));
  ends->from = flg_region_take(region, velocities, sizeof(double));
  ends->answer = flg_region_take(region, velocities, sizeof(double));
  for (int k = 0; k < (int)roots && !region->failed; k++) lay_out_end_block(assembly, k);
}

uint64_t flg_assembly_ends_identity(const flg_assembly_ends *ends, uint64_t seed) {
  uint64_t hash = seed;
  for (int k = 0; k < ends->count; k++) {
    hash = flg_joint_ranges_identity(&ends->list[k].range, 1, hash);
  }
  return hash;
}

/* --- links and joints near contacts -------------------------------------------------------------
 */

void flg_assembly_ends_begin(flg_assembly *assembly) {
  flg_assembly_ends *ends = &assembly->model.touch->ends;
  for (int k = 0; k < ends->count; k++) {
    ends->list[k].before = assembly->state.v[ends->list[k].range.velocity];
  }
}

/* the stops of a joint, in the order of their numbers; how many there are */
static int list_stops(const flg_assembly *assembly, const flg_joint_end *end,
                      flg_touch_stop *stops) {
  int count;
  const double *locked = end->of->ops->locked(end->of, end->part, &count);
  if (isinf(locked[end->range.velocity - end->first])) return 0;
  const double travel =
      flg_joint_range_travel(&end->range, assembly->model.touch->h, end->before, end->fastest);
  const int index = (int)(end - assembly->model.touch->ends.list);
  const flg_touch_stop at = {.block = end->root, .row = end->row, .number = 2 * index};
  return flg_joint_range_stops(&end->range, assembly->state.q[end->range.position], travel, &at,
                               stops);
}

/* whether any joint may reach an end, if velocities at the end of the step are these */
static bool are_ends_near(flg_assembly *assembly, const double *y) {
  flg_assembly_ends *ends = &assembly->model.touch->ends;
  bool any = false;
  for (int k = 0; k < ends->count; k++) {
    flg_joint_end *end = &ends->list[k];
    flg_touch_stop unused[2];
    end->fastest = y == NULL ? 0 : fmax(end->fastest, fabs(y[end->range.velocity]));
    any = list_stops(assembly, end, unused) > 0 || any;
  }
  return any;
}

/* The first call forgets the fastest velocities of the step before. */
bool flg_assembly_ends_near(flg_assembly *assembly) {
  are_ends_near(assembly, NULL);
  return are_ends_near(assembly, assembly->state.v);
}

/* --- how they answer ----------------------------------------------------------------------------
 */

/* D of the ports, with room for the rows of joints */
static void ends_widen(const flg_touch_block *from, int rows, double *to) {
  memset(to, 0, (size_t)rows * (size_t)rows * sizeof *to);
  for (int j = 0; j < from->rows; j++) {
    memcpy(to + (size_t)j * (size_t)rows, from->admittance + (size_t)j * (size_t)from->rows,
           (size_t)from->rows * sizeof *to);
  }
}

/* Rows of joints that are near come after those of ports; y: velocities without contacts, which
 * the roots have, too. */
static void place_rows(flg_assembly *assembly, const double *y) {
  flg_assembly_touch *touch = assembly->model.touch;
  flg_assembly_ends *ends = &touch->ends;
  const int roots = flg_plan_root_count(assembly->scratch.plan);
  for (int k = 0; k < roots; k++) {
    const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, k);
    ends->blocks[k].rows = root.rows;
    if (root.rows == 0) continue;
    memcpy(ends->free + touch->starts[k], root.bias, (size_t)root.rows * sizeof(double));
  }
  for (int k = 0; k < ends->count; k++) {
    flg_joint_end *end = &ends->list[k];
    flg_touch_stop unused[2];
    end->row = -1;
    if (list_stops(assembly, end, unused) == 0) continue;
    end->row = ends->blocks[end->root].rows++;
    touch->before[touch->starts[end->root] + end->row] = end->before;
    ends->free[touch->starts[end->root] + end->row] = y[end->range.velocity];
  }
  for (int k = 0; k < roots; k++) {
    if (ends->admittances[k] == NULL) continue;
    ends_widen(&touch->blocks[k], ends->blocks[k].rows, ends->admittances[k]);
  }
}

/* sum = sum + M^-1 e x */
static void add_response(const flg_joint_end *end, double x, double *sum) {
  for (int i = 0; i < end->count; i++) sum[end->first + i] += end->response[i] * x;
}

static void ends_respond(const flg_joint_end *end) {
  memset(end->response, 0, (size_t)end->count * sizeof(double));
  end->response[end->range.velocity - end->first] = 1;
  end->of->ops->respond(end->of, end->part, end->response);
}

static void store_column(const flg_assembly *assembly, const flg_joint_end *end) {
  const flg_assembly_ends *ends = &assembly->model.touch->ends;
  const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, end->root);
  double *D = ends->admittances[end->root];
  const size_t n = (size_t)ends->blocks[end->root].rows, j = (size_t)end->row;
  for (size_t i = 0; i < (size_t)root.rows; i++) D[i + j * n] = D[j + i * n] = root.bias[i];
  for (const flg_joint_end *other = ends->list; other <= end; other++) {
    if (other->row < 0 || other->root != end->root) continue;
    const size_t i = (size_t)other->row;
    D[i + j * n] = D[j + i * n] = ends->answer[other->range.velocity];
  }
}

/* A unit impulse on the joint through the whole assembly: one solve with factors that are there. No
 * matrix of all joints is formed, as few joints are near an end at a time. */
static flg_status ends_find_column(flg_assembly *assembly, const flg_joint_end *end) {
  const flg_assembly_ends *ends = &assembly->model.touch->ends;
  const flg_aim nothing = {.soft = FLG_SOFT_NOTHING};
  ends_respond(end);
  memset(ends->answer, 0, (size_t)assembly->model.velocity_count * sizeof(double));
  add_response(end, 1, ends->answer);
  const flg_status status = flg_assembly_solve(assembly, ends->answer, nothing, ends->answer);
  if (status == FLG_OK) store_column(assembly, end);
  return status;
}

/* joints of the assembly hold it: what is left of its freedom is rounding */
static bool is_end_held(const flg_assembly *assembly, const flg_joint_end *end) {
  const flg_touch_block *block = &assembly->model.touch->ends.blocks[end->root];
  const double left = block->admittance[(size_t)end->row * (size_t)(block->rows + 1)];
  return !(left > HELD * end->response[end->range.velocity - end->first]);
}

/* --- the solve ----------------------------------------------------------------------------------
 */

static flg_status close_all(flg_assembly *assembly) {
  flg_assembly_ends *ends = &assembly->model.touch->ends;
  ends->stop_count = 0;
  for (int k = 0; k < ends->count; k++) {
    const flg_joint_end *end = &ends->list[k];
    if (end->row < 0 || is_end_held(assembly, end)) continue;
    ends->stop_count += list_stops(assembly, end, ends->stops + ends->stop_count);
  }
  const flg_status status =
      flg_assembly_touch_close(assembly, ends->blocks, ends->stops, ends->stop_count);
  for (int k = 0; k < ends->count && status == FLG_OK; k++) {
    flg_joint_end *end = &ends->list[k];
    if (end->row < 0) continue;
    end->impulse = ends->blocks[end->root].impulses[end->row];
    end->move = ends->blocks[end->root].moves[end->row];
  }
  return status;
}

static flg_status push_ports(flg_assembly *assembly, const double *none) {
  (void)none;
  const flg_assembly_ends *ends = &assembly->model.touch->ends;
  for (int k = 0; k < flg_plan_root_count(assembly->scratch.plan); k++) {
    const flg_plan_root root = flg_plan_root_view(assembly->scratch.plan, k);
    if (root.rows == 0) continue;
    memcpy(root.force, ends->blocks[k].impulses, (size_t)root.rows * sizeof(double));
  }
  return FLG_OK;
}

/* Without contacts first, for the velocities that say which ends are near; then all that is near at
 * once, contacts and ends, since a joint that stops changes what contacts have to hold. */
static flg_status solve_with_stops(flg_assembly *assembly, flg_aim aim, double *y) {
  flg_assembly_ends *ends = &assembly->model.touch->ends;
  flg_status status = flg_assembly_solve(assembly, ends->from, aim, y);
  if (status != FLG_OK) return status;
  are_ends_near(assembly, y);
  flg_assembly_touch_prepare(assembly);
  place_rows(assembly, y);
  for (int k = 0; k < ends->count; k++) {
    if (ends->list[k].row < 0) continue;
    status = ends_find_column(assembly, &ends->list[k]);
    if (status != FLG_OK) return status;
  }
  status = close_all(assembly);
  if (status != FLG_OK) return status;
  for (int k = 0; k < ends->count; k++) {
    const flg_joint_end *end = &ends->list[k];
    if (end->row >= 0) add_response(end, end->impulse, ends->from);
  }
  ends->are_met = true;
  return flg_assembly_solve_under(assembly, ends->from, aim, push_ports, NULL, y);
}

/* Mostly nothing is near: then this is a plain solve, with a look at its result. */
flg_status flg_assembly_solve_ending(flg_assembly *assembly, const double *from, flg_aim aim,
                                     double *y) {
  flg_assembly_ends *ends = &assembly->model.touch->ends;
  memcpy(ends->from, from, (size_t)assembly->model.velocity_count * sizeof *from);
  ends->are_met = false;
  if (!are_ends_near(assembly, NULL)) {
    const flg_status status =
        flg_assembly_solve_under(assembly, ends->from, aim, flg_assembly_close_contacts, NULL, y);
    if (status != FLG_OK || !are_ends_near(assembly, y)) return status;
  }
  return solve_with_stops(assembly, aim, y);
}

const double *flg_assembly_ends_moves(flg_assembly *assembly) {
  const flg_assembly_ends *ends = &assembly->model.touch->ends;
  if (!ends->are_met) return NULL;
  memset(ends->answer, 0, (size_t)assembly->model.velocity_count * sizeof(double));
  for (int k = 0; k < ends->count; k++) {
    const flg_joint_end *end = &ends->list[k];
    if (end->row >= 0) add_response(end, end->move, ends->answer);
  }
  return ends->answer;
}
