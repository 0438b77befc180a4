/* assembly_contract.c - an assembly behind the contract of subsystem.h. */
#include <math.h>
#include <stdio.h>

#include "assembly/assembly_actions.h"
#include "assembly/assembly_contacts.h"
#include "assembly/assembly_coupled.h"
#include "assembly/assembly_identity.h"
#include "assembly/assembly_inputs.h"
#include "assembly/assembly_objects.h"
#include "assembly/assembly_signals.h"

/* --- what went wrong ----------------------------------------------------------------------------
 */

static bool is_finite(const double *values, int count) {
  for (int k = 0; k < count; k++) {
    if (!isfinite(values[k])) return false;
  }
  return true;
}

static bool is_lost(const flg_assembly *assembly, const flg_parts *parts, int part) {
  const flg_part_slice slice = parts->ops->slice(parts, part);
  return !is_finite(assembly->state.q + parts->position + slice.position, slice.position_count) ||
         !is_finite(assembly->state.v + parts->velocity + slice.velocity, slice.velocity_count);
}

/* the first part that is not finite; false if all are */
static bool name_lost(const flg_assembly *assembly, char text[FLG_BLAME_TEXT]) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count; i++) {
      if (!is_lost(assembly, parts, i)) continue;
      snprintf(text, FLG_BLAME_TEXT, "%s '%s'", parts->ops->kind, parts->ops->name(parts, i));
      return true;
    }
  }
  return false;
}

static void blame(const void *self, char text[FLG_BLAME_TEXT]) {
  const flg_assembly *assembly = self;
  if (name_lost(assembly, text)) return;
  const flg_closure widest = flg_assembly_closure(assembly);
  if (widest.joint < 0) return;
  snprintf(text, FLG_BLAME_TEXT, "joint '%s'", flg_assembly_joint_name(assembly, widest.joint));
}

/* of a part that says why it failed; NULL: none does */
static const char *complaint_of(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->complaint == NULL) continue;
    const char *text = parts->ops->complaint(parts);
    if (text[0] != '\0') return text;
  }
  return NULL;
}

/* The prescribed motion that has no value or rate where it was last asked. Some steps use its
 * acceleration, too: `failed` says that one of them may have. */
static flg_status check_motions(const flg_assembly *assembly, double time, bool failed,
                                flg_error *error) {
  for (int k = assembly->model.rigid_count - assembly->model.motion_count;
       k < assembly->model.rigid_count; k++) {
    const flg_jet *target = &assembly->model.row_sets[k].target;
    if (isfinite(target->value) && isfinite(target->rate) && (!failed || isfinite(target->rise))) {
      continue;
    }
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "motion '%s' has no finite value, rate or acceleration near t = %.6g s: look "
                    "at what it follows.",
                    flg_assembly_joint_name(assembly, k), time);
  }
  return FLG_OK;
}

/* a signal, a motion, or a robot or plug-in in it, that computed a number that is not finite */
static flg_status check(const void *self, double time, flg_error *error) {
  const flg_assembly *assembly = self;
  double since;
  const char *undefined = flg_signals_undefined(assembly, &since);
  if (undefined != NULL) {
    return flg_fail(
        error, FLG_ERR_DIVERGED,
        "'%s' has no value at t = %.6g s: its formula takes the square root, logarithm, "
        "arc sine or quotient of numbers for which there is none, or grows too large.",
        undefined, since);
  }
  if (check_motions(assembly, time, false, error) != FLG_OK) return FLG_ERR_DIVERGED;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; parts->ops->subsystem != NULL && i < parts->count; i++) {
      const flg_subsystem *part = parts->ops->subsystem(parts, i);
      if (part->ops->check == NULL) continue;
      const flg_status status = part->ops->check(part->self, time, error);
      if (status != FLG_OK) return status;
    }
  }
  return FLG_OK;
}

