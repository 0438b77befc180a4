#include "coupling/coupling_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/input_limits.h"
#include "math/larger.h"

enum { PORT_ROWS = 6, MISSED = 3 /* parts of H, the last of which is left for what is missed */ };

/* --- set-up -------------------------------------------------------------------------------------
 */

/* options that the user leaves open, or cannot change, are as the scheme has them */
static flg_coupling_options coupling_settle(const flg_coupling_options *options) {
  const flg_coupling_scheme *scheme = options->scheme;
  flg_coupling_options settled = *options;
  if (settled.form == FLG_COUPLING_AUTO_FORM) settled.form = scheme->form;
  if (settled.reconcile == FLG_RECONCILE_AUTO || (scheme->fixed & FLG_FIXED_RECONCILE) != 0) {
    settled.reconcile = scheme->reconciles;
  }
  if (settled.pose == FLG_POSE_AUTO) settled.pose = scheme->pose;
  if ((scheme->fixed & FLG_FIXED_CONTACTS) != 0) settled.contacts = scheme->contacts;
  const bool is_literal = settled.elastic == FLG_ELASTIC_LITERAL;
  if (scheme->has_springs && !is_literal) settled.elastic = FLG_ELASTIC_PAPER;
  const bool is_modal = settled.elastic == FLG_ELASTIC_MODAL;
  if (is_modal && (scheme->is_literal || settled.form == FLG_COUPLING_MASS)) {
    settled.elastic = FLG_ELASTIC_IMPLICIT;
  }
  return settled;
}

static flg_status coupling_out_of_memory(flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for the coupling");
}

/* whether contacts are left open in models: else they are part of them (smooth.h) */
static bool keeps_touch(const flg_coupling_options *options) {
  return options->contacts == FLG_REST_NONSMOOTH || options->contacts == FLG_REST_OPENING;
}

static flg_status coupling_check(const flg_coupled_system *system,
                                 const flg_coupling_options *options, flg_error *error) {
  const bool masses_touch = options->form == FLG_COUPLING_MASS && keeps_touch(options);
  for (int k = 0; k < system->subsystem_count; k++) {
    const flg_subsystem *subsystem = &system->subsystems[k];
    if (subsystem->ops->coupled == NULL) {
      return flg_fail(error, FLG_ERR_INPUT, "subsystem '%s' (%s) cannot be coupled with others",
                      subsystem->name, subsystem->ops->kind);
    }
    if (!masses_touch || flg_touch_ports(subsystem) == 0) continue;
    return flg_fail(error, FLG_ERR_INPUT,
                    "subsystem '%s' can touch, and contacts of an effective mass neither open nor "
                    "close: write 'form: admittance', or 'contacts: smooth'",
                    subsystem->name);
  }
  const flg_coupling_scheme *scheme = options->scheme;
  const flg_status status = flg_coupling_repeats_check(system, scheme, error);
  if (status != FLG_OK || scheme->check == NULL) return status;
  return scheme->check(system, options, error);
}

static int coupling_ports_of(const flg_coupling *coupling, int index) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  return subsystem->ops->coupled->ports(subsystem->self);
}

/* How soon a model of a subsystem goes stale: where something decides inside of the macro step or
 * links bend, then where contacts decide, then where joints turn. */
static int staleness(const flg_coupling *coupling, const flg_subsystem *subsystem) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  if (ops->samples_within != NULL && ops->samples_within(subsystem->self, coupling->system.macro)) {
    return 0;
  }
  if (ops->elastic != NULL && ops->elastic(subsystem->self, NULL, NULL)) return 0;
  if (flg_touch_ports(subsystem) > 0) return 1;
  return ops->has_joint_coordinates ? 2 : 3;
}

/* A subsystem that has run is known exactly by those after it: the model that goes stale soonest is
 * used least if its subsystem runs first. Among equals the order of the scenario stays. */
static void put_in_order(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  int count = 0;
  if (coupling->options.order != NULL) {
    memcpy(coupling->order, coupling->options.order,
           (size_t)system->subsystem_count * sizeof *coupling->order);
    return;
  }
  for (int turn = 0; turn <= 3; turn++) {
    for (int k = 0; k < system->subsystem_count; k++) {
      if (staleness(coupling, &system->subsystems[k]) == turn) coupling->order[count++] = k;
    }
  }
}

int flg_coupling_rank(const flg_coupling *coupling, int subsystem) {
  int rank = 0;
  while (coupling->order[rank] != subsystem) rank++;
  return rank;
}

