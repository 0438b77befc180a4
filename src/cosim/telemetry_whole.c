/* Telemetry of interfaces that are joints of one assembly, where all is solved as one. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_watch.h"
#include "base/name_index.h"
#include "component/assembly_contract.h"
#include "cosim/simulation.h"
#include "forces/force.h"

/* joints and bushings of the top by name; bushings count from the last joint on */
static flg_name_index index_of_watched(const flg_component *component, flg_region *region) {
  flg_name_index names = {0};
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (joint->group == FLG_TOP) flg_name_index_add(&names, joint->name, k, region);
  }
  for (int k = 0; k < flg_forces_count(component); k++) {
    const flg_force force = flg_forces_at(component, k);
    const flg_force_head *head = flg_force_head_of(&force);
    if (force.kind->ends != 2 || head->group != FLG_TOP) continue;
    flg_name_index_add(&names, head->name, component->joint_count + k, region);
  }
  return names;
}

/* as flg_assembly_watch has them */
static void find_watched(const flg_simulation *simulation, const flg_component *component,
                         const flg_name_index *names, int *joints) {
  const int joint_count = component->joint_count;
  for (int k = 0; k < simulation->interface_name_count; k++) {
    const int at = flg_name_index_find(names, simulation->interface_names[k]);
    joints[k] = at < joint_count ? at : flg_watch_of_element(at - joint_count);
  }
}

flg_status flg_telemetry_watch(flg_simulation *simulation) {
  flg_assembly *whole = flg_subsystem_assembly(&simulation->subsystems[0]);
  const flg_component *component = flg_assembly_component(whole);
  const int count = simulation->interface_name_count;
  flg_region work = {0};
  int *joints = flg_region_take(&simulation->region, (size_t)count, sizeof *joints);
  const flg_name_index names = index_of_watched(component, &work);
  const bool has_memory = joints != NULL && !work.failed;
  if (has_memory) find_watched(simulation, component, &names, joints);
  flg_region_release(&work);
  if (!has_memory) return FLG_ERR_MEMORY;
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

static void take_motion(flg_telemetry *telemetry, const flg_simulation *simulation,
                        const flg_assembly *whole, int interface) {
  const flg_watched watched = flg_assembly_watched(whole, interface);
  flg_spatial_store(flg_spatial_scale(watched.impulse, 1 / simulation->macro), telemetry->force);
  memcpy(telemetry->pose_error, watched.apart, sizeof telemetry->pose_error);
  telemetry->energy_residual = fabs(watched.work);
}

/* what is not looked at may be open, and its force with it */
static void leave_rows(flg_telemetry *to, const flg_assembly *whole) {
  if (!flg_assembly_is_redundant(whole)) return;
  for (int i = 0; i < 6; i++) to->force[i] = NAN;
}

void flg_telemetry_take_whole(flg_simulation *simulation) {
  flg_assembly *whole = flg_subsystem_assembly(&simulation->subsystems[0]);
  bool has_begun = false; /* probing rows spoils nothing but right-hand sides */
  flg_status status = FLG_OK;
  int left = 0;
  for (int k = 0; k < simulation->telemetry_count; k++) {
    flg_telemetry *telemetry = &simulation->telemetry[k];
    take_motion(telemetry, simulation, whole, k);
    if (wants_rows(simulation, whole, k)) {
      if (!has_begun) status = flg_assembly_watch_rows(whole);
      if (!has_begun && status == FLG_OK) left = flg_assembly_watched_most(whole);
      has_begun = true;
      telemetry->rank = telemetry->condition = NAN;
      if (left-- > 0) {
        whole_take_rows(telemetry, whole, k);
      } else {
        leave_rows(telemetry, whole);
      }
    }
    flg_telemetry_keep(telemetry);
  }
}
