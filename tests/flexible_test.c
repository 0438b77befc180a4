/* Flexible links in robots: frequencies, steps, energy, spin-up, and the rigid limit. */
#include "check.h"
#include "flexible_arm.h"
#include "math/eigenpairs.h"
#include "math/svd.h"
#include "plain_mass.h"
#include "robot/robot_forces.h"
#include "robot/robot_subsystem.h"

static const double PI = 3.14159265358979323846;
static const flg_vec3 NO_GRAVITY = {0, 0, 0};

enum { COORDINATES = 32 };

typedef struct runner {
  flg_robot_subsystem robot;
} runner;

static runner *runner_new(const sample *s, flg_integrator_kind kind, flg_vec3 gravity,
                          const flg_push *pushes, int push_count) {
  runner *made = calloc(1, sizeof *made);
  assert_non_null(made);
  flg_mistakes mistakes = {0};
  flg_error error = {0};
  flg_robot_options options = {
      .name = "r", .integrator = flg_integrator_default(), .gravity = gravity};
  options.integrator.kind = kind;
  flg_robot_subsystem_build(&made->robot, &s->model, &options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(flg_robot_subsystem_equip(&made->robot, NULL, 0, pushes, push_count, &error),
                   FLG_OK);
  return made;
}

static void runner_drop(runner *of) {
  flg_robot_subsystem_release(&of->robot);
  free(of);
}

static void go(runner *of, double time, double h, int steps) {
  flg_error error = {0};
  assert_int_equal(flg_robot_subsystem_advance(&of->robot, time, h, 0, steps, &error), FLG_OK);
}

static double energy_of(runner *of) {
  flg_robot_subsystem_refresh(&of->robot, 0);
  return flg_robot_subsystem_energy(&of->robot);
}

/* --- a cantilever -------------------------------------------------------------------------------
 */

typedef struct cantilever {
  sample *s;
  flg_region region;
  flg_beam_piece piece;
  flg_beam beam;
  flg_modal_body boom;
} cantilever;

static cantilever *cantilever_new(int modes, double stiffer, double damping) {
  cantilever *made = calloc(1, sizeof *made);
  made->s = sample_build(1);
  made->piece = (flg_beam_piece){.length = 6.85,
                                 .section = flg_beam_circle(0.3),
                                 .young = 69e9 * stiffer,
                                 .shear = 26e9,
                                 .density = 2700};
  made->beam = (flg_beam){.end = {6.85, 0, 0},
                          .side = {0, 1, 0},
                          .pieces = &made->piece,
                          .piece_count = 1,
                          .ends = FLG_BEAM_CLAMPED_FREE,
                          .counts = {modes, 0, 0, 0}};
  assert_int_equal(flg_beam_build(&made->beam, &made->boom, &made->region), FLG_OK);
  assert_int_equal(flg_modal_damp(&made->boom, damping, &made->region), FLG_OK);
  const int body = sample_add(made->s, FLG_WORLD, FLG_JOINT_FIXED, sample_shift(0, 0, 0));
  sample_cylinder(&made->s->model.bodies[body], (flg_vec3){6.85, 0, 0});
  made->s->model.bodies[body].flexible = &made->boom;
  sample_finish(made->s);
  return made;
}

static void cantilever_drop(cantilever *of) {
  sample_release(of->s);
  flg_region_release(&of->region);
  free(of);
}

/* The decay of the first mode over a time, as a share of critical damping, by the radius of its
 * motion in e and (u + share w e)/w. */
static double decay_of(flg_integrator_kind kind, double share, double h, double time) {
  cantilever *of = cantilever_new(2, 1, share);
  runner *run = runner_new(of->s, kind, NO_GRAVITY, NULL, 0);
  run->robot.q[0] = 0.01;
  const int steps = (int)(time / h), around = 200;
  const double wave = 28.4095;
  double sums[2] = {0, 0};
  for (int k = 0; k < steps; k++) {
    go(run, k * h, h, 1);
    const double e = run->robot.q[0], u = run->robot.v[0] / wave + share * e;
    if (k < around) sums[0] += log(e * e + u * u) / 2;
    if (k >= steps - around) sums[1] += log(e * e + u * u) / 2;
  }
  runner_drop(run);
  cantilever_drop(of);
  return (sums[0] - sums[1]) / around / (wave * h * (steps - around));
}

static void the_first_mode_keeps_its_amplitude(void **state) {
  (void)state;
  static const flg_integrator_kind kinds[] = {FLG_INTEGRATOR_LEAPFROG,
                                              FLG_INTEGRATOR_SEMI_IMPLICIT};
  for (int k = 0; k < 2; k++) {
    const double own = decay_of(kinds[k], 0, 1. / 600, 20);
    print_message("%s: numerical damping %.2g %% of critical\n", flg_integrator_names[kinds[k]],
                  100 * own);
    assert_near(own, 0, 5e-7);
  }
  assert_near(decay_of(FLG_INTEGRATOR_LEAPFROG, 0.02, 1. / 600, 5), 0.02, 2e-5);
  assert_near(decay_of(FLG_INTEGRATOR_SEMI_IMPLICIT, 0.02, 1. / 600, 5), 0.02, 2e-4);
}

/* Six modes up to half a megahertz, pushed at the tip and let go: at 60 steps a second. */
static void stiff_modes_do_not_bound_the_step(void **state) {
  (void)state;
  static const flg_integrator_kind kinds[] = {FLG_INTEGRATOR_LEAPFROG,
                                              FLG_INTEGRATOR_SEMI_IMPLICIT};
  for (int k = 0; k < 4; k++) {
    cantilever *of = cantilever_new(6, 1e4, k / 2 ? 0.02 : 0);
    flg_push push = {.name = "push", .enabled = true, .force = {{0, 1e5, 0}, {0, 0, 0}}};
    const flg_pose end = sample_shift(6.85, 0, 0);
    push.frame = flg_robot_anchor(&of->s->robot, 0, &end, NULL);
    runner *run = runner_new(of->s, kinds[k % 2], NO_GRAVITY, &push, 1);
    const double bent = 1e5 * pow(6.85, 3) / (3 * of->piece.young * of->piece.section.along_y);
    double worst = 0;
    for (int i = 0; i < 6000; i++) {
      if (i == 600) flg_robot_subsystem_enable_push(&run->robot, 0, false);
      go(run, 0, 1. / 60, 1);
      for (int m = 0; m < 6; m++) worst = flg_larger(worst, fabs(run->robot.q[m]));
    }
    print_message("%s: coordinates up to %.3g of the deflection\n",
                  flg_integrator_names[kinds[k % 2]], worst / bent);
    /* semi-implicit steps see them half a step late: up to h w/2 of the deflection, 24 here */
    assert_true(worst < (k % 2 ? 30 : 5) * bent);
    runner_drop(run);
    cantilever_drop(of);
  }
}

static void a_tip_force_holds_the_tip_at_the_closed_form(void **state) {
  (void)state;
  for (int modes = 1; modes <= 4; modes++) {
    cantilever *of = cantilever_new(modes, 1, 0.5);
    flg_push push = {.name = "weight", .enabled = true, .force = {{0, -1000, 0}, {0, 0, 0}}};
    double gap = 1;
    const flg_pose end = sample_shift(6.85, 0, 0);
    push.frame = flg_robot_anchor(&of->s->robot, 0, &end, &gap);
    assert_near(gap, 0, 1e-12);
    runner *run = runner_new(of->s, FLG_INTEGRATOR_LEAPFROG, NO_GRAVITY, &push, 1);
    go(run, 0, 1. / 600, 3000);
    flg_robot_subsystem_refresh(&run->robot, 0);
    const double found = flg_dynamics_frame_pose(run->robot.dynamics, &push.frame).position.y;
    const double expected =
        -1000 * pow(6.85, 3) / (3 * of->piece.young * of->piece.section.along_y);
    print_message("%d modes: %.5f mm of %.5f mm\n", modes, 1e3 * found, 1e3 * expected);
    assert_near(found, expected, (modes == 1 ? 0.03 : 0.01) * fabs(expected));
    runner_drop(run);
    cantilever_drop(of);
  }
}

/* --- the arm ------------------------------------------------------------------------------------
 */

static const double POSES[3][ARM_LINKS] = {
    {20, 60, 80, -110, -60, 0, 10}, {20, 60, 66, -90, -66, 0, 10}, {20, 60, 50, -66, -40, -45, 40}};

/* ascending; the first seven are the free joints */
static void installed_frequencies(flexible_arm *arm, const double *degrees, double found[15]) {
  const flg_robot *robot = &arm->s->robot;
  double q[COORDINATES], v[COORDINATES] = {0}, M[15 * 15], K[15 * 15] = {0};
  assert_int_equal(robot->velocity_count, 15);
  flexible_arm_pose(robot, degrees, q);
  flg_dynamics_kinematics(arm->s->dynamics, q, v);
  plain_mass(arm->s->dynamics, M);
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    for (int j = 0; j < 16; j++) {
      K[flex->velocity + j % 4 + 15 * (flex->velocity + j / 4)] = flex->body.stiffness[j];
    }
  }
  assert_int_equal(flg_eigenpairs(15, K, M, found), FLG_OK);
  for (int k = 0; k < 15; k++) found[k] = sqrt(fmax(0, found[k]));
}

