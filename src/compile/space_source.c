#include "compile/space_source.h"

#include <string.h>

#include "compile/pattern_source.h"
#include "compile/source_text.h"
#include "interface/frozen_rows_inner.h"
#include "interface/plan_inner.h"
#include "parts/bodies.h"

/* Operations on blocks, of some 150 instructions each, that are spelt out: compilers take a second
 * for so many. */
enum { MOST_OPERATIONS = 200 };

/* as of space_rows.h */
typedef struct joint_shape {
  unsigned holds, chosen;
  int count, rows, pushes, is_straight, sides, anchor[2], flat[2];
} joint_shape;

typedef struct space_joint {
  int row_set, place; /* of its block, -1: no row is chosen */
  joint_shape shape;
} space_joint;

struct flg_space_source {
  const flg_assembly *assembly;
  const flg_bodies *bodies;
  const flg_frozen_rows *frozen;
  bool is_pushed;
  int joint_count, angle_count;
  space_joint *joints;        /* (joint_count) by shape */
  int *angles;                /* (angle_count) coordinates */
  int *kinds;                 /* (blocks) by place, as of flg_pattern_layout */
  int *block_at, *entry_at;   /* (blocks + 1), (entries + 1) */
  flg_pattern_source pattern; /* runs of columns */
  flg_pattern_layout layout;
};

/* --- the mechanism, laid out --------------------------------------------------------------------
 */

/* Forces are the assembly's, and are asked for. Whatever else acts in a step (elements that are
 * rows, contacts, welds, ports) is not part of the generated text: such assemblies are
 * interpreted. Rows of limits stay open in it. */
static bool space_is_plain(const flg_assembly *assembly, bool is_pushed) {
  const struct flg_assembly_model *model = &assembly->model;
  if (model->options.scheme != FLG_SCHEME_RATTLE || model->set_count != 1 ||
      model->sets[0]->ops->free_step != &flg_bodies_free_step || model->touch != NULL ||
      model->outer_port_count > 0 || (model->used_count > 0 && !is_pushed) ||
      model->row_set_count != model->joint_count + assembly->state.limits.count ||
      !flg_limits_are_forces(model->component) || assembly->state.welds.count > 0) {
    return false;
  }
  for (int k = 0; k < model->placed_count; k++) {
    const bool is_limit = model->placed[k] >= model->joint_count;
    if (!is_limit && !model->row_sets[model->placed[k]].is_plain_joint) return false;
  }
  return assembly->scratch.plan->frozen != NULL;
}

static int place_of_joint(const flg_frozen_rows *frozen, const flg_frozen_joint *joint) {
  for (int p = 0; p < frozen->block_count; p++) {
    if (frozen->blocks[p].joint == joint) return p;
  }
  return -1;
}

/* Only what has to be a constant of the loop; two joints of one shape differ in numbers and bodies
 * alone. */
static joint_shape shape_of_joint(const flg_space_source *of, int row_set, int place) {
  const flg_row_set *set = &of->assembly->model.row_sets[row_set];
  const flg_frozen_joint *joint = &of->frozen->joints[row_set];
  joint_shape made = {.holds = flg_constraint_kinds[set->kind].holds,
                      .chosen = joint->chosen,
                      .count = joint->rows};
  if (place >= 0) {
    const flg_frozen_block *block = &of->frozen->blocks[place];
    made.rows = block->rows, made.pushes = block->pushes, made.is_straight = block->is_straight;
  }
  for (int e = 0; e < joint->ends; e++) {
    if (joint->body[e] < 0) continue;
    made.flat[made.sides] = of->frozen->bodies[joint->body[e]].flat != NULL;
    made.anchor[made.sides++] = set->anchor_end[1] == e;
  }
  return made;
}

