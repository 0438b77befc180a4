#include "contract/frame_quantities.h"

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};

enum { POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY };
const flg_quantity flg_frame_quantities[FLG_TOUCHED_QUANTITIES] = {
    [POSITION] = {"position", "m", 3, xyz},
    [ORIENTATION] = {"orientation", "", 4, wxyz},
    [VELOCITY] = {"velocity", "m/s", 3, xyz},
    [ANGULAR_VELOCITY] = {"angular_velocity", "rad/s", 3, xyz},
    [FLG_CONTACT_FORCE] = {"contact_force", "N", 3, xyz},
};

static void store_rotation(const flg_mat3 *rotation, double *values) {
  const flg_quat turn = flg_quat_from_matrix(rotation);
  values[0] = turn.w, values[1] = turn.x, values[2] = turn.y, values[3] = turn.z;
}

void flg_frame_read(const flg_moving_frame *frame, int quantity, double *values) {
  switch (quantity) {
    case POSITION:
      flg_vec3_store(frame->pose.position, values);
      break;
    case ORIENTATION:
      store_rotation(&frame->pose.rotation, values);
      break;
    case VELOCITY:
      flg_vec3_store(frame->velocity.linear, values);
      break;
    case ANGULAR_VELOCITY:
    default:
      flg_vec3_store(frame->velocity.angular, values);
      break;
  }
}

static const char *const momentum_axes[] = {"x", "y", "z"};
const flg_quantity flg_momentum_quantities[FLG_MOMENTUM_QUANTITIES] = {
    [FLG_MOMENTUM_LINEAR] = {"linear", "kg m/s", 3, momentum_axes},
    [FLG_MOMENTUM_ANGULAR] = {"angular", "kg m^2/s", 3, momentum_axes},
};

void flg_momentum_read(flg_spatial momentum, int quantity, double *values) {
  flg_vec3_store(quantity == FLG_MOMENTUM_LINEAR ? momentum.linear : momentum.angular, values);
}