static void installed_frequencies_are_those_of_the_arm(void **state) {
  (void)state;
  flexible_arm *arm = flexible_arm_build(2, 1, 0, true);
  for (int p = 0; p < 3; p++) {
    double found[15];
    installed_frequencies(arm, POSES[p], found);
    print_message("pose %c:", 'E' + p);
    for (int k = 7; k < 15; k++) print_message(" %.1f", found[k]);
    print_message(" rad/s\n");
    assert_true(found[6] < 0.1 && found[7] > 60 && found[14] < 700);
  }
  flexible_arm_release(arm);
}

/* Of the effective mass at the centre of mass of link 7, in SI units, with joints 1 and 2 locked or
 * free (flexible-rim, Table II). */
static double condition_at_the_wrist(flexible_arm *arm, const double *degrees, bool locked) {
  const flg_robot *robot = &arm->s->robot;
  flg_dynamics *dynamics = arm->s->dynamics;
  double q[COORDINATES], v[COORDINATES] = {0}, added[COORDINATES] = {0};
  double D[36], shares[6 * COORDINATES], singular[6], work[64];
  const flg_pose centre = sample_shift(0, 0, .19);
  const flg_link_anchor port = flg_robot_anchor(robot, 6, &centre, NULL);
  flg_port_way way;
  flexible_arm_pose(robot, degrees, q);
  for (int k = 0; k < 2 && locked; k++) {
    added[robot->links[robot->joint_links[k]].velocity] = INFINITY;
  }
  flg_dynamics_kinematics(dynamics, q, v);
  flg_dynamics_factor(dynamics, added);
  flg_dynamics_admittance(dynamics, &port, 1, &way, D, shares);
  assert_true(flg_svd_workspace(6, 6) <= 64);
  assert_int_equal(flg_svd_factor(6, 6, D, 6, singular, NULL, 6, NULL, 6, work), FLG_OK);
  return flg_svd_condition(6, singular);
}

