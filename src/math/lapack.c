#include "math/lapack.h"

flg_lapack_table flg_lapack;

static const char *const flg_lapack_names[] = {FLG_LAPACK_NAMES(FLG_OPENED_NAME)};

flg_status flg_lapack_open(flg_error *error) {
  static flg_opened_library library = {.file = FLANGE_OPENBLAS,
                                       .package = "libopenblas0",
                                       .use = "Dense linear algebra",
                                       FLG_OPENED_TABLE(flg_lapack)};
  return flg_opened_library_open(&library, error);
}
