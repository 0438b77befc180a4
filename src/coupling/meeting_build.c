/* Set-up of a meeting: which rows its interfaces and contacts have, and memory for all of them. */
#include "base/measure.h"
#include "coupling/meeting.h"
#include "coupling/rest.h"

enum { PORT_ROWS = 6 };

static int end_of(const flg_interface *interface, int subsystem) {
  for (int e = 0; e < 2; e++) {
    if (interface->end[e].subsystem == subsystem) return e;
  }
  return -1;
}

static void count(flg_meeting *meeting, int index, const flg_interface *interfaces,
                  int interface_count, const bool *driven) {
  for (int k = 0; k < interface_count; k++) {
    if (end_of(&interfaces[k], index) < 0) continue;
    meeting->end_count++;
    if (driven == NULL || !driven[k]) meeting->joint_rows += interfaces[k].rows;
  }
}

static void fill_ends(flg_meeting *meeting, int index, const flg_interface *interfaces,
                      int interface_count, const bool *driven) {
  flg_meeting_end *end = meeting->ends;
  for (int k = 0; k < interface_count; k++) {
    const int own = end_of(&interfaces[k], index);
    if (own < 0) continue;
    *end++ = (flg_meeting_end){.interface = &interfaces[k],
                               .own = own,
                               .port = interfaces[k].end[own].port,
                               .is_driven = driven != NULL && driven[k]};
  }
}

/* interfaces touch the ports of both that are joined, and the anchors of elements; touch ports
 * stay; six rows of one interface are a weld */
static flg_elimination_shape shape_of(const flg_meeting *meeting, const flg_rest *rest) {
  const bool has_elements = meeting->elements.count > 0;
  const bool is_alone = meeting->end_count == 1 && meeting->joined_count == 1 && !has_elements;
  const int own_rows = PORT_ROWS * meeting->port_count, n = PORT_ROWS * meeting->joined_count;
  const int rest_rows = flg_rest_rows(rest), touch = PORT_ROWS * flg_rest_touch_ports(rest);
  const int elastic = flg_rest_elastic_rows(rest);
  return (flg_elimination_shape){.constraints = meeting->row_count,
                                 .rows = {own_rows, rest_rows},
                                 .touched = {n, rest_rows - touch - elastic},
                                 .kept = {own_rows - n, touch},
                                 .soft = has_elements,
                                 .weld = is_alone && meeting->row_count == PORT_ROWS,
                                 .form = FLG_FORM_ADMITTANCE,
                                 .tolerance = FLG_PIVOT_TOLERANCE};
}

static void lay_out(flg_meeting *meeting, const flg_elimination_shape *shape, flg_arena *arena) {
  const size_t n = (size_t)shape->rows[0], other = (size_t)shape->rows[1];
  const size_t kept = (size_t)shape->kept[0];
  const size_t steps = (size_t)meeting->steps_most, rows = (size_t)meeting->row_count;
  meeting->ends = flg_arena_take(arena, (size_t)meeting->end_count, sizeof *meeting->ends);
  meeting->factored = flg_arena_take(arena, n * n, sizeof(double));
  meeting->bias[0] = flg_arena_take(arena, n, sizeof(double));
  meeting->bias[1] = flg_arena_take(arena, other, sizeof(double));
  meeting->forces[0] = flg_arena_take(arena, n, sizeof(double));
  meeting->forces[1] = flg_arena_take(arena, other, sizeof(double));
  meeting->turning[0] = flg_arena_take(arena, n, sizeof(double));
  meeting->turning[1] = flg_arena_take(arena, other, sizeof(double));
  meeting->driven = flg_arena_take(arena, n, sizeof(double));
  meeting->kicked = flg_arena_take(arena, n, sizeof(double));
  meeting->reactions = flg_arena_take(arena, rows * (1 + kept), sizeof(double));
  meeting->repeats = flg_arena_take(arena, rows, sizeof *meeting->repeats);
  meeting->record = flg_arena_take(arena, n * steps, sizeof(double));
  meeting->kicks = flg_arena_take(arena, n * steps, sizeof(double));
  meeting->sum = flg_arena_take(arena, n, sizeof(double));
  meeting->counter[0] = flg_arena_take(arena, other * steps, sizeof(double));
  meeting->counter[1] = flg_arena_take(arena, other * steps, sizeof(double));
  meeting->hit[0] = flg_arena_take(arena, n, sizeof(double));
  meeting->hit[1] = flg_arena_take(arena, other, sizeof(double));
  meeting->hit_move[0] = flg_arena_take(arena, n, sizeof(double));
  meeting->hit_move[1] = flg_arena_take(arena, other, sizeof(double));
  meeting->hits = flg_arena_take(arena, other * steps, sizeof(double));
  meeting->hit_moves = flg_arena_take(arena, other * steps, sizeof(double));
  meeting->counter_sum = flg_arena_take(arena, other, sizeof(double));
  meeting->work = flg_arena_take(arena, n, sizeof(double));
  meeting->body.levers = flg_arena_take(arena, other / PORT_ROWS, sizeof *meeting->body.levers);
  meeting->kept = flg_arena_take(arena, kept + (size_t)shape->kept[1], sizeof(int));
  meeting->mass = flg_arena_take(arena, rows * rows, sizeof(double));
  meeting->system = flg_arena_take(arena, rows * rows, sizeof(double));
  meeting->mass_work = flg_arena_take(arena, rows * (n + other + rows), sizeof(double));
}

