#include "compile/mechanism_source.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "compile/component_signals.h"
#include "compile/emit.h"
#include "compile/force_tables.h"
#include "compile/number_tables.h"
#include "compile/planar_source.h"
#include "compile/source_text.h"
#include "compile/space_source.h"
#include "compile/texts.h"
#include "component/assembly_start.h"
#include "dynamics/constraint.h"
#include "parts/bodies.h"

enum {
  MOST_ROWS = 20000,
  MOST_GENERAL = 400 /* rows: with more, no step is taken the general way */
};
/* of a row's own admittance: what is left of it where it depends on others; more than what steps
 * trust */
static const double DEPENDENT = 1e-6;

typedef struct writer {
  const flg_mechanism_source *source;
  flg_mistakes *mistakes;
  FILE *out;
  flg_region region;
  flg_assembly *assembly;
  const flg_bodies *bodies;
  int body_count, joint_count, row_count, chosen_count;
  int *joints;     /* (joint_count) row sets of joints, in their order in S */
  int *first;      /* (joint_count) rows before them */
  int *row_joints; /* (row_count) */
  double *rows;    /* (row_count x 12) G at the start, of both bodies */
  double *yields;  /* (row_count x 12) M^-1 G^T */
  int *chosen;     /* (chosen_count) rows */
  int *place;      /* (row_count) among the chosen, -1: it depends on others */
  int *profile;    /* (chosen_count) first columns */
  flg_number_tables numbers;
  flg_force_tables forces;
  flg_component_signals signals;
  flg_mechanism_size size;
} writer;

/* --- what cannot be compiled --------------------------------------------------------------------
 */

static void mechanism_source_refuse(const writer *of, flg_place place, const char *name,
                                    const char *why) {
  flg_mistake_add(of->mistakes, FLG_ERR_INPUT, place, "'%s' cannot be compiled: %s", name, why);
}

/* Of each list, the first: one sentence says what kind of thing is not compiled. */
#define REFUSE_FIRST(list, count, why) \
  if (component->count > 0)            \
  mechanism_source_refuse(of, component->list[0].place, component->list[0].name, why)

#define RK4_ALONE(what) what " are compiled with '--integrator rk4' alone"

static void mechanism_source_check(const writer *of) {
  const flg_component *component = of->source->component;
  REFUSE_FIRST(robots, robot_count, "components with robots in them are not compiled");
  REFUSE_FIRST(frictions, friction_count, "dry friction is not compiled");
  REFUSE_FIRST(stops, stop_count, "stops are not compiled");
  REFUSE_FIRST(motors, motor_count, RK4_ALONE("motors"));
  REFUSE_FIRST(blocks, block_count, RK4_ALONE("signals"));
  REFUSE_FIRST(efforts, effort_count, RK4_ALONE("efforts that signals drive"));
  for (int k = 0; k < component->element_count; k++) {
    if (component->elements[k].kind == &flg_bushing_kind) continue;
    mechanism_source_refuse(of, component->elements[k].place, component->elements[k].name,
                            "prescribed motions are not compiled");
    break;
  }
  flg_force_tables_check(component, of->mistakes);
  for (int k = 0; k < component->body_count; k++) {
    if (component->bodies[k].is_point) {
      mechanism_source_refuse(of, component->bodies[k].place, component->bodies[k].name,
                              "point masses are not compiled");
    }
  }
  bool touches = false;
  for (int k = 0; k < component->shape_count; k++) touches |= component->shapes[k].collision;
  if (touches) {
    mechanism_source_refuse(of, (flg_place){.file = component->file}, component->name,
                            "its shapes can touch others, and contacts are not compiled");
  }
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (!flg_constraint_kinds[joint->kind].sums) continue;
    flg_mistake_add(of->mistakes, FLG_ERR_INPUT, joint->place,
                    "'%s' cannot be compiled: joints of kind %s are not, but for some with "
                    "'--integrator rk4'",
                    joint->name, flg_constraint_kind_name(joint->kind));
  }
}

/* --- the mechanism, laid out --------------------------------------------------------------------
 */

/* Built as for a run, so that rigid clusters are joined, joints are closed and lengths are known,
 * all by the same code as in the interpreter. */
