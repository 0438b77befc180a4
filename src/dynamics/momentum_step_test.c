/* Momenta of the links of a tree in a step, against the poses at both of its ends: linear ones by
 * where centres of mass get to, angular ones by the matrices of Moser and Veselov. */
#include "dynamics/momentum_step.h"

#include "dynamics/coordinate.h"
#include "math/mat3.h"
#include "random_tree.h"

enum { LINKS_MOST = 64 };

static flg_mat3 full(flg_sym3 s) {
  return (flg_mat3){{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}};
}

/* h L, where hat(h L) = F J - J F^T with J = tr(I)/2 - I and F = R+ R^T, in world axes */
static flg_vec3 turned_momentum(const flg_mat3 *before, const flg_mat3 *after, flg_sym3 inertia) {
  const flg_mat3 back = flg_mat3_transpose(before), F = flg_mat3_multiply(after, &back);
  const double half = (inertia.xx + inertia.yy + inertia.zz) / 2;
  flg_mat3 J = full(inertia);
  for (int k = 0; k < 9; k++) J.m[k] = (k % 4 == 0 ? half : 0) - J.m[k];
  const flg_mat3 FJ = flg_mat3_multiply(&F, &J), image = flg_mat3_transpose(&FJ);
  const flg_vec3 x = flg_vec3_subtract(flg_mat3_column(&FJ, 0), flg_mat3_column(&image, 0));
  const flg_vec3 y = flg_vec3_subtract(flg_mat3_column(&FJ, 1), flg_mat3_column(&image, 1));
  return (flg_vec3){y.z, -x.z, x.y};
}

/* steps in which links turn by little, which have a series, and by more */
static void momenta_are_those_between_both_poses(void **state) {
  (void)state;
  random_source source = {31};
  int seen = 0;
  for (int trial = 0; trial < 300; trial++) {
    scene x = random_moving_scene(&source);
    const flg_robot *robot = &x.s->robot;
    flg_dynamics *dynamics = x.s->dynamics;
    const double h = trial % 3 == 0 ? 0.003 : trial % 3 == 1 ? 0.03 : 0.15;
    const int count = robot->link_count;
    flg_momentum_link links[LINKS_MOST];
    flg_momentum_path ways[LINKS_MOST];
    flg_spatial targets[LINKS_MOST] = {{{0}, {0}}}, lacks[LINKS_MOST];
    flg_pose before[LINKS_MOST];
    double end[SCENE_SIZE];
    assert_true(count <= LINKS_MOST);
    flg_momentum_step_build(robot, links);
    flg_dynamics_kinematics(dynamics, x.q, x.v);
    flg_momentum_step_weigh(dynamics, links);
    for (int i = 0; i < count; i++) before[i] = flg_dynamics_link_frame(dynamics, i)->pose;
    const bool is_fine = flg_momentum_step_miss(dynamics, links, x.v, h, ways, targets, lacks);
    flg_robot_integrate(robot, x.q, x.v, h, end);
    flg_dynamics_kinematics(dynamics, end, x.v);
    for (int i = 0; i < count && is_fine; i++, seen++) {
      const flg_pose after = flg_dynamics_link_frame(dynamics, i)->pose;
      const flg_vec3 shift = flg_vec3_subtract(flg_pose_apply(&after, links[i].centre),
                                               flg_pose_apply(&before[i], links[i].centre));
      const flg_vec3 turn = turned_momentum(&before[i].rotation, &after.rotation, links[i].turned);
      const flg_vec3 off[2] = {
          flg_vec3_add_scaled(links[i].momentum.linear, -links[i].mass / h, shift),
          flg_vec3_add_scaled(links[i].momentum.angular, -1 / h, turn)};
      const double size = 1 + links[i].mass + links[i].turned.xx + links[i].turned.yy;
      assert_near(flg_vec3_norm(off[0]) * h / size, 0, 5e-14);
      assert_near(flg_vec3_norm(off[1]) * h / size, 0, 1e-14);
      const flg_spatial lack = flg_momentum_step_at_origin(&links[i], links[i].momentum);
      assert_near(flg_vec3_norm(flg_vec3_add(lacks[i].angular, lack.angular)), 0, 0);
    }
    sample_release(x.s);
  }
  assert_true(seen > 300);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momenta_are_those_between_both_poses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
