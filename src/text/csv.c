#include "text/csv.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "base/input_limits.h"
#include "base/utf8.h"
#include "text/csv_number.h"

enum { EXCERPT_BYTES = 40 };

typedef struct text_line {
  const char *start, *end; /* without its line end */
  size_t number;           /* from 1 */
} text_line;

typedef struct parser {
  const char *name; /* of the file */
  const char *start, *end;
  flg_csv_options options;
  text_line header;
  char separator;
  size_t columns, data_lines, comment_bytes;
  double *values;              /* room for all rows */
  const char **names, **units; /* (columns) */
  char *strings;               /* next free byte for names and units */
  char *comments;              /* next free byte */
  size_t rows;                 /* read so far */
  flg_error *error;
} parser;

/* ---- mistakes ---- */

static flg_status mistake(const parser *at, const text_line *line, const char *where,
                          const char *format, ...) FLG_PRINTF(4, 5);

static flg_status mistake(const parser *at, const text_line *line, const char *where,
                          const char *format, ...) {
  char sentence[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  return flg_fail(at->error, FLG_ERR_INPUT, "%s:%zu:%zu: %s", at->name, line->number,
                  (size_t)(where - line->start) + 1, sentence);
}

/* a few characters of the file for a message; what cannot be printed becomes '?' */
static const char *excerpt(const char *start, const char *end, char *text) {
  char *shown = text;
  for (; start < end && shown < text + EXCERPT_BYTES; start++, shown++) {
    *shown = '?';
    if (*start >= ' ' && *start <= '~') *shown = *start;
  }
  memcpy(shown, start < end ? "..." : "\0..", 4);
  return text;
}

/* ---- lines ---- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

static const char *blanks_skip(const char *at, const char *end) {
  while (at < end && is_blank(*at)) at++;
  return at;
}

/* the next line that is not past the end; *at moves behind it */
static bool line_next(const parser *parsed, const char **at, text_line *line) {
  if (*at >= parsed->end) return false;
  const char *newline = memchr(*at, '\n', (size_t)(parsed->end - *at));
  line->start = *at;
  line->end = newline == NULL ? parsed->end : newline;
  line->number++;
  *at = newline == NULL ? parsed->end : newline + 1;
  if (line->end > line->start && line->end[-1] == '\r') line->end--;
  return true;
}

static bool is_comment(const text_line *line) {
  const char *first = blanks_skip(line->start, line->end);
  return first < line->end && *first == '#';
}

static bool is_empty(const text_line *line) {
  return blanks_skip(line->start, line->end) == line->end;
}

static const char *comment_text(const text_line *line) {
  const char *text = blanks_skip(line->start, line->end) + 1;
  return text < line->end && *text == ' ' ? text + 1 : text;
}

/* first pass: where the header is, and how much memory the rest needs */
static void lines_count(parser *parsed) {
  text_line line = {0};
  for (const char *at = parsed->start; line_next(parsed, &at, &line);) {
    if (is_comment(&line)) {
      parsed->comment_bytes += (size_t)(line.end - comment_text(&line)) + 1;
    } else if (!is_empty(&line)) {
      if (parsed->header.number == 0) {
        parsed->header = line;
      } else {
        parsed->data_lines++;
      }
    }
  }
}

/* ---- fields ---- */

typedef struct field {
  const char *where;       /* where it starts, for messages */
  const char *start, *end; /* its text, without blanks and quotes around it */
  bool is_quoted;
  bool is_last;
} field;

/* the closing quote, or NULL; two quotes in a row stand for one */
static const char *quote_close(const char *at, const char *end) {
  for (; at < end; at++) {
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') return at;
    at++;
  }
  return NULL;
}

static bool is_padding(const parser *parsed, char c) {
  return is_blank(c) && c != parsed->separator;
}

static flg_status quoted_next(const parser *parsed, const text_line *line, const char **at,
                              field *next) {
  const char *close = quote_close(*at + 1, line->end);
  if (close == NULL) {
    return mistake(parsed, line, *at, "A quoted field does not end on its line; expected '\"'.");
  }
  next->start = *at + 1;
  next->end = close;
  next->is_quoted = true;
  *at = close + 1;
  while (*at < line->end && is_padding(parsed, **at)) (*at)++;
  if (*at == line->end || **at == parsed->separator) return FLG_OK;
  return mistake(parsed, line, *at, "There is text after a closing quote; expected a separator.");
}

/* *at moves behind the separator */
static flg_status field_next(const parser *parsed, const text_line *line, const char **at,
                             field *next) {
  while (*at < line->end && is_padding(parsed, **at)) (*at)++;
  *next = (field){.where = *at, .start = *at};
  if (*at < line->end && **at == '"') {
    const flg_status status = quoted_next(parsed, line, at, next);
    if (status != FLG_OK) return status;
  } else {
    const char *stop = memchr(*at, parsed->separator, (size_t)(line->end - *at));
    *at = next->end = stop == NULL ? line->end : stop;
    while (next->end > next->start && is_padding(parsed, next->end[-1])) next->end--;
  }
  next->is_last = *at == line->end;
  if (!next->is_last) (*at)++;
  return FLG_OK;
}

/* ---- the header ---- */

static size_t separators_count(const text_line *line, char separator) {
  size_t count = 0;
  bool is_inside = false;
  for (const char *at = line->start; at < line->end; at++) {
    if (*at == '"') is_inside = !is_inside;
    if (*at == separator && !is_inside) count++;
  }
  return count;
}

static void separator_choose(parser *parsed) {
  size_t most = 0;
  parsed->separator = ',';
  for (const char *candidate = ",;\t"; *candidate != '\0'; candidate++) {
    const size_t count = separators_count(&parsed->header, *candidate);
    if (count <= most) continue;
    most = count;
    parsed->separator = *candidate;
  }
}

static flg_status columns_count(parser *parsed) {
  const char *at = parsed->header.start;
  field named = {0};
  while (!named.is_last) {
    const flg_status status = field_next(parsed, &parsed->header, &at, &named);
    if (status != FLG_OK) return status;
    parsed->columns++;
  }
  return FLG_OK;
}

static flg_status name_check(const parser *parsed, const field *named) {
  const text_line *line = &parsed->header;
  char shown[EXCERPT_BYTES + 4];
  if (named->start == named->end) {
    return mistake(parsed, line, named->where, "A column has no name; expected one for each.");
  }
  for (const char *at = named->start; at < named->end;) {
    const int length = flg_utf8_length(at, named->end);
    if (length == 0) {
      return mistake(parsed, line, at,
                     "The byte 0x%02x in the column name '%s' is not text in UTF-8.",
                     (unsigned)(unsigned char)*at, excerpt(named->start, named->end, shown));
    }
    at += length;
  }
  return FLG_OK;
}

/* "torque [N m]": where the bracket of the unit opens, or NULL. "q[3]" is a name with an index. */
static char *unit_find(char *name) {
  const size_t length = strlen(name);
  char *bracket = length > 0 && name[length - 1] == ']' ? strrchr(name, '[') : NULL;
  if (bracket == NULL || bracket == name) return NULL;
  const bool is_index = strspn(bracket + 1, "0123456789") == strlen(bracket + 1) - 1;
  return is_index && !is_blank(bracket[-1]) ? NULL : bracket;
}

/* copies a field, its doubled quotes made single */
static char *string_copy(parser *parsed, const field *copied) {
  char *copy = parsed->strings;
  for (const char *at = copied->start; at < copied->end; at++) {
    *parsed->strings++ = *at;
    if (copied->is_quoted && *at == '"') at++;
  }
  *parsed->strings++ = '\0';
  return copy;
}

/* splits the copy in place: the bracket and the blanks before it become the end of the name */
static void name_store(parser *parsed, size_t column, const field *named) {
  char *name = string_copy(parsed, named);
  char *bracket = unit_find(name);
  parsed->names[column] = name;
  parsed->units[column] = parsed->strings - 1; /* "" */
  if (bracket == NULL) return;
  parsed->units[column] = bracket + 1;
  bracket[strlen(bracket) - 1] = '\0';
  do {
    *bracket-- = '\0';
  } while (bracket > name && is_blank(*bracket));
}

static int csv_name_order(const void *a, const void *b) {
  return strcmp(**(const char *const *const *)a, **(const char *const *const *)b);
}

static flg_status names_compare(const parser *parsed) {
  const char ***sorted = malloc(parsed->columns * sizeof *sorted);
  if (sorted == NULL) return flg_fail(parsed->error, FLG_ERR_MEMORY, "No memory is left.");
  for (size_t k = 0; k < parsed->columns; k++) sorted[k] = &parsed->names[k];
  qsort(sorted, parsed->columns, sizeof *sorted, csv_name_order);
  flg_status status = FLG_OK;
  for (size_t k = 1; k < parsed->columns && status == FLG_OK; k++) {
    if (strcmp(*sorted[k - 1], *sorted[k]) != 0) continue;
    const ptrdiff_t one = sorted[k - 1] - parsed->names, other = sorted[k] - parsed->names;
    status = mistake(parsed, &parsed->header, parsed->header.start,
                     "Columns %td and %td are both named '%.200s'; expected different names.",
                     (one < other ? one : other) + 1, (one < other ? other : one) + 1, *sorted[k]);
  }
  free(sorted);
  return status;
}

static flg_status header_read(parser *parsed) {
  const char *at = parsed->header.start;
  size_t number_count = 0;
  for (size_t column = 0; column < parsed->columns; column++) {
    field named;
    double ignored;
    flg_status status = field_next(parsed, &parsed->header, &at, &named);
    if (status == FLG_OK) status = name_check(parsed, &named);
    if (status != FLG_OK) return status;
    number_count += flg_csv_number(named.start, named.end, &ignored) == FLG_CSV_NUMBER;
    name_store(parsed, column, &named);
  }
  if (number_count < parsed->columns) return names_compare(parsed);
  return mistake(parsed, &parsed->header, parsed->header.start,
                 "The first line holds numbers; expected the names of the columns.");
}

/* ---- numbers ---- */

static flg_status number_refuse(const parser *parsed, const text_line *line, const field *read,
                                flg_csv_number_kind kind, size_t column) {
  static const char *const reasons[] = {
      [FLG_CSV_NONFINITE] = "is not finite; expected a finite number",
      [FLG_CSV_OVERFLOW] = "is too large; expected a number below 1.8e308",
      [FLG_CSV_TOO_LONG] = "is too long; expected a number of at most 1000 characters",
      [FLG_CSV_NO_NUMBER] = "is not a number; expected one such as 1.5 or -2e-3"};
  char shown[EXCERPT_BYTES + 4];
  if (read->start == read->end) {
    return mistake(parsed, line, read->where, "The column '%.200s' is empty; expected a number.",
                   parsed->names[column]);
  }
  return mistake(parsed, line, read->where, "'%s' in the column '%.200s' %s.",
                 excerpt(read->start, read->end, shown), parsed->names[column], reasons[kind]);
}

static flg_status number_read(const parser *parsed, const text_line *line, const field *read,
                              size_t column, double *value) {
  const flg_csv_number_kind kind = flg_csv_number(read->start, read->end, value);
  if (kind == FLG_CSV_NUMBER) return FLG_OK;
  if (kind == FLG_CSV_NONFINITE && parsed->options.allow_nonfinite) return FLG_OK;
  return number_refuse(parsed, line, read, kind, column);
}

static flg_status count_refuse(const parser *parsed, const text_line *line, const char *where,
                               size_t count) {
  const size_t names = parsed->columns;
  return mistake(parsed, line, where, "The line has %s %zu number%s; expected %zu, one a column.",
                 count < names ? "only" : "more than", count, count == 1 ? "" : "s", names);
}

/* a comparison with nan is false, so that nan does not pass for a time */
static flg_status order_check(const parser *parsed, const text_line *line, const double *row) {
  if (!parsed->options.increasing || parsed->rows == 0) return FLG_OK;
  const double before = row[-(ptrdiff_t)parsed->columns];
  if (row[0] > before) return FLG_OK;
  return mistake(parsed, line, blanks_skip(line->start, line->end),
                 "The column '%.200s' does not increase: %.17g comes after %.17g.",
                 parsed->names[0], row[0], before);
}

/* There is room: a number takes at least two characters of the file, its separator included, and
 * the first field that is none ends the reading. */
static flg_status row_read(parser *parsed, const text_line *line) {
  double *row = parsed->values + parsed->rows * parsed->columns;
  const char *at = line->start;
  for (size_t column = 0; column < parsed->columns; column++) {
    field read;
    flg_status status = field_next(parsed, line, &at, &read);
    if (status != FLG_OK) return status;
    status = number_read(parsed, line, &read, column, row + column);
    if (status != FLG_OK) return status;
    const bool is_end = column + 1 == parsed->columns;
    if (read.is_last && !is_end) return count_refuse(parsed, line, line->end, column + 1);
    if (!read.is_last && is_end) return count_refuse(parsed, line, at, parsed->columns);
  }
  const flg_status status = order_check(parsed, line, row);
  parsed->rows++;
  return status;
}

static void comment_store(parser *parsed, const text_line *line) {
  const char *text = comment_text(line);
  const size_t length = (size_t)(line->end - text);
  memcpy(parsed->comments, text, length);
  parsed->comments[length] = '\n';
  parsed->comments += length + 1;
}

/* second pass */
static flg_status lines_read(parser *parsed) {
  text_line line = {0};
  for (const char *at = parsed->start; line_next(parsed, &at, &line);) {
    if (is_comment(&line)) {
      comment_store(parsed, &line);
    } else if (!is_empty(&line)) {
      const bool is_header = line.number == parsed->header.number;
      const flg_status status = is_header ? header_read(parsed) : row_read(parsed, &line);
      if (status != FLG_OK) return status;
    }
  }
  return FLG_OK;
}

/* ---- the whole text ---- */

static flg_status text_check(parser *parsed) {
  const size_t size = (size_t)(parsed->end - parsed->start);
  const char *zero = size == 0 ? NULL : memchr(parsed->start, '\0', size);
  if (zero == NULL) return FLG_OK;
  text_line line = {0};
  const char *at = parsed->start;
  while (at <= zero) line_next(parsed, &at, &line);
  return mistake(parsed, &line, zero, "There is a zero byte; expected text, not a binary file.");
}

static void text_trim(parser *parsed) {
  static const char mark[] = "\xef\xbb\xbf";
  if (parsed->end - parsed->start >= 3 && memcmp(parsed->start, mark, 3) == 0) parsed->start += 3;
  while (parsed->options.drop_torn_line && parsed->end > parsed->start && parsed->end[-1] != '\n') {
    parsed->end--;
  }
}

static flg_status size_check(const parser *parsed) {
  if (parsed->columns > FLG_CSV_MAX_COLUMNS) {
    return mistake(parsed, &parsed->header, parsed->header.start,
                   "The line has %zu names; expected at most %d.", parsed->columns,
                   FLG_CSV_MAX_COLUMNS);
  }
  if (parsed->data_lines > 0 || parsed->options.allow_no_rows) return FLG_OK;
  return mistake(parsed, &parsed->header, parsed->header.start,
                 "The file has names but no numbers; expected at least one line of them.");
}

/* one block: values, names, units, their text, comments */
static void *memory_build(parser *parsed) {
  const size_t text = (size_t)(parsed->end - parsed->start), most = text / 2 + 1;
  const bool is_too_short = parsed->data_lines > most / parsed->columns; /* for so many numbers */
  const size_t numbers = is_too_short ? most : parsed->data_lines * parsed->columns;
  const size_t values = (numbers + 1) * sizeof *parsed->values;
  const size_t pointers = parsed->columns * sizeof *parsed->names;
  const size_t strings = (size_t)(parsed->header.end - parsed->header.start) + parsed->columns + 1;
  char *memory = malloc(values + 2 * pointers + strings + parsed->comment_bytes + 1);
  if (memory == NULL) {
    flg_fail(parsed->error, FLG_ERR_MEMORY, "No memory is left to read '%s'.", parsed->name);
    return NULL;
  }
  parsed->values = (double *)(void *)memory;
  parsed->names = (const char **)(void *)(memory + values);
  parsed->units = parsed->names + parsed->columns;
  parsed->strings = (char *)(void *)(parsed->units + parsed->columns);
  parsed->comments = parsed->strings + strings;
  return memory;
}

static flg_status table_build(parser *parsed, flg_csv_table *table) {
  void *memory = memory_build(parsed);
  if (memory == NULL) return FLG_ERR_MEMORY;
  const char *comments = parsed->comments;
  const flg_status status = lines_read(parsed);
  if (status != FLG_OK) {
    free(memory);
    return status;
  }
  *parsed->comments = '\0';
  *table = (flg_csv_table){.rows = parsed->rows,
                           .columns = parsed->columns,
                           .values = parsed->values,
                           .names = parsed->names,
                           .units = parsed->units,
                           .comments = comments,
                           .memory = memory};
  return FLG_OK;
}

static flg_status text_read(parser *parsed, flg_csv_table *table) {
  flg_status status = text_check(parsed);
  if (status != FLG_OK) return status;
  text_trim(parsed);
  lines_count(parsed);
  if (parsed->header.number == 0) {
    const text_line first = {.start = parsed->start, .end = parsed->end, .number = 1};
    return mistake(parsed, &first, parsed->start,
                   "The file is empty; expected a line with the names of the columns.");
  }
  separator_choose(parsed);
  status = columns_count(parsed);
  if (status == FLG_OK) status = size_check(parsed);
  return status == FLG_OK ? table_build(parsed, table) : status;
}

static bool is_too_large(size_t size) {
  return (double)size > FLG_MIB * flg_input_limit_value(FLG_LIMIT_TABLE);
}

static flg_status size_refuse(const char *name, flg_error *error) {
  return flg_fail(error, FLG_ERR_INPUT,
                  "'%s' is too large for a table; expected at most %g MiB, or more with --limit "
                  "table=MIB",
                  name, flg_input_limit_value(FLG_LIMIT_TABLE));
}

flg_csv_options flg_csv_default(void) {
  return (flg_csv_options){0};
}

flg_status flg_csv_parse(const char *name, const char *text, size_t size,
                         const flg_csv_options *options, flg_csv_table *table, flg_error *error) {
  if (is_too_large(size)) return size_refuse(name, error);
  parser parsed = {.name = name,
                   .start = size == 0 ? "" : text,
                   .options = options == NULL ? flg_csv_default() : *options,
                   .error = error};
  parsed.end = parsed.start + size;
  return text_read(&parsed, table);
}

/* ---- the file ---- */

static flg_status read_csv_text(FILE *file, const char *path, char **bytes, size_t *size,
                                flg_error *error) {
  struct stat about = {0};
  fstat(fileno(file), &about);
  if (is_too_large((size_t)about.st_size)) return size_refuse(path, error);
  *bytes = malloc((size_t)about.st_size + 1);
  if (*bytes == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "No memory is left to read '%s'.", path);
  }
  *size = fread(*bytes, 1, (size_t)about.st_size, file);
  if (!ferror(file)) return FLG_OK;
  return flg_fail(error, FLG_ERR_MISSING, "'%s' cannot be read to its end.", path);
}

flg_status flg_csv_read(const char *path, const flg_csv_options *options, flg_csv_table *table,
                        flg_error *error) {
  const char *reason = NULL;
  FILE *file = flg_input_open(path, &reason);
  if (file == NULL) {
    return flg_fail(error, FLG_ERR_MISSING, "'%s' cannot be opened: %s.", path, reason);
  }
  char *bytes = NULL;
  size_t size = 0;
  flg_status status = read_csv_text(file, path, &bytes, &size, error);
  fclose(file);
  if (status == FLG_OK) status = flg_csv_parse(path, bytes, size, options, table, error);
  free(bytes);
  return status;
}

void flg_csv_release(flg_csv_table *table) {
  free(table->memory);
  *table = (flg_csv_table){0};
}
