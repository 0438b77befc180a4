/* Hits with friction: Newton's and Poisson's law against closed forms of a rod in a plane, and
 * against their own conditions in space. Friction opposes the slip after the hit (of each phase).
 */
#include "contacts/test_law.h"
#include "math/larger.h"

/* --- a rod in a plane --------------------------------------------------------------------------
 */

/* w+ = w + W (n, t): normal and tangent of one end */
typedef struct rod {
  double nn, nt, tt;   /* W */
  double normal, slip; /* w before */
  double friction, restitution;
} rod;

typedef enum regime { STICK, SLIP, REVERSE, REGIMES } regime;

typedef struct hit {
  double n, t;
  regime how;
} hit;

/* Slides towards `sign` afterwards, with normal speed `after`. */
static bool slide(const rod *r, double start, double slip, double after, double sign, hit *to) {
  const double along = r->nn - sign * r->friction * r->nt;
  if (!(along > 0)) return false;
  to->n = (after - start) / along;
  to->t = -sign * r->friction * to->n;
  to->how = sign * slip >= 0 ? SLIP : REVERSE;
  return to->n >= 0 && sign * (slip + r->nt * to->n + r->tt * to->t) > 0;
}

/* From (start, slip) to the normal speed `after`: the three cases, by hand. */
static hit hit_until(const rod *r, double start, double slip, double after) {
  const double determinant = r->nn * r->tt - r->nt * r->nt, up = after - start;
  hit found = {(up * r->tt + slip * r->nt) / determinant,
               (-slip * r->nn - up * r->nt) / determinant, STICK};
  if (found.n >= 0 && fabs(found.t) <= r->friction * found.n) return found;
  for (int side = 0; side < 2; side++) {
    if (slide(r, start, slip, after, side == 0 ? 1 : -1, &found)) return found;
  }
  fail_msg("no case fits");
  return found;
}

static double energy_of(const rod *r, double n, double t) {
  return n * r->normal + t * r->slip + 0.5 * (n * n * r->nn + 2 * n * t * r->nt + t * t * r->tt);
}

static hit newton(const rod *r, double e) {
  return hit_until(r, r->normal, r->slip, -e * r->normal);
}

/* Compression, then e times its normal impulse under the friction that this allows. */
static hit poisson(const rod *r, double e) {
  const hit first = newton(r, 0);
  const double slip = r->slip + r->nt * first.n + r->tt * first.t;
  const double more = e * first.n, ahead = slip + r->nt * more;
  const double most = r->friction * more;
  const double second = fmax(-most, fmin(most, -ahead / r->tt));
  return (hit){first.n + more, first.t + second, fabs(second) < most ? STICK : first.how};
}

/* The most of e that gives no energy, by halving. */
static hit largest(const rod *r, hit (*law)(const rod *, double), bool *is_limited) {
  hit found = law(r, r->restitution);
  *is_limited = energy_of(r, found.n, found.t) > 1e-12;
  if (!*is_limited) return found;
  double low = 0, high = r->restitution;
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (low + high);
    found = law(r, middle);
    if (energy_of(r, found.n, found.t) > 0) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return law(r, low);
}

/* A rod of 1 kg that is hit at (x, z) from its centre. */
static rod any_rod(random_source *source) {
  const double inertia = exp(random_uniform(source, -5, -1));
  const double x = random_uniform(source, -0.5, 0.5), z = -random_uniform(source, 0, 0.5);
  static const double frictions[] = {0.01, 0.1, 0.5, 1, 3}, bounces[] = {0.1, 0.5, 0.9, 1};
  return (rod){.nn = 1 + x * x / inertia,
               .nt = -x * z / inertia,
               .tt = 1 + z * z / inertia,
               .normal = -random_uniform(source, 0.1, 3),
               .slip = random_uniform(source, -5, 5),
               .friction = frictions[random_integer(source, 0, 4)],
               .restitution = bounces[random_integer(source, 0, 3)]};
}

/* tangents turned by an angle: the plane of the rod is any plane */
static void load_rod(bench *b, const rod *r, double turn) {
  const double c = cos(turn), s = sin(turn);
  const double w[9] = {r->nn,
                       c * r->nt,
                       s * r->nt,
                       c * r->nt,
                       c * c * r->tt + s * s,
                       c * s * (r->tt - 1),
                       s * r->nt,
                       c * s * (r->tt - 1),
                       s * s * r->tt + c * c};
  memcpy(b->admittance, w, sizeof w);
  const double before[3] = {r->normal, c * r->slip, s * r->slip};
  memcpy(b->before, before, sizeof before), memcpy(b->free, before, sizeof before);
  memset(b->states, 0, sizeof b->states), memset(b->impulses, 0, sizeof b->impulses);
  b->touches[0] = (flg_touch){.rows = 3, .friction = r->friction, .restitution = r->restitution};
}

