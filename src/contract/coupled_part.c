#include "contract/coupled_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/larger.h"
#include "math/pivoted_cholesky.h"

typedef struct coupled {
  const flg_subsystem_insert *source;
  const flg_subsystem *subsystem;
  const flg_coupled_ops *ops; /* of it */
  void *self;                 /* of it */
  flg_part_slice slice;
  int rows;                /* 6 a port */
  bool uses_start_rows;    /* contract/coupled.h */
  flg_moving_frame *links; /* (ports) */
  flg_interface_model *model;
  double *admittance;           /* D (rows x rows) of the last reduce */
  double *bias, *velocity_bias; /* (rows) r and t of the last one for a step */
  double *load, *impulses;      /* (rows) forces on ports besides joints; work space */
  double *lower;                /* (rows x rows) and ... */
  int *order;                   /* ... (rows) work space of the root form */
} coupled;

typedef struct set_of_coupled {
  flg_parts parts;
  flg_part_ops ops;
  coupled *list;  /* (count) */
  double *q;      /* of the state */
  double time;    /* of the step */
  char why[1024]; /* it failed; "": it did not */
} set_of_coupled;

static set_of_coupled *set_of_parts(flg_parts *parts) {
  return (set_of_coupled *)parts;
}

static const coupled *coupled_at(const flg_parts *parts, int part) {
  return &((const set_of_coupled *)parts)->list[part];
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static const flg_part_ops coupled_ops;

static double *coupled_part_take(flg_region *region, int count) {
  return flg_region_take(region, (size_t)count, sizeof(double));
}

static void make_coupled(set_of_coupled *set, const flg_subsystem_insert *source, coupled *part,
                         flg_region *region) {
  const flg_subsystem *subsystem = source->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const int ports = ops->ports(subsystem->self), n = FLG_PORT_NUMBERS * ports;
  const int numbers = subsystem->ops->state(subsystem->self).count;
  *part = (coupled){
      .source = source,
      .subsystem = subsystem,
      .ops = ops,
      .self = subsystem->self,
      .slice = {set->parts.position_count, numbers, set->parts.velocity_count, n},
      .rows = n,
      .uses_start_rows = ops->uses_start_rows != NULL && ops->uses_start_rows(subsystem->self),
      .links = flg_region_take(region, (size_t)ports, sizeof *part->links),
      .admittance = coupled_part_take(region, n * n),
      .bias = coupled_part_take(region, n),
      .velocity_bias = coupled_part_take(region, n),
      .load = coupled_part_take(region, n),
      .impulses = coupled_part_take(region, n),
      .lower = coupled_part_take(region, n * n),
      .order = flg_region_take(region, (size_t)n, sizeof(int))};
  void *memory = flg_region_take(region, flg_interface_model_bytes(n), 1);
  if (memory != NULL) flg_interface_model_build(memory, n, n, &part->model, NULL);
  set->parts.position_count += numbers, set->parts.velocity_count += n;
}

/* whether nothing inside of them holds their ports */
static bool are_rigid(const flg_subsystem_insert *inserts, int count) {
  for (int k = 0; k < count; k++) {
    const flg_subsystem *subsystem = inserts[k].subsystem;
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    if (ops->is_rigid == NULL || !ops->is_rigid(subsystem->self)) return false;
  }
  return true;
}

flg_parts *flg_coupled_parts_make(const flg_subsystem_insert *inserts, int count,
                                  flg_region *region) {
  set_of_coupled *set = flg_region_take(region, 1, sizeof *set);
  if (set == NULL) return NULL;
  set->ops = coupled_ops;
  set->ops.floats = are_rigid(inserts, count);
  set->parts = (flg_parts){.ops = &set->ops, .count = count};
  set->list = flg_region_take(region, (size_t)count, sizeof *set->list);
  for (int k = 0; k < count && set->list != NULL; k++) {
    make_coupled(set, &inserts[k], &set->list[k], region);
  }
  return region->failed ? NULL : &set->parts;
}

static void coupled_release(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    part->subsystem->ops->release(part->self);
  }
}

static flg_part_anchor coupled_anchor(flg_parts *parts, int part, int body, flg_pose pose) {
  return (flg_part_anchor){.on = &coupled_at(parts, part)->links[body],
                           .of = parts,
                           .part = part,
                           .link = body,
                           .port = body,
                           .pose = pose};
}

