#include "flange/status.h"

#include <stdarg.h>
#include <stdio.h>

flg_status flg_fail(flg_error *error, flg_status status, const char *format, ...) {
  if (error == NULL) return status;
  error->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}

#define STATUS_TEXT(name, text) text,
static const char *const texts[] = {FLG_STATUS_LIST(STATUS_TEXT)};

const char *flg_status_text(flg_status status) {
  if ((unsigned)status >= FLG_STATUS_COUNT) return "unknown status";
  return texts[status];
}
