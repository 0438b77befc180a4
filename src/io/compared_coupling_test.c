#include "io/compared_coupling.h"

#include "check.h"

typedef struct reading {
  flg_compared_coupling coupling;
  flg_region region;
  flg_mistakes mistakes;
  bool is_good;
} reading;

static void read_text(reading *to, const char *text) {
  *to = (reading){0};
  to->is_good = flg_compared_coupling_read(&to->coupling, text,
                                           (flg_place){.file = "here", .line = 3, .column = 7},
                                           &to->region, &to->mistakes);
  assert_true(to->is_good == (to->mistakes.count == 0));
}

static void a_scheme_stands_alone_or_with_options(void **state) {
  (void)state;
  static reading in;
  read_text(&in, "parallel");
  assert_true(in.is_good);
  assert_string_equal(in.coupling.text, "parallel");
  assert_int_equal(in.coupling.settings.count, 0);
  flg_region_release(&in.region);
  read_text(&in, "  sequential \t order=hand,arm   feedback=1/4 ");
  assert_true(in.is_good);
  assert_string_equal(in.coupling.text, "sequential order=hand,arm feedback=1/4");
  assert_string_equal(in.coupling.scheme, "sequential");
  assert_int_equal(in.coupling.settings.count, 2);
  assert_string_equal(in.coupling.settings.items[0].name, "coupling.order=[hand,arm]");
  assert_string_equal(in.coupling.settings.items[1].name, "coupling.feedback=1/4");
  assert_int_equal(in.coupling.keys.order.count, 2);
  assert_near(in.coupling.keys.feedback, 0.25, 0);
  flg_region_release(&in.region);
}

static void refuse(const char *text, const char *words) {
  static reading in;
  read_text(&in, text);
  assert_false(in.is_good);
  if (strstr(in.mistakes.list[0].message, words) == NULL) {
    fail_msg("'%s': %s", text, in.mistakes.list[0].message);
  }
  assert_string_equal(in.mistakes.list[0].file, "here");
  assert_int_equal(in.mistakes.list[0].line, 3);
  flg_region_release(&in.region);
}

static void mistakes_are_told_where_the_coupling_stands(void **state) {
  (void)state;
  refuse("", "there is no coupling ''");
  refuse("paralel contacts=smooth", "did you mean 'parallel'");
  refuse("parallel contact=smooth", "did you mean 'contacts'");
  refuse("parallel contacts=smoth", "did you mean 'smooth'");
  refuse("parallel stiffness=-1", "greater than 0");
  refuse("parallel contacts", "expected an option");
  refuse("parallel =smooth", "expected an option");
  refuse("parallel contacts=", "expected an option");
  refuse("parallel contacts=#", "this is no value");
  refuse("parallel scheme=hold", "the scheme is the first word");
  refuse("parallel contacts=smooth contacts=smooth", "it stands there twice");
  refuse("parallel order=[a", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scheme_stands_alone_or_with_options),
      cmocka_unit_test(mistakes_are_told_where_the_coupling_stands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
