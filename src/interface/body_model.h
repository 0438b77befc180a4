/* body_model.h - the interface model of a rigid body, seen at its centre of mass.
 *
 *     H = diag(1/m 1, I^-1)      b = [f/m ; I^-1 (n - omega x I omega)]
 *
 * m [kg], I about the centre of mass in world axes [kg m^2], f [N] and n [N m] what acts on the
 * body besides joints and contacts, omega its spin [rad/s]. Rows are [linear; angular] in world
 * axes. Lever arms belong to the joints: a row at the point c + d is [e, d x e] for the direction
 * e. Step calls: nothing is allocated. FLG_ERR_PHYSICS if the mass or the inertia is not positive.
 */
#ifndef FLG_INTERFACE_BODY_MODEL_H
#define FLG_INTERFACE_BODY_MODEL_H

#include "flange/status.h"
#include "math/spatial.h"

/* H (6 x 6), column-major. */
flg_status flg_body_model_admittance(double mass, flg_sym3 inertia, double H[36]);
/* Z (6 x 6) with Z Z^T = H, for FLG_FORM_ROOT. */
flg_status flg_body_model_root(double mass, flg_sym3 inertia, double Z[36]);
/* b (6), from an H as above. */
void flg_body_model_bias(const double H[36], flg_sym3 inertia, flg_vec3 spin, flg_spatial force,
                         double b[6]);

#endif
