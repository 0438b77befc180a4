#include "text/json.h"

#include <assert.h>
#include <math.h>

#include "base/number.h"

static void write_text(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') {
      fprintf(out, "\\%c", *c);
    } else if (*c < 0x20) {
      fprintf(out, "\\u%04x", *c);
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

static void write_json_key(flg_json *json, const char *key) {
  if (json->depth == 0) return;
  if (json->members[json->depth - 1]++ > 0) fputc(',', json->out);
  new_line(json, json->depth);
  if (key == NULL) return;
  write_text(json->out, key);
  fputs(": ", json->out);
}

void flg_json_open(flg_json *json, const char *key, char bracket) {
  assert(json->depth < FLG_JSON_MAX_DEPTH);
  write_json_key(json, key);
  fputc(bracket, json->out);
  json->closing[json->depth] = bracket == '{' ? '}' : ']';
  json->members[json->depth++] = 0;
}

void flg_json_close(flg_json *json) {
  json->depth--;
  if (json->members[json->depth] > 0) new_line(json, json->depth);
  fputc(json->closing[json->depth], json->out);
}

flg_json flg_json_begin(FILE *out) {
  flg_json json = {.out = out};
  flg_json_open(&json, NULL, '{');
  return json;
}

void flg_json_end(flg_json *json) {
  flg_json_close(json);
  fputc('\n', json->out);
}

void flg_json_text(flg_json *json, const char *key, const char *text) {
  write_json_key(json, key);
  if (text == NULL) {
    fputs("null", json->out);
  } else {
    write_text(json->out, text);
  }
}

void flg_json_number(flg_json *json, const char *key, double value) {
  write_json_key(json, key);
  write_number(json->out, value);
}

void flg_json_flag(flg_json *json, const char *key, bool value) {
  write_json_key(json, key);
  fputs(value ? "true" : "false", json->out);
}

void flg_json_numbers(flg_json *json, const char *key, const double *values, int count) {
  write_json_key(json, key);
  fputc('[', json->out);
  for (int k = 0; k < count; k++) {
    if (k > 0) fputs(", ", json->out);
    write_number(json->out, values[k]);
  }
  fputc(']', json->out);
}