static int coupled_open(flg_parts *parts, int part, int link) {
  (void)parts, (void)part;
  return link;
}

static int coupled_ports(const flg_parts *parts, int part) {
  return coupled_at(parts, part)->rows / FLG_PORT_NUMBERS;
}

static flg_part_slice coupled_slice(const flg_parts *parts, int part) {
  return coupled_at(parts, part)->slice;
}

static flg_part_label coupled_label(const flg_parts *parts, int part) {
  const coupled *of = coupled_at(parts, part);
  return (flg_part_label){of->subsystem->name, of->source->place, of->source->group};
}

static double coupled_extent(const flg_parts *parts, const double *q) {
  (void)parts, (void)q;
  return INFINITY;
}

static unsigned coupled_refused_schemes(const flg_parts *parts, int part, const char **reason) {
  (void)parts, (void)part;
  *reason = "takes steps of its own, to which only semi-implicit ones can be joined";
  return ~(1u << FLG_SCHEME_SEMI_IMPLICIT);
}

static const flg_subsystem *coupled_subsystem(const flg_parts *parts, int part) {
  return coupled_at(parts, part)->subsystem;
}

/* --- where they are -----------------------------------------------------------------------------
 */

/* into the subsystem, and out of it */
static void put_state(const coupled *part, const double *q) {
  const flg_subsystem_state state = part->subsystem->ops->state(part->self);
  memcpy(state.values, q + part->slice.position, (size_t)state.count * sizeof *q);
}

static void get_state(const coupled *part, double *q) {
  const flg_subsystem_state state = part->subsystem->ops->state(part->self);
  memcpy(q + part->slice.position, state.values, (size_t)state.count * sizeof *q);
}

static void get_velocities(const coupled *part, double *v) {
  for (int k = 0; k < part->rows / FLG_PORT_NUMBERS; k++) {
    flg_spatial_store(part->ops->frame(part->self, k).velocity,
                      v + part->slice.velocity + FLG_PORT_NUMBERS * k);
  }
}

static void coupled_start(flg_parts *parts, double *q, double *v, double *other) {
  (void)other;
  set_of_parts(parts)->q = q;
  for (int k = 0; k < parts->count; k++) {
    get_state(coupled_at(parts, k), q);
    get_velocities(coupled_at(parts, k), v);
  }
}

static void place_coupled(const coupled *part, double time, const double *q, const double *v,
                          flg_part_placing how) {
  if (!how.is_still) {
    put_state(part, q);
    part->subsystem->ops->refresh(part->self, time);
  }
  for (int k = 0; k < part->rows / FLG_PORT_NUMBERS; k++) {
    if (!how.is_still) part->links[k].pose = part->ops->frame(part->self, k).pose;
    part->links[k].velocity = flg_spatial_load(v + part->slice.velocity + FLG_PORT_NUMBERS * k);
  }
}

static void place(flg_parts *parts, const double *q, const double *v, flg_part_placing how) {
  const double time = set_of_parts(parts)->time;
  for (int k = 0; k < parts->count; k++) place_coupled(coupled_at(parts, k), time, q, v, how);
}

/* The displacements are those that forces make which the plan has now. */
static void displace(flg_parts *parts, const double *q, const double *v, double h, double *q_next) {
  (void)v;
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    for (int i = 0; i < part->rows; i++) part->impulses[i] = h * parts->views[k].force[i];
    put_state(part, q);
    (void)part->ops->displace(part->self,
                              part->impulses); /* not finite: told when the state is looked at */
    get_state(part, q_next);
  }
}

/* --- forces -------------------------------------------------------------------------------------
 */

static void coupled_load(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    memset(part->load, 0, (size_t)part->rows * sizeof(double));
  }
}

static void push_coupled(flg_parts *parts, const flg_part_anchor *on, flg_spatial force) {
  double *to = coupled_at(parts, on->part)->load + FLG_PORT_NUMBERS * on->link;
  const flg_vec3 arm = flg_mat3_apply(&on->on->pose.rotation, on->pose.position);
  const flg_spatial moved = flg_spatial_shift_force(force, flg_vec3_negate(arm));
  flg_spatial_store(flg_spatial_add(flg_spatial_load(to), moved), to);
}

static flg_status complain_of_coupled(flg_parts *parts, const coupled *part, const char *sentence) {
  set_of_coupled *set = set_of_parts(parts);
  snprintf(set->why, sizeof set->why, "'%s': %s", part->subsystem->name, sentence);
  return FLG_ERR_DIVERGED;
}

