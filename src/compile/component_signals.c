#include "compile/component_signals.h"

#include <string.h>

#include "assembly/assembly_inner.h"
#include "compile/source_text.h"

/* as in mechanism_signals.h: quantities of frames come first, in their order */
enum { OF_FRAMES = 4, VALUE = OF_FRAMES, RATE, EFFORT, OF_BUSHINGS };

static int bushings_before(const flg_assembly *assembly, int force) {
  int count = 0;
  for (int k = 0; k < force; k++) {
    count += assembly->model.forces[k].force.kind == &flg_bushing_kind;
  }
  return count;
}

static int springs_before(const flg_assembly *assembly, int force) {
  int count = 0;
  for (int k = 0; k < force; k++) {
    count += assembly->model.forces[k].force.kind == &flg_spring_kind;
  }
  return count;
}

/* of one coordinate or two: position, velocity */
static bool take_coordinates(flg_component_signal *to, flg_force_tables *tables, const int *of,
                             int count, int quantity) {
  if (count == 0 || quantity > 1) return false;
  to->what = VALUE + quantity;
  to->first = flg_force_tables_need(tables, of[0]);
  to->second = count > 1 ? flg_force_tables_need(tables, of[1]) : -1;
  return true;
}

bool flg_mechanism_signal_take(void *context, flg_component_signal *to, const flg_source *source,
                               int quantity) {
  flg_force_tables *tables = context;
  const flg_assembly *assembly = tables->assembly;
  const flg_component_joint *joint;
  const flg_force_kind *kind;
  switch (source->kind) {
    case FLG_SOURCE_FRAME:
      to->what = quantity, to->first = source->anchor.of == NULL ? -1 : source->anchor.part;
      flg_vec3_store(source->anchor.pose.position, to->pose);
      memcpy(to->pose + 3, source->anchor.pose.rotation.m, 9 * sizeof(double));
      return quantity < OF_FRAMES;
    case FLG_SOURCE_JOINT:
      joint = &assembly->model.component->joints[source->first];
      return take_coordinates(to, tables, joint->coordinate,
                              flg_constraint_kinds[joint->kind].coordinate_count, quantity);
    case FLG_SOURCE_COORDINATES:
      return take_coordinates(to, tables, &source->first, 1, quantity);
    case FLG_SOURCE_SPRING:
      if (quantity < 2) {
        const int on = assembly->model.forces[source->first].coordinate;
        return take_coordinates(to, tables, &on, 1, quantity);
      }
      to->what = EFFORT, to->first = springs_before(assembly, source->first);
      return assembly->model.forces[source->first].force.kind == &flg_spring_kind;
    case FLG_SOURCE_FRAMED:
      kind = assembly->model.forces[source->first].force.kind;
      to->what = OF_BUSHINGS + quantity, to->first = bushings_before(assembly, source->first);
      return kind == &flg_bushing_kind;
    default:
      return false;
  }
}

/* how names become signals */
typedef struct finder {
  flg_assembly *assembly;
  flg_signal_taker *take;
  void *context;
} finder;

/* the object of a path, and of its quantities the one of that word: true if it can be told */
static bool find_signal(const finder *of, flg_component_signal *to, const char *word) {
  const flg_assembly_objects *objects = of->assembly->model.objects;
  for (int k = 0; k < objects->count; k++) {
    const flg_object *object = &objects->list[k];
    if (strcmp(object->path, to->path) != 0) continue;
    for (int q = 0; q < object->quantity_count; q++) {
      const char *own = object->quantities[q].word;
      if (strcmp(own == NULL ? "" : own, word) != 0) continue;
      to->quantity = &object->quantities[q];
      return of->take(of->context, to, &objects->sources[k], q);
    }
    return false;
  }
  return false;
}

static bool is_there(const flg_component_signals *of, const flg_component_signal *signal) {
  for (int k = 0; k < of->count; k++) {
    const flg_component_signal *own = &of->list[k];
    if (strcmp(own->path, signal->path) == 0 && own->quantity == signal->quantity) return true;
  }
  return false;
}

