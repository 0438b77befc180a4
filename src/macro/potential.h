/* potential.h - which contacts of models stay open, where the user says so.
 *
 * Contacts are grouped as (nonsmooth-rim, Eq. 9) has them: *potential* ones may change inside of a
 * macro step, *active* ones are closed and stay so, *tight* ones are open and stay so. Without a
 * choice all that may close are potential (macro_contacts.h); with one, those of the bodies,
 * shapes and points that it names, and the others are joints of the model or nothing (smooth.h).
 */
#ifndef FLG_COUPLING_POTENTIAL_H
#define FLG_COUPLING_POTENTIAL_H

#include "contract/subsystem.h"

/* Contacts of a shape, or of one of its points. */
typedef struct flg_potential_item {
  int subsystem, shape;
  int point; /* of a set of points; -1: all */
} flg_potential_item;

typedef struct flg_potential {
  int count;
  flg_potential_item *items;
} flg_potential;

/* Step: whether a contact of the subsystem is among them; NULL is a choice of all. */
bool flg_potential_has(const flg_potential *potential, const flg_subsystem *subsystem, int index,
                       const flg_contact *contact);

#endif
