#include "coupling/coupling_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flange/hash.h"
#include "math/larger.h"

enum { PORT_ROWS = 6 };

/* over so many times the usual energy nothing is left but to stop */
static const double RUNAWAY = 1e3;

flg_coupling_options flg_coupling_default(void) {
  return (flg_coupling_options){
      .scheme = FLG_COUPLING_SEQUENTIAL, .feedback = 0.3, .stiffness = 1e6, .damping = 1e2};
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static bool is_literal(flg_coupling_scheme scheme) {
  return scheme == FLG_COUPLING_PAPER_SMOOTH || scheme == FLG_COUPLING_PAPER_NONSMOOTH ||
         scheme == FLG_COUPLING_PAPER_REGULARISED;
}

static bool is_for_comparison(flg_coupling_scheme scheme) {
  return scheme == FLG_COUPLING_HOLD || scheme == FLG_COUPLING_EXTRAPOLATE || is_literal(scheme);
}

static flg_rest_contacts contacts_of(const flg_coupling_options *options) {
  switch (options->scheme) {
    case FLG_COUPLING_PAPER_SMOOTH:
      return FLG_REST_SMOOTH;
    case FLG_COUPLING_PAPER_NONSMOOTH:
      return FLG_REST_OPENING;
    case FLG_COUPLING_PAPER_REGULARISED:
      return FLG_REST_REGULARISED;
    default:
      return options->contacts;
  }
}

static flg_coupling_options settle(const flg_coupling_options *options) {
  flg_coupling_options settled = *options;
  const bool plain = is_for_comparison(options->scheme);
  settled.contacts = contacts_of(options);
  if (settled.form == FLG_COUPLING_AUTO_FORM) {
    const bool inverts = options->scheme == FLG_COUPLING_PAPER_SMOOTH ||
                         options->scheme == FLG_COUPLING_PAPER_REGULARISED;
    settled.form = inverts ? FLG_COUPLING_MASS : FLG_COUPLING_ADMITTANCE;
  }
  if (settled.reconcile == FLG_RECONCILE_AUTO) {
    settled.reconcile = plain ? FLG_RECONCILE_NONE : FLG_RECONCILE_BOTH;
  }
  if (settled.pose == FLG_POSE_AUTO) {
    settled.pose = plain ? FLG_POSE_NONE : FLG_POSE_RESYNCHRONISE;
  }
  return settled;
}

static flg_status out_of_memory(flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for the coupling");
}

/* whether contacts are left open in models: else they are part of them (smooth.h) */
static bool keeps_touch(const flg_coupling_options *options) {
  return options->contacts == FLG_REST_NONSMOOTH || options->contacts == FLG_REST_OPENING;
}

static flg_status check(const flg_coupled_system *system, const flg_coupling_options *options,
                        flg_error *error) {
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
  return FLG_OK;
}

static int ports_of(const flg_coupling *coupling, int index) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  return subsystem->ops->coupled->ports(subsystem->self);
}

/* How soon a model of a subsystem goes stale: where something decides inside of the macro step,
 * then where contacts do, then where joints turn. */
static int staleness(const flg_coupling *coupling, const flg_subsystem *subsystem) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  if (ops->is_restless != NULL && ops->is_restless(subsystem->self, coupling->system.macro)) {
    return 0;
  }
  if (flg_touch_ports(subsystem) > 0) return 1;
  return strcmp(subsystem->ops->kind, "robot") == 0 ? 2 : 3;
}

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

static bool by_signals(const flg_coupling *coupling) {
  return coupling->options.scheme == FLG_COUPLING_HOLD ||
         coupling->options.scheme == FLG_COUPLING_EXTRAPOLATE;
}

