#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t plain;
static pthread_once_t plain_once = PTHREAD_ONCE_INIT;

/* lives as long as the process */
static void make_plain(void) {
  plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

/* the host program may have set a locale with a decimal comma: use ours for this thread */
static locale_t enter_plain(void) {
  pthread_once(&plain_once, make_plain);
  return uselocale(plain);
}

const char *flg_number_parse(const char *text, double *value) {
  const char *digits = text + (*text == '-' || *text == '+');
  const char *first = digits + (*digits == '.');
  if (*first < '0' || *first > '9') return NULL;
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return NULL;
  char *end;
  const locale_t before = enter_plain();
  *value = strtod(text, &end);
  uselocale(before);
  return end;
}

static const char *shortest(double value, char *text) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, FLG_NUMBER_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

const char *flg_number_write(double value, char text[FLG_NUMBER_TEXT]) {
  if (!isfinite(value)) {
    const char *name = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return memcpy(text, name, strlen(name) + 1);
  }
  const locale_t before = enter_plain();
  shortest(value, text);
  uselocale(before);
  return text;
}
