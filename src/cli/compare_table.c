#include "cli/compare_table.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "cli/output_file.h"

typedef struct table {
  const flg_comparison *comparison;
  const flg_trace *traces;
  FILE *out;
} table;

/* the first run of a coupling stands for it */
static bool is_first_of_coupling(const flg_comparison *of, int run) {
  for (int k = 0; k < run; k++) {
    if (strcmp(of->runs[k].coupling, of->runs[run].coupling) == 0) return false;
  }
  return true;
}

/* the next longer macro step; infinite: there is none */
static double next_macro(const flg_comparison *of, double macro) {
  double next = INFINITY;
  for (int k = 0; k < of->count; k++) {
    if (of->runs[k].macro > macro) next = fmin(next, of->runs[k].macro);
  }
  return next;
}

static void put_quoted(const char *text, FILE *out) {
  for (; *text != '\0'; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
}

static void put_name(const table *of, const flg_signal *signal, const char *coupling) {
  fputs(",\"", of->out);
  put_quoted(signal->name, of->out);
  fputc('.', of->out);
  put_quoted(coupling, of->out);
  if (signal->unit != NULL && signal->unit[0] != '\0') fprintf(of->out, " [%s]", signal->unit);
  fputc('"', of->out);
}

static double error_of(const table *of, const char *coupling, double macro,
                       const flg_signal *signal, int column) {
  const flg_comparison *comparison = of->comparison;
  const flg_trace *reference = &of->traces[comparison->count];
  for (int k = 0; k < comparison->count; k++) {
    const flg_trace *trace = &of->traces[k];
    if (comparison->runs[k].macro != macro) continue;
    if (strcmp(comparison->runs[k].coupling, coupling) != 0) continue;
    const bool diverged = !isnan(flg_compare_diverged_at(trace, reference));
    return diverged ? (double)NAN : flg_compare_signal(trace, reference, signal, column).max;
  }
  return NAN;
}

/* a line of names (macro 0), or of errors */
static void put_line(const table *of, double macro) {
  const flg_simulation *reference = of->comparison->reference.simulation;
  const flg_signal *signals = flg_simulation_signals(reference);
  int column = 0;
  for (int s = 0; s < flg_simulation_signal_count(reference); column += signals[s++].width) {
    for (int k = 0; k < of->comparison->count && flg_compare_is_told(&signals[s]); k++) {
      const char *coupling = of->comparison->runs[k].coupling;
      char text[FLG_NUMBER_TEXT];
      if (!is_first_of_coupling(of->comparison, k)) continue;
      if (macro == 0) {
        put_name(of, &signals[s], coupling);
      } else {
        const double error = error_of(of, coupling, macro, &signals[s], column);
        fprintf(of->out, ",%s", flg_number_write(error, text));
      }
    }
  }
  fputc('\n', of->out);
}

flg_status flg_compare_write_table(const flg_comparison *comparison, const flg_trace *traces,
                                   const char *path, flg_error *error) {
  static const char start[] = "macro step [s]";
  const flg_file_kind kind = {"table", start};
  const table of = {comparison, traces, flg_output_open(path, kind, error)};
  char text[FLG_NUMBER_TEXT];
  if (of.out == NULL) return error->status;
  fputs(start, of.out);
  put_line(&of, 0);
  double macro = next_macro(comparison, 0);
  while (isfinite(macro)) {
    fputs(flg_number_write(macro, text), of.out);
    put_line(&of, macro);
    macro = next_macro(comparison, macro);
  }
  return flg_output_close(of.out, path, error);
}
