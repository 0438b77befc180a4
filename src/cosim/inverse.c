#include "cosim/inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tolerances.h"
#include "component/assembly_contract.h"
#include "cosim/landing.h"
#include "math/larger.h"
#include "robot/robot_inverse.h"

/* Of angles in rad, of displacements by the length of the robot: trajectories may be rounded.
 * Velocities may be off by what makes as much of it in a macro step. */
static const double START_SLACK = 1e-6;
static const double MOST_SAMPLES = 1e15;

struct flg_inverse {
  flg_simulation *simulation;
  flg_inverse_options options;
  flg_landing landing; /* the subsystem on its trajectory */
  int64_t samples, sample;
  double *acceleration; /* (velocities) */
  double *forces;       /* (velocities), applied to the subsystem */
  flg_inverse_outcome outcome;
  flg_region region;
};

static const flg_robot_subsystem *inverse_robot(const flg_inverse *inverse) {
  return inverse->landing.lander.subsystem;
}

/* ---- set-up ---- */

static flg_place place_of_robot(const flg_robot_subsystem *subsystem) {
  return (flg_place){.file = subsystem->model->file};
}

static const flg_joint *joint_of_velocity(const flg_robot_subsystem *subsystem, int velocity) {
  const flg_robot *robot = &subsystem->robot;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    if (velocity < link->velocity || velocity >= link->velocity + link->velocity_count) continue;
    return &subsystem->model->joints[link->joint];
  }
  return NULL;
}

static void inverse_check_start(const flg_inverse *inverse, flg_mistakes *mistakes) {
  const flg_robot_subsystem *subsystem = inverse_robot(inverse);
  const flg_controller *followed = inverse->options.followed;
  double *value = inverse->landing.value, *rate = inverse->landing.rate;
  flg_curve_evaluate(&followed->curve, 0, value, rate, NULL);
  for (int k = 0; k < followed->count; k++) {
    const double q = subsystem->q[followed->positions[k]],
                 v = subsystem->v[followed->velocities[k]];
    const double slack = START_SLACK * inverse->landing.unit_of[k];
    if (fabs(q - value[k]) <= slack && fabs(v - rate[k]) * inverse->landing.macro <= slack) {
      continue;
    }
    flg_mistake_add(mistakes, FLG_ERR_INPUT, place_of_robot(subsystem),
                    "joint '%s' of '%s' starts at %.9g with velocity %.9g, its trajectory at %.9g "
                    "with %.9g; change `initial` of the scenario or the trajectory",
                    joint_of_velocity(subsystem, followed->velocities[k])->name,
                    subsystem->options.name, q, v, value[k], rate[k]);
  }
}

static void check_driven(const flg_inverse *inverse, flg_mistakes *mistakes) {
  const flg_robot_subsystem *subsystem = inverse_robot(inverse);
  const flg_controller *followed = inverse->options.followed;
  for (int k = 0; k < subsystem->robot.velocity_count; k++) {
    bool driven = joint_of_velocity(subsystem, k)->mimic.joint >= 0;
    for (int j = 0; j < followed->count; j++) driven = driven || followed->velocities[j] == k;
    if (driven) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, place_of_robot(subsystem),
                    "joint '%s' of '%s' is not in the trajectory; continuous inverse dynamics "
                    "needs all joints, discrete lets the others move freely",
                    joint_of_velocity(subsystem, k)->name, subsystem->options.name);
  }
}

static void disable_controllers(flg_robot_subsystem *subsystem) {
  for (int k = 0; k < subsystem->controller_count; k++) {
    flg_robot_subsystem_enable_controller(subsystem, k, false);
  }
}

