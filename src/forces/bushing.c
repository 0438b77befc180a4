/* Bushings: springs and dampers in all six directions between two frames A and B.
 *
 *     d = A^T (x_B - x_A)            displacement, along the axes of A
 *     r = log(A^T B)                 rotation vector, in the axes of A and of B alike, |r| <= pi
 *
 * Each of the six numbers has a stiffness and a damping of its own; relaxed where A and B meet.
 * With w the angular velocity of B against A, in axes of A,
 *
 *     r' = w - r x w / 2 + c r x (r x w)       c = 1 / r^2 - (1 + cos r) / (2 r sin r)
 *
 * so that the moment that belongs to r is the transposed of that map, and energy is kept at any
 * angle. Seen from B, r is -r: a bushing with one stiffness for all displacements, and no damping
 * of them, is the same with its ends exchanged. Otherwise the first end is the one whose axes
 * count.
 */
#include "forces/bushing_kernels.h"
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

#define NUMBERS(key, type, member, about, of_unit, default_to)                                  \
  {                                                                                             \
    key, FLG_FIELD_VECTOR, offsetof(type, member), about,                                       \
        .size = 3, .range = FLG_RANGE_NOT_NEGATIVE, .unit = (of_unit), .fallback = (default_to) \
  }

#define ALL_NUMBERS(type, default_to)                                                         \
  NUMBERS("stiffness", type, numbers.stiffness[0], "along x, y, z of the first end", "N/m",   \
          default_to),                                                                        \
      NUMBERS("angular_stiffness", type, numbers.stiffness[1], "about x, y, z", "N m/rad",    \
              default_to),                                                                    \
      NUMBERS("damping", type, numbers.damping[0], "along x, y, z of the first end", "N s/m", \
              default_to),                                                                    \
      NUMBERS("angular_damping", type, numbers.damping[1], "about x, y, z", "N m s/rad",      \
              default_to),                                                                    \
      FLG_KEY_AT(type, numbers.implicit, "implicit", FLAG,                                    \
                 "implicit in time in any step; else where steps are too long for it",        \
                 .fallback = "false")

/* without defaults, which would say that it is given */
static const flg_field interface_fields[] = {ALL_NUMBERS(flg_interface_bushing_keys, NULL)};
const flg_section flg_interface_bushing_section = FLG_SECTION(
    "interface bushing", flg_interface_bushing_keys, interface_fields,
    "Springs and dampers in all six directions in place of a joint; those that are absent are 0.",
    "{stiffness: [1e5, 1e5, 1e4]}");

static const flg_field fields[] = {
    FLG_KEY_AT(flg_bushing_keys, pair.between, "between", TEXTS, FLG_ENDS_HELP, .required = true,
               .size = 2),
    FLG_PAIR_FIELDS(flg_bushing_keys,
                    "direction in its frame that becomes z of both ends, of any length"),
    ALL_NUMBERS(flg_bushing_keys, "[0, 0, 0]"),
};
const flg_section flg_bushing_section = FLG_SECTION(
    "bushing", flg_bushing_keys, fields,
    "Springs and dampers between two frames in all six directions, relaxed where the frames meet. "
    "Displacements are along the axes of the first end, turns are the components of the rotation "
    "vector from the first end to the second, up to half a turn.",
    "{between: [frame, motor], stiffness: [1e5, 1e5, 1e4]}");

/* Bushings of components and of interfaces have the same numbers under different keys. */
static const flg_bushing_numbers *numbers_of(const void *of) {
  const flg_bushing_keys *keys = ((const flg_component_element *)of)->keys;
  return &keys->numbers;
}

enum { ROWS = 6 };

static void bushing_check(const flg_checked *own, const void *of) {
  const flg_component_element *element = of;
  flg_checked_poses(own, element->end);
  flg_checked_ends(own, element->end);
}

static bool bushing_is_soft(const void *of, bool staged) {
  const flg_bushing_numbers *keys = numbers_of(of);
  double most = 0;
  (void)staged;
  /* A bushing of zeros has no row: a soft row without stiffness would be singular. */
  for (int i = 0; i < ROWS; i++)
    most += keys->stiffness[i / 3][i % 3] + keys->damping[i / 3][i % 3];
  return keys->implicit && most > 0;
}

/* A linear law is the same over the whole step: no search within the step is needed. */
static bool bushing_is_even(const void *of) {
  (void)of;
  return true;
}

static void bushing_law(const flg_force *force, const double *value, flg_law *law) {
  const flg_bushing_numbers *keys = numbers_of(force->of);
  for (int i = 0; i < ROWS; i++) {
    law[i].stiffness = keys->stiffness[i / 3][i % 3], law[i].damping = keys->damping[i / 3][i % 3];
    law[i].effort = -law[i].stiffness * value[i];
  }
}

/* The rotation vector is a coordinate like the others, so its energy is quadratic at any angle. */
static double bushing_energy(const flg_force *force, const double *value) {
  const flg_bushing_numbers *keys = numbers_of(force->of);
  double sum = 0;
  for (int i = 0; i < ROWS; i++) sum += keys->stiffness[i / 3][i % 3] * value[i] * value[i] / 2;
  return sum;
}

static uint64_t bushing_identity(const flg_force *force, uint64_t hash) {
  const flg_component_element *element = force->of;
  const flg_bushing_numbers *keys = numbers_of(element);
  for (int e = 0; e < 2; e++) {
    const flg_anchor *end = &element->end[e];
    hash = flg_identity(hash, "iip", end->robot, end->body, &end->pose);
  }
  return flg_identity(hash, "i RR", (int)keys->implicit, keys->stiffness[0], ROWS, keys->damping[0],
                      ROWS);
}

const flg_force_kind flg_bushing_kind = {
    .name = "bushing",
    .keys = &flg_bushing_section,
    .end = offsetof(flg_component_element, end),
    .ends = 2,
    .rows = ROWS,
    .quantities = {{"displacement", "m", 0}, {"rotation", "rad", 3}},
    .check = bushing_check,
    .is_soft = bushing_is_soft,
    .is_even = bushing_is_even,
    .measure = flg_bushing_measure,
    .law = bushing_law,
    .energy = bushing_energy,
    .identity = bushing_identity};