static void effective_masses_have_the_published_conditions(void **state) {
  (void)state;
  static const double poses[3][ARM_LINKS] = {{0, -45.71, 134.43, 88.36, 2.96, 88.79, 0},
                                             {0, -28.34, -29.43, 28.59, -117.82, 60.24, 0},
                                             {0, 90.34, 4.46, 0, 91.35, 18.31, 0}};
  static const double published[3][2] = {{2.59e3, 2.65e3}, {2.88e3, 3.30e3}, {3.88e3, 2.18e4}};
  flexible_arm *arm = flexible_arm_build(2, 1, 0, true);
  for (int k = 0; k < 6; k++) {
    const double found = condition_at_the_wrist(arm, poses[k / 2], k % 2 == 1);
    print_message("pose %c%s: %.4g, published %.3g\n", 'A' + k / 2, k % 2 ? ", locked" : "", found,
                  published[k / 2][k % 2]);
    /* poses are known to a hundredth of a degree, figures to three digits */
    assert_near(found, published[k / 2][k % 2], 0.0002 * published[k / 2][k % 2]);
  }
  flexible_arm_release(arm);
}

/* joints turn, booms swing */
static void set_off(runner *run, double speed) {
  static const double speeds[ARM_LINKS] = {0.2, -0.15, 0.25, -0.3, 0.2, 0.4, -0.5};
  const flg_robot *robot = &run->robot.robot;
  flexible_arm_pose(robot, POSES[0], run->robot.q);
  for (int k = 0; k < ARM_LINKS; k++) {
    run->robot.v[robot->links[robot->joint_links[k]].velocity] = speed * speeds[k];
  }
}