/* stable: those of one shape come together, in their order */
static void sort_by_shape(flg_space_source *of) {
  int done = 0;
  while (done < of->joint_count) {
    const joint_shape shape = of->joints[done].shape;
    int next = done + 1;
    for (int k = done + 1; k < of->joint_count; k++) {
      /* members are all ints: there is no padding whose bytes could differ */
      if (memcmp(&of->joints[k].shape, &shape, sizeof shape) != 0) continue;
      const space_joint moved = of->joints[k];
      memmove(of->joints + next + 1, of->joints + next, (size_t)(k - next) * sizeof moved);
      of->joints[next++] = moved;
    }
    done = next;
  }
}

static bool list_space_joints(flg_space_source *of, flg_region *region) {
  const struct flg_assembly_model *model = &of->assembly->model;
  of->joints = flg_region_take(region, (size_t)model->placed_count, sizeof *of->joints);
  of->angles = flg_region_take(region, (size_t)model->coordinate_count + 1, sizeof(int));
  if (region->failed) return false;
  for (int k = 0; k < model->placed_count; k++) {
    if (model->placed[k] >= model->joint_count) continue; /* an idle block */
    space_joint *joint = &of->joints[of->joint_count++];
    joint->row_set = model->placed[k];
    joint->place = place_of_joint(of->frozen, &of->frozen->joints[joint->row_set]);
    joint->shape = shape_of_joint(of, joint->row_set, joint->place);
  }
  sort_by_shape(of);
  for (int k = 0; k < model->coordinate_count && !of->is_pushed; k++) {
    if (model->coordinates[k].angle >= 0) of->angles[of->angle_count++] = k;
  }
  return true;
}

/* of a limit, whose row stays open in steps by code: it has its place in the order of blocks, so
 * that others go in the interpreter's order */
static bool is_idle(const flg_space_source *of, int place) {
  return of->frozen->blocks[place].joint - of->frozen->joints >= of->assembly->model.joint_count;
}

/* Blocks have two sides; a limit on a sum of coordinates has more. */
static bool have_two_sides(const flg_frozen_rows *f) {
  for (int p = 0; p < f->block_count; p++) {
    if (f->blocks[p].side_count > 2) return false;
  }
  return true;
}

/* numbers of a block (space_rows.h) */
static int block_size(const flg_frozen_block *block) {
  return block->room * (24 + 3 * block->rows + 1);
}

/* Blocks of one kind have one size, so that columns of equal kinds and offsets can share a loop. */
static bool lay_out(flg_space_source *of, flg_region *region) {
  const flg_frozen_rows *f = of->frozen;
  of->kinds = flg_region_take(region, (size_t)f->block_count + 1, sizeof(int));
  of->block_at = flg_region_take(region, (size_t)f->block_count + 1, sizeof(int));
  of->entry_at = flg_region_take(region, (size_t)f->pattern.entry_count + 1, sizeof(int));
  if (region->failed) return false;
  for (int p = 0; p < f->block_count; p++) {
    const flg_frozen_block *block = &f->blocks[p];
    of->kinds[p] = 4 * block->rows + block->side_count;
    of->block_at[p + 1] = of->block_at[p] + block_size(block);
    for (int e = f->pattern.first[p]; e < f->pattern.first[p + 1]; e++) {
      of->entry_at[e + 1] = of->entry_at[e] + f->entries[e].later->room * block->rows;
    }
  }
  of->layout = (flg_pattern_layout){of->kinds, of->block_at, of->entry_at};
  return flg_pattern_source_find(&of->pattern, &f->pattern, &of->layout, region);
}

flg_space_source *flg_space_source_build(const flg_assembly *assembly, bool is_pushed,
                                         flg_region *region) {
  if (!space_is_plain(assembly, is_pushed)) return NULL;
  flg_space_source *of = flg_region_take(region, 1, sizeof *of);
  if (of == NULL) return NULL;
  *of = (flg_space_source){.assembly = assembly,
                           .is_pushed = is_pushed,
                           .bodies = flg_bodies_of(assembly->model.sets[0]),
                           .frozen = assembly->scratch.plan->frozen};
  return have_two_sides(of->frozen) && list_space_joints(of, region) && lay_out(of, region) ? of
                                                                                            : NULL;
}

