#include "stored/kernels.h"

#include <stdlib.h>
#include <string.h>

static const kernel *const TABLES[] = {complementarity_kernels, contact_kernels,   dynamics_kernels,
                                       interface_kernels,       mechanism_kernels, math_kernels,
                                       control_kernels};
enum { TABLE_COUNT = sizeof TABLES / sizeof *TABLES };
static const char PREFIX[] = "kernels/";

int list_kernels(system_name *names) {
  int count = 0;
  for (int t = 0; t < TABLE_COUNT; t++) {
    for (const kernel *of = TABLES[t]; of->name != NULL; of++) {
      for (int k = 1; k <= of->count; k++)
        snprintf(names[count++], NAME_BYTES, "%s%s/%d", PREFIX, of->name, k);
    }
  }
  return count;
}

bool run_kernel(const char *name, digest *to) {
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0) return false;
  const char *own = name + strlen(PREFIX), *number = strrchr(own, '/');
  const size_t length = number != NULL ? (size_t)(number - own) : strlen(own);
  for (int t = 0; t < TABLE_COUNT; t++) {
    for (const kernel *of = TABLES[t]; of->name != NULL; of++) {
      if (strlen(of->name) != length || strncmp(own, of->name, length) != 0) continue;
      random_source source = {number != NULL ? strtoull(number + 1, NULL, 10) : 1};
      of->run(&source, to);
      return true;
    }
  }
  return false;
}
