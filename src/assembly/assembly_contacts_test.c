/* Assemblies that touch: bodies at rest, joints and limits beside contacts, the flight between. */
#include "assembly/assembly_contacts.h"
#include "allocations.h"
#include "heaps.h"
#include "joint_limits.h"
#include "parts/bodies.h"
#include "touching_runs.h"

/* --- at rest ------------------------------------------------------------------------------------
 */

static void a_box_on_four_vertices_stays(void **state) {
  (void)state;
  assert_true(run_box(REPEATS(40)) < 1e-9);
}

static void a_tower_of_ten_stands(void **state) {
  (void)state;
  assert_true(run_tower(REPEATS(20)) < 5e-6); /* the slop of the lowest boxes */
}

/* dropped, turned at random: all come to rest, none in another */
static void a_heap_comes_to_rest(void **state) {
  (void)state;
  assert_true(run_heap(REPEATS(24), 3, 3) < 4e-3);
}

/* --- the flight ---------------------------------------------------------------------------------
 */

static flg_rigid_motion *motions_of(const flg_assembly *assembly) {
  return flg_bodies_of(assembly->model.sets[0])->motions;
}

static flg_vec3 spin_momentum(const flg_assembly *assembly, int solid) {
  const flg_rigid_motion *motion = &motions_of(assembly)[solid];
  return flg_sym3_apply(motion->inertia, motion->at.velocity.angular);
}

/* about its intermediate axis it turns over again and again: explicit steps gain half its energy */
static void a_tumbling_box_keeps_energy_and_momentum(void **state) {
  (void)state;
  parts *p = box_over_floor(10, 0.5, 0);
  p->component.bodies[0].velocity.angular = vec(0.01, 8, 0.01);
  flg_assembly_options options = touching_options();
  options.gravity = vec(0, 0, 0);
  flg_assembly *assembly = assemble(p, &options);
  flg_assembly_refresh(assembly, 0);
  const double energy = flg_assembly_energy(assembly);
  const flg_vec3 momentum = spin_momentum(assembly, 0);
  double turned = 1;
  for (int k = 0; k < REPEATS(60); k++) {
    advance(assembly, 1. / 240, 240 * k, 240);
    assert_near(flg_assembly_energy(assembly), energy, 1e-11 * energy);
    const flg_vec3 change = flg_vec3_subtract(spin_momentum(assembly, 0), momentum);
    assert_true(flg_vec3_norm(change) < 1e-11 * flg_vec3_norm(momentum));
    const flg_mat3 *turn = &motions_of(assembly)[0].at.pose.rotation;
    turned = flg_smaller(turned, flg_mat3_column(turn, 1).y);
  }
  assert_true(turned < -0.9); /* it did turn over */
  drop(assembly, p);
}

/* against rattle with tiny steps, which has no contacts */
static void flight_is_of_second_order(void **state) {
  (void)state;
  flg_quat end[3];
  for (int k = 0; k < 3; k++) {
    parts *p = box_over_floor(10, 0.5, 0);
    p->component.bodies[0].velocity.angular = vec(3, 4, 1);
    flg_assembly_options options = touching_options();
    options.gravity = vec(0, 0, 0);
    if (k == 2) options.scheme = FLG_SCHEME_RATTLE, p->component.shape_count = 0;
    flg_assembly *assembly = assemble(p, &options);
    const int steps = k == 0 ? 100 : k == 1 ? 200 : 20000;
    advance(assembly, 1. / steps, 0, steps);
    end[k] = (flg_quat){assembly->state.q[3], assembly->state.q[4], assembly->state.q[5],
                        assembly->state.q[6]};
    drop(assembly, p);
  }
  double error[2];
  for (int k = 0; k < 2; k++) {
    error[k] = flg_vec3_norm(flg_quat_log(flg_quat_multiply(end[k], flg_quat_conjugate(end[2]))));
  }
  printf("off by %.2e, %.2e rad\n", error[0], error[1]);
  assert_true(error[0] < 1e-3 && error[0] / error[1] > 3.8 && error[0] / error[1] < 4.2);
}

