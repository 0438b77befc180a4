/* outside.c - what a program of somebody else may do with the installed headers and library.
 *
 * Prints the version, then `ok`; tests/outside/check compares. Add a line for each public header.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "flange/simulation.h"
#include "flange/status.h"
#include "flange/threads.h"
#include "flange/version.h"

static void keep(void *user, flg_log_level level, const char *message) {
  (void)level;
  snprintf(user, 40, "%s", message);
}

static int arena_gives_zeroed_memory(void) {
  flg_arena arena = {0};
  flg_error error = {0};
  if (flg_arena_build(&arena, 1000, &error) != FLG_OK) return 0;
  const double *piece = flg_arena_take(&arena, 4, sizeof(double));
  const int zeroed = piece != NULL && piece[3] == 0;
  flg_arena_release(&arena);
  return zeroed;
}

static int failure_says_why(void) {
  flg_error error = {0};
  const flg_status status = flg_fail(&error, FLG_ERR_RANGE, "The mass %g is negative.", -1.0);
  return status == FLG_ERR_RANGE && strcmp(error.message, "The mass -1 is negative.") == 0;
}

static int log_reaches_the_sink(void) {
  char last[40] = "";
  const flg_log log = {.level = FLG_LOG_INFO, .sink = keep, .user = last};
  flg_log_write(&log, FLG_LOG_INFO, "step %d", 7);
  return strcmp(last, "step 7") == 0;
}

/* The published FNV-1a hash of the letter a. */
static int hash_is_fnv1a(void) {
  return flg_hash(FLG_HASH_SEED, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c);
}

static void square(void *context, int index) {
  ((int *)context)[index] = index * index;
}

static int threads_share_a_loop(void) {
  int squares[100] = {0};
  flg_threads *threads = NULL;
  flg_error error = {0};
  if (flg_threads_build(&threads, 2, &error) != FLG_OK) return 0;
  flg_threads_for(threads, 100, square, squares);
  flg_threads_release(threads);
  int sum = 0;
  for (int k = 0; k < 100; k++) sum += squares[k];
  return sum == 328350;
}

/* The installed example: a pendulum that is back where it started after 3 s would be a wonder. */
static int simulation_runs(const char *path) {
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  flg_error error = {0};
  if (flg_simulation_load(&simulation, path, NULL, 0, &mistakes) != FLG_OK) return 0;
  const uint64_t start = flg_simulation_hash(simulation);
  while (!flg_simulation_ended(simulation) && flg_simulation_step(simulation, &error) == FLG_OK) {}
  const int moved = flg_simulation_ended(simulation) && flg_simulation_hash(simulation) != start;
  flg_simulation_release(simulation);
  return moved;
}

int main(int count, char **words) {
  if (count < 2 || !simulation_runs(words[1])) return 2;
  if (!arena_gives_zeroed_memory() || !failure_says_why() || !log_reaches_the_sink() ||
      !hash_is_fnv1a() || !threads_share_a_loop()) {
    return 1;
  }
  printf("%s\nok\n", FLG_VERSION);
  return 0;
}
