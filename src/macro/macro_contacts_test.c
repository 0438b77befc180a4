/* Contacts of a macro run by themselves: what they push with fulfils the law of each, whether they
 * are at one port or at several.
 */
#include "macro/macro_contacts.h"

#include <limits.h>

#include "check.h"

enum { PORT = 6, PORTS = 3, MOST = PORT * PORTS, CONTACTS = 4, ROWS = CONTACTS };
enum { FREE = 1, IMPULSES = 2 };

static const double H_STEP = 1e-3, TOLERANCE = 1e-9;

/* contacts without friction, whose memory is here; k = 6 near_count */
typedef struct bench {
  flg_macro_contacts contacts;
  flg_macro_contact list[CONTACTS];
  flg_touch touches[CONTACTS];
  unsigned char states[ROWS], earlier[ROWS];
  const double *sides[ROWS];
  double W[ROWS * ROWS], answer[MOST], H[MOST * MOST], b[MOST], before[MOST], x[MOST];
  double rows[FLG_MACRO_ARRAYS][ROWS];
  flg_region region;
} bench;

static void set_up(bench *made, int near_count) {
  const flg_contact_law_options options = flg_contact_law_default();
  flg_macro_contacts *contacts = &made->contacts;
  *made = (bench){.contacts = {.count = CONTACTS, .near_count = near_count}};
  contacts->earlier = made->earlier, contacts->sides = made->sides;
  contacts->list = made->list, contacts->touches = made->touches, contacts->states = made->states;
  contacts->W = made->W, contacts->answer = made->answer, contacts->H = made->H;
  contacts->b = made->b, contacts->before = made->before, contacts->x = made->x;
  for (int i = 0; i < FLG_MACRO_ARRAYS; i++) contacts->rows[i] = made->rows[i];
  made->region = (flg_region){0};
  assert_int_equal(flg_contact_law_build(&contacts->law, ROWS, &options, &made->region, NULL),
                   FLG_OK);
}

static flg_spatial random_side(random_source *source) {
  double numbers[PORT];
  for (int i = 0; i < PORT; i++) numbers[i] = random_uniform(source, -1, 1);
  return flg_spatial_load(numbers);
}

/* a definite H of all ports, and contacts at random ends: some at one port, some between two */
static void draw(random_source *source, bench *made) {
  const int ports = made->contacts.near_count, k = PORT * ports;
  double root[MOST * MOST];
  for (int i = 0; i < k * k; i++) root[i] = random_uniform(source, -1, 1);
  for (int i = 0; i < k * k; i++) {
    made->H[i] = i % k == i / k;
    for (int s = 0; s < k; s++) made->H[i] += root[i % k + s * k] * root[i / k + s * k];
  }
  for (int i = 0; i < k; i++) made->b[i] = random_uniform(source, -1, 1);
  for (int c = 0; c < CONTACTS; c++) {
    const int first = random_integer(source, 0, ports - 1);
    const int second = (first + random_integer(source, 1, ports)) % ports;
    const int ground = random_integer(source, 0, 1);
    made->list[c] = (flg_macro_contact){.rows = 1, .gap = random_uniform(source, -0.5, 1) * H_STEP};
    made->list[c].end[ground] = PORT * first;
    made->list[c].end[1 - ground] = second == first ? -1 : PORT * second;
    for (int e = 0; e < 2; e++) made->list[c].side[e][0] = random_side(source);
  }
}

static double along(const flg_macro_contact *contact, const double *y) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    if (contact->end[e] < 0) continue;
    sum += flg_spatial_dot(contact->side[e][0], flg_spatial_load(y + contact->end[e]));
  }
  return sum;
}

