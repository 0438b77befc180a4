/* mistakes.h - everything that is wrong with an input, each with its place. Readers go on after a mistake, so that a
 * user sees all of them at once. */
#ifndef FLG_MISTAKES_H
#define FLG_MISTAKES_H

#include "flange/status.h"

/* mistakes that are kept with their sentences */
enum { FLG_MISTAKES_LISTED = 50 };

/* Where in the user's input something stands; line and column count from 1, 0 if not known. */
typedef struct flg_place {
  const char *file; /* borrowed */
  int line, column; /* from 1 */
} flg_place;

/* One mistake. */
typedef struct flg_mistake {
  char file[256];    /* cut at the front if longer */
  int line, column;  /* 0: the file as a whole */
  char message[400]; /* the mistake, and what was expected */
} flg_mistake;

/* All mistakes of an input. Begin with {0}; set-up calls clear it themselves. */
typedef struct flg_mistakes {
  int count;                             /* all that were found; those past FLG_MISTAKES_LISTED are only counted */
  flg_status status;                     /* of the first; FLG_ERR_MEMORY if it is that of any */
  flg_mistake list[FLG_MISTAKES_LISTED]; /* the first of them */
} flg_mistakes;

/* --- lists of mistakes
 * Owns: the caller. When: always. Fails: never. */

/* Adds one; mistakes may be NULL. Returns the status that it was given. */
FLG_API flg_status flg_mistake_add(flg_mistakes *mistakes, flg_status status, flg_place place, const char *format, ...)
    FLG_PRINTF(4, 5);
/* `file:line:column: message`, without the parts of the place that are not known. */
FLG_API void flg_mistake_text(const flg_mistake *mistake, char *text, int capacity);
/* Puts the first mistake, and how many more there are, into *error; returns its status. */
FLG_API flg_status flg_mistakes_error(const flg_mistakes *mistakes, flg_error *error);

#endif
