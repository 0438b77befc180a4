/* base64.h - bytes as text, for what is embedded in pages. */
#ifndef FLG_BASE64_H
#define FLG_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Characters for so many bytes. */
static inline size_t flg_base64_length(size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/* text has room for flg_base64_length(size) characters, and is not terminated. */
void flg_base64_encode(const void *bytes, size_t size, char *text);

#endif