/* x = J^T n, and 0 <= J (b + H x) + gap/h  ⟂  n >= 0 */
static void assert_lawful(const bench *made) {
  const int k = PORT * made->contacts.near_count;
  double x[MOST] = {0}, y[MOST];
  for (int c = 0; c < CONTACTS; c++) {
    for (int e = 0; e < 2; e++) {
      double side[PORT];
      flg_spatial_store(made->list[c].side[e][0], side);
      for (int i = 0; i < PORT && made->list[c].end[e] >= 0; i++)
        x[made->list[c].end[e] + i] += side[i] * made->rows[IMPULSES][c];
    }
  }
  assert_true(max_difference(x, made->x, k) < TOLERANCE);
  for (int i = 0; i < k; i++) {
    y[i] = made->b[i];
    for (int j = 0; j < k; j++) y[i] += made->H[i + j * k] * made->x[j];
  }
  for (int c = 0; c < CONTACTS; c++) {
    const double push = made->rows[IMPULSES][c], gap = made->list[c].gap;
    const double left = along(&made->list[c], y) + (gap > 0 ? gap / H_STEP : 0);
    assert_true(push >= 0 && left >= -TOLERANCE);
    assert_near(push * left, 0, TOLERANCE);
  }
}

static void contacts_follow_their_law_at_any_ports(void **state) {
  (void)state;
  random_source source = {77};
  int pushed = 0;
  for (int trial = 0; trial < 300; trial++) {
    static bench made;
    set_up(&made, 1 + trial % PORTS);
    draw(&source, &made);
    assert_int_equal(flg_macro_contacts_close(&made.contacts, H_STEP, NULL), FLG_OK);
    assert_lawful(&made);
    for (int c = 0; c < CONTACTS; c++) pushed += made.rows[IMPULSES][c] > 0;
    flg_region_release(&made.region);
  }
  assert_in_range(pushed, 200, 1000);
}

/* The same contacts, and a port that nothing touches: the general way, beside the short one. */
static void a_port_without_contacts_changes_nothing(void **state) {
  (void)state;
  random_source source = {78};
  for (int trial = 0; trial < 100; trial++) {
    static bench one, two;
    set_up(&one, 1), set_up(&two, 2);
    draw(&source, &one);
    memcpy(two.list, one.list, sizeof one.list);
    memcpy(two.b, one.b, PORT * sizeof(double));
    for (int j = 0; j < PORT; j++) {
      memcpy(two.H + (ptrdiff_t)2 * PORT * j, one.H + (ptrdiff_t)PORT * j, PORT * sizeof(double));
      two.H[(PORT + j) * (2 * PORT + 1)] = 1;
    }
    assert_int_equal(flg_macro_contacts_close(&one.contacts, H_STEP, NULL), FLG_OK);
    assert_int_equal(flg_macro_contacts_close(&two.contacts, H_STEP, NULL), FLG_OK);
    assert_true(max_difference(one.x, two.x, PORT) < 1e-12);
    assert_true(max_difference(one.rows[FREE], two.rows[FREE], ROWS) < 1e-14);
    flg_region_release(&one.region), flg_region_release(&two.region);
  }
}

/* A port that a joint holds along one axis, but for rounding. A normal along it cannot push,
 * however fast it closes, and its tangents do not, either. A tangent that is held leaves the normal
 * as it is, whose mass stops it: while it slides, friction is against that, and else it does not
 * push. */
