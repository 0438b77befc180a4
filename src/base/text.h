/* text.h - formatting a message into a buffer that may be too short for it. */
#ifndef FLG_BASE_TEXT_H
#define FLG_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "flange/status.h"

enum { FLG_TEXT_BYTES = 1000 }; /* a message with its final zero */

/* A message that does not fit ends with "..." after its last whole UTF-8 character. */
void flg_text_format(char text[FLG_TEXT_BYTES], const char *format, va_list arguments)
    FLG_PRINTF(2, 0);

#endif
