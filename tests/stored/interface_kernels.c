/* Eliminations of random systems: trees, chains, loops, joints of several ends, rows that repeat
 * each other, soft rows; in both orders and forms, with rows that are chosen and that are frozen.
 */
#include "interface/sparse_pairs.h"
#include "interface/test_systems.h"
#include "stored/kernels.h"

enum { SYSTEMS = 8, BLOCKS = 24 };

static void add_plan(flg_plan *plan, digest *to) {
  const flg_plan_totals totals = flg_plan_totals_view(plan);
  add_count(to, totals.rank), add_count(to, totals.rechosen);
  add_number(to, OTHERS, flg_plan_least(plan));
  for (int r = 0; r < flg_plan_root_count(plan); r++) {
    const flg_plan_root root = flg_plan_root_view(plan, r);
    add_numbers(to, OTHERS, root.rows * root.rows, root.admittance);
    add_numbers(to, OTHERS, root.rows, root.bias);
  }
}

static void add_solution(flg_plan *plan, const test_system *s, digest *to) {
  for (int r = 0; r < flg_plan_root_count(plan); r++) {
    const flg_plan_root root = flg_plan_root_view(plan, r);
    for (int i = 0; i < root.rows; i++) root.force[i] = 0.1 * (i + 1);
  }
  add_count(to, flg_plan_solve(plan, NULL));
  for (int i = 0; i < s->body_count; i++) {
    const flg_plan_part part = flg_plan_part_view(plan, i);
    add_numbers(to, OTHERS, part.rows, part.motion), add_numbers(to, FORCES, part.rows, part.force);
  }
  for (int j = 0; j < s->joint_count; j++) {
    const flg_plan_joint joint = flg_plan_joint_view(plan, j);
    add_numbers(to, FORCES, joint.rows, joint.reactions);
  }
}

static void add_system(test_system *s, flg_plan_order order, flg_elimination_form form,
                       digest *to) {
  flg_plan *plan = plan_of(s, order, form, form == FLG_FORM_ROOT ? 1e-8 : FLG_PIVOT_TOLERANCE);
  add_count(to, flg_plan_depth(plan)), add_number(to, OTHERS, flg_plan_flops(plan));
  fill_plan(plan, s, form);
  for (int pivots = FLG_PIVOTS_CHOOSE; pivots <= FLG_PIVOTS_FROZEN; pivots++) {
    add_count(to, flg_plan_factor(plan, (flg_pivots)pivots, NULL));
    add_plan(plan, to), add_solution(plan, s, to);
    for (int i = 0; i < s->body_count; i++) flg_plan_part_view(plan, i).bias[i % 6] += 0.5;
    add_count(to, flg_plan_refresh(plan, NULL));
    add_solution(plan, s, to);
  }
  flg_plan_release(plan);
}

static test_system *draw_system(random_source *source, int k) {
  const int bodies = random_integer(source, 2, 14);
  const double ratio = pow(10, random_uniform(source, 0, 4));
  if (k % 4 == 0 && bodies > 4) return random_wide_system(source, bodies, ratio);
  test_system *s =
      random_tree_system(source, bodies, ratio, k % 2, random_integer(source, 0, 1), k % 3);
  if (k % 4 == 1 && bodies > 3) add_random_gears(source, s, 2);
  if (k % 4 == 2) add_random_joint(source, s, bodies - 1, 0, 2);
  if (k % 4 == 3) add_random_groups(source, s, 3);
  for (int j = 0; j < s->joint_count; j++)
    if (random_integer(source, 0, 3) == 0) soften(source, s, j, 2);
  return s;
}

static void run_plans(random_source *source, digest *to) {
  for (int k = 0; k < SYSTEMS; k++) {
    test_system *s = draw_system(source, k);
    for (int i = 0; i < random_integer(source, 0, 3) && i < s->body_count; i++)
      s->outers[s->outer_count++] = (flg_graph_port){i, 0};
    for (int form = 0; form < 2; form++)
      add_system(s, (flg_plan_order)random_integer(source, 0, 1), (flg_elimination_form)form, to);
    system_drop(s);
  }
}

/* couplings of a tree of blocks with some loops; any numbers, and more on the diagonal */
static void run_sparse(random_source *source, digest *to) {
  for (int k = 0; k < 40; k++) {
    flg_sparse_pairs matrix;
    flg_region region = {0};
    int pairs[4 * BLOCKS], pair_count = 0;
    double x[2 * BLOCKS];
    const int count = random_integer(source, 1, BLOCKS);
    for (int b = 1; b < count; b++, pair_count++)
      pairs[2 * pair_count] = b, pairs[2 * pair_count + 1] = random_integer(source, 0, b - 1);
    for (int b = 2; b < count; b += 3, pair_count++)
      pairs[2 * pair_count] = b, pairs[2 * pair_count + 1] = random_integer(source, 0, b - 1);
    assert_true(flg_sparse_pairs_build(&matrix, count, pair_count, pairs, &region));
    fill_random(source, matrix.entry, 4 * matrix.pattern.entry_count);
    for (int b = 0; b < count; b++) {
      const double much = k % 5 == 0 ? 1 : 12;
      matrix.diagonal[3 * b] = much + random_uniform(source, 0, 1);
      matrix.diagonal[3 * b + 1] = random_uniform(source, -1, 1);
      matrix.diagonal[3 * b + 2] = much + random_uniform(source, 0, 1);
    }
    fill_random(source, x, 2 * count);
    add_number(to, OTHERS, flg_sparse_pairs_flops(&matrix));
    const bool is_good = flg_sparse_pairs_factor(&matrix, 1e-8);
    add_count(to, is_good);
    if (is_good) flg_sparse_pairs_solve(&matrix, x);
    add_numbers(to, OTHERS, 2 * count, x);
    flg_region_release(&region);
  }
}

const kernel interface_kernels[] = {
    {"plans", run_plans, 12}, {"sparse", run_sparse, 2}, {NULL, NULL, 0}};