static void what_joints_hold_does_not_yield(void **state) {
  (void)state;
  static const double lengths[2] = {1, 1e-3}; /* of arms: turns that yield by their squares */
  const double speed = -1, mobility = 0.5, mu = 0.4;
  for (int k = 0; k < 16; k++) {
    static bench made;
    const int ports = 1 + k % 2, axis = k / 2 % 2 == 0 ? 2 : 0, last = PORT * (ports - 1);
    const int n = PORT * ports;
    const double slide = k < 8 ? 0 : 0.3;
    set_up(&made, ports);
    made.contacts.count = 1;
    for (int i = 0; i < n; i++) made.H[i * (n + 1)] = mobility;
    made.H[(last + axis) * (n + 1)] = 1e-17;
    made.list[0] = (flg_macro_contact){.rows = 3, .friction = mu, .end = {-1, last}};
    made.list[0].arm[1] = (flg_vec3){0, 0, lengths[k / 4 % 2]};
    for (int i = 0; i < 3; i++) {
      const flg_vec3 directions[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
      made.list[0].side[1][i].linear = directions[i];
    }
    made.b[last] = slide, made.b[last + 2] = speed;
    assert_int_equal(flg_macro_contacts_close(&made.contacts, H_STEP, NULL), FLG_OK);
    const double push = axis == 2 ? 0 : -speed / mobility;
    assert_near(made.x[last + 2], push, 1e-12);
    assert_near(made.x[last], slide > 0 ? -mu * push : 0, 1e-12);
    assert_near(made.x[last + 1], 0, 1e-12);
    flg_region_release(&made.region);
  }
}

/* --- what is handed to other macro runs ---------------------------------------------------------
 */

enum { STEPS = 3, OWN_PORTS = 1, REST_PORTS = 2, OF_REST = 3, ALL = 5, ALL_ROWS = 9 };

/* Ends of all contacts: port 0 is our own, ports 1 and 2 are ports 0 and 1 of the rest. */
static const int ENDS[ALL][2] = {{1, -1}, {-1, 2}, {1, 2}, {0, -1}, {-1, 0}};
static const int FIRST_ROW[ALL] = {0, 3, 4, 7, 8}, ROWS_OF[ALL] = {3, 1, 3, 1, 1};

/* three contacts of the rest and two of our own, with numbers that are all different */
static flg_macro_contacts *exchange(random_source *source, flg_region *region) {
  const flg_contact_law_options options = flg_contact_law_default();
  flg_macro_contacts *made = NULL;
  assert_int_equal(flg_macro_contacts_build(&made,
                                            &(flg_macro_contacts_size){.own_ports = OWN_PORTS,
                                                                       .rest_ports = REST_PORTS,
                                                                       .own_points = ALL - OF_REST,
                                                                       .rest_points = OF_REST,
                                                                       .steps = STEPS},
                                            &options, region, NULL),
                   FLG_OK);
  assert_int_equal(made->capacity, ALL);
  made->count = ALL, made->rest_count = OF_REST;
  for (int c = 0; c < ALL; c++) {
    made->list[c] =
        (flg_macro_contact){.rows = ROWS_OF[c], .shapes = {c, 10 + c}, .key = 100 + (uint64_t)c};
    made->touches[c] = (flg_touch){.row = FIRST_ROW[c], .rows = ROWS_OF[c]};
    memcpy(made->list[c].port, ENDS[c], sizeof ENDS[c]);
    for (int i = 0; i < 3; i++) {
      for (int e = 0; e < 2; e++) made->list[c].side[e][i] = random_side(source);
    }
  }
  return made;
}

static double sample(int step, int row) {
  return 10 * (step + 1) + row + 0.25;
}

/* all rows but those of one contact */
static void strike_all(flg_macro_contacts *contacts, int step, int spared) {
  for (int i = 0; i < ALL_ROWS; i++) contacts->rows[FLG_MACRO_HITS][i] = sample(step, i);
  for (int i = 0; i < ROWS_OF[spared]; i++)
    contacts->rows[FLG_MACRO_HITS][FIRST_ROW[spared] + i] = 0;
}

static void assert_struck(const flg_struck_touch *struck, int c, int step, double times) {
  assert_int_equal(struck->shapes[0], c);
  assert_int_equal(struck->shapes[1], 10 + c);
  assert_int_equal(struck->key, 100 + c);
  for (int i = 0; i < 3; i++) {
    const double expected = i < ROWS_OF[c] ? times * sample(step, FIRST_ROW[c] + i) : 0;
    assert_true(struck->impulses[i] == expected);
  }
}

/* In step k the rest's contact k is not hit; in the last step all others are hit twice. */
static void hits_are_handed_over_step_by_step(void **state) {
  (void)state;
  random_source source = {79};
  flg_region region = {0};
  flg_macro_contacts *from = exchange(&source, &region), *to = exchange(&source, &region);
  flg_macro_contacts_forget_hits(from, STEPS);
  for (int step = 0; step < STEPS; step++) {
    from->struck_count = 0;
    strike_all(from, step, step);
    assert_int_equal(flg_macro_contacts_own_hits(from), 2);
    flg_macro_contacts_note_hits(from, step);
    assert_int_equal(from->struck_count, 2);
    for (int c = OF_REST; c < ALL; c++) assert_struck(&from->struck[c - OF_REST], c, step, 1);
  }
  flg_macro_contacts_note_hits(from, STEPS - 1);
  for (int step = 0; step < STEPS; step++) {
    for (int port = 0; port < REST_PORTS; port++) {
      /* contact 2 is known by the port of its first end */
      const int at_port[REST_PORTS][2] = {{0, 2}, {1, -1}};
      flg_macro_contacts_forget_hits(to, STEPS);
      flg_macro_contacts_take_hits(to, from, step, port, port + 1);
      int count = 0;
      for (int k = 0; k < 2; k++) {
        const int c = at_port[port][k];
        if (c < 0 || c == step) continue;
        assert_true(count < to->struck_count);
        assert_struck(&to->struck[count++], c, step, step == STEPS - 1 ? 2 : 1);
      }
      assert_int_equal(to->struck_count, count);
    }
  }
  flg_macro_contacts_forget_hits(from, STEPS);
  flg_macro_contacts_take_hits(to, from, STEPS - 1, 0, REST_PORTS);
  assert_int_equal(from->struck_count, 0);
  assert_int_equal(to->struck_count, 1); /* contact 1 of the last step, as before */
  flg_region_release(&region);
}

/* However often a contact is hit in a micro step, as by a driver with shorter ones, there is room.
 */
static void hits_of_one_contact_are_summed_up(void **state) {
  (void)state;
  random_source source = {80};
  flg_region region = {0};
  flg_macro_contacts *from = exchange(&source, &region), *to = exchange(&source, &region);
  flg_macro_contacts_forget_hits(from, STEPS);
  flg_macro_contacts_forget_hits(to, STEPS);
  strike_all(from, 1, 4);
  for (int k = 0; k < 3; k++) flg_macro_contacts_note_hits(from, 1);
  assert_int_equal(from->struck_count, 1);
  assert_struck(&from->struck[0], 3, 1, 3);
  for (int k = 0; k < 2; k++) flg_macro_contacts_take_hits(to, from, 1, 0, REST_PORTS);
  assert_int_equal(to->struck_count, OF_REST);
  for (int c = 0; c < OF_REST; c++) assert_struck(&to->struck[c], c, 1, 6);
  flg_region_release(&region);
}

/* All points that both sides can have, within what is asked for, or what is usual. */
static void there_is_room_for_what_shapes_can_have(void **state) {
  (void)state;
  static const struct {
    int own_ports, rest_ports, own_points, rest_points, most, capacity;
  } of[] = {{1, 0, 160, 0, 0, 160},
            {1, 2, 160, 300, 0, 460},
            {1, 2, 160, 300, 40, 40},
            {1, 2, 160, 300, 9000, 460},
            {1, 2, 900, 900, 0, FLG_CONTACTS_USUAL},
            {1, 2, 900, 900, 1500, 1500},
            {200, 200, 5000, 5000, 0, 3200},
            {INT_MAX / 2, INT_MAX / 2, INT_MAX, INT_MAX, 0, FLG_CONTACTS_MOST},
            {1, 1, INT_MAX, INT_MAX, INT_MAX, FLG_CONTACTS_MOST}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    const flg_macro_contacts_size size = {.own_ports = of[k].own_ports,
                                          .rest_ports = of[k].rest_ports,
                                          .own_points = of[k].own_points,
                                          .rest_points = of[k].rest_points,
                                          .most = of[k].most};
    assert_int_equal(flg_macro_contacts_capacity(&size), of[k].capacity);
  }
}

static void hits_push_both_ends(void **state) {
  (void)state;
  random_source source = {81};
  flg_region region = {0};
  flg_macro_contacts *of = exchange(&source, &region);
  flg_spatial expected[OWN_PORTS + REST_PORTS] = {{{0}, {0}}};
  double own[PORT * OWN_PORTS] = {0}, rest[PORT * REST_PORTS] = {0};
  strike_all(of, 0, 3);
  for (int c = 0; c < ALL; c++) {
    for (int i = 0; i < ROWS_OF[c] && c != 3; i++) {
      for (int e = 0; e < 2; e++) {
        if (ENDS[c][e] < 0) continue;
        flg_spatial *to = &expected[ENDS[c][e]];
        *to = flg_spatial_add_scaled(*to, sample(0, FIRST_ROW[c] + i), of->list[c].side[e][i]);
      }
    }
  }
  flg_macro_contacts_add_hits(of, FLG_MACRO_HITS, own, rest);
  assert_int_equal(flg_macro_contacts_own_hits(of), 1);
  for (int p = 0; p < OWN_PORTS + REST_PORTS; p++) {
    double numbers[PORT];
    flg_spatial_store(expected[p], numbers);
    assert_true(max_difference(numbers, p == 0 ? own : rest + (ptrdiff_t)PORT * (p - 1), PORT) <
                1e-13);
  }
  flg_region_release(&region);
}

static void contacts_are_expected_as_another_run_has_solved_them(void **state) {
  (void)state;
  random_source source = {82};
  flg_region region = {0};
  flg_macro_contacts *from = exchange(&source, &region), *to = exchange(&source, &region);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < ALL_ROWS; i++) {
      from->rows[FLG_MACRO_IMPULSES][i] = sample(step, i);
      from->states[i] = (unsigned char)((step + i) % 3);
    }
    flg_macro_contacts_record(from, step);
    assert_int_equal(from->expected_count, ALL - OF_REST);
    for (int k = 0; k < ALL - OF_REST; k++) {
      assert_int_equal(from->expected[k].key, 100 + OF_REST + k);
      assert_true(from->expected[k].impulses[0] == sample(step, FIRST_ROW[OF_REST + k]));
    }
  }
  for (int step = 0; step < STEPS; step++) {
    /* our steps are half as long as theirs */
    assert_true(flg_macro_contacts_take(to, from, step, 0, 1, 2));
    assert_int_equal(to->expected_count, 2);
    for (int k = 0; k < 2; k++) {
      const int c = 2 * k;
      assert_int_equal(to->expected[k].key, 100 + c);
      for (int i = 0; i < ROWS_OF[c]; i++) {
        assert_true(to->expected[k].impulses[i] == sample(step, FIRST_ROW[c] + i) / 2);
        assert_int_equal(to->expected[k].states[i], (step + FIRST_ROW[c] + i) % 3);
      }
    }
    assert_true(flg_macro_contacts_take(to, from, step, 1, 2, 1));
    assert_int_equal(to->expected_count, 1);
    assert_int_equal(to->expected[0].key, 101);
    assert_false(flg_macro_contacts_take(to, from, step, REST_PORTS, REST_PORTS + 1, 1));
    assert_int_equal(to->expected_count, 0);
  }
  flg_region_release(&region);
}

