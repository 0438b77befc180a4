#include "compile/force_tables.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "compile/emit.h"
#include "compile/source_text.h"
#include "compile/texts.h"
#include "component/assembly_start.h"

/* [s]: of elements that no step is too long for */
static const double HUGE_STEP = 1e300;

/* --- what cannot be compiled --------------------------------------------------------------------
 */

static void refuse_element(const flg_force *force, const char *why, flg_mistakes *mistakes) {
  const flg_force_head *head = flg_force_head_of(force);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, head->place, "'%s' cannot be compiled: %s", head->name,
                  why);
}

static bool is_taken(const flg_force_kind *kind) {
  return kind == &flg_spring_kind || kind == &flg_load_kind || kind == &flg_bushing_kind;
}

/* Those that are rows of the joints' matrix in any step; others may be in long steps, which the
 * library refuses to take. */
void flg_force_tables_check(const flg_component *component, flg_mistakes *mistakes) {
  for (int k = 0; k < flg_forces_count(component); k++) {
    const flg_force force = flg_forces_at(component, k);
    if (!is_taken(force.kind) || force.kind->is_soft == NULL) continue;
    if (!force.kind->is_soft(force.of, false)) continue;
    refuse_element(&force, "elements that are 'implicit' are not compiled", mistakes);
    return;
  }
}

/* --- what is needed -----------------------------------------------------------------------------
 */

int flg_force_tables_need(flg_force_tables *of, int coordinate) {
  const flg_component_coordinate *own = &of->assembly->model.component->coordinates[coordinate];
  if (of->places[coordinate] >= 0) return of->places[coordinate];
  for (int s = 0; s < 2 && own->kind == FLG_COORDINATE_SUM; s++) {
    flg_force_tables_need(of, own->of[s]);
  }
  of->coordinates[of->coordinate_count] = coordinate;
  of->angle_count += own->kind == FLG_COORDINATE_ANGLE;
  return of->places[coordinate] = of->coordinate_count++;
}

bool flg_force_tables_are_needed(const flg_force_tables *of) {
  return of->coordinate_count + of->load_count + of->bushing_count + of->signal_count > 0;
}

/* Steps up to which no element becomes rows of the joints' matrix in a run of the model
 * (assembly_stiffness.c), by halving an interval of their logarithms. */
static bool is_explicit(flg_force_tables *of, double h) {
  const int count = of->assembly->model.force_count;
  bool *stiff = flg_region_take(of->region, (size_t)count + 1, sizeof *stiff), any = false;
  if (stiff == NULL) return true;
  const flg_status status = flg_assembly_find_stiff(of->assembly, h, stiff, &any, NULL);
  return status == FLG_OK && !any;
}

static double longest_explicit(flg_force_tables *of) {
  enum { HALVINGS = 24 };
  double low = -30, high = 10; /* exponents of 2 [s] */
  if (is_explicit(of, exp2(high))) return INFINITY;
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = (low + high) / 2;
    *(is_explicit(of, exp2(middle)) ? &low : &high) = middle;
  }
  return exp2(low);
}

void flg_force_tables_build(flg_force_tables *of, flg_assembly *assembly, flg_region *region) {
  const size_t coordinates = (size_t)assembly->model.coordinate_count + 1;
  *of = (flg_force_tables){.assembly = assembly, .region = region, .longest = INFINITY};
  of->coordinates = flg_region_take(region, coordinates, sizeof(int));
  of->places = flg_region_take(region, coordinates, sizeof(int));
  if (region->failed) return;
  for (size_t k = 0; k < coordinates; k++) of->places[k] = -1;
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    of->spring_count += own->force.kind == &flg_spring_kind;
    of->load_count += own->force.kind == &flg_load_kind;
    of->bushing_count += own->force.kind == &flg_bushing_kind;
    if (own->coordinate >= 0) flg_force_tables_need(of, own->coordinate);
  }
  if (of->spring_count + of->bushing_count > 0) of->longest = longest_explicit(of);
}

/* --- tables -------------------------------------------------------------------------------------
 */

static int body_of_anchor(const flg_part_anchor *anchor) {
  return anchor->of == NULL ? -1 : anchor->part;
}

static void put_pose(const flg_pose *pose, double *to) {
  flg_vec3_store(pose->position, to);
  memcpy(to + 3, pose->rotation.m, sizeof pose->rotation.m);
}

static void write_coordinates(const flg_force_tables *of, flg_number_tables *numbers, FILE *out) {
  const struct flg_assembly_model *model = &of->assembly->model;
  const int n = of->coordinate_count;
  int *columns[4] = {0}, angles = 0;
  for (int c = 0; c < 4; c++) columns[c] = flg_region_take(of->region, (size_t)n + 1, sizeof(int));
  double *to = flg_number_tables_add(numbers, "coordinate_numbers", n, 24);
  double *start = flg_number_tables_add(numbers, "start_angles_of_elements", of->angle_count, 1);
  if (of->region->failed) return;
  for (int k = 0; k < n; k++, to += 24) {
    const flg_running_coordinate *own = &model->coordinates[of->coordinates[k]];
    const flg_component_coordinate *from = &model->component->coordinates[of->coordinates[k]];
    columns[0][k] = (int)own->kind, columns[3][k] = -1;
    for (int e = 0; e < 2; e++) {
      const bool is_sum = own->kind == FLG_COORDINATE_SUM;
      columns[1 + e][k] = is_sum ? of->places[from->of[e]] : body_of_anchor(&own->anchor[e]);
      if (is_sum) to[e] = from->factor[e], to[2] = own->origin;
      if (!is_sum) put_pose(&own->anchor[e].pose, to + 12 * e);
    }
    if (own->kind != FLG_COORDINATE_ANGLE) continue;
    start[angles] = flg_assembly_read(of->assembly, of->coordinates[k])->value;
    columns[3][k] = angles++;
  }
  flg_text_integers("coordinate_kinds", columns[0], n, out);
  flg_text_integers("coordinate_a", columns[1], n, out);
  flg_text_integers("coordinate_b", columns[2], n, out);
  flg_text_integers("coordinate_angles", columns[3], n, out);
}