/* linear and angular, about the origin; positions (7 a body) are those of a state */
static flg_spatial all_momentum(const flg_assembly *assembly, const double *positions) {
  flg_spatial sum = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < assembly->model.part_count; k++) {
    const flg_rigid_motion *motion = &motions_of(assembly)[k];
    const double mass = flg_bodies_of(assembly->model.sets[0])->rigid_bodies[k].mass;
    const flg_vec3 linear = flg_vec3_scale(motion->at.velocity.linear, mass);
    sum.linear = flg_vec3_add(sum.linear, linear);
    sum.angular =
        flg_vec3_add(sum.angular, flg_vec3_cross(flg_vec3_load(positions + 7 * k), linear));
    sum.angular = flg_vec3_add(sum.angular, spin_momentum(assembly, k));
  }
  return sum;
}

/* boxes and a ball fly into each other, in space */
static void collisions_keep_momentum_and_gain_no_energy(void **state) {
  (void)state;
  const double bounces[] = {0, 0.5, 1};
  for (int trial = 0; trial < 3; trial++) {
    parts *p = parts_new(6);
    unsigned seed = 5;
    shapes_new(p, 6, 0.4, bounces[trial]);
    for (int k = 0; k < 6; k++) {
      const flg_vec3 at = vec(0.5 * (k % 3), 0.5 * (k / 3), 0.05 * noise(&seed));
      const int body = k == 4
                           ? add_ball(p, 1, 0.15, at)
                           : add_box(p, 1 + 0.2 * k, vec(0.2, 0.25, 0.3), at, flg_quat_identity());
      p->component.bodies[body].velocity =
          (flg_spatial){vec(2 * (1 - k % 3), 1 - 2. * (k / 3), noise(&seed)),
                        vec(4 * noise(&seed), 4 * noise(&seed), 4 * noise(&seed))};
    }
    flg_assembly_options options = touching_options();
    options.gravity = vec(0, 0, 0);
    flg_assembly *assembly = assemble(p, &options);
    flg_assembly_refresh(assembly, 0);
    const flg_spatial start = all_momentum(assembly, assembly->state.q);
    double q[6 * 7];
    double energy = flg_assembly_energy(assembly);
    const double first = energy;
    for (int k = 0; k < 240; k++) {
      const flg_spatial before = all_momentum(assembly, assembly->state.q);
      memcpy(q, assembly->state.q, sizeof q);
      advance(assembly, 1. / 240, k, 1);
      /* impulses act at the start: what is moved out of an overlap then carries it elsewhere */
      const flg_spatial after = all_momentum(assembly, q);
      assert_true(flg_vec3_norm(flg_vec3_subtract(after.linear, start.linear)) < 1e-12);
      assert_true(flg_vec3_norm(flg_vec3_subtract(after.angular, before.angular)) < 1e-13);
      const double now = flg_assembly_energy(assembly);
      assert_true(now <= energy * (1 + 1e-13));
      energy = now;
    }
    printf("e = %g: energy %.6g to %.6g J\n", bounces[trial], first, energy);
    assert_true(energy < (bounces[trial] < 1 ? 0.5 : 1) * first);
    drop(assembly, p);
  }
}

/* A cube that overlaps the floor is lifted out of it; its energy is the same in any direction, so
 * that nothing but rounding says which way it should be turned. */