static flg_status lay_out_assembly(writer *of) {
  flg_error error;
  flg_assembly_options options = flg_assembly_default();
  options.name = of->source->component->name;
  /* bodies that joints fix to each other are one, with one mass and fewer rows */
  options.reduces = true;
  flg_status status =
      flg_assembly_build(&of->assembly, of->source->component, NULL, &options, of->mistakes);
  if (status == FLG_OK) {
    status = flg_assembly_close(of->assembly, &error);
    if (status != FLG_OK) {
      flg_mistake_add(of->mistakes, status, (flg_place){.file = of->source->component->file}, "%s",
                      error.message);
    }
  }
  if (status != FLG_OK) return status;
  const struct flg_assembly_model *model = &of->assembly->model;
  if (model->set_count != 1 || model->sets[0]->ops->free_step != &flg_bodies_free_step) {
    mechanism_source_refuse(of, (flg_place){.file = of->source->component->file},
                            of->source->component->name, "it has no body that moves");
    return FLG_ERR_INPUT;
  }
  if (model->touch != NULL) {
    mechanism_source_refuse(of, (flg_place){.file = of->source->component->file},
                            of->source->component->name,
                            "its bodies can touch something, and contacts are not compiled");
    return FLG_ERR_INPUT;
  }
  of->bodies = flg_bodies_of(model->sets[0]);
  of->body_count = of->bodies->parts.count;
  flg_force_tables_build(&of->forces, of->assembly, &of->region);
  const int before = of->mistakes->count;
  flg_component_signals_find(&of->signals, of->source->signals, of->source->signal_count,
                             of->assembly, flg_mechanism_signal_take, &of->forces, &of->region,
                             of->mistakes);
  if (of->mistakes->count > before) return of->mistakes->status;
  of->forces.signal_count = of->signals.count;
  return FLG_OK;
}

static const flg_row_set *row_set_of(const writer *of, int joint) {
  return &of->assembly->model.row_sets[of->joints[joint]];
}

static int body_of_set(const flg_row_set *set, int end) {
  return set->anchor[end].on == NULL ? -1 : set->anchor[end].part;
}

static const double *mechanism_source_state_of(const writer *of, int body) {
  return of->assembly->state.q + of->bodies->parts.position + FLG_BODY_POSITIONS * body;
}

static flg_pose pose_of(const writer *of, int body) {
  const double *q = mechanism_source_state_of(of, body);
  const flg_quat turn = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
  return (flg_pose){flg_quat_to_matrix(turn), flg_vec3_load(q)};
}

/* S couples joints that share a body. In this order such joints are near each other, so that each
 * row of its factor begins near the diagonal, and the factor has few numbers. */
/* --- order: Cuthill and McKee, backwards --------------------------------------------------------
 */

static bool share_body(const flg_row_set *a, const flg_row_set *b) {
  for (int e = 0; e < 2; e++) {
    const int on = body_of_set(a, e);
    if (on >= 0 && (on == body_of_set(b, 0) || on == body_of_set(b, 1))) return true;
  }
  return false;
}

/* quadratic in the joints, as is all of this; set-up alone */
static int degree_of(const writer *of, int joint) {
  int degree = 0;
  for (int k = 0; k < of->joint_count; k++) {
    degree += k != joint && share_body(row_set_of(of, joint), row_set_of(of, k));
  }
  return degree;
}

/* neighbours of a joint that are not in the list yet follow, those with few neighbours first */
static int add_neighbours(const writer *of, int joint, const int *degrees, bool *is_listed,
                          int *list, int count) {
  for (;;) {
    int best = -1;
    for (int k = 0; k < of->joint_count; k++) {
      if (is_listed[k] || !share_body(row_set_of(of, joint), row_set_of(of, k))) continue;
      if (best < 0 || degrees[k] < degrees[best]) best = k;
    }
    if (best < 0) return count;
    is_listed[best] = true;
    list[count++] = best;
  }
}

/* Each part of the mechanism that is not connected to the others starts again, at a joint with few
 * neighbours, which lies at an end of it. */