/* in a sequence, those that come later belong to the rest, and those before drive */
static void sort_out(const flg_coupling *coupling, int index, bool *others) {
  const flg_coupled_system *system = &coupling->system;
  const bool is_sequence = coupling->options.scheme == FLG_COUPLING_SEQUENTIAL;
  const int own = flg_coupling_rank(coupling, index);
  for (int k = 0; k < system->subsystem_count; k++) {
    others[k] = k != index && !by_signals(coupling) &&
                (!is_sequence || flg_coupling_rank(coupling, k) > own);
  }
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface *interface = &system->interfaces[k];
    coupling->driven[index][k] = flg_interface_is_on(interface, index) &&
                                 flg_coupling_owner(coupling, k) != index &&
                                 (is_sequence || by_signals(coupling));
  }
}

/* the law of our own contacts, or else of the first that can touch */
static flg_contact_law_options law_of(const flg_coupling *coupling, int index) {
  for (int k = -1; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k < 0 ? index : k];
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    if (ops->contact_law != NULL && flg_touch_ports(subsystem) > 0) {
      return *ops->contact_law(subsystem->self);
    }
  }
  return flg_contact_law_default();
}

static flg_status build_contacts(flg_coupling *coupling, int index, flg_error *error) {
  const flg_subsystem *subsystem = &coupling->system.subsystems[index];
  const flg_coupling_options *options = &coupling->options;
  flg_meeting_contacts **contacts = &coupling->meetings[index].contacts;
  const flg_contact_law_options law = law_of(coupling, index);
  const int rest_ports = flg_rest_touch_ports(coupling->rests[index]);
  flg_region *region = &coupling->region;
  flg_status status = flg_meeting_contacts_build(contacts, flg_touch_ports(subsystem), rest_ports,
                                                 &law, region, error);
  if (status == FLG_OK) {
    status = flg_touch_account_build(&coupling->meetings[index].account, subsystem, region, error);
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

/* those of whoever may drive it are the most that a subsystem makes */
static int most_steps(const flg_coupling *coupling, int index) {
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

static flg_status build_one(flg_coupling *coupling, int index, flg_error *error) {
  const flg_coupled_system *system = &coupling->system;
  flg_region *region = &coupling->region;
  const size_t ports = (size_t)ports_of(coupling, index);
  const int rows = PORT_ROWS * (int)ports;
  bool *others = flg_region_take(region, (size_t)system->subsystem_count, sizeof *others);
  coupling->driven[index] = flg_region_take(region, (size_t)system->interface_count, sizeof(bool));
  flg_reduced *reduced = &coupling->reduced[index];
  reduced->turning = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  reduced->driven = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  reduced->kicked = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  coupling->shares[index] = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  coupling->moves[index] = flg_region_take(region, PORT_ROWS * ports, sizeof(double));
  void *memory = flg_region_take(region, flg_interface_model_bytes(rows), 1);
  if (region->failed) return out_of_memory(error);
  flg_status status = flg_interface_model_build(memory, rows, rows, &reduced->model, error);
  if (status != FLG_OK) return status;
  sort_out(coupling, index, others);
  const flg_rest_scope scope = {.subsystems = system->subsystems,
                                .subsystem_count = system->subsystem_count,
                                .interfaces = system->interfaces,
                                .interface_count = system->interface_count,
                                .viewer = index,
                                .others = others,
                                .is_joined = coupling->options.scheme != FLG_COUPLING_NEIGHBOUR,
                                .keeps_touch = keeps_touch(&coupling->options)};
  status = flg_rest_build(&coupling->rests[index], &scope, error);
  if (status != FLG_OK) return status;
  flg_meeting *meeting = &coupling->meetings[index];
  status = flg_meeting_build(meeting, &system->subsystems[index], index, system->interfaces,
                             system->interface_count, coupling->driven[index],
                             coupling->rests[index], most_steps(coupling, index), error);
  meeting->steps = system->micro_steps[index];
  meeting->is_massive = coupling->options.form == FLG_COUPLING_MASS;
  if (is_literal(coupling->options.scheme)) {
    meeting->is_literal = meeting->looks_back;
    meeting->looks_back = false;
  }
  meeting->is_kicked = meeting->looks_back && !is_for_comparison(coupling->options.scheme);
  return status == FLG_OK ? build_contacts(coupling, index, error) : status;
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
  coupling->state_count = (int)(signals + count * sizeof(flg_element_state) / sizeof(double));
  coupling->state = flg_region_take(region, (size_t)coupling->state_count, sizeof(double));
  coupling->whole_joints = flg_region_take(region, m, sizeof *coupling->whole_joints);
  elements->joints = flg_region_take(region, m, sizeof *elements->joints);
  elements->met = flg_region_take(region, count, sizeof *elements->met);
  elements->values = flg_region_take(region, count, sizeof *elements->values);
  elements->are_left = flg_region_take(region, count, sizeof *elements->are_left);
  if (!region->failed) elements->states = (flg_element_state *)(void *)(coupling->state + signals);
}

/* Whether meetings close hits: contacts of the rest do all that own ones do. */
static bool closes_hits(const flg_coupling *coupling) {
  const flg_coupling_options *options = &coupling->options;
  return !by_signals(coupling) && options->contacts == FLG_REST_NONSMOOTH &&
         options->potential == NULL && options->form == FLG_COUPLING_ADMITTANCE;
}

/* whether an interface joins both */
static bool are_joined(const flg_coupled_system *system, int a, int b) {
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface *interface = &system->interfaces[k];
    if (flg_interface_is_on(interface, a) && flg_interface_is_on(interface, b)) return true;
  }
  return false;
}

/* In a sequence the first of the joined subsystems sees the contacts of all. */
static void find_deciders(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  const int count = system->subsystem_count;
  int *deciders = coupling->deciders;
  for (int k = 0; k < count; k++) deciders[k] = k;
  if (coupling->options.scheme != FLG_COUPLING_SEQUENTIAL) return;
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < count; a++) {
      for (int b = 0; b < count; b++) {
        if (a == b || !are_joined(system, a, b)) continue;
        if (flg_coupling_rank(coupling, deciders[b]) >= flg_coupling_rank(coupling, deciders[a]))
          continue;
        deciders[a] = deciders[b], changed = true;
      }
    }
  }
}

