/* notices.h - sentences for the user that are no mistakes: what a reader has changed or passed
 * over. */
#ifndef FLG_NOTICES_H
#define FLG_NOTICES_H

#include "base/growing.h"
#include "base/name_index.h"
#include "flange/status.h"

typedef struct flg_notices {
  flg_region *region;
  flg_growing texts; /* const char * */
  flg_name_index known;
} flg_notices;

/* Adds `about: sentence`, the sentence without a full stop; not one that is there already. notices
 * may be NULL. */
void flg_notice_add(flg_notices *notices, const char *about, const char *format, ...)
    FLG_PRINTF(3, 4);
/* Takes over texts (count) as they are. notices may be NULL. */
void flg_notices_take(flg_notices *notices, const char *const *texts, int count);
/* The text of a number, or NULL past the last one. */
const char *flg_notice_text(const flg_notices *notices, int index);

/* The first few of many names, for a sentence. */
typedef struct flg_some_names {
  char text[160]; /* "'a', 'b' and 7 more" once it is finished */
  int count;
} flg_some_names;
void flg_some_names_add(flg_some_names *some, const char *name);
const char *flg_some_names_text(flg_some_names *some);

#endif
