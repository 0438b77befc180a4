/* plain_text.h - what every reader of text asks first: whether it is text. */
#ifndef FLG_PLAIN_TEXT_H
#define FLG_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "flange/mistakes.h"

/* True if all of it is UTF-8 without control characters; else the first byte that is not, with its
 * place, is a mistake. `file` names the text. */
bool flg_plain_text_check(const char *file, const char *text, size_t length,
                          flg_mistakes *mistakes);

#endif