static flg_status explain(const flg_assembly *assembly, flg_status status, double time, double h,
                          flg_error *error) {
  char lost[FLG_BLAME_TEXT];
  const flg_assembly_touch *touch = assembly->model.touch;
  if (touch != NULL && touch->error.message[0] != '\0') {
    return flg_fail(error, status, "after t = %.6g s: %s", time, touch->error.message);
  }
  const char *complaint = complaint_of(assembly);
  if (complaint != NULL) return flg_fail(error, status, "%s", complaint);
  if (check(assembly, time, error) != FLG_OK) return FLG_ERR_DIVERGED;
  if (check_motions(assembly, time, true, error) != FLG_OK) return FLG_ERR_DIVERGED;
  if (name_lost(assembly, lost)) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "%s is no longer at a finite place or speed after t = %.6g s. Try a smaller "
                    "step.",
                    lost, time);
  }
  const char *signal = flg_signals_lost(assembly);
  if (signal != NULL) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "the state of '%s' is no longer finite after t = %.6g s. Try a smaller step.",
                    signal, time);
  }
  if (assembly->scratch.spun != NULL) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "body '%s' turns by about half a turn or more in a step of %.6g s, after t = "
                    "%.6g s. Take a shorter step.",
                    assembly->scratch.spun, h, time);
  }
  const flg_closure widest = flg_assembly_closure(assembly);
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "joint '%s' cannot be closed after t = %.6g s: %.3g (m or rad) is left. Is it "
                  "out of reach, or the step of %.6g s too long?",
                  flg_assembly_joint_name(assembly, widest.joint), time, widest.position, h);
}

/* --- the contract -------------------------------------------------------------------------------
 */

flg_status flg_assembly_advance_or_say(flg_assembly *assembly, double time, double h, int first,
                                       int count, flg_error *error) {
  const flg_status status = flg_assembly_advance(assembly, time, h, first, count);
  return status == FLG_OK ? FLG_OK : explain(assembly, status, time + first * h, h, error);
}

static flg_status advance(void *self, double time, double h, int first, int count,
                          flg_error *error) {
  return flg_assembly_advance_or_say(self, time, h, first, count, error);
}

static void refresh(void *self, double time) {
  flg_assembly_refresh(self, time);
}

static double energy(const void *self) {
  return flg_assembly_energy(self);
}

static const char *integrator(const void *self) {
  static const char *const words[FLG_SCHEME_COUNT] = {[FLG_SCHEME_RATTLE] = "rattle",
                                                      [FLG_SCHEME_RK4] = "rk4",
                                                      [FLG_SCHEME_SEMI_IMPLICIT] = "semi-implicit"};
  const flg_assembly *assembly = self;
  return words[assembly->model.options.scheme];
}

static flg_status ask(void *self, int object, int quantity) {
  return flg_assembly_objects_ask(self, object, quantity);
}

static const char *warning(const void *self) {
  return flg_assembly_warning(self);
}

static flg_status judge(const void *self, flg_error *error) {
  return flg_assembly_judge(self, error);
}

static double kinetic_energy(const void *self) {
  return flg_assembly_kinetic_energy(self);
}

static flg_subsystem_state state(const void *self) {
  const flg_assembly *assembly = self;
  return (flg_subsystem_state){
      .values = assembly->state.numbers,
      .count = assembly->model.state_count,
      .motion = assembly->model.position_count + assembly->model.velocity_count};
}

static uint64_t identity(const void *self, uint64_t seed) {
  return flg_assembly_identity(self, seed);
}

static const flg_object *objects(const void *self, int *count) {
  const flg_assembly *assembly = self;
  *count = assembly->model.objects->count;
  return assembly->model.objects->list;
}

static void read(const void *self, int object, int quantity, double *values) {
  flg_assembly_objects_read(self, object, quantity, values);
}

static void release(void *self) {
  flg_assembly_release(self);
}

static flg_status aim(const void *self, flg_action action, const char *path, int value_count,
                      int *target, flg_error *error) {
  return flg_assembly_aim(self, action, path, value_count, target, error);
}

static void act(void *self, flg_action action, int target, const double *values) {
  flg_assembly_act(self, action, target, values);
}

static flg_status open_input(void *self, flg_input_kind kind, const char *path, int *number,
                             int *width, flg_error *error) {
  return flg_assembly_open_input(self, kind, path, number, width, error);
}

static void write_input(void *self, int number, double time, const double *values) {
  flg_assembly_write_input(self, number, time, values);
}

static flg_status open_probe(void *self, const char *const *paths, int count, int *number,
                             flg_error *error) {
  return flg_assembly_open_probe(self, paths, count, number, error);
}

static flg_status probe(void *self, int number, double time, double tau,
                        flg_interface_model *model) {
  return flg_assembly_look(self, number, time, tau, model);
}

static flg_constraint_errors constraints(const void *self) {
  const flg_closure closure = flg_assembly_closure(self);
  return (flg_constraint_errors){closure.position, closure.velocity};
}