static void inverse_set_up(flg_inverse *inverse, flg_mistakes *mistakes) {
  const flg_inverse_options *options = &inverse->options;
  const flg_curve *curve = &options->followed->curve;
  const double end = fmax(curve->times[curve->knots - 1], 0);
  inverse->samples = 1 + (int64_t)fmin(ceil(end / options->sample - FLG_TIME_SLACK), MOST_SAMPLES);
  inverse->outcome.excess_joint = -1;
  if (options->discrete) {
    const bool is_told = options->sample_at.file != NULL;
    const flg_place place = is_told ? options->sample_at : place_of_robot(inverse_robot(inverse));
    const int64_t held = flg_steps_in(options->sample, inverse->landing.micro, "a step",
                                      "the sample", place, mistakes);
    flg_landing_hold(&inverse->landing, held > 0 ? held : 1);
  } else {
    check_driven(inverse, mistakes);
  }
  inverse_check_start(inverse, mistakes);
}

/* FLG_ERR_INPUT with a mistake if it is nothing that could follow a trajectory */
static flg_status find_lander(flg_simulation *simulation, const flg_inverse_options *options,
                              flg_lander *lander, flg_mistakes *mistakes) {
  const flg_subsystem *part = &simulation->subsystems[options->subsystem];
  *lander = (flg_lander){.part = part,
                         .assembly = flg_subsystem_assembly(part),
                         .robot = options->robot,
                         .subsystem = flg_subsystem_robot(part),
                         .followed = options->followed,
                         .pressures = options->pressures};
  if (lander->assembly != NULL) {
    lander->subsystem = flg_subsystem_robot(flg_assembly_guest(lander->assembly, lander->robot));
  }
  const char *wrong = NULL;
  if (lander->subsystem == NULL) {
    wrong = "is no robot: forces are found for robots only";
  } else if (simulation->coupling != NULL) {
    wrong = "is coupled to others; forces are found with coupling.scheme=monolithic";
  } else if (lander->assembly != NULL && !options->discrete) {
    wrong = "is joined to others; forces for it are discrete ones";
  } else if (lander->assembly == NULL && lander->pressures != NULL) {
    wrong = "is a robot on its own; forces of contacts act on what it is joined to";
  }
  if (wrong == NULL) return FLG_OK;
  return flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){0}, "'%s' %s", part->name, wrong);
}

/* frames for the pressures */
static flg_status open_frames(const flg_lander *lander) {
  if (lander->pressures == NULL) return FLG_OK;
  return flg_assembly_press(lander->assembly, lander->pressures->points, lander->pressures->count);
}

flg_status flg_inverse_build(flg_inverse **inverse, flg_simulation *simulation,
                             const flg_inverse_options *options, flg_mistakes *mistakes) {
  flg_lander lander;
  const flg_status status = find_lander(simulation, options, &lander, mistakes);
  if (status != FLG_OK) return status;
  flg_robot_subsystem *subsystem = lander.subsystem;
  flg_inverse *built = calloc(1, sizeof *built);
  const int before = mistakes->count;
  if (built == NULL || open_frames(&lander) != FLG_OK) {
    free(built);
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, place_of_robot(subsystem), "no memory left");
  }
  const size_t nv = (size_t)subsystem->robot.velocity_count;
  built->simulation = simulation;
  built->options = *options;
  built->acceleration = flg_region_take(&built->region, nv, sizeof *built->acceleration);
  built->forces = flg_region_take(&built->region, nv, sizeof *built->forces);
  flg_landing_build(&built->landing, simulation, &lander, built->forces, &built->region);
  if (built->region.failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, place_of_robot(subsystem), "no memory left");
  } else {
    disable_controllers(subsystem);
    inverse_set_up(built, mistakes);
  }
  if (mistakes->count > before) {
    flg_inverse_release(built);
    return mistakes->status;
  }
  subsystem->applied = built->forces;
  *inverse = built;
  return FLG_OK;
}

void flg_inverse_release(flg_inverse *inverse) {
  if (inverse == NULL) return;
  inverse->landing.lander.subsystem->applied = NULL;
  flg_region_release(&inverse->region);
  free(inverse);
}

int64_t flg_inverse_samples(const flg_inverse *inverse) {
  return inverse->samples;
}

