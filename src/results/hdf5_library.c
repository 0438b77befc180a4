#include "results/hdf5_library.h"

flg_hdf5_table flg_hdf5;

static const char *const flg_hdf5_names[] = {FLG_HDF5_NAMES(FLG_OPENED_NAME)};

flg_status flg_hdf5_open(flg_error *error) {
  static flg_opened_library library = {.file = FLANGE_HDF5,
                                       .package = "libhdf5-103-1",
                                       .use = "A results file of HDF5",
                                       FLG_OPENED_TABLE(flg_hdf5)};
  return flg_opened_library_open(&library, error);
}