static void check_rods(flg_impact_law impact, flg_friction_shape shape) {
  flg_contact_law_options options = flg_contact_law_default();
  options.impact = impact, options.friction = shape;
  bench *b = bench_new(&options);
  random_source source = {3};
  int seen[REGIMES] = {0}, limited = 0;
  for (int trial = 0; trial < REPEATS(4000); trial++) {
    const rod r = any_rod(&source);
    const double turn = shape == FLG_FRICTION_BOX ? 0 : random_uniform(&source, -3, 3);
    bool is_limited;
    const hit exact = largest(&r, impact == FLG_IMPACT_NEWTON ? newton : poisson, &is_limited);
    load_rod(b, &r, turn);
    bench_solve(b, 1, 3, 1e-3);
    const double size = fmax(exact.n, 1),
                 t = cos(turn) * b->impulses[1] + sin(turn) * b->impulses[2];
    assert_near(b->impulses[0], exact.n, 5e-8 * size);
    assert_near(t, exact.t, 1e-7 * size);
    if (impact == FLG_IMPACT_NEWTON && !is_limited)
      assert_near(b->after[0], -r.restitution * r.normal, 1e-9);
    assert_true(energy_of(&r, b->impulses[0], t) <= 1e-9);
    seen[exact.how]++, limited += is_limited;
  }
  printf("stick %d, slip %d, reverse %d; limited by energy %d\n", seen[STICK], seen[SLIP],
         seen[REVERSE], limited);
  for (int k = 0; k < REGIMES; k++) assert_true(seen[k] > 0);
  bench_drop(b);
}

static void a_rod_bounces_by_newtons_law_in_every_slip(void **state) {
  (void)state;
  check_rods(FLG_IMPACT_NEWTON, FLG_FRICTION_CONE);
  check_rods(FLG_IMPACT_NEWTON, FLG_FRICTION_BOX);
}

static void a_rod_bounces_by_poissons_law_in_every_slip(void **state) {
  (void)state;
  check_rods(FLG_IMPACT_POISSON, FLG_FRICTION_CONE);
}

/* --- a body in space ---------------------------------------------------------------------------
 */

/* Rows of contacts on a body of 1 kg: W = J M^-1 J^T. */
static void load_body(bench *b, random_source *source, int count, double friction) {
  double rows[12][6], twist[6], inertia[3];
  for (int i = 0; i < 3; i++) inertia[i] = exp(random_uniform(source, -4, 0));
  for (int i = 0; i < 6; i++) twist[i] = random_uniform(source, -3, 3);
  twist[2] = -fabs(twist[2]) - 1;
  for (int k = 0; k < count; k++) {
    const double x = random_uniform(source, -0.3, 0.3), y = random_uniform(source, -0.3, 0.3);
    const double z = random_uniform(source, -0.3, -0.1);
    const double of[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
    memcpy(rows[3 * k], of, sizeof of);
    b->touches[k] = (flg_touch){.row = 3 * k,
                                .rows = 3,
                                .friction = friction,
                                .restitution = random_uniform(source, 0.2, 1)};
  }
  const int n = 3 * count;
  for (int i = 0; i < n; i++) {
    b->before[i] = 0;
    for (int c = 0; c < 6; c++) b->before[i] += rows[i][c] * twist[c];
    b->free[i] = b->before[i], b->impulses[i] = 0, b->states[i] = 0;
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int c = 0; c < 6; c++) sum += rows[i][c] * rows[j][c] / (c < 3 ? 1 : inertia[c - 3]);
      b->admittance[i + n * j] = sum;
    }
  }
}

static double gain_of(const bench *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 0.5 * b->impulses[i] * (b->before[i] + b->after[i]);
  return sum;
}

/* The normal ends as Newton says, or with less where that would give energy; friction is in its
 * cone, and against the slip. */
static void one_point_in_space_obeys_newton_and_coulomb(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  random_source source = {8};
  int sliding = 0, limited = 0;
  for (int trial = 0; trial < REPEATS(3000); trial++) {
    const double mu = random_uniform(&source, 0.02, 1.5);
    load_body(b, &source, 1, mu);
    if (b->before[0] > -0.1) continue;
    bench_solve(b, 1, 3, 1e-3);
    const double *p = b->impulses, *w = b->after, gain = gain_of(b, 3);
    const double e = -w[0] / b->before[0], slip = hypot(w[1], w[2]), rub = hypot(p[1], p[2]);
    assert_true(gain <= 1e-9);
    if (e < b->touches[0].restitution - 1e-9) {
      assert_near(gain, 0, 3e-13); /* no more would do */
      limited++;
    } else {
      assert_near(e, b->touches[0].restitution, 1e-9);
    }
    assert_true(rub <= mu * p[0] * (1 + 1e-9));
    if (slip > 1e-9) {
      assert_near(rub, mu * p[0], 9e-11 * p[0]);
      assert_near(p[1] * w[1] + p[2] * w[2], -rub * slip, 4e-14 * rub * slip + 1e-12);
      sliding++;
    }
  }
  printf("%d slide, %d limited by energy\n", sliding, limited);
  assert_true(sliding > 0 && limited > 0);
  bench_drop(b);
}

