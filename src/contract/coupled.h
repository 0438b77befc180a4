/* coupled.h - what a subsystem can do besides running, if it is to be joined to others at ports.
 *
 * A port is a frame on something that moves. Its rows are [linear; angular] at its origin, in world
 * axes, 6 a port; forces x act on the subsystem.
 *
 *     reduce    its model now: w+ = w + tau r + D L    (interface/interface_model.h)
 *     velocity_bias   the part t of r that comes of velocities alone: J' v, and what own joints do
 *     push      one micro step under the impulses L on all ports: the constant forces L/h
 *     impulse   the velocities that impulses make at once: v += W A^T L
 *     displace  the same of positions: q (+)= W A^T x, for small x
 *     set_impulse_step  the time that impulse and displace belong to: its damping resists them
 *
 * Steps of semi-implicit Euler close joints with the rows J_k of their start: the velocity of a
 * port that they make is J_k v+ = w + h (r - t) + D L, while it will be J_(k+1) v+. Such subsystems
 * use start rows (uses_start_rows); a coupling that joins them must mean the same by the velocity
 * of the other side (macro/macro_run.h).
 *
 * Couplings call nothing else. All are step calls: they allocate, lock and print nothing. Every
 * implementation passes tests/coupled_contract_test.c, and agrees with the dense system of
 * tests/coupled_dense_test.c.
 */
#ifndef FLG_COUPLED_H
#define FLG_COUPLED_H

#include <stdbool.h>

#include "contacts/contacts.h"
#include "dynamics/coordinate.h"
#include "interface/interface_model.h"

/* Elastic forces in models. */
typedef enum flg_elastic_hold {
  FLG_ELASTIC_FREE, /* implicit over the time of the model */
  FLG_ELASTIC_HELD, /* as they are now, D without stiffness (flexible-rim, Eq. 9) */
  FLG_ELASTIC_LEFT  /* left out, D without stiffness */
} flg_elastic_hold;
/* Elastic coordinates e as states of a model, whose forces are -K e - C e'. */
typedef struct flg_elastic_block {
  double *stiffness, *damping; /* (count x count) K and C */
  double *deflections;         /* (count) e */
} flg_elastic_block;
/* Ports of six rows that so many coordinates take in models. */
static inline int flg_elastic_ports(int count) {
  return (count + 5) / 6;
}