/* behind the last of its path: the interface makes one object of them */
static void insert_signal(flg_component_signals *of, const flg_component_signal *signal) {
  int at = of->count;
  if (is_there(of, signal)) return;
  while (at > 0 && strcmp(of->list[at - 1].path, signal->path) != 0) at--;
  if (at == 0) at = of->count;
  memmove(of->list + at + 1, of->list + at, (size_t)(of->count - at) * sizeof *of->list);
  of->list[at] = *signal;
  of->count++;
}

static void add_signal(flg_component_signals *to, const finder *of, const char *name,
                       flg_region *region, flg_mistakes *mistakes) {
  flg_component_signal signal = {.path = name, .second = -1};
  /* the path alone, where that is the signal; else up to the last dot: names may have dots */
  if (find_signal(of, &signal, "")) {
    insert_signal(to, &signal);
    return;
  }
  const char *dot = strrchr(name, '.');
  if (dot != NULL) signal.path = flg_region_text(region, name, (size_t)(dot - name));
  if (region->failed) return;
  if (dot != NULL && find_signal(of, &signal, dot + 1)) {
    insert_signal(to, &signal);
    return;
  }
  flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){.file = of->assembly->model.component->file},
                  "signal '%s' is none of a library; bodies, markers and ports have position, "
                  "orientation, velocity and angular_velocity, joints and sensors position and "
                  "velocity, springs also effort, bushings displacement, rotation, force and "
                  "moment; of those that step by rk4 also signals, motors and efforts",
                  name);
}

void flg_component_signals_find(flg_component_signals *of, const char *const *names, int count,
                                flg_assembly *assembly, flg_signal_taker *take, void *context,
                                flg_region *region, flg_mistakes *mistakes) {
  const finder found = {assembly, take, context};
  flg_error error;
  *of =
      (flg_component_signals){.list = flg_region_take(region, (size_t)count + 1, sizeof *of->list)};
  if (count == 0 || region->failed) return;
  if (flg_assembly_objects_build(assembly, &error) != FLG_OK) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "%s", error.message);
    return;
  }
  for (int k = 0; k < count && !region->failed; k++) {
    add_signal(of, &found, names[k], region, mistakes);
  }
}

void flg_component_signals_write_table(const flg_component_signals *of, const char *first,
                                       FILE *out) {
  fprintf(out, "static const flg_plugin_signal signal_table[] = {%s", first);
  for (int k = 0; k < of->count; k++) {
    const flg_component_signal *own = &of->list[k];
    fputs("{", out);
    flg_text_string(own->path, out);
    fputs(", ", out);
    if (own->quantity->word == NULL) {
      fputs("NULL", out);
    } else {
      flg_text_string(own->quantity->word, out);
    }
    fputs(", ", out);
    flg_text_string(own->quantity->unit, out);
    fprintf(out, ", %d}, ", own->quantity->width);
  }
  fputs("{NULL, NULL, NULL, 0}};\n", out);
}

void flg_component_signals_write(const flg_component_signals *of, flg_number_tables *numbers,
                                 FILE *out) {
  flg_region *region = numbers->region;
  int *columns[3] = {0};
  fprintf(out, "#define SIGNALS %d\n", of->count);
  if (of->count == 0) return;
  for (int c = 0; c < 3; c++) {
    columns[c] = flg_region_take(region, (size_t)of->count, sizeof(int));
  }
  double *poses = flg_number_tables_add(numbers, "signal_poses", of->count, 12);
  if (region->failed) return;
  flg_component_signals_write_table(of, "{\"fallbacks\", NULL, \"\", 1}, ", out);
  for (int k = 0; k < of->count; k++) {
    const flg_component_signal *own = &of->list[k];
    columns[0][k] = own->what, columns[1][k] = own->first, columns[2][k] = own->second;
    memcpy(poses + 12 * (size_t)k, own->pose, sizeof own->pose);
  }
  flg_text_integers("signal_whats", columns[0], of->count, out);
  flg_text_integers("signal_firsts", columns[1], of->count, out);
  flg_text_integers("signal_seconds", columns[2], of->count, out);
}