/* whose models a subsystem meets, and at which interfaces others drive it */
static void sort_out_interfaces(const flg_coupling *coupling, int index, bool *others) {
  const flg_coupled_system *system = &coupling->system;
  const flg_coupling_scheme *scheme = coupling->options.scheme;
  for (int k = 0; k < system->subsystem_count; k++) {
    others[k] = scheme->sees != NULL && scheme->sees(coupling, index, k);
  }
  for (int k = 0; k < system->interface_count; k++) {
    coupling->driven[index][k] = scheme->owner != NULL &&
                                 flg_interface_is_on(&system->interfaces[k], index) &&
                                 scheme->owner(coupling, k) != index;
  }
}

/* the law of our own contacts, or else of the first that can touch */
static flg_contact_law_options law_of(const flg_coupling *coupling, int index) {
  for (int k = -1; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k < 0 ? index : k];
    if (flg_touch_ports(subsystem) > 0) {
      return *flg_contacts_law(subsystem->ops->contacts(subsystem->self));
    }
  }
  return flg_contact_law_default();
}

/* No more than a macro run takes: sums of many subsystems stay in range. */
static int contact_points_of(const flg_coupling *coupling, int index) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  if (flg_touch_ports(subsystem) == 0) return 0;
  const int most = flg_contacts_most(subsystem->ops->contacts(subsystem->self));
  return most < FLG_CONTACTS_MOST ? most : FLG_CONTACTS_MOST;
}

/* of a macro run, with those of its rest */
static flg_macro_contacts_size contacts_size(const flg_coupling *coupling, int index) {
  const flg_rest_model *rest = coupling->rests[index];
  flg_macro_contacts_size size = {.own_ports = flg_touch_ports(&coupling->system.subsystems[index]),
                                  .rest_ports = flg_rest_model_touch_ports(rest),
                                  .own_points = coupling->contact_points[index],
                                  .most = coupling->options.contact_points,
                                  .steps = coupling->macro_runs[index].steps_most};
  for (int k = 0; k < size.rest_ports; k++) {
    int subsystem, number;
    flg_rest_model_touch_port(rest, k, &subsystem, &number);
    if (number != 0 || size.rest_points >= FLG_CONTACTS_MOST) continue; /* once for all its ports */
    size.rest_points += coupling->contact_points[subsystem];
  }
  return size;
}

static flg_status build_coupling_contacts(flg_coupling *coupling, int index, flg_error *error) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  const flg_coupling_options *options = &coupling->options;
  flg_macro_contacts **contacts = &coupling->macro_runs[index].contacts;
  const flg_contact_law_options law = law_of(coupling, index);
  const flg_macro_contacts_size size = contacts_size(coupling, index);
  flg_region *region = &coupling->region;
  flg_status status = flg_macro_contacts_build(contacts, &size, &law, region, error);
  if (status == FLG_OK) {
    status =
        flg_touch_account_build(&coupling->macro_runs[index].account, subsystem, region, error);
  }
  if (*contacts != NULL) {
    (*contacts)->kind = options->contacts;
    (*contacts)->potential = options->potential;
  }
  const bool all_stay_open = keeps_touch(options) && options->potential == NULL;
  if (status != FLG_OK || all_stay_open) return status;
  flg_softness softness = {0};
  if (options->contacts == FLG_REST_REGULARISED) {
    const double h = coupling->system.macro / coupling->system.micro_steps[index];
    softness = (flg_softness){options->stiffness, options->damping, h};
  }
  const flg_smooth_scope scope = {index, keeps_touch(options) ? options->potential : NULL};
  return flg_smooth_build(&coupling->smooths[index], subsystem, scope, softness, error);
}

/* a subsystem makes no more micro steps than it or one of its drivers has */
static int most_micro_steps(const flg_coupling *coupling, int index) {
  const flg_coupled_system *system = &coupling->system;
  int most = system->micro_steps[index];
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface *interface = &system->interfaces[k];
    for (int e = 0; e < flg_interface_spots(interface) && coupling->driven[index][k]; e++) {
      const int other = flg_interface_spot(interface, e)->subsystem;
      if (other >= 0 && system->micro_steps[other] > most) most = system->micro_steps[other];
    }
  }
  return most;
}