static void write_springs(const flg_force_tables *of, flg_number_tables *numbers, FILE *out) {
  const struct flg_assembly_model *model = &of->assembly->model;
  int *on = flg_region_take(of->region, (size_t)of->spring_count + 1, sizeof(int)), count = 0;
  double *to = flg_number_tables_add(numbers, "spring_numbers", of->spring_count, 5);
  if (of->region->failed) return;
  for (int k = 0; k < model->force_count; k++) {
    const flg_running_force *own = &model->forces[k];
    if (own->force.kind != &flg_spring_kind) continue;
    const flg_component_spring *spring = own->force.of;
    const double values[5] = {spring->stiffness, spring->damping, spring->preload, spring->slack,
                              own->force.own[0]};
    memcpy(to + 5 * (size_t)count, values, sizeof values);
    on[count++] = of->places[own->coordinate];
  }
  flg_text_integers("spring_coordinates", on, count, out);
}

/* A load that events would switch on is there, and does nothing: no event reaches a library. */
static void write_loads(const flg_force_tables *of, flg_number_tables *numbers, FILE *out) {
  const struct flg_assembly_model *model = &of->assembly->model;
  const size_t n = (size_t)of->load_count + 1;
  int *on = flg_region_take(of->region, n, sizeof(int)), count = 0;
  int *turns = flg_region_take(of->region, n, sizeof(int));
  double *to = flg_number_tables_add(numbers, "load_numbers", of->load_count, 18);
  if (of->region->failed) return;
  for (int k = 0; k < model->force_count; k++) {
    const flg_running_force *own = &model->forces[k];
    if (own->force.kind != &flg_load_kind) continue;
    const flg_component_load *load = own->force.of;
    put_pose(&own->anchor[0].pose, to + 18 * (size_t)count);
    if (load->enabled) flg_spatial_store(load->force, to + 18 * (size_t)count + 12);
    turns[count] = load->follows;
    on[count++] = body_of_anchor(&own->anchor[0]);
  }
  flg_text_integers("load_bodies", on, count, out);
  flg_text_integers("load_turns", turns, count, out);
}

static void write_bushings(const flg_force_tables *of, flg_number_tables *numbers, FILE *out) {
  const struct flg_assembly_model *model = &of->assembly->model;
  const size_t n = (size_t)of->bushing_count + 1;
  int *ends[2], count = 0;
  for (int e = 0; e < 2; e++) ends[e] = flg_region_take(of->region, n, sizeof(int));
  double *to = flg_number_tables_add(numbers, "bushing_numbers", of->bushing_count, 36);
  if (of->region->failed) return;
  for (int k = 0; k < model->force_count; k++) {
    const flg_running_force *own = &model->forces[k];
    flg_law law[FLG_FORCE_ROWS_MAX];
    const double nothing[FLG_FORCE_ROWS_MAX] = {0};
    if (own->force.kind != &flg_bushing_kind) continue;
    own->force.kind->law(&own->force, nothing, law);
    for (int e = 0; e < 2; e++) {
      put_pose(&own->anchor[e].pose, to + 12 * e);
      ends[e][count] = body_of_anchor(&own->anchor[e]);
    }
    for (int i = 0; i < 6; i++) to[24 + i] = law[i].stiffness, to[30 + i] = law[i].damping;
    to += 36, count++;
  }
  flg_text_integers("bushing_a", ends[0], count, out);
  flg_text_integers("bushing_b", ends[1], count, out);
}

static void write_element_kernels(FILE *out) {
  const flg_text *const kernels[] = {
      &flg_text_vec3,           &flg_text_mat3,           &flg_text_rotation,
      &flg_text_log_kernel,     &flg_text_spatial,        &flg_text_dense_small,
      &flg_text_relative,       &flg_text_constraint_row, &flg_text_coordinate_kernels,
      &flg_text_bushing_kernels};
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) flg_text_embed(kernels[k], out);
}

void flg_force_tables_write(const flg_force_tables *of, flg_number_tables *numbers, FILE *out) {
  const bool is_needed = flg_force_tables_are_needed(of);
  fprintf(out, "#define HAS_ELEMENTS %d\nenum { ELEMENT_ANGLES = %d };\n", is_needed,
          of->angle_count);
  if (!is_needed) return;
  write_element_kernels(out);
  fprintf(out,
          "enum { COORDINATE_SLIDE = %d, COORDINATE_ANGLE = %d, COORDINATE_SUM = %d };\n"
          "enum { COORDINATES = %d, SPRINGS = %d, LOADS = %d, BUSHINGS = %d };\n"
          "#define LONGEST_STEP ",
          FLG_COORDINATE_SLIDE, FLG_COORDINATE_ANGLE, FLG_COORDINATE_SUM, of->coordinate_count,
          of->spring_count, of->load_count, of->bushing_count);
  flg_emit_number(isinf(of->longest) ? HUGE_STEP : of->longest, out);
  fputs("\n", out);
  write_coordinates(of, numbers, out);
  write_springs(of, numbers, out);
  write_loads(of, numbers, out);
  write_bushings(of, numbers, out);
}
