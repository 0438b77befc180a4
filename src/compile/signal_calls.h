/* signal_calls.h - functions that terms of a graph call (graph.h): text of generated files. Those
 * of formulas are the interpreter's (model/formula_run.c). */
#define CALL_OF_ONE(name, function)            \
  static inline double call_##name(double x) { \
    return function(x);                        \
  }
#define CALL_OF_TWO(name, function)                      \
  static inline double call_##name(double x, double y) { \
    return function(x, y);                               \
  }
CALL_OF_ONE(sin, sin)
CALL_OF_ONE(cos, cos)
CALL_OF_ONE(tan, tan)
CALL_OF_ONE(asin, asin)
CALL_OF_ONE(acos, acos)
CALL_OF_ONE(atan, atan)
CALL_OF_ONE(sinh, sinh)
CALL_OF_ONE(cosh, cosh)
CALL_OF_ONE(tanh, tanh)
CALL_OF_ONE(exp, exp)
CALL_OF_ONE(log, log)
CALL_OF_ONE(log10, log10)
CALL_OF_ONE(abs, fabs)
CALL_OF_ONE(floor, floor)
CALL_OF_ONE(ceil, ceil)
CALL_OF_ONE(round, round)
CALL_OF_TWO(atan2, atan2)
CALL_OF_TWO(hypot, hypot)

static inline double call_sign(double x) {
  return isnan(x) ? x : (x > 0) - (x < 0);
}

static inline double call_pow(double x, double exponent) {
  return isnan(x) || isnan(exponent) ? (double)NAN : pow(x, exponent);
}

static inline double call_mod(double x, double divisor) {
  const double rest = fmod(x, divisor);
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

static inline double call_min(double x, double y) {
  return y < x || isnan(y) ? y : x;
}

static inline double call_max(double x, double y) {
  return y > x || isnan(y) ? y : x;
}

/* cut to a range */
static inline double call_at_least(double x, double least) {
  return x < least ? least : x;
}

static inline double call_at_most(double x, double most) {
  return x > most ? most : x;
}

/* -y where x is positive, else nothing */
static inline double call_opposing(double x, double y) {
  return x > 0 ? -y : 0;
}

/* of a spring with slack (model/spring.h) */
static inline double call_stretch(double away, double slack) {
  return away > slack ? away - slack : away < -slack ? away + slack : 0;
}

static inline double call_acts(double away, double slack) {
  return away > slack || away < -slack ? 1 : 0;
}

/* of a sampled block: the new number if it is due, and the old one if it is not; else nothing */
static inline double call_taken(double is_due, double x) {
  return is_due != 0 ? x : 0;
}

static inline double call_kept(double is_due, double x) {
  return is_due != 0 ? 0 : x;
}