/* Subsystems whose hits meetings close do not bounce by themselves. */
static void assign_hits(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  find_deciders(coupling);
  for (int k = 0; k < system->subsystem_count && closes_hits(coupling); k++) {
    const flg_subsystem *subsystem = &system->subsystems[k];
    flg_meeting *meeting = &coupling->meetings[k];
    const bool decides = coupling->deciders[k] == k;
    if (decides && meeting->row_count == 0) continue; /* it stands alone */
    meeting->closes_hits = decides;
    if (meeting->contacts != NULL) meeting->contacts->is_still = !decides;
    if (flg_touch_ports(subsystem) == 0 || subsystem->ops->contacts == NULL) continue;
    flg_contacts_leave_hits(subsystem->ops->contacts(subsystem->self));
  }
}

static flg_status lay_out(flg_coupling *coupling, flg_error *error) {
  const size_t n = (size_t)coupling->system.subsystem_count;
  const size_t m = (size_t)coupling->system.interface_count;
  flg_region *region = &coupling->region;
  coupling->order = flg_region_take(region, n, sizeof *coupling->order);
  coupling->reduced = flg_region_take(region, n, sizeof *coupling->reduced);
  coupling->rests = flg_region_take(region, n, sizeof *coupling->rests);
  coupling->meetings = flg_region_take(region, n, sizeof *coupling->meetings);
  coupling->smooths = flg_region_take(region, n, sizeof *coupling->smooths);
  coupling->errors = flg_region_take(region, n, sizeof *coupling->errors);
  coupling->statuses = flg_region_take(region, n, sizeof *coupling->statuses);
  coupling->driven = flg_region_take(region, n, sizeof *coupling->driven);
  coupling->deciders = flg_region_take(region, n, sizeof *coupling->deciders);
  coupling->shares = flg_region_take(region, n, sizeof *coupling->shares);
  coupling->moves = flg_region_take(region, n, sizeof *coupling->moves);
  coupling->reports = flg_region_take(region, m, sizeof *coupling->reports);
  coupling->elements.count = count_elements(&coupling->system);
  lay_out_elements(coupling);
  if (region->failed) return out_of_memory(error);
  put_in_order(coupling);
  flg_status status = FLG_OK;
  for (int k = 0; k < (int)n && status == FLG_OK; k++) status = build_one(coupling, k, error);
  if (status == FLG_OK) status = flg_coupling_spots_build(coupling, error);
  if (status != FLG_OK) return status;
  flg_division_build(coupling);
  if (region->failed) return out_of_memory(error);
  flg_coupling_elements_find(coupling);
  assign_hits(coupling);
  const flg_contact_law_options law = law_of(coupling, 0);
  return flg_closing_build(coupling, &law, error);
}

