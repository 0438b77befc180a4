#include "subsystem/test_bodies.h"

static void a_box_at_rest_stays_where_it_is(void **state) {
  (void)state;
  test_bodies *all = bodies_new(0.5, 0);
  const flg_contacts_options options = flg_contacts_default();
  bodies_floor(all);
  test_body *box = bodies_box(all, 2, (flg_vec3){0.4, 0.3, 0.2}, (flg_vec3){0, 0, 0.1});
  bodies_build(all, &options);
  for (int k = 0; k < 1000; k++) bodies_step(all, 0.01);
  const flg_contacts_report report = flg_contacts_report_view(all->contacts);
  assert_int_equal(report.closed, 4);
  assert_near(box->position.z, 0.1, 1e-12);
  assert_near(flg_vec3_norm(box->velocity), 0, 1e-12);
  double force = 0;
  for (int k = 0; k < 4; k++) force += flg_contacts_view(all->contacts, k).force[0];
  assert_near(fabs(force), 2 * 9.81, 1e-9);
  bodies_drop(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_at_rest_stays_where_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