/* Points with different e that are hit at once: nothing is gained, by either law, nor is anything
 * left that approaches faster than rounding. */
static void points_that_are_hit_at_once_gain_nothing(void **state) {
  (void)state;
  for (int law = 0; law < 2; law++) {
    flg_contact_law_options options = flg_contact_law_default();
    options.impact = law == 0 ? FLG_IMPACT_NEWTON : FLG_IMPACT_POISSON;
    bench *b = bench_new(&options);
    random_source source = {21};
    for (int trial = 0; trial < REPEATS(2000); trial++) {
      const int count = random_integer(&source, 2, 4);
      load_body(b, &source, count, random_uniform(&source, 0, 1.5));
      bench_solve(b, count, 3 * count, 1e-3);
      assert_true(gain_of(b, 3 * count) <= 1e-9);
      for (int k = 0; k < count; k++) assert_true(b->after[3 * k] > -1e-8);
    }
    bench_drop(b);
  }
}

/* --- when hits happen ---------------------------------------------------------------------------
 */

static bench *bench_of(int rows, const double *admittance, const double *before,
                       const double *free) {
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  const size_t bytes = (size_t)rows * sizeof(double);
  memcpy(b->admittance, admittance, (size_t)rows * bytes);
  memcpy(b->before, before, bytes), memcpy(b->free, free, bytes);
  for (int k = 0; k < rows; k++) {
    b->touches[k] = (flg_touch){.row = k, .rows = 1, .restitution = 1};
    b->states[k] = FLG_ROW_NEW;
  }
  return b;
}

/* Three equal balls, with 1, 0 and -2 m/s: the first two meet at 0.02 h and swap, then the last
 * two, then the first two again. At once they would leave with 1 and 2 m/s. */
static void hits_one_after_the_other_are_no_hit_at_once(void **state) {
  (void)state;
  static const double W[] = {2, -1, -1, 2}, before[] = {-1, -2};
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    const double h = 0.01, w[] = {before[mirrored], before[1 - mirrored]};
    bench *b = bench_of(2, W, w, w);
    b->touches[mirrored].gap = 0.02 * h, b->touches[1 - mirrored].gap = 2 * 0.07 * h;
    bench_solve(b, 2, 2, h);
    assert_int_equal(b->report.reflections, 3);
    assert_near(b->after[mirrored], 2, 1e-12);
    assert_near(b->after[1 - mirrored], 1, 1e-12);
    bench_drop(b);
  }
}

/* A bounce that is over within the step is none: it would be half a step of falling. */
static void bounces_shorter_than_half_a_step_are_none(void **state) {
  (void)state;
  const double W = 1, h = 0.01, g = 10;
  for (int k = 1; k < 20; k++) {
    const double speed = -0.05 * k * g * h, free = speed - g * h;
    if (k == 10) continue; /* just half */
    bench *b = bench_of(1, &W, &speed, &free);
    bench_solve(b, 1, 1, h);
    assert_int_equal(b->report.reflections, k > 10);
    assert_near(b->after[0], k > 10 ? b->after[0] : 0, 1e-15);
    bench_drop(b);
  }
}

/* A hit may take back what energy the step loses by weight, (g h)^2/2 of 1 kg, if nothing else is
 * carried in it: p^2/2 - p = (g h)^2/2. */
static void energy_of_a_step_is_taken_back_once(void **state) {
  (void)state;
  static const double W[] = {1, 0, 0, 1};
  const double h = 0.01, g = 10;
  for (int carried = 0; carried < 3; carried++) {
    const double before[] = {-1, 0}, free[] = {-1 - g * h, -0.01 * carried};
    bench *b = bench_of(2, W, before, free);
    b->touches[1].restitution = 0;
    bench_solve(b, 2, 2, h);
    assert_near(b->impulses[1], 0.01 * carried, 1e-12);
    assert_near(b->impulses[0], carried > 0 ? 2 : 1 + sqrt(1 + g * h * g * h), 1e-9);
    bench_drop(b);
  }
}

