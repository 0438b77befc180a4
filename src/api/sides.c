/* sides.c - sides of interfaces (flange/study.h). */
#include <math.h>
#include <string.h>

#include "api/api_inner.h"
#include "cosim/analysis.h"
#include "cosim/simulation.h"
#include "flange/study.h"
#include "io/load.h"

flg_status flg_simulation_load_apart(flg_simulation **simulation, const char *path,
                                     const char *const *overrides, int override_count,
                                     flg_mistakes *mistakes) {
  if (mistakes != NULL) *mistakes = (flg_mistakes){0};
  const flg_load_options looked = {.compose = {.undriven = true, .apart = true}};
  return flg_simulation_load_as(simulation, path, overrides, override_count, looked, mistakes);
}

static const flg_interface *find_interface(const flg_simulation *simulation, const char *name,
                                           flg_error *error) {
  const int count = simulation->interface_count;
  if (name == NULL && count == 1) return &simulation->interfaces[0];
  for (int k = 0; k < count && name != NULL; k++) {
    if (strcmp(simulation->interfaces[k].name, name) == 0) return &simulation->interfaces[k];
  }
  if (name == NULL) {
    flg_fail(error, count == 0 ? FLG_ERR_INPUT : FLG_ERR_USAGE,
             "There are %d interfaces that are coupled%s.", count, count == 0 ? "" : "; say which");
  } else {
    flg_fail(error, FLG_ERR_INPUT,
             "There is no interface '%s' that is coupled. Subsystems that are solved as one have "
             "none: load them with another coupling, or by flg_simulation_load_apart.",
             name);
  }
  return NULL;
}

static void store_side_rows(double to[36], const double from[36], bool is_known) {
  for (int i = 0; i < FLG_ANALYSIS_ROWS; i++) {
    for (int j = 0; j < FLG_ANALYSIS_ROWS; j++) {
      to[FLG_ANALYSIS_ROWS * i + j] = is_known ? from[i + FLG_ANALYSIS_ROWS * j] : (double)NAN;
    }
  }
}

static flg_side side_of_analysis(const flg_side_analysis *of, const char *subsystem) {
  flg_side side = {.subsystem = subsystem,
                   .rank = of->rank,
                   .condition = of->condition,
                   .closed_contacts = of->closed};
  const bool is_full = of->rank == FLG_ANALYSIS_ROWS;
  flg_vec3_store(of->place, side.position);
  store_side_rows(side.admittance, of->admittance, true);
  store_side_rows(side.mass, of->effective_mass, is_full);
  store_side_rows(side.stiffness, of->stiffness, is_full && of->bends);
  store_side_rows(side.damping, of->damping, is_full && of->bends);
  memcpy(side.singular, of->singular, sizeof side.singular);
  memcpy(side.masses, of->masses, sizeof side.masses);
  for (int k = 0; k < 3; k++) flg_vec3_store(of->axes[k], side.axes + 3 * (size_t)k);
  return side;
}

static flg_status sides_check(const flg_simulation *simulation, int end, const flg_side *side,
                              flg_error *error) {
  flg_status status = flg_api_present(simulation, "simulation", error);
  if (status == FLG_OK) status = flg_api_present(side, "side", error);
  if (status != FLG_OK) return status;
  if (side->size < sizeof(size_t) || side->size > sizeof *side) {
    return flg_fail(error, FLG_ERR_USAGE, "The size of flg_side is %zu; expected %zu or less.",
                    side->size, sizeof *side);
  }
  if (end == 0 || end == 1) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE, "An interface has the ends 0 and 1, not %d.", end);
}

flg_status flg_side_look(flg_simulation *simulation, const char *interface, int end, bool smooth,
                         flg_side *side, flg_error *error) {
  const flg_status status = sides_check(simulation, end, side, error);
  if (status != FLG_OK) return status;
  const flg_interface *found = find_interface(simulation, interface, error);
  if (found == NULL)
    return interface == NULL && simulation->interface_count > 0 ? FLG_ERR_USAGE : FLG_ERR_INPUT;
  if (!flg_interface_has_ends(found)) {
    return flg_fail(error, FLG_ERR_INPUT, "Interface '%s' is a %s, which joins no frames.",
                    found->name, found->word);
  }
  const int subsystem = found->end[end].subsystem;
  if (subsystem < 0) {
    return flg_fail(error, FLG_ERR_INPUT, "End %d of interface '%s' is the world.", end,
                    found->name);
  }
  flg_side_analysis analysis;
  const flg_status looked =
      flg_side_analyse(found, end, simulation->subsystems, smooth, &analysis, error);
  if (looked != FLG_OK) return looked;
  flg_side whole = side_of_analysis(&analysis, simulation->subsystems[subsystem].name);
  whole.size = side->size;
  memcpy(side, &whole, whole.size);
  return FLG_OK;
}
