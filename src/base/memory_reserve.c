#include "base/memory_reserve.h"

#include <stdlib.h>

bool flg_memory_reserve(size_t bytes) {
  /* volatile: compilers leave out an allocation that nothing uses */
  void *volatile reserve = malloc(bytes);
  if (reserve == NULL) return false;
  free(reserve);
  return true;
}
