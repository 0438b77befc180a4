/* The numbers of a block from its keys; its formulas come later, when all names are known. */
#include <math.h>

#include "define/given.h"
#include "flatten/component_build.h"

/* --- which keys a kind has ----------------------------------------------------------------- */

#define KIND(name) (1U << FLG_BLOCK_##name)

typedef struct key_use {
  const char *key;
  bool given;
  unsigned allowed, needed; /* kinds */
} key_use;

static void block_check_key(const flg_component_builder *build, const flg_signal_keys *keys,
                            const key_use *use) {
  const unsigned kind = 1U << keys->kind;
  const char *wrong = use->given && (use->allowed & kind) == 0 ? "is not for the kind"
                      : !use->given && (use->needed & kind) != 0
                          ? "is missing; it is needed by the kind"
                          : NULL;
  if (wrong == NULL) return;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place, "signal '%s': key '%s' %s %s",
                  keys->origin.name, use->key, wrong,
                  flg_block_kind_name((flg_block_kind)keys->kind));
}

static void check_signal_keys(const flg_component_builder *build, const flg_signal_keys *keys) {
  const unsigned in = KIND(PID) | KIND(FILTER), said = KIND(FORMULA) | KIND(CONSTANT);
  const unsigned timed = KIND(STEP) | KIND(RAMP);
  const key_use uses[] = {
      {"value", keys->value.name != NULL, said, said},
      {"at", !isnan(keys->at), timed, 0},
      {"until", !isnan(keys->until), KIND(RAMP), 0},
      {"from", !isnan(keys->from), timed, 0},
      {"to", !isnan(keys->to), timed, KIND(STEP)},
      {"slope", !isnan(keys->slope), KIND(RAMP), 0},
      {"amplitude", !isnan(keys->amplitude), KIND(SINE), 0},
      {"frequency", !isnan(keys->frequency), KIND(SINE), KIND(SINE)},
      {"phase", !isnan(keys->phase), KIND(SINE), 0},
      {"offset", !isnan(keys->offset), KIND(SINE), 0},
      {"points", keys->points.count > 0, KIND(TABLE) | KIND(QUINTIC), KIND(QUINTIC)},
      {"file", keys->file != NULL, KIND(TABLE), 0},
      {"column", keys->column != NULL, KIND(TABLE), 0},
      {"input", keys->input.name != NULL, in, in},
      {"target", keys->target.name != NULL, KIND(PID), 0},
      {"feed_forward", keys->feed_forward.name != NULL, KIND(PID), 0},
      {"kp", !isnan(keys->kp), KIND(PID), 0},
      {"ki", !isnan(keys->ki), KIND(PID), 0},
      {"kd", !isnan(keys->kd), KIND(PID), 0},
      {"filter", !isnan(keys->filter), KIND(PID), 0},
      {"tracking", !isnan(keys->tracking), KIND(PID), 0},
      {"time_constant", !isnan(keys->time_constant), KIND(FILTER), KIND(FILTER)},
      {"order", keys->order > 0, KIND(FILTER), 0},
      {"damping", !isnan(keys->damping), KIND(FILTER), 0},
      {"initial", !isnan(keys->initial), in, 0},
      {"limit", keys->limit.count > 0, KIND(FORMULA) | KIND(PID), 0},
  };
  for (size_t k = 0; k < sizeof uses / sizeof uses[0]; k++) block_check_key(build, keys, &uses[k]);
}

static void complain_of_signal(const flg_component_builder *build, const flg_signal_keys *keys,
                               const char *what) {
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place, "signal '%s' %s",
                  keys->origin.name, what);
}

bool flg_build_limit(const flg_component_builder *build, const flg_origin *origin,
                     const flg_numbers *given, double limit[2]) {
  limit[0] = -INFINITY, limit[1] = INFINITY;
  if (given->count == 0) return true;
  if (given->count > 2 || (given->count == 1 && !(given->values[0] >= 0))) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, origin->place,
                    "'%s': limit is one number of 0 or more, or [lower, upper]", origin->name);
    return false;
  }
  limit[0] = given->count == 1 ? -given->values[0] : given->values[0];
  limit[1] = given->values[given->count - 1];
  return true;
}

/* --- curves -------------------------------------------------------------------------------- */

static void block_curve_from_points(const flg_component_builder *build, const flg_signal_keys *keys,
                                    flg_curve *curve) {
  const flg_signal_point_keys *points = keys->points.items;
  const size_t count = (size_t)keys->points.count;
  double *times = flg_region_take(build->region, count, sizeof *times);
  double *values = flg_region_take(build->region, count, sizeof *values);
  if (times == NULL || values == NULL) return;
  for (size_t k = 0; k < count; k++) times[k] = points[k].at, values[k] = points[k].value;
  *curve = (flg_curve){.knots = (int)count, .width = 1, .times = times, .values = values};
}

