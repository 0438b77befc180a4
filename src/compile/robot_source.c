#include "compile/robot_source.h"

#include <math.h>
#include <string.h>

#include "compile/emit.h"
#include "compile/joint_source.h"
#include "compile/robot_signals.h"
#include "compile/source_text.h"

/* a model whose mass matrix has more elements than this would take minutes to compile */
enum { MOST_FACTORS = 20000 };

typedef struct writer {
  const flg_robot_source *source;
  flg_mistakes *mistakes;
  flg_region region;
  FILE *out;
  flg_elements elements;
  flg_forward_terms forward;
  flg_robot_signals signals;
  flg_mimics gears; /* joints that follow others */
  int port_count;
  flg_link_anchor *frames; /* (frame_count) on elements: ports, then those of signals */
  int frame_count;
  flg_source_size size;
} writer;

/* --- what cannot be compiled --------------------------------------------------------------------
 */

static void robot_source_refuse(const writer *of, flg_place place, const char *name,
                                const char *why) {
  flg_mistake_add(of->mistakes, FLG_ERR_INPUT, place, "'%s' cannot be compiled: %s", name, why);
}

/* All that is wrong is reported at once: users should not compile again and again to find the next
 * fault. */
static void robot_source_check(const writer *of) {
  const flg_model *model = of->source->model;
  for (int k = 0; k < model->body_count; k++) {
    if (model->bodies[k].flexible == NULL) continue;
    robot_source_refuse(of, model->bodies[k].place, model->bodies[k].name, "it is flexible");
  }
  for (int k = 0; k < model->joint_count; k++) {
    const flg_joint *joint = &model->joints[k];
    /* stages of rk4 would see friction jump with the sign of the velocity, at every zero of it */
    if (joint->friction > 0 && of->source->integrator == FLG_COMPILED_RK4) {
      robot_source_refuse(of, joint->place, joint->name,
                          "it has dry friction, which needs the integrator semi-implicit");
    }
  }
  if (of->source->robot->velocity_count == 0) {
    robot_source_refuse(of, (flg_place){.file = model->file}, model->name, "nothing in it moves");
  }
}

static flg_joint_source joint_source_of(writer *of) {
  return (flg_joint_source){&of->elements, of->frames,  of->port_count, of->frame_count,
                            &of->gears,    &of->region, of->out};
}

/* --- tables -------------------------------------------------------------------------------------
 */

/* a number of velocity k of a link */
typedef double link_number(const writer *of, const flg_link *link, int k);

static double robot_source_damping_of(const writer *of, const flg_link *link, int k) {
  (void)of, (void)k;
  return link->damping;
}

static const flg_joint *robot_source_joint_of(const writer *of, const flg_link *link) {
  return &of->source->model->joints[link->joint];
}

static double friction_of(const writer *of, const flg_link *link, int k) {
  (void)k;
  return robot_source_joint_of(of, link)->friction;
}

/* friction is regularised: a joint that sticks creeps by h times this (model/robot.h) */
static double creep_of(const writer *of, const flg_link *link, int k) {
  return flg_robot_creep(link, k, friction_of(of, link, k));
}

/* joints with several coordinates have no range */
static bool is_limited(const writer *of, const flg_link *link) {
  return link->velocity_count == 1 && !of->source->ignores_limits;
}

static double lower_of(const writer *of, const flg_link *link, int k) {
  (void)k;
  return is_limited(of, link) ? robot_source_joint_of(of, link)->lower : (double)-INFINITY;
}

static double upper_of(const writer *of, const flg_link *link, int k) {
  (void)k;
  return is_limited(of, link) ? robot_source_joint_of(of, link)->upper : (double)INFINITY;
}

/* One number a velocity, in the order of v: links are in that order, and so are their
 * velocities. */
static void write_of_links(const writer *of, const char *name, link_number *number) {
  const flg_robot *robot = of->source->robot;
  fprintf(of->out, "static const double %s[] = {", name);
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    for (int k = 0; k < link->velocity_count; k++) {
      flg_emit_number(number(of, link, k), of->out);
      fputs(", ", of->out);
    }
  }
  fputs("};\n", of->out);
}

