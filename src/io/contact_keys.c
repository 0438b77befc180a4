#include "io/contact_keys.h"

static const flg_field material_fields[] = {
    FLG_KEY(flg_material_keys, friction, NUMBER,
            "coefficient; of two materials that are no pair: the root of the product",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0.5"),
    FLG_KEY(flg_material_keys, restitution, NUMBER,
            "speed after a hit by speed before; of two materials that are no pair: the larger",
            .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1, .fallback = "0"),
};
const flg_section flg_material_section = FLG_SECTION("material", flg_material_keys, material_fields,
                                                     "What shapes are made of.", "{friction: 0.5}");

static const flg_field pair_fields[] = {
    FLG_KEY(flg_material_pair_keys, between, TEXTS, "two materials, or twice the same",
            .required = true, .size = 2),
    FLG_KEY(flg_material_pair_keys, friction, NUMBER,
            "coefficient; as of any two materials if absent", .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_material_pair_keys, restitution, NUMBER, "as of any two materials if absent",
            .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1),
};
static const flg_section pair_section =
    FLG_SECTION("material pair", flg_material_pair_keys, pair_fields,
                "What was measured of two materials.", "{between: [steel, ice], friction: 0.05}");

static const flg_field touching_fields[] = {
    FLG_KEY(flg_touching_keys, pairs, LIST, "materials that meet", .section = &pair_section),
    FLG_KEY(flg_touching_keys, apart, PAIRS,
            "what never touches, besides bodies that a joint connects: two names of shapes, "
            "bodies, body/shape, or of robots and components; world: the shapes of the ground"),
};
const flg_section flg_touching_section =
    FLG_SECTION("contacts section", flg_touching_keys, touching_fields,
                "Which shapes touch, and how.", "{apart: [[left, right]]}");

static const char *const friction_words[] = {"auto", "cone", "box", NULL};
static const char *const restitution_words[] = {"auto", "newton", "poisson", NULL};

#define SOLVED_FIELDS                                                                             \
  FLG_KEY(flg_contacts_keys, friction, CHOICE,                                                    \
          "cone: the same in all directions; box: along two tangents, each by itself, as in the " \
          "papers; auto: of a subsystem, as the scenario says; cone",                             \
          .choices = friction_words, .fallback = "auto"),                                         \
      FLG_KEY(flg_contacts_keys, restitution, CHOICE,                                             \
              "of materials is newton: speed after a hit by speed before, along the normal; "     \
              "poisson: impulse that turns around by impulse that stops; auto: of a subsystem, "  \
              "as the scenario says; newton",                                                     \
              .choices = restitution_words, .fallback = "auto"),                                  \
      FLG_KEY(flg_contacts_keys, capacity, INTEGER,                                               \
              "contact points of a subsystem at one time, at most; 0: 8 a shape, and 64",         \
              .range = FLG_RANGE_BETWEEN, .least = 0, .most = 10000000, .fallback = "0"),         \
      FLG_KEY(flg_contacts_keys, correction, NUMBER,                                              \
              "part of a penetration that is taken out in a step; 0.2 if absent",                 \
              .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1),                                 \
      FLG_KEY(flg_contacts_keys, material, TEXT,                                                  \
              "of shapes that have none; if absent: friction 0.5, restitution 0")

static const flg_field contacts_fields[] = {
    SOLVED_FIELDS,
    FLG_KEY(flg_contacts_keys, pairs, LIST, "materials that meet, of the scenario or of its models",
            .section = &pair_section),
};
const flg_section flg_contacts_section =
    FLG_SECTION("scenario contacts section", flg_contacts_keys, contacts_fields,
                "How contacts are solved.", "{friction: cone}");

static const flg_field subsystem_contacts_fields[] = {SOLVED_FIELDS};
const flg_section flg_subsystem_contacts_section =
    FLG_SECTION("subsystem contacts section", flg_contacts_keys, subsystem_contacts_fields,
                "How its contacts are solved, where that differs.", "{friction: cone}");

static const flg_field ground_fields[] = {
    FLG_KEY(flg_ground_keys, shapes, LIST, "in the world, which do not move",
            .section = &flg_shape_section),
};
const flg_section flg_ground_section =
    FLG_SECTION("ground", flg_ground_keys, ground_fields, "What every subsystem stands on.",
                "{shapes: [{kind: plane}]}");
