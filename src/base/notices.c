#include "base/notices.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NOTICE_BYTES = 600, NAMES = 3, NAME_BYTES = 40 };

const char *flg_notice_text(const flg_notices *notices, int index) {
  const char *const *texts = notices->texts.items;
  return index < notices->texts.count ? texts[index] : NULL;
}

static void keep_notice(flg_notices *notices, const char *text) {
  if (text == NULL) return;
  const int number = notices->texts.count;
  const int known = flg_name_index_add(&notices->known, text, number, notices->region);
  if (known != FLG_NAME_UNKNOWN) return;
  const char **entry = flg_growing_add(&notices->texts, sizeof *entry, notices->region);
  if (entry != NULL) *entry = text;
}

void flg_notice_add(flg_notices *notices, const char *about, const char *format, ...) {
  char text[NOTICE_BYTES];
  if (notices == NULL) return;
  const int used = snprintf(text, sizeof text, "%.200s: ", about);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, sizeof text - (size_t)used, format, arguments);
  va_end(arguments);
  keep_notice(notices, flg_region_text(notices->region, text, strlen(text)));
}

void flg_notices_take(flg_notices *notices, const char *const *texts, int count) {
  for (int k = 0; k < count && notices != NULL; k++) keep_notice(notices, texts[k]);
}

void flg_some_names_add(flg_some_names *some, const char *name) {
  const size_t used = strlen(some->text);
  if (some->count++ >= NAMES) return;
  snprintf(some->text + used, sizeof some->text - used, "%s'%.*s'", used == 0 ? "" : ", ",
           NAME_BYTES, name);
}

const char *flg_some_names_text(flg_some_names *some) {
  const size_t used = strlen(some->text);
  if (some->count > NAMES) {
    snprintf(some->text + used, sizeof some->text - used, " and %d more", some->count - NAMES);
  }
  return some->text;
}
