#include "stored/rounding.h"

#include <math.h>
#include <string.h>

#include "random.h"

uint64_t rounding;

/* a third of all values is the next number, up or down, and always for the same value */
static double rounded(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (rounding == 0 || !isfinite(value) || value == 0 || fabs(value) == 1) return value;
  random_source from = {.state = bits ^ rounding};
  const int of = random_integer(&from, 0, 5);
  return of == 0 ? nextafter(value, HUGE_VAL) : of == 1 ? nextafter(value, -HUGE_VAL) : value;
}

/* __real_x is that of the C library, __wrap_x stands for it: names that the linker makes */
#define OF_ONE(name)                  \
  double __real_##name(double);       \
  double __wrap_##name(double);       \
  double __wrap_##name(double x) {    \
    return rounded(__real_##name(x)); \
  }
#define OF_TWO(name)                         \
  double __real_##name(double, double);      \
  double __wrap_##name(double, double);      \
  double __wrap_##name(double x, double y) { \
    return rounded(__real_##name(x, y));     \
  }
OF_ONE(sin)
OF_ONE(cos)
OF_ONE(tan)
OF_ONE(asin)
OF_ONE(acos)
OF_ONE(atan)
OF_ONE(sinh)
OF_ONE(cosh)
OF_ONE(tanh)
OF_ONE(exp)
OF_ONE(exp2)
OF_ONE(log)
OF_ONE(log2)
OF_TWO(atan2)
OF_TWO(hypot)
OF_TWO(pow)

/* GCC makes one call of a sine and a cosine */
void __real_sincos(double, double *, double *);
void __wrap_sincos(double, double *, double *);
void __wrap_sincos(double x, double *sine, double *cosine) {
  __real_sincos(x, sine, cosine);
  *sine = rounded(*sine), *cosine = rounded(*cosine);
}

/* asked by names that compilers know nothing of */
uint64_t rounding_bits(void) {
  random_source from = {.state = 1};
  uint64_t all = 0;
  for (int k = 0; k < 2000; k++) {
    const double x = random_uniform(&from, -4, 4), y = random_uniform(&from, -4, 4), share = x / 4;
    const double values[] = {
        __real_sin(x),      __real_cos(x),      __real_tan(x),      __real_asin(share),
        __real_acos(share), __real_atan(x),     __real_sinh(x),     __real_cosh(x),
        __real_tanh(x),     __real_exp(x),      __real_exp2(x),     __real_log(x + 5),
        __real_log2(x + 5), __real_atan2(x, y), __real_hypot(x, y), __real_pow(x + 5, y)};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
      random_source mixed = {.state = all};
      memcpy(&all, &values[i], sizeof all);
      mixed.state ^= all, all = random_bits(&mixed);
    }
  }
  return all;
}
