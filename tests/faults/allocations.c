/* allocations - one command of the tool, of which each allocation fails in turn, alone and with all
 * after it. The command runs once: it is forked at each allocation (failing_malloc.c), the copy
 * gets none, and ends with 'out of memory', exit code 71, or with the same files as ever. After it
 * all files are put back as they were.
 *
 *   allocations SHIM WORK FIRST PARTS COMMAND...     outputs of the command are in WORK/out,
 *                                                   what it prints in WORK/out/said.txt
 *
 * Case k is run if FIRST + k is a multiple of PARTS; there are two cases for each allocation. The
 * last line is `allocations: N cases, N tried, N failed`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocations.h"
#include "folder.h"

enum { EXIT_MEMORY = 71, LEFT_MOST = 20000, SAME_TIMES = 4 };
enum { SILENCE_MILLISECONDS = 1000, SILENCES_MOST = 60 };

typedef struct run_case {
  long number;
  int lasts;
} run_case;

static struct {
  char out[FOLDER_PATH], keep[FOLDER_PATH], errors[FOLDER_PATH], said[FOLDER_PATH];
  const char *shim;
  char **command;
  bool is_server, prints_clock;
  folder_content expected, before, after;
  long cases, tried, failed;
  run_case left[LEFT_MOST]; /* to be run from the start */
  int left_count;
} all;

static void give_up(const char *what) {
  fprintf(stderr, "allocations: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void empty(const char *folder) {
  static const folder_content nothing;
  folder_restore(folder, &nothing, all.keep);
}

/* ---- judging ---- */

__attribute__((format(printf, 2, 3))) static void fail(run_case of, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("FAILED:");
  for (char **word = all.command + 1; *word != NULL; word++) printf(" %s", *word);
  printf(": allocation %ld%s: ", of.number, of.lasts ? " and all after it" : "");
  vprintf(format, arguments);
  printf("\n");
  va_end(arguments);
  all.failed++;
}

static const char *errors_of_copy(void) {
  static char text[4096];
  const int file = open(all.errors, O_RDONLY);
  const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
  text[length < 0 ? 0 : length] = '\0';
  if (file >= 0) close(file);
  return text;
}

/* HDF5 and HTML hold times of the clock, and so does what some commands print. */
static bool has_same_bytes(const folder_entry *one, const folder_entry *other) {
  const char *end = strrchr(one->path, '.');
  if (all.prints_clock && strcmp(one->path, all.said) == 0) return true;
  if (end == NULL || strcmp(end, ".h5") == 0 || strcmp(end, ".html") == 0) return true;
  return one->length == other->length && memcmp(one->bytes, other->bytes, one->length) == 0;
}

static const char *find_difference(void) {
  const int count = all.expected.count;
  for (int k = 0; k < count && k < all.after.count; k++) {
    const folder_entry *one = &all.expected.entries[k], *other = &all.after.entries[k];
    if (strcmp(one->path, other->path) != 0 || !has_same_bytes(one, other)) return other->path;
  }
  return all.after.count == count ? NULL : "the number of files";
}

static void judge(run_case of, int status) {
  all.tried++;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (all.is_server && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) return; /* too early */
  if (WIFSIGNALED(status)) {
    fail(of, "ended by signal %d", WTERMSIG(status));
  } else if (code == EXIT_MEMORY) {
    if (strstr(errors_of_copy(), "out of memory") == NULL) fail(of, "exit code 71 without a word");
  } else if (code != 0) {
    fail(of, "exit code %d: %s", code, errors_of_copy());
  } else {
    folder_read(all.out, &all.after);
    const char *difference = find_difference();
    if (difference != NULL) fail(of, "exit code 0, but %s differs", difference);
  }
}

/* ---- running ---- */

static int open_for(const char *path) {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static void set_number(const char *name, long number) {
  char digits[32];
  snprintf(digits, sizeof digits, "%ld", number);
  setenv(name, digits, 1);
}

/* The command in a process of its own; `prepare` sets its environment. */
static pid_t start(const char *errors, void (*prepare)(const void *), const void *context) {
  const pid_t process = fork();
  if (process < 0) give_up("fork");
  if (process > 0) return process;
  const rlim_t bytes = (rlim_t)4 << 30;
  setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open_for(all.said), STDOUT_FILENO);
  dup2(open_for(errors), STDERR_FILENO);
  signal(SIGINT, SIG_DFL); /* shells ignore it in what they run in the background */
  prepare(context);
  setenv("LD_PRELOAD", all.shim, 1);
  if (all.is_server) setenv("FAULTS_INTERRUPT", "1", 1);
  execv(all.command[0], all.command);
  _exit(127);
}

static void prepare_failing(const void *context) {
  const run_case *of = context;
  set_number("FAULTS_ALLOCATION", of->number);
  if (of->lasts) setenv("FAULTS_LASTING", "1", 1);
}

static void run_from_start(run_case of) {
  int status = 0;
  empty(all.out);
  const pid_t process = start(all.errors, prepare_failing, &of);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  judge(of, status);
}

typedef struct talk_of {
  int socket;
  long first, parts;
} talk_of;

static void prepare_talking(const void *context) {
  const talk_of *with = context;
  set_number("FAULTS_TALK", dup(with->socket));
  set_number("FAULTS_FIRST", with->first);
  set_number("FAULTS_PARTS", with->parts);
  setenv("FAULTS_ERRORS", all.errors, 1);
}

static void take(const fault_message *message) {
  static run_case current;
  const run_case of = {message->number, (int)message->value};
  switch (message->step) {
    case FAULT_BEGINS:
      current = of;
      folder_read(all.out, &all.before);
      folder_link(&all.before, all.keep);
      break;
    case FAULT_ENDED:
      judge(current, (int)message->value);
      folder_restore(all.out, &all.before, all.keep);
      break;
    case FAULT_LEFT:
      if (all.left_count == LEFT_MOST) give_up("too many cases with threads");
      all.left[all.left_count++] = of;
      break;
    case FAULT_COUNTED:
      all.cases = 2 * message->number;
      break;
  }
}

/* A server has printed its address once it can be interrupted. One that still runs after many
 * interrupts is killed, which check_end() tells. */
static void interrupt_server(pid_t process, int silences) {
  struct stat about;
  const bool serves = stat(all.said, &about) == 0 && about.st_size > 0;
  if (serves) kill(process, SIGINT);
  if (silences > SILENCES_MOST) kill(process, SIGKILL);
}

/* Answers all that the program says until it ends; a server that says nothing is interrupted. The
 * program says nothing while one of its copies runs, which has a clock of its own. */
static void listen_to(pid_t process, int socket) {
  bool is_copied = false;
  for (;;) {
    fault_message message;
    struct pollfd from = {.fd = socket, .events = POLLIN};
    const bool is_idle = all.is_server && !is_copied;
    for (int k = 1; is_idle && poll(&from, 1, SILENCE_MILLISECONDS) == 0; k++) {
      interrupt_server(process, k);
    }
    if (read(socket, &message, sizeof message) != sizeof message) return;
    is_copied = message.step == FAULT_BEGINS;
    take(&message);
    if (write(socket, &message, sizeof message) != sizeof message) return;
  }
}

static void check_end(pid_t process, const char *errors) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  printf("FAILED: %s %s does not run without faults: see %s\n", all.command[1], all.command[2],
         errors);
  exit(2);
}