static void a_cube_is_lifted_without_being_turned(void **state) {
  (void)state;
  parts *p = parts_new(1);
  shapes_new(p, 2, 0.5, 0);
  add_floor(p);
  add_box(p, 1, vec(0.1, 0.1, 0.1), vec(0, 0, 0.07), flg_quat_exp(vec(0.3, 0.5, 0.1)));
  p->component.bodies[0].velocity.angular = vec(3, -5, 7);
  flg_assembly *assembly = touching(p);
  const double h = 1. / 240;
  for (int k = 0; k < 60; k++) {
    const flg_quat before = {assembly->state.q[3], assembly->state.q[4], assembly->state.q[5],
                             assembly->state.q[6]};
    advance(assembly, h, k, 1);
    const flg_quat after = {assembly->state.q[3], assembly->state.q[4], assembly->state.q[5],
                            assembly->state.q[6]};
    const flg_quat turn = flg_quat_multiply(after, flg_quat_conjugate(before));
    const flg_vec3 sine = {turn.x, turn.y, turn.z};
    const double spin = flg_vec3_norm(flg_vec3_load(assembly->state.v + 3));
    assert_true(2 * flg_vec3_norm(sine) < h * spin + 0.1); /* what it overlaps is a few mm */
  }
  drop(assembly, p);
}

/* --- joints beside contacts ---------------------------------------------------------------------
 */

/* a box, or two halves that are welded together with the same shape */
static parts *bar(bool halves, double restitution, flg_quat turn) {
  parts *p = parts_new(4);
  const flg_mat3 axes = flg_quat_to_matrix(turn);
  const flg_vec3 at = vec(0, 0, 0.3), along = flg_mat3_apply(&axes, vec(0.1, 0, 0));
  shapes_new(p, 4, 0.3, restitution);
  add_floor(p);
  if (!halves) {
    add_box(p, 2, vec(0.4, 0.2, 0.1), at, turn);
    return p;
  }
  const flg_sym3 half = {0.05 / 12, 0.05 / 12, 0.08 / 12, 0, 0, 0};
  add_body(p, 1, half, flg_vec3_subtract(at, along), turn);
  add_body(p, 1, half, flg_vec3_add(at, along), turn);
  add_shape(p, 0, FLG_SHAPE_BOX, 0.4, 0.2, 0.1)->pose.position = vec(0.1, 0, 0);
  return p;
}

/* the halves are welded by an event, at the start */
static flg_assembly *touching_bar(parts *p, bool halves) {
  static const flg_weld weld = {.name = "weld",
                                .end = {{-1, 0, {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0}}},
                                        {-1, 1, {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0}}}}};
  flg_assembly_options options = touching_options();
  if (halves) options.welds = &weld, options.weld_count = 1;
  flg_assembly *assembly = assemble(p, &options);
  if (halves) flg_weld_close(assembly, 0);
  return assembly;
}

/* Two welded halves land, slide and stop as one box does; and where it falls on a corner they are
 * hit by the same impulses, nine times, and tumble as it does. After these the box is lifted out of
 * the floor, by how far the corner comes on its arc: that of a half is about its own centre. */
static void welded_halves_are_one_box(void **state) {
  (void)state;
  for (int trial = 0; trial < 2; trial++) {
    flg_assembly *assembly[2];
    parts *p[2];
    const flg_quat turn = flg_quat_exp(trial == 0 ? vec(0, 0, 0) : vec(0.3, 0.5, 0));
    for (int k = 0; k < 2; k++) {
      p[k] = bar(k == 1, trial == 0 ? 0 : 0.4, turn);
      for (int i = 0; i <= k; i++) p[k]->component.bodies[i].velocity.linear = vec(1, 0.5, 0);
      assembly[k] = touching_bar(p[k], k == 1);
    }
    int hits = 0;
    for (int i = 0; i < (trial == 0 ? 240 : 92); i++) {
      for (int k = 0; k < 2; k++) advance(assembly[k], 1. / 240, i, 1);
      const double *one = assembly[0]->state.q, *halves = assembly[1]->state.q;
      const flg_vec3 force =
          flg_assembly_contact_force(assembly[0], flg_assembly_owner(assembly[0], -1, 0));
      const flg_vec3 other =
          flg_assembly_contact_force(assembly[1], flg_assembly_owner(assembly[1], -1, 0));
      const double difference = flg_vec3_norm(flg_vec3_subtract(force, other));
      hits += force.z > 10;
      assert_near(difference, 0, 1e-10 + 1e-12 * flg_vec3_norm(force)); /* N */
      for (int j = 0; j < 3; j++) assert_near(one[j], (halves[j] + halves[7 + j]) / 2, 3e-14);
      for (int j = 3; j < 7; j++) assert_near(one[j], halves[j], 1e-13);
    }
    assert_true(hits >= 9);
    drop(assembly[0], p[0]), drop(assembly[1], p[1]);
  }
}

