#include "interface/port_yield.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { PORT_ROWS = 6, HALF = 3 };

/* Of the length of the system: beyond these one of the two yields may be rounding, in models of
 * plug-ins, and the length of the system counts. In other models what joints block is exactly zero.
 */
static const double SHORTEST = 1e-7, LONGEST = 1e7;
/* of the length of a robot: the distance of a port from the axes of hinges, if it is on them */
static const double ROUNDED_ARM = 1e-12;

/* the largest of the diagonal, of displacements and of turns */
static flg_yield largest_diagonal(int n, const double *D, int first, int end) {
  flg_yield most = {0, 0};
  const size_t next = (size_t)n + 1;
  for (int k = first; k < end; k += PORT_ROWS) {
    const double *own = D + (size_t)k * next;
    for (int i = 0; i < 3; i++, own += next) most.linear = *own > most.linear ? *own : most.linear;
    for (int i = 0; i < 3; i++, own += next)
      most.angular = *own > most.angular ? *own : most.angular;
  }
  return most;
}

/* 0: not known; whole: the square of the system's */
static double square_length(int n, const double *D, double whole) {
  const flg_yield all = largest_diagonal(n, D, 0, n);
  const double angular = whole * all.angular;
  const bool is_known =
      all.linear > SHORTEST * SHORTEST * angular && all.linear < LONGEST * LONGEST * angular;
  return is_known ? all.linear / all.angular : 0;
}

static double square_or_one(double length) {
  return length > 0 ? length * length : 1;
}

double flg_port_yield_length(int n, const double *D, double length) {
  return sqrt(square_length(n, D, square_or_one(length)));
}

flg_yield flg_port_yield_of(int n, const double *D, int port, double length) {
  const flg_yield own = largest_diagonal(n, D, PORT_ROWS * port, PORT_ROWS * (port + 1));
  const double given = square_or_one(length), known = square_length(n, D, given);
  const double square = known > 0 ? known : given;
  const double most = fmax(own.linear, own.angular * square);
  return (flg_yield){most, most / square};
}

void flg_port_clear(int n, double *D, int row) {
  for (int i = row; i < row + HALF; i++) {
    for (int j = 0; j < n; j++) {
      D[i + (size_t)j * (size_t)n] = D[j + (size_t)i * (size_t)n] = 0;
    }
  }
}

void flg_port_clear_arms(int n, double *D, double length) {
  const double rounding = ROUNDED_ARM * ROUNDED_ARM * length * length;
  for (int row = 0; row < n; row += PORT_ROWS) {
    const flg_yield own = largest_diagonal(n, D, row, row + PORT_ROWS);
    if (own.linear > 0 && own.linear <= rounding * own.angular) flg_port_clear(n, D, row);
  }
}
