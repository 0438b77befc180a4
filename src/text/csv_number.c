#include "text/csv_number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

enum { MAX_LENGTH = 1000, MAX_EXACT_POWER = 22, MAX_EXPONENT = 100000 };
static const uint64_t MAX_EXACT = UINT64_C(1) << 53;

/* powers of ten that are doubles */
static const double powers[MAX_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* digits * 10^exponent, or more digits than fit */
typedef struct decimal {
  bool is_negative, is_exact;
  int digit_count, exponent;
  uint64_t digits;
} decimal;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *digits_read(const char *at, const char *end, int exponent_step,
                               decimal *number) {
  for (; at < end && is_digit(*at); at++) {
    number->digit_count++;
    if (number->digits > (UINT64_MAX - 9) / 10) {
      number->is_exact = false;
      continue;
    }
    number->digits = number->digits * 10 + (uint64_t)(*at - '0');
    number->exponent += exponent_step;
  }
  return at;
}

/* NULL if there is an e without digits; an exponent too large to matter stays so */
static const char *exponent_read(const char *at, const char *end, decimal *number) {
  if (at == end || (*at != 'e' && *at != 'E')) return at;
  at++;
  const bool is_negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (at == end) return NULL;
  int exponent = 0;
  for (; at < end && is_digit(*at); at++) {
    if (exponent < MAX_EXPONENT) exponent = exponent * 10 + (*at - '0');
  }
  if (!is_digit(at[-1])) return NULL;
  number->exponent += is_negative ? -exponent : exponent;
  return at;
}

/* the grammar: sign, digits with at most one point, exponent */
static bool decimal_read(const char *at, const char *end, decimal *number) {
  *number = (decimal){.is_exact = true};
  if (at < end && (*at == '-' || *at == '+')) number->is_negative = *at++ == '-';
  at = digits_read(at, end, 0, number);
  if (at < end && *at == '.') at = digits_read(at + 1, end, -1, number);
  if (number->digit_count == 0) return false;
  at = exponent_read(at, end, number);
  return at == end;
}

static bool nonfinite_read(const char *at, const char *end, double *value) {
  const bool is_negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  const size_t length = (size_t)(end - at);
  if ((length == 3 && strncasecmp(at, "inf", 3) == 0) ||
      (length == 8 && strncasecmp(at, "infinity", 8) == 0)) {
    *value = is_negative ? -HUGE_VAL : HUGE_VAL;
    return true;
  }
  *value = (double)NAN;
  return length == 3 && strncasecmp(at, "nan", 3) == 0;
}

flg_csv_number_kind flg_csv_number(const char *start, const char *end, double *value) {
  decimal number;
  if (!decimal_read(start, end, &number)) {
    return nonfinite_read(start, end, value) ? FLG_CSV_NONFINITE : FLG_CSV_NO_NUMBER;
  }
  /* two exact doubles: their product or quotient is rounded once, hence correctly */
  if (number.is_exact && number.digits <= MAX_EXACT && abs(number.exponent) <= MAX_EXACT_POWER) {
    const double digits = (double)number.digits, power = powers[abs(number.exponent)];
    const double size = number.exponent < 0 ? digits / power : digits * power;
    *value = number.is_negative ? -size : size;
    return FLG_CSV_NUMBER;
  }
  char text[MAX_LENGTH + 1];
  const size_t length = (size_t)(end - start);
  if (length > MAX_LENGTH) return FLG_CSV_TOO_LONG;
  memcpy(text, start, length);
  text[length] = '\0';
  flg_number_parse(text, value);
  return isfinite(*value) ? FLG_CSV_NUMBER : FLG_CSV_OVERFLOW;
}
