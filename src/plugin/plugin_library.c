#include "plugin/plugin_library.h"

#include <dlfcn.h>
#include <fenv.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/entries.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "math/identity.h"
#include "plugin/elf_file.h"
#include "plugin/library_mark.h"

typedef const flg_plugin *entry_function(void);

/* --- the file -----------------------------------------------------------------------------------
 */

/* all that it does is in its bytes */
static flg_status fingerprint(flg_plugin_library *plugin, const char *path, flg_error *error) {
  const char *reason = NULL;
  FILE *file = flg_input_open(path, &reason);
  if (file == NULL) {
    return flg_fail(error, FLG_ERR_MISSING,
                    "there is no plug-in '%s': %s; build it first, and give its path relative to "
                    "the scenario",
                    path, reason);
  }
  unsigned char bytes[4096];
  plugin->fingerprint = FLG_HASH_SEED;
  for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;) {
    plugin->fingerprint = flg_hash(plugin->fingerprint, bytes, count);
  }
  fclose(file);
  return FLG_OK;
}

/* without a slash the loader would look in the folders of the system */
static flg_status open_library(flg_plugin_library *plugin, const char *path, flg_error *error) {
  char full[4096];
  const int length =
      snprintf(full, sizeof full, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
  if (length < 0 || (size_t)length >= sizeof full) {
    return flg_fail(error, FLG_ERR_INPUT, "the path of plug-in '%s' is too long", path);
  }
  const flg_status status = flg_elf_check(full, error);
  if (status != FLG_OK) return status;
  if (flg_library_mark_read(full, NULL) == FLG_LIBRARY_DAMAGED) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "'%s' was changed after 'flange compile' has made it; copy or build it again",
                    path);
  }
  plugin->handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  char spoilt[FLG_PLUGIN_TEXT]; /* by -ffast-math: nothing was computed yet, it is put back */
  (void)flg_plugin_spoils_arithmetic(spoilt);
  if (plugin->handle != NULL) return FLG_OK;
  const char *reason = dlerror();
  return flg_fail(error, FLG_ERR_INPUT, "'%s' is no shared library that can be loaded: %s", path,
                  reason == NULL ? "no reason is given" : reason);
}

/* --- its tables ---------------------------------------------------------------------------------
 */

void flg_plugin_take_table(void *to, size_t bytes, const void *from, uint32_t size) {
  memset(to, 0, bytes);
  memcpy(to, from, size < bytes ? size : bytes);
}

static const char *missing_in_subsystem(const flg_plugin_subsystem *table) {
  const bool ports = table->ports != NULL, touches = table->shapes != NULL;
  const flg_entry entries[] = {
      {"create", table->create != NULL},
      {"destroy", table->destroy != NULL},
      {"state", table->state != NULL},
      {"energy", table->energy != NULL},
      {"step", table->step != NULL},
      {"frame", table->frame != NULL || !ports},
      {"reduce", table->reduce != NULL || !ports},
      {"ports", ports || (table->frame == NULL && table->reduce == NULL && !touches)},
      {"impulse", table->impulse != NULL || (table->displace == NULL && !touches)},
      {"displace", table->displace != NULL || table->impulse == NULL},
      {"signals", table->signals != NULL || table->read == NULL},
      {"read", table->read != NULL || table->signals == NULL},
      {"coordinates", table->coordinates != NULL || table->accelerate == NULL},
      {"accelerate", table->accelerate != NULL || table->coordinates == NULL}};
  return FLG_ENTRIES_MISSING(entries);
}

static const char *missing_in_controller(const flg_plugin_controller *table) {
  const flg_entry entries[] = {{"create", table->create != NULL},
                               {"destroy", table->destroy != NULL},
                               {"evaluate", table->evaluate != NULL}};
  return FLG_ENTRIES_MISSING(entries);
}

static flg_status plugin_lack(const char *path, const char *what, const char *missing,
                              flg_error *error) {
  return flg_fail(error, FLG_ERR_INPUT, "the %s of plug-in '%s' lacks the function '%s'", what,
                  path, missing);
}

static flg_status take_tables(flg_plugin_library *plugin, const flg_plugin *found, const char *path,
                              flg_error *error) {
  flg_plugin table;
  flg_plugin_take_table(&table, sizeof table, found, found->size);
  if (table.name == NULL) return flg_fail(error, FLG_ERR_INPUT, "plug-in '%s' has no name", path);
  plugin->name = table.name;
  plugin->version = table.version == NULL ? "" : table.version;
  plugin->has_subsystem = table.subsystem != NULL;
  plugin->has_controller = table.controller != NULL;
  if (table.subsystem != NULL) {
    flg_plugin_take_table(&plugin->subsystem, sizeof plugin->subsystem, table.subsystem,
                          table.subsystem->size);
    const char *missing = missing_in_subsystem(&plugin->subsystem);
    if (missing != NULL) return plugin_lack(path, "subsystem", missing, error);
  }
  if (table.controller != NULL) {
    flg_plugin_take_table(&plugin->controller, sizeof plugin->controller, table.controller,
                          table.controller->size);
    const char *missing = missing_in_controller(&plugin->controller);
    if (missing != NULL) return plugin_lack(path, "controller", missing, error);
  }
  return FLG_OK;
}

