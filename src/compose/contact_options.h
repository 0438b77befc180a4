/* contact_options.h - what a scenario says of contacts: the ground, materials, and how they are
 * solved.
 */
#ifndef FLG_COMPOSE_CONTACT_OPTIONS_H
#define FLG_COMPOSE_CONTACT_OPTIONS_H

#include "compose/robots.h"
#include "contacts/contacts.h"

/* Shapes of the scenario that the shapes of a subsystem meet besides each other. */
flg_surroundings flg_compose_surroundings(const flg_loader *loader, const flg_subsystem_keys *keys);
/* Adds that to the model of a robot; pose: where the world of the model is. */
void flg_compose_surround(const flg_loader *loader, const flg_subsystem_keys *keys,
                          const flg_pose *pose, flg_model *model);
/* How contacts of a subsystem are solved; of all subsystems as one, whose options have to agree. */
flg_contacts_options flg_compose_contacts_options(const flg_loader *loader,
                                                  const flg_subsystem_keys *keys);
flg_contacts_options flg_compose_contacts_of_all(const flg_loader *loader);
/* When all subsystems are there: a mistake for each pair of materials that none of them has. */
void flg_compose_check_pairs(const flg_loader *loader);

#endif
