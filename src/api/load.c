/* load.c - simulations from files and texts, made as programs make them: by definitions. */
#include "api/api_inner.h"
#include "flange/define.h"

static flg_status check_load(flg_simulation **simulation, const char *const *overrides,
                             int override_count, flg_mistakes *mistakes) {
  flg_error error;
  flg_status status = flg_api_present(simulation, "simulation", &error);
  if (status == FLG_OK && override_count > 0) {
    status = flg_api_present(overrides, "overrides", &error);
  }
  if (mistakes != NULL) *mistakes = (flg_mistakes){0};
  if (status == FLG_OK) return FLG_OK;
  return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
}

/* of a definition, which goes */
static flg_status simulate(flg_definition *definition, const char *const *overrides,
                           int override_count, flg_simulation **simulation,
                           flg_mistakes *mistakes) {
  const flg_status status =
      flg_definition_simulate(definition, overrides, override_count, simulation, mistakes);
  flg_definition_release(definition);
  return status;
}

flg_status flg_simulation_load(flg_simulation **simulation, const char *path,
                               const char *const *overrides, int override_count,
                               flg_mistakes *mistakes) {
  flg_definition *system;
  flg_status status = check_load(simulation, overrides, override_count, mistakes);
  if (status != FLG_OK) return status;
  status = flg_definition_load(&system, FLG_DEFINE_SYSTEM, path, mistakes);
  if (status != FLG_OK) return status;
  return simulate(system, overrides, override_count, simulation, mistakes);
}

flg_status flg_simulation_load_text(flg_simulation **simulation, const char *text, const char *path,
                                    const char *const *overrides, int override_count,
                                    flg_mistakes *mistakes) {
  flg_definition *system;
  const char *name = path == NULL ? "text" : path;
  flg_status status = check_load(simulation, overrides, override_count, mistakes);
  if (status != FLG_OK) return status;
  status = flg_definition_read(&system, FLG_DEFINE_SYSTEM, name, text, mistakes);
  if (status != FLG_OK) return status;
  return simulate(system, overrides, override_count, simulation, mistakes);
}
