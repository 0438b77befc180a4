/* ode_lcp.h - ODE's solver of linear complementarity problems. It is not in ODE's headers, but its
 * library lets it be found. */
#ifndef FLG_BENCH_ODE_LCP_H
#define FLG_BENCH_ODE_LCP_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* next and first free byte, end, begin, manager */
typedef struct ode_memory {
  void *next, *first, *end, *begin;
  const void *manager;
} ode_memory;

/* Rows of the matrix are a multiple of 4 long. load: pairs of -q and x; bounds: pairs of the lower
 * and the upper one. The matrix is spoilt. */
typedef void (*ode_solver)(ode_memory *, unsigned rows, double *matrix, double *load, double *w,
                           unsigned unbounded, double *bounds, int *friction_rows);

static inline void ode_say_nothing(int number, const char *format, va_list list) {
  (void)number, (void)format, (void)list;
}

/* NULL: not installed. What it says of problems that it does not solve is not printed. */
static inline ode_solver find_ode(void) {
  ode_solver solve = NULL;
  void (*handle_messages)(void (*)(int, const char *, va_list)) = NULL;
  void *library = dlopen("libode.so.8", RTLD_NOW);
  if (library == NULL) return NULL;
  void *symbol = dlsym(library, "_Z10dxSolveLCPP22dxWorldProcessMemArenajPdS1_S1_jS1_Pi");
  memcpy(&solve, &symbol, sizeof solve);
  symbol = dlsym(library, "dSetMessageHandler");
  memcpy(&handle_messages, &symbol, sizeof handle_messages);
  if (handle_messages != NULL) handle_messages(ode_say_nothing);
  return solve;
}

#endif
