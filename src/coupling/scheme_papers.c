/* The papers' schemes: all at once and without reconciliation.
 *
 * At the end of a micro step a subsystem has A v+ at its ports (nonsmooth-rim, Eq. 2), the model of
 * the rest w + h w' with its A' v (Eq. 21, 22), as contacts have (Eq. 24): both are taken as the
 * same.
 *
 *     paper-smooth       the rest as an effective mass (D^-1), whose closed contacts are joints
 *                        (Eq. 17, 18)
 *     paper-nonsmooth    closed contacts may open (Eq. 20, 22). Its effective mass is that without
 *                        contacts, which exists: the admittance form is the same, and is what runs
 *     paper-regularised  closed contacts are springs and dampers (Eq. 23 - 25)
 *     paper-flexible     paper-smooth in admittance form (Eq. 22 of flexible-rim has no inverse
 *                        while the rest touches), with elastic forces of the rest by effective
 *                        stiffness and damping (its Eq. 13 and 21 - 24, corrected): K_eff times
 *                        the way of the port since the communication point, C_eff times the change
 *                        of its velocity. With elastic: literal as printed: the way since the start
 *                        of the run, all of the velocity, and no other elastic forces
 */
#include "coupling/coupling_inner.h"

/* what all of them have */
#define PAPER                                                                                      \
  .is_literal = true, .gives_back = true, .reconciles = FLG_RECONCILE_NONE, .pose = FLG_POSE_NONE, \
  .fixed = FLG_FIXED_CONTACTS, .sees = flg_coupling_sees_all, .face = flg_coupling_join_rest,      \
  .reconcile = flg_contact_join_reconcile

const flg_coupling_scheme flg_coupling_paper_smooth = {
    .name = "paper-smooth",
    .help = "for comparison: with effective masses of the rest, contacts as joints",
    .form = FLG_COUPLING_MASS,
    .contacts = FLG_REST_SMOOTH,
    PAPER};

const flg_coupling_scheme flg_coupling_paper_nonsmooth = {
    .name = "paper-nonsmooth",
    .help = "for comparison: with contacts of the rest that may open",
    .form = FLG_COUPLING_ADMITTANCE,
    .contacts = FLG_REST_OPENING,
    PAPER};

const flg_coupling_scheme flg_coupling_paper_regularised = {
    .name = "paper-regularised",
    .help = "for comparison: as paper-smooth, with contacts of the rest on springs and dampers",
    .form = FLG_COUPLING_MASS,
    .contacts = FLG_REST_REGULARISED,
    PAPER};

const flg_coupling_scheme flg_coupling_paper_flexible = {
    .name = "paper-flexible",
    .help = "for comparison: with effective stiffness and damping of the rest's elastic links",
    .has_springs = true,
    .form = FLG_COUPLING_ADMITTANCE,
    .contacts = FLG_REST_SMOOTH,
    PAPER};