typedef struct flg_coupled_ops {
  /* Its ports move by joint coordinates: D and r change faster with the pose than those of bodies,
   * so that a frozen model of it is right for a shorter time. */
  bool has_joint_coordinates;
  /* The number of ports; constant. */
  int (*ports)(const void *self);
  /* Where a port is and how it moves, after refresh, reduce or push. */
  flg_moving_frame (*frame)(const void *self, int port);
  /* Optional. How it moves, as frame has it. */
  flg_spatial (*velocity)(const void *self, int port);
  /* The model at this time, for use over tau: dampers are implicit over it. All rows are interface
   * rows. Positions and velocities stay as they are; a controller may take the sample that is due.
   * tau = 0, between steps: D and w alone, and no controller samples; r is 0. FLG_ERR_DIVERGED. */
  flg_status (*reduce)(void *self, double time, double tau, flg_interface_model *model);
  /* Optional. After a reduce that failed: the reason, a sentence without a full stop; "" if it is
   * not known. Valid until the next reduce. */
  const char *(*complaint)(const void *self);
  /* Optional. After reduce: t (6 ports). Without it 0 is taken, which costs subsystems that use
   * start rows some accuracy. */
  flg_status (*velocity_bias)(void *self, double *velocity_bias);
  /* Optional, with velocity_bias alone: true if its steps close joints with the rows of their
   * start; constant. Without it: false. */
  bool (*uses_start_rows)(const void *self);
  /* Optional, with uses_start_rows: reduce for tau > 0, with r - t in place of r. Without it
   * reduce and velocity_bias are called, at twice the cost. */
  flg_status (*reduce_plain)(void *self, double time, double tau, flg_interface_model *model);
  /* Optional, with reduce_plain: true if no force inside of it depends on velocities, so that an
   * impulse between two micro steps may be added to that of the push that follows. It may change
   * with events. Without it such impulses are given by impulse. */
  bool (*coasts)(const void *self);
  /* Optional, with velocity_bias: true if its micro steps have all forces in a kick at their
   * middle, with free motion before and after it (macro/macro_leap.c); constant. Without it: false.
   * With it, the next two are there, and push is the rest of a step from the kick on: */
  bool (*leaps)(const void *self);
  /* Micro step number `index` of h from time on, up to its kick. Errors as of push. */
  flg_status (*leap)(void *self, double time, double h, int index, flg_error *error);
  /* The model of the kick of a step that began at that time: w, D and r of the forces alone; and
   * (6 ports) the accelerations t of free motion, which go on for h/2 after it. */
  flg_status (*reduce_kick)(void *self, double time, double h, flg_interface_model *model,
                            double *velocity_bias);
  /* Optional. After reduce: how elastic links yield at the ports: X^T K X and X^T C X (6 ports x 6
   * ports), X = M^-1 J^T with locked joints at rest, K and C those of the links (flexible-rim, Eq.
   * 11 and 12: K_eff = M_eff X^T K X M_eff). False: nothing bends, and nothing is written; with
   * NULLs it is only asked. */
  bool (*elastic)(void *self, double *stiffness, double *damping);
  /* Optional, with elastic. How the next models take elastic forces. */
  void (*hold_elastic)(void *self, flg_elastic_hold how);
  /* Optional, with elastic. The number of its elastic coordinates; constant. */
  int (*elastic_count)(const void *self);
  /* With elastic_count: reduce for tau > 0, with e' as further rows after those of all ports, in
   * whole ports of six (rows that are left over are zero). Elastic forces are left to the user of
   * the model: D and r are as if nothing bent. Fills the block. */
  flg_status (*reduce_elastic)(void *self, double time, double tau, flg_interface_model *model,
                               const flg_elastic_block *block);
  /* Optional. True if it is one rigid body that no joint or spring of the subsystem holds, so that
   * D turns with the body; constant. Without it: false. */
  bool (*is_rigid)(const void *self);
  /* Optional, without uses_start_rows: reduce for its own next micro step of h, where forces of
   * that step do not act at its start. w is the velocity now, and w + h r + D L that at the end of
   * push. Without it reduce is taken, which is wrong by h times the rotation of rows in a step. */
  flg_status (*reduce_step)(void *self, double time, double h, flg_interface_model *model);
  /* Optional. True if a controller samples within that time: its force changes then, which a model
   * of the subsystem does not know. Without it: false. */
  bool (*samples_within)(const void *self, double time);
  /* Optional. True if a joint has an end of its range, which it may hit inside a step; constant.
   * Without it: false. */
  bool (*has_ends)(const void *self);
  /* Optional, with has_ends. How far a joint is past its end at most, of its range, which counts as
   * 1 rad or the length of the subsystem at least; and its name, where that is asked for. */
  double (*past_ends)(const void *self, const char **joint);
  /* Optional. The number of touch ports, which are the last of all ports. With it, contacts is
   * there, too, and that of subsystem.h. */
  int (*touch_ports)(const void *self);
  /* With touch_ports. After reduce: contacts that may close within that time. Their bodies are
   * numbers of touch ports, from 0. FLG_ERR_CAPACITY with a sentence. */
  flg_status (*contacts)(void *self, double time_ahead, const flg_contact **contacts, int *count,
                         flg_error *error);
  /* Micro step number `index` of h from time on, under impulses (6 ports). The subsystem closes its
   * own contacts in it; impulses on touch ports are added to those. FLG_ERR_DIVERGED with a
   * sentence as of advance in subsystem.h. */
  flg_status (*push)(void *self, double time, double h, int index, const double *impulses,
                     flg_error *error);
  /* Optional. Of the micro step that push will make under these impulses: true if its model for
   * that step (reduce, reduce_step or reduce_plain) had the right set of joint ends that push and
   * of frictions that stick. If not, the next models of this step have it: forces have to be found
   * again. The state stays. */
  bool (*agrees)(void *self, double time, double h, int index, const double *impulses);
  /* Optional. Of its states before a step and after: frictions that stuck before and slip after,
   * and stops that pushed before and do not after, are opened in `before`, or noted, so that models
   * made from that state for that time have them open. Ends of joints that push after a state which
   * nothing has stepped yet push in it, too. Returns their number. */
  int (*loosen)(void *self, const double *after, double *before);
  /* Optional. How often stops inside of it were hit since it was built: such a hit changes the
   * velocities of all that is joined, which models made before it miss. */
  long (*blows)(const void *self);
  /* Optional. Of impulses (6 ports) that act at once in a step of h: true if closed stops push
   * under them, and frictions that stick carry at most h times their bound. Those that do not are
   * opened: models have them open from now on. */
  bool (*bears)(void *self, double h, const double *impulses);
  /* Optional. Of impulses (6 ports) that come to those of the last step: true if closed stops would
   * pull under them, which are opened: models have them open from now on. NULL: true if any stop is
   * closed. Velocities stay. */
  bool (*releases)(void *self, const double *impulses);
  /* Optional. From now on impulse, displace and models for tau = 0 are what is left of forces over
   * a time h, in which dampers C have resisted them: M + h C takes the place of M. Steps that use
   * start rows are given their own h. 0, as at first: they take no time. */
  void (*set_impulse_step)(void *self, double h);
  /* v += W A^T L (6 ports), W the inverse mass under its own joints; v is projected onto them. */
  flg_status (*impulse)(void *self, const double *impulses);
  /* q (+)= W A^T x (6 ports); its own joints are closed again, velocities stay. */
  flg_status (*displace)(void *self, const double *x);
} flg_coupled_ops;

#endif