static flg_status take_checked(flg_plugin_library *plugin, const flg_plugin *found,
                               const char *path, flg_error *error) {
  if (found == NULL) {
    return flg_fail(error, FLG_ERR_INPUT, "plug-in '%s' returns no table", path);
  }
  if (found->abi != FLG_PLUGIN_ABI) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "plug-in '%s' was made for version %u of the interface, this is version %u; "
                    "build it again with flange/plugin.h of this Flange",
                    path, (unsigned)found->abi, (unsigned)FLG_PLUGIN_ABI);
  }
  return take_tables(plugin, found, path, error);
}

static flg_status read_tables(flg_plugin_library *plugin, const char *path, flg_error *error) {
  entry_function *entry = NULL;
  void *symbol = dlsym(plugin->handle, FLG_PLUGIN_SYMBOL);
  memcpy(&entry, &symbol, sizeof entry); /* C has no cast from an object to a function */
  if (entry == NULL) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "'%s' is no plug-in: it does not export the function " FLG_PLUGIN_SYMBOL, path);
  }
  return take_checked(plugin, entry(), path, error);
}

/* --- tables of the program itself ---------------------------------------------------------------
 */

enum { PROVIDED_MOST = 64, PROVIDED_NAME = 128 };

static struct provided {
  char name[PROVIDED_NAME]; /* "": the place is free */
  const flg_plugin *table;
} provided[PROVIDED_MOST];

static struct provided *find_provided(const char *name) {
  for (int k = 0; k < PROVIDED_MOST; k++) {
    if (strcmp(provided[k].name, name) == 0) return &provided[k];
  }
  return NULL;
}

flg_status flg_plugin_keep(const char *name, const flg_plugin *table, flg_error *error) {
  if (name[0] == '\0' || strlen(name) >= PROVIDED_NAME || strchr(name, '/') != NULL) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "A plug-in of the program has a name of 1 to %d letters, without '/'.",
                    PROVIDED_NAME - 1);
  }
  struct provided *place = find_provided(name);
  if (place == NULL && table == NULL) return FLG_OK;
  if (place == NULL) place = find_provided("");
  if (place == NULL) {
    return flg_fail(error, FLG_ERR_CAPACITY, "There are %d plug-ins of the program already.",
                    PROVIDED_MOST);
  }
  snprintf(place->name, sizeof place->name, "%s", table == NULL ? "" : name);
  place->table = table;
  return FLG_OK;
}

/* by the last part of a path: files name it beside themselves */
static const flg_plugin *provided_at(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  const struct provided *found = name[0] == '\0' ? NULL : find_provided(name);
  return found == NULL ? NULL : found->table;
}

static flg_status open_at(flg_plugin_library *plugin, const char *path, flg_error *error) {
  const flg_plugin *own = provided_at(path);
  if (own != NULL) {
    plugin->fingerprint = flg_identity(FLG_HASH_SEED, "t", own->name == NULL ? "" : own->name);
    return take_checked(plugin, own, path, error);
  }
  flg_status status = fingerprint(plugin, path, error);
  if (status == FLG_OK) status = open_library(plugin, path, error);
  return status == FLG_OK ? read_tables(plugin, path, error) : status;
}

flg_status flg_plugin_open(flg_plugin_library *plugin, const char *path, flg_error *error) {
  flg_plugin_library opened = {0};
  const flg_status status = open_at(&opened, path, error);
  if (status == FLG_OK) {
    *plugin = opened;
  } else {
    flg_plugin_close(&opened);
  }
  return status;
}

void flg_plugin_close(flg_plugin_library *plugin) {
  if (plugin->handle != NULL) dlclose(plugin->handle);
  *plugin = (flg_plugin_library){0};
}

/* --- instances ----------------------------------------------------------------------------------
 */

void *flg_plugin_create(const flg_plugin_library *plugin, flg_plugin_create_function *create,
                        const flg_plugin_setup *setup, flg_error *error) {
  char text[FLG_PLUGIN_TEXT] = "";
  void *instance = create(setup, text);
  if (instance != NULL) return instance;
  text[sizeof text - 1] = '\0';
  flg_fail(error, FLG_ERR_INPUT, "plug-in '%s': %s", plugin->name,
           text[0] == '\0' ? "it makes no instance, and does not say why" : text);
  return NULL;
}

/* by what sums and quotients come out as: the calls that ask for the mode see only a part of it */
bool flg_plugin_spoils_arithmetic(char *text) {
  volatile double one = 1, little = DBL_EPSILON / 8, small = DBL_MIN;
  const bool rounds = one + little == one && one - little == one;
  const bool flushes = small / 2 == 0;
  if (rounds && !flushes) return false;
  fesetenv(FE_DFL_ENV);
  snprintf(text, FLG_PLUGIN_TEXT,
           "it leaves the processor %s: all results would differ; it "
           "must put that back before it returns",
           rounds ? "flushing small numbers to zero" : "rounding in another direction");
  return true;
}

uint64_t flg_plugin_identity(const flg_plugin_library *plugin, const flg_plugin_setup *setup) {
  uint64_t hash = flg_identity(plugin->fingerprint, "t", setup->name);
  for (int k = 0; k < setup->parameter_count; k++) {
    const flg_plugin_parameter *parameter = &setup->parameters[k];
    hash = flg_identity(hash, "tR", parameter->name, parameter->values, parameter->count);
  }
  return flg_identity(hash, "RRR i", setup->gravity, 3, setup->position, 3, setup->rotation, 9,
                      setup->joint_count);
}
