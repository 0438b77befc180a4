/* modal.h - a flexible body in its floating frame: modes, and what inertia they have.
 *
 * A point that rests at s in the body's frame is, with the elastic coordinates e, at
 *
 *     r = s + sum_k F_k e_k + 1/2 sum_kj P_kj e_k e_j
 *
 * F: mode shapes (m for a coordinate of 1); P: second-order shapes, by which a bent beam draws its
 * end in. They make a beam stiffer that spins or is pulled (geometric stiffening). A frame on the
 * body also turns with the slopes of the shapes.
 *
 * With the velocity V of the frame, its spin w, and u = de/dt, all in the body's axes, the kinetic
 * energy to second order in e and u together is
 *
 *     T = m V.V/2 + V.(w x h) + w.I w/2 + sum_k (V.t_k + w.c_k) u_k + sum_kj M_kj u_k u_j/2
 *     h = h0 + sum_k (t_k + t_k(e)) e_k/2             t_k(e) = t_k + sum_j t_kj e_j
 *     I = I0 + sum_k I_k e_k + sum_kj I_kj e_k e_j    c_k(e) = c_k + sum_j c_kj e_j
 *
 * and the sums over the body are
 *
 *     t_k = sum F_k dm     t_kj = sum P_kj dm
 *     c_k = sum s x F_k dm         c_kj = sum (F_j x F_k + s x P_kj) dm
 *     I_k, I_kj: the inertias that go with s F_k^T + F_k s^T, and with the symmetric part of
 *     F_k F_j^T + s P_kj^T
 *
 * The equations of motion are exactly those of this T: they keep its energy.
 */
#ifndef FLG_MODAL_H
#define FLG_MODAL_H

#include <stdbool.h>

#include "base/region.h"
#include "math/spatial.h"

/* A point of the body with its shapes: what a finite-element program writes of a reduced model. */
typedef struct flg_modal_node {
  flg_vec3 position;         /* at rest, in the body's frame [m] */
  double mass;               /* lumped here [kg] */
  const flg_spatial *shapes; /* (modes) displacement [m] and turn [rad] for a coordinate of 1 */
} flg_modal_node;

typedef struct flg_beam_line flg_beam_line; /* beam.h */

/* Matrices are modes x modes, column-major and symmetric; so are the lists of pairs. */
typedef struct flg_modal_body {
  int modes;
  flg_inertia rigid;                    /* m, h0, I0: undeformed, in the body's frame */
  double *mass, *stiffness, *damping;   /* M, K, C */
  flg_vec3 *travel, *swing;             /* (modes) t_k, c_k */
  flg_vec3 *travel_pairs, *swing_pairs; /* t_kj, c_kj: [k + modes j] */
  flg_sym3 *inertias, *inertia_pairs;   /* (modes) I_k, (modes x modes) I_kj */
  bool stiffens;                        /* it has second-order shapes */
  /* what frames on it ride on: sections of a beam, or else nodes */
  const flg_beam_line *line;
  const flg_modal_node *nodes; /* (node_count) */
  int node_count;
} flg_modal_body;

/* Set-up: a body with all zero; false if the region has no memory left. */
bool flg_modal_build(flg_modal_body *body, int modes, flg_region *region);
/* Set-up: adds the mass of a point at rest at `position` with its shapes (modes) and second-order
 * shapes (modes x modes, symmetric; NULL: none). */
void flg_modal_add_point(flg_modal_body *body, double mass, flg_vec3 position,
                         const flg_vec3 *shapes, const flg_vec3 *pairs);
/* Set-up: damping of the given share of critical for every mode of the free body; or
 * C = by_mass M + by_stiffness K. FLG_ERR_PHYSICS if M is not positive definite. */
flg_status flg_modal_damp(flg_modal_body *body, double share, flg_region *region);
void flg_modal_damp_rayleigh(flg_modal_body *body, double by_mass, double by_stiffness);
/* Set-up: natural frequencies of the body while its frame is held, ascending (modes) [rad/s]. */
flg_status flg_modal_frequencies(const flg_modal_body *body, double *frequencies,
                                 flg_region *region);
/* Set-up: the same body with the same coordinates in other axes: turn takes old ones to new. */
void flg_modal_turn(flg_modal_body *body, const flg_mat3 *turn);

/* Set-up: where a frame at a point of the body rides: on the nearest section of a beam or the
 * nearest node; its position at rest. */
flg_vec3 flg_modal_station(const flg_modal_body *body, flg_vec3 point);
/* Set-up: the frame of a section at rest at such a position, axes of the body, where the elastic
 * coordinates are e (modes). */
flg_pose flg_modal_place(const flg_modal_body *body, flg_vec3 station, const double *e,
                         flg_region *region);
/* Set-up: the shapes (modes) and the second-order ones (modes x modes) at such a position. */
void flg_modal_shapes(const flg_modal_body *body, flg_vec3 station, flg_spatial *shapes,
                      flg_vec3 *pairs);

#endif
