/* Constant forces and moments on a frame, which events switch. */
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

static const char *const axes_words[] = {"world", "body", NULL};

static const flg_field force_fields[] = {
    FLG_KEY(flg_component_force_keys, body, TEXT, "the end that it acts on, as those of a joint"),
    FLG_KEY(flg_component_force_keys, at, VECTOR,
            "the point, in the frame of that end; its origin if absent", .size = 3, .unit = "m"),
    FLG_KEY(flg_component_force_keys, force, VECTOR, "0 if absent", .size = 3, .unit = "N"),
    FLG_KEY(flg_component_force_keys, moment, VECTOR, "0 if absent", .size = 3, .unit = "N m"),
    FLG_KEY(flg_component_force_keys, axes, CHOICE,
            "of force and moment; body: those of the body that it acts on, turning with it",
            .choices = axes_words, .fallback = "world"),
    FLG_KEY(flg_component_force_keys, enabled, FLAG, "from the start; events switch it",
            .fallback = "true"),
    FLG_KEY(flg_component_force_keys, on, TEXT,
            "in place of `body`: a coordinate, as that of a spring"),
    FLG_KEY(flg_component_force_keys, effort, NUMBER, "on that coordinate, N m or N"),
};
const flg_section flg_force_section =
    FLG_SECTION("component force", flg_component_force_keys, force_fields,
                "A constant force and moment on a body, or a constant effort on a coordinate.",
                "{body: cart, force: [10, 0, 0]}");

static void load_check(const flg_checked *own, const void *of) {
  const flg_component_load *load = of;
  flg_checked_pose(own, "frame", &load->at.pose);
}

/* state: whether it is there */
static void start_load(const flg_force *force, const double *value) {
  (void)value;
  force->state[0] = ((const flg_component_load *)force->of)->enabled;
}

static flg_spatial load_push(const flg_force *force, const flg_pose *frame) {
  const flg_component_load *load = force->of;
  /* Zero instead of leaving it out: the order of sums, and so the bits, stay the same. */
  if (force->state[0] == 0) return (flg_spatial){{0}, {0}};
  return load->follows ? flg_spatial_rotate(load->force, &frame->rotation) : load->force;
}

/* Not the state: whether an event has switched it is part of the run, not of the model. */
static uint64_t load_identity(const flg_force *force, uint64_t hash) {
  const flg_component_load *load = force->of;
  return flg_identity(hash, "iii pw", (int)load->follows, load->at.robot, load->at.body,
                      &load->at.pose, load->force);
}

const flg_force_kind flg_load_kind = {.name = "load",
                                      .gives_energy = true,
                                      .keys = &flg_force_section,
                                      .end = offsetof(flg_component_load, at),
                                      .ends = 1,
                                      .state_count = 1,
                                      .check = load_check,
                                      .start = start_load,
                                      .push = load_push,
                                      .identity = load_identity};
