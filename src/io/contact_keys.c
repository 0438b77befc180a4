#include "io/contact_keys.h"

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

static const flg_field material_fields[] = {
    {"friction", FLG_FIELD_NUMBER, offsetof(flg_material_keys, friction),
     "coefficient; of two materials that are no pair: the root of the product",
     .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0.5"},
    {"restitution", FLG_FIELD_NUMBER, offsetof(flg_material_keys, restitution),
     "speed after a hit by speed before; of two materials that are no pair: the larger",
     .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1, .fallback = "0"},
};
const flg_section flg_material_section = {
    "material",      "What shapes are made of.", sizeof(flg_material_keys),
    material_fields, COUNT(material_fields),     .example = "{friction: 0.5}"};

static const flg_field pair_fields[] = {
    {"between", FLG_FIELD_TEXTS, offsetof(flg_material_pair_keys, between),
     "two materials, or twice the same", .required = true, .size = 2},
    {"friction", FLG_FIELD_NUMBER, offsetof(flg_material_pair_keys, friction),
     "coefficient; as of any two materials if absent", .range = FLG_RANGE_NOT_NEGATIVE},
    {"restitution", FLG_FIELD_NUMBER, offsetof(flg_material_pair_keys, restitution),
     "as of any two materials if absent", .range = FLG_RANGE_BETWEEN, .least = 0, .most = 1},
};
static const flg_section pair_section = {"material pair",
                                         "What was measured of two materials.",
                                         sizeof(flg_material_pair_keys),
                                         pair_fields,
                                         COUNT(pair_fields),
                                         .example = "{between: [steel, ice], friction: 0.05}"};

static const flg_field touching_fields[] = {
    {"pairs", FLG_FIELD_LIST, offsetof(flg_touching_keys, pairs), "materials that meet",
     .section = &pair_section},
    {"apart", FLG_FIELD_PAIRS, offsetof(flg_touching_keys, apart),
     "what never touches, besides bodies that a joint connects: two names of shapes, bodies, "
     "body/shape, or of robots and components; world: the shapes of the ground"},
};
const flg_section flg_touching_section = {
    "contacts section", "Who touches whom, and how.", sizeof(flg_touching_keys),
    touching_fields,    COUNT(touching_fields),       .example = "{apart: [[left, right]]}"};

static const char *const friction_words[] = {"auto", "cone", "box", NULL};
static const char *const restitution_words[] = {"auto", "newton", "poisson", NULL};

#define SOLVED_FIELDS                                                                              \
  {"friction",                                                                                     \
   FLG_FIELD_CHOICE,                                                                               \
   offsetof(flg_contacts_keys, friction),                                                          \
   "cone: the same in all directions; box: along two tangents, each by itself, as in the papers; " \
   "auto: of a subsystem, as the scenario says; cone",                                             \
   .choices = friction_words,                                                                      \
   .fallback = "auto"},                                                                            \
      {"restitution",                                                                              \
       FLG_FIELD_CHOICE,                                                                           \
       offsetof(flg_contacts_keys, restitution),                                                   \
       "of materials is newton: speed after a hit by speed before, along the normal; poisson: "    \
       "impulse that turns around by impulse that stops; auto: of a subsystem, as the scenario "   \
       "says; newton",                                                                             \
       .choices = restitution_words,                                                               \
       .fallback = "auto"},                                                                        \
      {"capacity",                                                                                 \
       FLG_FIELD_INTEGER,                                                                          \
       offsetof(flg_contacts_keys, capacity),                                                      \
       "contact points of a subsystem at one time, at most; 0: 8 a shape, and 64",                 \
       .range = FLG_RANGE_BETWEEN,                                                                 \
       .least = 0,                                                                                 \
       .most = 10000000,                                                                           \
       .fallback = "0"},                                                                           \
      {"correction",                                                                               \
       FLG_FIELD_NUMBER,                                                                           \
       offsetof(flg_contacts_keys, correction),                                                    \
       "part of a penetration that is taken out in a step; 0.2 if absent",                         \
       .range = FLG_RANGE_BETWEEN,                                                                 \
       .least = 0,                                                                                 \
       .most = 1},                                                                                 \
  {                                                                                                \
    "material", FLG_FIELD_TEXT, offsetof(flg_contacts_keys, material),                             \
        "of shapes that have none; if absent: friction 0.5, restitution 0"                         \
  }

static const flg_field contacts_fields[] = {
    SOLVED_FIELDS,
    {"pairs", FLG_FIELD_LIST, offsetof(flg_contacts_keys, pairs),
     "materials that meet, of the scenario or of its models", .section = &pair_section},
};
const flg_section flg_contacts_section = {
    "scenario contacts section", "How contacts are solved.",
    sizeof(flg_contacts_keys),   contacts_fields,
    COUNT(contacts_fields),      .example = "{friction: cone}"};

static const flg_field subsystem_contacts_fields[] = {SOLVED_FIELDS};
const flg_section flg_subsystem_contacts_section = {
    "subsystem contacts section",     "How its contacts are solved, where that differs.",
    sizeof(flg_contacts_keys),        subsystem_contacts_fields,
    COUNT(subsystem_contacts_fields), .example = "{friction: cone}"};

static const flg_field ground_fields[] = {
    {"shapes", FLG_FIELD_LIST, offsetof(flg_ground_keys, shapes), "in the world, which do not move",
     .section = &flg_shape_section},
};
const flg_section flg_ground_section = {"ground",
                                        "What every subsystem stands on.",
                                        sizeof(flg_ground_keys),
                                        ground_fields,
                                        COUNT(ground_fields),
                                        .example = "{shapes: [{kind: plane}]}"};