/* D, and of a step r and t */
static flg_status reduce_coupled(flg_parts *parts, const coupled *part, double tau) {
  const size_t n = (size_t)part->rows;
  flg_status status = part->ops->reduce(part->self, set_of_parts(parts)->time, tau, part->model);
  if (status != FLG_OK)
    return complain_of_coupled(parts, part, flg_subsystem_complaint(part->subsystem));
  memcpy(part->admittance, flg_interface_model_admittance(part->model), n * n * sizeof(double));
  if (tau == 0) return FLG_OK;
  memcpy(part->bias, flg_interface_model_bias(part->model), n * sizeof(double));
  if (part->uses_start_rows) status = part->ops->velocity_bias(part->self, part->velocity_bias);
  return status;
}

static flg_status coupled_gather(flg_parts *parts, double time, const double *q, const double *v) {
  (void)v;
  set_of_parts(parts)->time = time;
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    put_state(part, q);
    const flg_status status = reduce_coupled(parts, part, parts->mode->span);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

static void accelerate(const flg_parts *parts, bool flies, double *a) {
  (void)flies;
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    double *to = a + part->slice.velocity;
    for (int i = 0; i < part->rows; i++) to[i] = part->bias[i] - part->velocity_bias[i];
    flg_dense_apply(part->rows, part->rows, 1, part->admittance, part->rows, part->load, to);
  }
}

/* --- in the plan --------------------------------------------------------------------------------
 */

/* Of a step it is known since forces are; joints that are closed at once ask for another. */
static flg_status coupled_part_fill(flg_parts *parts) {
  const bool is_step = parts->mode->is_damped && parts->mode->span > 0;
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    const size_t n = (size_t)part->rows;
    double *D = parts->views[k].matrix;
    const flg_status status = is_step ? FLG_OK : reduce_coupled(parts, part, 0);
    if (status != FLG_OK) return status;
    if (parts->mode->is_root) {
      flg_part_root(part->rows, part->admittance, part->order, part->lower, D);
    } else {
      memcpy(D, part->admittance, n * n * sizeof *D);
    }
  }
  return FLG_OK;
}

static void coupled_see(const flg_parts *parts, const double *y, double bias_share) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    double *bias = parts->views[k].bias;
    for (int i = 0; i < part->rows; i++) {
      bias[i] = (y == NULL ? 0 : y[part->slice.velocity + i]) + bias_share * part->velocity_bias[i];
    }
  }
}

/* the plan has it as the motion of the ports */
static void coupled_collect(const flg_parts *parts, const double *from, double *y) {
  (void)from;
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    memcpy(y + part->slice.velocity, parts->views[k].motion, (size_t)part->rows * sizeof *y);
  }
}

static void coupled_pull_back(const flg_parts *parts, int part, int port, const double x[6],
                              double *to) {
  double *rows = to + coupled_at(parts, part)->slice.velocity + FLG_PORT_NUMBERS * port;
  for (int i = 0; i < FLG_PORT_NUMBERS; i++) rows[i] += x[i];
}

static double coupled_mobility(const flg_parts *parts, int part, int port, const double x[6]) {
  const coupled *of = coupled_at(parts, part);
  return flg_part_mobility(of->rows, of->admittance, port, x);
}

static flg_yield coupled_yield(const flg_parts *parts, int part, int port) {
  const coupled *of = coupled_at(parts, part);
  double length = 0; /* how far its ports are from the origin */
  for (int k = 0; k < of->rows / FLG_PORT_NUMBERS; k++) {
    length = fmax(length, flg_vec3_norm(of->links[k].pose.position));
  }
  return flg_port_yield_of(of->rows, of->admittance, port, length);
}

static bool coupled_resists(const flg_parts *parts) {
  (void)parts;
  return true;
}

/* --- energy: of the state of the last refresh ---------------------------------------------------
 */

static double energy(const flg_parts *parts, int part) {
  const coupled *of = coupled_at(parts, part);
  return of->subsystem->ops->energy(of->self);
}

/* The least energy of the motion of its ports, w D^+ w / 2: all of it where ports determine the
 * motion, as those of one rigid body do. */