/* joints that follow others: velocities and positions of both */
static void write_mimics(const writer *of) {
  const flg_model *model = of->source->model;
  const flg_robot *robot = of->source->robot;
  fputs("static const struct { int of[2], at[2]; double by, off; } followers[] = {", of->out);
  for (int k = 0; k < model->joint_count; k++) {
    const flg_mimic *mimic = &model->joints[k].mimic;
    if (mimic->joint < 0) continue;
    const flg_link *own = &robot->links[robot->joint_links[k]];
    const flg_link *leader = &robot->links[robot->joint_links[mimic->joint]];
    fprintf(of->out, "{{%d, %d}, {%d, %d}, ", own->velocity, leader->velocity, own->position,
            leader->position);
    flg_emit_number(mimic->multiplier, of->out);
    fputs(", ", of->out);
    flg_emit_number(mimic->offset, of->out);
    fputs("}, ", of->out);
  }
  fputs("{{0, 0}, {0, 0}, 0, 0}};\n", of->out);
}

/* Where no start is given: the zero pose, moved into the ranges of its joints. */
static void write_start(writer *of) {
  const flg_robot *robot = of->source->robot;
  double *start = flg_region_take(&of->region, (size_t)robot->position_count, sizeof *start);
  if (start == NULL) return;
  flg_robot_zero(robot, start);
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    double *q = &start[link->position];
    if (!is_limited(of, link)) continue;
    *q = fmax(*q, lower_of(of, link, 0)), *q = fmin(*q, upper_of(of, link, 0));
  }
  flg_text_numbers("starts", of->source->start != NULL ? of->source->start : start,
                   robot->position_count, of->out);
}

/* Bare libraries serve the interpreter alone, which has ports of its own. */
static bool robot_source_is_port(const writer *of, const flg_frame *frame) {
  return frame->port && !of->source->is_bare;
}

static void write_names(const writer *of) {
  const flg_model *model = of->source->model;
  flg_text_names(of->source->name, of->out);
  fputs("static const char *const port_names[] = {", of->out);
  for (int k = 0; k < model->frame_count; k++) {
    if (!robot_source_is_port(of, &model->frames[k])) continue;
    flg_text_string(model->frames[k].name, of->out);
    fputs(", ", of->out);
  }
  fputs("0};\n", of->out);
}

/* Numbers of these enumerators are those of flg_signal_what. */
static void robot_write_signals(const writer *of) {
  const flg_robot_signals *all = &of->signals;
  fputs(
      "enum { POSITION_SIGNAL, VELOCITY_SIGNAL, EFFORT_SIGNAL, FRAME_POSITION_SIGNAL,\n"
      "       FRAME_ORIENTATION_SIGNAL, FRAME_VELOCITY_SIGNAL, FRAME_SPIN_SIGNAL };\n"
      "static const flg_plugin_signal signal_table[] = {",
      of->out);
  for (int k = 0; k < all->count; k++) {
    const flg_robot_signal *signal = &all->list[k];
    fputs("\n  {", of->out);
    flg_text_string(signal->path, of->out);
    fputs(", ", of->out);
    flg_text_string(signal->quantity, of->out);
    fprintf(of->out, ", \"%s\", %d},", signal->unit, signal->width);
  }
  fputs("\n  {0, 0, 0, 0}};\nstatic const int signal_sources[][3] = {", of->out);
  for (int k = 0; k < all->count; k++) {
    const flg_robot_signal *signal = &all->list[k];
    const bool is_frame = signal->what > FLG_SIGNAL_EFFORT;
    fprintf(of->out, "{%d, %d, %d}, ", (int)signal->what,
            is_frame ? of->port_count + signal->index : signal->index, signal->width);
  }
  fputs("{0, 0, 0}};\n", of->out);
}

