#include "base/closest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* how many letters to change, add, drop or swap; words longer than the table are not close */
static int edit_distance(const char *a, const char *b) {
  enum { MOST = 40 };
  const int n = (int)strlen(a), m = (int)strlen(b);
  if (n >= MOST || m >= MOST) return MOST;
  int rows[3][MOST + 1];
  for (int j = 0; j <= m; j++) rows[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = rows[i % 3];
    const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && above2[j - 2] + 1 < best) best = above2[j - 2] + 1;
      now[j] = best;
    }
  }
  return rows[n % 3][m];
}

flg_closest flg_closest_begin(const char *written) {
  if (written == NULL) return (flg_closest){.written = NULL};
  const int least = 1 + (int)strlen(written) / 3;
  return (flg_closest){.written = written, .least = least > 3 ? 3 : least};
}

flg_closest flg_closest_while_listed(const char *written, const flg_mistakes *mistakes) {
  const bool is_listed = mistakes == NULL || mistakes->count < FLG_MISTAKES_LISTED;
  return flg_closest_begin(is_listed ? written : NULL);
}

void flg_closest_offer(flg_closest *closest, const char *word) {
  if (closest->written == NULL) return;
  const int distance = edit_distance(closest->written, word);
  if (distance > closest->least || (distance == closest->least && closest->word != NULL)) return;
  closest->word = word;
  closest->least = distance;
}

void flg_closest_offer_all(flg_closest *closest, const void *items, size_t bytes, int count) {
  const char *at = items, *name;
  for (int k = 0; k < count && closest->written != NULL; k++, at += bytes) {
    memcpy(&name, at, sizeof name);
    flg_closest_offer(closest, name);
  }
}

const char *flg_closest_text(const flg_closest *closest, char text[FLG_HINT_TEXT]) {
  text[0] = '\0';
  if (closest->word != NULL) snprintf(text, FLG_HINT_TEXT, "; did you mean '%s'?", closest->word);
  return text;
}

const char *flg_closest_word(const char *written, const char *const *words, int count) {
  flg_closest closest = flg_closest_begin(written);
  for (int k = 0; k < count; k++) flg_closest_offer(&closest, words[k]);
  return closest.word;
}

const char *flg_closest_hint(const char *written, const char *const *words, int count,
                             char text[FLG_HINT_TEXT]) {
  flg_closest closest = flg_closest_begin(written);
  for (int k = 0; k < count; k++) flg_closest_offer(&closest, words[k]);
  return flg_closest_text(&closest, text);
}
