/* contact_objects.h - what can be recorded of the contacts of a subsystem, whoever hosts them.
 *
 *     contacts.count           points that are near
 *     contacts.closed          of them, those that push in this step
 *     contacts.sliding         of those, the ones that slip
 *     contacts.penetration     m    the deepest
 *     contacts.switches        how often one opened, closed, stuck or slid, since the start
 *     contacts.iterations      of the solver, in the last step
 *     contacts.residual        what it left, as a pure number
 *     contacts.unsolved        islands where that was too much
 *     body.contact_force       N    x y z of all contacts on it, mean over the last step
 *
 * contact_force is the last of flg_frame_quantities, which only bodies that can touch offer.
 */
#ifndef FLG_CONTACT_OBJECTS_H
#define FLG_CONTACT_OBJECTS_H

#include "subsystem/frame_quantities.h"

enum { FLG_CONTACTS_QUANTITIES = 8 };
extern const flg_quantity flg_contacts_quantities[FLG_CONTACTS_QUANTITIES];

/* Step, after flg_contacts_find for the state as it is: a quantity by its number in that table. */
void flg_contacts_read(const flg_contacts *contacts, int quantity, double *values);
/* Which point of a set a contact is at, from 0 on, its key being that of shapes A and B (end: 0,
 * 1); -1: the shape is no set. */
int flg_contact_point_number(const flg_shape *shape, uint64_t key, int end);
/* Of a contact on its second body, in world axes [N]. */
flg_vec3 flg_contact_force(const flg_contact_view *view);
/* The same: the force of all contacts on shapes of one owner. owners: by shape of the scene. */
flg_vec3 flg_contacts_force(const flg_contacts *contacts, const int *owners, int owner);

#endif
