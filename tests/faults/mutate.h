/* mutate.h - texts with mistakes, drawn by a number: the same number, the same mistakes. */
#ifndef FAULTS_MUTATE_H
#define FAULTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct chance {
  uint64_t state;
} chance;

/* the next of a row of random numbers, 0 to most - 1 */
static inline uint64_t draw(chance *from, uint64_t most) {
  uint64_t z = from->state += 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return most == 0 ? 0 : (z ^ z >> 31) % most;
}

enum { MUTATED_MOST = 1 << 18 }; /* bytes of a text */

typedef struct mutated {
  size_t length;
  char text[MUTATED_MOST];
} mutated;

/* Changes the text in one to four ways: numbers grow or shrink in half of all texts, anything
 * happens to the others; `other` (other_length) lends words and lines. */
void mutate(mutated *text, const char *other, size_t other_length, chance *from);

#endif
