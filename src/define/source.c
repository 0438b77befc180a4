#include "define/source.h"

ptrdiff_t flg_table_column(const flg_table *table, const char *name) {
  return FLG_SEEK(&table->by_name, table->names, (int)table->columns, name);
}
