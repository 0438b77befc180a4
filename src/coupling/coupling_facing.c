/* What a subsystem meets at the start of a macro step. */
#include "coupling/coupling_inner.h"

bool flg_coupling_sees_all(const flg_coupling *coupling, int viewer, int other) {
  (void)coupling;
  return other != viewer;
}

void flg_coupling_face_frames(flg_coupling *coupling, int subsystem) {
  const bool is_on = coupling->options.pose == FLG_POSE_FEEDBACK;
  flg_meeting *meeting = &coupling->meetings[subsystem];
  flg_meeting_elements_face(&meeting->elements, coupling->system.subsystems,
                            coupling->elements.states);
  for (int k = 0; k < meeting->end_count; k++) {
    flg_meeting_end *end = &meeting->ends[k];
    const flg_moving_frame own =
        flg_interface_frame(end->interface, end->own, coupling->system.subsystems);
    const flg_moving_frame rest =
        flg_interface_frame(end->interface, 1 - end->own, coupling->system.subsystems);
    end->rest = rest.pose;
    end->miss = (flg_spatial){{0}, {0}};
    if (!is_on) continue;
    const flg_mat3 *axes = &own.pose.rotation;
    const flg_mat3 turn = flg_mat3_multiply_transposed(axes, &rest.pose.rotation); /* in our axes */
    const flg_spatial miss = {flg_vec3_subtract(rest.pose.position, own.pose.position),
                              flg_mat3_apply(axes, flg_quat_log(flg_quat_from_matrix(&turn)))};
    end->miss = flg_spatial_scale(miss, coupling->options.feedback / coupling->system.macro);
  }
}

flg_status flg_coupling_join_rest(flg_coupling *coupling, int subsystem, flg_error *error) {
  flg_meeting *meeting = &coupling->meetings[subsystem];
  double *turning = meeting->looks_back ? meeting->turning[1] : NULL;
  const flg_status status =
      flg_rest_join(coupling->rests[subsystem], coupling->reduced, turning, meeting->rest);
  flg_coupling_face_frames(coupling, subsystem);
  if (status != FLG_OK) {
    return flg_fail(error, status, "Subsystem '%s': the model of its rest is no longer finite",
                    coupling->system.subsystems[subsystem].name);
  }
  if (meeting->contacts == NULL) return FLG_OK;
  return flg_meeting_contacts_face(meeting->contacts, coupling->rests[subsystem],
                                   coupling->system.subsystems, coupling->system.macro, error);
}
