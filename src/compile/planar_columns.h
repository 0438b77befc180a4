/* planar_columns.h - factors of S by tables, one loop for all columns: text of generated files, for
 * patterns that do not repeat and are too large to be spelt out (pattern_source.h).
 *
 *     pattern_below, pattern_rows, pattern_targets     of S; rows by 2 * place, targets by 4 *
 * entry
 */
WIDE_VECTORS
static int factor_flat(plane *of) {
  const int *row = pattern_rows, *target = pattern_targets;
  double *d = of->diagonal, *column = of->entry, sum = 0;
  for (int k = 0; k < PAIRS; k++, d += 4) {
    const int count = pattern_below[k];
    if (!invert(of->floor[k], d, &sum)) return 0;
    for (int e = 0; e < count; e++) {
      reduce_entry(d, column + 4 * e, of->diagonal + 2 * row[e]);
      for (int b = e + 1; b < count; b++) {
        reduce_product(column + 4 * b, column + 4 * e, of->entry + *target++);
      }
    }
    row += count, column += 4 * count;
  }
  return sum <= DBL_MAX;
}

/* impulses from right-hand sides, by place */
WIDE_VECTORS
static void solve_flat(plane *of) {
  double *x = of->impulse;
  const double *column = of->entry, *d = of->diagonal + 4 * PAIRS;
  const int *row = pattern_rows;
  for (int k = 0; k < PAIRS; k++) {
    for (int left = pattern_below[k]; left > 0; left--, column += 4) {
      go_forward(column, x + 2 * k, x + *row++);
    }
  }
  for (int k = PAIRS - 1; k >= 0; k--) {
    d -= 4;
    two_sums sums = start_back(d, x + 2 * k);
    for (int left = pattern_below[k]; left > 0; left--) {
      column -= 4;
      go_back(column, x + *--row, &sums);
    }
    end_back(&sums, x + 2 * k);
  }
}
