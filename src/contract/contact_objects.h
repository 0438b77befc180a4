/* contact_objects.h - what can be recorded of the contacts of a subsystem, in an assembly or a
 * robot.
 *
 *     contacts.count           points that are near
 *     contacts.closed          of them, those that push in this step
 *     contacts.sliding         of those, the ones that slip
 *     contacts.penetration     m    the deepest
 *     contacts.switches        how often one opened, closed, stuck or slid, since the start
 *     contacts.iterations      of the solver, in the last step
 *     contacts.residual        what it left, as a pure number
 *     contacts.unsolved        islands where that was too much
 *     body.contact_force       N    x y z of all contacts on it, mean over the last step, hits too
 *     body/shape.force         N    the same of a shape with a name, and of body/shape/point
 *     body/shape.gap           m    the smallest, however far; NaN where it may touch nothing
 *     body/shape.state         0 open, 1 sliding, 2 sticking: the firmest of its points
 *     body/shape.points        that are near; not of body/shape/point
 *
 * contact_force is the last of flg_frame_quantities, which only bodies that can touch offer.
 */
#ifndef FLG_CONTACT_OBJECTS_H
#define FLG_CONTACT_OBJECTS_H

#include "contract/frame_quantities.h"

enum { FLG_CONTACTS_QUANTITIES = 8 };
extern const flg_quantity flg_contacts_quantities[FLG_CONTACTS_QUANTITIES];

enum { FLG_TOUCH_FORCE, FLG_TOUCH_GAP, FLG_TOUCH_STATE, FLG_TOUCH_POINTS, FLG_TOUCH_QUANTITIES };
extern const flg_quantity flg_touch_quantities[FLG_TOUCH_QUANTITIES];

/* Step, after flg_contacts_find for the state as it is: a quantity by its number in that table. */
void flg_contacts_read(const flg_contacts *contacts, int quantity, double *values);
/* Which point of a set a contact is at, from 0 on, its key being that of shapes A and B (end: 0,
 * 1); -1: the shape is no set. */
int flg_contact_point_number(const flg_shape *shape, uint64_t key, int end);

/* Of a shape of the scene. */
typedef struct flg_touch_view {
  flg_vec3 force; /* of all contacts on it, mean over the last step [N] */
  double gap;     /* smallest [m]; infinite where nothing is near */
  int state;      /* flg_contact_state: the firmest of its points */
  int points;     /* that are near */
} flg_touch_view;
/* source: the shape in its model; point: the number of one of a set of points, or -1: all. */
flg_touch_view flg_contacts_touch(const flg_contacts *contacts, int shape, const flg_shape *source,
                                  int point);
/* A quantity by its number in flg_touch_quantities. */
void flg_touch_read(const flg_contacts *contacts, int shape, const flg_shape *source, int point,
                    int quantity, double *values);
/* Of a contact on its second body, in world axes [N]. */
flg_vec3 flg_contact_force(const flg_contact_view *view);
/* The same: the force of all contacts on shapes of one owner. owners: by shape of the scene. */
flg_vec3 flg_contacts_force(const flg_contacts *contacts, const int *owners, int owner);

#endif
