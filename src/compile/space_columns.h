/* space_columns.h - factors of S by tables, one loop for all columns: text of generated files, for
 * patterns that do not repeat and are too large to be spelt out (space_source.c).
 *
 *     SPACE_BLOCKS
 *     block_rows, block_sides, block_starts   (blocks) by place; where their numbers start
 *     block_below                           (blocks) entries of their column
 *     entry_rows, entry_starts                (entries) place of the later block; where numbers
 * start block_targets                         where the numbers of the entry start that products
 *                                             are subtracted from
 */
IN_LINE void factor_one(int rows, double *b, double sound, int *is_sound) {
  *is_sound = factor_block(rows, b, sound);
}

IN_LINE void take_off_one(int rows, int room, const double *upper, double *E, int count,
                          double *diagonal) {
  flg_frozen_divide(rows, room, upper, E);
  flg_frozen_downdate(rows, room, E, E, room, count, diagonal);
}

IN_LINE const int *eliminate_block(space *of, const double *b, int rows, int first, int below,
                                   const int *target) {
  for (int e = first; e < first + below; e++) {
    const int later = entry_rows[e], count = block_rows[later];
    double *E = of->entries + entry_starts[e];
    double *diagonal = of->blocks + block_starts[later] + diagonal_at(count);
    FLG_BY_BOTH(take_off_one, flg_frozen_room(count), rows, b + upper_at(rows), E, count, diagonal)
  }
  for (int a = first; a < first + below; a++) {
    const int count = block_rows[entry_rows[a]], other = flg_frozen_room(count);
    const double *U = of->entries + entry_starts[a];
    for (int e = a + 1; e < first + below; e++) {
      const int room = flg_frozen_room(block_rows[entry_rows[e]]);
      const double *V = of->entries + entry_starts[e];
      double *to = of->entries + *target++;
      FLG_BY_BOTH(flg_frozen_downdate, room, rows, V, U, other, count, to)
    }
  }
  return target;
}

WIDE_VECTORS
static int factor_space(space *of) {
  const int *target = block_targets;
  for (int p = 0, first = 0; p < SPACE_BLOCKS; p++) {
    double *b = of->blocks + block_starts[p];
    const int rows = block_rows[p];
    int is_sound = 0;
    FLG_BY_ROWS(factor_one, rows, b, of->sound, &is_sound)
    if (!is_sound) return 0;
    target = eliminate_block(of, b, rows, first, block_below[p], target);
    first += block_below[p];
  }
  return 1;
}

IN_LINE void go_back_one(int rows, double *b, const int *on, int sides, space_body *bodies) {
  end_block(rows, sides, b, on, bodies);
}

WIDE_VECTORS
static void solve_space(space *of) {
  int e = 0;
  for (int p = 0; p < SPACE_BLOCKS; p++) {
    double *b = of->blocks + block_starts[p];
    const int rows = block_rows[p];
    FLG_BY_ROWS(forward_block, rows, b)
    for (int left = block_below[p]; left > 0; left--, e++) {
      const int count = block_rows[entry_rows[e]];
      double *to = of->blocks + block_starts[entry_rows[e]] + x_at(count);
      const double *V = of->entries + entry_starts[e];
      FLG_BY_BOTH(flg_frozen_take_on, flg_frozen_room(count), rows, V, b + x_at(rows), to)
    }
  }
  for (int p = SPACE_BLOCKS - 1; p >= 0; p--) {
    double *b = of->blocks + block_starts[p];
    const int rows = block_rows[p];
    for (int left = block_below[p]; left > 0; left--) {
      const int count = block_rows[entry_rows[--e]];
      const double *from = of->blocks + block_starts[entry_rows[e]] + x_at(count);
      const double *V = of->entries + entry_starts[e];
      FLG_BY_BOTH(flg_frozen_take_back, flg_frozen_room(count), rows, V, from, b + x_at(rows))
    }
    FLG_BY_ROWS(go_back_one, rows, b, block_ends[p], block_sides[p], of->bodies)
  }
}
