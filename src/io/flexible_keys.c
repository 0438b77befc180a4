#include "io/flexible_keys.h"

#include "text/document.h"

static const char *const section_words[] = {"circle", "tube", "rectangle", "given", NULL};

static const flg_field section_fields[] = {
    FLG_KEY(flg_beam_section_keys, kind, CHOICE, "what it looks like", .choices = section_words,
            .fallback = "circle"),
    FLG_KEY(flg_beam_section_keys, diameter, NUMBER, "of a circle or a tube, outside", .unit = "m",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_section_keys, wall, NUMBER, "of a tube", .unit = "m",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_section_keys, size, VECTOR, "of a rectangle, along y and along z", .size = 2,
            .unit = "m", .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_section_keys, area, NUMBER, "of a given section", .unit = "m^2",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_section_keys, along_y, NUMBER,
            "of a given section: integral of y^2, which resists bending along y", .unit = "m^4",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_section_keys, along_z, NUMBER,
            "of a given section: integral of z^2, which resists bending along z", .unit = "m^4",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_section_keys, torsion, NUMBER,
            "of a given section: torsion constant; along_y + along_z if absent", .unit = "m^4",
            .range = FLG_RANGE_POSITIVE),
};
static const flg_section section_section =
    FLG_SECTION("section", flg_beam_section_keys, section_fields, "The section of a beam.",
                "{kind: tube, diameter: 0.1, wall: 0.005}");

static const flg_field piece_fields[] = {
    FLG_KEY(flg_beam_piece_keys, length, NUMBER, "along the beam", .required = true, .unit = "m",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_piece_keys, section, SECTION, "of this piece", .section = &section_section),
    FLG_KEY(flg_beam_piece_keys, young, NUMBER, "modulus; that of the beam if absent", .unit = "Pa",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_piece_keys, shear, NUMBER, "modulus; that of the beam if absent", .unit = "Pa",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_beam_piece_keys, density, NUMBER, "that of the beam if absent", .unit = "kg/m^3",
            .range = FLG_RANGE_POSITIVE),
};
static const flg_section piece_section =
    FLG_SECTION("piece", flg_beam_piece_keys, piece_fields, "A piece of a beam with one section.",
                "{length: 0.5, section: {diameter: 0.1}}");

static const flg_field mode_fields[] = {
    FLG_KEY(flg_beam_mode_keys, motion, CHOICE, "bending along y or z, twist, or stretching",
            .required = true, .choices = flg_beam_motion_words),
    FLG_KEY(flg_beam_mode_keys, polynomial, NUMBERS,
            "coefficients of 1, x, x^2, ...; x from 0 at the start to 1 at the end of the beam"),
    FLG_KEY_AT(flg_beam_mode_keys, family, "ends", CHOICE,
               "in place of a polynomial: a function of these ends", .choices = flg_beam_ends_words,
               .fallback = "clamped-free"),
    FLG_KEY(flg_beam_mode_keys, number, INTEGER, "and its number, from 1 on", .fallback = "0"),
};
static const flg_section mode_section =
    FLG_SECTION("shape of a beam", flg_beam_mode_keys, mode_fields,
                "A function that a beam deforms by.", "{motion: y, number: 1}");

