#include "compile/robot_signals.h"

#include <string.h>

/* quantities of joints and of frames; units of turns and of slides */
static const struct quantity {
  const char *word, *unit, *slide_unit;
  flg_signal_what what;
  int width; /* 0: as many as the joint has */
} quantities[] = {{"position", "rad", "m", FLG_SIGNAL_POSITION, 0},
                  {"velocity", "rad/s", "m/s", FLG_SIGNAL_VELOCITY, 0},
                  {"effort", "N m", "N", FLG_SIGNAL_EFFORT, 0},
                  {"position", "m", NULL, FLG_SIGNAL_FRAME_POSITION, 3},
                  {"orientation", "", NULL, FLG_SIGNAL_FRAME_ORIENTATION, 4},
                  {"velocity", "m/s", NULL, FLG_SIGNAL_FRAME_VELOCITY, 3},
                  {"angular_velocity", "rad/s", NULL, FLG_SIGNAL_FRAME_SPIN, 3}};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static const struct quantity *robot_signals_find_quantity(const char *word, bool of_joint) {
  for (int k = 0; k < QUANTITIES; k++) {
    const bool is_joint = quantities[k].what <= FLG_SIGNAL_EFFORT;
    if (is_joint == of_joint && strcmp(quantities[k].word, word) == 0) return &quantities[k];
  }
  return NULL;
}

/* Joints that mix slides and turns, and quaternions, have no unit for all of their numbers: it is
 * empty. */
static bool robot_signals_add_joint(flg_robot_signals *to, const flg_robot_source *source,
                                    const char *path, const char *word) {
  const int joint = flg_model_joint(source->model, path);
  const struct quantity *of = robot_signals_find_quantity(word, true);
  /* a joint without a link is fixed: it has no coordinate */
  if (joint < 0 || of == NULL || source->robot->joint_links[joint] < 0) return false;
  const flg_link *link = &source->robot->links[source->robot->joint_links[joint]];
  const bool is_position = of->what == FLG_SIGNAL_POSITION;
  const int mixed = link->displacement_count > 0 && link->displacement_count < link->velocity_count;
  const bool is_plain = !mixed && link->kind != FLG_JOINT_BALL;
  to->list[to->count++] = (flg_robot_signal){
      .path = path,
      .quantity = of->word,
      .unit = !is_plain                      ? ""
              : link->displacement_count > 0 ? of->slide_unit
                                             : of->unit,
      .what = of->what,
      .index = is_position ? link->position : link->velocity,
      .width = is_position ? flg_joint_kind_positions(link->kind) : link->velocity_count};
  return true;
}

/* a body, a marker, or body/marker */
static bool robot_signals_find_frame(const flg_robot_source *source, const char *path,
                                     flg_link_anchor *anchor) {
  const flg_model *model = source->model;
  const int body = flg_model_body(model, path);
  if (body >= 0) {
    *anchor = source->robot->anchors[body];
    return true;
  }
  /* markers of the ground are 'world/name' */
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    const char *owner = frame->body < 0 ? "world" : model->bodies[frame->body].name;
    const size_t length = strlen(owner);
    const bool is_long = strncmp(path, owner, length) == 0 && path[length] == '/' &&
                         strcmp(path + length + 1, frame->name) == 0;
    if (!is_long && strcmp(path, frame->name) != 0) continue;
    *anchor = (flg_link_anchor){FLG_WORLD, frame->pose};
    if (frame->body >= 0) {
      *anchor = flg_robot_anchor(source->robot, frame->body, &frame->pose, NULL);
    }
    return true;
  }
  return false;
}

static bool add_frame_signals(flg_robot_signals *to, const flg_robot_source *source,
                              const char *path, const char *word) {
  const struct quantity *of = robot_signals_find_quantity(word, false);
  flg_link_anchor anchor;
  if (of == NULL || !robot_signals_find_frame(source, path, &anchor)) return false;
  to->frames[to->frame_count] = anchor;
  to->list[to->count++] = (flg_robot_signal){.path = path,
                                             .quantity = of->word,
                                             .unit = of->unit,
                                             .what = of->what,
                                             .index = to->frame_count++,
                                             .width = of->width};
  return true;
}

static void robot_signals_add(flg_robot_signals *to, const flg_robot_source *source,
                              const char *name, flg_region *region, flg_mistakes *mistakes) {
  /* the last dot: names of bodies may have dots in them */
  const char *dot = strrchr(name, '.');
  const char *path = dot == NULL ? name : flg_region_text(region, name, (size_t)(dot - name));
  if (path == NULL) return;
  if (dot != NULL && (robot_signals_add_joint(to, source, path, dot + 1) ||
                      add_frame_signals(to, source, path, dot + 1)))
    return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){.file = source->model->file},
                  "signal '%s' does not exist; joints have position, velocity and effort, bodies "
                  "and markers position, orientation, velocity and angular_velocity",
                  name);
}

/* signals of one path follow each other: the interface makes one object of them */
static void sort_signals(flg_robot_signals *signals) {
  for (int k = 1; k < signals->count; k++) {
    int same = k - 1;
    while (same >= 0 && strcmp(signals->list[same].path, signals->list[k].path) != 0) same--;
    if (same < 0 || same == k - 1) continue;
    const flg_robot_signal moved = signals->list[k];
    for (int i = k; i > same + 1; i--) signals->list[i] = signals->list[i - 1];
    signals->list[same + 1] = moved;
  }
}

void flg_robot_signals_find(flg_robot_signals *signals, const flg_robot_source *source,
                            flg_region *region, flg_mistakes *mistakes) {
  const size_t most = (size_t)source->signal_count;
  *signals = (flg_robot_signals){0};
  signals->list = flg_region_take(region, most, sizeof *signals->list);
  signals->frames = flg_region_take(region, most, sizeof *signals->frames);
  if (region->failed) return;
  for (int k = 0; k < source->signal_count; k++) {
    robot_signals_add(signals, source, source->signals[k], region, mistakes);
  }
  sort_signals(signals);
}
