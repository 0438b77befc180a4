#include "compile/tree_terms.h"

#include <math.h>
#include <string.h>

#include "parts/trees.h"

/* straight-line code past that is no faster than loops, and takes long to compile */
enum { NODES_MAX = 60000 };

typedef struct tree_builder {
  flg_tree_terms *made;
  flg_term *efforts;      /* (velocities) */
  flg_term_force *pushed; /* (elements) */
  bool is_refused;
} tree_builder;

/* --- coordinates --------------------------------------------------------------------------------
 */

/* A frame of the component on an element. */
typedef struct tree_frame {
  int element; /* FLG_WORLD: the ground */
  flg_term3 position, velocity;
  flg_term9 rotation;
} tree_frame;

flg_link_anchor flg_tree_terms_anchor(const flg_tree_terms *of, const flg_part_anchor *anchor) {
  const flg_link_anchor on_link = {anchor->of == NULL ? FLG_WORLD : anchor->link, anchor->pose};
  return flg_elements_anchor(&of->elements, &on_link);
}

static tree_frame frame_at(tree_builder *of, const flg_part_anchor *anchor) {
  flg_term at[FLG_FRAME_TERMS];
  const flg_link_anchor on = flg_tree_terms_anchor(of->made, anchor);
  flg_frame_terms_of(&of->made->frames, &of->made->graph, &on, at);
  tree_frame frame = {.element = on.link, .position = {at[0], at[1], at[2]}};
  for (int k = 0; k < 3; k++) {
    const flg_term *column = at + FLG_FRAME_ROTATION + 3 * k;
    frame.rotation.column[k] = (flg_term3){column[0], column[1], column[2]};
  }
  const flg_term *v = at + FLG_FRAME_VELOCITY;
  frame.velocity = (flg_term3){v[0], v[1], v[2]};
  return frame;
}

/* a distance: the unit vector from its first end to its second, and how long it is */
static flg_term3 direction_of(tree_builder *of, int coordinate, tree_frame end[2],
                              flg_term *length) {
  flg_terms *graph = &of->made->graph;
  const flg_running_coordinate *own = &of->made->assembly->model.coordinates[coordinate];
  for (int e = 0; e < 2; e++) end[e] = frame_at(of, &own->anchor[e]);
  const flg_term3 way = flg_term3_subtract(graph, end[1].position, end[0].position);
  *length = flg_terms_root(graph, flg_term3_dot(graph, way, way));
  /* One division instead of three. */
  const flg_term share = flg_terms_divide(graph, flg_terms_constant(graph, 1), *length);
  return flg_term3_scale(graph, share, way);
}

static void find_distance(tree_builder *of, int coordinate) {
  flg_terms *graph = &of->made->graph;
  tree_frame end[2];
  const flg_term3 along = direction_of(of, coordinate, end, &of->made->value[coordinate]);
  const flg_term3 opening = flg_term3_subtract(graph, end[1].velocity, end[0].velocity);
  of->made->rate[coordinate] = flg_term3_dot(graph, along, opening);
}

/* Coordinates of joints, and sums of them over a chain of parallel axes, depend on q by constant
 * factors. What is added (a zero that a file chose, whole turns) is read off where the assembly
 * stands now. */
/* the sum of joint coordinates that it is; row: of velocities */
static void find_sum(tree_builder *of, int coordinate, const double *row) {
  flg_tree_terms *made = of->made;
  flg_terms *graph = &made->graph;
  double *factors = made->factors + (size_t)coordinate * (size_t)made->positions;
  double now = 0;
  flg_term value = 0, rate = 0;
  for (int k = 0; k < made->velocities; k++) {
    if (row[k] == 0) continue;
    const int at = made->straight[k];
    const flg_term factor = flg_terms_constant(graph, row[k]);
    factors[at] = row[k];
    now += row[k] * made->assembly->state.q[at];
    const flg_term position = flg_terms_input(graph, FLG_INPUT_POSITIONS, at);
    const flg_term velocity = flg_terms_input(graph, FLG_INPUT_VELOCITIES, k);
    value = flg_terms_add(graph, value, flg_terms_multiply(graph, factor, position));
    rate = flg_terms_add(graph, rate, flg_terms_multiply(graph, factor, velocity));
  }
  const double zero = flg_assembly_read(made->assembly, coordinate)->value - now;
  made->zeros[coordinate] = zero;
  of->made->value[coordinate] = flg_terms_add(graph, value, flg_terms_constant(graph, zero));
  of->made->rate[coordinate] = rate;
}

/* Others (angles about axes that tilt, for example) have no closed form here: -1, refused where
 * something reads them. */
