#include "compile/pattern_source.h"

/* of a sequence that is looked for */
enum { LONGEST_PERIOD = 16 };

/* --- shapes -------------------------------------------------------------------------------------
 */

static int products_of(int below) {
  return below * (below - 1) / 2;
}

static int block_of_column(const flg_pattern_source *of, int column) {
  return of->layout == NULL ? column : of->layout->block_at[column];
}

static int pattern_entry(const flg_pattern_source *of, int entry) {
  return of->layout == NULL ? entry : of->layout->entry_at[entry];
}

static bool are_of_one_kind(const flg_pattern_source *of, int a, int b) {
  return of->layout == NULL || of->layout->kinds[a] == of->layout->kinds[b];
}

/* Alike are columns for which the same text works from another start: offsets to entries, to
 * rows and to targets of products have to be the same, counted in numbers where blocks differ in
 * size. */
static bool are_alike(const flg_pattern_source *of, int a, int b) {
  const flg_sparse_pattern *pattern = of->pattern;
  const int count = pattern->below[a], first_a = pattern->first[a], first_b = pattern->first[b];
  if (pattern->below[b] != count || !are_of_one_kind(of, a, b)) return false;
  for (int e = 0; e < count; e++) {
    const int row_a = pattern->row[first_a + e], row_b = pattern->row[first_b + e];
    if (!are_of_one_kind(of, row_a, row_b)) return false;
    if (block_of_column(of, row_a) - block_of_column(of, a) !=
        block_of_column(of, row_b) - block_of_column(of, b))
      return false;
  }
  for (int t = 0; t < products_of(count); t++) {
    const int one =
        pattern_entry(of, pattern->target[of->targets[a] + t]) - pattern_entry(of, first_a);
    const int other =
        pattern_entry(of, pattern->target[of->targets[b] + t]) - pattern_entry(of, first_b);
    if (one != other) return false;
  }
  return true;
}

/* how often the columns from `first` on repeat, with that period */
static int count_repeats(const flg_pattern_source *of, int first, int period) {
  int alike = 0;
  while (first + alike + period < of->pattern->count &&
         are_alike(of, first + alike, first + alike + period)) {
    alike++;
  }
  return 1 + alike / period;
}

/* the one that spells out least: that repeats most columns */
static flg_column_run find_run(const flg_pattern_source *of, int first) {
  flg_column_run best = {first, 1, 1};
  for (int period = 1; period <= LONGEST_PERIOD; period++) {
    const int repeats = count_repeats(of, first, period);
    if ((repeats - 1) * period > (best.repeats - 1) * best.period) {
      best = (flg_column_run){first, period, repeats};
    }
  }
  return best;
}

/* Greedy, from the first column on: mechanisms are built of repeated pieces with something
 * different at the ends, so that one long run covers most columns. */
bool flg_pattern_source_find(flg_pattern_source *of, const flg_sparse_pattern *pattern,
                             const flg_pattern_layout *layout, flg_region *region) {
  const size_t count = (size_t)pattern->count;
  *of = (flg_pattern_source){.pattern = pattern, .layout = layout};
  of->targets = flg_region_take(region, count + 1, sizeof(int));
  of->runs = flg_region_take(region, count + 1, sizeof *of->runs);
  if (region->failed) return false;
  for (int k = 0; k < pattern->count; k++) {
    of->targets[k + 1] = of->targets[k] + products_of(pattern->below[k]);
  }
  for (int k = 0; k < pattern->count;) {
    const flg_column_run run = find_run(of, k);
    for (int i = 0; i < run.period; i++) {
      const int below = pattern->below[run.first + i];
      of->operations += 1 + below + products_of(below);
    }
    of->runs[of->run_count++] = run;
    k += run.period * run.repeats;
  }
  return true;
}

/* --- code ---------------------------------------------------------------------------------------
 * Places are counted from those of the run's first column: d of the diagonal, c of the entries,
 * x of the vector.
 */

/* entries of a run's sequence */
static int entries_of(const flg_pattern_source *of, const flg_column_run *run) {
  const int *first = of->pattern->first;
  return first[run->first + run->period] - first[run->first];
}

/* Eliminates one column: invert its diagonal block, then subtract the products of its entries.
 * Products of an entry with itself go to a diagonal block, others to entries below. */