int flg_space_source_joints(const flg_space_source *of) {
  return of->joint_count;
}

int flg_space_source_angles(const flg_space_source *of) {
  return of->angle_count;
}

int flg_space_source_row_set(const flg_space_source *of, int joint) {
  return of->joints[joint].row_set;
}

/* --- numbers ------------------------------------------------------------------------------------
 */

/* one more than needed, as in planar_source.c */
static double *space_source_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count + 1, sizeof(double));
}

static void put_tensor(flg_sym3 s, double *to) {
  to[0] = s.xx, to[1] = s.yy, to[2] = s.zz, to[3] = s.xy, to[4] = s.xz, to[5] = s.yz;
}

static void put_axial(const flg_rigid_body *body, double *to) {
  if (!body->is_axial) return;
  to[0] = 1, to[1] = body->resists.across, to[2] = body->resists.more;
  to[3] = body->yields.across, to[4] = body->yields.more;
  flg_vec3_store(body->resists.axis, to + 5);
}

static void put_poses(const flg_part_anchor anchor[2], double *to) {
  for (int a = 0; a < 2; a++) {
    memcpy(to + 12 * a, anchor[a].pose.rotation.m, 9 * sizeof *to);
    flg_vec3_store(anchor[a].pose.position, to + 12 * a + 9);
  }
}

/* The interpreter's own numbers, derived ones included: computed again, they could differ by
 * rounding. */
bool flg_space_numbers_fill(const flg_space_source *of, flg_region *region,
                            flg_space_numbers *numbers) {
  const int n = of->bodies->parts.count;
  double *masses = space_source_take(region, n), *inertias = space_source_take(region, 6 * n);
  double *inverses = space_source_take(region, 6 * n), *axials = space_source_take(region, 8 * n);
  double *gravities = space_source_take(region, 3 * n), *normals = space_source_take(region, 3 * n);
  double *frames = space_source_take(region, 24 * of->joint_count);
  double *angle_frames = space_source_take(region, 24 * of->angle_count);
  if (region->failed) return false;
  for (int k = 0; k < n; k++) {
    const flg_rigid_body *body = &of->bodies->rigid_bodies[k];
    masses[k] = body->mass;
    put_tensor(body->inertia, inertias + 6 * (size_t)k);
    put_tensor(body->inverse, inverses + 6 * (size_t)k);
    put_axial(body, axials + 8 * (size_t)k);
    flg_vec3_store(body->gravity, gravities + 3 * (size_t)k);
    memcpy(normals + 3 * (size_t)k, of->frozen->bodies[k].normal, 3 * sizeof *normals);
  }
  for (int k = 0; k < of->joint_count; k++) {
    put_poses(of->assembly->model.row_sets[of->joints[k].row_set].anchor, frames + 24 * (size_t)k);
  }
  for (int k = 0; k < of->angle_count; k++) {
    put_poses(of->assembly->model.coordinates[of->angles[k]].anchor, angle_frames + 24 * (size_t)k);
  }
  *numbers = (flg_space_numbers){.masses = masses,
                                 .inertias = inertias,
                                 .inverses = inverses,
                                 .axials = axials,
                                 .gravities = gravities,
                                 .normals = normals,
                                 .frames = frames,
                                 .angle_frames = angle_frames,
                                 .length = of->assembly->model.length};
  return true;
}

/* --- tables -------------------------------------------------------------------------------------
 */

static int body_on(const flg_part_anchor *anchor) {
  return anchor->on == NULL ? -1 : anchor->part;
}

static void space_write_ends(const char *name, const flg_part_anchor anchor[2], FILE *out) {
  if (name != NULL) fprintf(out, "static const int %s[][2] = {", name);
  fprintf(out, "{%d, %d}, ", body_on(&anchor[0]), body_on(&anchor[1]));
}