static double energy_of_ports(const coupled *of, double time) {
  if (of->ops->reduce(of->self, time, 0, of->model) != FLG_OK) return 0;
  const double *w = flg_interface_model_velocity(of->model);
  const int rank =
      flg_pivoted_cholesky_factor(of->rows, flg_interface_model_admittance(of->model), of->rows,
                                  NULL, FLG_PIVOT_TOLERANCE, of->order, of->lower, of->rows);
  double sum = 0;
  for (int i = 0; i < rank; i++) of->impulses[i] = w[of->order[i]];
  if (rank > 0) flg_dense_solve_lower(rank, of->lower, of->rows, of->impulses);
  for (int i = 0; i < rank; i++) sum += 0.5 * of->impulses[i] * of->impulses[i];
  return sum;
}

static double coupled_kinetic_energy(const flg_parts *parts, int part) {
  const coupled *of = coupled_at(parts, part);
  const flg_subsystem_ops *ops = of->subsystem->ops;
  if (ops->kinetic_energy != NULL) return ops->kinetic_energy(of->self);
  return energy_of_ports(of, ((const set_of_coupled *)parts)->time);
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* what joints do at once is part of the step: damping resists it as it does in robots */
static void coupled_sample(flg_parts *parts, double time, double h) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    if (part->ops->set_impulse_step != NULL) part->ops->set_impulse_step(part->self, h);
  }
  set_of_parts(parts)->time = time;
  set_of_parts(parts)->why[0] = '\0';
}

/* a step of its own, under the impulses of the last solve and all other forces */
static flg_status coupled_advance(flg_parts *parts, double h, double *q, double *v) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    flg_error error = {0};
    for (int i = 0; i < part->rows; i++) {
      part->impulses[i] = parts->views[k].force[i] + h * part->load[i];
    }
    put_state(part, q);
    const flg_status status =
        part->ops->push(part->self, set_of_parts(parts)->time, h, 0, part->impulses, &error);
    if (status != FLG_OK) return complain_of_coupled(parts, part, error.message);
    get_state(part, q);
    get_velocities(part, v);
  }
  return FLG_OK;
}

static void coupled_carry(flg_parts *parts, const double *q, double *v) {
  for (int k = 0; k < parts->count; k++) {
    put_state(coupled_at(parts, k), q);
    get_velocities(coupled_at(parts, k), v);
  }
}

static flg_status coupled_take_velocities(flg_parts *parts, double *q, double *v) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    put_state(part, q);
    const flg_status status = part->ops->impulse(part->self, parts->views[k].force);
    if (status != FLG_OK) return status;
    get_state(part, q);
    get_velocities(part, v);
  }
  return FLG_OK;
}

static bool coupled_samples_within(const flg_parts *parts, double time) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    if (part->ops->samples_within != NULL && part->ops->samples_within(part->self, time))
      return true;
  }
  return false;
}

static void refresh(flg_parts *parts, double time) {
  for (int k = 0; k < parts->count; k++) {
    const coupled *part = coupled_at(parts, k);
    put_state(part, set_of_parts(parts)->q);
    part->subsystem->ops->refresh(part->self, time);
  }
}

static const char *complaint(const flg_parts *parts) {
  return ((const set_of_coupled *)parts)->why;
}

static const flg_part_ops coupled_ops = {.kind = "subsystem",
                                         .has_jacobian = true,
                                         .anchor = coupled_anchor,
                                         .open = coupled_open,
                                         .ports = coupled_ports,
                                         .start = coupled_start,
                                         .slice = coupled_slice,
                                         .label = coupled_label,
                                         .extent = coupled_extent,
                                         .refused_schemes = coupled_refused_schemes,
                                         .subsystem = coupled_subsystem,
                                         .release = coupled_release,
                                         .place = place,
                                         .displace = displace,
                                         .load = coupled_load,
                                         .push = push_coupled,
                                         .gather = coupled_gather,
                                         .accelerate = accelerate,
                                         .fill = coupled_part_fill,
                                         .see = coupled_see,
                                         .collect = coupled_collect,
                                         .pull_back = coupled_pull_back,
                                         .mobility = coupled_mobility,
                                         .yield = coupled_yield,
                                         .resists = coupled_resists,
                                         .energy = energy,
                                         .kinetic_energy = coupled_kinetic_energy,
                                         .sample = coupled_sample,
                                         .advance = coupled_advance,
                                         .carry = coupled_carry,
                                         .take_velocities = coupled_take_velocities,
                                         .samples_within = coupled_samples_within,
                                         .refresh = refresh,
                                         .complaint = complaint};
