#include "compile/joint_source.h"

#include "compile/source_text.h"

flg_emit_outputs flg_emit_outputs_take(flg_region *region, int most) {
  return (flg_emit_outputs){flg_region_take(region, (size_t)most, sizeof(flg_emit_output)), 0};
}

void flg_emit_outputs_put(flg_emit_outputs *to, const flg_term *terms, int count, int array) {
  for (int k = 0; to->list != NULL && k < count; k++) {
    to->list[to->count++] = (flg_emit_output){terms[k], array, k};
  }
}

/* --- tables -------------------------------------------------------------------------------------
 */

void flg_joint_source_coordinates(const flg_joint_source *of) {
  const int n = of->elements->robot->velocity_count;
  int *kinds = flg_region_take(of->region, (size_t)n, sizeof *kinds);
  int *straight = flg_region_take(of->region, (size_t)n, sizeof *straight);
  double *pitches = flg_region_take(of->region, (size_t)n, sizeof *pitches);
  int balls = 0;
  if (of->region->failed) return;
  fputs("static const int balls[][2] = {", of->out);
  for (int i = 0; i < of->elements->count; i++) {
    const flg_element *element = &of->elements->list[i];
    const bool is_ball = element->kind == FLG_ELEMENT_BALL;
    if (is_ball) fprintf(of->out, "{%d, %d}, ", element->position, element->velocity);
    balls += is_ball;
    for (int k = element->velocity; k < element->velocity + flg_element_velocities(element); k++) {
      kinds[k] = element->kind == FLG_ELEMENT_SLIDE;
      straight[k] = is_ball ? -1 : element->position;
      pitches[k] = element->pitch;
    }
  }
  fprintf(of->out, "{0, 0}};\nenum { POSITIONS = %d, VELOCITIES = %d, BALLS = %d };\n",
          of->elements->robot->position_count, n, balls);
  flg_text_integers("coordinate_kinds", kinds, n, of->out);
  flg_text_integers("straight_positions", straight, n, of->out);
  flg_text_numbers("pitches", pitches, n, of->out);
}

static void write_gears(const flg_joint_source *of) {
  int start[1] = {0};
  const flg_mimics none = {.first = start}, *gears = of->gears == NULL ? &none : of->gears;
  const int leaders = gears->first[gears->count];
  fprintf(of->out, "enum { GEARS = %d };\n", gears->count);
  flg_text_integers("gear_followers", gears->followers, gears->count, of->out);
  flg_text_integers("gear_first", gears->first, gears->count + 1, of->out);
  flg_text_integers("gear_leaders", gears->leaders, leaders, of->out);
  flg_text_numbers("gear_multipliers", gears->multipliers, leaders, of->out);
}

/* the last coordinate that moves each frame */
static void write_frame_ends(const flg_joint_source *of) {
  int *ends = flg_region_take(of->region, (size_t)of->frame_count, sizeof *ends);
  for (int k = 0; ends != NULL && k < of->frame_count; k++) {
    const int on = of->frames[k].link;
    const flg_element *element = on == FLG_WORLD ? NULL : &of->elements->list[on];
    ends[k] = element == NULL ? -1 : element->velocity + flg_element_velocities(element) - 1;
  }
  if (ends != NULL) flg_text_integers("frame_ends", ends, of->frame_count, of->out);
}

void flg_joint_source_tables(const flg_joint_source *of, const flg_forward_terms *forward) {
  fprintf(of->out, "enum { PORTS = %d, FRAMES = %d, FACTORS = %d };\n", of->port_count,
          of->frame_count, forward->factor_count);
  flg_text_integers("before", forward->before, forward->count, of->out);
  flg_text_integers("first_factor", forward->first, forward->count, of->out);
  write_gears(of);
  write_frame_ends(of);
}

/* --- functions ----------------------------------------------------------------------------------
 */