static void write_joint_tables(const flg_space_source *of, FILE *out) {
  const struct flg_assembly_model *model = &of->assembly->model;
  fputs("static const int joint_bodies[][2] = {", out);
  for (int k = 0; k < of->joint_count; k++) {
    space_write_ends(NULL, model->row_sets[of->joints[k].row_set].anchor, out);
  }
  fputs("{0}};\nstatic const int space_angle_bodies[][2] = {", out);
  for (int k = 0; k < of->angle_count; k++) {
    space_write_ends(NULL, model->coordinates[of->angles[k]].anchor, out);
  }
  fputs("{0}};\nstatic const int joint_blocks[] = {", out);
  for (int k = 0; k < of->joint_count; k++) {
    const int place = of->joints[k].place;
    fprintf(out, "%d, ", place < 0 ? 0 : of->block_at[place]);
  }
  fputs("0};\n", out);
}

static void write_block_ends(const flg_space_source *of, FILE *out) {
  fputs("static const int block_ends[][2] = {", out);
  for (int p = 0; p < of->frozen->block_count; p++) {
    const flg_frozen_block *block = &of->frozen->blocks[p];
    fprintf(out, "{%d, %d}, ", block->side_count > 0 ? block->side[0].body : -1,
            block->side_count > 1 ? block->side[1].body : -1);
  }
  fputs("{-1, -1}};\n", out);
}

static void write_idle_blocks(const flg_space_source *of, FILE *out) {
  int count = 0;
  fputs("static const int idle_blocks[] = {", out);
  for (int p = 0; p < of->frozen->block_count; p++) {
    if (!is_idle(of, p)) continue;
    fprintf(out, "%d, ", of->block_at[p]);
    count++;
  }
  fprintf(out, "0};\nenum { SPACE_IDLES = %d };\n", count);
}

static void write_flat(const flg_space_source *of, FILE *out) {
  bool has_flat = false;
  fputs("static const unsigned char is_flat[] = {", out);
  for (int k = 0; k < of->bodies->parts.count; k++) {
    const bool is_flat = of->frozen->bodies[k].flat != NULL;
    has_flat = has_flat || is_flat;
    fprintf(out, "%d, ", is_flat);
  }
  fprintf(out, "};\nenum { HAS_FLAT = %d };\n", has_flat);
}

static void write_sizes(const flg_space_source *of, FILE *out) {
  const flg_frozen_rows *f = of->frozen;
  fprintf(out,
          "enum { SPACE_BODIES = %d, SPACE_JOINTS = %d, SPACE_ANGLES = %d, SPACE_SPARES = %d, "
          "SPACE_BLOCKS = %d, BLOCK_NUMBERS = %d, ENTRY_NUMBERS = %d };\n",
          of->bodies->parts.count, of->joint_count, of->angle_count, f->spare_count, f->block_count,
          of->block_at[f->block_count], of->entry_at[f->pattern.entry_count]);
}

/* --- loops over shapes --------------------------------------------------------------------------
 */

static void write_joint_shape(const joint_shape *s, FILE *out) {
  fprintf(out, "(joint_shape){%u, %u, %d, %d, %d, %d, %d, {%d, %d}, {%d, %d}}", s->holds, s->chosen,
          s->count, s->rows, s->pushes, s->is_straight, s->sides, s->anchor[0], s->anchor[1],
          s->flat[0], s->flat[1]);
}

/* a function that calls others for all joints; `calls` begin with a name, `more` arguments follow
 * the shape */
/* One loop a shape: inlined with a constant shape, kernels lose their branches. */
static void write_loops(const flg_space_source *of, const char *head, const char *const calls[2],
                        const char *more, FILE *out) {
  fprintf(out, "WIDE_VECTORS\nstatic void %s {\n", head);
  for (int k = 0, end; k < of->joint_count; k = end) {
    const joint_shape *shape = &of->joints[k].shape;
    for (end = k + 1; end < of->joint_count; end++) {
      if (memcmp(&of->joints[end].shape, shape, sizeof *shape) != 0) break;
    }
    fprintf(out, "  for (int k = %d; k < %d; k++) {\n", k, end);
    for (int c = 0; c < 2 && calls[c] != NULL; c++) {
      fprintf(out, "    %s(of, k, ", calls[c]);
      write_joint_shape(shape, out);
      fprintf(out, "%s);\n", more);
    }
    fputs("  }\n", out);
  }
  fputs("}\n\n", out);
}