static void find_coordinates(tree_builder *of, flg_region *region) {
  const flg_assembly *assembly = of->made->assembly;
  const size_t velocities = (size_t)of->made->velocities;
  double *row = flg_region_take(region, velocities, sizeof *row);
  double *work = flg_region_take(region, 2 * velocities, sizeof *work);
  for (int k = 0; k < assembly->model.coordinate_count && !region->failed; k++) {
    of->made->value[k] = of->made->rate[k] = -1;
    of->made->zeros[k] = NAN;
    memset(row, 0, velocities * sizeof *row);
    if (flg_assembly_tree_row(assembly, k, 1, work, row)) {
      find_sum(of, k, row);
    } else if (assembly->model.coordinates[k].kind == FLG_COORDINATE_DISTANCE) {
      find_distance(of, k);
    }
  }
}

/* --- forces -------------------------------------------------------------------------------------
 */

/* force and moment on a frame, in the axes of the world */
static void push_frame(tree_builder *of, const tree_frame *at, flg_term_force by) {
  flg_terms *graph = &of->made->graph;
  if (at->element == FLG_WORLD) return;
  const flg_moving_terms *on = &of->made->frames.motions[at->element];
  /* to the element's origin and into its axes, where forward_terms.h wants forces */
  const flg_term3 arm = flg_term3_subtract(graph, at->position, on->position);
  const flg_term3 moment = flg_term3_add(graph, by.moment, flg_term3_cross(graph, arm, by.force));
  flg_term_force *sum = &of->pushed[at->element];
  sum->force =
      flg_term3_add(graph, sum->force, flg_term9_apply_transposed(graph, &on->rotation, by.force));
  sum->moment =
      flg_term3_add(graph, sum->moment, flg_term9_apply_transposed(graph, &on->rotation, moment));
}

static void push_apart(tree_builder *of, int coordinate, flg_term effort) {
  flg_terms *graph = &of->made->graph;
  tree_frame end[2];
  flg_term length;
  const flg_term3 along = direction_of(of, coordinate, end, &length);
  const flg_term3 force = flg_term3_scale(graph, effort, along);
  push_frame(of, &end[1], (flg_term_force){force, FLG_TERM3_ZERO});
  push_frame(of, &end[0],
             (flg_term_force){flg_term3_subtract(graph, FLG_TERM3_ZERO, force), FLG_TERM3_ZERO});
}

static void terms_pull_coordinate(tree_builder *of, int coordinate, flg_term effort) {
  flg_tree_terms *made = of->made;
  flg_terms *graph = &made->graph;
  if (of->made->value[coordinate] < 0) {
    of->is_refused = true;
  } else if (isnan(made->zeros[coordinate])) {
    push_apart(of, coordinate, effort);
  } else {
    const double *factors = made->factors + (size_t)coordinate * (size_t)made->positions;
    for (int k = 0; k < made->velocities; k++) {
      if (made->straight[k] < 0 || factors[made->straight[k]] == 0) continue;
      const flg_term factor = flg_terms_constant(graph, factors[made->straight[k]]);
      of->efforts[k] =
          flg_terms_add(graph, of->efforts[k], flg_terms_multiply(graph, factor, effort));
    }
  }
}

/* what a spring is stretched by, past its slack */
static flg_term stretch_of(const tree_builder *of, const flg_running_force *own) {
  flg_terms *graph = &of->made->graph;
  const flg_component_spring *spring = own->force.of;
  const flg_term rest = flg_terms_constant(graph, own->force.own[0]);
  const flg_term away = flg_terms_subtract(graph, of->made->value[own->coordinate], rest);
  if (!(spring->slack > 0)) return away;
  return flg_terms_call(graph, FLG_CALL_stretch, away, flg_terms_constant(graph, spring->slack));
}

/* preload - stiffness stretch - damping rate, of one that acts */
/* With slack a spring acts outside of it alone, and so does its damper. */
static flg_term spring_effort(const tree_builder *of, const flg_running_force *own) {
  flg_terms *graph = &of->made->graph;
  const flg_component_spring *spring = own->force.of;
  const flg_term stretch = stretch_of(of, own);
  flg_term damping = flg_terms_constant(graph, spring->damping);
  if (spring->slack > 0) {
    const flg_term acts = flg_terms_call(graph, FLG_CALL_acts, stretch, 0);
    damping = flg_terms_multiply(graph, damping, acts);
  }
  const flg_term elastic = flg_terms_subtract(
      graph, flg_terms_constant(graph, spring->preload),
      flg_terms_multiply(graph, flg_terms_constant(graph, spring->stiffness), stretch));
  return flg_terms_subtract(graph, elastic,
                            flg_terms_multiply(graph, damping, of->made->rate[own->coordinate]));
}

