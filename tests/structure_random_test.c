/* Random mechanisms with loops, clusters, repeated joints and gears: accelerations of all bodies,
 * with clusters as one body and with each body by itself, in absolute and in joint coordinates, by
 * rows that the plan chooses and by rows that are frozen at the start, are those of a dense system
 * by the book; steps of rattle are the same in both coordinates.
 */
#include "assembly/assembly_inner.h"
#include "component/assembly_start.h"
#include "dense_run.h"
#include "math/larger.h"
#include "parts.h"
#include "parts/trees_inner.h"
#include "random.h"

enum { MECHANISMS = 1000, BODIES_MOST = 8, GROUPS = 3 };

static const flg_vec3 GRAVITY = {0.3, -0.2, -9.81};
/* Of two ways to compute the same, over the largest acceleration. */
static const double ROUNDING = 1e-10;

static flg_vec3 draw_vector(random_source *from, double size) {
  const double x = random_uniform(from, -size, size), y = random_uniform(from, -size, size);
  return vec(x, y, random_uniform(from, -size, size));
}

static int draw_body(parts *p, random_source *from) {
  const flg_sym3 inertia = {random_uniform(from, 0.5, 1),
                            random_uniform(from, 0.5, 1),
                            random_uniform(from, 0.5, 1),
                            0,
                            0,
                            0};
  return add_body(p, random_uniform(from, 1, 4), inertia, draw_vector(from, 1),
                  flg_quat_exp(draw_vector(from, 2)));
}

/* bearings on one axis; on two parallel axes they hold the body */
static int join_by_bearings(parts *p, random_source *from, int a, int b, bool is_held) {
  const flg_vec3 at = draw_vector(from, 1), axis = flg_vec3_normalise(draw_vector(from, 1));
  const flg_vec3 side = flg_vec3_normalise(flg_vec3_perpendicular(axis));
  const int first = add_joint(p, FLG_CONSTRAINT_REVOLUTE, a, b, at, axis);
  const flg_vec3 there = is_held ? flg_vec3_add(at, side) : flg_vec3_add(at, axis);
  add_joint(p, FLG_CONSTRAINT_CYLINDRICAL, b, a, there, axis);
  return first;
}

static void join_by_planes(parts *p, random_source *from, int a, int b) {
  const flg_mat3 axes = flg_quat_to_matrix(flg_quat_exp(draw_vector(from, 2)));
  const flg_vec3 at = draw_vector(from, 1);
  for (int k = 0; k < 3; k++) {
    add_joint(p, FLG_CONSTRAINT_PLANAR, a, b, at, flg_mat3_column(&axes, k));
  }
}

/* two wheels on one carrier with a gear between their angles */
static void add_gear_pair(parts *p, random_source *from, int carrier) {
  const flg_vec3 axis = draw_vector(from, 1);
  int angle[2];
  for (int k = 0; k < 2; k++) {
    const int wheel = draw_body(p, from);
    const int joint =
        add_joint(p, FLG_CONSTRAINT_REVOLUTE, carrier, wheel, draw_vector(from, 1), axis);
    angle[k] = p->component.joints[joint].coordinate[0];
  }
  add_gear(p, angle[0], 1, angle[1], random_uniform(from, 0.3, 3));
}

/* bars on a body, hinged on parallel axes: a triangle is rigid, four bars move; both have three
 * rows too many */
static void add_polygon(parts *p, random_source *from, int on, int corners) {
  const flg_mat3 axes = flg_quat_to_matrix(flg_quat_exp(draw_vector(from, 2)));
  const flg_vec3 centre = draw_vector(from, 1);
  const double start = random_uniform(from, 0, 6);
  int before = on;
  for (int k = 0; k < corners; k++) {
    const double angle = start + (k + random_uniform(from, -0.2, 0.2)) * 6.2832 / corners;
    const flg_vec3 at = vec(cos(angle), sin(angle), random_uniform(from, -0.3, 0.3));
    const int next = k < corners - 1 ? draw_body(p, from) : on;
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, before, next,
              flg_vec3_add(centre, flg_mat3_apply(&axes, at)), flg_mat3_column(&axes, 2));
    before = next;
  }
}