static void sort_joints(writer *of) {
  const size_t n = (size_t)of->joint_count;
  int *degrees = flg_region_take(&of->region, n, sizeof(int));
  int *list = flg_region_take(&of->region, n, sizeof(int));
  int *sorted = flg_region_take(&of->region, n, sizeof(int));
  bool *is_listed = flg_region_take(&of->region, n, sizeof(bool));
  if (of->region.failed) return;
  int count = 0;
  for (int k = 0; k < of->joint_count; k++) degrees[k] = degree_of(of, k);
  for (int done = 0; count < of->joint_count;) {
    int best = -1;
    for (int k = 0; k < of->joint_count; k++) {
      if (!is_listed[k] && (best < 0 || degrees[k] < degrees[best])) best = k;
    }
    is_listed[best] = true;
    list[count++] = best;
    for (; done < count; done++) {
      count = add_neighbours(of, list[done], degrees, is_listed, list, count);
    }
  }
  /* backwards: the profile is never larger than forwards (Liu and Sherman 1976) */
  for (int k = 0; k < of->joint_count; k++) sorted[k] = of->joints[list[of->joint_count - 1 - k]];
  memcpy(of->joints, sorted, n * sizeof(int));
}

static bool list_mechanism_joints(writer *of) {
  const struct flg_assembly_model *model = &of->assembly->model;
  of->joints = flg_region_take(&of->region, (size_t)model->joint_count, sizeof(int));
  of->first = flg_region_take(&of->region, (size_t)model->joint_count, sizeof(int));
  if (of->region.failed) return false;
  for (int k = 0; k < model->joint_count; k++) {
    if (model->row_sets[k].rows > 0) of->joints[of->joint_count++] = k;
  }
  sort_joints(of);
  for (int k = 0; k < of->joint_count; k++) {
    of->first[k] = of->row_count;
    of->row_count += flg_constraint_kinds[row_set_of(of, k)->kind].rows;
  }
  of->row_joints = flg_region_take(&of->region, (size_t)of->row_count, sizeof(int));
  for (int k = 0; k < of->joint_count && !of->region.failed; k++) {
    const int end = k + 1 < of->joint_count ? of->first[k + 1] : of->row_count;
    for (int i = of->first[k]; i < end; i++) of->row_joints[i] = k;
  }
  return !of->region.failed;
}

/* --- rows that do not depend on others ----------------------------------------------------------
 */

/* a row of a joint, seen from the centre of a body, and how the body yields to it */
static void take_row(const writer *of, const flg_row_set *set, int end, flg_spatial side,
                     double *row, double *yield) {
  const int on = body_of_set(set, end);
  if (on < 0) return;
  const flg_pose pose = pose_of(of, on);
  const flg_vec3 arm = flg_mat3_apply(&pose.rotation, set->anchor[end].pose.position);
  const flg_spatial moved = flg_spatial_shift_force(side, flg_vec3_negate(arm));
  const flg_rigid_body *solid = &of->bodies->rigid_bodies[on];
  const flg_sym3 inverse = flg_sym3_rotate(solid->inverse, &pose.rotation);
  flg_spatial_store(moved, row);
  flg_vec3_store(flg_vec3_scale(moved.linear, 1 / solid->mass), yield);
  flg_vec3_store(flg_sym3_apply(inverse, moved.angular), yield + 3);
}

/* At the start pose; the generated code finds the rows of later poses by its own text. */
static void mechanism_source_find_rows(writer *of) {
  for (int k = 0; k < of->joint_count; k++) {
    const flg_row_set *set = row_set_of(of, k);
    flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
    flg_moving_frame ends[2];
    for (int e = 0; e < 2; e++) {
      const flg_part_anchor *anchor = &set->anchor[e];
      const flg_pose on = anchor->on == NULL ? flg_pose_identity() : pose_of(of, anchor->part);
      ends[e] = (flg_moving_frame){.pose = flg_pose_compose(&on, &anchor->pose)};
    }
    const int count = flg_constraint_evaluate(set->kind, ends, rows);
    for (int i = 0; i < count; i++) {
      for (int e = 0; e < 2; e++) {
        const size_t at = 12 * (size_t)(of->first[k] + i) + 6 * (size_t)e;
        take_row(of, set, e, rows[i].side[e], of->rows + at, of->yields + at);
      }
    }
  }
}

