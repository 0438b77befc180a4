/* Contacts of free bodies, against closed forms. */
#include "contacts/contacts_inner.h"
#include "contacts/test_bodies.h"
#include "math/larger.h"

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
    assert_near(force, 2 * G, 1e-12);
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
    assert_near(all->bodies[k].position.z, 0.1 + 0.2 * k, 1e-10);
    assert_near(all->bodies[k].position.x, 0.01 * (k % 2), 1e-9);
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
      assert_near(way_on_slope(slope, mu + 1e-6, (flg_friction_shape)shape), 0, 1e-13);
      const double way = 0.5 * 1e-6 * G * cos(slope) * 1.001; /* of 1000 semi-implicit steps */
      assert_near(way_on_slope(slope, mu - 1e-6, (flg_friction_shape)shape), way, 1e-13);
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
  assert_near(ball->velocity.x, 5.0 / 7 * speed * 0.6, 1e-12);
  assert_near(ball->velocity.y, 5.0 / 7 * speed * 0.8, 1e-12);
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
    assert_near(ball->velocity.x, push, 5e-9);
    assert_near(ball->spin.y, spin - push * radius / 0.004, 2e-7);
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

/* --- many ------------------------------------------------------------------------------------ */

static test_bodies *make_pile(int count, const flg_contacts_options *options) {
  test_bodies *all = bodies_new(0.5, 0.2);
  random_source source = {11};
  bodies_floor(all);
  for (int k = 0; k < count; k++) {
    const flg_vec3 at = {0.22 * (k % 2) + random_uniform(&source, -0.05, 0.05),
                         random_uniform(&source, -0.05, 0.05), 0.2 + 0.3 * (k / 2)};
    test_body *box = bodies_box(all, 1, (flg_vec3){0.2, 0.2, 0.2}, at);
    box->attitude = flg_quat_exp((flg_vec3){0, 0, random_uniform(&source, -0.2, 0.2)});
  }
  bodies_build(all, options);
  return all;
}

/* One step from the same state: what W formed and W never formed make of it. */
static void rows_between_bodies_are_as_good_as_a_matrix(void **state) {
  (void)state;
  flg_contacts_options options = flg_contacts_default(), sparse = options;
  sparse.dense_limit = 1;
  sparse.law.solver.iterations = 20000;
  test_bodies *one = make_pile(12, &options), *two = make_pile(12, &sparse);
  for (int k = 0; k < 100; k++) {
    memcpy(two->bodies, one->bodies, sizeof one->bodies);
    bodies_step(one, 5e-3);
    bodies_step(two, 5e-3);
    const flg_contacts_report a = flg_contacts_report_view(one->contacts);
    const flg_contacts_report b = flg_contacts_report_view(two->contacts);
    assert_int_equal(a.found, b.found);
    if (a.residual > 1e-10 || b.residual > 1e-10) continue; /* heaps that move are only near */
    for (int i = 0; i < one->count; i++) {
      const flg_vec3 off = flg_vec3_subtract(one->bodies[i].velocity, two->bodies[i].velocity);
      assert_near(flg_vec3_norm(off), 0, 1e-10);
    }
  }
  bodies_drop(one);
  bodies_drop(two);
}

static double fastest_of(const test_bodies *all) {
  double fastest = 0;
  for (int k = 0; k < all->count; k++) {
    fastest = flg_larger(fastest, flg_vec3_norm(all->bodies[k].velocity));
  }
  return fastest;
}