static void write_joint_loops(const flg_space_source *of, FILE *out) {
  static const char *const see[2] = {"see_space_joint"}, *const drift[2] = {"drift_joint"},
                           *const list[2] = {"list_joint_spares"}, *const note[2] = {"note_joint"};
  static const char *const write[2] = {"write_joint", "weigh_joint"}, *const aim[2] = {"aim_joint"};
  write_loops(of, "list_spares(space *of, int *count)", list, ", count", out);
  write_loops(of, "see_joints(space *of, space_gap *most)", see, ", most", out);
  write_loops(of, "drift_joints(space *of)", drift, "", out);
  write_loops(of, "write_joints(space *of)", write, "", out);
  write_loops(of, "aim_bias(space *of, double share)", aim, ", AIM_BIAS, share", out);
  write_loops(of, "aim_left(space *of, double share)", aim, ", AIM_LEFT, share", out);
  write_loops(of, "aim_rest(space *of)", aim, ", AIM_REST, 0", out);
  write_loops(of, "note_joints(space *of, int half)", note, ", half", out);
}

/* --- S ------------------------------------------------------------------------------------------
 */

/* where the numbers of a side's rows, or levers, are */
static int rows_of_side(const flg_space_source *of, const flg_frozen_side *side, bool is_lever) {
  for (int p = 0; p < of->frozen->block_count; p++) {
    const flg_frozen_block *block = &of->frozen->blocks[p];
    if (side < block->side || side >= block->side + FLG_FROZEN_ENDS_MAX) continue;
    return of->block_at[p] + 6 * block->room * ((int)(side - block->side) + (is_lever ? 2 : 0));
  }
  return -1;
}

static int space_entry_of(const flg_space_source *of, const double *numbers) {
  for (int e = 0; e < of->frozen->pattern.entry_count; e++) {
    if (of->frozen->entries[e].numbers == numbers) return of->entry_at[e];
  }
  return -1;
}

/* couplings with these numbers in common run the same kernel */
static bool are_like(const flg_frozen_coupling *a, const flg_frozen_coupling *b) {
  return a->rows == b->rows && a->room == b->room && a->pushes == b->pushes && a->adds == b->adds;
}

static bool is_first_like(const flg_frozen_rows *f, int k) {
  for (int i = 0; i < k; i++) {
    if (are_like(&f->couplings[i], &f->couplings[k])) return false;
  }
  return true;
}

typedef void write_coupling(const flg_space_source *of, const flg_frozen_coupling *like, int number,
                            FILE *out);

/* all couplings like one, as a table */
static void write_coupling_table(const flg_space_source *of, const flg_frozen_coupling *like,
                                 int number, FILE *out) {
  fprintf(out, "static const int couplings_%d[][3] = {", number);
  for (int k = 0; k < of->frozen->coupling_count; k++) {
    const flg_frozen_coupling *at = &of->frozen->couplings[k];
    if (!are_like(at, like)) continue;
    fprintf(out, "{%d, %d, %d}, ", space_entry_of(of, at->entry),
            rows_of_side(of, at->later, false), rows_of_side(of, at->earlier, true));
  }
  fputs("};\n", out);
}

static void write_coupling_loop(const flg_space_source *of, const flg_frozen_coupling *like,
                                int number, FILE *out) {
  (void)of;
  fprintf(out,
          "  couple_blocks(of, couplings_%d, sizeof couplings_%d / sizeof *couplings_%d, %d, %d, "
          "%d, %d);\n",
          number, number, number, like->rows, like->room, like->pushes, like->adds);
}

