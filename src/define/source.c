#include "define/source.h"

#include <string.h>

ptrdiff_t flg_table_column(const flg_table *table, const char *name) {
  for (size_t k = 0; k < table->columns; k++) {
    if (strcmp(table->names[k], name) == 0) return (ptrdiff_t)k;
  }
  return -1;
}
