/* What is known of interfaces that are joints of one assembly, where all is solved as one. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_watch.h"
#include "component/assembly_contract.h"
#include "cosim/simulation.h"
#include "forces/force.h"

/* a joint or a bushing, as flg_assembly_watch has them */
static int joint_named(const flg_component *component, const char *name) {
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (joint->group == FLG_TOP && strcmp(joint->name, name) == 0) return k;
  }
  for (int k = 0; k < flg_forces_count(component); k++) { /* a bushing */
    const flg_force force = flg_forces_at(component, k);
    const flg_force_head *head = flg_force_head_of(&force);
    if (force.kind->ends != 2 || head->group != FLG_TOP) continue;
    if (strcmp(head->name, name) == 0) return flg_watch_of_element(k);
  }
  return -1;
}

flg_status flg_telemetry_watch(flg_simulation *simulation) {
  flg_assembly *whole = flg_subsystem_assembly(&simulation->subsystems[0]);
  const int count = simulation->interface_name_count;
  int *joints = flg_region_take(&simulation->region, (size_t)count, sizeof *joints);
  if (joints == NULL) return FLG_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    joints[k] = joint_named(flg_assembly_component(whole), simulation->interface_names[k]);
  }
  const flg_status status = flg_assembly_watch(whole, joints, count);
  if (status == FLG_OK) simulation->telemetry_count = count;
  return status;
}

static bool wants_rows(const flg_simulation *simulation, const flg_assembly *whole, int interface) {
  if (flg_telemetry_wants_rows(simulation, interface)) return true;
  return (simulation->asked[interface] & FLG_ASKED_FORCE) && flg_assembly_is_redundant(whole);
}

static void whole_take_rows(flg_telemetry *to, flg_assembly *whole, int interface) {
  flg_watched_rows rows;
  to->rank = to->condition = NAN;
  if (flg_assembly_watched_rows(whole, interface, &rows) != FLG_OK) return;
  to->rank = rows.rank;
  if (rows.rows == 0) return; /* a gear that is no joint */
  to->condition =
      rows.rank < rows.rows ? (double)INFINITY : flg_telemetry_condition(rows.rows, rows.inverse);
  for (int i = 0; i < 6; i++) {
    if (rows.is_unique[i]) continue;
    to->force[i] = NAN;
    to->unique = 0;
  }
}

void flg_telemetry_take_whole(flg_telemetry *telemetry, flg_simulation *simulation, int interface) {
  flg_assembly *whole = flg_subsystem_assembly(&simulation->subsystems[0]);
  const flg_watched watched = flg_assembly_watched(whole, interface);
  flg_spatial_store(flg_spatial_scale(watched.impulse, 1 / simulation->macro), telemetry->force);
  memcpy(telemetry->pose_error, watched.apart, sizeof telemetry->pose_error);
  telemetry->energy_residual = fabs(watched.work);
  if (wants_rows(simulation, whole, interface)) whole_take_rows(telemetry, whole, interface);
  flg_telemetry_keep(telemetry);
}