/* one of each kind: those that write an entry before those that add to it, each in its order */
static void each_coupling(const flg_space_source *of, write_coupling *write, FILE *out) {
  int number = 0;
  for (int adds = 0; adds < 2; adds++) {
    for (int k = 0; k < of->frozen->coupling_count; k++) {
      const flg_frozen_coupling *like = &of->frozen->couplings[k];
      if (like->adds != (adds == 1) || !is_first_like(of->frozen, k)) continue;
      write(of, like, number++, out);
    }
  }
}

/* Entries that start at zero and are filled by the elimination alone. */
static void write_fills(const flg_space_source *of, FILE *out) {
  const flg_frozen_rows *f = of->frozen;
  fputs("static const int fills[][2] = {", out);
  for (int k = 0; k < f->fill_count; k++) {
    fprintf(out, "{%d, %d}, ", space_entry_of(of, f->fills[k]), (int)f->fill_sizes[k]);
  }
  fprintf(out, "{0}};\nenum { FILLS_OF_SPACE = %d };\n", f->fill_count);
}

static void write_space_couplings(const flg_space_source *of, FILE *out) {
  each_coupling(of, write_coupling_table, out);
  write_fills(of, out);
  fputs(
      "WIDE_VECTORS\nstatic void couple_all(space *of) {\n"
      "  for (int k = 0; k < FILLS_OF_SPACE; k++) {\n"
      "    memset(of->entries + fills[k][0], 0, (size_t)fills[k][1] * sizeof(double));\n  }\n",
      out);
  each_coupling(of, write_coupling_loop, out);
  fputs("}\n\n", out);
}

/* --- columns that repeat ------------------------------------------------------------------------
 * Places are counted from those of the run's first column: b of blocks, c of entries.
 */

typedef struct column {
  int place, rows, b, first, end; /* first, end: entries */
} column;

static column column_of_run(const flg_space_source *of, const flg_column_run *run, int at) {
  const int place = run->first + at;
  return (column){place, of->frozen->blocks[place].rows,
                  of->block_at[place] - of->block_at[run->first], of->frozen->pattern.first[place],
                  of->frozen->pattern.first[place + 1]};
}

static int later_rows(const flg_space_source *of, int entry) {
  return of->frozen->entries[entry].later->rows;
}

static int later_at(const flg_space_source *of, const flg_column_run *run, int entry) {
  return of->block_at[of->frozen->pattern.row[entry]] - of->block_at[run->first];
}

static int space_entry(const flg_space_source *of, const flg_column_run *run, int entry) {
  return of->entry_at[entry] - of->entry_at[of->frozen->pattern.first[run->first]];
}

static void write_space_column(const flg_space_source *of, const flg_column_run *run, int at,
                               FILE *out) {
  const column k = column_of_run(of, run, at);
  const int *target = of->frozen->pattern.target + of->pattern.targets[k.place];
  fprintf(out, "    if (!factor_block(%d, b + %d, sound)) return 0;\n", k.rows, k.b);
  for (int e = k.first; e < k.end; e++) {
    fprintf(out, "    take_off_block(%d, %d, b + %d, c + %d, b + %d);\n", k.rows, later_rows(of, e),
            k.b, space_entry(of, run, e), later_at(of, run, e));
  }
  for (int a = k.first; a < k.end; a++) {
    for (int e = a + 1; e < k.end; e++) {
      fprintf(out, "    take_off_entry(%d, %d, %d, c + %d, c + %d, c + %d);\n", k.rows,
              later_rows(of, e), later_rows(of, a), space_entry(of, run, e),
              space_entry(of, run, a), space_entry(of, run, *target++));
    }
  }
}

