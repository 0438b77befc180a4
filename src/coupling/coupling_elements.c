#include "coupling/coupling_elements.h"

#include <math.h>
#include <string.h>

#include "coupling/coupling_inner.h"
#include "limits/limit.h"

enum { PORT_ROWS = 6 };
/* of the impulses of a macro step: more is not rounding */
static const double ROUNDING = 1e-12;

/* --- set-up -------------------------------------------------------------------------------------
 */

/* the anchors that move; which end of the plan's joint each is, -1: the ground */
static int elements_find_ends(const flg_interface *interface, int ends[FLG_INTERFACE_ANCHORS_MAX]) {
  int count = 0;
  for (int k = 0; k < interface->anchor_count; k++) {
    ends[k] = interface->anchors[k].subsystem < 0 ? -1 : count++;
  }
  return count;
}

flg_status flg_coupling_elements_refuse(const flg_coupled_system *system, const char *scheme,
                                        unsigned kinds, flg_error *error) {
  static const char *const words[] = {[FLG_ELEMENT_RIGID] = "the ratio",
                                      [FLG_ELEMENT_SPRING] = "springs and dampers",
                                      [FLG_ELEMENT_FRICTION] = "friction",
                                      [FLG_ELEMENT_STOP] = "stops"};
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface *interface = &system->interfaces[k];
    for (int i = 0; i < interface->element_count; i++) {
      const flg_element_kind kind = interface->elements[i].kind;
      if ((kinds & 1u << kind) == 0) continue;
      return flg_fail(error, FLG_ERR_INPUT,
                      "scheme %s cannot solve %s of an interface, as '%s' has: take 'scheme: "
                      "sequential' or 'parallel'",
                      scheme, words[kind], interface->name);
    }
  }
  return FLG_OK;
}

int flg_coupling_elements_draw(const flg_coupling *coupling, int *joints, int count,
                               flg_graph_joint *drawn) {
  for (int k = 0; k < coupling->system.interface_count; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k];
    int ends[FLG_INTERFACE_ANCHORS_MAX];
    joints[k] = -1;
    if (interface->element_count == 0) continue;
    flg_graph_joint *joint = &drawn[joints[k] = count++];
    *joint = (flg_graph_joint){
        .rows = interface->element_count, .ends = elements_find_ends(interface, ends), .soft = 1};
    for (int i = 0; i < interface->anchor_count; i++) {
      const flg_interface_end *anchor = &interface->anchors[i];
      if (ends[i] >= 0) joint->end[ends[i]] = (flg_graph_port){anchor->subsystem, anchor->port};
    }
    if (joint->ends == 1) joint->end[joint->ends++] = (flg_graph_port){FLG_GROUND, 0};
  }
  return count;
}

/* where all subsystems are now */
static flg_element_row elements_measure(const flg_coupling *coupling, const flg_element *element,
                                        const double near[2]) {
  const flg_coupled_system *system = &coupling->system;
  flg_element_row row;
  flg_element_measure(element, &system->interfaces[element->interface], system->subsystems, near,
                      &row);
  return row;
}

/* s_k . V_k of all anchors without cancellation: what the rate of a row is rounding of */
static double fastest_anchor(const flg_coupling *coupling, const flg_element *element,
                             const flg_element_row *row) {
  const flg_coupled_system *system = &coupling->system;
  const flg_interface *interface = &system->interfaces[element->interface];
  double sum = 0;
  for (int k = 0; k < interface->anchor_count; k++) {
    double side[PORT_ROWS], velocity[PORT_ROWS];
    flg_spatial_store(row->side[k], side);
    flg_spatial_store(
        flg_interface_anchor_frame(&interface->anchors[k], system->subsystems).velocity, velocity);
    for (int j = 0; j < PORT_ROWS; j++) sum += fabs(side[j] * velocity[j]);
  }
  return sum;
}

static int friction_start(const flg_coupling *coupling, const flg_element *element,
                          const flg_element_row *row) {
  return flg_friction_start(element->friction, row->rate, fastest_anchor(coupling, element, row));
}

static void elements_start_one(const flg_coupling *coupling, flg_element *element,
                               flg_element_state *state) {
  const double near[2] = {0, 0};
  if (element->is_sum) element->origin = 0;
  flg_element_row row = elements_measure(coupling, element, near);
  *state = (flg_element_state){.near = {row.part[0], row.part[1]}};
  if (element->is_sum) element->origin = row.value, row.value = 0;
  if (element->kind == FLG_ELEMENT_SPRING) {
    element->rest = isnan(element->spring->rest) ? row.value : element->spring->rest;
  }
  if (element->kind == FLG_ELEMENT_FRICTION) {
    state->mode = friction_start(coupling, element, &row);
  }
}

void flg_coupling_elements_start(flg_coupling *coupling) {
  const flg_coupling_elements *elements = &coupling->elements;
  for (int k = 0; k < elements->count; k++) {
    elements_start_one(coupling, elements->list[k], &elements->states[k]);
  }
}

