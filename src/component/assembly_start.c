#include "component/assembly_start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assembly/assembly_inner.h"

/* Velocities that are changed by a smaller share, in the mass norm, were rounded in the file. */
static const double ROUNDED = 1e-4;

/* Frames are moved only where joints repeat each other: elsewhere bodies move, and nothing is left
 * open. */
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

enum { NAMES_TEXT = 360 };

typedef struct speed_change {
  double linear, angular; /* largest of all bodies [m/s, rad/s] */
  int body;               /* of the component, whose velocity changed most; -1: one of a robot */
  bool turns;             /* its angular velocity changed most */
  flg_vec3 said, now;     /* that velocity, or that of its centre of mass */
  double energy;          /* of the changes of velocities that the file gives [J] */
} speed_change;

/* kinetic energy that a body would have with this velocity of its centre [J] */
/* Changes are weighed by their energy: a light body may turn a lot without mattering. */
static double energy_of(const flg_component_body *body, flg_spatial velocity) {
  const flg_vec3 spin = flg_mat3_apply_transposed(&body->pose.rotation, velocity.angular);
  return body->mass / 2 * flg_vec3_dot(velocity.linear, velocity.linear) +
         flg_vec3_dot(spin, flg_sym3_apply(body->inertia, spin)) / 2;
}

/* At centres of mass: the origin of a frame far away would show turning as a displacement. */
static speed_change compare_speeds(const flg_assembly *assembly) {
  speed_change most = {.body = -1};
  double worst = 0;
  for (int k = 0; k < assembly->model.component->body_count; k++) {
    const flg_component_body *body = &assembly->model.component->bodies[k];
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = {flg_mat3_identity(), body->centre}};
    if (assembly->model.owners[k].of == NULL) continue;
    const flg_spatial now = flg_assembly_velocity(assembly, &anchor);
    const flg_vec3 arm = flg_mat3_apply(&body->pose.rotation, body->centre);
    const flg_spatial said = flg_spatial_shift_motion(body->velocity, arm);
    const flg_spatial change = flg_spatial_subtract(now, said);
    const double linear = flg_vec3_norm(change.linear), angular = flg_vec3_norm(change.angular);
    /* as the speed of a point one length away, to be compared with linear ones */
    const double turning = assembly->model.length * angular;
    most.linear = fmax(most.linear, linear), most.angular = fmax(most.angular, angular);
    if (energy_of(body, said) > 0) most.energy += energy_of(body, change);
    if (linear + turning <= worst) continue;
    worst = linear + turning;
    most.body = k, most.turns = turning > linear;
    most.said = most.turns ? said.angular : said.linear;
    most.now = most.turns ? now.angular : now.linear;
  }
  return most;
}

/* ", by up to 1 m/s and 0 rad/s (most that of body 'cart', from [1, 0, 0] to [2, 0, 0] m/s), that
 * of joint 'rail' from 2 to 1" */
static void name_changes(const flg_assembly *assembly, const flg_start_options *options,
                         const speed_change *change, char *text, size_t size) {
  const flg_joint_change *joint = &options->joint;
  size_t used = 0;
  text[0] = 0;
  if (change->body >= 0) {
    const flg_vec3 said = change->said, now = change->now;
    snprintf(text, size,
             ", by up to %.3g m/s and %.3g rad/s (most that of body '%.60s', from [%.3g, %.3g, "
             "%.3g] to [%.3g, %.3g, %.3g] %s)",
             change->linear, change->angular, assembly->model.component->bodies[change->body].name,
             said.x, said.y, said.z, now.x, now.y, now.z, change->turns ? "rad/s" : "m/s");
    used = strlen(text);
  }
  if (joint->name == NULL) return;
  snprintf(text + used, size - used, ", that of joint '%.60s' from %.3g to %.3g", joint->name,
           joint->said, joint->now);
}

flg_status flg_assembly_start_velocities(flg_assembly *assembly, const flg_start_options *options,
                                         flg_error *error) {
  const double before = assembly->model.start_energy, now = flg_assembly_kinetic_energy(assembly);
  if (!isfinite(before)) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "%s: the kinetic energy at the start is %g J: a mass or a speed is too large",
                    assembly->model.options.name, before);
  }
  /* Where robots keep their velocities, bodies may be made faster: what changed is no less
   * reported. */
  const speed_change change = compare_speeds(assembly);
  const double rounded = ROUNDED * ROUNDED;
  if (!(before - now > rounded * before) && !(change.energy > rounded * fmax(before, now))) {
    return FLG_OK;
  }
  char text[FLG_NOTICE_TEXT + NAMES_TEXT], names[NAMES_TEXT];
  name_changes(assembly, options, &change, names, sizeof names);
  snprintf(text, sizeof text,
           "velocities do not fit the joints at the start; they were projected onto them%s, and "
           "kinetic energy %s from %.6g J to %.6g J",
           names, now < before ? "fell" : "rose", before, now);
  if (options->strict) {
    return flg_fail(error, FLG_ERR_INPUT, "%s: %s", assembly->model.options.name, text);
  }
  flg_notice_add(options->notices, assembly->model.options.name, "%s", text);
  return FLG_OK;
}
