/* Contacts of a macro run by themselves: what they push with fulfils the law of each, whether they
 * are at one port or at several.
 */
#include "macro/macro_contacts.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_follow_their_law_at_any_ports),
      cmocka_unit_test(a_port_without_contacts_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