flg_status flg_coupling_build(flg_coupling **coupling, const flg_coupled_system *system,
                              const flg_coupling_options *options, flg_error *error) {
  const flg_coupling_options settled = settle(options);
  flg_status status = check(system, &settled, error);
  if (status != FLG_OK) return status;
  flg_coupling *made = calloc(1, sizeof *made);
  if (made == NULL) return out_of_memory(error);
  made->system = *system;
  made->options = settled;
  status = lay_out(made, error);
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
    if (coupling->rests != NULL) flg_rest_release(coupling->rests[k]);
    if (coupling->smooths != NULL) flg_smooth_release(coupling->smooths[k]);
    if (coupling->meetings != NULL) {
      flg_meeting_contacts_release(coupling->meetings[k].contacts);
      flg_meeting_release(&coupling->meetings[k]);
    }
  }
  flg_closing_release(coupling);
  flg_region_release(&coupling->region);
  free(coupling);
}

#define COUPLING_NAME(scheme, name) [scheme] = (name),
const char *flg_coupling_name(flg_coupling_scheme scheme) {
  static const char *const names[] = {FLG_COUPLING_LIST(COUPLING_NAME)};
  return names[scheme];
}

const flg_coupling_options *flg_coupling_settings(const flg_coupling *coupling) {
  return &coupling->options;
}

uint64_t flg_coupling_identity(const flg_coupling *coupling, uint64_t seed) {
  const flg_coupling_options *options = &coupling->options;
  const int words[] = {(int)options->scheme, (int)options->form, (int)options->reconcile,
                       (int)options->pose,   options->reverse,   (int)options->contacts};
  seed = flg_hash(seed, words, sizeof words);
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

const flg_interface_report *flg_coupling_report(const flg_coupling *coupling, int interface) {
  return &coupling->reports[interface];
}

/* --- what all schemes do ------------------------------------------------------------------------
 */

/* the interface whose ends are farthest apart */
static const flg_interface *worst(const flg_coupling *coupling) {
  int found = 0;
  for (int k = 1; k < coupling->system.interface_count; k++) {
    const double most = coupling->reports[found].pose_error;
    if (flg_exceeds(coupling->reports[k].pose_error, most)) found = k;
  }
  return &coupling->system.interfaces[found];
}

static flg_status blame(const flg_coupling *coupling, int subsystem, flg_status status,
                        const char *reason, flg_error *error) {
  return flg_fail(error, status,
                  "Coupling '%s' failed in the macro step from t = %.6g s, at interface '%s'. "
                  "Subsystem '%s': %s",
                  flg_coupling_name(coupling->options.scheme), coupling->time,
                  worst(coupling)->name, coupling->system.subsystems[subsystem].name, reason);
}

flg_status flg_coupling_reduce(flg_coupling *coupling, double time, double tau, flg_error *error) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    flg_reduced *reduced = &coupling->reduced[k];
    const size_t bytes = PORT_ROWS * (size_t)ports_of(coupling, k) * sizeof(double);
    memset(reduced->driven, 0, bytes);
    memset(reduced->kicked, 0, bytes);
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    flg_status status = ops->reduce(subsystem->self, time, tau, reduced->model);
    if (status == FLG_OK && tau > 0 && ops->turning != NULL) {
      status = ops->turning(subsystem->self, reduced->turning);
    }
    if (status != FLG_OK) {
      return blame(coupling, k, status, flg_subsystem_complaint(subsystem), error);
    }
    flg_error reason;
    if (tau > 0) status = flg_smooth_apply(coupling->smooths[k], subsystem, reduced, &reason);
    if (status != FLG_OK) return blame(coupling, k, status, reason.message, error);
  }
  return FLG_OK;
}

