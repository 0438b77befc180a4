/* mass_matrix.h - solving with the mass matrix of a robot by its factors on the tree: an answer to
 * compare the recursions of dynamics/ with, which never form it. Needs no cmocka. */
#ifndef FLG_TESTS_MASS_MATRIX_H
#define FLG_TESTS_MASS_MATRIX_H

#include <stdlib.h>
#include <string.h>

#include "dynamics/scratch.h"

/* --- factors on the tree -----------------------------------------------------------------------
 * Row k of L has elements only at the coordinates between k and the base (Featherstone 2005). They
 * are kept above the diagonal, in column k, where they lie together.
 */

/* the outermost coordinate from a link on towards the base, -1: none */
static inline int mass_last_coordinate(const flg_robot *robot, int i) {
  for (; i != FLG_WORLD; i = robot->links[i].parent) {
    const flg_link *link = &robot->links[i];
    const int count = link->velocity_count + link->elastic_count;
    if (count > 0) return link->velocity + count - 1;
  }
  return -1;
}

/* (velocities) the next coordinate towards the base, -1: none; to be freed */
static inline int *mass_parents(const flg_robot *robot) {
  int *parents = calloc((size_t)robot->velocity_count + 1, sizeof *parents);
  if (parents == NULL) abort();
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const int count = link->velocity_count + link->elastic_count;
    for (int k = 1; k < count; k++) parents[link->velocity + k] = link->velocity + k - 1;
    if (count > 0) parents[link->velocity] = mass_last_coordinate(robot, link->parent);
  }
  return parents;
}

/* Factors M, in place: M = L^T diag(d) L: L^T above the diagonal, d on it. */
static inline void mass_factor(const flg_dynamics *dynamics, double *M) {
  int *parents = mass_parents(dynamics->robot);
  const size_t n = (size_t)dynamics->robot->velocity_count;
  for (int k = (int)n - 1; k >= 0; k--) {
    double *row = M + n * (size_t)k;
    const double inverse = 1 / row[k];
    for (int i = parents[k]; i >= 0; i = parents[i]) {
      const double weight = row[i] * inverse;
      double *other = M + n * (size_t)i;
      for (int j = i; j >= 0; j = parents[j]) other[j] -= weight * row[j];
      row[i] = weight;
    }
  }
  free(parents);
}

/* M x = b with these factors, in place in x (velocities). */
static inline void mass_solve(const flg_dynamics *dynamics, const double *factors, double *x) {
  int *parents = mass_parents(dynamics->robot);
  const size_t n = (size_t)dynamics->robot->velocity_count;
  for (int k = (int)n - 1; k >= 0; k--) {
    const double *row = factors + n * (size_t)k;
    for (int i = parents[k]; i >= 0; i = parents[i]) x[i] -= row[i] * x[k];
  }
  for (int k = 0; k < (int)n; k++) {
    const double *row = factors + n * (size_t)k;
    x[k] /= row[k];
    for (int i = parents[k]; i >= 0; i = parents[i]) x[k] -= row[i] * x[i];
  }
  free(parents);
}

#endif
