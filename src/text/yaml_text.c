#include "text/yaml_text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* words that other readers of YAML take for something else than text */
static bool has_a_meaning(const char *text) {
  static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
    if (strcasecmp(text, words[k]) == 0) return true;
  }
  return false;
}

static bool yaml_is_plain(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char inside[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789./+- ";
  const size_t length = strlen(text);
  const char *first = text + strspn(text, "./");
  return strspn(first, letters) > 0 && strspn(first, inside) == strlen(first) &&
         text[length - 1] != ' ' && !has_a_meaning(text);
}

/* The code of a character outside of ASCII that is not to be printed as it is, and its bytes; 0 if
 * it may be: the C1 controls, line and paragraph separator, byte order mark. */
static unsigned hidden_code(const unsigned char *at, int *bytes) {
  const unsigned two = (at[0] & 0x1fU) << 6 | (at[1] & 0x3fU);
  *bytes = 2;
  if (at[0] == 0xc2 && two < 0xa0) return two;
  const unsigned three = at[0] < 0xe0 || at[0] >= 0xf0
                             ? 0
                             : (at[0] & 0xfU) << 12 | (at[1] & 0x3fU) << 6 | (at[2] & 0x3fU);
  *bytes = 3;
  const bool hidden = three == 0x2028 || three == 0x2029 || three == 0xfeff || three >= 0xfffe;
  return hidden ? three : 0;
}

/* appends one character to `to` and returns how many bytes of the text it took */
static int quote_character(const unsigned char *at, char **to) {
  int bytes = 1;
  const unsigned code = *at < 0x20 || *at == 0x7f ? *at : *at < 0x80 ? 0 : hidden_code(at, &bytes);
  if (code != 0) {
    *to += sprintf(*to, "\\u%04x", code);
    return bytes;
  }
  if (*at == '"' || *at == '\\') *(*to)++ = '\\';
  *(*to)++ = (char)*at;
  return 1;
}

const char *flg_yaml_text(flg_region *region, const char *text) {
  const size_t length = strlen(text);
  if (length > 0 && yaml_is_plain(text)) return flg_region_text(region, text, length);
  char *quoted = flg_region_take(region, 6 * length + 3, 1); /* \u0000 is the longest */
  if (quoted == NULL) return NULL;
  char *to = quoted;
  *to++ = '"';
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') at += quote_character(at, &to);
  *to = '"';
  return quoted;
}