/* whether a subsystem meets a model of it */
static bool coupling_is_seen(const flg_coupling *coupling, int index) {
  const flg_coupling_scheme *scheme = coupling->options.scheme;
  for (int k = 0; k < coupling->system.subsystem_count && scheme->sees != NULL; k++) {
    if (scheme->sees(coupling, k, index)) return true;
  }
  return false;
}

/* Models of which subsystems have elastic coordinates as states: not those whose contacts are part
 * of their model (smooth.h). */
static int elastic_ports_of(const flg_coupling *coupling, int index) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const flg_coupling_options *options = &coupling->options;
  const bool all_stay_open = keeps_touch(options) && options->potential == NULL;
  if (options->elastic != FLG_ELASTIC_MODAL || ops->elastic_count == NULL) return 0;
  if (!coupling_is_seen(coupling, index)) return 0;
  if (flg_touch_ports(subsystem) > 0 && !all_stay_open) return 0;
  return flg_elastic_ports(ops->elastic_count(subsystem->self));
}

static void take_elastic(flg_coupling *coupling, int index) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  flg_region *region = &coupling->region;
  flg_reduced *reduced = &coupling->reduced[index];
  if (coupling->elastic_ports[index] == 0) return;
  reduced->elastic_count = subsystem->ops->coupled->elastic_count(subsystem->self);
  const size_t n = (size_t)reduced->elastic_count;
  reduced->elastic = (flg_elastic_block){flg_region_take(region, n * n, sizeof(double)),
                                         flg_region_take(region, n * n, sizeof(double)),
                                         flg_region_take(region, n, sizeof(double))};
}

/* kicks are for models of contacts that steps close */
static flg_status check_leaps(const flg_coupling *coupling, const flg_macro_run *macro_run,
                              flg_error *error) {
  if (coupling->options.scheme->has_kicks && !macro_run->is_massive &&
      coupling->options.potential == NULL && keeps_touch(&coupling->options)) {
    return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_INPUT,
                  "Subsystem '%s' can touch and takes steps of %s, which are for 'sequential', "
                  "'parallel' and 'neighbour', with 'contacts: nonsmooth' or 'opening' and without "
                  "'potential': take 'integrator: semi-implicit'",
                  macro_run->subsystem->name,
                  macro_run->subsystem->ops->integrator(macro_run->subsystem->self));
}

static flg_status build_one(flg_coupling *coupling, int index, flg_error *error) {
  const flg_coupled_system *system = &coupling->system;
  flg_region *region = &coupling->region;
  const size_t ports =
      (size_t)coupling_ports_of(coupling, index) + (size_t)coupling->elastic_ports[index];
  const int rows = PORT_ROWS * (int)ports;
  bool *others = flg_region_take(region, (size_t)system->subsystem_count, sizeof *others);
  coupling->driven[index] = flg_region_take(region, (size_t)system->interface_count, sizeof(bool));
  flg_reduced *reduced = &coupling->reduced[index];
  reduced->velocity_bias = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  reduced->driven = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  reduced->kicked = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  if (coupling->options.elastic >= FLG_ELASTIC_PAPER) {
    const size_t square = PORT_ROWS * PORT_ROWS * ports * ports;
    reduced->spring = flg_region_take(region, square, sizeof(double));
    reduced->damper = flg_region_take(region, square, sizeof(double));
  }
  take_elastic(coupling, index);
  coupling->shares[index] = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  coupling->moves[index] = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  void *memory = flg_region_take(region, flg_interface_model_bytes(rows), 1);
  if (region->failed) return coupling_out_of_memory(error);
  flg_status status = flg_interface_model_build(memory, rows, rows, &reduced->model, error);
  if (status != FLG_OK) return status;
  sort_out_interfaces(coupling, index, others);
  reduced->is_seen = coupling_is_seen(coupling, index) || coupling->options.scheme->sees == NULL;
  const flg_rest_scope scope = {.subsystems = system->subsystems,
                                .subsystem_count = system->subsystem_count,
                                .interfaces = system->interfaces,
                                .interface_count = system->interface_count,
                                .viewer = index,
                                .others = others,
                                .is_joined = !coupling->options.scheme->ignores_rest,
                                .keeps_touch = keeps_touch(&coupling->options),
                                .elastic_ports = coupling->elastic_ports};
  status = flg_rest_model_build(&coupling->rests[index], &scope, error);
  if (status != FLG_OK) return status;
  flg_macro_run *macro_run = &coupling->macro_runs[index];
  status = flg_macro_run_build(macro_run, &system->subsystems[index], index, system->interfaces,
                               system->interface_count, coupling->driven[index],
                               coupling->rests[index], most_micro_steps(coupling, index), error);
  macro_run->steps = system->micro_steps[index]; /* those of a driver while contacts are near */
  macro_run->is_massive = coupling->options.form == FLG_COUPLING_MASS;
  /* schemes of the papers set J_k v+ of one side equal to the velocity of the other */
  if (coupling->options.scheme->is_literal) {
    macro_run->is_literal = macro_run->uses_start_rows;
    macro_run->uses_start_rows = false;
  }
  /* D of one rigid body is known in any pose; of all others only at the communication point */
  macro_run->rest_turns =
      coupling->options.scheme->has_kicks && coupling->options.potential == NULL &&
      flg_rest_model_is_rigid(coupling->rests[index]) && macro_run->end_count > 0;
  macro_run->is_kicked =
      (macro_run->uses_start_rows || macro_run->leaps) && coupling->options.scheme->has_kicks;
  if (status == FLG_OK && macro_run->leaps) status = check_leaps(coupling, macro_run, error);
  return status == FLG_OK ? build_coupling_contacts(coupling, index, error) : status;
}