/* the column that is asked for; one that has the signal's name; the only one */
static ptrdiff_t block_find_column(const flg_table *table, const flg_signal_keys *keys) {
  const char *name = keys->column == NULL ? keys->origin.name : keys->column;
  const ptrdiff_t column = flg_table_column(table, name);
  return column < 0 && keys->column == NULL && table->columns == 2 ? 1 : column;
}

static void block_curve_from_table(const flg_component_builder *build, const flg_signal_keys *keys,
                                   const flg_table *table, flg_curve *curve) {
  const ptrdiff_t column = block_find_column(table, keys);
  double *times = flg_region_take(build->region, table->rows, sizeof *times);
  double *values = flg_region_take(build->region, table->rows, sizeof *values);
  if (column < 1) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, (flg_place){.file = keys->file},
                    "there is no column '%s' after the time",
                    keys->column == NULL ? keys->origin.name : keys->column);
  }
  if (column < 1 || times == NULL || values == NULL) return;
  for (size_t row = 0; row < table->rows; row++) {
    times[row] = table->values[row * table->columns];
    values[row] = table->values[row * table->columns + (size_t)column];
  }
  *curve = (flg_curve){.knots = (int)table->rows, .width = 1, .times = times, .values = values};
}

static void curve_from_file(const flg_component_builder *build, const flg_signal_keys *keys,
                            flg_curve *curve) {
  const flg_source *from = &build->source;
  const flg_table *table = from->ops->table(from->self, keys->file, keys->origin.place);
  if (table != NULL) block_curve_from_table(build, keys, table, curve);
}

static void block_make_curve(const flg_component_builder *build, const flg_signal_keys *keys,
                             flg_curve *curve) {
  const bool is_table = keys->kind == FLG_BLOCK_TABLE;
  if (is_table && (keys->file != NULL) == (keys->points.count > 0)) {
    complain_of_signal(build, keys, "needs one of the keys 'points' and 'file'");
    return;
  }
  (keys->file != NULL ? curve_from_file : block_curve_from_points)(build, keys, curve);
  curve->kind = is_table ? (flg_curve_kind)keys->interpolation : FLG_CURVE_QUINTIC;
  if (curve->kind != FLG_CURVE_SPLINE || curve->knots == 0) return;
  const size_t knots = (size_t)curve->knots;
  double *curvatures = flg_region_take(build->region, knots, sizeof *curvatures);
  double *work = flg_region_take(build->region, 2 * knots, sizeof *work);
  if (curvatures == NULL || work == NULL) return;
  flg_curve_prepare(curve, FLG_SPLINE_FREE, curvatures, work);
  curve->curvatures = curvatures;
}

/* --- the block ----------------------------------------------------------------------------- */

static double block_slope_of(const flg_component_builder *build, const flg_signal_keys *keys,
                             const flg_block *block) {
  const bool has_end = !isnan(keys->to);
  if (has_end == !isnan(keys->slope)) {
    complain_of_signal(build, keys, "needs one of the keys 'slope' and 'to'");
  } else if (has_end && !(keys->until > block->at)) {
    complain_of_signal(build, keys, "goes to a value and needs an 'until' after its start");
  } else if (has_end) {
    return (keys->to - block->from) / (keys->until - block->at);
  }
  return flg_given_or(keys->slope, 0);
}

flg_block flg_build_block_numbers(const flg_component_builder *build, const flg_signal_keys *keys) {
  flg_block block = {.kind = (flg_block_kind)keys->kind,
                     .at = flg_given_or(keys->at, 0),
                     .until = flg_given_or(keys->until, INFINITY),
                     .from = flg_given_or(keys->from, 0),
                     .to = flg_given_or(keys->to, 0),
                     .amplitude = flg_given_or(keys->amplitude, 1),
                     .frequency = flg_given_or(keys->frequency, 0),
                     .phase = flg_given_or(keys->phase, 0),
                     .offset = flg_given_or(keys->offset, 0),
                     .kp = flg_given_or(keys->kp, 0),
                     .ki = flg_given_or(keys->ki, 0),
                     .kd = flg_given_or(keys->kd, 0),
                     .derivative_filter = flg_given_or(keys->filter, 0),
                     .windup = (flg_windup)keys->windup,
                     .tracking = flg_given_or(keys->tracking, 0),
                     .time_constant = flg_given_or(keys->time_constant, 0),
                     .order = keys->order == 0 ? 1 : keys->order,
                     .damping = flg_given_or(keys->damping, 1),
                     .initial = flg_given_or(keys->initial, 0),
                     .sample = flg_given_or(keys->sample, 0)};
  check_signal_keys(build, keys);
  flg_build_limit(build, &keys->origin, &keys->limit, block.limit);
  if (keys->kind == FLG_BLOCK_RAMP) block.slope = block_slope_of(build, keys, &block);
  if (keys->kind == FLG_BLOCK_TABLE || keys->kind == FLG_BLOCK_QUINTIC) {
    block_make_curve(build, keys, &block.curve);
  }
  return block;
}
