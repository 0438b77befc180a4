#include "cli/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/console.h"

static bool is_crash(int number) {
  return number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE ||
         number == SIGILL;
}

static int tell(const flg_arguments *arguments, int number) {
  const char *file = arguments->positional_count > 0 ? arguments->positionals[0] : "";
  flg_error error;
  flg_fail(&error, FLG_ERR_INPUT,
           "'%s' is broken in a way that the HDF5 library does not survive (%s).", file,
           strsignal(number));
  return flg_console_fail(arguments, &error);
}

int flg_guard_run(const flg_arguments *arguments, int (*work)(const flg_arguments *arguments)) {
  int status = 0;
  fflush(stdout);
  const pid_t copy = fork();
  if (copy < 0) return work(arguments);
  if (copy == 0) exit(flg_console_finish(work(arguments))); /* the library is closed in the copy */
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int number = WTERMSIG(status);
  if (is_crash(number)) return tell(arguments, number);
  signal(number, SIG_DFL);
  raise(number);
  return EXIT_FAILURE;
}
