#include "base/utf8.h"

#include <stdbool.h>

int flg_utf8_length(const char *start, const char *end) {
  static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)start;
  if (at[0] < 0x80) return at[0] >= ' ' && at[0] != 0x7f;
  const int length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4 || end - start < length) return 0;
  unsigned code = at[0] & (0x7fU >> length);
  for (int k = 1; k < length; k++) {
    if ((at[k] & 0xc0) != 0x80) return 0;
    code = code << 6 | (at[k] & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < smallest[length] || code > 0x10ffff || is_surrogate ? 0 : length;
}