static flg_status build_models(flg_meeting *meeting, const flg_elimination_shape *shape,
                               flg_error *error) {
  flg_interface_model **const models[2] = {&meeting->own, &meeting->rest};
  for (int k = 0; k < 2; k++) {
    const int n = shape->rows[k];
    void *memory = flg_arena_take(&meeting->arena, flg_interface_model_bytes(n), 1);
    const flg_status status = flg_interface_model_build(memory, n, n, models[k], error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

/* rows of own and rest: those that are touched, then those that stay; not elastic ones */
static int list_rows(const flg_elimination_shape *shape, int joined, int side, int *rows) {
  const int n = shape->touched[side] + shape->kept[side],
            last = PORT_ROWS * joined + shape->kept[side];
  int count = 0;
  for (int k = 0; k < n; k++) {
    if (k < PORT_ROWS * joined || k >= last) rows[count++] = k;
  }
  for (int k = PORT_ROWS * joined; k < last; k++) rows[count++] = k;
  return count;
}

static flg_status build_elimination(flg_meeting *meeting, const flg_elimination_shape *shape,
                                    flg_error *error) {
  const size_t n = (size_t)shape->rows[0] + (size_t)shape->rows[1];
  int *own = flg_arena_take(&meeting->arena, n, sizeof *own);
  int *rest = own + list_rows(shape, meeting->joined_count, 0, own);
  list_rows(shape, meeting->joined_count, 1, rest);
  const int *const touched[2] = {own, rest};
  const int *const kept[2] = {own + shape->touched[0], rest + shape->touched[1]};
  flg_elimination *e = &meeting->elimination;
  const flg_status status = flg_elimination_build(e, shape, touched, kept, &meeting->arena, error);
  for (int k = 0; k < PORT_ROWS && status == FLG_OK && shape->weld; k++) {
    e->G[0][k * (PORT_ROWS + 1)] = 1, e->G[1][k * (PORT_ROWS + 1)] = -1;
  }
  return status;
}

static size_t bytes_of(flg_meeting *meeting, const flg_elimination_shape *shape, size_t elastic) {
  const int *n = shape->rows;
  flg_arena measure = flg_arena_measure();
  lay_out(meeting, shape, &measure);
  return measure.used + flg_elimination_bytes(shape) +
         flg_meeting_elements_bytes(&meeting->elements, n[0], n[1], meeting->steps_most) + elastic +
         flg_arena_bytes(flg_interface_model_bytes(n[0]), 1) +
         flg_arena_bytes(flg_interface_model_bytes(n[1]), 1) +
         flg_arena_bytes((size_t)n[0] + (size_t)n[1], sizeof(int));
}

flg_status flg_meeting_build(flg_meeting *meeting, const flg_subsystem *subsystem, int index,
                             const flg_interface *interfaces, int interface_count,
                             const bool *driven, const flg_rest *rest, int steps_most,
                             flg_error *error) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  *meeting = (flg_meeting){.subsystem = subsystem, .steps = steps_most, .steps_most = steps_most};
  meeting->port_count = ops->ports(subsystem->self);
  meeting->joined_count = flg_joined_ports(subsystem);
  meeting->looks_back =
      ops->looks_back != NULL && ops->turning != NULL && ops->looks_back(subsystem->self);
  count(meeting, index, interfaces, interface_count, driven);
  const int own_rows = PORT_ROWS * meeting->port_count;
  flg_meeting_elements *elements = &meeting->elements;
  flg_meeting_elements_build(elements, index, interfaces, interface_count, driven, rest,
                             meeting->joint_rows, own_rows, steps_most, NULL);
  meeting->row_count = meeting->joint_rows + elements->count;
  const flg_elimination_shape shape = shape_of(meeting, rest);
  const size_t elastic = flg_meeting_elastic_bytes(rest);
  flg_status status = flg_arena_build(&meeting->arena, bytes_of(meeting, &shape, elastic), error);
  if (status != FLG_OK) return status;
  lay_out(meeting, &shape, &meeting->arena);
  fill_ends(meeting, index, interfaces, interface_count, driven);
  flg_meeting_elements_build(elements, index, interfaces, interface_count, driven, rest,
                             meeting->joint_rows, own_rows, steps_most, &meeting->arena);
  flg_meeting_elastic_build(&meeting->elastic, rest, &meeting->arena);
  status = build_models(meeting, &shape, error);
  if (status == FLG_OK) status = build_elimination(meeting, &shape, error);
  if (status != FLG_OK) flg_meeting_release(meeting);
  return status;
}

void flg_meeting_release(flg_meeting *meeting) {
  flg_arena_release(&meeting->arena);
  *meeting = (flg_meeting){0};
}