static flg_contacts *contacts(const void *self) {
  const flg_assembly *assembly = self;
  return assembly->model.touch == NULL ? NULL : assembly->model.touch->contacts;
}

static flg_touched touched(const void *self, int shape) {
  const flg_assembly *assembly = self;
  const flg_component *component = assembly->model.component;
  const flg_shape *source = &component->shapes[assembly->model.touch->shapes.sources[shape]];
  flg_touched on = {.shape = source};
  on.body = flg_assembly_body_name(assembly, source->robot - 1, source->body, &on.robot);
  return on;
}

static bool has_driven_guests(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.component->robot_count; k++) {
    const flg_subsystem *guest = flg_assembly_guest(assembly, k);
    if (flg_subsystem_energy_law(guest) == FLG_ENERGY_DRIVEN) return true;
  }
  for (int k = 0; k < assembly->model.options.insert_count; k++) {
    const flg_subsystem *insert = assembly->model.options.inserts[k].subsystem;
    if (flg_subsystem_energy_law(insert) == FLG_ENERGY_DRIVEN) return true;
  }
  return false;
}

static bool is_driven(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    if (assembly->model.forces[k].force.kind->gives_energy) return true;
  }
  return assembly->model.signals != NULL || assembly->model.pressure_count > 0 ||
         has_driven_guests(assembly);
}

/* Semi-implicit steps leave stiff springs stretched by what a motion curves in a step: their energy
 * is no measure. */
static bool has_stretched(const flg_assembly *assembly) {
  return assembly->model.options.scheme == FLG_SCHEME_SEMI_IMPLICIT &&
         assembly->model.even_count > 0;
}

static bool has_dampers(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    flg_law law[FLG_FORCE_ROWS_MAX];
    double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX];
    const flg_running_force *own = &assembly->model.forces[k];
    if (own->force.kind->law == NULL) continue;
    const int rows = flg_assembly_law(assembly, k, law, value, rate);
    for (int i = 0; i < rows; i++) {
      if (law[i].damping > 0) return true;
    }
  }
  return false;
}

static flg_energy_law energy_law(const void *self) {
  const flg_assembly *assembly = self;
  if (is_driven(assembly)) return FLG_ENERGY_DRIVEN;
  if (has_stretched(assembly)) return FLG_ENERGY_SWINGS;
  const bool falls = assembly->model.touch != NULL || assembly->state.limits.count > 0 ||
                     assembly->model.component->robot_count > 0 || has_dampers(assembly);
  return falls ? FLG_ENERGY_FALLS : FLG_ENERGY_STAYS;
}

/* parts and joints that are faster done than handed over */
enum { FEW = 16 };

static void share(void *self, flg_threads *threads) {
  flg_assembly *assembly = self;
  const int all = assembly->model.part_count + assembly->model.row_set_count;
  if (all < FEW || flg_threads_count(threads) == 1) threads = NULL;
  assembly->model.options.threads = assembly->scratch.mode.threads = threads;
  if (assembly->model.touch != NULL) flg_contacts_share(assembly->model.touch->contacts, threads);
}

static const flg_subsystem_ops assembly_ops = {.kind = "assembly",
                                               .advance = advance,
                                               .refresh = refresh,
                                               .energy = energy,
                                               .integrator = integrator,
                                               .warning = warning,
                                               .judge = judge,
                                               .check = check,
                                               .ask = ask,
                                               .kinetic_energy = kinetic_energy,
                                               .energy_law = energy_law,
                                               .state = state,
                                               .identity = identity,
                                               .objects = objects,
                                               .read = read,
                                               .release = release,
                                               .actions = (1u << FLG_ACTION_COUNT) - 1,
                                               .aim = aim,
                                               .act = act,
                                               .open_input = open_input,
                                               .write_input = write_input,
                                               .open_probe = open_probe,
                                               .probe = probe,
                                               .constraints = constraints,
                                               .blame = blame,
                                               .share = share,
                                               .contacts = contacts,
                                               .touched = touched,
                                               .coupled = &flg_assembly_coupled_ops};

flg_status flg_assembly_register(flg_assembly *assembly, const char *name, flg_subsystem *subsystem,
                                 flg_error *error) {
  return flg_subsystem_build(subsystem, name, &assembly_ops, assembly, error);
}

flg_assembly *flg_subsystem_assembly(const flg_subsystem *subsystem) {
  return subsystem->ops == &assembly_ops ? subsystem->self : NULL;
}
