/* flexible_arm.h - the arm of examples/ssrms with flexible booms (flexible-rim), 15 degrees of
 * freedom. Needs no cmocka. */
#ifndef FLG_TESTS_FLEXIBLE_ARM_H
#define FLG_TESTS_FLEXIBLE_ARM_H

#include "model/beam.h"
#include "sample.h"

typedef struct flexible_arm {
  sample *s;
  flg_region region;
  flg_beam_piece piece;
  flg_beam beam;
  flg_modal_body boom;
} flexible_arm;

/* Booms 3 and 4 with the given clamped-free modes a plane; E 69 GPa times `stiffer`. */
static inline flexible_arm *flexible_arm_build(int modes, double stiffer, double damping,
                                               bool stiffens) {
  flexible_arm *arm = calloc(1, sizeof *arm);
  sample_require(arm != NULL, "no memory");
  arm->s = sample_arm_model();
  arm->piece = (flg_beam_piece){.length = 6.85,
                                .section = flg_beam_circle(0.3),
                                .young = 69e9 * stiffer,
                                .shear = 26e9 * stiffer,
                                .density = 2700};
  arm->beam = (flg_beam){.end = {6.85, 0, 0},
                         .side = {0, 1, 0},
                         .pieces = &arm->piece,
                         .piece_count = 1,
                         .ends = FLG_BEAM_CLAMPED_FREE,
                         .counts = {modes, modes, 0, 0},
                         .stiffens = stiffens,
                         .rotary = true};
  sample_require(flg_beam_build(&arm->beam, &arm->boom, &arm->region) == FLG_OK, "beam");
  if (damping > 0) {
    sample_require(flg_modal_damp(&arm->boom, damping, &arm->region) == FLG_OK, "damping");
  }
  arm->s->model.bodies[2].flexible = arm->s->model.bodies[3].flexible = &arm->boom;
  sample_finish(arm->s);
  return arm;
}

static inline void flexible_arm_release(flexible_arm *arm) {
  sample_release(arm->s);
  flg_region_release(&arm->region);
  free(arm);
}

/* Joints at a pose [degrees], all else at zero. */
static inline void flexible_arm_pose(const flg_robot *robot, const double degrees[ARM_LINKS],
                                     double *q) {
  flg_robot_zero(robot, q);
  for (int k = 0; k < ARM_LINKS; k++) {
    q[robot->links[robot->joint_links[k]].position] = degrees[k] * 3.14159265358979323846 / 180;
  }
}

#endif