static int count_elements(const flg_coupled_system *system) {
  int count = 0;
  for (int k = 0; k < system->interface_count; k++) count += system->interfaces[k].element_count;
  return count;
}

/* what elements remember stands last in the state */
static void lay_out_elements(flg_coupling *coupling) {
  flg_region *region = &coupling->region;
  flg_coupling_elements *elements = &coupling->elements;
  const size_t m = (size_t)coupling->system.interface_count, count = (size_t)elements->count;
  const size_t signals = 1 + FLG_SIGNAL_NUMBERS * m;
  const size_t remembered = count * sizeof(flg_element_state) / sizeof(double);
  coupling->state_count = (int)(signals + remembered) + FLG_JOIN_SUMS + 1;
  coupling->state = flg_region_take(region, (size_t)coupling->state_count, sizeof(double));
  coupling->whole_joints = flg_region_take(region, m, sizeof *coupling->whole_joints);
  elements->joints = flg_region_take(region, m, sizeof *elements->joints);
  elements->list = flg_region_take(region, count, sizeof *elements->list);
  elements->met = flg_region_take(region, count, sizeof *elements->met);
  elements->values = flg_region_take(region, count, sizeof *elements->values);
  elements->are_left = flg_region_take(region, count, sizeof *elements->are_left);
  if (region->failed) return;
  for (size_t k = 0; k < m; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k];
    for (int i = 0; i < interface->element_count; i++) {
      elements->list[interface->elements[i].number] = &interface->elements[i];
    }
  }
  elements->states = (flg_element_state *)(void *)(coupling->state + signals);
  coupling->balance.kinetic = coupling->state + coupling->state_count - 1;
  coupling->contact_join.sums = coupling->balance.kinetic - FLG_JOIN_SUMS;
}

/* True if macro runs close hits: contacts of the rest do all that own ones do. */
static bool closes_hits(const flg_coupling *coupling) {
  const flg_coupling_options *options = &coupling->options;
  return options->scheme->sees != NULL && options->contacts == FLG_REST_NONSMOOTH &&
         options->potential == NULL && options->form == FLG_COUPLING_ADMITTANCE;
}

bool flg_coupling_are_joined(const flg_coupled_system *system, int a, int b) {
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface *interface = &system->interfaces[k];
    if (flg_interface_is_on(interface, a) && flg_interface_is_on(interface, b)) return true;
  }
  return false;
}

/* The first of the joined subsystems sees the contacts of all. */
static void find_deciders(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  const int count = system->subsystem_count;
  int *deciders = coupling->deciders;
  for (int k = 0; k < count; k++) deciders[k] = k;
  if (coupling->options.scheme->ignores_rest) return;
  /* the earliest of all that interfaces connect, over any number of them */
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < count; a++) {
      for (int b = 0; b < count; b++) {
        if (a == b || !flg_coupling_are_joined(system, a, b)) continue;
        if (flg_coupling_rank(coupling, deciders[b]) >= flg_coupling_rank(coupling, deciders[a]))
          continue;
        deciders[a] = deciders[b], changed = true;
      }
    }
  }
}

/* A subsystem to which many others are joined is joined to one after the other, and each of these
 * eliminations keeps the rows of all ports: the models of n legs under a plate take n^4 numbers.
 * Their memory is only touched in steps, so that it is bounded before it is taken. */
