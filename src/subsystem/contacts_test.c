/* Contacts of free bodies, against closed forms. */
#include "subsystem/test_bodies.h"

static const double G = 9.81;

/* --- at rest --------------------------------------------------------------------------------- */

static void a_box_at_rest_stays_where_it_is(void **state) {
  (void)state;
  for (int box_friction = 0; box_friction < 2; box_friction++) {
    test_bodies *all = bodies_new(0.5, 0.3);
    flg_contacts_options options = flg_contacts_default();
    options.law.friction = box_friction ? FLG_FRICTION_BOX : FLG_FRICTION_CONE;
    bodies_floor(all);
    test_body *box = bodies_box(all, 2, (flg_vec3){0.4, 0.3, 0.2}, (flg_vec3){0, 0, 0.1});
    bodies_build(all, &options);
    for (int k = 0; k < REPEATS(100000); k++) bodies_step(all, 0.01);
    const flg_contacts_report report = flg_contacts_report_view(all->contacts);
    assert_int_equal(report.closed, 4);
    assert_int_equal(report.sliding, 0);
    assert_int_equal(report.unsolved, 0);
    assert_int_equal(report.switches, 4);
    assert_near(box->position.z, 0.1, 1e-11);
    assert_near(hypot(box->position.x, box->position.y), 0, 1e-11);
    assert_near(flg_vec3_norm(box->velocity), 0, 1e-13);
    double force = 0;
    for (int k = 0; k < 4; k++) {
      const flg_contact_view view = flg_contacts_view(all->contacts, k);
      assert_int_equal(view.state, FLG_CONTACT_STICKING);
      force += view.force[0];
    }
    assert_near(force, 2 * G, 1e-8);
    bodies_drop(all);
  }
}

static void boxes_on_each_other_stand(void **state) {
  (void)state;
  test_bodies *all = bodies_new(0.5, 0);
  const flg_contacts_options options = flg_contacts_default();
  bodies_floor(all);
  for (int k = 0; k < 10; k++)
    bodies_box(all, 1, (flg_vec3){0.2, 0.2, 0.2}, (flg_vec3){0.01 * (k % 2), 0, 0.1 + 0.2 * k});
  bodies_build(all, &options);
  for (int k = 0; k < REPEATS(2000); k++) bodies_step(all, 1.0 / 240);
  for (int k = 0; k < 10; k++) {
    assert_near(all->bodies[k].position.z, 0.1 + 0.2 * k, 1e-8);
    assert_near(all->bodies[k].position.x, 0.01 * (k % 2), 1e-8);
  }
  bodies_drop(all);
}

/* --- sliding --------------------------------------------------------------------------------- */

/* A box on a slope, as a floor with gravity turned: where it is after a second. */
static double way_on_slope(double slope, double friction, flg_friction_shape shape) {
  test_bodies *all = bodies_new(friction, 0);
  flg_contacts_options options = flg_contacts_default();
  options.law.friction = shape;
  all->gravity = (flg_vec3){G * sin(slope), 0, -G * cos(slope)};
  bodies_floor(all);
  test_body *box = bodies_box(all, 3, (flg_vec3){0.4, 0.3, 0.1}, (flg_vec3){0, 0, 0.05});
  bodies_build(all, &options);
  for (int k = 0; k < 1000; k++) bodies_step(all, 1e-3);
  const double way = box->position.x;
  bodies_drop(all);
  return way;
}

static void a_box_slips_above_the_angle_of_friction(void **state) {
  (void)state;
  for (int shape = 0; shape < 2; shape++) {
    for (double slope = 0.1; slope < 0.7; slope += 0.15) {
      const double mu = tan(slope);
      assert_near(way_on_slope(slope, mu + 1e-6, (flg_friction_shape)shape), 0, 1e-10);
      const double way = 0.5 * 1e-6 * G * cos(slope) * 1.001; /* of 1000 semi-implicit steps */
      assert_near(way_on_slope(slope, mu - 1e-6, (flg_friction_shape)shape), way, 1e-9);
    }
  }
}