/* After the functions, whose sizes (elements of L, for example) the tables hold. */
static void robot_write_tables(writer *of) {
  const flg_joint_source joints = joint_source_of(of);
  const flg_robot *robot = of->source->robot;
  double mass = 0;
  for (int i = 0; i < robot->link_count; i++) mass += robot->links[i].inertia.mass;
  fprintf(of->out, "enum { SIGNALS = %d };\n#define RUNGE_KUTTA %d\n#define TOTAL_MASS ",
          of->signals.count, of->source->integrator == FLG_COMPILED_RK4);
  flg_emit_number(mass, of->out);
  fputs("\n", of->out);
  write_of_links(of, "dampings", robot_source_damping_of);
  write_of_links(of, "frictions", friction_of);
  write_of_links(of, "creeps", creep_of);
  write_of_links(of, "lowers", lower_of);
  write_of_links(of, "uppers", upper_of);
  flg_joint_source_coordinates(&joints);
  flg_joint_source_tables(&joints, &of->forward);
  write_mimics(of);
  write_start(of);
  write_names(of);
  robot_write_signals(of);
}

/* --- functions ----------------------------------------------------------------------------------
 */

static int emit(writer *of, const flg_terms *graph, flg_emit_function function,
                const flg_emit_outputs *from) {
  if (function.type == NULL) function.type = "double";
  function.results = from->list, function.result_count = from->count;
  if (of->region.failed) return 0;
  const int statements = flg_emit(graph, &function, &of->region, of->out);
  of->size.all += statements;
  return statements;
}

/* accelerations, and the factors of the mass matrix with them and alone */
static void write_forward(writer *of) {
  static const char *const all[] = {"q", "sines", "cosines", "v", "f", "added", "g"};
  static const char *const few[] = {"q", "sines", "cosines", NULL, NULL, "added", NULL};
  static const char *const to[] = {"a", "yields", "factors"};
  flg_terms graph;
  flg_terms_begin(&graph, &of->region);
  const flg_robot *robot = of->source->robot;
  bool *is_added = flg_region_take(&of->region, (size_t)robot->velocity_count, sizeof *is_added);
  if (is_added == NULL) return;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    for (int k = 0; k < link->velocity_count; k++) {
      /* only what can resist is an input: other diagonals stay as short as they are */
      is_added[link->velocity + k] = link->damping > 0 || friction_of(of, link, k) > 0;
    }
  }
  flg_forward_terms *forward = &of->forward;
  if (!flg_forward_terms_build(forward, &graph, &of->elements, is_added, &of->region)) return;
  const int n = forward->count;
  /* One function for all of it, and one for factors alone: most terms are common, and callers that
   * ask for the admittance of ports need no accelerations. */
  flg_emit_outputs both = flg_emit_outputs_take(&of->region, 2 * n + forward->factor_count),
                   factors = both;
  flg_emit_outputs_put(&both, forward->a, n, 0);
  flg_emit_outputs_put(&both, forward->yields, n, 1);
  flg_emit_outputs_put(&both, forward->factors, forward->factor_count, 2);
  of->size.forward = emit(of, &graph,
                          (flg_emit_function){.name = "find_accelerations",
                                              .inputs = all,
                                              .input_count = FLG_INPUT_COUNT,
                                              .outputs = to,
                                              .output_count = 3},
                          &both);
  fprintf(of->out, "#define HAS_MANY %d\n", !of->source->is_bare);
  /* several states at once, a lane each, for tasks that try many (flange/plugin.h) */
  if (!of->source->is_bare) {
    flg_emit_outputs alone = flg_emit_outputs_take(&of->region, n);
    flg_emit_outputs_put(&alone, forward->a, n, 0);
    emit(of, &graph,
         (flg_emit_function){.name = "find_many_accelerations",
                             .type = "many",
                             .inputs = all,
                             .input_count = FLG_INPUT_COUNT,
                             .outputs = to,
                             .output_count = 1},
         &alone);
  }
  factors = flg_emit_outputs_take(&of->region, n + forward->factor_count);
  flg_emit_outputs_put(&factors, forward->yields, n, 0);
  flg_emit_outputs_put(&factors, forward->factors, forward->factor_count, 1);
  emit(of, &graph,
       (flg_emit_function){.name = "find_factors",
                           .inputs = few,
                           .input_count = FLG_INPUT_COUNT,
                           .outputs = to + 1,
                           .output_count = 2},
       &factors);
}

