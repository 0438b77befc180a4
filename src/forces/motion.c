/* Prescribed motions: a coordinate c follows a function f of time, exactly.
 *
 *     c = f(t)      dc/dt = f'(t)      d2c/dt2 = f''(t)
 *
 * as a rigid row of the plan, whose reaction is the effort that the motion needs. f is a formula of
 * `time`, of sources, and of formulas of these, differentiated by rule; tables by their own curves.
 */
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

static const flg_field fields[] = {
    FLG_KEY(flg_driven_keys, on, TEXT,
            "the joint or sensor that moves; NAME.angle or NAME.slide where it has both",
            .required = true),
    FLG_KEY_AT(flg_driven_keys, signal, "follows", SIGNAL,
               "where its coordinate is, rad or m: an expression of `time` and of signals that "
               "depend on time alone (tables, quintics, sines, ramps, formulas of these)",
               .required = true),
};
const flg_section flg_motion_section =
    FLG_SECTION("motion", flg_driven_keys, fields,
                "A coordinate that follows a function of time, exactly; at the start it is moved "
                "there. Its effort is the one that this takes.",
                "{on: rail, follows: 0.2*sin(4*time)}");

static void motion_check(const flg_checked *own, const void *of) {
  const flg_component_element *element = of;
  char text[FLG_FORMULA_MESSAGE];
  const char *wrong = flg_formula_not_of_time(own->component, &element->signal, text);
  if (wrong == NULL) return;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "motion '%s' follows %s; a motion is a smooth function of time", own->head.name,
                  wrong);
}

static flg_jet motion_target(const flg_force *force, const flg_component *component, double time) {
  const flg_component_element *element = force->of;
  return flg_formula_over_time(component, &element->signal, time);
}

/* what its signals are made of is in the identity of the component */
static uint64_t motion_identity(const flg_force *force, uint64_t hash) {
  const flg_component_element *element = force->of;
  return flg_formula_identity(&element->signal, flg_identity(hash, "i", element->coordinate));
}

const flg_force_kind flg_motion_kind = {.name = "motion",
                                        .gives_energy = true,
                                        .keys = &flg_motion_section,
                                        .coordinate = offsetof(flg_component_element, coordinate),
                                        .rows = 1,
                                        .own_count = 2,
                                        .check = motion_check,
                                        .target = motion_target,
                                        .identity = motion_identity};