static void write_pattern_column(const flg_pattern_source *of, const flg_column_run *run, int at,
                                 FILE *out) {
  const flg_sparse_pattern *pattern = of->pattern;
  const int column = run->first + at, below = pattern->below[column];
  const int start = pattern->first[run->first], own = pattern->first[column] - start;
  const int *target = pattern->target + of->targets[column];
  fprintf(out, "    if (!invert(w[%d], d + %d, &sum)) return 0;\n", at, 4 * at);
  for (int e = 0; e < below; e++) {
    const int row = pattern->row[pattern->first[column] + e] - run->first;
    fprintf(out, "    reduce_entry(d + %d, c + %d, d + %d);\n", 4 * at, 4 * (own + e), 4 * row);
    for (int b = e + 1; b < below; b++) {
      fprintf(out, "    reduce_product(c + %d, c + %d, c + %d);\n", 4 * (own + b), 4 * (own + e),
              4 * (*target++ - start));
    }
  }
}

static void write_pattern_forward(const flg_pattern_source *of, const flg_column_run *run, int at,
                                  FILE *out) {
  const flg_sparse_pattern *pattern = of->pattern;
  const int column = run->first + at, start = pattern->first[run->first];
  for (int e = pattern->first[column]; e < pattern->first[column + 1]; e++) {
    fprintf(out, "    go_forward(c + %d, x + %d, x + %d);\n", 4 * (e - start), 2 * at,
            2 * (pattern->row[e] - run->first));
  }
}

static void write_pattern_back(const flg_pattern_source *of, const flg_column_run *run, int at,
                               FILE *out) {
  const flg_sparse_pattern *pattern = of->pattern;
  const int column = run->first + at, start = pattern->first[run->first];
  fprintf(out, "    sums = start_back(d + %d, x + %d);\n", 4 * at, 2 * at);
  for (int e = pattern->first[column + 1] - 1; e >= pattern->first[column]; e--) {
    fprintf(out, "    go_back(c + %d, x + %d, &sums);\n", 4 * (e - start),
            2 * (pattern->row[e] - run->first));
  }
  fprintf(out, "    end_back(&sums, x + %d);\n", 2 * at);
}

static void write_pattern_factor(const flg_pattern_source *of, FILE *out) {
  fputs(
      "WIDE_VECTORS\nstatic int factor_flat(plane *of) {\n"
      "  double *d = of->diagonal, *c = of->entry, (*w)[3] = of->floor, sum = 0;\n",
      out);
  for (int r = 0; r < of->run_count; r++) {
    const flg_column_run *run = &of->runs[r];
    fprintf(out, "  for (int k = 0; k < %d; k++) {\n", run->repeats);
    for (int i = 0; i < run->period; i++) write_pattern_column(of, run, i, out);
    fprintf(out, "    d += %d, w += %d, c += %d;\n  }\n", 4 * run->period, run->period,
            4 * entries_of(of, run));
  }
  fputs("  return sum <= DBL_MAX;\n}\n\n", out);
}

/* Forward in the order of columns, back in the reverse order: run by run, and inside of a run
 * column by column, so the operations are in the interpreter's order and give its bits. */
static void write_pattern_solve(const flg_pattern_source *of, FILE *out) {
  fputs(
      "WIDE_VECTORS\nstatic void solve_flat(plane *of) {\n"
      "  const double *d = of->diagonal + 4 * PAIRS, *c = of->entry;\n"
      "  double *x = of->impulse;\n  two_sums sums;\n",
      out);
  for (int r = 0; r < of->run_count; r++) {
    const flg_column_run *run = &of->runs[r];
    fprintf(out, "  for (int k = 0; k < %d; k++) {\n", run->repeats);
    for (int i = 0; i < run->period; i++) write_pattern_forward(of, run, i, out);
    fprintf(out, "    c += %d, x += %d;\n  }\n", 4 * entries_of(of, run), 2 * run->period);
  }
  for (int r = of->run_count - 1; r >= 0; r--) {
    const flg_column_run *run = &of->runs[r];
    fprintf(out, "  for (int k = 0; k < %d; k++) {\n    d -= %d, c -= %d, x -= %d;\n", run->repeats,
            4 * run->period, 4 * entries_of(of, run), 2 * run->period);
    for (int i = run->period - 1; i >= 0; i--) write_pattern_back(of, run, i, out);
    fputs("  }\n", out);
  }
  fputs("}\n\n", out);
}

void flg_pattern_source_write(const flg_pattern_source *of, FILE *out) {
  write_pattern_factor(of, out);
  write_pattern_solve(of, out);
}