/* A cart on the floor, friction MU, and a block that slides down an incline on it, over
 * a stop: along the slide it comes with SLIDES, and the stop does not throw it back. */
static const double INCLINE = 0.5, MU = 0.2, SLIDES = 2, CART = 3, BLOCK = 1;

static parts *block_on_a_cart(limits **lim, double way) {
  parts *p = parts_new(4);
  const flg_vec3 along = vec(cos(INCLINE), 0, -sin(INCLINE));
  *lim = limits_new(p);
  shapes_new(p, 2, MU, 0);
  add_floor(p);
  add_box(p, CART, vec(1, 0.5, 0.2), vec(0, 0, 0.1), flg_quat_identity());
  const int block = add_body(p, BLOCK, (flg_sym3){0.01, 0.01, 0.01, 0, 0, 0}, vec(-0.3, 0, 0.3),
                             flg_quat_identity());
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, 0, block, vec(-0.3, 0, 0.3), along);
  p->component.bodies[block].velocity.linear = flg_vec3_scale(along, SLIDES);
  add_stop(p, 0, -INFINITY, way);
  return p;
}

/* The floor takes the fall of the block, and MU of it along: V = m u (cos - MU sin) / (M + m) at
 * once, wherever in a step the stop is met. */
static void contacts_bear_a_landing_in_its_own_step(void **state) {
  (void)state;
  const double h = 1e-4;
  const double speed = BLOCK * SLIDES * (cos(INCLINE) - MU * sin(INCLINE)) / (CART + BLOCK);
  for (int trial = 0; trial < 10; trial++) {
    limits *lim;
    parts *p = block_on_a_cart(&lim, (5 + 0.1 * trial) * h * SLIDES);
    flg_assembly_options options = touching_options();
    if (trial % 2 == 1) options.scheme = FLG_SCHEME_RATTLE;
    flg_assembly *assembly = assemble(p, &options);
    for (int i = 0; i < 8; i++) {
      advance(assembly, h, i, 1);
      const flg_spatial cart = motions_of(assembly)[0].at.velocity;
      assert_near(cart.linear.z, 0, 1e-11);
      assert_near(flg_vec3_norm(cart.angular), 0, 1e-12);
      if (i < 4) assert_near(cart.linear.x, 0, 1e-14);
      if (i > 6) assert_near(cart.linear.x, speed, 4 * 9.81 * h);
    }
    drop(assembly, p), free(lim);
  }
}

/* a box with a rod that swings from a ball joint on top of it */
static parts *pendulum_on_a_box(void) {
  parts *p = parts_new(4);
  shapes_new(p, 4, 0.5, 0);
  add_floor(p);
  add_box(p, 2, vec(0.4, 0.4, 0.2), vec(0, 0, 0.1), flg_quat_identity());
  const int rod = add_rod(p, 0.5, vec(0, 0, 0.2), vec(0.3, 0, 0.5));
  add_joint(p, FLG_CONSTRAINT_SPHERICAL, 0, rod, vec(0, 0, 0.2), vec(0, 0, 1));
  p->component.bodies[rod].velocity.angular = vec(0.3, -1, 2);
  return p;
}

enum { SPEEDS = 12, JOINTS = 3 };

static void put_skew(flg_vec3 r, double sign, double *G, int column) {
  const flg_mat3 skew = flg_mat3_skew(r);
  for (int j = 0; j < 3; j++) {
    const flg_vec3 c = flg_vec3_scale(flg_mat3_column(&skew, j), sign);
    flg_vec3_store(c, G + JOINTS * (column + j));
  }
}