static void the_undamped_arm_keeps_its_energy(void **state) {
  (void)state;
  static const struct {
    flg_integrator_kind kind;
    double h, most;
  } cases[] = {{FLG_INTEGRATOR_RK4, 1e-4, 1e-12}, /* leapfrog balances it to rounding */
               {FLG_INTEGRATOR_LEAPFROG, 1e-4, 1e-14},
               {FLG_INTEGRATOR_LEAPFROG, 1. / 600, 1e-14}};
  flexible_arm *arm = flexible_arm_build(2, 1, 0, true);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    runner *run = runner_new(arm->s, cases[c].kind, NO_GRAVITY, NULL, 0);
    set_off(run, 1);
    const double before = energy_of(run);
    double worst = 0;
    for (int k = 0; k < 20; k++) {
      go(run, 0, cases[c].h, (int)(0.1 / cases[c].h + 0.5));
      worst = flg_larger(worst, fabs(energy_of(run) - before) / before);
    }
    print_message("%s, h = %.3g: energy off by %.2g of %.3g J\n",
                  flg_integrator_names[cases[c].kind], cases[c].h, worst, before);
    assert_near(worst, 0, cases[c].most);
    runner_drop(run);
  }
  flexible_arm_release(arm);
}

/* Leapfrog is symmetric in time: an arm that turns round goes back the way it came, as far as the
 * mean velocities of steps are found, those of the booms among them. */
static void an_arm_that_turns_round_goes_back(void **state) {
  (void)state;
  flexible_arm *arm = flexible_arm_build(2, 1e-2, 0, true);
  runner *run = runner_new(arm->s, FLG_INTEGRATOR_LEAPFROG, NO_GRAVITY, NULL, 0);
  const flg_robot *robot = &run->robot.robot;
  double start[COORDINATES];
  set_off(run, 5);
  memcpy(start, run->robot.q, (size_t)robot->position_count * sizeof *start);
  for (int way = 0; way < 2; way++) {
    go(run, 0, 1. / 600, 60);
    for (int k = 0; k < robot->velocity_count; k++) run->robot.v[k] = -run->robot.v[k];
  }
  const double off = max_difference(run->robot.q, start, robot->position_count);
  print_message("there and back: off by %.2g\n", off);
  assert_near(off, 0, 5e-6); /* what the balance of energies makes; 1.4e-5 without these means */
  runner_drop(run);
  flexible_arm_release(arm);
}

/* Joint angles after a second of the rigid arm, and of the flexible one. */
static void end_of(const sample *s, double h, double to[ARM_LINKS]) {
  runner *run = runner_new(s, FLG_INTEGRATOR_LEAPFROG, NO_GRAVITY, NULL, 0);
  set_off(run, 1);
  go(run, 0, h, (int)(1 / h + 0.5));
  const flg_robot *robot = &run->robot.robot;
  for (int k = 0; k < ARM_LINKS; k++) {
    to[k] = run->robot.q[robot->links[robot->joint_links[k]].position];
  }
  runner_drop(run);
}

static void the_rigid_arm_is_the_limit_of_stiff_booms(void **state) {
  (void)state;
  sample *rigid = sample_arm();
  double expected[ARM_LINKS], found[ARM_LINKS], last = 1;
  end_of(rigid, 1. / 600, expected);
  for (double stiffer = 1; stiffer < 1e13; stiffer *= 1e3) {
    flexible_arm *arm = flexible_arm_build(2, stiffer, 0.02, true);
    end_of(arm->s, 1. / 600, found);
    const double off = max_difference(found, expected, ARM_LINKS);
    print_message("E x %.0e: joints off by %.2g rad\n", stiffer, off);
    assert_true(off < 0.05 * last || off < 1e-9);
    last = off;
    flexible_arm_release(arm);
  }
  assert_true(last < 1e-9);
  sample_release(rigid);
}