static flg_status check_models(const flg_coupling *coupling, int built, flg_error *error) {
  const double most = flg_input_limit_value(FLG_LIMIT_MODELS);
  const int count = coupling->system.subsystem_count;
  double size = 0, largest = 0;
  for (int k = 0; k < built; k++) {
    const double one = (double)flg_rest_model_bytes(coupling->rests[k]) / FLG_MIB;
    size += one, largest = fmax(largest, one);
  }
  if (size <= most) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT,
                  "%d of %d subsystems have models of the others of %.0f MiB, over %.0f for all: "
                  "raise it with --limit %s=%.0f or more, or take 'scheme: monolithic', which has "
                  "none",
                  built, count, size, most, flg_input_limit_name(FLG_LIMIT_MODELS),
                  ceil(size + (count - built) * largest));
}

/* Subsystems whose hits macro runs close do not bounce by themselves. */
static void assign_hits(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  find_deciders(coupling);
  for (int k = 0; k < system->subsystem_count && closes_hits(coupling); k++) {
    const flg_subsystem *subsystem = &system->subsystems[k];
    flg_macro_run *macro_run = &coupling->macro_runs[k];
    const bool decides = coupling->deciders[k] == k || !coupling->options.scheme->runs_in_order;
    if (decides && macro_run->row_count == 0) continue; /* it stands alone */
    macro_run->closes_hits = decides;
    if (macro_run->contacts != NULL) macro_run->contacts->is_still = !decides;
    if (flg_touch_ports(subsystem) == 0 || subsystem->ops->contacts == NULL) continue;
    flg_contacts_leave_hits(subsystem->ops->contacts(subsystem->self));
  }
}

static flg_status coupling_lay_out(flg_coupling *coupling, flg_error *error) {
  const size_t n = (size_t)coupling->system.subsystem_count;
  const size_t m = (size_t)coupling->system.interface_count;
  flg_region *region = &coupling->region;
  coupling->order = flg_region_take(region, n, sizeof *coupling->order);
  coupling->elastic_ports = flg_region_take(region, n, sizeof *coupling->elastic_ports);
  coupling->contact_points = flg_region_take(region, n, sizeof *coupling->contact_points);
  coupling->reduced = flg_region_take(region, n, sizeof *coupling->reduced);
  coupling->rests = flg_region_take(region, n, sizeof *coupling->rests);
  coupling->macro_runs = flg_region_take(region, n, sizeof *coupling->macro_runs);
  coupling->kicks = flg_region_take(region, n, sizeof *coupling->kicks);
  coupling->smooths = flg_region_take(region, n, sizeof *coupling->smooths);
  coupling->errors = flg_region_take(region, n, sizeof *coupling->errors);
  coupling->statuses = flg_region_take(region, n, sizeof *coupling->statuses);
  coupling->driven = flg_region_take(region, n, sizeof *coupling->driven);
  coupling->deciders = flg_region_take(region, n, sizeof *coupling->deciders);
  coupling->shares = flg_region_take(region, n, sizeof *coupling->shares);
  coupling->moves = flg_region_take(region, n, sizeof *coupling->moves);
  coupling->starts = flg_region_take(region, 2 * m, sizeof *coupling->starts);
  coupling->reports = flg_region_take(region, m, sizeof *coupling->reports);
  coupling->elements.count = count_elements(&coupling->system);
  lay_out_elements(coupling);
  if (region->failed) return coupling_out_of_memory(error);
  put_in_order(coupling);
  for (int k = 0; k < (int)n; k++) {
    coupling->elastic_ports[k] = elastic_ports_of(coupling, k);
    coupling->contact_points[k] = contact_points_of(coupling, k);
  }
  flg_status status = FLG_OK;
  for (int k = 0; k < (int)n && status == FLG_OK; k++) {
    status = build_one(coupling, k, error);
    if (status == FLG_OK) status = check_models(coupling, k + 1, error);
  }
  if (status == FLG_OK) status = flg_coupling_spots_build(coupling, error);
  if (status != FLG_OK) return status;
  flg_division_build(coupling);
  flg_balance_build(coupling);
  flg_coupling_repeats_build(coupling);
  if (region->failed) return coupling_out_of_memory(error);
  flg_coupling_elements_find(coupling);
  assign_hits(coupling);
  const flg_contact_law_options law = law_of(coupling, 0);
  return flg_contact_join_build(coupling, &law, error);
}