void flg_coupling_elements_restart(flg_coupling *coupling) {
  for (int k = 0; k < coupling->elements.count; k++) {
    const flg_element *element = coupling->elements.list[k];
    flg_element_state *state = &coupling->elements.states[k];
    const flg_element_row row = elements_measure(coupling, element, state->near);
    if (element->kind == FLG_ELEMENT_STOP) state->mode = 0;
    if (element->kind == FLG_ELEMENT_FRICTION)
      state->mode = friction_start(coupling, element, &row);
  }
}

/* --- what macro runs know
 * -------------------------------------------------------------------------
 */

static const flg_macro_element *met_of(const flg_coupling *coupling, const flg_element *element) {
  return coupling->elements.met[element->number];
}

/* of all macro runs at its places, that of the first subsystem, whichever end it is */
static const flg_macro_element *find_met_element(const flg_coupling *coupling,
                                                 const flg_element *element) {
  const flg_interface *interface = &coupling->system.interfaces[element->interface];
  const flg_macro_element *found = NULL;
  int first = coupling->system.subsystem_count;
  for (int k = 0; k < interface->anchor_count; k++) {
    const int subsystem = interface->anchors[k].subsystem;
    if (subsystem < 0 || subsystem >= first) continue;
    const flg_macro_element *met =
        flg_macro_elements_find(&coupling->macro_runs[subsystem].elements, element);
    if (met != NULL) found = met, first = subsystem;
  }
  return found;
}

void flg_coupling_elements_find(flg_coupling *coupling) {
  for (int k = 0; k < coupling->elements.count; k++) {
    coupling->elements.met[k] = find_met_element(coupling, coupling->elements.list[k]);
  }
}

/* of all macro runs at its places, the mean */
double flg_coupling_elements_work(const flg_coupling *coupling, int index) {
  const flg_interface *interface = &coupling->system.interfaces[index];
  double sum = 0;
  for (int i = 0; i < interface->element_count; i++) {
    double work = 0;
    int count = 0;
    for (int k = 0; k < interface->anchor_count; k++) {
      const int subsystem = interface->anchors[k].subsystem;
      if (subsystem < 0) continue;
      const flg_macro_element *met = flg_macro_elements_find(
          &coupling->macro_runs[subsystem].elements, &interface->elements[i]);
      if (met != NULL) work += met->work, count++;
    }
    if (count > 0) sum += work / count;
  }
  return sum;
}

double flg_coupling_energy(const flg_coupling *coupling) {
  double sum = 0;
  for (int k = 0; k < coupling->elements.count; k++) {
    const flg_element *element = coupling->elements.list[k];
    if (element->kind != FLG_ELEMENT_SPRING) continue;
    const flg_element_row row =
        elements_measure(coupling, element, coupling->elements.states[k].near);
    sum += flg_element_energy(element, row.value);
  }
  return sum;
}

void flg_coupling_elements_keep(flg_coupling *coupling) {
  for (int k = 0; k < coupling->elements.count; k++) {
    const flg_macro_element *met = coupling->elements.met[k];
    flg_element_state *state = &coupling->elements.states[k];
    if (met != NULL) *state = met->state;
    const flg_element_row row = elements_measure(coupling, coupling->elements.list[k], state->near);
    memcpy(state->near, row.part, sizeof row.part);
  }
}

/* --- passes -------------------------------------------------------------------------------------
 */

void flg_coupling_elements_begin(flg_coupling *coupling, flg_elements_pass pass) {
  flg_coupling_elements *elements = &coupling->elements;
  elements->pass = pass;
  for (int k = 0; k < elements->count; k++) elements->are_left[k] = false;
}

static bool is_coupled_closed(const flg_coupling *coupling, const flg_element *element,
                              const flg_element_state *state) {
  if (coupling->elements.are_left[element->number]) return false;
  const bool stays = element->kind == FLG_ELEMENT_RIGID;
  if (coupling->elements.pass == FLG_PASS_EVENT && !stays) return false;
  return flg_element_is_closed(element, (int)state->mode);
}

/* as the last macro run left it; at events, as it was kept */
static const flg_element_state *elements_state_of(const flg_coupling *coupling,
                                                  const flg_element *element) {
  const flg_macro_element *met =
      coupling->elements.pass == FLG_PASS_EVENT ? NULL : met_of(coupling, element);
  return met == NULL ? &coupling->elements.states[element->number] : &met->state;
}

static double element_compliance(const flg_coupling *coupling, const flg_element *element,
                                 double slack) {
  if (is_coupled_closed(coupling, element, elements_state_of(coupling, element))) return 0;
  if (element->kind != FLG_ELEMENT_SPRING || coupling->elements.pass == FLG_PASS_EVENT)
    return slack;
  const flg_macro_element *met = met_of(coupling, element);
  return met != NULL && met->resist * slack > 1 ? 1 / met->resist : slack;
}