flg_inverse_outcome flg_inverse_result(const flg_inverse *inverse) {
  return inverse->outcome;
}

/* ---- continuous ---- */

/* puts the joints that are not locked on the trajectory */
static void inverse_place(flg_inverse *inverse, double time) {
  flg_landing *landing = &inverse->landing;
  const flg_controller *followed = inverse->options.followed;
  flg_robot_subsystem *subsystem = landing->lander.subsystem;
  flg_curve_evaluate(&followed->curve, time, landing->value, landing->rate, landing->residual);
  for (int k = 0; k < followed->count; k++) {
    const int velocity = followed->velocities[k];
    const bool locked = subsystem->locked[velocity] > 0;
    if (!locked) subsystem->q[followed->positions[k]] = landing->value[k];
    subsystem->v[velocity] = locked ? 0 : landing->rate[k];
    inverse->acceleration[velocity] = locked ? 0 : landing->residual[k];
  }
  flg_mimics_place(subsystem->model, &subsystem->robot, subsystem->q);
  flg_mimics_follow(&subsystem->mimics, subsystem->v);
  flg_mimics_follow(&subsystem->mimics, inverse->acceleration);
}

static void compute_continuous(flg_inverse *inverse, double time) {
  flg_landing *landing = &inverse->landing;
  double point;
  while (flg_landing_next_event(landing, &point) &&
         point <= time + FLG_TIME_SLACK * inverse->options.sample) {
    inverse_place(inverse, point);
    flg_landing_apply(landing, point);
  }
  inverse_place(inverse, time);
  memset(inverse->forces, 0,
         (size_t)landing->lander.subsystem->robot.velocity_count * sizeof *inverse->forces);
  flg_robot_subsystem_inverse(landing->lander.subsystem, inverse->acceleration, inverse->forces);
}

/* ---- step ---- */

static void judge_force(flg_inverse *inverse, double time, int velocity, double force) {
  flg_inverse_outcome *outcome = &inverse->outcome;
  const flg_robot_subsystem *subsystem = inverse_robot(inverse);
  const flg_joint *joint = joint_of_velocity(subsystem, velocity);
  outcome->force = flg_larger(outcome->force, fabs(force));
  if (!(fabs(force) > outcome->excess * joint->effort_limit)) return;
  outcome->excess = fabs(force) / joint->effort_limit;
  outcome->excess_joint = (int)(joint - subsystem->model->joints);
  outcome->excess_time = time, outcome->excess_force = force;
}

static flg_status inverse_land(flg_inverse *inverse, double time, flg_error *error) {
  const flg_landed landed = flg_landing_solve(&inverse->landing, time + inverse->options.sample);
  flg_inverse_outcome *outcome = &inverse->outcome;
  outcome->position = flg_larger(outcome->position, landed.position);
  outcome->velocity = flg_larger(outcome->velocity, landed.velocity);
  outcome->trials = landed.trials > outcome->trials ? landed.trials : outcome->trials;
  if (landed.found) return FLG_OK;
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "No forces held from t = %.6g s on bring '%s' to its trajectory %.6g s later: "
                  "joint '%s' misses it by %.3g. Try a smaller step, or continuous forces.",
                  time, inverse_robot(inverse)->options.name, inverse->options.sample,
                  joint_of_velocity(inverse_robot(inverse), landed.velocity_index)->name,
                  landed.position);
}

flg_status flg_inverse_step(flg_inverse *inverse, double *forces, flg_error *error) {
  const double time = (double)inverse->sample * inverse->options.sample;
  const flg_controller *followed = inverse->options.followed;
  if (inverse->options.discrete) {
    const flg_status status = inverse_land(inverse, time, error);
    if (status != FLG_OK) return status;
  } else {
    compute_continuous(inverse, time);
  }
  inverse->sample++;
  for (int k = 0; k < followed->count; k++) {
    forces[k] = inverse->forces[followed->velocities[k]];
    judge_force(inverse, time, followed->velocities[k], forces[k]);
  }
  return FLG_OK;
}
