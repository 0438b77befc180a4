/* Frames at which other subsystems push, and bodies that touch. */
#include "assembly/assembly_inner.h"
#include "math/wide_vectors.h"

/* From the port in the plan to the frame: the very numbers with which its velocity is found, so
 * that a frame that is computed again has the same bits as one whose place was known. */
static flg_vec3 outer_arm(const flg_part_anchor *anchor) {
  if (anchor->on == NULL) return (flg_vec3){0, 0, 0};
  return flg_mat3_apply(&anchor->on->pose.rotation, anchor->pose.position);
}

/* frames of all, and from the plan's ports to them; once for all that ask at this state */
FLG_WIDE_VECTORS
void flg_assembly_see_outer_ports(flg_assembly *assembly) {
  flg_stamps *stamps = &assembly->scratch.stamps;
  if (stamps->outer_port_rates == stamps->motion) return;
  for (int k = 0; k < assembly->model.outer_port_count; k++) {
    flg_outer_port *outer_port = &assembly->model.outer_ports[k];
    const flg_moving_frame *on = outer_port->anchor.on;
    if (stamps->outer_ports == stamps->q && on != NULL) {
      outer_port->at.velocity = flg_spatial_shift_motion(on->velocity, outer_port->arm);
      continue;
    }
    const bool is_to_touch = k >= assembly->model.options.outer_port_count;
    if (is_to_touch && on != NULL) { /* the port itself */
      outer_port->at = *on;
      continue;
    }
    outer_port->at = flg_part_anchor_frame(&outer_port->anchor);
    outer_port->arm = outer_arm(&outer_port->anchor);
  }
  stamps->outer_port_rates = stamps->motion, stamps->outer_ports = stamps->q;
}