/* A x = b by Gauss with row pivots, n small */
static void solve_dense(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i + n * k]) > fabs(A[p + n * k])) p = i;
    }
    for (int j = 0; j < n; j++) {
      const double t = A[k + n * j];
      A[k + n * j] = A[p + n * j], A[p + n * j] = t;
    }
    const double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int i = k + 1; i < n; i++) {
      const double f = A[i + n * k] / A[k + n * k];
      for (int j = k; j < n; j++) A[i + n * j] -= f * A[k + n * j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k + n * j] * b[j];
    b[k] /= A[k + n * k];
  }
}

/* M and G of the box and the rod, by hand: ( M  G^T ) ( v+ )   ( M v + h f + J^T L )
 *                                          ( G   0  ) (-l  ) = ( 0                 ) */
static void predict(const flg_assembly *assembly, const flg_rigid_motion *motions, flg_vec3 joint,
                    double h, const double *push, double *v) {
  enum { N = SPEEDS + JOINTS };
  double A[N * N] = {0}, b[N] = {0}, G[JOINTS * SPEEDS] = {0};
  for (int k = 0; k < 2; k++) {
    const flg_rigid_motion *motion = &motions[k];
    const double mass = flg_bodies_of(assembly->model.sets[0])->rigid_bodies[k].mass,
                 sign = k == 0 ? -1 : 1;
    const flg_mat3 inertia = flg_sym3_full(motion->inertia);
    for (int i = 0; i < 3; i++) {
      A[(N + 1) * (6 * k + i)] = mass;
      flg_vec3_store(flg_mat3_column(&inertia, i), A + N * (6 * k + 3 + i) + 6 * k + 3);
      G[i + JOINTS * (6 * k + i)] = sign;
    }
    put_skew(flg_vec3_subtract(joint, motion->at.pose.position), -sign, G, 6 * k + 3);
    flg_vec3_store(flg_vec3_scale(motion->at.velocity.linear, mass), b + 6 * k);
    b[6 * k + 2] -= h * mass * 9.81;
    flg_vec3_store(flg_sym3_apply(motion->inertia, motion->at.velocity.angular), b + 6 * k + 3);
  }
  for (int i = 0; i < SPEEDS; i++) b[i] += push[i];
  for (int i = 0; i < JOINTS; i++) {
    for (int j = 0; j < SPEEDS; j++) {
      A[SPEEDS + i + N * j] = A[j + N * (SPEEDS + i)] = G[i + JOINTS * j];
    }
  }
  solve_dense(N, A, b);
  memcpy(v, b, SPEEDS * sizeof *v);
}

static double dot6(const flg_spatial *row, const double *v) {
  return flg_spatial_dot(*row, flg_spatial_load(v));
}

