#include "cosim/inputs.h"

#include <math.h>
#include <string.h>

#include "cosim/simulation.h"

static const flg_opened_input *input_at(const flg_simulation *simulation, int index) {
  return (const flg_opened_input *)simulation->opened.items + index;
}

/* the block with room for so many numbers more, which are NaN */
static flg_status widen_inputs(flg_simulation *simulation, int width) {
  const size_t before = (size_t)simulation->input_width, more = (size_t)width;
  double *block = flg_region_take(&simulation->region, before + more, sizeof *block);
  if (block == NULL) return FLG_ERR_MEMORY;
  if (before > 0) memcpy(block, simulation->inputs, before * sizeof *block);
  for (size_t k = before; k < before + more; k++) block[k] = NAN;
  simulation->inputs = block;
  simulation->input_width += width;
  return FLG_OK;
}

flg_status flg_inputs_open(flg_simulation *simulation, const flg_subsystem *subsystem,
                           flg_input_kind kind, const char *path, int *index, flg_error *error) {
  const flg_subsystem_ops *ops = subsystem->ops;
  flg_opened_input made = {.subsystem = subsystem, .first = simulation->input_width};
  if (ops->open_input == NULL) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is of a kind (%s) that takes no inputs",
                    subsystem->name, ops->kind);
  }
  const flg_status status =
      ops->open_input(subsystem->self, kind, path, &made.number, &made.width, error);
  if (status != FLG_OK) return status;
  flg_opened_input *kept = flg_growing_add(&simulation->opened, sizeof *kept, &simulation->region);
  if (kept == NULL || widen_inputs(simulation, made.width) != FLG_OK) {
    return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for an input");
  }
  *kept = made;
  *index = simulation->opened.count - 1;
  return FLG_OK;
}

int flg_inputs_write(flg_simulation *simulation, int index, double time, const double *values) {
  const flg_opened_input *input = input_at(simulation, index);
  const flg_subsystem *subsystem = input->subsystem;
  double *to = simulation->inputs + input->first;
  for (int k = 0; k < input->width; k++) to[k] = values[k];
  subsystem->ops->write_input(subsystem->self, input->number, time, values);
  return input->width;
}

void flg_inputs_withdraw(flg_simulation *simulation, int index) {
  const flg_opened_input *input = input_at(simulation, index);
  double *to = simulation->inputs + input->first;
  for (int k = 0; k < input->width; k++) to[k] = NAN;
  input->subsystem->ops->write_input(input->subsystem->self, input->number,
                                     flg_simulation_time(simulation), NULL);
}

void flg_inputs_apply(flg_simulation *simulation) {
  for (int k = 0; k < simulation->opened.count; k++) {
    const flg_opened_input *input = input_at(simulation, k);
    const double *values = simulation->inputs + input->first;
    const bool is_given = input->width > 0 && !isnan(values[0]);
    input->subsystem->ops->write_input(input->subsystem->self, input->number, (double)NAN,
                                       is_given ? values : NULL);
  }
}

void flg_inputs_clear(flg_simulation *simulation) {
  for (int k = 0; k < simulation->opened.count; k++) flg_inputs_withdraw(simulation, k);
}
