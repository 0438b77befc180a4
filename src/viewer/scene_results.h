/* scene_results.h - a scene beside the signals of a run, in a results file. */
#ifndef FLG_SCENE_RESULTS_H
#define FLG_SCENE_RESULTS_H

#include "results/results.h"
#include "viewer/scene.h"

/* Set-up: adds text, list and signals of the scene to a header. *all holds its signals from then
 * on: the caller frees it once the file is open. */
flg_status flg_scene_announce(const flg_scene *scene, flg_results_header *header, flg_signal **all,
                              flg_error *error);
/* Step: what a viewer needs of the row that is written next: contacts into the list, and values
 * (flg_scene_width). After all else is read: looking at admittances may cost what was found of
 * contacts. */
flg_status flg_scene_store(flg_scene *scene, flg_results *results, int64_t row, double *values,
                           flg_error *error);

#endif