/* one entry of S = G M^-1 G^T: only bodies that both joints hold count */
static double mechanism_source_couple(const writer *of, int i, int j) {
  const flg_row_set *a = row_set_of(of, of->row_joints[i]), *b = row_set_of(of, of->row_joints[j]);
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    for (int f = 0; f < 2; f++) {
      if (body_of_set(a, e) < 0 || body_of_set(a, e) != body_of_set(b, f)) continue;
      for (int k = 0; k < 6; k++) {
        sum += of->rows[12 * (size_t)i + 6 * (size_t)e + (size_t)k] *
               of->yields[12 * (size_t)j + 6 * (size_t)f + (size_t)k];
      }
    }
  }
  return sum;
}

/* the first column that a joint's rows can meet, among all rows */
static int reach_of(const writer *of, int joint) {
  for (int k = 0; k < joint; k++) {
    if (share_body(row_set_of(of, joint), row_set_of(of, k))) return of->first[k];
  }
  return of->first[joint];
}

/* In their order, by a factor of their own profile: a row of which nothing is left is one that
 * those before it make up. */
/* A Cholesky factor row by row. Dependence is judged by what is left of a row in proportion to its
 * own admittance, which does not depend on units or on the mass of the bodies. */
static bool choose_rows(writer *of) {
  const size_t n = (size_t)of->row_count;
  of->chosen = flg_region_take(&of->region, n, sizeof(int));
  of->place = flg_region_take(&of->region, n, sizeof(int));
  of->profile = flg_region_take(&of->region, n, sizeof(int));
  double **factor = flg_region_take(&of->region, n, sizeof *factor);
  if (of->region.failed) return false;
  for (int i = 0; i < of->row_count; i++) {
    const int reach = reach_of(of, of->row_joints[i]);
    int from = 0;
    while (from < of->chosen_count && of->chosen[from] < reach) from++;
    const int width = of->chosen_count - from + 1;
    double *row = flg_region_take(&of->region, (size_t)width, sizeof *row);
    if (row == NULL) return false;
    const double own = mechanism_source_couple(of, i, i);
    double left = own;
    for (int j = from; j < of->chosen_count; j++) {
      const int low = of->profile[j] > from ? of->profile[j] : from;
      double sum = mechanism_source_couple(of, i, of->chosen[j]);
      for (int k = low; k < j; k++) sum -= row[k - from] * factor[j][k - of->profile[j]];
      row[j - from] = sum / factor[j][j - of->profile[j]];
      left -= row[j - from] * row[j - from];
    }
    of->place[i] = -1;
    /* written so that NaN counts as dependent */
    if (!(left > DEPENDENT * own)) continue;
    row[width - 1] = sqrt(left);
    factor[of->chosen_count] = row;
    of->profile[of->chosen_count] = from;
    of->place[i] = of->chosen_count;
    of->chosen[of->chosen_count++] = i;
  }
  return true;
}

/* --- tables -------------------------------------------------------------------------------------
 */

/* a frame as twelve numbers: where it is, then its axes */
static void put_frame(const flg_pose *pose, double *to) {
  flg_vec3_store(pose->position, to);
  for (int j = 0; j < 3; j++) flg_vec3_store(flg_mat3_column(&pose->rotation, j), to + 3 + 3 * j);
}

static void put_inertia(flg_sym3 s, double *to) {
  to[0] = s.xx, to[1] = s.yy, to[2] = s.zz, to[3] = s.xy, to[4] = s.xz, to[5] = s.yz;
}

