#include "base/input_limits.h"

#include <string.h>

#include "base/number.h"

#define NAME(limit, name, value, counts) name,
static const char *const names[] = {FLG_INPUT_LIMIT_LIST(NAME)};
#define VALUE(limit, name, value, counts) value,
static double values[] = {FLG_INPUT_LIMIT_LIST(VALUE)};

double flg_input_limit_value(flg_input_limit limit) {
  return values[limit];
}

const char *flg_input_limit_name(flg_input_limit limit) {
  return names[limit];
}

static int input_limits_find(const char *name, size_t length) {
  for (int k = 0; k < FLG_INPUT_LIMIT_COUNT; k++) {
    if (strlen(names[k]) == length && strncmp(names[k], name, length) == 0) return k;
  }
  return -1;
}

flg_status flg_input_limit_set(const char *assignment, flg_error *error) {
  const size_t length = strcspn(assignment, "=");
  const int limit = input_limits_find(assignment, length);
  double value = 0;
  if (limit < 0) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "There is no limit '%.*s'; there are text, table, mesh, values, includes, "
                    "objects, patterns, apart, coupled, ports, models, drives, rows and probes.",
                    (int)length, assignment);
  }
  const char *end =
      assignment[length] == '=' ? flg_number_parse(assignment + length + 1, &value) : NULL;
  if (end == NULL || *end != '\0' || !(value >= 1 && value <= 1e12)) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "The limit '%s' takes a number from 1 to 1e12, as in %s=%g.", names[limit],
                    names[limit], values[limit]);
  }
  values[limit] = value;
  return FLG_OK;
}
