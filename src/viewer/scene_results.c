#include "viewer/scene_results.h"

#include <stdlib.h>
#include <string.h>

flg_status flg_scene_announce(const flg_scene *scene, flg_results_header *header, flg_signal **all,
                              flg_error *error) {
  int count;
  const flg_signal *seen = flg_scene_signals(scene, &count);
  const size_t recorded = (size_t)header->signal_count;
  flg_signal *signals = malloc((recorded + (size_t)count) * sizeof *signals);
  if (signals == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory left.");
  if (recorded > 0) memcpy(signals, header->signals, recorded * sizeof *signals);
  memcpy(signals + recorded, seen, (size_t)count * sizeof *signals);
  header->signals = *all = signals, header->signal_count += count;
  header->scene = flg_scene_text(scene);
  header->list = flg_scene_list(scene);
  return FLG_OK;
}

flg_status flg_scene_store(flg_scene *scene, flg_results *results, int64_t row, double *values,
                           flg_error *error) {
  int count = 0;
  flg_status status = FLG_OK;
  const double *contacts = flg_scene_contacts(scene, row, &count);
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = flg_results_add(results, contacts + FLG_SCENE_CONTACT * k, error);
  }
  flg_scene_record(scene, values);
  return status;
}
