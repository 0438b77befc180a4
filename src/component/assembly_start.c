#include "component/assembly_start.h"

#include <math.h>
#include <stdio.h>

#include "assembly/assembly_inner.h"

/* Velocities that are changed by a smaller share, in the mass norm, were rounded in the file. */
static const double ROUNDED = 1e-4;

flg_status flg_assembly_start_frames(flg_assembly *assembly, const flg_start_options *options,
                                     flg_error *error) {
  flg_fit fit;
  const double tolerance = options->strict ? 0 : options->geometry;
  const flg_status status = flg_assembly_fit(assembly, tolerance, &fit, error);
  if (status != FLG_OK || fit.joint < 0) return status;
  assembly->model.was_fitted = true;
  flg_notice_add(
      options->notices, assembly->model.options.name,
      "joints repeat each other and their geometry does not agree; frames of joints were "
      "moved by up to %.3g m and turned by up to %.3g rad, that of joint '%s' most",
      fit.moved, fit.turned, flg_assembly_joint_name(assembly, fit.joint));
  return FLG_OK;
}

/* --- velocities ---------------------------------------------------------------------------------
 */

typedef struct speed_change {
  double linear, angular; /* largest of all bodies [m/s, rad/s] */
  int body;               /* of the component, whose velocity changed most; -1: one of a robot */
} speed_change;

static speed_change compare(const flg_assembly *assembly) {
  speed_change most = {.body = -1};
  double worst = 0;
  for (int k = 0; k < assembly->model.component->body_count; k++) {
    const flg_component_body *body = &assembly->model.component->bodies[k];
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = {flg_mat3_identity(), body->centre}};
    if (assembly->model.owners[k].of == NULL) continue;
    const flg_spatial now = flg_assembly_velocity(assembly, &anchor);
    const flg_vec3 arm = flg_mat3_apply(&body->pose.rotation, body->centre);
    const flg_spatial change =
        flg_spatial_subtract(now, flg_spatial_shift_motion(body->velocity, arm));
    const double linear = flg_vec3_norm(change.linear), angular = flg_vec3_norm(change.angular);
    most.linear = fmax(most.linear, linear), most.angular = fmax(most.angular, angular);
    if (linear + assembly->model.length * angular <= worst) continue;
    worst = linear + assembly->model.length * angular;
    most.body = k;
  }
  return most;
}

flg_status flg_assembly_start_velocities(flg_assembly *assembly, const flg_start_options *options,
                                         flg_error *error) {
  const double lost = assembly->model.start_energy - flg_assembly_kinetic_energy(assembly);
  if (!isfinite(assembly->model.start_energy)) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "%s: the kinetic energy at the start is %g J: a mass or a speed is too large",
                    assembly->model.options.name, assembly->model.start_energy);
  }
  if (!(lost > ROUNDED * ROUNDED * assembly->model.start_energy)) return FLG_OK;
  const speed_change change = compare(assembly);
  char text[FLG_NOTICE_TEXT];
  snprintf(text, sizeof text,
           "velocities do not fit the joints at the start; they were projected onto them, by up to "
           "%.3g m/s and %.3g rad/s%s%s%s, and kinetic energy fell from %.6g J to %.6g J",
           change.linear, change.angular, change.body < 0 ? "" : " (most that of body '",
           change.body < 0 ? "" : assembly->model.component->bodies[change.body].name,
           change.body < 0 ? "" : "')", assembly->model.start_energy,
           assembly->model.start_energy - lost);
  if (options->strict) {
    return flg_fail(error, FLG_ERR_INPUT, "%s: %s", assembly->model.options.name, text);
  }
  flg_notice_add(options->notices, assembly->model.options.name, "%s", text);
  return FLG_OK;
}