/* Inverses are tables, too, although they follow: both sides then have the same bits of them. */
static void add_bodies(writer *of) {
  const int n = of->body_count;
  double *masses = flg_number_tables_add(&of->numbers, "masses", n, 1);
  double *inertias = flg_number_tables_add(&of->numbers, "inertias", n, 6);
  double *inverses = flg_number_tables_add(&of->numbers, "inverses", n, 6);
  double *gravities = flg_number_tables_add(&of->numbers, "gravities", n, 4);
  double *start = flg_number_tables_add(&of->numbers, "start", n, 13);
  if (of->region.failed) return;
  for (int k = 0; k < n; k++, gravities += 4, start += 13) {
    const flg_rigid_body *solid = &of->bodies->rigid_bodies[k];
    const double *v = of->assembly->state.v + of->bodies->parts.velocity + FLG_BODY_VELOCITIES * k;
    masses[k] = solid->mass;
    put_inertia(solid->inertia, inertias + 6 * (size_t)k);
    put_inertia(solid->inverse, inverses + 6 * (size_t)k);
    /* NaN says that a file gave the body no gravity of its own: it has that of the scenario */
    gravities[3] = !isnan(solid->source->gravity.x);
    if (gravities[3] != 0) flg_vec3_store(solid->source->gravity, gravities);
    memcpy(start, mechanism_source_state_of(of, k), FLG_BODY_POSITIONS * sizeof *start);
    memcpy(start + FLG_BODY_POSITIONS, v, FLG_BODY_VELOCITIES * sizeof *start);
  }
}

static void add_joint_frames(writer *of) {
  double *to = flg_number_tables_add(&of->numbers, "joint_frames", of->joint_count, 24);
  for (int k = 0; k < 2 * of->joint_count && to != NULL; k++) {
    put_frame(&row_set_of(of, k / 2)->anchor[k % 2].pose, to + 12 * (size_t)k);
  }
}

/* ends on moving bodies are coupled with each other, on each body */
static int count_couplings(writer *of) {
  int count = 0, *ends = flg_region_take(&of->region, (size_t)of->body_count + 1, sizeof(int));
  for (int k = 0; k < 2 * of->joint_count && ends != NULL; k++) {
    const int on = body_of_set(row_set_of(of, k / 2), k % 2);
    if (on >= 0) count += ++ends[on];
  }
  return count;
}

/* by joint: what it holds, which of its rows are chosen, its bodies; all else follows from these */
static void write_joints(writer *of) {
  const size_t n = (size_t)of->joint_count + 1;
  int *columns[4] = {0};
  for (int c = 0; c < 4; c++) columns[c] = flg_region_take(&of->region, n, sizeof(int));
  if (of->region.failed) return;
  for (int k = 0; k < of->joint_count; k++) {
    const flg_row_set *set = row_set_of(of, k);
    columns[0][k] = (int)flg_constraint_kinds[set->kind].holds;
    columns[2][k] = body_of_set(set, 0), columns[3][k] = body_of_set(set, 1);
  }
  for (int i = 0; i < of->row_count; i++) {
    const int joint = of->row_joints[i];
    if (of->place[i] >= 0) columns[1][joint] |= 1 << (i - of->first[joint]);
  }
  flg_text_integers("joint_holds", columns[0], of->joint_count, of->out);
  flg_text_integers("joint_chosen", columns[1], of->joint_count, of->out);
  flg_text_integers("joint_a", columns[2], of->joint_count, of->out);
  flg_text_integers("joint_b", columns[3], of->joint_count, of->out);
  for (int k = 0; k < of->chosen_count; k++) of->size.profile += k - of->profile[k] + 1;
  fprintf(of->out,
          "enum { HOLDS_POINT = %d, HOLDS_ACROSS = %d, HOLDS_ALONG = %d, HOLDS_UPRIGHT = %d, "
          "HOLDS_TWIST = %d, HOLDS_CROSS = %d, COUPLINGS = %d, PROFILE = %d };\n",
          FLG_HOLDS_POINT, FLG_HOLDS_ACROSS, FLG_HOLDS_ALONG, FLG_HOLDS_UPRIGHT, FLG_HOLDS_TWIST,
          FLG_HOLDS_CROSS, count_couplings(of), of->size.profile);
}

static bool is_own_port(const flg_component_frame *frame) {
  return frame->port && frame->group == FLG_TOP;
}

