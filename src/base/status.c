#include "flange/status.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

static_assert(sizeof((flg_error *)0)->message == FLG_TEXT_BYTES, "messages fit an error");

flg_status flg_fail(flg_error *error, flg_status status, const char *format, ...) {
  if (error == NULL) return status;
  char message[FLG_TEXT_BYTES]; /* apart from *error, whose message may be among the arguments */
  va_list arguments;
  va_start(arguments, format);
  flg_text_format(message, format, arguments);
  va_end(arguments);
  error->status = status;
  memcpy(error->message, message, strlen(message) + 1);
  return status;
}

#define STATUS_TEXT(name, text) text,
static const char *const texts[] = {FLG_STATUS_LIST(STATUS_TEXT)};

const char *flg_status_text(flg_status status) {
  if ((unsigned)status >= FLG_STATUS_COUNT) return "unknown status";
  return texts[status];
}
