/* Steps in which joints do work, against sums over all steps so far; and energy that steps lose. */
#include "assembly/assembly_inner.h"
#include "parts.h"

enum { STEPS = 60 };

/* the work of joints in step k, and kinetic energies before and after it */
typedef struct passage {
  flg_part_work steps[STEPS];
  int count;
} passage;

/* the largest kinetic energy so far, or what forces make of a rest in one step */
static double kinetic_until(const passage *p, int last, double h) {
  double most = 0;
  for (int k = 0; k <= last; k++) {
    const flg_part_work *work = &p->steps[k];
    most = flg_larger(most, flg_larger(work->before, work->after));
    most = flg_larger(most, work->least * h * h / 8);
  }
  return most;
}

static double share_of(const passage *p, int k, double h) {
  const flg_part_work *work = &p->steps[k];
  const double kinetic = flg_larger(flg_larger(work->before, work->after), work->least * h * h / 8);
  return fabs(work->joints) / flg_larger(kinetic, 1e-3 * kinetic_until(p, k, h));
}

static double sum_until(const passage *p, int last) {
  double sum = 0;
  for (int k = 0; k <= last; k++) sum += p->steps[k].joints;
  return sum;
}

typedef struct told {
  double first, worst, all;
  int count;
} told;

/* a step with more than 0.01 of the energy there is, or 0.02 of the most there was in all steps */
static bool should_be_told(const passage *p, double h, told *t) {
  bool is_told = false;
  double most = 0;
  *t = (told){0};
  for (int k = 0; k < p->count; k++) {
    const double share = share_of(p, k, h), sum = fabs(sum_until(p, k));
    const bool drifts = sum > 0.02 * kinetic_until(p, k, h);
    if (share > 0.01) t->count++, t->worst = flg_larger(t->worst, share);
    if (drifts) most = flg_larger(most, sum);
    if (!is_told && (drifts || share > 0.01)) is_told = true, t->first = h * k;
  }
  const double kinetic = kinetic_until(p, p->count - 1, h);
  t->all = flg_larger(most, fabs(sum_until(p, p->count - 1))) / kinetic;
  return is_told;
}

static void draw_passage(random_source *source, passage *p) {
  const double size = pow(10, random_uniform(source, -4, -1)),
               drift = random_uniform(source, -1, 1);
  const double unit = pow(10, random_uniform(source, -3, 3)); /* of energy */
  p->count = random_integer(source, 1, STEPS);
  for (int k = 0; k < p->count; k++) {
    flg_part_work *work = &p->steps[k];
    const double slow = unit * (random_integer(source, 0, 5) > 0 ? 1 : 1e-4);
    *work = (flg_part_work){.before = slow * random_uniform(source, 0.5, 1),
                            .after = slow * random_uniform(source, 0.5, 1),
                            .least = unit * random_uniform(source, 0, 1)};
    work->joints = size * slow * random_uniform(source, drift - 1, drift + 1);
  }
}

static void notes_of_steps_are_those_of_all_steps_together(void **state) {
  (void)state;
  random_source source = {1};
  flg_assembly *assembly = malloc(sizeof *assembly);
  assert_non_null(assembly);
  int warned = 0;
  for (int repeat = 0; repeat < 400; repeat++) {
    passage p;
    told t, found;
    /* a mechanism of rigid joints alone, whose sets of parts are asked elsewhere */
    *assembly = (flg_assembly){.model = {.rigid_rows = 1, .options = {.name = "x"}}};
    const double h = random_uniform(&source, 0.1, 4);
    draw_passage(&source, &p);
    for (int k = 0; k < p.count; k++) flg_assembly_note_work(assembly, &p.steps[k], h * k, h);
    flg_assembly_tell_passages(assembly);
    const char *text = flg_assembly_warning(assembly);
    const bool expected = should_be_told(&p, h, &t);
    assert_int_equal(text != NULL, expected);
    if (!expected) continue;
    warned++;
    assert_int_equal(sscanf(text,
                            "rigid joints of 'x' did work from t = %lf s on: up to %lf of the "
                            "kinetic energy in a step (%d step%*[s ] with more than 0.01), %lf",
                            &found.first, &found.worst, &found.count, &found.all),
                     4);
    assert_near(found.first, t.first, 1e-5 * t.first);
    assert_near(found.worst, t.worst, 5e-3 * t.worst); /* printed with three digits */
    assert_near(found.all, t.all, 5e-3 * t.all);
    assert_int_equal(found.count, t.count);
  }
  assert_in_range(warned, 100, 300); /* neither always nor never */
  free(assembly);
}

/* A point mass m with inertia I on an arm l turns about a hinge. In a step it turns by a = h w;
 * then its old velocity is projected onto the new direction, w+ = w (I + m l^2 cos a)/(I + m l^2):
 * all that it loses. Steps of order 2 lose nothing. */
static void semi_implicit_steps_wear_the_energy_of_what_turns(void **state) {
  (void)state;
  const double mass = 2, inertia = 0.3, arm = 0.8, speed = 1.5, h = 1e-2;
  const double whole = inertia + mass * arm * arm;
  for (int is_rattle = 0; is_rattle < 2; is_rattle++) {
    parts *p = parts_new(1);
    add_body(p, mass, flg_sym3_diagonal(inertia), vec(arm, 0, 0), flg_quat_identity());
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 0, vec(0, 0, 0), vec(0, 0, 1));
    p->component.bodies[0].velocity = (flg_spatial){vec(0, speed * arm, 0), vec(0, 0, speed)};
    flg_assembly_options options = flg_assembly_default();
    options.gravity = vec(0, 0, 0);
    options.scheme = is_rattle ? FLG_SCHEME_RATTLE : FLG_SCHEME_SEMI_IMPLICIT;
    flg_assembly *assembly = assemble(p, &options);
    assert_int_equal(flg_assembly_advance(assembly, 0, h, 0, 200), FLG_OK);
    flg_assembly_refresh(assembly, 2);
    double w = speed;
    for (int k = 0; k < 200 && !is_rattle; k++) {
      w *= (inertia + mass * arm * arm * cos(h * w)) / whole;
    }
    const double before = whole * speed * speed / 2, lost = before - whole * w * w / 2;
    assert_near(assembly->scratch.passages.worn, lost, 2e-4 * lost);
    assert_near(before - flg_assembly_kinetic_energy(assembly), assembly->scratch.passages.worn,
                1e-12);
    flg_assembly_release(assembly);
    parts_drop(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(semi_implicit_steps_wear_the_energy_of_what_turns),
      cmocka_unit_test(notes_of_steps_are_those_of_all_steps_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
