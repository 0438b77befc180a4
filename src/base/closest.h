/* closest.h - "did you mean": the known word that is closest to what was written. */
#ifndef FLG_CLOSEST_H
#define FLG_CLOSEST_H

#include <stddef.h>

#include "flange/mistakes.h"

/* One of the words, or NULL if none is close: up to three letters changed, added, dropped or
 * swapped, fewer in short words. */
const char *flg_closest_word(const char *written, const char *const *words, int count);

enum { FLG_HINT_TEXT = 80 };
/* The end of a message on an unknown word: "; did you mean 'word'?", or "" if none is close. */
const char *flg_closest_hint(const char *written, const char *const *words, int count,
                             char text[FLG_HINT_TEXT]);

/* The same for words that come one by one. */
typedef struct flg_closest {
  const char *written;
  const char *word; /* the closest so far, NULL: none is close */
  int least;        /* letters by which it differs */
} flg_closest;
flg_closest flg_closest_begin(const char *written); /* NULL: nothing is close */
/* The same while mistakes are still listed; then nothing is close any more, since inputs with
 * thousands of mistakes would take their time. NULL: there is one mistake alone. */
flg_closest flg_closest_while_listed(const char *written, const flg_mistakes *mistakes);
/* The error, or NULL: what it would say is not listed any more. For calls that look for close words
 * only where they can say them. */
static inline flg_error *flg_error_if_listed(flg_error *error, const flg_mistakes *mistakes) {
  return mistakes->count < FLG_MISTAKES_LISTED ? error : NULL;
}
void flg_closest_offer(flg_closest *closest, const char *word);
/* The names that items begin with, as flg_find_named of base/given.h has them. */
void flg_closest_offer_all(flg_closest *closest, const void *items, size_t bytes, int count);
#define FLG_OFFER(closest, items, count) \
  flg_closest_offer_all(closest, items, sizeof *(items), count)
const char *flg_closest_text(const flg_closest *closest, char text[FLG_HINT_TEXT]);

#endif