static void run_forked(long first, long parts) {
  int ends[2];
  char errors[FOLDER_PATH + 8];
  snprintf(errors, sizeof errors, "%s.whole", all.errors);
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) give_up("socketpair");
  empty(all.out);
  const talk_of with = {ends[1], first, parts};
  const pid_t process = start(errors, prepare_talking, &with);
  close(ends[1]);
  listen_to(process, ends[0]);
  close(ends[0]);
  check_end(process, errors);
}

static void prepare_nothing(const void *context) {
  (void)context;
}

/* what the command leaves when nothing fails */
static void run_whole(void) {
  empty(all.out);
  const pid_t process = start(all.errors, prepare_nothing, NULL);
  siginfo_t ended = {0};
  for (int k = 1; all.is_server && ended.si_pid == 0; k++) {
    usleep(SILENCE_MILLISECONDS * 1000);
    interrupt_server(process, k);
    waitid(P_PID, (id_t)process, &ended, WEXITED | WNOHANG | WNOWAIT);
  }
  check_end(process, all.errors);
}

static void learn_expected(void) {
  run_whole();
  folder_read(all.out, &all.expected);
  /* two runs may print the same time */
  for (int k = 0; k < SAME_TIMES && !all.prints_clock; k++) {
    run_whole();
    folder_read(all.out, &all.after);
    all.prints_clock = find_difference() != NULL;
  }
}

int main(int count, char **words) {
  if (count < 6) {
    fprintf(stderr, "usage: allocations SHIM WORK FIRST PARTS COMMAND...\n");
    return 64;
  }
  all.shim = words[1], all.command = words + 5;
  all.is_server = words[6] != NULL && strcmp(words[6], "view") == 0;
  snprintf(all.out, sizeof all.out, "%s/out", words[2]);
  snprintf(all.keep, sizeof all.keep, "%s/kept", words[2]);
  snprintf(all.errors, sizeof all.errors, "%s/errors", words[2]);
  snprintf(all.said, sizeof all.said, "%s/out/said.txt", words[2]);
  if (mkdir(all.keep, 0777) != 0 && errno != EEXIST) give_up(all.keep);
  learn_expected();
  run_forked(atol(words[3]), atol(words[4]));
  for (int k = 0; k < all.left_count; k++) run_from_start(all.left[k]);
  empty(all.keep);
  printf("allocations: %ld cases, %ld tried, %ld failed\n", all.cases, all.tried, all.failed);
  return all.failed > 0;
}
