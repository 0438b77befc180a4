#include "base/memory_reserve.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void what_there_is_can_be_had(void **state) {
  (void)state;
  assert_true(flg_memory_reserve(1));
  assert_true(flg_memory_reserve(1 << 20));
  assert_true(flg_memory_reserve(1 << 20)); /* it was given back */
}

/* in a process of its own, whose addresses are bounded */
static void what_there_is_not_is_told(void **state) {
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(); /* sanitizers need all addresses */
#endif
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit room = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    setrlimit(RLIMIT_AS, &room);
    _exit(flg_memory_reserve(16 << 20) && !flg_memory_reserve((size_t)2 << 30) ? 0 : 1);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_there_is_can_be_had),
      cmocka_unit_test(what_there_is_not_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
