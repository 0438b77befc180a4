/* systems.h - the systems whose results are stored. */
#ifndef FLG_STORED_SYSTEMS_H
#define FLG_STORED_SYSTEMS_H

#include <stdbool.h>

#include "flange/simulation.h"

enum { SYSTEMS_MOST = 4000, NAME_BYTES = 100, MESSAGE_BYTES = 400 };

/* "generate/42", a seed of tests/generate, or the path of a scenario; after a blank, what is not as
 * in its file: the scheme of its coupling, KEY=VALUE, or "pushed". */
typedef char system_name[NAME_BYTES];

/* All of them, always the same in the same order; how many. */
int list_systems(system_name *names);
/* NULL with a message if it cannot be loaded: then that is its result. The caller releases it. */
/* Whether forces from outside act on it (pushes.h). */
bool is_pushed(const char *name);
flg_simulation *load_system(const char *name, char message[MESSAGE_BYTES]);

#endif
