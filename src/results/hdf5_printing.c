#include "results/hdf5_printing.h"

#include <errno.h>

flg_hdf5_printing flg_hdf5_printing_stop(void) {
  flg_hdf5_printing host = {.is_version_2 = 1};
  H5Eauto_is_v2(H5E_DEFAULT, &host.is_version_2);
  if (host.is_version_2) {
    H5Eget_auto2(H5E_DEFAULT, &host.function_2, &host.data);
  } else {
    H5Eget_auto1(&host.function_1, &host.data);
  }
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  errno = 0; /* flg_hdf5_lacks_memory looks at it */
  return host;
}

void flg_hdf5_printing_resume(const flg_hdf5_printing *host) {
  H5Eclear2(H5E_DEFAULT);
  if (host->is_version_2) {
    H5Eset_auto2(H5E_DEFAULT, host->function_2, host->data);
  } else {
    H5Eset_auto1(host->function_1, host->data);
  }
}

static herr_t innermost_take(unsigned depth, const H5E_error2_t *entry, void *reason) {
  if (depth == 0 && entry->desc != NULL) *(const char **)reason = entry->desc;
  return 0;
}

const char *flg_hdf5_reason(void) {
  const char *reason = "no reason is given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost_take, &reason);
  return reason;
}

static herr_t resource_look(unsigned depth, const H5E_error2_t *entry, void *lacks) {
  (void)depth;
  if (entry->maj_num == H5E_RESOURCE) *(bool *)lacks = true;
  return 0;
}

bool flg_hdf5_lacks_memory(void) {
  bool lacks = errno == ENOMEM;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, resource_look, &lacks);
  return lacks;
}
