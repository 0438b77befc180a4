/* Loaded before a program (LD_PRELOAD): allocations fail, counted from 1 over malloc and its kin.
 *
 *   FAULTS_ALLOCATION=N   allocation N fails; with FAULTS_LASTING set all after it fail, too
 *   FAULTS_TALK=FD        the program is forked at its allocations: the copy is the one that fails,
 *                         alone and then lasting, and `allocations` on the other end of socket FD
 *                         judges what becomes of it; FAULTS_FIRST and FAULTS_PARTS choose cases
 *   FAULTS_ERRORS=FILE    where copies write their messages
 *   FAULTS_INTERRUPT=1    programs that fail interrupt themselves after a while: they are servers
 *
 * It stands where glibc's allocator is, behind programs that replace malloc themselves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocations.h"

enum { DESCRIPTORS = 64, CPU_SECONDS = 10, TICK_MICROSECONDS = 100000, TICKS = 600 };

static atomic_long counted;
static long failing = -1, first, parts = 1;
static int lasting, talk = -1, is_server;
static bool is_asking, has_threads;

/* ---- copies of the program ---- */

static long tell(fault_step step, long number, long value) {
  const fault_message message = {step, number, value};
  fault_message answer;
  if (write(talk, &message, sizeof message) != sizeof message ||
      read(talk, &answer, sizeof answer) != sizeof answer) {
    _exit(98);
  }
  return answer.value;
}

/* A server is done after one tick, what sleeps for ever is ended after many. */
static void tick(int number) {
  static int ticks;
  (void)number;
  if (is_server) kill(getpid(), SIGINT);
  if (++ticks > TICKS) kill(getpid(), SIGKILL);
}

static void bound_time(void) {
  setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_SECONDS, CPU_SECONDS});
  signal(SIGALRM, tick);
  const struct timeval period = {.tv_usec = TICK_MICROSECONDS};
  setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
}

static void become_copy(long number, int lasts) {
  const char *errors = getenv("FAULTS_ERRORS");
  const int file = errors == NULL ? -1 : open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0) dup2(file, STDERR_FILENO);
  close(talk);
  talk = -1, failing = number, lasting = lasts;
  bound_time();
}

/* Returns true in the copy. */
static bool try_case(long number, int lasts) {
  off_t places[DESCRIPTORS];
  int status = 0;
  for (int k = 0; k < DESCRIPTORS; k++) places[k] = lseek(k, 0, SEEK_CUR);
  tell(FAULT_BEGINS, number, lasts);
  const pid_t copy = fork();
  if (copy == 0) {
    become_copy(number, lasts);
    return true;
  }
  if (copy < 0) _exit(97);
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) continue;
  tell(FAULT_ENDED, number, status);
  for (int k = 0; k < DESCRIPTORS; k++) {
    if (places[k] >= 0) lseek(k, places[k], SEEK_SET);
  }
  return false;
}

/* A copy has no other threads than its own: such cases are left to a program of their own. */
static bool fork_here(long number) {
  is_asking = true; /* fork allocates */
  for (int lasts = 0; lasts < 2; lasts++) {
    if ((first + 2 * (number - 1) + lasts) % parts != 0) continue;
    if (has_threads) {
      tell(FAULT_LEFT, number, lasts);
    } else if (try_case(number, lasts)) {
      is_asking = false;
      return true;
    }
  }
  is_asking = false;
  return false;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  has_threads = true;
  return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}

/* ---- allocations ---- */

static int fails(void) {
  if (is_asking) return 0;
  const long number = atomic_fetch_add(&counted, 1) + 1;
  if (talk >= 0 && !fork_here(number)) return 0;
  if (failing < 0 || (lasting ? number < failing : number != failing)) return 0;
  errno = ENOMEM;
  return 1;
}

/* the next of that name, which is glibc's: found without an allocation */
#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))
typedef void *allocate(size_t);
typedef void *allocate_two(size_t, size_t);
typedef void *reallocate(void *, size_t);

void *__libc_malloc(size_t size) {
  static allocate *next;
  if (next == NULL) next = NEXT("__libc_malloc", allocate *);
  return fails() ? NULL : next(size);
}

void *__libc_calloc(size_t count, size_t size) {
  static allocate_two *next;
  if (next == NULL) next = NEXT("__libc_calloc", allocate_two *);
  return fails() ? NULL : next(count, size);
}

void *__libc_realloc(void *old, size_t size) {
  static reallocate *next;
  if (next == NULL) next = NEXT("__libc_realloc", reallocate *);
  return fails() ? NULL : next(old, size);
}

void *__libc_memalign(size_t alignment, size_t size) {
  static allocate_two *next;
  if (next == NULL) next = NEXT("__libc_memalign", allocate_two *);
  return fails() ? NULL : next(alignment, size);
}

void *malloc(size_t size) {
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *taken = __libc_memalign(alignment, size);
  if (taken == NULL) return ENOMEM;
  *block = taken;
  return 0;
}

/* what the loader and libraries take before main is not the program's */
__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("FAULTS_ALLOCATION"), *socket = getenv("FAULTS_TALK"),
             *chosen = getenv("FAULTS_FIRST"), *share = getenv("FAULTS_PARTS");
  atomic_store(&counted, 0);
  if (number != NULL) failing = atol(number);
  lasting = getenv("FAULTS_LASTING") != NULL;
  is_server = getenv("FAULTS_INTERRUPT") != NULL;
  if (chosen != NULL) first = atol(chosen);
  if (share != NULL) parts = atol(share);
  if (socket != NULL) talk = atoi(socket);
  if (failing >= 0) bound_time();
  unsetenv("LD_PRELOAD"); /* a compiler that the program calls is another program */
}

__attribute__((destructor)) static void end(void) {
  if (talk >= 0) tell(FAULT_COUNTED, atomic_load(&counted), 0);
}
