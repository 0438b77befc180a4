/* input_limits.h - how much is read of files, which may be broken or meant to do harm.
 *
 * Each has a value that no honest file comes near to, and can be raised by its name.
 */
#ifndef FLG_INPUT_LIMITS_H
#define FLG_INPUT_LIMITS_H

#include "flange/status.h"

/* X(enum, name, value, what it counts) */
#define FLG_INPUT_LIMIT_LIST(X)                                                                  \
  X(FLG_LIMIT_TEXT, "text", 16, "MiB of a YAML or URDF file")                                    \
  X(FLG_LIMIT_TABLE, "table", 256, "MiB of a table")                                             \
  X(FLG_LIMIT_MESH, "mesh", 256, "MiB of a mesh")                                                \
  X(FLG_LIMIT_VALUES, "values", 4000000, "values of a YAML file, with its aliases and includes") \
  X(FLG_LIMIT_INCLUDES, "includes", 1000, "files that a YAML file includes")                     \
  X(FLG_LIMIT_OBJECTS, "objects", 300000, "objects of a component, with all inside of it")       \
  X(FLG_LIMIT_PATTERNS, "patterns", 1000, "patterns of signals to record")                       \
  X(FLG_LIMIT_APART, "apart", 1000000, "pairs of shapes of a component that never touch")        \
  X(FLG_LIMIT_COUPLED, "coupled", 400, "subsystems of a coupling")                               \
  X(FLG_LIMIT_PORTS, "ports", 200, "ends of interfaces on a subsystem of a coupling")            \
  X(FLG_LIMIT_MODELS, "models", 2048, "MiB of the models that subsystems have of each other")    \
  X(FLG_LIMIT_DRIVES, "drives", 10000000, "controllers of a robot times its velocities")         \
  X(FLG_LIMIT_ROWS, "rows", 1000, "rows of joints and stiff springs that are solved as one")     \
  X(FLG_LIMIT_PROBES, "probes", 1000, "joints that are looked at one by one for redundant rows")

#define FLG_INPUT_LIMIT_ENUM(limit, name, value, counts) limit,
typedef enum flg_input_limit {
  FLG_INPUT_LIMIT_LIST(FLG_INPUT_LIMIT_ENUM) FLG_INPUT_LIMIT_COUNT
} flg_input_limit;

enum { FLG_MIB = 1 << 20 };
/* Rows that are only kept cost memory: so many times those of FLG_LIMIT_ROWS, which cost time. */
enum { FLG_KEPT_ROWS = 4 };

double flg_input_limit_value(flg_input_limit limit);
const char *flg_input_limit_name(flg_input_limit limit);
/* Set-up, before anything is read: `name=value`, as in includes=5000. FLG_ERR_USAGE. */
flg_status flg_input_limit_set(const char *assignment, flg_error *error);

#endif