/* gaps that are all used up after the same part of the step */
static void lift_by(bench *b, int count, double part, double h) {
  for (int k = 0; k < count; k++) {
    flg_touch *touch = &b->touches[k];
    touch->gap = fmax(0, -b->before[touch->row]) * part * h;
    touch->restitution = 0, touch->lands = true;
  }
  memset(b->states, FLG_ROW_NEW, sizeof b->states);
  memset(b->impulses, 0, sizeof b->impulses);
}

/* the gap at the end of the step */
static double gap_left(const bench *b, int k, int n, double h) {
  const int row = b->touches[k].row;
  double gap = b->touches[k].gap + h * b->after[row];
  for (int j = 0; j < n; j++) gap += b->admittance[row + n * j] * b->moves[j];
  return gap;
}

/* On the ground, up to three points that come down at once stop as if they had touched all along,
 * wherever in the step that is, and are at the surface at its end: stopped in part in one step and
 * in part in the next, a body that turns would slide another way. */
static void landings_are_the_same_wherever_in_the_step_they_fall(void **state) {
  (void)state;
  static const double parts[] = {0, 0.03, 0.5, 0.97};
  const double h = 1e-3;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  random_source source = {5};
  for (int trial = 0; trial < REPEATS(1000); trial++) {
    const int count = random_integer(&source, 1, 3), n = 3 * count;
    double first[9], size = 0;
    load_body(b, &source, count, random_uniform(&source, 0.05, 1.2));
    for (int part = 0; part < 4; part++) {
      lift_by(b, count, parts[part], h);
      bench_solve(b, count, n, h);
      if (part == 0) memcpy(first, b->impulses, sizeof first);
      for (int i = 0; i < n; i++) size = flg_larger(size, fabs(first[i]));
      for (int i = 0; i < n; i++) assert_near(b->impulses[i], first[i], 1e-11 * size);
      for (int k = 0; k < count; k++) {
        const bool lands = b->before[3 * k] < 0 && b->impulses[3 * k] > 0;
        if (lands) assert_near(gap_left(b, k, n, h), 0, 1e-9 * h);
      }
    }
  }
  bench_drop(b);
}

/* A square plate of 1 kg that tips over its edge lands on its whole face, and stays there: 1/12 and
 * 1/6 of m v at each corner. Its edge leans by less than the slop, and approaches in an arc. */
static void a_face_lands_at_once_however_its_edge_leans(void **state) {
  (void)state;
  const double h = 1e-3, high = 3e-4, far = -1, weight = 10 * h;
  const flg_contact_law_options options = flg_contact_law_default();
  const double leans[][2] = {{0, 0}, {-1, 0}, {0, -1}, {-0.9, 0.9}, {0.9, -0.9}};
  bench *b = bench_new(&options);
  for (int trial = 0; trial < 5; trial++) {
    for (int k = 0; k < 4; k++) {
      const int x = k < 2 ? -1 : 1, y = k % 2 ? 1 : -1;
      for (int j = 0; j < 4; j++) /* half a length is 1, inertia 1/3 */
        b->admittance[k + 4 * j] = 1 + 3 * x * (j < 2 ? -1 : 1) + 3 * y * (j % 2 ? 1 : -1);
      const double lean = leans[trial][k % 2] * options.slop;
      b->touches[k] = (flg_touch){.row = k, .rows = 1, .lands = true, .length = 1};
      b->touches[k].gap = lean + (x > 0 ? high : 0);
      b->before[k] = (x > 0 ? far : 0) + 1e-6 * y;
      b->free[k] = b->before[k] - weight;
    }
    memset(b->states, FLG_ROW_NEW, sizeof b->states);
    memset(b->impulses, 0, sizeof b->impulses);
    bench_solve(b, 4, 4, h);
    for (int k = 0; k < 4; k++) assert_near(b->after[k], 0, options.slop / h);
    /* and the weight, at corners that are nearer than a hundredth of the slop */
    for (int k = 0; k < 4; k++)
      assert_near(b->impulses[k], k < 2 ? 1. / 12 : 1. / 6, 0.5 * weight + 1e-6);
  }
  bench_drop(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_bounces_by_newtons_law_in_every_slip),
      cmocka_unit_test(a_rod_bounces_by_poissons_law_in_every_slip),
      cmocka_unit_test(one_point_in_space_obeys_newton_and_coulomb),
      cmocka_unit_test(points_that_are_hit_at_once_gain_nothing),
      cmocka_unit_test(hits_one_after_the_other_are_no_hit_at_once),
      cmocka_unit_test(bounces_shorter_than_half_a_step_are_none),
      cmocka_unit_test(energy_of_a_step_is_taken_back_once),
      cmocka_unit_test(landings_are_the_same_wherever_in_the_step_they_fall),
      cmocka_unit_test(a_face_lands_at_once_however_its_edge_leans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
