#include "mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
  size_t at, length;
} piece;

/* puts `count` bytes in the place of a piece, as far as there is room */
static void replace(mutated *text, piece old, const char *bytes, size_t count) {
  const size_t after = old.at + old.length;
  if (text->length - old.length + count > MUTATED_MOST) return;
  memmove(text->text + old.at + count, text->text + after, text->length - after);
  memcpy(text->text + old.at, bytes, count);
  text->length = text->length - old.length + count;
}

static piece any_piece(const mutated *text, size_t most, chance *from) {
  const size_t at = draw(from, text->length + 1), left = text->length - at;
  return (piece){at, draw(from, (left < most ? left : most) + 1)};
}

static piece any_line(const char *text, size_t length, chance *from) {
  size_t at = draw(from, length), end = at;
  while (at > 0 && text[at - 1] != '\n') at--;
  while (end < length && text[end] != '\n') end++;
  return (piece){at, end - at + (end < length)};
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) != 0 || c == '_' || c == '.' || c == '/';
}

/* a word or number near a place; empty if there is none */
static piece any_word(const char *text, size_t length, chance *from) {
  size_t at = draw(from, length);
  while (at < length && !is_word(text[at])) at++;
  while (at > 0 && is_word(text[at - 1])) at--;
  size_t end = at;
  while (end < length && is_word(text[end])) end++;
  return (piece){at, end - at};
}

static piece any_number(const mutated *text, chance *from) {
  for (int tries = 0; tries < 20; tries++) {
    const piece word = any_word(text->text, text->length, from);
    if (word.length > 0 && isdigit((unsigned char)text->text[word.at]) != 0) return word;
  }
  return any_word(text->text, text->length, from);
}

static void number_changes(mutated *text, chance *from) {
  static const char *const numbers[] = {"0",          "-1",
                                        "1e308",      "-1e308",
                                        "1e-308",     "4.9e-324",
                                        "nan",        "inf",
                                        "-inf",       "1e20",
                                        "-0.0",       "1/0",
                                        "1/3",        "1e9",
                                        "1e-9",       "",
                                        "2147483648", "-2147483649",
                                        "1e999",      "0x10",
                                        "1e5",        "1000",
                                        "0.001",      "1 deg",
                                        "=1/0",       "99999999999999999999"};
  const char *number = numbers[draw(from, sizeof numbers / sizeof numbers[0])];
  replace(text, any_number(text, from), number, strlen(number));
}

static void sign_changes(mutated *text, chance *from) {
  const piece number = any_number(text, from);
  replace(text, (piece){number.at, 0}, "-", 1);
}

static void byte_changes(mutated *text, chance *from) {
  const char byte = (char)draw(from, 256);
  replace(text, any_piece(text, 1, from), &byte, 1);
}

static void mark_appears(mutated *text, chance *from) {
  static const char marks[] = "[]{}:,&*!|>'\"#%@`-?<>=/\\ \t\n\r+;$~^()";
  const char mark = marks[draw(from, sizeof marks - 1)];
  replace(text, (piece){draw(from, text->length + 1), 0}, &mark, 1);
}

static void piece_goes(mutated *text, chance *from) {
  replace(text, any_piece(text, 40, from), "", 0);
}

static void end_goes(mutated *text, chance *from) {
  const size_t at = draw(from, text->length + 1);
  replace(text, (piece){at, text->length - at}, "", 0);
}

static void line_goes(mutated *text, chance *from) {
  replace(text, any_line(text->text, text->length, from), "", 0);
}

/* a copy of a piece of this text or of another, elsewhere */
static void copy_appears(mutated *text, piece of, const char *source, chance *from) {
  static char copy[4096];
  const size_t count = of.length < sizeof copy ? of.length : sizeof copy;
  memcpy(copy, source + of.at, count);
  const piece line = any_line(text->text, text->length, from);
  replace(text, (piece){line.at, draw(from, 2) ? line.length : 0}, copy, count);
}

static void word_moves(mutated *text, const char *source, size_t length, chance *from) {
  char copy[100];
  const piece of = any_word(source, length, from);
  const size_t count = of.length < sizeof copy ? of.length : sizeof copy;
  memcpy(copy, source + of.at, count);
  replace(text, any_word(text->text, text->length, from), copy, count);
}

static void change(mutated *text, const char *other, size_t other_length, chance *from) {
  switch (draw(from, 12)) {
    case 0:
      byte_changes(text, from);
      break;
    case 1:
      mark_appears(text, from);
      break;
    case 2:
      piece_goes(text, from);
      break;
    case 3:
      line_goes(text, from);
      break;
    case 4:
      copy_appears(text, any_line(text->text, text->length, from), text->text, from);
      break;
    case 5:
      if (other_length > 0) {
        copy_appears(text, any_line(other, other_length, from), other, from);
      }
      break;
    case 6:
      word_moves(text, text->text, text->length, from);
      break;
    case 7:
      if (other_length > 0) word_moves(text, other, other_length, from);
      break;
    case 8:
      sign_changes(text, from);
      break;
    case 9:
      if (draw(from, 8) == 0) end_goes(text, from);
      break;
    default: /* most numbers are read, and mean something else */
      number_changes(text, from);
  }
}

/* what stays a number of its kind is mostly read, and runs */
static void number_grows(mutated *text, chance *from) {
  static const double factors[] = {0.5, 2, 0.1, 10, -1, 1e-3, 1e3, 1e-6, 1e6, 1e-9, 1e9};
  char digits[100];
  const piece number = any_number(text, from);
  const double factor = factors[draw(from, sizeof factors / sizeof factors[0])];
  if (number.length == 0 || number.length >= sizeof digits / 2) return;
  memcpy(digits, text->text + number.at, number.length);
  digits[number.length] = '\0';
  char *end = digits;
  const double value = strtod(digits, &end);
  if (end == digits) return;
  char scaled[100];
  const int length = snprintf(scaled, sizeof scaled, "%.17g%s", factor * value, end);
  replace(text, number, scaled, (size_t)length);
}

void mutate(mutated *text, const char *other, size_t other_length, chance *from) {
  const bool is_mild = draw(from, 2) == 0;
  for (uint64_t left = 1 + draw(from, 4); left > 0 && text->length > 0; left--) {
    if (is_mild) {
      number_grows(text, from);
    } else {
      change(text, other, other_length, from);
    }
  }
}
