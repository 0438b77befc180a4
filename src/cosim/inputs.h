/* inputs.h - what a program writes to a simulation between steps (flange/access.h). What was
 * written is part of the state: one block of numbers, NaN where nothing is given.
 */
#ifndef FLG_COSIM_INPUTS_H
#define FLG_COSIM_INPUTS_H

#include "contract/subsystem.h"
#include "flange/simulation.h"

/* An input that was opened. */
typedef struct flg_opened_input {
  const flg_subsystem *subsystem;
  int number;       /* there */
  int first, width; /* in the block */
} flg_opened_input;

/* Set-up: opens an input of a subsystem; *index: its number in the simulation. FLG_ERR_INPUT with a
 * sentence, FLG_ERR_MEMORY. */
flg_status flg_inputs_open(flg_simulation *simulation, const flg_subsystem *subsystem,
                           flg_input_kind kind, const char *path, int *index, flg_error *error);
/* Between steps: values (width), at the time now. Returns the width. */
int flg_inputs_write(flg_simulation *simulation, int index, double time, const double *values);
/* Between steps: nothing is given any more. */
void flg_inputs_withdraw(flg_simulation *simulation, int index);
/* After the block was restored: subsystems get what it says. */
void flg_inputs_apply(flg_simulation *simulation);
/* Nothing is given any more. */
void flg_inputs_clear(flg_simulation *simulation);

#endif