/* --- contacts of the rest on their way ----------------------------------------------------------
 */

/* A ball with its centre off its port, whose lowest point touches: after a turn, the point is below
 * the centre again, which has gone on with the body. A wheel about its axle does the same. */
static void round_surfaces_roll_about_their_centres(void **state) {
  (void)state;
  const flg_vec3 up = {0, 0, 1}, axle = {0, 1, 0}, centre = {0.3, 0, 0.4};
  const double radius = 0.2, turned = 0.5, speed = -0.1;
  for (int wheel = 0; wheel < 2; wheel++) {
    double errors[2];
    for (int fine = 0; fine < 2; fine++) {
      const int steps = 1000 * (1 + fine);
      random_source source = {83};
      flg_region region = {0};
      flg_macro_contacts *of = exchange(&source, &region);
      flg_macro_contact *contact = &of->list[0];
      of->count = of->rest_count = 1, of->near_count = 1, of->near[0] = 1;
      contact->end[0] = 0, contact->end[1] = -1, contact->rows = 1, contact->gap = 0;
      contact->round[0] = (flg_round){.radius = radius};
      if (wheel) contact->round[0].along = (flg_vec3){1, 0, 0};
      contact->arm[0] = flg_vec3_add_scaled(centre, -radius, up);
      contact->side[0][0] = (flg_spatial){up, flg_vec3_cross(contact->arm[0], up)};
      const double velocities[PORT * REST_PORTS] = {0, 0, speed, 0, turned, 0};
      for (int k = 0; k < steps; k++) flg_macro_contacts_advance(of, velocities, 1.0 / steps);
      const flg_vec3 gone = flg_quat_rotate(flg_quat_exp(flg_vec3_scale(axle, turned)), centre);
      const flg_vec3 arm = flg_vec3_add_scaled(gone, -radius, up);
      errors[fine] = flg_vec3_norm(flg_vec3_subtract(contact->arm[0], arm)) +
                     fabs(contact->gap - (speed + gone.z - centre.z));
      flg_region_release(&region);
    }
    assert_true(errors[0] < 2e-4);
    assert_near(errors[1] / errors[0], 0.5, 5e-4); /* explicit steps are of order 1 */
  }
}