/* h: of each subsystem, or 0 */
static void pace(const flg_coupling *coupling, bool is_step) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    if (ops->pace == NULL) continue;
    ops->pace(subsystem->self, is_step ? coupling->system.macro / coupling->division.steps[k] : 0);
  }
}

flg_status flg_coupling_settle(flg_coupling *coupling, double time, flg_error *error) {
  pace(coupling, false);
  return flg_closing_settle(coupling, time, error);
}

void flg_coupling_run(flg_coupling *coupling, int subsystem, flg_meeting_drive *drive) {
  const double h = coupling->system.macro / coupling->meetings[subsystem].steps;
  coupling->statuses[subsystem] = flg_meeting_run(&coupling->meetings[subsystem], coupling->time, h,
                                                  drive, coupling, &coupling->errors[subsystem]);
}

flg_status flg_coupling_verdict(const flg_coupling *coupling, flg_error *error) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    if (coupling->statuses[k] == FLG_OK) continue;
    return blame(coupling, k, coupling->statuses[k], coupling->errors[k].message, error);
  }
  return FLG_OK;
}

/* --- reports ------------------------------------------------------------------------------------
 */

/* on the second end, by H; after reconciliation both sides have the same */
static flg_spatial force_of(const flg_coupling *coupling, const flg_interface *interface) {
  const flg_interface_end *first = &interface->end[0], *second = &interface->end[1];
  if (!flg_interface_has_ends(interface)) { /* a gear has no frame */
    return (flg_spatial){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
  }
  flg_spatial impulse;
  if (second->subsystem >= 0) {
    const int by = second->subsystem, row = PORT_ROWS * second->port;
    impulse = flg_spatial_add(flg_spatial_load(coupling->meetings[by].sum + row),
                              flg_spatial_load(coupling->shares[by] + row));
  } else {
    impulse = flg_spatial_load(coupling->meetings[first->subsystem].counter_sum +
                               PORT_ROWS * first->port);
  }
  return flg_spatial_scale(impulse, 1 / coupling->system.macro);
}

static void report(flg_coupling *coupling, int index) {
  const flg_interface *interface = &coupling->system.interfaces[index];
  flg_interface_report *to = &coupling->reports[index];
  *to = (flg_interface_report){.force = force_of(coupling, interface)};
  double energy = -flg_coupling_elements_work(coupling, index);
  for (int e = 0; e < flg_interface_spots(interface); e++) {
    const flg_interface_end *end = flg_interface_spot(interface, e);
    if (end->subsystem < 0) continue;
    const flg_meeting *meeting = &coupling->meetings[end->subsystem];
    for (int i = 0; i < PORT_ROWS; i++) energy += meeting->work[PORT_ROWS * end->port + i];
  }
  double left[FLG_CONSTRAINT_ROWS_MAX], squares[2] = {0, 0};
  const int count = flg_interface_measure(interface, coupling->system.subsystems, left);
  const int displacements = flg_constraint_displacements(interface->kind);
  for (int i = 0; i < count; i++) squares[i >= displacements] += left[i] * left[i];
  to->pose_error = sqrt(squares[0]);
  to->turn_error = sqrt(squares[1]);
  to->energy = fabs(energy);
}

/* impulses of the whole on the second end; what acts on the first is the opposite, elsewhere */
static flg_spatial projection_of(const flg_coupling *coupling, const flg_interface *interface) {
  const int told = interface->end[1].subsystem < 0 ? 0 : 1;
  const flg_interface_end *end = &interface->end[told];
  const double *force = flg_plan_part_view(coupling->whole, end->subsystem).force;
  const flg_spatial impulse = flg_spatial_load(force + PORT_ROWS * end->port);
  if (told == 1) return impulse;
  const flg_subsystem *subsystems = coupling->system.subsystems;
  const flg_vec3 apart =
      flg_vec3_subtract(flg_interface_frame(interface, 1, subsystems).pose.position,
                        flg_interface_frame(interface, 0, subsystems).pose.position);
  return flg_spatial_shift_force(flg_spatial_scale(impulse, -1), apart);
}

void flg_coupling_report_projection(flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.interface_count; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k];
    if (!flg_interface_has_ends(interface)) continue;
    flg_spatial *force = &coupling->reports[k].force;
    *force = flg_spatial_add_scaled(*force, 1 / coupling->system.macro,
                                    projection_of(coupling, interface));
  }
}

