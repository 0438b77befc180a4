/* test_wall.h - a wall of bricks as sparse rows, for tests and benchmarks.
 *
 * Bricks of 2 x 1 x 1 and mass 1 in courses, each on two of the course below, with four contacts:
 * under its corners. The ends meet: it stands around a tower. They fell for one step and are pushed
 * sideways a little, each differently.
 */
#ifndef FLG_COMPLEMENTARITY_TEST_WALL_H
#define FLG_COMPLEMENTARITY_TEST_WALL_H

#include <stdlib.h>

#include "complementarity/test_problems.h"

typedef struct wall {
  int bricks, n, contact_count;
  int *body;                                      /* (2 n) */
  double *jacobian, *inverse_mass, *velocity, *q; /* velocity (6 bricks) */
  flg_friction_contact *contacts;
  flg_sparse_rows sparse;
} wall;

static inline void *wall_space(int count, size_t element) {
  void *made = calloc((size_t)count + 1, element);
  if (made == NULL) abort();
  return made;
}

/* J of a row along `axis` at the point that is `arm` away from the middle of the body */
static inline void wall_jacobian(int axis, const double arm[3], double sign, double *row) {
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  row[axis] = sign;
  row[3 + next] = sign * arm[last]; /* arm x axis */
  row[3 + last] = -sign * arm[next];
}

/* a corner of a brick on one below, which is `shift` off sideways; below: -1 for the ground */
static inline void wall_contact(wall *w, int brick, int below, double x, double y, double shift,
                                double mu) {
  const int first = 3 * w->contact_count;
  const double arm[3] = {x, y, -0.5}, arm_below[3] = {x - shift, y, 0.5};
  w->contacts[w->contact_count++] = (flg_friction_contact){first, {first + 1, first + 2}, mu};
  for (int k = 0; k < 3; k++) {
    const int row = first + k, axis = (k + 2) % 3; /* up, then along the wall, then across */
    w->body[2 * row] = brick, w->body[2 * row + 1] = below;
    wall_jacobian(axis, arm, 1, w->jacobian + (size_t)12 * (size_t)row);
    if (below >= 0) wall_jacobian(axis, arm_below, -1, w->jacobian + (size_t)12 * (size_t)row + 6);
  }
}

static inline void wall_brick(wall *w, random_source *source, int width, int k) {
  const double inverse[6] = {1, 1, 1, 12.0 / 2, 12.0 / 5, 12.0 / 5};
  const int course = k / width, place = k % width, odd = course % 2;
  for (int i = 0; i < 6; i++) {
    w->inverse_mass[36 * (size_t)k + (size_t)(7 * i)] = inverse[i];
    w->velocity[6 * k + i] = i < 3 ? random_uniform(source, -0.005, 0.005) : 0;
  }
  w->velocity[6 * k + 2] -= 0.05;
  for (int c = 0; c < 4; c++) {
    const double x = c % 2 ? 0.95 : -0.95, y = c / 2 ? 0.5 : -0.5;
    const double shift = x < 0 ? -1 : 1;
    const int side = place + (odd ? x > 0 : -(x < 0));
    const int under = (course - 1) * width + (side + width) % width;
    wall_contact(w, k, course == 0 ? -1 : under, x, y, shift, 0.5);
  }
}

static inline wall make_wall(random_source *source, int width, int courses) {
  wall w = {.bricks = width * courses, .n = 12 * width * courses};
  w.body = wall_space(2 * w.n, sizeof(int)), w.q = wall_space(w.n, sizeof(double));
  w.jacobian = wall_space(12 * w.n, sizeof(double));
  w.inverse_mass = wall_space(36 * w.bricks, sizeof(double));
  w.velocity = wall_space(6 * w.bricks, sizeof(double));
  w.contacts = wall_space(4 * w.bricks, sizeof *w.contacts);
  for (int k = 0; k < w.bricks; k++) wall_brick(&w, source, width, k);
  for (int i = 0; i < 12 * w.n; i++) {
    const int body = w.body[i / 6];
    if (body >= 0) w.q[i / 12] += w.jacobian[i] * w.velocity[6 * body + i % 6];
  }
  w.sparse = (flg_sparse_rows){.body_count = w.bricks,
                               .body = w.body,
                               .jacobian = w.jacobian,
                               .inverse_mass = w.inverse_mass};
  return w;
}

static inline flg_complementarity_matrix matrix_of_wall(const wall *w) {
  return (flg_complementarity_matrix){.n = w->n, .sparse = &w->sparse};
}

/* A_ij = J_i M^-1 J_j^T, multiplied out */
static inline double wall_element(const wall *w, int i, int j) {
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    const int x = 2 * i + k / 2, y = 2 * j + k % 2, body = w->body[x];
    if (body < 0 || body != w->body[y]) continue;
    for (int r = 0; r < 36; r++) {
      sum +=
          w->jacobian[6 * x + r / 6] * w->inverse_mass[36 * body + r] * w->jacobian[6 * y + r % 6];
    }
  }
  return sum;
}

static inline void drop_wall(wall *w) {
  void *const all[] = {w->body, w->jacobian, w->inverse_mass, w->velocity, w->q, w->contacts};
  for (int k = 0; k < 6; k++) free(all[k]);
}

#endif