/* What is round along a line only turns about the normal with its body; normals of contacts that
 * may not change stay, and their acceleration towards the axis adds up in `drift`. */
static void lines_of_contact_turn_about_the_normal(void **state) {
  (void)state;
  random_source source = {84};
  flg_region region = {0};
  flg_macro_contacts *of = exchange(&source, &region);
  flg_macro_contact *contact = &of->list[1];
  of->list[0] = *contact, contact = &of->list[0]; /* its moving end is the second one */
  of->count = of->rest_count = 1, of->near_count = 1, of->near[0] = 2;
  contact->end[0] = -1, contact->end[1] = 0, contact->gap = 1;
  contact->side[1][0].linear = (flg_vec3){0, 0, 1};
  contact->round[1] = (flg_round){.radius = 0.1, .along = {1, 0, 0}};
  contact->arm[1] = (flg_vec3){0.2, 0, 0};
  contact->side[1][0].angular = flg_vec3_cross(contact->arm[1], contact->side[1][0].linear);
  const double velocities[PORT * REST_PORTS] = {[PORT + 2] = 3, [PORT + 5] = 0.7};
  flg_macro_contacts_advance(of, velocities, 0.5);
  const flg_vec3 along = contact->round[1].along;
  assert_near(along.x, cos(0.35), 1e-15);
  assert_near(along.y, sin(0.35), 1e-15);
  assert_near(along.z, 0, 1e-15);
  assert_near(contact->arm[1].y, 0.2 * 0.35, 1e-15);
  assert_near(contact->side[1][0].angular.x, 0.2 * 0.35, 1e-15);
  assert_near(contact->gap, 1 + 0.5 * 3, 1e-15);
  of->kind = FLG_REST_OPENING, contact->pull = 4, contact->drift = 0;
  for (int k = 0; k < 2; k++) flg_macro_contacts_advance(of, velocities, 0.5);
  assert_near(contact->drift, 4, 1e-15);
  assert_near(contact->gap, 2.5 + 2 * 0.5 * 3 + 0.5 * 2, 1e-14); /* with the drift of one step */
  assert_near(contact->round[1].along.y, sin(0.35), 1e-15);
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_follow_their_law_at_any_ports),
      cmocka_unit_test(a_port_without_contacts_changes_nothing),
      cmocka_unit_test(what_joints_hold_does_not_yield),
      cmocka_unit_test(hits_are_handed_over_step_by_step),
      cmocka_unit_test(hits_of_one_contact_are_summed_up),
      cmocka_unit_test(there_is_room_for_what_shapes_can_have),
      cmocka_unit_test(hits_push_both_ends),
      cmocka_unit_test(contacts_are_expected_as_another_run_has_solved_them),
      cmocka_unit_test(round_surfaces_roll_about_their_centres),
      cmocka_unit_test(lines_of_contact_turn_about_the_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