/* a joint with more to it than an angle, either way round */
static void join_freely(parts *p, random_source *from, int a, int b) {
  static const flg_constraint_kind kinds[] = {FLG_CONSTRAINT_PRISMATIC, FLG_CONSTRAINT_CYLINDRICAL,
                                              FLG_CONSTRAINT_SPHERICAL, FLG_CONSTRAINT_UNIVERSAL,
                                              FLG_CONSTRAINT_PLANAR};
  const flg_constraint_kind kind = kinds[random_integer(from, 0, 4)];
  const bool is_turned = random_integer(from, 0, 1) == 1;
  add_joint(p, kind, is_turned ? b : a, is_turned ? a : b, draw_vector(from, 1),
            draw_vector(from, 1));
}

static parts *draw_mechanism(random_source *from) {
  parts *p = parts_new(64);
  while (p->component.body_count < BODIES_MOST) {
    const int on = random_integer(from, -1, p->component.body_count - 1); /* -1: the world */
    const int choice = random_integer(from, 0, 7);
    if (choice == 0) {
      add_gear_pair(p, from, on);
    } else if (choice == 1) {
      add_polygon(p, from, on, 3);
    } else if (choice == 2) {
      add_polygon(p, from, on, 4);
    } else {
      const int next = draw_body(p, from);
      if (choice == 3) join_by_planes(p, from, on, next);
      if (choice == 4) join_by_bearings(p, from, on, next, false);
      if (choice == 5) join_by_bearings(p, from, on, next, true);
      if (choice == 6) {
        add_joint(p, FLG_CONSTRAINT_REVOLUTE, on, next, draw_vector(from, 1), draw_vector(from, 1));
      }
      if (choice == 7) join_freely(p, from, on, next);
    }
  }
  return p;
}

/* three components, the second within the first, with bodies of each anywhere */
static void draw_groups(parts *p, random_source *from) {
  static const int parents[GROUPS] = {FLG_TOP, 0, FLG_TOP};
  for (int k = 0; k < GROUPS; k++) {
    p->component.groups[k] = (flg_component_group){.name = "group", .parent = parents[k]};
  }
  p->component.group_count = GROUPS;
  for (int k = 0; k < p->component.body_count; k++) {
    p->component.bodies[k].group = random_integer(from, FLG_TOP, GROUPS - 1);
  }
}

/* --- accelerations ------------------------------------------------------------------------------
 */

/* all choices, by bits: clusters are one body; joint coordinates; rows that are frozen */
enum { REDUCES = 1, HAS_TREES = 2, FREEZES = 4, CHOICES = 8 };

static flg_assembly *build_with(parts *p, int choice, flg_scheme scheme) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme, options.gravity = GRAVITY;
  options.reduces = (choice & REDUCES) != 0, options.has_trees = (choice & HAS_TREES) != 0;
  return assemble(p, &options);
}

static flg_assembly *build(parts *p, int choice) {
  return build_with(p, choice, FLG_SCHEME_RK4);
}

/* velocities that joints allow, written back to the component */
static void draw_velocities(parts *p, random_source *from) {
  for (int k = 0; k < p->component.body_count; k++) {
    p->component.bodies[k].velocity = (flg_spatial){draw_vector(from, 1), draw_vector(from, 1)};
  }
  flg_assembly *assembly = build(p, 0);
  assert_int_equal(flg_assembly_close(assembly, NULL), FLG_OK);
  for (int k = 0; k < p->component.body_count; k++) {
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = flg_pose_identity()};
    p->component.bodies[k].velocity = flg_assembly_velocity(assembly, &anchor);
  }
  flg_assembly_release(assembly);
}

/* of the frame of a part_anchor's link, from the accelerations a of the assembly */
static flg_spatial link_acceleration(const flg_part_anchor *part_anchor, const double *a) {
  const flg_part_slice slice = part_anchor->of->ops->slice(part_anchor->of, part_anchor->part);
  const double *own = a + part_anchor->of->velocity + slice.velocity;
  if (!flg_parts_are_trees(part_anchor->of)) return flg_spatial_load(own);
  const flg_tree_part *tree = flg_tree_of(part_anchor->of, part_anchor->part);
  const flg_link_anchor anchor = {part_anchor->link, flg_pose_identity()};
  flg_dynamics_kinematics(tree->ports.dynamics, tree->q, tree->v);
  return flg_spatial_add(flg_dynamics_frame_motion(tree->ports.dynamics, &anchor, own),
                         flg_dynamics_frame_bias(tree->ports.dynamics, &anchor));
}

