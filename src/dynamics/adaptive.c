#include "dynamics/adaptive.h"

#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>

#include "base/opened_library.h"

#define SUNDIALS_NAMES(NAME)   \
  NAME(ERKStepCreate)          \
  NAME(ERKStepEvolve)          \
  NAME(ERKStepFree)            \
  NAME(ERKStepReInit)          \
  NAME(ERKStepSVtolerances)    \
  NAME(ERKStepSetErrHandlerFn) \
  NAME(ERKStepSetMaxNumSteps)  \
  NAME(ERKStepSetStopTime)     \
  NAME(ERKStepSetTableNum)     \
  NAME(ERKStepSetUserData)     \
  NAME(N_VConst)               \
  NAME(N_VDestroy)             \
  NAME(N_VNew_Serial)          \
  NAME(SUNContext_Create)      \
  NAME(SUNContext_Free)

static struct { SUNDIALS_NAMES(FLG_OPENED_POINTER) } sundials;
static const char *const sundials_names[] = {SUNDIALS_NAMES(FLG_OPENED_NAME)};
static flg_opened_library library = {.file = FLANGE_SUNDIALS,
                                     .package = "libsundials-arkode5",
                                     .use = "The integrator 'adaptive'",
                                     FLG_OPENED_TABLE(sundials)};

enum { MOST_STEPS = FLG_ADAPTIVE_STEPS }; /* inside one step of ours */

/* Of the time of the system: the first step, at set-up. Its result is not used: with 1e-15 and 1e-3
 * runs have the same bits. */
static const double INSTANT = 1e-9;

struct flg_adaptive {
  flg_integrated system;
  double *q; /* unit quaternions for the system (positions) */
  SUNContext context;
  N_Vector state;    /* q, then v */
  N_Vector absolute; /* tolerances of these */
  flg_integrator_options options;
  void *solver;
  const volatile int *stop; /* not 0: steps end early; NULL: there is no such flag */
};

/* y = (q, v): y' = (rate(q, v), a(t, q, v)) */
static int cvode_slope(realtype time, N_Vector y, N_Vector rate, void *user) {
  const flg_adaptive *adaptive = user;
  if (adaptive->stop != NULL && *adaptive->stop != 0) return -1; /* SUNDIALS gives up at once */
  const flg_robot *robot = adaptive->system.robot;
  const double *v = NV_DATA_S(y) + robot->position_count;
  /* a copy: stages leave the unit sphere, and the solver's own vector must not be changed */
  memcpy(adaptive->q, NV_DATA_S(y), (size_t)robot->position_count * sizeof(double));
  flg_robot_normalise(robot, adaptive->q);
  flg_robot_rate(robot, adaptive->q, v, NV_DATA_S(rate));
  adaptive->system.acceleration(adaptive->system.system, time, adaptive->q, v, v,
                                NV_DATA_S(rate) + robot->position_count);
  return 0;
}

/* the reason comes back as a return value; the library prints nothing */
static void keep_quiet(int code, const char *module, const char *function, char *message,
                       void *user) {
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

static const double LEAST_PER_STEP = 5e-15; /* of a value: some units in the last place */

/* ARKODE bounds the error of each of its steps, users mean that of the result: ask for a hundredth,
 * as far as rounding allows */
static double per_step(double tolerance) {
  return fmax(0.01 * tolerance, LEAST_PER_STEP);
}

/* Of angles the tolerance itself, of displacements that times the length of the robot, of
 * velocities either in the time of the system: a step is no measure, since errors of velocities add
 * up over many. */
static bool set_tolerances(flg_adaptive *adaptive) {
  const flg_robot *robot = adaptive->system.robot;
  if (robot->velocity_count == 0) return true; /* nothing moves: steps do nothing */
  const double length = flg_robot_length(robot);
  double *q = NV_DATA_S(adaptive->absolute), *v = q + robot->position_count;
  sundials.N_VConst(per_step(adaptive->options.absolute), adaptive->absolute);
  for (int k = 0; k < robot->velocity_count && adaptive->system.time > 0; k++) {
    v[k] /= adaptive->system.time;
  }
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    for (int k = 0; k < link->displacement_count; k++) {
      q[link->position + k] *= length, v[link->velocity + k] *= length;
    }
  }
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    for (int k = 0; k < flex->body.modes; k++) {
      q[flex->position + k] *= length, v[flex->velocity + k] *= length;
    }
  }
  return sundials.ERKStepSVtolerances(adaptive->solver, per_step(adaptive->options.relative),
                                      adaptive->absolute) == ARK_SUCCESS;
}

