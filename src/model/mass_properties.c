#include "model/mass_properties.h"

#include <math.h>

const char *const flg_inertia_words[] = {"auto", "strict", "repair", "trust", "from-shapes", NULL};

static const double PI = 3.14159265358979323846;

/* --- second moments -------------------------------------------------------------------------- */

static double trace(flg_sym3 s) {
  return s.xx + s.yy + s.zz;
}

/* Second moments of mass add up and are positive semidefinite; inertias are tr(J) - J of them. */
static flg_sym3 inertia_of_moments(flg_sym3 moments) {
  return flg_sym3_add_scaled(flg_sym3_diagonal(trace(moments)), -1, moments);
}

static flg_sym3 moments_of_inertia(flg_sym3 inertia) {
  return flg_sym3_add_scaled(flg_sym3_diagonal(0.5 * trace(inertia)), -1, inertia);
}

/* --- primitives ------------------------------------------------------------------------------ */

/* principal moments of inertia about the axes of the shape, which is centred */
static bool mass_properties_measure(const flg_shape *shape, double density, double *mass,
                                    double moment[3]) {
  const double *size = shape->size, a = size[0], l = size[1];
  switch (shape->kind) {
    case FLG_SHAPE_BOX:
      *mass = density * size[0] * size[1] * size[2];
      for (int k = 0; k < 3; k++) {
        const double p = size[(k + 1) % 3], q = size[(k + 2) % 3];
        moment[k] = *mass * (p * p + q * q) / 12;
      }
      return true;
    case FLG_SHAPE_SPHERE:
      *mass = density * 4 / 3 * PI * a * a * a;
      for (int k = 0; k < 3; k++) moment[k] = 0.4 * *mass * a * a;
      return true;
    case FLG_SHAPE_CYLINDER:
      *mass = density * PI * a * a * l;
      moment[0] = moment[1] = *mass * (3 * a * a + l * l) / 12;
      moment[2] = 0.5 * *mass * a * a;
      return true;
    case FLG_SHAPE_CAPSULE: {
      /* a cylinder, and two half spheres whose centres are 3/8 a beyond its ends */
      const double rod = density * PI * a * a * l, ball = density * 4 / 3 * PI * a * a * a;
      *mass = rod + ball;
      moment[2] = 0.5 * rod * a * a + 0.4 * ball * a * a;
      moment[0] = moment[1] =
          rod * (3 * a * a + l * l) / 12 + ball * (0.4 * a * a + 0.25 * l * l + 0.375 * a * l);
      return true;
    }
    default:
      return false;
  }
}

bool flg_mass_of_shape(const flg_shape *shape, double density, flg_mass_properties *properties) {
  double mass, moment[3];
  if (!mass_properties_measure(shape, density, &mass, moment)) return false;
  const flg_mass_properties own = {.mass = mass,
                                   .inertia = {.xx = moment[0], .yy = moment[1], .zz = moment[2]}};
  *properties = flg_mass_moved(&own, &shape->pose);
  return true;
}

/* --- triangles ------------------------------------------------------------------------------- */

/* Sums over the tetrahedra between a point near the mesh and its triangles: six times the volume,
 * 24 times the first moment, 120 times the second moments. */
typedef struct sums {
  double volume;
  flg_vec3 first;
  flg_sym3 second;
} sums;

/* Signed volumes: triangles that look away from the point subtract what lies between it and
 * them. */
static void add_tetrahedron(sums *to, flg_vec3 a, flg_vec3 b, flg_vec3 c) {
  const double volume = flg_vec3_dot(a, flg_vec3_cross(b, c));
  const flg_vec3 sum = flg_vec3_add(a, flg_vec3_add(b, c));
  flg_sym3 second =
      flg_sym3_add(flg_sym3_outer(a), flg_sym3_add(flg_sym3_outer(b), flg_sym3_outer(c)));
  second = flg_sym3_add(second, flg_sym3_outer(sum));
  to->volume += volume;
  to->first = flg_vec3_add_scaled(to->first, volume, sum);
  to->second = flg_sym3_add_scaled(to->second, volume, second);
}

/* half of the diagonal of the box around the corners, cubed: what volumes are measured by */
static double mass_properties_extent_of(const double *corners, size_t triangles, flg_vec3 *middle) {
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < 9 * triangles; k++) {
    least[k % 3] = fmin(least[k % 3], corners[k]);
    most[k % 3] = fmax(most[k % 3], corners[k]);
  }
  const flg_vec3 low = flg_vec3_load(least), high = flg_vec3_load(most);
  /* Sums about the middle: about a far origin, large tetrahedra would cancel. */
  *middle = flg_vec3_scale(flg_vec3_add(low, high), 0.5);
  return pow(0.5 * flg_vec3_norm(flg_vec3_subtract(high, low)), 3);
}

