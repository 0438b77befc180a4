/* utf8.h - where text stops being text. */
#ifndef FLG_UTF8_H
#define FLG_UTF8_H

/* Bytes of the UTF-8 character that starts at `at`, before `end`; 0 if what stands there is not
 * UTF-8 or is a control character (tabs and line ends are). */
int flg_utf8_length(const char *at, const char *end);

#endif