flg_status flg_coupling_build(flg_coupling **coupling, const flg_coupled_system *system,
                              const flg_coupling_options *options, flg_error *error) {
  flg_status status = flg_coupling_scheme_check(options->scheme, error);
  if (status != FLG_OK) return status;
  const flg_coupling_options settled = coupling_settle(options);
  status = coupling_check(system, &settled, error);
  if (status != FLG_OK) return status;
  flg_coupling *made = calloc(1, sizeof *made);
  if (made == NULL) return coupling_out_of_memory(error);
  made->system = *system;
  made->options = settled;
  status = coupling_lay_out(made, error);
  if (status == FLG_OK) {
    *coupling = made;
  } else {
    flg_coupling_release(made);
  }
  return status;
}

void flg_coupling_release(flg_coupling *coupling) {
  if (coupling == NULL) return;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    if (coupling->rests != NULL) flg_rest_model_release(coupling->rests[k]);
    if (coupling->smooths != NULL) flg_smooth_release(coupling->smooths[k]);
    if (coupling->macro_runs != NULL) flg_macro_run_release(&coupling->macro_runs[k]);
  }
  flg_plan_release(coupling->whole);
  flg_region_release(&coupling->region);
  free(coupling);
}

const flg_coupling_options *flg_coupling_settings(const flg_coupling *coupling) {
  return &coupling->options;
}

uint64_t flg_coupling_identity(const flg_coupling *coupling, uint64_t seed) {
  const flg_coupling_options *options = &coupling->options;
  const int words[] = {(int)options->form, (int)options->reconcile, (int)options->pose,
                       options->reverse, (int)options->contacts};
  seed = flg_hash(seed, options->scheme->name, sizeof options->scheme->name);
  seed = flg_hash(seed, words, sizeof words);
  if (options->elastic != FLG_ELASTIC_MODAL) {
    seed = flg_hash(seed, &options->elastic, sizeof options->elastic);
  }
  const double numbers[] = {options->feedback, options->stiffness, options->damping};
  seed = flg_hash(seed, numbers, sizeof numbers);
  for (int k = 0; k < coupling->system.interface_count; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k];
    seed = flg_hash(seed, &interface->kind, sizeof interface->kind);
    for (int e = 0; e < 2; e++) {
      const int ends[] = {interface->end[e].subsystem, interface->end[e].port};
      seed = flg_hash(seed, ends, sizeof ends);
      seed = flg_hash(seed, &interface->end[e].pose, sizeof interface->end[e].pose);
    }
    for (int i = 0; i < interface->element_count; i++) {
      seed = flg_element_identity(&interface->elements[i], seed);
    }
  }
  const flg_potential *potential = coupling->options.potential;
  if (potential != NULL) {
    seed = flg_hash(seed, potential->items, (size_t)potential->count * sizeof *potential->items);
  }
  return flg_hash(seed, coupling->order,
                  (size_t)coupling->system.subsystem_count * sizeof *coupling->order);
}

double *flg_coupling_state(const flg_coupling *coupling, int *count) {
  *count = coupling->state_count;
  return coupling->state;
}

/* --- what all schemes do ------------------------------------------------------------------------
 */

flg_status flg_coupling_blame(const flg_coupling *coupling, int subsystem, flg_status status,
                              const char *reason, flg_error *error) {
  return flg_fail(error, status,
                  "Coupling '%s' failed in the macro step from t = %.6g s, at interface '%s'. "
                  "Subsystem '%s': %s",
                  coupling->options.scheme->name, coupling->time,
                  flg_coupling_worst(coupling)->name, coupling->system.subsystems[subsystem].name,
                  reason);
}

/* A model for use over tau, with elastic forces as the options say. */
static flg_status reduce_one(const flg_coupling *coupling, int index, double time, double tau) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  flg_reduced *reduced = &coupling->reduced[index];
  if (tau > 0 && reduced->elastic_count > 0) {
    return ops->reduce_elastic(subsystem->self, time, tau, reduced->model, &reduced->elastic);
  }
  const flg_elastic_model elastic = coupling->options.elastic;
  const bool holds = tau > 0 && ops->hold_elastic != NULL && elastic != FLG_ELASTIC_MODAL &&
                     elastic != FLG_ELASTIC_IMPLICIT;
  const bool is_left = elastic == FLG_ELASTIC_LITERAL;
  if (holds) ops->hold_elastic(subsystem->self, is_left ? FLG_ELASTIC_LEFT : FLG_ELASTIC_HELD);
  const flg_status status = ops->reduce(subsystem->self, time, tau, reduced->model);
  reduced->bends = holds && reduced->spring != NULL && status == FLG_OK &&
                   ops->elastic(subsystem->self, reduced->spring, reduced->damper);
  if (holds) ops->hold_elastic(subsystem->self, FLG_ELASTIC_FREE);
  return status;
}

