#include "flange/version.h"

const char *flg_version(void) {
  return FLG_VERSION;
}

int flg_version_number(void) {
  return FLG_VERSION_NUMBER;
}
