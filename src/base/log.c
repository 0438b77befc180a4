#include "base/log.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

static const char *const names[FLG_LOG_LEVEL_COUNT] = {"error", "warning", "info", "debug"};

void flg_log_write(const flg_log *log, flg_log_level level, const char *format, ...) {
  if (log == NULL || log->sink == NULL || level > log->level || format == NULL) {
    return;
  }
  char message[FLG_TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  flg_text_format(message, format, arguments);
  va_end(arguments);
  log->sink(log->user, level, message);
}

const char *flg_log_level_name(flg_log_level level) {
  return (unsigned)level < FLG_LOG_LEVEL_COUNT ? names[level] : "unknown";
}

flg_status flg_log_level_parse(const char *name, flg_log_level *level, flg_error *error) {
  if (name == NULL || level == NULL) return flg_fail(error, FLG_ERR_USAGE, "An argument is NULL.");
  for (int k = 0; k < FLG_LOG_LEVEL_COUNT; k++) {
    if (strcmp(name, names[k]) != 0) continue;
    *level = (flg_log_level)k;
    return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_RANGE,
                  "'%s' is not a log level; expected error, warning, info or debug.", name);
}