/* stiffness stretch^2 / 2 - preload c */
static flg_term spring_energy(const tree_builder *of, const flg_running_force *own) {
  flg_terms *graph = &of->made->graph;
  const flg_component_spring *spring = own->force.of;
  const flg_term stretch = stretch_of(of, own);
  const flg_term square = flg_terms_multiply(graph, stretch, stretch);
  const flg_term preload = flg_terms_constant(graph, spring->preload);
  return flg_terms_subtract(
      graph, flg_terms_multiply(graph, flg_terms_constant(graph, spring->stiffness / 2), square),
      flg_terms_multiply(graph, preload, of->made->value[own->coordinate]));
}

static void push_spring(tree_builder *of, int index) {
  const flg_running_force *own = &of->made->assembly->model.forces[index];
  flg_tree_terms *made = of->made;
  made->springs[index] = spring_effort(of, own);
  made->stored = flg_terms_add(&made->graph, made->stored, spring_energy(of, own));
  terms_pull_coordinate(of, own->coordinate, made->springs[index]);
}

static flg_term3 take_given(tree_builder *of) {
  flg_term at[3];
  for (int k = 0; k < 3; k++) {
    at[k] = flg_terms_input(&of->made->graph, FLG_TREE_GIVEN, of->made->given_count++);
  }
  return (flg_term3){at[0], at[1], at[2]};
}

/* As a factor 0 or 1: events switch loads while the code runs, and branches have no place in
 * terms. */
static flg_term_force switched(tree_builder *of, const flg_component_load *load, int index) {
  flg_terms *graph = &of->made->graph;
  const flg_term on = flg_terms_input(graph, FLG_TREE_GIVEN, of->made->given_count);
  of->made->switches[of->made->given_count++] = index;
  return (flg_term_force){
      flg_term3_scale(graph, on, flg_term3_constant(graph, load->force.linear)),
      flg_term3_scale(graph, on, flg_term3_constant(graph, load->force.angular))};
}

static void push_load(tree_builder *of, int index) {
  flg_terms *graph = &of->made->graph;
  const flg_running_force *own = &of->made->assembly->model.forces[index];
  const flg_component_load *load = own->force.of;
  const tree_frame at = frame_at(of, &own->anchor[0]);
  flg_term_force by = {FLG_TERM3_ZERO, FLG_TERM3_ZERO};
  if (of->made->is_library) {
    by.force = take_given(of), by.moment = take_given(of);
  } else {
    by = switched(of, load, index);
  }
  if (load->follows) {
    by.force = flg_term9_apply(graph, &at.rotation, by.force);
    by.moment = flg_term9_apply(graph, &at.rotation, by.moment);
  }
  push_frame(of, &at, by);
}

/* Motors and efforts come as inputs: their values follow from signals, which generated code finds
 * first. */
static void push_element(tree_builder *of, int index) {
  const flg_assembly *assembly = of->made->assembly;
  const flg_running_force *own = &assembly->model.forces[index];
  const flg_force_kind *kind = own->force.kind;
  flg_terms *graph = &of->made->graph;
  const int first_motor = flg_forces_first(assembly->model.component, &flg_motor_kind);
  const int first_effort = flg_forces_first(assembly->model.component, &flg_effort_kind);
  if (kind == &flg_load_kind) {
    push_load(of, index);
  } else if (kind == &flg_spring_kind && of->made->value[own->coordinate] >= 0) {
    push_spring(of, index);
  } else if (kind == &flg_motor_kind || kind == &flg_effort_kind) {
    const int number = kind == &flg_motor_kind
                           ? index - first_motor
                           : assembly->model.signals->motor_count + index - first_effort;
    terms_pull_coordinate(of, own->coordinate, flg_terms_input(graph, FLG_TREE_EFFORTS, number));
  } else {
    of->is_refused = true;
  }
}

/* --- accelerations ------------------------------------------------------------------------------
 */

/* Gears couple coordinates of different branches: the sparsity of the tree is lost with them. */
/* M as a full matrix */
static void spread_mass(const flg_forward_terms *forward, flg_term *M) {
  const int n = forward->count;
  for (int k = 0; k < n; k++) {
    const flg_term *row = forward->mass + forward->rows[k];
    for (int i = k; i >= 0; i = forward->before[i], row++) M[k * n + i] = M[i * n + k] = *row;
  }
}

