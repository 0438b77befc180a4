#include "compile/planar_source.h"

#include "compile/pattern_source.h"
#include "compile/source_text.h"

/* Operations on blocks, of some 20 numbers each, that are spelt out: compilers take half a second
 * for so many. */
enum { MOST_OPERATIONS = 600 };

/* --- numbers ------------------------------------------------------------------------------------
 */

/* one more than needed: arrays without numbers still have an address */
static double *planar_source_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count + 1, sizeof(double));
}

static void put_point(double *to, flg_planar_point point) {
  to[0] = point[0], to[1] = point[1];
}

static void put_quaternion(double *to, flg_quat q) {
  to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

/* Lines are numbers of slides and turns alone; pairs of points that meet need none. */
static void fill_pairs(const flg_planar *planar, double *points, double *lines) {
  for (int k = 0; k < planar->pair_count; k++) {
    const flg_planar_pair *pair = &planar->pairs[k];
    for (int e = 0; e < 2; e++) put_point(points + 4 * (size_t)k + 2 * e, pair->point[e]);
    if (pair->kind == FLG_PLANAR_MEET) continue;
    put_point(lines, pair->across);
    for (int e = 0; e < 2; e++) put_point(lines + 2 + 2 * e, pair->facing[e]);
    lines += 6;
  }
}

static int count_holds(const flg_planar *planar) {
  int count = 0;
  for (int k = 0; k < planar->pair_count; k++) {
    count += planar->pairs[k].kind != FLG_PLANAR_MEET;
  }
  return count;
}

typedef struct body_numbers {
  double *masses, *inverse_masses, *inertias, *inverse_inertias, *gravities, *heights, *zeros;
} body_numbers;

static void fill_bodies(const flg_planar *planar, const body_numbers *to) {
  for (int k = 0; k < planar->body_count; k++) {
    const flg_planar_body *body = &planar->bodies[k];
    to->masses[k] = body->mass, to->inverse_masses[k] = body->inverse_mass;
    to->inertias[k] = body->inertia, to->inverse_inertias[k] = body->inverse_inertia;
    to->heights[k] = body->height;
    put_point(to->gravities + 2 * (size_t)k, body->gravity);
    put_quaternion(to->zeros + 4 * (size_t)k, body->zero);
  }
}

bool flg_planar_numbers_fill(const flg_assembly *assembly, flg_region *region,
                             flg_planar_numbers *numbers) {
  const flg_planar *planar = assembly->model.planar;
  const int n = planar->body_count;
  const body_numbers of = {planar_source_take(region, n),     planar_source_take(region, n),
                           planar_source_take(region, n),     planar_source_take(region, n),
                           planar_source_take(region, 2 * n), planar_source_take(region, n),
                           planar_source_take(region, 4 * n)};
  double *points = planar_source_take(region, 4 * planar->pair_count);
  double *lines = planar_source_take(region, 6 * planar->pair_count);
  if (region->failed) return false;
  fill_bodies(planar, &of);
  fill_pairs(planar, points, lines);
  *numbers = (flg_planar_numbers){.masses = of.masses,
                                  .inverse_masses = of.inverse_masses,
                                  .inertias = of.inertias,
                                  .inverse_inertias = of.inverse_inertias,
                                  .gravities = of.gravities,
                                  .heights = of.heights,
                                  .zeros = of.zeros,
                                  .points = points,
                                  .lines = lines,
                                  .senses = planar->angle_sense,
                                  .length = assembly->model.length,
                                  .least = planar->least};
  for (int k = 0; k < 3; k++) flg_vec3_store(planar->axis[k], numbers->axes + 3 * k);
  return true;
}

/* Structure is text, numbers are data: mechanisms of one structure share a library, whatever their
 * lengths and masses. */
/* --- structure ----------------------------------------------------------------------------------
 */

/* Tables give bytes (planar_rows.h): the ground comes after bodies, whose number is rounded up. */
static int planar_source_room_of(const flg_planar *planar) {
  return (planar->body_count + 3) / 4 * 4;
}

static int planar_body_at(const flg_planar *planar, int body) {
  return 8 * (body == planar->body_count ? planar_source_room_of(planar) : body);
}

static void planar_write_pairs(const flg_planar *planar, FILE *out) {
  fputs("static const int pair_ends[][3] = {", out);
  for (int k = 0; k < planar->pair_count; k++) {
    const flg_planar_pair *pair = &planar->pairs[k];
    fprintf(out, "{%d, %d, %d}, ", planar_body_at(planar, pair->body[0]),
            planar_body_at(planar, pair->body[1]), 16 * pair->place);
  }
  fputs("};\nstatic const int pair_holds[] = {", out);
  for (int k = 0, hold = 0; k < planar->pair_count; k++) {
    fprintf(out, "%d, ", planar->pairs[k].kind == FLG_PLANAR_MEET ? -1 : hold++);
  }
  fputs("};\nstatic const int hold_rows[][2] = {", out);
  for (int k = 0; k < planar->pair_count; k++) {
    const flg_planar_pair *pair = &planar->pairs[k];
    if (pair->kind != FLG_PLANAR_MEET) fprintf(out, "{%d, %d}, ", pair->slides, pair->turns);
  }
  fputs("{0}};\n", out);
}

/* From its address: sides do not know their pair, and are members of it. */
/* the end of a pair that a side belongs to */
static int planar_source_end_of(const flg_planar *planar, const flg_planar_side *side) {
  const size_t bytes = (size_t)((const char *)side - (const char *)planar->pairs);
  const size_t pair = bytes / sizeof(flg_planar_pair);
  return 16 * (2 * (int)pair + (side == &planar->pairs[pair].side[1]));
}

static void write_sum(const flg_planar *planar, const flg_planar_coupling *of, FILE *out) {
  fprintf(out, "{%d, %d, %d", (int)((const double *)of->entry - planar->S.entry),
          planar_source_end_of(planar, of->later), planar_source_end_of(planar, of->earlier));
  if (of->sign == 0) fprintf(out, ", %d", planar_body_at(planar, (int)(of->body - planar->bodies)));
  fputs("}, ", out);
}

/* Sorted so that the generated code needs neither a branch for the kind nor one for the first
 * write. */
/* couplings of two pairs of points, or of others: those that write their entry, then those that add
 * to one; returns how many write */
static int write_planar_couplings(const flg_planar *planar, bool meets, int *count, FILE *out) {
  int firsts = 0;
  *count = 0;
  for (int adds = 0; adds < 2; adds++) {
    for (int k = 0; k < planar->coupling_count; k++) {
      const flg_planar_coupling *of = &planar->couplings[k];
      if ((of->sign != 0) != meets || of->adds != (adds == 1)) continue;
      write_sum(planar, of, out);
      ++*count;
    }
    if (adds == 0) firsts = *count;
  }
  fputs("{0}};\n", out);
  return firsts;
}

static void write_sums(const flg_planar *planar, FILE *out) {
  int points, holds;
  fputs("static const int meet_sums[][3] = {", out);
  const int meet_firsts = write_planar_couplings(planar, true, &points, out);
  fputs("static const int hold_sums[][4] = {", out);
  const int hold_firsts = write_planar_couplings(planar, false, &holds, out);
  fprintf(out, "enum { MEET_FIRSTS = %d, MEET_SUMS = %d, HOLD_FIRSTS = %d, HOLD_SUMS = %d };\n",
          meet_firsts, points, hold_firsts, holds);
}

/* numbers of a table by a factor */
static void write_scaled(const char *name, const int *values, int count, int factor, FILE *out) {
  fprintf(out, "static const int %s[] = {", name);
  for (int k = 0; k < count; k++) fprintf(out, "%d, ", factor * values[k]);
  fputs("0};\n", out);
}

/* S as tables, where its code would be too long */
static void write_planar_columns(const flg_sparse_pattern *pattern, FILE *out) {
  write_scaled("pattern_below", pattern->below, pattern->count, 1, out);
  write_scaled("pattern_rows", pattern->row, pattern->entry_count, 2, out);
  write_scaled("pattern_targets", pattern->target, pattern->target_count, 4, out);
  flg_text_embed(&flg_text_planar_columns, out);
}

/* Straight code where it is short; else tables and a loop, which takes longer to run but no longer
 * to compile. */
static void write_factors(const flg_sparse_pattern *pattern, flg_region *region, FILE *out) {
  flg_pattern_source code;
  if (!flg_pattern_source_find(&code, pattern, NULL, region)) return;
  if (code.operations <= MOST_OPERATIONS) {
    flg_pattern_source_write(&code, out);
  } else {
    write_planar_columns(pattern, out);
  }
}

static int write_others(const flg_planar *planar, FILE *out) {
  int count = 0;
  fputs("static const int other_bodies[] = {", out);
  for (int k = 0; k < planar->body_count; k++) {
    if (planar->bodies[k].is_plain) continue;
    fprintf(out, "%d, ", k);
    count++;
  }
  fputs("-1};\nstatic const int angle_bodies[][2] = {", out);
  for (int k = 0; k < planar->angle_count; k++) {
    const int *on = planar->angle_bodies + 2 * (size_t)k;
    fprintf(out, "{%d, %d}, ", planar_body_at(planar, on[0]), planar_body_at(planar, on[1]));
  }
  fputs("{0}};\n", out);
  return count;
}

void flg_planar_source_write(const flg_planar *planar, flg_region *region, FILE *out) {
  const int *axis = planar->number;
  planar_write_pairs(planar, out);
  write_sums(planar, out);
  write_scaled("pattern_fills", planar->fills, planar->fill_count, 4, out);
  const int others = write_others(planar, out);
  fprintf(out,
          "enum { FLAT_BODIES = %d, ROOM = %d, PAIRS = %d, HOLDS = %d, ANGLES = %d, ENTRIES = %d, "
          "FILLS = %d, "
          "OTHERS = %d, AXIS_X = %d, AXIS_Y = %d, AXIS_N = %d };\n",
          planar->body_count, planar_source_room_of(planar), planar->pair_count,
          count_holds(planar), planar->angle_count, planar->S.pattern.entry_count,
          planar->fill_count, others, axis[0], axis[1], axis[2]);
  flg_text_embed(&flg_text_planar_code, out);
  flg_text_embed(&flg_text_planar_rows, out);
  write_factors(&planar->S.pattern, region, out);
  flg_text_embed(&flg_text_planar_step, out);
}

void flg_planar_numbers_add(const flg_planar *planar, const flg_planar_numbers *numbers,
                            flg_number_tables *to) {
  const int bodies = planar->body_count;
  flg_number_tables_put(to, "flat_inertias", bodies, 1, numbers->inertias);
  flg_number_tables_put(to, "flat_heights", bodies, 1, numbers->heights);
  flg_number_tables_put(to, "flat_zeros", bodies, 4, numbers->zeros);
  flg_number_tables_put(to, "flat_points", planar->pair_count, 4, numbers->points);
  flg_number_tables_put(to, "flat_lines", count_holds(planar), 6, numbers->lines);
  flg_number_tables_put(to, "flat_axes", 9, 1, numbers->axes);
}

/* The library has one table of its own besides that of plug-ins: the tool finds it by its
 * symbol. */
void flg_planar_source_write_alone(const flg_planar *planar, const char *name, flg_region *region,
                                   FILE *out) {
  flg_text_head(out);
  flg_text_names(name, out);
  flg_planar_source_write(planar, region, out);
  fputs(
      "static void *planar_create(const flg_planar_numbers *numbers) {\n"
      "  plane *of = calloc(1, sizeof *of);\n"
      "  if (of != NULL) planar_fill(of, numbers);\n  return of;\n}\n\n"
      "static void planar_destroy(void *instance) {\n  free(instance);\n}\n\n"
      "FLG_PLUGIN_EXPORT const flg_planar_code_table flg_planar_code_v1 = {\n"
      "  FLAT_BODIES, PAIRS, HOLDS, ANGLES, planar_create, planar_destroy, planar_step};\n\n"
      "static const flg_plugin library = {.abi = FLG_PLUGIN_ABI, .size = sizeof library,\n"
      "  .name = LIBRARY_NAME, .version = LIBRARY_VERSION};\n\n"
      "FLG_PLUGIN_EXPORT const flg_plugin *flg_plugin_v1(void) {\n  return &library;\n}\n",
      out);
}
