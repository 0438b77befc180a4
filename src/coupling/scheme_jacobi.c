/* Jacobi with forces continued in a straight line: no subsystem meets a model of the others.
 *
 *     F(t) = F_1 + (t/H + 1/2) (F_1 - F_2)     on each place of an interface, t from the start of
 *                                              the macro step, F_1, F_2 the mean forces of the last
 *                                              two; nothing in the first, F_1 in the second
 *
 * All advance at once under these forces. Then positions and velocities are brought together in the
 * mass norm through the exact join, and the mean force that is remembered has the impulses of that.
 * So a wrong F moves subsystems on wrong ways within H, and does not add up: the error is of order
 * 4 in H on linear systems whose own frequencies, each subsystem without the others, are slow
 * against 1/H. Stiff springs on a light side, light links under heavy loads and contacts are not:
 * there it is wrong by decimetres, or diverges.
 */
#include "coupling/coupling_inner.h"

enum { PORT_ROWS = 6 };

static int no_owner(const flg_coupling *coupling, int interface) {
  (void)coupling, (void)interface;
  return FLG_NO_OWNER;
}

/* what interfaces carry is solved in macro runs, of which there are none */
static flg_status jacobi_check(const flg_coupled_system *system,
                               const flg_coupling_options *options, flg_error *error) {
  return flg_coupling_elements_refuse(system, options->scheme->name, ~0u, error);
}

static flg_status jacobi_face(flg_coupling *coupling, int subsystem, flg_error *error) {
  (void)error;
  flg_interface_model_resize(coupling->macro_runs[subsystem].rest,
                             flg_rest_model_rows(coupling->rests[subsystem]));
  flg_coupling_face_frames(coupling, subsystem);
  return FLG_OK;
}

/* all that acted on a place in the macro step, what brought it together included */
static void learn(flg_coupling *coupling) {
  for (int k = 0; k < coupling->spot_count; k++) {
    const flg_driven_spot *at = &coupling->spots[k];
    const double *applied = coupling->macro_runs[at->subsystem].sum + PORT_ROWS * at->port;
    const double *added = coupling->shares[at->subsystem] + PORT_ROWS * at->port;
    double impulse[PORT_ROWS];
    for (int i = 0; i < PORT_ROWS; i++) impulse[i] = applied[i] + added[i];
    flg_coupling_remember(coupling, at, impulse, flg_coupling_memory(coupling, at)->motion);
  }
  flg_coupling_count_memory(coupling);
}

const flg_coupling_scheme flg_coupling_jacobi = {
    .name = "jacobi",
    .help =
        "all subsystems advance at once under the forces of the last two macro steps, continued "
        "in a straight line; no models are exchanged, so macro steps must be short against all "
        "that swings inside",
    .gives_back = true,
    .form = FLG_COUPLING_ADMITTANCE,
    .reconciles = FLG_RECONCILE_BOTH,
    .pose = FLG_POSE_RESYNCHRONISE,
    .fixed = FLG_FIXED_RECONCILE,
    .check = jacobi_check,
    .owner = no_owner,
    .face = jacobi_face,
    .drive = flg_coupling_drive_continued,
    .learn = learn};