/* row by row: to = B^T from, rows of followers are left as they are */
static void gather_rows(flg_terms *graph, const flg_mimics *gears, int width, flg_term *rows) {
  for (int r = 0; r < gears->count; r++) {
    const flg_term *from = rows + (size_t)gears->followers[r] * (size_t)width;
    for (int k = gears->first[r]; k < gears->first[r + 1]; k++) {
      const flg_term factor = flg_terms_constant(graph, gears->multipliers[k]);
      flg_term *to = rows + (size_t)gears->leaders[k] * (size_t)width;
      for (int j = 0; j < width; j++) {
        to[j] = flg_terms_add(graph, to[j], flg_terms_multiply(graph, factor, from[j]));
      }
    }
  }
}

static void transpose_terms(int n, flg_term *M) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      const flg_term kept = M[i * n + j];
      M[i * n + j] = M[j * n + i], M[j * n + i] = kept;
    }
  }
}

/* Followers are skipped instead of moved: numbers of coordinates stay those of the tree. */
/* M x = b of the coordinates that lead, by L D L^T in place; x takes the place of b */
static void solve_leaders(flg_terms *graph, int n, const bool *follows, flg_term *M, flg_term *b) {
  const flg_term one = flg_terms_constant(graph, 1);
  for (int k = 0; k < n; k++) {
    if (follows[k]) continue;
    const flg_term yield = flg_terms_divide(graph, one, M[k * n + k]);
    for (int i = k + 1; i < n; i++) {
      if (follows[i]) continue;
      const flg_term share = flg_terms_multiply(graph, M[i * n + k], yield);
      for (int j = k + 1; j <= i; j++) {
        if (follows[j]) continue;
        const flg_term less = flg_terms_multiply(graph, share, M[j * n + k]);
        M[i * n + j] = flg_terms_subtract(graph, M[i * n + j], less);
      }
      b[i] = flg_terms_subtract(graph, b[i], flg_terms_multiply(graph, share, b[k]));
      M[k * n + i] = share; /* of L, above the diagonal */
    }
    M[k * n + k] = yield;
  }
  for (int k = n - 1; k >= 0; k--) {
    if (follows[k]) continue;
    b[k] = flg_terms_multiply(graph, b[k], M[k * n + k]);
    for (int i = k + 1; i < n; i++) {
      if (follows[i]) continue;
      b[k] = flg_terms_subtract(graph, b[k], flg_terms_multiply(graph, M[k * n + i], b[i]));
    }
  }
}

static bool solve_geared(flg_terms *graph, const flg_forward_terms *forward,
                         const flg_mimics *gears, flg_region *region) {
  const int n = forward->count;
  flg_term *M = flg_region_take(region, (size_t)n * (size_t)n, sizeof *M), *a = forward->a;
  bool *follows = flg_region_take(region, (size_t)n, sizeof *follows);
  if (region->failed) return false;
  for (int r = 0; r < gears->count; r++) follows[gears->followers[r]] = true;
  spread_mass(forward, M);
  /* B^T M B: rows, then columns by way of the transpose, as M is symmetric */
  gather_rows(graph, gears, n, M);
  transpose_terms(n, M);
  gather_rows(graph, gears, n, M);
  gather_rows(graph, gears, 1, a);
  /* accelerations of the leaders; followers are B times these */
  solve_leaders(graph, n, follows, M, a);
  for (int r = 0; r < gears->count; r++) {
    flg_term sum = 0;
    for (int k = gears->first[r]; k < gears->first[r + 1]; k++) {
      const flg_term factor = flg_terms_constant(graph, gears->multipliers[k]);
      sum = flg_terms_add(graph, sum, flg_terms_multiply(graph, factor, a[gears->leaders[k]]));
    }
    a[gears->followers[r]] = sum;
  }
  return !region->failed;
}

static bool find_accelerations(tree_builder *of, flg_term3 gravity, flg_region *region) {
  flg_tree_terms *made = of->made;
  const flg_motion_terms motion = {gravity, of->efforts, of->pushed};
  const flg_mimics *gears = flg_trees_coupled(made->parts, 0);
  if (!flg_motion_terms_build(&made->motion, &made->graph, &made->elements, &motion, region))
    return false;
  return gears == NULL ? flg_motion_terms_solve(&made->motion, &made->graph, region)
                       : solve_geared(&made->graph, &made->motion, gears, region);
}

bool flg_tree_terms_factor(flg_tree_terms *of, flg_forward_terms *forward, flg_region *region) {
  flg_term *nothing = flg_region_take(region, (size_t)of->velocities, sizeof *nothing);
  flg_term_force *pushed = flg_region_take(region, (size_t)of->elements.count, sizeof *pushed);
  if (region->failed) return false;
  const flg_motion_terms still = {FLG_TERM3_ZERO, nothing, pushed};
  return flg_motion_terms_build(forward, &of->graph, &of->elements, &still, region) &&
         flg_motion_terms_solve(forward, &of->graph, region);
}