/* of the extent: what encloses less is a sheet, or open */
static const double LEAST_VOLUME = 1e-6;

bool flg_mass_of_triangles(const double *corners, size_t triangles, double density,
                           flg_mass_properties *properties) {
  flg_vec3 middle;
  sums all = {0};
  if (triangles == 0) return false;
  const double extent = mass_properties_extent_of(corners, triangles, &middle);
  for (size_t k = 0; k < triangles; k++) {
    flg_vec3 corner[3];
    for (size_t i = 0; i < 3; i++) {
      corner[i] = flg_vec3_subtract(flg_vec3_load(corners + 9 * k + 3 * i), middle);
    }
    add_tetrahedron(&all, corner[0], corner[1], corner[2]);
  }
  /* The sign of the volume cancels below: meshes may have all their triangles inside out. */
  if (!(fabs(all.volume / 6) > LEAST_VOLUME * extent)) return false;
  const double mass = density * fabs(all.volume / 6);
  const flg_vec3 from_middle = flg_vec3_scale(all.first, 1 / (4 * all.volume));
  const flg_sym3 about_middle =
      flg_sym3_add_scaled((flg_sym3){0}, mass / (20 * all.volume), all.second);
  const flg_sym3 central = flg_sym3_add_scaled(about_middle, -mass, flg_sym3_outer(from_middle));
  *properties = (flg_mass_properties){.mass = mass,
                                      .centre = flg_vec3_add(middle, from_middle),
                                      .inertia = inertia_of_moments(central)};
  return true;
}

/* --- together -------------------------------------------------------------------------------- */

flg_mass_properties flg_mass_moved(const flg_mass_properties *properties, const flg_pose *pose) {
  return (flg_mass_properties){
      .mass = properties->mass,
      .centre = flg_vec3_add(pose->position, flg_mat3_apply(&pose->rotation, properties->centre)),
      .inertia = flg_sym3_rotate(properties->inertia, &pose->rotation)};
}

flg_mass_properties flg_mass_sum(const flg_mass_properties *a, const flg_mass_properties *b) {
  const double mass = a->mass + b->mass;
  /* Nothing and nothing: the centre would be 0/0. */
  if (mass == 0) return *a;
  const flg_vec3 apart = flg_vec3_subtract(b->centre, a->centre);
  /* Steiner's terms of both about the common centre make one term with the reduced mass. */
  const double reduced = a->mass * b->mass / mass;
  const flg_sym3 spread = inertia_of_moments(flg_sym3_outer(apart));
  return (flg_mass_properties){
      .mass = mass,
      .centre = flg_vec3_add_scaled(a->centre, b->mass / mass, apart),
      .inertia = flg_sym3_add_scaled(flg_sym3_add(a->inertia, b->inertia), reduced, spread)};
}

/* --- inertias that no body has --------------------------------------------------------------- */

enum { JACOBI_SWEEPS = 30 };

/* One rotation of Jacobi's method: makes element (p, q) of the symmetric m zero. */
static void rotate(double m[3][3], double axes[3][3], int p, int q) {
  if (m[p][q] == 0) return;
  const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
  /* The smaller of the two rotations: it leaves what is zero already nearly so. */
  const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    const double mp = m[k][p], mq = m[k][q], ap = axes[k][p], aq = axes[k][q];
    m[k][p] = c * mp - s * mq, m[k][q] = s * mp + c * mq;
    axes[k][p] = c * ap - s * aq, axes[k][q] = s * ap + c * aq;
  }
  for (int k = 0; k < 3; k++) {
    const double mp = m[p][k], mq = m[q][k];
    m[p][k] = c * mp - s * mq, m[q][k] = s * mp + c * mq;
  }
}

flg_sym3 flg_inertia_nearest(flg_sym3 inertia) {
  const flg_sym3 s = moments_of_inertia(inertia);
  double m[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
  double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
    rotate(m, axes, 0, 1), rotate(m, axes, 0, 2), rotate(m, axes, 1, 2);
  }
  flg_sym3 nearest = {0};
  for (int k = 0; k < 3; k++) {
    const flg_vec3 axis = {axes[0][k], axes[1][k], axes[2][k]};
    /* Negative second moments belong to no mass: without them, what remains is the nearest that
     * does. */
    if (m[k][k] > 0) nearest = flg_sym3_add_scaled(nearest, m[k][k], flg_sym3_outer(axis));
  }
  return inertia_of_moments(nearest);
}