static void write_space_forward(const flg_space_source *of, const flg_column_run *run, int at,
                                FILE *out) {
  const column k = column_of_run(of, run, at);
  fprintf(out, "    forward_block(%d, b + %d);\n", k.rows, k.b);
  for (int e = k.first; e < k.end; e++) {
    fprintf(out, "    hand_on(%d, %d, c + %d, b + %d, b + %d);\n", k.rows, later_rows(of, e),
            space_entry(of, run, e), k.b, later_at(of, run, e));
  }
}

static void write_space_back(const flg_space_source *of, const flg_column_run *run, int at,
                             FILE *out) {
  const column k = column_of_run(of, run, at);
  for (int e = k.end - 1; e >= k.first; e--) {
    fprintf(out, "    take_back(%d, %d, c + %d, b + %d, b + %d);\n", k.rows, later_rows(of, e),
            space_entry(of, run, e), k.b, later_at(of, run, e));
  }
  fprintf(out, "    end_block(%d, %d, b + %d, on[%d], of->bodies);\n", k.rows,
          of->frozen->blocks[k.place].side_count, k.b, at);
}

/* by how much b and c go on from one sequence to the next */
static void find_strides(const flg_space_source *of, const flg_column_run *run, int *b, int *c) {
  const int *first = of->frozen->pattern.first, end = run->first + run->period;
  *b = of->block_at[end] - of->block_at[run->first];
  *c = of->entry_at[first[end]] - of->entry_at[first[run->first]];
}

static void write_space_factor(const flg_space_source *of, FILE *out) {
  fputs(
      "WIDE_VECTORS\nstatic int factor_space(space *of) {\n"
      "  double *b = of->blocks, *c = of->entries;\n  const double sound = of->sound;\n",
      out);
  for (int r = 0; r < of->pattern.run_count; r++) {
    const flg_column_run *run = &of->pattern.runs[r];
    int b, c;
    find_strides(of, run, &b, &c);
    fprintf(out, "  for (int k = 0; k < %d; k++) {\n", run->repeats);
    for (int i = 0; i < run->period; i++) write_space_column(of, run, i, out);
    fprintf(out, "    b += %d, c += %d;\n  }\n", b, c);
  }
  fputs("  (void)b, (void)c, (void)sound;\n  return 1;\n}\n\n", out);
}

static void write_space_solve(const flg_space_source *of, FILE *out) {
  int b, c;
  fputs(
      "WIDE_VECTORS\nstatic void solve_space(space *of) {\n"
      "  double *b = of->blocks, *c = of->entries;\n"
      "  const int(*on)[2] = block_ends + SPACE_BLOCKS;\n",
      out);
  for (int r = 0; r < of->pattern.run_count; r++) {
    const flg_column_run *run = &of->pattern.runs[r];
    find_strides(of, run, &b, &c);
    fprintf(out, "  for (int k = 0; k < %d; k++) {\n", run->repeats);
    for (int i = 0; i < run->period; i++) write_space_forward(of, run, i, out);
    fprintf(out, "    b += %d, c += %d;\n  }\n", b, c);
  }
  for (int r = of->pattern.run_count - 1; r >= 0; r--) {
    const flg_column_run *run = &of->pattern.runs[r];
    find_strides(of, run, &b, &c);
    fprintf(out, "  for (int k = 0; k < %d; k++) {\n    b -= %d, c -= %d, on -= %d;\n",
            run->repeats, b, c, run->period);
    for (int i = run->period - 1; i >= 0; i--) write_space_back(of, run, i, out);
    fputs("  }\n", out);
  }
  fputs("  (void)c;\n}\n\n", out);
}

/* --- columns as tables --------------------------------------------------------------------------
 */

