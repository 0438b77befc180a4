#include "io/urdf_shape.h"

#include <math.h>

#include "base/closest.h"
#include "text/mesh_file.h"

/* --- colours --------------------------------------------------------------------------------- */

static void read_colour(const flg_element *colour, double to[4], flg_mistakes *mistakes) {
  double values[4];
  if (!flg_element_numbers(colour, "rgba", 4, values, mistakes)) return;
  for (int k = 0; k < 4; k++) {
    if (values[k] >= 0 && values[k] <= 1) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, colour->place,
                    "rgba of <color>: %g is not between 0 and 1", values[k]);
    return;
  }
  for (int k = 0; k < 4; k++) to[k] = values[k];
}

static int count_children(const flg_element *parent, const char *name) {
  int count = 0;
  const flg_element *child = flg_element_child(parent, name);
  for (; child != NULL; child = flg_element_again(child)) count++;
  return count;
}

static void add_material(flg_materials *materials, const flg_element *material,
                         flg_region *region) {
  const char *name = flg_element_text(material, "name");
  const flg_element *colour = flg_element_child(material, "color");
  if (name == NULL || colour == NULL) return;
  const int found = flg_name_index_add(&materials->index, name, materials->count, region);
  if (found == FLG_NAME_UNKNOWN) materials->colours[materials->count++] = colour;
}

static void add_visual_materials(flg_materials *materials, const flg_element *link,
                                 flg_region *region) {
  const flg_element *visual = flg_element_child(link, "visual");
  for (; visual != NULL; visual = flg_element_again(visual)) {
    const flg_element *material = flg_element_child(visual, "material");
    if (material != NULL) add_material(materials, material, region);
  }
}

void flg_materials_build(flg_materials *materials, const flg_element *robot, flg_region *region,
                         flg_mistakes *mistakes) {
  const flg_element *links = flg_element_child(robot, "link");
  int most = count_children(robot, "material");
  for (const flg_element *link = links; link != NULL; link = flg_element_again(link)) {
    most += count_children(link, "visual");
  }
  *materials = (flg_materials){
      .colours = flg_region_take(region, (size_t)most, sizeof(const flg_element *))};
  if (materials->colours == NULL) return;
  const flg_element *material = flg_element_child(robot, "material");
  for (; material != NULL; material = flg_element_again(material)) {
    add_material(materials, material, region);
    const flg_element *colour = flg_element_child(material, "color");
    double unused[4];
    if (colour != NULL) read_colour(colour, unused, mistakes);
  }
  for (const flg_element *link = links; link != NULL; link = flg_element_again(link)) {
    add_visual_materials(materials, link, region);
  }
}

/* A colour of its own, or that of a material which is defined elsewhere, where what is wrong with
 * it is reported. A material without any colour does no harm. */
static void find_colour(const flg_element *visual, const flg_materials *materials, double to[4],
                        flg_mistakes *mistakes) {
  const flg_element *material = flg_element_child(visual, "material");
  if (material == NULL) return;
  const flg_element *own = flg_element_only(material, "color", mistakes);
  const char *name = flg_element_text(material, "name");
  if (own != NULL) {
    read_colour(own, to, mistakes);
  } else if (name != NULL) {
    const int found = flg_name_index_find(&materials->index, name);
    if (found != FLG_NAME_UNKNOWN) read_colour(materials->colours[found], to, NULL);
  }
}

/* --- shapes ---------------------------------------------------------------------------------- */

flg_pose flg_urdf_origin(const flg_element *parent, flg_mistakes *mistakes) {
  double xyz[3] = {0}, rpy[3] = {0};
  const flg_element *origin = flg_element_only(parent, "origin", mistakes);
  if (origin != NULL) {
    flg_element_numbers(origin, "xyz", 3, xyz, mistakes);
    flg_element_numbers(origin, "rpy", 3, rpy, mistakes);
  }
  return (flg_pose){.rotation = flg_mat3_from_roll_pitch_yaw(rpy), .position = flg_vec3_load(xyz)};
}

static void read_box(const flg_element *box, flg_shape *shape, flg_mistakes *mistakes) {
  if (flg_element_need_text(box, "size", mistakes) == NULL) return;
  flg_element_numbers(box, "size", 3, shape->size, mistakes);
}