static void a_sliding_sphere_rolls_in_the_end(void **state) {
  (void)state;
  const double mu = 0.2, speed = 2, radius = 0.1, h = 1e-3;
  const double roll = 2 * speed / (7 * mu * G);
  test_bodies *all = bodies_new(mu, 0);
  const flg_contacts_options options = flg_contacts_default();
  bodies_floor(all);
  test_body *ball = bodies_sphere(all, 1.5, radius, (flg_vec3){0, 0, radius});
  ball->velocity = (flg_vec3){speed * 0.6, speed * 0.8, 0};
  bodies_build(all, &options);
  int sliding = 0;
  for (int k = 0; k < 600; k++) {
    bodies_step(all, h);
    sliding += flg_contacts_report_view(all->contacts).sliding;
  }
  assert_near(sliding * h, roll, 1.5 * h);
  assert_near(ball->velocity.x, 5.0 / 7 * speed * 0.6, 1e-10);
  assert_near(ball->velocity.y, 5.0 / 7 * speed * 0.8, 1e-10);
  assert_near(ball->spin.y, ball->velocity.x / radius, 1e-9);
  assert_near(ball->position.z, radius, 1e-10);
  bodies_drop(all);
}

/* --- hits ------------------------------------------------------------------------------------ */

/* It grips: the point of contact stands, and e of the normal speed comes back. */
static void a_spinning_ball_turns_around(void **state) {
  (void)state;
  const double radius = 0.1, e = 0.8, speed = 3, spin = 10;
  for (int grips = 0; grips < 2; grips++) {
    const double mu = grips ? 1 : 0.02;
    test_bodies *all = bodies_new(mu, e);
    const flg_contacts_options options = flg_contacts_default();
    all->gravity = (flg_vec3){0, 0, 0};
    bodies_floor(all);
    test_body *ball = bodies_sphere(all, 1, radius, (flg_vec3){0, 0, radius + 1e-9});
    ball->velocity.z = -speed, ball->spin.y = spin;
    bodies_build(all, &options);
    for (int k = 0; k < 3; k++) bodies_step(all, 1e-3);
    const double slip = radius * spin, most = mu * (1 + e) * speed;
    const double push = fmin(slip / 3.5, most); /* 1/m + r^2/I = 3.5/m */
    assert_near(ball->velocity.z, e * speed, 1e-12);
    assert_near(ball->velocity.x, push, 1e-8);
    assert_near(ball->spin.y, spin - push * radius / 0.004, 1e-6);
    bodies_drop(all);
  }
}

static flg_vec3 momentum_of(const test_bodies *all) {
  flg_vec3 sum = {0, 0, 0};
  for (int k = 0; k < all->count; k++)
    sum = flg_vec3_add_scaled(sum, all->bodies[k].mass, all->bodies[k].velocity);
  return sum;
}

/* about the world's origin, of spheres */
static flg_vec3 moment_of(const test_bodies *all) {
  flg_vec3 sum = {0, 0, 0};
  for (int k = 0; k < all->count; k++) {
    const test_body *body = &all->bodies[k];
    const flg_vec3 moved = flg_vec3_cross(body->position, body->velocity);
    sum = flg_vec3_add_scaled(sum, body->mass, moved);
    sum = flg_vec3_add_scaled(sum, body->inertia.x, body->spin);
  }
  return sum;
}

static double energy_of(const test_bodies *all) {
  double sum = 0;
  for (int k = 0; k < all->count; k++) sum += body_energy(all, &all->bodies[k]);
  return sum;
}