/* Models that do not turn, or turn alone, have no length of their own: that of the system is
 * theirs.
 */
static void set_lengths(flg_coupling *coupling) {
  double length = 0;
  if (coupling->system.interface_count == 0) return;
  /* a distance: of yields, those that are rounding could be the largest */
  const double away = flg_interfaces_extent(
      coupling->system.interfaces, coupling->system.interface_count, coupling->system.subsystems);
  const double whole = away > 0 ? away : flg_coupling_yield_length(coupling);
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    length = flg_larger(length, flg_model_length(coupling->reduced[k].model, whole));
  }
  if (length == 0) length = flg_coupling_length(coupling);
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    flg_macro_run *macro_run = &coupling->macro_runs[k];
    coupling->reduced[k].model->length = length;
    macro_run->own->length = macro_run->rest->length = length;
  }
}

flg_status flg_coupling_reduce(flg_coupling *coupling, double time, double tau, flg_error *error) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    flg_reduced *reduced = &coupling->reduced[k];
    const int ports = coupling_ports_of(coupling, k) + coupling->elastic_ports[k];
    const size_t bytes = PORT_ROWS * (size_t)ports * sizeof(double);
    memset(reduced->driven, 0, bytes);
    memset(reduced->kicked, 0, bytes);
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    /* no other subsystem uses the model: it is made as its own micro step needs it */
    const double own = coupling->system.macro / coupling->division.steps[k];
    flg_status status = reduce_one(coupling, k, time, tau > 0 && !reduced->is_seen ? own : tau);
    if (status == FLG_OK && tau > 0 && ops->velocity_bias != NULL) {
      status = ops->velocity_bias(subsystem->self, reduced->velocity_bias);
    }
    if (status != FLG_OK) {
      return flg_coupling_blame(coupling, k, status, flg_subsystem_complaint(subsystem), error);
    }
    flg_error reason;
    if (tau > 0) status = flg_smooth_apply(coupling->smooths[k], subsystem, reduced, &reason);
    if (status != FLG_OK) return flg_coupling_blame(coupling, k, status, reason.message, error);
  }
  set_lengths(coupling);
  return FLG_OK;
}

/* Of steps that use start rows their own h. Others were given too little since about two thirds of
 * H: what models miss grows with time (find_moves), and dampers have had the rest of H to resist
 * it. */
void flg_coupling_set_impulse_step_of(const flg_coupling *coupling, int subsystem, int steps) {
  const flg_subsystem *of = &coupling->system.subsystems[subsystem];
  const double macro = coupling->system.macro;
  if (of->ops->coupled->set_impulse_step == NULL) return;
  const bool is_own = coupling->macro_runs[subsystem].uses_start_rows;
  of->ops->coupled->set_impulse_step(of->self, steps == 0 ? 0 : macro / (is_own ? steps : MISSED));
}

void flg_coupling_set_impulse_step(const flg_coupling *coupling, bool is_step) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    flg_coupling_set_impulse_step_of(coupling, k, is_step ? coupling->division.steps[k] : 0);
  }
}

void flg_coupling_watch(flg_coupling *coupling, const volatile int *stop) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) coupling->macro_runs[k].stop = stop;
}

flg_status flg_coupling_settle(flg_coupling *coupling, double time, bool moved, flg_error *error) {
  flg_coupling_set_impulse_step(coupling, false);
  flg_status status = moved ? flg_contact_join_close(coupling, time, error) : FLG_OK;
  if (status == FLG_OK) status = flg_contact_join_settle(coupling, time, error);
  if (status == FLG_OK) flg_coupling_elements_restart(coupling);
  return status;
}

/* One subsystem over the macro step; its status and error are kept. */
static void coupling_run_one(flg_coupling *coupling, int subsystem, flg_macro_drive *drive) {
  const double h = coupling->system.macro / coupling->macro_runs[subsystem].steps;
  coupling->statuses[subsystem] =
      flg_macro_run_steps(&coupling->macro_runs[subsystem], coupling->time, h, drive, coupling,
                          &coupling->errors[subsystem]);
}

