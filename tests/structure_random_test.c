/* Random mechanisms with loops, clusters, repeated joints and gears: accelerations of all bodies,
 * with clusters as one body and with each body by itself, by rows that the plan chooses and by rows
 * that are frozen at the start, are those of a dense system by the book.
 */
#include "assembly/assembly_inner.h"
#include "dense_run.h"
#include "math/larger.h"
#include "parts.h"
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

static parts *draw_mechanism(random_source *from) {
  parts *p = parts_new(64);
  while (p->component.body_count < BODIES_MOST) {
    const int on = random_integer(from, -1, p->component.body_count - 1); /* -1: the world */
    const int choice = random_integer(from, 0, 6);
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

static flg_assembly *build(parts *p, bool reduces) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = FLG_SCHEME_RK4, options.gravity = GRAVITY, options.reduces = reduces;
  return assemble(p, &options);
}

/* velocities that joints allow, written back to the component */
static void draw_velocities(parts *p, random_source *from) {
  for (int k = 0; k < p->component.body_count; k++) {
    p->component.bodies[k].velocity = (flg_spatial){draw_vector(from, 1), draw_vector(from, 1)};
  }
  flg_assembly *assembly = build(p, false);
  assert_int_equal(flg_assembly_close(assembly, NULL), FLG_OK);
  for (int k = 0; k < p->component.body_count; k++) {
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = flg_pose_identity()};
    p->component.bodies[k].velocity = flg_assembly_velocity(assembly, &anchor);
  }
  flg_assembly_release(assembly);
}

typedef struct way {
  bool reduces, freezes;
} way;

enum { WAYS = 4 };
static const way ways[WAYS] = {{false, false}, {true, false}, {false, true}, {true, true}};

/* of the origins of all bodies; how many bodies became part of others, and whether frozen rows
 * served */
static int accelerate(parts *p, way by, flg_spatial *of, int *frozen) {
  flg_assembly *assembly = build(p, by.reduces);
  static double a[6 * DENSE_BODIES];
  if (by.freezes) assert_int_equal(flg_assembly_freeze(assembly), FLG_OK);
  flg_assembly_begin(assembly);
  assert_int_equal(flg_assembly_forces(assembly, 0, assembly->state.q, assembly->state.v), FLG_OK);
  assert_int_equal(flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE), FLG_OK);
  assert_int_equal(flg_assembly_accelerate(assembly, a), FLG_OK);
  for (int k = 0; k < p->component.body_count; k++) {
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = flg_pose_identity()};
    const flg_seat seat = flg_assembly_seat(assembly, &anchor);
    of[k] = (flg_spatial){{0, 0, 0}, {0, 0, 0}};
    if (seat.on == NULL) continue;
    const flg_part_slice slice = seat.of->ops->slice(seat.of, seat.part);
    const flg_spatial own = flg_spatial_load(a + seat.of->velocity + slice.velocity);
    const flg_vec3 arm = flg_mat3_apply(&seat.on->pose.rotation, seat.pose.position);
    const flg_vec3 spin = seat.on->velocity.angular;
    of[k] = flg_spatial_shift_motion(own, arm);
    of[k].linear = flg_vec3_add(of[k].linear, flg_vec3_cross(spin, flg_vec3_cross(spin, arm)));
  }
  const int merged = assembly->model.structure.merged_count;
  *frozen += flg_plan_is_frozen(assembly->scratch.plan);
  flg_assembly_release(assembly);
  return merged;
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
  int merged = 0, reduced = 0, frozen = 0;
  double worst[WAYS] = {0};
  for (int k = 0; k < MECHANISMS; k++) {
    random_source from = {(uint64_t)k};
    parts *p = draw_mechanism(&from);
    flg_spatial dense[DENSE_BODIES], own[DENSE_BODIES];
    dense_run *run = dense_build(&p->component, GRAVITY); /* at rest */
    draw_velocities(p, &from);
    accelerate_dense(run, p, dense);
    free(run);
    for (int w = 0; w < WAYS; w++) {
      const int count = accelerate(p, ways[w], own, &frozen);
      const double off = apart(own, dense, p->component.body_count);
      if (!(off <= ROUNDING)) fail_msg("mechanism %d, way %d: %.2g", k, w, off);
      worst[w] = flg_larger(worst[w], off);
      merged += w == 1 ? count : 0, reduced += w == 1 && count > 0;
    }
    parts_drop(p);
  }
  print_message("%d bodies merged in %d of %d mechanisms; off by %.1e apart, %.1e as one\n", merged,
                reduced, MECHANISMS, worst[0], worst[1]);
  print_message("frozen rows served %d of %d times; off by %.1e apart, %.1e as one\n", frozen,
                2 * MECHANISMS, worst[2], worst[3]);
  assert_true(reduced > MECHANISMS / 2);
  assert_true(frozen > MECHANISMS);
}

/* energy and momentum of each component, though clusters hold bodies of several */
static void components_have_their_energy_and_momentum(void **state) {
  (void)state;
  for (int k = 0; k < MECHANISMS / 10; k++) {
    random_source from = {(uint64_t)k};
    parts *p = draw_mechanism(&from);
    draw_groups(p, &from);
    draw_velocities(p, &from);
    flg_assembly *apart_ones = build(p, false), *as_one = build(p, true);
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
      cmocka_unit_test(accelerations_are_those_of_the_dense_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
