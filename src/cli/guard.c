#include "cli/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/console.h"

enum { LEAST_SECONDS = 8, BYTES_A_SECOND = 1 << 22 }; /* of CPU: reading takes a hundredth of it */

/* libhdf5 goes round in circles in some broken files */
static void bound_time(const flg_arguments *arguments) {
  rlim_t seconds = LEAST_SECONDS;
  for (int k = 0; k < arguments->positional_count; k++) {
    struct stat about;
    if (stat(arguments->positionals[k], &about) != 0 || about.st_size < 0) continue;
    seconds += (rlim_t)about.st_size / BYTES_A_SECOND;
  }
  struct rlimit limit;
  if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur <= seconds) return;
  limit.rlim_cur = seconds;
  (void)setrlimit(RLIMIT_CPU, &limit);
}

static bool is_crash(int number) {
  return number == SIGXCPU || number == SIGSEGV || number == SIGABRT || number == SIGBUS ||
         number == SIGFPE || number == SIGILL;
}

static int tell_signal(const flg_arguments *arguments, int number) {
  const char *file = arguments->positional_count > 0 ? arguments->positionals[0] : "";
  flg_error error;
  flg_fail(&error, FLG_ERR_INPUT, "'%s' is broken in a way that the HDF5 library does not %s (%s).",
           file, number == SIGXCPU ? "come to an end with" : "survive", strsignal(number));
  return flg_console_fail(arguments, &error);
}

int flg_guard_run(const flg_arguments *arguments, int (*work)(const flg_arguments *arguments)) {
  int status = 0;
  (void)fflush(stdout); /* judged when the copy ends */
  const pid_t copy = fork();
  if (copy < 0) return work(arguments);
  if (copy == 0) {
    bound_time(arguments);
    exit(flg_console_finish(work(arguments))); /* the library is closed in the copy, too */
  }
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int number = WTERMSIG(status);
  if (is_crash(number)) return tell_signal(arguments, number);
  (void)signal(number, SIG_DFL);
  (void)raise(number);
  return EXIT_FAILURE;
}