static void write_space_columns(const flg_space_source *of, FILE *out) {
  const flg_frozen_rows *f = of->frozen;
  fputs("static const unsigned char block_rows[] = {", out);
  for (int p = 0; p < f->block_count; p++) fprintf(out, "%d, ", f->blocks[p].rows);
  fputs("0};\nstatic const unsigned char block_sides[] = {", out);
  for (int p = 0; p < f->block_count; p++) fprintf(out, "%d, ", f->blocks[p].side_count);
  fputs("0};\n", out);
  flg_text_integers("block_starts", of->block_at, f->block_count, out);
  flg_text_integers("block_below", f->pattern.below, f->block_count, out);
  flg_text_integers("entry_rows", f->pattern.row, f->pattern.entry_count, out);
  flg_text_integers("entry_starts", of->entry_at, f->pattern.entry_count, out);
  fputs("static const int block_targets[] = {", out);
  for (int k = 0; k < f->pattern.target_count; k++) {
    fprintf(out, "%d, ", of->entry_at[f->pattern.target[k]]);
  }
  fputs("0};\n", out);
  flg_text_embed(&flg_text_space_columns, out);
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static void write_kernels(FILE *out) {
  const flg_text *const kernels[] = {
      &flg_text_vec3,     &flg_text_mat3,           &flg_text_rotation,      &flg_text_exp_kernel,
      &flg_text_spatial,  &flg_text_axial,          &flg_text_dense_small,   &flg_text_six,
      &flg_text_larger,   &flg_text_frozen_kernels, &flg_text_joint_kernels, &flg_text_body_kernels,
      &flg_text_part_work};
  fprintf(out,
          "enum { FLG_HOLDS_POINT = %d, FLG_HOLDS_ACROSS = %d, FLG_HOLDS_ALONG = %d, "
          "FLG_HOLDS_UPRIGHT = %d, FLG_HOLDS_TWIST = %d, FLG_HOLDS_CROSS = %d };\n",
          FLG_HOLDS_POINT, FLG_HOLDS_ACROSS, FLG_HOLDS_ALONG, FLG_HOLDS_UPRIGHT, FLG_HOLDS_TWIST,
          FLG_HOLDS_CROSS);
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) flg_text_embed(kernels[k], out);
}

/* Sizes and tables before the text that reads them. */
static void write_steps(const flg_space_source *of, FILE *out) {
  write_kernels(out);
  write_sizes(of, out);
  write_joint_tables(of, out);
  write_block_ends(of, out);
  write_idle_blocks(of, out);
  write_flat(of, out);
  flg_text_embed(&flg_text_space_code, out);
  flg_text_embed(&flg_text_space_rows, out);
  write_joint_loops(of, out);
  write_space_couplings(of, out);
  if (of->pattern.operations <= MOST_OPERATIONS) {
    write_space_factor(of, out);
    write_space_solve(of, out);
  } else {
    write_space_columns(of, out);
  }
  flg_text_embed(&flg_text_space_step, out);
}

void flg_space_source_write(const flg_space_source *of, FILE *out) {
  /* without angles: plug-ins hand out poses of ports, and no coordinates */
  flg_space_source still = *of;
  still.angle_count = 0;
  write_steps(&still, out);
}

void flg_space_source_write_alone(const flg_space_source *of, const char *name, FILE *out) {
  flg_text_head(out);
  flg_text_names(name, out);
  write_steps(of, out);
  flg_text_embed(&flg_text_space_alone, out);
  fputs(
      "static void *space_create(const flg_space_numbers *numbers) {\n"
      "  space *of = calloc(1, sizeof *of);\n"
      "  if (of != NULL) space_fill(of, numbers);\n  return of;\n}\n\n"
      "static void space_destroy(void *instance) {\n  free(instance);\n}\n\n"
      "FLG_PLUGIN_EXPORT const flg_space_code_table flg_space_code_v1 = {\n"
      "  SPACE_BODIES, SPACE_JOINTS, SPACE_ANGLES, space_create, space_destroy, space_step};\n\n"
      "static const flg_plugin library = {.abi = FLG_PLUGIN_ABI, .size = sizeof library,\n"
      "  .name = LIBRARY_NAME, .version = LIBRARY_VERSION};\n\n"
      "FLG_PLUGIN_EXPORT const flg_plugin *flg_plugin_v1(void) {\n  return &library;\n}\n",
      out);
}