/* Two towers, which rock for some seconds: it is at rest when nothing has moved for one. */
static void a_pile_comes_to_rest(void **state) {
  (void)state;
  flg_contacts_options options = flg_contacts_default();
  options.dense_limit = 60;
  test_bodies *all = make_pile(30, &options);
  const bool is_over = REPEATS(8) == 8; /* else it is still falling */
  const int most = is_over ? 3600 : REPEATS(1200);
  int still = 0;
  for (int k = 0; k < most && still < 240; k++) {
    bodies_step(all, 1.0 / 240);
    still = fastest_of(all) <= 1e-6 ? still + 1 : 0;
  }
  const flg_contacts_report report = flg_contacts_report_view(all->contacts);
  assert_true(report.penetration < (is_over ? 1e-4 : 1e-2));
  assert_true(still == 240 || !is_over);
  bodies_drop(all);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void a_step_depends_on_nothing_but_the_state(void **state) {
  (void)state;
  const flg_contacts_options options = flg_contacts_default();
  test_bodies *one = make_pile(10, &options), *two = make_pile(10, &options);
  const size_t bytes = (size_t)flg_contacts_numbers(one->contacts) * sizeof(double);
  for (int k = 0; k < 150; k++) bodies_step(one, 5e-3);
  memcpy(two->bodies, one->bodies, sizeof one->bodies);
  memcpy(two->memory, one->memory, bytes);
  for (int k = 0; k < 50; k++) {
    bodies_step(one, 5e-3);
    bodies_step(two, 5e-3);
    assert_memory_equal(one->bodies, two->bodies, sizeof one->bodies);
    assert_memory_equal(one->memory, two->memory, bytes);
  }
  bodies_drop(one);
  bodies_drop(two);
}

/* finds contacts with a memory of nothing: that of the state has to be read again after it */
static void forget_traces(test_bodies *all, double h, double *kept, size_t bytes) {
  memcpy(kept, all->memory, bytes);
  memset(all->memory, 0, bytes);
  for (int k = 0; k < all->count; k++) bodies_load(all, k, h);
  assert_int_equal(flg_contacts_find(all->contacts, all->poses, all->velocities, h, NULL), FLG_OK);
  memcpy(all->memory, kept, bytes);
}

static void traces_that_go_on_are_those_of_the_memory(void **state) {
  (void)state;
  const flg_contacts_options options = flg_contacts_default();
  test_bodies *one = make_pile(10, &options), *two = make_pile(10, &options);
  const size_t bytes = (size_t)flg_contacts_numbers(one->contacts) * sizeof(double);
  double *kept = malloc(bytes);
  assert_non_null(kept);
  for (int k = 0; k < 200; k++) {
    forget_traces(two, 5e-3, kept, bytes);
    bodies_step(one, 5e-3);
    bodies_step(two, 5e-3);
    assert_memory_equal(one->bodies, two->bodies, sizeof one->bodies);
    assert_memory_equal(one->memory, two->memory, bytes);
  }
  free(kept);
  bodies_drop(one);
  bodies_drop(two);
}

static void forces_are_known_again_after_find(void **state) {
  (void)state;
  const flg_contacts_options options = flg_contacts_default();
  test_bodies *all = make_pile(2, &options);
  for (int k = 0; k < 300; k++) bodies_step(all, 5e-3);
  double force = 0;
  for (int k = 0; k < all->count; k++) bodies_load(all, k, 5e-3);
  assert_int_equal(flg_contacts_find(all->contacts, all->poses, all->velocities, 5e-3, NULL),
                   FLG_OK);
  const flg_contacts_report report = flg_contacts_report_view(all->contacts);
  for (int k = 0; k < report.found; k++) force += flg_contacts_view(all->contacts, k).force[0];
  assert_near(force, 2 * G, 1e-12);
  assert_int_equal(report.closed, 8);
  bodies_drop(all);
}

/* What no state has is read as no contact. */
static void memory_that_makes_no_sense_is_ignored(void **state) {
  (void)state;
  const flg_contacts_options options = flg_contacts_default();
  test_bodies *all = make_pile(2, &options);
  for (int k = 0; k < flg_contacts_numbers(all->contacts); k++)
    all->memory[k] = k % 3 == 0 ? (double)NAN : k % 3 == 1 ? 1e300 : -1e10;
  bodies_step(all, 5e-3);
  all->memory[0] = 2;
  for (int k = 0; k < 100; k++) bodies_step(all, 5e-3);
  bodies_drop(all);
}

static void more_contacts_than_room_are_told(void **state) {
  (void)state;
  flg_contacts_options options = flg_contacts_default();
  options.capacity = 7;
  test_bodies *all = make_pile(2, &options);
  flg_status status = FLG_OK;
  flg_error error;
  for (int k = 0; k < 300 && status == FLG_OK; k++) {
    for (int i = 0; i < all->count; i++) bodies_load(all, i, 5e-3);
    status = flg_contacts_find(all->contacts, all->poses, all->velocities, 5e-3, &error);
    if (status == FLG_OK)
      status = flg_contacts_close(all->contacts, all->blocks, NULL, NULL, 0, 5e-3);
    for (int i = 0; i < all->count && status == FLG_OK; i++) bodies_move(all, i, 5e-3);
  }
  assert_int_equal(status, FLG_ERR_CAPACITY);
  assert_string_equal(error.message,
                      "There are 8 contact points, and room for 7: raise the capacity of contacts "
                      "to 14 or more.");
  bodies_drop(all);
}

/* Balls side by side on the floor: boxes about 11,476 pairs overlap, 2,800 of them touch. */
static test_bodies *make_block(int each, const flg_contacts_options *options) {
  test_bodies *all = bodies_new(0.5, 0);
  bodies_floor(all);
  for (int k = 0; k < each * each * each; k++) {
    bodies_sphere(all, 1, 0.5, (flg_vec3){k % each, k / each % each, 0.5 + k / each / each});
  }
  bodies_build(all, options);
  return all;
}

static flg_status find(test_bodies *all, flg_error *error) {
  for (int k = 0; k < all->count; k++) bodies_load(all, k, 1e-3);
  return flg_contacts_find(all->contacts, all->poses, all->velocities, 1e-3, error);
}

static void a_thousand_balls_have_room_for_what_touches(void **state) {
  (void)state;
  flg_contacts_options options = flg_contacts_default();
  flg_error error = {0};
  for (int each = 2; each <= 10; each += 4) {
    test_bodies *all = make_block(each, &options);
    if (find(all, &error) != FLG_OK) fail_msg("%s", error.message);
    const int found = flg_contacts_report_view(all->contacts).found;
    assert_int_equal(found, 3 * each * each * (each - 1) + each * each);
    bodies_drop(all);
    options.capacity = found; /* to the last contact */
    all = make_block(each, &options);
    assert_int_equal(find(all, &error), FLG_OK);
    bodies_drop(all);
    options.capacity = found - 1;
    all = make_block(each, &options);
    assert_int_equal(find(all, &error), FLG_ERR_CAPACITY);
    bodies_drop(all);
    options.capacity = 0;
  }
}

/* What the sentence asks for is enough. */
static void more_near_pairs_than_room_are_told(void **state) {
  (void)state;
  flg_contacts_options options = flg_contacts_default();
  flg_error error = {0};
  int capacity = 0;
  for (int run = 0; run < 2; run++) {
    test_bodies *all = bodies_new(0.5, 0);
    for (int k = 0; k < 300; k++) bodies_sphere(all, 1, 0.5, (flg_vec3){1e-3 * k, 0, 0});
    bodies_build(all, &options);
    const flg_status status = find(all, &error);
    bodies_drop(all);
    const char *asks = strstr(error.message, "contacts to ");
    assert_int_equal(status, FLG_ERR_CAPACITY);
    assert_int_equal(sscanf(asks, "contacts to %d", &capacity), 1);
    if (run == 0) assert_non_null(strstr(error.message, "There are 44850 pairs of shapes near"));
    if (run == 1) assert_non_null(strstr(error.message, "There are 44850 contact points"));
    options.capacity = capacity;
  }
}

/* --- stops ----------------------------------------------------------------------------------- */

/* Two masses on rails in one block, the second pushed by a spring between them in D; no shapes. */
static void stops_hold_and_bounce(void **state) {
  (void)state;
  const flg_contacts_options options = flg_contacts_default();
  const flg_scene_input scene = {.shape_count = 0};
  flg_contacts *contacts;
  assert_int_equal(flg_contacts_build(&contacts, &scene, NULL, 1, 4, &options, NULL), FLG_OK);
  double *memory = calloc((size_t)flg_contacts_numbers(contacts), sizeof *memory);
  flg_contacts_remember(contacts, memory);
  const double admittance[4] = {0.5, 0.1, 0.1, 2}, h = 1e-3;
  const double before[2] = {-1, 0.3};
  double impulses[2], moves[2];
  const flg_touch_block block = {2, admittance, before, before, impulses, moves};
  const flg_touch_stop stops[2] = {{0, 0, 1, 0.5e-3, 0.5, 3}, {0, 1, -1, 0, 0, 8}};
  assert_int_equal(flg_contacts_find(contacts, NULL, NULL, h, NULL), FLG_OK);
  assert_int_equal(flg_contacts_close(contacts, &block, NULL, stops, 2, h), FLG_OK);
  const double first = before[0] + admittance[0] * impulses[0] + admittance[2] * impulses[1];
  const double second = before[1] + admittance[1] * impulses[0] + admittance[3] * impulses[1];
  assert_true(impulses[0] > 0 && impulses[1] < 0);
  assert_near(second, 0, 1e-12);
  assert_near(impulses[0], 1.5 * 1 / 0.5, 1e-12); /* it is hit before the other holds */
  assert_true(first > 0);
  assert_true(flg_contacts_moves(contacts));
  assert_near(moves[0], -0.5 * h * impulses[0], 1e-15);
  assert_int_equal(flg_contacts_report_view(contacts).hits, 1);
  flg_contacts_release(contacts);
  free(memory);
}

/* --- impulses that a coupling has found ------------------------------------------------------- */

/* What `from` has found in its last step, its impulses times `factor`. */
static int expect_as(const test_bodies *from, double h, double factor, flg_expected_touch *list) {
  int count;
  const flg_contact *contacts = flg_contacts_list(from->contacts, &count);
  for (int k = 0; k < count; k++) {
    const double impulse = factor * h * flg_contacts_view(from->contacts, k).force[0];
    list[k] = (flg_expected_touch){.shapes = {contacts[k].shape_a, contacts[k].shape_b},
                                   .key = contacts[k].key,
                                   .impulses = {impulse},
                                   .states = {impulse > 0 ? FLG_ROW_ACTIVE : FLG_ROW_LOWER}};
  }
  return count;
}

/* A smooth box is thrown onto the floor and tips over its edges: contacts open, close, and have
 * overlaps to be taken out. As in a coupling, hits are closed by others. */
static test_bodies *tipping_box(void) {
  test_bodies *all = bodies_new(0, 0);
  const flg_contacts_options options = flg_contacts_default();
  bodies_floor(all);
  test_body *box = bodies_box(all, 2, (flg_vec3){0.4, 0.3, 0.2}, (flg_vec3){0, 0, 0.3});
  box->spin = (flg_vec3){3, -2, 1}, box->velocity = (flg_vec3){0.5, 0, -1};
  bodies_build(all, &options);
  flg_contacts_leave_hits(all->contacts);
  return all;
}

/* The largest distance of two boxes after a step from the same state, one of which is told what
 * the other has found. */
static double way_apart(double factor, double *force_apart) {
  test_bodies *plain = tipping_box(), *told = tipping_box();
  flg_expected_touch list[64];
  double most = 0;
  *force_apart = 0;
  for (int k = 0; k < 2000; k++) {
    const size_t numbers = (size_t)flg_contacts_numbers(plain->contacts);
    told->bodies[0] = plain->bodies[0];
    memcpy(told->memory, plain->memory, numbers * sizeof(double));
    bodies_step(plain, 1e-3);
    const int count = expect_as(plain, 1e-3, factor, list);
    flg_contacts_expect(told->contacts, list, count);
    bodies_step(told, 1e-3);
    const flg_vec3 away = flg_vec3_subtract(plain->bodies->position, told->bodies->position);
    most = flg_larger(most, flg_vec3_norm(away));
    for (int i = 0; i < count; i++) {
      const double force = 1e3 * list[i].impulses[0];
      const double own = flg_contacts_view(told->contacts, i).force[0];
      *force_apart = flg_larger(*force_apart, fabs(own - force));
    }
    assert_int_equal(flg_contacts_report_view(told->contacts).unsolved, 0);
  }
  bodies_drop(plain), bodies_drop(told);
  return most;
}

static void impulses_that_others_have_found_are_taken_if_they_close_the_contacts(void **state) {
  (void)state;
  double force_apart;
  assert_near(way_apart(1, &force_apart), 0, 1e-13);
  assert_near(force_apart, 0, 1e-11);
  /* impulses that are off by rounding are kept: solved anew, forces would differ by 1e-10 N */
  assert_near(way_apart(1 + 1e-13, &force_apart), 0, 1e-12);
  assert_near(force_apart, 0, 1e-11);
}

static void impulses_that_do_not_close_the_contacts_are_found_anew(void **state) {
  (void)state;
  double force_apart;
  for (double error = 1e-9; error < 1; error *= 10) {
    assert_near(way_apart(1 + error, &force_apart), 0, 1e-12);
    assert_true(force_apart > error); /* [N], of forces up to 1000 N */
  }
}

/* a box on the floor, and a ball over it that nears it by so much in a step */
static test_bodies *box_and_ball(void) {
  test_bodies *all = bodies_new(0.5, 0);
  const flg_contacts_options options = flg_contacts_default();
  bodies_floor(all);
  bodies_box(all, 2, (flg_vec3){0.4, 0.3, 0.2}, (flg_vec3){0, 0, 0.1});
  bodies_sphere(all, 1, 0.1, (flg_vec3){0, 0, 0.31});
  bodies_build(all, &options);
  return all;
}

static int find_box_and_ball(test_bodies *all, double way, const flg_contact **list) {
  const double h = 1e-3;
  int count;
  all->bodies[1].velocity = (flg_vec3){0, 0, -way / h};
  for (int k = 0; k < all->count; k++) bodies_load(all, k, h);
  assert_int_equal(flg_contacts_find(all->contacts, all->poses, all->velocities, h, NULL), FLG_OK);
  *list = flg_contacts_list(all->contacts, &count);
  return count;
}

/* --- steps that are too long ----------------------------------------------------------------- */

/* Three balls over a floor, two of them side by side: whether some contact is passed within h, and
 * its bodies. */
static bool is_passed(const flg_vec3 velocities[3], double h, int *a, int *b) {
  const flg_vec3 places[3] = {{0, 0, 0.1}, {0.5, 0, 0.2}, {0.5, 0.34, 0.2}};
  test_bodies *all = bodies_new(0.5, 0);
  const flg_contacts_options options = flg_contacts_default();
  bodies_floor(all);
  for (int k = 0; k < 3; k++) bodies_sphere(all, 1, k == 1 ? 0.2 : 0.1, places[k]);
  for (int k = 0; k < 3; k++) all->bodies[k].velocity = velocities[k];
  bodies_build(all, &options);
  for (int k = 0; k < 3; k++) bodies_load(all, k, h);
  flg_error error = {.status = FLG_OK};
  assert_int_equal(flg_contacts_find(all->contacts, all->poses, all->velocities, h, &error),
                   FLG_OK);
  const int passed = flg_contacts_passed(all->contacts, all->velocities, h);
  int count;
  const flg_contact *contacts = flg_contacts_list(all->contacts, &count);
  assert_true(passed < count);
  if (passed >= 0) *a = contacts[passed].body_a, *b = contacts[passed].body_b;
  bodies_drop(all);
  return passed >= 0;
}

/* Half of the widths of both is the way that they may go into each other: 0.3 m for the two balls,
 * whose gap is 0.04 m, and 0.1 m for a ball on the floor, which is thick. */
static void what_goes_beyond_the_middle_of_each_other_is_found(void **state) {
  (void)state;
  const double h = 0.01, edge = 1e-6;
  for (int inside = 0; inside < 2; inside++) {
    const double factor = inside ? 1 - edge : 1 + edge;
    int a = -2, b = -2;
    const flg_vec3 balls[3] = {
        {0}, {0, 0.1 * 0.34 / h * factor, 0}, {0, -0.9 * 0.34 / h * factor, 0}};
    assert_int_equal(is_passed(balls, h, &a, &b), !inside);
    if (!inside) assert_true(a + b == 3 && a * b == 2);
    const flg_vec3 down[3] = {{0, 0, -0.1 / h * factor}};
    assert_int_equal(is_passed(down, h, &a, &b), !inside);
    if (!inside) assert_true((a == 0 && b < 0) || (b == 0 && a < 0));
    const flg_vec3 apart[3] = {{0, 0, 0.1 / h * factor}, {0}, {0, 0.34 / h * factor, 0}};
    assert_false(is_passed(apart, h, &a, &b));
  }
}

/* the least width is that of the small balls, and a spin counts with the size of what turns */
static void what_goes_further_than_the_thinnest_is_wide_hurries(void **state) {
  (void)state;
  const double h = 0.01, width = 0.2, edge = 1e-9;
  test_bodies *all = bodies_new(0.5, 0);
  const flg_contacts_options options = flg_contacts_default();
  bodies_floor(all);
  bodies_sphere(all, 1, 0.1, (flg_vec3){0, 0, 1});
  bodies_sphere(all, 1, 0.3, (flg_vec3){2, 0, 1});
  bodies_build(all, &options);
  for (int k = 0; k < 12; k++) {
    const bool is_beyond = k % 2, turns = k / 2 % 2;
    const double way = (is_beyond ? 1 + edge : 1 - edge) * width, size = k < 6 ? 0.1 : 0.3;
    flg_spatial velocities[2] = {{{0}, {0}}, {{0}, {0}}};
    flg_spatial *moves = &velocities[k < 6 ? 0 : 1];
    moves->linear =
        (flg_vec3){0.6 * (turns ? 0.25 : 1) * way / h, 0, -0.8 * (turns ? 0.25 : 1) * way / h};
    if (turns) moves->angular = (flg_vec3){0, 0.75 * way / h / size, 0};
    assert_int_equal(flg_contacts_hurry(all->contacts, velocities, h), is_beyond);
  }
  bodies_drop(all);
}

/* it is a part of how far a shape reaches from its middle, wherever the frame of its body is */
static void what_is_small_does_not_depend_on_frames(void **state) {
  (void)state;
  const flg_vec3 frames[] = {{0, 0, 0}, {0.3, -0.2, 0.1}, {40, 0, -9}};
  for (int k = 0; k < 3; k++) {
    test_bodies *all = bodies_new(0.5, 0);
    const flg_contacts_options options = flg_contacts_default();
    bodies_floor(all);
    bodies_sphere(all, 1, 0.1, flg_vec3_subtract((flg_vec3){0, 0, 0.1}, frames[k]));
    all->shapes[1].pose.position = frames[k];
    bodies_build(all, &options);
    bodies_load(all, 0, 1e-3);
    assert_int_equal(flg_contacts_find(all->contacts, all->poses, all->velocities, 1e-3, NULL),
                     FLG_OK);
    flg_touch touch;
    int count;
    (void)flg_contacts_list(all->contacts, &count);
    assert_int_equal(count, 1);
    flg_contacts_set_touch(all->contacts, NULL, 0, &touch);
    assert_true(touch.length == 0.1 && flg_contacts_law(all->contacts)->length == 0.1);
    bodies_drop(all);
  }
}

/* whatever was found before: as by contacts that look for the first time */
static void what_stands_has_the_contacts_that_it_had(void **state) {
  (void)state;
  static const double ways[] = {0, 1e-15, 0.02, 1e-15, 1e-9, 0, 0.02, 0.02};
  const int counts[] = {4, 4, 5, 4, 4, 4, 5, 5};
  test_bodies *all = box_and_ball();
  for (int k = 0; k < 8; k++) {
    const flg_contact *found, *fresh;
    test_bodies *twin = box_and_ball();
    assert_int_equal(find_box_and_ball(all, ways[k], &found), counts[k]);
    assert_int_equal(find_box_and_ball(twin, ways[k], &fresh), counts[k]);
    for (int c = 0; c < counts[k]; c++) {
      assert_true(found[c].gap == fresh[c].gap && found[c].key == fresh[c].key);
      assert_memory_equal(&found[c].point_a, &fresh[c].point_a, sizeof found[c].point_a);
    }
    bodies_drop(twin);
  }
  bodies_drop(all);
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
      cmocka_unit_test(rows_between_bodies_are_as_good_as_a_matrix),
      cmocka_unit_test(a_pile_comes_to_rest),
      cmocka_unit_test(a_step_depends_on_nothing_but_the_state),
      cmocka_unit_test(traces_that_go_on_are_those_of_the_memory),
      cmocka_unit_test(forces_are_known_again_after_find),
      cmocka_unit_test(what_stands_has_the_contacts_that_it_had),
      cmocka_unit_test(what_goes_beyond_the_middle_of_each_other_is_found),
      cmocka_unit_test(what_goes_further_than_the_thinnest_is_wide_hurries),
      cmocka_unit_test(what_is_small_does_not_depend_on_frames),
      cmocka_unit_test(memory_that_makes_no_sense_is_ignored),
      cmocka_unit_test(more_contacts_than_room_are_told),
      cmocka_unit_test(a_thousand_balls_have_room_for_what_touches),
      cmocka_unit_test(more_near_pairs_than_room_are_told),
      cmocka_unit_test(stops_hold_and_bounce),
      cmocka_unit_test(impulses_that_others_have_found_are_taken_if_they_close_the_contacts),
      cmocka_unit_test(impulses_that_do_not_close_the_contacts_are_found_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