/* its joint of the plan of the whole, and the row of it */
static flg_plan_joint elements_view_of(const flg_coupling *coupling, const flg_element *element,
                                       int *row) {
  *row = (int)(element - coupling->system.interfaces[element->interface].elements);
  return flg_plan_joint_view(coupling->whole, coupling->elements.joints[element->interface]);
}

static void fill_row(flg_coupling *coupling, const flg_element *element) {
  const flg_interface *interface = &coupling->system.interfaces[element->interface];
  int ends[FLG_INTERFACE_ANCHORS_MAX], index;
  const flg_plan_joint view = elements_view_of(coupling, element, &index);
  const flg_element_row row =
      elements_measure(coupling, element, elements_state_of(coupling, element)->near);
  elements_find_ends(interface, ends);
  coupling->elements.values[element->number] = row.value;
  view.scale[index] = 0;
  for (int k = 0; k < interface->anchor_count; k++) {
    if (ends[k] < 0) continue;
    const flg_interface_end *anchor = &interface->anchors[k];
    const flg_yield yield =
        flg_port_yield(coupling->reduced[anchor->subsystem].model, anchor->port);
    double numbers[PORT_ROWS];
    view.scale[index] += flg_side_scale(row.side[k], yield);
    flg_spatial_store(row.side[k], numbers);
    for (int j = 0; j < PORT_ROWS; j++) {
      view.side[ends[k]][index + j * view.leading] = numbers[j];
    }
  }
  view.compliance[index] =
      element_compliance(coupling, element, FLG_LIMIT_SLACK * view.scale[index]);
}

void flg_coupling_elements_fill(flg_coupling *coupling) {
  for (int k = 0; k < coupling->elements.count; k++) fill_row(coupling, coupling->elements.list[k]);
}

/* where a closed stop, or anything that the macro run left at `law`, belongs */
static double elements_place_of(const flg_macro_element *met, double value) {
  const flg_element *element = met->element;
  if (element->kind == FLG_ELEMENT_RIGID) return 0;
  if (element->kind != FLG_ELEMENT_STOP) return met->value;
  const int side = (int)met->state.mode;
  const double gap = flg_stop_gap(element->stop, side, value);
  if (gap > 0) {
    /* the macro run may have passed the end that a round before this one has gone back to */
    const bool has_passed = flg_stop_gap(element->stop, side, met->value) < 0;
    return has_passed ? value + side * gap : met->value;
  }
  return value + side * gap * (met->was_hit ? 1 : FLG_LIMIT_TAKEN_OUT);
}

static double aim_of(const flg_coupling *coupling, const flg_element *element, bool is_slack) {
  const flg_macro_element *met =
      coupling->elements.pass == FLG_PASS_EVENT ? NULL : met_of(coupling, element);
  if (is_slack || met == NULL) return 0;
  if (coupling->elements.pass == FLG_PASS_POSITION) {
    const double value = coupling->elements.values[element->number];
    return elements_place_of(met, value) - value;
  }
  return element->kind == FLG_ELEMENT_SPRING ? met->after : 0;
}

void flg_coupling_elements_aim(flg_coupling *coupling) {
  for (int k = 0; k < coupling->elements.count; k++) {
    const flg_element *element = coupling->elements.list[k];
    int row;
    const flg_plan_joint view = elements_view_of(coupling, element, &row);
    const bool is_slack = view.compliance[row] >= FLG_LIMIT_SLACK * view.scale[row];
    view.gamma[row] = aim_of(coupling, element, is_slack);
  }
}

/* what a closed element would have in the macro step with the impulse that is added at its end */
static bool breaks_law(const flg_coupling *coupling, const flg_element *element, double added) {
  const flg_element_state *state = elements_state_of(coupling, element);
  const flg_macro_element *met =
      coupling->elements.pass == FLG_PASS_EVENT ? NULL : met_of(coupling, element);
  const double before = met == NULL ? 0 : met->sum, sum = before + added;
  const double noise = ROUNDING * (fabs(before) + fabs(added));
  const flg_limit_seen seen = {.mode = (int)state->mode,
                               .impulse = sum,
                               .load = state->load,
                               .kick = coupling->system.macro,
                               .rounding = {0, noise}};
  return flg_element_judge(element, &seen) != seen.mode;
}

bool flg_coupling_elements_revise(flg_coupling *coupling) {
  bool any = false;
  if (coupling->elements.pass == FLG_PASS_POSITION) return false;
  for (int k = 0; k < coupling->elements.count; k++) {
    const flg_element *element = coupling->elements.list[k];
    int row;
    const flg_plan_joint view = elements_view_of(coupling, element, &row);
    if (!is_coupled_closed(coupling, element, elements_state_of(coupling, element))) continue;
    if (!breaks_law(coupling, element, view.reactions[row])) continue;
    any = coupling->elements.are_left[k] = true;
  }
  return any;
}