static int mechanism_source_write_ports(writer *of) {
  const flg_component *component = of->source->component;
  int count = 0, *on = flg_region_take(&of->region, (size_t)component->frame_count + 1, sizeof *on);
  double *poses = flg_number_tables_add(&of->numbers, "port_poses", component->frame_count, 12);
  if (of->region.failed) return 0;
  fputs("static const char *const port_names[] = {", of->out);
  for (int k = 0; k < component->frame_count; k++) {
    if (!is_own_port(&component->frames[k])) continue;
    const flg_part_anchor anchor = flg_assembly_anchor(of->assembly, &component->frames[k].anchor);
    flg_text_string(component->frames[k].name, of->out);
    fputs(", ", of->out);
    put_frame(&anchor.pose, poses + 12 * (size_t)count);
    on[count++] = anchor.on == NULL ? -1 : anchor.part;
  }
  fputs("0};\n", of->out);
  flg_text_integers("port_bodies", on, count, of->out);
  return count;
}

/* --- in the plane -------------------------------------------------------------------------------
 */

/* [s]: of the step that is tried; how long it is matters little */
static const double TRIED = 1e-3;

/* True if steps in the plane are of use: joints that repeat others even there would leave none to
 * them.
 */
/* One step is tried, and its effect on the state undone. */
static bool serves(writer *of) {
  flg_assembly *assembly = of->assembly;
  flg_part_work work;
  if (assembly->model.planar == NULL) return false;
  const size_t count = (size_t)assembly->model.state_count;
  double *kept = flg_region_take(&of->region, count, sizeof *kept);
  if (kept == NULL) return false;
  memcpy(kept, assembly->state.numbers, count * sizeof *kept);
  const bool is_taken = flg_planar_interpret(assembly, TRIED, &work);
  memcpy(assembly->state.numbers, kept, count * sizeof *kept);
  return is_taken;
}

static void write_plane(writer *of) {
  flg_planar_numbers numbers;
  of->size.is_planar = serves(of);
  fprintf(of->out, "#define MOVES_IN_A_PLANE %d\n", of->size.is_planar);
  if (!of->size.is_planar || !flg_planar_numbers_fill(of->assembly, &of->region, &numbers)) return;
  flg_planar flat = *of->assembly->model.planar;
  flat.angle_count = 0; /* libraries hand out no angles */
  flg_planar_source_write(&flat, &of->region, of->out);
  flg_planar_numbers_add(&flat, &numbers, &of->numbers);
}

/* the mechanism's joint of a row set */
static int number_of_joint(const writer *of, int row_set) {
  int k = 0;
  while (of->joints[k] != row_set) k++;
  return k;
}

static void write_space_numbers(writer *of, const flg_space_source *space) {
  flg_space_numbers numbers;
  const int count = flg_space_source_joints(space);
  int *joints = flg_region_take(&of->region, (size_t)count + 1, sizeof(int));
  if (joints == NULL || !flg_space_numbers_fill(space, &of->region, &numbers)) return;
  for (int k = 0; k < count; k++) {
    joints[k] = number_of_joint(of, flg_space_source_row_set(space, k));
  }
  flg_text_integers("space_joints", joints, count, of->out);
  flg_number_tables_put(&of->numbers, "space_axials", of->body_count, 8, numbers.axials);
  flg_number_tables_put(&of->numbers, "space_normals", of->body_count, 3, numbers.normals);
}

/* steps by rows that are frozen, if they are */
static bool write_space(writer *of) {
  if (flg_assembly_freeze(of->assembly) != FLG_OK) of->region.failed = true;
  const struct flg_assembly_model *model = &of->assembly->model;
  const bool is_pushed = model->force_count > 0 || model->signals != NULL;
  const flg_space_source *space = flg_space_source_build(of->assembly, is_pushed, &of->region);
  fprintf(of->out, "#define HAS_FROZEN_ROWS %d\n", space != NULL);
  if (space == NULL) return false;
  fputs("#define STEEP_BELOW ", of->out);
  flg_emit_number(flg_plan_steep(of->assembly->scratch.plan), of->out);
  fputs("\n", of->out);
  flg_space_source_write(space, of->out);
  write_space_numbers(of, space);
  return true;
}