/* Impulses of each step fulfil the laws of contacts in a dense system that knows no plan. */
static void a_pendulum_on_a_box_obeys_a_dense_system(void **state) {
  (void)state;
  parts *p = pendulum_on_a_box();
  flg_assembly *assembly = touching(p);
  const double h = 1. / 240;
  int slides = 0, unsolved = 0;
  for (int k = 0; k < 480; k++) {
    flg_assembly_refresh(assembly, 0);
    const flg_vec3 joint = flg_pose_apply(&motions_of(assembly)[0].at.pose, vec(0, 0, 0.1));
    const flg_rigid_motion start[2] = {motions_of(assembly)[0], motions_of(assembly)[1]};
    assert_int_equal(flg_assembly_advance(assembly, 0, h, k, 1), FLG_OK);
    double push[SPEEDS] = {0}, v[SPEEDS];
    int count;
    const flg_contact *list = flg_contacts_list(assembly->model.touch->contacts, &count);
    flg_spatial b[3];
    double least = HUGE_VAL;
    for (int c = 0; c < count; c++) {
      least = flg_smaller(least, list[c].gap);
      const flg_contact_view view = flg_contacts_view(assembly->model.touch->contacts, c);
      flg_contact_rows(&list[c], 1, start[0].at.pose.position, 3, b);
      for (int i = 0; i < 3; i++) {
        double row[6];
        flg_spatial_store(b[i], row);
        for (int j = 0; j < 6; j++) push[j] += row[j] * view.force[i] * h;
      }
    }
    predict(assembly, start, joint, h, push, v);
    /* a step goes on with what a solver left over its tolerance, and says so */
    const double small = 1e-9 + report_of(assembly).residual;
    unsolved += report_of(assembly).unsolved;
    assert_true(report_of(assembly).residual < 1e-6);
    for (int c = 0; c < count; c++) {
      const flg_contact_view view = flg_contacts_view(assembly->model.touch->contacts, c);
      flg_contact_rows(&list[c], 1, start[0].at.pose.position, 3, b);
      /* less counts as closed: a hundredth of the slop of 3e-7 m, or a fifth beside one that is */
      const double room = list[c].gap > (least > 3e-9 ? 3e-9 : 6e-8) ? list[c].gap : 0;
      const double w = dot6(&b[0], v) + room / h, n = view.force[0] * h;
      const double slip = hypot(dot6(&b[1], v), dot6(&b[2], v));
      const double rub = hypot(view.force[1], view.force[2]) * h;
      assert_true(w > -small && n > -small && fabs(w * n) < small);
      assert_true(rub <= 0.5 * n + small);
      if (slip > 100 * small) assert_near(rub, 0.5 * n, small), slides++;
    }
  }
  printf("%d contacts slid, %d steps left something\n", slides, unsolved);
  assert_true(unsolved <= 4);
  assert_true(flg_assembly_closure(assembly).position < 1e-11);
  drop(assembly, p);
}

/* a box that is welded to the ground where it touches it, even overlaps: nothing can move */
static void what_cannot_move_is_left_alone(void **state) {
  (void)state;
  parts *p = box_over_floor(-0.01, 0.5, 0);
  add_joint(p, FLG_CONSTRAINT_WELD, FLG_WORLD, 0, vec(0, 0, 0), vec(0, 0, 1));
  flg_assembly *assembly = touching(p);
  advance(assembly, 1. / 240, 0, 100);
  assert_near(assembly->state.q[2], 0.14, 1e-14);
  drop(assembly, p);
}

/* --- limits beside contacts ---------------------------------------------------------------------
 */

/* A table of a top and two legs, hinged along y; frictions in the hinges hold it up, or not. */
static parts *table(limits **lim, double friction) {
  parts *p = parts_new(4);
  shapes_new(p, 6, 1, 0);
  *lim = limits_new(p);
  add_floor(p);
  const int top = add_box(p, 2, vec(0.8, 0.4, 0.04), vec(0, 0, 0.52), flg_quat_identity());
  for (int k = -1; k <= 1; k += 2) {
    const int leg =
        add_box(p, 0.5, vec(0.04, 0.4, 0.5), vec(0.3 * k, 0, 0.25), flg_quat_identity());
    const int joint =
        add_joint(p, FLG_CONSTRAINT_REVOLUTE, top, leg, vec(0.3 * k, 0, 0.5), vec(0, 1, 0));
    add_friction(p, coordinate_of(p, joint), friction);
    p->component.bodies[leg].velocity.angular = vec(0, 0, 0);
  }
  p->component.bodies[top].velocity.linear = vec(0.3, 0, 0);
  for (int k = 0; k < 3; k++) p->component.bodies[k].velocity.linear.x = 0.3;
  return p;
}