static void read_round(const flg_element *round, flg_shape *shape, flg_mistakes *mistakes) {
  flg_element_need_number(round, "radius", &shape->size[0], mistakes);
  if (shape->kind == FLG_SHAPE_SPHERE) return;
  flg_element_need_number(round, "length", &shape->size[1], mistakes);
}

static void read_mesh(const flg_element *mesh, flg_shape *shape, flg_region *region,
                      flg_mistakes *mistakes) {
  const char *name = flg_element_need_text(mesh, "filename", mistakes);
  shape->mesh = name == NULL ? "" : flg_mesh_path(region, mesh->place.file, name);
  flg_element_numbers(mesh, "scale", 3, shape->size, mistakes);
}

#define SHAPE_WORD(kind, name, sizes, has_values) name,
static const char *const SHAPE_WORDS[] = {FLG_SHAPE_KIND_LIST(SHAPE_WORD)};

/* URDF has the kinds up to the mesh. */
enum { URDF_KINDS = FLG_SHAPE_MESH + 1 };

/* FLG_SHAPE_KIND_COUNT with a mistake if there is none of that name */
static flg_shape_kind kind_of_geometry(const flg_element *geometry, flg_mistakes *mistakes) {
  for (int kind = 0; kind < URDF_KINDS; kind++) {
    if (flg_element_is(geometry, SHAPE_WORDS[kind])) return (flg_shape_kind)kind;
  }
  char hint[FLG_HINT_TEXT];
  flg_closest_hint(geometry->name, SHAPE_WORDS, URDF_KINDS, hint);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, geometry->place, "a geometry <%.60s> is not known%s",
                  geometry->name,
                  hint[0] != '\0' ? hint : "; expected a box, cylinder, sphere, capsule or mesh");
  return FLG_SHAPE_KIND_COUNT;
}

static void read_geometry(const flg_element *geometry, flg_shape *shape, flg_region *region,
                          flg_mistakes *mistakes) {
  const flg_element *what = geometry->first;
  if (what == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, geometry->place,
                    "<geometry> is empty; expected a box, cylinder, sphere, capsule or mesh");
    return;
  }
  shape->place = what->place;
  const flg_shape_kind kind = kind_of_geometry(what, mistakes);
  if (kind == FLG_SHAPE_KIND_COUNT) return;
  shape->kind = kind;
  if (kind == FLG_SHAPE_BOX) {
    read_box(what, shape, mistakes);
  } else if (kind == FLG_SHAPE_MESH) {
    read_mesh(what, shape, region, mistakes);
  } else {
    read_round(what, shape, mistakes);
  }
}

int flg_urdf_shape_count(const flg_element *link) {
  return count_children(link, "visual") + count_children(link, "collision");
}

static flg_shape *urdf_add_shapes(const flg_element *link, const char *name, int body,
                                  const flg_materials *materials, flg_shape *shape,
                                  flg_region *region, flg_mistakes *mistakes) {
  const flg_element *from = flg_element_child(link, name);
  for (; from != NULL; from = flg_element_again(from), shape++) {
    const char *label = flg_element_text(from, "name");
    *shape = (flg_shape){.name = label == NULL || label[0] == '\0' ? NULL : label,
                         .place = from->place,
                         .body = body,
                         .collision = flg_element_is(from, "collision"),
                         .size = {1, 1, 1},
                         .pose = flg_urdf_origin(from, mistakes),
                         .colour = {NAN, NAN, NAN, NAN}};
    const flg_element *geometry = flg_element_need(from, "geometry", mistakes);
    if (geometry != NULL) read_geometry(geometry, shape, region, mistakes);
    if (!shape->collision) find_colour(from, materials, shape->colour, mistakes);
  }
  return shape;
}

void flg_urdf_shapes(const flg_element *link, int body, const flg_materials *materials,
                     flg_shape *shapes, flg_region *region, flg_mistakes *mistakes) {
  shapes = urdf_add_shapes(link, "visual", body, materials, shapes, region, mistakes);
  urdf_add_shapes(link, "collision", body, materials, shapes, region, mistakes);
}