/* of the origins of all bodies; how many bodies became part of others or of trees, and whether
 * frozen rows served */
static int accelerate(parts *p, int choice, flg_spatial *of, int *frozen) {
  flg_assembly *assembly = build(p, choice);
  static double a[6 * DENSE_BODIES];
  if ((choice & FREEZES) != 0) assert_int_equal(flg_assembly_freeze(assembly), FLG_OK);
  flg_assembly_begin(assembly);
  assert_int_equal(flg_assembly_forces(assembly, 0, assembly->state.q, assembly->state.v), FLG_OK);
  assert_int_equal(flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE), FLG_OK);
  assert_int_equal(flg_assembly_accelerate(assembly, a), FLG_OK);
  for (int k = 0; k < p->component.body_count; k++) {
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = flg_pose_identity()};
    const flg_part_anchor part_anchor = flg_assembly_anchor(assembly, &anchor);
    of[k] = (flg_spatial){{0, 0, 0}, {0, 0, 0}};
    if (part_anchor.on == NULL) continue;
    const flg_spatial own = link_acceleration(&part_anchor, a);
    const flg_vec3 arm = flg_mat3_apply(&part_anchor.on->pose.rotation, part_anchor.pose.position);
    const flg_vec3 spin = part_anchor.on->velocity.angular;
    of[k] = flg_spatial_shift_motion(own, arm);
    of[k].linear = flg_vec3_add(of[k].linear, flg_vec3_cross(spin, flg_vec3_cross(spin, arm)));
  }
  const int reduced = assembly->model.structure.merged_count + assembly->model.trees.joint_count;
  *frozen += flg_plan_is_frozen(assembly->scratch.plan);
  flg_assembly_release(assembly);
  return reduced;
}

static void no_push(dense_run *run, double time, const double *y, double *extra_rates) {
  (void)run, (void)time, (void)y, (void)extra_rates;
}

static void accelerate_dense(dense_run *run, const parts *p, flg_spatial *of) {
  double rate[DENSE_STATE];
  run->push = no_push;
  for (int k = 0; k < p->component.body_count; k++) {
    flg_spatial_store(p->component.bodies[k].velocity, run->state + DENSE_BODY * k + 7);
  }
  dense_rate(run, 0, run->state, rate);
  for (int k = 0; k < p->component.body_count; k++) {
    of[k] = flg_spatial_load(rate + DENSE_BODY * k + 7);
  }
}

static double apart(const flg_spatial *a, const flg_spatial *b, int count) {
  double most = 0, largest = 0;
  for (int k = 0; k < count; k++) {
    const flg_spatial off = flg_spatial_subtract(a[k], b[k]);
    most = flg_larger(most, sqrt(flg_spatial_dot(off, off)));
    largest = flg_larger(largest, sqrt(flg_spatial_dot(b[k], b[k])));
  }
  return most / (1 + largest);
}

static void accelerations_are_those_of_the_dense_system(void **state) {
  (void)state;
  int reduced[CHOICES] = {0}, frozen[CHOICES] = {0};
  double worst[CHOICES] = {0};
  for (int k = 0; k < MECHANISMS; k++) {
    random_source from = {(uint64_t)k};
    parts *p = draw_mechanism(&from);
    flg_spatial dense[DENSE_BODIES], own[DENSE_BODIES];
    dense_run *run = dense_build(&p->component, GRAVITY); /* at rest */
    draw_velocities(p, &from);
    accelerate_dense(run, p, dense);
    free(run);
    for (int choice = 0; choice < CHOICES; choice++) {
      reduced[choice] += accelerate(p, choice, own, &frozen[choice]) > 0;
      const double off = apart(own, dense, p->component.body_count);
      if (!(off <= ROUNDING)) fail_msg("mechanism %d, choice %d: %.2g", k, choice, off);
      worst[choice] = flg_larger(worst[choice], off);
    }
    parts_drop(p);
  }
  for (int choice = 0; choice < CHOICES; choice++) {
    print_message(
        "%s bodies, %s coordinates, %s rows: %d of %d have less, frozen rows served %d; "
        "off by %.1e\n",
        choice & REDUCES ? "fewer" : "all", choice & HAS_TREES ? "joint" : "absolute",
        choice & FREEZES ? "frozen" : "chosen", reduced[choice], MECHANISMS, frozen[choice],
        worst[choice]);
  }
  assert_true(reduced[REDUCES] > MECHANISMS / 2);
  assert_true(reduced[HAS_TREES] > MECHANISMS / 2);
  assert_true(frozen[FREEZES] + frozen[FREEZES | REDUCES] > MECHANISMS);
}

