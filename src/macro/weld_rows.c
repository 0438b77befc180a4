#include "macro/weld_rows.h"

bool flg_interface_is_plain_weld(const flg_interface *interface) {
  const flg_interface_end *end = interface->end;
  return interface->kind == FLG_CONSTRAINT_WELD && interface->rows == FLG_WELD_ROWS &&
         interface->element_count == 0 && end[0].subsystem >= 0 && end[1].subsystem >= 0 &&
         end[0].subsystem != end[1].subsystem;
}

void flg_weld_rows(const flg_moving_frame end[2], int first,
                   flg_constraint_row rows[FLG_WELD_ROWS]) {
  const flg_moving_frame *own = &end[first], *other = &end[1 - first];
  const flg_vec3 d = flg_vec3_subtract(own->pose.position, other->pose.position);
  const flg_vec3 parting = flg_vec3_subtract(own->velocity.linear, other->velocity.linear);
  const flg_vec3 bias = flg_vec3_negate(flg_vec3_cross(other->velocity.angular, parting));
  const flg_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double biases[3] = {bias.x, bias.y, bias.z};
  for (int i = 0; i < 3; i++) {
    const flg_vec3 e = axes[i], back = flg_vec3_negate(e);
    rows[i] = (flg_constraint_row){.bias = biases[i]};
    rows[i].side[first] = (flg_spatial){.linear = e};
    rows[i].side[1 - first] = (flg_spatial){back, flg_vec3_cross(d, back)};
    rows[3 + i] = (flg_constraint_row){0};
    rows[3 + i].side[first] = (flg_spatial){.angular = e};
    rows[3 + i].side[1 - first] = (flg_spatial){.angular = back};
  }
}

void flg_weld_measure(const flg_pose end[2], int first, double left[FLG_WELD_ROWS]) {
  const flg_pose *own = &end[first], *other = &end[1 - first];
  flg_spatial apart = {.linear = flg_vec3_subtract(own->position, other->position)};
  for (int k = 0; k < 3; k++) {
    const flg_vec3 across =
        flg_vec3_cross(flg_mat3_column(&other->rotation, k), flg_mat3_column(&own->rotation, k));
    apart.angular = flg_vec3_add_scaled(apart.angular, 0.5, across);
  }
  flg_spatial_store(apart, left);
}
