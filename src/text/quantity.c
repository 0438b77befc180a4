#include "text/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const double RADIANS_PER_DEGREE = 0.017453292519943295769;

static const char *skip_spaces(const char *text) {
  return text + strspn(text, " \t");
}

/* `deg/s` for an expected `rad/s`, `deg` for `rad` or where the unit depends on the joint */
static bool is_degrees(const char *suffix, const char *unit) {
  if (strncmp(suffix, "deg", 3) != 0) return false;
  if (unit == NULL) return suffix[3] == '\0' || strcmp(suffix + 3, "/s") == 0;
  return strncmp(unit, "rad", 3) == 0 && strcmp(suffix + 3, unit + 3) == 0;
}

static bool are_words_for_degrees(const char *suffix) {
  return strncmp(suffix, "degree", 6) == 0 || strcmp(suffix, "\u00b0") == 0;
}

static const char *parse_fraction(const char *text, double *value, const char **end) {
  *end = flg_number_parse(skip_spaces(text), value);
  if (*end == NULL) return "is not a number";
  *end = skip_spaces(*end);
  if (**end != '/') return NULL;
  double divisor;
  *end = flg_number_parse(skip_spaces(*end + 1), &divisor);
  if (*end == NULL) return "has no number after '/'";
  if (divisor == 0) return "divides by zero";
  *value /= divisor;
  *end = skip_spaces(*end);
  return NULL;
}

const char *flg_quantity_parse(const char *text, const char *unit, double *value) {
  const char *suffix;
  const char *wrong = parse_fraction(text, value, &suffix);
  if (wrong != NULL) return wrong;
  if (is_degrees(suffix, unit)) {
    *value *= RADIANS_PER_DEGREE;
  } else if (*suffix != '\0' && (unit == NULL || strcmp(suffix, unit) != 0)) {
    return are_words_for_degrees(suffix) ? "has a unit that is not known: degrees are written 'deg'"
                                         : "has an unexpected unit or trailing text";
  }
  return isfinite(*value) ? NULL : "is too large for a number";
}

const char *flg_angle_write(double angle, char text[FLG_NUMBER_TEXT]) {
  /* a thousandth of a degree is as fine as people write them */
  const double degrees = round(1000 * angle / RADIANS_PER_DEGREE) / 1000;
  if (angle == 0 || degrees * RADIANS_PER_DEGREE != angle) return flg_number_write(angle, text);
  char number[FLG_NUMBER_TEXT];
  snprintf(text, FLG_NUMBER_TEXT, "%.20s deg", flg_number_write(degrees, number));
  return text;
}
