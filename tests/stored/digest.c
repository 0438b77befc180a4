#include "stored/digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/telemetry.h"
#include "flange/access.h"
#include "math/larger.h"
#include "random.h"
#include "stored/pushes.h"

const char *const KIND_NAMES[DIGEST_KINDS] = {"places", "speeds", "forces", "others"};

/* in the bits alone: what interfaces tell of rounding and of ranks, and quaternions, of which
 * rounding decides the sign */
static kind kind_of(const flg_signal *of) {
  static const char *const units[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N", "N m"}};
  static const char *const errors[] = {".pose_error", ".energy_residual", ".rank", ".condition",
                                       ".orientation"};
  const char *last = strrchr(of->name, '.');
  for (int k = 0; last != NULL && k < 5; k++)
    if (strcmp(last, errors[k]) == 0) return DIGEST_KINDS;
  if (last != NULL && strcmp(last, ".force") == 0) return FORCES;
  for (int k = 0; of->unit != NULL && k < OTHERS; k++)
    if (strcmp(of->unit, units[k][0]) == 0 || strcmp(of->unit, units[k][1]) == 0) return (kind)k;
  return OTHERS;
}

static void add_bits(digest *to, uint64_t value) {
  random_source mixed = {.state = to->bits ^ value};
  to->bits = random_bits(&mixed);
}

/* NaN, for what is not known yet, has many bits, and zero two */
static void add_number_bits(digest *to, double value) {
  const double same = value + 0.0;
  uint64_t bits = UINT64_C(0x7ff8000000000000);
  if (!isnan(value)) memcpy(&bits, &same, sizeof bits);
  add_bits(to, bits);
}

digest digest_begin(void) {
  return (digest){.status = FLG_OK, .weights = {.state = 1}};
}

void add_number(digest *to, kind in, double value) {
  const double weight = random_uniform(&to->weights, 1, 2);
  add_number_bits(to, value);
  if (!isfinite(value) || in == DIGEST_KINDS) return;
  to->sums[in] += weight * value, to->sizes[in] += weight * fabs(value);
}

void add_numbers(digest *to, kind in, int count, const double *values) {
  for (int k = 0; k < count; k++) add_number(to, in, values[k]);
}

void add_vector(digest *to, kind in, flg_vec3 value) {
  add_numbers(to, in, 3, (const double[]){value.x, value.y, value.z});
}

void add_spatial(digest *to, kind in, flg_spatial value) {
  add_vector(to, in, value.linear), add_vector(to, in, value.angular);
}

void add_pose(digest *to, const flg_pose *pose) {
  add_vector(to, PLACES, pose->position);
  for (int k = 0; k < 3; k++) add_vector(to, PLACES, flg_mat3_column(&pose->rotation, k));
}

void add_count(digest *to, int64_t count) {
  add_bits(to, (uint64_t)count);
}

typedef struct outputs {
  int count, width;
  flg_output *list;
  kind *kinds; /* (width) */
  double *values;
} outputs;

static outputs find_outputs(flg_simulation *simulation) {
  outputs found = {0};
  flg_error error;
  const flg_signal *signals = flg_output_list(simulation, &found.count);
  found.list = calloc((size_t)found.count + 1, sizeof *found.list);
  for (int k = 0; k < found.count; k++) found.width += signals[k].width;
  found.kinds = calloc((size_t)found.width + 1, sizeof *found.kinds);
  found.values = calloc((size_t)found.width + 1, sizeof *found.values);
  int kept = 0, at = 0;
  for (int k = 0; k < found.count; k++) {
    if (strcmp(signals[k].name, FLG_WALL_TIME) == 0) continue; /* differs from run to run */
    if (flg_output_find(simulation, signals[k].name, &found.list[kept], &error) != FLG_OK) continue;
    kept++;
    for (int i = 0; i < signals[k].width; i++) found.kinds[at++] = kind_of(&signals[k]);
  }
  found.count = kept, found.width = at;
  return found;
}

/* how it went, which bits alone tell: rounding is most of what drifts are */
static void add_outcome(const flg_simulation *simulation, digest *to) {
  const flg_energy energy = flg_simulation_energy(simulation);
  flg_contact_outcome touch;
  double position, velocity;
  int most;
  flg_simulation_contacts(simulation, &touch);
  flg_simulation_constraints(simulation, &position, &velocity);
  const int64_t divided = flg_simulation_divided_steps(simulation, &most);
  const int64_t counts[] = {touch.switches,
                            touch.inside_macro_step,
                            touch.hits,
                            touch.iterations,
                            touch.unsolved,
                            touch.method,
                            divided,
                            most,
                            flg_simulation_micro_steps(simulation),
                            to->steps,
                            to->status};
  const double numbers[] = {energy.initial, energy.final,      energy.least, energy.most,
                            touch.residual, touch.penetration, position,     velocity};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) add_bits(to, (uint64_t)counts[k]);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) add_number_bits(to, numbers[k]);
  for (int k = 0; k < flg_simulation_interface_count(simulation); k++) {
    const flg_interface_outcome of = flg_simulation_interface(simulation, k);
    add_number_bits(to, of.pose_drift), add_number_bits(to, of.energy_residual);
    add_number_bits(to, of.rank), add_number_bits(to, of.condition), add_bits(to, of.is_unique);
  }
}

void follow(flg_simulation *simulation, int steps, bool is_pushed, digest *to) {
  flg_error error;
  *to = digest_begin();
  outputs all = find_outputs(simulation);
  pushes by = {0};
  if (is_pushed) by = find_pushes(simulation);
  for (int step = 0; step <= steps && to->status == FLG_OK; step++) {
    if (flg_simulation_ended(simulation)) break;
    if (is_pushed) push(simulation, &by, to);
    if (step > 0) to->status = flg_simulation_step(simulation, &error), to->steps++;
    if (flg_output_read_many(simulation, all.list, all.count, all.values, all.width, &error) !=
        FLG_OK)
      break;
    for (int k = 0; k < all.width; k++) add_number(to, all.kinds[k], all.values[k]);
  }
  add_outcome(simulation, to);
  free(all.list), free(all.kinds), free(all.values);
}

double change(const digest *now, const digest *stored, kind *in) {
  double largest = 0;
  *in = PLACES;
  for (int k = 0; k < DIGEST_KINDS; k++) {
    const double off = fabs(now->sums[k] - stored->sums[k]);
    const double share = off == 0 ? 0 : off / now->sizes[k];
    if (flg_exceeds(share, largest)) largest = share, *in = (kind)k;
  }
  return largest;
}
