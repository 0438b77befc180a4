#include "cli/interrupts.h"

#include <signal.h>
#include <stddef.h>

volatile int flg_interrupted;

static void stop_on_signal(int signal_number) {
  (void)signal_number;
  flg_interrupted = 1;
}

void flg_interrupts_listen(void) {
  struct sigaction action = {.sa_handler = stop_on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGXFSZ, SIG_IGN); /* a file size limit is reported by the write that meets it */
}
