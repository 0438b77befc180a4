#include "base/opened_library.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* the C library's own mathematics, which every system has under this name */
#define NAMES(NAME)       NAME(hypot) NAME(signgam)
#define WRONG_NAMES(NAME) NAME(hypot) NAME(no_such_function)

void no_such_function(void);
extern int signgam;

static struct table { NAMES(FLG_OPENED_POINTER) } maths;
static const char *const maths_names[] = {NAMES(FLG_OPENED_NAME)};

static struct { WRONG_NAMES(FLG_OPENED_POINTER) } wrong;
static const char *const wrong_names[] = {WRONG_NAMES(FLG_OPENED_NAME)};

static flg_opened_library made(const char *file) {
  return (flg_opened_library){
      .file = file, .package = "libc6", .use = "a test", FLG_OPENED_TABLE(maths)};
}

static void functions_and_variables_are_found(void **state) {
  (void)state;
  flg_opened_library library = made("libm.so.6");
  memset(&maths, 0, sizeof maths);
  assert_int_equal(flg_opened_library_open(&library, NULL), FLG_OK);
  assert_true(maths.hypot(3, 4) == 5);
  assert_non_null(maths.signgam);
  const struct table before = maths;
  assert_int_equal(flg_opened_library_open(&library, NULL), FLG_OK); /* nothing more to do */
  assert_memory_equal(&maths, &before, sizeof maths);
}

static void a_missing_library_is_told(void **state) {
  (void)state;
  flg_opened_library library = made("libnowhere.so.7");
  flg_error error;
  memset(&maths, 0, sizeof maths);
  for (int time = 0; time < 2; time++) {
    assert_int_equal(flg_opened_library_open(&library, &error), FLG_ERR_MISSING);
    assert_non_null(strstr(error.message, "a test needs the library libnowhere.so.7"));
    assert_non_null(strstr(error.message, "(Debian: libc6)"));
  }
  assert_null(maths.hypot);
}

static void a_library_without_a_name_is_told_and_leaves_the_table(void **state) {
  (void)state;
  flg_opened_library library = {
      .file = "libm.so.6", .package = "libc6", .use = "a test", FLG_OPENED_TABLE(wrong)};
  flg_error error;
  assert_int_equal(flg_opened_library_open(&library, &error), FLG_ERR_MISSING);
  assert_non_null(strstr(error.message, "no_such_function"));
  assert_null(wrong.hypot);
  assert_null(wrong.no_such_function);
}

/* in a process of its own, whose addresses are bounded */
static void no_memory_is_told_apart_from_no_library(void **state) {
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(); /* sanitizers need all addresses */
#endif
  const pid_t child = fork();
  if (child == 0) {
    flg_opened_library library = made("libm.so.6");
    const struct rlimit room = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_AS, &room);
    _exit(flg_opened_library_open(&library, NULL) == FLG_ERR_MEMORY ? 0 : 1);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void *open_in_thread(void *library) {
  const bool is_open = flg_opened_library_open(library, NULL) == FLG_OK;
  return is_open && maths.hypot(6, 8) == 10 ? library : NULL;
}

static void threads_may_open_at_once(void **state) {
  (void)state;
  flg_opened_library library = made("libm.so.6");
  pthread_t threads[4];
  memset(&maths, 0, sizeof maths);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(pthread_create(&threads[k], NULL, open_in_thread, &library), 0);
  }
  for (int k = 0; k < 4; k++) {
    void *result = NULL;
    pthread_join(threads[k], &result);
    assert_ptr_equal(result, &library);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_and_variables_are_found),
      cmocka_unit_test(a_missing_library_is_told),
      cmocka_unit_test(a_library_without_a_name_is_told_and_leaves_the_table),
      cmocka_unit_test(no_memory_is_told_apart_from_no_library),
      cmocka_unit_test(threads_may_open_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