/* --- spin-up of a beam (Kane, Ryan, Banerjee 1987; Wu, Haug 1988) -------------------------------
 */

typedef struct spin_up {
  double most, late, end; /* deflections of the tip: largest, after 20 s, last [m] */
} spin_up;

/* A hub so heavy that it turns as told. */
static spin_up spin_beam(bool stiffens, double h) {
  cantilever *of = calloc(1, sizeof *of);
  const double hub = 1e9;
  of->s = sample_build(2);
  of->piece = (flg_beam_piece){.length = 10,
                               .section = {4e-4, 2e-7, 2e-7, 4e-7},
                               .young = 7e10,
                               .shear = 2e10,
                               .density = 3000};
  of->beam = (flg_beam){.end = {10, 0, 0},
                        .side = {0, 1, 0},
                        .pieces = &of->piece,
                        .piece_count = 1,
                        .ends = FLG_BEAM_CLAMPED_FREE,
                        .counts = {3, 0, 0, 0},
                        .stiffens = stiffens};
  assert_int_equal(flg_beam_build(&of->beam, &of->boom, &of->region), FLG_OK);
  const int base = sample_add(of->s, FLG_WORLD, FLG_JOINT_REVOLUTE, sample_shift(0, 0, 0));
  of->s->model.bodies[base].inertia = (flg_sym3){hub, hub, hub, 0, 0, 0};
  const int beam = sample_add(of->s, base, FLG_JOINT_FIXED, sample_shift(0, 0, 0));
  flg_body *body = &of->s->model.bodies[beam];
  body->flexible = &of->boom;
  body->mass = 12, body->centre = (flg_vec3){5, 0, 0}, body->inertia = (flg_sym3){.01, 100, 100};
  sample_finish(of->s);
  runner *run = runner_new(of->s, FLG_INTEGRATOR_LEAPFROG, NO_GRAVITY, NULL, 0);
  const int n = of->s->robot.velocity_count;
  double torque[COORDINATES] = {0};
  run->robot.applied = torque;
  spin_up is = {0};
  for (int k = 0; k < (int)(25 / h); k++) {
    const double t = (k + 0.5) * h;
    torque[0] = t < 15 ? hub * 0.4 * (1 - cos(2 * PI * t / 15)) : 0;
    go(run, k * h, h, 1);
    double tip = 0;
    for (int m = 1; m < n; m++) tip += run->robot.q[m];
    is.end = tip;
    is.most = flg_larger(is.most, fabs(tip));
    if (t > 20) is.late = flg_larger(is.late, fabs(tip));
    if (!(fabs(tip) < 100)) break;
  }
  runner_drop(run);
  cantilever_drop(of);
  return is;
}

static void a_beam_that_is_spun_up_comes_back(void **state) {
  (void)state;
  for (double h = 1. / 600; h > 1e-3; h /= 1.5) {
    const spin_up is = spin_beam(true, h);
    print_message("spin-up, h = %.4g: tip up to %.4f m, after 20 s %.5f m\n", h, is.most, is.late);
    assert_true(is.most > 0.4 && is.most < 0.7);
    assert_true(is.late < 0.01);
  }
  assert_true(spin_beam(false, 1. / 600).most >= 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_mode_keeps_its_amplitude),
      cmocka_unit_test(stiff_modes_do_not_bound_the_step),
      cmocka_unit_test(a_tip_force_holds_the_tip_at_the_closed_form),
      cmocka_unit_test(installed_frequencies_are_those_of_the_arm),
      cmocka_unit_test(effective_masses_have_the_published_conditions),
      cmocka_unit_test(the_undamped_arm_keeps_its_energy),
      cmocka_unit_test(an_arm_that_turns_round_goes_back),
      cmocka_unit_test(the_rigid_arm_is_the_limit_of_stiff_booms),
      cmocka_unit_test(a_beam_that_is_spun_up_comes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