static void frictions_in_joints_and_contacts_work_together(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    limits *lim;
    parts *p = table(&lim, k == 0 ? 20 : 0.05);
    flg_assembly *assembly = touching(p);
    advance(assembly, 1. / 240, 0, 1);
    double energy = flg_assembly_energy(assembly);
    for (int i = 1; i < 480; i++) {
      advance(assembly, 1. / 240, i, 1);
      assert_true(flg_assembly_energy(assembly) < energy + 1e-3);
      energy = flg_assembly_energy(assembly);
    }
    long unsolved;
    flg_assembly_switches(assembly, &unsolved);
    printf("friction %g: top at %.3f m, %ld unsolved\n", k == 0 ? 20 : 0.05, assembly->state.q[2],
           unsolved);
    assert_true(k == 0 ? fabs(assembly->state.q[2] - 0.52) < 0.01 : assembly->state.q[2] < 0.3);
    assert_true(flg_assembly_closure(assembly).position < 1e-9);
    drop(assembly, p), free(lim);
  }
}

/* --- who touches whom ---------------------------------------------------------------------------
 */

static void joined_bodies_pass_through_each_other(void **state) {
  (void)state;
  parts *p = parts_new(6);
  shapes_new(p, 8, 0, 0);
  /* 0 is hinged to 1, which is welded to 2; 3 is free, in all of them */
  for (int k = 0; k < 4; k++) {
    add_box(p, 1, vec(0.2, 0.2, 0.2), vec(0.05 * k, 0, 0), flg_quat_identity());
  }
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 0, 1, vec(0, 0, 0), vec(0, 0, 1));
  add_joint(p, FLG_CONSTRAINT_WELD, 1, 2, vec(0, 0, 0), vec(0, 0, 1));
  flg_assembly *assembly = touching(p);
  advance(assembly, 1e-3, 0, 1);
  int count;
  const flg_contact *list = flg_contacts_list(assembly->model.touch->contacts, &count);
  assert_true(count > 0);
  for (int k = 0; k < count; k++) assert_true(list[k].body_a == 3 || list[k].body_b == 3);
  drop(assembly, p);
}

static void families_and_groups_keep_bodies_apart(void **state) {
  (void)state;
  parts *p = box_over_floor(0.1, 0.5, 0);
  p->component.shapes[1].family = 1; /* the floor is of family 0 */
  flg_assembly *assembly = touching(p);
  assert_null(assembly->model.touch);
  flg_assembly_release(assembly);
  p->component.shapes[1].family = 0;
  p->component.shapes[1].collides = 2; /* the floor is not in there */
  assembly = touching(p);
  assert_null(assembly->model.touch);
  drop(assembly, p);
}

static void other_integrators_are_refused(void **state) {
  (void)state;
  parts *p = box_over_floor(0, 0.5, 0);
  flg_assembly_options options = touching_options();
  options.scheme = FLG_SCHEME_RK4;
  flg_mistakes mistakes = {0};
  flg_assembly *assembly = NULL;
  assert_int_equal(flg_assembly_build(&assembly, &p->component, NULL, &options, &mistakes),
                   FLG_ERR_INPUT);
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(mistakes.list[0].line, 1);
  assert_string_equal(mistakes.list[0].message,
                      "the ground can touch 'body', and contacts need 'integrator: rattle' or "
                      "'semi-implicit'; write that, or let their shapes not collide");
  shapes_drop(p), parts_drop(p);
}

static void too_many_contacts_are_told(void **state) {
  (void)state;
  parts *p = box_over_floor(0, 0.5, 0);
  flg_contacts_options contacts = flg_contacts_default();
  flg_assembly_options options = touching_options();
  contacts.capacity = 3;
  options.contacts = &contacts;
  flg_assembly *assembly = assemble(p, &options);
  flg_error error = {0};
  assert_int_equal(flg_assembly_advance_or_say(assembly, 0, 1e-3, 0, 1, &error), FLG_ERR_CAPACITY);
  assert_string_equal(error.message,
                      "after t = 0 s: There are 4 contact points, and room for 3: raise the "
                      "capacity of contacts to 6 or more.");
  drop(assembly, p);
}

