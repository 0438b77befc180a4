#include "text/json.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/number.h"

static void write_text(FILE *out, const char *text, size_t length) {
  fputc('"', out);
  for (const char *c = text; c < text + length; c++) {
    if (*c == '"' || *c == '\\') {
      fprintf(out, "\\%c", *c);
    } else if ((unsigned char)*c < 0x20) {
      fprintf(out, "\\u%04x", (unsigned)*c);
    } else {
      fputc(*c, out);
    }
  }
  fputc('"', out);
}

static void write_number(FILE *out, double value) {
  char text[FLG_NUMBER_TEXT];
  fputs(isfinite(value) ? flg_number_write(value, text) : "null", out);
}

static void new_line(const flg_json *json, int depth) {
  fprintf(json->out, "\n%*s", 2 * depth, "");
}

/* what stands before a value; key NULL: in a list */
static void begin_member(flg_json *json, const char *key, size_t length) {
  if (json->members[json->depth - 1]++ > 0) fputc(',', json->out);
  new_line(json, json->depth);
  if (key == NULL) return;
  write_text(json->out, key, length);
  fputs(": ", json->out);
}

static void open_inside(flg_json *json, char bracket) {
  assert(json->depth < FLG_JSON_MAX_DEPTH);
  fputc(bracket, json->out);
  json->closing[json->depth] = bracket == '{' ? '}' : ']';
  json->members[json->depth++] = 0;
}

static void close_inside(flg_json *json) {
  json->depth--;
  if (json->members[json->depth] > 0) new_line(json, json->depth);
  fputc(json->closing[json->depth], json->out);
}

static void json_write_numbers(FILE *out, const double *values, int count) {
  fputc('[', out);
  for (int k = 0; k < count; k++) {
    if (k > 0) fputs(", ", out);
    write_number(out, values[k]);
  }
  fputc(']', out);
}

static void json_write_value(FILE *out, char kind, va_list *values) {
  const double *numbers;
  const char *text;
  switch (kind) {
    case 's':
      text = va_arg(*values, const char *);
      text == NULL ? (void)fputs("null", out) : write_text(out, text, strlen(text));
      break;
    case 'd':
      write_number(out, va_arg(*values, int));
      break;
    case 'b':
      fputs(va_arg(*values, int) ? "true" : "false", out);
      break;
    case 'v':
      numbers = va_arg(*values, const double *);
      json_write_numbers(out, numbers, va_arg(*values, int));
      break;
    default:
      assert(kind == 'g');
      write_number(out, va_arg(*values, double));
  }
}

void flg_json_put(flg_json *json, const char *layout, ...) {
  va_list values;
  va_start(values, layout);
  for (const char *word = layout; *word != '\0'; word += strspn(word, " ")) {
    const size_t length = strcspn(word, ":{[}]");
    const char mark = word[length];
    if (mark == '}' || mark == ']') {
      assert(json->closing[json->depth - 1] == mark);
      close_inside(json);
    } else {
      const char *key = word[0] == '*' ? va_arg(values, const char *) : length > 0 ? word : NULL;
      begin_member(json, key, key == word || key == NULL ? length : strlen(key));
    }
    if (mark == '{' || mark == '[') open_inside(json, mark);
    if (mark == ':') json_write_value(json->out, word[length + 1], &values);
    word += length + (mark == ':' ? 2 : 1);
  }
  va_end(values);
}

flg_json flg_json_begin(FILE *out) {
  flg_json json = {.out = out};
  open_inside(&json, '{');
  return json;
}

void flg_json_end(flg_json *json) {
  close_inside(json);
  fputc('\n', json->out);
}