/* A cloud of spheres that falls together, with friction. */
static void collisions_keep_momentum(void **state) {
  (void)state;
  random_source source = {3};
  for (int trial = 0; trial < 6; trial++) {
    test_bodies *all = bodies_new(trial % 2 ? 0.4 : 0, trial < 2 ? 1 : trial < 4 ? 0.6 : 0);
    const flg_contacts_options options = flg_contacts_default();
    all->gravity = (flg_vec3){0, 0, 0};
    for (int k = 0; k < 27; k++) {
      const flg_vec3 at = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      test_body *ball = bodies_sphere(all, random_uniform(&source, 0.2, 2), 0.3, at);
      ball->velocity = flg_vec3_scale(at, -random_uniform(&source, 0.5, 1.5));
      ball->spin.x = random_uniform(&source, -1, 1);
    }
    bodies_build(all, &options);
    const flg_vec3 momentum = momentum_of(all);
    double energy = energy_of(all);
    const double start = energy;
    int hits = 0;
    for (int k = 0; k < 400; k++) {
      bodies_step(all, 5e-3);
      const flg_contacts_report report = flg_contacts_report_view(all->contacts);
      hits += report.hits;
      assert_true(energy_of(all) <= energy + 1e-12 * start);
      energy = energy_of(all);
    }
    assert_near(flg_vec3_norm(flg_vec3_subtract(momentum_of(all), momentum)), 0, 1e-12);
    assert_true(trial >= 4 || hits > 10);
    assert_true(trial == 0 ? energy > start * (1 - 1e-10) : energy < start);
    bodies_drop(all);
  }
}

/* Without a bounce, nothing is moved but by its velocity: angular momentum is kept, too. */
static void plastic_collisions_keep_angular_momentum(void **state) {
  (void)state;
  test_bodies *all = bodies_new(0.4, 0);
  const flg_contacts_options options = flg_contacts_default();
  all->gravity = (flg_vec3){0, 0, 0};
  test_body *a = bodies_sphere(all, 1.2, 0.3, (flg_vec3){0.1, 0.2, 0});
  test_body *b = bodies_sphere(all, 0.7, 0.2, (flg_vec3){0.61, 0.3, 0.1});
  a->velocity = (flg_vec3){2, 0.3, 0.2}, b->velocity = (flg_vec3){-1, -0.5, 0.7};
  a->spin = (flg_vec3){3, 2, 1};
  bodies_build(all, &options);
  const flg_vec3 momentum = momentum_of(all), moment = moment_of(all);
  for (int k = 0; k < 8; k++) {
    bodies_step(all, 3e-3);
    assert_near(flg_vec3_norm(flg_vec3_subtract(momentum_of(all), momentum)), 0, 1e-14);
    assert_near(flg_vec3_norm(flg_vec3_subtract(moment_of(all), moment)), 0, 1e-14);
  }
  assert_true(flg_contacts_report_view(all->contacts).switches > 0);
  bodies_drop(all);
}

/* Balls that fall on each other and on the floor: kinetic and potential energy together. */
static void energy_never_grows(void **state) {
  (void)state;
  random_source source = {5};
  for (int trial = 0; trial < 6; trial++) {
    test_bodies *all = bodies_new(trial % 2 ? 0.3 : 0, trial < 2 ? 1 : trial < 4 ? 0.7 : 0);
    const flg_contacts_options options = flg_contacts_default();
    bodies_floor(all);
    for (int k = 0; k < 12; k++) {
      const flg_vec3 at = {random_uniform(&source, -0.1, 0.1), random_uniform(&source, -0.1, 0.1),
                           0.3 + 0.5 * k};
      bodies_sphere(all, random_uniform(&source, 0.2, 2), 0.2, at);
    }
    bodies_build(all, &options);
    double energy = energy_of(all);
    const double start = energy;
    for (int k = 0; k < 2000; k++) {
      bodies_step(all, 2e-3);
      const double now = energy_of(all);
      assert_true(now <= energy + 1e-9 * start); /* positions are corrected now and then */
      energy = now;
    }
    bodies_drop(all);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_at_rest_stays_where_it_is),
      cmocka_unit_test(boxes_on_each_other_stand),
      cmocka_unit_test(a_box_slips_above_the_angle_of_friction),
      cmocka_unit_test(a_sliding_sphere_rolls_in_the_end),
      cmocka_unit_test(a_spinning_ball_turns_around),
      cmocka_unit_test(collisions_keep_momentum),
      cmocka_unit_test(plastic_collisions_keep_angular_momentum),
      cmocka_unit_test(energy_never_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