/* --- the same bits ------------------------------------------------------------------------------
 */

static parts *small_heap(void) {
  return heap_of(6, 2);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  double expected[7 * 6 + 6 * 6];
  for (int count = 1; count <= 8; count++) {
    parts *p = small_heap();
    flg_error error = {0};
    flg_threads *threads = NULL;
    assert_int_equal(flg_threads_build(&threads, count, &error), FLG_OK);
    flg_assembly_options options = touching_options();
    options.threads = threads;
    flg_assembly *assembly = assemble(p, &options);
    advance(assembly, 1. / 240, 0, REPEATS(120));
    if (count == 1) memcpy(expected, assembly->state.q, sizeof expected);
    assert_memory_equal(assembly->state.q, expected, sizeof expected);
    drop(assembly, p);
    flg_threads_release(threads);
  }
}

/* the state of a run, put into another one that has never stepped */
static void a_snapshot_goes_on_bitwise(void **state) {
  (void)state;
  parts *p = small_heap(), *other = small_heap();
  flg_assembly *assembly = touching(p), *twin = touching(other);
  int count;
  double *from = flg_assembly_state(assembly, &count), *to = flg_assembly_state(twin, &count);
  int hits = 0;
  long switches = 0;
  for (int k = 0; k < REPEATS(240); k += 10) {
    advance(assembly, 1. / 240, k, 10);
    hits += report_of(assembly).switches > switches;
    switches = report_of(assembly).switches;
    memcpy(to, from, (size_t)count * sizeof *to);
    flg_assembly_refresh(twin, 0);
    const flg_contacts_report here = report_of(assembly), there = report_of(twin);
    assert_int_equal(here.found, there.found);
    assert_int_equal(here.closed, there.closed);
    if (k % 20 == 0) continue;
    advance(twin, 1. / 240, k + 10, 3);
    double *ahead = malloc((size_t)count * sizeof *ahead);
    memcpy(ahead, to, (size_t)count * sizeof *to);
    memcpy(to, from, (size_t)count * sizeof *to);
    advance(assembly, 1. / 240, k + 10, 3);
    assert_memory_equal(ahead, from, (size_t)count * sizeof *to);
    memcpy(from, to, (size_t)count * sizeof *to);
    free(ahead);
  }
  assert_true(hits > 0);
  drop(assembly, p), drop(twin, other);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  parts *p = small_heap();
  flg_assembly *assembly = touching(p);
  allocations_begin();
  const flg_status status = flg_assembly_advance(assembly, 0, 1. / 240, 0, 60);
  flg_assembly_refresh(assembly, 0);
  assert_int_equal(allocations_end(), 0);
  assert_int_equal(status, FLG_OK);
  drop(assembly, p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_on_four_vertices_stays),
      cmocka_unit_test(a_tower_of_ten_stands),
      cmocka_unit_test(a_heap_comes_to_rest),
      cmocka_unit_test(a_tumbling_box_keeps_energy_and_momentum),
      cmocka_unit_test(flight_is_of_second_order),
      cmocka_unit_test(collisions_keep_momentum_and_gain_no_energy),
      cmocka_unit_test(a_cube_is_lifted_without_being_turned),
      cmocka_unit_test(welded_halves_are_one_box),
      cmocka_unit_test(contacts_bear_a_landing_in_its_own_step),
      cmocka_unit_test(a_pendulum_on_a_box_obeys_a_dense_system),
      cmocka_unit_test(what_cannot_move_is_left_alone),
      cmocka_unit_test(frictions_in_joints_and_contacts_work_together),
      cmocka_unit_test(joined_bodies_pass_through_each_other),
      cmocka_unit_test(families_and_groups_keep_bodies_apart),
      cmocka_unit_test(other_integrators_are_refused),
      cmocka_unit_test(too_many_contacts_are_told),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(a_snapshot_goes_on_bitwise),
      cmocka_unit_test(steps_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