/* --- all ----------------------------------------------------------------------------------------
 */

/* Steps of rk4 have accelerations in joint coordinates. Loops, contacts, limits and open ports need
 * rows, which this code does not have. */
static bool is_tree_alone(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  return model->options.scheme == FLG_SCHEME_RK4 && model->set_count == 1 &&
         flg_parts_are_trees(model->sets[0]) && model->sets[0]->count == 1 &&
         model->row_count == 0 && model->touch == NULL && model->outer_port_count == 0 &&
         assembly->state.limits.count == 0;
}

static void find_straight(flg_tree_terms *of) {
  for (int k = 0; k < of->velocities; k++) of->straight[k] = -1;
  for (int i = 0; i < of->elements.count; i++) {
    const flg_element *element = &of->elements.list[i];
    if (element->kind != FLG_ELEMENT_BALL) of->straight[element->velocity] = element->position;
  }
}

static bool take_tree_terms(tree_builder *of, flg_region *region) {
  flg_tree_terms *made = of->made;
  const struct flg_assembly_model *model = &made->assembly->model;
  const size_t coordinates = (size_t)model->coordinate_count, n = (size_t)made->velocities;
  made->straight = flg_region_take(region, n, sizeof(int));
  made->factors = flg_region_take(region, coordinates * (size_t)made->positions, sizeof(double));
  made->zeros = flg_region_take(region, coordinates, sizeof(double));
  made->switches = flg_region_take(region, (size_t)model->force_count, sizeof(int));
  made->value = flg_region_take(region, coordinates, sizeof(flg_term));
  made->rate = flg_region_take(region, coordinates, sizeof(flg_term));
  made->springs = flg_region_take(region, (size_t)model->force_count, sizeof(flg_term));
  of->efforts = flg_region_take(region, n, sizeof(flg_term));
  of->pushed = flg_region_take(region, (size_t)made->elements.count, sizeof *of->pushed);
  return !region->failed;
}

/* Angles of the state have to follow from q. */
static bool are_angles_sums(const flg_tree_terms *of) {
  for (int k = 0; k < of->assembly->model.coordinate_count; k++) {
    if (of->assembly->model.coordinates[k].angle >= 0 && isnan(of->zeros[k])) return false;
  }
  return true;
}

static const flg_signal_inputs inputs = {.states = FLG_TREE_STATES,
                                         .sources = FLG_TREE_SOURCES,
                                         .held = FLG_TREE_HELD,
                                         .clock = FLG_TREE_CLOCK,
                                         .memory = FLG_TREE_MEMORY,
                                         .due = FLG_TREE_DUE};

bool flg_tree_terms_build(flg_tree_terms *of, flg_assembly *assembly, bool is_library,
                          flg_region *region) {
  flg_vec3 gravity;
  *of = (flg_tree_terms){.assembly = assembly, .is_library = is_library};
  if (!is_tree_alone(assembly)) return false;
  of->parts = assembly->model.sets[0];
  if (!flg_trees_have_gravity(of->parts, 0, &gravity)) return false;
  of->velocities = assembly->model.velocity_count, of->positions = assembly->model.position_count;
  tree_builder builder = {.made = of};
  flg_terms_begin(&of->graph, region);
  if (!flg_elements_build(&of->elements, flg_trees_robot(of->parts, 0), region) ||
      !take_tree_terms(&builder, region) ||
      !flg_frame_terms_build(&of->frames, &of->graph, &of->elements, region)) {
    return false;
  }
  find_straight(of);
  /* where the zeros of sums are read off */
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  find_coordinates(&builder, region);
  if (region->failed || !are_angles_sums(of)) return false;
  const flg_term3 falls =
      is_library ? take_given(&builder) : flg_term3_constant(&of->graph, gravity);
  for (int k = 0; k < assembly->model.force_count; k++) push_element(&builder, k);
  return !builder.is_refused &&
         flg_signal_terms_build(&of->signals, &of->graph, assembly, of->value, of->rate, &inputs,
                                region) &&
         find_accelerations(&builder, falls, region) && of->graph.nodes.count <= NODES_MAX;
}

flg_term *flg_tree_terms_samples(flg_tree_terms *of, flg_region *region) {
  return flg_signal_samples_build(&of->signals, &of->graph, of->assembly, of->value, of->rate,
                                  &inputs, region);
}