int flg_coupling_index(const flg_coupling *coupling, const flg_macro_run *macro_run) {
  return (int)(macro_run - coupling->macro_runs);
}

static flg_status verdict(const flg_coupling *coupling, flg_error *error) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    if (coupling->statuses[k] == FLG_OK) continue;
    return flg_coupling_blame(coupling, k, coupling->statuses[k], coupling->errors[k].message,
                              error);
  }
  return FLG_OK;
}

/* --- a macro step -------------------------------------------------------------------------------
 */

static void run_beside(void *context, int index) {
  const flg_coupling *coupling = context;
  coupling_run_one(context, index, coupling->options.scheme->drive);
}

static bool drive_by_decider(void *context, const flg_macro_run *macro_run, int step) {
  return flg_coupling_take_decided(context, macro_run, step);
}

/* Those that decide have run. */
static void run_after_decider(void *context, int index) {
  flg_coupling *coupling = context;
  flg_macro_run *macro_run = &coupling->macro_runs[index];
  flg_macro_contacts *contacts = macro_run->contacts;
  if (coupling->deciders[index] == index) return;
  macro_run->closes_hits = false;
  if (contacts != NULL) contacts->is_still = true;
  coupling_run_one(coupling, index, drive_by_decider);
  macro_run->closes_hits = true;
  if (contacts != NULL) contacts->is_still = false;
}

/* Hits that can be shared in many ways are found once, not by each side in a way of its own. */
static flg_status run_decided(flg_coupling *coupling, flg_threads *threads, flg_error *error) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    if (coupling->deciders[k] == k) run_beside(coupling, k);
  }
  const flg_status status = verdict(coupling, error);
  if (status != FLG_OK) return status;
  flg_threads_for(threads, coupling->system.subsystem_count, run_after_decider, coupling);
  return verdict(coupling, error);
}

static flg_status run_at_once(flg_coupling *coupling, flg_threads *threads, flg_error *error) {
  const int count = coupling->system.subsystem_count;
  for (int k = 0; k < count; k++) {
    const flg_status status = coupling->options.scheme->face(coupling, k, error);
    if (status != FLG_OK) return status;
  }
  if (coupling->division.is_decided) return run_decided(coupling, threads, error);
  flg_threads_for(threads, count, run_beside, coupling);
  return verdict(coupling, error);
}

static flg_status run_in_order(flg_coupling *coupling, flg_error *error) {
  const flg_coupling_scheme *scheme = coupling->options.scheme;
  flg_status status = FLG_OK;
  for (int k = 0; k < coupling->system.subsystem_count && status == FLG_OK; k++) {
    const int subsystem = coupling->order[k];
    status = scheme->face(coupling, subsystem, error);
    if (status != FLG_OK) return status;
    coupling_run_one(coupling, subsystem,
                     k == 0 ? NULL : scheme->drive); /* none before the first */
    status = verdict(coupling, error);
    if (status == FLG_OK && scheme->pass != NULL) scheme->pass(coupling, subsystem);
  }
  return status;
}

/* The communication point at the end: differences are given back, and all is brought together. */
static flg_status meet_again(flg_coupling *coupling, flg_error *error) {
  const flg_coupling_scheme *scheme = coupling->options.scheme;
  const flg_reconcile how = coupling->options.reconcile;
  if (scheme->remember != NULL) scheme->remember(coupling);
  if (scheme->reconcile != NULL && how != FLG_RECONCILE_NONE) scheme->reconcile(coupling);
  flg_coupling_report_all(coupling);
  flg_contact_join_note_jams(coupling);
  const flg_status status = flg_contact_join_finish(coupling, how == FLG_RECONCILE_BOTH, error);
  if (status != FLG_OK) return status;
  if (scheme->learn != NULL) scheme->learn(coupling);
  flg_coupling_elements_keep(coupling);
  return FLG_OK;
}

flg_status flg_coupling_step_once(flg_coupling *coupling, double time, flg_threads *threads,
                                  flg_error *error) {
  coupling->time = time;
  flg_coupling_set_impulse_step(coupling, true);
  flg_contact_join_begin(coupling);
  flg_status status = flg_coupling_reduce(coupling, time, coupling->system.macro, error);
  if (status == FLG_OK) {
    flg_coupling_repeats_choose(coupling);
    status = coupling->options.scheme->runs_in_order ? run_in_order(coupling, error)
                                                     : run_at_once(coupling, threads, error);
  }
  return status == FLG_OK ? meet_again(coupling, error) : status;
}
