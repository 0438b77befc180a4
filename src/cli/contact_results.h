/* contact_results.h - contact points of a run as a file of results (results/results.h), for HDF5: a
 * row for each point that is near at each recorded time. Shapes are numbers, which the legend
 * names.
 *
 *     a, b        shapes; point: of a set of points, its number from 0 on, else -1
 *     position    m    half way between the surfaces; normal: unit, from a to b
 *     gap         m    press: along the normal, force: on b, mean over the last micro step [N]
 *     state       0 open, 1 sliding, 2 sticking
 */
#ifndef FLG_CONTACT_RESULTS_H
#define FLG_CONTACT_RESULTS_H

#include "cosim/touching.h"
#include "results/results.h"

typedef struct flg_contact_results {
  flg_results *file;
  int *first; /* (subsystems) number of its first shape */
} flg_contact_results;

/* Set-up. */
flg_status flg_contact_results_open(flg_contact_results *results, const flg_simulation *simulation,
                                    const char *path, bool writes_over, flg_error *error);
/* At a recorded time: one point. */
flg_status flg_contact_results_write(flg_contact_results *results, double time,
                                     const flg_touching *point, flg_error *error);
/* As flg_results_close; none is allowed. */
flg_status flg_contact_results_close(flg_contact_results *results, const char *status,
                                     flg_error *error);

#endif
