/* contact_keys.h - the keys of contacts: materials, their pairs, shapes that stay apart, and how
 * contacts are solved.
 */
#ifndef FLG_CONTACT_SECTIONS_H
#define FLG_CONTACT_SECTIONS_H

#include "define/contact_definition.h"
#include "io/model_keys.h"

extern const flg_section flg_material_section, flg_touching_section;
extern const flg_section flg_contacts_section, flg_subsystem_contacts_section, flg_ground_section;

#endif
