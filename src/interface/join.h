/* join.h - reduce and join on whole interface models: eliminate, with names.
 *
 *     reduce    one part and rows between its own rows: inner joints, loops, locked rows
 *     join      two parts and the joints between them
 *
 * Rows, gamma and scale are written to the elimination beforehand (G, gamma, scale); its sizes must
 * be those of the models, in admittance form. `out` gets H_out and b_out for D and r, and
 * velocities, gaps and kinds of the kept rows as they are: contact rows pass through. Velocities
 * that do not yet fulfil the constraints are projected with flg_elimination_refresh (b = w, gamma =
 * 0).
 *
 * Step calls: nothing is allocated. FLG_ERR_RANGE if sizes do not fit, FLG_ERR_DIVERGED as in
 * eliminate.h; out is then spoilt. No model may be another.
 */
#ifndef FLG_INTERFACE_JOIN_H
#define FLG_INTERFACE_JOIN_H

#include "interface/eliminate.h"
#include "interface/interface_model.h"

flg_status flg_interface_reduce(flg_elimination *elimination, flg_pivots pivots,
                                flg_interface_model *part, flg_interface_model *out);
flg_status flg_interface_join(flg_elimination *elimination, flg_pivots pivots,
                              flg_interface_model *first, flg_interface_model *second,
                              flg_interface_model *out);

#endif
