/* Mechanisms put together by hand that seeds of tests/generate have not: in a plane, closed in
 * space, open at the start; heaps. Every scheme and form. */
#include "component/assembly_freedom.h"
#include "heaps.h"
#include "parts.h"
#include "space_loops.h"
#include "stored/kernels.h"

enum { MECHANISMS = 6, STEPS = 40 };

static void add_assembly(flg_assembly *assembly, digest *to) {
  int count;
  const double *state = flg_assembly_state(assembly, &count);
  add_numbers(to, OTHERS, count, state);
  const flg_closure closure = flg_assembly_closure(assembly);
  const double numbers[] = {closure.position, closure.velocity, closure.share,
                            flg_assembly_slip(assembly), flg_assembly_energy(assembly)};
  add_numbers(to, DIGEST_KINDS, 5, numbers);
}

/* its freedom, and which joints repeat which */
static void add_freedom(flg_assembly *assembly, digest *to) {
  flg_freedom freedom;
  flg_redundancies found = {0};
  add_count(to, flg_assembly_freedom(assembly, &freedom));
  add_count(to, freedom.velocities), add_count(to, freedom.rows), add_count(to, freedom.rank);
  add_count(to, flg_assembly_redundancies(assembly, &found));
  for (int k = 0; k < found.count; k++) {
    add_count(to, found.list[k].joint), add_count(to, found.list[k].rows);
    for (int i = 0; i < found.list[k].other_count; i++) add_count(to, found.list[k].others[i]);
  }
  flg_region_release(&found.region);
  add_number(to, OTHERS, flg_assembly_flops(assembly));
}

static void run_assembly(parts *p, const flg_assembly_options *options, double h, digest *to) {
  flg_assembly *assembly = NULL;
  flg_mistakes mistakes = {0};
  flg_error error;
  add_count(to, flg_assembly_build(&assembly, &p->component, NULL, options, &mistakes));
  if (assembly == NULL) return;
  flg_assembly_refresh(assembly, 0);
  const flg_closure start = flg_assembly_closure(assembly);
  add_number(to, PLACES, start.position);
  add_count(to, start.position > 0 ? flg_assembly_close(assembly, &error)
                                   : flg_assembly_settle(assembly));
  flg_assembly_refresh(assembly, 0);
  add_assembly(assembly, to), add_freedom(assembly, to);
  flg_status status = FLG_OK;
  for (int k = 0; k < STEPS && status == FLG_OK; k += 4) {
    status = flg_assembly_advance(assembly, 0, h, k, 4);
    flg_assembly_refresh(assembly, h * (k + 4));
    add_assembly(assembly, to);
  }
  add_count(to, status);
  flg_assembly_release(assembly);
}

static flg_assembly_options draw_options(random_source *source) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = (flg_scheme)random_integer(source, 0, FLG_SCHEME_COUNT - 1);
  options.form = random_integer(source, 0, 3) == 0 ? FLG_FORM_ROOT : FLG_FORM_ADMITTANCE;
  options.norm = options.scheme != FLG_SCHEME_RATTLE && random_integer(source, 0, 3) == 0
                     ? FLG_NORM_EUCLIDEAN
                     : FLG_NORM_MASS;
  options.gravity = flg_vec3_scale(random_vector(source), 9.81);
  options.reduces = random_integer(source, 0, 2) > 0;
  options.has_trees = random_integer(source, 0, 2) == 0;
  return options;
}

/* springs between points of random bodies */
static void add_springs(parts *p, random_source *source) {
  for (int k = 0; k < random_integer(source, 0, 2); k++) {
    const int body = random_integer(source, 0, p->component.body_count - 1);
    add_strut(p, FLG_WORLD, random_vector(source), body, random_vector(source),
              pow(10, random_uniform(source, 0, 4)), random_uniform(source, 0, 2), 0.5)
        ->implicit = k == 1;
  }
}

static void run_flat(random_source *source, digest *to) {
  for (int k = 0; k < MECHANISMS; k++) {
    const flat_plane in = random_flat_plane(source);
    parts *p = random_flat_mechanism(source, &in);
    flg_assembly_options options = draw_options(source);
    if (k % 2 == 0) { /* as they are stepped in the plane */
      options.scheme = FLG_SCHEME_RATTLE, options.form = FLG_FORM_ADMITTANCE;
      options.norm = FLG_NORM_MASS, options.reduces = true, options.has_trees = false;
    }
    if (k % 3 == 1) add_springs(p, source);
    run_assembly(p, &options, pow(10, random_uniform(source, -3.5, -1.5)), to);
    parts_drop(p);
  }
}

static void run_loops(random_source *source, digest *to) {
  for (int k = 0; k < MECHANISMS; k++) {
    parts *p = parts_new(30);
    const flg_assembly_options options = draw_options(source);
    for (int i = 0; i < 1 + k % 2; i++) add_random_loop(p, source, random_integer(source, 4, 8));
    if (k % 3 != 0) add_springs(p, source);
    run_assembly(p, &options, pow(10, random_uniform(source, -4, -2)), to);
    parts_drop(p);
  }
}

/* bodies are moved out of their joints by up to a tenth before they are put together */
static void run_open(random_source *source, digest *to) {
  for (int k = 0; k < MECHANISMS; k++) {
    parts *p = parts_new(12);
    const flg_assembly_options options = draw_options(source);
    add_random_loop(p, source, random_integer(source, 2, 8));
    for (int b = 0; b < p->component.body_count; b++) {
      flg_component_body *body = &p->component.bodies[b];
      const double far = pow(10, random_uniform(source, -8, -1));
      const flg_mat3 turn =
          flg_quat_to_matrix(flg_quat_exp(flg_vec3_scale(random_vector(source), far)));
      body->pose.rotation = flg_mat3_multiply(&turn, &body->pose.rotation);
      body->pose.position = flg_vec3_add_scaled(body->pose.position, far, random_vector(source));
    }
    run_assembly(p, &options, 1e-3, to);
    parts_drop(p);
  }
}

/* boxes that fall on each other, with friction and bounces */
static void run_heaps(random_source *source, digest *to) {
  const int count = random_integer(source, 1, 12);
  parts *p = random_integer(source, 0, 2) == 0 ? tower_of(count) : heap_of(count, 2);
  p->component.surfaces.surfaces[0].friction = random_uniform(source, 0, 1);
  p->component.surfaces.surfaces[0].restitution = random_integer(source, 0, 1) * 0.5;
  for (int b = 0; b < p->component.body_count; b++) {
    p->component.bodies[b].velocity.linear = random_vector(source);
    p->component.bodies[b].pose.position.z -= random_uniform(source, 0, 0.01);
  }
  flg_assembly_options options = touching_options();
  if (random_integer(source, 0, 2) == 0) options.scheme = FLG_SCHEME_RATTLE;
  run_assembly(p, &options, random_uniform(source, 1e-3, 2e-2), to);
  shapes_drop(p), parts_drop(p);
}

const kernel mechanism_kernels[] = {{"flat", run_flat, 24},
                                    {"loops", run_loops, 16},
                                    {"open", run_open, 8},
                                    {"heaps", run_heaps, 16},
                                    {NULL, NULL, 0}};
