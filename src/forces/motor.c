/* Motors and efforts on a coordinate, which signals drive (model/block.h). */
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

#define ON(type)                                                                                \
  FLG_KEY(                                                                                      \
      type, on, TEXT,                                                                           \
      "the joint, sensor or spring that it drives; NAME.angle or NAME.slide where it has both", \
      .required = true)

static const flg_field motor_fields[] = {
    ON(flg_motor_keys),
    FLG_KEY(flg_motor_keys, voltage, SIGNAL, "V", .required = true),
    FLG_KEY(flg_motor_keys, resistance, NUMBER, "R, in Ohm", .required = true,
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_motor_keys, inductance, NUMBER, "L, in H", .range = FLG_RANGE_NOT_NEGATIVE,
            .fallback = "0"),
    FLG_KEY(flg_motor_keys, torque_constant, NUMBER, "kt, N m/A, or N/A on a slide",
            .required = true),
    FLG_KEY(flg_motor_keys, back_emf, NUMBER,
            "ke, V s/rad or V s/m; as `torque_constant` if absent"),
    FLG_LIMIT_FIELD(flg_motor_keys, "of the voltage"),
    FLG_KEY(flg_motor_keys, current, NUMBER, "at the start, in A; of a motor with inductance",
            .fallback = "0"),
};
const flg_section flg_motor_section =
    FLG_SECTION("motor", flg_motor_keys, motor_fields,
                "A DC motor on a coordinate c: L di/dt = V - R i - ke dc/dt, effort = kt i. A "
                "positive effort makes the coordinate grow. No inductance is too small for a step.",
                "{on: shaft, voltage: 12, resistance: 1.2, torque_constant: 0.3}");

static const flg_field effort_fields[] = {
    ON(flg_effort_keys),
    FLG_KEY(flg_effort_keys, effort, SIGNAL, "that makes the coordinate grow, N m or N",
            .required = true),
    FLG_LIMIT_FIELD(flg_effort_keys, "of the effort"),
};
const flg_section flg_effort_section =
    FLG_SECTION("effort", flg_effort_keys, effort_fields,
                "A torque or force on a coordinate that a signal drives, without delay.",
                "{on: shaft, effort: 10*(goal - shaft)}");

/* --- motors --------------------------------------------------------------------------------- */

static void check_motor(const flg_checked *own, const void *of) {
  const flg_motor *motor = of;
  flg_checked_limit(own, motor->limit);
  if (motor->resistance == 0 && motor->inductance == 0) {
    flg_checked_tell(own, "has no resistance and no inductance; one of them must be positive");
  }
  /* Its back-emf would add to the voltage: a negative damping, which grows without end. */
  if (motor->torque_constant * motor->back_emf < 0) {
    flg_checked_tell(
        own, "would drive itself: its torque constant and its back-emf have opposite signs");
  }
}

/* those that their speed slows down are implicit in it */
/* Stages of rk4 see the speed at which they are evaluated, and need no damping ahead. */
static bool motor_is_soft(const void *of, bool staged) {
  const flg_motor *motor = of;
  return !staged && motor->torque_constant * motor->back_emf > 0;
}

/* own: effort and damping, as the step of its current has them */
static void law_of_motor(const flg_force *force, const double *value, flg_law *law) {
  (void)value;
  *law = (flg_law){.effort = force->own[0], .damping = force->own[1]};
}

static uint64_t identity_of_motor(const flg_force *force, uint64_t hash) {
  const flg_motor *motor = force->of;
  hash = flg_identity(hash, "i Rrrrr", motor->coordinate, motor->limit, 2, motor->resistance,
                      motor->inductance, motor->torque_constant, motor->back_emf);
  return flg_formula_identity(&motor->voltage, hash);
}

const flg_force_kind flg_motor_kind = {.name = "motor",
                                       .gives_energy = true,
                                       .keys = &flg_motor_section,
                                       .coordinate = offsetof(flg_motor, coordinate),
                                       .rows = 1,
                                       .own_count = 2,
                                       .check = check_motor,
                                       .is_soft = motor_is_soft,
                                       .law = law_of_motor,
                                       .identity = identity_of_motor};

/* --- efforts -------------------------------------------------------------------------------- */

static void check_effort(const flg_checked *own, const void *of) {
  const flg_effort *effort = of;
  flg_checked_limit(own, effort->limit);
}

/* own: what its signal is now */
static void law_of_effort(const flg_force *force, const double *value, flg_law *law) {
  (void)value;
  *law = (flg_law){.effort = force->own[0]};
}

static uint64_t identity_of_effort(const flg_force *force, uint64_t hash) {
  const flg_effort *effort = force->of;
  hash = flg_identity(hash, "iR", effort->coordinate, effort->limit, 2);
  return flg_formula_identity(&effort->effort, hash);
}

const flg_force_kind flg_effort_kind = {.name = "effort",
                                        .gives_energy = true,
                                        .keys = &flg_effort_section,
                                        .coordinate = offsetof(flg_effort, coordinate),
                                        .rows = 1,
                                        .own_count = 1,
                                        .check = check_effort,
                                        .law = law_of_effort,
                                        .identity = identity_of_effort};
