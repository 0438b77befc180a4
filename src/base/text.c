#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char ellipsis[] = "...";

static int continues_a_character(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

void flg_text_format(char text[FLG_TEXT_BYTES], const char *format, va_list arguments) {
  const int length = vsnprintf(text, FLG_TEXT_BYTES, format, arguments);
  if (length < 0) { /* a wide character that the locale lacks: say at least what was meant */
    snprintf(text, FLG_TEXT_BYTES, "%s", format);
    return;
  }
  if (length < FLG_TEXT_BYTES) return;
  size_t end = FLG_TEXT_BYTES - sizeof ellipsis;
  while (end > 0 && continues_a_character(text[end])) end--;
  memcpy(text + end, ellipsis, sizeof ellipsis);
}
