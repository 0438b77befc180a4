/* All subsystems at once, each with a model of the rest that is frozen at the communication point.
 * Both sides of an interface have then applied different impulses. The difference is given back to
 * one side, and the velocities of the whole are projected onto the interfaces through the exact
 * join. */
#include "coupling/coupling_inner.h"

/* what both have */
#define AT_ONCE                                                                                    \
  .has_kicks = true, .gives_back = true, .form = FLG_COUPLING_ADMITTANCE,                          \
  .reconciles = FLG_RECONCILE_BOTH, .pose = FLG_POSE_RESYNCHRONISE, .sees = flg_coupling_sees_all, \
  .face = flg_coupling_join_rest, .reconcile = flg_contact_join_reconcile

const flg_coupling_scheme flg_coupling_parallel = {
    .name = "parallel",
    .help = "all subsystems advance at once, each with the joined model of all others",
    .is_divided = true,
    AT_ONCE};

const flg_coupling_scheme flg_coupling_neighbour = {
    .name = "neighbour",
    .help = "for comparison: as parallel, with the model of the neighbour alone",
    .ignores_rest = true,
    AT_ONCE};
