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
#include "dynamics/relative.h"
#include "forces/force.h"
#include "forces/force_keys.h"
#include "math/identity.h"

typedef struct bushing_keys {
  flg_origin origin; /* as flg_framed_keys */
  flg_pair_keys pair;
  double stiffness[2][3], damping[2][3]; /* of displacements, of turns */
  bool implicit;
} bushing_keys;

#define NUMBERS(key, member, about, of_unit)                                                   \
  {                                                                                            \
    key, FLG_FIELD_VECTOR, offsetof(bushing_keys, member), about,                              \
        .size = 3, .range = FLG_RANGE_NOT_NEGATIVE, .unit = (of_unit), .fallback = "[0, 0, 0]" \
  }

static const flg_field fields[] = {
    {"between", FLG_FIELD_TEXTS, offsetof(bushing_keys, pair.between), FLG_ENDS_HELP,
     .required = true, .size = 2},
    FLG_PAIR_FIELDS(bushing_keys,
                    "direction in its frame that becomes z of both ends, of any length"),
    NUMBERS("stiffness", stiffness[0], "along x, y, z of the first end", "N/m"),
    NUMBERS("angular_stiffness", stiffness[1], "about x, y, z", "N m/rad"),
    NUMBERS("damping", damping[0], "along x, y, z of the first end", "N s/m"),
    NUMBERS("angular_damping", damping[1], "about x, y, z", "N m s/rad"),
    {"implicit", FLG_FIELD_FLAG, offsetof(bushing_keys, implicit),
     "linearly implicit in time: it does not bound the step", .fallback = "false"},
};
const flg_section flg_bushing_section = {
    "bushing",
    "Springs and dampers between two frames in all six directions, relaxed where the frames meet. "
    "Displacements are along the axes of the first end, turns are the components of the rotation "
    "vector from the first end to the second, up to half a turn.",
    sizeof(bushing_keys), fields, FLG_COUNT(fields)};

static const bushing_keys *keys_of(const void *of) {
  return ((const flg_component_element *)of)->keys;
}

enum { ROWS = 6 };

static void check(const flg_checked *own, const void *of) {
  const flg_component_element *element = of;
  const bushing_keys *keys = keys_of(of);
  for (int i = 0; i < ROWS; i++) {
    flg_checked_not_negative(own, i < 3 ? "stiffness" : "angular stiffness",
                             keys->stiffness[i / 3][i % 3]);
    flg_checked_not_negative(own, i < 3 ? "damping" : "angular damping",
                             keys->damping[i / 3][i % 3]);
  }
  const bool first = flg_checked_anchor(own, "first frame", &element->end[0]);
  if (flg_checked_anchor(own, "second frame", &element->end[1]) && first) {
    flg_checked_ends(own, element->end);
  }
}

static bool is_soft(const void *of, bool staged) {
  const bushing_keys *keys = keys_of(of);
  double most = 0;
  (void)staged;
  for (int i = 0; i < ROWS; i++)
    most += keys->stiffness[i / 3][i % 3] + keys->damping[i / 3][i % 3];
  return keys->implicit && most > 0;
}

/* 1 / r^2 - (1 + cos r) / (2 r sin r) = (1 - (r/2) cot(r/2)) / r^2, by its series near 0 */
static double second_order(double r) {
  if (r < 0.05) return 1. / 12 + r * r / 720 + r * r * r * r / 30240;
  return (1 - r / 2 / tan(r / 2)) / (r * r);
}

static void measure(const flg_moving_frame end[2], flg_constraint_row *rows) {
  const flg_mat3 *A = &end[0].pose.rotation;
  const flg_sight seen = flg_relative_sight(end);
  const flg_vec3 spin = flg_relative_turn(end).rate;
  const flg_mat3 turn = flg_mat3_multiply_transposed(A, &end[1].pose.rotation);
  const flg_vec3 r = flg_quat_log(flg_quat_from_matrix(&turn));
  const double angle[3] = {r.x, r.y, r.z}, c = second_order(flg_vec3_norm(r));
  for (int i = 0; i < 3; i++) {
    const flg_vec3 e = flg_mat3_column(A, i);
    rows[i] = (flg_constraint_row){flg_vec3_dot(e, seen.offset), flg_vec3_dot(e, seen.rate)};
    flg_relative_push(e, seen.offset, rows[i].side);
    /* the map of w, transposed, of the unit vector i */
    const flg_vec3 unit = {i == 0, i == 1, i == 2}, across = flg_vec3_cross(r, unit);
    const flg_vec3 n =
        flg_vec3_add_scaled(flg_vec3_add_scaled(unit, 0.5, across), c, flg_vec3_cross(r, across));
    const flg_vec3 about = flg_mat3_apply(A, n);
    rows[i + 3] = (flg_constraint_row){angle[i], flg_vec3_dot(about, spin)};
    flg_relative_twist(about, rows[i + 3].side);
  }
}

static void law(const flg_force *force, const double *value, flg_law *law) {
  const bushing_keys *keys = keys_of(force->of);
  for (int i = 0; i < ROWS; i++) {
    law[i].stiffness = keys->stiffness[i / 3][i % 3], law[i].damping = keys->damping[i / 3][i % 3];
    law[i].effort = -law[i].stiffness * value[i];
  }
}

static double energy(const flg_force *force, const double *value) {
  const bushing_keys *keys = keys_of(force->of);
  double sum = 0;
  for (int i = 0; i < ROWS; i++) sum += keys->stiffness[i / 3][i % 3] * value[i] * value[i] / 2;
  return sum;
}

static uint64_t identity(const flg_force *force, uint64_t hash) {
  const flg_component_element *element = force->of;
  const bushing_keys *keys = keys_of(element);
  const int implicit = keys->implicit;
  for (int e = 0; e < 2; e++) {
    const int at[] = {element->end[e].robot, element->end[e].body};
    hash = flg_identity_pose(flg_identity_integers(hash, at, 2), &element->end[e].pose);
  }
  hash = flg_identity_reals(flg_identity_integers(hash, &implicit, 1), keys->stiffness[0], ROWS);
  return flg_identity_reals(hash, keys->damping[0], ROWS);
}

const flg_force_kind flg_bushing_kind = {
    .name = "bushing",
    .keys = &flg_bushing_section,
    .end = offsetof(flg_component_element, end),
    .ends = 2,
    .rows = ROWS,
    .quantities = {{"displacement", "m", 0}, {"rotation", "rad", 3}},
    .check = check,
    .is_soft = is_soft,
    .measure = measure,
    .law = law,
    .energy = energy,
    .identity = identity};
