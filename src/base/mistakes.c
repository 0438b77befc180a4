#include "flange/mistakes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* the end of a path tells more than its beginning */
static void copy_path(char *to, size_t capacity, const char *path) {
  const size_t length = strlen(path);
  if (length < capacity) {
    memcpy(to, path, length + 1);
    return;
  }
  snprintf(to, capacity, "...%s", path + length - (capacity - 4));
}

flg_status flg_mistake_add(flg_mistakes *mistakes, flg_status status, flg_place place,
                           const char *format, ...) {
  if (mistakes == NULL) return status;
  /* others may be there only because a name or a file did not fit into memory */
  if (mistakes->count == 0 || status == FLG_ERR_MEMORY) mistakes->status = status;
  if (mistakes->count++ >= FLG_MISTAKES_LISTED) return status;
  flg_mistake *mistake = &mistakes->list[mistakes->count - 1];
  *mistake = (flg_mistake){.line = place.line, .column = place.column};
  copy_path(mistake->file, sizeof mistake->file, place.file == NULL ? "" : place.file);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(mistake->message, sizeof mistake->message, format, arguments);
  va_end(arguments);
  return status;
}

void flg_mistake_text(const flg_mistake *mistake, char *text, int capacity) {
  if (text == NULL || capacity < 1) return;
  text[0] = '\0';
  if (mistake == NULL) return;
  const size_t room = (size_t)capacity;
  if (mistake->line > 0) {
    snprintf(text, room, "%s:%d:%d: %s", mistake->file, mistake->line, mistake->column,
             mistake->message);
  } else if (mistake->file[0] != '\0') {
    snprintf(text, room, "%s: %s", mistake->file, mistake->message);
  } else {
    snprintf(text, room, "%s", mistake->message);
  }
}

flg_status flg_mistakes_error(const flg_mistakes *mistakes, flg_error *error) {
  if (mistakes == NULL) return FLG_OK;
  if (mistakes->count == 0) return FLG_OK;
  char first[sizeof mistakes->list[0] + 32];
  flg_mistake_text(&mistakes->list[0], first, sizeof first);
  if (mistakes->count == 1) return flg_fail(error, mistakes->status, "%s", first);
  return flg_fail(error, mistakes->status, "%s (and %d more)", first, mistakes->count - 1);
}