static int emit_of_motion(const flg_joint_source *of, const flg_terms *graph, const char *name,
                          int input_count, const char *output, const flg_emit_outputs *from) {
  static const char *const inputs[FLG_INPUT_COUNT] = {
      [FLG_INPUT_POSITIONS] = "q",  [FLG_INPUT_SINES] = "sines", [FLG_INPUT_COSINES] = "cosines",
      [FLG_INPUT_VELOCITIES] = "v", [FLG_INPUT_GRAVITY] = "g",
  };
  const char *const outputs[] = {output};
  if (of->region->failed) return 0;
  return flg_emit(graph,
                  &(flg_emit_function){.name = name,
                                       .type = "double",
                                       .inputs = inputs,
                                       .input_count = input_count,
                                       .outputs = outputs,
                                       .output_count = 1,
                                       .results = from->list,
                                       .result_count = from->count},
                  of->region, of->out);
}

/* From these the runtime forms Jacobians of any port: columns e x (p - o) and e. */
/* axes and origins of all coordinates */
static int write_axes(const flg_joint_source *of, const flg_terms *graph,
                      const flg_frame_terms *frames) {
  flg_emit_outputs axes =
      flg_emit_outputs_take(of->region, 6 * of->elements->robot->velocity_count);
  for (int i = 0; axes.list != NULL && i < of->elements->count; i++) {
    const flg_element *element = &of->elements->list[i];
    const bool is_ball = element->kind == FLG_ELEMENT_BALL;
    for (int k = 0; k < flg_element_velocities(element); k++) {
      const flg_term3 e = frames->motions[i].rotation.column[is_ball ? k : 2];
      const flg_term3 o = frames->motions[i].position;
      const flg_term both[6] = {e.x, e.y, e.z, o.x, o.y, o.z};
      for (int j = 0; j < 6; j++) {
        axes.list[axes.count++] = (flg_emit_output){both[j], 0, 6 * (element->velocity + k) + j};
      }
    }
  }
  return emit_of_motion(of, graph, "find_axes", FLG_INPUT_VELOCITIES, "axes", &axes);
}

static int write_energy(const flg_joint_source *of, flg_terms *graph, const flg_frame_terms *frames,
                        flg_term stored) {
  const flg_term3 moment = flg_frame_terms_moment(frames, graph);
  flg_term g[3];
  for (int k = 0; k < 3; k++) g[k] = flg_terms_input(graph, FLG_INPUT_GRAVITY, k);
  /* potential energy -g . sum m r */
  const flg_term falls = flg_term3_dot(graph, (flg_term3){g[0], g[1], g[2]}, moment);
  const flg_term moves = flg_terms_subtract(graph, flg_frame_terms_kinetic(frames, graph), falls);
  const flg_term sum = flg_terms_add(graph, moves, stored);
  flg_emit_outputs energy = flg_emit_outputs_take(of->region, 1);
  flg_emit_outputs_put(&energy, &sum, 1, 0);
  return emit_of_motion(of, graph, "find_energy", FLG_INPUT_COUNT, "energy", &energy);
}

static int write_frames(const flg_joint_source *of, flg_terms *graph,
                        const flg_frame_terms *frames) {
  flg_emit_outputs all = flg_emit_outputs_take(of->region, FLG_FRAME_TERMS * of->frame_count);
  for (int k = 0; all.list != NULL && k < of->frame_count; k++) {
    flg_term terms[FLG_FRAME_TERMS];
    flg_frame_terms_of(frames, graph, &of->frames[k], terms);
    for (int i = 0; i < FLG_FRAME_TERMS; i++) {
      all.list[all.count++] = (flg_emit_output){terms[i], 0, FLG_FRAME_TERMS * k + i};
    }
  }
  return emit_of_motion(of, graph, "find_frames", FLG_INPUT_VELOCITIES + 1, "frames", &all);
}

int flg_joint_source_functions(const flg_joint_source *of, flg_terms *graph,
                               const flg_frame_terms *frames, flg_term stored) {
  const int count = write_frames(of, graph, frames) + write_axes(of, graph, frames);
  return count + write_energy(of, graph, frames, stored);
}