/* from a centre of mass to a joint */
static double longest_arm(const writer *of) {
  double most = 0;
  for (int k = 0; k < of->assembly->model.rigid_count; k++) {
    for (int e = 0; e < 2; e++) {
      const flg_part_anchor *anchor = &of->assembly->model.row_sets[k].anchor[e];
      if (anchor->on != NULL) most = fmax(most, flg_vec3_norm(anchor->pose.position));
    }
  }
  return most;
}

/* The texts of rows and steps come after the tables that they read; those of the plane and of
 * frozen rows before them, as steps try these first. */
static void mechanism_source_write_all(writer *of) {
  flg_text_head(of->out);
  add_bodies(of);
  add_joint_frames(of);
  write_joints(of);
  const int ports = mechanism_source_write_ports(of);
  const bool has_general = of->row_count <= MOST_GENERAL;
  fprintf(of->out,
          "enum { BODIES = %d, JOINTS = %d, ROWS = %d, CHOSEN = %d, PORTS = %d, GENERAL_ROWS = %d "
          "};\n#define LENGTH ",
          of->body_count, of->joint_count, of->row_count, of->chosen_count, ports,
          /* the general way has a dense matrix of all rows: 400 rows are 1.3 MB in each instance */
          has_general ? of->row_count : 1);
  flg_emit_number(of->assembly->model.length, of->out);
  fputs("\n#define ARM ", of->out);
  flg_emit_number(longest_arm(of), of->out);
  fputs("\n", of->out);
  flg_text_names(of->source->name, of->out);
  write_plane(of);
  const bool is_frozen = write_space(of);
  flg_force_tables_write(&of->forces, &of->numbers, of->out);
  flg_component_signals_write(&of->signals, &of->numbers, of->out);
  flg_number_tables_write(&of->numbers, of->out);
  if (of->size.is_planar) flg_text_embed(&flg_text_mechanism_plane, of->out);
  flg_text_embed(&flg_text_mechanism_tables, of->out);
  if (flg_force_tables_are_needed(&of->forces)) {
    flg_text_embed(&flg_text_mechanism_forces, of->out);
  }
  flg_text_embed(&flg_text_mechanism_rows, of->out);
  flg_text_embed(&flg_text_mechanism_step, of->out);
  if (is_frozen) flg_text_embed(&flg_text_mechanism_space, of->out);
  flg_text_embed(&flg_text_mechanism_ports, of->out);
  if (of->signals.count > 0) flg_text_embed(&flg_text_mechanism_signals, of->out);
  flg_text_embed(&flg_text_mechanism_told, of->out);
  flg_text_embed(&flg_text_plugin_table, of->out);
  of->size.bodies = of->body_count, of->size.joints = of->joint_count;
  of->size.signals = of->signals.count;
  of->size.rows = of->row_count, of->size.chosen = of->chosen_count;
}

static void write_mechanism_tables(writer *of) {
  if (lay_out_assembly(of) != FLG_OK || !list_mechanism_joints(of)) return;
  if (of->row_count > MOST_ROWS) {
    mechanism_source_refuse(of, (flg_place){.file = of->source->component->file},
                            of->source->component->name, "it has more than 20000 rows");
    return;
  }
  of->rows = flg_region_take(&of->region, 12 * (size_t)of->row_count, sizeof(double));
  of->yields = flg_region_take(&of->region, 12 * (size_t)of->row_count, sizeof(double));
  if (of->region.failed) return;
  mechanism_source_find_rows(of);
  if (choose_rows(of)) mechanism_source_write_all(of);
}

flg_status flg_mechanism_source_write(const flg_mechanism_source *source, FILE *out,
                                      flg_mechanism_size *size, flg_mistakes *mistakes) {
  writer of = {.source = source, .mistakes = mistakes, .out = out};
  const int before = mistakes->count;
  of.numbers.region = &of.region;
  mechanism_source_check(&of);
  if (mistakes->count == before) write_mechanism_tables(&of);
  if (of.region.failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "there is no memory to compile with");
  }
  /* also if it was not built: NULL is left alone */
  flg_assembly_release(of.assembly);
  flg_region_release(&of.region);
  if (size != NULL) *size = of.size;
  return mistakes->count > before ? mistakes->status : FLG_OK;
}