static bool start_solver(flg_adaptive *adaptive) {
  const flg_robot *robot = adaptive->system.robot;
  const long count = (long)robot->position_count + robot->velocity_count;
  if (sundials.SUNContext_Create(NULL, &adaptive->context) != 0) return false;
  adaptive->q = calloc((size_t)robot->position_count + 1, sizeof(double));
  adaptive->state = sundials.N_VNew_Serial(count, adaptive->context);
  adaptive->absolute = sundials.N_VNew_Serial(count, adaptive->context);
  if (adaptive->q == NULL || adaptive->state == NULL || adaptive->absolute == NULL) return false;
  sundials.N_VConst(0, adaptive->state);
  flg_robot_zero(robot, NV_DATA_S(adaptive->state));
  adaptive->solver = sundials.ERKStepCreate(cvode_slope, 0, adaptive->state, adaptive->context);
  return adaptive->solver != NULL &&
         sundials.ERKStepSetErrHandlerFn(adaptive->solver, keep_quiet, NULL) == ARK_SUCCESS &&
         sundials.ERKStepSetUserData(adaptive->solver, adaptive) == ARK_SUCCESS &&
         /* Verner, order 6 with an estimate of order 5: tolerances of this integrator are small,
          * and high orders then need the fewest evaluations. */
         sundials.ERKStepSetTableNum(adaptive->solver, ARKODE_VERNER_8_5_6) == ARK_SUCCESS &&
         sundials.ERKStepSetMaxNumSteps(adaptive->solver, MOST_STEPS) == ARK_SUCCESS &&
         set_tolerances(adaptive);
}

/* SUNDIALS takes the rest of its memory in its first step, which is made here, at set-up. One step
 * is enough, however short: stiff beams would need many to reach a given time, and the stop flag is
 * not looked at during set-up. */
static void warm_up(flg_adaptive *adaptive) {
  const double time = adaptive->system.time > 0 ? adaptive->system.time : 1;
  realtype reached = 0;
  (void)sundials.ERKStepEvolve(adaptive->solver, INSTANT * time, adaptive->state, &reached,
                               ARK_ONE_STEP);
}

flg_status flg_adaptive_build(flg_adaptive **adaptive, const flg_integrator_options *options,
                              const flg_integrated *system, flg_error *error) {
  const flg_status status = flg_opened_library_open(&library, error);
  if (status != FLG_OK) return status;
  flg_adaptive *built = calloc(1, sizeof *built);
  if (built == NULL) return flg_fail(error, FLG_ERR_MEMORY, "No memory left for an integrator.");
  built->system = *system, built->options = *options;
  if (!start_solver(built)) {
    flg_adaptive_release(built);
    return flg_fail(error, FLG_ERR_MEMORY,
                    "SUNDIALS could not start with tolerances %g (relative) and %g (absolute).",
                    options->relative, options->absolute);
  }
  if (system->robot->velocity_count > 0) warm_up(built);
  *adaptive = built;
  return FLG_OK;
}

void flg_adaptive_release(flg_adaptive *adaptive) {
  if (adaptive == NULL) return;
  if (adaptive->solver != NULL) sundials.ERKStepFree(&adaptive->solver);
  if (adaptive->state != NULL) sundials.N_VDestroy(adaptive->state);
  if (adaptive->absolute != NULL) sundials.N_VDestroy(adaptive->absolute);
  if (adaptive->context != NULL) sundials.SUNContext_Free(&adaptive->context);
  free(adaptive->q);
  free(adaptive);
}

flg_status flg_adaptive_step(flg_adaptive *adaptive, double time, double h, double *q, double *v) {
  const flg_robot *robot = adaptive->system.robot;
  const int nq = robot->position_count, nv = robot->velocity_count;
  if (nv == 0) return FLG_OK; /* nothing moves */
  double *y = NV_DATA_S(adaptive->state);
  memcpy(y, q, (size_t)nq * sizeof *q);
  memcpy(y + nq, v, (size_t)nv * sizeof *v);
  realtype reached = time;
  /* Each step starts from q and v alone: nothing outside of q and v may influence it, or
   * checkpoints would not give the same bits. */
  int flag = sundials.ERKStepReInit(adaptive->solver, cvode_slope, time, adaptive->state);
  if (flag >= 0) flag = sundials.ERKStepSetStopTime(adaptive->solver, time + h);
  if (flag >= 0) {
    flag =
        sundials.ERKStepEvolve(adaptive->solver, time + h, adaptive->state, &reached, ARK_NORMAL);
  }
  memcpy(q, y, (size_t)nq * sizeof *q);
  memcpy(v, y + nq, (size_t)nv * sizeof *v);
  flg_robot_normalise(robot, q);
  if (flag >= 0) return FLG_OK;
  if (adaptive->stop != NULL && *adaptive->stop != 0) return FLG_ERR_INTERRUPTED;
  return flag == ARK_TOO_MUCH_WORK ? FLG_ERR_CAPACITY : FLG_ERR_DIVERGED;
}

void flg_adaptive_watch(flg_adaptive *adaptive, const volatile int *stop) {
  adaptive->stop = stop;
}