static void robot_write_frames(writer *of) {
  const flg_joint_source joints = joint_source_of(of);
  flg_terms graph;
  flg_frame_terms frames;
  flg_terms_begin(&graph, &of->region);
  if (!flg_frame_terms_build(&frames, &graph, &of->elements, &of->region)) return;
  of->size.all += flg_joint_source_functions(&joints, &graph, &frames, 0);
}

/* --- the whole ----------------------------------------------------------------------------------
 */

static void collect_frames(writer *of) {
  const flg_model *model = of->source->model;
  const size_t most = (size_t)model->frame_count + (size_t)of->signals.frame_count;
  of->frames = flg_region_take(&of->region, most, sizeof *of->frames);
  if (of->frames == NULL) return;
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    if (!robot_source_is_port(of, frame)) continue;
    flg_link_anchor at = {FLG_WORLD, frame->pose};
    if (frame->body != FLG_WORLD) {
      at = flg_robot_anchor(of->source->robot, frame->body, &frame->pose, NULL);
    }
    of->frames[of->frame_count++] = flg_elements_anchor(&of->elements, &at);
  }
  of->port_count = of->frame_count;
  for (int k = 0; k < of->signals.frame_count; k++) {
    of->frames[of->frame_count++] = flg_elements_anchor(&of->elements, &of->signals.frames[k]);
  }
}

/* Counted before anything is generated: a chain of 1,000 links would fill the memory with terms. */
/* how many numbers the factors of the mass matrix have */
static int count_factors(const flg_robot *robot) {
  int count = 0;
  for (int i = 0; i < robot->link_count && count <= MOST_FACTORS; i++) {
    const int own = robot->links[i].velocity_count;
    for (int k = robot->links[i].parent; k != FLG_WORLD; k = robot->links[k].parent) {
      count += own * robot->links[k].velocity_count;
    }
    count += own * (own - 1) / 2;
  }
  return count;
}

static void robot_source_write_all(writer *of) {
  if (!flg_elements_build(&of->elements, of->source->robot, &of->region)) return;
  flg_mimics_build(&of->gears, of->source->model, of->source->robot, &of->region);
  if (of->region.failed) return;
  collect_frames(of);
  flg_text_head(of->out);
  write_forward(of);
  if (!of->region.failed) robot_write_frames(of);
  if (of->region.failed) return; /* tables have the sizes of what was written before */
  robot_write_tables(of);
  flg_text_embed(&flg_text_joint_space, of->out);
  flg_text_embed(&flg_text_robot_runtime, of->out);
  flg_text_embed(&flg_text_robot_ports, of->out);
  flg_text_embed(&flg_text_plugin_table, of->out);
}

flg_status flg_robot_source_write(const flg_robot_source *source, FILE *out, flg_source_size *size,
                                  flg_mistakes *mistakes) {
  writer of = {.source = source, .mistakes = mistakes, .out = out};
  const int before = mistakes->count;
  robot_source_check(&of);
  if (count_factors(source->robot) > MOST_FACTORS) {
    robot_source_refuse(&of, (flg_place){.file = source->model->file}, source->model->name,
                        "its chains are too long; the mass matrix has more than 20000 numbers");
  }
  flg_robot_signals_find(&of.signals, source, &of.region, mistakes);
  /* nothing is written of a model that cannot be compiled */
  if (mistakes->count == before) robot_source_write_all(&of);
  if (of.region.failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "there is no memory to compile with");
  }
  flg_region_release(&of.region);
  if (size != NULL) *size = of.size;
  return mistakes->count > before ? mistakes->status : FLG_OK;
}
