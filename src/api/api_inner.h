/* api_inner.h - what a simulation keeps for the program that uses it: the handles that it has
 * found.
 */
#ifndef FLG_API_INNER_H
#define FLG_API_INNER_H

#include "cosim/simulation.h"
#include "cosim/touching.h"
#include "flange/access.h"

/* A quantity that was found. */
typedef struct flg_found_output {
  flg_recorded recorded;
  flg_signal signal;
} flg_found_output;

/* An event that was found. */
typedef struct flg_found_trigger {
  const flg_subsystem *subsystem;
  flg_action action;
  int target, count;
} flg_found_trigger;

/* A set of ports that was opened. */
typedef struct flg_found_ports {
  const flg_subsystem *subsystem;
  int probe; /* its number there */
  int count;
  flg_interface_model *model; /* where it is computed */
} flg_found_ports;

struct flg_access {
  uint32_t serial;      /* of the simulation in this process, from 1 on */
  flg_growing outputs;  /* flg_found_output */
  flg_growing triggers; /* flg_found_trigger */
  flg_growing ports;    /* flg_found_ports */
  uint64_t identity;    /* of the system; once it is known */
  bool has_identity;
  const flg_signal *list; /* (list_count) all quantities; NULL: not listed yet */
  int list_count;
  flg_touching *touching; /* (touching_most) scratch of flg_touch_list */
  int touching_most;
};

/* Set-up: what is kept, made at the first call; NULL without memory. */
struct flg_access *flg_access_of(flg_simulation *simulation);
/* The sentences of the checks below. */
void flg_api_refuse_null(const char *name, flg_error *error);
void flg_api_refuse_stepping(flg_error *error);
void flg_api_refuse_handle(const struct flg_access *access, uint32_t serial, int number,
                           const char *what, flg_error *error);
/* FLG_ERR_USAGE if an argument is NULL that may not be; the sentence names it. */
static inline flg_status flg_api_present(const void *argument, const char *name, flg_error *error) {
  if (argument != NULL) return FLG_OK;
  flg_api_refuse_null(name, error);
  return FLG_ERR_USAGE;
}
/* FLG_ERR_USAGE if there is no simulation, or if it steps just now. */
static inline flg_status flg_api_idle(const flg_simulation *simulation, flg_error *error) {
  const flg_status status = flg_api_present(simulation, "simulation", error);
  if (status != FLG_OK) return status;
  if (!atomic_load_explicit(&simulation->is_stepping, memory_order_relaxed)) return FLG_OK;
  flg_api_refuse_stepping(error);
  return FLG_ERR_USAGE;
}
/* Between steps, and so without calls: true if a handle is one of this simulation, of those `count`
 * that there are of its kind; else a sentence says that this `what` is none. */
static inline bool flg_api_handle(const struct flg_access *access, uint32_t serial, int number,
                                  int count, const char *what, flg_error *error) {
  const bool is_own = access != NULL && serial == access->serial;
  if (is_own && (uint32_t)number < (uint32_t)count) return true;
  flg_api_refuse_handle(access, serial, number, what, error);
  return false;
}
/* FLG_ERR_USAGE if count is not `width`. */
flg_status flg_api_width(int count, int width, const char *of, flg_error *error);
/* Set-up: the subsystem that runs the part at the head of `sub/path`, and the path inside of it.
 * FLG_ERR_INPUT with a sentence. */
flg_status flg_api_find_part(flg_simulation *simulation, const char *name,
                             const flg_subsystem **subsystem, const char **path, flg_error *error);

#endif
