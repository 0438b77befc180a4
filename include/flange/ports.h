/* ports.h - interface models: how ports answer to forces, and models of systems that are joined.
 *
 * Seen through its ports, any mechanical system answers
 *
 *     a  = D x + r                  accelerations of the ports under forces x on them
 *     w+ = w + tau r + D L          velocities after the impulses L, in a step of tau
 *
 *     x    forces on the rows, acting on the system    (n)      [N, N m]
 *     D    admittance, symmetric, semidefinite         (n x n)  [1/kg, 1/(kg m), 1/(kg m^2)]
 *     r    accelerations without forces on the rows    (n)      [m/s^2, rad/s^2]
 *     w    velocities of the rows                      (n)      [m/s, rad/s]
 *
 * A port is a frame on something that moves: a body, marker or port by its name. Its six rows are [linear; angular] at
 * its origin, in world axes. D of rank 4 or 5 is a system that cannot move in some directions, nothing worse: it is
 * used as it is, never inverted. docs/theory.md has the rest.
 *
 * Matrices are row by row.
 */
#ifndef FLG_PORTS_H
#define FLG_PORTS_H

#include <stddef.h>
#include <stdint.h>

#include "flange/simulation.h"

/* Handle of a set of ports; two numbers, to be copied at will. */
typedef struct flg_ports {
  uint32_t simulation; /* serial number of the simulation; 0: it is no handle */
  int32_t number;      /* of the set there */
} flg_ports;

/* --- models of a running simulation
 * Owns: the caller. When: between steps. Fails: status, FLG_ERR_INPUT for names, FLG_ERR_DIVERGED for NaN and infinity;
 * 0. */

/* Set-up: a set of ports. All belong to one subsystem, or to several that a monolithic coupling
 * joins. @param names (count) "arm/tool", "hand/box" */
FLG_API flg_status flg_ports_find(flg_simulation *simulation, const char *const *names, int count, flg_ports *ports,
                                  flg_error *error);
FLG_API int flg_ports_rows(const flg_simulation *simulation, flg_ports ports); /* six a port */
/* The model now. The state stays as it is; controllers may take a sample that is due, as the next step would. Inputs
 * that are written count in r. Closed contacts, stops and dry frictions are left out: they are not part of D and r.
 * @param tau over 0: the time for which the model will be used; damping and implicit springs count in D and r as they
 * act over tau [s] @param rows flg_ports_rows @param admittance (rows x rows) @param bias (rows) @param velocity
 * (rows); each may be NULL */
FLG_API flg_status flg_ports_reduce(flg_simulation *simulation, flg_ports ports, double tau, int rows,
                                    double *admittance, double *bias, double *velocity, flg_error *error);

/* Rank and condition of D, by singular values. */
typedef struct flg_admittance_figures {
  int rank;         /* directions in which it yields */
  double condition; /* largest by smallest singular value; infinite where rank < rows */
  double most;      /* largest singular value */
} flg_admittance_figures;

/* --- figures of an admittance
 * Owns: the caller. When: always; it allocates nothing. Fails: status, FLG_ERR_DIVERGED for NaN and infinity; NaN, 0.
 */

/* Numbers of work space for flg_admittance_measure and flg_admittance_mass. */
FLG_API size_t flg_admittance_numbers(int rows);
/* Measures D. @param admittance (rows x rows) @param work (flg_admittance_numbers) */
FLG_API flg_status flg_admittance_measure(int rows, const double *admittance, double *work,
                                          flg_admittance_figures *figures, flg_error *error);
/* The effective mass D^-1. FLG_ERR_PHYSICS if D has none: its rank is lower than its rows. @param admittance (rows x
 * rows) @param work (flg_admittance_numbers) @param[out] mass (rows x rows) */
FLG_API flg_status flg_admittance_mass(int rows, const double *admittance, double *work, double *mass,
                                       flg_error *error);
/* The effective mass along a direction, 1 / (u . D u) with u of length 1 [kg or kg m^2]; infinite if nothing yields
 * that way; NaN if the direction is zero. @param admittance (rows x rows) @param direction (rows), of any length */
FLG_API double flg_admittance_along(int rows, const double *admittance, const double *direction);

/* --- eliminate and join
 * Owns: the caller. When: always; it allocates nothing. Fails: status, FLG_ERR_DIVERGED for NaN and infinity; 0.
 *
 *     y = H x + b           one or two models, one under the other: H = diag(D_0, D_1)    n rows
 *     G y = gamma           rows that are closed                                          m rows
 *     x = x_keep + G^T l    forces from outside on rows that stay, and reactions l        k rows
 *
 * becomes one model y_keep = H_out x_keep + b_out. With one model this closes a loop or holds a port, with two it joins
 * them. Redundant rows of G are found and left out. With b the velocities and gamma 0 the same call projects velocities
 * onto the joints. */

/* One or two models and the rows that are closed. */
typedef struct flg_stack {
  size_t size;                 /* sizeof(flg_stack) */
  int rows[2];                 /* of each model; 0: there is no second one */
  const double *admittance[2]; /* (rows x rows) D of each */
  const double *bias[2];       /* (rows) r of each; NULL: zeros */
  int constraints;             /* m */
  const double *matrix;        /* (m x n) G; NULL: rows are joined in pairs */
  const int (*pairs)[2];       /* (m) G in short: row i of the first, j of the second model: y_0i - y_1j = gamma */
  const double *target;        /* (m) gamma; NULL: zeros */
  int kept;                    /* k */
  const int *keep;             /* (k) rows of the stack that stay, in the order they come out */
  double tolerance;            /* a row is redundant if less than this part of it is left */
} flg_stack;

/* No models, no rows, the usual tolerance. Fills as many bytes as the caller's struct has. */
FLG_API void flg_stack_clear(flg_stack *stack, size_t size);
/* The same as a value. */
static inline flg_stack flg_stack_default(void) {
  flg_stack stack;
  flg_stack_clear(&stack, sizeof stack);
  return stack;
}

FLG_API size_t flg_eliminate_bytes(const flg_stack *stack); /* that it takes; 0 if sizes are out of range */
/* Closes the rows. @param memory (bytes) aligned as by malloc; keeps the factors for flg_eliminate_back @param bytes
 * flg_eliminate_bytes @param[out] admittance (k x k) @param[out] bias (k) @param[out] rank rows of G that are not
 * redundant; may be NULL */
FLG_API flg_status flg_eliminate(const flg_stack *stack, void *memory, size_t bytes, double *admittance, double *bias,
                                 int *rank, flg_error *error);
/* After flg_eliminate, from the same memory: the reactions, and the forces on all rows. @param forces (k) on the rows
 * that were kept; NULL: zeros @param[out] reactions (m) l, not unique where rows are redundant: those are 0; may be
 * NULL @param[out] all (n) x; may be NULL */
FLG_API flg_status flg_eliminate_back(void *memory, const double *forces, double *reactions, double *all,
                                      flg_error *error);

#endif