void flg_coupling_report_all(flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.interface_count; k++) report(coupling, k);
}

/* --- divergence ---------------------------------------------------------------------------------
 */

/* half the largest effective mass of a port, along the mean direction, times (1 m/s)^2 */
static double energy_at_ports(const flg_coupling *coupling, int subsystem) {
  flg_interface_model *model = coupling->reduced[subsystem].model;
  const double *D = flg_interface_model_admittance(model);
  double most = 0;
  for (int k = 0; k < model->rows; k += PORT_ROWS) {
    double yield = 0;
    for (int i = k; i < k + 3; i++) yield += D[i + (size_t)i * (size_t)model->rows] / 3;
    if (yield > 0) most = flg_larger(most, 0.5 / yield);
  }
  return most;
}

void flg_coupling_start(flg_coupling *coupling) {
  flg_error error;
  coupling->scale = 0;
  flg_coupling_elements_start(coupling);
  pace(coupling, false);
  if (flg_coupling_reduce(coupling, 0, 0, &error) != FLG_OK) return; /* the first step will say */
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    coupling->scale += fabs(subsystem->ops->energy(subsystem->self)) + energy_at_ports(coupling, k);
  }
  coupling->scale += fabs(flg_coupling_energy(coupling));
}

flg_status flg_coupling_judge(const flg_coupling *coupling, double time, double energy,
                              flg_error *error) {
  if (coupling->system.interface_count == 0 || fabs(energy) <= RUNAWAY * coupling->scale) {
    return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "Coupling '%s' diverged at t = %.6g s, at interface '%s': the energy is %.3g J, "
                  "where %.3g J are usual. Try a smaller macro step, or another scheme.",
                  flg_coupling_name(coupling->options.scheme), time, worst(coupling)->name, energy,
                  coupling->scale);
}

flg_status flg_coupling_step_once(flg_coupling *coupling, double time, flg_threads *threads,
                                  flg_error *error) {
  coupling->time = time;
  pace(coupling, true);
  flg_closing_begin(coupling);
  const flg_coupling_scheme scheme = coupling->options.scheme;
  flg_status status = flg_coupling_reduce(coupling, time, coupling->system.macro, error);
  if (status != FLG_OK) return status;
  if (scheme == FLG_COUPLING_SEQUENTIAL) {
    status = flg_coupling_sequential(coupling, error);
  } else if (by_signals(coupling)) {
    status = flg_coupling_signals(coupling, threads, error);
  } else {
    status = flg_coupling_parallel(coupling, threads, error);
  }
  if (status == FLG_OK) flg_coupling_elements_keep(coupling);
  return status;
}
