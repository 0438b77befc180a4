#include "compose/contact_options.h"

#include <math.h>
#include <string.h>

#include "flatten/surface_table.h"

flg_surroundings flg_compose_surroundings(const flg_loader *loader,
                                          const flg_subsystem_keys *keys) {
  const flg_scenario *scenario = loader->scenario;
  const bool own = keys->contacts.material != NULL;
  const flg_contacts_keys *said = own ? &keys->contacts : &scenario->contacts;
  return (flg_surroundings){.materials = &scenario->materials,
                            .ground = &scenario->ground.shapes,
                            .pairs = &scenario->contacts.pairs,
                            .material = said->material,
                            .place = said->origin.place};
}

/* --- models of robots ------------------------------------------------------------------------ */

static void add_ground(flg_surface_table *table, const flg_items *ground, const flg_pose *pose,
                       flg_shape *shapes) {
  const flg_shape_keys *keys = ground->items;
  const flg_pose back = flg_pose_inverse(pose);
  for (int k = 0; k < ground->count; k++) {
    shapes[k] = flg_shape_of_keys(&keys[k], FLG_WORLD, table->region, table->mistakes);
    flg_surface_table_shape(table, &keys[k], &shapes[k]);
    shapes[k].pose = flg_pose_compose(&back, &shapes[k].pose);
  }
}

/* Without, and with links that do not touch each other, meshes may be of any kind. */
static bool options_have_ground(const flg_model *model) {
  for (int k = 0; k < model->shape_count; k++) {
    if (model->shapes[k].body == FLG_WORLD && model->shapes[k].collision) return true;
  }
  return false;
}

void flg_compose_surround(const flg_loader *loader, const flg_subsystem_keys *keys,
                          const flg_pose *pose, flg_model *model) {
  const flg_surroundings around = flg_compose_surroundings(loader, keys);
  flg_surface_table table = {.region = loader->region, .mistakes = loader->mistakes};
  const int own = model->shape_count, count = own + around.ground->count;
  flg_shape *shapes = flg_region_take(loader->region, (size_t)count, sizeof *shapes);
  if (shapes == NULL) return;
  if (own > 0) memcpy(shapes, model->shapes, (size_t)own * sizeof *shapes);
  flg_surface_table_merge(&table, &model->surfaces, shapes, own, 0);
  flg_surface_table_materials(&table, around.materials);
  add_ground(&table, around.ground, pose, shapes + own);
  flg_surface_table_pairs(&table, around.pairs, true);
  const flg_origin material = {around.material, around.place};
  const int usual = material.name == NULL ? 0 : flg_surface_table_need(&table, &material);
  for (int k = 0; k < count; k++) {
    if (shapes[k].surface == 0) shapes[k].surface = usual;
  }
  model->shapes = shapes, model->shape_count = count;
  model->surfaces = flg_surface_table_view(&table);
  if (keys->robot.self_collision || options_have_ground(model)) {
    loader->source.ops->read_meshes(loader->source.self, shapes, count);
  }
}

/* --- how they are solved --------------------------------------------------------------------- */

/* of the first, else of the second */
static flg_contacts_options contact_options_of(const flg_contacts_keys *first,
                                               const flg_contacts_keys *second) {
  flg_contacts_options options = flg_contacts_default();
  const int friction = first->friction != 0 ? first->friction : second->friction;
  const int restitution = first->restitution != 0 ? first->restitution : second->restitution;
  const double correction = isnan(first->correction) ? second->correction : first->correction;
  if (friction != 0) options.law.friction = (flg_friction_shape)(friction - 1);
  if (restitution != 0) options.law.impact = (flg_impact_law)(restitution - 1);
  if (!isnan(correction)) options.law.correction = correction;
  options.capacity = first->capacity != 0 ? first->capacity : second->capacity;
  return options;
}

flg_contacts_options flg_compose_contacts_options(const flg_loader *loader,
                                                  const flg_subsystem_keys *keys) {
  return contact_options_of(&keys->contacts, &loader->scenario->contacts);
}

static bool is_solved_alike(const flg_contact_law_options *a, const flg_contact_law_options *b) {
  return a->friction == b->friction && a->impact == b->impact && a->correction == b->correction;
}

flg_contacts_options flg_compose_contacts_of_all(const flg_loader *loader) {
  const flg_scenario *scenario = loader->scenario;
  const flg_subsystem_keys *keys = scenario->subsystems.items;
  flg_contacts_options all = flg_compose_contacts_options(loader, &keys[0]);
  for (int k = 1; k < scenario->subsystems.count; k++) {
    const flg_contacts_options one = flg_compose_contacts_options(loader, &keys[k]);
    if (one.capacity > all.capacity) all.capacity = one.capacity;
    if (is_solved_alike(&one.law, &all.law)) continue;
    flg_mistake_add(
        loader->mistakes, FLG_ERR_INPUT, keys[k].origin.place,
        "contacts: '%s' and '%s' differ in friction, restitution or correction, but are "
        "solved as one; say it once, in the scenario",
        keys[0].origin.name, keys[k].origin.name);
  }
  return all;
}

void flg_compose_check_pairs(const flg_loader *loader) {
  const flg_items *pairs = &loader->scenario->contacts.pairs;
  const flg_material_pair_keys *keys = pairs->items;
  for (int k = 0; k < pairs->count; k++) {
    if (keys[k].met || keys[k].between.count != 2) continue;
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys[k].origin.place,
                    "pairs: no subsystem has both materials, '%s' and '%s'",
                    keys[k].between.items[0].name, keys[k].between.items[1].name);
  }
}
