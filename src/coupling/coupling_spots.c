/* Places of interfaces: which subsystem finds the forces there, and which is driven by them. */
#include "coupling/coupling_inner.h"

enum { PORT_ROWS = 6 };

int flg_coupling_spot_row(const flg_coupling *coupling, int viewer, int interface, int spot) {
  const flg_interface *of = &coupling->system.interfaces[interface];
  if (flg_interface_has_ends(of)) return PORT_ROWS * of->end[1 - spot].port;
  return flg_rest_model_anchor_row(coupling->rests[viewer], interface, spot);
}

/* places that owners drive, and lists of them by driven subsystem and by driver */
static void list_spots(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  const flg_coupling_scheme *scheme = coupling->options.scheme;
  for (int k = 0; k < system->interface_count && scheme->owner != NULL; k++) {
    const flg_interface *interface = &system->interfaces[k];
    const int owner = scheme->owner(coupling, k);
    for (int i = 0; i < flg_interface_spots(interface); i++) {
      const flg_interface_end *end = flg_interface_spot(interface, i);
      if (end->subsystem < 0 || end->subsystem == owner) continue;
      coupling->spots[coupling->spot_count++] =
          (flg_driven_spot){.interface = k,
                            .number = i,
                            .owner = owner,
                            .subsystem = end->subsystem,
                            .port = end->port,
                            .row = owner < 0 ? -1 : flg_coupling_spot_row(coupling, owner, k, i)};
    }
  }
}

static int *list_numbers(flg_coupling *coupling, int subsystem, bool are_driven) {
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    int *list = NULL;
    if (pass == 1) {
      list = flg_region_take(&coupling->region, (size_t)count + 1, sizeof *list);
      if (list == NULL) return NULL;
      list[count] = -1, count = 0;
    }
    for (int k = 0; k < coupling->spot_count; k++) {
      const flg_driven_spot *spot = &coupling->spots[k];
      if ((are_driven ? spot->subsystem : spot->owner) != subsystem) continue;
      if (list != NULL) list[count] = k;
      count++;
    }
    if (list != NULL) return list;
  }
  return NULL;
}

flg_status flg_coupling_spots_build(flg_coupling *coupling, flg_error *error) {
  const size_t n = (size_t)coupling->system.subsystem_count;
  const size_t m = FLG_INTERFACE_ANCHORS_MAX * (size_t)coupling->system.interface_count;
  flg_region *region = &coupling->region;
  coupling->spots = flg_region_take(region, m, sizeof *coupling->spots);
  coupling->spots_on = flg_region_take(region, n, sizeof *coupling->spots_on);
  coupling->spots_from = flg_region_take(region, n, sizeof *coupling->spots_from);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for interfaces");
  list_spots(coupling);
  for (int k = 0; k < (int)n; k++) {
    coupling->spots_on[k] = list_numbers(coupling, k, true);
    coupling->spots_from[k] = list_numbers(coupling, k, false);
  }
  return region->failed ? flg_fail(error, FLG_ERR_MEMORY, "there is no memory for interfaces")
                        : FLG_OK;
}
