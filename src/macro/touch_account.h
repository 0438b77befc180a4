/* touch_account.h - what each contact of a subsystem has received in the macro step so far.
 *
 * At a communication point interfaces and contacts are closed together, in increments
 * (coupling_contact_join.c): a correction may take back what a contact was given, and friction may
 * use what it could have used all along. So normal and friction impulses are summed up from micro
 * step to micro step, for as long as the contact is found; one that is not found is forgotten.
 */
#ifndef FLG_COUPLING_TOUCH_ACCOUNT_H
#define FLG_COUPLING_TOUCH_ACCOUNT_H

#include "base/region.h"
#include "contract/subsystem.h"

/* Of one contact, known by its shapes and key. Impulses are on the body of its second shape. */
typedef struct flg_touch_entry {
  int shapes[2];
  uint64_t key;
  flg_contact_state state; /* of the last micro step */
  double normal;           /* sum [N s] */
  flg_vec3 friction;       /* sum, world axes [N s] */
} flg_touch_entry;

typedef struct flg_touch_account {
  int capacity, count;
  flg_touch_entry *entries, *before; /* (capacity): now, and those of the micro step before */
} flg_touch_account;

/* Set-up: NULL where the subsystem cannot touch. In the region. */
flg_status flg_touch_account_build(flg_touch_account **account, const flg_subsystem *subsystem,
                                   flg_region *region, flg_error *error);
/* Steps; account may be NULL. Nothing was received yet. */
void flg_touch_account_clear(flg_touch_account *account);
/* After a micro step of h. */
void flg_touch_account_add(flg_touch_account *account, const flg_subsystem *subsystem, double h);
/* NULL: it was not there in the last micro step. */
const flg_touch_entry *flg_touch_account_find(const flg_touch_account *account, const int shapes[2],
                                              uint64_t key);

#endif