static const flg_field node_fields[] = {
    FLG_KEY(flg_modal_node_keys, at, VECTOR, "at rest, in the body's frame", .required = true,
            .size = 3, .unit = "m"),
    FLG_KEY(flg_modal_node_keys, mass, NUMBER, "lumped there", .unit = "kg",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0"),
    FLG_KEY(flg_modal_node_keys, shapes, NUMBERS,
            "of each mode six numbers: displacement x, y, z (m) and turn about x, y, z (rad) for a "
            "coordinate of 1",
            .required = true),
};
static const flg_section node_section = FLG_SECTION("node", flg_modal_node_keys, node_fields,
                                                    "A node of a reduced finite-element model.",
                                                    "{at: [1, 0, 0], shapes: [0, 0, 1, 0, 0, 0]}");

static const flg_field flexible_fields[] = {
    FLG_KEY(flg_flexible_keys, file, FILE,
            "a file with the other keys of this section, in their place"),
    FLG_KEY(flg_flexible_keys, start, VECTOR,
            "where the axis of the beam begins, in the body's frame", .size = 3, .unit = "m",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_flexible_keys, end, VECTOR, "where it ends", .size = 3, .unit = "m",
            .fallback = "[0, 0, 0]"),
    FLG_KEY(flg_flexible_keys, side, VECTOR,
            "direction of y of its section; if absent, that axis of the body which is least along "
            "the beam",
            .size = 3),
    FLG_KEY(flg_flexible_keys, section, SECTION, "of the beam", .section = &section_section),
    FLG_KEY(flg_flexible_keys, young, NUMBER, "Young's modulus", .unit = "Pa",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_flexible_keys, shear, NUMBER, "shear modulus; young/2.6 if absent", .unit = "Pa",
            .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_flexible_keys, density, NUMBER, "if absent, that which gives the mass of the body",
            .unit = "kg/m^3", .range = FLG_RANGE_POSITIVE),
    FLG_KEY(flg_flexible_keys, pieces, LIST,
            "pieces of different sections, from start to end, in place of section",
            .section = &piece_section),
    FLG_KEY(flg_flexible_keys, ends, CHOICE,
            "which modes: clamped-free for bodies that a joint carries at the start of the beam, "
            "pinned-pinned for rods between pins, free-free for bodies on a floating joint",
            .choices = flg_beam_ends_words, .fallback = "clamped-free"),
    FLG_KEY(flg_flexible_keys, bending, NUMBERS,
            "modes along y and along z; one number: the same for both", .range = FLG_RANGE_BETWEEN,
            .least = 0, .most = 20),
    FLG_KEY(flg_flexible_keys, twist, INTEGER, "modes", .range = FLG_RANGE_BETWEEN, .least = 0,
            .most = 20, .fallback = "0"),
    FLG_KEY(flg_flexible_keys, axial, INTEGER, "modes", .range = FLG_RANGE_BETWEEN, .least = 0,
            .most = 20, .fallback = "0"),
    FLG_KEY(flg_flexible_keys, shapes, LIST, "functions of your own, after these modes",
            .section = &mode_section),
    FLG_KEY(flg_flexible_keys, damping, NUMBER, "share of critical damping, of every mode",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0"),
    FLG_KEY(flg_flexible_keys, rayleigh, VECTOR,
            "damping of so much of the mass (1/s) and of the stiffness (s)", .size = 2,
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_flexible_keys, stiffening, FLAG,
            "a bent beam draws its end in, which makes it stiffer when it spins or is pulled",
            .fallback = "true"),
    FLG_KEY(flg_flexible_keys, rotary, FLAG,
            "sections resist being turned by bending, too (Rayleigh); else as Euler and Bernoulli",
            .fallback = "false"),
    FLG_KEY(flg_flexible_keys, nodes, LIST,
            "in place of a beam: nodes of a reduced finite-element model",
            .section = &node_section),
    FLG_KEY_AT(flg_flexible_keys, stiffness_matrix, "stiffness", NUMBERS,
               "of the modes of nodes: a diagonal, or the matrix column by column"),
    FLG_KEY_AT(flg_flexible_keys, mass_matrix, "mass", NUMBERS,
               "of the modes of nodes; if absent, the sum over the nodes"),
    FLG_KEY(flg_flexible_keys, damping_matrix, NUMBERS,
            "of the modes of nodes, in addition to damping and rayleigh"),
};
const flg_section flg_flexible_section =
    FLG_SECTION("flexible section", flg_flexible_keys, flexible_fields,
                "A body that bends, twists or stretches, in small deformations.",
                "{end: [1, 0, 0], young: 70e9, section: {diameter: 0.1}}");

/* what is absent has the name of its section, not that of its key */
bool flg_flexible_is_given(const flg_flexible_keys *keys) {
  return keys->origin.name != flg_flexible_section.name;
}

void flg_flexible_resolve(flg_flexible_keys *keys, flg_region *region, flg_mistakes *mistakes) {
  if (keys->file == NULL) return;
  const flg_origin asked = keys->origin;
  const flg_node *root = flg_document_read(region, keys->file, asked.place, NULL, 0, mistakes);
  if (root == NULL) return;
  flg_schema_read(&flg_flexible_section, root, keys, region, mistakes);
  keys->origin.name = asked.name;
  if (keys->file == NULL) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "file: a file of a flexible body cannot name another one");
  keys->file = NULL;
}

void flg_flexible_resolve_all(const flg_component_keys *keys, flg_region *region,
                              flg_mistakes *mistakes) {
  flg_component_body_keys *bodies = keys->bodies.items;
  for (int k = 0; k < keys->bodies.count; k++) {
    if (flg_flexible_is_given(&bodies[k].flexible)) {
      flg_flexible_resolve(&bodies[k].flexible, region, mistakes);
    } else {
      bodies[k].flexible.origin.name = NULL;
    }
  }
  const flg_component_robot_keys *robots = keys->robots.items;
  for (int k = 0; k < keys->robots.count; k++) {
    flg_flexible_keys *overlay = robots[k].robot.flexible.items;
    for (int j = 0; j < robots[k].robot.flexible.count; j++) {
      flg_flexible_resolve(&overlay[j], region, mistakes);
    }
  }
}
