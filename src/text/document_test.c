#include "text/document.h"

#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

static flg_mistakes mistakes;

static flg_node *read_document(flg_region *region, const char *path, const char *override) {
  mistakes = (flg_mistakes){0};
  return flg_document_read(region, path, (flg_place){0}, &override, override == NULL ? 0 : 1,
                           &mistakes);
}

static const char *text_at(const flg_node *root, const char *outer, const char *inner) {
  const flg_node *map = flg_node_find(root, outer);
  assert_non_null(map);
  const flg_node *node = inner == NULL ? map : flg_node_find(map, inner);
  assert_non_null(node);
  return node->text;
}

static void what_a_file_says_goes_before_what_it_includes(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "base.yaml", "name: base\ntime: {end: 1, macro: 2}\n");
  const char *path = make_file(&folder, "top.yaml", "include: base.yaml\ntime: {end: 5}\n");
  flg_region region = {0};
  const flg_node *root = read_document(&region, path, NULL);
  assert_int_equal(mistakes.count, 0);
  assert_string_equal(text_at(root, "name", NULL), "base");
  assert_string_equal(text_at(root, "time", "end"), "5");
  assert_string_equal(text_at(root, "time", "macro"), "2");
  assert_null(flg_node_find(root, "include"));
  flg_region_release(&region);
  remove_folder(&folder);
}

static void an_override_goes_before_the_file(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "a.yaml", "time: {end: 1}\n");
  flg_region region = {0};
  assert_string_equal(text_at(read_document(&region, path, "time.end=7"), "time", "end"), "7");
  assert_string_equal(text_at(read_document(&region, path, "new.key=x"), "new", "key"), "x");
  assert_int_equal(mistakes.count, 0);
  read_document(&region, path, "time.end.deeper=7");
  assert_int_equal(mistakes.count, 1);
  read_document(&region, path, "nothing");
  assert_int_equal(mistakes.count, 1);
  flg_region_release(&region);
  remove_folder(&folder);
}

static void assert_refused(const char *path, flg_status status, const char *words) {
  flg_region region = {0};
  read_document(&region, path, NULL);
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(mistakes.status, status);
  if (strstr(mistakes.list[0].message, words) == NULL) fail_msg("%s", mistakes.list[0].message);
  flg_region_release(&region);
}

static void files_that_cannot_be_read_are_told_why(void **state) {
  (void)state;
  test_folder folder = make_folder();
  assert_refused("/no/such/file.yaml", FLG_ERR_MISSING, "No such file");
  assert_refused(folder.path, FLG_ERR_MISSING, "is a folder");
  assert_refused("/dev/zero", FLG_ERR_MISSING, "is a device");
  char pipe[300];
  snprintf(pipe, sizeof pipe, "%s/pipe", folder.path);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  assert_refused(pipe, FLG_ERR_MISSING, "is a pipe"); /* and does not wait for a writer */
  unlink(pipe);
  assert_refused(make_file(&folder, "empty.yaml", ""), FLG_ERR_INPUT, "is empty");
  assert_refused(make_file(&folder, "a.yaml", "include: b.yaml\n"), FLG_ERR_MISSING, "b.yaml");
  assert_refused(make_file(&folder, "c.yaml", "include: {a: 1}\n"), FLG_ERR_INPUT, "a map");
  remove_folder(&folder);
}

static void a_loop_of_includes_is_refused(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "a.yaml", "include: b.yaml\n");
  const char *b = make_file(&folder, "b.yaml", "x: 1\ninclude: [a.yaml]\n");
  assert_refused(b, FLG_ERR_INPUT, "includes itself");
  assert_refused(make_file(&folder, "self.yaml", "include: self.yaml\n"), FLG_ERR_INPUT,
                 "includes itself");
  remove_folder(&folder);
}

static void a_huge_file_is_refused_before_it_is_read(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "huge.yaml", "a: 1\n");
  assert_int_equal(truncate(path, 100000000), 0);
  assert_refused(path, FLG_ERR_INPUT, "has 95 MiB; files of at most 16 MiB");
  remove_folder(&folder);
}

/* each file includes the next ten times: 10^15 in all */
static void includes_that_multiply_are_refused(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = NULL;
  for (int k = 0; k < 15; k++) {
    char name[20], text[200] = "include: [";
    for (int i = 0; i < 10; i++) {
      snprintf(text + strlen(text), sizeof text - strlen(text), "%sf%d.yaml", i > 0 ? ", " : "", k);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "]\nx%d: 1\n", k);
    snprintf(name, sizeof name, "f%d.yaml", k + 1);
    if (k == 0) make_file(&folder, "f0.yaml", "y: 1\n");
    path = make_file(&folder, name, text);
  }
  assert_refused(path, FLG_ERR_INPUT, "more than 1000 files");
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_file_says_goes_before_what_it_includes),
      cmocka_unit_test(an_override_goes_before_the_file),
      cmocka_unit_test(files_that_cannot_be_read_are_told_why),
      cmocka_unit_test(a_loop_of_includes_is_refused),
      cmocka_unit_test(a_huge_file_is_refused_before_it_is_read),
      cmocka_unit_test(includes_that_multiply_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
