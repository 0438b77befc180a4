/* plugin_library.h - a shared library of a user's, opened and checked (flange/plugin.h). */
#ifndef FLG_PLUGIN_LIBRARY_H
#define FLG_PLUGIN_LIBRARY_H

#include <stdbool.h>

#include "flange/plugin.h"
#include "flange/status.h"

/* Tables are copies: members that the library does not know are NULL. */
typedef struct flg_plugin_library {
  void *handle;         /* NULL: not open */
  const char *name;     /* in its own words; lies in the library */
  const char *version;  /* "" if it has none */
  uint64_t fingerprint; /* of its file */
  bool has_subsystem, has_controller;
  flg_plugin_subsystem subsystem;
  flg_plugin_controller controller;
} flg_plugin_library;

/* Set-up: opens a library. FLG_ERR_MISSING if there is no such file; FLG_ERR_INPUT if it is no
 * plug-in, if it was made for another version of the interface, or lacks a function. Close with
 * flg_plugin_close. */
flg_status flg_plugin_open(flg_plugin_library *plugin, const char *path, flg_error *error);
void flg_plugin_close(flg_plugin_library *plugin); /* again it does nothing */

/* Set-up: a table of the program itself, in place of a library of that name; NULL: no longer. It is
 * borrowed. */
flg_status flg_plugin_keep(const char *name, const flg_plugin *table, flg_error *error);

/* As much of a table or struct as both sides know, zeros after it. */
void flg_plugin_take_table(void *to, size_t bytes, const void *from, uint32_t size);

typedef void *flg_plugin_create_function(const flg_plugin_setup *setup, char *text);
/* Set-up: an instance by one of its functions, or NULL with the sentence that it gives. */
void *flg_plugin_create(const flg_plugin_library *plugin, flg_plugin_create_function *create,
                        const flg_plugin_setup *setup, flg_error *error);
/* Step, after a call into a library: true, with a sentence in text (FLG_PLUGIN_TEXT bytes), if
 * it left another rounding mode, or small numbers flushed to zero. The defaults are put back. */
bool flg_plugin_spoils_arithmetic(char *text);
/* The library's fingerprint chained with all that an instance is made from. */
uint64_t flg_plugin_identity(const flg_plugin_library *plugin, const flg_plugin_setup *setup);

#endif
