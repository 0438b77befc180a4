/* contact_identity.h - the identity of shapes that touch, for hosts of contacts (identity.h). */
#ifndef FLG_CONTACT_IDENTITY_H
#define FLG_CONTACT_IDENTITY_H

#include <stdint.h>

#include "contacts/contacts.h"
#include "contacts/touch_shapes.h"

/* Chains a hash with all shapes, what they are made of, which never touch, and the law. */
uint64_t flg_contact_identity(uint64_t hash, const flg_touch_shapes *touch,
                              const flg_contacts_options *options);

#endif
