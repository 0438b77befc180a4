#include "text/plain_text.h"

#include "base/utf8.h"

/* most bytes are such */
static const char *skip_printable_ascii(const char *at, const char *end) {
  while (at < end && *at >= ' ' && *at <= '~') at++;
  return at;
}

bool flg_plain_text_check(const char *file, const char *text, size_t length,
                          flg_mistakes *mistakes) {
  flg_place place = {.file = file, .line = 1};
  const char *end = text + length, *line = text;
  for (const char *at = skip_printable_ascii(text, end); at < end;
       at = skip_printable_ascii(at, end)) {
    const bool blank = *at == '\t' || *at == '\n' || *at == '\r';
    if (*at == '\n') line = at + 1, place.line++;
    const int bytes = blank ? 1 : flg_utf8_length(at, end);
    at += bytes;
    if (bytes > 0) continue;
    place.column = (int)(at - line) + 1;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                    "the byte 0x%02x is not text in UTF-8; is this a binary file?",
                    (unsigned)(unsigned char)*at);
    return false;
  }
  return true;
}