/* the farthest that a body of one is from the same of the other [m or rad] */
static double poses_apart(const flg_assembly *one, const flg_assembly *other) {
  double most = 0;
  for (int k = 0; k < one->model.component->body_count; k++) {
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = flg_pose_identity()};
    const flg_pose a = flg_assembly_pose(one, &anchor), b = flg_assembly_pose(other, &anchor);
    most = flg_larger(most, flg_vec3_norm(flg_vec3_subtract(a.position, b.position)));
    for (int i = 0; i < 9; i++) most = flg_larger(most, fabs(a.rotation.m[i] - b.rotation.m[i]));
  }
  return most;
}

/* Steps go by the momenta of the bodies in both coordinates: they differ by rounding, and by how
 * well joints are closed. */
static void steps_of_rattle_are_the_same_in_both_coordinates(void **state) {
  (void)state;
  enum { STEPS = 20 };
  const double h = 1e-3;
  double worst = 0;
  for (int k = 0; k < MECHANISMS / 5; k++) {
    random_source from = {(uint64_t)k};
    parts *p = draw_mechanism(&from);
    draw_velocities(p, &from);
    for (int reduces = 0; reduces < 2; reduces++) {
      flg_assembly *one = build_with(p, reduces, FLG_SCHEME_RATTLE);
      flg_assembly *other = build_with(p, reduces | HAS_TREES, FLG_SCHEME_RATTLE);
      assert_int_equal(flg_assembly_close(one, NULL), FLG_OK);
      assert_int_equal(flg_assembly_close(other, NULL), FLG_OK);
      const flg_status first = flg_assembly_advance(one, 0, h, 0, STEPS);
      const flg_status second = flg_assembly_advance(other, 0, h, 0, STEPS);
      if (first != FLG_OK || second != FLG_OK) {
        fail_msg("mechanism %d, reduces %d: %d and %d", k, reduces, (int)first, (int)second);
      }
      flg_assembly_refresh(one, STEPS * h), flg_assembly_refresh(other, STEPS * h);
      const double off = poses_apart(one, other);
      if (!(off <= 1e-8)) fail_msg("mechanism %d, reduces %d: %.2g", k, reduces, off);
      worst = flg_larger(worst, off);
      flg_assembly_release(one), flg_assembly_release(other);
    }
    parts_drop(p);
  }
  print_message("after %d steps poses are at most %.1e apart\n", STEPS, worst);
}

/* energy and momentum of each component, though clusters and trees hold bodies of several */
static void components_have_their_energy_and_momentum(void **state) {
  (void)state;
  for (int k = 0; k < MECHANISMS / 10; k++) {
    random_source from = {(uint64_t)k};
    parts *p = draw_mechanism(&from);
    draw_groups(p, &from);
    draw_velocities(p, &from);
    flg_assembly *apart_ones = build(p, 0), *as_one = build(p, REDUCES | (k % 2 ? HAS_TREES : 0));
    flg_assembly_refresh(apart_ones, 0), flg_assembly_refresh(as_one, 0);
    for (int group = FLG_TOP; group < GROUPS; group++) {
      const double energy = flg_assembly_group_energy(apart_ones, group);
      assert_near(flg_assembly_group_energy(as_one, group), energy, 1e-12 * (100 + fabs(energy)));
      const flg_spatial first = flg_assembly_group_momentum(apart_ones, group);
      const flg_spatial second = flg_assembly_group_momentum(as_one, group);
      const flg_spatial off = flg_spatial_subtract(first, second);
      assert_near(flg_spatial_dot(off, off), 0, 1e-20);
    }
    flg_assembly_release(apart_ones), flg_assembly_release(as_one);
    parts_drop(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(components_have_their_energy_and_momentum),
      cmocka_unit_test(steps_of_rattle_are_the_same_in_both_coordinates),
      cmocka_unit_test(accelerations_are_those_of_the_dense_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
