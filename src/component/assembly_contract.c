#include "component/assembly_contract.h"

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"
#include "component/assembly_actions.h"
#include "component/assembly_coupled.h"
#include "component/assembly_identity.h"
#include "component/assembly_inputs.h"
#include "component/assembly_objects.h"

/* Functions of the contract take void pointers: one line each, so that compilers check the types
 * behind it. */
static flg_status contract_advance(void *self, double time, double h, int first, int count,
                                   flg_error *error) {
  return flg_assembly_advance_or_say(self, time, h, first, count, error);
}

static flg_status assembly_contract_check(const void *self, double time, flg_error *error) {
  return flg_assembly_check(self, time, error);
}

static void assembly_blame(const void *self, char text[FLG_BLAME_TEXT]) {
  flg_assembly_blame(self, text);
}

static void contract_refresh(void *self, double time) {
  flg_assembly_refresh(self, time);
}

static double contract_energy(const void *self) {
  return flg_assembly_energy(self);
}

static const char *assembly_integrator(const void *self) {
  static const char *const words[FLG_SCHEME_COUNT] = {[FLG_SCHEME_RATTLE] = "rattle",
                                                      [FLG_SCHEME_RK4] = "rk4",
                                                      [FLG_SCHEME_SEMI_IMPLICIT] = "semi-implicit"};
  const flg_assembly *assembly = self;
  return words[assembly->model.options.scheme];
}

static const char *warning(const void *self) {
  return flg_assembly_warning(self);
}

static flg_status assembly_judge(const void *self, flg_error *error) {
  return flg_assembly_judge(self, error);
}

/* energy that semi-implicit steps lose where joints turn, an error of the scheme
 * (assembly_passage.c) */
static double wear(const void *self) {
  const flg_assembly *assembly = self;
  return assembly->scratch.passages.worn;
}

static double assembly_kinetic_energy(const void *self) {
  return flg_assembly_kinetic_energy(self);
}

static flg_subsystem_state assembly_state(const void *self) {
  const flg_assembly *assembly = self;
  return (flg_subsystem_state){
      .values = assembly->state.numbers,
      .count = assembly->model.state_count,
      .motion = assembly->model.position_count + assembly->model.velocity_count};
}

static const flg_object *assembly_object_list(const void *self, int *count) {
  const flg_assembly *assembly = self;
  *count = assembly->model.objects->count;
  return assembly->model.objects->list;
}

static void assembly_release(void *self) {
  flg_assembly_release(self);
}

static flg_constraint_errors constraints(const void *self) {
  const flg_closure closure = flg_assembly_closure(self);
  return (flg_constraint_errors){closure.position, closure.velocity};
}

static flg_contacts *assembly_contact_list(const void *self) {
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

/* asked at the start pose: laws with play have their damping at other values of their coordinate */
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

/* The law of energy that the clock checks: energy is constant only if nothing drives and nothing
 * dissipates. */
static flg_energy_law assembly_energy_law(const void *self) {
  const flg_assembly *assembly = self;
  if (is_driven(assembly)) return FLG_ENERGY_DRIVEN;
  if (has_stretched(assembly)) return FLG_ENERGY_SWINGS;
  const bool falls = assembly->model.touch != NULL || assembly->state.limits.count > 0 ||
                     assembly->model.component->robot_count > 0 || has_dampers(assembly);
  return falls ? FLG_ENERGY_FALLS : FLG_ENERGY_STAYS;
}

/* parts and joints that are faster done than handed over */
enum { FEW = 16 };

/* Threads are handed over to where they pay; results are the same with and without them. */
static void assembly_share(void *self, flg_threads *threads) {
  flg_assembly *assembly = self;
  const int all = assembly->model.part_count + assembly->model.row_set_count;
  if (all < FEW || flg_threads_count(threads) == 1) threads = NULL;
  assembly->model.options.threads = assembly->scratch.mode.threads = threads;
  if (assembly->model.touch != NULL) flg_contacts_share(assembly->model.touch->contacts, threads);
}

static const flg_subsystem_ops assembly_ops = {.kind = "assembly",
                                               .advance = contract_advance,
                                               .refresh = contract_refresh,
                                               .energy = contract_energy,
                                               .integrator = assembly_integrator,
                                               .warning = warning,
                                               .judge = assembly_judge,
                                               .wear = wear,
                                               .check = assembly_contract_check,
                                               .ask = flg_assembly_objects_ask,
                                               .kinetic_energy = assembly_kinetic_energy,
                                               .energy_law = assembly_energy_law,
                                               .state = assembly_state,
                                               .identity = flg_assembly_identity,
                                               .objects = assembly_object_list,
                                               .read = flg_assembly_objects_read,
                                               .release = assembly_release,
                                               .actions = (1u << FLG_ACTION_COUNT) - 1,
                                               .aim = flg_assembly_aim,
                                               .act = flg_assembly_act,
                                               .pin = flg_assembly_pin,
                                               .open_input = flg_assembly_open_input,
                                               .write_input = flg_assembly_write_input,
                                               .open_probe = flg_assembly_open_probe,
                                               .probe = flg_assembly_look,
                                               .constraints = constraints,
                                               .blame = assembly_blame,
                                               .share = assembly_share,
                                               .contacts = assembly_contact_list,
                                               .touched = touched,
                                               .coupled = &flg_assembly_coupled_ops};

flg_status flg_assembly_register(flg_assembly *assembly, const char *name, flg_subsystem *subsystem,
                                 flg_error *error) {
  const flg_status status = flg_assembly_objects_build(assembly, error);
  if (status != FLG_OK) return status;
  return flg_subsystem_build(subsystem, name, &assembly_ops, assembly, error);
}

flg_assembly *flg_subsystem_assembly(const flg_subsystem *subsystem) {
  return subsystem->ops == &assembly_ops ? subsystem->self : NULL;
}
