#include "macro/touch_account.h"

/* As many entries as the subsystem has room for contacts: the account can never be what
 * overflows. */
flg_status flg_touch_account_build(flg_touch_account **account, const flg_subsystem *subsystem,
                                   flg_region *region, flg_error *error) {
  const flg_subsystem_ops *ops = subsystem->ops;
  const flg_contacts *contacts = ops->contacts == NULL ? NULL : ops->contacts(subsystem->self);
  *account = NULL;
  if (contacts == NULL) return FLG_OK;
  flg_touch_account *made = flg_region_take(region, 1, sizeof *made);
  const size_t capacity = (size_t)flg_contacts_capacity(contacts);
  flg_touch_entry *entries = flg_region_take(region, capacity, sizeof *entries);
  flg_touch_entry *before = flg_region_take(region, capacity, sizeof *before);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for contacts");
  *made = (flg_touch_account){(int)capacity, 0, entries, before};
  *account = made;
  return FLG_OK;
}

void flg_touch_account_clear(flg_touch_account *account) {
  if (account != NULL) account->count = 0;
}

/* By shapes and key, not by place: contacts come and go between micro steps. The search starts at
 * the same place as before and mostly ends there. */
static const flg_touch_entry *touch_account_find(const flg_touch_entry *entries, int count,
                                                 int hint, const int shapes[2], uint64_t key) {
  for (int k = 0; k < count; k++) {
    const flg_touch_entry *entry = &entries[(hint + k) % count]; /* mostly the order is the same */
    if (entry->key == key && entry->shapes[0] == shapes[0] && entry->shapes[1] == shapes[1]) {
      return entry;
    }
  }
  return NULL;
}

const flg_touch_entry *flg_touch_account_find(const flg_touch_account *account, const int shapes[2],
                                              uint64_t key) {
  return touch_account_find(account->entries, account->count, 0, shapes, key);
}

/* Friction is summed up in world axes: tangents may turn from one micro step to the next. */
static void receive(const flg_contact *contact, int state, const double force[3], double h,
                    flg_touch_entry *entry) {
  entry->state = (flg_contact_state)state;
  entry->normal += h * force[0];
  if (!(contact->friction > 0)) return;
  const flg_vec3 friction = flg_vec3_add(flg_vec3_scale(contact->tangent1, h * force[1]),
                                         flg_vec3_scale(contact->tangent2, h * force[2]));
  entry->friction = flg_vec3_add(entry->friction, friction);
}

void flg_touch_account_add(flg_touch_account *account, const flg_subsystem *subsystem, double h) {
  if (account == NULL) return;
  const flg_contacts *contacts = subsystem->ops->contacts(subsystem->self);
  int count = 0;
  const flg_contact *list = flg_contacts_list(contacts, &count);
  /* Two lists change places: entries keep the order of the contacts without being moved. */
  flg_touch_entry *before = account->entries;
  account->entries = account->before;
  account->before = before;
  for (int k = 0; k < count && k < account->capacity; k++) {
    const int shapes[2] = {list[k].shape_a, list[k].shape_b};
    double force[3];
    const int state = flg_contacts_last_force(contacts, k, force);
    const flg_touch_entry *known =
        touch_account_find(before, account->count, k, shapes, list[k].key);
    flg_touch_entry *entry = &account->entries[k];
    *entry = known != NULL ? *known : (flg_touch_entry){.key = list[k].key};
    entry->shapes[0] = shapes[0], entry->shapes[1] = shapes[1];
    receive(&list[k], state, force, h, entry);
  }
  account->count = count < account->capacity ? count : account->capacity;
}
