#include "compile/source_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "compile/emit.h"
#include "flange/version.h"

/* the end of a line, or of the text */
static const char *end_of_line(const char *line, const char *end) {
  const char *found = memchr(line, '\n', (size_t)(end - line));
  return found == NULL ? end : found + 1;
}

/* A generated source is one file that needs no header of ours: lines that include our own headers
 * are left out, those of the system stay. */
void flg_text_embed(const flg_text *text, FILE *out) {
  static const char include[] = "#include \"";
  const char *at = (const char *)text->bytes, *end = at + text->length;
  for (const char *next; at < end; at = next) {
    next = end_of_line(at, end);
    const bool is_own = (size_t)(end - at) > sizeof include && /* those before it are there */
                        memcmp(at, include, sizeof include - 1) == 0;
    if (!is_own) (void)fwrite(at, 1, (size_t)(next - at), out);
  }
  fputs("\n", out);
}

/* The sines first: the interpreter uses the same kernel, so that both see the same bits of sine and
 * cosine whatever the C library of the machine. */
void flg_text_head(FILE *out) {
  fputs("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n", out);
  flg_text_embed(&flg_text_sine_kernel, out);
  flg_text_embed(&flg_text_plugin, out);
  fputs(
      "/* entry (i, j) of matrices of the interface */\n"
      "#define SETUP_ENTRY(i, j) (3 * (i) + (j))\n\n"
      "/* states at once: as many as a register of this processor holds, and at least four */\n"
      "#if !defined LANES && defined __AVX512F__\n#define LANES 8\n"
      "#elif !defined LANES\n#define LANES 4\n#endif\n"
      "typedef double many __attribute__((vector_size(8 * LANES), aligned(8)));\n\n"
      "static inline double root_of_one(double x) {\n  return sqrt(x);\n}\n\n"
      "static inline many root_of_many(many x) {\n"
      "  for (int l = 0; l < LANES; l++) x[l] = sqrt(x[l]);\n  return x;\n}\n\n"
      "#define root_of(x) _Generic((x), many: root_of_many, default: root_of_one)(x)\n\n",
      out);
  flg_text_embed(&flg_text_shared_runtime, out);
}

/* Octal escapes have at most three digits and end there; those with x would swallow a digit that
 * follows. A question mark is escaped because of trigraphs. */
void flg_text_string(const char *text, FILE *out) {
  fputc('"', out);
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c < ' ' || c == '"' || c == '\\' || c == '?' || c > '~') {
      fprintf(out, "\\%03o", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

void flg_text_names(const char *name, FILE *out) {
  fputs("#define LIBRARY_NAME ", out);
  flg_text_string(name, out);
  fprintf(out, "\n#define LIBRARY_VERSION \"compiled by flange %s\"\n", FLG_VERSION);
}

void flg_text_values(const double *values, int count, FILE *out) {
  for (int k = 0; k < count; k++) {
    flg_emit_number(values[k], out);
    fputs(", ", out);
  }
}

/* C has no empty arrays: a table without numbers has one that is never read. */

void flg_text_numbers(const char *name, const double *values, int count, FILE *out) {
  fprintf(out, "static const double %s[] = {", name);
  flg_text_values(values, count, out);
  fputs(count == 0 ? "0};\n" : "};\n", out);
}

void flg_text_integers(const char *name, const int *values, int count, FILE *out) {
  int least = 0, most = 0;
  for (int k = 0; k < count; k++) {
    if (values[k] < least) least = values[k];
    if (values[k] > most) most = values[k];
  }
  const char *type = least >= INT8_MIN && most <= INT8_MAX     ? "signed char"
                     : least >= INT16_MIN && most <= INT16_MAX ? "short"
                                                               : "int";
  fprintf(out, "static const %s %s[] = {", type, name);
  for (int k = 0; k < count; k++) fprintf(out, "%d, ", values[k]);
  fputs(count == 0 ? "0};\n" : "};\n", out);
}
