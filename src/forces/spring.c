/* Springs and dampers on a coordinate, with play or without (model/spring.h). */
#include "model/spring.h"

#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

static const flg_field spring_fields[] = {
    FLG_KEY(flg_component_spring_keys, between, TEXTS,
            "two ends as those of a joint: it acts along the line between their origins",
            .size = 2),
    FLG_KEY(flg_component_spring_keys, on, TEXT,
            "in place of `between`: a joint, sensor or spring; NAME.angle or NAME.slide where it "
            "has both (the angle if not said)"),
    FLG_KEY(flg_component_spring_keys, stiffness, NUMBER, "N/m or N m/rad",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0"),
    FLG_KEY(flg_component_spring_keys, damping, NUMBER, "N s/m or N m s/rad",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0"),
    FLG_KEY(flg_component_spring_keys, length, NUMBER,
            "of a spring between two ends, without load; as at the start if absent",
            .range = FLG_RANGE_NOT_NEGATIVE, .unit = "m"),
    FLG_KEY(flg_component_spring_keys, rest, NUMBER,
            "of a spring on a coordinate, without load, rad or m; as at the start if absent"),
    FLG_KEY(flg_component_spring_keys, preload, NUMBER,
            "a constant effort that makes the coordinate grow, N or N m", .fallback = "0"),
    FLG_KEY(flg_component_spring_keys, implicit, FLAG,
            "implicit in time in any step; else where steps are too long for it",
            .fallback = "false"),
};
const flg_section flg_spring_section =
    FLG_SECTION("spring", flg_component_spring_keys, spring_fields,
                "A spring and damper: effort = preload - stiffness (c - rest) - damping dc/dt.",
                "{on: rail, stiffness: 100}");

static void spring_check(const flg_checked *own, const void *of) {
  const flg_component_spring *spring = of;
  const flg_component_coordinate *on = &own->component->coordinates[spring->coordinate];
  /* A sum has no frames of its own; those of its parts were checked with them. */
  if (on->kind != FLG_COORDINATE_SUM) flg_checked_ends(own, on->end);
}

static bool spring_is_soft(const void *of, bool staged) {
  const flg_component_spring *spring = of;
  (void)staged;
  return spring->implicit && (spring->stiffness > 0 || spring->damping > 0);
}

/* play ends within a step */
static bool spring_is_even(const void *of) {
  return !(((const flg_component_spring *)of)->slack > 0);
}

/* own: where it rests */
static void spring_start(const flg_force *force, const double *value) {
  const flg_component_spring *spring = force->of;
  force->own[0] = isnan(spring->rest) ? value[0] : spring->rest;
}

static void spring_law(const flg_force *force, const double *value, flg_law *law) {
  const flg_component_spring *spring = force->of;
  const double away = value[0] - force->own[0];
  /* Within its play a spring has neither stiffness nor damping, and must not soften the step. */
  const bool acts = flg_spring_acts(spring, away);
  *law = (flg_law){.effort = flg_spring_effort(spring, away, 0),
                   .stiffness = acts ? spring->stiffness : 0,
                   .damping = acts ? spring->damping : 0};
}

static double spring_energy(const flg_force *force, const double *value) {
  return flg_spring_energy(force->of, value[0] - force->own[0], value[0]);
}

static uint64_t spring_identity(const flg_force *force, uint64_t hash) {
  const flg_component_spring *spring = force->of;
  return flg_identity(hash, "ii rrrrr", spring->coordinate, (int)spring->implicit,
                      spring->stiffness, spring->damping, spring->preload, force->own[0],
                      spring->slack);
}

const flg_force_kind flg_spring_kind = {.name = "spring",
                                        .keys = &flg_spring_section,
                                        .coordinate = offsetof(flg_component_spring, coordinate),
                                        .rows = 1,
                                        .own_count = 1,
                                        .check = spring_check,
                                        .is_soft = spring_is_soft,
                                        .is_even = spring_is_even,
                                        .start = spring_start,
                                        .law = spring_law,
                                        .energy = spring_energy,
                                        .identity = spring_identity};
